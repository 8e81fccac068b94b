/* SPDX-License-Identifier: MIT */
/* sort.c - numbers in order, byte by byte. */
#include "base/sort.h"

#define BYTES 8
#define PILES 256

/* How many numbers have each value of each byte. */
static void count_bytes(const u64 *v, u64 nr, u64 count[BYTES][PILES])
{
	for (u32 b = 0; b < BYTES; b++)
		for (u32 i = 0; i < PILES; i++)
			count[b][i] = 0;
	for (u64 i = 0; i < nr; i++)
		for (u32 b = 0; b < BYTES; b++)
			count[b][v[i] >> 8 * b & 255]++;
}

/* Deal @from onto @to by byte @b; @count becomes where the next one of each pile goes. */
static void deal(const u64 *from, u64 *to, u64 nr, u32 b, u64 *count)
{
	u64 at = 0;

	for (u32 i = 0; i < PILES; i++) {
		u64 pile = count[i];

		count[i] = at;
		at += pile;
	}
	for (u64 i = 0; i < nr; i++)
		to[count[from[i] >> 8 * b & 255]++] = from[i];
}

void sort_u64_by_bytes(u64 *v, u64 *spare, u64 nr)
{
	u64 count[BYTES][PILES], *from = v, *to = spare, *other;

	if (nr < 2)
		return;
	count_bytes(v, nr, count);
	for (u32 b = 0; b < BYTES; b++) {
		if (count[b][v[0] >> 8 * b & 255] == nr)
			continue; /* all alike */
		deal(from, to, nr, b, count[b]);
		other = from;
		from = to;
		to = other;
	}
	for (u64 i = 0; from != v && i < nr; i++)
		v[i] = from[i];
}
