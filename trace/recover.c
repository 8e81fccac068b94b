/* SPDX-License-Identifier: MIT */
/* recover.c - the threads of a group, who wakes whom, and the scenario in which their programs run again. */
#include "trace/recover_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/figures.h"
#include "trace/split.h"
#include "trace/waits.h"

#define DEFAULT_HZ 250
#define POLICY_FIFO 1	 /* enum sched_policy of core/lab.h */
#define POLLS_LEAST 5	 /* throttles, before off the tick means anything */
#define POLLS_SHARE 30	 /* percent of them on a tick, at most: chance would put 5 there at 250 Hz */
#define BEHIND_TICK (200 * US)
#define ENDLESS_FACTOR 3 /* a last burst so much longer than the usual one has no end of its own */

/* "burn-25769": a task's name as data, with what paths and terminals mind replaced. */
static char *name_of(struct builder *b, u32 task, bool with_pid)
{
	const struct trace_task *t = &b->tr->tasks[task];
	char buf[TRACE_NAME_MAX + 16];

	snprintf(buf, sizeof(buf), with_pid ? "%s-%d" : "%s", t->name[0] ? t->name : "task", t->pid);
	for (char *p = buf; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 127)
			*p = '_';
	return arena_strdup(&b->rec->sc.mem, buf);
}

/* ---- which threads, and their bursts ---- */

static int load_threads(struct builder *b, bool context_known)
{
	u32 nr_tasks = b->tr->nr_tasks;

	b->thread_of = malloc((nr_tasks + 1) * sizeof(*b->thread_of));
	b->bursts = calloc(nr_tasks + 1, sizeof(*b->bursts));
	if (!b->thread_of || !b->bursts)
		return -1;
	for (u32 t = 0; t < nr_tasks; t++) {
		struct bursts *bursts = &b->bursts[b->nr];

		b->thread_of[t] = TRACE_NO_TASK;
		if (!b->member[t] || t == TRACE_IDLE)
			continue;
		if (bursts_init(bursts, b->tl, t) || bursts_judge(bursts, b->member, context_known))
			return -1;
		if (bursts->nr)
			b->thread_of[t] = b->nr++;
		else
			bursts_fini(bursts);
	}
	return 0;
}

static int by_waker(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->wakee < y->wakee ? -1 : x->wakee > y->wakee;
}

/* Every wake by a thread of the group whose own program is known becomes an edge; the others come from outside. */
static int load_edges(struct builder *b, bool no_edges)
{
	u64 n = 0;

	for (u32 i = 0; i < b->nr; i++)
		n += b->bursts[i].wakes[WAKE_TASK];
	b->edges = malloc((n + 1) * sizeof(*b->edges));
	if (!b->edges)
		return -1;
	for (u32 i = 0; i < b->nr; i++) {
		struct bursts *bursts = &b->bursts[i];

		for (u64 j = 0; j < bursts->nr; j++) {
			struct burst *burst = &bursts->v[j];
			u32 waker = burst->kind == WAKE_TASK ? b->thread_of[burst->by] : TRACE_NO_TASK;

			if (burst->kind != WAKE_TASK)
				continue;
			if (waker == TRACE_NO_TASK || waker == i || no_edges) {
				burst->kind = WAKE_OUTSIDE;
				bursts->wakes[WAKE_TASK]--;
				bursts->wakes[WAKE_OUTSIDE]++;
				continue;
			}
			b->edges[b->nr_edges++] = (struct edge){ waker, i, burst->wake };
		}
	}
	b->rec->edges = b->nr_edges;
	return 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	return x->t < y->t ? -1 : x->t > y->t;
}

