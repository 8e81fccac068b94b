/* SPDX-License-Identifier: MIT */
/*
 * timers.c - the period timer when it is late, when it cannot keep up, and where it stands; and CPUs that go.
 *
 * Worked examples bw-22, bw-29, bw-30, bw-35 and bw-40 of docs/rules/bandwidth.md section 12.  Where a callback is late
 * the bare driver is used: there the test decides when it runs.
 */
#include "tests/test.h"

#include "tests/bandwidth/beds.h"
#include "tests/machine_of.h"

/* ---- bw-22: the callback due at 200 runs at 206 ---- */

/* What a tick at @t destroys of the hog's slice. */
static u64 lost_at(struct driver *d, struct task_group *tg, u64 t)
{
	u64 lost = stat_now(d, tg).ledger.lost;

	at(d, t);
	tick(d, 0);
	return stat_now(d, tg).ledger.lost - lost;
}

/*
 * L is 1 at 200.  By deadline and by sequence: the global side has not moved, so the deadline is extended by a tick; 204:
 * -3, drawn to 5; 206: refill; 208: 1 ms of the old period is left and dies, correctly.  Inverted: what has *not* moved is
 * taken for expired, at 200 and again at 204; at 208, when the period has turned, the deadline is merely extended.
 * Without expiry nothing is lost.
 */
TEST(bw22, a_late_refill)
{
	static const struct {
		const char *row;
		u64 lost[3], held[3]; /* at 200, 204, 208, ms */
	} rows[] = {
		{ "3.2", { 0, 0, 1 }, { 1, 5, 5 } },	  { "4.14.133", { 0, 0, 1 }, { 1, 5, 5 } },
		{ "4.18", { 0, 0, 1 }, { 1, 5, 5 } },	  { "5.3", { 0, 0, 1 }, { 1, 5, 5 } },
		{ "3.16", { 1, 1, 0 }, { 5, 5, 1 } },	  { "4.2", { 1, 1, 0 }, { 5, 5, 1 } },
		{ "4.14", { 1, 1, 0 }, { 5, 5, 1 } },	  { "5.4", { 0, 0, 0 }, { 1, 5, 1 } },
		{ "5.10", { 0, 0, 0 }, { 1, 5, 1 } },	  { "6.4", { 0, 0, 0 }, { 1, 5, 1 } },
	};
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *tg = hog_since_100(&d, rows[i].row, NULL);

		for (k = 0; k < 3; k++) {
			if (k == 2) {
				at(&d, 206 * MS);
				fire(&d, TIMER_PERIOD, tg);
			}
			CHECK_ROW(lost_at(&d, tg, (200 + 4 * k) * MS), rows[i].lost[k] * MS, rows[i].row);
			CHECK_ROW(queue(&d, tg, 0).runtime_remaining, rows[i].held[k] * MS, rows[i].row);
		}
		driver_fini(&d);
	}
}

/* A slack timer that is late, less than 2 ms before the refresh, leaves it to that. */
TEST(bw18, a_late_slack_timer_gives_way_to_the_refresh)
{
	static const struct {
		u64 fires;
		bool releases;
	} rows[] = { { 97 * MS, true }, { 98 * MS, true }, { 98 * MS + 1, false }, { 99 * MS, false } };
	u32 i, cpu;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *tg;

		driver_of(&d, .cpus = 4);
		tg = limited(&d, NULL, 15 * MS, 100 * MS);
		at(&d, 50 * MS);
		for (cpu = 0; cpu < 4; cpu++)
			start(&d, sleeper(&d, tg, (int)cpu));
		CHECK(queue(&d, tg, 3).throttled);
		block(&d, 0);
		block(&d, 1);
		CHECK_EQ(timer_of(&d, TIMER_SLACK, tg)->when, 55 * MS);
		at(&d, rows[i].fires);
		fire(&d, TIMER_SLACK, tg);
		CHECK_EQ(queue(&d, tg, 3).throttled, !rows[i].releases);
		driver_fini(&d);
	}
}

/* ---- 7.2: release by interrupt (6.3) ---- */

/* CPUs 0 to 2 throttled, in this order; the timer is CPU 0's, and each queue of the walk takes 10 us. */
static struct task_group *three_throttled(struct driver *d)
{
	struct task_group *tg;
	int cpu;

	driver_of(d, .cpus = 5, .row = "6.4");
	tg = limited(d, NULL, 10 * MS, 100 * MS);
	for (cpu = 4; cpu > 2; cpu--)
		start(d, sleeper(d, tg, cpu));
	for (cpu = 0; cpu < 3; cpu++)
		start(d, sleeper(d, tg, cpu));
	CHECK_EQ(stat_now(d, tg).throttled_cpus, 3);
	d->walk_cost = 10 * US;
	return tg;
}

