/* SPDX-License-Identifier: MIT */
/* gap.c - where threads were ready and did not run, and whether their own group had the CPU meanwhile. */
#include "trace/throttle_impl.h"

#include <stdlib.h>

#define LOOK_BACK (1 * MS) /* a stopped queue runs none of its threads for so long before its release */

static int by_start(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static bool is_long_gap(const struct span *s) { return is_wait(s) && span_len(s) >= GAP_LEAST; }

/* All gaps of the tasks of which @wanted is true, by time.  NULL when memory is out. */
struct gap *gaps_of(const struct work *w, const bool *wanted, u64 *nr)
{
	struct gap *gaps;
	u64 n = 0;

	for (u32 t = 1; t < w->tl->nr_tasks; t++)
		for (u64 i = w->tl->first[t]; wanted[t] && i < w->tl->first[t + 1]; i++)
			n += is_long_gap(&w->tl->spans[i]);
	gaps = calloc(n + 1, sizeof(*gaps));
	*nr = 0;
	if (!gaps)
		return NULL;
	for (u32 t = 1; t < w->tl->nr_tasks; t++) {
		for (u64 i = w->tl->first[t]; wanted[t] && i < w->tl->first[t + 1]; i++) {
			const struct span *s = &w->tl->spans[i];

			if (!is_long_gap(s))
				continue;
			gaps[*nr] = (struct gap){ .start = s->start, .end = s->end, .task = t, .flags = s->flags };
			gaps[*nr].cpu = s->cpu;
			gaps[*nr].in_hole = i + 1 < w->tl->first[t + 1] && s[1].state == SPAN_RUNNING && (s[1].flags & SPAN_LOOSE);
			++*nr;
		}
	}
	qsort(gaps, *nr, sizeof(*gaps), by_start);
	return gaps;
}

/* ---- who ran where ---- */

static int by_cpu(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Collect the turns of all of @wanted.  False when memory is out. */
bool collect_turns(struct work *w, const bool *wanted)
{
	u64 n = 0;

	free(w->turns);
	w->nr_turns = 0;
	for (u32 t = 1; t < w->tl->nr_tasks; t++)
		n += wanted[t] ? w->tl->first[t + 1] - w->tl->first[t] : 0;
	w->turns = malloc((n + 1) * sizeof(*w->turns));
	if (!w->turns)
		return false;
	for (u32 t = 1; t < w->tl->nr_tasks; t++) {
		for (u64 i = w->tl->first[t]; wanted[t] && i < w->tl->first[t + 1]; i++) {
			const struct span *s = &w->tl->spans[i];

			if (s->state == SPAN_RUNNING)
				w->turns[w->nr_turns++] = (struct turn){ s->start, s->end, s->cpu };
		}
	}
	qsort(w->turns, w->nr_turns, sizeof(*w->turns), by_cpu);
	return true;
}

/* Did one of the group's threads run on @cpu within [@from, @to)?  Then the group was not stopped there. */
static bool group_ran(const struct work *w, u16 cpu, u64 from, u64 to)
{
	u64 lo = 0, hi = w->nr_turns;

	while (lo < hi) { /* the first turn on @cpu that begins at or after @to */
		u64 mid = lo + (hi - lo) / 2;
		const struct turn *turn = &w->turns[mid];

		if (turn->cpu < cpu || (turn->cpu == cpu && turn->start < to))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && w->turns[lo - 1].cpu == cpu && w->turns[lo - 1].end > from;
}

/* Did the group run where @gap's thread waited, shortly before @t? */
bool was_crowded(const struct work *w, const struct gap *gap, u64 t)
{
	u64 back = min_u64(LOOK_BACK, (t - gap->start) / 2);

	return group_ran(w, gap->cpu, t - back, t);
}

static int longest_first(const void *a, const void *b)
{
	const struct grid_gap *x = a, *y = b;

	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int by_end(const void *a, const void *b)
{
	const struct grid_gap *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->len < y->len ? -1 : x->len > y->len;
}

/*
 * The longest gaps, in order of their ends, for the search.  Those whose end is unknown tell nothing; those that began with
 * the wakeup of another task are that task's doing; and where the group ran until the end, it was no throttle that ended.
 */
struct grid_gap *grid_gaps(const struct work *w, const struct gap *gaps, u64 nr, u64 most, u64 *kept)
{
	struct grid_gap *out = malloc((nr + 1) * sizeof(*out));

	*kept = 0;
	if (!out)
		return NULL;
	for (u64 i = 0; i < nr; i++)
		if (!gaps[i].in_hole && !(gaps[i].flags & SPAN_PUSHED) && !was_crowded(w, &gaps[i], gaps[i].end))
			out[(*kept)++] = (struct grid_gap){ gaps[i].end, gaps[i].end - gaps[i].start };
	qsort(out, *kept, sizeof(*out), longest_first);
	*kept = min_u64(*kept, most);
	qsort(out, *kept, sizeof(*out), by_end);
	return out;
}
