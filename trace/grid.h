/* SPDX-License-Identifier: MIT */
/*
 * grid.h - do gaps end on a common grid?
 *
 *	folded by the true period:	|  ....:::|		ends pile up right behind one point, the phase
 *	folded by any other:		|.: . .: .|
 *
 * The measure of a period is how much of the gap time ends within a window behind the best phase, beyond what chance would
 * put there: the excess, 1 for all of it.  Chance is an even spread, or the tick: plain waiting often ends on one, so a period
 * that is a tick, or a few, explains nothing.  The window is a tenth of the period, at most 8.5 ms (two ticks of 4 ms and
 * a little): a released thread may have to wait for its CPU.
 */
#ifndef TRACE_GRID_H
#define TRACE_GRID_H

#include "base/types.h"

struct grid_gap {
	u64 end, len; /* ns; in order of end */
};

struct grid_fit {
	u64 period, phase; /* ns */
	u64 on_grid, total; /* ns of gap time, each gap counted up to one period */
	u64 points;	    /* distinct grid points at which a gap ended */
	double excess;
};

/* How near to a point of the grid a gap has to end to be on it, ns. */
u64 grid_window(u64 period);

/* The best phase for @period.  @tick: ns, or 0 where it is not known. */
void grid_fit_period(struct grid_fit *fit, const struct grid_gap *gaps, u64 nr, u64 period, u64 tick);

/*
 * Periods of whole ms from 1 ms to 1 s (the kernel's range) that explain nearly as much as the best one, best guess first:
 * 100 ms, the default everywhere, if it is among them, then the longest.  Returns how many, at most @max.
 */
u32 grid_search(struct grid_fit *fits, u32 max, const struct grid_gap *gaps, u64 nr, u64 tick);

#endif
