/* SPDX-License-Identifier: MIT */
/*
 * slack.c - what a queue gives back when its last task sleeps, and the timer that hands it to those who wait.
 *
 *	CPU0  hog --- throttled at 5 -------------- released by the slack timer, or at 100
 *	CPU1      [work] returns all but 1 ms
 *	CPU2      [work] returns all but 1 ms; pool > 5 ms: the timer starts
 *
 * Worked examples bw-15 to bw-18 and bw-33 of docs/rules/bandwidth.md section 12, and C13 of bandwidth-fair-checked.md.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* A hog from @start on, two others that work for @work at @at; 15 ms are three slices, so the pool is empty meanwhile. */
static struct testbed *three_of(const char *row, u64 start, u64 at, u64 work, u32 *task)
{
	struct testbed *m = machine_of(.cpus = 3, .hz = 1000, .row = row);

	group(m, "/web", 15 * MS, 100 * MS);
	*task = hog(m, "/web", 0, start);
	program(m, "/web", 1, at, RUN(work));
	program(m, "/web", 2, at, RUN(work));
	return m;
}

/*
 * 4.6: both draw 5, the pool is empty.  5.1: each returns 5 - 0.5 - 1 = 3.5; 7 > 5 and CPU0 waits: the timer stands at 10.1.
 * Then 1 ns; 11: -0.9 + 5.9; 16: 0 + 1.1; 18: -0.9, throttled with a debt of 0.9 after 12.9 ms.
 */
TEST(bw15, the_slack_timer_releases_5_ms_after_the_return)
{
	u32 t;
	struct testbed *m = three_of("5.10", 0, 4600 * US, 500 * US, &t);

	run_until(m, 4600 * US + 1);
	CHECK_EQ(pool_of(m, "/web").runtime, 0);
	run_until(m, 5100 * US + 1);
	CHECK_EQ(pool_of(m, "/web").runtime, 7 * MS);
	CHECK_EQ(queue_of(m, "/web", 1).runtime_remaining, 1 * MS);
	CHECK(pool_of(m, "/web").slack_started);
	run_until(m, 10100 * US + 1);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 1);
	CHECK(!pool_of(m, "/web").slack_started); /* one-shot: the next return may start it again */
	run_until(m, 11 * MS + 1);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 5 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime, 1100 * US);
	run_until(m, 100 * MS);
	CHECK_EQ(nth_run(m, t, 0).to, 5 * MS);
	CHECK_EQ(nth_run(m, t, 1).from, 10100 * US);
	CHECK_EQ(nth_run(m, t, 1).to, 18 * MS);
	CHECK_EQ(ran(m, t, 0, 100 * MS), 12900 * US);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, -900 * (s64)US);
	done(m);
}

/*
 * C13: a throttle that ends by slack, in a period that ends unthrottled, is not in nr_throttled; its time is in
 * throttled_time.
 */
TEST(bw15, a_throttle_ended_by_slack_is_not_counted)
{
	u32 t;
	struct testbed *m = machine_of(.cpus = 3, .hz = 1000);

	group(m, "/web", 15 * MS, 100 * MS);
	t = program(m, "/web", 0, 0, RUN(7 * MS));
	program(m, "/web", 1, 4600 * US, RUN(500 * US));
	program(m, "/web", 2, 4600 * US, RUN(500 * US));
	run_until(m, 100 * MS + 1);
	CHECK_EQ(nth_run(m, t, 1).to, 12100 * US);
	CHECK_EQ(stat_of(m, "/web").nr_periods, 1);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 0);
	CHECK_EQ(stat_of(m, "/web").throttled_time, 5100 * US);
	done(m);
}

/* bw-16: to 4.1 the timer stands on a 5 ms grid: 10.0; 11: -1 + 6; 16: 0 + 1; 17: 0 and nothing left, debt 0, used 12. */
TEST(bw16, the_slack_timer_of_3_2_stands_on_a_grid)
{
	static const char *const rows[] = { "3.2", "3.16" };
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = three_of(rows[i], 0, 4600 * US, 500 * US, &t);

		run_until(m, 100 * MS);
		CHECK_ROW(nth_run(m, t, 1).from, 10 * MS, rows[i]);
		CHECK_ROW(nth_run(m, t, 1).to, 17 * MS, rows[i]);
		CHECK_ROW(ran(m, t, 0, 100 * MS), 12 * MS, rows[i]);
		CHECK_ROW(queue_of(m, "/web", 0).runtime_remaining, 0, rows[i]);
		done(m);
	}
}

