/* SPDX-License-Identifier: MIT */
/*
 * measure.h - reality beside its prediction, as plain data: filled by cli/, printed here.
 *
 *	cell: one figure, measured several times and predicted for each	"/web CPU ms: 402 (399..404), model 401"
 *
 * Times are ns.  Strings are the caller's; names in them may hold any bytes and are made safe when they are printed.
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "owner/result.h"
#include "report/result_json.h"

struct measure_figure { /* medians, and least and most of the repeats */
	u64 at, lo, hi;
};

struct measure_cell {
	const char *subject; /* "/web", "worker" */
	const char *name;    /* for machines: "usage_usec" */
	const char *title;   /* for people: "CPU ms" */
	bool is_time;	     /* ns, else a count */
	struct measure_figure real, model;
	u64 apart, tolerance;
	bool ok;
	bool noisy;	     /* the repeats differ so much that being near them says little */
};

struct measure_view {
	const char *release; /* uname -r */
	const char *row;
	int used_cpus, cpus; /* the scenario's, the machine's */
	int cgroup;
	struct result *real, *model; /* the middle ones */
	const struct measure_cell *cells;
	u32 nr_cells;
	const char *const *assumed;
	u32 nr_assumed;
	u32 repeats;
	bool ahead;	     /* the group had the greatest weight */
	u64 steal, others;   /* CPU time on the scenario's CPUs, all repeats together */
	u64 window;	     /* of one repeat */
};

/* How many cells are ok, of those that are not noisy and of all. */
struct measure_tally {
	u32 cells, ok, noisy;
};
struct measure_tally measure_tally(const struct measure_view *view);

void measure_text(FILE *out, const struct measure_view *view);

/* {"row","assumed":[..],"real":result,"model":result,"cells":[{"name","real","model","tolerance","ok",..}],"noise":{..}}; times in us. */
void measure_json(struct json_write *j, const struct measure_view *view, const struct result_detail *detail);

#endif
