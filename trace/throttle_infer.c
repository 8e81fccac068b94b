/* SPDX-License-Identifier: MIT */
/* throttle_infer.c - gaps, the grid they end on, the quota used up before them; each step is one function below. */
#include "trace/throttle_infer.h"

#include <stdlib.h>
#include <string.h>

#include "trace/grid.h"

#define FITS_MAX 8
#define SEARCH_MOST 512	   /* gaps the search for a period looks at: the longest */
#define FAMILIES_MOST 32   /* families whose gaps are searched: those with the most gap time */
#define PERIODS_MOST (4u << 20)
#define SHORT_GAP (8 * MS) /* a wait may be as long; longer ones that end on the grid are throttles */
#define DEFAULT_TICK (4 * MS)
#define SAME_GRID 0.7	   /* share of a family's gap time that must end on a grid to belong to it */
#define KEPT (1 * MS)	   /* what an idle CPU keeps of its slice */
#define LOOK_BACK (1 * MS) /* a stopped queue runs none of its threads for so long before its release */
#define USUAL_PERIOD (100 * MS)
#define SURE_LEAST 0.3

/* A stretch in which one of the group's threads had a CPU. */
struct turn {
	u64 start, end;
	u16 cpu;
};

struct work {
	const struct trace *tr;
	const struct timeline *tl;
	const struct families *fam;
	const struct throttle_ask *ask;
	struct throttle_guess *g;
	bool *member;
	struct turn *turns; /* of the members, by CPU and time */
	u64 nr_turns;
	u64 tick;	/* ns, what is usual where it is not known */
	u64 known_tick; /* 0 where it is not known */
};

/* ---- gaps ---- */

