/* SPDX-License-Identifier: MIT */
/*
 * sched_text.h - the scheduler's events as text, in the spellings of the kernel and of trace-cmd.
 *
 *	prev_comm=x prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=y next_pid=2 next_prio=120	the kernel's
 *	prev_comm=x prev_pid=1 prev_prio=120 prev_state=1024 next_comm=y next_pid=2 next_prio=120	trace-cmd, raw
 *	x:1 [120] R ==> y:2 [120]									trace-cmd
 */
#ifndef TRACE_SCHED_TEXT_H
#define TRACE_SCHED_TEXT_H

#include "trace/line.h"

enum sched_text { SCHED_TEXT_OTHER, SCHED_TEXT_READ, SCHED_TEXT_BAD };

/* Keep the event of @line in @tr.  OTHER: not one of the scheduler's; BAD: one that could not be read. */
enum sched_text sched_text_add(struct trace *tr, const struct trace_line *line);

#endif
