/* SPDX-License-Identifier: MIT */
/*
 * compare_text.c - results side by side, for people.
 *
 *	subject	 figure		  4.14.133	   bw_expiry=none	change
 *	/fibtest CPU ms		  221 (203..240)   489 (485..492)	2.2x
 *
 * A figure that is 0 everywhere is left out, and one that is the same everywhere is dim: the eye shall find what changed.
 */
#include "report/compare_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/result_text.h"
#include "report/why.h"
#include "text/format.h"
#include "text/table.h"

#define FIGURES_SHOWN 40 /* one screen */

static char *figure_text(char *buf, enum figure_unit unit, u64 v)
{
	return unit == FIGURE_NS ? format_ms(buf, v) : format_count(buf, v);
}

static void spread_cell(struct table *t, enum figure_unit unit, const struct spread *s, bool repeated)
{
	char mid[FORMAT_MAX], lo[FORMAT_MAX], hi[FORMAT_MAX];

	figure_text(mid, unit, s->median);
	table_cell(t, "%s", mid);
	if (!repeated)
		return;
	figure_text(lo, unit, s->lo);
	figure_text(hi, unit, s->hi);
	if (strcmp(lo, hi))
		table_cell(t, "(%s..%s)", lo, hi);
	else
		table_cell(t, "%s", "");
}

/* How @b differs from @a: a ratio where both are there and far enough apart to be one, else the difference. */
static void change_cell(struct table *t, enum figure_unit unit, u64 a, u64 b)
{
	char buf[FORMAT_MAX];
	u64 distance = a > b ? a - b : b - a;

	if (a == b)
		table_cell(t, "%s", "same");
	else if (!a || !b || distance < a / 20 || (unit == FIGURE_COUNT && a < 200 && distance < 20))
		table_cell(t, "%c%s", b > a ? '+' : '-', figure_text(buf, unit, distance));
	else
		table_cell(t, "%s", format_ratio(buf, (double)a, (double)b));
}

struct columns {
	struct figure *figures;
	struct spread **spreads; /* one list per series */
	u32 nr_figures;
};

static void columns_init(struct columns *c, const struct compare *cmp)
{
	u32 i;

	c->figures = calloc(FIGURES_MAX, sizeof(*c->figures));
	c->spreads = calloc(cmp->nr, sizeof(*c->spreads));
	if (!c->figures || !c->spreads)
		abort();
	for (i = 0; i < cmp->nr; i++)
		c->spreads[i] = series_spreads(&cmp->series[i], c->figures, &c->nr_figures);
}

static void columns_fini(struct columns *c, const struct compare *cmp)
{
	u32 i;

	for (i = 0; i < cmp->nr; i++)
		free(c->spreads[i]);
	free(c->spreads);
	free(c->figures);
}

static bool all_zero(const struct columns *c, const struct compare *cmp, u32 figure)
{
	u32 i;

	for (i = 0; i < cmp->nr; i++)
		if (c->spreads[i][figure].hi)
			return false;
	return true;
}

static bool all_same(const struct columns *c, const struct compare *cmp, u32 figure)
{
	u32 i;

	for (i = 1; i < cmp->nr; i++)
		if (c->spreads[i][figure].median != c->spreads[0][figure].median)
			return false;
	return true;
}

static void figure_row(struct table *t, const struct columns *c, const struct compare *cmp, u32 k, bool first_of_subject)
{
	const struct figure *f = &c->figures[k];
	u32 i;

	table_tone(t, all_same(c, cmp, k) ? TONE_DIM : TONE_PLAIN);
	table_cell(t, "%s", first_of_subject ? (*f->subject ? f->subject : "machine") : "");
	table_cell(t, "%s", f->title);
	for (i = 0; i < cmp->nr; i++) {
		spread_cell(t, f->unit, &c->spreads[i][k], cmp->repeats != NULL);
		if (i)
			change_cell(t, f->unit, c->spreads[0][k].median, c->spreads[i][k].median);
	}
	table_tone(t, TONE_PLAIN);
}

