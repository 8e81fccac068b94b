/* SPDX-License-Identifier: MIT */
/* test_metrics.c - counters: read, refused where they cannot be, and what follows from them. */
#include "tests/test.h"

#include <stdlib.h>

#include "input/bytes.h"
#include "metrics/reading.h"
#include "metrics/series.h"

static int parse(struct reading *r, const char *text, struct err *err) { return reading_parse(r, "cpu.stat", text, strlen(text), err); }

/* ---- cpu.stat ---- */

TEST(metrics, cpu_stat_of_both_versions)
{
	struct reading v1, v2;
	struct err err = { 0 };

	CHECK_EQ(parse(&v1, "nr_periods 22\nnr_throttled 20\nthrottled_time 413255043\n", &err), 0);
	CHECK(v1.v1 && !v1.has_usage);
	CHECK_EQ(v1.stopped, 413255043);
	CHECK_EQ(parse(&v2, "usage_usec 100\nuser_usec 60\nsystem_usec 40\nnr_periods 22\nnr_throttled 20\nthrottled_usec 413255\n"
			    "nr_bursts 3\nburst_usec 9000\r\n", &err), 0);
	CHECK(!v2.v1 && v2.has_usage && v2.has_burst);
	CHECK_EQ(v2.stopped, 413255 * US);
	CHECK_EQ(v2.usage, 100 * US);
	CHECK_EQ(v2.borrowed, 9 * MS);
}

TEST(metrics, byte_order_mark)
{
	struct reading r;
	struct err err = { 0 };

	CHECK_EQ(parse(&r, "\xef\xbb\xbfnr_periods 22\nnr_throttled 20\nthrottled_time 5\n", &err), 0);
	CHECK_EQ(r.periods, 22);
}

