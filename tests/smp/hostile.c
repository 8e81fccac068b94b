/* SPDX-License-Identifier: MIT */
/*
 * Anything that may happen to tasks, in any order: wakeups from anywhere, forks, new programs, exits, other CPUs allowed, to them or to their
 * group, other groups, CPUs that go and come, kicks that are obeyed late.  Every law holds after every verb, and once all kicks are obeyed nobody is where it may not be.
 */
#include "tests/test.h"

#include "base/rng.h"
#include "tests/smp/place_bed.h"

#define TASKS 24
#define STEPS 600

struct crowd {
	struct bed b;
	struct rng r;
	struct task_struct *task[TASKS];
	struct task_group *tg[4]; /* [0]: the root; [3] is in [1] */
	u64 t;
};

static u64 below(struct crowd *c, u64 n) { return rng_below(&c->r, n); }
static int any_cpu(struct crowd *c) { return (int)below(c, (u64)c->b.cpus); }

/* The place of @p in the table; -1: none. */
static int place_of(const struct crowd *c, const struct task_struct *p)
{
	int i;

	for (i = 0; i < TASKS; i++)
		if (c->task[i] == p)
			return i;
	return -1;
}

/* The task that runs on @cpu and may be told to do something; NULL: idle, or a stopper. */
static struct task_struct *runner(struct crowd *c, int cpu)
{
	struct task_struct *p = rq_of(&c->b, cpu)->curr;

	return place_of(c, p) >= 0 ? p : NULL;
}

static void random_mask(struct crowd *c, u64 *mask)
{
	do
		*mask = rng_next(&c->r) & rng_next(&c->r) & (((u64)1 << c->b.cpus) - 1);
	while (!*mask);
}

static void start_one(struct crowd *c)
{
	int i = place_of(c, NULL), cpu = any_cpu(c);
	struct task_struct *parent = below(c, 2) ? runner(c, cpu) : NULL;
	u64 mask;
	struct task_spec spec = {
		.tg = c->tg[below(c, 4)], .policy = below(c, 6) ? SCHED_NORMAL : below(c, 2) ? SCHED_IDLE : SCHED_FIFO,
		.rt_priority = 5, .kthread = !below(c, 5), .cpus = below(c, 2) ? &mask : NULL,
	};

	if (i < 0 || (!parent && !rq_of(&c->b, cpu)->online))
		return;
	random_mask(c, &mask);
	c->task[i] = lab_fork(c->b.lab, cpu, parent, &spec);
	lab_wake_new(c->b.lab, parent ? cpu : lab_task_cpu(c->task[i]), c->task[i]);
}

static void leave(struct crowd *c, int cpu, bool for_good)
{
	struct task_struct *p = runner(c, cpu);

	if (!p)
		return;
	if (for_good) {
		c->task[place_of(c, p)] = NULL;
		lab_exit(c->b.lab, cpu);
	} else {
		lab_block(c->b.lab, cpu);
	}
	pass(&c->b.d, cpu);
}

static void wake_one(struct crowd *c)
{
	struct task_struct *p = c->task[below(c, TASKS)];
	int cpu = any_cpu(c);

	if (p && rq_of(&c->b, cpu)->online)
		lab_wake(c->b.lab, cpu, p, below(c, 3) ? runner(c, cpu) : NULL, (unsigned)below(c, 8));
}

static void allow_others(struct crowd *c)
{
	struct task_struct *p = c->task[below(c, TASKS)];
	u64 mask;

	random_mask(c, &mask);
	if (p)
		lab_affinity(c->b.lab, any_cpu(c), p, &mask);
}

/* A group gets other CPUs, or a task another group. */
static void confine(struct crowd *c)
{
	struct task_struct *p = c->task[below(c, TASKS)];
	u64 mask;

	random_mask(c, &mask);
	if (below(c, 2))
		lab_set_cpuset(c->b.lab, any_cpu(c), c->tg[1 + below(c, 3)], below(c, 4) ? &mask : NULL, NULL);
	else if (p)
		lab_move(c->b.lab, any_cpu(c), p, below(c, 4) ? c->tg[1 + below(c, 3)] : lab_root(c->b.lab));
}

static void time_passes(struct crowd *c)
{
	int cpu;

	c->t += 1 + below(c, 3 * MS);
	at(&c->b.d, c->t);
	if (timer_of(&c->b.d, TIMER_PERIOD, c->tg[2])->armed && timer_of(&c->b.d, TIMER_PERIOD, c->tg[2])->when <= c->t)
		fire(&c->b.d, TIMER_PERIOD, c->tg[2]);
	for (cpu = 0; cpu < c->b.cpus; cpu++)
		if (rq_of(&c->b, cpu)->online)
			lab_tick(c->b.lab, cpu);
}

