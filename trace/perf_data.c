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

#include "trace/perf_sample.h"
#include "trace/trace_dat.h"
#include "trace/unpack.h"

/* Kinds of records. */
enum {
	RECORD_LOST = 2, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_LOST_SAMPLES = 13, RECORD_CGROUP = 19,
	RECORD_AUXTRACE = 71, RECORD_COMPRESSED = 81, RECORD_COMPRESSED_2 = 83
};

/* Features, by their bit in the head. */
enum { FEATURE_FORMATS = 1, FEATURE_RELEASE = 4, FEATURE_CPUS = 7, NR_FEATURES = 256 };

#define USE_CLOCK ((u64)1 << 25) /* of an attr's flags: its clock is not perf's own */
#define HEAD_OF_PIPE 16 /* bytes: a head without the places of the parts */
#define CGROUPS_MAX 4096
#define REST_MAX (2u << 16) /* a record has at most 64 KiB, what comes out of the packing at a time too */
#define ASIDE_MAX ((u64)64 << 20)
#define RATIO_MAX 1000 /* what packs better than that is no recording */

struct cgroup_id {
	u64 id;
	char *path;
};

struct reading {
	struct trace *tr;
	const u8 *file, *end;
	bool swap;
	struct event_formats fs;
	struct perf_attrs attrs;
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

/* @size bytes of an attr, and in the last 16 where its ids lie. */
static void read_attr(struct reading *d, const u8 *p, u64 size)
{
	struct raw ids = part_of(d, raw_at(p + size - 16, 8, d->swap), raw_at(p + size - 8, 8, d->swap));
	const struct perf_attr *a = perf_attr_add(&d->attrs, p, &ids);

	if (a && a->useful)
		read_clock(d, p, size - 16);
}

static bool read_attrs(struct reading *d, struct raw *r, u64 size)
{
	if (size < 64 + 16 || size > 4096)
		return false;
	while (raw_left(r) >= size && d->attrs.nr < PERF_ATTRS_MAX) {
		read_attr(d, r->p, size);
		r->p += size;
	}
	perf_attrs_compare(&d->attrs);
	return d->attrs.nr > 0;
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

/* ---- samples ---- */

/* Who ran, and where it belongs. */
static void keep_task(struct reading *d, const struct perf_sample *s)
{
	u32 task;

	if (!s->tid || s->tid > INT32_MAX || s->pid > INT32_MAX)
		return;
	task = trace_task_find(d->tr, (s32)s->tid);
	if (task == TRACE_NO_TASK)
		return;
	d->tr->tasks[task].tgid = (s32)s->pid;
	if (s->has_cgroup)
		keep_cgroup(d, task, s->cgroup);
}

static void read_sample(struct reading *d, struct raw *r)
{
	const struct perf_attr *a = perf_attr_of(&d->attrs, r);
	struct perf_sample s;

	if (!a || !a->useful) {
		d->tr->counts.other_events++;
		trace_count_name(d->tr, "samples", 7, 1);
		return;
	}
	perf_sample_read(a, r, &s);
	if (!s.event) {
		d->tr->counts.bad_events++;
		return;
	}
	raw_event_add(d->tr, &d->fs, s.event, s.size, s.time, (u16)min_u64(s.cpu, TRACE_CPUS_MAX));
	keep_task(d, &s);
}

/* ---- records ---- */

/* @n events were lost on the CPU, and at about the time, that the end of the record says. */
static void read_lost(struct reading *d, struct raw *r)
{
	struct trace_record rec = { .where = TRACE_NOWHERE, .type = TRACE_LOST };
	const struct perf_attr *a = perf_attr_of(&d->attrs, r);
	u64 n, time, cpu;

	raw_number(r, 8);
	n = raw_number(r, 8);
	d->lost += n;
	d->tr->counts.lost_marks++;
	if (!a || !perf_tail_read(a, r, &time, &cpu) || cpu >= TRACE_CPUS_MAX)
		return;
	rec.time = time;
	rec.cpu = (u16)cpu;
	rec.other = (u32)min_u64(n, UINT32_MAX);
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

/* Where the parts lie. */
struct head {
	u64 attr_size;
	struct raw attrs, data;
	const u8 *feature_bits;
	u64 features; /* from the beginning */
};

/* In the byte order of the machine that wrote it, which the head's own size tells. */
static int read_head(struct reading *d, struct head *h, const char *path, struct err *err)
{
	struct raw r = { .p = d->file, .end = d->end };
	u64 offset, size;

	raw_take(&r, 8);
	if (raw_left(&r) >= 8 && raw_at(r.p, 8, false) > UINT32_MAX)
		r.swap = d->swap = d->fs.swap = true;
	if (raw_number(&r, 8) == HEAD_OF_PIPE) {
		err_at(err, path, 0, 0, NULL, "a perf.data that was written into a pipe, without its table of contents");
		err_hint(err, "make text of it: perf script --ns -i %s > trace.txt", path);
		return -1;
	}
	h->attr_size = raw_number(&r, 8);
	offset = raw_number(&r, 8);
	h->attrs = part_of(d, offset, raw_number(&r, 8));
	offset = raw_number(&r, 8);
	size = raw_number(&r, 8);
	h->data = part_of(d, offset, size);
	h->data.bad |= !size;
	h->features = offset + size;
	raw_take(&r, 16);
	h->feature_bits = raw_take(&r, NR_FEATURES / 8);
	if (!h->feature_bits || h->attrs.bad || !read_attrs(d, &h->attrs, h->attr_size))
		return err_at(err, path, 0, 0, NULL, "a perf.data whose header is damaged or cut off");
	return 0;
}

static int read_file(struct reading *d, const char *path, struct err *err)
{
	struct head h;
	bool whole;

	if (read_head(d, &h, path, err))
		return -1;
	whole = read_features(d, h.feature_bits, h.features);
	if (h.data.bad || !whole)
		d->tr->counts.half_lines++;
	if (!d->fs.nr && d->attrs.v[0].useful) {
		err_at(err, path, 0, 0, NULL, "a perf.data without the formats of its events: its end is missing, perf did not finish it");
		err_hint(err, "record again, and end perf with Ctrl-C or by the command it runs");
		return -1;
	}
	walk(d, h.data);
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
