/* SPDX-License-Identifier: MIT */
/*
 * ring.h - pages of the kernel's per-CPU ring buffers.
 *
 *	page	| time 8 | commit 4 or 8 | event | event | ... 			commit: bytes in use, and whether events went missing before
 *	event	| 5 bits of type, 27 of time since the last one | data		type 1..28: that many words; 0: a word says how many bytes;
 *										29: padding; 30: more bits of time; 31: a new time
 */
#ifndef TRACE_RING_H
#define TRACE_RING_H

#include "trace/event_format.h"

struct ring {
	u32 page_size;	 /* bytes */
	u32 commit_size; /* 4 or 8 */
	u32 data_at;	 /* where the first event lies */
	bool swap;
	s64 shift;	 /* ns added to each time */
	bool cycles;	 /* times are cycles: ns = cycles * mult >> right + offset */
	u32 mult, right;
	u64 offset;
};

/* What is usual on a 64-bit machine with pages of 4 KiB. */
void ring_init(struct ring *ring);
/* The text of events/header_page says how it is. */
void ring_header(struct ring *ring, const char *text, size_t len);

/* All events of all pages in the @len bytes at @p.  A page that makes no sense is counted in half_lines, and passed over. */
void ring_pages(const struct ring *ring, const u8 *p, u64 len, u16 cpu, struct trace *tr, struct event_formats *fs);

#endif
