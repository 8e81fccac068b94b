/* SPDX-License-Identifier: MIT */
/*
 * sleepers.c - sleepers beside hogs, when a request to reschedule takes effect, and the timer that ends turns.
 *
 *	hog A    ------------   ------------   ----------------
 *	S        10-11          20-21          30-31	      40: waits for the tick of 44, once in four times
 *
 * The worked examples fair-64 and fair-87 to fair-91 of docs/rules/fair.md and bandwidth-fair-checked.md, which were traced on real
 * kernels.  Nothing costs time unless said so.
 */
#include "tests/test.h"

#include "tests/eevdf/bed.h"

#define LATE (1 * US) /* a timer's: so the tick of the same moment comes first, by that much */

/* How long the run of release number @n (from 0), @every apart, had to wait. */
static u64 wait_of(struct testbed *m, u32 task, u32 n, u64 every)
{
	u32 nr;

	for (nr = 0;; nr++) {
		struct run run = nth_run(m, task, nr);

		if (run.from == NEVER)
			fail_msg("there is no run for release %" PRIu32, n);
		if (run.from >= n * every)
			return run.from - n * every;
	}
}

static struct testbed *beside_hogs(const char *row, int hogs)
{
	struct testbed *m = machine_of(.row = row, .cpus = 2, .hz = 250, .preempt = !strcmp(row, "7.2") ? PREEMPT_LAZY : PREEMPT_VOLUNTARY,
				       .costs = { .timer_slack = LATE });

	while (hogs--)
		hog(m, NULL, 0, 0);
	cycle(m, NULL, 0, 0, 10 * MS, RUN(1010 * US)); /* 1 ms, and what a wakeup costs */
	return m;
}

/* Releases @from to @to of thread @task: each @nth waits for @wait, the others run at once. */
static void check_waits(struct testbed *m, u32 task, u32 from, u32 to, u32 nth, u64 wait)
{
	u32 n;

	for (n = from; n < to; n++) {
		char title[32];

		snprintf(title, sizeof(title), "release %" PRIu32, n);
		CHECK_ROW(wait_of(m, task, n, 10 * MS), n % nth ? LATE : wait, title);
	}
}

/*
 * S comes with a lag of 1.49, 0.985, 0.48, -0.03: it loses half of what it runs each time.  With that debt it is delayed, taken out at 36 with
 * nothing, and joins at 40 at the mean; the tick of 40, just before, has renewed the hog's deadline, which is the earlier one by then.
 */
TEST(sleepers, fair_87_one_in_four_waits_for_a_tick)
{
	struct testbed *m = beside_hogs("6.12", 1);

	run_until(m, 2010 * MS);
	check_waits(m, 1, 1, 200, 4, 4 * MS);
	CHECK_EQ(wait_of(m, 1, 0, 10 * MS), 4 * MS); /* 50 of 200 */
	done(m);
}

/* Were the timer's wakeup handled before the tick of the same moment, the deadlines would tie, and nobody would ever wait. */
TEST(sleepers, fair_87_the_order_of_a_moment_decides)
{
	struct testbed *m = machine_of(.row = "6.12", .cpus = 2, .hz = 250);
	u32 n;

	hog(m, NULL, 0, 0);
	cycle(m, NULL, 0, 0, 10 * MS, RUN(1010 * US));
	run_until(m, 2010 * MS);
	for (n = 1; n < 200; n++)
		CHECK_EQ(wait_of(m, 1, n, 10 * MS), 0);
	done(m);
}

/* Under the timer each second one waits, for exactly one request. */
TEST(sleepers, fair_88_half_wait_for_one_request)
{
	struct testbed *m = beside_hogs("7.2", 1);

	run_until(m, 2010 * MS);
	check_waits(m, 1, 1, 200, 2, 1400 * US);
	CHECK_EQ(wait_of(m, 1, 0, 10 * MS), 1400 * US); /* 100 of 200 */
	done(m);
}

