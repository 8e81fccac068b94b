/* SPDX-License-Identifier: MIT */
/*
 * loop.c - what happens next.
 *
 *	heap of events --- the first --->  at its time, in the written order of ranks  ---> handled
 *	ticks -------- one sweep a jiffy over the busy CPUs, between the slack timers and the task timers; one CPU at a time where they tick apart
 *
 * Ticks are no events of the heap: the scheduler says which is the first that can decide anything (lab_tick_due), and the
 * sweeps before that are left out.  Law: time never runs backwards.
 */
#include "sim/impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "owner/memory.h"

/* ---- the heap ---- */

/* Out of memory ends the run: an event that is lost would make the rest wrong. */
void arm_in(struct machine *m, struct sim_entry *entry, u64 when, enum rank rank, unsigned lane)
{
	if (unlikely(m->heap.nr == m->heap.cap) && !heap_make_room(&m->heap)) {
		err_set(m->err, ERR_HOST, "out of memory for events");
		return;
	}
	heap_arm_in(&m->heap, &entry->heap, when, rank, lane);
}

void arm(struct machine *m, struct sim_entry *entry, u64 when, enum rank rank) { arm_in(m, entry, when, rank, 0); }

/* The CPU whose timers come first at @when: a chance of its own for each instant, so that nothing else is moved by it. */
static int first_interrupted(const struct machine *m, u64 when)
{
	struct rng chance;

	if (!m->any_first || when < m->epoch)
		return 0;
	rng_init_one(&chance, m->timer_streams, when - m->epoch, 0);
	return (int)rng_below(&chance, (u64)m->nr_cpus);
}

void arm_timer_behind(struct machine *m, struct sim_entry *entry, u64 when, int cpu, int first)
{
	arm_in(m, entry, when, RANK_TASK_TIMER, (unsigned)((cpu - first + m->nr_cpus) % m->nr_cpus));
}

void arm_timer_on(struct machine *m, struct sim_entry *entry, u64 when, int cpu)
{
	arm_timer_behind(m, entry, when, cpu, m->nr_cpus > 1 ? first_interrupted(m, when) : cpu);
}

void disarm(struct machine *m, struct sim_entry *entry) { heap_remove(&m->heap, &entry->heap); }

/* ---- the scheduler's side of the seam ---- */

static u64 pf_ktime(void *ctx) { return ((struct machine *)ctx)->now; }

static u64 pf_cpu_clock(void *ctx, int cpu)
{
	struct machine *m = ctx;
	const s64 *skew = m->sc->machine.clock_skew;

	return m->now + (skew ? (u64)skew[cpu] : 0);
}

static struct group_timer *timer_of(struct machine *m, const struct task_group *tg, enum timer_kind kind)
{
	return &((struct group_timers *)m->groups.v[lab_group_id(tg) - 1]->timers)->timer[kind];
}

static void pf_timer_arm(void *ctx, enum timer_kind kind, struct task_group *tg, int cpu, u64 when)
{
	struct machine *m = ctx;
	struct group_timer *timer = timer_of(m, tg, kind);

	timer->cpu = cpu;
	arm(m, &timer->entry, when, kind == TIMER_SLACK ? RANK_SLACK : RANK_PERIOD);
}

static void pf_timer_cancel(void *ctx, enum timer_kind kind, struct task_group *tg)
{
	disarm(ctx, &timer_of(ctx, tg, kind)->entry);
}

#define EMULATOR_TURN (5 * US) /* tests/oracle/README.md: the measuring program ends its CPU's turn after so much work */

/*
 * Where an emulator serves its CPUs in turn, the interrupt that ends a task's turn waits for the others that are busy, 0 to 5 us for each.  Two equal tasks are owed
 * the same at the end of every second turn but for that: who is behind goes on to the next tick, and then both take turns of a tick.  So do 81 % of
 * the turns of three hogs on two CPUs of 7.2.
 */
static u64 waits_for_others(struct machine *m, u64 when, int cpu)
{
	struct rng chance;
	u64 others = 0;
	int i;

	if (!m->opt.timers_apart)
		return 0;
	for_each_bit(i, m->busy, m->nr_cpus)
		others += i != cpu;
	rng_init(&chance, m->sc->seed, "turns", NULL, when - m->epoch, (u64)cpu);
	return rng_below(&chance, others * EMULATOR_TURN + 1);
}

