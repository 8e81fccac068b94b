/* SPDX-License-Identifier: MIT */
/*
 * burst.c - what was not used may be used later, up to the burst (5.14).
 *
 * Worked examples bw-24, bw-25 and bw-39 of docs/rules/bandwidth.md section 12, and C14 of bandwidth-fair-checked.md.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/*
 * The pool starts at 20, as the burst is written first: that is allowed while there is no quota.  (With cpu.max first it
 * is 30: bw-25.  By cgroup 1, because a write of cpu.max would shrink the burst: bw-39.) 5 ms of work at 0 leave R = 14
 * and 1 ms on the CPU; 100: min(34, 30); a hog at 150 has 31 ms. 200: 30 were granted, 10 more than the quota: one burst
 * of 10 ms; then 20 in each period.
 */
TEST(bw24, an_idle_period_pays_for_a_burst)
{
	struct testbed *m = machine_of(.hz = 1000, .row = "6.1", .cgroup = 1);
	u32 t;

	group_write(m, "/web", "cpu.cfs_burst_us", "10000", NULL);
	group_write(m, "/web", "cpu.cfs_quota_us", "20000", NULL);
	t = program(m, "/web", 0, 0, RUN(5 * MS), AT(150 * MS), RUN(10 * SEC));
	run_until(m, 100 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime, 14 * MS);
	run_until(m, 100 * MS + 1);
	CHECK_EQ(pool_of(m, "/web").runtime, 30 * MS);
	run_until(m, 200 * MS);
	CHECK_EQ(nth_run(m, t, 1).from, 150 * MS);
	CHECK_EQ(nth_run(m, t, 1).to, 181 * MS);
	CHECK_EQ(stat_of(m, "/web").nr_bursts, 0);
	run_until(m, 200 * MS + 1);
	CHECK_EQ(stat_of(m, "/web").nr_bursts, 1);
	CHECK_EQ(stat_of(m, "/web").burst_time, 10 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime_expires, 300 * MS);
	run_until(m, 400 * MS + 1);
	CHECK_EQ(ran(m, t, 200 * MS, 300 * MS), 20 * MS);
	CHECK_EQ(ran(m, t, 300 * MS, 400 * MS), 20 * MS);
	CHECK_EQ(stat_of(m, "/web").nr_bursts, 1);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 3);
	done(m);
}

/* 5.15 has burst but does not count it (5.16). */
TEST(bw24, a_burst_is_counted_from_5_16)
{
	struct testbed *m = machine_of(.hz = 1000, .row = "5.15", .cgroup = 1);
	u32 t;

	group_write(m, "/web", "cpu.cfs_burst_us", "10000", NULL);
	group_write(m, "/web", "cpu.cfs_quota_us", "20000", NULL);
	t = program(m, "/web", 0, 0, RUN(5 * MS), AT(150 * MS), RUN(10 * SEC));
	run_until(m, 300 * MS);
	CHECK_EQ(nth_run(m, t, 1).to, 181 * MS);
	CHECK_EQ(stat_of(m, "/web").nr_bursts, 0);
	CHECK_EQ(stat_of(m, "/web").burst_time, 0);
	done(m);
}

/* Each write refills: cpu.max on a fresh group leaves R = 20, cpu.max.burst then min(40, 30). */
TEST(bw25, two_writes_fill_the_pool_to_quota_and_burst)
{
	struct testbed *m = machine_of(.row = "6.1");

	group(m, "/web", 20 * MS, 100 * MS);
	write_at(m, 5 * MS, "/web", "cpu.max.burst", "10000", NULL);
	run_until(m, 5 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime, 20 * MS);
	run_until(m, 5 * MS + 1);
	CHECK_EQ(pool_of(m, "/web").runtime, 30 * MS);
	done(m);
}

/* Two idle refills fill any burst, as it is at most the quota; the second is the one that stops the timer. */
TEST(bw25, the_stopping_tick_refills_too)
{
	struct testbed *m = machine_of(.row = "6.1");

	group(m, "/web", 20 * MS, 100 * MS);
	group_write(m, "/web", "cpu.max.burst", "20000", NULL);
	program(m, "/web", 0, 1 * MS, RUN(39 * MS));
	run_until(m, 100 * MS);
	CHECK_EQ(pool_of(m, "/web").runtime, 0);
	run_until(m, 100 * MS + 1);
	CHECK_EQ(pool_of(m, "/web").runtime, 20 * MS);
	CHECK(pool_of(m, "/web").period_active);
	run_until(m, 200 * MS + 1);
	CHECK_EQ(pool_of(m, "/web").runtime, 40 * MS);
	CHECK(!pool_of(m, "/web").period_active);
	done(m);
}

/* Three writes of cpu.max take a burst of 1 s down to 1000, 1 and 0 us; from 6.10 on (a rule here) it stays. */
TEST(bw39, each_write_of_cpu_max_divides_the_burst)
{
	static const u64 left[] = { 1000 * US, 1 * US, 0 };
	struct testbed *m = machine_of(.row = "6.1"), *fixed = machine_of(.row = "6.1", .rules = { "bw_burst_unit=right" });
	u32 i;

	for (i = 0; i < 2; i++) {
		struct testbed *each = i ? fixed : m;

		group_write(each, "/web", "cpu.max", "1000000 1000000", NULL);
		group_write(each, "/web", "cpu.max.burst", "1000000", NULL);
		write_at(each, 1 * MS, "/web", "cpu.max", "1000000 1000000", NULL);
		write_at(each, 2 * MS, "/web", "cpu.max", "1000000 1000000", NULL);
		write_at(each, 3 * MS, "/web", "cpu.max", "1000000 1000000", NULL);
	}
	for (i = 0; i < 3; i++) {
		run_until(m, (i + 1) * MS + 1);
		CHECK_EQ(stat_of(m, "/web").burst / US * US, left[i]);
	}
	run_until(fixed, 4 * MS);
	CHECK_EQ(stat_of(fixed, "/web").burst, 1 * SEC);
	done(m);
	done(fixed);
}

/* What is kept is ns: 1500 us become 1500 ns, of which the file shows 1. */
TEST(bw39, the_burst_is_taken_for_nanoseconds)
{
	struct testbed *m = machine_of(.row = "6.1");

	group(m, "/web", 20 * MS, 100 * MS);
	group_write(m, "/web", "cpu.max.burst", "1500", NULL);
	group(m, "/web", 20 * MS, 100 * MS);
	run_until(m, 1);
	CHECK_EQ(stat_of(m, "/web").burst, 1500);
	done(m);
}

/* C14: a write that lowers the quota makes what was granted before look like a burst at the next refill. */
TEST(c14, a_lowered_quota_counts_a_false_burst)
{
	struct testbed *m = machine_of(.row = "6.1");

	group(m, "/web", 40 * MS, 100 * MS);
	hog(m, "/web", 0, 0);
	write_at(m, 60 * MS, "/web", "cpu.max", "20000 100000", NULL);
	run_until(m, 60 * MS);
	CHECK_EQ(stat_of(m, "/web").nr_bursts, 0);
	run_until(m, 60 * MS + 1);
	CHECK_EQ(stat_of(m, "/web").nr_bursts, 1);
	CHECK_EQ(stat_of(m, "/web").burst_time, 20 * MS);
	done(m);
}
