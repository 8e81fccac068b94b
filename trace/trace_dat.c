/* SPDX-License-Identifier: MIT */
/* trace_dat.c - finds the formats and the pages of a trace.dat. */
#include "trace/trace_dat.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/unpack.h"

#define OPTIONS_MOST 100000 /* more would be a damaged file's */

enum option_id { /* of both versions; from 16 on they are the ids of sections too */
	OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_BUFFER = 3, OPTION_CLOCK = 4, OPTION_UNAME = 5, OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8, OPTION_TSC = 14, OPTION_HEADER = 16, OPTION_FTRACE = 17, OPTION_FORMATS = 18, OPTION_NAMES = 21,
	OPTION_TGIDS = 23
};

/* A recording being read. */
struct reading {
	struct trace *tr;
	const u8 *file, *end;
	bool swap;
	struct event_formats fs;
	struct trace_head head;
	enum packing packing;
	u64 overrun;		/* events the kernel says it dropped */
	u8 *kept[2];		/* unpacked names and tgids */
	const u8 *buffers[64];	/* options that name a buffer */
	u32 buffer_size[64];
	u32 nr_buffers;
};

static struct raw part_at(const struct reading *d, u64 offset)
{
	u64 len = (u64)(d->end - d->file);

	return (struct raw){ .p = d->file + min_u64(offset, len), .end = d->end, .swap = d->swap, .bad = offset > len };
}

/* ---- the parts that both versions have ---- */

static struct text_span as_text(const struct raw *r) { return (struct text_span){ (const char *)r->p, (size_t)raw_left(r) }; }

static bool read_header_page(struct trace_head *head, struct raw *r)
{
	struct text_span text;
	struct raw part;

	if (!raw_word(r, "header_page"))
		return false;
	part = raw_part(r, raw_number(r, 8));
	text = as_text(&part);
	ring_header(&head->ring, text.s, text.len);
	if (!raw_word(r, "header_event"))
		return false;
	raw_take(r, raw_number(r, 8));
	return !r->bad;
}

static void read_formats(struct raw *r, u64 nr, struct event_formats *fs)
{
	while (nr-- && !r->bad) {
		struct raw part = raw_part(r, raw_number(r, 8));
		struct text_span text = as_text(&part);

		if (!r->bad)
			event_format_add(fs, text.s, text.len);
	}
}

static void read_systems(struct raw *r, struct event_formats *fs)
{
	u64 nr = raw_number(r, 4);

	while (nr-- && !r->bad) {
		raw_string(r);
		read_formats(r, raw_number(r, 4), fs);
	}
}

bool trace_head_read(struct trace_head *head, struct raw *r, struct event_formats *fs)
{
	struct text_span version;
	struct raw part;
	static const u16 one = 1;
	u64 order;

	memset(head, 0, sizeof(*head));
	ring_init(&head->ring);
	if (raw_left(r) < 10 || memcmp(r->p, TRACE_DAT_MAGIC, 10) != 0)
		return false;
	r->p += 10;
	version = raw_string(r);
	head->version = version.len && version.s[0] >= '0' && version.s[0] <= '9' ? (u32)(version.s[0] - '0') : 0;
	order = raw_number(r, 1);
	r->swap = (order == 0) != (*(const u8 *)&one == 1);
	fs->swap = head->ring.swap = r->swap;
	raw_take(r, 1);
	head->ring.page_size = (u32)raw_number(r, 4);
	if (r->bad || head->version > 6)
		return !r->bad;
	if (!read_header_page(head, r))
		return false;
	read_formats(r, raw_number(r, 4), fs);
	read_systems(r, fs);
	raw_take(r, raw_number(r, 4));
	raw_take(r, raw_number(r, 4));
	part = raw_part(r, raw_number(r, 8));
	head->names = as_text(&part);
	return !r->bad;
}

/* "pid name" or "pid tgid" lines, for tasks that events named. */
static void read_pid_lines(struct trace *tr, const struct text_span *text, bool are_names)
{
	const char *p = text->s, *end, *nl;
	u64 pid, tgid;

	if (!text->len)
		return; /* there may be no text at all */
	end = p + text->len;
	for (; p < end; p = nl + 1) {
		u32 task;

		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		skip_blanks(&p, nl);
		if (read_number(&p, nl, &pid) && pid && pid <= INT32_MAX) {
			task = trace_task_find(tr, (s32)pid);
			skip_blanks(&p, nl);
			if (task == TRACE_NO_TASK)
				;
			else if (are_names && !tr->tasks[task].name[0])
				trace_task_name(tr, task, p, (size_t)(nl - p));
			else if (!are_names && read_number(&p, nl, &tgid) && tgid && tgid <= INT32_MAX)
				tr->tasks[task].tgid = (s32)tgid;
		}
		if (nl == end)
			break;
	}
}

