/* SPDX-License-Identifier: MIT */
/* read.c - tells what a recording is, and cuts text into lines, each for whom it may belong to. */
#include "trace/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "trace/facts.h"
#include "trace/ftrace_text.h"
#include "trace/group_pick.h"
#include "trace/light.h"
#include "trace/perf_data.h"
#include "trace/perf_text.h"
#include "trace/perfetto.h"
#include "trace/refuse.h"
#include "trace/sched_text.h"
#include "trace/trace_dat.h"
#include "trace/unpack.h"

void trace_reader_init(struct trace_reader *r, struct trace *tr)
{
	memset(r, 0, sizeof(*r));
	r->tr = tr;
}

/* Lines inside a web page's script end in "\n\" and a carriage return may stand at the end of any. */
static const char *line_end(const char *s, const char *end)
{
	if (end > s && end[-1] == '\r')
		end--;
	if (end - s >= 3 && !memcmp(end - 3, "\\n\\", 3))
		end -= 3;
	return end;
}

/* An address of a call chain, as perf prints below an event, or nothing at all. */
static bool is_filler(const char *s, const char *end)
{
	const char *p = s;

	skip_blanks(&p, end);
	if (p == end)
		return true;
	if (p == s)
		return false;
	for (; p < end && *p != ' '; p++)
		if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f')))
			return false;
	return true;
}

/* A line that is no event. */
static void take_other(struct trace_reader *r, const char *s, const char *end)
{
	struct trace *tr = r->tr;
	const char *p = s;

	if (ftrace_notice(tr, s, end) || perf_notice(tr, s, end) || is_filler(s, end))
		return;
	if (end - s >= 6 && !memcmp(end - 6, "TRACE:", 6)) {
		r->at_packed = true;
		return;
	}
	if (read_word(&p, end, "# tracer:"))
		r->saw_tracer = true;
	if (*s == '<')
		r->saw_html = true;
	if (*s != '#' && *s != '<' && (!r->saw_html || r->saw_tracer))
		tr->counts.unknown_lines++;
}

/* False where the line is no event, or a damaged one. */
static bool take_event(struct trace_reader *r, const char *s, const char *end)
{
	struct trace *tr = r->tr;
	struct text_span before;
	struct trace_line line;

	if (!line_split(s, end, &line, &before))
		return false;
	if (ftrace_who(&before, &line))
		r->ftrace_lines++;
	else if (perf_who(&before, &line))
		r->perf_lines++;
	else
		return false;
	if (line.timeless) {
		tr->counts.no_time++;
		return true;
	}
	switch (sched_text_add(tr, &line)) {
	case SCHED_TEXT_OTHER:
		tr->counts.other_events++;
		break;
	case SCHED_TEXT_BAD:
		tr->counts.bad_events++;
		break;
	case SCHED_TEXT_READ:
		break;
	}
	return true;
}

static void take_line(struct trace_reader *r, const char *s, const char *end)
{
	r->tr->counts.lines++;
	end = line_end(s, end);
	if (s == end || *s == '#' || !take_event(r, s, end)) {
		if (s < end)
			take_other(r, s, end);
	}
}

/* Keep what has begun of a line until the rest comes. */
static void hold(struct trace_reader *r, const char *s, size_t len)
{
	if (r->too_long || !len)
		return;
	if (!r->held)
		r->held = malloc(TRACE_LINE_MAX);
	if (!r->held || r->nr_held + len > TRACE_LINE_MAX) {
		r->too_long = true;
		r->nr_held = 0;
		return;
	}
	memcpy(r->held + r->nr_held, s, len);
	r->nr_held += len;
}

static void end_held(struct trace_reader *r)
{
	size_t len = r->nr_held;

	r->nr_held = 0;
	if (r->too_long) {
		r->tr->counts.lines++;
		r->tr->counts.unknown_lines++;
	} else {
		take_line(r, r->held, r->held + len);
	}
	r->too_long = false;
}

static void feed_lines(void *reader, const char *buf, size_t len);

/* Packed text goes on. */
static void feed_packed(struct trace_reader *r, const char *buf, size_t len)
{
	if (unpacker_ended(r->packed))
		return;
	if (unpacker_feed(r->packed, buf, len, feed_lines, r))
		return;
	unpacker_free(r->packed);
	r->packed = NULL;
	r->tr->counts.half_lines++;
	r->too_long = true; /* what is left of it is no text */
}

/* A stream of zlib begins with this. */
#define ZLIB_FIRST 0x78

