/* SPDX-License-Identifier: MIT */
/*
 * topology.c - what the CPUs of this machine share.
 *
 *	/sys/devices/system/cpu/cpu3/topology/core_cpus_list	"1,3"	its core, known by the first of them
 *	.../cpu3/topology/cluster_cpus_list, physical_package_id
 *	.../cpu3/cache/index3/level, shared_cpu_list		"3", "0-3": of the highest level
 *	/sys/devices/system/node/node0/cpulist, distance	"0-3", "10 21"
 *
 * All ids are counted anew from 0, in the order of the CPUs, so that what was asked for by hotplug or a cpuset does not leave holes.
 */
#include "live/topology.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "live/file.h"
#include "work/scenario.h"

#define MOST SCENARIO_MOST_CPUS
#define HOST_CPUS 8192 /* the most a kernel is built for */
#define TEXT_SIZE 16384

struct host_reader {
	const char *sys;
	struct arena *mem;
	const int *cpus;
	int nr;
	struct cpu_place *place;
	int *distance, nr_nodes;
	char text[TEXT_SIZE]; /* of the file read last */
	int dense[2 * HOST_CPUS]; /* 1 + the new number of an id */
	int nr_dense;
	s16 node_of[HOST_CPUS]; /* -1: in none */
};

/* ---- files ---- */

static bool read_text(struct host_reader *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool read_text(struct host_reader *h, const char *fmt, ...)
{
	char path[512];
	size_t at = (size_t)snprintf(path, sizeof(path), "%.200s/devices/system/", h->sys);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + at, sizeof(path) - at, fmt, ap);
	va_end(ap);
	return !file_read(path, h->text, sizeof(h->text)) && *h->text;
}

/* The next range of "0-3,8"; false at its end, or where it is no such list. */
static bool next_range(const char **p, long *from, long *to)
{
	char *end;

	if (**p == ',')
		++*p;
	*from = strtol(*p, &end, 10);
	if (end == *p || *from < 0 || *from >= HOST_CPUS)
		return false;
	*to = *from;
	if (*end == '-')
		*to = strtol(end + 1, &end, 10);
	*p = end;
	return *to >= *from && *to < HOST_CPUS;
}

static int first_of_list(const char *text, int otherwise)
{
	long from, to;

	return next_range(&text, &from, &to) ? (int)from : otherwise;
}

int host_online(const char *sys, int *cpus, int most)
{
	struct host_reader *h = calloc(1, sizeof(*h));
	const char *p;
	long from, to;
	int nr = 0;

	if (!h)
		return 0;
	h->sys = sys;
	p = read_text(h, "cpu/online") ? h->text : "";
	while (nr < most && next_range(&p, &from, &to))
		for (; from <= to && nr < most; from++)
			cpus[nr++] = (int)from;
	free(h);
	return nr;
}

/* ---- ids from 0 ---- */

static void dense_begin(struct host_reader *h)
{
	memset(h->dense, 0, sizeof(h->dense));
	h->nr_dense = 0;
}

static int dense_id(struct host_reader *h, int id)
{
	int *slot = &h->dense[id];

	if (!*slot)
		*slot = ++h->nr_dense;
	return *slot - 1;
}

/* ---- one CPU: everything is known by the first CPU in it, a package by its number ---- */

static int core_of(struct host_reader *h, int cpu)
{
	if (read_text(h, "cpu/cpu%d/topology/core_cpus_list", cpu) || read_text(h, "cpu/cpu%d/topology/thread_siblings_list", cpu))
		return first_of_list(h->text, cpu);
	return cpu;
}

static int cluster_of(struct host_reader *h, int cpu, int core)
{
	return read_text(h, "cpu/cpu%d/topology/cluster_cpus_list", cpu) ? first_of_list(h->text, core) : core;
}

static int package_of(struct host_reader *h, int cpu)
{
	int id = read_text(h, "cpu/cpu%d/topology/physical_package_id", cpu) ? atoi(h->text) : 0;

	return id < 0 ? 0 : id % HOST_CPUS;
}

/* Of the highest cache: the first CPU that shares it; -1 where no cache is told of. */
static int llc_of(struct host_reader *h, int cpu)
{
	int index, level, highest = 0, llc = -1;

	for (index = 0; index < 16 && read_text(h, "cpu/cpu%d/cache/index%d/level", cpu, index); index++) {
		level = atoi(h->text);
		if (level <= highest || !read_text(h, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index))
			continue;
		highest = level;
		llc = first_of_list(h->text, cpu);
	}
	return llc;
}

/* Where no cache is told of, as in some virtual machines, a kernel takes the package: known by a number behind all CPUs'. */
static void read_place(struct host_reader *h, int i)
{
	struct cpu_place *p = &h->place[i];
	int cpu = h->cpus[i], llc = llc_of(h, cpu);

	p->core = core_of(h, cpu);
	p->cluster = cluster_of(h, cpu, p->core);
	p->package = package_of(h, cpu);
	p->llc = llc >= 0 ? llc : HOST_CPUS + p->package;
	p->node = h->node_of[cpu];
}

static void make_dense(struct host_reader *h, size_t offset)
{
	int i;

	dense_begin(h);
	for (i = 0; i < h->nr; i++) {
		int *id = (int *)((char *)&h->place[i] + offset);

		*id = dense_id(h, *id);
	}
}

/* ---- nodes ---- */

static void read_node_cpus(struct host_reader *h, int node)
{
	const char *p = h->text;
	long from, to;

	if (!read_text(h, "node/node%d/cpulist", node))
		return;
	while (next_range(&p, &from, &to))
		for (; from <= to; from++)
			h->node_of[from] = (s16)node;
}

