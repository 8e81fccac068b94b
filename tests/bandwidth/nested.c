/* SPDX-License-Identifier: MIT */
/*
 * nested.c - limits on several levels, empty queues, kernel work, and what cpu.stat says of each.
 *
 * Worked examples bw-26, bw-27, bw-28 and bw-31 of docs/rules/bandwidth.md section 12, and C16, C17 of
 * bandwidth-fair-checked.md.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/*
 * 5.5 ms of work at 0, quota 5: the tick at 4 leaves L = 1; at 5.5 L = -0.5, nothing is granted, and the queue that the
 * task has just left is throttled.  It pays 0.5 + 1n at 100, and 94.5 ms of throttled time are counted although nobody
 * waited.
 */
TEST(bw26, an_empty_queue_is_throttled_and_counted)
{
	struct testbed *m = machine_of();

	group(m, "/web", 5 * MS, 100 * MS);
	program(m, "/web", 0, 0, RUN(5500 * US));
	run_until(m, 4 * MS + 1);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 1 * MS);
	run_until(m, 99 * MS);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, -500 * (s64)US);
	CHECK(queue_of(m, "/web", 0).throttled);
	CHECK_EQ(queue_of(m, "/web", 0).nr_running, 0);
	run_until(m, 100 * MS + 1);
	CHECK_EQ(queue_of(m, "/web", 0).runtime_remaining, 1);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 1);
	CHECK_EQ(stat_of(m, "/web").throttled_time, 94500 * US);
	done(m);
}

/* From 6.6 on an empty queue does not count; one that gets a task at 60 counts from then. */
TEST(bw26, an_empty_queue_is_not_counted_from_6_6)
{
	struct testbed *m = machine_of(.rules = { "bw_empty_time=queued" });

	group(m, "/web", 5 * MS, 100 * MS);
	program(m, "/web", 0, 0, RUN(5500 * US));
	program(m, "/web", 0, 160 * MS, RUN(5500 * US));
	group(m, "/late", 5 * MS, 100 * MS);
	program(m, "/late", 0, 20 * MS, RUN(5500 * US));
	program(m, "/late", 0, 60 * MS, RUN(100 * US));
	run_until(m, 100 * MS + 1);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 1);
	CHECK_EQ(stat_of(m, "/web").throttled_time, 0);
	CHECK_EQ(stat_of(m, "/late").throttled_time, 40 * MS);
	done(m);
}

/* Parent 50, child 80, one hog, a tick each ms. */
static struct testbed *parent_and_child(const char *row, const char *rule, int cgroup, u32 *task)
{
	struct testbed *m = machine_of(.hz = 1000, .row = row, .rules = { rule }, .cgroup = cgroup);

	group(m, "/p", 50 * MS, 100 * MS);
	group(m, "/p/c", 80 * MS, 100 * MS);
	*task = hog(m, "/p/c", 0, 0);
	return m;
}

/* Accepted from 4.16 on: the parent stops the hog at 50 in each period, and only the parent's counters show it. */
TEST(bw27, only_the_parent_shows_it)
{
	static const char *const rows[] = { "4.18", "5.3", "5.4", "5.10", "5.15", "6.1", "6.4" };
	u32 t, i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = parent_and_child(rows[i], NULL, 2, &t);

		run_until(m, 1 * SEC + 1);
		for (k = 0; k < 10; k++) {
			CHECK_ROW(nth_run(m, t, k).from, k * 100 * MS, rows[i]);
			CHECK_ROW(nth_run(m, t, k).to, k * 100 * MS + 50 * MS, rows[i]);
		}
		CHECK_ROW(stat_of(m, "/p").nr_throttled, 10, rows[i]);
		CHECK_ROW(stat_of(m, "/p").throttled_time, 500 * MS, rows[i]);
		CHECK_ROW(stat_of(m, "/p/c").nr_periods, 10, rows[i]);
		CHECK_ROW(stat_of(m, "/p/c").nr_throttled, 0, rows[i]);
		CHECK_ROW(stat_of(m, "/p/c").throttled_time, 0, rows[i]);
		CHECK_ROW(stat_of(m, "/p/c").throttled_local, 0, rows[i]); /* no cpu.stat.local yet */
		done(m);
	}
}

