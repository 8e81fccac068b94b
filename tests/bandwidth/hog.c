/* SPDX-License-Identifier: MIT */
/*
 * hog.c - one busy thread under a limit: the quota is met by whole ticks, and what was too much is a debt.
 *
 * Worked examples bw-1 to bw-10 and bw-38 of docs/rules/bandwidth.md section 12.  No costs; nothing is held at the start;
 * the limit is written at t = 0, so the pool is full and the period ends at 100 ms.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* What a queue and its pool hold right after the events of a moment. */
struct moment {
	u64 t;
	s64 held;
	u64 pool;
};

static void check_moments(struct testbed *m, const struct moment *moments, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		char row[32];

		snprintf(row, sizeof(row), "at %" PRIu64 " us", moments[i].t / US);
		run_until(m, moments[i].t + 1);
		CHECK_ROW(queue_of(m, "/web", 0).runtime_remaining, moments[i].held, row);
		CHECK_ROW(pool_of(m, "/web").runtime, moments[i].pool, row);
	}
}

/* One hog on CPU 0, from @start on, in /web. */
static struct testbed *hog_of(u64 quota, u32 hz, u64 start, const char *row, u32 *task)
{
	struct testbed *m = machine_of(.hz = hz, .row = row);

	group(m, "/web", quota, 100 * MS);
	*task = hog(m, "/web", 0, start);
	return m;
}

/*
 * A slice is drawn at the first tick that finds L <= 0: 5 at t = 0, then 4: 1, 8: -3 + 8, ... 20: 0 and nothing left,
 * throttle.
 */
TEST(bw1, slices_of_a_20_ms_quota)
{
	static const struct moment moments[] = {
		{ 0, 5 * MS, 15 * MS }, { 4 * MS, 1 * MS, 15 * MS }, { 8 * MS, 5 * MS, 7 * MS }, { 12 * MS, 1 * MS, 7 * MS },
		{ 16 * MS, 4 * MS, 0 },	{ 20 * MS, 0, 0 },	     { 99 * MS, 0, 0 },		 { 100 * MS, 1, 20 * MS - 1 },
	};
	u32 t;
	struct testbed *m = hog_of(20 * MS, 250, 0, "5.10", &t);

	check_moments(m, moments, ARRAY_SIZE(moments));
	CHECK(!queue_of(m, "/web", 0).throttled);
	done(m);
}

/* Every period uses 20 ms, debt 0; released at k * 100 with 1 ns; each period counts as throttled. */
TEST(bw1, every_period_uses_20_ms)
{
	u32 t, k;
	struct testbed *m = hog_of(20 * MS, 250, 0, "5.10", &t);

	run_until(m, 1 * SEC);
	for (k = 0; k < 10; k++) {
		CHECK_EQ(nth_run(m, t, k).from, k * 100 * MS);
		CHECK_EQ(nth_run(m, t, k).to, k * 100 * MS + 20 * MS);
		CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, k).arg, 0);
	}
	CHECK_EQ(nth_event(m, EVENT_BW_UNTHROTTLE, 0).arg, 1);
	CHECK_EQ(stat_of(m, "/web").nr_periods, 9);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 9);
	CHECK_EQ(stat_of(m, "/web").throttled_time, 9 * 80 * MS);
	done(m);
}

/* With a tick each ms the hog stops at 20 too: 20 is a multiple of both ticks. */
TEST(bw2, hz_1000_stops_at_20_ms)
{
	u32 t;
	struct testbed *m = hog_of(20 * MS, 1000, 0, "5.10", &t);

	run_until(m, 200 * MS);
	CHECK_EQ(nth_run(m, t, 0).to, 20 * MS);
	CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 0).arg, 0);
	CHECK_EQ(nth_run(m, t, 1).from, 100 * MS);
	CHECK_EQ(nth_run(m, t, 1).to, 120 * MS);
	done(m);
}

/* P0: 5, 1, -3 + 5 = 2, -2: a debt of 2.  P1 pays 2 + 1n, 104: -4 + 1n + (8 - 1n) = 4, 108: 0. */
TEST(bw3, slices_of_a_10_ms_quota)
{
	static const struct moment moments[] = {
		{ 0, 5 * MS, 5 * MS },	     { 4 * MS, 1 * MS, 5 * MS }, { 8 * MS, 2 * MS, 0 },
		{ 12 * MS, -2 * (s64)MS, 0 }, { 100 * MS, 1, 8 * MS - 1 }, { 104 * MS, 4 * MS, 0 },
		{ 108 * MS, 0, 0 },	     { 200 * MS, 1, 10 * MS - 1 },
	};
	u32 t;
	struct testbed *m = hog_of(10 * MS, 250, 0, "5.10", &t);

	check_moments(m, moments, ARRAY_SIZE(moments));
	done(m);
}

/*
 * What a hog uses in each period, and owes at its end, in a cycle that repeats: an overrun of less than a tick is paid back
 * before the queue runs again, and a distribution that brings L to exactly 0 does not release (7.1: it needs 1 ns more).
 */
