/* SPDX-License-Identifier: MIT */
/*
 * smp.h - many CPUs: the structures that placement and balancing share; private to core/.
 *
 *	rq[cpu].sd ---> lowest domain ---parent---> ... ---parent---> the highest that spans the root domain
 *	                   |-- span, groups in a ring that begins with its own
 *	                   '-- state of this CPU at this level: when it balanced last, how often in vain
 *
 *	domains*.c	build them from a topology
 *	select_*.c	where a task that wakes, is forked or executes shall run
 *	balance_*.c	when and what is moved between CPUs
 *	stop.c		the stopper: the class above all, which moves what runs
 *
 * Facts: docs/rules/smp.md and smp-checked.md.  Names are the kernel's.
 */
#ifndef CORE_SMP_H
#define CORE_SMP_H

#include "base/bits.h"
#include "base/list.h"
#include "base/types.h"
#include "core/topology.h"

struct lab;

enum sd_kind { SD_KIND_SMT, SD_KIND_CLUSTER, SD_KIND_MC, SD_KIND_PKG, SD_KIND_NODE, SD_KIND_NUMA };

#define SD_BALANCE_NEWIDLE 1u
#define SD_BALANCE_EXEC 2u
#define SD_BALANCE_FORK 4u
#define SD_WAKE_AFFINE 8u
#define SD_SHARE_CPUCAPACITY 16u /* threads of one core */
#define SD_SHARE_LLC 32u	 /* inside a last level cache */
#define SD_PREFER_SIBLING 64u
#define SD_SERIALIZE 128u	 /* one CPU of the machine balances such a level at a time */
#define SD_NUMA 256u

/* One group of a domain; shared by all CPUs that see the same one. */
struct sched_group {
	u64 *span;
	u64 *balance_mask; /* CPUs that may balance for it: all, except for overlapping NUMA groups */
	int weight;	   /* CPUs in span */
	int cores;	   /* cores in span */
	int first_cpu;	   /* lowest of balance_mask */
	u64 words;	   /* of span that have members (for_each_word) */
	unsigned flags;	   /* of the child domain that it is the span of; 0 where it is one CPU */
	bool imbalance;	   /* affinity kept a balancer below from evening out; the one above shall */
	u64 capacity;	   /* of its CPUs, as of the last look; at first the sum of capacity_orig */
};

/* Shared by all CPUs of one LLC. */
struct sched_domain_shared {
	int nr_busy_cpus;    /* those that have not gone tickless; at first all */
	bool has_idle_cores; /* a hint that may be stale; at first false */
	int nr_idle_scan;    /* rule sis_util; at first 0 */
};

/* A level as one CPU has it. */
struct sched_domain {
	struct sched_domain *parent, *child;
	enum sd_kind kind;
	unsigned flags;
	u64 *span;	 /* shared with others that have the same; never to be written */
	int span_weight; /* CPUs in span */
	int first_cpu;	 /* lowest of span */
	u64 words;	 /* of span that have members (for_each_word) */
	struct sched_group **groups; /* groups[0] is this CPU's own, the others follow as in a ring of ascending CPUs */
	int nr_groups;
	struct sched_domain_shared *shared; /* of the LLC; NULL above and below the highest SHARE_LLC level */

	u64 min_interval, max_interval; /* ms */
	u32 busy_factor;
	u32 imbalance_pct;
	u32 cache_nice_tries;
	u32 imb_numa_nr; /* running tasks that may stay on one node (5.18): set above the LLC, 0 elsewhere */

	/* state */
	u64 last_balance; /* jiffies */
	u64 balance_interval; /* ms */
	u32 nr_balance_failed;
	u64 max_newidle_lb_cost, last_decay_max_lb_cost; /* ns; jiffies */
	u32 newidle_call, newidle_success, newidle_ratio; /* the dice */
	u64 newidle_stamp;
	u64 idle_interval, interval_of; /* jiffies between looks of an idle CPU; the balance_interval for which it was computed */
	bool nohz_idle; /* of the LLC's level: this CPU is not among shared->nr_busy_cpus */
	u64 avg_scan_cost; /* ns, rule SIS_PROP */
};

