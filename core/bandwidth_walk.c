/* SPDX-License-Identifier: MIT */
/*
 * bandwidth_walk.c - distribution: 1 ns above zero for each throttled queue, as far as the pool goes.
 *
 *	cfs_b->throttled_cfs_rq:   [CPU 3] -> [CPU 0] -> [CPU 7] -> ...
 *	                              paid       ^ cursor	  each payment takes time (COST_UNTHROTTLE): TIMER_DISTRIBUTE goes on from here
 *
 * What is throttled meanwhile joins the list before or behind the cursor (rule bw_list).  Who draws from the pool meanwhile finds it hidden,
 * still full, or as it is: rule bw_pool.  A walk is begun by one of the timers (bandwidth_timer.c); there is one at a time for a group.
 * Rules: docs/rules/bandwidth.md 7.
 */
#include "core/bandwidth_impl.h"

/* ---- the pool meanwhile ---- */

bool distribution_running(const struct cfs_bandwidth *cfs_b) { return cfs_b->walk.running; }

/* What a walk has taken out of sight is still the pool's. */
u64 bw_hidden_by_walk(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	return lab_rule(lab, BW_POOL) == BW_POOL_HIDDEN ? cfs_b->walk.taken : 0;
}

/* Rule bw_pool: from where the walk takes: out of sight (to 3.16), from a snapshot (3.17-5.6), from the pool itself. */
static u64 walk_has(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	return lab_rule(lab, BW_POOL) == BW_POOL_EXACT ? cfs_b->runtime : cfs_b->walk.remaining;
}

static void walk_takes(const struct lab *lab, struct cfs_bandwidth *cfs_b, u64 amount)
{
	switch (lab_rule(lab, BW_POOL)) {
	case BW_POOL_HIDDEN:
		cfs_b->walk.taken -= amount;
		cfs_b->walk.remaining -= amount;
		break;
	case BW_POOL_SHARED: /* still in the pool for others to see and spend */
		cfs_b->walk.taken += amount;
		cfs_b->walk.remaining -= amount;
		cfs_b->created += (s64)amount;
		break;
	default:
		cfs_b->runtime -= amount;
	}
}

static void walk_begin(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct walk *walk = &cfs_b->walk;

	walk->running = true;
	walk->cursor = cfs_b->throttled_cfs_rq.next;
	walk->remaining = cfs_b->runtime;
	walk->taken = 0;
	walk->expires = cfs_b->runtime_expires;
	walk->local = NULL;
	if (lab_rule(lab, BW_POOL) == BW_POOL_HIDDEN) {
		walk->taken = cfs_b->runtime;
		cfs_b->runtime = 0;
	}
}

/* To 5.3 the slack timer settles with the pool only if no refill came in between. */
static bool may_settle(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	return !cfs_b->walk.slack || lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_NONE ||
	       cfs_b->walk.expires == cfs_b->runtime_expires;
}

/* The pool after the walk. */
static void walk_settle(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct walk *walk = &cfs_b->walk;
	u64 back;

	switch (lab_rule(lab, BW_POOL)) {
	case BW_POOL_HIDDEN: /* what is left is written back over what was returned meanwhile */
		if (may_settle(lab, cfs_b)) {
			cfs_b->lost += cfs_b->runtime;
			cfs_b->runtime = walk->taken;
		} else {
			cfs_b->lost += walk->taken;
		}
		break;
	case BW_POOL_SHARED: /* what others drew meanwhile has been spent twice */
		back = may_settle(lab, cfs_b) ? min_u64(walk->taken, cfs_b->runtime) : 0;
		cfs_b->runtime -= back;
		cfs_b->created -= (s64)back;
		break;
	}
	walk->taken = 0;
	walk->running = false;
}

