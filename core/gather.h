/* SPDX-License-Identifier: MIT */
/*
 * gather.h - rule gather: what placement, balancing and the schedule pass ask where a limited group is kept on few CPUs; private to core/.
 *
 * Every one of these is asked only where the rule is not off.
 */
#ifndef CORE_GATHER_H
#define CORE_GATHER_H

#include "core/select.h"

/* Is rule gather on?  Where it is not, nothing else of this file is asked. */
static inline bool gathers(const struct lab *lab) { return unlikely(lab_rule(lab, GATHER)); }

/* A wakeup: @target is the CPU to start from; @searches: an idle one beside it is looked for.  The CPU it gets. */
int gather_wake(const struct selection *s, int target, bool searches);
/* A fork or an exec: @cpu is what the levels say.  The CPU it gets. */
int gather_fork(const struct selection *s, int cpu);
/* Who asks for a task: a newly idle CPU; one that has failed to get any so often that what is hot may come; or any other. */
enum gather_ask { GATHER_ASKED, GATHER_ASKED_BY_CHANCE, GATHER_ASKED_IN_NEED };
/* Shall a balancer keep @p, which affinity would let go to @cpu, from it, as if affinity forbade it? */
bool gather_refuses(struct lab *lab, const struct task_struct *p, int cpu, enum gather_ask ask);
/* home: shall it keep it as if it were hot? */
bool gather_keeps_home(struct lab *lab, const struct task_struct *p, int cpu, enum gather_ask ask);
/* @next was picked on @rq: where its group is on more CPUs than it may, the stopper takes all of it that is here, or is not at home, to the others. */
void gather_picked(struct rq *rq, struct task_struct *next);
/* @tg's period timer has found that so many periods have passed; throttled: somebody has no quota.  To be said before the refill. */
void gather_period(struct lab *lab, struct task_group *tg, u64 periods, bool throttled);
/* A task has left @from for another CPU and was runnable: if it was the last of its groups here they are active here no longer. */
void gather_left(struct cfs_rq *from);

#endif
