/* SPDX-License-Identifier: MIT */
/*
 * measure.c - the figures of a run.
 *
 *	events ----> digest, counts            window: figures at its end minus figures at its start
 *	periods ---> one record a refill
 *
 * The digest covers (time, CPU, event, task, group) of every event but sched_stat_runtime, whose grouping depends on which ticks
 * were left out; their count and sum are in it as final counters.  Readings charge nothing.
 */
#include "sim/impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

void measure_event(struct machine *m, const struct event *ev)
{
	if (ev->type == EVENT_SCHED_STAT_RUNTIME) {
		m->events[ev->type] += (u64)ev->arg;
		m->nr_stat_runtime += ev->other;
		machine_cpu(m, ev->cpu)->usage += (u64)ev->arg;
	} else {
		m->events[ev->type]++;
		m->digest = digest_u64(m->digest, ev->time - m->epoch);
		m->digest = digest_u64(m->digest, (u64)ev->cpu << 32 | ev->type);
		m->digest = digest_u64(m->digest, (u64)ev->task << 32 | ev->group);
		if (ev->type == EVENT_BW_PERIOD)
			m->groups[ev->group - 1].refilled = true;
	}
	if (m->opt.on_event)
		m->opt.on_event(m->opt.ctx, ev);
}

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
	u32 i;
	int cpu;

	settle(m);
	m->window_open = true;
	for (i = 0; i < m->nr_groups; i++) {
		lab_group_stat(m->lab, m->groups[i].tg, &m->groups[i].base);
		m->groups[i].nr_periods = 0;
		m->groups[i].period_open = false;
	}
	for (t = m->threads; t; t = t->next) {
		stat_of(m, t, &t->base);
		t->work_base = t->work;
		t->loops_base = t->loops;
	}
	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		machine_cpu(m, cpu)->usage_base = machine_cpu(m, cpu)->usage;
	memcpy(m->events_base, m->events, sizeof(m->events));
	m->nr_stat_runtime_base = m->nr_stat_runtime;
}

/* ---- periods ---- */

static void keep_period(struct mgroup *g, const struct period_record *rec)
{
	if (g->nr_periods == g->cap_periods) {
		u32 cap = g->cap_periods ? 2 * g->cap_periods : 64;
		struct period_record *more = realloc(g->periods, cap * sizeof(*more));

		if (!more)
			return;
		g->periods = more;
		g->cap_periods = cap;
	}
	g->periods[g->nr_periods++] = *rec;
}

/* The interval since the last refill of @g is over. */
static void close_period(struct machine *m, struct mgroup *g, const struct group_stat *st)
{
	const struct group_stat *last = &g->last;
	u32 cpus = lab_group_charged_cpus(m->lab, g->tg);
	s64 owed = 0, kept = 0;
	struct period_record rec;

	lab_group_held(m->lab, g->tg, &kept, &owed);
	rec = (struct period_record){
		.start = g->period_start - m->epoch,
		.granted = last->ledger.pool,
		.charged = st->ledger.charged - last->ledger.charged,
		.stranded = (u64)kept + (st->ledger.lost - last->ledger.lost),
		.debt = (u64)owed,
		.throttled = st->throttled_time - last->throttled_time,
		.cpus = cpus,
		.throttled_cpus_end = (u32)st->throttled_cpus,
	};
	if (g->period_open)
		keep_period(g, &rec);
}

void measure_periods(struct machine *m)
{
	u32 i;

	for (i = 0; i < m->nr_groups; i++) {
		struct mgroup *g = &m->groups[i];
		struct group_stat st;

		if (!g->refilled)
			continue;
		g->refilled = false;
		lab_group_stat(m->lab, g->tg, &st);
		close_period(m, g, &st);
		g->last = st;
		g->period_start = m->now;
		g->period_open = true;
	}
}

/* ---- the result ---- */

static struct group_stat minus(struct group_stat a, const struct group_stat *b)
{
	a.usage -= b->usage;
	a.nr_periods -= b->nr_periods;
	a.nr_throttled -= b->nr_throttled;
	a.throttled_time -= b->throttled_time;
	a.nr_bursts -= b->nr_bursts;
	a.burst_time -= b->burst_time;
	a.throttled_local -= b->throttled_local;
	return a;
}

static bool group_results(struct machine *m, struct result *res)
{
	u32 i;

	res->groups = calloc(m->nr_groups + 1, sizeof(*res->groups));
	if (!res->groups)
		return false;
	res->nr_groups = m->nr_groups;
	for (i = 0; i < m->nr_groups; i++) {
		struct mgroup *g = &m->groups[i];
		struct group_result *out = &res->groups[i];

		lab_group_stat(m->lab, g->tg, &out->stat);
		out->stat = minus(out->stat, &g->base);
		out->path = g->path;
		out->active_periods = out->stat.nr_periods;
		out->wall_periods = (res->end - res->start) / out->stat.period;
		out->periods = g->periods; /* handed over */
		out->nr_periods = g->nr_periods;
		out->cap_periods = g->cap_periods;
		g->periods = NULL;
		g->nr_periods = g->cap_periods = 0;
	}
	return true;
}

static void add_thread(struct task_result *task, const struct thread_result *thread)
{
	struct thread_result *sum = &task->sum;

	sum->runtime += thread->runtime;
	sum->loops += thread->loops;
	sum->work += thread->work;
	sum->wait_throttled += thread->wait_throttled;
	sum->wait_contended += thread->wait_contended;
	sum->nvcsw += thread->nvcsw;
	sum->nivcsw += thread->nivcsw;
	sum->migrations += thread->migrations;
	sum->longest_pause = max_u64(sum->longest_pause, thread->longest_pause);
	samples_merge(&sum->latency, &thread->latency);
	samples_merge(&sum->wakeup_latency, &thread->wakeup_latency);
}

