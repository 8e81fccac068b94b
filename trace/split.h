/* SPDX-License-Identifier: MIT */
/*
 * split.h - the pieces of work that a throttled thread did in one burst, because it came to no end.
 *
 *	not throttled	|##|    |#|      |###|		each piece of work is a burst
 *	throttled	|## ...throttled... ###|	what came meanwhile lies in a queue, and nobody is woken for it
 *
 * Where a thread that is woken from outside was throttled in a burst much longer than those in which it was not, that burst is taken for several
 * pieces, as long as those; they came at some time from its wakeup on, each before it was begun.  Under the recorded limit they are the same
 * burst; under a looser one they are what they would have been.  Lengths and times are drawn, by chance that comes from the recording.
 */
#ifndef TRACE_SPLIT_H
#define TRACE_SPLIT_H

#include "trace/burst.h"
#include "trace/throttle_infer.h"

/*
 * Split such bursts of the @nr elements of @bursts, which stand for threads of a group, but for those that are whole; @alike[i] is the first
 * that is called as thread i is.  0, or -1 when memory is out.
 */
int split_bursts(struct bursts *bursts, u32 nr, const u32 *alike, const struct timeline *tl, const struct throttle_guess *guess);

#endif
