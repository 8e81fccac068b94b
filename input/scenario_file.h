/* SPDX-License-Identifier: MIT */
/*
 * scenario_file.h - a scenario or rt-app file (docs/scenario.md) into struct scenario.
 *
 *	struct warnings w = { 0 };
 *	if (scenario_read_file("web.json", &sc, &w, &err)) ... err_text(&err, ...)
 *	... print w.list[0 .. w.nr) with err_text() behind "warning: " ...
 *	warnings_free(&w); scenario_free(&sc);
 *
 * The readers call scenario_init() themselves.  On error @sc is empty and needs no scenario_free() (which does no harm).
 * All return 0, or -1 with @err set: file, line, column, key, what was expected, and a hint.
 */
#ifndef INPUT_SCENARIO_FILE_H
#define INPUT_SCENARIO_FILE_H

#include "text/err.h"
#include "work/scenario.h"

#define WARNINGS_MOST 100

/* Things that were read but may not mean what was meant; each with its place.  Begin with { 0 }. */
struct warnings {
	struct err *list;
	u32 nr;
	u32 left_out; /* more than WARNINGS_MOST */
};
void warnings_free(struct warnings *w); /* to be used again after it */

struct read_options {
	bool rtapp_compat; /* read as stock rt-app does: of a key that occurs twice the last value counts, at the first place;
			      a task-level "runtime" is also a slice request */
	int cpus;	   /* not 0: size of the machine, whatever the file says */
	bool no_topology;  /* leave out the file's topology: another one will be set */
};

/* @file of the readers below is the name for errors and the scenario's name; the text need not end in NUL. */
int scenario_read(const char *file, const char *text, size_t len, struct scenario *sc, struct warnings *w, struct err *err);
int scenario_read_file(const char *path, struct scenario *sc, struct warnings *w, struct err *err);
int scenario_read_with(const struct read_options *opt, const char *file, const char *text, size_t len,
		       struct scenario *sc, struct warnings *w, struct err *err);
int scenario_read_file_with(const struct read_options *opt, const char *path, struct scenario *sc, struct warnings *w,
			    struct err *err);

/*
 * Changes to a scenario that was read, as a command line makes them; each may be given again and then replaces the
 * earlier one.  Strings are copied into the scenario.
 */
/* @name: a row, or what distro.h knows: uname -r or a distribution, which may set HZ and the preemption model too. */
int scenario_set_kernel(struct scenario *sc, const char *name, struct err *err);
int scenario_add_rule(struct scenario *sc, const char *rule, struct err *err);		/* "bw_expiry=none" */
int scenario_set_tunable(struct scenario *sc, const char *setting, struct err *err);	/* "sched_cfs_bandwidth_slice_us=1000" */
int scenario_set_limit(struct scenario *sc, const char *spec, struct err *err);		/* "/web=250m+25ms": limits.h */
int scenario_set_cpus(struct scenario *sc, int cpus, struct err *err);			/* 1..1024, no less than is named */
/* A description, a name or a snapshot file (topology.h), of at least as many CPUs as are named; "flat": as many as there are. */
int scenario_set_topology(struct scenario *sc, const char *topology, struct err *err);
int scenario_set_cpuset(struct scenario *sc, const char *spec, struct err *err);	/* "/web=0-3,8", "0,1": where its tasks (all tasks) may run */
int scenario_set_hz(struct scenario *sc, const char *hz, struct err *err);
int scenario_set_seed(struct scenario *sc, const char *seed, struct err *err);
int scenario_set_duration(struct scenario *sc, const char *seconds, struct err *err);	/* -1: until all tasks exit */

/* Does the kernel of @sc exist, with all its rules and tunables together? */
int scenario_check_kernel(const struct scenario *sc, struct err *err);

#endif
