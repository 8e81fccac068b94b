/* SPDX-License-Identifier: MIT */
/*
 * light_recover.c - what threads wanted, from what they used.
 *
 *	uses of a thread --> runs: released when, how long --> a program		for each way
 */
#include "trace/light_recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_PERCENT 95 /* of the time between two polls ready or running: it did not sleep, as far as counters tell */
#define TOUCH (5 * MS)	/* what was charged at a tick may have been used a tick before */
#define PIECES_MOST 64	/* of one use */
#define PIECE_LEAST (20 * US)
#define DEFAULT_HZ 250

/* A run that a thread wants. */
struct want {
	u64 at;	 /* ns of the scenario: when it is released; closed: after how long a sleep */
	u64 run; /* ns */
};

struct builder {
	struct recovered *rec;
	const struct light *l;
	const u32 *threads; /* of l->threads: those that ran */
	u64 t0, end;
	struct want *v; /* of the thread at hand */
	u64 nr, cap;
	bool closed;
};

static void *mem(struct builder *b, u64 nr, size_t size) { return arena_alloc(&b->rec->sc.mem, nr * size); }

static bool add(struct builder *b, u64 at, u64 run)
{
	if (b->nr == b->cap) {
		u64 cap = b->cap ? b->cap * 2 : 256;
		struct want *v = realloc(b->v, cap * sizeof(*v));

		if (!v)
			return false;
		b->v = v;
		b->cap = cap;
	}
	if (!b->closed && b->nr)
		at = max_u64(at, b->v[b->nr - 1].at); /* releases are in order */
	b->v[b->nr++] = (struct want){ at, max_u64(run, 1) };
	return true;
}

/* ---- uses ---- */

static u64 ready(const struct light_use *u) { return u->run + u->wait; }

static bool is_busy(const struct light_use *u) { return ready(u) * 100 >= (u->to - u->from) * BUSY_PERCENT; }

/* Its waiting began before the poll at @from: it is counted when it ends. */
static u64 began(const struct light_use *u) { return u->to - min_u64(ready(u), u->to); }

/* Does @next go on with what @u was at? */
static bool goes_on(const struct light_use *u, const struct light_use *next)
{
	bool touch = u->to + TOUCH >= min_u64(next->from, began(next));

	return touch && (is_busy(next) || is_busy(u));
}

/* How many of the uses from @i on are one run. */
static u32 joined(const struct light_thread *t, u32 i)
{
	u32 nr = 1;

	while (i + nr < t->nr && goes_on(&t->uses[i + nr - 1], &t->uses[i + nr]))
		nr++;
	return nr;
}

static u64 pieces(const struct light_use *u)
{
	return max_u64(1, min_u64(min_u64(u->slices, PIECES_MOST), u->run / PIECE_LEAST));
}

/* Piece @k of @n of @u. */
static u64 piece(const struct light_use *u, u64 k, u64 n) { return u->run / n + (k < u->run % n); }

/* ---- ways with release times ---- */

static bool place_alone(struct builder *b, const struct light_use *u, enum light_way way)
{
	u64 len = u->to - u->from, from = u->from - b->t0, n = way == LIGHT_SPREAD ? pieces(u) : 1;

	if (way == LIGHT_LATE)
		return add(b, max_u64(began(u), u->from) - b->t0, u->run);
	for (u64 k = 0; k < n; k++)
		if (!add(b, from + (way == LIGHT_SPREAD ? len * (2 * k + 1) / (2 * n) : 0), piece(u, k, n)))
			return false;
	return true;
}

static bool place(struct builder *b, const struct light_thread *t, enum light_way way)
{
	for (u32 i = 0, nr; i < t->nr; i += nr) {
		u64 run = 0;

		nr = joined(t, i);
		for (u32 k = 0; k < nr; k++)
			run += t->uses[i + k].run;
		if (!run)
			continue;
		if (nr == 1 && !is_busy(&t->uses[i])) {
			if (!place_alone(b, &t->uses[i], way))
				return false;
		} else if (!add(b, max_u64(began(&t->uses[i]), b->t0) - b->t0, run)) {
			return false;
		}
	}
	return true;
}

/* ---- the way with sleeps ---- */

static bool place_closed(struct builder *b, const struct light_thread *t)
{
	u64 sleep = t->nr && t->uses[0].from > b->t0 ? t->uses[0].from - b->t0 : 0, last = t->nr ? t->uses[0].from : 0;

	for (u32 i = 0; i < t->nr; i++) {
		const struct light_use *u = &t->uses[i];
		u64 start = min_u64(u->from, began(u)), len = u->to - u->from, n = is_busy(u) ? 1 : pieces(u);
		u64 idle = len > ready(u) ? len - ready(u) : 0;

		sleep += start > last ? start - last : 0;
		last = u->to;
		if (is_busy(u) && b->nr && !sleep) {
			b->v[b->nr - 1].run += u->run;
			continue;
		}
		for (u64 k = 0; u->run && k < n; k++) {
			if (!add(b, sleep + idle / (2 * n), piece(u, k, n)))
				return false;
			sleep = idle / (2 * n);
		}
		if (!u->run)
			sleep += idle;
	}
	return true;
}

