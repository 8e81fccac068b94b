/* SPDX-License-Identifier: MIT */
/*
 * topology_draft.h - a topology in the making, from lists of what shares what.  Private to input/.
 */
#ifndef INPUT_TOPOLOGY_DRAFT_H
#define INPUT_TOPOLOGY_DRAFT_H

#include "base/arena.h"
#include "core/topology.h"

enum thing { THING_CORE, THING_CLUSTER, THING_LLC, THING_PACKAGE, THING_NODE, NR_THINGS };
/* "core", "cluster", "llc", "package", "node"; lists of them are called so with an s. */
const char *thing_name(enum thing thing);

#define DRAFT_CPUS 1024
#define DRAFT_IDS 1024 /* of each thing, from 0 */

struct topology_draft {
	struct arena *mem;
	int (*id)[NR_THINGS]; /* [cpu]: in which thing it is; NOT_SAID */
	bool said[NR_THINGS]; /* of any CPU */
	int highest;	      /* CPU that is in anything; -1 */
	int *distance;	      /* nr_distances rows of as many; NULL: not said */
	int nr_distances;
	int remote_distance;
	u64 *isolated;	      /* DRAFT_CPUS of them; NULL: none */
};
#define NOT_SAID (-1)

/* Nothing is said yet.  False: no memory. */
bool draft_init(struct topology_draft *d, struct arena *mem);
/* Begin from @t: all of it is said. */
void draft_from(struct topology_draft *d, const struct topology *t);
/* Nobody has said anything about @thing. */
void draft_forget(struct topology_draft *d, enum thing thing);
/* @cpu is in @id of @thing.  False where it is in one already. */
bool draft_put(struct topology_draft *d, int cpu, enum thing thing, int id);

/*
 * A topology of @cpus CPUs.  What was not said follows: a core of its own, no clusters, one LLC, one node, a package for each node.
 * NULL: @fault says in a sentence why not ("out of memory" too).
 */
struct topology *draft_finish(struct topology_draft *d, int cpus, char *fault, size_t size);

#endif
