/* SPDX-License-Identifier: MIT */
/*
 * cpu.c - the thread of a CPU.
 *
 *	attend: interrupts, a request to reschedule  -->  idle?  sleep until asked
 *	   ^                                         -->  a task with nothing to do: ask its program
 *	   '--- lock --- pieces of work, no lock <---'    a task with work
 *
 * Between two pieces the thread looks at two words: whether somebody asked for it, and whether something is due.  That is the whole
 * preemption: a piece is never interrupted, so a request is heard a piece late at the most, if the host lets the thread run.
 */
#include "rt/impl.h"

/* ---- accounts: what was given to tasks, and what the host gave ---- */

static void begin_account(struct rt_cpu *c, u64 got)
{
	c->given_at = c->rt->now;
	c->got_at = got;
}

/* Up to now @c's time was given to a task. */
void rt_cpu_account(struct rt_cpu *c)
{
	struct live_notes *notes = &c->rt->notes;
	u64 given = c->rt->now - c->given_at, got = rt_host_cpu_time();

	notes->given += given;
	notes->got += min_u64(got - c->got_at, given);
	begin_account(c, got);
}

/* The current task leaves: how long did it run on after it was asked to? */
static void account_overrun(struct rt_cpu *c)
{
	struct live_notes *notes = &c->rt->notes;
	u64 late = c->asked_at == NEVER ? 0 : c->rt->now - c->asked_at;

	notes->overrun += late;
	notes->longest_overrun = max_u64(notes->longest_overrun, late);
}

/* ---- switching ---- */

/* @t has left for good: its figures are final. */
static void bury(struct rt *rt, struct rt_task *t)
{
	lab_task_stat(rt->lab, t->p, &t->stat);
	t->p = NULL;
	rt->nr_alive--;
	rt->nr_users -= !t->kthread;
	rt->nr_awake--;
	t->ops->gone(t);
	if (rt->until_gone && !rt->nr_users)
		rt_stop(rt);
}

static void switch_in(struct rt_cpu *c, struct rt_task *t)
{
	struct rt *rt = c->rt;

	c->curr = t;
	t->last_cpu = c->cpu;
	bit_set(rt->busy, c->cpu);
	if (!t->waking)
		return;
	t->waking = false;
	if (t->ops->awake)
		t->ops->awake(t, rt->now - t->waking_at);
}

/* One schedule pass here and now. */
void rt_schedule(struct rt_cpu *c)
{
	struct rt *rt = c->rt;
	struct rt_task *prev = c->curr, *next;
	struct task_struct *p;
	bool dies = prev && prev->exited;

	if (prev) {
		rt_cpu_account(c);
		account_overrun(c);
	}
	c->asked_at = NEVER;
	rt->here = c->cpu;
	while (lab_task_is_stopper(p = lab_schedule(rt->lab, c->cpu))) /* it takes no longer than its work does */
		lab_stopper(rt->lab, c->cpu);
	next = lab_task_is_idle(p) ? NULL : lab_task_owner(p);
	if (dies)
		bury(rt, prev);
	if (!prev)
		begin_account(c, c->got_at);
	if (next && next != prev) {
		switch_in(c, next);
	} else if (!next) {
		c->curr = NULL;
		bit_clear(rt->busy, c->cpu);
	}
	rt_verb_done(rt);
}

/* Under what the current task does in the kernel a request waits for its end, unless the kernel is preemptible. */
static bool must_wait(const struct rt_cpu *c)
{
	const struct rt_task *t = c->curr;

	if (!t || t->doing != DOING_SYS || t->resched_point)
		return false;
	return c->rt->preempt < PREEMPT_FULL || !lab_resched_now(c->rt->lab, c->cpu);
}

static bool user_mode(const struct rt_cpu *c) { return c->curr && c->curr->doing != DOING_SYS; }

/* What others asked of this CPU. */
static void attend(struct rt_cpu *c)
{
	struct rt *rt = c->rt;
	bool resched, work;

	__atomic_store_n(&c->asked, 0, __ATOMIC_RELAXED);
	rt->here = c->cpu;
	if (c->ipi) {
		c->ipi = false;
		lab_ipi(rt->lab, c->cpu);
		rt_verb_done(rt);
	}
	if (c->softirq) {
		c->softirq = false;
		lab_softirq(rt->lab, c->cpu);
		rt_verb_done(rt);
	}
	if (!c->curr && lab_need_resched(rt->lab, c->cpu))
		rt_service(rt); /* what the wakeup took up to here is nobody's */
	resched = lab_need_resched(rt->lab, c->cpu) && !must_wait(c);
	work = lab_user_work(rt->lab, c->cpu) && user_mode(c);
	if (!resched && work) {
		lab_user_return(rt->lab, c->cpu);
		rt_verb_done(rt);
	}
	if (resched || work)
		rt_schedule(c);
}

/* ---- working ---- */

static bool was_asked(const struct rt_cpu *c) { return __atomic_load_n(&c->asked, __ATOMIC_RELAXED); }

static bool run_is_over(const struct rt_task *t, enum doing doing, u64 now)
{
	if (doing == DOING_SPIN)
		return false;
	return doing == DOING_RUNTIME ? now >= t->left : !t->left;
}

/* Not beyond the end of the run, nor of what is due. */
static u64 piece_length(const struct rt *rt, const struct rt_task *t, enum doing doing, u64 now)
{
	u64 due = __atomic_load_n(&rt->due, __ATOMIC_RELAXED), length = PIECE;

	if (due > now)
		length = min_u64(length, due - now);
	if (doing == DOING_SPIN)
		return length;
	return min_u64(length, doing == DOING_RUNTIME ? t->left - now : t->left);
}

/*
 * Without the lock: piece by piece, until the run is over or the thread is wanted.  Returns whether it is over; *@work is the CPU time it
 * took.  Only the thread of the CPU that runs @t may touch @t->left meanwhile.
 */
static bool do_pieces(struct rt_cpu *c, struct rt_task *t, enum doing doing, u64 *work)
{
	const struct rt *rt = c->rt;
	u64 now = rt_clock(rt), from = rt_host_cpu_time();
	bool more = true;

	*work = 0;
	while (more && !run_is_over(t, doing, now) && !was_asked(c) && !rt_is_due(rt, now)) {
		u64 to, did;

		more = t->ops->piece(t, piece_length(rt, t, doing, now));
		to = rt_host_cpu_time();
		did = to - from;
		from = to;
		*work += did;
		if (doing == DOING_RUN || doing == DOING_SYS)
			t->left -= min_u64(did, t->left);
		now = rt_clock(rt);
	}
	return !more || run_is_over(t, doing, now);
}

static void work_on(struct rt_cpu *c)
{
	struct rt_task *t = c->curr;
	enum doing doing = t->doing;
	u64 work;
	bool over;

	rt_unlock(c->rt);
	over = do_pieces(c, t, doing, &work);
	rt_lock(c->rt);
	t->work += work;
	if (over)
		t->doing = DOING_NOTHING;
}

void *rt_cpu_main(void *arg)
{
	struct rt_cpu *c = arg;
	struct rt *rt = c->rt;

	rt_exact_timers();
	rt_bind_self(rt, c->cpu);
	rt_lock(rt);
	begin_account(c, rt_host_cpu_time());
	while (!rt->over) {
		attend(c);
		if (rt->over)
			break;
		if (!c->curr)
			rt_idle_wait(c);
		else if (c->curr->doing == DOING_NOTHING)
			rt_task_advance(c->curr);
		else
			work_on(c);
	}
	if (c->curr)
		rt_cpu_account(c);
	rt_unlock(rt);
	return NULL;
}
