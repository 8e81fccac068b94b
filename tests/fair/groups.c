/* SPDX-License-Identifier: MIT */
/* groups.c - docs/rules/fair.md 10.5: what a group weighs on each CPU, and how its tasks share (fair-65 to fair-70). */
#include "tests/test.h"

#include "tests/fair/bench.h"
#include "tests/machine_of.h"

/* A group with @nr[cpu] hogs on each CPU, settled: loads are what the weights say, and all is written. */
static struct task_group *settled_group(struct bench *b, u64 shares, const u32 *nr, int cpus)
{
	struct task_group *tg = lab_group_create(b->lab, lab_root(b->lab));
	int cpu;
	u32 i;

	lab_write(b->lab, 0, tg, KNOB_SHARES, shares, 0, NULL);
	for (cpu = 0; cpu < cpus; cpu++) {
		struct cfs_rq *cfs_rq;

		for (i = 0; i < nr[cpu]; i++)
			start(&b->d, thread_of(b, tg, cpu, SCHED_NORMAL, 0));
		cfs_rq = group_queue(b, tg, cpu);
		cfs_rq->avg.load_avg = nr[cpu] * 1024;
		update_group_load(b->lab, cfs_rq, true, false);
	}
	for (cpu = 0; cpu < cpus; cpu++)
		update_cfs_group(b->lab, group_entity(b, tg, cpu));
	return tg;
}

/* The shares are dealt by load: 2048 and 1024 of 3072. */
TEST(fair, fair_65_shares_of_two_cpus)
{
	struct task_group *tg;
	struct bench b;

	bench_of(&b, .cpus = 2, .cgroup = 1);
	tg = settled_group(&b, 1024, (const u32[]){ 2, 1 }, 2);
	CHECK_EQ(tg->load_avg, 3072);
	CHECK_EQ(group_entity(&b, tg, 0)->load.weight, 699050);
	CHECK_EQ(group_entity(&b, tg, 1)->load.weight, 349525);
	bench_fini(&b);
}

/* Few shares on many CPUs: with the stored weight's 10 more bits 15 can still be divided by 8; without them 2 is the least. */
TEST(fair, fair_66_few_shares_on_many_cpus)
{
	static const struct { const char *row; u64 weight; } rows[] = { { "5.10", 1920 }, { "4.2", 2 } };
	static const u32 nr[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct task_group *tg;
	struct bench b;
	size_t i;
	int cpu;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bench_of(&b, .cpus = 8, .cgroup = 1, .row = rows[i].row);
		tg = settled_group(&b, 15, nr, 8);
		for (cpu = 0; cpu < 8; cpu++)
			CHECK_ROW(group_entity(&b, tg, cpu)->load.weight, rows[i].weight, rows[i].row);
		bench_fini(&b);
	}
}

/* Nobody has written any load: the first task's CPU has all the shares. */
TEST(fair, fair_67_the_first_task_of_a_group)
{
	struct task_group *tg;
	struct bench b;

	bench_of(&b, .cpus = 2);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
	CHECK_EQ(tg->load_avg, 0);
	CHECK_EQ(group_entity(&b, tg, 0)->load.weight, 1048576);
	bench_fini(&b);
}

/* A CPU writes its load when it differs by more than one part in 64. */
TEST(fair, fair_68_a_contribution_is_written)
{
	struct task_group *tg;
	struct cfs_rq *cfs_rq;
	struct bench b;

	bench_of(&b, .cpus = 2);
	tg = settled_group(&b, 1024, (const u32[]){ 1, 1 }, 2);
	cfs_rq = group_queue(&b, tg, 0);
	cfs_rq->avg.load_avg = 1040;
	update_group_load(b.lab, cfs_rq, true, false);
	CHECK_EQ(cfs_rq->tg_load_avg_contrib, 1024);
	cfs_rq->avg.load_avg = 1041;
	update_group_load(b.lab, cfs_rq, true, false);
	CHECK_EQ(cfs_rq->tg_load_avg_contrib, 1041);
	CHECK_EQ(tg->load_avg, 1024 + 1041);
	bench_fini(&b);
}

static void parts_of_a_cpu(struct testbed *m, const u32 *tasks, const double *percent, u32 nr)
{
	const u64 span = 60 * SEC;
	u32 i;

	run_until(m, span);
	for (i = 0; i < nr; i++)
		CHECK_WITHIN(ran(m, tasks[i], 0, span), percent[i] / 100 * span - 30 * MS, percent[i] / 100 * span + 30 * MS);
	done(m);
}

/* Two groups share a CPU by their own weights, 2 : 1; inside, their tasks share evenly. */
TEST(fair, fair_69_three_hogs_against_one)
{
	struct testbed *m = machine_of(.cgroup = 1);
	u32 tasks[4], i;

	group_write(m, "/a", "cpu.shares", "2048", NULL);
	group_write(m, "/b", "cpu.shares", "1024", NULL);
	for (i = 0; i < 3; i++)
		tasks[i] = hog(m, "/a", 0, 0);
	tasks[3] = hog(m, "/b", 0, 0);
	parts_of_a_cpu(m, tasks, (const double[]){ 200 / 9., 200 / 9., 200 / 9., 100 / 3. }, 4);
}

