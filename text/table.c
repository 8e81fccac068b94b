/* SPDX-License-Identifier: MIT */
/*
 * table.c - aligned columns for people.
 *
 * Cells are kept until the end, because a column is as wide as its widest cell.  The last column is not padded, so no
 * line ends in blanks.  Columns that flow share what the others leave of a screen, the narrowest first.
 */
#define _GNU_SOURCE
#include "text/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/say.h"
#include "text/utf8.h"

struct table_cell {
	char *text;
	size_t columns;
	enum tone tone;
};

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

void table_init(struct table *t, const char *align)
{
	memset(t, 0, sizeof(*t));
	t->gap = 2;
	while (align[t->nr_columns] && t->nr_columns < TABLE_COLUMNS_MAX) {
		t->align[t->nr_columns] = align[t->nr_columns];
		t->nr_columns++;
	}
}

void table_fini(struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->cells[i].text);
	free(t->cells);
	memset(t, 0, sizeof(*t));
}

/* What say() makes of @s, in memory of its own: at worst four characters for a byte. */
static char *safe_copy(const char *s)
{
	size_t size = 4 * strlen(s) + 1;

	return say(must(malloc(size)), size, s);
}

static void add_cell(struct table *t, char *text)
{
	if (t->nr == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->cells = must(realloc(t->cells, t->cap * sizeof(*t->cells)));
	}
	t->cells[t->nr++] = (struct table_cell){ .text = text, .columns = utf8_columns(text), .tone = t->tone };
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	add_cell(t, safe_copy(text));
	free(text);
}

void table_end_row(struct table *t)
{
	while (t->nr % (size_t)t->nr_columns)
		table_cell(t, "%s", "");
}

void table_tone(struct table *t, enum tone tone) { t->tone = tone; }

void table_heads(struct table *t, const char *heads)
{
	table_tone(t, TONE_HEAD);
	for (;;) {
		size_t len = strcspn(heads, "|");

		table_cell(t, "%.*s", (int)len, heads);
		if (!heads[len])
			break;
		heads += len + 1;
	}
	table_end_row(t);
	table_tone(t, TONE_PLAIN);
}

void table_flow(struct table *t, int column) { t->flows[column] = true; }

static void measure(const struct table *t, size_t *width)
{
	size_t i;

	for (i = 0; i < (size_t)t->nr_columns; i++)
		width[i] = 0;
	for (i = 0; i < t->nr; i++) {
		size_t *w = &width[i % (size_t)t->nr_columns];

		if (t->cells[i].columns > *w)
			*w = t->cells[i].columns;
	}
}

#define LEAST_FLOW ((size_t)24) /* a column of single words is worse than a wide row */

/* The flowing column that is narrowest among those not yet @given their share; -1: none is left. */
static int narrowest(const struct table *t, const size_t *width, const bool *given)
{
	int i, best = -1;

	for (i = 0; i < t->nr_columns; i++)
		if (t->flows[i] && !given[i] && (best < 0 || width[i] < width[best]))
			best = i;
	return best;
}

/* Narrow the columns that flow to what a screen has left for them. */
static void fit(const struct table *t, size_t *width)
{
	bool given[TABLE_COLUMNS_MAX] = { false };
	size_t taken = (size_t)t->indent + (size_t)t->gap * (size_t)(t->nr_columns - 1), left, nr = 0;
	int i;

	for (i = 0; i < t->nr_columns; i++) {
		nr += t->flows[i];
		taken += t->flows[i] ? 0 : width[i];
	}
	left = taken < TABLE_WIDTH ? TABLE_WIDTH - taken : 0;
	for (; (i = narrowest(t, width, given)) >= 0; nr--) {
		size_t share = max_u64(left / nr, LEAST_FLOW);

		given[i] = true;
		width[i] = min_u64(width[i], share);
		left -= min_u64(left, width[i]);
	}
}

static size_t columns_of(const char *text, size_t len)
{
	size_t columns = 0, at = 0;
	u32 c;

	while (at < len) {
		at += utf8_next(text + at, len - at, &c);
		columns += (size_t)utf8_width(c);
	}
	return columns;
}

/* How many bytes of @text, broken at a blank, fit @columns; at least a word. */
static size_t line_of(const char *text, size_t columns)
{
	size_t fits = 0, seen = 0;

	while (text[fits]) {
		size_t len = strspn(text + fits, " ");

		len += strcspn(text + fits + len, " ");
		seen += columns_of(text + fits, len);
		if (fits && seen > columns)
			break;
		fits += len;
	}
	return fits;
}

static void blanks(FILE *out, size_t n)
{
	while (n--)
		fputc(' ', out);
}

static void put_cell(enum tone tone, const char *text, size_t len, FILE *out)
{
	const char *on = text_tone(out, tone);

	fputs(on, out);
	fwrite(text, 1, len, out);
	if (*on)
		fputs(text_tone(out, TONE_PLAIN), out);
}

/* One line of a row, from @rest on, which moves on; blanks are owed until a cell with text follows, so that none stand at the end. */
static bool put_line(const struct table *t, const struct table_cell *row, const char **rest, const size_t *width, FILE *out)
{
	size_t owed = (size_t)t->indent;
	bool more = false;
	int i;

	for (i = 0; i < t->nr_columns; i++) {
		size_t len = row[i].columns > width[i] ? line_of(rest[i], width[i]) : strlen(rest[i]);
		size_t pad = width[i] - min_u64(columns_of(rest[i], len), width[i]);

		if (len) {
			blanks(out, owed + (t->align[i] == 'r' ? pad : 0));
			put_cell(row[i].tone, rest[i], len, out);
			owed = t->align[i] == 'r' ? 0 : pad;
		} else {
			owed += width[i];
		}
		owed += (size_t)t->gap;
		rest[i] += len;
		rest[i] += strspn(rest[i], " ");
		more |= *rest[i] != 0;
	}
	fputc('\n', out);
	return more;
}

static void put_row(const struct table *t, const struct table_cell *row, const size_t *width, FILE *out)
{
	const char *rest[TABLE_COLUMNS_MAX];
	int i;

	for (i = 0; i < t->nr_columns; i++)
		rest[i] = row[i].text;
	while (put_line(t, row, rest, width, out))
		;
}

void table_print(const struct table *t, FILE *out)
{
	size_t width[TABLE_COLUMNS_MAX], row;

	measure(t, width);
	fit(t, width);
	for (row = 0; row + (size_t)t->nr_columns <= t->nr; row += (size_t)t->nr_columns)
		put_row(t, t->cells + row, width, out);
}

bool text_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb");
}

const char *text_tone(FILE *out, enum tone tone)
{
	static const char *const sequences[] = {
		[TONE_PLAIN] = "\033[0m", [TONE_HEAD] = "\033[1m", [TONE_DIM] = "\033[2m",
		[TONE_GOOD] = "\033[32m", [TONE_BAD] = "\033[31m",
	};

	return text_colour(out) ? sequences[tone] : "";
}

void text_flow(FILE *out, const char *s, size_t at, size_t indent)
{
	char *safe = safe_copy(s);
	const char *p = safe + strspn(safe, " ");
	size_t len;

	for (len = line_of(p, TABLE_WIDTH - at); *p; len = line_of(p, TABLE_WIDTH - indent)) {
		fwrite(p, 1, len, out);
		p += len;
		p += strspn(p, " ");
		if (*p) {
			fputc('\n', out);
			blanks(out, indent);
		}
	}
	fputc('\n', out);
	free(safe);
}

void text_put(FILE *out, const char *s)
{
	char *safe = safe_copy(s);

	fputs(safe, out);
	free(safe);
}
