/* SPDX-License-Identifier: MIT */
/*
 * preempt.c - the fair class: who gives way to whom at a wakeup or by its own will, and whom the next pick shall prefer.
 *
 *	@p wakes on a CPU where curr runs	policies of the two, then of the levels where they meet, then the pick policy's wakes_over(),
 *						then rules with a file of their own (asked.h)
 *	buddies of a queue			next: who was chosen to be next; last: who was preempted; skip: who yielded
 *
 * A part of the switch path (path.h).  Law: a buddy is queued on the queue whose buddy it is.
 */
#include "core/asked.h"

/* An idle-policy task, or the entity of a group with cpu.idle. */
bool se_is_idle(const struct sched_entity *se)
{
	if (se->my_q)
		return se->my_q->tg->idle;
	return container_of(se, struct task_struct, se)->policy == SCHED_IDLE;
}

/* ---- buddies ---- */

static void clear_buddies_where(struct sched_entity *se, size_t member)
{
	for_each_sched_entity(se) {
		struct sched_entity **buddy = (struct sched_entity **)((char *)se->cfs_rq + member);

		if (*buddy != se)
			break;
		*buddy = NULL;
	}
}

/* Forget that anybody preferred (or wanted to skip) @se, on every level where that is so. */
void clear_buddies(struct sched_entity *se)
{
	if (se->cfs_rq->last == se)
		clear_buddies_where(se, offsetof(struct cfs_rq, last));
	if (se->cfs_rq->next == se)
		clear_buddies_where(se, offsetof(struct cfs_rq, next));
	if (se->cfs_rq->skip == se)
		clear_buddies_where(se, offsetof(struct cfs_rq, skip));
}

/*
 * Prefer @se, and the groups it is in, to others of their queues.  Stops where it is not queued: throttled above; an idle one is never
 * preferred.
 */
static inline void set_buddy(struct sched_entity *se, size_t member)
{
	if (entity_is_task(se) && task_of(se)->policy == SCHED_IDLE)
		return;
	for_each_sched_entity(se) {
		if (!se->on_rq || se_is_idle(se))
			return;
		*(struct sched_entity **)((char *)se->cfs_rq + member) = se;
	}
}

/* To be picked next. */
void set_next_buddy(struct sched_entity *se)
{
	set_buddy(se, offsetof(struct cfs_rq, next));
}

/* To be picked again once whoever preempts it has left: its cache is warm. */
static void set_last_buddy(struct sched_entity *se)
{
	set_buddy(se, offsetof(struct cfs_rq, last));
}

/* ---- wakeups ---- */

/* Bring two entities up to the level where they share a queue. */
static void find_matching_se(struct sched_entity **se, struct sched_entity **pse)
{
	while ((*se)->depth > (*pse)->depth)
		*se = (*se)->parent;
	while ((*pse)->depth > (*se)->depth)
		*pse = (*pse)->parent;
	while ((*se)->cfs_rq != (*pse)->cfs_rq) {
		*se = (*se)->parent;
		*pse = (*pse)->parent;
	}
}

enum verdict { VERDICT_OPEN, VERDICT_PREEMPT, VERDICT_STAY };

/* Rule idle_level: to 6.11 the policies of the two tasks come first; a woken task that is not normal takes over nothing else. */
static enum verdict judge_tasks(const struct lab *lab, const struct task_struct *curr, const struct task_struct *p)
{
	if (lab_rule(lab, IDLE_LEVEL))
		return VERDICT_OPEN;
	if (curr->policy == SCHED_IDLE && p->policy != SCHED_IDLE)
		return VERDICT_PREEMPT;
	return p->policy == SCHED_NORMAL ? VERDICT_OPEN : VERDICT_STAY;
}

/*
 * Where the two hierarchies meet.  Rule cpu_idle (5.15): an idle one gives way to one that is not, and never takes over from it; rule
 * idle_cancel (6.15 and 6.12.23, f553741ac8c0): nor is its turn protected against that.
 */
static enum verdict judge_meeting(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, const struct task_struct *p)
{
	bool idle = se_is_idle(se), wakee_idle = se_is_idle(pse);

	if ((lab_rule(lab, CPU_IDLE) || lab_rule(lab, IDLE_LEVEL)) && idle != wakee_idle) {
		if (idle && lab_rule(lab, IDLE_CANCEL) && lab->pick->cancel_protection)
			lab->pick->cancel_protection(lab, se);
		return idle ? VERDICT_PREEMPT : VERDICT_STAY;
	}
	return p->policy == SCHED_NORMAL ? VERDICT_OPEN : VERDICT_STAY;
}

/* Rule next_buddy: every wakee is nominated, to 6.5 only on a crowded queue. */
static bool nominate_wakee(struct lab *lab, struct sched_entity *pse, bool crowded, unsigned wake_flags)
{
	if (!lab_rule(lab, NEXT_BUDDY) || (wake_flags & WF_FORK) || (lab->pick->wakee_is_buddy && !crowded))
		return false;
	set_next_buddy(pse);
	return true;
}

/* The pick policy's answer, unless a rule with a file of its own (asked.h) turns it. */
static bool takes_over(struct rq *rq, struct sched_entity *se, struct sched_entity *pse, const struct task_struct *p, unsigned wake_flags)
{
	if (rq->lab->pick->wakes_over(rq->lab, se, pse, wake_flags))
		return !some_rule_stays(rq, p);
	return some_rule_preempts(rq, p);
}

/* check_preempt_curr(): the woken or new @p against the running fair task of @rq. */
void check_preempt_wakeup(struct rq *rq, struct task_struct *p, unsigned wake_flags)
{
	struct lab *lab = rq->lab;
	struct task_struct *curr = rq->curr;
	struct sched_entity *se = &curr->se, *pse = &p->se;
	bool crowded = se->cfs_rq->nr_running >= lab->nr_latency, nominated;
	enum verdict verdict;

	if (se == pse || cut_off(lab, pse->cfs_rq))
		return;
	nominated = nominate_wakee(lab, pse, crowded, wake_flags);
	if (rq->need_resched)
		return;
	verdict = judge_tasks(lab, curr, p);
	if (verdict == VERDICT_OPEN) {
		if (!lab_rule(lab, WAKEUP_PREEMPTION))
			return;
		find_matching_se(&se, &pse);
		verdict = judge_meeting(lab, se, pse, p);
	}
	if (verdict == VERDICT_STAY)
		return;
	if (verdict == VERDICT_OPEN) {
		update_curr(lab, se->cfs_rq);
		if (!takes_over(rq, se, pse, p, wake_flags))
			return;
		if (lab->pick->wakee_is_buddy && !nominated)
			set_next_buddy(pse);
	}
	resched_curr_lazy(rq);
	if (verdict == VERDICT_OPEN && lab_rule(lab, LAST_BUDDY) && crowded && entity_is_task(se))
		set_last_buddy(se);
}

/* ---- sched_yield() ---- */

/* The current task of @rq stands back for @p, which waits, maybe on another CPU. */
void yield_to_task_fair(struct rq *rq, struct task_struct *p)
{
	set_next_buddy(&p->se);
	yield_task_fair(rq);
}

/* sched_yield() by the current task. */
void yield_task_fair(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct sched_entity *se = &rq->curr->se;

	if (rq->nr_running == 1)
		return;
	clear_buddies(se);
	if (rq->curr->policy != SCHED_BATCH || !lab->pick->wakee_is_buddy)
		update_curr(lab, se->cfs_rq);
	lab->pick->yielded(lab, se->cfs_rq, se);
}
