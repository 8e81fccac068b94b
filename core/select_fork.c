/* SPDX-License-Identifier: MIT */
/*
 * select_fork.c - where a new task begins, and where one goes that executes a new program: the slow path.
 *
 *	NUMA   [ node 0 here ]  [ node 1 ]      the idlest group of the highest level; is it clearly idler than the own one?
 *	MC        [ c ] [ c ] [ c ]             then the best CPU in it, and down that CPU's levels
 *
 * Unlike a wakeup it sees the whole machine and reads averages everywhere; those lag, so a burst of forks is spread by what the CPUs were like
 * a moment ago.
 * Rules: docs/rules/smp.md 2.7; smp-checked.md A11.
 */
#include "core/select.h"

/* ---- a group of CPUs ---- */

static bool intersects(const struct selection *s, const u64 *span)
{
	int i;

	for (i = 0; i < BITS_WORDS(s->lab->cfg.nr_cpus); i++)
		if (span[i] & s->p->cpus_allowed[i])
			return true;
	return false;
}

/* So far from @a's load as a level tolerates, in loads of a nice 0 task. */
static u64 load_margin(const struct sched_domain *sd) { return NICE_0_WEIGHT * (u64)(sd->imbalance_pct - 100) / 100; }

static u64 per_capacity(u64 load, const struct sched_group *sg) { return load * SCHED_CAPACITY / sg->capacity; }

/* ---- rule fork_search=types: from 5.5 (57abff067a08) groups are classed first ---- */

enum group_type { GROUP_HAS_SPARE, GROUP_FULLY_BUSY, GROUP_IMBALANCED, GROUP_OVERLOADED };

struct group_stats {
	enum group_type type;
	u64 load, util, runnable, avg_load;
	int running, idle_cpus;
};

static bool group_is_overloaded(const struct sched_domain *sd, const struct sched_group *sg, const struct group_stats *st)
{
	return st->running > sg->weight && (sg->capacity * 100 < st->util * sd->imbalance_pct ||
					    sg->capacity * sd->imbalance_pct < st->runnable * 100);
}

static bool group_has_capacity(const struct sched_domain *sd, const struct sched_group *sg, const struct group_stats *st)
{
	if (st->running < sg->weight)
		return true;
	return sg->capacity * sd->imbalance_pct >= st->runnable * 100 && sg->capacity * 100 > st->util * sd->imbalance_pct;
}

static enum group_type classify(const struct sched_domain *sd, const struct sched_group *sg, const struct group_stats *st)
{
	if (group_is_overloaded(sd, sg, st))
		return GROUP_OVERLOADED;
	if (sg->imbalance)
		return GROUP_IMBALANCED;
	return group_has_capacity(sd, sg, st) ? GROUP_HAS_SPARE : GROUP_FULLY_BUSY;
}

/* Idle, were it not for the task itself. */
static bool idle_without(const struct rq *rq, const struct task_struct *p)
{
	return (task_is_idle_thread(rq->curr) || rq->curr == p) && !rq->smp.ttwu_pending;
}

static void add_cpu(const struct selection *s, struct group_stats *st, struct rq *rq)
{
	int running = (int)rq->nr_running - (rq->cpu == s->p->cpu && s->p->se.on_rq);

	st->load += cpu_load_without(rq, s->p);
	st->util += cpu_util_without(rq, s->p);
	st->runnable += cpu_runnable_without(rq, s->p);
	st->running += running;
	st->idle_cpus += !running && idle_without(rq, s->p);
}

/* Rule fork_counts: all CPUs of a group, or those that the task may use (from 6.19, and in later 5.10.y, 6.1.y and 6.12.y). */
static bool is_counted(const struct selection *s, int cpu)
{
	return lab_rule(s->lab, FORK_COUNTS) == FORK_COUNTS_ALL || bit_test(s->p->cpus_allowed, cpu);
}

