/* SPDX-License-Identifier: MIT */
/*
 * Scheduler domains: which levels a CPU has, and what groups they are made of.  The numbers of levels: parameters.c.
 */
#include "base/bits.h"
#include "core/view.h"
#include "tests/driver.h"
#include "tests/smp/still_bed.h"

/* ---- the laws, on every CPU ---- */

static bool within(const u64 *a, const u64 *b, int n)
{
	int i;

	for (i = 0; i < BITS_WORDS(n); i++)
		if (a[i] & ~b[i])
			return false;
	return true;
}

static void check_group(struct bed *b, const struct sched_group *g)
{
	int n = b->lab->cfg.nr_cpus;

	CHECK_EQ(g->weight, bit_count(g->span, n));
	CHECK_EQ(g->first_cpu, bit_next(g->balance_mask, n, 0));
	CHECK(g->first_cpu < n && within(g->balance_mask, g->span, n));
	CHECK(g->cores >= 1 && g->cores <= g->weight);
}

/* The groups of a level are its span, the first holds the CPU, and none stands twice. */
static void check_domain(struct bed *b, const struct sched_domain *sd, int cpu)
{
	int n = b->lab->cfg.nr_cpus, i, k;
	u64 all[BITS_WORDS(LAB_MAX_CPUS)] = { 0 };

	CHECK_EQ(sd->span_weight, bit_count(sd->span, n));
	CHECK_EQ(sd->first_cpu, bit_next(sd->span, n, 0));
	CHECK(bit_test(sd->span, cpu) && sd->nr_groups >= 2 && bit_test(sd->groups[0]->span, cpu));
	for (i = 0; i < sd->nr_groups; i++) {
		CHECK(!bit_test(all, sd->groups[i]->first_cpu));
		for (k = 0; k < BITS_WORDS(n); k++)
			all[k] |= sd->groups[i]->span[k];
		check_group(b, sd->groups[i]);
	}
	CHECK(!memcmp(all, sd->span, (size_t)BITS_WORDS(n) * sizeof(u64)));
	CHECK_EQ(sd->groups[0]->flags, sd->child ? sd->child->flags : 0);
	CHECK_EQ(sd->balance_interval, sd->min_interval);
}

static void check_list(struct bed *b, int cpu)
{
	const struct rq_smp *smp = smp_of(b, cpu);
	const struct sched_domain *sd, *child = NULL;

	for (sd = smp->sd; sd; child = sd, sd = sd->parent) {
		CHECK(sd->child == child);
		CHECK(!child || (child->span_weight < sd->span_weight && within(child->span, sd->span, b->lab->cfg.nr_cpus)));
		CHECK((sd == smp->sd_llc) == (sd->shared != NULL));
		check_domain(b, sd, cpu);
	}
	CHECK_EQ(smp->llc_size, smp->sd_llc ? smp->sd_llc->span_weight : 1);
	CHECK_EQ(smp->llc_id, smp->sd_llc ? smp->sd_llc->first_cpu : cpu);
	CHECK(!smp->sd_llc || smp->sd_llc->shared == smp_of(b, smp->llc_id)->sd_llc->shared);
	CHECK(bit_test(smp->smt, cpu));
}

static void check_laws(struct bed *b)
{
	int cpu;

	for (cpu = 0; cpu < b->lab->cfg.nr_cpus; cpu++)
		check_list(b, cpu);
}

/* ---- the machines of 1.5 ---- */

