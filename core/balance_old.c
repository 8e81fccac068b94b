/* SPDX-License-Identifier: MIT */
/*
 * balance_old.c - the balancer to 5.4: what is moved is load, and a size below one task's load is looked at twice.
 *
 *	        average load of all groups
 *	busiest ######|####			size = the smaller of the two parts beyond that line,
 *	local   ###   |				at least one task of the busiest group's mean load where that would not tip the scales
 *
 * Whether a group has room: its tasks against CPUs (rule balancer=tasks, to 4.0), or its utilisation against capacity once it has as many
 * tasks as CPUs (balancer=load, 4.1-5.4).
 * Rules: docs/rules/smp.md 4.5.
 */
#include "core/balance.h"

enum group_type { GROUP_OTHER, GROUP_IMBALANCED, GROUP_OVERLOADED };

struct group_stats {
	struct sched_group *group;
	enum group_type type;
	u64 load, util, capacity;
	u64 avg_load;	   /* per capacity */
	u64 load_per_task;
	u32 nr, idle_cpus;
	u32 room;	   /* tasks it has capacity for; balancer=tasks */
	u64 least, most;   /* load of one of its CPUs, and the most tasks: balancer=tasks */
	u32 most_tasks;
};

struct level_stats {
	struct group_stats local, busiest; /* busiest.group NULL: there is none */
	u64 load, capacity, avg_load;
};

static bool counts_tasks(const struct lb_env *env) { return lab_rule(env->lab, BALANCER) == BALANCER_TASKS; }

/* ---- one group ---- */

static void add_up(struct lb_env *env, struct group_stats *sgs, bool *crowded)
{
	struct lab *lab = env->lab;
	int cpu, left;

	sgs->least = UINT64_MAX;
	for_each_cpu_of(cpu, left, lab, sgs->group, env->cpus) {
		struct rq *rq = cpu_rq(lab, cpu);
		u64 load = cpu_load(rq);

		sgs->load += load;
		sgs->least = min_u64(sgs->least, load);
		sgs->most = max_u64(sgs->most, load);
		sgs->util += cpu_util(rq);
		sgs->nr += rq->cfs.h_nr_running;
		if (rq->cfs.h_nr_running > sgs->most_tasks)
			sgs->most_tasks = rq->cfs.h_nr_running;
		sgs->idle_cpus += cpu_is_idle(rq);
		*crowded |= rq->nr_running > 1;
	}
}

static bool has_capacity(const struct lb_env *env, const struct group_stats *sgs)
{
	if (counts_tasks(env))
		return sgs->room > sgs->nr;
	return sgs->nr < (u32)sgs->group->weight || sgs->capacity * 100 > sgs->util * env->sd->imbalance_pct;
}

static bool is_overloaded(const struct lb_env *env, const struct group_stats *sgs)
{
	if (counts_tasks(env))
		return sgs->nr > sgs->room;
	return sgs->nr > (u32)sgs->group->weight && sgs->capacity * 100 < sgs->util * env->sd->imbalance_pct;
}

/* One of its CPUs has tasks to give, and as much more load than another as a task weighs. */
static bool is_lopsided(const struct group_stats *sgs)
{
	return sgs->most_tasks > 1 && sgs->most - sgs->least >= sgs->load_per_task;
}

/* Rule lb_imbalanced: to 3.12 by the loads; from 3.13 (6263322c5e8f) where affinity kept a balancer below from evening out. */
static bool is_imbalanced(const struct lb_env *env, const struct group_stats *sgs)
{
	return lab_rule(env->lab, LB_IMBALANCED) == LB_IMBALANCED_LOADS ? is_lopsided(sgs) : sgs->group->imbalance;
}

/* A group beside one with room has room for one task only, or for one more than that has. */
static bool spreads(const struct lb_env *env, const struct level_stats *sds, const struct group_stats *sgs)
{
	if (!env->sd->child || !(env->sd->child->flags & SD_PREFER_SIBLING) || !has_capacity(env, &sds->local))
		return false;
	return counts_tasks(env) ? sgs->nr > 1 : sgs->nr > sds->local.nr + 1;
}

