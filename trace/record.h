/* SPDX-License-Identifier: MIT */
/*
 * record.h - the scheduler events of one recording, small and in order of time.
 *
 *	text lines --> readers --> trace: parallel arrays, 22 bytes an event --> timeline, inference, recovery
 *
 * A task is an index into trace.tasks; 0 is the idle task of every CPU.  Times are ns of the recording's own clock.
 * What a reader could not use is counted, never dropped in silence.
 * Law: after trace_sort() times never decrease.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include "base/types.h"
#include "core/event.h"

#define TRACE_NAME_MAX 24
#define TRACE_CPUS_MAX 4096
#define TRACE_IDLE 0u
#define TRACE_NO_TASK UINT32_MAX
#define TRACE_NOWHERE UINT16_MAX

/* Not a kernel's event: records went missing on this CPU. */
#define TRACE_LOST NR_EVENT_TYPES

/* How the outgoing task of a switch left, in the low bits of trace.flags. */
enum trace_left {
	TRACE_LEFT_RUNNABLE,  /* R: asked to leave, or throttled */
	TRACE_LEFT_PREEMPTED, /* R+ */
	TRACE_LEFT_SLEEP,     /* S, I, T and all else that waits for an event */
	TRACE_LEFT_DISK,      /* D */
	TRACE_LEFT_DEAD,      /* X, Z */
	TRACE_LEFT_MASK = 7
};

/* In which context a wakeup was made, for the other types. */
#define TRACE_IN_HARDIRQ 1u
#define TRACE_IN_SOFTIRQ 2u
#define TRACE_CONTEXT_KNOWN 4u /* the line had a column that says so */

/* Of sched_stat_runtime: it was charged where it runs.  Else a wakeup or a look from another CPU made the kernel charge it. */
#define TRACE_CHARGED_HERE 1u

struct trace_task {
	s32 pid, tgid;	/* tgid 0: not known */
	u32 parent;	/* who forked it inside the recording, or TRACE_NO_TASK */
	s16 prio;	/* as printed: 120 is nice 0; 0: not seen */
	bool exited;
	char name[TRACE_NAME_MAX]; /* the last one it had; "" where no line told it */
	u64 first, last; /* ns: first and last event that names it */
	u32 group;	 /* 1 + index into trace.groups, where the recording tells its cgroup; 0: it does not */
};

/* Events that are not the scheduler's, by name. */
struct trace_name {
	char name[32];
	u64 nr;
};
#define TRACE_NAMES_MAX 256 /* more kinds than that are counted together, as "others" */

#define JUMP_LEAST MS

/* What the reading left behind. */
struct trace_counts {
	u64 lines;
	u64 events;	   /* kept: scheduler events */
	u64 other_events;  /* of other kinds, skipped */
	u64 bad_events;	   /* scheduler events that could not be read */
	u64 unknown_lines; /* no event and no heading */
	u64 half_lines;	   /* the text ends in the middle of one */
	u64 lost;	   /* events the recorder says it lost */
	u64 lost_marks;	   /* places where it says so */
	u64 backwards;	   /* events older than the one before */
	u64 jumps_back;	   /* the same on one CPU, by more than JUMP_LEAST: its clock was set back */
	u64 no_time;	   /* events whose clock does not count time */
	u64 wild_times;	   /* events dropped because their time lies far from all others' */
};

/*
 *	type			cpu	task	other		flags
 *	sched_switch		this	next	previous	enum trace_left
 *	sched_waking, wakeup	this	wakee	current		context
 *	sched_wakeup_new	this	child	current		context
 *	sched_process_fork	this	child	parent		-
 *	sched_process_exit	this	task	task		-
 *	sched_process_exec	this	task	task		-
 *	sched_migrate_task	this	task	current		context
 *	sched_stat_runtime	this	task	ns (cut at 4.29 s)	TRACE_CHARGED_HERE
 *	TRACE_LOST		this	0	how many	-
 *
 * "where" is the CPU a wakeup queues the task on or a migration brings it to; TRACE_NOWHERE if not said.
 */
struct trace_facts;
struct light;

#define MARKS_SEEN 16

struct trace {
	u64 *time;
	u32 *task, *other;
	u16 *cpu, *where;
	u8 *type, *flags;
	u64 nr, cap;
	u64 *newest; /* of each CPU: the latest time so far */

	struct trace_task *tasks;
	u32 nr_tasks, cap_tasks;
	u32 *slots; /* pid -> task, open addressing; TRACE_NO_TASK = free */
	u32 nr_slots;

	char **groups; /* paths of cgroups */
	u32 nr_groups, cap_groups;

	struct trace_name *names;
	u32 nr_names, cap_names;
	u16 name_slots[2 * TRACE_NAMES_MAX]; /* hash of a name -> 1 + index */

	struct trace_facts *facts; /* facts.h: what a recording of our own says, or NULL */
	struct light *light;	   /* light.h: it is one of counters, and holds no events; or NULL */

	struct marks *marks;	   /* marks.h: what was asked for before it was read, or NULL */
	struct mark_seen {	   /* else: requests that its tasks mark, so that a user learns of them */
		u32 task;
		char name[40];	   /* the mark's first word, as it stands there; cut to fit */
		u64 nr;		   /* that begin */
	} seen[MARKS_SEEN];
	u32 nr_seen;
	bool marks_end;		   /* and ends of some */

	struct trace_counts counts;
	const char *format;  /* static: "ftrace text", "perf script text", ... */
	char kernel[64];     /* as the recording says, or "" */
	char clock[24];	     /* the same of its clock */
	int cpus;	     /* said by a heading, else the highest seen + 1 */
	bool saw_context;    /* lines tell interrupts from tasks */
	bool out_of_memory;  /* some records could not be kept */
};

#define NO_FORMAT "no trace" /* trace.format before anything was recognised */

/* Empty, and the end of it with all it holds. */
void trace_init(struct trace *tr);
void trace_fini(struct trace *tr);

/* The task with @pid, made when new.  TRACE_NO_TASK when memory is out.  All pids up to 0 are the idle task. */
u32 trace_task_of(struct trace *tr, s32 pid);
/* Its name as the newest line spells it: cut to fit; "<...>" and "" tell nothing. */
void trace_task_name(struct trace *tr, u32 task, const char *name, size_t len);

/* The task with @pid if there is one, else TRACE_NO_TASK. */
u32 trace_task_find(const struct trace *tr, s32 pid);
/* @task is in the cgroup at @path, from now on. */
void trace_task_group(struct trace *tr, u32 task, const char *path, size_t len);
/* @n events called @name that are not the scheduler's. */
void trace_count_name(struct trace *tr, const char *name, size_t len, u64 n);

struct trace_record {
	u64 time;
	u32 task, other;
	u16 cpu, where;
	u8 type, flags;
};
/* One more, copied; out_of_memory says where it could not be kept. */
void trace_add(struct trace *tr, const struct trace_record *rec);
/* What follows of @cpu comes from elsewhere in the recording: it may be older than what was read. */
void trace_new_stream(struct trace *tr, u16 cpu);

/*
 * Bring the records into order of time; what has the same time stays in the order it came.  A few that lie far away from all
 * others are a damaged line's, and are dropped: one of them would make a day of a second.
 */
void trace_sort(struct trace *tr);

/* Index of the first record at or after @t. */
u64 trace_find(const struct trace *tr, u64 t);
u64 trace_first(const struct trace *tr); /* ns of the first record, 0 where there is none */
u64 trace_last(const struct trace *tr);

#endif
