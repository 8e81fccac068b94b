/* SPDX-License-Identifier: MIT */
/*
 * topology.h - machines whose parts are all alike, as a topology of core/topology.h.
 */
#ifndef WORK_TOPOLOGY_H
#define WORK_TOPOLOGY_H

#include "base/arena.h"
#include "core/topology.h"

/* How many of each thing are in one of the thing before it; all from 1 on. */
struct machine_shape {
	int sockets;	/* in the machine */
	int nodes;	/* in a socket */
	int llcs;	/* last level caches in a node */
	int clusters;	/* in a last level cache */
	int cores;	/* in a cluster */
	int threads;	/* in a core */
	bool together;	/* threads of a core are numbered one after the other, as POWER has it; else core i has i and i + cores */
	int distance;	/* between nodes of different sockets; 0: 20 */
	int near;	/* between nodes of one socket; 0: 12 */
};

/* All ones: a machine of one CPU. */
struct machine_shape shape_of_one(void);
/* The number of CPUs; SHAPE_TOO_LARGE where they are more than a machine may have. */
int shape_cpus(const struct machine_shape *shape);
#define SHAPE_TOO_LARGE (-1)

/* Topologies of this house have ids of their own in the whole machine, from 0 and below this. */
#define TOPOLOGY_IDS 3072

/* @shape, whose CPUs are not too many, in @mem; NULL: no memory. */
struct topology *topology_of_shape(struct arena *mem, const struct machine_shape *shape);

/* Has some cluster more than one core, or another name than its core? */
bool topology_has_clusters(const struct topology *t);

#endif
