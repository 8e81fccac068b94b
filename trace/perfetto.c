/* SPDX-License-Identifier: MIT */
/*
 * perfetto.c - walks through the packets of a Perfetto trace.
 *
 *	trace | packet | packet | packed { packet ... } | ...
 *		  |	   '- processes: names, and which thread is whose; the kernel's release
 *		  '- bundle of one CPU: events (perfetto_sched.c), and whether some were lost before them
 */
#include "trace/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/perfetto_impl.h"
#include "trace/unpack.h"

/* ---- the file ---- */

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum { PACKET_FTRACE = 1, PACKET_PROCESSES = 2, PACKET_SYSTEM = 45, PACKET_PACKED = 50 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, BUNDLE_CLOCK = 5 };
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

/* ---- packets ---- */

static void lost(struct perfetto *d, u16 cpu, u64 time)
{
	struct trace_record rec = { .time = time, .other = 1, .cpu = cpu, .where = TRACE_NOWHERE, .type = TRACE_LOST };

	d->tr->counts.lost++;
	d->tr->counts.lost_marks++;
	d->current[cpu] = -1;
	trace_add(d->tr, &rec);
}

static void keep_clock(struct perfetto *d, u64 clock)
{
	static const char *const names[] = { "", "unknown", "global", "local", "mono_raw" }; /* left out: boot */

	if (clock < ARRAY_SIZE(names))
		snprintf(d->tr->clock, sizeof(d->tr->clock), "%s", names[clock]);
}

static void read_bundle(struct perfetto *d, struct raw r)
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
			perfetto_event(d, f.part, (u16)cpu);
		else if (f.id == BUNDLE_COMPACT && f.wire == WIRE_BYTES)
			perfetto_compact(d, f.part, (u16)cpu);
	}
	if (gap) /* before the bundle's first event; where it has none, the time is that of the last */
		lost(d, (u16)cpu, start < d->tr->nr ? d->tr->time[start] : start ? d->tr->time[start - 1] : 0);
}

static void read_thread(struct perfetto *d, struct raw r, bool process)
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

static void read_processes(struct perfetto *d, struct raw r)
{
	struct field f;

	while (next_field(&r, &f))
		if (f.wire == WIRE_BYTES && (f.id == TREE_PROCESS || f.id == TREE_THREAD))
			read_thread(d, f.part, f.id == TREE_PROCESS);
}

static void read_system(struct perfetto *d, struct raw r)
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

static void read_trace(struct perfetto *d, struct raw r);

#define UNPACKED_MOST ((u64)1 << 30) /* bytes of all packed packets; more would be a damaged file's */

/* Packets may be packed together, as a trace of their own. */
static void read_packed(struct perfetto *d, const struct raw *part)
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

static void read_packet(struct perfetto *d, struct raw r)
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

static void read_trace(struct perfetto *d, struct raw r)
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
	struct perfetto *d = malloc(sizeof(*d));

	if (!d)
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	*d = (struct perfetto){ .tr = tr };
	for (u32 i = 0; i < TRACE_CPUS_MAX; i++)
		d->current[i] = -1;
	tr->format = "Perfetto";
	read_trace(d, (struct raw){ .p = p, .end = p + len });
	free(d);
	return 0;
}
