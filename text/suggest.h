/* SPDX-License-Identifier: MIT */
/*
 * suggest.h - "did you mean": the nearest of some words to one that is unknown.
 *
 *	suggest_init(&s, "kernl");  suggest_offer(&s, "kernel");  suggest_offer(&s, "hz");  suggest_best(&s) -> "kernel"
 */
#ifndef TEXT_SUGGEST_H
#define TEXT_SUGGEST_H

#include "base/types.h"

struct suggest {
	const char *word, *best;
	u32 distance;
};

/* @word is the unknown one; it must live as long as @s. */
void suggest_init(struct suggest *s, const char *word);
/* @candidate must live as long as @s. */
void suggest_offer(struct suggest *s, const char *candidate);
/* The nearest candidate, the first of equals; NULL where none is near enough to be meant. */
const char *suggest_best(const struct suggest *s);

/* Letters to add, drop, change or swap with their neighbour to get from @a to @b; words longer than 63 are cut. */
u32 edit_distance(const char *a, const char *b);

#endif
