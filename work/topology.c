/* SPDX-License-Identifier: MIT */
/*
 * topology.c - machines whose parts are all alike.
 *
 *	2 sockets x 2 cores x 2 threads:   socket 0 has cores 0, 1; core 0 has CPUs 0 and 4, core 1 has 1 and 5
 */
#include "work/topology.h"

#include "work/scenario.h"

#define NEAR_DISTANCE 12 /* between the halves of an Intel socket, as its firmware says */

struct machine_shape shape_of_one(void)
{
	return (struct machine_shape){ .sockets = 1, .nodes = 1, .llcs = 1, .clusters = 1, .cores = 1, .threads = 1 };
}

int shape_cpus(const struct machine_shape *shape)
{
	const int parts[] = { shape->sockets, shape->nodes, shape->llcs, shape->clusters, shape->cores, shape->threads };
	int cpus = 1;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i] > SCENARIO_MOST_CPUS / cpus)
			return SHAPE_TOO_LARGE;
		cpus *= parts[i];
	}
	return cpus;
}

static void place_cpus(const struct machine_shape *shape, struct cpu_place *places, int cpus)
{
	int cores = cpus / shape->threads, cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		struct cpu_place *p = &places[cpu];

		p->core = shape->together ? cpu / shape->threads : cpu % cores;
		p->cluster = p->core / shape->cores;
		p->llc = p->cluster / shape->clusters;
		p->node = p->llc / shape->llcs;
		p->package = p->node / shape->nodes;
		if (shape->clusters == 1) /* no mid-level cache but the core's own */
			p->cluster = p->core;
	}
}

static void set_distances(const struct machine_shape *shape, int *distance, int nodes)
{
	int far = shape->distance ? shape->distance : REMOTE_DISTANCE, near = shape->near ? shape->near : NEAR_DISTANCE;
	int i, j;

	for (i = 0; i < nodes; i++)
		for (j = 0; j < nodes; j++)
			*distance++ = i == j ? LOCAL_DISTANCE : i / shape->nodes == j / shape->nodes ? near : far;
}

struct topology *topology_of_shape(struct arena *mem, const struct machine_shape *shape)
{
	int cpus = shape_cpus(shape), nodes = shape->sockets * shape->nodes;
	struct topology *t = arena_alloc(mem, sizeof(*t));
	struct cpu_place *places = arena_alloc(mem, (size_t)cpus * sizeof(*places));
	int *distance = arena_alloc(mem, (size_t)nodes * (size_t)nodes * sizeof(*distance));

	if (!t || !places || !distance)
		return NULL;
	place_cpus(shape, places, cpus);
	set_distances(shape, distance, nodes);
	*t = (struct topology){ .nr_cpus = cpus, .cpu = places, .nr_nodes = nodes, .distance = distance, .sub_numa = shape->nodes > 1 };
	return t;
}

bool topology_has_clusters(const struct topology *t)
{
	int cpu;

	for (cpu = 0; cpu < t->nr_cpus; cpu++)
		if (t->cpu[cpu].cluster != t->cpu[cpu].core)
			return true;
	return false;
}
