/* SPDX-License-Identifier: MIT */
/*
 * perf_sample.c - reads the fields of a perf.data's samples, in the order in which the kernel writes them.
 *
 * What is not wanted is stepped over: a field of 8 bytes, a list of counters, a call chain.  The cgroup's id stands behind the event's own bytes,
 * where fields of any length may be between: it is found from the end.
 */
#include "trace/perf_sample.h"

/* Where in struct perf_event_attr. */
enum { ATTR_TYPE = 0, ATTR_SAMPLE_TYPE = 24, ATTR_READ_FORMAT = 32, ATTR_FLAGS = 40 };

#define TYPE_TRACEPOINT 2u
#define FLAG_ID_ALL ((u64)1 << 18)

/* Bits of sample_type, in the order in which what they ask for stands in a sample. */
#define SAMPLE_IDENTIFIER ((u64)1 << 16)
#define SAMPLE_IP ((u64)1 << 0)
#define SAMPLE_TID ((u64)1 << 1)
#define SAMPLE_TIME ((u64)1 << 2)
#define SAMPLE_ADDR ((u64)1 << 3)
#define SAMPLE_ID ((u64)1 << 6)
#define SAMPLE_STREAM ((u64)1 << 9)
#define SAMPLE_CPU ((u64)1 << 7)
#define SAMPLE_PERIOD ((u64)1 << 8)
#define SAMPLE_READ ((u64)1 << 4)
#define SAMPLE_CALLCHAIN ((u64)1 << 5)
#define SAMPLE_RAW ((u64)1 << 10)
#define SAMPLE_CGROUP ((u64)1 << 21)
#define SAMPLE_BEHIND_CGROUP (((u64)1 << 22) | ((u64)1 << 23)) /* sizes of pages, 8 bytes each */
#define SAMPLE_AUX ((u64)1 << 20) /* behind those, of any length */

/* Bits of read_format. */
#define READ_TIMES 3u /* one word for each of two bits */
#define READ_ID 4u
#define READ_GROUP 8u
#define READ_LOST 16u

/* ---- attrs ---- */

const struct perf_attr *perf_attr_add(struct perf_attrs *attrs, const u8 *p, struct raw *ids)
{
	struct perf_attr *a;

	if (attrs->nr == PERF_ATTRS_MAX)
		return NULL;
	a = &attrs->v[attrs->nr++];
	a->sample_type = raw_at(p + ATTR_SAMPLE_TYPE, 8, ids->swap);
	a->read_format = raw_at(p + ATTR_READ_FORMAT, 8, ids->swap);
	a->id_all = raw_at(p + ATTR_FLAGS, 8, ids->swap) & FLAG_ID_ALL;
	a->id = raw_left(ids) >= 8 && !ids->bad ? raw_number(ids, 8) : 0;
	a->useful = raw_at(p + ATTR_TYPE, 4, ids->swap) == TYPE_TRACEPOINT && (a->sample_type & SAMPLE_TIME) && (a->sample_type & SAMPLE_RAW);
	return a;
}

static bool same_layout(const struct perf_attr *a, const struct perf_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format && a->useful == b->useful;
}

void perf_attrs_compare(struct perf_attrs *attrs)
{
	attrs->same = true;
	for (u32 i = 1; i < attrs->nr; i++)
		attrs->same &= same_layout(&attrs->v[i], &attrs->v[0]);
}

/* A sample begins with an id.  Those of one event have as many ids as there are CPUs, so the nearest id below is taken. */
const struct perf_attr *perf_attr_of(const struct perf_attrs *attrs, const struct raw *r)
{
	const struct perf_attr *best = NULL;
	u64 id;

	if (attrs->same)
		return &attrs->v[0];
	if (!(attrs->v[0].sample_type & SAMPLE_IDENTIFIER) || raw_left(r) < 8)
		return NULL;
	id = raw_at(r->p, 8, r->swap);
	for (u32 i = 0; i < attrs->nr; i++)
		if (attrs->v[i].id <= id && (!best || attrs->v[i].id > best->id))
			best = &attrs->v[i];
	return best;
}

/* ---- fields ---- */

static void skip_if(struct raw *r, u64 type, u64 bit)
{
	if (type & bit)
		raw_take(r, 8);
}

static void skip_read(struct raw *r, u64 format)
{
	u64 times = (u64)__builtin_popcountll(format & READ_TIMES);
	u64 each = 1 + !!(format & READ_ID) + !!(format & READ_LOST), nr;

	if (!(format & READ_GROUP)) {
		raw_take(r, (each + times) * 8);
		return;
	}
	nr = raw_number(r, 8);
	raw_take(r, times * 8);
	raw_take(r, min_u64(nr, UINT32_MAX) * each * 8);
}

static void skip_callchain(struct raw *r) { raw_take(r, min_u64(raw_number(r, 8), UINT32_MAX) * 8); }

/* It stands near the end of @sample. */
static u64 cgroup_of(const struct perf_attr *a, const struct raw *sample)
{
	u64 back = 8 + 8 * (u64)__builtin_popcountll(a->sample_type & SAMPLE_BEHIND_CGROUP);

	if (a->sample_type & SAMPLE_AUX || raw_left(sample) < back)
		return 0;
	return raw_at(sample->end - back, 8, sample->swap);
}

void perf_sample_read(const struct perf_attr *a, struct raw *r, struct perf_sample *s)
{
	u64 type = a->sample_type;

	*s = (struct perf_sample){ .has_cgroup = type & SAMPLE_CGROUP };
	if (s->has_cgroup)
		s->cgroup = cgroup_of(a, r);
	skip_if(r, type, SAMPLE_IDENTIFIER);
	skip_if(r, type, SAMPLE_IP);
	if (type & SAMPLE_TID) {
		s->pid = raw_number(r, 4);
		s->tid = raw_number(r, 4);
	}
	s->time = raw_number(r, 8);
	skip_if(r, type, SAMPLE_ADDR);
	skip_if(r, type, SAMPLE_ID);
	skip_if(r, type, SAMPLE_STREAM);
	if (type & SAMPLE_CPU) {
		s->cpu = raw_number(r, 4);
		raw_take(r, 4);
	}
	skip_if(r, type, SAMPLE_PERIOD);
	if (type & SAMPLE_READ)
		skip_read(r, a->read_format);
	if (type & SAMPLE_CALLCHAIN)
		skip_callchain(r);
	s->size = raw_number(r, 4);
	s->event = raw_take(r, s->size);
}

bool perf_tail_read(const struct perf_attr *a, struct raw *r, u64 *time, u64 *cpu)
{
	if (!a->id_all || !(a->sample_type & SAMPLE_TIME) || !(a->sample_type & SAMPLE_CPU))
		return false;
	skip_if(r, a->sample_type, SAMPLE_TID);
	*time = raw_number(r, 8);
	skip_if(r, a->sample_type, SAMPLE_ID);
	skip_if(r, a->sample_type, SAMPLE_STREAM);
	*cpu = raw_number(r, 4);
	return !r->bad;
}
