/* SPDX-License-Identifier: MIT */
/*
 * world.h - runs programs: says what each task wants next, and holds what tasks share.
 *
 *	owner of time				world
 *	  worker_next(w, now)  ------------->	interprets steps that take no time, until one does
 *	  <------------- struct want		"run 300 us", "sleep until t", "wait", "exit"
 *	  ... gives it to the task ...
 *	  worker_next(w, now)  ------------->	...
 *
 * A worker is one running instance of a program.  The world knows no scheduler and no CPU: what it does to other
 * workers (wake, spawn) goes out through world_ops, which must not call back into the world; the owner of time acts on it
 * when worker_next() has returned, in the order of the calls.
 * Bit-equal on every machine: no libm, chance only from named streams of the scenario's seed.
 * Times are ns from the scenario's start; they may be "negative" only in the sense that history runs before it, and then
 * the world is not asked.
 */
#ifndef WORK_WORLD_H
#define WORK_WORLD_H

#include "base/types.h"
#include "work/scenario.h"

struct world;
struct worker;

enum want_kind {
	WANT_RUN,	/* @ns of CPU work in user mode */
	WANT_SYS,	/* @ns of CPU work in the kernel */
	WANT_RUNTIME,	/* compute until the clock has advanced by @ns since the first instruction of it */
	WANT_SLEEP,	/* a timer: asleep until @ns (absolute); lateness (timer slack) is the machine's business */
	WANT_WAIT,	/* asleep until world_ops.wake names this worker */
	WANT_SPIN,	/* burn CPU until world_ops.wake names this worker */
	WANT_YIELD,	/* sched_yield() */
	WANT_SCHED,	/* policy, nice, slice, affinity or group change as in @phase; takes no time, then ask again */
	WANT_CLOCK,	/* it reads its own CPU clock: what it has run is charged; takes no time, then ask again */
	WANT_EXEC,	/* execve(): it may go on elsewhere; takes no time, then ask again */
	WANT_EXIT
};

struct want {
	enum want_kind kind;
	u64 ns;
	bool looks;		   /* WANT_RUN: it reads its CPU clock all the while; see world_ops.looks */
	bool resched_point;	   /* WANT_SYS */
	bool releases;		   /* WANT_SYS: the call ends with what comes next, and wakes or unlocks before it is back in user mode */
	const struct phase *phase; /* WANT_SCHED */
};

/* A moment at which the world goes on by itself: a device is done, a request arrives.  It comes as an interrupt. */
struct moment {
	u64 when;
	u64 token; /* for world_timer() */
	int cpu;   /* that is interrupted: the same for the world if the owner of time has it elsewhere */
	u64 irq;   /* ns that this takes there; NEVER: as long as a timer's interrupt */
};

struct world_ops {
	void *ctx;
	/* @w, which waits or spins, may go on.  @by: the worker that did it, or NULL (a timer, a device, an arrival). */
	void (*wake)(void *ctx, struct worker *w, struct worker *by);
	/* @parent forks an instance of scenario.tasks[@task]; returns its worker (made with worker_create) or NULL. */
	struct worker *(*spawn)(void *ctx, u32 task, struct worker *parent);
	/* A loop with a run in it ended at @end; it was released at @release. */
	void (*loop_done)(void *ctx, struct worker *w, u64 release, u64 end);
	/* Call world_timer() at @moment; NULL where the owner has none. */
	void (*timer)(void *ctx, const struct moment *moment);
	/* The CPU on which @w runs or ran last.  NULL: there is one. */
	int (*cpu)(void *ctx, const struct worker *w);
	/* Something between @from and @to, as scenario.resources[@ref] (a span, or a queue whose items are measured) has it; or NULL. */
	void (*span_done)(void *ctx, u32 ref, u64 from, u64 to);
	/* @w calls wait4() for a child; or NULL. */
	void (*awaits_child)(void *ctx, struct worker *w);
	/* The owner knows when within a run that polls its CPU clock the looks come, and makes them: want.looks.  Else each 50 us, as wants. */
	bool looks;
};

/* @sc and @ops must outlive the world.  NULL when memory is out. */
struct world *world_create(const struct scenario *sc, const struct world_ops *ops);
void world_destroy(struct world *wd);

/* Does @program begin with a wait (marks before it aside)?  Who runs it is asleep as soon as it has begun. */
bool program_waits_first(const struct program *program);

/* A worker for instance number @instance (0..) of scenario.tasks[@task], which starts (its delay included) at @start. */
struct worker *worker_create(struct world *wd, u32 task, u32 instance, u64 start);

void worker_set_owner(struct worker *w, void *owner); /* whatever the owner of time hangs on it */
void *worker_owner(const struct worker *w);
u32 worker_task(const struct worker *w);
u32 worker_instance(const struct worker *w);
bool worker_wakes_sync(const struct worker *w); /* at a queue: as an end of a pipe it wakes the other with the hint that it is about to sleep */
u64 worker_loops(const struct worker *w);    /* loops of a phase that ended, with or without a run */

/*
 * What does @w want next?  The first call starts the program; each further call says that the last want was fulfilled at @now.
 */
struct want worker_next(struct world *wd, struct worker *w, u64 now);

/* The moment given to world_ops.timer has come. */
void world_timer(struct world *wd, u64 token, u64 now);

/*
 * Nobody runs, sleeps or is on a timer, and some wait: describe it ("a-0 waits for mutex m, held by b-0; b-0 ...") into @buf,
 * cut where it is too long; @since: when the last of them began to.  Returns false where nobody waits.
 */
bool world_deadlock(const struct world *wd, u64 *since, char *buf, size_t size);

/*
 * Threads that wait for each other's mutexes in a circle, whatever others do: the same of the first such circle that was
 * found and that nobody has opened from outside; @since: when it closed.  Returns false where there is none.
 */
bool world_circle(const struct world *wd, u64 *since, char *buf, size_t size);

#endif
