/* SPDX-License-Identifier: MIT */
/*
 * throttle_group.c - the throttle policy to 6.17: a group that is out of runtime leaves the CPU as a whole.
 *
 *	root queue ---- [entity of /web] ----> /web's queue: out of runtime, throttled
 *	                     |                    '-- its tasks stay queued inside, uncounted above
 *	                     '-- taken out as if it slept; so is each ancestor that becomes empty
 *
 * Unthrottling puts the entities back, up to the first ancestor that is throttled itself.
 */
#include "core/sched.h"

/* An ancestor that stays queued: its averages follow, its weight does not before the next tick. */
static void update_load_above(struct lab *lab, struct sched_entity *se)
{
	update_load_avg(lab, se->cfs_rq, se, UPDATE_TG);
	se_update_runnable(se);
}

/* Take the group's entity, and ancestors that become empty with it, off the CPU; its tasks are gone from the counts above. */
static void dequeue_group(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *se = &group_pair(cfs_rq->tg, cfs_rq->rq->cpu)->se;
	s32 nr = -(s32)cfs_rq->h_nr_running, idle = -(s32)cfs_rq->h_nr_idle;
	bool dequeue = true;

	for_each_sched_entity(se) {
		struct cfs_rq *above = se->cfs_rq;

		if (!se->on_rq)
			return; /* throttled above: the counts up there do not hold these tasks */
		if (dequeue)
			dequeue_entity(lab, above, se, DEQUEUE_SLEEP | (se->sched_delayed ? DEQUEUE_DELAYED : DEQUEUE_SPECIAL));
		else
			update_load_above(lab, se);
		count_below(above, nr, &idle);
		if (above->nr_running)
			dequeue = false;
		if (above->throttled)
			return;
	}
	count_running(cfs_rq->rq, nr);
}

/* Its entity, and ancestors that were empty, are back, as if they woke. */
static void enqueue_group(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *se = &group_pair(cfs_rq->tg, cfs_rq->rq->cpu)->se;
	s32 nr = (s32)cfs_rq->h_nr_running, idle = (s32)cfs_rq->h_nr_idle;

	if (!cfs_rq->nr_running)
		return;
	for_each_sched_entity(se) {
		struct cfs_rq *above = se->cfs_rq;

		if (se->sched_delayed) /* an ancestor that was about to leave joins anew */
			dequeue_entity(lab, above, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		if (!se->on_rq)
			enqueue_entity(lab, above, se, ENQUEUE_WAKEUP);
		else
			update_load_above(lab, se);
		count_below(above, nr, &idle);
		if (above->throttled)
			return;
	}
	count_running(cfs_rq->rq, nr);
}

const struct throttle_ops throttle_group = {
	.throttle = dequeue_group,
	.unthrottle = enqueue_group,
	.takes_group_off = true,
};
