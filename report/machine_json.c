/* SPDX-License-Identifier: MIT */
/* machine_json.c - a machine as the scheduler sees it, for machines; docs/machine.schema.json.  Times are whole us. */
#include "base/bits.h"
#include "report/machine_impl.h"
#include "report/topology_json.h"

static void put_set(struct json_write *j, const char *key, const struct machine_view *v, const u64 *set)
{
	char text[SCENARIO_MOST_CPUS * 5];

	json_put_string(j, key, cpu_list_text(text, sizeof(text), set, v->topology->nr_cpus));
}

static void put_flags(struct json_write *j, const struct domain_view *d)
{
	const struct { bool set; const char *name; } rows[] = {
		{ d->newidle, "newidle" }, { d->exec, "exec" }, { d->fork, "fork" }, { d->wake_affine, "wake_affine" },
		{ d->share_cpu, "share_cpu" }, { d->share_llc, "share_llc" }, { d->prefer_sibling, "prefer_sibling" },
		{ d->serialize, "serialize" }, { d->numa, "numa" },
	};
	size_t i;

	json_put_begin_line(j, "flags", '[');
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].set)
			json_string(j, rows[i].name);
	json_end(j);
}

static void put_groups(struct json_write *j, const struct machine_view *v, int cpu, int level, int nr)
{
	struct domain_group_view g;
	int i;

	json_put_begin(j, "groups", '[');
	for (i = 0; i < nr; i++) {
		lab_view_domain_group(v->lab, cpu, level, i, &g);
		json_begin_line(j, '{');
		put_set(j, "cpus", v, g.span);
		put_set(j, "balanced_by", v, g.balance_mask);
		json_put_s64(j, "cores", g.cores);
		json_put_u64(j, "capacity", g.capacity);
		json_end(j);
	}
	json_end(j);
}

static void put_level(struct json_write *j, const struct machine_view *v, int cpu, int level, const struct domain_view *d)
{
	json_begin(j, '{');
	json_put_string(j, "name", d->name);
	put_set(j, "cpus", v, d->span);
	put_flags(j, d);
	json_put_u64(j, "min_interval_usec", d->min_interval / US);
	json_put_u64(j, "max_interval_usec", d->max_interval / US);
	json_put_u64(j, "busy_factor", d->busy_factor);
	json_put_u64(j, "idle_every_usec", d->idle_every / US);
	json_put_u64(j, "idle_longest_usec", d->idle_longest / US);
	json_put_u64(j, "busy_every_usec", d->busy_every / US);
	json_put_u64(j, "busy_longest_usec", d->busy_longest / US);
	json_put_u64(j, "imbalance_pct", d->imbalance_pct);
	json_put_u64(j, "cache_nice_tries", d->cache_nice_tries);
	json_put_u64(j, "imb_numa_nr", d->imb_numa_nr);
	put_groups(j, v, cpu, level, d->nr_groups);
	json_end(j);
}

static void put_row(struct json_write *j, const struct machine_view *v, const struct machine_row *row)
{
	struct domain_view d;
	struct cpu_view c;
	int level;

	lab_view_cpu(v->lab, row->first, &c);
	json_begin(j, '{');
	put_set(j, "cpus", v, row->cpus);
	json_put_s64(j, "node", c.node);
	json_put_s64(j, "llc_size", c.llc_size);
	json_put_u64(j, "capacity", c.capacity);
	json_put_begin(j, "levels", '[');
	for (level = 0; lab_view_domain(v->lab, row->first, level, &d); level++)
		put_level(j, v, row->first, level, &d);
	json_end(j);
	json_end(j);
}

void machine_json(struct json_write *j, const struct machine_view *v)
{
	struct machine_rows rows;
	int i;

	machine_rows_find(&rows, v);
	json_begin(j, '{');
	json_put_string(j, "machine", v->name);
	json_put_s64(j, "cpus", v->topology->nr_cpus);
	json_put_string(j, "kernel", v->row);
	json_put_u64(j, "hz", v->hz);
	json_key(j, "topology");
	topology_lists_json(j, v->topology);
	json_put_begin(j, "lists", '[');
	for (i = 0; i < rows.nr; i++)
		put_row(j, v, &rows.row[i]);
	json_end(j);
	json_end(j);
	machine_rows_free(&rows);
}
