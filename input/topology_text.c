/* SPDX-License-Identifier: MIT */
/*
 * topology_text.c - a machine in a few words.
 *
 *	2 nodes x 24 cores x 2 threads, distance 21		2n x 24c x 2t, distance 21
 *
 *	parts	from the largest down, each counted in one of the part before it; what is left out is one:
 *		s sockets, n nodes, l LLCs (last level caches), k clusters, c cores, t threads
 *	, distance D	between nodes of different sockets (20); nodes without sockets have a socket each
 *	, near D	between nodes of one socket (12)
 *	, reach D	how far tasks are started and pulled (30); node_reclaim_distance
 *	, together	threads of a core are numbered one after the other; else core i has CPUs i and i + the number of cores
 *
 * A number alone, or "flat N", is N CPUs that share one cache.
 */
#include "input/topology.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/bytes.h"
#include "text/number.h"
#include "text/suggest.h"
#include "work/scenario.h"
#include "work/topology.h"

static const struct known {
	const char *name, *description, *what;
} known[] = {
	{ "c5.9xlarge", "18c x 2t", "EC2, 36 vCPUs of one socket" },
	{ "r4.16xlarge", "2n x 16c x 2t, distance 21", "EC2, 64 vCPUs of two sockets" },
	{ "m5.24xlarge", "2n x 24c x 2t, distance 21", "EC2, 96 vCPUs of two sockets" },
	{ "epyc-7742", "2n x 16l x 4c x 2t, distance 32, reach 32", "AMD, 2 x 64 cores, a last level cache for each four" },
	{ "power9", "2n x 8l x 2c x 4t, distance 40, together", "POWER, 2 x 16 cores, a cache for each pair; nodes out of reach" },
	{ "guest-2", "2c", "the virtual machines that were measured, 2 CPUs" },
	{ "guest-4", "4c", "the same, 4 CPUs" },
	{ "guest-8", "8c", "the same, 8 CPUs" },
};

const char *topology_name(u32 index, const char **description, const char **what)
{
	if (index >= ARRAY_SIZE(known))
		return NULL;
	if (description)
		*description = known[index].description;
	if (what)
		*what = known[index].what;
	return known[index].name;
}

/* ---- reading ---- */

struct parse {
	const char *text, *p; /* the whole, and where we are */
	struct machine_shape shape;
	int reach;
	int last;      /* index of the part read last; -1 */
	bool has_nodes, has_sockets;
	struct err *err;
};

static const struct part {
	const char *word;
	char letter; /* that stands for it */
	size_t offset;
} parts[] = {
	{ "socket", 's', offsetof(struct machine_shape, sockets) }, { "node", 'n', offsetof(struct machine_shape, nodes) },
	{ "llc", 'l', offsetof(struct machine_shape, llcs) },	    { "cluster", 'k', offsetof(struct machine_shape, clusters) },
	{ "core", 'c', offsetof(struct machine_shape, cores) },	    { "thread", 't', offsetof(struct machine_shape, threads) },
};
enum { PART_SOCKETS, PART_NODES };

static int *count_of(struct machine_shape *shape, const struct part *part) { return (int *)((char *)shape + part->offset); }

