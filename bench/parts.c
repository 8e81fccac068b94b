/* SPDX-License-Identifier: MIT */
/* parts.c - the event heap and the readers of traces, by themselves. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/rng.h"
#include "trace/read.h"

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
	heap_set_room(&heap, room, (s64)pending);
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

/* ---- readers: the same switches and wakeups in two spellings ---- */

#define EVENTS 200000

/* Four CPUs; on each a thread is woken, runs for 40 us and sleeps. */
static void ftrace_line(FILE *out, u64 i)
{
	u64 us = 1000000000 + 10 * i, cpu = i / 3 % 4, pid = 1000 + i / 3 % 64;

	fprintf(out, i % 3 == 1 ? "          <idle>-0" : "          worker-%" PRIu64, pid);
	fprintf(out, "     [%03" PRIu64 "] d..2. %" PRIu64 ".%06" PRIu64 ": ", cpu, us / 1000000, us % 1000000);
	if (i % 3 == 0)
		fprintf(out, "sched_wakeup: comm=worker pid=%" PRIu64 " prio=120 target_cpu=%03" PRIu64 "\n", pid, cpu);
	else if (i % 3 == 1)
		fprintf(out, "sched_switch: prev_comm=swapper/%" PRIu64 " prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker "
			     "next_pid=%" PRIu64 " next_prio=120\n", cpu, pid);
	else
		fprintf(out, "sched_switch: prev_comm=worker prev_pid=%" PRIu64 " prev_prio=120 prev_state=S ==> next_comm=swapper/%" PRIu64
			     " next_pid=0 next_prio=120\n", pid, cpu);
}

static void perf_line(FILE *out, u64 i)
{
	u64 us = 1000000000 + 10 * i, cpu = i / 3 % 4, pid = 1000 + i / 3 % 64;

	fprintf(out, "%16s %7" PRIu64 " [%03" PRIu64 "] %6" PRIu64 ".%06" PRIu64 ": ", i % 3 == 1 ? "swapper" : "worker", i % 3 == 1 ? 0 : pid, cpu,
		us / 1000000, us % 1000000);
	if (i % 3 == 0)
		fprintf(out, "sched:sched_wakeup: comm=worker pid=%" PRIu64 " prio=120 target_cpu=%03" PRIu64 "\n", pid, cpu);
	else if (i % 3 == 1)
		fprintf(out, "sched:sched_switch: prev_comm=swapper/%" PRIu64 " prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker "
			     "next_pid=%" PRIu64 " next_prio=120\n", cpu, pid);
	else
		fprintf(out, "sched:sched_switch: prev_comm=worker prev_pid=%" PRIu64 " prev_prio=120 prev_state=S ==> next_comm=swapper/%" PRIu64
			     " next_pid=0 next_prio=120\n", pid, cpu);
}

static u64 read_once(const char *text, size_t len, u64 *bytes)
{
	struct trace_reader reader;
	struct trace tr;
	u64 start = cpu_ns(), took;
	size_t at, piece = 65536;

	trace_init(&tr);
	trace_reader_init(&reader, &tr);
	for (at = 0; at < len; at += piece)
		trace_reader_feed(&reader, text + at, len - at < piece ? len - at : piece);
	trace_reader_end(&reader);
	took = cpu_ns() - start;
	if (tr.counts.events != EVENTS) {
		fprintf(stderr, "bench: %" PRIu64 " of %d events were read\n", tr.counts.events, EVENTS);
		exit(3);
	}
	*bytes = tr.cap * (sizeof(*tr.time) + sizeof(*tr.task) + sizeof(*tr.other) + sizeof(*tr.cpu) + sizeof(*tr.where) + sizeof(*tr.type) +
			   sizeof(*tr.flags));
	trace_fini(&tr);
	return took;
}

static void reader_row(const char *what, void (*line)(FILE *out, u64 i))
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	u64 best = NEVER, bytes = 0, i;

	if (!out)
		exit(3);
	for (i = 0; i < EVENTS; i++)
		line(out, i);
	fclose(out);
	for (i = 0; i < REPEATS; i++)
		best = min_u64(best, read_once(text, len, &bytes));
	row(what, EVENTS * 1e3 / (double)best, "M lines a s", 0, "%d lines of %zu bytes, %.1f bytes kept an event", EVENTS, len / EVENTS,
	    (double)bytes / EVENTS);
	free(text);
}

void bench_readers(void)
{
	reader_row("reading ftrace text", ftrace_line);
	reader_row("reading perf script text", perf_line);
}