/* Beside two hogs it is again one in four; it waits for a tick of each. */
TEST(sleepers, beside_two_hogs_one_in_four_waits_for_two_ticks)
{
	struct testbed *m = beside_hogs("6.12", 2);

	run_until(m, 2020 * MS);
	check_waits(m, 2, 1, 200, 4, 8 * MS);
	done(m);
}

/* ---- patterns of turns ---- */

/* Of the turns of @task that end before @until, those of @us (to 100 us). */
static u32 count_turns(struct testbed *m, u32 task, u64 us, u64 until)
{
	u32 nr, count = 0;

	for (nr = 0; nth_run(m, task, nr).to < until; nr++) {
		struct run run = nth_run(m, task, nr);

		count += !us || (run.to - run.from + 50 * US) / (100 * US) == us / 100;
	}
	return count;
}

/* When the turns of 16 ms end, to 1 ms. */
static void check_sixteens(struct testbed *m, const u64 *ms, u32 nr)
{
	u32 i, found = 0;

	for (i = 0; found < nr; i++) {
		struct run run = nth_run(m, 0, i);

		if (run.to == NEVER)
			fail_msg("only %" PRIu32 " turns of 16 ms", found);
		if ((run.to - run.from + 500 * US) / MS == 16)
			CHECK_EQ(run.to / MS, ms[found++]);
	}
}

/* The same where each switch costs 2 us that nobody is charged for: where the first turns of 16 ms of nice 0 beside nice 5 end. */
static void check_costly_sixteens(const char *row, const u64 *ms, u32 nr)
{
	u64 switches[400];
	u32 n, i, found = 0;
	struct bed b;

	bed_of(&b, .row = row, .cpus = 2, .hz = 250);
	start(&b.d, thread_on(&b, 0, 0, 0));
	start(&b.d, thread_on(&b, 0, 5, 0));
	n = costly_ticks(&b.d, 2 * SEC, 2 * US, switches, ARRAY_SIZE(switches));
	for (i = 1; i < n && found < nr; i++)
		if (switches[i] - switches[i - 1] == 16)
			CHECK_ROW(switches[i], ms[found++], row);
	CHECK_ROW(found, nr, row);
	bed_fini(&b);
}

static struct testbed *nice_0_and_5(const char *row, u64 cost)
{
	struct testbed *m = machine_of(.row = row, .cpus = 2, .hz = 250, .costs = { .tick = cost, .timer_irq = cost });

	hog(m, NULL, 0, 0);
	task_of_args(m, &(struct task_args){ .nice = 5, .loops = -1 }, STEPS(RUN(1000 * SEC)));
	return m;
}

/*
 * 4, 4, 12, 4, 12, 4 ... and a 16 instead of a 12 now and then: in 2 s as many of each as were traced.  The third was traced at 880: that is
 * what a switch of 2 us makes of 864.
 */
TEST(sleepers, fair_90_nice_0_and_5)
{
	struct testbed *m = nice_0_and_5("6.12", 0);

	run_until(m, 2 * SEC);
	CHECK_EQ(nth_run(m, 0, 0).to, 4 * MS);
	CHECK_EQ(nth_run(m, 1, 0).to, 8 * MS);
	CHECK_EQ(nth_run(m, 0, 1).to, 20 * MS);
	CHECK_EQ(nth_run(m, 1, 1).to, 24 * MS);
	CHECK_EQ(nth_run(m, 0, 2).to, 36 * MS);
	check_sixteens(m, (const u64[]){ 296, 588, 864 }, 3);
	CHECK_EQ(count_turns(m, 0, 12000, 2 * SEC), 117);
	CHECK_EQ(count_turns(m, 0, 16000, 2 * SEC), 6);
	CHECK_WITHIN(count_turns(m, 1, 4000, 2 * SEC), 123, 124);
	done(m);
	check_costly_sixteens("6.12", (const u64[]){ 296, 588, 880 }, 3);
}

/* And by vruntime: with that cost the list of the example, without it that of tests/fair/hogs.c. */
TEST(sleepers, fair_89_nice_0_and_5_at_a_cost)
{
	check_costly_sixteens("5.10", (const u64[]){ 880, 1172, 1464, 1756 }, 4);
}

