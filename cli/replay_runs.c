/* SPDX-License-Identifier: MIT */
/* replay_runs.c - one job per what-if and phase; figures are taken from the threads whose bursts count in the recording. */
#define _GNU_SOURCE /* qsort_r */
#include "cli/replay_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixmath.h"
#include "cli/pool.h"
#include "text/format.h"
#include "trace/burst.h"

static const double shares[NR_LATENCIES] = { 0.50, 0.90, 0.95, 0.99, 1.0 };

/* ---- kinds of threads ---- */

/* "worker" of "worker-12", "GC Thread" of "GC Thread#0": what threads of one pool are called. */
static void pool_name(char *out, size_t size, const char *name)
{
	size_t len;

	snprintf(out, size, "%s", name);
	len = strlen(out);
	while (len > 1 && strchr("0123456789-_#:/. ", out[len - 1]))
		len--;
	out[len] = '\0';
}

static u32 pool_at(struct replay_runs *r, const char *name)
{
	u32 i;

	for (i = 0; i < r->nr_pools; i++)
		if (!strcmp(r->pool_names[i], name))
			return i;
	if (i == POOLS_MAX)
		return POOLS_MAX;
	snprintf(r->pool_names[i], sizeof(r->pool_names[i]), "%s", name);
	r->pools[i] = r->pool_names[i];
	r->nr_pools++;
	return i;
}

static bool name_pools(struct replay_runs *r)
{
	const struct recovered *rec = &r->traced->rec;
	char name[64];

	r->pool_of = calloc((size_t)rec->sc.nr_tasks + 1, sizeof(*r->pool_of));
	for (u32 i = 0; r->pool_of && i < rec->sc.nr_tasks; i++) {
		r->pool_of[i] = POOLS_MAX;
		if (!rec->counts[i] || rec->by_marks)
			continue;
		pool_name(name, sizeof(name), r->traced->tr.tasks[rec->threads[i].task].name);
		r->pool_of[i] = pool_at(r, name);
	}
	return r->pool_of;
}

void replay_recorded_pools(const struct replay_runs *r, struct fate *fate)
{
	static const u32 percents[NR_LATENCIES] = { 50, 90, 95, 99, 100 };
	const struct recovered *rec = &r->traced->rec;
	u64 *all = malloc((rec->figures.nr_latency + 1) * sizeof(*all));

	for (u32 p = 0; all && p < r->nr_pools; p++) {
		u64 nr = 0;

		for (u32 i = 0; i < rec->sc.nr_tasks; i++)
			for (u64 k = rec->figures.from[i]; r->pool_of[i] == p && k < rec->figures.from[i + 1]; k++)
				all[nr++] = rec->figures.by_thread[k];
		sort_u64(all, nr);
		fate->pool[p].nr = nr;
		for (int i = 0; i < NR_LATENCIES; i++)
			fate->pool[p].latency[i] = nearest_rank(all, nr, percents[i]);
	}
	free(all);
}

/* ---- figures of one run ---- */

static const struct group_result *group_of(const struct result *res, const char *path)
{
	for (u32 i = 0; i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path))
			return &res->groups[i];
	return NULL;
}

static void put_latencies(u64 *latency, u64 *nr, struct samples *all)
{
	*nr = all->nr;
	for (int i = 0; i < NR_LATENCIES; i++)
		latency[i] = samples_percentile(all, shares[i]);
}

/* Of all threads that count, and of each kind of them. */
static void add_latencies(const struct replay_runs *r, struct fate *fate, const struct result *res)
{
	const struct recovered *rec = &r->traced->rec;
	struct samples all = { 0 }, pool[POOLS_MAX] = { 0 };

	if (rec->by_marks && res->nr_spans)
		samples_merge(&all, &res->spans[0].took);
	for (u32 i = 0; i < res->nr_tasks && i < rec->sc.nr_tasks; i++) {
		if (!rec->counts[i] || rec->by_marks)
			continue;
		samples_merge(&all, &res->tasks[i].sum.latency);
		if (r->pool_of[i] < POOLS_MAX)
			samples_merge(&pool[r->pool_of[i]], &res->tasks[i].sum.latency);
	}
	fate->mean = samples_mean(&all);
	put_latencies(fate->latency, &fate->nr_latency, &all);
	samples_free(&all);
	for (u32 p = 0; p < r->nr_pools; p++) {
		put_latencies(fate->pool[p].latency, &fate->pool[p].nr, &pool[p]);
		samples_free(&pool[p]);
	}
}

