/* SPDX-License-Identifier: MIT */
/*
 * advise_text.c - the smallest limit that meets a target, and what else would.
 *
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

static void share_cells(struct table *t, const struct advise_row *r)
{
	const struct fates *f = &r->fates;
	char a[FORMAT_MAX], b[FORMAT_MAX];

	if (r->quota == NEVER) {
		table_cell(t, "-");
		return;
	}
	if (f->lo.throttled == f->hi.throttled && f->lo.active == f->hi.active)
		table_cell(t, "%" PRIu64 " of %" PRIu64 " (%s)", f->at.throttled, f->at.active, format_share(a, f->at.throttled, f->at.active));
	else if (f->lo.throttled == f->hi.throttled)
		table_cell(t, "%" PRIu64 " (%s%s)", f->at.throttled, format_share(b, r->share_hi, 1000000), r->share_hi ? " at most" : "");
	else
		table_cell(t, "%" PRIu64 "..%" PRIu64 " (%s at most)", f->lo.throttled, f->hi.throttled,
			   format_share(b, r->share_hi, 1000000));
}

static void put_row(struct table *t, const struct advise_row *r, const char *mark)
{
	const struct fates *f = &r->fates;
	bool known = f->at.nr_latency;

	table_cell(t, "%s", r->change);
	if (r->failed) {
		table_cell(t, "cannot be: %s", r->failed);
		table_end_row(t);
		return;
	}
	table_cell(t, "%s", r->limit);
	table_tone(t, r->met ? TONE_GOOD : TONE_BAD);
	table_cell(t, "%s", r->met ? "yes" : "no");
	table_tone(t, TONE_PLAIN);
	share_cells(t, r);
	cell_ms(t, known, f->lo.latency[LATENCY_P50], f->hi.latency[LATENCY_P50]);
	cell_ms(t, known, f->lo.latency[LATENCY_P99], f->hi.latency[LATENCY_P99]);
	cell_ms(t, known, f->lo.latency[LATENCY_MAX], f->hi.latency[LATENCY_MAX]);
	cell_ms(t, true, r->pause_hi, r->pause_hi);
	table_cell(t, "%.0f", (double)r->switches_hi / 1000);
	cell_ms(t, r->burst || r->borrowed_hi, r->borrowed_hi, r->borrowed_hi);
	table_cell(t, "%s", mark);
}

static void put_table(FILE *out, const struct advise_view *v)
{
	struct table t;

	table_init(&t, "lllrrrrrrrl");
	table_heads(&t, "change|limit|meets|throttled|p50|p99|max|longest pause|switches/s|borrowed|");
	put_row(&t, v->now, "<- now");
	if (v->below)
		put_row(&t, v->below, v->free ? "<- the highest" : "<- just below");
	if (v->answer)
		put_row(&t, v->answer, v->free ? "<- only without a limit" : "<- the smallest");
	for (u32 i = 0; i < v->nr_alternatives; i++)
		put_row(&t, &v->alternatives[i], "");
	table_print(&t, out);
	table_fini(&t);
	fprintf(out, "ms; lowest..highest over %u phases of the period: no one can choose where its refills lie\n", v->phases);
}

static void put_prices(FILE *out, const struct advise_view *v)
{
	struct table t;
	u32 rows = 0;

	table_init(&t, "lll");
	table_heads(&t, "what meets it|sure|price");
	for (u32 i = 0; i <= v->nr_alternatives; i++) {
		const struct advise_row *r = i ? &v->alternatives[i - 1] : v->answer;

		if (!r || !r->met || !r->price || r->failed)
			continue;
		table_cell(&t, "%s", r->change);
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
	table_init(&t, "llrrrr");
	table_heads(&t, "limit|meets|throttled|p50|p99|max");
	for (u32 i = 0; i < v->nr_curve; i++) {
		const struct advise_row *r = &v->curve[i];
		const struct fates *f = &r->fates;

		if (r->failed)
			continue;
		table_cell(&t, "%s", r->limit);
		table_cell(&t, "%s", r->met ? "yes" : "no");
		share_cells(&t, r);
		cell_ms(&t, f->at.nr_latency, f->lo.latency[LATENCY_P50], f->hi.latency[LATENCY_P50]);
		cell_ms(&t, f->at.nr_latency, f->lo.latency[LATENCY_P99], f->hi.latency[LATENCY_P99]);
		cell_ms(&t, f->at.nr_latency, f->lo.latency[LATENCY_MAX], f->hi.latency[LATENCY_MAX]);
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

void advise_text(FILE *out, const struct advise_view *v)
{
	text_put(out, v->subject);
	fputs(": ", out);
	text_put(out, v->group);
	if (v->task) {
		fputs(", task ", out);
		text_put(out, v->task);
	}
	fputs("; target: ", out);
	text_put(out, v->target);
	fputs("\n\n", out);
	put_table(out, v);
	put_prices(out, v);
	put_curve(out, v);
	put_paste(out, v);
	fputc('\n', out);
	sentences_text(out, v->sentences, v->nr_sentences);
}
