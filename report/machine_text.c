/* SPDX-License-Identifier: MIT */
/*
 * machine_text.c - a machine as the scheduler sees it, for people.
 *
 *	levels		one line for each kind that some CPU has, with its numbers
 *	CPUs		those with the same list share a line: their cores, and what each level spans
 *	groups		of levels that overlap
 *
 * Law: every CPU stands in just one line; a list that is cut ends in "...".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "report/machine_impl.h"
#include "report/topology_json.h"
#include "text/format.h"
#include "text/table.h"
#include "work/topology.h"

#define LIST_SHOWN 60 /* bytes of a list of CPUs */
#define LINES_MOST 64 /* different levels */

/* ---- levels ---- */

static bool same_level(const struct domain_view *a, const struct domain_view *b)
{
	return !strcmp(a->name, b->name) && a->span_weight == b->span_weight && a->nr_groups == b->nr_groups && a->fork == b->fork &&
	       a->imb_numa_nr == b->imb_numa_nr;
}

/* The levels that some CPU has, each kind once, in the order in which CPUs show them.  Returns how many; LINES_MOST + 1: there are more. */
static int find_levels(const struct machine_view *v, struct domain_view *lines)
{
	struct domain_view d;
	int cpu, level, nr = 0, i;

	for (cpu = 0; cpu < v->topology->nr_cpus; cpu++)
		for (level = 0; lab_view_domain(v->lab, cpu, level, &d); level++) {
			for (i = 0; i < nr && !same_level(&lines[i], &d); i++)
				;
			if (i < nr)
				continue;
			if (nr == LINES_MOST)
				return nr + 1;
			lines[nr++] = d;
		}
	return nr;
}

/* "508, 1020": at first, and after looks that found balance; whole ms. */
static void put_times(struct table *t, u64 first, u64 longest)
{
	table_cell(t, "%" PRIu64 ", %" PRIu64, first / MS, longest / MS);
}

static void put_level(struct table *t, const struct domain_view *d)
{
	table_cell(t, "%s", d->name);
	table_cell(t, "%d", d->span_weight);
	table_cell(t, "%d", d->nr_groups);
	put_times(t, d->idle_every, d->idle_longest);
	put_times(t, d->busy_every, d->busy_longest);
	table_cell(t, "%u", d->imbalance_pct);
	table_cell(t, "%u", d->cache_nice_tries);
	if (d->imb_numa_nr)
		table_cell(t, "%u", d->imb_numa_nr);
	else
		table_cell(t, "%s", "-");
	table_cell(t, "%s%s%s%s%s%s", d->newidle ? "newidle" : "", d->fork ? " fork" : "", d->exec ? " exec" : "",
		   d->wake_affine ? " affine" : "", d->prefer_sibling ? " spread" : "", d->serialize ? " serialize" : "");
}

static void put_levels(FILE *out, const struct machine_view *v)
{
	struct domain_view lines[LINES_MOST];
	int nr = find_levels(v, lines), i;
	struct table t;

	if (!nr) {
		fputs("no CPU has another to share work with\n", out);
		return;
	}
	table_init(&t, "lrrrrrrrl");
	table_heads(&t, "level|CPUs|groups|looks when idle/ms|when busy/ms|pct|tries|imb_numa|flags");
	for (i = 0; i < nr && i < LINES_MOST; i++)
		put_level(&t, &lines[i]);
	table_print(&t, out);
	table_fini(&t);
	if (nr > LINES_MOST)
		fputs("... and more that differ\n", out);
}

/* ---- CPUs ---- */

static const char *list(char *buf, const u64 *set, int n) { return cpu_list_text(buf, LIST_SHOWN, set, n); }

/* "0,4 1,5 .. 3,7": the cores that begin in @cpus. */
static void cores_text(char *buf, size_t size, const struct machine_view *v, const u64 *cpus)
{
	int n = v->topology->nr_cpus, cpu, nr = 0, shown = 0;
	char one[LIST_SHOWN];
	struct cpu_view c;
	size_t at = 0;

	for_each_bit(cpu, cpus, n) {
		lab_view_cpu(v->lab, cpu, &c);
		nr += c.core == cpu;
	}
	*buf = '\0';
	for_each_bit(cpu, cpus, n) {
		lab_view_cpu(v->lab, cpu, &c);
		if (c.core != cpu)
			continue;
		shown++;
		if (shown > 2 && shown < nr) {
			if (shown == 3)
				at += (size_t)snprintf(buf + at, size - at, " ..");
			continue;
		}
		at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? " " : "", list(one, c.smt, n));
		if (at >= size)
			return;
	}
}