/* A pass sets it when it is over: the switch that it decided on has taken its time by then, and its interrupt takes some to come to the charge. */
static void pf_hrtick_arm(void *ctx, int cpu, u64 when)
{
	struct machine *m = ctx;
	struct sim_entry *timer = &machine_cpu(m, cpu)->hrtick;

	if (when == NEVER)
		disarm(m, timer);
	else
		arm_timer_on(m, timer, when + m->sc->machine.costs.switch_ + m->sc->machine.costs.timer_irq + waits_for_others(m, when, cpu), cpu);
}

static void pf_kick(void *ctx, int cpu, enum kick why) { cpu_kick(ctx, cpu, why); }

static enum cpu_state pf_cpu_state(void *ctx, int cpu)
{
	const struct mcpu *c = machine_cpu(ctx, cpu);

	if (c->curr)
		return CPU_RUNNING;
	return cpu_polls(c) ? CPU_POLLING : CPU_DEEP;
}

static u64 pf_random(void *ctx, enum lab_stream stream) { return rng_next(&((struct machine *)ctx)->streams[stream]); }

static u64 pf_spend(void *ctx, int cpu, enum cost_kind kind, u32 n)
{
	struct machine *m = ctx;
	const struct costs *costs = &m->sc->machine.costs;
	u64 cost = 0;

	switch (kind) {
	case COST_UNTHROTTLE:
		turns_walk(machine_cpu(m, cpu));
		cost = costs->unthrottle;
		break;
	case COST_NEWIDLE:
		cost = costs->newidle;
		break;
	case COST_MIGRATE:
		cost = costs->migrate;
		break;
	case COST_SCAN:
		cost = costs->scan;
		break;
	}
	cost *= n;
	cpu_steal(machine_cpu(m, cpu), cost);
	return cost;
}

/* The scheduler is done with a task at its last switch; a kernel frees it some ticks later. */
static void free_later(struct machine *m, const struct event *ev)
{
	struct late_free *late = m->free_late_frees;

	if (late)
		m->free_late_frees = late->free_next;
	else
		late = arena_alloc(&m->mem, sizeof(*late));
	if (!late) {
		err_set(m->err, ERR_HOST, "out of memory");
		return;
	}
	heap_entry_init(&late->entry.heap);
	late->entry.kind = SIM_FREED;
	late->ev = *ev;
	late->ev.time += FREED_AFTER * m->tick;
	arm(m, &late->entry, m->now + FREED_AFTER * m->tick, RANK_REST);
}

static void freed_event(struct machine *m, struct late_free *late)
{
	tally_event(&m->tally, &m->groups, &late->ev);
	late->free_next = m->free_late_frees;
	m->free_late_frees = late;
}

static void pf_emit(void *ctx, const struct event *ev)
{
	struct machine *m = ctx;

	if (ev->type == EVENT_SCHED_PROCESS_FREE)
		free_later(m, ev);
	else
		tally_event(&m->tally, &m->groups, ev);
}

static void pf_bug(void *ctx, const char *file, int line, const char *law)
{
	struct machine *m = ctx;

	fprintf(stderr, "fairground: a law of the scheduler is broken at %llu ns: %s (%s:%d)\n",
		(unsigned long long)scenario_time(m), law, file, line);
	groups_say_ledgers(&m->groups);
	abort();
}

static void *pf_alloc(void *ctx, size_t size) { return arena_alloc(&((struct machine *)ctx)->mem, size); }

void machine_platform(struct machine *m, struct platform *pf)
{
	*pf = (struct platform){
		.ctx = m,
		.ktime = pf_ktime,
		.cpu_clock = pf_cpu_clock,
		.timer_arm = pf_timer_arm,
		.timer_cancel = pf_timer_cancel,
		.hrtick_arm = pf_hrtick_arm,
		.kick = pf_kick,
		.cpu_state = pf_cpu_state,
		.random = pf_random,
		.spend = pf_spend,
		.emit = pf_emit,
		.bug = pf_bug,
		.alloc = pf_alloc,
	};
}

/* ---- ticks ---- */

/* The first tick after @t. */
static u64 tick_after(const struct machine *m, u64 t)
{
	return t + m->tick - (t - m->epoch + EPOCH_TICKS * m->tick) % m->tick;
}

