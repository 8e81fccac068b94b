/* SPDX-License-Identifier: MIT */
/* test_snapshot.c - run --snapshot shows the bandwidth state in the kernel's field names, and changes nothing. */
#include "tests/test.h"

#include <stdlib.h>

#include "input/scenario_file.h"
#include "report/snapshot.h"
#include "sim/machine.h"

static const char half_a_cpu[] = "{ \"machine\": { \"cpus\": 2, \"cgroup\": 1, \"costs\": \"none\" }, \"kernel\": \"5.10\","
				 " \"groups\": { \"/web\": { \"cpu.max\": \"50000 100000\" } }, \"global\": { \"duration\": 1 },"
				 " \"tasks\": { \"hog\": { \"taskgroup\": \"/web\", \"cpus\": [1], \"loop\": -1, \"run\": 100000 } } }";

/* The lines at @t of a run of @scenario as one text, and the digest of the whole run. */
static char *text_of(const char *scenario, u64 t, u64 *digest)
{
	struct machine_options opt = { .check_laws = true };
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct scenario sc;
	struct machine *m;
	struct result *res;
	char *all = NULL, **lines = NULL;
	size_t size;
	u32 i, nr = 0;
	FILE *out = open_memstream(&all, &size);

	CHECK_EQ(scenario_read("snapshot", scenario, strlen(scenario), &sc, &w, &err), 0);
	warnings_free(&w);
	m = machine_create(&sc, &opt, &err);
	CHECK(m != NULL);
	if (t != NEVER) {
		CHECK_EQ(machine_run_until(m, t, &err), 0);
		lines = snapshot_lines(m, &sc, &nr);
	}
	CHECK_EQ(machine_run_until(m, sc.duration, &err), 0);
	res = machine_result(m);
	*digest = res->digest;
	for (i = 0; i < nr; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	fclose(out);
	result_free(res);
	machine_destroy(m);
	scenario_free(&sc);
	return all;
}

static char *text_at(u64 t, u64 *digest) { return text_of(half_a_cpu, t, digest); }

static const char cpuset_of_one[] = "{ 'machine': { 'cpus': 2 }, 'groups': { '/web': { 'cpuset.cpus': '1' }, '/free': {} },"
				    " 'tasks': { 'hog': { 'taskgroup': '/web', 'loop': -1, 'run': 100 } } }";

#define SAYS(text, words) CHECK_ROW(strstr(text, words) != NULL, 1, words)

/*
 * At 80 ms the hog has spent its 50 ms: throttled, pool empty, half a CPU recorded as 2^19 of 2^20.  (Under cgroup v2 this row, like
 * all from 4.16 to 6.5, records -1: the smaller of the ratio and "none".)
 */
TEST(snapshot, throttled)
{
	u64 digest;
	char *text = text_at(80 * MS, &digest);

	SAYS(text, "cfs_bandwidth /web");
	SAYS(text, ".quota 50000000");
	SAYS(text, ".hierarchical_quota 524288");
	SAYS(text, ".runtime 0 ");
	SAYS(text, ".throttled_cfs_rq 1");
	SAYS(text, "cfs_rq[1]  .runtime_enabled 1");
	SAYS(text, ".throttled 1");
	SAYS(text, "cfs_rq[0] idle");
	CHECK(strstr(text, "cfs_rq[0]  .runtime_enabled") == NULL); /* nothing was ever queued there */
	free(text);
}

/* At 20 ms it runs, on a slice of the pool. */
TEST(snapshot, running)
{
	u64 digest;
	char *text = text_at(20 * MS, &digest);

	SAYS(text, ".throttled_cfs_rq 0");
	SAYS(text, ".period_active 1");
	SAYS(text, "curr /web");
	SAYS(text, "curr task 1");
	free(text);
}

/* What a group's tasks may use stands there where it is not every CPU, limited or not. */
TEST(snapshot, cpusets)
{
	u64 digest;
	char *text = text_of(cpuset_of_one, 20 * MS, &digest);

	SAYS(text, "cpuset /web  .effective_cpus 1\n");
	CHECK(strstr(text, "cpuset /free") == NULL);
	free(text);
}

/* Looking is free: a run that was looked at has the digest of one that was not. */
TEST(snapshot, changes_nothing)
{
	u64 looked_at, left_alone;

	free(text_at(333 * MS, &looked_at));
	free(text_at(NEVER, &left_alone));
	CHECK_EQ(looked_at, left_alone);
}

TEST_MAIN("snapshot")
