/* SPDX-License-Identifier: MIT */
/*
 * why.h - runs the last variant again, once for each rule in which it differs from the first, with that rule as the first has it.
 */
#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "cli/runs.h"
#include "report/why.h"

/* @out gets rows for why_free().  0, or -1 with @err set. */
int why_run(struct why *out, const struct runs *runs, struct err *err);
void why_free(struct why *why);

#endif
