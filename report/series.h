/* SPDX-License-Identifier: MIT */
/*
 * series.h - the same thing run several times, and several such series side by side.
 *
 *	compare = series, series, ...		one per kernel, rule, limit: what is compared
 *	series  = result, result, ...		one per start phase or seed: how far chance moves it
 *	result  = figure, figure, ...		"/web usage 231 ms"
 *
 * The results of one comparison come from one scenario, so figure number i means the same in each of them.
 */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "owner/result.h"

struct series {
	const char *label;	 /* "4.14.133", "bw_expiry=none" */
	struct result **results; /* in order of phase or seed */
	u32 nr;
};

struct compare {
	const struct series *series;
	u32 nr;
	const struct why *why; /* report/why.h, where it was asked; or NULL */
	const char *repeats; /* what each series went through: "24 start phases"; NULL: one run each */
};

enum figure_unit { FIGURE_COUNT, FIGURE_NS };

struct figure {
	const char *subject;	/* "/web", "worker", "" for the machine */
	const char *name;	/* for machines: "usage_usec" */
	const char *title;	/* for people: "CPU ms" */
	enum figure_unit unit;
	u64 value;		/* count, or ns */
};

/* The figures of @res, at most @max of them, into @out; returns how many there are.  Not const: percentiles sort. */
u32 figures_of(struct result *res, struct figure *out, u32 max);
#define FIGURES_MAX 1024

/* How one figure lies over a series. */
struct spread {
	u64 median, lo, hi; /* median: nearest rank, so one that happened */
	double mean, error; /* error: standard error of the mean, 0 for one run */
};
/* @values is sorted in place. */
struct spread spread_of(u64 *values, u32 nr);
/*
 * The figures of @series (which has a run) and how each lies over it: fills @figures (FIGURES_MAX of room, values as of
 * the first run) and @nr_figures; returns as many spreads, for the caller to free().  Aborts only when memory is out.
 */
struct spread *series_spreads(const struct series *series, struct figure *figures, u32 *nr_figures);

/* The run that stands for the series: the one with the median CPU time of the first limited group (else of all CPUs). */
struct result *series_middle(const struct series *series);

/* The first group that has a limit, or NULL. */
const struct group_result *first_limited(const struct result *res);

#endif
