/* SPDX-License-Identifier: MIT */
/* fuzz_manager.c - any bytes as a Kubernetes manifest and as a systemd unit: one error with a place, or limits that can be written. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "input/found.h"
#include "text/memory.h"

static void try(const char *file, int (*read)(struct finding *f, const char *text, size_t len), const char *text, size_t len)
{
	struct manager manager = { .systemd = len & 1, .new_weights = len & 2 };
	struct warnings notes = { 0 };
	struct err err = { 0 };
	struct finding f = { .file = file, .manager = &manager, .notes = &notes, .err = &err };
	char buf[4096];
	u32 i;

	arena_of_malloc(&f.mem);
	if (read(&f, text, len)) {
		if (!err.code || !err.message[0])
			abort();
		err_text(&err, buf, sizeof(buf));
	} else if (err.code) {
		abort();
	}
	for (i = 0; i < f.nr; i++)
		if (f.list[i].has_limit)
			limit_max_text(&f.list[i].limit, LIMIT_PERIOD, buf);
	free(f.list);
	warnings_free(&notes);
	arena_fini(&f.mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try("fuzz.yaml", found_in_manifest, (const char *)data, size);
	try("fuzz.service", found_in_unit, (const char *)data, size);
	return 0;
}
