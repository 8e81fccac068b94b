/* SPDX-License-Identifier: MIT */
/*
 * wake.c - a wakeup: where the task shall run, queued there, and whether it is to run at once.
 *
 *	lab_wake ---> select_task_rq ---> set_task_cpu ---+---> activate ---> check_preempt ---> kick(RESCHED)
 *	lab_wake_new                                       |                                ... lab_schedule (schedule.c)
 *	                                                   '---> wake list of that CPU ---> kick(WAKE_LIST)
 *	                                                                  ... lab_ipi ---> run_wake_list ---> activate ...
 *
 * How a CPU is chosen stands in select_*.c.
 */
#include "core/gather.h"
#include "core/verbs.h"

/* ---- where to run ---- */

/*
 * Where @p must go when the CPU it would get is none of its own: select_fallback_rq().  The lowest it may use on its last CPU's node, or on
 * any; where none of its CPUs is online it may use all from now on.
 */
int fallback_cpu(struct lab *lab, struct task_struct *p)
{
	int node = cpu_rq(lab, p->cpu)->smp.node, cpu, first = -1;

	break_affinity(lab, p);
	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus) {
		if (!lab->rqs[cpu].online)
			continue;
		if (lab->rqs[cpu].smp.node == node)
			return cpu;
		if (first < 0)
			first = cpu;
	}
	return first;
}

/* Rule sync_exiting: from 4.17 nobody listens to one who exits. */
static bool is_sync(const struct lab *lab, const struct task_struct *waker, unsigned flags)
{
	return flags & WAKE_SYNC && waker && !(waker->state == TASK_DEAD && lab_rule(lab, SYNC_EXITING) == SYNC_EXITING_IGNORED);
}

/* By class and by occasion, of a task that may use several CPUs. */
static int choose_cpu(const struct selection *s, enum occasion why, unsigned flags)
{
	int cpu;

	if (s->p->above_fair)
		return select_task_rq_rt(s->lab, s->p);
	if (why == IT_WAKES)
		return select_task_rq_wake(s, flags & WAKE_CURRENT_CPU);
	cpu = select_task_rq_slow(s, why == IT_FORKS ? SD_BALANCE_FORK : SD_BALANCE_EXEC);
	return gathers(s->lab) ? gather_fork(s, cpu) : cpu;
}

/* A task bound to one CPU goes there, without a look at anything. */
int select_task_rq(struct lab *lab, int cpu, struct task_struct *p, struct task_struct *waker, enum occasion why, unsigned flags)
{
	struct selection s = {
		.lab = lab, .p = p, .current = cpu_rq(lab, cpu)->curr, .cpu = cpu, .prev = p->cpu,
		.in_task = waker, .sync = is_sync(lab, waker, flags),
	};
	int target = p->cpu;

	if (p->nr_cpus_allowed > 1)
		target = choose_cpu(&s, why, flags);
	return cpu_usable(lab, p, target) ? target : fallback_cpu(lab, p);
}

/* Rule fork_event: to 4.7 a child that begins on another CPU counts as migrated. */
static bool counts_as_migrated(const struct lab *lab, const struct task_struct *p)
{
	return p->state != TASK_NEW || (!p->from_outside && lab_rule(lab, FORK_EVENT));
}

/* set_task_cpu() of a task that is on no queue.  False where there is no memory for its group's queue there: it stays. */
bool set_task_cpu(struct lab *lab, struct task_struct *p, int cpu)
{
	struct cfs_rq *from = p->se.cfs_rq;

	if (p->cpu == cpu)
		return true;
	if (p->tg->parent && !group_pair_make(lab, p->tg, cpu))
		return false;
	settle_ticks(from->rq);
	if (counts_as_migrated(lab, p)) {
		emit(lab, EVENT_SCHED_MIGRATE_TASK, p->cpu, p->id, p->tg->id, cpu, lab->move_cause);
		p->migrations++;
	}
	if (!p->moved && p->state != TASK_NEW) {
		p->se.vruntime -= from->min_vruntime;
		p->moved = true;
	}
	if (p->state == TASK_RUNNING)
		detach_load(lab, &p->se);
	else
		remove_load(lab, &p->se);
	p->se.exec_start = 0;
	if (gathers(lab) && p->state == TASK_RUNNING)
		gather_left(from);
	cpu_rq(lab, p->cpu)->nr_tasks--;
	cpu_rq(lab, cpu)->nr_tasks++;
	return attach_entity(lab, p, cpu);
}

/* ---- waking ---- */

/* Idle gives way at once; a fair current is measured against the newcomer. */
void check_preempt_curr(struct rq *rq, struct task_struct *p, unsigned flags)
{
	if (unlikely(p->above_fair || rq->curr->above_fair)) {
		check_preempt_rt(rq, p);
		return;
	}
	if (task_is_idle_thread(rq->curr)) {
		if (!cut_off(rq->lab, p->se.cfs_rq))
			resched_curr(rq);
		return;
	}
	ON_PATH(rq->path, check_preempt_wakeup)(rq, p, flags);
}

void check_preempt(struct rq *rq, struct task_struct *p, unsigned wake_flags)
{
	check_preempt_curr(rq, p, wake_flags);
	hrtick_update(rq);
}

