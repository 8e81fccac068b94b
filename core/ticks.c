/* SPDX-License-Identifier: MIT */
/*
 * ticks.c - ticks that can decide nothing are not called; they are charged later, in one go.
 *
 *	tick:  |      |      |      |      |      |
 *	       called  - - left out - - -  called         tick_due: first one that may preempt, draw or expire
 *
 * A busy CPU whose current task has company, or a limit, needs its tick only where a turn ends or the local runtime runs
 * out; both moments follow from what is charged when a sweep asks (plan_ticks).  Whoever touches the CPU in between first charges
 * the ticks that have passed (update_rq_clock), and the next sweep asks again.
 * Law: with every tick called the lab ends in the same state, bit by bit (no_skip; tests/fair/skip.c).
 */
#include "core/sched.h"

static u64 tick_floor(const struct lab *lab, u64 time)
{
	return time - (time - lab->cfg.tick_base) % lab->tick_nsec;
}

/*
 * Charge @nr ticks, the last of them at @last on this CPU's clock, to every level of the running chain.  The first may be shorter: a part
 * was charged before.  Virtual time is truncated tick by tick, as the plain way does.
 */
static void charge_ticks(struct rq *rq, u64 nr, u64 last)
{
	struct lab *lab = rq->lab;
	struct sched_entity *se = &rq->curr->se;

	if (rq->curr->above_fair) {
		charge_ticks_rt(rq, nr, last);
		return;
	}
	for_each_sched_entity(se) {
		u64 total = last - se->exec_start;
		u64 first = total - (nr - 1) * lab->tick_nsec;
		u64 vdelta = (nr - 1) * calc_delta_fair(lab, lab->tick_nsec, se);

		if (!total)
			continue;
		if (first)
			vdelta += calc_delta_fair(lab, first, se);
		charge_curr(lab, se->cfs_rq, total, vdelta, (u32)(nr - !first));
	}
	replay_load_ticks(rq, nr, last);
}

/* Has the sweep of ticks that is under way passed @cpu? */
static bool sweep_passed(const struct lab *lab, int cpu)
{
	bool around = lab->sweep_cpu < lab->sweep_first;

	if (around != (cpu < lab->sweep_first))
		return around;
	return cpu < lab->sweep_cpu;
}

/* The last tick that @rq must have had by now. */
static u64 last_tick(const struct rq *rq)
{
	const struct lab *lab = rq->lab;

	if (before(lab->ticks_done, lab->sweep_time) && sweep_passed(lab, rq->cpu))
		return lab->sweep_time;
	return tick_floor(lab, lab->ticks_done);
}

/* Ticks of @rq that have passed and are not charged. */
static void catch_up(struct rq *rq)
{
	struct lab *lab = rq->lab;
	u64 last = last_tick(rq), nr;

	if (!before(rq->tick_done, last))
		return;
	nr = (last - rq->tick_done) / lab->tick_nsec;
	rq->tick_done = last;
	if (task_is_idle_thread(rq->curr) || lab->cfg.no_skip)
		return;
	charge_ticks(rq, nr, last + (lab->pf.cpu_clock(lab->pf.ctx, rq->cpu) - lab_ktime(lab)));
}

static void sample_clock(struct rq *rq)
{
	struct lab *lab = rq->lab;
	u64 clock;

	if (before(rq->tick_done + lab->tick_nsec - 1, max_u64(lab->ticks_done, lab->sweep_time))) /* spares a division */
		catch_up(rq);
	rq->tick_due = 0;
	clock = lab->pf.cpu_clock(lab->pf.ctx, rq->cpu);
	if (before(rq->clock, clock))
		rq->clock = clock;
}

void update_rq_clock(struct rq *rq)
{
	sample_clock(rq);
	rq->lab->tick_horizon = 0;
}

/*
 * Those that were left out could not have decided anything, so the next one that can is due when it was, and nothing but averages and charges
 * has changed: as if every tick had been called.
 */
void peek_load(struct rq *rq)
{
	if (before(rq->tick_done + rq->lab->tick_nsec - 1, max_u64(rq->lab->ticks_done, rq->lab->sweep_time)))
		catch_up(rq);
}

void settle_ticks(struct rq *rq)
{
	struct lab *lab = rq->lab;

	catch_up(rq);
	rq->tick_due = 0;
	lab->tick_horizon = 0;
	lab->tick_recalled = true;
}

