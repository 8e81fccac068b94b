/* SPDX-License-Identifier: MIT */
/*
 * Machines as they are described: in words, by name, as lists of a scenario, as a snapshot, and as a host's /sys tells.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "input/scenario_file.h"
#include "input/topology.h"
#include "live/topology.h"
#include "report/machine.h"
#include "report/topology_json.h"
#include "sim/machine.h"
#include "sim/still.h"
#include "tests/test.h"
#include "tests/written.h"
#include "text/memory.h"
#include "work/topology.h"

static struct arena mem;
static struct err err;

static void begin(void)
{
	arena_fini(&mem);
	arena_of_malloc(&mem);
	err = (struct err){ 0 };
}

static struct topology *described(const char *text)
{
	struct topology *t = NULL;

	begin();
	if (topology_from_text(&mem, text, &t, &err))
		fail_msg("%s: %s", text, err.message);
	return t;
}

/* ---- in words ---- */

/* Parts count within the one before; what is left out is one. */
TEST(machines, words)
{
	static const struct {
		const char *text, *counts;
	} rows[] = {
		{ "2n x 24c x 2t", "96 CPUs, 48 cores, 2 last level caches, 2 packages, 2 nodes" },
		{ "2 nodes x 24 cores x 2 threads", "96 CPUs, 48 cores, 2 last level caches, 2 packages, 2 nodes" },
		{ "2nx24cx2t", "96 CPUs, 48 cores, 2 last level caches, 2 packages, 2 nodes" },
		{ " 2 sockets * 3 cores ", "6 CPUs, 6 cores, 2 last level caches, 2 packages, 2 nodes" },
		{ "2s x 2n x 3c", "12 CPUs, 12 cores, 4 last level caches, 2 packages, 4 nodes" },
		{ "2n x 4l x 8c x 2t, distance 32, reach 32", "128 CPUs, 64 cores, 8 last level caches, 2 packages, 2 nodes" },
		{ "2l x 2k x 2c", "8 CPUs, 8 cores, 2 last level caches, 1 package, 1 node" },
		{ "3t", "3 CPUs, 1 core, 1 last level cache, 1 package, 1 node" },
		{ "8", "8 CPUs, 8 cores, 1 last level cache, 1 package, 1 node" },
		{ "flat 8", "8 CPUs, 8 cores, 1 last level cache, 1 package, 1 node" },
		{ "1024", "1024 CPUs, 1024 cores, 1 last level cache, 1 package, 1 node" },
		{ "c5.9xlarge", "36 CPUs, 18 cores, 1 last level cache, 1 package, 1 node" },
		{ "r4.16xlarge", "64 CPUs, 32 cores, 2 last level caches, 2 packages, 2 nodes" },
		{ "m5.24xlarge", "96 CPUs, 48 cores, 2 last level caches, 2 packages, 2 nodes" },
		{ "power9", "128 CPUs, 32 cores, 16 last level caches, 2 packages, 2 nodes" },
	};
	char words[256];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(topology_words(described(rows[i].text), words, sizeof(words)), rows[i].counts);
}

/* smp.md 1.5: core i has threads i and i + the number of cores; POWER counts a core's threads together. */
TEST(machines, numbering)
{
	const struct topology *t = described("2n x 24c x 2t, distance 21");

	CHECK_EQ(t->cpu[0].core, t->cpu[48].core);
	CHECK_EQ(t->cpu[71].node, 0);
	CHECK_EQ(t->cpu[72].node, 1);
	CHECK_EQ(t->cpu[24].node, 1);
	CHECK_EQ(node_distance(t, 0, 1), 21);
	CHECK(!t->sub_numa);
	t = described("2n x 2c x 4t, together");
	CHECK_EQ(t->cpu[4].core, t->cpu[7].core);
	CHECK_EQ(t->cpu[7].node, 0);
	CHECK_EQ(t->cpu[8].node, 1);
	CHECK_EQ(node_distance(t, 0, 1), 20);
	t = described("2s x 2n x 2c, distance 31, near 14, reach 33");
	CHECK_EQ(node_distance(t, 0, 1), 14);
	CHECK_EQ(node_distance(t, 1, 2), 31);
	CHECK_EQ(t->remote_distance, 33);
	CHECK(t->sub_numa);
}

