/* SPDX-License-Identifier: MIT */
/*
 * view.h - the inside of a lab, to look at: for snapshots and for debugging.
 *
 * Members have the names of the kernel's own fields.  Looking changes nothing: no clock is read, nothing is charged.
 * Times are ns of the lab's clocks.
 */
#ifndef CORE_VIEW_H
#define CORE_VIEW_H

#include "core/lab.h"

struct cfs_bandwidth_view {
	u64 period, quota, burst; /* quota RUNTIME_INF: none */
	u64 runtime;		  /* the pool */
	s64 hierarchical_quota;	  /* recorded ratio, 20 bits behind the point; (s64)RUNTIME_INF: none */
	u64 runtime_expires;
	u32 expires_seq;
	bool idle, period_active, slack_started, distribute_running;
	u64 period_expires, slack_expires; /* of the two timers, now or when they last stood */
	u32 nr_throttled_cfs_rq;	   /* queues on throttled_cfs_rq */
	u64 nr_periods, nr_throttled, throttled_time, nr_bursts, burst_time;
};
/* The pool of @tg; of the root group: that of no limit. */
void lab_view_bandwidth(struct lab *lab, const struct task_group *tg, struct cfs_bandwidth_view *v);

struct cfs_rq_view {
	u32 nr_running, h_nr_running;
	u64 load_weight; /* of what is queued, unscaled */
	u64 tg_se_weight; /* of the group's own entity here, unscaled; 0 for the root group */
	u64 min_vruntime, exec_clock;
	u64 load_avg, runnable_avg, util_avg; /* as of the last update */
	u64 tg_load_avg_contrib, tg_load_avg; /* what it told its group last; the sum of all CPUs */
	bool runtime_enabled, throttled;
	s64 runtime_remaining;
	u64 runtime_expires;
	u32 expires_seq, throttle_count;
	u64 throttled_clock;
};
/* The queue of @tg on @cpu; false where nothing of @tg was ever queued there, and so there is none. */
bool lab_view_cfs_rq(struct lab *lab, const struct task_group *tg, int cpu, struct cfs_rq_view *v);

struct sched_entity_view {
	bool curr;  /* the one that runs, or holds what runs */
	u32 task;   /* its id; 0: it stands for a group */
	u32 group;  /* the group's id, where task is 0 */
	u64 weight; /* unscaled */
	u64 vruntime, sum_exec_runtime;
};
/* What is queued on @tg's queue on @cpu: curr first, then in the order of the tree; at most @max; returns how many there are. */
u32 lab_view_queue(struct lab *lab, const struct task_group *tg, int cpu, struct sched_entity_view *out, u32 max);

/* What a CPU shares with others. */
struct cpu_view {
	const u64 *smt; /* threads of its core that are online, itself included; a set of the lab's CPUs */
	int core;	/* the lowest of them */
	int llc_first, llc_size; /* lowest and number of the CPUs of its last level cache */
	int node;
	u64 capacity;	/* when nothing takes from it; 1024 is a whole CPU */
};
/* Sets are the lab's and live as long as its domains do: until a CPU goes or comes. */
void lab_view_cpu(struct lab *lab, int cpu, struct cpu_view *v);

/* A scheduler domain: one level of @cpu's list, 0 the lowest. */
struct domain_view {
	const char *name; /* SMT, CLS, MC, PKG, NODE, NUMA */
	const u64 *span;
	int span_weight, nr_groups;
	bool newidle, exec, fork, wake_affine;	/* who looks for CPUs here */
	bool share_cpu, share_llc, prefer_sibling, serialize, numa;
	u32 busy_factor, imbalance_pct, cache_nice_tries, imb_numa_nr;
	u64 min_interval, max_interval;		/* ns, of an idle CPU's looks */
	u64 idle_every, busy_every;		/* ns, in whole ticks: as it is at first, found out of balance */
	u64 idle_longest, busy_longest;		/* ns: after looks that found balance */
};
bool lab_view_domain(struct lab *lab, int cpu, int level, struct domain_view *v); /* false above the highest */

/* Group @index of that level, 0 the CPU's own. */
struct domain_group_view {
	const u64 *span, *balance_mask; /* CPUs in it; those that may balance for it */
	int weight, cores;
	u64 capacity;
};
/* @level and @index must be there: lab_view_domain() says how many. */
void lab_view_domain_group(struct lab *lab, int cpu, int level, int index, struct domain_group_view *v);

#endif
