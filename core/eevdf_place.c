/* SPDX-License-Identifier: MIT */
/*
 * eevdf_place.c - what an entity carries along in the EEVDF policy: its lag, and how much of its request is left.
 *
 *	leaves with lag l	      [se]--l--V			V - v at that moment, within a limit
 *	joins W with weight w	   [se]--l'----V		l' = l * (W + w) / W: its own weight pulls V back, and l is left
 *	falls asleep with l < 0	   stays queued, delayed: v stands while V goes on, until its debt is waited off
 *
 * Law: joining leaves the lag that was brought, up to rounding; a change of weight leaves V.
 * Rules: docs/rules/fair.md 4.4, 4.9, 4.10.
 */
#include "core/eevdf.h"

/* ---- leaving ---- */

/* Rule lag_limit: twice the own slice or a tick (to 6.19), or the longest slice queued and a tick (7.0, 6e3c0a4e1ad1). */
static s64 lag_limit(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 limit = lab_rule(lab, LAG_LIMIT) ? max_u64(eevdf_longest_slice(cfs_rq), se->slice) + lab->tick_nsec :
					       max_u64(2 * se->slice, lab->tick_nsec);

	return (s64)calc_delta_fair(lab, limit, se);
}

static s64 raw_lag(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	return (s64)(eevdf_mean(lab, cfs_rq) - se->vruntime);
}

static s64 limited_lag(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	s64 limit = lag_limit(lab, cfs_rq, se);

	return max_s64(-limit, min_s64(raw_lag(lab, cfs_rq, se), limit));
}

/*
 * Rule delay_bound: whoever is delayed owes no more than when it fell asleep (7.0).  Rule delay_zero: and it is owed nothing; to 6.19
 * that is asked only when its sleep in the queue ends (@ends).
 */
static s64 delayed_lag(struct lab *lab, const struct sched_entity *se, s64 lag, bool ends)
{
	bool bound = lab_rule(lab, DELAY_BOUND);

	if (bound)
		lag = max_s64(lag, se->vlag);
	if (lab_rule(lab, DELAY_ZERO) && (ends || bound))
		lag = min_s64(lag, 0);
	return lag;
}

/* What @se is owed goes with it, and where it does not sleep, how much of its request is left. */
void eevdf_leave(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	s64 lag = limited_lag(lab, cfs_rq, se);

	se->vlag = se->sched_delayed ? delayed_lag(lab, se, lag, flags & DEQUEUE_DELAYED) : lag;
	if (!lab_rule(lab, PLACE_REL_DEADLINE) || (flags & DEQUEUE_SLEEP))
		return;
	se->deadline -= se->vruntime;
	se->protect -= se->vruntime;
	se->rel_deadline = true;
}

void eevdf_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	(void)flags;
	eevdf_update_min(lab, cfs_rq);
	eevdf_joined(lab, se);
}

/* ---- joining ---- */

/* The lag is stretched so that it is the same after joining, when @se itself counts in the mean. */
static u64 place_by_lag(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se, u64 v)
{
	s64 load = eevdf_sum(lab, cfs_rq).load;

	if (!lab_rule(lab, PLACE_LAG) || !cfs_rq->nr_running || !se->vlag || !load)
		return v;
	return v - (u64)(se->vlag * (load + eevdf_weight(lab, se)) / load);
}

/* Rule initial_deadline: a new task's first request is half as long; only from 6.12 (c40dd90ac045) does that survive. */
static bool halves_first_request(const struct lab *lab, unsigned flags)
{
	return (flags & ENQUEUE_INITIAL) && lab_rule(lab, PLACE_DEADLINE_INITIAL) && lab_rule(lab, INITIAL_DEADLINE);
}

void eevdf_place(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	u64 vslice;

	eevdf_take_group_slice(lab, se);
	eevdf_renew_slice(lab, se);
	vslice = calc_delta_fair(lab, se->slice, se);
	se->vruntime = place_by_lag(lab, cfs_rq, se, eevdf_mean(lab, cfs_rq));
	if (se->rel_deadline) {
		se->deadline += se->vruntime;
		se->protect += se->vruntime;
		se->rel_deadline = false;
		return;
	}
	se->deadline = se->vruntime + (halves_first_request(lab, flags) ? vslice / 2 : vslice);
}

