/* SPDX-License-Identifier: MIT */
/*
 * place_bed.h - several CPUs in exactly the state that a test wants: who runs where, how loaded each is, and who sleeps.
 *
 *	struct bed b;
 *
 *	bed_of(&b, M4, .row = "6.1");
 *	p = sleeper_on(&b, 3);				slept on CPU 3 last, may run anywhere
 *	hogs_on(&b, 3, 0, 1, 2);			one busy task each on CPUs 0 to 2, settled: load 1024
 *	CHECK_EQ(wakes_from(&b, 0, p), 3);		woken by who runs on CPU 0: where does it go?
 *
 * Averages are put where the test wants them, and time stands still, so that what is read is what was put.
 */
#ifndef TESTS_SMP_PLACE_BED_H
#define TESTS_SMP_PLACE_BED_H

#include "base/arena.h"
#include "core/select.h"
#include "core/verbs.h"
#include "tests/driver.h"

enum bed_shape {
	S2,   /* 2 CPUs, one cache */
	M4,   /* 4 CPUs, one cache */
	M8,
	M36,
	C2x2, /* 2 cores of 2 threads: {0,1} and {2,3}, one cache */
	K2x2, /* 2 clusters of 2 CPUs: {0,1} and {2,3}, one cache */
	P8,   /* one node, caches {0-3} and {4-7} */
	N8,   /* two nodes of 4 CPUs */
	N96   /* two nodes of 48 CPUs */
};

struct bed {
	struct driver d;
	struct arena mem; /* of the topology */
	struct lab *lab;
	int cpus;
};

#define bed_of(b, shape, ...) bed_init(b, shape, &(struct driver_args){ __VA_ARGS__ })
void bed_init(struct bed *b, enum bed_shape shape, const struct driver_args *args);
void bed_fini(struct bed *b);

struct rq *rq_of(struct bed *b, int cpu);
struct sched_domain *llc_of_cpu(struct bed *b, int cpu);

/* A task of @policy in @tg (NULL: root) that has run on @cpu and sleeps there; it may run anywhere. */
struct task_struct *sleeper_of(struct bed *b, struct task_group *tg, int cpu, enum sched_policy policy, bool kthread);
struct task_struct *sleeper_on(struct bed *b, int cpu);
/* The CPUs @p may run on, asleep or not; nothing is moved. */
void allow(struct bed *b, struct task_struct *p, u64 cpus);
void allow_all(struct bed *b, struct task_struct *p);

/* @p, which sleeps, runs on the CPU where it slept, or waits there behind who does. */
void begin(struct bed *b, struct task_struct *p);
/* A task that runs on @cpu, for ever, and may run anywhere.  It is settled: see settle(). */
struct task_struct *hog_on(struct bed *b, int cpu);
void hogs_on(struct bed *b, int nr, ...);
void hogs_up_to(struct bed *b, int end); /* on CPUs 0 .. end - 1 */

/* What @cpu's root queue has become: load of everything there, and its share of one CPU (1024: always busy). */
void settle(struct bed *b, int cpu, u64 load, u64 util);
/* @p, asleep on its CPU, has this load of its own, which is part of its CPU's. */
void weighs(struct bed *b, struct task_struct *p, u64 load);
/* The balancer's last look at the cache of CPU 0: how many CPUs shall be scanned. */
void balancer_looks(struct bed *b);

/* Who runs on @cpu, or the idle task if an interrupt, wakes @p: the CPU that it goes to.  @flags as of lab_wake(). */
int wakes_with(struct bed *b, int cpu, struct task_struct *p, unsigned flags);
int wakes_from(struct bed *b, int cpu, struct task_struct *p);
int interrupt_wakes(struct bed *b, int cpu, struct task_struct *p);

/* Who runs on @cpu forks: the CPU that the child begins on.  It runs at once. */
int forks(struct bed *b, int cpu);

#endif