/* All ticks before @now have happened, and the one at @now where @inclusive. */
void ticks_pass(struct machine *m, u64 now, bool inclusive)
{
	u64 last;

	if (ticks_apart(m)) {
		m->last_tick = max_u64(m->last_tick, now - !inclusive);
		lab_ticks_done(m->lab, m->last_tick, 0);
		return;
	}
	if (now < m->last_tick + m->tick + !inclusive)
		return;
	last = tick_after(m, now - !inclusive) - m->tick;
	m->last_tick = last;
	lab_ticks_done(m->lab, last, 0);
}

void settle(struct machine *m)
{
	ticks_pass(m, m->now, false);
	lab_catch_up(m->lab);
}

/*
 * The tick on @cpu where it is due by @by; when its next will be needed.  @end: past the last CPU that has ticks.  An idle one that has no more is
 * left out from now on.
 */
static u64 sweep_cpu(struct machine *m, int cpu, u64 by, int *end)
{
	u64 due = lab_tick_due(m->lab, cpu);

	if (due == NEVER && m->sc->machine.nohz) {
		bit_clear(m->ticking, cpu);
		return NEVER;
	}
	*end = cpu + 1 > *end ? cpu + 1 : *end;
	if (due > by || due == NEVER)
		return due;
	m->here = cpu;
	lab_tick(m->lab, cpu);
	cpu_ticked(machine_cpu(m, cpu));
	return lab_tick_due(m->lab, cpu);
}

/* The CPUs in [@from, @to), in the order of their numbers. */
static u64 sweep_cpus(struct machine *m, int from, int to, int *end)
{
	u64 horizon = NEVER;
	int cpu;

	for (cpu = bit_next(m->ticking, to, from); cpu < to; cpu = bit_next(m->ticking, to, cpu + 1))
		horizon = min_u64(horizon, sweep_cpu(m, cpu, m->now, end));
	return horizon;
}

/*
 * The CPUs up to @to, from one that is drawn, upwards or downwards: of any two each is first half of the time.  Every tick is called, whatever one
 * that came before it did to its CPU.  An emulator serves them upwards.
 */
static u64 sweep_drawn(struct machine *m, int to, int *end)
{
	u64 horizon = NEVER;
	struct rng chance;
	int i, cpu, step;

	rng_init(&chance, m->sc->seed, "ticks", NULL, scenario_time(m) / m->tick, 0);
	cpu = (int)rng_below(&chance, (u64)to);
	step = m->opt.timers_apart || rng_below(&chance, 2) ? 1 : to - 1;
	for (i = 0; i < to; i++, cpu = (cpu + step) % to) {
		if (!bit_test(m->ticking, cpu))
			continue;
		cpu_waits_for_tick(machine_cpu(m, cpu), i);
		horizon = min_u64(horizon, sweep_cpu(m, cpu, NEVER, end));
	}
	return horizon;
}

/* One sweep over all CPUs, from the first in order or from whom the machine's owner names; then how long none will need one. */
static void sweep_all(struct machine *m)
{
	int first = m->opt.tick_first ? m->opt.tick_first(m->opt.ctx, scenario_time(m)) : 0, end = 0, to = m->ticking_end;
	u64 horizon;

	if (first > to)
		first = to;
	lab_ticks_from(m->lab, first);
	if (m->sc->machine.ticks == TICKS_SHUFFLED && to) {
		horizon = sweep_drawn(m, to, &end);
	} else {
		horizon = sweep_cpus(m, first, to, &end);
		horizon = min_u64(horizon, sweep_cpus(m, 0, first, &end));
	}
	m->ticking_end = end;
	m->last_tick = m->now;
	lab_ticks_done(m->lab, m->now, horizon);
	verb_done(m);
}

/* The tick of the one CPU that has its own now, where they tick apart. */
static void sweep_one(struct machine *m)
{
	u64 jiffy = tick_after(m, m->now) - m->tick;
	int end = 0;

	sweep_cpu(m, (int)((m->now - jiffy) / tick_step(m)), NEVER, &end);
	m->last_tick = m->now;
	lab_ticks_done(m->lab, m->now, 0);
	verb_done(m);
}

/* When the next sweep is needed. */
static u64 next_of_all(const struct machine *m)
{
	u64 horizon = lab_tick_horizon(m->lab);

	return max_u64(horizon, m->last_tick + m->tick);
}

