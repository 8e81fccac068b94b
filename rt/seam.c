/* SPDX-License-Identifier: MIT */
/*
 * seam.c - what the scheduler asks of its machine, answered by a real one.
 *
 *	core/  -- kick --> rt_ask: the CPU's thread is told to come for the lock, woken if it sleeps
 *	       -- timer_arm --> the heap of moments
 *	       -- cpu_clock, ktime --> rt->now, read from the host when the lock was taken
 *
 * Every call comes with the lock held, and takes note only.  Work of the scheduler takes real time, so none is added.
 */
#include "rt/impl.h"

#include <stdio.h>
#include <stdlib.h>

static u64 pf_ktime(void *ctx) { return ((struct rt *)ctx)->now; }

static u64 pf_cpu_clock(void *ctx, int cpu)
{
	(void)cpu;
	return ((struct rt *)ctx)->now;
}

static struct rt_group_timer *timer_of(struct rt *rt, const struct task_group *tg, enum timer_kind kind)
{
	return &((struct rt_group_timers *)rt->groups.v[lab_group_id(tg) - 1]->timers)->v[kind];
}

static void pf_timer_arm(void *ctx, enum timer_kind kind, struct task_group *tg, int cpu, u64 when)
{
	struct rt_group_timer *t = timer_of(ctx, tg, kind);

	t->cpu = cpu;
	rt_arm(ctx, &t->timer, when, kind == TIMER_SLACK ? RANK_SLACK : RANK_PERIOD);
}

static void pf_timer_cancel(void *ctx, enum timer_kind kind, struct task_group *tg)
{
	rt_disarm(ctx, &timer_of(ctx, tg, kind)->timer);
}

static void pf_hrtick_arm(void *ctx, int cpu, u64 when)
{
	struct rt *rt = ctx;
	struct rt_timer *timer = &rt->cpus[cpu].hrtick;

	if (when == NEVER)
		rt_disarm(rt, timer);
	else
		rt_arm(rt, timer, when, RANK_TASK);
}

void rt_ask(struct rt_cpu *c)
{
	__atomic_store_n(&c->asked, 1, __ATOMIC_RELAXED);
	if (c->waits)
		pthread_cond_signal(&c->cond);
}

static bool asks_to_leave(enum kick why) { return why == KICK_RESCHED || why == KICK_RESCHED_LAZY || why == KICK_USER_RETURN; }

static void pf_kick(void *ctx, int cpu, enum kick why)
{
	struct rt *rt = ctx;
	struct rt_cpu *c = &rt->cpus[cpu];

	if (why == KICK_RESCHED_LAZY && cpu != rt->here)
		return; /* nothing is sent: the next tick there will see it */
	if (why == KICK_SOFTIRQ || why == KICK_NOHZ_BALANCE)
		c->softirq = true;
	else if (!asks_to_leave(why))
		c->ipi = true;
	else if (c->asked_at == NEVER)
		c->asked_at = rt->now;
	rt_ask(c);
}

static enum cpu_state pf_cpu_state(void *ctx, int cpu) { return ((struct rt *)ctx)->cpus[cpu].curr ? CPU_RUNNING : CPU_DEEP; }

static u64 pf_random(void *ctx, enum lab_stream stream) { return rng_next(&((struct rt *)ctx)->streams[stream]); }

/* The time has passed for real; only the search for an idle CPU wants to know about how much that is. */
static u64 pf_spend(void *ctx, int cpu, enum cost_kind kind, u32 n)
{
	(void)cpu;
	return kind == COST_SCAN ? n * ((struct rt *)ctx)->sc->machine.costs.scan : 0;
}

static void pf_emit(void *ctx, const struct event *ev)
{
	struct rt *rt = ctx;

	tally_event(&rt->tally, &rt->groups, ev);
}

static void pf_bug(void *ctx, const char *file, int line, const char *law)
{
	struct rt *rt = ctx;

	fprintf(stderr, "fairground: a law of the scheduler is broken after %llu ns of real work: %s (%s:%d)\n",
		(unsigned long long)(rt->now - rt->epoch), law, file, line);
	groups_say_ledgers(&rt->groups);
	abort();
}

static void *pf_alloc(void *ctx, size_t size) { return arena_alloc(&((struct rt *)ctx)->mem, size); }

void rt_platform(struct rt *rt, struct platform *pf)
{
	*pf = (struct platform){
		.ctx = rt,
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