/* Each of these is refused in one line that says what is wrong. */
TEST(metrics, impossible_readings)
{
	static const struct { const char *text, *says; } rows[] = {
		{ "nr_periods 1\nnr_throttled 4\nthrottled_usec 0\n", "4 of 1 periods: that cannot be" },
		{ "usage_usec 100\nuser_usec 50\n", "is missing" },
		{ "nr_periods 5\n", "is missing" },
		{ "nr_periods five\nnr_throttled 1\n", "expected \"key number\"" },
		{ "hello\n", "expected \"key number\"" },
		{ "nr_periods 1\nnr_throttled 0\nnr_periods 2\nnr_throttled 1\n", "for the second time" },
		{ "nr_periods -3\nnr_throttled 1\n", "expected \"key number\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reading r;
		struct err err = { 0 };
		char text[1024];

		CHECK_ROW(parse(&r, rows[i].text, &err), -1, rows[i].text);
		CHECK_EQ(err.code, ERR_INPUT);
		CHECK(strstr(err_text(&err, text, sizeof(text)), rows[i].says) != NULL);
	}
}

TEST(metrics, counters_do_not_go_back)
{
	struct reading a = { .periods = 20, .throttled = 10, .stopped = 5 * MS }, b = { .periods = 30, .throttled = 9, .stopped = 6 * MS };
	struct facts f;
	struct err err = { 0 };

	CHECK_EQ(reading_between(&f, &a, &b, "cpu.stat", &err), -1);
	CHECK_STR(err.key, "nr_throttled");
	CHECK(strstr(err.message, "went back from 10 to 9") != NULL);
}

/* 60 of 61, 8.64 s in 6 s under 500m: 144 ms per throttled period are two CPUs, each stopped for 72 ms. */
TEST(metrics, throttled_time_is_a_sum_over_cpus)
{
	struct facts f = { .periods = 61, .throttled = 60, .stopped = 8640 * MS, .has_usage = true, .usage = 3030 * MS,
			   .quota = 50 * MS, .period = 100 * MS, .wall = 6 * SEC };
	struct follows fo;
	struct err err = { 0 };

	CHECK_EQ(facts_follow(&fo, &f, NULL, &err), 0);
	CHECK_EQ(fo.stop, 144 * MS);
	CHECK_EQ(fo.cpus, 2);
	CHECK_EQ(fo.cpus_lo, 2);
	CHECK_EQ(fo.pause, 72 * MS);
	CHECK_EQ(fo.milli_lo, 505);
	CHECK_EQ(fo.limit_milli, 500);
	CHECK(!fo.over_limit);
	CHECK_EQ(verdict_of(&f, &fo), VERDICT_LIMIT);
}

/* The same pause on one CPU: without the limit only the least number of CPUs is known, with it the number itself. */
TEST(metrics, cpus_need_the_limit)
{
	struct facts f = { .periods = 100, .throttled = 100, .stopped = 100 * 337 * MS };
	struct follows fo;
	struct err err = { 0 };

	CHECK_EQ(facts_follow(&fo, &f, NULL, &err), 0);
	CHECK_EQ(fo.cpus_lo, 4); /* 337 ms in 100 ms: at least four */
	CHECK_EQ(fo.cpus, 0);
	f.quota = 163 * MS;
	CHECK_EQ(facts_follow(&fo, &f, NULL, &err), 0);
	CHECK_EQ(fo.cpus, 5); /* (337 + 163) / 100 */
	f.quota = 5 * MS; /* (337 + 5) / 100 is nearer to 3, but three cannot stand still for 337 ms of 100 */
	CHECK_EQ(facts_follow(&fo, &f, NULL, &err), 0);
	CHECK_EQ(fo.cpus, 4);
	CHECK(fo.pause <= 100 * MS);
	f.quota = 163 * MS;
	CHECK_EQ(facts_follow(&fo, &f, NULL, &err), 0);
	CHECK_EQ(fo.used_lo, 100 * 163 * MS / 10 * 9);
	CHECK_EQ(fo.used_hi, 100 * 163 * MS);
}

/* CPU time that its throttled periods cannot have done with is not believed, and neither is less than was borrowed. */
TEST(metrics, odd_usage)
{
	static const struct { u64 usage, borrowed; bool odd; } rows[] = {
		{ 14, 0, true }, { 18 * US - 1, 0, true }, { 18 * US, 0, false }, { 180 * MS, 500 * MS, true }, { 500 * MS, 500 * MS, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct facts f = { .periods = 723, .throttled = 18, .stopped = 1724 * MS, .has_usage = true, .usage = rows[i].usage, .borrowed = rows[i].borrowed,
				   .has_burst = rows[i].borrowed > 0, .bursts = 25, .quota = 10 * MS, .period = 100 * MS, .wall = 80 * SEC };
		struct follows fo;
		struct err err = { 0 };

		CHECK_EQ(facts_follow(&fo, &f, NULL, &err), 0);
		CHECK_EQ(fo.odd_usage, rows[i].odd);
		CHECK_EQ(fo.used_lo, rows[i].odd ? 18 * 9 * MS : rows[i].usage); /* then it is what the throttled periods say */
	}
}

/* More periods than fit into the time. */
TEST(metrics, too_many_periods_for_the_time)
{
	struct facts f = { .periods = 61, .throttled = 60, .stopped = SEC, .wall = 2 * SEC };
	struct follows fo;
	struct err err = { 0 };

	CHECK_EQ(facts_follow(&fo, &f, "x", &err), -1);
	CHECK(strstr(err.message, "only 20 periods of 100 ms fit") != NULL);
	f.period = 20 * MS;
	err = (struct err){ 0 };
	CHECK_EQ(facts_follow(&fo, &f, "x", &err), 0);
}

/* ---- series ---- */

static const struct container *container(const struct series_set *set, const char *name)
{
	for (u32 i = 0; i < set->nr; i++)
		if (!strcmp(set->v[i].name, name))
			return &set->v[i];
	fail_msg("no container %s", name);
	return NULL;
}

static void read_all(struct series_set *set, const char *text)
{
	struct err err = { 0 };

	series_init(set);
	CHECK_EQ(series_read(set, "t", text, strlen(text), &err), 0);
	CHECK_EQ(series_finish(set, "t", 0, &err), 0);
}

/* pod_name and container_name, as cAdvisor had them up to 0.32; the newer names count where both stand. */
TEST(metrics, old_names_of_labels)
{
	static const char one[] = "container_cpu_cfs_periods_total{pod=\"p\",container=\"c\"} 5\n";
	struct series_set set;
	struct err err = { 0 };

	read_all(&set, "container_cpu_cfs_periods_total{namespace=\"x\",pod_name=\"p\",container_name=\"c\"} 5\n"
		       "container_cpu_cfs_periods_total{namespace=\"x\",pod=\"q\",pod_name=\"no\",container=\"d\",container_name=\"no\"} 7\n");
	CHECK_EQ(container(&set, "x/p/c")->facts.periods, 5);
	CHECK_EQ(container(&set, "x/q/d")->facts.periods, 7);
	series_fini(&set);
	/* One scrape counts from the container's start; --seconds says when that was. */
	series_init(&set);
	CHECK_EQ(series_read(&set, "t", one, strlen(one), &err), 0);
	CHECK_EQ(series_finish(&set, "t", 30 * SEC, &err), 0);
	CHECK_EQ(set.v[0].facts.wall, 30 * SEC);
	series_fini(&set);
}

TEST(metrics, exposition_text)
{
	struct series_set set;
	const struct container *c;

	read_all(&set, "# HELP x y\n# TYPE x counter\n"
		       "container_cpu_cfs_periods_total{namespace=\"a\",pod=\"p\",container=\"c\",x=\"} \\\" \"} 723 1395066363000\n"
		       "container_cpu_cfs_throttled_periods_total{container=\"c\",namespace=\"a\",pod=\"p\"} 18\n"
		       "container_cpu_cfs_throttled_seconds_total{container=\"c\",namespace=\"a\",pod=\"p\"} 1.724314\n"
		       "container_cpu_usage_seconds_total{container=\"c\",cpu=\"cpu00\",namespace=\"a\",pod=\"p\"} 2e-09\n"
		       "container_cpu_usage_seconds_total{container=\"c\",cpu=\"cpu01\",namespace=\"a\",pod=\"p\"} 3e-09\n"
		       "container_spec_cpu_quota{container=\"c\",namespace=\"a\",pod=\"p\"} 10000\n"
		       "container_memory_rss{container=\"c\"} 5\n");
	c = container(&set, "a/p/c");
	CHECK_EQ(set.nr, 1);
	CHECK_EQ(c->facts.periods, 723);
	CHECK_EQ(c->facts.throttled, 18);
	CHECK_EQ(c->facts.stopped, 1724314 * US);
	CHECK_EQ(c->facts.usage, 5);
	CHECK_EQ(c->facts.quota, 10 * MS);
	CHECK(c->since_start);
	CHECK_EQ(set.passed_over, 1);
	series_fini(&set);
}

/* Two samples: the increase counts, over the time between them; a second scraper changes nothing; a restart counts from 0. */
TEST(metrics, increase_over_time)
{
	struct series_set set;
	const struct container *c;

	read_all(&set, "container_cpu_cfs_periods_total{name=\"web\"} 1000 1000000\n"
		       "container_cpu_cfs_periods_total{name=\"web\"} 1100 1010000\n"
		       "container_cpu_cfs_periods_total{name=\"web\"} 30 1020000\n"
		       "container_cpu_cfs_periods_total{name=\"web\",job=\"other\"} 1000 1000000\n"
		       "container_cpu_cfs_periods_total{name=\"web\",job=\"other\"} 1100 1010000\n");
	c = container(&set, "web");
	CHECK_EQ(c->facts.periods, 130);
	CHECK_EQ(c->resets, 1);
	CHECK(!c->since_start);
	CHECK_WITHIN(c->facts.wall, 10 * SEC, 20 * SEC);
	series_fini(&set);
}

/* A file of text that is no exposition names line, column and what was expected. */
TEST(metrics, bad_text)
{
	static const struct { const char *text, *says; } rows[] = {
		{ "container_cpu_cfs_periods_total{a=\"b\" 5\n", "t:1:" },
		{ "ok 1\ncontainer_cpu_cfs_periods_total{a=\"b\"}\n", "t:2:" },
		{ "container_cpu_cfs_periods_total{a=\"b\"} many\n", "expected a number" },
		{ "  - series: 5\n", "expected a metric's name" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct series_set set;
		struct err err = { 0 };
		char text[1024];

		series_init(&set);
		CHECK_ROW(series_read(&set, "t", rows[i].text, strlen(rows[i].text), &err), -1, rows[i].text);
		CHECK(strstr(err_text(&err, text, sizeof(text)), rows[i].says) != NULL);
		series_fini(&set);
	}
}

TEST(metrics, nothing_of_a_limit)
{
	static const char text[] = "container_cpu_usage_seconds_total{name=\"a\"} 5\n";
	struct series_set set;
	struct err err = { 0 };

	series_init(&set);
	CHECK_EQ(series_read(&set, "t", text, strlen(text), &err), 0);
	CHECK_EQ(series_finish(&set, "t", 0, &err), -1);
	CHECK(strstr(err.message, "no container_cpu_cfs_periods_total") != NULL);
	series_fini(&set);
}

/* One column a series, as dashboards export it: the same figures. */
TEST(metrics, wide_csv)
{
	struct series_set set;
	const struct container *c;

	read_all(&set, "Time,\"container_cpu_cfs_periods_total{pod=\"\"p\"\",container=\"\"c\"\",namespace=\"\"n\"\"}\","
		       "\"container_cpu_cfs_throttled_periods_total{pod=\"\"p\"\",container=\"\"c\"\",namespace=\"\"n\"\"}\"\n"
		       "2026-11-30 12:00:00,100,10\n2026-11-30 12:01:00,400,\n2026-11-30T12:02:00Z,700,310\n");
	c = container(&set, "n/p/c");
	CHECK_EQ(c->facts.periods, 600);
	CHECK_EQ(c->facts.throttled, 300);
	CHECK_EQ(c->facts.wall, 120 * SEC);
	series_fini(&set);
}

/* Four containers of which each is another case. */
TEST(metrics, who_deserves_a_trace)
{
	static const struct { const char *name; enum verdict verdict; } rows[] = {
		{ "shop/web-1/web", VERDICT_TRACE }, { "shop/job-1/job", VERDICT_LIMIT }, { "shop/calm-1/calm", VERDICT_NONE },
	};
	struct series_set set;
	struct follows fo;
	struct err err = { 0 };
	size_t len;
	char *text = bytes_read("tests/data/metrics/range.csv", &len, &err);

	series_init(&set);
	CHECK(text != NULL);
	CHECK_EQ(series_read(&set, "range.csv", text, len, &err), 0);
	CHECK_EQ(series_finish(&set, "range.csv", 0, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct facts *f = &container(&set, rows[i].name)->facts;

		CHECK_EQ(facts_follow(&fo, f, NULL, &err), 0);
		CHECK_ROW(verdict_of(f, &fo), rows[i].verdict, rows[i].name);
	}
	CHECK_EQ(facts_follow(&fo, &container(&set, "shop/web-1/web")->facts, NULL, &err), 0);
	CHECK_EQ(fo.stop, 175 * MS);
	CHECK_EQ(fo.cpus, 2);
	CHECK_EQ(fo.milli_lo, 25);
	CHECK_EQ(container(&set, "shop/job-1/job")->facts.usage, 150 * SEC);
	CHECK_EQ(facts_follow(&fo, &container(&set, "shop/bad-1/bad")->facts, NULL, &err), -1);
	series_fini(&set);
	free(text);
}

/* No cut of a file may read beyond its end; the reader may only say no. */
TEST(metrics, every_cut_of_a_file)
{
	static const char text[] = "container_cpu_cfs_periods_total{pod=\"p\\\"\",container=\"c\"} 723 1395066363000\n"
				   "container_spec_cpu_quota{a=\"b\\";
	static const char csv[] = "name,pod,value\ncontainer_cpu_cfs_periods_total,\"p\"\"\",5\n";
	const struct { const char *text; size_t len; } files[] = { { text, sizeof(text) - 1 }, { csv, sizeof(csv) - 1 } };

	for (size_t k = 0; k < 2; k++) {
		for (size_t n = 0; n <= files[k].len; n++) {
			char *copy = malloc(n ? n : 1); /* so that a checker of memory sees a step beyond it */
			struct series_set set;
			struct err err = { 0 };

			memcpy(copy, files[k].text, n);
			series_init(&set);
			if (series_read(&set, "t", copy, n, &err))
				CHECK_EQ(err.code, ERR_INPUT);
			series_fini(&set);
			free(copy);
		}
	}
}

TEST_MAIN("metrics")
