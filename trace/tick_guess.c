/* SPDX-License-Identifier: MIT */
/* tick_guess.c - folds the times of forced switches by each possible tick. */
#include "trace/tick_guess.h"

#include <stdlib.h>
#include <string.h>

/* CONFIG_HZ's choices in the order of preference where several explain the same: 250 is what most kernels have. */
static const u32 possible_hz[] = { 250, 100, 300, 1000 };

#define BIN (25 * US)
#define WINDOW_BINS 6 /* 150 us: interrupt entry, charging, the switch itself, and a busy host below */
#define BINS_MAX ((u32)(SEC / 100 / BIN))
#define LEAST_SWITCHES 10
#define LEAST_EXCESS 15	 /* percent of the switches beyond what chance puts into the window */
#define NEARLY 60	 /* percent of the best excess that a preferred one must reach */
#define JUST_WOKEN (200 * US)

struct fold {
	u32 bins[BINS_MAX + 1], nr_bins;
	u64 nr, best;
	u32 best_bin;
};

/* A runnable task had to leave for one that was not woken just now: its own wakeup would have been the reason then. */
static bool is_forced(const struct trace *tr, u64 i, const u64 *woken)
{
	u8 left = tr->flags[i] & TRACE_LEFT_MASK;

	if (tr->type[i] != EVENT_SCHED_SWITCH || tr->other[i] == TRACE_IDLE)
		return false;
	if (tr->task[i] != TRACE_IDLE && woken[tr->task[i]] && tr->time[i] - woken[tr->task[i]] < JUST_WOKEN)
		return false;
	return left == TRACE_LEFT_RUNNABLE || left == TRACE_LEFT_PREEMPTED;
}

/* The times of forced switches into @times, which holds tr->nr; returns how many. */
static u64 forced_times(const struct trace *tr, u64 *times, u64 *woken)
{
	u64 nr = 0;

	for (u64 i = 0; i < tr->nr; i++) {
		if (is_forced(tr, i, woken))
			times[nr++] = tr->time[i];
		else if (tr->type[i] == EVENT_SCHED_WAKING || tr->type[i] == EVENT_SCHED_WAKEUP)
			woken[tr->task[i]] = tr->time[i];
	}
	return nr;
}

static void fold_by(struct fold *f, const u64 *times, u64 nr, u64 tick)
{
	u64 sum = 0;

	memset(f, 0, sizeof(*f));
	f->nr_bins = (u32)((tick + BIN - 1) / BIN);
	f->nr = nr;
	for (u64 i = 0; i < nr; i++)
		f->bins[times[i] % tick / BIN]++;
	for (u32 i = 0; i < WINDOW_BINS; i++)
		sum += f->bins[i % f->nr_bins];
	for (u32 i = 0; i < f->nr_bins; i++) {
		if (sum > f->best) {
			f->best = sum;
			f->best_bin = i;
		}
		sum += f->bins[(i + WINDOW_BINS) % f->nr_bins];
		sum -= f->bins[i];
	}
}

/* Percent of the switches in the best window beyond what an even spread would put there. */
static s64 excess(const struct fold *f, u64 tick)
{
	u64 even = f->nr * WINDOW_BINS * BIN / tick;

	return f->nr > even ? ((s64)f->best - (s64)even) * 100 / (s64)(f->nr - even) : 0;
}

static void guess_from(struct tick_guess *guess, const u64 *times, u64 nr)
{
	struct fold f;
	s64 best = 0;

	for (size_t i = 0; i < ARRAY_SIZE(possible_hz); i++) {
		fold_by(&f, times, nr, tick_length(possible_hz[i]));
		best = max_s64(best, excess(&f, tick_length(possible_hz[i])));
	}
	if (best < LEAST_EXCESS)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(possible_hz); i++) {
		u64 tick = tick_length(possible_hz[i]);

		fold_by(&f, times, nr, tick);
		if (excess(&f, tick) * 100 < best * NEARLY)
			continue;
		guess->hz = possible_hz[i];
		guess->on_tick = f.best;
		/* The first bin with something in it: the window may begin before it. */
		while (!f.bins[f.best_bin % f.nr_bins])
			f.best_bin++;
		guess->phase = f.best_bin % f.nr_bins * BIN;
		return;
	}
}

int ticks_infer(struct tick_guess *guess, const struct trace *tr)
{
	u64 *times = malloc((tr->nr + 1) * sizeof(*times));
	u64 *woken = calloc((size_t)tr->nr_tasks + 1, sizeof(*woken));
	int ret = -1;

	memset(guess, 0, sizeof(*guess));
	if (times && woken) {
		guess->nr = forced_times(tr, times, woken);
		if (guess->nr >= LEAST_SWITCHES)
			guess_from(guess, times, guess->nr);
		ret = 0;
	}
	free(times);
	free(woken);
	return ret;
}
