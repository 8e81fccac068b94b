/* SPDX-License-Identifier: MIT */
/*
 * skip.c - ticks that are left out change nothing under EEVDF and task throttling: not an event, not a bit of any queue's or entity's
 * state; and every law holds after every event of machines made by chance.
 *
 *	the same random workload ---> every tick called ----\
 *	                         \--> ticks left out --------+--> all v, d, lags, protections, weights, averages, ledgers are equal
 */
#include "tests/test.h"

#include "base/rng.h"
#include "tests/eevdf/bed.h"
#include "tests/state_digest.h"

#define CPUS 3

/* Everything inside the lab of @m that a tick can touch, with all ticks up to now charged. */
static u64 digest_lab(struct testbed *m)
{
	digest_of(m); /* reading a result settles the ticks */
	return digest_queues(machine_lab(machine_in(m)));
}

/* ---- machines by chance ---- */

static const char *const paths[] = { NULL, "/a", "/a/x", "/a/y", "/b", "/b/z", "/c" };

static void random_groups(struct testbed *m, struct rng *r)
{
	static const char *const weights[] = { "10", "50", "100", "333", "1000" };
	size_t i;

	for (i = 1; i < ARRAY_SIZE(paths); i++) {
		group(m, paths[i], rng_below(r, 3) ? NO_LIMIT : (3 + rng_below(r, 150)) * MS, (20 + rng_below(r, 3) * 40) * MS);
		if (rng_below(r, 5))
			group_write(m, paths[i], "cpu.weight", weights[rng_below(r, ARRAY_SIZE(weights))], NULL);
		else
			group_write(m, paths[i], "cpu.idle", "1", NULL);
	}
}

static u64 random_slice(struct rng *r)
{
	static const u64 slices[] = { 100 * US, 500 * US, 1 * MS, 5 * MS, 20 * MS, 100 * MS };

	return rng_below(r, 2) ? 0 : slices[rng_below(r, ARRAY_SIZE(slices))];
}

/* A hog, a sleeper, one that lives in the kernel, or one that shares a lock; bound to a CPU or not. */
static void random_thread(struct testbed *m, struct rng *r, u32 lock)
{
	static const int policies[] = { SCHED_NORMAL, SCHED_NORMAL, SCHED_NORMAL, SCHED_BATCH, SCHED_IDLE };
	struct task_args args = {
		.group = paths[rng_below(r, ARRAY_SIZE(paths))],
		.cpu = rng_below(r, 4) ? (int)rng_below(r, CPUS) : ANY_CPU,
		.start = rng_below(r, 3) ? 0 : rng_below(r, 100 * MS),
		.loops = -1,
		.nice = (int)rng_below(r, 3) ? 0 : (int)rng_below(r, 24) - 9,
		.policy = policies[rng_below(r, ARRAY_SIZE(policies))],
		.slice = random_slice(r),
		.kthread = !rng_below(r, 8),
	};
	u64 run = 1 + rng_below(r, 30 * MS), sleep = 1 + rng_below(r, 50 * MS);

	switch (rng_below(r, 5)) {
	case 0:
		task_of_args(m, &args, STEPS(RUN(1000 * SEC)));
		break;
	case 1:
		task_of_args(m, &args, STEPS(RUN(run), SLEEP(sleep)));
		break;
	case 2:
		task_of_args(m, &args, STEPS(RUN(run / 50 + 1), SLEEP(sleep / 30 + 1), RUN(run), YIELD));
		break;
	case 3:
		task_of_args(m, &args, STEPS(SYS(run / 3 + 1), RUN(run / 10 + 1), SLEEP(sleep / 20 + 1)));
		break;
	default:
		task_of_args(m, &args, STEPS(LOCK(lock), SYS(run / 5 + 1), UNLOCK(lock), RUN(run / 10 + 1), SLEEP(sleep / 10 + 1)));
	}
}

static const char *const rules[] = {
	"NO_PLACE_LAG", "NO_PLACE_DEADLINE_INITIAL", "NO_RUN_TO_PARITY", "NO_DELAY_DEQUEUE", "NO_DELAY_ZERO", "NO_PLACE_REL_DEADLINE",
	"NO_PREEMPT_SHORT", "NEXT_BUDDY", "NO_PICK_BUDDY", "HRTICK", "NO_HRTICK", "NO_WAKEUP_PREEMPTION", "delay_bound=on",
	"slice_protect=deadline", "slice_protect=time", "slice_protect=pick", "reweight_keeps=v", "reweight_keeps=lag",
	"reweight_keeps=request", "wake_test=pick", "wake_test=deadline", "lag_limit=queue", "yield_forfeits=on", "idle_cancel=on",
	"group_slice=off", "resched_lazy=on", "bw_throttle=group", "bw_throttle=task", "bw_throttle=charge", "bw_unthrottle=direct",
	"pick=vruntime", "pick=eevdf",
};

