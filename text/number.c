/* SPDX-License-Identifier: MIT */
/*
 * number.c - decimal text to integers, exactly.
 *
 *	"-12.50e3"  ->  sign, digits 125, exponent 2  ->  digits * scale * 10^exponent
 *
 * Digits beyond the 25th cannot change a result that fits in 64 bits by more than its rounding; they only move the
 * exponent.
 */
#include "text/number.h"

#define MOST_DIGITS 25	     /* 10^25 * 10^12 < 2^123 */
#define MOST_EXPONENT 100000 /* beyond it a number is 0 or out of range, whatever its digits */

struct decimal {
	bool negative;
	unsigned __int128 digits;
	s64 exponent;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t digits_at(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && is_digit(text[n]))
		n++;
	return n;
}

size_t num_span(const char *text, size_t len)
{
	size_t i = len && text[0] == '-', whole = digits_at(text + i, len - i), n;

	if (!whole)
		return 0;
	i += whole;
	if (i < len && text[i] == '.')
		i += 1 + digits_at(text + i + 1, len - i - 1);
	if (i < len && (text[i] == 'e' || text[i] == 'E')) {
		n = i + 1;
		if (n < len && (text[n] == '+' || text[n] == '-'))
			n++;
		if (digits_at(text + n, len - n))
			i = n + digits_at(text + n, len - n);
	}
	return i;
}

static s64 exponent_at(const char *text, size_t len)
{
	bool negative = len && text[0] == '-';
	size_t i = len && (text[0] == '-' || text[0] == '+');
	s64 e = 0;

	for (; i < len; i++)
		if (e < MOST_EXPONENT)
			e = e * 10 + (text[i] - '0');
	return negative ? -e : e;
}

static void add_digit(struct decimal *d, int *nr, char c, bool behind_point)
{
	if (*nr < MOST_DIGITS) {
		d->digits = d->digits * 10 + (unsigned)(c - '0');
		if (d->digits)
			(*nr)++;
		d->exponent -= behind_point;
	} else if (!behind_point) {
		d->exponent++;
	}
}

static bool decimal_parse(const char *text, size_t len, struct decimal *d)
{
	bool behind_point = false;
	int nr = 0;
	size_t i;

	*d = (struct decimal){ .negative = len && text[0] == '-' };
	if (!len || num_span(text, len) != len)
		return false;
	for (i = d->negative; i < len; i++) {
		if (text[i] == '.')
			behind_point = true;
		else if (is_digit(text[i]))
			add_digit(d, &nr, text[i], behind_point);
		else
			break;
	}
	if (i < len)
		d->exponent += exponent_at(text + i + 1, len - i - 1);
	return true;
}

/* @v * 10^@exponent, rounded half up; false where it is above @most.  @whole says whether nothing was rounded off. */
static bool shift_decimal(unsigned __int128 v, s64 exponent, u64 most, u64 *out, bool *whole)
{
	unsigned __int128 unit = 1, rest = 0;

	*whole = true;
	if (exponent < -38) {
		*whole = !v;
		*out = 0;
		return true;
	}
	for (; v && exponent > 0; exponent--) {
		v *= 10;
		if (v > most)
			return false;
	}
	for (; exponent < 0; exponent++)
		unit *= 10;
	rest = v % unit;
	v /= unit;
	*whole = !rest;
	v += rest && rest >= unit - rest;
	if (v > most)
		return false;
	*out = (u64)v;
	return true;
}

enum num num_scaled(const char *text, size_t len, u64 scale, u64 most, u64 *out)
{
	struct decimal d;
	bool whole;

	if (!decimal_parse(text, len, &d))
		return NUM_SYNTAX;
	if (d.negative && d.digits)
		return NUM_NEGATIVE;
	return shift_decimal(d.digits * scale, d.exponent, most, out, &whole) ? NUM_OK : NUM_RANGE;
}

enum num num_scaled_signed(const char *text, size_t len, u64 scale, u64 most, s64 *out)
{
	bool negative = len && text[0] == '-';
	u64 magnitude;
	enum num ret = num_scaled(text + negative, len - negative, scale, min_u64(most, INT64_MAX), &magnitude);

	if (ret == NUM_OK)
		*out = negative ? -(s64)magnitude : (s64)magnitude;
	return ret;
}

enum num num_whole_u64(const char *text, size_t len, u64 highest, u64 *out)
{
	struct decimal d;
	bool whole;
	u64 v;

	if (!decimal_parse(text, len, &d))
		return NUM_SYNTAX;
	if (d.negative && d.digits)
		return NUM_NEGATIVE;
	if (!shift_decimal(d.digits, d.exponent, highest, &v, &whole))
		return NUM_RANGE;
	if (!whole)
		return NUM_FRACTION;
	*out = v;
	return NUM_OK;
}

enum num num_whole(const char *text, size_t len, s64 lowest, s64 highest, s64 *out)
{
	bool negative = len && text[0] == '-';
	u64 magnitude;
	enum num ret = num_whole_u64(text + negative, len - negative, INT64_MAX, &magnitude);
	s64 v;

	if (ret != NUM_OK)
		return ret == NUM_NEGATIVE ? NUM_SYNTAX : ret; /* "--5" */
	v = negative ? -(s64)magnitude : (s64)magnitude;
	if (v < lowest || v > highest)
		return NUM_RANGE;
	*out = v;
	return NUM_OK;
}
