/* SPDX-License-Identifier: MIT */
/*
 * replay.h - what replay and explain print, as plain data: filled by cli/, which knows the recording and the model.
 *
 * Times are ns.  Strings are the caller's; names in them may hold any bytes and are made safe when they are printed.
 */
#ifndef REPORT_REPLAY_H
#define REPORT_REPLAY_H

#include "owner/result.h"
#include "report/result_json.h"

enum { LATENCY_P50, LATENCY_P90, LATENCY_P95, LATENCY_P99, LATENCY_MAX, NR_LATENCIES };

/* Threads of one kind: those of one name, their numbers aside. */
#define POOLS_MAX 8
struct pool_fate {
	u64 nr, latency[NR_LATENCIES];
};

/* One way the group's threads may fare: as recorded, or in one run of the model. */
struct fate {
	u64 throttled, active, wall; /* periods */
	u64 usage;		     /* CPU time */
	u64 throttled_time;	     /* as cpu.stat counts it; of a recording: summed over threads */
	u64 nr_latency, mean;
	u64 latency[NR_LATENCIES];
	struct pool_fate pool[POOLS_MAX];
};

/*
 * The same over several runs.  Of many runs of a recorded load one in RANGE_OUTSIDE lies outside the range at either end.  To how far a range of lengths goes from
 * its middle either way, RANGE_LENGTH_PERCENT of that are added, as squares are: three runs of one load on an idle machine lie 6 % apart in their p50
 * and 12 % in their p95, in the middle of 50 pairs (docs/fidelity.md).
 */
#define RANGE_OUTSIDE 20u
#define RANGE_LENGTH_PERCENT 8u
struct fates {
	struct fate at, lo, hi; /* at: where the recording's own phase is; lo, hi: the range */
	struct fate likely;	/* medians, each figure by itself */
	u32 runs, outside;	/* of so many runs so many lie below lo, and as many above hi */
	struct result *result;	/* of @at; NULL for a recording */
	const char *label;
};

struct limit_view {
	u64 quota, period, burst, phase; /* quota NEVER: none */
	u64 quota_lo, quota_hi;
	const char *source;		 /* "given", "file", "inferred", "none" */
	double sure;
	bool phase_known;
	u64 gaps, gaps_on_grid;		 /* the evidence */
};

struct trace_view {
	const char *file, *format, *kernel; /* kernel "": not said */
	u64 events, lost, bad, span;
	bool counters;	/* it holds no events; events is how often its counters were read */
	int cpus;
	u32 hz;		/* 0: not shown */
	const char *group;
	u32 threads;
	u64 bursts;
};

struct replay_error {
	s64 throttled_periods;
	double throttled_points; /* of the share of periods, in percentage points */
	double usage, latency[NR_LATENCIES]; /* percent */
	bool has_latency;
};

struct replay_view {
	struct trace_view trace;
	struct limit_view limit;
	struct fate recorded;
	const struct fates *model;
	struct replay_error error;
	const struct fates *runs;
	u32 nr_runs;
	const char *const *pools; /* names, as many as nr_pools; one or none: no table of them */
	u32 nr_pools;
	u32 phases;		  /* at which each what-if was run */
	const char *open;	  /* what else the ranges are over, a phrase, or NULL */
	const char *request; /* latencies are of requests marked so; NULL: of bursts */
	const char *task; /* "burn-25769" where one thread's bursts are all that count, else NULL */
	const struct node_view *node; /* every group of the recording, or NULL */
	const char *const *programs; /* a line for each kind of thread */
	u32 nr_programs;
	const char *const *sentences;
	u32 nr_sentences;
};

/* ---- explain ---- */

struct cause_view {
	const char *cause; /* as in the JSON: "burst", "threads", ... */
	const char *why;   /* a sentence */
	u64 periods, time;
};

/* One stretch of the worst burst. */
struct stretch {
	u64 at, len;	  /* from the burst's first instruction */
	const char *what; /* "ran", "throttled", "waited" */
	const char *note; /* "until the refill at 2211.814 s", or "" */
};

struct worst_view {
	const char *task;
	u64 number, wall, cpu, throttled, waited; /* number 0: there is none */
	u64 began;		       /* on the recording's clock */
	const struct stretch *stretches;
	u32 nr_stretches, nr_left_out;
	u64 period_start, period_used, period_stopped; /* the worst period */
	u32 period_cpus;
};

/* Requests by marks that programs made. */
struct requests_view {
	const char *what;  /* as asked for */
	u64 nr, cut;
	u64 mean, latency[NR_LATENCIES]; /* ns */
	u64 ran, throttled, waited, slept; /* ns, over all of them */
	u64 worst_number, worst_at, worst[5]; /* of the longest: wall, ran, throttled, waited, slept */
	const char *worst_task;
};

struct run_worst;
struct explain_view {
	const struct requests_view *requests; /* or NULL */
	struct trace_view trace;
	struct limit_view limit;
	struct fate recorded;
	const struct cause_view *causes;
	u32 nr_causes;
	struct worst_view worst;
	const struct run_worst *period; /* worst.h: the worst period; number 0: none */
	const char *const *sentences;
	u32 nr_sentences;
};

#endif
