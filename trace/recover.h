/* SPDX-License-Identifier: MIT */
/*
 * recover.h - from a recording to a scenario that can be run again.
 *
 *	bursts of a thread --> program: [wait] run [wake another] run | [wait] run ... --> scenario: one group, its limit
 *
 * The scenario holds the group's threads and nothing of what else ran: contention with others is not in it.  Its time 0 is the
 * tick at or before the first event, so that ticks and refills lie where they lay.  Recorded lengths contain what
 * the kernel's own work cost, so the scenario's costs are all 0.
 */
#ifndef TRACE_RECOVER_H
#define TRACE_RECOVER_H

#include "text/err.h"
#include "trace/burst.h"
#include "trace/marks.h"
#include "trace/throttle_infer.h"
#include "trace/tick_guess.h"
#include "work/scenario.h"

/* The key of steps in which others have its CPU. */
#define RECOVER_STALL "stall"

struct recovered_thread {
	u32 task;		/* of the trace; its workload has the same index as this */
	u64 bursts;		/* complete ones */
	u64 cpu;		/* ns */
	u64 run_p50, run_min, run_max; /* CPU time of a complete burst, ns */
	u64 sleep_p50;		/* ns from the end of a burst to the next wakeup */
	u64 wakes[NR_WAKE_KINDS];
	u64 regular, length;	/* as in struct bursts */
	u64 settled;
	enum wake_kind kind;	/* of most of its wakes */
	bool throttled;		/* one of its gaps was a throttle */
	u64 stops, stops_on_tick; /* throttles that stopped it while it ran; those that began at a tick */
	bool polls_clock;	/* most did not: its running is charged between ticks, as when it reads its own CPU clock */
	bool busy_to_end;	/* its last burst runs to the end of the recording: how much it wanted is not known */
	bool endless;		/* so it is taken never to stop */
	u64 last_wake;		/* of its last burst, ns from the scenario's start */
	u64 last_run;		/* busy_to_end: ns of its last run that were recorded */
	u64 last_turns;		/* and how many turns of its program are its last burst */
	u64 *origins;		/* of each turn of its program: when what set it going came, whoever handed it on; from the scenario's start.  NULL: not known */
	bool exited;
};

/* What the recording shows, by the definitions that hold for results of a run. */
struct trace_figures {
	u64 *latency, nr_latency; /* ns, sorted: of bursts that ended, from release to end, of the threads that count */
	u64 *by_thread, *from;	  /* the same, thread by thread: thread i has those from from[i] to from[i + 1] */
	u64 cut;		  /* their bursts that were under way when the recording began or ended: not in the figures */
	u64 cpu;		  /* ns, all threads of the group */
	u64 cpu_slack;		  /* ns of it that are not sure */
	u64 bursts;
	u64 longest_gap;	  /* ns, ready and not running in one piece */
};

/* One burst in full, for the worst of them. */
struct burst_view {
	u32 task;
	u64 number; /* from 1, of its thread */
	u64 wake, start, end, cpu;
	u64 throttled, waited; /* ns of its wall time */
	u64 last_boundary;     /* the refill that ended its last throttle; 0: none */
	u32 behind;	       /* who ran where it waited longest, or TRACE_NO_TASK */
};

struct recovered {
	struct scenario sc;
	u64 t0; /* the recording's clock at the scenario's time 0 */
	struct recovered_thread *threads; /* in scenario.mem, as many as sc.nr_tasks */
	bool *counts;	 /* per thread: its bursts are in the figures; in scenario.mem */
	struct trace_figures figures;
	struct burst_view worst;
	u64 edges;	 /* wakes of one thread by another that were kept */
	bool by_marks;	 /* figures are of requests, and the scenario's only span measures them */
	u64 other_cpu;	 /* ns run by tasks that are left out */
	u32 other_tasks;
};

struct recover_ask {
	const char *kernel; /* row, or NULL: the default */
	u32 hz;		    /* 0: unknown, 250 is taken */
	int cpus;	    /* 0: the recording's */
	const char *name;   /* of the group: "/name" */
	bool asked;	    /* a user picked the threads */
	bool bounded;	    /* who is busy when the recording ends wanted no more than was recorded */
	const struct request *requests; /* by marks: they are what is measured, instead of bursts; those of other threads are passed over */
	u64 nr_requests;
	bool others_run;    /* in the replay too: nobody waits for them by heart */
	bool no_edges;	    /* wakes by other threads of the group come at their recorded times instead */
};

/* 0, or -1 with @err set.  Caller frees with recover_fini(), in both cases. */
int recover(struct recovered *rec, const struct trace *tr, const struct timeline *tl, const struct throttle_guess *guess,
	    const struct tick_guess *ticks, const bool *member, const struct recover_ask *ask, struct err *err);
void recover_fini(struct recovered *rec);

/* A scenario that differs from the recovered one in what its threads want. */
struct recover_way {
	struct workload *tasks;
	struct resource_spec *resources;
	u32 nr_resources;
	u64 bursts;
};

/* Let @sc, made of the recovered scenario, be as @way says. */
void recover_place(struct scenario *sc, const struct recover_way *way);

/* A limit to put the group under; ns. */
struct recover_limit {
	u64 quota;	/* NEVER: none */
	u64 period, burst;
	u64 phase;	/* of the first refill at or after time 0 */
};

/* The recovered scenario under one limit.  Nothing in it needs freeing; it points into what it was made from and into itself. */
struct limited {
	struct scenario sc;
	struct group_spec group;
	struct write_spec writes[2];
	char max[48], burst[24];
};

/* @sc: the recovered scenario, or a changed copy of it. */
void recover_under(struct limited *out, const struct scenario *sc, const struct recover_limit *limit);

#endif
