/* SPDX-License-Identifier: MIT */
/* memory.h - where the memory of a machine comes from: the C library. */
#ifndef OWNER_MEMORY_H
#define OWNER_MEMORY_H

#include "base/arena.h"
#include "base/heap.h"

/* An arena that takes its chunks from malloc(). */
void arena_of_malloc(struct arena *a);

/* Room for one more key, from malloc(); to be freed as heap->key.  False when memory is out. */
bool heap_make_room(struct heap *h);

#endif
