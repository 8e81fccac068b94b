/* SPDX-License-Identifier: MIT */
/*
 * throttle.c - tasks that are throttled one by one, at their return to user mode (6.18), and in the charge (7.2).
 *
 *	quota used up	             call ends
 *	----5--- in the kernel: debt ---34|parked - - - - - - - - - - - - - - - - - |600
 *
 * The worked examples bw-31 to bw-33 of docs/rules/bandwidth.md by their numbers; what is parked, for how long that counts, and in which
 * order it comes back; and what it is good for: a lock that is held in the kernel.
 */
#include "tests/test.h"

#include "tests/eevdf/bed.h"

/* The examples begin with empty queues; from 6.18 a write leaves 1 ns in each, which at a tick's edge is a tick. */
#define EMPTY "bw_write_leaves=zero"

static const char *const rows[] = { "6.18", "7.2" };
#define EACH(row, i) for (i = 0; i < ARRAY_SIZE(rows) && ((row) = rows[i]); i++)

static struct testbed *in_a_call(const char *row, enum preempt_model preempt, bool kthread)
{
	struct testbed *m = machine_of(.row = row, .hz = 1000, .preempt = preempt, .rules = { EMPTY });

	group(m, "/web", 5 * MS, 100 * MS);
	task_of_args(m, &(struct task_args){ .group = "/web", .kthread = kthread, .loops = -1 },
		     STEPS(RUN(4 * MS), SYS(30 * MS), RUN(1000 * SEC)));
	return m;
}

/* Flagged at 5, it runs to the end of the call; the debt of 29 is paid at 100, 200 ... 500, and at 600 there is 1 ns. */
TEST(throttle, bw31_debt_in_the_kernel)
{
	const char *row;
	size_t i;

	EACH(row, i) {
		struct testbed *m = in_a_call(row, PREEMPT_FULL, false);

		run_until(m, 34 * MS + 1);
		CHECK_ROW(nth_event(m, EVENT_BW_THROTTLE, 0).time, 5 * MS, row);
		CHECK_ROW(nth_run(m, 0, 0).to, 34 * MS, row);
		CHECK_ROW(queue_of(m, "/web", 0).runtime_remaining, -29 * (s64)MS, row);
		CHECK_EQ(queue_of(m, "/web", 0).nr_running, 0);
		run_until(m, 501 * MS);
		CHECK_ROW(queue_of(m, "/web", 0).runtime_remaining, -4 * (s64)MS, row);
		run_until(m, 605 * MS);
		CHECK_ROW(nth_run(m, 0, 1).from, 600 * MS, row);
		CHECK_EQ(stat_of(m, "/web").nr_throttled, 6);
		CHECK_EQ(stat_of(m, "/web").throttled_time, 566 * MS); /* from the parking, not from the flag */
		done(m);
	}
}

/* To 6.17, preemptible: stopped inside the call, each period, without debt.  Not preemptible: the whole call is debt there, too. */
TEST(throttle, bw31_before)
{
	struct testbed *m = in_a_call("6.12", PREEMPT_FULL, false);
	u32 i;

	run_until(m, 400 * MS);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(nth_run(m, 0, i).from, i * 100 * MS);
		CHECK_EQ(nth_run(m, 0, i).to, i * 100 * MS + 5 * MS);
	}
	done(m);
	m = in_a_call("6.12", PREEMPT_VOLUNTARY, false);
	run_until(m, 605 * MS);
	CHECK_EQ(nth_run(m, 0, 0).to, 34 * MS);
	CHECK_EQ(nth_run(m, 0, 1).from, 600 * MS);
	done(m);
}

/* A kernel thread has no user mode to return to: it is never stopped, and its group's debt has no bound. */
TEST(throttle, bw32_kernel_threads_run_on)
{
	const char *row;
	size_t i;

	EACH(row, i) {
		struct testbed *m = in_a_call(row, PREEMPT_FULL, true);

		run_until(m, 1 * SEC);
		CHECK_ROW(ran(m, 0, 0, 1 * SEC), 1 * SEC, row);
		CHECK_ROW(queue_of(m, "/web", 0).runtime_remaining, -(999 - 10 * 5) * (s64)MS, row); /* the tick of 1000 is to come */
		CHECK_EQ(stat_of(m, "/web").nr_throttled, 9);
		CHECK_EQ(stat_of(m, "/web").throttled_time, 0); /* nobody was ever parked */
		done(m);
	}
}