/* Each mistake is one sentence that shows the place, and a hint. */
TEST(machines, mistakes_in_words)
{
	static const struct {
		const char *text;
		int column;
		const char *says, *hint;
	} rows[] = {
		{ "", 1, "expected a number at its end", "a topology is" },
		{ "2x", 2, "what is counted", "a topology is" },
		{ "2n x", 5, "expected a number at its end", "a topology is" },
		{ "2n x 24q", 8, "what is counted", "a topology is" },
		{ "2n x 4 coers", 8, "at \"coers\"", "did you mean \"core\"?" },
		{ "24c x 2n", 8, "nodes are counted behind cores", "largest things come first" },
		{ "2c x 2c", 7, "cores are counted twice", "a topology is" },
		{ "2n y 4c", 4, "expected \"x\"", "a topology is" },
		{ "0c", 1, "a number from 1 to 1024", "a topology is" },
		{ "1025c", 1, "a number from 1 to 1024", "a topology is" },
		{ "99999999999999999999c", 1, "a number from 1 to 1024", "a topology is" },
		{ "33n x 32c", 1, "at most 1024 CPUs", "a topology is" },
		{ "1024s x 1024n x 1024l x 1024k x 1024c x 1024t", 1, "at most 1024 CPUs", "a topology is" },
		{ "2n, distance", 13, "expected a distance", "a topology is" },
		{ "2n, distance 10", 14, "from 11 to 254", "a topology is" },
		{ "2n, far 21", 5, "expected distance, near, reach or together", "a topology is" },
		{ "4c, distance 21", 1, "between sockets, but there is one", "near" },
		{ "2n, near 12", 1, "between nodes of one socket", "2s x 2n" },
		{ "2n,", 4, "expected distance", "a topology is" },
		{ "flat", 5, "a number of CPUs", "a topology is" },
		{ "flat 8c", 7, "nothing more", "a topology is" },
		{ "c5.9xlarg", 1, "no machine is called so", "did you mean \"c5.9xlarge\"?" },
		{ "zzz", 1, "no machine is called so", "names are flat N, c5.9xlarge" },
	};
	struct topology *t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		CHECK_ROW(topology_from_text(&mem, rows[i].text, &t, &err), -1, rows[i].text);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
		if (!strstr(err.message, rows[i].says) || !strstr(err.hint, rows[i].hint))
			fail_msg("\"%s\": %s (%s)", rows[i].text, err.message, err.hint);
	}
}

/* What is known by name is described in the same words. */
TEST(machines, names)
{
	const char *name, *description, *what;
	char a[256], b[256];
	u32 i;

	for (i = 0; (name = topology_name(i, &description, &what)); i++) {
		topology_words(described(name), a, sizeof(a));
		CHECK_STR(topology_words(described(description), b, sizeof(b)), a);
		CHECK(*what);
	}
	CHECK_WITHIN(i, 7, 30);
}

/* ---- the same machine? ---- */

static int id(const struct topology *t, int cpu, int thing)
{
	const struct cpu_place *p = &t->cpu[cpu];
	const int ids[] = { p->core, p->cluster, p->llc, p->package, p->node };

	return ids[thing];
}

/* The same sets, whatever they are called; nodes by their numbers, because of the distances. */
static void check_same(const struct topology *a, const struct topology *b)
{
	int thing, x, y;

	CHECK_EQ(a->nr_cpus, b->nr_cpus);
	CHECK_EQ(a->nr_nodes, b->nr_nodes);
	CHECK_EQ(a->sub_numa, b->sub_numa);
	CHECK_EQ(a->remote_distance, b->remote_distance);
	for (x = 0; x < a->nr_cpus; x++) {
		CHECK_EQ(a->cpu[x].node, b->cpu[x].node);
		CHECK_EQ(a->isolated ? bit_test(a->isolated, x) : 0, b->isolated ? bit_test(b->isolated, x) : 0);
		for (y = 0; y < x; y++)
			for (thing = 0; thing < 5; thing++)
				CHECK_EQ(id(a, x, thing) == id(a, y, thing), id(b, x, thing) == id(b, y, thing));
	}
	for (x = 0; x < a->nr_nodes; x++)
		for (y = 0; y < a->nr_nodes; y++)
			CHECK_EQ(node_distance(a, x, y), node_distance(b, x, y));
}

