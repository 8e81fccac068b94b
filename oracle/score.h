/* SPDX-License-Identifier: MIT */
/*
 * score.h - plays measured cases and counts which cells of the model are near the real ones.
 *
 *	measured lines --> chosen ones --> played twice --> cells --> sums by row, by kind of case, by figure
 *				  with and without what is fitted
 */
#ifndef ORACLE_SCORE_H
#define ORACLE_SCORE_H

#include "oracle/causes.h"
#include "oracle/measured.h"
#include "report/oracle.h"
#include "text/err.h"

struct score_options {
	const char *row;  /* guest_matches(), NULL: all */
	const char *kind; /* "pinned", "unpinned", NULL: both */
	const char *name; /* of the case, or how it begins, or a glob; NULL: all */
	const char *traces; /* directory of the recordings, which tell how a recorded run began; NULL: do without */
};

/* Does @m belong to what was asked for? */
bool score_wants(const struct score_options *opt, const struct measured *m);

const char *measured_kind(const struct measured *m); /* "pinned", "unpinned" */
/* "5.10-after/fib2/2", with what repeats behind it: "5.10-after/fib8/8 rerun"; lives in @mem. */
const char *measured_id(const struct measured *m, struct arena *mem);

/*
 * Fill @score (not initialised before).  A case that cannot be played is listed and not counted.  Returns 0, or -1 with
 * @err set; the score is to be freed in both cases.
 */
int score_run(struct oracle_score *score, const struct measured_list *list, const struct score_options *opt,
	      const struct cause_list *causes, struct err *err);
void score_free(struct oracle_score *score);

/*
 * An empty score, and the cells of one case: played @nr times (1 to STAGE_PASTS) with all and without what is fitted; the
 * median of each figure counts.
 */
void score_init(struct oracle_score *score);
struct played;
int score_add(struct oracle_score *score, const struct measured *m, struct played *with, struct played *without, u32 nr,
	      bool phase_unknown, const struct cause_list *causes);

#endif
