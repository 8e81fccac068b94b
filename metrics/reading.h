/* SPDX-License-Identifier: MIT */
/*
 * reading.h - cpu.stat of a group, read once or twice; v1 and v2.
 *
 *	nr_periods 22		nr_periods 22
 *	nr_throttled 20		nr_throttled 20
 *	throttled_time 413255043	throttled_usec 413255		v1: ns, v2: us; v2 has usage_usec too, and from 5.16 on bursts
 */
#ifndef METRICS_READING_H
#define METRICS_READING_H

#include "metrics/follow.h"

struct reading {
	u64 periods, throttled, stopped, usage, bursts, borrowed; /* times in ns */
	bool v1, has_usage, has_burst;
};

/* The @len bytes of @text, from the file called @name.  0, or -1 with @err set: no cpu.stat, or figures that cannot be. */
int reading_parse(struct reading *r, const char *name, const char *text, size_t len, struct err *err);

/* What happened between two of them.  0, or -1 with @err set: a counter went back, more was throttled than there were periods. */
int reading_between(struct facts *out, const struct reading *before, const struct reading *after, const char *name, struct err *err);

#endif
