/* SPDX-License-Identifier: MIT */
/* memory.h - room for the keys of an event heap, from the C library; arenas have text/memory.h. */
#ifndef OWNER_MEMORY_H
#define OWNER_MEMORY_H

#include "base/heap.h"

/* Room for one more key, from malloc(); to be freed as heap->key.  False when memory is out. */
bool heap_make_room(struct heap *h);

#endif
