/* SPDX-License-Identifier: MIT */
/* test_explain.c - each cause of throttling in a scenario that has just that one. */
#include "tests/test.h"

#include <stdlib.h>

#include "cli/explain_scenario.h"
#include "cli/explain_trace.h"
#include "cli/sniff.h"

static struct run_options opt;

/* Quotes are written as ' here. */
static void tell(struct scenario_story *s, struct source *src, const char *text)
{
	struct err err = { 0 };
	char shown[1024];

	memset(&opt, 0, sizeof(opt));
	current_variant(&opt);
	opt.jobs = 1;
	*src = (struct source){ .path = "t.json", .text = strdup(text), .len = strlen(text), .warned = true };
	for (char *p = src->text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (scenario_story(s, src, &opt, &err))
		fail_msg("%s", err_text(&err, shown, sizeof(shown)));
}

static void done(struct scenario_story *s, struct source *src)
{
	scenario_story_fini(s);
	source_close(src);
}

static const struct run_group_view *view(const struct scenario_story *s, const char *path)
{
	for (u32 i = 0; i < s->view.nr_groups; i++)
		if (!strcmp(s->view.groups[i].path, path))
			return &s->view.groups[i];
	fail_msg("no group %s", path);
	return NULL;
}

static u64 periods(const struct run_group_view *g, const char *cause)
{
	for (u32 i = 0; i < g->nr_causes; i++)
		if (!strcmp(g->causes[i].cause, cause))
			return g->causes[i].periods;
	return 0;
}

static bool says(const struct scenario_story *s, const char *word)
{
	for (u32 i = 0; i < s->view.nr_sentences; i++)
		if (strstr(s->view.sentences[i], word))
			return true;
	return false;
}

/* Causes within the group are as many as throttled periods. */
static void check_sum(const struct run_group_view *g)
{
	u64 sum = 0;

	for (u32 i = 0; i < g->nr_causes; i++)
		if (strcmp(g->causes[i].cause, "parent"))
			sum += g->causes[i].periods;
	CHECK_EQ(sum, g->throttled);
}

#define MACHINE "{ 'machine': { 'cpus': 2, 'hz': 250, 'costs': 'none' }, 'kernel': '6.18', "

/* Two threads of 50 ms every 5 s under 250m: throttled in most of the active periods and in few by the clock, by bursts. */
TEST(explain, bursts_at_little_use)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, MACHINE "'groups': { '/web': { 'limit': '250m' } }, 'global': { 'duration': 14 }, 'tasks': { 'worker': { 'instance': 2, "
			       "'taskgroup': '/web', 'loop': -1, 'timer': { 'ref': 'unique', 'period': 5000000, 'mode': 'absolute' }, 'run': 50000 } } }");
	g = view(&s, "/web");
	CHECK_WITHIN(g->throttled * 100 / g->active, 40, 80);
	CHECK(g->throttled * 100 / g->wall < 10);
	CHECK(periods(g, "burst") >= g->throttled / 2);
	CHECK_EQ(periods(g, "threads"), 0);
	CHECK_EQ(periods(g, "own"), 0);
	CHECK_EQ(periods(g, "kernel"), 0);
	check_sum(g);
	CHECK_WITHIN(g->wanted, 200 * MS, 201 * MS);
	CHECK(says(&s, "Bursts: a loop of worker wants 50.0 ms of CPU, 2 of them at once 100 ms"));
	CHECK(says(&s, "It is not the kernel"));
	done(&s, &src);
}

/* A thread that never sleeps takes what the limit gives, alone. */
TEST(explain, one_busy_thread_wants_more)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, MACHINE "'groups': { '/web': { 'limit': '500m' } }, 'global': { 'duration': 3 }, "
			       "'tasks': { 'hog': { 'taskgroup': '/web', 'loop': -1, 'run': 100000 } } }");
	g = view(&s, "/web");
	CHECK(g->throttled > 25);
	CHECK_EQ(periods(g, "own"), g->throttled);
	check_sum(g);
	CHECK_EQ(g->worst.cpus, 1);
	CHECK_EQ(g->worst.nr_spenders, 1);
	CHECK_STR(g->worst.spenders[0].task, "hog");
	done(&s, &src);
}

/* Two busy threads under one CPU: with one at once the quota would last. */
TEST(explain, more_threads_than_the_limit_is_worth)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, MACHINE "'groups': { '/web': { 'limit': '1000m' } }, 'global': { 'duration': 3 }, "
			       "'tasks': { 'hog': { 'instance': 2, 'taskgroup': '/web', 'loop': -1, 'run': 100000 } } }");
	g = view(&s, "/web");
	CHECK(g->throttled > 25);
	CHECK_EQ(periods(g, "threads"), g->throttled);
	CHECK(says(&s, "pause for 50.0 ms of each 100 ms"));
	done(&s, &src);
}

