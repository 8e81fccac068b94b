/* SPDX-License-Identifier: MIT */
/*
 * crowd.c - many CPUs under one limit: each takes its slice, each overruns by its own tick, and the list decides who is next.
 *
 * Worked examples bw-11 to bw-14, bw-34, bw-37 and bw-41 of docs/rules/bandwidth.md section 12 and bandwidth-fair-checked.md.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* @nr hogs, one on each CPU. */
static struct testbed *hogs_of(int nr, u64 quota, u64 period, u32 hz, const char *row, u32 *task)
{
	struct testbed *m = machine_of(.cpus = nr, .hz = hz, .row = row);
	int cpu;

	group(m, "/web", quota, period);
	for (cpu = 0; cpu < nr; cpu++)
		task[cpu] = hog(m, "/web", cpu, 0);
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

/*
 * A quota as large as the machine throttles all the same: each CPU holds up to a slice that it has not used.  At 96 seven
 * CPUs have drawn 5 + 11 * 8 + 8 and nothing is left for the eighth.
 *
 * The example says that CPUs 3 to 6 are the ones at 296.  By its own convention, ticks in CPU order, it is CPUs 4 to 7:
 * from 104 on all eight draw 8 ms at the same ticks, 800 - 12 * 64 = 32 ms are left at 296, and the first four CPUs take
 * them.
 */
TEST(bw11, a_quota_of_the_whole_machine_throttles)
{
	u32 t[8], i;
	struct testbed *m = hogs_of(8, 800 * MS, 100 * MS, 250, "5.10", t);

	run_until(m, 400 * MS);
	CHECK_EQ(count_events(m, EVENT_BW_THROTTLE), 5);
	CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 0).time, 96 * MS);
	CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 0).cpu, 7);
	CHECK_EQ(nth_run(m, t[7], 1).from, 100 * MS);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 1 + i).time, 296 * MS);
		CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 1 + i).cpu, 4 + i);
		CHECK_EQ(nth_event(m, EVENT_BW_UNTHROTTLE, 1 + i).time, 300 * MS);
	}
	CHECK_EQ(stat_of(m, "/web").nr_periods, 3);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 2);
	done(m);
}

/*
 * Davydov's question of 2011: two CPUs, half of one, two hogs.  Nobody gathers them: both run for a quarter of the period
 * and stop together; the sum of their throttled times is more than the wall time.
 */
TEST(bw12, davydov_both_cpus_run_and_stop_together)
{
	u32 t[2], k;
	struct testbed *m = hogs_of(2, 500 * MS, 1 * SEC, 1000, "5.10", t);

	run_until(m, 3 * SEC + 1);
	CHECK_EQ(nth_run(m, t[0], 0).to, 250 * MS);
	CHECK_EQ(nth_run(m, t[1], 0).to, 250 * MS);
	for (k = 1; k < 3; k++) {
		CHECK_EQ(ran(m, t[0], k * SEC, (k + 1) * SEC), 251 * MS);
		CHECK_EQ(ran(m, t[1], k * SEC, (k + 1) * SEC), 249 * MS);
	}
	CHECK_EQ(stat_of(m, "/web").throttled_time, 4500 * MS);
	done(m);
}

/* With HZ 250 the first period uses 504: the CPU whose tick comes first takes the last slice and overruns it by a tick. */
TEST(bw12, davydov_at_hz_250)
{
	u32 t[2], k;
	struct testbed *m = hogs_of(2, 500 * MS, 1 * SEC, 250, "5.10", t);

	run_until(m, 4 * SEC);
	CHECK_EQ(all_ran(m, t, 2, 0, 1 * SEC), 504 * MS);
	for (k = 1; k < 4; k++)
		CHECK_EQ(all_ran(m, t, 2, k * SEC, (k + 1) * SEC), 500 * MS);
	done(m);
}

/* At t = 0 two CPUs get 5 ms, 34 are throttled at enqueue; the two owe 3 each; then all 36 get 1 ns and run a whole tick. */
TEST(bw13, thirty_six_hogs_overrun_by_a_tick_each)
{
	u32 t[36], k;
	struct testbed *m = hogs_of(36, 10 * MS, 100 * MS, 250, "5.10", t);

	run_until(m, 1);
	CHECK_EQ(stat_of(m, "/web").throttled_cpus, 34);
	run_until(m, 100 * MS);
	CHECK_EQ(nth_run(m, t[0], 0).to, 8 * MS);
	CHECK_EQ(nth_run(m, t[1], 0).to, 8 * MS);
	CHECK_EQ(stat_of(m, "/web").ledger.held, -6 * (s64)MS);
	run_until(m, 200 * MS);
	CHECK_EQ(all_ran(m, t, 36, 100 * MS, 200 * MS), 36 * 4 * MS);
	for (k = 2; k < 30; k++) {
		run_until(m, (k + 1) * 100 * MS);
		CHECK_EQ(all_ran(m, t, 36, k * 100 * MS, (k + 1) * 100 * MS), (k % 2 ? 8 : 12) * MS);
	}
	done(m);
}

