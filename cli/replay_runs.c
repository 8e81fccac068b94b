/* SPDX-License-Identifier: MIT */
/* replay_runs.c - one job per limit and phase; figures are taken from the threads whose bursts count in the recording. */
#include "cli/replay_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pool.h"
#include "input/limits.h"
#include "text/format.h"

/* ---- figures of one run ---- */

static const struct group_result *group_of(const struct result *res, const char *path)
{
	for (u32 i = 0; i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path))
			return &res->groups[i];
	return NULL;
}

static void figures_of(struct fate *fate, const struct traced *t, const struct result *res)
{
	static const double shares[NR_LATENCIES] = { 0.50, 0.90, 0.95, 0.99, 1.0 };
	const struct group_result *g = group_of(res, t->rec.sc.groups[0].path);
	struct samples all = { 0 };

	memset(fate, 0, sizeof(*fate));
	if (g) {
		fate->throttled = g->stat.nr_throttled;
		fate->active = g->active_periods;
		fate->wall = g->wall_periods;
		fate->usage = g->stat.usage;
		fate->throttled_time = g->stat.throttled_time;
	}
	for (u32 i = 0; i < res->nr_tasks && i < t->rec.sc.nr_tasks; i++)
		if (t->rec.counts[i])
			samples_merge(&all, &res->tasks[i].sum.latency);
	fate->nr_latency = all.nr;
	fate->mean = samples_mean(&all);
	for (int i = 0; i < NR_LATENCIES; i++)
		fate->latency[i] = samples_percentile(&all, shares[i]);
	samples_free(&all);
}

static void widen(u64 *lo, u64 *hi, u64 v)
{
	*lo = min_u64(*lo, v);
	*hi = max_u64(*hi, v);
}

static void widen_fates(struct fates *f, const struct fate *one)
{
	widen(&f->lo.throttled, &f->hi.throttled, one->throttled);
	widen(&f->lo.active, &f->hi.active, one->active);
	widen(&f->lo.wall, &f->hi.wall, one->wall);
	widen(&f->lo.usage, &f->hi.usage, one->usage);
	widen(&f->lo.throttled_time, &f->hi.throttled_time, one->throttled_time);
	widen(&f->lo.nr_latency, &f->hi.nr_latency, one->nr_latency);
	widen(&f->lo.mean, &f->hi.mean, one->mean);
	for (int i = 0; i < NR_LATENCIES; i++)
		widen(&f->lo.latency[i], &f->hi.latency[i], one->latency[i]);
}

static void sum_up(struct replay_runs *r, struct fates *f, const struct replay_job *jobs)
{
	struct fate one;

	figures_of(&f->at, r->traced, jobs[0].result);
	f->lo = f->hi = f->at;
	f->result = jobs[0].result;
	for (u32 i = 1; i < f->runs; i++) {
		figures_of(&one, r->traced, jobs[i].result);
		widen_fates(f, &one);
	}
}

/* ---- running ---- */

static void run_job(void *ctx, u32 i)
{
	struct replay_runs *r = ctx;
	struct replay_job *job = &r->jobs[i];

	job->result = machine_run(&job->limited.sc, &r->opt, &job->err);
}

/* The what-if @text as a limit; its phase is the recorded one. */
static int read_limit(struct recover_limit *out, const struct traced *t, const char *text, struct err *err)
{
	const char *group = t->rec.sc.groups[0].path;
	struct limit limit;

	if (limit_parse(text, &limit, err))
		return -1;
	if (limit.group && (strlen(group) != limit.group_len || memcmp(group, limit.group, limit.group_len))) {
		err_set(err, ERR_INPUT, "--limit %s: the group of this trace is %s", text, group);
		err_hint(err, "leave the group out: a trace has one");
		return -1;
	}
	out->period = limit_period(&limit, t->limit.period);
	out->quota = limit_quota(&limit, t->limit.period);
	out->burst = limit.has_burst ? limit.burst : 0;
	out->phase = t->limit.phase;
	return 0;
}

/* Lay out the jobs of what-if @i. */
static int add_jobs(struct replay_runs *r, u32 i, const char *text, u32 phases, struct err *err)
{
	struct fates *f = &r->fates[i];
	struct recover_limit limit;
	char shown[FORMAT_MAX], period[FORMAT_MAX];

	if (read_limit(&limit, r->traced, text, err))
		return -1;
	f->runs = limit.quota == NEVER ? 1 : phases;
	r->labels[i] = malloc(strlen(text) + 2 * FORMAT_MAX + 8);
	if (!r->labels[i])
		return err_set(err, ERR_HOST, "out of memory");
	if (limit.quota != NEVER && !strchr(text, '/'))
		sprintf(r->labels[i], "%s = %s/%s ms", text, format_ms(shown, limit.quota), format_ms(period, limit.period));
	else
		strcpy(r->labels[i], text);
	f->label = r->labels[i];
	for (u32 k = 0; k < f->runs; k++) {
		recover_under(&r->jobs[r->nr_jobs++].limited, &r->traced->rec.sc, &limit);
		limit.phase = (r->traced->limit.phase + (k + 1) * limit.period / phases) % limit.period;
	}
	return 0;
}

static int take_results(struct replay_runs *r, struct err *err)
{
	const struct replay_job *job = r->jobs;

	for (u32 i = 0; i < r->nr_jobs; i++) {
		if (r->jobs[i].result)
			continue;
		*err = r->jobs[i].err;
		r->stuck = true;
		return -1;
	}
	for (u32 i = 0; i < r->nr_fates; i++) {
		sum_up(r, &r->fates[i], job);
		job += r->fates[i].runs;
	}
	return 0;
}

int replay_runs_go(struct replay_runs *r, const struct traced *t, const struct run_options *opt, const char *const *limits,
		   u32 nr_limits, u32 phases, struct err *err)
{
	memset(r, 0, sizeof(*r));
	r->traced = t;
	r->opt = machine_options_of(opt);
	r->jobs = calloc(1 + (size_t)nr_limits * phases, sizeof(*r->jobs));
	r->fates = calloc(1 + nr_limits, sizeof(*r->fates));
	r->labels = calloc(1 + nr_limits, sizeof(*r->labels));
	if (!r->jobs || !r->fates || !r->labels)
		return err_set(err, ERR_HOST, "out of memory");
	recover_under(&r->jobs[r->nr_jobs++].limited, &t->rec.sc, &t->limit);
	r->nr_fates = 1 + nr_limits;
	r->fates[0].runs = 1;
	r->fates[0].label = "as recorded";
	for (u32 i = 0; i < nr_limits; i++)
		if (add_jobs(r, 1 + i, limits[i], phases, err))
			return -1;
	pool_run(r->nr_jobs, (u32)opt->jobs, run_job, r);
	return take_results(r, err);
}

void replay_runs_fini(struct replay_runs *r)
{
	for (u32 i = 0; i < r->nr_jobs; i++)
		if (r->jobs[i].result)
			result_free(r->jobs[i].result);
	for (u32 i = 0; r->labels && i < r->nr_fates; i++)
		free(r->labels[i]);
	free(r->jobs);
	free(r->fates);
	free(r->labels);
	memset(r, 0, sizeof(*r));
}
