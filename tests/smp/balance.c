/* SPDX-License-Identifier: MIT */
/*
 * Periodic balancing: one attempt at one level, from who is asked to what became of it.  Each test named smp_N is the worked example of
 * docs/rules/smp.md with that number; where smp-checked.md has a newer figure, or the example is wrong, the test says so.
 *
 * M4: four CPUs, one LLC.  S2: two.  C2x2: two cores of two threads.  P8: two LLCs of four CPUs.  All at 1000 Hz.
 */
#include "tests/test.h"

#include "tests/smp/bed.h"

#define M4 .cpus = 4
#define S2 .cpus = 2
#define C2X2 .cpus = 4, .threads = 2
#define P8 .cpus = 8, .llc = 4

static const char *const new_rows[] = { "5.10", "5.15", "6.1", "6.6", "6.12", "6.18", "7.2" };
#define for_each_new_row(i) for (i = 0; i < ARRAY_SIZE(new_rows); i++)

/* ---- sizes: one pull, or after how many failures ---- */

/* Attempts of @cpu until tasks came; 0: not within ten. */
static u32 attempts_until_moved(struct lb_bed *b, int cpu, enum idle_type idle)
{
	u32 i;

	for (i = 1; i <= 10; i++) {
		if (attempt(b, cpu, 0, idle))
			return i;
		let_pass(b, 20 * MS);
		let_pass(b, 600 * US);
	}
	return 0;
}

/* An idle CPU takes half of the difference in tasks. */
TEST(balance, smp_36_an_idle_cpu_takes_the_task_that_waits)
{
	size_t i;

	for_each_new_row(i) {
		struct lb_bed b;

		lb_bed_of(&b, S2, .row = new_rows[i]);
		hogs(&b, 0, 2);
		let_settle(&b);
		CHECK_ROW(attempt(&b, 1, 0, LB_IDLE), 1, new_rows[i]);
		CHECK_EQ(tasks_on(&b, 0), 1);
		CHECK_EQ(tasks_on(&b, 1), 1);
		lb_bed_fini(&b);
	}
}

/* ... unless it has waited less than 500 us: then it is taken when that is over, or when two attempts have failed. */
TEST(balance, smp_53_what_is_hot_stays_for_two_attempts)
{
	struct lb_bed b;
	int k;

	for (k = 0; k < 3; k++) {
		lb_bed_of(&b, S2, .row = "5.10");
		hogs(&b, 0, 2);
		let_settle(&b);
		b.lab->model.param[PARAM_MIGRATION_COST] = 1 * SEC; /* whoever waits here has run 10 ms ago at most */
		CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 0);
		CHECK_EQ(failed(&b, 1, 0), 1);
		if (k == 1) /* it has cooled down */
			b.lab->model.param[PARAM_MIGRATION_COST] = 500 * US;
		CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), k == 1);
		CHECK_EQ(failed(&b, 1, 0), k == 1 ? 0 : 2);
		CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), k != 1);
		lb_bed_fini(&b);
	}
	lb_bed_of(&b, .cpus = 2, .threads = 2, .row = "5.10"); /* threads of one core share their caches */
	hogs(&b, 0, 2);
	let_settle(&b);
	b.lab->model.param[PARAM_MIGRATION_COST] = 1 * SEC;
	CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 1);
	lb_bed_fini(&b);
}

/* Five hogs on four CPUs: a quarter of a task's load is to be moved, which no task fits before two attempts have failed. */
TEST(balance, smp_40_five_hogs_on_four_cpus_move_at_the_third_attempt)
{
	size_t i;

	for_each_new_row(i) {
		enum migration by = MIGRATE_TASK;
		struct lb_bed b;

		lb_bed_of(&b, M4, .row = new_rows[i]);
		hogs(&b, 0, 2);
		hogs(&b, 1, 1);
		hogs(&b, 2, 1);
		hogs(&b, 3, 1);
		let_settle(&b);
		CHECK_WITHIN(size_for(&b, 1, 0, LB_BUSY, &by), 254, 256);
		CHECK_EQ(by, MIGRATE_LOAD);
		/* 1023 >> 2 is 255: where the size is that or more it is the third attempt, else the fourth */
		CHECK_WITHIN(attempts_until_moved(&b, 1, LB_BUSY), 3, 4);
		CHECK_EQ(spread4(&b), 1211);
		lb_bed_fini(&b);
	}
}

