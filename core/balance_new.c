/* SPDX-License-Identifier: MIT */
/*
 * balance_new.c - the balancer from 5.5 on: groups have types, and a size is in tasks, in utilisation or in load.
 *
 *	has-spare < fully busy < SMT core shared < imbalanced < overloaded
 *	    |            |             |               |            '-- more tasks than CPUs, and those are used up: by load
 *	    |            |             |               '-- affinity got in the way of a balancer below: one task
 *	    |            |             '-- two tasks on the threads of one core (6.6): one task
 *	    |            '-- every CPU has a task and is used: nothing to gain, nothing to take
 *	    '-- by the number of tasks, or of idle CPUs; into another cache by utilisation
 *
 * A group is judged by averages that lag, so a CPU that has just given a task away still looks busy, and one that starts cold has
 * spare capacity for some 90 ms (smp-checked.md A9).
 * Rules: docs/rules/smp.md 4.3 and 4.4.
 */
#include "core/balance.h"

enum group_type { GROUP_HAS_SPARE, GROUP_FULLY_BUSY, GROUP_SMT_BALANCE, GROUP_IMBALANCED, GROUP_OVERLOADED };

struct group_stats {
	struct sched_group *group;
	enum group_type type;
	u64 load, util, runnable, capacity;
	u64 avg_load;	   /* per capacity; of overloaded groups, and of the local one once it is needed */
	u32 nr, nr_fair;   /* tasks, and those of them that are fair */
	u32 idle_cpus;
};

struct level_stats {
	struct group_stats local, busiest; /* busiest.group NULL: there is none */
	u64 load, avg_load;		   /* of all groups; avg_load once it is needed */
	bool prefer_sibling;
};

/* ---- one group ---- */

static void add_cpu(struct group_stats *sgs, struct rq *rq, bool *crowded)
{
	struct cpu_averages is;

	if (is_blank(rq)) {
		sgs->idle_cpus += !rq->smp.ttwu_pending;
		found_blank(rq);
		return;
	}
	is = cpu_averages(rq);
	sgs->load += is.load;
	sgs->util += is.util;
	sgs->runnable += is.runnable;
	sgs->nr += rq->nr_running;
	sgs->nr_fair += rq->cfs.h_nr_running;
	sgs->idle_cpus += !rq->nr_running && cpu_is_idle(rq);
	*crowded |= rq->nr_running > 1;
}

/* Sums over the CPUs still considered, of which those without a stain are idle; notes in @crowded where one has two tasks. */
static void add_up(struct lb_env *env, struct group_stats *sgs, bool *crowded)
{
	const struct sched_group *group = sgs->group;
	struct lab *lab = env->lab;
	u64 w;
	int i;

	for_each_word(i, w, group->words) {
		u64 here = group->span[i] & env->cpus[i], left = here & lab->smp.stained[i];

		if (here != left)
			sgs->idle_cpus += (u32)word_count(here & ~left);
		for (; left; left &= left - 1)
			add_cpu(sgs, cpu_rq(lab, 64 * i + __builtin_ctzll(left)), crowded);
	}
}

static bool runs_over(const struct lb_env *env, const struct group_stats *sgs)
{
	return sgs->capacity * env->sd->imbalance_pct < sgs->runnable * 100;
}

static bool is_overloaded(const struct lb_env *env, const struct group_stats *sgs)
{
	if (sgs->nr <= (u32)sgs->group->weight)
		return false;
	return sgs->capacity * 100 < sgs->util * env->sd->imbalance_pct || runs_over(env, sgs);
}

static bool has_capacity(const struct lb_env *env, const struct group_stats *sgs)
{
	if (sgs->nr < (u32)sgs->group->weight)
		return true;
	return !runs_over(env, sgs) && sgs->capacity * 100 > sgs->util * env->sd->imbalance_pct;
}

