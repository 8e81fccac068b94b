/* SPDX-License-Identifier: MIT */
/*
 * cpuset.h - which CPUs a group leaves to its tasks; private to core/.
 */
#ifndef CORE_CPUSET_H
#define CORE_CPUSET_H

#include "core/sched.h"

typedef u64 cpuset_mask[BITS_WORDS(LAB_MAX_CPUS)];

/* What @p may use of @asked (NULL: all), by its group's cpuset: asked and the cpuset, which may be nothing. */
void cpuset_cut(struct lab *lab, const struct task_struct *p, const u64 *asked, u64 *cpus);
/* What @p gets by its group's cpuset and, where there is such a thing, by what it once asked for; never nothing that is online. */
void cpuset_cpus(struct lab *lab, const struct task_struct *p, u64 *cpus);
/* @p has asked for @cpus (sched_setaffinity); rule user_cpus. */
void remember_user_cpus(struct lab *lab, struct task_struct *p, const u64 *cpus);
/* @p, of @from's cpuset so far, is about to be one of @to's. */
void cpuset_attach(struct lab *lab, int cpu, struct task_struct *p, const struct task_group *to);
/* @cpu has gone or come. */
void cpusets_follow_hotplug(struct lab *lab, int cpu);

#endif
