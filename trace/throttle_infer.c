/* SPDX-License-Identifier: MIT */
/* throttle_infer.c - the grid, the quota used up before its points, and the verdict on each gap. */
#include "trace/throttle_impl.h"

#include <stdlib.h>
#include <string.h>

#define PERIODS_MOST (256u << 10) /* 7 hours of 100 ms */
#define DEFAULT_TICK (4 * MS)
#define KEPT (1 * MS)	   /* what an idle CPU keeps of its slice */
#define USUAL_PERIOD (100 * MS)
#define SURE_LEAST 0.3

/* ---- the periods under one grid ---- */

/* The last refill at or before @t. */
static u64 boundary_before(u64 t, u64 phase, u64 period)
{
	u64 late = (t % period + period - phase) % period;

	return t - min_u64(late, t);
}

static u64 period_index(const struct throttle_guess *g, u64 t) { return (t - g->first) / g->period; }

/* Lay out one record per period from the first event to the last.  False when that makes no sense or memory is out. */
static bool lay_out(struct throttle_guess *g, const struct trace *tr)
{
	free(g->periods);
	g->periods = NULL;
	g->first = boundary_before(trace_first(tr), g->phase, g->period);
	g->nr_periods = period_index(g, trace_last(tr)) + 1;
	if (g->nr_periods > PERIODS_MOST)
		return false;
	g->periods = calloc(g->nr_periods, sizeof(*g->periods));
	return g->periods != NULL;
}

static void use_span(struct throttle_guess *g, u64 *seen_on, const struct span *s)
{
	u64 from = s->start;

	while (from < s->end) {
		u64 k = period_index(g, from), next = g->first + (k + 1) * g->period;
		u64 to = min_u64(next, s->end);

		if (k >= g->nr_periods)
			return;
		g->periods[k].used += to - from;
		seen_on[k] |= (u64)1 << (s->cpu & 63);
		from = to;
	}
}

static bool fill_use(struct work *w)
{
	struct throttle_guess *g = w->g;
	u64 *seen_on = calloc(g->nr_periods, sizeof(*seen_on));

	if (!seen_on)
		return false;
	for (u32 t = 1; t < w->tl->nr_tasks; t++)
		for (u64 i = w->tl->first[t]; w->member[t] && i < w->tl->first[t + 1]; i++)
			if (w->tl->spans[i].state == SPAN_RUNNING)
				use_span(g, seen_on, &w->tl->spans[i]);
	for (u64 k = 0; k < g->nr_periods; k++)
		g->periods[k].cpus = (u32)__builtin_popcountll(seen_on[k]);
	free(seen_on);
	return true;
}

/* CPU time the group used from the beginning of the period around @t until @t. */
static u64 used_until(const struct work *w, u64 t)
{
	u64 from = boundary_before(t, w->g->phase, w->g->period), used = 0;

	for (u32 i = 1; i < w->tl->nr_tasks; i++)
		if (w->member[i])
			used += timeline_ran(w->tl, i, from, t);
	return used;
}

/*
 * Was @gap a throttle?  It must hold a refill, and before that nobody of the group ran on its CPU.  Most end right behind one; a short one that does may be chance, so there the quota
 * must have been used for the greater part; one that ends later is a throttle and then a wait if the quota was all used.
 */
static bool is_throttle(const struct work *w, const struct gap *gap, u64 boundary)
{
	const struct throttle_guess *g = w->g;
	bool on_grid = gap->end - boundary <= grid_window(g->period);

	if (boundary <= gap->start || was_crowded(w, gap, boundary))
		return false;
	if (!g->quota)
		return on_grid && !(gap->flags & SPAN_PUSHED);
	if (on_grid && gap->end - gap->start >= SHORT_GAP && !(gap->flags & SPAN_PUSHED))
		return true;
	return used_until(w, gap->start) + (on_grid ? g->quota / 2 : KEPT) >= g->quota;
}