static struct group_stats stats_of(const struct selection *s, const struct sched_domain *sd, const struct sched_group *sg)
{
	struct group_stats st = { .type = GROUP_HAS_SPARE };
	int cpu;

	for_each_bit(cpu, sg->span, s->lab->cfg.nr_cpus)
		if (is_counted(s, cpu))
			add_cpu(s, &st, cpu_rq(s->lab, cpu));
	st.type = classify(sd, sg, &st);
	if (st.type == GROUP_FULLY_BUSY || st.type == GROUP_OVERLOADED)
		st.avg_load = per_capacity(st.load, sg);
	return st;
}

/* Is @a idler than @b, the best so far? */
static bool is_idler(const struct group_stats *a, const struct group_stats *b)
{
	if (a->type != b->type)
		return a->type < b->type;
	switch (a->type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		return a->avg_load < b->avg_load;
	case GROUP_IMBALANCED:
		return false;
	default:
		return a->idle_cpus > b->idle_cpus || (a->idle_cpus == b->idle_cpus && a->util < b->util);
	}
}

static bool loads_keep_it(const struct sched_domain *sd, const struct group_stats *local, const struct group_stats *best)
{
	u64 margin = load_margin(sd);

	if (sd->flags & SD_NUMA && best->avg_load + margin >= local->avg_load)
		return true;
	return best->avg_load >= local->avg_load + margin || 100 * local->avg_load <= sd->imbalance_pct * best->avg_load;
}

static int nr_allowed_in(const struct selection *s, const u64 *span)
{
	int i, nr = 0;

	for (i = 0; i < BITS_WORDS(s->lab->cfg.nr_cpus); i++)
		nr += __builtin_popcountll(span[i] & s->p->cpus_allowed[i]);
	return nr;
}

#define NUMA_IMBALANCE_MIN 2

/*
 * Rule fork_numa: idle (5.5-5.17): the own node as long as a CPU of it is idle; limit (from 5.18, e496132ebedd): as long as few run there and the
 * nodes do not differ by more than two idle CPUs.
 */
static bool node_keeps_it(const struct selection *s, const struct sched_domain *sd, const struct group_stats *local,
			  const struct group_stats *best)
{
	int most = (int)sd->imb_numa_nr, differ = local->idle_cpus - best->idle_cpus;

	if (lab_rule(s->lab, FORK_NUMA) == FORK_NUMA_IDLE)
		return local->idle_cpus;
	if (s->p->nr_cpus_allowed != s->lab->cfg.nr_cpus) {
		int here = nr_allowed_in(s, sd->groups[0]->span);

		most = here < most ? here : most;
	}
	return local->running + 1 <= most && (differ < 0 ? -differ : differ) <= NUMA_IMBALANCE_MIN;
}

static bool stays_local(const struct selection *s, const struct sched_domain *sd, const struct group_stats *local,
			const struct group_stats *best)
{
	if (local->type != best->type)
		return local->type < best->type;
	switch (local->type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		return loads_keep_it(sd, local, best);
	case GROUP_IMBALANCED:
		return true;
	default:
		if (sd->flags & SD_NUMA && node_keeps_it(s, sd, local, best))
			return true;
		return local->idle_cpus >= best->idle_cpus;
	}
}

static const struct sched_group *idlest_by_type(const struct selection *s, const struct sched_domain *sd, int from)
{
	struct group_stats local = { .type = GROUP_HAS_SPARE }, best = { .type = GROUP_OVERLOADED, .avg_load = UINT32_MAX };
	const struct sched_group *idlest = NULL;
	bool has_local = false;
	int i;

	for (i = 0; i < sd->nr_groups; i++) {
		struct group_stats st;

		if (!intersects(s, sd->groups[i]->span))
			continue;
		st = stats_of(s, sd, sd->groups[i]);
		if (bit_test(sd->groups[i]->span, from)) {
			local = st;
			has_local = true;
		} else if (is_idler(&st, &best)) {
			best = st;
			idlest = sd->groups[i];
		}
	}
	if (idlest && has_local && stays_local(s, sd, &local, &best))
		return NULL;
	return idlest;
}

