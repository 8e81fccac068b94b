/* SPDX-License-Identifier: MIT */
/* written.c - a scenario as a file, and back. */
#include "tests/written.h"

#include "tests/test.h"

#include <stdlib.h>

#include "input/scenario_file.h"
#include "report/scenario_json.h"
#include "tests/schema.h"

struct result *run_scenario(const struct scenario *sc)
{
	struct machine_options opt = { .check_laws = true };
	struct err err = { 0 };
	struct result *res = machine_run(sc, &opt, &err);

	if (!res)
		fail_msg("%s", err.message);
	return res;
}

char *written(const struct scenario *sc, struct err *err)
{
	struct json_write j;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	json_write_init(&j, out);
	if (scenario_json(&j, sc, err)) {
		fclose(out);
		free(text);
		return NULL;
	}
	CHECK(json_done(&j));
	fclose(out);
	return text;
}

void check_written(const struct scenario *sc, const char *what)
{
	struct err err = { 0 };
	struct warnings w = { 0 };
	struct result *want = run_scenario(sc), *have;
	struct scenario again;
	struct schema schema;
	char *text = written(sc, &err);

	if (!text || scenario_read("saved.json", text, strlen(text), &again, &w, &err))
		fail_msg("%s: %d:%d %s", what, err.line, err.column, err.message);
	schema_open(&schema, "docs/scenario.schema.json", NULL);
	if (!schema_holds(&schema, schema_parse(&schema, text)))
		fail_msg("%s: %s", what, schema.why);
	schema_close(&schema);
	if (w.nr)
		fail_msg("%s: %d:%d %s", what, w.list[0].line, w.list[0].column, w.list[0].message);
	have = run_scenario(&again);
	CHECK_ROW(have->digest, want->digest, what);
	CHECK_ROW(memcmp(have->events, want->events, sizeof(want->events)), 0, what);
	result_free(want);
	result_free(have);
	scenario_free(&again);
	free(text);
}
