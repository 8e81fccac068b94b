/* SPDX-License-Identifier: MIT */
/*
 * replay_runs.h - a recovered group, run under limits and at phases.
 *
 *	limit x phase --> one run of the model each, several at a time --> least and most per limit
 */
#ifndef CLI_REPLAY_RUNS_H
#define CLI_REPLAY_RUNS_H

#include "cli/traced.h"

struct replay_job {
	struct limited limited;
	struct result *result;
	struct err err;
};

struct replay_runs {
	const struct traced *traced;
	struct machine_options opt;
	struct replay_job *jobs; /* the recorded limit; then for each what-if its phases, the recorded one first */
	u32 nr_jobs;
	struct fates *fates;	 /* [0]: the recorded limit */
	u32 nr_fates;
	char **labels;
	bool stuck; /* a run of the model failed */
};

/*
 * Run @t under its recorded limit and under @limits (as typed), each of these at @phases phases.  0, or -1 with @err set;
 * replay_runs_fini() is due in both cases.
 */
int replay_runs_go(struct replay_runs *r, const struct traced *t, const struct run_options *opt, const char *const *limits,
		   u32 nr_limits, u32 phases, struct err *err);
void replay_runs_fini(struct replay_runs *r);

#endif
