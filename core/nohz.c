/* SPDX-License-Identifier: MIT */
/*
 * nohz.c - CPUs that sleep without ticks, and who balances for them.
 *
 *	idle ---> its first tick ---> tickless: in the mask                      wakes ---> first busy tick: out of it
 *	                                  ^
 *	busy CPU's tick: company? --IPI-> one of them: load_balance() for each in the mask that is due, as if it were that one
 *
 * An idle CPU has one more tick before it goes tickless (idle_ticks): that one is seen on measured machines.
 * Rules: docs/rules/smp.md section 7, smp-checked.md A5.
 */
#include "core/balance.h"

/* ---- into the mask and out of it ---- */

static void llc_is_idle(struct rq *rq)
{
	struct sched_domain *sd = rq->smp.sd_llc;

	if (!sd || sd->nohz_idle)
		return;
	sd->nohz_idle = true;
	sd->shared->nr_busy_cpus--;
}

static void llc_is_busy(struct rq *rq)
{
	struct sched_domain *sd = rq->smp.sd_llc;

	if (!sd || !sd->nohz_idle)
		return;
	sd->nohz_idle = false;
	sd->shared->nr_busy_cpus++;
}

/* Who may want to kick, and so whose tick is due, depends on who sleeps. */
static void sleepers_changed(struct lab *lab)
{
	lab->tick_horizon = 0;
	lab->tick_recalled = true;
}

static void stop_tick(struct rq *rq)
{
	struct lab_smp *smp = &rq->lab->smp;

	rq->smp.nohz_tick_stopped = true;
	if (bit_test(smp->nohz_mask, rq->cpu) || !rq->smp.sd)
		return;
	bit_set(smp->nohz_mask, rq->cpu);
	smp->nr_nohz++;
	llc_is_idle(rq);
	sleepers_changed(rq->lab);
}

void nohz_leave(struct rq *rq)
{
	struct lab_smp *smp = &rq->lab->smp;

	if (!bit_test(smp->nohz_mask, rq->cpu))
		return;
	bit_clear(smp->nohz_mask, rq->cpu);
	smp->nr_nohz--;
	llc_is_busy(rq);
	sleepers_changed(rq->lab);
}

/* A CPU has come, with nothing to do. */
void nohz_joins(struct rq *rq)
{
	if (rq->lab->nr_movable && task_is_idle_thread(rq->curr) && !rq->lab->cfg.tick_always)
		stop_tick(rq);
}

/* All levels were found balanced, over and over, as nobody could move. */
static void levels_were_balanced(struct rq *rq, u64 jiffies)
{
	struct sched_domain *sd;

	for (sd = rq->smp.sd; sd; sd = sd->parent) {
		sd->balance_interval = sd->max_interval;
		sd->last_balance = jiffies;
	}
	rq->smp.next_balance = jiffies;
}

/* The first task that may move: who has been idle so far has been so without ticks. */
void nohz_begins(struct lab *lab)
{
	u64 jiffies = lab_jiffies(lab);
	int cpu;

	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(lab, cpu);

		levels_were_balanced(rq, jiffies);
		if (task_is_idle_thread(rq->curr) && !lab->cfg.tick_always)
			stop_tick(rq);
	}
	lab->smp.nohz_next = jiffies;
}

/* @rq begins to be idle, or ends. */
void nohz_idle_starts(struct rq *rq)
{
	rq->smp.nohz_tick_stopped = false;
	rq->smp.idle_ticks = 0;
	rq->smp.quiet_until = 0;
}

void nohz_may_stop_tick(struct rq *rq)
{
	if (cpu_is_idle(rq) && !rq->lab->cfg.tick_always && !rq->smp.balance_raised &&
	    rq->smp.idle_ticks >= rq->lab->model.param[PARAM_IDLE_TICKS])
		stop_tick(rq);
}

void nohz_idle_tick(struct rq *rq)
{
	rq->smp.idle_ticks++;
	nohz_may_stop_tick(rq);
}

/* ---- the kick ---- */

/* Would @rq, at its tick, have somebody look for work among the sleepers? */
static bool wants_kick(const struct rq *rq)
{
	const struct sched_domain *llc = rq->smp.sd_llc;

	if (rq->nr_running >= 2)
		return true;
	if (rq->cfs.h_nr_running && capacity_of(rq) * rq->smp.sd->imbalance_pct < rq->smp.capacity_orig * 100)
		return true;
	return llc && llc->shared->nr_busy_cpus > 1;
}

/* The first tick (jiffies) at which it does, or leaves the mask. */
u64 nohz_kick_due(const struct rq *rq)
{
	const struct lab_smp *smp = &rq->lab->smp;

	if (!smp->nr_nohz)
		return UINT64_MAX;
	if (bit_test(smp->nohz_mask, rq->cpu))
		return 0;
	return wants_kick(rq) ? smp->nohz_next : UINT64_MAX;
}

static int first_sleeper(const struct lab *lab, int but)
{
	int cpu;

	for_each_bit(cpu, lab->smp.nohz_mask, lab->cfg.nr_cpus)
		if (cpu != but && cpu_is_idle(&lab->rqs[cpu]))
			return cpu;
	return -1;
}

