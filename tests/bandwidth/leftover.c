/* SPDX-License-Identifier: MIT */
/*
 * leftover.c - what a CPU keeps over the end of a period: erased where slices expire, used where they do not.
 *
 *	period k: draw 5, use u, return 4 - u, keep 1
 *	period k + 1, to 5.3: the 1 is erased, draw 5 again: u + 1 are gone for u of work
 *	              from 5.4: 1 ms to start with
 *
 * Worked examples bw-19 to bw-23 of docs/rules/bandwidth.md section 12, and C1 of bandwidth-fair-checked.md.  The rules of
 * expiry one by one are in expiry.c.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* ---- bw-19: a burst of leftovers ---- */

/*
 * Four threads that ran 0.5 ms each; at 300.3 they begin to run for ever.  The example does not say when they ran.  Here
 * it is at 110 to 113, in a period that began with a refill: before the first refill of all, the rows 4.18 to 5.3 stamp a
 * deadline far away (4.1, "quirk").
 */
static struct testbed *four_of(const char *row, u32 *task)
{
	struct testbed *m = machine_of(.cpus = 4, .hz = 1000, .row = row);
	int cpu;

	group(m, "/web", 10 * MS, 100 * MS);
	for (cpu = 0; cpu < 4; cpu++)
		task[cpu] = program(m, "/web", cpu, (110 + cpu) * MS, RUN(500 * US), AT(300300 * US), RUN(10 * SEC));
	return m;
}

static u64 all_ran(struct testbed *m, const u32 *task, int nr, u64 from, u64 to)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < nr; i++)
		sum += ran(m, task[i], from, to);
	return sum;
}

/* No expiry: 10 from the pool, 4 from the CPUs, 0.4 + 0.7 + 0.7 + 0 of debt; all are throttled at 307. */
TEST(bw19, leftovers_are_used_on_top_of_the_quota)
{
	u32 t[4];
	struct testbed *m = four_of("5.10", t);

	run_until(m, 300300 * US);
	CHECK_EQ(queue_of(m, "/web", 2).runtime_remaining, 1 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime, 10 * MS);
	run_until(m, 400 * MS);
	CHECK_EQ(all_ran(m, t, 4, 300 * MS, 400 * MS), 15800 * US);
	CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 3).time, 307 * MS);
	CHECK_EQ(stat_of(m, "/web").ledger.held, -1800 * (s64)US);
	done(m);
}

/*
 * By sequence: the first charge erases them; CPUs 0 and 1 take 5 each, 2 and 3 are throttled at enqueue: 10 + 1.4 of debt
 * by 306.
 */
TEST(bw19, leftovers_expire_at_the_first_charge)
{
	u32 t[4];
	struct testbed *m = four_of("4.18", t);

	run_until(m, 300300 * US + 1);
	CHECK(queue_of(m, "/web", 2).throttled && queue_of(m, "/web", 3).throttled);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 5 * MS);
	run_until(m, 400 * MS);
	CHECK_EQ(all_ran(m, t, 4, 300 * MS, 400 * MS), 11400 * US);
	CHECK_EQ(nth_run(m, t[0], 1).to, 306 * MS);
	CHECK_EQ(nth_run(m, t[1], 1).to, 306 * MS);
	done(m);
}

/* ---- bw-20: stranding ---- */

#define SLEEPERS 12

/*
 * CPU c works for 0.2 ms at c + 0.5 and c + 50.5 in each period; a wakeup that finds the thread runnable is lost.  The one
 * who wakes them is on a CPU of its own, outside the group.
 */
static struct testbed *sleepers_of(const char *row, u32 *task)
{
	static const char *const names[SLEEPERS] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11" };
	struct testbed *m = machine_of(.cpus = SLEEPERS + 1, .hz = 1000, .row = row);
	struct step waker[4 * SLEEPERS + 1];
	u32 c;

	group(m, "/web", 10 * MS, 100 * MS);
	for (c = 0; c < SLEEPERS; c++) {
		u32 go = condition(m, names[c]);

		task[c] = cycle(m, "/web", (int)c, c * MS + 500 * US, 0, RUN(200 * US), SUSPEND(go));
		waker[2 * c] = AT(c * MS + 500 * US);
		waker[2 * c + 1] = RESUME(go);
		waker[2 * (c + SLEEPERS)] = AT((c + 50) * MS + 500 * US);
		waker[2 * (c + SLEEPERS) + 1] = RESUME(go);
	}
	waker[4 * SLEEPERS] = AT(100 * MS);
	task_of_args(m, &(struct task_args){ .cpu = SLEEPERS, .loops = -1 }, waker, ARRAY_SIZE(waker));
	return m;
}

