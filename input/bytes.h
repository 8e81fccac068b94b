/* SPDX-License-Identifier: MIT */
/* bytes.h - all bytes of a file that somebody wrote by hand, within bounds. */
#ifndef INPUT_BYTES_H
#define INPUT_BYTES_H

#include "text/err.h"

#define BYTES_MOST ((size_t)256 << 20) /* a scenario with a million tasks has some 50 MB */

/*
 * The file at @path ("-": the standard input), for free(), and its length in *@len; a NUL stands behind.  gzip is unpacked.
 * NULL with @err set: it cannot be read, is text in UTF-16, has more than BYTES_MOST (then next to nothing has been read), or memory is out.
 */
char *bytes_read(const char *path, size_t *len, struct err *err);

/*
 * What the @len bytes at @p unpack to (gzip), for free(); as much of it as can be had where they are cut, at most @most bytes.  Its length
 * into *@out, and a NUL behind.  NULL where they are no gzip, or memory is out.
 */
char *bytes_unpack(const char *p, size_t len, size_t most, size_t *out);

/* What errors call @path. */
const char *bytes_name(const char *path);

#endif