/* Of requests of one thread that overlap, as nested ones do, the first counts. */
static int load_requests(struct builder *b, const struct request *v, u64 nr)
{
	struct trace_figures *f = &b->rec->figures;
	struct edge *edges = realloc(b->edges, (b->nr_edges + 2 * nr + 1) * sizeof(*edges)), *all = malloc((nr + 1) * sizeof(*all));
	u64 n = 0, until = 0;

	b->edges = edges ? edges : b->edges;
	f->latency = edges && all ? malloc((nr + 1) * sizeof(*f->latency)) : NULL;
	for (u64 i = 0; f->latency && i < nr; i++)
		if (b->thread_of[v[i].task] != TRACE_NO_TASK)
			all[n++] = (struct edge){ b->thread_of[v[i].task], (u32)i, v[i].from };
	if (f->latency)
		qsort(all, n, sizeof(*all), by_thread);
	for (u64 i = 0; f->latency && i < n; i++) {
		const struct request *r = &v[all[i].wakee];

		if (i && all[i].waker == all[i - 1].waker && r->from < until)
			continue;
		until = r->to;
		b->edges[b->nr_edges++] = (struct edge){ all[i].waker, MARK_BEGINS, r->from };
		b->edges[b->nr_edges++] = (struct edge){ all[i].waker, MARK_ENDS, r->to };
		f->latency[f->nr_latency++] = r->to - r->from;
	}
	free(all);
	if (!f->latency)
		return -1;
	sort_u64(f->latency, f->nr_latency);
	b->rec->by_marks = true;
	return 0;
}

/* ---- resources ---- */

static u32 add_resource(struct builder *b, enum resource_kind kind, u32 thread)
{
	struct scenario *sc = &b->rec->sc;
	struct resource_spec *res = &sc->resources[sc->nr_resources];
	const char *what = kind == RES_TIMER ? "timer" : kind == RES_SEM ? "wakes" : "arrivals";
	char buf[TRACE_NAME_MAX + 32];

	snprintf(buf, sizeof(buf), "%s %s", what, sc->tasks[thread].name);
	*res = (struct resource_spec){ .kind = kind, .name = arena_strdup(&sc->mem, buf), .absolute = kind == RES_TIMER };
	return sc->nr_resources++;
}

/* When the outside woke thread @i, from the scenario's start. */
static int load_arrivals(struct builder *b, u32 i)
{
	const struct bursts *bursts = &b->bursts[i];
	u64 *times = recover_mem(b, bursts->wakes[WAKE_OUTSIDE] + 1, sizeof(*times));
	struct resource_spec *res;
	u32 nr = 0;

	if (!times)
		return -1;
	for (u64 j = 1; j < bursts->nr; j++)
		if (bursts->v[j].kind == WAKE_OUTSIDE)
			times[nr++] = bursts->v[j].wake - b->rec->t0;
	b->arrivals[i] = add_resource(b, RES_ARRIVAL, i);
	res = &b->rec->sc.resources[b->arrivals[i]];
	res->times = times;
	res->nr_times = nr;
	return 0;
}

static int add_resources(struct builder *b)
{
	struct scenario *sc = &b->rec->sc;

	sc->resources = recover_mem(b, 3 * (u64)b->nr + 2, sizeof(*sc->resources));
	b->timers = recover_mem(b, b->nr, sizeof(u32));
	b->sems = recover_mem(b, b->nr, sizeof(u32));
	b->arrivals = recover_mem(b, b->nr, sizeof(u32));
	if (!sc->resources || !b->timers || !b->sems || !b->arrivals)
		return -1;
	for (u32 i = 0; i < b->nr; i++) {
		const u64 *wakes = b->bursts[i].wakes;

		b->timers[i] = wakes[WAKE_PERIOD] ? add_resource(b, RES_TIMER, i) : REF_NONE;
		b->sems[i] = wakes[WAKE_TASK] ? add_resource(b, RES_SEM, i) : REF_NONE;
		b->arrivals[i] = REF_NONE;
		if (wakes[WAKE_OUTSIDE] && load_arrivals(b, i))
			return -1;
	}
	b->span = REF_NONE;
	if (b->rec->by_marks) {
		b->span = sc->nr_resources++;
		sc->resources[b->span] = (struct resource_spec){ .kind = RES_SPAN, .name = "requests" };
	}
	return 0;
}

/* ---- threads ---- */

/*
 * Where do throttles begin?  A quota runs out between ticks, but is found to be out when running is charged: at a tick, as a
 * rule.  A thread that is mostly stopped elsewhere is charged more often.
 */
