/* SPDX-License-Identifier: MIT */
/*
 * gather.c - rule gather: shall the tasks of a limited group be kept on few CPUs?  No mainline kernel does; OpenVZ's does.
 *
 *	quota / period, rounded up ---> k CPUs, and the set of CPUs where the group is active: with a task there, or one until 5 ms ago
 *
 *	wakes, forks		the kernel's own choice; where that is outside the set, and the set has k already: one of the set
 *	would be pulled		to a CPU outside a full set: refused, as if affinity forbade it, and no failure of the balancer's
 *	is picked		while the set has more than k: the stopper takes all of the group that is here to the others
 *
 * active_set looks for an idle CPU of the set, then for the one with the fewest tasks of the group.  openvz (facts: smp.md section 12) takes
 * the nearest active one as it is; its group is the topmost limited one, active_set's the one with the smallest k.  funded only prefers an idle
 * CPU that holds quota of the group, and keeps a newly idle CPU without any from pulling while the pool is empty.
 *
 * home (gather_home.c) and adaptive (gather_width.c) have a file each; adaptive's set is active_set's, with another number of CPUs.
 *
 * The set is nowhere kept: who is queued says it, and when the group's entity last ran.  So gather=off costs nothing where tasks run.
 * Law: what a group is pushed off for is that it is on too many CPUs; a push never opens one, and no two CPUs push to each other.
 * Rules: docs/rules/smp.md 12 and 13 (policies A to D).
 */
#include "core/gather_impl.h"

#define STAYS_ACTIVE (5 * MS) /* behind the last task that went to sleep */

/* ---- whose limit, and how many CPUs it is worth ---- */

int gather_cpus_of_limit(const struct task_group *tg)
{
	const struct cfs_bandwidth *cfs_b = &tg->cfs_bandwidth;

	if (cfs_b->quota == RUNTIME_INF)
		return 0;
	return (int)min_u64(LAB_MAX_CPUS, max_u64(1, (cfs_b->quota + cfs_b->period - 1) / cfs_b->period));
}

static enum gather policy_of(const struct lab *lab) { return (enum gather)lab_rule(lab, GATHER); }

/* adaptive: not before it has been throttled. */
static int cpus_allowed_to(const struct lab *lab, const struct task_group *tg)
{
	return policy_of(lab) == GATHER_ADAPTIVE ? gather_width(tg) : gather_cpus_of_limit(tg);
}

/* A limit that is worth all CPUs it may use gathers nothing. */
static struct gathered gathered_by(const struct lab *lab, const struct task_struct *p)
{
	struct gathered g = { NULL, 0, -1 };
	struct task_group *tg = p->tg;

	if (!tg->under_limit)
		return g;
	for (; tg->parent; tg = tg->parent) {
		int limit = cpus_allowed_to(lab, tg);

		if (limit && (!g.tg || policy_of(lab) == GATHER_OPENVZ || limit <= g.limit))
			g = (struct gathered){ tg, limit, -1 };
	}
	if (g.limit >= p->nr_cpus_allowed || g.limit >= lab->nr_online)
		g.tg = NULL;
	return g;
}

/* ---- where a group is active ---- */

static u32 nr_parked(const struct cfs_rq *cfs_rq)
{
	const struct list_head *pos;
	u32 nr = 0;

	list_for_each(pos, &cfs_rq->limbo)
		nr++;
	return nr;
}

/* Tasks of @tg and below on @cpu that want to run, whether a limit lets them or not.  What is off as a whole is not counted above it. */
u32 gather_nr_of_group(const struct lab *lab, const struct task_group *tg, int cpu)
{
	const struct task_group *pos;
	u32 nr = 0;

	for_each_group_below(pos, tg) {
		const struct group_pair *pair = group_pair(pos, cpu);

		if (!pair)
			continue;
		if (pos == tg || (pair->cfs_rq.throttled && lab->throttle->takes_group_off))
			nr += pair->cfs_rq.h_nr_running;
		nr += nr_parked(&pair->cfs_rq);
	}
	return nr;
}

/* It has run there less than 5 ms ago, and nobody took the last task away since. */
static bool was_active(struct lab *lab, const struct group_pair *pair, int cpu)
{
	u64 ran = pair->se.exec_start;

	return ran && before(pair->cfs_rq.left_at, ran) && before(lab->pf.cpu_clock(lab->pf.ctx, cpu), ran + STAYS_ACTIVE);
}

