/* SPDX-License-Identifier: MIT */
/*
 * cpu_load.c - how loaded a CPU is, as others see it: averages of its root queue, as of their last update.
 *
 *	load of a task on its CPU:   root load * (group's part of the root) * (task's part of the group)	task_h_load()
 *
 * Ticks that a busy CPU left out are charged before anything is read of it (peek_load), as if they had happened; nothing else is brought
 * up to date: an idle CPU's load stands until somebody looks after it, as in the kernel.
 * Rules: docs/rules/smp.md 2.3 and 2.7; fair.md section 6, of which 6.3 is util_est.c.
 */
#include "core/select.h"

/*
 * Rule cpu_load: to 3.10 the weight queued right now; 3.11-5.4 the averages of what is queued; from 5.5 those of all that is attached,
 * asleep or not.
 */
static bool load_is_weight(const struct lab *lab) { return lab_rule(lab, CPU_LOAD) == CPU_LOAD_WEIGHT; }

static u64 queue_load(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return load_is_weight(lab) ? scale_load_down(lab, cfs_rq->load.weight) : cfs_rq->avg.load_avg;
}

static u64 entity_load(const struct lab *lab, const struct sched_entity *se)
{
	return load_is_weight(lab) ? scale_load_down(lab, se->load.weight) : se->avg.load_avg;
}

u64 cpu_load(struct rq *rq)
{
	peek_load(rq);
	if (lab_rule(rq->lab, CPU_LOAD) == CPU_LOAD_RUNNABLE)
		return rq->cfs.runnable_load_avg;
	return queue_load(rq->lab, &rq->cfs);
}

u64 cpu_avg_load(struct rq *rq)
{
	peek_load(rq);
	return rq->cfs.avg.load_avg;
}

u64 cpu_runnable(struct rq *rq)
{
	peek_load(rq);
	return rq->cfs.avg.runnable_avg;
}

/* What @rq has become with @util, or usually uses (util_est.c; 0 where rule util_est is off), as far as there is capacity. */
static u64 used(const struct rq *rq, u64 util, u64 usual) { return min_u64(max_u64(util, usual), rq->smp.capacity_orig); }

u64 cpu_util(struct rq *rq)
{
	peek_load(rq);
	return used(rq, rq->cfs.avg.util_avg, rq->cfs.avg.util_est);
}

u64 cpu_util_boosted(struct rq *rq)
{
	peek_load(rq);
	return used(rq, max_u64(rq->cfs.avg.util_avg, rq->cfs.avg.runnable_avg), rq->cfs.avg.util_est);
}

u64 cpu_util_avg(struct rq *rq)
{
	peek_load(rq);
	return min_u64(rq->cfs.avg.util_avg, rq->smp.capacity_orig);
}

struct cpu_averages cpu_averages(struct rq *rq)
{
	const struct sched_avg *sa = &rq->cfs.avg;

	peek_load(rq);
	return (struct cpu_averages){
		.load = likely(lab_rule(rq->lab, CPU_LOAD) == CPU_LOAD_TOTAL) ? sa->load_avg : cpu_load(rq),
		.runnable = sa->runnable_avg,
		.util = used(rq, sa->util_avg, sa->util_est),
	};
}

/* Is @p part of what @rq's averages say?  A new task is part of none. */
static bool is_part_of(const struct rq *rq, const struct task_struct *p) { return rq->cpu == p->cpu && p->se.attached; }

static u64 less(u64 value, u64 by) { return value - min_u64(value, by); }

u64 cpu_load_without(struct rq *rq, const struct task_struct *p)
{
	u64 load = cpu_load(rq);

	return is_part_of(rq, p) ? less(load, task_h_load(rq->lab, p)) : load;
}

u64 cpu_runnable_without(struct rq *rq, const struct task_struct *p)
{
	u64 runnable = cpu_runnable(rq);

	return is_part_of(rq, p) ? less(runnable, p->se.avg.runnable_avg) : runnable;
}

u64 cpu_util_without(struct rq *rq, const struct task_struct *p)
{
	u64 util, usual;

	peek_load(rq);
	util = rq->cfs.avg.util_avg;
	usual = rq->cfs.avg.util_est;
	if (is_part_of(rq, p)) {
		util = less(util, task_util(p));
		if (p->se.on_rq && lab_rule(rq->lab, UTIL_EST_EXEC) == UTIL_EST_EXEC_TAKEN)
			usual = less(usual, p->util_usual);
	}
	return used(rq, util, usual);
}

/* What the queue of @se, a group's entity, adds to its CPU's load; NULL: the root queue. */
static u64 hierarchical_load(struct lab *lab, const struct cfs_rq *root, const struct sched_entity *se)
{
	if (!se)
		return queue_load(lab, root);
	return hierarchical_load(lab, root, se->parent) * entity_load(lab, se) / (queue_load(lab, se->cfs_rq) + 1);
}

u64 task_h_load(struct lab *lab, const struct task_struct *p)
{
	const struct cfs_rq *cfs_rq = p->se.cfs_rq;

	if (task_is_idle_thread(p))
		return 0;
	peek_load(cfs_rq->rq);
	if (!p->se.parent)
		return entity_load(lab, &p->se);
	return entity_load(lab, &p->se) * hierarchical_load(lab, &cfs_rq->rq->cfs, p->se.parent) / (queue_load(lab, cfs_rq) + 1);
}
