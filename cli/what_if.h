/* SPDX-License-Identifier: MIT */
/*
 * what_if.h - what a replay is asked: the recorded workload, with one thing changed.
 *
 *	--limit 500m  --period 10ms  --kernel 6.18		three labs, a row each
 *	--limit 500m --and --kernel 6.18			one lab with both
 *
 * Everything a what-if does not name stays as it was recorded.
 */
#ifndef CLI_WHAT_IF_H
#define CLI_WHAT_IF_H

#include "cli/traced.h"

#define WHAT_IFS_MAX 256

struct what_if {
	const char *limit, *from; /* --limit, --limits-from, as typed; or NULL */
	bool has_period, has_burst;
	u64 period, burst;	  /* ns */
	u64 threads;		  /* 0: as recorded */
	const char *kernel, *rule, *tunable, *topology; /* or NULL */
	u64 cpus, hz;		  /* 0: as recorded */
	u32 way;		  /* of a recording of counters: index into traced.ways */
	bool all_go;		  /* --limit '*=max': every limit of the node */
};

struct what_ifs {
	struct what_if v[WHAT_IFS_MAX];
	u32 nr;
	bool join;		  /* --and: the next option belongs to the last what-if */
	struct manager manager;	  /* --driver, --weights */
};

/* A command's arguments begin like this; the rows act on it. */
struct what_if_args {
	struct run_options run;
	struct what_ifs ifs;
};
extern const struct option_row what_if_rows[];

/* The limit of the group of @t under @w.  0, or -1 with @err set. */
int what_if_limit(const struct what_if *w, const struct what_ifs *all, const struct traced *t, struct recover_limit *out, struct err *err);

/* Does it run under another kernel, or on another machine, than was recorded? */
bool what_if_changes_machine(const struct what_if *w);

/*
 * The recovered scenario of @t under @w, its limit aside, into @sc, which has a memory of its own: free with what_if_free().  0, or -1 with
 * @err set.
 */
int what_if_scenario(const struct what_if *w, const struct traced *t, struct scenario *sc, struct err *err);
void what_if_free(struct scenario *sc);

/* "500m", "period 10 ms, kernel 6.18"; @limit as of what_if_limit().  Into @buf, which it returns. */
#define WHAT_IF_LABEL 200
char *what_if_label(const struct what_if *w, const struct recover_limit *limit, char *buf);

#endif