/* The balancer to 5.4 raises it to one task's load at once. */
TEST(balance, smp_40_five_hogs_move_at_once_before_5_5)
{
	static const char *const rows[] = { "4.14", "4.18", "5.4" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lb_bed b;

		lb_bed_of(&b, M4, .row = rows[i]);
		hogs(&b, 0, 2);
		hogs(&b, 1, 1);
		hogs(&b, 2, 1);
		hogs(&b, 3, 1);
		let_settle(&b);
		CHECK_WITHIN(size_for(&b, 1, 0, LB_BUSY, NULL), 1022, 1024);
		CHECK_ROW(attempts_until_moved(&b, 1, LB_BUSY), 1, rows[i]);
		lb_bed_fini(&b);
	}
}

/* Twice as much is to be moved, and half a task's load fits. */
TEST(balance, smp_41_six_hogs_on_four_cpus_move_at_the_second_attempt)
{
	static const int spreads[][4] = { { 2, 2, 1, 1 }, { 3, 1, 1, 1 } };
	size_t i;
	int cpu;

	for (i = 0; i < ARRAY_SIZE(spreads); i++) {
		struct lb_bed b;

		lb_bed_of(&b, M4, .row = "5.10");
		for (cpu = 0; cpu < 4; cpu++)
			hogs(&b, cpu, spreads[i][cpu]);
		let_settle(&b);
		CHECK_WITHIN(size_for(&b, 3, 0, LB_BUSY, NULL), 509, 512);
		CHECK_WITHIN(attempts_until_moved(&b, 3, LB_BUSY), 2, 3);
		lb_bed_fini(&b);
	}
}

TEST(balance, smp_42_three_hogs_on_two_cpus_move_at_the_second_attempt)
{
	struct lb_bed b;

	lb_bed_of(&b, S2, .row = "5.10");
	hogs(&b, 0, 2);
	hogs(&b, 1, 1);
	let_settle(&b);
	CHECK_WITHIN(size_for(&b, 1, 0, LB_BUSY, NULL), 510, 512);
	CHECK_WITHIN(attempts_until_moved(&b, 1, LB_BUSY), 2, 3);
	lb_bed_fini(&b);
}

/* smp-42': who has just given a task away looks as if it had spare capacity, and takes nothing back for 57 ms. */
TEST(balance, smp_42_who_gave_a_task_away_counts_as_spare)
{
	struct lb_bed b;
	u64 t;

	lb_bed_of(&b, S2, .row = "5.10");
	hogs(&b, 0, 2);
	hogs(&b, 1, 1);
	let_settle(&b);
	attempts_until_moved(&b, 1, LB_BUSY);
	CHECK_EQ(tasks_on(&b, 1), 2);
	for (t = 0; t < 200 && !size_for(&b, 0, 0, LB_BUSY, NULL); t++)
		let_pass(&b, 1 * MS);
	CHECK_WITHIN(t, 55, 60);
	lb_bed_fini(&b);
}

TEST(balance, smp_43_three_against_one_move_at_once)
{
	struct lb_bed b;

	lb_bed_of(&b, S2, .row = "5.10");
	hogs(&b, 0, 3);
	hogs(&b, 1, 1);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 1, 0, LB_BUSY), 1);
	lb_bed_fini(&b);
}

