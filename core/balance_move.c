/* SPDX-License-Identifier: MIT */
/*
 * balance_move.c - which tasks of the busiest CPU are taken.
 *
 *	rq.smp.cfs_tasks:   most recently queued or picked ... least recently
 *	                    refused ones go here <------------ the search begins here, for so many looks (sched_nr_migrate)
 *
 * Tasks of a group that is off its CPU by a limit are on that list too (to 6.17): they are looked at, refused, and use up the looks.
 * A task is refused for good reason only once: what is hot or too heavy now is taken when enough attempts have failed.
 *
 * Law (check.c): a task is on the list of its CPU if and only if it is queued there and fair.
 * Rules: docs/rules/smp.md 4.6, smp-checked.md A5 to A8.
 */
#include "core/balance.h"
#include "core/eevdf.h"
#include "core/gather.h"
#include "core/verbs.h"

/* ---- may this one go? ---- */

/* Rule lb_delayed: to 6.13 sleepers that are still queued are moved like others, from 6.14 only where the size is in load. */
static bool sleeper_stays(const struct lb_env *env, const struct task_struct *p)
{
	return p->se.sched_delayed && lab_rule(env->lab, LB_DELAYED) == LB_DELAYED_LOAD && env->by != MIGRATE_LOAD;
}

/* Is @tg kept from running on @cpu, by a limit at any level? */
static bool throttled_there(struct lab *lab, const struct task_group *tg, int cpu)
{
	const struct cfs_rq *cfs_rq;

	while (!(cfs_rq = group_cfs_rq(lab, tg, cpu)))
		tg = tg->parent;
	return throttled_hierarchy(cfs_rq);
}

/* Rule bw_throttle: to 6.17 a limit here keeps it, too; from 6.18 what is parked is on no list. */
static bool limit_forbids(const struct lb_env *env, const struct task_struct *p)
{
	if (cut_off(env->lab, p->se.cfs_rq))
		return true;
	return throttled_there(env->lab, p->tg, env->dst->cpu);
}

/* Rule lb_ineligible: from 6.14 one that has run ahead of its queue does not go where others wait, the first time. */
static bool has_run_ahead(const struct lb_env *env, const struct task_struct *p)
{
	const struct cfs_rq *there;

	if (!lab_rule(env->lab, LB_INELIGIBLE) || !lab_rule(env->lab, PLACE_LAG) || env->sd->nr_balance_failed)
		return false;
	there = group_cfs_rq(env->lab, p->tg, env->dst->cpu);
	return there && there->nr_running && !eevdf_eligible(env->lab, p->se.cfs_rq, &p->se);
}

/* Rule lb_kthread: from 5.13, and in 5.10.y (9bcb959d05ee), one that is made for its CPU is passed over as if it were not there. */
static bool belongs_here(const struct lb_env *env, const struct task_struct *p)
{
	return lab_rule(env->lab, LB_KTHREAD) == LB_KTHREAD_SKIPPED && p->kthread && p->nr_cpus_allowed == 1;
}

/* Rule gather: its group is on as many CPUs as it may, and @cpu is none of them. */
static bool gathered_elsewhere(const struct lb_env *env, const struct task_struct *p, int cpu)
{
	enum gather_ask ask = env->flags & LB_ACTIVE ? GATHER_ASKED_IN_NEED : env->idle == LB_NEWIDLE ? GATHER_ASKED_BY_CHANCE : GATHER_ASKED;

	return gathers(env->lab) && gather_refuses(env->lab, p, cpu, ask);
}

/* Its group has CPUs of its own, and @dst is none of them: like one that is hot it comes after enough failures. */
static bool stays_home(const struct lb_env *env, const struct task_struct *p)
{
	bool in_need = env->flags & LB_ACTIVE || env->sd->nr_balance_failed > env->sd->cache_nice_tries;
	enum gather_ask ask = env->idle == LB_NEWIDLE ? GATHER_ASKED_BY_CHANCE : in_need ? GATHER_ASKED_IN_NEED : GATHER_ASKED;

	return gathers(env->lab) && gather_keeps_home(env->lab, p, env->dst->cpu, ask);
}

/* It may not come to @dst.  Could it go to another CPU of the same group? */
static void note_pinned(struct lb_env *env, const struct task_struct *p)
{
	struct lab *lab = env->lab;
	int cpu;

	env->flags |= LB_SOME_PINNED;
	if (!env->dst_span || env->flags & (LB_DST_PINNED | LB_ACTIVE))
		return;
	for_each_bit(cpu, env->dst_span, lab->cfg.nr_cpus) {
		if (!bit_test(env->cpus, cpu) || !bit_test(p->cpus_allowed, cpu) || gathered_elsewhere(env, p, cpu))
			continue;
		env->flags |= LB_DST_PINNED;
		env->new_dst = cpu_rq(lab, cpu);
		return;
	}
}

static bool is_buddy(const struct task_struct *p)
{
	return p->se.cfs_rq->next == &p->se || p->se.cfs_rq->last == &p->se;
}

/* Its cache is still warm: it ran here less than sched_migration_cost ago.  One that came from another CPU and has not run since never is. */
static bool task_hot(const struct lb_env *env, const struct task_struct *p)
{
	u64 cost = env->lab->model.param[PARAM_MIGRATION_COST];

	if (p->policy == SCHED_IDLE || env->sd->flags & SD_SHARE_CPUCAPACITY)
		return false;
	if (env->dst->nr_running && is_buddy(p))
		return true;
	return cost && p->se.exec_start && env->src->clock - p->se.exec_start < cost;
}