/* A child brings no lag: it joins at the mean. */
void eevdf_fork(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *parent, struct sched_entity *child)
{
	(void)lab;
	(void)cfs_rq;
	(void)parent;
	child->vlag = 0;
}

/* ---- a change of weight ---- */

/* @x in the virtual time of the new weight. */
static s64 rescaled(s64 x, u64 old, u64 weight)
{
	u64 size = x >= 0 ? (u64)x : (u64)-x;
	s64 scaled = (s64)((unsigned __int128)size * old / weight);

	return x >= 0 ? scaled : -scaled;
}

static void reweight_absent(struct lab *lab, struct sched_entity *se, u64 weight)
{
	u64 old = se->load.weight;

	se->vlag = rescaled(se->vlag, old, weight);
	if (!se->rel_deadline || lab_rule(lab, REWEIGHT_KEEPS) != REWEIGHT_KEEPS_REQUEST)
		return;
	se->deadline = (u64)rescaled((s64)se->deadline, old, weight);
	se->protect = (u64)rescaled((s64)se->protect, old, weight);
}

/*
 * Rule reweight_keeps: v, with the time to the deadline (6.6); the lag and the time to the deadline (6.7, eab03c23c2a1); or, with that
 * lag within its limit, the protection of the turn and what is left of a request carried along, too (7.0, 101f3498b4bd).  @v is the
 * mean with @se, which is out of the tree here.
 */
void eevdf_reweight(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight, u64 v)
{
	enum reweight_keeps keeps = (enum reweight_keeps)lab_rule(lab, REWEIGHT_KEEPS);
	u64 old = se->load.weight;
	s64 lag = (s64)(v - se->vruntime);

	if (!se->on_rq) {
		reweight_absent(lab, se, weight);
		return;
	}
	if (keeps == REWEIGHT_KEEPS_V) {
		se->deadline = se->vruntime + (u64)rescaled((s64)(se->deadline - se->vruntime), old, weight);
		return;
	}
	if (keeps == REWEIGHT_KEEPS_REQUEST) {
		s64 limit = lag_limit(lab, cfs_rq, se);

		lag = max_s64(-limit, min_s64(lag, limit));
		if (cfs_rq->curr == se && eevdf_is_protected(lab, se))
			se->protect = v + (u64)rescaled((s64)(se->protect - v), old, weight);
		if (se->sched_delayed)
			se->vlag = rescaled(se->vlag, old, weight);
	}
	se->deadline = v + (u64)rescaled((s64)(se->deadline - v), old, weight);
	se->vruntime = v - (u64)rescaled(lag, old, weight);
}

/* ---- delayed dequeue ---- */

/* Rule delay_dequeue (6.12, 152e11f6df29): one that sleeps while it owes time stays queued. */
bool eevdf_delays(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (!lab_rule(lab, DELAY_DEQUEUE) || eevdf_eligible(lab, cfs_rq, se))
		return false;
	se->vlag = limited_lag(lab, cfs_rq, se);
	return true;
}

static void place_anew(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, s64 lag)
{
	bool waits = se != cfs_rq->curr;

	if (waits)
		eevdf_remove(lab, cfs_rq, se);
	cfs_rq->nr_running--;
	se->on_rq = false;
	se->vlag = lag;
	eevdf_place(lab, cfs_rq, se, 0);
	cfs_rq->nr_running++;
	if (waits)
		eevdf_insert(lab, cfs_rq, se);
	se->on_rq = true;
}

/*
 * A delayed one is wanted again.  Where what it has waited for may not count in full it joins afresh, with what does count and a new
 * request; else it goes on where it stands.  From 7.0 (delay_bound) the current one is charged before the mean is looked at.
 */
void eevdf_undelay(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	s64 lag, kept;

	if (!lab_rule(lab, DELAY_ZERO))
		return;
	if (lab_rule(lab, DELAY_BOUND))
		update_curr(lab, cfs_rq);
	lag = raw_lag(lab, cfs_rq, se);
	kept = delayed_lag(lab, se, limited_lag(lab, cfs_rq, se), true);
	if (lab_rule(lab, DELAY_BOUND) ? kept != lag : lag > 0)
		place_anew(lab, cfs_rq, se, kept);
}