/* Rule smt_balance (6.6, fee1759e4f04): an idle CPU takes a task from a core whose threads have two. */
static bool shares_a_core(const struct lb_env *env, const struct group_stats *sgs, bool local)
{
	return lab_rule(env->lab, SMT_BALANCE) && !local && env->idle != LB_BUSY &&
	       sgs->group->flags & SD_SHARE_CPUCAPACITY && sgs->nr_fair > 1;
}

static enum group_type classify(const struct lb_env *env, const struct group_stats *sgs, bool local)
{
	if (is_overloaded(env, sgs))
		return GROUP_OVERLOADED;
	if (sgs->group->imbalance)
		return GROUP_IMBALANCED;
	if (shares_a_core(env, sgs, local))
		return GROUP_SMT_BALANCE;
	return has_capacity(env, sgs) ? GROUP_HAS_SPARE : GROUP_FULLY_BUSY;
}

static void look_at_group(struct lb_env *env, struct group_stats *sgs, struct sched_group *group, bool local, bool *crowded)
{
	*sgs = (struct group_stats){ .group = group, .capacity = group->capacity };
	add_up(env, sgs, crowded);
	if (!local && !sgs->nr_fair)
		return; /* whatever it is, it has nothing to give */
	sgs->type = classify(env, sgs, local);
	if (sgs->type == GROUP_OVERLOADED)
		sgs->avg_load = sgs->load * 1024 / sgs->capacity;
}

/* ---- the busiest group ---- */

static bool is_smt(const struct sched_group *group) { return group->flags & SD_SHARE_CPUCAPACITY; }

static bool smt_against_other(const struct sched_group *a, const struct sched_group *b) { return is_smt(a) != is_smt(b); }

/* Both have spare CPUs: fewer idle ones, then more tasks.  Rule smt_balance: a core with one task stands back behind one without threads. */
static bool has_less_spare(const struct lab *lab, const struct group_stats *busiest, const struct group_stats *sgs)
{
	if (lab_rule(lab, SMT_BALANCE) && smt_against_other(busiest->group, sgs->group))
		return !(is_smt(sgs->group) && sgs->nr_fair <= 1);
	if (sgs->idle_cpus != busiest->idle_cpus)
		return sgs->idle_cpus < busiest->idle_cpus;
	return sgs->nr > busiest->nr;
}

/* Nobody has computed loads of fully busy groups: the first stays, or (smt_balance) the last, unless the one so far is a core of threads. */
static bool replaces_fully_busy(const struct lab *lab, const struct group_stats *busiest)
{
	return lab_rule(lab, SMT_BALANCE) && !is_smt(busiest->group);
}

/* Does @sgs take the place of @busiest?  Ring order decides ties: only what is strictly busier. */
static bool is_busier(const struct lb_env *env, const struct group_stats *busiest, const struct group_stats *sgs)
{
	if (!sgs->nr_fair)
		return false;
	if (!busiest->group)
		return true;
	if (sgs->type != busiest->type)
		return sgs->type > busiest->type;
	switch (sgs->type) {
	case GROUP_OVERLOADED:
		return sgs->avg_load > busiest->avg_load;
	case GROUP_IMBALANCED:
		return false;
	case GROUP_SMT_BALANCE:
		if (sgs->idle_cpus || busiest->idle_cpus)
			return has_less_spare(env->lab, busiest, sgs);
		return replaces_fully_busy(env->lab, busiest);
	case GROUP_FULLY_BUSY:
		return replaces_fully_busy(env->lab, busiest);
	case GROUP_HAS_SPARE:
		break;
	}
	return has_less_spare(env->lab, busiest, sgs);
}

/* Rule prefer_sibling: to 6.5 as the level below says, from 6.6 (43726bdedd29) as the busiest group was made. */
static bool prefers_siblings(const struct lb_env *env, const struct group_stats *busiest)
{
	if (lab_rule(env->lab, PREFER_SIBLING) == PREFER_SIBLING_GROUP)
		return busiest->group && busiest->group->flags & SD_PREFER_SIBLING;
	return env->sd->child && env->sd->child->flags & SD_PREFER_SIBLING;
}

/* On a machine of many CPUs what is read of each is in no cache: have it come while others are looked at. */
#define MANY 128
#define AHEAD 6