/* Work done up to now, the run in progress included. */
static u64 work_now(struct machine *m, struct thread *t)
{
	struct mcpu *c = t->p ? machine_cpu(m, lab_task_cpu(t->p)) : NULL;

	return t->work + (c && c->curr == t ? cpu_progress(c) : 0);
}

static void thread_figures(struct machine *m, struct thread *t, struct thread_result *out)
{
	struct task_stat st;

	stat_of(m, t, &st);
	*out = (struct thread_result){
		.runtime = st.runtime - t->base.runtime,
		.loops = worker_loops(t->worker) - t->loops_base,
		.work = work_now(m, t) - t->work_base,
		.longest_pause = st.longest_pause,
		.wait_throttled = st.wait_throttled - t->base.wait_throttled,
		.wait_contended = st.wait_contended - t->base.wait_contended,
		.nvcsw = st.nvcsw - t->base.nvcsw,
		.nivcsw = st.nivcsw - t->base.nivcsw,
		.migrations = st.migrations - t->base.migrations,
		.cpu = t->last_cpu,
		.latency = t->latency,
		.wakeup_latency = t->wakeup_latency,
	};
	memset(&t->latency, 0, sizeof(t->latency)); /* handed over */
	memset(&t->wakeup_latency, 0, sizeof(t->wakeup_latency));
}

static bool room_for_threads(struct machine *m, struct result *res)
{
	u32 task;

	for (task = 0; task < res->nr_tasks; task++) {
		res->tasks[task].name = m->sc->tasks[task].name;
		res->tasks[task].group = m->sc->tasks[task].group ? m->sc->tasks[task].group : "/";
		res->tasks[task].threads = calloc(m->instances[task] + 1, sizeof(*res->tasks[task].threads));
		if (!res->tasks[task].threads)
			return false;
	}
	return true;
}

static bool task_results(struct machine *m, struct result *res)
{
	struct thread *t;
	u32 task;

	res->nr_tasks = m->sc->nr_tasks;
	res->tasks = calloc(res->nr_tasks + 1, sizeof(*res->tasks));
	if (!res->tasks || !room_for_threads(m, res))
		return false;
	for (t = m->threads; t; t = t->next) {
		struct task_result *out = &res->tasks[t->task];
		struct thread_result *thread = &out->threads[out->count++];

		thread_figures(m, t, thread);
		add_thread(out, thread);
		if (!m->opt.want_threads) {
			samples_free(&thread->latency);
			samples_free(&thread->wakeup_latency);
		}
	}
	for (task = 0; task < res->nr_tasks; task++)
		res->tasks[task].iterations =
			(u64)((unsigned __int128)res->tasks[task].sum.work * m->sc->tasks[task].iterations_per_ms / MS);
	return true;
}

static u64 digest_group(u64 digest, const struct group_result *g)
{
	const struct group_stat *st = &g->stat;
	const u64 v[] = { st->usage, st->nr_periods, st->nr_throttled, st->throttled_time, st->nr_bursts, st->burst_time,
			  st->ledger.granted, (u64)st->ledger.created, st->ledger.pool, (u64)st->ledger.held,
			  st->ledger.charged, st->ledger.lost };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++)
		digest = digest_u64(digest, v[i]);
	return digest;
}

static u64 digest_task(u64 digest, const struct task_result *task)
{
	const struct thread_result *t = &task->sum;
	const u64 v[] = { task->count, t->runtime, t->loops, t->work, t->nvcsw, t->nivcsw, t->migrations };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++)
		digest = digest_u64(digest, v[i]);
	return digest;
}

static u64 final_digest(const struct machine *m, const struct result *res)
{
	u64 digest = m->digest;
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		digest = digest_group(digest, &res->groups[i]);
	for (i = 0; i < res->nr_tasks; i++)
		digest = digest_task(digest, &res->tasks[i]);
	digest = digest_u64(digest, m->nr_stat_runtime);
	return digest_u64(digest, m->events[EVENT_SCHED_STAT_RUNTIME]);
}

static bool cpu_results(struct machine *m, struct result *res)
{
	int cpu;

	res->nr_cpus = m->nr_cpus;
	res->cpu_usage = calloc((size_t)m->nr_cpus, sizeof(*res->cpu_usage));
	if (!res->cpu_usage)
		return false;
	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		res->cpu_usage[cpu] = machine_cpu(m, cpu)->usage - machine_cpu(m, cpu)->usage_base;
	return true;
}

struct result *measure_result(struct machine *m)
{
	struct result *res = calloc(1, sizeof(*res));
	int i;

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
	if (!group_results(m, res) || !task_results(m, res) || !cpu_results(m, res)) {
		result_free(res);
		return NULL;
	}
	res->writes = m->writes; /* handed over */
	res->nr_writes = m->nr_writes;
	m->writes = NULL;
	m->nr_writes = m->cap_writes = 0;
	for (i = 0; i < NR_EVENT_TYPES; i++)
		res->events[i] = m->events[i] - m->events_base[i];
	res->nr_stat_runtime = m->nr_stat_runtime - m->nr_stat_runtime_base;
	res->digest = final_digest(m, res);
	return res;
}
