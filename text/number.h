/* SPDX-License-Identifier: MIT */
/*
 * number.h - decimal text to integers, exactly: no floating point anywhere.
 *
 *	"0.3" with scale 1000	->	300		(0.3 us in ns)
 *	"1e-3", "1.", "007"	->	fine too
 */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

#include "base/types.h"

enum num {
	NUM_OK,
	NUM_SYNTAX,   /* not a number: "abc", "NaN", "" */
	NUM_NEGATIVE, /* below 0 where that cannot be */
	NUM_RANGE,    /* outside what was asked for */
	NUM_FRACTION  /* has a fraction where whole numbers count */
};

/*
 * The decimal number in @len bytes at @text, times @scale (at most 1e12), rounded half up to a whole number, into @out.
 * NUM_RANGE where the result is above @most.  @out is untouched on error.
 */
enum num num_scaled(const char *text, size_t len, u64 scale, u64 most, u64 *out);

/* The same with a sign: the magnitude may be up to @most. */
enum num num_scaled_signed(const char *text, size_t len, u64 scale, u64 most, s64 *out);

/* A whole number between @lowest and @highest ("5", "-1", "5.0", "5e3"). */
enum num num_whole(const char *text, size_t len, s64 lowest, s64 highest, s64 *out);
enum num num_whole_u64(const char *text, size_t len, u64 highest, u64 *out);

/* How many leading bytes of @text look like a decimal number: [-] digits [. digits] [e [+-] digits]; 0: none. */
size_t num_span(const char *text, size_t len);

#endif
