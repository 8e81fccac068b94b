/* SPDX-License-Identifier: MIT */
/*
 * machine_of.h - a simulated machine in a few lines, so that a test reads like the sentence it checks.
 *
 *	struct testbed *m = machine_of(.cpus = 2, .row = "5.10");
 *
 *	group(m, "/web", 20 * MS, 100 * MS);
 *	u32 t = hog(m, "/web", 0, 0);			a thread pinned to CPU 0, always runnable from t = 0 on
 *	program(m, "/web", 1, 5 * MS, RUN(1 * MS), AT(55 * MS), RUN(1 * MS));
 *	run_until(m, 1000 * MS);
 *	CHECK_EQ(ran(m, t, 0, 100 * MS), 20 * MS);
 *	done(m);
 *
 * Unless said otherwise nothing costs time, ticks stand at k/HZ, periods at phase 0, every law is checked after every
 * event, and threads are pinned.  Times are ns from the scenario's start.  What a test reads at T holds before the events of T.
 * Anything that goes wrong in the machine fails the test with the machine's own words.
 */
#ifndef TESTS_MACHINE_OF_H
#define TESTS_MACHINE_OF_H

#include "core/view.h"
#include "sim/machine.h"

struct testbed;

struct machine_args {
	int cpus;		/* 1 */
	u32 hz;			/* 250 */
	const char *row;	/* "5.10" */
	const char *rules[6];	/* "bw_expiry=none", ... */
	u64 slice_us;		/* sched_cfs_bandwidth_slice_us; 0: the row's */
	u64 base_slice;		/* sched_base_slice_ns; 0: the row's, scaled by the CPUs */
	int cgroup;		/* 2 */
	u64 seed;		/* 1 */
	bool random_phase;	/* leave each group's phase to the row; else 0 unless group_phase() says more */
	const s64 *clock_skew;	/* ns per CPU */
	struct costs costs;	/* none */
	enum preempt_model preempt; /* none */
	bool no_skip;
	u64 timers_apart;	/* of an emulator: machine_options */
	int (*tick_first)(void *ctx, u64 now); /* the same */
	u64 shuffle_ties;
	u64 clock_base;		/* 1000 s */
	bool no_laws;		/* only where a test is about something else and long */
};
#define machine_of(...) machine_of_args(&(struct machine_args){ __VA_ARGS__ })
struct testbed *machine_of_args(const struct machine_args *args);

/* ---- before the first run_until(): groups, threads, what happens at a moment ---- */

#define NO_LIMIT RUNTIME_INF

/* A group (with its parents) limited to @quota in each @period from the start on. */
void group(struct testbed *m, const char *path, u64 quota, u64 period);
/* One more write at the start, in this order; @expect: an errno's name where it is to be refused, else NULL. */
void group_write(struct testbed *m, const char *path, const char *file, const char *value, const char *expect);
void group_phase(struct testbed *m, const char *path, u64 phase);
/* A write at @t; at the same t they come in the order of these calls, after ticks and threads that were armed before. */
void write_at(struct testbed *m, u64 t, const char *path, const char *file, const char *value, const char *expect);
void online_at(struct testbed *m, u64 t, int cpu, bool online);
void move_at(struct testbed *m, u64 t, u32 task, const char *path);
void affinity_at(struct testbed *m, u64 t, u32 task, const u64 *cpus); /* a mask of every CPU of the machine, not copied */

#define RUN(ns) ((struct step){ .kind = STEP_RUN, .len = { .kind = DIST_FIXED, .a = (ns) } })
#define SYS(ns) ((struct step){ .kind = STEP_SYS, .len = { .kind = DIST_FIXED, .a = (ns) } }) /* in the kernel */
#define SLEEP(ns) ((struct step){ .kind = STEP_SLEEP, .len = { .kind = DIST_FIXED, .a = (ns) } })
#define LOCK(mutex) ((struct step){ .kind = STEP_LOCK, .ref = (mutex) })
#define UNLOCK(mutex) ((struct step){ .kind = STEP_UNLOCK, .ref = (mutex) })
#define YIELD ((struct step){ .kind = STEP_YIELD })
/* Sleep until @t of the scenario; where that is over, go on at once. */
#define AT(t) \
	((struct step){ .kind = STEP_TIMER, .flags = STEP_ABSOLUTE | STEP_UNIQUE, .len = { .kind = DIST_FIXED, .a = (t) } })
/* Wait until somebody says RESUME of the same condition; lost where nobody waits. */
#define SUSPEND(condition) ((struct step){ .kind = STEP_SUSPEND, .ref = (condition) })
#define RESUME(condition) ((struct step){ .kind = STEP_RESUME, .ref = (condition) })
u32 condition(struct testbed *m, const char *name);
u32 mutex(struct testbed *m, const char *name);
#define ANY_CPU (-1)

struct task_args {
	const char *group;	/* NULL: root */
	int cpu;		/* or ANY_CPU */
	u64 start;
	s64 loops;		/* -1: for ever; 0 stands for once, and then it sleeps for good */
	int nice, policy;
	u64 slice;		/* its own, ns; 0: the base slice */
	bool kthread;
	u64 every;		/* not 0: each loop ends with a wait for the next point of a grid of that step, through start */
};
/* All return the thread's number, as used below.  The steps are copied. */
u32 task_of_args(struct testbed *m, const struct task_args *args, const struct step *steps, u32 nr);
#define STEPS(...) (const struct step[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct step[]){ __VA_ARGS__ }))
#define program(m, path, on, at, ...) \
	task_of_args(m, &(struct task_args){ .group = (path), .cpu = (on), .start = (at) }, STEPS(__VA_ARGS__))
#define cycle(m, path, on, at, step, ...) \
	task_of_args(m, &(struct task_args){ .group = (path), .cpu = (on), .start = (at), .loops = -1, .every = (step) }, \
		     STEPS(__VA_ARGS__))
u32 hog(struct testbed *m, const char *path, int cpu, u64 start);

/* The scenario as made so far, for what has no call here; and how many threads there are. */
struct scenario *scenario_of(struct testbed *m);

/* ---- running and looking ---- */

void run_until(struct testbed *m, u64 t);
/* The text of the error with which run_until() ends, or NULL where it does not. */
const char *run_until_error(struct testbed *m, u64 t);

struct machine *machine_in(struct testbed *m);
/* Deadlines and expiries in these are times of the testbed as well. */
struct group_stat stat_of(struct testbed *m, const char *path);
struct cfs_bandwidth_view pool_of(struct testbed *m, const char *path);
struct cfs_rq_view queue_of(struct testbed *m, const char *path, int cpu);
u64 cpus_of_group(struct testbed *m, const char *path); /* cpuset.cpus.effective of up to 64 CPUs */
struct task_stat task_stat_of(struct testbed *m, u32 task);
/* Runs the machine's result and gives its digest; the machine stays. */
u64 digest_of(struct testbed *m);

/* ns that @task held a CPU in [from, to). */
u64 ran(struct testbed *m, u32 task, u64 from, u64 to);

/* The @nr-th time (from 0) that @task held a CPU; both NEVER where there is none.  A run that goes on ends at NEVER. */
struct run {
	u64 from, to;
	int cpu;
};
struct run nth_run(struct testbed *m, u32 task, u32 nr);

/* The @nr-th event (from 0) of @type, sched_waking, sched_migrate_task or a bw_* one, of any group or CPU; time is NEVER where there is none. */
struct event nth_event(struct testbed *m, enum event_type type, u32 nr);
u32 count_events(struct testbed *m, enum event_type type);

void done(struct testbed *m);

#endif
