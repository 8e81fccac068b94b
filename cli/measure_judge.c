/* SPDX-License-Identifier: MIT */
/*
 * measure_judge.c - which figures are compared, and how near is near enough: one table.
 *
 * Shares and grains are those of the oracle's table (oracle/cells.c), which were read off reruns on a quiet machine; what this machine
 * adds shows in how far its own repeats differ.
 */
#include "cli/measure_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum need { NEED_USAGE, NEED_BANDWIDTH, NEED_RUNTIME, NEED_LOOPS, NEED_WAKES };

struct figure_row {
	const char *name, *title;
	bool is_time;
	enum need need;
	u64 samples;	 /* NEED_LOOPS, NEED_WAKES: fewer say nothing */
	double share;	 /* of the real value */
	double counts;	 /* grain of counts */
	double ticks;	 /* grain of times; each_cpu: so many for each CPU */
	bool each_cpu;
	double us;
	bool wakes;	 /* and what this machine's wakeups vary by */
	const char *reason;
	u64 (*of_group)(const struct group_result *g);
	u64 (*of_task)(struct task_result *t);
};

static u64 group_usage(const struct group_result *g) { return g->stat.usage; }
static u64 group_periods(const struct group_result *g) { return g->stat.nr_periods; }
static u64 group_throttled(const struct group_result *g) { return g->stat.nr_throttled; }
static u64 group_stopped(const struct group_result *g) { return g->stat.throttled_time; }
static u64 group_bursts(const struct group_result *g) { return g->stat.nr_bursts; }
static u64 group_burst(const struct group_result *g) { return g->stat.burst_time; }
static u64 task_runtime(struct task_result *t) { return t->sum.runtime; }
static u64 task_loops(struct task_result *t) { return t->sum.loops; }
static u64 task_p50(struct task_result *t) { return samples_percentile(&t->sum.latency, 0.50); }
static u64 task_p95(struct task_result *t) { return samples_percentile(&t->sum.latency, 0.95); }
static u64 task_p99(struct task_result *t) { return samples_percentile(&t->sum.latency, 0.99); }
static u64 task_wake_p50(struct task_result *t) { return samples_percentile(&t->sum.wakeup_latency, 0.50); }
static u64 task_wake_p99(struct task_result *t) { return samples_percentile(&t->sum.wakeup_latency, 0.99); }

static const struct figure_row figures[] = {
	{ .name = "usage_usec", .title = "CPU ms", .is_time = true, .need = NEED_USAGE, .share = .01, .ticks = 1, .each_cpu = true,
	  .of_group = group_usage, .reason = "a running thread is charged at its ticks" },
	{ .name = "nr_periods", .title = "periods", .need = NEED_BANDWIDTH, .counts = 1, .of_group = group_periods,
	  .reason = "the reading may fall on either side of a boundary" },
	{ .name = "nr_throttled", .title = "throttled periods", .need = NEED_BANDWIDTH, .share = .02, .counts = 1,
	  .of_group = group_throttled, .reason = "counted at the same boundary" },
	{ .name = "throttled_usec", .title = "stopped ms, over CPUs", .is_time = true, .need = NEED_BANDWIDTH, .share = .08, .ticks = 1,
	  .each_cpu = true, .of_group = group_stopped, .reason = "a sum over CPUs, each of which stops at a tick" },
	{ .name = "nr_bursts", .title = "bursts", .need = NEED_BANDWIDTH, .counts = 1, .of_group = group_bursts,
	  .reason = "counted at the same boundary" },
	{ .name = "burst_usec", .title = "burst ms", .is_time = true, .need = NEED_BANDWIDTH, .share = .08, .ticks = 1, .each_cpu = true,
	  .of_group = group_burst, .reason = "what is used above the quota ends at a tick too" },
	{ .name = "runtime_usec", .title = "CPU ms", .is_time = true, .need = NEED_RUNTIME, .share = .02, .ticks = 1, .each_cpu = true,
	  .of_task = task_runtime, .reason = "as charged at ticks, summed over threads" },
	{ .name = "loops", .title = "loops", .need = NEED_LOOPS, .samples = 4, .share = .02, .counts = 1, .of_task = task_loops,
	  .reason = "the window cuts one at either end" },
	{ .name = "latency_p50_usec", .title = "p50 ms", .is_time = true, .need = NEED_LOOPS, .samples = 4, .share = .10, .us = 50, .wakes = true,
	  .of_task = task_p50, .reason = "and what this machine's wakeups vary by" },
	{ .name = "latency_p95_usec", .title = "p95 ms", .is_time = true, .need = NEED_LOOPS, .samples = 20, .share = .15, .ticks = 1,
	  .of_task = task_p95, .reason = "a tick decides who waits" },
	{ .name = "latency_p99_usec", .title = "p99 ms", .is_time = true, .need = NEED_LOOPS, .samples = 100, .share = .15, .ticks = 1,
	  .of_task = task_p99, .reason = "a tick decides who waits" },
	{ .name = "wakeup_p50_usec", .title = "wakeup p50 ms", .is_time = true, .need = NEED_WAKES, .samples = 4, .share = .10, .us = 50, .wakes = true,
	  .of_task = task_wake_p50, .reason = "and what this machine's wakeups vary by" },
	{ .name = "wakeup_p99_usec", .title = "wakeup p99 ms", .is_time = true, .need = NEED_WAKES, .samples = 100, .share = .15, .ticks = 1,
	  .of_task = task_wake_p99, .reason = "a tick decides who waits" },
};

