/* SPDX-License-Identifier: MIT */
/*
 * rng.h - named streams of chance.
 *
 *	seed + "step" + task "web" + instance 3 + step 1  --hash-->  xoshiro256**
 *
 * Each use of chance owns a stream, named by what it is for: drawing one number more in one stream, or adding a task,
 * moves no other stream.  The same on every machine.  Not for secrets.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include "base/types.h"

struct rng {
	u64 s[4]; /* never all zero */
};

/* The stream called @use of @name (NULL counts as ""), number @a, @b, under @seed. */
void rng_init(struct rng *r, u64 seed, const char *use, const char *name, u64 a, u64 b);

/* The same in two steps, where many streams of one name are begun: what they have in common, and number @a, @b of them. */
u64 rng_streams(u64 seed, const char *use, const char *name);
void rng_init_one(struct rng *r, u64 streams, u64 a, u64 b);

/* 64 fresh bits. */
u64 rng_next(struct rng *r);

/* Uniform in 0 .. @n - 1, without bias; @n = 0 stands for 2^64. */
u64 rng_below(struct rng *r, u64 n);

#endif
