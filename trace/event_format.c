/* SPDX-License-Identifier: MIT */
/* event_format.c - reads format texts, and binary events by them. */
#include "trace/event_format.h"

#include <stdlib.h>

#include "text/memory.h"
#include "trace/facts.h"
#include "trace/marks.h"

#define IDS 65536u /* common_type has 16 bits */

/* Which field of which event goes where. */
static const struct wanted {
	const char *event;
	u8 type;
	const char *slot[NR_SLOTS];
} wanted[] = {
	{ "sched_switch", EVENT_SCHED_SWITCH,
	  { [SLOT_COMM] = "next_comm", [SLOT_PID] = "next_pid", [SLOT_PRIO] = "next_prio", [SLOT_COMM2] = "prev_comm",
	    [SLOT_PID2] = "prev_pid", [SLOT_PRIO2] = "prev_prio", [SLOT_STATE] = "prev_state" } },
	{ "sched_waking", EVENT_SCHED_WAKING,
	  { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_PRIO] = "prio", [SLOT_CPU] = "target_cpu", [SLOT_SUCCESS] = "success" } },
	{ "sched_wakeup", EVENT_SCHED_WAKEUP,
	  { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_PRIO] = "prio", [SLOT_CPU] = "target_cpu", [SLOT_SUCCESS] = "success" } },
	{ "sched_wakeup_new", EVENT_SCHED_WAKEUP_NEW,
	  { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_PRIO] = "prio", [SLOT_CPU] = "target_cpu", [SLOT_SUCCESS] = "success" } },
	{ "sched_migrate_task", EVENT_SCHED_MIGRATE_TASK,
	  { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_PRIO] = "prio", [SLOT_CPU] = "dest_cpu" } },
	{ "sched_process_fork", EVENT_SCHED_PROCESS_FORK,
	  { [SLOT_COMM] = "child_comm", [SLOT_PID] = "child_pid", [SLOT_COMM2] = "parent_comm", [SLOT_PID2] = "parent_pid" } },
	{ "sched_process_exit", EVENT_SCHED_PROCESS_EXIT, { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_PRIO] = "prio" } },
	{ "sched_process_exec", EVENT_SCHED_PROCESS_EXEC, { [SLOT_PID] = "pid" } },
	{ "sched_stat_runtime", EVENT_SCHED_STAT_RUNTIME,
	  { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_VALUE] = "runtime" } },
	{ "cgroup_attach_task", FORMAT_ATTACH, { [SLOT_COMM] = "comm", [SLOT_PID] = "pid", [SLOT_PATH] = "dst_path" } },
	{ "print", FORMAT_PRINT, { [SLOT_PATH] = "buf" } },
};

/* Bits of common_flags. */
#define FLAG_HARDIRQ 0x08u
#define FLAG_SOFTIRQ 0x10u

void event_formats_init(struct event_formats *fs) { memset(fs, 0, sizeof(*fs)); }

void event_formats_fini(struct event_formats *fs)
{
	free(fs->v);
	free(fs->by_id);
	memset(fs, 0, sizeof(*fs));
}

/* ---- format texts ---- */

static bool key_number(const char *s, const char *end, const char *key, u64 *value)
{
	const char *at = find_word(s, end, key);

	if (!at)
		return false;
	at += strlen(key);
	skip_blanks(&at, end);
	return read_number(&at, end, value);
}

/* "field:char prev_comm[16];	offset:8;	size:16;	signed:0;" */
static bool read_field(const char *s, const char *end, struct text_span *name, struct raw_field *f)
{
	const char *p = find_word(s, end, "field:"), *semi, *at;
	u64 offset, size, is_signed = 0;
	bool array = false;

	if (!p || !(semi = memchr(p, ';', (size_t)(end - p))) || !key_number(semi, end, "offset:", &offset) ||
	    !key_number(semi, end, "size:", &size) || offset > UINT16_MAX || size > UINT16_MAX)
		return false;
	(void)key_number(semi, end, "signed:", &is_signed);
	p += sizeof("field:") - 1;
	at = semi;
	if (at > p && at[-1] == ']') {
		array = true;
		while (at > p && *at != '[')
			at--;
	}
	name->s = at;
	while (name->s > p && name->s[-1] != ' ' && name->s[-1] != '*')
		name->s--;
	name->len = (size_t)(at - name->s);
	*f = (struct raw_field){ (u16)offset, (u16)size, is_signed ? FIELD_SIGNED : FIELD_UNSIGNED };
	if (find_word(p, semi, "__data_loc"))
		f->kind = FIELD_DATA_LOC;
	else if (find_word(p, semi, "__rel_loc"))
		f->kind = FIELD_REL_LOC;
	else if (array)
		f->kind = FIELD_CHARS;
	return true;
}

