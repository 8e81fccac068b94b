/* SPDX-License-Identifier: MIT */
/*
 * pick_eevdf.c - the pick policy from 6.6 on: of those that are owed time, the earliest virtual deadline runs next.
 *
 *	  lag > 0: eligible        V         lag < 0: not eligible
 *	--[v]------[v]-------------|-------------[v]------->  virtual time       V = the weighted mean of all v
 *	   '-- d                            each request ends at its d = v + slice in virtual time
 *
 * Every level of the hierarchy does this by itself; a group's entity has a v, a d and a lag like a task.  From 6.12 a task that
 * falls asleep owing time stays queued (delayed) until its debt has been waited off.
 *
 * Laws: the sum of weight * lag is 0 up to rounding; so somebody is always eligible.  The tree is ordered by d, equals in order of
 * arrival; each node knows the least v and the extreme slices below it.
 * Rules: docs/rules/fair.md section 4.
 */
#include "core/sched.h"

#define for_each_sched_entity(se) for (; se; se = se->parent)

static struct sched_entity *se_of(struct rb_node *node)
{
	return node ? container_of(node, struct sched_entity, run_node) : NULL;
}

static bool queued_curr(const struct cfs_rq *cfs_rq) { return cfs_rq->curr && cfs_rq->curr->on_rq; }

/* ---- the mean ---- */

static s64 weight_of(const struct lab *lab, const struct sched_entity *se)
{
	return (s64)scale_load_down(lab, se->load.weight);
}

/* v relative to the queue's zero point, small enough to be multiplied by weights. */
static s64 entity_key(const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	return (s64)(se->vruntime - cfs_rq->min_vruntime);
}

/* Sums over queued entities, current included: weights, and weights times keys. */
struct vsum {
	s64 load, key;
};

static struct vsum sum_of(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	struct vsum sum = { cfs_rq->avg_load, cfs_rq->avg_vruntime };

	if (queued_curr(cfs_rq)) {
		s64 weight = weight_of(lab, cfs_rq->curr);

		sum.load += weight;
		sum.key += entity_key(cfs_rq, cfs_rq->curr) * weight;
	}
	return sum;
}

