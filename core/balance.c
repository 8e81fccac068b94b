/* SPDX-License-Identifier: MIT */
/*
 * balance.c - one attempt to even out one level: is it this CPU's to make, from whom, and what follows from the outcome.
 *
 *	designated? --no--> "balanced"
 *	    |
 *	busiest group --> busiest queue --> tasks moved? --yes--> failed = 0, interval least
 *	    |                 ^                 |
 *	  none: "balanced"    '--- all pinned --+--no--> failed + 1; after enough of them the stopper is sent for what runs there
 *
 *	"balanced": failed = 0, and the next look is twice as far away
 *
 * Law (tests/smp/balance.c): failed counts attempts in a row that found something to move and moved nothing.
 * Rules: docs/rules/smp.md 4.2, 4.7 to 4.9.
 */
#include "core/balance.h"

#define MAX_PINNED_INTERVAL 512 /* ms */

/* ---- what an attempt learns about the level as a whole ---- */

void level_was_seen(struct lb_env *env, bool crowded, u64 util)
{
	struct lab *lab = env->lab;

	if (env->sd->shared && env->idle != LB_NEWIDLE)
		update_idle_scan(lab, env->sd, util);
	if (!env->sd->parent)
		lab->smp.overloaded = crowded;
}

/* ---- whose attempt is it? ---- */

/* @cpu is idle; are the other threads of its core?  Those without a stain are. */
static bool core_is_idle(struct lab *lab, int cpu)
{
	const struct rq_smp *smp = &cpu_rq(lab, cpu)->smp;
	u64 w;
	int i;

	for_each_word(i, w, smp->smt_words) {
		u64 left = smp->smt[i] & lab->smp.stained[i];

		for (; left; left &= left - 1)
			if (!cpu_is_idle(cpu_rq(lab, 64 * i + __builtin_ctzll(left))))
				return false;
	}
	return true;
}

/*
 * The CPU that balances for the local group: its first idle one, else its first.  Rule lb_designated: from 6.6 (b1bfeab9b002), above the
 * level of threads, one whose whole core is idle comes before the others.
 */
static int designated_cpu(struct lab *lab, const struct sched_domain *sd, const u64 *cpus)
{
	const struct sched_group *group = sd->groups[0];
	bool cores = lab_rule(lab, LB_DESIGNATED) == LB_DESIGNATED_CORE && !(sd->flags & SD_SHARE_CPUCAPACITY);
	int i, cpu = group->first_cpu, half_idle = -1;
	u64 w;

	if (bit_test(cpus, cpu) && !bit_test(lab->smp.stained, cpu) && (!cores || core_is_idle(lab, cpu)))
		return cpu; /* as for most groups of a machine that sleeps */
	for_each_word(i, w, group->words) {
		u64 left = group->balance_mask[i] & cpus[i];

		for (; left; left &= left - 1) {
			cpu = 64 * i + __builtin_ctzll(left);
			if (!cpu_is_idle(cpu_rq(lab, cpu)))
				continue;
			if (!cores || core_is_idle(lab, cpu))
				return cpu;
			if (half_idle < 0)
				half_idle = cpu;
		}
	}
	return half_idle >= 0 ? half_idle : group->first_cpu;
}

/* Rule newidle_pending: from 6.1 one that has got work meanwhile, or is about to, does not go on. */
static bool newidle_goes_on(const struct lb_env *env)
{
	return !lab_rule(env->lab, NEWIDLE_PENDING) || (!env->dst->nr_running && !env->dst->smp.ttwu_pending);
}

static bool should_we_balance(const struct lb_env *env)
{
	if (!bit_test(env->cpus, env->dst->cpu))
		return false;
	if (env->idle == LB_NEWIDLE)
		return newidle_goes_on(env);
	if (env->sd->groups[0]->weight == 1)
		return true;
	return designated_cpu(env->lab, env->sd, env->cpus) == env->dst->cpu;
}

/* ---- the flag for the level above: affinity kept this one from evening out ---- */

static void set_parents_flag(const struct lb_env *env)
{
	if (!env->sd->parent || !(env->flags & LB_SOME_PINNED) || env->imbalance <= 0)
		return;
	env->sd->parent->groups[0]->imbalance = true;
	env->lab->smp.told_above = true;
}

static void clear_parents_flag(const struct lb_env *env)
{
	if (env->sd->parent && !(env->flags & LB_ALL_PINNED))
		env->sd->parent->groups[0]->imbalance = false;
}

/* ---- nothing could be moved: what runs there? ---- */

/* Rule active_cause: to 5.11 whatever the size is counted in, from 5.12 (e9b9734b7465) only a size in tasks. */
static bool has_failed_enough(const struct lb_env *env)
{
	if (lab_rule(env->lab, ACTIVE_CAUSE) == ACTIVE_CAUSE_TASKS && env->by != MIGRATE_TASK)
		return false;
	return env->sd->nr_balance_failed > env->sd->cache_nice_tries + 2;
}