/* A level whose span is that of the one below is not there: PKG and NODE of a socket with one LLC. */
TEST(topology, the_lists_of_known_machines)
{
	static const struct {
		struct machine_shape shape;
		int cpu;
		const char *list;
	} rows[] = {
		{ { 1, 1, 1, 1, 18, 2, 0, 0, 0 }, 0, "SMT 0,18 | MC 0-35" },			 /* c5.9xlarge */
		{ { 1, 1, 1, 1, 18, 2, 0, 0, 0 }, 35, "SMT 17,35 | MC 0-35" },
		{ { 2, 1, 1, 1, 16, 2, 0, 21, 0 }, 0, "SMT 0,32 | MC 0-15,32-47 | NUMA 0-63" }, /* r4.16xlarge */
		{ { 2, 1, 1, 1, 16, 2, 0, 21, 0 }, 16, "SMT 16,48 | MC 16-31,48-63 | NUMA 0-63" },
		{ { 2, 1, 1, 1, 24, 2, 0, 21, 0 }, 0, "SMT 0,48 | MC 0-23,48-71 | NUMA 0-95" }, /* m5.24xlarge */
		{ { 2, 1, 8, 1, 2, 4, 1, 40, 0 }, 9, "SMT 8-11 | MC 8-15 | PKG 0-63 | NUMA 0-127" }, /* POWER: pairs of cores share a cache */
		{ { 2, 1, 4, 1, 4, 1, 0, 32, 0 }, 5, "MC 4-7 | PKG 0-15 | NUMA 0-31" },		 /* several LLCs in a node */
		{ { 1, 1, 2, 1, 4, 1, 0, 0, 0 }, 4, "MC 4-7 | PKG 0-7" },				 /* P8 of the examples */
		{ { 1, 1, 1, 1, 2, 2, 1, 0, 0 }, 2, "SMT 2-3 | MC 0-3" },				 /* C2x2 */
		{ { 2, 1, 1, 1, 48, 1, 0, 0, 0 }, 50, "MC 48-95 | NUMA 0-95" },			 /* N96 */
		{ { 2, 2, 1, 1, 4, 2, 0, 21, 11 }, 4, "SMT 4,20 | MC 4-7,20-23 | NUMA 0-7,16-23 | NUMA 0-31" }, /* two nodes a socket */
		{ { 2, 2, 2, 1, 2, 1, 0, 21, 11 }, 4, "MC 4-5 | NODE 4-7 | NUMA 0-7 | NUMA 0-15" },
	};
	struct bed b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bed_shaped(&b, rows[i].shape, "6.12");
		CHECK_STR(list_of(&b, rows[i].cpu), rows[i].list);
		check_laws(&b);
		bed_fini(&b);
	}
}

/* ---- levels ---- */

/* One CPU, and CPUs that share nothing to balance over: no level at all, and an LLC of one. */
TEST(topology, one_cpu_has_no_level)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 1, 1, 1, 1), "6.12");
	CHECK(!smp_of(&b, 0)->sd && !smp_of(&b, 0)->sd_llc);
	CHECK_EQ(smp_of(&b, 0)->llc_size, 1);
	CHECK_EQ(smp_of(&b, 0)->avg_idle, 1 * MS);
	CHECK_EQ(smp_of(&b, 0)->max_idle_balance_cost, 500 * US);
	check_laws(&b);
	bed_fini(&b);
}

/* Without a topology: the oracle's guests, one LLC and nothing else (smp-checked.md A0, of the 5.10 guest). */
TEST(topology, a_flat_machine_is_one_mc_level)
{
	struct kernel_model model;
	struct sched_domain *sd;
	struct still still;
	int cpus;

	CHECK_EQ(model_init(&model, "5.10"), 0);
	for (cpus = 2; cpus <= 8; cpus *= 2) {
		CHECK_EQ(still_init(&still, cpus, NULL, &model, 250), 0);
		sd = cpu_rq(still.lab, 0)->smp.sd;
		CHECK(sd && !sd->parent && sd->kind == SD_KIND_MC);
		CHECK_EQ(sd->flags, SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE | SD_SHARE_LLC |
					    SD_PREFER_SIBLING);
		CHECK_EQ(sd->span_weight, cpus);
		CHECK_EQ(sd->nr_groups, cpus);
		CHECK_EQ(sd->groups[0]->flags, 0);
		CHECK_EQ(sd->imbalance_pct, 117);
		CHECK_EQ(sd->cache_nice_tries, 1);
		CHECK_EQ(sd->busy_factor, 16);
		CHECK_EQ(sd->min_interval, cpus);
		CHECK_EQ(sd->max_interval, 2 * cpus);
		CHECK_EQ(cpu_rq(still.lab, cpus - 1)->smp.llc_size, cpus);
		still_fini(&still);
	}
}

/* Threads of the only core: SMT alone, and that is the LLC, too. */
TEST(topology, one_core_is_its_own_llc)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 1, 1, 1, 4), "5.4");
	CHECK_STR(list_of(&b, 2), "SMT 0-3");
	CHECK_EQ(smp_of(&b, 2)->llc_size, 4);
	CHECK_EQ(level(&b, 2, 0)->imbalance_pct, 110);
	CHECK_EQ(level(&b, 2, 0)->cache_nice_tries, 0);
	check_laws(&b);
	bed_fini(&b);
}

