/* SPDX-License-Identifier: MIT */
/*
 * test_result_json.c - results keep to docs/result.schema.json, and to its arithmetic.
 *
 * The checker below knows the few words of JSON Schema that the file uses, and fails on a word that it does not know.
 */
#include "tests/test.h"

#include <stdlib.h>

#include "input/scenario_file.h"
#include "report/result_json.h"
#include "sim/machine.h"
#include "text/json.h"
#include "text/number.h"

static void *grab(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void drop(void *ctx, void *p, size_t size)
{
	(void)ctx;
	(void)size;
	free(p);
}

/* ---- a small part of JSON Schema ---- */

struct checker {
	const struct json *schema; /* the root, for $ref */
	char why[256];
};

static bool wrong(struct checker *c, const struct json *v, const char *what, const char *detail)
{
	snprintf(c->why, sizeof(c->why), "line %u, %s: %s %s", v->line, v->key ? v->key : "element", what, detail);
	return false;
}

static bool is_integer(const struct json *v) { return v->kind == JSON_NUMBER && !strpbrk(v->text, ".eE"); }

static bool is_type(const struct json *v, const char *type)
{
	static const struct { const char *name; enum json_kind kind; } rows[] = {
		{ "object", JSON_OBJECT }, { "array", JSON_ARRAY }, { "string", JSON_STRING },
		{ "number", JSON_NUMBER }, { "boolean", JSON_BOOL }, { "null", JSON_NULL },
	};
	size_t i;

	if (!strcmp(type, "integer"))
		return is_integer(v);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(type, rows[i].name))
			return v->kind == rows[i].kind;
	return false;
}

static bool type_ok(const struct json *v, const struct json *type)
{
	const struct json *one;

	if (type->kind == JSON_STRING)
		return is_type(v, type->text);
	json_each(one, type)
		if (is_type(v, one->text))
			return true;
	return false;
}

static bool among(const struct json *v, const struct json *list)
{
	const struct json *one;

	json_each(one, list)
		if (one->kind == v->kind && !strcmp(one->text, v->text))
			return true;
	return false;
}

/* The patterns of the file, by hand: no regular expressions in C. */
static bool pattern_ok(const char *s, const char *pattern)
{
	if (!strcmp(pattern, "^[0-9a-f]{16}$"))
		return strlen(s) == 16 && strspn(s, "0123456789abcdef") == 16;
	if (!strcmp(pattern, "^(max|[0-9]+) [0-9]+$")) {
		size_t head = strncmp(s, "max ", 4) ? strspn(s, "0123456789") : 3;

		return head && s[head] == ' ' && s[head + 1] && !s[head + 1 + strspn(s + head + 1, "0123456789")];
	}
	if (!strcmp(pattern, "^[a-z0-9_]+=[a-z0-9_]+$"))
		return strchr(s, '=') && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_=") == strlen(s);
	return false;
}

static bool valid(struct checker *c, const struct json *v, const struct json *schema);

static bool members_ok(struct checker *c, const struct json *v, const struct json *properties, const struct json *others)
{
	const struct json *m;

	json_each(m, v) {
		const struct json *known = properties ? json_get(properties, m->key) : NULL;

		if (known) {
			if (!valid(c, m, known))
				return false;
		} else if (others && others->kind == JSON_OBJECT) {
			if (!valid(c, m, others))
				return false;
		} else if (others && !others->truth) {
			return wrong(c, m, "is not in the schema", "");
		}
	}
	return true;
}

static bool required_ok(struct checker *c, const struct json *v, const struct json *required)
{
	const struct json *name;

	json_each(name, required)
		if (!json_get(v, name->text))
			return wrong(c, v, "lacks", name->text);
	return true;
}

static bool items_ok(struct checker *c, const struct json *v, const struct json *schema)
{
	const struct json *item;

	json_each(item, v)
		if (!valid(c, item, schema))
			return false;
	return true;
}

