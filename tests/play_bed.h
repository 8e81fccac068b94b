/* SPDX-License-Identifier: MIT */
/*
 * play_bed.h - what programs do, on a machine where every task has a CPU to itself.
 *
 * play() runs the tasks of a scenario text against a clock with no scheduler: a run of 300 us takes 300 us.  What a loop
 * was released at and when it ended is in .done, in order of telling.
 */
#ifndef TESTS_PLAY_BED_H
#define TESTS_PLAY_BED_H

#include "tests/test.h"

#include "input/scenario_file.h"
#include "work/world.h"

#define MOST 4096

struct thread {
	struct worker *w;
	u64 at;		/* when it goes on; NEVER: it waits */
	bool exited;
	u64 exit_at;
};

struct loop {
	const char *task;
	u32 instance;
	u64 release, end;
};

struct play {
	struct scenario sc;
	struct world *wd;
	struct world_ops ops;
	struct thread threads[MOST];
	u32 nr;
	u64 now, until;
	struct { u64 at, token; } timers[MOST];
	u32 nr_timers;
	struct loop done[MOST];
	u32 nr_done;
	struct want asked[MOST]; /* every want, in order */
	u32 nr_asked;
	struct { u32 ref; u64 from, to; } spans[MOST];
	u32 nr_spans;
	struct moment moments[MOST]; /* every one that was asked for */
	u32 nr_moments, nr_waits; /* calls of wait4() */
	u32 nr_woken_by_nobody; /* by interrupts */
};

/* Up to @until ns; @timers: the world may ask for moments.  The test ends where the text is refused.  To be freed with play_free(). */
struct play *play_with(const char *text, u64 until, bool timers);
struct play *play(const char *text, u64 until); /* with timers */
void play_free(struct play *p);

#define CHECK_LOOP(p, i, rel, fin)                                                                             \
	do {                                                                                                   \
		CHECK((p)->nr_done > (i));                                                                     \
		CHECK_EQ((p)->done[i].release, rel);                                                           \
		CHECK_EQ((p)->done[i].end, fin);                                                               \
	} while (0)

#endif
