/* SPDX-License-Identifier: MIT */
/*
 * read_bed.h - a text read as a scenario file, for tests of what it means and of what is said where it means nothing.
 *
 *	read_text(text)		0 or -1; then sc, warn and err are of that reading, until the next one
 *	must_read(text)		the test ends where it is refused
 */
#ifndef TESTS_READ_BED_H
#define TESTS_READ_BED_H

#include "tests/test.h"

#include "input/reader.h"
#include "input/scenario_file.h"

static struct scenario sc;
static struct warnings warn;
static struct err err;

static inline int read_as(const struct read_options *opt, const char *text)
{
	scenario_free(&sc);
	warnings_free(&warn);
	err = (struct err){ 0 };
	return scenario_read_with(opt, "dir/test.json", text, strlen(text), &sc, &warn, &err);
}

static inline int read_text(const char *text) { return read_as(&(struct read_options){ 0 }, text); }

static inline void must_read(const char *text)
{
	if (read_text(text))
		fail_msg("%d:%d: %s: %s", err.line, err.column, err.key, err.message);
}

#define T "'tasks': {'t': {'run': 1}}"	/* the smallest task */
#define TASK(...) "{'machine': {'cpus': 4}, 'tasks': {'t': {" __VA_ARGS__ "}}}"

static inline const struct workload *task(u32 i) { return &sc.tasks[i]; }
static inline const struct step *step_of(u32 t, u32 i) { return &sc.tasks[t].program.steps[i]; }

#endif
