/* SPDX-License-Identifier: MIT */
/*
 * Witnesses of rule gather: where one task of a limited group wakes, on a machine put together by hand (place_bed.h).
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"
#include "tests/witness.h"

static struct task_struct *of(struct bed *b, struct task_group *tg, int cpu) { return sleeper_of(b, tg, cpu, SCHED_NORMAL, false); }

static void bed_under(struct bed *b, enum bed_shape shape, const struct under *u)
{
	bed_init(b, shape, &(struct driver_args){ .row = u->row, .rules = { u->flipped, u->also } });
}

/* Half a CPU: one of the group runs on CPU 0, the other slept on 1. */
static s64 second_of_half_a_cpu(const struct under *u)
{
	struct task_struct *t1, *t2;
	struct task_group *tg;
	struct bed b;
	int cpu;

	bed_under(&b, S2, u);
	tg = limited(&b.d, NULL, 500 * MS, SEC);
	t1 = of(&b, tg, 0);
	t2 = of(&b, tg, 1);
	at(&b.d, 10 * MS);
	begin(&b, t1);
	cpu = wakes_from(&b, 0, t2);
	bed_fini(&b);
	return cpu;
}

/* Two CPUs' worth, 0 and 1; the task of 0 has been asleep for 2 ms, and the one that runs on 1 wakes a third. */
static s64 third_of_two_cpus(const struct under *u)
{
	struct task_struct *t0, *t1, *p;
	struct task_group *tg;
	struct bed b;
	int cpu;

	bed_under(&b, M4, u);
	tg = limited(&b.d, NULL, 200 * MS, 100 * MS);
	t0 = of(&b, tg, 0);
	t1 = of(&b, tg, 1);
	p = of(&b, tg, 1);
	at(&b.d, 10 * MS);
	begin(&b, t0);
	begin(&b, t1);
	at(&b.d, 11 * MS);
	block(&b.d, 0);
	at(&b.d, 13 * MS);
	cpu = wakes_from(&b, 1, p);
	bed_fini(&b);
	return cpu;
}

/* CPU 3 has kept quota of the group; 2, as idle and nearer, has none. */
static s64 beside_a_funded_cpu(const struct under *u)
{
	struct task_struct *p;
	struct task_group *tg;
	struct bed b;
	int cpu;

	bed_under(&b, M4, u);
	tg = limited(&b.d, NULL, 50 * MS, 100 * MS);
	of(&b, tg, 3);
	p = of(&b, tg, 0);
	hogs_on(&b, 2, 0, 1);
	at(&b.d, 10 * MS);
	cpu = wakes_from(&b, 1, p);
	bed_fini(&b);
	return cpu;
}

/*
 * Two hogs on two CPUs, half a CPU in 100 ms between them: after three refills that found them stopped one goes to sleep, and is woken by the
 * other where it slept.
 */
static s64 second_after_three_throttles(const struct under *u)
{
	struct task_struct *t[2];
	struct task_group *tg;
	struct bed b;
	u64 ms;
	int cpu, k;

	bed_under(&b, S2, u);
	tg = limited(&b.d, NULL, 50 * MS, 100 * MS);
	for (k = 0; k < 2; k++)
		t[k] = of(&b, tg, k);
	at(&b.d, 8 * MS);
	for (k = 0; k < 2; k++)
		begin(&b, t[k]);
	for (ms = 12; ms < 310; ms += 4) {
		at(&b.d, ms * MS);
		if (timer_of(&b.d, TIMER_PERIOD, tg)->armed && timer_of(&b.d, TIMER_PERIOD, tg)->when <= ms * MS)
			fire(&b.d, TIMER_PERIOD, tg);
		obey_kicks(&b.d);
		tick(&b.d, 0);
		tick(&b.d, 1);
	}
	cpu = lab_task_cpu(t[1]);
	if (cpu != lab_task_cpu(t[0])) {
		block(&b.d, cpu);
		cpu = wakes_from(&b, lab_task_cpu(t[0]), t[1]);
	}
	bed_fini(&b);
	return cpu;
}

static const struct witness witnesses[] = {
	{ "gather", "5.10", NULL, second_of_half_a_cpu, "half a CPU on two: where one wakes whose last CPU 1 is idle, while the other one runs on 0", IN_NOTHING,
	  { { "off", 1 }, { "active_set", 0 }, { "openvz", 0 }, { "funded", 1 }, { "home", 1 }, { "adaptive", 1 } },
	  "13: half a CPU is worth one, and the group is active on 0 (smp-67)" },
	{ "gather", "5.10", NULL, third_of_two_cpus, "two CPUs' worth on four: where one wakes beside who runs on 1, if 0 was left 2 ms ago", IN_NOTHING,
	  { { "off", 2 }, { "active_set", 0 }, { "openvz", 1 }, { "funded", 0 }, { "home", 0 }, { "adaptive", 2 } },
	  "13: an idle CPU of the set, the target as it is, or one that holds quota (smp-70)" },
	{ "gather", "5.10", NULL, beside_a_funded_cpu, "where one wakes if CPUs 2 and 3 are idle, and 3 has kept 1 ms of the group's quota", IN_NOTHING,
	  { { "off", 2 }, { "active_set", 2 }, { "openvz", 2 }, { "funded", 3 }, { "home", 2 }, { "adaptive", 2 } },
	  "13: funded ones come first (smp-72)" },
	{ "gather", "5.10", NULL, second_after_three_throttles, "where the second of two hogs is, or wakes, once their quota has ended in three periods", IN_NOTHING,
	  { { "off", 1 }, { "adaptive", 0 } },
	  "13: throttled twice on end it may use one CPU less, which is one (smp-71)" },
};

WITNESS_MAIN("smp: what gathering changes", witnesses, RULE_GATHER, RULE_GATHER)
