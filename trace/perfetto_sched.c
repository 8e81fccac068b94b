/* SPDX-License-Identifier: MIT */
/*
 * perfetto_sched.c - the scheduler's events of a Perfetto trace, each as a message or all of a bundle by columns.
 *
 *	FtraceEvent	| time | pid | sched_switch { comm, pid, prio ... } |
 *	CompactSched	| comms | switch_time ... | switch_pid ... | waking_time ... |	  times are differences, names are indices
 *
 * Columns of switches say who comes, so that who leaves is the one before: known from the second on.
 */
#include "trace/perfetto_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event_format.h"

enum { EVENT_TIME = 1, EVENT_PID = 2, EVENT_FLAGS = 5 };

/* Who ran where the event was made; TRACE_IDLE where that is not known. */
static u32 current_of(struct perfetto *d, u64 pid) { return trace_task_of(d->tr, pid > INT32_MAX ? 0 : (s32)pid); }

static u32 named(struct perfetto *d, u64 pid, struct text_span name, u64 prio, u64 time)
{
	u32 task = trace_task_of(d->tr, pid > INT32_MAX ? 0 : (s32)pid);

	if (task >= d->tr->nr_tasks)
		return task;
	if (time >= d->tr->tasks[task].last || !d->tr->tasks[task].name[0])
		trace_task_name(d->tr, task, name.s, name.len);
	if (prio && prio <= INT16_MAX && task != TRACE_IDLE)
		d->tr->tasks[task].prio = (s16)prio;
	return task;
}

static void add(struct perfetto *d, const struct trace_record *rec)
{
	if (rec->task == TRACE_NO_TASK || rec->other == TRACE_NO_TASK)
		return;
	trace_new_stream(d->tr, rec->cpu); /* columns come one after the other */
	trace_add(d->tr, rec);
}

/* ---- one event ---- */

/* The first fields of an event's message; those of no kind in question stay 0. */
#define EVENT_FIELDS 8
struct values {
	u64 number[EVENT_FIELDS];
	struct text_span text[EVENT_FIELDS];
	u32 have; /* bit of each that is there */
};

static bool read_values(struct raw *r, struct values *v)
{
	struct field f;

	memset(v, 0, sizeof(*v));
	while (next_field(r, &f)) {
		if (f.id >= EVENT_FIELDS)
			continue;
		v->have |= 1u << f.id;
		v->number[f.id] = f.number;
		v->text[f.id] = field_text(&f);
	}
	return !r->bad;
}

/* Which field of FtraceEvent is which event, and the fields of that. */
static const struct event_kind {
	u32 id;
	u8 type;
	u8 comm, pid, prio, comm2, pid2, prio2, state, cpu, success; /* 0: has none */
} event_kinds[] = {
	{ 4, EVENT_SCHED_SWITCH, .comm = 5, .pid = 6, .prio = 7, .comm2 = 1, .pid2 = 2, .prio2 = 3, .state = 4 },
	{ 17, EVENT_SCHED_WAKEUP, .comm = 1, .pid = 2, .prio = 3, .success = 4, .cpu = 5 },
	{ 20, EVENT_SCHED_WAKING, .comm = 1, .pid = 2, .prio = 3, .cpu = 5 },
	{ 114, EVENT_SCHED_WAKEUP_NEW, .comm = 1, .pid = 2, .prio = 3, .cpu = 5 },
	{ 237, EVENT_SCHED_PROCESS_EXEC, .pid = 2 },
	{ 238, EVENT_SCHED_PROCESS_EXIT, .comm = 1, .pid = 2, .prio = 4 },
	{ 239, EVENT_SCHED_PROCESS_FORK, .comm = 3, .pid = 4, .comm2 = 1, .pid2 = 2 },
	{ 491, EVENT_SCHED_MIGRATE_TASK, .comm = 1, .pid = 2, .prio = 3, .cpu = 5 },
};

/* Others that are often there, for counting them by name. */
static const struct {
	u32 id;
	const char *name;
} other_kinds[] = {
	{ 3, "print" }, { 11, "cpu_frequency" }, { 13, "cpu_idle" }, { 18, "sched_blocked_reason" }, { 36, "irq_handler_entry" },
	{ 37, "irq_handler_exit" }, { 24, "softirq_entry" }, { 25, "softirq_exit" }, { 67, "cgroup_attach_task" },
	{ 113, "suspend_resume" }, { 235, "task_newtask" }, { 236, "task_rename" }, { 240, "sched_process_free" },
	{ 329, "sys_enter" }, { 330, "sys_exit" },
};

