/* SPDX-License-Identifier: MIT */
/*
 * skip.c - ticks that are left out change nothing: not an event, not a bit of any queue's or entity's state.
 *
 *	the same random workload ---> every tick called ----\
 *	                         \--> ticks left out --------+--> all vruntimes, weights, averages, contributions are equal
 */
#include "tests/test.h"

#include "base/rng.h"
#include "tests/fair/bench.h"
#include "tests/machine_of.h"
#include "tests/state_digest.h"

#define CPUS 4

static const char *const paths[] = { NULL, "/a", "/a/x", "/a/y", "/b", "/b/z", "/c" };

static void random_groups(struct testbed *m, struct rng *r)
{
	static const char *const weights[] = { "10", "50", "100", "333", "1000" };
	size_t i;

	for (i = 1; i < ARRAY_SIZE(paths); i++) {
		if (!paths[i][2]) /* of the first level */
			group(m, paths[i], rng_below(r, 3) ? NO_LIMIT : (10 + rng_below(r, 150)) * MS, 100 * MS);
		group_write(m, paths[i], "cpu.weight", weights[rng_below(r, ARRAY_SIZE(weights))], NULL);
	}
}

/* A hog, a sleeper, or something in between; bound to a CPU or not. */
static void random_thread(struct testbed *m, struct rng *r)
{
	const char *path = paths[rng_below(r, ARRAY_SIZE(paths))];
	struct task_args args = {
		.group = path,
		.cpu = rng_below(r, 4) ? (int)rng_below(r, CPUS) : ANY_CPU,
		.start = rng_below(r, 3) ? 0 : rng_below(r, 100 * MS),
		.loops = -1,
		.nice = (int)rng_below(r, 3) ? 0 : (int)rng_below(r, 12) - 4,
	};
	u64 run = 1 + rng_below(r, 40 * MS), sleep = 1 + rng_below(r, 60 * MS);

	switch (rng_below(r, 3)) {
	case 0:
		task_of_args(m, &args, STEPS(RUN(1000 * SEC)));
		break;
	case 1:
		task_of_args(m, &args, STEPS(RUN(run), SLEEP(sleep)));
		break;
	default:
		task_of_args(m, &args, STEPS(RUN(run / 50 + 1), SLEEP(sleep / 30 + 1), RUN(run), YIELD));
	}
}

/* The sweep of ticks begins with another CPU each time. */
static int any_first(void *ctx, u64 now)
{
	(void)ctx;
	return (int)(now / MS % CPUS);
}

static struct testbed *random_machine(const char *row, u64 seed, bool no_skip, bool in_turn)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };
	struct testbed *m;
	struct rng r;
	u64 i, nr, cost;

	rng_init(&r, seed, "skip", row, 0, 0);
	cost = rng_below(&r, 2) * US;
	m = machine_of(.row = row, .cpus = CPUS, .hz = hz[rng_below(&r, ARRAY_SIZE(hz))], .no_skip = no_skip, .tick_first = in_turn ? any_first : NULL,
		       .costs = { .tick = cost, .switch_ = 2 * cost, .ipi = cost });
	random_groups(m, &r);
	nr = 3 + rng_below(&r, 10);
	for (i = 0; i < nr; i++)
		random_thread(m, &r);
	write_at(m, 150 * MS, "/a", "cpu.weight", "77", NULL);
	online_at(m, 250 * MS, CPUS - 1, false);
	online_at(m, 333 * MS, CPUS - 1, true);
	move_at(m, 200 * MS, (u32)rng_below(&r, nr), paths[1 + rng_below(&r, ARRAY_SIZE(paths) - 1)]);
	return m;
}

static void same_state(const char *row, u64 seed, bool in_turn)
{
	struct testbed *plain = random_machine(row, seed, true, in_turn), *fast = random_machine(row, seed, false, in_turn);
	char name[64];
	u64 t;

	snprintf(name, sizeof(name), "%s seed %" PRIu64, row, seed);
	for (t = 37 * MS; t < 500 * MS; t += 41 * MS + 7) {
		run_until(plain, t);
		run_until(fast, t);
		CHECK_ROW(digest_of(fast), digest_of(plain), name); /* charges what was left out */
		CHECK_ROW(digest_queues(machine_lab(machine_in(fast))), digest_queues(machine_lab(machine_in(plain))), name);
	}
	done(plain);
	done(fast);
}

/* Bit by bit, under the rules of old and new rows. */
TEST_IF(FAIRGROUND_BANDWIDTH, fair, ticks_left_out_change_nothing)
{
	static const char *const rows[] = { "3.2", "4.2", "4.14.133", "5.4", "5.10", "6.1", "6.4" };
	size_t i;
	u64 seed;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (seed = 1; seed <= 20; seed++)
			same_state(rows[i], seed, false);
}

/* Whichever CPU's tick comes first: another one's is not counted before its turn. */
TEST_IF(FAIRGROUND_BANDWIDTH, fair, ticks_in_any_order_change_nothing)
{
	static const char *const rows[] = { "3.2", "4.14.133", "5.4", "5.10", "6.4" };
	size_t i;
	u64 seed;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (seed = 1; seed <= 20; seed++)
			same_state(rows[i], seed, true);
}

/* And they are left out: two hogs of the root group need three of twelve ticks, or fewer, to be looked at. */
TEST(fair, ticks_are_left_out)
{
	struct bench b;

	bench_of(&b, .cpus = 8, .hz = 1000);
	b.lab->cfg.no_skip = false;
	start(&b.d, thread(&b, 0, 0));
	start(&b.d, thread(&b, 0, 0));
	at(&b.d, 1 * MS);
	tick(&b.d, 0);
	CHECK_EQ(lab_tick_due(b.lab, 0), b.d.epoch + 12 * MS);
	bench_fini(&b);
}

TEST_MAIN("fair: ticks left out")
