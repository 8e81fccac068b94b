/* SPDX-License-Identifier: MIT */
/*
 * utf8.c - text from files, one character at a time.
 *
 * The decoder takes the shortest form only, no surrogates and nothing above U+10FFFF.  Widths are those of the common
 * terminals for the blocks where a column is not one character; all else is 1.
 */
#include "text/utf8.h"

#include <string.h>

/* How many bytes follow the lead byte @b, and the smallest character that needs so many; -1: no lead byte. */
static int followers(u8 b, u32 *bits, u32 *lowest)
{
	static const struct { u8 mask, lead; int more; u32 lowest; } rows[] = {
		{ 0x80, 0x00, 0, 0 }, { 0xe0, 0xc0, 1, 0x80 }, { 0xf0, 0xe0, 2, 0x800 }, { 0xf8, 0xf0, 3, 0x10000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if ((b & rows[i].mask) != rows[i].lead)
			continue;
		*bits = b & (u8)~rows[i].mask;
		*lowest = rows[i].lowest;
		return rows[i].more;
	}
	return -1;
}

size_t utf8_next(const char *s, size_t len, u32 *c)
{
	u32 v, lowest;
	int i, more = followers((u8)s[0], &v, &lowest);

	*c = UTF8_BAD;
	if (more < 0 || (size_t)more >= len)
		return 1;
	for (i = 1; i <= more; i++) {
		if (((u8)s[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | ((u8)s[i] & 0x3f);
	}
	if (v < lowest || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 1;
	*c = v;
	return (size_t)more + 1;
}

struct block {
	u32 first, last;
};

static bool in_blocks(u32 c, const struct block *blocks, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (c >= blocks[i].first && c <= blocks[i].last)
			return true;
	return false;
}

bool utf8_is_control(u32 c)
{
	static const struct block obeyed[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfff9, 0xfffb },
	};

	return in_blocks(c, obeyed, ARRAY_SIZE(obeyed));
}

int utf8_width(u32 c)
{
	static const struct block combining[] = {
		{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x1ab0, 0x1aff },
		{ 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
	};
	static const struct block wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
	};

	if (c < 0x300)
		return 1;
	if (in_blocks(c, combining, ARRAY_SIZE(combining)))
		return 0;
	return in_blocks(c, wide, ARRAY_SIZE(wide)) ? 2 : 1;
}

size_t utf8_columns(const char *s)
{
	size_t left = strlen(s), columns = 0;

	while (left) {
		u32 c;
		size_t n = utf8_next(s, left, &c);

		columns += (size_t)utf8_width(c);
		s += n;
		left -= n;
	}
	return columns;
}
