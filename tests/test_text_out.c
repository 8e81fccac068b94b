/* SPDX-License-Identifier: MIT */
/* test_text_out.c - what leaves the program: JSON, tables, numbers, names. */
#include "tests/test.h"

#include <stdlib.h>

#include "text/format.h"
#include "text/json.h"
#include "text/json_write.h"
#include "text/memory.h"
#include "text/suggest.h"
#include "text/table.h"
#include "text/utf8.h"

/* What @fill writes into a stream, for free(). */
static char *written(void (*fill)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fill(out);
	fclose(out);
	return text;
}

/* ---- JSON ---- */

static void nested(FILE *out)
{
	struct json_write j;

	json_write_init(&j, out);
	json_begin(&j, '{');
	json_put_u64(&j, "cpus", 36);
	json_put_begin(&j, "empty", '[');
	json_end(&j);
	json_put_begin_line(&j, "line", '[');
	json_s64(&j, -1);
	json_begin(&j, '{');
	json_put_bool(&j, "yes", true);
	json_end(&j);
	json_real(&j, 0.5, 3);
	json_end(&j);
	json_put_string(&j, "last", NULL);
	json_end(&j);
	json_done(&j);
}

/* Commas, lines and brackets come out right without the caller's help. */
TEST(text_out, json_punctuation)
{
	char *text = written(nested);

	CHECK_STR(text, "{\n  \"cpus\": 36,\n  \"empty\": [],\n  \"line\": [ -1, { \"yes\": true }, 0.500 ],\n  \"last\": null\n}\n");
	free(text);
}

static void hostile(FILE *out)
{
	struct json_write j;

	json_write_init(&j, out);
	json_string(&j, "a\033[31m\"\\\n\x80\xc2\x9b\xe2\x80\xae\xc3\xa4");
}

/* No byte of a name reaches a terminal as a command, and what is no UTF-8 is still valid JSON. */
TEST(text_out, json_names_are_data)
{
	char *text = written(hostile);

	CHECK_STR(text, "\"a\\u001b[31m\\\"\\\\\\u000a\\ufffd\\u009b\\u202e\xc3\xa4\"");
	free(text);
}

static void not_numbers(FILE *out)
{
	struct json_write j;
	double zero = 0;

	json_write_init(&j, out);
	json_begin_line(&j, '[');
	json_real(&j, zero / zero, 2);
	json_real(&j, 1 / zero, 2);
	json_end(&j);
}

/* JSON has no NaN and no infinity: both are null. */
TEST(text_out, json_not_numbers)
{
	char *text = written(not_numbers);

	CHECK_STR(text, "[ null, null ]");
	free(text);
}

/* An unclosed level and a full disk are noticed. */
TEST(text_out, json_done_notices)
{
	FILE *full = fopen("/dev/full", "w"), *null = fopen("/dev/null", "w");
	struct json_write j;

	json_write_init(&j, null);
	json_begin(&j, '{');
	CHECK(!json_done(&j));
	fclose(null);
	if (!full)
		return;
	json_write_init(&j, full);
	json_u64(&j, 1);
	fflush(full);
	CHECK(!json_done(&j));
	fclose(full);
}

/* What the writer writes the reader reads back. */
TEST(text_out, json_round_trip)
{
	char *text = written(nested);
	struct arena mem;
	struct err err = { 0 };
	struct json *root;

	arena_of_malloc(&mem);
	root = json_parse("test", text, strlen(text), &mem, NULL, &err);
	CHECK(root != NULL);
	CHECK_STR(json_get(root, "cpus")->text, "36");
	CHECK_EQ(json_get(root, "line")->len, 3);
	CHECK_EQ(json_get(root, "last")->kind, JSON_NULL);
	arena_fini(&mem);
	free(text);
}

/* ---- tables ---- */

