/* SPDX-License-Identifier: MIT */
/*
 * bench.c - what a run costs, in CPU time of this machine.
 *
 *	build/bench/bench		one line per row: best of several runs, as the others were disturbed
 *
 * Counts (ticks, switches) are stated beside the times: they are the same in every version that gives the same results, so that
 * times can be compared.  "Floor" is what we do not want to fall behind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "input/scenario_file.h"
#include "sim/machine.h"

#define REPEATS 5

struct cost {
	double ms;
	u64 ticks, switches;
};

static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void stop(const struct err *err)
{
	char text[2048];

	fprintf(stderr, "bench: %s\n", err_text(err, text, sizeof(text)));
	exit(3);
}

/* Ticks that found a CPU busy, skipped or not: CPU time used over the length of a tick. */
static u64 busy_ticks(const struct result *res)
{
	u64 usage = 0;
	int i;

	for (i = 0; i < res->nr_cpus; i++)
		usage += res->cpu_usage[i];
	return usage / (SEC / res->scenario->machine.hz);
}

static struct cost measure(const struct scenario *sc, bool no_skip)
{
	struct machine_options opt = { .no_skip = no_skip };
	struct cost best = { .ms = 1e9 };
	struct err err = { 0 };
	int i;

	for (i = 0; i < REPEATS; i++) {
		double start = cpu_ms(), ms;
		struct result *res = machine_run(sc, &opt, &err);

		ms = cpu_ms() - start;
		if (!res)
			stop(&err);
		if (ms < best.ms)
			best = (struct cost){ ms, busy_ticks(res), res->events[EVENT_SCHED_SWITCH] };
		result_free(res);
	}
	return best;
}

static void print(const char *what, const struct cost *c, const char *unit, double value, double floor)
{
	printf("%-44s %9.1f %-22s %9.2f ms, %" PRIu64 " busy CPU-ticks, %" PRIu64 " switches", what, value, unit, c->ms, c->ticks,
	       c->switches);
	if (floor > 0)
		printf(", floor %.0f%s", floor, value <= floor ? "" : "  BEHIND");
	putchar('\n');
}

static void read_scenario(struct scenario *sc, const char *name, const char *text)
{
	struct warnings w = { 0 };
	struct err err = { 0 };
	int ret = text ? scenario_read(name, text, strlen(text), sc, &w, &err) : scenario_read_file(name, sc, &w, &err);

	warnings_free(&w);
	if (ret)
		stop(&err);
}

static void fibtest(void)
{
	struct scenario sc;
	struct cost c;

	read_scenario(&sc, "scenarios/fibtest-36.json", NULL);
	sc.duration = 5 * SEC;
	c = measure(&sc, false);
	print("fibtest on 36 CPUs, 5 s", &c, "ms of CPU", c.ms, 60);
	scenario_free(&sc);
}

/* Two busy threads on each of 64 CPUs: every tick is a decision. */
static void hogs(bool no_skip)
{
	static const char text[] = "{ \"machine\": { \"cpus\": 64, \"hz\": 250 }, \"kernel\": \"5.10\", \"global\": { \"duration\": 10 },"
				   " \"tasks\": { \"hog\": { \"instance\": 128, \"cpus_each\": \"0-63\", \"loop\": -1, \"run\": 100000 } } }";
	struct scenario sc;
	struct cost c;

	read_scenario(&sc, "hogs", text);
	c = measure(&sc, no_skip);
	print(no_skip ? "128 busy threads on 64 CPUs, every tick" : "128 busy threads on 64 CPUs", &c, "ns per busy CPU-tick",
	      c.ticks ? c.ms * 1e6 / (double)c.ticks : 0, 300);
	scenario_free(&sc);
}

/* One busy thread; the other CPUs idle and shall cost nothing. */
static void idle(int cpus)
{
	char text[512], what[64];
	struct scenario sc;
	struct cost c;

	snprintf(text, sizeof(text), "{ \"machine\": { \"cpus\": %d, \"hz\": 250 }, \"kernel\": \"5.10\","
		 " \"groups\": { \"/g\": { \"cpu.max\": \"50000 100000\" } }, \"global\": { \"duration\": 100 },"
		 " \"tasks\": { \"hog\": { \"taskgroup\": \"/g\", \"cpus\": [0], \"loop\": -1, \"run\": 100000 } } }", cpus);
	snprintf(what, sizeof(what), "one limited busy thread, %d idle CPUs, 100 s", cpus - 1);
	read_scenario(&sc, "idle", text);
	c = measure(&sc, false);
	print(what, &c, "ms of CPU", c.ms, 0);
	scenario_free(&sc);
}

int main(void)
{
	fibtest();
	hogs(false);
	hogs(true);
	idle(1);
	idle(1024);
	return 0;
}
