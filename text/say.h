/* SPDX-License-Identifier: MIT */
/*
 * say.h - names from other people's files, made safe to print.
 *
 * A name is data.  What a terminal would obey (escapes, changes of direction) and bytes that are no character are shown
 * as \xNN, so that nothing in a file can move a cursor, hide a line or look like a message of ours.
 */
#ifndef TEXT_SAY_H
#define TEXT_SAY_H

#include "base/types.h"

/* @len bytes of @s into @buf of @size bytes (1 or more), NUL-terminated; ends in "..." where it was cut.  Returns @buf. */
char *say_bytes(char *buf, size_t size, const char *s, size_t len);

/* The same for the NUL-terminated @s; NULL is shown as "-". */
char *say(char *buf, size_t size, const char *s);

#endif