/*
 * Period 0, everywhere: CPUs 0 to 7 cost the pool 1.2 each, CPU 8 gets the last 0.4, CPUs 9 to 11 are throttled; 3.6 of 10
 * are used.  Period 1 does what was left over: 12 * 0.4 + 3 * 0.2.  Then no expiry: all have their millisecond and the
 * pool stays full; by sequence: each costs 1.2 again.  In 4.18 this begins a period late, as the very first start of the
 * timer puts the deadline far away (4.1, "quirk"); 4.14.133 does not advance it and strands at once (C1), as does 3.2.
 */
TEST(bw20, short_runs_strand_the_quota)
{
	static const struct {
		const char *row;
		u64 uses[5]; /* in 0.1 ms */
		u64 nr_throttled, pool;
	} rows[] = {
		{ "4.18", { 36, 54, 48, 36, 44 }, 4, 0 },    { "5.3", { 36, 54, 48, 36, 44 }, 4, 0 },
		{ "4.14.133", { 36, 44, 40, 44, 42 }, 5, 0 }, { "3.2", { 36, 44, 40, 44, 42 }, 5, 0 },
		{ "5.4", { 36, 54, 48, 48, 48 }, 1, 10 },     { "5.10", { 36, 54, 48, 48, 48 }, 1, 10 },
		{ "6.1", { 36, 54, 48, 48, 48 }, 1, 10 },     { "6.4", { 36, 54, 48, 48, 48 }, 1, 10 },
		{ "3.16", { 36, 54, 48, 48, 48 }, 1, 10 },
	};
	u32 t[SLEEPERS], i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = sleepers_of(rows[i].row, t);

		for (k = 0; k < 5; k++) {
			run_until(m, (k + 1) * 100 * MS);
			CHECK_ROW(all_ran(m, t, SLEEPERS, k * 100 * MS, (k + 1) * 100 * MS), rows[i].uses[k] * 100 * US,
				  rows[i].row);
		}
		CHECK_ROW(pool_of(m, "/web").runtime, rows[i].pool * MS, rows[i].row);
		run_until(m, 500 * MS + 1);
		CHECK_ROW(stat_of(m, "/web").nr_throttled, rows[i].nr_throttled, rows[i].row);
		done(m);
	}
}

/* ---- C1: what a restart after idle does to the deadline ---- */

/*
 * Two CPUs wake one after the other in the first period after an idle stop. 4.14.133 leaves the deadline in the past, so
 * the first charge extends it, it is not the pool's any more, and all slack of that period is destroyed: the second finds
 * 5 ms, the third nothing. 4.18 moves deadline and sequence on, and the slack comes back.
 */
TEST(c1, the_first_period_after_idle_destroys_slack_in_4_14_133)
{
	static const struct {
		const char *row;
		u64 pool, lost;
	} rows[] = { { "4.14.133", 0, 8 * MS - 20 * US }, { "4.18", 8 * MS - 20 * US, 0 }, { "5.4", 8 * MS - 20 * US, 0 } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of(.cpus = 3, .hz = 1000, .row = rows[i].row);
		u64 lost;

		group(m, "/web", 10 * MS, 100 * MS);
		program(m, "/web", 2, 1 * MS, RUN(10 * US));
		program(m, "/web", 0, 500 * MS, RUN(10 * US));
		program(m, "/web", 1, 500020 * US, RUN(10 * US));
		run_until(m, 500 * MS);
		CHECK_ROW(pool_of(m, "/web").period_active, 0, rows[i].row);
		CHECK_ROW(pool_of(m, "/web").runtime, 10 * MS, rows[i].row);
		lost = stat_of(m, "/web").ledger.lost;
		run_until(m, 501 * MS);
		CHECK_ROW(pool_of(m, "/web").runtime, rows[i].pool, rows[i].row);
		CHECK_ROW(stat_of(m, "/web").ledger.lost - lost, rows[i].lost, rows[i].row);
		done(m);
	}
}

/* ---- bw-21: the stale deadline of 4.2 to 4.17 ---- */

/* 30 ms of work at 10, 510, 1010 ...; the limit is a whole CPU. */
static struct testbed *bursts_of(const char *row, u32 hz, u32 *task)
{
	struct testbed *m = machine_of(.hz = hz, .row = row);

	group(m, "/web", 100 * MS, 100 * MS);
	*task = program(m, "/web", 0, 10 * MS, RUN(30 * MS), AT(510 * MS), RUN(30 * MS));
	return m;
}

