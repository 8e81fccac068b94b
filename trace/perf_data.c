/* SPDX-License-Identifier: MIT */
/*
 * perf_data.c - walks through the records of a perf.data.
 *
 *	data | record | record | packed piece | packed piece | ...
 *				     '--- zstd ---> record | record | rec ... ord |	a piece ends anywhere (perf record -z)
 *
 * Names and processes of tasks are said between the events, often before any event names the task: they are put aside to the end.
 */
#include "trace/perf_data.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/trace_dat.h"
#include "trace/unpack.h"

/* Kinds of records. */
enum {
	RECORD_LOST = 2, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_LOST_SAMPLES = 13, RECORD_CGROUP = 19,
	RECORD_AUXTRACE = 71, RECORD_COMPRESSED = 81, RECORD_COMPRESSED_2 = 83
};

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

/* Features, by their bit in the head. */
enum { FEATURE_FORMATS = 1, FEATURE_RELEASE = 4, FEATURE_CPUS = 7, NR_FEATURES = 256 };

#define TYPE_TRACEPOINT 2u
#define USE_CLOCK ((u64)1 << 25)
#define ID_ALL ((u64)1 << 18) /* records that are no samples end in a time and a CPU too */
#define ATTRS_MAX 1024
#define CGROUPS_MAX 4096
#define REST_MAX (2u << 16) /* a record has at most 64 KiB, what comes out of the packing at a time too */
#define ASIDE_MAX ((u64)64 << 20)
#define RATIO_MAX 1000 /* what packs better than that is no recording */

struct attr {
	u64 sample_type, read_format;
	u64 id;	     /* the first of its ids */
	bool useful; /* its samples are events, and have a time and the event's own bytes */
	bool id_all;
};

struct cgroup_id {
	u64 id;
	char *path;
};

struct reading {
	struct trace *tr;
	const u8 *file, *end;
	bool swap;
	struct event_formats fs;
	struct attr attrs[ATTRS_MAX];
	u32 nr_attrs;
	bool same; /* all attrs have one sample_type: no id is needed to read a sample */
	struct cgroup_id *cgroups;
	u32 nr_cgroups, last_cgroup;
	u64 lost, lost_samples; /* the same events: told when it happened, and summed up at the end */
	u8 *aside;		/* records that tell of tasks */
	u64 nr_aside, cap_aside;
	struct unpacker *unpacker;
	u8 *rest;		/* of what was unpacked: a record that has only begun */
	u64 nr_rest, unpacked;
	bool packed, inside;	/* there are packed pieces; one is being read */
	bool cannot;		/* unpack it, or go on with it */
};

static struct raw part_of(const struct reading *d, u64 offset, u64 size)
{
	u64 len = (u64)(d->end - d->file);
	struct raw r = { .p = d->file + min_u64(offset, len), .end = d->end, .swap = d->swap };

	if (size > raw_left(&r))
		r.bad = true; /* and what is there can be read */
	else
		r.end = r.p + size;
	return r;
}

/* ---- attrs ---- */

