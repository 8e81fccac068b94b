/* SPDX-License-Identifier: MIT */
/*
 * kernels_markdown.c - the generated parts of docs/rules.md and docs/kernels/ROW.md.
 *
 * tools/rules_page.sh puts them between the marks of those pages, and a test fails where a page has drifted from the tables.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/kernels_impl.h"
#include "report/kernels_text.h"

static void put_code_list(FILE *out, const char *list, char bar)
{
	const char *sep = "";

	while (*list) {
		const char *end = strchr(list, bar);
		size_t len = end ? (size_t)(end - list) : strlen(list);

		fprintf(out, "%s`%.*s`", sep, (int)len, list);
		sep = ", ";
		list += len + (end != NULL);
	}
}

/* A sentence of the tables begins in lower case and has no full stop. */
static void put_sentence(FILE *out, const char *s) { fprintf(out, "%c%s.", toupper((unsigned char)s[0]), s + 1); }

/* "`deadline` 3.2; `inverted` 3.16 to 4.14; ..." */
static void put_rows_of(FILE *out, enum rule rule)
{
	u32 first = 0, i, nr = kernels_nr_rows();
	char value[64];

	for (i = 1; i <= nr; i++) {
		struct kernel_model m = kernels_model_at(first);

		if (i < nr && kernels_model_at(i).rule[rule] == m.rule[rule])
			continue;
		fprintf(out, "%s`%s` %s", first ? "; " : "", model_rule_value(&m, rule, value, sizeof(value)), m.row);
		if (i - 1 > first)
			fprintf(out, "%s%s", i - first == 2 ? ", " : " to ", model_row_name((int)i - 1));
		first = i;
	}
}

/* What one of its values cannot do without: model_set_rule() says so when it is missing. */
static void put_needs(FILE *out, enum rule rule)
{
	const struct rule_info *info = rule_info(rule);
	const char *v = info->values, *needs;
	char setting[96];

	while (*v) {
		size_t len = strcspn(v, "|");
		struct kernel_model m = kernels_model_at(0);

		needs = NULL;
		snprintf(setting, sizeof(setting), "%s=%.*s", info->name, (int)len, v);
		if (model_set_rule(&m, setting, &needs) && needs)
			fprintf(out, "- `%s` needs `%s`\n", setting, needs);
		v += len + (v[len] == '|');
	}
}

static void put_rule(FILE *out, enum rule rule)
{
	const struct rule_info *info = rule_info(rule);
	char alias[64];

	fprintf(out, "### %s\n\n", info->name);
	put_sentence(out, info->sentence);
	fputs("\n\n- values: ", out);
	put_code_list(out, info->values, '|');
	if (*kernels_alias(rule, alias, sizeof(alias)))
		fprintf(out, "; as Linux spells it `%s` and `NO_%s`", alias, alias);
	fprintf(out, "\n- kernels: %s\n- rows: ", info->since);
	put_rows_of(out, rule);
	fputc('\n', out);
	if (*info->commit) {
		fputs("- commits: ", out);
		put_code_list(out, info->commit, ' ');
		fputc('\n', out);
	}
	put_needs(out, rule);
	fputc('\n', out);
}

void kernels_markdown(FILE *out)
{
	int part, i;

	for (part = 0; part < NR_RULE_PARTS; part++) {
		fprintf(out, "## %s\n\n", kernels_part_name((enum rule_part)part));
		for (i = 0; i < NR_RULES; i++)
			if (kernels_part((enum rule)i) == (enum rule_part)part)
				put_rule(out, (enum rule)i);
	}
	fputs("## Tunables\n\n| name | unit | lowest | highest | what it is |\n|---|---|---|---|---|\n", out);
	for (i = 0; i < NR_PARAMS; i++) {
		const struct param_info *info = param_info((enum param)i);

		fprintf(out, "| `%s` | %s | %" PRIu64 " | %" PRIu64 " | %s |\n", info->name, *info->unit ? info->unit : "-",
			info->lowest, info->highest, info->sentence);
	}
}

/* ---- one row ---- */

static void put_changes(FILE *out, const struct kernel_model *row, const struct kernel_model *parent)
{
	char before[64], after[64];
	int i;

	fprintf(out, "## What came after %s\n\n| rule | %s | %s | what it decides | commits |\n|---|---|---|---|---|\n", parent->row,
		parent->row, row->row);
	for (i = 0; i < NR_RULES; i++) {
		const struct rule_info *info = rule_info((enum rule)i);

		if (row->rule[i] == parent->rule[i])
			continue;
		fprintf(out, "| [`%s`](../rules.md#%s) | %s | %s | %s | ", info->name, info->name,
			model_rule_value(parent, (enum rule)i, before, sizeof(before)),
			model_rule_value(row, (enum rule)i, after, sizeof(after)), info->sentence);
		put_code_list(out, info->commit, ' ');
		fputs(" |\n", out);
	}
	for (i = 0; i < NR_PARAMS; i++)
		if (row->param[i] != parent->param[i])
			fprintf(out, "| `%s` | %" PRIu64 " | %" PRIu64 " | %s | |\n", param_info((enum param)i)->name,
				parent->param[i], row->param[i], param_info((enum param)i)->sentence);
	fputc('\n', out);
}

static void put_all(FILE *out, const struct kernel_model *row)
{
	char value[64];
	int part, i;

	for (part = 0; part < NR_RULE_PARTS; part++) {
		const char *sep = "";

		fprintf(out, "- %s: ", kernels_part_name((enum rule_part)part));
		for (i = 0; i < NR_RULES; i++) {
			if (kernels_part((enum rule)i) != (enum rule_part)part)
				continue;
			fprintf(out, "%s`%s=%s`", sep, rule_info((enum rule)i)->name,
				model_rule_value(row, (enum rule)i, value, sizeof(value)));
			sep = " ";
		}
		fputc('\n', out);
	}
}

void kernels_row_markdown(FILE *out, const struct kernel_model *row)
{
	struct kernel_model parent;
	int i;

	put_sentence(out, model_row_sentence(kernels_index(row->row)));
	fputs("\n\n", out);
	if (kernels_parent(row->row, &parent))
		put_changes(out, row, &parent);
	fputs("## All rules\n\n", out);
	put_all(out, row);
	fputs("\n## Tunables\n\n| name | value | what it is |\n|---|---|---|\n", out);
	for (i = 0; i < NR_PARAMS; i++)
		fprintf(out, "| `%s` | %" PRIu64 " | %s |\n", param_info((enum param)i)->name, row->param[i],
			param_info((enum param)i)->sentence);
}
