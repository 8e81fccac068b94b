/* SPDX-License-Identifier: MIT */
/*
 * weight.c - nice levels, and the kernel's way to divide by a weight.
 *
 *	delta * weight / total  =  (delta * fact) >> shift,   fact = weight * (2^32 / total), kept within 32 bits
 *
 * Bit-equal results matter: 24 ms * 1024 / 2048 is 11,999,994 ns here, not 12,000,000, and switch times follow from it
 * (docs/rules/fair.md 1.1, 1.2).
 */
#include "core/sched.h"

/* nice -20 .. 19; each step is about x 1.25. */
static const u32 weight_of_nice[40] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,
	1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,
	110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,
};

/* 2^32 / weight, as tabulated in kernels (a few rounded up by one). */
static const u32 inverse_of_nice[40] = {
	48388,	  59856,    76040,    92818,	118348,	  147320,   184698,   229616,	287308,	  360437,
	449829,	  563644,   704093,   875809,	1099582,  1376151,  1717300,  2157191,	2708050,  3363326,
	4194304,  5237765,  6557202,  8165337,	10153587, 12820798, 15790321, 19976592, 24970740, 31350126,
	39045157, 49367440, 61356676, 76695844, 95443717, 119304647, 148102320, 186737708, 238609294, 286331153,
};
#define INVERSE_IDLEPRIO 1431655765u

u64 nice_weight(int nice) { return weight_of_nice[nice + 20]; }
u32 nice_inverse(int nice) { return inverse_of_nice[nice + 20]; }

u64 shares_of_weight(u64 weight) { return (weight * 1024 + 50) / 100; }
u64 weight_of_shares(u64 shares) { return (shares * 100 + 512) / 1024; }

static u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

/* From the heaviest on, as long as it gets closer. */
int nice_of_shares(u64 shares)
{
	int nice = -20;

	while (nice < 19 && distance(nice_weight(nice + 1), shares) < distance(nice_weight(nice), shares))
		nice++;
	return nice;
}

/* Rule fair_inverse, to 3.13: the inverse comes from 2^32 itself and the last shift rounds half up. */
static u64 calc_delta_rounded(u64 delta, u64 weight, struct load_weight *lw)
{
	unsigned __int128 product;

	if (!lw->inv_weight)
		lw->inv_weight = lw->weight > 1 ? (u32)(((u64)1 << 32) / lw->weight) : UINT32_MAX;
	product = (unsigned __int128)delta * weight * lw->inv_weight;
	return (u64)((product + ((u64)1 << 31)) >> 32);
}

static void compute_inverse(const struct lab *lab, struct load_weight *lw)
{
	u64 weight = scale_load_down(lab, lw->weight);

	if (weight >= UINT32_MAX)
		lw->inv_weight = 1;
	else
		lw->inv_weight = weight ? (u32)(UINT32_MAX / weight) : UINT32_MAX;
}

u64 calc_delta(const struct lab *lab, u64 delta, u64 weight, struct load_weight *lw)
{
	u64 fact = scale_load_down(lab, weight);
	int shift = 32;

	if (unlikely(!lab_rule(lab, FAIR_INVERSE)))
		return calc_delta_rounded(delta, weight, lw);
	if (!lw->inv_weight)
		compute_inverse(lab, lw);
	for (; fact >> 32; shift--)
		fact >>= 1;
	fact *= lw->inv_weight;
	for (; fact >> 32; shift--)
		fact >>= 1;
	return (u64)(((unsigned __int128)delta * fact) >> shift);
}

void set_task_weight(struct lab *lab, struct task_struct *p)
{
	bool idle = p->policy == SCHED_IDLE;
	struct load_weight load = {
		.weight = scale_load(lab, idle ? WEIGHT_IDLEPRIO : nice_weight(p->nice)),
		.inv_weight = idle ? INVERSE_IDLEPRIO : nice_inverse(p->nice),
	};

	if (lab->pick->reweight)
		lab->pick->reweight(lab, p->se.cfs_rq, &p->se, load.weight, 0);
	reweight_load(lab, &p->se, load);
}