static void count_other(struct perfetto *d, u32 id)
{
	char name[32];

	snprintf(name, sizeof(name), "ftrace event %u", id);
	for (size_t i = 0; i < ARRAY_SIZE(other_kinds); i++)
		if (other_kinds[i].id == id)
			snprintf(name, sizeof(name), "%s", other_kinds[i].name);
	trace_count_name(d->tr, name, strlen(name), 1);
	d->tr->counts.other_events++;
}

#define FLAG_HARDIRQ 0x08u /* of common_flags */
#define FLAG_SOFTIRQ 0x10u

static u8 context_of(u64 flags)
{
	return (u8)(TRACE_CONTEXT_KNOWN | (flags & FLAG_HARDIRQ ? TRACE_IN_HARDIRQ : flags & FLAG_SOFTIRQ ? TRACE_IN_SOFTIRQ : 0));
}

static void read_sched(struct perfetto *d, const struct event_kind *k, const struct values *v, struct trace_record *rec)
{
	rec->type = k->type;
	if (k->success && v->have >> k->success & 1 && !v->number[k->success])
		return; /* nobody woke */
	rec->task = named(d, v->number[k->pid], v->text[k->comm], k->prio ? v->number[k->prio] : 0, rec->time);
	if (k->pid2)
		rec->other = named(d, v->number[k->pid2], v->text[k->comm2], k->prio2 ? v->number[k->prio2] : 0, rec->time);
	if (k->cpu && v->number[k->cpu] < TRACE_CPUS_MAX)
		rec->where = (u16)v->number[k->cpu];
	switch (k->type) {
	case EVENT_SCHED_SWITCH:
		rec->flags = (u8)left_by_bits(v->number[k->state]);
		d->current[rec->cpu] = (s32)v->number[k->pid];
		break;
	case EVENT_SCHED_PROCESS_FORK:
		if (rec->task < d->tr->nr_tasks && rec->task != rec->other && rec->task != TRACE_IDLE)
			d->tr->tasks[rec->task].parent = rec->other;
		break;
	case EVENT_SCHED_PROCESS_EXIT:
	case EVENT_SCHED_PROCESS_EXEC:
		rec->other = rec->task;
		if (k->type == EVENT_SCHED_PROCESS_EXIT && rec->task < d->tr->nr_tasks && rec->task != TRACE_IDLE)
			d->tr->tasks[rec->task].exited = true;
		break;
	default:
		break;
	}
	add(d, rec);
}

/* What is around the event itself. */
struct envelope {
	u64 time, pid, flags;
	bool has_flags;
	u32 id; /* which field of FtraceEvent it is */
	struct raw body;
};

/* False where the message makes no sense; what came before that is there. */
static bool read_envelope(struct raw *r, struct envelope *e)
{
	struct field f;

	*e = (struct envelope){ 0 };
	while (next_field(r, &f)) {
		if (f.id == EVENT_TIME) {
			e->time = f.number;
		} else if (f.id == EVENT_PID) {
			e->pid = f.number;
		} else if (f.id == EVENT_FLAGS && f.wire == WIRE_VARINT) {
			e->flags = f.number;
			e->has_flags = true;
		} else if (f.wire == WIRE_BYTES) {
			e->id = f.id;
			e->body = f.part;
		}
	}
	return !r->bad;
}

static const struct event_kind *kind_of(u32 id)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_kinds); i++)
		if (event_kinds[i].id == id)
			return &event_kinds[i];
	return NULL;
}

void perfetto_event(struct perfetto *d, struct raw r, u16 cpu)
{
	struct trace_record rec = { .cpu = cpu, .where = TRACE_NOWHERE };
	const struct event_kind *kind;
	struct envelope e;
	struct values v;
	bool whole = read_envelope(&r, &e);

	kind = kind_of(e.id);
	if (!kind) {
		count_other(d, e.id);
		return;
	}
	if (!whole || !read_values(&e.body, &v)) {
		d->tr->counts.bad_events++;
		return;
	}
	rec.time = e.time;
	if (e.has_flags) {
		rec.flags = context_of(e.flags);
		d->tr->saw_context = true;
	}
	rec.other = current_of(d, e.pid);
	read_sched(d, kind, &v, &rec);
}

/* ---- compact_sched ---- */

