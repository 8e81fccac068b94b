/* SPDX-License-Identifier: MIT */
/* explain_trace.h - why the group of a recording was throttled: a cause for each period, and the worst burst in full. */
#ifndef CLI_EXPLAIN_TRACE_H
#define CLI_EXPLAIN_TRACE_H

#include "cli/traced.h"
#include "report/worst.h"

#define CAUSES_MAX 8
#define STRETCHES_MAX 12
#define PERIOD_STRETCHES 12
#define PERIOD_SPENDERS 4
#define PERIOD_GRAIN (50 * US) /* changes that follow each other sooner are told as one */

/* The period in which the group's threads stood still the longest. */
struct trace_period {
	struct run_worst worst; /* points into this */
	struct run_stretch stretches[PERIOD_STRETCHES];
	struct run_spender spenders[PERIOD_SPENDERS];
};

/* Fill @p from @t; worst.number is 0 where nothing was throttled. */
void trace_period(struct trace_period *p, const struct traced *t);

struct explained {
	struct cause_view causes[CAUSES_MAX];
	u32 nr_causes;
	struct worst_view worst;
	struct stretch stretches[STRETCHES_MAX];
	struct trace_period period;
	struct sentences notes, sentences; /* notes: texts that stretches point at */
	u64 wanted;			   /* 1/1000 of a CPU the group would use without a limit; 0: as much as it gets */
};

/*
 * Which of @nr periods are @throttled, from 1 on, into @buf: "2-21", "1, 3, 5-9", with "..." behind the first dozen.  Returns whether any is.
 */
bool list_periods(char *buf, size_t size, bool (*throttled)(const void *ctx, u64 k), const void *ctx, u64 nr);

void explain_trace(struct explained *e, const struct traced *t);
/* The last sentence: the command that goes on from here. */
void explain_next(struct explained *e, const struct traced *t);
void explained_fini(struct explained *e);

#endif
