/* SPDX-License-Identifier: MIT */
/* fuzz_metrics.c - any bytes as cpu.stat and as series; what is accepted has consequences that can be worked out. */
#include "fuzz/fuzz.h"
#include "metrics/reading.h"
#include "metrics/series.h"

static void follow(const struct facts *f)
{
	struct follows out;
	struct err err = { 0 };

	if (!facts_follow(&out, f, "fuzz", &err))
		verdict_of(f, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reading nothing;
	struct series_set set;
	struct reading r;
	struct facts f;
	struct err err = { 0 };

	if (!reading_parse(&r, "fuzz", (const char *)data, size, &err) && !reading_between(&f, &nothing, &r, "fuzz", &err))
		follow(&f);
	err = (struct err){ 0 };
	series_init(&set);
	if (!series_read(&set, "fuzz", (const char *)data, size, &err) && !series_finish(&set, "fuzz", SEC, &err))
		for (u32 i = 0; i < set.nr; i++)
			follow(&set.v[i].facts);
	series_fini(&set);
	return 0;
}
