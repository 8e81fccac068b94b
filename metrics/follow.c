/* SPDX-License-Identifier: MIT */
/* follow.c - what follows from a limited group's counters. */
#include "metrics/follow.h"

#include <inttypes.h>

#define USUAL_PERIOD (100 * MS)
#define ALERT 25	/* percent of periods: where the usual alert begins */
#define LITTLE 70	/* percent of the limit */
#define FEW 20		/* periods */
#define LEAST_USED US	/* of CPU time in a throttled period, even where all but one slice of its quota expired: a thousandth of the least quota */

static int contradiction(const struct facts *f, u64 period, const char *name, struct err *err)
{
	if (f->throttled > f->periods)
		return err_at(err, name, 0, 0, "nr_throttled", "is %" PRIu64 " of %" PRIu64 " periods: that cannot be", f->throttled, f->periods);
	if (f->stopped && !f->throttled && f->stopped > period * 1024)
		return err_at(err, name, 0, 0, "throttled time", "is %" PRIu64 " ms though no period was throttled: that cannot be", f->stopped / MS);
	if (f->wall && f->periods > f->wall / period + 2) {
		err_at(err, name, 0, 0, "nr_periods", "is %" PRIu64 ", but only %" PRIu64 " periods of %" PRIu64 " ms fit into %" PRIu64 ".%" PRIu64 " s",
		       f->periods, f->wall / period, period / MS, f->wall / SEC, f->wall / (100 * MS) % 10);
		err_hint(err, "a shorter period is given as in --limit 500m/10ms, another time as --seconds");
		return -1;
	}
	return 0;
}

/* Each throttled period used its quota up, but for what other CPUs kept; no period used more, but for a burst. */
static void follow_usage(struct follows *out, const struct facts *f)
{
	out->odd_usage = f->has_usage && (f->usage < f->throttled * LEAST_USED || f->usage < f->borrowed);
	if (f->has_usage && !out->odd_usage) {
		out->used_lo = out->used_hi = f->usage;
	} else if (f->quota) {
		out->used_lo = f->throttled * f->quota / 10 * 9;
		out->used_hi = f->periods * f->quota + f->borrowed;
	}
	if (f->wall) {
		out->milli_lo = (u64)((double)out->used_lo * 1000 / (double)f->wall + 0.5);
		out->milli_hi = (u64)((double)out->used_hi * 1000 / (double)f->wall + 0.5);
	}
}

int facts_follow(struct follows *out, const struct facts *f, const char *name, struct err *err)
{
	u64 period = f->period ? f->period : USUAL_PERIOD;

	*out = (struct follows){ .period = period, .wall_periods = f->wall / period };
	if (contradiction(f, period, name, err))
		return -1;
	if (f->quota)
		out->limit_milli = (f->quota * 1000 + period / 2) / period;
	if (f->throttled) {
		out->stop = f->stopped / f->throttled;
		out->cpus_lo = (out->stop + period - 1) / period;
		if (f->quota)
			out->cpus = (out->stop + f->quota + period / 2) / period;
		if (f->quota && out->cpus < out->cpus_lo) /* none of them can stand still for longer than the period */
			out->cpus = max_u64(out->cpus_lo, 1);
		out->pause = out->cpus ? out->stop / out->cpus : 0;
	}
	follow_usage(out, f);
	out->over_limit = f->has_usage && !out->odd_usage && f->wall && out->limit_milli && !f->has_burst && out->milli_lo > out->limit_milli + out->limit_milli / 10 + 2;
	return 0;
}

enum verdict verdict_of(const struct facts *f, const struct follows *fo)
{
	u64 most = f->periods * f->quota;

	if (!f->throttled)
		return VERDICT_NONE;
	if (f->periods < FEW)
		return VERDICT_FEW;
	if (f->throttled * 100 < f->periods * ALERT)
		return VERDICT_SOME;
	if (f->has_usage && !fo->odd_usage && most && f->wall && fo->milli_lo * 100 >= fo->limit_milli * LITTLE)
		return VERDICT_LIMIT;
	if (f->has_usage && !fo->odd_usage && most && !f->wall && f->usage / 100 >= most / 100 * LITTLE / 100)
		return VERDICT_LIMIT;
	return VERDICT_TRACE;
}
