/* SPDX-License-Identifier: MIT */
/*
 * members.c - who the group is, where nobody says.
 *
 * The family whose gap time ends on a grid of its own more than any other's, and every other family that shares the grid.  Up to
 * Linux 6.3 all groups with one period share one grid, so threads of two groups may be taken for one.
 */
#include "trace/throttle_impl.h"

#include <stdlib.h>
#include <string.h>

#define FAMILIES_MOST 32   /* families whose gaps are searched: those with the most gap time */
#define SAME_GRID 0.7	   /* share of a family's gap time that must end on a grid to belong to it */

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

int pick_members(struct work *w)
{
	const struct trace_pick *pick = &w->ask->pick;

	if (pick->comm || pick->pid > 0 || pick->tasks) {
		families_pick(w->fam, w->tr, pick, w->member);
		return 0;
	}
	if (choose_members(w))
		return -1;
	return any(w->member, w->tl->nr_tasks) ? 0 : busiest_family(w);
}