/* The source has one task and has lost capacity to other classes, which the idle destination has not. */
static bool is_held_up(const struct lb_env *env)
{
	const struct rq_smp *src = &env->src->smp, *dst = &env->dst->smp;
	u64 pct = env->sd->imbalance_pct;

	return env->idle != LB_BUSY && env->src->cfs.h_nr_running == 1 && src->capacity * pct < src->capacity_orig * 100 &&
	       src->capacity * pct < dst->capacity * 100;
}

static bool needs_active_balance(const struct lb_env *env) { return is_held_up(env) || has_failed_enough(env); }

/*
 * Rule active_kick: to 5.12 sending the stopper sets failed to tries + 1, so that it takes two more failures before the next one goes, and
 * doubles the interval; from 5.12 failures go on counting and each sends one.
 */
static bool kick_settles(const struct lab *lab) { return lab_rule(lab, ACTIVE_KICK) == ACTIVE_KICK_SETTLES; }

static void send_stopper(struct lb_env *env)
{
	stop_for_balance(env->src, env->dst->cpu);
	if (kick_settles(env->lab))
		env->sd->nr_balance_failed = env->sd->cache_nice_tries + 1;
}

/* ---- outcomes ---- */

static void interval_grows(struct lb_env *env)
{
	struct sched_domain *sd = env->sd;

	if (env->idle == LB_NEWIDLE)
		return;
	if ((env->flags & LB_ALL_PINNED && sd->balance_interval < MAX_PINNED_INTERVAL) || sd->balance_interval < sd->max_interval)
		sd->balance_interval *= 2;
}

static u32 all_pinned(struct lb_env *env)
{
	env->sd->nr_balance_failed = 0;
	interval_grows(env);
	return 0;
}

static u32 balanced(struct lb_env *env)
{
	clear_parents_flag(env);
	return all_pinned(env);
}

/* The idle thread of a CPU whose queued task has not got it yet is bound to it. */
static bool may_come(const struct lb_env *env)
{
	const struct task_struct *curr = env->src->curr;

	return !task_is_idle_thread(curr) && bit_test(curr->cpus_allowed, env->dst->cpu);
}

/* Rule gather: all who wait there are kept from coming on purpose.  That is no failure: it would make the stopper push who runs there. */
static bool only_gathered(const struct lb_env *env) { return (env->flags & (LB_GATHERED | LB_WAITING)) == LB_GATHERED; }

static u32 moved_nothing(struct lb_env *env)
{
	struct sched_domain *sd = env->sd;

	if (env->idle != LB_NEWIDLE && !only_gathered(env))
		sd->nr_balance_failed++;
	if (only_gathered(env) || !needs_active_balance(env)) {
		sd->balance_interval = sd->min_interval;
		return 0;
	}
	if (!may_come(env)) { /* what runs there may not come either */
		env->flags |= LB_ALL_PINNED;
		interval_grows(env);
		return 0;
	}
	send_stopper(env);
	if (!kick_settles(env->lab))
		sd->balance_interval = sd->min_interval;
	else if (sd->balance_interval < sd->max_interval)
		sd->balance_interval *= 2;
	return 0;
}

static u32 moved_some(struct lb_env *env, u32 moved)
{
	env->sd->nr_balance_failed = 0;
	env->sd->balance_interval = env->sd->min_interval;
	return moved;
}

/* ---- the attempt ---- */

/* Take from env->src what may be taken; where all that is left is pinned there but not to a neighbour of @dst, that one gets it. */
static u32 pull(struct lb_env *env)
{
	u32 moved = 0;

	env->flags = (env->flags & ~(LB_GATHERED | LB_WAITING)) | LB_ALL_PINNED;
	env->loop = 0;
	env->loop_max = env->src->nr_running;
	if (env->loop_max > env->lab->model.param[PARAM_NR_MIGRATE])
		env->loop_max = (u32)env->lab->model.param[PARAM_NR_MIGRATE];
	for (;;) {
		moved += detach_tasks(env);
		attach_tasks(env);
		if (!(env->flags & LB_DST_PINNED) || env->imbalance <= 0)
			return moved;
		bit_clear(env->cpus, env->dst->cpu);
		env->dst = env->new_dst;
		env->flags &= ~LB_DST_PINNED;
		env->loop = 0;
	}
}

/* Does anybody but the local group's own CPUs stay in consideration? */
static bool others_left(const struct lb_env *env)
{
	const u64 *local = env->sd->groups[0]->span;
	u64 w;
	int i;

	for_each_word(i, w, env->sd->words)
		if (env->cpus[i] & ~local[i])
			return true;
	return false;
}

/* False: all that is there is pinned; the CPU is out of consideration, and others are left to be tried. */
static bool try_queue(struct lb_env *env, struct rq *busiest, u32 *result)
{
	u32 moved = 0;

	env->src = busiest;
	if (busiest->nr_running > 1) {
		update_rq_clock(busiest);
		moved = pull(env);
		set_parents_flag(env);
		if (env->flags & LB_ALL_PINNED) {
			bit_clear(env->cpus, busiest->cpu);
			if (others_left(env))
				return false;
			*result = all_pinned(env);
			return true;
		}
	}
	*result = moved ? moved_some(env, moved) : moved_nothing(env);
	return true;
}

