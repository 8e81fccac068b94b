/* SPDX-License-Identifier: MIT */
/*
 * lab.c - a scheduler instance and the verbs of lab.h: thin, each brings the clocks up to date, asks the fair class, and tells
 * the machine.
 *
 *	lab_wake ---> enqueue ---> check_preempt ---> kick(RESCHED) ... lab_schedule ---> pick ---> the task that runs
 */
#include "core/sched.h"

#include <string.h>

/* ---- creation ---- */

/* Rule of the tunables: 1 + floor(log2(min(CPUs, 8))), except where a value was written by hand. */
static u64 tunable_factor(const struct lab *lab)
{
	int cpus = lab->nr_online < 8 ? lab->nr_online : 8;
	u64 factor = 1;

	for (; cpus > 1; cpus /= 2)
		factor++;
	return factor;
}

static u64 scaled_param(const struct lab *lab, enum param param)
{
	u64 value = lab->model.param[param];

	return lab->model.param_set[param] ? value : value * tunable_factor(lab);
}

void update_tunables(struct lab *lab)
{
	lab->latency = scaled_param(lab, PARAM_LATENCY);
	lab->min_granularity = scaled_param(lab, PARAM_MIN_GRANULARITY);
	lab->wakeup_granularity = scaled_param(lab, PARAM_WAKEUP_GRANULARITY);
	lab->base_slice = scaled_param(lab, PARAM_BASE_SLICE);
	lab->unscaled_slice = lab->base_slice / tunable_factor(lab);
	lab->nr_latency = (lab->latency + lab->min_granularity - 1) / lab->min_granularity;
}

static void init_rq(struct lab *lab, struct rq *rq, int cpu)
{
	rq->lab = lab;
	rq->cpu = cpu;
	rq->online = true;
	rq->idle.cpu = cpu;
	rq->idle.state = TASK_RUNNING;
	rq->idle.tg = &lab->root;
	rq->curr = &rq->idle;
	rq->clock = lab->pf.cpu_clock(lab->pf.ctx, cpu);
	list_init(&rq->unthrottle_list);
	init_cfs_rq(lab, &rq->cfs, rq, &lab->root);
	choose_path(rq);
	rq->idle.se.cfs_rq = &rq->cfs;
	rq_starts_running(rq);
}

struct lab *lab_create(const struct lab_config *cfg, const struct kernel_model *model, const struct platform *pf)
{
	struct lab *lab;
	int cpu;

	if (cfg->nr_cpus < 1 || cfg->nr_cpus > LAB_MAX_CPUS || !cfg->hz)
		return NULL;
	lab = pf->alloc(pf->ctx, sizeof(*lab));
	if (!lab)
		return NULL;
	lab->cfg = *cfg;
	lab->model = *model;
	lab->pf = *pf;
	lab->throttle = lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_GROUP ? &throttle_group : &throttle_task;
	lab->pick = lab_rule(lab, PICK) ? &pick_eevdf : &pick_vruntime;
	lab->tick_nsec = SEC / cfg->hz;
	lab->nr_online = cfg->nr_cpus;
	lab->ticks_done = lab_ktime(lab) - 1;
	lab->next_task_id = 1;
	lab->root.lab = lab;
	lab->root.shares = scale_load(lab, NICE_0_WEIGHT);
	list_init(&lab->root.children);
	list_init(&lab->root.siblings);
	list_init(&lab->blocked);
	init_cfs_bandwidth(lab, &lab->root);
	lab->groups_tail = &lab->root.next;
	lab->rqs = pf->alloc(pf->ctx, (size_t)cfg->nr_cpus * sizeof(*lab->rqs));
	if (!lab->rqs)
		return NULL;
	for (cpu = 0; cpu < cfg->nr_cpus; cpu++)
		init_rq(lab, cpu_rq(lab, cpu), cpu);
	update_tunables(lab);
	return lab;
}

void lab_destroy(struct lab *lab)
{
	lab_check(lab);
}

void lab_verb_done(struct lab *lab)
{
	if (unlikely(lab->cfg.check_laws))
		lab_check(lab);
}

/* ---- tasks ---- */

static struct task_struct *alloc_task(struct lab *lab)
{
	struct task_struct *p = lab->free_tasks;
	size_t words = BITS_WORDS((size_t)lab->cfg.nr_cpus);
	u64 *cpus;

