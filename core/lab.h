/* SPDX-License-Identifier: MIT */
/*
 * lab.h - the seam, inward: one scheduler instance and the verbs that drive it.
 *
 * A lab holds the run-queues of 1 to 1,024 CPUs and the task groups above them, under the rules of one kernel row.
 * Several labs live in one process.  A lab does nothing by itself: the owner of time (sim/, rt/, a unit test) calls a
 * verb when something happens, and the lab answers through platform.h.  All verbs of one lab must be serialised.
 *
 * Life order: lab_create - lab_group_create, lab_write - lab_fork, lab_wake_new - lab_tick, lab_timer, lab_wake,
 * lab_block, lab_schedule, ... - lab_exit - lab_destroy.
 *
 * Errors are negative errno values.  Times are ns.
 */
#ifndef CORE_LAB_H
#define CORE_LAB_H

#include "base/types.h"
#include "core/event.h"
#include "core/model.h"
#include "core/platform.h"
#include "core/topology.h"

struct lab;
struct task_group;
struct task_struct;

#define LAB_MAX_CPUS 1024

struct lab_config {
	int nr_cpus;		/* 1..LAB_MAX_CPUS */
	const struct topology *topology; /* of just as many CPUs; must outlive the lab.  NULL: one LLC, no SMT, one node */
	u32 hz;			/* 100, 250, 300, 1000: tick period is 1e9 / hz, truncated */
	int cgroup;		/* 1 or 2: whose files, names and validation hold */
	enum preempt_model preempt; /* usually the row's: model.rule[RULE_PREEMPT] */
	u64 epoch;		/* the clock value that is a multiple of every period (grid phase 0) */
	u64 tick_base;		/* the clock value of some tick boundary */
	bool check_laws;	/* walk every law after every verb (slow; tests) */
	bool no_skip;		/* lab_tick_due() always answers "the next one" */
	bool tick_always;	/* idle CPUs keep their ticks, too (nohz off) */
	bool full_path;		/* every CPU goes the path that knows limits, whether there are any or not: slower, the same bits */
};

/* 0 bytes of the lab's own memory are global: everything comes from @pf->alloc.  NULL when that failed, or @cfg is nonsense. */
struct lab *lab_create(const struct lab_config *cfg, const struct kernel_model *model, const struct platform *pf);

/* The lab as a whole has nothing to free (memory is the owner's); this checks that nothing dangles. */
void lab_destroy(struct lab *lab);

/* ---- groups ---- */

struct task_group *lab_root(struct lab *lab); /* the group that is always there, with id 0 */

/* A new unlimited group under @parent.  NULL when memory is out.  Ids count from 1 in order of creation. */
struct task_group *lab_group_create(struct lab *lab, struct task_group *parent);
u32 lab_group_id(const struct task_group *tg);

/* What is written to a group.  Values in the unit of the file, but times in ns. */
enum knob {
	KNOB_MAX,    /* v2 cpu.max: value = quota, value2 = period (0: leave) */
	KNOB_QUOTA,  /* v1 cpu.cfs_quota_us: value = quota */
	KNOB_PERIOD, /* v1 cpu.cfs_period_us: value = period */
	KNOB_BURST,  /* cpu.max.burst, cpu.cfs_burst_us: value = burst */
	KNOB_SHARES, /* v1 cpu.shares */
	KNOB_WEIGHT, /* v2 cpu.weight, 1..10000 */
	KNOB_WEIGHT_NICE, /* v2 cpu.weight.nice, value = (u64)(s64)nice */
	KNOB_IDLE    /* cpu.idle, 0 or 1 */
};
#define RUNTIME_INF UINT64_MAX /* "max", -1 */

/*
 * Write @knob of @tg with all the kernel's effects, as seen from @cpu.  Returns 0 or the kernel's errno; then *@why (if not NULL)
 * points at a static sentence that names the rule that refused.
 */
