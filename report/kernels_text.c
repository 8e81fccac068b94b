/* SPDX-License-Identifier: MIT */
/* kernels_text.c - which kernel has which rules. */
#include "report/kernels_text.h"

#include <inttypes.h>
#include <string.h>

#include "text/table.h"

#define ROWS_MAX (TABLE_COLUMNS_MAX - 2)

static char *value_of(const struct kernel_model *m, int rule, char *buf, size_t size)
{
	return model_rule_value(m, (enum rule)rule, buf, size);
}

/* Rows are few; the model of one is made when it is asked for. */
static u32 nr_rows(void)
{
	u32 n = 0;

	while (n < ROWS_MAX && model_row_name((int)n))
		n++;
	return n;
}

static struct kernel_model model_at(u32 i)
{
	struct kernel_model m;

	memset(&m, 0, sizeof(m));
	model_init(&m, model_row_name((int)i));
	return m;
}

static void matrix_heads(struct table *t, u32 rows)
{
	u32 i;

	table_tone(t, TONE_HEAD);
	table_cell(t, "%s", "rule");
	for (i = 0; i < rows; i++)
		table_cell(t, "%s", model_row_name((int)i));
	table_cell(t, "%s", "what it decides");
	table_tone(t, TONE_PLAIN);
}

/* A value is written where it differs from that of the row to the left: the eye follows the changes. */
static void matrix_rule(struct table *t, int rule, u32 rows)
{
	char value[64], last[64] = "";
	u32 i;

	table_cell(t, "%s", rule_info((enum rule)rule)->name);
	for (i = 0; i < rows; i++) {
		struct kernel_model m = model_at(i);
		bool same = !strcmp(value_of(&m, rule, value, sizeof(value)), last);

		table_tone(t, same ? TONE_DIM : TONE_PLAIN);
		table_cell(t, "%s", same ? "." : value);
		memcpy(last, value, sizeof(last));
	}
	table_tone(t, TONE_PLAIN);
	table_cell(t, "%s", rule_info((enum rule)rule)->sentence);
}

static bool param_varies(int param, u32 rows)
{
	struct kernel_model first = model_at(0);
	u32 i;

	for (i = 1; i < rows; i++)
		if (model_at(i).param[param] != first.param[param])
			return true;
	return false;
}

static void matrix_param(struct table *t, int param, u32 rows)
{
	u64 last = UINT64_MAX;
	u32 i;

	table_cell(t, "%s", param_info((enum param)param)->name);
	for (i = 0; i < rows; i++) {
		u64 v = model_at(i).param[param];

		if (v == last)
			table_cell(t, "%s", ".");
		else
			table_cell(t, "%" PRIu64, v);
		last = v;
	}
	table_cell(t, "%s", param_info((enum param)param)->sentence);
}

void kernels_matrix(FILE *out)
{
	char align[TABLE_COLUMNS_MAX + 1];
	u32 rows = nr_rows();
	struct table t;
	int i;

	memset(align, 'l', rows + 2);
	align[rows + 2] = '\0';
	table_init(&t, align);
	matrix_heads(&t, rows);
	for (i = 0; i < NR_RULES; i++)
		matrix_rule(&t, i, rows);
	for (i = 0; i < NR_PARAMS; i++)
		if (param_varies(i, rows))
			matrix_param(&t, i, rows);
	table_print(&t, out);
	table_fini(&t);
	fputs("\n\".\" is the value of the kernel to the left. fairground kernels ROW says more about one.\n", out);
}

static const char *row_parent(const char *row)
{
	int i;

	for (i = 0; model_row_name(i); i++)
		if (!strcmp(model_row_name(i), row))
			return model_row_parent(i);
	return NULL;
}

static const char *row_sentence(const char *row)
{
	int i;

	for (i = 0; model_row_name(i); i++)
		if (!strcmp(model_row_name(i), row))
			return model_row_sentence(i);
	return NULL;
}