static int fail(struct parse *ps, const char *at, const char *hint, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int fail(struct parse *ps, const char *at, const char *hint, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (*at)
		err_at(ps->err, NULL, 0, (int)(at - ps->text) + 1, NULL, "topology \"%s\": %s at \"%s\"", ps->text, why, at);
	else
		err_at(ps->err, NULL, 0, (int)(at - ps->text) + 1, NULL, "topology \"%s\": %s at its end", ps->text, why);
	err_hint(ps->err, "%s", hint ? hint : "a topology is 2n x 24c x 2t (sockets, nodes, llcs, clusters k, cores, threads), flat 8, or a name");
	return -1;
}

static void skip_blanks(struct parse *ps) { ps->p += strspn(ps->p, " \t"); }

static size_t word_len(const char *p)
{
	size_t n = 0;

	while ((p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z'))
		n++;
	return n;
}

static bool is_word(const char *p, size_t len, const char *word) { return strlen(word) == len && !strncmp(p, word, len); }

static int read_number(struct parse *ps, s64 lowest, s64 highest, const char *what, int *out)
{
	size_t len = strspn(ps->p, "0123456789");
	s64 value;

	if (!len)
		return fail(ps, ps->p, NULL, "expected %s", what);
	if (num_whole(ps->p, len, lowest, highest, &value) != NUM_OK)
		return fail(ps, ps->p, NULL, "expected %s from %d to %d", what, (int)lowest, (int)highest);
	ps->p += len;
	*out = (int)value;
	return 0;
}

/* "c", "core", "cores": its index; -1: none of them. */
static int part_named(const char *p, size_t len)
{
	char word[16];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (len == 1 && *p == parts[i].letter)
			return (int)i;
		snprintf(word, sizeof(word), "%ss", parts[i].word);
		if (is_word(p, len, word) || is_word(p, len, parts[i].word))
			return (int)i;
	}
	return -1;
}

static int unknown_part(struct parse *ps, const char *at, size_t len)
{
	char word[32], hint[128];
	struct suggest s;
	u32 i;

	snprintf(word, sizeof(word), "%.*s", (int)len, at);
	suggest_init(&s, word);
	for (i = 0; len > 2 && i < ARRAY_SIZE(parts); i++)
		suggest_offer(&s, parts[i].word);
	snprintf(hint, sizeof(hint), "did you mean \"%s\"?", suggest_best(&s) ? suggest_best(&s) : "");
	return fail(ps, at, suggest_best(&s) ? hint : NULL, "expected what is counted (s, n, l, k, c or t)");
}

/* The letter x between two parts is no part of a word: "2nx4c". */
static size_t part_len(const char *p)
{
	size_t len = word_len(p);

	return len > 1 && p[len - 1] == 'x' ? len - 1 : len;
}

static int read_part(struct parse *ps)
{
	const char *at;
	size_t len;
	int count = 0, index;

	skip_blanks(ps);
	if (read_number(ps, 1, SCENARIO_MOST_CPUS, "a number", &count))
		return -1;
	skip_blanks(ps);
	at = ps->p;
	len = part_len(at);
	index = part_named(at, len);
	if (index < 0)
		return unknown_part(ps, at, len);
	if (index == ps->last)
		return fail(ps, at, NULL, "%ss are counted twice", parts[index].word);
	if (index < ps->last)
		return fail(ps, at, "the largest things come first: sockets, nodes, llcs, clusters, cores, threads",
			    "%ss are counted behind %ss", parts[index].word, parts[ps->last].word);
	*count_of(&ps->shape, &parts[index]) = count;
	ps->has_sockets |= index == PART_SOCKETS;
	ps->has_nodes |= index == PART_NODES;
	ps->last = index;
	ps->p += len;
	skip_blanks(ps);
	return 0;
}

static int read_option(struct parse *ps)
{
	static const char *const words[] = { "distance", "near", "reach" };
	int *const values[] = { &ps->shape.distance, &ps->shape.near, &ps->reach };
	const char *at;
	size_t len;
	u32 i;

	skip_blanks(ps);
	at = ps->p;
	len = word_len(at);
	ps->p += len;
	skip_blanks(ps);
	if (is_word(at, len, "together")) {
		ps->shape.together = true;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!is_word(at, len, words[i]))
			continue;
		if (read_number(ps, LOCAL_DISTANCE + 1, MOST_DISTANCE, "a distance", values[i]))
			return -1;
		skip_blanks(ps);
		return 0;
	}
	return fail(ps, at, NULL, "expected distance, near, reach or together");
}

static int read_parts(struct parse *ps)
{
	for (;;) {
		if (read_part(ps))
			return -1;
		if (*ps->p != 'x' && *ps->p != '*')
			break;
		ps->p++;
	}
	while (*ps->p == ',') {
		ps->p++;
		if (read_option(ps))
			return -1;
	}
	return *ps->p ? fail(ps, ps->p, NULL, "expected \"x\" and a smaller part, or \",\"") : 0;
}

/* Nodes that are in no socket have one each. */
static int check_shape(struct parse *ps)
{
	if (ps->has_nodes && !ps->has_sockets) {
		ps->shape.sockets = ps->shape.nodes;
		ps->shape.nodes = 1;
	}
	if (shape_cpus(&ps->shape) == SHAPE_TOO_LARGE)
		return fail(ps, ps->text, NULL, "expected at most %d CPUs in all", SCENARIO_MOST_CPUS);
	if (ps->shape.distance && ps->shape.sockets == 1)
		return fail(ps, ps->text, "\"near\" is between nodes of one socket", "a distance between sockets, but there is one");
	if (ps->shape.near && ps->shape.nodes == 1)
		return fail(ps, ps->text, "write 2s x 2n for two nodes in each of two sockets",
			    "a distance between nodes of one socket, but it has one");
	return 0;
}

static int make(struct parse *ps, struct arena *mem, struct topology **out)
{
	*out = topology_of_shape(mem, &ps->shape);
	if (!*out)
		return err_set(ps->err, ERR_HOST, "out of memory");
	(*out)->remote_distance = ps->reach;
	return 0;
}

/* "8" and "flat 8". */
static int read_flat(struct parse *ps)
{
	skip_blanks(ps);
	if (read_number(ps, 1, SCENARIO_MOST_CPUS, "a number of CPUs", &ps->shape.cores))
		return -1;
	skip_blanks(ps);
	return *ps->p ? fail(ps, ps->p, NULL, "expected nothing more") : 0;
}

static int unknown_name(struct parse *ps)
{
	struct suggest s;
	char hint[256];
	size_t at;
	u32 i;

	suggest_init(&s, ps->text);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		suggest_offer(&s, known[i].name);
	if (suggest_best(&s)) {
		snprintf(hint, sizeof(hint), "did you mean \"%s\"?", suggest_best(&s));
	} else {
		at = (size_t)snprintf(hint, sizeof(hint), "names are flat N");
		for (i = 0; i < ARRAY_SIZE(known) && at < sizeof(hint); i++)
			at += (size_t)snprintf(hint + at, sizeof(hint) - at, ", %s", known[i].name);
	}
	return fail(ps, ps->text, hint, "no machine is called so");
}

int topology_from_text(struct arena *mem, const char *text, struct topology **out, struct err *err)
{
	struct parse ps = { .text = text, .p = text, .shape = shape_of_one(), .last = -1, .err = err };
	size_t digits;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(text, known[i].name))
			ps.p = known[i].description;
	skip_blanks(&ps);
	digits = strspn(ps.p, "0123456789");
	if (is_word(ps.p, word_len(ps.p), "flat")) {
		ps.p += 4;
		return read_flat(&ps) ? -1 : make(&ps, mem, out);
	}
	if (digits && !ps.p[digits])
		return read_flat(&ps) ? -1 : make(&ps, mem, out);
	if (word_len(ps.p))
		return unknown_name(&ps);
	return read_parts(&ps) || check_shape(&ps) ? -1 : make(&ps, mem, out);
}