static void count_stops(struct builder *b)
{
	const struct tick_guess *ticks = b->ticks;

	for (u64 i = 0; i < b->guess->nr_gaps; i++) {
		const struct gap *gap = &b->guess->gaps[i];
		struct recovered_thread *t;

		if (gap->kind != GAP_THROTTLE || b->thread_of[gap->task] == TRACE_NO_TASK)
			continue;
		t = &b->rec->threads[b->thread_of[gap->task]];
		t->throttled = true;
		if (!ticks->hz || (gap->flags & (SPAN_WOKEN | SPAN_PUSHED)))
			continue;
		t->stops++;
		t->stops_on_tick += (gap->start - ticks->phase) % (SEC / ticks->hz) < BEHIND_TICK;
	}
	for (u32 i = 0; i < b->nr; i++) {
		struct recovered_thread *t = &b->rec->threads[i];

		t->polls_clock = t->stops >= POLLS_LEAST && t->stops_on_tick * 100 <= t->stops * POLLS_SHARE;
	}
}

static enum wake_kind most_of(const u64 *wakes)
{
	int best = WAKE_SLEEP;

	for (int k = WAKE_SLEEP; k < NR_WAKE_KINDS; k++)
		if (wakes[k] > wakes[best])
			best = k;
	return wakes[best] ? (enum wake_kind)best : WAKE_START;
}

static bool describe(struct builder *b, u32 i)
{
	struct recovered_thread *t = &b->rec->threads[i];
	const struct bursts *bursts = &b->bursts[i];
	const struct burst *last = &bursts->v[bursts->nr - 1];
	u64 *values = malloc((bursts->nr + 1) * sizeof(*values)), n = 0;

	if (!values)
		return false;
	*t = (struct recovered_thread){ .task = bursts->task, .cpu = bursts->cpu, .regular = bursts->regular,
					.length = bursts->length, .settled = bursts->settled };
	memcpy(t->wakes, bursts->wakes, sizeof(t->wakes));
	for (u64 j = 0; j < bursts->nr; j++)
		if (bursts->v[j].complete)
			values[n++] = bursts->v[j].cpu;
	sort_u64(values, n);
	t->bursts = n;
	t->run_p50 = nearest_rank(values, n, 50);
	t->run_min = n ? values[0] : 0;
	t->run_max = n ? values[n - 1] : 0;
	for (u64 j = 1; j < bursts->nr; j++)
		values[j - 1] = bursts->v[j].wake - bursts->v[j - 1].end;
	sort_u64(values, bursts->nr - 1);
	t->sleep_p50 = nearest_rank(values, bursts->nr - 1, 50);
	t->kind = most_of(t->wakes);
	t->last_wake = last->wake - min_u64(last->wake, b->rec->t0);
	t->exited = last->dead;
	t->busy_to_end = !last->complete && !last->dead && last->cpu > ENDLESS_FACTOR * t->run_p50;
	free(values);
	return true;
}

static bool fill_workload(struct builder *b, u32 i)
{
	struct workload *w = &b->rec->sc.tasks[i];
	const struct bursts *bursts = &b->bursts[i];
	const struct burst *first = &bursts->v[0];
	s16 prio = b->tr->tasks[bursts->task].prio;

	*w = (struct workload){ .name = name_of(b, bursts->task, true), .instances = 1, .group = b->rec->sc.groups[0].path };
	w->joins = b->timers[i] == REF_NONE; /* expiries are told apart in a recording too */
	w->nice = prio >= 100 && prio < 140 ? prio - 120 : 0;
	if (prio > 0 && prio < 100) { /* above fair: printed numbers count down */
		w->policy = POLICY_FIFO;
		w->rt_priority = prio < 99 ? 99 - prio : 1;
	}
	w->delay = first->wake - b->rec->t0;
	return w->name != NULL;
}

static int fill_scenario(struct builder *b, const struct recover_ask *ask, u32 hz)
{
	struct scenario *sc = &b->rec->sc;
	char path[TRACE_NAME_MAX + 2];

	sc->machine.cpus = ask->cpus ? ask->cpus : (int)max_u64((u64)b->tr->cpus, 1);
	sc->machine.hz = hz;
	sc->machine.cgroup = 2;
	sc->machine.costs = costs_none();
	if (ask->kernel)
		sc->kernel.row = arena_strdup(&sc->mem, ask->kernel);
	sc->duration = trace_last(b->tr) - b->rec->t0 + 1;
	sc->tasks = recover_mem(b, b->nr, sizeof(*sc->tasks));
	sc->groups = recover_mem(b, 1, sizeof(*sc->groups));
	b->rec->threads = recover_mem(b, b->nr, sizeof(*b->rec->threads));
	b->rec->counts = recover_mem(b, b->nr, sizeof(*b->rec->counts));
	snprintf(path, sizeof(path), "/%s", ask->name);
	for (char *p = path + 1; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 127)
			*p = '_';
	if (!sc->tasks || !sc->groups || !b->rec->threads || !b->rec->counts)
		return -1;
	sc->nr_groups = 1;
	sc->groups[0] = (struct group_spec){ .path = arena_strdup(&sc->mem, path), .declared = true };
	sc->name = sc->groups[0].path + 1;
	sc->nr_tasks = b->nr;
	return 0;
}

