/* SPDX-License-Identifier: MIT */
/*
 * schedule.c - the schedule pass: whoever runs on a CPU leaves or stays, and somebody is picked.
 *
 *	lab_block, lab_exit, lab_yield ---.
 *	resched_curr ---> kick(RESCHED) ---+---> lab_schedule ---> dequeue? ---> pick ---> context_switch ---> the task that runs
 *
 * Whoever runs on a CPU that is no longer allowed leaves at this pass and is taken along: move_evicted().
 */
#include "core/gather.h"
#include "core/verbs.h"

/* ---- leaving ---- */

void lab_block(struct lab *lab, int cpu) { cpu_rq(lab, cpu)->curr->state = TASK_INTERRUPTIBLE; }

void lab_exit(struct lab *lab, int cpu)
{
	struct task_struct *p = cpu_rq(lab, cpu)->curr;

	emit(lab, EVENT_SCHED_PROCESS_EXIT, cpu, p->id, p->tg->id, 0, 0);
	p->state = TASK_DEAD;
}

void lab_yield(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);

	update_rq_clock(rq);
	if (rq->curr->above_fair)
		yield_task_rt(rq);
	else
		yield_task_fair(rq);
}

/* Does @p wait where it could run at once? */
static bool waits_in_line(struct lab *lab, const struct task_struct *p)
{
	return !p->above_fair && p->se.on_rq && !p->se.sched_delayed && cpu_rq(lab, p->cpu)->curr != p && !cut_off(lab, p->se.cfs_rq);
}

void lab_yield_to(struct lab *lab, int cpu, struct task_struct *p)
{
	struct rq *rq = cpu_rq(lab, cpu), *p_rq = cpu_rq(lab, p->cpu);

	if (rq->curr->above_fair || !waits_in_line(lab, p) || (rq->nr_running == 1 && p_rq->nr_running == 1))
		return;
	update_rq_clock(rq);
	update_rq_clock(p_rq);
	yield_to_task_fair(rq, p);
	if (p_rq != rq)
		resched_curr(p_rq);
}

/* ---- the schedule pass ---- */

static enum task_left how_left(const struct task_struct *prev)
{
	if (task_is_idle_thread(prev))
		return LEFT_IDLE;
	if (prev->state == TASK_DEAD)
		return LEFT_DEAD;
	return prev->state == TASK_RUNNING ? LEFT_RUNNABLE : LEFT_SLEEPING;
}

static void context_switch(struct rq *rq, struct task_struct *prev, struct task_struct *next)
{
	struct lab *lab = rq->lab;

	if (!task_is_idle_thread(prev)) {
		if (prev->state == TASK_RUNNING)
			prev->nivcsw++;
		else
			prev->nvcsw++;
	} else {
		rq_starts_running(rq);
	}
	emit(lab, EVENT_SCHED_SWITCH, rq->cpu, next->id, next->tg->id, how_left(prev), prev->id);
	rq->curr = next;
	if (task_is_idle_thread(next))
		nohz_idle_starts(rq);
	if (prev->state == TASK_DEAD) {
		stop_forgets(prev);
		list_del(&prev->all);
		emit(lab, EVENT_SCHED_PROCESS_FREE, rq->cpu, prev->id, prev->tg->id, 0, 0);
		rq->nr_tasks--;
		remove_load(lab, &prev->se);
		prev->free_next = lab->free_tasks;
		lab->free_tasks = prev;
	}
}

/* A running task that may no longer run here, and that no stopper is to take along, leaves at the next pass. */
static bool is_evicted(const struct lab *lab, const struct task_struct *p)
{
	if (task_is_idle_thread(p) || p->state != TASK_RUNNING || p->policy == SCHED_STOP)
		return false;
	return p->leaves_cpu || (!cpu_usable(lab, p, p->cpu) && list_empty(&p->stop_work));
}

/* Where somebody chose for it, else where it falls back to. */
static int next_cpu(struct lab *lab, struct task_struct *p)
{
	if (p->leaves_cpu && cpu_usable(lab, p, p->dest_cpu))
		return p->dest_cpu;
	break_affinity(lab, p);
	return p->above_fair ? select_task_rq_rt(lab, p) : fallback_cpu(lab, p);
}

