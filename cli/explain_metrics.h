/* SPDX-License-Identifier: MIT */
/* explain_metrics.h - cpu.stat readings and cAdvisor's series on the command line. */
#ifndef CLI_EXPLAIN_METRICS_H
#define CLI_EXPLAIN_METRICS_H

#include "text/err.h"

struct facts;
struct sentences;

struct metrics_ask {
	const char *limit; /* that was in force, or NULL */
	u64 wall;	   /* ns between two readings, 0: not said */
	bool fleet, json;
};

/* One or two readings of cpu.stat.  Prints; 0, or -1 with @err set. */
int explain_readings(const char *const *paths, int nr, const struct metrics_ask *ask, struct err *err);

/* What was counted of the group called @name over a time, from the file @source of the kind @form; @more is said too. */
int explain_counters(const struct facts *f, const char *source, const char *name, const char *form, const struct sentences *more, bool json,
		     struct err *err);

/* Series of containers, of one file or several readings in order of time. */
int explain_series(const char *const *paths, int nr, const struct metrics_ask *ask, struct err *err);

#endif
