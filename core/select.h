/* SPDX-License-Identifier: MIT */
/*
 * select.h - where a task shall run, and what is read of CPUs for that; private to core/.
 *
 *	select_task_rq ---+--- wakes:            select_wake.c   which CPU to start from: the waker's or its own last one
 *	                  |                        '-- select_idle.c   an idle CPU beside that, by steps
 *	                  '--- forked, executes: select_fork.c   the idlest group of each level, from the top down
 *
 * What other CPUs are like is read from their averages, as of their last update (cpu_load.c).  No limit is ever looked at: a CPU that stands
 * idle because a group's quota is used up is as good as any idle one, as in every kernel; unless rule gather says else (gather.c).
 */
#ifndef CORE_SELECT_H
#define CORE_SELECT_H

#include "core/sched.h"
#include "core/smp.h"

#define SCHED_CAPACITY 1024

/* One placement. */
struct selection {
	struct lab *lab;
	struct task_struct *p;	     /* to be placed */
	struct task_struct *current; /* on the CPU that asks, whoever that is: the one that an interrupt hit, the idle task */
	int cpu;		     /* that asks */
	int prev;		     /* where @p ran last */
	bool in_task;		     /* current asks itself, not an interrupt */
	bool sync;		     /* and is about to sleep */
};

/* ---- select_wake.c ---- */
int select_task_rq_wake(const struct selection *s, bool current_cpu);

/* ---- select_idle.c ---- */
/* Runs nothing, has nothing queued, and nobody is on the way there: idle_cpu(). */
static inline bool cpu_is_idle(const struct rq *rq)
{
	return task_is_idle_thread(rq->curr) && !rq->nr_running && !rq->smp.ttwu_pending;
}

bool counts_as_idle(const struct selection *s, int cpu); /* that, or nobody there but SCHED_IDLE tasks */
int select_idle_sibling(const struct selection *s, int target);
void update_idle_core(struct rq *rq); /* @rq has become idle */
/*
 * Rule sis_util: the LLC of @sd, which is an sd_llc, has @util in use altogether: how many CPUs shall a wakeup look at?  Asked by periodic
 * and tickless balance of that level, never by a newly idle CPU.  At first, and after the domains are built anew, none.
 */
void update_idle_scan(struct lab *lab, struct sched_domain *sd, u64 util);

/* The last level; a CPU shares it with itself. */
static inline bool cpus_share_cache(const struct lab *lab, int a, int b)
{
	return lab->rqs[a].smp.llc_id == lab->rqs[b].smp.llc_id;
}

/* ---- select_fork.c ---- */
int select_task_rq_slow(const struct selection *s, unsigned sd_flag); /* SD_BALANCE_FORK, SD_BALANCE_EXEC */

/* ---- cpu_load.c: averages of a CPU's root queue; ticks that were left out there are charged first ---- */
u64 cpu_load(struct rq *rq);	 /* rule cpu_load says of what */
u64 cpu_runnable(struct rq *rq); /* how many tasks wait and run, nice 0 or not, in 1024ths */
u64 cpu_util(struct rq *rq);	 /* how much it runs, or its queued tasks usually do: 0..1024 */
u64 cpu_util_boosted(struct rq *rq); /* or, where that is more, how much they would if nobody waited */
u64 cpu_util_avg(struct rq *rq); /* how much it has been running, by itself */
struct cpu_averages {
	u64 load, runnable, util;
};
struct cpu_averages cpu_averages(struct rq *rq); /* all three at once, for who looks at many */
u64 cpu_avg_load(struct rq *rq); /* of all that it has, asleep or not, whatever the rule says */
/* The same without @p, where @p is part of it. */
u64 cpu_load_without(struct rq *rq, const struct task_struct *p);
u64 cpu_runnable_without(struct rq *rq, const struct task_struct *p);
u64 cpu_util_without(struct rq *rq, const struct task_struct *p);
u64 task_h_load(struct lab *lab, const struct task_struct *p); /* its part of its CPU's load, through its groups */
static inline u64 task_util(const struct task_struct *p) { return p->se.avg.util_avg; }
static inline u64 task_util_est(const struct task_struct *p) { return max_u64(task_util(p), p->util_usual); }

#endif
