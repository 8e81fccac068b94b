/* SPDX-License-Identifier: MIT */
/*
 * result.h - what a run measured.  Filled by whoever owned the time: sim/, rt/, live/; printed by report/; times in ns.
 */
#ifndef OWNER_RESULT_H
#define OWNER_RESULT_H

#include "core/lab.h"
#include "work/scenario.h"

/* Every sample is kept; percentiles are nearest rank, the ceil(p * n)-th smallest. */
struct samples {
	u64 *v;
	u64 nr, cap;
	bool sorted;
};
void samples_add(struct samples *s, u64 value);	      /* aborts the process only when memory is out */
u64 samples_percentile(struct samples *s, double p);  /* p in 0..1; 0 where there is no sample */
u64 samples_mean(const struct samples *s);
u64 samples_sum(const struct samples *s);	      /* UINT64_MAX where it is more */
u64 samples_max(struct samples *s);
void samples_merge(struct samples *into, const struct samples *from);
void samples_free(struct samples *s);

struct period_record {	/* --periods: one refill interval of a group, or what of it lies in the window; together they are the window */
	u64 start, granted, charged, stranded, debt, throttled;
	u32 cpus;	/* queues that were charged in it */
	u32 throttled_cpus_end;
};

struct group_result {
	const char *path;
	struct group_stat stat;
	u64 active_periods, wall_periods;
	struct period_record *periods;
	u32 nr_periods, cap_periods;
};

struct thread_result {
	u64 runtime, loops, work, longest_pause, wait_throttled, wait_contended, nvcsw, nivcsw, migrations;
	int cpu; /* last one */
	struct samples latency, wakeup_latency;
};

struct task_result {
	const char *name, *group;
	u32 count;		/* threads that existed */
	u64 iterations;		/* work in the user's unit, where the scenario gives one */
	struct thread_result sum; /* longest_pause: the longest of any */
	struct thread_result *threads;
};

struct span_result {	/* a stretch of programs between "begin" and "end", or the items of a measured queue */
	const char *name;
	struct samples took;
};

struct write_result {
	u64 t;			/* from the start of the scenario */
	const char *group, *file, *value;
	int err;		/* 0 or a positive errno */
	const char *rule;	/* name of the kernel's rule that refused, or NULL */
	const char *reason;
};

struct stuck {		/* threads for which nothing can happen any more */
	u64 since;	/* from the start of the scenario */
	bool circle;	/* they wait for each other's mutexes; else the last thread that could have woken them is gone or waits too */
	char who[512];	/* "a-0 waits for mutex m, held by b-0; b-0 ..."; "": nobody is stuck */
};

struct live_notes {	/* what reality did to a run on real CPUs */
	u64 elapsed;	/* real time that passed */
	u64 given, got;	/* time that CPUs gave to tasks, and the CPU time the host gave for it: the rest was stolen */
	u64 overrun, longest_overrun; /* tasks that ran on after they were asked to leave */
	u64 late, nr_timers; /* timers were handled so late, in all, and how many there were */
	u64 longest_late; /* a timer or a tick was handled so late */
	u64 lost_ticks;	/* came so late that the next one was due */
};

struct result {
	const struct scenario *scenario;
	struct kernel_model model;
	u64 seed, start, end;	/* measured window, ns from the scenario's start */
	u64 digest;
	int cgroup;		/* 1 or 2, as it was in force */
	int preempt;		/* enum preempt_model, as it was in force */
	struct group_result *groups;
	u32 nr_groups;
	struct task_result *tasks;
	u32 nr_tasks;
	struct span_result *spans; /* in the scenario's order */
	u32 nr_spans;
	u64 *cpu_usage;		/* ns per CPU */
	int nr_cpus;
	struct write_result *writes;
	u32 nr_writes;
	u64 moves[NR_MOVE_CAUSES]; /* of sched_migrate_task, by cause */
	u64 events[NR_EVENT_TYPES]; /* counts; sched_stat_runtime is a sum of ns, as perf stat shows it */
	u64 nr_stat_runtime;	/* how many of those there were */
	u64 nr_ipis;		/* interrupts that one CPU sent to another for the scheduler */
	u64 nr_ticks;		/* busy CPU-ticks, skipped or not */
	struct stuck stuck;
	bool live;		/* real work on real CPUs: costs were real too, and nothing repeats */
	struct live_notes notes;
	char **snapshot;	/* text lines of --snapshot, or NULL */
	u32 nr_snapshot;
};
void result_free(struct result *res); /* NULL is allowed */

#endif