/* Rule bw_unthrottle: here and now, or (6.3, 8ad075c2eb1f) by an interrupt to the other CPU, the own queue last. */
static void unthrottle_from_walk(struct lab *lab, struct cfs_bandwidth *cfs_b, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	if (lab_rule(lab, BW_UNTHROTTLE) == BW_UNTHROTTLE_DIRECT) {
		unthrottle_cfs_rq(lab, cfs_rq);
	} else if (rq->cpu == cfs_b->walk.cpu) {
		cfs_b->walk.local = cfs_rq;
	} else {
		cfs_rq->csd_pending = true;
		if (list_empty(&rq->unthrottle_list))
			lab->pf.kick(lab->pf.ctx, rq->cpu, KICK_UNTHROTTLE);
		list_add_tail(&cfs_rq->csd_list, &rq->unthrottle_list);
	}
}

/* Pay one throttled queue what it lacks to 1 ns, or what there is. */
static void pay_queue(struct lab *lab, struct cfs_bandwidth *cfs_b, struct cfs_rq *cfs_rq)
{
	u64 amount;

	update_rq_clock(cfs_rq->rq);
	if (!cfs_rq->throttled || cfs_rq->csd_pending)
		return;
	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE) /* who still runs there, in the kernel, pays first */
		update_curr(lab, cfs_rq);
	/* unsigned: a throttled queue that drew runtime (to 5.2) lacks a huge amount, and takes all there is */
	amount = min_u64(1 - (u64)cfs_rq->runtime_remaining, walk_has(lab, cfs_b));
	walk_takes(lab, cfs_b, amount);
	cfs_rq->runtime_remaining += (s64)amount;
	cfs_rq->runtime_expires = cfs_b->walk.expires; /* the sequence is not touched */
	if (cfs_rq->runtime_remaining > 0)
		unthrottle_from_walk(lab, cfs_b, cfs_rq);
}

/* Go on with the walk.  False: it has to wait for what it spent, TIMER_DISTRIBUTE is armed. */
static bool walk_on(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct walk *walk = &cfs_b->walk;

	while (walk->cursor != &cfs_b->throttled_cfs_rq && walk_has(lab, cfs_b)) {
		struct cfs_rq *cfs_rq = list_entry(walk->cursor, struct cfs_rq, throttled_list);
		u64 wait;

		walk->cursor = walk->cursor->next;
		pay_queue(lab, cfs_b, cfs_rq);
		if (walk->cursor == &cfs_b->throttled_cfs_rq || !walk_has(lab, cfs_b))
			break;
		wait = lab->pf.spend(lab->pf.ctx, walk->cpu, COST_UNTHROTTLE, 1);
		if (wait) {
			lab->pf.timer_arm(lab->pf.ctx, TIMER_DISTRIBUTE, group_of(cfs_b), walk->cpu, lab_ktime(lab) + wait);
			return false;
		}
	}
	return true;
}

static void walk_end(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct cfs_rq *local = cfs_b->walk.local;

	walk_settle(lab, cfs_b);
	if (local && local->throttled) {
		update_rq_clock(local->rq);
		unthrottle_cfs_rq(lab, local);
	}
}

/* A queue that waits for its interrupt is paid for. */
static bool someone_waits_unpaid(const struct cfs_bandwidth *cfs_b)
{
	struct list_head *pos;

	list_for_each(pos, &cfs_b->throttled_cfs_rq)
		if (!list_entry(pos, struct cfs_rq, throttled_list)->csd_pending)
			return true;
	return false;
}

static bool period_goes_on(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	if (!cfs_b->runtime || list_empty(&cfs_b->throttled_cfs_rq))
		return false;
	return lab_rule(lab, BW_UNTHROTTLE) == BW_UNTHROTTLE_DIRECT || someone_waits_unpaid(cfs_b);
}

/* Walks for the period timer until nothing is throttled or the pool is empty.  False: it goes on later. */
bool distribute_period(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	do {
		if (!cfs_b->walk.running)
			walk_begin(lab, cfs_b);
		if (!walk_on(lab, cfs_b))
			return false;
		walk_end(lab, cfs_b);
	} while (period_goes_on(lab, cfs_b));
	return true;
}

void distribute_slack(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	if (!cfs_b->walk.running)
		walk_begin(lab, cfs_b);
	if (walk_on(lab, cfs_b))
		walk_end(lab, cfs_b);
}
