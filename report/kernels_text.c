/* SPDX-License-Identifier: MIT */
/*
 * kernels_text.c - which kernel has which rules, for people.
 *
 *	matrix: rules down, rows across, a value where it changes	one row: what came with it, then all of it
 *	two rows: what differs, with the sentence and the commits
 */
#include "report/kernels_text.h"

#include <inttypes.h>
#include <string.h>

#include "report/kernels_impl.h"
#include "text/table.h"

#define ROWS_MAX (TABLE_COLUMNS_MAX - 1)

static char *value_of(const struct kernel_model *m, int rule, char *buf, size_t size)
{
	return model_rule_value(m, (enum rule)rule, buf, size);
}

/* ---- the matrix ---- */

static void matrix_heads(struct table *t, u32 rows)
{
	u32 i;

	table_tone(t, TONE_HEAD);
	table_cell(t, "%s", "rule");
	for (i = 0; i < rows; i++)
		table_cell(t, "%s", model_row_name((int)i));
	table_tone(t, TONE_PLAIN);
}

/* A value is written where it differs from that of the row to the left: the eye follows the changes. */
static void matrix_cell(struct table *t, const char *value, const char *last)
{
	bool same = last && !strcmp(value, last);

	table_tone(t, same ? TONE_DIM : TONE_PLAIN);
	table_cell(t, "%s", same ? "." : value);
	table_tone(t, TONE_PLAIN);
}

static void matrix_rule(struct table *t, enum rule rule, u32 rows)
{
	char value[64], last[64];
	u32 i;

	table_cell(t, "%s", rule_info(rule)->name);
	for (i = 0; i < rows; i++) {
		struct kernel_model m = kernels_model_at(i);

		matrix_cell(t, model_rule_value(&m, rule, value, sizeof(value)), i ? last : NULL);
		memcpy(last, value, sizeof(last));
	}
}

static void matrix_param(struct table *t, enum param param, u32 rows)
{
	char value[32], last[32];
	u32 i;

	table_cell(t, "%s", param_info(param)->name);
	for (i = 0; i < rows; i++) {
		snprintf(value, sizeof(value), "%" PRIu64, kernels_model_at(i).param[param]);
		matrix_cell(t, value, i ? last : NULL);
		memcpy(last, value, sizeof(last));
	}
}

/* Rules in which all rows agree take one line each, without columns. */
static void matrix_agreed(FILE *out)
{
	struct kernel_model m = kernels_model_at(0);
	char value[64];
	int i;

	fputs("\nthe same in all rows:", out);
	for (i = 0; i < NR_RULES; i++)
		if (!kernels_rule_varies((enum rule)i))
			fprintf(out, " %s=%s", rule_info((enum rule)i)->name, value_of(&m, i, value, sizeof(value)));
	fputc('\n', out);
}

void kernels_matrix(FILE *out)
{
	char align[TABLE_COLUMNS_MAX + 1];
	u32 rows = kernels_nr_rows();
	struct table t;
	int i;

	if (rows > ROWS_MAX)
		rows = ROWS_MAX;
	memset(align, 'l', rows + 1);
	align[rows + 1] = '\0';
	table_init(&t, align);
	matrix_heads(&t, rows);
	for (i = 0; i < NR_RULES; i++)
		if (kernels_rule_varies((enum rule)i))
			matrix_rule(&t, (enum rule)i, rows);
	for (i = 0; i < NR_PARAMS; i++)
		if (kernels_param_varies((enum param)i))
			matrix_param(&t, (enum param)i, rows);
	table_print(&t, out);
	table_fini(&t);
	matrix_agreed(out);
	fputs("\n\".\" is the value of the row to the left. fairground kernels ROW says what the rules decide, fairground kernels A B what\n"
	      "differs between two rows.\n", out);
}

/* ---- two rows ---- */