static void feed_lines(void *reader, const char *buf, size_t len)
{
	struct trace_reader *r = reader;
	const char *p = buf, *end = buf + len, *nl;

	while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
		if (r->nr_held || r->too_long) {
			hold(r, p, (size_t)(nl - p));
			end_held(r);
		} else {
			take_line(r, p, nl);
		}
		p = nl + 1;
		if (p == end || (r->at_packed && *p == ZLIB_FIRST))
			break;
		r->at_packed = false;
	}
	if (!r->at_packed)
		hold(r, p, (size_t)(end - p));
	else if (p < end && !r->packed)
		trace_reader_feed(r, p, (size_t)(end - p));
}

void trace_reader_feed(struct trace_reader *r, const char *buf, size_t len)
{
	bool begins = r->at_packed && len && *buf == ZLIB_FIRST && !r->packed;

	if (len)
		r->at_packed = false;
	if (begins)
		r->packed = unpacker_new(PACKING_ZLIB);
	if (r->packed)
		feed_packed(r, buf, len);
	else
		feed_lines(r, buf, len);
}

void trace_reader_end(struct trace_reader *r)
{
	struct trace_counts *c = &r->tr->counts, before = *c;

	if (r->packed && !unpacker_ended(r->packed))
		c->half_lines++;
	unpacker_free(r->packed);
	r->packed = NULL;
	if (r->nr_held || r->too_long)
		end_held(r);
	if (c->unknown_lines > before.unknown_lines || c->bad_events > before.bad_events) {
		c->unknown_lines = before.unknown_lines;
		c->bad_events = before.bad_events;
		c->half_lines++;
	}
	free(r->held);
	r->held = NULL;
	if (r->ftrace_lines || r->perf_lines)
		r->tr->format = r->perf_lines > r->ftrace_lines ? "perf script text" : "ftrace text";
	trace_sort(r->tr);
	if (r->tr->facts) {
		trace_facts_apply(r->tr->facts, r->tr);
		group_inherit(r->tr);
	}
}

/* ---- what kind of recording ---- */

/* Recordings that are no text, by how they begin. */
static const struct kind {
	const char *magic; /* NULL: @is tells */
	size_t len;
	bool (*is)(const u8 *p, u64 len);
	int (*read)(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err);
} kinds[] = {
	{ TRACE_DAT_MAGIC, 10, NULL, trace_dat_read },
	{ PERF_DATA_MAGIC, 8, NULL, perf_data_read },
	{ NULL, 0, is_perfetto, perfetto_read },
	{ NULL, 0, is_light, light_into_trace },
};

static const struct kind *kind_of(const void *p, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].is ? kinds[i].is(p, len) : len >= kinds[i].len && !memcmp(p, kinds[i].magic, kinds[i].len))
			return &kinds[i];
	return NULL;
}

static int read_binary(struct trace *tr, const struct kind *kind, const void *p, size_t len, const char *path, struct err *err)
{
	if (kind->read(tr, p, len, path, err))
		return -1;
	trace_sort(tr);
	if (tr->facts)
		trace_facts_apply(tr->facts, tr);
	group_inherit(tr);
	return 0;
}

int trace_read_bytes(struct trace *tr, const void *p, size_t len, const char *path, struct err *err)
{
	const struct kind *kind = kind_of(p, len);
	struct trace_reader r;

	if (kind)
		return read_binary(tr, kind, p, len, path, err);
	if (refuse_kind(p, len, path, err))
		return -1;
	trace_reader_init(&r, tr);
	trace_reader_feed(&r, p, len);
	trace_reader_end(&r);
	return 0;
}

/* What was read holds nothing to go on with: say what it was instead. */
int trace_no_events(const struct trace *tr, const char *path, struct err *err)
{
	const struct trace_counts *c = &tr->counts;

	if (c->events || tr->light)
		return 0;
	if (c->no_time) {
		err_at(err, refuse_name(path), 0, 0, NULL, "its clock counts cycles, not time: expected seconds like 2211.596706");
		err_hint(err, "record with the clock \"mono\": echo mono > /sys/kernel/tracing/trace_clock");
	} else if (c->other_events || c->bad_events || strcmp(tr->format, NO_FORMAT) != 0) {
		err_at(err, refuse_name(path), 0, 0, NULL, "no scheduling events in this trace (%llu other events, %llu damaged ones)",
		       (unsigned long long)c->other_events, (unsigned long long)c->bad_events);
		err_hint(err, "record sched_switch, sched_waking, sched_wakeup_new and sched_process_fork");
	} else if (!refuse_text(path, err)) {
		err_at(err, refuse_name(path), 0, 0, NULL, "no trace in a known format: expected ftrace or perf script text, systrace, trace.dat, perf.data or Perfetto");
		err_hint(err, "make one with: trace-cmd record -e sched, or: perf sched record");
	}
	return -1;
}

