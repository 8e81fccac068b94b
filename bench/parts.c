/* SPDX-License-Identifier: MIT */
/* parts.c - the event heap by itself. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/rng.h"

#define REPEATS 5

/* ---- the heap: the first entry is handled and armed again, as a timer is ---- */

#define HEAP_STEPS 1000000

static u64 heap_run(struct heap *heap, struct rng *chance)
{
	u64 start = cpu_ns(), i;

	for (i = 0; i < HEAP_STEPS; i++) {
		struct heap_entry *first = heap_first(heap);
		u64 time = first->time;

		heap_remove(heap, first);
		heap_arm(heap, first, time + 1 + rng_below(chance, 10 * MS), 3);
	}
	return cpu_ns() - start;
}

static void heap_row(u64 pending)
{
	struct heap_entry *entries = calloc(pending, sizeof(*entries));
	struct heap_key *room = calloc(pending, sizeof(*room));
	struct heap heap = { 0 };
	struct rng chance;
	u64 best = NEVER, i;
	char what[64];

	if (!entries || !room)
		exit(3);
	rng_init(&chance, 1, "heap", NULL, 0, 0);
	heap_set_room(&heap, room, (s32)pending);
	for (i = 0; i < pending; i++) {
		heap_entry_init(&entries[i]);
		heap_arm(&heap, &entries[i], rng_below(&chance, 10 * MS), 3);
	}
	for (i = 0; i < REPEATS; i++)
		best = min_u64(best, heap_run(&heap, &chance));
	snprintf(what, sizeof(what), "event heap, %" PRIu64 " pending", pending);
	row(what, (double)best / HEAP_STEPS, "ns an event", 0, "taken out and armed again, %d events", HEAP_STEPS);
	free(entries);
	free(room);
}

void bench_heap(void)
{
	static const u64 pending[] = { 16, 128, 1024, 8192 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pending); i++)
		heap_row(pending[i]);
}
