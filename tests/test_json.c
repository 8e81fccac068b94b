/* SPDX-License-Identifier: MIT */
/* test_json.c - the dialect of rt-app's files; numbers, names and errors around it. */
#include "tests/test.h"

#include <stdlib.h>

#include "text/err.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/say.h"

static struct arena mem;
static struct err err;

static struct json *parse(const char *text)
{
	err = (struct err){ 0 };
	arena_fini(&mem);
	arena_of_malloc(&mem);
	return json_parse("x.json", text, strlen(text), &mem, NULL, &err);
}

/* ---- the tree ---- */

/* Keys keep their order, and a key that stands twice is there twice. */
TEST(json, order_and_duplicates)
{
	struct json *v = parse("{ \"run\": 1, \"sleep\": 2, \"run\": 3 }");
	const char *keys[] = { "run", "sleep", "run" };
	struct json *e;
	int i = 0;

	json_each(e, v) {
		CHECK_STR(e->key, keys[i]);
		CHECK_EQ(e->text[0], '1' + i);
		i++;
	}
	CHECK_EQ(i, 3);
	CHECK_EQ(v->len, 3);
	CHECK_STR(json_get(v, "run")->text, "1");
	CHECK_STR(json_get_last(v, "run")->text, "3");
	CHECK(!json_get(v, "ru"));
}

/* Every key and value knows its line and column, also behind comments and strings that go over a line's end. */
TEST(json, places)
{
	struct json *v = parse("{\n\t\"a\" : [ 1,\n  /* two\n lines */ true ], // end\n \"b\":\"x\ny\", \"c\": null }");
	struct json *a = v->child, *b = a->next, *c = b->next;

	CHECK_EQ(v->line, 1);
	CHECK_EQ(v->column, 1);
	CHECK_EQ(a->key_line, 2);
	CHECK_EQ(a->key_column, 2);
	CHECK_EQ(a->line, 2);
	CHECK_EQ(a->column, 8);
	CHECK_EQ(a->child->next->line, 4);
	CHECK_EQ(a->child->next->column, 11);
	CHECK_EQ(b->line, 5);
	CHECK_EQ(b->column, 6);
	CHECK_EQ(c->key_line, 6);
	CHECK_EQ(c->key_column, 5);
}

