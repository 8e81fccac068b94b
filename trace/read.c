/* SPDX-License-Identifier: MIT */
/* read.c - cuts a stream of bytes into lines and gives each to whom it may belong. */
#include "trace/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "trace/ftrace_text.h"
#include "trace/perf_text.h"
#include "trace/sched_text.h"

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
	if (r->too_long) {
		r->tr->counts.lines++;
		r->tr->counts.unknown_lines++;
	} else {
		take_line(r, r->held, r->held + r->nr_held);
	}
	r->too_long = false;
	r->nr_held = 0;
}

void trace_reader_feed(struct trace_reader *r, const char *buf, size_t len)
{
	const char *p = buf, *end = buf + len, *nl;

	while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
		if (r->nr_held || r->too_long) {
			hold(r, p, (size_t)(nl - p));
			end_held(r);
		} else {
			take_line(r, p, nl);
		}
		p = nl + 1;
		if (p == end)
			return;
	}
	hold(r, p, (size_t)(end - p));
}

void trace_reader_end(struct trace_reader *r)
{
	struct trace_counts *c = &r->tr->counts, before = *c;

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
}

/* What was read holds nothing to go on with: say what it was instead. */
static int no_events(const struct trace *tr, const char *path, struct err *err)
{
	const struct trace_counts *c = &tr->counts;

	if (c->no_time) {
		err_at(err, path, 0, 0, NULL, "its clock counts cycles, not time: expected seconds like 2211.596706");
		err_hint(err, "record with the clock \"mono\": echo mono > /sys/kernel/tracing/trace_clock");
	} else if (c->other_events || c->bad_events) {
		err_at(err, path, 0, 0, NULL, "no scheduling events in this trace (%llu other events, %llu damaged ones)",
		       (unsigned long long)c->other_events, (unsigned long long)c->bad_events);
		err_hint(err, "record sched_switch, sched_waking, sched_wakeup_new and sched_process_fork");
	} else {
		err_at(err, path, 0, 0, NULL, "no trace in a known format: expected ftrace text or perf script text");
		err_hint(err, "make one with: trace-cmd report FILE, or: perf script -i FILE");
	}
	return -1;
}

/* Recordings that are no text, by how they begin, and what makes text of them. */
static const struct {
	const char *magic;
	size_t len;
	const char *what, *make;
} binaries[] = {
	{ "\x17\x08\x44tracing", 10, "trace-cmd's trace.dat", "trace-cmd report -t" },
	{ "PERFILE2", 8, "perf's perf.data", "perf script --ns -i" },
};

/* Does @buf begin like a recording that is no text? */
static bool is_binary(const char *buf, size_t len, const char *path, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++) {
		if (len < binaries[i].len || memcmp(buf, binaries[i].magic, binaries[i].len))
			continue;
		err_at(err, path, 0, 0, NULL, "is %s, which is no text", binaries[i].what);
		err_hint(err, "make text of it: %s %s > trace.txt", binaries[i].make, path);
		return true;
	}
	return false;
}

/* All of @in through @r; gzip'd text is unpacked on the way.  False with @err set. */
static bool read_all(gzFile in, struct trace_reader *r, const char *path, struct err *err)
{
	size_t size = 1 << 18;
	char *buf = malloc(size);
	bool first = true;
	int len = buf ? 1 : -1;

	while (buf && (len = gzread(in, buf, (unsigned)size)) > 0) {
		if (first && is_binary(buf, (size_t)len, path, err)) {
			free(buf);
			return false;
		}
		first = false;
		trace_reader_feed(r, buf, (size_t)len);
	}
	free(buf);
	if (len < 0 && first)
		err_at(err, path, 0, 0, NULL, buf ? "cannot be read" : "out of memory");
	else if (len < 0)
		r->tr->counts.half_lines++; /* a packed file that is cut off: what came before is good */
	return !(len < 0 && first);
}

int trace_read_file(struct trace *tr, const char *path, struct err *err)
{
	bool standard = !strcmp(path, "-");
	gzFile in = standard ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path, "rb");
	struct trace_reader r;
	bool fine;

	if (!in)
		return err_at(err, path, 0, 0, NULL, "cannot be read: %s", strerror(errno ? errno : ENOMEM));
	gzbuffer(in, 1 << 17);
	trace_reader_init(&r, tr);
	fine = read_all(in, &r, path, err);
	trace_reader_end(&r);
	gzclose(in);
	if (!fine)
		return -1;
	if (tr->out_of_memory)
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	return tr->counts.events ? 0 : no_events(tr, path, err);
}
