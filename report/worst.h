/* SPDX-License-Identifier: MIT */
/*
 * worst.h - the period in which a group stood still the longest: who spent its quota, when that was gone, and what stood still then.
 *
 *	   +0 ms  ran                72.0 ms  on up to 2 CPUs at once, 144 ms of CPU time
 *	+72.0 ms  throttled in part  4.00 ms  on 1 CPU; 4.00 ms of CPU time on others
 *	+76.0 ms  throttled          24.0 ms  on 2 CPUs
 *
 * Plain data, filled by cli/ from a run that was watched or from a recording.  Times are ns.
 */
#ifndef REPORT_WORST_H
#define REPORT_WORST_H

#include <stdio.h>

#include "text/json_write.h"

struct run_stretch {
	u64 at, len; /* from the period's start */
	u64 cpu;
	u32 most_cpus, stopped; /* CPUs that ran it at once; on which it was throttled */
};

struct run_spender {
	const char *task;
	u64 cpu;
};

struct run_worst {
	u64 start, end, granted, charged, stranded, debt, throttled; /* granted: in the pool once it was refilled and old debts were paid */
	u32 cpus;	  /* that ran the group at once, at most */
	u64 number;	  /* from 1; 0: no period was throttled */
	bool by_threads;  /* what stood still are threads, as a recording shows them; else CPUs, as the scheduler counts them */
	const struct run_stretch *stretches;
	u32 nr_stretches, nr_left_out;
	const struct run_spender *spenders;
	u32 nr_spenders;
};

/* The worst period of @group, which has @quota; nothing where there is none. */
void worst_text(FILE *out, const char *group, u64 quota, const struct run_worst *w);
/* The same as members of the object that is open. */
void worst_json_members(struct json_write *j, const struct run_worst *w);

/* A cause as the second half of a sentence: "its work comes in bursts". */
const char *cause_because(const char *cause);
struct cause_view; /* report/replay.h */
/* That of the cause of most throttled periods; @none where there is none. */
const char *cause_of_most(const struct cause_view *causes, u32 nr, const char *none);

#endif
