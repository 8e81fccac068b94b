/* SPDX-License-Identifier: MIT */
/*
 * asked.h - rules that have a file of their own, and the moments at which they are asked (docs/your-rule.md).
 *
 *	rules.def: RULE_ASKED(RFC_KTHREAD, ..., WAKEUP_PREEMPTS, kthread_wakeup_preempt)
 *		'---> declared here, and asked by some_rule_preempts() wherever the rule is not off
 *
 * Moments:
 *	WAKEUP_PREEMPTS		the woken task would have to wait: shall it take over from rq->curr all the same?
 *	WAKEUP_STAYS		the woken task would take over from rq->curr: shall it wait all the same?
 *
 * Both are of the same CPU, of the fair class, with rq->curr charged up to now.
 */
#ifndef CORE_ASKED_H
#define CORE_ASKED_H

#include "core/sched.h"

#define RULE(id, name, values, since, commit, sentence)
#define RULE_ASKED(id, name, values, since, commit, sentence, moment, function)                                \
	bool function(const struct rq *rq, const struct task_struct *p);
#include "core/rules.def"

/* @p, woken on @rq, would wait by the kernel's own rules: does a rule that is on say that it takes over? */
static inline bool some_rule_preempts(const struct rq *rq, const struct task_struct *p)
{
#define ASK_WAKEUP_PREEMPTS(id, function)                                                                      \
	if (lab_rule(rq->lab, id) && function(rq, p))                                                          \
		return true;
#define ASK_WAKEUP_STAYS(id, function)
#define RULE_ASKED(id, name, values, since, commit, sentence, moment, function) ASK_##moment(id, function)
#include "core/rules.def"
#undef ASK_WAKEUP_PREEMPTS
#undef ASK_WAKEUP_STAYS
	return false;
}

/* The other way round: @p would take over; does a rule say that it waits? */
static inline bool some_rule_stays(const struct rq *rq, const struct task_struct *p)
{
	(void)rq;
	(void)p;
#define ASK_WAKEUP_PREEMPTS(id, function)
#define ASK_WAKEUP_STAYS(id, function)                                                                         \
	if (lab_rule(rq->lab, id) && function(rq, p))                                                          \
		return true;
#define RULE_ASKED(id, name, values, since, commit, sentence, moment, function) ASK_##moment(id, function)
#include "core/rules.def"
#undef ASK_WAKEUP_PREEMPTS
#undef ASK_WAKEUP_STAYS
	return false;
}
#undef RULE

#endif
