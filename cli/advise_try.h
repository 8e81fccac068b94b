/* SPDX-License-Identifier: MIT */
/*
 * advise_try.h - a workload tried under a change: each at every phase of its period, each phase in a machine of its own.
 *
 *	subject (a scenario, or a recording) + change --> phases x machine --> lowest and highest of each figure, meets the target?
 *
 * Law: whether a change meets the target depends on the change alone, never on how many runs there are at a time.
 */
#ifndef CLI_ADVISE_TRY_H
#define CLI_ADVISE_TRY_H

#include "cli/load.h"
#include "cli/traced.h"
#include "report/advise.h"

/* What must hold in every phase. */
struct target {
	bool of_latency;
	double share;	   /* of latency: 0.99; 2 stands for the mean */
	u64 most;	   /* ns, or millionths of the active periods */
	bool equal_is_met; /* "<=" */
	char text[96];
};

/* "p99<50ms", "max<=120ms", "mean<2ms".  0, or -1 with @err set. */
int target_parse(struct target *t, const char *text, struct err *err);
/* At least @share ("0.99", "1") of the active periods are not throttled. */
int target_no_throttle(struct target *t, const char *share, struct err *err);

struct subject {
	const struct run_options *opt;
	struct source *source;	   /* a scenario, or NULL */
	struct traced *traced;	   /* a recording, or NULL */
	const char *name, *group, *task; /* task NULL: all in the group */
	struct target target;
	u32 phases;
	u64 quota, period, burst;  /* now; quota NEVER: none */
	bool *stuck;		   /* a recording's run came to a stop: its wakes between threads cannot be kept; or NULL */
	int cpus;
	char group_text[256];
	struct scenario base;	   /* as it is now; a recording's is its own */
	bool base_read;
	struct kernel_model model;
};

/*
 * Find the group and its limit.  @group: its path in a scenario, NULL: the only limited one; a recording has one group.  0, or -1 with
 * @err set; subject_fini() is due in both cases.
 */
int subject_init(struct subject *s, const char *group, const char *task, struct err *err);
void subject_fini(struct subject *s);

/* How many threads of the group come in copies, and so can be fewer. */
u32 subject_threads(const struct subject *s);

struct change {
	u64 quota, period, burst; /* quota NEVER: no limit */
	const char *kernel;	  /* NULL: as it is */
	u32 threads;		  /* 0: as it is */
};

struct attempt;
struct trial {
	struct change change;
	struct attempt *attempt;  /* what row's result points into */
	char name[96], limit[64], why_not[160], price[320]; /* what row's pointers point at */
	struct advise_row row;
};

/*
 * Run each of @trials at every phase and fill in its row; with @quick the phases of one that has failed the target may be left out,
 * and only row.met means anything.  A change that cannot be run is marked so.  Memory that is out ends in -1 with @err set.
 */
int trials_run(const struct subject *s, struct trial *trials, u32 nr, bool quick, struct err *err);
void trial_fini(struct trial *t);

#endif
