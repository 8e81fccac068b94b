/* SPDX-License-Identifier: MIT */
/*
 * causes.c - reads the causes that are known, and finds the one of a cell or of a first divergence.
 *
 *	"7.2 | *tr-fib4* | switches | why" --> row, case, cell: globs --> the first that fits
 */
#include "oracle/causes.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cause {
	const char *row, *name, *cell, *text;
	struct cause *next;
};

struct cause_list {
	struct cause *first;
};

/* The next field of @s up to a bar, without blanks around it; @s moves behind the bar, to NULL at the end. */
static const char *take_field(char **s, struct arena *mem)
{
	char *from = *s, *bar = from ? strchr(from, '|') : NULL;
	size_t len;

	if (!from)
		return NULL;
	*s = bar ? bar + 1 : NULL;
	from += strspn(from, " \t");
	len = bar ? (size_t)(bar - from) : strcspn(from, "\r\n");
	while (len && (from[len - 1] == ' ' || from[len - 1] == '\t'))
		len--;
	return arena_strndup(mem, from, len);
}

static int read_cause(struct cause **tail, char *line, const char *path, int nr, struct arena *mem, struct err *err)
{
	struct cause *c = arena_alloc(mem, sizeof(*c));

	if (!c)
		return err_set(err, ERR_HOST, "out of memory");
	c->row = take_field(&line, mem);
	c->name = take_field(&line, mem);
	c->cell = take_field(&line, mem);
	c->text = take_field(&line, mem);
	if (!c->text || !*c->text)
		return err_at(err, path, nr, 0, NULL, "expected \"row | case | cell | cause\"");
	*tail = c;
	return 0;
}

struct cause_list *causes_read(const char *path, struct arena *mem, struct err *err)
{
	struct cause_list *list = arena_alloc(mem, sizeof(*list));
	FILE *f = list ? fopen(path, "r") : NULL;
	struct cause **tail = list ? &list->first : NULL;
	char *line = NULL;
	size_t cap = 0;
	int nr = 0, ret = 0;

	if (!list)
		err_set(err, ERR_HOST, "out of memory");
	if (!f)
		return list; /* nobody has looked yet */
	while (!ret && getline(&line, &cap, f) > 0) {
		nr++;
		if (*line == '#' || !line[strspn(line, " \t\r\n")])
			continue;
		ret = read_cause(tail, line, path, nr, mem, err);
		if (!ret)
			tail = &(*tail)->next;
	}
	free(line);
	fclose(f);
	return ret ? NULL : list;
}

static const char *find_cause(const struct cause_list *causes, const char *row, const char *case_id, const char *cell)
{
	for (const struct cause *c = causes ? causes->first : NULL; c; c = c->next)
		if (!fnmatch(c->row, row, 0) && !fnmatch(c->name, case_id, 0) && !fnmatch(c->cell, cell, 0))
			return c->text;
	return NULL;
}

const char *cause_of(const struct cause_list *causes, const struct oracle_cell *cell)
{
	char what[256];

	snprintf(what, sizeof(what), "%s %s", cell->figure, cell->subject);
	return find_cause(causes, cell->row, cell->case_id, what);
}

const char *cause_of_divergence(const struct cause_list *causes, const char *row, const struct oracle_alignment *a)
{
	if (a->diverge == DIVERGE_NONE)
		return NULL;
	return find_cause(causes, row, a->case_id, a->diverge == DIVERGE_WHO ? "switches" : "times");
}