/* Sessions as autogroup makes them are groups of 1024 shares: four hogs in one have as much as a single one in the other. */
TEST(fair, fair_70_sessions_share_evenly)
{
	struct testbed *m = machine_of();
	u32 tasks[5], i;

	for (i = 0; i < 4; i++)
		tasks[i] = hog(m, "/session-1", 0, 0);
	tasks[4] = hog(m, "/session-2", 0, 0);
	parts_of_a_cpu(m, tasks, (const double[]){ 12.5, 12.5, 12.5, 12.5, 50 }, 5);
}

/* Against a task of the root group a whole group counts as much as its shares say. */
TEST(fair, a_group_beside_a_root_task)
{
	struct testbed *m = machine_of();
	u32 tasks[3];

	group_write(m, "/g", "cpu.weight", "100", NULL);
	tasks[0] = hog(m, "/g", 0, 0);
	tasks[1] = hog(m, "/g", 0, 0);
	tasks[2] = hog(m, NULL, 0, 0);
	parts_of_a_cpu(m, tasks, (const double[]){ 25, 25, 50 }, 3);
}

/* A task's part is the product over the levels. */
TEST(fair, nested_parts_multiply)
{
	struct testbed *m = machine_of();
	u32 tasks[3];

	group_write(m, "/a", "cpu.weight", "300", NULL);
	group_write(m, "/a/x", "cpu.weight", "100", NULL);
	group_write(m, "/a/y", "cpu.weight", "200", NULL);
	tasks[0] = hog(m, "/a/x", 0, 0);
	tasks[1] = hog(m, "/a/y", 0, 0);
	tasks[2] = hog(m, NULL, 0, 0);
	parts_of_a_cpu(m, tasks, (const double[]){ 25, 50, 25 }, 3);
}

/*
 * A group of 1024 with a hog on each of two CPUs weighs half of that on each: beside a nice-0 hog of the root group it has a third
 * of the CPU, not a half.
 */
TEST(fair, a_group_on_two_cpus_weighs_half_on_each)
{
	static const char *const rows[] = { "3.2", "4.2", "5.10", "6.4" };
	const u64 span = 60 * SEC;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of(.cpus = 2, .row = rows[i]);
		u32 a = hog(m, "/g", 0, 0), b = hog(m, "/g", 1, 0);
		u32 rival = hog(m, NULL, 0, 0);

		run_until(m, span);
		CHECK_WITHIN(ran(m, a, 0, span), span / 3 - 200 * MS, span / 3 + 200 * MS);
		CHECK_EQ(ran(m, b, 0, span), span);
		CHECK_EQ(ran(m, a, 0, span) + ran(m, rival, 0, span), span);
		done(m);
	}
}

/* When the hog on the other CPU is gone for good its load fades, and the one that is left gets all the shares back. */
TEST(fair, load_that_sleeps_fades)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 a = hog(m, "/g", 0, 0);

	program(m, "/g", 1, 0, RUN(10 * SEC));
	hog(m, NULL, 0, 0);
	run_until(m, 30 * SEC);
	CHECK_WITHIN(ran(m, a, 0, 10 * SEC), 3233 * MS, 3500 * MS);
	CHECK_WITHIN(ran(m, a, 11 * SEC, 21 * SEC), 4970 * MS, 5030 * MS);
	done(m);
}

/* A write of shares reaches every CPU at once. */
TEST(fair, a_write_of_shares_is_seen_at_once)
{
	struct task_group *tg;
	struct bench b;

	bench_of(&b, .cpus = 2);
	tg = settled_group(&b, 1024, (const u32[]){ 1, 1 }, 2);
	lab_write(b.lab, 0, tg, KNOB_WEIGHT, 200, 0, NULL);
	CHECK_EQ(group_entity(&b, tg, 0)->load.weight, 1048576);
	CHECK_EQ(group_entity(&b, tg, 1)->load.weight, 1048576);
	CHECK_EQ(root_queue(&b, 1)->load.weight, 1048576);
	bench_fini(&b);
}

/* An idle group's weight of 3 is dealt over its CPUs like any other. */
TEST(fair, an_idle_group_on_two_cpus)
{
	struct task_group *tg;
	struct bench b;

	bench_of(&b, .cpus = 2, .row = "6.1");
	tg = settled_group(&b, 1024, (const u32[]){ 2, 1 }, 2);
	lab_write(b.lab, 0, tg, KNOB_IDLE, 1, 0, NULL);
	CHECK_EQ(group_entity(&b, tg, 0)->load.weight, 3 * 1024 * 2 / 3);
	CHECK_EQ(group_entity(&b, tg, 1)->load.weight, 3 * 1024 / 3);
	bench_fini(&b);
}

