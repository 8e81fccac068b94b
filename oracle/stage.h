/* SPDX-License-Identifier: MIT */
/*
 * stage.h - a measured case as a scenario.
 *
 *	clock:		 second before T0 ............ T0 |<----- window ----->| T1
 *	scenario: 0 --36 ms--> |		       window_start	        window_end
 *
 * The scenario begins 36 ms before the last whole second of the guest's clock before the window.  Ticks (4 ms) and, up to 6.3,
 * periods (10 to 250 ms) are multiples of that clock: so both grids are the real ones, wherever the window begins.  The 36 ms,
 * nine ticks, keep the past of the threads, which the machine puts at whole seconds before its start, away from the boundaries.
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

struct stage_options {
	bool without_walk;     /* leave out the fitted cost of a distribution per queue */
	const u64 *phase;      /* per group of the spec: where its periods begin on the clock; NULL or NEVER: as measured, else unknown */
	u32 past;	       /* which of STAGE_PASTS histories */
	const bool *behind;    /* per thread, through the sets: woken together with another one of its CPU, which runs first; NULL: nobody is */
	const u64 *start;      /* per thread, through the sets: when it was first woken, ns after the window's start; NULL: when due */
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

/* Where thread number @thread of set @set ended up. */
u32 stage_task(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread);
u32 stage_instance(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread);

/* Its name in traces, "h0.0", into @buf. */
char *stage_thread_name(const struct measured *m, u32 set, u32 thread, char *buf, size_t size);

/* Is the phase of a group's periods unknown, so that up to one quota more or less falls into the window? */
bool stage_phase_unknown(const struct measured *m, const struct stage_options *opt);

#endif
