/* SPDX-License-Identifier: MIT */
/* memory.c - where the memory of a machine comes from: the C library. */
#include "owner/memory.h"

#include <stdlib.h>

static void *get_chunk(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void put_chunk(void *ctx, void *p, size_t size)
{
	(void)ctx;
	(void)size;
	free(p);
}

void arena_of_malloc(struct arena *a) { arena_init(a, get_chunk, put_chunk, NULL); }

bool heap_make_room(struct heap *h)
{
	s64 cap = h->cap ? 2 * h->cap : 256;
	struct heap_key *old = h->key, *room;

	if (h->nr < h->cap)
		return true;
	room = malloc((size_t)cap * sizeof(*room));
	if (!room)
		return false;
	heap_set_room(h, room, cap);
	free(old);
	return true;
}