/* The next tick of any CPU that has ticks, where they tick apart: later in this jiffy, or the first of the next. */
static u64 next_of_one(const struct machine *m)
{
	u64 jiffy = tick_after(m, m->last_tick) - m->tick, step = tick_step(m), passed = (m->last_tick - jiffy) / step + 1;
	int end = m->ticking_end, cpu = passed < (u64)end ? bit_next(m->ticking, end, (int)passed) : end;

	if (cpu < end)
		return jiffy + (u64)cpu * step;
	cpu = bit_next(m->ticking, end, 0);
	return cpu < end ? jiffy + m->tick + (u64)cpu * step : NEVER;
}

static u64 next_sweep(const struct machine *m) { return ticks_apart(m) ? next_of_one(m) : next_of_all(m); }

static void sweep(struct machine *m)
{
	if (ticks_apart(m))
		sweep_one(m);
	else
		sweep_all(m);
}

/* ---- events ---- */

/* Where CPUs are served in turn (opt.timers_apart), those whom it interrupts see it each in its turn, behind @timer's own. */
static void group_timer_event(struct machine *m, struct group_timer *timer)
{
	int served;
	u64 until;

	if (turns_defer_group(machine_cpu(m, timer->cpu), &timer->entry))
		return;
	served = m->turns.cpu;
	until = m->turns.until;
	m->here = m->turns.cpu = timer->cpu;
	m->turns.until = m->now + 1;
	lab_timer(m->lab, timer->cpu, timer->kind, timer->group->tg);
	m->turns.cpu = served;
	m->turns.until = until;
	cpu_returns(machine_cpu(m, timer->cpu));
	verb_done(m);
}

static void hrtick_event(struct mcpu *c)
{
	c->m->here = c->cpu;
	cpu_steal(c, c->curr ? c->m->sc->machine.costs.timer_irq : 0);
	lab_timer(c->m->lab, c->cpu, TIMER_HRTICK, NULL);
	cpu_returns(c);
	verb_done(c->m);
}

static void softirq_event(struct mcpu *c)
{
	c->m->here = c->cpu;
	lab_softirq(c->m->lab, c->cpu);
	cpu_returns(c);
	verb_done(c->m);
}

static void ipi_event(struct mcpu *c)
{
	c->m->here = c->cpu;
	if (c->wakees_come)
		c->out_of_idle = c->m->now;
	c->wakees_come = false;
	lab_ipi(c->m->lab, c->cpu);
	cpu_returns(c);
	verb_done(c->m);
}

void cpu_hears(struct mcpu *c)
{
	if (!heap_armed(&c->ipi.heap))
		return;
	disarm(c->m, &c->ipi);
	ipi_event(c);
}

static u32 task_of_instance(const struct thread *t) { return t->task; }

static void at_tasks(struct machine *m, const struct at_spec *at)
{
	struct thread *t;

	for (t = m->threads; t; t = t->next) {
		if (task_of_instance(t) != at->task || !t->p)
			continue;
		m->here = lab_task_cpu(t->p);
		if (apply_at(&m->groups, t->p, at, m->err))
			break;
	}
	verb_done(m);
}

static void at_event(struct machine *m, const struct at_spec *at)
{
	switch (at->kind) {
	case AT_WRITE:
		m->here = 0;
		groups_write(&m->groups, &at->write, scenario_time(m), m->err);
		verb_done(m);
		break;
	case AT_MOVE:
	case AT_AFFINITY:
		at_tasks(m, at);
		break;
	case AT_ONLINE:
		m->here = 0;
		apply_online(m->lab, at, m->err);
		verb_done(m);
		break;
	}
}

/* An interrupt: it takes its time from whoever runs there, and wakes whom it concerns from there. */
static void world_event(struct machine *m, struct world_event *ev)
{
	struct mcpu *c = machine_cpu(m, ev->cpu);
	u64 token = ev->token;

	m->here = c->cpu;
	cpu_interrupt(c, ev->irq);
	ev->free_next = m->free_world_events;
	m->free_world_events = ev;
	world_timer(m->world, token, scenario_time(m));
	do_wakes(m, c->cpu);
	cpu_returns(c);
}

