/* SPDX-License-Identifier: MIT */
/* figures.c - latencies, CPU time and the worst burst of a recording. */
#include "trace/figures.h"

#include <stdlib.h>
#include <string.h>

#define COUNTS_LEAST 3 /* bursts, before their percentiles mean anything */

/*
 * Whose bursts make the figures: threads that were throttled and sleep in between; without throttles, those with
 * the most bursts.  A main thread that only started the others would blur them.
 */
static void choose_counting(struct recovered *rec)
{
	u64 most = COUNTS_LEAST;
	bool any = false;

	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		rec->counts[i] = rec->threads[i].throttled && rec->threads[i].bursts >= COUNTS_LEAST;
		any |= rec->threads[i].throttled;
		most = max_u64(most, rec->threads[i].bursts);
	}
	for (u32 i = 0; !any && i < rec->sc.nr_tasks; i++)
		rec->counts[i] = rec->threads[i].bursts && rec->threads[i].bursts * 10 >= most;
}

/* A loop is released by its timer or arrival; where it waited otherwise, by its first instruction. */
static u64 release_of(const struct burst *burst)
{
	return burst->kind == WAKE_PERIOD || burst->kind == WAKE_OUTSIDE ? burst->wake : burst->start;
}

/* The latencies of one burst, which may have worked off several releases, into @out; returns how many. */
static u64 latencies_of(const struct bursts *b, u64 j, const struct timeline *tl, u64 *out)
{
	const struct burst *burst = &b->v[j];

	for (u32 k = 0; k < burst->releases; k++) {
		u64 share = burst->cpu / burst->releases * (k + 1);
		u64 end = k + 1 == burst->releases ? burst->end : burst_progress(tl, b->task, burst, share);
		u64 release = release_of(burst) + k * b->length;

		out[k] = end > release ? end - release : 0;
	}
	return burst->releases;
}

static int load_latencies(struct recovered *rec, const struct timeline *tl, const struct bursts *bursts)
{
	struct trace_figures *f = &rec->figures;
	u64 nr = 0;

	for (u32 i = 0; i < rec->sc.nr_tasks; i++)
		for (u64 j = 0; j < bursts[i].nr; j++)
			nr += bursts[i].v[j].releases;
	f->latency = rec->by_marks ? f->latency : malloc((nr + 1) * sizeof(*f->latency));
	f->by_thread = malloc((nr + 1) * sizeof(*f->by_thread));
	f->from = malloc(((size_t)rec->sc.nr_tasks + 1) * sizeof(*f->from));
	if (!f->latency || !f->by_thread || !f->from)
		return -1;
	nr = 0;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		f->from[i] = nr;
		for (u64 j = 0; rec->counts[i] && j < bursts[i].nr; j++) {
			if (bursts[i].v[j].complete)
				nr += latencies_of(&bursts[i], j, tl, f->by_thread + nr);
			else if (!bursts[i].v[j].dead || !j)
				f->cut++;
		}
	}
	f->from[rec->sc.nr_tasks] = nr;
	if (rec->by_marks)
		return 0;
	f->nr_latency = nr;
	memcpy(f->latency, f->by_thread, f->nr_latency * sizeof(*f->latency));
	sort_u64(f->latency, f->nr_latency);
	return 0;
}

/* The part of [@from, @to) in which @task was throttled by the gaps found; *@last gets the last refill that ended one. */
static u64 throttled_in(const struct throttle_guess *g, u32 task, u64 from, u64 to, u64 *last)
{
	u64 sum = 0;

	*last = 0;
	for (u64 i = 0; i < g->nr_gaps && g->gaps[i].start < to; i++) {
		const struct gap *gap = &g->gaps[i];

		if (gap->task != task || gap->kind != GAP_THROTTLE || gap->boundary <= from)
			continue;
		sum += gap->boundary - max_u64(gap->start, from);
		*last = gap->boundary;
	}
	return sum;
}

