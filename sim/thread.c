/* SPDX-License-Identifier: MIT */
/*
 * thread.c - a thread: what its program wants, and how it sleeps and wakes.
 *
 *	worker_next() -> run: the CPU works         sleep: a timer          wait: somebody else      exit
 *	      ^              | run ends                  | expires                 | wakes                 |
 *	      '--------------+---------------------------+-------------------------'                     gone
 *
 * A thread's timer fires on the CPU where it went to sleep, also where the thread is moved meanwhile.  What programs ask for others (wakeups) is done right after they
 * were interpreted, in their order.
 */
#include "sim/impl.h"

static const struct workload *workload_of(const struct thread *t) { return &t->m->sc->tasks[t->task]; }

static struct mcpu *cpu_of(const struct thread *t) { return machine_cpu(t->m, lab_task_cpu(t->p)); }

/* ---- birth ---- */

static struct task_struct *fork_task(struct machine *m, struct thread *t, struct thread *parent)
{
	struct task_spec spec;
	int cpu;

	if (!spec_of_instance(m->sc, &m->groups, m->nr_cpus, t->task, t->instance, &spec, &cpu))
		return NULL;
	spec.owner = t;
	return lab_fork(m->lab, parent ? lab_task_cpu(parent->p) : cpu, parent ? parent->p : NULL, &spec);
}

struct thread *thread_create(struct machine *m, u32 task, u32 instance, u64 start, struct thread *parent)
{
	struct thread *t = arena_alloc(&m->mem, sizeof(*t));

	if (!t)
		return NULL;
	heap_entry_init(&t->timer.heap);
	t->timer.kind = SIM_TASK_TIMER;
	t->m = m;
	t->task = task;
	t->instance = instance;
	t->start = start;
	t->last_cpu = -1;
	t->worker = worker_create(m->world, task, instance, start - m->epoch);
	t->p = t->worker ? fork_task(m, t, parent) : NULL;
	if (!t->p)
		return NULL;
	worker_set_owner(t->worker, t);
	*m->threads_tail = t;
	m->threads_tail = &t->next;
	m->nr_threads++;
	m->instances[task]++;
	m->nr_alive++;
	m->nr_users += !m->sc->tasks[task].kthread;
	return t;
}

/* When @t first runs: in its past, if it has one. */
static u64 first_moment(struct thread *t)
{
	struct machine *m = t->m;
	const struct workload *w = workload_of(t);

	if (w->nr_past) {
		t->past = PAST_OWN;
		return m->epoch + w->past[0].at;
	}
	t->past = m->sc->history ? PAST_FIRST : PAST_NONE;
	return m->sc->history ? m->epoch - PAST_AT : t->start;
}

static void arm_timer(struct thread *t, u64 when)
{
	t->timer_cpu = lab_task_cpu(t->p);
	arm_timer_on(t->m, &t->timer, when, t->timer_cpu);
}

/* All threads of the scenario, in its order, stand ready to start. */
int threads_setup(struct machine *m)
{
	const struct scenario *sc = m->sc;
	u32 task, i;

	for (task = 0; task < sc->nr_tasks; task++) {
		for (i = 0; i < sc->tasks[task].instances; i++) {
			u64 start = m->epoch + sc->start_phase + sc->tasks[task].delay;
			struct thread *t = thread_create(m, task, i, start, NULL);

			if (!t)
				return -1;
			arm_timer(t, first_moment(t));
		}
	}
	return 0;
}

/* ---- waking ---- */

static void mark_waking(struct thread *t)
{
	t->waking = true;
	t->waking_at = t->m->now;
	t->owes += t->m->sc->machine.costs.wakeup;
}

/*
 * A kernel charges a wakeup to the woken task from its enqueue on only if the switch to it follows at once (docs/rules/
 * bandwidth-fair-checked.md, C2).  Where a limit keeps it waiting, that part was the interrupt's: a machine may say what is left.
 */
