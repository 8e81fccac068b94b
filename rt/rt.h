/* SPDX-License-Identifier: MIT */
/*
 * rt.h - the scheduler at real work: threads of this process stand for its CPUs, a real clock for its time.
 *
 *	rt_create --> rt_group, rt_write "/gold" "cpu.max" "75000 100000" --> rt_spawn --> rt_run --> rt_stat --> rt_destroy
 *	rt_play(scenario)	all of it for a scenario, with the result a simulation would give
 *
 * Work comes in pieces of some 50 us, as functions that return; between two pieces the scheduler may give the CPU to another task.
 * So there are no signals, no switching of stacks and no privileges; who does not return is late, and that is counted (struct live_notes).
 *
 * What a task is charged is the time the CPU was given to it, by the monotonic clock: what the host took away in the
 * meantime is in it, as in a virtual machine that does not know of steal time.
 * Times are ns.  Paths are of this scheduler's own groups; nothing is changed in the host's.
 */
#ifndef RT_RT_H
#define RT_RT_H

#include "core/lab.h"
#include "owner/result.h"
#include "text/err.h"

struct rt;
struct rt_task;

struct rt_config {
	int cpus;	 /* threads that stand for CPUs, 1..LAB_MAX_CPUS; 0: as many as this process may use */
	u32 hz;		 /* ticks a second; 0: 250 */
	const char *row; /* the kernel whose rules hold; NULL: the default row */
	const char **rules; /* changes to it, "bw_expiry=seq"; may go after rt_create() */
	u32 nr_rules;
	bool check_laws; /* every law of the scheduler after every event: slow */
	bool bind;	 /* thread i stays on the i-th CPU this process may use, and the scheduler knows what those CPUs share */
};

/* CPUs this process may use, at least 1. */
int rt_host_cpus(void);

/* NULL with @err set. */
struct rt *rt_create(const struct rt_config *cfg, struct err *err);
void rt_destroy(struct rt *rt); /* not while it runs */

/*
 * The calls below may come from any thread, also from a piece of work, and while it runs.  They wait for the scheduler's lock, never for a
 * piece to end.
 */

/* A group (with its parents), unlimited at first.  0, -EEXIST, -EINVAL (no path), or -ENOMEM. */
int rt_group(struct rt *rt, const char *path);
/* Write text to a file of a group, by the kernel's rules.  0, or a negative errno; then *@why, if @why is not NULL, says which rule. */
int rt_write(struct rt *rt, const char *path, const char *file, const char *value, const char **why);
/* cpu.stat and the ledger, as of the last charge.  0, or -ENOENT. */
int rt_stat(struct rt *rt, const char *path, struct group_stat *st);

/* What a piece of work says when it returns. */
enum rt_what {
	RT_MORE,  /* there is more: call again, at once if the scheduler lets it */
	RT_SLEEP, /* call again after @ns */
	RT_WAIT,  /* call again after rt_wake() */
	RT_EXIT	  /* never call again */
};
struct rt_then {
	enum rt_what what;
	u64 ns;
};
/* What a piece of work returns. */
static inline struct rt_then rt_more(void) { return (struct rt_then){ RT_MORE, 0 }; }
static inline struct rt_then rt_sleep(u64 ns) { return (struct rt_then){ RT_SLEEP, ns }; }
static inline struct rt_then rt_wait(void) { return (struct rt_then){ RT_WAIT, 0 }; }
static inline struct rt_then rt_exit(void) { return (struct rt_then){ RT_EXIT, 0 }; }

/*
 * One piece of work, called on the thread of the CPU it runs on, without any lock, never twice at a time for one task.  It should take
 * about @ns (20 to 50 us): what is longer makes the scheduler late.
 */
typedef struct rt_then (*rt_work)(void *arg, u64 ns);

struct rt_spec {
	const char *group; /* NULL: the root */
	int nice;	   /* -20..19 */
	const u64 *cpus;   /* allowed CPUs, as in struct task_spec; NULL: all */
};

/* A task that is runnable at once.  NULL: no such group, or memory is out.  Not to be used after it said RT_EXIT. */
struct rt_task *rt_spawn(struct rt *rt, const struct rt_spec *spec, rt_work work, void *arg);
/* End its RT_WAIT.  A wake that comes before the wait is kept, once. */
void rt_wake(struct rt *rt, struct rt_task *t);

/*
 * Start the threads, let @ns of real time pass (NEVER: until every task has exited), stop them.  May be called again: in between time
 * stands still.  One thread at a time.  0, or -1 with @err set.
 */
int rt_run(struct rt *rt, u64 ns, struct err *err);

/* Time that has passed in rt_run() so far. */
u64 rt_now(struct rt *rt);
/* What reality did to the run so far. */
void rt_notes(struct rt *rt, struct live_notes *notes);

/* ---- a scenario ---- */

struct rt_options {
	bool check_laws;   /* every law after every event */
	bool want_periods; /* fill group_result.periods */
	bool want_threads; /* keep samples per thread */
	/* Called for every event in order, under the scheduler's lock, or NULL. */
	void (*on_event)(void *ctx, const struct event *ev);
	void *ctx;
};

/*
 * Run @sc in real time, its tasks burning real CPU time: it takes the scenario's duration.  NULL with @err set, also where it has more
 * CPUs than this process may use.  The caller frees with result_free().  The costs of @sc are not applied: real ones are paid.
 */
struct result *rt_play(const struct scenario *sc, const struct rt_options *opt, struct err *err);

#endif
