/* SPDX-License-Identifier: MIT */
/*
 * table.h - aligned columns for people.
 *
 *	table_init(&t, "lrr")			one letter a column: left or right
 *	table_cell(&t, "/web")  table_cell(&t, "%u", n)  ...	cell after cell; a row ends when its columns are full
 *	table_print(&t, out)  table_fini(&t)
 *
 *	rule       5.15     6.6     what it decides
 *	pick       vruntime eevdf   who runs next: the least virtual runtime, or the	a column that flows is broken
 *				    earliest virtual deadline among the eligible	at blanks, so that rows fit a screen
 *
 * Widths are columns of a terminal, not bytes.  What a cell holds is data and goes through say() of say.h.
 * Colours appear only on a terminal, and not where NO_COLOR is set.
 */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <stdio.h>

#include "base/types.h"

#define TABLE_COLUMNS_MAX 64
#define TABLE_WIDTH 100 /* columns of a screen: what flows is broken so that rows fit them */

enum tone { TONE_PLAIN, TONE_HEAD, TONE_DIM, TONE_GOOD, TONE_BAD };

struct table_cell;
struct table {
	int nr_columns;
	char align[TABLE_COLUMNS_MAX];
	struct table_cell *cells; /* row by row */
	size_t nr, cap;
	enum tone tone;		  /* of the cells that follow */
	int indent, gap;	  /* blanks before a row, between columns */
	bool flows[TABLE_COLUMNS_MAX]; /* broken at blanks where a row would be wider than TABLE_WIDTH */
};

/* @align: a letter 'l' or 'r' for each column, at most TABLE_COLUMNS_MAX. */
void table_init(struct table *t, const char *align);
void table_fini(struct table *t);

/* The next cell; aborts the process only when memory is out. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Empty cells up to the end of the row, if it has begun. */
void table_end_row(struct table *t);
/* How the following cells look, until the next call. */
void table_tone(struct table *t, enum tone tone);
/* Let the sentences in @column (from 0) flow: they take further lines where the row would be wider than TABLE_WIDTH.  A word is never broken. */
void table_flow(struct table *t, int column);
/* A row of heads from "a|b|c"; "" for an empty one. */
void table_heads(struct table *t, const char *heads);

/* All rows that have begun, aligned; with escape sequences only where text_colour() of @out.  The table stays as it is. */
void table_print(const struct table *t, FILE *out);

/* May colour and other escape sequences go to @out? */
bool text_colour(FILE *out);
/* The sequence that begins @tone on @out, or "" where there is no colour; TONE_PLAIN ends every other. */
const char *text_tone(FILE *out, enum tone tone);
/* @s as say() shows it. */
void text_put(FILE *out, const char *s);
/*
 * A paragraph: the same, from column @at on (that much is printed already), broken at blanks before TABLE_WIDTH, every further line
 * indented by @indent; and the end of the line.
 */
void text_flow(FILE *out, const char *s, size_t at, size_t indent);

#endif