static void head_row(struct table *t, const struct compare *cmp)
{
	u32 i;

	table_tone(t, TONE_HEAD);
	table_cell(t, "%s", "");
	table_cell(t, "%s", "");
	for (i = 0; i < cmp->nr; i++) {
		table_cell(t, "%s", cmp->series[i].label);
		if (cmp->repeats)
			table_cell(t, "%s", "");
		if (i)
			table_cell(t, "%s", "change");
	}
	table_tone(t, TONE_PLAIN);
}

static void align_of(char *align, size_t size, const struct compare *cmp)
{
	size_t n = 0;
	u32 i;

	align[n++] = 'l';
	align[n++] = 'l';
	for (i = 0; i < cmp->nr && n + 4 < size; i++) {
		align[n++] = 'r';
		if (cmp->repeats)
			align[n++] = 'l';
		if (i)
			align[n++] = 'r';
	}
	align[n] = '\0';
}

void compare_title(FILE *out, const struct compare *cmp)
{
	const struct result *res = cmp->series[0].results[0];
	char span[FORMAT_MAX];

	text_put(out, res->scenario->name ? res->scenario->name : "scenario");
	fprintf(out, ": %d CPU%s at %u Hz, %s, seed %" PRIu64, res->nr_cpus, res->nr_cpus == 1 ? "" : "s",
		res->scenario->machine.hz, format_time(span, res->end - res->start), res->seed);
	if (cmp->repeats)
		fprintf(out, "; medians of %s, lowest..highest in brackets", cmp->repeats);
	fputs("\n\n", out);
}

static void put_figures(FILE *out, const struct compare *cmp, const struct columns *c)
{
	char align[TABLE_COLUMNS_MAX + 1];
	const char *subject = NULL;
	struct table t;
	u32 k, shown = 0, hidden = 0;

	align_of(align, sizeof(align), cmp);
	table_init(&t, align);
	head_row(&t, cmp);
	for (k = 0; k < c->nr_figures; k++) {
		if (all_zero(c, cmp, k))
			continue;
		if (shown == FIGURES_SHOWN) {
			hidden++;
			continue;
		}
		figure_row(&t, c, cmp, k, c->figures[k].subject != subject);
		subject = c->figures[k].subject;
		shown++;
	}
	table_print(&t, out);
	table_fini(&t);
	if (hidden)
		fprintf(out, "  ... and %u more figures (--json has all)\n", hidden);
}

static bool rule_differs(const struct compare *cmp, int rule);
static bool param_differs(const struct compare *cmp, int param);
static bool machine_differs(const struct compare *cmp);

static bool kernels_differ(const struct compare *cmp)
{
	for (int i = 0; i < NR_RULES; i++)
		if (rule_differs(cmp, i))
			return true;
	return false;
}

static bool anything_differs(const struct compare *cmp)
{
	for (int i = 0; i < NR_PARAMS; i++)
		if (param_differs(cmp, i))
			return true;
	return kernels_differ(cmp) || machine_differs(cmp);
}

void compare_text(FILE *out, const struct compare *cmp)
{
	struct columns c;

	compare_title(out, cmp);
	columns_init(&c, cmp);
	put_figures(out, cmp, &c);
	columns_fini(&c, cmp);
	if (anything_differs(cmp) || cmp->why)
		fputc('\n', out);
	compare_differences(out, cmp);
	if (cmp->why)
		why_text(out, cmp->why);
	if (kernels_differ(cmp))
		text_flow(out, "Not modelled: caches, frequency, interrupts that the scenario has not (LIMITS.md); take differences below 5 % between kernels "
			  "as noise.", 0, 0);
}

/* ---- what differed ---- */

static const struct kernel_model *model_of(const struct compare *cmp, u32 i) { return &cmp->series[i].results[0]->model; }

static const struct machine_spec *machine_of(const struct compare *cmp, u32 i)
{
	return &cmp->series[i].results[0]->scenario->machine;
}

static bool rule_differs(const struct compare *cmp, int rule)
{
	u32 i;

	for (i = 1; i < cmp->nr; i++)
		if (model_of(cmp, i)->rule[rule] != model_of(cmp, 0)->rule[rule])
			return true;
	return false;
}

static bool param_differs(const struct compare *cmp, int param)
{
	u32 i;

	for (i = 1; i < cmp->nr; i++)
		if (model_of(cmp, i)->param[param] != model_of(cmp, 0)->param[param])
			return true;
	return false;
}

