/* SPDX-License-Identifier: MIT */
/*
 * throttle.c - a queue runs out of runtime, and is released: what both policies share.
 *
 *	out of runtime ---> flag, list of its group, throttle_count of all queues below ---> the policy takes tasks off
 *	has runtime again -> flag, list and counts back, throttled time -------------------> the policy puts them back
 *
 * The policy is throttle_group.c (to 6.17) or throttle_task.c.
 *
 * Laws (check.c): a queue is on the list of its group if and only if it is throttled; throttle_count is the number of throttled
 * queues from it up.
 */
#include "core/sched.h"

#define for_each_sched_entity(se) for (; se; se = se->parent)

static u64 clock_of(const struct cfs_rq *cfs_rq) { return cfs_rq->rq->clock; }

/* How long tasks of @cfs_rq have been kept from running by a limit here or above, up to now. */
u64 hierarchy_throttled_time(const struct cfs_rq *cfs_rq)
{
	u64 time = cfs_rq->hierarchy_throttled;

	if (throttled_hierarchy(cfs_rq))
		time += clock_of(cfs_rq) - cfs_rq->hierarchy_since;
	return time;
}

/* What cpu.stat.local counts: from the throttle, or from the first that is queued under it, to the release. */
static void start_local_clock(struct cfs_rq *cfs_rq)
{
	if (cfs_rq->throttled_local_on)
		return;
	cfs_rq->throttled_local_on = true;
	cfs_rq->throttled_local_since = clock_of(cfs_rq);
}

static void stop_local_clock(struct cfs_rq *cfs_rq)
{
	if (cfs_rq->throttled_local_on)
		cfs_rq->throttled_local += clock_of(cfs_rq) - cfs_rq->throttled_local_since;
	cfs_rq->throttled_local_on = false;
}

static void tg_throttle_down(struct lab *lab, struct cfs_rq *top)
{
	const struct task_group *tg;

	for_each_group_below(tg, top->tg) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, top->rq->cpu);

		if (!cfs_rq || cfs_rq->throttle_count++)
			continue;
		cfs_rq->hierarchy_since = clock_of(cfs_rq);
		if (cfs_rq->nr_running)
			start_local_clock(cfs_rq);
	}
}

static void tg_unthrottle_up(struct lab *lab, struct cfs_rq *top)
{
	const struct task_group *tg;

	for_each_group_below(tg, top->tg) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, top->rq->cpu);

		if (!cfs_rq || --cfs_rq->throttle_count)
			continue;
		cfs_rq->hierarchy_throttled += clock_of(cfs_rq) - cfs_rq->hierarchy_since;
		stop_local_clock(cfs_rq);
	}
}

/* Rule bw_list: at the tail, at the head (3.17-4.18), or at the head only while a distribution runs (4.19-5.7). */
static bool joins_at_head(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	switch (lab_rule(lab, BW_LIST)) {
	case BW_LIST_HEAD:
		return true;
	case BW_LIST_MIXED:
		return distribution_running(cfs_b);
	default:
		return false;
	}
}

static void join_throttled_list(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);

	if (joins_at_head(lab, cfs_b)) {
		list_add(&cfs_rq->throttled_list, &cfs_b->throttled_cfs_rq);
		return;
	}
	list_add_tail(&cfs_rq->throttled_list, &cfs_b->throttled_cfs_rq);
	/* a walk that stood at the end of the list sees the newcomer */
	if (cfs_b->walk.running && cfs_b->walk.cursor == &cfs_b->throttled_cfs_rq)
		cfs_b->walk.cursor = &cfs_rq->throttled_list;
}

static void leave_throttled_list(struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);

	if (cfs_b->walk.cursor == &cfs_rq->throttled_list)
		cfs_b->walk.cursor = cfs_rq->throttled_list.next;
	list_del(&cfs_rq->throttled_list);
}

/*
 * Rule bw_empty_time: from when the throttled time of @cfs_rq counts: always (to 6.5), or only while somebody is queued (6.6,
 * 79462e8c879a).
 */
static void start_throttled_clock(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_COUNTED ||
	    (lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_QUEUED && cfs_rq->nr_running))
		cfs_rq->throttled_clock = clock_of(cfs_rq);
	else
		cfs_rq->throttled_clock = 0;
}