static struct scenario sc;
static struct warnings warn;

static int read_machine(const char *machine)
{
	static char text[1 << 20];

	scenario_free(&sc);
	warnings_free(&warn);
	err = (struct err){ 0 };
	snprintf(text, sizeof(text), "{'machine': %s, 'tasks': {'t': {'loop': -1, 'run': 1000}}}", machine);
	return scenario_read("m.json", text, strlen(text), &sc, &warn, &err);
}

static const struct topology *must_read(const char *machine)
{
	if (read_machine(machine))
		fail_msg("%s: %d:%d %s: %s", machine, err.line, err.column, err.key, err.message);
	assert_non_null(sc.machine.topology);
	CHECK_EQ(sc.machine.topology->nr_cpus, sc.machine.cpus);
	return sc.machine.topology;
}

static const char *const many[] = {
	"1", "8", "18c x 2t", "2n x 16c x 2t, distance 21", "2s x 2n x 2l x 3c, near 11, distance 31", "2l x 3k x 2c x 2t",
	"2n x 2c x 4t, together, reach 40", "3n x 5c", "64s x 2n x 4c x 2t", "7l x 1c",
};

/* Lists are what is written of a topology, and they read back as the same one. */
TEST(machines, lists_come_back)
{
	char *text, *machine;
	struct json_write j;
	size_t len;
	FILE *out;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		const struct topology *t = described(many[i]);

		out = open_memstream(&text, &len);
		json_write_init(&j, out);
		topology_lists_json(&j, t);
		CHECK(json_done(&j));
		fclose(out);
		machine = malloc(len + 64);
		sprintf(machine, "{'cpus': %d, 'topology': %s}", t->nr_cpus, text);
		check_same(t, must_read(machine));
		free(machine);
		free(text);
	}
}

static struct topology *from_snapshot(const char *text)
{
	struct topology *t = NULL;

	if (topology_from_snapshot(&mem, "x.machine", text, strlen(text), &t, &err))
		fail_msg("%d:%d %s", err.line, err.column, err.message);
	return t;
}

TEST(machines, snapshots_come_back)
{
	char *text;
	size_t len;
	FILE *out;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		const u64 isolated[16] = { 1 };
		struct topology *t = described(many[i]);

		t->isolated = i & 1 ? isolated : NULL;
		out = open_memstream(&text, &len);
		machine_snapshot(out, t, "a note");
		fclose(out);
		CHECK(is_topology_snapshot(text, len));
		check_same(t, from_snapshot(text));
		free(text);
	}
}

/* ---- lists of a scenario ---- */

/* What is not listed follows: a core of its own, one cache, one node, a package for each node. */
TEST(machines, lists_of_what_shares)
{
	const struct topology *t = must_read("{'topology': {'cores': ['0,4', [1, 5]], 'llcs': ['0,4,1,5', '2-3'], 'isolated': 3, '_note': 1}}");

	CHECK_EQ(t->nr_cpus, 6);
	CHECK_EQ(t->cpu[0].core, t->cpu[4].core);
	CHECK(t->cpu[2].core != t->cpu[3].core);
	CHECK_EQ(t->cpu[2].llc, t->cpu[3].llc);
	CHECK(bit_test(t->isolated, 3) && !bit_test(t->isolated, 2));
	t = must_read("{'topology': {'nodes': ['0-1', '2-3', []], 'distances': [[10, 20, 30], [20, 10, 40], [30, 40, 10]], 'reach': 40}}");
	CHECK_EQ(t->nr_nodes, 3);
	CHECK_EQ(t->cpu[3].package, 1);
	CHECK_EQ(node_distance(t, 2, 1), 40);
	t = must_read("{'cpus': 3, 'topology': {'cores': ['0,1']}}");
	CHECK_EQ(t->nr_cpus, 3);
	CHECK_EQ(t->cpu[2].llc, t->cpu[0].llc);
	t = must_read("{'topology': {'packages': ['0-3'], 'nodes': ['0-1', '2-3'], 'clusters': ['0-1', '2', '3']}}");
	CHECK(t->sub_numa);
	CHECK_EQ(t->cpu[0].cluster, t->cpu[1].cluster);
}

