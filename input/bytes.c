/* SPDX-License-Identifier: MIT */
/*
 * bytes.c - all bytes of a file, within bounds.
 *
 *	file --> bytes --> unpacked where gzip packed them
 *
 * Law: no more than BYTES_MOST are ever held, whatever a pipe, a sparse file or a bomb of gzip would give.
 */
#include "input/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

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

/* ---- gzip ---- */

#define GZIP_WINDOW (15 + 16) /* zlib: the largest window, and gzip's head */

static bool is_gzip(const char *p, size_t len) { return len > 2 && !memcmp(p, "\x1f\x8b", 2); }

/* More room for what comes out; NULL where @most is reached. */
static char *grow(char *text, size_t *cap, size_t most)
{
	char *more = *cap < most ? realloc(text, min_u64(2 * *cap, most) + 1) : NULL;

	if (more)
		*cap = min_u64(2 * *cap, most);
	return more;
}

char *bytes_unpack(const char *p, size_t len, size_t most, size_t *out)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)min_u64(len, UINT32_MAX) };
	size_t cap = min_u64(65536, most);
	char *text = is_gzip(p, len) && inflateInit2(&z, GZIP_WINDOW) == Z_OK ? malloc(cap + 1) : NULL, *more;
	int ret = Z_OK;

	*out = 0;
	while (text && ret == Z_OK) {
		z.next_out = (Bytef *)text + *out;
		z.avail_out = (uInt)(cap - *out);
		ret = inflate(&z, Z_NO_FLUSH);
		*out = cap - z.avail_out;
		if (ret != Z_OK || z.avail_out)
			continue; /* the end, or nothing more comes of these bytes: then inflate() says so */
		more = grow(text, &cap, most);
		if (!more)
			break;
		text = more;
	}
	if (is_gzip(p, len))
		inflateEnd(&z);
	if (text)
		text[*out] = '\0';
	return text;
}

/* @text as it was before it was packed; @text itself where it was not. */
static char *unpacked(const char *path, char *text, size_t *len, struct err *err)
{
	size_t nr;
	char *plain;

	if (!is_gzip(text, *len))
		return text;
	plain = bytes_unpack(text, *len, BYTES_MOST + 1, &nr);
	free(text);
	if (plain && nr > BYTES_MOST) {
		free(plain);
		return too_large(path, err);
	}
	*len = nr;
	return plain ? plain : cannot_read(path, ENOMEM, err);
}

/* ---- a file ---- */

static bool is_utf16(const char *p, size_t len) { return len > 1 && (!memcmp(p, "\xff\xfe", 2) || !memcmp(p, "\xfe\xff", 2)); }

static char *readable(const char *path, char *text, size_t *len, struct err *err)
{
	text = text ? unpacked(path, text, len, err) : NULL;
	if (!text || !is_utf16(text, *len))
		return text;
	free(text);
	err_at(err, bytes_name(path), 0, 0, NULL, "is text in UTF-16, expected UTF-8");
	err_hint(err, "iconv -f utf-16 -t utf-8 FILE");
	return NULL;
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
	return readable(path, text, len, err);
}
