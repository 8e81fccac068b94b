/* SPDX-License-Identifier: MIT */
/*
 * measure_judge.h - is the model as near to the real runs as they are to each other?
 *
 *	near is = the largest of: the figure's grain (a tick, a count), its share of the real value, what the repeats differ by
 */
#ifndef CLI_MEASURE_JUDGE_H
#define CLI_MEASURE_JUDGE_H

#include "report/measure.h"
#include "report/series.h"

struct judge_with {
	const struct series *real, *model;
	int cpus;		  /* that the scenario uses */
	bool usage, bandwidth, runtime; /* these could be read */
	bool phase_known;	  /* else every phase that was tried is as good as any */
	u64 wake_varies;	  /* the grain of wakeups, where it is more than the table's; ns */
	u64 within;		  /* thousandths of a per cent instead of each figure's own share; NEVER: not said */
};

/* All cells, for free(), and how many in *@nr; NULL when memory is out. */
struct measure_cell *judge(const struct judge_with *with, u32 *nr);

/* The table of what is near, for documentation: from 0, false past the last. */
struct judge_text {
	const char *figure;
	char near[64];
	const char *reason;
};
bool judge_text(u32 index, struct judge_text *text);

#endif