/* ---- files ---- */

/* The rest of @in behind the @len bytes at @buf, which is freed; *@size of it.  NULL when memory is out. */
static char *slurp(gzFile in, char *buf, size_t len, size_t *size)
{
	size_t cap = 1 << 20;
	char *more;
	int got;

	for (*size = len;; *size += (size_t)got) {
		if (cap < *size * 2)
			cap = *size * 2;
		more = realloc(buf, cap);
		if (!more) {
			free(buf);
			return NULL;
		}
		buf = more;
		got = gzread(in, buf + *size, (unsigned)min_u64(cap - *size, 1 << 30));
		if (got <= 0)
			return buf;
	}
}

/* All of @in; what is gzip'd is unpacked on the way. */
static int read_stream(struct trace *tr, gzFile in, const char *path, struct err *err)
{
	size_t size = 1 << 18, whole;
	char *buf = malloc(size);
	const struct kind *kind;
	struct trace_reader r;
	int len, ret;

	errno = 0;
	len = buf ? gzread(in, buf, (unsigned)size) : -1;
	if (len < 0) {
		int why = errno;
		bool no_memory = !buf;

		free(buf);
		if (no_memory)
			return err_at(err, refuse_name(path), 0, 0, NULL, "too large for the memory of this machine");
		return err_at(err, refuse_name(path), 0, 0, NULL, "cannot be read: %s", why ? strerror(why) : "damaged gzip data");
	}
	if (!len) {
		free(buf);
		return err_at(err, refuse_name(path), 0, 0, NULL, "the file is empty");
	}
	kind = kind_of(buf, (size_t)len);
	if (kind) {
		buf = slurp(in, buf, (size_t)len, &whole);
		ret = buf ? read_binary(tr, kind, buf, whole, path, err) :
			    err_at(err, refuse_name(path), 0, 0, NULL, "too large for the memory of this machine");
		free(buf);
		return ret;
	}
	if (refuse_kind((const u8 *)buf, (u64)len, path, err)) {
		free(buf);
		return -1;
	}
	trace_reader_init(&r, tr);
	for (; len > 0; len = gzread(in, buf, (unsigned)size))
		trace_reader_feed(&r, buf, (size_t)len);
	if (len < 0)
		tr->counts.half_lines++; /* a packed file that is cut off: what came before is good */
	trace_reader_end(&r);
	free(buf);
	return 0;
}

/* A binary recording in a plain file is mapped.  1 where it is something else. */
static int read_mapped(struct trace *tr, int fd, const char *path, struct err *err)
{
	char magic[64];
	ssize_t got = pread(fd, magic, sizeof(magic), 0);
	const struct kind *kind = got > 0 ? kind_of(magic, (size_t)got) : NULL;
	struct stat st;
	void *p;
	int ret;

	if (!kind || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return 1;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	ret = read_binary(tr, kind, p, (size_t)st.st_size, path, err);
	munmap(p, (size_t)st.st_size);
	return ret;
}

int trace_read_any(struct trace *tr, const char *path, struct err *err)
{
	int fd = !strcmp(path, "-") ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC), ret;
	gzFile in;

	if (fd < 0)
		return err_at(err, refuse_name(path), 0, 0, NULL, "cannot be read: %s", strerror(errno));
	ret = read_mapped(tr, fd, path, err);
	if (ret <= 0) {
		close(fd);
	} else {
		in = gzdopen(fd, "rb");
		if (!in) {
			close(fd);
			return err_at(err, refuse_name(path), 0, 0, NULL, "cannot be read: %s", strerror(ENOMEM));
		}
		gzbuffer(in, 1 << 17);
		ret = read_stream(tr, in, path, err);
		gzclose(in);
	}
	if (!ret && tr->out_of_memory)
		return err_at(err, refuse_name(path), 0, 0, NULL, "too large for the memory of this machine");
	return ret;
}

int trace_read_file(struct trace *tr, const char *path, struct err *err)
{
	return trace_read_any(tr, path, err) ? -1 : trace_no_events(tr, path, err);
}
