/* SPDX-License-Identifier: MIT */
/*
 * path.h - the switch path and its copies, and the questions that differ between them; private to core/.
 *
 * What happens at every wakeup, switch and tick (fair.c, preempt.c, pelt.c, shares.c: the path) is compiled three times, with as much of
 * bandwidth control in each copy as a CPU can need:
 *
 *	path_free	nobody is queued here whose group, or one above it, is limited		path_free.c
 *	path_calm	somebody is, but nothing was ever throttled on this CPU			path_calm.c
 *	path_full	always right; what everybody calls who does not go by rq->path		the files themselves
 *
 * The questions about limits below are constants in the first two.  throttle.c chooses (choose_path); all give the same bits.
 * A kernel does the same by patching its code (static branches), for all CPUs at once; the price is in docs/performance.md.
 */
#ifndef CORE_PATH_H
#define CORE_PATH_H

#include "base/types.h"
#include "core/config.h"
#include "core/inside.h"
#include "core/queue.h"

#define PATH_FREE 0
#define PATH_CALM 1
#define PATH_FULL 2
#ifndef PATH
#define PATH (FAIRGROUND_BANDWIDTH ? PATH_FULL : PATH_FREE)
#endif

/* ON_PATH(rq->path, task_tick_fair)(rq) calls that copy. */
#if FAIRGROUND_BANDWIDTH
#define ON_PATH(path, function) ((path)->function)
#else
#define ON_PATH(path, function) ((void)(path), function)
#endif

/* Does @cfs_rq have a quota to charge? */
static inline bool is_metered(const struct cfs_rq *cfs_rq) { return PATH >= PATH_CALM && cfs_rq->runtime_enabled; }
/* Is it thrown off for want of runtime; or it, or one above it? */
static inline bool is_throttled(const struct cfs_rq *cfs_rq) { return PATH == PATH_FULL && cfs_rq->throttled; }
static inline bool throttled_hierarchy(const struct cfs_rq *cfs_rq) { return PATH == PATH_FULL && cfs_rq->throttle_count > 0; }

/*
 * The clock of @cfs_rq's averages: that of its CPU, but it stands still in a throttled hierarchy; where tasks are throttled one by one
 * (6.18) only once all have left.
 */
static inline u64 pelt_clock(const struct cfs_rq *cfs_rq)
{
	if (PATH != PATH_FULL)
		return cfs_rq->rq->clock;
	return (cfs_rq->pelt_stopped ? cfs_rq->pelt_since : cfs_rq->rq->clock) - cfs_rq->pelt_lost;
}

/* How long tasks of @cfs_rq have been kept from running by a limit here or above, up to now. */
static inline u64 hierarchy_throttled_time(const struct cfs_rq *cfs_rq)
{
	u64 time = PATH == PATH_FULL ? cfs_rq->hierarchy_throttled : 0;

	return throttled_hierarchy(cfs_rq) ? time + cfs_rq->rq->clock - cfs_rq->hierarchy_since : time;
}

#endif
