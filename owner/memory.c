/* SPDX-License-Identifier: MIT */
/* memory.c - room for the keys of an event heap: see memory.h. */
#include "owner/memory.h"

#include <stdlib.h>

bool heap_make_room(struct heap *h)
{
	s32 cap = h->cap ? 2 * h->cap : 256;
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
