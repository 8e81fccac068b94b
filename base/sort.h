/* SPDX-License-Identifier: MIT */
/*
 * sort.h - numbers in order, ten bits at a time: the lowest first, each pass keeping the order of the one before.
 *
 *	1,025 5 77  --by the lowest ten bits-->  1,025(= 1:1) 5 77  --by the next-->  5 77 1,025
 *
 * Bits that are the same in all numbers cost no pass, so times of up to a second take three.  Large lists only: a pass has 1,024 piles.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/types.h"

#define SORT_U64_LEAST 512 /* fewer are sorted sooner by comparing */

/* Sort the @nr numbers at @v upwards; @spare has room for as many. */
void sort_u64_by_digits(u64 *v, u64 *spare, u64 nr);

#endif
