/* SPDX-License-Identifier: MIT */
/*
 * cpu.c - a CPU at work.
 *
 *	switch-in    first instruction          tick            run ends
 *	   |--costs-->|------- work -------|-cost-|---- work ----->|
 *	              work_from                                     run_end
 *
 * The work of a run progresses from work_from on, except while a tick or another interrupt takes the CPU.  The end of a run is
 * computed, not polled: the ticks on the way are on a known grid.
 * Law: the work done by a thread is what its program asked for, to the ns, whatever interrupts it.
 */
#include "sim/impl.h"

void cpu_init(struct mcpu *c, struct machine *m, int cpu)
{
	struct sim_entry *entries[] = { &c->run_end, &c->resched, &c->ipi, &c->softirq, &c->hrtick };
	static const u8 kinds[] = { SIM_RUN_END, SIM_RESCHED, SIM_IPI, SIM_SOFTIRQ, SIM_HRTICK };
	static const u8 lines[] = { 0, LINE_SOON, LINE_SOON, LINE_SOON, LINE_TURNS };
	size_t i;

	c->m = m;
	c->cpu = cpu;
	c->out_of_idle = NEVER;
	c->stopper.m = m;
	c->stopper.last_cpu = cpu;
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		entries[i]->kind = kinds[i];
		heap_entry_init_in(&entries[i]->heap, lines[i]);
	}
}

/* What a tick takes: at most all the time to the next one. */
static u64 tick_cost(const struct machine *m) { return min_u64(m->sc->machine.costs.tick, m->tick); }

/* From this CPU's last tick to @t; 0 at a tick. */
static u64 since_tick(const struct mcpu *c, u64 t)
{
	const struct machine *m = c->m;
	u64 offset = 0;

	if (ticks_apart(m))
		offset = (u64)c->cpu * tick_step(m);
	else if (t - m->last_tick < m->tick) /* most often: spares a division */
		return t - m->last_tick;
	return (t - m->epoch - offset + EPOCH_TICKS * m->tick) % m->tick;
}

/* Work done from work_from to @t: what the ticks in between took is not work. */
static u64 work_done(const struct mcpu *c, u64 t)
{
	u64 cost = tick_cost(c->m), tick = c->m->tick, ns = t - c->work_from, passed;

	if (t <= c->work_from)
		return 0;
	if (!cost)
		return ns;
	passed = since_tick(c, c->work_from) + ns - 1; /* from a tick to the last moment before @t */
	if (passed < tick)
		return ns;
	return ns - (passed / tick - 1) * cost - min_u64(cost, passed % tick + 1);
}

/*
 * When @left ns of work that begin at work_from are done: as many as there are before the first tick, and then each tick leaves room for the rest of
 * its interval.
 */
static u64 work_end(const struct mcpu *c, u64 left)
{
	u64 cost = tick_cost(c->m), room = c->m->tick - cost, before_tick;
	unsigned __int128 ns = left;

	if (cost) {
		before_tick = c->m->tick - since_tick(c, c->work_from);
		if (left > before_tick && !room)
			return NEVER;
		if (left > before_tick)
			ns += (unsigned __int128)((left - before_tick - 1) / room + 1) * cost;
	}
	return ns > NEVER - c->work_from ? NEVER : c->work_from + (u64)ns;
}

/* Does it run for so many ns of work? */
static bool has_end(const struct thread *t) { return t->doing == DOING_RUN || t->doing == DOING_SYS || t->doing == DOING_STOP; }

/* What the current thread has done since its work was last saved. */
u64 cpu_progress(const struct mcpu *c)
{
	const struct thread *t = c->curr;

	if (t->doing == DOING_NOTHING || c->waits)
		return 0;
	return has_end(t) ? min_u64(work_done(c, c->m->now), t->left) : work_done(c, c->m->now);
}

/* Save the progress of what runs.  The end of its run is armed still: it has to go on, or another, or the end has to go. */
static void save_progress(struct mcpu *c)
{
	struct thread *t = c->curr;
	u64 done;

	if (!t)
		return;
	done = cpu_progress(c);
	t->work += done;
	if (has_end(t))
		t->left -= done;
	if (unlikely(t->until_look))
		turns_ran(c, done);
	if (c->work_from > c->m->now) /* not even the switch is paid */
		t->owes += c->work_from - c->m->now;
	c->work_from = c->m->now;
}

