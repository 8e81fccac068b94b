/* SPDX-License-Identifier: MIT */
/*
 * verbs.h - what the files of the verbs (task.c, wake.c, schedule.c) ask of each other.
 */
#ifndef CORE_VERBS_H
#define CORE_VERBS_H

#include "core/sched.h"

/* Is @cpu online, and one that @p may use? */
static inline bool cpu_usable(const struct lab *lab, const struct task_struct *p, int cpu)
{
	return bit_test(p->cpus_allowed, cpu) && lab->rqs[cpu].online;
}

/* The class is the task's; these may be asked of any. */
static inline void enqueue_task(struct rq *rq, struct task_struct *p, bool keeps_place)
{
	if (p->above_fair)
		enqueue_task_rt(rq, p, keeps_place);
	else
		enqueue_task_fair(rq, p, 0);
}

/* @flags: DEQUEUE_*, which the classes above fair do not mind.  A fair task may stay queued, delayed. */
static inline void dequeue_task(struct rq *rq, struct task_struct *p, unsigned flags)
{
	if (p->above_fair)
		dequeue_task_rt(rq, p);
	else
		dequeue_task_fair(rq, p, flags);
}

/* Queue it: it is runnable now.  In line, so that the switch path has one call here whatever else is built in (tools/price_test.sh). */
static inline void activate(struct rq *rq, struct task_struct *p, unsigned enqueue_flags)
{
	p->state = TASK_RUNNING;
	idle_ends(rq);
	if (unlikely(p->above_fair)) {
		start_waiting(p);
		enqueue_task_rt(rq, p, false);
		return;
	}
	ON_PATH(rq->path, activate_task_fair)(rq, p, enqueue_flags);
}

/* ---- task.c ---- */
struct task_struct *make_task(struct lab *lab, int cpu, struct task_struct *parent, const struct task_spec *spec); /* what lab_fork() does */
enum move_cause cause_of_push(struct task_struct *p); /* why @p, which is about to be taken along, goes; to be asked once */
void push_task_to(struct lab *lab, struct task_struct *p, int cpu); /* @p, which does not run, goes to @cpu, queued or not */
void allow_cpus(struct lab *lab, struct task_struct *p, const u64 *cpus); /* NULL: all; nobody is moved */
void break_affinity(struct lab *lab, struct task_struct *p); /* all its CPUs offline: it may use every one of its cpuset */
/* set_cpus_allowed_ptr(), called on @cpu: who may not stay goes.  0, or -EINVAL where none of @cpus is online. */
int set_cpus_allowed(struct lab *lab, int cpu, struct task_struct *p, const u64 *cpus);
void leave_cpu(struct lab *lab, struct task_struct *p, int cpu); /* it runs: it goes over to @cpu */

/* ---- wake.c ---- */
enum occasion { IT_WAKES, IT_FORKS, IT_EXECS };
/*
 * Where @p shall run: asked on @cpu by @waker (NULL: an interrupt), with wake_flags of lab.h.  Always a CPU it may use; where none is online it
 * is allowed all from then on.
 */
int select_task_rq(struct lab *lab, int cpu, struct task_struct *p, struct task_struct *waker, enum occasion why, unsigned flags);
int fallback_cpu(struct lab *lab, struct task_struct *p); /* where it goes when it may not stay and nobody has chosen */
void run_wake_list(struct rq *rq);
void check_preempt_curr(struct rq *rq, struct task_struct *p, unsigned wake_flags); /* may ask rq->curr to leave for @p */
void check_preempt(struct rq *rq, struct task_struct *p, unsigned wake_flags); /* the same, and the timer of turns follows */

#endif
