/* SPDX-License-Identifier: MIT */
/* fuzz_trace.c - any bytes as a text trace, fed in pieces; the marks in it are paired by both kinds of words. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "trace/marks.h"
#include "trace/read.h"

#define PIECE 37 /* odd, so that lines break anywhere */

/* Requests end behind their beginnings, and no more of them than marks. */
static void pair(const struct marks *m, const struct trace *tr)
{
	struct request *v;
	u64 cut;
	s64 nr = marks_requests(m, tr, &v, &cut);

	for (s64 i = 0; i < nr; i++)
		if (v[i].from > v[i].to || v[i].task >= tr->nr_tasks)
			abort();
	if (nr > 0 && (u64)nr > m->nr / 2)
		abort();
	free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct trace_reader r;
	struct marks marks;
	struct trace tr;
	size_t at;

	trace_init(&tr);
	if (!marks_init(&marks, size & 1 ? "G" : "s..d", &err))
		tr.marks = &marks;
	trace_reader_init(&r, &tr);
	for (at = 0; at < size; at += PIECE)
		trace_reader_feed(&r, (const char *)data + at, size - at < PIECE ? size - at : PIECE);
	trace_reader_end(&r);
	pair(&marks, &tr);
	marks_fini(&marks);
	trace_fini(&tr);
	return 0;
}
