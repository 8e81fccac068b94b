/* SPDX-License-Identifier: MIT */
/*
 * explain_metrics.c - what counters say, what they cannot say, and which containers deserve a trace.
 *
 *	cpu.stat, cpu.stat later --+
 *	exposition text, CSV ------+--> facts --> what follows, with its range --> sentences, or a table of a fleet
 */
#include "cli/explain_metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/traced.h"
#include "input/bytes.h"
#include "input/limits.h"
#include "metrics/reading.h"
#include "metrics/series.h"
#include "report/explain_metrics.h"
#include "text/format.h"

#define FLEET_SHOWN 40

/* ---- sentences ---- */

static void say_share(struct sentences *s, const struct metrics_row *r)
{
	const struct facts *f = &r->facts;
	char share[FORMAT_MAX];

	if (!f->periods) {
		sentences_add(s, "No period ended: the group did nothing in this time, or has no limit. nr_periods counts only periods in which it was active.");
		return;
	}
	if (r->follows.wall_periods && f->periods > r->follows.wall_periods)
		sentences_add(s, "%s of the active periods were throttled. By the clock %" PRIu64 " fit into the time: it was active in all of them, and the counters ran "
			      "a little longer.", format_share(share, f->throttled, f->periods), r->follows.wall_periods);
	else if (r->follows.wall_periods)
		sentences_add(s, "%s of the active periods were throttled. There were %" PRIu64 " periods by the clock: nr_periods stands still while "
			      "the group sleeps.", format_share(share, f->throttled, f->periods), r->follows.wall_periods);
	else
		sentences_add(s, "%s of the active periods were throttled; how many periods there were by the clock is not known (--seconds).",
			      format_share(share, f->throttled, f->periods));
}

static void say_stop(struct sentences *s, const struct metrics_row *r)
{
	const struct follows *f = &r->follows;
	char all[FORMAT_MAX], each[FORMAT_MAX], pause[FORMAT_MAX];

	if (!r->facts.throttled)
		return;
	if (!facts_know_stopped(&r->facts))
		sentences_add(s, "How long it stood still is not in these counters.");
	else if (f->cpus)
		sentences_add(s, "%s of throttled time is a sum over CPUs: %s ms per throttled period, which is %" PRIu64 " CPU%s stopped %s ms%s.",
			      format_time(all, r->facts.stopped), format_ms(each, f->stop), f->cpus, f->cpus == 1 ? "" : "s",
			      format_ms(pause, f->pause), f->cpus == 1 ? "" : " each");
	else
		sentences_add(s, "%s of throttled time is a sum over CPUs: %s ms per throttled period, so at least %" PRIu64 " CPU%s stood still at once; the limit "
			      "would say how many (--limit).", format_time(all, r->facts.stopped), format_ms(each, f->stop), f->cpus_lo,
			      f->cpus_lo == 1 ? "" : "s");
}

static void say_usage(struct sentences *s, const struct metrics_row *r)
{
	const struct facts *f = &r->facts;
	const struct follows *fo = &r->follows;
	char lo[FORMAT_MAX], hi[FORMAT_MAX];

	if (fo->odd_usage)
		sentences_add(s, "Its CPU time, %s, cannot be: %" PRIu64 " throttled periods use more than that. It is left out here.", format_time(lo, f->usage),
			      f->throttled);
	else if (f->has_usage && fo->milli_lo && fo->limit_milli)
		sentences_add(s, "It used %" PRIu64 "m of a limit of %" PRIu64 "m: %s.", fo->milli_lo, fo->limit_milli,
			      fo->over_limit ? "more than it may, so the time, the limit or the group is another one" :
			      fo->milli_lo * 100 >= fo->limit_milli * 90 ? "consistent, all of it" : "consistent, it wants less on the whole");
	else if (f->has_usage && fo->milli_lo)
		sentences_add(s, "It used %" PRIu64 "m; the limit is not in these counters (--limit).", fo->milli_lo);
	else if (f->has_usage)
		sentences_add(s, "It used %s of CPU%s.", format_time(lo, f->usage), f->wall ? "" : "; which rate that is needs the time (--seconds)");
	else if (f->quota && f->periods)
		sentences_add(s, "CPU time is not in these counters. It lies between %s and %s: a throttled period used its quota up (less where slices expired "
			      "on other CPUs), no period used more.",
			      format_time(lo, fo->used_lo), format_time(hi, fo->used_hi));
	else if (!f->quota)
		sentences_add(s, "Neither the limit nor the CPU time is in these counters (--limit).");
	if (f->has_burst)
		sentences_add(s, "In %" PRIu64 " periods it used more than the quota, %s in all: it has a burst.", f->bursts, format_time(lo, f->borrowed));
}

