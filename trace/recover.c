/* SPDX-License-Identifier: MIT */
/* recover.c - turns the bursts of each thread into phases of a program; alike ones in a row become one phase with a loop. */
#include "trace/recover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/figures.h"

#define DEFAULT_HZ 250
#define POLICY_FIFO 1	 /* enum sched_policy of core/lab.h */
#define POLLS_LEAST 5	 /* throttles, before off the tick means anything */
#define POLLS_SHARE 30	 /* percent of them on a tick, at most: chance would put 5 there at 250 Hz */
#define BEHIND_TICK (200 * US)
#define ENDLESS_FACTOR 3 /* a last burst so much longer than the usual one has no end of its own */

/* A thread woke another of the group: kept as a post of the wakee's semaphore. */
struct edge {
	u32 waker, wakee; /* thread indices */
	u64 t;
};

/* One turn of a program's loop: wait, then run, with wakeups of others in between. */
struct turn {
	u8 kind;	/* enum wake_kind */
	bool last;	/* nothing comes behind it */
	u64 wait;	/* ns of a sleep */
	u32 skipped;	/* expiries of a periodic timer that had no work */
	u64 first_run;	/* of builder.runs; nr_posts + 1 of them */
	u32 nr_posts, first_post;
};

struct builder {
	struct recovered *rec;
	const struct trace *tr;
	const struct timeline *tl;
	const struct throttle_guess *guess;
	const struct tick_guess *ticks;
	const bool *member;
	bool bounded;	       /* see struct recover_ask */
	struct bursts *bursts; /* per thread */
	u32 *thread_of;	       /* trace task -> thread, or TRACE_NO_TASK */
	u32 nr;
	struct edge *edges;    /* by waker and time */
	u64 nr_edges;
	u32 *timers, *sems, *arrivals; /* resource of a thread, or REF_NONE */

	/* of the thread at hand */
	struct turn *turns;
	u64 nr_turns, cap_turns;
	u64 *runs, nr_runs, cap_runs;
	u32 *posts;
	u64 nr_posts, cap_posts;
};

static bool room(void **array, u64 *cap, u64 nr, size_t size)
{
	u64 want = *cap ? *cap * 2 : 64;
	void *p;

	if (nr < *cap)
		return true;
	p = realloc(*array, want * size);
	if (!p)
		return false;
	*array = p;
	*cap = want;
	return true;
}

static void *mem(struct builder *b, u64 nr, size_t size) { return arena_alloc(&b->rec->sc.mem, nr * size); }

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
	qsort(b->edges, b->nr_edges, sizeof(*b->edges), by_waker);
	b->rec->edges = b->nr_edges;
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
	u64 *times = mem(b, bursts->wakes[WAKE_OUTSIDE] + 1, sizeof(*times));
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

	sc->resources = mem(b, 3 * (u64)b->nr + 1, sizeof(*sc->resources));
	b->timers = mem(b, b->nr, sizeof(u32));
	b->sems = mem(b, b->nr, sizeof(u32));
	b->arrivals = mem(b, b->nr, sizeof(u32));
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
	return 0;
}

/* ---- turns ---- */

static bool add_run(struct builder *b, u64 ns)
{
	if (!room((void **)&b->runs, &b->cap_runs, b->nr_runs, sizeof(*b->runs)))
		return false;
	b->runs[b->nr_runs++] = max_u64(ns, 1);
	return true;
}

static bool add_post(struct builder *b, u32 sem)
{
	if (!room((void **)&b->posts, &b->cap_posts, b->nr_posts, sizeof(*b->posts)))
		return false;
	b->posts[b->nr_posts++] = sem;
	return true;
}

static struct turn *add_turn(struct builder *b, enum wake_kind kind)
{
	struct turn *turn;

	if (!room((void **)&b->turns, &b->cap_turns, b->nr_turns, sizeof(*b->turns)))
		return NULL;
	turn = &b->turns[b->nr_turns++];
	*turn = (struct turn){ .kind = (u8)kind, .first_run = b->nr_runs, .first_post = (u32)b->nr_posts };
	return turn;
}

/* CPU time that thread @i had in @burst until @t, on the scale of burst->cpu, which may have been settled. */
static u64 progress_at(const struct builder *b, u32 i, const struct burst *burst, u64 t)
{
	u64 ran = timeline_ran(b->tl, b->bursts[i].task, burst->start, min_u64(t, burst->end));

	return min_u64(ran, burst->cpu);
}

