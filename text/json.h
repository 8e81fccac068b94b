/* SPDX-License-Identifier: MIT */
/*
 * json.h - JSON as people write it for rt-app, into a tree in which every node knows its place.
 *
 *	{ "run": 300, "run": 500, }	->	object
 *						  "run" number "300"  at 1:10
 *						  "run" number "500"  at 1:22
 *
 * Kept: the order of keys, keys that occur twice, the spelling of numbers, line and column of every key and value.
 * Accepted beyond JSON, as rt-app's own parser does: comments (two slashes, or slash and star), a comma behind the last
 * element, single quotes, True and NULL in any case, leading zeros, "1.", NaN and Infinity, raw control characters and
 * bytes that are no UTF-8 in strings, text behind the closing brace.
 * Refused: nesting deeper than JSON_MOST_DEPTH, \u0000, and what has no one meaning.
 */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include "base/arena.h"
#include "text/err.h"

#define JSON_MOST_DEPTH 64

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A node lives in the arena it was parsed into. */
struct json {
	struct json *next;	/* behind it in the same object or array */
	struct json *child;	/* first element of an object or array */
	const char *key;	/* in an object, else NULL */
	const char *text;	/* of a string, without quotes and escapes; of a number, as it was written; else NULL */
	u32 len;		/* bytes of text; elements of an object or array */
	u32 line, column;	/* of the value, from 1; columns count bytes */
	u32 key_line, key_column;
	u8 kind;		/* enum json_kind */
	bool truth;		/* JSON_BOOL */
};

/*
 * The tree of the @len bytes at @text, or NULL with @err set.  @file is only for the error.  Where text stands behind
 * the value, *@rest (if not NULL) says at which line it begins, else 0.
 */
struct json *json_parse(const char *file, const char *text, size_t len, struct arena *mem, u32 *rest, struct err *err);

/* The first (the last) element of the object @obj called @key, or NULL. */
struct json *json_get(const struct json *obj, const char *key);
struct json *json_get_last(const struct json *obj, const char *key);

/* "a number", "an object", ... for sentences. */
const char *json_kind_name(enum json_kind kind);

/* What @v is, shortly, for "found ...": "12", "\"abc\"", "an object"; into @buf of @size bytes, which is returned. */
char *json_show(const struct json *v, char *buf, size_t size);

#define json_each(pos, parent) for (pos = (parent)->child; pos; pos = pos->next)

#endif
