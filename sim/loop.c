/* SPDX-License-Identifier: MIT */
/*
 * loop.c - what happens next.
 *
 *	heap of events --- the first --->  at its time, in the written order of ranks  ---> handled
 *	ticks -------- one sweep a jiffy over the busy CPUs, between the slack timers and the task timers
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
void arm(struct machine *m, struct sim_entry *entry, u64 when, enum rank rank)
{
	if (!heap_make_room(&m->heap)) {
		err_set(m->err, ERR_HOST, "out of memory for events");
		return;
	}
	heap_arm(&m->heap, &entry->heap, when, rank);
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

/* A pass sets it when it is over: the switch that it decided on has taken its time by then. */
static void pf_hrtick_arm(void *ctx, int cpu, u64 when)
{
	struct machine *m = ctx;
	struct sim_entry *timer = &machine_cpu(m, cpu)->hrtick;

	if (when == NEVER)
		disarm(m, timer);
	else
		arm(m, timer, when + m->sc->machine.costs.switch_, RANK_TASK_TIMER);
}

static void pf_kick(void *ctx, int cpu, enum kick why) { cpu_kick(ctx, cpu, why); }

static enum cpu_state pf_cpu_state(void *ctx, int cpu)
{
	return machine_cpu(ctx, cpu)->curr ? CPU_RUNNING : CPU_DEEP;
}

static u64 pf_random(void *ctx, enum lab_stream stream) { return rng_next(&((struct machine *)ctx)->streams[stream]); }

static u64 pf_spend(void *ctx, int cpu, enum cost_kind kind, u32 n)
{
	struct machine *m = ctx;
	const struct costs *costs = &m->sc->machine.costs;
	u64 cost = 0;

	switch (kind) {
	case COST_UNTHROTTLE:
		cost = costs->unthrottle;
		break;
	case COST_NEWIDLE:
		cost = costs->newidle;
		break;
	case COST_MIGRATE:
		cost = costs->migrate;
		break;
	}
	cost *= n;
	cpu_steal(machine_cpu(m, cpu), cost);
	return cost;
}

static void pf_emit(void *ctx, const struct event *ev)
{
	struct machine *m = ctx;

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

/* One sweep: the tick on each busy CPU that needs it, in CPU order; then how long none will. */
static void sweep(struct machine *m)
{
	u64 due, horizon = NEVER;
	int cpu, end = 0;

	for_each_bit(cpu, m->busy, m->busy_end) {
		end = cpu + 1;
		due = lab_tick_due(m->lab, cpu);
		if (due <= m->now) {
			m->here = cpu;
			lab_tick(m->lab, cpu);
			cpu_ticked(machine_cpu(m, cpu));
			due = lab_tick_due(m->lab, cpu);
		}
		horizon = min_u64(horizon, due);
	}
	m->busy_end = end;
	m->last_tick = m->now;
	lab_ticks_done(m->lab, m->now, horizon);
	verb_done(m);
}

/* When the next sweep is needed. */
static u64 next_sweep(const struct machine *m)
{
	u64 horizon = lab_tick_horizon(m->lab);

	return max_u64(horizon, m->last_tick + m->tick);
}

/* ---- events ---- */

static void group_timer_event(struct machine *m, struct group_timer *timer)
{
	m->here = timer->cpu;
	lab_timer(m->lab, timer->cpu, timer->kind, timer->group->tg);
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

static void ipi_event(struct mcpu *c)
{
	c->m->here = c->cpu;
	lab_ipi(c->m->lab, c->cpu);
	cpu_returns(c);
	verb_done(c->m);
}

static u32 task_of_instance(const struct thread *t) { return t->task; }

static void at_tasks(struct machine *m, const struct at_spec *at)
{
	struct thread *t;

	for (t = m->threads; t; t = t->next) {
		if (task_of_instance(t) != at->task || !t->p)
			continue;
		m->here = lab_task_cpu(t->p);
		apply_at(&m->groups, t->p, at);
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

static void world_event(struct machine *m, struct world_event *ev)
{
	u64 token = ev->token;

	ev->free_next = m->free_world_events;
	m->free_world_events = ev;
	world_timer(m->world, token, scenario_time(m));
	do_wakes(m, 0);
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
	case SIM_HRTICK:
		hrtick_event(container_of(entry, struct mcpu, hrtick));
		break;
	case SIM_AT:
		at_event(m, container_of(entry, struct at_event, entry)->spec);
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

/* Nothing is left that could happen, yet somebody waits: say who for whom. */
static int report_deadlock(struct machine *m)
{
	char text[512];

	if (!m->nr_alive || bit_next(m->busy, m->nr_cpus, 0) < m->nr_cpus)
		return 0;
	if (!world_deadlock(m->world, text, sizeof(text)))
		return 0;
	return err_set(m->err, ERR_INPUT, "deadlock at %llu.%03llu ms: %s", (unsigned long long)(scenario_time(m) / MS),
		       (unsigned long long)(scenario_time(m) / US % 1000), text);
}

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

/* Only group timers are left, and no task can be woken by one. */
static bool all_asleep_for_good(const struct machine *m)
{
	s64 i;

	for (i = 0; i < m->heap.nr; i++) {
		const struct sim_entry *entry = container_of(m->heap.key[i].entry, struct sim_entry, heap);

		if (entry->kind != SIM_GROUP_TIMER)
			return false;
	}
	return bit_next(m->busy, m->nr_cpus, 0) == m->nr_cpus && !anybody_throttled(m);
}

/* Handle all events before @until. */
int machine_loop(struct machine *m, u64 until)
{
	u64 count = 0;

	while (!m->err->code && !m->gave_up) {
		struct heap_entry *first = heap_first(&m->heap);
		u64 tick = next_sweep(m);
		bool ticks_first = !first || tick < first->time ||
				   (tick == first->time && first->order >> HEAP_RANK_SHIFT > RANK_TICK);

		if (ticks_first) {
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
		if (!m->nr_alive && m->sc->duration == NEVER)
			break;
		if (!(count & 0xfff) && all_asleep_for_good(m) && report_deadlock(m))
			break;
	}
	if (m->gave_up)
		err_set(m->err, ERR_HOST, "interrupted");
	return m->err->code ? -1 : 0;
}
