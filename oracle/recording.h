/* SPDX-License-Identifier: MIT */
/*
 * recording.h - the guest's own recording of a case, and the model's, as logs of switches.
 *
 *	traces/LABEL.Ncpu.CASE.trace.txt.gz --> records --> who ran where in the window; when the throttled were let go
 *	played case --> events	            --> who ran where in the window
 */
#ifndef ORACLE_RECORDING_H
#define ORACLE_RECORDING_H

#include "oracle/align.h"
#include "oracle/stage.h"

struct recording {
	struct switch_log log;
	u64 **releases;	  /* per group of the spec: clock times at which a thread in it or below ran again without a wakeup */
	u32 *nr_releases, *cap_releases;
	u32 nr_groups;
	u64 *start;	  /* per thread, through the sets: its first wakeup, ns after the window's start; NEVER: none */
	bool *behind;	  /* per thread: woken with another one of its CPU, which ran first */
	u32 nr_threads;
};

/* Read the recording of @m in the directory @traces.  0, or -1 with @err set; to be freed in both cases. */
int recording_read(struct recording *r, const struct measured *m, const char *traces, struct err *err);
void recording_free(struct recording *r);

/*
 * What the recording tells of the moment the window began, into @opt: where each group's periods begin on the clock, where nobody
 * else says so, and when each thread was first woken.  @phase holds one u64 per group and must live as long as @opt, @r too.
 */
void recording_start(struct recording *r, const struct measured *m, struct stage_options *opt, u64 *phase);

/* Run @m and log its switches.  0, or -1 with @err set; @log is to be freed in both cases. */
int recording_play(struct switch_log *log, const struct measured *m, const struct stage_options *opt, struct err *err);

#endif
