/* SPDX-License-Identifier: MIT */
/*
 * tally.h - what happened in a run, counted: the digest, the counts of events, the use of CPUs; and the result made from it.
 *
 *	events ---> tally_event ---> counts, digest		window: figures at its end minus figures at its start
 *	threads --> result_add_thread --> tasks of the result
 */
#ifndef OWNER_TALLY_H
#define OWNER_TALLY_H

#include "base/arena.h"
#include "owner/groups.h"

struct tally {
	u64 epoch;		/* the lab's clock at the scenario's start */
	int nr_cpus;
	u64 digest;
	u64 events[NR_EVENT_TYPES], events_base[NR_EVENT_TYPES];
	u64 nr_stat_runtime, nr_stat_runtime_base;
	u64 moves[NR_MOVE_CAUSES], moves_base[NR_MOVE_CAUSES]; /* sched_migrate_task, by cause */
	u64 *usage, *usage_base; /* ns per CPU */
	/* Called for every event in order, or NULL. */
	void (*on_event)(void *ctx, const struct event *ev);
	void *ctx;
};

/* False when memory is out. */
bool tally_init(struct tally *t, struct arena *mem, int nr_cpus, u64 epoch);

/* Count @ev and take it into the digest; @gs hears of refills; then it is handed on to on_event. */
void tally_event(struct tally *t, struct groups *gs, const struct event *ev);

/* The window opens: everything counted so far is subtracted later. */
void tally_window(struct tally *t);

/* What the scheduler counted of a thread since it stood at @base. */
struct thread_result thread_since(const struct task_stat *st, const struct task_stat *base);

/* Room in @res for the tasks of @sc, of which there are @instances threads each.  False when memory is out. */
bool result_begin_tasks(struct result *res, const struct scenario *sc, const u32 *instances);
/* One thread of scenario.tasks[@task]; its samples now belong to @res, which keeps them per thread only where @keep. */
void result_add_thread(struct result *res, u32 task, const struct thread_result *thread, bool keep);
void result_end_tasks(struct result *res);

/* Counts, CPUs and the digest, once groups and tasks are in @res.  False when memory is out. */
bool tally_results(const struct tally *t, struct result *res);

#endif
