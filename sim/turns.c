/* SPDX-License-Identifier: MIT */
/*
 * turns.c - CPUs that share one instruction counter, as an emulator's virtual ones do.
 *
 *	CPU 6  walk.......|		       |	an interrupt that releases three others; it keeps its turn
 *	CPU 7 (idle)			       |
 *	CPU 0		  | switch, user..|	       |	until its kernel is done and a block of the program's work
 *	CPU 1			     | switch.| ...|	budget used up before it sleeps: the rest in the next round
 *	CPU 2				      | switch.|
 *
 * One CPU at a time executes; time passes for all, and so a task is charged for the turns of the others too.  A CPU keeps its turn until it has nothing to
 * do, until the measuring program ends it (a block of work in user mode), or until its budget is used up: the time to the next timer of any CPU,
 * divided by the number of CPUs - that is how the emulator sees to it that no timer is missed.  Then the next one around the ring has its turn.  So where
 * timers are far one CPU after another does all it has to do, and shortly before a timer they alternate microsecond by microsecond.
 * What takes turns is what goes by instructions: interrupts, switches, wakeups, short runs.  Long work in user mode is counted by the clock, so it takes
 * what it takes.
 *
 * Law: without turns (machine_options.turn is 0) nobody ever waits.
 */
#include "sim/impl.h"

/* Does it look at its CPU clock by itself? */
static bool looks(const struct thread *t) { return t && t->doing == DOING_RUN && t->until_look; }

/* ---- whose turn it is ---- */

#define LEAST_BUDGET (1 * US) /* the emulator's may be as short as a ns */
#define LEAD (1 * US)	      /* an interrupt's way to what it does, where it waited for its turn: nobody is charged */
#define TAIL (1 * US)	      /* from the last switch of a turn to the CPU's halt */

static u32 count_busy(const struct machine *m)
{
	u32 n = 0;
	int cpu;

	for_each_bit(cpu, m->busy, m->nr_cpus)
		n++;
	return n;
}

/* A switch or a wakeup is being paid, or the run is too short to look at the clock. */
static bool needs_turn(const struct mcpu *c)
{
	const struct thread *t = c->curr;

	return t && (t->owes || c->work_from > c->m->now || (t->doing == DOING_RUN && t->left < c->m->opt.turn));
}

/* One that has expired and waits for its turn is no timer any more. */
static u64 sooner(const struct machine *m, const struct sim_entry *e, u64 soonest)
{
	return heap_armed(&e->heap) && !e->waits && e->heap.time > m->now ? min_u64(soonest, e->heap.time) : soonest;
}

static u64 next_tick(const struct machine *m)
{
	int cpu;

	for_each_bit(cpu, m->ticking, m->nr_cpus)
		return m->now + m->tick - (m->now - m->epoch + EPOCH_TICKS * m->tick) % m->tick;
	return NEVER;
}

/* The soonest timer of any CPU. */
static u64 next_timer(const struct machine *m)
{
	u64 soonest = next_tick(m);

	for (const struct thread *t = m->threads; t; t = t->next)
		soonest = sooner(m, &t->timer, soonest);
	for (u32 i = 0; i < m->groups.nr; i++) {
		const struct group_timers *timers = m->groups.v[i]->timers;

		for (u32 k = 0; k < ARRAY_SIZE(timers->timer); k++)
			soonest = sooner(m, &timers->timer[k].entry, soonest);
	}
	return soonest;
}

/* When what runs on @c ends its turn: asleep again, or half a block of work behind the kernel's, for it was interrupted anywhere within one. */
static u64 run_ends_turn(const struct mcpu *c)
{
	u64 turn = c->m->opt.turn;

	if (!c->curr || c->waits)
		return 0;
	return c->curr->left < turn && heap_armed(&c->run_end.heap) ? c->run_end.heap.time + 1 : c->work_from + turn / 2;
}

/* When the turn of the CPU that has it is over; a ns at least, in which it sees what it has to do. */
static u64 turn_ends(struct machine *m)
{
	struct mcpu *c = machine_cpu(m, m->turns.cpu);
	u64 end = max_u64(max_u64(c->irq_until, c->turn.tail), run_ends_turn(c));

	if (heap_armed(&c->resched.heap) && !c->resched.waits)
		end = max_u64(end, c->resched.heap.time + 1);
	return max_u64(min_u64(end, m->turns.budget), m->turns.least);
}

/* @c's budget is over before it is done: it stands still. */
static void lose_turn(struct mcpu *c)
{
	struct machine *m = c->m;

	if (!c->curr && c->irq_until > m->now) {
		c->turn.irq_left = c->irq_until - m->now;
		c->irq_until = m->now;
	}
	if (needs_turn(c) && !c->waits) {
		cpu_pause(c);
		cpu_resume(c);
	}
}

static void take_turn(struct mcpu *c)
{
	struct machine *m = c->m;
	struct mcpu *before = machine_cpu(m, m->turns.cpu);
	u64 timer = next_timer(m);

	m->turns.cpu = c->cpu;
	m->turns.least = m->now + 1;
	m->turns.budget = timer == NEVER ? NEVER : m->now + max_u64((timer - m->now) / (u64)m->nr_cpus, LEAST_BUDGET);
	if (before != c)
		lose_turn(before);
}

