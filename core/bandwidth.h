/* SPDX-License-Identifier: MIT */
/*
 * bandwidth.h - limits: what is charged, drawn, thrown off and put back (bandwidth*.c, throttle*.c); private to core/.
 *
 *	cfs_bandwidth (the pool) --a slice at a time--> cfs_rq.runtime_remaining --update_curr()--> charged
 *	       ^                                              |
 *	       '-- what a CPU need not keep -- below 0: throttled, until a distribution pays the debt
 *
 * Law (check.c): granted + created == pool + held + charged + lost, in ns and per group.
 */
#ifndef CORE_BANDWIDTH_H
#define CORE_BANDWIDTH_H

#include "base/types.h"
#include "core/group.h"
#include "core/inside.h"
#include "core/path.h"
#include "core/queue.h"

#define MAX_QUOTA_PERIOD (1 * SEC) /* max_cfs_quota_period */

/* ---- bandwidth.c: the pool and the slices ---- */
void init_cfs_bandwidth(struct lab *lab, struct task_group *tg); /* a new group's: no limit, a period of 100 ms */
void expire_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq); /* its deadline has passed: throw away what is left, or move the deadline */
void runtime_used_up(struct lab *lab, struct cfs_rq *cfs_rq);	    /* 0 or less after a charge: draw, or ask current to leave */

/* Charge @delta_exec ns of running to @cfs_rq's local runtime; where that is used up, draw a slice or ask current to leave. */
static inline void account_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq, u64 delta_exec)
{
	cfs_rq->charged += delta_exec;
	cfs_rq->runtime_remaining -= (s64)delta_exec; /* below 0 is a debt, repaid first */
	if (lab_rule(lab, BW_EXPIRY) != BW_EXPIRY_NONE && !before(cfs_rq->rq->clock, cfs_rq->runtime_expires))
		expire_cfs_rq_runtime(lab, cfs_rq);
	if (unlikely(cfs_rq->runtime_remaining <= 0))
		runtime_used_up(lab, cfs_rq);
}

/* Draw from the pool until the local runtime is @target ns, debt included.  True: it may run. */
bool assign_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq, u64 target);
void return_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq); /* its last entity has left: all but 1 ms goes back, where the row allows */
/* A new period's grant, in the time of @cpu. */
void refill_cfs_bandwidth_runtime(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu);

/* A write, or its CPU goes away: local runtime and debt are forgotten, @leave ns are left; the ledger knows it as lost or created. */
void forget_local_runtime(struct lab *lab, struct cfs_rq *cfs_rq, s64 leave);
/* How many ticks until a charge uses up the local runtime, or meets its deadline; at least 1.  The next charges @first ns and is @to_tick ns away. */
u64 local_ticks_left(struct lab *lab, struct cfs_rq *cfs_rq, u64 first, u64 to_tick);

/* ---- bandwidth_timer.c: the period timer ---- */
enum starter { START_REQUEST, START_THROTTLE, START_WRITE }; /* who wants it: rule bw_restart minds */
/* Runtime is wanted in the time of @cpu: arm the timer where it stands still. */
void start_cfs_bandwidth(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu, enum starter why);
/* The same after a write to the limit, where rule bw_arm_on_write has it. */
void restart_cfs_bandwidth(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu);

/* ---- bandwidth_walk.c: runtime handed to throttled queues ---- */
bool distribution_running(const struct cfs_bandwidth *cfs_b); /* a walk over the list of throttled queues is not at its end */
u64 bw_hidden_by_walk(const struct lab *lab, const struct cfs_bandwidth *cfs_b); /* ns out of sight that are still the pool's */

/* ---- the throttle policy: throttle_group.c (to 6.17), throttle_task.c (from 6.18) ---- */
struct throttle_ops {
	/* @cfs_rq is out of runtime, on the list and counted: take off the CPU what leaves at once. */
	void (*throttle)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* No queue from @cfs_rq up is throttled any more: asked for each below an unthrottled one, children first.  NULL: nothing to do. */
	void (*released)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* It has runtime again and the counts are down: put back what was taken off.  NULL: nothing to do. */
	void (*unthrottle)(struct lab *lab, struct cfs_rq *cfs_rq);
	bool takes_group_off; /* a throttled queue is not part of the hierarchy above it */
};
extern const struct throttle_ops throttle_group, throttle_task;

/* Does a walk up the hierarchy end at @cfs_rq, because nothing of it is queued above? */
static inline bool ends_walk(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return is_throttled(cfs_rq) && lab->throttle->takes_group_off;
}

/* The same where somebody has just been queued, which on a calm CPU is the moment of the first throttle. */
static inline bool ends_walk_now(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return PATH >= PATH_CALM && cfs_rq->throttled && lab->throttle->takes_group_off;
}

/* Is @cfs_rq kept from running as a whole, by a limit here or above?  From 6.18 only parked tasks are. */
static inline bool cut_off(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return throttled_hierarchy(cfs_rq) && lab->throttle->takes_group_off;
}

/* From 6.18: @p, just picked below a throttled queue, is to be parked when it next returns to user mode. */
void give_throttle_work(struct rq *rq, struct task_struct *p);
void park(struct task_struct *p); /* @p is on no queue: into the limbo list of its own */
void unpark(struct task_struct *p); /* off that list; whoever asks queues it */

/* ---- throttle.c: what both share ---- */
bool throttle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq); /* false: it found runtime after all */
void unthrottle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq); /* its CPU's clock is up to date; who waited is queued, not run */
bool out_of_runtime(struct lab *lab, struct cfs_rq *cfs_rq);	/* the second half of check_cfs_rq_runtime() */

/* At a schedule pass: is this level out of runtime?  Then throttle it.  True: its tasks are off the CPU now, pick again. */
static inline bool check_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	return is_metered(cfs_rq) && unlikely(cfs_rq->runtime_remaining <= 0) && out_of_runtime(lab, cfs_rq);
}

void check_enqueue_throttle(struct lab *lab, struct cfs_rq *cfs_rq); /* the first entity joins it: it may have to be throttled at once */
void run_unthrottle_list(struct rq *rq); /* the interrupt of rule bw_unthrottle=ipi has arrived on its CPU */
void choose_path(struct rq *rq);	 /* what path.h says of copies may have changed on this CPU */
bool path_is_right(const struct rq *rq); /* a law */
void put_under_limit(struct lab *lab, struct task_group *tg); /* @tg is limited from now on, or was */
void stop_pelt_clock(struct cfs_rq *cfs_rq); /* its averages neither grow nor decay until it is unthrottled */
void last_has_left(struct lab *lab, struct cfs_rq *cfs_rq); /* nothing is queued on @cfs_rq any more */
void start_local_clock(struct cfs_rq *cfs_rq); /* cpu.stat.local counts from here to the release */

#endif
