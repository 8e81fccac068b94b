/* SPDX-License-Identifier: MIT */
/*
 * fair.c - the fair class: the charge, and the walks up and down the hierarchy.
 *
 *	root queue of the CPU      cfs.curr ----> group entity ----> my_q.curr ----> task entity
 *	                           tree: [ ] [ ]                     tree: [ ] [ ] [ ]
 *
 * Everything that runs is "current" on each level of its chain and out of the trees there, but counts in every weight and
 * number.  Which entity comes first is the pick policy's business (pick_vruntime.c, pick_eevdf.c), who gives way at a wakeup preempt.c's;
 * limits are bandwidth.c's and throttle.c's; this file only walks and asks.
 *
 * Laws (check.c): load and nr_running of a queue are the sums over its entities; h_nr_running counts the tasks below.
 */
#include "core/sched.h"

/* ---- charging ---- */

static void charge_task(struct lab *lab, struct cfs_rq *cfs_rq, struct task_struct *p, u64 delta, u32 ticks)
{
	cfs_rq->exec_clock += delta;
	emit(lab, EVENT_SCHED_STAT_RUNTIME, cfs_rq->rq->cpu, p->id, cfs_rq->tg->id, (s64)delta, ticks);
}

/* Charge @delta ns of wall time, worth @vdelta of virtual time, to the current entity of @cfs_rq. */
void charge_curr(struct lab *lab, struct cfs_rq *cfs_rq, u64 delta, u64 vdelta, u32 ticks)
{
	struct sched_entity *curr = cfs_rq->curr;

	curr->exec_start += delta;
	curr->sum_exec_runtime += delta;
	curr->vruntime += vdelta;
	lab->pick->update_min(lab, cfs_rq);
	if (entity_is_task(curr))
		charge_task(lab, cfs_rq, task_of(curr), delta, ticks);
	if (is_metered(cfs_rq))
		account_cfs_rq_runtime(lab, cfs_rq, delta);
	if (lab->pick->charged)
		lab->pick->charged(lab, cfs_rq, curr, ticks);
}

/* Charge the current entity of @cfs_rq up to the clock of its CPU, as sampled at the start of this section. */
void update_curr(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->curr;
	s64 delta;

	if (!curr)
		return;
	delta = (s64)(cfs_rq->rq->clock - curr->exec_start);
	if (delta <= 0)
		return;
	charge_curr(lab, cfs_rq, (u64)delta, calc_delta_fair(lab, (u64)delta, curr), 1);
}

/* ---- how long a task waits ---- */

void start_waiting(struct task_struct *p)
{
	if (p->waiting)
		return;
	p->waiting = true;
	p->wait_start = p->se.cfs_rq->rq->clock;
	p->wait_hierarchy = hierarchy_throttled_time(p->se.cfs_rq);
}

/* Splits the wait into what a limit took and what other tasks took. */
void stop_waiting(struct task_struct *p)
{
	u64 wait, throttled;

	if (!p->waiting)
		return;
	p->waiting = false;
	wait = p->se.cfs_rq->rq->clock - p->wait_start;
	throttled = min_u64(hierarchy_throttled_time(p->se.cfs_rq) - p->wait_hierarchy, wait);
	p->wait_throttled += throttled;
	p->wait_contended += wait - throttled;
	p->longest_pause = max_u64(p->longest_pause, wait);
}

/* ---- one entity on one level ---- */

/* Make a vruntime that belongs to no queue one of @cfs_rq's again. */
static void make_absolute(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (!entity_is_task(se) || !task_of(se)->moved)
		return;
	se->vruntime += cfs_rq->min_vruntime;
	task_of(se)->moved = false;
}

/* @se begins (1) or ends (-1) to be queued although it sleeps: a CPU counts its tasks of that kind. */
static void count_delayed(const struct sched_entity *se, s32 nr)
{
	if (entity_is_task(se))
		se->cfs_rq->rq->nr_delayed += (u32)nr;
}

/* The end of a delayed sleep: wanted again, it is a waiting entity like the others. */
static void requeue_delayed_entity(struct lab *lab, struct sched_entity *se)
{
	lab->pick->undelay(lab, se->cfs_rq, se);
	count_delayed(se, -1);
	se->sched_delayed = false;
}