static void move_evicted(struct lab *lab, struct task_struct *p)
{
	int cpu = next_cpu(lab, p);
	struct rq *rq;

	p->leaves_cpu = false;
	if (p->parked) {
		push_task_to(lab, p, cpu);
		return;
	}
	lab->move_cause = cause_of_push(p);
	set_task_cpu(lab, p, cpu);
	lab->move_cause = MOVE_WAKEUP;
	rq = cpu_rq(lab, p->cpu);
	update_rq_clock(rq);
	activate(rq, p, 0);
	check_preempt(rq, p, 0);
}

/*
 * From 6.18, whoever was chosen from a throttled hierarchy is to be parked.  From 7.2 each level is charged nothing first, which
 * draws a slice or throttles.
 */
static void set_current(struct rq *rq, struct task_struct *p)
{
	struct sched_entity *se = &p->se;

	if (task_is_idle_thread(p))
		return;
	if (lab_rule(rq->lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		for (; se; se = se->parent)
			if (se->cfs_rq->runtime_enabled)
				account_cfs_rq_runtime(rq->lab, se->cfs_rq, 0);
	give_throttle_work(rq, p);
}

/* On a CPU where nobody is limited only work from before a move to another group can be left. */
static bool may_have_to_park(const struct lab *lab, const struct rq *rq, const struct task_struct *next)
{
	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_GROUP || next->above_fair)
		return false;
	return rq->nr_limited || next->throttle_work;
}

/* Where limits stop whole groups and nobody is gathered, which is where it costs most, this is one question: looks_after_pick. */
static void look_after_pick(struct lab *lab, struct rq *rq, struct task_struct *next)
{
	if (may_have_to_park(lab, rq, next))
		set_current(rq, next);
	if (gathers(lab))
		gather_picked(rq, next);
}

/* @prev sleeps, dies or may not stay; or it only makes room. */
static void take_off_cpu(struct rq *rq, struct task_struct *prev, bool evicted)
{
	unsigned flags = DEQUEUE_SLEEP | (prev->state == TASK_DEAD ? DEQUEUE_SPECIAL : 0);

	if (prev->state != TASK_RUNNING)
		prev->leaves_cpu = prev->execs = false; /* it goes elsewhere when it wakes */
	if (prev->above_fair) {
		if (prev->state != TASK_RUNNING || evicted)
			dequeue_task_rt(rq, prev);
	} else if (prev->state != TASK_RUNNING) {
		ON_PATH(rq->path, dequeue_task_fair)(rq, prev, flags);
	} else if (evicted && !prev->parked) {
		dequeue_task_fair(rq, prev, 0);
	}
}

/* stop > rt > fair > idle.  Where nobody is above fair that is one question. */
static struct task_struct *pick_next_task(struct rq *rq, struct task_struct *prev)
{
	struct task_struct *next;

	if (unlikely(rq->rt.nr || prev->above_fair))
		next = pick_next_task_above(rq, prev);
	else
		next = ON_PATH(rq->path, pick_next_task_fair)(rq, prev);
	while (!next && newidle_balance(rq)) /* what was pulled may be asleep, delayed: then again */
		next = pick_next_task_fair(rq, &rq->idle);
	return next ? next : &rq->idle;
}

struct task_struct *lab_schedule(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);
	struct task_struct *prev = rq->curr, *next;
	bool evicted = is_evicted(lab, prev);

	update_rq_clock(rq);
	take_off_cpu(rq, prev, evicted);
	next = pick_next_task(rq, prev);
	rq->need_resched = rq->need_resched_lazy = false;
	if (next != prev) {
		context_switch(rq, prev, next);
		hrtick_update(rq);
		if (task_is_idle_thread(next))
			update_idle_core(rq);
	}
	if (FAIRGROUND_BANDWIDTH && lab->looks_after_pick)
		look_after_pick(lab, rq, next);
	if (evicted)
		move_evicted(lab, prev);
	if (unlikely(rq->rt.nr > 1))
		push_tasks_rt(rq);
	lab_verb_done(lab);
	return next;
}

/* ---- questions ---- */

bool lab_need_resched(const struct lab *lab, int cpu)
{
	return lab->rqs[cpu].need_resched || lab->rqs[cpu].need_resched_lazy;
}

bool lab_resched_now(const struct lab *lab, int cpu) { return lab->rqs[cpu].need_resched; }

struct task_struct *lab_curr(const struct lab *lab, int cpu) { return lab->rqs[cpu].curr; }
