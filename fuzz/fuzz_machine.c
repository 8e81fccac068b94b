/* SPDX-License-Identifier: MIT */
/*
 * fuzz_machine.c - any bytes as a description of a machine, and as a snapshot: an error, or a machine whose levels can be built.
 *
 * CPUs are taken from the machine one by one until one is left, so that levels between nodes are built of whatever remains.
 */
#include <stdlib.h>
#include <string.h>

#include "core/view.h"
#include "fuzz/fuzz.h"
#include "input/topology.h"
#include "sim/still.h"
#include "text/memory.h"

/* The first group of each level holds the CPU's own, and levels grow. */
static void look(struct lab *lab, int cpu)
{
	struct domain_group_view g;
	struct domain_view d;
	int level, weight = 1;

	for (level = 0; lab_view_domain(lab, cpu, level, &d); level++) {
		lab_view_domain_group(lab, cpu, level, 0, &g);
		if (d.span_weight <= weight || !(g.span[cpu / 64] >> (cpu % 64) & 1))
			abort();
		weight = d.span_weight;
	}
}

static void build(const struct topology *t)
{
	struct kernel_model model;
	struct still still;
	int cpu, step = t->nr_cpus / 8 + 1;

	if (model_init(&model, t->nr_cpus & 1 ? "6.12" : "4.14") || still_init(&still, t->nr_cpus, t, &model, 250))
		abort();
	for (cpu = 0; cpu < t->nr_cpus; cpu++)
		look(still.lab, cpu);
	for (cpu = 0; cpu < t->nr_cpus; cpu += step) {
		lab_hotplug(still.lab, cpu, false);
		look(still.lab, t->nr_cpus - 1);
	}
	still_fini(&still);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct topology *t;
	struct arena mem;
	char text[256], words[256];

	arena_of_malloc(&mem);
	if (size < sizeof(text)) {
		memcpy(text, data, size);
		text[size] = '\0';
		if (!topology_from_text(&mem, text, &t, &err)) {
			topology_words(t, words, sizeof(words));
			build(t);
		}
	}
	err = (struct err){ 0 };
	if (!topology_from_snapshot(&mem, "fuzz.machine", (const char *)data, size, &t, &err))
		build(t);
	else if (!err.code || !err.message[0])
		abort();
	arena_fini(&mem);
	return 0;
}
