/* SPDX-License-Identifier: MIT */
/* counters.c - docs/rules/fair.md 7.3, 7.5 and 10.5: what is counted, and when a request takes effect (fair-75 to fair-77, fair-79). */
#include "tests/test.h"

#include "tests/fair/bench.h"
#include "tests/machine_of.h"

/* Figures of everything in [@from, @to). */
static struct result *window(struct testbed *m, u64 from, u64 to)
{
	struct result *res;

	scenario_of(m)->measure_from = from;
	run_until(m, to);
	res = machine_result(machine_in(m));
	if (!res)
		fail_msg("out of memory");
	return res;
}

/* 1 ms of running and 1 ms of sleep, ten times, on a CPU that is idle otherwise. */
TEST(fair, fair_75_ten_sleeps)
{
	struct testbed *m = machine_of(.cpus = 8);
	struct task_args cycles = { .cpu = 0, .loops = 1 };
	struct step steps[21] = { SLEEP(1 * MS) };
	struct result *res;
	u32 i;

	for (i = 0; i < 10; i++) {
		steps[1 + 2 * i] = RUN(1 * MS);
		steps[2 + 2 * i] = i < 9 ? SLEEP(1 * MS) : SLEEP(1000 * SEC);
	}
	task_of_args(m, &cycles, steps, ARRAY_SIZE(steps));
	res = window(m, 500 * US, 100 * MS);
	CHECK_EQ(res->events[EVENT_SCHED_WAKING], 10);
	CHECK_EQ(res->events[EVENT_SCHED_WAKEUP], 10);
	CHECK_EQ(res->events[EVENT_SCHED_SWITCH], 20);
	CHECK_EQ(res->tasks[0].sum.nvcsw, 10);
	CHECK_EQ(res->tasks[0].sum.nivcsw, 0);
	result_free(res);
	done(m);
}

/* Two hogs in 120 ms: ten switches, five taken from each, nobody woken. */
TEST(fair, fair_76_two_hogs_are_counted)
{
	struct testbed *m = machine_of(.cpus = 8);
	struct result *res;

	hog(m, NULL, 0, 0);
	hog(m, NULL, 0, 0);
	res = window(m, 1 * MS, 121 * MS);
	CHECK_EQ(res->tasks[0].sum.nivcsw, 5);
	CHECK_EQ(res->tasks[1].sum.nivcsw, 5);
	CHECK_EQ(res->tasks[0].sum.nvcsw + res->tasks[1].sum.nvcsw, 0);
	CHECK_EQ(res->events[EVENT_SCHED_SWITCH], 10);
	CHECK_EQ(res->events[EVENT_SCHED_WAKING] + res->events[EVENT_SCHED_WAKEUP] + res->events[EVENT_SCHED_WAKEUP_NEW], 0);
	result_free(res);
	done(m);
}

/* sched_stat_runtime fires once per charge: a lone hog's tick charges it 250 times in a second; left-out ticks count too. */
TEST(fair, fair_77_a_lone_hogs_charges)
{
	static const bool no_skip[] = { false, true };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(no_skip); i++) {
		struct testbed *m = machine_of(.cpus = 8, .no_skip = no_skip[i]);
		struct result *res;

		hog(m, NULL, 0, 0);
		res = window(m, 0, 1001 * MS);
		CHECK_EQ(res->nr_stat_runtime, 250);
		CHECK_EQ(res->events[EVENT_SCHED_STAT_RUNTIME], 1 * SEC);
		result_free(res);
		done(m);
	}
}

/* Where nobody else waits a yield is nothing: no switch, no count. */
TEST(fair, fair_79_a_yield_alone)
{
	struct testbed *m = machine_of(.cpus = 8);
	struct result *res;

	task_of_args(m, &(struct task_args){ .cpu = 0, .loops = 10 }, STEPS(RUN(1 * MS), YIELD));
	res = window(m, 500 * US, 9500 * US);
	CHECK_EQ(res->events[EVENT_SCHED_SWITCH], 0);
	CHECK_EQ(res->tasks[0].sum.nvcsw + res->tasks[0].sum.nivcsw, 0);
	result_free(res);
	done(m);
}