/* The stopper is on its way to take it off. */
static bool is_leaving(struct lab *lab, const struct group_pair *pair, int cpu)
{
	return pair->cfs_rq.leaving && !list_empty(&cpu_rq(lab, cpu)->smp.stop_works);
}

bool gather_is_active(struct lab *lab, const struct task_group *tg, int cpu)
{
	const struct group_pair *pair = group_pair(tg, cpu);

	if (!pair || pair->cfs_rq.dropped || is_leaving(lab, pair, cpu))
		return false;
	return gather_nr_of_group(lab, tg, cpu) || was_active(lab, pair, cpu);
}

int gather_nr_active(struct lab *lab, const struct task_group *tg)
{
	int cpu, nr = 0;

	for_each_bit(cpu, lab->smp.online, lab->cfg.nr_cpus)
		nr += gather_is_active(lab, tg, cpu);
	return nr;
}

/* May a task of the group come to @cpu?  openvz: to none while the set is too large, be it a member or not. */
static bool may_come(struct lab *lab, const struct gathered *g, int cpu)
{
	int nr = gather_nr_active(lab, g->tg);

	if (nr < g->limit)
		return true;
	return gather_is_active(lab, g->tg, cpu) && (nr == g->limit || policy_of(lab) != GATHER_OPENVZ);
}

void gather_left(struct cfs_rq *from)
{
	for (;;) {
		struct group_pair *pair;

		if (!from->h_nr_running) {
			from->left_at = from->rq->clock;
			from->leaving = false;
		}
		if (!from->tg->parent)
			return;
		pair = container_of(from, struct group_pair, cfs_rq);
		from = pair->se.cfs_rq;
	}
}

/* ---- a CPU of the set ---- */

static bool in_set(struct lab *lab, const struct gathered *g, const struct task_struct *p, int cpu)
{
	return cpu != g->except && cpu_usable(lab, p, cpu) && gather_is_active(lab, g->tg, cpu);
}

/* openvz: @target, else @prev, else the nearest one of the set by levels; -1: it may use none of them. */
static int nearest_of_set(struct lab *lab, const struct gathered *g, const struct task_struct *p, int target, int prev)
{
	const struct sched_domain *sd;
	int cpu;

	if (in_set(lab, g, p, target))
		return target;
	if (in_set(lab, g, p, prev))
		return prev;
	for (sd = cpu_rq(lab, target)->smp.sd; sd; sd = sd->parent)
		for_each_bit(cpu, sd->span, lab->cfg.nr_cpus)
			if (in_set(lab, g, p, cpu))
				return cpu;
	return -1;
}

/* Does @a have fewer of the group's tasks than @b?  Then @prev, then fewer tasks at all. */
static bool is_better(struct lab *lab, const struct gathered *g, int a, int b, int prev)
{
	u32 here = gather_nr_of_group(lab, g->tg, a), there = gather_nr_of_group(lab, g->tg, b);

	if (here != there)
		return here < there;
	if (a == prev || b == prev)
		return a == prev;
	return cpu_rq(lab, a)->nr_running < cpu_rq(lab, b)->nr_running;
}

/* active_set: the least loaded one, the lowest of equals; -1 as above. */
int gather_least_of_set(struct lab *lab, const struct gathered *g, const struct task_struct *p, int prev)
{
	int cpu, best = -1;

	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus)
		if (in_set(lab, g, p, cpu) && (best < 0 || is_better(lab, g, cpu, best, prev)))
			best = cpu;
	return best;
}

static bool is_idle_of_set(const struct selection *s, const struct gathered *g, int cpu)
{
	return in_set(s->lab, g, s->p, cpu) && counts_as_idle(s, cpu);
}

/* active_set: @target if it is idle, prev, the next one behind @target; else the least loaded one; -1 as above. */
static int idle_of_set(const struct selection *s, const struct gathered *g, int target)
{
	int nr = s->lab->cfg.nr_cpus, i;

	if (is_idle_of_set(s, g, target))
		return target;
	if (is_idle_of_set(s, g, s->prev))
		return s->prev;
	for (i = 1; i < nr; i++)
		if (is_idle_of_set(s, g, (target + i) % nr))
			return (target + i) % nr;
	return gather_least_of_set(s->lab, g, s->p, s->prev);
}