/* Judge every gap, and mark the periods it reaches over. */
static void judge(struct work *w)
{
	struct throttle_guess *g = w->g;

	for (u64 k = 0; k < g->nr_periods; k++) {
		g->periods[k].throttled = g->periods[k].touched = false;
		g->periods[k].stopped = 0;
	}
	for (u64 i = 0; i < g->nr_gaps; i++) {
		struct gap *gap = &g->gaps[i];
		u64 boundary = boundary_before(gap->end, g->phase, g->period);
		u64 last;

		gap->kind = GAP_CONTENTION;
		gap->boundary = 0;
		if (!is_throttle(w, gap, boundary))
			continue;
		gap->kind = GAP_THROTTLE;
		gap->boundary = boundary;
		last = period_index(g, boundary);
		for (u64 k = period_index(g, gap->start); k < last && k < g->nr_periods; k++) {
			u64 begins = g->first + k * g->period;

			g->periods[k].throttled = g->periods[k].touched = true;
			g->periods[k].stopped += begins + g->period - max_u64(begins, gap->start);
		}
	}
}

/* ---- the quota ---- */

/*
 * What the group used per period where one throttled period follows another: nothing was saved up before, so all it used
 * came from one refill, but for what it ran over its quota (a tick on each CPU) at the two ends of each such row of periods.
 */
struct quota_sum {
	u64 used, periods, rows;
	u32 cpus;
};

static void sum_rows(struct quota_sum *sum, const struct throttle_guess *g, bool after_another)
{
	memset(sum, 0, sizeof(*sum));
	for (u64 k = 0; k < g->nr_periods; k++) {
		bool counts = g->periods[k].throttled && (!after_another || (k && g->periods[k - 1].throttled));

		if (!counts)
			continue;
		sum->used += g->periods[k].used;
		sum->periods++;
		sum->rows += !k || !g->periods[k - 1].throttled || (after_another && k > 1 && !g->periods[k - 2].throttled);
		if (g->periods[k].cpus > sum->cpus)
			sum->cpus = g->periods[k].cpus;
	}
}

#define LEAST_QUOTA (1 * MS) /* no kernel takes less */

/* The roundest limit inside [@lo, @hi], as people write limits; @mid where none is. */
static u64 roundest(u64 lo, u64 hi, u64 mid)
{
	static const u64 steps[] = { 100 * MS, 50 * MS, 25 * MS, 10 * MS, 5 * MS, 2500 * US, 1 * MS, 500 * US, 250 * US, 100 * US };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		u64 round = (mid + steps[i] / 2) / steps[i] * steps[i];

		if (round && round >= lo && round <= hi)
			return round;
	}
	return mid;
}

static void guess_quota(struct work *w)
{
	struct throttle_guess *g = w->g;
	struct quota_sum sum;
	u64 mid, over;

	sum_rows(&sum, g, true);
	if (sum.periods < 2)
		sum_rows(&sum, g, false);
	if (!sum.periods) {
		g->quota = 0;
		return;
	}
	mid = sum.used / sum.periods;
	over = max_u64(sum.rows, 1) * max_u64(sum.cpus, 1) * w->tick / sum.periods + mid / 200;
	g->quota_lo = max_u64(mid > over ? mid - over : 0, LEAST_QUOTA);
	g->quota_hi = max_u64(mid + over, LEAST_QUOTA);
	g->quota = roundest(g->quota_lo, g->quota_hi, max_u64(mid, LEAST_QUOTA));
}

/* What a period may show beyond the quota: kept slices of before, and a tick too much on each CPU. */
static u64 slack_of(const struct work *w, const struct period_use *p)
{
	return max_u64(p->cpus, 1) * (w->tick + KEPT);
}

/* Share of the periods without any throttle that used more than the quota allows. */
static double contradiction(const struct work *w)
{
	const struct throttle_guess *g = w->g;
	u64 busy = 0, over = 0;

	for (u64 k = 1; k + 1 < g->nr_periods; k++) {
		const struct period_use *p = &g->periods[k];

		if (p->touched || p->used < g->quota / 2)
			continue;
		busy++;
		over += p->used > g->quota + slack_of(w, p);
	}
	return busy ? (double)over / (double)busy : 0;
}

