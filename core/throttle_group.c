/* SPDX-License-Identifier: MIT */
/*
 * throttle_group.c - the throttle policy to 6.17: a group that is out of runtime leaves the CPU as a whole.
 *
 *	root queue ---- [entity of /web] ----> /web's queue: out of runtime, throttled
 *	                     |                    '-- its tasks stay queued inside, uncounted above
 *	                     '-- taken out as if it slept; so is each ancestor that becomes empty
 *
 * Every queue at and below a throttled one counts it in throttle_count.  Unthrottling puts the entities back, up to the first
 * ancestor that is throttled itself.
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

static void tg_throttle_down(struct lab *lab, struct cfs_rq *top)
{
	const struct task_group *tg;

	for_each_group_below(tg, top->tg) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, top->rq->cpu);

		if (cfs_rq && !cfs_rq->throttle_count++)
			cfs_rq->hierarchy_since = clock_of(cfs_rq);
	}
}

static void tg_unthrottle_up(struct lab *lab, struct cfs_rq *top)
{
	const struct task_group *tg;

	for_each_group_below(tg, top->tg) {
		struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, top->rq->cpu);

		if (cfs_rq && !--cfs_rq->throttle_count)
			cfs_rq->hierarchy_throttled += clock_of(cfs_rq) - cfs_rq->hierarchy_since;
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

/* Take the group's entity, and ancestors that become empty with it, off the CPU; @nr tasks are gone from the counts above. */
static void dequeue_group(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *se = &group_pair(cfs_rq->tg, cfs_rq->rq->cpu)->se;
	u32 nr = cfs_rq->h_nr_running, idle = cfs_rq->h_nr_idle;
	bool dequeue = true;

	for_each_sched_entity(se) {
		struct cfs_rq *above = se->cfs_rq;

		if (!se->on_rq)
			return; /* throttled above: the counts up there do not hold these tasks */
		if (dequeue)
			dequeue_entity(lab, above, se, DEQUEUE_SLEEP);
		else
			update_cfs_group(lab, se);
		above->h_nr_running -= nr;
		if (above->tg->idle)
			idle = nr;
		above->h_nr_idle -= idle;
		if (above->nr_running)
			dequeue = false;
		if (above->throttled)
			return;
	}
	cfs_rq->rq->nr_running -= nr;
}

static void enqueue_group(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *se = &group_pair(cfs_rq->tg, cfs_rq->rq->cpu)->se;
	u32 nr = cfs_rq->h_nr_running, idle = cfs_rq->h_nr_idle;

	for_each_sched_entity(se) {
		struct cfs_rq *above = se->cfs_rq;

		if (!se->on_rq)
			enqueue_entity(lab, above, se, ENQUEUE_WAKEUP);
		else
			update_cfs_group(lab, se);
		above->h_nr_running += nr;
		if (above->tg->idle)
			idle = nr;
		above->h_nr_idle += idle;
		if (above->throttled)
			return;
	}
	cfs_rq->rq->nr_running += nr;
}

/*
 * Rule bw_empty_time: from when the throttled time of @cfs_rq counts: always (to 6.5), or only while somebody is queued (6.6,
 * 79462e8c879a).
 */
static void start_throttled_clock(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_COUNTED || cfs_rq->nr_running)
		cfs_rq->throttled_clock = clock_of(cfs_rq);
	else
		cfs_rq->throttled_clock = 0;
}

/* Rule bw_reask (5.8, e98fa02c4f2e): has the pool got something meanwhile? */
static bool saved_by_asking(struct lab *lab, struct cfs_rq *cfs_rq)
{
	return lab_rule(lab, BW_REASK) && assign_cfs_rq_runtime(lab, cfs_rq, 1);
}

/* @cfs_rq is out of runtime.  Returns false where it found some after all. */
bool throttle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);

	if (saved_by_asking(lab, cfs_rq))
		return false;
	join_throttled_list(lab, cfs_rq);
	tg_throttle_down(lab, cfs_rq);
	dequeue_group(lab, cfs_rq);
	cfs_rq->throttled = true;
	start_throttled_clock(lab, cfs_rq);
	if (lab_rule(lab, BW_ARM_ON_THROTTLE))
		start_cfs_bandwidth(lab, cfs_b, cfs_rq->rq->cpu);
	emit(lab, EVENT_BW_THROTTLE, cfs_rq->rq->cpu, 0, cfs_rq->tg->id, cfs_rq->runtime_remaining, 0);
	return true;
}

/* The clock of @cfs_rq's CPU must be up to date.  A busy CPU is not asked to reschedule: the group waits for its turn. */
void unthrottle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	cfs_rq->throttled = false;
	if (cfs_rq->throttled_clock)
		bandwidth_of(cfs_rq)->throttled_time += clock_of(cfs_rq) - cfs_rq->throttled_clock;
	cfs_rq->throttled_clock = 0;
	leave_throttled_list(cfs_rq);
	emit(lab, EVENT_BW_UNTHROTTLE, rq->cpu, 0, cfs_rq->tg->id, cfs_rq->runtime_remaining, 0);
	tg_unthrottle_up(lab, cfs_rq);
	if (!cfs_rq->nr_running)
		return;
	enqueue_group(lab, cfs_rq);
	if (task_is_idle_thread(rq->curr) && rq->cfs.nr_running)
		resched_curr(rq);
}

/* At a schedule pass: is this level out of runtime?  Then throttle it. */
bool check_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (likely(!cfs_rq->runtime_enabled || cfs_rq->runtime_remaining > 0))
		return false;
	if (cfs_rq->throttled)
		return true;
	return throttle_cfs_rq(lab, cfs_rq);
}

/* Rule bw_empty_time (6.6): the first task that joins a throttled queue starts its clock. */
static void clock_for_newcomer(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (cfs_rq->throttled && !cfs_rq->throttled_clock && lab_rule(lab, BW_EMPTY_TIME) == BW_EMPTY_QUEUED)
		cfs_rq->throttled_clock = clock_of(cfs_rq);
}

/* The first entity joins @cfs_rq: charge nothing, which may expire leftovers and draws a slice, and throttle where there is none. */
void check_enqueue_throttle(struct lab *lab, struct cfs_rq *cfs_rq)
{
	clock_for_newcomer(lab, cfs_rq);
	if (!cfs_rq->runtime_enabled || cfs_rq->curr || cfs_rq->throttled)
		return;
	account_cfs_rq_runtime(lab, cfs_rq, 0);
	if (cfs_rq->runtime_remaining <= 0)
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
