/* SPDX-License-Identifier: MIT */
/*
 * select_wake.c - where a task that wakes shall run: first a CPU to start from.
 *
 *	waker's CPU ----.                       .--- target (a CPU) ---> select_idle.c: an idle one beside it
 *	                +--- wake_affine() -----+
 *	its last, prev -'    one of the two     '--- no level with both, or too many partners: prev
 *
 * All that is known of the two tasks is how often each wakes somebody new (flips): a master with many workers shall not draw all of them
 * to itself.  Of the CPUs: who is idle, and their loads.
 * Rules: docs/rules/smp.md 2.2 and 2.3; smp-checked.md A1 to A3.
 */
#include "core/gather.h"

/* ---- who wakes whom ---- */

#define FLIPS_HALVE_AFTER SEC

/* The waker is whoever is current, also where it was only interrupted. */
static void record_wakee(const struct selection *s)
{
	struct task_struct *waker = s->current;
	u64 now = lab_ktime(s->lab);

	if (before(waker->wakee_flips_halved + FLIPS_HALVE_AFTER, now)) {
		waker->wakee_flips >>= 1;
		waker->wakee_flips_halved = now;
	}
	if (waker->last_wakee != s->p->id) {
		waker->last_wakee = s->p->id;
		waker->wakee_flips++;
	}
}

/*
 * Rule wake_wide: off to 3.11; one-sided 3.12-4.2 (62470419e993), for a waker with more partners than its wakee only; paired from 4.3
 * (63b0e9edceec).  More flips than CPUs that share the cache, on both sides.
 */
static bool wake_wide(const struct selection *s)
{
	u64 factor = (u64)cpu_rq(s->lab, s->cpu)->smp.llc_size, waker = s->current->wakee_flips, wakee = s->p->wakee_flips;

	switch ((enum wake_wide)lab_rule(s->lab, WAKE_WIDE)) {
	case WAKE_WIDE_OFF:
		return false;
	case WAKE_WIDE_WAKER:
		return wakee > factor && waker > factor * wakee;
	default:
		return min_u64(waker, wakee) >= factor && max_u64(waker, wakee) >= min_u64(waker, wakee) * factor;
	}
}

/* ---- the waker's CPU or prev: -1 where a test leaves it open ---- */

/* Nobody but the waker is there, and it is about to sleep.  Rule sync_delayed: from 6.12 delayed sleepers do not count. */
static bool waker_leaves_it_idle(const struct selection *s)
{
	const struct rq *rq = cpu_rq(s->lab, s->cpu);
	u32 nr = rq->nr_running;

	if (!s->sync)
		return false;
	if (lab_rule(s->lab, SYNC_DELAYED))
		nr -= rq->nr_delayed;
	return nr == 1;
}

/*
 * Rule wake_affine: from 4.14 whether one of the two is idle.  idle (4.14, 4.15): the waker's, as where an interrupt wakes on an idle CPU;
 * shared (4.16-5.10): only if both share a cache, and then prev if that is idle, too; prev (from 5.11, d8fcb81f1acf): at last prev if it is
 * idle.
 */
static int wake_affine_idle(const struct selection *s)
{
	enum wake_affine rule = (enum wake_affine)lab_rule(s->lab, WAKE_AFFINE);
	bool prev_idle = cpu_is_idle(cpu_rq(s->lab, s->prev));

	if (cpu_is_idle(cpu_rq(s->lab, s->cpu))) {
		if (rule == WAKE_AFFINE_IDLE)
			return s->cpu;
		if (cpus_share_cache(s->lab, s->cpu, s->prev))
			return prev_idle ? s->prev : s->cpu;
	}
	if (waker_leaves_it_idle(s))
		return s->cpu;
	if (rule == WAKE_AFFINE_PREV && prev_idle)
		return s->prev;
	return -1;
}

/* How much heavier the waker's CPU may be, in per cent. */
static s64 bias(const struct sched_domain *sd) { return 100 + (s64)(sd->imbalance_pct - 100) / 2; }

/* Where would the load be less?  Without a waker that is about to sleep. */
static int wake_affine_weight(const struct selection *s, const struct sched_domain *sd)
{
	struct rq *this_rq = cpu_rq(s->lab, s->cpu), *prev_rq = cpu_rq(s->lab, s->prev);
	s64 here = (s64)cpu_load(this_rq), there, own;

	if (s->sync) {
		s64 leaves = (s64)task_h_load(s->lab, s->current);

		if (leaves > here)
			return s->cpu;
		here -= leaves;
	}
	own = (s64)task_h_load(s->lab, s->p);
	here = (here + own) * 100 * (s64)capacity_of(prev_rq);
	there = ((s64)cpu_load(prev_rq) - own) * bias(sd) * (s64)capacity_of(this_rq);
	return here < there + s->sync ? s->cpu : -1;
}

/* ---- to 4.13: the loads that the two would have ---- */