/* Rule wake_renorm: to 4.6 before the charge that may move min_vruntime; since then after it, unless it is current. */
static bool absolute_before_charge(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	return cfs_rq->curr == se || !lab_rule(lab, WAKE_RENORM);
}

void enqueue_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	if (absolute_before_charge(lab, cfs_rq, se))
		make_absolute(cfs_rq, se);
	if (cfs_rq->curr == se)
		lab->pick->place(lab, cfs_rq, se, flags);
	update_curr(lab, cfs_rq);
	make_absolute(cfs_rq, se);
	update_load_avg(lab, cfs_rq, se, UPDATE_TG | DO_ATTACH);
	se_update_runnable(se);
	update_cfs_group(lab, se);
	if (cfs_rq->curr != se)
		lab->pick->place(lab, cfs_rq, se, flags);
	load_add(&cfs_rq->load, se->load.weight);
	if (!cfs_rq->nr_running++ && !cfs_rq->tg->parent)
		stain(cfs_rq->rq);
	if (unlikely(cfs_rq->splits_load))
		runnable_load_joins(lab, cfs_rq, se);
	if (unlikely(se->sched_delayed)) /* put back as one */
		count_delayed(se, 1);
	if (se != cfs_rq->curr)
		lab->pick->insert(lab, cfs_rq, se);
	if (entity_is_task(se))
		list_add(&task_of(se)->group_node, &cfs_rq->rq->smp.cfs_tasks);
	se->on_rq = true;
	if (lab->pick->joined)
		lab->pick->joined(lab, se);
	if (PATH != PATH_FREE && cfs_rq->nr_running == 1)
		check_enqueue_throttle(lab, cfs_rq);
}

/* May @se, which wants to sleep, stay queued until it has waited its debt off? */
static bool stays_delayed(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	if (!(flags & DEQUEUE_SLEEP) || (flags & (DEQUEUE_SPECIAL | DEQUEUE_DELAYED)) || !lab->pick->delays)
		return false;
	return lab->pick->delays(lab, cfs_rq, se);
}

/* Returns false where @se stays queued, delayed. */
bool dequeue_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	update_curr(lab, cfs_rq);
	update_load_avg(lab, cfs_rq, se, UPDATE_TG);
	se_update_runnable(se);
	clear_buddies(se);
	if (stays_delayed(lab, cfs_rq, se, flags)) {
		se->sched_delayed = true;
		count_delayed(se, 1);
		return false;
	}
	if (unlikely(se->sched_delayed))
		count_delayed(se, -1);
	if (unlikely(cfs_rq->splits_load))
		runnable_load_leaves(lab, cfs_rq, se);
	if (lab->pick->leave)
		lab->pick->leave(lab, cfs_rq, se, flags);
	if (se != cfs_rq->curr)
		lab->pick->remove(lab, cfs_rq, se);
	if (entity_is_task(se))
		list_del(&task_of(se)->group_node);
	se->on_rq = false;
	if (flags & DEQUEUE_DELAYED)
		se->sched_delayed = false;
	load_sub(&cfs_rq->load, se->load.weight);
	cfs_rq->nr_running--;
	if (!cfs_rq->nr_running) {
		watch_blocked_load(lab, cfs_rq);
		if (PATH != PATH_FREE)
			last_has_left(lab, cfs_rq);
	}
	update_cfs_group(lab, se);
	lab->pick->left(lab, cfs_rq, se, flags);
	return true;
}

/* @se is current from now on, because it was @picked or again after a change to it. */
static void set_next_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, bool picked)
{
	if (se->on_rq) {
		lab->pick->remove(lab, cfs_rq, se);
		if (entity_is_task(se))
			stop_waiting(task_of(se));
		update_load_avg(lab, cfs_rq, se, UPDATE_TG);
		if (lab->pick->set_next)
			lab->pick->set_next(lab, cfs_rq, se, picked);
	}
	se->exec_start = cfs_rq->rq->clock;
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
	cfs_rq->curr = se;
}

