/* SPDX-License-Identifier: MIT */
/*
 * bed.h - CPUs with exactly the tasks that a test wants on them, and attempts to balance them one by one.
 *
 *	struct lb_bed b;
 *	struct task_struct *p;
 *
 *	lb_bed_of(&b, .cpus = 4, .row = "5.10");	four CPUs, one LLC, 1000 Hz
 *	hogs(&b, 0, 2);					two busy threads on CPU 0, bound to it for now
 *	let_settle(&b);					until their averages stand; then they may go where they like
 *	CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 1);	CPU 1, idle, balances its lowest level: one came
 *
 * Ticks happen only where a test lets time pass, and nothing balances by itself: what ticks raise is dropped, unless the test is
 * about that (tick_all).  These tests look inside core on purpose: the worked examples speak of counters and sizes.
 */
#ifndef TESTS_SMP_BED_H
#define TESTS_SMP_BED_H

#include "core/balance.h"
#include "tests/driver.h"

#define BED_TASKS 256

struct lb_bed {
	struct driver d;
	struct lab *lab;
	u64 now; /* ns from the epoch */
	struct cpu_place place[DRIVER_CPUS];
	struct topology topology;
	struct task_struct *task[BED_TASKS];
	u32 nr;
};

struct lb_args {
	int cpus;
	const char *row;      /* "5.10" */
	const char *rules[6];
	u32 hz;		      /* 1000 */
	int threads;	      /* CPUs of one core, numbered in a row: 1 */
	int llc, node;	      /* CPUs of one last level cache, of one node; 0: all */
};
#define lb_bed_of(b, ...) lb_bed_init(b, &(struct lb_args){ __VA_ARGS__ })
void lb_bed_init(struct lb_bed *b, const struct lb_args *args);
void lb_bed_fini(struct lb_bed *b);

/* A thread of @tg (NULL: the root) on @cpu, runnable from now on and bound to it until let_settle(), or (@bound) for good. */
struct task_struct *hog_in(struct lb_bed *b, struct task_group *tg, int cpu, bool bound, bool kthread);
static inline struct task_struct *hog_on(struct lb_bed *b, int cpu) { return hog_in(b, NULL, cpu, false, false); }
void hogs(struct lb_bed *b, int cpu, int nr);

/* Let @ns pass, with every tick, and what it asks of its CPU. */
void let_pass(struct lb_bed *b, u64 ns);
/* 3 s, so that averages stand; then everybody who is not bound may use every CPU, and no wait is younger than 600 us. */
void let_settle(struct lb_bed *b);
void set_free(struct lb_bed *b, struct task_struct *p); /* may use every CPU from now on */
void bind_to(struct lb_bed *b, struct task_struct *p, u64 cpus); /* one of the first 64 */

struct sched_domain *level(struct lb_bed *b, int cpu, int nr);
/* One attempt for @cpu at its level @nr, and the passes it asks for.  Returns how many came. */
u32 attempt(struct lb_bed *b, int cpu, int nr, enum idle_type idle);
bool designated(struct lb_bed *b, int cpu, int nr); /* was it, at the last attempt? */
static inline u32 failed(struct lb_bed *b, int cpu, int nr) { return level(b, cpu, nr)->nr_balance_failed; }
/* The size and its kind that an attempt would find, without moving anything; 0: balanced. */
s64 size_for(struct lb_bed *b, int cpu, int nr, enum idle_type idle, enum migration *by);

/* One jiffy: the ticks of all CPUs that have any, then what they raised, CPU by CPU. */
void tick_all(struct lb_bed *b);
u32 tasks_on(struct lb_bed *b, int cpu); /* that may run */
u64 moves(struct lb_bed *b); /* sched_migrate_task so far */
u64 stops(struct lb_bed *b); /* active_load_balance_cpu_stop so far */
/* The state of how many tasks CPUs 0..3 have, as a number: 2111. */
u32 spread4(struct lb_bed *b);

#endif
