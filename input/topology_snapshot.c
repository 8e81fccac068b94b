/* SPDX-License-Identifier: MIT */
/*
 * topology_snapshot.c - a host's topology as `fairground machine --snapshot` copied it.
 *
 *	fairground machine 1
 *	# any line that begins so is a note
 *	cpus 4
 *	cpu 0 core 0 llc 0 package 0 node 0
 *	...					one line for each CPU; also "cluster 0"
 *	distance 0 10				from node 0 to each; one line for each node
 *	reach 32				node_reclaim_distance, where it is not 30
 *	isolated 2-3
 *
 * Law: a line that is not understood is an error that names it, however the file was made; nothing is guessed but what
 * topology_draft.h says.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "input/topology.h"
#include "input/topology_draft.h"
#include "text/number.h"
#include "text/say.h"

#define FIRST_LINE "fairground machine 1"
#define LINE_MOST 8192 /* 1,024 distances */

struct snapshot {
	const char *file;
	struct topology_draft draft;
	s64 cpus; /* 0: not said yet */
	int line;
	char text[LINE_MOST]; /* of that line */
	char *p;
	int rows; /* of distances, so far */
	int row[DRAFT_IDS];
	struct err *err;
};

static int fail(struct snapshot *s, const char *expected)
{
	char shown[64];

	if (*s->p)
		err_at(s->err, s->file, s->line, (int)(s->p - s->text) + 1, NULL, "expected %s, found \"%s\"", expected,
		       say(shown, sizeof(shown), s->p));
	else
		err_at(s->err, s->file, s->line, (int)(s->p - s->text) + 1, NULL, "expected %s at the end of the line", expected);
	err_hint(s->err, "such files are written by fairground machine --snapshot");
	return -1;
}

static void skip_blanks(struct snapshot *s) { s->p += strspn(s->p, " \t"); }

static int number(struct snapshot *s, s64 lowest, s64 highest, const char *what, s64 *out)
{
	size_t len;

	skip_blanks(s);
	len = strspn(s->p, "0123456789");
	if (!len || num_whole(s->p, len, lowest, highest, out) != NUM_OK)
		return fail(s, what);
	s->p += len;
	return 0;
}

static bool word(struct snapshot *s, const char *name)
{
	size_t len = strlen(name);

	skip_blanks(s);
	if (strncmp(s->p, name, len) || (s->p[len] && s->p[len] != ' ' && s->p[len] != '\t'))
		return false;
	s->p += len;
	return true;
}

static int end_of_line(struct snapshot *s)
{
	skip_blanks(s);
	return *s->p ? fail(s, "nothing more") : 0;
}

/* ---- lines ---- */

static int line_cpus(struct snapshot *s)
{
	if (s->cpus)
		return fail(s, "one line \"cpus\" only");
	return number(s, 1, DRAFT_CPUS, "a number of CPUs, 1 to 1024", &s->cpus);
}

static int cpu_number(struct snapshot *s, s64 *cpu)
{
	if (!s->cpus)
		return fail(s, "a line \"cpus N\" before it");
	return number(s, 0, s->cpus - 1, "the number of a CPU below that behind \"cpus\"", cpu);
}

/* "core 3": one of the things a CPU is in. */
static int place(struct snapshot *s, int cpu)
{
	enum thing thing;
	char *at;
	s64 id;

	skip_blanks(s);
	at = s->p;
	for (thing = THING_CORE; thing < NR_THINGS; thing++)
		if (word(s, thing_name(thing)))
			break;
	if (thing == NR_THINGS)
		return fail(s, "core, cluster, llc, package or node");
	if (number(s, 0, DRAFT_IDS - 1, "its number, 0 to 1023", &id))
		return -1;
	if (draft_put(&s->draft, cpu, thing, (int)id))
		return 0;
	s->p = at;
	return fail(s, "each of a CPU's things once");
}

static int line_cpu(struct snapshot *s)
{
	s64 cpu;

	if (cpu_number(s, &cpu))
		return -1;
	for (skip_blanks(s); *s->p; skip_blanks(s))
		if (place(s, (int)cpu))
			return -1;
	return 0;
}