/* bw-17: a slice and not more in the pool is no reason; C13 found the edge at 4.8 (no) and 5.1 ms (yes). */
TEST(bw17, more_than_a_slice_must_be_there)
{
	static const struct {
		const char *name;
		u64 work, left, released;
	} rows[] = {
		{ "4.8 ms", 1600 * US, 4800 * US, 100 * MS },
		{ "5.0 ms", 1500 * US, 5000 * US, 100 * MS },
		{ "5.1 ms", 1450 * US, 5100 * US, 4600 * US + 1450 * US + 5 * MS },
	};
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = three_of("5.10", 0, 4600 * US, rows[i].work, &t);

		run_until(m, 4600 * US + rows[i].work + 1);
		CHECK_ROW(pool_of(m, "/web").runtime, rows[i].left, rows[i].name);
		CHECK_ROW(pool_of(m, "/web").slack_started, rows[i].left > 5 * MS, rows[i].name);
		run_until(m, 101 * MS);
		CHECK_ROW(nth_run(m, t, 1).from, rows[i].released, rows[i].name);
		done(m);
	}
}

/* bw-18: less than 7 ms to the refresh, and the timer is not started; C13 found 7.1 (yes) and 6.9 ms (no). */
TEST(bw18, near_a_refresh_slack_waits_for_it)
{
	static const struct {
		const char *name;
		u64 start, returned, released;
	} rows[] = {
		{ "7.1 ms before", 87 * MS, 92900 * US, 97900 * US },
		{ "7.0 ms before", 87 * MS, 93000 * US, 98000 * US },
		{ "6.9 ms before", 87 * MS, 93100 * US, 100 * MS },
		{ "6.5 ms before", 88 * MS, 93500 * US, 100 * MS },
	};
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = three_of("5.10", rows[i].start, rows[i].returned - 1200 * US, 1200 * US, &t);

		run_until(m, rows[i].returned + 1);
		CHECK_ROW(pool_of(m, "/web").runtime, 5600 * US, rows[i].name);
		CHECK_ROW(pool_of(m, "/web").slack_started, rows[i].returned <= 93 * MS, rows[i].name);
		run_until(m, 101 * MS);
		CHECK_ROW(nth_run(m, t, 0).to, rows[i].start + 5 * MS, rows[i].name);
		CHECK_ROW(nth_run(m, t, 1).from, rows[i].released, rows[i].name);
		done(m);
	}
}

/* 3.4: it is asked again when the timer fires: what has been drawn meanwhile is not handed out. */
TEST(bw17, what_is_gone_when_it_fires_is_gone)
{
	u32 t;
	struct testbed *m = machine_of(.cpus = 4, .hz = 1000);

	group(m, "/web", 15 * MS, 100 * MS);
	t = hog(m, "/web", 0, 0);
	program(m, "/web", 1, 4600 * US, RUN(500 * US));
	program(m, "/web", 2, 4600 * US, RUN(500 * US));
	program(m, "/web", 3, 9500 * US, RUN(4 * MS));
	run_until(m, 9500 * US + 1);
	CHECK(pool_of(m, "/web").slack_started);
	CHECK_EQ(pool_of(m, "/web").runtime, 2 * MS);
	run_until(m, 101 * MS);
	CHECK_EQ(nth_run(m, t, 1).from, 100 * MS);
	done(m);
}

/* bw-33: to 7.1 the first wakeup draws a whole slice, 50 us are used, 1 ms is kept and 3.95 ms go back: 1.05 ms of the pool. */
TEST(bw33, a_short_run_costs_itself_and_a_millisecond)
{
	struct testbed *m = machine_of();

	group(m, "/web", 20 * MS, 100 * MS);
	program(m, "/web", 0, 1 * MS, RUN(50 * US));
	run_until(m, 1 * MS + 1);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 5 * MS);
	run_until(m, 2 * MS);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 1 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime, 20 * MS - 1050 * US);
	done(m);
}
