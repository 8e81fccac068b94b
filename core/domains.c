/* SPDX-License-Identifier: MIT */
/*
 * domains.c - scheduler domains: the levels at which a CPU looks for others to share work with.
 *
 *	threads of a core   SMT    {0 2}   {1 3}   {4 6}   {5 7}
 *	one last level cache MC    {0 2    1 3}    {4 6    5 7}		groups of a level: the sets of the level below
 *	between nodes       NUMA   {0 2    1 3      4 6    5 7}
 *
 * CPUs are sorted by what they share (domains_order.c), so that each set of a level is one piece of that order; from the threads up to the
 * node a level is a walk over it.  Levels between nodes overlap and stand in domains_numa.c.  What a level is balanced by, its intervals and
 * thresholds, is domains_params.c.  A level that adds no CPU to the one below degenerates: it is never made, but hands its preference for
 * siblings down.
 *
 * Spans and groups are shared by all CPUs that see the same ones; the ring of a level's groups is written down twice in a row,
 * so that each CPU's own ring is a piece of that.  Memory is a few hundred bytes for each CPU and level.
 *
 * Law: a CPU's domains grow from level to level, each has at least two groups, together they are its span, and the first one
 * holds the CPU.
 */
#include "core/domains.h"

#include <string.h>

/* ---- memory: blocks that are filled again at each build ---- */

#define BLOCK_BYTES(nr_cpus) ((size_t)1024 + (size_t)(nr_cpus) * 512)

static bool next_block(struct lab *lab, size_t size)
{
	struct lab_smp *smp = &lab->smp;
	struct domain_block **pos = smp->block ? &smp->block->next : &smp->blocks;
	size_t least = BLOCK_BYTES(lab->cfg.nr_cpus);

	while (*pos && (*pos)->size < size)
		pos = &(*pos)->next;
	if (!*pos) {
		size = size < least ? least : size;
		*pos = lab->pf.alloc(lab->pf.ctx, sizeof(**pos) + size);
		if (!*pos)
			return false;
		(*pos)->size = size;
	}
	smp->block = *pos;
	smp->block_used = 0;
	return true;
}

void *take(struct builder *b, size_t count, size_t size)
{
	struct lab_smp *smp = &b->lab->smp;
	char *mem;

	size = (count * size + 7) & ~(size_t)7;
	if (!smp->block || smp->block->size - smp->block_used < size) {
		if (!next_block(b->lab, size))
			return NULL;
	}
	mem = (char *)(smp->block + 1) + smp->block_used;
	smp->block_used += size;
	memset(mem, 0, size);
	return mem;
}

u64 *take_set(struct builder *b) { return take(b, (size_t)words(b), sizeof(u64)); }

/* ---- groups ---- */

static int cores_of(const struct builder *b, const u64 *span)
{
	int n = b->lab->cfg.nr_cpus, cpu, cores = 0;

	for_each_bit(cpu, span, n)
		cores += cpu_rq(b->lab, cpu)->smp.core_id == cpu;
	return cores;
}

struct sched_group *make_group(struct builder *b, u64 *span, int weight, const struct sched_domain *child)
{
	struct sched_group *group = take(b, 1, sizeof(*group));
	int n = b->lab->cfg.nr_cpus, cpu;

	if (!group)
		return NULL;
	group->span = span;
	group->balance_mask = span;
	group->weight = weight;
	group->first_cpu = bit_next(span, n, 0);
	group->words = used_words(span, n);
	group->cores = weight > 1 ? cores_of(b, span) : 1;
	group->flags = child ? child->flags : 0;
	for_each_bit(cpu, span, n)
		group->capacity += cpu_rq(b->lab, cpu)->smp.capacity_orig;
	return group;
}

/* The ring of a level over @span: a group for each set of the level below, in ascending order, twice.  NULL: no memory. */
static struct sched_group **make_ring(struct builder *b, const u64 *span, int *nr_groups)
{
	int n = b->lab->cfg.nr_cpus, cpu, nr = 0, i;
	struct sched_group **ring;

	for_each_bit(cpu, span, n)
		nr += !b->top[cpu] || b->top[cpu]->first_cpu == cpu;
	ring = take(b, 2 * (size_t)nr, sizeof(*ring));
	if (!ring)
		return NULL;
	*nr_groups = nr;
	i = 0;
	for_each_bit(cpu, span, n) {
		if (b->top[cpu] && b->top[cpu]->first_cpu != cpu)
			continue;
		ring[i] = make_group(b, top_span(b, cpu), top_weight(b, cpu), b->top[cpu]);
		if (!ring[i])
			return NULL;
		ring[nr + i] = ring[i];
		b->group_at[cpu] = i++;
	}
	return ring;
}

