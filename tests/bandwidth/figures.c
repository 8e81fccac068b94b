/* SPDX-License-Identifier: MIT */
/*
 * figures.c - the machines of witness.c: each function builds one under the rules it is given, and returns its figure.
 *
 * They are as small as the rule allows; what must be so beside the figure is checked here.
 */
#include "tests/test.h"

#include "owner/kernel.h"
#include "tests/bandwidth/beds.h"
#include "tests/bandwidth/figures.h"
#include "tests/machine_of.h"

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
s64 expired_around_a_late_refill(const struct under *u)
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
s64 slack_after_a_shorter_period(const struct under *u)
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

s64 pool_after_idle(const struct under *u)
{
	struct testbed *m = two_wake_after_idle(u);
	s64 value = (s64)pool_of(m, "/web").runtime;

	done(m);
	return value;
}

s64 granted_after_idle(const struct under *u)
{
	struct testbed *m = two_wake_after_idle(u);
	s64 value = (s64)stat_of(m, "/web").ledger.granted;

	done(m);
	return value;
}

/* ---- the list and the pool ---- */

/* What CPU 20 of 36 hogs has had after 3 s (bw-14). */
s64 turn_of_cpu_20(const struct under *u)
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
 * While a walk waits between two queues, CPU 1 runs out and is throttled with -85: what the snapshot has left reaches it
 * where it joins behind the walk, and not where it joins before it.
 */
s64 throttled_during_a_walk(const struct under *u)
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
 * A walk has paid CPU 2 its 6 ms of 15 and waits; CPU 1, which owes 12, asks: it gets nothing of a hidden pool, all 15 of
 * a shared one, the 9 that are left of an exact one.
 */
s64 drawn_during_a_walk(const struct under *u)
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
s64 release_by_slack(const struct under *u)
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
 * CPU 0 of the group is throttled and 4 ms are in the pool; a running thread of the root group is moved into it there, and
 * what becomes current is charged 0.
 */
s64 pool_after_moving_into_a_throttled_queue(const struct under *u)
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

s64 end_of_the_first_run(const struct under *u)
{
	u32 task;
	struct testbed *m = caller(u, &task);
	s64 value = (s64)nth_run(m, task, 0).to;

	done(m);
	return value;
}

s64 throttled_time_of_a_caller(const struct under *u)
{
	u32 task;
	struct testbed *m = caller(u, &task);
	s64 value = (s64)stat_of(m, "/web").throttled_time;

	done(m);
	return value;
}

s64 held_after_the_first_wakeup(const struct under *u)
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

s64 stretched_period(const struct under *u)
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
s64 granted_while_stretching(const struct under *u)
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
s64 throttled_although_slack_came_back(const struct under *u)
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
s64 pool_after_an_idle_period(const struct under *u)
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
s64 bursts_counted(const struct under *u)
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

s64 burst_after_a_write_of_cpu_max(const struct under *u)
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
s64 throttled_time_of_a_remote_cpu(const struct under *u)
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
s64 first_expiry(const struct under *u)
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

s64 throttled_while_empty(const struct under *u) { return throttled_time_of_an_empty_queue(u, false); }
s64 throttled_then_joined(const struct under *u) { return throttled_time_of_an_empty_queue(u, true); }

/* What a child shows of its parent's throttle, after one period. */
s64 local_time_of_a_child(const struct under *u)
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
s64 timer_armed_by_a_throttle(const struct under *u)
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

s64 timer_armed_by_a_write(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, 20 * MS, 100 * MS);
	s64 value = timer_of(&d, TIMER_PERIOD, tg)->armed;

	driver_fini(&d);
	return value;
}

s64 left_by_a_write(const struct under *u)
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

s64 held_by_the_cpu_that_went(const struct under *u) { return held_after_hotplug(u, 1); }
s64 held_by_another_cpu(const struct under *u) { return held_after_hotplug(u, 0); }

s64 answer_to_a_huge_quota(const struct under *u)
{
	struct driver d;
	struct task_group *tg = limited(driver_under(u, &d, 1), NULL, RUNTIME_INF, 0);
	s64 value = write_limit(&d, tg, ((u64)1 << 44) * US, 100 * MS);

	driver_fini(&d);
	return value;
}

s64 answer_to_a_child_above_its_parent(const struct under *u)
{
	struct driver d;
	struct task_group *parent = limited(driver_under(u, &d, 1), NULL, 50 * MS, 100 * MS);
	struct task_group *child = limited(&d, parent, RUNTIME_INF, 0);
	s64 value = write_limit(&d, child, 80 * MS, 100 * MS);

	driver_fini(&d);
	return value;
}

/* hierarchical_quota of an unlimited child below 50 %. */
s64 recorded_ratio_of_an_unlimited_child(const struct under *u)
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
s64 count_of_a_new_child(const struct under *u)
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

/* Of a scenario that names the kernel and nothing else. */
s64 cgroup_version_not_said(const struct under *u)
{
	const char *rules[] = { u->flipped };
	struct scenario sc;
	struct kernel_model model;
	struct err err = { 0 };

	scenario_init(&sc);
	sc.kernel = (struct kernel_spec){ .row = u->row, .rules = rules, .nr_rules = 1 };
	CHECK_EQ(kernel_of(&sc, &model, &err), 0);
	return cgroup_of(&sc, &model);
}