/* The first edge of waker @i at or after @t. */
static u64 edge_at(const struct builder *b, u32 i, u64 t)
{
	u64 lo = 0, hi = b->nr_edges;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (b->edges[mid].waker < i || (b->edges[mid].waker == i && b->edges[mid].t < t))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The runs of a burst, cut where it woke others. */
static bool add_runs(struct builder *b, u32 i, const struct burst *burst, struct turn **turn, u64 cpu)
{
	u64 done = 0, index = (u64)(*turn - b->turns);

	for (u64 e = edge_at(b, i, burst->start); e < b->nr_edges && b->edges[e].waker == i && b->edges[e].t <= burst->end; e++) {
		u64 at = progress_at(b, i, burst, b->edges[e].t);

		if (!add_run(b, at > done ? at - done : 0) || !add_post(b, b->sems[b->edges[e].wakee]))
			return false;
		done = max_u64(done, at);
		b->turns[index].nr_posts++;
	}
	*turn = &b->turns[index];
	return add_run(b, cpu > done ? cpu - done : 0);
}

/* Several expiries worked off in one burst: as many turns of equal length. */
static bool add_split(struct builder *b, const struct burst *burst)
{
	for (u32 k = 0; k < burst->releases; k++)
		if (!add_turn(b, WAKE_PERIOD) || !add_run(b, burst->cpu / burst->releases))
			return false;
	return true;
}

/* Expiries of the periodic timer between burst @j and the one before it that nothing was done for. */
static u32 skipped_expiries(const struct bursts *bursts, u64 j)
{
	u64 between = (bursts->v[j].wake - bursts->v[j - 1].wake + bursts->length / 2) / bursts->length;

	return between > bursts->v[j - 1].releases ? (u32)(between - bursts->v[j - 1].releases) : 0;
}

static bool add_burst(struct builder *b, u32 i, u64 j)
{
	const struct bursts *bursts = &b->bursts[i];
	const struct burst *burst = &bursts->v[j];
	const struct recovered_thread *thread = &b->rec->threads[i];
	bool last = j + 1 == bursts->nr && !burst->complete;
	bool endless = last && thread->busy_to_end && !b->bounded;
	struct turn *turn;

	if (burst->kind == WAKE_PERIOD && burst->releases > 1 && !last)
		return add_split(b, burst);
	turn = add_turn(b, (enum wake_kind)burst->kind);
	if (!turn)
		return false;
	turn->last = last;
	if (burst->kind == WAKE_SLEEP || burst->kind == WAKE_IO)
		turn->wait = burst->wake - bursts->v[j - 1].end;
	if (burst->kind == WAKE_PERIOD && bursts->v[j - 1].kind == WAKE_PERIOD)
		turn->skipped = skipped_expiries(bursts, j);
	return add_runs(b, i, burst, &turn, endless ? max_u64(burst->cpu, b->rec->sc.duration) : burst->cpu);
}

/* ---- phases ---- */

/* May @a and @b be turns of one loop? */
static bool alike(const struct builder *b, const struct turn *x, const struct turn *y)
{
	if (x->kind != y->kind || x->last || y->last || x->skipped || y->skipped || x->nr_posts != y->nr_posts)
		return false;
	return !x->nr_posts || !memcmp(b->posts + x->first_post, b->posts + y->first_post, x->nr_posts * sizeof(*b->posts));
}

/* A length for each of @nr turns: fixed if they are all the same. */
static bool lengths(struct builder *b, struct dist *len, const struct turn *turns, u64 nr, s64 run)
{
	u64 *values = mem(b, nr, sizeof(*values));
	bool same = true;

	if (!values)
		return false;
	for (u64 i = 0; i < nr; i++) {
		values[i] = run < 0 ? turns[i].wait : b->runs[turns[i].first_run + (u64)run];
		same &= values[i] == values[0];
	}
	*len = (struct dist){ .kind = same ? DIST_FIXED : DIST_EMPIRICAL, .a = values[0], .values = values, .nr = (u32)nr };
	return true;
}

/* The steps by which a turn waits; returns how many, or -1. */
static int wait_steps(struct builder *b, u32 i, struct step *steps, const struct turn *turns, u64 nr)
{
	struct step *st = steps;

	switch (turns->kind) {
	case WAKE_SLEEP:
	case WAKE_IO:
		*st = (struct step){ .kind = STEP_SLEEP, .ref = REF_NONE, .ref2 = REF_NONE };
		return lengths(b, &st->len, turns, nr, -1) ? 1 : -1;
	case WAKE_PERIOD:
		for (u32 k = 0; k <= turns->skipped; k++)
			*st++ = (struct step){ .kind = STEP_TIMER, .flags = STEP_ABSOLUTE, .ref = b->timers[i], .ref2 = REF_NONE,
					       .len = { .a = b->bursts[i].length } };
		return (int)(st - steps);
	case WAKE_TASK:
		*st = (struct step){ .kind = STEP_SEM_WAIT, .ref = b->sems[i], .ref2 = REF_NONE };
		return 1;
	case WAKE_OUTSIDE:
		*st = (struct step){ .kind = STEP_ARRIVE, .ref = b->arrivals[i], .ref2 = REF_NONE };
		return 1;
	default:
		return 0;
	}
}

/* One phase for @nr alike turns from @turns on; its steps go behind those that @program has. */
static bool add_phase(struct builder *b, u32 i, struct program *program, const struct turn *turns, u64 nr)
{
	struct phase *phase = &program->phases[program->nr_phases++];
	struct step *st = &program->steps[program->nr_steps];
	int waits = wait_steps(b, i, st, turns, nr);

	if (waits < 0)
		return false;
	st += waits;
	for (u32 k = 0; k <= turns->nr_posts; k++) {
		*st = (struct step){ .kind = STEP_RUN, .ref = REF_NONE, .ref2 = REF_NONE,
				     .flags = b->rec->threads[i].polls_clock ? STEP_POLLS_CLOCK : 0 };
		if (!lengths(b, &st++->len, turns, nr, k))
			return false;
		if (k < turns->nr_posts)
			*st++ = (struct step){ .kind = STEP_SEM_POST, .ref = b->posts[turns->first_post + k], .ref2 = REF_NONE };
	}
	if (turns->last)
		*st++ = (struct step){ .kind = STEP_EXIT, .ref = REF_NONE, .ref2 = REF_NONE };
	*phase = (struct phase){ .name = "", .loop = (s64)nr, .first = program->nr_steps };
	phase->nr = (u32)(st - program->steps) - phase->first;
	program->nr_steps += phase->nr;
	return true;
}

/* How many steps and phases will there be? */
static void count_steps(const struct builder *b, u64 *phases, u64 *steps)
{
	*phases = *steps = 0;
	for (u64 t = 0; t < b->nr_turns; t++) {
		if (t && alike(b, &b->turns[t - 1], &b->turns[t]))
			continue;
		++*phases;
		*steps += 2 + b->turns[t].skipped + 2 * (u64)b->turns[t].nr_posts + 1;
	}
}

static bool build_program(struct builder *b, u32 i)
{
	struct program *program = &b->rec->sc.tasks[i].program;
	u64 phases, steps;

	b->nr_turns = b->nr_runs = b->nr_posts = 0;
	for (u64 j = 0; j < b->bursts[i].nr; j++)
		if (!add_burst(b, i, j))
			return false;
	count_steps(b, &phases, &steps);
	*program = (struct program){ .loop = 1, .until = REF_NONE };
	program->phases = mem(b, phases, sizeof(*program->phases));
	program->steps = mem(b, steps, sizeof(*program->steps));
	if (!program->phases || !program->steps)
		return false;
	for (u64 t = 0, end; t < b->nr_turns; t = end) {
		for (end = t + 1; end < b->nr_turns && alike(b, &b->turns[end - 1], &b->turns[end]);)
			end++;
		if (!add_phase(b, i, program, &b->turns[t], end - t))
			return false;
	}
	return true;
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
	w->nice = prio >= 100 && prio < 140 ? prio - 120 : 0;
	if (prio > 0 && prio < 100) { /* above fair: printed numbers count down */
		w->policy = POLICY_FIFO;
		w->rt_priority = prio < 99 ? 99 - prio : 1;
	}
	/* A periodic timer's grid begins where the thread does: the first burst must begin on it. */
	w->delay = first->wake - b->rec->t0;
	if (b->timers[i] != REF_NONE) {
		u64 late = (first->wake % bursts->length + bursts->length - bursts->phase) % bursts->length;

		w->delay = late < w->delay ? w->delay - late : 0;
	}
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
	sc->tasks = mem(b, b->nr, sizeof(*sc->tasks));
	sc->groups = mem(b, 1, sizeof(*sc->groups));
	b->rec->threads = mem(b, b->nr, sizeof(*b->rec->threads));
	b->rec->counts = mem(b, b->nr, sizeof(*b->rec->counts));
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

static int build(struct builder *b, const struct recover_ask *ask, u32 hz)
{
	if (fill_scenario(b, ask, hz) || load_edges(b, ask->no_edges))
		return -1;
	for (u32 i = 0; i < b->nr; i++) {
		b->rec->sc.tasks[i].name = name_of(b, b->bursts[i].task, true);
		if (!describe(b, i))
			return -1;
	}
	count_stops(b);
	if (add_resources(b))
		return -1;
	for (u32 i = 0; i < b->nr; i++)
		if (!fill_workload(b, i) || !build_program(b, i))
			return -1;
	return count_figures(b->rec, b->tl, b->guess, b->bursts, b->member);
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
	if (load_threads(&b, tr->saw_context))
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
