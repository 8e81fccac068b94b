/* SPDX-License-Identifier: MIT */
/* levels.c - what the scheduler domains of a large machine take to build, and to keep. */
#include "bench/bench.h"

#include <stdlib.h>

#include "sim/still.h"
#include "text/memory.h"
#include "work/topology.h"

#define REBUILDS 50

/* A CPU that goes and comes has all levels built anew, twice. */
static u64 best_rebuild(struct lab *lab, int cpus)
{
	u64 best = NEVER;
	int i;

	for (i = 0; i < REBUILDS; i++) {
		u64 start = cpu_ns();

		lab_hotplug(lab, cpus - 1, i & 1);
		best = min_u64(best, cpu_ns() - start);
	}
	return best;
}

static void levels_row(const char *what, const struct machine_shape *shape)
{
	struct kernel_model model;
	struct still still;
	struct arena mem;
	int cpus = shape_cpus(shape);
	const struct topology *t;

	arena_of_malloc(&mem);
	t = topology_of_shape(&mem, shape);
	if (!t || model_init(&model, "6.12") || still_init(&still, cpus, t, &model, 250))
		exit(3);
	row(what, (double)best_rebuild(still.lab, cpus) / 1e6, "ms a build", 0, "the whole lab takes %zu KB", still.mem.total >> 10);
	still_fini(&still);
	arena_fini(&mem);
}

void bench_levels(void)
{
	static const struct {
		const char *what;
		struct machine_shape shape;
	} rows[] = {
		{ "levels, 1024 CPUs, one LLC", { 1, 1, 1, 1, 1024, 1, 0, 0, 0 } },
		{ "levels, 8 sockets x 8 LLCs x 8 cores x 2", { 8, 1, 8, 1, 8, 2, 0, 0, 0 } },
		{ "levels, 8 sockets x 8 nodes x 16 cores", { 8, 8, 1, 1, 16, 1, 0, 0, 0 } },
		{ "levels, 1024 nodes of one CPU", { 1024, 1, 1, 1, 1, 1, 0, 0, 0 } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		levels_row(rows[i].what, &rows[i].shape);
}
