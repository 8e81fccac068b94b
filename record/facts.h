/* SPDX-License-Identifier: MIT */
/*
 * facts.h - what is told beside the events: machine, limits, counters, members; lines of JSON as docs/record.md has them.
 */
#ifndef RECORD_FACTS_H
#define RECORD_FACTS_H

#include "record/target.h"

/* Where a line goes: NUL-terminated, without its end. */
struct fact_sink {
	void (*put)(void *ctx, const char *line);
	void *ctx;
};

#define FACT_LINE_MOST 900 /* bytes: what old kernels take as one mark */

/* The first line.  @what: "record" or "light"; @filtered: only events of members are recorded; @poll: ns between two polls, 0: none. */
void facts_head(const struct fact_sink *to, const char *what, const struct target *t, bool filtered, u64 poll);

/* The groups that are told of: the target's, those above it and those below; of everybody, all that are limited. */
struct fact_groups {
	char **paths;
	u32 nr, cap;
};
/* Find them.  Fewer where memory is out; facts_groups_fini() in any case. */
void facts_groups(struct fact_groups *g, const struct target *t);
void facts_groups_fini(struct fact_groups *g);

/* A line for each group of @g: what its limit is now; and what its cpu.stat says, @when: "before" or "after" the recording. */
void facts_limits(const struct fact_sink *to, const struct target *t, const struct fact_groups *g);
void facts_stats(const struct fact_sink *to, const struct target *t, const struct fact_groups *g, const char *when);

/* The members from index @first on. */
void facts_members(const struct fact_sink *to, const struct members *m, u32 first);

#endif