void trace_head_names(const struct trace_head *head, struct trace *tr)
{
	read_pid_lines(tr, &head->names, true);
	read_pid_lines(tr, &head->tgids, false);
}

/* ---- options ---- */

/* "[local] global counter": the one in brackets. */
static void keep_clock(struct trace *tr, const char *s, size_t len)
{
	const char *end = s + len, *open = memchr(s, '[', len), *close;

	if (open && (close = memchr(open, ']', (size_t)(end - open)))) {
		s = open + 1;
		end = close;
	}
	while (end > s && (end[-1] == '\0' || end[-1] == '\n'))
		end--;
	if (end > s)
		snprintf(tr->clock, sizeof(tr->clock), "%.*s", (int)min_u64((u64)(end - s), sizeof(tr->clock) - 1), s);
}

/* "Linux host 6.1.0-18-amd64 #1 SMP ...": the third word. */
static void keep_kernel(struct trace *tr, const char *s, size_t len)
{
	const char *p = s, *end = s + strnlen(s, len);

	for (int word = 0; word < 2 && p < end; word++) {
		while (p < end && *p != ' ')
			p++;
		skip_blanks(&p, end);
	}
	s = p;
	while (p < end && *p != ' ')
		p++;
	snprintf(tr->kernel, sizeof(tr->kernel), "%.*s", (int)min_u64((u64)(p - s), sizeof(tr->kernel) - 1), s);
}

/* What follows @key in a CPU's stats. */
static u64 stat_of(const char *s, const char *end, const char *key)
{
	const char *p = find_word(s, end, key);
	u64 n;

	if (!p)
		return 0;
	p += strlen(key);
	skip_blanks(&p, end);
	return read_number(&p, end, &n) ? n : 0;
}

static s64 signed_number(const char *s, const char *end)
{
	bool minus = read_word(&s, end, "-");
	u64 n = 0, digit;

	if (!read_word(&s, end, "0x"))
		return read_number(&s, end, &n) ? (minus ? -(s64)n : (s64)n) : 0;
	for (; s < end; s++) {
		digit = *s >= '0' && *s <= '9' ? (u64)(*s - '0') : *s >= 'a' && *s <= 'f' ? (u64)(*s - 'a' + 10) : 16;
		if (digit > 15)
			break;
		n = n << 4 | digit;
	}
	return minus ? -(s64)n : (s64)n;
}

static void take_option(struct reading *d, u32 id, struct raw *r)
{
	struct text_span text = as_text(r);
	const char *end = text.s + text.len;

	switch (id) {
	case OPTION_CPUSTAT:
		d->overrun += stat_of(text.s, end, "\noverrun:") + stat_of(text.s, end, "dropped events:");
		break;
	case OPTION_BUFFER:
		if (d->nr_buffers < ARRAY_SIZE(d->buffers)) {
			d->buffers[d->nr_buffers] = r->p;
			d->buffer_size[d->nr_buffers++] = (u32)text.len;
		}
		break;
	case OPTION_CLOCK:
		keep_clock(d->tr, text.s, text.len);
		break;
	case OPTION_UNAME:
		keep_kernel(d->tr, text.s, text.len);
		break;
	case OPTION_OFFSET:
		d->head.ring.shift += signed_number(text.s, end);
		break;
	case OPTION_CPUCOUNT:
		if (text.len >= 4)
			d->tr->cpus = (int)min_u64(raw_at(r->p, 4, d->swap), TRACE_CPUS_MAX);
		break;
	case OPTION_TSC:
		d->head.ring.mult = (u32)raw_number(r, 4);
		d->head.ring.right = (u32)raw_number(r, 4) & 63;
		d->head.ring.offset = raw_number(r, 8);
		d->head.ring.cycles = !r->bad && d->head.ring.mult;
		break;
	default:
		break;
	}
}

/* Clocks that do not count time; cycles do where the file says how. */
static bool counts_no_time(const struct reading *d)
{
	const char *c = d->tr->clock;

	return !strcmp(c, "counter") || (!strcmp(c, "x86-tsc") && !d->head.ring.cycles);
}

/* Pages of @cpu at @offset. */
static void read_cpu(struct reading *d, u64 offset, u64 size, u32 cpu)
{
	struct raw r = part_at(d, offset);

	if (!size || cpu >= TRACE_CPUS_MAX)
		return;
	if (r.bad || size > raw_left(&r))
		d->tr->counts.half_lines++; /* the file is cut off */
	trace_new_stream(d->tr, (u16)cpu);
	ring_pages(&d->head.ring, r.p, min_u64(size, raw_left(&r)), (u16)cpu, d->tr, &d->fs);
}

/* ---- version 6 ---- */

