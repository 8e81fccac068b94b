/* SPDX-License-Identifier: MIT */
/*
 * ftrace_text.h - what is special in ftrace's own text, in trace-cmd report's, and in Android's.
 *
 *	     burn-25769   (  598) [001] d.h2.  2211.596706: ...		task-pid, perhaps (tgid); flags of 4 or 5 or none
 *	# entries-in-buffer/entries-written: 721/721   #P:2		how many were lost, how many CPUs
 *	CPU:1 [LOST 4711 EVENTS]
 *	cpus=6								trace-cmd
 */
#ifndef TRACE_FTRACE_TEXT_H
#define TRACE_FTRACE_TEXT_H

#include "trace/line.h"

/* Read "task-pid (tgid)" from @before into @line.  False where it is none. */
bool ftrace_who(const struct text_span *before, struct trace_line *line);

/* A line that is no event: a heading, a mark of lost events.  False where it says nothing known. */
bool ftrace_notice(struct trace *tr, const char *s, const char *end);

#endif
