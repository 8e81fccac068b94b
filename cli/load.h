/* SPDX-License-Identifier: MIT */
/*
 * load.h - the scenario file of the command line.
 *
 * It is read from the disk (or the standard input) once and parsed once per variant, so that each has a scenario of its own to
 * change.
 */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/run_options.h"
#include "report/fibtest_text.h"
#include "report/fsperf_text.h"
#include "text/json.h"

struct source {
	const char *path; /* "-": the standard input */
	char *text;
	size_t len;
	bool warned;	  /* its warnings have been printed */
	bool rtapp_compat; /* read it as stock rt-app does */
};

/* Read the file at @path.  0, or -1 with @err set; source_close() is due in both cases. */
int source_open(struct source *src, const char *path, struct err *err);
void source_close(struct source *src);

/* The scenario in @src as @v has it, into @sc, for scenario_free().  Warnings go to stderr, once.  0, or -1 with @err set. */
int source_scenario(struct source *src, const struct variant *v, struct scenario *sc, struct err *err);

/* Change @sc, which has been read or made, as @v says.  0, or -1 with @err set. */
int variant_apply(struct scenario *sc, const struct variant *v, struct err *err);

/* The figures somebody published for this scenario (top-level "_published"), into @p.  False where there are none. */
bool source_published(const struct source *src, struct fibtest_published *p, struct arena *mem);
/* The same as a table of words; it lives in @mem. */
bool source_published_table(const struct source *src, struct fsperf_published *p, struct arena *mem);

#endif
