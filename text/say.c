/* SPDX-License-Identifier: MIT */
/*
 * say.c - names from other people's files, made safe to print.
 *
 * Law: the output holds no byte below 0x20, no 0x7f, and only well-formed UTF-8 that a terminal shows and does not obey.
 */
#include "text/say.h"

#include <string.h>

#include "text/utf8.h"

/* One character of @s as it is shown, into @out (16 bytes or more); returns how many bytes of @s it took. */
static size_t say_one(const char *s, size_t len, char *out, size_t *shown)
{
	static const char hex[] = "0123456789abcdef";
	u32 c;
	size_t i, taken = utf8_next(s, len, &c);
	bool plain = !utf8_is_control(c) && !(c == UTF8_BAD && taken == 1);

	*shown = 0;
	for (i = 0; i < taken; i++) {
		u8 b = (u8)s[i];

		if (plain) {
			out[(*shown)++] = s[i];
			continue;
		}
		out[(*shown)++] = '\\';
		out[(*shown)++] = 'x';
		out[(*shown)++] = hex[b >> 4];
		out[(*shown)++] = hex[b & 15];
	}
	return taken;
}

char *say_bytes(char *buf, size_t size, const char *s, size_t len)
{
	size_t at = 0, safe = 0; /* safe: where "..." still fits behind */

	while (len) {
		char one[16];
		size_t shown, taken = say_one(s, len, one, &shown);

		if (at + shown >= size) {
			at = safe;
			memcpy(buf + at, "...", min_u64(size - 1 - at, 3));
			at += min_u64(size - 1 - at, 3);
			break;
		}
		memcpy(buf + at, one, shown);
		at += shown;
		if (at + 3 < size)
			safe = at;
		s += taken;
		len -= taken;
	}
	buf[at] = '\0';
	return buf;
}

char *say(char *buf, size_t size, const char *s)
{
	return s ? say_bytes(buf, size, s, strlen(s)) : say_bytes(buf, size, "-", 1);
}