/* Each CPU with a cache of its own: no level inside an LLC, and a package above. */
TEST(topology, private_caches_leave_the_package)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 5, 1, 1, 1), "6.12");
	CHECK_STR(list_of(&b, 4), "PKG 0-4");
	CHECK(!smp_of(&b, 4)->sd_llc);
	CHECK_EQ(smp_of(&b, 4)->llc_id, 4);
	CHECK_EQ(level(&b, 4, 0)->imb_numa_nr, 5);
	check_laws(&b);
	bed_fini(&b);
}

/* Rule cluster_level: cores that share a mid-level cache. */
TEST(topology, clusters_are_a_level_from_5_16_on)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 2, 2, 2, 1), "6.1");
	CHECK_STR(list_of(&b, 2), "CLS 2-3 | MC 0-3 | PKG 0-7");
	CHECK_EQ(smp_of(&b, 7)->cluster_id, 6);
	CHECK_EQ(smp_of(&b, 7)->llc_id, 4);
	CHECK(b.lab->smp.has_clusters);
	check_laws(&b);
	bed_fini(&b);
	bed_shaped(&b, shape(1, 1, 2, 2, 2, 1), "5.15");
	CHECK_STR(list_of(&b, 2), "MC 0-3 | PKG 0-7");
	CHECK_EQ(smp_of(&b, 7)->cluster_id, 4);
	CHECK(!b.lab->smp.has_clusters);
	bed_fini(&b);
}

/* 3 CPUs of which two share a core, numbered as nobody would; ids start over in each LLC. */
TEST(topology, any_numbering_will_do)
{
	static const struct cpu_place places[] = {
		{ 7, 7, 1, 0, 0 }, { 0, 0, 0, 0, 0 }, { 7, 7, 0, 0, 0 }, { 0, 0, 0, 0, 0 }, { 7, 7, 1, 0, 0 },
	};
	const struct topology t = { .nr_cpus = 5, .cpu = places, .nr_nodes = 1 };
	struct bed b;

	arena_of_malloc(&b.mem);
	bed_make(&b, &t, "6.12", NULL);
	CHECK_STR(list_of(&b, 0), "SMT 0,4 | PKG 0-4");
	CHECK_STR(list_of(&b, 1), "SMT 1,3 | MC 1-3 | PKG 0-4");
	CHECK_STR(list_of(&b, 2), "MC 1-3 | PKG 0-4");
	CHECK_STR(ring_of(&b, level(&b, 2, 0)), "2 1,3");
	CHECK_STR(ring_of(&b, level(&b, 3, 1)), "1,3 2");
	CHECK_STR(ring_of(&b, level(&b, 3, 2)), "1-3 0,4");
	CHECK_EQ(level(&b, 1, 2)->groups[0]->cores, 2);
	CHECK_STR(mask_of(&b, smp_of(&b, 4)->smt), "0,4");
	CHECK_EQ(smp_of(&b, 4)->core_id, 0);
	CHECK(b.lab->smp.has_smt);
	check_laws(&b);
	bed_fini(&b);
}

/* ---- groups ---- */

/* The ring begins with a CPU's own group, goes on in ascending order and wraps. */
TEST(topology, the_ring_begins_at_home)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 1, 1, 3, 2), "6.12");
	CHECK_STR(ring_of(&b, level(&b, 1, 1)), "1,4 2,5 0,3");
	CHECK_STR(ring_of(&b, level(&b, 5, 1)), "2,5 0,3 1,4");
	CHECK_STR(ring_of(&b, level(&b, 5, 0)), "5 2");
	CHECK(level(&b, 5, 1)->groups[0] == level(&b, 2, 1)->groups[0]); /* one group, whoever looks */
	CHECK(level(&b, 1, 1)->groups[1] == level(&b, 2, 1)->groups[0]);
	bed_fini(&b);
}

