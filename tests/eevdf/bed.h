/* SPDX-License-Identifier: MIT */
/*
 * bed.h - queues under EEVDF with exactly what a test wants on them, and machines of which only the switches matter.
 *
 *	struct bed b;
 *
 *	bed_of(&b, .row = "6.12", .base_slice = 3 * MS);
 *	runs_at(&b, a, 1 * MS, 3 * MS);			a runs on CPU 0 with v 1 and d 3, its turn has just begun
 *	CHECK_EQ(wakes_with(&b, w, 2 * MS), true);	w wakes with a lag of 2 ms: does it preempt?
 *	CHECK_EQ(v_of(&b, w), -3 * MS);
 *
 * These tests look inside core on purpose: the worked examples speak of v, d and lag, not of programs.  v is counted from 1000 s, so
 * that examples may go below zero.
 */
#ifndef TESTS_EEVDF_BED_H
#define TESTS_EEVDF_BED_H

#include "core/eevdf.h"
#include "tests/driver.h"
#include "tests/machine_of.h"

struct bed {
	struct driver d;
	struct lab *lab;
};

#define bed_of(b, ...) bed_init(b, &(struct driver_args){ __VA_ARGS__ })
void bed_init(struct bed *b, const struct driver_args *args);
void bed_fini(struct bed *b);

/* A thread bound to @cpu that has not run yet; @slice 0: the base slice. */
struct task_struct *thread_on(struct bed *b, int cpu, int nice, u64 slice);
struct task_struct *thread_in(struct bed *b, struct task_group *tg, int cpu, enum sched_policy policy, int nice, u64 slice);

struct cfs_rq *queue_at(struct bed *b, int cpu); /* the root queue */

/* Put the queued @se at @v with deadline @d. */
void set_place(struct bed *b, struct sched_entity *se, s64 v, s64 d);
s64 v_of(const struct bed *b, const struct task_struct *p);
s64 d_of(const struct bed *b, const struct task_struct *p);
s64 mean_of(struct bed *b, struct cfs_rq *cfs_rq);

/* @p begins on its idle CPU: it runs there with @v and @d, and its turn begins. */
void runs_at(struct bed *b, struct task_struct *p, s64 v, s64 d);
/* @p waits on its CPU with @v and @d; nobody is asked to leave for it. */
void waits_at(struct bed *b, struct task_struct *p, s64 v, s64 d);
/* @p wakes with @lag; no schedule pass.  Did it ask for one? */
bool wakes_with(struct bed *b, struct task_struct *p, s64 lag);

/* The first switches on CPU 0 of @m, in ns; at most @max of them.  Returns how many there were. */
u32 switches_of(struct testbed *m, u64 *ns, u32 max);
/* Do they begin like @expect, a list that ends with 0? */
void check_switches(struct testbed *m, const u64 *expect, const char *title);

#endif
