/* SPDX-License-Identifier: MIT */
/*
 * witness.c - no rule without a witness.
 *
 *	rule  x  value  ---> one small machine, that rule flipped and nothing else ---> one figure, and the sentence it follows from
 *
 * Every rule whose name begins with bw_ stands here, and each two of its values differ in the figure of some row (witnessed_apart).  A
 * rule that changes no figure is dead or untested: then this file fails.
 */
#include "tests/test.h"

#include <stdlib.h>

#include "tests/bandwidth/beds.h"
#include "tests/machine_of.h"

/* Under what a figure is taken: the row, what the row needs beside, and the rule that is flipped. */
struct under {
	const char *row, *also, *flipped;
};
#define RULES(u) { (u)->also ? (u)->also : (u)->flipped, (u)->also ? (u)->flipped : NULL }

static struct driver *driver_under(const struct under *u, struct driver *d, int cpus)
{
	driver_of(d, .cpus = cpus, .row = u->row, .rules = RULES(u));
	return d;
}

static s64 held(struct driver *d, const struct task_group *tg, int cpu) { return queue(d, tg, cpu).runtime_remaining; }
static u64 lost(struct driver *d, const struct task_group *tg) { return stat_now(d, tg).ledger.lost; }

/* Charges what @p, which runs, has run, without a tick. */
static void charge(struct driver *d, struct task_struct *p) { lab_read_runtime(d->lab, p); }

/* A thread of @tg that begins at @t on @cpu. */
static struct task_struct *begins(struct driver *d, struct task_group *tg, u64 t, int cpu)
{
	struct task_struct *p = sleeper(d, tg, cpu);

	at(d, t);
	start(d, p);
	return p;
}

/* ---- expiry and restart ---- */

/* ns that expire at the ticks of 200, 204 and 208, the refill of 200 being 6 ms late (bw-22). */
static s64 expired_around_a_late_refill(const struct under *u)
{
	struct driver d;
	struct task_group *tg = hog_since_100(&d, u->row, u->flipped);
	u64 sum = 0, before, k;

	for (k = 0; k < 3; k++) {
		if (k == 2) {
			at(&d, 206 * MS);
			fire(&d, TIMER_PERIOD, tg);
		}
		before = lost(&d, tg);
		at(&d, (200 + 4 * k) * MS);
		tick(&d, 0);
		sum += lost(&d, tg) - before;
	}
	driver_fini(&d);
	return (s64)sum;
}

/* ns of slack destroyed when a thread sleeps after a write has brought the deadline forward, from 1000 to 120 ms. */
static s64 slack_after_a_shorter_period(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, 20 * MS, 1 * SEC);
	struct task_struct *p = begins(&d, tg, 10 * MS, 0);
	u64 before;

	at(&d, 10500 * US);
	block(&d, 0);
	at(&d, 20 * MS);
	write_limit(&d, tg, 20 * MS, 100 * MS);
	wake(&d, p);
	before = lost(&d, tg);
	at(&d, 20500 * US);
	block(&d, 0);
	before = lost(&d, tg) - before;
	driver_fini(&d);
	return (s64)before;
}

/* Idle from 1 ms on; at 500 and 500.02 two CPUs work for 10 us (C1). */
static struct testbed *two_wake_after_idle(const struct under *u)
{
	struct testbed *m = machine_of(.cpus = 3, .row = u->row, .rules = RULES(u));

	group(m, "/web", 10 * MS, 100 * MS);
	program(m, "/web", 2, 1 * MS, RUN(10 * US));
	program(m, "/web", 0, 500 * MS, RUN(10 * US));
	program(m, "/web", 1, 500020 * US, RUN(10 * US));
	run_until(m, 501 * MS);
	return m;
}

static s64 pool_after_idle(const struct under *u)
{
	struct testbed *m = two_wake_after_idle(u);
	s64 value = (s64)pool_of(m, "/web").runtime;

	done(m);
	return value;
}

