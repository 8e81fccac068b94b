/* SPDX-License-Identifier: MIT */
/* beds.c - machines in a state that several tests begin with. */
#include "tests/test.h"

#include "tests/bandwidth/beds.h"

struct task_group *hog_since_100(struct driver *d, const char *row, const char *rule)
{
	struct task_group *tg;
	u64 t;

	driver_of(d, .cpus = 2, .row = row, .rules = { "bw_phase=grid", "bw_unthrottle=direct", rule });
	tg = limited(d, NULL, 200 * MS, 100 * MS);
	at(d, 50 * MS);
	start(d, sleeper(d, tg, 1));
	at(d, 50010 * US);
	block(d, 1);
	at(d, 100 * MS);
	fire(d, TIMER_PERIOD, tg);
	start(d, sleeper(d, tg, 0));
	for (t = 104 * MS; t < 200 * MS; t += 4 * MS) {
		at(d, t);
		tick(d, 0);
	}
	return tg;
}

struct task_group *crowd_in_debt(struct driver *d, const char *row, const char *rule, u64 quota, u64 period, u64 burst)
{
	struct task_group *tg;
	int cpu;

	driver_of(d, .cpus = CROWD, .row = row, .slice_us = 1000000,
		  .rules = { "bw_phase=grid", "bw_unthrottle=direct", rule });
	tg = limited(d, NULL, quota, period);
	if (burst)
		lab_write(d->lab, 0, tg, KNOB_BURST, burst, 0, NULL);
	for (cpu = 0; cpu < CROWD; cpu++)
		start(d, sleeper(d, tg, cpu));
	block(d, 0);
	at(d, period); /* 1 ns for each that had nothing */
	fire(d, TIMER_PERIOD, tg);
	at(d, period + quota / 2);
	for (cpu = 1; cpu < CROWD; cpu++)
		tick(d, cpu);
	CHECK_EQ(stat_now(d, tg).throttled_cpus, CROWD - 2);
	return tg;
}

void finish_walk(struct driver *d, struct task_group *tg)
{
	const struct driver_timer *walk = timer_of(d, TIMER_DISTRIBUTE, tg);

	while (walk->armed) {
		at(d, walk->when);
		fire(d, TIMER_DISTRIBUTE, tg);
	}
}

void fire_slowly(struct driver *d, struct task_group *tg, u64 when, u64 cost)
{
	d->walk_cost = cost;
	at(d, when);
	fire(d, TIMER_PERIOD, tg);
	finish_walk(d, tg);
}