static void put_prev_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *prev)
{
	if (prev->on_rq)
		update_curr(lab, cfs_rq);
	check_cfs_rq_runtime(lab, cfs_rq);
	if (prev->on_rq) {
		if (entity_is_task(prev) && !prev->sched_delayed)
			start_waiting(task_of(prev));
		lab->pick->insert(lab, cfs_rq, prev);
		update_load_avg(lab, cfs_rq, prev, 0);
	}
	cfs_rq->curr = NULL;
}

/* ---- a task joins and leaves: the walk to the root ---- */

static u32 is_idle_task(const struct task_struct *p) { return p->policy == SCHED_IDLE; }

/* Does anything from @se up stop at a throttled queue?  Counts @nr tasks (of them @idle idle ones) on the way. */
static bool count_up(struct lab *lab, struct sched_entity *se, s32 nr, s32 idle)
{
	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		update_load_avg(lab, cfs_rq, se, UPDATE_TG);
		se_update_runnable(se);
		update_cfs_group(lab, se);
		count_below(cfs_rq, nr, &idle);
		if (ends_walk(lab, cfs_rq))
			return true;
	}
	return false;
}

/*
 * Queue @p, and each group above that was empty.  A throttled queue ends the walk: the task waits in it, counted there
 * and not above.
 */
void enqueue_task_fair(struct rq *rq, struct task_struct *p, unsigned flags)
{
	struct sched_entity *se = &p->se;
	s32 idle = (s32)is_idle_task(p);

	if (likely(!se->sched_delayed))
		util_est_enqueue(rq, p);
	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		if (se->on_rq) {
			if (se->sched_delayed)
				requeue_delayed_entity(rq->lab, se);
			break;
		}
		enqueue_entity(rq->lab, cfs_rq, se, flags);
		count_below(cfs_rq, 1, &idle);
		if (ends_walk_now(rq->lab, cfs_rq)) {
			stain(rq); /* it counts in util_est */
			return;
		}
		flags = ENQUEUE_WAKEUP;
	}
	if (!count_up(rq->lab, se, 1, idle))
		count_running(rq, 1);
}

/* @p wakes, or comes from another CPU.  On the free path the first task below a limit is queued by a copy that knows limits. */
void activate_task_fair(struct rq *rq, struct task_struct *p, unsigned flags)
{
	if (FAIRGROUND_BANDWIDTH && PATH == PATH_FREE && p->tg->under_limit) {
		path_full.activate_task_fair(rq, p, flags);
		return;
	}
	start_waiting(p);
	enqueue_task_fair(rq, p, flags);
}

/*
 * Take @se, a task's entity or a delayed group's, and each group above that becomes empty, off the queues.  Returns false where a
 * task stays queued, delayed.
 */
static bool dequeue_entities(struct rq *rq, struct sched_entity *se, unsigned flags)
{
	bool is_task = entity_is_task(se), sleeps = flags & DEQUEUE_SLEEP, first = true;
	s32 nr = is_task ? -1 : 0, idle = is_task ? -(s32)is_idle_task(task_of(se)) : 0;

	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		if (!dequeue_entity(rq->lab, cfs_rq, se, flags)) {
			if (first && is_task)
				return false;
			break; /* the group stays, delayed; its tasks are gone from the counts */
		}
		first = false;
		count_below(cfs_rq, nr, &idle);
		if (ends_walk(rq->lab, cfs_rq))
			return true;
		if (cfs_rq->nr_running) { /* the group stays, and goes on first: a task of it just gave up its turn */
			se = se->parent;
			if (sleeps && se && !throttled_hierarchy(cfs_rq))
				set_next_buddy(se);
			break;
		}
		flags |= DEQUEUE_SLEEP;
		flags &= ~(DEQUEUE_DELAYED | DEQUEUE_SPECIAL);
	}
	if (!count_up(rq->lab, se, nr, idle))
		count_running(rq, nr);
	return true;
}

/*
 * Rule util_est: @p goes to sleep, and has used its CPU, as far as its averages know, since its use was last kept.  Rule util_est_as_of: from 6.12 to
 * 7.1 that happens before it is charged for the last time.
 */
