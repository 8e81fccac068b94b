/* SPDX-License-Identifier: MIT */
/* explain_metrics.c - what counters say. */
#include "report/explain_metrics.h"

#include <inttypes.h>

#include "report/replay_text.h"
#include "text/format.h"
#include "text/table.h"

static const struct { const char *word, *json; } verdicts[] = {
	[VERDICT_TRACE] = { "take a trace", "trace" },
	[VERDICT_LIMIT] = { "raise the limit", "limit" },
	[VERDICT_SOME] = { "now and then", "some" },
	[VERDICT_FEW] = { "too few periods", "few" },
	[VERDICT_NONE] = { "not throttled", "none" },
	[VERDICT_WRONG] = { "impossible", "impossible" },
};

const char *verdict_word(enum verdict v) { return verdicts[v].word; }

/* ---- for people ---- */

static void cell_range(struct table *t, u64 lo, u64 hi, const char *unit)
{
	if (!hi)
		table_cell(t, "-");
	else if (lo == hi)
		table_cell(t, "%" PRIu64 "%s", lo, unit);
	else
		table_cell(t, "%" PRIu64 "..%" PRIu64 "%s", lo, hi, unit);
}

static void put_row(struct table *t, const struct metrics_row *r)
{
	const struct follows *f = &r->follows;
	char a[FORMAT_MAX];

	table_cell(t, "%s", r->name);
	table_cell(t, "%s", r->facts.quota ? format_limit(a, r->facts.quota, f->period) : "not known");
	cell_range(t, f->milli_lo, f->milli_hi, "m");
	table_cell(t, "%" PRIu64 " of %" PRIu64, r->facts.throttled, r->facts.periods);
	table_cell(t, "%s", format_share(a, r->facts.throttled, r->facts.periods));
	table_cell(t, "%s", r->verdict == VERDICT_WRONG || !r->facts.stopped ? "-" : format_ms(a, f->stop));
	if (r->verdict == VERDICT_WRONG)
		table_cell(t, "-");
	else
		cell_range(t, f->cpus ? f->cpus : f->cpus_lo, f->cpus ? f->cpus : f->cpus_lo, f->cpus ? "" : " or more");
	table_tone(t, r->verdict <= VERDICT_LIMIT || r->verdict == VERDICT_WRONG ? TONE_BAD : r->verdict == VERDICT_NONE ? TONE_GOOD : TONE_PLAIN);
	table_cell(t, "%s", verdict_word(r->verdict));
	table_tone(t, TONE_PLAIN);
}

static void put_table(FILE *out, const struct metrics_view *v)
{
	struct table t;

	table_init(&t, "llrrrrrl");
	table_heads(&t, "|||throttled||stopped ms|CPUs|");
	table_heads(&t, "container|limit|used|of active|share|per period|stopped|what to do");
	table_flow(&t, 7);
	for (u32 i = 0; i < v->nr && i < v->shown; i++)
		put_row(&t, &v->rows[i]);
	table_print(&t, out);
	table_fini(&t);
	if (v->nr > v->shown)
		fprintf(out, "... and %u more (--json has them all)\n", v->nr - v->shown);
	fputc('\n', out);
}

static void put_one(FILE *out, const struct metrics_row *r)
{
	char a[FORMAT_MAX];

	fprintf(out, "nr_periods %" PRIu64 "  nr_throttled %" PRIu64, r->facts.periods, r->facts.throttled);
	if (facts_know_stopped(&r->facts))
		fprintf(out, "  throttled %s", format_time(a, r->facts.stopped));
	if (r->facts.wall)
		fprintf(out, "  in %s", format_time(a, r->facts.wall));
	if (r->facts.quota)
		fprintf(out, "  limit %s", format_limit(a, r->facts.quota, r->follows.period));
	fputs("\n\n", out);
}

void explain_metrics_text(FILE *out, const struct metrics_view *v)
{
	text_put(out, v->source);
	fprintf(out, ": %s\n", v->form);
	if (v->fleet)
		put_table(out, v);
	else if (v->nr)
		put_one(out, &v->rows[0]);
	sentences_text(out, v->sentences, v->nr_sentences);
}

/* ---- for machines ---- */

static void put_pair(struct json_write *j, const char *key, u64 lo, u64 hi)
{
	json_put_begin_line(j, key, '[');
	json_u64(j, lo);
	json_u64(j, hi);
	json_end(j);
}

static void group_json(struct json_write *j, const struct metrics_row *r)
{
	const struct facts *f = &r->facts;
	const struct follows *fo = &r->follows;

	json_put_begin(j, r->name, '{');
	json_put_u64(j, "active_periods", f->periods);
	json_key(j, "wall_periods");
	if (fo->wall_periods)
		json_u64(j, fo->wall_periods);
	else
		json_string(j, NULL);
	json_put_u64(j, "throttled_periods", f->throttled);
	json_put_u64(j, "throttled_usec", f->stopped / US);
	json_put_u64(j, "quota_usec", f->quota / US);
	json_put_u64(j, "period_usec", fo->period / US);
	json_put_u64(j, "stopped_usec_per_period", fo->stop / US);
	put_pair(j, "stopped_cpus", fo->cpus_lo, fo->cpus ? fo->cpus : fo->cpus_lo);
	put_pair(j, "used_usec", fo->used_lo / US, fo->used_hi / US);
	json_put_string(j, "verdict", verdicts[r->verdict].json);
	if (r->wrong)
		json_put_string(j, "wrong", r->wrong);
	json_put_begin(j, "causes", '[');
	if (r->verdict == VERDICT_LIMIT) {
		json_begin_line(j, '{');
		json_put_string(j, "cause", "own");
		json_put_u64(j, "periods", f->throttled);
		json_put_u64(j, "usec", f->stopped / US);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void explain_metrics_json(struct json_write *j, const struct metrics_view *v)
{
	json_begin(j, '{');
	json_put_string(j, "source", v->source);
	json_put_string(j, "form", v->form);
	json_put_begin(j, "groups", '{');
	for (u32 i = 0; i < v->nr; i++)
		group_json(j, &v->rows[i]);
	json_end(j);
	json_put_begin(j, "sentences", '[');
	for (u32 i = 0; i < v->nr_sentences; i++)
		json_string(j, v->sentences[i]);
	json_end(j);
	json_end(j);
}
