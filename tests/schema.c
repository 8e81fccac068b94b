/* SPDX-License-Identifier: MIT */
/*
 * schema.c - a value against a schema, one word of the schema after the other.
 *
 *	holds(v, schema): true | false | $ref | every word of it
 */
#include "tests/schema.h"

#include <regex.h>
#include <stdlib.h>

#include "tests/test.h"
#include "text/memory.h"

char *whole_file(const char *path)
{
	size_t size = 1 << 22;
	char *text = calloc(1, size);
	FILE *in = fopen(path, "rb");

	if (!in || !text)
		fail_msg("%s is not there: run this in the source tree", path);
	CHECK(fread(text, 1, size - 1, in) < size - 1);
	fclose(in);
	return text;
}

struct json *schema_parse(struct schema *s, const char *text)
{
	struct err err = { 0 };
	struct json *v = json_parse("text", text, strlen(text), &s->mem, NULL, &err);

	if (!v)
		fail_msg("%d:%d: %s", err.line, err.column, err.message);
	return v;
}

void schema_open(struct schema *s, const char *path, const char *text)
{
	char *file = path ? whole_file(path) : NULL;

	memset(s, 0, sizeof(*s));
	arena_of_malloc(&s->mem);
	s->root = schema_parse(s, file ? file : text);
	free(file);
}

void schema_close(struct schema *s) { arena_fini(&s->mem); }

/* ---- single values ---- */

static bool holds(struct schema *s, const struct json *v, const struct json *schema);

static bool wrong(struct schema *s, const struct json *v, const char *rule, const char *detail)
{
	snprintf(s->why, sizeof(s->why), "line %u, %.40s: %.40s %.80s", v->line, v->key ? v->key : "element", rule, detail ? detail : "");
	return false;
}

static double number(const struct json *v) { return strtod(v->text, NULL); }

static bool is_type(const struct json *v, const char *type)
{
	static const char *const names[] = { "null", "boolean", "number", "string", "array", "object" };

	if (!strcmp(type, "integer"))
		return v->kind == JSON_NUMBER && number(v) == (double)(s64)number(v);
	return !strcmp(type, names[v->kind]);
}

static bool same(const struct json *a, const struct json *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == JSON_NUMBER)
		return number(a) == number(b);
	if (a->kind == JSON_BOOL)
		return a->truth == b->truth;
	return a->kind == JSON_STRING && !strcmp(a->text, b->text);
}

static bool matches(const char *s, const char *pattern)
{
	regex_t re;
	bool ok;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		fail_msg("the pattern \"%s\" cannot be read", pattern);
	ok = !regexec(&re, s, 0, NULL, 0);
	regfree(&re);
	return ok;
}

/* ---- words ---- */

typedef bool (*word_fn)(struct schema *s, const struct json *v, const struct json *w, const struct json *schema);

static bool w_note(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)s, (void)v, (void)w, (void)schema;
	return true;
}

static bool w_type(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *one;

	(void)schema;
	if (w->kind == JSON_STRING)
		return is_type(v, w->text) || wrong(s, v, "is no", w->text);
	json_each(one, w)
		if (is_type(v, one->text))
			return true;
	return wrong(s, v, "has none of the types", "");
}

static bool w_enum(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *one;

	(void)schema;
	json_each(one, w)
		if (same(v, one))
			return true;
	return wrong(s, v, "is none of the allowed values:", v->text);
}

static bool w_const(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return same(v, w) || wrong(s, v, "is not", w->text);
}

static bool w_minimum(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_NUMBER || number(v) >= number(w) || wrong(s, v, "is below", w->text);
}

static bool w_exclusive(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_NUMBER || number(v) > number(w) || wrong(s, v, "is not above", w->text);
}

static bool w_maximum(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_NUMBER || number(v) <= number(w) || wrong(s, v, "is above", w->text);
}

static bool w_min_length(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_STRING || v->len >= number(w) || wrong(s, v, "is shorter than", w->text);
}

static bool w_pattern(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_STRING || matches(v->text, w->text) || wrong(s, v, "does not match", w->text);
}

static bool w_min_items(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_ARRAY || v->len >= number(w) || wrong(s, v, "has fewer elements than", w->text);
}

static bool w_max_items(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_ARRAY || v->len <= number(w) || wrong(s, v, "has more elements than", w->text);
}

static bool w_min_properties(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_OBJECT || v->len >= number(w) || wrong(s, v, "has fewer members than", w->text);
}

static bool w_max_properties(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	(void)schema;
	return v->kind != JSON_OBJECT || v->len <= number(w) || wrong(s, v, "has more members than", w->text);
}

