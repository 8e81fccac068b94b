/* SPDX-License-Identifier: MIT */
/* load.c - docs/rules/fair.md 6 and 10.5: averages that halve in 32 ms, in the kernel's integers (fair-71 to fair-74). */
#include "tests/test.h"

#include "tests/fair/bench.h"

#define PERIOD_NS ((u64)1048576)
#define EPOCH (PERIOD_NS * 1000000) /* so that the driver's time begins with a period */

/* Bring the averages of @p and its queue up to now. */
static void look(struct bench *b, struct task_struct *p)
{
	update_rq_clock(cpu_rq(b->lab, lab_task_cpu(p)));
	update_load_avg(b->lab, p->se.cfs_rq, &p->se, UPDATE_TG);
}

static struct task_struct *forked(struct bench *b, struct task_struct *parent, struct task_group *tg, int nice)
{
	struct task_spec spec = { .tg = tg, .nice = nice, .cpus = &(u64){ 1 } };

	return lab_fork(b->lab, 0, parent, &spec);
}

/* Half of what the CPU has left: 512 on an idle one. */
TEST(fair, fair_71_a_new_task_is_taken_for_half_a_cpu)
{
	struct task_struct *parent, *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	parent = thread(&b, 1, 0);
	start(&b.d, parent);
	p = forked(&b, parent, NULL, 0);
	CHECK_EQ(p->se.avg.load_avg, 1024);
	CHECK_EQ(p->se.avg.util_avg, 0);
	lab_wake_new(b.lab, 0, p);
	CHECK_EQ(p->se.avg.util_avg, 512);
	CHECK_EQ(p->se.avg.runnable_avg, 512);
	CHECK_EQ(p->se.avg.load_avg, 1024);
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 512);
	CHECK_EQ(root_queue(&b, 0)->avg.load_avg, 1024);
	obey_kicks(&b.d);
	bench_fini(&b);
}

/* The second: half of what the first has left. */
TEST(fair, fair_72_the_second_new_task)
{
	struct task_struct *parent, *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	parent = thread(&b, 1, 0);
	start(&b.d, parent);
	start(&b.d, forked(&b, parent, NULL, 0));
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 512);
	p = forked(&b, parent, NULL, 0);
	start(&b.d, p);
	CHECK_EQ(p->se.avg.util_avg, 256);
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 768);
	bench_fini(&b);
}

/* A thread runs from zero, and is looked at after @ns for the first time. */
static struct sched_avg ran_for(u64 ns)
{
	struct task_struct *p;
	struct sched_avg avg;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	p = thread(&b, 0, 0);
	start(&b.d, p);
	at(&b.d, ns);
	look(&b, p);
	avg = p->se.avg;
	CHECK_EQ(root_queue(&b, 0)->avg.util_sum, avg.util_sum);
	CHECK_EQ(root_queue(&b, 0)->avg.load_sum, avg.load_sum * 1024);
	bench_fini(&b);
	return avg;
}

/* 32 periods of running are half of an endless run. */
TEST(fair, fair_73_half_in_32_periods)
{
	struct sched_avg avg = ran_for(32 * PERIOD_NS);

	CHECK_EQ(avg.util_avg, 512);
	CHECK_EQ(avg.util_sum, 23919616);
	CHECK_EQ(avg.period_contrib, 0);
}

