/* SPDX-License-Identifier: MIT */
/*
 * built.c - what the core has in it: built in full, without limits, or without groups; and how small a small lab is.
 *
 * One source, three binaries (core/config.h).
 */
#include "core/sched.h"
#include "tests/test.h"

#include "tests/driver.h"

/* ---- what is there ---- */

/* Groups are there or they are not. */
TEST(built, groups)
{
	struct driver d;

	driver_of(&d);
	CHECK_EQ(lab_group_create(d.lab, lab_root(d.lab)) != NULL, FAIRGROUND_GROUPS);
	driver_fini(&d);
}

/* Without bandwidth control there is no such file; with it a quota is taken. */
TEST_IF(FAIRGROUND_GROUPS, built, limits)
{
	static const enum knob knobs[] = { KNOB_MAX, KNOB_QUOTA, KNOB_PERIOD, KNOB_BURST };
	struct task_group *tg;
	struct driver d;
	size_t i;

	driver_of(&d, .row = "6.1");
	tg = lab_group_create(d.lab, lab_root(d.lab));
	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		const char *why = NULL;
		int ret = lab_write(d.lab, 0, tg, knobs[i], 20 * MS, 0, &why);

		CHECK_EQ(ret, FAIRGROUND_BANDWIDTH ? 0 : -ENOENT);
		CHECK_EQ(why != NULL, !FAIRGROUND_BANDWIDTH);
	}
	CHECK_EQ(stat_now(&d, tg).quota, FAIRGROUND_BANDWIDTH ? 20 * MS : RUNTIME_INF);
	driver_fini(&d);
}

/* Two hogs take turns whatever is built in: half of sched_latency (24 ms on 8 CPUs) each, which is up at the third tick. */
TEST(built, turns)
{
	struct task_struct *a, *b;
	struct driver d;

	driver_of(&d, .cpus = 8, .row = "5.4");
	a = sleeper(&d, NULL, 0);
	b = sleeper(&d, NULL, 0);
	start(&d, a);
	start(&d, b);
	CHECK(runs(&d, a));
	at(&d, 4 * MS);
	tick(&d, 0);
	at(&d, 8 * MS);
	tick(&d, 0);
	CHECK(runs(&d, a));
	at(&d, 12 * MS);
	tick(&d, 0);
	CHECK(runs(&d, b));
	driver_fini(&d);
}

/* ---- how much memory ---- */

/* What a lab of @cpus allocates for one task of one group that has run on CPU 0. */
static u64 bytes_of(int cpus)
{
	struct task_group *tg;
	struct driver d;
	u64 bytes;

	driver_of(&d, .cpus = cpus);
	tg = lab_group_create(d.lab, lab_root(d.lab));
	start(&d, sleeper(&d, tg, 0));
	bytes = d.bytes;
	driver_fini(&d);
	return bytes;
}

/* On one CPU there is nothing for a second: not a queue, not a pointer to one, and of each mask of CPUs one word. */
TEST_IF(FAIRGROUND_GROUPS, built, one_cpu)
{
	u64 group = sizeof(struct task_group) + sizeof(struct group_pair **) + sizeof(struct group_pair *);

	CHECK_EQ(bytes_of(1), sizeof(struct lab) + sizeof(struct rq) + group + sizeof(struct group_pair) + sizeof(struct task_struct) +
				      5 * sizeof(u64)); /* where the task may run, and asked to; what a balance looks at, and where something is; who does not tick */
}

/*
 * Each further CPU costs its own queue, a pointer in the group that is used, and less than a KB of levels at which it looks for
 * others (core/domains.c); the group's queues there cost nothing yet.
 */
TEST_IF(FAIRGROUND_GROUPS, built, further_cpus)
{
	const u64 own = sizeof(struct rq) + sizeof(struct group_pair *);

	CHECK_WITHIN(bytes_of(2) - bytes_of(1) - own, 500, 3 << 10);
	CHECK_WITHIN(bytes_of(16) - bytes_of(1) - 15 * own, 15 * 300, 16 << 10);
}

TEST_MAIN("built")
