/* SPDX-License-Identifier: MIT */
/*
 * read.h - a recording of any known kind, from a file or from pieces of memory.
 *
 *	text	feed, feed, feed --> lines --> ftrace or perf --> records
 *	binary	the whole file, mapped --> trace.dat, perf.data, Perfetto --> records
 *
 * Text is never held as a whole; text that is packed, or that a web page wraps, is found in it.  A damaged line costs that line;
 * the counts say how much that was.
 */
#ifndef TRACE_READ_H
#define TRACE_READ_H

#include "text/err.h"
#include "trace/record.h"

#define TRACE_LINE_MAX 65536

struct trace_reader {
	struct trace *tr;
	char *held;	/* a line that has only begun */
	size_t nr_held;
	bool too_long;	/* the present line is thrown away */
	u64 ftrace_lines, perf_lines;
	bool saw_html, saw_tracer;
	bool at_packed;	/* a line "TRACE:" came: what follows may be packed */
	struct unpacker *packed; /* what follows is */
};

/* Text in pieces: into @tr, which trace_init() made and which must outlive @r; lines may be cut anywhere between two pieces. */
void trace_reader_init(struct trace_reader *r, struct trace *tr);
void trace_reader_feed(struct trace_reader *r, const char *buf, size_t len);
/* The text ends here: the last line, the order of the records.  The reader is then empty. */
void trace_reader_end(struct trace_reader *r);

/*
 * Read the @len bytes at @p, a recording of any kind called @path, into @tr, which must be fresh.
 * 0, or -1 with @err set where it cannot be read; that it holds no scheduler event is none.
 */
int trace_read_bytes(struct trace *tr, const void *p, size_t len, const char *path, struct err *err);

/*
 * The same with the file at @path ("-": standard input; may be gzip'd).  What was read is said even where it holds no scheduler event.
 */
int trace_read_any(struct trace *tr, const char *path, struct err *err);
/* Set @err to why nothing can be answered from @tr.  0 where something can. */
int trace_no_events(const struct trace *tr, const char *path, struct err *err);

/*
 * Read the file at @path ("-": standard input; may be gzip'd) into @tr, which must be fresh.
 * 0, or -1 with @err set where it cannot be read or holds no scheduler event; @tr must be freed in both cases.
 */
int trace_read_file(struct trace *tr, const char *path, struct err *err);

#endif
