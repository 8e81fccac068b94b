/* SPDX-License-Identifier: MIT */
/* sort.c - numbers in order, a few bits at a time. */
#include "base/sort.h"

#define DIGIT 10 /* bits */
#define PILES (1u << DIGIT)

static u32 digit(u64 number, u32 shift) { return (u32)(number >> shift) & (PILES - 1); }

/* The bits in which not all numbers are alike. */
static u64 unlike(const u64 *v, u64 nr)
{
	u64 any = 0, all = ~(u64)0;

	for (u64 i = 0; i < nr; i++) {
		any |= v[i];
		all &= v[i];
	}
	return any & ~all;
}

/* Deal @from onto @to by the digit at @shift. */
static void deal(const u64 *from, u64 *to, u64 nr, u32 shift)
{
	u64 count[PILES], at = 0;

	for (u32 i = 0; i < PILES; i++)
		count[i] = 0;
	for (u64 i = 0; i < nr; i++)
		count[digit(from[i], shift)]++;
	for (u32 i = 0; i < PILES; i++) { /* becomes where the next one of each pile goes */
		u64 pile = count[i];

		count[i] = at;
		at += pile;
	}
	for (u64 i = 0; i < nr; i++)
		to[count[digit(from[i], shift)]++] = from[i];
}

void sort_u64_by_digits(u64 *v, u64 *spare, u64 nr)
{
	u64 *from = v, *to = spare, *other, left = nr < 2 ? 0 : unlike(v, nr);

	while (left) {
		u32 shift = (u32)__builtin_ctzll(left); /* digits begin where numbers differ */

		deal(from, to, nr, shift);
		left &= shift + DIGIT < 64 ? ~(u64)0 << (shift + DIGIT) : 0;
		other = from;
		from = to;
		to = other;
	}
	for (u64 i = 0; from != v && i < nr; i++)
		v[i] = from[i];
}
