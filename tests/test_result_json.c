/* SPDX-License-Identifier: MIT */
/* test_result_json.c - results keep to docs/result.schema.json, and to its arithmetic. */
#include "tests/test.h"

#include <stdlib.h>

#include "input/scenario_file.h"
#include "report/result_json.h"
#include "sim/machine.h"
#include "tests/schema.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/number.h"

/* ---- results of the shipped scenarios ---- */

static const char *const scenarios[] = { "scenarios/one-hog.json", "scenarios/two-hogs.json", "scenarios/nested.json",
					 "scenarios/fibtest-36.json", "scenarios/web.json", "scenarios/gc.json", "scenarios/batch.json",
					 "scenarios/pipe-test.json", "scenarios/hackbench.json", "scenarios/schbench.json",
					 "scenarios/fsperf-510.json" };

struct ran {
	struct arena mem;
	struct scenario sc;
	struct result *res;
	struct json *json;
};

static void run_on(struct ran *r, const char *path, const char *row, bool detailed)
{
	struct result_detail detail = { .periods = detailed, .threads = detailed };
	struct machine_options opt = { .want_periods = detailed, .want_threads = detailed };
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct json_write j;
	char *text = NULL;
	size_t size;
	FILE *out;

	arena_of_malloc(&r->mem);
	CHECK_EQ(scenario_read_file(path, &r->sc, &w, &err), 0);
	warnings_free(&w);
	r->sc.duration = 1 * SEC;
	if (row)
		r->sc.kernel.row = row;
	r->res = machine_run(&r->sc, &opt, &err);
	CHECK(r->res != NULL);
	out = open_memstream(&text, &size);
	json_write_init(&j, out);
	result_json(&j, r->res, &detail);
	CHECK(json_done(&j));
	fclose(out);
	r->json = json_parse(path, text, size, &r->mem, NULL, &err);
	CHECK(r->json != NULL);
	free(text);
}

static void run(struct ran *r, const char *path, bool detailed) { run_on(r, path, NULL, detailed); }

static void forget(struct ran *r)
{
	result_free(r->res);
	scenario_free(&r->sc);
	arena_fini(&r->mem);
}

TEST(result_json, keeps_to_the_schema)
{
	struct schema s;
	size_t i;

	schema_open(&s, "docs/result.schema.json", NULL);
	for (i = 0; i < 2 * ARRAY_SIZE(scenarios); i++) {
		struct ran r;

		run(&r, scenarios[i / 2], i % 2);
		if (!schema_holds(&s, r.json))
			fail_msg("%s: %s", scenarios[i / 2], s.why);
		forget(&r);
	}
	schema_close(&s);
}

static s64 number(const struct json *obj, const char *key)
{
	const struct json *v = json_get(obj, key);
	s64 n = 0;

	CHECK(v && num_whole(v->text, v->len, INT64_MIN, INT64_MAX, &n) == NUM_OK);
	return n;
}

/* granted + created == pool + held + charged + lost, as printed, to the ns. */
TEST(result_json, ledger_adds_up)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++) {
		const struct json *g;
		struct ran r;

		run(&r, scenarios[i], false);
		json_each(g, json_get(r.json, "groups")) {
			const struct json *l = json_get(g, "ledger");

			CHECK_ROW(number(l, "granted") + number(l, "created"),
				  number(l, "pool") + number(l, "held") + number(l, "charged") + number(l, "lost"), scenarios[i]);
		}
		forget(&r);
	}
}

/* cpu.stat.local: the containers never throttle by themselves, and are stopped as often as their pod is; before 6.6 there is no such file. */
TEST(result_json, cpu_stat_local_where_there_is_one)
{
	const struct json *groups;
	struct schema s;
	struct ran r;

	schema_open(&s, "docs/result.schema.json", NULL);
	run_on(&r, "scenarios/nested.json", "6.12", false);
	CHECK(schema_holds(&s, r.json));
	groups = json_get(r.json, "groups");
	CHECK_EQ(number(json_get(groups, "/pod/app"), "throttled_usec"), 0);
	CHECK_EQ(number(json_get(groups, "/pod/sidecar"), "throttled_usec"), 0);
	CHECK(number(json_get(groups, "/pod/app"), "throttled_local_usec") > 200000);
	CHECK_WITHIN(number(json_get(groups, "/pod/app"), "throttled_local_usec") +
		     number(json_get(groups, "/pod/sidecar"), "throttled_local_usec"),
		     number(json_get(groups, "/pod"), "throttled_usec") - 1, number(json_get(groups, "/pod"), "throttled_usec") + 1);
	forget(&r);
	run_on(&r, "scenarios/nested.json", "6.4", false);
	CHECK(json_get(json_get(json_get(r.json, "groups"), "/pod"), "throttled_local_usec") == NULL);
	forget(&r);
	schema_close(&s);
}

/* What the CPUs were used for is what the tasks used, but for what is cut off below a us. */
TEST(result_json, cpus_and_tasks_agree)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++) {
		const struct json *v;
		s64 cpus = 0, tasks = 0;
		struct ran r;

		run(&r, scenarios[i], false);
		json_each(v, json_get(r.json, "cpus"))
			cpus += number(v, "usage_usec");
		json_each(v, json_get(r.json, "tasks"))
			tasks += number(v, "runtime_usec");
		CHECK(cpus > 0);
		CHECK_WITHIN(cpus - tasks, -(s64)r.res->nr_cpus - 200, 200 + (s64)r.res->nr_tasks);
		forget(&r);
	}
}

TEST_MAIN("result_json")
