/* SPDX-License-Identifier: MIT */
/*
 * explain_metrics.h - what counters of one or many groups say, for people and for machines.
 *
 *	{"source","groups":{name:{active_periods,wall_periods,throttled_periods,throttled_usec,"stopped_cpus":[lo,likely],"used_usec":[lo,hi],"verdict",
 *	 "causes":[..]}},"sentences":[..]}
 */
#ifndef REPORT_EXPLAIN_METRICS_H
#define REPORT_EXPLAIN_METRICS_H

#include <stdio.h>

#include "metrics/follow.h"
#include "text/json_write.h"

struct metrics_row {
	const char *name;
	struct facts facts;
	struct follows follows;
	enum verdict verdict;
	const char *wrong; /* VERDICT_WRONG: why */
};

struct metrics_view {
	const char *source, *form; /* file; "cpu.stat of cgroup v2", ... */
	const struct metrics_row *rows; /* as they are to be shown */
	u32 nr, shown;
	bool fleet; /* as a table */
	const char *const *sentences;
	u32 nr_sentences;
};

/* "trace it", "raise the limit", ... */
const char *verdict_word(enum verdict v);

void explain_metrics_text(FILE *out, const struct metrics_view *view);
void explain_metrics_json(struct json_write *j, const struct metrics_view *view);

#endif
