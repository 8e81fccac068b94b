/* SPDX-License-Identifier: MIT */
/*
 * hostile.c - what must hold on every machine, however it is pushed.
 *
 *	ticks left out == every tick called		clocks next to their wrap-around == any other clock
 *	a run with readings == a run without		odd CPU counts, 1 ms slices, shuffled ties: every law holds
 *	memory that runs out anywhere: an error code, and the lab as it was
 *
 * Every machine here checks all laws after all events.
 */
#include "tests/test.h"

#include "tests/bandwidth/varied.h"
#include "tests/driver.h"

#define LONG (1200 * MS)
#define SHORT (400 * MS)

static u64 digest_at(struct testbed *m, u64 end)
{
	u64 digest;

	run_until(m, end);
	digest = digest_of(m);
	done(m);
	return digest;
}

/* ---- ticks that decide nothing ---- */

TEST(skip, the_table_runs_the_same_with_every_tick_called)
{
	u32 i;

	for (i = 0; i < NR_VARIED; i++) {
		u64 skipped = digest_at(varied_machine(i, &(struct variation){ 0 }), LONG);

		CHECK_ROW(skipped, digest_at(varied_machine(i, &(struct variation){ .no_skip = true }), LONG), varied_title(i));
	}
}

#define NR_RANDOM 300

TEST(skip, random_machines_run_the_same_with_every_tick_called)
{
	u64 seed;

	for (seed = 1; seed <= NR_RANDOM; seed++) {
		u64 skipped = digest_at(random_machine(seed, &(struct variation){ 0 }), SHORT);
		char title[32];

		snprintf(title, sizeof(title), "seed %" PRIu64, seed);
		CHECK_ROW(skipped, digest_at(random_machine(seed, &(struct variation){ .no_skip = true }), SHORT), title);
	}
}

/* ---- readings ---- */

/* What cpu.stat says at odd moments is the same with and without ticks left out. */
TEST(readings, do_not_depend_on_ticks_left_out)
{
	u32 i;
	u64 t;

	for (i = 0; i < NR_VARIED; i++) {
		struct testbed *a = varied_machine(i, &(struct variation){ 0 });
		struct testbed *b = varied_machine(i, &(struct variation){ .no_skip = true });

		for (t = 7654321; t < LONG; t += 61234567) {
			struct group_stat x, y;

			run_until(a, t);
			run_until(b, t);
			x = stat_of(a, "/web");
			y = stat_of(b, "/web");
			CHECK_ROW(x.usage, y.usage, varied_title(i));
			CHECK_ROW(x.throttled_time, y.throttled_time, varied_title(i));
			CHECK_ROW(x.nr_periods, y.nr_periods, varied_title(i));
			CHECK_ROW(x.ledger.charged, y.ledger.charged, varied_title(i));
			CHECK_ROW(x.ledger.held, y.ledger.held, varied_title(i));
			CHECK_ROW(x.ledger.pool, y.ledger.pool, varied_title(i));
		}
		done(a);
		done(b);
	}
}

TEST(readings, disturb_nothing)
{
	u32 i;
	u64 t;

	for (i = 0; i < NR_VARIED; i++) {
		struct testbed *read = varied_machine(i, &(struct variation){ 0 });

		for (t = 1234567; t < LONG; t += 17654321) {
			run_until(read, t);
			stat_of(read, "/web");
			digest_of(read);
		}
		CHECK_ROW(digest_at(read, LONG), digest_at(varied_machine(i, &(struct variation){ 0 }), LONG), varied_title(i));
	}
}

/* ---- clocks ---- */

/* Load averages stand on a grid of 2^20 ns through the boot; on it a base is as good as any other. */
static u64 same_phase(u64 base) { return base - ((base - 1000 * SEC) & (((u64)1 << 20) - 1)); }

/* The digest counts from the scenario's start, so it does not know when that was. */
TEST(clocks, may_stand_next_to_their_wrap_around)
{
	static const u64 bases[] = { 3 * SEC, (u64)INT64_MAX - 600 * MS, UINT64_MAX - 2 * SEC };
	u32 i, k;

	for (i = 0; i < NR_VARIED; i++) {
		u64 usual = digest_at(varied_machine(i, &(struct variation){ 0 }), LONG);

		for (k = 0; k < ARRAY_SIZE(bases); k++)
			CHECK_ROW(digest_at(varied_machine(i, &(struct variation){ .clock_base = same_phase(bases[k]) }), LONG),
				  usual, varied_title(i));
	}
}

TEST(clocks, of_random_machines_too)
{
	u64 seed, base = same_phase(UINT64_MAX - 2 * SEC);

	for (seed = 1; seed <= 60; seed++) {
		u64 usual = digest_at(random_machine(seed, &(struct variation){ 0 }), SHORT);
		char title[32];

		snprintf(title, sizeof(title), "seed %" PRIu64, seed);
		CHECK_ROW(digest_at(random_machine(seed, &(struct variation){ .clock_base = base }), SHORT), usual,
			  title);
	}
}

/* ---- ties ---- */

/*
 * Simultaneous events in any order: the laws hold, and a group uses at most what it was granted, and one tick of debt on
 * each CPU (docs/rules/bandwidth.md 3.5).
 */
