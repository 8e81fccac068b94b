/* SPDX-License-Identifier: MIT */
/*
 * task.c - a task's life, and what is done to it from outside: forked, reniced, moved to another group or other CPUs.
 *
 *	lab_fork ---> alloc_task ---> place_child ... lab_wake_new (wake.c)
 *	lab_set_nice, lab_set_slice, lab_move ---> take_off ---> the change ---> put_back
 *
 * A change never reaches a task that is queued: it is taken off, changed, and put back where the change says.
 */
#include "core/cpuset.h"
#include "core/verbs.h"

#include <string.h>

/* ---- a new task ---- */

static struct task_struct *alloc_task(struct lab *lab)
{
	struct task_struct *p = lab->free_tasks;
	size_t words = BITS_WORDS((size_t)lab->cfg.nr_cpus);

	if (p) {
		lab->free_tasks = p->free_next;
		memset(p, 0, sizeof(*p));
	} else {
		p = lab->pf.alloc(lab->pf.ctx, sizeof(*p) + 2 * words * sizeof(u64));
	}
	if (!p)
		return NULL;
	p->cpus_allowed = (u64 *)(p + 1);
	p->user_cpus = p->cpus_allowed + words;
	return p;
}

void allow_cpus(struct lab *lab, struct task_struct *p, const u64 *cpus)
{
	int cpu;

	if (cpus) {
		memcpy(p->cpus_allowed, cpus, BITS_WORDS((size_t)lab->cfg.nr_cpus) * sizeof(u64));
	} else {
		for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
			bit_set(p->cpus_allowed, cpu);
	}
	if (p->nr_cpus_allowed > 1)
		lab->nr_movable--;
	p->nr_cpus_allowed = bit_count(p->cpus_allowed, lab->cfg.nr_cpus);
	if (p->nr_cpus_allowed > 1 && !lab->nr_movable++)
		nohz_begins(lab);
}

/* What it asked for at its birth, as far as its group's cpuset has it; where that is nothing, the cpuset. */
static void first_cpus(struct lab *lab, struct task_struct *p, const u64 *asked)
{
	cpuset_mask cpus;

	if (asked)
		remember_user_cpus(lab, p, asked);
	if (!lab->has_cpusets || (p->kthread && asked)) {
		allow_cpus(lab, p, asked);
		return;
	}
	cpuset_cut(lab, p, asked, cpus);
	if (!bit_count(cpus, lab->cfg.nr_cpus))
		cpuset_cut(lab, p, NULL, cpus);
	allow_cpus(lab, p, cpus);
}

/* A task whose CPUs are all offline is allowed every one, or every one of its cpuset. */
void break_affinity(struct lab *lab, struct task_struct *p)
{
	cpuset_mask cpus;
	int cpu;

	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus)
		if (lab->rqs[cpu].online)
			return;
	cpuset_cut(lab, p, NULL, cpus);
	allow_cpus(lab, p, cpus);
}

#define SLICE_LEAST (100 * US)
#define SLICE_MOST (100 * MS)

/* Rule custom_slice (6.12, 857b158dc5e8): a fair task may have a slice of its own, within limits.  0: the base slice. */
static void set_slice(struct lab *lab, struct task_struct *p, u64 slice)
{
	if (!lab_rule(lab, CUSTOM_SLICE) || p->policy == SCHED_IDLE)
		return;
	p->se.custom_slice = slice;
	p->se.slice = slice ? min_u64(max_u64(slice, SLICE_LEAST), SLICE_MOST) : lab->base_slice;
}

/* A child has its parent's, unless it is given one. */
static u64 first_slice(const struct task_struct *parent, const struct task_spec *spec)
{
	return spec->slice || !parent || !parent->se.custom_slice ? spec->slice : parent->se.slice;
}