static s64 floor_div(s64 a, s64 b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/* V, rounded down. */
static u64 avg_vruntime(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	struct vsum sum = sum_of(lab, cfs_rq);

	return cfs_rq->min_vruntime + (u64)(sum.load ? floor_div(sum.key, sum.load) : 0);
}

/* lag >= 0, without a division: V itself is rounded. */
static bool vruntime_eligible(const struct cfs_rq *cfs_rq, const struct vsum *sum, u64 vruntime)
{
	return sum->key >= (s64)(vruntime - cfs_rq->min_vruntime) * sum->load;
}

static bool entity_eligible(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	struct vsum sum = sum_of(lab, cfs_rq);

	return vruntime_eligible(cfs_rq, &sum, se->vruntime);
}

/* ---- the tree ---- */

static u64 min_slice_of(const struct rb_node *node, u64 least)
{
	return node ? min_u64(least, container_of(node, struct sched_entity, run_node)->min_slice) : least;
}

static u64 max_slice_of(const struct rb_node *node, u64 most)
{
	return node ? max_u64(most, container_of(node, struct sched_entity, run_node)->max_slice) : most;
}

static u64 min_v_of(const struct rb_node *node, u64 least)
{
	const struct sched_entity *se;

	if (!node)
		return least;
	se = container_of(node, struct sched_entity, run_node);
	return before(se->min_vruntime, least) ? se->min_vruntime : least;
}

static bool eevdf_update(struct rb_node *node)
{
	struct sched_entity *se = se_of(node);

	se->min_vruntime = min_v_of(node->right, min_v_of(node->left, se->vruntime));
	se->min_slice = min_slice_of(node->right, min_slice_of(node->left, se->slice));
	se->max_slice = max_slice_of(node->right, max_slice_of(node->left, se->slice));
	return true;
}

static void insert(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct rb_node **link = &cfs_rq->timeline.root, *parent = NULL;
	bool leftmost = true;

	cfs_rq->avg_load += weight_of(lab, se);
	cfs_rq->avg_vruntime += entity_key(cfs_rq, se) * weight_of(lab, se);
	while (*link) {
		parent = *link;
		if (before(se->deadline, se_of(parent)->deadline)) {
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
	rb_erase(&cfs_rq->timeline, &se->run_node);
	cfs_rq->avg_load -= weight_of(lab, se);
	cfs_rq->avg_vruntime -= entity_key(cfs_rq, se) * weight_of(lab, se);
}

static bool in_order(const struct sched_entity *a, const struct sched_entity *b) { return !before(b->deadline, a->deadline); }

static u64 mean(struct lab *lab, struct cfs_rq *cfs_rq) { return avg_vruntime(lab, cfs_rq); }

/* The zero point follows the least v, so that keys stay small; no decision depends on it. */
static void update_min_vruntime(struct lab *lab __attribute__((unused)), struct cfs_rq *cfs_rq)
{
	u64 min = cfs_rq->min_vruntime;
	bool any = false;

	if (queued_curr(cfs_rq)) {
		min = cfs_rq->curr->vruntime;
		any = true;
	}
	if (cfs_rq->timeline.root)
		min = any ? min_v_of(cfs_rq->timeline.root, min) : se_of(cfs_rq->timeline.root)->min_vruntime;
	if (before(cfs_rq->min_vruntime, min)) {
		cfs_rq->avg_vruntime -= cfs_rq->avg_load * (s64)(min - cfs_rq->min_vruntime);
		cfs_rq->min_vruntime = min;
	}
}

/* ---- slices ---- */

static u64 base_slice(const struct lab *lab) { return lab->base_slice; }

static void renew_slice(const struct lab *lab, struct sched_entity *se)
{
	if (!se->custom_slice)
		se->slice = base_slice(lab);
}

/* The shortest request queued on @cfs_rq, current included; 0: nothing is queued. */
static u64 shortest_slice(const struct cfs_rq *cfs_rq)
{
	u64 least = queued_curr(cfs_rq) ? cfs_rq->curr->slice : UINT64_MAX;

	least = min_slice_of(cfs_rq->timeline.root, least);
	return least == UINT64_MAX ? 0 : least;
}

static u64 longest_slice(const struct cfs_rq *cfs_rq)
{
	return max_slice_of(cfs_rq->timeline.root, queued_curr(cfs_rq) ? cfs_rq->curr->slice : 0);
}

/* Rule group_slice (6.12, aef6987d8954): a group asks for what the shortest request inside asks for. */
static void take_group_slice(struct lab *lab, struct sched_entity *se)
{
	u64 slice;

	if (!se->my_q || !lab_rule(lab, GROUP_SLICE))
		return;
	slice = shortest_slice(se->my_q);
	if (!slice || (slice == se->slice && se->custom_slice))
		return;
	se->slice = slice;
	se->custom_slice = true;
	if (se->on_rq && se != se->cfs_rq->curr)
		rb_propagate(&se->cfs_rq->timeline, &se->run_node);
}

static void slices_changed(struct lab *lab, struct sched_entity *se)
{
	for_each_sched_entity(se)
		take_group_slice(lab, se);
}

/* @se is queued now: the groups above may ask for less at a time. */
static void joined(struct lab *lab, struct sched_entity *se) { slices_changed(lab, se->parent); }

/* ---- leaving and joining ---- */

/* Rule lag_limit: twice the own slice or a tick (to 6.19), or the longest slice queued and a tick (7.0, 6e3c0a4e1ad1). */
static s64 lag_limit(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 limit = lab_rule(lab, LAG_LIMIT) ? max_u64(longest_slice(cfs_rq), se->slice) + lab->tick_nsec :
					       max_u64(2 * se->slice, lab->tick_nsec);

	return (s64)calc_delta_fair(lab, limit, se);
}

static s64 clamp(s64 x, s64 limit) { return max_s64(-limit, min_s64(x, limit)); }

static s64 entity_lag(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	return clamp((s64)(avg_vruntime(lab, cfs_rq) - se->vruntime), lag_limit(lab, cfs_rq, se));
}

/* @se is about to leave @cfs_rq: what it is owed goes with it. */
static void leave(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	se->vlag = entity_lag(lab, cfs_rq, se);
	if (se->sched_delayed) {
		/* a delayed one has waited its debt off; it gains nothing by that, and owes no more than it did */
		se->vlag = min_s64(se->vlag, 0);
		if (lab_rule(lab, LAG_LIMIT))
			se->vlag = max_s64(se->vlag, se->delayed_lag);
	}
	if (lab_rule(lab, PLACE_REL_DEADLINE) && !(flags & DEQUEUE_SLEEP)) {
		se->deadline -= se->vruntime;
		se->rel_deadline = true;
	}
}

static void left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	(void)flags;
	update_min_vruntime(lab, cfs_rq);
	slices_changed(lab, se->parent);
}

/* The lag is stretched so that it is the same after joining, when @se itself counts in the mean. */
static u64 place_by_lag(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 v)
{
	s64 load = sum_of(lab, cfs_rq).load, lag;

	if (!lab_rule(lab, PLACE_LAG) || !cfs_rq->nr_running || !se->vlag || !load)
		return v;
	lag = se->vlag * (load + weight_of(lab, se));
	return v - (u64)(lag / load);
}

/* Rule initial_deadline: a new task's first request is half as long; only from 6.12 (c40dd90ac045) does that survive. */
static bool halves_first_request(const struct lab *lab, unsigned flags)
{
	return (flags & ENQUEUE_INITIAL) && lab_rule(lab, PLACE_DEADLINE_INITIAL) && lab_rule(lab, INITIAL_DEADLINE);
}

static void place(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	u64 vslice;

	take_group_slice(lab, se);
	renew_slice(lab, se);
	vslice = calc_delta_fair(lab, se->slice, se);
	se->vruntime = place_by_lag(lab, cfs_rq, se, avg_vruntime(lab, cfs_rq));
	if (se->rel_deadline) {
		se->deadline += se->vruntime;
		se->rel_deadline = false;
		return;
	}
	se->deadline = se->vruntime + (halves_first_request(lab, flags) ? vslice / 2 : vslice);
}

/* A child brings no lag: it joins at the mean. */
static void fork_place(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *parent, struct sched_entity *child)
{
	(void)lab;
	(void)cfs_rq;
	(void)parent;
	child->vlag = 0;
}

/* ---- protection: a turn is not cut short without a reason ---- */

/* Rule slice_protect: by the remembered deadline (to 6.16), or up to a virtual time (6.17, 74eec63661d4). */
static bool protects_by_time(const struct lab *lab) { return lab_rule(lab, SLICE_PROTECT); }

static void protect(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 slice = se->slice, least;

	if (!protects_by_time(lab)) {
		se->protect = se->deadline;
		return;
	}
	least = lab_rule(lab, RUN_TO_PARITY) ? shortest_slice(cfs_rq) : lab->model.param[PARAM_BASE_SLICE];
	se->protect = se->deadline;
	if (least && least < slice) {
		u64 until = se->vruntime + calc_delta_fair(lab, least, se);

		if (before(until, se->protect))
			se->protect = until;
	}
}

static void cancel_protection(const struct lab *lab, struct sched_entity *se)
{
	se->protect = protects_by_time(lab) ? se->vruntime : se->deadline + 1;
}

static bool is_protected(const struct lab *lab, const struct sched_entity *se)
{
	if (protects_by_time(lab))
		return before(se->vruntime, se->protect);
	return lab_rule(lab, RUN_TO_PARITY) && se->protect == se->deadline;
}

static void set_next(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se) { protect(lab, cfs_rq, se); }

/* ---- the charge ---- */

/* Rule resched_lazy (6.13, 26baa1f1c4bd): requests of the fair class wait for the next return to user. */
static void ask_to_leave(struct lab *lab, struct rq *rq)
{
	if (lab_rule(lab, RESCHED_LAZY))
		resched_curr_lazy(rq);
	else
		resched_curr(rq);
}

/* Is the request of @curr done?  Then a new one begins where it stands: an overrun is not made up for. */
static bool update_deadline(struct lab *lab, struct sched_entity *curr)
{
	if (before(curr->vruntime, curr->deadline))
		return false;
	renew_slice(lab, curr);
	curr->deadline = curr->vruntime + calc_delta_fair(lab, curr->slice, curr);
	return true;
}

/* From 6.12 to 6.16 a current that lost its protection leaves as soon as it is not owed anything. */
static bool gives_way(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	if (protects_by_time(lab))
		return !is_protected(lab, curr);
	return lab_rule(lab, PREEMPT_SHORT) && curr->protect == curr->deadline + 1 && !entity_eligible(lab, cfs_rq, curr);
}

static void charged(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	bool done = update_deadline(lab, curr);

	if (cfs_rq->nr_running < 2)
		return;
	if (done)
		clear_buddies(curr);
	if (done || gives_way(lab, cfs_rq, curr))
		ask_to_leave(lab, cfs_rq->rq);
}

/* The tick has no test of its own: the charge made it. */
static bool turn_over(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	(void)lab;
	(void)cfs_rq;
	(void)curr;
	return false;
}

/* Until the charge could ask: the request ends, the protection ends, or the current stops being eligible. */
static u64 ticks_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 step = calc_delta_fair(lab, lab->tick_nsec, curr);
	s64 left_v = (s64)(curr->deadline - curr->vruntime);

	(void)cfs_rq;
	if (protects_by_time(lab))
		left_v = min_s64(left_v, (s64)(curr->protect - curr->vruntime));
	else if (curr->protect != curr->deadline)
		return 1;
	if (left_v <= 0 || !step)
		return 1;
	return ((u64)left_v + step - 1) / step;
}

/* ---- the pick ---- */

/* The waiting eligible entity with the earliest deadline; equals: the one that came first. */
static struct sched_entity *earliest_eligible(const struct cfs_rq *cfs_rq, const struct vsum *sum)
{
	struct rb_node *node = cfs_rq->timeline.root;
	struct sched_entity *best = NULL;

	while (node) {
		struct sched_entity *se = se_of(node);

		if (node->left && vruntime_eligible(cfs_rq, sum, se_of(node->left)->min_vruntime)) {
			node = node->left;
			continue;
		}
		if (vruntime_eligible(cfs_rq, sum, se->vruntime)) {
			best = se;
			break;
		}
		node = node->right;
	}
	return best;
}

/* Rule pick_buddy (6.12); before, a buddy counts only where NEXT_BUDDY is on. */
static struct sched_entity *eligible_buddy(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct vsum *sum)
{
	struct sched_entity *next = cfs_rq->next;

	if (!next || !(lab_rule(lab, PICK_BUDDY) || lab_rule(lab, NEXT_BUDDY)))
		return NULL;
	return vruntime_eligible(cfs_rq, sum, next->vruntime) ? next : NULL;
}

static struct sched_entity *pick_fair(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, bool protecting)
{
	struct vsum sum = sum_of(lab, cfs_rq);
	struct sched_entity *best;

	if (cfs_rq->nr_running == 1)
		return curr ? curr : se_of(rb_first(&cfs_rq->timeline));
	best = eligible_buddy(lab, cfs_rq, &sum);
	if (best && protecting)
		return best;
	if (curr && !vruntime_eligible(cfs_rq, &sum, curr->vruntime))
		curr = NULL;
	if (curr && protecting && is_protected(lab, curr))
		return curr;
	best = earliest_eligible(cfs_rq, &sum);
	if (!best || (curr && before(curr->deadline, best->deadline)))
		best = curr;
	return best;
}

static struct sched_entity *pick(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	return pick_fair(lab, cfs_rq, curr, true);
}

/* ---- wakeup preemption ---- */

/* A shorter request, eligible, with the earlier deadline (or against one that is owed nothing). */
static bool is_short_and_due(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se, const struct sched_entity *pse)
{
	if (pse->slice >= se->slice || !entity_eligible(lab, cfs_rq, pse))
		return false;
	return before(pse->deadline, se->deadline) || !entity_eligible(lab, cfs_rq, se);
}

/* To 6.16: the pick decides; from 6.12 (85e511df3cec) a short request first takes the protection away. */
static bool wakes_over_by_deadline(struct lab *lab, struct sched_entity *se, struct sched_entity *pse)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	if (lab_rule(lab, PREEMPT_SHORT) && is_short_and_due(lab, cfs_rq, se, pse))
		cancel_protection(lab, se);
	return pick_fair(lab, cfs_rq, se->on_rq ? se : NULL, true) == pse;
}