/* ---- levels up to the node: the sets of a level have no CPU in common ---- */

static const struct level {
	enum sd_kind kind;
	enum share share;
	unsigned flags;
} levels[] = {
	{ SD_KIND_SMT, SHARE_CORE, SD_SHARE_CPUCAPACITY | SD_SHARE_LLC },
	{ SD_KIND_CLUSTER, SHARE_CLUSTER, SD_SHARE_LLC },
	{ SD_KIND_MC, SHARE_LLC, SD_SHARE_LLC },
	{ SD_KIND_PKG, SHARE_NODE, 0 }, /* a kernel's package level spans the node; NODE where packages have several nodes */
};

/* Rule cluster_level (5.16, 778c558f49a2). */
static bool has_level(const struct lab *lab, const struct level *level)
{
	return level->kind != SD_KIND_CLUSTER || lab_rule(lab, CLUSTER_LEVEL);
}

static u64 *span_of_piece(struct builder *b, int from, int to)
{
	u64 *span;

	span = take_set(b);
	for (; span && from < to; from++)
		bit_set(span, b->order[from]);
	return span;
}

/* The domains of one set: the CPUs order[from..to).  False: no memory. */
static bool make_domains(struct builder *b, const struct level *level, int from, int to)
{
	u64 *span = span_of_piece(b, from, to);
	struct sched_domain *sd = take(b, (size_t)(to - from), sizeof(*sd));
	struct sched_group **ring;
	u64 set_words;
	int nr_groups, first, i;
	enum sd_kind kind = level->kind == SD_KIND_PKG && b->topo->sub_numa ? SD_KIND_NODE : level->kind;

	if (!span || !sd)
		return false;
	ring = make_ring(b, span, &nr_groups);
	if (!ring)
		return false;
	first = bit_next(span, b->lab->cfg.nr_cpus, 0);
	set_words = used_words(span, b->lab->cfg.nr_cpus);
	for (i = from; i < to; i++, sd++) {
		int cpu = b->order[i];

		sd->span = span;
		sd->span_weight = to - from;
		sd->first_cpu = first;
		sd->words = set_words;
		sd->groups = ring + b->group_at[b->top[cpu] ? b->top[cpu]->first_cpu : cpu];
		sd->nr_groups = nr_groups;
		init_domain(b, sd, kind, level->flags, cpu);
	}
	return true;
}

/* A level that adds no CPU: what is left of it is that the one below prefers siblings, too. */
static void degenerate(struct builder *b, int from, int to)
{
	for (; from < to; from++) {
		struct sched_domain *below = b->top[b->order[from]];

		if (below && below->span_weight < b->nr)
			below->flags |= SD_PREFER_SIBLING;
	}
}

/*
 * How many tasks may run on one of two nodes before the other is thought of (5.18, e496132ebedd): an eighth of a node with one LLC, or
 * one for each LLC.  Said of the first level above the LLC, whether that degenerates or not.
 */
static u32 imb_of_node(int node_weight, int llc_weight)
{
	int llcs = node_weight / llc_weight, imb = llcs == 1 ? node_weight / 8 : llcs;

	return (u32)(imb > 1 ? imb : 1);
}

static bool build_level(struct builder *b, const struct level *level)
{
	int from, to, i;

	for (from = 0; from < b->nr; from = to) {
		int cpu = b->order[from], below = top_weight(b, cpu);

		to = piece_end(b, from, level->share);
		if (level->kind == SD_KIND_PKG)
			b->imb_node[b->topo->cpu[cpu].node] = imb_of_node(to - from, below);
		if (to - from == below) {
			degenerate(b, from, to);
			continue;
		}
		if (!make_domains(b, level, from, to))
			return false;
		for (i = from; level->kind == SD_KIND_PKG && i < to; i++)
			b->top[b->order[i]]->imb_numa_nr = b->imb_node[b->topo->cpu[cpu].node];
	}
	return true;
}

/* ---- what a CPU remembers of its list ---- */

