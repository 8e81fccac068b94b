/* SPDX-License-Identifier: MIT */
/*
 * topology_draft.c - from lists of what shares what to a topology.
 *
 *	cores: {0 2} {1 3}   llcs: {0 1 2 3}	-->	CPU 2: core 0, cluster none, llc 0, package 0, node 0
 *
 * Law: in what comes out, CPUs of one core are in one cluster, those of one cluster in one LLC of one node, and each CPU is in one of
 * everything.  An LLC may reach over nodes: it ends at each, as in a kernel.
 */
#include "input/topology_draft.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "work/topology.h"

/* Ids of things that nobody named come behind those that somebody did. */
#define OWN_CORE(cpu) (DRAFT_IDS + (cpu))
#define OWN_CLUSTER(core) (DRAFT_IDS + (core))
_Static_assert(OWN_CLUSTER(OWN_CORE(DRAFT_CPUS)) <= TOPOLOGY_IDS, "ids that nobody gave fit in");

const char *thing_name(enum thing thing)
{
	static const char *const names[] = { "core", "cluster", "llc", "package", "node" };

	return names[thing];
}

bool draft_init(struct topology_draft *d, struct arena *mem)
{
	*d = (struct topology_draft){ .mem = mem, .highest = -1 };
	d->id = arena_alloc(mem, DRAFT_CPUS * sizeof(*d->id));
	if (d->id)
		memset(d->id, 0xff, DRAFT_CPUS * sizeof(*d->id)); /* NOT_SAID */
	return d->id != NULL;
}

void draft_from(struct topology_draft *d, const struct topology *t)
{
	bool clusters = topology_has_clusters(t);
	int cpu;

	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		const struct cpu_place *p = &t->cpu[cpu];

		draft_put(d, cpu, THING_CORE, p->core);
		if (clusters)
			draft_put(d, cpu, THING_CLUSTER, p->cluster);
		draft_put(d, cpu, THING_LLC, p->llc);
		draft_put(d, cpu, THING_PACKAGE, p->package);
		draft_put(d, cpu, THING_NODE, p->node);
	}
	d->distance = (int *)t->distance;
	d->nr_distances = t->distance ? t->nr_nodes : 0;
	d->remote_distance = t->remote_distance;
	d->isolated = (u64 *)t->isolated;
}

void draft_forget(struct topology_draft *d, enum thing thing)
{
	int cpu;

	for (cpu = 0; cpu < DRAFT_CPUS; cpu++)
		d->id[cpu][thing] = NOT_SAID;
	d->said[thing] = false;
}

bool draft_put(struct topology_draft *d, int cpu, enum thing thing, int id)
{
	if (d->id[cpu][thing] != NOT_SAID)
		return false;
	d->id[cpu][thing] = id;
	d->said[thing] = true;
	if (cpu > d->highest)
		d->highest = cpu;
	return true;
}

/* ---- the end ---- */

struct finish {
	struct topology_draft *d;
	int cpus;
	struct cpu_place *place;
	int *first; /* [id]: 1 + the first CPU of it */
	char *fault;
	size_t size;
};

#define FAULT(f, ...) (snprintf((f)->fault, (f)->size, __VA_ARGS__), false)

/* Of an LLC, a package or a node: said of all CPUs or of none; then it is @otherwise. */
static bool settle(struct finish *f, int cpu, enum thing thing, int otherwise, int *out)
{
	*out = f->d->id[cpu][thing];
	if (*out != NOT_SAID)
		return true;
	if (f->d->said[thing])
		return FAULT(f, "CPU %d is in no %s", cpu, thing_name(thing));
	*out = otherwise;
	return true;
}

static bool settle_cpu(struct finish *f, int cpu)
{
	const int *id = f->d->id[cpu];
	struct cpu_place *p = &f->place[cpu];

	p->core = id[THING_CORE] == NOT_SAID ? OWN_CORE(cpu) : id[THING_CORE];
	p->cluster = id[THING_CLUSTER] == NOT_SAID ? OWN_CLUSTER(p->core) : id[THING_CLUSTER];
	return settle(f, cpu, THING_LLC, 0, &p->llc) && settle(f, cpu, THING_NODE, 0, &p->node) &&
	       settle(f, cpu, THING_PACKAGE, p->node, &p->package);
}

