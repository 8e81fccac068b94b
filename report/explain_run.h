/* SPDX-License-Identifier: MIT */
/*
 * explain_run.h - why the groups of a simulated scenario were throttled, for people and for machines.
 *
 * Plain data, filled by cli/, which ran the scenario.  Times are ns from the scenario's start.
 *
 *	{"scenario","seconds","kernel":{"row"},"groups":{path:{active_periods,..,"causes":[{"cause","periods","usec"}],"worst":{..}}},"sentences":[..]}
 */
#ifndef REPORT_EXPLAIN_RUN_H
#define REPORT_EXPLAIN_RUN_H

#include <stdio.h>

#include "report/replay.h"
#include "report/worst.h"
#include "text/json_write.h"

struct run_group_view {
	const char *path;
	u64 quota, period, burst; /* quota NEVER: none */
	u64 usage, wanted;	  /* wanted: CPU time without any limit */
	u64 active, throttled, wall, throttled_time;
	u64 wait_throttled, wait_contended, longest_pause; /* of the threads in it and below it */
	const struct cause_view *causes;
	u32 nr_causes;
	struct run_worst worst;
};

struct explain_run_view {
	const char *scenario, *row;
	u64 span, seed;
	int cpus;
	u32 hz;
	u64 digest;
	const struct run_group_view *groups;
	u32 nr_groups;
	u32 shown; /* the group whose worst period is drawn; nr_groups: none */
	const char *const *sentences;
	u32 nr_sentences;
};

#define HEADLINE_MAX 640
/* The answer in a sentence, into @buf; returns it. */
char *explain_run_headline(char *buf, size_t size, const struct explain_run_view *view);

void explain_run_text(FILE *out, const struct explain_run_view *view);
void explain_run_json(struct json_write *j, const struct explain_run_view *view);

#endif