/* The same, and it stands still from now on. */
void cpu_pause(struct mcpu *c)
{
	disarm(c->m, &c->run_end);
	save_progress(c);
}

/* Go on with what runs, from work_from. */
void cpu_resume(struct mcpu *c)
{
	struct thread *t = c->curr;

	if (!t)
		return;
	if (unlikely(c->m->opt.turn) && turns_pause(c))
		return;
	c->work_from += t->owes;
	t->owes = 0;
	switch (t->doing) {
	case DOING_SPIN:
		disarm(c->m, &c->run_end);
		return;
	case DOING_RUNTIME:
		arm(c->m, &c->run_end, max_u64(t->left, c->work_from), RANK_REST);
		return;
	default:
		arm(c->m, &c->run_end, work_end(c, unlikely(t->until_look) ? min_u64(t->left, turns_run(c)) : t->left), RANK_REST);
	}
}

/* Until when interrupts keep the CPU: a tick that was left out took its time like the others. */
static u64 irq_until(struct mcpu *c)
{
	u64 cost = c->m->sc->machine.costs.tick;

	if (cost && c->curr && c->busy_since < c->m->last_tick && !ticks_apart(c->m)) /* those apart are all called: cpu_ticked() */
		c->irq_until = max_u64(c->irq_until, c->m->last_tick + cost);
	return c->irq_until;
}

/* The program of what runs is being interpreted: it has done what it wanted, and does not do the next thing yet. */
static bool between_wants(const struct mcpu *c)
{
	return c->curr && c->curr->doing == DOING_NOTHING && !heap_armed(&c->run_end.heap);
}

/*
 * An interrupt takes @ns from what runs; nobody pays on an idle CPU, but it takes the time.  In a schedule pass: from what runs next.  What a
 * program's own wakeup costs comes before the next thing it does.
 */
void cpu_steal(struct mcpu *c, u64 ns)
{
	u64 now = c->m->now;

	if (!ns)
		return;
	if (between_wants(c)) {
		c->curr->owes += ns;
		return;
	}
	if (c->passing) {
		c->spent += ns;
		return;
	}
	c->irq_until = max_u64(irq_until(c), now) + ns;
	if (!c->curr)
		return;
	save_progress(c);
	c->curr->owes += ns;
	cpu_resume(c);
}

/* A device's interrupt: like any other, and an idle CPU is shallow again behind it. */
void cpu_interrupt(struct mcpu *c, u64 ns)
{
	cpu_steal(c, ns);
	if (!c->curr)
		c->polls_from = c->m->now + ns;
}

/* An idle CPU looks for work for a while before it sleeps; so long, who has some for it need not interrupt it. */
bool cpu_polls(const struct mcpu *c)
{
	return !c->curr && c->m->now < time_after(c->polls_from, c->m->sc->machine.costs.idle_poll);
}

/*
 * Where an emulator serves its CPUs in turn, what its tick asks of the @place-th - to switch, to balance - waits for its turn, and all of it comes before
 * that of the next one.  So a CPU that looks for work has waiting tasks switched in only on those before it: what waits behind is not hot yet.
 */
void cpu_waits_for_tick(struct mcpu *c, int place)
{
	const struct machine *m = c->m;

	if (m->opt.timers_apart && place)
		c->irq_until = max_u64(c->irq_until, m->now + (u64)place * m->opt.timers_apart);
}

/* A tick was handled on a busy CPU: its cost is on the grid already (work_done), only a switch has to wait for its end. */
void cpu_ticked(struct mcpu *c)
{
	u64 cost = c->m->sc->machine.costs.tick;

	if (cost && c->curr)
		c->irq_until = max_u64(c->irq_until, c->m->now + cost);
}

/*
 * A task that wakes and runs at once is charged from its wakeup on, so what comes before the switch is no part of its request: the timer that
 * ends that (rule hrtick) is set only then.
 */
static void hrtick_after_wakeup(struct mcpu *c, const struct thread *t)
{
	const struct costs *costs = &c->m->sc->machine.costs;

	if (t->waking && t->waking_at == c->m->now && heap_armed(&c->hrtick.heap) && costs->wakeup_released < costs->wakeup)
		arm_timer_on(c->m, &c->hrtick, c->hrtick.heap.time + costs->wakeup - costs->wakeup_released, c->cpu);
}

void cpu_ticks(struct mcpu *c)
{
	struct machine *m = c->m;

	bit_set(m->ticking, c->cpu);
	if (m->ticking_end <= c->cpu)
		m->ticking_end = c->cpu + 1;
}