/* A shape or a file to begin from; what is said anew replaces it. */
TEST(machines, lists_may_begin_from_a_shape)
{
	const struct topology *t = must_read("{'topology': {'distances': [[10, 35], [35, 10]], 'shape': '2n x 2c x 2t'}}");

	CHECK_EQ(t->nr_cpus, 8);
	CHECK_EQ(t->cpu[0].core, t->cpu[4].core);
	CHECK_EQ(node_distance(t, 0, 1), 35);
	t = must_read("{'topology': {'shape': '8c', 'nodes': ['0-3', '4-7']}}");
	CHECK_EQ(t->nr_nodes, 2);
	CHECK(!t->sub_numa);
	CHECK_EQ(node_distance(t, 0, 1), 20);
	t = must_read("{'topology': {'shape': 'c5.9xlarge', 'llcs': ['0-8,18-26', '9-17,27-35']}}");
	CHECK(t->cpu[0].llc != t->cpu[9].llc);
	CHECK_EQ(t->cpu[8].core, t->cpu[26].core);
}

/* cpus may be left out; where it is said, it agrees. */
TEST(machines, the_topology_says_how_many_cpus)
{
	must_read("{'topology': 'c5.9xlarge'}");
	CHECK_EQ(sc.machine.cpus, 36);
	CHECK_STR(sc.machine.topology_text, "c5.9xlarge");
	must_read("{'cpus': 36, 'topology': '18c x 2t'}");
	CHECK_EQ(read_machine("{'cpus': 5, 'topology': 'flat'}"), 0);
	CHECK(!sc.machine.topology && sc.machine.cpus == 5);
	must_read("{'topology': '4c', 'clock_skew_us': 30}");
	CHECK_EQ(sc.machine.clock_skew[3], 30 * US);
}

TEST(machines, mistakes_in_lists)
{
	static const struct {
		const char *machine, *at, *key, *says, *hint;
	} rows[] = {
		{ "{'cpus': 4, 'topology': 'c5.9xlarge'}", "'c5", "topology", "36 CPUs, but \"cpus\" is 4", "leave \"cpus\" out" },
		{ "{'topology': '2n x 3q'}", "'2n", "topology", "what is counted", "a topology is" },
		{ "{'topology': 5}", "5", "topology", "expected a topology such as", "c5.9xlarge" },
		{ "{'topology': {'core': ['0,1']}}", "'core'", "core", "unknown key", "did you mean \"cores\"" },
		{ "{'topology': {'cores': ['0,1', '1,2']}}", "'1,2", "cores", "CPU 1 stands in two of the cores", "" },
		{ "{'topology': {'cores': ['0,1,0']}}", "'0,1,0", "cores", "CPU 0 stands twice in one core", "" },
		{ "{'topology': {'cores': [[]]}}", "[]", "cores", "at least one CPU number", "" },
		{ "{'topology': {'cores': [[[0]]]}}", "[[0]", "cores", "a set of CPU numbers", "" },
		{ "{'topology': {'cores': ['0-1024']}}", "'0-1024", "cores", "CPU numbers below 1024", "" },
		{ "{'topology': {'llcs': ['0-1', '3']}}", "{'llcs", "topology", "CPU 2 is in no llc", "" },
		{ "{'topology': {'llcs': ['0', '1'], 'cores': ['0-1']}}", "{'llcs", "topology", "in one cluster, but not in one llc", "" },
		{ "{'topology': {'clusters': ['0', '1'], 'cores': ['0-1']}}", "{'clusters", "topology", "in one core, but not in one cluster", "" },
		{ "{'topology': {'nodes': ['0', '1'], 'distances': [[10]]}}", "{'nodes", "topology", "a node 1, but distances for 1 node", "" },
		{ "{'topology': {'nodes': ['0', '1'], 'distances': [[10, 20], [21, 10]]}}", "{'nodes", "topology", "on the way back", "" },
		{ "{'topology': {'nodes': ['0', '1'], 'distances': [[10, 10], [10, 10]]}}", "{'nodes", "topology", "are 10 apart", "" },
		{ "{'topology': {'nodes': ['0', '1'], 'distances': [[11, 20], [20, 10]]}}", "{'nodes", "topology", "from itself", "" },
		{ "{'topology': {'distances': [[10, 20]]}}", "[10, 20]", "distances", "as many distances as there are rows", "" },
		{ "{'topology': {'distances': [[10, 20], [20, 255]]}}", "255", "distances", "from 10 to 254", "" },
		{ "{'topology': {'distances': []}}", "[]", "distances", "a row for each node", "" },
		{ "{'topology': {'reach': 9}}", "9", "reach", "from 10 to 254", "" },
		{ "{'topology': {'isolated': []}}", "[]", "isolated", "at least one CPU number", "" },
		{ "{'topology': {'shape': '4c', 'file': 'x'}}", "'x'", "file", "either a shape or a file", "" },
		{ "{'topology': {'shape': '4d'}}", "'4d'", "shape", "what is counted", "a topology is" },
		{ "{'cpus': 2, 'topology': {'cores': ['2,3']}}", "{'cores", "topology", "4 CPUs, but \"cpus\" is 2", "leave" },
	};
	char text[512];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(read_machine(rows[i].machine), -1, rows[i].machine);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].machine);
		snprintf(text, sizeof(text), "{'machine': %s", rows[i].machine);
		CHECK_ROW(err.column, strstr(text, rows[i].at) - text + 1, rows[i].machine);
		if (strcmp(err.key, rows[i].key) || !strstr(err.message, rows[i].says) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: \"%s\": %s (%s)", rows[i].machine, err.key, err.message, err.hint);
	}
}

