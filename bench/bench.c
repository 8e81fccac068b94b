/* SPDX-License-Identifier: MIT */
/*
 * bench.c - what runs cost, in CPU time of this machine.
 *
 *	bench				the whole table: the best of five runs each, as the others were disturbed
 *	bench readers			what recordings cost alone
 *	bench SHAPE N [SECONDS]		one run of one machine, once: for counting instructions (tools/price.sh)
 *
 * Counts (ticks, switches) stand beside the times: they are the same in every version that gives the same results, so that times can
 * be compared.  A busy CPU-tick is a tick that found a thread on its CPU, whether it was called or left out.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "input/scenario_file.h"
#include "sim/machine.h"

#define REPEATS 5

struct cost {
	u64 ns;
	u64 ticks, switches;
};

u64 cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * SEC + (u64)ts.tv_nsec;
}

void row(const char *what, double value, const char *unit, double limit, const char *counts, ...)
{
	va_list ap;

	printf("%-44s %9.*f %-19s ", what, value < 100 ? 2 : 1, value, unit);
	if (limit > 0)
		printf("%6.0f %s", limit, value <= limit ? "   " : "!  ");
	else
		printf("%10s", "");
	va_start(ap, counts);
	vprintf(counts, ap);
	va_end(ap);
	putchar('\n');
}

static void stop(const struct err *err)
{
	char text[2048];

	fprintf(stderr, "bench: %s\n", err_text(err, text, sizeof(text)));
	exit(3);
}

/* ---- one machine ---- */

static void read_text(struct scenario *sc, const char *name, const char *text)
{
	struct warnings w = { 0 };
	struct err err = { 0 };
	int ret = text ? scenario_read(name, text, strlen(text), sc, &w, &err) : scenario_read_file(name, sc, &w, &err);

	warnings_free(&w);
	if (ret)
		stop(&err);
}

static struct cost counts_of(const struct result *res)
{
	struct cost cost = { .switches = res->events[EVENT_SCHED_SWITCH] };
	u64 usage = 0;
	int i;

	for (i = 0; i < res->nr_cpus; i++)
		usage += res->cpu_usage[i];
	cost.ticks = usage / (SEC / res->scenario->machine.hz);
	return cost;
}

/* Creation is not part of it, nor is the taking of results. */
static struct cost run_once(const struct scenario *sc, const struct machine_options *opt)
{
	struct err err = { 0 };
	struct machine *m = machine_create(sc, opt, &err);
	struct result *res;
	struct cost cost;
	u64 ns;

	if (!m)
		stop(&err);
	ns = cpu_ns();
	if (machine_run_until(m, sc->duration, &err))
		stop(&err);
	ns = cpu_ns() - ns;
	res = machine_result(m);
	if (!res)
		stop(&err);
	cost = counts_of(res);
	cost.ns = ns;
	result_free(res);
	machine_destroy(m);
	return cost;
}

static struct cost best_of(const struct scenario *sc, bool no_skip)
{
	struct machine_options opt = { .no_skip = no_skip };
	struct cost best = { .ns = NEVER };
	int i;

	for (i = 0; i < REPEATS; i++) {
		struct cost cost = run_once(sc, &opt);

		if (cost.ns < best.ns)
			best = cost;
	}
	return best;
}

static struct cost measure(char *text, bool no_skip)
{
	struct scenario sc;
	struct cost cost;

	read_text(&sc, "bench", text);
	cost = best_of(&sc, no_skip);
	scenario_free(&sc);
	free(text);
	return cost;
}

static double per(u64 ns, u64 n) { return n ? (double)ns / (double)n : 0; }

static void tick_row(const char *what, char *text, bool no_skip, double limit)
{
	struct cost c = measure(text, no_skip);

	row(what, per(c.ns, c.ticks), "ns a busy CPU-tick", limit, "%" PRIu64 " busy CPU-ticks, %" PRIu64 " switches", c.ticks, c.switches);
}

/* ---- the table ---- */

static void fibtest(void)
{
	struct scenario sc;
	struct cost c;

	read_text(&sc, "scenarios/fibtest-36.json", NULL);
	sc.duration = 5 * SEC;
	c = best_of(&sc, false);
	row("fibtest on 36 CPUs, 5 s", (double)c.ns / 1e6, "ms", 30, "%" PRIu64 " switches", c.switches);
	row("the same, for each switch", per(c.ns, c.switches), "ns a switch", 0, "with wakeup, sleep and limits");
	scenario_free(&sc);
	read_text(&sc, "scenarios/pipe-test.json", NULL);
	c = best_of(&sc, false);
	row("pipe-test on one CPU, 1 s", per(c.ns, c.switches), "ns a switch", 0, "%" PRIu64 " switches, each with a wakeup", c.switches);
	scenario_free(&sc);
}

static void growth_with_cpus(void)
{
	static const int cpus[] = { 1, 4, 16, 64, 256, 1024 };
	char what[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		snprintf(what, sizeof(what), "%d CPU%s, two busy threads on each", cpus[i], cpus[i] > 1 ? "s" : "");
		tick_row(what, shape_hogs(cpus[i], 2, cpus[i] < 64 ? 20 : 1), false, 0);
	}
}

static void growth_with_tasks(void)
{
	static const int tasks[] = { 2, 16, 128, 1024, 8192 };
	char what[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		snprintf(what, sizeof(what), "%d busy threads on one CPU", tasks[i]);
		tick_row(what, shape_hogs(1, tasks[i], 20), false, 0);
	}
}

