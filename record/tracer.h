/* SPDX-License-Identifier: MIT */
/*
 * tracer.h - an instance of the kernel's tracer of our own: its own buffers, events, clock and switch, so that nothing of anybody else's
 * tracing is touched.
 *
 *	TRACEFS/instances/fairground-PID/	mkdir makes it, rmdir ends it with all that was switched on
 *
 * Law: what is made is a directory of that name below instances/, and only such a one is ever removed.
 */
#ifndef RECORD_TRACER_H
#define RECORD_TRACER_H

#include "live/file.h"
#include "text/err.h"

#define TRACER_NAME "fairground-"

struct tracer {
	char root[512];	   /* where tracefs is mounted */
	char dir[600];	   /* of the instance */
	u32 cpus;	   /* that have a buffer */
	u32 page_size;	   /* bytes of one of its pages */
	bool mono;	   /* its clock is CLOCK_MONOTONIC; else each CPU's own */
};

/*
 * Find tracefs (@root: there, else where it is mounted) and name the instance after process @pid.  0, or -1 with @err set.
 */
int tracer_find(struct tracer *t, const char *root, int pid, struct err *err);

/* May this process make an instance and read events?  Nothing is changed to find out.  0, or -1 with @err set: all that is missing. */
int tracer_rights(const struct tracer *t, struct err *err);

/* Remove instances of earlier recordings whose process is gone.  Returns how many. */
int tracer_sweep(const struct tracer *t);

/*
 * Make the instance, switched off: its clock, @buffer_kb for each CPU (0: some), the events that are needed.  0, or -1 with @err set and
 * nothing left behind.
 */
int tracer_make(struct tracer *t, u64 buffer_kb, struct err *err);

/* Remove it, trying for up to @patience ms.  False where it stayed. */
bool tracer_remove(const struct tracer *t, int patience);

/* The names of the events that were switched on, as "sched/sched_switch"; NULL behind the last. */
const char *tracer_event(const struct tracer *t, u32 index);

int tracer_switch(const struct tracer *t, bool on); /* 0, or a negative errno */

/* Record events of these threads alone, and of what they fork: call it before switching on, and again for more threads. */
int tracer_filter(const struct tracer *t, const s32 *tids, u32 nr, bool more); /* 0, or a negative errno */

/* Forget all that was recorded so far. */
int tracer_clear(const struct tracer *t);

/* The path of a file of the instance into @buf, which is returned. */
char *tracer_path(const struct tracer *t, const char *file, char *buf, size_t size);

#endif
