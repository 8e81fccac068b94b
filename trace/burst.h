/* SPDX-License-Identifier: MIT */
/*
 * burst.h - what a thread did between two sleeps, with the scheduler's doings taken out.
 *
 *	blocked | ready  running   ready  running | blocked
 *	        wake     start                    end
 *	        |<------------ wall ------------->|	cpu = the two runnings together: what it wanted
 *
 * Being preempted or throttled is the scheduler's doing and only lengthens the wall time.  Why the burst began is
 * judged for each (enum wake_kind), from who made the wakeup and how the wakeups of the thread lie in time.
 */
#ifndef TRACE_BURST_H
#define TRACE_BURST_H

#include "trace/timeline.h"

enum wake_kind {
	WAKE_START,   /* the recording or the thread begins */
	WAKE_SLEEP,   /* a timer, set anew after each burst: relative */
	WAKE_PERIOD,  /* a timer that keeps its own grid: absolute */
	WAKE_TASK,    /* another thread of the group */
	WAKE_OUTSIDE, /* something else, at its own time: other tasks, the network */
	WAKE_IO,      /* a device the thread itself waited for (state D) */
	NR_WAKE_KINDS
};

struct burst {
	u64 wake;	/* ns: became ready */
	u64 start;	/* first instruction */
	u64 end;	/* blocked, exited, or the recording's end */
	u64 cpu;	/* ns run in between */
	u64 slack;	/* ns of @cpu that are not sure: switches are missing */
	u64 late, pushed; /* ns that others had its CPU, before its first instruction and behind it (trace/waits.h) */
	u32 by;		/* who was current at the wakeup */
	u8 context;	/* of the wakeup */
	u8 kind;	/* enum wake_kind */
	bool complete;	/* began and ended inside the recording by sleeping */
	bool dead;	/* ended by exit */
	bool disk;	/* ended by waiting in state D */
	bool whole;	/* it woke threads of the group, or wrote marks: their places in it are known, and it is not taken for several */
	u32 releases;	/* WAKE_PERIOD: how many expiries of its timer it worked off, at least 1 */
};

struct bursts {
	u32 task;
	struct burst *v;
	u64 nr;
	u64 cpu;	/* ns run in all */
	u64 wakes[NR_WAKE_KINDS];
	u64 regular;	/* of the wakes by timers, how many fit @length */
	u64 length;	/* typical sleep (WAKE_SLEEP), or the period (WAKE_PERIOD), ns */
	u64 phase;	/* WAKE_PERIOD: its grid on the recording's clock, 0..length */
	u64 settled;	/* bursts whose missing switches were set so that they are as long as the others */
};

/* Collect those of @task.  0, or -1 when memory is out.  Caller frees with bursts_fini(). */
int bursts_init(struct bursts *b, const struct timeline *tl, u32 task);
void bursts_fini(struct bursts *b);

/*
 * Say why each began.  @member marks the group's threads; @context_known: the recording tells interrupts from tasks, else
 * a wakeup made while a thread ran may have been an interrupt, and only regular times show that.
 * 0, or -1 when memory is out.
 */
int bursts_judge(struct bursts *b, const bool *member, bool context_known);

/* When @burst had run for @cpu ns. */
u64 burst_progress(const struct timeline *tl, u32 task, const struct burst *burst, u64 cpu);

/* The ceil(@percent / 100 * n)-th smallest of @v, which is sorted; 0 where there is none. */
u64 nearest_rank(const u64 *v, u64 nr, u32 percent);
/* Sort @v upwards. */
void sort_u64(u64 *v, u64 nr);

#endif