static void look_at_group(struct lb_env *env, struct group_stats *sgs, struct sched_group *group, bool *crowded)
{
	*sgs = (struct group_stats){ .group = group, .capacity = group->capacity };
	sgs->room = (u32)((group->capacity + 512) / 1024);
	add_up(env, sgs, crowded);
	sgs->avg_load = sgs->load * 1024 / sgs->capacity;
	sgs->load_per_task = sgs->nr ? sgs->load / sgs->nr : 0;
	sgs->type = is_overloaded(env, sgs) ? GROUP_OVERLOADED : is_imbalanced(env, sgs) ? GROUP_IMBALANCED : GROUP_OTHER;
}

/* Ring order decides ties: only what is strictly busier. */
static bool is_busier(const struct lb_env *env, const struct group_stats *busiest, const struct group_stats *sgs)
{
	if (counts_tasks(env)) /* only more load, and only where somebody is too many */
		return sgs->avg_load > busiest->avg_load && sgs->type != GROUP_OTHER;
	if (busiest->group && sgs->type != busiest->type)
		return sgs->type > busiest->type;
	return sgs->avg_load > busiest->avg_load;
}

static void look_at_level(struct lb_env *env, struct level_stats *sds)
{
	struct sched_domain *sd = env->sd;
	bool crowded = false;
	u64 util = 0;
	int i;

	*sds = (struct level_stats){ 0 };
	for (i = 0; i < sd->nr_groups; i++) {
		struct group_stats other, *sgs = i ? &other : &sds->local;

		look_at_group(env, sgs, sd->groups[i], &crowded);
		if (i && spreads(env, sds, sgs))
			sgs->type = GROUP_OVERLOADED;
		if (i && is_busier(env, &sds->busiest, sgs))
			sds->busiest = *sgs;
		sds->load += sgs->load;
		sds->capacity += sgs->capacity;
		util += sgs->util;
	}
	level_was_seen(env, crowded, util);
}

/* ---- is it balanced? ---- */

/* Rule lb_force: a CPU that has just become idle (to 4.18), or any idle one, takes from a group without capacity whatever the loads say. */
static bool may_force(const struct lb_env *env)
{
	return lab_rule(env->lab, LB_FORCE) == LB_FORCE_IDLE ? env->idle != LB_BUSY : env->idle == LB_NEWIDLE;
}

static bool must_balance(const struct lb_env *env, const struct level_stats *sds)
{
	if (sds->busiest.type == GROUP_IMBALANCED)
		return true;
	return may_force(env) && has_capacity(env, &sds->local) && sds->busiest.type == GROUP_OVERLOADED;
}

/* An idle CPU leaves alone a group with as many idle CPUs as its own, less one. */
static bool idle_is_balanced(const struct lb_env *env, const struct level_stats *sds)
{
	bool too_many = counts_tasks(env) ? sds->busiest.nr > (u32)sds->busiest.group->weight : sds->busiest.type == GROUP_OVERLOADED;

	return !too_many && sds->local.idle_cpus <= sds->busiest.idle_cpus + 1;
}

static bool is_balanced(const struct lb_env *env, struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;

	if (!busiest->group || !busiest->nr)
		return true;
	sds->avg_load = sds->load * 1024 / sds->capacity;
	if (must_balance(env, sds))
		return false;
	if (local->avg_load >= busiest->avg_load || local->avg_load >= sds->avg_load)
		return true;
	if (env->idle == LB_IDLE)
		return idle_is_balanced(env, sds);
	return 100 * busiest->avg_load <= env->sd->imbalance_pct * local->avg_load;
}

/* ---- how much ---- */

/* What the two groups would get done: each as much as it has load, at most what a task more or less leaves it. */
static u64 work_of(const struct group_stats *sgs, u64 load) { return sgs->capacity * min_u64(sgs->load_per_task, load); }

