/* SPDX-License-Identifier: MIT */
/*
 * pick_vruntime.c - the pick policy of 3.2 to 6.5: who has had the least virtual time runs next.
 *
 *	          min_vruntime
 *	               v
 *	--[sleeper]----|--[leftmost]--[ ]------[ ]--->  vruntime      pick: the leftmost, unless a buddy is close behind
 *	    ^          '- a wakee lands at most half a latency to the left, a new task one slice to the right
 *
 * Law (check.c): the tree is ordered by vruntime, equals in order of arrival; min_vruntime never goes back.
 * Rules: docs/rules/fair.md section 3.
 */
#include "core/sched.h"

static struct sched_entity *se_of(struct rb_node *node)
{
	return node ? container_of(node, struct sched_entity, run_node) : NULL;
}

static void insert(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct rb_node **link = &cfs_rq->timeline.root, *parent = NULL;
	bool leftmost = true;

	(void)lab;
	while (*link) {
		parent = *link;
		if (before(se->vruntime, se_of(parent)->vruntime)) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert(&cfs_rq->timeline, &se->run_node, parent, link, leftmost);
}

static void remove_se(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	(void)lab;
	rb_erase(&cfs_rq->timeline, &se->run_node);
}

static bool in_order(const struct sched_entity *a, const struct sched_entity *b) { return !before(b->vruntime, a->vruntime); }

/* Rule min_vruntime_curr: does the current entity count although it is no longer queued (to 4.8)? */
static bool curr_counts(const struct lab *lab, const struct sched_entity *curr)
{
	return curr && (curr->on_rq || !lab_rule(lab, MIN_VRUNTIME_CURR));
}

/* min_vruntime follows the smaller of curr and leftmost, and never goes back. */
static void update_min_vruntime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *left = se_of(rb_first(&cfs_rq->timeline));
	u64 min = cfs_rq->min_vruntime;

	if (curr_counts(lab, cfs_rq->curr)) {
		min = cfs_rq->curr->vruntime;
		if (left && before(left->vruntime, min))
			min = left->vruntime;
	} else if (left) {
		min = left->vruntime;
	}
	if (before(cfs_rq->min_vruntime, min))
		cfs_rq->min_vruntime = min;
}

/* ---- slices ---- */

static u64 sched_period(const struct lab *lab, u64 nr_running)
{
	return nr_running > lab->nr_latency ? nr_running * lab->min_granularity : lab->latency;
}

/* Is every runnable task of this queue a SCHED_IDLE one? */
static bool sched_idle_cfs_rq(const struct cfs_rq *cfs_rq)
{
	return cfs_rq->h_nr_running && cfs_rq->h_nr_running == cfs_rq->h_nr_idle;
}

/* Rules base_slice and idle_granularity: the least a slice may be. */
static u64 least_slice(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	if (!lab_rule(lab, BASE_SLICE))
		return 0;
	if (lab_rule(lab, IDLE_GRANULARITY) && se_is_idle(se) && !sched_idle_cfs_rq(cfs_rq))
		return lab->model.param[PARAM_IDLE_MIN_GRANULARITY];
	return lab->min_granularity;
}

/* Wall time @se may run at a stretch: its part of the period, level by level to the root. */
u64 sched_slice(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct sched_entity *first = se;
	u64 nr = lab_rule(lab, ALT_PERIOD) ? cfs_rq->rq->cfs.h_nr_running : cfs_rq->nr_running;
	u64 slice = sched_period(lab, nr + !se->on_rq);

	for (; se; se = se->parent) {
		struct load_weight *load = &se->cfs_rq->load, with_se;

		if (unlikely(!se->on_rq)) {
			with_se = *load;
			load_add(&with_se, se->load.weight);
			load = &with_se;
		}
		slice = calc_delta(lab, slice, se->load.weight, load);
	}
	return max_u64(slice, least_slice(lab, cfs_rq, first));
}

/* ---- placement ---- */

/* How far left of min_vruntime a long sleeper may land. */
static u64 sleeper_credit(const struct lab *lab, const struct sched_entity *se)
{
	u64 credit = lab->latency;

	if (lab_rule(lab, IDLE_GRANULARITY) && se_is_idle(se))
		credit = lab->min_granularity;
	return lab_rule(lab, GENTLE_FAIR_SLEEPERS) ? credit >> 1 : credit;
}

#define LONG_SLEEP ((u64)1 << 53) /* 104 days: 2^63 / 1024, what a signed difference holds at the least weight */

/* Slept so long that the signed difference could be misread (rule long_sleeper). */
static bool slept_too_long(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	return lab_rule(lab, LONG_SLEEPER) && se->exec_start && cfs_rq->rq->clock - se->exec_start > LONG_SLEEP;
}

/* A wakee keeps its own vruntime, but is not further to the left than its credit allows. */
static void place(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	u64 vruntime = cfs_rq->min_vruntime - sleeper_credit(lab, se);

	if (!(flags & ENQUEUE_WAKEUP))
		return;
	if (before(se->vruntime, vruntime) || slept_too_long(lab, cfs_rq, se))
		se->vruntime = vruntime;
}

/* A new task starts one slice behind. */
static void place_initial(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 vruntime = cfs_rq->min_vruntime;

	if (lab_rule(lab, START_DEBIT))
		vruntime += calc_delta_fair(lab, sched_slice(lab, cfs_rq, se), se);
	if (before(se->vruntime, vruntime))
		se->vruntime = vruntime;
}