/* A task that names a CPU beyond the topology. */
TEST(machines, cpus_outside)
{
	static const char text[] = "{'machine': {'topology': '2c'}, 'tasks': {'t': {'cpus': 5, 'run': 1}}}";

	scenario_free(&sc);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_read("m.json", text, strlen(text), &sc, &warn, &err), -1);
	CHECK(strstr(err.message, "CPU 5 is outside the machine, which has CPUs 0-1"));
}

/* ---- changes ---- */

TEST(machines, another_topology)
{
	must_read("{'topology': 'c5.9xlarge'}");
	CHECK_EQ(scenario_set_cpus(&sc, 8, &err), -1);
	CHECK(strstr(err.message, "the scenario's topology has 36 CPUs") && strstr(err.hint, "--topology flat"));
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_topology(&sc, "2n x 2c", &err), 0);
	CHECK_EQ(sc.machine.cpus, 4);
	CHECK_STR(sc.machine.topology_text, "2n x 2c");
	CHECK_EQ(scenario_set_topology(&sc, "flat", &err), 0);
	CHECK(!sc.machine.topology && sc.machine.cpus == 4);
	CHECK_EQ(scenario_set_cpus(&sc, 8, &err), 0);
	CHECK_EQ(scenario_set_topology(&sc, "2n y", &err), -1);
	CHECK_EQ(sc.machine.cpus, 8);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_topology(&sc, "/nonexistent/x", &err), -1);
	CHECK(strstr(err.message, "cannot be read"));
}

/* ---- snapshots ---- */

#define HEAD "fairground machine 1\n"