/*
 * Rule smt_capacity, to 4.20 (765d0af19f5f): the threads of a core together can do 1178 of a whole one's 1024.  Later each counts as
 * a whole one.
 */
static u64 smt_capacity(const struct lab *lab, int threads)
{
	if (threads > 1 && lab_rule(lab, SMT_CAPACITY) == SMT_CAPACITY_SHARED)
		return 1178 / (u64)threads;
	return 1024;
}

/* Threads of a core, before any level: smt, core_id and what each can do. */
static bool find_cores(struct builder *b)
{
	int from, to, i;

	for (from = 0; from < b->nr; from = to) {
		int first = b->order[from]; /* threads of a core stand in ascending order */
		u64 *span = b->one[first], smt_words;

		to = piece_end(b, from, SHARE_CORE);
		if (to - from > 1) {
			span = span_of_piece(b, from, to);
			b->lab->smp.has_smt = true;
		}
		if (!span)
			return false;
		smt_words = used_words(span, b->lab->cfg.nr_cpus);
		for (i = from; i < to; i++) {
			struct rq_smp *smp = &cpu_rq(b->lab, b->order[i])->smp;

			smp->smt = span;
			smp->core_id = first;
			smp->smt_words = smt_words;
			smp->capacity_orig = smt_capacity(b->lab, to - from);
			smp->capacity = smp->capacity_orig;
		}
	}
	return true;
}

/* Flags of a CPU's own groups are those of the domain below as it became. */
static void settle_groups(struct sched_domain *sd)
{
	for (; sd; sd = sd->parent)
		sd->groups[0]->flags = sd->child ? sd->child->flags : 0;
}

/* The highest level inside one cache, where the CPU has any. */
static void find_llc(struct rq_smp *smp)
{
	struct sched_domain *sd;

	for (sd = smp->sd; sd && sd->flags & SD_SHARE_LLC; sd = sd->parent) {
		smp->sd_llc = sd;
		smp->llc_size = sd->span_weight;
		smp->llc_id = sd->first_cpu;
	}
}

static void find_cluster(struct builder *b, struct rq_smp *smp)
{
	const struct sched_domain *sd;

	smp->cluster_id = smp->llc_id;
	for (sd = smp->sd; sd; sd = sd->parent) {
		if (sd->kind == SD_KIND_CLUSTER) {
			smp->cluster_id = sd->first_cpu;
			b->lab->smp.has_clusters = true;
		}
	}
}

/* What the CPUs of a cache know together: made by the first of them, whose list is done before the others'.  False: no memory. */
static bool share_llc(struct builder *b, struct rq_smp *smp, int cpu)
{
	struct sched_domain *sd = smp->sd_llc;

	if (!sd)
		return true;
	if (smp->llc_id != cpu) {
		sd->shared = cpu_rq(b->lab, smp->llc_id)->smp.sd_llc->shared;
		return true;
	}
	sd->shared = take(b, 1, sizeof(*sd->shared));
	if (sd->shared)
		sd->shared->nr_busy_cpus = sd->span_weight;
	return sd->shared != NULL;
}

static bool remember(struct builder *b, struct rq_smp *smp, int cpu)
{
	struct sched_domain *sd = b->top[cpu];

	while (sd && sd->child)
		sd = sd->child;
	smp->sd = sd;
	settle_groups(sd);
	find_llc(smp);
	find_cluster(b, smp);
	return share_llc(b, smp, cpu);
}

/* ---- the whole ---- */

static void forget(struct lab *lab)
{
	int cpu;

	lab->smp.block = NULL;
	lab->smp.block_used = 0;
	lab->smp.has_smt = lab->smp.has_clusters = false;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++) {
		struct rq_smp *smp = &cpu_rq(lab, cpu)->smp;

		smp->sd = smp->sd_llc = NULL;
		smp->llc_size = 1;
		smp->llc_id = smp->cluster_id = smp->core_id = cpu;
		smp->node = lab->smp.topology->cpu[cpu].node;
		smp->smt = lab->smp.one[cpu];
		smp->smt_words = (u64)1 << cpu / 64;
		smp->capacity_orig = smp->capacity = 1024;
	}
}

