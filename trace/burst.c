/* SPDX-License-Identifier: MIT */
/* burst.c - from spans to bursts; then, from the times and makers of wakeups, why each burst began. */
#include "trace/burst.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#define REGULAR_SHARE 75     /* percent of the wakeups that must fit a timer */
#define REGULAR_LEAST 3
#define EXACT (150 * US)     /* a timer may be so late: its slack is 50 us, and interrupts take their time */
#define FRACTION 32	     /* or by this part of its length */
#define ALIKE_LEAST 10	     /* bursts, before "as long as the others" means anything */
#define ALIKE_FRACTION 20    /* 5 % */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

void sort_u64(u64 *v, u64 nr)
{
	u64 *spare = nr >= SORT_U64_LEAST ? malloc(nr * sizeof(*v)) : NULL;

	if (spare)
		sort_u64_by_digits(v, spare, nr);
	else if (nr)
		qsort(v, nr, sizeof(*v), by_value);
	free(spare);
}

u64 nearest_rank(const u64 *v, u64 nr, u32 percent)
{
	u64 rank = (nr * percent + 99) / 100;

	return nr ? v[rank ? rank - 1 : 0] : 0;
}

/* ---- spans to bursts ---- */

static void begin(struct burst *burst, const struct span *s)
{
	*burst = (struct burst){ .wake = s->start, .by = TRACE_NO_TASK, .releases = 1 };
	if (s->state == SPAN_READY && (s->flags & SPAN_WOKEN)) {
		burst->by = s->by;
		burst->context = s->context;
	}
}

static void ran(struct burst *burst, const struct span *s)
{
	if (!burst->start)
		burst->start = s->start;
	burst->cpu += span_len(s);
	if (s->flags & SPAN_LOOSE)
		burst->slack += s->slack;
}

/* The burst ends at @t, in span @s or with the recording (NULL). */
static void finish(struct bursts *b, struct burst *burst, u64 t, const struct span *s)
{
	if (!burst->start)
		return;
	burst->end = t;
	burst->dead = s && (s->flags & SPAN_DEAD);
	burst->disk = s && (s->flags & SPAN_DISK);
	burst->complete = s && !burst->dead && (burst->by != TRACE_NO_TASK || b->nr);
	b->cpu += burst->cpu;
	b->v[b->nr++] = *burst;
}

static void collect(struct bursts *b, const struct timeline *tl)
{
	const struct span *s, *end;
	struct burst burst = { 0 };
	bool going = false;

	timeline_task(tl, b->task, &s, &end);
	for (; s < end; s++) {
		if (s->state == SPAN_BLOCKED) {
			if (going)
				finish(b, &burst, s->start, s);
			going = false;
			continue;
		}
		if (!going)
			begin(&burst, s);
		going = true;
		if (s->state == SPAN_RUNNING)
			ran(&burst, s);
	}
	if (going)
		finish(b, &burst, end[-1].end, NULL);
}

int bursts_init(struct bursts *b, const struct timeline *tl, u32 task)
{
	u64 nr = tl->first[task + 1] - tl->first[task];

	memset(b, 0, sizeof(*b));
	b->task = task;
	b->v = malloc((nr + 1) * sizeof(*b->v));
	if (!b->v)
		return -1;
	collect(b, tl);
	return 0;
}

void bursts_fini(struct bursts *b)
{
	free(b->v);
	memset(b, 0, sizeof(*b));
}

/* ---- missing switches ---- */

/* The usual length of the bursts that are known for sure, or 0 where they have none. */
static u64 usual_cpu(const struct bursts *b, u64 *values)
{
	u64 nr = 0, alike = 0, usual;

	for (u64 i = 0; i < b->nr; i++)
		if (b->v[i].complete && !b->v[i].slack)
			values[nr++] = b->v[i].cpu;
	if (nr < ALIKE_LEAST)
		return 0;
	sort_u64(values, nr);
	usual = nearest_rank(values, nr, 50);
	for (u64 i = 0; i < nr; i++)
		alike += values[i] + usual / ALIKE_FRACTION >= usual && values[i] <= usual + usual / ALIKE_FRACTION;
	return alike * 100 >= nr * REGULAR_SHARE ? usual : 0;
}

/*
 * Where bursts are all of one length, one with a switch missing most likely is too, as far as the hole allows.  The slack may
 * lie on either side, since nobody knows which end of the hole was taken.
 */
