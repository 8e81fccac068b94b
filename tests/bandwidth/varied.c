/* SPDX-License-Identifier: MIT */
/*
 * varied.c - machines of every kind: a table of hand-made ones, and a generator.
 *
 *	number or seed ---> cpus, row, HZ, costs ---> groups and limits ---> threads ---> writes, moves, CPUs that go
 */
#include "tests/test.h"

#include "base/rng.h"
#include "tests/bandwidth/varied.h"

/* ---- the table ---- */

static const struct varied {
	const char *title, *row;
	int cpus;
	u32 hz;
	u64 quota, period, burst, phase; /* of /web; quota 0: none */
	u64 child;			 /* quota of /web/c in the same period; 0: there is none */
	u64 other;			 /* quota of /other in 50 ms; 0: there is none */
	int hogs, nice_step;		 /* in /web, dealt over the CPUs, each nicer than the one before */
	int sleepers;			 /* in /web/c, or /web */
	u64 run, sleep;			 /* theirs */
	bool free;			 /* threads are not pinned */
	bool costs;			 /* the defaults, not none */
	u64 slice_us;
} table[NR_VARIED] = {
	{ .title = "one hog", .cpus = 1, .quota = 20 * MS, .period = 100 * MS, .hogs = 1 },
	{ .title = "one hog, no limit", .cpus = 1, .hogs = 1 },
	{ .title = "two nices, no limit", .cpus = 1, .hogs = 2, .nice_step = 5 },
	{ .title = "three nices, one CPU, limited", .cpus = 1, .quota = 55 * MS, .period = 100 * MS, .hogs = 3,
	  .nice_step = 3 },
	{ .title = "HZ 1000", .cpus = 2, .hz = 1000, .quota = 33333 * US, .period = 100 * MS, .hogs = 3, .nice_step = -4 },
	{ .title = "HZ 100", .cpus = 2, .hz = 100, .quota = 15 * MS, .period = 40 * MS, .hogs = 4 },
	{ .title = "HZ 300", .cpus = 2, .hz = 300, .quota = 50 * MS, .period = 100 * MS, .hogs = 3 },
	{ .title = "a period that is no multiple of the tick", .cpus = 2, .quota = 7 * MS, .period = 33333 * US, .hogs = 2 },
	{ .title = "a period shorter than the tick", .cpus = 1, .quota = 1 * MS, .period = 3 * MS, .hogs = 1 },
	{ .title = "a phase off the tick", .cpus = 2, .quota = 20 * MS, .period = 100 * MS, .phase = 37123456, .hogs = 2 },
	{ .title = "many CPUs, small quota", .cpus = 16, .quota = 10 * MS, .period = 100 * MS, .hogs = 16 },
	{ .title = "fibtest", .row = "4.14.133", .cpus = 12, .quota = 10 * MS, .period = 100 * MS, .hogs = 1,
	  .sleepers = 11, .run = 3 * US, .sleep = 10 * MS },
	{ .title = "fibtest, fixed", .row = "5.4", .cpus = 12, .quota = 10 * MS, .period = 100 * MS, .hogs = 1,
	  .sleepers = 11, .run = 3 * US, .sleep = 10 * MS },
	{ .title = "by deadline", .row = "3.2", .cpus = 4, .quota = 25 * MS, .period = 100 * MS, .hogs = 2,
	  .sleepers = 4, .run = 700 * US, .sleep = 3 * MS },
	{ .title = "inverted", .row = "3.16", .cpus = 4, .quota = 25 * MS, .period = 100 * MS, .hogs = 2, .sleepers = 4,
	  .run = 700 * US, .sleep = 3 * MS },
	{ .title = "stale deadline", .row = "4.2", .cpus = 2, .hz = 1000, .quota = 100 * MS, .period = 100 * MS,
	  .sleepers = 1, .run = 30 * MS, .sleep = 470 * MS },
	{ .title = "4.14", .row = "4.14", .cpus = 3, .quota = 60 * MS, .period = 100 * MS, .hogs = 2, .sleepers = 3,
	  .run = 2 * MS, .sleep = 5 * MS },
	{ .title = "4.18", .row = "4.18", .cpus = 3, .quota = 60 * MS, .period = 100 * MS, .hogs = 2, .sleepers = 3,
	  .run = 2 * MS, .sleep = 5 * MS },
	{ .title = "5.3", .row = "5.3", .cpus = 3, .quota = 60 * MS, .period = 100 * MS, .hogs = 2, .sleepers = 3,
	  .run = 2 * MS, .sleep = 5 * MS },
	{ .title = "burst", .row = "5.15", .cpus = 2, .quota = 20 * MS, .period = 100 * MS, .burst = 20 * MS,
	  .sleepers = 2, .run = 9 * MS, .sleep = 140 * MS },
	{ .title = "burst beside a hog", .row = "6.1", .cpus = 2, .quota = 20 * MS, .period = 100 * MS,
	  .burst = 10 * MS, .hogs = 1, .sleepers = 1, .run = 9 * MS, .sleep = 140 * MS },
	{ .title = "by interrupt", .row = "6.4", .cpus = 4, .quota = 40 * MS, .period = 100 * MS, .hogs = 6, .nice_step = 2 },
	{ .title = "two levels", .cpus = 2, .quota = 50 * MS, .period = 100 * MS, .child = 30 * MS, .hogs = 1,
	  .sleepers = 2, .run = 3 * MS, .sleep = 4 * MS },
	{ .title = "two levels, 4.14", .row = "4.14", .cpus = 2, .quota = 50 * MS, .period = 100 * MS, .child = 40 * MS,
	  .hogs = 2, .sleepers = 2, .run = 3 * MS, .sleep = 4 * MS },
	{ .title = "two levels, 6.4", .row = "6.4", .cpus = 2, .quota = 50 * MS, .period = 100 * MS, .child = 80 * MS,
	  .hogs = 2, .sleepers = 2, .run = 3 * MS, .sleep = 4 * MS },
	{ .title = "two groups", .cpus = 2, .quota = 50 * MS, .period = 100 * MS, .other = 20 * MS, .hogs = 2 },
	{ .title = "not pinned", .cpus = 3, .quota = 70 * MS, .period = 100 * MS, .hogs = 4, .sleepers = 4,
	  .run = 1 * MS, .sleep = 2 * MS, .free = true },
	{ .title = "with costs", .cpus = 4, .quota = 40 * MS, .period = 100 * MS, .hogs = 3, .sleepers = 4,
	  .run = 500 * US, .sleep = 2 * MS, .costs = true },
	{ .title = "with costs, by interrupt", .row = "6.4", .cpus = 4, .quota = 40 * MS, .period = 100 * MS, .hogs = 3,
	  .sleepers = 4, .run = 500 * US, .sleep = 2 * MS, .costs = true },
	{ .title = "with costs, 4.14.133", .row = "4.14.133", .cpus = 8, .quota = 10 * MS, .period = 100 * MS,
	  .hogs = 8, .sleepers = 8, .run = 20 * US, .sleep = 9 * MS, .costs = true },
	{ .title = "a slice of 1 ms", .cpus = 3, .quota = 40 * MS, .period = 100 * MS, .hogs = 5, .slice_us = 1000 },
	{ .title = "a slice of 1 us", .cpus = 3, .quota = 40 * MS, .period = 100 * MS, .hogs = 3, .slice_us = 1 },
};

