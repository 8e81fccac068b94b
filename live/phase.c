/* SPDX-License-Identifier: MIT */
/*
 * phase.c - where periods and ticks begin.
 *
 *	write the limit ... nr_periods 0 ... 0 ... 1	the refill is between two looks
 *
 * A look can only be late, so of several boundaries the earliest in its period counts.
 */
#include "live/phase.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "live/burn.h"

#define LOOK_EVERY (10 * US)
#define BOUNDARIES 2		/* a write is good for two: the timer stops after an idle period */
#define WATCH(period) ((period) / 2 * 5)
#define LONG_PERIOD (250 * MS)	/* once is enough, or nobody waits that long */
#define TICK_LOOKS 20

u64 phase_behind(u64 moment, u64 grid, u64 step)
{
	u64 ahead;

	if (moment >= grid)
		return (moment - grid) % step;
	ahead = (grid - moment) % step;
	return ahead ? step - ahead : 0;
}

u64 phase_next(u64 t, u64 grid, u64 step)
{
	u64 behind = phase_behind(t, grid, step);

	return behind ? t + step - behind : t;
}

static u64 periods_of(int fd)
{
	char text[1024];
	u64 n;

	return !file_read_fd(fd, text, sizeof(text)) && file_number(text, "nr_periods", &n) ? n : NEVER;
}

/* Of two boundaries, the one that is earlier in its period; they are less than half a period apart. */
static u64 earlier(u64 a, u64 b, u64 period)
{
	u64 behind;

	if (a == NEVER)
		return b;
	behind = phase_behind(b, a, period);
	return behind > period / 2 ? b : a;
}

/* Start the timer and watch it expire; @best is what is known so far. */
static u64 watch(const struct cgroups *cg, const char *group, int fd, u64 period, u64 best)
{
	u64 last = periods_of(fd), seen = 0, before, until, now, n;

	if (last == NEVER || !cgroups_rewrite_limit(cg, group))
		return best;
	before = clock_now();
	until = before + WATCH(period);
	while (before < until && seen < BOUNDARIES) {
		clock_sleep_until(before + LOOK_EVERY);
		now = clock_now();
		n = periods_of(fd);
		if (n != last && n != NEVER) {
			best = earlier(best, before + (now - before) / 2, period);
			last = n;
			seen++;
		}
		before = now;
	}
	return best;
}

u64 phase_boundary(const struct cgroups *cg, const char *group, u64 period)
{
	char path[FILE_PATH_MAX];
	int fd = open(cgroups_path(cg, group, "cpu.stat", path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	u64 best = NEVER;

	if (fd < 0)
		return NEVER;
	best = watch(cg, group, fd, period, best);
	if (best != NEVER && period <= LONG_PERIOD)
		best = watch(cg, group, fd, period, best);
	close(fd);
	return best;
}

static u64 coarse_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

/* The coarse clock stands where the last tick left it, or a little later. */
u64 phase_next_tick(u64 t, u64 step)
{
	u64 grid = coarse_now(), seen;
	int i;

	for (i = 0; i < TICK_LOOKS; i++) {
		clock_sleep_until(clock_now() + step);
		seen = coarse_now();
		grid = earlier(grid, seen, step);
	}
	return phase_next(t, grid, step);
}
