/* SPDX-License-Identifier: MIT */
/* test_series.c - several runs side by side: medians that happened, means with their error, the words of runfibtest. */
#include "tests/test.h"

#include <stdlib.h>

#include "report/compare_text.h"
#include "report/fibtest_text.h"
#include "report/series.h"

TEST(series, spread)
{
	u64 odd[] = { 5, 1, 9 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };
	struct spread s = spread_of(odd, 3);

	CHECK_EQ(s.median, 5);
	CHECK_EQ(s.lo, 1);
	CHECK_EQ(s.hi, 9);
	CHECK_EQ(s.mean * 1000, 5000);
	CHECK_EQ(s.error * 1000, 2309); /* sqrt(((5-5)^2 + 4^2 + 4^2) / 2 / 3) = 2.3094 */
	s = spread_of(even, 4);
	CHECK_EQ(s.median, 2); /* the second smallest: nearest rank */
	s = spread_of(one, 1);
	CHECK_EQ(s.median, 7);
	CHECK_EQ(s.error * 1000, 0);
}

/* A result as machine_result() would make it: one limited group, one task. */
struct made {
	struct scenario sc;
	struct result res;
	struct group_result group;
	struct task_result task;
	u64 usage[1];
};

static struct result *make(struct made *m, const char *row, u64 iterations, u64 throttled, u64 usage)
{
	memset(m, 0, sizeof(*m));
	scenario_init(&m->sc);
	m->sc.name = "fibtest";
	m->group = (struct group_result){ .path = "/fibtest" };
	m->group.stat = (struct group_stat){ .quota = 10 * MS, .period = 100 * MS, .usage = usage, .nr_throttled = throttled };
	m->task = (struct task_result){ .name = "fast", .group = "/fibtest", .count = 1, .iterations = iterations };
	m->task.sum.runtime = usage;
	m->usage[0] = usage;
	m->res = (struct result){ .scenario = &m->sc, .seed = 1, .end = 9 * SEC, .groups = &m->group, .nr_groups = 1,
				  .tasks = &m->task, .nr_tasks = 1, .cpu_usage = m->usage, .nr_cpus = 1 };
	model_init(&m->res.model, row);
	return &m->res;
}

static char *text_of(void (*print)(FILE *out, const struct compare *cmp), const struct compare *cmp)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print(out, cmp);
	fclose(out);
	return text;
}

static void in_fibtest_words(FILE *out, const struct compare *cmp)
{
	static const struct fibtest_published p = {
		.source = "c5.9xlarge", .before = { 228, 53, 231 }, .after = { 498, 50, 492 },
		.iterations_ratio = "2.2x", .usage_ratio = "2.1x",
	};

	fibtest_text(out, cmp, &p);
}

/* The public report's figures, printed in the public report's words. */
TEST(series, runfibtest_words)
{
	struct made a, b;
	struct result *before[] = { make(&a, "4.14.133", 228000000, 53, 231 * MS) };
	struct result *after[] = { make(&b, "4.14.133", 498000000, 50, 492 * MS) };
	struct series series[] = { { "4.14.133", before, 1 }, { "4.14.133 bw_expiry=none", after, 1 } };
	struct compare cmp = { .series = series, .nr = 2 };
	char *text;

	CHECK_EQ(model_set_rule(&b.res.model, "bw_expiry=none", NULL), 0);
	text = text_of(in_fibtest_words, &cmp);
	CHECK(strstr(text, "Before: 4.14.133") != NULL);
	CHECK(strstr(text, "Iterations Completed(M): 228 ") != NULL);
	CHECK(strstr(text, "Throttled for: 53 ") != NULL);
	CHECK(strstr(text, "CPU Usage (msecs) = 231 ") != NULL);
	CHECK(strstr(text, "After: 4.14.133 bw_expiry=none") != NULL);
	CHECK(strstr(text, "CPU Usage (msecs) = 492 ") != NULL);
	CHECK(strstr(text, "2.2x more iterations") != NULL);
	CHECK(strstr(text, "2.1x more CPU time") != NULL);
	CHECK(strstr(text, "bw_expiry") != NULL);
	free(text);
}

/* The run that stands for a series is the one in the middle. */
TEST(series, middle_run)
{
	struct made m[3];
	struct result *runs[] = { make(&m[0], "5.4", 1, 1, 300 * MS), make(&m[1], "5.4", 1, 1, 100 * MS), make(&m[2], "5.4", 1, 1, 200 * MS) };
	struct series s = { "5.4", runs, 3 };

	CHECK(series_middle(&s) == runs[2]);
}

/* A figure that is zero everywhere is not shown; a change is. */
TEST(series, compare_shows_changes)
{
	struct made a, b;
	struct result *before[] = { make(&a, "5.4", 0, 50, 250 * MS) }, *after[] = { make(&b, "5.4", 0, 0, 500 * MS) };
	struct series series[] = { { "left", before, 1 }, { "right", after, 1 } };
	struct compare cmp = { .series = series, .nr = 2 };
	char *text = text_of(compare_text, &cmp);

	CHECK(strstr(text, "throttled periods") != NULL);
	CHECK(strstr(text, "-50") != NULL);
	CHECK(strstr(text, "2.0x") != NULL);
	CHECK(strstr(text, "iterations") == NULL);
	CHECK(strstr(text, "what differs") == NULL);
	free(text);
}

TEST_MAIN("series")