/* A charge of nothing is no event: two readings of a clock at one moment charge once. */
TEST(fair, a_charge_of_nothing_is_no_event)
{
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 8);
	p = thread(&b, 0, 0);
	start(&b.d, p);
	at(&b.d, 1 * MS);
	CHECK_EQ(lab_read_runtime(b.lab, p), 1 * MS);
	CHECK_EQ(lab_read_runtime(b.lab, p), 1 * MS);
	CHECK_EQ(b.d.events[EVENT_SCHED_STAT_RUNTIME], 1);
	bench_fini(&b);
}

/* Reading a thread's clock charges its own level only; the group's entity follows at the tick. */
TEST_IF(FAIRGROUND_GROUPS, fair, reading_a_clock_charges_the_leaf)
{
	struct task_group *tg;
	struct task_struct *p;
	struct bench b;

	bench_of(&b, .cpus = 8);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	p = thread_of(&b, tg, 0, SCHED_NORMAL, 0);
	start(&b.d, p);
	at(&b.d, 1 * MS);
	CHECK_EQ(lab_read_runtime(b.lab, p), 1 * MS);
	CHECK_EQ(group_entity(&b, tg, 0)->sum_exec_runtime, 0);
	at(&b.d, 4 * MS);
	tick(&b.d, 0);
	CHECK_EQ(p->se.sum_exec_runtime, 4 * MS);
	CHECK_EQ(group_entity(&b, tg, 0)->sum_exec_runtime, 4 * MS);
	bench_fini(&b);
}

/* A worse nice asks the running thread to leave; a better one of a waiting thread is a wakeup test; alone nothing is asked. */
TEST(fair, a_change_of_nice_asks)
{
	struct task_struct *p, *q;
	struct bench b;

	bench_of(&b, .cpus = 8);
	p = thread(&b, 0, 0);
	q = thread(&b, 0, 0);
	runs_alone(&b, p, 100 * MS);
	lab_set_nice(b.lab, 0, p, SCHED_NORMAL, 5);
	CHECK_EQ(lab_need_resched(b.lab, 0), false);
	CHECK_EQ(p->se.vruntime, 100 * MS);
	lab_set_nice(b.lab, 0, p, SCHED_NORMAL, 0);
	CHECK_EQ(wakes(&b, q, 98 * MS), false);
	lab_set_nice(b.lab, 0, q, SCHED_NORMAL, -5); /* 2 ms behind, and its granularity is 1.3 now */
	CHECK_EQ(lab_need_resched(b.lab, 0), true);
	CHECK_EQ(q->se.vruntime, 98 * MS);
	obey_kicks(&b.d);
	CHECK_EQ(runs(&b.d, q), true);
	lab_set_nice(b.lab, 0, q, SCHED_NORMAL, -6);
	CHECK_EQ(lab_need_resched(b.lab, 0), false);
	lab_set_nice(b.lab, 0, q, SCHED_NORMAL, 3);
	CHECK_EQ(lab_need_resched(b.lab, 0), true);
	bench_fini(&b);
}

/* When a tick asks a thread in a system call of @ms to leave at 12 ms, when does it? */
static u64 leaves_at(enum preempt_model preempt, bool resched_point, u64 ms)
{
	struct testbed *m = machine_of(.cpus = 8, .preempt = preempt);
	struct step in_kernel = SYS(ms * MS);
	u64 to;
	u32 t;

	in_kernel.flags = resched_point ? STEP_RESCHED_POINT : 0;
	t = task_of_args(m, &(struct task_args){ .cpu = 0, .loops = -1 }, &in_kernel, 1);
	hog(m, NULL, 0, 0);
	run_until(m, 100 * MS);
	to = nth_run(m, t, 0).to;
	done(m);
	return to;
}

/* In the kernel a request waits for the end of the call, unless there is a point to reschedule at or the kernel is preemptible. */
TEST(fair, a_request_in_a_system_call)
{
	CHECK_EQ(leaves_at(PREEMPT_NONE, false, 30), 30 * MS);
	CHECK_EQ(leaves_at(PREEMPT_VOLUNTARY, false, 30), 30 * MS);
	CHECK_EQ(leaves_at(PREEMPT_NONE, true, 30), 12 * MS);
	CHECK_EQ(leaves_at(PREEMPT_FULL, false, 30), 12 * MS);
	CHECK_EQ(leaves_at(PREEMPT_NONE, false, 5), 15 * MS); /* asked at 12, returns at 15 */
}

TEST_MAIN("fair: counters and preemption models")
