/* SPDX-License-Identifier: MIT */
/*
 * oracle_json.c - the model beside real kernels, for machines.
 *
 *	{ "rows": { row: { kind: { cases, cells, inside } } }, "misses": [ ... ], "families", "figures", "skipped" }
 *
 * Times are microseconds with the digits of a nanosecond.
 */
#include "report/oracle.h"

#include <string.h>

#include "report/result_json.h"

static void put_tally(struct json_write *j, const struct oracle_sum *sum)
{
	if (!sum->name || sum->cases)
		json_put_u64(j, "cases", sum->cases);
	json_put_u64(j, "cells", sum->with.cells);
	json_put_u64(j, "inside", sum->with.inside);
	json_put_real(j, "share", oracle_share(&sum->with), 2);
	json_put_u64(j, "zero_cells", sum->with.zeros);
	json_put_u64(j, "zero_inside", sum->with.zeros_inside);
	json_put_u64(j, "inside_without_fitted", sum->without.inside);
}

/* The sums of one row stand together where the measurements do; a row that comes again is one object still. */
static bool first_of_row(const struct oracle_score *s, enum oracle_by by, u32 i)
{
	for (u32 k = 0; k < i; k++)
		if (!strcmp(s->sums[by][k].row, s->sums[by][i].row))
			return false;
	return true;
}

static bool first_of_kind(const struct oracle_score *s, enum oracle_by by, u32 i)
{
	for (u32 k = 0; k < i; k++)
		if (!strcmp(s->sums[by][k].row, s->sums[by][i].row) && !strcmp(s->sums[by][k].kind, s->sums[by][i].kind))
			return false;
	return true;
}

static void put_names(struct json_write *j, const struct oracle_score *s, enum oracle_by by, u32 first)
{
	for (u32 i = first; i < s->nr_sums[by]; i++) {
		const struct oracle_sum *sum = &s->sums[by][i];

		if (strcmp(sum->row, s->sums[by][first].row) || strcmp(sum->kind, s->sums[by][first].kind))
			continue;
		json_put_begin_line(j, sum->name, '{');
		put_tally(j, sum);
		json_end(j);
	}
}

static void put_kinds(struct json_write *j, const struct oracle_score *s, enum oracle_by by, u32 first)
{
	for (u32 i = first; i < s->nr_sums[by]; i++) {
		const struct oracle_sum *sum = &s->sums[by][i];

		if (strcmp(sum->row, s->sums[by][first].row) || !first_of_kind(s, by, i))
			continue;
		if (by == ORACLE_BY_ROW) {
			json_put_begin_line(j, sum->kind, '{');
			put_tally(j, sum);
		} else {
			json_put_begin(j, sum->kind, '{');
			put_names(j, s, by, i);
		}
		json_end(j);
	}
}

static void put_sums(struct json_write *j, const struct oracle_score *s, enum oracle_by by, const char *key)
{
	json_put_begin(j, key, '{');
	for (u32 i = 0; i < s->nr_sums[by]; i++) {
		if (!first_of_row(s, by, i))
			continue;
		json_put_begin(j, s->sums[by][i].row, '{');
		put_kinds(j, s, by, i);
		json_end(j);
	}
	json_end(j);
}

static void put_value(struct json_write *j, const char *key, const struct oracle_cell *c, double v)
{
	if (c->is_time)
		json_put_real(j, key, v / (double)US, 3);
	else
		json_put_real(j, key, v, 0);
}

static void put_cell(struct json_write *j, const struct oracle_cell *c)
{
	char what[256];

	snprintf(what, sizeof(what), "%s %s", c->figure, c->subject);
	json_begin_line(j, '{');
	json_put_string(j, "case", c->case_id);
	json_put_string(j, "cell", what);
	json_put_string(j, "unit", c->is_time ? "us" : "count");
	put_value(j, "real", c, c->real);
	put_value(j, "model", c, c->model);
	put_value(j, "without_fitted", c, c->without);
	put_value(j, "tolerance", c, c->tolerance);
	json_put_bool(j, "inside", c->inside);
	json_put_bool(j, "zero", c->zero);
	json_put_string(j, "cause", c->inside ? NULL : c->cause ? c->cause : "unknown");
	json_end(j);
}

void oracle_json(FILE *out, const struct oracle_score *s)
{
	struct json_write j;

	json_write_init(&j, out);
	json_begin(&j, '{');
	json_put_string(&j, "fairground", FAIRGROUND_VERSION);
	json_put_string(&j, "fitted", s->fitted);
	json_put_u64(&j, "plays", s->plays);
	put_sums(&j, s, ORACLE_BY_ROW, "rows");
	put_sums(&j, s, ORACLE_BY_FAMILY, "families");
	put_sums(&j, s, ORACLE_BY_FIGURE, "figures");
	json_put_begin(&j, "misses", '[');
	for (u32 i = 0; i < s->nr_cells; i++)
		if (!s->cells[i].inside)
			put_cell(&j, &s->cells[i]);
	json_end(&j);
	json_put_begin(&j, "cells", '[');
	for (u32 i = 0; i < s->nr_cells; i++)
		put_cell(&j, &s->cells[i]);
	json_end(&j);
	json_put_begin(&j, "skipped", '[');
	for (u32 i = 0; i < s->nr_skips; i++) {
		json_begin_line(&j, '{');
		json_put_string(&j, "case", s->skips[i].case_id);
		json_put_string(&j, "why", s->skips[i].why);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	json_done(&j);
}