/* A group has the flags of the level that it is a set of; a single CPU has none. */
TEST(topology, a_group_knows_what_it_is_made_of)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 2, 1, 2, 2), "6.12");
	CHECK_EQ(level(&b, 0, 0)->groups[0]->flags, 0);
	CHECK(level(&b, 0, 1)->groups[1]->flags & SD_SHARE_CPUCAPACITY);
	CHECK(!(level(&b, 0, 2)->groups[1]->flags & SD_SHARE_CPUCAPACITY));
	CHECK(level(&b, 0, 2)->groups[1]->flags & SD_SHARE_LLC);
	CHECK_EQ(level(&b, 0, 2)->groups[1]->cores, 2);
	CHECK_EQ(level(&b, 0, 2)->groups[1]->capacity, 4096);
	bed_fini(&b);
}

/* ---- between nodes ---- */

#define NODES 4
static const int square[] = { 10, 20, 30, 20, 20, 10, 20, 30, 30, 20, 10, 20, 20, 30, 20, 10 };
static const int line[] = { 10, 20, 30, 40, 20, 10, 20, 30, 30, 20, 10, 20, 40, 30, 20, 10 };

/* Four nodes of two CPUs, node by node, each node one LLC. */
static void bed_nodes(struct bed *b, const int *distance, const char *row, const char *rule)
{
	static struct cpu_place places[2 * NODES];
	static struct topology t;
	int cpu;

	for (cpu = 0; cpu < 2 * NODES; cpu++)
		places[cpu] = (struct cpu_place){ cpu, cpu, cpu / 2, cpu / 2, cpu / 2 };
	t = (struct topology){ .nr_cpus = 2 * NODES, .cpu = places, .nr_nodes = NODES, .distance = distance };
	arena_of_malloc(&b->mem);
	bed_make(b, &t, row, rule);
}

/* A ring of nodes: each sees its neighbours first; the two groups of the top level overlap, and one node alone balances for each. */
TEST(topology, groups_of_a_ring_of_nodes_overlap)
{
	struct bed b;
	struct sched_domain *top;

	bed_nodes(&b, square, "6.12", NULL);
	CHECK_STR(list_of(&b, 0), "MC 0-1 | NUMA 0-3,6-7 | NUMA 0-7");
	CHECK_STR(list_of(&b, 5), "MC 4-5 | NUMA 2-7 | NUMA 0-7");
	CHECK_STR(ring_of(&b, level(&b, 0, 1)), "0-1 2-3 6-7");
	CHECK_STR(ring_of(&b, level(&b, 7, 1)), "6-7 0-1 4-5");
	top = level(&b, 0, 2);
	CHECK_STR(ring_of(&b, top), "0-3,6-7 2-7");
	CHECK_STR(mask_of(&b, top->groups[0]->balance_mask), "0-1");
	CHECK_STR(mask_of(&b, top->groups[1]->balance_mask), "4-5");
	CHECK_EQ(top->groups[1]->first_cpu, 4);
	CHECK_STR(ring_of(&b, level(&b, 2, 2)), "0-5 0-1,4-7");
	CHECK(level(&b, 4, 2)->groups[0] == top->groups[1]);
	CHECK_STR(mask_of(&b, level(&b, 0, 1)->groups[1]->balance_mask), "2-3");
	check_laws(&b);
	bed_fini(&b);
}

/* Three distances; beyond 30 nothing is forked, executed or pulled by a wakeup. */
TEST(topology, far_nodes_get_no_new_tasks)
{
	const unsigned starts = SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE;
	struct sched_domain *sd;
	struct bed b;

	bed_nodes(&b, line, "6.12", NULL);
	CHECK_STR(list_of(&b, 0), "MC 0-1 | NUMA 0-3 | NUMA 0-5 | NUMA 0-7");
	CHECK_STR(list_of(&b, 2), "MC 2-3 | NUMA 0-5 | NUMA 0-7");
	CHECK_EQ(level(&b, 0, 1)->flags & starts, starts);
	CHECK_EQ(level(&b, 0, 2)->flags & starts, starts);
	CHECK_EQ(level(&b, 0, 3)->flags & starts, 0);
	for (sd = level(&b, 0, 1); sd; sd = sd->parent) {
		CHECK(sd->flags & SD_SERIALIZE && sd->flags & SD_NUMA && sd->flags & SD_BALANCE_NEWIDLE);
		CHECK(!(sd->flags & SD_PREFER_SIBLING));
		CHECK_EQ(sd->cache_nice_tries, 2);
		CHECK_EQ(sd->imbalance_pct, 117);
	}
	check_laws(&b);
	bed_fini(&b);
}