static s64 granted_after_idle(const struct under *u)
{
	struct testbed *m = two_wake_after_idle(u);
	s64 value = (s64)stat_of(m, "/web").ledger.granted;

	done(m);
	return value;
}

/* ---- the list and the pool ---- */

/* What CPU 20 of 36 hogs has had after 3 s (bw-14). */
static s64 turn_of_cpu_20(const struct under *u)
{
	struct testbed *m = machine_of(.cpus = 36, .row = u->row, .rules = RULES(u));
	u32 task[36];
	int cpu;
	s64 value;

	group(m, "/web", 10 * MS, 100 * MS);
	for (cpu = 0; cpu < 36; cpu++)
		task[cpu] = hog(m, "/web", cpu, 0);
	run_until(m, 3 * SEC);
	value = (s64)ran(m, task[20], 0, 3 * SEC);
	done(m);
	return value;
}

/*
 * While a walk waits between two queues, CPU 1 runs out and is throttled with -85: what the snapshot has left reaches it where it joins
 * behind the walk, and not where it joins before it.
 */
static s64 throttled_during_a_walk(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 5), NULL, 10 * MS, 100 * MS);
	struct task_struct *p = begins(&d, tg, 0, 1);
	int cpu;
	s64 value;

	for (cpu = 2; cpu <= 4; cpu++) /* 2 takes the rest, 3 and 4 are throttled */
		begins(&d, tg, 0, cpu);
	block(&d, 2);
	d.walk_cost = 10 * US;
	at(&d, 100 * MS);
	fire(&d, TIMER_PERIOD, tg);
	charge(&d, p); /* 5 - 100 + all 10 of the pool */
	obey_kicks(&d);
	CHECK(queue(&d, tg, 1).throttled);
	finish_walk(&d, tg);
	value = held(&d, tg, 1);
	driver_fini(&d);
	return value;
}

/*
 * A walk has paid CPU 2 its 6 ms of 15 and waits; CPU 1, which owes 12, asks: it gets nothing of a hidden pool, all 15 of a shared one,
 * the 9 that are left of an exact one.
 */
static s64 drawn_during_a_walk(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 4), NULL, 15 * MS, 100 * MS);
	struct task_struct *p1 = begins(&d, tg, 83 * MS, 1), *p2 = begins(&d, tg, 83 * MS, 2);
	s64 value;

	at(&d, 99 * MS);
	charge(&d, p2); /* 5 - 16 + 5 */
	obey_kicks(&d);
	begins(&d, tg, 99 * MS, 3);
	d.walk_cost = 10 * US;
	at(&d, 100 * MS);
	fire(&d, TIMER_PERIOD, tg);
	charge(&d, p1); /* 5 - 17 */
	value = held(&d, tg, 1);
	obey_kicks(&d);
	finish_walk(&d, tg);
	driver_fini(&d);
	return value;
}

/* ---- slack ---- */

/* When the hog runs again: two CPUs return 3.5 each at 5.1, a third a bit at 8.0. */
static s64 release_by_slack(const struct under *u)
{
	struct testbed *m = machine_of(.cpus = 4, .hz = 1000, .row = u->row, .rules = RULES(u));
	u32 t;
	s64 value;

	group(m, "/web", 20 * MS, 100 * MS);
	t = hog(m, "/web", 0, 0);
	program(m, "/web", 1, 4600 * US, RUN(500 * US));
	program(m, "/web", 2, 4600 * US, RUN(500 * US));
	program(m, "/web", 3, 4600 * US, RUN(3400 * US));
	run_until(m, 50 * MS);
	value = (s64)nth_run(m, t, 1).from;
	done(m);
	return value;
}

/*
 * CPU 0 of the group is throttled and 4 ms are in the pool; a running thread of the root group is moved into it there, and what becomes
 * current is charged 0.
 */
