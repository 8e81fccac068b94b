/* SPDX-License-Identifier: MIT */
/*
 * platform.h - the seam, outward: everything the scheduler asks of the machine it runs on.
 *
 *	   core/  --- platform.h --->  the owner of time: sim/ (simulated), rt/ (real), a unit test
 *	   core/  <----- lab.h ------
 *
 * The scheduler never reads a clock, draws a number, arms a timer or interrupts a CPU by itself.  A callback must not
 * call back into lab.h: it takes note, and the owner of time acts when the verb has returned.
 */
#ifndef CORE_PLATFORM_H
#define CORE_PLATFORM_H

#include "base/types.h"
#include "core/event.h"

struct task_group;

/* Why a CPU is kicked. */
enum kick {
	KICK_RESCHED,	   /* its current task is asked to leave: call lab_schedule() there */
	KICK_RESCHED_LAZY, /* the same, when it next returns to user mode; no interrupt is sent to another CPU */
	KICK_USER_RETURN,  /* its current task has work to do before it is in user mode: call lab_user_return() when it gets there */
	KICK_UNTHROTTLE,   /* queues wait on its unthrottle list (6.3): call lab_ipi() there */
	KICK_WAKE_LIST,	   /* wakees wait on its remote wake list: call lab_ipi() there */
	KICK_SOFTIRQ,	   /* its tick, which is being called, raised one: call lab_softirq() there after all ticks of this moment */
	KICK_NOHZ_BALANCE  /* it shall balance for the idle CPUs: call lab_softirq() there */
};

/* What a CPU does as others see it. */
enum cpu_state { CPU_RUNNING, CPU_POLLING, CPU_DEEP };

/* Timers of a task group; each exists once per group. */
enum timer_kind {
	TIMER_PERIOD,	 /* cfs_bandwidth's period_timer */
	TIMER_SLACK,	 /* cfs_bandwidth's slack_timer */
	TIMER_HRTICK,	 /* of a CPU, no group: the end of the current request */
	TIMER_DISTRIBUTE /* not a kernel timer: the rest of a walk over throttled queues, after the time it spent */
};

/* Named streams of chance; one draw more in one stream does not move the others. */
enum lab_stream { STREAM_BW_PHASE, STREAM_TIES, STREAM_BALANCE, NR_LAB_STREAMS };

/* Work of the scheduler itself that takes time on a CPU. */
enum cost_kind { COST_UNTHROTTLE, COST_NEWIDLE, COST_MIGRATE, COST_SCAN };

/*
 * The machine, as the scheduler sees it.  @ctx comes first in each call.  All members must be set.
 *
 * ktime	ns on CLOCK_MONOTONIC: one for all CPUs, what timers are armed by.
 * cpu_clock	ns on @cpu's clock (sched_clock).  May differ between CPUs by a skew, must not run backwards on one.
 * timer_arm	call lab_timer(@kind, @tg) at @when, on @cpu.  Replaces an earlier arming.
 * timer_cancel	forget it.  Harmless when not armed.
 * hrtick_arm	call lab_timer(TIMER_HRTICK, no group) at @when on @cpu.  Replaces an earlier arming there.  NEVER: forget it.
 * kick		interrupt @cpu; see enum kick.  May be the calling CPU.
 * cpu_state	for wakeup placement and for who needs an interrupt.
 * random	64 fresh bits from @stream.
 * spend	@n units of @kind are done on @cpu; returns how many ns to wait before going on (0: at once).  COST_SCAN is not waited for:
 *		returns what it takes.
 * emit		an event happened.  @ev lives only for the call.
 * bug		a law is broken; must not return.
 * alloc	zeroed memory for the life of the lab, or NULL.  Called only at lab_create, fork, group creation,
 *		first enqueue of a group on a CPU, the first write of its cpuset, and when a CPU goes or comes.
 */
struct platform {
	void *ctx;
	u64 (*ktime)(void *ctx);
	u64 (*cpu_clock)(void *ctx, int cpu);
	void (*timer_arm)(void *ctx, enum timer_kind kind, struct task_group *tg, int cpu, u64 when);
	void (*timer_cancel)(void *ctx, enum timer_kind kind, struct task_group *tg);
	void (*hrtick_arm)(void *ctx, int cpu, u64 when);
	void (*kick)(void *ctx, int cpu, enum kick why);
	enum cpu_state (*cpu_state)(void *ctx, int cpu);
	u64 (*random)(void *ctx, enum lab_stream stream);
	u64 (*spend)(void *ctx, int cpu, enum cost_kind kind, u32 n);
	void (*emit)(void *ctx, const struct event *ev);
	void (*bug)(void *ctx, const char *file, int line, const char *law);
	void *(*alloc)(void *ctx, size_t size);
};

#endif
