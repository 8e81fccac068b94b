/* SPDX-License-Identifier: MIT */
/* test_fixmath.c - whole-number logarithm and exponential, named streams, the lengths drawn from them, and numbers in order. */
#include "tests/test.h"

#include <stdlib.h>

#include "base/fixmath.h"
#include "base/rng.h"
#include "base/sort.h"
#include "work/dist.h"

static s64 apart(s64 a, s64 b) { return a > b ? a - b : b - a; }

/* ln(x / 2^64) in 2^-48 units is right to a quarter of the last place but two; the table is from 80-digit decimals. */
TEST(fixmath, logarithm)
{
	static const struct { u64 x; fix ln; } rows[] = {
		{ 0x1u, -12486629536330718 }, { 0x2u, -12291525949825551 }, { 0x3u, -12177397667963822 },
		{ 0xau, -11838509450905916 }, { 0xffffffffu, -6243314768230895 }, { 0x100000000u, -6243314768165359 },
		{ 0x7fffffffffffffffu, -195103586505167 }, { 0x8000000000000000u, -195103586505167 },
		{ 0xffffffffffffffffu, 0 }, { 0xffffffff00000000u, -65536 }, { 0x3ca9d3u, -8209421628354771 },
		{ 0x328u, -10602277836820452 }, { 0x940c5c7fd0u, -4836632740842248 }, { 0x6063a892f902bu, -2616182824009549 },
		{ 0x12a6330u, -7761017167714720 }, { 0x1du, -11538820021007387 }, { 0x36f675ccu, -6676370222269057 },
		{ 0x37u, -11358665521345570 }, { 0x16cad4a26u, -6143719253773222 }, { 0x7ec5f90c192cfu, -2539057105912168 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_WITHIN(apart(fix_ln_unit(rows[i].x), rows[i].ln), 0, 3);
}

/* v * e^x has a relative error below 2^-44, beside the rounding to a whole number. */
TEST(fixmath, exponential)
{
	static const struct { u64 v; fix x; u64 out; } rows[] = {
		{ 1000u, 0, 1000u }, { 1000000000u, FIX_ONE, 2718281828u }, { 1000000000u, -FIX_ONE, 367879441u },
		{ 1000000000000000000u, 703687441776640, 12182493960703473438u },
		{ 1000000000000000000u, -8514618045497344, 72877u }, { 1u, 12384898975268864, 12851600114359308276u },
		{ 3u, 195103586505167, 6u }, { 1000000u, -195103586505167, 500000u },
		{ 12345678901234567u, 1618481116086272, 3878897005654052255u },
		{ 9223372036854775808u, -12272308984584602, 1u }, { 248882401373u, 882430238121571, 5721592637928u },
		{ 1041886038257u, -2959796873775346, 28253922u }, { 436306578165u, -3042704100572272, 8813141u },
		{ 131171247084u, 479050299402750, 719410589235u }, { 895759484248u, 1229500902460480, 70667186313391u },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_WITHIN(apart((s64)fix_mul_exp(rows[i].v, rows[i].x), (s64)rows[i].out), 0, (s64)(rows[i].out >> 44) + 1);
}

/* What does not fit is held at the largest number, what is nothing is 0. */
TEST(fixmath, exponential_at_the_ends)
{
	CHECK(fix_mul_exp(1, 45 * FIX_ONE) == UINT64_MAX);
	CHECK(fix_mul_exp(UINT64_MAX, FIX_ONE) == UINT64_MAX);
	CHECK(fix_mul_exp(UINT64_MAX, 0) == UINT64_MAX);
	CHECK(fix_mul_exp(1, 30000 * FIX_ONE) == UINT64_MAX);
	CHECK_EQ(fix_mul_exp(1000, -30000 * FIX_ONE), 0);
	CHECK_EQ(fix_mul_exp(0, 30000 * FIX_ONE), 0);
}

/* The square root is rounded down. */
TEST(fixmath, square_root)
{
	CHECK_EQ(sqrt_u64(0), 0);
	CHECK_EQ(sqrt_u64(1), 1);
	CHECK_EQ(sqrt_u64(24), 4);
	CHECK_EQ(sqrt_u64(25), 5);
	CHECK_EQ(sqrt_u64(UINT64_MAX), UINT32_MAX);
}

/* From the state 1, 2, 3, 4 xoshiro256** gives its authors' published first numbers. */
TEST(rng, reference)
{
	struct rng r = { { 1, 2, 3, 4 } };

	CHECK_EQ(rng_next(&r), 11520);
	CHECK_EQ(rng_next(&r), 0);
	CHECK_EQ(rng_next(&r), 1509978240);
	CHECK_EQ(rng_next(&r), 1215971899390074240);
}

/* Each part of a stream's name makes another stream, and where one text ends and the next begins counts. */
TEST(rng, names)
{
	static const struct { u64 seed; const char *use, *name; u64 a, b; } rows[] = {
		{ 1, "step", "web", 0, 0 }, { 2, "step", "web", 0, 0 }, { 1, "own", "web", 0, 0 },  { 1, "step", "we", 0, 0 },
		{ 1, "step", "web", 1, 0 }, { 1, "step", "web", 0, 1 }, { 1, "stepw", "eb", 0, 0 }, { 1, "step", NULL, 0, 0 },
	};
	u64 first[ARRAY_SIZE(rows)];
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rng r;

		rng_init(&r, rows[i].seed, rows[i].use, rows[i].name, rows[i].a, rows[i].b);
		first[i] = rng_next(&r);
		for (k = 0; k < i; k++)
			CHECK(first[i] != first[k]);
	}
}

/* Of 0 .. 5 each value comes up a sixth of the time: 60,000 draws, four standard deviations (91) of room. */
TEST(rng, below)
{
	struct rng r;
	int count[6] = { 0 }, i;

	rng_init(&r, 1, "die", NULL, 0, 0);
	for (i = 0; i < 60000; i++)
		count[rng_below(&r, 6)]++;
	for (i = 0; i < 6; i++)
		CHECK_WITHIN(count[i], 10000 - 365, 10000 + 365);
	for (i = 0; i < 100; i++)
		CHECK_EQ(rng_below(&r, 1), 0);
}

#define DRAWS 100000

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* DRAWS lengths of @d, sorted; the mean into @mean. */
static u64 *drawn(const struct dist *d, u64 *mean)
{
	u64 *v = malloc(DRAWS * sizeof(*v)), sum = 0;
	struct draw draw = { .next = 0 };
	int i;

	rng_init(&draw.rng, 7, "test", NULL, 0, 0);
	for (i = 0; i < DRAWS; i++)
		sum += v[i] = dist_draw(d, &draw);
	qsort(v, DRAWS, sizeof(*v), by_size);
	*mean = sum / DRAWS;
	return v;
}

/* Exponential with mean 1 ms: the mean within 4 * 1 ms / sqrt(n) = 12.6 us, the median at ln 2, 5 % below 51.3 us. */
TEST(dist, exponential)
{
	u64 mean, *v = drawn(&(struct dist){ .kind = DIST_EXPONENTIAL, .a = MS }, &mean);

	CHECK_WITHIN(mean, 987400, 1012600);
	CHECK_WITHIN(v[DRAWS / 2], 693147 - 12700, 693147 + 12700);
	CHECK_WITHIN(v[DRAWS / 20], 51293 - 3000, 51293 + 3000);
	free(v);
}

/* Normal with mean 10 ms and deviation 1 ms: 68.27 % lie within one deviation, 2.28 % two below. */
TEST(dist, normal)
{
	u64 mean, *v = drawn(&(struct dist){ .kind = DIST_NORMAL, .a = 10 * MS, .b = MS }, &mean);

	CHECK_WITHIN(mean, 10 * MS - 12700, 10 * MS + 12700);
	CHECK_WITHIN(v[DRAWS * 15866 / 100000], 9 * MS - 20000, 9 * MS + 20000);
	CHECK_WITHIN(v[(u64)DRAWS * 84134 / 100000], 11 * MS - 20000, 11 * MS + 20000);
	CHECK_WITHIN(v[DRAWS * 2275 / 100000], 8 * MS - 40000, 8 * MS + 40000);
	free(v);
}

/* A normal length below 0 counts as 0. */
TEST(dist, normal_below_zero)
{
	u64 mean, *v = drawn(&(struct dist){ .kind = DIST_NORMAL, .a = 0, .b = MS }, &mean);

	CHECK_EQ(v[0], 0);
	CHECK_EQ(v[DRAWS / 2 - DRAWS / 50], 0);
	CHECK(v[DRAWS / 2 + DRAWS / 50] > 0);
	free(v);
}

/* Lognormal with median 1 ms and sigma 0.5: a deviation up is a factor of e^0.5 = 1.6487. */
TEST(dist, lognormal)
{
	u64 mean, *v = drawn(&(struct dist){ .kind = DIST_LOGNORMAL, .a = MS, .b = 500 }, &mean);

	CHECK_WITHIN(v[DRAWS / 2], 992000, 1008000);
	CHECK_WITHIN(v[(u64)DRAWS * 84134 / 100000], 1648721 - 17000, 1648721 + 17000);
	CHECK_WITHIN(mean, 1133148 - 8000, 1133148 + 8000); /* e^(0.125) */
	free(v);
}

/* Uniform takes both ends. */
TEST(dist, uniform)
{
	u64 mean, *v = drawn(&(struct dist){ .kind = DIST_UNIFORM, .a = 10, .b = 12 }, &mean);

	CHECK_EQ(v[0], 10);
	CHECK_EQ(v[DRAWS - 1], 12);
	CHECK_EQ(v[DRAWS / 2], 11);
	free(v);
}

/* Recorded lengths are played in order and again from the start. */
TEST(dist, played)
{
	static const u64 values[] = { 5, 7, 6 };
	struct dist d = { .kind = DIST_EMPIRICAL, .values = values, .nr = 3 };
	struct draw draw = { .next = 0 };
	int i;

	for (i = 0; i < 7; i++)
		CHECK_EQ(dist_draw(&d, &draw), values[i % 3]);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Sorting by digits gives what comparing gives: any width, equal ones, none, one, and an odd number of passes. */
TEST(fixmath, numbers_in_order)
{
	static const u64 bounds[] = { 1, 2, 256, 257, 65537, (u64)1 << 33, (u64)1 << 55, UINT64_MAX };
	static u64 v[3000], w[3000], spare[3000];
	struct rng rng;

	rng_init(&rng, 3, "sort", NULL, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++)
		for (u64 nr = 0; nr <= ARRAY_SIZE(v); nr = nr < 3 ? nr + 1 : nr * 10) {
			for (u64 k = 0; k < nr; k++)
				v[k] = w[k] = rng_below(&rng, bounds[i]) << i % 3;
			sort_u64_by_digits(v, spare, nr);
			qsort(w, nr, sizeof(*w), by_value);
			CHECK_EQ(memcmp(v, w, nr * sizeof(*v)), 0);
		}
}

TEST_MAIN("fixmath")