/* What json-c takes beyond JSON, this takes too. */
TEST(json, dialect)
{
	static const struct { const char *text; enum json_kind kind; const char *value; } rows[] = {
		{ "'it is'", JSON_STRING, "it is" },
		{ "True", JSON_BOOL, NULL },
		{ "FALSE", JSON_BOOL, NULL },
		{ "Null", JSON_NULL, NULL },
		{ "012", JSON_NUMBER, "012" },
		{ "1.", JSON_NUMBER, "1." },
		{ "NaN", JSON_NUMBER, "NaN" },
		{ "-Infinity", JSON_NUMBER, "-Infinity" },
		{ "\"a\tb\"", JSON_STRING, "a\tb" },
		{ "\"\xff\"", JSON_STRING, "\xff" },
		{ "[1, 2,]", JSON_ARRAY, NULL },
		{ "{\"a\": 1,}", JSON_OBJECT, NULL },
		{ "/* c */ // d\n 5", JSON_NUMBER, "5" },
		{ "\xef\xbb\xbf" "5", JSON_NUMBER, "5" },
		{ "5 and more", JSON_NUMBER, "5" },
		{ "{}", JSON_OBJECT, NULL },
		{ "[]", JSON_ARRAY, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json *v = parse(rows[i].text);

		CHECK_ROW(v != NULL, 1, rows[i].text);
		CHECK_ROW(v->kind, rows[i].kind, rows[i].text);
		if (rows[i].value)
			CHECK_STR(v->text, rows[i].value);
	}
}

/* Escapes become bytes; half a surrogate pair becomes U+FFFD. */
TEST(json, escapes)
{
	static const struct { const char *text, *value; } rows[] = {
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "\"\\ud83d!\"", "\xef\xbf\xbd!" },
		{ "\"\\udE00\"", "\xef\xbf\xbd" },
		{ "'\\''", "'" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(parse(rows[i].text)->text, rows[i].value);
}

/* Text behind the value is told by its line, blanks and comments behind it are nothing. */
TEST(json, rest)
{
	u32 rest;
	const char *with = "{}\n\n x", *without = "{} // x\n";

	parse("1");
	CHECK(json_parse("x", with, strlen(with), &mem, &rest, &err));
	CHECK_EQ(rest, 3);
	CHECK(json_parse("x", without, strlen(without), &mem, &rest, &err));
	CHECK_EQ(rest, 0);
}

/* One error, where it is, for each production that can be broken. */
TEST(json, errors)
{
	static const struct { const char *text; int line, column; const char *message; } rows[] = {
		{ "", 1, 1, "expected a value, found an empty file" },
		{ "{ \"a\": }", 1, 8, "expected a value" },
		{ "{ \"a\" 1 }", 1, 7, "expected ':'" },
		{ "{ a: 1 }", 1, 3, "expected a key in quotes" },
		{ "{ \"a\": 1\n  \"b\": 2 }", 2, 3, "expected ',' or '}'" },
		{ "{ \"a\": 1", 1, 9, "expected ',' or '}', found the end of the file" },
		{ "{,}", 1, 2, "expected a key in quotes" },
		{ "[ 1 2 ]", 1, 5, "expected ',' or ']'" },
		{ "[ 1,, 2 ]", 1, 5, "expected a value" },
		{ "[ 1", 1, 4, "expected ',' or ']', found the end of the file" },
		{ "\n \"abc", 2, 2, "never closed" },
		{ "\"a\\\"", 1, 1, "never closed" },
		{ "\"\\x\"", 1, 2, "expected one of" },
		{ "\"\\u12\"", 1, 2, "expected four hexadecimal digits" },
		{ "\"\\u0000\"", 1, 2, "no \\u0000" },
		{ "/* abc", 1, 1, "never closed" },
		{ "# abc\n{}", 1, 1, "expected a value" },
		{ "+5", 1, 1, "expected a value" },
		{ ".5", 1, 1, "expected a value" },
		{ "0x10", 1, 1, "expected a value" },
		{ "-", 1, 1, "expected a value" },
		{ "1e", 1, 1, "expected a value" },
		{ "nul", 1, 1, "expected a value" },
		{ "\x01", 1, 1, "found byte 0x01" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(parse(rows[i].text) == NULL, 1, rows[i].text);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		CHECK_ROW(err.line, rows[i].line, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
		if (!strstr(err.message, rows[i].message))
			fail_msg("%s: \"%s\" does not say \"%s\"", rows[i].text, err.message, rows[i].message);
		CHECK_STR(err.file, "x.json");
	}
}

/* The commonest slips come with what to write instead. */
TEST(json, hints)
{
	static const struct { const char *text, *hint; } rows[] = {
		{ "# abc\n{}", "comments begin with //" },
		{ "[.5]", "write 0.5" },
		{ "{ \"a: 1,\n\"b\": 2 }", "string that begins in line 1" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(!parse(rows[i].text));
		if (!strstr(err.hint, rows[i].hint))
			fail_msg("%s: hint \"%s\" does not say \"%s\"", rows[i].text, err.hint, rows[i].hint);
	}
}

/* 64 levels are read, the 65th is refused where it begins. */
TEST(json, depth)
{
	char text[200] = "";

	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	CHECK(parse(text));
	memset(text, '[', 65);
	CHECK(!parse(text));
	CHECK_EQ(err.column, 65);
	memset(text, '[', sizeof(text) - 1);
	CHECK(!parse(text));
}

/* Text that is cut anywhere is an error or a value, and nothing is read behind its end. */
TEST(json, cut_anywhere)
{
	static const char text[] = "{ \"a\\u00e9\": [1.5e3, 'x', true], /* c */ \"b\": { \"c\": null } } // d";
	size_t len;

	for (len = 0; len < sizeof(text); len++) {
		char *cut = malloc(len ? len : 1);

		memcpy(cut, text, len);
		err = (struct err){ 0 };
		CHECK(json_parse("x", cut, len, &mem, NULL, &err) || err.code);
		free(cut);
	}
}

/* ---- numbers ---- */

/* Decimals are exact: what a float cannot hold is held, halves round up, and what is too much is refused. */
TEST(number, scaled)
{
	static const struct { const char *text; u64 scale, most; enum num ret; u64 out; } rows[] = {
		{ "0.3", 1000, 1000000, NUM_OK, 300 },
		{ "0.30000000000000004", 1000, 1000000, NUM_OK, 300 },
		{ "7.2", 1000, 1000000, NUM_OK, 7200 },
		{ "0.0005", 1000, 1000000, NUM_OK, 1 },
		{ "0.00049", 1000, 1000000, NUM_OK, 0 },
		{ "1e3", 1000, UINT64_MAX, NUM_OK, 1000000 },
		{ "1.5E-2", 1000, UINT64_MAX, NUM_OK, 15 },
		{ "2.", 1000, UINT64_MAX, NUM_OK, 2000 },
		{ "007", 1, UINT64_MAX, NUM_OK, 7 },
		{ "-0", 1000, UINT64_MAX, NUM_OK, 0 },
		{ "0e999999999", 1000, UINT64_MAX, NUM_OK, 0 },
		{ "1e-999999999", 1000, UINT64_MAX, NUM_OK, 0 },
		{ "18446744073709551615", 1, UINT64_MAX, NUM_OK, UINT64_MAX },
		{ "18446744073709551.615", 1000, UINT64_MAX, NUM_OK, UINT64_MAX },
		{ "18446744073709551616", 1, UINT64_MAX, NUM_RANGE, 0 },
		{ "1e99999999999999999999", 1, UINT64_MAX, NUM_RANGE, 0 },
		{ "1001", 1000, 1000000, NUM_RANGE, 0 },
		{ "1000", 1000, 1000000, NUM_OK, 1000000 },
		{ "999999999999999999999999999999999999999", 1, UINT64_MAX, NUM_RANGE, 0 },
		{ "0.000000000000000000000000000000000000001e39", 5, UINT64_MAX, NUM_OK, 5 },
		{ "-1", 1000, UINT64_MAX, NUM_NEGATIVE, 0 },
		{ "NaN", 1000, UINT64_MAX, NUM_SYNTAX, 0 },
		{ "", 1000, UINT64_MAX, NUM_SYNTAX, 0 },
		{ "1,5", 1000, UINT64_MAX, NUM_SYNTAX, 0 },
		{ "0x10", 1000, UINT64_MAX, NUM_SYNTAX, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 out = 0;

		CHECK_ROW(num_scaled(rows[i].text, strlen(rows[i].text), rows[i].scale, rows[i].most, &out), rows[i].ret, rows[i].text);
		CHECK_ROW(out, rows[i].out, rows[i].text);
	}
}

TEST(number, whole)
{
	static const struct { const char *text; enum num ret; s64 out; } rows[] = {
		{ "5", NUM_OK, 5 }, { "-1", NUM_OK, -1 }, { "5.0", NUM_OK, 5 }, { "5e1", NUM_OK, 50 }, { "2.5", NUM_FRACTION, 0 },
		{ "101", NUM_RANGE, 0 }, { "-2", NUM_RANGE, 0 }, { "--1", NUM_SYNTAX, 0 }, { "1e40", NUM_RANGE, 0 }, { "x", NUM_SYNTAX, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		s64 out = 0;

		CHECK_ROW(num_whole(rows[i].text, strlen(rows[i].text), -1, 100, &out), rows[i].ret, rows[i].text);
		CHECK_ROW(out, rows[i].out, rows[i].text);
	}
}

/* ---- names and errors ---- */

/* What a terminal would obey is shown, what it shows is kept, what is too long ends in dots. */
TEST(say, safe)
{
	static const struct { const char *name, *shown; } rows[] = {
		{ "kworker/0:1-events", "kworker/0:1-events" },
		{ "\033[31mred", "\\x1b[31mred" },
		{ "a\nb\r\t", "a\\x0ab\\x0d\\x09" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" },
		{ "\xe2\x80\xae" "evil", "\\xe2\\x80\\xae" "evil" },
		{ "\xff\xc3", "\\xff\\xc3" },
		{ "\x7f", "\\x7f" },
	};
	char buf[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(say(buf, sizeof(buf), rows[i].name), rows[i].shown);
	CHECK_STR(say(buf, 8, "abcdefghij"), "abcd...");
	CHECK_STR(say(buf, 11, "abcdefghij"), "abcdefghij");
	CHECK_STR(say(buf, 2, "abc"), ".");
	CHECK_STR(say(buf, sizeof(buf), NULL), "-");
}

/* The first error wins; its text names place, key and what to do, and nothing in it is obeyed by a terminal. */
TEST(err, text)
{
	struct err e = { 0 };
	char buf[1024];

	CHECK_EQ(err_at(&e, "w\033.json", 12, 17, "cpu.max", "expected %s", "a\nb"), -1);
	err_hint(&e, "write %d", 5);
	err_hint(&e, "a later one");
	CHECK_EQ(err_set(&e, ERR_HOST, "a later one"), -1);
	CHECK_EQ(e.code, ERR_INPUT);
	CHECK_STR(err_text(&e, buf, sizeof(buf)), "w\\x1b.json:12:17: \"cpu.max\": expected a\\x0ab\n  hint: write 5");
	CHECK_STR(err_text(&(struct err){ .code = 3, .message = "no" }, buf, sizeof(buf)), "no");
	CHECK_STR(err_text(&(struct err){ .code = 2, .file = "f", .message = "no" }, buf, sizeof(buf)), "f: no");
}

TEST_MAIN("json")
