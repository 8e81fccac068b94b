/* SPDX-License-Identifier: MIT */
/*
 * advise_text.c - the smallest limit that meets a target, and what else would.
 *
 *	the answer in a sentence
 *	one table: now, just below, the answer, the alternatives; lowest..highest over the phases of the period
 *	prices; the curve; what to paste; sentences
 */
#include "report/advise.h"

#include <inttypes.h>
#include <string.h>

#include "report/replay_text.h"
#include "text/format.h"
#include "text/table.h"

static void cell_range(struct table *t, const char *lo, const char *hi)
{
	if (strcmp(lo, hi))
		table_cell(t, "%s..%s", lo, hi);
	else
		table_cell(t, "%s", lo);
}

static void cell_ms(struct table *t, bool known, u64 lo, u64 hi)
{
	char a[FORMAT_MAX], b[FORMAT_MAX];

	if (known)
		cell_range(t, format_ms(a, lo), format_ms(b, hi));
	else
		table_cell(t, "-");
}

/* How many periods are throttled, and which part of the active ones that is at most. */
static void share_cells(struct table *t, const struct advise_row *r)
{
	const struct fates *f = &r->fates;
	char a[FORMAT_MAX];

	if (r->quota == NEVER) {
		table_cell(t, "-");
		table_cell(t, "-");
		return;
	}
	if (f->lo.throttled == f->hi.throttled)
		table_cell(t, "%" PRIu64, f->at.throttled);
	else
		table_cell(t, "%" PRIu64 "..%" PRIu64, f->lo.throttled, f->hi.throttled);
	table_cell(t, "%s", format_share(a, r->share_hi, 1000000));
}

/* The figure the target is about where it has a column of its own, in place of p99: "p95", "mean"; NULL: p50, p99 and max are shown anyway. */
static const char *own_figure(const struct advise_view *v, char *buf, size_t size)
{
	static const char *const shown[] = { "p50", "p99", "max" };

	snprintf(buf, size, "%.*s", (int)strcspn(v->target, "<"), v->target);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (!v->of_latency || !strcmp(shown[i], buf))
			return NULL;
	return buf;
}

static void latency_cells(struct table *t, const struct advise_view *v, const struct advise_row *r)
{
	const struct fates *f = &r->fates;
	char figure[FORMAT_MAX];

	cell_ms(t, f->at.nr_latency, f->lo.latency[LATENCY_P50], f->hi.latency[LATENCY_P50]);
	if (own_figure(v, figure, sizeof(figure)))
		cell_ms(t, f->at.nr_latency, r->lo, r->hi);
	else
		cell_ms(t, f->at.nr_latency, f->lo.latency[LATENCY_P99], f->hi.latency[LATENCY_P99]);
	cell_ms(t, f->at.nr_latency, f->lo.latency[LATENCY_MAX], f->hi.latency[LATENCY_MAX]);
}

/* Heads with the target's figure for the '*'. */
static void put_heads(struct table *t, const struct advise_view *v, const char *heads)
{
	char figure[FORMAT_MAX], line[200];
	const char *star = strchr(heads, '*');

	if (!own_figure(v, figure, sizeof(figure)))
		snprintf(figure, sizeof(figure), "p99");
	snprintf(line, sizeof(line), "%.*s%s%s", (int)(star - heads), heads, figure, star + 1);
	table_heads(t, line);
}

static void put_row(struct table *t, const struct advise_view *v, const struct advise_row *r, const char *name, const char *mark)
{
	table_cell(t, "%s%s%s", name, *mark ? ", " : "", mark);
	if (r->failed) {
		table_cell(t, "no");
		table_end_row(t);
		return;
	}
	table_tone(t, r->met ? TONE_GOOD : TONE_BAD);
	table_cell(t, "%s", r->met ? "yes" : "no");
	table_tone(t, TONE_PLAIN);
	share_cells(t, r);
	latency_cells(t, v, r);
	cell_ms(t, true, r->pause_hi, r->pause_hi);
	table_cell(t, "%.0f", (double)r->switches_hi / 1000);
}

static const char *milli_of(char *buf, const struct advise_row *r)
{
	return r->quota == NEVER ? "no limit" : format_milli(buf, r->quota, r->period);
}

