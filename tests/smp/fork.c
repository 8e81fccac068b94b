/* SPDX-License-Identifier: MIT */
/*
 * Where a new task begins, and where one goes on that executes a new program: examples smp-25 to smp-30 of docs/rules/smp.md, and A11 of
 * smp-checked.md.
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

struct on_row {
	const char *row;
	int cpu;
};

/* ---- fork ---- */

/* smp-25: of the groups with an idle CPU the one that is used least. */
TEST(fork, smp_25_the_least_used_idle_cpu)
{
	static const char *const rows[] = { "5.10", "6.1", "6.12", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		bed_of(&b, M4, .row = rows[i]);
		hog_on(&b, 0);
		settle(&b, 1, 0, 300);
		CHECK_ROW(forks(&b, 0), 2, rows[i]);
		bed_fini(&b);
	}
}

/* smp-25b: three busy CPUs: the child finds the fourth in every kernel from 5.5 on; a wakeup would not (smp-2). */
TEST(fork, smp_25b_no_limit_on_looking)
{
	static const char *const rows[] = { "5.10", "5.15", "6.1", "6.12", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *child;
		struct bed b;

		bed_of(&b, M4, .row = rows[i]);
		hogs_up_to(&b, 3);
		balancer_looks(&b);
		CHECK_ROW(forks(&b, 0), 3, rows[i]);
		child = rq_of(&b, 3)->curr;
		block(&b.d, 3);
		CHECK_ROW(interrupt_wakes(&b, 3, child), 3, rows[i]); /* and wakes there again */
		bed_fini(&b);
	}
}

/* smp-26: one hog on each: it stays. */
TEST(fork, smp_26_equals_keep_it)
{
	static const char *const rows[] = { "3.2", "4.14", "5.4", "5.10", "6.1", "6.12", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		bed_of(&b, M4, .row = rows[i]);
		hogs_up_to(&b, 4);
		CHECK_ROW(forks(&b, 0), 0, rows[i]);
		bed_fini(&b);
	}
}

/* smp-27: two on the own CPU and one on each other: the first in the ring. */
TEST(fork, smp_27_an_overloaded_cpu_sends_it_away)
{
	static const char *const rows[] = { "3.2", "4.14", "5.4", "5.10", "6.1", "6.12", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		bed_of(&b, M4, .row = rows[i]);
		hogs_up_to(&b, 4);
		hog_on(&b, 0);
		CHECK_ROW(forks(&b, 0), 1, rows[i]);
		bed_fini(&b);
	}
}

/* smp-28: two nodes of 48: up to six may run on the own node while the nodes differ by no more than two idle CPUs (5.18). */
TEST(fork, smp_28_nodes_may_differ_a_little)
{
	static const int node[] = { 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0 };
	static const char *const rows[] = { "6.1", "6.12", "7.2" };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		bed_of(&b, N96, .row = rows[i]);
		hog_on(&b, 0);
		for (k = 0; k < ARRAY_SIZE(node); k++) {
			char title[32];

			snprintf(title, sizeof(title), "%s, child %d", rows[i], (int)k + 1);
			CHECK_ROW(forks(&b, 0) / 48, node[k], title);
		}
		bed_fini(&b);
	}
}

/* smp-28, 5.10: none leaves as long as a CPU of the own node is idle. */
TEST(fork, smp_28_an_idle_cpu_keeps_it_on_the_node)
{
	struct bed b;
	int i;

	bed_of(&b, N8, .row = "5.10");
	hog_on(&b, 0);
	for (i = 0; i < 3; i++)
		CHECK_EQ(forks(&b, 0) / 4, 0);
	CHECK_EQ(forks(&b, 0) / 4, 1);
	bed_fini(&b);
}

