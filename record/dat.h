/* SPDX-License-Identifier: MIT */
/*
 * dat.h - writes a trace.dat, version 6, as trace-cmd and KernelShark read it.
 *
 *	magic, order, sizes | header_page | header_event | formats of marks | formats of events | names | CPUs | options | where each CPU's
 *	pages lie | pages of CPU 0 | pages of CPU 1 | ...
 *
 * The pages are those of the kernel's own ring buffers, as they came.
 */
#ifndef RECORD_DAT_H
#define RECORD_DAT_H

#include <stdio.h>

#include "base/types.h"

enum dat_option { DAT_CPU_STAT = 2, DAT_CLOCK = 4, DAT_UNAME = 5, DAT_CPUS = 8 }; /* as trace-cmd numbers them */

/* A text, which need not end in a NUL. */
struct dat_text {
	const char *s;
	size_t len;
};

struct dat_format {
	const char *system; /* "sched"; formats of one follow each other; "ftrace": the tracer's own */
	struct dat_text text;
};

struct dat {
	u32 page_size;
	struct dat_text header_page, header_event;
	const struct dat_format *formats;
	u32 nr_formats;
	struct dat_text names;	/* lines of "PID NAME" */
	struct dat_text clock;	/* as the file trace_clock says: "local [mono]" */
	struct dat_text uname;
	const struct dat_text *stats; /* of each CPU: its number and its per_cpu/.../stats */
	u32 cpus;
	const int *fds;		/* a file of pages of each CPU, from its beginning */
	const u64 *sizes;	/* bytes of it */
};

/* Write it to @out, which is at its beginning.  False where @out or a file of pages failed; errno says why. */
bool dat_write(FILE *out, const struct dat *d);

#endif