static const struct cycle {
	const char *name;
	u64 quota;
	u32 hz;
	u64 start;
	u64 uses[10], owes[10]; /* ms */
	u32 nr, first;		/* periods of the cycle, which begins with period @first */
} cycles[] = {
	{ "bw-3", 10 * MS, 250, 0, { 12, 8 }, { 2, 0 }, 2, 0 },
	{ "bw-4", 10 * MS, 1000, 0, { 10 }, { 0 }, 1, 0 },
	{ "bw-5", 5 * MS, 250, 0, { 8, 4, 4, 4 }, { 3, 2, 1, 0 }, 4, 0 },
	{ "bw-6", 3 * MS, 250, 0, { 4, 4, 4, 0 }, { 1, 2, 3, 0 }, 4, 0 },
	{ "bw-7", 1 * MS, 250, 0, { 4, 0, 0, 0 }, { 3, 2, 1, 0 }, 4, 0 },
	{ "bw-8", 1 * MS, 100, 0, { 10, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 }, 10, 0 },
	{ "bw-9, first period", 10 * MS, 250, 1 * MS, { 11 }, { 1 }, 1, 0 },
	{ "bw-9", 10 * MS, 250, 1 * MS, { 12, 8 }, { 3, 1 }, 2, 1 },
};

static void check_cycle(const struct cycle *c)
{
	u32 t, k, periods = c->first || c->nr > 1 ? 20 : 1;
	struct testbed *m = hog_of(c->quota, c->hz, c->start, "5.10", &t);

	for (k = 0; k < c->first + periods; k++) {
		u64 from = k * 100 * MS;

		run_until(m, from + 100 * MS);
		if (k < c->first)
			continue;
		CHECK_ROW(ran(m, t, from, from + 100 * MS), c->uses[(k - c->first) % c->nr] * MS, c->name);
		CHECK_ROW(-queue_of(m, "/web", 0).runtime_remaining, c->owes[(k - c->first) % c->nr] * MS, c->name);
		CHECK_ROW(stat_of(m, "/web").nr_throttled, k, c->name);
	}
	done(m);
}

TEST(bw3_to_bw9, periods_of_a_hog)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cycles); i++)
		check_cycle(&cycles[i]);
}

/* bw-7: -3, -2, -1, 0 is still throttled, the fourth following period releases: 4 ms each 400 ms, every period counts. */
TEST(bw7, a_debt_of_three_quotas_is_paid_in_four_periods)
{
	u32 t, k;
	struct testbed *m = hog_of(1 * MS, 250, 0, "5.10", &t);

	run_until(m, 4 * SEC);
	for (k = 0; k < 10; k++) {
		CHECK_EQ(nth_run(m, t, k).from, k * 400 * MS);
		CHECK_EQ(nth_run(m, t, k).to, k * 400 * MS + 4 * MS);
	}
	CHECK_EQ(stat_of(m, "/web").nr_throttled, stat_of(m, "/web").nr_periods);
	done(m);
}

/* bw-8: the second run is at t = 1000. */
TEST(bw8, one_run_in_ten_periods)
{
	u32 t;
	struct testbed *m = hog_of(1 * MS, 100, 0, "5.10", &t);

	run_until(m, 1100 * MS);
	CHECK_EQ(nth_run(m, t, 0).to, 10 * MS);
	CHECK_EQ(nth_run(m, t, 1).from, 1 * SEC);
	done(m);
}

/* bw-9: the ticks do not move with the start: 1 to 12 is 11 ms. */
TEST(bw9, a_start_between_ticks_ends_on_a_tick)
{
	u32 t;
	struct testbed *m = hog_of(10 * MS, 250, 1 * MS, "5.10", &t);

	run_until(m, 300 * MS);
	CHECK_EQ(nth_run(m, t, 0).from, 1 * MS);
	CHECK_EQ(nth_run(m, t, 0).to, 12 * MS);
	CHECK_EQ(nth_run(m, t, 1).to, 112 * MS);
	CHECK_EQ(nth_run(m, t, 2).to, 208 * MS);
	done(m);
}

/*
 * bw-10: a quota of the whole period, one hog, any row: what a tick needs is there, as the refill comes before the tick of
 * 100.
 */
TEST(bw10, a_whole_cpu_is_never_throttled)
{
	static const u32 hz[] = { 250, 1000 };
	u32 t, i;
	int row;

	for (row = 0; model_row_name(row); row++) {
		for (i = 0; i < ARRAY_SIZE(hz); i++) {
			struct testbed *m = hog_of(100 * MS, hz[i], 0, model_row_name(row), &t);

			run_until(m, 5 * SEC);
			CHECK_ROW(count_events(m, EVENT_BW_THROTTLE), 0, model_row_name(row));
			CHECK_ROW(ran(m, t, 0, 5 * SEC), 5 * SEC, model_row_name(row));
			CHECK_ROW(stat_of(m, "/web").nr_throttled, 0, model_row_name(row));
			done(m);
		}
	}
}

/*
 * bw-38: fibtest with one thread has nobody to strand quota with: every row shows the pattern of bw-3 (HZ 250) or bw-4 (HZ
 * 1000).  (To 6.17: later the write leaves 1 ns, which lets the first slice wait for the first tick.)
 */
TEST(bw38, one_cpu_strands_nothing_in_any_row)
{
	u32 t, k;
	int row;

	for (row = 0; strcmp(model_row_name(row), "6.18"); row++) {
		struct testbed *m = hog_of(10 * MS, 250, 0, model_row_name(row), &t);

		run_until(m, 2 * SEC);
		for (k = 0; k < 20; k++)
			CHECK_ROW(ran(m, t, k * 100 * MS, (k + 1) * 100 * MS), (k % 2 ? 8 : 12) * MS, model_row_name(row));
		done(m);
		m = hog_of(10 * MS, 1000, 0, model_row_name(row), &t);
		run_until(m, 2 * SEC);
		for (k = 0; k < 20; k++)
			CHECK_ROW(ran(m, t, k * 100 * MS, (k + 1) * 100 * MS), 10 * MS, model_row_name(row));
		done(m);
	}
}
