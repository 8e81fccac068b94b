/* SPDX-License-Identifier: MIT */
/*
 * stage.h - a measured case as a scenario.
 *
 *	clock:		 second before T0 ............ T0 |<----- window ----->| T1
 *	scenario: 0 --3636 ms-> |		       window_start	        window_end
 *
 * The scenario begins 3636 ms before the last whole second of the guest's clock before the window.  Ticks (4 ms) and, up to 6.3,
 * periods (10 to 250 ms) are multiples of that clock: so both grids are the real ones, wherever the window begins.  The 36 ms,
 * nine ticks, keep the past of the threads away from the boundaries.
 */
#ifndef ORACLE_STAGE_H
#define ORACLE_STAGE_H

#include "oracle/measured.h"
#include "work/scenario.h"

/*
 * What a CPU still holds when the window begins is chance: it depends on how often its thread looked, while the measuring program
 * set itself up, whether it might begin.  So a case is played with several pasts, and the median of each figure counts.
 */
#define STAGE_PASTS 7

/* A task that is no thread of the case - a kernel thread, the controlling program - has a CPU for a moment. */
struct other_run {
	u32 cpu;
	s64 at;		       /* woken, ns after the window's start */
	u64 ns;		       /* how long it had the CPU */
};

/* At the tick at @at one CPU's comes first and the others' in turn behind it. */
struct tick_turn {
	u64 at;		       /* ns after the window's start */
	u32 first;
};

/* What a recording has seen of a thread's beginning. */
struct thread_seen {
	u64 start;	       /* when it was first runnable, ns after the window's start; NEVER: not seen, it begins when due */
	u64 ran;	       /* when it first ran; NEVER: not seen */
	u64 last;	       /* how long before the window it looked for the last time whether it may begin; 0: not seen */
	u32 born;	       /* how many threads are older */
	s32 cpu;	       /* of a thread that chooses its CPU: the one that it never left; -1: it moved */
	const u64 *stints;     /* CPU time from one sleep to the next */
	u32 nr_stints;
	bool behind;	       /* one interrupt woke it and another one of its CPU, which ran first */
	bool overtaken;	       /* ... though it was woken later */
};

struct stage_options {
	bool without_turns;    /* leave out what an emulator's CPUs do to each other; it is called fitted */
	u64 wake;	       /* what a wakeup costs by itself, ns; 0: as the case's threads measured it */
	const u64 *phase;      /* per group of the spec: where its periods begin on the clock; NULL or NEVER: as measured, else unknown */
	u32 past;	       /* which of STAGE_PASTS histories */
	const u32 *looks;      /* per thread, through the sets: how often it looked whether it may begin; NULL: as the past has it */
	const struct thread_seen *seen;	/* per thread, through the sets; NULL: no recording */
	const struct other_run *others; /* in order of time */
	u32 nr_others;
	const struct tick_turn *turns;	/* in order of time; at all other ticks CPU 0 is first */
	u32 nr_turns;
};

/*
 * Fill @sc (not yet initialised) from @m.  Returns 0, or -1 with @err set where the case needs what the model does not
 * have; @sc is to be freed in both cases.  Task number stage_task() of @sc is a thread's, instance stage_instance() of it.
 */
int stage_case(struct scenario *sc, const struct measured *m, const struct stage_options *opt, struct err *err);

/* The window on the scenario's clock. */
u64 stage_window_start(const struct measured *m);
u64 stage_window_end(const struct measured *m);

/*
 * What a wakeup costs in this case, by the threads' own CPU clocks: their CPU time per loop less the burn.  It is the emulator's
 * doing (where many CPUs wake at once each waits for its turn), not the scheduler's.  0 where nothing tells it.
 */
u64 stage_wake(const struct measured *m);

/* Of @cpu ns and @loops loops of set @set, what was no burn, to @sum, and the loops, to @all; a set that does not tell adds nothing. */
void stage_add_wakes(const struct measured *m, u32 set, u64 cpu, u64 loops, u64 *sum, u64 *all);

/* How long an emulator's CPU in user mode has its turn, ns: machine_options.turn.  0: not the emulator, or left out; or threads choose their CPU. */
u64 stage_turn(const struct measured *m, const struct stage_options *opt);

/*
 * CPU time of a thread's end: it reads its statistics and leaves.  Its group is charged for it; its own figure was read before.
 * A pinned thread that is released on a clock does so within its program, behind the last of stage_loops() loops.
 */
u64 stage_leave(const struct measured *m, u32 set);
u64 stage_loops(const struct measured *m, u32 set, u32 thread); /* 0: it has no end of its own */

/* Where thread number @thread of set @set ended up. */
u32 stage_task(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread);
u32 stage_instance(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread);

/* A case being played, as a machine's options name it: for machine_options.tick_first, its context @staged. */
struct staged {
	const struct measured *m;
	const struct stage_options *opt;
};
int stage_tick_first(const struct staged *staged, u64 now);

/*
 * machine_options.timers_apart of @m: the emulator serves the expired timers of one CPU after those of another, and where threads choose their
 * CPU that decides who finds which one idle.  0: not the emulator, or left out; or threads are bound.
 */
u64 stage_timers_apart(const struct measured *m, const struct stage_options *opt);

/* machine_options.look of @m: a thread that polls its CPU clock looks at it so often. */
u64 stage_look(const struct measured *m);

/* How often thread number @number, counted through the sets, looks whether it may begin, in the past of @opt. */
u32 stage_looks(const struct measured *m, const struct stage_options *opt, u32 number);

/* How much later than due thread number @thread of set @set first runs, by the emulator's doing. */
u64 stage_begins_late(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread);

/* Its name in traces, "h0.0", into @buf. */
char *stage_thread_name(const struct measured *m, u32 set, u32 thread, char *buf, size_t size);

/* Is the phase of a group's periods unknown, so that up to one quota more or less falls into the window? */
bool stage_phase_unknown(const struct measured *m, const struct stage_options *opt);

#endif
