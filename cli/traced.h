/* SPDX-License-Identifier: MIT */
/*
 * traced.h - a recording on the command line: read, understood, and made a scenario of; for replay and explain.
 */
#ifndef CLI_TRACED_H
#define CLI_TRACED_H

#include "cli/run_options.h"
#include "report/replay.h"
#include "trace/cpu_stat.h"
#include "trace/marks.h"
#include "trace/light_recover.h"
#include "trace/recover.h"

struct trace_options {
	const char *comm;     /* --comm */
	u64 pid;	      /* --pid, 0: none */
	struct option_list recorded; /* --recorded: the limit that was in force, and what else is known of the machine */
	const char *cpu_stat; /* --cpu-stat */
	struct option_list groups; /* --group, each as trace/group_pick.h says */
	const char *cgroups;  /* --cgroups: a list of members */
	bool no_edges;	      /* as in struct recover_ask */
	bool many_groups;     /* several --group are for a caller that looks at all of them; here the first counts */
	const char *request;  /* --request: marks, as trace/marks.h says; NULL: bursts */
	bool replays_marks;   /* figures are of such requests, and so are those of the scenario's runs */
};

#define TRACE_OPTION_ROWS(type, field)                                                                                          \
	{ .name = "recorded", .arg = "WHAT", .kind = OPTION_LIST, .offset = offsetof(type, field.recorded),                     \
	  .help = "what held when it was recorded: the limit, as in 250m, 25ms/100ms or max (default: inferred from the trace); kernel=ROW, "   \
		  "hz=N, cpus=N, topology=WHAT or rule=NAME=VALUE; may be repeated",                                                           \
	  .brief = "what held then: a limit (250m, 25ms/100ms, max), kernel=ROW, hz=N" },                                     \
	{ .name = "comm", .arg = "NAME", .kind = OPTION_TEXT, .offset = offsetof(type, field.comm),                             \
	  .help = "the group is the threads called NAME; * stands for any characters (default: who shows throttling)" },       \
	{ .name = "pid", .arg = "N", .kind = OPTION_COUNT, .offset = offsetof(type, field.pid), .lowest = 1,                    \
	  .highest = INT32_MAX, .help = "the group is process N with its threads and what it forked" },                        \
	{ .name = "group", .arg = "WHO", .kind = OPTION_LIST, .offset = offsetof(type, field.groups),                           \
	  .help = "the group, its name first: 'web: comm~nginx*', 'db: pid=4711,4712', 'api: cgroup~*pod1234*'",               \
	  .brief = "the group: 'web: comm~nginx*', 'db: pid=47,48', 'api: cgroup~*pod1*'" },                              \
	{ .name = "cgroups", .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(type, field.cgroups), .complete = "@file",   \
	  .help = "who is in which cgroup: lines of grep . /proc/[0-9]*/task/[0-9]*/cgroup, or of pid and path" },              \
	{ .name = "cpu-stat", .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(type, field.cpu_stat), .complete = "@file", \
	  .help = "the group's cpu.stat over the same time, to check the inference by" }

struct traced {
	const char *path;
	struct trace tr;
	struct timeline tl;
	struct families fam;
	struct tick_guess ticks;
	bool *member;
	bool *picked; /* by --group, or NULL */
	struct throttle_guess guess;
	struct recovered rec;
	struct recover_limit limit; /* that was in force */
	struct marks marks;	    /* of requests, where they were asked for */
	struct request *requests;   /* or NULL */
	u64 cut_requests;	    /* that began or ended outside the recording */
	struct cpu_stat stat;
	bool has_stat;
	bool kernel_said;	    /* by the user */
	u32 hz;			    /* said by the user or seen in the recording; 0: neither, 250 is taken */
	char group[64];
	struct recover_way ways[NR_LIGHT_WAYS]; /* of a recording of counters (cli/light.h); rec.sc is as the first */
	u32 nr_ways;		    /* 0: it is one of events */
	u32 way;
	const char *way_name;
};

/*
 * Read the recording at @path.  0, or -1 with @err set; traced_close() is due in both cases.  @v: kernel, rules, tunables, CPUs and HZ;
 * its limits are not looked at.
 */
int traced_open(struct traced *t, const char *path, const struct trace_options *opt, const struct variant *v, struct err *err);
void traced_close(struct traced *t);

/* What the recording shows, for printing. */
void traced_view(const struct traced *t, struct trace_view *trace, struct limit_view *limit, struct fate *fate);

/* ---- sentences ---- */

struct sentences {
	char **v;
	u32 nr, cap;
};
void sentences_add(struct sentences *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sentences_fini(struct sentences *s);

/* A line for each kind of thread: what it does and why it wakes. */
void say_programs(struct sentences *s, const struct traced *t);
/* Programs that choose how many threads they have by the CPUs or the limit they find. */
void say_adapts(struct sentences *s, const struct traced *t);
/* What was left out, what is not sure. */
void say_limits_of_trace(struct sentences *s, const struct traced *t);

#endif
