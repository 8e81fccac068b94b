/* SPDX-License-Identifier: MIT */
/*
 * waits.h - how long bursts waited for CPUs on which others ran.
 *
 *	ready time = throttled + behind threads of the group + behind others
 *						\-- a replay of the group alone has these by itself
 *								 \-- these it must be given
 *
 * What others do is taken for their own business, which the group's limit does not change.  But what a thread waits behind a refill, together with all
 * who were throttled, comes and goes with the throttle.
 */
#ifndef TRACE_WAITS_H
#define TRACE_WAITS_H

#include "trace/burst.h"
#include "trace/throttle_infer.h"

/*
 * Set burst.late and burst.pushed of each of the @nr elements of @bursts, from @tl and the gaps in @guess; the machine has @cpus.  A throttle that lies on no grid
 * counts as a wait.  0, or -1 when memory is out.
 */
int waits_count(struct bursts *bursts, u32 nr, const struct timeline *tl, int cpus, const struct throttle_guess *guess);

#endif