bool judge_text(u32 index, struct judge_text *text)
{
	const struct figure_row *row;
	int n;

	if (index >= ARRAY_SIZE(figures))
		return false;
	row = &figures[index];
	*text = (struct judge_text){ .figure = row->name, .reason = row->reason };
	n = row->share > 0 ? snprintf(text->near, sizeof(text->near), "%.0f %%", row->share * 100) : 0;
	snprintf(text->near + n, sizeof(text->near) - (size_t)n, "%s%s", n ? " or " : "",
		 row->counts > 0 ? "1" : row->us > 0 ? "50 us" : row->each_cpu ? "one tick per CPU" : "one tick");
	return true;
}

/* ---- one cell ---- */

struct judging {
	const struct judge_with *with;
	struct measure_cell *cells;
	u32 nr, cap;
	u64 *values; /* of one figure over a series */
};

static struct group_result *group_in(const struct result *res, const char *path)
{
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path))
			return &res->groups[i];
	return NULL;
}

/* Tasks are in the scenario's order on both sides. */
static u64 value_in(const struct result *res, const struct figure_row *row, const char *path, u32 task)
{
	const struct group_result *g = row->of_group ? group_in(res, path) : NULL;

	if (row->of_task)
		return row->of_task(&res->tasks[task]);
	return g ? row->of_group(g) : 0;
}

static struct measure_figure over(struct judging *j, const struct series *s, const struct figure_row *row, const char *path, u32 task)
{
	struct spread spread;
	u32 i;

	for (i = 0; i < s->nr; i++)
		j->values[i] = value_in(s->results[i], row, path, task);
	spread = spread_of(j->values, s->nr);
	return (struct measure_figure){ spread.median, spread.lo, spread.hi };
}

static u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

static u64 apart(const struct judge_with *with, const struct measure_figure *real, const struct measure_figure *model)
{
	if (with->phase_known)
		return distance(real->at, model->at);
	if (real->at < model->lo)
		return model->lo - real->at;
	return real->at > model->hi ? real->at - model->hi : 0;
}

static u64 grain_of(const struct judge_with *with, const struct figure_row *row)
{
	const struct result *res = with->real->results[0];
	double tick = (double)SEC / (double)res->scenario->machine.hz, ns = row->us * (double)US;

	if (!row->is_time)
		return (u64)row->counts;
	if (row->ticks * tick * (row->each_cpu ? with->cpus : 1) > ns)
		ns = row->ticks * tick * (row->each_cpu ? with->cpus : 1);
	return row->wakes ? max_u64((u64)ns, with->wake_varies) : (u64)ns;
}

