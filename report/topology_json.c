/* SPDX-License-Identifier: MIT */
/*
 * topology_json.c - what CPUs share, as lists: { "cores": ["0,4", "1,5"], "llcs": ["0-3", "4-7"], ... }.
 *
 * Law: what is written reads back as the same sets (input/read_topology.c), whatever their ids were.
 */
#include "report/topology_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "work/topology.h"

#define WORDS BITS_WORDS(SCENARIO_MOST_CPUS)
#define LIST_TEXT (SCENARIO_MOST_CPUS * 5)

char *cpu_list_text(char *buf, size_t size, const u64 *set, int n)
{
	const char *comma = "";
	size_t at = 0;
	int from, to;

	*buf = '\0';
	for (from = bit_next(set, n, 0); from < n; from = bit_next(set, n, to + 1)) {
		char part[24];

		for (to = from; to + 1 < n && bit_test(set, to + 1); to++)
			;
		snprintf(part, sizeof(part), to > from ? "%s%d-%d" : "%s%d", comma, from, to);
		if (at + strlen(part) + 4 > size) {
			snprintf(buf + at, size - at, "...");
			return buf;
		}
		memcpy(buf + at, part, strlen(part) + 1);
		at += strlen(part);
		comma = ",";
	}
	return buf;
}

/* ---- sets of CPUs with the same id ---- */

/* Chains of CPUs, upwards: those of one id, by its first CPU. */
struct sets {
	int first[TOPOLOGY_IDS], last[TOPOLOGY_IDS]; /* 1 + CPU; 0: there is none */
	int next[SCENARIO_MOST_CPUS];		     /* the same */
	int ids[SCENARIO_MOST_CPUS], nr;	     /* in the order of their first CPUs */
	int largest;				     /* CPUs in one */
};

static void find_sets(struct sets *sets, const struct topology *t, size_t offset)
{
	int size[TOPOLOGY_IDS] = { 0 }, cpu;

	memset(sets, 0, sizeof(*sets));
	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		int id = *(const int *)((const char *)&t->cpu[cpu] + offset);

		if (sets->last[id]) {
			sets->next[sets->last[id] - 1] = cpu + 1;
		} else {
			sets->first[id] = cpu + 1;
			sets->ids[sets->nr++] = id;
		}
		sets->last[id] = cpu + 1;
		if (++size[id] > sets->largest)
			sets->largest = size[id];
	}
}

static void put_set(struct json_write *j, const struct sets *sets, int id, int n)
{
	u64 set[WORDS] = { 0 };
	char text[LIST_TEXT];
	int cpu;

	for (cpu = sets->first[id]; cpu; cpu = sets->next[cpu - 1])
		bit_set(set, cpu - 1);
	json_string(j, cpu_list_text(text, sizeof(text), set, n));
}

/* @alone: write sets of one CPU, too. */
static void put_things(struct json_write *j, const char *key, const struct sets *sets, int n, bool alone)
{
	int i;

	json_put_begin_line(j, key, '[');
	for (i = 0; i < sets->nr; i++)
		if (alone || sets->next[sets->first[sets->ids[i]] - 1])
			put_set(j, sets, sets->ids[i], n);
	json_end(j);
}

/* ---- the whole ---- */

static bool same_sets(const struct topology *t, size_t a, size_t b)
{
	int twin[TOPOLOGY_IDS] = { 0 }, back[TOPOLOGY_IDS] = { 0 }, cpu; /* 1 + the other's id */

	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		int x = *(const int *)((const char *)&t->cpu[cpu] + a), y = *(const int *)((const char *)&t->cpu[cpu] + b);

		if ((twin[x] && twin[x] != y + 1) || (back[y] && back[y] != x + 1))
			return false;
		twin[x] = y + 1;
		back[y] = x + 1;
	}
	return true;
}

/* By their numbers, which are the rows of the distances; a node without CPUs is an empty set. */
static void put_nodes(struct json_write *j, const struct sets *sets, const struct topology *t)
{
	int node;

	json_put_begin_line(j, "nodes", '[');
	for (node = 0; node < t->nr_nodes; node++) {
		if (sets->first[node]) {
			put_set(j, sets, node, t->nr_cpus);
		} else {
			json_begin_line(j, '[');
			json_end(j);
		}
	}
	json_end(j);
}

static void put_distances(struct json_write *j, const struct topology *t)
{
	int i, k;

	json_put_begin(j, "distances", '[');
	for (i = 0; i < t->nr_nodes; i++) {
		json_begin_line(j, '[');
		for (k = 0; k < t->nr_nodes; k++)
			json_s64(j, node_distance(t, i, k));
		json_end(j);
	}
	json_end(j);
}

#define PLACE(member) offsetof(struct cpu_place, member)

/* Things that a reader assumes are left out: cores of one CPU, clusters of one core, one LLC, a package for each node, one node. */
void topology_lists_json(struct json_write *j, const struct topology *t)
{
	struct sets sets;
	char isolated[LIST_TEXT];
	int n = t->nr_cpus;

	json_begin(j, '{');
	find_sets(&sets, t, PLACE(core));
	if (sets.largest > 1)
		put_things(j, "cores", &sets, n, false);
	find_sets(&sets, t, PLACE(cluster));
	if (!same_sets(t, PLACE(cluster), PLACE(core)))
		put_things(j, "clusters", &sets, n, true);
	find_sets(&sets, t, PLACE(llc));
	if (sets.nr > 1)
		put_things(j, "llcs", &sets, n, true);
	find_sets(&sets, t, PLACE(package));
	if (!same_sets(t, PLACE(package), PLACE(node)))
		put_things(j, "packages", &sets, n, true);
	find_sets(&sets, t, PLACE(node));
	if (t->nr_nodes > 1) {
		put_nodes(j, &sets, t);
		put_distances(j, t);
	}
	if (t->remote_distance)
		json_put_s64(j, "reach", t->remote_distance);
	if (t->isolated)
		json_put_string(j, "isolated", cpu_list_text(isolated, sizeof(isolated), t->isolated, n));
	json_end(j);
}

void machine_topology_json(struct json_write *j, const struct machine_spec *m)
{
	if (!m->topology)
		return;
	if (m->topology_text) {
		json_put_string(j, "topology", m->topology_text);
		return;
	}
	json_key(j, "topology");
	topology_lists_json(j, m->topology);
}
