/* SPDX-License-Identifier: MIT */
/*
 * tasks.h - how tasks of a scenario become tasks of the scheduler: who they are, what changes them, their past, whom they wake.
 */
#ifndef OWNER_TASKS_H
#define OWNER_TASKS_H

#include "base/arena.h"
#include "owner/groups.h"
#include "work/world.h"

/* Instance @instance of @sc's tasks[@task], without an owner, and the CPU it begins on.  False when memory is out. */
bool spec_of_instance(const struct scenario *sc, const struct groups *gs, int nr_cpus, u32 task, u32 instance,
		      struct task_spec *spec, int *cpu);

/* @p enters @phase, with its policy, group and CPUs.  0, or -ENOMEM. */
int enter_phase(const struct groups *gs, struct task_struct *p, const struct phase *phase);

/* An AT_MOVE or AT_AFFINITY of the scenario happens to @p.  0, or -1 with @err set: the cpuset has none of these CPUs. */
int apply_at(const struct groups *gs, struct task_struct *p, const struct at_spec *at, struct err *err);

/* May the threads of @sc run on one of the CPUs that they ask for from the start?  0, or -1 with @err set.  Once the groups are written. */
int check_cpusets(const struct scenario *sc, const struct groups *gs, struct err *err);

/* An AT_ONLINE of the scenario.  0, or -1 with @err set. */
int apply_online(struct lab *lab, const struct at_spec *at, struct err *err);

/*
 * The past of a run with "history": each thread runs at about -1 s, and again 400 ms later, as the threads of the measurements did before
 * their window.  The first leaves the kept millisecond on its CPU, the second uses a fifth of it: 0.8 ms are left, the mean that
 * was found there (docs/rules/bandwidth-fair-checked.md, C4).
 */
enum past { PAST_NONE, PAST_FIRST, PAST_REST, PAST_SECOND, PAST_DONE, PAST_OWN };
#define PAST_AT (1037 * MS) /* before the start; off every period's and tick's grid */
#define PAST_CLOCK (1500 * MS) /* so long before the start the clock begins */

/* What a thread with a past wants next; @start: when it is to begin, on the same clock as @now. */
struct want want_of_past(enum past *past, u64 now, u64 start);

/* Who is to be woken by the program just interpreted, in its order. */
struct wake {
	void *who, *by; /* what worker_owner() gives; @by NULL: a timer, a device */
	bool sync;	/* @by says that it is about to sleep */
};
struct wakes {
	struct wake *v;
	u32 nr, cap;
};
/* False when memory is out. */
bool wakes_add(struct wakes *wakes, struct worker *who, struct worker *by);

#endif
