/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <string.h>

#define ARENA_FIRST 4096u
#define ARENA_MOST (1u << 20)
#define ALIGN(n) (((n) + 15) & ~(size_t)15)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
};

void arena_init(struct arena *a, void *(*get)(void *, size_t), void (*put)(void *, void *, size_t), void *ctx)
{
	memset(a, 0, sizeof(*a));
	a->get = get;
	a->put = put;
	a->ctx = ctx;
}

/* Chunks double up to a megabyte, so that a small arena stays small and a large one has few. */
static bool arena_grow(struct arena *a, size_t need)
{
	size_t head = ALIGN(sizeof(struct arena_chunk));
	size_t size = a->total ? a->total : ARENA_FIRST;
	struct arena_chunk *chunk;

	if (size > ARENA_MOST)
		size = ARENA_MOST;
	if (size < need + head)
		size = need + head;
	chunk = a->get(a->ctx, size);
	if (!chunk)
		return false;
	chunk->next = a->chunks;
	chunk->size = size;
	a->chunks = chunk;
	a->total += size;
	a->free = (char *)chunk + head;
	a->end = (char *)chunk + size;
	return true;
}

void *arena_alloc(struct arena *a, size_t size)
{
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = size ? ALIGN(size) : 16;
	if ((size_t)(a->end - a->free) < size && !arena_grow(a, size))
		return NULL;
	p = a->free;
	a->free += size;
	return memset(p, 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (copy)
		memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t len = 0;

	while (s[len])
		len++;
	return arena_strndup(a, s, len);
}

void arena_fini(struct arena *a)
{
	struct arena_chunk *chunk = a->chunks;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		a->put(a->ctx, chunk, chunk->size);
		chunk = next;
	}
	a->chunks = NULL;
	a->free = a->end = NULL;
	a->total = 0;
}
