/* SPDX-License-Identifier: MIT */
/*
 * rfc_kthread.c - a waking per-CPU kthread preempts: the RFC of December 2019, which no kernel has.
 *
 *	running: a task that may move elsewhere	<--- woken: a task that may not, and sleeps more willingly than that one
 *
 * Rule rfc_kthread.  "posted" is the mail's code, which by mistake passes its flag for every task that is woken as a process, so
 * any task bound to one CPU profits; "text" is what the mail says: kernel threads only.  docs/rules/fair.md 8.1 has both in full,
 * docs/your-rule.md takes this file as its example.
 */
#include "core/asked.h"

/* Has the wake-up the RFC's flag? */
static bool flagged(const struct lab *lab, const struct task_struct *p)
{
	return lab_rule(lab, RFC_KTHREAD) == RFC_KTHREAD_POSTED || p->kthread;
}

/* The wakee's share of voluntary switches is at least that of the current task; fresh tasks tie. */
static bool more_willing(const struct task_struct *p, const struct task_struct *curr)
{
	return p->nvcsw * curr->nivcsw >= p->nivcsw * curr->nvcsw;
}

/* Asked where the ordinary test says no (asked.h). */
bool kthread_wakeup_preempt(const struct rq *rq, const struct task_struct *p)
{
	const struct task_struct *curr = rq->curr;

	if (!flagged(rq->lab, p))
		return false;
	if (p->nr_cpus_allowed != 1 || curr->nr_cpus_allowed == 1)
		return false;
	if (curr->se.cfs_rq->nr_running > 2) /* the queue of the current task's own group, itself counted */
		return false;
	return more_willing(p, curr);
}