/*
 * From 6.6 on the child's cpu.stat.local shows what the parent took; it starts with the first task that is queued under
 * the throttle.
 */
TEST(bw27, cpu_stat_local_shows_it_from_6_6)
{
	struct testbed *m = machine_of(.hz = 1000, .rules = { "bw_stat_local=on" });

	group(m, "/p", 50 * MS, 100 * MS);
	group(m, "/p/c", 80 * MS, 100 * MS);
	group(m, "/p/late", NO_LIMIT, 100 * MS);
	group(m, "/p/empty", NO_LIMIT, 100 * MS);
	hog(m, "/p/c", 0, 0);
	program(m, "/p/late", 0, 70 * MS, RUN(1 * MS));
	program(m, "/p/empty", 0, 0, RUN(1 * MS));
	run_until(m, 99 * MS);
	CHECK_EQ(stat_of(m, "/p/c").throttled_local, 0); /* not while it lasts */
	run_until(m, 100 * MS + 1);
	CHECK_EQ(stat_of(m, "/p").throttled_local, 50 * MS);
	CHECK_EQ(stat_of(m, "/p/c").throttled_local, 50 * MS);
	CHECK_EQ(stat_of(m, "/p/late").throttled_local, 30 * MS);
	CHECK_EQ(stat_of(m, "/p/empty").throttled_local, 0);
	CHECK_EQ(stat_of(m, "/p/c").throttled_time, 0);
	done(m);
}

/* cgroup 1, and cgroup 2 in 4.15, refuse the child: 838860 > 524288. */
TEST(bw27, cgroup_1_and_4_15_refuse_the_child)
{
	static const struct {
		const char *row, *rule;
		int cgroup;
	} rows[] = {
		{ "5.10", NULL, 1 }, { "3.2", NULL, 1 }, { "6.4", NULL, 1 }, { "4.18", "bw_v2_hierarchy=refuse", 2 },
		{ "6.1", "bw_v2_hierarchy=refuse", 2 },
	};
	u32 t, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = parent_and_child(rows[i].row, rows[i].rule, rows[i].cgroup, &t);
		const char *error = run_until_error(m, 1 * MS);

		CHECK(error && strstr(error, "EINVAL") && strstr(error, "parent"));
		done(m);
	}
}

/* Ratios are 20 bits behind the point, cut off: 33333/100000 and 333330/1000000 are both 349521, 33334/100000 is 349532. */
TEST(bw28, ratios_are_compared_as_cut_off_integers)
{
	static const struct {
		const char *period, *quota, *expect;
	} rows[] = { { "1000000", "333330", NULL }, { "100000", "33333", NULL }, { "100000", "33334", "EINVAL" } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of(.cgroup = 1);

		group_write(m, "/p", "cpu.cfs_quota_us", "33333", NULL);
		group_write(m, "/p/c", "cpu.cfs_period_us", rows[i].period, NULL);
		group_write(m, "/p/c", "cpu.cfs_quota_us", rows[i].quota, rows[i].expect);
		run_until(m, 1);
		CHECK_EQ(pool_of(m, "/p").hierarchical_quota, 349521);
		CHECK_EQ(pool_of(m, "/p/c").hierarchical_quota, 349521); /* refused: it inherits the parent's */
		done(m);
	}
}

/* One thread enters a system call of 30 ms at t = 4; quota 5, a tick each ms. */
static struct testbed *caller_of(enum preempt_model preempt, bool resched_point, u32 *task)
{
	struct testbed *m = machine_of(.hz = 1000, .preempt = preempt);
	struct step call = SYS(30 * MS);

