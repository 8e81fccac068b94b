/* SPDX-License-Identifier: MIT */
/*
 * replay_runs.h - a recovered group, run as it was recorded and under each what-if, at phases.
 *
 *	what-if x phase, each with other blocks of the recording --> one run of the model each, several at a time --> the middle of each figure
 *	        x what the recording leaves open		 --> the same				      --> least and most, of all together
 */
#ifndef CLI_REPLAY_RUNS_H
#define CLI_REPLAY_RUNS_H

#include "cli/replay_share.h"
#include "cli/what_if.h"
#include "trace/recover_ways.h"

/* Samples are many: what is not printed is summed up and forgotten where it was made. */
struct replay_job {
	struct limited limited;
	u64 quota;
	u32 class;	       /* of replay_share.h */
	bool keep;	       /* result is asked for later */
	bool ran, never_short; /* not ran: it failed, or shares another's figures */
	struct fate fate;
	struct result *result; /* NULL: not kept */
	struct err err;
};

struct replay_runs {
	const struct traced *traced;
	struct machine_options opt;
	struct replay_job *jobs; /* as recorded; then for each what-if its phases, the recorded one first, then what is left open */
	u32 nr_jobs;
	u32 *order;		 /* of running: by quota, the least first */
	struct replay_share share;
	struct scenario *scenarios; /* that jobs were made of */
	u32 nr_scenarios;
	struct fates *fates;	 /* [0]: as recorded */
	u32 nr_fates;
	u32 *main;		 /* per fate: of how many of its runs the middle is taken */
	struct recover_ways ways; /* what else the recording could have been */
	bool in_ways;		 /* something was run in them */
	u32 phases;		 /* at which each what-if was run */
	char (*labels)[WHAT_IF_LABEL];
	char open[400];		 /* what else the ranges are over; "": nothing */
	const char *pools[POOLS_MAX]; /* names of kinds of threads */
	char pool_names[POOLS_MAX][64];
	u32 nr_pools, *pool_of;	 /* of each thread; POOLS_MAX: of none */
	bool keep_results; /* of the first run of each what-if; else of the first of all alone */
	bool stuck; /* a run of the model failed */
};

/*
 * Run @t as it was recorded and under each of @ifs, at @phases phases.  0, or -1 with @err set; replay_runs_fini() is due in both
 * cases.
 */
int replay_runs_go(struct replay_runs *r, const struct traced *t, const struct run_options *opt, const struct what_ifs *ifs, u32 phases,
		   struct err *err);
void replay_runs_fini(struct replay_runs *r);

/* Runs that one what-if takes beside those at its phases. */
u32 replay_open_runs(const struct traced *t, u32 phases);

/* What the recording shows of each kind of threads, into @fate. */
void replay_recorded_pools(const struct replay_runs *r, struct fate *fate);

#endif
