/* SPDX-License-Identifier: MIT */
/* suggest.c - the nearest of some words, by edit distance with neighbours swapped as one edit. */
#include "text/suggest.h"

#include <string.h>

#define WORD_MAX 63

u32 edit_distance(const char *a, const char *b)
{
	size_t i, k, na = min_u64(strlen(a), WORD_MAX), nb = min_u64(strlen(b), WORD_MAX);
	u32 row[3][WORD_MAX + 1]; /* of @a's last letter but one, last, and this one */

	for (k = 0; k <= nb; k++)
		row[1][k] = (u32)k;
	for (i = 1; i <= na; i++) {
		row[2][0] = (u32)i;
		for (k = 1; k <= nb; k++) {
			u32 change = row[1][k - 1] + (a[i - 1] != b[k - 1]);
			u32 best = (u32)min_u64(change, min_u64(row[1][k], row[2][k - 1]) + 1);

			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				best = (u32)min_u64(best, row[0][k - 2] + 1);
			row[2][k] = best;
		}
		memcpy(row[0], row[1], sizeof(row[0]));
		memcpy(row[1], row[2], sizeof(row[1]));
	}
	return row[1][nb];
}

void suggest_init(struct suggest *s, const char *word)
{
	s->word = word;
	s->best = NULL;
	s->distance = UINT32_MAX;
}

/* A word that begins with what was typed is as near as one wrong letter. */
void suggest_offer(struct suggest *s, const char *candidate)
{
	size_t len = strlen(s->word);
	u32 d = len >= 2 && !strncmp(candidate, s->word, len) ? 1 : edit_distance(s->word, candidate);

	if (d < s->distance) {
		s->distance = d;
		s->best = candidate;
	}
}

const char *suggest_best(const struct suggest *s)
{
	return s->best && s->distance <= 1 + strlen(s->word) / 4 ? s->best : NULL;
}
