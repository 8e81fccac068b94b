/* SPDX-License-Identifier: MIT */
/*
 * group.h - groups of tasks, with the pool of each: the structures, and what group.c does; private to core/.
 *
 *	task_group (a tree) -- page[cpu / 32][cpu % 32] -> pair = { cfs_rq, sched_entity }, made at the first enqueue there
 *	                    '- cfs_bandwidth: the pool, from which the queues of its pairs draw (bandwidth.h)
 *
 * The root group has no pairs: its queues are the CPUs' own, rq->cfs.
 */
#ifndef CORE_GROUP_H
#define CORE_GROUP_H

#include "base/list.h"
#include "base/types.h"
#include "core/entity.h"
#include "core/queue.h"

struct lab;

struct cfs_bandwidth {
	u64 period, quota, burst;
	u64 runtime;	  /* the pool */
	u64 runtime_snap; /* what it held after the last refill */
	s64 hierarchical_quota; /* the recorded ratio, 20 bit fixed point; RUNTIME_INF: none */
	u64 runtime_expires;
	u32 expires_seq;
	bool idle, period_active, slack_started;
	bool phase_set; /* the grid of its periods is chosen */
	u64 period_expires; /* of the period timer, now or when it last stood */
	u64 slack_expires;
	struct list_head throttled_cfs_rq;

	u64 nr_periods, nr_throttled, throttled_time;
	u64 nr_bursts, burst_time;
	u64 nr_short; /* requests that the pool could not meet in full: while it is 0, a larger quota changes nothing */

	/* the ledger, see struct bw_ledger; what is charged stands with the queues */
	u64 granted, lost;
	s64 created;

	/* a distribution under way: a cursor, because it takes time */
	struct walk {
		bool running;
		bool slack;		  /* the slack timer's, not the period timer's */
		int cpu;		  /* whose time it takes */
		struct list_head *cursor; /* next queue to visit */
		u64 remaining;		  /* hidden, shared: what is left of what was taken or seen */
		u64 taken;		  /* hidden: out of sight; shared: handed out, not yet subtracted */
		u64 expires;		  /* the deadline when it began */
		int loops;		  /* of one period timer callback */
		struct cfs_rq *local;	  /* the timer CPU's own queue, unthrottled last (6.3) */
	} walk;
};

/* One group on one CPU. */
struct group_pair {
	struct cfs_rq cfs_rq;
	struct sched_entity se;
};

#define PAIRS_PER_PAGE 32

struct task_group {
	struct lab *lab;
	u32 id;
	struct task_group *parent;
	struct list_head children, siblings;
	bool under_limit; /* it or a group above is limited, or once was */
	u64 shares; /* stored form */
	bool idle;
	struct cfs_bandwidth cfs_bandwidth;
	u64 load_avg;	 /* sum of its queues' tg_load_avg_contrib */
	u32 nr_contribs; /* those that are not 0 */
	struct cfs_rq *sole; /* whose it is, where there is one only */
	struct group_pair ***page; /* [cpu / 32][cpu % 32], NULL until used */
	u32 nr_pairs;
	struct task_group *next; /* in order of creation */
	u64 *cpuset; /* cpuset.cpus; NULL before the first write.  Where not has_cpuset it is empty: cpuset.c */
	bool has_cpuset;

	/* rule gather, of a limited group */
	struct {
		/* adaptive: on how many CPUs, 0: any; periods in a row that were throttled, and that were not; ktime of the last refill */
		int width;
		u32 throttled, clean;
		u64 seen;
		bool waited; /* somebody waited for long since then, and not for the quota */
		/* home: its CPUs, NULL where the rule has none; how many, 0 before they are needed; ktime when they were last thought over */
		u64 *home;
		int nr_home;
		u64 homed_at;
	} gather;
};

/* ---- what group.c does ---- */
#define RATIO_SHIFT 20
s64 quota_ratio(u64 period, u64 quota); /* quota / period, 20 bit fixed point; RUNTIME_INF where unlimited */
/* May @target have this limit (ns), by the limits of its parents and children?  0 or -EINVAL; @commit: note the ratios that follow. */
int check_hierarchy(struct lab *lab, struct task_group *target, u64 period, u64 quota, bool commit);
struct group_pair *group_pair(const struct task_group *tg, int cpu); /* NULL: none there yet */
struct group_pair *group_pair_make(struct lab *lab, struct task_group *tg, int cpu); /* with its ancestors; NULL: no memory */
/* The queue of @tg on @cpu (the CPU's root queue for the root group); NULL where there is none yet. */
struct cfs_rq *group_cfs_rq(struct lab *lab, const struct task_group *tg, int cpu);
void init_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq, struct rq *rq, struct task_group *tg); /* empty; *@cfs_rq is all zero */
bool attach_entity(struct lab *lab, struct task_struct *p, int cpu); /* point p->se at its group's queue there; false: no memory */
struct task_group *next_group(const struct task_group *tg, const struct task_group *top); /* preorder; NULL: done */
#define for_each_group_below(pos, top) for (pos = (top); pos; pos = next_group(pos, top))
/* The other way round: children before their parents, and the youngest first, as kernels list them. */
struct task_group *last_group(const struct task_group *top);
struct task_group *prev_group(const struct task_group *tg, const struct task_group *top);
#define for_each_group_up_to(pos, top) for (pos = last_group(top); pos; pos = prev_group(pos, top))
/* All pairs of a group, in order of CPUs. */
#define for_each_pair(lab, tg, cpu, pair)                                                                      \
	for (cpu = 0; cpu < (lab)->cfg.nr_cpus; cpu++)                                                         \
		if (((pair) = group_pair(tg, cpu)))

#endif
