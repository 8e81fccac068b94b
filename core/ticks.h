/* SPDX-License-Identifier: MIT */
/*
 * ticks.h - ticks that were left out, caught up (ticks.c), and the timer of turns (hrtick.c); private to core/.
 *
 * A tick that can decide nothing is not called; who reads what ticks write asks here first.
 */
#ifndef CORE_TICKS_H
#define CORE_TICKS_H

#include "base/types.h"
#include "core/inside.h"
#include "core/queue.h"

/* Ticks so far: what balancing counts time in. */
static inline u64 lab_jiffies(struct lab *lab) { return (lab_ktime(lab) - lab->cfg.tick_base) / lab->tick_nsec; }

/* ---- ticks.c ---- */
/* Charge ticks of @rq that have passed before its averages are read from elsewhere; its next tick is due as before. */
void peek_load(struct rq *rq);
void settle_ticks(struct rq *rq); /* something that @rq's ticks read is about to change: charge those that have passed */
void update_rq_clock(struct rq *rq); /* start of a section: catch up ticks left out, then sample the clock */
void rq_starts_running(struct rq *rq); /* the idle task leaves: ticks count from here */

/* How many ticks until they have brought @left, of which the next one brings @first and each further one @step; at least 1. */
static inline u64 ticks_for(u64 left, u64 first, u64 step)
{
	return left <= first || !step ? 1 : (left - first - 1) / step + 2;
}

/* ---- hrtick.c ---- */
void hrtick_update(struct rq *rq);
void task_hrtick(struct rq *rq);

#endif
