/* SPDX-License-Identifier: MIT */
/*
 * gather_width.c - rule gather=adaptive: who is throttled gets fewer CPUs, period by period; who is not, more.
 *
 *	throttled in two periods on end, and in each from then on	one CPU less, down to quota / period, rounded up
 *	not throttled in ten periods, or one waited long in one		twice as many
 *
 * A group starts as wide as it likes, and one that never meets its quota stays so.  How wide it may be is used as active_set uses quota / period
 * (gather.c).  At each refill the CPUs that are too many are those where the group ran least; its tasks there go over to the others when they wake, or,
 * where its quota has stopped them, before it is filled again.
 * A long wait counts only in a period that was not throttled: in the others it is the quota that made it, and more CPUs would not help.
 * Law: width is 0, or at least quota / period; what is dropped is so until the next refill.
 * Rules: docs/rules/smp.md 13 (policy C).
 */
#include "core/gather_impl.h"

#define NARROWS_AFTER 2 /* periods */
#define WIDENS_AFTER 10
#define LONG_WAIT (5 * MS)

/* ---- the width ---- */

int gather_width(const struct task_group *tg)
{
	int k = gather_cpus_of_limit(tg), width = tg->gather.width;

	return !k || !width ? 0 : width > k ? width : k;
}

static u64 ran_here(struct lab *lab, const struct group_pair *pair, int cpu)
{
	settle_ticks(cpu_rq(lab, cpu));
	return pair->cfs_rq.charged - pair->cfs_rq.charged_before;
}

/* So wide it is by itself: as many CPUs as it has run on since the last refill, or as it has tasks that want to run. */
static int widest(struct lab *lab, const struct task_group *tg)
{
	u32 wanted = 0, used = 0;
	int cpu;

	for_each_bit(cpu, lab->smp.online, lab->cfg.nr_cpus) {
		const struct group_pair *pair = group_pair(tg, cpu);

		wanted += gather_nr_of_group(lab, tg, cpu);
		used += pair && ran_here(lab, pair, cpu);
	}
	return (int)min_u64(max_u64(wanted, used), (u64)lab->nr_online);
}

static void narrow(struct lab *lab, struct task_group *tg)
{
	int most = widest(lab, tg), width = gather_width(tg);

	if (!width || width > most)
		width = most;
	if (width > gather_cpus_of_limit(tg))
		tg->gather.width = width - 1;
}

static void widen(const struct lab *lab, struct task_group *tg)
{
	int width = 2 * gather_width(tg);

	tg->gather.width = width < lab->nr_online ? width : 0;
	tg->gather.clean = 0;
}

/* @periods more have passed without a throttle; the timer does not count those in which nobody ran, the clock does. */
static void count_clean(struct lab *lab, struct task_group *tg, u64 periods)
{
	u64 passed = tg->gather.seen ? (lab_ktime(lab) - tg->gather.seen) / tg->cfs_bandwidth.period : 0;

	tg->gather.throttled = 0;
	tg->gather.clean += (u32)min_u64(WIDENS_AFTER, max_u64(periods, passed));
	if (tg->gather.clean >= WIDENS_AFTER || tg->gather.waited)
		widen(lab, tg);
}

static void count_throttled(struct lab *lab, struct task_group *tg)
{
	tg->gather.clean = 0;
	if (tg->gather.throttled < NARROWS_AFTER)
		tg->gather.throttled++;
	if (tg->gather.throttled >= NARROWS_AFTER)
		narrow(lab, tg);
}

/* ---- CPUs that are too many ---- */

/* One of the group is there that may not leave: the CPU stays a member, and takes the place of another. */
static bool has_bound(struct lab *lab, const struct task_group *tg, int cpu)
{
	const struct list_head *pos;

	list_for_each(pos, &cpu_rq(lab, cpu)->smp.cfs_tasks) {
		const struct task_struct *p = list_entry(pos, struct task_struct, group_node);

		if (p->nr_cpus_allowed == 1 && gather_is_below(p->tg, tg))
			return true;
	}
	return false;
}

