/* SPDX-License-Identifier: MIT */
/*
 * bench.h - queues of the fair class with exactly what a test wants on them.
 *
 *	struct bench b;
 *
 *	bench_of(&b, .cpus = 8);			8 CPUs or more: latency 24 ms, granularities 3 and 4 ms
 *	p = thread(&b, 0, 5);				nice 5, on CPU 0, asleep for ever
 *	runs_alone(&b, p, 100 * MS);			p runs there, alone, at vruntime 100 ms
 *	CHECK_EQ(wakes(&b, q, 50 * MS), true);		q wakes with a vruntime of its own of 50 ms: does it preempt?
 *
 * These tests look inside core on purpose: the worked examples speak of vruntimes and weights, not of programs.
 */
#ifndef TESTS_FAIR_BENCH_H
#define TESTS_FAIR_BENCH_H

#include "core/sched.h"
#include "tests/driver.h"

struct bench {
	struct driver d;
	struct lab *lab;
};

#define bench_of(b, ...) bench_init(b, &(struct driver_args){ __VA_ARGS__ })
void bench_init(struct bench *b, const struct driver_args *args);
void bench_fini(struct bench *b);

/* A thread of @tg (NULL: root), bound to @cpu, that has not run yet and is not a fork. */
struct task_struct *thread_of(struct bench *b, struct task_group *tg, int cpu, enum sched_policy policy, int nice);
struct task_struct *thread(struct bench *b, int cpu, int nice);

struct cfs_rq *root_queue(struct bench *b, int cpu);
struct cfs_rq *group_queue(struct bench *b, struct task_group *tg, int cpu);
struct sched_entity *group_entity(struct bench *b, struct task_group *tg, int cpu);

/* Put the queued @se at @vruntime. */
void set_vruntime(struct bench *b, struct sched_entity *se, u64 vruntime);

/* @p begins on its idle CPU and runs there at @vruntime, which is the queue's min_vruntime too. */
void runs_alone(struct bench *b, struct task_struct *p, u64 vruntime);

/* @p, with a vruntime of its own, becomes runnable as a sleeper does, and waits; no schedule pass.  Did it ask for one? */
bool wakes(struct bench *b, struct task_struct *p, u64 own_vruntime);

/* Ticks on @cpu from the next one to @until inclusive, each with the schedule pass that it asks for. */
void ticks_until(struct bench *b, int cpu, u64 until);

#endif
