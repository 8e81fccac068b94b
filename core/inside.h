/* SPDX-License-Identifier: MIT */
/*
 * inside.h - struct lab, from which everything hangs, and the small questions that all files ask; private to core/.
 *
 *	lab
 *	 |-- cfg, model, pf -- what the owner of time gave: machine and tunables, a kernel's row, the callbacks
 *	 |-- pick, throttle, balance -- the policies of that row (fair.h, bandwidth.h, balance.h)
 *	 |-- rqs[cpu]
 *	 '-- root -- the tree of groups
 *
 * Law: nothing outside the lab changes what it does, and it holds no clock; lab_ktime() asks the owner.
 */
#ifndef CORE_INSIDE_H
#define CORE_INSIDE_H

#include "base/types.h"
#include "core/config.h"
#include "core/group.h"
#include "core/lab.h"
#include "core/queue.h"
#include "core/smp.h"

struct pick_ops;
struct throttle_ops;
struct balance_ops;

struct lab {
	struct lab_config cfg;
	struct kernel_model model;
	struct platform pf;
	const struct pick_ops *pick;
	const struct throttle_ops *throttle;
	const struct balance_ops *balance;
	bool looks_after_pick; /* tasks may have to be parked (6.18), or groups to be gathered: each pass looks at whom it picked */
	enum move_cause move_cause; /* of the next set_task_cpu(); MOVE_WAKEUP unless somebody says else */
	u64 tick_nsec;
	u64 ticks_done; /* ktime up to which ticks have happened */
	u64 tick_horizon;
	struct rq *rqs;
	struct task_group root;
	struct task_group **groups_tail;
	u32 nr_groups, next_task_id;
	u32 nr_movable; /* tasks that may use more than one CPU; never counted down when they exit */
	struct task_struct *free_tasks;
	struct list_head tasks; /* all there are, in order of creation, stoppers too */
	bool has_cpusets;	/* some group had one */
	u32 nr_rt;	/* tasks above fair that are queued, on all CPUs */
	u64 rt_order;
	bool rt_seen;	/* there was one of rt or deadline */
	int nr_online;
	struct lab_smp smp;

	/* a sweep of ticks under way, from sweep_first on and around: those at sweep_time on the CPUs before sweep_cpu have happened */
	u64 sweep_time;
	int sweep_cpu, sweep_first;
	bool tick_recalled; /* a tick may be due earlier than was said */

	/* group queues whose load decays with nobody there to notice; see shares.c */
	struct list_head blocked;
	u64 blocked_aged; /* when it was last looked after */

	/* tunables with the scaling by the number of CPUs applied */
	u64 latency, min_granularity, wakeup_granularity, nr_latency, base_slice;
	u64 unscaled_slice; /* base_slice without that scaling */
};

#define LAW(lab, cond)                                                                                         \
	do {                                                                                                   \
		if (unlikely(!(cond)))                                                                         \
			(lab)->pf.bug((lab)->pf.ctx, __FILE__, __LINE__, #cond);                               \
	} while (0)

/* ---- how a write is refused: @error, and the @sentence (static) in *@why, unless that is NULL ---- */
static inline int refuse(int error, const char *sentence, const char **why)
{
	if (why)
		*why = sentence;
	return error;
}

/* ---- asking for rules: lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_SEQ, or as a truth value ---- */
#define lab_rule(lab, id) ((lab)->model.rule[RULE_##id])

/* ---- small questions ---- */
static inline bool entity_is_task(const struct sched_entity *se) { return !FAIRGROUND_GROUPS || !se->my_q; }
static inline struct sched_entity *parent_entity(const struct sched_entity *se) { return FAIRGROUND_GROUPS ? se->parent : NULL; }
#define for_each_sched_entity(se) for (; se; se = parent_entity(se))
static inline struct task_struct *task_of(struct sched_entity *se) { return container_of(se, struct task_struct, se); }
static inline bool task_is_idle_thread(const struct task_struct *p) { return !p->id; }
static inline struct cfs_bandwidth *bandwidth_of(struct cfs_rq *cfs_rq) { return &cfs_rq->tg->cfs_bandwidth; }
static inline struct rq *cpu_rq(struct lab *lab, int cpu) { return &lab->rqs[cpu]; }
static inline u64 lab_ktime(struct lab *lab) { return lab->pf.ktime(lab->pf.ctx); }

/* Ask the current task of @rq to leave. */
static inline void resched_curr(struct rq *rq)
{
	if (rq->need_resched)
		return;
	rq->need_resched = true;
	rq->lab->pf.kick(rq->lab->pf.ctx, rq->cpu, KICK_RESCHED);
}

/*
 * What the fair class asks by itself.  Rule resched_lazy (6.13, 26baa1f1c4bd), in the model LAZY: it may wait for the next return to user
 * mode; the tick after that insists.
 */
static inline void resched_curr_lazy(struct rq *rq)
{
	struct lab *lab = rq->lab;

	if (!lab_rule(lab, RESCHED_LAZY) || lab->cfg.preempt != PREEMPT_LAZY || task_is_idle_thread(rq->curr)) {
		resched_curr(rq);
		return;
	}
	if (rq->need_resched || rq->need_resched_lazy)
		return;
	rq->need_resched_lazy = true;
	lab->pf.kick(lab->pf.ctx, rq->cpu, KICK_RESCHED_LAZY);
}

/* Tell whoever listens (platform.h), at the lab's time; what @arg and @other mean is said of each type in event.h. */
static inline void emit(struct lab *lab, enum event_type type, int cpu, u32 task, u32 group, s64 arg, u32 other)
{
	struct event ev = { lab_ktime(lab), (u16)type, (u16)cpu, task, group, other, arg };

	lab->pf.emit(lab->pf.ctx, &ev);
}

/* ---- lab.c ---- */
void lab_verb_done(struct lab *lab); /* end of a verb: walk the laws where asked */
void update_tunables(struct lab *lab); /* after the number of online CPUs changed */

/* ---- task.c, wake.c; more in verbs.h ---- */
void push_waiting_task(struct lab *lab, struct task_struct *p); /* to a CPU it may use */
bool set_task_cpu(struct lab *lab, struct task_struct *p, int cpu); /* of a task that is on no queue */

#endif
