/* SPDX-License-Identifier: MIT */
/*
 * balance_idle.c - what a CPU does at the moment it runs out of work: it looks for some before it sleeps.
 *
 *	anybody with two tasks?  --no--> next_balance is brought forward, and that is all
 *	long enough asleep, as a rule, to pay for it? --no-'
 *	levels bottom up: dice --> load_balance(): waiting tasks that are not hot --> until one has come
 *
 * Where the dice (6.1.y, 6.12.y, 6.19) says no, the CPU balances at its next tick, as that was brought forward.
 * Rules: docs/rules/smp.md section 6, smp-checked.md A5.
 */
#include "core/balance.h"

#define DICE_SIDES 1024

/* ---- the dice: the more it paid to look, the more often it lets through ---- */

/* What each look that pays is worth, so that those that were not taken are counted in. */
static u32 worth_of(const struct sched_domain *sd) { return (DICE_SIDES + (1 + sd->newidle_ratio) / 2) / (1 + sd->newidle_ratio); }

/* Rule newidle_dice=timed: where 1024 looks took long, time counts for the dice, some 240 a second. */
static u32 time_term(struct lab *lab, struct sched_domain *sd)
{
	u64 now = lab_ktime(lab), took = now - sd->newidle_stamp;

	sd->newidle_stamp = now;
	return lab_rule(lab, NEWIDLE_DICE) == NEWIDLE_DICE_TIMED ? (u32)min_u64(took >> 22, DICE_SIDES) : 0;
}

static void dice_learns(struct lab *lab, struct sched_domain *sd, u32 worth)
{
	sd->newidle_call++;
	sd->newidle_success += worth;
	if (sd->newidle_call < DICE_SIDES)
		return;
	sd->newidle_ratio = sd->newidle_success + time_term(lab, sd);
	if (lab_rule(lab, NEWIDLE_DICE) == NEWIDLE_DICE_TIMED && sd->newidle_ratio > DICE_SIDES)
		sd->newidle_ratio = DICE_SIDES;
	sd->newidle_call /= 2;
	sd->newidle_success /= 2;
}

/* Rule newidle_dice: in 6.1.y and 6.12.y, and from 6.19 (33cf66d88306). */
static bool throws_dice(const struct lab *lab, const struct sched_domain *sd)
{
	switch ((enum newidle_dice)lab_rule(lab, NEWIDLE_DICE)) {
	case NEWIDLE_DICE_OFF:
		return false;
	case NEWIDLE_DICE_RATIO:
		return true;
	case NEWIDLE_DICE_TIMED:
		break;
	}
	return sd->newidle_ratio < DICE_SIDES;
}

static bool dice_says_no(struct lab *lab, const struct sched_domain *sd)
{
	return throws_dice(lab, sd) && lab->pf.random(lab->pf.ctx, STREAM_BALANCE) % DICE_SIDES > 1 + sd->newidle_ratio;
}

/* ---- the gate ---- */

/*
 * Rule newidle_gate: too short a sleep as a rule for any look (time: to 3.16), or also nobody with two tasks (overload: to 5.15), or the
 * latter, or too short for the lowest level (cost: from 5.16, c5b0a7eefc70).
 */
static bool gate_is_shut(const struct rq *rq)
{
	const struct lab *lab = rq->lab;

	switch ((enum newidle_gate)lab_rule(lab, NEWIDLE_GATE)) {
	case NEWIDLE_GATE_TIME:
		return rq->smp.avg_idle < lab->model.param[PARAM_MIGRATION_COST];
	case NEWIDLE_GATE_OVERLOAD:
		return rq->smp.avg_idle < lab->model.param[PARAM_MIGRATION_COST] || !lab->smp.overloaded;
	case NEWIDLE_GATE_COST:
		break;
	}
	return !lab->smp.overloaded || rq->smp.avg_idle < rq->smp.sd->max_newidle_lb_cost;
}

/* ---- the look ---- */

struct look {
	u64 next_balance; /* jiffies */
	u64 cost;	  /* ns, of the levels so far */
	u32 pulled;
	bool goes_on;
};

static void bring_forward(const struct lab *lab, const struct sched_domain *sd, struct look *look)
{
	look->next_balance = min_u64(look->next_balance, sd->last_balance + level_interval(lab, sd, false));
}

static void look_at_level(struct rq *rq, struct sched_domain *sd, struct look *look)
{
	struct lab *lab = rq->lab;
	u32 worth;
	u64 cost;

	if (dice_says_no(lab, sd)) {
		dice_learns(lab, sd, 0);
		return;
	}
	worth = worth_of(sd);
	look->pulled = load_balance(rq, sd, LB_NEWIDLE, MOVE_NEWIDLE, &look->goes_on);
	cost = lab->pf.spend(lab->pf.ctx, rq->cpu, COST_NEWIDLE, (u32)sd->span_weight);
	newidle_cost_seen(lab, sd, cost);
	look->cost += cost;
	dice_learns(lab, sd, look->pulled ? worth : 0);
}

/* Rule newidle_gate=time knows no costs of levels. */
static bool is_too_dear(const struct rq *rq, const struct sched_domain *sd, const struct look *look)
{
	return lab_rule(rq->lab, NEWIDLE_GATE) != NEWIDLE_GATE_TIME && rq->smp.avg_idle < look->cost + sd->max_newidle_lb_cost;
}

static void look_around(struct rq *rq, struct look *look)
{
	struct sched_domain *sd;

	update_own_load(rq);
	for (sd = rq->smp.sd; sd && look->goes_on && !look->pulled; sd = sd->parent) {
		bring_forward(rq->lab, sd, look);
		if (is_too_dear(rq, sd, look))
			break;
		if (sd->flags & SD_BALANCE_NEWIDLE)
			look_at_level(rq, sd, look);
	}
}

/* A wakeup ends its sleep: how long it was goes into the mean, an eighth of the difference at a time. */
void idle_ends(struct rq *rq)
{
	s64 slept = (s64)(rq->clock - rq->smp.idle_stamp);

	if (!rq->smp.idle_stamp)
		return;
	rq->smp.avg_idle += (u64)((slept - (s64)rq->smp.avg_idle) / 8);
	rq->smp.avg_idle = min_u64(rq->smp.avg_idle, 2 * rq->smp.max_idle_balance_cost);
	rq->smp.idle_stamp = 0;
}

/* newidle_balance(): @rq has nothing to run.  True: now it has. */
bool newidle_balance(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct look look = { .goes_on = true };

	rq->smp.idle_stamp = rq->clock;
	if (!balances(rq) || (lab_rule(lab, NEWIDLE_PENDING) && rq->smp.ttwu_pending))
		return false;
	look.next_balance = lab_jiffies(lab) + lab->cfg.hz;
	if (gate_is_shut(rq))
		bring_forward(lab, rq->smp.sd, &look);
	else
		look_around(rq, &look);
	rq->smp.max_idle_balance_cost = max_u64(rq->smp.max_idle_balance_cost, look.cost);
	rq->smp.next_balance = min_u64(rq->smp.next_balance, look.next_balance);
	if (look.pulled)
		rq->smp.idle_stamp = 0;
	return look.pulled;
}
