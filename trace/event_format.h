/* SPDX-License-Identifier: MIT */
/*
 * event_format.h - where the fields of a binary event lie, as the recording's own format texts say.
 *
 *	name: sched_switch
 *	ID: 316
 *	format:
 *		field:pid_t prev_pid;	offset:24;	size:4;	signed:1;	--> slot[SLOT_PID2] = { 24, 4 }
 *	print fmt: ... { 0x0001, "S" }, { 0x0002, "D" } ...		--> which bits of prev_state mean what
 *
 * Numbers of events differ with each boot, and offsets with each kernel: nothing of that is known beforehand.
 */
#ifndef TRACE_EVENT_FORMAT_H
#define TRACE_EVENT_FORMAT_H

#include "trace/raw.h"

#define FORMAT_NAME_MAX 32

enum field_kind {
	FIELD_ABSENT,
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_CHARS,	/* text in place, ends with a NUL or its size */
	FIELD_DATA_LOC, /* 16 bits of length, 16 of offset from the event's start */
	FIELD_REL_LOC	/* the same from the field's own end */
};

struct raw_field {
	u16 offset, size;
	u8 kind; /* enum field_kind */
};

/* What of an event is of use.  The subject is whom the event is about: the next task of a switch. */
enum raw_slot {
	SLOT_COMM, SLOT_PID, SLOT_PRIO,	   /* the subject */
	SLOT_COMM2, SLOT_PID2, SLOT_PRIO2, /* the other one: the previous task, the parent */
	SLOT_STATE, SLOT_CPU, SLOT_VALUE, SLOT_SUCCESS, SLOT_PATH,
	NR_SLOTS
};

/* For event_format.type, beside enum event_type. */
#define FORMAT_OTHER 255u
#define FORMAT_ATTACH 254u /* cgroup_attach_task */
#define FORMAT_PRINT 253u  /* a mark that a program made */

struct event_format {
	char name[FORMAT_NAME_MAX];
	u8 type;
	struct raw_field slot[NR_SLOTS];
	u64 sleeping, disk, dead; /* bits of prev_state */
	u64 seen;
};

struct event_formats {
	struct event_format *v;
	u32 nr, cap;
	u32 *by_id; /* ID -> index + 1 */
	struct raw_field id, flags, pid; /* common to all events */
	bool swap;
};

/* Empty; and given back, whatever is in it. */
void event_formats_init(struct event_formats *fs);
void event_formats_fini(struct event_formats *fs);

/* Take in one format text.  False where it is none, or memory is out. */
bool event_format_add(struct event_formats *fs, const char *text, size_t len);

/* Keep the event of @len bytes at @p, or count it as what it is. */
void raw_event_add(struct trace *tr, struct event_formats *fs, const u8 *p, u64 len, u64 time, u16 cpu);

/* All events were seen: the counts by name go to @tr. */
void event_formats_count(const struct event_formats *fs, struct trace *tr);

/* How a task left, from the bits of prev_state of a kernel that says nothing more of them. */
enum trace_left left_by_bits(u64 bits);

/* The number at @field of the event, or @none where it has no such field. */
u64 raw_field_number(const struct event_formats *fs, const struct raw_field *field, const u8 *p, u64 len, u64 none);

#endif