static s64 pool_after_moving_into_a_throttled_queue(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 3), NULL, 10 * MS, 100 * MS);
	struct task_struct *outside;
	int cpu;
	s64 value;

	for (cpu = 1; cpu <= 3; cpu++)
		begins(&d, tg, 0, cpu % 3);
	block(&d, 1);
	outside = begins(&d, NULL, 1 * MS, 0);
	lab_move(d.lab, 0, outside, tg);
	value = (s64)pool(&d, tg).runtime;
	driver_fini(&d);
	return value;
}

/* ---- what is stopped ---- */

/* A thread of a group with 5 ms enters a system call of 30 ms at 4, in a preemptible kernel (bw-31). */
static struct testbed *caller(const struct under *u, u32 *task)
{
	struct testbed *m = machine_of(.hz = 1000, .row = u->row, .rules = RULES(u), .preempt = PREEMPT_FULL);

	group(m, "/web", 5 * MS, 100 * MS);
	*task = program(m, "/web", 0, 0, RUN(4 * MS), SYS(30 * MS), RUN(10 * SEC));
	run_until(m, 601 * MS);
	return m;
}

static s64 end_of_the_first_run(const struct under *u)
{
	u32 task;
	struct testbed *m = caller(u, &task);
	s64 value = (s64)nth_run(m, task, 0).to;

	done(m);
	return value;
}

static s64 throttled_time_of_a_caller(const struct under *u)
{
	u32 task;
	struct testbed *m = caller(u, &task);
	s64 value = (s64)stat_of(m, "/web").throttled_time;

	done(m);
	return value;
}

static s64 held_after_the_first_wakeup(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, 20 * MS, 100 * MS);
	s64 value;

	begins(&d, tg, 1 * MS, 0);
	value = held(&d, tg, 0);
	driver_fini(&d);
	return value;
}

/* ---- the period timer ---- */

static s64 stretched_period(const struct under *u)
{
	struct driver d;
	struct task_group *tg = crowd_in_debt(&d, u->row, u->flipped, 1 * MS, 1 * MS, 0);
	s64 value;

	fire_slowly(&d, tg, 2 * MS, 1010 * US);
	value = (s64)pool(&d, tg).period;
	driver_fini(&d);
	return value;
}

/* ns granted by the five refills of such a callback. */
static s64 granted_while_stretching(const struct under *u)
{
	struct driver d;
	struct task_group *tg = crowd_in_debt(&d, u->row, u->flipped, 1 * MS, 1 * MS, 0);
	u64 before = stat_now(&d, tg).ledger.granted;

	fire_slowly(&d, tg, 2 * MS, 1010 * US);
	before = stat_now(&d, tg).ledger.granted - before;
	driver_fini(&d);
	return (s64)before;
}

/* CPU 1's tick finds the pool empty; before its schedule pass CPU 2 sleeps and returns 3 ms. */
static s64 throttled_although_slack_came_back(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 3), NULL, 10 * MS, 100 * MS);
	s64 value;

	begins(&d, tg, 0, 1);
	begins(&d, tg, 5 * MS, 2);
	at(&d, 6 * MS);
	lab_tick(d.lab, 1);
	lab_block(d.lab, 2);
	pass(&d, 2);
	obey_kicks(&d);
	value = queue(&d, tg, 1).throttled;
	driver_fini(&d);
	return value;
}

/* The pool after an idle period under a quota of 20 and a burst of 10. */
static s64 pool_after_an_idle_period(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, 20 * MS, 100 * MS);
	s64 value;

	lab_write(d.lab, 0, tg, KNOB_BURST, 10 * MS, 0, NULL);
	at(&d, 100 * MS);
	fire(&d, TIMER_PERIOD, tg);
	value = (s64)pool(&d, tg).runtime;
	driver_fini(&d);
	return value;
}

/* nr_bursts after 30 ms were granted in a period of 20 (bw-24). */
static s64 bursts_counted(const struct under *u)
{
	struct testbed *m = machine_of(.hz = 1000, .row = u->row, .rules = RULES(u), .cgroup = 1);
	s64 value;

	group_write(m, "/web", "cpu.cfs_burst_us", "10000", NULL);
	group_write(m, "/web", "cpu.cfs_quota_us", "20000", NULL);
	program(m, "/web", 0, 150 * MS, RUN(10 * SEC));
	run_until(m, 201 * MS);
	value = (s64)stat_of(m, "/web").nr_bursts;
	done(m);
	return value;
}