static void figures_of(const struct replay_runs *r, struct fate *fate, const struct result *res)
{
	const struct group_result *g = group_of(res, r->traced->rec.sc.groups[0].path);

	memset(fate, 0, sizeof(*fate));
	if (g) {
		fate->throttled = g->stat.nr_throttled;
		fate->active = g->active_periods;
		fate->wall = g->wall_periods;
		fate->usage = g->stat.usage;
		fate->throttled_time = g->stat.throttled_time;
	}
	add_latencies(r, fate, res);
}

/* ---- several runs ---- */

#define NR_FIGURES (sizeof(struct fate) / sizeof(u64))
_Static_assert(sizeof(struct fate) % sizeof(u64) == 0, "a fate is figures and nothing else");

static u64 figure_at(const struct fate *fate, size_t i)
{
	u64 v;

	memcpy(&v, (const char *)fate + i * sizeof(v), sizeof(v));
	return v;
}

static void put_figure(struct fate *fate, size_t i, u64 v) { memcpy((char *)fate + i * sizeof(v), &v, sizeof(v)); }

/* Figure @i of the first @nr of @jobs, sorted. */
static void sorted_figures(const struct replay_job *jobs, u32 nr, size_t i, u64 *v)
{
	for (u32 k = 0; k < nr; k++)
		v[k] = figure_at(&jobs[k].fate, i);
	sort_u64(v, nr);
}

/* The root of the sum of two squares. */
static u64 together(u64 a, u64 b)
{
	u64 most = max_u64(a, b);
	u32 shift = 0;

	while (most >> shift >= 1u << 31)
		shift++;
	a >>= shift;
	b >>= shift;
	return max_u64(sqrt_u64(a * a + b * b) << shift, most);
}

/*
 * What the model has not - caches, a core shared by two threads, interrupts - moves lengths of bursts between runs of one load on an idle
 * machine, and knows nothing of what else moves them: as far as that is chance, the two add as squares do.  A bound moves as a length of its own.
 */
static void widen(u64 *lo, u64 middle, u64 *hi, bool chance)
{
	u64 more = middle * RANGE_LENGTH_PERCENT / 100, below = middle - min_u64(*lo, middle), above = max_u64(*hi, middle) - middle;
	u64 lowest = *lo - *lo * RANGE_LENGTH_PERCENT / 100, highest = *hi + *hi * RANGE_LENGTH_PERCENT / 100;

	*lo = chance ? max_u64(middle - min_u64(middle, together(below, more)), lowest) : lowest;
	*hi = chance ? min_u64(middle + together(above, more), highest) : highest;
}

static void widen_lengths(struct fate *lo, const struct fate *likely, struct fate *hi, bool chance)
{
	for (int i = 0; i < NR_LATENCIES; i++) {
		widen(&lo->latency[i], likely->latency[i], &hi->latency[i], chance);
		for (u32 p = 0; p < POOLS_MAX; p++)
			widen(&lo->pool[p].latency[i], likely->pool[p].latency[i], &hi->pool[p].latency[i], chance);
	}
}

/*
 * Each figure by itself: of the first @nr of @jobs the middle, of all of them the range, but for f->outside at either end: the outermost say
 * more about how many runs there were than about the load.
 */
static bool sum_up(struct fates *f, const struct replay_job *jobs, u32 nr)
{
	u64 *v = malloc(f->runs * sizeof(*v));

	if (!v)
		return false;
	f->at = jobs[0].fate;
	f->result = jobs[0].result;
	for (size_t i = 0; i < NR_FIGURES; i++) {
		sorted_figures(jobs, nr, i, v);
		put_figure(&f->likely, i, nearest_rank(v, nr, 50));
		sorted_figures(jobs, f->runs, i, v);
		put_figure(&f->lo, i, v[f->outside]);
		put_figure(&f->hi, i, v[f->runs - 1 - f->outside]);
	}
	free(v);
	if (f->runs > 1)
		widen_lengths(&f->lo, &f->likely, &f->hi, f->outside);
	return true;
}

