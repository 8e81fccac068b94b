/* SPDX-License-Identifier: MIT */
/*
 * perf_sample.h - what a record of a perf.data holds: the attr of its event says which fields there are, their order is fixed.
 *
 *	attr.sample_type  TID | TIME | CPU | RAW ...	-->	sample  | tid | time | cpu | size, the event's own bytes |
 *
 * Rules: PERF_RECORD_SAMPLE in perf_event_open(2).
 */
#ifndef TRACE_PERF_SAMPLE_H
#define TRACE_PERF_SAMPLE_H

#include "trace/raw.h"

#define PERF_ATTRS_MAX 1024

struct perf_attr {
	u64 sample_type, read_format;
	u64 id;	     /* the first of its ids */
	bool useful; /* its samples are events, and have a time and the event's own bytes */
	bool id_all; /* records that are no samples end in a time and a CPU too */
};

struct perf_attrs {
	struct perf_attr v[PERF_ATTRS_MAX];
	u32 nr;
	bool same; /* all have one sample_type: no id is needed to read a sample */
};

struct perf_sample {
	u64 time;	  /* ns */
	u64 pid, tid;	  /* 0: not said */
	u64 cpu;	  /* 0 where that is not said */
	bool has_cgroup;  /* recorded with --all-cgroups */
	u64 cgroup;	  /* then: its id, 0 where it cannot be found */
	const u8 *event;  /* its own bytes; NULL: the sample is damaged */
	u64 size;
};

/* One attr at @p, and its @ids, 8 bytes each; more than PERF_ATTRS_MAX are not kept.  The attr, or NULL. */
const struct perf_attr *perf_attr_add(struct perf_attrs *attrs, const u8 *p, struct raw *ids);

/* Once all are there. */
void perf_attrs_compare(struct perf_attrs *attrs);

/* Whose sample @r is, which is at its beginning; NULL where that cannot be told. */
const struct perf_attr *perf_attr_of(const struct perf_attrs *attrs, const struct raw *r);

/* @r is a sample of @a, which is useful. */
void perf_sample_read(const struct perf_attr *a, struct raw *r, struct perf_sample *s);

/* The end of a record that is no sample: when and on which CPU.  False where it does not say both. */
bool perf_tail_read(const struct perf_attr *a, struct raw *r, u64 *time, u64 *cpu);

#endif
