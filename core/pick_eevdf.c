/* SPDX-License-Identifier: MIT */
/*
 * pick_eevdf.c - the pick policy from 6.6 on: of those that are owed time, the earliest virtual deadline runs next.
 *
 *	  lag > 0: eligible        V         lag < 0: not eligible
 *	--[v]------[v]-------------|-------------[v]------->  virtual time       V = the weighted mean of all v
 *	   '-- d                            each request ends at its d = v + slice in virtual time
 *
 * Every level of the hierarchy does this by itself; a group's entity has a v, a d and a lag like a task.  A turn is protected: others
 * have to wait until its request is done, or a shorter one would be.
 *
 * Laws: eevdf_queue.c and eevdf_place.c, where the mean and what is carried along are kept.
 * Rules: docs/rules/fair.md section 4.
 */
#include "core/eevdf.h"

static struct sched_entity *se_of(struct rb_node *node)
{
	return node ? container_of(node, struct sched_entity, run_node) : NULL;
}

/* ---- protection: a turn is not cut short without a reason ---- */

/* Rule slice_protect: by the remembered deadline (to 6.16), or up to a virtual time (6.17, 74eec63661d4). */
static bool protects_by_time(const struct lab *lab) { return lab_rule(lab, SLICE_PROTECT) != SLICE_PROTECT_DEADLINE; }

/* With run_to_parity off only the base slice as it is before scaling by the number of CPUs is protected. */
static u64 protected_slice(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return lab_rule(lab, RUN_TO_PARITY) ? eevdf_shortest_slice(cfs_rq) : lab->unscaled_slice;
}

/* The turn of @se ends, at the latest, when @slice is used up from here. */
static void limit_protection(struct lab *lab, struct sched_entity *se, u64 slice)
{
	u64 until = se->vruntime + calc_delta_fair(lab, slice, se);

	if (before(until, se->protect))
		se->protect = until;
}

/* A turn begins; where it only goes on, after a change to the task, it is protected anew to 6.19 (until bcd74b2ffdd0). */
static void set_next(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, bool picked)
{
	u64 slice;

	if (!picked && lab_rule(lab, SLICE_PROTECT) == SLICE_PROTECT_PICK)
		return;
	se->protect = se->deadline;
	if (!protects_by_time(lab))
		return;
	slice = protected_slice(lab, cfs_rq);
	if (slice && slice < se->slice)
		limit_protection(lab, se, slice);
}

static void cancel_protection(struct lab *lab, struct sched_entity *se)
{
	se->protect = protects_by_time(lab) ? se->vruntime : se->deadline + 1;
}

bool eevdf_is_protected(const struct lab *lab, const struct sched_entity *se)
{
	if (protects_by_time(lab))
		return before(se->vruntime, se->protect);
	return lab_rule(lab, RUN_TO_PARITY) && se->protect == se->deadline;
}

/* ---- the charge ---- */

/*
 * v where the last request of @curr ended that is done by now.  Ticks that were left out come in one charge of @ticks equal steps, the
 * first maybe shorter, and a request ends at one of them, the next one again so many later.
 */
static u64 last_end(const struct sched_entity *curr, u64 step, u64 vslice, u32 ticks)
{
	u64 since, again;

	if (ticks <= 1 || !step)
		return curr->vruntime;
	since = min_u64((curr->vruntime - curr->deadline) / step, ticks - 1);
	again = (vslice + step - 1) / step;
	return curr->vruntime - since % max_u64(again, 1) * step;
}

/* Is the request of @curr done?  Then a new one begins where it stands: an overrun is not made up for. */
static bool update_deadline(struct lab *lab, struct sched_entity *curr, u32 ticks)
{
	u64 vslice;

	if (before(curr->vruntime, curr->deadline))
		return false;
	eevdf_renew_slice(lab, curr);
	vslice = calc_delta_fair(lab, curr->slice, curr);
	curr->deadline = vslice + last_end(curr, calc_delta_fair(lab, lab->tick_nsec, curr), vslice, ticks);
	return true;
}

