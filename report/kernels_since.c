/* SPDX-License-Identifier: MIT */
/*
 * kernels_since.c - from when to when a rule had which value, out of the words of rules.def.
 *
 *	VALUE [A-B | A | in A | to B | from A] [and in N.M.y | on 64 bits] {, the same}
 *
 * The words are for people; that they can be read by a program keeps them honest (tests/test_kernels.c holds the rows against them).
 */
#include "report/kernels_since.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

/* The next word of @s into @word (cut to @size); what stands behind it, or NULL at the end. */
static const char *next_word(const char *s, char *word, size_t size)
{
	size_t len;

	while (*s == ' ')
		s++;
	len = strcspn(s, " ,");
	if (!len)
		return NULL;
	snprintf(word, size, "%.*s", (int)len, s);
	return s + len;
}

static bool is_value(const struct rule_info *info, const char *word)
{
	const char *v = info->values;
	size_t len = strlen(word);

	while (*v) {
		size_t n = strcspn(v, "|");

		if (n == len && !strncmp(v, word, n))
			return true;
		v += n + (v[n] == '|');
	}
	return false;
}

static bool is_release(const char *word) { return word[0] >= '0' && word[0] <= '9'; }

/* "3.16-4.17", or "4.15" for a single one. */
static void set_range(struct rule_span *span, const char *word)
{
	const char *dash = strchr(word, '-');

	snprintf(span->since, sizeof(span->since), "%.*s", (int)(dash ? (size_t)(dash - word) : strlen(word)), word);
	snprintf(span->until, sizeof(span->until), "%s", dash ? dash + 1 : word);
}

/* What stands behind the value: the range, then what else is said. */
static void read_range(struct rule_span *span, const char *s)
{
	char word[24], release[24];
	const char *rest = next_word(s, word, sizeof(word)), *after;

	if (!rest)
		return;
	after = next_word(rest, release, sizeof(release));
	if (is_release(word)) {
		set_range(span, word);
		after = rest;
	} else if (after && !strcmp(word, "from")) {
		snprintf(span->since, sizeof(span->since), "%.11s", release);
	} else if (after && !strcmp(word, "to")) {
		snprintf(span->until, sizeof(span->until), "%.11s", release);
	} else if (after && !strcmp(word, "in")) {
		set_range(span, release);
	}
	if (after) {
		while (*after == ' ')
			after++;
		snprintf(span->also, sizeof(span->also), "%.*s", (int)strcspn(after, ","), after);
	}
}

u32 rule_spans(const struct rule_info *info, struct rule_span *spans)
{
	const char *s = info->since;
	char word[24];
	u32 nr = 0;

	while (*s && nr < RULE_SPANS_MAX) {
		const char *rest = next_word(s, word, sizeof(word));

		if (rest && is_value(info, word)) {
			memset(&spans[nr], 0, sizeof(spans[nr]));
			snprintf(spans[nr].value, sizeof(spans[nr].value), "%s", word);
			read_range(&spans[nr++], rest);
		} else if (rest && nr) { /* "on from 6.3, in 5.10.y and 6.1.y" */
			struct rule_span *last = &spans[nr - 1];

			snprintf(last->also, sizeof(last->also), "%.*s", (int)strcspn(s, ","), s);
		}
		s += strcspn(s, ",");
		s += strspn(s, ", ");
	}
	return nr;
}

/* ---- releases ---- */

/* 5.10 -> 5010, so that 5.4 stands before it. */
static long order_of(const char *release)
{
	char *end;
	long major = strtol(release, &end, 10), minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

	return 1000 * major + minor;
}

bool rule_span_holds(const struct rule_span *span, const char *kernel)
{
	long n = order_of(kernel);

	return (!*span->since || n >= order_of(span->since)) && (!*span->until || n <= order_of(span->until));
}

bool rule_span_also(const struct rule_span *span, const char *kernel)
{
	size_t len = strlen(kernel);
	const char *p = span->also;

	while ((p = strstr(p, kernel))) {
		bool whole = (p == span->also || p[-1] == ' ') && !strncmp(p + len, ".y", 2);

		if (whole)
			return true;
		p += len;
	}
	return false;
}

char *rule_until(const struct rule_info *info, char *buf)
{
	struct rule_span spans[RULE_SPANS_MAX];
	u32 i, nr = rule_spans(info, spans);
	int last = 0;

	buf[0] = '\0';
	while (model_row_name(last + 1))
		last++;
	for (i = 0; i < nr; i++) {
		if (!strcmp(spans[i].value, "off") || !strcmp(spans[i].value, "none"))
			continue;
		if (!*spans[i].until || order_of(spans[i].until) >= order_of(model_row_name(last))) { /* the newest kernel has it */
			buf[0] = '\0';
			return buf;
		}
		snprintf(buf, 12, "%s", spans[i].until);
	}
	return buf;
}
