/* SPDX-License-Identifier: MIT */
/*
 * gather_impl.h - what the files of rule gather share: gather.c (the sets), gather_home.c (home), gather_width.c (adaptive).
 */
#ifndef CORE_GATHER_IMPL_H
#define CORE_GATHER_IMPL_H

#include "core/gather.h"
#include "core/verbs.h"

/* Of one task: whose limit gathers it. */
struct gathered {
	struct task_group *tg; /* NULL: nobody's */
	int limit;	       /* CPUs */
	int except;	       /* a CPU that is not to be taken for one of the set; -1: none */
};

/* ---- gather.c ---- */
int gather_cpus_of_limit(const struct task_group *tg); /* quota / period, rounded up; 0: unlimited */
u32 gather_nr_of_group(const struct lab *lab, const struct task_group *tg, int cpu); /* tasks of it that want to run there, stopped by a limit or not */
bool gather_is_active(struct lab *lab, const struct task_group *tg, int cpu); /* is @cpu of the set of @tg? */
int gather_nr_active(struct lab *lab, const struct task_group *tg);
bool gather_is_below(const struct task_group *tg, const struct task_group *top); /* or @top itself */
/* The CPU of the set with the fewest tasks of the group; @prev, else the lowest, of equals; -1: @p may use none. */
int gather_least_of_set(struct lab *lab, const struct gathered *g, const struct task_struct *p, int prev);

/* ---- gather_home.c ---- */
/* A wakeup or a fork: the CPU of the home that it gets, or -1: it is placed as if there were no home. */
int gather_home_wake(const struct selection *s, const struct gathered *g, int target);
bool gather_home_keeps(struct lab *lab, const struct gathered *g, const struct task_struct *p, int cpu, enum gather_ask ask);
void gather_home_picked(struct rq *rq, struct task_struct *next, const struct gathered *g);

/* ---- gather_width.c ---- */
int gather_width(const struct task_group *tg); /* CPUs; 0: as many as it likes */
void gather_width_picked(struct task_struct *next);

#endif
