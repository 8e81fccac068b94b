/* SPDX-License-Identifier: MIT */
/*
 * hrtick.c - a timer ends each request on time, not the next tick (rule hrtick).
 *
 *	what runs or waits has changed ---> the least time left on the running chain ---> hrtick_arm() ... task_hrtick(): leave
 */
#include "core/sched.h"

#define HRTICK_LEAST (10 * US)

static void hrtick_arm(struct rq *rq, u64 when)
{
	rq->hrtick_armed = when != NEVER;
	rq->lab->pf.hrtick_arm(rq->lab->pf.ctx, rq->cpu, when);
}

/*
 * What runs, or what is queued, has changed on @rq: its timer is set to the end of the running task's own turn, if the CPU has two fair
 * tasks.  A pass that lets the task run on does not set it again: then the next tick ends its turn.
 *
 * Only an idle CPU forgets it.  Where one of two leaves, the other runs on with the timer of the one that left, and is charged when that fires: a
 * hog that a worker had interrupted for 10 us is stopped by its limit 1409 us behind the worker's switch, not at the next tick (two recordings of 7.2).
 */
void hrtick_update(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct sched_entity *se = &rq->curr->se;

	if (!lab_rule(lab, HRTICK))
		return;
	if (!task_is_idle_thread(rq->curr) && !rq->curr->above_fair && rq->cfs.h_nr_running > 1)
		hrtick_arm(rq, lab_ktime(lab) + max_u64(lab->pick->time_left(lab, se->cfs_rq, se), HRTICK_LEAST));
	else if (rq->hrtick_armed && task_is_idle_thread(rq->curr))
		hrtick_arm(rq, NEVER);
}

/* It has fired: charge as a tick does, and pick again. */
void task_hrtick(struct rq *rq)
{
	struct sched_entity *se = &rq->curr->se;

	rq->hrtick_armed = false;
	update_rq_clock(rq);
	if (task_is_idle_thread(rq->curr) || rq->curr->above_fair)
		return;
	for_each_sched_entity(se) {
		update_curr(rq->lab, se->cfs_rq);
		update_load_avg(rq->lab, se->cfs_rq, se, UPDATE_TG);
		update_cfs_group(rq->lab, se);
	}
	resched_curr(rq);
}
