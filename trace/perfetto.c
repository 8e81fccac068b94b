/* SPDX-License-Identifier: MIT */
/* perfetto.c - walks through the messages of a Perfetto trace. */
#include "trace/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/event_format.h"
#include "trace/unpack.h"

/* A field of a message: a number, or a piece of the file. */
struct field {
	u32 id, wire;
	u64 number;
	struct raw part; /* WIRE_BYTES */
};

enum { WIRE_VARINT = 0, WIRE_8 = 1, WIRE_BYTES = 2, WIRE_4 = 5 };

/* Seven bits a byte, the lowest first. */
static u64 varint(struct raw *r)
{
	u64 v = 0;

	for (u32 shift = 0; shift < 70; shift += 7) {
		u64 byte = raw_number(r, 1);

		if (shift < 64)
			v |= (byte & 127) << shift;
		if (byte < 128)
			return v;
	}
	r->bad = true;
	return 0;
}

/* The next field of @r.  False at its end, or with r->bad set where it makes no sense. */
static bool next_field(struct raw *r, struct field *f)
{
	u64 tag;

	if (r->bad || !raw_left(r))
		return false;
	tag = varint(r);
	*f = (struct field){ .id = (u32)(tag >> 3), .wire = tag & 7 };
	switch (f->wire) {
	case WIRE_VARINT:
		f->number = varint(r);
		break;
	case WIRE_8:
		f->number = raw_number(r, 8);
		break;
	case WIRE_4:
		f->number = raw_number(r, 4);
		break;
	case WIRE_BYTES:
		f->part = raw_part(r, varint(r));
		break;
	default:
		r->bad = true;
		break;
	}
	return !r->bad && f->id;
}

static struct text_span field_text(const struct field *f)
{
	return f->wire == WIRE_BYTES ? (struct text_span){ (const char *)f->part.p, (size_t)raw_left(&f->part) } : (struct text_span){ "", 0 };
}

/* ---- the file ---- */

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum { PACKET_FTRACE = 1, PACKET_PROCESSES = 2, PACKET_SYSTEM = 45, PACKET_PACKED = 50 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, BUNDLE_CLOCK = 5 };
enum { EVENT_TIME = 1, EVENT_PID = 2, EVENT_FLAGS = 5 };
enum { TREE_PROCESS = 1, TREE_THREAD = 2 };
enum { PROCESS_PID = 1, PROCESS_CMDLINE = 3, THREAD_TID = 1, THREAD_TGID = 3, THREAD_NAME = 5 };
enum { SYSTEM_UTSNAME = 1, UTSNAME_RELEASE = 3 };

#define TEXT_CONTROL 9 /* below it, no byte of a text */

bool is_perfetto(const u8 *p, u64 len)
{
	struct raw r = { .p = p, .end = p + len }, packet;
	bool control = false;
	struct field f;
	u64 size;

	if (len < 4 || *p != (TRACE_PACKET << 3 | WIRE_BYTES))
		return false;
	for (u64 i = 0; i < len && i < 64; i++)
		control |= p[i] < TEXT_CONTROL || p[i] >= 0x80;
	r.p++;
	size = varint(&r);
	packet = (struct raw){ .p = r.p, .end = r.p + min_u64(size, raw_left(&r)) };
	return control && !r.bad && next_field(&packet, &f);
}

struct reading {
	struct trace *tr;
	u32 depth;	/* of packed packets */
	u64 spent;	/* bytes unpacked */
	s32 current[TRACE_CPUS_MAX]; /* pid, -1: not known */
};

/* Who ran where the event was made; TRACE_IDLE where that is not known. */
static u32 current_of(struct reading *d, u64 pid) { return trace_task_of(d->tr, pid > INT32_MAX ? 0 : (s32)pid); }

static u32 named(struct reading *d, u64 pid, struct text_span name, u64 prio, u64 time)
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

static void add(struct reading *d, const struct trace_record *rec)
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

static void count_other(struct reading *d, u32 id)
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

static void read_sched(struct reading *d, const struct event_kind *k, const struct values *v, struct trace_record *rec)
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

