/* SPDX-License-Identifier: MIT */
/* written.h - a scenario as a file, and back: what comes back must run the same. */
#ifndef TESTS_WRITTEN_H
#define TESTS_WRITTEN_H

#include "sim/machine.h"
#include "text/err.h"

/* The result of @sc with all laws checked; fails the test where there is none.  Free with result_free(). */
struct result *run_scenario(const struct scenario *sc);

/* @sc as JSON, or NULL with @err set.  Free with free(). */
char *written(const struct scenario *sc, struct err *err);

/* What is written of @sc fits the schema, is read without a word, and gives the same digest and counts.  @what is for messages. */
void check_written(const struct scenario *sc, const char *what);

#endif