void nohz_busy_tick(struct rq *rq, u64 jiffies)
{
	struct lab *lab = rq->lab;
	int cpu;

	nohz_leave(rq);
	if (!lab->smp.nr_nohz || jiffies < lab->smp.nohz_next || !wants_kick(rq))
		return;
	lab->smp.nohz_next = jiffies + 1;
	cpu = first_sleeper(lab, rq->cpu);
	if (cpu < 0 || cpu_rq(lab, cpu)->smp.nohz_kicked)
		return;
	cpu_rq(lab, cpu)->smp.nohz_kicked = true;
	lab->pf.kick(lab->pf.ctx, cpu, KICK_NOHZ_BALANCE);
}

/* ---- a look of an idle CPU of which only the lowest level is due, where nobody has two tasks ---- */

/* Nobody has two tasks, and no group was told of an imbalance. */
static bool nobody_can_gain(const struct lab *lab)
{
	return !lab->smp.nr_crowded && !lab->rt_seen && !lab->cfg.no_skip && !lab->smp.told_above;
}

/*
 * What rebalance_domains() comes to, without a walk over the levels; false: it has to be called.  Proof.  cannot_gain() would say that the lowest level is found balanced: nobody_can_gain() is asked first.  No
 * level above is due before upper_due, so none is visited to any effect, and their part of next_balance is upper_due; no cost of a
 * newly idle balance is old enough to be forgotten before quiet_until.  The root queue has no load left, so to age it would change
 * nothing.  No imbalance was ever noted, so none is cleared.  The utilisation of a cache is not asked for below the level of the cache,
 * nor the overload flag below the highest.  tests/smp/skip.c compares it with the walk.
 */
static inline bool quiet_look(struct rq *rq, u64 jiffies)
{
	struct sched_domain *sd = rq->smp.sd;

	if (jiffies > rq->smp.quiet_until)
		return false;
	if (jiffies >= sd->last_balance + rq->smp.lowest_interval) {
		sd->nr_balance_failed = 0;
		if (sd->balance_interval < sd->max_interval) {
			sd->balance_interval *= 2;
			rq->smp.lowest_interval = idle_interval(rq->lab, sd);
		}
		sd->last_balance = jiffies;
		rq->lab->smp.visited += (u32)sd->span_weight;
	}
	rq->smp.next_balance = min_u64(rq->smp.upper_due, sd->last_balance + rq->smp.lowest_interval);
	return true;
}

/* ---- balancing for all ---- */

void nohz_next_at_most(struct lab *lab, u64 jiffies) { lab->smp.nohz_next = min_u64(lab->smp.nohz_next, jiffies); }

/* One CPU's turn to balance for the others. */
struct round {
	struct rq *owner;
	u64 jiffies, next; /* now; when the first of them wants to be balanced again */
	bool quiet;	   /* nobody_can_gain() */
};

/* @rq is due, and more than a quiet look may be. */
static void balance_one(struct round *round, struct rq *rq)
{
	if (calm_rebalance(rq, round->jiffies))
		return;
	update_rq_clock(rq);
	update_own_load(rq);
	rebalance_domains(rq, LB_IDLE, rq == round->owner ? MOVE_IDLE : MOVE_NOHZ);
	round->quiet = nobody_can_gain(rq->lab);
}

/* @left: CPUs of word @i of the mask.  False: the owner has got work, others go without. */
static bool balance_for_these(struct round *round, int i, u64 left)
{
	struct rq *first = cpu_rq(round->owner->lab, 64 * i), *owner = round->owner;
	u64 jiffies = round->jiffies, next = round->next;

	for (; left; left &= left - 1) {
		struct rq *rq = first + __builtin_ctzll(left);

		if (rq->curr != &rq->idle || rq->nr_running || rq->smp.ttwu_pending)
			continue;
		if (owner->need_resched)
			return false;
		if (jiffies >= rq->smp.next_balance && !(round->quiet && quiet_look(rq, jiffies)))
			balance_one(round, rq);
		next = min_u64(next, rq->smp.next_balance);
	}
	round->next = next;
	return true;
}

/* Those of word @i of the mask that are in @which. */
static bool balance_for_word(struct round *round, int i, u64 which)
{
	return balance_for_these(round, i, round->owner->lab->smp.nohz_mask[i] & which);
}

/*
 * All in the mask: those behind the owner first, wrapping, itself last.  (The owner is the lowest that is idle, so this is the order of numbers, in
 * which kernels to 5.4 go.)
 */
static bool balance_for_all(struct round *round)
{
	int n = BITS_WORDS(round->owner->lab->cfg.nr_cpus), mine = round->owner->cpu / 64, i;
	u64 it = (u64)1 << round->owner->cpu % 64, below = it - 1, behind = ~(below | it);

	for (i = mine; i < n; i++)
		if (!balance_for_word(round, i, i == mine ? behind : ~(u64)0))
			return false;
	for (i = 0; i <= mine; i++)
		if (!balance_for_word(round, i, i == mine ? below : ~(u64)0))
			return false;
	return balance_for_these(round, mine, it);
}

#define LONG_TIME 60 /* s */

bool nohz_idle_balance(struct rq *rq)
{
	struct lab *lab = rq->lab;
	u64 jiffies = lab_jiffies(lab);
	struct round round = { rq, jiffies, jiffies + LONG_TIME * lab->cfg.hz, nobody_can_gain(lab) };
	bool kicked = rq->smp.nohz_kicked;

	rq->smp.nohz_kicked = false;
	if (!kicked || !rq->smp.sd || !cpu_is_idle(rq) || rq->need_resched)
		return false;
	if (balance_for_all(&round))
		lab->smp.nohz_next = round.next;
	return true;
}