/* Who had @cpu for the longest part of [@from, @to), or TRACE_NO_TASK. */
static u32 who_ran(const struct timeline *tl, u16 cpu, u64 from, u64 to)
{
	u32 best = TRACE_NO_TASK;
	u64 most = 0;

	for (u32 t = 1; t < tl->nr_tasks; t++) {
		u64 ran = 0;

		for (u64 i = tl->first[t]; i < tl->first[t + 1]; i++) {
			const struct span *s = &tl->spans[i];

			if (s->state == SPAN_RUNNING && s->cpu == cpu && s->end > from && s->start < to)
				ran += min_u64(s->end, to) - max_u64(s->start, from);
		}
		if (ran > most) {
			most = ran;
			best = t;
		}
	}
	return best;
}

/* The longest wait of the burst that was no throttle: behind whom? */
static u32 behind_whom(const struct throttle_guess *g, const struct timeline *tl, const struct burst_view *view)
{
	u64 longest = 0, from = 0, to = 0;
	u16 cpu = 0;

	for (u64 i = 0; i < g->nr_gaps && g->gaps[i].start < view->end; i++) {
		const struct gap *gap = &g->gaps[i];
		u64 start = gap->kind == GAP_THROTTLE ? gap->boundary : gap->start;

		if (gap->task != view->task || gap->start < view->wake || gap->end - start <= longest)
			continue;
		longest = gap->end - start;
		from = start;
		to = gap->end;
		cpu = gap->cpu;
	}
	return longest ? who_ran(tl, cpu, from, to) : TRACE_NO_TASK;
}

static void find_worst(struct recovered *rec, const struct timeline *tl, const struct throttle_guess *g, const struct bursts *bursts)
{
	struct burst_view *worst = &rec->worst;
	u64 ready;

	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		for (u64 j = 0; rec->counts[i] && j < bursts[i].nr; j++) {
			const struct burst *burst = &bursts[i].v[j];

			if (!burst->complete || burst->end - burst->start <= worst->end - worst->start)
				continue;
			*worst = (struct burst_view){ .task = bursts[i].task, .number = j + 1, .wake = burst->wake,
						      .start = burst->start, .end = burst->end, .cpu = burst->cpu };
		}
	}
	if (!worst->end)
		return;
	worst->throttled = throttled_in(g, worst->task, worst->start, worst->end, &worst->last_boundary);
	ready = worst->end - worst->start - min_u64(worst->cpu, worst->end - worst->start);
	worst->waited = ready - min_u64(ready, worst->throttled);
	worst->behind = behind_whom(g, tl, worst);
}

static void count_others(struct recovered *rec, const struct timeline *tl, const bool *member)
{
	for (u32 t = 1; t < tl->nr_tasks; t++) {
		u64 ran = 0;

		if (member[t])
			continue;
		for (u64 i = tl->first[t]; i < tl->first[t + 1]; i++)
			if (tl->spans[i].state == SPAN_RUNNING)
				ran += span_len(&tl->spans[i]);
		rec->other_cpu += ran;
		rec->other_tasks += ran > 0;
	}
}

int count_figures(struct recovered *rec, const struct timeline *tl, const struct throttle_guess *guess,
		  const struct bursts *bursts, const bool *member)
{
	struct trace_figures *f = &rec->figures;

	choose_counting(rec);
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		f->cpu += bursts[i].cpu;
		for (u64 j = 0; j < bursts[i].nr; j++)
			f->cpu_slack += bursts[i].v[j].slack;
		f->bursts += rec->counts[i] ? rec->threads[i].bursts : 0;
	}
	for (u64 i = 0; i < guess->nr_gaps; i++)
		f->longest_gap = max_u64(f->longest_gap, guess->gaps[i].end - guess->gaps[i].start);
	if (load_latencies(rec, tl, bursts))
		return -1;
	find_worst(rec, tl, guess, bursts);
	count_others(rec, tl, member);
	return 0;
}
