/* SPDX-License-Identifier: MIT */
/*
 * event.h - what a lab says while it works.
 *
 * Names and meaning follow the kernel's tracepoints where one exists; see docs/rules/fair.md section 9 for when
 * each fires.  The bw_* events have no tracepoint in a kernel: they are ours.  Simulated machines, real ones and
 * trace readers all speak in these records.
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "base/types.h"

#define EVENT_TYPES(X)                                                                                         \
	X(SCHED_SWITCH, "sched_switch")                                                                        \
	X(SCHED_WAKING, "sched_waking")                                                                        \
	X(SCHED_WAKEUP, "sched_wakeup")                                                                        \
	X(SCHED_WAKEUP_NEW, "sched_wakeup_new")                                                                \
	X(SCHED_MIGRATE_TASK, "sched_migrate_task")                                                            \
	X(SCHED_WAKE_IDLE_WITHOUT_IPI, "sched_wake_idle_without_ipi")                                          \
	X(ACTIVE_LOAD_BALANCE_CPU_STOP, "active_load_balance_cpu_stop")                                        \
	X(SCHED_STAT_RUNTIME, "sched_stat_runtime")                                                            \
	X(SCHED_PROCESS_FORK, "sched_process_fork")                                                            \
	X(SCHED_PROCESS_EXEC, "sched_process_exec")                                                            \
	X(SCHED_PROCESS_EXIT, "sched_process_exit")                                                            \
	X(SCHED_PROCESS_FREE, "sched_process_free")                                                            \
	X(SCHED_PROCESS_WAIT, "sched_process_wait")                                                            \
	X(SCHED_WAIT_TASK, "sched_wait_task")                                                                  \
	X(BW_PERIOD, "bw_period")                                                                              \
	X(BW_THROTTLE, "bw_throttle")                                                                          \
	X(BW_UNTHROTTLE, "bw_unthrottle")                                                                      \
	X(BW_SLACK, "bw_slack")

enum event_type {
#define X(id, name) EVENT_##id,
	EVENT_TYPES(X)
#undef X
	NR_EVENT_TYPES
};

/*
 * One event.  @task and @group are the ids of lab_task_id() and lab_group_id(); 0 is the idle task, 0 the root group.
 *
 *	type			cpu		task	arg			other
 *	sched_switch		this CPU	next	enum task_left of prev	prev's id
 *	sched_waking		the waker's	wakee	-			waker's id
 *	sched_wakeup		the target	wakee	CPU that queued it	-
 *	sched_wakeup_new	the target	child	-			-
 *	sched_migrate_task	from		task	to			enum move_cause
 *	sched_stat_runtime	this CPU	task	ns charged		ticks in one go (1 or more)
 *	sched_process_fork	parent's	parent	-			child's id
 *	sched_process_exec	this CPU	current	-			-
 *	sched_process_wait	this CPU	current	-			-
 *	sched_wait_task		the maker's	new one	-			- (a bound kernel thread was made)
 *	bw_period		timer's		-	overruns		1 if something was throttled
 *	bw_throttle		the queue's	-	runtime_remaining	-
 *	bw_unthrottle		the queue's	-	runtime_remaining	-
 *	bw_slack		timer's		-	ns on offer		-
 */
struct event {
	u64 time; /* ns of the lab's clock */
	u16 type; /* enum event_type */
	u16 cpu;
	u32 task;
	u32 group; /* of the task, or the limited group of a bw_* event */
	u32 other;
	s64 arg;
};

/* Why a task goes over to another CPU. */
#define MOVE_CAUSES(X)                                                                                         \
	X(WAKEUP, "wakeup")	/* its wakeup found it another one */                                          \
	X(EXEC, "exec")		/* it began another program */                                                 \
	X(AFFINITY, "affinity") /* it may not stay, or its CPU is gone */                                      \
	X(RT, "rt")		/* above fair: pushed away by a higher one, or pulled by a CPU that runs lower */ \
	X(NEWIDLE, "newidle")	/* balance: pulled by a CPU that ran out of work */                            \
	X(IDLE, "idle")		/* by an idle CPU, at its tick */                                              \
	X(NOHZ, "nohz")		/* by an idle CPU for another that has no ticks */                             \
	X(BUSY, "busy")		/* by a CPU that has work */                                                   \
	X(ACTIVE, "active")	/* pushed by the stopper, as nothing else helped */

enum move_cause {
#define X(id, name) MOVE_##id,
	MOVE_CAUSES(X)
#undef X
	NR_MOVE_CAUSES
};

/* How the outgoing task of a sched_switch left the CPU; printed as prev_state. */
enum task_left {
	LEFT_RUNNABLE,	/* R: preempted, yielded, throttled */
	LEFT_SLEEPING,	/* S */
	LEFT_DEAD,	/* X */
	LEFT_IDLE	/* R of the idle task */
};

#endif
