/* SPDX-License-Identifier: MIT */
/*
 * rt.c - the classes above fair: strict priorities, and among equals who came first.
 *
 *	stop		101	a CPU's stopper, which moves what runs there
 *	deadline	100	SCHED_DEADLINE: its place in the order, and no more
 *	rt		99..1	SCHED_FIFO; SCHED_RR goes behind its equals after 100 ms
 *	--------------------
 *	fair			fair.c: runs where none of these wants to
 *	idle			rq->idle
 *
 * Whoever is above fair and runnable on a CPU stands in one tree there, rq->rt.queue, also while it runs; its first is who runs.  So
 * the order of the classes is the order of the numbers, and a stopper is no more than a task with SCHED_STOP that is bound to
 * its CPU: made by lab_fork(), woken by lab_wake(), it runs at the next pass whatever else is there.
 *
 * Nothing of bandwidth control holds here: no quota is charged, no limit stops such a task, also where its group is throttled.  It has no
 * weight, no virtual time and no averages; for the fair queues its CPU was simply not there.  One that leaves the fair class takes
 * its vruntime along relative to the queue, as one that moves to another CPU does.
 *
 * Tasks spread as in push and pull: one that may run elsewhere leaves a CPU where it would wait for a higher one, for a CPU that runs
 * something lower; and a CPU that goes down in priority takes one that waits.
 *
 * What they take of a CPU is known to the balancer: an average that halves in 32 units of 1024 us, as everywhere, taken out of the CPU's
 * capacity.  So a fair task that waits behind one that does not sleep is moved away.
 *
 * Laws (check.c): the first of the queue runs, or the CPU has been asked to pick; rq->nr_running counts both classes.
 */
#include "base/fixmath.h"
#include "core/smp.h"
#include "core/verbs.h"

#define PRIO_STOP 101
#define PRIO_DEADLINE 100
#define PRIO_RT_MOST 99
#define PRIO_RT_LEAST 1
#define PRIO_FAIR 0 /* what a CPU without any of these has */
#define RR_SLICES_PER_SEC 10 /* RR_TIMESLICE: 100 ms */

/* ---- who is above, and how far ---- */

bool policy_is_above_fair(enum sched_policy policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE || policy == SCHED_STOP;
}

static u32 ticks_of_slice(const struct lab *lab)
{
	u32 ticks = lab->cfg.hz / RR_SLICES_PER_SEC;

	return ticks ? ticks : 1;
}

/* rt_priority is held within 1 to 99. */
static int prio_under(enum sched_policy policy, int rt_priority)
{
	if (policy == SCHED_STOP)
		return PRIO_STOP;
	if (policy == SCHED_DEADLINE)
		return PRIO_DEADLINE;
	return rt_priority < PRIO_RT_LEAST ? PRIO_RT_LEAST : rt_priority > PRIO_RT_MOST ? PRIO_RT_MOST : rt_priority;
}

void set_rt_policy(struct lab *lab, struct task_struct *p, enum sched_policy policy, int priority)
{
	p->above_fair = policy_is_above_fair(policy);
	p->rt.prio = prio_under(policy, priority);
	p->rt.order = ++lab->rt_order;
	p->rt.ticks_left = ticks_of_slice(lab);
}

static struct task_struct *task_at(struct rb_node *node)
{
	return node ? container_of(node, struct task_struct, se.run_node) : NULL;
}

static struct task_struct *first_of(const struct rq *rq) { return task_at(rb_first(&rq->rt.queue)); }

static struct task_struct *next_of(struct task_struct *p) { return task_at(rb_next(&p->se.run_node)); }

static bool goes_before(const struct task_struct *a, const struct task_struct *b)
{
	return a->rt.prio != b->rt.prio ? a->rt.prio > b->rt.prio : a->rt.order < b->rt.order;
}

/* The highest that wants this CPU. */
static int prio_of(const struct rq *rq)
{
	const struct task_struct *p = first_of(rq);

	return p ? p->rt.prio : PRIO_FAIR;
}

/* ---- the queue ---- */

