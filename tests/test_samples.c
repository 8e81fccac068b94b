/* SPDX-License-Identifier: MIT */
/* test_samples.c - percentiles are samples that happened, by nearest rank. */
#include "tests/test.h"

#include "owner/result.h"

static void fill(struct samples *s, u64 nr)
{
	u64 i;

	for (i = nr; i; i--)
		samples_add(s, i);
}

/* The ceil(p * n)-th smallest of 1..n is ceil(p * n) itself. */
TEST(samples, nearest_rank)
{
	static const struct { u64 nr; double p; u64 want; } rows[] = {
		{ 1, 0.5, 1 }, { 2, 0.5, 1 }, { 3, 0.5, 2 }, { 20, 0.95, 19 }, { 100, 0.99, 99 }, { 101, 0.99, 100 },
		{ 10, 0.99, 10 }, { 10, 0, 1 }, { 10, 1, 10 }, { 1000, 0.95, 950 }, { 7, 0.95, 7 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct samples s = { 0 };

		fill(&s, rows[i].nr);
		CHECK_EQ(samples_percentile(&s, rows[i].p), rows[i].want);
		samples_free(&s);
	}
}

TEST(samples, none_is_zero)
{
	struct samples s = { 0 };

	CHECK_EQ(samples_percentile(&s, 0.5), 0);
	CHECK_EQ(samples_mean(&s), 0);
	CHECK_EQ(samples_max(&s), 0);
	samples_free(&s);
}

/* A sum beyond 64 bits does not disturb the mean. */
TEST(samples, mean_of_large_values)
{
	struct samples s = { 0 };

	samples_add(&s, UINT64_MAX);
	samples_add(&s, UINT64_MAX - 2);
	samples_add(&s, UINT64_MAX - 4);
	CHECK_EQ(samples_mean(&s), UINT64_MAX - 2);
	samples_free(&s);
}

TEST(samples, adding_after_asking)
{
	struct samples a = { 0 }, b = { 0 };

	fill(&a, 10);
	CHECK_EQ(samples_percentile(&a, 1), 10);
	samples_add(&a, 99);
	CHECK_EQ(samples_max(&a), 99);
	CHECK_EQ(samples_percentile(&a, 1), 99);
	samples_add(&b, 500);
	samples_merge(&a, &b);
	CHECK_EQ(a.nr, 12);
	CHECK_EQ(samples_percentile(&a, 1), 500);
	CHECK_EQ(samples_percentile(&a, 0), 1);
	samples_free(&a);
	samples_free(&b);
}

TEST_MAIN("samples")
