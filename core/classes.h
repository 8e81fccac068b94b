/* SPDX-License-Identifier: MIT */
/*
 * classes.h - the order of the classes: stop > rt > fair > idle; private to core/.
 *
 * The upper two are rt.c's.  schedule.c, wake.c, task.c and ticks.c ask one question each: is p->above_fair?  A stopper is a task of policy
 * SCHED_STOP that is bound to its CPU; once woken it runs at that CPU's next pass, whatever else wants to.
 */
#ifndef CORE_CLASSES_H
#define CORE_CLASSES_H

#include "base/types.h"
#include "core/entity.h"
#include "core/queue.h"

struct lab;
struct sched_domain;

bool policy_is_above_fair(enum sched_policy policy); /* FIFO, RR, DEADLINE, STOP */
void set_rt_policy(struct lab *lab, struct task_struct *p, enum sched_policy policy, int priority); /* of a task that is not queued */
void enqueue_task_rt(struct rq *rq, struct task_struct *p, bool keeps_place); /* behind its equals, or where it was among them */
void dequeue_task_rt(struct rq *rq, struct task_struct *p);
void update_curr_rt(struct rq *rq); /* rq->curr is above fair; so for the next three */
void task_tick_rt(struct rq *rq);
void charge_ticks_rt(struct rq *rq, u64 nr, u64 last); /* @nr ticks up to @last on this CPU's clock in one go: they decided nothing */
u64 ticks_left_rt(const struct rq *rq); /* how many until one may; at least 1 */
void yield_task_rt(struct rq *rq);	/* behind its equals */
void stop_waiting_rt(struct task_struct *p); /* the end of start_waiting() above fair: no limit has a part in it */
void check_preempt_rt(struct rq *rq, const struct task_struct *p); /* @p or rq->curr is above fair */
int select_task_rq_rt(struct lab *lab, const struct task_struct *p); /* where it shall wake: a CPU it may use */
void push_tasks_rt(struct rq *rq); /* after a pass: those who wait here and need not */
struct task_struct *waiting_task_rt(const struct rq *rq); /* the highest that waits here; NULL: none */
struct task_struct *pick_next_task_above(struct rq *rq, struct task_struct *prev); /* it is current from now on; NULL: none is above fair */
void leave_fair(struct lab *lab, struct task_struct *p); /* @p, on no queue, gets a policy above fair: its averages leave, its vruntime is relative */
void take_rt_from_capacity(struct lab *lab, struct sched_domain *sd); /* before a balancer looks at its groups: what is left for fair tasks */
u64 capacity_of(const struct rq *rq); /* for fair tasks, now */

#endif