/* smp-29: the core with two idle threads; in it the one that went to sleep last, unless the other sleeps more lightly. */
TEST(fork, smp_29_the_thread_that_slept_last)
{
	static const char *const rows[] = { "5.10", "6.1", "6.12" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		bed_of(&b, C2x2, .row = rows[i]);
		hog_on(&b, 0);
		rq_of(&b, 2)->smp.idle_stamp = b.d.now;
		rq_of(&b, 3)->smp.idle_stamp = b.d.now + 1;
		CHECK_ROW(forks(&b, 0), 3, rows[i]);
		bed_fini(&b);

		bed_of(&b, C2x2, .row = rows[i]);
		hog_on(&b, 0);
		rq_of(&b, 2)->smp.idle_stamp = b.d.now;
		rq_of(&b, 3)->smp.idle_stamp = b.d.now + 1;
		b.d.polling[2] = true;
		CHECK_ROW(forks(&b, 0), 2, rows[i]);
		bed_fini(&b);
	}
}

/* ---- A11: averages lag ---- */

/*
 * A11: on four CPUs a parent that has been spinning on CPU 3 for some 15 ms (util 300) forks a hog each ms: three go around the ring, the next
 * three stay with their parent, because nobody has been busy for long enough to be called so.
 */
TEST(fork, a11_a_burst_of_forks_stacks)
{
	static const int cpus[] = { 0, 1, 2, 3, 3, 3 };
	struct bed b;
	size_t i;
	int cpu;

	bed_of(&b, M4, .row = "5.10", .hz = 250);
	hog_on(&b, 3);
	settle(&b, 3, 300, 300);
	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		at(&b.d, (i + 1) * MS + 500 * US);
		CHECK_EQ(forks(&b, 3), cpus[i]);
		if (i % 4 != 3)
			continue;
		at(&b.d, (i + 2) * MS);
		for (cpu = 0; cpu < 4; cpu++)
			lab_tick(b.lab, cpu);
	}
	bed_fini(&b);
}

