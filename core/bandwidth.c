/* SPDX-License-Identifier: MIT */
/*
 * bandwidth.c - how much a group may run in each period: the pool and the slices.
 *
 *	period timer        draw, by slices                     charge
 *	   quota ---> pool (cfs_b->runtime) ---> cfs_rq->runtime_remaining ---> spent
 *	                 ^                             |    |
 *	                 '-------- return slack -------'    '---> expired (to 5.3)
 *
 * Each CPU holds a local slice, so that the common case touches nothing shared.  A queue that is out of runtime is throttled
 * (throttle_group.c) and waits on cfs_b->throttled_cfs_rq until it is paid (bandwidth_walk.c).  When the pool is filled, and when slack is
 * handed on, is up to two timers (bandwidth_timer.c).
 *
 * Law (check.c), in ns and per group: granted + created == pool + held by CPUs + charged + lost.
 * Rules: docs/rules/bandwidth.md.  What no two kernels share is asked in a function of its own, named for the question.
 */
#include "core/bandwidth_impl.h"

#define KEPT_BY_IDLE_QUEUE (1 * MS)	/* min_cfs_rq_runtime */
#define DEFAULT_PERIOD (100 * MS)	/* default_cfs_period() */

/* ---- the pool ---- */

/* Rule bw_burst_stat (5.16): what was granted since the last refill beyond the quota is a burst. */
static void count_burst(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	s64 over = (s64)(cfs_b->runtime_snap - cfs_b->runtime - cfs_b->quota);

	if (!lab_rule(lab, BW_BURST_STAT) || over <= 0)
		return;
	cfs_b->nr_bursts++;
	cfs_b->burst_time += (u64)over;
}

/* Rule bw_refill: the pool becomes the quota (to 5.13), or gains it up to quota + burst (5.14, f4183717b370). */
void refill_cfs_bandwidth_runtime(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
{
	u64 left = cfs_b->runtime;

	if (!limited(cfs_b))
		return;
	if (lab_rule(lab, BW_REFILL) == BW_REFILL_ADD) {
		count_burst(lab, cfs_b);
		cfs_b->runtime = min_u64(left + cfs_b->quota, cfs_b->quota + cfs_b->burst);
	} else {
		cfs_b->runtime = cfs_b->quota;
	}
	cfs_b->runtime_snap = cfs_b->runtime;
	cfs_b->granted += cfs_b->quota;
	cfs_b->lost += left + cfs_b->quota - cfs_b->runtime;

	cfs_b->runtime_expires = lab->pf.cpu_clock(lab->pf.ctx, cpu) + cfs_b->period;
	cfs_b->expires_seq++;
}

/*
 * A queue takes over the deadline of what it drew.  By sequence (4.18): whenever that has moved; by deadline: only forward, so
 * that an extended one stays.
 */
static void take_over_deadline(struct lab *lab, struct cfs_rq *cfs_rq, const struct cfs_bandwidth *cfs_b)
{
	if (lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_SEQ) {
		if (cfs_rq->expires_seq == cfs_b->expires_seq)
			return;
		cfs_rq->expires_seq = cfs_b->expires_seq;
		cfs_rq->runtime_expires = cfs_b->runtime_expires;
	} else if (before(cfs_rq->runtime_expires, cfs_b->runtime_expires)) {
		cfs_rq->runtime_expires = cfs_b->runtime_expires;
	}
}

/* Bring @cfs_rq's local runtime up to @target from the pool; debt is paid in the same request.  True: it may run. */
bool assign_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq, u64 target)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);
	u64 need = target - (u64)cfs_rq->runtime_remaining; /* runtime_remaining <= 0 here: a sum */
	u64 amount = 0;

	if (!limited(cfs_b)) {
		amount = need;
		cfs_b->granted += amount;
	} else {
		start_cfs_bandwidth(lab, cfs_b, cfs_rq->rq->cpu, START_REQUEST);
		cfs_b->nr_short += cfs_b->runtime < need;
		if (cfs_b->runtime) {
			amount = min_u64(cfs_b->runtime, need);
			cfs_b->runtime -= amount;
			cfs_b->idle = false;
		}
	}
	cfs_rq->runtime_remaining += (s64)amount;
	take_over_deadline(lab, cfs_rq, cfs_b);
	return cfs_rq->runtime_remaining > 0;
}

/* ---- local runtime ---- */

static void drop_local_runtime(struct cfs_rq *cfs_rq)
{
	bandwidth_of(cfs_rq)->lost += (u64)cfs_rq->runtime_remaining;
	cfs_rq->runtime_remaining = 0;
}

/*
 * Rule bw_expiry: the local deadline has passed; is the slice dead, or is the local clock ahead of the one that stamped it?
 * By deadline (3.2-3.15): dead where the global one has moved on.  Inverted (3.16-4.17, 51f2176d74ac): dead where it has not.
 * By sequence (4.18-5.3, 512ac999d275): dead where the period it came from is over.
 */
