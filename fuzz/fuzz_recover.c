/* SPDX-License-Identifier: MIT */
/* fuzz_recover.c - any bytes as a recording: read, inferred from, made a scenario of. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "trace/read.h"
#include "trace/recover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct throttle_ask nothing;
	struct recover_ask what = { .name = "g" };
	struct throttle_guess guess = { 0 };
	struct tick_guess ticks = { 0 };
	struct recovered rec = { 0 };
	struct families fam = { 0 };
	struct timeline tl = { 0 };
	struct err err = { 0 };
	struct trace_reader r;
	struct trace tr;
	bool *member;

	trace_init(&tr);
	trace_reader_init(&r, &tr);
	trace_reader_feed(&r, (const char *)data, size);
	trace_reader_end(&r);
	member = calloc((size_t)tr.nr_tasks + 1, sizeof(*member));
	if (member && !timeline_init(&tl, &tr) && !families_init(&fam, &tr) && !ticks_infer(&ticks, &tr) &&
	    !throttle_infer(&guess, member, &tr, &tl, &fam, &nothing)) {
		recover(&rec, &tr, &tl, &guess, &ticks, member, &what, &err);
		recover_fini(&rec);
	}
	throttle_fini(&guess);
	families_fini(&fam);
	timeline_fini(&tl);
	free(member);
	trace_fini(&tr);
	return 0;
}
