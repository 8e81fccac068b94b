/* SPDX-License-Identifier: MIT */
/*
 * tick_guess.h - how often the recorded machine's timer ticks, from when tasks were made to leave.
 *
 * Tasks are preempted and throttled mostly inside a tick, so the times at which runnable tasks left their CPU pile up behind the
 * multiples of 1/HZ.  What piles up at 4 ms piles up at 1 ms too, so among the frequencies that explain nearly as much
 * as the best, 250 and then the slower one is taken.
 */
#ifndef TRACE_TICK_GUESS_H
#define TRACE_TICK_GUESS_H

#include "trace/record.h"

struct tick_guess {
	u32 hz;		/* 0: the recording does not show it */
	u64 phase;	/* ns, 0 .. 1/HZ: where ticks lie on the recording's clock */
	u64 nr, on_tick;/* tasks made to leave, and how many of them right behind a tick */
};

/* 0, or -1 when memory is out. */
int ticks_infer(struct tick_guess *guess, const struct trace *tr);

/* ns; @hz is not 0. */
static inline u64 tick_length(u32 hz) { return SEC / hz; }

#endif
