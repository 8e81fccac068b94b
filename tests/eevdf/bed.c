/* SPDX-License-Identifier: MIT */
/* bed.c - see bed.h; time is moved by hand, and every law is checked after every verb. */
#include "tests/test.h"

#include "tests/eevdf/bed.h"

#define ZERO ((u64)1000 * SEC) /* where v is 0 for a test */

void bed_init(struct bed *b, const struct driver_args *args)
{
	driver_init(&b->d, args);
	b->lab = b->d.lab;
}

void bed_fini(struct bed *b) { driver_fini(&b->d); }

struct task_struct *thread_in(struct bed *b, struct task_group *tg, int cpu, enum sched_policy policy, int nice, u64 slice)
{
	u64 cpus = (u64)1 << cpu;
	struct task_spec spec = { .tg = tg, .policy = policy, .nice = nice, .slice = slice, .cpus = &cpus };

	return lab_fork(b->lab, cpu, NULL, &spec);
}

struct task_struct *thread_on(struct bed *b, int cpu, int nice, u64 slice)
{
	return thread_in(b, NULL, cpu, SCHED_NORMAL, nice, slice);
}

struct cfs_rq *queue_at(struct bed *b, int cpu) { return &cpu_rq(b->lab, cpu)->cfs; }

void set_place(struct bed *b, struct sched_entity *se, s64 v, s64 d)
{
	bool waits = se->cfs_rq->curr != se;

	if (waits)
		b->lab->pick->remove(b->lab, se->cfs_rq, se);
	se->vruntime = ZERO + (u64)v;
	se->deadline = ZERO + (u64)d;
	if (waits)
		b->lab->pick->insert(b->lab, se->cfs_rq, se);
}

s64 v_of(const struct bed *b, const struct task_struct *p)
{
	(void)b;
	return (s64)(p->se.vruntime - ZERO);
}

s64 d_of(const struct bed *b, const struct task_struct *p)
{
	(void)b;
	return (s64)(p->se.deadline - ZERO);
}

s64 mean_of(struct bed *b, struct cfs_rq *cfs_rq) { return (s64)(eevdf_mean(b->lab, cfs_rq) - ZERO); }

void runs_at(struct bed *b, struct task_struct *p, s64 v, s64 d)
{
	start(&b->d, p);
	if (!runs(&b->d, p))
		fail_msg("the CPU was not idle");
	set_place(b, &p->se, v, d);
	p->se.cfs_rq->min_vruntime = p->se.vruntime;
	b->lab->pick->set_next(b->lab, p->se.cfs_rq, &p->se, true);
}

void waits_at(struct bed *b, struct task_struct *p, s64 v, s64 d)
{
	struct rq *rq = cpu_rq(b->lab, lab_task_cpu(p));

	rq->need_resched = true; /* somebody has asked already, so nobody does now */
	lab_wake_new(b->lab, 0, p);
	rq->need_resched = task_is_idle_thread(rq->curr);
	b->d.resched[rq->cpu] = false;
	set_place(b, &p->se, v, d);
}

bool wakes_with(struct bed *b, struct task_struct *p, s64 lag)
{
	p->se.vlag = lag;
	p->state = TASK_INTERRUPTIBLE; /* it slept for long: a new task may have less of a claim */
	lab_wake(b->lab, lab_task_cpu(p), p, NULL, WAKE_TIMER);
	return lab_need_resched(b->lab, lab_task_cpu(p));
}

/* ---- machines ---- */

/* The earliest begin of a run on CPU 0 after @after. */
static u64 next_switch(struct testbed *m, u64 after)
{
	u64 best = NEVER;
	u32 task, nr;

	for (task = 0; task < scenario_of(m)->nr_tasks; task++) {
		for (nr = 0;; nr++) {
			struct run run = nth_run(m, task, nr);

			if (run.from == NEVER || (run.cpu == 0 && run.from > after && run.from >= best))
				break;
			if (run.cpu == 0 && run.from > after)
				best = run.from;
		}
	}
	return best;
}

u32 switches_of(struct testbed *m, u64 *ns, u32 max)
{
	u64 t = 0;
	u32 n = 0;

	while (n < max && (t = next_switch(m, t)) != NEVER)
		ns[n++] = t;
	return n;
}

void check_switches(struct testbed *m, const u64 *expect, const char *title)
{
	u64 ns[64];
	u32 n = switches_of(m, ns, ARRAY_SIZE(ns)), i;

	for (i = 0; expect[i]; i++) {
		char row[160];

		snprintf(row, sizeof(row), "%s, switch %" PRIu32, title, i + 1);
		CHECK_ROW(i < n ? ns[i] : NEVER, expect[i], row);
	}
}
