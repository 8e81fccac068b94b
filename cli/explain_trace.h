/* SPDX-License-Identifier: MIT */
/* explain_trace.h - why the group of a recording was throttled: a cause for each period, and the worst burst in full. */
#ifndef CLI_EXPLAIN_TRACE_H
#define CLI_EXPLAIN_TRACE_H

#include "cli/traced.h"

#define CAUSES_MAX 8
#define STRETCHES_MAX 12

struct explained {
	struct cause_view causes[CAUSES_MAX];
	u32 nr_causes;
	struct worst_view worst;
	struct stretch stretches[STRETCHES_MAX];
	struct sentences notes, sentences; /* notes: texts that stretches point at */
	u64 wanted;			   /* 1/1000 of a CPU the group would use without a limit; 0: as much as it gets */
};

void explain_trace(struct explained *e, const struct traced *t);
void explained_fini(struct explained *e);

#endif