static s64 burst_after_a_write_of_cpu_max(const struct under *u)
{
	struct testbed *m = machine_of(.row = u->row, .rules = RULES(u));
	s64 value;

	group(m, "/web", 20 * MS, 100 * MS);
	group_write(m, "/web", "cpu.max.burst", "10000", NULL);
	group(m, "/web", 20 * MS, 100 * MS);
	run_until(m, 1);
	value = (s64)stat_of(m, "/web").burst;
	done(m);
	return value;
}

/* Throttled time of one period on a CPU that is not the timer's; an interrupt takes 8 us. */
static s64 throttled_time_of_a_remote_cpu(const struct under *u)
{
	struct testbed *m = machine_of(.cpus = 2, .row = u->row, .rules = RULES(u), .costs = { .ipi = 8 * US });
	s64 value;

	group(m, "/web", 20 * MS, 100 * MS);
	hog(m, "/web", 1, 0);
	run_until(m, 110 * MS);
	value = (s64)stat_of(m, "/web").throttled_time;
	done(m);
	return value;
}

/* The first expiry, where chance says 37 ms. */
static s64 first_expiry(const struct under *u)
{
	struct driver d;
	struct task_group *tg;
	s64 value;

	driver_of(&d, .row = u->row, .rules = RULES(u), .random = 37 * MS);
	tg = limited(&d, NULL, 20 * MS, 100 * MS);
	value = (s64)timer_of(&d, TIMER_PERIOD, tg)->when;
	driver_fini(&d);
	return value;
}

/* ---- statistics ---- */

/* bw-26: throttled while empty at 5.5, released at 100; @joins: another thread wakes there at 60. */
static s64 throttled_time_of_an_empty_queue(const struct under *u, bool joins)
{
	struct testbed *m = machine_of(.row = u->row, .rules = RULES(u));
	s64 value;

	group(m, "/web", 5 * MS, 100 * MS);
	program(m, "/web", 0, 0, RUN(5500 * US));
	if (joins)
		program(m, "/web", 0, 60 * MS, RUN(10 * US));
	run_until(m, 101 * MS);
	value = (s64)stat_of(m, "/web").throttled_time;
	done(m);
	return value;
}

static s64 throttled_while_empty(const struct under *u) { return throttled_time_of_an_empty_queue(u, false); }
static s64 throttled_then_joined(const struct under *u) { return throttled_time_of_an_empty_queue(u, true); }

/* What a child shows of its parent's throttle, after one period. */
static s64 local_time_of_a_child(const struct under *u)
{
	struct testbed *m = machine_of(.hz = 1000, .row = u->row, .rules = RULES(u));
	s64 value;

	group(m, "/p", 50 * MS, 100 * MS);
	group(m, "/p/c", NO_LIMIT, 100 * MS);
	hog(m, "/p/c", 0, 0);
	run_until(m, 101 * MS);
	value = (s64)stat_of(m, "/p/c").throttled_local;
	done(m);
	return value;
}

/* ---- writes, groups and CPUs ---- */

/* A limit is written between a charge and the schedule pass of the same moment: L = 0 is throttled without having asked. */
static s64 timer_armed_by_a_throttle(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, RUNTIME_INF, 0);
	s64 value;

	begins(&d, tg, 0, 0);
	at(&d, 4 * MS);
	tick(&d, 0);
	write_limit(&d, tg, 20 * MS, 100 * MS);
	pass(&d, 0);
	CHECK(queue(&d, tg, 0).throttled);
	value = timer_of(&d, TIMER_PERIOD, tg)->armed;
	driver_fini(&d);
	return value;
}

static s64 timer_armed_by_a_write(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, 20 * MS, 100 * MS);
	s64 value = timer_of(&d, TIMER_PERIOD, tg)->armed;

	driver_fini(&d);
	return value;
}

