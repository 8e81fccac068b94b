/* SPDX-License-Identifier: MIT */
/*
 * bandwidth_timer.c - when a limited group gets runtime: its period timer and its slack timer.
 *
 *	period timer   |----- period -----|----- period -----|	  on a grid; armed by who asks the pool, stops after a period in which nobody did
 *	                refill, then a walk over who is throttled (bandwidth_walk.c)
 *	slack timer              '- 5 ms -'			  after slack came back while somebody is throttled: a walk without a refill
 *
 * A callback that takes longer than a period does several in a row, and stretches the period where that goes on (5.1).  One walk at a time:
 * a timer that finds the other one's in progress waits (period) or gives up (slack).
 * Rules: docs/rules/bandwidth.md 2 and 3.4.
 */
#include "core/bandwidth_impl.h"
#include "core/gather.h"

#define MIN_BANDWIDTH_EXPIRATION (2 * MS) /* this close to a refill slack is not distributed */
#define SLACK_PERIOD (5 * MS)		  /* cfs_bandwidth_slack_period */
#define PHASES (100 * MS)		  /* a random phase is below this: default_cfs_period() */
#define PERIODS_SINCE_BOOT 1000		  /* any large number: how long the machine has been up */

/* ---- the period timer stands on a grid ---- */

/* hrtimer_forward(): move the expiry past @now; how many periods that was. */
static u64 forward_period(struct cfs_bandwidth *cfs_b, u64 now)
{
	u64 overruns;

	if (before(now, cfs_b->period_expires))
		return 0;
	overruns = (now - cfs_b->period_expires) / cfs_b->period + 1;
	cfs_b->period_expires += overruns * cfs_b->period;
	return overruns;
}

/*
 * Where the grid of @cfs_b stands.  To 6.3 all groups share one, through the epoch; from 6.4 (41abdba93747) each draws an offset
 * within 100 ms once.
 */
static void choose_phase(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	u64 phase = 0;

	if (cfs_b->phase_set)
		return;
	cfs_b->phase_set = true;
	if (lab_rule(lab, BW_PHASE) == BW_PHASE_RANDOM)
		phase = lab->pf.random(lab->pf.ctx, STREAM_BW_PHASE) % PHASES;
	lab_set_phase(lab, group_of(cfs_b), phase);
	/* a new timer's expiry is 0: the first start finds that the whole uptime has passed */
	if (lab_rule(lab, BW_PHASE) == BW_PHASE_GRID)
		cfs_b->period_expires -= PERIODS_SINCE_BOOT * cfs_b->period;
}

/* The first expiry: the last point of the grid through epoch + @phase that is not after now. */
void lab_set_phase(struct lab *lab, struct task_group *tg, u64 phase)
{
	struct cfs_bandwidth *cfs_b = &tg->cfs_bandwidth;
	u64 now = lab_ktime(lab), start = lab->cfg.epoch + phase;

	cfs_b->phase_set = true;
	if (before(now, start))
		start -= ((start - now - 1) / cfs_b->period + 1) * cfs_b->period;
	cfs_b->period_expires = start;
	if (cfs_b->period_active) {
		forward_period(cfs_b, now);
		lab->pf.timer_arm(lab->pf.ctx, TIMER_PERIOD, tg, 0, cfs_b->period_expires);
	}
}

