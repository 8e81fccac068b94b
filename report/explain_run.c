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

	table_cell(t, "%s", format_limit_burst(a, g->quota, g->period, g->burst));
	table_cell(t, "%s", format_milli(a, g->usage, span));
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
	table_heads(&t, "|||of|throttled||wall|of|ready, ms|behind");
	table_heads(&t, "group|limit|used|limit|of active|share|periods|wall|throttled|others");
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
	table_flow(&t, 4);
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

/* ---- in a sentence ---- */

/* Nothing was throttled: who waited the longest all the same? */
static void say_contention(char *buf, size_t size, const struct explain_run_view *v)
{
	const struct run_group_view *most = NULL;
	bool limited = false;
	char a[FORMAT_MAX];

	for (u32 i = 0; i < v->nr_groups; i++) {
		limited |= v->groups[i].quota != NEVER;
		if (!most || v->groups[i].wait_contended > most->wait_contended)
			most = &v->groups[i];
	}
	if (most && most->wait_contended >= MS)
		snprintf(buf, size, "Nothing is throttled%s: contention. %s is ready behind other work for %s ms.", limited ? "" : ", nothing is limited", most->path,
			 format_ms(a, most->wait_contended));
	else
		snprintf(buf, size, "Nothing is throttled%s.", limited ? "" : ", nothing is limited");
}

char *explain_run_headline(char *buf, size_t size, const struct explain_run_view *v)
{
	const struct run_group_view *g = &v->groups[v->shown];
	char share[FORMAT_MAX], used[FORMAT_MAX], limit[FORMAT_MAX], ms[FORMAT_MAX];
	int len;

	if (v->shown >= v->nr_groups) {
		say_contention(buf, size, v);
		return buf;
	}
	len = snprintf(buf, size, "%s, %s of %s used, is throttled in %" PRIu64 " of %" PRIu64 " active periods (%s): %s.", g->path,
		       format_milli(used, g->usage, v->span), format_milli(limit, g->quota, g->period), g->throttled, g->active,
		       format_share(share, g->throttled, g->active), cause_of_most(g->causes, g->nr_causes, ""));
	if (g->wait_contended > g->wait_throttled)
		snprintf(buf + len, size - (size_t)len, " Longer still, %s ms, it waits behind other work.", format_ms(ms, g->wait_contended));
	return buf;
}

void explain_run_text(FILE *out, const struct explain_run_view *v)
{
	char a[FORMAT_MAX], headline[HEADLINE_MAX];

	text_flow(out, explain_run_headline(headline, sizeof(headline), v), 0, 0);
	text_put(out, v->scenario);
	fprintf(out, ": simulated %s on %d CPU%s, %u Hz, kernel %s, seed %" PRIu64 ", digest %016" PRIx64 "\n", format_time(a, v->span),
		v->cpus, v->cpus == 1 ? "" : "s", v->hz, v->row, v->seed, v->digest);
	if (v->nr_groups) {
		fputc('\n', out);
		put_groups(out, v);
	}
	put_causes(out, v);
	if (v->shown < v->nr_groups)
		worst_text(out, v->groups[v->shown].path, v->groups[v->shown].quota, &v->groups[v->shown].worst);
	fputc('\n', out);
	sentences_text(out, v->sentences, v->nr_sentences);
}

/* ---- for machines ---- */

static void worst_json(struct json_write *j, const struct run_worst *w)
{
	json_put_begin(j, "worst", '{');
	worst_json_members(j, w);
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
	char digest[24], headline[HEADLINE_MAX];

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
	json_put_string(j, "headline", explain_run_headline(headline, sizeof(headline), v));
	json_put_begin(j, "sentences", '[');
	for (u32 i = 0; i < v->nr_sentences; i++)
		json_string(j, v->sentences[i]);
	json_end(j);
	json_end(j);
}