/* And after as many asleep half of 1024 is left, less what truncation takes. */
TEST(fair, fair_74_half_is_forgotten_in_32_periods)
{
	static const struct { u64 periods, util; } rows[] = { { 32, 511 }, { 64, 255 }, { 2017, 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bench b;

		bench_of(&b, .cpus = 2, .epoch = EPOCH);
		p = thread(&b, 0, 0);
		start(&b.d, p);
		block(&b.d, 0);
		p->se.avg.util_avg = 1024;
		p->se.avg.util_sum = 1024 * (47742 - 1024);
		at(&b.d, rows[i].periods * PERIOD_NS);
		look(&b, p);
		CHECK_EQ(p->se.avg.util_avg, rows[i].util);
		bench_fini(&b);
	}
}

/* An always-running thread from zero, n whole periods at once. */
TEST(fair, util_of_a_continuous_run)
{
	static const struct { u64 periods, util; } rows[] = {
		{ 1, 21 }, { 8, 162 }, { 16, 299 }, { 32, 512 }, { 64, 768 }, { 100, 906 }, { 345, 1023 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sched_avg avg = ran_for(rows[i].periods * PERIOD_NS);

		CHECK_EQ(avg.util_avg, rows[i].util);
		CHECK_EQ(avg.load_avg, rows[i].util); /* of nice 0, weight 1024: the same numbers */
		CHECK_EQ(avg.runnable_avg, rows[i].util);
	}
}

/* 100 ms of running, looked at by ticks of 1 and of 4 ms. */
TEST(fair, util_does_not_hang_on_the_tick)
{
	static const u32 hz[] = { 1000, 250 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hz); i++) {
		struct task_struct *p;
		struct bench b;

		bench_of(&b, .cpus = 2, .hz = hz[i], .epoch = EPOCH);
		p = thread(&b, 0, 0);
		start(&b.d, p);
		ticks_until(&b, 0, 100 * MS);
		CHECK_EQ(p->se.avg.util_avg, 894);
		bench_fini(&b);
	}
}

/* Less than a unit of 1024 ns waits for its time; within a period sums grow, averages do not change. */
TEST(fair, averages_change_once_a_period)
{
	CHECK_EQ(ran_for(1023).util_sum, 0);
	CHECK_EQ(ran_for(1024).util_sum, 1024);
	CHECK_EQ(ran_for(PERIOD_NS - 1).util_avg, 0);
	CHECK_EQ(ran_for(PERIOD_NS - 1).util_sum, 1023 * 1024);
	CHECK_EQ(ran_for(PERIOD_NS).util_avg, 21);
}

/* A waiting thread is load, and runnable, but does not use the CPU. */
TEST(fair, waiting_is_load_but_no_use)
{
	struct task_struct *p, *q;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	p = thread(&b, 0, 0);
	q = thread(&b, 0, 5);
	start(&b.d, p);
	start(&b.d, q);
	at(&b.d, 64 * PERIOD_NS);
	look(&b, q);
	CHECK_EQ(q->se.avg.util_avg, 0);
	CHECK_EQ(q->se.avg.runnable_avg, 768);
	CHECK_EQ(q->se.avg.load_avg, 251); /* 335 * 0.75 */
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 768);
	CHECK_EQ(root_queue(&b, 0)->avg.runnable_avg, 2 * 768);
	CHECK_EQ(root_queue(&b, 0)->avg.load_avg, 1019); /* 1359 * 0.75 */
	bench_fini(&b);
}

/* A sleeper stays part of its queue's averages, and fades in them. */
TEST(fair, a_sleeper_stays_attached)
{
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	p = thread(&b, 0, 0);
	start(&b.d, p);
	at(&b.d, 64 * PERIOD_NS);
	block(&b.d, 0);
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 768);
	at(&b.d, 96 * PERIOD_NS);
	look(&b, p);
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 384);
	CHECK_EQ(p->se.avg.util_avg, 384);
	bench_fini(&b);
}

/* A change of nice makes the same history weigh more or less. */
TEST(fair, nice_rescales_the_load)
{
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	p = thread(&b, 0, 0);
	start(&b.d, p);
	at(&b.d, 32 * PERIOD_NS);
	lab_set_nice(b.lab, 0, p, SCHED_NORMAL, 5);
	CHECK_EQ(p->se.avg.load_avg, 167); /* 335 / 2 */
	CHECK_EQ(p->se.avg.util_avg, 512);
	CHECK_EQ(root_queue(&b, 0)->avg.load_avg, 167);
	bench_fini(&b);
}

/* Whoever wakes on another CPU leaves its averages in a bin; they are gone at the old queue's next update. */
TEST(fair, a_wakee_that_moves_leaves_by_the_bin)
{
	struct task_struct *stays, *p;
	struct cfs_rq *old, *new;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	stays = thread(&b, 0, 0);
	p = thread(&b, 0, 0);
	old = root_queue(&b, 0);
	new = root_queue(&b, 1);
	start(&b.d, p);
	at(&b.d, 64 * PERIOD_NS);
	block(&b.d, 0);
	start(&b.d, stays);
	lab_affinity(b.lab, 0, p, &(u64){ 2 });
	wake(&b.d, p);
	CHECK_EQ(lab_task_cpu(p), 1);
	CHECK_EQ(old->avg.util_avg, 768);
	CHECK_EQ(old->removed.util_avg, 768);
	CHECK_EQ(new->avg.util_avg, 768);
	CHECK_EQ(new->avg.load_avg, 768);
	look(&b, stays);
	CHECK_EQ(old->avg.util_avg, 0);
	CHECK_EQ(old->avg.load_avg, 0);
	CHECK_EQ(old->removed.nr, 0);
	bench_fini(&b);
}

/* A runnable thread that moves takes its averages along at once. */
TEST(fair, a_move_takes_the_averages_along)
{
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	start(&b.d, thread(&b, 0, 0));
	p = thread(&b, 0, 0);
	start(&b.d, p);
	at(&b.d, 64 * PERIOD_NS);
	lab_affinity(b.lab, 0, p, &(u64){ 2 });
	CHECK_EQ(root_queue(&b, 0)->avg.load_avg, 768);
	CHECK_EQ(root_queue(&b, 1)->avg.load_avg, 768);
	CHECK_EQ(root_queue(&b, 1)->avg.util_avg, 0);
	obey_kicks(&b.d);
	bench_fini(&b);
}

