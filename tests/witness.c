/* SPDX-License-Identifier: MIT */
/* witness.c - see witness.h. */
#include "tests/test.h"

#include "tests/witness.h"

static s64 figure_of(const struct witness *w, const char *value)
{
	char flipped[64];
	struct under u = { w->row, w->also, flipped };

	snprintf(flipped, sizeof(flipped), "%s=%s", w->rule, value);
	return w->figure(&u);
}

static size_t values_of(const struct witness *w)
{
	size_t k = 0;

	while (k < WITNESS_VALUES && w->shows[k].value)
		k++;
	return k;
}

void witness_figures(const struct witness_table *t)
{
	size_t i, k;

	for (i = 0; i < t->nr; i++) {
		const struct witness *w = &t->rows[i];

		for (k = 0; k < values_of(w); k++) {
			char title[400];

			snprintf(title, sizeof(title), "%s=%s, %s, %s (%s)", w->rule, w->shows[k].value, w->row, w->name, w->sentence);
			CHECK_ROW(figure_of(w, w->shows[k].value), w->shows[k].figure, title);
		}
	}
}

void witness_names(const struct witness_table *t)
{
	size_t i, k;

	for (i = 0; i < t->nr; i++) {
		const struct witness *w = &t->rows[i];

		for (k = 0; k < values_of(w); k++) {
			struct kernel_model model;
			char text[64];

			CHECK_EQ(model_init(&model, w->row), 0);
			snprintf(text, sizeof(text), "%s=%s", w->rule, w->shows[k].value);
			CHECK_ROW(model_set_rule(&model, text, NULL), 0, text);
		}
		CHECK_ROW(k >= 2, true, w->rule);
	}
}

/* ---- completeness ---- */

/* One of the values in the text of a rule. */
struct value {
	const char *at;
	size_t len;
};

static bool is_value(const char *text, const struct value *v) { return strlen(text) == v->len && !memcmp(text, v->at, v->len); }

/* The figure that @w gives for @v of its rule; false where it gives none. */
static bool shown(const struct witness *w, const struct value *v, s64 *figure)
{
	size_t k;

	for (k = 0; k < values_of(w); k++) {
		if (!is_value(w->shows[k].value, v))
			continue;
		*figure = w->shows[k].figure;
		return true;
	}
	return false;
}

static bool are_alike(const struct witness_alike *alike, const char *rule, const struct value *a, const struct value *b)
{
	for (; alike && alike->rule; alike++)
		if (!strcmp(alike->rule, rule) && is_value(alike->a, a) && is_value(alike->b, b))
			return true;
	return false;
}

static bool told_apart(const struct witness_table *t, const char *rule, const struct value *a, const struct value *b)
{
	size_t i;
	s64 x, y;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->rows[i].rule, rule) && shown(&t->rows[i], a, &x) && shown(&t->rows[i], b, &y) && x != y)
			return true;
	return are_alike(t->alike, rule, a, b);
}

static const char *next_value(const char *at, struct value *v)
{
	*v = (struct value){ at, strcspn(at, "|") };
	return at[v->len] ? at + v->len + 1 : NULL;
}

void witness_complete(const struct witness_table *t)
{
	int rule;

	for (rule = (int)t->first; rule <= (int)t->last; rule++) {
		const struct rule_info *info = rule_info((enum rule)rule);
		const char *rest, *more;
		struct value a, b;

		for (rest = info->values; rest;) {
			rest = next_value(rest, &a);
			for (more = rest; more;) {
				char title[128];

				more = next_value(more, &b);
				snprintf(title, sizeof(title), "%s: %.*s against %.*s", info->name, (int)a.len, a.at, (int)b.len, b.at);
				CHECK_ROW(told_apart(t, info->name, &a, &b), true, title);
			}
		}
	}
}

/* ---- the list ---- */

/* Whole ms or us where that is exact to a tenth, else ns; three digits at a time. */
static void print_grouped(s64 n)
{
	u64 abs = n < 0 ? -(u64)n : (u64)n;
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64, abs), i;

	if (n < 0)
		putchar('-');
	for (i = 0; i < len; i++) {
		putchar(text[i]);
		if ((len - i) % 3 == 1 && i < len - 1)
			putchar(',');
	}
}

static void print_ns(s64 ns)
{
	static const struct { s64 ns; const char *name; } units[] = { { MS, "ms" }, { US, "us" } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units) && ns; i++) {
		s64 rest = ns % units[i].ns;

		if (ns / units[i].ns == 0 || rest % (units[i].ns / 10))
			continue;
		print_grouped(ns / units[i].ns);
		if (rest)
			printf(".%d", (int)((rest < 0 ? -rest : rest) / (units[i].ns / 10)));
		printf(" %s", units[i].name);
		return;
	}
	print_grouped(ns);
	if (ns)
		printf(" ns");
}

static void print_figure(const struct witness *w, s64 figure)
{
	if (w->unit == YES_OR_NO)
		fputs(figure ? "yes" : "no", stdout);
	else if (w->unit == IN_NOTHING)
		print_grouped(figure);
	else
		print_ns(figure);
}

void witness_list(const struct witness_table *t)
{
	size_t i, k;

	for (i = 0; i < t->nr; i++) {
		const struct witness *w = &t->rows[i];

		printf("%s\t%s%s ", w->rule, w->name, w->unit == YES_OR_NO ? "" : ":");
		for (k = 0; k < values_of(w); k++) {
			printf("%s`%s` ", k ? ", " : "", w->shows[k].value);
			print_figure(w, w->shows[k].figure);
		}
		printf(" (row %s%s%s%s). %s\n", w->row, w->also ? ", `" : "", w->also ? w->also : "", w->also ? "`" : "", w->sentence);
	}
}
