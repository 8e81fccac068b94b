/* SPDX-License-Identifier: MIT */
/*
 * recover_ways_impl.h - what recover_ways.c and recover_again.c share.
 *
 *	recover_ways.c	copies of the recovered scenario, other ends, nobody else
 *	recover_again.c	the same load once more: blocks of the recording in another order
 */
#ifndef TRACE_RECOVER_WAYS_IMPL_H
#define TRACE_RECOVER_WAYS_IMPL_H

#include "trace/recover_ways.h"

#define BLOCKS_MOST 64u

struct ways_builder {
	const struct recovered *rec;
	struct arena *mem;
	struct recover_way *way;
	u32 blocks;
	u64 from[BLOCKS_MOST]; /* where block i is taken from, in 2^32-ths of the recording */
	bool *moves;	       /* per thread: its turns are moved as a whole; of recover_again_init() */
};

static inline void *ways_mem(struct ways_builder *b, u64 nr, size_t size) { return arena_alloc(b->mem, max_u64(nr, 1) * size); }

/* @share, in 2^32-ths, of @whole. */
static inline u64 ways_part(u64 whole, u64 share) { return (u64)((unsigned __int128)whole * share >> 32); }

/* Copy what threads want into @b->way.  False when memory is out, here and below. */
bool ways_copy(struct ways_builder *b);

/* @program with steps and phases of its own. */
bool ways_own_steps(struct ways_builder *b, struct program *program);

/* Once, before drawings: which threads move as a whole. */
bool recover_again_init(struct ways_builder *b);

/* Drawing number @number into @b->way. */
bool recover_again(struct ways_builder *b, u32 number);

#endif
