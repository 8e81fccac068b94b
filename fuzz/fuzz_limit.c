/* SPDX-License-Identifier: MIT */
/* fuzz_limit.c - any bytes as a CPU limit; one that is accepted can be written out. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "input/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char spec[256], text[LIMIT_TEXT];
	struct err err = { 0 };
	struct limit limit;

	if (size >= sizeof(spec))
		return 0;
	memcpy(spec, data, size);
	spec[size] = '\0';
	if (limit_parse(spec, &limit, &err))
		return 0;
	limit_max_text(&limit, 0, text);
	limit_burst_text(&limit, text);
	limit_quota_text(&limit, LIMIT_PERIOD, text);
	limit_period_text(&limit, LIMIT_PERIOD, text);
	return 0;
}