	if (p) {
		lab->free_tasks = p->free_next;
		cpus = p->cpus_allowed;
		memset(p, 0, sizeof(*p));
		p->cpus_allowed = cpus;
		return p;
	}
	p = lab->pf.alloc(lab->pf.ctx, sizeof(*p) + words * sizeof(u64));
	if (p)
		p->cpus_allowed = (u64 *)(p + 1);
	return p;
}

static void allow_cpus(struct lab *lab, struct task_struct *p, const u64 *cpus)
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
	if (p->nr_cpus_allowed > 1)
		lab->nr_movable++;
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
	update_curr(lab, cfs_rq);
	lab->pick->fork(lab, cfs_rq, parent && curr ? curr : NULL, &p->se);
	p->se.vruntime -= cfs_rq->min_vruntime;
	p->moved = true;
}

struct task_struct *lab_fork(struct lab *lab, int cpu, struct task_struct *parent, const struct task_spec *spec)
{
	struct task_struct *p = alloc_task(lab);

	if (!p)
		return NULL;
	p->id = lab->next_task_id++;
	p->tg = spec->tg ? spec->tg : &lab->root;
	p->policy = spec->policy;
	p->nice = spec->nice;
	p->kthread = spec->kthread;
	p->owner = spec->owner;
	p->state = TASK_NEW;
	p->from_outside = !parent;
	allow_cpus(lab, p, spec->cpus);
	set_task_weight(lab, p);
	set_slice(lab, p, first_slice(parent, spec));
	init_entity_load(lab, &p->se, parent);
	if (!attach_entity(lab, p, cpu)) {
		p->free_next = lab->free_tasks;
		lab->free_tasks = p;
		return NULL;
	}
	if (parent) {
		place_child(lab, p, parent);
		emit(lab, EVENT_SCHED_PROCESS_FORK, cpu, parent->id, parent->tg->id, 0, p->id);
	}
	lab_verb_done(lab);
	return p;
}

/* ---- where to run ---- */

/* A task whose CPUs are all offline is allowed every one. */
static void break_affinity(struct lab *lab, struct task_struct *p)
{
	int cpu;

	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus)
		if (lab->rqs[cpu].online)
			return;
	allow_cpus(lab, p, NULL);
}


static bool cpu_is_free(const struct lab *lab, int cpu)
{
	const struct rq *rq = &lab->rqs[cpu];

	return task_is_idle_thread(rq->curr) && !rq->nr_running && !rq->need_resched;
}

static bool cpu_usable(const struct lab *lab, const struct task_struct *p, int cpu)
{
	return bit_test(p->cpus_allowed, cpu) && lab->rqs[cpu].online;
}

/* A new task goes to the allowed CPU that the fewest call their own, asleep and throttled ones included. */
static int select_task_rq_fork(struct lab *lab, const struct task_struct *p)
{
	int cpu, best = -1;

	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus)
		if (cpu_usable(lab, p, cpu) && (best < 0 || lab->rqs[cpu].nr_tasks < lab->rqs[best].nr_tasks))
			best = cpu;
	return best < 0 ? p->cpu : best;
}

/*
 * Where a task that wakes shall run: where it was if that is free, else the first free CPU, else where it was.  Quota-blind, as in
 * every kernel; the kernel's own search is not modelled here.
 */
static int select_task_rq(struct lab *lab, const struct task_struct *p)
{
	int cpu;

	if (p->state == TASK_NEW)
		return select_task_rq_fork(lab, p);
	if (cpu_usable(lab, p, p->cpu) && (p->nr_cpus_allowed == 1 || cpu_is_free(lab, p->cpu)))
		return p->cpu;
	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus)
		if (cpu_usable(lab, p, cpu) && cpu_is_free(lab, cpu))
			return cpu;
	return cpu_usable(lab, p, p->cpu) ? p->cpu : select_task_rq_fork(lab, p);
}

/* set_task_cpu() of a task that is on no queue.  False where there is no memory for its group's queue there: it stays. */
bool set_task_cpu(struct lab *lab, struct task_struct *p, int cpu)
{
	struct cfs_rq *from = p->se.cfs_rq;

	if (p->cpu == cpu)
		return true;
	if (p->tg->parent && !group_pair_make(lab, p->tg, cpu))
		return false;
	settle_ticks(from->rq);
	if (p->state != TASK_NEW) {
		emit(lab, EVENT_SCHED_MIGRATE_TASK, p->cpu, p->id, p->tg->id, cpu, 0);
		p->migrations++;
	}
	if (!p->moved && p->state != TASK_NEW) {
		p->se.vruntime -= from->min_vruntime;
		p->moved = true;
	}
	if (p->state == TASK_RUNNING)
		detach_load(lab, &p->se);
	else
		remove_load(lab, &p->se);
	p->se.exec_start = 0;
	if (p->state != TASK_NEW) {
		cpu_rq(lab, p->cpu)->nr_tasks--;
		cpu_rq(lab, cpu)->nr_tasks++;
	}
	return attach_entity(lab, p, cpu);
}

