/* SPDX-License-Identifier: MIT */
/*
 * line.h - one line of a text trace, taken apart.
 *
 *	     burn-25769   (  598) [001] d.h2.  2211.596706: sched_waking: comm=x pid=68 ...	ftrace
 *	     burn  6615           [001]        2668.036083: sched:sched_waking: comm=x ...	perf script
 *	     ---- who ----        -cpu-  flags ---time----  ----name----- ---args---
 *
 * A name may hold blanks, dashes, colons and brackets, so a line is read from the first "[digits]" that has a time behind it, and
 * what stands before from its end.  All pointers point into the line.
 */
#ifndef TRACE_LINE_H
#define TRACE_LINE_H

#include "trace/record.h"

struct text_span {
	const char *s;
	size_t len;
};

struct trace_line {
	struct text_span comm, name, args;
	s32 pid, tgid;	/* tgid 0: not said */
	u16 cpu;
	u64 time;
	u8 context;	/* TRACE_IN_HARDIRQ ... of the flags column, 0 where there is none */
	bool timeless;	/* the clock column is a plain count */
};

/* The part common to all formats: finds [CPU], flags, time, name and args; @before is what stands left of [CPU]. */
bool line_split(const char *s, const char *end, struct trace_line *line, struct text_span *before);

/* ---- small readers: each moves *@p on and says whether it found what it wants ---- */

void skip_blanks(const char **p, const char *end);		/* blanks and tabs; there may be none */
bool read_number(const char **p, const char *end, u64 *value);	/* decimal digits, at most 19 */
bool read_word(const char **p, const char *end, const char *word);
/* The next place of @word at or after @p, or NULL. */
const char *find_word(const char *p, const char *end, const char *word);
void trim(struct text_span *span);
/* Does @span end in digits?  Then they go to @value and are cut off. */
bool cut_number(struct text_span *span, u64 *value);
bool span_is(const struct text_span *span, const char *word);

#endif
