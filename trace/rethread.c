/* SPDX-License-Identifier: MIT */
/* rethread.c - collects the work of a pool, and deals it to other threads by way of a queue. */
#include "trace/rethread.h"

#include <stdlib.h>

#define FEEDER_POLICY 1 /* SCHED_FIFO of core/lab.h's enum sched_policy: it takes no time, and nobody shall make it late */
#define FEEDER_PRIO 99

struct item {
	u64 at, work; /* ns from the scenario's start; ns of CPU time */
};

struct items {
	struct item *v;
	u64 nr, cap;
};

/* Those whose bursts are in the figures, and those that use much without sleeping. */
static bool is_in_pool(const struct recovered *rec, u32 i)
{
	const struct recovered_thread *t = &rec->threads[i];

	return rec->counts[i] || t->busy_to_end || t->cpu * 20 >= rec->figures.cpu;
}

/* Its CPU time is one piece but for a burst or two, and any number of threads can share it. */
static bool is_one_run(const struct recovered *rec, u32 i) { return !rec->counts[i]; }

u32 rethread_pool(const struct recovered *rec)
{
	u32 nr = 0;

	for (u32 i = 0; i < rec->sc.nr_tasks; i++)
		nr += is_in_pool(rec, i);
	return nr;
}

static bool add_item(struct items *items, u64 at, u64 work)
{
	if (items->nr == items->cap) {
		u64 cap = items->cap ? 2 * items->cap : 256;
		struct item *more = realloc(items->v, cap * sizeof(*more));

		if (!more)
			return false;
		items->v = more;
		items->cap = cap;
	}
	items->v[items->nr++] = (struct item){ at, work };
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->work < y->work ? -1 : x->work > y->work;
}

static bool collect(struct items *items, const struct recovered *rec, const struct timeline *tl, u32 thread)
{
	struct bursts bursts;
	bool fits = true;

	if (bursts_init(&bursts, tl, rec->threads[thread].task))
		return false;
	for (u64 j = 0; fits && j < bursts.nr; j++)
		if (bursts.v[j].cpu)
			fits = add_item(items, bursts.v[j].wake - min_u64(bursts.v[j].wake, rec->t0), bursts.v[j].cpu);
	bursts_fini(&bursts);
	return fits;
}

/* ---- the scenario ---- */

static struct step *steps_of(struct scenario *sc, struct program *program, u32 nr, s64 loops)
{
	*program = (struct program){ .loop = 1, .until = REF_NONE, .nr_phases = 1, .nr_steps = nr };
	program->phases = arena_alloc(&sc->mem, sizeof(*program->phases));
	program->steps = arena_alloc(&sc->mem, nr * sizeof(*program->steps));
	if (!program->phases || !program->steps)
		return NULL;
	program->phases[0] = (struct phase){ .name = "", .loop = loops, .nr = nr };
	return program->steps;
}

static bool add_resources(struct scenario *sc, const struct items *items, u32 *arrivals, u32 *queue)
{
	struct resource_spec *all = arena_alloc(&sc->mem, (sc->nr_resources + 2) * sizeof(*all));
	u64 *times = arena_alloc(&sc->mem, (items->nr + 1) * sizeof(*times));

	if (!all || !times)
		return false;
	for (u32 i = 0; i < sc->nr_resources; i++)
		all[i] = sc->resources[i];
	for (u64 i = 0; i < items->nr; i++)
		times[i] = items->v[i].at;
	*arrivals = sc->nr_resources++;
	*queue = sc->nr_resources++;
	all[*arrivals] = (struct resource_spec){ .kind = RES_ARRIVAL, .name = "the work of the pool", .times = times, .nr_times = (u32)items->nr };
	all[*queue] = (struct resource_spec){ .kind = RES_QUEUE, .name = "the queue of the pool" };
	sc->resources = all;
	return true;
}