static bool begin(struct builder *b)
{
	struct lab *lab = b->lab;
	size_t n = (size_t)lab->cfg.nr_cpus;
	int cpu, *spare = take(b, n, sizeof(*spare));

	b->order = take(b, n, sizeof(*b->order));
	b->common = take(b, n, sizeof(*b->common));
	b->top = take(b, n, sizeof(*b->top));
	b->group_at = take(b, n, sizeof(*b->group_at));
	b->imb_node = take(b, (size_t)b->topo->nr_nodes, sizeof(*b->imb_node));
	b->all = take_set(b);
	if (!spare || !b->order || !b->common || !b->top || !b->group_at || !b->imb_node || !b->all)
		return false;
	for_each_bit(cpu, lab->smp.online, lab->cfg.nr_cpus)
		b->order[b->nr++] = cpu;
	sort_cpus(b, spare);
	if (!find_cores(b))
		return false;
	drop_isolated(b);
	return true;
}

static bool build(struct builder *b)
{
	struct lab *lab = b->lab;
	size_t i;
	int cpu;

	if (!begin(b))
		return false;
	for (i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (has_level(lab, &levels[i]) && !build_level(b, &levels[i]))
			return false;
	if (!build_numa_levels(b))
		return false;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		if (!remember(b, &cpu_rq(lab, cpu)->smp, cpu))
			return false;
	return true;
}

bool build_domains(struct lab *lab)
{
	struct builder b = { .lab = lab, .topo = lab->smp.topology, .one = lab->smp.one };

	forget(lab);
	lab->smp.nr_balanced = 1;
	if (lab->cfg.nr_cpus == 1 || build(&b))
		return true;
	forget(lab);
	return false;
}

/* ---- the start ---- */

static bool flat_topology(struct lab *lab)
{
	struct cpu_place *place = &lab->smp.alone.place;
	int cpu;

	if (lab->cfg.nr_cpus > 1)
		place = lab->pf.alloc(lab->pf.ctx, (size_t)lab->cfg.nr_cpus * sizeof(*place));
	if (!place)
		return false;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		place[cpu].core = place[cpu].cluster = cpu;
	lab->smp.flat = (struct topology){ .nr_cpus = lab->cfg.nr_cpus, .cpu = place, .nr_nodes = 1 };
	lab->smp.topology = &lab->smp.flat;
	return true;
}

static bool topology_is_sane(const struct topology *t, int nr_cpus)
{
	int i;

	if (t->nr_cpus != nr_cpus || t->nr_nodes < 1 || t->nr_nodes > TOPOLOGY_MAX_NODES)
		return false;
	for (i = 0; i < nr_cpus; i++)
		if (t->cpu[i].node < 0 || t->cpu[i].node >= t->nr_nodes)
			return false;
	for (i = 0; t->distance && i < t->nr_nodes * t->nr_nodes; i++)
		if (t->distance[i] < LOCAL_DISTANCE || t->distance[i] > MOST_DISTANCE)
			return false;
	return true;
}

static void init_rq_smp(struct lab *lab, struct rq_smp *smp)
{
	smp->next_balance = lab_jiffies(lab);
	smp->max_idle_balance_cost = lab->model.param[PARAM_MIGRATION_COST];
	smp->avg_idle = 2 * smp->max_idle_balance_cost;
	list_init(&smp->cfs_tasks);
}

/* A set for each CPU alone, and one of all. */
static bool make_sets(struct lab *lab)
{
	size_t n = (size_t)lab->cfg.nr_cpus, nr_words = BITS_WORDS(n);
	struct lab_smp *smp = &lab->smp;
	u64 *sets = &smp->alone.set;
	int cpu;

	smp->one = &smp->alone.one;
	smp->online = sets; /* the only CPU never goes */
	if (n > 1) {
		sets = lab->pf.alloc(lab->pf.ctx, (n + 1) * nr_words * sizeof(*sets));
		smp->one = lab->pf.alloc(lab->pf.ctx, n * sizeof(*smp->one));
		if (!sets || !smp->one)
			return false;
		smp->online = sets + n * nr_words;
	}
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++) {
		smp->one[cpu] = sets + (size_t)cpu * nr_words;
		bit_set(smp->one[cpu], cpu);
		bit_set(smp->online, cpu);
	}
	return true;
}

bool init_domains(struct lab *lab)
{
	int cpu;

	if (!make_sets(lab))
		return false;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		init_rq_smp(lab, &cpu_rq(lab, cpu)->smp);
	lab->smp.topology = lab->cfg.topology;
	if (lab->smp.topology)
		return topology_is_sane(lab->smp.topology, lab->cfg.nr_cpus);
	return flat_topology(lab);
}
