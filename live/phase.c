/* SPDX-License-Identifier: MIT */
/*
 * phase.c - where periods and ticks begin.
 *
 *	write the limit ... nr_periods 0 ... 0 ... 1	the refill is between two looks
 *	compute ... what the kernel has charged 0 .. 0 .. 4 ms	the tick is between two looks
 *
 * A look can only be late, so of several boundaries the earliest in its period counts; of ticks, where most were seen, as the charge
 * moves at other moments too.
 */
#include "live/phase.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "live/burn.h"

#define LOOK_EVERY (10 * US)
#define BOUNDARIES 2		/* a write is good for two: the timer stops after an idle period */
#define WATCH(period) ((period) / 2 * 5)
#define LONG_PERIOD (250 * MS)	/* once is enough, or nobody waits that long */
#define TICK_LOOKS 9
#define TICK_GRAIN (100 * US)	/* an interrupt may be so late, and a look may take so long */

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

/* ---- ticks ---- */

/* What the kernel has charged this thread so far: it moves at ticks, and when the thread is switched out or somebody wakes beside it. */
static bool charged(int fd, u64 *ns)
{
	char text[128];

	if (file_read_fd(fd, text, sizeof(text)) || !*text)
		return false;
	*ns = strtoull(text, NULL, 10);
	return true;
}

/* Busy until the charge has moved TICK_LOOKS times; where in a step of the clock each time was. */
static int watch_ticks(int fd, u64 step, u64 offset[TICK_LOOKS])
{
	u64 last, before = clock_now(), until = before + 4 * TICK_LOOKS * step, now, ns;
	int nr = 0;

	if (!charged(fd, &last))
		return 0;
	while (before < until && nr < TICK_LOOKS) {
		if (!charged(fd, &ns))
			return 0;
		now = clock_now();
		if (ns != last && now - before < TICK_GRAIN)
			offset[nr++] = before % step;
		last = ns;
		before = now;
	}
	return nr;
}

static bool are_near(u64 a, u64 b, u64 step)
{
	u64 d = phase_behind(a, b, step);

	return d < TICK_GRAIN || step - d < TICK_GRAIN;
}

/* The offset that most others are near to. */
static u64 most_common(const u64 *offset, int nr, u64 step)
{
	int i, k, votes, most = 0;
	u64 best = 0;

	for (i = 0; i < nr; i++) {
		for (k = votes = 0; k < nr; k++)
			votes += are_near(offset[i], offset[k], step);
		if (votes > most) {
			most = votes;
			best = offset[i];
		}
	}
	return best;
}

u64 phase_tick(u64 step)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC), nr;
	u64 offset[TICK_LOOKS], best;

	if (fd < 0)
		return 0;
	nr = watch_ticks(fd, step, offset);
	close(fd);
	best = most_common(offset, nr, step);
	return best < TICK_GRAIN || step - best < TICK_GRAIN ? 0 : best;
}
