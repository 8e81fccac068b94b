/* SPDX-License-Identifier: MIT */
/*
 * test_jsonc.c - what json-c, which rt-app reads its files with, takes, our reader takes, and sees the same in it.
 *
 * Built where json-c is installed.  json-c keeps of a key that stands twice the last value at the first place: so does the dump of our
 * tree here.  Not compared: what json-c does to numbers (64 bits, double; "5e" is 5); a mark at the beginning of a text; \u0000, which we refuse.
 */
#include "tests/test.h"

#include <glob.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tests/schema.h"
#include "text/json.h"
#include "text/memory.h"

#define DUMP 65536

struct dump {
	char text[DUMP];
	size_t len;
};

static void out(struct dump *d, const char *s, size_t len)
{
	if (d->len + len + 1 > DUMP)
		return;
	memcpy(d->text + d->len, s, len);
	d->len += len;
	d->text[d->len] = '\0';
}

static void put(struct dump *d, const char *s) { out(d, s, strlen(s)); }

/* ---- json-c's ---- */

static void dump_jsonc(struct dump *d, struct json_object *v)
{
	size_t i;

	switch (json_object_get_type(v)) {
	case json_type_null: put(d, "null"); break;
	case json_type_boolean: put(d, json_object_get_boolean(v) ? "true" : "false"); break;
	case json_type_int:
	case json_type_double: put(d, "number"); break;
	case json_type_string:
		put(d, "\"");
		put(d, json_object_get_string(v)); /* up to a NUL, as rt-app sees it */
		put(d, "\"");
		break;
	case json_type_array:
		put(d, "[");
		for (i = 0; i < json_object_array_length(v); i++) {
			dump_jsonc(d, json_object_array_get_idx(v, i));
			put(d, ",");
		}
		put(d, "]");
		break;
	case json_type_object:
		put(d, "{");
		{
			json_object_object_foreach(v, key, value)
			{
				put(d, key);
				put(d, ":");
				dump_jsonc(d, value);
				put(d, ",");
			}
		}
		put(d, "}");
		break;
	}
}

/* ---- ours ---- */

static void dump_ours(struct dump *d, const struct json *v)
{
	static const char *const plain[] = { "null", NULL, "number" };
	const struct json *e;

	if (v->kind == JSON_BOOL) {
		put(d, v->truth ? "true" : "false");
	} else if (v->kind == JSON_STRING) {
		put(d, "\"");
		put(d, v->text);
		put(d, "\"");
	} else if (v->kind == JSON_NULL || v->kind == JSON_NUMBER) {
		put(d, plain[v->kind]);
	} else if (v->kind == JSON_ARRAY) {
		put(d, "[");
		json_each(e, v) {
			dump_ours(d, e);
			put(d, ",");
		}
		put(d, "]");
	} else {
		put(d, "{");
		json_each(e, v) {
			if (json_get(v, e->key) != e) /* another stands before it, and was shown with the last value */
				continue;
			put(d, e->key);
			put(d, ":");
			dump_ours(d, json_get_last(v, e->key));
			put(d, ",");
		}
		put(d, "}");
	}
}

/* ---- both ---- */

/* Things that the two see in different ways by design. */
static bool is_compared(const char *text)
{
	return !strstr(text, "\\u") && strncmp(text, "\xef\xbb\xbf", 3) != 0;
}

/* Where our reader stopped: at a number that is none ("0100e", "5-"), which json-c takes for one? */
static bool is_half_number(const char *text, const struct err *err)
{
	int line;

	for (line = 1; line < err->line && *text; text++)
		line += *text == '\n';
	text += err->column - 1;
	return *text && strchr("-0123456789", *text) && strstr(err->message, "expected a value");
}

