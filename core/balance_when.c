/* SPDX-License-Identifier: MIT */
/*
 * balance_when.c - when a CPU looks for work on others, and at which levels.
 *
 *	tick:  jiffies >= next_balance? --> softirq --> levels bottom up, each that is due --> next_balance = the first that will be
 *
 *	interval of a level: as many ms as it has CPUs, up to twice that where it was found balanced;
 *	                     sixteen (before 5.10: 32) times as long while this CPU has work
 *
 * All of it is counted in ticks.  Where every task is bound to one CPU nothing is done at all: there is nothing to find, and nobody
 * would see the difference.
 * Rules: docs/rules/smp.md 1.6, 4.1.
 */
#include "core/balance.h"

/* ---- intervals ---- */

static u64 ms_to_jiffies(const struct lab *lab, u64 ms) { return (ms * lab->cfg.hz + 999) / 1000; }

/* However long a level has been balanced, it is looked at again after a tenth of a second for each CPU. */
static u64 longest_interval(const struct lab *lab) { return (u64)lab->cfg.hz * (u64)lab->nr_online / 10; }

/* Rule busy_interval: from 5.10 (e4d32e4d5444) busy CPUs look one tick earlier, so that levels do not meet at one moment. */
u64 level_interval(const struct lab *lab, const struct sched_domain *sd, bool busy)
{
	u64 interval = ms_to_jiffies(lab, sd->balance_interval * (busy ? sd->busy_factor : 1));

	if (busy && lab_rule(lab, BUSY_INTERVAL) == BUSY_INTERVAL_LESS && interval)
		interval--;
	return max_u64(1, min_u64(interval, longest_interval(lab)));
}

/* The same for an idle CPU.  It is asked for much more often than an interval changes. */
u64 idle_interval(const struct lab *lab, struct sched_domain *sd)
{
	if (sd->interval_of != sd->balance_interval) {
		sd->interval_of = sd->balance_interval;
		sd->idle_interval = level_interval(lab, sd, false);
	}
	return sd->idle_interval;
}

/* Rule lb_sched_idle: from 5.6 (323af6deaf70) a CPU that has only SCHED_IDLE tasks looks as often as an idle one. */
static bool is_busy(const struct rq *rq, enum idle_type idle)
{
	if (idle == LB_IDLE)
		return false;
	return !(lab_rule(rq->lab, LB_SCHED_IDLE) && rq->nr_running && rq->nr_running == rq->cfs.h_nr_idle);
}

/* ---- what newly idle balances cost: the most is remembered, and forgotten by 1 part in 85 a second ---- */

bool newidle_cost_seen(struct lab *lab, struct sched_domain *sd, u64 cost)
{
	u64 jiffies = lab_jiffies(lab);

	if (cost > sd->max_newidle_lb_cost) {
		sd->max_newidle_lb_cost = cost;
		sd->last_decay_max_lb_cost = jiffies;
	} else if (jiffies > sd->last_decay_max_lb_cost + lab->cfg.hz) {
		sd->max_newidle_lb_cost = sd->max_newidle_lb_cost * 253 / 256;
		sd->last_decay_max_lb_cost = jiffies;
		return true;
	}
	return false;
}

/* ---- one level ---- */

/*
 * Between nodes one CPU of the machine balances at a time.  Rule lb_serialized: who comes meanwhile tries again at its next tick, or
 * (7.2) takes the level for balanced.
 */
static bool level_is_taken(const struct lab *lab, const struct sched_domain *sd)
{
	return sd->flags & SD_SERIALIZE && before(lab->pf.ktime(lab->pf.ctx), lab->smp.serial_until);
}

static void take_for_balanced(struct sched_domain *sd, u64 jiffies)
{
	sd->nr_balance_failed = 0;
	if (sd->balance_interval < sd->max_interval)
		sd->balance_interval *= 2;
	sd->last_balance = jiffies;
}

/* The time it took: of a serialised level at once, as others wait for its end; else with the rest of this softirq. */
static void spend_on(struct lab *lab, const struct sched_domain *sd, bool designated)
{
	if (!designated)
		return;
	if (sd->flags & SD_SERIALIZE)
		lab->smp.serial_until = lab_ktime(lab) + lab->pf.spend(lab->pf.ctx, lab->smp.softirq_cpu, COST_NEWIDLE, (u32)sd->span_weight);
	else
		lab->smp.visited += (u32)sd->span_weight;
}

struct pass {
	u64 jiffies;
	enum idle_type idle;
	bool busy, goes_on;
};

