/* SPDX-License-Identifier: MIT */
/* fuzz_json.c - any bytes as JSON; what was read can be shown, and an error can be printed. */

#include "fuzz/fuzz.h"
#include "text/json.h"
#include "text/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct arena mem;
	struct json *v;
	char text[256];
	u32 rest;

	arena_of_malloc(&mem);
	v = json_parse("input", (const char *)data, size, &mem, &rest, &err);
	if (v)
		json_show(v, text, sizeof(text));
	else
		err_text(&err, text, sizeof(text));
	arena_fini(&mem);
	return 0;
}
