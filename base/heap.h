/* SPDX-License-Identifier: MIT */
/*
 * heap.h - what happens next: a 4-ary heap of moments, and lines in front of it.
 *
 *	line 1:  (5) (5) (6)			timers that are all armed about equally far ahead come in the order in which they are armed: who
 *	line 2:  (8) (9)			comes behind the last one joins the line, and nothing has to be searched
 *	heap:       (7)
 *	          /  |  \			the rest.  Who is postponed stays where it is: its key is earlier than its own moment, which harms
 *	      (9>30) (8) (12)			nobody before it is due.  The end of a run is postponed at every switch for long before it comes.
 *
 * Ordered by time, then rank, then lane, then order of arming: a total order, so that a run repeats.  A lane keeps what belongs together in one
 * piece: the timers of one CPU at one instant.  Each entry knows its slot, so it
 * can be moved or taken out.  The heap holds pointers to entries that live in the things they belong to.
 *
 * Law (heap_check): no key comes before its parent's, no entry before its key; entry->slot is where it stands; lines are in order.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/types.h"

struct heap_entry {
	u64 time;
	u64 order; /* rank in the top 8 bits, the lane in the next 10, then the sequence number */
	s32 slot;  /* of its key, or its place in the line; -1: not armed */
	u8 line;   /* which it joins if it can; 0: none */
	bool in_line;
};

struct heap_key { /* kept beside the pointer, so that a comparison touches one cache line */
	u64 time, order; /* of the entry, or before it: it was postponed */
	struct heap_entry *entry;
};

#define HEAP_LINES 2
#define HEAP_LINE_ROOM 256 /* a power of two */

struct heap_line {
	u32 first, end; /* who stands there; both count on for ever, and the places go round */
	struct heap_entry *place[HEAP_LINE_ROOM]; /* NULL: has left; neither the first nor the last */
};

struct heap {
	struct heap_key *key;
	s32 nr, cap; /* keys, and the room for them; who stands in a line has none */
	struct heap_line line[HEAP_LINES];
	u64 seq;
	u64 shuffle; /* not 0: the sequence number is scrambled by this seed, so that ties of one rank fall otherwise */
};

#define HEAP_RANK_SHIFT 56
#define HEAP_LANE_SHIFT 46
#define HEAP_LANES 1024
#define HEAP_RANKS 256 /* the last is nobody's */

/* An entry, before its first use, that joins @line, 1 .. HEAP_LINES, or none (0). */
static inline void heap_entry_init_in(struct heap_entry *e, u8 line)
{
	e->slot = -1;
	e->line = line;
	e->in_line = false;
}
/* The same, and it joins none; is it in a heap, or in a line? */
static inline void heap_entry_init(struct heap_entry *e) { heap_entry_init_in(e, 0); }
static inline bool heap_armed(const struct heap_entry *e) { return e->slot >= 0; }

/* The earliest, and its time: NULL and NEVER in an empty heap. */
struct heap_entry *heap_first(struct heap *h);
u64 heap_first_time(struct heap *h);
/* The earliest, if it comes before what has @rank at @time; else NULL.  Who was postponed and is not due by then is left where it is. */
struct heap_entry *heap_first_before(struct heap *h, u64 time, unsigned rank);

/* @room: space for @cap keys, owned by the caller, who must grow it (heap_set_room) before it is full. */
void heap_set_room(struct heap *h, struct heap_key *room, s32 cap);
/* Insert @e, or move it if it is in the heap already; it goes behind all of its time, rank and lane (0 .. HEAP_LANES - 1). */
void heap_arm_in(struct heap *h, struct heap_entry *e, u64 time, unsigned rank, unsigned lane);
static inline void heap_arm(struct heap *h, struct heap_entry *e, u64 time, unsigned rank) { heap_arm_in(h, e, time, rank, 0); }
void heap_remove(struct heap *h, struct heap_entry *e); /* harmless where it is not armed */
bool heap_any(const struct heap *h, bool (*is)(const struct heap_entry *)); /* is one of those in it such a one? */
bool heap_check(const struct heap *h); /* do the laws hold? */

#endif