/* ---- funded ---- */

/* Does @cpu hold quota for every limit above @p? */
static bool is_funded(const struct task_struct *p, int cpu)
{
	const struct task_group *tg;

	for (tg = p->tg; tg->parent; tg = tg->parent) {
		const struct group_pair *pair = group_pair(tg, cpu);

		if (tg->cfs_bandwidth.quota != RUNTIME_INF && !(pair && pair->cfs_rq.runtime_remaining > 0))
			return false;
	}
	return true;
}

/* Some limit above @p has nothing left to give. */
static bool pool_is_empty(const struct task_struct *p)
{
	const struct task_group *tg;

	for (tg = p->tg; tg->parent; tg = tg->parent)
		if (tg->cfs_bandwidth.quota != RUNTIME_INF && !tg->cfs_bandwidth.runtime)
			return true;
	return false;
}

static bool is_limited(const struct task_struct *p)
{
	const struct task_group *tg;

	for (tg = p->tg; p->tg->under_limit && tg->parent; tg = tg->parent)
		if (tg->cfs_bandwidth.quota != RUNTIME_INF)
			return true;
	return false;
}

/* An idle one with quota beside @target: that itself, prev, the next one behind; -1: there is none. */
static int funded_beside(const struct selection *s, int target)
{
	struct lab *lab = s->lab;
	int i, nr = lab->cfg.nr_cpus;

	if (!is_limited(s->p))
		return -1;
	for (i = -1; i < nr; i++) {
		int cpu = i < 0 ? target : i ? (target + i) % nr : s->prev;

		if (cpus_share_cache(lab, cpu, target) && cpu_usable(lab, s->p, cpu) && counts_as_idle(s, cpu) && is_funded(s->p, cpu))
			return cpu;
	}
	return -1;
}

/* ---- placement ---- */

static int kernels_choice(const struct selection *s, int target, bool searches)
{
	return searches ? select_idle_sibling(s, target) : s->prev;
}

static int or_else(int cpu, int otherwise) { return cpu < 0 ? otherwise : cpu; }

/* adaptive: a CPU that was one too many is used again, for the set has room. */
static int takes_back(const struct lab *lab, const struct gathered *g, int cpu)
{
	struct group_pair *pair = group_pair(g->tg, cpu);

	if (pair && pair->cfs_rq.dropped && !gather_nr_of_group(lab, g->tg, cpu))
		pair->cfs_rq.dropped = false;
	return cpu;
}

/* active_set, adaptive: what the kernel chooses, if that is in the set or the set has room. */
static int wake_in_set(const struct selection *s, const struct gathered *g, int target, bool searches)
{
	int cpu = target;

	if (may_come(s->lab, g, target)) {
		cpu = kernels_choice(s, target, searches);
		if (may_come(s->lab, g, cpu))
			return takes_back(s->lab, g, cpu);
	}
	return or_else(idle_of_set(s, g, target), cpu);
}

int gather_wake(const struct selection *s, int target, bool searches)
{
	struct gathered g = gathered_by(s->lab, s->p);
	int cpu = -1;

	switch (policy_of(s->lab)) {
	case GATHER_ACTIVE_SET:
	case GATHER_ADAPTIVE:
		if (g.tg)
			return wake_in_set(s, &g, target, searches);
		break;
	case GATHER_HOME:
		if (g.tg)
			cpu = gather_home_wake(s, &g, target);
		break;
	case GATHER_OPENVZ:
		if (g.tg && gather_nr_active(s->lab, g.tg) >= g.limit)
			cpu = nearest_of_set(s->lab, &g, s->p, target, s->prev);
		break;
	default:
		cpu = funded_beside(s, target);
		break;
	}
	return cpu < 0 ? kernels_choice(s, target, searches) : cpu;
}

