/* SPDX-License-Identifier: MIT */
/* perf_data.c - walks through the records of a perf.data. */
#include "trace/perf_data.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/trace_dat.h"

/* Kinds of records. */
enum {
	RECORD_LOST = 2, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_LOST_SAMPLES = 13, RECORD_CGROUP = 19,
	RECORD_AUXTRACE = 71, RECORD_COMPRESSED = 81
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
#define ATTRS_MAX 1024
#define CGROUPS_MAX 4096

struct attr {
	u64 sample_type, read_format;
	u64 id;	     /* the first of its ids */
	bool useful; /* its samples are events, and have a time and the event's own bytes */
};

struct cgroup_id {
	u64 id;
	struct text_span path;
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
	u64 compressed;
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
		d->cgroups[d->nr_cgroups++] = (struct cgroup_id){ id, path };
}

/* @task ran in the cgroup with @id. */
static void keep_cgroup(struct reading *d, u32 task, u64 id)
{
	u32 at = d->last_cgroup;

	if (at >= d->nr_cgroups || d->cgroups[at].id != id)
		for (at = 0; at < d->nr_cgroups && d->cgroups[at].id != id;)
			at++;
	if (at == d->nr_cgroups)
		return;
	d->last_cgroup = at;
	trace_task_group(d->tr, task, d->cgroups[at].path.s, d->cgroups[at].path.len);
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

static void lost(struct reading *d, u64 n)
{
	d->tr->counts.lost += n;
	d->tr->counts.lost_marks++;
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

static void read_record(struct reading *d, u32 type, struct raw *r)
{
	switch (type) {
	case RECORD_SAMPLE:
		read_sample(d, r);
		break;
	case RECORD_LOST:
		raw_number(r, 8);
		lost(d, raw_number(r, 8));
		break;
	case RECORD_LOST_SAMPLES:
		lost(d, raw_number(r, 8));
		break;
	case RECORD_CGROUP:
		read_cgroup(d, r);
		break;
	case RECORD_COMPRESSED:
		d->compressed++;
		break;
	default:
		break;
	}
}

/* All records of @data; @names: only those that tell of tasks, which must wait until all tasks are known. */
static void walk(struct reading *d, struct raw data, bool names)
{
	data.bad = false;
	while (raw_left(&data) >= 8) {
		u32 type = (u32)raw_number(&data, 4), size;
		struct raw r;

		raw_number(&data, 2);
		size = (u32)raw_number(&data, 2);
		r = raw_part(&data, size < 8 ? 0 : size - 8);
		if (size < 8 || data.bad) {
			d->tr->counts.half_lines += !names;
			return;
		}
		if (names && (type == RECORD_COMM || type == RECORD_FORK))
			read_task_record(d, type, &r);
		else if (!names)
			read_record(d, type, &r);
		if (type == RECORD_AUXTRACE)
			raw_take(&data, raw_number(&r, 8));
	}
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
	walk(d, data, false);
	walk(d, data, true);
	if (d->compressed && !d->tr->counts.events) {
		err_at(err, path, 0, 0, NULL, "a perf.data whose records are packed (perf record -z)");
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
	free(d->cgroups);
	free(d);
	return ret;
}