/* 2.7 (5.11 to 6.11): all CPUs of a group count, also those that the child may not use. */
TEST(fork, whose_cpus_are_counted)
{
	static const struct on_row rows[] = { { "fork_counts=all", 0 }, { "fork_counts=allowed", 4 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 cpus[2] = { 0xf1, 0 }; /* CPU 0 here, all of the other cache */
		struct task_spec spec = { .cpus = cpus };
		struct task_struct *p;
		struct bed b;

		bed_of(&b, P8, .row = "5.10", .rules = { rows[i].row });
		hogs_on(&b, 2, 0, 4);
		p = lab_fork(b.lab, 0, rq_of(&b, 0)->curr, &spec);
		hogs_on(&b, 1, 5);
		lab_wake_new(b.lab, 0, p);
		/* here 3 idle of 4, or none of the one allowed; there 2 idle of 4 */
		CHECK_ROW(lab_task_cpu(p) / 4 * 4, rows[i].cpu, rows[i].row);
		bed_fini(&b);
	}
}

/* What a task on node 0 does with a child, if all are busy with such loads. */
static int node_of_child(const char *row, u64 load0, u64 load1)
{
	struct bed b;
	int cpu;

	bed_of(&b, N8, .row = row);
	hogs_up_to(&b, 8);
	for (cpu = 0; cpu < 8; cpu++)
		settle(&b, cpu, cpu < 4 ? load0 : load1, 1024);
	cpu = forks(&b, 0);
	bed_fini(&b);
	return cpu / 4;
}

/* 2.7: between nodes the own one is kept up to the whole margin: 174 of 1024 at 117 per cent, 256 at the old 125. */
TEST(fork, the_own_node_has_a_margin)
{
	CHECK_EQ(node_of_child("5.10", 1174, 1000), 0);
	CHECK_EQ(node_of_child("5.10", 1175, 1000), 1);
	CHECK_EQ(node_of_child("4.14", 1256, 1000), 0);
	CHECK_EQ(node_of_child("4.14", 1257, 1000), 1);
}

/* 2.7: a child that may use two CPUs of its parent's node counts on no more than two there. */
TEST(fork, a_node_of_few_allowed_cpus)
{
	u64 few[2] = { 0x3 | (u64)0xffff << 48, 0xffffffff }, all[2] = { UINT64_MAX, 0xffffffff };
	int k;

	for (k = 0; k < 2; k++) {
		struct task_spec spec = { .cpus = k ? few : all };
		struct task_struct *p;
		struct bed b;

		bed_of(&b, N96, .row = "6.1");
		hogs_up_to(&b, 2);
		p = lab_fork(b.lab, 0, rq_of(&b, 0)->curr, &spec);
		lab_wake_new(b.lab, 0, p);
		CHECK_EQ(lab_task_cpu(p) / 48, k);
		bed_fini(&b);
	}
}

/* 2.7: in the group that was chosen the search goes on, level by level: past a CPU with SCHED_IDLE tasks to the idle thread beside it. */
TEST(fork, down_the_levels)
{
	struct task_struct *low;
	struct bed b;

	bed_of(&b, C2x2, .row = "5.10");
	low = sleeper_of(&b, NULL, 2, SCHED_IDLE, false);
	hogs_on(&b, 2, 0, 1);
	begin(&b, low);
	CHECK_EQ(forks(&b, 0), 3);
	bed_fini(&b);
}

/* 4.3: one busy task fills a CPU, two overload it; an overloaded CPU sends a child away however light its tasks are. */
TEST(fork, overloaded_by_number)
{
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	hogs_up_to(&b, 4);
	hog_on(&b, 0);
	settle(&b, 0, 500, 1024);
	CHECK_EQ(forks(&b, 0), 1);
	bed_fini(&b);

	bed_of(&b, M4, .row = "5.10");
	hogs_up_to(&b, 4);
	settle(&b, 0, 500, 1024);
	settle(&b, 1, 430, 1024);
	CHECK_EQ(forks(&b, 0), 0); /* 100 * 500 is less than 117 * 430 */
	bed_fini(&b);
}

/* ---- before 5.5 ---- */

/*
 * 2.7: less of what is queued by more than the margin, 174 at an LLC, wins; among about equal ones less with the sleepers, by more than the bias,
 * 8 per cent; else the own group stays.
 */
TEST(fork, by_load_with_a_margin)
{
	static const struct { u64 queued, load; int cpu; } rows[] = {
		{ 1024 - 175, 1024, 2 }, { 1024 - 174, 1024, 0 }, { 1024, 948, 2 }, { 1024, 949, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char title[32];
		struct bed b;

		bed_of(&b, M4, .row = "4.14");
		hogs_up_to(&b, 4);
		settle(&b, 2, rows[i].load, 1024);
		rq_of(&b, 2)->cfs.runnable_load_avg = rows[i].queued;
		snprintf(title, sizeof(title), "row %d", (int)i);
		CHECK_ROW(forks(&b, 0), rows[i].cpu, title);
		bed_fini(&b);
	}
}

/* 2.7: in 3.2 it is a share, 112 to 100 above the cache's 125: 8 per cent at 117. */
TEST(fork, by_load_with_a_share)
{
	static const struct { int hogs; int cpu; } rows[] = { { 1, 0 }, { 2, 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;
		int k;

		bed_of(&b, S2, .row = "3.2");
		for (k = 0; k < rows[i].hogs; k++)
			hog_on(&b, 0);
		hog_on(&b, 1);
		CHECK_EQ(forks(&b, 0), rows[i].cpu);
		bed_fini(&b);
	}
}

/* ---- exec ---- */

/* What CPU the task that runs on CPU 0 goes on with its new program; @others wait behind it. */
static int executes(const char *row, int others, int busy, u64 *migrations)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M4, .row = row);
	p = hog_on(&b, 0);
	p->se.avg.util_avg = 1024 / (u64)(others + 1);
	while (others--)
		hog_on(&b, 0);
	for (cpu = 1; cpu <= busy; cpu++)
		hog_on(&b, cpu);
	CHECK_EQ(runs(&b.d, p), true);
	lab_exec(b.lab, 0);
	obey_kicks(&b.d);
	cpu = lab_task_cpu(p);
	CHECK_ROW(runs(&b.d, p), true, row);
	CHECK_EQ(b.d.events[EVENT_SCHED_PROCESS_EXEC], 1);
	CHECK_EQ(b.d.events[EVENT_SCHED_MIGRATE_TASK], cpu != 0);
	CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].other, cpu ? MOVE_EXEC : 0);
	*migrations = p->migrations;
	bed_fini(&b);
	return cpu;
}

