/* SPDX-License-Identifier: MIT */
/* sniff.c - what kind of thing a file holds.  Only its beginning is looked at. */
#include "cli/sniff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/light.h"

#define BEGINNING (256 << 10)

static bool has(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = memchr(p, word[0], (size_t)(text + len - p))); p++)
		if ((size_t)(text + len - p) >= n && !memcmp(p, word, n))
			return true;
	return false;
}

static bool begins(const char *text, size_t len, const char *word) { return len >= strlen(word) && !memcmp(text, word, strlen(word)); }

enum file_kind file_kind_of(const char *text, size_t len)
{
	if (memchr(text, 0, len < 4096 ? len : 4096))
		return FILE_TRACE; /* no text; Perfetto's first byte is a line feed, and what follows may look like a brace */
	while (len && strchr(" \t\r\n", *text)) {
		text++;
		len--;
	}
	if (is_light((const u8 *)text, len))
		return FILE_TRACE; /* of counters */
	if (begins(text, len, "{") || begins(text, len, "//") || begins(text, len, "/*"))
		return FILE_SCENARIO;
	if (begins(text, len, "nr_periods ") || begins(text, len, "usage_usec ") ||
	    (has(text, len < 4096 ? len : 4096, "\nnr_periods ") && !has(text, len, "sched_switch")))
		return FILE_CPU_STAT;
	if (has(text, len, "container_cpu_") && !has(text, len, "sched_switch"))
		return FILE_METRICS;
	return FILE_TRACE;
}

enum file_kind file_kind(const char *path)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "rb") : NULL;
	char *text = in ? malloc(BEGINNING) : NULL;
	enum file_kind kind = text ? file_kind_of(text, fread(text, 1, BEGINNING, in)) : FILE_TRACE;

	free(text);
	if (in)
		fclose(in);
	return kind;
}