/* Nor is one that is on its way out: it leaves for good, whatever its group owes. */
TEST(throttle, bw32_the_exiting_run_on)
{
	struct task_struct *p;
	struct task_group *tg;
	const char *row;
	struct bed b;
	size_t i;

	EACH(row, i) {
		bed_of(&b, .row = row, .hz = 1000, .rules = { EMPTY });
		tg = limited(&b.d, NULL, 5 * MS, 100 * MS);
		p = thread_in(&b, tg, 0, SCHED_NORMAL, 0, 0);
		start(&b.d, p);
		at(&b.d, 6 * MS);
		p->state = TASK_DEAD; /* inside exit(), which takes its time */
		lab_tick(b.lab, 0);
		obey_kicks(&b.d);
		CHECK_ROW(group_cfs_rq(b.lab, tg, 0)->throttled, true, row);
		if (runs(&b.d, p)) /* in 7.2 the charge asks nobody to leave */
			pass(&b.d, 0);
		CHECK_ROW(b.d.events[EVENT_SCHED_PROCESS_FREE], 1, row);
		CHECK_ROW(list_empty(&group_cfs_rq(b.lab, tg, 0)->limbo), true, row);
		CHECK_ROW(queue(&b.d, tg, 0).runtime_remaining, -1 * (s64)MS, row);
		bed_fini(&b);
	}
}

/* 7.2: the first wakeup takes 1 ns and not a slice; what 50 us cost in all is the same. */
TEST(throttle, bw33_a_first_wakeup)
{
	static const struct { const char *row; s64 held; } first[] = { { "6.18", 5 * MS }, { "7.2", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		struct task_group *tg;
		struct bed b;

		bed_of(&b, .row = first[i].row, .rules = { EMPTY });
		tg = limited(&b.d, NULL, 20 * MS, 100 * MS);
		start(&b.d, thread_in(&b, tg, 0, SCHED_NORMAL, 0, 0));
		CHECK_ROW(queue(&b.d, tg, 0).runtime_remaining, first[i].held, first[i].row);
		CHECK_ROW(pool(&b.d, tg).runtime, 20 * MS - (u64)first[i].held, first[i].row);
		at(&b.d, 50 * US);
		block(&b.d, 0);
		CHECK_ROW(queue(&b.d, tg, 0).runtime_remaining, 1 * MS, first[i].row);
		CHECK_ROW(pool(&b.d, tg).runtime, 20 * MS - 1050 * US, first[i].row);
		bed_fini(&b);
	}
}

/* A task interrupted in user mode stops at the tick that finds the quota used up, as under every older kernel. */
TEST(throttle, user_mode_stops_at_the_same_tick)
{
	static const char *const all[] = { "6.12", "6.18", "7.2" };
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct testbed *m = machine_of(.row = all[i], .hz = 250, .rules = { EMPTY });

		group(m, "/web", 10 * MS, 100 * MS);
		hog(m, "/web", 0, 0);
		run_until(m, 400 * MS);
		for (k = 0; k < 4; k++)
			CHECK_ROW(nth_run(m, 0, k).to - nth_run(m, 0, k).from, (k % 2 ? 8 : 12) * MS, all[i]);
		done(m);
	}
}

/* ---- a lock held in the kernel ---- */

struct lock_case {
	const char *row;
	enum preempt_model preempt;
	bool offers;	   /* the call has points where it offers to reschedule */
	u64 gets_lock;	   /* when the other group's thread has it, us */
	u64 holder_back;   /* when the holder runs again after its call, us */
	const char *why;
};

/*
 * /limited (5 ms in 100, CPU 0) takes a lock at 0 and spends 8 ms in the kernel with it; /free (CPU 1, no limit) wants it at 1 ms.
 */
static const struct lock_case lock_cases[] = {
	{ "6.12", PREEMPT_FULL, false, 103000, 103000, "the group is stopped at 5 inside the call, with the lock, until its quota comes" },
	{ "6.12", PREEMPT_VOLUNTARY, false, 8000, 200000, "nobody can be stopped there: the rest is debt" },
	{ "6.12", PREEMPT_VOLUNTARY, true, 103000, 103000, "but where the call itself offers to reschedule" },
	{ "6.18", PREEMPT_FULL, false, 8000, 200000, "only flagged at 5: it goes on to user mode, and pays then" },
	{ "6.18", PREEMPT_LAZY, false, 8000, 200000, "the same" },
	{ "6.18", PREEMPT_VOLUNTARY, true, 8000, 200000, "the same, whatever it offers" },
	{ "7.2", PREEMPT_FULL, false, 8000, 200000, "the same" },
	{ "7.2", PREEMPT_LAZY, false, 8000, 200000, "the same" },
};

