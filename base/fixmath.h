/* SPDX-License-Identifier: MIT */
/*
 * fixmath.h - logarithm, exponential and square root in whole numbers, for samplers.
 *
 * A "fix" is a signed 64-bit number of 2^-48 units: 1.0 is FIX_ONE, the range is +-32768, the resolution 3.6e-15.
 * Same bits on every machine and compiler; the errors below are measured against libm by tests/test_fixmath.c.
 */
#ifndef BASE_FIXMATH_H
#define BASE_FIXMATH_H

#include "base/types.h"
#include "base/rng.h"

typedef s64 fix;
#define FIX_SHIFT 48
#define FIX_ONE ((fix)1 << FIX_SHIFT)

/* ln(@x / 2^64) for x >= 1: between -44.37 and 0.  Error below 2^-46. */
fix fix_ln_unit(u64 x);

/* @v * e^@x, rounded, at most UINT64_MAX.  Relative error below 2^-44 (plus the rounding). */
u64 fix_mul_exp(u64 v, fix x);

/* The square root, rounded down. */
u64 sqrt_u64(u64 x);

/* @v * @x, rounded towards zero, held inside s64. */
s64 fix_mul(s64 v, fix x);

/* -ln(u) for uniform u: exponential with mean 1. */
fix fix_exponential(struct rng *r);

/* Normal with mean 0 and standard deviation 1, by Marsaglia's polar method; within +-9.5. */
fix fix_normal(struct rng *r);

#endif