static s64 left_by_a_write(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, 20 * MS, 100 * MS);
	s64 value;

	begins(&d, tg, 0, 0);
	write_limit(&d, tg, 20 * MS, 100 * MS);
	value = held(&d, tg, 0);
	driver_fini(&d);
	return value;
}

/* What CPU @look holds after CPU 1 has gone; of a quota of 20 CPU 0 holds 3 ms, CPU 1 owes 7. */
static s64 held_after_hotplug(const struct under *u, int look)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 3), NULL, 20 * MS, 100 * MS);
	s64 value;

	begins(&d, tg, 0, 0);
	begins(&d, tg, 0, 1);
	at(&d, 12 * MS);
	tick(&d, 0);
	tick(&d, 1);
	lab_hotplug(d.lab, 1, false);
	value = held(&d, tg, look);
	obey_kicks(&d);
	driver_fini(&d);
	return value;
}

static s64 held_by_the_cpu_that_went(const struct under *u) { return held_after_hotplug(u, 1); }
static s64 held_by_another_cpu(const struct under *u) { return held_after_hotplug(u, 0); }

static s64 answer_to_a_huge_quota(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, RUNTIME_INF, 0);
	s64 value = write_limit(&d, tg, ((u64)1 << 44) * US, 100 * MS);

	driver_fini(&d);
	return value;
}

static s64 answer_to_a_child_above_its_parent(const struct under *u)
{
	struct driver d;
	struct task_group *parent = limited(driver_under(u, &d, 1), NULL, 50 * MS, 100 * MS);
	struct task_group *child = limited(&d, parent, RUNTIME_INF, 0);
	s64 value = write_limit(&d, child, 80 * MS, 100 * MS);

	driver_fini(&d);
	return value;
}

/* hierarchical_quota of an unlimited child below 50 %. */
static s64 recorded_ratio_of_an_unlimited_child(const struct under *u)
{
	struct driver d;
	struct task_group *parent = limited(driver_under(u, &d, 1), NULL, 50 * MS, 100 * MS);
	struct task_group *child = limited(&d, parent, RUNTIME_INF, 0);
	s64 value;

	write_limit(&d, child, RUNTIME_INF, 100 * MS);
	value = pool(&d, child).hierarchical_quota;
	driver_fini(&d);
	return value;
}

/* throttle_count of a group that is created below a throttled one. */
static s64 count_of_a_new_child(const struct under *u)
{
	struct driver d;
	struct task_group *parent = limited(driver_under(u, &d, 1), NULL, 5 * MS, 100 * MS), *child;
	s64 value;

	begins(&d, parent, 0, 0);
	at(&d, 8 * MS);
	tick(&d, 0);
	CHECK(queue(&d, parent, 0).throttled);
	child = limited(&d, parent, RUNTIME_INF, 0);
	begins(&d, child, 9 * MS, 0);
	value = queue(&d, child, 0).throttle_count;
	driver_fini(&d);
	return value;
}

/* ---- the table ---- */

