/* SPDX-License-Identifier: MIT */
/* replay_json.c - a replayed or explained recording for machines.  Times are whole us. */
#include "report/replay_json.h"

#include <stdio.h>

#include "report/explain_text.h"
#include "report/node.h"
#include "report/worst.h"

static const char *const latency_names[NR_LATENCIES] = { "p50", "p90", "p95", "p99", "max" };

static void put_trace(struct json_write *j, const struct trace_view *t)
{
	json_put_begin_line(j, "trace", '{');
	json_put_string(j, "file", t->file);
	json_put_string(j, "format", t->format);
	json_put_u64(j, "events", t->events);
	json_put_u64(j, "lost", t->lost);
	json_put_u64(j, "span_usec", t->span / US);
	json_put_u64(j, "cpus", (u64)t->cpus);
	json_key(j, "hz");
	if (t->hz)
		json_u64(j, t->hz);
	else
		json_string(j, NULL);
	json_put_string(j, "kernel", t->kernel[0] ? t->kernel : NULL);
	json_end(j);
}

static void put_limit(struct json_write *j, const struct limit_view *l)
{
	json_put_begin_line(j, "limit", '{');
	json_key(j, "quota_usec");
	if (l->quota == NEVER)
		json_string(j, NULL);
	else
		json_u64(j, l->quota / US);
	json_put_u64(j, "period_usec", l->period / US);
	json_put_u64(j, "burst_usec", l->burst / US);
	json_key(j, "phase_usec");
	if (l->phase_known)
		json_u64(j, l->phase / US);
	else
		json_string(j, NULL);
	json_put_string(j, "source", l->source);
	json_put_real(j, "sure", l->sure, 2);
	json_put_u64(j, "gaps", l->gaps);
	json_put_u64(j, "gaps_on_grid", l->gaps_on_grid);
	json_end(j);
}

static void put_latency(struct json_write *j, const struct fate *f)
{
	json_put_begin_line(j, "latency_usec", '{');
	json_put_u64(j, "mean", f->mean / US);
	for (int i = 0; i < NR_LATENCIES; i++)
		json_put_u64(j, latency_names[i], f->latency[i] / US);
	json_end(j);
}

static void put_fate(struct json_write *j, const struct fate *f)
{
	json_put_u64(j, "throttled_periods", f->throttled);
	json_put_u64(j, "active_periods", f->active);
	json_put_u64(j, "wall_periods", f->wall);
	json_put_u64(j, "usage_usec", f->usage / US);
	json_put_u64(j, "throttled_usec", f->throttled_time / US);
	json_put_u64(j, "bursts", f->nr_latency);
	put_latency(j, f);
}

