/* SPDX-License-Identifier: MIT */
/* above.c - the classes above fair (core/rt.c): strict priorities, round robin, no quota, where they run, and the way between classes. */
#include "tests/test.h"

#include "base/rng.h"
#include "tests/driver.h"
#include "tests/machine_of.h"

/* A thread of @policy and @prio on @cpu (or ANY_CPU) that does its steps once, at @start. */
#define above(m, path, on, at, pol, prio, ...) \
	with_prio(m, task_of_args(m, &(struct task_args){ .group = (path), .cpu = (on), .start = (at), .policy = (pol) }, STEPS(__VA_ARGS__)), prio)

static u32 with_prio(struct testbed *m, u32 task, int prio)
{
	scenario_of(m)->tasks[task].rt_priority = prio;
	return task;
}

static void check_run(struct testbed *m, u32 task, u32 nr, u64 from, u64 to, int cpu)
{
	struct run run = nth_run(m, task, nr);

	CHECK_EQ(run.from, from);
	CHECK_EQ(run.to, to);
	CHECK_EQ(run.cpu, cpu);
}

/* It takes the CPU from a fair task at once, keeps it across ticks, and the fair task goes on behind it. */
TEST(above, fifo_runs_before_fair)
{
	struct testbed *m = machine_of();
	u32 fair = hog(m, NULL, 0, 0), fifo = above(m, NULL, 0, 3 * MS, SCHED_FIFO, 1, RUN(50 * MS));

	run_until(m, 100 * MS);
	check_run(m, fair, 0, 0, 3 * MS, 0);
	check_run(m, fifo, 0, 3 * MS, 53 * MS, 0);
	CHECK_EQ(nth_run(m, fair, 1).from, 53 * MS);
	CHECK_EQ(task_stat_of(m, fair).wait_contended, 50 * MS);
	done(m);
}

/* Of two: the higher takes over at once; an equal waits until the other sleeps, however long that is. */
TEST(above, priorities_are_strict)
{
	static const struct { int first, second; enum sched_policy policy; bool takes_over; } rows[] = {
		{ 10, 11, SCHED_FIFO, true }, { 10, 10, SCHED_FIFO, false }, { 10, 9, SCHED_FIFO, false }, { 99, 1, SCHED_RR, false },
		{ 99, 0, SCHED_DEADLINE, true }, /* whose priority says nothing */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of();
		u32 a = above(m, NULL, 0, 0, SCHED_FIFO, rows[i].first, RUN(300 * MS));
		u32 b = above(m, NULL, 0, 5 * MS, rows[i].policy, rows[i].second, RUN(20 * MS));

		run_until(m, 400 * MS);
		check_run(m, b, 0, rows[i].takes_over ? 5 * MS : 300 * MS, rows[i].takes_over ? 25 * MS : 320 * MS, 0);
		CHECK_EQ(ran(m, a, 0, 400 * MS), 300 * MS);
		done(m);
	}
}

/* Round robin: 25 ticks of 4 ms each, with its equals only; whoever is alone goes on. */
TEST(above, round_robin)
{
	struct testbed *m = machine_of();
	u32 a = above(m, NULL, 0, 0, SCHED_RR, 5, RUN(1000 * MS)), b = above(m, NULL, 0, 0, SCHED_RR, 5, RUN(150 * MS));
	u32 low = above(m, NULL, 0, 0, SCHED_RR, 4, RUN(10 * MS));

	run_until(m, 2000 * MS);
	check_run(m, a, 0, 0, 100 * MS, 0);
	check_run(m, b, 0, 100 * MS, 200 * MS, 0);
	check_run(m, a, 1, 200 * MS, 300 * MS, 0);
	check_run(m, b, 1, 300 * MS, 350 * MS, 0);
	check_run(m, a, 2, 350 * MS, 1150 * MS, 0);
	check_run(m, low, 0, 1150 * MS, 1160 * MS, 0);
	done(m);
}

/* A yield goes behind equals, not below. */
TEST(above, yield)
{
	struct testbed *m = machine_of();
	u32 a = above(m, NULL, 0, 0, SCHED_FIFO, 5, RUN(10 * MS), YIELD, RUN(10 * MS)), b = above(m, NULL, 0, 0, SCHED_FIFO, 5, RUN(5 * MS));
	u32 fair = hog(m, NULL, 0, 0);

	run_until(m, 50 * MS);
	check_run(m, a, 0, 0, 10 * MS, 0);
	check_run(m, b, 0, 10 * MS, 15 * MS, 0);
	check_run(m, a, 1, 15 * MS, 25 * MS, 0);
	CHECK_EQ(nth_run(m, fair, 0).from, 25 * MS);
	done(m);
}