/* ---- waking ---- */

/* Idle gives way at once; a fair current is measured against the newcomer. */
static void check_preempt_curr(struct rq *rq, struct task_struct *p, unsigned flags)
{
	if (task_is_idle_thread(rq->curr)) {
		if (!cut_off(rq->lab, p->se.cfs_rq))
			resched_curr(rq);
		return;
	}
	ON_PATH(rq->path, check_preempt_wakeup)(rq, p, flags);
}

static void activate(struct rq *rq, struct task_struct *p, unsigned enqueue_flags)
{
	p->state = TASK_RUNNING;
	ON_PATH(rq->path, activate_task_fair)(rq, p, enqueue_flags);
}

static void check_preempt(struct rq *rq, struct task_struct *p, unsigned wake_flags)
{
	check_preempt_curr(rq, p, wake_flags);
	hrtick_update(rq);
}

void lab_wake_new(struct lab *lab, int cpu, struct task_struct *p)
{
	struct rq *rq;

	(void)cpu;
	set_task_cpu(lab, p, select_task_rq(lab, p));
	rq = cpu_rq(lab, p->cpu);
	rq->nr_tasks++;
	update_rq_clock(rq);
	if (!p->from_outside)
		seed_new_task_util(&p->se);
	activate(rq, p, p->from_outside ? ENQUEUE_WAKEUP : ENQUEUE_INITIAL);
	emit(lab, EVENT_SCHED_WAKEUP_NEW, p->cpu, p->id, p->tg->id, 0, 0);
	check_preempt(rq, p, WF_FORK);
	lab_verb_done(lab);
}

/* ttwu_runnable(): a sleeper that is still queued, delayed, is wanted again where it is. */
static void wake_delayed(struct lab *lab, struct task_struct *p)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	update_rq_clock(rq);
	requeue_delayed_task(rq, p);
	p->state = TASK_RUNNING;
	start_waiting(p);
	check_preempt_curr(rq, p, 0);
	emit(lab, EVENT_SCHED_WAKEUP, p->cpu, p->id, p->tg->id, 0, 0);
	lab_verb_done(lab);
}

bool lab_wake(struct lab *lab, int cpu, struct task_struct *p, struct task_struct *waker, unsigned flags)
{
	struct rq *rq;
	int target;

	if (p->state != TASK_INTERRUPTIBLE)
		return false;
	emit(lab, EVENT_SCHED_WAKING, cpu, p->id, p->tg->id, 0, waker ? waker->id : 0);
	if (p->se.sched_delayed) {
		wake_delayed(lab, p);
		return true;
	}
	break_affinity(lab, p);
	set_task_cpu(lab, p, select_task_rq(lab, p));
	target = p->cpu;
	rq = cpu_rq(lab, target);
	update_rq_clock(rq);
	if (target != cpu && task_is_idle_thread(rq->curr) && !rq->need_resched &&
	    lab->pf.cpu_state(lab->pf.ctx, target) == CPU_POLLING)
		emit(lab, EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI, target, p->id, p->tg->id, 0, 0);
	activate(rq, p, ENQUEUE_WAKEUP);
	check_preempt(rq, p, flags & WAKE_SYNC ? WF_SYNC : 0);
	emit(lab, EVENT_SCHED_WAKEUP, target, p->id, p->tg->id, 0, 0);
	lab_verb_done(lab);
	return true;
}

/* ---- leaving ---- */

void lab_block(struct lab *lab, int cpu) { cpu_rq(lab, cpu)->curr->state = TASK_INTERRUPTIBLE; }

void lab_exit(struct lab *lab, int cpu)
{
	struct task_struct *p = cpu_rq(lab, cpu)->curr;

	emit(lab, EVENT_SCHED_PROCESS_EXIT, cpu, p->id, p->tg->id, 0, 0);
	p->state = TASK_DEAD;
}

void lab_yield(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);

	update_rq_clock(rq);
	yield_task_fair(rq);
}

/* Does @p wait where it could run at once? */
static bool waits_in_line(struct lab *lab, const struct task_struct *p)
{
	return p->se.on_rq && !p->se.sched_delayed && cpu_rq(lab, p->cpu)->curr != p && !cut_off(lab, p->se.cfs_rq);
}

