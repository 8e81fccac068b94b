/* SPDX-License-Identifier: MIT */
/*
 * load.h - averages that halve in 32 ms (pelt.c), and what a group weighs on each CPU because of them (shares.c); private to core/.
 *
 *	sched_entity.avg --sum--> cfs_rq.avg --contribution--> task_group.load_avg
 *	       ^                                                     |
 *	       '-- weight of the group's entity on this CPU <--------'  update_cfs_group()
 */
#ifndef CORE_LOAD_H
#define CORE_LOAD_H

#include "base/types.h"
#include "core/entity.h"
#include "core/queue.h"

struct lab;

/* ---- pelt.c: averages of load ---- */
#define UPDATE_TG 1u /* tell the group what changed */
#define DO_ATTACH 2u
#define LOAD_TICK 4u
/* Bring the averages of @se and of @cfs_rq, on which it is (or is about to be) queued, up to the clock of its CPU. */
void update_load_avg(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
void update_blocked_load(struct lab *lab, struct cfs_rq *cfs_rq); /* of a queue with nothing queued */
void update_own_load(struct rq *rq); /* the queues of what runs, or the root queue, before the CPU compares itself with others */
bool load_is_forgotten(const struct cfs_rq *cfs_rq);
/* @nr ticks up to @last on this CPU's clock happened with the running chain as it is: all they do to averages. */
void replay_load_ticks(struct rq *rq, u64 nr, u64 last);
void init_entity_load(const struct lab *lab, struct sched_entity *se, bool runs_at_once);
void seed_new_task_util(struct sched_entity *se); /* a new task's share of what its CPU has left */
void attach_load(struct lab *lab, struct sched_entity *se); /* a task that is not queued joins, or leaves, its queue's averages */
void detach_load(struct lab *lab, struct sched_entity *se);
void remove_load(struct lab *lab, struct sched_entity *se); /* leaves from afar, or for good: by way of the bin */

/* A group's entity: its queue has gained or lost tasks. */
static inline void se_update_runnable(struct sched_entity *se)
{
	if (se->my_q)
		se->runnable = se->my_q->h_nr_running;
}

void reweight_load(struct lab *lab, struct sched_entity *se, struct load_weight load); /* sets se->load, averages follow */
void runnable_load_joins(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se); /* @cfs_rq->splits_load: queued, and off */
void runnable_load_leaves(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se);

/* ---- util_est.c: what tasks usually use ---- */
#define UTIL_AVG_UNCHANGED 0x80000000u /* in a task's avg.util_est: its util_avg has not been updated since that was set */
void util_est_init(const struct lab *lab, struct task_struct *p); /* of a new task */
void util_est_keep(const struct lab *lab, struct task_struct *p); /* @p goes to sleep, and its util_avg was updated: keep that */

/* @p, which wants to run, is queued on @rq, or is not any more. */
static inline void util_est_enqueue(struct rq *rq, const struct task_struct *p) { rq->cfs.avg.util_est += p->util_usual; }
static inline void util_est_dequeue(struct rq *rq, const struct task_struct *p) { rq->cfs.avg.util_est -= p->util_usual; }

/* ---- shares.c: what a group weighs on each CPU ---- */
/* @cfs_rq's load was updated (by a tick?), and @changed; write it into the group's sum where it differs enough. */
void update_group_load(struct lab *lab, struct cfs_rq *cfs_rq, bool changed, bool tick);
void update_cfs_group(struct lab *lab, struct sched_entity *se); /* the group's share of this CPU */
bool group_weight_stays(const struct sched_entity *se); /* whatever its load does: no other CPU has written any */
void clear_group_load(struct lab *lab, struct cfs_rq *cfs_rq); /* its CPU is gone */
void watch_blocked_load(struct lab *lab, struct cfs_rq *cfs_rq);
u64 blocked_load_due(const struct lab *lab); /* the first tick that has to age_blocked_load(); NEVER */
void age_blocked_load(struct lab *lab);

#endif
