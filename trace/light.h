/* SPDX-License-Identifier: MIT */
/*
 * light.h - a recording of counters, as `fairground record --light` writes it (docs/record.md): lines of JSON.
 *
 *	{"fairground": "light", ...}				machine, limits, members: facts.h
 *	{"t": us, "stat": [usage, periods, throttled, stopped, bursts, borrowed], "threads": [[tid, run, wait, slices], ...],
 *			"gone": [tid, ...]}
 *	{"end": "time", "polls": 600, ...}
 *
 * Counters are as the kernel gave them and only told where they changed.  From one poll to the next it is known how much a thread ran and waited,
 * and how often it got a CPU; not when.
 * Laws: polls are in order of time; no counter goes back; what a thread used lies in polls that looked at it.
 */
#ifndef TRACE_LIGHT_H
#define TRACE_LIGHT_H

#include "text/err.h"
#include "trace/facts.h"

/* The group's counters at a poll. */
struct light_poll {
	u64 t; /* ns of CLOCK_MONOTONIC */
	struct cpu_stat stat;
	bool part; /* not all threads were looked at */
};

/* What a thread did between two looks. */
struct light_use {
	u64 from, to; /* ns: the polls */
	u64 run, wait; /* ns */
	u64 slices;   /* how often it got a CPU */
};

struct light_thread {
	s32 tid, pid;
	char name[TRACE_NAME_MAX];
	struct light_use *uses; /* in order of time; polls in which it did nothing are left out */
	u32 nr, cap;
	u64 run, wait; /* in all */
	bool gone;     /* it ended before the recording did */

	/* while it is read */
	bool known;
	u64 last, looked, last_run, last_wait, last_slices;
};

struct light {
	struct trace_facts facts;
	struct light_poll *polls;
	u32 nr_polls, cap_polls;
	struct light_thread *threads;
	u32 nr_threads, cap_threads;
	u32 *slots; /* tid -> index + 1 */
	u32 nr_slots;
	u64 all_looked; /* ns: the last poll that looked at all threads */
	bool ended; /* the last line was there */
	u64 cpu;    /* ns that the recorder used, as it says */
	char end[16];
};

/* Do the @len bytes at @p begin as one? */
bool is_light(const u8 *p, u64 len);

/*
 * Read the recording of @len bytes at @p, called @path, into @l.  0, or -1 with @err set: a line that makes no sense, counters that cannot be,
 * fewer than two polls.  A last line that is cut off is no error: *@half.  light_fini() is due in both cases.
 */
int light_read(struct light *l, const u8 *p, u64 len, const char *path, bool *half, struct err *err);
void light_fini(struct light *l);

/* The same as a recording without events: @tr->light, with its threads as tasks.  0, or -1 with @err set. */
int light_into_trace(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err);

/* The group it is about: its own limit, else the nearest one above that has one; NULL where no group is told. */
const struct fact_group *light_limited(const struct light *l);

#endif
