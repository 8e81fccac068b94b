/* SPDX-License-Identifier: MIT */
/* str.h - the few questions about text that a room without libc asks. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/types.h"

static inline size_t str_len(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* Do the first @len bytes of @s equal the whole of @word? */
static inline bool str_is(const char *s, size_t len, const char *word)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!word[i] || s[i] != word[i])
			return false;
	return !word[len];
}

/* The same of two words that end with 0. */
static inline bool str_eq(const char *a, const char *b) { return str_is(a, str_len(a), b); }

/* Of ASCII letters; anything else is itself. */
static inline char str_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

#endif
