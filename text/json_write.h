/* SPDX-License-Identifier: MIT */
/*
 * json_write.h - JSON out, one value after the other, into a stream.
 *
 *	json_begin(j, '{')   json_key(j, "cpus")   json_u64(j, 36)   json_end(j)	{ "cpus": 36 }
 *
 * Commas, indentation and closing brackets are the writer's business.  Strings may hold any bytes: control bytes are
 * escaped and what is no UTF-8 becomes U+FFFD, so the output is always valid JSON and harmless on a terminal.
 * Law (json_done): every object and array that was begun has been ended.
 */
#ifndef TEXT_JSON_WRITE_H
#define TEXT_JSON_WRITE_H

#include <stdio.h>

#include "base/types.h"

#define JSON_DEPTH_MAX 32

struct json_write {
	FILE *out;
	int depth;
	int inline_from;	    /* depth from which on everything stays on one line, or JSON_DEPTH_MAX */
	char close[JSON_DEPTH_MAX]; /* the bracket that ends each open level */
	bool some[JSON_DEPTH_MAX];  /* this level has a member already */
	bool after_key;
};

/* Write to @out, which stays the caller's. */
void json_write_init(struct json_write *j, FILE *out);

/* @bracket is '{' or '['.  The _line form keeps all that is inside on one line. */
void json_begin(struct json_write *j, char bracket);
void json_begin_line(struct json_write *j, char bracket);
void json_end(struct json_write *j);
void json_key(struct json_write *j, const char *key);

void json_string(struct json_write *j, const char *s); /* NULL writes null */
void json_u64(struct json_write *j, u64 v);
void json_s64(struct json_write *j, s64 v);
void json_real(struct json_write *j, double v, int digits); /* @digits behind the point; not a number writes null */
void json_decimal(struct json_write *j, u64 v, int digits); /* v / 10^digits, exactly and without zeroes at its end; digits <= 9 */
void json_bool(struct json_write *j, bool v);

/* Ends the text with a newline.  True where every level was ended and the stream took it all. */
bool json_done(struct json_write *j);

/* A member in one call. */
void json_put_string(struct json_write *j, const char *key, const char *s);
void json_put_u64(struct json_write *j, const char *key, u64 v);
void json_put_s64(struct json_write *j, const char *key, s64 v);
void json_put_real(struct json_write *j, const char *key, double v, int digits);
void json_put_bool(struct json_write *j, const char *key, bool v);
void json_put_begin(struct json_write *j, const char *key, char bracket);
void json_put_begin_line(struct json_write *j, const char *key, char bracket);

#endif