static void wake_was_cut_off(struct thread *t)
{
	const struct costs *costs = &t->m->sc->machine.costs;

	if (costs->wakeup_released != NEVER)
		t->owes += costs->wakeup_released - costs->wakeup;
}

/* @t was asleep; somebody on @cpu (@by, or an interrupt) wakes it. */
void thread_wake(struct thread *t, struct thread *by, int cpu, bool sync)
{
	struct machine *m = t->m;
	unsigned flags = (by ? 0 : WAKE_TIMER) | (sync ? WAKE_SYNC : 0);

	if (!t->p)
		return;
	m->here = cpu;
	mark_waking(t);
	if (!t->started) {
		t->started = true;
		lab_wake_new(m->lab, cpu, t->p);
	} else {
		lab_wake(m->lab, cpu, t->p, by && by->p ? by->p : NULL, flags);
	}
	if (lab_task_cut_off(t->p))
		wake_was_cut_off(t);
	verb_done(m);
}

/* Timers of a CPU that went offline are taken over by another. */
static struct mcpu *timer_cpu_of(const struct thread *t)
{
	int cpu = t->timer_cpu;

	if (!lab_cpu_online(t->m->lab, cpu))
		for (cpu = 0; !lab_cpu_online(t->m->lab, cpu); cpu++)
			;
	return machine_cpu(t->m, cpu);
}

/*
 * Where CPUs are served in turn, those whose timers have expired with another's wait for theirs, in ascending order from the first one on.  An
 * interrupt from another CPU ranks above the timer's: who was sent here meanwhile is queued before those whose timers expired.
 */
static bool waits_for_its_turn(struct thread *t, struct mcpu *c)
{
	struct machine *m = t->m;

	if (!m->opt.timers_apart)
		return false;
	if (m->turns.cpu != c->cpu && m->now < m->turns.until) {
		arm_timer_behind(m, &t->timer, m->turns.until, c->cpu, m->turns.cpu);
		return true;
	}
	if (m->turns.cpu != c->cpu)
		cpu_hears(c);
	m->turns.cpu = c->cpu;
	m->turns.until = m->now + m->opt.timers_apart;
	return false;
}

/* Its timer has expired, on the CPU where it went to sleep. */
void thread_timer(struct thread *t)
{
	struct mcpu *c = timer_cpu_of(t);

	if (waits_for_its_turn(t, c) || turns_defer(c, &t->timer))
		return;
	cpu_steal(c, c->curr ? t->m->sc->machine.costs.timer_irq : 0);
	thread_wake(t, NULL, c->cpu, false);
	cpu_returns(c);
}

static void end_spin(struct thread *t)
{
	struct mcpu *c = cpu_of(t);

	if (c->curr == t)
		cpu_pause(c);
	t->doing = DOING_NOTHING;
	t->left = 0;
	if (c->curr == t)
		cpu_resume(c);
}

void do_wakes(struct machine *m, int cpu)
{
	u32 i;

	for (i = 0; i < m->wakes.nr; i++) {
		struct thread *t = m->wakes.v[i].who;

		if (t->doing == DOING_SPIN)
			end_spin(t);
		else
			thread_wake(t, m->wakes.v[i].by, cpu, m->wakes.v[i].sync);
	}
	m->wakes.nr = 0;
}

/* ---- what it wants ---- */

/* The runs of a past of its own one after the other, then the start. */
static struct want want_of_own_past(struct thread *t)
{
	const struct workload *w = workload_of(t);
	const struct past_run *run = &w->past[t->past_run];

	if (t->past_run == w->nr_past) {
		t->past = PAST_NONE;
		return (struct want){ .kind = WANT_SLEEP, .ns = t->start };
	}
	t->past_rested = !t->past_rested;
	if (t->past_rested)
		return (struct want){ .kind = WANT_SLEEP, .ns = t->past_times ? t->m->now + run->every : t->m->epoch + run->at };
	if (++t->past_times == run->times) {
		t->past_run++;
		t->past_times = 0;
	}
	return (struct want){ .kind = WANT_RUN, .ns = run->ns };
}

