/* SPDX-License-Identifier: MIT */
/*
 * stop.c - a CPU's stopper: the thread above all classes that takes off its CPU what no other CPU can take.
 *
 *	balancer, affinity, exec ---> work ---> migration/N wakes ---> switch ---> lab_stopper(): the work ---> sleeps ---> switch
 *
 * A stopper is a task of policy SCHED_STOP bound to its CPU (rt.c), made when it is first asked for.  What it pushes was the running task
 * until it came: two switches and what the machine says a stopper takes are the price.
 *
 * Laws: one balance is asked for at a time (active_balance); a task's work is on the list of the CPU that the task is on.
 * Rules: docs/rules/smp.md sections 3 and 4.8.
 */
#include "core/balance.h"
#include "core/verbs.h"

/* ---- asking ---- */

static struct task_struct *make_stopper(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct task_spec spec = { .policy = SCHED_STOP, .kthread = true, .cpus = lab->smp.one[rq->cpu] };
	struct task_struct *p = make_task(lab, rq->cpu, NULL, &spec);

	if (!p)
		return NULL;
	p->state = TASK_INTERRUPTIBLE; /* it has been there since boot */
	return p;
}

static bool has_stopper(struct rq *rq)
{
	if (!rq->smp.stopper)
		rq->smp.stopper = make_stopper(rq);
	return rq->smp.stopper;
}

static void wake_stopper(struct rq *rq)
{
	struct task_struct *p = rq->smp.stopper;

	if (p->state != TASK_INTERRUPTIBLE)
		return;
	emit(rq->lab, EVENT_SCHED_WAKING, rq->cpu, p->id, p->tg->id, 0, 0);
	update_rq_clock(rq);
	activate(rq, p, ENQUEUE_WAKEUP);
	check_preempt(rq, p, 0);
	emit(rq->lab, EVENT_SCHED_WAKEUP, rq->cpu, p->id, p->tg->id, 0, 0);
}

void stop_for_balance(struct rq *src, int push_cpu)
{
	if (src->smp.active_balance || !has_stopper(src))
		return;
	src->smp.active_balance = true;
	src->smp.push_cpu = push_cpu;
	list_add_tail(&src->smp.balance_work, &src->smp.stop_works);
	wake_stopper(src);
}

bool stop_and_push(struct lab *lab, struct task_struct *p, int cpu)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	if (!has_stopper(rq))
		return false;
	p->stop_cpu = cpu;
	if (list_empty(&p->stop_work))
		list_add_tail(&p->stop_work, &rq->smp.stop_works);
	wake_stopper(rq);
	return true;
}

void stop_forgets(struct task_struct *p) { list_del(&p->stop_work); }

/* Its CPU is gone: what is asked for is not done any more. */
void stop_cpu_gone(struct rq *rq)
{
	struct task_struct *p = rq->smp.stopper;

	while (!list_empty(&rq->smp.stop_works))
		list_del(rq->smp.stop_works.next);
	rq->smp.active_balance = false;
	if (!p || rq->curr == p || !p->se.on_rq)
		return;
	dequeue_task_rt(rq, p);
	stop_waiting_rt(p);
	p->state = TASK_INTERRUPTIBLE;
}

/* ---- active balance ---- */

/* The lowest level of @dst that @src is part of. */
static struct sched_domain *common_level(const struct rq *dst, const struct rq *src)
{
	struct sched_domain *sd;

	for (sd = dst->smp.sd; sd; sd = sd->parent)
		if (bit_test(sd->span, src->cpu))
			return sd;
	return NULL;
}

/* The stopper counts as one: a lone task is pushed though nothing waits behind it any more.  Why it was sent is not looked at again. */
static void active_load_balance_cpu_stop(struct rq *src)
{
	struct lab *lab = src->lab;
	struct rq *dst = cpu_rq(lab, src->smp.push_cpu);
	struct lb_env env = { .lab = lab, .dst = dst, .src = src, .idle = LB_IDLE, .flags = LB_ACTIVE, .by = MIGRATE_TASK, .cause = MOVE_ACTIVE };
	struct task_struct *p;

	src->smp.active_balance = false;
	emit(lab, EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP, src->cpu, src->smp.stopper->id, 0, dst->cpu, 0);
	if (!src->online || !dst->online || src->nr_running <= 1)
		return;
	env.sd = common_level(dst, src);
	p = env.sd ? detach_one_task(&env) : NULL;
	if (!p)
		return;
	env.sd->nr_balance_failed = 0;
	attach_task(dst, p);
}

/* ---- pushing one task ---- */

static void push(struct rq *rq, struct task_struct *p)
{
	struct lab *lab = rq->lab;

	if (p->state == TASK_DEAD || !p->se.on_rq || p->cpu != rq->cpu)
		return; /* asleep: it finds its place when it wakes */
	if (cpu_usable(lab, p, p->stop_cpu))
		push_task_to(lab, p, p->stop_cpu);
	else if (!cpu_usable(lab, p, p->cpu))
		push_waiting_task(lab, p); /* where it was to go has gone meanwhile */
}

/* ---- the stopper runs ---- */

void lab_stopper(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);

	update_rq_clock(rq);
	while (!list_empty(&rq->smp.stop_works)) {
		struct list_head *work = rq->smp.stop_works.next;

		list_del(work);
		if (work == &rq->smp.balance_work)
			active_load_balance_cpu_stop(rq);
		else
			push(rq, list_entry(work, struct task_struct, stop_work));
	}
	rq->curr->state = TASK_INTERRUPTIBLE;
	lab_verb_done(lab);
}

bool lab_task_is_stopper(const struct task_struct *p) { return p == cpu_rq(p->tg->lab, p->cpu)->smp.stopper; }
