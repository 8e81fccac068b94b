/* SPDX-License-Identifier: MIT */
/* wakeups.c - docs/rules/fair.md 10.3: where a wakee or a new task is placed, and whom it preempts (fair-24 to fair-37). */
#include "tests/test.h"

#include "tests/fair/bench.h"
#include "tests/machine_of.h"

/* One runs at vruntime 100 ms, alone; the other wakes. */
struct meeting {
	const char *row, *rules[2];
	u64 wakeup_granularity; /* 0: 4 ms, as of 8 CPUs */
	enum sched_policy curr_policy, policy;
	int curr_nice, nice;
	u64 own;	 /* vruntime of the wakee when it fell asleep */
	u64 placed;	 /* wanted */
	bool preempts;	 /* wanted */
};

static void check_meeting(const struct meeting *meet)
{
	struct task_struct *curr, *wakee;
	struct bench b;

	bench_of(&b, .cpus = 8, .row = meet->row, .rules = { meet->rules[0], meet->rules[1] });
	if (meet->wakeup_granularity)
		b.lab->wakeup_granularity = meet->wakeup_granularity;
	curr = thread_of(&b, NULL, 0, meet->curr_policy, meet->curr_nice);
	wakee = thread_of(&b, NULL, 0, meet->policy, meet->nice);
	runs_alone(&b, curr, 100 * MS);
	CHECK_EQ(wakes(&b, wakee, meet->own), meet->preempts);
	CHECK_EQ(wakee->se.vruntime, meet->placed);
	CHECK_EQ(root_queue(&b, 0)->next == &wakee->se, meet->preempts && meet->curr_policy != SCHED_IDLE);
	obey_kicks(&b.d);
	CHECK_EQ(runs(&b.d, wakee), meet->preempts && wakee->se.vruntime < curr->se.vruntime);
	bench_fini(&b);
}
#define CHECK_MEETING(...) check_meeting(&(struct meeting){ __VA_ARGS__ })

/* A long sleep is worth half a latency, 12 ms; that is more than 4. */
TEST(fair, fair_24_a_long_sleeper_preempts)
{
	CHECK_MEETING(.own = 50 * MS, .placed = 88 * MS, .preempts = true);
}

/* The lead must be above the granularity. */
TEST(fair, fair_25_the_lead_is_strict)
{
	CHECK_MEETING(.own = 50 * MS, .wakeup_granularity = 15 * MS, .placed = 88 * MS, .preempts = false);
	CHECK_MEETING(.own = 50 * MS, .wakeup_granularity = 12000000, .placed = 88 * MS, .preempts = false);
	CHECK_MEETING(.own = 50 * MS, .wakeup_granularity = 11999999, .placed = 88 * MS, .preempts = true);
}

/* Who slept shortly keeps its place exactly. */
TEST(fair, fair_26_a_short_sleeper_keeps_its_place)
{
	CHECK_MEETING(.own = 97500 * US, .placed = 97500 * US, .preempts = false);
}

/* The granularity is 12,226,865 in the virtual time of nice 5. */
TEST(fair, fair_27_a_light_wakee_needs_more)
{
	CHECK_MEETING(.nice = 5, .own = 50 * MS, .placed = 88 * MS, .preempts = false);
}

/* And 1,312,399 in that of nice -5. */
TEST(fair, fair_28_a_heavy_wakee_needs_less)
{
	CHECK_MEETING(.nice = -5, .own = 98 * MS, .placed = 98 * MS, .preempts = true);
	CHECK_MEETING(.nice = -5, .own = 100 * MS - 1312399, .placed = 100 * MS - 1312399, .preempts = false);
	CHECK_MEETING(.nice = -5, .own = 100 * MS - 1312400, .placed = 100 * MS - 1312400, .preempts = true);
}

/* 7,787,072 and 9,683,215 are both below 12 ms. */
TEST(fair, fair_29_nice_3_and_4_still_preempt)
{
	CHECK_MEETING(.nice = 3, .own = 50 * MS, .placed = 88 * MS, .preempts = true);
	CHECK_MEETING(.nice = 3, .own = 100 * MS - 7787072, .placed = 100 * MS - 7787072, .preempts = false);
	CHECK_MEETING(.nice = 3, .own = 100 * MS - 7787073, .placed = 100 * MS - 7787073, .preempts = true);
	CHECK_MEETING(.nice = 4, .own = 50 * MS, .placed = 88 * MS, .preempts = true);
	CHECK_MEETING(.nice = 4, .own = 100 * MS - 9683215, .placed = 100 * MS - 9683215, .preempts = false);
}