int lab_write(struct lab *lab, int cpu, struct task_group *tg, enum knob knob, u64 value, u64 value2, const char **why);

/* Put @tg's periods on the grid through epoch + @phase; without it the rules choose when the period timer first starts. */
void lab_set_phase(struct lab *lab, struct task_group *tg, u64 phase);

/* cpu.stat, cpu.stat.local and the ledger of one group, as of the last charge; nothing is charged by reading. */
struct bw_ledger {		  /* all ns; granted + created == pool + held + charged + lost */
	u64 granted;		  /* put into the pool by refills */
	s64 created;		  /* minted by the kernel: forgiven debt, gifts, a pool spent twice */
	u64 pool;
	s64 held;		  /* sum of runtime_remaining over CPUs; debt is below 0 */
	u64 charged;
	u64 lost;		  /* refilled over, expired, slack destroyed, taken by a write */
};
struct group_stat {
	u64 quota, period, burst; /* ns; quota RUNTIME_INF = none */
	u64 shares;		  /* unscaled, nice 0 = 1024 */
	u64 weight;		  /* as cpu.weight and cpu.weight.nice read */
	int weight_nice;
	u64 usage;		  /* ns of the tasks in it and below */
	u64 nr_periods, nr_throttled, throttled_time;
	u64 nr_bursts, burst_time;
	u64 nr_short;		  /* requests of queues that the pool could not meet in full, from the start; no kernel counts them */
	u64 throttled_local;	  /* cpu.stat.local */
	int throttled_cpus;	  /* queues throttled right now */
	struct bw_ledger ledger;
};
/* As above, into *@st. */
void lab_group_stat(struct lab *lab, const struct task_group *tg, struct group_stat *st);

/* Queues of @tg that were charged since this was last asked. */
u32 lab_group_charged_cpus(struct lab *lab, struct task_group *tg);
/* The two sides of ledger.held: runtime that CPUs keep, and what they owe (both >= 0). */
void lab_group_held(struct lab *lab, const struct task_group *tg, s64 *kept, s64 *owed);
/* ns for which queues of @tg that are throttled right now have been so: throttled_time has it only once they are released. */
u64 lab_group_stopped(struct lab *lab, const struct task_group *tg);

/* ---- tasks ---- */

/* A host's <sched.h>, included before, has the same names as macros, with the same values. */
#undef SCHED_FIFO
#undef SCHED_RR
#undef SCHED_BATCH
#undef SCHED_IDLE
#undef SCHED_DEADLINE
enum sched_policy { SCHED_NORMAL, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE = 5, SCHED_DEADLINE, SCHED_STOP };

struct task_spec {
	struct task_group *tg;	/* NULL: the root group */
	enum sched_policy policy;
	int nice;		/* -20..19 */
	int rt_priority;	/* 1..99 with SCHED_FIFO and SCHED_RR, above fair; SCHED_DEADLINE is above them, SCHED_STOP above all */
	bool kthread;
	bool fresh;		/* without a parent: it has the load of one that was forked just now (fair.md 6.2), not of one that has slept for long */
	u64 slice;		/* as of lab_set_slice(); 0: the parent's, if it has one of its own */
	const u64 *cpus;	/* allowed CPUs, (nr_cpus + 63) / 64 words, or NULL for all; copied */
	void *owner;		/* handed back by lab_task_owner() */
};

/*
 * A new task, not yet runnable, on @cpu; @parent may be NULL (set up from outside), else it is charged and the child's place
 * derives from it (docs/rules/fair.md 3.4).  NULL when memory is out.
 */
struct task_struct *lab_fork(struct lab *lab, int cpu, struct task_struct *parent, const struct task_spec *spec);

/*
 * wake_up_new_task(): make the child runnable.  A task without a parent (set up from outside) starts where a long sleeper
 * would wake: no child's debt, so that workloads begin as threads that waited for the start, not as a chain of forks.
 */
void lab_wake_new(struct lab *lab, int cpu, struct task_struct *p);