const char *varied_title(u32 number) { return table[number].title; }

static void varied_groups(struct testbed *m, const struct varied *t)
{
	char burst[32];

	group(m, "/web", t->quota ? t->quota : NO_LIMIT, t->period ? t->period : 100 * MS);
	group_phase(m, "/web", t->phase);
	if (t->burst) {
		snprintf(burst, sizeof(burst), "%" PRIu64, t->burst / US);
		group_write(m, "/web", "cpu.max.burst", burst, NULL);
	}
	if (t->child)
		group(m, "/web/c", t->child, t->period);
	if (t->other)
		group(m, "/other", t->other, 50 * MS);
}

static void varied_threads(struct testbed *m, const struct varied *t)
{
	int i;

	for (i = 0; i < t->hogs; i++)
		task_of_args(m, &(struct task_args){ .group = "/web", .cpu = t->free ? ANY_CPU : i % t->cpus, .loops = -1,
						     .start = i * 123457, .nice = i * t->nice_step },
			     STEPS(RUN(1000 * SEC)));
	for (i = 0; i < t->sleepers; i++)
		task_of_args(m, &(struct task_args){ .group = t->child ? "/web/c" : "/web", .loops = -1, .start = i * 210001,
						     .cpu = t->free ? ANY_CPU : (t->hogs + i) % t->cpus },
			     STEPS(RUN(t->run), SLEEP(t->sleep)));
	if (t->other)
		hog(m, "/other", 0, 11 * MS);
	hog(m, NULL, t->cpus - 1, 400 * MS); /* company for the last CPU */
}

struct testbed *varied_machine(u32 number, const struct variation *v)
{
	const struct varied *t = &table[number];
	struct testbed *m = machine_of(.cpus = t->cpus, .hz = t->hz, .row = t->row, .slice_us = t->slice_us,
				       .costs = t->costs ? costs_default() : costs_none(), .no_skip = v->no_skip,
				       .shuffle_ties = v->shuffle_ties, .clock_base = v->clock_base);

	varied_groups(m, t);
	varied_threads(m, t);
	return m;
}

/* ---- by chance ---- */

struct maker {
	struct rng rng;
	struct testbed *m;
	int cpus;
	bool costs;
	u32 nr_groups, nr_tasks;
};