/* 10m at 250 Hz: 1 ms of quota, and a tick is 4 ms. */
TEST(explain, quota_below_a_tick)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, MACHINE "'groups': { '/web': { 'limit': '10m' } }, 'global': { 'duration': 3 }, "
			       "'tasks': { 'hog': { 'taskgroup': '/web', 'loop': -1, 'run': 100000 } } }");
	g = view(&s, "/web");
	CHECK(g->throttled);
	CHECK_EQ(periods(g, "tick"), g->throttled);
	CHECK(says(&s, "stands still for about 396 ms"));
	done(&s, &src);
}

/*
 * 53 ms under 25 ms per 100 ms, with ticks of 4 ms: 28 in the first period, which is 3 too many; so 22 are left in the second, found used up
 * at 24; and the last 1 ms in the third.  Without the 3 that were paid it would have been done in the second.
 */
TEST(explain, debt_costs_another_period)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, "{ 'machine': { 'cpus': 1, 'hz': 250, 'costs': 'none' }, 'kernel': '5.10', 'groups': { '/web': { 'limit': '250m' } }, "
		       "'global': { 'duration': 2.9 }, 'tasks': { 'w': { 'taskgroup': '/web', 'loop': -1, "
		       "'timer': { 'ref': 'unique', 'period': 1000000, 'mode': 'absolute' }, 'run': 53000 } } }");
	g = view(&s, "/web");
	CHECK_EQ(g->throttled, 4);
	CHECK_EQ(periods(g, "burst"), 2);
	CHECK_EQ(periods(g, "debt"), 2);
	done(&s, &src);
}

/* Seven threads that run for 0.1 ms each period keep up to 1 ms each on their CPUs, of a quota of 10 ms: a busy eighth misses it. */
TEST(explain, what_lies_on_other_cpus)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, "{ 'machine': { 'cpus': 8, 'hz': 250, 'costs': 'none' }, 'kernel': '5.10', 'groups': { '/web': { 'limit': '100m' } }, "
		       "'global': { 'duration': 3 }, 'tasks': { 'short': { 'instance': 7, 'taskgroup': '/web', 'cpus_each': '1-7', 'loop': -1, "
		       "'timer': { 'ref': 'unique', 'period': 100000, 'mode': 'absolute' }, 'run': 100 }, "
		       "'busy': { 'taskgroup': '/web', 'cpus': [0], 'loop': -1, 'run': 100000 } } }");
	g = view(&s, "/web");
	CHECK(g->throttled > 25);
	CHECK(periods(g, "stranded") * 10 >= g->throttled * 9);
	CHECK(g->worst.stranded >= 1 * MS);
	check_sum(g);
	done(&s, &src);
}

/* The pod is the limit: its containers' own counters never show it. */
TEST(explain, the_parent_is_the_limit)
{
	struct scenario_story s;
	struct source src;

	tell(&s, &src, MACHINE "'groups': { '/pod': { 'limit': '1500m' }, '/pod/app': { 'limit': '1000m' }, '/pod/side': { 'limit': '1000m' } }, "
			       "'global': { 'duration': 3 }, 'tasks': { 'a': { 'taskgroup': '/pod/app', 'cpus': [0], 'loop': -1, 'run': 1000 }, "
			       "'s': { 'taskgroup': '/pod/side', 'cpus': [1], 'loop': -1, 'run': 1000 } } }");
	CHECK_EQ(view(&s, "/pod/app")->throttled, 0);
	CHECK_EQ(view(&s, "/pod/side")->throttled, 0);
	CHECK(view(&s, "/pod")->throttled > 25);
	CHECK_EQ(periods(view(&s, "/pod/app"), "parent"), view(&s, "/pod")->throttled);
	CHECK_EQ(periods(view(&s, "/pod"), "parent"), 0);
	CHECK(says(&s, "/pod is the limit, not /pod/app"));
	done(&s, &src);
}

