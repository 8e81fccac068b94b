/* SPDX-License-Identifier: MIT */
/* scenario_json_impl.h - what the two halves of scenario_json.h share; private to them. */
#ifndef REPORT_SCENARIO_JSON_IMPL_H
#define REPORT_SCENARIO_JSON_IMPL_H

#include "report/scenario_json.h"

struct scenario_writer {
	struct json_write *j;
	const struct scenario *sc;
	struct err *err;
	struct arena mem;	/* dies with the writing */
	const char **tasks;	/* names, fit for the language and each of them once */
	const char **resources;
};

/* "as JSON there is no way to write WHAT NAME"; returns -1.  @name may be "". */
int cannot_write(struct scenario_writer *w, const char *what, const char *name);

int put_us(struct scenario_writer *w, u64 ns);				/* a value */
int put_us_of(struct scenario_writer *w, const char *key, u64 ns);	/* a member */
int put_path(struct scenario_writer *w, const char *path);		/* of a group; a value */

/* ---- scenario_json_task.c ---- */

int put_resources(struct scenario_writer *w);
int put_tasks(struct scenario_writer *w);

#endif