/* ---- rule fork_search=load (to 4.6), spare (4.7-5.4) ---- */

struct group_load {
	u64 load;     /* per capacity, by rule cpu_load */
	u64 avg_load; /* the same of all that is attached */
	u64 spare;    /* the most that one CPU has left */
};

static struct group_load load_of(const struct selection *s, const struct sched_group *sg)
{
	struct group_load gl = { 0, 0, 0 };
	int cpu;

	for_each_bit(cpu, sg->span, s->lab->cfg.nr_cpus) {
		struct rq *rq = cpu_rq(s->lab, cpu);
		u64 util = cpu_util_without(rq, s->p);

		gl.load += cpu_load(rq);
		gl.avg_load += cpu_avg_load(rq);
		gl.spare = max_u64(gl.spare, rq->smp.capacity_orig - min_u64(util, rq->smp.capacity_orig));
	}
	gl.load = per_capacity(gl.load, sg);
	gl.avg_load = per_capacity(gl.avg_load, sg);
	return gl;
}

static u64 half_bias(const struct sched_domain *sd) { return 100 + (u64)(sd->imbalance_pct - 100) / 2; }

/* What a search by loads has found so far. */
struct lightest {
	struct group_load local;
	bool has_local;
	const struct sched_group *idlest, *spare_group;
	u64 load, avg_load, spare;
};

/* Clearly less load comes first; among about equal ones clearly less with the sleepers. */
static void weigh(const struct selection *s, const struct sched_domain *sd, struct lightest *best, const struct sched_group *sg)
{
	struct group_load gl = load_of(s, sg);
	bool plain = lab_rule(s->lab, FORK_SEARCH) == FORK_SEARCH_LOAD;
	u64 margin = plain ? 0 : load_margin(sd);

	if (!best->idlest || best->load > gl.load + margin) {
		best->load = gl.load;
		best->avg_load = gl.avg_load;
		best->idlest = sg;
	} else if (!plain && gl.load < best->load + margin && 100 * best->avg_load > half_bias(sd) * gl.avg_load) {
		best->avg_load = gl.avg_load;
		best->idlest = sg;
	}
	if (best->spare < gl.spare) {
		best->spare = gl.spare;
		best->spare_group = sg;
	}
}

/* By what their loads are, does the task stay in the local group? */
static bool loads_stay(const struct selection *s, const struct sched_domain *sd, const struct lightest *best)
{
	const struct group_load *local = &best->local;
	u64 margin = load_margin(sd);

	if (!best->has_local)
		return false;
	if (lab_rule(s->lab, FORK_SEARCH) == FORK_SEARCH_LOAD)
		return 100 * local->load < half_bias(sd) * best->load;
	if (sd->flags & SD_NUMA && best->load + margin >= local->load)
		return true;
	if (best->load > local->load + margin)
		return true;
	return local->load < best->load + margin && 100 * local->avg_load < half_bias(sd) * best->avg_load;
}

static const struct sched_group *idlest_by_load(const struct selection *s, const struct sched_domain *sd, int from, unsigned sd_flag)
{
	struct lightest best = { .has_local = false };
	int i;

	for (i = 0; i < sd->nr_groups; i++) {
		if (!intersects(s, sd->groups[i]->span))
			continue;
		if (!bit_test(sd->groups[i]->span, from)) {
			weigh(s, sd, &best, sd->groups[i]);
			continue;
		}
		best.local = load_of(s, sd->groups[i]);
		best.has_local = true;
	}
	if (sd_flag != SD_BALANCE_FORK && lab_rule(s->lab, FORK_SEARCH) == FORK_SEARCH_SPARE) { /* a new task has no util yet */
		if (best.local.spare > task_util(s->p) / 2 && half_bias(sd) * best.local.spare > 100 * best.spare)
			return NULL;
		if (best.spare > task_util(s->p) / 2)
			return best.spare_group;
	}
	if (!best.idlest || loads_stay(s, sd, &best))
		return NULL;
	return best.idlest;
}