/* Two groups on one CPU and no limit in reach: all waiting is behind the other. */
TEST(explain, contention_is_no_throttling)
{
	struct scenario_story s;
	struct source src;
	const struct run_group_view *g;

	tell(&s, &src, "{ 'machine': { 'cpus': 1, 'hz': 250, 'costs': 'none' }, 'kernel': '6.18', 'groups': { '/web': { 'limit': '900m' }, '/other': {} }, "
		       "'global': { 'duration': 3 }, 'tasks': { 'w': { 'taskgroup': '/web', 'loop': -1, 'run': 1000 }, "
		       "'o': { 'taskgroup': '/other', 'loop': -1, 'run': 1000 } } }");
	g = view(&s, "/web");
	CHECK_EQ(g->throttled, 0);
	CHECK_EQ(g->wait_throttled, 0);
	CHECK_WITHIN(g->wait_contended, 1400 * MS, 1600 * MS);
	CHECK_STR(g->causes[0].cause, "contention");
	CHECK(says(&s, "raise its weight or add CPUs, not the limit"));
	done(&s, &src);
}

/* fibtest on 4.14.133: slices expire on the CPUs that hold them, and without that the group gets twice the CPU. */
TEST(explain, expiring_slices_are_the_kernels)
{
	struct scenario_story s;
	struct source src;
	struct err err = { 0 };
	const struct run_group_view *g;

	memset(&opt, 0, sizeof(opt));
	current_variant(&opt);
	CHECK_EQ(source_open(&src, "scenarios/fibtest-36.json", &err), 0);
	CHECK_EQ(scenario_story(&s, &src, &opt, &err), 0);
	g = view(&s, "/fibtest");
	CHECK(periods(g, "kernel") * 10 >= g->throttled * 9);
	check_sum(g);
	CHECK(says(&s, "expire on the CPUs that hold them"));
	done(&s, &src);
}

/* Every record of the run's own ledger belongs to the period that the watcher saw. */
TEST(explain, periods_are_those_of_the_ledger)
{
	struct scenario_story s;
	struct source src;
	u32 seen = 0;

	tell(&s, &src, MACHINE "'groups': { '/web': { 'limit': '500m' } }, 'global': { 'duration': 3 }, "
			       "'tasks': { 'hog': { 'taskgroup': '/web', 'loop': -1, 'run': 100000 } } }");
	for (u32 k = 0; k < s.watch.groups[0].nr_periods; k++) {
		const struct watch_period *p = &s.watch.groups[0].periods[k];
		const struct period_record *rec = watch_record(&s.watch, &s.watch.groups[0], k);

		if (!rec)
			continue;
		CHECK_EQ(rec->start, p->start);
		CHECK_WITHIN(rec->charged, p->cpu - min_u64(p->cpu, 4 * MS), p->cpu + 4 * MS);
		seen++;
	}
	CHECK(seen > 25);
	done(&s, &src);
}

/* ---- the answer in a sentence ---- */