static void balance_level(struct rq *rq, struct sched_domain *sd, struct pass *pass, enum move_cause cause)
{
	struct lab *lab = rq->lab;

	if (pass->jiffies < sd->last_balance + level_interval(lab, sd, pass->busy))
		return;
	if (level_is_taken(lab, sd)) {
		if (lab_rule(lab, LB_SERIALIZED) == LB_SERIALIZED_BALANCED)
			take_for_balanced(sd, pass->jiffies);
		return;
	}
	if (load_balance(rq, sd, pass->idle, cause, &pass->goes_on)) {
		pass->idle = cpu_is_idle(rq) ? LB_IDLE : LB_BUSY;
		pass->busy = is_busy(rq, pass->idle);
	}
	spend_on(lab, sd, pass->goes_on);
	sd->last_balance = pass->jiffies;
}

/* Until when an idle @rq, whose levels above the lowest are due at @upper_due, has to look at nothing but that. */
static void set_quiet(struct rq *rq, u64 upper_due)
{
	struct sched_domain *sd = rq->smp.sd;

	rq->smp.quiet_until = 0;
	if (!sd->parent || sd->shared || sd->nr_groups != sd->span_weight)
		return;
	rq->smp.lowest_interval = idle_interval(rq->lab, sd);
	rq->smp.upper_due = upper_due;
	rq->smp.quiet_until = min_u64(rq->smp.costs_due, upper_due - 1);
}

/* The same, and until when no cost is old enough to be forgotten, after a walk over the levels. */
static void note_quiet(struct rq *rq, enum idle_type idle)
{
	struct lab *lab = rq->lab;
	struct sched_domain *sd = rq->smp.sd;
	u64 due = UINT64_MAX, forgets = sd->last_decay_max_lb_cost + lab->cfg.hz;

	rq->smp.quiet_until = rq->smp.costs_due = 0;
	if (idle != LB_IDLE || !load_is_forgotten(&rq->cfs))
		return;
	for (sd = sd->parent; sd; sd = sd->parent) {
		due = min_u64(due, sd->last_balance + idle_interval(lab, sd));
		forgets = min_u64(forgets, sd->last_decay_max_lb_cost + lab->cfg.hz);
	}
	rq->smp.costs_due = forgets;
	set_quiet(rq, due);
}

#define LONG_TIME 60 /* s */

void rebalance_domains(struct rq *rq, enum idle_type idle, enum move_cause cause)
{
	struct lab *lab = rq->lab;
	struct pass pass = { .jiffies = lab_jiffies(lab), .idle = idle, .busy = is_busy(rq, idle), .goes_on = true };
	u64 next = pass.jiffies + LONG_TIME * lab->cfg.hz, cost = 0;
	bool decayed = false;
	struct sched_domain *sd;

	for (sd = rq->smp.sd; sd; sd = sd->parent) {
		decayed = newidle_cost_seen(lab, sd, 0);
		cost += sd->max_newidle_lb_cost;
		if (!pass.goes_on) { /* it is another one's business up here; only costs are forgotten */
			if (decayed)
				continue;
			break;
		}
		balance_level(rq, sd, &pass, cause);
		next = min_u64(next, sd->last_balance + level_interval(lab, sd, pass.busy));
	}
	if (decayed)
		rq->smp.max_idle_balance_cost = max_u64(lab->model.param[PARAM_MIGRATION_COST], cost);
	rq->smp.next_balance = next;
	note_quiet(rq, pass.idle);
}

/* ---- the same for an idle CPU without load ---- */

/* False: there may be something at @sd. */
static bool calm_level(struct rq *rq, struct sched_domain *sd, u64 jiffies, bool *goes_on)
{
	struct lab *lab = rq->lab;

	if (level_is_taken(lab, sd)) {
		if (lab_rule(lab, LB_SERIALIZED) == LB_SERIALIZED_BALANCED)
			take_for_balanced(sd, jiffies);
		return true;
	}
	if (!finds_nothing(rq, sd, goes_on))
		return false;
	spend_on(lab, sd, *goes_on);
	sd->last_balance = jiffies;
	return true;
}

/*
 * The walk over the levels of an idle CPU without load, as long as no level finds anything to move.  Proof that it is the same.  To age sums and averages that
 * are 0 changes nothing but their clocks, which the next update brings to the same place, so neither the clock nor the averages of @rq are
 * brought up to date.  No cost is old enough to be forgotten up to costs_due.  Where a level may have something, the plain walk begins anew: it finds the levels
 * below just balanced, and goes past them.
 */