static void put_table(FILE *out, const struct advise_view *v)
{
	struct table t;
	char a[FORMAT_MAX];

	table_init(&t, "llrrrrrrr");
	put_heads(&t, v, "||throttled|at|p50|*|max|pause|switches");
	table_heads(&t, "change|meets|periods|most|ms|ms|ms|ms|per s");
	put_row(&t, v, v->now, milli_of(a, v->now), "as it is");
	if (v->below)
		put_row(&t, v, v->below, v->below->change, v->free ? "the highest" : "just below");
	if (v->answer)
		put_row(&t, v, v->answer, v->answer->change, v->free ? "only without" : "the smallest");
	for (u32 i = 0; i < v->nr_alternatives; i++)
		put_row(&t, v, &v->alternatives[i], v->alternatives[i].change, "");
	table_print(&t, out);
	table_fini(&t);
	for (u32 i = 0; i < v->nr_alternatives; i++)
		if (v->alternatives[i].failed)
			fprintf(out, "%s cannot be: %s\n", v->alternatives[i].change, v->alternatives[i].failed);
	fprintf(out, "lowest..highest over %u phases of the period: no one can choose where its refills lie\n", v->phases);
}

static void put_prices(FILE *out, const struct advise_view *v)
{
	struct table t;
	u32 rows = 0;

	table_init(&t, "llll");
	table_heads(&t, "what meets it|limit|sure|price");
	table_flow(&t, 3);
	for (u32 i = 0; i <= v->nr_alternatives; i++) {
		const struct advise_row *r = i ? &v->alternatives[i - 1] : v->answer;

		if (!r || !r->met || !r->price || r->failed)
			continue;
		table_cell(&t, "%s", r->change);
		table_cell(&t, "%s", r->limit);
		table_cell(&t, "%s", r->confidence);
		table_cell(&t, "%s", r->price);
		rows++;
	}
	if (rows) {
		fputc('\n', out);
		table_print(&t, out);
	}
	table_fini(&t);
}

static void put_curve(FILE *out, const struct advise_view *v)
{
	struct table t;

	if (!v->show_curve || !v->nr_curve)
		return;
	fputc('\n', out);
	table_init(&t, "llrrrrr");
	put_heads(&t, v, "||throttled|at|p50|*|max");
	table_heads(&t, "limit|meets|periods|most|ms|ms|ms");
	for (u32 i = 0; i < v->nr_curve; i++) {
		const struct advise_row *r = &v->curve[i];

		if (r->failed)
			continue;
		table_cell(&t, "%s", r->limit);
		table_cell(&t, "%s", r->met ? "yes" : "no");
		share_cells(&t, r);
		latency_cells(&t, v, r);
	}
	table_print(&t, out);
	table_fini(&t);
}

static void put_paste(FILE *out, const struct advise_view *v)
{
	if (!v->nr_paste)
		return;
	fputs("\nto paste:\n", out);
	for (u32 i = 0; i < v->nr_paste; i++) {
		fputs("  ", out);
		text_put(out, v->paste[i]);
		fputc('\n', out);
	}
}

/* ---- in a sentence ---- */

char *advise_headline(char *buf, size_t size, const struct advise_view *v)
{
	char now[FORMAT_MAX], who[320];

	snprintf(who, sizeof(who), "%s%s%s%s", v->group, v->task ? ", task " : "", v->task ? v->task : "", v->answer ? "" : ":");
	milli_of(now, v->now);
	if (v->answer && v->free)
		snprintf(buf, size, "%s has %s only without any limit (now %s).", who, v->target, milli_of(now, v->now));
	else if (v->answer)
		snprintf(buf, size, "%s needs %s for %s (now %s%s).", who, v->answer->change, v->target, milli_of(now, v->now), v->now->met ? ", which does" : "");
	else
		snprintf(buf, size, "%s nothing that was tried meets %s (now %s).", who, v->target, milli_of(now, v->now));
	return buf;
}

void advise_text(FILE *out, const struct advise_view *v)
{
	char headline[ADVISE_HEADLINE_MAX], line[ADVISE_HEADLINE_MAX];

	text_flow(out, advise_headline(headline, sizeof(headline), v), 0, 0);
	snprintf(line, sizeof(line), "%.480s; target: %s", v->subject, v->target);
	text_flow(out, line, 0, 2);
	fputc('\n', out);
	put_table(out, v);
	put_prices(out, v);
	put_curve(out, v);
	put_paste(out, v);
	fputc('\n', out);
	sentences_text(out, v->sentences, v->nr_sentences);
}
