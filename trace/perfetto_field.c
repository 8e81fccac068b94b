/* SPDX-License-Identifier: MIT */
/* perfetto_field.c - the wire format of protocol buffers, as much of it as a trace needs. */
#include "trace/perfetto_impl.h"

u64 varint(struct raw *r)
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

bool next_field(struct raw *r, struct field *f)
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

struct text_span field_text(const struct field *f)
{
	return f->wire == WIRE_BYTES ? (struct text_span){ (const char *)f->part.p, (size_t)raw_left(&f->part) } : (struct text_span){ "", 0 };
}
