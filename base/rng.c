/* SPDX-License-Identifier: MIT */
/*
 * rng.c - xoshiro256** of Blackman and Vigna, started by splitmix64 from the hash of a stream's name.
 *
 * Law: a stream depends on nothing but its name and the seed.
 */
#include "base/rng.h"

/* One step of splitmix64: a bijection of 64 bits that mixes well. */
static u64 mix(u64 x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Fold a text into @h; its length closes it, so that ("ab", "c") and ("a", "bc") differ. */
static u64 mix_text(u64 h, const char *s)
{
	u64 len = 0;

	for (; s && *s; s++, len++)
		h = mix(h ^ (u8)*s);
	return mix(h ^ len << 8);
}

u64 rng_streams(u64 seed, const char *use, const char *name) { return mix_text(mix_text(mix(seed), use), name); }

void rng_init_one(struct rng *r, u64 streams, u64 a, u64 b)
{
	u64 h = mix(mix(streams ^ a) ^ b);
	int i;

	for (i = 0; i < 4; i++)
		r->s[i] = mix(h + (u64)i * 0x9e3779b97f4a7c15u);
}

void rng_init(struct rng *r, u64 seed, const char *use, const char *name, u64 a, u64 b)
{
	rng_init_one(r, rng_streams(seed, use, name), a, b);
}

static u64 rotate(u64 x, int k) { return x << k | x >> (64 - k); }

u64 rng_next(struct rng *r)
{
	u64 *s = r->s, out = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return out;
}

/* The high word of draw * n is uniform once the few low words that some values would get more of are drawn again. */
u64 rng_below(struct rng *r, u64 n)
{
	unsigned __int128 wide;
	u64 unfair;

	if (!n)
		return rng_next(r);
	wide = (unsigned __int128)rng_next(r) * n;
	if ((u64)wide < n) {
		unfair = (0 - n) % n;
		while ((u64)wide < unfair)
			wide = (unsigned __int128)rng_next(r) * n;
	}
	return (u64)(wide >> 64);
}