/* Share of the throttled periods whose use is the quota, give or take. */
static double agreement(const struct work *w)
{
	const struct throttle_guess *g = w->g;
	u64 nr = 0, agree = 0;

	for (u64 k = 1; k < g->nr_periods; k++) {
		const struct period_use *p = &g->periods[k];
		u64 slack = slack_of(w, p);

		if (!p->throttled || !g->periods[k - 1].throttled)
			continue;
		nr++;
		agree += p->used <= g->quota + slack && (p->used + slack >= g->quota || g->quota <= w->tick);
	}
	return nr ? (double)agree / (double)nr : 0.5;
}

/* 1 for many observations, 0 for none: each leaves 0.7 of the doubt. */
static double certainty(u64 observations)
{
	double doubt = 1;

	for (u64 i = 0; i < observations && i < 64; i++)
		doubt *= 0.7;
	return 1 - doubt;
}

/*
 * A CPU that goes idle while the thread it ran is ready: nothing but a throttle does that.  A period that nobody sets by
 * default needs such a witness, since tasks that take turns on a busy CPU have a period too.
 */
static bool idled(const struct throttle_guess *g)
{
	u64 throttles = 0, idle = 0;

	for (u64 i = 0; i < g->nr_gaps; i++) {
		throttles += g->gaps[i].kind == GAP_THROTTLE;
		idle += g->gaps[i].kind == GAP_THROTTLE && (g->gaps[i].flags & SPAN_CPU_IDLE);
	}
	return idle * 4 >= throttles;
}

/* ---- putting it together ---- */

/* Try @fit as the grid of the members' gaps.  False where it cannot be. */
static bool try_grid(struct work *w, const struct grid_fit *fit)
{
	struct throttle_guess *g = w->g;

	g->period = fit->period;
	g->phase = fit->phase;
	g->phase_known = true;
	g->on_grid_time = fit->on_grid;
	g->gap_time = fit->total;
	g->quota = w->ask->quota;
	g->quota_lo = g->quota_hi = g->quota;
	if (!lay_out(g, w->tr) || !fill_use(w))
		return false;
	for (int pass = 0; pass < 2; pass++) {
		judge(w);
		if (!w->ask->quota)
			guess_quota(w);
	}
	judge(w);
	g->sure_grid = fit->excess * certainty(fit->points);
	if (fit->period != USUAL_PERIOD && !w->ask->period && !idled(g))
		g->sure_grid *= 0.3;
	g->sure_quota = (1 - contradiction(w)) * agreement(w);
	return g->quota > 0;
}

/* The best grid for the gaps of the members; false where they end on none. */
static bool find_grid(struct work *w)
{
	struct throttle_guess *g = w->g;
	struct grid_fit fits[FITS_MAX], best = { 0 };
	struct grid_gap *ends;
	double best_sure = w->ask->period ? 0 : SURE_LEAST;
	u64 nr;
	u32 found;

	ends = grid_gaps(w, g->gaps, g->nr_gaps, SEARCH_MOST, &nr);
	if (!ends)
		return false;
	if (w->ask->period) {
		grid_fit_period(&fits[0], ends, nr, w->ask->period, w->known_tick);
		found = fits[0].points >= 2;
	} else {
		found = grid_search(fits, FITS_MAX, ends, nr, w->known_tick);
	}
	for (u32 i = 0; i < found; i++) {
		double sure = try_grid(w, &fits[i]) ? g->sure_grid * g->sure_quota : 0;

		if (sure > best_sure * (best.period ? 1.1 : 1)) {
			best_sure = sure;
			best = fits[i];
		}
	}
	free(ends);
	return best.period && try_grid(w, &best);
}

/* Sums over what has been judged. */
static void count_gaps(struct work *w)
{
	struct throttle_guess *g = w->g;

	for (u64 i = 0; i < g->nr_gaps; i++) {
		const struct gap *gap = &g->gaps[i];

		if (gap->kind != GAP_THROTTLE)
			continue;
		g->nr_throttles++;
		g->throttled_time += gap->boundary - gap->start;
		g->nr_throttled_idle += !!(gap->flags & SPAN_CPU_IDLE);
		g->wait_time += gap->end - gap->boundary;
		g->longest_wait = max_u64(g->longest_wait, gap->end - gap->boundary);
	}
	for (u64 k = 0; k < g->nr_periods; k++) {
		g->nr_throttled += g->periods[k].throttled;
		g->nr_active += g->periods[k].used || g->periods[k].touched;
	}
}

