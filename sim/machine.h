/* SPDX-License-Identifier: MIT */
/*
 * machine.h - a simulated computer: it owns simulated time and knows no scheduler rule.
 *
 *	scenario --> machine_create --> machine_run_until (again and again) --> machine_result --> machine_destroy
 *
 * An embedder may stop at any time, read a group's cpu.stat, write its limits, and go on.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "owner/result.h"
#include "text/err.h"

struct machine;

struct machine_options {
	bool check_laws;	/* every law after every event: slow */
	bool no_skip;		/* handle every tick by itself; same digest */
	bool want_periods;	/* fill group_result.periods */
	bool want_threads;	/* keep samples per thread */
	u64 shuffle_ties;	/* not 0: a seed that shuffles simultaneous events of one rank */
	u64 clock_base;		/* clock at the scenario's start; 0: the default */
	/*
	 * Not 0: an emulator that serves its CPUs in turn: timers of threads that expire at one moment come so many ns apart from CPU to CPU, what another
	 * CPU sends one meanwhile, or in a group's timer, waits for its turn, a timer that ends a task's turn waits for the other busy ones (rule hrtick), and where the first tick of
	 * an instant is drawn each CPU does all that its tick asks for in its turn.
	 */
	u64 timers_apart;
	/* Which CPU's tick comes first at @now (ns from the scenario's start), the others in turn behind it; NULL: CPU 0's. */
	int (*tick_first)(void *ctx, u64 now);
	/*
	 * Not 0: the CPUs are an emulator's, which executes one at a time while time passes for all (turns.c).  In user mode a turn is over after so many ns
	 * of work; where in such a block an interrupt finds the others is chance, of turn_seed.
	 */
	u64 turn, turn_seed;
	/*
	 * Not 0: on such an emulator a thread that polls its CPU clock looks at it after so many ns of instructions, and while n CPUs are busy each gets
	 * every n-th of them.
	 */
	u64 look;
	/* Called for every event in order, or NULL. */
	void (*on_event)(void *ctx, const struct event *ev);
	void *ctx;
	/* Called about ten times a second of real time with the simulated time reached; true: give up.  Or NULL. */
	bool (*progress)(void *ctx, u64 now);
};

/* A machine that stands at the scenario's start.  @sc must outlive it.  NULL with @err set. */
struct machine *machine_create(const struct scenario *sc, const struct machine_options *opt, struct err *err);

/* Run all events before @t (ns from the scenario's start).  0, or -1 with @err set (a refused write, a deadlock, memory). */
int machine_run_until(struct machine *m, u64 t, struct err *err);

/* Time reached, ns from the scenario's start. */
u64 machine_now(const struct machine *m);

/* cpu.stat of the group at @path as it would be read now.  0, or -ENOENT. */
int machine_group_stat(struct machine *m, const char *path, struct group_stat *st);

/* Write @value to @file of the group at @path now, by the kernel's rules.  0, or a negative errno. */
int machine_write(struct machine *m, const char *path, const char *file, const char *value);

/* The figures of the run so far.  Caller frees with result_free().  NULL when memory is out. */
struct result *machine_result(struct machine *m);

/* The scheduler inside, for snapshots and tests. */
struct lab *machine_lab(struct machine *m);
struct task_group *machine_group(struct machine *m, const char *path); /* NULL: no such group */

void machine_destroy(struct machine *m); /* and all it holds; NULL is allowed */

/* All of it in one go: create, run the scenario's duration, measure.  NULL with @err set. */
struct result *machine_run(const struct scenario *sc, const struct machine_options *opt, struct err *err);

#endif
