/* SPDX-License-Identifier: MIT */
/*
 * The CPUs that a task may use: examples smp-31 to smp-35 of docs/rules/smp.md, section 3.
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

static int set_affinity(struct bed *b, int caller, struct task_struct *p, u64 cpus)
{
	return lab_affinity(b->lab, caller, p, &cpus);
}

/* smp-31: it may stay, so nothing moves, although a better CPU is now allowed. */
TEST(affinity, smp_31_who_may_stay_stays)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	hog_on(&b, 0);
	allow(&b, p, 1);
	CHECK_EQ(set_affinity(&b, 0, p, 3), 0);
	CHECK(!b.d.resched[0]);
	CHECK_EQ(lab_task_cpu(p), 0);
	CHECK_EQ(p->nr_cpus_allowed, 2);
	bed_fini(&b);
}

/* smp-32: it runs and may not: the stopper takes it to the CPU, however busy that is. */
TEST(affinity, smp_32_who_runs_is_taken_along)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	hog_on(&b, 1);
	CHECK_EQ(set_affinity(&b, 2, p, 2), 0);
	CHECK(lab_task_is_stopper(lab_schedule(b.lab, 0)));
	CHECK_EQ(lab_task_cpu(p), 0); /* it is still there when the stopper has come */
	lab_stopper(b.lab, 0);
	pass(&b.d, 0);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(p), 1);
	CHECK_EQ(p->migrations, 1);
	CHECK_EQ(rq_of(&b, 0)->nr_running, 0);
	CHECK_EQ(rq_of(&b, 1)->nr_running, 2);
	bed_fini(&b);
}

/* smp-33: it waits and may not: moved at once, no stopper; the choice goes around from 5.7 on, before it is the lowest. */
TEST(affinity, smp_33_who_waits_is_moved_at_once)
{
	static const struct { const char *row; int first, second, third; } rows[] = {
		{ "4.14", 2, 2, 2 }, { "5.4", 2, 2, 2 }, { "5.10", 2, 3, 2 }, { "6.1", 2, 3, 2 }, { "7.2", 2, 3, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p[3];
		struct bed b;
		int k;

		bed_of(&b, M4, .row = rows[i].row);
		hog_on(&b, 0);
		for (k = 0; k < 3; k++)
			p[k] = hog_on(&b, 0);
		for (k = 0; k < 3; k++) {
			CHECK_EQ(set_affinity(&b, 1, p[k], 0xc), 0);
			CHECK_ROW(p[k]->se.on_rq, true, rows[i].row);
		}
		CHECK_ROW(lab_task_cpu(p[0]), rows[i].first, rows[i].row);
		CHECK_ROW(lab_task_cpu(p[1]), rows[i].second, rows[i].row);
		CHECK_ROW(lab_task_cpu(p[2]), rows[i].third, rows[i].row);
		CHECK_ROW(b.d.resched[0], false, rows[i].row);
		bed_fini(&b);
	}
}

/* 3: each calling CPU has its own memory of the last choice. */
TEST(affinity, each_caller_goes_around_by_itself)
{
	struct task_struct *p, *q;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	hog_on(&b, 0);
	p = hog_on(&b, 0);
	q = hog_on(&b, 0);
	set_affinity(&b, 1, p, 0xc);
	set_affinity(&b, 2, q, 0xc);
	CHECK_EQ(lab_task_cpu(p), 2);
	CHECK_EQ(lab_task_cpu(q), 2);
	bed_fini(&b);
}

/* smp-34: a sleeper keeps its place until it wakes, and then goes where it may. */
TEST(affinity, smp_34_a_sleeper_moves_when_it_wakes)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = sleeper_on(&b, 0);
	CHECK_EQ(set_affinity(&b, 1, p, 4), 0);
	CHECK_EQ(lab_task_cpu(p), 0);
	CHECK_EQ(interrupt_wakes(&b, 0, p), 2);
	CHECK_EQ(p->migrations, 1);
	bed_fini(&b);
}

/* smp-35: a cpuset that shrinks does the same to each of its members. */
TEST(affinity, smp_35_a_cpuset_shrinks)
{
	struct task_struct *running, *waiting, *asleep, *there;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	asleep = sleeper_on(&b, 3);
	running = hog_on(&b, 0);
	waiting = hog_on(&b, 0);
	there = hog_on(&b, 1);
	set_affinity(&b, 2, running, 2);
	set_affinity(&b, 2, waiting, 2);
	set_affinity(&b, 2, asleep, 2);
	set_affinity(&b, 2, there, 2);
	CHECK_EQ(lab_task_cpu(waiting), 1);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(running), 1);
	CHECK_EQ(lab_task_cpu(there), 1);
	CHECK_EQ(there->migrations, 0);
	CHECK_EQ(lab_task_cpu(asleep), 3);
	CHECK_EQ(interrupt_wakes(&b, 3, asleep), 1);
	bed_fini(&b);
}

/* 3: a set with no CPU that is online is refused, and nothing changes; the same set again is no change. */
TEST(affinity, no_cpu_is_refused)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	CHECK_EQ(lab_hotplug(b.lab, 3, false), 0);
	CHECK_EQ(set_affinity(&b, 0, p, 0), -22);
	CHECK_EQ(set_affinity(&b, 0, p, 8), -22);
	CHECK_EQ(p->nr_cpus_allowed, 4);
	CHECK_EQ(set_affinity(&b, 0, p, 0xc), 0);
	CHECK_EQ(set_affinity(&b, 0, p, 0xc), 0);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(p), 2);
	bed_fini(&b);
}

/* A running task that is sent away and allowed back before it could leave stays. */
TEST(affinity, allowed_back_in_time)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	set_affinity(&b, 1, p, 2);
	set_affinity(&b, 1, p, 3);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(p), 0);
	CHECK_EQ(p->migrations, 0);
	bed_fini(&b);
}

/* One that goes to sleep before it could leave is placed when it wakes, as any sleeper. */
TEST(affinity, asleep_before_it_left)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = hog_on(&b, 0);
	set_affinity(&b, 1, p, 0xc);
	lab_block(b.lab, 0);
	pass(&b.d, 0);
	CHECK_EQ(lab_task_cpu(p), 0);
	interrupt_wakes(&b, 0, p);
	CHECK(lab_task_cpu(p) >= 2);
	bed_fini(&b);
}

/* A delayed sleeper (6.12) is taken along as it is, asleep. */
TEST(affinity, a_delayed_sleeper_is_moved_as_one)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "6.12");
	p = sleeper_on(&b, 0);
	begin(&b, p);
	hog_on(&b, 0);
	at(&b.d, 5 * MS);
	block(&b.d, 0);
	CHECK_EQ(p->se.sched_delayed, true);
	set_affinity(&b, 1, p, 4);
	CHECK_EQ(lab_task_cpu(p), 2);
	CHECK_EQ(rq_of(&b, 0)->nr_delayed, 0);
	CHECK_EQ(rq_of(&b, 2)->nr_delayed, p->se.sched_delayed);
	bed_fini(&b);
}

TEST_MAIN("smp: the CPUs that a task may use")
