/* SPDX-License-Identifier: MIT */
/*
 * burn.h - CPU work of a wanted length, done so that the kernel sees nothing but plain computing.
 *
 *	burn	block block block | off the CPU | block block ...	until the blocks are worth it
 *		 5 us each	    a gap: not counted
 *
 * A thread that asks for its own CPU clock makes the kernel charge the running group at that moment, and so changes what is measured: what
 * would have waited for the next tick is noticed at once, and the thread is stopped in the middle of its work instead of behind it.  So only the wall
 * clock is read, which needs no kernel, and a gap between two blocks counts as time off the CPU.  An interrupt that is shorter than a gap
 * counts as work, as it does in the thread's CPU time.
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

/* @ns of CPU work. */
void burn_cpu(const struct burner *b, u64 ns);

/* Busy until @when of CLOCK_MONOTONIC. */
void burn_until(const struct burner *b, u64 when);

/* Busy for about a microsecond. */
void burn_moment(const struct burner *b);

#endif