static struct testbed *weights_1_to_3(const char *row)
{
	struct testbed *m = machine_of(.row = row, .cpus = 2, .hz = 250);

	group(m, "/light", NO_LIMIT, 100 * MS);
	group(m, "/heavy", NO_LIMIT, 100 * MS);
	group_write(m, "/heavy", "cpu.weight", "300", NULL);
	hog(m, "/light", 0, 0);
	hog(m, "/heavy", 0, 0);
	run_until(m, 4 * SEC);
	return m;
}

/*
 * A request is 1.4 ms of real time whatever the weight.  A turn that is let run on when its request is done (the other is not owed time
 * yet) goes on to a tick: 5.2, 2.6, 6.6, as traced (5.163, 2.596, 6.596).  Groups of weights 1 to 3 take turns as often: 714.
 */
TEST(sleepers, fair_91_turns_under_the_timer)
{
	static const u64 first[] = { 1404, 5194, 2598, 6598 }; /* us; switch and interrupt take 2 each */
	struct testbed *m = nice_0_and_5("7.2", 2 * US);
	u32 i;

	run_until(m, 4 * SEC);
	CHECK_WITHIN(count_turns(m, 0, 0, 4 * SEC), 700, 708);
	CHECK_WITHIN(count_turns(m, 1, 1400, 4 * SEC), 700, 708);
	for (i = 0; i < ARRAY_SIZE(first); i++)
		CHECK_WITHIN(nth_run(m, 0, i).to - nth_run(m, 0, i).from, first[i] * US - 5 * US, first[i] * US + 5 * US);
	done(m);
	m = weights_1_to_3("7.2");
	CHECK_WITHIN(count_turns(m, 0, 1400, 4 * SEC), 712, 717); /* measured: 712 and 717 */
	CHECK_WITHIN(count_turns(m, 1, 0, 4 * SEC), 712, 717);
	CHECK_WITHIN(ran(m, 0, 0, 4 * SEC), 998 * MS, 1002 * MS); /* 999,143 us measured */
	done(m);
}

/* ---- when a request takes effect ---- */

/* Two threads; the first is in a call, or not, when the tick of 4 ms finds its request done.  When does the other run? */
static u64 takes_effect(const char *row, enum preempt_model preempt, bool in_call)
{
	struct testbed *m = machine_of(.row = row, .hz = 250, .base_slice = 3 * MS, .preempt = preempt, .rules = { "hrtick=off" });
	u64 from;

	if (in_call)
		program(m, NULL, 0, 0, SYS(30 * MS), RUN(1 * SEC));
	else
		hog(m, NULL, 0, 0);
	hog(m, NULL, 0, 0);
	run_until(m, 100 * MS);
	from = nth_run(m, 1, 0).from;
	done(m);
	return from;
}