/* A batch thread never preempts. */
TEST(fair, fair_30_batch_never_preempts)
{
	CHECK_MEETING(.policy = SCHED_BATCH, .own = 50 * MS, .placed = 88 * MS, .preempts = false);
	CHECK_MEETING(.policy = SCHED_BATCH, .nice = -20, .own = 50 * MS, .placed = 88 * MS, .preempts = false);
}

/*
 * An idle thread is asked to leave for any other policy, not for another idle one.  Whoever is further behind: but then the pick
 * takes it again, since nobody was nominated.
 */
TEST(fair, fair_31_idle_gives_way)
{
	CHECK_MEETING(.curr_policy = SCHED_IDLE, .nice = 19, .own = 200 * MS, .placed = 200 * MS, .preempts = true);
	CHECK_MEETING(.curr_policy = SCHED_IDLE, .nice = 19, .own = 99 * MS, .placed = 99 * MS, .preempts = true);
	CHECK_MEETING(.curr_policy = SCHED_IDLE, .policy = SCHED_BATCH, .own = 200 * MS, .placed = 200 * MS, .preempts = true);
	CHECK_MEETING(.curr_policy = SCHED_IDLE, .policy = SCHED_IDLE, .own = 50 * MS, .placed = 88 * MS, .preempts = false);
}

/* A request that is pending already is not made again, and nominates nobody. */
TEST(fair, a_pending_request_is_enough)
{
	struct task_struct *curr, *first, *second;
	struct bench b;

	bench_of(&b, .cpus = 8);
	curr = thread(&b, 0, 0);
	first = thread(&b, 0, 0);
	second = thread(&b, 0, 0);
	runs_alone(&b, curr, 100 * MS);
	CHECK_EQ(wakes(&b, first, 50 * MS), true);
	CHECK_EQ(wakes(&b, second, 0), true);
	CHECK_EQ(root_queue(&b, 0)->next == &first->se, true);
	bench_fini(&b);
}

/* A child of @nice, forked by a nice-0 parent that runs alone at 100 ms; in *parent_v what becomes of the parent. */
static u64 child_of(const char *rule, int nice, u64 *parent_v, bool *asked)
{
	struct task_struct *parent, *child;
	struct task_spec spec = { .nice = nice };
	struct bench b;
	u64 v;

	bench_of(&b, .cpus = 8, .rules = { rule });
	parent = thread(&b, 0, 0);
	runs_alone(&b, parent, 100 * MS);
	spec.cpus = &(u64){ 1 };
	child = lab_fork(b.lab, 0, parent, &spec);
	*asked = lab_need_resched(b.lab, 0);
	lab_wake_new(b.lab, 0, child);
	*asked |= lab_need_resched(b.lab, 0);
	v = child->se.vruntime;
	*parent_v = parent->se.vruntime;
	bench_fini(&b);
	return v;
}

/* A new thread starts one slice of its own to the right: 11,999,994, or 5,916,114 * 1024 / 335. */
TEST(fair, fair_32_a_child_starts_in_debt)
{
	u64 parent;
	bool asked;

	CHECK_EQ(child_of(NULL, 0, &parent, &asked), 111999994);
	CHECK_EQ(asked, false);
	CHECK_EQ(child_of(NULL, 5, &parent, &asked), 118083882);
	CHECK_EQ(asked, false);
	CHECK_EQ(parent, 100 * MS);
	CHECK_EQ(child_of("start_debit=off", 5, &parent, &asked), 100 * MS);
}

/* Where children run first the two places are exchanged, and the parent is asked to leave. */
TEST(fair, fair_33_a_child_runs_first)
{
	u64 parent;
	bool asked;

	CHECK_EQ(child_of("child_runs_first=on", 0, &parent, &asked), 100 * MS);
	CHECK_EQ(parent, 111999994);
	CHECK_EQ(asked, true);
}