/* ---- a file, where it is none of these ---- */

int topology_find(struct arena *mem, const char *text_or_path, struct topology **out, bool *is_file, struct err *err)
{
	struct err no_text = { 0 }, no_file = { 0 };
	char *bytes;
	size_t len;
	int ret;

	*is_file = false;
	if (!topology_from_text(mem, text_or_path, out, &no_text))
		return 0;
	*is_file = true;
	bytes = bytes_read(text_or_path, &len, &no_file);
	if (!bytes) {
		*err = strchr(text_or_path, '/') ? no_file : no_text;
		return -1;
	}
	ret = topology_from_snapshot(mem, bytes_name(text_or_path), bytes, len, out, err);
	free(bytes);
	return ret;
}

/* ---- and back ---- */

/* How many different ids there are. */
static int count_ids(const struct topology *t, size_t offset)
{
	bool seen[TOPOLOGY_IDS] = { false };
	int cpu, nr = 0;

	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		int id = *(const int *)((const char *)&t->cpu[cpu] + offset);

		if (id < 0 || id >= TOPOLOGY_IDS || seen[id])
			continue;
		seen[id] = true;
		nr++;
	}
	return nr;
}

char *topology_words(const struct topology *t, char *buf, size_t size)
{
	static const struct {
		const char *one, *many;
		size_t offset;
	} rows[] = {
		{ "core", "cores", offsetof(struct cpu_place, core) },
		{ "last level cache", "last level caches", offsetof(struct cpu_place, llc) },
		{ "package", "packages", offsetof(struct cpu_place, package) },
		{ "node", "nodes", offsetof(struct cpu_place, node) },
	};
	size_t at = (size_t)snprintf(buf, size, "%d CPU%s", t->nr_cpus, t->nr_cpus == 1 ? "" : "s");
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows) && at < size; i++) {
		int nr = count_ids(t, rows[i].offset);

		at += (size_t)snprintf(buf + at, size - at, ", %d %s", nr, nr == 1 ? rows[i].one : rows[i].many);
	}
	return buf;
}
