/* SPDX-License-Identifier: MIT */
/*
 * state_digest.h - one number of everything inside a lab that a tick can touch, for tests of what may be left out.
 *
 *	digest_queues(lab) = of each CPU's root queue, then of each group's queue and entity on each CPU
 *	                      '-- weights, v, runtime, averages; current, then who waits, in order
 *
 * Two labs with the same number are taken to be in the same state; what is settled lazily has to be settled before.
 */
#ifndef TESTS_STATE_DIGEST_H
#define TESTS_STATE_DIGEST_H

#include "base/digest.h"
#include "core/sched.h"

/* Where nothing is left, an average is the same whenever it was last aged: its clock and its phase count only beside a sum. */
static inline u64 digest_avg(u64 digest, const struct sched_avg *sa)
{
	digest = digest_u64(digest, sa->load_sum);
	digest = digest_u64(digest, sa->runnable_sum);
	digest = digest_u64(digest, sa->util_sum);
	digest = digest_u64(digest, sa->load_avg);
	digest = digest_u64(digest, sa->runnable_avg);
	digest = digest_u64(digest, sa->util_avg);
	if (!sa->load_sum && !sa->runnable_sum && !sa->util_sum)
		return digest;
	digest = digest_u64(digest, sa->last_update_time);
	return digest_u64(digest, sa->period_contrib);
}

static inline u64 digest_entity(u64 digest, const struct sched_entity *se)
{
	digest = digest_u64(digest, se->load.weight);
	digest = digest_u64(digest, se->vruntime);
	digest = digest_u64(digest, se->deadline);
	digest = digest_u64(digest, se->slice);
	digest = digest_u64(digest, (u64)se->vlag);
	digest = digest_u64(digest, se->protect);
	digest = digest_u64(digest, (u64)se->custom_slice << 2 | (u64)se->rel_deadline << 1 | se->sched_delayed);
	digest = digest_u64(digest, se->exec_start);
	digest = digest_u64(digest, se->sum_exec_runtime);
	digest = digest_u64(digest, se->prev_sum_exec_runtime);
	return digest_avg(digest, &se->avg);
}

static inline u64 digest_queue(u64 digest, const struct cfs_rq *cfs_rq)
{
	struct rb_node *node;

	digest = digest_u64(digest, cfs_rq->load.weight);
	digest = digest_u64(digest, cfs_rq->min_vruntime);
	digest = digest_u64(digest, (u64)cfs_rq->avg_vruntime);
	digest = digest_u64(digest, (u64)cfs_rq->runtime_remaining);
	digest = digest_u64(digest, cfs_rq->throttled_clock);
	digest = digest_u64(digest, cfs_rq->throttled_local);
	digest = digest_u64(digest, cfs_rq->pelt_lost);
	digest = digest_u64(digest, cfs_rq->tg_load_avg_contrib);
	digest = digest_u64(digest, cfs_rq->window.sum);
	digest = digest_avg(digest, &cfs_rq->avg);
	if (cfs_rq->curr)
		digest = digest_entity(digest, cfs_rq->curr);
	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node))
		digest = digest_entity(digest, container_of(node, struct sched_entity, run_node));
	return digest;
}

static inline u64 digest_queues(struct lab *lab)
{
	struct task_group *tg;
	struct group_pair *pair;
	u64 digest = DIGEST_INIT;
	int cpu;

	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		digest = digest_queue(digest, &cpu_rq(lab, cpu)->cfs);
	for_each_group_below(tg, &lab->root) {
		digest = digest_u64(digest, tg->load_avg);
		for_each_pair(lab, tg, cpu, pair)
			digest = digest_entity(digest_queue(digest, &pair->cfs_rq), &pair->se);
	}
	return digest;
}

#endif
