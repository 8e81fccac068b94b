/* SPDX-License-Identifier: MIT */
/* fuzz_json.c - any bytes as JSON; what was read can be shown, and an error can be printed. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "text/json.h"

static void *get(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void put(void *ctx, void *p, size_t size)
{
	(void)ctx;
	(void)size;
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct arena mem;
	struct json *v;
	char text[256];
	u32 rest;

	arena_init(&mem, get, put, NULL);
	v = json_parse("input", (const char *)data, size, &mem, &rest, &err);
	if (v)
		json_show(v, text, sizeof(text));
	else
		err_text(&err, text, sizeof(text));
	arena_fini(&mem);
	return 0;
}