/* After a failure the turn ends by the time the shortest request would. */
static void shorten_protection(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 until = se->vruntime + calc_delta_fair(lab, shortest_slice(cfs_rq), se);

	if (before(until, se->protect))
		se->protect = until;
}

static bool wakes_over_by_time(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;
	struct sched_entity *curr = se->on_rq ? se : NULL;
	bool is_short = lab_rule(lab, PREEMPT_SHORT) && pse->slice < se->slice;

	if (is_short && pick_fair(lab, cfs_rq, curr, false) == pse) {
		cancel_protection(lab, se);
		return true;
	}
	/* rule fork_preempts, off from 6.19: a new task, or one still delayed, takes over only by a shorter request */
	if (!is_short && !lab_rule(lab, FORK_PREEMPTS) && ((wake_flags & WF_FORK) || pse->sched_delayed))
		return false;
	if (pick_fair(lab, cfs_rq, curr, true) == pse)
		return true;
	shorten_protection(lab, cfs_rq, se);
	return false;
}

static bool wakes_over(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags)
{
	if (protects_by_time(lab))
		return wakes_over_by_time(lab, se, pse, wake_flags);
	return wakes_over_by_deadline(lab, se, pse);
}

/* ---- reweight, yield ---- */

static s64 scale_by(s64 x, u64 old, u64 new_weight)
{
	return x >= 0 ? (s64)((unsigned __int128)(u64)x * old / new_weight) :
			-(s64)((unsigned __int128)(u64)-x * old / new_weight);
}

