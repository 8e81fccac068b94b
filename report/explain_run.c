/* SPDX-License-Identifier: MIT */
/*
 * explain_run.c - why the groups of a simulated scenario were throttled.
 *
 *	the run | groups: limit, use, throttled by active and by wall-clock periods, ready but not running
 *	causes, for each group that has any
 *	the worst period, stretch by stretch: who spent the quota, on how many CPUs, when it was gone
 *	sentences
 */
#include "report/explain_run.h"

#include <inttypes.h>

#include "report/replay_text.h"
#include "text/format.h"
#include "text/table.h"

#define GROUPS_SHOWN 16 /* one screen */

/* ---- for people ---- */

static u64 allowed(const struct run_group_view *g, u64 span)
{
	return g->period ? (u64)((double)g->quota * (double)span / (double)g->period) : 0;
}

static void limit_cells(struct table *t, const struct run_group_view *g, u64 span)
{
	char a[FORMAT_MAX];
	bool limited = g->quota != NEVER;

	table_cell(t, "%s", format_limit(a, g->quota, g->period));
	table_cell(t, "%.0fm", span ? (double)g->usage * 1000 / (double)span : 0);
	table_cell(t, "%s", limited ? format_share(a, g->usage, allowed(g, span)) : "-");
	for (int i = 0; !limited && i < 4; i++)
		table_cell(t, "-");
	if (!limited)
		return;
	table_tone(t, g->throttled ? TONE_BAD : TONE_GOOD);
	table_cell(t, "%" PRIu64 " of %" PRIu64, g->throttled, g->active);
	table_cell(t, "%s", format_share(a, g->throttled, g->active));
	table_tone(t, TONE_PLAIN);
	table_cell(t, "%" PRIu64, g->wall);
	table_cell(t, "%s", format_share(a, g->throttled, g->wall));
}

static void put_groups(FILE *out, const struct explain_run_view *v)
{
	struct table t;
	char a[FORMAT_MAX];
	u32 nr = v->nr_groups < GROUPS_SHOWN ? v->nr_groups : GROUPS_SHOWN;

	table_init(&t, "llrrrrrrrr");
	table_heads(&t, "group|limit|used|of limit|throttled of active|share|wall periods|of wall|ready: throttled ms|behind others ms");
	for (u32 i = 0; i < nr; i++) {
		const struct run_group_view *g = &v->groups[i];

		table_cell(&t, "%s", g->path);
		limit_cells(&t, g, v->span);
		table_cell(&t, "%s", format_ms(a, g->wait_throttled));
		table_cell(&t, "%s", format_ms(a, g->wait_contended));
	}
	table_print(&t, out);
	table_fini(&t);
	if (nr < v->nr_groups)
		fprintf(out, "... and %u more groups (--json has them all)\n", v->nr_groups - nr);
}

static void put_causes(FILE *out, const struct explain_run_view *v)
{
	struct table t;
	char a[FORMAT_MAX];
	u32 rows = 0;

	table_init(&t, "llrrl");
	table_heads(&t, "group|cause|periods|ms|");
	for (u32 i = 0; i < v->nr_groups; i++) {
		const struct run_group_view *g = &v->groups[i];

		for (u32 k = 0; k < g->nr_causes && rows < 2 * GROUPS_SHOWN; k++, rows++) {
			table_cell(&t, "%s", k ? "" : g->path);
			table_cell(&t, "%s", g->causes[k].cause);
			table_cell(&t, g->causes[k].periods ? "%" PRIu64 : "-", g->causes[k].periods);
			table_cell(&t, "%s", format_ms(a, g->causes[k].time));
			table_cell(&t, "%s", g->causes[k].why);
		}
	}
	if (rows) {
		fputc('\n', out);
		table_print(&t, out);
	}
	table_fini(&t);
}

static void put_stretches(FILE *out, const struct run_worst *w)
{
	struct table t;
	char a[FORMAT_MAX], b[FORMAT_MAX];

	table_init(&t, "rlrl");
	for (u32 i = 0; i < w->nr_stretches; i++) {
		const struct run_stretch *s = &w->stretches[i];

		table_cell(&t, "+%s ms", format_ms(a, s->at));
		table_cell(&t, "%s", s->stopped ? s->most_cpus ? "throttled in part" : "throttled" : s->most_cpus ? "ran" : "idle");
		table_cell(&t, "%s ms", format_ms(a, s->len));
		if (s->stopped && s->most_cpus)
			table_cell(&t, "on %u CPU%s; %s ms of CPU time on others", s->stopped, s->stopped == 1 ? "" : "s", format_ms(b, s->cpu));
		else if (s->stopped)
			table_cell(&t, "on %u CPU%s", s->stopped, s->stopped == 1 ? "" : "s");
		else if (s->most_cpus)
			table_cell(&t, "on up to %u CPU%s at once, %s ms of CPU time", s->most_cpus, s->most_cpus == 1 ? "" : "s", format_ms(b, s->cpu));
		else
			table_cell(&t, "%s", "");
	}
	table_print(&t, out);
	table_fini(&t);
	if (w->nr_left_out)
		fprintf(out, "  ... and %u more changes\n", w->nr_left_out);
}

