/* SPDX-License-Identifier: MIT */
/* names.c - open addressing, linear probing, at most half full. */
#include "input/names.h"

#include <string.h>

static u32 hash(u32 kind, const char *name)
{
	u64 h = 0xcbf29ce484222325u ^ kind;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 0x100000001b3u;
	return (u32)(h ^ h >> 32);
}

/* The slot that holds @name, or the free one where it would go. */
static struct name_slot *find(const struct names *n, u32 kind, const char *name)
{
	u32 i = hash(kind, name) & (n->cap - 1);

	while (n->slots[i].name && (n->slots[i].kind != kind || strcmp(n->slots[i].name, name)))
		i = (i + 1) & (n->cap - 1);
	return &n->slots[i];
}

u32 names_get(const struct names *n, u32 kind, const char *name)
{
	const struct name_slot *slot = n->cap ? find(n, kind, name) : NULL;

	return slot && slot->name ? slot->value : NAME_NONE;
}

static bool names_grow(struct names *n)
{
	struct names more = { .mem = n->mem, .cap = n->cap ? n->cap * 2 : 32 };
	u32 i;

	more.slots = arena_alloc(n->mem, more.cap * sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (i = 0; i < n->cap; i++)
		if (n->slots[i].name)
			*find(&more, n->slots[i].kind, n->slots[i].name) = n->slots[i];
	more.nr = n->nr;
	*n = more;
	return true;
}

bool names_put(struct names *n, u32 kind, const char *name, u32 value)
{
	if (n->nr * 2 >= n->cap && !names_grow(n))
		return false;
	*find(n, kind, name) = (struct name_slot){ .name = name, .kind = kind, .value = value };
	n->nr++;
	return true;
}
