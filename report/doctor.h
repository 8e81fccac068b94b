/* SPDX-License-Identifier: MIT */
/*
 * doctor.h - what a recording holds and what can be answered from it, ready to be printed.
 *
 *	cli/cmd_doctor.c fills it; doctor_text.c prints one screen, doctor_json.c the same for machines.
 */
#ifndef REPORT_DOCTOR_H
#define REPORT_DOCTOR_H

#include <stdio.h>

#include "base/types.h"
#include "text/json_write.h"

enum doctor_can { CAN_NO, CAN_PARTLY, CAN_YES };

enum doctor_question { CAN_THROTTLE_GAPS, CAN_WAKE_EDGES, CAN_MEMBERSHIP, NR_DOCTOR_QUESTIONS };

struct doctor_answer {
	enum doctor_can can;
	char why[200]; /* a sentence without a full stop */
};

struct doctor_event {
	const char *name; /* data */
	u64 nr;
};

/* A limit that shows in the gaps of a group's threads. */
struct doctor_limit {
	char group[64]; /* data: its cgroup's path, or the name most of its threads have */
	u32 threads;
	u64 cpu;		   /* ns it ran */
	u64 quota, period, lo, hi; /* ns */
	u64 throttles, stopped;	   /* how many gaps, and ns in them */
	double sure;		   /* 0..1 */
};

#define DOCTOR_LIMITS_MAX 8

struct doctor_view {
	const char *file, *format, *kernel, *clock; /* data; "" where it is not said */
	struct doctor_event *events;		    /* most frequent first */
	u32 nr_events;
	u64 polls; /* of counters; 0: it holds events */
	u64 sched_events, other_events, lost, lost_marks, bad, span;
	int cpus;
	u32 hz; /* 0: does not show */
	struct doctor_answer answers[NR_DOCTOR_QUESTIONS];
	struct doctor_limit limits[DOCTOR_LIMITS_MAX];
	u32 nr_limits;
	const char *busiest; /* who used the most CPU time where no limit shows, or "" */
	const char *record_with; /* a command, or NULL where nothing is missing */
};

/* Of all events that were made, the share that the recorder lost. */
double doctor_lost_share(const struct doctor_view *v);

void doctor_text(FILE *out, const struct doctor_view *v);
void doctor_json(struct json_write *j, const struct doctor_view *v);

#endif
