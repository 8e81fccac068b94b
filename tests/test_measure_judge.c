/* SPDX-License-Identifier: MIT */
/* test_measure_judge.c - reality beside its prediction: what is near, and how it is printed. */
#define _GNU_SOURCE
#include "tests/test.h"

#include <stdlib.h>

#include "cli/measure_judge.h"
#include "sim/machine.h"
#include "tests/schema.h"

static struct result *fake_result(const struct scenario *sc, u64 usage, u64 nr_throttled)
{
	struct result *res = calloc(1, sizeof(*res));

	res->scenario = sc;
	res->groups = calloc(1, sizeof(*res->groups));
	res->nr_groups = 1;
	res->groups[0].path = "/web";
	res->groups[0].stat.quota = 20 * MS;
	res->groups[0].stat.period = 100 * MS;
	res->groups[0].stat.usage = usage;
	res->groups[0].stat.nr_throttled = nr_throttled;
	return res;
}

static const struct measure_cell *cell_called(const struct measure_cell *cells, u32 nr, const char *name)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!strcmp(cells[i].name, name))
			return &cells[i];
	fail_msg("no cell %s", name);
	return NULL;
}

struct judged {
	struct scenario sc;
	struct result *real[3], *model[3];
	struct series real_series, model_series;
	struct judge_with with;
	struct measure_cell *cells;
	u32 nr;
};

static void judge_usage(struct judged *j, const u64 real[3], u64 model, u64 within)
{
	int i;

	memset(j, 0, sizeof(*j));
	scenario_init(&j->sc);
	for (i = 0; i < 3; i++) {
		j->real[i] = fake_result(&j->sc, real[i], 20);
		j->model[i] = fake_result(&j->sc, model, 20);
	}
	j->real_series = (struct series){ "real", j->real, 3 };
	j->model_series = (struct series){ "model", j->model, 3 };
	j->with = (struct judge_with){ .real = &j->real_series, .model = &j->model_series, .cpus = 1, .usage = true, .bandwidth = true,
				       .runtime = true, .phase_known = true, .within = within };
	j->cells = judge(&j->with, &j->nr);
	assert_non_null(j->cells);
}

static void judged_free(struct judged *j)
{
	int i;

	for (i = 0; i < 3; i++) {
		result_free(j->real[i]);
		result_free(j->model[i]);
	}
	free(j->cells);
	scenario_free(&j->sc);
}

/* A model is near where it is within a tick, or within its share, or within what the repeats differ by. */
TEST(measure, judged)
{
	static const struct { u64 real[3], model, within; bool ok, noisy; u64 tolerance; const char *row; } rows[] = {
		{ { 400 * MS, 401 * MS, 402 * MS }, 404 * MS, NEVER, true, false, 4010 * US, "a tick, or 1 %" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 406 * MS, NEVER, false, false, 4010 * US, "more than that" },
		{ { 400 * MS, 401 * MS, 410 * MS }, 406 * MS, NEVER, true, false, 10 * MS, "as far as the repeats" },
		{ { 200 * MS, 401 * MS, 410 * MS }, 500 * MS, NEVER, true, true, 210 * MS, "but they are noisy" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 420 * MS, 10000, true, false, 40100 * US, "within 10 %" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 404 * MS, 0, true, false, 4 * MS, "a tick is always near" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 404 * MS + 5 * MS, 1000, false, false, 4010 * US, "not within 1 %" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct judged j;
		const struct measure_cell *c;

		judge_usage(&j, rows[i].real, rows[i].model, rows[i].within);
		c = cell_called(j.cells, j.nr, "usage_usec");
		CHECK_ROW(c->real.at, 401 * MS, rows[i].row);
		CHECK_ROW(c->tolerance, rows[i].tolerance, rows[i].row);
		CHECK_ROW(c->ok, rows[i].ok, rows[i].row);
		CHECK_ROW(c->noisy, rows[i].noisy, rows[i].row);
		judged_free(&j);
	}
}

/* Where the phase is unknown any model between the least and the most will do. */
TEST(measure, judged_without_phase)
{
	static const u64 real[3] = { 400 * MS, 401 * MS, 402 * MS };
	struct judged j;

	judge_usage(&j, real, 390 * MS, NEVER);
	j.with.phase_known = false;
	j.model[2]->groups[0].stat.usage = 420 * MS;
	free(j.cells);
	j.cells = judge(&j.with, &j.nr);
	CHECK_EQ(cell_called(j.cells, j.nr, "usage_usec")->apart, 0);
	CHECK(cell_called(j.cells, j.nr, "usage_usec")->ok);
	judged_free(&j);
}

/* The JSON keeps to its schema, and its results to theirs. */
TEST(measure, json_schema)
{
	static const u64 real[3] = { 400 * MS, 401 * MS, 402 * MS };
	static const char *const assumed[] = { "250 Hz: /proc/config.gz" };
	struct result_detail detail = { 0 };
	struct measure_view view = { .release = "6.1.0-57-cloud-amd64", .row = "6.1", .used_cpus = 1, .cpus = 2, .cgroup = 2, .assumed = assumed,
				     .nr_assumed = 1, .repeats = 3, .steal = 10 * MS, .others = 20 * MS, .window = SEC };
	struct schema of_measure, of_result;
	const struct json *printed;
	struct json_write j;
	struct judged judged;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	judge_usage(&judged, real, 404 * MS, NEVER);
	CHECK_EQ(model_init(&judged.real[0]->model, "6.1"), 0);
	CHECK_EQ(model_init(&judged.model[0]->model, "6.1"), 0);
	judged.real[0]->cgroup = judged.model[0]->cgroup = 2;
	view.real = judged.real[0];
	view.model = judged.model[0];
	view.cells = judged.cells;
	view.nr_cells = judged.nr;
	json_write_init(&j, out);
	measure_json(&j, &view, &detail);
	CHECK(json_done(&j));
	fclose(out);
	schema_open(&of_measure, "docs/measure.schema.json", NULL);
	schema_open(&of_result, "docs/result.schema.json", NULL);
	printed = schema_parse(&of_measure, text);
	if (!schema_holds(&of_measure, printed))
		fail_msg("%s", of_measure.why);
	if (!schema_holds(&of_result, json_get(printed, "real")))
		fail_msg("%s", of_result.why);
	CHECK(strstr(text, "\"name\": \"/web.usage_usec\", \"real\": 401000, \"model\": 404000, \"tolerance\": 4010, \"ok\": true") != NULL);
	schema_close(&of_measure);
	schema_close(&of_result);
	free(text);
	judged_free(&judged);
}

TEST_MAIN("measure_judge")
