/* SPDX-License-Identifier: MIT */
/*
 * series.c - figures, and how they lie over several runs.
 *
 * Which figures there are is a table for groups, one for tasks and one for spans; a new figure is a new row.
 */
#include "report/series.h"

#include <stdlib.h>
#include <string.h>

/* ---- figures ---- */

static u64 group_usage(const struct group_result *g) { return g->stat.usage; }
static u64 group_periods(const struct group_result *g) { return g->stat.nr_periods; }
static u64 group_throttled(const struct group_result *g) { return g->stat.nr_throttled; }
static u64 group_stopped(const struct group_result *g) { return g->stat.throttled_time; }
static u64 group_lost(const struct group_result *g) { return g->stat.ledger.lost; }
static u64 group_bursts(const struct group_result *g) { return g->stat.nr_bursts; }
static u64 group_burst(const struct group_result *g) { return g->stat.burst_time; }

static const struct {
	const char *name, *title;
	enum figure_unit unit;
	u64 (*value)(const struct group_result *g);
} group_figures[] = {
	{ "usage_usec", "CPU ms", FIGURE_NS, group_usage },
	{ "nr_periods", "periods", FIGURE_COUNT, group_periods },
	{ "nr_throttled", "throttled periods", FIGURE_COUNT, group_throttled },
	{ "throttled_usec", "stopped ms, over CPUs", FIGURE_NS, group_stopped },
	{ "lost_usec", "quota unused ms", FIGURE_NS, group_lost },
	{ "nr_bursts", "bursts", FIGURE_COUNT, group_bursts },
	{ "burst_usec", "burst ms", FIGURE_NS, group_burst },
};

static u64 task_loops(struct task_result *t) { return t->sum.loops; }
static u64 task_iterations(struct task_result *t) { return t->iterations; }
static u64 task_runtime(struct task_result *t) { return t->sum.runtime; }
static u64 task_p50(struct task_result *t) { return samples_percentile(&t->sum.latency, 0.50); }
static u64 task_p95(struct task_result *t) { return samples_percentile(&t->sum.latency, 0.95); }
static u64 task_p99(struct task_result *t) { return samples_percentile(&t->sum.latency, 0.99); }
static u64 task_max(struct task_result *t) { return samples_max(&t->sum.latency); }
static u64 task_wake_p99(struct task_result *t) { return samples_percentile(&t->sum.wakeup_latency, 0.99); }
static u64 task_throttled(struct task_result *t) { return t->sum.wait_throttled; }
static u64 task_contended(struct task_result *t) { return t->sum.wait_contended; }
static u64 task_pause(struct task_result *t) { return t->sum.longest_pause; }
static u64 task_nivcsw(struct task_result *t) { return t->sum.nivcsw; }
static u64 task_migrations(struct task_result *t) { return t->sum.migrations; }

static const struct {
	const char *name, *title;
	enum figure_unit unit;
	u64 (*value)(struct task_result *t);
} task_figures[] = {
	{ "loops", "loops", FIGURE_COUNT, task_loops },
	{ "iterations", "iterations", FIGURE_COUNT, task_iterations },
	{ "runtime_usec", "CPU ms", FIGURE_NS, task_runtime },
	{ "latency_p50_usec", "p50 ms", FIGURE_NS, task_p50 },
	{ "latency_p95_usec", "p95 ms", FIGURE_NS, task_p95 },
	{ "latency_p99_usec", "p99 ms", FIGURE_NS, task_p99 },
	{ "latency_max_usec", "max ms", FIGURE_NS, task_max },
	{ "wakeup_p99_usec", "wakeup p99 ms", FIGURE_NS, task_wake_p99 },
	{ "wait_throttled_usec", "waited throttled ms", FIGURE_NS, task_throttled },
	{ "wait_contended_usec", "waited contended ms", FIGURE_NS, task_contended },
	{ "longest_pause_usec", "longest pause ms", FIGURE_NS, task_pause },
	{ "nivcsw", "preemptions", FIGURE_COUNT, task_nivcsw },
	{ "migrations", "migrations", FIGURE_COUNT, task_migrations },
};

static u64 span_count(struct samples *s) { return s->nr; }
static u64 span_total(struct samples *s) { return samples_sum(s); }
static u64 span_p50(struct samples *s) { return samples_percentile(s, 0.50); }
static u64 span_p99(struct samples *s) { return samples_percentile(s, 0.99); }

static const struct {
	const char *name, *title;
	enum figure_unit unit;
	u64 (*value)(struct samples *s);
} span_figures[] = {
	{ "span_count", "n", FIGURE_COUNT, span_count },
	{ "span_total_usec", "total ms", FIGURE_NS, span_total },
	{ "span_p50_usec", "p50 ms", FIGURE_NS, span_p50 },
	{ "span_p99_usec", "p99 ms", FIGURE_NS, span_p99 },
};

