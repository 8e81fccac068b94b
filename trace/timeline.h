/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - what each thread did, as spans that touch: running, ready, blocked.
 *
 *	  wakeup      switch in        switch out R      switch in       switch out S
 *	----|------------|-----------------|-----------------|----------------|-----------
 *	 blocked  ready        running           ready            running          blocked
 *
 * A recording has holes: filters, lost events, a start in the middle.  A thread that is seen running without a switch in
 * began somewhere between the last moment it cannot have run and the first at which it did.  Had it been pushed aside by
 * a task that was woken just then, the earlier one is taken, since such tasks run briefly; else the later one, which is all that
 * is known.  The span is marked SPAN_LOOSE, and span.slack says how far the two lie apart.
 * Where the kernel then charges the thread (sched_stat_runtime), the first charge says how long it had run, and so when it began: the
 * charge is counted from the switch in, which restarts the thread's clock of CPU time (set_next_entity()).
 * Law: spans of one task are in order and do not overlap.
 */
#ifndef TRACE_TIMELINE_H
#define TRACE_TIMELINE_H

#include "trace/record.h"

enum span_state { SPAN_RUNNING, SPAN_READY, SPAN_BLOCKED, SPAN_UNKNOWN };

#define SPAN_LOOSE 1u	   /* its start is not in the recording; running: slack = ns it may be later */
#define SPAN_WOKEN 2u	   /* ready: after a wakeup; by = who made it */
#define SPAN_NEW 4u	   /* ready: just forked */
#define SPAN_PREEMPTED 8u  /* ready: left as R+ */
#define SPAN_CPU_IDLE 16u  /* ready: the CPU it left went idle at once */
#define SPAN_DISK 32u	   /* blocked: in state D */
#define SPAN_PUSHED 32u	   /* ready: left for a task that had been woken just then */
#define SPAN_DEAD 64u	   /* blocked: for ever */
#define SPAN_OPEN 128u	   /* the recording ends in it */

struct span {
	u64 start, end;
	union {
		u32 by;	   /* SPAN_WOKEN: task that was current where the wakeup was made */
		u32 slack; /* SPAN_LOOSE and running: ns, cut at 4.29 s */
	};
	u16 cpu; /* running: there; ready: in whose queue, at first */
	u8 state;
	u8 flags;
	u8 context; /* SPAN_WOKEN: TRACE_IN_HARDIRQ ... */
};

struct timeline {
	struct span *spans; /* all of task 0, then of task 1, ... */
	u64 *first;	    /* nr_tasks + 1 */
	u32 nr_tasks;
	u64 loose_starts, loose_ends; /* switches that must have been and are not recorded */
};

/* Build it from sorted records.  0, or -1 when memory is out.  Caller frees with timeline_fini(). */
int timeline_init(struct timeline *tl, const struct trace *tr);
void timeline_fini(struct timeline *tl);

/* ns */
static inline u64 span_len(const struct span *s) { return s->end - s->start; }

/* Spans of @task: [*first, *end). */
static inline void timeline_task(const struct timeline *tl, u32 task, const struct span **first, const struct span **end)
{
	*first = tl->spans + tl->first[task];
	*end = tl->spans + tl->first[task + 1];
}

/*
 * Where a loose start may lie on either side of @t, and the thread was not pushed aside, let it lie at @t: a reason was found
 * for it to begin just then.  @run indexes tl->spans and is not the first of its task.
 */
void timeline_settle(struct timeline *tl, u64 run, u64 t);

/* ns @task ran in [@from, @to). */
u64 timeline_ran(const struct timeline *tl, u32 task, u64 from, u64 to);

#endif
