/* SPDX-License-Identifier: MIT */
/*
 * json_write.c - JSON out.
 *
 * Every value passes through before_value(), which writes the comma and the indentation that the place asks for; so a
 * caller only says what comes next and cannot get the punctuation wrong.
 */
#include "text/json_write.h"

#include <inttypes.h>
#include <string.h>

#include "text/utf8.h"

void json_write_init(struct json_write *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	j->inline_from = JSON_DEPTH_MAX;
}

static bool on_one_line(const struct json_write *j) { return j->depth >= j->inline_from; }

static void new_line(struct json_write *j)
{
	int i;

	if (on_one_line(j)) {
		fputc(' ', j->out);
		return;
	}
	fputc('\n', j->out);
	for (i = 0; i < j->depth; i++)
		fputs("  ", j->out);
}

static void before_value(struct json_write *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth)
		return;
	if (j->some[j->depth - 1])
		fputc(',', j->out);
	j->some[j->depth - 1] = true;
	new_line(j);
}

void json_begin(struct json_write *j, char bracket)
{
	before_value(j);
	fputc(bracket, j->out);
	if (j->depth >= JSON_DEPTH_MAX)
		return;
	j->close[j->depth] = bracket == '{' ? '}' : ']';
	j->some[j->depth] = false;
	j->depth++;
}

void json_begin_line(struct json_write *j, char bracket)
{
	json_begin(j, bracket);
	if (j->depth < j->inline_from)
		j->inline_from = j->depth;
}

void json_end(struct json_write *j)
{
	bool last_line = j->depth == j->inline_from, some;

	if (!j->depth)
		return;
	some = j->some[j->depth - 1];
	if (last_line) {
		if (some)
			fputc(' ', j->out);
		j->inline_from = JSON_DEPTH_MAX;
		j->depth--;
	} else {
		j->depth--;
		if (some)
			new_line(j);
	}
	fputc(j->close[j->depth], j->out);
}

static void put_quoted(struct json_write *j, const char *s)
{
	size_t left = strlen(s);

	fputc('"', j->out);
	while (left) {
		u32 c;
		size_t n = utf8_next(s, left, &c);

		if (c == '"' || c == '\\')
			fprintf(j->out, "\\%c", (char)c);
		else if (utf8_is_control(c))
			fprintf(j->out, "\\u%04x", (unsigned)c);
		else if (c == UTF8_BAD && n == 1)
			fputs("\\ufffd", j->out);
		else
			fwrite(s, 1, n, j->out);
		s += n;
		left -= n;
	}
	fputc('"', j->out);
}

void json_key(struct json_write *j, const char *key)
{
	before_value(j);
	put_quoted(j, key);
	fputs(": ", j->out);
	j->after_key = true;
}

void json_string(struct json_write *j, const char *s)
{
	before_value(j);
	if (s)
		put_quoted(j, s);
	else
		fputs("null", j->out);
}

void json_u64(struct json_write *j, u64 v)
{
	before_value(j);
	fprintf(j->out, "%" PRIu64, v);
}

void json_s64(struct json_write *j, s64 v)
{
	before_value(j);
	fprintf(j->out, "%" PRId64, v);
}

void json_real(struct json_write *j, double v, int digits)
{
	before_value(j);
	if (v != v || v - v != 0) /* not a number, or an infinity: JSON has neither */
		fputs("null", j->out);
	else
		fprintf(j->out, "%.*f", digits, v);
}

void json_decimal(struct json_write *j, u64 v, int digits)
{
	u64 scale = 1, rest;

	for (int i = 0; i < digits; i++)
		scale *= 10;
	before_value(j);
	fprintf(j->out, "%" PRIu64, v / scale);
	rest = v % scale;
	if (!rest)
		return;
	for (; !(rest % 10); digits--)
		rest /= 10;
	fprintf(j->out, ".%0*" PRIu64, digits, rest);
}

void json_bool(struct json_write *j, bool v)
{
	before_value(j);
	fputs(v ? "true" : "false", j->out);
}

bool json_done(struct json_write *j)
{
	fputc('\n', j->out);
	return !j->depth && !ferror(j->out);
}

void json_put_string(struct json_write *j, const char *key, const char *s)
{
	json_key(j, key);
	json_string(j, s);
}

void json_put_u64(struct json_write *j, const char *key, u64 v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_put_s64(struct json_write *j, const char *key, s64 v)
{
	json_key(j, key);
	json_s64(j, v);
}

void json_put_real(struct json_write *j, const char *key, double v, int digits)
{
	json_key(j, key);
	json_real(j, v, digits);
}

void json_put_bool(struct json_write *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

void json_put_begin(struct json_write *j, const char *key, char bracket)
{
	json_key(j, key);
	json_begin(j, bracket);
}

void json_put_begin_line(struct json_write *j, const char *key, char bracket)
{
	json_key(j, key);
	json_begin_line(j, bracket);
}