/* ---- what the recording leaves open ---- */

/* Where phases are few, many limits over a long recording are asked for: then there is no time for more of it. */
static u32 at_ways(u32 phases) { return phases / 4; }

/* Drawings of another recording, each at one phase of its own: as many as there are phases, since one in twenty at either end is no matter of two or three. */
static u32 drawings(u32 phases) { return 4 * at_ways(phases); }

#define OPEN_MAX (4 + NR_LIGHT_WAYS - 1)

static const char *const open_kernels[] = { "5.4", "7.2" };
static const u64 open_hz[] = { 100, 1000 };

/* What @w could have run on as well, as far as neither the recording nor the user says; returns how many. */
static u32 left_open(const struct traced *t, const struct what_if *w, const struct recover_limit *limit, u32 phases, struct what_if *out)
{
	bool time_left = at_ways(phases);
	u32 nr = 0;

	for (size_t i = 0; time_left && !t->kernel_said && !w->kernel && !w->rule && !w->tunable && i < ARRAY_SIZE(open_kernels); i++) {
		if (limit->burst && !i)
			continue; /* that one knows no burst */
		out[nr] = *w;
		out[nr++].kernel = open_kernels[i];
	}
	for (size_t i = 0; time_left && !t->hz && !w->hz && i < ARRAY_SIZE(open_hz); i++) {
		out[nr] = *w;
		out[nr++].hz = open_hz[i];
	}
	for (u32 i = 1; i < t->nr_ways; i++) {
		out[nr] = *w;
		out[nr++].way = i;
	}
	return nr;
}

u32 replay_open_runs(const struct traced *t, u32 phases)
{
	u32 others = (t->kernel_said ? 0 : (u32)ARRAY_SIZE(open_kernels)) + (t->hz ? 0 : (u32)ARRAY_SIZE(open_hz));

	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++)
		if (recover_end_is_open(&t->rec, i)) {
			others++;
			break;
		}
	return others * at_ways(phases) + drawings(phases) + (t->nr_ways ? t->nr_ways - 1 : 0) * phases;
}

static void add_open(struct replay_runs *r, const char *what)
{
	if (what)
		snprintf(r->open + strlen(r->open), sizeof(r->open) - strlen(r->open), "%s%s", r->open[0] ? "; " : "", what);
}

static void say_open(struct replay_runs *r)
{
	const struct traced *t = r->traced;
	char block[FORMAT_MAX], again[120];

	add_open(r, t->kernel_said || !at_ways(r->phases) ? NULL : "its kernel (rows 5.4 and 7.2 as well)");
	add_open(r, t->hz || !at_ways(r->phases) ? NULL : "its HZ (100 and 1000 as well)");
	add_open(r, t->nr_ways ? "when between two polls its threads ran (four ways)" : NULL);
	snprintf(again, sizeof(again), "what another recording would hold (%u drawing%s of blocks of %s of this one)", r->ways.nr_again, r->ways.nr_again == 1 ? "" : "s",
		 format_time(block, r->ways.block));
	add_open(r, r->in_ways ? again : NULL);
	add_open(r, r->in_ways && r->ways.has_other_end ? "what threads busy at its end still wanted (nothing, or all they could get)" : NULL);
}

/* ---- running ---- */

static bool was_never_short(const struct replay_runs *r, const struct result *res)
{
	const struct group_result *g = group_of(res, r->traced->rec.sc.groups[0].path);

	return g && !g->stat.nr_short;
}