void lab_yield_to(struct lab *lab, int cpu, struct task_struct *p)
{
	struct rq *rq = cpu_rq(lab, cpu), *p_rq = cpu_rq(lab, p->cpu);

	if (!waits_in_line(lab, p) || (rq->nr_running == 1 && p_rq->nr_running == 1))
		return;
	update_rq_clock(rq);
	update_rq_clock(p_rq);
	yield_to_task_fair(rq, p);
	if (p_rq != rq)
		resched_curr(p_rq);
}

/* ---- the schedule pass ---- */

static enum task_left how_left(const struct task_struct *prev)
{
	if (task_is_idle_thread(prev))
		return LEFT_IDLE;
	if (prev->state == TASK_DEAD)
		return LEFT_DEAD;
	return prev->state == TASK_RUNNING ? LEFT_RUNNABLE : LEFT_SLEEPING;
}

static void context_switch(struct rq *rq, struct task_struct *prev, struct task_struct *next)
{
	struct lab *lab = rq->lab;

	if (!task_is_idle_thread(prev)) {
		if (prev->state == TASK_RUNNING)
			prev->nivcsw++;
		else
			prev->nvcsw++;
	} else {
		rq_starts_running(rq);
	}
	emit(lab, EVENT_SCHED_SWITCH, rq->cpu, next->id, next->tg->id, how_left(prev), prev->id);
	rq->curr = next;
	if (prev->state == TASK_DEAD) {
		emit(lab, EVENT_SCHED_PROCESS_FREE, rq->cpu, prev->id, prev->tg->id, 0, 0);
		rq->nr_tasks--;
		remove_load(lab, &prev->se);
		prev->free_next = lab->free_tasks;
		lab->free_tasks = prev;
	}
}

/* A running task that may no longer run here leaves at the next pass, as the stopper would push it. */
static bool is_evicted(const struct lab *lab, const struct task_struct *p)
{
	return !task_is_idle_thread(p) && p->state == TASK_RUNNING && !cpu_usable(lab, p, p->cpu);
}

static void move_evicted(struct lab *lab, struct task_struct *p)
{
	struct rq *rq;

	break_affinity(lab, p);
	set_task_cpu(lab, p, select_task_rq(lab, p));
	rq = cpu_rq(lab, p->cpu);
	update_rq_clock(rq);
	activate(rq, p, 0);
	check_preempt(rq, p, 0);
}

/*
 * From 6.18, whoever was chosen from a throttled hierarchy is to be parked.  From 7.2 each level is charged nothing first, which
 * draws a slice or throttles.
 */
static void set_current(struct rq *rq, struct task_struct *p)
{
	struct sched_entity *se = &p->se;

	if (task_is_idle_thread(p))
		return;
	if (lab_rule(rq->lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		for (; se; se = se->parent)
			if (se->cfs_rq->runtime_enabled)
				account_cfs_rq_runtime(rq->lab, se->cfs_rq, 0);
	give_throttle_work(rq, p);
}

/* On a CPU where nobody is limited only work from before a move to another group can be left. */
static bool may_have_to_park(const struct lab *lab, const struct rq *rq, const struct task_struct *next)
{
	if (!FAIRGROUND_BANDWIDTH || lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_GROUP)
		return false;
	return rq->nr_limited || next->throttle_work;
}

struct task_struct *lab_schedule(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);
	struct task_struct *prev = rq->curr, *next;
	bool evicted = is_evicted(lab, prev);

	update_rq_clock(rq);
	if (prev->state != TASK_RUNNING)
		ON_PATH(rq->path, dequeue_task_fair)(rq, prev, DEQUEUE_SLEEP | (prev->state == TASK_DEAD ? DEQUEUE_SPECIAL : 0));
	else if (evicted && !prev->parked)
		dequeue_task_fair(rq, prev, 0);
	next = ON_PATH(rq->path, pick_next_task_fair)(rq, prev);
	if (!next && pull_when_idle(rq))
		next = pick_next_task_fair(rq, &rq->idle);
	if (!next)
		next = &rq->idle;
	rq->need_resched = rq->need_resched_lazy = false;
	if (next != prev) {
		context_switch(rq, prev, next);
		hrtick_update(rq);
	}
	if (may_have_to_park(lab, rq, next))
		set_current(rq, next);
	if (evicted && prev->parked)
		push_waiting_task(lab, prev);
	else if (evicted)
		move_evicted(lab, prev);
	lab_verb_done(lab);
	return next;
}

bool lab_need_resched(const struct lab *lab, int cpu)
{
	return lab->rqs[cpu].need_resched || lab->rqs[cpu].need_resched_lazy;
}

bool lab_resched_now(const struct lab *lab, int cpu) { return lab->rqs[cpu].need_resched; }

struct task_struct *lab_curr(const struct lab *lab, int cpu) { return lab->rqs[cpu].curr; }

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
		dequeue_task_fair(rq, p, flags);
	if (q.running)
		put_curr_chain(rq);
	return q;
}