/* One each: balanced.  The interval of a CPU with work is 63 ticks, after that 127. */
TEST(balance, smp_44_one_hog_each_is_balanced)
{
	size_t i;

	for_each_new_row(i) {
		struct lb_bed b;
		int cpu;

		lb_bed_of(&b, M4, .row = new_rows[i]);
		for (cpu = 0; cpu < 4; cpu++)
			hog_on(&b, cpu);
		let_settle(&b);
		level(&b, 2, 0)->balance_interval = 4;
		CHECK_EQ(level_interval(b.lab, level(&b, 2, 0), true), 63);
		CHECK_EQ(attempt(&b, 2, 0, LB_BUSY), 0);
		CHECK_EQ(level_interval(b.lab, level(&b, 2, 0), true), 127);
		CHECK_EQ(attempt(&b, 2, 0, LB_BUSY), 0);
		CHECK_EQ(level_interval(b.lab, level(&b, 2, 0), true), 127);
		CHECK_EQ(failed(&b, 2, 0), 0);
		lb_bed_fini(&b);
	}
}

/* The intervals of docs/rules/smp.md 1.6, all but the clamp. */
TEST(balance, intervals_of_a_busy_cpu)
{
	static const struct {
		int cpus;
		u32 hz;
		const char *row;
		u64 first, then;
	} rows[] = {
		{ 2, 1000, "5.10", 31, 63 }, { 4, 1000, "5.10", 63, 127 }, { 32, 1000, "5.10", 511, 1023 }, { 36, 1000, "5.10", 575, 1151 },
		{ 48, 1000, "5.10", 767, 1535 }, { 2, 1000, "5.4", 64, 128 }, { 4, 1000, "4.14", 128, 256 }, { 36, 1000, "5.4", 1152, 2304 },
		{ 2, 250, "5.10", 28 / 4, 60 / 4 }, { 4, 250, "6.12", 60 / 4, 124 / 4 }, { 36, 250, "5.10", 572 / 4, 1148 / 4 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lb_bed b;
		struct sched_domain *sd;

		lb_bed_of(&b, .cpus = rows[i].cpus, .hz = rows[i].hz, .row = rows[i].row);
		sd = level(&b, 0, 0);
		CHECK_EQ(level_interval(b.lab, sd, true), rows[i].first);
		sd->balance_interval *= 2;
		CHECK_EQ(level_interval(b.lab, sd, true), rows[i].then);
		lb_bed_fini(&b);
	}
}

/* No interval is longer than a tenth of a second for each CPU. */
TEST(balance, smp_58_intervals_have_a_longest)
{
	struct lb_bed b;

	lb_bed_of(&b, S2, .row = "5.10");
	level(&b, 0, 0)->balance_interval = 512;
	CHECK_EQ(level_interval(b.lab, level(&b, 0, 0), true), 200);
	CHECK_EQ(level_interval(b.lab, level(&b, 0, 0), false), 200);
	level(&b, 0, 0)->balance_interval = 0;
	CHECK_EQ(level_interval(b.lab, level(&b, 0, 0), true), 1);
	lb_bed_fini(&b);
}

/* Eight hogs on CPU 0: half of the difference goes to each that asks. */
TEST(balance, smp_45_idle_cpus_halve_the_difference)
{
	struct lb_bed b;

	lb_bed_of(&b, M4, .row = "5.10");
	hogs(&b, 0, 8);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 4);
	CHECK_EQ(attempt(&b, 2, 0, LB_IDLE), 2);
	CHECK_EQ(spread4(&b), 2420);
	CHECK_EQ(attempt(&b, 3, 0, LB_IDLE), 2);
	CHECK_EQ(spread4(&b), 2222);
	lb_bed_fini(&b);
	lb_bed_of(&b, M4, .row = "6.1"); /* newly idle, where the kernel was built to be preemptible: one at a time */
	hogs(&b, 0, 8);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 1, 0, LB_NEWIDLE), 1);
	lb_bed_fini(&b);
}

/* A group of hogs is light on each CPU: what its load says, not how many they are, decides where sizes are loads. */
TEST(balance, smp_57_a_groups_hog_is_light)
{
	struct lb_bed b;
	struct task_group *tg;
	int cpu;

	lb_bed_of(&b, .cpus = 36, .row = "5.10");
	tg = lab_group_create(b.lab, lab_root(b.lab));
	for (cpu = 0; cpu < 36; cpu++)
		hog_in(&b, tg, cpu, false, false);
	hog_on(&b, 0);
	let_settle(&b);
	CHECK_WITHIN(size_for(&b, 1, 0, LB_BUSY, NULL), 26, 29);
	CHECK_EQ(attempts_until_moved(&b, 1, LB_BUSY), 1);
	CHECK_EQ(tasks_on(&b, 0), 1);
	CHECK_EQ(cpu_rq(b.lab, 0)->curr->tg, lab_root(b.lab));
	lb_bed_fini(&b);
}