/* sched_fork(): the child derives its place from the parent, then belongs to no queue until it is woken. */
static void place_child(struct lab *lab, struct task_struct *p, struct task_struct *parent)
{
	struct cfs_rq *cfs_rq = p->se.cfs_rq;
	struct sched_entity *curr = cfs_rq->curr;

	update_rq_clock(cfs_rq->rq);
	if (cfs_rq->rq->curr->above_fair)
		update_curr_rt(cfs_rq->rq);
	else
		update_curr(lab, cfs_rq);
	lab->pick->fork(lab, cfs_rq, parent && curr ? curr : NULL, &p->se);
	p->se.vruntime -= cfs_rq->min_vruntime;
	p->moved = true;
}

/*
 * A task without a parent is one that was forked long ago, when the machine had nothing else to do: it sleeps on the CPU that the fewest
 * call their own, from @cpu on.  One above fair is where it was forked.
 */
static int first_cpu(const struct lab *lab, const struct task_struct *p, int cpu)
{
	int i, best = -1;

	if (p->above_fair && cpu_usable(lab, p, cpu))
		return cpu;
	for (i = 0; i < lab->cfg.nr_cpus; i++) {
		int next = (cpu + i) % lab->cfg.nr_cpus;

		if (cpu_usable(lab, p, next) && (best < 0 || lab->rqs[next].nr_tasks < lab->rqs[best].nr_tasks))
			best = next;
	}
	return best < 0 ? cpu : best;
}

struct task_struct *make_task(struct lab *lab, int cpu, struct task_struct *parent, const struct task_spec *spec)
{
	struct task_struct *p = alloc_task(lab);

	if (!p)
		return NULL;
	p->id = lab->next_task_id++;
	p->tg = spec->tg ? spec->tg : &lab->root;
	p->policy = spec->policy;
	p->nice = spec->nice;
	set_rt_policy(lab, p, spec->policy, spec->rt_priority);
	p->kthread = spec->kthread;
	p->owner = spec->owner;
	p->state = TASK_NEW;
	p->from_outside = !parent;
	p->moved = p->above_fair;
	list_init(&p->group_node);
	list_init(&p->stop_work);
	first_cpus(lab, p, spec->cpus);
	p->recent_used_cpu = cpu; /* the parent's, also where the child begins elsewhere */
	set_task_weight(lab, p);
	set_slice(lab, p, first_slice(parent, spec));
	init_entity_load(lab, &p->se, parent || spec->fresh);
	util_est_init(lab, p);
	if (!attach_entity(lab, p, parent ? cpu : first_cpu(lab, p, cpu))) {
		p->free_next = lab->free_tasks;
		lab->free_tasks = p;
		return NULL;
	}
	list_add_tail(&p->all, &lab->tasks);
	if (p->policy != SCHED_STOP) /* everybody has one of those */
		cpu_rq(lab, p->cpu)->nr_tasks++;
	if (parent) {
		place_child(lab, p, parent);
		emit(lab, EVENT_SCHED_PROCESS_FORK, cpu, parent->id, parent->tg->id, 0, p->id);
	}
	return p;
}

struct task_struct *lab_fork(struct lab *lab, int cpu, struct task_struct *parent, const struct task_spec *spec)
{
	struct task_struct *p = make_task(lab, cpu, parent, spec);

	if (p)
		lab_verb_done(lab);
	return p;
}

/* ---- changes to a task: taken off its queue, changed, put back ---- */

struct off_queue {
	bool queued, parked, running;
	struct rq *rq;
};

static struct off_queue take_off(struct lab *lab, struct task_struct *p, unsigned flags)
{
	struct rq *rq = cpu_rq(lab, p->cpu);
	struct off_queue q = { .queued = p->se.on_rq, .parked = p->parked, .running = rq->curr == p, .rq = rq };

	update_rq_clock(rq);
	if (q.parked)
		unpark(p);
	if (q.queued)
		dequeue_task(rq, p, flags);
	if (q.running && !p->above_fair)
		put_curr_chain(rq);
	return q;
}

/* A delayed sleeper is put back as one; a parked task is parked again where its group is throttled. */
static void put_back(struct lab *lab, struct task_struct *p, const struct off_queue *q)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	update_rq_clock(rq);
	if (q->parked && !p->above_fair && throttled_hierarchy(p->se.cfs_rq))
		park(p);
	else if (q->parked || q->queued)
		enqueue_task(rq, p, rq == q->rq);
	if (!q->running || rq != q->rq)
		return;
	if (p->above_fair)
		p->se.exec_start = rq->clock;
	else
		set_curr_chain(rq);
}