enum wake_flags {
	WAKE_SYNC = 1,	     /* the waker is about to sleep */
	WAKE_TIMER = 2,	     /* by no task: a timer or a device; no rule asks it */
	WAKE_CURRENT_CPU = 4 /* if it may, it shall run where its waker does (6.6) */
};

/*
 * try_to_wake_up() called on @cpu by @waker (NULL: an interrupt).  Emits sched_waking, sched_wakeup; may kick.
 * Returns false where the task was not asleep (a wakeup that does nothing).
 */
bool lab_wake(struct lab *lab, int cpu, struct task_struct *p, struct task_struct *waker, unsigned flags);

/* The current task of @cpu goes to sleep at the next lab_schedule(), which must follow at once. */
void lab_block(struct lab *lab, int cpu);
/* The current task of @cpu exits at the next lab_schedule(), which must follow at once; its memory is reused. */
void lab_exit(struct lab *lab, int cpu);
/* The current task of @cpu calls execve(), and may begin the new program on another CPU; then, where lab_need_resched(), lab_schedule(). */
void lab_exec(struct lab *lab, int cpu);
/* The current task of @cpu has made @p by lab_fork(): a kernel thread bound to one CPU had to be waited for, which is told by an event. */
void lab_made_thread(struct lab *lab, int cpu, const struct task_struct *p);
/* The current task of @cpu calls wait4(), whether a child is ready or not: told by an event. */
void lab_awaits_child(struct lab *lab, int cpu);
void lab_yield(struct lab *lab, int cpu); /* then lab_schedule() */
/* yield_to(): the current task of @cpu gives way to @p; nothing happens where @p does not wait.  Then lab_schedule(). */
void lab_yield_to(struct lab *lab, int cpu, struct task_struct *p);

/*
 * cpuset.cpus of @tg, written on @cpu; @cpus as in task_spec, NULL: empty, which is what the parent has.  Its tasks, and those below, follow as
 * by lab_affinity().  0, or what a kernel says, by the cgroup version of the lab and rule cpuset_v2, with *@why (may be NULL; static): -EACCES, -EBUSY,
 * -ENOSPC; -ENOMEM.
 */
int lab_set_cpuset(struct lab *lab, int cpu, struct task_group *tg, const u64 *cpus, const char **why);
/* cpuset.cpus.effective of @tg into @cpus, which has room for the lab's CPUs; offline ones too. */
void lab_group_cpus(struct lab *lab, const struct task_group *tg, u64 *cpus);
/*
 * sched_setaffinity(), called on @cpu; @cpus as in task_spec, of which the cpuset leaves what it has.  0, or -EINVAL where no CPU is left.  A task whose CPU is among them stays; one
 * that waits is moved at once, one that runs at its CPU's next pass, a sleeper when it wakes.
 */
int lab_affinity(struct lab *lab, int cpu, struct task_struct *p, const u64 *cpus);
/* Move @p into @tg (a write to cgroup.procs). */
int lab_move(struct lab *lab, int cpu, struct task_struct *p, struct task_group *tg);
/* sched_setscheduler(); @nice: with SCHED_FIFO and SCHED_RR the priority, 1..99. */
int lab_set_nice(struct lab *lab, int cpu, struct task_struct *p, enum sched_policy policy, int nice);
/* sched_setattr(): @p asks for @slice ns at a time, kept within 0.1 to 100 ms; 0: the base slice.  Nothing before 6.12. */
int lab_set_slice(struct lab *lab, int cpu, struct task_struct *p, u64 slice);
/* A thread reads its own CPU clock: charges the leaf level first. */
u64 lab_read_runtime(struct lab *lab, struct task_struct *p);
/* A CPU goes or comes.  0; -EINVAL: it is the last one online; -ENOMEM: tasks stayed, as no queue could be made elsewhere. */
int lab_hotplug(struct lab *lab, int cpu, bool online);
bool lab_cpu_online(const struct lab *lab, int cpu);