/* The same machine where its own limit is farther out, as AMD's is. */
TEST(topology, a_machine_may_reach_farther)
{
	static const int distance[] = { 10, 32, 32, 10 };
	static const struct cpu_place places[] = { { 0, 0, 0, 0, 0 }, { 1, 1, 1, 1, 1 } };
	struct topology t = { .nr_cpus = 2, .cpu = places, .nr_nodes = 2, .distance = distance };
	struct bed b;

	arena_of_malloc(&b.mem);
	bed_make(&b, &t, "5.10", NULL);
	CHECK(!(level(&b, 0, 0)->flags & SD_WAKE_AFFINE));
	still_fini(&b.still);
	t.remote_distance = 32;
	bed_make(&b, &t, "5.10", NULL);
	CHECK(level(&b, 0, 0)->flags & SD_WAKE_AFFINE);
	bed_fini(&b);
}

/* Rule numa_groups: at distance 30 node 0 sees 0 to 2, but node 2 sees 3 as well. */
TEST(topology, groups_once_led_out_of_their_level)
{
	struct bed b;

	bed_nodes(&b, line, "5.10", NULL);
	CHECK_STR(ring_of(&b, level(&b, 0, 2)), "0-3 2-7");
	bed_fini(&b);
	bed_nodes(&b, line, "5.10", "numa_groups=within");
	CHECK_STR(ring_of(&b, level(&b, 0, 2)), "0-3 4-5");
	CHECK_STR(mask_of(&b, level(&b, 0, 2)->groups[1]->balance_mask), "4-5");
	check_laws(&b);
	bed_fini(&b);
}

/* Nodes dealt out CPU by CPU: the order of the ring follows the CPUs, not the nodes. */
TEST(topology, interleaved_nodes)
{
	static const struct cpu_place places[] = {
		{ 0, 0, 0, 0, 2 }, { 1, 1, 1, 1, 0 }, { 2, 2, 2, 2, 1 }, { 3, 3, 0, 0, 2 }, { 4, 4, 2, 2, 1 }, { 5, 5, 1, 1, 0 },
	};
	const struct topology t = { .nr_cpus = 6, .cpu = places, .nr_nodes = 3 };
	struct bed b;

	arena_of_malloc(&b.mem);
	bed_make(&b, &t, "6.12", NULL);
	CHECK_STR(list_of(&b, 3), "MC 0,3 | NUMA 0-5");
	CHECK_STR(ring_of(&b, level(&b, 0, 1)), "0,3 1,5 2,4");
	CHECK_STR(ring_of(&b, level(&b, 3, 1)), "0,3 2,4 1,5"); /* 4 comes before 5 */
	CHECK_STR(ring_of(&b, level(&b, 5, 1)), "1,5 0,3 2,4");
	check_laws(&b);
	bed_fini(&b);
}

/* 2.7: an eighth of a node with one LLC, or one for each LLC; farther levels in proportion to the first between nodes. */
TEST(topology, how_many_tasks_may_stay_on_a_node)
{
	static const struct {
		struct machine_shape shape;
		int level;
		u32 imb;
	} rows[] = {
		{ { 2, 1, 1, 1, 24, 2, 0, 0, 0 }, 2, 6 }, /* the package degenerates, and counts all the same */
		{ { 2, 1, 1, 1, 16, 2, 0, 0, 0 }, 2, 4 },
		{ { 2, 1, 1, 1, 48, 1, 0, 0, 0 }, 1, 6 }, /* N96 of the examples */
		{ { 1, 1, 2, 1, 4, 1, 0, 0, 0 }, 1, 2 },  /* P8 */
		{ { 2, 1, 4, 1, 4, 1, 0, 0, 0 }, 1, 4 },
		{ { 2, 1, 4, 1, 4, 1, 0, 0, 0 }, 2, 4 },
		{ { 2, 1, 1, 1, 4, 1, 0, 0, 0 }, 1, 1 },  /* at least 1 */
		{ { 4, 2, 1, 1, 8, 2, 0, 0, 0 }, 2, 2 },  /* 32 CPUs at distance 12 */
		{ { 4, 2, 1, 1, 8, 2, 0, 0, 0 }, 3, 8 },  /* 128 CPUs: four times that */
		{ { 2, 1, 1, 1, 24, 2, 0, 0, 0 }, 1, 0 }, /* inside the LLC it means nothing */
	};
	struct bed b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bed_shaped(&b, rows[i].shape, "6.12");
		CHECK_EQ(level(&b, 0, rows[i].level)->imb_numa_nr, rows[i].imb);
		bed_fini(&b);
	}
}

