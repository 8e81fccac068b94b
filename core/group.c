/* SPDX-License-Identifier: MIT */
/*
 * group.c - task groups: the tree, their queues per CPU, what their limits may be, and what is read of them.
 *
 *	task_group --page[cpu / 32]--> [cpu % 32] --> pair { cfs_rq, entity in the parent's queue }
 *
 * A pair appears when the first task of the group (or of one below) is queued on that CPU, with those of its ancestors; so
 * memory grows with pairs in use.
 *
 * Law (check.c): a pair's entity hangs on the parent's queue of the same CPU.
 */
#include "core/sched.h"

/* ---- the tree ---- */

struct task_group *lab_root(struct lab *lab) { return &lab->root; }

u32 lab_group_id(const struct task_group *tg) { return tg->id; }

/* Preorder, without the stack: down, else right, else up and right. */
struct task_group *next_group(const struct task_group *tg, const struct task_group *top)
{
	if (!list_empty(&tg->children))
		return list_entry(tg->children.next, struct task_group, siblings);
	for (; tg != top; tg = tg->parent)
		if (tg->siblings.next != &tg->parent->children)
			return list_entry(tg->siblings.next, struct task_group, siblings);
	return NULL;
}

struct task_group *last_group(const struct task_group *top)
{
	while (!list_empty(&top->children))
		top = list_entry(top->children.prev, struct task_group, siblings);
	return (struct task_group *)(uintptr_t)top;
}

struct task_group *prev_group(const struct task_group *tg, const struct task_group *top)
{
	if (tg == top)
		return NULL;
	if (tg->siblings.prev != &tg->parent->children)
		return last_group(list_entry(tg->siblings.prev, struct task_group, siblings));
	return tg->parent;
}

/* Rule gather=home. */
static bool make_room_for_home(struct lab *lab, struct task_group *tg)
{
	if (lab_rule(lab, GATHER) != GATHER_HOME)
		return true;
	tg->gather.home = lab->pf.alloc(lab->pf.ctx, BITS_WORDS((size_t)lab->cfg.nr_cpus) * sizeof(*tg->gather.home));
	return tg->gather.home;
}

struct task_group *lab_group_create(struct lab *lab, struct task_group *parent)
{
	size_t pages = !FAIRGROUND_GROUPS ? 0 : (size_t)(lab->cfg.nr_cpus + PAIRS_PER_PAGE - 1) / PAIRS_PER_PAGE;
	struct task_group *tg = pages ? lab->pf.alloc(lab->pf.ctx, sizeof(*tg)) : NULL;

	if (!tg)
		return NULL;
	tg->page = lab->pf.alloc(lab->pf.ctx, pages * sizeof(*tg->page));
	if (!tg->page || !make_room_for_home(lab, tg))
		return NULL;
	tg->lab = lab;
	tg->id = ++lab->nr_groups;
	tg->parent = parent;
	tg->under_limit = parent->under_limit;
	tg->shares = scale_load(lab, NICE_0_WEIGHT);
	list_init(&tg->children);
	list_add_tail(&tg->siblings, &parent->children);
	init_cfs_bandwidth(lab, tg);
	*lab->groups_tail = tg;
	lab->groups_tail = &tg->next;
	return tg;
}

/* ---- queues per CPU ---- */

struct group_pair *group_pair(const struct task_group *tg, int cpu)
{
	struct group_pair **page = FAIRGROUND_GROUPS && tg->page ? tg->page[cpu / PAIRS_PER_PAGE] : NULL;

	return page ? page[cpu % PAIRS_PER_PAGE] : NULL;
}

struct cfs_rq *group_cfs_rq(struct lab *lab, const struct task_group *tg, int cpu)
{
	struct group_pair *pair;

	if (!tg->parent)
		return &cpu_rq(lab, cpu)->cfs;
	pair = group_pair(tg, cpu);
	return pair ? &pair->cfs_rq : NULL;
}

void init_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq, struct rq *rq, struct task_group *tg)
{
	cfs_rq->rq = rq;
	cfs_rq->tg = tg;
	cfs_rq->min_vruntime = -(u64)(1 << 20);
	rb_init(&cfs_rq->timeline, lab->pick->update);
	cfs_rq->runtime_expires = LONG_AGO(lab);
	cfs_rq->avg.last_update_time = LONG_AGO(lab) & ~(((u64)1 << 20) - 1); /* whole periods, as from 0 */
	list_init(&cfs_rq->throttled_list);
	list_init(&cfs_rq->csd_list);
	list_init(&cfs_rq->limbo);
	list_init(&cfs_rq->blocked_list);
	cfs_rq->runtime_enabled = tg->cfs_bandwidth.quota != RUNTIME_INF && rq->online;
	cfs_rq->splits_load = !tg->parent && lab_rule(lab, CPU_LOAD) == CPU_LOAD_RUNNABLE;
}

