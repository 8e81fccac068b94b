/* SPDX-License-Identifier: MIT */
/*
 * process.c - what processes do that the scheduler is only told of: their tracepoints, and what follows of it for scheduling.
 */
#include "core/verbs.h"

void lab_awaits_child(struct lab *lab, int cpu)
{
	const struct task_struct *p = cpu_rq(lab, cpu)->curr;

	emit(lab, EVENT_SCHED_PROCESS_WAIT, cpu, p->id, p->tg->id, 0, 0);
}

/* kthread_bind() waits until the new thread is off its CPU, and finds that at once. */
void lab_made_thread(struct lab *lab, int cpu, const struct task_struct *p)
{
	if (p->kthread && p->nr_cpus_allowed == 1)
		emit(lab, EVENT_SCHED_WAIT_TASK, cpu, p->id, p->tg->id, 0, 0);
}

void lab_exec(struct lab *lab, int cpu)
{
	struct task_struct *p = cpu_rq(lab, cpu)->curr;
	int target = select_task_rq(lab, cpu, p, p, IT_EXECS, 0);

	if (target != cpu) {
		p->execs = true;
		leave_cpu(lab, p, target);
	}
	emit(lab, EVENT_SCHED_PROCESS_EXEC, cpu, p->id, p->tg->id, 0, 0);
	lab_verb_done(lab);
}
