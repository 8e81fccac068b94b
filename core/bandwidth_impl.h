/* SPDX-License-Identifier: MIT */
/*
 * bandwidth_impl.h - what the files of bandwidth control share; private to bandwidth.c (pool, slices), bandwidth_timer.c (when) and
 * bandwidth_walk.c (distribution).
 */
#ifndef CORE_BANDWIDTH_IMPL_H
#define CORE_BANDWIDTH_IMPL_H

#include "core/sched.h"

/* sched_cfs_bandwidth_slice(), in ns: how much a CPU draws at once. */
static inline u64 bandwidth_slice(const struct lab *lab) { return lab->model.param[PARAM_CFS_BANDWIDTH_SLICE] * US; }

/* Has the group a quota? */
static inline bool limited(const struct cfs_bandwidth *cfs_b) { return cfs_b->quota != RUNTIME_INF; }

/* Whose pool it is. */
static inline struct task_group *group_of(struct cfs_bandwidth *cfs_b)
{
	return container_of(cfs_b, struct task_group, cfs_bandwidth);
}

/* ---- bandwidth_timer.c ---- */
/* Slack came back while somebody is throttled, in the time of @cpu: it is handed on in about 5 ms, unless a refill comes first. */
void start_slack_timer(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu);

/* ---- bandwidth_walk.c: each begins a walk, or goes on with the one in progress (cfs_b->walk) ---- */
/* For the period timer, until nothing is throttled or the pool is empty.  False: TIMER_DISTRIBUTE is armed, call again then. */
bool distribute_period(struct lab *lab, struct cfs_bandwidth *cfs_b);
/* For the slack timer, once over the list; where it has to wait TIMER_DISTRIBUTE is armed, too. */
void distribute_slack(struct lab *lab, struct cfs_bandwidth *cfs_b);

#endif