static int id_of(const struct cpu_place *p, enum thing thing)
{
	const int ids[] = { p->core, p->cluster, p->llc, p->package, p->node };

	return ids[thing];
}

/* Are CPUs of one @small all in one @large? */
static bool nested(struct finish *f, enum thing small, enum thing large)
{
	int cpu;

	memset(f->first, 0, TOPOLOGY_IDS * sizeof(*f->first));
	for (cpu = 0; cpu < f->cpus; cpu++) {
		int *first = &f->first[id_of(&f->place[cpu], small)];

		if (!*first)
			*first = cpu + 1;
		if (id_of(&f->place[cpu], large) != id_of(&f->place[*first - 1], large))
			return FAULT(f, "CPUs %d and %d are in one %s, but not in one %s", *first - 1, cpu, thing_name(small),
				     thing_name(large));
	}
	return true;
}

/* Does some package have more than one node? */
static bool has_sub_numa(struct finish *f)
{
	char unused[128];
	struct finish quiet = *f;

	quiet.fault = unused;
	quiet.size = sizeof(unused);
	return !nested(&quiet, THING_PACKAGE, THING_NODE);
}

static bool count_nodes(struct finish *f, int *nr_nodes)
{
	int cpu, highest = 0;

	for (cpu = 0; cpu < f->cpus; cpu++)
		if (f->place[cpu].node > highest)
			highest = f->place[cpu].node;
	*nr_nodes = f->d->distance ? f->d->nr_distances : highest + 1;
	if (highest >= *nr_nodes)
		return FAULT(f, "there is a node %d, but distances for %d node%s", highest, *nr_nodes, *nr_nodes == 1 ? "" : "s");
	return true;
}

/* 10 to itself, more to others, and as far there as back. */
static bool distances_are_sane(struct finish *f)
{
	int nr = f->d->nr_distances, i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j <= i; j++) {
			int there = f->d->distance[i * nr + j], back = f->d->distance[j * nr + i];

			if (i == j && there != LOCAL_DISTANCE)
				return FAULT(f, "node %d is %d from itself, not %d", i, there, LOCAL_DISTANCE);
			if (i != j && there <= LOCAL_DISTANCE)
				return FAULT(f, "nodes %d and %d are %d apart, but only a node itself is at %d", j, i, there, LOCAL_DISTANCE);
			if (there != back)
				return FAULT(f, "node %d is %d from node %d, but %d on the way back", i, there, j, back);
		}
	return true;
}

/* Where nobody speaks of clusters, each core is its own, by its number. */
static void clusters_of_cores(struct finish *f)
{
	int cpu;

	for (cpu = 0; cpu < f->cpus && !f->d->said[THING_CLUSTER]; cpu++)
		f->place[cpu].cluster = f->place[cpu].core;
}

static bool settle_all(struct finish *f)
{
	int cpu;

	for (cpu = 0; cpu < f->cpus; cpu++)
		if (!settle_cpu(f, cpu))
			return false;
	return nested(f, THING_CORE, THING_CLUSTER) && nested(f, THING_CLUSTER, THING_LLC) && nested(f, THING_CLUSTER, THING_NODE);
}

struct topology *draft_finish(struct topology_draft *d, int cpus, char *fault, size_t size)
{
	struct finish f = { .d = d, .cpus = cpus, .fault = fault, .size = size };
	struct topology *t = arena_alloc(d->mem, sizeof(*t));

	f.place = arena_alloc(d->mem, (size_t)cpus * sizeof(*f.place));
	f.first = arena_alloc(d->mem, TOPOLOGY_IDS * sizeof(*f.first));
	if (!t || !f.place || !f.first) {
		snprintf(fault, size, "out of memory");
		return NULL;
	}
	if (!settle_all(&f) || !count_nodes(&f, &t->nr_nodes) || !distances_are_sane(&f))
		return NULL;
	t->sub_numa = has_sub_numa(&f);
	clusters_of_cores(&f);
	t->nr_cpus = cpus;
	t->cpu = f.place;
	t->distance = d->distance;
	t->remote_distance = d->remote_distance;
	t->isolated = d->isolated;
	return t;
}