TEST(machines, mistakes_in_snapshots)
{
	static const struct {
		const char *text;
		int line, column;
		const char *says;
	} rows[] = {
		{ "", 0, 1, "expected a line \"cpus N\"" },
		{ "fairground machine 2\n", 1, 1, "expected \"fairground machine 1\"" },
		{ HEAD, 1, 1, "expected a line \"cpus N\"" },
		{ HEAD "cpus\n", 2, 5, "expected a number of CPUs, 1 to 1024" },
		{ HEAD "cpus 1025\n", 2, 6, "1 to 1024" },
		{ HEAD "cpus 2\ncpus 2\n", 3, 5, "one line \"cpus\" only" },
		{ HEAD "cpu 0\n", 2, 4, "a line \"cpus N\" before it" },
		{ HEAD "cpus 2\ncpu 2 core 0\n", 3, 5, "below that behind" },
		{ HEAD "cpus 2\ncpu 0 coer 0\n", 3, 7, "core, cluster, llc, package or node" },
		{ HEAD "cpus 2\ncpu 0 core x\n", 3, 12, "0 to 1023" },
		{ HEAD "cpus 2\ncpu 0 core 1024\n", 3, 12, "0 to 1023" },
		{ HEAD "cpus 2\ncpu 0 core 1 core 2\n", 3, 14, "each of a CPU's things once" },
		{ HEAD "cpus 2 3\n", 2, 8, "nothing more" },
		{ HEAD "cpus 2\ndistance 1 10\n", 3, 10, "in order" },
		{ HEAD "cpus 2\ndistance 0\n", 3, 11, "a distance from 10 to 254" },
		{ HEAD "cpus 2\ndistance 0 9\n", 3, 12, "a distance from 10 to 254" },
		{ HEAD "cpus 2\ndistance 0 10 20\ndistance 1 20\n", 4, 14, "as many distances" },
		{ HEAD "cpus 2\ndistance 0 10 20\ndistance 1 20 10 10\n", 4, 18, "as many distances" },
		{ HEAD "cpus 2\ndistance 0 10 20\n", 3, 1, "a row of distances for each node" },
		{ HEAD "cpus 2\ndistance 0 10\ndistance 1 10\n", 4, 14, "no more rows than nodes" },
		{ HEAD "cpus 2\nisolated 1-0\n", 3, 13, "the lower CPU first" },
		{ HEAD "cpus 2\nisolated 5\n", 3, 10, "the number of a CPU" },
		{ HEAD "cpus 2\nreach 255\n", 3, 7, "10 to 254" },
		{ HEAD "cpus 2\nhello\n", 3, 1, "cpus, cpu, distance, reach or isolated" },
		{ HEAD "cpus 2\ncpu 0 llc 0\n", 0, 0, "CPU 1 is in no llc" },
		{ HEAD "cpus 2\ncpu 0 core 0 node 0\ncpu 1 core 0 node 1\n", 0, 0, "not in one node" },
	};
	struct topology *t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		CHECK_ROW(topology_from_snapshot(&mem, "x", rows[i].text, strlen(rows[i].text), &t, &err), -1, rows[i].text);
		if (err.line != rows[i].line || err.column != rows[i].column || !strstr(err.message, rows[i].says))
			fail_msg("\"%s\": %d:%d %s", rows[i].text, err.line, err.column, err.message);
	}
	begin();
	CHECK_EQ(topology_from_snapshot(&mem, "x", HEAD "cp\0us 2\n", 30, &t, &err), -1);
	CHECK(strstr(err.message, "a line of text"));
}

/* Notes, blanks and a last line without an end are fine. */
TEST(machines, a_snapshot_by_hand)
{
	const struct topology *t;

	begin();
	t = from_snapshot(HEAD "# of web-1\n\n  cpus 3\ncpu 2 core 7\tllc 0\ncpu 0 core 7 llc 0\ncpu 1 llc 9\nisolated 0,1-2");
	CHECK_EQ(t->cpu[0].core, t->cpu[2].core);
	CHECK(t->cpu[1].llc != t->cpu[0].llc && bit_count(t->isolated, 3) == 3);
}

/* ---- a host ---- */

static char sys[] = "/tmp/fairground_sys_XXXXXX";

static void sys_file(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s/devices/system/%s", sys, path);
	for (slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void sys_cpu(int cpu, const char *core, const char *cluster, int package, const char *l2, const char *l3)
{
	const struct {
		const char *file, *text;
	} rows[] = {
		{ "topology/core_cpus_list", core },	   { "topology/cluster_cpus_list", cluster }, { "cache/index0/level", "1\n" },
		{ "cache/index0/shared_cpu_list", core },  { "cache/index1/level", "2\n" },	      { "cache/index1/shared_cpu_list", l2 },
		{ "cache/index2/level", l3 ? "3\n" : NULL }, { "cache/index2/shared_cpu_list", l3 },
	};
	char path[128], id_text[16];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(path, sizeof(path), "cpu/cpu%d/%s", cpu, rows[i].file);
		if (rows[i].text)
			sys_file(path, rows[i].text);
	}
	snprintf(path, sizeof(path), "cpu/cpu%d/topology/physical_package_id", cpu);
	snprintf(id_text, sizeof(id_text), "%d\n", package);
	sys_file(path, id_text);
}

static void sys_begin(void)
{
	strcpy(sys + sizeof(sys) - 7, "XXXXXX");
	assert_non_null(mkdtemp(sys));
	begin();
}

static void sys_end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", sys);
	CHECK_EQ(system(command), 0);
}