static void diff_rule(struct table *t, const struct kernel_model *a, const struct kernel_model *b, int rule)
{
	const struct rule_info *info = rule_info((enum rule)rule);
	char left[64], right[64];

	table_cell(t, "%s", info->name);
	table_cell(t, "%s", value_of(a, rule, left, sizeof(left)));
	table_cell(t, "%s", value_of(b, rule, right, sizeof(right)));
	table_cell(t, "%s", info->sentence);
	table_cell(t, "%s", info->commit);
}

static void diff_param(struct table *t, const struct kernel_model *a, const struct kernel_model *b, int param)
{
	table_cell(t, "%s", param_info((enum param)param)->name);
	table_cell(t, "%" PRIu64, a->param[param]);
	table_cell(t, "%" PRIu64, b->param[param]);
	table_cell(t, "%s", param_info((enum param)param)->sentence);
	table_end_row(t);
}

/* The table of what differs; false where nothing does, and then nothing is printed. */
static bool print_diff(FILE *out, const struct kernel_model *a, const struct kernel_model *b)
{
	struct table t;
	size_t heads;
	bool some;
	int i;

	table_init(&t, "lllll");
	table_flow(&t, 3);
	table_flow(&t, 4);
	table_tone(&t, TONE_HEAD);
	table_cell(&t, "%s", "rule");
	table_cell(&t, "%s", a->row);
	table_cell(&t, "%s", b->row);
	table_cell(&t, "%s", "what it decides");
	table_cell(&t, "%s", "commits");
	table_tone(&t, TONE_PLAIN);
	heads = t.nr;
	for (i = 0; i < NR_RULES; i++)
		if (a->rule[i] != b->rule[i])
			diff_rule(&t, a, b, i);
	for (i = 0; i < NR_PARAMS; i++)
		if (a->param[i] != b->param[i])
			diff_param(&t, a, b, i);
	some = t.nr > heads;
	if (some)
		table_print(&t, out);
	table_fini(&t);
	return some;
}

void kernels_diff(FILE *out, const struct kernel_model *a, const struct kernel_model *b)
{
	if (!print_diff(out, a, b))
		fprintf(out, "%s and %s have the same rules and tunables\n", a->row, b->row);
}

/* ---- one row ---- */

static void all_rules(FILE *out, const struct kernel_model *row)
{
	struct table t;
	char value[64];
	int i;

	table_init(&t, "llll");
	table_heads(&t, "rule|value|what it decides|since");
	table_flow(&t, 2);
	table_flow(&t, 3);
	for (i = 0; i < NR_RULES; i++) {
		table_cell(&t, "%s", rule_info((enum rule)i)->name);
		table_cell(&t, "%s", value_of(row, i, value, sizeof(value)));
		table_cell(&t, "%s", rule_info((enum rule)i)->sentence);
		table_cell(&t, "%s", rule_info((enum rule)i)->since);
	}
	table_print(&t, out);
	table_fini(&t);
}

static void all_tunables(FILE *out, const struct kernel_model *row)
{
	struct table t;
	int i;

	table_init(&t, "lrl");
	table_heads(&t, "tunable|value|what it is");
	table_flow(&t, 2);
	for (i = 0; i < NR_PARAMS; i++) {
		table_cell(&t, "%s", param_info((enum param)i)->name);
		table_cell(&t, "%" PRIu64, row->param[i]);
		table_cell(&t, "%s", param_info((enum param)i)->sentence);
	}
	table_print(&t, out);
	table_fini(&t);
}

void kernels_row(FILE *out, const struct kernel_model *row)
{
	struct kernel_model parent;

	fprintf(out, "%s: %s\n\n", row->row, model_row_sentence(kernels_index(row->row)));
	if (kernels_parent(row->row, &parent)) {
		fprintf(out, "What came after %s\n\n", parent.row);
		kernels_diff(out, &parent, row);
		fputs("\nAll of it\n\n", out);
	}
	all_rules(out, row);
	fputc('\n', out);
	all_tunables(out, row);
}
