/* SPDX-License-Identifier: MIT */
/*
 * weight.h - weights: of nice values, of shares, and time stretched by them (weight.c); private to core/.
 *
 *	nice 0 = weight 1024; each step of nice is 1.25 times as much.  A stored weight is << 10 where the row says load_scale.
 *	calc_delta():	delta * weight / lw.weight, by way of 2^32 / lw.weight, with the kernel's own rounding
 */
#ifndef CORE_WEIGHT_H
#define CORE_WEIGHT_H

#include "base/types.h"
#include "core/entity.h"
#include "core/inside.h"

#define NICE_0_WEIGHT 1024
#define WEIGHT_IDLEPRIO 3 /* of SCHED_IDLE, and of a group with cpu.idle */
u64 nice_weight(int nice);  /* -20..19; unscaled: sched_prio_to_weight[] */
u32 nice_inverse(int nice); /* 2^32 by that: sched_prio_to_wmult[] */
u64 shares_of_weight(u64 weight); /* cpu.weight, 1..10000 */
u64 weight_of_shares(u64 shares); /* unscaled; as cpu.weight reads */
int nice_of_shares(u64 shares);	  /* as cpu.weight.nice reads */

/* Rule load_scale: 64-bit kernels from 4.7 store weights << 10 (2159197d6677). */
static inline u64 scale_load(const struct lab *lab, u64 weight)
{
	return lab_rule(lab, LOAD_SCALE) ? weight << 10 : weight;
}

/* Back to what a user means by it: at least 2, unless it is 0. */
static inline u64 scale_load_down(const struct lab *lab, u64 stored)
{
	if (!lab_rule(lab, LOAD_SCALE) || !stored)
		return stored;
	return max_u64(2, stored >> 10);
}

/* @delta * @weight / @lw, in the kernel's own integer arithmetic. */
u64 calc_delta(const struct lab *lab, u64 delta, u64 weight, struct load_weight *lw);

/* Wall time turned into virtual time of @se. */
static inline u64 calc_delta_fair(const struct lab *lab, u64 delta, struct sched_entity *se)
{
	u64 nice_0 = scale_load(lab, NICE_0_WEIGHT);

	if (se->load.weight == nice_0)
		return delta;
	return calc_delta(lab, delta, nice_0, &se->load);
}

void set_task_weight(struct lab *lab, struct task_struct *p); /* by policy and nice; averages follow */

/* The sum of a queue changes; its inverse is computed when it is next asked for. */
static inline void load_add(struct load_weight *lw, u64 weight)
{
	lw->weight += weight;
	lw->inv_weight = 0;
}

static inline void load_sub(struct load_weight *lw, u64 weight)
{
	lw->weight -= weight;
	lw->inv_weight = 0;
}

#endif