void kernels_row(FILE *out, const struct kernel_model *row)
{
	const char *parent = row_parent(row->row), *sentence = row_sentence(row->row);
	struct table t;
	char value[64];
	int i;

	fprintf(out, "%s%s%s%s%s\n\n", row->row, parent ? ", inherits from " : "", parent ? parent : "",
		sentence && *sentence ? ": " : "", sentence ? sentence : "");
	table_init(&t, "llll");
	table_heads(&t, "rule|value|what it decides|since");
	for (i = 0; i < NR_RULES; i++) {
		table_cell(&t, "%s", rule_info((enum rule)i)->name);
		table_cell(&t, "%s", value_of(row, i, value, sizeof(value)));
		table_cell(&t, "%s", rule_info((enum rule)i)->sentence);
		table_cell(&t, "%s", rule_info((enum rule)i)->since);
	}
	table_print(&t, out);
	table_fini(&t);
	fputc('\n', out);
	table_init(&t, "lrl");
	table_heads(&t, "tunable|value|what it is");
	for (i = 0; i < NR_PARAMS; i++) {
		table_cell(&t, "%s", param_info((enum param)i)->name);
		table_cell(&t, "%" PRIu64, row->param[i]);
		table_cell(&t, "%s", param_info((enum param)i)->sentence);
	}
	table_print(&t, out);
	table_fini(&t);
}

void kernels_diff(FILE *out, const struct kernel_model *a, const struct kernel_model *b)
{
	char left[64], right[64];
	size_t heads;
	struct table t;
	int i;

	table_init(&t, "lllll");
	table_tone(&t, TONE_HEAD);
	table_cell(&t, "%s", "rule");
	table_cell(&t, "%s", a->row);
	table_cell(&t, "%s", b->row);
	table_cell(&t, "%s", "what it decides");
	table_cell(&t, "%s", "commits");
	table_tone(&t, TONE_PLAIN);
	heads = t.nr;
	for (i = 0; i < NR_RULES; i++) {
		const struct rule_info *info = rule_info((enum rule)i);

		if (a->rule[i] == b->rule[i])
			continue;
		table_cell(&t, "%s", info->name);
		table_cell(&t, "%s", value_of(a, i, left, sizeof(left)));
		table_cell(&t, "%s", value_of(b, i, right, sizeof(right)));
		table_cell(&t, "%s", info->sentence);
		table_cell(&t, "%s", info->commit);
	}
	for (i = 0; i < NR_PARAMS; i++) {
		if (a->param[i] == b->param[i])
			continue;
		table_cell(&t, "%s", param_info((enum param)i)->name);
		table_cell(&t, "%" PRIu64, a->param[i]);
		table_cell(&t, "%" PRIu64, b->param[i]);
		table_cell(&t, "%s", param_info((enum param)i)->sentence);
		table_end_row(&t);
	}
	if (t.nr > heads)
		table_print(&t, out);
	else
		fprintf(out, "%s and %s have the same rules and tunables\n", a->row, b->row);
	table_fini(&t);
}

static void rule_json(struct json_write *j, int rule, u32 rows)
{
	const struct rule_info *info = rule_info((enum rule)rule);
	char value[64];
	u32 i;

	json_begin(j, '{');
	json_put_string(j, "name", info->name);
	json_put_string(j, "values", info->values);
	json_put_string(j, "since", info->since);
	json_put_string(j, "until", NULL); /* "since" says for each value from when to when */
	json_put_string(j, "commit", info->commit);
	json_put_string(j, "sentence", info->sentence);
	json_put_begin_line(j, "rows", '{');
	for (i = 0; i < rows; i++) {
		struct kernel_model m = model_at(i);

		json_put_string(j, m.row, value_of(&m, rule, value, sizeof(value)));
	}
	json_end(j);
	json_end(j);
}

void kernels_json(struct json_write *j)
{
	u32 i, rows = nr_rows();

	json_begin(j, '{');
	json_put_begin_line(j, "rows", '[');
	for (i = 0; i < rows; i++)
		json_string(j, model_row_name((int)i));
	json_end(j);
	json_put_begin(j, "rules", '[');
	for (i = 0; i < NR_RULES; i++)
		rule_json(j, (int)i, rows);
	json_end(j);
	json_end(j);
}
