/* SPDX-License-Identifier: MIT */
/* fuzz_trace.c - any bytes as a text trace, fed in pieces. */
#include "fuzz/fuzz.h"
#include "trace/read.h"

#define PIECE 37 /* odd, so that lines break anywhere */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_reader r;
	struct trace tr;
	size_t at;

	trace_init(&tr);
	trace_reader_init(&r, &tr);
	for (at = 0; at < size; at += PIECE)
		trace_reader_feed(&r, (const char *)data + at, size - at < PIECE ? size - at : PIECE);
	trace_reader_end(&r);
	trace_fini(&tr);
	return 0;
}
