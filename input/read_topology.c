/* SPDX-License-Identifier: MIT */
/*
 * read_topology.c - machine.topology: what the CPUs share.
 *
 *	"2n x 24c x 2t", "c5.9xlarge", "flat"			topology_text.c
 *	{ "file": "web-1.machine" }				topology_snapshot.c; beside the scenario
 *	{ "cores": ["0,4", "1,5"], "llcs": ["0-3", "4-7"] }	a list of each thing, each a set of CPUs
 *
 * An object may begin from a "shape" or a "file" and say some things anew.  Whatever is said, it says how many CPUs there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "input/bytes.h"
#include "input/reader.h"
#include "input/topology.h"
#include "input/topology_draft.h"

struct reading {
	struct topology_draft draft;
	int cpus; /* of what it begins from; 0: of nothing */
	enum thing thing; /* whose list it is, and which of them */
	int id;
	bool listed[NR_THINGS], has_distances; /* said by a key of its own */
};

/* ---- text ---- */

/* An error of a text on its own, put where the text stands. */
static int put_error(struct reader *rd, const struct json *v, const struct err *why)
{
	if (why->code == ERR_HOST || *why->file) {
		*rd->err = *why;
		return -1;
	}
	err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "%s", why->message);
	err_hint(rd->err, "%s", why->hint);
	return -1;
}

static int from_text(struct reader *rd, const struct json *v, struct topology **t)
{
	struct err why = { 0 };

	return topology_from_text(&rd->sc->mem, v->text, t, &why) ? put_error(rd, v, &why) : 0;
}

static int from_file(struct reader *rd, const struct json *v, struct topology **t)
{
	const char *slash = strrchr(rd->file, '/');
	int folder = slash && *v->text != '/' ? (int)(slash - rd->file) + 1 : 0;
	char path[4096], *bytes;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "%.*s%s", folder, rd->file, v->text);
	bytes = bytes_read(path, &len, rd->err);
	ret = bytes ? topology_from_snapshot(&rd->sc->mem, bytes_name(path), bytes, len, t, rd->err) : -1;
	free(bytes);
	return ret;
}

/* ---- what it begins from ---- */

static int begin(struct reader *rd, struct json *v, struct reading *r, int (*read)(struct reader *, const struct json *, struct topology **),
		 const char *what)
{
	struct topology *t;

	if (v->kind != JSON_STRING || memchr(v->text, 0, v->len))
		return refuse(rd, v, what);
	if (r->cpus)
		return refuse(rd, v, "either a shape or a file to begin from");
	if (read(rd, v, &t))
		return -1;
	draft_from(&r->draft, t);
	r->cpus = t->nr_cpus;
	return 0;
}

static int key_shape(struct reader *rd, struct json *v, void *into)
{
	return begin(rd, v, into, from_text, "a description such as \"2n x 24c x 2t\"");
}

static int key_file(struct reader *rd, struct json *v, void *into)
{
	return begin(rd, v, into, from_file, "the path of a snapshot");
}

/* ---- lists ---- */

static int put_cpu(struct reader *rd, const struct json *v, int cpu, void *ctx)
{
	struct reading *r = ctx;
	int before = r->draft.id[cpu][r->thing];

	if (draft_put(&r->draft, cpu, r->thing, r->id))
		return 0;
	if (before == r->id)
		err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "CPU %d stands twice in one %s", cpu, thing_name(r->thing));
	else
		err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "CPU %d stands in two of the %ss", cpu,
		       thing_name(r->thing));
	return -1;
}

/* "0,4", 5 or [0, 4]. */
static int check_set(struct reader *rd, const struct json *e, enum thing thing)
{
	const struct json *cpu;

	if (!e->len && !(thing == THING_NODE && e->kind == JSON_ARRAY)) /* a node may have no CPUs */
		return refuse(rd, e, "at least one CPU number");
	if (e->kind != JSON_ARRAY)
		return 0;
	json_each(cpu, e)
		if (cpu->kind != JSON_NUMBER && cpu->kind != JSON_STRING)
			return refuse(rd, e, "a set of CPU numbers, such as [0, 4] or \"0,4\"");
	return 0;
}

static int read_things(struct reader *rd, struct json *v, struct reading *r, enum thing thing)
{
	struct json *e;

	if (want_list(rd, v, "a list of sets of CPUs, such as [\"0,4\", \"1,5\"]"))
		return -1;
	draft_forget(&r->draft, thing);
	r->listed[thing] = true;
	r->thing = thing;
	r->id = 0;
	json_each(e, v) {
		if (check_set(rd, e, thing))
			return -1;
		if (r->id == DRAFT_IDS)
			return refuse(rd, e, "no more than 1024 of them");
		if (e->len && each_cpu(rd, e, put_cpu, r))
			return -1;
		r->id++;
	}
	return 0;
}

#define THINGS(name, thing)                                                                                    \
	static int key_##name(struct reader *rd, struct json *v, void *into)                                   \
	{                                                                                                      \
		return read_things(rd, v, into, thing);                                                        \
	}
THINGS(cores, THING_CORE)
THINGS(clusters, THING_CLUSTER)
THINGS(llcs, THING_LLC)
THINGS(packages, THING_PACKAGE)
THINGS(nodes, THING_NODE)
#undef THINGS

/* ---- distances and the rest ---- */

static int read_distance_row(struct reader *rd, struct json *v, int *row, u32 nr)
{
	struct json *e;
	s64 distance;

	if (want_list(rd, v, "a row of distances, such as [10, 21]"))
		return -1;
	if (v->len != nr)
		return refuse(rd, v, "as many distances as there are rows");
	json_each(e, v) {
		if (want_whole(rd, e, LOCAL_DISTANCE, MOST_DISTANCE, "a distance from 10 to 254", &distance))
			return -1;
		*row++ = (int)distance;
	}
	return 0;
}