/* A thread above all others that puts each piece of work into the queue when its time comes. */
static bool add_feeder(struct scenario *sc, const struct items *items, u32 arrivals, u32 queue)
{
	struct workload *w = &sc->tasks[sc->nr_tasks++];
	u64 *work = arena_alloc(&sc->mem, (items->nr + 1) * sizeof(*work));
	struct step *st = steps_of(sc, &w->program, 2, -1);

	if (!st || !work)
		return false;
	for (u64 i = 0; i < items->nr; i++)
		work[i] = items->v[i].work;
	w->name = "arrivals";
	w->instances = 1;
	w->policy = FEEDER_POLICY;
	w->rt_priority = FEEDER_PRIO;
	st[0] = (struct step){ .kind = STEP_ARRIVE, .ref = arrivals, .ref2 = REF_NONE };
	st[1] = (struct step){ .kind = STEP_QUEUE_PUT, .ref = queue, .ref2 = REF_NONE,
			       .len = { .kind = DIST_EMPIRICAL, .values = work, .nr = (u32)items->nr } };
	return true;
}

static bool set_workers(struct scenario *sc, struct workload *w, u32 threads, u32 queue)
{
	struct step *st = steps_of(sc, &w->program, 1, -1);

	if (!st)
		return false;
	w->instances = threads;
	w->delay = 0;
	w->cpus = NULL;
	st[0] = (struct step){ .kind = STEP_QUEUE_GET, .ref = queue, .ref2 = REF_NONE };
	return true;
}

/* What the pool has to do: pieces of work, or threads that never stop. */
struct work {
	struct items items;
	u64 one_runs, starts; /* ns of CPU time of threads that did one run, and when the first of them began */
	u32 first, busy, others; /* busy: threads that never stop */
};

static bool look_at_pool(struct work *w, const struct recovered *rec, const struct timeline *tl)
{
	*w = (struct work){ .first = UINT32_MAX, .starts = NEVER };
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		const struct recovered_thread *t = &rec->threads[i];

		if (!is_in_pool(rec, i))
			continue;
		if (w->first == UINT32_MAX)
			w->first = i;
		if (t->endless) {
			w->busy++;
			continue;
		}
		w->others++;
		if (is_one_run(rec, i)) {
			w->one_runs += t->cpu;
			w->starts = min_u64(w->starts, rec->sc.tasks[i].delay);
		} else if (!collect(&w->items, rec, tl, i)) {
			return false;
		}
	}
	return true;
}

static bool share_out(struct scenario *sc, struct work *w, u32 threads)
{
	u32 arrivals, queue;

	for (u32 k = 0; w->one_runs && k < threads; k++)
		if (!add_item(&w->items, w->starts, max_u64(w->one_runs / threads, 1)))
			return false;
	if (w->items.nr) /* there is no array before the first */
		qsort(w->items.v, w->items.nr, sizeof(*w->items.v), by_time);
	return add_resources(sc, &w->items, &arrivals, &queue) && set_workers(sc, &sc->tasks[w->first], threads, queue) &&
	       add_feeder(sc, &w->items, arrivals, queue);
}

/* Tasks of its own, in which the pool has no threads. */
static bool empty_pool(struct scenario *sc, const struct recovered *rec)
{
	struct workload *tasks = arena_alloc(&sc->mem, ((u64)sc->nr_tasks + 1) * sizeof(*tasks));

	for (u32 i = 0; tasks && i < sc->nr_tasks; i++) {
		tasks[i] = sc->tasks[i];
		if (is_in_pool(rec, i))
			tasks[i].instances = 0;
	}
	sc->tasks = tasks;
	return tasks;
}

int rethread(struct scenario *sc, const struct recovered *rec, const struct timeline *tl, u32 threads, struct err *err)
{
	struct work w;
	bool fits = look_at_pool(&w, rec, tl) && empty_pool(sc, rec);

	if (fits && (!(w.busy + w.others) || (w.busy && w.others))) {
		free(w.items.v);
		err_set(err, ERR_INPUT, "--threads: %s", w.busy ? "some threads of the group are busy all the time and others are not: which would be fewer does not show" :
			"no thread of this recording does enough for others to share it");
		err_hint(err, "pick the threads of one pool by --group");
		return -1;
	}
	if (fits && w.busy) {
		sc->tasks[w.first].instances = threads;
		sc->tasks[w.first].cpus = NULL;
	} else if (fits) {
		fits = share_out(sc, &w, threads);
	}
	free(w.items.v);
	return fits ? 0 : err_set(err, ERR_HOST, "out of memory for %u threads", threads);
}
