/* SPDX-License-Identifier: MIT */
/*
 * recover_impl.h - what recover.c and recover_program.c share.
 *
 *	recover.c		threads, who wakes whom, resources, the scenario around them
 *	recover_program.c	bursts --> turns --> phases of one thread's program
 */
#ifndef TRACE_RECOVER_IMPL_H
#define TRACE_RECOVER_IMPL_H

#include "trace/recover.h"

/* A thread woke another of the group: kept as a post of the wakee's semaphore.  Or it wrote a mark: a request begins or ends. */
struct edge {
	u32 waker, wakee; /* thread indices; wakee may be one of the two below */
	u64 t;
};
#define MARK_ENDS (UINT32_MAX - 2) /* of edges at one moment it comes first */
#define MARK_BEGINS (UINT32_MAX - 1)

/* One turn of a program's loop: wait, then run, with wakeups of others in between. */
struct turn {
	u8 kind;	/* enum wake_kind */
	bool last;	/* nothing comes behind it */
	u64 wait;	/* ns of a sleep; of a periodic timer: to its first expiry, else 0 */
	u32 skipped;	/* expiries of a periodic timer that had no work */
	u64 late, pushed; /* as of its burst */
	u64 first_run;	/* of builder.runs; nr_posts + 1 of them */
	u32 nr_posts, first_post;
	u64 origin;	/* when what set it going came, whoever handed it on; ns, the recording's clock */
};

struct builder {
	struct recovered *rec;
	const struct trace *tr;
	const struct timeline *tl;
	const struct throttle_guess *guess;
	const struct tick_guess *ticks;
	const bool *member;
	bool bounded;	       /* see struct recover_ask */
	struct bursts *bursts; /* per thread */
	u32 *thread_of;	       /* trace task -> thread, or TRACE_NO_TASK */
	u32 nr;
	struct edge *edges;    /* by waker and time */
	u64 nr_edges;
	u32 *timers, *sems, *arrivals; /* resource of a thread, or REF_NONE */
	u32 span;	       /* resource: requests, or REF_NONE */
	u64 *origins, *origin_from; /* of bursts; those of thread i from origin_from[i] on */
	u32 *kind_of;	       /* the first thread that is called as this one */
	bool *kind_sleeps;     /* some thread of that name came to the end of its work, or was given some */

	/* of the thread at hand */
	struct turn *turns;
	u64 nr_turns, cap_turns;
	u64 *runs, nr_runs, cap_runs;
	bool late, pushed;     /* others had its CPU now and then */
	bool on_grid;	       /* its periodic timer has expired */
	u32 *posts;
	u64 nr_posts, cap_posts;
};

static inline void *recover_mem(struct builder *b, u64 nr, size_t size) { return arena_alloc(&b->rec->sc.mem, nr * size); }

/* The first edge of waker @i at or after @t; nr_edges where there is none of anybody. */
u64 recover_edge_at(const struct builder *b, u32 i, u64 t);

/* Something in @burst of thread @i has its place and its order, a wakeup or a mark: it is kept in one. */
bool recover_wakes_others(const struct builder *b, u32 i, const struct burst *burst);

/* Thread @i's program, into its workload.  False when memory is out. */
bool recover_program(struct builder *b, u32 i);

#endif