static struct testbed *lock_machine(const struct lock_case *c)
{
	struct testbed *m = machine_of(.row = c->row, .preempt = c->preempt, .cpus = 2, .hz = 1000, .rules = { EMPTY });
	u32 lock = mutex(m, "lock");
	struct step call = SYS(8 * MS);

	if (c->offers)
		call.flags |= STEP_RESCHED_POINT;
	group(m, "/limited", 5 * MS, 100 * MS);
	group(m, "/free", NO_LIMIT, 100 * MS);
	program(m, "/limited", 0, 0, LOCK(lock), call, UNLOCK(lock), RUN(1 * SEC));
	program(m, "/free", 1, 1 * MS, LOCK(lock), RUN(1 * MS), UNLOCK(lock));
	return m;
}

TEST(throttle, group_against_task_a_lock_holder)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lock_cases); i++) {
		const struct lock_case *c = &lock_cases[i];
		struct testbed *m = lock_machine(c);
		char title[160];

		snprintf(title, sizeof(title), "%s, model %d: %s", c->row, c->preempt, c->why);
		run_until(m, 300 * MS);
		CHECK_ROW(nth_run(m, 1, 1).from, c->gets_lock * US, title); /* the first was its try */
		CHECK_ROW(ran(m, 0, c->holder_back * US - 1 * MS, c->holder_back * US), c->holder_back % 100000 ? 1 * MS : 0, title);
		CHECK_ROW(ran(m, 0, c->holder_back * US, c->holder_back * US + 1 * MS), 1 * MS, title);
		done(m);
	}
}

/* ---- who is parked, and what it counts ---- */

/* Two of one group: the one that runs is parked at 5; the other, picked then, when it is in user mode: at once. */
TEST(throttle, each_is_parked_when_it_is_picked)
{
	const char *row;
	size_t i;

	EACH(row, i) {
		struct testbed *m = machine_of(.row = row, .hz = 1000, .rules = { EMPTY, "hrtick=off" });
		struct task_stat st;

		group(m, "/web", 5 * MS, 100 * MS);
		hog(m, "/web", 0, 0);
		hog(m, "/web", 0, 0);
		run_until(m, 99 * MS);
		CHECK_ROW(ran(m, 0, 0, 99 * MS) + ran(m, 1, 0, 99 * MS), 5 * MS, row);
		CHECK_EQ(queue_of(m, "/web", 0).nr_running, 0);
		st = task_stat_of(m, 0);
		CHECK_ROW(st.nivcsw > 0, true, row);
		done(m);
	}
}

/* A thread that wakes into a throttled group still runs what its wakeup costs in the kernel, and is parked behind it. */
TEST(throttle, a_wakee_runs_its_kernel_part)
{
	const char *row;
	size_t i;

	EACH(row, i) {
		struct testbed *m = machine_of(.row = row, .hz = 1000, .rules = { EMPTY }, .costs = { .wakeup = 2 * MS });

		group(m, "/web", 5 * MS, 100 * MS);
		hog(m, "/web", 0, 0);
		program(m, "/web", 0, 20 * MS, RUN(1 * SEC));
		run_until(m, 99 * MS);
		CHECK_ROW(ran(m, 1, 0, 99 * MS), 2 * MS, row);
		CHECK_ROW(nth_run(m, 1, 0).from, 20 * MS, row);
		CHECK_ROW(queue_of(m, "/web", 0).runtime_remaining, -2 * (s64)MS, row);
		done(m);
	}
}

/* The one parked last comes back first. */
TEST(throttle, the_last_parked_comes_back_first)
{
	const char *row;
	size_t i;

	EACH(row, i) {
		struct testbed *m = machine_of(.row = row, .hz = 1000, .rules = { EMPTY, "hrtick=off" });

		group(m, "/web", 5 * MS, 100 * MS);
		hog(m, "/web", 0, 0);
		program(m, "/web", 0, 20 * MS, RUN(1 * SEC));
		program(m, "/web", 0, 30 * MS, RUN(1 * SEC));
		run_until(m, 104 * MS);
		CHECK_ROW(nth_run(m, 2, 1).from, 100 * MS, row);
		done(m);
	}
}

