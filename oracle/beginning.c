/* SPDX-License-Identifier: MIT */
/*
 * beginning.c - reads out of a recording how its case began.
 *
 *	releases modulo the period ...|.|||.|...	the densest cluster: where the periods begin
 *	three woken by one interrupt, h0.1 runs		the other two are behind
 *	tick + 14 us: CPU 2 stops, + 28: 3, + 38: 0	CPU 1 came first and went on
 *
 * The emulator runs one virtual CPU after the other, so what real CPUs do at one moment its CPUs do in an order, some 5 to 15 us apart.
 */
#include "oracle/beginning.h"

#include <stdlib.h>

#define ONE_INTERRUPT (20 * US) /* it wakes threads within that time */
#define NOT_FIRST (3 * US)	/* a turn ends that much later where another CPU's tick was handled before */

/* ---- threads ---- */

/* The CPU of thread number @thread of the case, or -1: free. */
static int cpu_of_thread(const struct measured *m, u32 thread)
{
	for (u32 set = 0; set < m->spec.nr_sets; thread -= m->spec.sets[set++].count) {
		const struct wl_set *s = &m->spec.sets[set];

		if (thread < s->count)
			return s->free ? -1 : s->cpu + (s->spread ? (int)thread : 0);
	}
	return -1;
}

/* Are both bound to the same CPU? */
static bool share_cpu(const struct measured *m, u32 i, u32 k)
{
	return cpu_of_thread(m, i) >= 0 && cpu_of_thread(m, i) == cpu_of_thread(m, k);
}

static u64 apart(u64 a, u64 b) { return a > b ? a - b : b - a; }

/*
 * Threads of one CPU that are due together are all woken by one interrupt, before any of them runs.  Which one then runs first depends
 * on how much each ran in the set-up, from 6.6 on on what each was owed when it last slept: nobody knows, but the recording shows it.
 */
static void join_wakeups(struct thread_seen *seen, const struct recording *r, const struct measured *m, u32 i)
{
	const struct thread_record *t = r->threads, *first = &t[i];
	u64 start = first->start;

	for (u32 k = 0; k < r->nr_threads && start != NEVER; k++) {
		if (t[k].start == NEVER || !share_cpu(m, i, k) || apart(t[i].start, t[k].start) >= ONE_INTERRUPT)
			continue;
		start = min_u64(start, t[k].start);
		if (t[k].ran < first->ran)
			first = &t[k];
	}
	seen->start = start;
	seen->behind = first != &t[i];
	seen->overtaken = seen->behind && start < first->start;
}

/* Threads of one CPU that one interrupt woke together looked at one moment.  Older ones have lower numbers. */
static void join_looks(struct thread_seen *seen, const struct recording *r, const struct measured *m, u32 i)
{
	const struct thread_record *t = r->threads;

	seen->last = t[i].last;
	for (u32 k = 0; k < r->nr_threads; k++) {
		if (share_cpu(m, i, k) && t[k].last > t[i].last && t[k].last - t[i].last < ONE_INTERRUPT)
			seen->last = max_u64(seen->last, t[k].last);
		seen->born += t[k].pid < t[i].pid;
	}
}

/* What was not seen of one thread is not told of any: the others would be apart from it by more than they were. */
static void leave_out_unseen(struct thread_seen *seen, const struct recording *r)
{
	bool began = true, looked = true, stayed = true;

	for (u32 i = 0; i < r->nr_threads; i++) {
		began &= r->threads[i].start != NEVER && r->threads[i].ran != NEVER;
		looked &= r->threads[i].last != 0;
		stayed &= r->threads[i].cpu >= 0;
	}
	for (u32 i = 0; i < r->nr_threads; i++) {
		seen[i].start = began ? seen[i].start : NEVER;
		seen[i].ran = began ? seen[i].ran : NEVER;
		seen[i].last = looked ? seen[i].last : 0;
		seen[i].cpu = stayed ? seen[i].cpu : -1;
	}
}

static void find_seen(struct thread_seen *seen, const struct recording *r, const struct measured *m)
{
	for (u32 i = 0; i < r->nr_threads; i++) {
		seen[i] = (struct thread_seen){ .ran = r->threads[i].ran, .cpu = r->threads[i].cpu,
						.stints = r->threads[i].stints, .nr_stints = r->threads[i].nr_stints };
		join_wakeups(&seen[i], r, m, i);
		join_looks(&seen[i], r, m, i);
	}
	leave_out_unseen(seen, r);
}

/* ---- whose tick came first ---- */

/*
 * Of those whose turns end with one tick the later ones were served later; and one whose turn ends later than turns otherwise do has waited for
 * another one, whose turn goes on: the CPU before it.
 */
static u32 first_of_tick(const struct tick_end *end, u32 soonest, u32 vcpus)
{
	return end->late <= soonest + NOT_FIRST ? end->cpu : (end->cpu + vcpus - 1) % vcpus;
}

static void find_tick_turns(struct beginning *b, const struct recording *r, const struct measured *m)
{
	u32 soonest = UINT32_MAX;

	for (u32 i = 0; i < r->nr_ends; i++)
		soonest = (u32)min_u64(soonest, r->ends[i].late);
	for (u32 i = 0; i < r->nr_ends; i++)
		if (!b->nr_turns || b->turns[b->nr_turns - 1].at != r->ends[i].tick)
			b->turns[b->nr_turns++] = (struct tick_turn){ r->ends[i].tick, first_of_tick(&r->ends[i], soonest, m->vcpus) };
}

