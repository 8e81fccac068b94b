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

static u64 clock_of(const struct cfs_rq *cfs_rq) { return cfs_rq->rq->clock; }

/* ---- which copy of the switch path a CPU uses (path.h) ---- */

/* A charge that throttles does so in the middle of a walk, which a calm copy would not see. */
static bool has_calm_path(const struct lab *lab) { return lab->throttle->takes_group_off; }

void choose_path(struct rq *rq)
{
	const struct lab *lab = rq->lab;

	if (lab->cfg.full_path)
		rq->path = &path_full;
	else if (!rq->nr_limited)
		rq->path = &path_free;
	else
		rq->path = rq->throttles || !has_calm_path(lab) ? &path_full : &path_calm;
}

bool path_is_right(const struct rq *rq)
{
	if (rq->path == &path_free)
		return !rq->nr_limited && (!rq->curr->tg->under_limit || rq->curr->above_fair);
	return rq->path == &path_full || !rq->throttles;
}

static void leave_calm_path(struct rq *rq)
{
	rq->throttles = true;
	choose_path(rq);
}

/* @nr 1: somebody is on @cfs_rq, where nobody was; -1: nobody is left. */
static void count_limited(struct cfs_rq *cfs_rq, s32 nr)
{
	struct rq *rq = cfs_rq->rq;

	if (!cfs_rq->tg->under_limit)
		return;
	rq->nr_limited += (u32)nr;
	if (rq->path == &path_free)
		choose_path(rq);
}

/* Queues that have somebody on them count at once. */
static void put_queues_under_limit(struct lab *lab, struct task_group *tg)
{
	struct group_pair *pair;
	int cpu;

	tg->under_limit = true;
	for_each_pair(lab, tg, cpu, pair)
		if (pair->cfs_rq.nr_running)
			count_limited(&pair->cfs_rq, 1);
}

void put_under_limit(struct lab *lab, struct task_group *top)
{
	struct task_group *tg;

	for_each_group_below(tg, top)
		if (!tg->under_limit)
			put_queues_under_limit(lab, tg);
}

/* The averages of @cfs_rq neither grow nor decay until its clock goes on. */
void stop_pelt_clock(struct cfs_rq *cfs_rq)
{
	if (cfs_rq->pelt_stopped)
		return;
	cfs_rq->pelt_stopped = true;
	cfs_rq->pelt_since = clock_of(cfs_rq);
}

static void start_pelt_clock(struct cfs_rq *cfs_rq)
{
	if (cfs_rq->pelt_stopped)
		cfs_rq->pelt_lost += clock_of(cfs_rq) - cfs_rq->pelt_since;
	cfs_rq->pelt_stopped = false;
}

/* It gives back what it does not keep; where tasks are throttled one by one the clock of averages stops with the last of them. */
void last_has_left(struct lab *lab, struct cfs_rq *cfs_rq)
{
	count_limited(cfs_rq, -1);
	if (throttled_hierarchy(cfs_rq) && !lab->throttle->takes_group_off)
		stop_pelt_clock(cfs_rq);
	return_cfs_rq_runtime(lab, cfs_rq);
}

/* Rule bw_empty_time=parked: no clock of throttled time runs before a task is parked. */
static bool waits_for_parking(const struct lab *lab) { return lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_PARKED; }

/* What cpu.stat.local counts: from the throttle, or from the first that is queued (6.18: parked) under it, to the release. */
void start_local_clock(struct cfs_rq *cfs_rq)
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
		if (lab->throttle->takes_group_off || !cfs_rq->nr_running)
			stop_pelt_clock(cfs_rq);
		if (cfs_rq->nr_running && !waits_for_parking(lab))
			start_local_clock(cfs_rq);
	}
}

static void tg_unthrottle_up(struct lab *lab, struct cfs_rq *top)
{
	const struct task_group *tg;

	for_each_group_up_to(tg, top->tg) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, top->rq->cpu);

		if (!cfs_rq || --cfs_rq->throttle_count)
			continue;
		cfs_rq->hierarchy_throttled += clock_of(cfs_rq) - cfs_rq->hierarchy_since;
		start_pelt_clock(cfs_rq);
		stop_local_clock(cfs_rq);
		if (lab->throttle->released)
			lab->throttle->released(lab, cfs_rq);
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
	leave_calm_path(cfs_rq->rq);
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

	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE) /* who still runs there, in the kernel, pays first */
		update_curr(lab, cfs_rq);
	if (must_stay_throttled(lab, cfs_rq))
		return;
	cfs_rq->throttled = false;
	if (cfs_rq->throttled_clock)
		bandwidth_of(cfs_rq)->throttled_time += clock_of(cfs_rq) - cfs_rq->throttled_clock;
	cfs_rq->throttled_clock = 0;
	leave_throttled_list(cfs_rq);
	emit(lab, EVENT_BW_UNTHROTTLE, rq->cpu, 0, cfs_rq->tg->id, cfs_rq->runtime_remaining, 0);
	tg_unthrottle_up(lab, cfs_rq);
	if (lab->throttle->unthrottle)
		lab->throttle->unthrottle(lab, cfs_rq);
	if (task_is_idle_thread(rq->curr) && rq->cfs.nr_running)
		resched_curr(rq);
}

/* check_cfs_rq_runtime() has found none (rule bw_throttle; not where the charge judges). */
bool out_of_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	bool throttled;

	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		return false;
	throttled = cfs_rq->throttled || throttle_cfs_rq(lab, cfs_rq);
	return throttled && lab->throttle->takes_group_off;
}

/* Rule bw_empty_time (6.6): the first task that joins a throttled queue starts its clock. */
static void clock_for_newcomer(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (cfs_rq->throttled && !cfs_rq->throttled_clock && lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_QUEUED)
		cfs_rq->throttled_clock = clock_of(cfs_rq);
	if (throttled_hierarchy(cfs_rq) && !waits_for_parking(lab))
		start_local_clock(cfs_rq);
	if (!lab->throttle->takes_group_off)
		start_pelt_clock(cfs_rq);
}

/* The first entity joins @cfs_rq: charge nothing, which may expire leftovers and draws a slice, and throttle where there is none. */
void check_enqueue_throttle(struct lab *lab, struct cfs_rq *cfs_rq)
{
	count_limited(cfs_rq, 1);
	clock_for_newcomer(lab, cfs_rq);
	if (!cfs_rq->runtime_enabled || cfs_rq->curr || cfs_rq->throttled)
		return;
	account_cfs_rq_runtime(lab, cfs_rq, 0);
	if (cfs_rq->runtime_remaining <= 0 && !cfs_rq->throttled)
		throttle_cfs_rq(lab, cfs_rq);
}

/* The interrupt of rule bw_unthrottle=ipi has arrived on @rq's CPU. */
void run_unthrottle_list(struct rq *rq)
{
	while (!list_empty(&rq->unthrottle_list)) {
		struct cfs_rq *cfs_rq = list_entry(rq->unthrottle_list.next, struct cfs_rq, csd_list);

		list_del(&cfs_rq->csd_list);
		cfs_rq->csd_pending = false;
		if (cfs_rq->throttled)
			unthrottle_cfs_rq(rq->lab, cfs_rq);
	}
}
