/* SPDX-License-Identifier: MIT */
/* bytes.h - all bytes of a file that somebody wrote by hand, within bounds. */
#ifndef INPUT_BYTES_H
#define INPUT_BYTES_H

#include "text/err.h"

#define BYTES_MOST ((size_t)256 << 20) /* a scenario with a million tasks has some 50 MB */

/*
 * The file at @path ("-": the standard input), for free(), and its length in *@len; a NUL stands behind.  NULL with @err set: it
 * cannot be read, has more than BYTES_MOST (then next to nothing has been read), or memory is out.
 */
char *bytes_read(const char *path, size_t *len, struct err *err);

/* What errors call @path. */
const char *bytes_name(const char *path);

#endif
