/* SPDX-License-Identifier: MIT */
/*
 * throttle_infer.h - the limit a group was under, from the gaps in its threads' running.
 *
 *	running ####......####....#####.......####	. ready, but not running
 *	            |     ^       |       ^		a throttle ends at the refill of the pool: on a grid
 *	grid    |---------|---------------|-------
 *
 * No kernel has an event for throttling.  It shows as time in which a thread is ready and does not run, that ends on the grid
 * of the group's period timer; plain waiting for a busy CPU ends anywhere.  The period is the one under whose grid the most
 * gap time ends right behind a grid point, beyond what chance puts there; the quota is the CPU time used per period while
 * throttled in each.  How sure that is, is said, with the evidence.
 * All times are ns of the recording's clock.
 */
#ifndef TRACE_THROTTLE_INFER_H
#define TRACE_THROTTLE_INFER_H

#include "trace/family.h"
#include "trace/timeline.h"

enum gap_kind {
	GAP_CONTENTION, /* other work had the CPU */
	GAP_THROTTLE
};

/* A thread was ready and did not run. */
struct gap {
	u64 start, end;
	u64 boundary; /* GAP_THROTTLE: the refill that ended it; from there to @end it waited for a CPU */
	u32 task;
	u16 cpu;      /* where it waited */
	u8 kind;
	u8 flags;     /* of the span */
	bool in_hole; /* its end is not in the recording */
};

struct period_use {
	u64 used;	/* CPU time of the group, ns */
	u64 stopped;	/* time its threads were throttled, summed over threads, ns */
	u32 cpus;	/* CPUs it used */
	bool throttled;	/* something was throttled when it ended */
	bool touched;	/* something was throttled in it */
};

enum limit_source { LIMIT_NONE, LIMIT_GIVEN, LIMIT_FILE, LIMIT_INFERRED };

struct throttle_guess {
	enum limit_source source; /* LIMIT_NONE: nothing shows one */
	u64 quota, period;	  /* ns */
	u64 quota_lo, quota_hi;	  /* as far as the recording tells */
	u64 phase;		  /* ns, 0..period: refills lie at phase + k * period */
	bool phase_known;
	double sure_grid, sure_quota, sure; /* 0..1 */

	/* The evidence. */
	struct gap *gaps;	  /* of all members, GAP_LEAST and longer, by time */
	u64 nr_gaps;
	u64 nr_throttles, throttled_time; /* until the refill, summed over threads */
	u64 nr_waits, wait_time, longest_wait; /* contention, any length; and after refills */
	u64 nr_throttled_idle;	  /* throttles at whose start the CPU went idle */
	u64 on_grid_time, gap_time; /* of long gaps: which end on the grid, all */

	u64 first;		  /* start of periods[0] */
	struct period_use *periods; /* from the first event to the last; NULL without a grid */
	u64 nr_periods;
	u64 nr_throttled, nr_active; /* periods that end throttled; in which the group used CPU or was throttled */
};

#define GAP_LEAST (500 * US)

struct throttle_ask {
	u32 hz;			/* 0: unknown */
	u64 quota, period;	/* ns; 0: infer */
	enum limit_source source; /* of the two */
	bool unlimited;		/* it is known that there was none */
	struct trace_pick pick;	/* nothing picked: the family with the clearest grid, and who shares it */
};

/*
 * Find who was throttled, and how.  @member (nr_tasks, cleared) gets the group's threads.  0, or -1 when memory is out.
 * Starts of running that are not recorded are settled in @tl where a refill explains them.
 * Caller frees with throttle_fini().  Where no family shows a grid, @member gets the family with the most CPU time.
 */
int throttle_infer(struct throttle_guess *guess, bool *member, const struct trace *tr, struct timeline *tl,
		   const struct families *fam, const struct throttle_ask *ask);
void throttle_fini(struct throttle_guess *guess);

#endif