/* ---- CPUs that go, come, or stand aside ---- */

/* Each change builds all lists anew; an offline CPU is in none, and its sibling is a whole core. */
TEST(topology, hotplug_builds_anew)
{
	struct bed b;

	bed_shaped(&b, shape(2, 1, 1, 1, 2, 2), "6.12");
	level(&b, 0, 1)->nr_balance_failed = 5;
	level(&b, 0, 1)->groups[0]->imbalance = true;
	smp_of(&b, 0)->sd_llc->shared->has_idle_cores = true;
	CHECK_EQ(lab_hotplug(b.lab, 4, false), 0);
	CHECK_STR(list_of(&b, 0), "MC 0-1,5 | NUMA 0-3,5-7");
	CHECK_STR(list_of(&b, 4), "");
	CHECK_EQ(smp_of(&b, 0)->llc_size, 3);
	CHECK_EQ(smp_of(&b, 4)->llc_size, 1);
	CHECK_STR(mask_of(&b, smp_of(&b, 0)->smt), "0");
	CHECK_STR(ring_of(&b, level(&b, 0, 0)), "0 1,5");
	CHECK_EQ(level(&b, 0, 0)->shared->nr_busy_cpus, 3);
	check_laws(&b);
	CHECK_EQ(lab_hotplug(b.lab, 4, true), 0);
	CHECK_STR(list_of(&b, 4), "SMT 0,4 | MC 0-1,4-5 | NUMA 0-7");
	CHECK_EQ(level(&b, 0, 1)->nr_balance_failed, 0);
	CHECK(!level(&b, 0, 1)->groups[0]->imbalance);
	CHECK(!level(&b, 0, 1)->shared->has_idle_cores);
	check_laws(&b);
	bed_fini(&b);
}

/* A node whose CPUs all went is on nobody's list; the last CPU has none. */
TEST(topology, down_to_one_cpu)
{
	struct bed b;
	int cpu;

	bed_nodes(&b, line, "6.12", NULL);
	CHECK_EQ(lab_hotplug(b.lab, 2, false), 0);
	CHECK_EQ(lab_hotplug(b.lab, 3, false), 0);
	CHECK_STR(list_of(&b, 0), "MC 0-1 | NUMA 0-1,4-5 | NUMA 0-1,4-7");
	check_laws(&b);
	for (cpu = 1; cpu < 8; cpu++)
		CHECK_EQ(lab_hotplug(b.lab, cpu, false), 0);
	CHECK_STR(list_of(&b, 0), "");
	CHECK_EQ(b.lab->smp.nr_balanced, 1);
	bed_fini(&b);
}

/* A CPU that comes and goes for ever takes no more memory than the first time. */
TEST(topology, rebuilding_takes_no_more_memory)
{
	struct bed b;
	size_t before;
	int i;

	bed_shaped(&b, shape(2, 1, 2, 1, 4, 2), "6.12");
	for (i = 0; i < 4; i++)
		CHECK_EQ(lab_hotplug(b.lab, 9, i & 1), 0);
	before = b.still.mem.total;
	for (i = 0; i < 1000; i++)
		CHECK_EQ(lab_hotplug(b.lab, i / 2 % 32, i & 1), 0);
	CHECK_EQ(b.still.mem.total, before);
	check_laws(&b);
	bed_fini(&b);
}

/* 1.1: isolated CPUs have no domains; those around them do without. */
TEST(topology, isolated_cpus_stand_aside)
{
	const u64 isolated = 1u << 4 | 1u << 1 | 1u << 5;
	struct machine_shape s = shape(2, 1, 1, 1, 2, 2);
	struct topology *t;
	struct bed b;

	arena_of_malloc(&b.mem);
	t = topology_of_shape(&b.mem, &s);
	t->isolated = &isolated;
	bed_make(&b, t, "6.12", NULL);
	CHECK_STR(list_of(&b, 0), "NUMA 0,2-3,6-7");
	CHECK_STR(list_of(&b, 1), "");
	CHECK_STR(list_of(&b, 4), "");
	CHECK_STR(list_of(&b, 2), "SMT 2,6 | MC 2-3,6-7 | NUMA 0,2-3,6-7");
	CHECK_STR(mask_of(&b, smp_of(&b, 5)->smt), "1,5"); /* the core is what it is */
	CHECK_EQ(b.lab->smp.nr_balanced, 5);
	check_laws(&b);
	bed_fini(&b);
}