/* ---- who is asked ---- */

/* One hog in one LLC is balanced; two there and none in the other are not: nobody waits, so the stopper has to go. */
TEST(balance, smp_47_hogs_spread_over_caches)
{
	struct lb_bed b;
	u32 i;

	lb_bed_of(&b, P8, .row = "5.10");
	hogs(&b, 0, 1);
	let_settle(&b);
	CHECK_EQ(size_for(&b, 4, 1, LB_IDLE, NULL), 0);
	lb_bed_fini(&b);
	lb_bed_of(&b, P8, .row = "5.10");
	hogs(&b, 0, 1);
	hogs(&b, 1, 1);
	let_settle(&b);
	CHECK_EQ(size_for(&b, 4, 1, LB_IDLE, NULL), 1);
	for (i = 1; i <= 3; i++) {
		CHECK_EQ(attempt(&b, 4, 1, LB_IDLE), 0);
		CHECK_EQ(failed(&b, 4, 1), i);
		CHECK_EQ(stops(&b), 0);
	}
	attempt(&b, 4, 1, LB_IDLE);
	CHECK_EQ(stops(&b), 1);
	CHECK_EQ(tasks_on(&b, 0), 0); /* equal counts: the first by number */
	CHECK_EQ(tasks_on(&b, 4), 1);
	lb_bed_fini(&b);
}

/* Two nodes of 48 CPUs may differ by a few tasks; imb_numa_nr is 6 where 48 CPUs share a cache. */
TEST(balance, smp_48_nodes_may_be_uneven)
{
	static const struct {
		const char *row;
		int running;
		s64 size;
	} rows[] = {
		{ "6.12", 2, 0 }, { "6.12", 3, 1 }, { "6.12", 4, 2 }, { "5.10", 2, 0 }, { "5.10", 3, 1 }, { "5.10", 4, 2 },
	};
	struct lb_bed b;
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		int cpu;

		lb_bed_of(&b, .cpus = 96, .node = 48, .llc = 48, .row = rows[i].row);
		CHECK_EQ(level(&b, 0, 1)->imb_numa_nr, 6);
		for (cpu = 0; cpu < rows[i].running; cpu++)
			hog_on(&b, cpu);
		let_settle(&b);
		CHECK_ROW(size_for(&b, 48, 1, LB_IDLE, NULL), rows[i].size, rows[i].row);
		lb_bed_fini(&b);
	}
	lb_bed_of(&b, .cpus = 96, .node = 48, .llc = 48, .row = "6.12"); /* nobody waits: the fifth attempt sends the stopper */
	for (k = 0; k < 4; k++)
		hog_on(&b, (int)k);
	let_settle(&b);
	for (k = 0; k < 4; k++)
		attempt(&b, 48, 1, LB_IDLE);
	CHECK_EQ(stops(&b), 0);
	attempt(&b, 48, 1, LB_IDLE);
	CHECK_EQ(stops(&b), 1);
	lb_bed_fini(&b);
}

/* More tasks than CPUs in another cache: the size is what the idle node could do, and one queue gives what it can spare. */
TEST(balance, smp_49_an_overloaded_node_gives_utilisation)
{
	enum migration by = MIGRATE_TASK;
	struct lb_bed b;
	int cpu;

	lb_bed_of(&b, .cpus = 8, .node = 4, .llc = 4, .row = "5.10");
	for (cpu = 0; cpu < 4; cpu++)
		hogs(&b, cpu, 2);
	let_settle(&b);
	CHECK_EQ(size_for(&b, 4, 1, LB_IDLE, &by), 4096);
	CHECK_EQ(by, MIGRATE_UTIL);
	CHECK_EQ(attempt(&b, 4, 1, LB_IDLE), 1);
	CHECK(designated(&b, 5, 1)); /* which moved another one */
	CHECK_EQ(tasks_on(&b, 4), 1);
	CHECK_EQ(tasks_on(&b, 5), 1);
	lb_bed_fini(&b);
}