static void read_clock(struct reading *d, const u8 *attr, u64 size)
{
	static const struct {
		u32 id;
		const char *name;
	} clocks[] = { { 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" }, { 11, "tai" } };
	u32 id;

	if (size < 96 || !(raw_at(attr + 40, 8, d->swap) & USE_CLOCK)) {
		snprintf(d->tr->clock, sizeof(d->tr->clock), "perf");
		return;
	}
	id = (u32)raw_at(attr + 92, 4, d->swap);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (clocks[i].id == id)
			snprintf(d->tr->clock, sizeof(d->tr->clock), "%s", clocks[i].name);
}

/* An attr of @size bytes; where its ids lie stands in the last 16. */
static void read_attr(struct reading *d, const u8 *p, u64 size)
{
	struct attr *a = &d->attrs[d->nr_attrs++];
	struct raw ids = part_of(d, raw_at(p + size - 16, 8, d->swap), raw_at(p + size - 8, 8, d->swap));

	a->sample_type = raw_at(p + 24, 8, d->swap);
	a->read_format = raw_at(p + 32, 8, d->swap);
	a->id_all = raw_at(p + 40, 8, d->swap) & ID_ALL;
	a->id = raw_left(&ids) >= 8 && !ids.bad ? raw_number(&ids, 8) : 0;
	a->useful = raw_at(p, 4, d->swap) == TYPE_TRACEPOINT && (a->sample_type & SAMPLE_TIME) && (a->sample_type & SAMPLE_RAW);
	if (a->useful)
		read_clock(d, p, size - 16);
}

static bool read_attrs(struct reading *d, struct raw *r, u64 size)
{
	if (size < 64 + 16 || size > 4096)
		return false;
	while (raw_left(r) >= size && d->nr_attrs < ATTRS_MAX) {
		read_attr(d, r->p, size);
		r->p += size;
	}
	d->same = true;
	for (u32 i = 1; i < d->nr_attrs; i++)
		d->same &= d->attrs[i].sample_type == d->attrs[0].sample_type && d->attrs[i].read_format == d->attrs[0].read_format &&
			   d->attrs[i].useful == d->attrs[0].useful;
	return d->nr_attrs > 0;
}

/* The attr with the id a sample begins with.  Samples of one event have as many ids as CPUs, so the nearest id below is taken. */
static const struct attr *attr_of(const struct reading *d, const struct raw *sample)
{
	const struct attr *best = NULL;
	u64 id;

	if (d->same)
		return &d->attrs[0];
	if (!(d->attrs[0].sample_type & SAMPLE_IDENTIFIER) || raw_left(sample) < 8)
		return NULL;
	id = raw_at(sample->p, 8, d->swap);
	for (u32 i = 0; i < d->nr_attrs; i++)
		if (d->attrs[i].id <= id && (!best || d->attrs[i].id > best->id))
			best = &d->attrs[i];
	return best;
}

/* ---- cgroups ---- */

static void read_cgroup(struct reading *d, struct raw *r)
{
	u64 id = raw_number(r, 8);
	struct text_span path = raw_string(r);

	if (r->bad || d->nr_cgroups == CGROUPS_MAX)
		return;
	if (!d->cgroups)
		d->cgroups = malloc(CGROUPS_MAX * sizeof(*d->cgroups));
	if (d->cgroups)
		d->cgroups[d->nr_cgroups++] = (struct cgroup_id){ id, strndup(path.s, path.len) };
}

/* @task ran in the cgroup with @id. */
static void keep_cgroup(struct reading *d, u32 task, u64 id)
{
	u32 at = d->last_cgroup;

	if (at >= d->nr_cgroups || d->cgroups[at].id != id)
		for (at = 0; at < d->nr_cgroups && d->cgroups[at].id != id;)
			at++;
	if (at == d->nr_cgroups || !d->cgroups[at].path)
		return;
	d->last_cgroup = at;
	trace_task_group(d->tr, task, d->cgroups[at].path, strlen(d->cgroups[at].path));
}

/* It stands near the sample's end. */
static u64 sample_cgroup(const struct attr *a, const struct raw *sample)
{
	u64 back = 8 + 8 * (u64)__builtin_popcountll(a->sample_type & SAMPLE_BEHIND_CGROUP);

	if (!(a->sample_type & SAMPLE_CGROUP) || (a->sample_type & SAMPLE_AUX) || raw_left(sample) < back)
		return 0;
	return raw_at(sample->end - back, 8, sample->swap);
}

/* ---- samples ---- */

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

static void skip_if(struct raw *r, u64 type, u64 bit)
{
	if (type & bit)
		raw_take(r, 8);
}

static void read_sample(struct reading *d, struct raw *r)
{
	const struct attr *a = attr_of(d, r);
	const struct raw sample = *r;
	u64 type, time = 0, pid = 0, tid = 0, cpu = 0, size;
	const u8 *event;
	u32 task;

	if (!a || !a->useful) {
		d->tr->counts.other_events++;
		trace_count_name(d->tr, "samples", 7, 1);
		return;
	}
	type = a->sample_type;
	skip_if(r, type, SAMPLE_IDENTIFIER);
	skip_if(r, type, SAMPLE_IP);
	if (type & SAMPLE_TID) {
		pid = raw_number(r, 4);
		tid = raw_number(r, 4);
	}
	time = raw_number(r, 8);
	skip_if(r, type, SAMPLE_ADDR);
	skip_if(r, type, SAMPLE_ID);
	skip_if(r, type, SAMPLE_STREAM);
	if (type & SAMPLE_CPU) {
		cpu = raw_number(r, 4);
		raw_take(r, 4);
	}
	skip_if(r, type, SAMPLE_PERIOD);
	if (type & SAMPLE_READ)
		skip_read(r, a->read_format);
	if (type & SAMPLE_CALLCHAIN)
		raw_take(r, min_u64(raw_number(r, 8), UINT32_MAX) * 8);
	size = raw_number(r, 4);
	event = raw_take(r, size);
	if (!event) {
		d->tr->counts.bad_events++;
		return;
	}
	raw_event_add(d->tr, &d->fs, event, size, time, (u16)min_u64(cpu, TRACE_CPUS_MAX));
	if (!(type & SAMPLE_TID) || !tid || tid > INT32_MAX || pid > INT32_MAX)
		return;
	task = trace_task_find(d->tr, (s32)tid);
	if (task == TRACE_NO_TASK)
		return;
	d->tr->tasks[task].tgid = (s32)pid;
	if (type & SAMPLE_CGROUP)
		keep_cgroup(d, task, sample_cgroup(a, &sample));
}

/* ---- records ---- */

/* @n events were lost on the CPU, and at about the time, that the end of the record says. */
static void read_lost(struct reading *d, struct raw *r)
{
	struct trace_record rec = { .where = TRACE_NOWHERE, .type = TRACE_LOST };
	const struct attr *a = attr_of(d, r);
	u64 n;

	raw_number(r, 8);
	n = raw_number(r, 8);
	d->lost += n;
	d->tr->counts.lost_marks++;
	if (!a || !a->id_all || !(a->sample_type & SAMPLE_TIME) || !(a->sample_type & SAMPLE_CPU))
		return;
	skip_if(r, a->sample_type, SAMPLE_TID);
	rec.time = raw_number(r, 8);
	skip_if(r, a->sample_type, SAMPLE_ID);
	skip_if(r, a->sample_type, SAMPLE_STREAM);
	rec.cpu = (u16)min_u64(raw_number(r, 4), TRACE_CPUS_MAX);
	rec.other = (u32)min_u64(n, UINT32_MAX);
	if (!r->bad && rec.cpu < TRACE_CPUS_MAX)
		trace_add(d->tr, &rec);
}

/* Kept until all tasks are known. */
static void put_aside(struct reading *d, u32 type, const struct raw *r)
{
	u64 len = raw_left(r), want = d->nr_aside + 8 + len;
	u32 head[2] = { type, (u32)len };
	u8 *more;

	if (want > d->cap_aside) {
		more = want <= ASIDE_MAX ? realloc(d->aside, want * 2) : NULL;
		if (!more)
			return; /* a name less */
		d->aside = more;
		d->cap_aside = want * 2;
	}
	memcpy(d->aside + d->nr_aside, head, 8);
	memcpy(d->aside + d->nr_aside + 8, r->p, len);
	d->nr_aside = want;
}

/* Names and processes of tasks that events named. */
static void read_task_record(struct reading *d, u32 type, struct raw *r)
{
	u64 pid = raw_number(r, 4), tid;
	struct text_span name;
	u32 task;

	if (type == RECORD_FORK)
		raw_take(r, 4);
	tid = raw_number(r, 4);
	if (r->bad || !tid || tid > INT32_MAX || !pid || pid > INT32_MAX)
		return;
	task = trace_task_find(d->tr, (s32)tid);
	if (task == TRACE_NO_TASK || task == TRACE_IDLE)
		return;
	if (!d->tr->tasks[task].tgid)
		d->tr->tasks[task].tgid = (s32)pid;
	if (type == RECORD_COMM && !d->tr->tasks[task].name[0]) {
		name = raw_string(r);
		trace_task_name(d->tr, task, name.s, name.len);
	}
}

static void read_aside(struct reading *d)
{
	u32 head[2];

	for (u64 at = 0; at < d->nr_aside; at += 8 + head[1]) {
		struct raw r = { .p = d->aside + at + 8, .swap = d->swap };

		memcpy(head, d->aside + at, 8);
		r.end = r.p + head[1];
		read_task_record(d, head[0], &r);
	}
}

static void read_packed(struct reading *d, struct raw *r);

static void read_record(struct reading *d, u32 type, struct raw *r)
{
	switch (type) {
	case RECORD_SAMPLE:
		read_sample(d, r);
		break;
	case RECORD_LOST:
		read_lost(d, r);
		break;
	case RECORD_LOST_SAMPLES:
		d->lost_samples += raw_number(r, 8);
		break;
	case RECORD_CGROUP:
		read_cgroup(d, r);
		break;
	case RECORD_COMM:
	case RECORD_FORK:
		put_aside(d, type, r);
		break;
	case RECORD_COMPRESSED_2: /* how much of it is no padding stands first */
		*r = raw_part(r, raw_number(r, 8));
		read_packed(d, r);
		break;
	case RECORD_COMPRESSED:
		read_packed(d, r);
		break;
	default:
		break;
	}
}

/* The next record of @data.  False where it has only begun, or makes no sense, which *@bad says. */
static bool next_record(struct reading *d, struct raw *data, bool *bad)
{
	const u8 *start = data->p;
	u32 type, size;
	struct raw r;

	if (raw_left(data) < 8)
		return false;
	type = (u32)raw_number(data, 4);
	raw_number(data, 2);
	size = (u32)raw_number(data, 2);
	*bad = size < 8;
	if (size < 8 || raw_left(data) < size - 8) {
		data->p = start;
		return false;
	}
	r = raw_part(data, size - 8);
	if (type == RECORD_AUXTRACE)
		raw_take(data, raw_at(r.p, raw_left(&r) >= 8 ? 8 : 0, d->swap));
	read_record(d, type, &r);
	return true;
}

static void walk(struct reading *d, struct raw data)
{
	bool bad = false;

	data.bad = false;
	while (next_record(d, &data, &bad))
		;
	if (bad || raw_left(&data) || d->nr_rest)
		d->tr->counts.half_lines++;
}

/* ---- packed pieces ---- */

/* @len more bytes, at most 64 KiB, have come out: whole records are read, the beginning of one stays. */
static void take_unpacked(void *reading, const char *buf, size_t len)
{
	struct reading *d = reading;
	struct raw data = { .p = d->rest, .swap = d->swap };
	bool bad = false;

	d->unpacked += len;
	if (d->cannot || d->nr_rest + len > REST_MAX)
		return;
	memcpy(d->rest + d->nr_rest, buf, len);
	data.end = d->rest + d->nr_rest + len;
	while (next_record(d, &data, &bad))
		;
	d->nr_rest = raw_left(&data);
	memmove(d->rest, data.p, d->nr_rest);
	if (bad || d->unpacked / RATIO_MAX > (u64)(d->end - d->file))
		d->cannot = true;
}

static void read_packed(struct reading *d, struct raw *r)
{
	if (d->inside || d->cannot)
		return;
	d->packed = true;
	if (!d->unpacker) {
		d->rest = malloc(REST_MAX);
		d->unpacker = d->rest ? unpacker_new(PACKING_ZSTD) : NULL;
		d->cannot = !d->unpacker;
	}
	d->inside = true;
	if (!d->cannot && !unpacker_feed(d->unpacker, r->p, raw_left(r), take_unpacked, d)) {
		d->cannot = true;
		d->tr->counts.half_lines++;
	}
	d->inside = false;
}

/* ---- features ---- */

static void read_feature(struct reading *d, u32 feature, struct raw *r)
{
	struct trace_head head;
	struct text_span text;
	u64 n;

	switch (feature) {
	case FEATURE_FORMATS:
		trace_head_read(&head, r, &d->fs);
		break;
	case FEATURE_RELEASE:
		raw_number(r, 4);
		text = raw_string(r);
		snprintf(d->tr->kernel, sizeof(d->tr->kernel), "%.*s", (int)min_u64(text.len, sizeof(d->tr->kernel) - 1), text.s);
		break;
	case FEATURE_CPUS: /* online, available */
		n = raw_number(r, 4);
		if (n && n <= TRACE_CPUS_MAX)
			d->tr->cpus = (int)n;
		break;
	default:
		break;
	}
}

/* Behind the data, for each bit in order: where it lies and how long it is. */
static bool read_features(struct reading *d, const u8 *bits, u64 at)
{
	struct raw table = part_of(d, at, (u64)(d->end - d->file) - min_u64(at, (u64)(d->end - d->file)));

	for (u32 i = 0; i < NR_FEATURES; i++) {
		u64 word = raw_at(bits + i / 64 * 8, 8, d->swap), offset, size;
		struct raw r;

		if (!(word >> i % 64 & 1))
			continue;
		offset = raw_number(&table, 8);
		size = raw_number(&table, 8);
		if (table.bad)
			return false;
		r = part_of(d, offset, size);
		r.bad = false;
		read_feature(d, i, &r);
	}
	return true;
}

static int read_file(struct reading *d, const char *path, struct err *err)
{
	struct raw head = { .p = d->file, .end = d->end }, attrs, data;
	u64 head_size, attr_size, offset, size;
	const u8 *bits;
	bool whole;

	raw_take(&head, 8);
	if (raw_left(&head) >= 8 && raw_at(head.p, 8, false) > UINT32_MAX)
		head.swap = d->swap = d->fs.swap = true;
	head_size = raw_number(&head, 8);
	if (head_size == 16) {
		err_at(err, path, 0, 0, NULL, "a perf.data that was written into a pipe, without its table of contents");
		err_hint(err, "make text of it: perf script --ns -i %s > trace.txt", path);
		return -1;
	}
	attr_size = raw_number(&head, 8);
	offset = raw_number(&head, 8);
	attrs = part_of(d, offset, raw_number(&head, 8));
	offset = raw_number(&head, 8);
	size = raw_number(&head, 8);
	data = part_of(d, offset, size);
	raw_take(&head, 16);
	bits = raw_take(&head, NR_FEATURES / 8);
	if (!bits || attrs.bad || !read_attrs(d, &attrs, attr_size))
		return err_at(err, path, 0, 0, NULL, "a perf.data whose header is damaged or cut off");
	whole = read_features(d, bits, offset + size);
	if (data.bad || !size || !whole)
		d->tr->counts.half_lines++;
	if (!d->fs.nr && d->attrs[0].useful) {
		err_at(err, path, 0, 0, NULL, "a perf.data without the formats of its events: its end is missing, perf did not finish it");
		err_hint(err, "record again, and end perf with Ctrl-C or by the command it runs");
		return -1;
	}
	walk(d, data);
	read_aside(d);
	d->tr->counts.lost += max_u64(d->lost, d->lost_samples);
	if (d->packed && !unpack_knows(PACKING_ZSTD) && !d->tr->counts.events) {
		err_at(err, path, 0, 0, NULL, "a perf.data whose records are packed (perf record -z), which this build cannot unpack");
		err_hint(err, "make text of it: perf script --ns -i %s > trace.txt", path);
		return -1;
	}
	return 0;
}

int perf_data_read(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err)
{
	struct reading *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	d->tr = tr;
	d->file = p;
	d->end = p + len;
	tr->format = "perf.data";
	event_formats_init(&d->fs);
	ret = read_file(d, path, err);
	event_formats_count(&d->fs, tr);
	event_formats_fini(&d->fs);
	for (u32 i = 0; i < d->nr_cgroups; i++)
		free(d->cgroups[i].path);
	free(d->cgroups);
	free(d->aside);
	free(d->rest);
	unpacker_free(d->unpacker);
	free(d);
	return ret;
}