static u64 share_of(const struct judge_with *with, const struct figure_row *row, u64 real)
{
	double share = with->within == NEVER ? row->share : (double)with->within / 100000.0;

	return (u64)(share * (double)real);
}

static void judge_one(struct judging *j, const struct figure_row *row, const char *subject, u32 task)
{
	struct measure_cell *c = &j->cells[j->nr++];
	u64 spread, allowed;

	*c = (struct measure_cell){ .subject = subject, .name = row->name, .title = row->title, .is_time = row->is_time };
	c->real = over(j, j->with->real, row, subject, task);
	c->model = over(j, j->with->model, row, subject, task);
	spread = c->real.hi - c->real.lo;
	allowed = max_u64(grain_of(j->with, row), share_of(j->with, row, c->real.at));
	c->apart = apart(j->with, &c->real, &c->model);
	c->tolerance = max_u64(allowed, spread);
	c->ok = c->apart <= c->tolerance;
	c->noisy = spread > allowed && spread > c->real.at / 4;
}

/* ---- which there are ---- */

static bool group_has(const struct judge_with *with, const struct figure_row *row, const char *path)
{
	const struct group_result *real = group_in(with->real->results[0], path), *model = group_in(with->model->results[0], path);

	if (!row->of_group || !real || !model)
		return false;
	if (row->need == NEED_USAGE)
		return with->usage;
	if (!with->bandwidth || model->stat.quota == RUNTIME_INF)
		return false;
	return (row->of_group != group_bursts && row->of_group != group_burst) || model->stat.burst || row->of_group(real) ||
	       row->of_group(model);
}

/* Who only computes has loops that nobody waits for. */
static bool only_computes(const struct workload *w)
{
	u32 i;

	for (i = 0; i < w->program.nr_steps; i++)
		if (w->program.steps[i].kind != STEP_RUN && w->program.steps[i].kind != STEP_MEM)
			return false;
	return true;
}

static u64 fewest(const struct series *s, enum need need, u32 task)
{
	u64 nr = NEVER;
	u32 i;

	for (i = 0; i < s->nr; i++) {
		const struct thread_result *sum = &s->results[i]->tasks[task].sum;

		nr = min_u64(nr, need == NEED_LOOPS ? sum->latency.nr : sum->wakeup_latency.nr);
	}
	return nr;
}

static bool task_has(const struct judge_with *with, const struct figure_row *row, u32 task)
{
	if (!row->of_task)
		return false;
	if (row->need == NEED_RUNTIME)
		return with->runtime;
	if (only_computes(&with->real->results[0]->scenario->tasks[task]))
		return false;
	return fewest(with->real, row->need, task) >= row->samples && fewest(with->model, row->need, task) >= row->samples;
}

struct measure_cell *judge(const struct judge_with *with, u32 *nr)
{
	const struct result *first = with->real->results[0];
	struct judging j = { .with = with, .cap = (first->nr_groups + first->nr_tasks) * (u32)ARRAY_SIZE(figures) };
	u32 i, k;

	j.cells = calloc(j.cap + 1, sizeof(*j.cells));
	j.values = calloc((size_t)with->real->nr + with->model->nr, sizeof(*j.values));
	if (!j.cells || !j.values) {
		free(j.cells);
		j.cells = NULL;
		goto out;
	}
	for (i = 0; i < first->nr_groups; i++)
		for (k = 0; k < ARRAY_SIZE(figures); k++)
			if (group_has(with, &figures[k], first->groups[i].path))
				judge_one(&j, &figures[k], first->groups[i].path, 0);
	for (i = 0; i < first->nr_tasks; i++)
		for (k = 0; k < ARRAY_SIZE(figures); k++)
			if (task_has(with, &figures[k], i))
				judge_one(&j, &figures[k], first->tasks[i].name, i);
out:
	free(j.values);
	*nr = j.nr;
	return j.cells;
}