static void keep_use(const struct lab *lab, struct task_struct *p, unsigned flags, enum util_est_as_of when)
{
	if (!(flags & DEQUEUE_SLEEP) || p->se.avg.util_est & UTIL_AVG_UNCHANGED)
		return;
	if (lab_rule(lab, UTIL_EST) && lab_rule(lab, UTIL_EST_AS_OF) == when)
		util_est_keep(lab, p);
}

/* A delayed task that only changes its place or weight stays delayed. */
bool dequeue_task_fair(struct rq *rq, struct task_struct *p, unsigned flags)
{
	bool gone;

	if (likely(!p->se.sched_delayed))
		util_est_dequeue(rq, p);
	keep_use(rq->lab, p, flags, UTIL_EST_AS_OF_UPDATE);
	gone = dequeue_entities(rq, &p->se, flags);
	keep_use(rq->lab, p, flags, UTIL_EST_AS_OF_SLEEP);
	return gone;
}

/* On the free path the entity of a limited group may be met, with nobody in it any more. */
void dequeue_delayed(struct rq *rq, struct sched_entity *se)
{
	if (FAIRGROUND_BANDWIDTH && PATH == PATH_FREE && !entity_is_task(se) && se->my_q->tg->under_limit) {
		path_full.dequeue_delayed(rq, se);
		return;
	}
	dequeue_entities(rq, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
}

/* A delayed sleeper is woken: it never left. */
void requeue_delayed_task(struct rq *rq, struct task_struct *p)
{
	requeue_delayed_entity(rq->lab, &p->se);
	util_est_enqueue(rq, p);
}

void reweight_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight)
{
	const struct pick_ops *pick = lab->pick;
	bool waiting = se->on_rq && cfs_rq->curr != se;
	u64 mean = 0;

	if (se->on_rq) {
		if (!waiting)
			update_curr(lab, cfs_rq);
		if (pick->reweight) {
			mean = pick->mean(lab, cfs_rq);
			if (waiting)
				pick->remove(lab, cfs_rq, se);
		}
		load_sub(&cfs_rq->load, se->load.weight);
	}
	if (pick->reweight)
		pick->reweight(lab, cfs_rq, se, weight, mean);
	reweight_load(lab, se, (struct load_weight){ .weight = weight });
	if (!se->on_rq)
		return;
	load_add(&cfs_rq->load, weight);
	if (pick->reweight) {
		if (waiting)
			pick->insert(lab, cfs_rq, se);
		pick->update_min(lab, cfs_rq);
	}
}

/* ---- the pick: from the root down ---- */

static struct sched_entity *pick_on(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	struct sched_entity *se = lab->pick->pick(lab, cfs_rq, curr);

	clear_buddies(se);
	return se;
}

static void put_prev_task_fair(struct lab *lab, struct task_struct *prev)
{
	struct sched_entity *se = &prev->se;

	for_each_sched_entity(se)
		put_prev_entity(lab, se->cfs_rq, se);
}

/*
 * Down from the root with nobody current: the task that is first in line, or NULL.  Whoever is found asleep (delayed) has waited its
 * debt off: it leaves now, and the search begins again.
 */
static struct task_struct *first_in_line(struct rq *rq)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_entity *se;

	while (cfs_rq->nr_running) {
		se = pick_on(rq->lab, cfs_rq, NULL);
		if (se->sched_delayed) {
			dequeue_delayed(rq, se);
			cfs_rq = &rq->cfs;
			continue;
		}
		if (entity_is_task(se))
			return task_of(se);
		cfs_rq = se->my_q;
	}
	return NULL;
}

/* prev is put on every level, next is set on every level. */
static struct task_struct *pick_afresh(struct rq *rq, struct task_struct *prev)
{
	struct task_struct *next;
	struct sched_entity *se;

	if (!task_is_idle_thread(prev))
		put_prev_task_fair(rq->lab, prev);
	next = first_in_line(rq);
	if (!next)
		return NULL;
	se = &next->se;
	for_each_sched_entity(se)
		set_next_entity(rq->lab, se->cfs_rq, se, true);
	return next;
}