static void read_event(struct reading *d, struct raw r, u16 cpu)
{
	struct trace_record rec = { .cpu = cpu, .where = TRACE_NOWHERE };
	const struct event_kind *kind = NULL;
	u64 pid = 0, flags = 0;
	struct raw body = { 0 };
	bool has_flags = false;
	struct values v;
	struct field f;
	u32 id = 0;

	while (next_field(&r, &f)) {
		if (f.id == EVENT_TIME) {
			rec.time = f.number;
		} else if (f.id == EVENT_PID) {
			pid = f.number;
		} else if (f.id == EVENT_FLAGS && f.wire == WIRE_VARINT) {
			flags = f.number;
			has_flags = true;
		} else if (f.wire == WIRE_BYTES) {
			id = f.id;
			body = f.part;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(event_kinds); i++)
		if (event_kinds[i].id == id)
			kind = &event_kinds[i];
	if (!kind) {
		count_other(d, id);
		return;
	}
	if (r.bad || !read_values(&body, &v)) {
		d->tr->counts.bad_events++;
		return;
	}
	if (has_flags) {
		rec.flags = context_of(flags);
		d->tr->saw_context = true;
	}
	rec.other = current_of(d, pid);
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

static void compact_switches(struct reading *d, struct compact *c, u16 cpu)
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
static void compact_wakings(struct reading *d, struct compact *c, u16 cpu, s32 current)
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

static void read_compact(struct reading *d, struct raw r, u16 cpu)
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

/* ---- packets ---- */

static void lost(struct reading *d, u16 cpu, u64 time)
{
	struct trace_record rec = { .time = time, .other = 1, .cpu = cpu, .where = TRACE_NOWHERE, .type = TRACE_LOST };

	d->tr->counts.lost++;
	d->tr->counts.lost_marks++;
	d->current[cpu] = -1;
	trace_add(d->tr, &rec);
}

static void keep_clock(struct reading *d, u64 clock)
{
	static const char *const names[] = { "", "unknown", "global", "local", "mono_raw" }; /* left out: boot */

	if (clock < ARRAY_SIZE(names))
		snprintf(d->tr->clock, sizeof(d->tr->clock), "%s", names[clock]);
}

static void read_bundle(struct reading *d, struct raw r)
{
	struct raw again = r;
	u64 cpu = 0, start = d->tr->nr;
	bool gap = false;
	struct field f;

	if (!d->tr->clock[0])
		snprintf(d->tr->clock, sizeof(d->tr->clock), "boot");
	while (next_field(&again, &f)) {
		if (f.id == BUNDLE_CPU)
			cpu = f.number;
		else if (f.id == BUNDLE_LOST)
			gap = f.number != 0;
		else if (f.id == BUNDLE_CLOCK)
			keep_clock(d, f.number);
	}
	if (again.bad)
		d->tr->counts.half_lines++;
	if (cpu >= TRACE_CPUS_MAX)
		return;
	if (gap)
		d->current[cpu] = -1;
	while (next_field(&r, &f)) {
		if (f.id == BUNDLE_EVENT && f.wire == WIRE_BYTES)
			read_event(d, f.part, (u16)cpu);
		else if (f.id == BUNDLE_COMPACT && f.wire == WIRE_BYTES)
			read_compact(d, f.part, (u16)cpu);
	}
	if (gap) /* before the bundle's first event; where it has none, the time is that of the last */
		lost(d, (u16)cpu, start < d->tr->nr ? d->tr->time[start] : start ? d->tr->time[start - 1] : 0);
}

static void read_thread(struct reading *d, struct raw r, bool process)
{
	struct text_span name = { "", 0 };
	u64 tid = 0, tgid = 0;
	struct field f;
	u32 task;

	while (next_field(&r, &f)) {
		if (f.id == (process ? PROCESS_PID : THREAD_TID))
			tid = f.number;
		else if (!process && f.id == THREAD_TGID)
			tgid = f.number;
		else if (!process && f.id == THREAD_NAME)
			name = field_text(&f);
	}
	if (process)
		tgid = tid;
	if (!tid || tid > INT32_MAX || !tgid || tgid > INT32_MAX)
		return;
	task = trace_task_of(d->tr, (s32)tid);
	if (task >= d->tr->nr_tasks)
		return;
	d->tr->tasks[task].tgid = (s32)tgid;
	if (!d->tr->tasks[task].name[0])
		trace_task_name(d->tr, task, name.s, name.len);
}

static void read_processes(struct reading *d, struct raw r)
{
	struct field f;

	while (next_field(&r, &f))
		if (f.wire == WIRE_BYTES && (f.id == TREE_PROCESS || f.id == TREE_THREAD))
			read_thread(d, f.part, f.id == TREE_PROCESS);
}

static void read_system(struct reading *d, struct raw r)
{
	struct field f, g;

	while (next_field(&r, &f)) {
		if (f.id != SYSTEM_UTSNAME || f.wire != WIRE_BYTES)
			continue;
		while (next_field(&f.part, &g)) {
			struct text_span text = field_text(&g);

			if (g.id == UTSNAME_RELEASE && text.len)
				snprintf(d->tr->kernel, sizeof(d->tr->kernel), "%.*s", (int)min_u64(text.len, sizeof(d->tr->kernel) - 1), text.s);
		}
	}
}

static void read_trace(struct reading *d, struct raw r);

#define UNPACKED_MOST ((u64)1 << 30) /* bytes of all packed packets; more would be a damaged file's */

/* Packets may be packed together, as a trace of their own. */
static void read_packed(struct reading *d, const struct raw *part)
{
	u64 len = raw_left(part), size, got = 0;
	u8 *copy = NULL;

	if (d->depth)
		return;
	for (size = len * 4 + 4096; !got && size <= UNPACK_MOST && d->spent < UNPACKED_MOST; size *= 4) {
		free(copy);
		copy = malloc(size);
		got = copy ? unpack(PACKING_ZLIB, copy, size, part->p, len) : 0;
		d->spent += size;
	}
	d->depth++;
	if (got)
		read_trace(d, (struct raw){ .p = copy, .end = copy + got });
	else
		d->tr->counts.half_lines++;
	d->depth--;
	free(copy);
}

static void read_packet(struct reading *d, struct raw r)
{
	struct field f;

	while (next_field(&r, &f)) {
		if (f.wire != WIRE_BYTES)
			continue;
		switch (f.id) {
		case PACKET_FTRACE:
			read_bundle(d, f.part);
			break;
		case PACKET_PROCESSES:
			read_processes(d, f.part);
			break;
		case PACKET_SYSTEM:
			read_system(d, f.part);
			break;
		case PACKET_PACKED:
			read_packed(d, &f.part);
			break;
		default:
			break;
		}
	}
}

static void read_trace(struct reading *d, struct raw r)
{
	struct field f;

	while (next_field(&r, &f))
		if (f.id == TRACE_PACKET && f.wire == WIRE_BYTES)
			read_packet(d, f.part);
	if (r.bad)
		d->tr->counts.half_lines++;
}

int perfetto_read(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err)
{
	struct reading *d = malloc(sizeof(*d));

	if (!d)
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	*d = (struct reading){ .tr = tr };
	for (u32 i = 0; i < TRACE_CPUS_MAX; i++)
		d->current[i] = -1;
	tr->format = "Perfetto";
	read_trace(d, (struct raw){ .p = p, .end = p + len });
	free(d);
	return 0;
}
