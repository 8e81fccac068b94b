/* SPDX-License-Identifier: MIT */
/*
 * turns.c - CPUs that share one instruction counter, as an emulator's virtual ones do.
 *
 *	CPU 0  walk ...  . ... . ...  |		three in the kernel: each of them gets every third turn,
 *	CPU 1     switch . . ... . .. |		and time passes for all
 *	CPU 2        switch . .. . .  |
 *	CPU 3   (user) --------------------	work in user mode is counted by the clock, so it takes what it takes
 *
 * What the kernel does on n of them at once takes n times as long, and an interrupt from one to another waits until those that have
 * something to do had their turns: who is being served at that moment is chance.
 *
 * Law: without turns (machine_options.turn is 0) every factor is 1 and every wait is 0.
 */
#include "sim/impl.h"

/* Is a switch, or what a wakeup costs, being paid? */
static bool in_kernel(const struct mcpu *c) { return c->curr && c->work_from > c->m->now; }

static u32 count_in_kernel(struct machine *m)
{
	u32 n = 0;
	int cpu;

	for_each_bit(cpu, m->busy, m->nr_cpus)
		n += in_kernel(machine_cpu(m, cpu));
	return n;
}

static u32 count_busy(const struct machine *m)
{
	u32 n = 0;
	int cpu;

	for_each_bit(cpu, m->busy, m->nr_cpus)
		n++;
	return n;
}

u64 turns_share(const struct mcpu *c)
{
	return c->m->opt.turn ? count_in_kernel(c->m) - in_kernel(c) + 1 : 1;
}

void turns_changed(struct mcpu *c)
{
	struct machine *m = c->m;
	int cpu;

	if (!m->opt.turn)
		return;
	for_each_bit(cpu, m->busy, m->nr_cpus) {
		struct mcpu *other = machine_cpu(m, cpu);

		if (other == c || !in_kernel(other) || !heap_armed(&other->run_end.heap))
			continue;
		cpu_pause(other);
		cpu_resume(other);
	}
}

u64 turns_walk(struct machine *m, u64 ns) { return m->opt.turn ? ns * (count_in_kernel(m) + 1) : ns; }

u64 turns_wait(struct machine *m) { return m->opt.turn ? rng_below(&m->turns, m->opt.turn * count_busy(m) + 1) : 0; }