/* From 6.12 to 6.16 a current that is not protected (any more) leaves as soon as it is not owed anything; later at once. */
static bool gives_way(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	if (protects_by_time(lab))
		return !eevdf_is_protected(lab, curr);
	return lab_rule(lab, PREEMPT_SHORT) && curr->protect != curr->deadline && !eevdf_eligible(lab, cfs_rq, curr);
}

static void charged(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, u32 ticks)
{
	bool done = update_deadline(lab, curr, ticks);

	if (cfs_rq->nr_running < 2 || !(done || gives_way(lab, cfs_rq, curr)))
		return;
	clear_buddies(curr);
	resched_curr_lazy(cfs_rq->rq);
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
static u64 ticks_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 first)
{
	s64 left_v = (s64)(curr->deadline - curr->vruntime);

	(void)cfs_rq;
	if (protects_by_time(lab))
		left_v = min_s64(left_v, (s64)(curr->protect - curr->vruntime));
	else if (curr->protect != curr->deadline)
		return 1;
	if (left_v <= 0)
		return 1;
	return ticks_for((u64)left_v, calc_delta_fair(lab, first, curr), calc_delta_fair(lab, lab->tick_nsec, curr));
}

/* Real time until the request of @curr ends. */
static u64 time_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	s64 v = (s64)(curr->deadline - curr->vruntime);

	(void)cfs_rq;
	if (v <= 0)
		return 0;
	return (u64)((unsigned __int128)(u64)v * curr->load.weight / scale_load(lab, NICE_0_WEIGHT));
}

/* ---- the pick ---- */

/* The waiting eligible entity with the earliest deadline; equals: the one that came first. */
static struct sched_entity *earliest_eligible(const struct cfs_rq *cfs_rq, const struct vsum *sum)
{
	struct rb_node *node = cfs_rq->timeline.root;

	while (node) {
		struct sched_entity *se = se_of(node);

		if (node->left && eevdf_eligible_at(cfs_rq, sum, se_of(node->left)->min_vruntime)) {
			node = node->left;
			continue;
		}
		if (eevdf_eligible_at(cfs_rq, sum, se->vruntime))
			return se;
		node = node->right;
	}
	return NULL;
}

/* The one with the earliest deadline among the eligible; current keeps on where @protecting and its turn is protected. */
static struct sched_entity *earliest(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, bool protecting)
{
	struct vsum sum = eevdf_sum(lab, cfs_rq);
	struct sched_entity *best;

	if (cfs_rq->nr_running == 1)
		return curr ? curr : se_of(rb_first(&cfs_rq->timeline));
	if (curr && !eevdf_eligible_at(cfs_rq, &sum, curr->vruntime))
		curr = NULL;
	if (curr && protecting && eevdf_is_protected(lab, curr))
		return curr;
	best = earliest_eligible(cfs_rq, &sum);
	return !best || (curr && before(curr->deadline, best->deadline)) ? curr : best;
}

/* Rule pick_buddy (6.12); before, a buddy counts only where NEXT_BUDDY is on. */
static struct sched_entity *eligible_buddy(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *next = cfs_rq->next;

	if (!next || !(lab_rule(lab, PICK_BUDDY) || lab_rule(lab, NEXT_BUDDY)))
		return NULL;
	return eevdf_eligible(lab, cfs_rq, next) ? next : NULL;
}

static struct sched_entity *pick(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	struct sched_entity *buddy = eligible_buddy(lab, cfs_rq);

	return buddy ? buddy : earliest(lab, cfs_rq, curr, true);
}

/* ---- wakeup preemption ---- */

/*
 * Rule wake_test: who would run if @se, current, were looked at now?  To 6.18 the earliest deadline alone; from 6.19 (e837456fdca8) the
 * whole pick answers, buddies and all, and a delayed sleeper that it meets leaves.
 */