static const char *const paths[] = { "/a", "/b", "/a/x", "/a/y", "/b/z", "/a/x/deep" };

static u64 below(struct maker *k, u64 n) { return rng_below(&k->rng, n); }
static bool one_in(struct maker *k, u64 n) { return !below(k, n); }

/* Small numbers are as likely as large ones: 1 us to about 100 ms. */
static u64 some_time(struct maker *k) { return US * ((u64)1 << below(k, 17)) + below(k, 1000); }

static void some_limit(struct maker *k, char *value, size_t size)
{
	u64 period = one_in(k, 3) ? 1000 + below(k, 200000) : 100000;
	u64 quota = max_u64(1000, period * (1 + below(k, 150)) / 100);

	if (one_in(k, 5))
		snprintf(value, size, "max %" PRIu64, period);
	else
		snprintf(value, size, "%" PRIu64 " %" PRIu64, quota, period);
}

static const char *some_group(struct maker *k)
{
	return one_in(k, 8) ? NULL : paths[below(k, k->nr_groups)];
}

static void make_groups(struct maker *k)
{
	char value[64];
	u32 i;

	k->nr_groups = 1 + (u32)below(k, ARRAY_SIZE(paths));
	for (i = 0; i < k->nr_groups; i++) {
		some_limit(k, value, sizeof(value));
		group_write(k->m, paths[i], "cpu.max", value, NULL);
		if (one_in(k, 2))
			group_phase(k->m, paths[i], below(k, 100 * MS));
	}
}

static void make_task(struct maker *k)
{
	struct task_args args = {
		.group = some_group(k),
		.cpu = one_in(k, 4) ? ANY_CPU : (int)below(k, (u64)k->cpus),
		.start = one_in(k, 2) ? 0 : some_time(k),
		.loops = -1,
		.nice = one_in(k, 3) ? (int)below(k, 40) - 20 : 0,
	};

	if (one_in(k, 10))
		args.policy = one_in(k, 2) ? SCHED_BATCH : SCHED_IDLE;
	switch (below(k, 4)) {
	case 0:
		task_of_args(k->m, &args, STEPS(RUN(1000 * SEC)));
		break;
	case 1:
		task_of_args(k->m, &args, STEPS(RUN(some_time(k)), SLEEP(some_time(k))));
		break;
	case 2:
		task_of_args(k->m, &args, STEPS(RUN(some_time(k)), YIELD, SYS(some_time(k)), SLEEP(some_time(k))));
		break;
	default:
		args.every = some_time(k);
		task_of_args(k->m, &args, STEPS(RUN(some_time(k))));
	}
	k->nr_tasks++;
}

static void make_event(struct maker *k)
{
	u64 t = below(k, 300 * MS);
	char value[64];

	switch (below(k, 3)) {
	case 0:
		some_limit(k, value, sizeof(value));
		write_at(k->m, t, paths[below(k, k->nr_groups)], "cpu.max", value, NULL);
		break;
	case 1:
		move_at(k->m, t, (u32)below(k, k->nr_tasks), paths[below(k, k->nr_groups)]);
		break;
	default:
		if (k->cpus > 1) { /* never CPU 0: somebody must stay */
			int cpu = 1 + (int)below(k, (u64)k->cpus - 1);

			online_at(k->m, t, cpu, false);
			online_at(k->m, t + some_time(k), cpu, true);
		}
	}
}

/* To 6.18: from 7.2 on requests end by a timer of their own (hrtick), which is another suite's business. */
static const char *some_row(struct maker *k)
{
	int rows = 0;

	while (strcmp(model_row_name(rows), "7.2"))
		rows++;
	return model_row_name((int)below(k, (u64)rows));
}

struct testbed *random_machine(u64 seed, const struct variation *v)
{
	static const u32 hz[] = { 100, 250, 300, 1000 };
	struct maker k = { .nr_groups = 0 };
	u32 i, nr;

	rng_init(&k.rng, seed, "random_machine", NULL, 0, 0);
	k.cpus = 1 + (int)below(&k, 6);
	k.m = machine_of(.cpus = k.cpus, .hz = hz[below(&k, 4)], .row = some_row(&k), .seed = seed,
			 .rules = { "bw_v2_hierarchy=unlimited" }, /* whatever the limits, they are accepted */
			 .slice_us = one_in(&k, 3) ? 1 + below(&k, 8000) : 0, .preempt = (enum preempt_model)below(&k, 3),
			 .costs = one_in(&k, 2) ? costs_default() : costs_none(), .no_skip = v->no_skip,
			 .shuffle_ties = v->shuffle_ties, .clock_base = v->clock_base);
	make_groups(&k);
	nr = 1 + (u32)below(&k, 10);
	for (i = 0; i < nr; i++)
		make_task(&k);
	nr = (u32)below(&k, 5);
	for (i = 0; i < nr; i++)
		make_event(&k);
	return k.m;
}