static const struct witness {
	const char *rule;
	const char *row, *also; /* what else must be so */
	s64 (*figure)(const struct under *u);
	const char *name; /* of the figure */
	struct {
		const char *value;
		s64 figure;
	} shows[4];
	const char *sentence;
} witnesses[] = {
	{ "bw_expiry", "4.14", NULL, expired_around_a_late_refill, "ns expired around a late refill",
	  { { "none", 0 }, { "deadline", 1 * MS }, { "inverted", 2 * MS }, { "seq", 1 * MS } },
	  "4.2: extend while the global deadline has not advanced, expire when it has; the inverted test does the opposite (bw-22)" },
	{ "bw_expiry", "4.14", NULL, slack_after_a_shorter_period, "ns of slack destroyed after the period was shortened",
	  { { "none", 0 }, { "deadline", 3500 * US }, { "inverted", 3500 * US }, { "seq", 0 } },
	  "4.1: by deadline a queue takes over a later deadline only, by sequence any that is new; 3.4: slack needs equal deadlines" },
	{ "bw_restart", "4.14.133", NULL, pool_after_idle, "ns in the pool after two short runs",
	  { { "refill", 8 * MS - 20 * US }, { "keep", 0 }, { "advance", 8 * MS - 20 * US } },
	  "C1: where the restart leaves the deadline in the past, all slack of the first period is destroyed" },
	{ "bw_restart", "4.14.133", NULL, granted_after_idle, "ns granted since the start",
	  { { "refill", 30 * MS }, { "keep", 20 * MS }, { "advance", 20 * MS } },
	  "2.2: in B1 and B2 a request that arms the timer first refills" },
	{ "bw_list", "4.14", NULL, turn_of_cpu_20, "ns that CPU 20 of 36 ran in 3 s",
	  { { "tail", 12 * MS }, { "head", 4 * MS }, { "mixed", 12 * MS } },
	  "7.3: FIFO gives each queue its turn, LIFO serves the most recently throttled first (bw-13, bw-14)" },
	{ "bw_list", "5.3", NULL, throttled_during_a_walk, "ns held by a queue throttled during a walk",
	  { { "tail", -75 * (s64)MS - 2 }, { "head", -85 * (s64)MS }, { "mixed", -85 * (s64)MS } },
	  "7.1: queues throttled during a distribution go to the list head so the running walk does not see them" },
	{ "bw_pool", "5.10", NULL, drawn_during_a_walk, "ns held by a CPU that asks during a walk",
	  { { "hidden", -12 * (s64)MS }, { "shared", 3 * MS }, { "exact", -3 * (s64)MS - 1 } },
	  "7.1: the pool is hidden during distribution, visible and snapshotted (so spent twice), or exact" },
	{ "bw_slack_timer", "5.10", NULL, release_by_slack, "when the hog runs again",
	  { { "grid", 10 * MS }, { "restart", 13 * MS }, { "fixed", 10100 * US } },
	  "3.4: next multiple of 5 ms; 5 ms from now, restarted by each further return; exactly 5 ms from the first return" },
	{ "bw_throttled_draw", "4.18", NULL, pool_after_moving_into_a_throttled_queue, "ns in the pool",
	  { { "off", 4 * MS }, { "on", 0 } },
	  "3.1: before 5.3 a throttled queue could take runtime" },
	{ "bw_throttle", "6.1", NULL, end_of_the_first_run, "when a thread inside a system call is stopped",
	  { { "group", 5 * MS }, { "task", 34 * MS }, { "charge", 34 * MS } },
	  "6.1: a task in the kernel keeps running until it returns to user mode; to 6.17 the group leaves as a whole (bw-31)" },
	{ "bw_throttle", "6.1", NULL, held_after_the_first_wakeup, "ns held after the first wakeup",
	  { { "group", 5 * MS }, { "task", 5 * MS }, { "charge", 1 } },
	  "3.2: from 7.2 the request at the first enqueue is for 1 ns only (bw-33)" },
	{ "bw_stretch", "5.10", NULL, stretched_period, "the period after a callback of five periods",
	  { { "none", 1 * MS }, { "scaled", 1148437 }, { "doubled", 2 * MS } },
	  "2.4: at the fourth loop nothing, x 147/128, or x 2 (bw-30)" },
	{ "bw_stretch_late", "5.4", NULL, granted_while_stretching, "ns granted by a callback of five periods",
	  { { "off", 7 * MS }, { "on", 6 * MS } },
	  "2.4: until 5.7 the stretch comes before that iteration's refill, which so grants the larger quota" },
	{ "bw_reask", "5.10", NULL, throttled_although_slack_came_back, "throttled or not",
	  { { "off", 1 }, { "on", 0 } },
	  "5.1: throttling first requests 1 ns; if the pool meanwhile has runtime the throttle is cancelled" },
	{ "bw_refill", "5.15", NULL, pool_after_an_idle_period, "ns in the pool",
	  { { "set", 20 * MS }, { "add", 30 * MS } },
	  "2.3: R = Q up to 5.13, then R = min(R + Q, Q + B)" },
	{ "bw_burst_stat", "6.1", NULL, bursts_counted, "nr_bursts",
	  { { "off", 0 }, { "on", 1 } },
	  "2.3: from 5.16 a refill counts a burst where more than the quota was granted" },
	{ "bw_burst_unit", "6.1", NULL, burst_after_a_write_of_cpu_max, "ns of burst left",
	  { { "right", 10 * MS }, { "divided", 10 * US } },
	  "1.6: cpu.max writes in 5.14 to 6.9 divide the stored burst by 1000 each time" },
	{ "bw_unthrottle", "6.1", NULL, throttled_time_of_a_remote_cpu, "ns throttled in the first period",
	  { { "direct", 80 * MS }, { "ipi", 80 * MS + 8 * US } },
	  "7.2: from 6.3 remote CPUs unthrottle themselves after an IPI; flag and list membership persist until then" },
	{ "bw_phase", "6.1", NULL, first_expiry, "the first expiry",
	  { { "grid", 100 * MS }, { "random", 37 * MS } },
	  "2.1: the initial expiry is 0 up to 6.3, then uniform in [0, 100 ms)" },
	{ "bw_empty_time", "6.1", NULL, throttled_while_empty, "ns throttled, nobody there",
	  { { "counted", 94500 * US }, { "queued", 0 } },
	  "8: up to 6.5 the duration starts when the queue is throttled even if it is empty (bw-26)" },
	{ "bw_empty_time", "6.1", NULL, throttled_then_joined, "ns throttled, somebody there from 60 on",
	  { { "counted", 94500 * US }, { "queued", 40 * MS } },
	  "8: 6.6 to 6.17 it starts at the first enqueue" },
	{ "bw_empty_time", "6.1", "bw_throttle=task", throttled_time_of_a_caller, "ns throttled, flagged at 5, parked at 34, back at 600",
	  { { "counted", 595 * MS }, { "queued", 595 * MS }, { "parked", 566 * MS } },
	  "8: from 6.18 the duration starts when the first task is parked" },
	{ "bw_stat_local", "6.1", NULL, local_time_of_a_child, "cpu.stat.local of a child",
	  { { "off", 0 }, { "on", 50 * MS } },
	  "8: per queue, time in any throttled hierarchy with tasks" },
	{ "bw_arm_on_throttle", "3.2", NULL, timer_armed_by_a_throttle, "timer armed",
	  { { "off", 0 }, { "on", 1 } },
	  "2.1: throttling arms the timer too, from 3.13" },
	{ "bw_arm_on_write", "5.10", NULL, timer_armed_by_a_write, "timer armed",
	  { { "active", 0 }, { "always", 1 } },
	  "1.6: up to 4.1 only if already active, then started if inactive" },
	{ "bw_write_leaves", "5.10", NULL, left_by_a_write, "ns held",
	  { { "zero", 0 }, { "one", 1 } },
	  "1.6: a write leaves L = 0, from 6.18 1 ns" },
	{ "bw_offline_gift", "5.10", NULL, held_by_the_cpu_that_went, "ns held by the CPU that went",
	  { { "quota", 20 * MS }, { "one", 1 } },
	  "5.4: its queues get a full Q each up to 3.15, later 1 ns (bw-35)" },
	{ "bw_hotplug", "5.10", NULL, held_by_another_cpu, "ns held by another CPU",
	  { { "all", 1 }, { "own", 3 * MS } },
	  "5.4: until 6.13 a hotplug change unthrottled queues on still-active CPUs too" },
	{ "bw_max_quota", "5.10", NULL, answer_to_a_huge_quota, "errno of 2^44 us",
	  { { "off", 0 }, { "on", -22 } },
	  "1.1: quotas above (2^44 - 1) us are refused from 5.8 (bw-36)" },
	{ "bw_v2_hierarchy", "5.10", NULL, answer_to_a_child_above_its_parent, "errno of a child above its parent",
	  { { "refuse", -22 }, { "unlimited", 0 }, { "min", 0 } },
	  "1.5: v2 in 4.15 refuses, since 4.16 never (bw-27)" },
	{ "bw_v2_hierarchy", "5.10", NULL, recorded_ratio_of_an_unlimited_child, "recorded ratio of an unlimited child",
	  { { "refuse", 524288 }, { "unlimited", -1 }, { "min", 524288 } },
	  "1.5: the recorded ratio was always unlimited if either side was, until 6.6, which takes the minimum of the limited ones" },
	{ "bw_child_count", "4.2", NULL, count_of_a_new_child, "throttle_count",
	  { { "off", 0 }, { "on", 1 } },
	  "5.4: a new child group under a throttled parent inherits the count since 4.7" },
};

