/* SPDX-License-Identifier: MIT */
/*
 * bytes.c - all bytes of a file, within bounds.
 *
 * Law: no more than BYTES_MOST are ever held, whatever a pipe or a sparse file would give.
 */
#include "input/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *bytes_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

static char *cannot_read(const char *path, int why, struct err *err)
{
	if (why == ENOMEM)
		err_set(err, ERR_HOST, "out of memory while reading %s", bytes_name(path));
	else
		err_at(err, bytes_name(path), 0, 0, NULL, "cannot be read: %s", strerror(why));
	return NULL;
}

static char *too_large(const char *path, struct err *err)
{
	err_at(err, bytes_name(path), 0, 0, NULL, "this file is too large: expected at most %zu MB", BYTES_MOST >> 20);
	err_hint(err, "many threads that do the same are one task with \"instance\": N");
	return NULL;
}

/* A regular file says beforehand that it is too large; a directory, that it is none. */
static bool is_readable(const char *path, FILE *in, struct err *err)
{
	struct stat st;

	if (fstat(fileno(in), &st))
		return cannot_read(path, errno, err);
	if (S_ISDIR(st.st_mode))
		return cannot_read(path, EISDIR, err);
	return !S_ISREG(st.st_mode) || (u64)st.st_size <= BYTES_MOST || too_large(path, err);
}

static char *read_stream(const char *path, FILE *in, size_t *len, struct err *err)
{
	size_t cap = 65536;
	char *text = malloc(cap), *more;

	for (*len = 0; text;) {
		*len += fread(text + *len, 1, cap - 1 - *len, in);
		if (ferror(in) || *len > BYTES_MOST) {
			free(text);
			return ferror(in) ? cannot_read(path, errno, err) : too_large(path, err);
		}
		if (*len < cap - 1) {
			text[*len] = '\0';
			return text;
		}
		cap *= 2;
		more = realloc(text, cap);
		if (!more)
			free(text);
		text = more;
	}
	return cannot_read(path, ENOMEM, err);
}

char *bytes_read(const char *path, size_t *len, struct err *err)
{
	bool standard_input = !strcmp(path, "-");
	FILE *in = standard_input ? stdin : fopen(path, "rb");
	char *text;

	if (!in)
		return cannot_read(path, errno, err);
	text = is_readable(path, in, err) ? read_stream(path, in, len, err) : NULL;
	if (!standard_input)
		fclose(in);
	return text;
}
