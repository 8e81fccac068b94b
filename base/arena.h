/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory that dies together.
 *
 * Grows by chunks from an allocator that is handed in; gives zeroed, 16-byte aligned pieces; frees only as a whole.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/types.h"

struct arena_chunk;
struct arena {
	void *(*get)(void *ctx, size_t size);	      /* a chunk, or NULL when memory is out */
	void (*put)(void *ctx, void *p, size_t size); /* give a chunk back */
	void *ctx;
	struct arena_chunk *chunks;
	char *free, *end;
	size_t total; /* bytes taken from get() */
};

/* Empty: nothing is taken yet.  @ctx is handed to both; from malloc(): text/memory.h. */
void arena_init(struct arena *a, void *(*get)(void *, size_t), void (*put)(void *, void *, size_t), void *ctx);
/* Zeroed memory, or NULL when get() had none.  @size 0 gives a unique pointer. */
void *arena_alloc(struct arena *a, size_t size);
/* A copy of @len bytes of @s, or of all of it, with a NUL behind; NULL when get() had none. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
/* Gives every chunk back: all pieces are gone; the arena is empty again. */
void arena_fini(struct arena *a);

#endif
