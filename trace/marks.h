/* SPDX-License-Identifier: MIT */
/*
 * marks.h - requests by the marks that a program writes into the trace, where it does.
 *
 *	nginx-4711 [002] ... tracing_mark_write: B|4711|GET /cart	a request begins on this thread
 *	nginx-4711 [002] ... tracing_mark_write: E			... and ends (marks may be nested)
 *	nginx-4711 [002] ... print: req 17 start / req 17 done		the same in a program's own words
 *
 * Without marks a request is taken to be a burst: from the wakeup to the next sleep.
 */
#ifndef TRACE_MARKS_H
#define TRACE_MARKS_H

#include "text/err.h"
#include "trace/record.h"

#define MARKS_MOST ((u64)16 << 20)

struct mark {
	u64 time;
	u32 task;
	bool begins;
};

/* What a user asked for, and what the readers found. */
struct marks {
	char begin[128], end[128]; /* text that a mark holds; end "": E, which ends the innermost B of its thread */
	struct mark *v;
	u64 nr, cap, left_out;	   /* left_out: more than fit */
};

/* "GET" or "start..done", as of --request.  0, or -1 with @err set. */
int marks_init(struct marks *m, const char *what, struct err *err);
void marks_fini(struct marks *m);

/* For the readers, before they look for a mark's task: is it one to be told? */
bool trace_wants_mark(const struct trace *tr, const char *text, size_t len);

/* For the readers: a mark of @task.  Where none was asked for, tr->seen has the first few kinds of those by Android's letters. */
void trace_request_mark(struct trace *tr, u64 time, u32 task, const char *text, size_t len);

struct request {
	u32 task;
	u64 from, to;
};

/*
 * Pair the marks, in the order in which requests end.  @cut gets how many began or ended outside the recording.  *@out is for free(); returns
 * how many, or -1 when memory is out.
 */
s64 marks_requests(const struct marks *m, const struct trace *tr, struct request **out, u64 *cut);

#endif
