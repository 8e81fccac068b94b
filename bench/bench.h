/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what the parts of the bench share.
 *
 *	bench.c		the program; machines of known size and what a run of them costs
 *	shapes.c	those machines as scenario texts
 *	parts.c		the event heap by itself
 *	levels.c	scheduler domains of large machines
 *	recordings.c	made-up recordings of any length
 *	reading.c	what reading them costs, and running what was recorded
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
/* @threads busy threads that may use every CPU, on row @kernel; @topology NULL: one last level cache for all. */
char *shape_free(const char *kernel, int cpus, u32 hz, const char *topology, int threads, int seconds);
/* @groups groups, each @levels deep, with one busy thread; all on CPU 0.  @limited: each may use half of its share, but 1 ms in 100. */
char *shape_groups(int groups, int levels, bool limited, int seconds);
/* One busy thread on CPU 0 that may use half of it, on a machine of @cpus. */
char *shape_idle(int cpus, int seconds);

/* ---- parts.c ---- */
void bench_heap(void);

/* ---- levels.c ---- */
void bench_levels(void);

/* ---- recordings.c: @nr events of the same kind in each format; or just the line of event @i ---- */
void dat_recording(FILE *out, u64 nr);
void perf_recording(FILE *out, u64 nr);
void ftrace_recording(FILE *out, u64 nr);
void perf_text_recording(FILE *out, u64 nr);
void ftrace_line(FILE *out, u64 i);
void perf_line(FILE *out, u64 i);

/* ---- reading.c ---- */
void bench_readers(void);

#endif
