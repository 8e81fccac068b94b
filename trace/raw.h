/* SPDX-License-Identifier: MIT */
/*
 * raw.h - a piece of a binary recording, read from left to right and never past its end.
 *
 *	p ----------> end	each read moves p on; what is not there reads as 0 and sets @bad, once and for good
 *
 * A recording may come from a machine of the other byte order: then @swap is set, and only here does that matter.
 */
#ifndef TRACE_RAW_H
#define TRACE_RAW_H

#include <string.h>

#include "trace/line.h"

/* Bytes of a recording that are still to be read.  Whoever asks for more than there is gets 0 and @bad, and nothing from then on. */
struct raw {
	const u8 *p, *end;
	bool swap; /* the recording's byte order is not this machine's */
	bool bad;  /* something was asked for that is not there */
};

/* How many there are. */
static inline u64 raw_left(const struct raw *r) { return (u64)(r->end - r->p); }

/* @size (1, 2, 4 or 8) bytes at @p as a number. */
static inline u64 raw_at(const u8 *p, u32 size, bool swap)
{
	u16 two;
	u32 four;
	u64 eight;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&two, p, 2);
		return swap ? __builtin_bswap16(two) : two;
	case 4:
		memcpy(&four, p, 4);
		return swap ? __builtin_bswap32(four) : four;
	case 8:
		memcpy(&eight, p, 8);
		return swap ? __builtin_bswap64(eight) : eight;
	default:
		return 0;
	}
}

/* The next @n bytes, or NULL with @bad set. */
static inline const u8 *raw_take(struct raw *r, u64 n)
{
	const u8 *at = r->p;

	if (r->bad || raw_left(r) < n) {
		r->bad = true;
		r->p = r->end;
		return NULL;
	}
	r->p += n;
	return at;
}

/* The next @size (1, 2, 4 or 8) bytes as a number; 0 with @bad set where they are not there. */
static inline u64 raw_number(struct raw *r, u32 size)
{
	const u8 *at = raw_take(r, size);

	return at ? raw_at(at, size, r->swap) : 0;
}

/* The next @n bytes as a piece of their own; empty where they are not there. */
static inline struct raw raw_part(struct raw *r, u64 n)
{
	const u8 *at = raw_take(r, n);

	return (struct raw){ .p = at ? at : r->end, .end = at ? at + n : r->end, .swap = r->swap };
}

/* The text up to the next NUL, which is passed over. */
static inline struct text_span raw_string(struct raw *r)
{
	const u8 *at = r->p, *nul = r->bad || at == r->end ? NULL : memchr(at, 0, raw_left(r));

	if (!nul) {
		r->bad = true;
		r->p = r->end;
		return (struct text_span){ "", 0 };
	}
	r->p = nul + 1;
	return (struct text_span){ (const char *)at, (size_t)(nul - at) };
}

/* Is @word, with its NUL, what comes next?  Then it is passed over. */
static inline bool raw_word(struct raw *r, const char *word)
{
	size_t len = strlen(word) + 1;

	if (r->bad || raw_left(r) < len || memcmp(r->p, word, len) != 0)
		return false;
	r->p += len;
	return true;
}

#endif
