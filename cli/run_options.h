/* SPDX-License-Identifier: MIT */
/*
 * run_options.h - the options of every command that simulates: what to run it as, how often, and what to print.
 *
 *	struct replay_args { struct run_options run; ...own... };	run_options first: the shared rows act on it
 *	tables = { own, run_rows, print_rows, NULL }
 *
 * A variant is one way to run the scenario: a kernel, its rules and tunables, limits, a machine size.  `run` has one;
 * `compare` has several and a new one begins at each --kernel and each --vs (run_options.several).
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/options.h"
#include "input/limits_from.h"
#include "report/result_json.h"
#include "sim/machine.h"
#include "work/scenario.h"

#define VARIANTS_MAX 12 /* as many columns as fit a screen */
#define CHANGES_MAX 256

struct variant {
	const char *kernel; /* NULL: the scenario's */
	const char *rules[CHANGES_MAX], *tunables[CHANGES_MAX], *limits[CHANGES_MAX];
	u32 nr_rules, nr_tunables, nr_limits;
	const char *limits_from[CHANGES_MAX]; /* "[GROUP=]PATH" */
	u32 nr_limits_from;
	const char *cpusets[CHANGES_MAX]; /* "[GROUP=]LIST" */
	u32 nr_cpusets;
	struct manager manager;
	u64 cpus, hz;	    /* 0: the scenario's */
	const char *topology; /* NULL: the scenario's */
	bool no_costs;
	char label[160];    /* variants_label() */
};

struct run_options {
	bool several; /* set by the command: each --kernel begins a new variant */
	struct variant variants[VARIANTS_MAX];
	u32 nr_variants; /* 0 until an option names one */

	u64 seed;	  /* where seed_set, else the scenario's */
	bool seed_set;
	u64 duration;	  /* ns, 0: the scenario's */
	u64 runs;	  /* seeds, 0 = 1 */
	u64 phases;	  /* start phases, 0: the scenario's, else 1 */
	u64 jobs;	  /* threads of this process, 0: one per CPU */
	bool json, periods, threads, no_skip, check_laws, rtapp_compat;
};

/* --kernel --rule --tunable --hz, and --limit --cpus --topology --costs: what a variant is made of. */
extern const struct option_row kernel_rows[], variant_rows[];
/* --limits-from --driver --weights --rtapp-compat: for commands that read a scenario file */
extern const struct option_row file_rows[];
/* --vs, for commands that compare */
extern const struct option_row vs_rows[];
/* --seed --duration --runs --phases --jobs --no-skip --check-laws */
extern const struct option_row run_rows[];
/* --json --periods --threads */
extern const struct option_row print_rows[];

/* Does it change nothing but, maybe, the kernel? */
bool variant_is_plain(const struct variant *v);
/* --limit @spec as typed: where its amount looks like millicores without their m, say to stderr how it is taken. */
void say_limit_unit(const char *spec);

/* --@what takes the word @first or @second; which one @value is into *@is_second.  0, or -1 with @err set. */
int one_of_two(const char *what, const char *value, const char *first, const char *second, bool *is_second, struct err *err);

/* The variant that options act on now; there is one after the call. */
struct variant *current_variant(struct run_options *opt);

/* Give each variant a name that says how it differs from the others: "4.14.133", "4.14.133 bw_expiry=none". */
void variants_label(struct variant *variants, u32 nr, const struct scenario *sc);

/* The machine's options that follow from the command line. */
struct machine_options machine_options_of(const struct run_options *opt);

/* What was asked to be added to a result. */
struct result_detail run_detail(const struct run_options *opt);

#endif