static void switch_in(struct mcpu *c, struct thread *t)
{
	struct machine *m = c->m;
	const struct costs *costs = &m->sc->machine.costs;

	if (!c->curr)
		c->busy_since = m->now;
	c->curr = t;
	bit_set(m->busy, c->cpu);
	cpu_ticks(c);
	if (t->last_cpu >= 0 && t->last_cpu != c->cpu)
		t->owes += costs->migrate;
	t->last_cpu = c->cpu;
	hrtick_after_wakeup(c, t);
	t->owes += costs->switch_;
	c->work_from = m->now;
	cpu_resume(c);
	turns_changed(c);
}

/* Thread @t has left for good: its figures are final. */
static void bury(struct machine *m, struct thread *t)
{
	lab_task_stat(m->lab, t->p, &t->stat);
	t->p = NULL;
	t->exited = true;
	m->nr_alive--;
	m->nr_users -= !m->sc->tasks[t->task].kthread;
}

/* Who runs from now on; NULL: nobody. */
static struct thread *thread_of(struct mcpu *c, const struct task_struct *p)
{
	if (lab_task_is_idle(p))
		return NULL;
	if (!lab_task_is_stopper(p))
		return lab_task_owner(p);
	c->stopper.doing = DOING_STOP;
	c->stopper.left = c->m->sc->machine.costs.stopper;
	return &c->stopper;
}

/* Nothing to run: what the pass has spent in finding that out is over before anything can. */
static void go_idle(struct mcpu *c)
{
	disarm(c->m, &c->run_end);
	c->curr = NULL;
	c->polls_from = c->m->now;
	bit_clear(c->m->busy, c->cpu);
	turns_idle(c);
	turns_changed(c);
	if (c->spent)
		c->irq_until = max_u64(c->irq_until, c->m->now) + c->spent;
}

/* One schedule pass here and now. */
void cpu_schedule(struct mcpu *c)
{
	struct machine *m = c->m;
	struct thread *prev = c->curr, *next;
	bool dies = prev && prev->exited;

	if (prev && prev->doing != DOING_NOTHING)
		save_progress(c); /* who runs next takes over the entry of the heap: cheaper than to take it out and put it in */
	else
		cpu_pause(c);
	disarm(m, &c->resched);
	m->here = c->cpu;
	c->passing = true;
	c->spent = 0;
	next = thread_of(c, lab_schedule(m->lab, c->cpu));
	c->passing = false;
	if (dies)
		bury(m, prev);
	if (next)
		next->owes += c->spent;
	if (next == prev)
		cpu_resume(c);
	else if (next)
		switch_in(c, next);
	else
		go_idle(c);
	verb_done(m);
}

/* Under what the current task does in the kernel a request waits for its end, unless the kernel is preemptible. */
static bool must_wait(const struct mcpu *c)
{
	const struct thread *t = c->curr;

	if (!t || t->doing != DOING_SYS || t->resched_point)
		return false;
	return c->m->preempt < PREEMPT_FULL || !lab_resched_now(c->m->lab, c->cpu);
}

/* On the way back to user mode, or there; not inside a call, whose end will ask. */
static bool user_mode(const struct mcpu *c) { return c->curr && c->curr->doing != DOING_SYS; }

/* What has to be done before user mode is done now; that may ask for a reschedule. */
static void user_return(struct mcpu *c)
{
	c->m->here = c->cpu;
	lab_user_return(c->m->lab, c->cpu);
	verb_done(c->m);
}

void cpu_resched_event(struct mcpu *c)
{
	bool resched = lab_need_resched(c->m->lab, c->cpu) && !must_wait(c);
	bool work = lab_user_work(c->m->lab, c->cpu) && user_mode(c);
	u64 from;

	if ((!resched && !work) || turns_defer(c, &c->resched))
		return;
	from = irq_until(c);
	if (!resched) /* what it does in the kernel first, a switch or a wakeup, is not stopped */
		from = max_u64(from, c->work_from);
	if (c->m->now < from) {
		arm(c->m, &c->resched, from, RANK_REST);
		return;
	}
	if (!resched)
		user_return(c);
	cpu_schedule(c);
}