static void small_table(FILE *out)
{
	struct table t;

	table_init(&t, "lrl");
	table_heads(&t, "group|ms|");
	table_cell(&t, "/w\xc3\xa4" "b");
	table_cell(&t, "%d", 5);
	table_end_row(&t);
	table_cell(&t, "\xe6\xbc\xa2");
	table_cell(&t, "%d", 1000);
	table_cell(&t, "note");
	table_print(&t, out);
	table_fini(&t);
}

/* Widths are columns of a terminal: an umlaut is one, a Han character two; no line ends in blanks. */
TEST(text_out, table_counts_columns)
{
	char *text = written(small_table);

	CHECK_STR(text, "group    ms\n/w\xc3\xa4" "b      5\n\xe6\xbc\xa2     1000  note\n");
	free(text);
}

/* A column that flows takes further lines, so that no row is wider than a screen; a word is never broken. */
static void flowing_table(FILE *out)
{
	struct table t;

	table_init(&t, "lll");
	table_flow(&t, 1);
	table_cell(&t, "a");
	table_cell(&t, "%s", "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 \xc3\xa4 0123456789 end");
	table_cell(&t, "z");
	table_print(&t, out);
	table_fini(&t);
	text_flow(out, "a sentence", 0, 2);
	text_flow(out, "0123456789 0123456789", 85, 4);
	text_flow(out, "\033[1m", 0, 0);
	text_flow(out, "", 0, 0);
}

TEST(text_out, sentences_flow)
{
	char *text = written(flowing_table);

	CHECK_STR(text, "a  0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 \xc3\xa4       z\n"
			"   0123456789 end\n"
			"a sentence\n0123456789\n    0123456789\n\\x1b[1m\n\n");
	free(text);
}

static void hostile_table(FILE *out)
{
	struct table t;

	table_init(&t, "lr");
	table_cell(&t, "%s", "a\033]0;x\007");
	table_cell(&t, "1");
	table_print(&t, out);
	table_fini(&t);
}

/* A cell shows escape bytes, it does not send them. */
TEST(text_out, table_names_are_data)
{
	char *text = written(hostile_table);

	CHECK_STR(text, "a\\x1b]0;x\\x07  1\n");
	free(text);
}

/* A pipe gets no colour. */
TEST(text_out, no_colour_in_a_pipe)
{
	FILE *out = tmpfile();

	CHECK(!text_colour(out));
	CHECK_STR(text_tone(out, TONE_BAD), "");
	fclose(out);
}

/* ---- numbers ---- */

