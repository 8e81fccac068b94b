/* SPDX-License-Identifier: MIT */
/*
 * Whole machines with cpusets: what is written, where threads then run, and what a quota is worth there.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* The text as the kernel reads it: ranges, strides, blanks; no end before the start, no CPU that is not there. */
TEST(text, ranges_strides_and_blanks_and_what_is_no_list)
{
	static const struct { const char *text, *expect; u64 cpus; } rows[] = {
		{ "0-2", NULL, 0x7 }, { "0,3\n", NULL, 0x9 }, { " 1 , 2 ", NULL, 0x6 }, { "0-3:1/2", NULL, 0x5 }, { "", NULL, 0xf }, { "\n", NULL, 0xf },
		{ "2-1", "EINVAL", 0 }, { "a", "EINVAL", 0 }, { "1-", "EINVAL", 0 }, { "0-3:3/2", "EINVAL", 0 }, { "0;1", "EINVAL", 0 },
		{ "0-4", "ERANGE", 0 }, { "99999999999999999999", "ERANGE", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of(.cpus = 4, .row = "6.12");

		group(m, "/web", NO_LIMIT, 100 * MS);
		group_write(m, "/web", "cpuset.cpus", rows[i].text, rows[i].expect);
		run_until(m, 1 * MS);
		CHECK_ROW(cpus_of_group(m, "/web"), rows[i].expect ? 0xf : rows[i].cpus, rows[i].text);
		done(m);
	}
}

/* ---- machines ---- */

/* ns that the first @nr threads held CPUs of @mask in [@from, @to). */
static u64 ran_on(struct testbed *m, u32 nr, u64 mask, u64 from, u64 to)
{
	u64 sum = 0;
	u32 t, i;

	for (t = 0; t < nr; t++)
		for (i = 0; nth_run(m, t, i).from < to; i++) {
			struct run r = nth_run(m, t, i);

			if (mask >> r.cpu & 1 && r.to > from)
				sum += min_u64(r.to, to) - max_u64(r.from, from);
		}
	return sum;
}

static struct testbed *eight_hogs(const char *row, const char *cpus, const char *max)
{
	struct testbed *m = machine_of(.cpus = 4, .row = row, .costs = costs_default());
	int k;

	group(m, "/web", NO_LIMIT, 100 * MS);
	group_write(m, "/web", "cpu.max", max, NULL);
	group_write(m, "/web", "cpuset.cpus", cpus, NULL);
	for (k = 0; k < 8; k++)
		hog(m, "/web", ANY_CPU, 0);
	return m;
}

/* Two and a half CPUs' quota on two CPUs: they cannot run for so much, so it never ends; on three it does in each period. */
TEST(machines, a_quota_of_more_cpus_than_the_cpuset_has_never_throttles)
{
	static const char *const rows[] = { "3.2", "4.14", "5.4", "5.10", "6.12", "6.18", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = eight_hogs(rows[i], "0-1", "250000 100000");

		run_until(m, 2 * SEC);
		CHECK_EQ(ran_on(m, 8, 0xc, 0, 2 * SEC), 0);
		CHECK_WITHIN(ran_on(m, 8, 0x3, 0, 2 * SEC), 3900 * MS, 4000 * MS);
		CHECK_ROW(stat_of(m, "/web").nr_throttled, 0, rows[i]);
		CHECK(stat_of(m, "/web").nr_periods >= 19);
		done(m);
		m = eight_hogs(rows[i], "0-2", "250000 100000");
		run_until(m, 2 * SEC);
		CHECK(stat_of(m, "/web").nr_throttled >= 18);
		CHECK_WITHIN(stat_of(m, "/web").usage, 4850 * MS, 5100 * MS);
		done(m);
	}
}

/* Eight threads on CPUs 0 and 1, from 100 ms on 2 and 3, from 200 ms on all: what was the cpuset's at a time is where they ran. */
TEST(machines, a_write_moves_all_of_them_at_once)
{
	struct testbed *m = eight_hogs("6.12", "0-1", "max");

	write_at(m, 100 * MS, "/web", "cpuset.cpus", "2-3", NULL);
	write_at(m, 200 * MS, "/web", "cpuset.cpus", "0-3", NULL);
	run_until(m, 400 * MS);
	CHECK_WITHIN(ran_on(m, 8, 0x3, 0, 100 * MS), 198 * MS, 200 * MS);
	CHECK_WITHIN(ran_on(m, 8, 0xc, 100 * MS, 200 * MS), 198 * MS, 200 * MS);
	CHECK_WITHIN(ran_on(m, 8, 0x3, 100 * MS, 200 * MS), 0, 100 * US); /* until the stoppers have come */
	CHECK_WITHIN(ran_on(m, 8, 0xf, 300 * MS, 400 * MS), 390 * MS, 400 * MS); /* balancing has spread them again */
	done(m);
}

/* Limits inside limits, sleepers, hogs, one bound, cpusets, CPUs and groups that change; every law after every event, and no tick left out that counts. */
static struct testbed *crowd(const char *row, int cgroup, bool no_skip)
{
	static const u64 low[] = { 0x3 };
	struct testbed *m = machine_of(.cpus = 6, .row = row, .cgroup = cgroup, .no_skip = no_skip);
	int k;

	group(m, "/a", 150 * MS, 100 * MS);
	group(m, "/a/in", 30 * MS, 100 * MS);
	group(m, "/b", NO_LIMIT, 100 * MS);
	group_write(m, "/a", "cpuset.cpus", "0-3", NULL);
	for (k = 0; k < 3; k++) {
		hog(m, "/a", ANY_CPU, (u64)k * MS);
		cycle(m, "/a/in", ANY_CPU, (u64)k * 300 * US, 7 * MS, RUN(2 * MS));
		cycle(m, "/b", ANY_CPU, 0, (11 + (u64)k) * MS, RUN(3 * MS));
	}
	hog(m, "/a", 2, 20 * MS);
	hog(m, NULL, ANY_CPU, 0);
	affinity_at(m, 150 * MS, 0, low);
	write_at(m, 200 * MS, "/a", "cpuset.cpus", "1-2", NULL);
	write_at(m, 250 * MS, "/a/in", "cpuset.cpus", "2", NULL);
	move_at(m, 300 * MS, 2, "/a/in");
	online_at(m, 350 * MS, 2, false);
	write_at(m, 400 * MS, "/a", "cpuset.cpus", "1-5", NULL);
	online_at(m, 450 * MS, 2, true);
	move_at(m, 500 * MS, 5, "/b");
	write_at(m, 550 * MS, "/b", "cpuset.cpus", "5", NULL);
	write_at(m, 600 * MS, "/a", "cpuset.cpus", "0-5", NULL);
	run_until(m, 800 * MS);
	return m;
}

TEST(machines, whether_ticks_are_skipped_changes_nothing)
{
	static const char *const rows[] = { "4.14", "5.10", "6.1", "6.12", "6.18", "7.2" };
	size_t i;
	int cgroup;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (cgroup = 1; cgroup <= 2; cgroup++) {
			struct testbed *m = crowd(rows[i], cgroup, false), *whole = crowd(rows[i], cgroup, true);

			CHECK(digest_of(m) == digest_of(whole));
			done(m);
			done(whole);
		}
}

TEST_MAIN("smp: machines with cpusets")
