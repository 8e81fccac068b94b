/* SPDX-License-Identifier: MIT */
/*
 * table.c - aligned columns for people.
 *
 * Cells are kept until the end, because a column is as wide as its widest cell.  The last column is not padded, so no
 * line ends in blanks.
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

static void blanks(FILE *out, size_t n)
{
	while (n--)
		fputc(' ', out);
}

static void put_cell(const struct table_cell *c, FILE *out)
{
	const char *on = text_tone(out, c->tone);

	fputs(on, out);
	fputs(c->text, out);
	if (*on)
		fputs(text_tone(out, TONE_PLAIN), out);
}

/* One row; blanks are owed until a cell with text follows, so that none stand at the end. */
static void put_row(const struct table *t, const struct table_cell *row, const size_t *width, FILE *out)
{
	size_t owed = (size_t)t->indent;
	int i;

	for (i = 0; i < t->nr_columns; i++) {
		size_t pad = width[i] - row[i].columns;

		if (row[i].columns) {
			blanks(out, owed + (t->align[i] == 'r' ? pad : 0));
			put_cell(&row[i], out);
			owed = t->align[i] == 'r' ? 0 : pad;
		} else {
			owed += width[i];
		}
		owed += (size_t)t->gap;
	}
	fputc('\n', out);
}

void table_print(const struct table *t, FILE *out)
{
	size_t width[TABLE_COLUMNS_MAX], row;

	measure(t, width);
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

void text_put(FILE *out, const char *s)
{
	char *safe = safe_copy(s);

	fputs(safe, out);
	free(safe);
}
