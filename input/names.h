/* SPDX-License-Identifier: MIT */
/*
 * names.h - from (kind, name) to a number, in one step however many there are.
 */
#ifndef INPUT_NAMES_H
#define INPUT_NAMES_H

#include "base/arena.h"

struct name_slot {
	const char *name; /* NULL: free */
	u32 kind, value;
};

/* Begin with { .mem = arena }.  Grows in the arena. */
struct names {
	struct arena *mem;
	struct name_slot *slots;
	u32 nr, cap; /* cap is 0 or a power of two */
};

#define NAME_NONE UINT32_MAX

/* The value of @name among those of @kind, or NAME_NONE. */
u32 names_get(const struct names *n, u32 kind, const char *name);

/* Remember @value for @name, which must outlive @n and not be known yet.  False when memory is out. */
bool names_put(struct names *n, u32 kind, const char *name, u32 value);

#endif
