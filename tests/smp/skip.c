/* SPDX-License-Identifier: MIT */
/*
 * Ticks and looks that are left out change nothing where tasks move: not an event, and not a bit of any queue's averages or of any level's
 * state on any CPU.
 *
 *	the same random workload ---> every tick called, every look taken, every sleeper walked to --\
 *	                         \--> what can come to nothing left out -----------------------------+--> all are equal
 */
#include "tests/test.h"

#include "base/digest.h"
#include "base/rng.h"
#include "core/balance.h"
#include "tests/machine_of.h"

/* ---- the state ---- */

static u64 digest_avg(u64 digest, const struct sched_avg *sa)
{
	digest = digest_u64(digest, sa->load_sum);
	digest = digest_u64(digest, sa->util_sum);
	digest = digest_u64(digest, sa->runnable_sum);
	digest = digest_u64(digest, sa->load_avg);
	return digest_u64(digest, sa->util_avg);
}

static u64 digest_level(u64 digest, const struct sched_domain *sd)
{
	digest = digest_u64(digest, sd->last_balance);
	digest = digest_u64(digest, sd->balance_interval);
	digest = digest_u64(digest, sd->nr_balance_failed);
	digest = digest_u64(digest, sd->max_newidle_lb_cost);
	digest = digest_u64(digest, sd->last_decay_max_lb_cost);
	digest = digest_u64(digest, (u64)sd->newidle_call << 40 | (u64)sd->newidle_success << 20 | sd->newidle_ratio);
	digest = digest_u64(digest, sd->groups[0]->imbalance);
	return sd->shared ? digest_u64(digest, (u64)sd->shared->nr_busy_cpus << 32 | (u64)sd->shared->nr_idle_scan) : digest;
}

static u64 digest_cpu(u64 digest, const struct rq *rq)
{
	const struct sched_domain *sd;

	digest = digest_avg(digest, &rq->cfs.avg);
	digest = digest_u64(digest, rq->nr_running);
	digest = digest_u64(digest, rq->smp.next_balance);
	digest = digest_u64(digest, rq->smp.avg_idle);
	digest = digest_u64(digest, rq->smp.max_idle_balance_cost);
	digest = digest_u64(digest, (u64)rq->smp.nohz_tick_stopped << 1 | rq->smp.active_balance);
	for (sd = rq->smp.sd; sd; sd = sd->parent)
		digest = digest_level(digest, sd);
	return digest;
}

/* Everything that a balance can touch, with all ticks up to now charged. */
static u64 digest_lab(struct testbed *m)
{
	struct lab *lab = machine_lab(machine_in(m));
	u64 digest = DIGEST_INIT;
	int cpu;

	digest_of(m); /* reading a result settles the ticks */
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		digest = digest_cpu(digest, cpu_rq(lab, cpu));
	digest = digest_u64(digest, lab->smp.overloaded);
	digest = digest_u64(digest, (u64)lab->smp.nr_nohz);
	return digest_u64(digest, lab->smp.nohz_next);
}

/* ---- machines by chance ---- */

#define CPUS 16

static struct cpu_place places[CPUS];
static struct topology topology;

/* Threads, cores, caches and nodes of powers of two. */
static void random_topology(struct rng *r)
{
	int threads = 1 << rng_below(r, 2), llc = 4 << rng_below(r, 3), node = 8 << rng_below(r, 2), cpu;

	if (llc > node)
		llc = node;
	for (cpu = 0; cpu < CPUS; cpu++)
		places[cpu] = (struct cpu_place){ cpu / threads, cpu / threads, cpu / llc, cpu / node, cpu / node };
	topology = (struct topology){ .nr_cpus = CPUS, .cpu = places, .nr_nodes = CPUS / node };
}

/* Hogs, sleepers of all kinds; bound, half bound or free. */
static void random_thread(struct testbed *m, struct rng *r)
{
	static const char *const paths[] = { NULL, "/a", "/a/x", "/b" };
	struct task_args args = {
		.group = paths[rng_below(r, ARRAY_SIZE(paths))],
		.cpu = rng_below(r, 4) ? ANY_CPU : (int)rng_below(r, CPUS),
		.start = rng_below(r, 2) ? 0 : rng_below(r, 200 * MS),
		.loops = -1,
		.nice = rng_below(r, 3) ? 0 : (int)rng_below(r, 20) - 5,
		.policy = rng_below(r, 8) ? SCHED_NORMAL : SCHED_IDLE,
		.kthread = !rng_below(r, 6),
	};
	u64 run = 1 + rng_below(r, 20 * MS), sleep = 1 + rng_below(r, 60 * MS);

	switch (rng_below(r, 4)) {
	case 0:
		task_of_args(m, &args, STEPS(RUN(1000 * SEC)));
		break;
	case 1:
		task_of_args(m, &args, STEPS(RUN(run), SLEEP(sleep)));
		break;
	case 2:
		task_of_args(m, &args, STEPS(RUN(run / 40 + 1), SLEEP(sleep / 20 + 1)));
		break;
	default:
		task_of_args(m, &args, STEPS(RUN(10 * run), SLEEP(5 * sleep)));
	}
}

