/* SPDX-License-Identifier: MIT */
/*
 * balance_points.h - the points at which the rest of the scheduler lets balancing in; private to core/.
 *
 *	a tick		balance_tick()		balance_when.c, which raises a softirq where a level is due
 *	out of work	newidle_balance()	balance_idle.c
 *	tickless	nohz_*()		nohz.c: a busy CPU's tick looks after those that sleep
 *	the stopper	stop_and_push()		stop.c
 *
 * What the files of balancing ask of each other is in balance.h.
 */
#ifndef CORE_BALANCE_POINTS_H
#define CORE_BALANCE_POINTS_H

#include "base/bits.h"
#include "base/types.h"
#include "core/entity.h"
#include "core/inside.h"
#include "core/queue.h"

bool init_balance(struct lab *lab); /* false: no memory */
void balance_tick(struct rq *rq);   /* at each tick of any CPU */
u64 balance_due(const struct rq *rq); /* the first tick of a busy CPU at which balance_tick() does anything */
u64 idle_tick_due(const struct rq *rq); /* of an idle one; NEVER: it has none */
bool newidle_balance(struct rq *rq); /* nothing to run here: true where now there is */
void idle_ends(struct rq *rq);	     /* by a wakeup */
void nohz_begins(struct lab *lab);   /* the first task that may move */
void nohz_idle_starts(struct rq *rq);
void nohz_joins(struct rq *rq); /* has come */
void nohz_leave(struct rq *rq); /* is busy, or gone */
void forget_quiet(struct lab *lab); /* the domains were built anew */
/* The stopper of @p's CPU shall take it to @cpu; false where there is no memory for one. */
bool stop_and_push(struct lab *lab, struct task_struct *p, int cpu);
void stop_forgets(struct task_struct *p); /* it has left, or may stay */
void stop_cpu_gone(struct rq *rq);

/* Are there tasks that may move, and CPUs to move them to? */
static inline bool balances(const struct rq *rq) { return rq->lab->nr_movable && rq->smp.sd; }

/* Something has come to @rq, or is on its way: nobody may pass it over as blank (is_blank). */
static inline void stain(struct rq *rq) { bit_set(rq->lab->smp.stained, rq->cpu); }

/* @nr tasks more (or, below 0, less) may run on @rq. */
static inline void count_running(struct rq *rq, s32 nr)
{
	bool was_crowded = rq->nr_running > 1;

	rq->nr_running += (u32)nr;
	if (likely(was_crowded == (rq->nr_running > 1)))
		return;
	rq->lab->smp.nr_crowded += was_crowded ? -1u : 1;
	if (!was_crowded)
		rq->lab->smp.overloaded = true;
}

#endif
