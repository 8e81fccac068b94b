/* SPDX-License-Identifier: MIT */
/* bits.h - sets of CPUs as words of 64 bits. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include "base/types.h"

#define BITS_WORDS(n) (((n) + 63) / 64)

/* Of CPU @i, which must be in the range of the set. */
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

/* Bits set in @word; the compiler's own is a call where the processor is not known to have an instruction for it. */
static inline int word_count(u64 word)
{
	word -= word >> 1 & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (int)(word * 0x0101010101010101u >> 56);
}

/* How many of the first @n words' bits are set; those at and above @n must be 0. */
static inline int bit_count(const u64 *set, int n)
{
	int i, nr = 0;

	for (i = 0; i < BITS_WORDS(n); i++)
		nr += word_count(set[i]);
	return nr;
}

/*
 * Large sets of which few words have members: one bit for each word that has, so that the others are not looked at.  Enough for 4,096 members.
 * for_each_word(): @i runs over those words, @w is what is left of @words.
 */
static inline u64 used_words(const u64 *set, int n)
{
	u64 words = 0;
	int i;

	for (i = 0; i < BITS_WORDS(n); i++)
		words |= (u64)(set[i] != 0) << i;
	return words;
}

#define for_each_word(i, w, words) for (w = (words); w && ((i = __builtin_ctzll(w)), true); w &= w - 1)

#define for_each_bit(i, set, n) for (i = bit_next(set, n, 0); i < (n); i = bit_next(set, n, i + 1))

#endif