/*
 * The timer stops at 200.  At 511 the kept ms is used up; from then on each tick burns 5 ms of the pool: throttled at 531
 * until 600.
 */
TEST(bw21, a_stale_deadline_burns_a_slice_each_tick)
{
	static const char *const rows[] = { "4.2", "4.14" };
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = bursts_of(rows[i], 1000, &t);

		run_until(m, 1 * SEC);
		CHECK_ROW(nth_run(m, t, 1).from, 510 * MS, rows[i]);
		CHECK_ROW(nth_run(m, t, 1).to, 531 * MS, rows[i]);
		CHECK_ROW(nth_run(m, t, 2).from, 600 * MS, rows[i]);
		CHECK_ROW(stat_of(m, "/web").nr_throttled, 1, rows[i]);
		done(m);
	}
}

/* No other row does that; nor these with HZ 250: 8 charges of 5 ms do not drain 100. */
TEST(bw21, other_rows_are_not_throttled)
{
	static const struct {
		const char *row;
		u32 hz;
	} rows[] = {
		{ "4.2", 250 },	 { "4.14", 250 }, { "3.2", 1000 }, { "3.16", 1000 }, { "4.14.133", 1000 }, { "4.18", 1000 },
		{ "5.3", 1000 }, { "5.4", 1000 }, { "5.10", 1000 }, { "5.15", 1000 }, { "6.1", 1000 },	   { "6.4", 1000 },
	};
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = bursts_of(rows[i].row, rows[i].hz, &t);

		run_until(m, 1 * SEC);
		CHECK_ROW(stat_of(m, "/web").nr_throttled, 0, rows[i].row);
		CHECK_ROW(nth_run(m, t, 1).to, 540 * MS, rows[i].row);
		done(m);
	}
}

/* ---- bw-23: idle, then again ---- */

static struct testbed *restart_of(const char *row, u32 *task)
{
	struct testbed *m = machine_of(.hz = 1000, .row = row);

	group(m, "/web", 40 * MS, 100 * MS);
	*task = program(m, "/web", 0, 0, RUN(1 * MS), AT(550 * MS), RUN(10 * SEC));
	return m;
}

/*
 * A tick that refills and a tick that stops: nr_periods 2.  At 550 the hog runs on the kept ms, the first request, at 551,
 * arms the timer for 600; 41 ms until 591, then the new period's 40: 81 ms in 90 ms of wall time under a limit of 40 %.
 */
TEST(bw23, a_restart_gives_a_full_pool_and_a_short_period)
{
	u32 t;
	struct testbed *m = restart_of("5.10", &t);

	run_until(m, 550 * MS);
	CHECK_EQ(stat_of(m, "/web").nr_periods, 2);
	CHECK(!pool_of(m, "/web").period_active);
	run_until(m, 551 * MS);
	CHECK(!pool_of(m, "/web").period_active);
	run_until(m, 551 * MS + 1);
	CHECK(pool_of(m, "/web").period_active);
	CHECK_EQ(pool_of(m, "/web").period_expires, 600 * MS);
	run_until(m, 700 * MS);
	CHECK_EQ(nth_run(m, t, 1).from, 550 * MS);
	CHECK_EQ(nth_run(m, t, 1).to, 591 * MS);
	CHECK_EQ(nth_run(m, t, 2).from, 600 * MS);
	CHECK_EQ(nth_run(m, t, 2).to, 640 * MS);
	done(m);
}

/*
 * By sequence the kept ms is gone at 550, and the request comes at once: throttled at 590.  The example takes it from a
 * draw at 0; but in 4.18 to 5.3 a draw before the first refill of all does not expire (4.1, "quirk": the first start of
 * the timer puts the deadline as far away as the machine is old), so that at 550 the ms is still there and it is 591 as
 * well.  Drawn at 110, after a refill, it is 590.
 */
TEST(bw23, the_kept_millisecond_expires)
{
	static const struct {
		u64 first, throttled;
	} rows[] = { { 0, 591 * MS }, { 110 * MS, 590 * MS } };
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of(.hz = 1000, .row = "4.18");

		group(m, "/web", 40 * MS, 100 * MS);
		t = program(m, "/web", 0, rows[i].first, RUN(1 * MS), AT(550 * MS), RUN(10 * SEC));
		run_until(m, 550 * MS + 1);
		CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, i ? 5 * MS : 1 * MS);
		CHECK_EQ(pool_of(m, "/web").period_active, i);
		run_until(m, 600 * MS);
		CHECK_EQ(nth_run(m, t, 1).to, rows[i].throttled);
		done(m);
	}
}
