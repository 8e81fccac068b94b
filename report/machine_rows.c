/* SPDX-License-Identifier: MIT */
/* machine_rows.c - which CPUs have the same list of scheduler domains. */
#include "report/machine_impl.h"

#include <stdlib.h>

#include "base/bits.h"

/*
 * Whose CPUs stand in one row with @cpu: known by the lowest CPU of its lowest level that is no SMT.  Where that is one between nodes, which
 * may overlap, or there is none, by its core.  @from: that level.
 */
static int key_of(struct lab *lab, int cpu, int n, int *from)
{
	struct domain_view d = { 0 };
	struct cpu_view c;

	lab_view_cpu(lab, cpu, &c);
	for (*from = 0; lab_view_domain(lab, cpu, *from, &d); ++*from)
		if (!d.share_cpu)
			return d.numa ? c.core : bit_next(d.span, n, 0);
	*from = LEVEL_NONE;
	return c.core;
}

void machine_rows_find(struct machine_rows *rows, const struct machine_view *v)
{
	int n = v->topology->nr_cpus, cpu, from;
	size_t words = BITS_WORDS((size_t)n);
	int *row_of = calloc((size_t)n, sizeof(*row_of)); /* 1 + the row, by key */

	*rows = (struct machine_rows){ .row = calloc((size_t)n, sizeof(*rows->row)), .sets = calloc((size_t)n * words, sizeof(u64)) };
	for (cpu = 0; rows->row && rows->sets && row_of && cpu < n; cpu++) {
		int *known = &row_of[key_of(v->lab, cpu, n, &from)];

		if (!*known) {
			rows->row[rows->nr] = (struct machine_row){ rows->sets + (size_t)rows->nr * words, cpu, from };
			*known = ++rows->nr;
		}
		bit_set(rows->row[*known - 1].cpus, cpu);
	}
	free(row_of);
}

void machine_rows_free(struct machine_rows *rows)
{
	free(rows->row);
	free(rows->sets);
}