static struct want want_of(struct thread *t)
{
	struct machine *m = t->m;
	struct want want;

	if (t->past == PAST_OWN)
		return want_of_own_past(t);
	if (t->past != PAST_NONE)
		return want_of_past(&t->past, m->now, t->start);
	want = worker_next(m->world, t->worker, scenario_time(m));
	if (want.kind == WANT_SLEEP)
		want.ns = want.ns > NEVER - m->epoch ? NEVER : want.ns + m->epoch;
	t->loops = worker_loops(t->worker);
	return want;
}

static void change_sched(struct thread *t, const struct phase *phase)
{
	struct machine *m = t->m;

	m->here = lab_task_cpu(t->p);
	if (enter_phase(&m->groups, t->p, phase))
		err_set(m->err, ERR_HOST, "out of memory");
	verb_done(m);
}

static void start_run(struct thread *t, enum doing doing, u64 left)
{
	struct mcpu *c = cpu_of(t);

	t->doing = doing;
	t->left = left;
	cpu_resume(c);
	cpu_returns(c);
}

static void go_to_sleep(struct thread *t, u64 until)
{
	struct machine *m = t->m;
	u64 slack = m->sc->machine.costs.timer_slack;

	if (until != NEVER)
		arm_timer(t, t->past == PAST_NONE && until == t->start ? until : until + slack);
	m->here = lab_task_cpu(t->p);
	lab_block(m->lab, m->here);
	cpu_schedule(machine_cpu(m, m->here));
}

static void leave(struct thread *t)
{
	struct machine *m = t->m;

	m->here = lab_task_cpu(t->p);
	t->exited = true;
	lab_exit(m->lab, m->here);
	cpu_schedule(machine_cpu(m, m->here));
}

/* Returns false where the thread goes on at once: the want took no time. */
static bool act(struct thread *t, const struct want *want)
{
	struct machine *m = t->m;

	switch (want->kind) {
	case WANT_RUN:
	case WANT_SYS:
		if (!want->ns)
			return false;
		t->resched_point = want->resched_point;
		t->releases = want->releases;
		t->until_look = want->looks ? m->opt.look : 0;
		start_run(t, want->kind == WANT_RUN ? DOING_RUN : DOING_SYS, want->ns);
		return true;
	case WANT_RUNTIME:
		start_run(t, DOING_RUNTIME, time_after(m->now, want->ns));
		return true;
	case WANT_SPIN:
		start_run(t, DOING_SPIN, 0);
		return true;
	case WANT_SLEEP:
		if (want->ns <= m->now)
			return false;
		go_to_sleep(t, want->ns);
		return true;
	case WANT_WAIT:
		go_to_sleep(t, NEVER);
		return true;
	case WANT_YIELD:
		m->here = lab_task_cpu(t->p);
		lab_yield(m->lab, m->here);
		cpu_schedule(machine_cpu(m, m->here));
		return true;
	case WANT_SCHED:
		change_sched(t, want->phase);
		return false;
	case WANT_CLOCK:
		m->here = lab_task_cpu(t->p);
		lab_read_runtime(m->lab, t->p);
		verb_done(m);
		return cpu_leaves_call(cpu_of(t));
	case WANT_EXEC:
		m->here = lab_task_cpu(t->p);
		lab_exec(m->lab, m->here);
		verb_done(m);
		return cpu_leaves_call(cpu_of(t));
	case WANT_EXIT:
		break;
	}
	leave(t);
	return true;
}

/* @t, which was woken, is back in user mode. */
static void first_instruction(struct thread *t)
{
	struct machine *m = t->m;

	if (!t->waking)
		return;
	t->waking = false;
	if (t->past == PAST_NONE && in_window(m, scenario_time(m)))
		samples_add(&t->wakeup_latency, m->now - t->waking_at);
}

