/* SPDX-License-Identifier: MIT */
/* place_bed.c - see place_bed.h; every law is checked after every verb. */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

#include "text/memory.h"
#include "work/topology.h"

static const struct machine_shape shapes[] = {
	[S2] = { .cores = 2 },
	[M4] = { .cores = 4 },
	[M8] = { .cores = 8 },
	[M36] = { .cores = 36 },
	[C2x2] = { .cores = 2, .threads = 2, .together = true },
	[K2x2] = { .clusters = 2, .cores = 2 },
	[P8] = { .llcs = 2, .cores = 4 },
	[N8] = { .sockets = 2, .cores = 4 },
	[N96] = { .sockets = 2, .cores = 48 },
};

static int at_least_one(int n) { return n ? n : 1; }

static const struct topology *topology_of(struct bed *b, enum bed_shape shape)
{
	struct machine_shape s = shapes[shape];

	s.sockets = at_least_one(s.sockets);
	s.nodes = 1;
	s.llcs = at_least_one(s.llcs);
	s.clusters = at_least_one(s.clusters);
	s.threads = at_least_one(s.threads);
	return topology_of_shape(&b->mem, &s);
}

void bed_init(struct bed *b, enum bed_shape shape, const struct driver_args *args)
{
	struct driver_args with = *args;

	memset(b, 0, sizeof(*b));
	arena_of_malloc(&b->mem);
	with.topology = topology_of(b, shape);
	with.cpus = b->cpus = with.topology->nr_cpus;
	if (!with.hz)
		with.hz = 1000;
	driver_init(&b->d, &with);
	b->lab = b->d.lab;
}

void bed_fini(struct bed *b)
{
	driver_fini(&b->d);
	arena_fini(&b->mem);
}

struct rq *rq_of(struct bed *b, int cpu) { return cpu_rq(b->lab, cpu); }
struct sched_domain *llc_of_cpu(struct bed *b, int cpu) { return rq_of(b, cpu)->smp.sd_llc; }

/* ---- tasks ---- */

typedef u64 bed_mask[BITS_WORDS(DRIVER_CPUS)];

static void set_allowed(struct bed *b, struct task_struct *p, const u64 *cpus)
{
	memcpy(p->cpus_allowed, cpus, BITS_WORDS((size_t)b->cpus) * sizeof(*cpus));
	p->nr_cpus_allowed = bit_count(p->cpus_allowed, b->cpus);
}

void allow(struct bed *b, struct task_struct *p, u64 cpus)
{
	bed_mask mask = { cpus };

	set_allowed(b, p, mask);
}

void allow_all(struct bed *b, struct task_struct *p)
{
	bed_mask mask = { 0 };
	int cpu;

	for (cpu = 0; cpu < b->cpus; cpu++)
		bit_set(mask, cpu);
	set_allowed(b, p, mask);
}

struct task_struct *sleeper_of(struct bed *b, struct task_group *tg, int cpu, enum sched_policy policy, bool kthread)
{
	bed_mask one = { 0 };
	struct task_spec spec = { .tg = tg, .policy = policy, .kthread = kthread, .cpus = one };
	struct task_struct *p;

	bit_set(one, cpu);
	p = lab_fork(b->lab, cpu, NULL, &spec);
	start(&b->d, p);
	if (!runs(&b->d, p))
		fail_msg("CPU %d was not idle", cpu);
	block(&b->d, cpu);
	allow_all(b, p);
	return p;
}

struct task_struct *sleeper_on(struct bed *b, int cpu) { return sleeper_of(b, NULL, cpu, SCHED_NORMAL, false); }

void begin(struct bed *b, struct task_struct *p)
{
	int cpu = lab_task_cpu(p), nr = p->nr_cpus_allowed;

	p->nr_cpus_allowed = 1;
	lab_wake(b->lab, cpu, p, NULL, 0);
	obey_kicks(&b->d);
	p->nr_cpus_allowed = nr;
}

struct task_struct *hog_on(struct bed *b, int cpu)
{
	bed_mask one = { 0 };
	struct task_spec spec = { .cpus = one };
	struct task_struct *p;

	bit_set(one, cpu);
	p = lab_fork(b->lab, cpu, NULL, &spec);
	start(&b->d, p);
	allow_all(b, p);
	p->se.avg.load_avg = p->se.avg.util_avg = p->se.avg.runnable_avg = 1024;
	settle(b, cpu, 1024 * rq_of(b, cpu)->nr_running, 1024);
	return p;
}

void hogs_on(struct bed *b, int nr, ...)
{
	va_list cpus;

	va_start(cpus, nr);
	while (nr--)
		hog_on(b, va_arg(cpus, int));
	va_end(cpus);
}

void hogs_up_to(struct bed *b, int end)
{
	int cpu;

	for (cpu = 0; cpu < end; cpu++)
		hog_on(b, cpu);
}

/* ---- averages ---- */

void settle(struct bed *b, int cpu, u64 load, u64 util)
{
	struct cfs_rq *cfs_rq = &rq_of(b, cpu)->cfs;

	stain(rq_of(b, cpu));
	cfs_rq->avg.load_avg = cfs_rq->runnable_load_avg = load;
	cfs_rq->avg.util_avg = util;
	cfs_rq->avg.runnable_avg = rq_of(b, cpu)->nr_running > 1 ? util * rq_of(b, cpu)->nr_running : util;
}

void weighs(struct bed *b, struct task_struct *p, u64 load)
{
	struct cfs_rq *cfs_rq = &rq_of(b, lab_task_cpu(p))->cfs;

	cfs_rq->avg.load_avg += load - p->se.avg.load_avg;
	p->se.avg.load_avg = load;
}

void balancer_looks(struct bed *b)
{
	struct sched_domain *sd = llc_of_cpu(b, 0);
	u64 util = 0;
	int cpu;

	for_each_bit(cpu, sd->span, b->cpus)
		util += rq_of(b, cpu)->cfs.avg.util_avg;
	update_idle_scan(b->lab, sd, util);
}

/* ---- what happens ---- */

int wakes_with(struct bed *b, int cpu, struct task_struct *p, unsigned flags)
{
	if (!lab_wake(b->lab, cpu, p, rq_of(b, cpu)->curr, flags))
		fail_msg("it was not asleep");
	return lab_task_cpu(p);
}

int wakes_from(struct bed *b, int cpu, struct task_struct *p) { return wakes_with(b, cpu, p, 0); }

int interrupt_wakes(struct bed *b, int cpu, struct task_struct *p)
{
	if (!lab_wake(b->lab, cpu, p, NULL, WAKE_TIMER))
		fail_msg("it was not asleep");
	return lab_task_cpu(p);
}

int forks(struct bed *b, int cpu)
{
	struct task_spec spec = { .tg = NULL };
	struct task_struct *p = lab_fork(b->lab, cpu, rq_of(b, cpu)->curr, &spec);

	lab_wake_new(b->lab, cpu, p);
	obey_kicks(&b->d);
	return lab_task_cpu(p);
}