struct named {
	const char *name;
	u32 thread;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->thread < y->thread ? -1 : x->thread > y->thread;
}

static bool find_kinds(struct builder *b)
{
	struct named *all = malloc(b->nr * sizeof(*all));
	u32 kind = 0;
	bool fits;

	b->kind_of = recover_mem(b, b->nr, sizeof(*b->kind_of));
	b->kind_sleeps = recover_mem(b, b->nr, sizeof(*b->kind_sleeps));
	for (u32 i = 0; all && i < b->nr; i++)
		all[i] = (struct named){ b->tr->tasks[b->bursts[i].task].name, i };
	if (all)
		qsort(all, b->nr, sizeof(*all), by_name);
	for (u32 k = 0; all && b->kind_of && b->kind_sleeps && k < b->nr; k++) {
		u32 i = all[k].thread;

		if (!k || strcmp(all[k].name, all[k - 1].name))
			kind = i;
		b->kind_of[i] = kind;
		b->kind_sleeps[kind] |= b->bursts[i].nr > 1;
	}
	fits = all && b->kind_of && b->kind_sleeps;
	free(all);
	return fits;
}

/* Bursts in which throttled threads did several pieces of work become those; figures have been counted before. */
static bool split(struct builder *b)
{
	u64 *begins = malloc(b->nr * sizeof(*begins)); /* of the last bursts */
	bool fits = begins;

	for (u32 i = 0; fits && i < b->nr; i++) {
		begins[i] = b->bursts[i].v[b->bursts[i].nr - 1].start;
		for (u64 j = 0; j < b->bursts[i].nr; j++)
			b->bursts[i].v[j].whole = recover_wakes_others(b, i, &b->bursts[i].v[j]);
	}
	fits = fits && !split_bursts(b->bursts, b->nr, b->kind_of, b->tl, b->guess);
	for (u32 i = 0; fits && i < b->nr; i++)
		for (u64 j = b->bursts[i].nr; j && b->bursts[i].v[j - 1].start >= begins[i]; j--)
			b->rec->threads[i].last_turns++;
	free(begins);
	return fits;
}

/* ---- what set bursts going ---- */

struct place_of {
	u64 wake;
	u32 thread;
	u64 burst;
};

static int by_wake(const void *a, const void *b)
{
	const struct place_of *x = a, *y = b;

	if (x->wake != y->wake)
		return x->wake < y->wake ? -1 : 1;
	return x->thread != y->thread ? (x->thread < y->thread ? -1 : 1) : (x->burst > y->burst) - (x->burst < y->burst);
}

