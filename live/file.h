/* SPDX-License-Identifier: MIT */
/* file.h - the short text files of /proc and of cgroups: read whole, written in one write, with the errno that came back. */
#ifndef LIVE_FILE_H
#define LIVE_FILE_H

#include "base/types.h"

#define FILE_PATH_MAX 1024

/* All of @path, at most @size - 1 bytes, NUL-terminated, into @buf.  0, or a negative errno with an empty @buf. */
int file_read(const char *path, char *buf, size_t size);

/* The same from a file that is open already, from its beginning. */
int file_read_fd(int fd, char *buf, size_t size);

/*
 * Write @text into @path in one write.  @make: make the file where there is none (plain directories; a cgroup file system has all of
 * its files).  0, or a negative errno.
 */
int file_write(const char *path, const char *text, bool make);

/* The number behind @key at the start of a line ("nr_periods 12"), into @value; false where there is no such line. */
bool file_number(const char *text, const char *key, u64 *value);

/* Is @word one of the blank-separated words of @text? */
bool file_has_word(const char *text, const char *word);

#endif