/* In a limited group: nothing of the quota is charged, nothing stops it, and the fair thread beside it has the whole quota. */
TEST(above, no_limit_holds)
{
	static const char *const kernels[] = { "4.14", "5.10", "6.18", "7.2" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct testbed *m = machine_of(.cpus = 2, .row = kernels[i]);
		u64 alone, charged;
		u32 fifo;

		group(m, "/g", 20 * MS, 100 * MS);
		hog(m, "/g", 0, 0);
		run_until(m, 400 * MS);
		alone = stat_of(m, "/g").usage;
		done(m);
		m = machine_of(.cpus = 2, .row = kernels[i]);
		group(m, "/g", 20 * MS, 100 * MS);
		hog(m, "/g", 0, 0);
		fifo = above(m, "/g", 1, 0, SCHED_FIFO, 1, RUN(350 * MS));
		run_until(m, 400 * MS);
		check_run(m, fifo, 0, 0, 350 * MS, 1);
		CHECK_EQ(task_stat_of(m, fifo).wait_throttled, 0);
		charged = stat_of(m, "/g").ledger.charged;
		CHECK_EQ(charged, alone);
		CHECK_EQ(stat_of(m, "/g").usage, 350 * MS + alone);
		CHECK_WITHIN(charged, 80 * MS, 84 * MS); /* quota, and what a tick lets it run over */
		done(m);
	}
}

/* While its group is throttled, a task above fair wakes, runs and sleeps there as if nothing were. */
TEST(above, runs_in_a_throttled_group)
{
	struct testbed *m = machine_of();
	u32 fifo;

	group(m, "/g", 20 * MS, 100 * MS);
	hog(m, "/g", 0, 0);
	fifo = above(m, "/g", 0, 0, SCHED_FIFO, 1, AT(50 * MS), RUN(10 * MS), AT(140 * MS), RUN(5 * MS));
	run_until(m, 200 * MS);
	check_run(m, fifo, 1, 50 * MS, 60 * MS, 0); /* its first run is the way to its timer */
	check_run(m, fifo, 2, 140 * MS, 145 * MS, 0);
	CHECK_EQ(task_stat_of(m, fifo).longest_pause, 0);
	done(m);
}

/* Push: where it would wait behind its equal it goes to a CPU that runs something lower; bound it waits. */
TEST(above, spreads)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 a = above(m, NULL, ANY_CPU, 0, SCHED_FIFO, 5, RUN(30 * MS)), b = above(m, NULL, ANY_CPU, 1 * MS, SCHED_FIFO, 5, RUN(30 * MS));
	u32 bound = above(m, NULL, 0, 2 * MS, SCHED_FIFO, 5, RUN(30 * MS)), fair = hog(m, NULL, 1, 0);

	run_until(m, 100 * MS);
	check_run(m, a, 0, 0, 30 * MS, 0);
	check_run(m, b, 0, 1 * MS, 31 * MS, 1);
	check_run(m, bound, 0, 30 * MS, 60 * MS, 0);
	CHECK_EQ(ran(m, fair, 0, 100 * MS), 70 * MS);
	done(m);
}

/* A higher one takes the CPU over, and whoever ran there goes on elsewhere; and a CPU that has nobody above fair left pulls one that waits. */
TEST(above, push_and_pull)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 low = above(m, NULL, ANY_CPU, 0, SCHED_FIFO, 1, RUN(40 * MS)), high = above(m, NULL, 0, 10 * MS, SCHED_FIFO, 50, RUN(60 * MS));
	u32 other = above(m, NULL, 1, 20 * MS, SCHED_FIFO, 50, RUN(15 * MS));

	run_until(m, 100 * MS);
	check_run(m, low, 0, 0, 10 * MS, 0);
	check_run(m, high, 0, 10 * MS, 70 * MS, 0);
	check_run(m, low, 1, 10 * MS, 20 * MS, 1);
	check_run(m, other, 0, 20 * MS, 35 * MS, 1);
	check_run(m, low, 2, 35 * MS, 55 * MS, 1);
	done(m);
	m = machine_of(.cpus = 2); /* low waits on CPU 0 behind high while CPU 1's other runs; CPU 1 comes free first */
	above(m, NULL, 0, 0, SCHED_FIFO, 50, RUN(60 * MS));
	other = above(m, NULL, 1, 0, SCHED_FIFO, 50, RUN(25 * MS));
	low = above(m, NULL, ANY_CPU, 5 * MS, SCHED_FIFO, 1, RUN(10 * MS));
	run_until(m, 100 * MS);
	check_run(m, low, 0, 25 * MS, 35 * MS, 1);
	done(m);
}