/* The last burst of @bursts that was woken before @t; NULL: none. */
static const struct burst *burst_before(const struct bursts *bursts, u64 t)
{
	u64 lo = 0, hi = bursts->nr;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (bursts->v[mid].wake < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &bursts->v[lo - 1] : NULL;
}

static u64 origin_of(const struct builder *b, const struct place_of *p)
{
	const struct burst *burst = &b->bursts[p->thread].v[p->burst], *by;
	u32 waker;

	if (burst->kind != WAKE_TASK)
		return burst->wake;
	waker = b->thread_of[burst->by];
	by = burst_before(&b->bursts[waker], burst->wake);
	return by ? b->origins[b->origin_from[waker] + (u64)(by - b->bursts[waker].v)] : burst->wake;
}

/* A burst that another thread set going has the origin of the burst in which that one did it: in order of time it is known already. */
static bool find_origins(struct builder *b)
{
	struct place_of *all;
	u64 nr = 0;

	b->origin_from = recover_mem(b, b->nr, sizeof(*b->origin_from));
	for (u32 i = 0; b->origin_from && i < b->nr; i++) {
		b->origin_from[i] = nr;
		nr += b->bursts[i].nr;
	}
	b->origins = recover_mem(b, nr + 1, sizeof(*b->origins));
	all = malloc((nr + 1) * sizeof(*all));
	nr = 0;
	for (u32 i = 0; b->origin_from && all && i < b->nr; i++)
		for (u64 j = 0; j < b->bursts[i].nr; j++)
			all[nr++] = (struct place_of){ b->bursts[i].v[j].wake, i, j };
	if (all)
		qsort(all, nr, sizeof(*all), by_wake);
	for (u64 k = 0; b->origins && all && k < nr; k++)
		b->origins[b->origin_from[all[k].thread] + all[k].burst] = origin_of(b, &all[k]);
	free(all);
	return b->origins && all;
}

static int build(struct builder *b, const struct recover_ask *ask, u32 hz)
{
	if (fill_scenario(b, ask, hz) || load_edges(b, ask->no_edges) || (ask->nr_requests && load_requests(b, ask->requests, ask->nr_requests)))
		return -1;
	qsort(b->edges, b->nr_edges, sizeof(*b->edges), by_waker);
	for (u32 i = 0; i < b->nr; i++) {
		b->rec->sc.tasks[i].name = name_of(b, b->bursts[i].task, true);
		if (!describe(b, i))
			return -1;
	}
	count_stops(b);
	if (count_figures(b->rec, b->tl, b->guess, b->bursts, b->member) || !find_kinds(b) || !split(b) || !find_origins(b) || add_resources(b))
		return -1;
	for (u32 i = 0; i < b->nr; i++)
		if (!fill_workload(b, i) || !recover_program(b, i))
			return -1;
	return 0;
}

int recover(struct recovered *rec, const struct trace *tr, const struct timeline *tl, const struct throttle_guess *guess,
	    const struct tick_guess *ticks, const bool *member, const struct recover_ask *ask, struct err *err)
{
	struct builder b = { .rec = rec, .tr = tr, .tl = tl, .guess = guess, .ticks = ticks, .member = member, .bounded = ask->bounded };
	u32 hz = ask->hz ? ask->hz : DEFAULT_HZ;
	u64 tick = SEC / hz, first = trace_first(tr), phase = ticks->hz == hz ? ticks->phase : 0;
	int ret = -1;

	memset(rec, 0, sizeof(*rec));
	scenario_init(&rec->sc);
	rec->t0 = first - min_u64(first, (first % tick + tick - phase) % tick);
	if (load_threads(&b, tr->saw_context) || (!ask->others_run && waits_count(b.bursts, b.nr, tl, (int)max_u64((u64)tr->cpus, 1), guess)))
		err_set(err, ERR_HOST, "out of memory for the threads of the trace");
	else if (!b.nr)
		err_set(err, ERR_INPUT, ask->asked ? "none of the threads asked for ever ran in this trace" : "no thread ever ran in this trace: it holds no sched_switch to or from one");
	else if (build(&b, ask, hz))
		err_set(err, ERR_HOST, "out of memory for the program of the trace");
	else
		ret = 0;
	for (u32 i = 0; i < b.nr; i++)
		bursts_fini(&b.bursts[i]);
	free(b.bursts);
	free(b.thread_of);
	free(b.edges);
	free(b.turns);
	free(b.runs);
	free(b.posts);
	return ret;
}

void recover_fini(struct recovered *rec)
{
	free(rec->figures.latency);
	free(rec->figures.by_thread);
	free(rec->figures.from);
	scenario_free(&rec->sc);
	memset(rec, 0, sizeof(*rec));
}

static void add_write(struct limited *out, const char *file, const char *value)
{
	out->writes[out->group.nr_writes++] = (struct write_spec){ .group = out->group.path, .file = file, .value = value };
}

void recover_under(struct limited *out, const struct scenario *sc, const struct recover_limit *limit)
{
	out->sc = *sc;
	out->group = sc->groups[0];
	out->sc.groups = &out->group;
	out->group.writes = out->writes;
	out->group.nr_writes = 0;
	out->group.phase_set = true;
	out->group.phase = limit->period ? limit->phase % limit->period : 0;
	if (limit->quota == NEVER)
		return;
	snprintf(out->max, sizeof(out->max), "%" PRIu64 " %" PRIu64, limit->quota / US, limit->period / US);
	add_write(out, "cpu.max", out->max);
	if (!limit->burst)
		return;
	snprintf(out->burst, sizeof(out->burst), "%" PRIu64, limit->burst / US);
	add_write(out, "cpu.max.burst", out->burst);
}
