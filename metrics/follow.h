/* SPDX-License-Identifier: MIT */
/*
 * follow.h - what follows from a limited group's counters, and within which range.
 *
 *	periods 61, throttled 60, stopped 8.64 s; limit 500m; 6 s	--> 98 % of active periods; 144 ms per throttled period
 *									--> 2 CPUs, stopped 72 ms each; it used all of its limit
 *
 * A group that runs on n CPUs at once uses a quota Q up in Q / n, and stands still on n CPUs for the rest of the period P: n P - Q of
 * throttled time in each throttled period.  So n = (stopped + Q) / P where the quota is known, and at least stopped / P where not.
 */
#ifndef METRICS_FOLLOW_H
#define METRICS_FOLLOW_H

#include "text/err.h"

/* Counters over a time; ns. */
struct facts {
	u64 periods, throttled, stopped; /* stopped: throttled_time, summed over CPUs */
	bool has_usage;
	u64 usage;
	bool has_burst;
	u64 bursts, borrowed;
	u64 quota, period;		 /* quota 0: not known; period 0: not known, 100 ms is taken */
	u64 wall;			 /* 0: not known */
};

/* A throttled period stops somebody for some time: without any, the counter of it was not there. */
static inline bool facts_know_stopped(const struct facts *f) { return f->stopped || !f->throttled; }

struct follows {
	u64 period, wall_periods;	/* wall_periods 0: not known */
	u64 stop;			/* per throttled period */
	u64 cpus_lo, cpus;		/* stopped at once: at least; most likely, 0: not known */
	u64 pause;			/* of each of them, 0: not known */
	u64 used_lo, used_hi;		/* CPU time; both the same where it was read */
	u64 milli_lo, milli_hi;		/* in 1/1000 CPU, 0 where the time is not known */
	u64 limit_milli;		/* 0: not known */
	bool over_limit;		/* it used more than the limit allows: some number is wrong */
	bool odd_usage;			/* the CPU time that was read is less than its throttled periods need: it is not believed */
};

/* 0, or -1 with @err set where the counters contradict each other; @name is what they were read from. */
int facts_follow(struct follows *out, const struct facts *f, const char *name, struct err *err);

/* What kind of case it is, for a fleet. */
enum verdict {
	VERDICT_TRACE,	/* throttled though it uses little: averages cannot say why */
	VERDICT_LIMIT,	/* throttled and uses what it may: the limit is too small, no trace is needed */
	VERDICT_SOME,	/* throttled now and then */
	VERDICT_FEW,	/* too few periods to say */
	VERDICT_NONE,	/* not throttled */
	VERDICT_WRONG	/* the counters contradict each other */
};
/* @fo: what facts_follow() made of @f. */
enum verdict verdict_of(const struct facts *f, const struct follows *fo);

#endif
