/* SPDX-License-Identifier: MIT */
/*
 * perf_data.h - what `perf record` and `perf sched record` write.
 *
 *	head --> attrs: what a sample holds | data: records, each with type and size | features: formats of events, kernel, CPUs
 *
 * Records of several CPUs come in rounds, so they are sorted afterwards.  With --all-cgroups each sample says in which cgroup
 * the running task is.
 */
#ifndef TRACE_PERF_DATA_H
#define TRACE_PERF_DATA_H

#include "text/err.h"
#include "trace/record.h"

#define PERF_DATA_MAGIC "PERFILE2" /* 8 bytes */

/* Read the recording of @len bytes at @p, called @path, into @tr.  0, or -1 with @err set where it is none or holds no formats. */
int perf_data_read(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err);

#endif