/* What the root of @cpu gains where @weight more is queued for @tg there, and @group_weight more for it on all CPUs. */
static s64 effective_load(struct lab *lab, const struct task_group *tg, int cpu, s64 weight, s64 group_weight)
{
	for (; tg->parent; tg = tg->parent) {
		const struct group_pair *pair = group_pair(tg, cpu);
		s64 shares = (s64)scale_load_down(lab, tg->shares), total, mine = weight, others = (s64)tg->load_avg;

		if (pair) {
			mine += (s64)scale_load_down(lab, pair->cfs_rq.load.weight);
			others += (s64)scale_load_down(lab, pair->cfs_rq.load.weight) - (s64)pair->cfs_rq.tg_load_avg_contrib;
		}
		total = others + group_weight;
		weight = total > 0 && mine < total ? mine * shares / total : shares;
		weight = weight < 2 ? 2 : weight; /* as little as a group's entity can weigh */
		weight -= pair && pair->se.on_rq ? (s64)scale_load_down(lab, pair->se.load.weight) : 0;
		group_weight = 0;
	}
	return weight;
}

static s64 weight_of_task(const struct selection *s, const struct task_struct *p)
{
	return (s64)scale_load_down(s->lab, p->se.load.weight);
}

/* The mean load of a task on the waker's CPU. */
static s64 load_per_task(struct rq *rq) { return rq->nr_running ? (s64)cpu_load(rq) / rq->nr_running : 0; }

/* Rule wake_affine=balanced: to 4.13 a wakeup is drawn to the waker's CPU unless that would be clearly heavier than prev. */
static bool wake_affine_balanced(const struct selection *s, const struct sched_domain *sd)
{
	struct lab *lab = s->lab;
	struct rq *this_rq = cpu_rq(lab, s->cpu), *prev_rq = cpu_rq(lab, s->prev);
	s64 here = (s64)cpu_load(this_rq), there = (s64)cpu_load(prev_rq), weight = weight_of_task(s, s->p);
	bool balanced = true;

	if (s->sync && !task_is_idle_thread(s->current)) {
		s64 leaves = weight_of_task(s, s->current);

		here += effective_load(lab, s->current->tg, s->cpu, -leaves, -leaves);
		there += effective_load(lab, s->current->tg, s->prev, 0, -leaves);
	}
	if (here > 0)
		balanced = (here + effective_load(lab, s->p->tg, s->cpu, weight, weight)) * 100 * (s64)capacity_of(prev_rq) <=
			   (there + effective_load(lab, s->p->tg, s->prev, 0, weight)) * bias(sd) * (s64)capacity_of(this_rq);
	return balanced || (here <= there && here + (s64)cpu_load(prev_rq) <= load_per_task(this_rq));
}

static int wake_affine(const struct selection *s, const struct sched_domain *sd)
{
	int target;

	if (lab_rule(s->lab, WAKE_AFFINE) == WAKE_AFFINE_BALANCED)
		return wake_affine_balanced(s, sd) ? s->cpu : s->prev;
	target = wake_affine_idle(s);
	if (target < 0)
		target = wake_affine_weight(s, sd);
	return target < 0 ? s->prev : target;
}

/* The lowest level of the waker's CPU that has prev in it and draws wakeups; NULL: none. */
static const struct sched_domain *affine_level(const struct selection *s)
{
	const struct sched_domain *sd;

	for (sd = cpu_rq(s->lab, s->cpu)->smp.sd; sd; sd = sd->parent)
		if (sd->flags & SD_WAKE_AFFINE && bit_test(sd->span, s->prev))
			return sd;
	return NULL;
}

/*
 * Rule wake_search: to 4.2 an idle CPU is looked for only where the waker's CPU could have been chosen; from 4.3 (63b0e9edceec) always.
 */
static bool searches(const struct selection *s, const struct sched_domain *sd) { return sd || lab_rule(s->lab, WAKE_SEARCH); }

/* Rule recent_used: 4.16-5.14 each waker remembers the CPU where it woke somebody, as its own last one. */
static void remember_waker(const struct selection *s, bool want_affine)
{
	if (want_affine && lab_rule(s->lab, RECENT_USED) == RECENT_USED_WAKER)
		s->current->recent_used_cpu = s->cpu;
}

/* Rule current_cpu: from 6.6 a waker may ask that its wakee runs where it is itself. */
static bool wants_current_cpu(const struct selection *s, bool current_cpu)
{
	return current_cpu && lab_rule(s->lab, CURRENT_CPU) && bit_test(s->p->cpus_allowed, s->cpu);
}

int select_task_rq_wake(const struct selection *s, bool current_cpu)
{
	const struct sched_domain *sd = NULL;
	int target = s->prev;
	bool want_affine;

	record_wakee(s);
	if (wants_current_cpu(s, current_cpu))
		return s->cpu;
	want_affine = !wake_wide(s) && bit_test(s->p->cpus_allowed, s->cpu);
	if (want_affine)
		sd = affine_level(s);
	if (sd && s->cpu != s->prev)
		target = wake_affine(s, sd);
	if (gathers(s->lab))
		target = gather_wake(s, target, searches(s, sd));
	else if (!searches(s, sd))
		return s->prev;
	else
		target = select_idle_sibling(s, target);
	remember_waker(s, want_affine);
	return target;
}