/*
 * Rule reweight_keeps: v (6.6), or the lag and the relative deadline in real time (6.7, eab03c23c2a1).  @se is out of the sums here;
 * @v is the mean with it.
 */
static void reweight(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight, u64 v)
{
	u64 old = se->load.weight;

	if (!se->on_rq) {
		se->vlag = scale_by(se->vlag, old, weight);
		if (se->rel_deadline && lab_rule(lab, LAG_LIMIT))
			se->deadline = (u64)scale_by((s64)se->deadline, old, weight);
		return;
	}
	if (!lab_rule(lab, REWEIGHT_KEEPS)) {
		se->deadline = se->vruntime + (u64)scale_by((s64)(se->deadline - se->vruntime), old, weight);
		return;
	}
	if (lab_rule(lab, LAG_LIMIT)) {
		s64 lag = clamp((s64)(v - se->vruntime), lag_limit(lab, cfs_rq, se));

		if (protects_by_time(lab) && cfs_rq->curr == se && is_protected(lab, se))
			se->protect = v + (u64)scale_by((s64)(se->protect - v), old, weight);
		se->deadline = v + (u64)scale_by((s64)(se->deadline - v), old, weight);
		se->vruntime = v - (u64)scale_by(lag, old, weight);
		return;
	}
	se->deadline = v + (u64)scale_by((s64)(se->deadline - v), old, weight);
	se->vruntime = v - (u64)scale_by((s64)(v - se->vruntime), old, weight);
}