static bool moving_one_gains(const struct level_stats *sds, u64 scaled)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;
	u64 now = work_of(busiest, busiest->avg_load) + work_of(local, local->avg_load), then = 0, gets;

	if (busiest->avg_load > scaled)
		then = work_of(busiest, busiest->avg_load - scaled);
	if (busiest->avg_load * busiest->capacity < busiest->load_per_task * 1024)
		gets = busiest->avg_load * busiest->capacity / local->capacity;
	else
		gets = busiest->load_per_task * 1024 / local->capacity;
	then += work_of(local, local->avg_load + gets);
	return then / 1024 > now / 1024;
}

/* The size is below one task of the busiest group: is it to be one? */
static void fix_small_imbalance(struct lb_env *env, struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest;
	struct group_stats *local = &sds->local;
	u64 scaled = busiest->load_per_task * 1024 / busiest->capacity, margin = 2;

	if (local->nr && busiest->load_per_task > local->load_per_task)
		margin = 1;
	if (busiest->avg_load + scaled >= local->avg_load + scaled * margin || moving_one_gains(sds, scaled))
		env->imbalance = (s64)busiest->load_per_task;
}

/* What the busiest group has beyond its capacity, where both are full; no more is to be pulled. */
static u64 load_above_capacity(const struct lb_env *env, const struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest;
	u64 above = (u64)busiest->nr * 1024;

	if (counts_tasks(env)) {
		if (busiest->type == GROUP_IMBALANCED || busiest->nr <= busiest->room)
			return UINT64_MAX;
		return (u64)(busiest->nr - busiest->room) * 1024 * 1024 / busiest->capacity;
	}
	if (busiest->type != GROUP_OVERLOADED || sds->local.type != GROUP_OVERLOADED || above <= busiest->capacity)
		return UINT64_MAX;
	return (above - busiest->capacity) * 1024 / busiest->capacity;
}

static void find_size(struct lb_env *env, struct level_stats *sds)
{
	struct group_stats *busiest = &sds->busiest, *local = &sds->local;
	u64 pull;

	if (busiest->type == GROUP_IMBALANCED)
		busiest->load_per_task = min_u64(busiest->load_per_task, sds->avg_load);
	env->by = MIGRATE_LOAD;
	env->imbalance = 0;
	if (busiest->avg_load > sds->avg_load && local->avg_load < sds->avg_load) {
		pull = min_u64(busiest->avg_load - sds->avg_load, load_above_capacity(env, sds));
		env->imbalance = (s64)(min_u64(pull * busiest->capacity, (sds->avg_load - local->avg_load) * local->capacity) / 1024);
	}
	if (env->imbalance < (s64)busiest->load_per_task)
		fix_small_imbalance(env, sds);
}

static struct sched_group *busiest_group(struct lb_env *env)
{
	struct level_stats sds;

	look_at_level(env, &sds);
	if (is_balanced(env, &sds))
		return NULL;
	find_size(env, &sds);
	return env->imbalance > 0 ? sds.busiest.group : NULL;
}

/* ---- the queue, and whether a task fits ---- */

static struct rq *busiest_queue(struct lb_env *env, const struct sched_group *group)
{
	struct lab *lab = env->lab;
	struct rq *busiest = NULL;
	u64 most = 0, of = 1;
	int cpu, left;

	for_each_cpu_of(cpu, left, lab, group, env->cpus) {
		struct rq *rq = cpu_rq(lab, cpu);
		u64 load = cpu_load(rq);

		if ((rq->cfs.h_nr_running == 1 && (s64)load > env->imbalance) || load * of <= most * rq->smp.capacity)
			continue;
		most = load;
		of = rq->smp.capacity;
		busiest = rq;
	}
	return busiest;
}

static bool too_big(struct lb_env *env, struct task_struct *p)
{
	u64 load = task_h_load(env->lab, p);

	if ((s64)(load / 2) > env->imbalance)
		return true;
	env->imbalance -= (s64)load;
	return false;
}

const struct balance_ops balance_old = {
	.busiest_group = busiest_group,
	.busiest_queue = busiest_queue,
	.too_big = too_big,
};