/* A delayed sleeper is put back as one; a parked task is parked again where its group is throttled. */
static void put_back(struct lab *lab, struct task_struct *p, const struct off_queue *q)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	update_rq_clock(rq);
	if (q->parked && throttled_hierarchy(p->se.cfs_rq))
		park(p);
	else if (q->parked || q->queued)
		enqueue_task_fair(rq, p, 0);
	if (q->running && rq == q->rq)
		set_curr_chain(rq);
}

int lab_set_nice(struct lab *lab, int cpu, struct task_struct *p, enum sched_policy policy, int nice)
{
	struct off_queue q = take_off(lab, p, DEQUEUE_SAVE);
	bool worse = nice > p->nice;

	(void)cpu;
	p->policy = policy;
	p->nice = nice;
	set_task_weight(lab, p);
	put_back(lab, p, &q);
	if (p->se.on_rq && q.rq->cfs.nr_running > 1) {
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

	(void)cpu;
	if (tg == p->tg)
		return 0;
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

/* Take a task that waits, sleeps in the queue or is parked along to a CPU it may use. */
void push_waiting_task(struct lab *lab, struct task_struct *p)
{
	struct off_queue q = take_off(lab, p, 0);
	bool waits = p->waiting;
	struct rq *rq;

	stop_waiting(p);
	break_affinity(lab, p);
	set_task_cpu(lab, p, select_task_rq(lab, p));
	rq = cpu_rq(lab, p->cpu);
	update_rq_clock(rq);
	if (waits)
		start_waiting(p);
	put_back(lab, p, &q);
	if (p->se.on_rq)
		check_preempt(rq, p, 0);
}

int lab_affinity(struct lab *lab, int cpu, struct task_struct *p, const u64 *cpus)
{
	int target;

	(void)cpu;
	for_each_bit(target, cpus, lab->cfg.nr_cpus)
		if (lab->rqs[target].online)
			break;
	if (target == lab->cfg.nr_cpus)
		return -EINVAL;
	allow_cpus(lab, p, cpus);
	if ((p->se.on_rq || p->parked) && !cpu_usable(lab, p, p->cpu)) {
		if (cpu_rq(lab, p->cpu)->curr == p)
			resched_curr(cpu_rq(lab, p->cpu));
		else
			push_waiting_task(lab, p);
	}
	lab_verb_done(lab);
	return 0;
}

u64 lab_read_runtime(struct lab *lab, struct task_struct *p)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	if (rq->curr == p) {
		update_rq_clock(rq);
		update_curr(lab, p->se.cfs_rq);
		lab_verb_done(lab);
	}
	return p->se.sum_exec_runtime;
}

/* ---- questions ---- */

u32 lab_task_id(const struct task_struct *p) { return p->id; }
void *lab_task_owner(const struct task_struct *p) { return p->owner; }
int lab_task_cpu(const struct task_struct *p) { return p->cpu; }
bool lab_task_is_idle(const struct task_struct *p) { return task_is_idle_thread(p); }
struct task_group *lab_task_group(const struct task_struct *p) { return p->tg; }

bool lab_task_cut_off(const struct task_struct *p) { return cut_off(p->tg->lab, p->se.cfs_rq); }

void lab_task_stat(struct lab *lab, const struct task_struct *p, struct task_stat *st)
{
	*st = (struct task_stat){
		.runtime = p->se.sum_exec_runtime,
		.wait_throttled = p->wait_throttled,
		.wait_contended = p->wait_contended,
		.longest_pause = p->longest_pause,
		.nvcsw = p->nvcsw,
		.nivcsw = p->nivcsw,
		.migrations = p->migrations,
	};
	if (p->waiting) {
		u64 wait = cpu_rq(lab, p->cpu)->clock - p->wait_start;
		u64 throttled = min_u64(hierarchy_throttled_time(p->se.cfs_rq) - p->wait_hierarchy, wait);

		st->wait_throttled += throttled;
		st->wait_contended += wait - throttled;
		st->longest_pause = max_u64(st->longest_pause, wait);
	}
}