static bool slice_is_dead(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct cfs_bandwidth *cfs_b)
{
	switch (lab_rule(lab, BW_EXPIRY)) {
	case BW_EXPIRY_DEADLINE:
		return before(cfs_rq->runtime_expires, cfs_b->runtime_expires);
	case BW_EXPIRY_INVERTED:
		return cfs_rq->runtime_expires == cfs_b->runtime_expires;
	default:
		return cfs_rq->expires_seq != cfs_b->expires_seq;
	}
}

/* To 5.3 (removed by de53fd7aedb1), where the local deadline has passed. */
void expire_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (cfs_rq->runtime_remaining < 0)
		return;
	if (slice_is_dead(lab, cfs_rq, bandwidth_of(cfs_rq)))
		drop_local_runtime(cfs_rq);
	else
		cfs_rq->runtime_expires += lab->tick_nsec;
}

/* Rule bw_throttled_draw: to 5.2 a queue that is throttled already may still be given runtime. */
static bool may_draw(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return !cfs_rq->throttled || lab_rule(lab, BW_THROTTLED_DRAW);
}

/*
 * Rule bw_throttle=charge (7.2): the charge asks for a slice where somebody runs, for 1 ns otherwise, and where there is none it
 * throttles at once; nobody is asked to leave by that.
 */
static void throttle_in_charge(struct lab *lab, struct cfs_rq *cfs_rq)
{
	bool runs = cfs_rq->curr && cfs_rq->curr->on_rq;

	if (!assign_cfs_rq_runtime(lab, cfs_rq, runs ? bandwidth_slice(lab) : 1))
		throttle_cfs_rq(lab, cfs_rq);
}

/* The local runtime of @cfs_rq is 0 or less after a charge: draw a slice, or ask current to leave. */
void runtime_used_up(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (!may_draw(lab, cfs_rq))
		return;
	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		throttle_in_charge(lab, cfs_rq);
	else if (!assign_cfs_rq_runtime(lab, cfs_rq, bandwidth_slice(lab)) && cfs_rq->curr)
		resched_curr(cfs_rq->rq);
}

u64 local_ticks_left(struct lab *lab, struct cfs_rq *cfs_rq, u64 first, u64 to_tick)
{
	u64 tick = lab->tick_nsec, ticks;
	s64 to_deadline;

	if (cfs_rq->runtime_remaining <= 0)
		return 1;
	ticks = ticks_for((u64)cfs_rq->runtime_remaining, first, tick);
	if (lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_NONE)
		return ticks;
	to_deadline = (s64)(cfs_rq->runtime_expires - cfs_rq->rq->clock);
	return to_deadline <= 0 ? 1 : min_u64(ticks, ticks_for((u64)to_deadline, to_tick, tick));
}

/* A write or a CPU going away: local runtime and debt are forgotten, @leave ns are left. */
void forget_local_runtime(struct lab *lab __attribute__((unused)), struct cfs_rq *cfs_rq, s64 leave)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);

	if (cfs_rq->runtime_remaining > 0)
		drop_local_runtime(cfs_rq);
	cfs_b->created += leave - cfs_rq->runtime_remaining;
	cfs_rq->runtime_remaining = leave;
}

/* ---- slack: what a queue gives back when its last entity leaves ---- */

/* To 5.3 slack of another period than the pool's is not taken back: equal deadlines, to the ns. */
static bool slack_is_current(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct cfs_bandwidth *cfs_b)
{
	return lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_NONE || cfs_rq->runtime_expires == cfs_b->runtime_expires;
}

void return_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);
	s64 slack = cfs_rq->runtime_remaining - (s64)KEPT_BY_IDLE_QUEUE;

	if (!cfs_rq->runtime_enabled || cfs_rq->nr_running || slack <= 0)
		return;
	cfs_rq->runtime_remaining -= slack;
	if (!limited(cfs_b) || !slack_is_current(lab, cfs_rq, cfs_b)) {
		cfs_b->lost += (u64)slack;
		return;
	}
	cfs_b->runtime += (u64)slack;
	if (cfs_b->runtime > bandwidth_slice(lab) && !list_empty(&cfs_b->throttled_cfs_rq))
		start_slack_timer(lab, cfs_b, cfs_rq->rq->cpu);
}

/* ---- a new group ---- */

void init_cfs_bandwidth(struct lab *lab, struct task_group *tg)
{
	struct cfs_bandwidth *cfs_b = &tg->cfs_bandwidth;

	cfs_b->quota = RUNTIME_INF;
	cfs_b->period = DEFAULT_PERIOD;
	cfs_b->hierarchical_quota = tg->parent && lab_rule(lab, BW_V2_HIERARCHY) == BW_V2_MIN ?
					    tg->parent->cfs_bandwidth.hierarchical_quota :
					    (s64)RUNTIME_INF;
	list_init(&cfs_b->throttled_cfs_rq);
}
