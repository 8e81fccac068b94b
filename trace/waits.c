/* SPDX-License-Identifier: MIT */
/* waits.c - leaves out waits that were throttles, and the time in which threads of the group had all CPUs. */
#include "trace/waits.h"

#include <stdlib.h>
#include <string.h>

#define LEAST (20 * US) /* or a part of the burst: what is less shows in no figure */
#define LEAST_PART 50
#define LONG (1 * MS)	 /* a CPU that idles takes less to begin */

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

/* ---- who ran where ---- */

/* Turns of all tasks but the idle ones, by CPU and time. */
struct turns {
	struct turn {
		u64 start, end;
		u16 cpu;
	} *v;
	u64 nr;
};

static int by_cpu(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int turns_init(struct turns *t, const struct timeline *tl)
{
	t->nr = 0;
	t->v = malloc((tl->first[tl->nr_tasks] - tl->first[TRACE_IDLE + 1] + 1) * sizeof(*t->v));
	if (!t->v)
		return -1;
	for (u64 i = tl->first[TRACE_IDLE + 1]; i < tl->first[tl->nr_tasks]; i++)
		if (tl->spans[i].state == SPAN_RUNNING)
			t->v[t->nr++] = (struct turn){ tl->spans[i].start, tl->spans[i].end, tl->spans[i].cpu };
	qsort(t->v, t->nr, sizeof(*t->v), by_cpu);
	return 0;
}

/* Did somebody run on @cpu within [@from, @to)? */
static bool was_in_use(const struct turns *t, u16 cpu, u64 from, u64 to)
{
	u64 lo = 0, hi = t->nr;

	while (lo < hi) { /* the first turn on @cpu that begins at or after @to */
		u64 mid = lo + (hi - lo) / 2;

		if (t->v[mid].cpu < cpu || (t->v[mid].cpu == cpu && t->v[mid].start < to))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && t->v[lo - 1].cpu == cpu && t->v[lo - 1].end > from;
}

/* ---- waits ---- */

/* What waits are judged by. */
struct judge {
	struct full full;
	struct turns turns;
	const struct throttle_guess *guess;
};

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

/* In a group that is throttled: a throttle that is told from no grid, as where another CPU gave back what it had left.  Nobody was in the way. */
static bool was_alone(const struct judge *j, const struct span *s, const struct span *next)
{
	return j->guess->nr_throttles && span_len(s) >= LONG && !was_in_use(&j->turns, s->cpu, s->start, s->end) &&
	       !was_in_use(&j->turns, next->cpu, s->start, s->end);
}

/* What of ready span @s, with @next behind it, others took.  What they take behind a refill comes and goes with the throttle. */
static u64 taken(const struct judge *j, u32 task, const struct span *s, const struct span *next)
{
	u64 wait;

	if (next->state != SPAN_RUNNING || is_throttle(j->guess, task, s->start) || was_alone(j, s, next))
		return 0;
	wait = span_len(s) - full_within(&j->full, s->start, s->end);
	return next->flags & SPAN_LOOSE ? wait - min_u64(wait, next->slack) : wait;
}

static void count_thread(struct bursts *b, const struct timeline *tl, const struct judge *judge)
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
			b->v[j].late += taken(judge, b->task, s, s + 1);
		else
			b->v[j].pushed += taken(judge, b->task, s, s + 1);
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
	struct judge judge = { .guess = guess };
	bool fits = !full_init(&judge.full, bursts, nr, tl, cpus) && !turns_init(&judge.turns, tl);

	for (u32 i = 0; fits && i < nr; i++) {
		count_thread(&bursts[i], tl, &judge);
		leave_out_little(&bursts[i]);
	}
	free(judge.full.v);
	free(judge.turns.v);
	return fits ? 0 : -1;
}