u32 lab_task_id(const struct task_struct *p); /* 0 for the idle task of every CPU */
void *lab_task_owner(const struct task_struct *p);
int lab_task_cpu(const struct task_struct *p);
bool lab_task_is_idle(const struct task_struct *p);
bool lab_task_is_stopper(const struct task_struct *p); /* migration/N: made when it is first needed; it has no owner */
struct task_group *lab_task_group(const struct task_struct *p);
bool lab_task_cut_off(const struct task_struct *p); /* is its group off the CPU as a whole, by a limit at any level? */

struct task_stat {
	u64 runtime;		/* sum_exec_runtime as of the last charge */
	u64 wait_throttled;	/* runnable, not running, while its hierarchy was throttled */
	u64 wait_contended;	/* runnable, not running, otherwise */
	u64 longest_pause;	/* runnable, not running, in one piece */
	u64 nvcsw, nivcsw, migrations;
};
/* As of the last charge; nothing is charged by reading. */
void lab_task_stat(struct lab *lab, const struct task_struct *p, struct task_stat *st);

/* ---- time ---- */

/*
 * The tick of @cpu.  Ticks before it that could decide nothing may have been left out: they are charged now, in one
 * go, with the result the plain way would have had.
 */
void lab_tick(struct lab *lab, int cpu);

/*
 * The first tick of @cpu that can decide anything, as ns; any tick before it need not be called.  NEVER: @cpu is idle, and has no ticks
 * until a task runs there.  An idle CPU has one more tick before that, where tasks may move at all.
 */
u64 lab_tick_due(struct lab *lab, int cpu);
/*
 * A lower bound of lab_tick_due() over all CPUs: what the last lab_ticks_done() said, or 0 (the next tick) where a CPU was
 * touched since.
 */
u64 lab_tick_horizon(const struct lab *lab);

/*
 * From now on the ticks of one moment come in the order of CPUs from @first on, and those before it follow; @first is 0 if nothing is said.  What
 * one CPU's tick sees of another depends on which of the two came first.
 */
void lab_ticks_from(struct lab *lab, int first);

/*
 * All ticks up to @now inclusive count as having happened; those that were due must have been called.  To be said before
 * any other verb that happens after them.  @horizon: the least lab_tick_due() from here on, or 0 to leave it.
 */
void lab_ticks_done(struct lab *lab, u64 now, u64 horizon);

/* A timer that platform.h armed is due on @cpu: @kind, of the pool of @tg (NULL for TIMER_HRTICK). */
void lab_timer(struct lab *lab, int cpu, enum timer_kind kind, struct task_group *tg);
void lab_ipi(struct lab *lab, int cpu);	    /* KICK_UNTHROTTLE, KICK_WAKE_LIST arrived */
void lab_softirq(struct lab *lab, int cpu); /* KICK_SOFTIRQ, KICK_NOHZ_BALANCE arrived */
/* The current task of @cpu, a stopper (lab_task_is_stopper), does what it was woken for and sleeps; then lab_schedule() at once. */
void lab_stopper(struct lab *lab, int cpu);
void lab_user_return(struct lab *lab, int cpu); /* current goes back to user mode; may ask for a reschedule */
bool lab_user_work(const struct lab *lab, int cpu); /* is there anything to do when it does? */

/* One schedule pass on @cpu.  Returns the task that runs from now on (the idle task too). */
struct task_struct *lab_schedule(struct lab *lab, int cpu);
bool lab_need_resched(const struct lab *lab, int cpu); /* now, or (lazily) at the next return to user mode */
bool lab_resched_now(const struct lab *lab, int cpu);  /* now, in the kernel as well */
struct task_struct *lab_curr(const struct lab *lab, int cpu);

/* Bring every CPU up to the ticks before @now: called before reading statistics at @now. */
void lab_catch_up(struct lab *lab);

/* 0 where every law holds now, else the bug callback has been called with the law. */
int lab_check(struct lab *lab);

#endif