static void step(struct crowd *c)
{
	switch (below(c, 17)) {
	case 0:
	case 1:
		start_one(c);
		break;
	case 2:
		leave(c, any_cpu(c), true);
		break;
	case 3:
	case 4:
	case 5:
		leave(c, any_cpu(c), false);
		break;
	case 6:
	case 7:
	case 8:
	case 9:
		wake_one(c);
		break;
	case 10:
		allow_others(c);
		break;
	case 11: {
		int cpu = any_cpu(c);

		if (runner(c, cpu))
			lab_exec(c->b.lab, cpu);
		break;
	}
	case 12:
		if (!below(c, 4))
			lab_hotplug(c->b.lab, any_cpu(c), below(c, 2));
		break;
	case 14:
		confine(c);
		break;
	case 13:
		update_idle_scan(c->b.lab, llc_of_cpu(&c->b, 0) ? llc_of_cpu(&c->b, 0) : &(struct sched_domain){ .span_weight = 1 }, below(c, 4096));
		break;
	default:
		time_passes(c);
	}
	if (below(c, 3))
		obey_kicks(&c->b.d);
}

/* All that was asked for is done: whoever runs or waits is where it may be, and none is on its way. */
static void check_places(struct crowd *c, const char *title)
{
	int i;

	obey_kicks(&c->b.d);
	obey_kicks(&c->b.d);
	for (i = 0; i < TASKS; i++) {
		const struct task_struct *p = c->task[i];

		if (!p)
			continue;
		CHECK_ROW(p->state == TASK_RUNNING || p->state == TASK_INTERRUPTIBLE, true, title);
		if (p->state == TASK_RUNNING)
			CHECK_ROW(cpu_usable(c->b.lab, p, p->cpu), true, title);
		if (!p->kthread) { /* one that is bound may be where its cpuset is not */
			u64 cpus = 0;

			lab_group_cpus(c->b.lab, p->tg, &cpus);
			CHECK_ROW(*p->cpus_allowed & ~cpus, 0, title);
		}
	}
}

static void crowd_of(enum bed_shape shape, const char *row, const char *rule, u64 seed)
{
	char title[64];
	struct crowd c;
	int i;

	memset(&c, 0, sizeof(c));
	rng_init(&c.r, seed, "hostile", row, (u64)shape, 0);
	bed_of(&c.b, shape, .row = row, .rules = { rule }, .hz = 250, .random = seed);
	c.b.d.scan_cost = 100;
	c.tg[1] = limited(&c.b.d, NULL, RUNTIME_INF, 100 * MS);
	c.tg[2] = limited(&c.b.d, NULL, 5 * MS, 20 * MS);
	c.tg[3] = limited(&c.b.d, c.tg[1], RUNTIME_INF, 100 * MS);
	snprintf(title, sizeof(title), "%s, %s, shape %d, seed %d", row, rule ? rule : "no rule", (int)shape, (int)seed);
	for (i = 0; i < STEPS; i++) {
		step(&c);
		if (!(i % 50))
			check_places(&c, title);
	}
	check_places(&c, title);
	bed_fini(&c.b);
}

TEST(hostile, anything_in_any_order)
{
	static const char *const rows[] = { "3.2", "3.16", "4.2", "4.14", "5.4", "5.10", "5.15", "6.1", "6.6", "6.12", "6.18", "7.2" };
	static const enum bed_shape shapes[] = { S2, M8, C2x2, K2x2, P8, N8 };
	size_t row, shape;
	u64 seed;

	for (row = 0; row < ARRAY_SIZE(rows); row++)
		for (shape = 0; shape < ARRAY_SIZE(shapes); shape++)
			for (seed = 1; seed <= 20; seed++)
				crowd_of(shapes[shape], rows[row], NULL, seed);
}

/* The same where limited groups are gathered: who is pushed, evacuated or taken home is so by the same laws. */
TEST(hostile, anything_in_any_order_gathered)
{
	static const char *const rows[] = { "4.14", "5.10", "6.12", "6.18", "7.2" };
	static const char *const rules[] = { "gather=active_set", "gather=openvz", "gather=funded", "gather=home", "gather=adaptive" };
	static const enum bed_shape shapes[] = { S2, C2x2, P8 };
	size_t row, rule, shape;
	u64 seed;

	for (row = 0; row < ARRAY_SIZE(rows); row++)
		for (rule = 0; rule < ARRAY_SIZE(rules); rule++)
			for (shape = 0; shape < ARRAY_SIZE(shapes); shape++)
				for (seed = 1; seed <= 8; seed++)
					crowd_of(shapes[shape], rows[row], rules[rule], seed);
}

TEST_MAIN("smp: anything in any order")