/* A runnable thread that moves keeps its distance to min_vruntime. */
TEST(fair, fair_34_a_move_keeps_the_distance)
{
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 8);
	runs_alone(&b, thread(&b, 0, 0), 500 * MS);
	runs_alone(&b, thread(&b, 1, 0), 900 * MS);
	p = thread(&b, 0, 0);
	wakes(&b, p, 503 * MS);
	lab_affinity(b.lab, 0, p, &(u64){ 2 });
	CHECK_EQ(lab_task_cpu(p), 1);
	CHECK_EQ(p->se.vruntime, 903 * MS);
	CHECK_EQ(p->se.exec_start, 0); /* not cache hot any more */
	bench_fini(&b);
}

/* min_vruntime is the least of those queued, but never goes back. */
TEST(fair, fair_35_min_vruntime_is_monotone)
{
	struct task_struct *curr, *left;
	struct cfs_rq *cfs_rq;
	struct bench b;

	bench_of(&b, .cpus = 8);
	curr = thread(&b, 0, 0);
	left = thread(&b, 0, 0);
	cfs_rq = root_queue(&b, 0);
	runs_alone(&b, curr, 50 * MS);
	wakes(&b, left, 50 * MS);
	set_vruntime(&b, &left->se, 40 * MS);
	cfs_rq->min_vruntime = 45 * MS;
	b.lab->pick->update_min(b.lab, cfs_rq);
	CHECK_EQ(cfs_rq->min_vruntime, 45 * MS);
	lab_affinity(b.lab, 0, left, &(u64){ 2 });
	CHECK_EQ(cfs_rq->min_vruntime, 50 * MS);
	bench_fini(&b);
}

/* A at 10 runs and yields beside B: who runs then? */
static bool yields_to(u64 other, enum sched_policy policy)
{
	struct task_struct *a, *p;
	struct bench b;
	bool runs_b;

	bench_of(&b, .cpus = 8);
	a = thread_of(&b, NULL, 0, policy, 0);
	p = thread(&b, 0, 0);
	runs_alone(&b, a, 10 * MS);
	wakes(&b, p, other);
	b.d.resched[0] = false;
	lab_yield(b.lab, 0);
	CHECK_EQ(a->se.vruntime, 10 * MS);
	pass(&b.d, 0);
	runs_b = runs(&b.d, p);
	CHECK_EQ(a->nivcsw, runs_b); /* the task stays runnable: involuntary */
	CHECK_EQ(a->nvcsw, 0);
	bench_fini(&b);
	return runs_b;
}

/* The one that yields is passed over once, unless the second is more than a granularity behind. */
TEST(fair, fair_36_yield)
{
	CHECK_EQ(yields_to(11 * MS, SCHED_NORMAL), true);
	CHECK_EQ(yields_to(20 * MS, SCHED_NORMAL), false);
	CHECK_EQ(yields_to(14 * MS, SCHED_NORMAL), true);
	CHECK_EQ(yields_to(14 * MS + 1, SCHED_NORMAL), false);
	CHECK_EQ(yields_to(11 * MS, SCHED_BATCH), true);
}

/* A yield charges the thread up to now; a batch thread's leaves that to the schedule pass, with the same clock. */
TEST(fair, a_yield_charges_first)
{
	struct bench b;
	struct task_struct *p;

	bench_of(&b, .cpus = 8);
	p = thread(&b, 0, 0);
	runs_alone(&b, p, 10 * MS);
	wakes(&b, thread(&b, 0, 0), 20 * MS);
	at(&b.d, 1 * MS);
	lab_yield(b.lab, 0);
	CHECK_EQ(p->se.vruntime, 11 * MS);
	CHECK_EQ(root_queue(&b, 0)->skip == &p->se, true);
	bench_fini(&b);
}