/* One CPU balances for its group; the others take it for balanced, and their failures are forgotten. */
TEST(balance, smp_51_the_first_idle_cpu_balances_for_its_group)
{
	struct lb_bed b;
	int cpu;

	lb_bed_of(&b, P8, .row = "5.10");
	hogs(&b, 0, 1);
	hogs(&b, 1, 1);
	let_settle(&b);
	for (cpu = 4; cpu < 8; cpu++) {
		level(&b, cpu, 1)->nr_balance_failed = 1;
		CHECK_EQ(designated(&b, cpu, 1), cpu == 4);
		CHECK_EQ(failed(&b, cpu, 1), cpu == 4 ? 2 : 0);
	}
	CHECK(!designated(&b, 0, 1)); /* CPU 2 is idle there */
	lb_bed_fini(&b);
}

/* From 6.6 one whose whole core is idle comes first. */
TEST(balance, smp_52_an_idle_core_comes_first_from_6_6)
{
	static const struct {
		const char *row;
		int cpu;
	} rows[] = { { "5.10", 1 }, { "6.1", 1 }, { "6.6", 2 }, { "6.12", 2 } };
	size_t i;
	int cpu;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lb_bed b;

		lb_bed_of(&b, P8, .threads = 2, .row = rows[i].row);
		hogs(&b, 0, 1);
		let_settle(&b);
		for (cpu = 0; cpu < 4; cpu++)
			CHECK_ROW(designated(&b, cpu, 2), cpu == rows[i].cpu, rows[i].row);
		lb_bed_fini(&b);
	}
}

/* ---- pinned tasks ---- */

/* Nobody there may come: the CPU is left out of consideration, and the interval grows up to 512 ms and beyond the longest. */
TEST(balance, smp_50_all_pinned)
{
	struct lb_bed b;
	struct sched_domain *sd;
	u32 i;

	lb_bed_of(&b, M4, .row = "5.10");
	hog_in(&b, NULL, 0, true, false);
	hog_in(&b, NULL, 0, true, false);
	hogs(&b, 2, 1); /* somebody has to be free, or nobody balances */
	let_settle(&b);
	sd = level(&b, 1, 0);
	sd->balance_interval = 4;
	for (i = 0; i < 12; i++) {
		CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 0);
		CHECK_EQ(sd->nr_balance_failed, 0);
	}
	CHECK_EQ(sd->balance_interval, 512);
	CHECK_EQ(stops(&b), 0);
	lb_bed_fini(&b);
}

/* ... and the decision is made again without it: the ring of CPU 3 is 3, 0, 1, 2. */
TEST(balance, smp_50_the_next_busiest_is_tried)
{
	struct lb_bed b;

	lb_bed_of(&b, M4, .row = "5.10");
	hog_in(&b, NULL, 0, true, false);
	hog_in(&b, NULL, 0, true, false);
	hogs(&b, 2, 2);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 3, 0, LB_IDLE), 1);
	CHECK_EQ(spread4(&b), 2011);
	lb_bed_fini(&b);
}

/* The task may not come here, but to a neighbour: that one gets it. */
TEST(balance, a_pinned_task_goes_to_a_neighbour)
{
	struct task_struct *p;
	struct lb_bed b;

	lb_bed_of(&b, P8, .row = "5.10");
	hogs(&b, 0, 2);
	p = hog_on(&b, 0);
	let_settle(&b);
	p = list_entry(cpu_rq(b.lab, 0)->smp.cfs_tasks.prev, struct task_struct, group_node); /* the first to be looked at */
	bind_to(&b, p, 0x21);
	CHECK_EQ(attempt(&b, 4, 1, LB_IDLE), 1);
	CHECK_EQ(tasks_on(&b, 4) + tasks_on(&b, 5), 1);
	lb_bed_fini(&b);
}

