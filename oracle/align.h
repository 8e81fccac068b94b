/* SPDX-License-Identifier: MIT */
/*
 * align.h - the model and a recording, switch by switch.
 *
 *	recording:  h0.0     idle	   h0.0  ...	on each CPU: who runs from when on
 *	model:	    h0.0    idle	   h0.0	 s1.0
 *		     |______|______________|	  \-- in one only: they disagree in who
 *		     matched; intervals since the same one's last match are compared too
 *
 * Kernel threads of the recording are looked through: the thread they interrupt goes on, idle stays idle.
 */
#ifndef ORACLE_ALIGN_H
#define ORACLE_ALIGN_H

#include "oracle/measured.h"
#include "report/oracle.h"
#include "text/err.h"

#define WHO_IDLE 0u /* else 1 + the thread's number, counted through the sets of the spec */

struct switch_point {
	s64 time; /* ns from the window's start */
	u32 who;
};

struct switch_list { /* one CPU's, in order of time */
	struct switch_point *v;
	u32 nr, cap;
};

struct switch_log {
	struct switch_list *cpu;
	u32 nr_cpus;
};

int switch_log_init(struct switch_log *log, u32 nr_cpus); /* 0, or -1 when memory is out */
void switch_log_free(struct switch_log *log);
/* Append, unless @who runs there already.  0, or -1 when memory is out. */
int switch_log_add(struct switch_log *log, u32 cpu, s64 time, u32 who);

/*
 * Threads of one set on one CPU are alike: number them in the order in which each first runs, so that two logs name them alike.
 * 0, or -1 when memory is out.
 */
int switch_log_rename(struct switch_log *log, const struct measured *m);

/*
 * Pair the switches of two lists: each pair is to the same thread, pairs do not cross, as many as possible are found,
 * and among those the ones nearest in time.  A pair farther apart in time than two of ALIGN_GAP is none.
 * pair[i] is the index in @real of @model's switch i, or -1.  0, or -1 when memory is out.
 */
#define ALIGN_GAP (10 * MS)
int align_pairs(const struct switch_list *model, const struct switch_list *real, s32 *pair);

/* Compare two logs; fills what of @a is about switches.  @mem holds names.  0, or -1 when memory is out. */
int align_logs(struct oracle_alignment *a, const struct measured *m, const struct switch_log *model,
	       const struct switch_log *real, struct arena *mem);

/*
 * Play @m with its beginning as its recording in the directory @traces has it, with each of its pasts, and compare; the past that
 * agrees best stands, because what the CPUs held at the start is the one thing a recording does not tell.  0, or -1 with @err set.
 * What @a points at lives in @mem.
 */
int align_case(struct oracle_alignment *a, const struct measured *m, const char *traces, struct arena *mem, struct err *err);

#endif
