/* SPDX-License-Identifier: MIT */
/*
 * light.h - recordings of our own: what they say of limits and members, and those that hold counters and no events.
 *
 *	trace.dat by fairground record		marks --> limit, members, HZ, cpu.stat		the rest as with any recording
 *	fairground.light			counters --> threads in several ways		ranges are over these ways too
 */
#ifndef CLI_LIGHT_H
#define CLI_LIGHT_H

#include "cli/traced.h"
#include "trace/facts.h"
#include "trace/throttle_infer.h"

/*
 * What the marks of @t's recording say goes into @ask, where the user did not say it: its group, the limit in force, HZ.  The
 * group's tasks are marked in @t->picked.  *@burst: of that limit.  0, or -1 when memory is out.
 */
int facts_into_ask(struct traced *t, struct throttle_ask *ask, u64 *burst);

/* A recording of counters has been read into @t->tr: the rest of @t follows from it.  0, or -1 with @err set. */
int traced_light(struct traced *t, const struct trace_options *opt, const struct variant *v, const struct throttle_ask *given, u64 *burst,
		 struct err *err);

/* Its kernel is known now: of all ways the threads may have run, the one whose counters are nearest to the recorded ones becomes the first. */
int traced_light_choose(struct traced *t, struct err *err);

/* For printing: lines for programs; sentences. */
void say_light_programs(struct sentences *s, const struct traced *t);
void say_light(struct sentences *s, const struct traced *t);
/* Limits above and below the recorded group, as far as the recording says them. */
void say_other_limits(struct sentences *s, const struct trace_facts *f);

/* explain: the counters, and which threads used and waited.  Prints; 0, or -1 with @err set. */
int explain_light(const struct traced *t, bool json, struct err *err);

#endif