static void settle_lengths(struct bursts *b, u64 *values)
{
	u64 usual = usual_cpu(b, values);

	for (u64 i = 0; usual && i < b->nr; i++) {
		struct burst *burst = &b->v[i];
		u64 most = burst->cpu + burst->slack, least = burst->cpu > burst->slack ? burst->cpu - burst->slack : 0;
		u64 cpu = usual < least ? least : min_u64(usual, most);

		if (!burst->slack || !burst->complete || cpu == burst->cpu)
			continue;
		b->cpu = b->cpu - burst->cpu + cpu;
		burst->cpu = cpu;
		b->settled++;
	}
}

/* ---- why it woke ---- */

/* Could the wakeup that began burst @i have been an interrupt's? */
static bool maybe_timer(const struct bursts *b, u64 i, const bool *member, bool context_known)
{
	const struct burst *burst = &b->v[i];

	if (!i || burst->by == TRACE_NO_TASK || b->v[i - 1].disk)
		return false;
	if (context_known)
		return burst->context & (TRACE_IN_HARDIRQ | TRACE_IN_SOFTIRQ);
	(void)member;
	return true;
}

static u64 tolerance(u64 length) { return max_u64(EXACT, length / FRACTION); }

static u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

/* What is asked of a thread's wakeups by timers: how well do their times fit? */
struct fit {
	u64 nr, fits;
	u64 length, phase;
	u64 spread; /* median distance from the fit, ns */
};

static void judge_sleeps(struct fit *fit, const struct bursts *b, const bool *is_timer, u64 *values)
{
	u64 nr = 0;

	memset(fit, 0, sizeof(*fit));
	for (u64 i = 1; i < b->nr; i++)
		if (is_timer[i])
			values[nr++] = b->v[i].wake - b->v[i - 1].end;
	if (nr < REGULAR_LEAST)
		return;
	sort_u64(values, nr);
	fit->nr = nr;
	fit->length = nearest_rank(values, nr, 50);
	for (u64 i = 0; i < nr; i++) {
		values[i] = distance(values[i], fit->length);
		fit->fits += values[i] <= tolerance(fit->length);
	}
	sort_u64(values, nr);
	fit->spread = nearest_rank(values, nr, 50);
}

/* People set round periods: the nearest multiple of 100 us, if it is no more than 1 % away. */
static u64 round_period(u64 period)
{
	u64 round = (period + 50 * US) / (100 * US) * (100 * US);

	return round && distance(round, period) <= period / 100 ? round : period;
}

/* The typical time from one wakeup by a timer to the next.  Missed expiries make some twice as long: the lower quartile. */
static u64 typical_period(const struct bursts *b, const bool *is_timer, u64 *values)
{
	u64 nr = 0;

	for (u64 i = 2; i < b->nr; i++)
		if (is_timer[i] && is_timer[i - 1])
			values[nr++] = b->v[i].wake - b->v[i - 1].wake;
	sort_u64(values, nr);
	return nr >= REGULAR_LEAST ? round_period(nearest_rank(values, nr, 25)) : 0;
}

static void judge_grid(struct fit *fit, const struct bursts *b, const bool *is_timer, u64 *values)
{
	u64 period = typical_period(b, is_timer, values), nr = 0, at = 0, most = 0;

	memset(fit, 0, sizeof(*fit));
	if (!period)
		return;
	for (u64 i = 1; i < b->nr; i++)
		if (is_timer[i])
			values[nr++] = b->v[i].wake % period;
	sort_u64(values, nr);
	/* The window of twice the tolerance, around the circle, that holds most of them. */
	for (u64 i = 0, j = 0; i < nr; i++) {
		while (j < i + nr && values[j % nr] + (j >= nr ? period : 0) - values[i] <= 2 * tolerance(period))
			j++;
		if (j - i > most) {
			most = j - i;
			at = i;
		}
	}
	fit->nr = nr;
	fit->fits = most;
	fit->length = period;
	fit->phase = values[at];
	for (u64 i = 0; i < nr; i++)
		values[i] = min_u64((values[i] + period - fit->phase) % period, (fit->phase + period - values[i]) % period);
	sort_u64(values, nr);
	fit->spread = nearest_rank(values, nr, 50);
}

static bool is_regular(const struct fit *fit)
{
	return fit->nr >= REGULAR_LEAST && fit->fits * 100 >= fit->nr * REGULAR_SHARE;
}