static bool read_bits(const char **p, const char *end, u64 *bits)
{
	const char *at = *p;
	u64 v = 0;

	if (!read_word(&at, end, "0x"))
		return read_number(p, end, bits);
	for (; at < end; at++) {
		u32 digit = *at >= '0' && *at <= '9' ? (u32)(*at - '0') : *at >= 'a' && *at <= 'f' ? (u32)(*at - 'a' + 10) :
			    *at >= 'A' && *at <= 'F' ? (u32)(*at - 'A' + 10) : 16;

		if (digit == 16)
			break;
		v = v << 4 | digit;
	}
	*p = at;
	*bits = v;
	return true;
}

/* { 0x0001, "S" }, { 0x0002, "D" } ... of a switch's print fmt. */
static void read_states(struct event_format *f, const char *p, const char *end)
{
	while ((p = memchr(p, '{', (size_t)(end - p)))) {
		const char *at = ++p;
		u64 bits;

		skip_blanks(&at, end);
		if (!read_bits(&at, end, &bits) || !read_word(&at, end, ","))
			continue;
		skip_blanks(&at, end);
		if (!read_word(&at, end, "\"") || at == end)
			continue;
		switch (*at) {
		case 'D':
			f->disk |= bits;
			break;
		case 'X': case 'x': case 'Z':
			f->dead |= bits;
			break;
		case 'R':
			break;
		default:
			f->sleeping |= bits;
			break;
		}
	}
}

static void keep_field(struct event_formats *fs, struct event_format *f, const struct wanted *w, const struct text_span *name,
		       const struct raw_field *field)
{
	if (span_is(name, "common_type"))
		fs->id = *field;
	else if (span_is(name, "common_flags"))
		fs->flags = *field;
	else if (span_is(name, "common_pid"))
		fs->pid = *field;
	for (int i = 0; w && i < NR_SLOTS; i++)
		if (w->slot[i] && span_is(name, w->slot[i]))
			f->slot[i] = *field;
}

static struct event_format *new_format(struct event_formats *fs, u64 id)
{
	struct event_format *v = list_grown(fs->v, fs->nr, &fs->cap, sizeof(*v));

	if (!v)
		return NULL;
	fs->v = v;
	if (!fs->by_id)
		fs->by_id = calloc(IDS, sizeof(*fs->by_id));
	if (!fs->by_id || id >= IDS)
		return NULL;
	fs->by_id[id] = fs->nr + 1;
	memset(&fs->v[fs->nr], 0, sizeof(*fs->v));
	return &fs->v[fs->nr++];
}

bool event_format_add(struct event_formats *fs, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *nl;
	const struct wanted *w = NULL;
	struct event_format *f;
	struct raw_field field;
	struct text_span name;
	u64 id;

	if (!read_word(&p, end, "name: ") || !(nl = memchr(p, '\n', (size_t)(end - p))) || !key_number(nl, end, "ID:", &id))
		return false;
	f = new_format(fs, id);
	if (!f)
		return false;
	name = (struct text_span){ p, (size_t)(nl - p) };
	trim(&name);
	memcpy(f->name, name.s, name.len < sizeof(f->name) ? name.len : sizeof(f->name) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (span_is(&name, wanted[i].event))
			w = &wanted[i];
	f->type = w ? w->type : FORMAT_OTHER;
	if (!w && fs->id.kind) /* the common fields are known from another one */
		return true;
	for (p = nl + 1; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		if (read_field(p, nl, &name, &field))
			keep_field(fs, f, w, &name, &field);
		if (nl == end)
			break;
	}
	if (f->type == EVENT_SCHED_SWITCH)
		read_states(f, text, end);
	return true;
}

/* ---- fields ---- */

u64 raw_field_number(const struct event_formats *fs, const struct raw_field *field, const u8 *p, u64 len, u64 none)
{
	u64 v;

	if (!field->kind || (u64)field->offset + field->size > len)
		return none;
	v = raw_at(p + field->offset, field->size, fs->swap);
	if (field->kind == FIELD_SIGNED && field->size < 8 && v >> (field->size * 8 - 1))
		v |= ~(u64)0 << (field->size * 8);
	return v;
}

static struct text_span field_text(const struct event_formats *fs, const struct raw_field *field, const u8 *p, u64 len)
{
	u64 at = field->offset, size = field->size, loc;
	const u8 *nul;

	if (!field->kind || at + size > len)
		return (struct text_span){ "", 0 };
	if (field->kind == FIELD_CHARS && !size)
		size = len - at; /* as long as the event is */
	if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC) {
		loc = raw_at(p + at, 4, fs->swap);
		at = (loc & 0xffff) + (field->kind == FIELD_REL_LOC ? at + size : 0);
		size = loc >> 16 & 0xffff;
		if (at > len)
			return (struct text_span){ "", 0 };
		size = min_u64(size, len - at);
	}
	nul = memchr(p + at, 0, size);
	return (struct text_span){ (const char *)p + at, nul ? (size_t)(nul - (p + at)) : (size_t)size };
}

