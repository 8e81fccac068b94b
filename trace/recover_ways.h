/* SPDX-License-Identifier: MIT */
/*
 * recover_ways.h - what a recording of events leaves open, as further scenarios.
 *
 *	recorded	|  A  |  B  |  C  |  D  |  E  |	a few seconds of a load that is never twice the same
 *	again		|  D  |  B  |  B  |  E  |  A  |	others that it could have been: blocks of it, drawn with replacement
 *	other end	threads that were busy when it ended: for ever, instead of no more than what ran; or the other way round
 *
 * Blocks are long enough (several periods) for what hangs together in a load to stay together, and all threads' blocks are the same stretches of
 * time.  Where threads are woken from outside, all that one arrival set going moves along with it (recover_again.c); timers' grids and sleeps
 * stay, and lengths are drawn.  Chance comes from the recording itself: the same file, the same ranges.
 */
#ifndef TRACE_RECOVER_WAYS_H
#define TRACE_RECOVER_WAYS_H

#include "trace/recover.h"

#define WAYS_AGAIN_MOST 16

struct recover_ways {
	struct recover_way again[WAYS_AGAIN_MOST];
	u32 nr_again;
	struct recover_way other_end;
	bool has_other_end;
	u64 block; /* ns */
	struct arena mem;
};

/*
 * Thread @i was busy when the recording ended and throttled, and had been so for longer than a block: how much it still wanted may be more than
 * what a drawing shows.  Who slept later than that was without work then.
 */
bool recover_end_is_open(const struct recovered *rec, u32 i);

/* @nr_again of the former, WAYS_AGAIN_MOST at most, and the other where it differs.  0, or -1 when memory is out; recover_ways_fini() is due in both cases. */
int recover_ways(struct recover_ways *ways, const struct recovered *rec, u32 nr_again);
void recover_ways_fini(struct recover_ways *ways);

#endif