static s64 figure_of(const struct witness *w, const char *value)
{
	char flipped[64];
	struct under u = { w->row, w->also, flipped };

	snprintf(flipped, sizeof(flipped), "%s=%s", w->rule, value);
	return w->figure(&u);
}

TEST(witness, each_value_shows_its_figure)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++) {
		const struct witness *w = &witnesses[i];

		for (k = 0; k < ARRAY_SIZE(w->shows) && w->shows[k].value; k++) {
			char title[256];

			snprintf(title, sizeof(title), "%s=%s, %s (%s)", w->rule, w->shows[k].value, w->name, w->sentence);
			CHECK_ROW(figure_of(w, w->shows[k].value), w->shows[k].figure, title);
		}
	}
}

/* ---- completeness ---- */

/* The figure that @w gives for @value of its rule; false where it gives none. */
static bool shown(const struct witness *w, const char *value, size_t len, s64 *figure)
{
	size_t k;

	for (k = 0; k < ARRAY_SIZE(w->shows) && w->shows[k].value; k++) {
		if (strlen(w->shows[k].value) != len || memcmp(w->shows[k].value, value, len))
			continue;
		*figure = w->shows[k].figure;
		return true;
	}
	return false;
}

static bool told_apart(const char *rule, const char *a, size_t alen, const char *b, size_t blen)
{
	size_t i;
	s64 x, y;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++)
		if (!strcmp(witnesses[i].rule, rule) && shown(&witnesses[i], a, alen, &x) &&
		    shown(&witnesses[i], b, blen, &y) && x != y)
			return true;
	return false;
}

