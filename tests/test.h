/* SPDX-License-Identifier: MIT */
/*
 * test.h - how a test is written here.
 *
 *	TEST(bandwidth, stranded_slice)		registers itself; the first comment line above it states the fact
 *	{
 *		CHECK_EQ(lost, 1 * MS);		prints both values when they differ
 *	}
 *	TEST_IF(FAIRGROUND_GROUPS, fair, x)	only in a core that has them (core/config.h)
 *	TEST_MAIN("bandwidth")			once per binary
 *
 * The runner is cmocka: it prints one line per test and a closing count.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/types.h"
#include "core/config.h"

#define TEST_MAX 512
extern struct CMUnitTest test_table[TEST_MAX];
extern size_t test_count;

#define TEST(area, name) TEST_IF(1, area, name)

#define TEST_IF(condition, area, name)                                                                         \
	static void test_##area##_##name(void **state);                                                        \
	__attribute__((constructor)) static void register_##area##_##name(void)                                \
	{                                                                                                      \
		if ((condition) && test_count < TEST_MAX)                                                      \
			test_table[test_count++] =                                                             \
				(struct CMUnitTest)cmocka_unit_test(test_##area##_##name);                     \
	}                                                                                                      \
	static void test_##area##_##name(void **state __attribute__((unused)))

#define TEST_MAIN(suite)                                                                                       \
	struct CMUnitTest test_table[TEST_MAX];                                                                \
	size_t test_count;                                                                                     \
	int main(void)                                                                                         \
	{                                                                                                      \
		return _cmocka_run_group_tests(suite, test_table, test_count, NULL, NULL);                     \
	}

/* Where a row of a table fails, say which: TEST_ROW is printed with the two values. */
#define CHECK_EQ(a, b) check_eq((s64)(a), (s64)(b), #a, #b, "", __FILE__, __LINE__)
#define CHECK_ROW(a, b, row) check_eq((s64)(a), (s64)(b), #a, #b, row, __FILE__, __LINE__)
#define CHECK(cond) check_eq(!!(cond), 1, #cond, "true", "", __FILE__, __LINE__)
#define CHECK_WITHIN(a, lo, hi) check_within((s64)(a), (s64)(lo), (s64)(hi), #a, __FILE__, __LINE__)
#define CHECK_STR(a, b) assert_string_equal(a, b)

static inline void check_eq(s64 a, s64 b, const char *sa, const char *sb, const char *row, const char *file, int line)
{
	if (a == b)
		return;
	print_error("%s%s%s is %" PRId64 ", but %s is %" PRId64 "\n", row, *row ? ": " : "", sa, a, sb, b);
	_fail(file, line);
}

static inline void check_within(s64 a, s64 lo, s64 hi, const char *sa, const char *file, int line)
{
	if (a >= lo && a <= hi)
		return;
	print_error("%s is %" PRId64 ", not in %" PRId64 " .. %" PRId64 "\n", sa, a, lo, hi);
	_fail(file, line);
}

#endif