static void insert(struct rq *rq, struct task_struct *p)
{
	struct rb_node **link = &rq->rt.queue.root, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (goes_before(p, task_at(parent))) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert(&rq->rt.queue, &p->se.run_node, parent, link, leftmost);
}

/* Behind its equals. */
static void to_the_tail(struct rq *rq, struct task_struct *p)
{
	rb_erase(&rq->rt.queue, &p->se.run_node);
	p->rt.order = ++rq->lab->rt_order;
	insert(rq, p);
}

void enqueue_task_rt(struct rq *rq, struct task_struct *p, bool keeps_place)
{
	if (!keeps_place)
		p->rt.order = ++rq->lab->rt_order;
	insert(rq, p);
	p->se.on_rq = true;
	rq->rt.nr++;
	rq->lab->nr_rt++;
	rq->lab->rt_seen |= p->policy != SCHED_STOP;
	stain(rq);
	count_running(rq, 1);
}

void dequeue_task_rt(struct rq *rq, struct task_struct *p)
{
	if (rq->curr == p)
		update_curr_rt(rq);
	rb_erase(&rq->rt.queue, &p->se.run_node);
	p->se.on_rq = false;
	rq->rt.nr--;
	rq->lab->nr_rt--;
	count_running(rq, -1);
}

/* ---- charging, ticks ---- */

static void charge(struct rq *rq, struct task_struct *p, u64 delta, u32 ticks)
{
	p->se.exec_start += delta;
	p->se.sum_exec_runtime += delta;
	p->se.cfs_rq->exec_clock += delta; /* its group has used it, whatever the quota */
	emit(rq->lab, EVENT_SCHED_STAT_RUNTIME, rq->cpu, p->id, p->tg->id, (s64)delta, ticks);
}

void update_curr_rt(struct rq *rq)
{
	s64 delta = (s64)(rq->clock - rq->curr->se.exec_start);

	if (delta > 0)
		charge(rq, rq->curr, (u64)delta, 1);
}

void charge_ticks_rt(struct rq *rq, u64 nr, u64 last)
{
	struct task_struct *p = rq->curr;
	u64 total = last - p->se.exec_start;
	bool short_first = total > (nr - 1) * rq->lab->tick_nsec;

	if (total)
		charge(rq, p, total, (u32)(nr - !short_first));
	if (p->policy == SCHED_RR)
		p->rt.ticks_left -= (u32)nr;
}

u64 ticks_left_rt(const struct rq *rq) { return rq->curr->policy == SCHED_RR ? rq->curr->rt.ticks_left : UINT32_MAX; }

void task_tick_rt(struct rq *rq)
{
	struct task_struct *p = rq->curr, *next;

	update_curr_rt(rq);
	if (p->policy != SCHED_RR || --p->rt.ticks_left)
		return;
	p->rt.ticks_left = ticks_of_slice(rq->lab);
	next = next_of(p);
	if (!next || next->rt.prio != p->rt.prio)
		return;
	to_the_tail(rq, p);
	resched_curr(rq);
}

/* ---- waiting: begins as for a fair task, but no limit has a part in it ---- */

void stop_waiting_rt(struct task_struct *p)
{
	u64 wait;

	if (!p->waiting)
		return;
	p->waiting = false;
	wait = p->se.cfs_rq->rq->clock - p->wait_start;
	p->wait_contended += wait;
	p->longest_pause = max_u64(p->longest_pause, wait);
}

/* ---- who gives way ---- */

/* One of the two is above fair.  A higher class takes over at once, an equal one waits. */
void check_preempt_rt(struct rq *rq, const struct task_struct *p)
{
	const struct task_struct *curr = rq->curr;
	int prio = curr->above_fair ? curr->rt.prio : PRIO_FAIR;

	if (p->above_fair && p->rt.prio > prio)
		resched_curr(rq);
}

void yield_task_rt(struct rq *rq) { to_the_tail(rq, rq->curr); }

/* ---- where to run ---- */

