/* SPDX-License-Identifier: MIT */
/*
 * sort.h - numbers in order, byte by byte: the lowest byte first, each pass keeping the order of the one before.
 *
 *	300 5 77  --by the byte of ones-->  300(=1:44) 5 77  --by the next-->  5 77 300
 *
 * A byte that is the same in all numbers costs no pass, so times of a few seconds take four.  Large lists only: a pass has 256 piles.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/types.h"

#define SORT_U64_LEAST 512 /* fewer are sorted sooner by comparing */

/* Sort the @nr numbers at @v upwards; @spare has room for as many. */
void sort_u64_by_bytes(u64 *v, u64 *spare, u64 nr);

#endif