int gather_fork(const struct selection *s, int cpu)
{
	struct gathered g = gathered_by(s->lab, s->p);

	if (!g.tg || policy_of(s->lab) == GATHER_FUNDED)
		return cpu;
	if (policy_of(s->lab) == GATHER_HOME)
		return or_else(gather_home_wake(s, &g, cpu), cpu);
	if (policy_of(s->lab) != GATHER_OPENVZ)
		return may_come(s->lab, &g, cpu) ? takes_back(s->lab, &g, cpu) : or_else(idle_of_set(s, &g, cpu), cpu);
	if (gather_nr_active(s->lab, g.tg) < g.limit)
		return cpu;
	return or_else(nearest_of_set(s->lab, &g, s->p, s->cpu, s->prev), cpu);
}

/* ---- balancing ---- */

bool gather_refuses(struct lab *lab, const struct task_struct *p, int cpu, enum gather_ask ask)
{
	struct gathered g;

	if (policy_of(lab) == GATHER_HOME)
		return false;
	if (policy_of(lab) == GATHER_FUNDED)
		return ask != GATHER_ASKED && is_limited(p) && pool_is_empty(p) && !is_funded(p, cpu);
	g = gathered_by(lab, p);
	return g.tg && !may_come(lab, &g, cpu);
}

bool gather_keeps_home(struct lab *lab, const struct task_struct *p, int cpu, enum gather_ask ask)
{
	struct gathered g;

	if (policy_of(lab) != GATHER_HOME)
		return false;
	g = gathered_by(lab, p);
	return g.tg && gather_home_keeps(lab, &g, p, cpu, ask);
}

/* ---- too many CPUs: the quota was lowered, two wakeups crossed, a bound task came ---- */

bool gather_is_below(const struct task_group *tg, const struct task_group *top)
{
	while (tg && tg != top)
		tg = tg->parent;
	return tg;
}

static bool has_parked(const struct rq *rq, const struct task_group *tg)
{
	const struct task_group *pos;

	for_each_group_below(pos, tg) {
		const struct group_pair *pair = group_pair(pos, rq->cpu);

		if (pair && !list_empty(&pair->cfs_rq.limbo))
			return true;
	}
	return false;
}

/* All that @rq has of @tg may go to @cpu: what is left behind would keep this CPU in the set, and the others would push back. */
static bool all_may_go(const struct rq *rq, const struct task_group *tg, int cpu)
{
	const struct list_head *pos;

	if (has_parked(rq, tg))
		return false;
	list_for_each(pos, &rq->smp.cfs_tasks) {
		const struct task_struct *p = list_entry(pos, struct task_struct, group_node);

		if (gather_is_below(p->tg, tg) && !cpu_usable(rq->lab, p, cpu))
			return false;
	}
	return true;
}

static void push_group(struct rq *rq, const struct task_group *tg, int cpu)
{
	struct list_head *pos;

	list_for_each(pos, &rq->smp.cfs_tasks) {
		struct task_struct *p = list_entry(pos, struct task_struct, group_node);

		if (gather_is_below(p->tg, tg) && !stop_and_push(rq->lab, p, cpu))
			return; /* no memory for a stopper */
	}
}

/* openvz and active_set: the whole queue at once. */
static void push_off(struct rq *rq, struct gathered *g, const struct task_struct *next)
{
	struct lab *lab = rq->lab;
	int cpu;

	if (!gather_is_active(lab, g->tg, rq->cpu) || gather_nr_active(lab, g->tg) <= g->limit)
		return;
	g->except = rq->cpu;
	if (policy_of(lab) == GATHER_OPENVZ)
		cpu = nearest_of_set(lab, g, next, rq->cpu, rq->cpu);
	else
		cpu = gather_least_of_set(lab, g, next, rq->cpu);
	if (cpu < 0 || !all_may_go(rq, g->tg, cpu))
		return;
	group_pair(g->tg, rq->cpu)->cfs_rq.leaving = true;
	push_group(rq, g->tg, cpu);
}

void gather_picked(struct rq *rq, struct task_struct *next)
{
	struct lab *lab = rq->lab;
	struct gathered g;

	if (task_is_idle_thread(next) || next->above_fair || policy_of(lab) == GATHER_FUNDED)
		return;
	if (policy_of(lab) == GATHER_ADAPTIVE) {
		gather_width_picked(next);
		return;
	}
	g = gathered_by(lab, next);
	if (!g.tg)
		return;
	if (policy_of(lab) == GATHER_HOME)
		gather_home_picked(rq, next, &g);
	else
		push_off(rq, &g, next);
}