/* Throttled time runs from the first that is parked: a call of 30 ms in front of it does not count; nor does an empty queue. */
TEST(throttle, time_counts_from_the_parking)
{
	const char *row;
	size_t i;

	EACH(row, i) {
		struct testbed *m = machine_of(.row = row, .hz = 1000, .rules = { EMPTY });

		group(m, "/web", 5 * MS, 100 * MS);
		group(m, "/web/inner", NO_LIMIT, 100 * MS);
		program(m, "/web/inner", 0, 0, SYS(40 * MS), RUN(1 * SEC));
		run_until(m, 900 * MS);
		CHECK_ROW(nth_run(m, 0, 0).to, 40 * MS, row);
		CHECK_ROW(nth_run(m, 0, 1).from, 800 * MS, row); /* 35 of debt and 1 ns: the eighth */
		CHECK_ROW(stat_of(m, "/web").throttled_time, 760 * MS, row);
		CHECK_ROW(stat_of(m, "/web").throttled_local, 760 * MS, row);
		CHECK_ROW(stat_of(m, "/web/inner").throttled_time, 0, row); /* its parent is, not itself */
		CHECK_ROW(stat_of(m, "/web/inner").throttled_local, 760 * MS, row);
		done(m);
	}
}

/* ---- changes to a parked task ---- */

struct parked {
	struct bed b;
	struct task_group *web, *other;
	struct task_struct *p;
};

/* p of /web (5 ms in 100) is parked at 5 ms on the first of two CPUs; /other has no limit. */
static void park_one(struct parked *s, const char *row)
{
	bed_of(&s->b, .row = row, .hz = 1000, .cpus = 2, .rules = { EMPTY });
	s->web = limited(&s->b.d, NULL, 5 * MS, 100 * MS);
	s->other = limited(&s->b.d, NULL, RUNTIME_INF, 100 * MS);
	s->p = thread_in(&s->b, s->web, 0, SCHED_NORMAL, 0, 0);
	start(&s->b.d, s->p);
	at(&s->b.d, 5 * MS);
	tick(&s->b.d, 0);
	if (!s->p->parked)
		fail_msg("the task is not parked");
}

/* Moved to a group that is not throttled it runs; its wait so far was the limit's. */
TEST(throttle, a_parked_task_leaves_with_its_group)
{
	struct task_stat st;
	const char *row;
	struct parked s;
	size_t i;

	EACH(row, i) {
		park_one(&s, row);
		at(&s.b.d, 25 * MS);
		lab_move(s.b.lab, 0, s.p, s.other);
		obey_kicks(&s.b.d);
		CHECK_ROW(s.p->parked, false, row);
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		lab_task_stat(s.b.lab, s.p, &st);
		CHECK_ROW(st.wait_throttled, 20 * MS, row);
		CHECK_ROW(st.wait_contended, 0, row);
		bed_fini(&s.b);
	}
}

/* A nice change, and a move within the throttled group's tree, leave it parked. */
TEST(throttle, a_parked_task_stays_parked_where_it_is_throttled)
{
	struct task_group *inner;
	const char *row;
	struct parked s;
	size_t i;

	EACH(row, i) {
		park_one(&s, row);
		inner = limited(&s.b.d, s.web, RUNTIME_INF, 100 * MS);
		lab_set_nice(s.b.lab, 0, s.p, SCHED_NORMAL, 5);
		CHECK_ROW(s.p->parked, true, row);
		lab_move(s.b.lab, 0, s.p, inner);
		CHECK_ROW(s.p->parked, true, row);
		at(&s.b.d, 100 * MS);
		fire(&s.b.d, TIMER_PERIOD, s.web);
		CHECK_ROW(s.p->parked, false, row);
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		bed_fini(&s.b);
	}
}

/* Sent to another CPU it is not parked as it is: it joins there, and whether it may run is that CPU's business. */
TEST(throttle, a_parked_task_follows_its_affinity)
{
	const char *row;
	struct parked s;
	size_t i;

	EACH(row, i) {
		park_one(&s, row);
		at(&s.b.d, 10 * MS);
		lab_affinity(s.b.lab, 0, s.p, &(u64){ 2 });
		obey_kicks(&s.b.d);
		CHECK_ROW(lab_task_cpu(s.p), 1, row);
		CHECK_ROW(s.p->parked, true, row); /* there is no quota there either: throttled as it joins, parked as it would run */
		CHECK_ROW(group_cfs_rq(s.b.lab, s.web, 1)->throttled, true, row);
		bed_fini(&s.b);
	}
}

/* A CPU that goes offline releases what is parked on it. */
TEST(throttle, offline_releases_the_parked)
{
	const char *row;
	struct parked s;
	size_t i;

	EACH(row, i) {
		park_one(&s, row);
		CHECK_EQ(lab_hotplug(s.b.lab, 0, false), 0);
		obey_kicks(&s.b.d);
		CHECK_ROW(lab_task_cpu(s.p), 1, row);
		bed_fini(&s.b);
	}
}

TEST_MAIN("throttling of tasks")