/* A task that leaves without sleeping takes along only its distance to the others. */
static void left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	if (!(flags & DEQUEUE_SLEEP) && entity_is_task(se)) {
		se->vruntime -= cfs_rq->min_vruntime;
		task_of(se)->moved = true;
	}
	if (!(flags & DEQUEUE_SAVE))
		update_min_vruntime(lab, cfs_rq);
}

/* Stand back this once, on every level; vruntime stays. */
static void yielded(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	(void)lab;
	(void)cfs_rq;
	for (; curr; curr = curr->parent)
		curr->cfs_rq->skip = curr;
}

/* The child takes its parent's place, then starts a slice behind; swapped where children run first. */
static void fork_place(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *parent, struct sched_entity *child)
{
	if (parent)
		child->vruntime = parent->vruntime;
	place_initial(lab, cfs_rq, child);
	if (lab_rule(lab, CHILD_RUNS_FIRST) && parent && before(parent->vruntime, child->vruntime)) {
		u64 vruntime = parent->vruntime;

		parent->vruntime = child->vruntime;
		child->vruntime = vruntime;
		resched_curr(cfs_rq->rq);
	}
}

/* ---- preemption ---- */

/* wakeup_granularity in the virtual time of @se: a heavy wakee needs less of a lead. */
static u64 wakeup_gran(struct lab *lab, struct sched_entity *se)
{
	return calc_delta_fair(lab, lab->wakeup_granularity, se);
}

/* -1: @se is not ahead of @curr; 0: by at most a wakeup_granularity; 1: by more, it preempts. */
static int wakeup_preempt_entity(struct lab *lab, struct sched_entity *curr, struct sched_entity *se)
{
	s64 gap = (s64)(curr->vruntime - se->vruntime);

	if (gap <= 0)
		return -1;
	return gap > (s64)wakeup_gran(lab, se);
}

static bool wakes_over(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags)
{
	(void)wake_flags;
	return wakeup_preempt_entity(lab, se, pse) == 1;
}

/* Rule slice_cap (6.3): the tick compares with at most one latency. */
static u64 ideal_runtime(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 slice = sched_slice(lab, cfs_rq, curr);

	return lab_rule(lab, SLICE_CAP) ? min_u64(slice, lab->latency) : slice;
}

/* check_preempt_tick(): ran longer than the slice, or got too far ahead of the leftmost. */
static bool turn_over(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 ideal = ideal_runtime(lab, cfs_rq, curr);
	u64 ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;
	struct sched_entity *left = se_of(rb_first(&cfs_rq->timeline));

	if (ran > ideal) {
		clear_buddies(curr); /* or it would be picked right back */
		return true;
	}
	if (ran < lab->min_granularity || !left)
		return false;
	return (s64)(curr->vruntime - left->vruntime) > (s64)ideal;
}

/* Until @have is above @limit. */
static u64 ticks_above(s64 have, s64 limit, u64 first, u64 step)
{
	return have > limit ? 1 : ticks_for((u64)(limit - have) + 1, first, step);
}

static u64 ticks_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 first)
{
	u64 ideal = ideal_runtime(lab, cfs_rq, curr);
	u64 ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;
	struct sched_entity *left = se_of(rb_first(&cfs_rq->timeline));
	u64 ticks = ticks_above((s64)ran, (s64)ideal, first, lab->tick_nsec);
	u64 by_gap;

	if (!left)
		return ticks;
	by_gap = ticks_above((s64)(curr->vruntime - left->vruntime), (s64)ideal, calc_delta_fair(lab, first, curr),
			     calc_delta_fair(lab, lab->tick_nsec, curr));
	return min_u64(ticks, by_gap);
}

/* Real time until the slice of @curr is used up. */
static u64 time_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 slice = sched_slice(lab, cfs_rq, curr), ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;

	return slice > ran ? slice - ran : 0;
}

/* ---- the pick ---- */

/* The entity after @skip in line, current included. */
static struct sched_entity *second_in_line(struct sched_entity *skip, struct sched_entity *left, struct sched_entity *curr)
{
	struct sched_entity *second;

	if (skip == curr)
		return left;
	second = se_of(rb_next(&skip->run_node));
	if (!second || (curr && before(curr->vruntime, second->vruntime)))
		second = curr;
	return second;
}

static struct sched_entity *pick(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	struct sched_entity *first = se_of(rb_first(&cfs_rq->timeline));
	struct sched_entity *left = first, *se;

	if (!left || (curr && before(curr->vruntime, left->vruntime)))
		left = curr;
	se = left;
	if (cfs_rq->skip && cfs_rq->skip == se) {
		struct sched_entity *second = second_in_line(se, first, curr);

		if (second && wakeup_preempt_entity(lab, second, left) < 1)
			se = second;
	}
	if (cfs_rq->next && wakeup_preempt_entity(lab, cfs_rq->next, left) < 1)
		se = cfs_rq->next;
	else if (cfs_rq->last && wakeup_preempt_entity(lab, cfs_rq->last, left) < 1)
		se = cfs_rq->last;
	return se;
}

const struct pick_ops pick_vruntime = {
	.place = place,
	.insert = insert,
	.remove = remove_se,
	.in_order = in_order,
	.left = left,
	.update_min = update_min_vruntime,
	.pick = pick,
	.turn_over = turn_over,
	.ticks_left = ticks_left,
	.wakes_over = wakes_over,
	.wakee_is_buddy = true,
	.time_left = time_left,
	.fork = fork_place,
	.yielded = yielded,
};