/* ---- events ---- */

/* An event being read. */
struct reading {
	const struct event_formats *fs;
	const struct event_format *f;
	const u8 *p;
	u64 len, time;
};

static u64 slot_number(const struct reading *e, enum raw_slot slot, u64 none)
{
	return raw_field_number(e->fs, &e->f->slot[slot], e->p, e->len, none);
}

/* The task in the given slots.  Recordings are read CPU by CPU, so a name is taken only where it is the newest by time. */
static u32 slot_task(struct trace *tr, const struct reading *e, enum raw_slot comm, enum raw_slot pid, enum raw_slot prio)
{
	s64 id = (s64)slot_number(e, pid, 0), p;
	struct trace_task *t;
	u32 task;

	task = trace_task_of(tr, id > INT32_MAX ? 0 : (s32)max_s64(id, 0));
	if (task >= tr->nr_tasks)
		return task;
	t = &tr->tasks[task];
	if (e->time >= t->last || !t->name[0]) {
		struct text_span name = field_text(e->fs, &e->f->slot[comm], e->p, e->len);

		trace_task_name(tr, task, name.s, name.len);
	}
	p = prio == SLOT_PRIO || prio == SLOT_PRIO2 ? (s64)slot_number(e, prio, 0) : 0;
	if (p > 0 && task != TRACE_IDLE)
		t->prio = (s16)min_s64(p, INT16_MAX);
	return task;
}

enum trace_left left_by_bits(u64 bits)
{
	static const struct event_format common = { .sleeping = 1 | 4 | 8 | 128, .disk = 2, .dead = 16 | 32 | 64 };

	if (!bits)
		return TRACE_LEFT_RUNNABLE;
	return bits & common.disk ? TRACE_LEFT_DISK : bits & common.sleeping ? TRACE_LEFT_SLEEP :
	       bits & common.dead ? TRACE_LEFT_DEAD : TRACE_LEFT_PREEMPTED;
}

/* A bit above all states says that the task was preempted. */
static enum trace_left left_of(const struct event_format *f, u64 bits)
{
	if (!(f->sleeping | f->disk | f->dead))
		return left_by_bits(bits);
	if (!bits)
		return TRACE_LEFT_RUNNABLE;
	return bits & f->disk ? TRACE_LEFT_DISK : bits & f->sleeping ? TRACE_LEFT_SLEEP : bits & f->dead ? TRACE_LEFT_DEAD :
	       TRACE_LEFT_PREEMPTED;
}

static void read_attach(struct trace *tr, const struct reading *e)
{
	struct text_span path = field_text(e->fs, &e->f->slot[SLOT_PATH], e->p, e->len);
	u32 task = slot_task(tr, e, SLOT_COMM, SLOT_PID, NR_SLOTS);

	if (path.len)
		trace_task_group(tr, task, path.s, path.len);
}

static void read_sched(struct trace *tr, const struct reading *e, struct trace_record *rec)
{
	u64 cpu;

	rec->task = slot_task(tr, e, SLOT_COMM, SLOT_PID, SLOT_PRIO);
	switch (e->f->type) {
	case EVENT_SCHED_SWITCH:
		rec->other = slot_task(tr, e, SLOT_COMM2, SLOT_PID2, SLOT_PRIO2);
		rec->flags = (u8)left_of(e->f, slot_number(e, SLOT_STATE, 0));
		break;
	case EVENT_SCHED_PROCESS_FORK:
		rec->other = slot_task(tr, e, SLOT_COMM2, SLOT_PID2, NR_SLOTS);
		if (rec->task < tr->nr_tasks && rec->task != rec->other && rec->task != TRACE_IDLE)
			tr->tasks[rec->task].parent = rec->other;
		break;
	case EVENT_SCHED_PROCESS_EXIT:
	case EVENT_SCHED_PROCESS_EXEC:
		rec->other = rec->task;
		if (e->f->type == EVENT_SCHED_PROCESS_EXIT && rec->task < tr->nr_tasks && rec->task != TRACE_IDLE)
			tr->tasks[rec->task].exited = true;
		break;
	case EVENT_SCHED_STAT_RUNTIME:
		rec->flags = rec->task == rec->other ? TRACE_CHARGED_HERE : 0;
		rec->other = (u32)min_u64(slot_number(e, SLOT_VALUE, 0), UINT32_MAX);
		break;
	default:
		cpu = slot_number(e, SLOT_CPU, TRACE_NOWHERE);
		rec->where = cpu < TRACE_CPUS_MAX ? (u16)cpu : TRACE_NOWHERE;
		break;
	}
}

