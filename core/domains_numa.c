/* SPDX-License-Identifier: MIT */
/*
 * domains_numa.c - scheduler domains between nodes: one level for each distance.
 *
 *	distances   0 -10- 1		level 1 of node 0: {0 1}, of node 1: {0 1 2}, ...
 *	            |      |		level 2 of node 0: groups {0 1} and {1 2 3}: they overlap
 *	            3 -10- 2
 *
 * A level of a node is all nodes up to that distance; its groups are what the nodes in it see one level below.  So two nodes can see
 * different sets, and a group can be seen whole by some of its CPUs only: these are its balance mask, and groups with the same first
 * CPU of that mask are one group, whoever looks.  Rules: docs/rules/smp.md 1.1 to 1.3.
 */
#include "core/domains.h"

#include <string.h>

/* One node at one level. */
struct reach {
	u64 *span;
	int weight; /* 0: no CPU there has domains */
};

struct numa {
	struct builder *b;
	int nodes;
	int levels;	      /* distances beyond the local one */
	int *distance;	      /* of each */
	struct reach *reach;  /* [level 0..levels][node]; level 0 is the node itself */
	struct sched_group **made; /* [level][first CPU of its balance mask]: groups made of what is below that level */
	struct sched_group **scratch; /* a ring in the making */
	u64 *covered;
	u32 *first_weight;    /* [node]: CPUs at the first of the levels */

	/* rings of the level at work, each written down twice */
	struct ring {
		struct sched_group **groups;
		int nr;
	} *node_ring, last; /* the newest of each node, and of all */
};

static struct reach *reach(const struct numa *numa, int level, int node)
{
	return &numa->reach[(size_t)level * (size_t)numa->nodes + (size_t)node];
}

static int node_of(const struct numa *numa, int cpu) { return numa->b->topo->cpu[cpu].node; }

/* Do CPUs of @node have a domain at @level, before those that add nothing are dropped?  Not when they see all already. */
static bool has_level(const struct numa *numa, int level, int node)
{
	return reach(numa, level - 1, node)->weight < numa->b->nr;
}

static void set_or(u64 *to, const u64 *from, int nr_words)
{
	int i;

	for (i = 0; i < nr_words; i++)
		to[i] |= from[i];
}

static bool set_equal(const u64 *a, const u64 *b, int nr_words)
{
	return a == b || !memcmp(a, b, (size_t)nr_words * sizeof(*a));
}

static bool set_within(const u64 *a, const u64 *b, int nr_words)
{
	int i;

	for (i = 0; i < nr_words; i++)
		if (a[i] & ~b[i])
			return false;
	return true;
}

/* ---- distances ---- */

/*
 * The distances between nodes, ascending.  Rule sd_defaults: kernels to 3.15 as they are modelled know near and far only, all other
 * nodes being one level.
 */
static bool find_distances(struct numa *numa)
{
	const struct topology *t = numa->b->topo;
	bool seen[MOST_DISTANCE + 1] = { false }, old = lab_rule(numa->b->lab, SD_DEFAULTS) == SD_DEFAULTS_ARCH;
	int i, j, farthest = LOCAL_DISTANCE;

	for (i = 0; i < t->nr_nodes; i++)
		for (j = 0; j < t->nr_nodes; j++) {
			int distance = node_distance(t, i, j);

			seen[distance] = true;
			farthest = distance > farthest ? distance : farthest;
		}
	numa->distance = take(numa->b, MOST_DISTANCE, sizeof(*numa->distance));
	if (!numa->distance)
		return false;
	for (i = LOCAL_DISTANCE + 1; i <= MOST_DISTANCE; i++)
		if (seen[i] && (!old || i == farthest))
			numa->distance[numa->levels++] = i;
	return true;
}

/* ---- what each node sees ---- */

static void see_own_cpus(struct numa *numa)
{
	struct builder *b = numa->b;
	int k;

	for (k = 0; k < b->nr; k++) {
		struct reach *own = reach(numa, 0, node_of(numa, b->order[k]));

		own->span = top_span(b, b->order[k]);
		own->weight = top_weight(b, b->order[k]);
	}
}

/* A set that is known already stands for @span: that of all CPUs, or of the node of its first CPU.  NULL: none of them. */
static u64 *known_span(struct numa *numa, int level, int node, const u64 *span, int weight)
{
	struct builder *b = numa->b;
	int first = node_of(numa, bit_next(span, b->lab->cfg.nr_cpus, 0));

	if (weight == b->nr)
		return b->all;
	if (first < node && set_equal(reach(numa, level, first)->span, span, words(b)))
		return reach(numa, level, first)->span;
	return NULL;
}

