/* SPDX-License-Identifier: MIT */
/*
 * measured.h - what real kernels did: one JSON object a line, one line a run.
 *
 *	tests/oracle/main.jsonl --> measured_read --> struct measured, one a line --> stage.h makes a scenario of its spec
 *
 * tests/oracle/README.md says how the lines were made and what each key means.
 */
#ifndef ORACLE_MEASURED_H
#define ORACLE_MEASURED_H

#include "base/arena.h"
#include "base/types.h"
#include "oracle/guest.h"
#include "oracle/spec.h"
#include "text/err.h"

struct measured_times {	       /* percentiles of one kind of length, ns */
	u64 n;		       /* 0: not measured */
	u64 p50, p95, p99, max, mean;
};

struct measured_group {	       /* cpu.stat, end less start */
	u64 usage, nr_periods, nr_throttled, throttled, nr_bursts, burst;
	bool has_bandwidth;    /* the line has nr_periods and the two after it */
	bool has_burst;	       /* the kernel counts bursts */
};

struct measured_set {	       /* the threads of one t= of the spec, in order */
	u64 cpu, loops;
	u64 migrations;	       /* of all its threads; NEVER where the line has none */
	u64 *thread_cpu;       /* of each thread, ascending; NULL where the line has them not */
	struct measured_times burn_wall, wake_late, response, burn_cpu;
};

struct measured {
	const char *source;    /* "main": name of the file, without what stands behind the dot */
	const char *file;
	int line;
	const char *name;      /* of the case */
	const struct guest *guest;
	u32 vcpus, hz;
	int cgroup;	       /* 1 or 2 */
	u64 t0;		       /* CLOCK_MONOTONIC at the window's start */
	u64 block;	       /* ns that a block of the measuring program's work takes, as it was calibrated when it started */
	bool setup_failed;     /* some knob was refused */
	bool noisy;	       /* taken while other programs used the machine */
	const char *trace;     /* file below traces/, or NULL */
	struct wl_spec spec;
	struct measured_group *groups; /* one per spec.groups */
	u64 *phase;	       /* of each group's periods on the clock, NEVER where unknown */
	struct measured_set *sets;     /* one per spec.sets */
	/* Of several runs the above are medians, and these the least and the most of each figure; NULL: one run. */
	struct measured_group *least_groups, *most_groups;
	struct measured_set *least_sets, *most_sets;
	const struct measured *again; /* the same case of the same kernel once more, or NULL */
	struct measured *next;
};

struct measured_list {
	struct measured *first, **tail;
	u32 nr;
};

/*
 * Append the lines of @path to @list; all of it lives in @mem.  Lines of kernels that guest.c does not know are an error.
 * Returns 0, or -1 with @err set (file, line, key).
 */
int measured_read(struct measured_list *list, const char *path, struct arena *mem, struct err *err);
void measured_list_init(struct measured_list *list);

#endif