/* The nodes that are online, in the order of the columns of their distances. */
static int online_nodes(struct host_reader *h, int *nodes)
{
	const char *p = h->text;
	long from, to;
	int nr = 0;

	if (!read_text(h, "node/online"))
		return 0;
	while (nr < MOST && next_range(&p, &from, &to))
		for (; from <= to && nr < MOST; from++)
			nodes[nr++] = (int)from;
	return nr;
}

/* @nodes[0..nr) are the columns; those that are in use have their new number in dense. */
static void read_distances(struct host_reader *h, const int *nodes, int nr)
{
	int row, column;

	for (row = 0; row < nr; row++) {
		int from = h->dense[nodes[row]];
		char *p = h->text, *end;

		if (!from || !read_text(h, "node/node%d/distance", nodes[row]))
			continue;
		for (column = 0; column < nr; column++, p = end) {
			long distance = strtol(p, &end, 10);
			int to = h->dense[nodes[column]];

			if (end == p)
				break;
			if (to && from != to && distance > LOCAL_DISTANCE && distance <= MOST_DISTANCE)
				h->distance[(from - 1) * h->nr_nodes + to - 1] = (int)distance;
		}
	}
}

/* Nodes in the order of their numbers; a CPU in none is in the first. */
static bool number_nodes(struct host_reader *h)
{
	int nodes[MOST], nr = online_nodes(h, nodes), i, k;
	bool used[HOST_CPUS] = { false };

	for (i = 0; i < HOST_CPUS; i++)
		h->node_of[i] = -1;
	for (i = 0; i < nr; i++)
		read_node_cpus(h, nodes[i]);
	for (i = 0; i < h->nr; i++)
		if (h->node_of[h->cpus[i]] >= 0)
			used[h->node_of[h->cpus[i]]] = true;
	dense_begin(h);
	for (i = 0; i < nr; i++)
		if (used[nodes[i]])
			dense_id(h, nodes[i]);
	h->nr_nodes = h->nr_dense ? h->nr_dense : 1;
	h->distance = arena_alloc(h->mem, (size_t)h->nr_nodes * (size_t)h->nr_nodes * sizeof(*h->distance));
	if (!h->distance)
		return false;
	for (i = 0; i < h->nr_nodes; i++)
		for (k = 0; k < h->nr_nodes; k++)
			h->distance[i * h->nr_nodes + k] = i == k ? LOCAL_DISTANCE : REMOTE_DISTANCE;
	read_distances(h, nodes, nr);
	for (i = 0; i < HOST_CPUS; i++)
		h->node_of[i] = (s16)(h->node_of[i] >= 0 && h->dense[h->node_of[i]] ? h->dense[h->node_of[i]] - 1 : 0);
	return true;
}

/* ---- the whole ---- */

/* Those that the kernel was told to leave alone, among ours. */
static u64 *read_isolated(struct host_reader *h)
{
	u64 *set = NULL;
	const char *p = h->text;
	bool isolated[HOST_CPUS] = { false };
	long from, to;
	int i;

	if (!read_text(h, "cpu/isolated"))
		return NULL;
	while (next_range(&p, &from, &to))
		for (; from <= to; from++)
			isolated[from] = true;
	for (i = 0; i < h->nr; i++) {
		if (!isolated[h->cpus[i]])
			continue;
		if (!set)
			set = arena_alloc(h->mem, BITS_WORDS(MOST) * sizeof(*set));
		if (set)
			bit_set(set, i);
	}
	return set;
}

static bool has_sub_numa(const struct host_reader *h)
{
	int node[MOST] = { 0 }, i; /* 1 + the node of a package */

	for (i = 0; i < h->nr; i++) {
		int *seen = &node[h->place[i].package];

		if (*seen && *seen != h->place[i].node + 1)
			return true;
		*seen = h->place[i].node + 1;
	}
	return false;
}

static bool read_all(struct host_reader *h)
{
	static const size_t members[] = {
		offsetof(struct cpu_place, core), offsetof(struct cpu_place, llc), offsetof(struct cpu_place, package),
	};
	bool clusters = false;
	size_t k;
	int i;

	h->place = arena_alloc(h->mem, (size_t)h->nr * sizeof(*h->place));
	if (!h->place || !number_nodes(h))
		return false;
	for (i = 0; i < h->nr; i++) {
		read_place(h, i);
		clusters |= h->place[i].cluster != h->place[i].core;
	}
	if (clusters)
		make_dense(h, offsetof(struct cpu_place, cluster));
	for (k = 0; k < ARRAY_SIZE(members); k++)
		make_dense(h, members[k]);
	for (i = 0; !clusters && i < h->nr; i++)
		h->place[i].cluster = h->place[i].core;
	return true;
}

struct topology *host_topology(struct arena *mem, const char *sys, const int *cpus, int nr, struct err *err)
{
	struct host_reader *h = calloc(1, sizeof(*h));
	struct topology *t = arena_alloc(mem, sizeof(*t));

	if (h) {
		h->sys = sys;
		h->mem = mem;
		h->cpus = cpus;
		h->nr = nr;
	}
	if (!h || !t) {
		err_set(err, ERR_HOST, "out of memory");
		t = NULL;
	} else if (!nr || !read_text(h, "cpu/cpu%d/topology/physical_package_id", cpus[0])) {
		err_set(err, ERR_HOST, "%s/devices/system/cpu tells nothing of CPU %d", sys, nr ? cpus[0] : 0);
		t = NULL;
	} else if (!read_all(h)) {
		err_set(err, ERR_HOST, "out of memory");
		t = NULL;
	} else {
		*t = (struct topology){ .nr_cpus = nr, .cpu = h->place, .nr_nodes = h->nr_nodes, .distance = h->distance };
		t->sub_numa = has_sub_numa(h);
		t->isolated = read_isolated(h);
	}
	free(h);
	return t;
}
