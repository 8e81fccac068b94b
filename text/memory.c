/* SPDX-License-Identifier: MIT */
/* memory.c - the C library's memory behind an arena: see memory.h. */
#include "text/memory.h"

#include <stdlib.h>

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

void arena_of_malloc(struct arena *a)
{
	arena_init(a, get, put, NULL);
}

void *list_grown(void *list, u32 nr, u32 *cap, size_t size)
{
	u32 want = *cap ? *cap * 2 : 64;
	void *bigger;

	if (nr < *cap)
		return list;
	bigger = realloc(list, want * size);
	if (bigger)
		*cap = want;
	return bigger;
}