static void fetch_ahead(struct lab *lab, const struct sched_group *group)
{
	const struct rq *rq = cpu_rq(lab, group->first_cpu);

	__builtin_prefetch(&rq->nr_running);
	__builtin_prefetch(&rq->curr);
	__builtin_prefetch(&rq->cfs.avg);
	__builtin_prefetch(&rq->cfs.avg.util_avg);
	__builtin_prefetch(&rq->tick_done);
	__builtin_prefetch(&rq->smp.capacity_orig);
}

/* CPUs of word @i of the level that are not blank, or may not be, and not of the local group. */
static u64 others_in_word(const struct lb_env *env, int i)
{
	return env->sd->span[i] & ~env->sd->groups[0]->span[i] & env->cpus[i] & env->lab->smp.stained[i];
}

/* How many of them there are in all words. */
static int others_at(const struct lb_env *env)
{
	int i, nr = 0;
	u64 w;

	for_each_word(i, w, env->sd->words) {
		u64 others = others_in_word(env, i);

		if (others)
			nr += word_count(others);
	}
	return nr;
}

static u64 level_capacity(const struct sched_domain *sd)
{
	u64 capacity = 0;
	int i;

	for (i = 0; i < sd->nr_groups; i++)
		capacity += sd->groups[i]->capacity;
	return capacity;
}

struct level_seen {
	bool crowded;
	u64 util;
};

/* Group @i of the ring, of which 0 is the local one. */
static void look_at_one(struct lb_env *env, struct level_stats *sds, int i, struct level_seen *seen)
{
	struct group_stats other, *sgs = i ? &other : &sds->local;

	look_at_group(env, sgs, env->sd->groups[i], !i, &seen->crowded);
	if (i && is_busier(env, &sds->busiest, sgs))
		sds->busiest = *sgs;
	sds->load += sgs->load;
	seen->util += sgs->util;
}

/* CPUs of @group that are not blank, or may not be. */
static int stained_in(const struct lb_env *env, const struct sched_group *group)
{
	const u64 *stained = env->lab->smp.stained;
	int i, nr = 0;
	u64 w;

	for_each_word(i, w, group->words) {
		u64 here = group->span[i] & env->cpus[i] & stained[i];

		if (here)
			nr += word_count(here);
	}
	return nr;
}

/* All groups but the local one, up to the last that has a CPU that is not blank; groups of nodes may overlap, and so are all looked at. */
static void look_at_others(struct lb_env *env, struct level_stats *sds, struct level_seen *seen)
{
	const struct sched_domain *sd = env->sd;
	int i, left = others_at(env), here;

	for (i = 1; left > 0 && i < sd->nr_groups; i++) {
		if (sd->nr_groups > MANY && i + AHEAD < sd->nr_groups)
			fetch_ahead(env->lab, sd->groups[i + AHEAD]);
		here = stained_in(env, sd->groups[i]);
		if (!here)
			continue;
		look_at_one(env, sds, i, seen);
		if (!(sd->flags & SD_NUMA))
			left -= here;
	}
}

static void look_at_level(struct lb_env *env, struct level_stats *sds)
{
	struct level_seen seen = { 0 };

	*sds = (struct level_stats){ 0 };
	look_at_one(env, sds, 0, &seen);
	look_at_others(env, sds, &seen);
	sds->prefer_sibling = prefers_siblings(env, &sds->busiest);
	level_was_seen(env, seen.crowded, seen.util);
}

/* ---- is it balanced? ---- */

/*
 * How many tasks more the busiest group has.  Rule smt_balance (7ff1693236f5): for each core, where the groups differ in cores, and only
 * an idle CPU asks.
 */
static u32 more_tasks(const struct lb_env *env, const struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;
	u32 cores = (u32)busiest->group->cores, mine = (u32)local->group->cores, more;

	if (lab_rule(env->lab, SMT_BALANCE) && env->idle == LB_BUSY)
		return 0;
	if (!lab_rule(env->lab, SMT_BALANCE) || cores == mine)
		return busiest->nr > local->nr ? busiest->nr - local->nr : 0;
	more = mine * busiest->nr > cores * local->nr ? mine * busiest->nr - cores * local->nr : 0;
	more = (2 * more + mine + cores) / (mine + cores);
	return more <= 1 && !local->nr && busiest->nr > 1 ? 2 : more;
}

