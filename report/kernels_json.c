/* SPDX-License-Identifier: MIT */
/* kernels_json.c - which kernel has which rules, for machines.  docs/rules.md describes it. */
#include <string.h>

#include "report/kernels_impl.h"
#include "report/kernels_since.h"
#include "report/kernels_text.h"

static void put_or_null(struct json_write *j, const char *key, const char *s) { json_put_string(j, key, *s ? s : NULL); }

/* "none|seq" -> ["none", "seq"] */
static void put_values(struct json_write *j, const char *values)
{
	char value[64];

	json_put_begin_line(j, "values", '[');
	while (*values) {
		size_t len = strcspn(values, "|");

		snprintf(value, sizeof(value), "%.*s", (int)len, values);
		json_string(j, value);
		values += len + (values[len] == '|');
	}
	json_end(j);
}

static void put_history(struct json_write *j, const struct rule_info *info)
{
	struct rule_span spans[RULE_SPANS_MAX];
	u32 i, nr = rule_spans(info, spans);

	json_put_begin(j, "history", '[');
	for (i = 0; i < nr; i++) {
		json_begin_line(j, '{');
		json_put_string(j, "value", spans[i].value);
		put_or_null(j, "since", spans[i].since);
		put_or_null(j, "until", spans[i].until);
		put_or_null(j, "also", spans[i].also);
		json_end(j);
	}
	json_end(j);
}

static void put_rule(struct json_write *j, enum rule rule)
{
	const struct rule_info *info = rule_info(rule);
	u32 i, rows = kernels_nr_rows();
	char text[64];

	json_begin(j, '{');
	json_put_string(j, "name", info->name);
	put_values(j, info->values);
	put_or_null(j, "alias", kernels_alias(rule, text, sizeof(text)));
	json_put_string(j, "since", info->since);
	put_or_null(j, "until", rule_until(info, text));
	put_history(j, info);
	json_put_string(j, "commit", info->commit);
	json_put_string(j, "sentence", info->sentence);
	json_put_begin_line(j, "rows", '{');
	for (i = 0; i < rows; i++) {
		struct kernel_model m = kernels_model_at(i);

		json_put_string(j, m.row, model_rule_value(&m, rule, text, sizeof(text)));
	}
	json_end(j);
	json_end(j);
}

static void put_tunable(struct json_write *j, enum param param)
{
	const struct param_info *info = param_info(param);
	u32 i, rows = kernels_nr_rows();

	json_begin(j, '{');
	json_put_string(j, "name", info->name);
	json_put_string(j, "unit", info->unit);
	json_put_u64(j, "lowest", info->lowest);
	json_put_u64(j, "highest", info->highest);
	json_put_string(j, "sentence", info->sentence);
	json_put_begin_line(j, "rows", '{');
	for (i = 0; i < rows; i++) {
		struct kernel_model m = kernels_model_at(i);

		json_put_u64(j, m.row, m.param[param]);
	}
	json_end(j);
	json_end(j);
}

void kernels_json(struct json_write *j)
{
	u32 i, rows = kernels_nr_rows();

	json_begin(j, '{');
	json_put_begin_line(j, "rows", '[');
	for (i = 0; i < rows; i++)
		json_string(j, model_row_name((int)i));
	json_end(j);
	json_put_begin(j, "about", '{');
	for (i = 0; i < rows; i++) {
		json_put_begin_line(j, model_row_name((int)i), '{');
		json_put_string(j, "parent", model_row_parent((int)i));
		json_put_string(j, "sentence", model_row_sentence((int)i));
		json_end(j);
	}
	json_end(j);
	json_put_begin(j, "rules", '[');
	for (i = 0; i < NR_RULES; i++)
		put_rule(j, (enum rule)i);
	json_end(j);
	json_put_begin(j, "tunables", '[');
	for (i = 0; i < NR_PARAMS; i++)
		put_tunable(j, (enum param)i);
	json_end(j);
	json_end(j);
}

void kernels_row_json(struct json_write *j, const struct kernel_model *row)
{
	int i, index = kernels_index(row->row);
	char value[64];

	json_begin(j, '{');
	json_put_string(j, "row", row->row);
	json_put_string(j, "parent", model_row_parent(index));
	json_put_string(j, "sentence", model_row_sentence(index));
	json_put_begin(j, "rules", '{');
	for (i = 0; i < NR_RULES; i++)
		json_put_string(j, rule_info((enum rule)i)->name, model_rule_value(row, (enum rule)i, value, sizeof(value)));
	json_end(j);
	json_put_begin(j, "tunables", '{');
	for (i = 0; i < NR_PARAMS; i++)
		json_put_u64(j, param_info((enum param)i)->name, row->param[i]);
	json_end(j);
	json_end(j);
}

void kernels_diff_json(struct json_write *j, const struct kernel_model *a, const struct kernel_model *b)
{
	char value[64];
	int i;

	json_begin(j, '{');
	json_put_string(j, "a", a->row);
	json_put_string(j, "b", b->row);
	json_put_begin(j, "differs", '[');
	for (i = 0; i < NR_RULES; i++) {
		const struct rule_info *info = rule_info((enum rule)i);

		if (a->rule[i] == b->rule[i])
			continue;
		json_begin(j, '{');
		json_put_string(j, "name", info->name);
		json_put_string(j, "a", model_rule_value(a, (enum rule)i, value, sizeof(value)));
		json_put_string(j, "b", model_rule_value(b, (enum rule)i, value, sizeof(value)));
		json_put_string(j, "sentence", info->sentence);
		json_put_string(j, "commit", info->commit);
		json_end(j);
	}
	for (i = 0; i < NR_PARAMS; i++) {
		if (a->param[i] == b->param[i])
			continue;
		json_begin(j, '{');
		json_put_string(j, "name", param_info((enum param)i)->name);
		json_put_u64(j, "a", a->param[i]);
		json_put_u64(j, "b", b->param[i]);
		json_put_string(j, "sentence", param_info((enum param)i)->sentence);
		json_put_string(j, "commit", "");
		json_end(j);
	}
	json_end(j);
	json_end(j);
}