static void run_job(void *ctx, u32 i)
{
	struct replay_runs *r = ctx;
	struct replay_job *job = &r->jobs[r->order[i]];

	if (!job->keep && replay_share_has(&r->share, job->class, job->quota))
		return;
	job->result = machine_run(&job->limited.sc, &r->opt, &job->err);
	if (!job->result)
		return;
	job->ran = true;
	figures_of(r, &job->fate, job->result);
	job->never_short = was_never_short(r, job->result);
	if (job->never_short)
		replay_share_found(&r->share, job->class, job->quota);
	if (job->keep)
		return;
	result_free(job->result);
	job->result = NULL;
}

/* Jobs of @w under @limit, from the recorded phase on; @way: as this one says, or NULL. */
static int add_phases(struct replay_runs *r, const struct what_if *w, struct recover_limit limit, u32 phases, const struct recover_way *way,
		      struct err *err)
{
	struct scenario *sc = &r->scenarios[r->nr_scenarios];
	u64 first = limit.phase;

	r->nr_scenarios++;
	if (what_if_scenario(w, r->traced, sc, err))
		return -1;
	for (u32 k = 0; k < phases; k++) {
		limit.phase = limit.period ? (first + k * limit.period / phases) % limit.period : 0;
		recover_under(&r->jobs[r->nr_jobs].limited, sc, &limit);
		if (way)
			recover_place(&r->jobs[r->nr_jobs].limited.sc, way);
		r->jobs[r->nr_jobs].quota = limit.quota;
		r->jobs[r->nr_jobs].class = replay_share_class(&r->share, w, &limit, way);
		r->nr_jobs++;
	}
	return 0;
}

/* The ways in which a recording of events does not say how it went.  Other orders lie at other phases each. */
static int add_ways(struct replay_runs *r, const struct what_if *w, const struct recover_limit *limit, u32 phases, struct err *err)
{
	struct recover_limit at = *limit;

	if (w->threads)
		return 0;
	r->in_ways = true;
	for (u32 k = 0; k < r->ways.nr_again; k++) {
		at.phase = limit->phase + k * limit->period / r->ways.nr_again;
		if (add_phases(r, w, at, 1, &r->ways.again[k], err))
			return -1;
	}
	return r->ways.has_other_end ? add_phases(r, w, *limit, phases, &r->ways.other_end, err) : 0;
}

/* Lay out the jobs of what-if @i. */
static int add_jobs(struct replay_runs *r, u32 i, const struct what_ifs *ifs, struct err *err)
{
	const struct what_if *w = &ifs->v[i];
	struct fates *f = &r->fates[1 + i];
	struct what_if open[OPEN_MAX];
	struct recover_limit limit;
	u32 before = r->nr_jobs, phases, nr;

	if (what_if_limit(w, ifs, r->traced, &limit, err))
		return -1;
	f->label = what_if_label(w, &limit, r->labels[i]);
	phases = limit.quota == NEVER ? 1 : r->phases;
	r->jobs[before].keep = r->keep_results;
	if (add_phases(r, w, limit, phases, NULL, err))
		return -1;
	r->main[1 + i] = phases;
	if (at_ways(r->phases) && add_ways(r, w, &limit, limit.quota == NEVER ? 1 : at_ways(phases), err))
		return -1;
	nr = left_open(r->traced, w, &limit, r->phases, open);
	for (u32 k = 0; k < nr; k++)
		if (add_phases(r, &open[k], limit, limit.quota == NEVER ? 1 : open[k].way ? phases : at_ways(r->phases), NULL, err))
			return -1;
	f->runs = r->nr_jobs - before;
	f->outside = r->traced->nr_ways ? 0 : f->runs / RANGE_OUTSIDE; /* ways of counters are no chance: the truth may be at any of them */
	return 0;
}

/*
 * Of each class the run with the least quota that was never short stands for all with more, also for those that ran at the same time as it:
 * it is the same one however many threads there were.
 */
static void share_results(struct replay_runs *r)
{
	for (u32 i = 0; i < r->nr_jobs; i++) {
		struct replay_job *job = &r->jobs[r->order[i]];
		struct share_class *class = job->class == SHARE_ALONE ? NULL : &r->share.classes[job->class];

		if (!class)
			continue;
		if (class->source == SHARE_ALONE && job->never_short)
			class->source = r->order[i];
		if (class->source == SHARE_ALONE || job->quota == r->jobs[class->source].quota)
			continue;
		job->fate = r->jobs[class->source].fate;
		job->ran = true;
	}
}