/* In the kernel a lazy request waits for the next tick, which insists; in user mode it is obeyed at once. */
TEST(sleepers, fair_64_lazy_preemption)
{
	static const struct { const char *row; enum preempt_model preempt; u64 user, call; } cases[] = {
		{ "7.2", PREEMPT_LAZY, 4, 8 }, { "6.18", PREEMPT_LAZY, 4, 8 }, { "6.18", PREEMPT_FULL, 4, 4 },
		{ "6.18", PREEMPT_VOLUNTARY, 4, 30 }, { "6.12", PREEMPT_FULL, 4, 4 }, { "6.12", PREEMPT_NONE, 4, 30 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK_ROW(takes_effect(cases[i].row, cases[i].preempt, false), cases[i].user * MS, cases[i].row);
		CHECK_ROW(takes_effect(cases[i].row, cases[i].preempt, true), cases[i].call * MS, cases[i].row);
	}
}

/*
 * S sleeps on CPU 1 and is bound to CPU 0, where a hog runs, by the time it is woken from there: so the wakeup comes from afar.  Under
 * lazy preemption no interrupt is sent, and the hog is only asked at its tick.
 */
static u64 woken_from_afar(const char *row, enum preempt_model preempt, u64 disturbed)
{
	struct testbed *m = machine_of(.row = row, .cpus = 2, .hz = 250, .preempt = preempt, .rules = { "hrtick=off" });
	u32 go = condition(m, "go"), s;
	u64 from;

	hog(m, NULL, 0, 0);
	s = program(m, NULL, 0, 0, RUN(10 * US), SUSPEND(go), RUN(1 * MS));
	program(m, NULL, 1, 41 * MS, RUN(10 * US), RESUME(go), RUN(1 * SEC));
	if (disturbed) /* another timer fires on CPU 0 */
		task_of_args(m, &(struct task_args){ .start = disturbed, .nice = 19 }, STEPS(RUN(10 * US)));
	run_until(m, 100 * MS);
	from = nth_run(m, s, 1).from;
	done(m);
	return from;
}

TEST(sleepers, a_lazy_request_from_afar_waits_for_the_tick)
{
	CHECK_EQ(woken_from_afar("7.2", PREEMPT_FULL, 0), 41010 * US);
	CHECK_EQ(woken_from_afar("7.2", PREEMPT_LAZY, 0), 44 * MS);
	CHECK_EQ(woken_from_afar("6.12", PREEMPT_LAZY, 0), 41010 * US); /* the fair class is not lazy yet */
	CHECK_EQ(woken_from_afar("7.2", PREEMPT_LAZY, 42 * MS), 42 * MS); /* or for any other interrupt */
}

/* ---- the timer ---- */

/* It is set where two are queued, at least 10 us away; not again for one that runs on, nor forgotten where one is left: only by an idle CPU. */
TEST(sleepers, the_timer_is_set_and_forgotten)
{
	struct task_struct *a, *p;
	struct bed b;

	bed_of(&b, .row = "7.2", .cpus = 2, .hz = 250);
	a = thread_on(&b, 0, 0, 0);
	p = thread_on(&b, 0, 0, 0);
	start(&b.d, a);
	CHECK_EQ(b.d.hrtick[0].armed, false);
	at(&b.d, 1395 * US);
	start(&b.d, p);
	CHECK_EQ(b.d.hrtick[0].armed, true);
	CHECK_EQ(b.d.hrtick[0].when, 1405 * US);
	pass(&b.d, 0);
	CHECK_EQ(b.d.hrtick[0].when, 1405 * US);
	at(&b.d, 1405 * US);
	lab_timer(b.lab, 0, TIMER_HRTICK, NULL);
	CHECK_EQ(lab_need_resched(b.lab, 0), true);
	obey_kicks(&b.d);
	CHECK_EQ(runs(&b.d, p), true);
	CHECK_EQ(b.d.hrtick[0].when, 2805 * US);
	at(&b.d, 2 * MS);
	lab_exit(b.lab, 0);
	pass(&b.d, 0);
	CHECK_EQ(runs(&b.d, a), true);
	CHECK_EQ(b.d.hrtick[0].armed, true);
	CHECK_EQ(b.d.hrtick[0].when, 2805 * US);
	lab_exit(b.lab, 0);
	pass(&b.d, 0);
	CHECK_EQ(b.d.hrtick[0].armed, false);
	bed_fini(&b);
}

/* By vruntime it ends a slice on time: 3 ms each of two on one CPU. */
TEST(sleepers, the_timer_by_vruntime)
{
	struct testbed *m = machine_of(.row = "5.10", .hz = 100, .rules = { "HRTICK" });

	hog(m, NULL, 0, 0);
	hog(m, NULL, 0, 0);
	run_until(m, 30 * MS);
	CHECK_WITHIN(nth_run(m, 0, 0).to, 2999 * US, 3001 * US);
	CHECK_WITHIN(nth_run(m, 1, 0).to, 5999 * US, 6001 * US);
	done(m);
}

TEST_MAIN("eevdf: sleepers, requests to reschedule")