static struct sched_entity *would_run(struct lab *lab, struct sched_entity *se, bool protecting)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;
	struct sched_entity *best;

	if (!lab_rule(lab, WAKE_TEST))
		return earliest(lab, cfs_rq, se->on_rq ? se : NULL, protecting);
	for (;;) {
		struct sched_entity *curr = se->on_rq ? se : NULL;

		best = protecting ? pick(lab, cfs_rq, curr) : earliest(lab, cfs_rq, curr, false);
		if (!best->sched_delayed)
			return best;
		dequeue_delayed(cfs_rq->rq, best);
	}
}

/* A shorter request, eligible, with the earlier deadline (or against one that is owed nothing). */
static bool is_short_and_due(struct lab *lab, const struct sched_entity *se, const struct sched_entity *pse)
{
	if (pse->slice >= se->slice || !eevdf_eligible(lab, se->cfs_rq, pse))
		return false;
	return before(pse->deadline, se->deadline) || !eevdf_eligible(lab, se->cfs_rq, se);
}

/* To 6.16: the pick decides; from 6.12 (85e511df3cec) a short request first takes the protection away. */
static bool wakes_over_by_deadline(struct lab *lab, struct sched_entity *se, struct sched_entity *pse)
{
	if (lab_rule(lab, PREEMPT_SHORT) && is_short_and_due(lab, se, pse))
		cancel_protection(lab, se);
	return would_run(lab, se, true) == pse;
}

/* Rule fork_preempts, off from 6.19: a new task, or one that is delayed still, takes over only by a shorter request. */
static bool may_take_over(const struct lab *lab, const struct sched_entity *pse, unsigned wake_flags)
{
	return lab_rule(lab, FORK_PREEMPTS) || !((wake_flags & WF_FORK) || pse->sched_delayed);
}

/* From 6.17: a short request is measured without protection; one that fails shortens the turn to its own length. */
static bool wakes_over_by_time(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags)
{
	bool is_short = lab_rule(lab, PREEMPT_SHORT) && pse->slice < se->slice;

	if (!is_short && !may_take_over(lab, pse, wake_flags))
		return false;
	if (would_run(lab, se, !is_short) == pse) {
		if (is_short)
			cancel_protection(lab, se);
		return true;
	}
	limit_protection(lab, se, eevdf_shortest_slice(se->cfs_rq));
	return false;
}

static bool wakes_over(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags)
{
	if (protects_by_time(lab))
		return wakes_over_by_time(lab, se, pse, wake_flags);
	return wakes_over_by_deadline(lab, se, pse);
}

/* ---- yield ---- */

/* Rule yield_forfeits (6.19 and 6.12.y, 79104becf42b): the rest of the request is given up; before, the deadline just moves on. */
static void yielded(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 vslice = calc_delta_fair(lab, curr->slice, curr);

	if (!lab_rule(lab, YIELD_FORFEITS)) {
		curr->deadline += vslice;
		return;
	}
	if (!eevdf_eligible(lab, cfs_rq, curr))
		return;
	curr->vruntime = curr->deadline;
	curr->deadline = curr->vruntime + vslice;
	eevdf_update_min(lab, cfs_rq);
}

const struct pick_ops pick_eevdf = {
	.place = eevdf_place,
	.fork = eevdf_fork,
	.insert = eevdf_insert,
	.remove = eevdf_remove,
	.in_order = eevdf_in_order,
	.update = eevdf_update,
	.check = eevdf_check,
	.joined = eevdf_joined,
	.leave = eevdf_leave,
	.left = eevdf_left,
	.update_min = eevdf_update_min,
	.charged = charged,
	.set_next = set_next,
	.pick = pick,
	.turn_over = turn_over,
	.ticks_left = ticks_left,
	.wakes_over = wakes_over,
	.cancel_protection = cancel_protection,
	.yielded = yielded,
	.reweight = eevdf_reweight,
	.mean = eevdf_mean,
	.delays = eevdf_delays,
	.undelay = eevdf_undelay,
	.time_left = time_left,
};
