/* SPDX-License-Identifier: MIT */
/*
 * fair.h - the fair class: the walks over the hierarchy (fair.c, preempt.c), and the policy of the pick that they call; private to core/.
 *
 *	fair.c: enqueue, dequeue, pick, tick; preempt.c: wakeup, yield -- a loop over the levels
 *	   '-- lab->pick: place, leave, pick, turn_over ... -- what happens on one level
 *	          |-- pick_vruntime.c	to 6.5
 *	          '-- pick_eevdf.c	from 6.6
 */
#ifndef CORE_FAIR_H
#define CORE_FAIR_H

#include "base/types.h"
#include "core/entity.h"
#include "core/group.h"
#include "core/path.h"
#include "core/queue.h"

struct lab;

/* ---- what a caller says of the moment: bits of flags ---- */
#define ENQUEUE_WAKEUP 1u  /* it slept, or its group was empty */
#define ENQUEUE_INITIAL 2u /* it is new */
#define DEQUEUE_SLEEP 1u   /* it is not to be found here again at once */
#define DEQUEUE_SAVE 2u	   /* only for a change of it: it is queued again before anybody looks */
#define DEQUEUE_DELAYED 4u /* the end of a delayed sleep */
#define DEQUEUE_SPECIAL 8u /* not to be delayed: it dies, or its group is throttled */
#define WF_FORK 1u	   /* the wakeup of a new task */

/* ---- fair.c: the charge, and the walks over the hierarchy.  Clocks of the CPU are up to date where nothing else is said. ---- */
void update_curr(struct lab *lab, struct cfs_rq *cfs_rq); /* charge its current entity up to the CPU's clock */
/* Charge it @delta ns, worth @vdelta virtual ns, that were @ticks ticks in one go (1: no more than one). */
void charge_curr(struct lab *lab, struct cfs_rq *cfs_rq, u64 delta, u64 vdelta, u32 ticks);
/* One level: onto and off @cfs_rq.  dequeue_entity() returns false where @se stays queued, delayed. */
void enqueue_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
bool dequeue_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
/* All levels, as far as groups become busy or empty by it.  dequeue_task_fair() returns false where @p stays queued, delayed. */
void enqueue_task_fair(struct rq *rq, struct task_struct *p, unsigned flags);
bool dequeue_task_fair(struct rq *rq, struct task_struct *p, unsigned flags);
void activate_task_fair(struct rq *rq, struct task_struct *p, unsigned flags); /* the same for one that wakes or comes: a delayed one only resumes */
void requeue_delayed_task(struct rq *rq, struct task_struct *p);	       /* a delayed sleeper is woken: it never left */
void dequeue_delayed(struct rq *rq, struct sched_entity *se);		       /* a task or a group that has waited its debt off */
struct task_struct *pick_next_task_fair(struct rq *rq, struct task_struct *prev); /* it is current from now on; NULL: nothing fair to run */
/* The running task is about to change its group or weight: off the chain of current entities, and after the change back on. */
void put_curr_chain(struct rq *rq);
void set_curr_chain(struct rq *rq);
void task_tick_fair(struct rq *rq); /* the current task is fair: charge it, and ask it to leave where its turn is over */
void reweight_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight); /* to a stored weight, queued or not */
/* @nr tasks more (below 0: fewer) are queued below @cfs_rq, *@idle of them idle ones; in a group with cpu.idle all are, and so they count above. */
static inline void count_below(struct cfs_rq *cfs_rq, s32 nr, s32 *idle)
{
	cfs_rq->h_nr_running += (u32)nr;
	if (cfs_rq->tg->idle)
		*idle = nr;
	cfs_rq->h_nr_idle += (u32)*idle;
}

/* Statistics: @p is runnable and does not run; and the wait, split into what a limit took and what other tasks took, is over. */
void start_waiting(struct task_struct *p);
void stop_waiting(struct task_struct *p);

