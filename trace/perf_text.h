/* SPDX-License-Identifier: MIT */
/*
 * perf_text.h - what is special in the text of `perf script`.
 *
 *	     burn  6615 [001]  2668.036083: sched:sched_waking: ...	name, then pid or pid/tid; no column of flags
 *	# os release : 6.18.44						headings, where it was run with --header
 *	# nrcpus online : 2
 *	... PERF_RECORD_LOST lost 12					with --show-lost-events
 *
 * Without flags nothing tells a wakeup by an interrupt from one by the task it interrupted.
 */
#ifndef TRACE_PERF_TEXT_H
#define TRACE_PERF_TEXT_H

#include "trace/line.h"

/* Read "name pid" or "name pid/tid" from @before into @line.  False where it is none. */
bool perf_who(const struct text_span *before, struct trace_line *line);

/* A line that is no event.  False where it says nothing known. */
bool perf_notice(struct trace *tr, const char *s, const char *end);

#endif