/* The allowed CPU whose highest task is lowest: the one it last ran on if that is one of them. */
static int lowest_cpu(struct lab *lab, const struct task_struct *p)
{
	int cpu, best = -1, lowest = p->rt.prio;

	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus) {
		int prio = prio_of(cpu_rq(lab, cpu));

		if (!cpu_usable(lab, p, cpu) || prio > lowest || (prio == lowest && (best < 0 || cpu != p->cpu)))
			continue;
		lowest = prio;
		best = cpu;
	}
	return best;
}

/*
 * It stays and preempts where a fair task runs, though other CPUs may be idle: the test is whether the current task is above fair, and
 * cannot leave or is not lower.
 */
int select_task_rq_rt(struct lab *lab, const struct task_struct *p)
{
	const struct task_struct *curr = cpu_rq(lab, p->cpu)->curr;
	int cpu;

	if (cpu_usable(lab, p, p->cpu) && !(curr->above_fair && (curr->nr_cpus_allowed < 2 || curr->rt.prio >= p->rt.prio)))
		return p->cpu;
	cpu = lowest_cpu(lab, p);
	if (cpu >= 0)
		return cpu;
	if (cpu_usable(lab, p, p->cpu))
		return p->cpu;
	for_each_bit(cpu, p->cpus_allowed, lab->cfg.nr_cpus)
		if (cpu_usable(lab, p, cpu))
			return cpu;
	return p->cpu;
}

/* @p, which waits, goes over to @cpu.  False where its group has no memory there. */
static bool move_waiting(struct lab *lab, struct task_struct *p, int cpu)
{
	struct rq *from = cpu_rq(lab, p->cpu), *to = cpu_rq(lab, cpu);
	bool moved;

	update_rq_clock(from);
	stop_waiting_rt(p);
	dequeue_task_rt(from, p);
	lab->move_cause = MOVE_RT;
	moved = set_task_cpu(lab, p, cpu);
	lab->move_cause = MOVE_WAKEUP;
	if (!moved) {
		enqueue_task_rt(from, p, true);
		start_waiting(p);
		return false;
	}
	update_rq_clock(to);
	start_waiting(p);
	enqueue_task_rt(to, p, false);
	return true;
}

/* The highest that waits on @rq and may run elsewhere; on @cpu, unless that is -1. */
static struct task_struct *highest_waiting(const struct rq *rq, int cpu)
{
	struct task_struct *p = first_of(rq);

	for (; p; p = next_of(p))
		if (p != rq->curr && p->nr_cpus_allowed > 1 && (cpu < 0 || bit_test(p->cpus_allowed, cpu)))
			return p;
	return NULL;
}

/* Whoever waits here behind a higher one goes where something lower runs. */
void push_tasks_rt(struct rq *rq)
{
	struct task_struct *p;
	int cpu;

	while (rq->rt.nr > 1 && (p = highest_waiting(rq, -1))) {
		cpu = lowest_cpu(rq->lab, p);
		if (cpu < 0 || cpu == rq->cpu || !move_waiting(rq->lab, p, cpu))
			return;
		check_preempt_curr(cpu_rq(rq->lab, cpu), p, 0);
	}
}

/* @rq is about to run something lower than before: the highest that waits elsewhere for less comes here. */
static void pull_task_rt(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct task_struct *best = NULL;
	int cpu;

	if (lab->nr_rt == rq->rt.nr || !rq->online)
		return;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++) {
		const struct rq *from = cpu_rq(lab, cpu);
		struct task_struct *p = from != rq && from->rt.nr > 1 ? highest_waiting(from, rq->cpu) : NULL;

		if (p && p != first_of(from) && p->rt.prio > prio_of(rq) && (!best || goes_before(p, best)))
			best = p;
	}
	if (best)
		move_waiting(lab, best, rq->cpu);
}

struct task_struct *waiting_task_rt(const struct rq *rq)
{
	struct task_struct *p = first_of(rq);

	return p && p == rq->curr ? next_of(p) : p;
}

/* ---- what they leave of a CPU ---- */