/* ---- preempt.c: who gives way, and whom the next pick prefers ---- */
bool se_is_idle(const struct sched_entity *se); /* an idle-policy task's, or of a group with cpu.idle */
void set_next_buddy(struct sched_entity *se);	/* to be picked next, on every level where it is queued */
void clear_buddies(struct sched_entity *se);	/* nobody prefers it any more, nor wants to skip it */
void check_preempt_wakeup(struct rq *rq, struct task_struct *p, unsigned wake_flags); /* @p is new on @rq: may ask the fair rq->curr to leave */
void yield_task_fair(struct rq *rq);						      /* sched_yield() by rq->curr */
void yield_to_task_fair(struct rq *rq, struct task_struct *p); /* the same, in favour of @p, which waits, maybe on another CPU */

/* One copy of the switch path. */
struct path {
	void (*activate_task_fair)(struct rq *rq, struct task_struct *p, unsigned flags);
	bool (*dequeue_task_fair)(struct rq *rq, struct task_struct *p, unsigned flags);
	struct task_struct *(*pick_next_task_fair)(struct rq *rq, struct task_struct *prev);
	void (*check_preempt_wakeup)(struct rq *rq, struct task_struct *p, unsigned wake_flags);
	void (*task_tick_fair)(struct rq *rq);
	void (*dequeue_delayed)(struct rq *rq, struct sched_entity *se);
};
extern const struct path path_free, path_calm, path_full;
#ifndef THIS_PATH
#define THIS_PATH path_full
#endif

/* ---- the pick policy: pick_vruntime.c (to 6.5), pick_eevdf.c (from 6.6); a hook may be NULL where it says so ---- */
struct pick_ops {
	/* Give @se, about to be queued (@flags: ENQUEUE_*), its place on @cfs_rq.  It is not counted there yet. */
	void (*place)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
	/* A child of @parent (or NULL) is placed before it is first queued. */
	void (*fork)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *parent, struct sched_entity *child);
	/* Into and out of the order of waiting entities; is @a before @b, or its equal? */
	void (*insert)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	void (*remove)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	bool (*in_order)(const struct sched_entity *a, const struct sched_entity *b);
	bool (*update)(struct rb_node *node); /* summary of a subtree: did it change?  NULL: none is kept */
	void (*check)(struct lab *lab, const struct cfs_rq *cfs_rq); /* laws of a queue; NULL: no more than in_order */
	/* After it was queued; NULL: nothing to do. */
	void (*joined)(struct lab *lab, struct sched_entity *se);
	/* Before it leaves, still counted (NULL: nothing to do), and after. */
	void (*leave)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
	void (*left)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
	/* Keep the queue's zero point. */
	void (*update_min)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* @curr was charged, maybe for @ticks ticks in one go: may ask it to leave.  NULL: only ticks do. */
	void (*charged)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, u32 ticks);
	/* @se becomes current, because it was @picked or again after a change to it; out of the tree already.  NULL: nothing to do. */
	void (*set_next)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, bool picked);
	/* Who runs next; @curr: the running entity if it is still queued, or NULL. */
	struct sched_entity *(*pick)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* Has @curr, just charged, had its turn?  Asked at each tick on a level with company. */
	bool (*turn_over)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* How many ticks until a tick's charge or turn_over() may say so; at least 1.  The next one charges @first ns. */
	u64 (*ticks_left)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 first);
	/* Does the woken @pse preempt @se at the level where they meet?  Both are up to date. */
	bool (*wakes_over)(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags);
	/* The turn of @se, which is current, need not be waited for any more; NULL: it never is. */
	void (*cancel_protection)(struct lab *lab, struct sched_entity *se);
	bool wakee_is_buddy; /* one that preempts is to be picked next, too; then buddies matter only on crowded queues */
	/* sched_yield() by @curr. */
	void (*yielded)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* Its weight is about to change; out of the tree; @mean was the queue's before.  Both NULL: order and place do not depend on weights. */
	void (*reweight)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight, u64 mean);
	u64 (*mean)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* Does @se, which wants to sleep, stay queued?  And it is wanted again.  Both NULL: never. */
	bool (*delays)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	void (*undelay)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	/* Real time until the turn of @curr ends. */
	u64 (*time_left)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
};
extern const struct pick_ops pick_vruntime, pick_eevdf;
u64 sched_slice(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se); /* pick_vruntime.c: ns of wall time at a stretch */

#endif