TEST(ties, may_fall_as_they_like)
{
	u64 seed;

	for (seed = 1; seed <= 40; seed++) {
		struct testbed *m = machine_of(.cpus = 3, .slice_us = 1000, .shuffle_ties = seed * 0x9e3779b97f4a7c15u,
					       .clock_base = UINT64_MAX - 2 * SEC);
		struct group_stat st;
		int cpu;

		group(m, "/web", 40 * MS, 100 * MS);
		for (cpu = 0; cpu < 3; cpu++) {
			hog(m, "/web", cpu, 0);
			cycle(m, "/web", cpu, 0, 4 * MS, RUN(1 * MS));
		}
		run_until(m, 1 * SEC);
		st = stat_of(m, "/web");
		CHECK_WITHIN(st.usage, 10 * 40 * MS - 3 * MS, 10 * 40 * MS + 3 * 4 * MS);
		CHECK_EQ(st.nr_periods, 9);
		CHECK_EQ(st.nr_throttled, 9);
		done(m);
	}
}

TEST(ties, of_the_table_break_no_law)
{
	u32 i;

	for (i = 0; i < NR_VARIED; i++)
		digest_at(varied_machine(i, &(struct variation){ .shuffle_ties = i + 1 }), LONG);
}

/* ---- memory ---- */

/* Everything that may ask for memory; false as soon as something was refused. */
static bool use_all_memory(struct driver *d)
{
	struct task_group *parent, *child;
	struct task_struct *p, *q, *r;
	u64 both = 3;

	parent = lab_group_create(d->lab, lab_root(d->lab));
	if (!parent)
		return false;
	child = lab_group_create(d->lab, parent);
	if (!child || write_limit(d, child, 20 * MS, 100 * MS))
		return false;
	p = sleeper(d, child, 0);
	q = sleeper(d, parent, 1);
	if (!p || !q)
		return false;
	start(d, p);
	start(d, q);
	r = lab_fork(d->lab, 0, p, &(struct task_spec){ .tg = child, .cpus = &both });
	if (!r)
		return false;
	start(d, r); /* goes to CPU 1, where the group has no queue yet, or stays */
	at(d, 4 * MS);
	tick(d, 0);
	tick(d, 1);
	return !lab_move(d->lab, 1, q, child);
}

/* The n-th allocation fails, for every n: no crash, the laws hold, what went before works on. */
TEST(memory, may_run_out_anywhere)
{
	int n, refused = 0;
	bool all = false;

	for (n = 1; !all; n++) {
		struct driver d;

		driver_of(&d, .cpus = 2, .allocs = n);
		all = d.lab && use_all_memory(&d);
		refused += !all;
		if (d.lab) {
			CHECK_EQ(lab_check(d.lab), 0);
			at(&d, 8 * MS);
			tick(&d, 0);
			tick(&d, 1);
		}
		driver_fini(&d);
	}
	CHECK_WITHIN(refused, 6, 40);
}

/* A wakeup to a CPU where the group has no queue and can get none: the thread wakes where it was. */
TEST(memory, a_wakeup_stays_where_there_is_a_queue)
{
	struct driver d;
	struct task_group *tg;
	struct task_struct *p;
	u64 both = 3;

	driver_of(&d, .cpus = 2);
	tg = limited(&d, NULL, RUNTIME_INF, 0);
	p = sleeper(&d, tg, 0);
	start(&d, p);
	at(&d, 1 * MS);
	block(&d, 0);
	start(&d, sleeper(&d, NULL, 0)); /* CPU 0 is busy */
	lab_affinity(d.lab, 0, p, &both);
	d.allocs_left = 0;
	wake(&d, p);
	CHECK_EQ(lab_task_cpu(p), 0);
	CHECK_EQ(queue(&d, tg, 0).nr_running, 1);
	CHECK_EQ(d.events[EVENT_SCHED_MIGRATE_TASK], 0);
	at(&d, 2 * MS);
	while (!runs(&d, p)) { /* its turn comes */
		d.now += 4 * MS;
		tick(&d, 0);
	}
	block(&d, 0);
	d.allocs_left = -1;
	wake(&d, p); /* now there is memory */
	CHECK_EQ(lab_task_cpu(p), 1);
	driver_fini(&d);
}

/* A CPU goes and its threads' group can have no queue elsewhere: an error, and the threads wait where they are. */
TEST(memory, a_cpu_cannot_be_emptied_without_it)
{
	struct driver d;
	struct task_group *tg;

	driver_of(&d, .cpus = 2);
	tg = limited(&d, NULL, RUNTIME_INF, 0);
	start(&d, sleeper(&d, tg, 1));
	start(&d, sleeper(&d, tg, 1));
	d.allocs_left = 0;
	CHECK_EQ(lab_hotplug(d.lab, 1, false), -12);
	CHECK_EQ(queue(&d, tg, 1).nr_running, 2);
	CHECK_EQ(lab_check(d.lab), 0);
	driver_fini(&d);
}

/* Limits need no memory, and a CPU costs some only where a group runs: a limited group on one of many CPUs. */
TEST(memory, grows_with_pairs_in_use)
{
	struct driver d;
	struct task_group *tg;
	u64 before;

	driver_of(&d, .cpus = 16);
	tg = limited(&d, NULL, RUNTIME_INF, 0);
	start(&d, sleeper(&d, tg, 3));
	before = d.nr_allocs;
	CHECK_EQ(write_limit(&d, tg, 20 * MS, 100 * MS), 0);
	at(&d, 24 * MS);
	tick(&d, 3);
	CHECK(queue(&d, tg, 3).throttled);
	CHECK_EQ(d.nr_allocs, before);
	driver_fini(&d);
}

TEST_MAIN("bandwidth: hostile machines")
