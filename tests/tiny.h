/* SPDX-License-Identifier: MIT */
/*
 * tiny.h - recordings of a dozen events, written byte by byte in each format, for tests and as seeds for fuzzing.
 *
 * They all hold the same few moments of two CPUs:
 *
 *	CPU 0	idle -> web(100)   web wakes db(200)   fork of 101, which is woken   web sleeps -> idle	exit of 101
 *	CPU 1	             idle -> db(200)           db is preempted -> idle
 */
#ifndef TESTS_TINY_H
#define TESTS_TINY_H

#include <stddef.h>

#include "base/types.h"

struct tiny {
	u8 *p;
	size_t len, cap;
	bool swap; /* write the other byte order */
};

enum tiny_kind { TINY_DAT_6, TINY_DAT_6_SWAPPED, TINY_DAT_7, TINY_DAT_7_ZLIB, TINY_PERF, TINY_PERF_PACKED, TINY_PERFETTO, TINY_COMPACT, TINY_ATRACE, TINY_PERF_LOST, NR_TINY };

extern const char *const tiny_names[NR_TINY];

/* Write one; free tiny.p. */
struct tiny tiny_recording(enum tiny_kind kind);

/* Pieces, for tests of their own. */
void tiny_put(struct tiny *t, u64 v, u32 size);
void tiny_bytes(struct tiny *t, const void *p, size_t len);
void tiny_formats(struct tiny *t);	/* header_page up to the names of tasks, as version 6 has it */
void tiny_switch(struct tiny *t, u32 prev, const char *prev_name, u64 state, u32 next, const char *next_name); /* an event's bytes */

void tiny_page(struct tiny *t, u32 cpu); /* the events of @cpu as a page of 1 KiB */
const char *tiny_format(u32 i);		 /* the texts of the events' formats, NULL behind the last; those from the fifth on are no scheduler's */
extern const char tiny_header_page[];

#define TINY_START ((u64)5000000000) /* ns */

#endif