/* The timer's own queue is first on the list and is released last, when the walk is over. */
TEST(unthrottle, the_timers_own_queue_is_last)
{
	struct driver d;
	struct task_group *tg = three_throttled(&d);

	at(&d, 100 * MS);
	fire(&d, TIMER_PERIOD, tg); /* pays CPU 0 */
	CHECK_EQ(queue(&d, tg, 0).runtime_remaining, 1);
	CHECK(queue(&d, tg, 0).throttled);
	at(&d, 100010 * US);
	fire(&d, TIMER_DISTRIBUTE, tg); /* CPU 1, by interrupt */
	CHECK(queue(&d, tg, 0).throttled);
	CHECK(!queue(&d, tg, 1).throttled);
	at(&d, 100020 * US);
	fire(&d, TIMER_DISTRIBUTE, tg); /* CPU 2, and then 0 */
	CHECK(!queue(&d, tg, 0).throttled);
	CHECK_EQ(d.last[EVENT_BW_UNTHROTTLE].time, 100020 * US);
	driver_fini(&d);
}

/* A queue that waits for its interrupt is paid for, stays on the list, and is not paid again. */
TEST(unthrottle, who_waits_for_the_interrupt_is_not_paid_again)
{
	struct driver d;
	struct task_group *tg = three_throttled(&d);
	u64 left;

	d.walk_cost = 0;
	at(&d, 100 * MS);
	lab_timer(d.lab, 0, TIMER_PERIOD, tg); /* nobody hears the interrupts */
	CHECK_EQ(stat_now(&d, tg).throttled_cpus, 2);
	CHECK(queue(&d, tg, 1).throttled);
	CHECK_EQ(queue(&d, tg, 1).runtime_remaining, 1);
	at(&d, 200 * MS);
	lab_timer(d.lab, 0, TIMER_PERIOD, tg);
	CHECK_EQ(queue(&d, tg, 1).runtime_remaining, 1);
	left = pool(&d, tg).runtime;
	at(&d, 200050 * US);
	obey_kicks(&d);
	CHECK_EQ(stat_now(&d, tg).throttled_cpus, 0);
	CHECK_EQ(pool(&d, tg).runtime, left);
	driver_fini(&d);
}

/* ---- bw-29: a callback that is late by more than a period ---- */

/* Two of three periods are lost: nr_periods += 3, one refill; nr_throttled += 3 where something waits. */
TEST(bw29, missed_periods_are_counted_but_not_refilled)
{
	static const struct {
		const char *row;
		u64 burst, pool;
	} rows[] = { { "3.2", 0, 10 }, { "5.10", 0, 10 }, { "6.1", 0, 10 }, { "6.1", 4, 14 } };
	u32 i, waits;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (waits = 0; waits < 2; waits++) {
			struct driver d;
			struct task_group *tg;

			driver_of(&d, .cpus = 2, .row = rows[i].row, .rules = { "bw_phase=grid" });
			tg = limited(&d, NULL, 10 * MS, 100 * MS);
			if (rows[i].burst)
				lab_write(d.lab, 0, tg, KNOB_BURST, rows[i].burst * MS, 0, NULL);
			start(&d, sleeper(&d, tg, 0));
			at(&d, (waits ? 20 : 3) * MS);
			tick(&d, 0);
			if (!waits)
				block(&d, 0);
			CHECK_ROW(queue(&d, tg, 0).throttled, waits, rows[i].row);
			at(&d, 350 * MS);
			fire(&d, TIMER_PERIOD, tg);
			CHECK_ROW(stat_now(&d, tg).nr_periods, 3, rows[i].row);
			CHECK_ROW(stat_now(&d, tg).nr_throttled, waits ? 3 : 0, rows[i].row);
			if (!waits)
				CHECK_ROW(pool(&d, tg).runtime, rows[i].pool * MS, rows[i].row);
			CHECK_ROW(timer_of(&d, TIMER_PERIOD, tg)->when, 400 * MS, rows[i].row);
			driver_fini(&d);
		}
	}
}

/* ---- bw-30: a callback that cannot keep up ---- */

/*
 * The fourth loop of one callback stretches: x 147/128 cut off, at most 1 s, in 5.1 to 5.3 (the ratio of 33.333 in 100 ms
 * slips from 349521 to 349516); doubled from 5.4 on, but only below 1 s.
 */
