/* SPDX-License-Identifier: MIT */
/*
 * domains.h - one build of the scheduler domains: what domains.c, domains_order.c, domains_params.c and domains_numa.c share; private to them.
 */
#ifndef CORE_DOMAINS_H
#define CORE_DOMAINS_H

#include "core/sched.h"

/* Things made of CPUs, from the largest to the smallest: how many of them, from the left, a level's CPUs have in common. */
enum share { SHARE_NODE = 1, SHARE_PACKAGE, SHARE_LLC, SHARE_CLUSTER, SHARE_CORE };

struct builder {
	struct lab *lab;
	const struct topology *topo;
	int nr;		/* CPUs that get domains */
	int *order;	/* those, sorted by what they share: each set of any level is one piece of it */
	u8 *common;	/* [k]: what order[k - 1] and order[k] have in common, 0..SHARE_CORE */
	u64 **one;	/* [cpu]: the set of that CPU alone: lab->smp.one */
	u64 *all;	/* the set of all that get domains */
	struct sched_domain **top; /* [cpu]: highest so far; NULL: none */
	int *group_at;	/* [cpu]: where in the ring being made the group stands of which it is the first */
	u32 *imb_node;	/* [node]: imb_numa_nr of the level above the LLC */
};

/* ---- domains.c: memory ---- */
/* Zeroed memory that lasts until the next build; NULL where there is none. */
void *take(struct builder *b, size_t count, size_t size);
u64 *take_set(struct builder *b);
static inline int words(const struct builder *b) { return BITS_WORDS(b->lab->cfg.nr_cpus); } /* of a set */

/* ---- domains_order.c ---- */
/* Sort b->order and fill b->common; @spare has room for as many CPUs, and may be the order afterwards. */
void sort_cpus(struct builder *b, int *spare);
/* Isolated CPUs leave the order; what those around them have in common stays right.  b->all is those that are left. */
void drop_isolated(struct builder *b);
/* The end of the piece of the order that begins at @from and has @share in common. */
int piece_end(const struct builder *b, int from, enum share share);

/* ---- domains_params.c ---- */
/* A domain on top of @cpu's list, with the parameters of @kind under the rules of the lab. */
void init_domain(struct builder *b, struct sched_domain *sd, enum sd_kind kind, unsigned flags, int cpu);

/* ---- domains.c ---- */
/* A group of the CPUs in @span: what @child, a domain of that span, stands for; NULL: one CPU. */
struct sched_group *make_group(struct builder *b, u64 *span, int weight, const struct sched_domain *child);

/* What @cpu's list comes to so far: itself alone, before it has a domain. */
static inline u64 *top_span(const struct builder *b, int cpu) { return b->top[cpu] ? b->top[cpu]->span : b->one[cpu]; }
static inline int top_weight(const struct builder *b, int cpu) { return b->top[cpu] ? b->top[cpu]->span_weight : 1; }

/* ---- domains_numa.c ---- */
/* Levels between nodes, the nearest first.  False: no memory. */
bool build_numa_levels(struct builder *b);

#endif
