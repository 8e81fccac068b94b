/* SPDX-License-Identifier: MIT */
/*
 * balance.h - moving tasks between CPUs: what the files of the balancer share; private to core/.
 *
 *	tick ---> softirq --------.                          balance_when.c	the CPU's levels, bottom up, each when it is due
 *	going idle ---------------+---> load_balance() ---.  balance_idle.c	what a CPU does at the moment it runs out of work
 *	kick by a busy CPU, nohz -'     one level, once   |  nohz.c		one idle CPU balances for all that sleep without ticks
 *	                                                  |  balance.c		shall this CPU do it, and what follows from the outcome
 *	                 who, and how much <--------------+  balance_new.c, balance_old.c	the busiest group and queue, the size
 *	                 which tasks <--------------------+  balance_move.c	may this one go, is it hot, has enough been taken
 *	                 what runs <----------------------'  stop.c		the stopper takes it off, if nothing else helped
 *
 * Rules: docs/rules/smp.md sections 4 to 7, smp-checked.md A5 to A10.
 */
#ifndef CORE_BALANCE_H
#define CORE_BALANCE_H

#include "core/select.h"

enum idle_type {
	LB_BUSY,  /* it has work */
	LB_IDLE,  /* it has none, and had none at its last tick */
	LB_NEWIDLE /* it has just run out */
};

/* What the size of a move is counted in. */
enum migration { MIGRATE_LOAD, MIGRATE_UTIL, MIGRATE_TASK };

#define LB_ALL_PINNED 1u  /* nobody seen so far may come here */
#define LB_SOME_PINNED 2u /* somebody may not */
#define LB_DST_PINNED 4u  /* somebody may not, but could go to another CPU of the group: new_dst */
#define LB_GATHERED 16u	  /* rule gather keeps somebody who waits from coming */
#define LB_WAITING 32u	  /* somebody waits who may come */
#define LB_ACTIVE 8u	  /* the stopper asks: who ran is meant */

/* One attempt to even out one level. */
struct lb_env {
	struct lab *lab;
	struct sched_domain *sd; /* as @dst sees it */
	struct rq *dst, *src;
	struct rq *new_dst;
	enum idle_type idle;
	u64 *cpus; /* still considered */
	const u64 *dst_span; /* whose CPUs may take a pinned task instead; NULL: none */
	unsigned flags;

	enum migration by;
	s64 imbalance; /* what is still to be moved */
	u32 loop, loop_max; /* tasks looked at, and how many may be */
	struct list_head tasks; /* taken off @src, the last one first */
	enum move_cause cause;
};

/* ---- the policy: balance_new.c (from 5.5), balance_old.c (before); rule balancer chooses ---- */
struct balance_ops {
	/* The group to take from, with by and imbalance set; NULL: the level is balanced. */
	struct sched_group *(*busiest_group)(struct lb_env *env);
	/* The CPU of it to take from, or NULL. */
	struct rq *(*busiest_queue)(struct lb_env *env, const struct sched_group *group);
	/* Is @p more than may be moved?  If not, imbalance is reduced by what it is. */
	bool (*too_big)(struct lb_env *env, struct task_struct *p);
};
extern const struct balance_ops balance_new, balance_old;

/* ---- balance.c ---- */
/* An attempt by (or for) @rq at @sd.  Returns how many tasks came; *@designated: it was this CPU's to make. */
void level_was_seen(struct lb_env *env, bool crowded, u64 util); /* somebody has two tasks there; utilisation of all groups */
u32 load_balance(struct rq *rq, struct sched_domain *sd, enum idle_type idle, enum move_cause cause, bool *designated);

/*
 * An attempt for @rq, which is idle and has no load left, at @sd.  True: it finds nothing, and what follows from that has happened.  False: there may be
 * something, and nothing has happened but a look.
 */
bool finds_nothing(struct rq *rq, struct sched_domain *sd, bool *designated);
bool cannot_gain(const struct lab *lab, const struct sched_domain *sd, enum idle_type idle); /* and why, is said there */

/* ---- balance_move.c ---- */
u32 detach_tasks(struct lb_env *env); /* into env->tasks */
void attach_tasks(struct lb_env *env); /* on env->dst */
struct task_struct *detach_one_task(struct lb_env *env); /* for the stopper; NULL: nobody may */
void attach_task(struct rq *rq, struct task_struct *p);

/* ---- balance_when.c ---- */
u64 idle_interval(const struct lab *lab, struct sched_domain *sd); /* jiffies between looks of an idle CPU */
bool calm_rebalance(struct rq *rq, u64 jiffies); /* rebalance_domains() of an idle CPU that finds nothing; false: it has to be called */
u64 level_interval(const struct lab *lab, const struct sched_domain *sd, bool busy); /* jiffies */
void rebalance_domains(struct rq *rq, enum idle_type idle, enum move_cause cause);
bool newidle_cost_seen(struct lab *lab, struct sched_domain *sd, u64 cost); /* true: time went by, the most so far is less */
static inline u64 jiffies_time(const struct lab *lab, u64 jiffies) { return lab->cfg.tick_base + jiffies * lab->tick_nsec; }

/* ---- nohz.c ---- */
bool nohz_idle_balance(struct rq *rq); /* true: this CPU was kicked to balance for all, and did */
void nohz_next_at_most(struct lab *lab, u64 jiffies); /* somebody idle wants to be balanced by then */
void nohz_idle_tick(struct rq *rq);
void nohz_busy_tick(struct rq *rq, u64 jiffies);
void nohz_may_stop_tick(struct rq *rq);
u64 nohz_kick_due(const struct rq *rq); /* jiffies: the first tick of a busy CPU at which nohz_busy_tick() does anything */

/* ---- stop.c ---- */
void stop_for_balance(struct rq *src, int push_cpu); /* its stopper shall push what runs there, unless it is on its way already */

static inline int first_cpu_of(const struct lab *lab, const struct sched_group *group)
{
	return group->balance_mask == group->span ? group->first_cpu : bit_next(group->span, lab->cfg.nr_cpus, 0);
}

/* The CPUs of @group that are in @cpus, in ascending order; @left counts down those that are left to be looked at. */
#define for_each_cpu_of(cpu, left, lab, group, cpus)                                                           \
	for (left = (group)->weight, cpu = first_cpu_of(lab, group); left;                                     \
	     cpu = --left ? bit_next((group)->span, (lab)->cfg.nr_cpus, cpu + 1) : cpu)                        \
		if (bit_test(cpus, cpu))

/* Nobody is there, not below a limit either, and nobody's load is left: it adds nothing to any sum but an idle CPU. */
static inline bool is_blank(const struct rq *rq)
{
	const struct sched_avg *sa = &rq->cfs.avg;

	return !rq->nr_running && rq->curr == &rq->idle && !(sa->load_avg | sa->util_avg | sa->runnable_avg | sa->util_est);
}

/*
 * Pass it over until something comes to it (stain): without anything queued, or left in sums of which averages are made at the end of a period, no average can
 * grow, and nobody is on the way.  Law: check.c.
 */
static inline void found_blank(struct rq *rq)
{
	if (!rq->smp.ttwu_pending && !rq->cfs.load.weight && load_is_forgotten(&rq->cfs))
		bit_clear(rq->lab->smp.stained, rq->cpu);
}

#endif