/* A CPU's part; struct rq has it as rq->smp.  The first half is made anew whenever a CPU goes or comes. */
struct rq_smp {
	struct sched_domain *sd;     /* lowest level; NULL: alone, offline, or isolated */
	struct sched_domain *sd_llc; /* highest level inside the LLC; NULL: none */
	int llc_size;		     /* CPUs in sd_llc; 1 where there is none */
	int llc_id;		     /* lowest CPU of sd_llc; the CPU itself where there is none */
	int cluster_id;		     /* lowest CPU of its cluster level, llc_id where there is none */
	const u64 *smt;		     /* online threads of its core, itself included (cpu_smt_mask) */
	int core_id;		     /* lowest of smt */
	u64 smt_words;		     /* of smt that have members */
	int node;		     /* as the topology says, online or not */
	u64 capacity_orig;	     /* what it can do when nothing takes from it: 1024, see smt_capacity in domains.c */

	u64 capacity;		     /* less what other classes and interrupts take; at first capacity_orig */
	u64 next_balance;	     /* jiffies; at first now */
	u64 avg_idle, idle_stamp;    /* ns; clock when it went idle, 0: busy */
	u64 max_idle_balance_cost;   /* ns; at first sched_migration_cost, and avg_idle twice that */
	bool nohz_tick_stopped;
	bool ttwu_pending; /* wakees are on their way here */
	struct list_head cfs_tasks; /* task_struct.group_node: most recently queued or picked first */

	/* its tick, and being idle: balance_when.c, nohz.c */
	bool idle_at_tick, balance_raised; /* as its last tick found it; that tick raised a softirq, which has not run yet */
	bool nohz_kicked;		   /* asked to balance for all, not done yet */
	u32 idle_ticks;			   /* since it went idle */
	/* while it is idle, jiffies: when a level above the lowest is due, and until when nothing above the lowest has to be looked at; 0: not known */
	u64 upper_due, quiet_until, lowest_interval;
	u64 costs_due; /* jiffies: up to here no level's newidle cost is old enough to be forgotten */

	/* its stopper (stop.c), NULL before it is first needed; what it is asked for, in order */
	struct task_struct *stopper;
	struct list_head stop_works; /* balance_work, and task_struct.stop_work */
	struct list_head balance_work;
	bool active_balance; /* asked to push what runs to push_cpu */
	int push_cpu;
};

/* Memory for domains: what a rebuild gave up, the next one uses again. */
struct domain_block {
	struct domain_block *next;
	size_t size; /* bytes that follow */
};

/* The machine's part; struct lab has it as lab->smp. */
struct lab_smp {
	const struct topology *topology; /* the lab's, or flat */
	struct topology flat;		 /* one LLC, no SMT, one node */
	u64 **one;			 /* [cpu]: the set of that CPU alone */
	u64 *online;			 /* CPUs that are there */
	struct {
		struct cpu_place place;
		u64 set, *one;
	} alone; /* all of it on a machine of one CPU, which takes no memory for others */
	int nr_balanced;		 /* those of them that are in the root domain: not isolated */
	bool has_smt, has_clusters;	 /* a core with two threads online; a level for clusters */
	struct domain_block *blocks, *block; /* all, and the one in use */
	size_t block_used;

	/* balancing */
	u32 nr_crowded;	 /* CPUs with two tasks or more that may run */
	bool overloaded; /* there is such a CPU, or was when the highest level was last looked at */
	u64 *lb_cpus;	 /* of the attempt under way: CPUs still considered */
	u64 serial_until; /* ktime at which a level that only one CPU may balance is free again */
	int softirq_cpu; /* whose softirq runs */
	u32 visited;	 /* CPUs it has looked at and not paid for */
	u64 *stained;	 /* CPUs that may have a task, a wakee on its way or load left; the others are blank (is_blank) */
	bool told_above; /* some group's imbalance was set since the domains were built */
	/* CPUs without ticks (nohz.c) */
	u64 *nohz_mask;
	int nr_nohz;
	u64 nohz_next; /* jiffies: when the first of them wants to be balanced */
};

/* ---- domains.c ---- */
/*
 * The lists of domains of every CPU, from the topology and from who is online; as partition_sched_domains() of a kernel does, this
 * forgets all state they had.  False where memory is out: then no CPU has any domain.
 */
bool build_domains(struct lab *lab);
/* May be called once for @lab, before the first build_domains().  False: not a topology, or not of that many CPUs; or no memory. */
bool init_domains(struct lab *lab);

/* ---- domains_params.c ---- */
const char *domain_name(enum sd_kind kind); /* SMT, CLS, MC, PKG, NODE, NUMA; static */

#endif
