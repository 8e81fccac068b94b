/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - text from files, one character at a time.
 *
 * Names come from other people's files: they may be cut in the middle of a character, hold escape sequences, or be no
 * UTF-8 at all.  Whoever prints one walks it with utf8_next() and asks what it is.
 */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include "base/types.h"

#define UTF8_BAD 0xfffdu /* what a byte that begins no character stands for */

/*
 * The character that begins at @s, of which @len (1 or more) bytes are there, into @c; returns how many bytes it took.
 * A byte that begins no well-formed character takes 1 and gives UTF8_BAD.
 */
size_t utf8_next(const char *s, size_t len, u32 *c);

/* Would a terminal obey @c rather than show it?  C0, DEL, C1, line separators and changes of direction. */
bool utf8_is_control(u32 c);

/* Columns a terminal gives @c: 0 (combining), 1, or 2 (wide). */
int utf8_width(u32 c);

/* Columns of the NUL-terminated @s, which holds nothing that a terminal obeys (see say.h). */
size_t utf8_columns(const char *s);

#endif