static u32 attempt(struct lb_env *env, bool *designated)
{
	const struct balance_ops *ops = env->lab->balance;
	u32 result;

	for (;;) {
		struct sched_group *group;
		struct rq *busiest;

		*designated = should_we_balance(env);
		if (!*designated)
			return balanced(env);
		group = ops->busiest_group(env);
		busiest = group ? ops->busiest_queue(env, group) : NULL;
		if (!busiest)
			return balanced(env);
		if (try_queue(env, busiest, &result))
			return result;
	}
}

/*
 * Nothing can come of an attempt by an idle CPU between single CPUs of which none has two tasks.  Proof.  A level whose groups are one CPU each
 * has no child, so no group there is imbalanced or prefers siblings, and none is a core of threads.  balance_new.c: a group of one CPU
 * with one task is never overloaded, so no_gain() is asked, and says yes: not busy, weight 1, one task.  balance_old.c: nor is it
 * there, without company no CPU is lopsided, and an idle CPU (not a newly idle one) finds that its one idle CPU is not more than 0 + 1.
 * So what follows is balanced(); what else the attempt would do is in look_around().  (A lowest level need not be of that kind: where one thread
 * of a core is offline the other has no level of threads, and sees whole cores beside it.)
 */
bool cannot_gain(const struct lab *lab, const struct sched_domain *sd, enum idle_type idle)
{
	return idle == LB_IDLE && sd->nr_groups == sd->span_weight && !lab->smp.nr_crowded && !lab->rt_seen && !lab->cfg.no_skip;
}

/* What an attempt learns besides (level_was_seen), of a level where nobody has two tasks. */
static void look_around(struct lb_env *env)
{
	struct lab *lab = env->lab;
	struct sched_domain *sd = env->sd;
	u64 util = 0, left, w;
	int i;

	for_each_word(i, w, sd->shared && lab_rule(lab, SIS_UTIL) ? sd->words : 0) {
		for (left = sd->span[i] & lab->smp.stained[i]; left; left &= left - 1) {
			struct rq *rq = cpu_rq(lab, 64 * i + __builtin_ctzll(left));

			util += cpu_util(rq);
			if (is_blank(rq))
				found_blank(rq);
		}
	}
	level_was_seen(env, false, util);
}

/*
 * Is it that nobody at @sd but the local group has anything, so that there is no busiest group, and that nobody wants to know more of the level than
 * that no CPU has two tasks?
 */
static bool is_desert(const struct lab *lab, const struct sched_domain *sd)
{
	const u64 *local = sd->groups[0]->span, *stained = lab->smp.stained;
	u64 w;
	int i;

	if (sd->shared || lab->smp.nr_crowded)
		return false;
	for_each_word(i, w, sd->words)
		if (sd->span[i] & ~local[i] & stained[i])
			return false;
	return true;
}

/* A look at @sd that finds nothing tells nobody of the utilisation or of CPUs with two tasks. */
static bool is_of_no_interest(const struct sched_domain *sd) { return !sd->shared && sd->parent; }

static bool look_finds_nothing(struct rq *rq, struct sched_domain *sd)
{
	struct lab *lab = rq->lab;
	struct lb_env env = { .lab = lab, .sd = sd, .dst = rq, .idle = LB_IDLE, .cpus = sd->span };

	if (cannot_gain(lab, sd, LB_IDLE)) {
		look_around(&env);
		return true;
	}
	return !lab->balance->busiest_group(&env);
}

bool finds_nothing(struct rq *rq, struct sched_domain *sd, bool *designated)
{
	struct lab *lab = rq->lab;

	*designated = sd->groups[0]->weight == 1 || designated_cpu(lab, sd, sd->span) == rq->cpu;
	if (*designated && !(is_of_no_interest(sd) && cannot_gain(lab, sd, LB_IDLE))) {
		if (is_desert(lab, sd))
			lab->smp.overloaded &= sd->parent != NULL;
		else if (!look_finds_nothing(rq, sd))
			return false;
	}
	if (sd->parent)
		sd->parent->groups[0]->imbalance = false;
	sd->nr_balance_failed = 0;
	if (sd->balance_interval < sd->max_interval)
		sd->balance_interval *= 2;
	return true;
}

u32 load_balance(struct rq *rq, struct sched_domain *sd, enum idle_type idle, enum move_cause cause, bool *designated)
{
	struct lab *lab = rq->lab;
	struct lb_env env = {
		.lab = lab, .sd = sd, .dst = rq, .idle = idle, .cpus = lab->smp.lb_cpus, .cause = cause,
		.dst_span = idle == LB_NEWIDLE ? NULL : sd->groups[0]->span,
	};
	int i;

	if (cannot_gain(lab, sd, idle)) {
		*designated = true;
		look_around(&env);
		return balanced(&env);
	}
	take_rt_from_capacity(lab, sd);
	list_init(&env.tasks);
	for (i = 0; i < BITS_WORDS(lab->cfg.nr_cpus); i++)
		env.cpus[i] = sd->span[i];
	return attempt(&env, designated);
}
