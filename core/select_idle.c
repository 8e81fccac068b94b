/* SPDX-License-Identifier: MIT */
/*
 * select_idle.c - an idle CPU beside the one that a wakeup starts from; never outside its last level cache.
 *
 *	target?  prev?  (kthread: prev)  recent?     a core that is all idle?    any idle CPU?      else the target itself
 *	                                             '-- after target, wrapping, for as long as it is worth it --'
 *
 * How long it looks is the kernel's answer to a full machine: as many CPUs as the mean idle time pays for (SIS_PROP), or fewer the fuller the
 * cache's CPUs are (SIS_UTIL).  Whoever is not found here is left to balancing.
 * Rules: docs/rules/smp.md 2.4 to 2.6; smp-checked.md A3, A4.
 */
#include "core/select.h"

#include <string.h>

typedef u64 cpu_mask[BITS_WORDS(LAB_MAX_CPUS)];

/* ---- small questions ---- */

/* Nobody there but SCHED_IDLE tasks, which give way at once. */
static bool has_only_idle_policy(const struct rq *rq) { return rq->nr_running && rq->nr_running == rq->cfs.h_nr_idle; }

/*
 * Rule idle_policy_cpu: off to 5.3; any from 5.4 (3c29e651e16d): a CPU that runs only SCHED_IDLE tasks is as good as idle; normal in 7.2: but
 * not for another of them.
 */
bool counts_as_idle(const struct selection *s, int cpu)
{
	const struct rq *rq = cpu_rq(s->lab, cpu);

	if (cpu_is_idle(rq))
		return true;
	if (lab_rule(s->lab, IDLE_POLICY_CPU) == IDLE_POLICY_OFF)
		return false;
	if (lab_rule(s->lab, IDLE_POLICY_CPU) == IDLE_POLICY_NORMAL && s->p->policy == SCHED_IDLE)
		return false;
	return has_only_idle_policy(rq);
}

static bool allowed(const struct selection *s, int cpu) { return bit_test(s->p->cpus_allowed, cpu); }

static bool is_candidate(const struct selection *s, int cpu) { return allowed(s, cpu) && counts_as_idle(s, cpu); }

static int nr_cpus(const struct selection *s) { return s->lab->cfg.nr_cpus; }

/* set = a and b */
static void mask_and(u64 *set, const u64 *a, const u64 *b, int nr)
{
	int i;

	for (i = 0; i < BITS_WORDS(nr); i++)
		set[i] = a[i] & b[i];
}

static void mask_without(u64 *set, const u64 *less, int nr)
{
	int i;

	for (i = 0; i < BITS_WORDS(nr); i++)
		set[i] &= ~less[i];
}

/* The members of a set once around, from @start on: @cpu is the first at or after @at, or the first of all; -1 behind the last. */
struct round {
	int start, at;
	bool wrapped;
};

static struct round round_from(int start, int nr) { return (struct round){ .start = start % nr, .at = start % nr }; }

static int round_next(struct round *r, const u64 *set, int nr)
{
	int cpu;

	if (!r->wrapped) {
		cpu = bit_next(set, nr, r->at);
		if (cpu < nr) {
			r->at = cpu + 1;
			return cpu;
		}
		r->wrapped = true;
		r->at = 0;
	}
	cpu = bit_next(set, r->start, r->at);
	r->at = cpu + 1;
	return cpu < r->start ? cpu : -1;
}

/* ---- cores ---- */

static struct sched_domain *llc_of(const struct selection *s, int cpu) { return cpu_rq(s->lab, cpu)->smp.sd_llc; }

static bool llc_has_idle_core(const struct selection *s, int cpu)
{
	const struct sched_domain *sd = llc_of(s, cpu);

	return s->lab->smp.has_smt && sd && sd->shared->has_idle_cores;
}

static bool core_is_idle(const struct lab *lab, const u64 *smt, int but)
{
	int cpu;

	for_each_bit(cpu, smt, lab->cfg.nr_cpus)
		if (cpu != but && !cpu_is_idle(&lab->rqs[cpu]))
			return false;
	return true;
}

/* The hint is raised where the last thread of a core goes idle, and lowered only by a search in vain. */
void update_idle_core(struct rq *rq)
{
	const struct sched_domain *sd = rq->smp.sd_llc;

	if (!rq->lab->smp.has_smt || !sd || sd->shared->has_idle_cores)
		return;
	if (core_is_idle(rq->lab, rq->smp.smt, rq->cpu))
		sd->shared->has_idle_cores = true;
}

