/* SPDX-License-Identifier: MIT */
/*
 * groups.h - the groups of a machine by their paths, what is written to their files, and what they got, period by period.
 *
 *	groups_make()  the scenario's groups, parents first        groups_period_ended()  one record a refill
 *	groups_write() "/web" "cpu.max" "25000 100000"             groups_results()       figures of the window
 *
 * Law: group number i (from 0) is the scheduler's group i + 1; a group stays where it is in memory.
 */
#ifndef OWNER_GROUPS_H
#define OWNER_GROUPS_H

#include "base/arena.h"
#include "core/lab.h"
#include "owner/result.h"
#include "text/err.h"
#include "work/scenario.h"

struct group {
	struct task_group *tg;
	const char *path;
	void *timers;		/* the owner of time hangs its timers here */
	bool refilled;		/* a period began during this verb */
	struct group_stat base, last;
	struct period_record *periods;
	u32 nr_periods, cap_periods;
	u64 period_start;	/* on the lab's clock; of the first one the window's */
	u64 stopped;		/* its throttled time up to then, that of queues still throttled included */
	bool period_open;
};

struct groups {
	struct lab *lab;
	const struct kernel_model *model;
	int cgroup;		/* 1 or 2 */
	int nr_cpus;		/* of the machine */
	bool keep_periods;	/* records of periods are wanted */
	u64 epoch;		/* the lab's clock at the scenario's start */
	struct arena *mem;
	struct group **v;
	u32 nr, cap;
	u32 *slots, nr_slots;	/* path -> number + 1, 0: free; a power of two */
	u32 named;		/* behind the scenario's group that was asked for last */
	struct write_result *writes;
	u32 nr_writes, cap_writes;
};

/* @gs is all zero but for lab, model, cgroup, nr_cpus, epoch and mem, which must outlive it. */
void groups_fini(struct groups *gs);

/* Every group that @sc names, with its parents.  0, or -1 with @err set. */
int groups_make(struct groups *gs, const struct scenario *sc, struct err *err);

/* What @sc writes at time 0, in file order, and the phases of periods.  0, or -1 with @err set. */
int groups_write_all(struct groups *gs, const struct scenario *sc, struct err *err);

/* One group more, with its parents where they are missing; @path must outlive @gs.  NULL when memory is out. */
struct group *groups_add(struct groups *gs, const char *path);

/* NULL: there is no such group, or it is the root. */
struct group *groups_find(const struct groups *gs, const char *path);
bool is_root_path(const char *path); /* NULL or "/" */

/* The scheduler's group at @path, the root too.  NULL: there is no such group. */
struct task_group *groups_tg(const struct groups *gs, const char *path);

/*
 * Write @value, as text, to @file of @g (NULL: the root) by the kernel's rules, as seen from CPU 0.  0, or a negative errno with *@why.
 */
int groups_apply(struct groups *gs, struct group *g, const char *file, const char *value, const char **why);

/* A write of the scenario at @t, ns from its start: kept for the result.  -1 with @err set where it was refused and not meant to be. */
int groups_write(struct groups *gs, const struct write_spec *w, u64 t, struct err *err);

/* The window opens at @now, on the lab's clock: what was counted so far is subtracted later. */
void groups_window(struct groups *gs, u64 now);

/* A group said that a period began (event bw_period). */
static inline void groups_saw_refill(struct groups *gs, u32 group_id) { gs->v[group_id - 1]->refilled = true; }

/* After a verb, where records of periods are wanted: close those that ended at @now, on the lab's clock. */
void groups_period_ended(struct groups *gs, u64 now);

/* Hand over to @res, whose start and end are set: groups with their periods, and writes.  False when memory is out. */
bool groups_results(struct groups *gs, struct result *res);

/* Where a law is broken: the ledgers, to stderr. */
void groups_say_ledgers(const struct groups *gs);

#endif