/* ---- programs ---- */

/* Runs of the thread at hand as a list of lengths. */
static struct dist lengths(struct builder *b, bool of_sleep)
{
	u64 *values = mem(b, b->nr, sizeof(*values));

	for (u64 i = 0; values && i < b->nr; i++)
		values[i] = max_u64(of_sleep ? b->v[i].at : b->v[i].run, 1);
	return (struct dist){ .kind = DIST_EMPIRICAL, .values = values, .a = values ? values[0] : 0, .nr = values ? (u32)b->nr : 0 };
}

static bool add_arrivals(struct builder *b, struct recover_way *way, struct workload *w, u32 *ref)
{
	u64 *times = mem(b, b->nr, sizeof(*times));
	char name[TRACE_NAME_MAX + 40];

	snprintf(name, sizeof(name), "arrivals %.50s", w->name);
	*ref = way->nr_resources++;
	way->resources[*ref] = (struct resource_spec){ .kind = RES_ARRIVAL, .name = arena_strdup(&b->rec->sc.mem, name), .times = times,
						       .nr_times = (u32)b->nr };
	for (u64 i = 0; times && i < b->nr; i++)
		times[i] = b->v[i].at;
	return times && way->resources[*ref].name;
}

/* One phase: wait, run; as often as there are runs. */
static bool build_program(struct builder *b, struct recover_way *way, struct workload *w)
{
	struct program *p = &w->program;
	struct step *steps = mem(b, 3, sizeof(*steps));
	struct phase *phase = mem(b, 1, sizeof(*phase));
	u32 ref = REF_NONE;

	if (!steps || !phase || (!b->closed && !add_arrivals(b, way, w, &ref)))
		return false;
	steps[0] = (struct step){ .kind = b->closed ? STEP_SLEEP : STEP_ARRIVE, .ref = ref, .ref2 = REF_NONE };
	steps[1] = (struct step){ .kind = STEP_RUN, .ref = REF_NONE, .ref2 = REF_NONE, .len = lengths(b, false) };
	if (b->closed)
		steps[0].len = lengths(b, true);
	*phase = (struct phase){ .name = "", .loop = (s64)b->nr, .nr = 2 };
	*p = (struct program){ .loop = 1, .until = REF_NONE, .phases = phase, .nr_phases = 1, .steps = steps, .nr_steps = 2 };
	return steps[1].len.values && (!b->closed || steps[0].len.values);
}

/* A thread that was busy up to the last poll may have wanted any more. */
static bool is_busy_to_end(const struct builder *b, const struct light_thread *t)
{
	const struct light_use *last = &t->uses[t->nr - 1];

	return !t->gone && is_busy(last) && last->to + TOUCH >= b->end;
}

/* It was ready or running all the time, as far as counters tell. */
static bool never_slept(const struct builder *b, const struct light_thread *t)
{
	u64 sum = 0;

	for (u32 i = 0; i < t->nr; i++)
		sum += ready(&t->uses[i]);
	return sum * 100 >= (b->end - b->t0) * BUSY_PERCENT;
}

static bool build_thread(struct builder *b, struct recover_way *way, enum light_way how, u32 i)
{
	const struct light_thread *t = &b->l->threads[b->threads[i]];
	struct workload *w = &way->tasks[i];
	struct recovered_thread *r = &b->rec->threads[i];

	*w = (struct workload){ .name = b->rec->sc.tasks[i].name, .instances = 1, .group = b->rec->sc.groups[0].path };
	b->nr = 0;
	if (!(b->closed ? place_closed(b, t) : place(b, t, how)) || !b->nr)
		return false;
	if (r->busy_to_end) {
		r->last_run = max_u64(r->last_run, b->v[b->nr - 1].run); /* of the way that has it in one piece */
		b->v[b->nr - 1].run += r->endless ? b->rec->sc.duration : 0;
	}
	way->bursts += b->nr;
	return build_program(b, way, w);
}

static bool build_way(struct builder *b, struct recover_way *way, enum light_way how)
{
	u32 nr = b->rec->sc.nr_tasks;

	b->closed = how == LIGHT_CLOSED;
	way->tasks = mem(b, nr, sizeof(*way->tasks));
	way->resources = mem(b, nr, sizeof(*way->resources));
	for (u32 i = 0; way->tasks && way->resources && i < nr; i++)
		if (!build_thread(b, way, how, i))
			return false;
	return way->tasks && way->resources;
}

