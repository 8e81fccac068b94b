/* SPDX-License-Identifier: MIT */
/*
 * stager.h - the inside of stage.c and its helpers: a scenario in the making.
 *
 *	stage.c		machine, kernel, groups, threads, writes; the public calls
 *	programs.c	what a thread does
 *	past.c		what it did before the window, and when it begins
 *	beside.c	what else had the CPUs: sleepers that leave, kernel threads
 *
 * Law: all that a scenario points at lives in its own arena.
 */
#ifndef ORACLE_STAGER_H
#define ORACLE_STAGER_H

#include "oracle/stage.h"

struct stager {
	struct scenario *sc;
	const struct measured *m;
	const struct stage_options *opt;
	struct err *err;
};

void *stager_take(struct stager *st, size_t size); /* NULL when memory is out */
int stager_no_memory(struct stager *st);	    /* -1, with the error set */
/* A text of the scenario's: @fmt takes a text and up to two numbers, in this order.  NULL when memory is out. */
const char *stager_text(struct stager *st, const char *fmt, const char *s, u64 a, u64 b);
const char *stager_group_path(struct stager *st, u32 group);
const u64 *stager_cpu(struct stager *st, int cpu); /* the mask of one CPU */
int stager_pin(struct stager *st, struct workload *w, const struct wl_set *set, u32 first);

/* Do threads have a past of their own?  Where they choose their CPU, and where the scenario's start is the periods' grid, the plain one has to do. */
bool stager_has_past(const struct stager *st);

/* ---- programs.c ---- */

struct maker { /* a program in the making */
	struct stager *st;
	struct program *program;
	u32 cap; /* steps */
};

void stager_step(struct maker *mk, enum step_kind kind, u8 flags, u64 ns, u32 ref);
u32 stager_timer(struct stager *st); /* a resource: a timer of each thread's own */
/* What thread @thread of @set does.  0, or -1 with the error set. */
int stager_program(struct stager *st, struct program *p, u32 set, u32 thread);
/* ns that a thread of @set burns each time. */
u64 stager_burn(const struct measured *m, u32 set);
/* When it is due for the first time, ns after the window's start. */
u64 stager_due(const struct wl_set *set, u32 thread);

/* ---- past.c ---- */

/* When thread @thread of @set becomes runnable for the first time, ns after the window's start. */
u64 stager_start(const struct stager *st, u32 set, u32 thread);
/* So many ns later than others it is runnable at its first release, where a recording shows it; else 0. */
u64 stager_late(const struct stager *st, u32 set, u32 thread);
const struct thread_seen *stager_seen(const struct stager *st, u32 set, u32 thread); /* NULL: no recording */
/* What it did before, into @w.  0, or -1 with the error set. */
int stager_past(struct stager *st, struct workload *w, u32 set, u32 thread);

/* ---- beside.c ---- */

u32 stager_count_beside(const struct stager *st); /* at most so many tasks */
/* Tasks that are no threads of the case, at the end of the scenario's.  0, or -1 with the error set. */
int stager_beside(struct stager *st);

#endif
