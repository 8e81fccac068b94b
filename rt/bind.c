/* SPDX-License-Identifier: MIT */
/*
 * bind.c - threads that stand each for a CPU of the host, and a scheduler that knows what those CPUs share.
 *
 *	this process may use CPUs 2, 3, 10, 11 --> lab CPU 0 is thread 0 on host CPU 2, ...; threads 0 and 2 are of one core if 2 and 10 are
 *
 * Unbound threads go where the host's scheduler puts them: then a topology would mean nothing, and the lab's is flat.
 */
#define _GNU_SOURCE
#include <sched.h>

#include "live/topology.h"
#include "rt/impl.h"

int rt_plan_binding(struct rt *rt, struct err *err)
{
	int nr = rt->own.machine.cpus, cpu, found = 0;
	struct err untold = { 0 };
	cpu_set_t set;

	rt->host_cpu = arena_alloc(&rt->own.mem, (size_t)nr * sizeof(*rt->host_cpu));
	if (!rt->host_cpu)
		return err_set(err, ERR_HOST, "out of memory for CPUs");
	if (sched_getaffinity(0, sizeof(set), &set))
		return err_set(err, ERR_HOST, "the host has too many CPUs to bind to");
	for (cpu = 0; cpu < CPU_SETSIZE && found < nr; cpu++)
		if (CPU_ISSET(cpu, &set))
			rt->host_cpu[found++] = cpu;
	if (found < nr) {
		err_set(err, ERR_INPUT, "%d threads cannot be bound: this process may use %d CPU%s", nr, found, found == 1 ? "" : "s");
		return -1;
	}
	rt->own.machine.topology = host_topology(&rt->own.mem, "/sys", rt->host_cpu, nr, &untold); /* NULL: flat */
	return 0;
}

void rt_bind_self(const struct rt *rt, int cpu)
{
	cpu_set_t set;

	if (!rt->host_cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(rt->host_cpu[cpu], &set);
	sched_setaffinity(0, sizeof(set), &set);
}