static void forget_idle_cores(const struct selection *s, int target) { llc_of(s, target)->shared->has_idle_cores = false; }

/* Another thread of the core of @cpu that is idle, or -1. */
static int select_idle_smt(const struct selection *s, int cpu)
{
	const struct sched_domain *sd = llc_of(s, cpu);
	int i;

	for_each_bit(i, cpu_rq(s->lab, cpu)->smp.smt, nr_cpus(s))
		if (i != cpu && bit_test(sd->span, i) && is_candidate(s, i))
			return i;
	return -1;
}

/* ---- how many CPUs to look at ---- */

#define NO_LIMIT UINT64_MAX
#define PART_FOR_LOOKING 512 /* of the mean idle time: the kernel's guess at how much of that is not busy after all */
#define LEAST_LOOKS 4

/*
 * Rule sis_prop (4.13-5.19, 1ad3aaf3fcd2): as many as the mean idle time of the waker's CPU pays for, by what a look has cost; but
 * LEAST_LOOKS.  One less is looked at.
 */
static u64 proportional_limit(const struct selection *s)
{
	const struct sched_domain *this_sd = llc_of(s, s->cpu);
	u64 avg_idle = cpu_rq(s->lab, s->cpu)->smp.avg_idle / PART_FOR_LOOKING, cost = this_sd->avg_scan_cost + 1;
	u64 worth = (u64)this_sd->span_weight * avg_idle;

	return worth > LEAST_LOOKS * cost ? worth / cost : LEAST_LOOKS;
}

/* One more than may be looked at; 1: none, as where the waker's CPU has no cache to learn of. */
static u64 scan_limit(const struct selection *s, int target)
{
	if (lab_rule(s->lab, SIS_UTIL)) /* 6.0, 70fb5ccf2ebb */
		return (u64)llc_of(s, target)->shared->nr_idle_scan + 1;
	if (!lab_rule(s->lab, SIS_PROP))
		return NO_LIMIT;
	return llc_of(s, s->cpu) ? proportional_limit(s) : 1;
}

/* The machine says what looking at @visited CPUs took; a search that ran into its limit teaches nothing. */
static void pay_for_scan(const struct selection *s, u32 visited, bool teaches)
{
	struct sched_domain *this_sd = llc_of(s, s->cpu);
	u64 took = s->lab->pf.spend(s->lab->pf.ctx, s->cpu, COST_SCAN, visited);

	if (teaches && lab_rule(s->lab, SIS_PROP) && this_sd)
		this_sd->avg_scan_cost += (u64)((s64)(took - this_sd->avg_scan_cost) / 8);
}

void update_idle_scan(struct lab *lab, struct sched_domain *sd, u64 util)
{
	u64 weight = (u64)sd->span_weight, pct = sd->imbalance_pct, mean = util / weight;
	u64 full = mean * mean * pct * pct / (10000 * SCHED_CAPACITY), room;

	if (!lab_rule(lab, SIS_UTIL) || !sd->shared)
		return;
	room = SCHED_CAPACITY - min_u64(full, SCHED_CAPACITY);
	sd->shared->nr_idle_scan = (int)(weight * room / SCHED_CAPACITY);
}

/* ---- rule idle_search=groups: to 4.8 a group of the levels inside the cache that is idle as a whole ---- */

static bool group_is_idle(const struct selection *s, const struct sched_group *sg)
{
	int cpu;

	for_each_bit(cpu, sg->span, nr_cpus(s))
		if (!cpu_is_idle(cpu_rq(s->lab, cpu)))
			return false;
	return true;
}

static int first_allowed(const struct selection *s, const u64 *span)
{
	int cpu;

	for_each_bit(cpu, span, nr_cpus(s))
		if (allowed(s, cpu))
			return cpu;
	return -1;
}

static int search_groups(const struct selection *s, int target)
{
	const struct sched_domain *sd;
	int i, cpu;

	for (sd = llc_of(s, target); sd; sd = sd->child) {
		for (i = 0; i < sd->nr_groups; i++) {
			cpu = first_allowed(s, sd->groups[i]->span);
			if (cpu >= 0 && group_is_idle(s, sd->groups[i]))
				return cpu;
		}
	}
	return -1;
}

/* ---- rule idle_search=twice: 4.9-5.11 (10e2f1acd010) first for a core, then for a CPU, each from the target on ---- */

