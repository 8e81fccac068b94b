/* SPDX-License-Identifier: MIT */
/*
 * scenario.h - machine + kernel + groups + tasks, as plain data.
 *
 * The one description that input/ makes from files, trace/ makes from recordings, and sim/ and rt/ run.  Everything is
 * allocated from scenario.mem and dies with scenario_free().  docs/scenario.md is the language; this is its meaning.
 * Times are ns unless a name says else.
 */
#ifndef WORK_SCENARIO_H
#define WORK_SCENARIO_H

#include "base/arena.h"
#include "base/types.h"
#include "core/topology.h"
#include "work/program.h"

/* What the machine charges for its own work, ns.  Who pays is said behind each; docs/scenario.md has the sources. */
struct costs {
	u64 switch_;	/* the incoming task */
	u64 wakeup;	/* the woken task, as kernel time, before its first instruction */
	u64 wakeup_released; /* the same where a limit kept it from running until a release; NEVER: as wakeup */
	u64 timer_irq;	/* the interrupted task; nobody on an idle CPU */
	u64 tick;	/* the interrupted task; nobody on an idle CPU */
	u64 ipi;	/* delay, nobody */
	u64 idle_exit;	/* delay, nobody */
	u64 migrate;	/* the migrated task */
	u64 unthrottle;	/* time on the timer's CPU per released queue */
	u64 newidle;	/* per CPU that a balancing CPU looks at: its next task where it has just become idle, else what runs */
	u64 softirq;	/* from a tick to the balancing that it raises: delay, nobody */
	u64 stopper;	/* time on the CPU off which a stopper takes a running task */
	u64 scan;	/* the waker, per CPU that a wakeup looks at */
	u64 idle_poll;	/* so long an idle CPU polls: who wakes it then pays neither ipi nor idle_exit */
	u64 timer_slack;/* lateness of a task's timers */
};

/* When the CPUs of a machine tick, beside each other. */
enum tick_order {
	TICKS_ALIGNED,	/* at one instant, in the order of their numbers */
	TICKS_SKEWED,	/* each a little later than the one before, over the first half of a tick: what skew_tick=1 makes of a kernel */
	TICKS_SHUFFLED,	/* at one instant, in an order that is drawn anew each time */
};

/* As scenarios and results spell it. */
static inline const char *tick_order_name(enum tick_order order)
{
	static const char *const names[] = { "aligned", "skewed", "shuffled" };

	return names[order];
}

struct machine_spec {
	int cpus;
	u32 hz;
	int cgroup;		 /* 1, 2, or 0: 2 from 4.15 on, else 1 */
	enum tick_order ticks;
	bool nohz;
	int preempt;		 /* enum preempt_model of core/model.h; -1: the row's */
	const struct topology *topology; /* what its CPUs share, of just so many; NULL: flat, one last level cache and nothing else */
	const char *topology_text; /* the description or name it was given by, or NULL: lists, or flat */
	const s64 *clock_skew;	 /* ns per CPU, or NULL */
	struct costs costs;
	bool hrtick;
};

struct kernel_spec {
	const char *row;	/* "5.4"; NULL: the default row */
	const char **rules;	/* "bw_expiry=none" */
	u32 nr_rules;
	const char **tunables;	/* names */
	u64 *tunable_values;
	u32 nr_tunables;
};

/* Where in the user's file a thing was written, so that a later refusal can name it. */
struct place {
	const char *file;
	int line, column;
};

/* One write to a cgroup file, as text: parsed by the kernel's rules when its time comes. */
struct write_spec {
	const char *group, *file, *value; /* "/web", "cpu.max", "25000 100000" */
	const char *expect;		  /* errno name that is expected, or NULL */
	struct place at;
};

struct group_spec {
	const char *path;
	struct write_spec *writes; /* in file order, at t = 0 */
	u32 nr_writes;
	bool phase_random;
	bool phase_set;
	u64 phase;		   /* "period_phase" */
	bool declared;		   /* false: only named by a task */
};

enum at_kind { AT_WRITE, AT_MOVE, AT_ONLINE, AT_AFFINITY };
struct at_spec {
	enum at_kind kind;
	u64 t;
	struct write_spec write;
	u32 task;		   /* index of scenario.tasks */
	const char *group;	   /* AT_MOVE */
	int cpu;		   /* AT_ONLINE */
	bool online;
	const u64 *cpus;	   /* AT_AFFINITY */
	struct place at;
};

