/* SPDX-License-Identifier: MIT */
/* bench.c - see bench.h; time is moved by hand, and every law is checked after every verb. */
#include "tests/test.h"

#include "tests/fair/bench.h"

void bench_init(struct bench *b, const struct driver_args *args)
{
	driver_init(&b->d, args);
	b->lab = b->d.lab;
}

void bench_fini(struct bench *b) { driver_fini(&b->d); }

struct task_struct *thread_of(struct bench *b, struct task_group *tg, int cpu, enum sched_policy policy, int nice)
{
	u64 cpus = (u64)1 << cpu;
	struct task_spec spec = { .tg = tg, .policy = policy, .nice = nice, .cpus = &cpus };

	return lab_fork(b->lab, cpu, NULL, &spec);
}

struct task_struct *thread(struct bench *b, int cpu, int nice) { return thread_of(b, NULL, cpu, SCHED_NORMAL, nice); }

struct cfs_rq *root_queue(struct bench *b, int cpu) { return &cpu_rq(b->lab, cpu)->cfs; }

struct cfs_rq *group_queue(struct bench *b, struct task_group *tg, int cpu) { return group_cfs_rq(b->lab, tg, cpu); }

struct sched_entity *group_entity(struct bench *b, struct task_group *tg, int cpu)
{
	(void)b;
	return &group_pair(tg, cpu)->se;
}

void set_vruntime(struct bench *b, struct sched_entity *se, u64 vruntime)
{
	bool waits = se->cfs_rq->curr != se;

	if (waits)
		b->lab->pick->remove(b->lab, se->cfs_rq, se);
	se->vruntime = vruntime;
	if (waits)
		b->lab->pick->insert(b->lab, se->cfs_rq, se);
}

void runs_alone(struct bench *b, struct task_struct *p, u64 vruntime)
{
	start(&b->d, p);
	if (!runs(&b->d, p))
		fail_msg("the CPU was not idle");
	set_vruntime(b, &p->se, vruntime);
	p->se.cfs_rq->min_vruntime = vruntime;
}

bool wakes(struct bench *b, struct task_struct *p, u64 own_vruntime)
{
	p->se.vruntime = own_vruntime;
	if (p->state == TASK_NEW)
		lab_wake_new(b->lab, lab_task_cpu(p), p);
	else
		lab_wake(b->lab, lab_task_cpu(p), p, NULL, 0);
	return lab_need_resched(b->lab, lab_task_cpu(p));
}

void ticks_until(struct bench *b, int cpu, u64 until)
{
	u64 step = b->lab->tick_nsec, next = (b->d.now - b->d.epoch) / step * step + step;

	for (; next <= until; next += step) {
		at(&b->d, next);
		tick(&b->d, cpu);
	}
}
