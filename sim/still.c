/* SPDX-License-Identifier: MIT */
/*
 * still.c - a machine in which nothing happens.
 *
 * Levels, groups and parameters of a lab are there from the start; to look at them needs no time.  Timers are never fired here,
 * and who is asked to reschedule never runs.
 */
#include "sim/still.h"
#include "text/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define NOON ((u64)1000 * SEC) /* what the clock shows */

static u64 ktime(void *ctx)
{
	(void)ctx;
	return NOON;
}

static u64 cpu_clock(void *ctx, int cpu)
{
	(void)ctx;
	(void)cpu;
	return NOON;
}

static void timer_arm(void *ctx, enum timer_kind kind, struct task_group *tg, int cpu, u64 when)
{
	(void)ctx;
	(void)kind;
	(void)tg;
	(void)cpu;
	(void)when;
}

static void timer_cancel(void *ctx, enum timer_kind kind, struct task_group *tg)
{
	(void)ctx;
	(void)kind;
	(void)tg;
}

static void hrtick_arm(void *ctx, int cpu, u64 when)
{
	(void)ctx;
	(void)cpu;
	(void)when;
}

static void kick(void *ctx, int cpu, enum kick why)
{
	(void)ctx;
	(void)cpu;
	(void)why;
}

static enum cpu_state cpu_state(void *ctx, int cpu)
{
	(void)ctx;
	(void)cpu;
	return CPU_DEEP;
}

static u64 no_chance(void *ctx, enum lab_stream stream)
{
	(void)ctx;
	(void)stream;
	return 0;
}

static u64 spend(void *ctx, int cpu, enum cost_kind kind, u32 n)
{
	(void)ctx;
	(void)cpu;
	(void)kind;
	(void)n;
	return 0;
}

static void emit_nothing(void *ctx, const struct event *ev)
{
	(void)ctx;
	(void)ev;
}

static void bug(void *ctx, const char *file, int line, const char *law)
{
	(void)ctx;
	fprintf(stderr, "fairground: %s:%d: a law is broken: %s\n", file, line, law);
	abort();
}

static void *alloc(void *ctx, size_t size) { return arena_alloc(ctx, size); }

int still_init(struct still *s, int cpus, const struct topology *topology, const struct kernel_model *model, u32 hz)
{
	const struct lab_config cfg = {
		.nr_cpus = cpus, .topology = topology, .hz = hz, .cgroup = 2, .epoch = NOON, .tick_base = NOON,
	};
	const struct platform pf = {
		.ctx = &s->mem, .ktime = ktime, .cpu_clock = cpu_clock, .timer_arm = timer_arm, .timer_cancel = timer_cancel,
		.hrtick_arm = hrtick_arm, .kick = kick, .cpu_state = cpu_state, .random = no_chance, .spend = spend,
		.emit = emit_nothing, .bug = bug, .alloc = alloc,
	};

	arena_of_malloc(&s->mem);
	s->lab = lab_create(&cfg, model, &pf);
	return s->lab ? 0 : -1;
}

void still_fini(struct still *s) { arena_fini(&s->mem); }
