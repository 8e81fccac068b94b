/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what the parts of the bench share.
 *
 *	bench.c		the program; machines of known size and what a run of them costs
 *	shapes.c	those machines as scenario texts
 *	parts.c		the event heap and the readers of traces, by themselves
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>

#include "base/types.h"

/* CPU time of this process, ns. */
u64 cpu_ns(void);

/* One line of the table; @limit: not to be exceeded, 0: none is set. */
void row(const char *what, double value, const char *unit, double limit, const char *counts, ...)
	__attribute__((format(printf, 5, 6)));

/* ---- shapes.c: scenario texts; the caller frees ---- */

/* @per_cpu busy threads bound to each of @cpus CPUs, in no group; @seconds of it. */
char *shape_hogs(int cpus, int per_cpu, int seconds);
/* @groups groups, each @levels deep, with one busy thread; all on CPU 0.  @limited: each may use half of its share, but 1 ms in 100. */
char *shape_groups(int groups, int levels, bool limited, int seconds);
/* One busy thread on CPU 0 that may use half of it, on a machine of @cpus. */
char *shape_idle(int cpus, int seconds);

/* ---- parts.c ---- */
void bench_heap(void);
void bench_readers(void);

#endif