/* What an exiting thread was is gone from its queue at the next update. */
TEST(fair, an_exit_leaves_no_load)
{
	struct task_struct *p, *q;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	p = thread(&b, 0, 0);
	q = thread(&b, 0, 0);
	start(&b.d, p);
	at(&b.d, 64 * PERIOD_NS);
	lab_exit(b.lab, 0);
	pass(&b.d, 0);
	start(&b.d, q);
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 0);
	CHECK_EQ(root_queue(&b, 0)->avg.load_avg, 0);
	bench_fini(&b);
}

/* A group's entity runs when one of its tasks does: util follows up the levels to the root. */
TEST_IF(FAIRGROUND_GROUPS, fair, groups_pass_their_averages_up)
{
	struct task_group *tg, *sub;
	struct task_struct *parent, *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	sub = lab_group_create(b.lab, tg);
	parent = thread(&b, 1, 0);
	start(&b.d, parent);
	p = forked(&b, parent, sub, 0);
	start(&b.d, p);
	CHECK_EQ(group_queue(&b, sub, 0)->avg.util_avg, 512);
	CHECK_EQ(group_entity(&b, sub, 0)->avg.util_avg, 512);
	CHECK_EQ(group_queue(&b, tg, 0)->avg.util_avg, 512);
	CHECK_EQ(root_queue(&b, 0)->avg.util_avg, 512);
	ticks_until(&b, 0, 400 * MS);
	CHECK_WITHIN(root_queue(&b, 0)->avg.util_avg, 1022, 1024);
	CHECK_WITHIN(root_queue(&b, 0)->avg.load_avg, 1022, 1024);
	CHECK_WITHIN(tg->load_avg, 1007, 1024); /* as of the last write */
	bench_fini(&b);
}

/* A task that moves to another group of its CPU moves its averages there; the root's util stays. */
TEST_IF(FAIRGROUND_GROUPS, fair, a_change_of_group_moves_the_averages)
{
	struct task_group *a, *c;
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	a = lab_group_create(b.lab, lab_root(b.lab));
	c = lab_group_create(b.lab, lab_root(b.lab));
	p = thread_of(&b, a, 0, SCHED_NORMAL, 0);
	start(&b.d, p);
	ticks_until(&b, 0, 68 * MS);
	block(&b.d, 0);
	CHECK_EQ(group_queue(&b, a, 0)->avg.util_avg, root_queue(&b, 0)->avg.util_avg);
	lab_move(b.lab, 0, p, c);
	CHECK_EQ(group_queue(&b, a, 0)->avg.util_avg, 0);
	CHECK_EQ(a->load_avg, 0);
	CHECK_EQ(group_queue(&b, c, 0)->avg.util_avg, p->se.avg.util_avg);
	CHECK_EQ(group_entity(&b, c, 0)->avg.util_avg, p->se.avg.util_avg);
	CHECK_WITHIN(root_queue(&b, 0)->avg.util_avg, p->se.avg.util_avg - 1, p->se.avg.util_avg + 1);
	bench_fini(&b);
}

/* In a throttled hierarchy the averages' clock stands still: they neither grow nor fade. */
TEST_IF(FAIRGROUND_BANDWIDTH, fair, throttling_stops_the_clock_of_averages)
{
	struct task_group *tg;
	struct task_struct *p;
	struct sched_avg avg;
	struct bench b;

	bench_of(&b, .cpus = 2, .epoch = EPOCH);
	tg = limited(&b.d, NULL, 20 * MS, 100 * MS);
	p = thread_of(&b, tg, 0, SCHED_NORMAL, 0);
	start(&b.d, p);
	ticks_until(&b, 0, 20 * MS);
	CHECK_EQ(queue(&b.d, tg, 0).throttled, true);
	avg = p->se.avg;
	CHECK_EQ(avg.util_avg, 346); /* 20 ms of running */
	at(&b.d, 90 * MS);
	look(&b, p);
	CHECK_EQ(p->se.avg.util_sum, avg.util_sum);
	CHECK_EQ(p->se.avg.last_update_time, avg.last_update_time);
	at(&b.d, 100 * MS);
	fire(&b.d, TIMER_PERIOD, tg);
	CHECK_EQ(queue(&b.d, tg, 0).throttled, false);
	ticks_until(&b, 0, 112 * MS);
	CHECK_EQ(p->se.avg.util_avg, 495); /* 32 ms of running, as if without a break */
	bench_fini(&b);
}

TEST_MAIN("fair: load averages")
