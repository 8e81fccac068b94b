/* SPDX-License-Identifier: MIT */
/*
 * advise.h - what advise prints, as plain data: filled by cli/, which ran every line of it.
 *
 *	{"target","group","answer":{"limit","met","at":result,"below":result},"alternatives":[{"change","met","price","confidence"}],
 *	 "curve":[{"quota_usec","value","lo","hi"}]}
 *
 * Times are ns.  A value is the figure the target is about: ns, or millionths of the active periods that are throttled.
 */
#ifndef REPORT_ADVISE_H
#define REPORT_ADVISE_H

#include "report/replay.h"

struct advise_row {
	const char *change;	/* "now", "1000m", "burst 25 ms", "period 10 ms" */
	const char *limit;	/* "100/100 ms (1000m)" */
	u64 quota, period, burst; /* quota NEVER: none */
	struct fates fates;	/* over the phases; result of the first one, or NULL */
	u64 value, lo, hi;	/* value: of the first phase */
	u64 share_hi;		/* largest share of active periods that are throttled, millionths */
	u64 pause_hi;		/* longest time ready and not running */
	u64 borrowed_hi;	/* burst_usec */
	u64 switches_lo, switches_hi; /* of the group's threads, per 1000 s */
	bool met;
	const char *price, *confidence; /* NULL: not an alternative */
	const char *failed;	/* why it could not be run, or NULL */
};

struct advise_view {
	const char *subject, *group, *task; /* task NULL: all in the group */
	const char *target;
	bool of_latency;	/* values are ns */
	u32 phases;
	const struct advise_row *now, *answer, *below; /* answer NULL: the target cannot be met; below NULL: nothing lower is a limit */
	bool free;		/* the answer is to have no limit */
	const struct advise_row *alternatives;
	u32 nr_alternatives;
	const struct advise_row *curve;
	u32 nr_curve;
	bool show_curve;
	const char *const *paste; /* lines to copy */
	u32 nr_paste;
	const char *const *sentences;
	u32 nr_sentences;
};

#define ADVISE_HEADLINE_MAX 640
/* The answer in a sentence, into @buf; returns it. */
char *advise_headline(char *buf, size_t size, const struct advise_view *view);

void advise_text(FILE *out, const struct advise_view *view);
void advise_json(struct json_write *j, const struct advise_view *view);

#endif
