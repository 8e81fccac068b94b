/* SPDX-License-Identifier: MIT */
/*
 * replay_text.c - a replayed recording for people.
 *
 *	what was recorded, under which limit, how sure that is
 *	the recording | the model of it | the error between them
 *	two rows per what-if: the middle of its runs, and where nine of ten of them and of what the recording leaves open lie
 *	what the recording cannot show
 */
#include "report/replay_text.h"

#include <inttypes.h>
#include <string.h>

#include "report/node.h"
#include "text/format.h"
#include "text/table.h"


/* ---- the head ---- */

/* The limit in words, into @buf. */
static void say_limit(char *buf, size_t size, const struct limit_view *limit)
{
	char text[FORMAT_MAX], lo[FORMAT_MAX], hi[FORMAT_MAX], phase[FORMAT_MAX];
	int len;

	if (limit->quota == NEVER) {
		snprintf(buf, size, "limit: none %s", !strcmp(limit->source, "given") ? "(given)" : !strcmp(limit->source, "file") ?
			 "(the recording says so)" : "shows in the gaps of its threads");
		return;
	}
	len = snprintf(buf, size, "limit: %s, %s", format_limit(text, limit->quota, limit->period), limit->source);
	if (!strcmp(limit->source, "inferred"))
		len += snprintf(buf + len, size - (size_t)len, " (%s to %s ms), sure %.2f", format_ms(lo, limit->quota_lo), format_ms(hi, limit->quota_hi),
				limit->sure);
	if (limit->phase_known)
		snprintf(buf + len, size - (size_t)len, "; %" PRIu64 " of %" PRIu64 " longer gaps end on a grid of %s ms, phase %.1f ms", limit->gaps_on_grid,
			 limit->gaps, format_ms(phase, limit->period), (double)limit->phase / (double)MS);
}

void trace_head_text(FILE *out, const struct trace_view *trace, const struct limit_view *limit)
{
	char span[FORMAT_MAX], events[FORMAT_MAX], lost[FORMAT_MAX], said[256], line[640];

	text_put(out, trace->file);
	fprintf(out, ": %s, %s, %d CPU%s, ", trace->format, format_time(span, trace->span), trace->cpus, trace->cpus == 1 ? "" : "s");
	if (trace->hz)
		fprintf(out, "%u Hz, ", trace->hz);
	if (trace->counters)
		fprintf(out, "%s polls\n", format_count(events, trace->events));
	else
		fprintf(out, "%s events, %s lost\n", format_count(events, trace->events), format_count(lost, trace->lost));
	say_limit(said, sizeof(said), limit);
	snprintf(line, sizeof(line), "%s: %u thread%s, %s burst%s; %s", trace->group, trace->threads, trace->threads == 1 ? "" : "s",
		 format_count(events, trace->bursts), trace->bursts == 1 ? "" : "s", said);
	text_flow(out, line, 0, 2);
}

/* ---- sentences ---- */

static void put_sentence(FILE *out, const char *s)
{
	fputs("- ", out);
	text_flow(out, s, 2, 2);
}

/* ---- the table ---- */

/* "20", or "18..21". */
static void cell_range(struct table *t, const char *lo, const char *hi)
{
	if (strcmp(lo, hi))
		table_cell(t, "%s..%s", lo, hi);
	else
		table_cell(t, "%s", lo);
}

static void cell_ms(struct table *t, u64 lo, u64 hi)
{
	char a[FORMAT_MAX], b[FORMAT_MAX];

	cell_range(t, format_ms(a, lo), format_ms(b, hi));
}

static void cell_count(struct table *t, u64 lo, u64 hi)
{
	char a[FORMAT_MAX], b[FORMAT_MAX];

	cell_range(t, format_count(a, lo), format_count(b, hi));
}

static void row(struct table *t, const char *name, const struct fate *lo, const struct fate *hi, bool limited)
{
	table_cell(t, "%s", name);
	if (limited || lo->throttled || hi->throttled) {
		table_tone(t, hi->throttled ? TONE_BAD : TONE_GOOD);
		cell_count(t, lo->throttled, hi->throttled);
		table_tone(t, TONE_PLAIN);
		cell_count(t, lo->active, hi->active);
		cell_count(t, lo->wall, hi->wall);
	} else {
		for (int i = 0; i < 3; i++)
			table_cell(t, "-");
	}
	if (limited || lo->throttled_time || hi->throttled_time)
		cell_ms(t, lo->throttled_time, hi->throttled_time);
	else
		table_cell(t, "-");
	cell_ms(t, lo->usage, hi->usage);
	for (int i = 0; i < NR_LATENCIES; i++) {
		if (lo->nr_latency)
			cell_ms(t, lo->latency[i], hi->latency[i]);
		else
			table_cell(t, "-");
	}
}

static void cell_percent(struct table *t, bool known, double percent)
{
	if (known)
		table_cell(t, "%+.1f%%", percent);
	else
		table_cell(t, "-");
}

