/* SPDX-License-Identifier: MIT */
/*
 * outcome.c - what a real run showed, in the same shape as a simulation's result.
 *
 * Law: nothing is made up: a figure that the kernel does not show stays 0, and so does one whose file could not be read.
 */
#include <stdlib.h>
#include <string.h>

#include "live/run.h"

static u64 minus(u64 a, u64 b) { return a > b ? a - b : 0; }

static void group_figures(const struct live_run *run, u32 i, struct group_result *out)
{
	const struct live_group *g = &run->groups[i];

	out->path = run->sc->groups[i].path;
	out->stat.quota = g->quota == NEVER ? RUNTIME_INF : g->quota;
	out->stat.period = g->period;
	out->stat.usage = minus(g->to.usage, g->from.usage);
	out->stat.nr_periods = minus(g->to.nr_periods, g->from.nr_periods);
	out->stat.nr_throttled = minus(g->to.nr_throttled, g->from.nr_throttled);
	out->stat.throttled_time = minus(g->to.throttled, g->from.throttled);
	out->stat.nr_bursts = minus(g->to.nr_bursts, g->from.nr_bursts);
	out->stat.burst_time = minus(g->to.burst, g->from.burst);
	out->active_periods = out->stat.nr_periods;
	out->wall_periods = g->period ? (run->to - run->from) / g->period : 0;
}

/* What was written is read from the model, which was written the same. */
static void take_settings(struct group_stat *st, const struct result *like, const char *path)
{
	u32 i;

	for (i = 0; i < like->nr_groups; i++) {
		const struct group_stat *from = &like->groups[i].stat;

		if (strcmp(like->groups[i].path, path))
			continue;
		st->burst = from->burst;
		st->shares = from->shares;
		st->weight = from->weight;
		st->weight_nice = from->weight_nice;
		if (!st->period) {
			st->quota = from->quota;
			st->period = from->period;
		}
	}
}

static bool all_groups(const struct live_run *run, const struct result *like, struct result *res)
{
	u32 i;

	res->groups = calloc(run->sc->nr_groups + 1, sizeof(*res->groups));
	for (i = 0; res->groups && i < run->sc->nr_groups; i++) {
		if (!run->sc->groups[i].path[1])
			continue;
		group_figures(run, i, &res->groups[res->nr_groups]);
		take_settings(&res->groups[res->nr_groups].stat, like, run->sc->groups[i].path);
		res->nr_groups++;
	}
	return res->groups;
}

static void take_samples(const struct crew_samples *from, struct samples *into)
{
	u32 i, nr = from->nr < CREW_SAMPLES ? from->nr : CREW_SAMPLES;

	for (i = 0; i < nr; i++)
		samples_add(into, from->v[i]);
}

static void add_thread(const struct live_run *run, u32 i, struct task_result *task)
{
	const struct live_thread *t = &run->threads[i];
	struct thread_result *out = &task->threads[task->count++], *sum = &task->sum;

	out->cpu = -1;
	out->runtime = t->runtime;
	out->loops = t->loops;
	out->nvcsw = t->nvcsw;
	out->nivcsw = t->nivcsw;
	take_samples(&run->crew->threads[i].latency, &out->latency);
	take_samples(&run->crew->threads[i].wakeup, &out->wakeup_latency);
	sum->runtime += out->runtime;
	sum->loops += out->loops;
	sum->nvcsw += out->nvcsw;
	sum->nivcsw += out->nivcsw;
	samples_merge(&sum->latency, &out->latency);
	samples_merge(&sum->wakeup_latency, &out->wakeup_latency);
}

static bool all_tasks(const struct live_run *run, struct result *res)
{
	const struct scenario *sc = run->sc;
	u32 i;

	res->tasks = calloc(sc->nr_tasks + 1, sizeof(*res->tasks));
	if (!res->tasks)
		return false;
	res->nr_tasks = sc->nr_tasks;
	for (i = 0; i < sc->nr_tasks; i++) {
		res->tasks[i].name = sc->tasks[i].name;
		res->tasks[i].group = sc->tasks[i].group ? sc->tasks[i].group : "/";
		res->tasks[i].threads = calloc(sc->tasks[i].instances + 1, sizeof(*res->tasks[i].threads));
		if (!res->tasks[i].threads)
			return false;
	}
	for (i = 0; i < run->crew->nr; i++)
		add_thread(run, i, &res->tasks[run->crew->threads[i].task]);
	return true;
}

static bool all_writes(const struct live_run *run, struct result *res)
{
	u32 i;

	res->writes = calloc(run->end->nr_writes + 1, sizeof(*res->writes));
	for (i = 0; res->writes && i < run->end->nr_writes; i++) {
		const struct live_write *w = &run->writes[i];

		res->writes[res->nr_writes++] =
			(struct write_result){ w->t, w->spec->group, w->spec->file, w->spec->value, w->err, NULL,
					       w->err ? strerror(w->err) : NULL };
	}
	return res->writes;
}

struct result *live_result(const struct live_run *run, const struct result *like)
{
	struct result *res = calloc(1, sizeof(*res));

	if (!res)
		return NULL;
	res->scenario = run->sc;
	res->model = like->model;
	res->seed = run->sc->seed;
	res->start = run->from;
	res->end = run->to;
	res->cgroup = run->cg.version;
	res->preempt = like->preempt;
	if (all_groups(run, like, res) && all_tasks(run, res) && all_writes(run, res))
		return res;
	result_free(res);
	return NULL;
}

struct live_noise live_noise(const struct live_run *run)
{
	struct live_noise noise = { .steal = minus(run->end->to.steal, run->end->from.steal) };
	u64 busy = minus(run->end->to.busy, run->end->from.busy), own = 0;
	u32 i;

	for (i = 0; i < run->crew->nr; i++)
		own += run->threads[i].runtime;
	noise.others = minus(busy, own);
	return noise;
}