#define SPINNING_STEPS 1000000 /* steps in a row that take no time: the program does not end */

/* @t runs and has nothing to do: interpret its program until something takes time. */
void thread_advance(struct thread *t)
{
	struct machine *m = t->m;
	u32 steps;

	first_instruction(t);
	for (steps = 0; steps < SPINNING_STEPS; steps++) {
		struct want want = want_of(t);
		int cpu = lab_task_cpu(t->p);

		if (m->wakes.nr) {
			/* what it wakes may want its CPU: it must be seen to run something, or to sleep, afterwards */
			do_wakes(m, cpu);
		}
		if (act(t, &want))
			return;
	}
	err_at(m->err, workload_of(t)->at.file, workload_of(t)->at.line, workload_of(t)->at.column, workload_of(t)->name,
	       "a loop without end in which no time passes");
	err_hint(m->err, "put a run, a sleep or a timer into the loop");
}

/* ---- what the world asks of the machine ---- */

static void op_wake(void *ctx, struct worker *w, struct worker *by)
{
	struct machine *m = ctx;

	if (!wakes_add(&m->wakes, w, by))
		err_set(m->err, ERR_HOST, "out of memory");
}

static struct worker *op_spawn(void *ctx, u32 task, struct worker *parent)
{
	struct machine *m = ctx;
	struct thread *by = worker_owner(parent);
	struct thread *t = thread_create(m, task, m->instances[task], m->now, by);

	if (!t) {
		err_set(m->err, ERR_HOST, "out of memory");
		return NULL;
	}
	lab_made_thread(m->lab, lab_task_cpu(by->p), t->p);
	op_wake(m, t->worker, parent);
	return t->worker;
}

static void op_loop_done(void *ctx, struct worker *w, u64 release, u64 end)
{
	struct machine *m = ctx;
	struct thread *t = worker_owner(w);
	bool goes_on = m->sc->tasks[t->task].joins && t->joined_to && release <= t->joined_to;

	if (!goes_on)
		t->joined_from = release;
	t->joined_to = end;
	if (!in_window(m, end))
		return;
	if (goes_on && t->latency.nr)
		t->latency.v[t->latency.nr - 1] = end - t->joined_from;
	else
		samples_add(&t->latency, end - t->joined_from);
}

static void op_timer(void *ctx, const struct moment *moment)
{
	struct machine *m = ctx;
	struct world_event *ev = m->free_world_events;

	if (ev)
		m->free_world_events = ev->free_next;
	else
		ev = arena_alloc(&m->mem, sizeof(*ev));
	if (!ev) {
		err_set(m->err, ERR_HOST, "out of memory");
		return;
	}
	heap_entry_init(&ev->entry.heap);
	ev->entry.kind = SIM_WORLD;
	ev->token = moment->token;
	ev->cpu = moment->cpu;
	ev->irq = moment->irq == NEVER ? m->sc->machine.costs.timer_irq : moment->irq;
	arm_timer_on(m, &ev->entry, time_after(m->epoch, moment->when), moment->cpu);
}

static int op_cpu(void *ctx, const struct worker *w)
{
	const struct thread *t = worker_owner(w);

	(void)ctx;
	return t->p ? lab_task_cpu(t->p) : t->last_cpu;
}

static void op_span_done(void *ctx, u32 ref, u64 from, u64 to)
{
	struct machine *m = ctx;

	if (in_window(m, to))
		spans_add(&m->spans, ref, to - from);
}

static void op_awaits_child(void *ctx, struct worker *w)
{
	struct machine *m = ctx;

	lab_awaits_child(m->lab, op_cpu(m, w));
}

void world_ops_of(struct machine *m, struct world_ops *ops)
{
	*ops = (struct world_ops){ m, op_wake, op_spawn, op_loop_done, op_timer, op_cpu, op_span_done, op_awaits_child, m->opt.look != 0 };
}
