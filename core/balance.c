/* SPDX-License-Identifier: MIT */
/*
 * balance.c - a CPU that runs out of work takes a waiting task from the busiest one.
 *
 * The least of the kernel's balancing: only at the moment of going idle, one task, no costs, no domains, no averages.  It keeps the
 * machine working while somebody waits, which is what quotas are measured against; periodic, NOHZ and active balancing are not
 * modelled (LIMITS.md).
 *
 * A task is not moved while its group is off the CPU, here or there, by a limit (throttled_lb_pair, to 6.17).
 */
#include "core/sched.h"

static bool may_run_on(struct lab *lab, const struct task_struct *p, const struct rq *rq)
{
	const struct cfs_rq *there = group_cfs_rq(lab, p->tg, rq->cpu);

	if (!bit_test(p->cpus_allowed, rq->cpu) || cut_off(lab, p->se.cfs_rq))
		return false;
	return !there || !cut_off(lab, there);
}

/* A task that waits on @cfs_rq itself and may run on @rq, the one longest in line first; or NULL. */
static struct task_struct *movable_task(struct lab *lab, const struct cfs_rq *cfs_rq, const struct rq *rq)
{
	struct rb_node *node;

	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node)) {
		struct sched_entity *se = container_of(node, struct sched_entity, run_node);

		if (entity_is_task(se) && !se->sched_delayed && may_run_on(lab, task_of(se), rq))
			return task_of(se);
	}
	return NULL;
}

static struct task_struct *movable_task_of(struct lab *lab, struct rq *from, const struct rq *rq)
{
	const struct task_group *tg;

	for_each_group_below(tg, &lab->root) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, from->cpu);
		struct task_struct *p = cfs_rq ? movable_task(lab, cfs_rq, rq) : NULL;

		if (p)
			return p;
	}
	return NULL;
}

/* The CPU with most tasks that may run, at least two, of which one may come to @rq. */
static struct task_struct *busiest_waiter(struct lab *lab, const struct rq *rq)
{
	struct task_struct *found = NULL;
	u32 most = 1;
	int cpu;

	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++) {
		struct rq *from = cpu_rq(lab, cpu);
		struct task_struct *p;

		if (from == rq || from->nr_running <= most)
			continue;
		p = movable_task_of(lab, from, rq);
		if (!p)
			continue;
		found = p;
		most = from->nr_running;
	}
	return found;
}

/* newidle_balance(): true where @rq got a task. */
bool pull_when_idle(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct task_struct *p;
	struct rq *from;

	if (!lab->nr_movable || !rq->online)
		return false;
	p = busiest_waiter(lab, rq);
	if (!p || (p->tg->parent && !group_pair_make(lab, p->tg, rq->cpu)))
		return false;
	from = cpu_rq(lab, p->cpu);
	update_rq_clock(from);
	dequeue_task_fair(from, p, 0);
	set_task_cpu(lab, p, rq->cpu);
	enqueue_task_fair(rq, p, 0);
	return true;
}
