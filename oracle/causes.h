/* SPDX-License-Identifier: MIT */
/*
 * causes.h - why the model differs, where somebody has found out: a file of lines, the first that fits counts.
 *
 *	row | case | cell | cause		globs but for the last
 *	6.12 | *slack-p0* | switches | which queue's return ...
 *
 * A cell is a figure with what it is of ("usage /a", "cpu h0"); of a comparison switch by switch it is "switches" where another thread runs and
 * "times" where the same one runs at another time.
 */
#ifndef ORACLE_CAUSES_H
#define ORACLE_CAUSES_H

#include "base/arena.h"
#include "report/oracle.h"
#include "text/err.h"

struct cause_list;

/* The causes in file @path, an empty list where there is no such file; they live in @mem.  NULL with @err set: a line is none. */
struct cause_list *causes_read(const char *path, struct arena *mem, struct err *err);

/* Why @cell is outside, or NULL: unknown.  @causes may be NULL. */
const char *cause_of(const struct cause_list *causes, const struct oracle_cell *cell);

/* Why @a, of a kernel of @row, parts from its recording, or NULL: it does not, or unknown.  @causes may be NULL. */
const char *cause_of_divergence(const struct cause_list *causes, const char *row, const struct oracle_alignment *a);

#endif