static void handle(struct machine *m, struct sim_entry *entry)
{
	disarm(m, entry);
	switch ((enum sim_event)entry->kind) {
	case SIM_GROUP_TIMER:
		group_timer_event(m, container_of(entry, struct group_timer, entry));
		break;
	case SIM_TASK_TIMER:
		thread_timer(container_of(entry, struct thread, timer));
		break;
	case SIM_RUN_END:
		cpu_run_end(container_of(entry, struct mcpu, run_end));
		break;
	case SIM_RESCHED:
		cpu_resched_event(container_of(entry, struct mcpu, resched));
		break;
	case SIM_IPI:
		ipi_event(container_of(entry, struct mcpu, ipi));
		break;
	case SIM_SOFTIRQ:
		softirq_event(container_of(entry, struct mcpu, softirq));
		break;
	case SIM_HRTICK:
		hrtick_event(container_of(entry, struct mcpu, hrtick));
		break;
	case SIM_AT:
		at_event(m, container_of(entry, struct at_event, entry)->spec);
		break;
	case SIM_FREED:
		freed_event(m, container_of(entry, struct late_free, entry));
		break;
	case SIM_WORLD:
		world_event(m, container_of(entry, struct world_event, entry));
		break;
	}
}

/* After each verb: what callbacks took note of. */
void verb_done(struct machine *m)
{
	if (m->opt.want_periods)
		groups_period_ended(&m->groups, m->now);
}

/* ---- the loop ---- */

static bool time_to_report(u64 *count) { return !(++*count & 0xffff); }


/* Does anybody wait for a limit, and so for a group's timer? */
static bool anybody_throttled(const struct machine *m)
{
	struct group_stat st;
	u32 i;

	for (i = 0; i < m->groups.nr; i++) {
		lab_group_stat(m->lab, m->groups.v[i]->tg, &st);
		if (st.throttled_cpus)
			return true;
	}
	return false;
}

static bool may_wake(const struct heap_entry *e)
{
	const struct sim_entry *entry = container_of(e, struct sim_entry, heap);

	return entry->kind != SIM_GROUP_TIMER && entry->kind != SIM_FREED;
}

/* Only group timers are left, and no task can be woken by one. */
static bool all_asleep_for_good(const struct machine *m)
{
	return !heap_any(&m->heap, may_wake) && bit_next(m->busy, m->nr_cpus, 0) == m->nr_cpus && !anybody_throttled(m);
}

/* Who waits for what can never come: a circle of mutexes, or all who are left. */
void find_stuck(struct machine *m, struct stuck *stuck)
{
	*stuck = (struct stuck){ 0 };
	if (world_circle(m->world, &stuck->since, stuck->who, sizeof(stuck->who)))
		stuck->circle = true;
	else if (m->nr_users && all_asleep_for_good(m))
		world_deadlock(m->world, &stuck->since, stuck->who, sizeof(stuck->who));
}

/* A run until every task has exited would never end. */
static int report_deadlock(struct machine *m)
{
	struct stuck stuck;

	find_stuck(m, &stuck);
	if (!stuck.who[0])
		return 0;
	return err_set(m->err, ERR_INPUT, "deadlock at %llu.%03llu ms: %s", (unsigned long long)(stuck.since / MS),
		       (unsigned long long)(stuck.since / US % 1000), stuck.who);
}

/* Handle all events before @until. */
int machine_loop(struct machine *m, u64 until)
{
	u64 count = 0;

	while (!m->err->code && !m->gave_up) {
		u64 tick = next_sweep(m);
		struct heap_entry *first = heap_first_before(&m->heap, tick, RANK_TICK);

		if (!first) {
			if (tick >= until)
				break;
			m->now = tick;
			sweep(m);
			continue;
		}
		if (first->time >= until)
			break;
		m->now = first->time;
		ticks_pass(m, m->now, first->order >> HEAP_RANK_SHIFT > RANK_TICK);
		handle(m, container_of(first, struct sim_entry, heap));
		if (time_to_report(&count) && m->opt.progress && m->opt.progress(m->opt.ctx, scenario_time(m)))
			m->gave_up = true;
		if (!m->nr_users && m->sc->duration == NEVER)
			break;
		if (until == NEVER && !(count & 0xfff) && report_deadlock(m))
			break;
	}
	if (until == NEVER && !m->err->code && !m->gave_up)
		report_deadlock(m);
	if (m->gave_up)
		err_set(m->err, ERR_HOST, "interrupted");
	return m->err->code ? -1 : 0;
}