static void levels_text(char *buf, size_t size, const struct machine_view *v, const struct machine_row *row)
{
	struct domain_view d;
	char spans[LIST_SHOWN];
	size_t at = 0;
	int level = row->from;

	snprintf(buf, size, "%s", level == LEVEL_NONE ? "none" : "");
	for (; level != LEVEL_NONE && at < size && lab_view_domain(v->lab, row->first, level, &d); level++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s %s", at ? " < " : "", d.name, list(spans, d.span, v->topology->nr_cpus));
}

static bool has_smt(const struct machine_view *v)
{
	struct cpu_view c;
	int cpu;

	for (cpu = 0; cpu < v->topology->nr_cpus; cpu++) {
		lab_view_cpu(v->lab, cpu, &c);
		if (c.core != cpu)
			return true;
	}
	return false;
}

static void put_cpus(FILE *out, const struct machine_view *v, const struct machine_rows *rows)
{
	bool smt = has_smt(v);
	char text[512];
	struct table t;
	int i;

	table_init(&t, smt ? "lll" : "ll");
	table_heads(&t, smt ? "CPUs|cores|levels above" : "CPUs|levels");
	for (i = 0; i < rows->nr; i++) {
		table_cell(&t, "%s", list(text, rows->row[i].cpus, v->topology->nr_cpus));
		if (smt) {
			cores_text(text, sizeof(text), v, rows->row[i].cpus);
			table_cell(&t, "%s", text);
		}
		levels_text(text, sizeof(text), v, &rows->row[i]);
		table_cell(&t, "%s", text);
	}
	table_print(&t, out);
	table_fini(&t);
}

/* ---- groups that overlap ---- */

static bool overlaps(const struct machine_view *v, int cpu, int level, const struct domain_view *d)
{
	struct domain_group_view g;
	int i, cpus = 0;

	for (i = 0; i < d->nr_groups; i++) {
		lab_view_domain_group(v->lab, cpu, level, i, &g);
		cpus += g.weight;
	}
	return cpus != d->span_weight;
}

static void put_ring(FILE *out, const struct machine_view *v, int cpu, int level, const struct domain_view *d)
{
	char span[LIST_SHOWN], mask[LIST_SHOWN];
	int n = v->topology->nr_cpus, i;
	struct domain_group_view g;

	fprintf(out, "CPU %d, %s %s:", cpu, d->name, list(span, d->span, n));
	for (i = 0; i < d->nr_groups; i++) {
		lab_view_domain_group(v->lab, cpu, level, i, &g);
		fprintf(out, "%s %s", i ? "," : "", list(span, g.span, n));
		fprintf(out, " (by %s)", list(mask, g.balance_mask, n));
	}
	fputc('\n', out);
}

static void put_overlaps(FILE *out, const struct machine_view *v, const struct machine_rows *rows)
{
	struct domain_view d;
	bool any = false;
	int i, level;

	for (i = 0; i < rows->nr; i++)
		for (level = 0; lab_view_domain(v->lab, rows->row[i].first, level, &d); level++) {
			if (!d.numa || !overlaps(v, rows->row[i].first, level, &d))
				continue;
			if (!any)
				fputs("\ngroups that overlap, and which CPUs may balance for each:\n", out);
			any = true;
			put_ring(out, v, rows->row[i].first, level, &d);
		}
}

/* ---- what a CPU is worth ---- */

static void put_capacity(FILE *out, const struct machine_view *v)
{
	int cpu, least = 1024;
	struct cpu_view c;

	for (cpu = 0; cpu < v->topology->nr_cpus; cpu++) {
		lab_view_cpu(v->lab, cpu, &c);
		if ((int)c.capacity < least)
			least = (int)c.capacity;
	}
	if (least < 1024)
		fprintf(out, "\na thread that shares its core counts as %d of 1024 (rule smt_capacity)\n", least);
}

void machine_text(FILE *out, const struct machine_view *v)
{
	struct machine_rows rows;

	text_put(out, v->name);
	fprintf(out, ": %s\nkernel %s at %u Hz\n\n", v->words, v->row, v->hz);
	put_levels(out, v);
	fputc('\n', out);
	machine_rows_find(&rows, v);
	put_cpus(out, v, &rows);
	put_overlaps(out, v, &rows);
	machine_rows_free(&rows);
	put_capacity(out, v);
}

/* ---- a snapshot ---- */

void machine_snapshot(FILE *out, const struct topology *t, const char *note)
{
	bool clusters = topology_has_clusters(t);
	char list_text[SCENARIO_MOST_CPUS * 5];
	int i, k;

	fputs("fairground machine 1\n", out);
	if (note)
		fprintf(out, "# %s\n", note);
	fprintf(out, "cpus %d\n", t->nr_cpus);
	for (i = 0; i < t->nr_cpus; i++) {
		const struct cpu_place *p = &t->cpu[i];

		fprintf(out, "cpu %d core %d", i, p->core);
		if (clusters)
			fprintf(out, " cluster %d", p->cluster);
		fprintf(out, " llc %d package %d node %d\n", p->llc, p->package, p->node);
	}
	for (i = 0; i < t->nr_nodes; i++) {
		fprintf(out, "distance %d", i);
		for (k = 0; k < t->nr_nodes; k++)
			fprintf(out, " %d", node_distance(t, i, k));
		fputc('\n', out);
	}
	if (t->remote_distance)
		fprintf(out, "reach %d\n", t->remote_distance);
	if (t->isolated && bit_count(t->isolated, t->nr_cpus))
		fprintf(out, "isolated %s\n", cpu_list_text(list_text, sizeof(list_text), t->isolated, t->nr_cpus));
}
