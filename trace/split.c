/* SPDX-License-Identifier: MIT */
/* split.c - lengths are drawn from the bursts of threads of the same name that were not throttled. */
#include "trace/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#define LENGTHS_LEAST 5	 /* bursts that were not throttled, before they mean anything */
#define MUCH_LONGER 2	 /* times the 90th percentile of those */
#define PIECES_MOST 4096 /* of one burst */

struct stop {
	u64 start, end;
	u32 task;
};

struct splitter {
	struct bursts *bursts;
	u32 nr;
	const u32 *alike;
	const struct timeline *tl;
	u32 *order;	    /* of threads: by name */
	struct stop *stops; /* throttles, by task and time */
	u64 nr_stops;
	u64 *lengths, nr_lengths; /* of the kind at hand, sorted */
	struct rng rng;
};

static int by_task(const void *a, const void *b)
{
	const struct stop *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static bool load_stops(struct splitter *s, const struct throttle_guess *g)
{
	s->stops = malloc((g->nr_gaps + 1) * sizeof(*s->stops));
	if (!s->stops)
		return false;
	for (u64 i = 0; i < g->nr_gaps; i++)
		if (g->gaps[i].kind == GAP_THROTTLE)
			s->stops[s->nr_stops++] = (struct stop){ g->gaps[i].start, g->gaps[i].boundary, g->gaps[i].task };
	qsort(s->stops, s->nr_stops, sizeof(*s->stops), by_task);
	return true;
}

static bool was_throttled(const struct splitter *s, u32 task, const struct burst *burst)
{
	u64 lo = 0, hi = s->nr_stops;

	while (lo < hi) { /* the first that ends behind its wakeup */
		u64 mid = lo + (hi - lo) / 2;
		const struct stop *at = &s->stops[mid];

		if (at->task < task || (at->task == task && at->end <= burst->wake))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nr_stops && s->stops[lo].task == task && s->stops[lo].start < burst->end;
}

/* Threads @first to @end of the order are of one name. */
static bool load_lengths(struct splitter *s, u32 first, u32 end)
{
	u64 cap = 0;

	s->nr_lengths = 0;
	for (u32 k = first; k < end; k++)
		cap += s->bursts[s->order[k]].nr;
	s->lengths = malloc((cap + 1) * sizeof(*s->lengths));
	for (u32 k = first; s->lengths && k < end; k++) {
		const struct bursts *b = &s->bursts[s->order[k]];

		for (u64 j = 0; j < b->nr; j++)
			if (b->v[j].complete && b->v[j].kind == WAKE_OUTSIDE && b->v[j].cpu && !was_throttled(s, b->task, &b->v[j]))
				s->lengths[s->nr_lengths++] = b->v[j].cpu;
	}
	if (s->lengths)
		sort_u64(s->lengths, s->nr_lengths);
	return s->lengths;
}

static u64 draw(struct splitter *s) { return s->lengths[rng_below(&s->rng, s->nr_lengths)]; }

/* Pieces of @burst into @out; returns how many. */
static u64 cut(struct splitter *s, u32 task, const struct burst *burst, struct burst *out)
{
	u64 done = 0, nr = 0;

	while (done < burst->cpu && nr < PIECES_MOST) {
		u64 len = nr + 1 < PIECES_MOST ? min_u64(draw(s), burst->cpu - done) : burst->cpu - done;

		out[nr] = *burst;
		out[nr].cpu = len;
		out[nr].start = nr ? out[nr - 1].end : burst->start;
		out[nr].late = nr ? 0 : burst->late;
		out[nr].pushed = (u64)((double)burst->pushed * (double)len / (double)burst->cpu);
		done += len;
		out[nr].end = done < burst->cpu ? burst_progress(s->tl, task, burst, done) : burst->end;
		out[nr].complete = done < burst->cpu || burst->complete;
		out[nr].dead = done == burst->cpu && burst->dead;
		nr++;
	}
	return nr;
}

/* The first came at the wakeup, the others at any time since, in order. */
static void place(struct splitter *s, const struct burst *burst, struct burst *pieces, u64 nr, u64 *times)
{
	for (u64 k = 1; k < nr; k++)
		times[k - 1] = burst->wake + rng_below(&s->rng, burst->end - burst->wake + 1);
	sort_u64(times, nr - 1);
	for (u64 k = 1; k < nr; k++) {
		pieces[k].wake = min_u64(times[k - 1], pieces[k].start);
		pieces[k].kind = WAKE_OUTSIDE;
	}
}

static bool is_several(const struct splitter *s, const struct bursts *b, u64 j)
{
	const struct burst *burst = &b->v[j];

	return burst->kind == WAKE_OUTSIDE && !burst->whole && burst->cpu > MUCH_LONGER * nearest_rank(s->lengths, s->nr_lengths, 90) && was_throttled(s, b->task, burst);
}

/* Room for all pieces of one burst more. */
static bool more_room(struct burst **v, u64 *cap, u64 nr)
{
	struct burst *p;

	if (*cap - nr >= PIECES_MOST)
		return true;
	*cap = 2 * *cap + PIECES_MOST;
	p = realloc(*v, *cap * sizeof(*p));
	if (p)
		*v = p;
	return p;
}

static bool any_several(const struct splitter *s, const struct bursts *b)
{
	for (u64 j = 0; j < b->nr; j++)
		if (is_several(s, b, j))
			return true;
	return false;
}

static bool split_thread(struct splitter *s, struct bursts *b)
{
	u64 cap = 0, nr = 0, *times = malloc(PIECES_MOST * sizeof(*times));
	struct burst *v = NULL;
	bool fits = times;

	for (u64 j = 0; fits && j < b->nr; j++) {
		u64 pieces = 1;

		fits = more_room(&v, &cap, nr);
		if (!fits)
			break;
		if (is_several(s, b, j)) {
			pieces = cut(s, b->task, &b->v[j], v + nr);
			place(s, &b->v[j], v + nr, pieces, times);
			b->wakes[WAKE_OUTSIDE] += pieces - 1;
		} else {
			v[nr] = b->v[j];
		}
		nr += pieces;
	}
	free(times);
	if (!fits) {
		free(v);
		return false;
	}
	free(b->v);
	b->v = v;
	b->nr = nr;
	return true;
}

static bool split_kind(struct splitter *s, u32 first, u32 end)
{
	bool fits = load_lengths(s, first, end);

	for (u32 k = first; fits && s->nr_lengths >= LENGTHS_LEAST && k < end; k++) {
		struct bursts *b = &s->bursts[s->order[k]];

		if (any_several(s, b))
			fits = split_thread(s, b);
	}
	free(s->lengths);
	return fits;
}

static int by_kind(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Threads of one name in a row. */
static bool load_order(struct splitter *s)
{
	u64 *keys = malloc(s->nr * sizeof(*keys));
	bool fits;

	s->order = malloc(s->nr * sizeof(*s->order));
	for (u32 i = 0; keys && s->order && i < s->nr; i++)
		keys[i] = (u64)s->alike[i] << 32 | i;
	if (keys && s->order)
		qsort(keys, s->nr, sizeof(*keys), by_kind);
	for (u32 i = 0; keys && s->order && i < s->nr; i++)
		s->order[i] = (u32)keys[i];
	fits = keys && s->order;
	free(keys);
	return fits;
}

int split_bursts(struct bursts *bursts, u32 nr, const u32 *alike, const struct timeline *tl, const struct throttle_guess *guess)
{
	struct splitter s = { .bursts = bursts, .nr = nr, .alike = alike, .tl = tl };
	bool fits;

	if (!guess->nr_throttles)
		return 0;
	rng_init(&s.rng, guess->throttled_time, "split", NULL, nr, guess->nr_gaps);
	fits = load_stops(&s, guess) && load_order(&s);
	for (u32 first = 0, end; fits && first < nr; first = end) {
		for (end = first + 1; end < nr && alike[s.order[end]] == alike[s.order[first]];)
			end++;
		fits = split_kind(&s, first, end);
	}
	free(s.order);
	free(s.stops);
	return fits ? 0 : -1;
}