TEST(bw30, the_fourth_loop_stretches_the_period)
{
	static const struct {
		const char *row;
		u64 period, quota, burst, period_after, quota_after, burst_after;
	} rows[] = {
		{ "4.18", 1 * MS, 1 * MS, 0, 1 * MS, 1 * MS, 0 },
		{ "5.3", 1 * MS, 1 * MS, 0, 1148437, 1148437, 0 },
		{ "5.4", 1 * MS, 1 * MS, 0, 2 * MS, 2 * MS, 0 },
		{ "5.10", 1 * MS, 1 * MS, 0, 2 * MS, 2 * MS, 0 },
		{ "6.1", 1 * MS, 1 * MS, 500 * US, 2 * MS, 2 * MS, 1 * MS },
		{ "5.3", 500 * MS, 250 * MS, 0, 574218750, 287109375, 0 },
		{ "5.4", 500 * MS, 250 * MS, 0, 500 * MS, 250 * MS, 0 },
		{ "5.10", 500 * MS, 250 * MS, 0, 500 * MS, 250 * MS, 0 },
		{ "5.3", 900 * MS, 450 * MS, 0, 1 * SEC, 500 * MS, 0 },
		{ "5.3", 100 * MS, 33333 * US, 0, 114843750, 38280867, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *tg = crowd_in_debt(&d, rows[i].row, NULL, rows[i].quota, rows[i].period, rows[i].burst);

		fire_slowly(&d, tg, 2 * rows[i].period, rows[i].period + 10 * US);
		CHECK_ROW(pool(&d, tg).period, rows[i].period_after, rows[i].row);
		CHECK_ROW(pool(&d, tg).quota, rows[i].quota_after, rows[i].row);
		CHECK_ROW(pool(&d, tg).burst, rows[i].burst_after, rows[i].row);
		driver_fini(&d);
	}
}

/* A callback that takes three periods, or a walk that keeps up, changes nothing. */
TEST(bw30, who_keeps_up_is_left_alone)
{
	struct driver d;
	struct task_group *tg = crowd_in_debt(&d, "5.10", NULL, 1 * MS, 1 * MS, 0);

	fire_slowly(&d, tg, 2 * MS, 10 * US);
	CHECK_EQ(pool(&d, tg).period, 1 * MS);
	CHECK_EQ(pool(&d, tg).quota, 1 * MS);
	driver_fini(&d);
}

/* ---- bw-35: a CPU that goes ---- */

/* To 3.15 the queue is given a whole quota, outside the pool; from 3.16 on 1 ns. */
TEST(bw35, what_an_offline_cpu_is_given)
{
	static const struct {
		const char *row;
		s64 left;
	} rows[] = { { "3.2", 20 * MS }, { "3.16", 1 }, { "4.14.133", 1 }, { "5.10", 1 }, { "6.4", 1 } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *tg;
		struct task_struct *p;
		u64 pool_before;

		driver_of(&d, .cpus = 2, .row = rows[i].row);
		tg = limited(&d, NULL, 20 * MS, 100 * MS);
		p = sleeper(&d, tg, 1);
		start(&d, p);
		at(&d, 24 * MS);
		tick(&d, 1);
		CHECK_ROW(queue(&d, tg, 1).throttled, true, rows[i].row);
		pool_before = pool(&d, tg).runtime;
		lab_hotplug(d.lab, 1, false);
		CHECK_ROW(queue(&d, tg, 1).throttled, false, rows[i].row);
		CHECK_ROW(queue(&d, tg, 1).runtime_remaining, rows[i].left, rows[i].row);
		obey_kicks(&d);
		CHECK_ROW(pool(&d, tg).runtime, pool_before, rows[i].row);
		driver_fini(&d);
	}
}

/* Until 6.13 the others are reset as well: a CPU that goes releases what is throttled elsewhere. */
TEST(bw35, a_hotplug_releases_every_cpu)
{
	static const char *const rules[] = { "bw_hotplug=all", "bw_hotplug=own" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct driver d;
		struct task_group *tg;

		driver_of(&d, .cpus = 3, .rules = { rules[i] });
		tg = limited(&d, NULL, 10 * MS, 100 * MS);
		start(&d, sleeper(&d, tg, 0));
		at(&d, 12 * MS);
		tick(&d, 0);
		CHECK_ROW(queue(&d, tg, 0).throttled, true, rules[i]);
		lab_hotplug(d.lab, 2, false);
		CHECK_ROW(queue(&d, tg, 0).throttled, i, rules[i]);
		CHECK_ROW(queue(&d, tg, 0).runtime_remaining, i ? -2 * (s64)MS : 1, rules[i]);
		CHECK_ROW(queue(&d, tg, 0).runtime_enabled, true, rules[i]);
		driver_fini(&d);
	}
}

/* A write does not reach a CPU that is offline; it enforces what holds when it comes back. */
TEST(bw35, a_write_passes_by_an_offline_cpu)
{
	struct driver d;
	struct task_group *tg;

	driver_of(&d, .cpus = 2);
	tg = limited(&d, NULL, 20 * MS, 100 * MS);
	start(&d, sleeper(&d, tg, 1));
	block(&d, 1);
	lab_hotplug(d.lab, 1, false);
	CHECK_EQ(queue(&d, tg, 1).runtime_remaining, 1);
	CHECK(!queue(&d, tg, 1).runtime_enabled);
	write_limit(&d, tg, 30 * MS, 100 * MS);
	CHECK_EQ(queue(&d, tg, 1).runtime_remaining, 1);
	CHECK(!queue(&d, tg, 1).runtime_enabled);
	lab_hotplug(d.lab, 1, true);
	CHECK(queue(&d, tg, 1).runtime_enabled);
	driver_fini(&d);
}

/*
 * To 4.6 a group that is created below a throttled one does not count it; one that was there before does, although its
 * queue here appears only when the first thread comes.
 */
TEST(throttle_count, of_groups_older_and_younger_than_the_throttle)
{
	static const char *const rows[] = { "3.2", "4.2", "4.14", "5.10" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *parent, *older, *younger;
		bool counts = i >= 2;

		driver_of(&d, .row = rows[i]);
		parent = limited(&d, NULL, 5 * MS, 100 * MS);
		older = limited(&d, parent, RUNTIME_INF, 0);
		start(&d, sleeper(&d, parent, 0));
		at(&d, 8 * MS);
		tick(&d, 0);
		CHECK_ROW(queue(&d, parent, 0).throttled, true, rows[i]);
		younger = limited(&d, parent, RUNTIME_INF, 0);
		start(&d, sleeper(&d, older, 0));
		start(&d, sleeper(&d, younger, 0));
		CHECK_ROW(queue(&d, older, 0).throttle_count, 1, rows[i]);
		CHECK_ROW(queue(&d, younger, 0).throttle_count, counts, rows[i]);
		at(&d, 100 * MS);
		fire(&d, TIMER_PERIOD, parent);
		CHECK_ROW(queue(&d, older, 0).throttle_count, 0, rows[i]);
		CHECK_ROW((s32)queue(&d, younger, 0).throttle_count, counts ? 0 : -1, rows[i]);
		driver_fini(&d);
	}
}

/* ---- bw-40: where periods begin ---- */

static struct testbed *two_groups_of(const char *row, u64 seed)
{
	struct testbed *m = machine_of(.cpus = 2, .row = row, .seed = seed, .random_phase = true);

	group(m, "/a", NO_LIMIT, 100 * MS);
	group(m, "/b", NO_LIMIT, 100 * MS);
	write_at(m, 3 * MS, "/a", "cpu.max", "20000 100000", NULL);
	write_at(m, 57 * MS, "/b", "cpu.max", "20000 100000", NULL);
	hog(m, "/a", 0, 0);
	hog(m, "/b", 1, 0);
	return m;
}

/* To 6.3 both refill at 100, 200, ..., whenever they were enabled. */
TEST(bw40, one_grid_for_all_groups)
{
	static const char *const rows[] = { "3.2", "3.16", "4.2", "4.14", "4.18", "5.3", "5.4", "5.10", "5.15", "6.1" };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = two_groups_of(rows[i], 1);

		run_until(m, 501 * MS);
		CHECK_ROW(count_events(m, EVENT_BW_PERIOD), 10, rows[i]);
		for (k = 0; k < 10; k++)
			CHECK_ROW(nth_event(m, EVENT_BW_PERIOD, k).time, (k / 2 + 1) * 100 * MS, rows[i]);
		done(m);
	}
}

/* From 6.4 on each group has a phase of its own, anywhere in 100 ms. */
TEST(bw40, each_group_has_its_own_phase)
{
	u64 lowest = NEVER, highest = 0, seed;
	u32 same = 0;

	for (seed = 1; seed <= 60; seed++) {
		struct testbed *m = two_groups_of("6.4", seed);
		u64 a, b;

		run_until(m, 301 * MS);
		a = pool_of(m, "/a").period_expires % (100 * MS);
		b = pool_of(m, "/b").period_expires % (100 * MS);
		same += a == b;
		lowest = min_u64(lowest, min_u64(a, b));
		highest = max_u64(highest, max_u64(a, b));
		done(m);
	}
	CHECK_EQ(same, 0);
	CHECK_WITHIN(lowest, 0, 5 * MS);
	CHECK_WITHIN(highest, 95 * MS, 100 * MS - 1);
}