static bool local_load_is_enough(const struct lb_env *env, const struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;

	return local->avg_load >= busiest->avg_load || local->avg_load >= sds->avg_load ||
	       100 * busiest->avg_load <= env->sd->imbalance_pct * local->avg_load;
}

/* The busiest group is not overloaded: is there nothing to gain from it? */
static bool no_gain(const struct lb_env *env, const struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;

	if (env->idle == LB_BUSY)
		return true;
	if (busiest->type == GROUP_SMT_BALANCE && smt_against_other(local->group, busiest->group))
		return false;
	if (busiest->group->weight > 1 && local->idle_cpus <= busiest->idle_cpus + 1)
		return true;
	return busiest->nr_fair == 1;
}

static bool is_balanced(const struct lb_env *env, struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;

	if (!busiest->group)
		return true;
	if (busiest->type == GROUP_IMBALANCED)
		return false;
	if (local->type > busiest->type)
		return true;
	if (local->type == GROUP_OVERLOADED) {
		sds->avg_load = sds->load * 1024 / level_capacity(env->sd);
		if (local_load_is_enough(env, sds))
			return true;
	}
	if (sds->prefer_sibling && local->type == GROUP_HAS_SPARE && more_tasks(env, sds) > 1)
		return false;
	return busiest->type != GROUP_OVERLOADED && no_gain(env, sds);
}

/* ---- how much ---- */

static void want(struct lb_env *env, enum migration by, u64 size)
{
	env->by = by;
	env->imbalance = (s64)size;
}

/*
 * Rule lb_numa: to 5.17 two tasks may stay together on one node; from 5.18 (e496132ebedd) as many as imb_numa_nr, and then a difference of
 * two does not matter.
 */
static u64 tolerate_numa(const struct lb_env *env, const struct level_stats *sds, u64 size)
{
	if (!(env->sd->flags & SD_NUMA))
		return size;
	if (lab_rule(env->lab, LB_NUMA) == LB_NUMA_PAIR)
		return sds->busiest.nr <= 2 ? 0 : size;
	return sds->local.nr + 1 <= env->sd->imb_numa_nr && size <= 2 ? 0 : size;
}

/* The local group has CPUs to spare. */
static void size_for_spare(struct lb_env *env, const struct level_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest, *local = &sds->local;
	u64 more;

	if (busiest->type > GROUP_FULLY_BUSY && !(env->sd->flags & SD_SHARE_LLC)) {
		want(env, MIGRATE_UTIL, local->capacity > local->util ? local->capacity - local->util : 0);
		if (env->idle != LB_BUSY && !env->imbalance)
			want(env, MIGRATE_TASK, 1);
		return;
	}
	if (busiest->group->weight == 1 || sds->prefer_sibling)
		more = more_tasks(env, sds);
	else
		more = local->idle_cpus > busiest->idle_cpus ? local->idle_cpus - busiest->idle_cpus : 0;
	want(env, MIGRATE_TASK, tolerate_numa(env, sds, more) / 2);
}

static void size_by_load(struct lb_env *env, struct level_stats *sds)
{
	struct group_stats *busiest = &sds->busiest, *local = &sds->local;

	env->imbalance = 0;
	if (local->type < GROUP_OVERLOADED) {
		local->avg_load = local->load * 1024 / local->capacity;
		sds->avg_load = sds->load * 1024 / level_capacity(env->sd);
		if (local->avg_load >= busiest->avg_load || local->avg_load >= sds->avg_load)
			return;
	}
	if (busiest->avg_load <= sds->avg_load)
		return;
	want(env, MIGRATE_LOAD, min_u64((busiest->avg_load - sds->avg_load) * busiest->capacity,
					(sds->avg_load - local->avg_load) * local->capacity) / 1024);
}