/* What @node sees at @level: what it saw one level below, and the nodes that are no farther than that. */
static bool see_level(struct numa *numa, int level, int node)
{
	struct builder *b = numa->b;
	struct reach *below = reach(numa, level - 1, node), *here = reach(numa, level, node);
	int nearer = level > 1 ? numa->distance[level - 2] : LOCAL_DISTANCE, far = numa->distance[level - 1], k;
	bool more = false;

	*here = *below;
	if (!below->weight)
		return true;
	memcpy(numa->covered, below->span, (size_t)words(b) * sizeof(u64));
	for (k = 0; k < numa->nodes; k++) {
		int distance = node_distance(b->topo, node, k);

		if (distance <= nearer || distance > far || !reach(numa, 0, k)->weight)
			continue;
		set_or(numa->covered, reach(numa, 0, k)->span, words(b));
		more = true;
	}
	if (!more)
		return true;
	here->weight = bit_count(numa->covered, b->lab->cfg.nr_cpus);
	here->span = known_span(numa, level, node, numa->covered, here->weight);
	if (here->span)
		return true;
	here->span = take_set(b);
	if (here->span)
		memcpy(here->span, numa->covered, (size_t)words(b) * sizeof(u64));
	return here->span != NULL;
}

/* ---- groups ---- */

/*
 * Rule numa_groups, to 5.12: a group is all that a node sees one level below, even where this leads out of @span.  From 5.13
 * (585b6d2723dc) it is taken from the highest level that stays within.  Returns the level above the one the group is a set of.
 */
static int group_level(const struct numa *numa, const u64 *span, int level, int node)
{
	if (lab_rule(numa->b->lab, NUMA_GROUPS) == NUMA_GROUPS_BELOW)
		return level;
	while (level > 1 && !set_within(reach(numa, level - 1, node)->span, span, words(numa->b)))
		level--;
	return level;
}

/* The CPUs of @span that see just this set one level below @level: they may balance for it. */
static void find_balance_mask(const struct numa *numa, u64 *mask, const u64 *span, int level)
{
	struct builder *b = numa->b;
	int n = b->lab->cfg.nr_cpus, cpu, last = -1;
	bool sees = false;

	for_each_bit(cpu, span, n) {
		int node = node_of(numa, cpu);

		if (node != last)
			sees = has_level(numa, level, node) &&
			       set_equal(reach(numa, level - 1, node)->span, span, words(b));
		last = node;
		if (sees)
			bit_set(mask, cpu);
	}
}

/* The group of what @node sees one level below @level.  NULL: no memory. */
static struct sched_group *group_of_node(struct numa *numa, int level, int node)
{
	struct builder *b = numa->b;
	struct reach *below = reach(numa, level - 1, node);
	int n = b->lab->cfg.nr_cpus, member = bit_next(reach(numa, 0, node)->span, n, 0), first;
	struct sched_group **made = numa->made + (size_t)level * (size_t)n;
	const struct sched_domain *child = b->top[member];
	struct sched_group *group;
	u64 *mask;

	/* Made already, by a node with the same mask?  Its first CPU is then this node's, or that of a node before it. */
	group = made[member];
	if (group)
		return group;
	mask = take_set(b);
	if (!mask)
		return NULL;
	find_balance_mask(numa, mask, below->span, level);
	first = bit_next(mask, n, 0);
	group = made[first];
	if (!group) {
		while (child && child->span_weight > below->weight)
			child = child->child;
		group = make_group(b, below->span, below->weight, child);
		if (!group)
			return NULL;
		group->balance_mask = mask;
		group->first_cpu = first;
		made[first] = group;
	}
	made[member] = group;
	return group;
}

/*
 * The ring as @cpu sees it: from its own CPU on, wrapping, each CPU that is in no group yet brings that of its node.  Nodes that
 * have no domain at this level bring none.  Returns the number of groups, in scratch; 0: no memory.
 */
static int walk_ring(struct numa *numa, int level, int cpu)
{
	struct builder *b = numa->b;
	int n = b->lab->cfg.nr_cpus, nr = 0, turn, i;
	const u64 *span = reach(numa, level, node_of(numa, cpu))->span;

	memset(numa->covered, 0, (size_t)words(b) * sizeof(u64));
	for (turn = 0; turn < 2; turn++) {
		int end = turn ? cpu : n;

		for (i = bit_next(span, end, turn ? 0 : cpu); i < end; i = bit_next(span, end, i + 1)) {
			int node = node_of(numa, i);
			struct sched_group *group;

			if (bit_test(numa->covered, i) || !has_level(numa, level, node))
				continue;
			group = group_of_node(numa, group_level(numa, span, level, node), node);
			if (!group)
				return 0;
			set_or(numa->covered, group->span, words(b));
			numa->scratch[nr++] = group;
		}
	}
	return nr;
}

/* Where in @ring the scratch ring begins, if it is the same one from another CPU's point of view; -1: it is another one. */
static int find_rotation(const struct numa *numa, const struct ring *ring, int nr)
{
	int at;

	if (ring->nr != nr)
		return -1;
	for (at = 0; at < nr && ring->groups[at] != numa->scratch[0]; at++)
		;
	if (at == nr || memcmp(ring->groups + at, numa->scratch, (size_t)nr * sizeof(*ring->groups)) != 0)
		return -1;
	return at;
}