static const char *const rules[] = {
	"smt_balance=on", "smt_balance=off", "lb_designated=core", "lb_numa=limit", "lb_relax=half", "lb_order=queued", "lb_kthread=pinned",
	"active_cause=any", "active_kick=settles", "newidle_gate=time", "newidle_gate=cost", "newidle_amount=size", "newidle_dice=off",
	"newidle_dice=ratio", "newidle_dice=timed", "balancer=load", "balancer=tasks", "balancer=types", "busy_interval=whole", "prefer_sibling=child",
	"lb_serialized=balanced", "sis_util=on", "sis_util=off",
};

static struct testbed *random_machine(const char *row, u64 seed, bool no_skip)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };
	const char *change[3] = { NULL };
	struct testbed *m;
	struct rng r;
	u64 i, nr, cost;

	rng_init(&r, seed, "smp", row, 0, 0);
	random_topology(&r);
	cost = rng_below(&r, 2) * US;
	for (i = 0; i < seed % 4; i++) /* every fourth is the row as it is */
		change[i] = rules[rng_below(&r, ARRAY_SIZE(rules))];
	m = machine_of(.row = row, .rules = { change[0], change[1], change[2] }, .cpus = CPUS, .hz = hz[rng_below(&r, ARRAY_SIZE(hz))], .no_skip = no_skip,
		       .no_laws = seed % 2, .costs = { .tick = cost, .switch_ = 2 * cost, .ipi = cost, .newidle = cost / 4, .softirq = cost,
		       .stopper = 5 * cost, .migrate = cost });
	scenario_of(m)->machine.topology = &topology;
	scenario_of(m)->machine.nohz = seed % 5;
	group(m, "/a", rng_below(&r, 2) ? NO_LIMIT : 60 * MS, 100 * MS);
	group(m, "/b", rng_below(&r, 2) ? NO_LIMIT : 150 * MS, 100 * MS);
	nr = 1 + rng_below(&r, seed % 3 ? 12 : 40);
	for (i = 0; i < nr; i++)
		random_thread(m, &r);
	online_at(m, 300 * MS, 5, false);
	online_at(m, 370 * MS, 5, true);
	return m;
}

static void same_state(const char *row, u64 seed)
{
	struct testbed *plain = random_machine(row, seed, true), *fast;
	u64 state[16], end;
	char name[64];
	u64 t;
	u32 i = 0;

	snprintf(name, sizeof(name), "%s seed %" PRIu64, row, seed);
	for (t = 37 * MS; t < 600 * MS; t += 41 * MS + 7) {
		run_until(plain, t);
		state[i++] = digest_lab(plain);
	}
	end = digest_of(plain);
	done(plain);
	fast = random_machine(row, seed, false);
	for (i = 0, t = 37 * MS; t < 600 * MS; t += 41 * MS + 7) {
		run_until(fast, t);
		CHECK_ROW(digest_lab(fast), state[i++], name);
	}
	CHECK_ROW(digest_of(fast), end, name);
	done(fast);
}

/* Bit by bit. */
TEST(smp, looks_left_out_change_nothing)
{
	static const char *const rows[] = { "3.2", "4.14", "5.4", "5.10", "6.1", "6.6", "6.12", "6.18", "7.2" };
	size_t i;
	u64 seed;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (seed = 1; seed <= 24; seed++)
			same_state(rows[i], seed);
}

/* A few busy threads on many CPUs: what is left out is most of it, for a second of idle CPUs that are looked at every other ms. */
TEST(smp, sleepers_that_are_passed_over_change_nothing)
{
	static const char *const rows[] = { "5.4", "5.10", "6.12" };
	u64 digests[2];
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (k = 0; k < 2; k++) {
			struct testbed *m = machine_of(.row = rows[i], .cpus = CPUS, .hz = 1000, .no_skip = k, .no_laws = true,
						       .costs = { .newidle = 100 });
			int cpu;

			for (cpu = 0; cpu < CPUS; cpu++)
				places[cpu] = (struct cpu_place){ cpu / 2, cpu / 2, cpu / 8, cpu / 8, cpu / 8 };
			topology = (struct topology){ .nr_cpus = CPUS, .cpu = places, .nr_nodes = 2 };
			scenario_of(m)->machine.topology = &topology;
			hog(m, "/", ANY_CPU, 0);
			hog(m, "/", ANY_CPU, 0);
			hog(m, "/", ANY_CPU, 700 * MS);
			cycle(m, "/", ANY_CPU, 0, 113 * MS, RUN(1 * MS));
			run_until(m, 3 * SEC);
			digests[k] = digest_u64(digest_lab(m), digest_of(m));
			if (!k) /* or this test shows nothing */
				CHECK(cpu_rq(machine_lab(machine_in(m)), CPUS - 1)->smp.quiet_until > 0);
			done(m);
		}
		CHECK_ROW(digests[0], digests[1], rows[i]);
	}
}

TEST_MAIN("smp: what is left out")
