/* SPDX-License-Identifier: MIT */
/*
 * err.c - one clear error: where, what was found, what was expected, what to do.
 *
 * What callers put in may come from a file: everything is made safe for a terminal when it is printed, not before.
 */
#include "text/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/say.h"

static void copy(char *to, size_t size, const char *from)
{
	size_t len = from ? strlen(from) : 0;

	if (len >= size)
		len = size - 1;
	if (len)
		memcpy(to, from, len);
	to[len] = '\0';
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return -1;
	memset(err, 0, sizeof(*err));
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	return -1;
}

int err_at(struct err *err, const char *file, int line, int column, const char *key, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return -1;
	memset(err, 0, sizeof(*err));
	err->code = ERR_INPUT;
	copy(err->file, sizeof(err->file), file);
	err->line = line;
	err->column = column;
	copy(err->key, sizeof(err->key), key);
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	return -1;
}

void err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err->code || err->hint[0])
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

/* "web.json:12:17: ", or as much of it as is known. */
static void place_text(const struct err *err, char *buf, size_t size)
{
	char file[4 * sizeof(err->file)];

	say(file, sizeof(file), err->file);
	buf[0] = '\0';
	if (!err->file[0] && err->line)
		snprintf(buf, size, "line %d:%d: ", err->line, err->column);
	else if (!err->file[0])
		return;
	else if (!err->line)
		snprintf(buf, size, "%s: ", file);
	else if (!err->column)
		snprintf(buf, size, "%s:%d: ", file, err->line);
	else
		snprintf(buf, size, "%s:%d:%d: ", file, err->line, err->column);
}

char *err_text(const struct err *err, char *buf, size_t size)
{
	char place[4 * sizeof(err->file) + 32], key[4 * sizeof(err->key)];
	char message[4 * sizeof(err->message)], hint[4 * sizeof(err->hint)];

	place_text(err, place, sizeof(place));
	say(key, sizeof(key), err->key);
	say(message, sizeof(message), err->message);
	say(hint, sizeof(hint), err->hint);
	snprintf(buf, size, "%s%s%s%s%s%s%s", place, err->key[0] ? "\"" : "", err->key[0] ? key : "",
		 err->key[0] ? "\": " : "", message, err->hint[0] ? "\n  hint: " : "", err->hint[0] ? hint : "");
	return buf;
}
