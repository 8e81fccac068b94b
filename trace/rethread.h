/* SPDX-License-Identifier: MIT */
/*
 * rethread.h - the work of a recorded group, done by another number of threads.
 *
 *	bursts of all threads that count, by the time they were woken ---> one queue of work <--- N threads take from it
 *
 * Right for a pool whose threads take from a common queue; what threads did for each other (wakeups between them, locks) is not kept,
 * and work that was set going by the end of earlier work comes at its recorded time.  Threads that are busy all the time share
 * their CPU time.
 */
#ifndef TRACE_RETHREAD_H
#define TRACE_RETHREAD_H

#include "trace/recover.h"

/* How many threads of @rec would share the work. */
u32 rethread_pool(const struct recovered *rec);

/*
 * @sc, a copy of @rec's scenario with a memory of its own, with @threads threads in place of rethread_pool(): the first of them
 * has their bursts, the others none.  0, or -1 with @err set: there is no such pool, or no memory.
 */
int rethread(struct scenario *sc, const struct recovered *rec, const struct timeline *tl, u32 threads, struct err *err);

#endif