/* On the way back to user mode, after an interrupt or a call: what was left lying, a lazy request from elsewhere or other work, is seen. */
void cpu_returns(struct mcpu *c)
{
	struct lab *lab = c->m->lab;

	if (c->curr && !heap_armed(&c->resched.heap) && (lab_need_resched(lab, c->cpu) || lab_user_work(lab, c->cpu)))
		arm(c->m, &c->resched, max_u64(c->m->now, c->irq_until), RANK_REST);
}

/* A call has ended and may have used up the task's claim to the CPU: true where it left. */
bool cpu_leaves_call(struct mcpu *c)
{
	if (lab_user_work(c->m->lab, c->cpu))
		user_return(c);
	if (!lab_need_resched(c->m->lab, c->cpu))
		return false;
	cpu_schedule(c);
	return true;
}

static void stopper_works(struct mcpu *c)
{
	c->m->here = c->cpu;
	lab_stopper(c->m->lab, c->cpu);
	verb_done(c->m);
	cpu_schedule(c);
}

/* What ran is done: what next?  A request that waited for the end of a system call comes first. */
void cpu_run_end(struct mcpu *c)
{
	struct thread *t = c->curr;
	bool was_sys = t->doing == DOING_SYS, was_asleep = t->doing == DOING_NOTHING;

	cpu_pause(c);
	if (c->waits) {
		cpu_resume(c);
		return;
	}
	if (unlikely(t->until_look) && turns_look(c))
		return;
	if (t == &c->stopper) {
		stopper_works(c);
		return;
	}
	t->doing = DOING_NOTHING;
	t->left = 0;
	if (was_sys && !t->releases && cpu_leaves_call(c))
		return;
	if (was_asleep && lab_user_work(c->m->lab, c->cpu) && cpu_leaves_call(c))
		return; /* parked before its first instruction */
	thread_advance(t);
}

/* Where CPUs are served in turn and timers have just expired, @c sees what another asks of it when its own turn has come. */
static u64 until_its_turn(const struct mcpu *c)
{
	const struct machine *m = c->m;

	if (!m->opt.timers_apart || m->now >= m->turns.until)
		return 0;
	return (u64)((c->cpu - m->turns.cpu + m->nr_cpus) % m->nr_cpus) * m->opt.timers_apart;
}

/*
 * So long a kick is on its way to @c; one that polls sees it at once, and one that an interrupt with wakees has just
 * brought out of idle need not leave it again.
 */
static u64 kick_delay(const struct mcpu *c)
{
	const struct costs *costs = &c->m->sc->machine.costs;

	if (cpu_polls(c))
		return 0;
	return (c->curr || c->out_of_idle == c->m->now ? 0 : costs->idle_exit) +
	       (c->cpu != c->m->here ? costs->ipi + until_its_turn(c) + turns_wait(c->m) : 0);
}

/*
 * It comes some time behind the tick, and before whoever the tick asked to leave here does.  On other CPUs tasks have been switched by
 * then: what has just left one of them is hot.
 */
static void raise_softirq(struct mcpu *c)
{
	const struct costs *costs = &c->m->sc->machine.costs;
	u64 when = max_u64(irq_until(c), c->m->now + costs->tick) + costs->softirq;

	c->irq_until = when;
	arm(c->m, &c->softirq, when, RANK_SOFTIRQ);
}

/* Does @why go over to @c as an interrupt? */
static bool is_sent(const struct mcpu *c, enum kick why)
{
	return why != KICK_SOFTIRQ && c->cpu != c->m->here && !cpu_polls(c);
}

/* The scheduler interrupts @cpu; it is heard at once where the verb runs there, else after the interrupt's way. */
void cpu_kick(struct machine *m, int cpu, enum kick why)
{
	struct mcpu *c = machine_cpu(m, cpu);
	u64 when = max_u64(m->now + kick_delay(c), irq_until(c));

	if (why == KICK_RESCHED_LAZY && cpu != m->here)
		return; /* nothing is sent: the next tick there will see it */
	m->nr_ipis += is_sent(c, why);
	if (why == KICK_WAKE_LIST)
		c->wakees_come = true;
	if (why == KICK_SOFTIRQ)
		raise_softirq(c);
	else if (why == KICK_NOHZ_BALANCE)
		arm(m, &c->softirq, when, RANK_SOFTIRQ);
	else if (why == KICK_RESCHED || why == KICK_RESCHED_LAZY || why == KICK_USER_RETURN)
		arm(m, &c->resched, when, RANK_REST);
	else
		arm(m, &c->ipi, when, RANK_REST);
}