/* yield_to() names who is next, on all levels; the pick still asks that it is not more than a granularity behind. */
TEST(fair, yield_to_names_the_next)
{
	static const struct { u64 target; u32 id; } rows[] = { { 14 * MS, 3 }, { 14 * MS + 1, 2 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *second, *third;
		struct bench b;

		bench_of(&b, .cpus = 8);
		runs_alone(&b, thread(&b, 0, 0), 10 * MS);
		second = thread(&b, 0, 0);
		third = thread(&b, 0, 0);
		wakes(&b, second, 12 * MS);
		wakes(&b, third, rows[i].target);
		lab_yield_to(b.lab, 0, third);
		pass(&b.d, 0);
		CHECK_EQ(lab_task_id(lab_curr(b.lab, 0)), rows[i].id);
		bench_fini(&b);
	}
}

/* A target on another CPU is asked for there; one that sleeps or runs is left alone, and then nobody yields. */
TEST(fair, yield_to_across_cpus)
{
	struct task_struct *waits, *sleeps, *runs_there;
	struct bench b;

	bench_of(&b, .cpus = 8);
	runs_alone(&b, thread(&b, 0, 0), 10 * MS);
	runs_there = thread(&b, 1, 0);
	runs_alone(&b, runs_there, 10 * MS);
	waits = thread(&b, 1, 0);
	wakes(&b, waits, 11 * MS);
	sleeps = thread(&b, 1, 0);
	lab_yield_to(b.lab, 0, sleeps);
	lab_yield_to(b.lab, 0, runs_there);
	CHECK_EQ(lab_need_resched(b.lab, 1), false);
	CHECK_EQ(root_queue(&b, 0)->skip == NULL, true);
	lab_yield_to(b.lab, 0, waits);
	CHECK_EQ(lab_need_resched(b.lab, 1), true);
	obey_kicks(&b.d);
	CHECK_EQ(runs(&b.d, waits), true);
	bench_fini(&b);
}

/* When a kworker that slept long and wakes 0.5 ms into a hog's turn gets the CPU, ms after that turn began. */
static u64 kworker_starts(u32 hz, u64 min_granularity, u64 wakeup_granularity)
{
	static const char *const names[] = { "sched_min_granularity_ns", "sched_wakeup_granularity_ns" };
	u64 values[] = { min_granularity, wakeup_granularity };
	struct testbed *m = machine_of(.cpus = 8, .hz = hz);
	struct kernel_spec *k = &scenario_of(m)->kernel;
	u32 worker;
	u64 from;

	k->tunables = (const char **)(uintptr_t)names;
	k->tunable_values = values;
	k->nr_tunables = 2;
	worker = program(m, NULL, 0, 0, RUN(1 * US), AT(1000 * MS + 500 * US), RUN(100 * US));
	program(m, NULL, 0, 0, RUN(900 * MS), AT(1000 * MS), RUN(100 * SEC));
	run_until(m, 1100 * MS);
	from = nth_run(m, worker, 1).from - 1000 * MS;
	done(m);
	return from;
}

/*
 * With the default granularity at once.  With 15 ms a credit of 12 is never enough, and the tick decides: the first with a run of
 * min_granularity and a lead above 12 ms, or a run above the slice.
 */
TEST(fair, fair_37_a_bound_kworker_beside_a_hog)
{
	static const struct { u32 hz; u64 by_default, tuned, both; } rows[] = {
		{ 100, 500 * US, 10 * MS, 10 * MS }, { 250, 500 * US, 4 * MS, 12 * MS }, { 1000, 500 * US, 3 * MS, 10 * MS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(kworker_starts(rows[i].hz, 3 * MS, 4 * MS), rows[i].by_default);
		CHECK_EQ(kworker_starts(rows[i].hz, 3 * MS, 15 * MS), rows[i].tuned);
		CHECK_EQ(kworker_starts(rows[i].hz, 10 * MS, 15 * MS), rows[i].both);
	}
}

/*
 * Two CPUs, 5.10 (bandwidth-fair-checked.md C9): a sleeper beside one hog runs at once; woken at the very instant at which the
 * hog's turn begins, and behind it in line, it waits until the hog has run more than its slice of 6 ms, 8 ms.
 */
TEST(fair, a_sleeper_beside_a_hog)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 s = program(m, NULL, 0, 0, RUN(1 * US), AT(1002 * MS), RUN(1 * US), AT(1500 * MS), RUN(1 * US));

	program(m, NULL, 0, 0, RUN(900 * MS), AT(1000 * MS), RUN(300 * MS), AT(1500 * MS), RUN(1 * SEC));
	run_until(m, 2 * SEC);
	CHECK_EQ(nth_run(m, s, 1).from, 1002 * MS);
	CHECK_EQ(nth_run(m, s, 2).from, 1500 * MS); /* first in line here: thread 0 */
	done(m);
}

TEST_MAIN("fair: wakeups and placement")