/*
 * Rule bw_child_count (4.7): a group that is created below a throttled queue counts it.  Before, it did not, and was one
 * short when that was released.  Groups that are older than the throttle were always counted; their queues only appear
 * late here.
 */
static bool counts_throttle(const struct lab *lab, const struct task_group *tg, const struct cfs_rq *above)
{
	return above->throttled && (lab_rule(lab, BW_CHILD_COUNT) || tg->id <= above->throttled_groups);
}

static void inherit_throttle(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	for (; se; se = se->parent)
		cfs_rq->throttle_count += counts_throttle(lab, cfs_rq->tg, se->my_q);
	if (!cfs_rq->throttle_count)
		return;
	cfs_rq->hierarchy_since = cfs_rq->rq->clock;
	stop_pelt_clock(cfs_rq);
}

static struct group_pair **pair_slot(struct lab *lab, struct task_group *tg, int cpu)
{
	struct group_pair ***page = &tg->page[cpu / PAIRS_PER_PAGE];
	int first = cpu - cpu % PAIRS_PER_PAGE, nr = lab->cfg.nr_cpus - first;

	if (!*page)
		*page = lab->pf.alloc(lab->pf.ctx, (size_t)(nr < PAIRS_PER_PAGE ? nr : PAIRS_PER_PAGE) * sizeof(**page));
	return *page ? &(*page)[cpu % PAIRS_PER_PAGE] : NULL;
}

/* What a write has left in local pools that did not exist then. */
static void leave_of_write(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (cfs_rq->runtime_enabled && lab_rule(lab, BW_WRITE_LEAVES))
		forget_local_runtime(lab, cfs_rq, 1);
}

struct group_pair *group_pair_make(struct lab *lab, struct task_group *tg, int cpu)
{
	struct group_pair *pair = group_pair(tg, cpu), *above = NULL, **slot;

	if (pair)
		return pair;
	if (tg->parent->parent) {
		above = group_pair_make(lab, tg->parent, cpu);
		if (!above)
			return NULL;
	}
	slot = pair_slot(lab, tg, cpu);
	pair = slot ? lab->pf.alloc(lab->pf.ctx, sizeof(*pair)) : NULL;
	if (!pair)
		return NULL;
	init_cfs_rq(lab, &pair->cfs_rq, cpu_rq(lab, cpu), tg);
	pair->se.my_q = &pair->cfs_rq;
	pair->se.parent = above ? &above->se : NULL;
	pair->se.depth = above ? above->se.depth + 1 : 0;
	pair->se.cfs_rq = above ? &above->cfs_rq : &cpu_rq(lab, cpu)->cfs;
	pair->se.load.weight = tg->shares;
	update_rq_clock(cpu_rq(lab, cpu));
	inherit_throttle(lab, &pair->cfs_rq, pair->se.parent);
	leave_of_write(lab, &pair->cfs_rq);
	*slot = pair;
	tg->nr_pairs++;
	attach_load(lab, &pair->se);
	return pair;
}

/* set_task_rq(): @p's entity belongs to its group's queue on @cpu.  False: no memory. */
bool attach_entity(struct lab *lab, struct task_struct *p, int cpu)
{
	struct group_pair *pair = NULL;

	if (p->tg->parent) {
		pair = group_pair_make(lab, p->tg, cpu);
		if (!pair)
			return false;
	}
	p->cpu = cpu;
	p->se.parent = pair ? &pair->se : NULL;
	p->se.depth = pair ? pair->se.depth + 1 : 0;
	p->se.cfs_rq = pair ? &pair->cfs_rq : &cpu_rq(lab, cpu)->cfs;
	return true;
}

/* ---- feasibility of limits down the tree ---- */

s64 quota_ratio(u64 period, u64 quota)
{
	if (quota == RUNTIME_INF)
		return (s64)RUNTIME_INF;
	return (s64)((quota / US << RATIO_SHIFT) / (period / US));
}

/* Does @ratio exceed what the parent has?  Unlimited is more than anything. */
static bool exceeds(s64 ratio, s64 parent) { return parent != (s64)RUNTIME_INF && ratio > parent; }

static bool refuses_children_above(const struct lab *lab)
{
	return lab->cfg.cgroup == 1 || lab_rule(lab, BW_V2_HIERARCHY) == BW_V2_REFUSE;
}

/*
 * Rule bw_v2_hierarchy: what is recorded where children may exceed their parents (cgroup 2 from 4.16).  To 6.5 the smaller
 * of two signed numbers of which -1 is "unlimited" (c98c18270be1 repaired it).
 */
static s64 recorded_ratio(const struct lab *lab, s64 ratio, s64 parent)
{
	if (lab_rule(lab, BW_V2_HIERARCHY) == BW_V2_MIN) {
		if (ratio == (s64)RUNTIME_INF)
			return parent;
		return parent == (s64)RUNTIME_INF ? ratio : min_s64(ratio, parent);
	}
	return min_s64(ratio, parent);
}