static void arm_period_timer(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
{
	cfs_b->period_active = true;
	lab->pf.timer_arm(lab->pf.ctx, TIMER_PERIOD, group_of(cfs_b), cpu, cfs_b->period_expires);
}

/*
 * Rule bw_restart: arming the timer after an idle stop.  To 4.1 a request that does so refills; 4.18-5.3 it moves the deadline to the
 * next expiry and steps the sequence; 4.2-4.17, 4.14.y and 5.4 on it leaves both alone.
 */
static void restart_deadline(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu, u64 overruns, enum starter why)
{
	switch (lab_rule(lab, BW_RESTART)) {
	case BW_RESTART_REFILL:
		if (why == START_REQUEST)
			refill_cfs_bandwidth_runtime(lab, cfs_b, cpu);
		break;
	case BW_RESTART_ADVANCE:
		cfs_b->runtime_expires += (overruns + 1) * cfs_b->period;
		cfs_b->expires_seq++;
		break;
	}
}

/* start_cfs_bandwidth(): somebody asks the pool, throttles or writes while the timer stands still. */
void start_cfs_bandwidth(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu, enum starter why)
{
	u64 overruns;

	if (cfs_b->period_active)
		return;
	choose_phase(lab, cfs_b);
	overruns = forward_period(cfs_b, lab_ktime(lab));
	cfs_b->period_active = true;
	restart_deadline(lab, cfs_b, cpu, overruns, why);
	arm_period_timer(lab, cfs_b, cpu);
}

/* Rule bw_arm_on_write: after a write that limits, always (4.2), or only where the timer was running; the expiry stays. */
void restart_cfs_bandwidth(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
{
	if (limited(cfs_b) && lab_rule(lab, BW_ARM_ON_WRITE))
		start_cfs_bandwidth(lab, cfs_b, cpu, START_WRITE);
}

/* ---- the period timer ---- */

/*
 * Rule bw_stretch: processing took longer than a period four times in a row.  5.1-5.3 (2e8e19226398): x 147/128; from 5.4
 * (4929a4e6faa0): doubled, below one second.
 */
static void stretch_period(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	u64 period = cfs_b->period;

	switch (lab_rule(lab, BW_STRETCH)) {
	case BW_STRETCH_SCALED:
		cfs_b->period = min_u64(period * 147 / 128, MAX_QUOTA_PERIOD);
		cfs_b->quota = (u64)((unsigned __int128)cfs_b->quota * cfs_b->period / period);
		break;
	case BW_STRETCH_DOUBLED:
		if (period * 2 >= MAX_QUOTA_PERIOD)
			break;
		cfs_b->period *= 2;
		cfs_b->quota *= 2;
		cfs_b->burst *= 2;
		break;
	}
}

/* One period.  Returns false where the distribution goes on later; *@stop: the timer is not needed any more. */
static bool do_sched_cfs_period_timer(struct lab *lab, struct cfs_bandwidth *cfs_b, u64 overrun, bool *stop)
{
	bool adds = lab_rule(lab, BW_REFILL) == BW_REFILL_ADD;
	bool throttled = !list_empty(&cfs_b->throttled_cfs_rq);
	int cpu = cfs_b->walk.cpu;

	*stop = true;
	if (!limited(cfs_b))
		return true;
	cfs_b->nr_periods += overrun;
	emit(lab, EVENT_BW_PERIOD, cpu, 0, group_of(cfs_b)->id, (s64)overrun, throttled);
	if (gathers(lab))
		gather_period(lab, group_of(cfs_b), overrun, throttled);
	if (adds)
		refill_cfs_bandwidth_runtime(lab, cfs_b, cpu);
	if (cfs_b->idle && !throttled)
		return true;
	if (!adds)
		refill_cfs_bandwidth_runtime(lab, cfs_b, cpu);
	*stop = false;
	if (!throttled) {
		cfs_b->idle = true;
		return true;
	}
	cfs_b->nr_throttled += overrun;
	if (cfs_b->runtime && !distribute_period(lab, cfs_b))
		return false;
	cfs_b->idle = false;
	return true;
}

/* Is this callback taking longer than a period, again and again? */
static bool cannot_keep_up(const struct cfs_bandwidth *cfs_b) { return cfs_b->walk.loops > 3; }

/* The end of one period's processing; rule bw_stretch_late (5.8, 5a6d6a6ccb5f): only here the period is stretched. */
static void period_done(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	if (!cannot_keep_up(cfs_b))
		return;
	if (lab_rule(lab, BW_STRETCH_LATE))
		stretch_period(lab, cfs_b);
	cfs_b->walk.loops = 0;
}

/* sched_cfs_period_timer(): as many periods as have passed, one after the other. */
static void period_timer_loop(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	bool stop = false;

	while (!stop) {
		u64 overrun = forward_period(cfs_b, lab_ktime(lab));

		if (!overrun)
			break;
		cfs_b->walk.loops++;
		if (cannot_keep_up(cfs_b) && !lab_rule(lab, BW_STRETCH_LATE))
			stretch_period(lab, cfs_b);
		if (!do_sched_cfs_period_timer(lab, cfs_b, overrun, &stop))
			return; /* resume_walk() goes on from here */
		period_done(lab, cfs_b);
	}
	if (stop)
		cfs_b->period_active = false;
	else
		arm_period_timer(lab, cfs_b, cfs_b->walk.cpu);
}

/* ---- the slack timer ---- */

/* Is the period timer at work, or closer than @min_left to firing? */
static bool refresh_within(struct lab *lab, const struct cfs_bandwidth *cfs_b, u64 min_left)
{
	if (cfs_b->walk.running && !cfs_b->walk.slack)
		return true;
	return (s64)(cfs_b->period_expires - lab_ktime(lab)) < (s64)min_left;
}

/* Rule bw_slack_timer: the next point of a 5 ms grid (to 4.1), 5 ms from each return (4.2), 5 ms from the first (5.3). */
void start_slack_timer(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
{
	u64 now = lab_ktime(lab);

	if (refresh_within(lab, cfs_b, SLACK_PERIOD + MIN_BANDWIDTH_EXPIRATION))
		return;
	if (cfs_b->slack_started && lab_rule(lab, BW_SLACK_TIMER) != BW_SLACK_RESTART)
		return;
	cfs_b->slack_started = true;
	if (lab_rule(lab, BW_SLACK_TIMER) == BW_SLACK_GRID)
		cfs_b->slack_expires = now + SLACK_PERIOD - (now - lab->cfg.epoch) % SLACK_PERIOD;
	else
		cfs_b->slack_expires = now + SLACK_PERIOD;
	lab->pf.timer_arm(lab->pf.ctx, TIMER_SLACK, group_of(cfs_b), cpu, cfs_b->slack_expires);
}

static void do_sched_cfs_slack_timer(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
{
	cfs_b->slack_started = false;
	if (cfs_b->walk.running)
		return;
	if (refresh_within(lab, cfs_b, MIN_BANDWIDTH_EXPIRATION) || !limited(cfs_b) || cfs_b->runtime <= bandwidth_slice(lab))
		return;
	emit(lab, EVENT_BW_SLACK, cpu, 0, group_of(cfs_b)->id, (s64)cfs_b->runtime, 0);
	cfs_b->walk.cpu = cpu;
	cfs_b->walk.slack = true;
	distribute_slack(lab, cfs_b);
}

/* ---- what both come to ---- */

/* The time a walk had spent is over. */
static void resume_walk(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	if (cfs_b->walk.slack) {
		distribute_slack(lab, cfs_b);
		return;
	}
	if (!distribute_period(lab, cfs_b))
		return;
	cfs_b->idle = false;
	period_done(lab, cfs_b);
	period_timer_loop(lab, cfs_b);
}

void lab_timer(struct lab *lab, int cpu, enum timer_kind kind, struct task_group *tg)
{
	struct cfs_bandwidth *cfs_b = tg ? &tg->cfs_bandwidth : NULL;

	switch (kind) {
	case TIMER_HRTICK:
		task_hrtick(cpu_rq(lab, cpu));
		break;
	case TIMER_PERIOD:
		if (cfs_b->walk.running) { /* the slack timer's walk holds the group: try again when that is over */
			lab->pf.timer_arm(lab->pf.ctx, TIMER_PERIOD, tg, cpu, lab_ktime(lab) + 1 * US);
			return;
		}
		cfs_b->walk.cpu = cpu;
		cfs_b->walk.slack = false;
		cfs_b->walk.loops = 0;
		period_timer_loop(lab, cfs_b);
		break;
	case TIMER_SLACK:
		do_sched_cfs_slack_timer(lab, cfs_b, cpu);
		break;
	case TIMER_DISTRIBUTE:
		resume_walk(lab, cfs_b);
		break;
	}
	lab_verb_done(lab);
}