static void error_row(struct table *t, const struct replay_error *e)
{
	table_cell(t, "  error of the model");
	table_cell(t, "%+" PRId64, e->throttled_periods);
	table_cell(t, "%+.1f pt", e->throttled_points);
	table_cell(t, "%s", "");
	table_cell(t, "%s", "");
	cell_percent(t, true, e->usage);
	for (int i = 0; i < NR_LATENCIES; i++)
		cell_percent(t, e->has_latency, e->latency[i]);
}

#define RANGE "  range"

static bool has_ranges(const struct replay_view *v) { return v->phases > 1 || v->open; }

static void say_ranges(FILE *out, const struct replay_view *v)
{
	char text[800];

	snprintf(text, sizeof(text),
		 "A what-if: first the middle (median of each figure) of %u phase%s of its period, then the range of %s over these%s%s. Lengths: with %u %% either way, added as squares, "
		 "by which runs of one load differ on a machine.",
		 v->phases, v->phases == 1 ? "" : "s", v->runs[0].outside ? "nine in ten runs" : "all runs",
		 v->open ? " and over what the recording leaves open: " : ", as no one can choose where its refills lie", v->open ? v->open : "", RANGE_LENGTH_PERCENT);
	put_sentence(out, text);
}

static void put_rows(FILE *out, const struct replay_view *v)
{
	const struct fate *model = &v->model->at;
	bool limited = v->limit.quota != NEVER;
	struct table t;

	fprintf(out, "periods: throttled, active, by the clock; stopped: over all CPUs; p50 to max: wall time of a %s in ms\n",
		v->request ? "request, as marked," : "burst");
	table_init(&t, "lrrrrrrrrrr");
	table_heads(&t, "what if|throttled|active|wall|stopped ms|CPU ms|p50|p90|p95|p99|max");
	row(&t, "as recorded", &v->recorded, &v->recorded, limited);
	row(&t, "  the model of it", model, model, limited);
	error_row(&t, &v->error);
	for (u32 i = 0; i < v->nr_runs; i++) {
		row(&t, v->runs[i].label, &v->runs[i].likely, &v->runs[i].likely, v->runs[i].at.active != 0);
		if (has_ranges(v))
			row(&t, RANGE, &v->runs[i].lo, &v->runs[i].hi, v->runs[i].at.active != 0);
	}
	table_print(&t, out);
	table_fini(&t);
	if (v->nr_runs && has_ranges(v))
		say_ranges(out, v);
}

static void pool_row(struct table *t, const struct replay_view *v, u32 p, const char *label, const struct fate *lo, const struct fate *hi)
{
	char buf[FORMAT_MAX];

	table_cell(t, "%s", label ? "" : v->pools[p]);
	table_cell(t, "%s", label ? label : "as recorded");
	table_cell(t, "%s", format_count(buf, lo->pool[p].nr));
	for (int i = 0; i < NR_LATENCIES; i++) {
		if (i != LATENCY_P90 && lo->pool[p].nr)
			cell_ms(t, lo->pool[p].latency[i], hi->pool[p].latency[i]);
		else if (i != LATENCY_P90)
			table_cell(t, "-");
	}
}

/* Threads of several kinds: each kind by itself. */
static void put_pools(FILE *out, const struct replay_view *v)
{
	struct table t;

	if (v->nr_pools < 2)
		return;
	fputc('\n', out);
	table_init(&t, "llrrrrr");
	table_heads(&t, "threads|what if|bursts|p50|p95|p99|max");
	for (u32 p = 0; p < v->nr_pools; p++) {
		pool_row(&t, v, p, NULL, &v->recorded, &v->recorded);
		pool_row(&t, v, p, "  the model of it", &v->model->at, &v->model->at);
		for (u32 i = 0; i < v->nr_runs; i++) {
			pool_row(&t, v, p, v->runs[i].label, &v->runs[i].likely, &v->runs[i].likely);
			if (has_ranges(v))
				pool_row(&t, v, p, RANGE, &v->runs[i].lo, &v->runs[i].hi);
		}
	}
	table_print(&t, out);
	table_fini(&t);
}

/* ---- all of it ---- */

void sentences_text(FILE *out, const char *const *sentences, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		put_sentence(out, sentences[i]);
}

static void put_programs(FILE *out, const struct replay_view *v)
{
	for (u32 i = 0; i < v->nr_programs; i++) {
		fputs("  ", out);
		text_flow(out, v->programs[i], 2, 4);
	}
}

void replay_text(FILE *out, const struct replay_view *view)
{
	trace_head_text(out, &view->trace, &view->limit);
	put_programs(out, view);
	fputc('\n', out);
	put_rows(out, view);
	put_pools(out, view);
	if (view->node)
		node_text(out, view->node);
	fputc('\n', out);
	sentences_text(out, view->sentences, view->nr_sentences);
}