/* ---- all of it ---- */

static char *name_of(struct builder *b, const struct light_thread *t)
{
	char buf[TRACE_NAME_MAX + 16];

	snprintf(buf, sizeof(buf), "%s-%d", t->name[0] ? t->name : "task", t->tid);
	for (char *p = buf; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 127)
			*p = '_';
	return arena_strdup(&b->rec->sc.mem, buf);
}

static bool describe(struct builder *b, u32 i)
{
	const struct light_thread *t = &b->l->threads[b->threads[i]];
	struct recovered_thread *r = &b->rec->threads[i];

	*r = (struct recovered_thread){ .task = b->threads[i], .cpu = t->run, .kind = WAKE_OUTSIDE, .run_min = NEVER, .busy_to_end = is_busy_to_end(b, t), .last_turns = 1 };
	r->endless = r->busy_to_end && never_slept(b, t);
	r->throttled = b->l->polls[b->l->nr_polls - 1].stat.nr_throttled > b->l->polls[0].stat.nr_throttled;
	for (u32 k = 0; k < t->nr; k++) {
		r->run_min = min_u64(r->run_min, t->uses[k].run);
		r->run_max = max_u64(r->run_max, t->uses[k].run);
	}
	b->rec->counts[i] = true;
	b->rec->sc.tasks[i].name = name_of(b, t);
	return b->rec->sc.tasks[i].name;
}

static bool fill(struct builder *b, const struct recover_ask *ask, u32 nr)
{
	struct scenario *sc = &b->rec->sc;
	const struct trace_facts *f = &b->l->facts;
	char path[80];

	sc->machine.cpus = ask->cpus ? ask->cpus : (int)max_u64(f->cpus, 1);
	sc->machine.hz = ask->hz ? ask->hz : f->hz ? f->hz : DEFAULT_HZ;
	sc->machine.cgroup = 2;
	sc->machine.costs = costs_none();
	sc->duration = b->end - b->t0;
	sc->tasks = mem(b, nr, sizeof(*sc->tasks));
	sc->groups = mem(b, 1, sizeof(*sc->groups));
	b->rec->threads = mem(b, nr, sizeof(*b->rec->threads));
	b->rec->counts = mem(b, nr, sizeof(*b->rec->counts));
	if (!sc->tasks || !sc->groups || !b->rec->threads || !b->rec->counts)
		return false;
	snprintf(path, sizeof(path), "/%s", ask->name);
	sc->nr_groups = 1;
	sc->groups[0] = (struct group_spec){ .path = arena_strdup(&sc->mem, path), .declared = true };
	sc->nr_tasks = nr;
	for (u32 i = 0; i < nr; i++)
		if (!describe(b, i))
			return false;
	sc->name = sc->groups[0].path ? sc->groups[0].path + 1 : NULL;
	return sc->name;
}

static bool build(struct builder *b, struct recover_way ways[NR_LIGHT_WAYS], const struct recover_ask *ask, u32 nr)
{
	if (!fill(b, ask, nr))
		return false;
	for (int way = 0; way < NR_LIGHT_WAYS; way++)
		if (!build_way(b, &ways[way], (enum light_way)way))
			return false;
	recover_place(&b->rec->sc, &ways[LIGHT_SPREAD]);
	return true;
}

int light_recover(struct recovered *rec, struct recover_way ways[NR_LIGHT_WAYS], const struct light *l, const struct recover_ask *ask,
		  struct err *err)
{
	struct builder b = { .rec = rec, .l = l, .t0 = l->polls[0].t, .end = l->polls[l->nr_polls - 1].t };
	u32 *threads = malloc((l->nr_threads + 1) * sizeof(*threads)), nr = 0;
	int ret = -1;

	memset(rec, 0, sizeof(*rec));
	memset(ways, 0, NR_LIGHT_WAYS * sizeof(*ways));
	scenario_init(&rec->sc);
	rec->t0 = b.t0;
	for (u32 i = 0; threads && i < l->nr_threads; i++)
		if (l->threads[i].run)
			threads[nr++] = i;
	b.threads = threads;
	if (!threads)
		err_set(err, ERR_HOST, "out of memory for the threads of the recording");
	else if (!nr)
		err_set(err, ERR_INPUT, "no thread of this recording ran, or none was looked at twice");
	else if (!build(&b, ways, ask, nr))
		err_set(err, ERR_HOST, "out of memory for the program of the recording");
	else
		ret = 0;
	rec->figures.cpu = l->polls[l->nr_polls - 1].stat.usage - l->polls[0].stat.usage;
	rec->figures.bursts = ways[LIGHT_SPREAD].bursts;
	free(threads);
	free(b.v);
	return ret;
}
