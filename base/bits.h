/* SPDX-License-Identifier: MIT */
/* bits.h - sets of CPUs as words of 64 bits. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include "base/types.h"

#define BITS_WORDS(n) (((n) + 63) / 64)

static inline bool bit_test(const u64 *set, int i) { return set[i / 64] >> (i % 64) & 1; }
static inline void bit_set(u64 *set, int i) { set[i / 64] |= (u64)1 << (i % 64); }
static inline void bit_clear(u64 *set, int i) { set[i / 64] &= ~((u64)1 << (i % 64)); }

/* The first member at or after @i below @n; @n where there is none. */
static inline int bit_next(const u64 *set, int n, int i)
{
	while (i < n) {
		u64 word = set[i / 64] >> (i % 64);

		if (word) {
			i += __builtin_ctzll(word);
			return i < n ? i : n;
		}
		i = (i / 64 + 1) * 64;
	}
	return n;
}

static inline int bit_count(const u64 *set, int n)
{
	int i, nr = 0;

	for (i = 0; i < BITS_WORDS(n); i++)
		nr += __builtin_popcountll(set[i]);
	return nr;
}

#define for_each_bit(i, set, n) for (i = bit_next(set, n, 0); i < (n); i = bit_next(set, n, i + 1))

#endif