	if (resched_point)
		call.flags |= STEP_RESCHED_POINT;
	group(m, "/web", 5 * MS, 100 * MS);
	*task = program(m, "/web", 0, 0, RUN(4 * MS), call, RUN(10 * SEC));
	return m;
}

/* bw-31 for B1 to B8, full preemption: stopped at 5 inside the call, no debt, 5 ms in each period, with its locks held. */
TEST(bw31, a_preemptible_kernel_stops_inside_the_call)
{
	u32 t, k;
	struct testbed *m = caller_of(PREEMPT_FULL, false, &t);

	run_until(m, 1 * SEC);
	for (k = 0; k < 10; k++) {
		CHECK_EQ(nth_run(m, t, k).from, k * 100 * MS);
		CHECK_EQ(nth_run(m, t, k).to, k * 100 * MS + 5 * MS);
	}
	done(m);
}

/*
 * C16: without a point to reschedule the call runs to its end at 34 and L = -29: out until 600, as in B9; with one it
 * stops at 5.
 */
TEST(bw31, a_call_without_a_reschedule_point_becomes_debt)
{
	u32 t;
	struct testbed *m = caller_of(PREEMPT_NONE, false, &t);

	run_until(m, 600 * MS + 1);
	CHECK_EQ(nth_run(m, t, 0).to, 34 * MS);
	CHECK_EQ(nth_event(m, EVENT_BW_THROTTLE, 0).arg, -29 * (s64)MS);
	CHECK_EQ(nth_run(m, t, 1).from, 600 * MS);
	CHECK_EQ(stat_of(m, "/web").nr_throttled, 6);
	done(m);
	m = caller_of(PREEMPT_NONE, true, &t);
	run_until(m, 200 * MS);
	CHECK_EQ(nth_run(m, t, 0).to, 5 * MS);
	CHECK_EQ(nth_run(m, t, 1).to, 105 * MS);
	done(m);
}

/*
 * C17: parent 30, children 20 and 20: only the parent ever throttles.  The hogs start 10 us behind a tick, as real ones
 * do; exactly on it the first child would have used up its 20 ms at the very tick at which the parent stops it.
 */
TEST(c17, children_that_fit_never_throttle)
{
	struct testbed *m = machine_of(.cpus = 2);

	group(m, "/p", 30 * MS, 100 * MS);
	group(m, "/p/a", 20 * MS, 100 * MS);
	group(m, "/p/b", 20 * MS, 100 * MS);
	hog(m, "/p/a", 0, 10 * US);
	hog(m, "/p/b", 1, 10 * US);
	run_until(m, 1 * SEC);
	CHECK_EQ(stat_of(m, "/p").nr_throttled, 9);
	CHECK_EQ(stat_of(m, "/p/a").nr_throttled, 0);
	CHECK_EQ(stat_of(m, "/p/b").nr_throttled, 0);
	done(m);
}

/*
 * C17: parent 30, children 10 and 40, phases apart.  A child that its own timer releases while the parent's pool is empty
 * runs to the next tick: with the grids 2.5 ms off the ticks that is 1.5 ms, and it is the parent that throttles it then.
 */
TEST(c17, a_released_child_runs_to_the_next_tick)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 a;

	group(m, "/p", 30 * MS, 100 * MS);
	group(m, "/p/a", 10 * MS, 100 * MS);
	group_phase(m, "/p/a", 62500 * US);
	group(m, "/p/b", 40 * MS, 100 * MS);
	a = hog(m, "/p/a", 0, 0);
	hog(m, "/p/b", 1, 0);
	run_until(m, 100 * MS);
	CHECK(nth_run(m, a, 0).to < 24 * MS);
	CHECK_EQ(nth_run(m, a, 1).from, 62500 * US);
	CHECK_EQ(nth_run(m, a, 1).to, 64 * MS);
	CHECK(queue_of(m, "/p", 0).throttled);
	CHECK(!queue_of(m, "/p/a", 0).throttled);
	done(m);
}