enum resource_kind { RES_TIMER, RES_COND, RES_MUTEX, RES_BARRIER, RES_SEM, RES_QUEUE, RES_FLAG, RES_ARRIVAL, RES_DEVICE, RES_SPAN };
struct resource_spec {
	enum resource_kind kind;
	const char *name;
	bool absolute;		/* RES_TIMER: one "absolute" use makes it so for all */
	bool unique;		/* RES_TIMER, RES_ARRIVAL: per thread */
	u32 users;		/* RES_BARRIER; RES_QUEUE: capacity, 0 = no bound; RES_SEM: count at the start */
	struct dist gap;	/* RES_ARRIVAL: between arrivals; RES_DEVICE: service time */
	const u64 *times;	/* RES_ARRIVAL: absolute times instead of gaps (from traces), or NULL */
	u32 nr_times;
	bool per_cpu;		/* RES_QUEUE: each CPU has its own */
	bool measured;		/* RES_QUEUE: how long its items waited is in the result */
	int depth;		/* RES_DEVICE: served at once; 0: all */
	u64 coalesce;		/* RES_DEVICE: an interrupt waits so long for more to be done; ns */
	u64 irq;		/* RES_DEVICE: ns of an interrupt on the CPU it hits; NEVER: as the machine's timer_irq */
	const s32 *irq_cpus;	/* RES_DEVICE: the CPUs that its queues interrupt, dealt to submitters in order; NULL: the submitter's */
	u32 nr_irq_cpus;
	u32 stray;		/* RES_DEVICE: so many in a million interrupts hit any CPU instead */
};

/* What a thread did before its start: at @at of the scenario, or once it can, it ran @ns, and that @times in all, sleeping @every in between. */
struct past_run {
	u64 at, ns, every;
	u32 times;
};

struct workload {
	const char *name;
	u32 instances;		/* 0: only by fork */
	const char *group;	/* "/web", or NULL: root */
	int policy, nice;	/* enum sched_policy; nice counts in the fair policies */
	int rt_priority;	/* 1..99 for FIFO and RR, else 0 */
	bool kthread;
	u64 slice;
	u64 delay;		/* start, after the scenario's start */
	const struct past_run *past; /* what it did before that, where that is known; NULL: as "history" says.  Of no instance's own. */
	u32 nr_past;
	const u64 *cpus;	/* allowed CPUs (bit words, as lab.h), or NULL */
	const s32 *cpus_each;	/* one CPU per instance, dealt in turn, or NULL */
	u32 nr_cpus_each;
	struct program program;
	bool joins;		/* loops between which it never waited give one latency: of a recording the length of a burst is known, not what it was made of */
	u64 iterations_per_ms;	/* what one ms of work is worth in the user's own unit, or 0 */
	struct place at;
};

struct scenario {
	struct arena mem;
	const char *name;
	const char *file;
	u64 seed;
	u64 duration;		/* ns; NEVER: until every task has exited */
	u64 start_phase;	/* ns: every task starts that much later */
	bool history;		/* each thread runs for a moment at -1 s */
	u64 measure_from, measure_to; /* 0 and NEVER: the whole run */
	const char *present;	/* a named presentation of the result ("runfibtest"), or NULL */

	struct machine_spec machine;
	struct kernel_spec kernel;
	struct group_spec *groups;
	u32 nr_groups;
	struct resource_spec *resources;
	u32 nr_resources;
	struct workload *tasks;
	u32 nr_tasks;
	struct at_spec *at;	/* in order of time, then of the file */
	u32 nr_at;

	u64 *all_cpus;		/* the mask of every CPU; a mask that means "all" points here.  NULL until it is needed */
};

/* Masks of CPUs have room for this many, so that the size of the machine can still change. */
#define SCENARIO_MOST_CPUS 1024

/* An empty scenario with every default in place: 1 CPU, 250 Hz, row 5.10, default costs, 10 s, seed 1. */
void scenario_init(struct scenario *sc);
void scenario_free(struct scenario *sc);

/* The documented defaults of struct costs, and all zeroes ("costs": "none"). */
struct costs costs_default(void);
struct costs costs_none(void);

#endif