/* Who asks a CPU to reschedule whose idle loop polls has no interrupt to send. */
static void say_if_polling(struct rq *rq, int cpu, const struct task_struct *p)
{
	struct lab *lab = rq->lab;

	if (rq->cpu != cpu && task_is_idle_thread(rq->curr) && lab->pf.cpu_state(lab->pf.ctx, rq->cpu) == CPU_POLLING)
		emit(lab, EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI, rq->cpu, p->id, p->tg->id, 0, 0);
}

/* The end of a wakeup, on @cpu: @p is queued where it shall run. */
static void wake_up_on(struct rq *rq, int cpu, struct task_struct *p)
{
	bool asked;

	update_rq_clock(rq);
	activate(rq, p, ENQUEUE_WAKEUP);
	asked = rq->need_resched;
	check_preempt(rq, p, 0);
	if (rq->need_resched && !asked)
		say_if_polling(rq, cpu, p);
	emit(rq->lab, EVENT_SCHED_WAKEUP, rq->cpu, p->id, p->tg->id, cpu, 0);
}

void lab_wake_new(struct lab *lab, int cpu, struct task_struct *p)
{
	struct rq *rq;

	set_task_cpu(lab, p, select_task_rq(lab, cpu, p, NULL, p->from_outside ? IT_WAKES : IT_FORKS, 0));
	rq = cpu_rq(lab, p->cpu);
	update_rq_clock(rq);
	if (!p->from_outside && !p->above_fair)
		seed_new_task_util(&p->se);
	activate(rq, p, p->from_outside ? ENQUEUE_WAKEUP : ENQUEUE_INITIAL);
	emit(lab, EVENT_SCHED_WAKEUP_NEW, p->cpu, p->id, p->tg->id, 0, 0);
	check_preempt(rq, p, WF_FORK);
	lab_verb_done(lab);
}

/* ---- wakees that are sent to the CPU where they shall run ---- */

/*
 * Rule wake_list: far (to 5.19): over to another cache; idle (from 6.0, f3dd3f674555): also to another CPU that has nothing to do.  Kernels 5.8 to
 * 5.19 also do it for a wakee that is still switching out, which none is here.
 */
static bool goes_by_list(const struct lab *lab, const struct rq *rq, int cpu)
{
	if (rq->cpu == cpu || lab_rule(lab, WAKE_LIST) == WAKE_LIST_OFF)
		return false;
	if (!cpus_share_cache(lab, cpu, rq->cpu))
		return true;
	return lab_rule(lab, WAKE_LIST) == WAKE_LIST_IDLE && !rq->nr_running;
}

static void send_wakee(struct rq *rq, int cpu, struct task_struct *p)
{
	struct lab *lab = rq->lab;

	p->state = TASK_WAKING;
	list_add_tail(&p->wake_entry, &rq->wake_list);
	if (rq->smp.ttwu_pending)
		return;
	rq->smp.ttwu_pending = true;
	stain(rq);
	say_if_polling(rq, cpu, p);
	lab->pf.kick(lab->pf.ctx, rq->cpu, KICK_WAKE_LIST);
}

/* What was sent to @rq is queued, in order.  One that may not run there any more goes on. */
void run_wake_list(struct rq *rq)
{
	while (!list_empty(&rq->wake_list)) {
		struct task_struct *p = list_entry(rq->wake_list.next, struct task_struct, wake_entry);

		list_del(&p->wake_entry);
		wake_up_on(rq, rq->cpu, p);
		if (p->leaves_cpu)
			push_task_to(rq->lab, p, p->dest_cpu);
		p->leaves_cpu = false;
	}
	rq->smp.ttwu_pending = false;
}

/* ttwu_runnable(): a sleeper that is still queued, delayed, is wanted again where it is. */
static void wake_delayed(struct lab *lab, int cpu, struct task_struct *p)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	update_rq_clock(rq);
	requeue_delayed_task(rq, p);
	p->state = TASK_RUNNING;
	start_waiting(p);
	check_preempt_curr(rq, p, 0);
	emit(lab, EVENT_SCHED_WAKEUP, p->cpu, p->id, p->tg->id, cpu, 0);
	lab_verb_done(lab);
}

bool lab_wake(struct lab *lab, int cpu, struct task_struct *p, struct task_struct *waker, unsigned flags)
{
	struct rq *rq;

	if (p->state != TASK_INTERRUPTIBLE)
		return false;
	emit(lab, EVENT_SCHED_WAKING, cpu, p->id, p->tg->id, 0, waker ? waker->id : 0);
	if (p->se.sched_delayed) {
		wake_delayed(lab, cpu, p);
		return true;
	}
	set_task_cpu(lab, p, select_task_rq(lab, cpu, p, waker, IT_WAKES, flags));
	rq = cpu_rq(lab, p->cpu);
	if (goes_by_list(lab, rq, cpu))
		send_wakee(rq, cpu, p);
	else
		wake_up_on(rq, cpu, p);
	lab_verb_done(lab);
	return true;
}

/* A function call interrupt has arrived on @cpu: what limits have let go comes first, then wakees. */
void lab_ipi(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);

	update_rq_clock(rq);
	run_unthrottle_list(rq);
	run_wake_list(rq);
	lab_verb_done(lab);
}