static void put_worst(FILE *out, const struct run_group_view *g)
{
	const struct run_worst *w = &g->worst;
	char a[FORMAT_MAX], b[FORMAT_MAX];

	fputs("\nworst period of ", out);
	text_put(out, g->path);
	fprintf(out, ": number %" PRIu64 ", from %.4f s; quota %s ms", w->number, (double)w->start / (double)SEC, format_ms(a, g->quota));
	if (w->granted && w->granted < g->quota)
		fprintf(out, ", %s ms of it left when old debts were paid", format_ms(b, w->granted));
	fputs("; used", out);
	for (u32 i = 0; i < w->nr_spenders; i++) {
		fprintf(out, "%s %s ms by ", i ? "," : "", format_ms(a, w->spenders[i].cpu));
		text_put(out, w->spenders[i].task);
	}
	if (w->stranded > 10 * US)
		fprintf(out, "; stranded %s ms", format_ms(a, w->stranded));
	fputc('\n', out);
	put_stretches(out, w);
}

void explain_run_text(FILE *out, const struct explain_run_view *v)
{
	char a[FORMAT_MAX];

	text_put(out, v->scenario);
	fprintf(out, ": simulated %s on %d CPU%s, %u Hz, kernel %s, seed %" PRIu64 ", digest %016" PRIx64 "\n\n", format_time(a, v->span),
		v->cpus, v->cpus == 1 ? "" : "s", v->hz, v->row, v->seed, v->digest);
	if (v->nr_groups)
		put_groups(out, v);
	put_causes(out, v);
	if (v->shown < v->nr_groups)
		put_worst(out, &v->groups[v->shown]);
	fputc('\n', out);
	sentences_text(out, v->sentences, v->nr_sentences);
}

/* ---- for machines ---- */

static void worst_json(struct json_write *j, const struct run_worst *w)
{
	json_put_begin(j, "worst", '{');
	json_put_u64(j, "start_usec", w->start / US);
	json_put_u64(j, "granted", w->granted);
	json_put_u64(j, "charged", w->charged);
	json_put_u64(j, "stranded", w->stranded);
	json_put_u64(j, "debt", w->debt);
	json_put_u64(j, "cpus", w->cpus);
	json_put_u64(j, "throttled_usec", w->throttled / US);
	json_put_begin_line(j, "spent_usec", '{');
	for (u32 i = 0; i < w->nr_spenders; i++)
		json_put_u64(j, w->spenders[i].task, w->spenders[i].cpu / US);
	json_end(j);
	json_put_begin(j, "timeline", '[');
	for (u32 i = 0; i < w->nr_stretches; i++) {
		json_begin_line(j, '{');
		json_put_u64(j, "at_usec", w->stretches[i].at / US);
		json_put_u64(j, "usec", w->stretches[i].len / US);
		json_put_u64(j, "cpu_usec", w->stretches[i].cpu / US);
		json_put_u64(j, "cpus", w->stretches[i].most_cpus);
		json_put_u64(j, "throttled_cpus", w->stretches[i].stopped);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void group_json(struct json_write *j, const struct run_group_view *g)
{
	json_put_begin(j, g->path, '{');
	json_key(j, "quota_usec");
	if (g->quota == NEVER)
		json_string(j, NULL);
	else
		json_u64(j, g->quota / US);
	json_put_u64(j, "period_usec", g->period / US);
	json_put_u64(j, "burst_usec", g->burst / US);
	json_put_u64(j, "active_periods", g->active);
	json_put_u64(j, "wall_periods", g->wall);
	json_put_u64(j, "throttled_periods", g->throttled);
	json_put_u64(j, "throttled_usec", g->throttled_time / US);
	json_put_u64(j, "usage_usec", g->usage / US);
	json_put_u64(j, "wanted_usec", g->wanted / US);
	json_put_begin_line(j, "wait_usec", '{');
	json_put_u64(j, "throttled", g->wait_throttled / US);
	json_put_u64(j, "contended", g->wait_contended / US);
	json_put_u64(j, "longest", g->longest_pause / US);
	json_end(j);
	json_put_begin(j, "causes", '[');
	for (u32 i = 0; i < g->nr_causes; i++) {
		json_begin_line(j, '{');
		json_put_string(j, "cause", g->causes[i].cause);
		json_put_u64(j, "periods", g->causes[i].periods);
		json_put_u64(j, "usec", g->causes[i].time / US);
		json_end(j);
	}
	json_end(j);
	if (g->worst.number)
		worst_json(j, &g->worst);
	json_end(j);
}

void explain_run_json(struct json_write *j, const struct explain_run_view *v)
{
	char digest[24];

	json_begin(j, '{');
	json_put_string(j, "scenario", v->scenario);
	json_put_u64(j, "seed", v->seed);
	json_put_real(j, "seconds", (double)v->span / (double)SEC, 6);
	snprintf(digest, sizeof(digest), "%016" PRIx64, v->digest);
	json_put_string(j, "digest", digest);
	json_put_begin_line(j, "kernel", '{');
	json_put_string(j, "row", v->row);
	json_end(j);
	json_put_begin(j, "groups", '{');
	for (u32 i = 0; i < v->nr_groups; i++)
		group_json(j, &v->groups[i]);
	json_end(j);
	json_put_begin(j, "sentences", '[');
	for (u32 i = 0; i < v->nr_sentences; i++)
		json_string(j, v->sentences[i]);
	json_end(j);
	json_end(j);
}
