/* SPDX-License-Identifier: MIT */
/*
 * facts.h - what a recording of our own says of the machine and of the groups: one JSON object a line, as docs/record.md says.
 *
 *	{"fairground": "record", "version": 1, "kernel": "6.1.0", "hz": 250, "cpus": 4, "target": "/web"}
 *	{"limit": "/web", "quota_usec": 25000, "period_usec": 100000, "burst_usec": 0, "weight": 100}
 *	{"stat": "/web", "at": "before", "usage_usec": 812, "nr_periods": 5, "nr_throttled": 4, "throttled_usec": 311000}
 *	{"member": "/web", "pid": 4711, "name": "nginx", "tids": [4711, 4712]}
 *
 * `fairground record` writes them as marks into a trace.dat, where they survive every conversion to text, and `record --light` as
 * lines of its own file.  They are data from a file: whatever they say is checked, and a line that makes no sense is refused as a whole.
 */
#ifndef TRACE_FACTS_H
#define TRACE_FACTS_H

#include "text/json.h"
#include "trace/cpu_stat.h"
#include "trace/record.h"

#define FACTS_GROUPS_MAX 1024
#define FACTS_MEMBERS_MAX (1u << 20)

struct fact_group {
	char *path;
	bool has_limit, has_weight, has_before, has_after;
	u64 quota, period, burst; /* ns; quota NEVER: none */
	u64 weight;		  /* cpu.weight, or cpu.shares of cgroup v1 */
	struct cpu_stat before, after;
};

struct fact_member {
	u32 group; /* index into facts.groups */
	s32 pid, tid;
	char name[TRACE_NAME_MAX];
};

struct trace_facts {
	bool any;	 /* the first line was there */
	bool light;	 /* it is a recording of counters */
	bool filtered;	 /* only events of members were recorded */
	u32 hz, cpus, cgroup; /* 0: not said */
	u64 period;	 /* light: ns between two polls */
	char kernel[64];
	char *target;	 /* the group that was asked for, or NULL */
	struct fact_group *groups;
	u32 nr_groups, cap_groups, last_group;
	struct fact_member *members;
	u32 nr_members, cap_members;
};

/* Nothing is known; and given back. */
void trace_facts_init(struct trace_facts *f);
void trace_facts_fini(struct trace_facts *f);

/* Where a line stands, and where an error goes. */
struct fact_place {
	const char *file;
	int line;
	struct err *err;
};

/* Take one line, as a tree.  1; 0 where it is none of the four kinds above; -1 with the place's err set. */
int trace_facts_take(struct trace_facts *f, const struct json *line, const struct fact_place *at);

/* The @len bytes at @text as a line.  The same, and -1 where they are no JSON object. */
int trace_facts_line(struct trace_facts *f, const char *text, size_t len, const struct fact_place *at);

/* A whole number from 0 to @most at @key of @obj.  0, or -1 with the place's err set; *@out stays where the key is not there and not @needed. */
int fact_number(const struct json *obj, const char *key, u64 most, bool needed, u64 *out, const struct fact_place *at);

/* "expected ...", at @v.  Returns -1. */
int fact_refuse(const struct json *v, const char *key, const char *expected, const struct fact_place *at);

/* The group with @path, or NULL. */
const struct fact_group *trace_facts_group(const struct trace_facts *f, const char *path);

/* The nearest group above the target that is limited, or NULL. */
const struct fact_group *trace_facts_above(const struct trace_facts *f);
/* Is @path @group, or below it? */
bool fact_is_below(const char *path, const char *group);

/* A mark in a recording: where it holds a line of ours, that goes to @tr->facts.  What makes no sense is counted as damaged. */
void trace_mark(struct trace *tr, const char *text, size_t len);

/* Tasks of @tr that are members get their process, their cgroup and, where no event told it, their name; the kernel and CPUs are told too. */
void trace_facts_apply(const struct trace_facts *f, struct trace *tr);

#endif
