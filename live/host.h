/* SPDX-License-Identifier: MIT */
/* host.h - what this machine is, as far as the model asks: CPUs, tick, tunables, and how late it wakes a thread. */
#ifndef LIVE_HOST_H
#define LIVE_HOST_H

#include "text/err.h"
#include "work/scenario.h"

struct host {
	int online;			/* CPUs of the machine */
	int nr_cpus;			/* those that this process may use */
	int cpu[SCENARIO_MOST_CPUS];	/* their numbers: CPU i of a scenario is cpu[i] */
};

/* 0, or -1 with @err set. */
int host_read(struct host *h, struct err *err);

/*
 * Ticks a second, from the step of the coarse clock, which the kernel advances at its ticks; 0 where that step is none a kernel has.
 */
u32 host_tick_hz(void);
u32 hz_of_step(u64 step);

struct host_tunable {
	const char *name; /* as in core/params.def */
	u64 value;	  /* in the unit of the name */
	char from[128];	  /* the file */
};
#define HOST_TUNABLES_MAX 8

/*
 * The scheduler's tunables as far as they can be read: in @sys/kernel/debug/sched (a fairly new kernel, for root) or @proc/sys/kernel.
 * Returns how many.
 */
u32 host_tunables(const char *proc, const char *sys, struct host_tunable out[HOST_TUNABLES_MAX]);

/* What a timer wakeup is like on this machine as it is now, ns; all 0 where it could not be tried.  Takes half a second. */
struct host_wakes {
	u64 late;   /* from the moment a timer was due to the thread's next instruction */
	u64 varies; /* by how much that differs from one to the next */
	u64 cost;   /* CPU time that is charged to the thread for waking and sleeping again */
};
void host_wakes(struct host_wakes *w);

/* CPU time since boot of the first @nr CPUs of @h, ns: taken by the hypervisor, and busy with anything. */
struct host_times {
	u64 steal, busy;
};
void host_times(const struct host *h, int nr, struct host_times *t);
/* The same from the text of a /proc/stat, @ticks of it a second. */
void host_times_of(const char *stat, const struct host *h, int nr, u64 ticks, struct host_times *t);

#endif
