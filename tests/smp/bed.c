/* SPDX-License-Identifier: MIT */
/* bed.c - the driver, with ticks on a grid and tasks where a test puts them. */
#include "tests/test.h"

#include "tests/smp/bed.h"

/* ---- life ---- */

static void number_cpus(struct lb_bed *b, const struct lb_args *args)
{
	int llc = args->llc ? args->llc : args->cpus, node = args->node ? args->node : args->cpus, threads = args->threads ? args->threads : 1, cpu;

	for (cpu = 0; cpu < args->cpus; cpu++)
		b->place[cpu] = (struct cpu_place){
			.core = cpu / threads, .cluster = cpu / threads, .llc = cpu / llc, .package = cpu / node, .node = cpu / node,
		};
	b->topology = (struct topology){ .nr_cpus = args->cpus, .cpu = b->place, .nr_nodes = (args->cpus + node - 1) / node };
}

void lb_bed_init(struct lb_bed *b, const struct lb_args *args)
{
	struct driver_args driver = { .cpus = args->cpus, .row = args->row, .hz = args->hz ? args->hz : 1000, .topology = &b->topology };

	memset(b, 0, sizeof(*b));
	memcpy(driver.rules, args->rules, sizeof(args->rules));
	number_cpus(b, args);
	driver_init(&b->d, &driver);
	b->lab = b->d.lab;
	assert_non_null(b->lab);
}

void lb_bed_fini(struct lb_bed *b) { driver_fini(&b->d); }

/* ---- tasks ---- */

static void mask_of(u64 *mask, int cpu, int nr)
{
	int i;

	memset(mask, 0, BITS_WORDS(DRIVER_CPUS) * sizeof(*mask));
	for (i = 0; i < nr; i++)
		bit_set(mask, cpu + i);
}

struct task_struct *hog_in(struct lb_bed *b, struct task_group *tg, int cpu, bool bound, bool kthread)
{
	u64 cpus[BITS_WORDS(DRIVER_CPUS)];
	struct task_spec spec = { .tg = tg, .cpus = cpus, .kthread = kthread };
	struct task_struct *p;

	mask_of(cpus, cpu, 1);
	p = lab_fork(b->lab, cpu, NULL, &spec);
	assert_non_null(p);
	start(&b->d, p);
	if (!bound && b->nr < BED_TASKS)
		b->task[b->nr++] = p;
	return p;
}

void hogs(struct lb_bed *b, int cpu, int nr)
{
	while (nr--)
		hog_on(b, cpu);
}

void set_free(struct lb_bed *b, struct task_struct *p)
{
	u64 cpus[BITS_WORDS(DRIVER_CPUS)];

	mask_of(cpus, 0, b->d.cpus);
	CHECK_EQ(lab_affinity(b->lab, p->cpu, p, cpus), 0);
}

void bind_to(struct lb_bed *b, struct task_struct *p, u64 cpus)
{
	u64 mask[BITS_WORDS(DRIVER_CPUS)] = { cpus };

	CHECK_EQ(lab_affinity(b->lab, p->cpu, p, mask), 0);
}

/* ---- time ---- */

static u64 tick_length(const struct lb_bed *b) { return b->lab->tick_nsec; }

static void drop_softirqs(struct lb_bed *b)
{
	int cpu;

	for (cpu = 0; cpu < b->d.cpus; cpu++) {
		b->d.softirq[cpu] = false;
		cpu_rq(b->lab, cpu)->smp.balance_raised = false;
		cpu_rq(b->lab, cpu)->smp.nohz_kicked = false;
	}
}

static void go_to(struct lb_bed *b, u64 t)
{
	b->now = t;
	at(&b->d, t);
}

static void ticks_now(struct lb_bed *b)
{
	int cpu;

	for (cpu = 0; cpu < b->d.cpus; cpu++)
		if (lab_tick_due(b->lab, cpu) <= b->d.now)
			lab_tick(b->lab, cpu);
	lab_ticks_done(b->lab, b->d.now, 0);
}

void let_pass(struct lb_bed *b, u64 ns)
{
	u64 end = b->now + ns, tick = tick_length(b), t;

	for (t = b->now / tick * tick + tick; t <= end; t += tick) {
		go_to(b, t);
		ticks_now(b);
		drop_softirqs(b);
		obey_kicks(&b->d);
	}
	go_to(b, end);
}

void tick_all(struct lb_bed *b)
{
	u64 tick = tick_length(b);
	int cpu;

	go_to(b, b->now / tick * tick + tick);
	ticks_now(b);
	for (cpu = 0; cpu < b->d.cpus; cpu++) {
		if (!b->d.softirq[cpu])
			continue;
		b->d.softirq[cpu] = false;
		lab_softirq(b->lab, cpu);
	}
	obey_kicks(&b->d);
}

void let_settle(struct lb_bed *b)
{
	u32 i;

	let_pass(b, 3 * SEC);
	for (i = 0; i < b->nr; i++)
		if (b->task[i]->nr_cpus_allowed == 1)
			set_free(b, b->task[i]);
	go_to(b, b->now + 600 * US);
}

/* ---- attempts ---- */

struct sched_domain *level(struct lb_bed *b, int cpu, int nr)
{
	struct sched_domain *sd = cpu_rq(b->lab, cpu)->smp.sd;

	while (nr-- && sd)
		sd = sd->parent;
	assert_non_null(sd);
	return sd;
}

u32 attempt(struct lb_bed *b, int cpu, int nr, enum idle_type idle)
{
	static const enum move_cause causes[] = { [LB_BUSY] = MOVE_BUSY, [LB_IDLE] = MOVE_IDLE, [LB_NEWIDLE] = MOVE_NEWIDLE };
	struct rq *rq = cpu_rq(b->lab, cpu);
	bool mine;
	u32 came;

	update_rq_clock(rq);
	came = load_balance(rq, level(b, cpu, nr), idle, causes[idle], &mine);
	if (idle == LB_NEWIDLE && came)
		resched_curr(rq); /* a test is outside the pass that would follow */
	lab_verb_done(b->lab);
	obey_kicks(&b->d);
	return came;
}

bool designated(struct lb_bed *b, int cpu, int nr)
{
	bool mine;

	load_balance(cpu_rq(b->lab, cpu), level(b, cpu, nr), LB_IDLE, MOVE_IDLE, &mine);
	obey_kicks(&b->d);
	return mine;
}

s64 size_for(struct lb_bed *b, int cpu, int nr, enum idle_type idle, enum migration *by)
{
	struct lab *lab = b->lab;
	struct lb_env env = { .lab = lab, .sd = level(b, cpu, nr), .dst = cpu_rq(lab, cpu), .idle = idle, .cpus = lab->smp.lb_cpus };

	memcpy(env.cpus, env.sd->span, BITS_WORDS((size_t)b->d.cpus) * sizeof(*env.cpus));
	if (!lab->balance->busiest_group(&env))
		return 0;
	if (by)
		*by = env.by;
	return env.imbalance;
}

/* ---- looking ---- */

u32 tasks_on(struct lb_bed *b, int cpu) { return cpu_rq(b->lab, cpu)->nr_running; }

u64 moves(struct lb_bed *b) { return b->d.events[EVENT_SCHED_MIGRATE_TASK]; }
u64 stops(struct lb_bed *b) { return b->d.events[EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP]; }

u32 spread4(struct lb_bed *b) { return tasks_on(b, 0) * 1000 + tasks_on(b, 1) * 100 + tasks_on(b, 2) * 10 + tasks_on(b, 3); }
