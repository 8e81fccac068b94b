/* SPDX-License-Identifier: MIT */
/*
 * measure.c - the figures of a run: what its threads did, beside what owner/ has counted.
 *
 * Readings charge nothing.
 */
#include "sim/impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- windows ---- */

static void stat_of(struct machine *m, const struct thread *t, struct task_stat *st)
{
	if (t->p)
		lab_task_stat(m->lab, t->p, st);
	else
		*st = t->stat;
}

/* The window opens: everything counted so far is subtracted later. */
void measure_begin(struct machine *m)
{
	struct thread *t;

	settle(m);
	m->window_open = true;
	m->nr_ipis_base = m->nr_ipis;
	groups_window(&m->groups, m->now);
	tally_window(&m->tally);
	for (t = m->threads; t; t = t->next) {
		stat_of(m, t, &t->base);
		t->work_base = t->work;
		t->loops_base = t->loops;
	}
}

/* ---- the result ---- */

/* Work done up to now, the run in progress included. */
static u64 work_now(struct machine *m, struct thread *t)
{
	struct mcpu *c = t->p ? machine_cpu(m, lab_task_cpu(t->p)) : NULL;

	return t->work + (c && c->curr == t ? cpu_progress(c) : 0);
}

/* workload.joins: the last latency is of a burst that still goes on, and has no length yet.  Where it is all there is, it stays: so long at least. */
static void drop_unfinished(struct machine *m, struct thread *t)
{
	bool goes_on = t->doing != DOING_NOTHING && t->waking_at <= t->joined_to;

	if (m->sc->tasks[t->task].joins && goes_on && t->latency.nr > 1)
		t->latency.nr--;
}

static void thread_figures(struct machine *m, struct thread *t, struct thread_result *out)
{
	struct task_stat st;

	drop_unfinished(m, t);

	stat_of(m, t, &st);
	*out = thread_since(&st, &t->base);
	out->loops = worker_loops(t->worker) - t->loops_base;
	out->work = work_now(m, t) - t->work_base;
	out->cpu = t->last_cpu;
	out->latency = t->latency;
	out->wakeup_latency = t->wakeup_latency;
	memset(&t->latency, 0, sizeof(t->latency)); /* handed over */
	memset(&t->wakeup_latency, 0, sizeof(t->wakeup_latency));
}

static bool task_results(struct machine *m, struct result *res)
{
	struct thread *t;

	if (!result_begin_tasks(res, m->sc, m->instances))
		return false;
	for (t = m->threads; t; t = t->next) {
		struct thread_result thread;

		thread_figures(m, t, &thread);
		result_add_thread(res, t->task, &thread, m->opt.want_threads);
	}
	result_end_tasks(res);
	return true;
}

struct result *measure_result(struct machine *m)
{
	struct result *res = calloc(1, sizeof(*res));

	if (!res)
		return NULL;
	settle(m);
	res->scenario = m->sc;
	res->model = m->model;
	res->seed = m->sc->seed;
	res->cgroup = m->cgroup;
	res->preempt = (int)m->preempt;
	res->start = m->sc->measure_from;
	res->end = min_u64(scenario_time(m), m->sc->measure_to);
	res->nr_ipis = m->nr_ipis - m->nr_ipis_base;
	find_stuck(m, &res->stuck);
	if (groups_results(&m->groups, res) && task_results(m, res) && spans_results(&m->spans, m->sc, res) && tally_results(&m->tally, res))
		return res;
	result_free(res);
	return NULL;
}