/* FIFO: the standing debt is about 130 ms once the period has paid, and a CPU has a turn of 4 ms each 14 periods. */
TEST(bw13, fifo_gives_each_cpu_its_turn)
{
	u32 t[36], cpu;
	struct testbed *m = hogs_of(36, 10 * MS, 100 * MS, 250, "5.10", t);

	run_until(m, 2 * SEC + 1);
	CHECK_WITHIN(stat_of(m, "/web").ledger.held, -133 * (s64)MS, -128 * (s64)MS);
	run_until(m, 6 * SEC);
	for (cpu = 0; cpu < 36; cpu++) {
		u64 gap = nth_run(m, t[cpu], 3).from - nth_run(m, t[cpu], 2).from;

		CHECK_WITHIN(gap, 1300 * MS, 1500 * MS);
		CHECK_EQ(nth_run(m, t[cpu], 3).to - nth_run(m, t[cpu], 3).from, 4 * MS);
	}
	done(m);
}

/*
 * LIFO (3.17-4.18): the same totals, but the most recently throttled are served first, and most CPUs never run again.
 *
 * The example gives three CPUs 96 to 100 ms each after 3 s.  By its own convention, ticks in CPU order, the three share
 * the same 292 ms otherwise: who is throttled last at a tick, the highest CPU, stands first. 35 and 34 are paid in full in
 * each period (4 + 28 * 4 = 116), the 2 ms that are left pay 33 in every second one (4 + 14 * 4 = 60).
 */
TEST(bw14, lifo_starves_most_cpus)
{
	static const char *const rows[] = { "4.2", "4.14", "4.18" };
	u32 t[36], cpu, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = hogs_of(36, 10 * MS, 100 * MS, 250, rows[i], t);

		run_until(m, 3 * SEC);
		CHECK_ROW(all_ran(m, t, 36, 0, 3 * SEC), (16 + 144 + 28 * 10) * MS, rows[i]);
		for (cpu = 2; cpu < 33; cpu++)
			CHECK_ROW(ran(m, t[cpu], 0, 3 * SEC), 4 * MS, rows[i]);
		CHECK_ROW(ran(m, t[33], 0, 3 * SEC), 60 * MS, rows[i]);
		CHECK_ROW(ran(m, t[34], 0, 3 * SEC), 116 * MS, rows[i]);
		CHECK_ROW(ran(m, t[35], 0, 3 * SEC), 116 * MS, rows[i]);
		done(m);
	}
}

/* Writing the same limit again forgives every debt, releases every queue and fills the pool. */
TEST(bw34, a_write_forgives)
{
	u32 t[36], cpu;
	struct testbed *m = hogs_of(36, 10 * MS, 100 * MS, 250, "5.10", t);

	write_at(m, 1050 * MS, "/web", "cpu.max", "10000 100000", NULL);
	run_until(m, 1050 * MS);
	CHECK_EQ(stat_of(m, "/web").throttled_cpus, 36);
	run_until(m, 1050 * MS + 1);
	CHECK_EQ(stat_of(m, "/web").throttled_cpus, 0);
	CHECK_EQ(stat_of(m, "/web").ledger.held, 0);
	CHECK_EQ(pool_of(m, "/web").runtime, 10 * MS);
	CHECK_EQ(pool_of(m, "/web").period_expires, 1100 * MS); /* the period in progress goes on */
	run_until(m, 1060 * MS);
	for (cpu = 0; cpu < 36; cpu++)
		CHECK(ran(m, t[cpu], 1050 * MS, 1060 * MS) > 0);
	done(m);
}

/* From 6.18 on a write leaves 1 ns on each CPU. */
TEST(bw34, what_a_write_leaves)
{
	struct testbed *m = machine_of(.rules = { "bw_write_leaves=one" });

	group(m, "/web", 10 * MS, 100 * MS);
	hog(m, "/web", 0, 0);
	write_at(m, 50 * MS, "/web", "cpu.max", "10000 100000", NULL);
	run_until(m, 50 * MS + 1);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 1);
	CHECK(!queue_of(m, "/web", 0).throttled);
	done(m);
}

/*
 * bw-41: a parent with the quota of one CPU, two children that may use 80 % each, a hog in each.  The children never
 * throttle; of the parent's 100 ms one CPU gets 48 and the other 52 in every period, and which one is short never changes:
 * at 48 the CPU whose tick comes later finds the pool empty.
 */
TEST(bw41, the_parent_is_shared_unevenly)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 a, b, k;

	group(m, "/p", 100 * MS, 100 * MS);
	group(m, "/p/a", 80 * MS, 100 * MS);
	group(m, "/p/b", 80 * MS, 100 * MS);
	a = hog(m, "/p/a", 0, 0);
	b = hog(m, "/p/b", 1, 0);
	run_until(m, 2 * SEC);
	CHECK_EQ(ran(m, a, 0, 100 * MS) + ran(m, b, 0, 100 * MS), 104 * MS);
	for (k = 1; k < 20; k++) {
		CHECK_EQ(ran(m, a, k * 100 * MS, (k + 1) * 100 * MS), 52 * MS);
		CHECK_EQ(ran(m, b, k * 100 * MS, (k + 1) * 100 * MS), 48 * MS);
	}
	CHECK_EQ(stat_of(m, "/p/a").nr_throttled, 0);
	CHECK_EQ(stat_of(m, "/p/b").nr_throttled, 0);
	CHECK_EQ(stat_of(m, "/p").nr_throttled, stat_of(m, "/p").nr_periods);
	done(m);
}