/* Each kind of threads by itself, where there are several. */
static void put_pools(struct json_write *j, const struct replay_view *v, const struct fate *lo, const struct fate *hi, const struct fate *likely)
{
	if (v->nr_pools < 2)
		return;
	json_put_begin(j, "threads", '{');
	for (u32 p = 0; p < v->nr_pools; p++) {
		json_put_begin_line(j, v->pools[p], '{');
		json_put_u64(j, "bursts", lo->pool[p].nr);
		for (int i = 0; i < NR_LATENCIES; i++) {
			json_put_begin(j, latency_names[i], '[');
			json_u64(j, lo->pool[p].latency[i] / US);
			json_u64(j, hi->pool[p].latency[i] / US);
			json_end(j);
		}
		if (likely) {
			json_put_begin(j, "likely", '{');
			for (int i = 0; i < NR_LATENCIES; i++)
				json_put_u64(j, latency_names[i], likely->pool[p].latency[i] / US);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
}

static void put_sentences(struct json_write *j, const char *const *sentences, u32 nr)
{
	json_put_begin(j, "sentences", '[');
	for (u32 i = 0; i < nr; i++)
		json_string(j, sentences[i]);
	json_end(j);
}

/* ---- replay ---- */

static void put_range(struct json_write *j, const char *subject, const char *name, u64 lo, u64 hi)
{
	char key[320];

	snprintf(key, sizeof(key), "%s.%s", subject, name);
	json_put_begin_line(j, key, '[');
	json_u64(j, lo);
	json_u64(j, hi);
	json_end(j);
}

static void put_ranges(struct json_write *j, const struct replay_view *v, const struct fates *run)
{
	char task[256], name[32];

	snprintf(task, sizeof(task), "%s%s%s", v->trace.group, v->task ? "/" : "", v->task ? v->task : "");
	json_put_begin(j, "range", '{');
	put_range(j, v->trace.group, "nr_throttled", run->lo.throttled, run->hi.throttled);
	put_range(j, v->trace.group, "nr_periods", run->lo.active, run->hi.active);
	put_range(j, v->trace.group, "usage_usec", run->lo.usage / US, run->hi.usage / US);
	put_range(j, v->trace.group, "throttled_usec", run->lo.throttled_time / US, run->hi.throttled_time / US);
	for (int i = 0; run->at.nr_latency && i < NR_LATENCIES; i++) {
		snprintf(name, sizeof(name), "%s_usec", latency_names[i]);
		put_range(j, task, name, run->lo.latency[i] / US, run->hi.latency[i] / US);
	}
	json_end(j);
}

static void put_one(struct json_write *j, const char *subject, const char *name, u64 v)
{
	char key[320];

	snprintf(key, sizeof(key), "%s.%s", subject, name);
	json_put_u64(j, key, v);
}

/* The same keys as in "range". */
static void put_likely(struct json_write *j, const struct replay_view *v, const struct fates *run)
{
	char task[256], name[32];

	snprintf(task, sizeof(task), "%s%s%s", v->trace.group, v->task ? "/" : "", v->task ? v->task : "");
	json_put_begin(j, "likely", '{');
	put_one(j, v->trace.group, "nr_throttled", run->likely.throttled);
	put_one(j, v->trace.group, "nr_periods", run->likely.active);
	put_one(j, v->trace.group, "usage_usec", run->likely.usage / US);
	put_one(j, v->trace.group, "throttled_usec", run->likely.throttled_time / US);
	for (int i = 0; run->at.nr_latency && i < NR_LATENCIES; i++) {
		snprintf(name, sizeof(name), "%s_usec", latency_names[i]);
		put_one(j, task, name, run->likely.latency[i] / US);
	}
	json_end(j);
}

static void put_error(struct json_write *j, const struct replay_error *e)
{
	json_put_begin_line(j, "error", '{');
	json_put_s64(j, "throttled_periods", e->throttled_periods);
	json_put_real(j, "throttled_share_points", e->throttled_points, 2);
	json_put_real(j, "usage_pct", e->usage, 2);
	for (int i = 0; e->has_latency && i < NR_LATENCIES; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%s_pct", latency_names[i]);
		json_put_real(j, key, e->latency[i], 2);
	}
	json_end(j);
}

void replay_json(struct json_write *j, const struct replay_view *v, const struct result_detail *detail)
{
	json_begin(j, '{');
	put_trace(j, &v->trace);
	json_put_begin(j, "recorded", '{');
	put_limit(j, &v->limit);
	json_put_string(j, "group", v->trace.group);
	json_put_u64(j, "threads", v->trace.threads);
	json_put_string(j, "request", v->request);
	put_fate(j, &v->recorded);
	put_pools(j, v, &v->recorded, &v->recorded, NULL);
	json_end(j);
	json_key(j, "model");
	result_json(j, v->model->result, detail);
	put_error(j, &v->error);
	json_put_begin(j, "runs", '[');
	for (u32 i = 0; i < v->nr_runs; i++) {
		json_begin(j, '{');
		json_put_string(j, "limit", v->runs[i].label);
		json_put_u64(j, "runs", v->runs[i].runs);
		json_key(j, "result");
		result_json(j, v->runs[i].result, detail);
		put_ranges(j, v, &v->runs[i]);
		put_likely(j, v, &v->runs[i]);
		put_pools(j, v, &v->runs[i].lo, &v->runs[i].hi, &v->runs[i].likely);
		json_end(j);
	}
	json_end(j);
	if (v->node)
		node_json(j, v->node);
	put_sentences(j, v->sentences, v->nr_sentences);
	json_end(j);
}

/* ---- explain ---- */

static void put_worst(struct json_write *j, const struct worst_view *w, const struct run_worst *period)
{
	json_put_begin(j, "worst", '{');
	json_put_u64(j, "start_usec", w->period_start / US);
	json_put_u64(j, "used_usec", w->period_used / US);
	json_put_u64(j, "throttled_usec", w->period_stopped / US);
	json_put_u64(j, "cpus", w->period_cpus);
	if (w->number) {
		json_put_begin_line(j, "burst", '{');
		json_put_string(j, "task", w->task);
		json_put_u64(j, "number", w->number);
		json_put_u64(j, "wall_usec", w->wall / US);
		json_put_u64(j, "ran_usec", w->cpu / US);
		json_put_u64(j, "throttled_usec", w->throttled / US);
		json_put_u64(j, "waited_usec", w->waited / US);
		json_end(j);
	}
	if (period->number) {
		json_put_begin(j, "period", '{');
		worst_json_members(j, period);
		json_end(j);
	}
	json_end(j);
}

static void put_requests(struct json_write *j, const struct requests_view *r)
{
	json_put_begin(j, "requests", '{');
	json_put_string(j, "mark", r->what);
	json_put_u64(j, "requests", r->nr);
	json_put_u64(j, "cut", r->cut);
	json_put_u64(j, "ran_usec", r->ran / US);
	json_put_u64(j, "throttled_usec", r->throttled / US);
	json_put_u64(j, "waited_usec", r->waited / US);
	json_put_u64(j, "slept_usec", r->slept / US);
	json_put_begin_line(j, "latency_usec", '{');
	json_put_u64(j, "mean", r->mean / US);
	for (int i = 0; i < NR_LATENCIES; i++)
		json_put_u64(j, latency_names[i], r->latency[i] / US);
	json_end(j);
	json_end(j);
}

void explain_json(struct json_write *j, const struct explain_view *v)
{
	char headline[EXPLAIN_HEADLINE_MAX];

	json_begin(j, '{');
	put_trace(j, &v->trace);
	put_limit(j, &v->limit);
	json_put_begin(j, "groups", '{');
	json_put_begin(j, v->trace.group, '{');
	put_fate(j, &v->recorded);
	json_put_begin(j, "causes", '[');
	for (u32 i = 0; i < v->nr_causes; i++) {
		json_begin_line(j, '{');
		json_put_string(j, "cause", v->causes[i].cause);
		json_put_u64(j, "periods", v->causes[i].periods);
		json_put_u64(j, "usec", v->causes[i].time / US);
		json_end(j);
	}
	json_end(j);
	put_worst(j, &v->worst, v->period);
	json_end(j);
	json_end(j);
	if (v->requests)
		put_requests(j, v->requests);
	json_put_string(j, "headline", explain_headline(headline, sizeof(headline), v));
	put_sentences(j, v->sentences, v->nr_sentences);
	json_end(j);
}
