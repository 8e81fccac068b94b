/* SPDX-License-Identifier: MIT */
/*
 * runs.h - a scenario, run as often and in as many variants as was asked.
 *
 *	source + variants + repeats --> runs_make --> runs_go (several at a time) --> series, in order
 *
 * Each variant has a scenario of its own, each run a shallow copy of it with its own seed and start; results point into
 * that, so the runs live until the results have been printed.
 */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include "base/arena.h"
#include "cli/load.h"
#include "cli/run_options.h"
#include "report/series.h"

struct one_run {
	struct scenario scenario;
	struct result *result;
	struct err err;
};

struct runs {
	struct arena mem;
	const struct run_options *opt;
	u32 nr_variants, repeats;
	struct scenario *variant; /* one per variant, as read and changed */
	u32 nr_read;		  /* of them */
	struct one_run *run;	  /* [variant * repeats + repeat] */
	struct series *series;	  /* one per variant, once they have run */
};

/*
 * Read the scenario in @src once per variant of @opt and name the variants.  0, or -1 with @err set; runs_fini() is due in
 * both cases.
 */
int runs_read(struct runs *runs, struct source *src, struct run_options *opt, struct err *err);

/*
 * Prepare every run.  @phases: start phases where the options say nothing, 0 or 1 for one.  0, or -1 with @err set.
 */
int runs_make(struct runs *runs, u64 phases, struct err *err);

/* Run them all.  0, or -1 with @err set to the first failure in order. */
int runs_go(struct runs *runs, struct err *err);

/* "24 start phases", "10 seeds", or NULL for one run each; lives in @runs. */
const char *runs_repeats(struct runs *runs);

void runs_fini(struct runs *runs);

#endif