/* Rule active_kick: to 5.12 the stopper minds what is hot like everybody. */
static bool heat_matters(const struct lb_env *env)
{
	return !(env->flags & LB_ACTIVE) || lab_rule(env->lab, ACTIVE_KICK) == ACTIVE_KICK_SETTLES;
}

static bool can_migrate_task(struct lb_env *env, struct task_struct *p)
{
	if (sleeper_stays(env, p) || limit_forbids(env, p) || has_run_ahead(env, p) || belongs_here(env, p))
		return false;
	if (!bit_test(p->cpus_allowed, env->dst->cpu)) {
		note_pinned(env, p);
		return false;
	}
	if (gathered_elsewhere(env, p, env->dst->cpu)) {
		env->flags |= LB_GATHERED;
		note_pinned(env, p);
		return false;
	}
	env->flags &= ~LB_ALL_PINNED;
	if (env->src->curr == p)
		return false;
	env->flags |= LB_WAITING;
	if (stays_home(env, p))
		return false;
	if (heat_matters(env) && task_hot(env, p))
		return env->sd->nr_balance_failed > env->sd->cache_nice_tries;
	return true;
}

/* ---- taking them ---- */

/* Rule lb_order: to 4.14 from the most recently queued end of the list, from 4.15 (93824900a2e2) from the other. */
static bool from_the_tail(const struct lab *lab) { return lab_rule(lab, LB_ORDER) == LB_ORDER_PICKED; }

static struct task_struct *next_to_look_at(const struct lb_env *env)
{
	struct list_head *tasks = &env->src->smp.cfs_tasks;

	if (list_empty(tasks))
		return NULL;
	return list_entry(from_the_tail(env->lab) ? tasks->prev : tasks->next, struct task_struct, group_node);
}

static void look_again_later(const struct lb_env *env, struct task_struct *p)
{
	struct list_head *tasks = &env->src->smp.cfs_tasks;

	list_del(&p->group_node);
	if (from_the_tail(env->lab))
		list_add(&p->group_node, tasks);
	else
		list_add_tail(&p->group_node, tasks);
}

/* A wait goes on, in one piece, on the clock and under the limits of another CPU. */
static void carry_wait(struct task_struct *p, const struct cfs_rq *from)
{
	const struct cfs_rq *to = p->se.cfs_rq;
	u64 waited = from->rq->clock - p->wait_start, throttled = hierarchy_throttled_time(from) - p->wait_hierarchy;

	p->wait_start = to->rq->clock - waited;
	p->wait_hierarchy = hierarchy_throttled_time(to) - throttled;
}

/* False where its group has no memory on the other CPU: it stays. */
static bool detach_task(struct lb_env *env, struct task_struct *p)
{
	struct lab *lab = env->lab;
	const struct cfs_rq *from = p->se.cfs_rq;

	if (p->tg->parent && !group_pair_make(lab, p->tg, env->dst->cpu))
		return false;
	update_rq_clock(env->dst);
	dequeue_task_fair(env->src, p, 0);
	lab->move_cause = env->cause;
	set_task_cpu(lab, p, env->dst->cpu);
	lab->move_cause = MOVE_WAKEUP;
	carry_wait(p, from);
	return true;
}

/* Rule newidle_amount: preemptible kernels, and those of 5.16 and later that may be switched to it, take one at a time when newly idle. */
static bool one_is_enough(const struct lb_env *env)
{
	if (env->idle != LB_NEWIDLE)
		return false;
	return lab_rule(env->lab, NEWIDLE_AMOUNT) == NEWIDLE_AMOUNT_ONE || env->lab->cfg.preempt >= PREEMPT_FULL;
}

u32 detach_tasks(struct lb_env *env)
{
	u32 taken = 0;

	while (env->imbalance > 0) {
		struct task_struct *p = next_to_look_at(env);

		if (!p || (env->idle != LB_BUSY && env->src->nr_running <= 1) || env->loop++ >= env->loop_max)
			break;
		if (!can_migrate_task(env, p) || env->lab->balance->too_big(env, p) || !detach_task(env, p)) {
			look_again_later(env, p);
			continue;
		}
		list_add(&p->group_node, &env->tasks);
		taken++;
		if (one_is_enough(env))
			break;
	}
	return taken;
}

/* The stopper's: the first that may go, from the same end. */
struct task_struct *detach_one_task(struct lb_env *env)
{
	struct list_head *tasks = &env->src->smp.cfs_tasks, *pos = tasks;
	bool tail = from_the_tail(env->lab);

	for (pos = tail ? tasks->prev : tasks->next; pos != tasks; pos = tail ? pos->prev : pos->next) {
		struct task_struct *p = list_entry(pos, struct task_struct, group_node);

		if (can_migrate_task(env, p))
			return detach_task(env, p) ? p : NULL;
	}
	return NULL;
}

/* ---- and giving them to the destination ---- */

void attach_task(struct rq *rq, struct task_struct *p)
{
	enqueue_task_fair(rq, p, 0);
	check_preempt(rq, p, 0);
}

/* A newly idle CPU is about to pick: nobody there is to be asked to leave. */
void attach_tasks(struct lb_env *env)
{
	while (!list_empty(&env->tasks)) {
		struct task_struct *p = list_entry(env->tasks.next, struct task_struct, group_node);

		list_del(&p->group_node);
		if (env->idle == LB_NEWIDLE)
			enqueue_task_fair(env->dst, p, 0);
		else
			attach_task(env->dst, p);
	}
}
