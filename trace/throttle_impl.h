/* SPDX-License-Identifier: MIT */
/*
 * throttle_impl.h - what the parts of the inference share; private to trace/.
 *
 *	gap.c		gaps, and who had the CPUs meanwhile
 *	members.c	whose gaps end on a common grid: the group
 *	throttle_infer.c	that grid, the quota, the verdict on each gap
 */
#ifndef TRACE_THROTTLE_IMPL_H
#define TRACE_THROTTLE_IMPL_H

#include "trace/grid.h"
#include "trace/throttle_infer.h"

#define FITS_MAX 8
#define SEARCH_MOST 512	   /* gaps the search for a period looks at: the longest */
#define SHORT_GAP (8 * MS) /* a wait may be as long; longer ones that end on the grid are throttles */

/* A stretch in which one of the group's threads had a CPU. */
struct turn {
	u64 start, end;
	u16 cpu;
};

struct work {
	const struct trace *tr;
	const struct timeline *tl;
	const struct families *fam;
	const struct throttle_ask *ask;
	struct throttle_guess *g;
	bool *member;
	struct turn *turns; /* of the members, by CPU and time */
	u64 nr_turns;
	u64 tick;	/* ns, what is usual where it is not known */
	u64 known_tick; /* 0 where it is not known */
};

/* Ready and not running, from a moment that is known; what the end of the recording cuts off counts for nothing. */
static inline bool is_wait(const struct span *s)
{
	return s->state == SPAN_READY && !(s->flags & (SPAN_OPEN | SPAN_LOOSE));
}

/* gap.c */

/* All gaps of the tasks of which @wanted is true, by time; *@nr of them.  NULL when memory is out; the caller frees. */
struct gap *gaps_of(const struct work *w, const bool *wanted, u64 *nr);
/* Collect the turns of all of @wanted into @w.  False when memory is out. */
bool collect_turns(struct work *w, const bool *wanted);
/* Did the group run where @gap's thread waited, shortly before @t? */
bool was_crowded(const struct work *w, const struct gap *gap, u64 t);
/* Those of @gaps that may tell a period, at most @most, by their ends; *@kept of them.  NULL when memory is out; the caller frees. */
struct grid_gap *grid_gaps(const struct work *w, const struct gap *gaps, u64 nr, u64 most, u64 *kept);

/* members.c */

/* Decide who the group is.  0, or -1 when memory is out. */
int pick_members(struct work *w);

#endif
