/* SPDX-License-Identifier: MIT */
/*
 * throttle_task.c - the throttle policy from 6.18: the queue is only marked; each task leaves by itself, when it returns to user mode.
 *
 *	throttled queue (flag, list, counts)        limbo list of the task's queue
 *	   task in the kernel: runs on, as debt ---> return to user mode: parked ---> released with the queue
 *
 * So no task is stopped while it holds a lock of the kernel's; kernel threads and exiting tasks are never stopped.  All they run
 * is the group's debt, without a bound.
 *
 * Rule bw_throttle: task (6.18-7.1, e1fad12dcb66) judges at each schedule pass as before; charge (7.2, f666241e6bd5) judges in the
 * charge itself.  Law (check.c): a parked task is on no queue, and below a throttled one.
 * Rules: docs/rules/bandwidth.md section 6.
 */
#include "core/sched.h"

/* Kernel threads have no user mode to return to; who exits will not see it again. */
static bool returns_to_user(const struct task_struct *p)
{
	return !task_is_idle_thread(p) && !p->kthread && p->state != TASK_DEAD;
}

/*
 * Attach the work that parks @p, which runs, at its next return to user mode, if its group is throttled at any level.  Work it was
 * given before it last slept is still there.
 */
void give_throttle_work(struct rq *rq, struct task_struct *p)
{
	if (returns_to_user(p) && throttled_hierarchy(p->se.cfs_rq))
		p->throttle_work = true;
	if (p->throttle_work)
		rq->lab->pf.kick(rq->lab->pf.ctx, rq->cpu, KICK_USER_RETURN);
}

/*
 * Rule bw_empty_time=parked (eb962f251fbb): the throttled time of each throttled level, and what cpu.stat.local shows of each level below
 * one, run from its first parked task.
 */
static void start_clocks_above(struct sched_entity *se)
{
	for (; se; se = se->parent) {
		if (se->cfs_rq->throttled && !se->cfs_rq->throttled_clock)
			se->cfs_rq->throttled_clock = se->cfs_rq->rq->clock;
		if (throttled_hierarchy(se->cfs_rq))
			start_local_clock(se->cfs_rq);
	}
}

void park(struct task_struct *p)
{
	p->parked = true;
	list_add(&p->limbo, &p->se.cfs_rq->limbo);
	start_clocks_above(&p->se);
}

/* It leaves as if it slept, through all levels, but not to be delayed. */
static void stop_at_user_return(struct rq *rq, struct task_struct *p)
{
	dequeue_task_fair(rq, p, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
	park(p);
	start_waiting(p);
	resched_curr(rq);
}

/* The current task of @cpu is about to return to user mode. */
void lab_user_return(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);
	struct task_struct *p = rq->curr;

	if (!p->throttle_work)
		return;
	p->throttle_work = false;
	update_rq_clock(rq);
	if (throttled_hierarchy(p->se.cfs_rq))
		stop_at_user_return(rq, p);
	lab_verb_done(lab);
}

bool lab_user_work(const struct lab *lab, int cpu) { return lab->rqs[cpu].curr->throttle_work; }

void unpark(struct task_struct *p)
{
	p->parked = false;
	list_del(&p->limbo);
}

/*
 * Nothing is taken off.  To 7.1 whoever the pick finds to run next leaves by itself (schedule.c, set_current); in 7.2, where the charge throttles
 * and no pick follows, whoever runs below the queue does.
 */
static void throttle(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	if (cfs_rq->curr && !task_is_idle_thread(rq->curr) && lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		give_throttle_work(rq, rq->curr);
}

/*
 * Parked tasks come back as if they woke, the one parked last first.  From 7.2 (rule bw_throttle=charge) the rest stays where it is if the
 * level is throttled again meanwhile.
 */
static void release_parked(struct lab *lab, struct cfs_rq *cfs_rq)
{
	bool stops = lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE;

	while (!list_empty(&cfs_rq->limbo) && !(stops && throttled_hierarchy(cfs_rq))) {
		struct task_struct *p = list_entry(cfs_rq->limbo.next, struct task_struct, limbo);

		unpark(p);
		enqueue_task_fair(cfs_rq->rq, p, ENQUEUE_WAKEUP);
	}
}

const struct throttle_ops throttle_task = {
	.throttle = throttle,
	.released = release_parked,
	.takes_group_off = false,
};
