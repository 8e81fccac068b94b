/* SPDX-License-Identifier: MIT */
/* waits.c - leaves out waits that were throttles, and the time in which threads of the group had all CPUs. */
#include "trace/waits.h"

#include <stdlib.h>
#include <string.h>

#define LEAST (20 * US) /* or a part of the burst: what is less shows in no figure */
#define LEAST_PART 50

/* Stretches in which the group had every CPU there is: then who waits does so in a replay too. */
struct full {
	struct stretch {
		u64 start, end;
	} *v;
	u64 nr;
};

struct change {
	u64 t;
	int by; /* CPUs more */
};

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->by - y->by; /* who leaves goes first */
}

static u64 load_changes(struct change *v, const struct bursts *bursts, u32 nr, const struct timeline *tl)
{
	u64 n = 0;

	for (u32 i = 0; i < nr; i++)
		for (u64 k = tl->first[bursts[i].task]; k < tl->first[bursts[i].task + 1]; k++)
			if (tl->spans[k].state == SPAN_RUNNING && span_len(&tl->spans[k])) {
				v[n++] = (struct change){ tl->spans[k].start, 1 };
				v[n++] = (struct change){ tl->spans[k].end, -1 };
			}
	qsort(v, n, sizeof(*v), by_time);
	return n;
}

static int full_init(struct full *f, const struct bursts *bursts, u32 nr, const struct timeline *tl, int cpus)
{
	struct change *changes;
	u64 cap = 0, n;
	int running = 0;

	for (u32 i = 0; i < nr; i++)
		cap += tl->first[bursts[i].task + 1] - tl->first[bursts[i].task];
	changes = malloc((2 * cap + 1) * sizeof(*changes));
	f->nr = 0;
	f->v = malloc((cap + 1) * sizeof(*f->v));
	if (!changes || !f->v) {
		free(changes);
		return -1;
	}
	n = load_changes(changes, bursts, nr, tl);
	for (u64 i = 0; i < n; i++) {
		running += changes[i].by;
		if (changes[i].by > 0 && running == cpus)
			f->v[f->nr++].start = changes[i].t;
		else if (changes[i].by < 0 && running == cpus - 1)
			f->v[f->nr - 1].end = changes[i].t;
	}
	free(changes);
	return 0;
}

/* ns of [@from, @to) in which the group had every CPU. */
static u64 full_within(const struct full *f, u64 from, u64 to)
{
	u64 lo = 0, hi = f->nr, sum = 0;

	while (lo < hi) { /* the first that ends behind @from */
		u64 mid = lo + (hi - lo) / 2;

		if (f->v[mid].end <= from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < f->nr && f->v[lo].start < to; lo++)
		sum += min_u64(f->v[lo].end, to) - max_u64(f->v[lo].start, from);
	return sum;
}

/* Was @task's ready span from @start on a throttle? */
static bool is_throttle(const struct throttle_guess *g, u32 task, u64 start)
{
	u64 lo = 0, hi = g->nr_gaps;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (g->gaps[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < g->nr_gaps && g->gaps[lo].start == start; lo++)
		if (g->gaps[lo].task == task && g->gaps[lo].kind == GAP_THROTTLE)
			return true;
	return false;
}

/* What of ready span @s, with @next behind it, others took.  What they take behind a refill comes and goes with the throttle. */
static u64 taken(const struct full *full, const struct throttle_guess *g, u32 task, const struct span *s, const struct span *next)
{
	u64 wait;

	if (next->state != SPAN_RUNNING || is_throttle(g, task, s->start))
		return 0;
	wait = span_len(s) - full_within(full, s->start, s->end);
	return next->flags & SPAN_LOOSE ? wait - min_u64(wait, next->slack) : wait;
}

static void count_thread(struct bursts *b, const struct timeline *tl, const struct full *full, const struct throttle_guess *g)
{
	const struct span *s, *end;
	u64 j = 0;

	timeline_task(tl, b->task, &s, &end);
	for (; s + 1 < end; s++) {
		if (s->state != SPAN_READY)
			continue;
		while (j < b->nr && b->v[j].end <= s->start)
			j++;
		if (j == b->nr)
			return;
		if (s->start < b->v[j].wake)
			continue;
		if (s->start < b->v[j].start)
			b->v[j].late += taken(full, g, b->task, s, s + 1);
		else
			b->v[j].pushed += taken(full, g, b->task, s, s + 1);
	}
}

static void leave_out_little(struct bursts *b)
{
	for (u64 j = 0; j < b->nr; j++) {
		u64 least = max_u64(LEAST, b->v[j].cpu / LEAST_PART);

		if (b->v[j].late + b->v[j].pushed < least)
			b->v[j].late = b->v[j].pushed = 0;
	}
}

int waits_count(struct bursts *bursts, u32 nr, const struct timeline *tl, int cpus, const struct throttle_guess *guess)
{
	struct full full;

	if (full_init(&full, bursts, nr, tl, cpus))
		return -1;
	for (u32 i = 0; i < nr; i++) {
		count_thread(&bursts[i], tl, &full, guess);
		leave_out_little(&bursts[i]);
	}
	free(full.v);
	return 0;
}