bool calm_rebalance(struct rq *rq, u64 jiffies)
{
	struct lab *lab = rq->lab;
	u64 next = jiffies + LONG_TIME * lab->cfg.hz, upper_due = UINT64_MAX;
	struct sched_domain *sd, *lowest = rq->smp.sd;
	bool goes_on = true;

	if (jiffies > rq->smp.costs_due || lab->rt_seen || lab->cfg.no_skip || lab->balance != &balance_new || !is_blank(rq) ||
	    !load_is_forgotten(&rq->cfs))
		return false;
	for (sd = lowest; sd; sd = sd->parent) {
		bool mine = goes_on;
		u64 due = sd->last_balance + idle_interval(lab, sd);

		if (mine && jiffies >= due) {
			if (!calm_level(rq, sd, jiffies, &goes_on))
				return false;
			due = sd->last_balance + idle_interval(lab, sd);
		}
		if (mine)
			next = min_u64(next, due);
		if (sd != lowest)
			upper_due = min_u64(upper_due, due);
	}
	rq->smp.next_balance = next;
	set_quiet(rq, upper_due);
	return true;
}

/* The levels of every CPU are new, and how many CPUs there are. */
void forget_quiet(struct lab *lab)
{
	int cpu;

	lab->smp.told_above = false;
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		cpu_rq(lab, cpu)->smp.quiet_until = cpu_rq(lab, cpu)->smp.costs_due = 0;
}

/* ---- the tick, and what it raises ---- */

void balance_tick(struct rq *rq)
{
	struct lab *lab = rq->lab;
	u64 jiffies;

	if (!balances(rq))
		return;
	jiffies = lab_jiffies(lab);
	rq->smp.idle_at_tick = cpu_is_idle(rq);
	if (jiffies >= rq->smp.next_balance) {
		rq->smp.balance_raised = true;
		lab->pf.kick(lab->pf.ctx, rq->cpu, KICK_SOFTIRQ);
	}
	if (task_is_idle_thread(rq->curr))
		nohz_idle_tick(rq);
	else
		nohz_busy_tick(rq, jiffies);
}

/* The tick of jiffy @jiffies, but not before the next one. */
static u64 tick_at(const struct rq *rq, u64 jiffies)
{
	u64 time = jiffies_time(rq->lab, jiffies), next = rq->tick_done + rq->lab->tick_nsec;

	return before(time, next) ? next : time;
}

u64 balance_due(const struct rq *rq)
{
	return balances(rq) ? tick_at(rq, min_u64(rq->smp.next_balance, nohz_kick_due(rq))) : NEVER;
}

/* Its ticks count up to the one with which they stop; where they never do only those matter that raise a softirq. */
u64 idle_tick_due(const struct rq *rq)
{
	const struct lab *lab = rq->lab;

	if (!balances(rq) || rq->smp.nohz_tick_stopped)
		return NEVER;
	return tick_at(rq, lab->cfg.tick_always && !lab->cfg.no_skip ? rq->smp.next_balance : 0);
}

static void begin_softirq(struct lab *lab, int cpu)
{
	lab->smp.softirq_cpu = cpu;
	lab->smp.visited = 0;
}

static void end_softirq(struct lab *lab)
{
	if (lab->smp.visited)
		lab->pf.spend(lab->pf.ctx, lab->smp.softirq_cpu, COST_NEWIDLE, lab->smp.visited);
}

void lab_softirq(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);
	bool raised = rq->smp.balance_raised && rq->smp.sd; /* it may have gone offline since */

	rq->smp.balance_raised = false;
	update_rq_clock(rq);
	begin_softirq(lab, cpu);
	if (!nohz_idle_balance(rq) && raised) {
		bool idle = rq->smp.idle_at_tick;

		update_own_load(rq);
		rebalance_domains(rq, idle ? LB_IDLE : LB_BUSY, idle ? MOVE_IDLE : MOVE_BUSY);
		if (idle)
			nohz_next_at_most(lab, rq->smp.next_balance);
	}
	end_softirq(lab);
	nohz_may_stop_tick(rq);
	lab_verb_done(lab);
}

/* ---- the beginning ---- */

bool init_balance(struct lab *lab)
{
	size_t words = BITS_WORDS((size_t)lab->cfg.nr_cpus);
	u64 *sets = lab->pf.alloc(lab->pf.ctx, 3 * words * sizeof(*sets));

	if (!sets)
		return false;
	lab->smp.lb_cpus = sets;
	lab->smp.nohz_mask = sets + words;
	lab->smp.stained = sets + 2 * words;
	lab->smp.nohz_next = lab_jiffies(lab);
	lab->smp.serial_until = lab_ktime(lab);
	lab->balance = lab_rule(lab, BALANCER) == BALANCER_TYPES ? &balance_new : &balance_old;
	return true;
}