/* ---- sizes ---- */

/* Odd numbers of everything. */
TEST(topology, odd_machines_keep_the_laws)
{
	struct bed b;
	int s, l, c, t;

	for (s = 1; s <= 3; s += 2)
		for (l = 1; l <= 3; l += 2)
			for (c = 1; c <= 7; c += 3)
				for (t = 1; t <= 3; t++) {
					bed_shaped(&b, shape(s, s, l, 1, c, t), "6.12");
					check_laws(&b);
					bed_fini(&b);
				}
}

/* 1,024 CPUs in a few MB, whatever they are: what a lab takes for its CPUs is measured with one of them as the price of a run-queue. */
TEST(topology, a_thousand_cpus_are_cheap)
{
	static const struct machine_shape rows[] = {
		{ 1, 1, 1, 1, 1024, 1, 0, 0, 0 }, { 2, 1, 1, 1, 256, 2, 0, 0, 0 },   { 8, 1, 8, 1, 8, 2, 0, 0, 0 },
		{ 8, 8, 1, 1, 16, 1, 0, 0, 0 },	  { 64, 1, 2, 2, 2, 2, 1, 40, 0 }, { 1024, 1, 1, 1, 1, 1, 0, 0, 0 },
	};
	struct bed b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bed_shaped(&b, rows[i], "6.12");
		CHECK(b.still.mem.total - 1024 * sizeof(struct rq) < 4 << 20);
		check_laws(&b);
		bed_fini(&b);
	}
}

/* ---- what is refused ---- */

TEST(topology, nonsense_makes_no_lab)
{
	static const struct cpu_place places[] = { { 0, 0, 0, 0, 0 }, { 1, 1, 0, 0, 1 } };
	static const int too_near[] = { 10, 9, 9, 10 }, too_far[] = { 10, 255, 255, 10 };
	static const struct topology rows[] = {
		{ .nr_cpus = 1, .cpu = places, .nr_nodes = 2 },
		{ .nr_cpus = 2, .cpu = places, .nr_nodes = 1 },
		{ .nr_cpus = 2, .cpu = places, .nr_nodes = 0 },
		{ .nr_cpus = 2, .cpu = places, .nr_nodes = 2, .distance = too_near },
		{ .nr_cpus = 2, .cpu = places, .nr_nodes = 2, .distance = too_far },
	};
	struct kernel_model model;
	struct still still;
	u32 i;

	CHECK_EQ(model_init(&model, "6.12"), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(still_init(&still, 2, &rows[i], &model, 250), -1);
		still_fini(&still);
	}
}

/* Memory that ends anywhere: no lab, or a whole one; a rebuild that finds none leaves no domain half made. */
TEST(topology, out_of_memory)
{
	struct machine_shape s = shape(2, 2, 2, 1, 2, 2);
	struct driver d;
	struct arena mem;
	int allocs = 1, cpu;
	bool whole = false;

	arena_of_malloc(&mem);
	for (; !whole; allocs++) {
		driver_of(&d, .cpus = 32, .topology = topology_of_shape(&mem, &s), .row = "6.12", .allocs = allocs);
		whole = d.lab != NULL;
		if (whole) {
			struct domain_block *blocks = d.lab->smp.blocks;

			blocks->next = NULL; /* as if it had been enough so far */
			blocks->size /= 4;
			CHECK_EQ(lab_hotplug(d.lab, 3, false), -ENOMEM);
			for (cpu = 0; cpu < 32; cpu++)
				CHECK(!cpu_rq(d.lab, cpu)->smp.sd && cpu_rq(d.lab, cpu)->smp.llc_size == 1);
		}
		driver_fini(&d);
	}
	CHECK(allocs > 5);
	arena_fini(&mem);
}

TEST_MAIN("smp: topology")
