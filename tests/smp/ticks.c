/* SPDX-License-Identifier: MIT */
/*
 * When CPUs tick beside each other: "ticks" of a machine.
 *
 *	aligned   CPU 0 |     |     |     CPU 0 is first at each
 *	          CPU 1 |     |     |
 *	skewed    CPU 1  |     |     |    later by its number's share of half a tick
 *	shuffled  as aligned, but who is first is drawn each time
 */
#include "tests/test.h"

#include "tests/machine_of.h"

#define SEEDS 200

/* A limit ends a run at the CPU's own tick: of four CPUs at 250 Hz each ticks 0.5 ms behind the one before. */
TEST(ticks, skewed_ones_are_spread_over_half_a_tick)
{
	static const char *const paths[] = { "/a", "/b", "/c", "/d" };
	struct testbed *m = machine_of(.cpus = 4);
	u32 task[4];
	int cpu;

	scenario_of(m)->machine.ticks = TICKS_SKEWED;
	for (cpu = 0; cpu < 4; cpu++) {
		group(m, paths[cpu], 10 * MS, 100 * MS);
		task[cpu] = hog(m, paths[cpu], cpu, 0);
	}
	run_until(m, 1000 * MS);
	for (cpu = 0; cpu < 4; cpu++)
		CHECK_EQ(nth_run(m, task[cpu], 0).to, 12 * MS + (u64)cpu * 500 * US);
	done(m);
}

/* What a tick takes is taken where that CPU ticks: 10 ms of work from 0 on have 4 and 8 ms in them on CPU 0, and 1, 5 and 9 on CPU 1. */
TEST(ticks, a_skewed_tick_takes_its_time_on_its_own_cpu)
{
	struct testbed *m = machine_of(.cpus = 2, .costs = { .tick = 100 * US });
	u32 a, b;

	scenario_of(m)->machine.ticks = TICKS_SKEWED;
	a = program(m, "/", 0, 0, RUN(10 * MS), SLEEP(SEC));
	b = program(m, "/", 1, 0, RUN(10 * MS), SLEEP(SEC));
	run_until(m, 20 * MS);
	CHECK_EQ(nth_run(m, a, 0).to, 10 * MS + 200 * US);
	CHECK_EQ(nth_run(m, b, 0).to, 10 * MS + 300 * US);
	done(m);
}

/* Ticks that take all the time there is, or more, leave none for work: what is not done before the first of them never is. */
TEST(ticks, that_take_all_the_time)
{
	static const u64 costs[] = { 4 * MS, 9 * MS };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		struct testbed *m = machine_of(.cpus = 2, .costs = { .tick = costs[i] });
		u32 done_in_time = program(m, "/", 0, 1 * MS, RUN(3 * MS), SLEEP(SEC));
		u32 late = program(m, "/", 1, 1 * MS, RUN(3 * MS + 1), SLEEP(SEC));

		run_until(m, 100 * MS);
		CHECK_EQ(nth_run(m, done_in_time, 0).to, 4 * MS);
		CHECK_EQ(nth_run(m, late, 0).to, NEVER);
		done(m);
	}
}

/* Two threads under 15 ms, slices of 5: at 8 ms both want more, and only one finds the last slice.  Is it that of CPU 0? */
static bool cpu_0_draws(enum tick_order order, u64 seed)
{
	struct testbed *m = machine_of(.cpus = 2, .seed = seed);
	u32 a, b;
	u64 first, second;

	scenario_of(m)->machine.ticks = order;
	group(m, "/g", 15 * MS, 100 * MS);
	a = hog(m, "/g", 0, 0);
	b = hog(m, "/g", 1, 0);
	run_until(m, 50 * MS);
	first = ran(m, a, 0, 50 * MS);
	second = ran(m, b, 0, 50 * MS);
	done(m);
	CHECK(first != second);
	return first > second;
}

static u32 times_cpu_0_draws(enum tick_order order)
{
	u32 nr = 0;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++)
		nr += cpu_0_draws(order, seed);
	return nr;
}

TEST(ticks, who_draws_first_is_cpu_0_or_anybody)
{
	u32 shuffled = times_cpu_0_draws(TICKS_SHUFFLED);

	CHECK_EQ(times_cpu_0_draws(TICKS_ALIGNED), SEEDS);
	CHECK(shuffled > SEEDS * 2 / 5);
	CHECK(shuffled < SEEDS * 3 / 5);
}

static u64 digest_with(enum tick_order order, bool no_skip, u64 seed)
{
	struct testbed *m = machine_of(.cpus = 3, .seed = seed, .no_skip = no_skip, .row = "6.12",
				       .costs = { .tick = 2 * US, .switch_ = 3 * US, .unthrottle = 500 });
	u64 digest;

	scenario_of(m)->machine.ticks = order;
	group(m, "/g", 30 * MS, 50 * MS);
	hog(m, "/g", ANY_CPU, 0);
	hog(m, "/g", ANY_CPU, 3 * MS);
	hog(m, "/", ANY_CPU, 7 * MS);
	cycle(m, "/g", ANY_CPU, 0, 9 * MS, RUN(2 * MS));
	run_until(m, 400 * MS);
	digest = digest_of(m);
	done(m);
	return digest;
}

/* The full path gives the same bits in each order, and the order gives other ones: it has an effect. */
TEST(ticks, each_order_is_repeatable_and_its_own)
{
	CHECK_EQ(digest_with(TICKS_SKEWED, true, 1), digest_with(TICKS_SKEWED, false, 1));
	CHECK_EQ(digest_with(TICKS_SHUFFLED, true, 1), digest_with(TICKS_SHUFFLED, false, 1));
	CHECK(digest_with(TICKS_SKEWED, false, 1) != digest_with(TICKS_ALIGNED, false, 1));
	CHECK(digest_with(TICKS_SHUFFLED, false, 1) != digest_with(TICKS_ALIGNED, false, 1));
	CHECK(digest_with(TICKS_SHUFFLED, false, 1) != digest_with(TICKS_SHUFFLED, false, 2));
}

TEST_MAIN("smp: when CPUs tick")