/* ---- the CPU in a group ---- */

/* The best so far: the shallowest idle one, the last to go idle among equals; or the least loaded. */
struct best_cpu {
	int idle, loaded;
	enum cpu_state depth;
	u64 since, load;
};

static void try_idle(const struct selection *s, struct best_cpu *best, const struct rq *rq)
{
	enum cpu_state depth = s->lab->pf.cpu_state(s->lab->pf.ctx, rq->cpu);

	if (best->idle >= 0 && (depth > best->depth || (depth == best->depth && !before(best->since, rq->smp.idle_stamp))))
		return;
	best->idle = rq->cpu;
	best->depth = depth;
	best->since = rq->smp.idle_stamp;
}

static void try_loaded(struct best_cpu *best, struct rq *rq, bool prefers)
{
	u64 load = cpu_load(rq);

	if (best->loaded >= 0 && (load > best->load || (load == best->load && !prefers)))
		return;
	best->loaded = rq->cpu;
	best->load = load;
}

/* Rule fork_cpu: to 3.17 the least loaded; from 3.18 (83a0a96a5f26) first one that is idle. */
static int best_cpu_of(const struct selection *s, const struct sched_group *sg, int from)
{
	struct best_cpu best = { .idle = -1, .loaded = -1 };
	bool idle_first = lab_rule(s->lab, FORK_CPU);
	int cpu;

	if (sg->weight == 1 && idle_first)
		return sg->first_cpu;
	for_each_bit(cpu, sg->span, s->lab->cfg.nr_cpus) {
		struct rq *rq = cpu_rq(s->lab, cpu);

		if (!bit_test(s->p->cpus_allowed, cpu))
			continue;
		if (idle_first && cpu_is_idle(rq))
			try_idle(s, &best, rq);
		else if (idle_first && counts_as_idle(s, cpu))
			return cpu;
		else if (best.idle < 0)
			try_loaded(&best, rq, !idle_first && cpu == from);
	}
	return best.idle >= 0 ? best.idle : best.loaded >= 0 ? best.loaded : from;
}

/* ---- down the levels ---- */

static const struct sched_group *idlest_group(const struct selection *s, const struct sched_domain *sd, int from, unsigned sd_flag)
{
	if (lab_rule(s->lab, FORK_SEARCH) == FORK_SEARCH_TYPES)
		return idlest_by_type(s, sd, from);
	return idlest_by_load(s, sd, from, sd_flag);
}

/* The highest level of @cpu below @weight CPUs that has the flag, with all below it. */
static const struct sched_domain *level_below(const struct selection *s, int cpu, int weight, unsigned sd_flag)
{
	const struct sched_domain *sd, *found = NULL;

	for (sd = cpu_rq(s->lab, cpu)->smp.sd; sd && sd->span_weight < weight; sd = sd->parent)
		if (sd->flags & sd_flag)
			found = sd;
	return found;
}

static const struct sched_domain *highest_level(const struct selection *s, unsigned sd_flag)
{
	const struct sched_domain *sd, *found = NULL;

	for (sd = cpu_rq(s->lab, s->prev)->smp.sd; sd && sd->flags & sd_flag; sd = sd->parent)
		found = sd;
	return found;
}

int select_task_rq_slow(const struct selection *s, unsigned sd_flag)
{
	const struct sched_domain *sd = highest_level(s, sd_flag);
	int cpu = s->prev;

	if (!sd || !intersects(s, sd->span))
		return s->prev;
	while (sd) {
		const struct sched_group *sg = sd->flags & sd_flag ? idlest_group(s, sd, cpu, sd_flag) : NULL;
		int found = sg ? best_cpu_of(s, sg, cpu) : cpu;

		if (found == cpu) {
			sd = sd->child;
			continue;
		}
		cpu = found;
		sd = level_below(s, cpu, sd->span_weight, sd_flag);
	}
	return cpu;
}
