/* SPDX-License-Identifier: MIT */
/*
 * domains_order.c - CPUs sorted by what they share.
 *
 *	order[]     0    2    1    3    4    6    5    7	threads 0 and 2 are a core, 0 to 3 have one cache
 *	common[]    -  CORE  LLC CORE PACK CORE  LLC CORE	with the one before (PACK: the package)
 *
 * So the sets of any level are the pieces between two places where less than that level is in common.
 */
#include "core/domains.h"

/* What two CPUs have in common, from the largest thing down; *@less: does @x come first? */
static int compare_places(const struct builder *b, int x, int y, bool *less)
{
	const struct cpu_place *p = &b->topo->cpu[x], *q = &b->topo->cpu[y];
	const int ids[][2] = { { p->node, q->node }, { p->package, q->package }, { p->llc, q->llc },
			       { p->cluster, q->cluster }, { p->core, q->core } };
	int i;

	for (i = 0; i < SHARE_CORE; i++) {
		if (ids[i][0] != ids[i][1]) {
			*less = ids[i][0] < ids[i][1];
			return i;
		}
	}
	*less = x < y;
	return SHARE_CORE;
}

/* @from[lo..mid) and [mid..hi) are sorted: so is @to[lo..hi) afterwards. */
static void merge(const struct builder *b, const int *from, int *to, int lo, int mid, int hi)
{
	int i = lo, j = mid, k;

	for (k = lo; k < hi; k++) {
		bool right = i == mid;

		if (!right && j < hi)
			compare_places(b, from[j], from[i], &right);
		to[k] = right ? from[j++] : from[i++];
	}
}

void sort_cpus(struct builder *b, int *spare)
{
	int n = b->nr, width, lo, k;
	bool less;

	for (width = 1; width < n; width *= 2) {
		int *sorted = spare;

		for (lo = 0; lo < n; lo += 2 * width) {
			int mid = lo + width < n ? lo + width : n, hi = mid + width < n ? mid + width : n;

			merge(b, b->order, sorted, lo, mid, hi);
		}
		spare = b->order;
		b->order = sorted;
	}
	for (k = 1; k < n; k++)
		b->common[k] = (u8)compare_places(b, b->order[k - 1], b->order[k], &less);
}

int piece_end(const struct builder *b, int from, enum share share)
{
	int to = from + 1;

	while (to < b->nr && b->common[to] >= share)
		to++;
	return to;
}

void drop_isolated(struct builder *b)
{
	const u64 *isolated = b->topo->isolated;
	u8 common = SHARE_CORE;
	int k, nr = 0;

	for (k = 0; k < b->nr; k++) {
		int cpu = b->order[k];

		common = b->common[k] < common ? b->common[k] : common;
		if (isolated && bit_test(isolated, cpu))
			continue;
		bit_set(b->all, cpu);
		b->order[nr] = cpu;
		b->common[nr++] = common;
		common = SHARE_CORE;
	}
	b->nr = nr;
	b->lab->smp.nr_balanced = nr;
}