/* smp-30: with company it goes to an idle CPU, by the stopper, and counts a migration; alone it stays. */
TEST(fork, smp_30_exec_leaves_company)
{
	static const char *const rows[] = { "4.14", "5.4", "5.10", "6.1", "6.12" };
	u64 migrations;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(executes(rows[i], 1, 0, &migrations), 1, rows[i]);
		CHECK_ROW(migrations, 1, rows[i]);
		CHECK_ROW(executes(rows[i], 0, 0, &migrations), 0, rows[i]);
		CHECK_ROW(migrations, 0, rows[i]);
	}
}

/*
 * 2.7: a CPU is judged without the task that executes: with one hog left its load is that of the others, not twice that; with two light ones
 * left it has room, though with the task it would be overloaded.
 */
TEST(fork, exec_counts_without_itself)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	hogs_up_to(&b, 4);
	CHECK_EQ(runs(&b.d, p), true);
	p->se.avg.util_avg = p->se.avg.runnable_avg = 512;
	lab_exec(b.lab, 0);
	CHECK(!b.d.resched[0]);
	bed_fini(&b);

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	hog_on(&b, 0);
	hogs_up_to(&b, 4);
	settle(&b, 0, 1024, 1024);
	rq_of(&b, 0)->cfs.avg.runnable_avg = 1300;
	p->se.avg.util_avg = 1000;
	p->se.avg.runnable_avg = 1200;
	lab_exec(b.lab, 0);
	CHECK(!b.d.resched[0]);
	bed_fini(&b);
}

/* 2.3, 2.7: a hog that falls asleep is no load any more to 5.4; its CPU keeps it, and lets it fade, from 5.5 on. */
TEST(fork, a_sleeper_is_load_or_not)
{
	static const struct { const char *row; s64 lo, hi; } rows[] = { { "4.14", 0, 0 }, { "5.4", 0, 0 }, { "5.10", 1000, 1024 }, { "7.2", 1000, 1024 } };
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, S2, .row = rows[i].row);
		p = sleeper_on(&b, 0);
		begin(&b, p);
		for (k = 1; k <= 500; k++) {
			at(&b.d, (u64)k * MS);
			tick(&b.d, 0);
		}
		CHECK_WITHIN(cpu_load(rq_of(&b, 0)), 1000, 1024);
		block(&b.d, 0);
		CHECK_WITHIN(cpu_load(rq_of(&b, 0)), rows[i].lo, rows[i].hi);
		bed_fini(&b);
	}
}

/* A task bound to its CPU is not asked. */
TEST(fork, exec_of_a_bound_task)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	hog_on(&b, 0);
	allow(&b, p, 1);
	lab_exec(b.lab, 0);
	CHECK(!b.d.resched[0]);
	bed_fini(&b);
}

/* fair.md 9: to 4.7 a child that begins elsewhere counts as migrated, later not. */
TEST(fork, a_fork_is_no_migration)
{
	static const struct on_row rows[] = { { "3.2", 1 }, { "4.2", 1 }, { "4.14", 0 }, { "5.10", 0 }, { "7.2", 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		hog_on(&b, 0);
		forks(&b, 0);
		CHECK_ROW(b.d.events[EVENT_SCHED_MIGRATE_TASK], rows[i].cpu, rows[i].row);
		bed_fini(&b);
	}
}

TEST_MAIN("smp: where a new task or program begins")
