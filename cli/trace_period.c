/* SPDX-License-Identifier: MIT */
/*
 * trace_period.c - the worst period of a recording: who spent the quota, and what stood still when it was gone.
 *
 *	threads stopped	 0          1       2                      from the throttle gaps that reach into the period
 *			 |----------|-------|-----------------|
 *	the group ran	 ==========  ===                           from its threads' spans, cut at the same places
 *
 * Law: the stretches cover the period without a hole, and their CPU time adds up to what the group used in it.
 */
#include "cli/explain_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct frame {
	const struct traced *t;
	u64 start, end;
};

static bool is_member(const struct frame *f, u32 task) { return task < f->t->tr.nr_tasks && f->t->member[task]; }

/* ---- who spent it ---- */

static int most_first(const void *a, const void *b)
{
	const struct run_spender *x = a, *y = b;

	return x->cpu == y->cpu ? strcmp(x->task, y->task) : x->cpu < y->cpu ? 1 : -1;
}

/* The threads of the recovered scenario: what they ran in the period, the most first. */
static void add_spenders(struct trace_period *p, const struct frame *f)
{
	u32 nr = f->t->rec.sc.nr_tasks;
	struct run_spender *all = calloc((size_t)nr + 1, sizeof(*all));

	for (u32 i = 0; all && i < nr; i++)
		all[i] = (struct run_spender){ f->t->rec.sc.tasks[i].name, timeline_ran(&f->t->tl, f->t->rec.threads[i].task, f->start, f->end) };
	if (all)
		qsort(all, nr, sizeof(*all), most_first);
	for (u32 i = 0; all && i < nr && i < PERIOD_SPENDERS && all[i].cpu; i++)
		p->spenders[p->worst.nr_spenders++] = all[i];
	free(all);
	p->worst.spenders = p->spenders;
}

/* ---- stretch by stretch ---- */

struct edge {
	u64 at;
	s32 step;
};

static int edge_order(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->at == y->at ? x->step - y->step : x->at < y->at ? -1 : 1; /* what ends stands before what begins */
}

/* The throttle gaps that reach into the period, as edges; how many. */
static u64 gap_edges(const struct frame *f, struct edge *edges)
{
	const struct throttle_guess *g = &f->t->guess;
	u64 nr = 0;

	for (u64 i = 0; i < g->nr_gaps; i++) {
		const struct gap *gap = &g->gaps[i];
		u64 from = max_u64(gap->start, f->start), to = min_u64(gap->boundary, f->end);

		if (gap->kind != GAP_THROTTLE || from >= to)
			continue;
		edges[nr++] = (struct edge){ from, 1 };
		edges[nr++] = (struct edge){ to, -1 };
	}
	qsort(edges, nr, sizeof(*edges), edge_order);
	return nr;
}

/* The edges of what members ran in [@from, @to) into @edges, if there is room for @room of them; how many there are. */
static u64 run_edges(const struct frame *f, u64 from, u64 to, struct edge *edges, u64 room)
{
	const struct span *s, *end;
	u64 nr = 0;

	for (u32 task = 1; task < f->t->tr.nr_tasks; task++) {
		if (!is_member(f, task))
			continue;
		timeline_task(&f->t->tl, task, &s, &end);
		for (; s < end && s->start < to; s++) {
			if (s->state != SPAN_RUNNING || s->end <= from)
				continue;
			if (nr + 2 <= room) {
				edges[nr] = (struct edge){ max_u64(s->start, from), 1 };
				edges[nr + 1] = (struct edge){ min_u64(s->end, to), -1 };
			}
			nr += 2;
		}
	}
	return nr;
}

/* How many CPUs ran the group at once in [@from, @to), at most, and for how long in all. */
static u32 most_at_once(const struct frame *f, u64 from, u64 to, u64 *cpu)
{
	u64 nr = run_edges(f, from, to, NULL, 0);
	struct edge *edges = malloc((nr + 1) * sizeof(*edges));
	s32 now = 0, most = 0;

	*cpu = 0;
	if (!edges)
		return 0;
	run_edges(f, from, to, edges, nr);
	qsort(edges, nr, sizeof(*edges), edge_order);
	for (u64 i = 0; i < nr; i++) {
		*cpu += i ? (u64)now * (edges[i].at - edges[i - 1].at) : 0;
		now += edges[i].step;
		most = now > most ? now : most;
	}
	free(edges);
	return (u32)most;
}

static void add_one(struct trace_period *p, const struct frame *f, u64 from, u64 to, u32 stopped)
{
	struct run_stretch *s = &p->stretches[p->worst.nr_stretches];

	if (to - from < PERIOD_GRAIN && to < f->end)
		return; /* it is told with what follows */
	if (p->worst.nr_stretches == PERIOD_STRETCHES) {
		p->worst.nr_left_out++;
		return;
	}
	*s = (struct run_stretch){ .at = from - f->start, .len = to - from, .stopped = stopped };
	s->most_cpus = most_at_once(f, from, to, &s->cpu);
	p->worst.nr_stretches++;
}

static void add_stretches(struct trace_period *p, const struct frame *f)
{
	struct edge *edges = malloc((2 * f->t->guess.nr_gaps + 1) * sizeof(*edges));
	u64 nr = edges ? gap_edges(f, edges) : 0, from = f->start;
	s32 stopped = 0;

	for (u64 i = 0; i < nr; i++) {
		u64 at = edges[i].at;

		if (at - from >= PERIOD_GRAIN) {
			add_one(p, f, from, at, (u32)stopped);
			from = at;
		}
		stopped += edges[i].step;
	}
	if (f->end > from)
		add_one(p, f, from, f->end, (u32)stopped);
	free(edges);
	p->worst.stretches = p->stretches;
}

/* ---- which ones ---- */

#define RANGES_TOLD 12

bool list_periods(char *buf, size_t size, bool (*throttled)(const void *ctx, u64 k), const void *ctx, u64 nr)
{
	size_t len = 0;
	u32 told = 0;

	for (u64 k = 0; k < nr && len < size; k++) {
		u64 first = k;

		if (!throttled(ctx, k))
			continue;
		if (told++ == RANGES_TOLD) {
			snprintf(buf + len, size - len, " ...");
			break;
		}
		while (k + 1 < nr && throttled(ctx, k + 1))
			k++;
		len += (size_t)snprintf(buf + len, size - len, k > first ? "%s%" PRIu64 "-%" PRIu64 : "%s%" PRIu64, told > 1 ? ", " : "", first + 1, k + 1);
	}
	return told > 0;
}

/* ---- the worst one ---- */

void trace_period(struct trace_period *p, const struct traced *t)
{
	const struct throttle_guess *g = &t->guess;
	struct frame f = { .t = t };
	u64 worst = 0, most = 0, before;

	memset(p, 0, sizeof(*p));
	for (u64 k = 0; k < g->nr_periods; k++)
		if (g->periods[k].stopped > most) {
			most = g->periods[k].stopped;
			worst = k;
		}
	if (!most)
		return;
	f.start = g->first + worst * g->period;
	f.end = f.start + g->period;
	before = worst && g->periods[worst - 1].used > g->quota ? g->periods[worst - 1].used - g->quota : 0;
	p->worst = (struct run_worst){ .start = f.start, .end = f.end, .charged = g->periods[worst].used, .throttled = most, .cpus = g->periods[worst].cpus,
				       .number = worst + 1, .by_threads = true, .debt = before, .granted = g->quota - min_u64(before, g->quota) };
	add_spenders(p, &f);
	add_stretches(p, &f);
}