/* "flyrecord" and where the pages of each CPU lie. */
static bool read_flyrecord(struct reading *d, struct raw *r, u64 cpus)
{
	if (!raw_word(r, "flyrecord"))
		return false;
	for (u64 cpu = 0; cpu < cpus && !r->bad; cpu++) {
		u64 offset = raw_number(r, 8), size = raw_number(r, 8);

		if (!r->bad)
			read_cpu(d, offset, size, (u32)cpu);
	}
	return true;
}

static int read_version_6(struct reading *d, struct raw *r, const char *path, struct err *err)
{
	u64 cpus = raw_number(r, 4), nr = 0;

	if (cpus > TRACE_CPUS_MAX || r->bad)
		return err_at(err, path, 0, 0, NULL, "a trace.dat whose header is damaged: no number of CPUs in it");
	d->tr->cpus = (int)cpus;
	if (raw_word(r, "options  ")) {
		u32 id;

		while ((id = (u32)raw_number(r, 2)) != OPTION_DONE && nr++ < OPTIONS_MOST) {
			struct raw part = raw_part(r, raw_number(r, 4));

			if (!r->bad)
				take_option(d, id, &part);
		}
	}
	if (counts_no_time(d)) {
		d->tr->counts.no_time++;
		return 0;
	}
	if (raw_word(r, "latency  ")) {
		err_at(err, path, 0, 0, NULL, "a trace.dat of a latency tracer, which holds text");
		err_hint(err, "make text of it: trace-cmd report %s > trace.txt", path);
		return -1;
	}
	if (!read_flyrecord(d, r, cpus))
		d->tr->counts.half_lines++;
	for (u32 i = 0; i < d->nr_buffers; i++) { /* other instances of the tracer */
		struct raw option = { .p = d->buffers[i], .end = d->buffers[i] + d->buffer_size[i], .swap = d->swap };
		struct raw table = part_at(d, raw_number(&option, 8));

		if (!option.bad)
			read_flyrecord(d, &table, cpus);
	}
	return 0;
}

/* ---- version 7 ---- */

/* The section at @offset, unpacked; *@copy must be freed. */
static struct raw section_at(struct reading *d, u64 offset, u8 **copy)
{
	struct raw r = part_at(d, offset), part;
	u64 flags, len, size, got;

	*copy = NULL;
	raw_number(&r, 2);
	flags = raw_number(&r, 2);
	raw_number(&r, 4);
	part = raw_part(&r, raw_number(&r, 8));
	if (r.bad || !(flags & 1)) {
		part.bad |= r.bad;
		return part;
	}
	len = raw_number(&part, 4);
	size = raw_number(&part, 4);
	if (part.bad || size > UNPACK_MOST || len > raw_left(&part) || !(*copy = malloc(size + 1)))
		return (struct raw){ .p = d->end, .end = d->end, .bad = true };
	got = unpack(d->packing, *copy, size, part.p, len);
	return (struct raw){ .p = *copy, .end = *copy + got, .swap = d->swap, .bad = !got };
}

static void keep_lines(struct text_span *lines, u8 **kept, struct raw *r, u8 *copy)
{
	struct raw part = raw_part(r, raw_number(r, 8));

	*lines = as_text(&part);
	free(*kept);
	*kept = copy;
}

/* An option that names a section. */
static void read_section(struct reading *d, u32 id, u64 offset)
{
	u8 *copy;
	struct raw r = section_at(d, offset, &copy);

	if (r.bad)
		d->tr->counts.half_lines++;
	switch (r.bad ? 0 : id) {
	case OPTION_HEADER:
		read_header_page(&d->head, &r);
		break;
	case OPTION_FTRACE:
		read_formats(&r, raw_number(&r, 4), &d->fs);
		break;
	case OPTION_FORMATS:
		read_systems(&r, &d->fs);
		break;
	case OPTION_NAMES:
		keep_lines(&d->head.names, &d->kept[0], &r, copy);
		return;
	case OPTION_TGIDS:
		keep_lines(&d->head.tgids, &d->kept[1], &r, copy);
		return;
	default:
		break;
	}
	free(copy);
}

/* Packed pages come in chunks of whole pages. */
static void read_chunks(struct reading *d, u64 offset, u64 size, u32 cpu)
{
	struct raw r = part_at(d, offset);
	u64 nr;

	if (!size || cpu >= TRACE_CPUS_MAX)
		return;
	nr = raw_number(&r, 4);
	trace_new_stream(d->tr, (u16)cpu);
	while (nr-- && !r.bad) {
		u64 len = raw_number(&r, 4), out = raw_number(&r, 4), got;
		const u8 *from = raw_take(&r, len);
		u8 *copy = from && out && out <= UNPACK_MOST ? malloc(out) : NULL;

		got = copy ? unpack(d->packing, copy, out, from, len) : 0;
		if (got)
			ring_pages(&d->head.ring, copy, got, (u16)cpu, d->tr, &d->fs);
		else
			d->tr->counts.half_lines++;
		free(copy);
	}
}

