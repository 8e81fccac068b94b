/* SPDX-License-Identifier: MIT */
/*
 * perfetto_impl.h - what the files that read a Perfetto trace share: messages of fields; private to perfetto*.c.
 *
 *	message | tag, number | tag, size, bytes | ...	    the bytes are a text, or a message again
 *
 * Numbers of fields are those of the project's .proto files: TracePacket, FtraceEventBundle, FtraceEvent.
 */
#ifndef TRACE_PERFETTO_IMPL_H
#define TRACE_PERFETTO_IMPL_H

#include "trace/raw.h"
#include "trace/record.h"

enum { WIRE_VARINT = 0, WIRE_8 = 1, WIRE_BYTES = 2, WIRE_4 = 5 };

/* A field of a message: a number, or a piece of the file. */
struct field {
	u32 id, wire;
	u64 number;
	struct raw part; /* WIRE_BYTES */
};

struct perfetto {
	struct trace *tr;
	u32 depth;	/* of packed packets */
	u64 spent;	/* bytes unpacked */
	s32 current[TRACE_CPUS_MAX]; /* pid, -1: not known */
};

/* ---- perfetto_field.c ---- */
/* A number of seven bits a byte, the lowest first; 0 with @r->bad set where it has no end. */
u64 varint(struct raw *r);
/* The next field of @r.  False at its end, or with r->bad set where it makes no sense. */
bool next_field(struct raw *r, struct field *f);
/* A field of bytes as a text, any other as an empty one. */
struct text_span field_text(const struct field *f);

/* ---- perfetto_sched.c: what a bundle of one CPU holds ---- */
/* One event, a message of its own. */
void perfetto_event(struct perfetto *d, struct raw r, u16 cpu);
/* compact_sched: switches and wakeups of the bundle by columns. */
void perfetto_compact(struct perfetto *d, struct raw r, u16 cpu);

#endif
