/* SPDX-License-Identifier: MIT */
/*
 * program.h - what a task does, as data.
 *
 *	program = phases, each a list of steps, each step one event of the scenario language:
 *
 *	"worker": { "loop": -1, "phases": { "a": { "loop": 10, "run": 300, "sleep": 700 }, "b": { "run": 5000 } } }
 *	 program          \-- program.loop          phase.loop --/  steps: RUN, SLEEP
 *
 * Plain data: filled by input/ (from scenario and rt-app files) and by trace/ (from recordings), run by world.c.
 * Phases may hold phases (at most PROGRAM_MOST_DEPTH deep): they are listed depth first, each container before its content.
 * Names are owned by the program; step.ref indexes the scenario's table of resources (or of tasks, for FORK and JOIN).
 */
#ifndef WORK_PROGRAM_H
#define WORK_PROGRAM_H

#include "base/types.h"

enum step_kind {
	STEP_RUN,	/* ns of CPU work */
	STEP_RUNTIME,	/* ns of wall time spent computing: preemption counts as progress (rt-app runtime) */
	STEP_SYS,	/* ns of CPU work inside the kernel; no reschedule point unless flags has STEP_RESCHED_POINT.  What directly follows
			   and wakes or unlocks others is still part of the call. */
	STEP_SLEEP,	/* ns, relative */
	STEP_TIMER,	/* ref = timer resource; ns = period; flags has STEP_ABSOLUTE */
	STEP_ARRIVE,	/* wait for the next arrival of an open-loop stream; ref = arrival resource */
	STEP_SUSPEND,	/* wait on ref (a condition) until resumed */
	STEP_RESUME,	/* wake all who wait on ref; lost if nobody does */
	STEP_LOCK, STEP_UNLOCK,
	STEP_WAIT,	/* on condition ref, releasing mutex ref2 */
	STEP_SIGNAL, STEP_BROAD,
	STEP_SYNC,	/* signal ref, then wait on it */
	STEP_BARRIER,
	STEP_SEM_POST, STEP_SEM_WAIT,
	STEP_QUEUE_PUT, STEP_QUEUE_GET, /* bounded queue of work items; ns of a put = work of the item, done as part of the get; ref2 is
			   told when that is done */
	STEP_SPIN,	/* burn CPU until ref is resumed */
	STEP_YIELD,
	STEP_FORK,	/* create one more instance of program ref */
	STEP_JOIN,	/* wait until every task of program ref has exited */
	STEP_SET,	/* raise flag ref (see program.until) */
	STEP_MEM,	/* rt-app mem/memrun/iorun: kept for its place, takes no simulated time */
	STEP_REQUEST,	/* mark: a request begins here (latency counts from now) */
	STEP_IO,	/* submit to device ref; sleep until served, or go on and have ref2 told: a queue gets an item of ns work, after
			   which ref3 is told */
	STEP_BEGIN, STEP_END, /* of a stretch of the program whose length is measured; ref = span */
	STEP_EXEC,	/* execve(): it may be placed anew */
	STEP_EXIT
};

#define STEP_ABSOLUTE 1u	/* STEP_TIMER: keep the grid when a release was missed */
#define STEP_UNIQUE 2u		/* STEP_TIMER: one timer per thread */
#define STEP_RESCHED_POINT 4u	/* STEP_SYS: the call has a cond_resched() */
#define STEP_POLLS_CLOCK 8u	/* STEP_RUN: it reads its own CPU clock all the while, so its running is charged between ticks too */
#define STEP_SPINS 16u		/* STEP_SEM_WAIT, STEP_QUEUE_GET: burn CPU rather than sleep */
#define STEP_BATCH 32u		/* STEP_QUEUE_GET: all that is there is taken at once, and the next gets live on that */

/* A length of time: fixed, or drawn for each use from a named stream. */
enum dist_kind { DIST_FIXED, DIST_UNIFORM, DIST_EXPONENTIAL, DIST_NORMAL, DIST_LOGNORMAL, DIST_EMPIRICAL };
struct dist {
	enum dist_kind kind;
	u64 a, b;		/* ns: value; low, high; mean; mean, sd; median, sd of the log in 1/1000 */
	const u64 *values;	/* DIST_EMPIRICAL: nr values, played in order and again from the start */
	u32 nr;
};

struct step {
	u8 kind;	 /* enum step_kind */
	u8 flags;
	s16 cpu;	 /* STEP_QUEUE_PUT into a queue per CPU: whose, CPU_HERE or CPU_EACH */
	u32 ref, ref2, ref3; /* index into scenario.resources, or scenario.tasks for FORK and JOIN; REF_NONE */
	struct dist len; /* ns */
	const char *key; /* the key it was written with, for messages; may be NULL */
};
#define REF_NONE UINT32_MAX
#define CPU_HERE (-1)
#define CPU_EACH (-2)

struct phase {
	const char *name;
	s64 loop;	 /* -1 = forever */
	u32 first, nr;	 /* steps [first, first + nr) of the program */
	u32 inner;	 /* not 0: no steps, but the next @inner phases (and what is inside them), as one loop */
	bool sets_sched; /* policy and nice below hold from here on */
	int policy, nice, rt_priority; /* as in struct workload */
	u64 slice;	 /* ns, 0 = unchanged */
	const u64 *cpus; /* allowed CPUs from here on, or NULL */
	const char *taskgroup; /* move here, or NULL */
};

#define PROGRAM_MOST_DEPTH 8

struct program {
	s64 loop; /* of the whole list of phases; -1 = forever */
	u32 nr_phases, nr_steps;
	struct phase *phases;
	struct step *steps;
	u32 until; /* flag resource: the task exits at the start of the first loop that finds it raised; REF_NONE */
};

#endif
