/* SPDX-License-Identifier: MIT */
/*
 * explain_scenario.h - why the groups of a scenario are throttled: it is run, watched, and run again without what could be the cause.
 *
 *	the scenario -------------------------> watched: periods, who ran in them	each throttled period gets one cause
 *	without any limit --------------------> what the groups want
 *	slices that do not expire, newest row -> what of it is the kernel's doing
 */
#ifndef CLI_EXPLAIN_SCENARIO_H
#define CLI_EXPLAIN_SCENARIO_H

#include "cli/load.h"
#include "cli/traced.h"
#include "cli/watch.h"
#include "report/explain_run.h"

#define RUN_CAUSES 9
#define RUN_SPENDERS 4

enum { OTHER_FREE, OTHER_EXPIRY, OTHER_NEWEST, NR_OTHERS };

struct other_run {
	bool wanted;
	struct scenario sc;
	struct result *result;
	struct err err;
};

struct group_story {
	struct cause_view causes[RUN_CAUSES];
	struct run_stretch stretches[WATCH_STRETCHES];
	struct run_spender spenders[RUN_SPENDERS];
};

struct scenario_story {
	struct scenario sc;
	bool read;
	struct machine_options opt;
	struct watch watch;
	struct err watch_err;
	struct other_run others[NR_OTHERS];
	struct group_story *stories;	 /* per group */
	struct run_group_view *views;
	struct explain_run_view view;
	struct sentences sentences;
};

/*
 * Run the scenario in @src as the only variant of @opt has it, and say why.  0, or -1 with @err set; scenario_story_fini() is due in
 * both cases.  @story->view points into @story.
 */
int scenario_story(struct scenario_story *story, struct source *src, struct run_options *opt, struct err *err);
void scenario_story_fini(struct scenario_story *story);

/* The sentences, once all figures are there; @path: what the scenario was read from. */
void scenario_story_say(struct scenario_story *story, const char *path);

/* Take every limit out of @sc, of its groups and of what is written later. */
void scenario_drop_limits(struct scenario *sc);
/* Newest row there is. */
const char *newest_row(void);
/* The figures of the group at @path, or NULL. */
const struct group_result *result_group(const struct result *res, const char *path);

#endif
