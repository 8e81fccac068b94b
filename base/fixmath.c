/* SPDX-License-Identifier: MIT */
/*
 * fixmath.c - logarithm, exponential and square root in whole numbers.
 *
 * Plain methods that a reader can check by hand: the logarithm squares its argument and reads off one binary digit a
 * time; the exponential sums its series in Horner's form on a short interval.
 */
#include "base/fixmath.h"

#define LN2_Q63 0x58b90bfbe8e7bcd6u /* ln 2 * 2^63 */

typedef unsigned __int128 u128;
typedef __int128 s128;

/*
 * log2 of @m / 2^63, which is in [1, 2), in 2^-56 units: squaring doubles the logarithm, and when the square passes 2 the
 * next digit is 1.
 */
static u64 log2_digits(u64 m)
{
	u64 digits = 0;
	int i;

	for (i = 55; i >= 0; i--) {
		u128 square = (u128)m * m; /* of 2^126 */
		bool carry = square >> 127;

		digits |= (u64)carry << i;
		m = (u64)(square >> (63 + carry));
	}
	return digits;
}

fix fix_ln_unit(u64 x)
{
	int zeros = __builtin_clzll(x);
	s128 log2 = -((s128)(zeros + 1) << 56) + log2_digits(x << zeros);

	return (fix)((log2 * (s128)LN2_Q63) >> (56 + 63 - FIX_SHIFT));
}

/* e^@x for 0 <= @x < ln 2, in 2^-62 units: 1 + x(1 + x/2(1 + x/3(...))). */
static u64 exp_series(u64 x)
{
	u64 one = (u64)1 << 62, sum = one;
	int n;

	for (n = 20; n; n--)
		sum = one + (u64)(((u128)sum * x >> 62) / (unsigned)n);
	return sum;
}

u64 fix_mul_exp(u64 v, fix x)
{
	const u64 ln2 = LN2_Q63 >> 1; /* 2^-62 units */
	s128 wide = (s128)x * ((s64)1 << (62 - FIX_SHIFT));
	s64 whole = (s64)(wide / ln2);
	u128 product;

	if (wide < (s128)whole * ln2)
		whole--;
	if (!v || whole < -64)
		return 0;
	product = (u128)v * exp_series((u64)(wide - (s128)whole * ln2)); /* below 2^127 */
	if (whole >= 64)
		return UINT64_MAX;
	product = whole >= 0 ? product : product >> -whole;
	if (whole > 0 && product >> (126 - whole))
		return UINT64_MAX;
	product = whole > 0 ? product << whole : product;
	product = (product + ((u128)1 << 61)) >> 62;
	return product > UINT64_MAX ? UINT64_MAX : (u64)product;
}

static u64 sqrt_u128(u128 x)
{
	u64 root = 0;
	int bit;

	for (bit = 63; bit >= 0; bit--) {
		u64 more = root | (u64)1 << bit;

		if ((u128)more * more <= x)
			root = more;
	}
	return root;
}

u64 sqrt_u64(u64 x) { return sqrt_u128(x); }

s64 fix_mul(s64 v, fix x)
{
	s128 product = (s128)v * x / FIX_ONE;

	if (product > INT64_MAX)
		return INT64_MAX;
	return product < INT64_MIN ? INT64_MIN : (s64)product;
}

fix fix_exponential(struct rng *r)
{
	u64 u;

	do
		u = rng_next(r);
	while (!u);
	return -fix_ln_unit(u);
}

/* A whole number below 2^31 in size, even on both sides. */
static s64 coordinate(struct rng *r) { return (s64)(rng_next(r) >> 32) - ((s64)1 << 31); }

/* A point (a, b) in the unit circle, s = a^2 + b^2: a / sqrt(s) * sqrt(-2 ln s) is normal. */
fix fix_normal(struct rng *r)
{
	s64 a, b;
	u64 s, length, radius;

	do {
		a = coordinate(r);
		b = coordinate(r);
		s = (u64)(a * a) + (u64)(b * b); /* of 2^62 */
	} while (!s || s >= (u64)1 << 62);
	length = sqrt_u128((u128)s << 62);				 /* of 2^62 */
	radius = sqrt_u128((u128)(u64)(-2 * fix_ln_unit(s << 2)) << 64); /* of 2^56 */
	return (fix)((s128)a * (s128)radius * (1 << 23) / (s128)length); /* a is of 2^31 */
}