/* Two sockets of two cores with two threads, one CPU offline, node 1 without CPUs. */
TEST(machines, a_host_tells)
{
	int cpus[16], nr;
	struct topology *t;

	sys_begin();
	sys_file("cpu/online", "0-4,6-7\n");
	sys_file("cpu/isolated", "7\n");
	sys_cpu(0, "0,4\n", "0,4\n", 0, "0,4\n", "0-1,4\n");
	sys_cpu(1, "1\n", "1\n", 0, "1\n", "0-1,4\n");
	sys_cpu(2, "2,6\n", "2,6\n", 8, "2,6\n", "2-3,6-7\n");
	sys_cpu(3, "3,7\n", "3,7\n", 8, "3,7\n", "2-3,6-7\n");
	sys_cpu(4, "0,4\n", "0,4\n", 0, "0,4\n", "0-1,4\n");
	sys_cpu(6, "2,6\n", "2,6\n", 8, "2,6\n", "2-3,6-7\n");
	sys_cpu(7, "3,7\n", "3,7\n", 8, "3,7\n", "2-3,6-7\n");
	sys_file("node/online", "0-2\n");
	sys_file("node/node0/cpulist", "0-1,4\n");
	sys_file("node/node0/distance", "10 15 21\n");
	sys_file("node/node1/cpulist", "\n");
	sys_file("node/node1/distance", "15 10 17\n");
	sys_file("node/node2/cpulist", "2-3,6-7\n");
	sys_file("node/node2/distance", "21 17 10\n");
	nr = host_online(sys, cpus, 16);
	CHECK_EQ(nr, 7);
	CHECK_EQ(cpus[5], 6);
	t = host_topology(&mem, sys, cpus, nr, &err);
	assert_non_null(t);
	check_same(t, from_snapshot(HEAD "cpus 7\ncpu 0 core 0 llc 0 package 0 node 0\ncpu 1 core 1 llc 0 package 0 node 0\n"
				    "cpu 2 core 2 llc 1 package 1 node 1\ncpu 3 core 3 llc 1 package 1 node 1\n"
				    "cpu 4 core 0 llc 0 package 0 node 0\ncpu 5 core 2 llc 1 package 1 node 1\n"
				    "cpu 6 core 3 llc 1 package 1 node 1\ndistance 0 10 21\ndistance 1 21 10\nisolated 6\n"));
	sys_end();
}

/* Cores that share their second level are a cluster; half of the CPUs only; two nodes in one package. */
TEST(machines, a_host_with_clusters)
{
	static const int some[] = { 2, 3, 4, 5 };
	struct topology *t;
	int cpu;

	sys_begin();
	for (cpu = 0; cpu < 8; cpu++) {
		char self[8], pair[16];

		snprintf(self, sizeof(self), "%d\n", cpu);
		snprintf(pair, sizeof(pair), "%d-%d\n", cpu & ~1, cpu | 1);
		sys_cpu(cpu, self, pair, 0, pair, "0-7\n");
	}
	sys_file("node/online", "0-1\n");
	sys_file("node/node0/cpulist", "0-3\n");
	sys_file("node/node1/cpulist", "4-7\n");
	t = host_topology(&mem, sys, some, 4, &err);
	assert_non_null(t);
	check_same(t, from_snapshot(HEAD "cpus 4\ncpu 0 cluster 0 llc 0 package 0 node 0\ncpu 1 cluster 0 llc 0 package 0 node 0\n"
				    "cpu 2 cluster 1 llc 0 package 0 node 1\ncpu 3 cluster 1 llc 0 package 0 node 1\n"));
	CHECK(t->sub_numa);
	sys_end();
}

/* A guest that is told little: no caches, no nodes. */
TEST(machines, a_host_that_tells_little)
{
	static const int cpus[] = { 0, 1, 2 };
	struct topology *t;

	sys_begin();
	CHECK_EQ(host_online(sys, (int[4]){ 0 }, 4), 0);
	CHECK(!host_topology(&mem, sys, cpus, 3, &err));
	CHECK_EQ(err.code, ERR_HOST);
	err = (struct err){ 0 };
	sys_file("cpu/cpu0/topology/physical_package_id", "0\n");
	sys_file("cpu/cpu1/topology/physical_package_id", "0\n");
	sys_file("cpu/cpu2/topology/physical_package_id", "-1\n");
	t = host_topology(&mem, sys, cpus, 3, &err);
	assert_non_null(t);
	CHECK_EQ(t->nr_nodes, 1);
	check_same(t, from_snapshot(HEAD "cpus 3\n"));
	sys_end();
}