/* Where a fair task runs it takes over at home, though the other CPU is idle: only a task above fair makes it look elsewhere. */
TEST(above, stays_at_home_over_fair)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 fair = hog(m, NULL, 0, 0), fifo = above(m, NULL, ANY_CPU, 0, SCHED_FIFO, 1, RUN(1 * MS), SLEEP(9 * MS), RUN(10 * MS));

	run_until(m, 50 * MS);
	check_run(m, fifo, 1, 10 * MS, 20 * MS, 0);
	CHECK_EQ(ran(m, fair, 10 * MS, 20 * MS), 0);
	done(m);
}

/*
 * A fair task that waits behind one that never sleeps is moved to an idle CPU by the balancer, once that has seen how little is left: the
 * average of what is taken rises to four fifths in 75 ms.
 */
TEST(above, the_balancer_knows_what_is_taken)
{
	static const char *const kernels[] = { "5.10", "6.6", "6.18" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct testbed *m = machine_of(.cpus = 4, .row = kernels[i]);
		u32 fair = hog(m, NULL, ANY_CPU, 0), fifo = above(m, NULL, 0, 10 * MS, SCHED_FIFO, 1, RUN(900 * MS));

		run_until(m, 1000 * MS);
		CHECK_EQ(ran(m, fifo, 0, 1000 * MS), 900 * MS);
		CHECK(ran(m, fair, 0, 1000 * MS) > 700 * MS);
		done(m);
	}
}

/* Its CPU goes: what ran there and what waited there go on elsewhere. */
TEST(above, hotplug)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 a = above(m, NULL, 1, 0, SCHED_FIFO, 9, RUN(40 * MS)), b = above(m, NULL, 1, 1 * MS, SCHED_FIFO, 5, RUN(10 * MS));

	online_at(m, 20 * MS, 1, false);
	run_until(m, 100 * MS);
	check_run(m, a, 1, 20 * MS, 40 * MS, 0);
	CHECK_EQ(ran(m, b, 0, 40 * MS), 0);
	CHECK_EQ(ran(m, b, 40 * MS, 50 * MS), 10 * MS);
	done(m);
}

/* ---- from class to class ---- */

/* A running, a waiting and a sleeping thread become FIFO and fair again; every law holds throughout, and fair time is shared as before. */
TEST(above, between_classes)
{
	static const char *const kernels[] = { "3.2", "5.10", "6.6", "6.12", "6.18" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct task_stat before[2], after[2];
		struct task_struct *a, *b;
		struct driver d;

		driver_of(&d, .row = kernels[i]);
		a = sleeper(&d, NULL, 0);
		b = sleeper(&d, NULL, 0);
		start(&d, a);
		start(&d, b);
		at(&d, 5 * MS);
		CHECK_EQ(runs(&d, a), true);
		lab_set_nice(d.lab, 0, b, SCHED_FIFO, 7); /* it waits, and takes over */
		obey_kicks(&d);
		CHECK_EQ(runs(&d, b), true);
		at(&d, 25 * MS);
		lab_set_nice(d.lab, 0, b, SCHED_NORMAL, 0); /* it runs; now they share */
		obey_kicks(&d);
		CHECK_EQ(runs(&d, b), true); /* its vruntime is where it left the queue: behind a's */
		lab_set_nice(d.lab, 0, a, SCHED_RR, 1);
		obey_kicks(&d);
		CHECK_EQ(runs(&d, a), true);
		block(&d, 0);
		lab_set_nice(d.lab, 0, a, SCHED_NORMAL, 0); /* it sleeps */
		CHECK_EQ(runs(&d, b), true);
		at(&d, 40 * MS);
		wake(&d, a);
		at(&d, 40 * MS);
		lab_task_stat(d.lab, a, &before[0]);
		lab_task_stat(d.lab, b, &before[1]);
		for (u64 t = 44 * MS; t <= 240 * MS; t += 4 * MS) {
			at(&d, t);
			tick(&d, 0);
		}
		lab_task_stat(d.lab, a, &after[0]);
		lab_task_stat(d.lab, b, &after[1]);
		CHECK_WITHIN(after[0].runtime - before[0].runtime, 76 * MS, 140 * MS);
		CHECK_WITHIN(after[1].runtime - before[1].runtime, 76 * MS, 140 * MS);
		driver_fini(&d);
	}
}