static int search_cores(const struct selection *s, int target)
{
	cpu_mask cores;
	struct round round = round_from(target, nr_cpus(s));
	int core;

	if (!llc_has_idle_core(s, target))
		return -1;
	mask_and(cores, llc_of(s, target)->span, s->p->cpus_allowed, nr_cpus(s));
	while ((core = round_next(&round, cores, nr_cpus(s))) >= 0) {
		const u64 *smt = cpu_rq(s->lab, core)->smp.smt;

		if (core_is_idle(s->lab, smt, -1))
			return core;
		mask_without(cores, smt, nr_cpus(s));
	}
	forget_idle_cores(s, target);
	return -1;
}

/* Rule sis_counts: to 5.9 CPUs that the task may not use are counted as looked at. */
static void cpus_to_scan(const struct selection *s, u64 *cpus, int target)
{
	const u64 *span = llc_of(s, target)->span;

	if (lab_rule(s->lab, SIS_COUNTS) == SIS_COUNTS_ALL)
		memcpy(cpus, span, BITS_WORDS((size_t)nr_cpus(s)) * sizeof(*cpus));
	else
		mask_and(cpus, span, s->p->cpus_allowed, nr_cpus(s));
}

static int search_cpus(const struct selection *s, int target)
{
	cpu_mask cpus;
	struct round round = round_from(target, nr_cpus(s));
	u64 left;
	u32 visited = 0;
	int cpu;

	left = scan_limit(s, target);
	cpus_to_scan(s, cpus, target);
	while ((cpu = round_next(&round, cpus, nr_cpus(s))) >= 0 && --left) {
		visited++;
		if (is_candidate(s, cpu))
			break;
	}
	pay_for_scan(s, visited, left);
	return left ? cpu : -1;
}

static int search_twice(const struct selection *s, int target)
{
	int cpu = search_cores(s, target);

	if (cpu < 0)
		cpu = search_cpus(s, target);
	if (cpu < 0)
		cpu = select_idle_smt(s, target);
	return cpu;
}

/* ---- rule idle_search=once: from 5.12 (9fe1f127b913) in one pass, from behind the target on ---- */

struct scan {
	cpu_mask cpus; /* left to look at */
	bool cores;    /* for a whole core, without a limit; any idle CPU on the way will do in the end */
	int idle_cpu;  /* that one, or -1 */
	u64 left;
	u32 visited;
};

/* Is the whole core of @cpu idle?  It is not looked at again. */
static bool scan_core(const struct selection *s, struct scan *scan, int cpu)
{
	const u64 *smt = cpu_rq(s->lab, cpu)->smp.smt;
	bool idle = true;
	int i;

	for_each_bit(i, smt, nr_cpus(s)) {
		scan->visited++;
		idle &= cpu_is_idle(cpu_rq(s->lab, i));
		if (scan->idle_cpu < 0 && bit_test(scan->cpus, i) && counts_as_idle(s, i))
			scan->idle_cpu = i;
		if (!idle && scan->idle_cpu >= 0)
			break;
	}
	mask_without(scan->cpus, smt, nr_cpus(s));
	return idle;
}

enum found { FOUND_NOTHING, FOUND_END, FOUND_IT };

static enum found scan_one(const struct selection *s, struct scan *scan, int cpu)
{
	if (scan->cores) {
		if (!scan_core(s, scan, cpu))
			return FOUND_NOTHING;
		scan->idle_cpu = cpu;
		return FOUND_IT;
	}
	if (!--scan->left)
		return FOUND_END;
	scan->visited++;
	if (!counts_as_idle(s, cpu))
		return FOUND_NOTHING;
	scan->idle_cpu = cpu;
	return FOUND_IT;
}

/* The CPUs of @span that are still to be looked at, from behind @target on. */
static enum found scan_span(const struct selection *s, struct scan *scan, const u64 *span, int target)
{
	struct round round = round_from(target + 1, nr_cpus(s));
	enum found found;
	int cpu;

	while ((cpu = round_next(&round, span, nr_cpus(s))) >= 0) {
		if (!bit_test(scan->cpus, cpu))
			continue;
		found = scan_one(s, scan, cpu);
		if (found != FOUND_NOTHING)
			return found;
	}
	return FOUND_NOTHING;
}

static const struct sched_domain *cluster_of(const struct selection *s, int cpu)
{
	const struct sched_domain *sd;

	if (!s->lab->smp.has_clusters || !lab_rule(s->lab, CLUSTER_FIRST))
		return NULL;
	for (sd = cpu_rq(s->lab, cpu)->smp.sd; sd; sd = sd->parent)
		if (sd->kind == SD_KIND_CLUSTER)
			return sd;
	return NULL;
}

/* The target's cluster comes first. */
static enum found scan_llc(const struct selection *s, struct scan *scan, int target)
{
	const struct sched_domain *cluster = cluster_of(s, target);
	enum found found = FOUND_NOTHING;