/* All waiting that was no throttle, however short. */
static void count_waits(struct work *w)
{
	struct throttle_guess *g = w->g;
	u64 ready = 0, longest = 0;

	for (u32 t = 1; t < w->tl->nr_tasks; t++) {
		for (u64 i = w->tl->first[t]; w->member[t] && i < w->tl->first[t + 1]; i++) {
			const struct span *s = &w->tl->spans[i];

			if (!is_wait(s))
				continue;
			ready += span_len(s);
			g->nr_waits++;
			if (span_len(s) < GAP_LEAST)
				longest = max_u64(longest, span_len(s));
		}
	}
	for (u64 i = 0; i < g->nr_gaps; i++) {
		ready -= g->gaps[i].kind == GAP_THROTTLE ? g->gaps[i].end - g->gaps[i].start : 0;
		if (g->gaps[i].kind == GAP_CONTENTION)
			longest = max_u64(longest, g->gaps[i].end - g->gaps[i].start);
	}
	g->nr_waits -= g->nr_throttles;
	g->wait_time += ready;
	g->longest_wait = max_u64(g->longest_wait, longest);
}

/*
 * A thread that was stopped and is then seen running without a switch in was released by the refill in between.  Returns whether
 * anything moved.
 */
static bool settle_starts(const struct work *w, struct timeline *tl)
{
	bool moved = false;

	for (u32 t = 1; t < tl->nr_tasks; t++) {
		for (u64 i = tl->first[t] + 1; w->member[t] && i < tl->first[t + 1]; i++) {
			u64 start = tl->spans[i].start;

			if (tl->spans[i].state != SPAN_RUNNING || tl->spans[i - 1].state != SPAN_READY)
				continue;
			timeline_settle(tl, i, boundary_before(start, w->g->phase, w->g->period));
			moved |= tl->spans[i].start != start;
		}
	}
	return moved;
}

/* All that follows from who the members are.  False when memory is out. */
static bool look_at_members(struct work *w, bool *found)
{
	struct throttle_guess *g = w->g;

	free(g->gaps);
	g->gaps = gaps_of(w, w->member, &g->nr_gaps);
	*found = false;
	if (!g->gaps || !collect_turns(w, w->member))
		return false;
	*found = !w->ask->unlimited && find_grid(w);
	return true;
}

int throttle_infer(struct throttle_guess *guess, bool *member, const struct trace *tr, struct timeline *tl,
		   const struct families *fam, const struct throttle_ask *ask)
{
	struct throttle_ask how = *ask;
	struct work w = { .tr = tr, .tl = tl, .fam = fam, .ask = &how, .g = guess, .member = member };
	bool found;

	if (how.period && (how.period < 1 * MS || how.period > SEC)) {
		how.period = 0; /* no kernel takes such a period, so there is no grid of it to find */
		how.unlimited = true;
	}
	w.known_tick = ask->hz ? SEC / ask->hz : 0;
	w.tick = ask->hz ? w.known_tick : DEFAULT_TICK;

	memset(guess, 0, sizeof(*guess));
	if (pick_members(&w)) {
		free(w.turns);
		return -1;
	}
	if (!look_at_members(&w, &found) || (found && settle_starts(&w, tl) && !look_at_members(&w, &found))) {
		free(w.turns);
		return -1;
	}
	if (found) {
		guess->source = ask->source ? ask->source : LIMIT_INFERRED;
		guess->sure = guess->sure_grid * guess->sure_quota;
	} else {
		guess->source = ask->source;
		guess->quota = guess->quota_lo = guess->quota_hi = ask->quota;
		guess->period = ask->period;
		guess->phase = 0;
		guess->phase_known = false;
		free(guess->periods);
		guess->periods = NULL;
		guess->nr_periods = 0;
		for (u64 i = 0; i < guess->nr_gaps; i++)
			guess->gaps[i].kind = GAP_CONTENTION;
	}
	count_gaps(&w);
	count_waits(&w);
	free(w.turns);
	return 0;
}

void throttle_fini(struct throttle_guess *guess)
{
	free(guess->gaps);
	free(guess->periods);
	memset(guess, 0, sizeof(*guess));
}