/* The timer's kind for the whole thread: WAKE_SLEEP, WAKE_PERIOD, or WAKE_START where no timer shows. */
static enum wake_kind judge_timer(struct bursts *b, const bool *is_timer, u64 *values)
{
	struct fit sleeps, grid;
	const struct fit *best;

	judge_sleeps(&sleeps, b, is_timer, values);
	judge_grid(&grid, b, is_timer, values);
	if (!is_regular(&sleeps) && !is_regular(&grid))
		return WAKE_START;
	best = is_regular(&sleeps) && (!is_regular(&grid) || sleeps.spread <= grid.spread) ? &sleeps : &grid;
	b->length = best->length;
	b->phase = best->phase;
	b->regular = best->fits;
	return best == &sleeps ? WAKE_SLEEP : WAKE_PERIOD;
}

/* Does burst @i fit the timer that was found? */
static bool fits_timer(const struct bursts *b, u64 i, enum wake_kind timer)
{
	u64 late;

	if (timer == WAKE_SLEEP)
		return distance(b->v[i].wake - b->v[i - 1].end, b->length) <= tolerance(b->length);
	late = (b->v[i].wake % b->length + b->length - b->phase) % b->length;
	return late <= 2 * tolerance(b->length);
}

static enum wake_kind judge_one(const struct bursts *b, u64 i, const bool *member, bool context_known, bool is_timer,
				enum wake_kind timer)
{
	const struct burst *burst = &b->v[i];

	if (!i)
		return WAKE_START;
	if (b->v[i - 1].disk)
		return WAKE_IO;
	if (is_timer && timer != WAKE_START && (context_known || fits_timer(b, i, timer)))
		return timer;
	if (is_timer && context_known && (burst->context & TRACE_IN_HARDIRQ))
		return WAKE_SLEEP; /* irregular, but from a hard interrupt: sleeps of differing lengths */
	if (burst->by < UINT32_MAX && burst->by != TRACE_IDLE && member[burst->by] && !(is_timer && context_known))
		return WAKE_TASK;
	return WAKE_OUTSIDE;
}

/* How many expiries of its periodic timer did burst @i work off?  Two or more where it took long and ran for as many. */
static u32 releases_of(const struct bursts *b, u64 i, u64 usual)
{
	const struct burst *burst = &b->v[i];
	u64 until = i + 1 < b->nr ? b->v[i + 1].wake : burst->end;
	u64 expiries = (until - burst->wake + b->length / 2) / b->length;

	if (expiries < 2 || !usual)
		return 1;
	return burst->cpu * 10 >= usual * expiries * 6 ? (u32)min_u64(expiries, 1u << 16) : 1;
}

static u64 median_cpu(const struct bursts *b, u64 *values)
{
	for (u64 i = 0; i < b->nr; i++)
		values[i] = b->v[i].cpu;
	sort_u64(values, b->nr);
	return nearest_rank(values, b->nr, 25); /* the lower quartile: bursts that worked off several are longer */
}

int bursts_judge(struct bursts *b, const bool *member, bool context_known)
{
	u64 *values = malloc((b->nr + 1) * sizeof(*values));
	bool *is_timer = calloc(b->nr + 1, sizeof(*is_timer));
	enum wake_kind timer;
	u64 usual;

	if (!values || !is_timer) {
		free(values);
		free(is_timer);
		return -1;
	}
	settle_lengths(b, values);
	for (u64 i = 0; i < b->nr; i++)
		is_timer[i] = maybe_timer(b, i, member, context_known);
	timer = judge_timer(b, is_timer, values);
	usual = median_cpu(b, values);
	for (u64 i = 0; i < b->nr; i++) {
		b->v[i].kind = (u8)judge_one(b, i, member, context_known, is_timer[i], timer);
		b->wakes[b->v[i].kind]++;
		if (timer == WAKE_PERIOD)
			b->v[i].releases = releases_of(b, i, usual);
	}
	free(values);
	free(is_timer);
	return 0;
}

u64 burst_progress(const struct timeline *tl, u32 task, const struct burst *burst, u64 cpu)
{
	const struct span *s, *end;

	timeline_task(tl, task, &s, &end);
	for (; s < end && s->start < burst->end; s++) {
		if (s->state != SPAN_RUNNING || s->start < burst->start)
			continue;
		if (cpu <= span_len(s))
			return s->start + cpu;
		cpu -= span_len(s);
	}
	return burst->end;
}
