/* SPDX-License-Identifier: MIT */
/*
 * json.c - a recursive descent over the bytes, one function a production.
 *
 *	value:  object | array | string | number | word
 *
 * Law: the parser never reads past @end, never goes deeper than JSON_MOST_DEPTH, and every node it makes has a place.
 */
#include "text/json.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/number.h"

struct parser {
	const char *file;
	const char *p, *end;
	const char *bol;	/* first byte of the current line */
	u32 line;
	int depth;
	u32 long_string;	/* line at which a string began that went over a line's end, else 0 */
	struct arena *mem;
	struct err *err;
};

static u32 column(const struct parser *ps, const char *at) { return (u32)(at - ps->bol) + 1; }

static void *no_memory(struct parser *ps)
{
	err_set(ps->err, ERR_HOST, "out of memory while reading %s", ps->file);
	return NULL;
}

/* The error that stands at the current byte.  Always NULL, so that callers may return it. */
static void *refuse(struct parser *ps, const char *expected)
{
	char found[32] = "the end of the file";
	const char *p = ps->p;

	if (p < ps->end)
		snprintf(found, sizeof(found), (u8)*p > ' ' && (u8)*p < 0x7f ? "'%c'" : "byte 0x%02x", (u8)*p);
	err_at(ps->err, ps->file, (int)ps->line, (int)column(ps, p), NULL, "expected %s, found %s", expected, found);
	if (p < ps->end && *p == '#')
		err_hint(ps->err, "comments begin with // or /*");
	else if (ps->long_string)
		err_hint(ps->err, "the string that begins in line %u goes over the end of its line: is its closing quote missing?",
			 ps->long_string);
	else if (p + 1 < ps->end && (*p == '.' || *p == '+') && p[1] >= '0' && p[1] <= '9')
		err_hint(ps->err, "write 0.5 and 5, not .5 and +5");
	return NULL;
}

static void new_line(struct parser *ps)
{
	ps->line++;
	ps->bol = ps->p;
}

static bool comment(struct parser *ps, bool block)
{
	u32 line = ps->line, col = column(ps, ps->p);

	for (ps->p += 2; ps->p < ps->end; ) {
		char c = *ps->p++;

		if (c == '\n') {
			new_line(ps);
			if (!block)
				return true;
		} else if (block && c == '*' && ps->p < ps->end && *ps->p == '/') {
			ps->p++;
			return true;
		}
	}
	if (block)
		err_at(ps->err, ps->file, (int)line, (int)col, NULL, "this comment is never closed");
	return !block;
}

/* Over blanks and comments; false where a comment does not end. */
static bool skip(struct parser *ps)
{
	while (ps->p < ps->end) {
		char c = *ps->p;
		char after = ps->p + 1 < ps->end ? ps->p[1] : '\0';

		if (c == '\n') {
			ps->p++;
			new_line(ps);
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			ps->p++;
		} else if (c == '/' && (after == '/' || after == '*')) {
			if (!comment(ps, after == '*'))
				return false;
		} else {
			break;
		}
	}
	return true;
}

static bool at(const struct parser *ps, char c) { return ps->p < ps->end && *ps->p == c; }

static struct json *node(struct parser *ps, enum json_kind kind)
{
	struct json *v = arena_alloc(ps->mem, sizeof(*v));

	if (!v)
		return no_memory(ps);
	v->kind = (u8)kind;
	v->line = ps->line;
	v->column = column(ps, ps->p);
	return v;
}

