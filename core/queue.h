/* SPDX-License-Identifier: MIT */
/*
 * queue.h - where they wait: the fair queues, and the CPU that has them; private to core/.
 *
 *	rq[cpu] -- cfs, the root queue of the CPU
 *	 |          |-- curr ------ runs, and is not in the tree
 *	 |          '-- timeline -- a tree of sched_entity, of which some have a cfs_rq of their own (my_q), and so on down
 *	 |-- rt --- tasks above fair (rt.c)
 *	 '-- idle - runs when nobody else wants to
 *
 * All fields exist under every row: record always, judge conditionally.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "base/list.h"
#include "base/rbtree.h"
#include "base/types.h"
#include "core/entity.h"
#include "core/smp.h"

struct lab;
struct path;
struct rq;
struct task_group;

/* Averages of tasks that left for another CPU, to be taken away at the next update. */
struct removed {
	u64 load_avg, runnable_avg, util_avg;
	u32 nr;
};

/* Weight over time in windows (row 3.2); see shares.c. */
struct load_window {
	u64 stamp, last; /* of the last update, and of the last with a weight */
	u64 period, sum; /* ns, and weight times ns in them */
};

struct cfs_rq {
	struct load_weight load; /* sum over queued entities, the current one included */
	u32 nr_running;		 /* queued entities */
	u32 h_nr_running;	 /* queued tasks, here and below */
	u32 h_nr_idle;		 /* those of them that are SCHED_IDLE or in an idle group */
	u64 min_vruntime;
	struct rb_tree timeline; /* all queued entities but curr */
	struct sched_entity *curr, *next, *last, *skip;
	s64 avg_load, avg_vruntime; /* EEVDF: sums over the tree of weight, and of weight * (v - min_vruntime) */

	struct rq *rq;
	struct task_group *tg;
	u64 exec_clock; /* ns charged to tasks of this very queue */

	/* how much load this queue is, and what it has told its group */
	struct sched_avg avg;
	struct removed removed;
	bool splits_load; /* a root queue under rule cpu_load=runnable: the part of avg's load that is queued, by itself */
	u64 runnable_load_sum, runnable_load_avg;
	bool propagate; /* something joined or left; the group's entity does not know yet */
	s64 propagate_load_sum;
	u64 tg_load_avg_contrib;
	u64 tg_load_written; /* when */
	struct load_window window;
	struct list_head blocked_list; /* in lab.blocked: nothing queued, but load left */

	/* bandwidth: this CPU's share of the pool */
	bool runtime_enabled;
	s64 runtime_remaining; /* below 0: debt, repaid before it runs again */
	u64 runtime_expires;
	u32 expires_seq;
	bool throttled;
	u32 throttle_count;	       /* throttled queues from here up */
	u64 throttled_clock;	       /* since when, while throttled and counted; 0 = not counted */
	u32 throttled_groups;	       /* how many groups there were when it was throttled */
	struct list_head throttled_list; /* in cfs_bandwidth.throttled_cfs_rq */
	struct list_head limbo;		 /* parked tasks of this very queue, last parked first */
	struct list_head csd_list;       /* in rq.unthrottle_list: waits for the interrupt (6.3) */
	bool csd_pending;
	u64 charged, charged_asked;	 /* ns, ever; when lab_group_charged_cpus() last asked */

	/* rule gather: when the last task was taken away to another CPU; the stopper has been asked to take all away */
	u64 left_at;
	bool leaving;
	/* adaptive: it is one CPU too many until the next refill; what was charged at the last one */
	bool dropped;
	u64 charged_before;

	/* how long tasks here could not run because of a limit here or above */
	u64 hierarchy_throttled; /* sum */
	u64 hierarchy_since;
	bool pelt_stopped; /* pelt_clock() stands still */
	u64 pelt_since, pelt_lost; /* since when, and for how long altogether before */
	u64 throttled_local, throttled_local_since; /* cpu.stat.local: the same, with tasks queued */
	bool throttled_local_on;
};

struct rq {
	struct lab *lab;
	int cpu;
	bool online;
	u64 clock;
	u32 nr_running; /* tasks that may run: those below a throttled queue are not counted */
	u32 nr_tasks;	/* tasks whose CPU this is, asleep ones included */
	struct cfs_rq cfs;
	struct {
		struct rb_tree queue; /* of tasks above fair, the running one included; the first runs */
		u32 nr;
		bool running; /* one of rt or deadline runs; since when, and what the average was then (of 1024, << 20) */
		u64 since, util;
	} rt;
	struct task_struct *curr, idle;
	bool need_resched, need_resched_lazy;
	bool hrtick_armed;
	struct list_head unthrottle_list;
	struct list_head wake_list; /* wakees that others sent here, in order; smp.ttwu_pending says whether there are */
	u32 nr_delayed;		    /* tasks among nr_running that are asleep, delayed */
	int affinity_pick;	    /* the last CPU that an lab_affinity() called here chose, rule affinity_pick */

	/* which copy of the switch path it uses; see path.h */
	const struct path *path;
	u32 nr_limited; /* queues of groups under_limit with somebody on them */
	bool throttles; /* something here has been throttled */

	/* ticks left out because they could decide nothing; see ticks.c */
	u64 tick_done; /* the last tick whose charge is done */
	u64 tick_due;  /* the first that must be called; 0: not known */
	bool short_turns; /* the last turn was over at its first tick: so will the next be, most often */

	struct rq_smp smp;
};

#endif
