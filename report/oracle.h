/* SPDX-License-Identifier: MIT */
/*
 * oracle.h - the model beside measurements of real kernels, as plain data: filled by oracle/, printed here.
 *
 *	cell: one figure of one measured run, real and model	"usage of /fib in fib2 on 2 CPUs"
 *	sum:  the cells of a row and kind, of a family of cases, of a figure
 *
 * Texts are static or live in the score's arena.  Times are ns.
 */
#ifndef REPORT_ORACLE_H
#define REPORT_ORACLE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/types.h"

struct oracle_tally {
	u32 cells, inside; /* where the real value is not 0 */
	u32 zeros, zeros_inside;
};

struct oracle_sum {
	const char *row, *kind; /* "5.10 bw_expiry=seq", "pinned" */
	const char *name;	/* of a family or figure; NULL: all of the row and kind */
	u32 cases;
	struct oracle_tally with, without; /* with all, and without what is called fitted */
};

struct oracle_cell {
	const char *row, *kind, *family;
	const char *case_id;	/* "5.10-after/fib2/2" */
	const char *figure;	/* "usage" */
	const char *subject;	/* "/fib", "h0" */
	const char *cause;	/* of a miss, or NULL: unknown */
	bool is_time;		/* ns, else a count */
	bool zero, inside;
	double real, model, tolerance;
	double without;		/* the model without what is fitted */
	double off;		/* how many tolerances apart */
};

struct oracle_skip {
	const char *case_id, *why;
};

enum oracle_by { ORACLE_BY_ROW, ORACLE_BY_FAMILY, ORACLE_BY_FIGURE, NR_ORACLE_BY };

struct oracle_score {
	struct arena mem;
	struct oracle_sum *sums[NR_ORACLE_BY];
	u32 nr_sums[NR_ORACLE_BY], cap_sums[NR_ORACLE_BY];
	struct oracle_cell *cells; /* all, in the order of the measurements */
	u32 nr_cells, cap_cells;
	struct oracle_skip *skips; /* cases that could not be played */
	u32 nr_skips, cap_skips;
	u32 nr_cases;
	u32 plays;		/* of each case; a cell's model is their median */
	const char *fitted;	/* what that is, as a sentence */
};

/* Share of @t's cells inside, in per cent; 0 where there is none. */
double oracle_share(const struct oracle_tally *t);

/* The score of all cells, one screen; @wanted and @wanted_part: shares that are asked for, in all and of each part. */
void oracle_text(FILE *out, const struct oracle_score *score, double wanted, double wanted_part);
/* Every cell, model beside real; fibtest cases as one table. */
void oracle_cells_text(FILE *out, const struct oracle_score *score);
void oracle_json(FILE *out, const struct oracle_score *score);

/* ---- event by event ---- */

enum oracle_diverge { DIVERGE_NONE, DIVERGE_WHO, DIVERGE_TIME };

struct oracle_switch { /* one switch on a CPU, ns from the window's start */
	const char *who; /* "idle", "h0.0" */
	s64 time;
};

#define ORACLE_CONTEXT 4

struct oracle_alignment {
	u64 apart; /* ns: intervals by which the two differ, summed, each up to twice the tolerance */
	const char *case_id, *trace;
	u32 model, real;	/* switches of each side */
	u32 matched;		/* pairs in which both switch to the same thread */
	u32 intervals, near;	/* of matched pairs: since the same thread's last pair; within the tolerance */
	u64 tolerance;
	u64 worst;		/* largest difference of two intervals */
	bool phase_known;
	u64 phase;		/* given to the model, from the window's start */
	enum oracle_diverge diverge;
	int cpu;		/* of the first divergence */
	s64 time;
	struct oracle_switch model_context[ORACLE_CONTEXT * 2 + 1], real_context[ORACLE_CONTEXT * 2 + 1];
	u32 nr_model_context, nr_real_context;
	u32 model_at, real_at;	/* which of the context is the divergence */
	const char *cause;	/* of it, NULL: unknown */
};

void oracle_alignment_text(FILE *out, const struct oracle_alignment *a, u32 nr);
void oracle_alignment_json(FILE *out, const struct oracle_alignment *a, u32 nr);

#endif