static void say_advice(struct sentences *s, const struct metrics_row *r)
{
	if (r->follows.over_limit)
		return; /* what is said of the limit rests on a wrong number */
	switch (r->verdict) {
	case VERDICT_TRACE:
		sentences_add(s, "It is throttled often%s: bursts, too many threads at once, or slices that expire. Averages cannot tell these apart; a trace of a few "
			      "seconds can. Next: fairground record --cgroup GROUP -d 10 -o web.dat, then fairground explain web.dat.",
			      r->facts.has_usage && !r->follows.odd_usage && r->follows.limit_milli ? " though it uses little of its limit" : "");
		break;
	case VERDICT_LIMIT:
		sentences_add(s, "It wants more than its limit: no trace is needed to see that. How much more is not in these counters; of a recording fairground advise "
			      "finds the limit that is enough.");
		break;
	case VERDICT_FEW:
		sentences_add(s, "So few periods say little.");
		break;
	default:
		break;
	}
	if (!r->facts.throttled && r->facts.periods)
		sentences_add(s, "If it is slow all the same, a group above it may be throttled, which its own counters never show; or it waits for CPUs.");
}

static void say_unknown(struct sentences *s)
{
	sentences_add(s, "What cannot follow: how long any request took, which threads ran, when in the time it happened, and whether a group above was throttled "
		      "(its own cpu.stat says).");
}

static void say_all(struct sentences *s, const struct metrics_row *r)
{
	say_share(s, r);
	say_stop(s, r);
	say_usage(s, r);
	say_advice(s, r);
	say_unknown(s);
}

static void show(const struct metrics_view *view, bool json)
{
	struct json_write j;

	if (!json) {
		explain_metrics_text(stdout, view);
		return;
	}
	json_write_init(&j, stdout);
	explain_metrics_json(&j, view);
	json_done(&j);
}

/* ---- cpu.stat ---- */

static int read_limit(struct facts *f, const struct metrics_ask *ask, struct err *err)
{
	struct limit limit;

	if (!ask->limit)
		return 0;
	if (limit_parse(ask->limit, &limit, err))
		return -1;
	f->period = limit_period(&limit, LIMIT_PERIOD);
	f->quota = limit.unlimited ? 0 : limit_quota(&limit, LIMIT_PERIOD);
	if (!limit.unlimited)
		return 0;
	return err_set(err, ERR_INPUT, "--limit max: a group without a limit is never throttled");
}

static int read_reading(struct reading *r, const char *path, struct err *err)
{
	size_t len;
	char *text = bytes_read(path, &len, err);
	int ret = text ? reading_parse(r, bytes_name(path), text, len, err) : -1;

	free(text);
	return ret;
}

#define LIMIT_FILE_PATH 4096

