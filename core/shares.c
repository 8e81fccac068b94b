/* SPDX-License-Identifier: MIT */
/*
 * shares.c - how much of a group's shares its entity on one CPU weighs.
 */
#include "core/sched.h"

/* A group that is throttled, or idle by rule, keeps what it has. */
void update_cfs_group(struct lab *lab, struct sched_entity *se)
{
	struct cfs_rq *my_q = se->my_q;
	u64 weight;

	if (!my_q || throttled_hierarchy(my_q))
		return;
	weight = my_q->tg->idle ? scale_load(lab, WEIGHT_IDLEPRIO) : my_q->tg->shares;
	if (se->load.weight != weight)
		reweight_entity(lab, se->cfs_rq, se, weight);
}