enum {
	SWITCH_TIME = 1, SWITCH_STATE = 2, SWITCH_PID = 3, SWITCH_PRIO = 4, COMMS = 5, SWITCH_COMM = 6, WAKING_TIME = 7, WAKING_PID = 8,
	WAKING_CPU = 9, WAKING_PRIO = 10, WAKING_COMM = 11, WAKING_FLAGS = 12, NR_COLUMNS
};
#define COMMS_MAX 1024

struct compact {
	struct raw column[NR_COLUMNS];
	struct text_span comms[COMMS_MAX];
	u32 nr_comms;
};

static struct text_span comm_at(const struct compact *c, u64 index)
{
	return index < c->nr_comms ? c->comms[index] : (struct text_span){ "", 0 };
}

static void compact_switches(struct perfetto *d, struct compact *c, u16 cpu)
{
	u64 time = 0;

	while (raw_left(&c->column[SWITCH_TIME])) {
		struct trace_record rec = { .cpu = cpu, .where = TRACE_NOWHERE, .type = EVENT_SCHED_SWITCH };
		s32 before = d->current[cpu];
		u64 state, pid, prio, comm;

		time += varint(&c->column[SWITCH_TIME]);
		state = varint(&c->column[SWITCH_STATE]);
		pid = varint(&c->column[SWITCH_PID]);
		prio = varint(&c->column[SWITCH_PRIO]);
		comm = varint(&c->column[SWITCH_COMM]);
		if (c->column[SWITCH_PID].bad || c->column[SWITCH_STATE].bad || c->column[SWITCH_TIME].bad) {
			d->tr->counts.bad_events++;
			return;
		}
		d->current[cpu] = pid > INT32_MAX ? 0 : (s32)pid;
		if (before < 0)
			continue; /* who left is not known */
		rec.time = time;
		rec.task = named(d, pid, comm_at(c, comm), prio, time);
		rec.other = trace_task_of(d->tr, before);
		rec.flags = (u8)left_by_bits(state);
		add(d, &rec);
	}
}

/* Who ran when a wakeup was made is not in its column: @cpu's switches of this bundle tell, which are read in step. */
static void compact_wakings(struct perfetto *d, struct compact *c, u16 cpu, s32 current)
{
	struct raw times = c->column[SWITCH_TIME], pids = c->column[SWITCH_PID];
	bool has_flags = raw_left(&c->column[WAKING_FLAGS]) > 0;
	u64 time = 0, next = raw_left(&times) ? varint(&times) : NEVER;

	while (raw_left(&c->column[WAKING_TIME])) {
		struct trace_record rec = { .cpu = cpu, .where = TRACE_NOWHERE, .type = EVENT_SCHED_WAKING };
		u64 pid, target, prio, comm;

		time += varint(&c->column[WAKING_TIME]);
		pid = varint(&c->column[WAKING_PID]);
		target = varint(&c->column[WAKING_CPU]);
		prio = varint(&c->column[WAKING_PRIO]);
		comm = varint(&c->column[WAKING_COMM]);
		if (c->column[WAKING_PID].bad || c->column[WAKING_TIME].bad) {
			d->tr->counts.bad_events++;
			return;
		}
		while (next <= time) {
			current = (s32)min_u64(varint(&pids), INT32_MAX);
			next = raw_left(&times) ? next + varint(&times) : NEVER;
		}
		rec.time = time;
		rec.where = target < TRACE_CPUS_MAX ? (u16)target : TRACE_NOWHERE;
		rec.task = named(d, pid, comm_at(c, comm), prio, time);
		rec.other = trace_task_of(d->tr, current);
		if (has_flags) {
			rec.flags = context_of(varint(&c->column[WAKING_FLAGS]));
			d->tr->saw_context = true;
		}
		add(d, &rec);
	}
}

void perfetto_compact(struct perfetto *d, struct raw r, u16 cpu)
{
	struct compact *c = calloc(1, sizeof(*c));
	s32 current = d->current[cpu];
	struct field f;

	if (!c) {
		d->tr->out_of_memory = true;
		return;
	}
	while (next_field(&r, &f)) {
		if (f.id == COMMS && c->nr_comms < COMMS_MAX)
			c->comms[c->nr_comms++] = field_text(&f);
		else if (f.id < NR_COLUMNS && f.wire == WIRE_BYTES)
			c->column[f.id] = f.part;
	}
	if (r.bad)
		d->tr->counts.half_lines++;
	compact_wakings(d, c, cpu, current);
	compact_switches(d, c, cpu);
	free(c);
}
