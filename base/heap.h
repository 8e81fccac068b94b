/* SPDX-License-Identifier: MIT */
/*
 * heap.h - what happens next: a 4-ary heap of moments.
 *
 * Ordered by time, then rank, then lane, then order of arming: a total order, so that a run repeats.  A lane keeps what belongs together in one
 * piece: the timers of one CPU at one instant.  Each entry knows its slot, so it
 * can be moved or taken out.  The heap holds pointers to entries that live in the things they belong to.
 *
 * Law (heap_check): no entry comes before its parent; entry->slot is where it stands.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/types.h"

struct heap_entry {
	u64 time;
	u64 order; /* rank in the top 8 bits, the lane in the next 10, then the sequence number */
	s64 slot;  /* -1: not in a heap */
};

struct heap_key { /* kept beside the pointer, so that a comparison touches one cache line */
	u64 time, order;
	struct heap_entry *entry;
};

struct heap {
	struct heap_key *key;
	s64 nr, cap;
	u64 seq;
	u64 shuffle; /* not 0: the sequence number is scrambled by this seed, so that ties of one rank fall otherwise */
};

#define HEAP_RANK_SHIFT 56
#define HEAP_LANE_SHIFT 46
#define HEAP_LANES 1024

/* An entry, before its first use; is it in a heap?  The earliest, and its time: NULL and NEVER in an empty heap. */
static inline void heap_entry_init(struct heap_entry *e) { e->slot = -1; }
static inline bool heap_armed(const struct heap_entry *e) { return e->slot >= 0; }
static inline struct heap_entry *heap_first(const struct heap *h) { return h->nr ? h->key[0].entry : NULL; }
static inline u64 heap_first_time(const struct heap *h) { return h->nr ? h->key[0].time : NEVER; }

/* @room: space for @cap keys, owned by the caller, who must grow it (heap_set_room) before it is full. */
void heap_set_room(struct heap *h, struct heap_key *room, s64 cap);
/* Insert @e, or move it if it is in the heap already; it goes behind all of its time, rank and lane (0 .. HEAP_LANES - 1). */
void heap_arm_in(struct heap *h, struct heap_entry *e, u64 time, unsigned rank, unsigned lane);
static inline void heap_arm(struct heap *h, struct heap_entry *e, u64 time, unsigned rank) { heap_arm_in(h, e, time, rank, 0); }
void heap_remove(struct heap *h, struct heap_entry *e); /* harmless where it is not armed */
bool heap_check(const struct heap *h); /* do the laws hold? */

#endif