TEST(witness, each_two_values_of_a_rule_are_told_apart)
{
	u32 rules = 0;
	int rule;

	for (rule = 0; rule < NR_RULES; rule++) {
		const struct rule_info *info = rule_info((enum rule)rule);
		const char *a, *b;

		if (strncmp(info->name, "bw_", 3))
			continue;
		rules++;
		for (a = info->values; a; a = strchr(a, '|') ? strchr(a, '|') + 1 : NULL) {
			for (b = strchr(a, '|'); b; b = strchr(b, '|')) {
				char title[128];

				b++;
				snprintf(title, sizeof(title), "%s: %.*s against %.*s", info->name, (int)strcspn(a, "|"), a,
					 (int)strcspn(b, "|"), b);
				CHECK_ROW(told_apart(info->name, a, strcspn(a, "|"), b, strcspn(b, "|")), true, title);
			}
		}
	}
	CHECK(rules >= 24);
}

/* Nothing here is about a rule that does not exist. */
TEST(witness, every_row_names_a_rule_and_its_values)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++) {
		for (k = 0; k < ARRAY_SIZE(witnesses[i].shows) && witnesses[i].shows[k].value; k++) {
			struct kernel_model model;
			char text[64];

			CHECK_EQ(model_init(&model, witnesses[i].row), 0);
			snprintf(text, sizeof(text), "%s=%s", witnesses[i].rule, witnesses[i].shows[k].value);
			CHECK_ROW(model_set_rule(&model, text, NULL), 0, text);
		}
		CHECK_ROW(k >= 2, true, witnesses[i].rule);
	}
}

TEST_MAIN("bandwidth: a witness for every rule")