static void growth_with_groups(void)
{
	static const int groups[] = { 1, 16, 128, 1024 };
	char what[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		snprintf(what, sizeof(what), "%d group%s, one busy thread in each", groups[i], groups[i] > 1 ? "s" : "");
		tick_row(what, shape_groups(groups[i], 1, false, 20), false, 0);
	}
	for (i = 0; i < ARRAY_SIZE(groups) - 1; i++) {
		snprintf(what, sizeof(what), "%d limited group%s, one busy thread in each", groups[i], groups[i] > 1 ? "s" : "");
		tick_row(what, shape_groups(groups[i], 1, true, 20), false, 0);
	}
	for (i = 1; i <= 16; i *= 4) {
		snprintf(what, sizeof(what), "two busy threads, groups %zu deep", i);
		tick_row(what, shape_groups(2, (int)i, false, 20), false, 0);
	}
}

/* The other CPUs are idle and shall cost nothing. */
static void idle(void)
{
	static const int cpus[] = { 2, 1024 };
	char what[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		snprintf(what, sizeof(what), "one limited busy thread, %d idle CPU%s", cpus[i] - 1, cpus[i] > 2 ? "s" : "");
		tick_row(what, shape_idle(cpus[i], 100), false, 0);
	}
}

#define NODES_16 "16n x 32c x 2t"
#define CACHES_64 "8s x 4n x 2l x 8c x 2t"

/* Threads that may go where they like, so that CPUs balance, and those that are idle are balanced for. */
static void balancing(void)
{
	static const struct {
		const char *what, *kernel;
		int cpus;
		u32 hz;
		const char *topology;
		int threads, seconds;
		double least; /* times real time */
	} rows[] = {
		{ "128 free threads on 64 CPUs, 1000 Hz, 5.10", "5.10", 64, 1000, NULL, 128, 4, 109 },
		{ "the same, 6.12", "6.12", 64, 1000, NULL, 128, 4, 109 },
		{ "the same, 7.2", "7.2", 64, 1000, NULL, 128, 4, 109 },
		{ "2,048 free threads on 1,024 CPUs, 250 Hz", "5.10", 1024, 250, NULL, 2048, 4, 5 },
		{ "the same in 16 nodes", "5.10", 1024, 250, NODES_16, 2048, 4, 5 },
		{ "16 free threads on 1,024 CPUs, 250 Hz, 6.12", "6.12", 1024, 250, NULL, 16, 20, 200 },
		{ "the same in 16 nodes, 5.10", "5.10", 1024, 250, NODES_16, 16, 20, 200 },
		{ "the same in 16 nodes, 6.12", "6.12", 1024, 250, NODES_16, 16, 20, 200 },
		{ "the same in 16 nodes, 7.2", "7.2", 1024, 250, NODES_16, 16, 20, 200 },
		{ "the same in 32 nodes of 2 caches, 5.10", "5.10", 1024, 250, CACHES_64, 16, 20, 200 },
		{ "the same in 32 nodes of 2 caches, 6.12", "6.12", 1024, 250, CACHES_64, 16, 20, 200 },
		{ "the same in 32 nodes of 2 caches, 7.2", "7.2", 1024, 250, CACHES_64, 16, 20, 200 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cost c = measure(shape_free(rows[i].kernel, rows[i].cpus, rows[i].hz, rows[i].topology, rows[i].threads, rows[i].seconds), false);
		double times = (double)rows[i].seconds * 1e9 / (double)c.ns;

		printf("%-44s %9.0f %-19s %6.0f %s %" PRIu64 " busy CPU-ticks, %" PRIu64 " switches\n", rows[i].what, times, "times real time",
		       rows[i].least, times >= rows[i].least ? "   " : "!  ", c.ticks, c.switches);
	}
}

static void table(void)
{
	printf("%-44s %9s %-19s %6s    %s\n", "", "", "", "limit", "counts");
	fibtest();
	tick_row("128 busy threads on 64 CPUs, 1000 Hz", shape_hogs(64, 2, 4), false, 143);
	tick_row("the same with every tick called", shape_hogs(64, 2, 4), true, 143);
	balancing();
	growth_with_cpus();
	growth_with_tasks();
	growth_with_groups();
	idle();
	bench_heap();
	bench_levels();
	bench_readers();
}

/* ---- one run ---- */

static char *shape_named(const char *shape, int n, int seconds)
{
	if (!strcmp(shape, "cpus"))
		return shape_hogs(n, 2, seconds);
	if (!strcmp(shape, "tasks"))
		return shape_hogs(1, n, seconds);
	if (!strcmp(shape, "groups"))
		return shape_groups(n, 1, false, seconds);
	if (!strcmp(shape, "limits"))
		return shape_groups(n, 1, true, seconds);
	if (!strcmp(shape, "levels"))
		return shape_groups(2, n, false, seconds);
	if (!strcmp(shape, "idle"))
		return shape_idle(n, seconds);
	if (!strcmp(shape, "sleepers")) {
		char topology[64];

		snprintf(topology, sizeof(topology), "%dn x 32c x 2t", n / 64);
		return shape_free("6.12", n, 250, topology, 16, seconds);
	}
	fprintf(stderr, "bench: shapes are cpus, tasks, groups, limits, levels, idle and sleepers\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct scenario sc;
	struct cost cost;
	char *text;

	if (argc == 2 && !strcmp(argv[1], "readers")) {
		bench_readers();
		return 0;
	}
	if (argc < 3) {
		table();
		return 0;
	}
	text = shape_named(argv[1], atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 1);
	read_text(&sc, "bench", text);
	cost = run_once(&sc, NULL);
	printf("%" PRIu64 " busy CPU-ticks, %" PRIu64 " switches\n", cost.ticks, cost.switches);
	scenario_free(&sc);
	free(text);
	return 0;
}