static bool word_ok(struct checker *c, const struct json *v, const struct json *w, const struct json *schema)
{
	static const char *const notes[] = { "$schema", "$id", "$defs", "title", "description", "properties" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(notes); i++)
		if (!strcmp(w->key, notes[i]))
			return strcmp(w->key, "properties") || members_ok(c, v, w, json_get(schema, "additionalProperties"));
	if (!strcmp(w->key, "type"))
		return type_ok(v, w) || wrong(c, v, "is no", w->text ? w->text : "type of the list");
	if (!strcmp(w->key, "required"))
		return required_ok(c, v, w);
	if (!strcmp(w->key, "additionalProperties"))
		return json_get(schema, "properties") || members_ok(c, v, NULL, w);
	if (!strcmp(w->key, "items"))
		return items_ok(c, v, w);
	if (!strcmp(w->key, "enum"))
		return among(v, w) || wrong(c, v, "is none of the allowed values:", v->text ? v->text : "");
	if (!strcmp(w->key, "minimum"))
		return v->text[0] != '-' || wrong(c, v, "is negative:", v->text);
	if (!strcmp(w->key, "pattern"))
		return pattern_ok(v->text, w->text) || wrong(c, v, "does not match", w->text);
	return wrong(c, v, "the schema has a word that this test does not know:", w->key);
}

static bool valid(struct checker *c, const struct json *v, const struct json *schema)
{
	const struct json *ref = json_get(schema, "$ref"), *w;

	if (ref)
		schema = json_get(json_get(c->schema, "$defs"), strrchr(ref->text, '/') + 1);
	json_each(w, schema)
		if (strcmp(w->key, "$ref") && !word_ok(c, v, w, schema))
			return false;
	return true;
}

/* ---- results of the shipped scenarios ---- */

static const char *const scenarios[] = { "scenarios/one-hog.json", "scenarios/two-hogs.json", "scenarios/nested.json",
					 "scenarios/fibtest-36.json" };

struct ran {
	struct arena mem;
	struct scenario sc;
	struct result *res;
	struct json *json;
};

static char *file_text(const char *path, size_t *len)
{
	FILE *in = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);

	CHECK(in && text);
	*len = fread(text, 1, (1 << 20) - 1, in);
	fclose(in);
	return text;
}

static void run(struct ran *r, const char *path, bool detailed)
{
	struct result_detail detail = { .periods = detailed, .threads = detailed };
	struct machine_options opt = { .want_periods = detailed, .want_threads = detailed };
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct json_write j;
	char *text = NULL;
	size_t size;
	FILE *out;

	arena_init(&r->mem, grab, drop, NULL);
	CHECK_EQ(scenario_read_file(path, &r->sc, &w, &err), 0);
	warnings_free(&w);
	r->sc.duration = 1 * SEC;
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

static void forget(struct ran *r)
{
	result_free(r->res);
	scenario_free(&r->sc);
	arena_fini(&r->mem);
}

TEST(result_json, keeps_to_the_schema)
{
	struct checker c = { 0 };
	struct err err = { 0 };
	struct arena mem;
	size_t i, len;
	char *text = file_text("docs/result.schema.json", &len);

	arena_init(&mem, grab, drop, NULL);
	c.schema = json_parse("schema", text, len, &mem, NULL, &err);
	CHECK(c.schema != NULL);
	for (i = 0; i < 2 * ARRAY_SIZE(scenarios); i++) {
		struct ran r;

		run(&r, scenarios[i / 2], i % 2);
		if (!valid(&c, r.json, c.schema))
			print_error("%s: %s\n", scenarios[i / 2], c.why);
		CHECK(!c.why[0]);
		forget(&r);
	}
	arena_fini(&mem);
	free(text);
}

/* The checker finds what is missing, unknown, of another type, or negative. */
TEST(result_json, checker_can_fail)
{
	static const char schema_text[] = "{ \"type\": \"object\", \"required\": [\"a\"], \"additionalProperties\": false,"
					  " \"properties\": { \"a\": { \"type\": \"integer\", \"minimum\": 0 } } }";
	static const struct { const char *text; bool ok; } rows[] = {
		{ "{ \"a\": 1 }", true }, { "{ }", false }, { "{ \"a\": 1, \"b\": 2 }", false }, { "{ \"a\": 1.5 }", false },
		{ "{ \"a\": -1 }", false }, { "{ \"a\": \"1\" }", false }, { "[ ]", false },
	};
	struct checker c = { 0 };
	struct err err = { 0 };
	struct arena mem;
	size_t i;

	arena_init(&mem, grab, drop, NULL);
	c.schema = json_parse("schema", schema_text, strlen(schema_text), &mem, NULL, &err);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json *v = json_parse("value", rows[i].text, strlen(rows[i].text), &mem, NULL, &err);

		CHECK_ROW(valid(&c, v, c.schema), rows[i].ok, rows[i].text);
	}
	arena_fini(&mem);
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