static int schedulable(struct lab *lab, const struct task_group *tg, s64 *ratio)
{
	s64 parent = tg->parent->cfs_bandwidth.hierarchical_quota;

	if (!tg->parent->parent)
		parent = (s64)RUNTIME_INF;
	if (!refuses_children_above(lab)) {
		*ratio = recorded_ratio(lab, *ratio, parent);
		return 0;
	}
	if (*ratio == (s64)RUNTIME_INF)
		*ratio = parent;
	else if (exceeds(*ratio, parent))
		return -EINVAL;
	return 0;
}

/*
 * Walk the whole tree, parents first, with the new values put in for @target, and record the effective ratios.  A walk
 * that fails has rewritten those it met before.
 */
int check_hierarchy(struct lab *lab, struct task_group *target, u64 period, u64 quota, bool commit)
{
	struct task_group *tg;

	for_each_group_below(tg, &lab->root) {
		s64 ratio;
		int ret;

		if (!tg->parent)
			continue;
		ratio = tg == target ? quota_ratio(period, quota) :
				       quota_ratio(tg->cfs_bandwidth.period, tg->cfs_bandwidth.quota);
		ret = schedulable(lab, tg, &ratio);
		if (ret)
			return ret;
		if (commit)
			tg->cfs_bandwidth.hierarchical_quota = ratio;
	}
	return 0;
}

/* ---- statistics ---- */

/* ns of the tasks of @top and below: each leaf queue knows its own. */
static u64 group_usage(struct lab *lab, const struct task_group *top)
{
	const struct task_group *tg;
	struct group_pair *pair;
	u64 usage = 0;
	int cpu;

	for_each_group_below(tg, top) {
		for_each_pair(lab, tg, cpu, pair)
			usage += pair->cfs_rq.exec_clock;
		if (!tg->parent)
			for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
				usage += cpu_rq(lab, cpu)->cfs.exec_clock;
	}
	return usage;
}

void lab_group_stat(struct lab *lab, const struct task_group *tg, struct group_stat *st)
{
	const struct cfs_bandwidth *cfs_b = &tg->cfs_bandwidth;
	u64 shares = scale_load_down(lab, tg->shares);
	struct group_pair *pair;
	s64 held = 0;
	u64 local = 0, charged = 0;
	int cpu, throttled = 0;

	for_each_pair(lab, tg, cpu, pair) {
		held += pair->cfs_rq.runtime_remaining;
		charged += pair->cfs_rq.charged;
		throttled += pair->cfs_rq.throttled;
		local += pair->cfs_rq.throttled_local;
	}
	*st = (struct group_stat){
		.quota = cfs_b->quota,
		.period = cfs_b->period,
		.burst = cfs_b->burst,
		.shares = shares,
		.weight = weight_of_shares(shares),
		.weight_nice = nice_of_shares(shares),
		.usage = group_usage(lab, tg),
		.nr_periods = cfs_b->nr_periods,
		.nr_throttled = cfs_b->nr_throttled,
		.throttled_time = cfs_b->throttled_time,
		.nr_bursts = cfs_b->nr_bursts,
		.burst_time = cfs_b->burst_time,
		.nr_short = cfs_b->nr_short,
		.throttled_local = lab_rule(lab, BW_STAT_LOCAL) ? local : 0,
		.throttled_cpus = throttled,
		.ledger = {
			.granted = cfs_b->granted,
			.created = cfs_b->created,
			.pool = cfs_b->runtime + bw_hidden_by_walk(lab, cfs_b),
			.held = held,
			.charged = charged,
			.lost = cfs_b->lost,
		},
	};
}

u32 lab_group_charged_cpus(struct lab *lab, struct task_group *tg)
{
	struct group_pair *pair;
	u32 nr = 0;
	int cpu;

	for_each_pair(lab, tg, cpu, pair) {
		nr += pair->cfs_rq.charged != pair->cfs_rq.charged_asked;
		pair->cfs_rq.charged_asked = pair->cfs_rq.charged;
	}
	return nr;
}

void lab_group_held(struct lab *lab, const struct task_group *tg, s64 *kept, s64 *owed)
{
	struct group_pair *pair;
	int cpu;

	*kept = *owed = 0;
	for_each_pair(lab, tg, cpu, pair) {
		*kept += max_s64(pair->cfs_rq.runtime_remaining, 0);
		*owed += max_s64(-pair->cfs_rq.runtime_remaining, 0);
	}
}

u64 lab_group_stopped(struct lab *lab, const struct task_group *tg)
{
	struct group_pair *pair;
	u64 stopped = 0;
	int cpu;

	for_each_pair(lab, tg, cpu, pair) {
		u64 since = pair->cfs_rq.throttled_clock, now = lab->pf.cpu_clock(lab->pf.ctx, cpu);

		if (since && before(since, now))
			stopped += now - since;
	}
	return stopped;
}
