/* SPDX-License-Identifier: MIT */
/*
 * play.h - what the model does with a measured case.
 *
 *	measured --> stage --> machine --> struct played	the same figures the line has
 *
 * The guest read cpu.stat as its window ended, which is the very moment a period ends where periods lie on the clock's grid.
 * Where the boundary came first the line counts that period, else it is one short and lacks the throttles still running.
 * The model is read at both moments; the one with the line's number of periods is taken.
 */
#ifndef ORACLE_PLAY_H
#define ORACLE_PLAY_H

#include "oracle/measured.h"
#include "oracle/stage.h"
#include "sim/machine.h"

struct played_group {
	u64 usage, nr_periods, nr_throttled, throttled, nr_bursts, burst;
};

struct played_set {
	u64 cpu;
	u64 loops, migrations;
	struct samples thread_cpu; /* one per thread */
	struct samples response; /* release to end of burn */
	struct samples wake;	 /* release to first instruction */
};

struct played {
	struct played_group *groups; /* one per spec.groups */
	struct played_set *sets;     /* one per spec.sets */
	u32 nr_groups, nr_sets;
};

/* Run @m.  @p is to be freed in both cases.  Returns 0, or -1 with @err set. */
int play_case(struct played *p, const struct measured *m, const struct stage_options *opt, struct err *err);
void played_free(struct played *p);

/*
 * What a wakeup of @m costs by itself: such that the model's threads, with the emulator's turns, measure what the real ones did.  0: nothing tells it.
 * 0, or -1 with @err set.
 */
int play_wake(u64 *wake, const struct measured *m, const struct stage_options *opt, struct err *err);

/* Empty, of the size of @m's groups and sets.  0, or -1 when memory is out. */
int played_init(struct played *p, const struct measured *m);

/* Is the reading after the last boundary (@after periods) nearer to the line's than the one before it (@before)? */
bool read_is_nearer(u64 real_periods, u64 before, u64 after);

/*
 * Split the responses of one thread of an open loop, released at @first + k * @every, into lateness and burn.
 * @response: release to end, in order; @woken: waking to first instruction of those that slept, in order; @late: from a
 * release to its waking.  A burn begins when the one before has ended, or when the thread has been woken.
 */
void split_open_loop(const struct samples *response, const struct samples *woken, u64 every, u64 late, struct samples *wake);

#endif