/* Rule bw_reask (5.8, e98fa02c4f2e): has the pool got something meanwhile? */
static bool saved_by_asking(struct lab *lab, struct cfs_rq *cfs_rq)
{
	return lab_rule(lab, BW_REASK) && lab_rule(lab, BW_THROTTLE) != BW_THROTTLE_CHARGE && assign_cfs_rq_runtime(lab, cfs_rq, 1);
}

/* @cfs_rq is out of runtime.  Returns false where it found some after all. */
bool throttle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);

	if (saved_by_asking(lab, cfs_rq))
		return false;
	join_throttled_list(lab, cfs_rq);
	tg_throttle_down(lab, cfs_rq);
	if (lab->throttle->takes_group_off)
		lab->throttle->throttle(lab, cfs_rq);
	cfs_rq->throttled = true;
	if (!lab->throttle->takes_group_off)
		lab->throttle->throttle(lab, cfs_rq);
	cfs_rq->throttled_groups = lab->nr_groups;
	start_throttled_clock(lab, cfs_rq);
	if (lab_rule(lab, BW_ARM_ON_THROTTLE))
		start_cfs_bandwidth(lab, cfs_b, cfs_rq->rq->cpu, START_THROTTLE);
	emit(lab, EVENT_BW_THROTTLE, cfs_rq->rq->cpu, 0, cfs_rq->tg->id, cfs_rq->runtime_remaining, 0);
	return true;
}

/* From 6.18: others have consumed what it was given meanwhile. */
static bool must_stay_throttled(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return !lab->throttle->takes_group_off && cfs_rq->runtime_enabled && cfs_rq->runtime_remaining <= 0;
}

/* The clock of @cfs_rq's CPU must be up to date.  A busy CPU is not asked to reschedule: the group waits for its turn. */
void unthrottle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	if (must_stay_throttled(lab, cfs_rq))
		return;
	cfs_rq->throttled = false;
	if (cfs_rq->throttled_clock)
		bandwidth_of(cfs_rq)->throttled_time += clock_of(cfs_rq) - cfs_rq->throttled_clock;
	cfs_rq->throttled_clock = 0;
	leave_throttled_list(cfs_rq);
	emit(lab, EVENT_BW_UNTHROTTLE, rq->cpu, 0, cfs_rq->tg->id, cfs_rq->runtime_remaining, 0);
	tg_unthrottle_up(lab, cfs_rq);
	lab->throttle->unthrottle(lab, cfs_rq);
	if (task_is_idle_thread(rq->curr) && rq->cfs.nr_running)
		resched_curr(rq);
}

/*
 * At a schedule pass (rule bw_throttle; not where the charge judges): is this level out of runtime?  Then throttle it.  True: its
 * tasks are off the CPU now, pick again.
 */
bool check_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	bool throttled;

	if (likely(!cfs_rq->runtime_enabled || cfs_rq->runtime_remaining > 0) || lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		return false;
	throttled = cfs_rq->throttled || throttle_cfs_rq(lab, cfs_rq);
	return throttled && lab->throttle->takes_group_off;
}

/* Rule bw_empty_time (6.6): the first task that joins a throttled queue starts its clock. */
static void clock_for_newcomer(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (cfs_rq->throttled && !cfs_rq->throttled_clock && lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_QUEUED)
		cfs_rq->throttled_clock = clock_of(cfs_rq);
	if (throttled_hierarchy(cfs_rq))
		start_local_clock(cfs_rq);
}

/* The first entity joins @cfs_rq: charge nothing, which may expire leftovers and draws a slice, and throttle where there is none. */
void check_enqueue_throttle(struct lab *lab, struct cfs_rq *cfs_rq)
{
	clock_for_newcomer(lab, cfs_rq);
	if (!cfs_rq->runtime_enabled || cfs_rq->curr || cfs_rq->throttled)
		return;
	account_cfs_rq_runtime(lab, cfs_rq, 0);
	if (cfs_rq->runtime_remaining <= 0 && !cfs_rq->throttled)
		throttle_cfs_rq(lab, cfs_rq);
}

/* The interrupt of rule bw_unthrottle=ipi has arrived on @cpu. */
void lab_ipi(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);

	update_rq_clock(rq);
	while (!list_empty(&rq->unthrottle_list)) {
		struct cfs_rq *cfs_rq = list_entry(rq->unthrottle_list.next, struct cfs_rq, csd_list);

		list_del(&cfs_rq->csd_list);
		cfs_rq->csd_pending = false;
		if (cfs_rq->throttled)
			unthrottle_cfs_rq(lab, cfs_rq);
	}
	lab_verb_done(lab);
}
