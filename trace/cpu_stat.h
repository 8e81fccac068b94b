/* SPDX-License-Identifier: MIT */
/*
 * cpu_stat.h - a group's cpu.stat, as cat shows it.
 *
 *	nr_periods 22		nr_periods 22
 *	nr_throttled 20		nr_throttled 20
 *	throttled_time 413255043	throttled_usec 413255		v1: ns, v2: us
 */
#ifndef TRACE_CPU_STAT_H
#define TRACE_CPU_STAT_H

#include "text/err.h"

struct cpu_stat {
	u64 nr_periods, nr_throttled;
	u64 throttled_time; /* ns */
	u64 usage;	    /* ns, 0 where it is not said (v1) */
	u64 nr_bursts;
};

/* Read the @len bytes of @text, from the file called @path.  0, or -1 with @err set: no such file, or figures that cannot be. */
int cpu_stat_parse(struct cpu_stat *st, const char *path, const char *text, size_t len, struct err *err);
int cpu_stat_read(struct cpu_stat *st, const char *path, struct err *err);

#endif