static int hex4(const struct parser *ps, const char *p)
{
	int i, v = 0;

	if (ps->end - p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			v = v * 16 + c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v * 16 + (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return v;
}

static size_t utf8_put(char *out, u32 c)
{
	static const struct { u32 below; u8 lead; int more; } rows[] = {
		{ 0x80, 0, 0 }, { 0x800, 0xc0, 1 }, { 0x10000, 0xe0, 2 }, { 0x110000, 0xf0, 3 },
	};
	size_t i = 0;
	int k;

	while (c >= rows[i].below)
		i++;
	out[0] = (char)(rows[i].lead | c >> (6 * rows[i].more));
	for (k = 1; k <= rows[i].more; k++)
		out[k] = (char)(0x80 | (c >> (6 * (rows[i].more - k)) & 0x3f));
	return (size_t)rows[i].more + 1;
}

/* \uXXXX, the backslash at ps->p; half of a surrogate pair alone becomes U+FFFD. */
static bool unicode_escape(struct parser *ps, char *out, size_t *n)
{
	int c = hex4(ps, ps->p + 2), low;
	u32 code = (u32)c;

	if (c < 0)
		return refuse(ps, "four hexadecimal digits behind \\u");
	if (!c)
		return refuse(ps, "no \\u0000 in a string");
	ps->p += 6;
	if (c >= 0xd800 && c < 0xdc00 && ps->end - ps->p >= 6 && ps->p[0] == '\\' && ps->p[1] == 'u') {
		low = hex4(ps, ps->p + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + (((u32)c - 0xd800) << 10) + ((u32)low - 0xdc00);
			ps->p += 6;
		}
	}
	if (code >= 0xd800 && code < 0xe000)
		code = 0xfffd;
	*n += utf8_put(out + *n, code);
	return true;
}

static bool escape(struct parser *ps, char *out, size_t *n)
{
	static const char from[] = "\"\\/'bfnrt", to[] = "\"\\/'\b\f\n\r\t";
	const char *which;

	if (ps->end - ps->p < 2)
		return refuse(ps, "the end of this string");
	if (ps->p[1] == 'u')
		return unicode_escape(ps, out, n);
	which = ps->p[1] ? strchr(from, ps->p[1]) : NULL;
	if (!which)
		return refuse(ps, "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
	out[(*n)++] = to[which - from];
	ps->p += 2;
	return true;
}

/* From the quote at ps->p to the one that closes it, or NULL. */
static const char *closing_quote(const struct parser *ps)
{
	const char *p;

	for (p = ps->p + 1; p < ps->end && *p != *ps->p; p++)
		if (*p == '\\' && ++p == ps->end)
			return NULL;
	return p < ps->end ? p : NULL;
}

/* The string whose quote is at ps->p; *@len without the NUL behind it. */
static const char *string(struct parser *ps, u32 *len)
{
	u32 line = ps->line, col = column(ps, ps->p);
	const char *close = closing_quote(ps);
	size_t n = 0;
	char *out;

	if (!close) {
		err_at(ps->err, ps->file, (int)line, (int)col, NULL, "the string that begins here is never closed");
		return NULL;
	}
	out = arena_alloc(ps->mem, (size_t)(close - ps->p));
	if (!out)
		return no_memory(ps);
	ps->p++;
	while (ps->p < close) {
		if (*ps->p == '\\') {
			if (!escape(ps, out, &n))
				return NULL;
			continue;
		}
		if (!*ps->p)
			return refuse(ps, "no NUL byte in a string");
		out[n++] = *ps->p++;
		if (ps->p[-1] == '\n') {
			new_line(ps);
			ps->long_string = line;
		}
	}
	ps->p++;
	*len = (u32)n;
	return out;
}

static struct json *string_value(struct parser *ps)
{
	struct json *v = node(ps, JSON_STRING);

	if (v)
		v->text = string(ps, &v->len);
	return v && v->text ? v : NULL;
}

static bool word_byte(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '.' || c == '-' || c == '+' || c == '_';
}

/* A number or a bare word: everything up to the next byte that belongs to neither. */
static struct json *number_or_word(struct parser *ps)
{
	static const struct { const char *word; enum json_kind kind; bool truth; } rows[] = {
		{ "true", JSON_BOOL, true }, { "false", JSON_BOOL, false }, { "null", JSON_NULL, false },
		{ "NaN", JSON_NUMBER, false }, { "Infinity", JSON_NUMBER, false }, { "-Infinity", JSON_NUMBER, false },
	};
	const char *p = ps->p;
	struct json *v;
	size_t i, len;

	while (p < ps->end && word_byte(*p))
		p++;
	len = (size_t)(p - ps->p);
	v = node(ps, JSON_NUMBER);
	if (!v)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (len != strlen(rows[i].word) || strncasecmp(ps->p, rows[i].word, len))
			continue;
		v->kind = (u8)rows[i].kind;
		v->truth = rows[i].truth;
		break;
	}
	if (i == ARRAY_SIZE(rows) && (!len || num_span(ps->p, len) != len))
		return refuse(ps, "a value: a number, a string in quotes, true, false, null, { or [");
	if (v->kind == JSON_NUMBER) {
		v->text = arena_strndup(ps->mem, ps->p, len);
		v->len = (u32)len;
		if (!v->text)
			return no_memory(ps);
	}
	ps->p = p;
	return v;
}

static struct json *value(struct parser *ps);

static bool enter(struct parser *ps)
{
	if (ps->depth == JSON_MOST_DEPTH) {
		err_at(ps->err, ps->file, (int)ps->line, (int)column(ps, ps->p), NULL,
		       "nested deeper than %d levels", JSON_MOST_DEPTH);
		return false;
	}
	ps->depth++;
	ps->p++;
	return skip(ps);
}

/* Behind an element: over a comma, or stay in front of @close. */
static bool separator(struct parser *ps, char close, const char *expected)
{
	if (!skip(ps))
		return false;
	if (at(ps, close))
		return true;
	if (!at(ps, ','))
		return refuse(ps, expected);
	ps->p++;
	return skip(ps);
}

static struct json *array(struct parser *ps)
{
	struct json *v = node(ps, JSON_ARRAY), **tail;

	if (!v || !enter(ps))
		return NULL;
	for (tail = &v->child; !at(ps, ']'); tail = &(*tail)->next) {
		*tail = value(ps);
		if (!*tail || !separator(ps, ']', "',' or ']'"))
			return NULL;
		v->len++;
	}
	ps->depth--;
	ps->p++;
	return v;
}

/* "key" : value */
static struct json *member(struct parser *ps)
{
	u32 line = ps->line, col = column(ps, ps->p), len;
	const char *key;
	struct json *v;

	if (!at(ps, '"') && !at(ps, '\''))
		return refuse(ps, "a key in quotes");
	key = string(ps, &len);
	if (!key || !skip(ps))
		return NULL;
	if (!at(ps, ':'))
		return refuse(ps, "':' behind the key");
	ps->p++;
	v = skip(ps) ? value(ps) : NULL;
	if (!v)
		return NULL;
	v->key = key;
	v->key_line = line;
	v->key_column = col;
	return v;
}

static struct json *object(struct parser *ps)
{
	struct json *v = node(ps, JSON_OBJECT), **tail;

	if (!v || !enter(ps))
		return NULL;
	for (tail = &v->child; !at(ps, '}'); tail = &(*tail)->next) {
		*tail = member(ps);
		if (!*tail || !separator(ps, '}', "',' or '}'"))
			return NULL;
		v->len++;
	}
	ps->depth--;
	ps->p++;
	return v;
}

static struct json *value(struct parser *ps)
{
	if (at(ps, '{'))
		return object(ps);
	if (at(ps, '['))
		return array(ps);
	if (at(ps, '"') || at(ps, '\''))
		return string_value(ps);
	return number_or_word(ps);
}

struct json *json_parse(const char *file, const char *text, size_t len, struct arena *mem, u32 *rest, struct err *err)
{
	struct parser ps = { .file = file, .p = text, .end = text + len, .bol = text, .line = 1, .mem = mem, .err = err };
	struct json *v;

	if (rest)
		*rest = 0;
	if (len > INT32_MAX) {
		err_at(err, file, 0, 0, NULL, "this file has more than 2 GB");
		return NULL;
	}
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		ps.p = ps.bol = text + 3;
	if (!skip(&ps))
		return NULL;
	if (ps.p == ps.end) {
		err_at(err, file, 1, 1, NULL, "expected a value, found an empty file");
		return NULL;
	}
	v = value(&ps);
	if (!v || !skip(&ps))
		return NULL;
	if (rest && ps.p < ps.end)
		*rest = ps.line;
	return v;
}

struct json *json_get(const struct json *obj, const char *key)
{
	struct json *v;

	json_each(v, obj)
		if (v->key && !strcmp(v->key, key))
			return v;
	return NULL;
}

struct json *json_get_last(const struct json *obj, const char *key)
{
	struct json *v, *last = NULL;

	json_each(v, obj)
		if (v->key && !strcmp(v->key, key))
			last = v;
	return last;
}

const char *json_kind_name(enum json_kind kind)
{
	static const char *const names[] = { "null", "true or false", "a number", "a string", "a list", "an object" };

	return names[kind];
}

char *json_show(const struct json *v, char *buf, size_t size)
{
	switch (v->kind) {
	case JSON_STRING:
		snprintf(buf, size, v->len > 60 ? "\"%.60s...\"" : "\"%s\"", v->text);
		break;
	case JSON_NUMBER:
		snprintf(buf, size, v->len > 60 ? "%.60s..." : "%s", v->text);
		break;
	case JSON_BOOL:
		snprintf(buf, size, "%s", v->truth ? "true" : "false");
		break;
	default:
		snprintf(buf, size, "%s", json_kind_name((enum json_kind)v->kind));
	}
	return buf;
}
