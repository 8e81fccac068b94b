/* SPDX-License-Identifier: MIT */
/*
 * watch.h - one run of a scenario, watched event by event: who ran in each period of each group, on how many CPUs at once.
 *
 *	event stream --> per group: running on CPUs, stopped on CPUs --> per period: CPU time, most CPUs at once, stretches
 *
 * A period ends where the group's period timer fires (bw_period), as cpu.stat counts periods; while the group sleeps its timer
 * may stand still, so the next one may begin later.  Times are ns from the scenario's start.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "sim/machine.h"

struct watch_period {
	u64 start, end;
	u64 cpu;	/* CPU time of the group and of what is below it */
	u64 stopped;	/* time in which a queue of it was throttled, summed over CPUs */
	u32 most_cpus;	/* that ran it at once */
	u32 nr;		/* periods as the kernel counts: more than 1 where the timer ran over several */
	bool throttled; /* a queue was throttled when it ended: what nr_throttled counts */
};

/* A time in which the group ran freely, in part, or not at all; the most queues that were throttled, and CPUs that ran it, at once. */
struct watch_stretch {
	u64 start, end, cpu;
	u32 stopped, most_cpus;
	int kind;
};

#define WATCH_STRETCHES 24

struct watch_worst {
	struct watch_period period;
	u32 number; /* in periods[] */
	struct watch_stretch stretches[WATCH_STRETCHES];
	u32 nr_stretches, nr_left_out;
	u64 *spent;    /* CPU time per task of the scenario, and behind them of forked ones */
};

struct watch_group {
	const char *path;
	s32 parent;	/* in watch.groups, -1: the root */
	struct watch_period *periods;
	u32 nr_periods, cap_periods;
	struct watch_worst worst; /* number is NEVER's low half where there was none */
	u32 above_periods; /* throttled periods of groups above it in which it had run */
	u64 above_stopped; /* time its threads were stopped in them */

	/* as of now */
	u32 running, stopped;
	u64 last;	   /* of these two, and of the sums below */
	u64 cpu;	   /* since the start */
	struct watch_worst now;
};

struct watch {
	const struct scenario *sc;
	struct watch_group *groups; /* in the scenario's order */
	u32 nr_groups;
	s32 *of_id;		    /* group of the lab's id, -1: none */
	u32 nr_ids;
	struct watch_cpu { s32 group; u32 task; u64 since; } *cpus;
	u32 *task_of_id;	    /* the scenario's task of a thread's id */
	u32 nr_task_ids;
	u64 *cpu_before;	    /* [above * nr_groups + below]: CPU time of below when above's period began */
	bool failed;		    /* memory is out */
	struct result *result;
};

/* Run @sc and watch it.  0, or -1 with @err set; watch_fini() is due in both cases.  The result is @w's. */
int watch_run(struct watch *w, const struct scenario *sc, const struct machine_options *opt, struct err *err);
void watch_fini(struct watch *w);

/* The record of the run's result that belongs to period @k of @g, or NULL. */
const struct period_record *watch_record(const struct watch *w, const struct watch_group *g, u32 k);

#endif