static int by_start(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Ready and not running, from a moment that is known; what the end of the recording cuts off counts for nothing. */
static bool is_wait(const struct span *s) { return s->state == SPAN_READY && !(s->flags & (SPAN_OPEN | SPAN_LOOSE)); }

static bool is_long_gap(const struct span *s) { return is_wait(s) && span_len(s) >= GAP_LEAST; }

/* All gaps of the tasks of which @wanted is true, by time.  NULL when memory is out. */
static struct gap *gaps_of(const struct work *w, const bool *wanted, u64 *nr)
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
static bool collect_turns(struct work *w, const bool *wanted)
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
static bool was_crowded(const struct work *w, const struct gap *gap, u64 t)
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
static struct grid_gap *grid_gaps(const struct work *w, const struct gap *gaps, u64 nr, u64 most, u64 *kept)
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

	for (u64 k = 0; k < g->nr_periods; k++)
		g->periods[k].throttled = g->periods[k].touched = false;
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
		for (u64 k = period_index(g, gap->start); k < last && k < g->nr_periods; k++)
			g->periods[k].throttled = g->periods[k].touched = true;
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
	g->quota_lo = mid > over ? mid - over : 0;
	g->quota_hi = mid + over;
	g->quota = max_u64(roundest(g->quota_lo, g->quota_hi, mid), 1 * MS);
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

/* How much more gap time of a family ends on its best grid than chance explains, ns; *@fit is that grid. */
static u64 family_score(struct work *w, const bool *wanted, struct grid_fit *fit)
{
	struct grid_fit fits[FITS_MAX];
	u64 nr_gaps, nr, score = 0;
	struct gap *gaps = gaps_of(w, wanted, &nr_gaps);
	struct grid_gap *ends = gaps && collect_turns(w, wanted) ? grid_gaps(w, gaps, nr_gaps, SEARCH_MOST, &nr) : NULL;
	bool found;

	if (ends) {
		if (w->ask->period)
			grid_fit_period(&fits[0], ends, nr, w->ask->period, w->known_tick);
		found = w->ask->period ? fits[0].points >= 2 : grid_search(fits, FITS_MAX, ends, nr, w->known_tick) > 0;
		if (found && fits[0].excess > 0) {
			*fit = fits[0];
			score = (u64)(fits[0].excess * (double)fits[0].total);
		}
	}
	free(gaps);
	free(ends);
	return score;
}

/* Sums over each family, at the index of its first task. */
static u64 *family_sums(const struct work *w, enum span_state state, u64 least)
{
	u64 *sums = calloc((size_t)w->tl->nr_tasks + 1, sizeof(*sums));

	for (u32 t = 1; sums && t < w->tl->nr_tasks; t++)
		for (u64 i = w->tl->first[t]; i < w->tl->first[t + 1]; i++)
			if (w->tl->spans[i].state == state && !(w->tl->spans[i].flags & SPAN_LOOSE) &&
			    span_len(&w->tl->spans[i]) >= least)
				sums[w->fam->of[t]] += span_len(&w->tl->spans[i]);
	return sums;
}

static u32 largest(const u64 *sums, u32 nr)
{
	u32 best = 0;

	for (u32 i = 1; i < nr; i++)
		if (sums[i] > sums[best])
			best = i;
	return sums[best] ? best : TRACE_NO_TASK;
}

static void mark(const struct work *w, u32 family, bool *set, bool value)
{
	for (u32 t = 1; t < w->tl->nr_tasks; t++)
		if (w->fam->of[t] == family)
			set[t] = value;
}

/* Does most of the gap time of @wanted end on the grid @fit? */
static bool shares_grid(const struct work *w, const bool *wanted, const struct grid_fit *fit)
{
	u64 nr, on = 0, all = 0, points = 0;
	struct gap *gaps = gaps_of(w, wanted, &nr);

	for (u64 i = 0; gaps && i < nr; i++) {
		u64 len = gaps[i].end - gaps[i].start;
		u64 early = grid_window(fit->period) / 4; /* the phase is that of one family's first gap */
		u64 late = (gaps[i].end % fit->period + fit->period - fit->phase + early) % fit->period;

		if (gaps[i].in_hole || (gaps[i].flags & SPAN_PUSHED))
			continue;
		all += len;
		if (late <= grid_window(fit->period) && late < len && len >= SHORT_GAP) {
			on += len;
			points++;
		}
	}
	free(gaps);
	return points >= 2 && (double)on >= SAME_GRID * (double)all;
}

/* Nobody was picked: the family whose gaps show the clearest grid, and all others that share it. */
static int choose_members(struct work *w)
{
	u64 *gap_time = family_sums(w, SPAN_READY, GAP_LEAST), *left = family_sums(w, SPAN_READY, GAP_LEAST);
	bool *one = calloc((size_t)w->tl->nr_tasks + 1, sizeof(*one));
	struct grid_fit fit, best = { 0 };
	u64 best_score = 0;
	u32 family = 0;
	int ret = -1;

	if (!gap_time || !left || !one)
		goto out;
	for (int i = 0; i < FAMILIES_MOST && (family = largest(left, w->tl->nr_tasks)) != TRACE_NO_TASK; i++) {
		u64 score;

		mark(w, family, one, true);
		score = family_score(w, one, &fit);
		if (score > best_score) {
			best_score = score;
			best = fit;
			memcpy(w->member, one, w->tl->nr_tasks * sizeof(*one));
		}
		mark(w, family, one, false);
		left[family] = 0;
	}
	for (u32 t = 1; best_score && t < w->tl->nr_tasks; t++) {
		if (w->fam->of[t] != t || w->member[t] || gap_time[t] < 2 * SHORT_GAP)
			continue;
		mark(w, t, one, true);
		if (shares_grid(w, one, &best))
			mark(w, t, w->member, true);
		mark(w, t, one, false);
	}
	ret = 0;
out:
	free(gap_time);
	free(left);
	free(one);
	return ret;
}

/* Nothing was throttled: look at who used the most CPU time. */
static int busiest_family(struct work *w)
{
	u64 *ran = family_sums(w, SPAN_RUNNING, 0);
	u32 family;

	if (!ran)
		return -1;
	family = largest(ran, w->tl->nr_tasks);
	if (family != TRACE_NO_TASK)
		mark(w, family, w->member, true);
	free(ran);
	return 0;
}

static bool any(const bool *set, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (set[i])
			return true;
	return false;
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

static int pick_members(struct work *w)
{
	const struct trace_pick *pick = &w->ask->pick;

	if (pick->comm || pick->pid > 0) {
		families_pick(w->fam, w->tr, pick, w->member);
		return 0;
	}
	if (choose_members(w))
		return -1;
	return any(w->member, w->tl->nr_tasks) ? 0 : busiest_family(w);
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
	struct work w = { .tr = tr, .tl = tl, .fam = fam, .ask = ask, .g = guess, .member = member };
	bool found;

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