/* An option that names a buffer: where it lies, what it is called, its clock, its pages for each CPU. */
static void read_buffer(struct reading *d, struct raw *r)
{
	struct raw section = part_at(d, raw_number(r, 8));
	struct text_span clock;
	u32 page;
	bool packed;
	u64 nr;

	raw_string(r);
	clock = raw_string(r);
	page = (u32)raw_number(r, 4);
	nr = raw_number(r, 4);
	raw_number(&section, 2);
	packed = raw_number(&section, 2) & 1;
	if (r->bad || section.bad || page < 64 || page > UNPACK_MOST) {
		d->tr->counts.half_lines++;
		return;
	}
	keep_clock(d->tr, clock.s, clock.len);
	if (counts_no_time(d)) {
		d->tr->counts.no_time++;
		return;
	}
	d->head.ring.page_size = page;
	if ((int)nr > d->tr->cpus && nr <= TRACE_CPUS_MAX)
		d->tr->cpus = (int)nr;
	while (nr-- && !r->bad) {
		u32 cpu = (u32)raw_number(r, 4);
		u64 offset = raw_number(r, 8), size = raw_number(r, 8);

		if (r->bad)
			d->tr->counts.half_lines++;
		else if (packed)
			read_chunks(d, offset, size, cpu);
		else
			read_cpu(d, offset, size, cpu);
	}
}

/* All options, from section to section.  Formats must be known before pages are read, so buffers come last. */
static void read_options(struct reading *d, u64 offset, u8 **copies, u32 most)
{
	u64 nr = 0;

	for (u32 section = 0; section < most && offset; section++) {
		struct raw r = section_at(d, offset, &copies[section]);

		offset = 0;
		if (r.bad)
			d->tr->counts.half_lines++;
		while (!r.bad && raw_left(&r) >= 6 && nr++ < OPTIONS_MOST) {
			u32 id = (u32)raw_number(&r, 2);
			struct raw part = raw_part(&r, raw_number(&r, 4));

			if (r.bad)
				break;
			if (id == OPTION_DONE) {
				offset = raw_left(&part) >= 8 ? raw_number(&part, 8) : 0;
				break;
			}
			if (id >= OPTION_HEADER && raw_left(&part) == 8)
				read_section(d, id, raw_number(&part, 8));
			else
				take_option(d, id, &part);
		}
	}
}

#define OPTION_SECTIONS 64

static int read_version_7(struct reading *d, struct raw *r, const char *path, struct err *err)
{
	u8 *copies[OPTION_SECTIONS] = { NULL };
	struct text_span name = raw_string(r);
	u64 offset;

	raw_string(r);
	offset = raw_number(r, 8);
	if (r->bad)
		return err_at(err, path, 0, 0, NULL, "a trace.dat whose header is cut off");
	d->packing = packing_named(name.s, name.len);
	if (!unpack_knows(d->packing)) {
		err_at(err, path, 0, 0, NULL, "is packed by \"%.*s\", which this build cannot unpack", (int)min_u64(name.len, 32), name.s);
		err_hint(err, "convert it: trace-cmd convert --file-version 6 -i %s -o plain.dat", path);
		return -1;
	}
	read_options(d, offset, copies, OPTION_SECTIONS);
	for (u32 i = 0; i < d->nr_buffers; i++) {
		struct raw option = { .p = d->buffers[i], .end = d->buffers[i] + d->buffer_size[i], .swap = d->swap };

		read_buffer(d, &option);
	}
	for (u32 i = 0; i < OPTION_SECTIONS; i++)
		free(copies[i]);
	return 0;
}

int trace_dat_read(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err)
{
	struct reading d = { .tr = tr, .file = p, .end = p + len };
	struct raw r = { .p = p, .end = p + len };
	int ret;

	event_formats_init(&d.fs);
	if (!trace_head_read(&d.head, &r, &d.fs)) {
		ret = err_at(err, path, 0, 0, NULL, "a trace.dat whose header is damaged or cut off");
	} else {
		d.swap = r.swap;
		tr->format = d.head.version >= 7 ? "trace.dat, version 7" : "trace.dat, version 6";
		ret = d.head.version >= 7 ? read_version_7(&d, &r, path, err) : read_version_6(&d, &r, path, err);
	}
	tr->counts.lost = max_u64(tr->counts.lost, d.overrun);
	trace_head_names(&d.head, tr);
	event_formats_count(&d.fs, tr);
	event_formats_fini(&d.fs);
	free(d.kept[0]);
	free(d.kept[1]);
	return ret;
}
