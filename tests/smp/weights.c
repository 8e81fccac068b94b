/* SPDX-License-Identifier: MIT */
/*
 * Waker's CPU or prev, by their loads: example smp-24 of docs/rules/smp.md, and section 2.3.
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

static int weighed(u64 load, unsigned flags)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M4, .row = "6.1");
	p = sleeper_on(&b, 1);
	hogs_up_to(&b, 4);
	weighs(&b, p, load);
	balancer_looks(&b);
	if (flags & WAKE_SYNC)
		hog_on(&b, 0); /* two there, so the waker is not alone */
	cpu = wakes_with(&b, 0, p, flags);
	bed_fini(&b);
	return cpu;
}

/* smp-24: with equal loads a wakee below 82 comes to the waker: (1024 + 81) * 100 < 1024 * 108. */
TEST(placement, smp_24_up_to_81_it_comes)
{
	CHECK_EQ(weighed(0, 0), 0);
	CHECK_EQ(weighed(81, 0), 0);
	CHECK_EQ(weighed(82, 0), 1);
	CHECK_EQ(weighed(1024, 0), 1);
}

/* Loads of the waker's CPU and of prev that are just as far apart as the bias, 1080 * 100 = 1000 * 108; the waker's own. */
static int at_a_tie(u64 here, u64 own, u64 wakee, unsigned flags)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M4, .row = "6.1");
	p = sleeper_on(&b, 1);
	hogs_up_to(&b, 4);
	hog_on(&b, 0);
	settle(&b, 0, here, 1024);
	settle(&b, 1, 1000, 1024);
	weighs(&b, p, wakee);
	rq_of(&b, 0)->curr->se.avg.load_avg = own;
	cpu = wakes_with(&b, 0, p, flags);
	bed_fini(&b);
	return cpu;
}

/* 2.3: a tie is prev's; with the hint of a waker that sleeps it is the waker's.  A waker heavier than its CPU wins at once. */
TEST(placement, ties_and_heavy_wakers)
{
	CHECK_EQ(at_a_tie(1080, 0, 0, 0), 1);
	CHECK_EQ(at_a_tie(1079, 0, 0, 0), 0);
	CHECK_EQ(at_a_tie(1080, 0, 0, WAKE_SYNC), 0);
	CHECK_EQ(at_a_tie(1081, 0, 0, WAKE_SYNC), 1);
	CHECK_EQ(at_a_tie(500, 501, 2000, WAKE_SYNC), 0);
	CHECK_EQ(at_a_tie(500, 500, 2000, WAKE_SYNC), 1);
}

/* 2.3: what a task weighs on its CPU goes through its groups: 1024 of 2048 of a group that is 512 of 1024. */
TEST(placement, hierarchical_load)
{
	struct task_group *tg;
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "6.1");
	tg = limited(&b.d, NULL, RUNTIME_INF, 100 * MS);
	p = sleeper_of(&b, tg, 1, SCHED_NORMAL, false);
	p->se.avg.load_avg = 1024;
	p->se.cfs_rq->avg.load_avg = 2048;
	p->se.parent->avg.load_avg = 512;
	rq_of(&b, 1)->cfs.avg.load_avg = 1024;
	CHECK_EQ(task_h_load(b.lab, p), 1024 * (1024 * 512 / 1025) / 2049);
	bed_fini(&b);
}

/* 2.3: a waker about to sleep is taken out of its CPU's load: two hogs there count as one. */
TEST(placement, sync_takes_the_waker_out)
{
	CHECK_EQ(weighed(81, WAKE_SYNC), 0);
	CHECK_EQ(weighed(82, WAKE_SYNC), 1);
}

TEST_MAIN("smp: the waker's CPU or prev, by loads")