void rq_starts_running(struct rq *rq) { rq->tick_done = tick_floor(rq->lab, rq->lab->ticks_done); }

/* How many ticks of @rq, of which the next one is at @next on its clock, until one may decide something. */
static u64 ticks_until_decision(struct rq *rq, u64 next)
{
	struct lab *lab = rq->lab;
	struct sched_entity *se = &rq->curr->se;
	u64 ticks = UINT32_MAX;

	if (rq->need_resched || rq->need_resched_lazy || lab->cfg.no_skip)
		return 1;
	if (rq->curr->above_fair)
		return ticks_left_rt(rq);
	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;
		u64 first = next - se->exec_start; /* what that one will charge */

		if (se->my_q && !group_weight_stays(se))
			return 1;
		if (cfs_rq->nr_running > 1)
			ticks = min_u64(ticks, lab->pick->ticks_left(lab, cfs_rq, se, first));
		if (is_metered(cfs_rq))
			ticks = min_u64(ticks, local_ticks_left(lab, cfs_rq, first, next - rq->clock));
	}
	return ticks;
}

/*
 * Asked by a sweep, not before: most of what may happen between two ticks has happened then, and a CPU that switches many times in between answers
 * once.  Nothing has changed since the last look at its clock, or it would have been looked at again.
 */
static void plan_ticks(struct rq *rq)
{
	struct lab *lab = rq->lab;
	u64 ahead = lab->pf.cpu_clock(lab->pf.ctx, rq->cpu) - lab_ktime(lab); /* of all times, where clocks are skewed */

	rq->tick_due = rq->tick_done + ticks_until_decision(rq, rq->tick_done + lab->tick_nsec + ahead) * lab->tick_nsec;
}

/* A CPU goes back to the free path at a tick, not in the middle of a switch away from the last limited task. */
static bool nobody_limited(const struct rq *rq)
{
	return FAIRGROUND_BANDWIDTH && rq->path != &path_free && !rq->nr_limited && (!rq->curr->tg->under_limit || rq->curr->above_fair);
}

void lab_tick(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);
	u64 now = lab_ktime(lab);
	bool none_left_out = rq->tick_done + lab->tick_nsec == now;

	lab->ticks_done = max_u64(lab->ticks_done, now - 1); /* this one is not done yet, those before it are */
	lab->sweep_time = now;
	lab->sweep_cpu = cpu;
	sample_clock(rq);
	rq->tick_done = now;
	if (nobody_limited(rq))
		choose_path(rq);
	if (task_is_idle_thread(rq->curr)) {
		balance_tick(rq);
		return;
	}
	if (rq->need_resched_lazy) { /* it was asked a tick ago, and has not returned to user mode since */
		rq->need_resched_lazy = false;
		resched_curr(rq);
	}
	if (rq->curr->above_fair)
		task_tick_rt(rq);
	else
		ON_PATH(rq->path, task_tick_fair)(rq);
	if (blocked_load_due(lab) <= now)
		age_blocked_load(lab);
	balance_tick(rq);
	rq->short_turns = rq->need_resched && none_left_out;
}

u64 lab_tick_due(struct lab *lab, int cpu)
{
	struct rq *rq = cpu_rq(lab, cpu);

	if (task_is_idle_thread(rq->curr))
		return idle_tick_due(rq);
	if (!rq->tick_due && rq->short_turns) /* to call it costs less than to know whether it has to be */
		return min_u64(rq->tick_done + lab->tick_nsec, blocked_load_due(lab));
	if (!rq->tick_due)
		plan_ticks(rq);
	return min_u64(min_u64(rq->tick_due, blocked_load_due(lab)), balance_due(rq));
}

u64 lab_tick_horizon(const struct lab *lab) { return lab->tick_horizon; }

void lab_ticks_from(struct lab *lab, int first) { lab->sweep_first = first; }

void lab_ticks_done(struct lab *lab, u64 now, u64 horizon)
{
	lab->ticks_done = max_u64(lab->ticks_done, now);
	if (!horizon)
		return;
	lab->tick_horizon = lab->tick_recalled ? 0 : horizon;
	lab->tick_recalled = false;
}

void lab_catch_up(struct lab *lab)
{
	int cpu;

	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		update_rq_clock(cpu_rq(lab, cpu));
}