static int key_distances(struct reader *rd, struct json *v, void *into)
{
	struct reading *r = into;
	struct json *e;
	int *row;

	if (want_list(rd, v, "a row of distances for each node, such as [[10, 21], [21, 10]]"))
		return -1;
	if (!v->len || v->len > TOPOLOGY_MAX_NODES)
		return refuse(rd, v, "a row for each node, up to 1024");
	row = arena_alloc(&rd->sc->mem, (size_t)v->len * v->len * sizeof(*row));
	if (!row)
		return out_of_memory(rd);
	r->has_distances = true;
	r->draft.distance = row;
	r->draft.nr_distances = (int)v->len;
	json_each(e, v) {
		if (read_distance_row(rd, e, row, v->len))
			return -1;
		row += v->len;
	}
	return 0;
}

static int key_reach(struct reader *rd, struct json *v, void *into)
{
	struct reading *r = into;
	s64 reach;

	if (want_whole(rd, v, LOCAL_DISTANCE, MOST_DISTANCE, "a distance from 10 to 254", &reach))
		return -1;
	r->draft.remote_distance = (int)reach;
	return 0;
}

static int isolate(struct reader *rd, const struct json *v, int cpu, void *ctx)
{
	struct topology_draft *d = ctx;

	(void)rd;
	(void)v;
	bit_set(d->isolated, cpu);
	if (cpu > d->highest)
		d->highest = cpu;
	return 0;
}

static int key_isolated(struct reader *rd, struct json *v, void *into)
{
	struct reading *r = into;

	if (!v->len && v->kind != JSON_NUMBER)
		return refuse(rd, v, "at least one CPU number");
	r->draft.isolated = arena_alloc(&rd->sc->mem, BITS_WORDS(DRAFT_CPUS) * sizeof(u64));
	return r->draft.isolated ? each_cpu(rd, v, isolate, &r->draft) : out_of_memory(rd);
}

/* What it begins from comes first, wherever it stands. */
static const struct key_row first_rows[] = { { "shape", key_shape }, { "file", key_file } };

static const struct key_row rows[] = {
	{ "shape", NULL },	  { "file", NULL },	      { "cores", key_cores },	      { "clusters", key_clusters },
	{ "llcs", key_llcs },	  { "packages", key_packages }, { "nodes", key_nodes },	      { "distances", key_distances },
	{ "reach", key_reach },	  { "isolated", key_isolated },
};

/* Nodes that are said anew are not those of the beginning: nor are the distances between them, and the packages they are in. */
static void forget_old_nodes(struct reading *r)
{
	if (!r->listed[THING_NODE])
		return;
	if (!r->has_distances) {
		r->draft.distance = NULL;
		r->draft.nr_distances = 0;
	}
	if (!r->listed[THING_PACKAGE])
		draft_forget(&r->draft, THING_PACKAGE);
}

/* CPUs that no list names are there if the machine says so. */
static int count_cpus(const struct reader *rd, const struct reading *r)
{
	int named = r->draft.highest + 1, cpus = r->cpus ? r->cpus : rd->sc->machine.cpus;

	if (!r->cpus && !rd->cpus_said)
		return named > 1 ? named : 1;
	return named > cpus ? named : cpus;
}

static int from_object(struct reader *rd, struct json *v, struct topology **t)
{
	struct reading *r = arena_alloc(&rd->scratch, sizeof(*r));
	char fault[160];

	if (!r || !draft_init(&r->draft, &rd->sc->mem))
		return out_of_memory(rd);
	if (READ_KEYS(rd, v, first_rows, UNKNOWN_SILENT, r) || READ_KEYS(rd, v, rows, UNKNOWN_ERROR, r))
		return -1;
	forget_old_nodes(r);
	*t = draft_finish(&r->draft, count_cpus(rd, r), fault, sizeof(fault));
	return *t ? 0 : err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "%s", fault);
}

/* ---- the key ---- */

static int contradiction(struct reader *rd, const struct json *v, int cpus)
{
	err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "this topology has %d CPU%s, but %s %d", cpus, cpus == 1 ? "" : "s",
	       rd->opt.cpus ? "--cpus is" : "\"cpus\" is", rd->sc->machine.cpus);
	err_hint(rd->err, rd->opt.cpus ? "--topology flat makes any number of CPUs share one cache" : "leave \"cpus\" out");
	return -1;
}

static int take_topology(struct reader *rd, const struct json *v, const struct topology *t)
{
	struct machine_spec *m = &rd->sc->machine;

	if (rd->cpus_said && t->nr_cpus != m->cpus)
		return contradiction(rd, v, t->nr_cpus);
	m->cpus = t->nr_cpus;
	m->topology = t;
	return 0;
}

int read_topology(struct reader *rd, struct json *v, void *into)
{
	struct machine_spec *m = into;
	struct topology *t;

	if (rd->opt.no_topology)
		return 0;
	if (v->kind == JSON_OBJECT)
		return from_object(rd, v, &t) ? -1 : take_topology(rd, v, t);
	if (v->kind != JSON_STRING || memchr(v->text, 0, v->len))
		return refuse(rd, v, "a topology such as \"2n x 24c x 2t\", a name such as \"c5.9xlarge\", or an object of lists");
	if (!strcmp(v->text, "flat"))
		return 0;
	if (from_text(rd, v, &t) || take_topology(rd, v, t))
		return -1;
	m->topology_text = arena_strndup(&rd->sc->mem, v->text, v->len);
	return m->topology_text ? 0 : out_of_memory(rd);
}