/* Rows come in order; the first says how many nodes there are. */
static int line_distance(struct snapshot *s)
{
	struct topology_draft *d = &s->draft;
	s64 node, distance;
	int nr = 0;

	if (number(s, s->rows, s->rows, "the rows of distances in order", &node))
		return -1;
	for (skip_blanks(s); *s->p; skip_blanks(s)) {
		if (nr == (s->rows ? d->nr_distances : DRAFT_IDS))
			return fail(s, "as many distances as in the first row");
		if (number(s, LOCAL_DISTANCE, MOST_DISTANCE, "a distance from 10 to 254", &distance))
			return -1;
		s->row[nr++] = (int)distance;
	}
	if (!nr || (s->rows && nr != d->nr_distances))
		return fail(s, s->rows ? "as many distances as in the first row" : "a distance from 10 to 254");
	if (!s->rows) {
		d->nr_distances = nr;
		d->distance = arena_alloc(d->mem, (size_t)nr * (size_t)nr * sizeof(*d->distance));
		if (!d->distance)
			return err_set(s->err, ERR_HOST, "out of memory while reading %s", s->file);
	}
	if (s->rows == d->nr_distances)
		return fail(s, "no more rows than nodes");
	memcpy(d->distance + (size_t)s->rows++ * (size_t)nr, s->row, (size_t)nr * sizeof(*s->row));
	return 0;
}

static int line_reach(struct snapshot *s)
{
	s64 reach;

	if (number(s, LOCAL_DISTANCE, MOST_DISTANCE, "a distance from 10 to 254", &reach))
		return -1;
	s->draft.remote_distance = (int)reach;
	return 0;
}

/* "0-3,8" */
static int line_isolated(struct snapshot *s)
{
	u64 *set = s->draft.isolated;
	s64 from, to;

	if (!set)
		set = s->draft.isolated = arena_alloc(s->draft.mem, BITS_WORDS(DRAFT_CPUS) * sizeof(*set));
	if (!set)
		return err_set(s->err, ERR_HOST, "out of memory while reading %s", s->file);
	do {
		if (cpu_number(s, &from))
			return -1;
		to = from;
		if (*s->p == '-') {
			s->p++;
			if (cpu_number(s, &to))
				return -1;
			if (to < from)
				return fail(s, "the lower CPU first");
		}
		for (; from <= to; from++)
			bit_set(set, (int)from);
	} while (*s->p == ',' && s->p++);
	return 0;
}

static int read_line(struct snapshot *s)
{
	static const struct {
		const char *word;
		int (*read)(struct snapshot *s);
	} rows[] = {
		{ "cpus", line_cpus }, { "cpu", line_cpu }, { "distance", line_distance }, { "reach", line_reach },
		{ "isolated", line_isolated },
	};
	u32 i;

	skip_blanks(s);
	if (!*s->p || *s->p == '#')
		return 0;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (word(s, rows[i].word))
			return rows[i].read(s) || end_of_line(s) ? -1 : 0;
	return fail(s, "cpus, cpu, distance, reach or isolated");
}

/* ---- the whole ---- */

static int finish(struct snapshot *s, struct topology **out)
{
	char fault[160];

	s->p = s->text;
	s->text[0] = '\0';
	if (!s->cpus)
		return fail(s, "a line \"cpus N\"");
	if (s->rows < s->draft.nr_distances)
		return fail(s, "a row of distances for each node");
	*out = draft_finish(&s->draft, (int)s->cpus, fault, sizeof(fault));
	return *out ? 0 : err_at(s->err, s->file, 0, 0, NULL, "%s", fault);
}

bool is_topology_snapshot(const char *bytes, size_t len)
{
	return len >= strlen(FIRST_LINE) && !strncmp(bytes, FIRST_LINE, strlen(FIRST_LINE));
}

static int read_lines(struct snapshot *s, const char *bytes, size_t len)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t n = end ? (size_t)(end - bytes) : len;

		s->line++;
		s->p = s->text;
		snprintf(s->text, sizeof(s->text), "%.*s", (int)(n < LINE_MOST ? n : LINE_MOST), bytes);
		if (n >= LINE_MOST || strlen(s->text) != n) {
			s->text[0] = '\0';
			return fail(s, "a line of text, shorter than 8 KB");
		}
		if (s->line > 1 ? read_line(s) : strcmp(s->text, FIRST_LINE) ? fail(s, "\"" FIRST_LINE "\"") : 0)
			return -1;
		bytes += n + (end != NULL);
		len -= n + (end != NULL);
	}
	return 0;
}

int topology_from_snapshot(struct arena *mem, const char *file, const char *bytes, size_t len, struct topology **out, struct err *err)
{
	struct snapshot *s = arena_alloc(mem, sizeof(*s));

	if (!s || !draft_init(&s->draft, mem))
		return err_set(err, ERR_HOST, "out of memory while reading %s", file);
	s->file = file;
	s->err = err;
	return read_lines(s, bytes, len) || finish(s, out) ? -1 : 0;
}