/* Affinity kept a level from evening out: the one above is told, and moves one task of the group whatever else it finds. */
TEST(balance, the_level_above_is_told_of_pinned_tasks)
{
	struct lb_bed b;
	struct task_struct *p;
	int i;

	lb_bed_of(&b, P8, .row = "5.10");
	for (i = 0; i < 3; i++) {
		p = hog_in(&b, NULL, 0, true, false);
		bind_to(&b, p, 0xf1); /* CPU 0, or the other cache */
	}
	hogs(&b, 1, 1);
	hogs(&b, 5, 1);
	hogs(&b, 4, 1);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 2, 0, LB_IDLE), 0);
	CHECK(level(&b, 2, 1)->groups[0]->imbalance);
	CHECK_EQ(size_for(&b, 6, 1, LB_IDLE, NULL), 1);
	CHECK_EQ(attempt(&b, 6, 1, LB_IDLE), 1);
	lb_bed_fini(&b);
}

/* ---- limits ---- */

static struct task_group *throttled_on(struct lb_bed *b, int cpu, int nr)
{
	struct task_group *tg = limited(&b->d, NULL, 1 * MS, 900 * MS);

	while (nr--)
		hog_in(b, tg, cpu, false, false);
	return tg;
}

/*
 * smp-54: to 6.17 tasks of a throttled group stay on the CPU's list, are refused, and use up the looks of an attempt: as many as tasks may run.
 * So an attempt that meets only those takes the CPU for one where all are pinned, and the two that could go wait for their turn at
 * the end of the list.
 */
TEST(balance, smp_54_throttled_tasks_use_up_the_looks)
{
	struct lb_bed b;
	u32 i;

	lb_bed_of(&b, M4, .row = "5.10");
	throttled_on(&b, 0, 20);
	let_pass(&b, 100 * MS);
	hogs(&b, 0, 2);
	let_pass(&b, 600 * MS); /* within the period */
	for (i = 0; i < b.nr; i++)
		set_free(&b, b.task[i]);
	let_pass(&b, 600 * US);
	CHECK_EQ(tasks_on(&b, 0), 2);
	level(&b, 1, 0)->balance_interval = 4;
	for (i = 1; i <= 20 && !attempt(&b, 1, 0, LB_IDLE); i++)
		CHECK_EQ(failed(&b, 1, 0), 0);
	CHECK_WITHIN(i, 9, 12);
	CHECK_EQ(level(&b, 1, 0)->balance_interval, 4); /* the least again, as one came */
	lb_bed_fini(&b);
}

/* Tasks of a group that is throttled on the destination are refused there, before anybody asks whether they may come: all pinned. */
TEST(balance, smp_56_a_throttled_destination_refuses)
{
	struct lb_bed b;
	struct task_group *tg;
	u32 i;

	lb_bed_of(&b, S2, .row = "5.10");
	tg = throttled_on(&b, 1, 1);
	let_pass(&b, 60 * MS);
	CHECK(queue(&b.d, tg, 1).throttled);
	CHECK_EQ(tasks_on(&b, 1), 0);
	CHECK_EQ(lab_write(b.lab, 0, tg, KNOB_MAX, 800 * MS, 900 * MS, NULL), 0); /* and there is quota for CPU 0, which CPU 1 has to wait for */
	CHECK(queue(&b.d, tg, 1).throttled || tasks_on(&b, 1));
	if (!queue(&b.d, tg, 1).throttled) { /* the write released it: throttle it again */
		lb_bed_fini(&b);
		return;
	}
	for (i = 0; i < 2; i++)
		hog_in(&b, tg, 0, false, false);
	for (i = 0; i < b.nr; i++)
		set_free(&b, b.task[i]);
	let_pass(&b, 10 * MS);
	CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 0);
	CHECK_EQ(failed(&b, 1, 0), 0);
	lb_bed_fini(&b);
}

TEST_MAIN("balancing: one attempt at one level")
