/* SPDX-License-Identifier: MIT */
/*
 * model.c - from the tables of rules, parameters and rows to one kernel_model.
 *
 *	rows.def:  3.2 <- 3.16 <- 4.2 <- 4.14 <- 4.14.133
 *	                                 ^---- 4.18 <- 5.3 <- 5.4 <- 5.10 <- ...
 *
 * A row is built by applying its ancestors from the oldest on.  Law: a row's name is nowhere else in core/.
 */
#include "core/model.h"

#include <string.h>

#include "base/str.h"

#define ENOENT 2
#define EPERM 1
#define EINVAL 22
#define ERANGE 34

static const struct rule_info rules[NR_RULES] = {
#define RULE(id, name, values, since, commit, sentence) { name, values, since, commit, sentence },
#include "core/rules.def"
#undef RULE
};

static const struct param_row {
	struct param_info info;
	u64 value;
} params[NR_PARAMS] = {
#define PARAM(id, name, unit, value, lowest, highest, sentence) { { name, unit, lowest, highest, sentence }, value },
#include "core/params.def"
#undef PARAM
};

/* A row's choice: of a rule, or (@param) of a parameter's value. */
struct setting {
	bool param;
	u8 id;
	u64 value;
};

#define SET(rule, value) { false, RULE_##rule, value },
#define TUNE(param, value) { true, PARAM_##param, value },
#define ROW(id, name, parent, sentence, ...) static const struct setting row_##id[] = { __VA_ARGS__ };
#include "core/rows.def"
#undef ROW
#undef SET
#undef TUNE

enum row_id {
	NO_PARENT = -1,
#define ROW(id, ...) id,
#include "core/rows.def"
#undef ROW
	NR_ROWS
};

static const struct row {
	const char *name;
	int parent;
	const char *sentence;
	const struct setting *set;
	u32 nr;
} rows[NR_ROWS] = {
#define ROW(id, name, parent, sentence, ...) { name, parent, sentence, row_##id, ARRAY_SIZE(row_##id) },
#include "core/rows.def"
#undef ROW
};

static int find_row(const char *name)
{
	int i;

	for (i = 0; i < NR_ROWS; i++)
		if (str_eq(name, rows[i].name))
			return i;
	return NO_PARENT;
}

static void apply_row(struct kernel_model *model, int row)
{
	u32 i;

	if (rows[row].parent != NO_PARENT)
		apply_row(model, rows[row].parent);
	for (i = 0; i < rows[row].nr; i++) {
		const struct setting *set = &rows[row].set[i];

		if (set->param)
			model->param[set->id] = set->value;
		else
			model->rule[set->id] = (u8)set->value;
	}
}

int model_init(struct kernel_model *model, const char *name)
{
	int row = find_row(name);
	int i;

	if (row == NO_PARENT)
		return -ENOENT;
	memset(model, 0, sizeof(*model));
	model->row = rows[row].name;
	for (i = 0; i < NR_PARAMS; i++)
		model->param[i] = params[i].value;
	apply_row(model, row);
	return 0;
}

/* The index of the word of @len bytes at @s among "a|b|c", or -1. */
static int value_index(const char *values, const char *s, size_t len)
{
	int index = 0;

	for (;;) {
		size_t n = 0;

		while (values[n] && values[n] != '|')
			n++;
		if (n == len && !memcmp(values, s, len))
			return index;
		if (!values[n])
			return -1;
		values += n + 1;
		index++;
	}
}

static int find_rule(const char *s, size_t len)
{
	int i;

	for (i = 0; i < NR_RULES; i++)
		if (str_is(s, len, rules[i].name))
			return i;
	return -1;
}

/* Linux's spelling of a feature: the name in capitals is on, NO_ before it is off. */
static int set_feature(struct kernel_model *model, const char *s, size_t len)
{
	bool on = !(len > 3 && !memcmp(s, "NO_", 3));
	char name[48];
	size_t i;
	int rule;

	if (!on) {
		s += 3;
		len -= 3;
	}
	if (len >= sizeof(name))
		return -ENOENT;
	for (i = 0; i < len; i++)
		name[i] = str_lower(s[i]);
	rule = find_rule(name, len);
	if (rule < 0)
		return -ENOENT;
	if (!str_eq(rules[rule].values, "off|on"))
		return -EINVAL;
	model->rule[rule] = on;
	return 0;
}

/* What a value of one rule cannot do without. */
static const struct need {
	u8 rule, value, needs, needed;
	const char *text;
} needs[] = {
	{ RULE_BW_BURST_STAT, 1, RULE_BW_REFILL, BW_REFILL_ADD, "bw_refill=add" },
	{ RULE_BW_BURST_UNIT, BW_BURST_DIVIDED, RULE_BW_REFILL, BW_REFILL_ADD, "bw_refill=add" },
	{ RULE_BW_RESTART, BW_RESTART_ADVANCE, RULE_BW_EXPIRY, BW_EXPIRY_SEQ, "bw_expiry=seq" },
};

static const char *missing_need(const struct kernel_model *model, int rule, int value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].rule == rule && needs[i].value == value && model->rule[needs[i].needs] != needs[i].needed)
			return needs[i].text;
	return NULL;
}

int model_set_rule(struct kernel_model *model, const char *assignment, const char **missing)
{
	const char *text = NULL, *eq = assignment;
	int rule, value;

	while (*eq && *eq != '=')
		eq++;
	if (!*eq)
		return set_feature(model, assignment, (size_t)(eq - assignment));
	rule = find_rule(assignment, (size_t)(eq - assignment));
	if (rule < 0)
		return -ENOENT;
	value = value_index(rules[rule].values, eq + 1, str_len(eq + 1));
	if (value < 0)
		return -EINVAL;
	text = missing_need(model, rule, value);
	if (missing)
		*missing = text;
	if (text)
		return -EPERM;
	model->rule[rule] = (u8)value;
	return 0;
}

int model_set_tunable(struct kernel_model *model, const char *name, u64 value)
{
	int i;

	for (i = 0; i < NR_PARAMS; i++) {
		if (!str_eq(name, params[i].info.name))
			continue;
		if (value < params[i].info.lowest || value > params[i].info.highest)
			return -ERANGE;
		model->param[i] = value;
		model->param_set[i] = 1;
		return 0;
	}
	return -ENOENT;
}

const char *model_row_name(int index) { return index >= 0 && index < NR_ROWS ? rows[index].name : NULL; }

const char *model_row_parent(int index)
{
	return index >= 0 && index < NR_ROWS && rows[index].parent != NO_PARENT ? rows[rows[index].parent].name : NULL;
}

const char *model_row_sentence(int index) { return index >= 0 && index < NR_ROWS ? rows[index].sentence : NULL; }

const struct rule_info *rule_info(enum rule rule) { return &rules[rule]; }

const struct param_info *param_info(enum param param) { return &params[param].info; }

char *model_rule_value(const struct kernel_model *model, enum rule rule, char *buf, size_t size)
{
	const char *s = rules[rule].values;
	size_t n = 0;
	int i;

	for (i = 0; i < model->rule[rule]; i++) {
		while (*s && *s != '|')
			s++;
		if (*s)
			s++;
	}
	while (n + 1 < size && s[n] && s[n] != '|') {
		buf[n] = s[n];
		n++;
	}
	if (size)
		buf[n] = '\0';
	return buf;
}