/* Rule yield_forfeits (6.19, 79104becf42b): what is left of the request is given up; before, the deadline just moves on. */
static void yielded(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 vslice = calc_delta_fair(lab, curr->slice, curr);

	if (!lab_rule(lab, YIELD_FORFEITS)) {
		curr->deadline += vslice;
		return;
	}
	if (!entity_eligible(lab, cfs_rq, curr))
		return;
	curr->vruntime = curr->deadline;
	curr->deadline = curr->vruntime + vslice;
	update_min_vruntime(lab, cfs_rq);
}

/* ---- delayed dequeue ---- */

/* Rule delay_dequeue (6.12, 152e11f6df29): one that sleeps while it owes time stays queued. */
static bool delays(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (!lab_rule(lab, DELAY_DEQUEUE) || entity_eligible(lab, cfs_rq, se))
		return false;
	se->delayed_lag = entity_lag(lab, cfs_rq, se);
	return true;
}

/*
 * A delayed one is wanted again.  Rule delay_zero: debt that has turned into credit is forgotten, it joins afresh; 7.x clamps the
 * lag between what it was and 0, and places it anew only where that changed it.
 */
static void undelay(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	s64 lag, kept;

	if (!lab_rule(lab, DELAY_ZERO))
		return;
	if (lab_rule(lab, LAG_LIMIT))
		update_curr(lab, cfs_rq);
	lag = entity_lag(lab, cfs_rq, se);
	kept = lab_rule(lab, LAG_LIMIT) ? max_s64(se->delayed_lag, min_s64(lag, 0)) : min_s64(lag, 0);
	if (kept == lag)
		return;
	if (se != cfs_rq->curr)
		remove_se(lab, cfs_rq, se);
	cfs_rq->nr_running--;
	se->on_rq = false;
	se->vlag = kept;
	place(lab, cfs_rq, se, 0);
	cfs_rq->nr_running++;
	if (se != cfs_rq->curr)
		insert(lab, cfs_rq, se);
	se->on_rq = true;
}

/* Time until the request of @curr ends, for the hrtick. */
static u64 time_left(struct lab *lab, struct sched_entity *curr)
{
	s64 v = (s64)(curr->deadline - curr->vruntime);

	if (v <= 0)
		return 0;
	return (u64)((unsigned __int128)(u64)v * scale_load_down(lab, curr->load.weight) / NICE_0_WEIGHT);
}

const struct pick_ops pick_eevdf = {
	.place = place,
	.insert = insert,
	.remove = remove_se,
	.in_order = in_order,
	.mean = mean,
	.joined = joined,
	.leave = leave,
	.left = left,
	.update_min = update_min_vruntime,
	.charged = charged,
	.set_next = set_next,
	.pick = pick,
	.turn_over = turn_over,
	.ticks_left = ticks_left,
	.wakes_over = wakes_over,
	.fork = fork_place,
	.reweight = reweight,
	.yielded = yielded,
	.delays = delays,
	.undelay = undelay,
	.time_left = time_left,
	.update = eevdf_update,
};