static bool machine_differs(const struct compare *cmp)
{
	u32 i;

	for (i = 1; i < cmp->nr; i++)
		if (machine_of(cmp, i)->cpus != machine_of(cmp, 0)->cpus || machine_of(cmp, i)->hz != machine_of(cmp, 0)->hz)
			return true;
	return false;
}

static void rule_row(struct table *t, const struct compare *cmp, enum rule rule)
{
	char value[64];
	u32 i;

	table_cell(t, "%s", rule_info(rule)->name);
	for (i = 0; i < cmp->nr; i++)
		table_cell(t, "%s", model_rule_value(model_of(cmp, i), rule, value, sizeof(value)));
	table_cell(t, "%s", rule_info(rule)->sentence);
}

static void param_row(struct table *t, const struct compare *cmp, enum param param)
{
	u32 i;

	table_cell(t, "%s", param_info(param)->name);
	for (i = 0; i < cmp->nr; i++)
		table_cell(t, "%" PRIu64, model_of(cmp, i)->param[param]);
	table_cell(t, "%s", param_info(param)->sentence);
}

static void machine_row(struct table *t, const struct compare *cmp)
{
	u32 i;

	table_cell(t, "%s", "machine");
	for (i = 0; i < cmp->nr; i++)
		table_cell(t, "%d CPUs, %u Hz", machine_of(cmp, i)->cpus, machine_of(cmp, i)->hz);
	table_cell(t, "%s", "");
}

void compare_differences(FILE *out, const struct compare *cmp)
{
	char align[TABLE_COLUMNS_MAX + 1];
	struct table t;
	u32 i, columns = cmp->nr + 2 < TABLE_COLUMNS_MAX ? cmp->nr + 2 : TABLE_COLUMNS_MAX;

	memset(align, 'l', columns);
	align[columns] = '\0';
	table_init(&t, align);
	table_flow(&t, (int)columns - 1);
	table_tone(&t, TONE_HEAD);
	table_cell(&t, "%s", "what differs");
	for (i = 0; i < cmp->nr; i++)
		table_cell(&t, "%s", cmp->series[i].label);
	table_cell(&t, "%s", "");
	table_tone(&t, TONE_PLAIN);
	if (machine_differs(cmp))
		machine_row(&t, cmp);
	for (i = 0; i < NR_RULES; i++)
		if (rule_differs(cmp, (int)i))
			rule_row(&t, cmp, (enum rule)i);
	for (i = 0; i < NR_PARAMS; i++)
		if (param_differs(cmp, (int)i))
			param_row(&t, cmp, (enum param)i);
	if (t.nr > columns)
		table_print(&t, out);
	table_fini(&t);
}

/* ---- one series ---- */

static void mean_row(struct table *t, const struct figure *f, const struct spread *s, bool first_of_subject)
{
	char mean[FORMAT_MAX], lo[FORMAT_MAX], hi[FORMAT_MAX];

	table_cell(t, "%s", first_of_subject ? (*f->subject ? f->subject : "machine") : "");
	table_cell(t, "%s", f->title);
	table_cell(t, "%s", figure_text(mean, f->unit, (u64)(s->mean + 0.5)));
	table_cell(t, "( +- %.2f%% )", s->mean > 0 ? 100.0 * s->error / s->mean : 0.0);
	table_cell(t, "%s..%s", figure_text(lo, f->unit, s->lo), figure_text(hi, f->unit, s->hi));
}

void series_text(FILE *out, const struct series *series)
{
	struct figure *figures = calloc(FIGURES_MAX, sizeof(*figures));
	const char *subject = NULL;
	struct spread *spreads;
	struct table t;
	u32 i, nr;

	if (!figures)
		abort();
	spreads = series_spreads(series, figures, &nr);
	result_title(out, series->results[0]);
	fprintf(out, " and on: %u runs, mean ( +- standard error ) and range\n\n", series->nr);
	table_init(&t, "llrrl");
	for (i = 0; i < nr; i++) {
		if (!spreads[i].hi)
			continue;
		mean_row(&t, &figures[i], &spreads[i], figures[i].subject != subject);
		subject = figures[i].subject;
	}
	table_print(&t, out);
	table_fini(&t);
	free(spreads);
	free(figures);
}