/* Only the levels on which the two chains differ are put and set. */
static void switch_chains(struct lab *lab, struct sched_entity *pse, struct sched_entity *se)
{
	while (se->cfs_rq != pse->cfs_rq) {
		int depth = se->depth, pdepth = pse->depth;

		if (depth <= pdepth) {
			put_prev_entity(lab, pse->cfs_rq, pse);
			pse = pse->parent;
		}
		if (depth >= pdepth) {
			set_next_entity(lab, se->cfs_rq, se, true);
			se = se->parent;
		}
	}
	put_prev_entity(lab, pse->cfs_rq, pse);
	set_next_entity(lab, se->cfs_rq, se, true);
}

/*
 * Walk down the running chain: charge each level, throttle a level that is out of runtime (then NULL: start afresh), and
 * pick.
 */
static struct task_struct *pick_from_chain(struct rq *rq)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_entity *se;

	do {
		struct sched_entity *curr = cfs_rq->curr;

		if (curr) {
			if (curr->on_rq)
				update_curr(rq->lab, cfs_rq);
			else
				curr = NULL;
			if (check_cfs_rq_runtime(rq->lab, cfs_rq))
				return NULL;
		}
		se = pick_on(rq->lab, cfs_rq, curr);
		if (se->sched_delayed) {
			dequeue_delayed(rq, se);
			cfs_rq = &rq->cfs;
			if (!cfs_rq->nr_running)
				return NULL;
			continue;
		}
		cfs_rq = se->my_q;
	} while (cfs_rq);
	return task_of(se);
}

/* Rule put_chain: from 3.15 a switch between two fair tasks leaves the levels they share running. */
static bool keeps_common_levels(const struct lab *lab, const struct task_struct *prev)
{
	return lab_rule(lab, PUT_CHAIN) && !task_is_idle_thread(prev);
}

static struct task_struct *pick_task_fair(struct rq *rq, struct task_struct *prev)
{
	struct task_struct *next;

	if (!rq->cfs.nr_running || !keeps_common_levels(rq->lab, prev))
		return pick_afresh(rq, prev);
	next = pick_from_chain(rq);
	if (!next)
		return pick_afresh(rq, prev);
	if (next != prev)
		switch_chains(rq->lab, &prev->se, &next->se);
	return next;
}

/* Rule lb_order=picked: who runs is the last that a balancer would take. */
static void note_picked(struct rq *rq, struct task_struct *p)
{
	struct list_head *tasks = &rq->smp.cfs_tasks;

	if (tasks->next == &p->group_node || lab_rule(rq->lab, LB_ORDER) != LB_ORDER_PICKED)
		return;
	list_del(&p->group_node);
	list_add(&p->group_node, tasks);
}

/* NULL: nothing fair to run. */
struct task_struct *pick_next_task_fair(struct rq *rq, struct task_struct *prev)
{
	struct task_struct *next = pick_task_fair(rq, prev);

	if (next)
		note_picked(rq, next);
	return next;
}

/* The running task is about to change its group or weight: off the chain, and after the change back on. */
void put_curr_chain(struct rq *rq) { put_prev_task_fair(rq->lab, rq->curr); }

void set_curr_chain(struct rq *rq)
{
	struct sched_entity *se = &rq->curr->se;

	for_each_sched_entity(se) {
		set_next_entity(rq->lab, se->cfs_rq, se, false);
		if (is_metered(se->cfs_rq)) /* make sure there is runtime on levels that are new to it */
			account_cfs_rq_runtime(rq->lab, se->cfs_rq, 0);
	}
}

/* ---- tick ---- */

void task_tick_fair(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct sched_entity *se = &rq->curr->se;

	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		update_curr(lab, cfs_rq);
		update_load_avg(lab, cfs_rq, se, UPDATE_TG | LOAD_TICK);
		update_cfs_group(lab, se);
		if (cfs_rq->nr_running > 1 && !rq->hrtick_armed && lab->pick->turn_over(lab, cfs_rq, se))
			resched_curr(rq);
	}
}

const struct path THIS_PATH = {
	.activate_task_fair = activate_task_fair,
	.dequeue_task_fair = dequeue_task_fair,
	.pick_next_task_fair = pick_next_task_fair,
	.check_preempt_wakeup = check_preempt_wakeup,
	.task_tick_fair = task_tick_fair,
	.dequeue_delayed = dequeue_delayed,
};