	if (cluster) {
		found = scan_span(s, scan, cluster->span, target);
		mask_without(scan->cpus, cluster->span, nr_cpus(s));
	}
	return found == FOUND_NOTHING ? scan_span(s, scan, llc_of(s, target)->span, target) : found;
}

static int search_once(const struct selection *s, int target)
{
	struct scan scan = { .cores = llc_has_idle_core(s, target), .idle_cpu = -1 };
	enum found found;
	int cpu;

	if (s->lab->smp.has_smt && !scan.cores && cpus_share_cache(s->lab, s->prev, target)) {
		cpu = select_idle_smt(s, s->prev);
		if (cpu >= 0)
			return cpu;
	}
	scan.left = scan_limit(s, target);
	if (lab_rule(s->lab, SIS_UTIL) && scan.left == 1)
		return -1;
	mask_and(scan.cpus, llc_of(s, target)->span, s->p->cpus_allowed, nr_cpus(s));
	found = scan_llc(s, &scan, target);
	pay_for_scan(s, scan.visited, found != FOUND_END && !scan.cores);
	if (scan.cores && found == FOUND_NOTHING)
		forget_idle_cores(s, target);
	return scan.idle_cpu;
}

/* ---- the steps before the search ---- */

/* Rule prev_idle: from 3.9 (e0a79f529d5b) its last CPU is tried beside the target. */
static bool prev_will_do(const struct selection *s, int target)
{
	return lab_rule(s->lab, PREV_IDLE) && s->prev != target && cpus_share_cache(s->lab, s->prev, target) && is_candidate(s, s->prev);
}

/*
 * Rule kthread_stacking: from 5.6 (52262ee567ad) who is woken by a kthread bound to its last CPU, on which nobody else is, waits there for
 * it to sleep; any (to 5.16): also where an interrupt hit that kthread; task (5.17): only by the kthread itself.
 */
static bool stacks_on_kthread(const struct selection *s)
{
	const struct task_struct *waker = s->current;

	if (lab_rule(s->lab, KTHREAD_STACKING) == KTHREAD_STACKING_OFF)
		return false;
	if (lab_rule(s->lab, KTHREAD_STACKING) == KTHREAD_STACKING_TASK && !s->in_task)
		return false;
	return waker->kthread && waker->nr_cpus_allowed == 1 && s->prev == s->cpu && cpu_rq(s->lab, s->cpu)->nr_running <= 1;
}

/* The CPU that @p was on before its last one, or -1 where it will not do.  Rule recent_used says who remembers what. */
static int recent_cpu(const struct selection *s, int target)
{
	int recent = s->p->recent_used_cpu;
	bool fits;

	if (lab_rule(s->lab, RECENT_USED) == RECENT_USED_OFF)
		return -1;
	fits = recent != s->prev && recent != target && cpus_share_cache(s->lab, recent, target) && is_candidate(s, recent);
	if (fits || lab_rule(s->lab, RECENT_USED) == RECENT_USED_WAKEE)
		s->p->recent_used_cpu = s->prev;
	return fits ? recent : -1;
}

/* Rule cluster_first: from 6.8 a CPU outside the target's cluster is only remembered, if the machine has clusters. */
static bool close_enough(const struct selection *s, int cpu, int target)
{
	if (!s->lab->smp.has_clusters || !lab_rule(s->lab, CLUSTER_FIRST))
		return true;
	return s->lab->rqs[cpu].smp.cluster_id == s->lab->rqs[target].smp.cluster_id;
}

static int search(const struct selection *s, int target)
{
	switch ((enum idle_search)lab_rule(s->lab, IDLE_SEARCH)) {
	case IDLE_SEARCH_GROUPS:
		return search_groups(s, target);
	case IDLE_SEARCH_TWICE:
		return search_twice(s, target);
	default:
		return search_once(s, target);
	}
}

int select_idle_sibling(const struct selection *s, int target)
{
	int prev = -1, recent, cpu;

	if (is_candidate(s, target))
		return target;
	if (prev_will_do(s, target)) {
		if (close_enough(s, s->prev, target))
			return s->prev;
		prev = s->prev;
	}
	if (stacks_on_kthread(s))
		return s->prev;
	recent = recent_cpu(s, target);
	if (recent >= 0 && close_enough(s, recent, target))
		return recent;
	if (!llc_of(s, target))
		return target;
	cpu = search(s, target);
	if (cpu >= 0)
		return cpu;
	return prev >= 0 ? prev : recent >= 0 ? recent : target;
}
