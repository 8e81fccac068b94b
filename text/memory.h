/* SPDX-License-Identifier: MIT */
/*
 * memory.h - the C library's memory behind an arena: base/ has no C library, so somebody has to bring the two together.
 *
 *	arena_of_malloc(&a);	arena_alloc(&a, ...) as often as wanted;	arena_fini(&a) gives all of it back
 */
#ifndef TEXT_MEMORY_H
#define TEXT_MEMORY_H

#include "base/arena.h"

/* An empty arena that takes its chunks from malloc().  Takes nothing by itself; the caller owns it and calls arena_fini(). */
void arena_of_malloc(struct arena *a);

/*
 * @list with room for at least one more than @nr elements of @size bytes, of which it has *@cap (0 and NULL at first): itself, or a copy twice as
 * large in its place.  NULL when memory is out; then @list and *@cap are as before, and @list is still the caller's to free().
 */
void *list_grown(void *list, u32 nr, u32 *cap, size_t size);

#endif