u32 figures_of(struct result *res, struct figure *out, u32 max)
{
	u32 i, k, nr = 0;

	for (i = 0; i < res->nr_groups; i++)
		for (k = 0; k < ARRAY_SIZE(group_figures) && nr < max; k++)
			out[nr++] = (struct figure){ res->groups[i].path, group_figures[k].name, group_figures[k].title,
						     group_figures[k].unit, group_figures[k].value(&res->groups[i]) };
	for (i = 0; i < res->nr_tasks; i++)
		for (k = 0; k < ARRAY_SIZE(task_figures) && nr < max; k++)
			out[nr++] = (struct figure){ res->tasks[i].name, task_figures[k].name, task_figures[k].title,
						     task_figures[k].unit, task_figures[k].value(&res->tasks[i]) };
	for (i = 0; i < res->nr_spans; i++)
		for (k = 0; k < ARRAY_SIZE(span_figures) && nr < max; k++)
			out[nr++] = (struct figure){ res->spans[i].name, span_figures[k].name, span_figures[k].title,
						     span_figures[k].unit, span_figures[k].value(&res->spans[i].took) };
	if (nr < max)
		out[nr++] = (struct figure){ "", "sched_switch", "switches", FIGURE_COUNT, res->events[EVENT_SCHED_SWITCH] };
	if (nr < max)
		out[nr++] = (struct figure){ "", "sched_migrate_task", "migrations", FIGURE_COUNT,
					     res->events[EVENT_SCHED_MIGRATE_TASK] };
	if (nr < max)
		out[nr++] = (struct figure){ "", "ipis", "IPIs", FIGURE_COUNT, res->nr_ipis };
	return nr;
}

/* ---- over several runs ---- */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* A square root by Newton's steps from above: no libm, and 40 steps settle every double that can come here. */
static double square_root(double v)
{
	double x = v > 1 ? v : 1;
	int i;

	for (i = 0; v > 0 && i < 64; i++)
		x = 0.5 * (x + v / x);
	return v > 0 ? x : 0;
}

struct spread spread_of(u64 *values, u32 nr)
{
	struct spread s = { 0 };
	double squares = 0;
	u32 i;

	if (!nr)
		return s;
	qsort(values, nr, sizeof(*values), by_value);
	s.median = values[(nr - 1) / 2];
	s.lo = values[0];
	s.hi = values[nr - 1];
	for (i = 0; i < nr; i++)
		s.mean += (double)values[i] / nr;
	for (i = 0; i < nr; i++)
		squares += ((double)values[i] - s.mean) * ((double)values[i] - s.mean);
	if (nr > 1)
		s.error = square_root(squares / (nr - 1) / nr);
	return s;
}

/* One column of @values per run, one row per figure, so that a row can be sorted where it stands. */
struct spread *series_spreads(const struct series *series, struct figure *figures, u32 *nr_figures)
{
	u32 i, k, nr = figures_of(series->results[0], figures, FIGURES_MAX);
	u64 *values = calloc((size_t)nr * series->nr, sizeof(*values));
	struct figure *of_run = calloc(FIGURES_MAX, sizeof(*of_run));
	struct spread *spreads = calloc(nr, sizeof(*spreads));

	if (!values || !of_run || !spreads)
		abort();
	for (i = 0; i < series->nr; i++) {
		figures_of(series->results[i], of_run, nr);
		for (k = 0; k < nr; k++)
			values[(size_t)k * series->nr + i] = of_run[k].value;
	}
	for (k = 0; k < nr; k++)
		spreads[k] = spread_of(values + (size_t)k * series->nr, series->nr);
	free(of_run);
	free(values);
	*nr_figures = nr;
	return spreads;
}

const struct group_result *first_limited(const struct result *res)
{
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		if (res->groups[i].stat.quota != RUNTIME_INF)
			return &res->groups[i];
	return NULL;
}

static u64 main_figure(const struct result *res)
{
	const struct group_result *g = first_limited(res);
	u64 sum = 0;
	int i;

	if (g)
		return g->stat.usage;
	for (i = 0; i < res->nr_cpus; i++)
		sum += res->cpu_usage[i];
	return sum;
}

struct result *series_middle(const struct series *series)
{
	u64 *values = calloc(series->nr + 1, sizeof(*values));
	u64 median;
	u32 i;

	if (!values)
		abort();
	for (i = 0; i < series->nr; i++)
		values[i] = main_figure(series->results[i]);
	median = spread_of(values, series->nr).median;
	free(values);
	for (i = 0; i < series->nr; i++)
		if (main_figure(series->results[i]) == median)
			return series->results[i];
	return NULL;
}