TEST(explain, headline)
{
	static const struct { const char *text, *headline; } rows[] = {
		{ MACHINE "'groups': { '/web': { 'limit': '250m' } }, 'tasks': { 'hog': { 'taskgroup': '/web', 'loop': -1, 'run': 1000 } } }",
		  "/web, 253m of 250m used, is throttled in " },
		{ MACHINE "'groups': { '/web': { 'limit': '250m' } }, 'tasks': { 'hog': { 'taskgroup': '/web', 'loop': -1, 'run': 1000 } } }", ": it wants more than its limit." },
		{ MACHINE "'groups': { '/web': { 'limit': '250m' } }, 'tasks': { 't': { 'taskgroup': '/web', 'loop': -1, 'run': 10, 'sleep': 10000 } } }",
		  "Nothing is throttled." },
		{ MACHINE "'groups': { '/a': { }, '/b': { } }, 'tasks': { 'x': { 'instance': 4, 'taskgroup': '/a', 'loop': -1, 'run': 1000 } } }",
		  "Nothing is throttled, nothing is limited: contention. /a is ready behind other work for " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scenario_story s;
		struct source src;
		char headline[HEADLINE_MAX];

		tell(&s, &src, rows[i].text);
		if (!strstr(explain_run_headline(headline, sizeof(headline), &s.view), rows[i].headline))
			fail_msg("\"%s\" does not say \"%s\"", headline, rows[i].headline);
		done(&s, &src);
	}
}

static bool is_set(const void *ctx, u64 k) { return ((const char *)ctx)[k] == 'x'; }

/* Which periods: ranges, of which no more than a dozen are told. */
TEST(explain, periods_as_ranges)
{
	static const struct { const char *throttled, *list; } rows[] = {
		{ "x", "1" }, { ".x.xxx", "2, 4-6" }, { "xx..", "1-2" }, { "x.x.x.x.x.x.x.x.x.x.x.x", "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23" },
		{ "x.x.x.x.x.x.x.x.x.x.x.x.x", "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 ..." },
	};
	char list[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(list_periods(list, sizeof(list), is_set, rows[i].throttled, strlen(rows[i].throttled)));
		CHECK_STR(list, rows[i].list);
	}
	CHECK(!list_periods(list, sizeof(list), is_set, "....", 4));
}

/* ---- a recording's worst period ---- */

/* Two busy threads on two CPUs under 500m: the stretches cover the period, and what ran in them is what was spent; in the end both stand still. */
TEST(explain, worst_period_of_a_recording)
{
	static const char *const files[] = { "own_2busy_pin_q50.ftrace.txt", "own_burn5_q25.ftrace.txt", "own_hog_q25.ftrace.txt", "own_two_q25.dat.gz" };
	static const struct trace_options no_options;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct traced t;
		struct trace_period p;
		struct err err = { 0 };
		char path[128];
		u64 at = 0, cpu = 0, spent = 0, stopped = 0;
		u32 k;

		memset(&opt, 0, sizeof(opt));
		snprintf(path, sizeof(path), "tests/data/own/%s", files[i]);
		CHECK_EQ(traced_open(&t, path, &no_options, current_variant(&opt), &err), 0);
		trace_period(&p, &t);
		CHECK(p.worst.number > 0 && p.worst.nr_stretches > 1 && !p.worst.nr_left_out);
		CHECK_EQ(p.worst.end - p.worst.start, 100 * MS);
		for (k = 0; k < p.worst.nr_stretches; k++) {
			const struct run_stretch *s = &p.worst.stretches[k];

			CHECK_EQ(s->at, at);
			CHECK(s->most_cpus <= 2 && s->stopped <= 2);
			at += s->len;
			cpu += s->cpu;
			stopped += s->len * s->stopped;
		}
		CHECK_EQ(at, 100 * MS);
		CHECK_WITHIN(cpu, p.worst.charged - MS / 10, p.worst.charged + MS / 10);
		CHECK_WITHIN(stopped, p.worst.throttled - MS / 5, p.worst.throttled + MS / 5); /* stretches shorter than 50 us are told with the next */
		for (k = 0; k < p.worst.nr_spenders; k++)
			spent += p.worst.spenders[k].cpu;
		CHECK_WITHIN(spent, cpu - MS / 10, cpu + MS / 10);
		CHECK_EQ(p.worst.stretches[p.worst.nr_stretches - 1].stopped, i == 1 || i == 2 ? 1 : 2);
		CHECK_EQ(p.worst.stretches[p.worst.nr_stretches - 1].most_cpus, 0);
		traced_close(&t);
	}
}

/* ---- which kind of file is it ---- */

TEST(explain, kinds_of_files)
{
	static const struct { const char *text; enum file_kind kind; } rows[] = {
		{ "{ \"tasks\": {} }", FILE_SCENARIO },
		{ "\n// a comment\n{}", FILE_SCENARIO },
		{ "/* a comment */ {}", FILE_SCENARIO },
		{ "nr_periods 10\nnr_throttled 5\nthrottled_time 5\n", FILE_CPU_STAT },
		{ "usage_usec 5\nuser_usec 5\nnr_periods 10\n", FILE_CPU_STAT },
		{ "# HELP x y\ncontainer_cpu_cfs_periods_total{a=\"b\"} 5\n", FILE_METRICS },
		{ "# tracer: nop\n  a-1 [000] 1.0: sched_switch: ...\n", FILE_TRACE },
		{ "", FILE_TRACE },
		{ "\xef\xbb\xbfnr_periods 10\nnr_throttled 5\n", FILE_CPU_STAT }, /* behind a byte order mark */
		{ "\xef\xbb\xbf{}", FILE_SCENARIO },
		{ "// a comment\n/* another */ {}", FILE_SCENARIO },
		{ "// a comment\nlocal x = 5;\n", FILE_TRACE }, /* a comment alone makes no scenario */
		{ "/* CTF 1.8 */ typealias", FILE_TRACE },
		{ "a text about\nnr_periods and more\n", FILE_TRACE }, /* the word alone is no counter */
		{ "/* no end", FILE_TRACE },
		{ "//", FILE_TRACE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(file_kind_of(rows[i].text, strlen(rows[i].text)), rows[i].kind, rows[i].text);
	CHECK_EQ(file_kind_of("\n{\0\0", 4), FILE_TRACE); /* the first bytes of a Perfetto file can look so */
}

TEST_MAIN("explain")