static struct testbed *random_machine(const char *row, u64 seed, bool no_skip)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };
	static const enum preempt_model models[] = { PREEMPT_NONE, PREEMPT_VOLUNTARY, PREEMPT_FULL, PREEMPT_LAZY };
	const char *change[3] = { NULL };
	struct testbed *m;
	struct rng r;
	u64 i, nr, cost;
	u32 lock;

	rng_init(&r, seed, "skip", row, 0, 0);
	cost = rng_below(&r, 2) * US;
	for (i = 0; i < seed % 4; i++) /* every fourth is the row as it is */
		change[i] = rules[rng_below(&r, ARRAY_SIZE(rules))];
	m = machine_of(.row = row, .rules = { change[0], change[1], change[2] }, .cpus = CPUS, .hz = hz[rng_below(&r, ARRAY_SIZE(hz))], .no_skip = no_skip,
		       .preempt = models[rng_below(&r, ARRAY_SIZE(models))],
		       .costs = { .tick = cost, .switch_ = 2 * cost, .ipi = cost, .wakeup = cost, .unthrottle = cost });
	random_groups(m, &r);
	lock = mutex(m, "lock");
	nr = 3 + rng_below(&r, 12);
	for (i = 0; i < nr; i++)
		random_thread(m, &r, lock);
	write_at(m, 150 * MS, "/a", "cpu.max", "7000 50000", NULL);
	move_at(m, 200 * MS, (u32)rng_below(&r, nr), paths[1 + rng_below(&r, ARRAY_SIZE(paths) - 1)]);
	move_at(m, 210 * MS, (u32)rng_below(&r, nr), paths[1 + rng_below(&r, ARRAY_SIZE(paths) - 1)]);
	online_at(m, 250 * MS, 2, false);
	online_at(m, 320 * MS, 2, true);
	return m;
}

static void same_state(const char *row, u64 seed)
{
	struct testbed *plain = random_machine(row, seed, true), *fast = random_machine(row, seed, false);
	char name[64];
	u64 t;

	snprintf(name, sizeof(name), "%s seed %" PRIu64, row, seed);
	for (t = 37 * MS; t < 450 * MS; t += 41 * MS + 7) {
		run_until(plain, t);
		run_until(fast, t);
		CHECK_ROW(digest_lab(fast), digest_lab(plain), name);
	}
	CHECK_ROW(digest_of(fast), digest_of(plain), name);
	done(plain);
	done(fast);
}

/* Bit by bit. */
TEST(eevdf, ticks_left_out_change_nothing)
{
	static const char *const rows[] = { "6.6", "6.12", "6.18", "7.2" };
	size_t i;
	u64 seed;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (seed = 1; seed <= 60; seed++)
			same_state(rows[i], seed);
}

/* A request that ends while its hog is alone is renewed at the tick that ended it, although nobody looked at that tick. */
TEST(eevdf, requests_end_at_ticks_that_were_left_out)
{
	static const u64 slices[] = { 0, 300 * US, 1 * MS, 1300 * US, 3 * MS, 100 * MS };
	size_t i;
	int nice;

	for (i = 0; i < ARRAY_SIZE(slices); i++) {
		for (nice = -20; nice < 20; nice += 3) {
			u64 digest[2];
			int no_skip;

			for (no_skip = 0; no_skip < 2; no_skip++) {
				struct testbed *m = machine_of(.row = "6.12", .hz = 1000, .no_skip = no_skip);

				task_of_args(m, &(struct task_args){ .loops = -1, .nice = nice, .slice = slices[i], .start = 12345 },
					     STEPS(RUN(1000 * SEC)));
				program(m, NULL, 0, 57 * MS + 333, RUN(20 * MS));
				run_until(m, 57 * MS);
				digest[no_skip] = digest_lab(m);
				run_until(m, 150 * MS);
				digest[no_skip] += digest_of(m);
				done(m);
			}
			CHECK_EQ(digest[0], digest[1]);
		}
	}
}

/* And they are left out: a hog with company and a request of 20 ms need not be looked at each ms. */
TEST(eevdf, ticks_are_left_out)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, .row = "6.12", .hz = 1000, .base_slice = 20 * MS);
	b.lab->cfg.no_skip = false;
	p = thread_on(&b, 0, 0, 0);
	runs_at(&b, p, 0, 20 * MS);
	start(&b.d, thread_on(&b, 0, 0, 0));
	at(&b.d, 1 * MS);
	tick(&b.d, 0);
	CHECK_EQ(lab_tick_due(b.lab, 0), b.d.epoch + 20 * MS);
	bed_fini(&b);
}

TEST_MAIN("eevdf: ticks left out, and laws")
