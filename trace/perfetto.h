/* SPDX-License-Identifier: MIT */
/*
 * perfetto.h - a Perfetto trace, as far as it holds the scheduler's events.
 *
 *	Trace --> packet --> ftrace_events: cpu, event, event, ... compact_sched		field 1 of a packet
 *	                 --> process_tree: which process a thread belongs to			2
 *	                 --> system_info, ...							the rest is passed over
 *
 * compact_sched keeps switches and wakeups as columns of numbers: a switch's previous task is the one that its CPU
 * switched to before.
 */
#ifndef TRACE_PERFETTO_H
#define TRACE_PERFETTO_H

#include "text/err.h"
#include "trace/record.h"

/* Do the @len first bytes of a file look like one? */
bool is_perfetto(const u8 *p, u64 len);

/* Read the recording of @len bytes at @p, called @path, into @tr.  0, or -1 with @err set. */
int perfetto_read(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err);

#endif
