/* SPDX-License-Identifier: MIT */
/*
 * Whole machines under rule gather: the question of 2011, and that what is skipped and what chance decides changes nothing.
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* ns that any of the first @nr threads held @cpu in [@from, @to). */
static u64 cpu_ran(struct testbed *m, u32 nr, int cpu, u64 from, u64 to)
{
	u64 sum = 0;
	u32 t, i;

	for (t = 0; t < nr; t++)
		for (i = 0;; i++) {
			struct run r = nth_run(m, t, i);

			if (r.from == NEVER || r.from >= to)
				break;
			if (r.cpu == cpu && r.to > from)
				sum += min_u64(r.to, to) - max_u64(r.from, from);
		}
	return sum;
}

static struct testbed *his_case(const char *rule)
{
	struct testbed *m = machine_of(.cpus = 2, .row = "5.10", .rules = { rule });
	int k;

	group(m, "/g", 500 * MS, 1 * SEC);
	for (k = 0; k < 4; k++)
		hog(m, "/g", ANY_CPU, 0);
	run_until(m, 10 * SEC + 1);
	return m;
}

TEST(his_case, mainline_uses_both_cpus)
{
	struct testbed *m = his_case("gather=off");
	u64 s;
	int cpu;

	for (s = 1; s < 10; s++)
		for (cpu = 0; cpu < 2; cpu++)
			CHECK_WITHIN(cpu_ran(m, 4, cpu, s * SEC, (s + 1) * SEC), 246 * MS, 254 * MS);
	CHECK_WITHIN(stat_of(m, "/g").throttled_time, 13500 * MS, 15100 * MS);
	CHECK_WITHIN(stat_of(m, "/g").usage, 4950 * MS, 5050 * MS);
	done(m);
}

TEST(his_case, gathered_it_uses_one)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct testbed *m = his_case(rules[i]);
		int cpu = nth_run(m, 0, 0).cpu;
		u64 s;

		for (s = 0; s < 10; s++) {
			CHECK_WITHIN(cpu_ran(m, 4, cpu, s * SEC, (s + 1) * SEC), 496 * MS, 504 * MS);
			CHECK_EQ(cpu_ran(m, 4, !cpu, s * SEC, (s + 1) * SEC), 0);
		}
		CHECK_WITHIN(stat_of(m, "/g").throttled_time, 4750 * MS, 5250 * MS);
		CHECK_WITHIN(stat_of(m, "/g").usage, 4950 * MS, 5050 * MS);
		done(m);
	}
}

/* After two refills that found both CPUs stopped, one is left. */
TEST(his_case, adaptive_it_uses_one_from_the_third_second_on)
{
	struct testbed *m = his_case("gather=adaptive");
	u64 s;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++)
		CHECK_WITHIN(cpu_ran(m, 4, cpu, 1 * SEC, 2 * SEC), 246 * MS, 254 * MS);
	cpu = nth_run(m, 0, 0).cpu;
	cpu = cpu_ran(m, 4, cpu, 3 * SEC, 4 * SEC) ? cpu : !cpu;
	for (s = 2; s < 10; s++) {
		CHECK_WITHIN(cpu_ran(m, 4, cpu, s * SEC, (s + 1) * SEC), 496 * MS, 504 * MS);
		CHECK_EQ(cpu_ran(m, 4, !cpu, s * SEC, (s + 1) * SEC), 0);
	}
	done(m);
}

/* ---- a crowd: limits inside limits, sleepers, hogs, one bound, limits, CPUs and groups that change; every law after every event ---- */

static struct testbed *crowd(const char *row, const char *rule, bool no_skip, u64 shuffle)
{
	static const u64 low[] = { 0x3 }, all[] = { 0x3f };
	struct testbed *m = machine_of(.cpus = 6, .row = row, .rules = { rule }, .no_skip = no_skip, .shuffle_ties = shuffle);
	int k;

	group(m, "/a", 150 * MS, 100 * MS);
	group(m, "/a/in", 30 * MS, 100 * MS);
	group(m, "/b", NO_LIMIT, 100 * MS);
	for (k = 0; k < 3; k++) {
		hog(m, "/a", ANY_CPU, (u64)k * MS);
		cycle(m, "/a/in", ANY_CPU, (u64)k * 300 * US, 7 * MS, RUN(2 * MS));
		cycle(m, "/b", ANY_CPU, 0, (11 + (u64)k) * MS, RUN(3 * MS));
	}
	hog(m, "/a", 2, 20 * MS);
	hog(m, NULL, ANY_CPU, 0);
	affinity_at(m, 350 * MS, 0, low);
	move_at(m, 450 * MS, 5, "/a/in");
	online_at(m, 500 * MS, 1, false);
	online_at(m, 700 * MS, 1, true);
	affinity_at(m, 750 * MS, 0, all);
	affinity_at(m, 800 * MS, 3, low);
	write_at(m, 300 * MS, "/a", "cpu.max", "400000 100000", NULL);
	write_at(m, 600 * MS, "/a", "cpu.max", "50000 100000", NULL);
	run_until(m, 1 * SEC);
	return m;
}

/* Ticks left out because they could decide nothing decide nothing here either. */
TEST(crowd, whether_ticks_are_skipped_changes_nothing)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz", "gather=funded", "gather=home", "gather=adaptive" };
	static const char *const rows[] = { "4.14", "5.10", "6.12", "6.18", "7.2" };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		for (k = 0; k < ARRAY_SIZE(rows); k++) {
			struct testbed *m = crowd(rows[k], rules[i], false, 0), *whole = crowd(rows[k], rules[i], true, 0);

			CHECK(digest_of(m) == digest_of(whole));
			done(m);
			done(whole);
		}
}

/* Whoever comes first at an instant: no two CPUs hand a group to and fro for ever, which would be a run that never ends. */
TEST(crowd, every_order_of_ties_comes_to_an_end)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz", "gather=funded", "gather=home", "gather=adaptive" };
	static const char *const rows[] = { "5.10", "6.18" };
	size_t i, k;
	u64 shuffle;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		for (k = 0; k < ARRAY_SIZE(rows); k++)
			for (shuffle = 1; shuffle <= 4; shuffle++) {
				struct testbed *m = crowd(rows[k], rules[i], false, shuffle);

				CHECK_WITHIN(stat_of(m, "/a").usage, 500 * MS, 2500 * MS);
				done(m);
			}
}

/* Half a CPU from 300 ms on: of the three CPUs that worked before one goes on, and it has all of it. */
TEST(crowd, a_lowered_limit_gathers_who_runs)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct testbed *m = machine_of(.cpus = 4, .row = "6.1", .rules = { rules[i] });
		int cpu, on = 0, k;

		group(m, "/g", 300 * MS, 100 * MS);
		for (k = 0; k < 3; k++)
			hog(m, "/g", ANY_CPU, 0);
		write_at(m, 300 * MS, "/g", "cpu.max", "50000 100000", NULL);
		run_until(m, 1 * SEC);
		for (cpu = 0; cpu < 4; cpu++) {
			on += cpu_ran(m, 3, cpu, 0, 300 * MS) > 0;
			CHECK(cpu_ran(m, 3, cpu, 500 * MS, 1 * SEC) == 0 || cpu_ran(m, 3, cpu, 500 * MS, 1 * SEC) >= 240 * MS);
		}
		CHECK_EQ(on, 3);
		done(m);
	}
}

TEST_MAIN("smp: machines that gather a limited group")
