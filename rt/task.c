/* SPDX-License-Identifier: MIT */
/*
 * task.c - a task: what it wants, and how it sleeps and wakes.
 *
 *	next() -> run: pieces of work    sleep: a timer    wait: somebody else    exit
 *	   ^         | it is done           | expires         | wakes               |
 *	   '---------+----------------------+-----------------'                   gone
 *
 * One want at a time: between two of them the CPU's thread attends to what was asked of it.  All with the lock held.
 */
#include "rt/impl.h"

struct rt_cpu *rt_cpu_of(const struct rt_task *t) { return &t->rt->cpus[lab_task_cpu(t->p)]; }

static void timer_fires(struct rt *rt, struct rt_timer *timer)
{
	struct rt_task *t = container_of(timer, struct rt_task, timer);

	rt_task_wake(t, NULL, lab_cpu_online(rt->lab, t->timer_cpu) ? t->timer_cpu : lab_task_cpu(t->p), false);
}

bool rt_task_init(struct rt *rt, struct rt_task *t, const struct rt_task_ops *ops, const struct task_spec *spec, int cpu,
	       struct rt_task *parent)
{
	struct task_spec with_owner = *spec;

	with_owner.owner = t;
	t->rt = rt;
	t->ops = ops;
	t->last_cpu = -1;
	rt_timer_init(&t->timer, timer_fires, true);
	rt->here = parent ? lab_task_cpu(parent->p) : cpu;
	t->p = lab_fork(rt->lab, rt->here, parent ? parent->p : NULL, &with_owner);
	if (!t->p)
		return false;
	t->timer_cpu = lab_task_cpu(t->p);
	t->kthread = spec->kthread;
	rt->nr_alive++;
	rt->nr_users += !t->kthread;
	return true;
}

/* ---- waking ---- */

/* @t was asleep, or has not begun; somebody on @cpu (@by, or an interrupt) wakes it. */
void rt_task_wake(struct rt_task *t, struct rt_task *by, int cpu, bool sync)
{
	struct rt *rt = t->rt;
	unsigned flags = (by ? 0 : WAKE_TIMER) | (sync ? WAKE_SYNC : 0);
	bool woke = true;

	if (!t->p)
		return;
	rt->here = cpu;
	if (!t->started) {
		t->started = true;
		lab_wake_new(rt->lab, cpu, t->p);
	} else {
		woke = lab_wake(rt->lab, cpu, t->p, by && by->p ? by->p : NULL, flags);
	}
	rt_verb_done(rt);
	if (!woke)
		return;
	rt->nr_awake++;
	t->waking = true;
	t->waking_at = rt->now;
}

/* What @t burns CPU for has come. */
void rt_task_end_spin(struct rt_task *t)
{
	struct rt_cpu *c = rt_cpu_of(t);

	t->doing = DOING_NOTHING;
	if (c->curr == t)
		rt_ask(c);
}

/* ---- what it wants ---- */

static void start_run(struct rt_task *t, enum doing doing, u64 left)
{
	t->doing = doing;
	t->left = left;
}

static void go_to_sleep(struct rt_task *t, u64 until)
{
	struct rt *rt = t->rt;
	struct rt_cpu *c = rt_cpu_of(t);

	t->timer_cpu = c->cpu;
	if (until != NEVER)
		rt_arm(rt, &t->timer, until, RANK_TASK);
	rt->here = c->cpu;
	rt->nr_awake--;
	lab_block(rt->lab, c->cpu);
	rt_schedule(c);
}

static void leave(struct rt_task *t)
{
	struct rt *rt = t->rt;
	struct rt_cpu *c = rt_cpu_of(t);

	rt->here = c->cpu;
	t->exited = true;
	lab_exit(rt->lab, c->cpu);
	rt_schedule(c);
}

static void yield(struct rt_task *t)
{
	struct rt *rt = t->rt;
	struct rt_cpu *c = rt_cpu_of(t);

	rt->here = c->cpu;
	lab_yield(rt->lab, c->cpu);
	rt_schedule(c);
}

static void change_sched(struct rt_task *t, const struct phase *phase)
{
	struct rt *rt = t->rt;

	rt->here = lab_task_cpu(t->p);
	if (enter_phase(&rt->groups, t->p, phase))
		err_set(&rt->err, ERR_HOST, "out of memory");
	rt_verb_done(rt);
}

static void read_clock(struct rt_task *t)
{
	struct rt *rt = t->rt;

	rt->here = lab_task_cpu(t->p);
	lab_read_runtime(rt->lab, t->p);
	rt_verb_done(rt);
}

static void execute(struct rt_task *t)
{
	struct rt *rt = t->rt;

	rt->here = lab_task_cpu(t->p);
	lab_exec(rt->lab, rt->here);
	rt_verb_done(rt);
}

/* @t runs and has nothing to do: take the next want of its program. */
void rt_task_advance(struct rt_task *t)
{
	struct want want = t->ops->next(t);

	switch (want.kind) {
	case WANT_RUN:
	case WANT_SYS:
		t->resched_point = want.resched_point;
		if (want.ns)
			start_run(t, want.kind == WANT_RUN ? DOING_RUN : DOING_SYS, want.ns);
		break;
	case WANT_RUNTIME:
		start_run(t, DOING_RUNTIME, time_after(t->rt->now, want.ns));
		break;
	case WANT_SPIN:
		start_run(t, DOING_SPIN, 0);
		break;
	case WANT_SLEEP:
		if (want.ns > t->rt->now)
			go_to_sleep(t, want.ns);
		break;
	case WANT_WAIT:
		go_to_sleep(t, NEVER);
		break;
	case WANT_YIELD:
		yield(t);
		break;
	case WANT_SCHED:
		change_sched(t, want.phase);
		break;
	case WANT_CLOCK:
		read_clock(t);
		break;
	case WANT_EXEC:
		execute(t);
		break;
	case WANT_EXIT:
		leave(t);
		break;
	}
}