TEST(text_out, times)
{
	static const struct { u64 ns; const char *text; } rows[] = {
		{ 0, "0 ns" }, { 300, "300 ns" }, { 12500, "12.5 us" }, { 231 * MS, "231 ms" }, { 8640 * MS, "8.64 s" },
		{ 12340 * MS, "12.3 s" }, { 1234567, "1.23 ms" }, { 9 * SEC, "9 s" }, { 5300 * MS, "5.30 s" }, { 50 * US, "50 us" }, { NEVER, "never" },
	};
	char buf[FORMAT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(format_time(buf, rows[i].ns), rows[i].text);
}

TEST(text_out, milliseconds)
{
	static const struct { u64 ns; const char *text; } rows[] = {
		{ 0, "0" }, { 12 * US, "0.012" }, { 4250 * US, "4.25" }, { 29200 * US, "29.2" }, { 8640 * MS, "8640" },
		{ 300, "<0.001" }, { 999999, "1.00" }, { 99999 * US, "100" },
	};
	char buf[FORMAT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(format_ms(buf, rows[i].ns), rows[i].text);
}

/* The ratios of the public reports come out as they are printed there. */
TEST(text_out, ratios)
{
	static const struct { double a, b; const char *text; } rows[] = {
		{ 228, 498, "2.2x" }, { 231, 492, "2.1x" }, { 170, 179, "1.05x" }, { 336, 512, "1.52x" },
		{ 192, 366, "1.91x" }, { 10, 153, "15x" }, { 0, 5, "-" }, { 4, 2, "0.50x" },
		{ 4018, 1.6, "<0.01x" }, { 1, 999.4, "999x" }, { 0.006, 12, ">999x" }, { 3, 0, "0.00x" },
	};
	char buf[FORMAT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(format_ratio(buf, rows[i].a, rows[i].b), rows[i].text);
}

TEST(text_out, shares_and_limits)
{
	char buf[FORMAT_MAX];

	CHECK_STR(format_share(buf, 53, 61), "87%");
	CHECK_STR(format_share(buf, 1, 10000), "<0.1%");
	CHECK_STR(format_share(buf, 0, 7), "0%");
	CHECK_STR(format_share(buf, 1, 0), "-");
	CHECK_STR(format_limit(buf, 10 * MS, 100 * MS), "10/100 ms (100m)");
	CHECK_STR(format_limit(buf, 2500 * US, 10 * MS), "2.5/10 ms (250m)");
	CHECK_STR(format_limit(buf, 103700 * US, 100 * MS), "103.7/100 ms (1037m)");
	CHECK_STR(format_limit_burst(buf, 30 * MS, 100 * MS, 25 * MS), "30/100+25 ms (300m)");
	CHECK_STR(format_limit_burst(buf, 30 * MS, 100 * MS, 0), "30/100 ms (300m)");
	CHECK_STR(format_limit(buf, UINT64_MAX, 100 * MS), "no limit");
	CHECK_STR(format_milli(buf, 49 * US, 100 * MS), "0.49m");
	CHECK_STR(format_milli(buf, 147 * US, 100 * MS), "1.5m");
	CHECK_STR(format_milli(buf, 25 * MS, 100 * MS), "250m");
	CHECK_STR(format_milli(buf, 0, 100 * MS), "0m");
	CHECK_STR(format_milli(buf, 5, 0), "-");
	CHECK_STR(format_count(buf, 19744), "19744");
	CHECK_STR(format_count(buf, 1234567), "1 234 567");
}

/* ---- words ---- */

TEST(text_out, edit_distances)
{
	CHECK_EQ(edit_distance("kernel", "kernel"), 0);
	CHECK_EQ(edit_distance("kernl", "kernel"), 1);
	CHECK_EQ(edit_distance("kenrel", "kernel"), 1);
	CHECK_EQ(edit_distance("", "abc"), 3);
	CHECK_EQ(edit_distance("run", "compare"), 7);
}

TEST(text_out, suggests_only_what_is_near)
{
	struct suggest s;

	suggest_init(&s, "comprae");
	suggest_offer(&s, "run");
	suggest_offer(&s, "compare");
	CHECK_STR(suggest_best(&s), "compare");
	suggest_init(&s, "frobnicate");
	suggest_offer(&s, "run");
	CHECK(suggest_best(&s) == NULL);
}

/* Only the shortest form of a character counts, and no half of one. */
TEST(text_out, utf8_is_strict)
{
	static const struct { const char *bytes; size_t len, taken; u32 c; } rows[] = {
		{ "a", 1, 1, 'a' }, { "\xc3\xa4", 2, 2, 0xe4 }, { "\xc3", 1, 1, UTF8_BAD }, { "\xc0\xaf", 2, 1, UTF8_BAD },
		{ "\xed\xa0\x80", 3, 1, UTF8_BAD }, { "\xf4\x90\x80\x80", 4, 1, UTF8_BAD }, { "\xf0\x9f\x8e\xa1", 4, 4, 0x1f3a1 },
		{ "\xff", 1, 1, UTF8_BAD }, { "\xe2\x82" "a", 3, 1, UTF8_BAD },
	};
	size_t i;
	u32 c;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(utf8_next(rows[i].bytes, rows[i].len, &c), rows[i].taken, rows[i].bytes);
		CHECK_ROW(c, rows[i].c, rows[i].bytes);
	}
}

TEST_MAIN("text_out")