/* @c has its turn now; or, false, may have it at *@when. */
static bool has_turn(struct mcpu *c, u64 *when)
{
	struct machine *m = c->m;
	bool had = m->turns.cpu == c->cpu;

	*when = had ? m->now : turn_ends(m);
	if (*when > m->now)
		return false;
	if (!had || m->now >= m->turns.budget)
		take_turn(c);
	return true;
}

/* @e of @c is tried again at @when, behind those of the CPUs that come before @c. */
static void wait_for_turn(struct mcpu *c, struct sim_entry *e, u64 when)
{
	arm_in(c->m, e, when, RANK_REST, (unsigned)((c->cpu - c->m->turns.cpu + c->m->nr_cpus) % c->m->nr_cpus));
}

/* An interrupt's lead, and what was left of it when it lost its turn. */
static void interrupt_goes_on(struct mcpu *c, bool waited)
{
	if (waited && !c->curr && !c->turn.led) {
		c->turn.led = true;
		c->turn.irq_left += LEAD;
	}
	if (c->turn.irq_left)
		c->irq_until = max_u64(c->irq_until, c->m->now + c->turn.irq_left);
	c->turn.irq_left = 0;
}

bool turns_defer(struct mcpu *c, struct sim_entry *e)
{
	bool waited = e->waits;
	u64 when;

	if (!c->m->opt.turn)
		return false;
	e->waits = !has_turn(c, &when);
	if (e->waits)
		wait_for_turn(c, e, when);
	else
		interrupt_goes_on(c, waited);
	return e->waits;
}

bool turns_defer_group(struct mcpu *c, struct sim_entry *e)
{
	if (turns_defer(c, e))
		return true;
	if (!c->m->opt.turn || c->irq_until <= c->m->now)
		return false;
	arm(c->m, e, c->irq_until, RANK_PERIOD);
	return true;
}

bool turns_pause(struct mcpu *c)
{
	u64 when;

	c->waits = c->m->opt.turn && needs_turn(c) && !has_turn(c, &when);
	if (c->waits)
		wait_for_turn(c, &c->run_end, when);
	return c->waits;
}

void turns_idle(struct mcpu *c)
{
	if (c->m->opt.turn)
		c->turn.tail = c->m->now + TAIL + (c->turn.led ? 0 : LEAD);
	c->turn.led = false;
}

void turns_walk(struct mcpu *c)
{
	if (c->m->opt.turn && c->m->turns.cpu != c->cpu)
		take_turn(c);
}

/* CPUs in user mode, each of which has a block of work for its turn. */
static u32 count_in_user_mode(struct machine *m)
{
	u32 n = 0;
	int cpu;

	for_each_bit(cpu, m->busy, m->nr_cpus)
		n += !needs_turn(machine_cpu(m, cpu));
	return n;
}

u64 turns_wait(struct machine *m) { return m->opt.turn ? rng_below(&m->turns.chance, m->opt.turn * count_in_user_mode(m) + 1) : 0; }

/* ---- looks at the CPU clock ---- */

/* A kernel keeps its turn: so long those in user mode get none. */
static u64 kernel_rest(const struct mcpu *c)
{
	struct machine *m = c->m;
	u64 ns = 0;
	int cpu;

	for_each_bit(cpu, m->busy, m->nr_cpus) {
		const struct mcpu *other = machine_cpu(m, cpu);

		if (other != c && needs_turn(other))
			ns += other->curr->owes + (other->work_from > m->now ? other->work_from - m->now : 0);
	}
	return ns;
}

u64 turns_run(struct mcpu *c)
{
	if (!looks(c->curr))
		return NEVER;
	c->turn.crowd = count_busy(c->m);
	c->turn.stall = kernel_rest(c);
	return c->turn.stall + c->curr->until_look * c->turn.crowd;
}

/* At least one is left: the look itself is an event of its own. */
void turns_ran(struct mcpu *c, u64 ns)
{
	struct thread *t = c->curr;

	if (ns && looks(t))
		t->until_look -= min_u64((ns - min_u64(ns, c->turn.stall)) / c->turn.crowd, t->until_look - 1);
}

bool turns_look(struct mcpu *c)
{
	struct thread *t = c->curr;

	if (!looks(t) || !t->left)
		return false;
	t->until_look = c->m->opt.look;
	c->m->here = c->cpu;
	lab_read_runtime(c->m->lab, t->p);
	verb_done(c->m);
	if (!cpu_leaves_call(c))
		cpu_resume(c);
	return true;
}

/* Who comes or goes: those that look at their clock get there later or sooner. */
void turns_changed(struct mcpu *c)
{
	struct machine *m = c->m;
	int cpu;

	if (!m->opt.look)
		return;
	for_each_bit(cpu, m->busy, m->nr_cpus) {
		struct mcpu *other = machine_cpu(m, cpu);

		if (other == c || !looks(other->curr) || !heap_armed(&other->run_end.heap))
			continue;
		cpu_pause(other);
		cpu_resume(other);
	}
}