/* The member with the least runtime since the last refill, the highest of equals; -1: none may be dropped. */
static int least_used(struct lab *lab, const struct task_group *tg)
{
	u64 least = 0;
	int cpu, best = -1;

	for_each_bit(cpu, lab->smp.online, lab->cfg.nr_cpus) {
		u64 ran;

		if (!gather_is_active(lab, tg, cpu) || has_bound(lab, tg, cpu))
			continue;
		ran = ran_here(lab, group_pair(tg, cpu), cpu);
		if (best < 0 || ran <= least) {
			best = cpu;
			least = ran;
		}
	}
	return best;
}

/* @p, which does not run, to the CPU of the set with the fewest of the group. */
static void move_to_set(struct lab *lab, const struct gathered *g, struct task_struct *p)
{
	int cpu = gather_least_of_set(lab, g, p, p->cpu);

	if (cpu >= 0 && cpu != p->cpu)
		push_task_to(lab, p, cpu);
}

/* Who is parked there: tasks that a limit has stopped one by one. */
static void move_parked(struct lab *lab, const struct gathered *g, int cpu)
{
	const struct task_group *tg;

	for_each_group_below(tg, g->tg) {
		struct group_pair *pair = group_pair(tg, cpu);
		struct list_head *pos, *next;

		if (!pair)
			continue;
		for (pos = pair->cfs_rq.limbo.next; pos != &pair->cfs_rq.limbo; pos = next) {
			struct task_struct *p = list_entry(pos, struct task_struct, limbo);

			next = pos->next;
			if (lab->rqs[cpu].curr != p)
				move_to_set(lab, g, p);
		}
	}
}

static void evacuate(struct lab *lab, const struct gathered *g, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);
	struct list_head *pos, *next;

	for (pos = rq->smp.cfs_tasks.next; pos != &rq->smp.cfs_tasks; pos = next) {
		struct task_struct *p = list_entry(pos, struct task_struct, group_node);

		next = pos->next;
		if (rq->curr != p && gather_is_below(p->tg, g->tg) && throttled_hierarchy(p->se.cfs_rq))
			move_to_set(lab, g, p);
	}
	move_parked(lab, g, cpu);
}

static void drop_surplus(struct lab *lab, struct task_group *tg)
{
	struct gathered g = { tg, gather_width(tg), -1 };
	struct group_pair *pair;
	int cpu, surplus;

	for_each_pair(lab, tg, cpu, pair)
		pair->cfs_rq.dropped = false;
	for (surplus = g.limit ? gather_nr_active(lab, tg) - g.limit : 0; surplus > 0; surplus--) {
		cpu = least_used(lab, tg);
		if (cpu < 0)
			break;
		group_pair(tg, cpu)->cfs_rq.dropped = true;
	}
	for_each_pair(lab, tg, cpu, pair)
		if (pair->cfs_rq.dropped && pair->cfs_rq.throttled)
			evacuate(lab, &g, cpu);
	for_each_pair(lab, tg, cpu, pair)
		pair->cfs_rq.charged_before = pair->cfs_rq.charged;
}

/* ---- what is told ---- */

void gather_period(struct lab *lab, struct task_group *tg, u64 periods, bool throttled)
{
	if (lab_rule(lab, GATHER) != GATHER_ADAPTIVE)
		return;
	if (throttled)
		count_throttled(lab, tg);
	else
		count_clean(lab, tg, periods);
	tg->gather.seen = lab_ktime(lab);
	tg->gather.waited = false;
	drop_surplus(lab, tg);
}

void gather_width_picked(struct task_struct *next)
{
	u64 waited = next->wait_contended - next->gather_waited;
	struct task_group *tg;

	next->gather_waited = next->wait_contended;
	if (waited <= LONG_WAIT)
		return;
	for (tg = next->tg; tg->parent; tg = tg->parent)
		tg->gather.waited = true;
}