/* To another class, or another priority above fair; @p is on no queue. */
static void change_class(struct lab *lab, struct task_struct *p, enum sched_policy policy, int priority)
{
	if (policy_is_above_fair(policy) && !p->above_fair)
		leave_fair(lab, p);
	set_rt_policy(lab, p, policy, priority);
}

/* Classes or priorities above fair are involved: whoever runs gives way to what is higher now. */
static void check_class_change(struct rq *rq, struct task_struct *p, bool running)
{
	if (running)
		resched_curr(rq);
	else if (p->se.on_rq)
		check_preempt_curr(rq, p, 0);
}

int lab_set_nice(struct lab *lab, int cpu, struct task_struct *p, enum sched_policy policy, int nice)
{
	bool above = p->above_fair || policy_is_above_fair(policy), worse = nice > p->nice;
	struct off_queue q;

	(void)cpu;
	if (policy_is_above_fair(policy) && p->se.sched_delayed) { /* asleep, and the fair class is to forget it */
		update_rq_clock(cpu_rq(lab, p->cpu));
		dequeue_delayed(cpu_rq(lab, p->cpu), &p->se);
	}
	q = take_off(lab, p, DEQUEUE_SAVE);
	if (above)
		change_class(lab, p, policy, nice);
	p->policy = policy;
	p->nice = p->above_fair ? 0 : nice;
	set_task_weight(lab, p);
	put_back(lab, p, &q);
	if (above)
		check_class_change(q.rq, p, q.running);
	else if (p->se.on_rq && q.rq->cfs.nr_running > 1) {
		if (q.running && worse)
			resched_curr(q.rq);
		else if (!q.running)
			check_preempt_curr(q.rq, p, 0);
	}
	lab_verb_done(lab);
	return 0;
}

int lab_set_slice(struct lab *lab, int cpu, struct task_struct *p, u64 slice)
{
	struct off_queue q = take_off(lab, p, DEQUEUE_SAVE);

	(void)cpu;
	set_slice(lab, p, slice);
	put_back(lab, p, &q);
	lab_verb_done(lab);
	return 0;
}

/* Asleep on a queue: its vruntime is that queue's, and it is part of its averages. */
static bool sleeps_on_queue(const struct task_struct *p) { return !p->se.on_rq && !p->moved && p->state != TASK_NEW; }

/* @p, which is on no queue, goes over to the queue of @tg; a sleeper at once, the others when they are queued. */
static void change_group(struct lab *lab, struct task_struct *p, struct task_group *tg, bool sleeps)
{
	bool attached = p->se.attached;
	u64 throttled = hierarchy_throttled_time(p->se.cfs_rq) - p->wait_hierarchy; /* of its wait so far */

	if (sleeps)
		p->se.vruntime -= p->se.cfs_rq->min_vruntime;
	detach_load(lab, &p->se);
	p->tg = tg;
	attach_entity(lab, p, p->cpu);
	p->wait_hierarchy = hierarchy_throttled_time(p->se.cfs_rq) - throttled;
	if (sleeps)
		p->se.vruntime += p->se.cfs_rq->min_vruntime;
	if (attached)
		attach_load(lab, &p->se);
}

int lab_move(struct lab *lab, int cpu, struct task_struct *p, struct task_group *tg)
{
	bool sleeps = sleeps_on_queue(p);
	struct off_queue q;

	if (tg == p->tg)
		return 0;
	cpuset_attach(lab, cpu, p, tg);
	if (tg->parent && !group_pair_make(lab, tg, p->cpu))
		return -ENOMEM;
	q = take_off(lab, p, 0);
	change_group(lab, p, tg, sleeps);
	put_back(lab, p, &q);
	if (q.running) /* the new group may be out of runtime, or have less of a claim */
		resched_curr(q.rq);
	else if (p->se.on_rq)
		check_preempt_curr(q.rq, p, 0);
	lab_verb_done(lab);
	return 0;
}