static void find_size(struct lb_env *env, struct level_stats *sds)
{
	if (sds->busiest.type == GROUP_IMBALANCED || sds->busiest.type == GROUP_SMT_BALANCE)
		want(env, MIGRATE_TASK, 1);
	else if (sds->local.type == GROUP_HAS_SPARE)
		size_for_spare(env, sds);
	else
		size_by_load(env, sds);
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

/* Rule lb_source: from 5.12 a CPU without a fair task, which may have load of sleepers, is not looked at. */
static bool is_no_source(const struct lab *lab, const struct rq *rq)
{
	return lab_rule(lab, LB_SOURCE) == LB_SOURCE_QUEUED && !rq->cfs.h_nr_running;
}

/* Rule lb_util: from 6.5 tasks that wait for each other count as if each ran by itself. */
static u64 util_to_give(struct rq *rq)
{
	if (rq->cfs.h_nr_running <= 1)
		return 0;
	return lab_rule(rq->lab, LB_UTIL) == LB_UTIL_RUNNABLE ? cpu_util_boosted(rq) : cpu_util(rq);
}

/* How much speaks for taking from @rq; 0: nothing. */
static u64 claim(struct lb_env *env, struct rq *rq)
{
	u64 load;

	switch (env->by) {
	case MIGRATE_TASK:
		return rq->cfs.h_nr_running;
	case MIGRATE_UTIL:
		return util_to_give(rq);
	case MIGRATE_LOAD:
		break;
	}
	load = cpu_load(rq);
	return rq->cfs.h_nr_running == 1 && (s64)load > env->imbalance ? 0 : load;
}

static struct rq *busiest_queue(struct lb_env *env, const struct sched_group *group)
{
	struct lab *lab = env->lab;
	struct rq *busiest = NULL;
	u64 most = 0, of = 1, left, w;
	int i;

	for_each_word(i, w, group->words) {
		for (left = group->span[i] & env->cpus[i] & lab->smp.stained[i]; left; left &= left - 1) {
			struct rq *rq = cpu_rq(lab, 64 * i + __builtin_ctzll(left));
			u64 mine, capacity = env->by == MIGRATE_LOAD ? rq->smp.capacity : 1;

			if (is_no_source(lab, rq))
				continue;
			mine = claim(env, rq);
			if (mine * of <= most * capacity)
				continue;
			most = mine;
			of = capacity;
			busiest = rq;
		}
	}
	return busiest;
}

/* Rule lb_relax: a load may be twice the size while nothing has failed long (to 5.9), or 2^failed times it from 5.10 (5a7f55590467). */
static u64 relaxed_load(const struct lb_env *env, u64 load)
{
	u32 failed = env->sd->nr_balance_failed;

	if (lab_rule(env->lab, LB_RELAX) == LB_RELAX_HALF)
		return failed > env->sd->cache_nice_tries ? 0 : load / 2;
	return failed > 62 ? 0 : load >> failed;
}

static u64 relaxed_util(const struct lb_env *env, u64 util)
{
	u32 failed = lab_rule(env->lab, LB_RELAX) == LB_RELAX_HALF ? 0 : env->sd->nr_balance_failed;

	return failed > 62 ? 0 : util >> failed;
}

static bool too_big(struct lb_env *env, struct task_struct *p)
{
	u64 size = 1, relaxed = 1;

	switch (env->by) {
	case MIGRATE_LOAD:
		size = max_u64(task_h_load(env->lab, p), 1);
		relaxed = relaxed_load(env, size);
		break;
	case MIGRATE_UTIL:
		size = task_util_est(p);
		relaxed = relaxed_util(env, size);
		break;
	case MIGRATE_TASK:
		break;
	}
	if ((s64)relaxed > env->imbalance)
		return true;
	env->imbalance -= (s64)size;
	return false;
}

const struct balance_ops balance_new = {
	.busiest_group = busiest_group,
	.busiest_queue = busiest_queue,
	.too_big = too_big,
};
