/* SPDX-License-Identifier: MIT */
/*
 * entity.h - who competes for a CPU: scheduling entities, and tasks; private to core/.
 *
 *	task_struct
 *	 '-- se: a sched_entity ----parent----> the entity of its group there ----parent----> ... ---> NULL below the root
 *	      |-- load, vruntime, deadline: the claim, on the queue se.cfs_rq
 *	      '-- avg: what it has used of late (pelt.c)
 *
 * An entity is a task's, or stands for a group on one CPU: then my_q is the queue of that group there (queue.h).  Virtual times are ns
 * stretched by 1024 / weight; everything else called a time is ns, on the clock of the entity's CPU.
 */
#ifndef CORE_ENTITY_H
#define CORE_ENTITY_H

#include "base/list.h"
#include "base/rbtree.h"
#include "base/types.h"
#include "core/lab.h"

struct cfs_rq;
struct task_group;

/* Before any moment that a clock shows: what a deadline is that was never set.  (In a kernel 0, the boot.) */
#define LONG_AGO(lab) ((lab)->cfg.epoch - ((u64)1 << 62))

struct load_weight {
	u64 weight;	/* stored form: unscaled << 10 where the row scales */
	u32 inv_weight; /* 2^32 / unscaled weight; 0: not computed */
};

/* Averages that halve in 32 ms; see pelt.c.  Sums are in units of 1024 ns, util and runnable ones << 10. */
struct sched_avg {
	u64 last_update_time; /* on the queue's pelt_clock(), whole units */
	u64 load_sum, runnable_sum, util_sum;
	u64 load_avg, runnable_avg, util_avg;
	u32 period_contrib; /* units of the current period that are accounted */
	u32 util_est; /* util_est.c.  A task's: util_avg as of its last sleep, or UTIL_AVG_UNCHANGED set; a CPU's root queue's: the sum */
};

struct sched_entity {
	/* for the pick */
	struct load_weight load;
	struct rb_node run_node;
	u64 vruntime;
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime; /* at the start of this turn */
	bool on_rq;

	/* EEVDF: the current request, and what is carried along while off the queue */
	u64 deadline;		/* virtual; relative while rel_deadline */
	u64 slice;		/* ns asked for at a time */
	s64 vlag;		/* virtual ns owed when it left, or when its delayed sleep began */
	u64 protect;		/* until when (virtual) or by which deadline its turn is protected */
	bool custom_slice;	/* slice is its own, not the base */
	bool rel_deadline;	/* deadline and protect are relative to vruntime: carried along */
	bool sched_delayed;	/* asleep, but still queued */
	u64 min_vruntime, min_slice, max_slice; /* of the subtree at run_node */

	/* place in the hierarchy */
	int depth;
	struct sched_entity *parent;
	struct cfs_rq *cfs_rq; /* on which it is (to be) queued */
	struct cfs_rq *my_q;   /* the queue it stands for; NULL: it is a task's */

	struct sched_avg avg;
	bool attached; /* its averages are part of cfs_rq's, asleep or not */
	u32 runnable;  /* a group's: tasks in my_q as of the last update */
};

enum task_state {
	TASK_NEW,
	TASK_RUNNING,
	TASK_INTERRUPTIBLE,
	TASK_WAKING, /* on its way to a queue: in rq.wake_list of the CPU it was sent to */
	TASK_DEAD
};

struct task_struct {
	struct sched_entity se;
	u32 id;
	enum task_state state;
	enum sched_policy policy;
	int nice;
	bool kthread;
	int cpu;
	bool leaves_cpu; /* runs, or is in a wake list, and is to go over to dest_cpu next */
	bool execs;	 /* it is on its way to another CPU because it began a new program */
	int dest_cpu;
	struct task_group *tg;
	u64 *cpus_allowed;
	int nr_cpus_allowed;
	u64 *user_cpus; /* what it asked for itself, where has_user_cpus: cpuset.c */
	bool has_user_cpus, cpuset_changes;
	struct list_head all; /* in lab.tasks */
	void *owner;
	bool from_outside; /* no parent: starts as a sleeper */
	bool moved;	   /* vruntime is relative to no queue's min_vruntime: to be made absolute at enqueue */

	u32 util_usual, util_ewma; /* what it counts for in its root queue's util_est, and an average behind that; util_est.c */

	u32 last_wakee; /* id */
	u64 wakee_flips, wakee_flips_halved; /* how often it woke another than before; when that was last halved */
	int recent_used_cpu; /* where it ran before its last CPU; see select_idle.c */
	struct list_head wake_entry; /* in rq.wake_list, while TASK_WAKING */

	struct list_head group_node; /* in its CPU's rq.smp.cfs_tasks, while queued and fair */
	struct list_head stop_work;  /* in rq.smp.stop_works of its CPU, which is to bring it to stop_cpu */
	int stop_cpu;

	u64 gather_waited, away_since; /* rule gather: wait_contended at its last pick; since when it runs outside its home, 0: it does not */
	u64 nvcsw, nivcsw, migrations;
	bool waiting; /* runnable, not running */
	u64 wait_start, wait_hierarchy;
	u64 wait_throttled, wait_contended, longest_pause;
	struct task_struct *free_next;

	bool above_fair; /* its policy is one of rt.c's: the fair class does not know it */
	struct {
		int prio;	/* 1..99, and above; see rt.c */
		u64 order;	/* of coming, among equals */
		u32 ticks_left; /* of its slice: SCHED_RR */
	} rt;

	bool throttle_work; /* to be parked at its next return to user mode (6.18) */
	bool parked;
	struct list_head limbo; /* in cfs_rq.limbo, while parked */
};

#endif