/* ---- the phase of the periods ---- */

#define RELEASE_LAG (5 * US) /* boundary to the first switch to a released thread */
#define CLUSTER (60 * US)    /* releases of one boundary lie within */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

u64 phase_of_releases(const u64 *releases, u32 nr, u64 period)
{
	u64 *v = malloc((2 * (size_t)nr + 1) * sizeof(*v)), best = NEVER;
	u32 most = 0;

	if (!v || !nr || !period) {
		free(v);
		return NEVER;
	}
	for (u32 i = 0; i < nr; i++)
		v[i] = releases[i] % period;
	qsort(v, nr, sizeof(*v), by_value);
	for (u32 i = 0; i < nr; i++)
		v[nr + i] = v[i] + period; /* a cluster may lie across the end */
	for (u32 i = 0, k = 0; i < nr; i++) {
		while (k < 2 * nr && v[k] < v[i] + CLUSTER)
			k++;
		if (k - i > most) {
			most = k - i;
			best = v[i];
		}
	}
	free(v);
	return (best + period - RELEASE_LAG) % period;
}

#define ENOUGH_RELEASES 3
#define BOUNDARY_LASTS (100 * US) /* within it all that it releases runs */

static u32 count_limits(const struct wl_spec *spec)
{
	u32 n = 0;

	for (u32 i = 0; i < spec->nr_groups; i++)
		n += spec->groups[i].limited;
	return n;
}

/* Does @time lie just behind a boundary of a group around @group? */
static bool released_from_above(const struct measured *m, const u64 *phase, u32 group, u64 time)
{
	for (u32 g = 0; g < group; g++)
		if (m->spec.groups[g].limited && phase[g] != NEVER && wl_group_is_inside(&m->spec, group, g) &&
		    (time + m->spec.groups[g].period - phase[g]) % m->spec.groups[g].period < BOUNDARY_LASTS)
			return true;
	return false;
}

/* Where the guest watched a counter for it: up to that far from where it found the phase of @group it may really be. */
#define WATCHED_WITHIN (1500 * US)

static bool near_watched(const struct measured *m, u32 group, u64 time)
{
	u64 period = m->spec.groups[group].period, off = (time + period - m->phase[group] % period) % period;

	return m->phase[group] != NEVER && (off < WATCHED_WITHIN || off > period - WATCHED_WITHIN);
}

/*
 * Only the releases near the watched phase, if there are any: the others are the slack timer's.  Where none is, one or two do not outweigh what was
 * watched.
 */
static u32 keep_near(const struct measured *m, u32 group, u64 *releases, u32 nr)
{
	u32 near = 0;

	for (u32 i = 0; i < nr; i++)
		if (near_watched(m, group, releases[i]))
			releases[near++] = releases[i];
	if (near)
		return near;
	return nr < ENOUGH_RELEASES && m->phase[group] != NEVER ? 0 : nr;
}

/*
 * The phase of @group by the moments at which it was released, those of the groups around it left out; NEVER where there are too few.  (What
 * the guest watched was 29 ms off once: where no release is near it, most of them count.)
 */
static u64 phase_seen(const struct measured *m, const struct recording *r, const u64 *phase, u32 group)
{
	u64 *own = malloc((r->nr_releases[group] + 1) * sizeof(*own)), seen = NEVER;
	u32 nr = 0;

	for (u32 i = 0; own && i < r->nr_releases[group]; i++)
		if (!released_from_above(m, phase, group, r->releases[group][i]))
			own[nr++] = r->releases[group][i];
	if (own && (nr >= ENOUGH_RELEASES || count_limits(&m->spec) == 1))
		seen = phase_of_releases(own, keep_near(m, group, own, nr), m->spec.groups[group].period);
	free(own);
	return seen;
}

/* Outer groups come first in a spec. */
static void find_phases(const struct measured *m, const struct recording *r, u64 *phase)
{
	for (u32 g = 0; g < m->spec.nr_groups; g++) {
		u64 seen = NEVER;

		if (m->guest->phase_random && m->spec.groups[g].limited)
			seen = phase_seen(m, r, phase, g);
		phase[g] = seen != NEVER ? seen : m->phase[g];
	}
}

/* ---- all of it ---- */

int beginning_find(struct beginning *b, const struct recording *r, const struct measured *m)
{
	*b = (struct beginning){
		.phase = malloc((m->spec.nr_groups + 1) * sizeof(*b->phase)),
		.seen = malloc((r->nr_threads + 1) * sizeof(*b->seen)),
		.turns = malloc((r->nr_ends + 1) * sizeof(*b->turns)),
	};
	if (!b->phase || !b->seen || !b->turns)
		return -1;
	find_phases(m, r, b->phase);
	find_seen(b->seen, r, m);
	find_tick_turns(b, r, m);
	return 0;
}

void beginning_free(struct beginning *b)
{
	free(b->phase);
	free(b->seen);
	free(b->turns);
}

void beginning_apply(const struct beginning *b, const struct recording *r, struct stage_options *opt)
{
	opt->phase = b->phase;
	opt->seen = b->seen;
	opt->turns = b->turns;
	opt->nr_turns = b->nr_turns;
	opt->others = r->others;
	opt->nr_others = r->nr_others;
}
