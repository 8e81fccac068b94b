/* SPDX-License-Identifier: MIT */
/*
 * schema.h - the part of JSON Schema (2020-12) that docs/ uses, as a checker for tests.
 *
 * A word of a schema that the checker does not know is a failure, so that no rule is passed over in silence.
 */
#ifndef TESTS_SCHEMA_H
#define TESTS_SCHEMA_H

#include "text/json.h"

struct schema {
	struct arena mem;
	const struct json *root;
	char why[256]; /* the last failure: where, and which rule */
};

/* Read the schema in the file at @path (or in @text, where @path is NULL).  Fails the test where it cannot. */
void schema_open(struct schema *s, const char *path, const char *text);
void schema_close(struct schema *s);

/* Does @v keep to it?  If not, @s->why says what is wrong. */
bool schema_holds(struct schema *s, const struct json *v);

/* The JSON in @text, in @s's memory; fails the test where it is none. */
struct json *schema_parse(struct schema *s, const char *text);

/* All of the file at @path, NUL-terminated, for free(). */
char *whole_file(const char *path);

#endif