/* Does it hold all that an event of its kind must? */
static bool is_whole(const struct reading *e)
{
	static const enum raw_slot musts[] = { SLOT_PID, SLOT_PID2, SLOT_STATE, SLOT_VALUE };

	for (size_t i = 0; i < ARRAY_SIZE(musts); i++) {
		const struct raw_field *field = &e->f->slot[musts[i]];

		if (field->kind && (u64)field->offset + field->size > e->len)
			return false;
	}
	return e->f->slot[SLOT_PID].kind != FIELD_ABSENT;
}

/* The task on whose CPU the event was made, and in which context. */
static void read_common(struct trace *tr, const struct reading *e, struct trace_record *rec)
{
	u64 pid = raw_field_number(e->fs, &e->fs->pid, e->p, e->len, 0);
	u64 flags = raw_field_number(e->fs, &e->fs->flags, e->p, e->len, 0);

	rec->other = trace_task_of(tr, pid > INT32_MAX ? 0 : (s32)pid);
	if (!e->fs->flags.kind)
		return;
	rec->flags = TRACE_CONTEXT_KNOWN;
	if (flags & FLAG_HARDIRQ)
		rec->flags |= TRACE_IN_HARDIRQ;
	else if (flags & FLAG_SOFTIRQ)
		rec->flags |= TRACE_IN_SOFTIRQ;
	tr->saw_context = true;
}

void raw_event_add(struct trace *tr, struct event_formats *fs, const u8 *p, u64 len, u64 time, u16 cpu)
{
	struct trace_record rec = { .time = time, .cpu = cpu, .where = TRACE_NOWHERE };
	struct reading e = { .fs = fs, .p = p, .len = len, .time = time };
	u64 id = raw_field_number(fs, &fs->id, p, len, IDS);
	struct event_format *f = fs->by_id && id < IDS && fs->by_id[id] ? &fs->v[fs->by_id[id] - 1] : NULL;

	if (!f || cpu >= TRACE_CPUS_MAX) {
		tr->counts.unknown_lines++;
		return;
	}
	e.f = f;
	f->seen++;
	if (f->type == FORMAT_OTHER) {
		tr->counts.other_events++;
		return;
	}
	if (f->type == FORMAT_PRINT) {
		struct text_span text = field_text(fs, &f->slot[SLOT_PATH], p, len);

		tr->counts.other_events++;
		trace_mark(tr, text.s, text.len);
		if (trace_wants_mark(tr, text.s, text.len))
			trace_request_mark(tr, time, trace_task_of(tr, (s32)raw_field_number(fs, &fs->pid, p, len, 0)), text.s, text.len);
		return;
	}
	if (!is_whole(&e)) {
		tr->counts.bad_events++;
		return;
	}
	if (f->type == FORMAT_ATTACH) {
		tr->counts.other_events++;
		read_attach(tr, &e);
		return;
	}
	rec.type = f->type;
	read_common(tr, &e, &rec);
	read_sched(tr, &e, &rec);
	if (slot_number(&e, SLOT_SUCCESS, 1) == 0)
		return; /* before 4.3: nobody woke */
	if (rec.task != TRACE_NO_TASK && (rec.other != TRACE_NO_TASK || rec.type == EVENT_SCHED_STAT_RUNTIME))
		trace_add(tr, &rec);
}

void event_formats_count(const struct event_formats *fs, struct trace *tr)
{
	for (u32 i = 0; i < fs->nr; i++)
		if (fs->v[i].seen && fs->v[i].type >= FORMAT_PRINT)
			trace_count_name(tr, fs->v[i].name, strlen(fs->v[i].name), fs->v[i].seen);
}