#define HALVES_IN ((u64)32 * 1024 * 1024 / 1000 * 1000) /* ns in which the average halves: 32 units of 1024 * 1024 ns, to the us */
#define LN2 ((fix)195103586505167) /* times 2^48 */
#define FULL 1024		   /* SCHED_CAPACITY_SCALE: all of a CPU */
#define SCALED_BY 20		   /* bits that the average has more than that */
#define FULL_SCALED ((u64)FULL << SCALED_BY)
#define GONE_AFTER 40		   /* halvings: nothing is left of FULL_SCALED, which has 30 bits */

/* @value, after @ns in which it halved every 32 units. */
static u64 faded(u64 value, u64 ns)
{
	if (ns >= GONE_AFTER * HALVES_IN)
		return 0;
	return fix_mul_exp(value, -(fix)((__int128)LN2 * (s64)ns / (s64)HALVES_IN));
}

/* The share of late in which somebody of rt or deadline ran, of FULL_SCALED.  From the last change on, so that nobody's asking alters it. */
static u64 rt_util(const struct rq *rq, u64 now)
{
	u64 ns = now - rq->rt.since, scaled = rq->rt.running ? FULL_SCALED - rq->rt.util : rq->rt.util;
	u64 left = faded(scaled, ns);

	return rq->rt.running ? FULL_SCALED - left : left;
}

/* Such a task begins to run here, or ends; a stopper does not count. */
static void note_running(struct rq *rq, const struct task_struct *next)
{
	bool running = next && next->above_fair && next->policy != SCHED_STOP;
	u64 now;

	if (running == rq->rt.running)
		return;
	now = lab_ktime(rq->lab);
	rq->rt.util = rt_util(rq, now);
	rq->rt.since = now;
	rq->rt.running = running;
}

u64 capacity_of(const struct rq *rq)
{
	u64 all = rq->smp.capacity_orig, used;

	if (!rq->lab->rt_seen)
		return rq->smp.capacity;
	used = all * (rt_util(rq, lab_ktime(rq->lab)) >> SCALED_BY) / FULL;
	return used < all ? all - used : 1;
}

/* Before a balancer looks at the groups of @sd: what is left for fair tasks on each CPU, and in each group. */
void take_rt_from_capacity(struct lab *lab, struct sched_domain *sd)
{
	int i, cpu;

	if (!lab->rt_seen)
		return;
	for (i = 0; i < sd->nr_groups; i++) {
		struct sched_group *group = sd->groups[i];
		u64 sum = 0;

		for_each_bit(cpu, group->span, lab->cfg.nr_cpus) {
			struct rq *rq = cpu_rq(lab, cpu);

			rq->smp.capacity = capacity_of(rq);
			sum += rq->smp.capacity;
		}
		group->capacity = sum;
	}
}

/* ---- the pick ---- */

static void put_prev(struct rq *rq, struct task_struct *prev)
{
	if (task_is_idle_thread(prev))
		return;
	if (!prev->above_fair) {
		put_curr_chain(rq);
	} else if (prev->se.on_rq) {
		update_curr_rt(rq);
		start_waiting(prev);
	}
}

/* Somebody above fair runs or wants to: @prev leaves, and the first takes over; NULL: nobody above idle is here. */
struct task_struct *pick_next_task_above(struct rq *rq, struct task_struct *prev)
{
	struct task_struct *next;

	put_prev(rq, prev);
	if (prev->above_fair && prev->rt.prio > prio_of(rq))
		pull_task_rt(rq);
	next = first_of(rq);
	note_running(rq, next);
	if (!next)
		return pick_next_task_fair(rq, &rq->idle);
	stop_waiting_rt(next);
	next->se.exec_start = rq->clock;
	return next;
}

/* ---- from class to class ---- */

/* @p, which is on no queue, is fair no more. */
void leave_fair(struct lab *lab, struct task_struct *p)
{
	if (!p->moved && p->state != TASK_NEW)
		p->se.vruntime -= p->se.cfs_rq->min_vruntime;
	p->moved = true;
	p->throttle_work = false;
	detach_load(lab, &p->se);
}
