/* SPDX-License-Identifier: MIT */
/* grid.c - folds the ends of gaps by every possible period. */
#include "trace/grid.h"

#include <string.h>

#define WINDOW_MOST (8500 * US)
#define WINDOW_BINS 4
#define BINS_MAX 512
#define PERIODS 1000
#define USUAL_PERIOD (100 * MS)
#define NEARLY 0.9	/* of the best excess */
#define POINTS_LEAST 3	/* two ends always have some common grid */
#define EXCESS_LEAST 0.3

u64 grid_window(u64 period) { return min_u64(period / 10, WINDOW_MOST); }

static u64 weight(const struct grid_gap *gap, u64 period) { return min_u64(gap->len, period); }

/* Where the window with the most gap time begins, 0..period. */
static u64 best_window(const struct grid_gap *gaps, u64 nr, u64 period)
{
	u64 bin = grid_window(period) / WINDOW_BINS, bins[BINS_MAX], sum = 0, best = 0;
	u32 nr_bins = (u32)((period + bin - 1) / bin), at = 0;

	memset(bins, 0, nr_bins * sizeof(*bins));
	for (u64 i = 0; i < nr; i++)
		bins[gaps[i].end % period / bin] += weight(&gaps[i], period);
	for (u32 i = 0; i < WINDOW_BINS; i++)
		sum += bins[i % nr_bins];
	for (u32 i = 0; i < nr_bins; i++) {
		if (sum > best) {
			best = sum;
			at = i;
		}
		sum += bins[(i + WINDOW_BINS) % nr_bins];
		sum -= bins[i];
	}
	return at * bin;
}

/* How far behind the last grid point @t lies. */
static u64 behind(u64 t, u64 phase, u64 period) { return (t % period + period - phase) % period; }

/* The earliest end inside the window that begins at @from, among gaps that are long as such gaps go: throttles, not waits. */
static u64 earliest(const struct grid_gap *gaps, u64 nr, u64 from, u64 period)
{
	u64 window = grid_window(period), longest = 0, least = window;

	for (u64 i = 0; i < nr; i++)
		if (behind(gaps[i].end, from, period) <= window)
			longest = max_u64(longest, weight(&gaps[i], period));
	for (u64 i = 0; i < nr; i++)
		if (weight(&gaps[i], period) >= longest / 2)
			least = min_u64(least, behind(gaps[i].end, from, period));
	return (from + least) % period;
}

static u64 common_divisor(u64 a, u64 b)
{
	while (b) {
		u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* What part of the gaps would end in the window if they had nothing to do with @period: anywhere, or on any tick. */
static double chance_of(u64 period, u64 tick)
{
	u64 window = grid_window(period), step = tick ? common_divisor(period, tick) : period;
	double even = (double)window / (double)period;
	double ticks = (double)(window / step + 1) / (double)(period / step);

	return tick && step >= MS / 2 && ticks > even ? ticks : even;
}

void grid_fit_period(struct grid_fit *fit, const struct grid_gap *gaps, u64 nr, u64 period, u64 tick)
{
	u64 window = grid_window(period), last = NEVER;
	double chance = chance_of(period, tick);

	memset(fit, 0, sizeof(*fit));
	fit->period = period;
	if (!nr)
		return;
	fit->phase = earliest(gaps, nr, best_window(gaps, nr, period), period);
	for (u64 i = 0; i < nr; i++) {
		u64 late = behind(gaps[i].end, fit->phase, period);

		fit->total += weight(&gaps[i], period);
		if (late > window || late > gaps[i].len)
			continue;
		fit->on_grid += weight(&gaps[i], period);
		if (gaps[i].end - late != last)
			fit->points++;
		last = gaps[i].end - late;
	}
	fit->excess = chance < 1 ? ((double)fit->on_grid / (double)fit->total - chance) / (1 - chance) : 0;
}

u32 grid_search(struct grid_fit *fits, u32 max, const struct grid_gap *gaps, u64 nr, u64 tick)
{
	double excess[PERIODS + 1], best = 0;
	struct grid_fit fit;
	u32 found = 0;

	if (nr < POINTS_LEAST)
		return 0;
	for (u64 ms = 1; ms <= PERIODS; ms++) {
		grid_fit_period(&fit, gaps, nr, ms * MS, tick);
		excess[ms] = fit.points >= POINTS_LEAST ? fit.excess : 0;
		if (excess[ms] > best)
			best = excess[ms];
	}
	if (best < EXCESS_LEAST)
		return 0;
	if (excess[USUAL_PERIOD / MS] >= best * NEARLY && found < max)
		grid_fit_period(&fits[found++], gaps, nr, USUAL_PERIOD, tick);
	for (u64 ms = PERIODS; ms && found < max; ms--)
		if (excess[ms] >= best * NEARLY && ms * MS != USUAL_PERIOD)
			grid_fit_period(&fits[found++], gaps, nr, ms * MS, tick);
	return found;
}
