/* SPDX-License-Identifier: MIT */
/*
 * topology.h - what a machine's CPUs share, as given from outside: input of lab_create().
 *
 *	CPU 0..n-1:  core ---in---> cluster ---in---> llc ---in---> package,   and node
 *
 * Ids are numbers of any kind: CPUs with the same one, inside the same larger thing, share that thing; so ids of cores may start over
 * in each package, as those in /sys do.  Scheduler domains follow from them (domains.c, docs/rules/smp.md section 1).
 */
#ifndef CORE_TOPOLOGY_H
#define CORE_TOPOLOGY_H

#include "base/types.h"

#define LOCAL_DISTANCE 10  /* of a node to itself, and the least there is */
#define MOST_DISTANCE 254  /* 255 says unreachable */
#define REMOTE_DISTANCE 20 /* between nodes where nobody says */
#define RECLAIM_DISTANCE 30
#define TOPOLOGY_MAX_NODES 1024

struct cpu_place {
	int core;    /* hardware threads of one core */
	int cluster; /* cores with a mid-level cache of their own; the core's id where there is none */
	int llc;     /* CPUs that share the last level cache */
	int package;
	int node; /* 0..nr_nodes - 1, an index into distance */
};

struct topology {
	int nr_cpus;
	const struct cpu_place *cpu; /* nr_cpus of them */
	int nr_nodes;
	const int *distance; /* nr_nodes * nr_nodes, row by row, 10..254; 10 is local.  NULL: 10 and 20 */
	int remote_distance; /* above it nothing is forked, executed or pulled by a wakeup (node_reclaim_distance); 0: 30 */
	bool sub_numa; /* some package has more than one node: the level of nodes is NODE, and none of packages */
	const u64 *isolated; /* CPUs of no domain (isolcpus), a set of nr_cpus; NULL: none */
};

/* Between two nodes, as the firmware's table (SLIT) counts: 10 is local. */
static inline int node_distance(const struct topology *t, int from, int to)
{
	if (from == to)
		return LOCAL_DISTANCE;
	return t->distance ? t->distance[from * t->nr_nodes + to] : REMOTE_DISTANCE;
}

#endif