static int take_results(struct replay_runs *r, struct err *err)
{
	const struct replay_job *job = r->jobs;

	share_results(r);
	for (u32 i = 0; i < r->nr_jobs; i++) {
		if (r->jobs[i].ran)
			continue;
		*err = r->jobs[i].err;
		r->stuck = true;
		return -1;
	}
	for (u32 i = 0; i < r->nr_fates; i++) {
		if (!sum_up(&r->fates[i], job, r->main[i]))
			return err_set(err, ERR_HOST, "out of memory");
		job += r->fates[i].runs;
	}
	return 0;
}

static int by_quota(const void *a, const void *b, void *runs)
{
	const struct replay_runs *r = runs;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 p = r->jobs[x].quota, q = r->jobs[y].quota;

	return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

static bool put_in_order(struct replay_runs *r)
{
	r->order = malloc((r->nr_jobs + 1) * sizeof(*r->order));
	if (!r->order)
		return false;
	for (u32 i = 0; i < r->nr_jobs; i++)
		r->order[i] = i;
	qsort_r(r->order, r->nr_jobs, sizeof(*r->order), by_quota, r);
	return true;
}

static bool make_room(struct replay_runs *r, u32 nr_ifs)
{
	size_t per_if = (1 + NR_LIGHT_WAYS) * (size_t)r->phases + (2 + OPEN_MAX) * (size_t)at_ways(r->phases) + WAYS_AGAIN_MOST;

	r->jobs = calloc(1 + nr_ifs * per_if, sizeof(*r->jobs));
	r->scenarios = calloc(1 + (size_t)nr_ifs * (3 + OPEN_MAX + WAYS_AGAIN_MOST), sizeof(*r->scenarios));
	r->fates = calloc(1 + nr_ifs, sizeof(*r->fates));
	r->labels = calloc(1 + nr_ifs, sizeof(*r->labels));
	r->main = calloc(1 + nr_ifs, sizeof(*r->main));
	return r->jobs && r->scenarios && r->fates && r->labels && r->main;
}

int replay_runs_go(struct replay_runs *r, const struct traced *t, const struct run_options *opt, const struct what_ifs *ifs, u32 phases,
		   struct err *err)
{
	memset(r, 0, sizeof(*r));
	r->traced = t;
	r->phases = phases;
	r->opt = machine_options_of(opt);
	if (!make_room(r, ifs->nr) || !name_pools(r) || recover_ways(&r->ways, &t->rec, ifs->nr ? drawings(phases) : 0))
		return err_set(err, ERR_HOST, "out of memory");
	r->keep_results = opt->json;
	r->jobs[0].keep = true;
	r->jobs[0].class = SHARE_ALONE;
	recover_under(&r->jobs[r->nr_jobs++].limited, &t->rec.sc, &t->limit);
	r->nr_fates = 1 + ifs->nr;
	r->fates[0].runs = r->main[0] = 1;
	r->fates[0].label = "as recorded";
	for (u32 i = 0; i < ifs->nr; i++)
		if (add_jobs(r, i, ifs, err))
			return -1;
	say_open(r);
	if (!put_in_order(r))
		return err_set(err, ERR_HOST, "out of memory");
	pool_run(r->nr_jobs, (u32)opt->jobs, run_job, r);
	return take_results(r, err);
}

void replay_runs_fini(struct replay_runs *r)
{
	for (u32 i = 0; i < r->nr_jobs; i++)
		if (r->jobs[i].result)
			result_free(r->jobs[i].result);
	for (u32 i = 0; i < r->nr_scenarios; i++)
		what_if_free(&r->scenarios[i]);
	free(r->jobs);
	free(r->order);
	replay_share_fini(&r->share);
	free(r->scenarios);
	free(r->fates);
	free(r->labels);
	free(r->main);
	recover_ways_fini(&r->ways);
	free(r->pool_of);
	memset(r, 0, sizeof(*r));
}