enum move_cause cause_of_push(struct task_struct *p)
{
	enum move_cause cause = p->execs ? MOVE_EXEC : MOVE_AFFINITY;

	p->execs = false;
	return cause;
}

/* Take a task that waits, sleeps in the queue or is parked along to @cpu. */
void push_task_to(struct lab *lab, struct task_struct *p, int cpu)
{
	struct off_queue q = take_off(lab, p, 0);
	bool waits = p->waiting;
	struct rq *rq;

	(p->above_fair ? stop_waiting_rt : stop_waiting)(p);
	lab->move_cause = cause_of_push(p);
	set_task_cpu(lab, p, cpu);
	lab->move_cause = MOVE_WAKEUP;
	rq = cpu_rq(lab, p->cpu);
	update_rq_clock(rq);
	if (waits)
		start_waiting(p);
	put_back(lab, p, &q);
	if (p->se.on_rq)
		check_preempt(rq, p, 0);
}

/* Take a task that waits, sleeps in the queue or is parked along to a CPU it may use. */
void push_waiting_task(struct lab *lab, struct task_struct *p)
{
	break_affinity(lab, p);
	push_task_to(lab, p, p->above_fair ? select_task_rq_rt(lab, p) : fallback_cpu(lab, p));
}

/*
 * One of @cpus that is online, or -1.  Rule affinity_pick: to 5.6 the lowest; from 5.7 (46a87b3851f0) the next one after the choice before of the
 * same calling CPU.
 */
static int pick_affinity(struct lab *lab, struct rq *caller, const u64 *cpus)
{
	bool rotates = lab_rule(lab, AFFINITY_PICK) == AFFINITY_PICK_ROTATING;
	int cpu, first = -1;

	for_each_bit(cpu, cpus, lab->cfg.nr_cpus) {
		if (!lab->rqs[cpu].online)
			continue;
		if (first < 0)
			first = cpu;
		if (!rotates || cpu > caller->affinity_pick)
			break;
	}
	if (cpu == lab->cfg.nr_cpus)
		cpu = first;
	if (cpu >= 0)
		caller->affinity_pick = cpu;
	return cpu;
}

/* @p, which runs, is taken to @cpu by the stopper; without one, or where it is being parked, it is taken along at the next pass. */
void leave_cpu(struct lab *lab, struct task_struct *p, int cpu)
{
	if (!p->parked && stop_and_push(lab, p, cpu))
		return;
	p->leaves_cpu = true;
	p->dest_cpu = cpu;
	resched_curr(cpu_rq(lab, p->cpu));
}

/* @p may not stay where it is. */
static void move_to_affine(struct lab *lab, struct task_struct *p, int cpu)
{
	if (cpu_rq(lab, p->cpu)->curr == p) {
		leave_cpu(lab, p, cpu);
	} else if (p->se.on_rq || p->parked) {
		push_task_to(lab, p, cpu);
	} else if (p->state == TASK_WAKING) {
		p->leaves_cpu = true;
		p->dest_cpu = cpu;
	}
}

int set_cpus_allowed(struct lab *lab, int cpu, struct task_struct *p, const u64 *cpus)
{
	int target;

	if (!memcmp(p->cpus_allowed, cpus, BITS_WORDS((size_t)lab->cfg.nr_cpus) * sizeof(*cpus)))
		return 0;
	target = pick_affinity(lab, cpu_rq(lab, cpu), cpus);
	if (target < 0)
		return -EINVAL;
	allow_cpus(lab, p, cpus);
	p->leaves_cpu = p->execs = false;
	stop_forgets(p);
	if (!cpu_usable(lab, p, p->cpu))
		move_to_affine(lab, p, target);
	return 0;
}

int lab_affinity(struct lab *lab, int cpu, struct task_struct *p, const u64 *cpus)
{
	cpuset_mask cut;
	int ret;

	cpuset_cut(lab, p, cpus, cut);
	ret = set_cpus_allowed(lab, cpu, p, cut);
	if (!ret)
		remember_user_cpus(lab, p, cpus);
	lab_verb_done(lab);
	return ret;
}
