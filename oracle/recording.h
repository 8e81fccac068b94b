/* SPDX-License-Identifier: MIT */
/*
 * recording.h - the guest's own recording of a case, and the model's, as logs of switches.
 *
 *	traces/LABEL.Ncpu.CASE.trace.txt.gz --> records --> who ran where in the window; when the throttled were let go; who else ran
 *	played case --> events	            --> who ran where in the window
 */
#ifndef ORACLE_RECORDING_H
#define ORACLE_RECORDING_H

#include "oracle/align.h"
#include "oracle/stage.h"

/* One thread of the case, as the recording has it.  Times: ns after the window's start; NEVER: not seen. */
struct thread_record {
	u64 start; /* first runnable */
	u64 ran;   /* first ran */
	u64 last;  /* how long before the window it was last woken; 0: not seen */
	s32 pid;
	s32 cpu;   /* where it ran; CPU_NONE: nowhere yet; CPU_SEVERAL */
	u64 *stints; /* CPU time from one sleep to the next, in the window */
	u32 nr_stints, cap_stints;
	u64 on_cpu, since; /* of the stint that has not ended: so far, and where it has the CPU since when */
};
#define CPU_NONE (-1)
#define CPU_SEVERAL (-2)

/* A thread's turn on a CPU ended right behind a tick. */
struct tick_end {
	u64 tick;  /* ns after the window's start */
	u32 cpu, who;
	u32 late;  /* ns behind it */
};

struct recording {
	struct switch_log log;
	u64 **releases;	  /* per group of the spec: clock times at which a thread in it or below ran again without a wakeup */
	u32 *nr_releases, *cap_releases;
	u32 nr_groups;
	struct thread_record *threads; /* through the sets of the spec */
	u32 nr_threads;
	struct tick_end *ends;
	u32 nr_ends, cap_ends;
	struct other_run *others; /* who else ran, from the recording's begin to the window's end */
	u32 nr_others, cap_others;
};

/* Read the recording of @m in the directory @traces.  0, or -1 with @err set; to be freed in both cases. */
int recording_read(struct recording *r, const struct measured *m, const char *traces, struct err *err);
void recording_free(struct recording *r);

/* Run @m and log its switches.  0, or -1 with @err set; @log is to be freed in both cases. */
int recording_play(struct switch_log *log, const struct measured *m, const struct stage_options *opt, struct err *err);

#endif