/* 1: both take it, 0: at least one refuses it.  What json-c takes and we refuse, or see otherwise, fails the test. */
static int both(const char *text)
{
	static struct dump theirs, ours;
	enum json_tokener_error why;
	struct json_object *v = json_tokener_parse_verbose(text, &why);
	struct err err = { 0 };
	struct arena mem;
	struct json *tree;
	bool took = why == json_tokener_success;

	if (!took || !is_compared(text)) {
		json_object_put(v);
		return 0;
	}
	theirs.len = ours.len = 0;
	dump_jsonc(&theirs, v);
	json_object_put(v);
	arena_of_malloc(&mem);
	tree = json_parse("t", text, strlen(text), &mem, NULL, &err);
	if (!tree && is_half_number(text, &err)) {
		arena_fini(&mem);
		return 0;
	}
	if (!tree)
		fail_msg("json-c takes this, we do not (%d:%d %s): %s", err.line, err.column, err.message, text);
	dump_ours(&ours, tree);
	if (strcmp(theirs.text, ours.text))
		fail_msg("%s\n  json-c: %s\n  ours:   %s", text, theirs.text, ours.text);
	arena_fini(&mem);
	return 1;
}

/* rt-app's dialect, form by form. */
TEST(jsonc, forms)
{
	static const struct { const char *text; int both; } rows[] = {
		{ "{\"a\":1}", 1 }, { "{'a':1}", 1 }, { "{\"a\":1,}", 1 }, { "[1,2,]", 1 }, { "{\"a\":012}", 1 }, { "{\"a\":1.}", 1 },
		{ "/* c */ {\"a\":1} // d", 1 }, { "{\"a\":/*c*/1}", 1 }, { "{\"a\":TRUE,\"b\":False,\"c\":NULL}", 1 }, { "{\"a\":NaN}", 1 },
		{ "{\"a\":-Infinity}", 1 }, { "{\"a\":1} rest", 1 }, { "{\"a\":1,\"b\":2,\"a\":3}", 1 }, { "{\"a\":{\"x\":1},\"a\":{\"y\":2}}", 1 },
		{ "{\"a\":\"x\ty\"}", 1 }, { "{\"a\":\"\\n\\\\\\\"\\/\"}", 1 }, { "{\"a\":[]}", 1 }, { "{}", 1 }, { "[]", 1 }, { "  5", 1 }, { "\"s\"", 1 },
		{ "{\"a\":-5e3}", 1 }, { "{\"a\":99999999999999999999999}", 1 }, { "{\"a\":'it\"s'}", 1 },
		{ "", 0 }, { "{", 0 }, { "{a:1}", 0 }, { "{\"a\":.5}", 0 }, { "{\"a\":+5}", 0 }, { "{\"a\" 1}", 0 }, { "{\"a\":1 \"b\":2}", 0 },
		{ "[1,,2]", 0 }, { "# c\n{}", 0 }, { "{\"a\":0x10}", 0 }, { "{\"a\":tru}", 0 }, { "{\"a\":\"x}", 0 }, { "{\"a\":\"\\q\"}", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(both(rows[i].text), rows[i].both, rows[i].text);
}

/* The files that rt-app is tried with, and a great many that came of them by chance: bytes changed, left out, put in, doubled. */
TEST(jsonc, changed_files)
{
	static const char alphabet[] = "{}[]:,\"'/*\\ \n\t019.-eEtrueFALSnulNaIify#x";
	struct rng rng;
	glob_t files;
	size_t i, k;
	u64 took = 0;

	rng_init(&rng, 1, "jsonc", NULL, 0, 0);
	CHECK_EQ(glob("tests/rtapp/*.json", 0, NULL, &files), 0);
	for (i = 0; i < files.gl_pathc; i++) {
		char *text = whole_file(files.gl_pathv[i]), *one = malloc(2 * strlen(text) + 64);
		size_t len = strlen(text);

		took += (u64)both(text);
		for (k = 0; k < 3000; k++) {
			size_t at = rng_below(&rng, len), n = 1 + rng_below(&rng, 12), size = len;
			char c = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];

			memcpy(one, text, len + 1);
			n = min_u64(n, len - at);
			switch (rng_below(&rng, 4)) {
			case 0: one[at] = c; break;
			case 1: memmove(one + at, one + at + n, size - at - n + 1); break;
			case 2: memmove(one + at + 1, one + at, size - at + 1), one[at] = c; break;
			case 3: memmove(one + at + n, one + at, size - at + 1); break;
			}
			took += (u64)both(one);
		}
		free(text);
		free(one);
	}
	CHECK(took > 5000);
	globfree(&files);
}

TEST_MAIN("jsonc")
