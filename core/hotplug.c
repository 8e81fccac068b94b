/* SPDX-License-Identifier: MIT */
/*
 * hotplug.c - CPUs go and come back.
 *
 * A CPU that goes offline stops enforcing limits, which releases what is throttled there, and its tasks move to CPUs they
 * may use; tasks that may use no other are allowed all (as the kernel breaks affinity).  Rules: docs/rules/bandwidth.md
 * 5.4.
 */
#include "core/cpuset.h"
#include "core/verbs.h"

/* Rule bw_offline_gift: to 3.15 a full quota, from 3.16 (51f2176d74ac) 1 ns. */
static void release_limits(struct lab *lab, struct rq *rq)
{
	const struct task_group *tg;

	for_each_group_below(tg, &lab->root) {
		struct group_pair *pair = group_pair(tg, rq->cpu);
		u64 gift = lab_rule(lab, BW_OFFLINE_GIFT) ? 1 : tg->cfs_bandwidth.quota;

		if (!pair || !pair->cfs_rq.runtime_enabled)
			continue;
		forget_local_runtime(lab, &pair->cfs_rq, (s64)gift);
		pair->cfs_rq.runtime_enabled = false;
		if (pair->cfs_rq.throttled)
			unthrottle_cfs_rq(lab, &pair->cfs_rq);
	}
}

static void restore_limits(struct lab *lab, struct rq *rq)
{
	const struct task_group *tg;

	for_each_group_below(tg, &lab->root) {
		struct group_pair *pair = group_pair(tg, rq->cpu);

		if (pair)
			pair->cfs_rq.runtime_enabled = tg->cfs_bandwidth.quota != RUNTIME_INF;
	}
}

/*
 * Rule bw_hotplug: to 6.13 the rebuilt scheduling domains take every CPU off and put it back at once, with the gift,
 * whatever was throttled there; from 6.14 (af98d8a36a96) only a CPU that really goes.
 */
static void reset_other_limits(struct lab *lab, const struct rq *but)
{
	int cpu;

	if (lab_rule(lab, BW_HOTPLUG) == BW_HOTPLUG_OWN)
		return;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(lab, cpu);

		if (rq == but || !rq->online)
			continue;
		update_rq_clock(rq);
		release_limits(lab, rq);
		restore_limits(lab, rq);
	}
}

static void clear_group_loads(struct lab *lab, struct rq *rq)
{
	const struct task_group *tg;

	for_each_group_below(tg, &lab->root) {
		struct group_pair *pair = group_pair(tg, rq->cpu);

		if (pair)
			clear_group_load(lab, &pair->cfs_rq);
	}
}

/* The first waiting task on @cfs_rq itself, or NULL. */
static struct task_struct *waiting_task(struct cfs_rq *cfs_rq)
{
	struct rb_node *node;

	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node)) {
		struct sched_entity *se = container_of(node, struct sched_entity, run_node);

		if (entity_is_task(se))
			return task_of(se);
	}
	return NULL;
}

/* The same above fair. */
static bool move_waiting_rt_tasks(struct lab *lab, struct rq *rq)
{
	struct task_struct *p;

	while ((p = waiting_task_rt(rq))) {
		push_waiting_task(lab, p);
		if (p->cpu == rq->cpu)
			return false;
	}
	return true;
}

/* False where there was no memory for a group's queue on another CPU. */
static bool move_waiting_tasks(struct lab *lab, struct rq *rq)
{
	const struct task_group *tg;

	for_each_group_below(tg, &lab->root) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, rq->cpu);
		struct task_struct *p;

		while (cfs_rq && (p = waiting_task(cfs_rq))) {
			push_waiting_task(lab, p);
			if (p->cpu == rq->cpu)
				return false;
		}
	}
	return true;
}

bool lab_cpu_online(const struct lab *lab, int cpu) { return lab->rqs[cpu].online; }

int lab_hotplug(struct lab *lab, int cpu, bool online)
{
	struct rq *rq = cpu_rq(lab, cpu);
	int ret = 0;

	if (rq->online == online)
		return 0;
	if (!online && lab->nr_online == 1)
		return -EINVAL;
	lab_catch_up(lab); /* the ticks so far were under the tunables of as many CPUs as were there */
	update_rq_clock(rq);
	run_wake_list(rq);
	rq->online = online;
	lab->nr_online += online ? 1 : -1;
	update_tunables(lab);
	if (online)
		bit_set(lab->smp.online, cpu);
	else
		bit_clear(lab->smp.online, cpu);
	nohz_leave(rq);
	if (!build_domains(lab))
		ret = -ENOMEM;
	forget_quiet(lab);
	reset_other_limits(lab, rq);
	if (online) {
		nohz_joins(rq);
		restore_limits(lab, rq);
	} else {
		release_limits(lab, rq);
		stop_cpu_gone(rq);
		if (!move_waiting_rt_tasks(lab, rq) || !move_waiting_tasks(lab, rq))
			ret = -ENOMEM;
		clear_group_loads(lab, rq);
		if (!task_is_idle_thread(rq->curr))
			resched_curr(rq); /* leaves at the next pass: schedule.c, is_evicted() */
	}
	cpusets_follow_hotplug(lab, cpu);
	lab_verb_done(lab);
	return ret;
}