/* A group whose last task slept comes back as a sleeper does, whoever of its tasks wakes: half a latency to the left. */
TEST(fair, a_group_is_placed_as_a_sleeper)
{
	struct task_group *tg;
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 8);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	p = thread_of(&b, tg, 0, SCHED_NORMAL, 0);
	start(&b.d, p);
	block(&b.d, 0);
	runs_alone(&b, thread(&b, 0, 0), 100 * MS);
	CHECK_EQ(wakes(&b, p, 0), true);
	CHECK_EQ(group_entity(&b, tg, 0)->vruntime, 88 * MS);
	bench_fini(&b);
}

/* When a task sleeps and others of its group wait, the group goes on, though a task outside is a little further behind. */
TEST(fair, a_group_goes_on_when_a_task_of_it_sleeps)
{
	static const struct { u64 outside; u32 id; } rows[] = { { 97 * MS, 2 }, { 95 * MS, 3 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_group *tg;
		struct bench b;

		bench_of(&b, .cpus = 8);
		tg = lab_group_create(b.lab, lab_root(b.lab));
		start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
		start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
		set_vruntime(&b, group_entity(&b, tg, 0), 100 * MS);
		root_queue(&b, 0)->min_vruntime = 100 * MS;
		wakes(&b, thread(&b, 0, 0), rows[i].outside);
		b.d.resched[0] = false;
		block(&b.d, 0);
		CHECK_EQ(lab_task_id(lab_curr(b.lab, 0)), rows[i].id); /* as long as it is not more than 4 ms ahead */
		bench_fini(&b);
	}
}

/* A sleeper that changes its group keeps its distance to min_vruntime, from one queue to the other. */
TEST(fair, a_sleeper_changes_its_group)
{
	struct task_group *from, *to;
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 8);
	from = lab_group_create(b.lab, lab_root(b.lab));
	to = lab_group_create(b.lab, lab_root(b.lab));
	p = thread_of(&b, from, 0, SCHED_NORMAL, 0);
	start(&b.d, p);
	block(&b.d, 0);
	start(&b.d, thread_of(&b, to, 0, SCHED_NORMAL, 0));
	group_queue(&b, from, 0)->min_vruntime = 500 * MS;
	group_queue(&b, to, 0)->min_vruntime = 900 * MS;
	p->se.vruntime = 503 * MS;
	lab_move(b.lab, 0, p, to);
	CHECK_EQ(p->se.vruntime, 903 * MS);
	bench_fini(&b);
}

/* An idle group's task runs, or a normal group's; one of the other kind wakes, far behind or far ahead.  Is the first asked to leave? */
static bool idle_groups_meet(bool curr_idle, bool wakee_idle, u64 own)
{
	struct task_group *of_curr, *of_wakee;
	struct task_struct *curr, *wakee;
	struct bench b;
	bool asked;

	bench_of(&b, .cpus = 8, .row = "5.15");
	of_curr = lab_group_create(b.lab, lab_root(b.lab));
	of_wakee = lab_group_create(b.lab, lab_root(b.lab));
	lab_write(b.lab, 0, of_curr, KNOB_IDLE, curr_idle, 0, NULL);
	lab_write(b.lab, 0, of_wakee, KNOB_IDLE, wakee_idle, 0, NULL);
	wakee = thread_of(&b, of_wakee, 0, SCHED_NORMAL, 0);
	start(&b.d, wakee);
	block(&b.d, 0);
	curr = thread_of(&b, of_curr, 0, SCHED_NORMAL, 0);
	start(&b.d, curr);
	set_vruntime(&b, group_entity(&b, of_curr, 0), 100 * MS);
	root_queue(&b, 0)->min_vruntime = 100 * MS;
	group_entity(&b, of_wakee, 0)->vruntime = own;
	asked = wakes(&b, wakee, 0);
	CHECK_EQ(root_queue(&b, 0)->h_nr_idle, curr_idle + wakee_idle);
	bench_fini(&b);
	return asked;
}

/* Between an idle group and one that is not, vruntime decides nothing. */
TEST(fair, idle_groups_give_way)
{
	CHECK_EQ(idle_groups_meet(true, false, 300 * MS), true);
	CHECK_EQ(idle_groups_meet(false, true, 0), false);
	CHECK_EQ(idle_groups_meet(false, false, 0), true);
	CHECK_EQ(idle_groups_meet(true, true, 0), false); /* 4 ms are 1.37 s in the virtual time of weight 3 */
}

/* A CPU that goes offline takes its part out of the sum. */
TEST(fair, an_offline_cpu_counts_no_load)
{
	struct task_group *tg;
	struct bench b;

	bench_of(&b, .cpus = 2);
	tg = settled_group(&b, 1024, (const u32[]){ 1, 1 }, 2);
	lab_hotplug(b.lab, 1, false);
	obey_kicks(&b.d);
	CHECK_EQ(group_queue(&b, tg, 1)->tg_load_avg_contrib, 0);
	CHECK_EQ(tg->load_avg, group_queue(&b, tg, 0)->tg_load_avg_contrib);
	bench_fini(&b);
}

TEST_MAIN("fair: groups")