/* The machine under us can be read, and what is read can be run. */
TEST(machines, this_host)
{
	int cpus[SCENARIO_MOST_CPUS], nr = host_online("/sys", cpus, SCENARIO_MOST_CPUS);
	struct kernel_model model;
	struct still still;
	struct topology *t;

	if (!nr)
		return; /* no /sys here */
	begin();
	t = host_topology(&mem, "/sys", cpus, nr, &err);
	assert_non_null(t);
	CHECK_EQ(model_init(&model, "6.12"), 0);
	CHECK_EQ(still_init(&still, nr, t, &model, 250), 0);
	still_fini(&still);
}

/* ---- it is used ---- */

/* A scenario file with a topology is written and read back; lists and text; and a file beside the scenario. */
TEST(machines, scenarios_keep_their_topology)
{
	static const char *const machines[] = {
		"{'topology': '2n x 2c x 2t'}", "{'topology': {'cores': ['0,2', '1,3'], 'nodes': ['0,2', '1,3'], 'distances': [[10, 40], [40, 10]]}}",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		must_read(machines[i]);
		sc.duration = 20 * MS;
		check_written(&sc, machines[i]);
	}
}

TEST(machines, a_snapshot_beside_the_scenario)
{
	static const char scenario[] = "{'machine': {'topology': {'file': '../own.machine'}}, 'tasks': {'t': {'run': 1}}}";
	char path[256];

	sys_begin();
	sys_file("own.machine", HEAD "cpus 2\ncpu 0 core 0\ncpu 1 core 0\n");
	sys_file("scenarios/s.json", scenario);
	snprintf(path, sizeof(path), "%s/devices/system/scenarios/s.json", sys);
	scenario_free(&sc);
	err = (struct err){ 0 };
	if (scenario_read_file(path, &sc, &warn, &err))
		fail_msg("%s", err.message);
	CHECK_EQ(sc.machine.topology->cpu[0].core, sc.machine.topology->cpu[1].core);
	sys_file("own.machine", HEAD "cpus 2\ncpu 0 cor 0\n");
	scenario_free(&sc);
	CHECK_EQ(scenario_read_file(path, &sc, &warn, &err), -1);
	CHECK(strstr(err.file, "own.machine") && err.line == 3);
	sys_end();
}

static void print_machine(const char *what, const char *row, char **text)
{
	struct topology *t = described(what);
	struct kernel_model model;
	struct still still;
	char words[256];
	size_t len;
	FILE *out = open_memstream(text, &len);

	CHECK_EQ(model_init(&model, row), 0);
	CHECK_EQ(still_init(&still, t->nr_cpus, t, &model, 1000), 0);
	machine_text(out, &(struct machine_view){ .name = what, .words = topology_words(t, words, sizeof(words)), .topology = t,
						  .lab = still.lab, .row = row, .hz = 1000 });
	fclose(out);
	still_fini(&still);
}

/* The page, letter by letter: intervals are those of smp.md 1.6 at 1000 Hz. */
TEST(machines, the_page)
{
	char *text;

	print_machine("r4.16xlarge", "5.10", &text);
	CHECK_STR(text, "r4.16xlarge: 64 CPUs, 32 cores, 2 last level caches, 2 packages, 2 nodes\n"
			"kernel 5.10 at 1000 Hz\n"
			"\n"
			"level  CPUs  groups  looks when idle/ms  when busy/ms  pct  tries  imb_numa  flags\n"
			"SMT       2       2                2, 4        31, 63  110      0         -  newidle fork exec affine spread\n"
			"MC       32      16              32, 64     511, 1023  117      1         -  newidle fork exec affine spread\n"
			"NUMA     64       2             64, 128    1023, 2047  117      2         4  newidle fork exec affine serialize\n"
			"\n"
			"CPUs         cores                 levels above\n"
			"0-15,32-47   0,32 1,33 .. 15,47    MC 0-15,32-47 < NUMA 0-63\n"
			"16-31,48-63  16,48 17,49 .. 31,63  MC 16-31,48-63 < NUMA 0-63\n");
	free(text);
}

TEST_MAIN("smp: machines")