/* One line of the file @name beside @path, without its end; false where there is none. */
static bool line_beside(const char *path, const char *name, char *line, size_t size)
{
	const char *slash = strrchr(path, '/');
	char beside[LIMIT_FILE_PATH];
	FILE *in;
	bool ok;

	snprintf(beside, sizeof(beside), "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
	in = fopen(beside, "r");
	ok = in && fgets(line, (int)size, in);
	if (in)
		fclose(in);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* In a cgroup's directory the limit stands beside its counters: cpu.max, or the two files of v1. */
static void limit_beside(struct facts *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	char max[64], quota[32], period[32];

	if (strcmp(slash ? slash + 1 : path, "cpu.stat"))
		return;
	if (!line_beside(path, "cpu.max", max, sizeof(max))) {
		if (!line_beside(path, "cpu.cfs_quota_us", quota, sizeof(quota)) || !line_beside(path, "cpu.cfs_period_us", period, sizeof(period)) || *quota == '-')
			return;
		snprintf(max, sizeof(max), "%s %s", quota, period);
	}
	if (!limit_from_max(max, &f->quota, &f->period) || f->quota == UINT64_MAX)
		f->quota = f->period = 0; /* none: the counters are of one that was there */
}

static int read_facts(struct facts *f, struct reading *last, const char *const *paths, int nr, const struct metrics_ask *ask, struct err *err)
{
	static const struct reading nothing;
	struct reading first = nothing;

	if (read_reading(nr > 1 ? &first : last, paths[0], err) || (nr > 1 && read_reading(last, paths[1], err)))
		return -1;
	if (nr == 1)
		first.has_usage = last->has_usage;
	if (reading_between(f, &first, last, bytes_name(paths[nr - 1]), err))
		return -1;
	f->wall = ask->wall;
	if (!ask->limit)
		limit_beside(f, paths[nr - 1]);
	return read_limit(f, ask, err);
}

int explain_readings(const char *const *paths, int nr, const struct metrics_ask *ask, struct err *err)
{
	struct metrics_row row = { .name = bytes_name(paths[nr - 1]) };
	struct metrics_view view = { .source = row.name, .rows = &row, .nr = 1, .shown = 1 };
	struct sentences s = { 0 };
	struct reading last = { 0 };
	char form[96];

	if (read_facts(&row.facts, &last, paths, nr, ask, err) || facts_follow(&row.follows, &row.facts, row.name, err))
		return -1;
	snprintf(form, sizeof(form), "cpu.stat of cgroup %s, %s", last.v1 ? "v1" : "v2", nr > 1 ? "between two readings" : "since the group was made");
	view.form = form;
	row.verdict = verdict_of(&row.facts, &row.follows);
	say_all(&s, &row);
	view.sentences = (const char *const *)s.v;
	view.nr_sentences = s.nr;
	show(&view, ask->json);
	sentences_fini(&s);
	return 0;
}

int explain_counters(const struct facts *f, const char *source, const char *name, const char *form, const struct sentences *more, bool json,
		     struct err *err)
{
	struct metrics_row row = { .name = name, .facts = *f };
	struct metrics_view view = { .source = source, .form = form, .rows = &row, .nr = 1, .shown = 1 };
	struct sentences s = { 0 };

	if (facts_follow(&row.follows, &row.facts, source, err))
		return -1;
	row.verdict = verdict_of(&row.facts, &row.follows);
	say_share(&s, &row);
	say_stop(&s, &row);
	say_usage(&s, &row);
	say_advice(&s, &row);
	for (u32 i = 0; i < more->nr; i++)
		sentences_add(&s, "%s", more->v[i]);
	view.sentences = (const char *const *)s.v;
	view.nr_sentences = s.nr;
	show(&view, json);
	sentences_fini(&s);
	return 0;
}

/* ---- series ---- */

/* Who deserves a trace stands first; within a kind, who stood still most. */
static int by_need(const void *a, const void *b)
{
	const struct metrics_row *x = a, *y = b;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (x->facts.stopped != y->facts.stopped)
		return x->facts.stopped > y->facts.stopped ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void judge(struct metrics_row *row, const struct container *c, char **wrong)
{
	struct err why = { 0 };

	*row = (struct metrics_row){ .name = c->name, .facts = c->facts };
	if (!facts_follow(&row->follows, &row->facts, NULL, &why)) {
		row->verdict = verdict_of(&row->facts, &row->follows);
		return;
	}
	row->verdict = VERDICT_WRONG;
	*wrong = malloc(sizeof(why.key) + sizeof(why.message) + 2);
	if (*wrong)
		sprintf(*wrong, "%s %s", why.key, why.message);
	row->wrong = *wrong ? *wrong : "impossible";
}

static void say_fleet(struct sentences *s, const struct series_set *set, const struct metrics_row *rows, u32 nr)
{
	u32 nr_of[VERDICT_WRONG + 1] = { 0 }, since = 0;
	u64 resets = 0;

	for (u32 i = 0; i < nr; i++)
		nr_of[rows[i].verdict]++;
	for (u32 i = 0; i < set->nr; i++) {
		resets += set->v[i].resets != 0;
		since += set->v[i].has_periods && set->v[i].since_start;
	}
	sentences_add(s, "%u of %u limited containers %s a trace: throttled in a quarter of their periods or more, and not because they use up their limit.",
		      nr_of[VERDICT_TRACE], nr, nr_of[VERDICT_TRACE] == 1 ? "deserves" : "deserve");
	if (nr_of[VERDICT_LIMIT])
		sentences_add(s, "%u want%s more than the limit; no trace is needed to see that.", nr_of[VERDICT_LIMIT], nr_of[VERDICT_LIMIT] == 1 ? "s" : "");
	for (u32 i = 0, told = 0; i < nr && told < 3; i++)
		if (rows[i].wrong) {
			sentences_add(s, "%s was left out: %s.", rows[i].name, rows[i].wrong);
			told++;
		}
	if (since)
		sentences_add(s, "%u %s one reading: it counts from the container's start%s. Two readings, or a range, say more.", since, since == 1 ? "has" : "have",
			      rows[0].facts.wall ? "" : ", over a time that is not known (--seconds)");
	if (resets)
		sentences_add(s, "%" PRIu64 " were started anew in between; what was counted before the last sample of the old one is kept.", resets);
	if (set->odd)
		sentences_add(s, "%" PRIu64 " values are no numbers and were left out.", set->odd);
}

static int show_series(const struct series_set *set, const char *source, const struct metrics_ask *ask, struct err *err)
{
	struct metrics_row *rows = calloc(set->nr + 1, sizeof(*rows));
	char **wrongs = calloc(set->nr + 1, sizeof(*wrongs));
	struct sentences s = { 0 };
	struct metrics_view view = { .source = source, .rows = rows, .shown = FLEET_SHOWN };
	char form[96];
	int ret = rows && wrongs ? 0 : err_set(err, ERR_HOST, "out of memory");

	for (u32 i = 0; !ret && i < set->nr; i++)
		if (set->v[i].has_periods) {
			judge(&rows[view.nr], &set->v[i], &wrongs[view.nr]);
			view.nr++;
		}
	if (!ret && view.nr == 1 && rows[0].wrong)
		ret = err_at(err, source, 0, 0, NULL, "%s: %s", rows[0].name, rows[0].wrong);
	if (!ret) {
		qsort(rows, view.nr, sizeof(*rows), by_need);
		snprintf(form, sizeof(form), "%u limited container%s, %" PRIu64 " samples", view.nr, view.nr == 1 ? "" : "s", set->samples);
		view.form = form;
		view.fleet = ask->fleet || view.nr > 1;
		if (view.fleet)
			say_fleet(&s, set, rows, view.nr);
		if (view.fleet && !ask->fleet && view.nr && !rows[0].wrong)
			sentences_add(&s, "In detail, of %s alone:", rows[0].name);
		if (view.nr && !rows[0].wrong && !ask->fleet)
			say_all(&s, &rows[0]);
		view.sentences = (const char *const *)s.v;
		view.nr_sentences = s.nr;
		show(&view, ask->json);
	}
	sentences_fini(&s);
	for (u32 i = 0; wrongs && i < view.nr; i++)
		free(wrongs[i]);
	free(wrongs);
	free(rows);
	return ret;
}

/* A limit on the command line is that of containers that do not say theirs. */
static int fill_limits(struct series_set *set, const struct metrics_ask *ask, struct err *err)
{
	struct facts limit = { 0 };

	if (read_limit(&limit, ask, err))
		return -1;
	for (u32 i = 0; limit.quota && i < set->nr; i++) {
		if (set->v[i].facts.quota)
			continue;
		set->v[i].facts.quota = limit.quota;
		set->v[i].facts.period = limit.period;
	}
	return 0;
}

int explain_series(const char *const *paths, int nr, const struct metrics_ask *ask, struct err *err)
{
	struct series_set set;
	int ret = 0;

	series_init(&set);
	for (int i = 0; !ret && i < nr; i++) {
		size_t len;
		char *text = bytes_read(paths[i], &len, err);

		ret = text ? series_read(&set, bytes_name(paths[i]), text, len, err) : -1;
		free(text);
	}
	if (!ret)
		ret = series_finish(&set, bytes_name(paths[0]), ask->wall, err);
	if (!ret)
		ret = fill_limits(&set, ask, err);
	if (!ret)
		ret = show_series(&set, bytes_name(paths[nr - 1]), ask, err);
	series_fini(&set);
	return ret;
}
