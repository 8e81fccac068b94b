/* SPDX-License-Identifier: MIT */
/*
 * Levels: a witness for every rule of them, a machine whose levels change when that rule alone is flipped.
 */

#include "base/bits.h"
#include "core/view.h"
#include "sim/still.h"
#include "tests/test.h"
#include "tests/witness.h"
#include "text/memory.h"
#include "work/topology.h"

struct bed {
	struct still still;
	struct arena mem;
};

static void bed_of(struct bed *b, const struct under *u, const struct machine_shape *shape, const int *distance)
{
	struct kernel_model model;
	struct topology *t;

	arena_of_malloc(&b->mem);
	t = topology_of_shape(&b->mem, shape);
	assert_non_null(t);
	if (distance)
		t->distance = distance;
	CHECK_EQ(model_init(&model, u->row), 0);
	if (u->flipped)
		CHECK_EQ(model_set_rule(&model, u->flipped, NULL), 0);
	CHECK_EQ(still_init(&b->still, t->nr_cpus, t, &model, 250), 0);
}

static void bed_fini(struct bed *b)
{
	still_fini(&b->still);
	arena_fini(&b->mem);
}

static struct domain_view level_of(struct bed *b, int cpu, int level)
{
	struct domain_view v;

	CHECK(lab_view_domain(b->still.lab, cpu, level, &v));
	return v;
}

/* ---- figures ---- */

/* 2 sockets x 16 cores x 2 threads: what an idle CPU waits between two looks at its own cache's CPUs. */
static s64 idle_look(const struct under *u)
{
	static const struct machine_shape shape = { 2, 1, 1, 1, 16, 2, 0, 0, 0 };
	struct bed b;
	s64 ns;

	bed_of(&b, u, &shape, NULL);
	ns = (s64)level_of(&b, 0, 1).min_interval;
	bed_fini(&b);
	return ns;
}

/* 2 clusters of 4 cores in one cache: CPUs at the lowest level. */
static s64 lowest_level(const struct under *u)
{
	static const struct machine_shape shape = { 1, 1, 1, 2, 4, 1, 0, 0, 0 };
	struct bed b;
	s64 cpus;

	bed_of(&b, u, &shape, NULL);
	cpus = level_of(&b, 0, 0).span_weight;
	bed_fini(&b);
	return cpus;
}

static s64 worth_of_a_thread(const struct under *u)
{
	static const struct machine_shape shape = { 1, 1, 1, 1, 2, 2, 0, 0, 0 };
	struct cpu_view v;
	struct bed b;

	bed_of(&b, u, &shape, NULL);
	lab_view_cpu(b.still.lab, 0, &v);
	bed_fini(&b);
	return (s64)v.capacity;
}

/* Four nodes in a line, of one CPU each: how many CPUs the far group of node 0 has at distance 30, where nodes 0 to 2 are. */
static s64 far_group(const struct under *u)
{
	static const struct machine_shape shape = { 4, 1, 1, 1, 1, 1, 0, 0, 0 };
	static const int line[] = { 10, 20, 30, 40, 20, 10, 20, 30, 30, 20, 10, 20, 40, 30, 20, 10 };
	struct domain_group_view g;
	struct bed b;

	bed_of(&b, u, &shape, line);
	lab_view_domain_group(b.still.lab, 0, 1, 1, &g);
	bed_fini(&b);
	return g.weight;
}

static const struct witness witnesses[] = {
	{ "sd_defaults", "4.14", NULL, idle_look, "32 CPUs of one cache: an idle one looks every", IN_NS,
	  { { "arch", 1 * MS }, { "weight", 32 * MS } }, "1.2: 1 to 4 ms by x86's table, or a millisecond for each CPU" },
	{ "cluster_level", "6.1", NULL, lowest_level, "2 clusters of 4 cores: CPUs of the lowest level", IN_NOTHING,
	  { { "off", 8 }, { "on", 4 } }, "1.1: cores that share a mid-level cache come before those that share the last one" },
	{ "smt_capacity", "5.4", NULL, worth_of_a_thread, "one of two threads of a core counts, of 1024", IN_NOTHING,
	  { { "shared", 589 }, { "whole", 1024 } }, "1.4: 1178 for the core, or 1024 for each thread" },
	{ "numa_groups", "5.10", NULL, far_group, "nodes 0-3 in a line, seen from 0 up to node 2: nodes in the far group", IN_NOTHING,
	  { { "below", 3 }, { "within", 1 } }, "1.3: all that node 2 sees one level below, which is 1 to 3, or what of it stays within" },
};

WITNESS_MAIN("smp: a witness for every rule of the levels", witnesses, RULE_SD_DEFAULTS, RULE_NUMA_GROUPS)
