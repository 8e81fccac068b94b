/* SPDX-License-Identifier: MIT */
/*
 * phase.h - where the periods of a group and the ticks of the CPUs begin, watched from outside.
 *
 * From 6.4 on each group's period timer has an offset of its own, which no file shows.  But writing a limit starts the timer, and
 * nr_periods of cpu.stat counts its expiries: whoever looks often enough sees the moment.
 */
#ifndef LIVE_PHASE_H
#define LIVE_PHASE_H

#include "live/cgroup.h"

/*
 * A moment of CLOCK_MONOTONIC at which a period of @group, of length @period, began; NEVER where nr_periods did not move.  The group
 * must be idle.  Takes two to five periods.
 */
u64 phase_boundary(const struct cgroups *cg, const char *group, u64 period);

/*
 * Where in a step of @step ns of CLOCK_MONOTONIC this CPU's ticks are; 0 where they are on its whole multiples (as on all kernels since
 * 2023), or where nobody can tell.  Keeps the CPU busy for some ten ticks.
 */
u64 phase_tick(u64 step);

/* The first moment at or after @t that lies on a multiple of @step from moment @grid. */
u64 phase_next(u64 t, u64 grid, u64 step);

/* How far @moment lies behind the last multiple of @step from @grid, whichever of the two is earlier. */
u64 phase_behind(u64 moment, u64 grid, u64 step);

#endif
