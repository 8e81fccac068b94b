/* SPDX-License-Identifier: MIT */
/* tasks.c - how tasks of a scenario become tasks of the scheduler. */
#include "owner/tasks.h"

#include <stdlib.h>

#include "base/bits.h"

/* ---- who they are ---- */

/* False when memory is out; @cpus NULL: all. */
static bool cpus_of_instance(const struct workload *w, const struct groups *gs, int nr_cpus, u32 instance, const u64 **cpus)
{
	u64 *one;

	*cpus = w->cpus;
	if (!w->cpus_each)
		return true;
	*cpus = one = arena_alloc(gs->mem, BITS_WORDS((size_t)nr_cpus) * sizeof(*one));
	if (one)
		bit_set(one, w->cpus_each[instance % w->nr_cpus_each]);
	return one;
}

static int first_cpu(const u64 *cpus, int nr_cpus)
{
	int cpu = cpus ? bit_next(cpus, nr_cpus, 0) : 0;

	return cpu < nr_cpus ? cpu : 0;
}

/*
 * A thread that begins with work has waited for its start, as those of the measurements: its load has faded, and grows.  One that begins
 * with a wait runs for some us to get there, and that is the end of its fork: it has a whole task's load, which the wait lets fade.  Faded load
 * and some us would leave its group the least weight there is on that CPU, 2, and up to 6.6 that stays where the thread then wakes under a
 * limit that holds: the first tick charges 4 ms as 2 s.  Kernel threads have been there since boot.
 */
static bool is_fresh(const struct workload *w) { return !w->kthread && program_waits_first(&w->program); }

bool spec_of_instance(const struct scenario *sc, const struct groups *gs, int nr_cpus, u32 task, u32 instance,
		      struct task_spec *spec, int *cpu)
{
	const struct workload *w = &sc->tasks[task];
	const u64 *cpus;

	if (!cpus_of_instance(w, gs, nr_cpus, instance, &cpus))
		return false;
	*spec = (struct task_spec){
		.tg = groups_tg(gs, w->group),
		.policy = (enum sched_policy)w->policy,
		.nice = w->nice,
		.rt_priority = w->rt_priority,
		.kthread = w->kthread,
		.fresh = is_fresh(w),
		.slice = w->slice,
		.cpus = cpus,
	};
	*cpu = first_cpu(cpus, nr_cpus);
	return true;
}

/* ---- what changes them ---- */

int enter_phase(const struct groups *gs, struct task_struct *p, const struct phase *phase)
{
	struct task_group *tg = phase->taskgroup ? groups_tg(gs, phase->taskgroup) : NULL;
	int cpu = lab_task_cpu(p), ret = 0;

	if (phase->sets_sched)
		lab_set_nice(gs->lab, cpu, p, (enum sched_policy)phase->policy, phase->rt_priority ? phase->rt_priority : phase->nice);
	if (phase->slice)
		lab_set_slice(gs->lab, cpu, p, phase->slice);
	if (tg)
		ret = lab_move(gs->lab, cpu, p, tg);
	if (phase->cpus)
		lab_affinity(gs->lab, cpu, p, phase->cpus);
	return ret;
}

int apply_at(const struct groups *gs, struct task_struct *p, const struct at_spec *at, struct err *err)
{
	struct task_group *tg = groups_tg(gs, at->group);
	int cpu = lab_task_cpu(p);

	if (at->kind == AT_MOVE)
		lab_move(gs->lab, cpu, p, tg ? tg : lab_root(gs->lab));
	else if (lab_affinity(gs->lab, cpu, p, at->cpus))
		return err_at(err, at->at.file, at->at.line, at->at.column, "affinity",
			      "the kernel refuses these CPUs (EINVAL): none of them is online and in the cpuset of the task's group");
	return 0;
}

static bool has_any(const u64 *a, const u64 *b, int nr_cpus)
{
	int cpu;

	for_each_bit(cpu, a, nr_cpus)
		if (bit_test(b, cpu))
			return true;
	return false;
}

/* Has @there one of the CPUs that instance @instance of @w asks for? */
static bool is_possible(const struct workload *w, const u64 *there, int nr_cpus, u32 instance)
{
	if (w->cpus_each)
		return bit_test(there, w->cpus_each[instance % w->nr_cpus_each]);
	return !w->cpus || has_any(w->cpus, there, nr_cpus);
}

int check_cpusets(const struct scenario *sc, const struct groups *gs, struct err *err)
{
	u64 there[BITS_WORDS(LAB_MAX_CPUS)] = { 0 };
	u32 i, k;

	for (i = 0; i < sc->nr_tasks; i++) {
		const struct workload *w = &sc->tasks[i];
		struct task_group *tg = groups_tg(gs, w->group);

		if (!tg || w->kthread)
			continue;
		lab_group_cpus(gs->lab, tg, there);
		for (k = 0; k < (w->cpus_each ? w->nr_cpus_each : 1); k++) {
			if (is_possible(w, there, gs->nr_cpus, k))
				continue;
			err_at(err, w->at.file, w->at.line, w->at.column, "cpus",
			       "\"%s\" asks for CPUs of which the cpuset of %s has none; the kernel refuses that (EINVAL)", w->name, w->group);
			err_hint(err, "name CPUs of the cpuset, or leave them out: then it may use all of it");
			return -1;
		}
	}
	return 0;
}

int apply_online(struct lab *lab, const struct at_spec *at, struct err *err)
{
	if (!lab_hotplug(lab, at->cpu, at->online))
		return 0;
	return err_at(err, at->at.file, at->at.line, at->at.column, "online", "CPU %d is the last one online", at->cpu);
}

/* ---- the past ---- */

#define PAST_FIRST_RUN (20 * US)
#define PAST_SECOND_AFTER (400 * MS)
#define PAST_SECOND_RUN (200 * US)

struct want want_of_past(enum past *past, u64 now, u64 start)
{
	switch (*past) {
	case PAST_FIRST:
		*past = PAST_REST;
		return (struct want){ .kind = WANT_RUN, .ns = PAST_FIRST_RUN };
	case PAST_REST:
		*past = PAST_SECOND;
		return (struct want){ .kind = WANT_SLEEP, .ns = now + PAST_SECOND_AFTER };
	case PAST_SECOND:
		*past = PAST_DONE;
		return (struct want){ .kind = WANT_RUN, .ns = PAST_SECOND_RUN };
	default:
		*past = PAST_NONE;
		return (struct want){ .kind = WANT_SLEEP, .ns = start };
	}
}

/* ---- whom they wake ---- */

bool wakes_add(struct wakes *wakes, struct worker *who, struct worker *by)
{
	if (wakes->nr == wakes->cap) {
		u32 cap = wakes->cap ? 2 * wakes->cap : 64;
		struct wake *more = realloc(wakes->v, cap * sizeof(*more));

		if (!more)
			return false;
		wakes->v = more;
		wakes->cap = cap;
	}
	wakes->v[wakes->nr++] = (struct wake){ worker_owner(who), by ? worker_owner(by) : NULL, by && worker_wakes_sync(by) };
	return true;
}