/* The scratch ring, shared where somebody has it already. */
static struct sched_group **keep_ring(struct numa *numa, int node, int nr)
{
	size_t bytes = (size_t)nr * sizeof(*numa->scratch);
	struct ring *mine = &numa->node_ring[node];
	int at = find_rotation(numa, mine, nr);

	if (at >= 0)
		return mine->groups + at;
	at = find_rotation(numa, &numa->last, nr);
	if (at < 0) {
		numa->last.groups = take(numa->b, 2 * (size_t)nr, sizeof(*numa->scratch));
		if (!numa->last.groups)
			return NULL;
		numa->last.nr = nr;
		memcpy(numa->last.groups, numa->scratch, bytes);
		memcpy(numa->last.groups + nr, numa->scratch, bytes);
		at = 0;
	}
	*mine = numa->last;
	return mine->groups + at;
}

/* ---- a level ---- */

static unsigned level_flags(const struct numa *numa, const struct sched_domain *sd, int distance)
{
	int limit = numa->b->topo->remote_distance ? numa->b->topo->remote_distance : RECLAIM_DISTANCE;

	if (distance <= limit || lab_rule(numa->b->lab, SD_DEFAULTS) == SD_DEFAULTS_ARCH)
		return sd->flags;
	return sd->flags & ~(SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE);
}

/* @like: the domain of the CPU before, if that is of the same node; its ring is this one's. */
static struct sched_domain *make_domain(struct numa *numa, int level, int cpu, const struct sched_domain *like)
{
	struct builder *b = numa->b;
	int node = node_of(numa, cpu);
	struct reach *here = reach(numa, level, node);
	struct sched_domain *sd = take(b, 1, sizeof(*sd));
	u32 factor = (u32)here->weight / numa->first_weight[node];

	if (!sd)
		return NULL;
	sd->span = here->span;
	sd->span_weight = here->weight;
	sd->first_cpu = bit_next(here->span, b->lab->cfg.nr_cpus, 0);
	sd->words = used_words(here->span, b->lab->cfg.nr_cpus);
	if (like) {
		sd->groups = like->groups;
		sd->nr_groups = like->nr_groups;
	} else {
		sd->nr_groups = walk_ring(numa, level, cpu);
		sd->groups = sd->nr_groups ? keep_ring(numa, node, sd->nr_groups) : NULL;
		if (!sd->groups)
			return NULL;
	}
	init_domain(b, sd, SD_KIND_NUMA, SD_NUMA | SD_SERIALIZE, cpu);
	sd->flags = level_flags(numa, sd, numa->distance[level - 1]);
	sd->imb_numa_nr = b->imb_node[node] * (factor > 1 ? factor : 1);
	return sd;
}

static bool build_numa_level(struct numa *numa, int level)
{
	struct builder *b = numa->b;
	int n = b->lab->cfg.nr_cpus, cpu, node, last = -1;
	struct sched_domain *sd = NULL;

	for (node = 0; node < numa->nodes; node++) {
		if (!see_level(numa, level, node))
			return false;
		if (level == 1)
			numa->first_weight[node] = (u32)reach(numa, level, node)->weight;
	}
	numa->last.nr = 0;
	memset(numa->node_ring, 0, (size_t)numa->nodes * sizeof(*numa->node_ring));
	for_each_bit(cpu, b->all, n) {
		node = node_of(numa, cpu);
		if (reach(numa, level, node)->weight > reach(numa, level - 1, node)->weight) {
			sd = make_domain(numa, level, cpu, node == last ? sd : NULL);
			if (!sd)
				return false;
		}
		last = node;
	}
	return true;
}

bool build_numa_levels(struct builder *b)
{
	struct numa numa = { .b = b, .nodes = b->topo->nr_nodes };
	size_t n = (size_t)b->lab->cfg.nr_cpus, nodes = (size_t)b->topo->nr_nodes;
	int level;

	if (nodes < 2)
		return true;
	if (!find_distances(&numa))
		return false;
	numa.reach = take(b, ((size_t)numa.levels + 1) * nodes, sizeof(*numa.reach));
	numa.made = take(b, ((size_t)numa.levels + 1) * n, sizeof(struct sched_group *));
	numa.scratch = take(b, nodes, sizeof(struct sched_group *));
	numa.covered = take_set(b);
	numa.first_weight = take(b, nodes, sizeof(*numa.first_weight));
	numa.node_ring = take(b, nodes, sizeof(*numa.node_ring));
	if (!numa.reach || !numa.made || !numa.scratch || !numa.covered || !numa.first_weight || !numa.node_ring)
		return false;
	see_own_cpus(&numa);
	for (level = 1; level <= numa.levels; level++)
		if (!build_numa_level(&numa, level))
			return false;
	return true;
}
