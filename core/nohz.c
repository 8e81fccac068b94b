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

/* ---- balancing for all ---- */

void nohz_next_at_most(struct lab *lab, u64 jiffies) { lab->smp.nohz_next = min_u64(lab->smp.nohz_next, jiffies); }

static bool is_due(const struct rq *rq, u64 jiffies) { return jiffies >= rq->smp.next_balance; }

/* False: @owner has got work, others go without. */
static bool balance_for(struct rq *owner, struct rq *rq, u64 jiffies, u64 *next)
{
	if (rq->curr != &rq->idle || !cpu_is_idle(rq))
		return true;
	if (owner->need_resched)
		return false;
	if (is_due(rq, jiffies) && !quiet_look(rq, jiffies)) {
		update_rq_clock(rq);
		update_own_load(rq);
		rebalance_domains(rq, LB_IDLE, rq == owner ? MOVE_IDLE : MOVE_NOHZ);
	}
	*next = min_u64(*next, rq->smp.next_balance);
	return true;
}

/*
 * All in the mask: those behind @owner first, wrapping, itself last.  (The owner is the lowest that is idle, so this is the order of numbers, in
 * which kernels to 5.4 go.)
 */
static bool balance_for_all(struct rq *owner, u64 jiffies, u64 *next)
{
	struct lab *lab = owner->lab;
	const u64 *mask = lab->smp.nohz_mask;
	int n = lab->cfg.nr_cpus, cpu;

	for (cpu = bit_next(mask, n, owner->cpu + 1); cpu < n; cpu = bit_next(mask, n, cpu + 1))
		if (!balance_for(owner, cpu_rq(lab, cpu), jiffies, next))
			return false;
	for (cpu = bit_next(mask, owner->cpu, 0); cpu < owner->cpu; cpu = bit_next(mask, owner->cpu, cpu + 1))
		if (!balance_for(owner, cpu_rq(lab, cpu), jiffies, next))
			return false;
	return balance_for(owner, owner, jiffies, next);
}

#define LONG_TIME 60 /* s */

bool nohz_idle_balance(struct rq *rq)
{
	struct lab *lab = rq->lab;
	u64 jiffies = lab_jiffies(lab), next = jiffies + LONG_TIME * lab->cfg.hz;
	bool kicked = rq->smp.nohz_kicked;

	rq->smp.nohz_kicked = false;
	if (!kicked || !rq->smp.sd || !cpu_is_idle(rq) || rq->need_resched)
		return false;
	if (balance_for_all(rq, jiffies, &next))
		lab->smp.nohz_next = next;
	return true;
}