static bool w_required(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *name;

	(void)schema;
	if (v->kind != JSON_OBJECT)
		return true;
	json_each(name, w)
		if (!json_get(v, name->text))
			return wrong(s, v, "lacks", name->text);
	return true;
}

/* Elements behind those that "prefixItems" speaks of. */
static bool w_items(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *first = json_get(schema, "prefixItems"), *e;
	u32 i = 0, skip = first ? first->len : 0;

	if (v->kind != JSON_ARRAY)
		return true;
	json_each(e, v)
		if (i++ >= skip && !holds(s, e, w))
			return false;
	return true;
}

static bool w_prefix_items(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *e, *rule = w->child;

	(void)schema;
	if (v->kind != JSON_ARRAY)
		return true;
	json_each(e, v) {
		if (rule && !holds(s, e, rule))
			return false;
		rule = rule ? rule->next : NULL;
	}
	return true;
}

static bool w_any_of(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *one;

	(void)schema;
	json_each(one, w)
		if (holds(s, v, one))
			return true;
	return wrong(s, v, "is none of the forms it may have", "");
}

static bool w_one_of(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *one;
	int nr = 0;

	(void)schema;
	json_each(one, w)
		nr += holds(s, v, one);
	return nr == 1 || wrong(s, v, nr ? "is several of the forms" : "is none of the forms", "");
}

static bool w_properties(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *m;

	(void)schema;
	if (v->kind != JSON_OBJECT)
		return true;
	json_each(m, v) {
		const struct json *rule = json_get(w, m->key);

		if (rule && !holds(s, m, rule))
			return false;
	}
	return true;
}

static bool w_pattern_properties(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *m, *rule;

	(void)schema;
	if (v->kind != JSON_OBJECT)
		return true;
	json_each(m, v)
		json_each(rule, w)
			if (matches(m->key, rule->key) && !holds(s, m, rule))
				return false;
	return true;
}

static bool is_named(const struct json *schema, const char *key)
{
	const struct json *properties = json_get(schema, "properties"), *patterns = json_get(schema, "patternProperties"), *rule;

	if (properties && json_get(properties, key))
		return true;
	if (patterns)
		json_each(rule, patterns)
			if (matches(key, rule->key))
				return true;
	return false;
}

static bool w_additional(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	const struct json *m;

	if (v->kind != JSON_OBJECT)
		return true;
	json_each(m, v) {
		if (is_named(schema, m->key))
			continue;
		if (w->kind == JSON_BOOL && !w->truth)
			return wrong(s, m, "is not in the schema", "");
		if (!holds(s, m, w))
			return false;
	}
	return true;
}

static const struct {
	const char *word;
	word_fn holds;
} words[] = {
	{ "$schema", w_note }, { "$id", w_note }, { "$defs", w_note }, { "title", w_note }, { "description", w_note }, { "default", w_note },
	{ "type", w_type }, { "enum", w_enum }, { "const", w_const }, { "minimum", w_minimum }, { "exclusiveMinimum", w_exclusive },
	{ "maximum", w_maximum }, { "minLength", w_min_length }, { "pattern", w_pattern }, { "minItems", w_min_items },
	{ "maxItems", w_max_items }, { "minProperties", w_min_properties }, { "maxProperties", w_max_properties }, { "required", w_required },
	{ "items", w_items }, { "prefixItems", w_prefix_items }, { "anyOf", w_any_of }, { "oneOf", w_one_of }, { "properties", w_properties },
	{ "patternProperties", w_pattern_properties }, { "additionalProperties", w_additional },
};

static bool word_holds(struct schema *s, const struct json *v, const struct json *w, const struct json *schema)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, w->key))
			return words[i].holds(s, v, w, schema);
	fail_msg("the schema has a word that this checker does not know: %s", w->key);
	return false;
}

static const struct json *target(struct schema *s, const struct json *ref)
{
	const struct json *to = NULL;

	if (!strncmp(ref->text, "#/$defs/", 8))
		to = json_get(json_get(s->root, "$defs"), ref->text + 8);
	if (!to)
		fail_msg("the schema refers to %s, which is not there", ref->text);
	return to;
}

static bool holds(struct schema *s, const struct json *v, const struct json *schema)
{
	const struct json *w;

	if (schema->kind == JSON_BOOL)
		return schema->truth || wrong(s, v, "may not be there", "");
	json_each(w, schema) {
		if (!strcmp(w->key, "$ref") ? !holds(s, v, target(s, w)) : !word_holds(s, v, w, schema))
			return false;
	}
	return true;
}

bool schema_holds(struct schema *s, const struct json *v)
{
	s->why[0] = '\0';
	return holds(s, v, s->root);
}
