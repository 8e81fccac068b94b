/* SPDX-License-Identifier: MIT */
/* fuzz_light.c - any bytes as a recording of counters, and as marks of a trace; what can be read of it is made programs of. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "trace/facts.h"
#include "trace/light_recover.h"

/* Laws of what was read. */
static void check(const struct light *l)
{
	for (u32 i = 1; i < l->nr_polls; i++)
		if (l->polls[i].t <= l->polls[i - 1].t || l->polls[i].stat.nr_throttled < l->polls[i - 1].stat.nr_throttled)
			abort();
	for (u32 i = 0; i < l->nr_threads; i++)
		for (u32 k = 0; k < l->threads[i].nr; k++)
			if (l->threads[i].uses[k].from >= l->threads[i].uses[k].to)
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recover_way ways[NR_LIGHT_WAYS];
	struct recover_ask how = { .name = "g" };
	struct recovered rec;
	struct light l;
	struct trace tr;
	struct err err = { 0 };
	bool half;

	if (!light_read(&l, data, size, "fuzz", &half, &err)) {
		check(&l);
		light_limited(&l);
		light_recover(&rec, ways, &l, &how, &err);
		recover_fini(&rec);
	} else if (!err.code) {
		abort();
	}
	light_fini(&l);
	trace_init(&tr);
	trace_mark(&tr, (const char *)data, size);
	trace_fini(&tr);
	return 0;
}