/* A delayed sleeper (6.12) that becomes FIFO is asleep, and nothing else. */
TEST(above, a_delayed_sleeper_changes_class)
{
	struct task_struct *a, *b;
	struct driver d;

	driver_of(&d, .row = "6.12");
	a = sleeper(&d, NULL, 0);
	b = sleeper(&d, NULL, 0);
	start(&d, a);
	start(&d, b);
	at(&d, 2 * MS);
	block(&d, 0); /* early: it has had more than its share, and stays queued */
	CHECK_EQ(queue(&d, lab_root(d.lab), 0).nr_running, 2);
	lab_set_nice(d.lab, 0, a, SCHED_FIFO, 1);
	CHECK_EQ(queue(&d, lab_root(d.lab), 0).nr_running, 1);
	wake(&d, a);
	CHECK_EQ(runs(&d, a), true);
	driver_fini(&d);
}

/* A stopper runs at the next pass, whatever else is there. */
TEST(above, a_stopper_is_above_all)
{
	static const struct { enum sched_policy policy; int prio; } rows[] = { { SCHED_NORMAL, -20 }, { SCHED_FIFO, 99 }, { SCHED_DEADLINE, 0 } };
	static const u64 first = 1;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct task_spec spec = { .policy = SCHED_STOP, .kthread = true, .cpus = &first };
		struct task_struct *stopper, *p;
		struct driver d;

		driver_of(&d, .cpus = 1);
		p = sleeper(&d, NULL, 0);
		lab_set_nice(d.lab, 0, p, rows[i].policy, rows[i].prio);
		start(&d, p);
		stopper = lab_fork(d.lab, 0, NULL, &spec);
		at(&d, 1 * MS);
		start(&d, stopper);
		CHECK_EQ(runs(&d, stopper), true);
		block(&d, 0);
		CHECK_EQ(runs(&d, p), true);
		driver_fini(&d);
	}
}

/* ---- ticks left out ---- */

static u64 mixed(u64 seed, bool no_skip, const char *row)
{
	static const int policies[] = { SCHED_NORMAL, SCHED_FIFO, SCHED_RR, SCHED_RR, SCHED_DEADLINE, SCHED_NORMAL };
	struct testbed *m = machine_of(.cpus = 3, .row = row, .no_skip = no_skip, .seed = seed);
	struct rng rng;
	u64 digest;

	rng_init(&rng, seed, "above", "", 0, 0);
	group(m, "/g", 30 * MS, 100 * MS);
	for (u32 i = 0; i < 12; i++) {
		u32 t = task_of_args(m, &(struct task_args){ .group = i & 1 ? "/g" : NULL, .cpu = i % 4 == 3 ? ANY_CPU : (int)(i % 3),
				     .start = rng_below(&rng, 50 * MS), .loops = -1, .policy = policies[rng_below(&rng, 6)] },
				     STEPS(RUN(rng_below(&rng, 30 * MS) + 1), SLEEP(rng_below(&rng, 200 * MS) + 1)));

		with_prio(m, t, 1 + (int)rng_below(&rng, 3));
	}
	run_until(m, 3 * SEC);
	digest = digest_of(m);
	done(m);
	return digest;
}

/* Any mix gives the same bits with every tick called and with those left out that decide nothing. */
TEST(above, ticks_left_out)
{
	static const char *const kernels[] = { "3.16", "5.10", "6.12", "7.2" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		for (u64 seed = 1; seed <= 10; seed++)
			CHECK_EQ(mixed(seed, false, kernels[i]), mixed(seed, true, kernels[i]));
}

TEST_MAIN("above")
