/* SPDX-License-Identifier: MIT */
/*
 * trace_dat.h - trace-cmd's trace.dat, versions 6 and 7; and its head, which perf.data contains too.
 *
 *	6:  magic "6" order long page | header_page | formats | systems | kallsyms printk cmdlines | cpus | options | flyrecord | pages of each CPU
 *	7:  magic "7" order long page packing | --> options --> sections, each perhaps packed: formats, names, pages of each CPU
 */
#ifndef TRACE_TRACE_DAT_H
#define TRACE_TRACE_DAT_H

#include "text/err.h"
#include "trace/ring.h"

#define TRACE_DAT_MAGIC "\x17\x08\x44tracing" /* 10 bytes */

/* What the head tells. */
struct trace_head {
	struct ring ring;
	u32 version;
	struct text_span names, tgids;	/* "pid name" lines; "pid tgid" lines */
};

/*
 * Read the head of version 6 up to the names of tasks, the last it has.  @r begins at the magic.  False where it is cut off or is none;
 * formats that came before are in @fs.
 */
bool trace_head_read(struct trace_head *head, struct raw *r, struct event_formats *fs);

/* Tasks without a name that stand in @head get it. */
void trace_head_names(const struct trace_head *head, struct trace *tr);

/* Read the recording of @len bytes at @p, called @path, into @tr.  0, or -1 with @err set where it is none or cannot be unpacked. */
int trace_dat_read(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err);

#endif
