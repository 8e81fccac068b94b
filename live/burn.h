/* SPDX-License-Identifier: MIT */
/*
 * burn.h - CPU work of a wanted length, done so that the kernel sees nothing but plain computing.
 *
 *	burn	block block block | off the CPU | block block ... --> the thread's CPU clock once, at the end: enough?
 *		 5 us each	    a gap: not counted
 *
 * Asking for a thread's CPU clock makes the kernel bring the running group's accounts up to date, and so hides what waits for the
 * next tick.  So the wall clock is read instead, which needs no kernel, and a gap between two blocks counts as time off the CPU.
 * The CPU clock settles the rest where the burn ends, for there the program goes on to something else anyway.
 */
#ifndef LIVE_BURN_H
#define LIVE_BURN_H

#include "base/types.h"

struct burner {
	u64 block_turns; /* of the loop, in BURN_BLOCK */
};

#define BURN_BLOCK (5 * US)
#define BURN_SHORT (20 * US) /* shorter burns are so many turns, unmeasured */

/* CLOCK_MONOTONIC, ns. */
u64 clock_now(void);
/* Asleep until @when of that clock. */
void clock_sleep_until(u64 when);

/* Find out how fast this machine is; takes some 3 ms. */
void burn_calibrate(struct burner *b);

/* @ns of CPU work.  @exact: look at the CPU clock at the end and make up for what is missing. */
void burn_cpu(const struct burner *b, u64 ns, bool exact);

/* Busy until @when of CLOCK_MONOTONIC. */
void burn_until(const struct burner *b, u64 when);

/* Busy for about a microsecond. */
void burn_moment(const struct burner *b);

#endif
