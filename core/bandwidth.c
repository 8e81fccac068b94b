/* SPDX-License-Identifier: MIT */
/*
 * bandwidth.c - how much a group may run in each period: the pool, the slices, the two timers.
 *
 *	period timer        draw, by slices                     charge
 *	   quota ---> pool (cfs_b->runtime) ---> cfs_rq->runtime_remaining ---> spent
 *	                 ^                             |    |
 *	                 '-------- return slack -------'    '---> expired (to 5.3)
 *
 * Each CPU holds a local slice, so that the common case touches nothing shared.  A queue that is out of runtime is throttled
 * (throttle_group.c) and waits on cfs_b->throttled_cfs_rq for a distribution, which takes time: it is a cursor (struct walk).
 *
 * Law (check.c), in ns and per group: granted + created == pool + held by CPUs + charged + lost.
 * Rules: docs/rules/bandwidth.md.  What no two kernels share is asked in a function of its own, named for the question.
 */
#include "core/gather.h"
#include "core/sched.h"

#define KEPT_BY_IDLE_QUEUE (1 * MS)	/* min_cfs_rq_runtime */
#define MIN_BANDWIDTH_EXPIRATION (2 * MS) /* this close to a refill slack is not distributed */
#define SLACK_PERIOD (5 * MS)		/* cfs_bandwidth_slack_period */
#define PERIODS_SINCE_BOOT 1000		/* any large number: how long the machine has been up */

static u64 bandwidth_slice(const struct lab *lab) { return lab->model.param[PARAM_CFS_BANDWIDTH_SLICE] * US; }

static bool limited(const struct cfs_bandwidth *cfs_b) { return cfs_b->quota != RUNTIME_INF; }

static struct task_group *group_of(struct cfs_bandwidth *cfs_b)
{
	return container_of(cfs_b, struct task_group, cfs_bandwidth);
}

bool distribution_running(const struct cfs_bandwidth *cfs_b) { return cfs_b->walk.running; }

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
		phase = lab->pf.random(lab->pf.ctx, STREAM_BW_PHASE) % (100 * MS);
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

/* ---- the pool ---- */

/* Rule bw_burst_stat (5.16): what was granted since the last refill beyond the quota is a burst. */
static void count_burst(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	s64 over = (s64)(cfs_b->runtime_snap - cfs_b->runtime - cfs_b->quota);

	if (!lab_rule(lab, BW_BURST_STAT) || over <= 0)
		return;
	cfs_b->nr_bursts++;
	cfs_b->burst_time += (u64)over;
}

/* Rule bw_refill: the pool becomes the quota (to 5.13), or gains it up to quota + burst (5.14, f4183717b370). */
void refill_cfs_bandwidth_runtime(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
{
	u64 left = cfs_b->runtime;

	if (!limited(cfs_b))
		return;
	if (lab_rule(lab, BW_REFILL) == BW_REFILL_ADD) {
		count_burst(lab, cfs_b);
		cfs_b->runtime = min_u64(left + cfs_b->quota, cfs_b->quota + cfs_b->burst);
	} else {
		cfs_b->runtime = cfs_b->quota;
	}
	cfs_b->runtime_snap = cfs_b->runtime;
	cfs_b->granted += cfs_b->quota;
	cfs_b->lost += left + cfs_b->quota - cfs_b->runtime;

	cfs_b->runtime_expires = lab->pf.cpu_clock(lab->pf.ctx, cpu) + cfs_b->period;
	cfs_b->expires_seq++;
}

/*
 * A queue takes over the deadline of what it drew.  By sequence (4.18): whenever that has moved; by deadline: only forward, so
 * that an extended one stays.
 */
static void take_over_deadline(struct lab *lab, struct cfs_rq *cfs_rq, const struct cfs_bandwidth *cfs_b)
{
	if (lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_SEQ) {
		if (cfs_rq->expires_seq == cfs_b->expires_seq)
			return;
		cfs_rq->expires_seq = cfs_b->expires_seq;
		cfs_rq->runtime_expires = cfs_b->runtime_expires;
	} else if (before(cfs_rq->runtime_expires, cfs_b->runtime_expires)) {
		cfs_rq->runtime_expires = cfs_b->runtime_expires;
	}
}

/* Bring @cfs_rq's local runtime up to @target from the pool; debt is paid in the same request.  True: it may run. */
bool assign_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq, u64 target)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);
	u64 need = target - (u64)cfs_rq->runtime_remaining; /* runtime_remaining <= 0 here: a sum */
	u64 amount = 0;

	if (!limited(cfs_b)) {
		amount = need;
		cfs_b->granted += amount;
	} else {
		start_cfs_bandwidth(lab, cfs_b, cfs_rq->rq->cpu, START_REQUEST);
		cfs_b->nr_short += cfs_b->runtime < need;
		if (cfs_b->runtime) {
			amount = min_u64(cfs_b->runtime, need);
			cfs_b->runtime -= amount;
			cfs_b->idle = false;
		}
	}
	cfs_rq->runtime_remaining += (s64)amount;
	take_over_deadline(lab, cfs_rq, cfs_b);
	return cfs_rq->runtime_remaining > 0;
}

/* ---- local runtime ---- */

static void drop_local_runtime(struct cfs_rq *cfs_rq)
{
	bandwidth_of(cfs_rq)->lost += (u64)cfs_rq->runtime_remaining;
	cfs_rq->runtime_remaining = 0;
}

/*
 * Rule bw_expiry: the local deadline has passed; is the slice dead, or is the local clock ahead of the one that stamped it?
 * By deadline (3.2-3.15): dead where the global one has moved on.  Inverted (3.16-4.17, 51f2176d74ac): dead where it has not.
 * By sequence (4.18-5.3, 512ac999d275): dead where the period it came from is over.
 */
static bool slice_is_dead(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct cfs_bandwidth *cfs_b)
{
	switch (lab_rule(lab, BW_EXPIRY)) {
	case BW_EXPIRY_DEADLINE:
		return before(cfs_rq->runtime_expires, cfs_b->runtime_expires);
	case BW_EXPIRY_INVERTED:
		return cfs_rq->runtime_expires == cfs_b->runtime_expires;
	default:
		return cfs_rq->expires_seq != cfs_b->expires_seq;
	}
}

/* To 5.3 (removed by de53fd7aedb1), where the local deadline has passed. */
void expire_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (cfs_rq->runtime_remaining < 0)
		return;
	if (slice_is_dead(lab, cfs_rq, bandwidth_of(cfs_rq)))
		drop_local_runtime(cfs_rq);
	else
		cfs_rq->runtime_expires += lab->tick_nsec;
}

/* Rule bw_throttled_draw: to 5.2 a queue that is throttled already may still be given runtime. */
static bool may_draw(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return !cfs_rq->throttled || lab_rule(lab, BW_THROTTLED_DRAW);
}

/*
 * Rule bw_throttle=charge (7.2): the charge asks for a slice where somebody runs, for 1 ns otherwise, and where there is none it
 * throttles at once; nobody is asked to leave by that.
 */
static void throttle_in_charge(struct lab *lab, struct cfs_rq *cfs_rq)
{
	bool runs = cfs_rq->curr && cfs_rq->curr->on_rq;

	if (!assign_cfs_rq_runtime(lab, cfs_rq, runs ? bandwidth_slice(lab) : 1))
		throttle_cfs_rq(lab, cfs_rq);
}

/* The local runtime of @cfs_rq is 0 or less after a charge: draw a slice, or ask current to leave. */
void runtime_used_up(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (!may_draw(lab, cfs_rq))
		return;
	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE)
		throttle_in_charge(lab, cfs_rq);
	else if (!assign_cfs_rq_runtime(lab, cfs_rq, bandwidth_slice(lab)) && cfs_rq->curr)
		resched_curr(cfs_rq->rq);
}

/* How many whole ticks until a charge of one more would use up the local runtime, or meet its deadline; at least 1. */
u64 local_ticks_left(struct lab *lab, struct cfs_rq *cfs_rq)
{
	u64 tick = lab->tick_nsec, ticks;
	s64 to_deadline;

	if (cfs_rq->runtime_remaining <= 0)
		return 1;
	ticks = ((u64)cfs_rq->runtime_remaining + tick - 1) / tick;
	if (lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_NONE)
		return ticks;
	to_deadline = (s64)(cfs_rq->runtime_expires - cfs_rq->rq->clock);
	return to_deadline <= 0 ? 1 : min_u64(ticks, ((u64)to_deadline + tick - 1) / tick);
}

/* A write or a CPU going away: local runtime and debt are forgotten, @leave ns are left. */
void forget_local_runtime(struct lab *lab __attribute__((unused)), struct cfs_rq *cfs_rq, s64 leave)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);

	if (cfs_rq->runtime_remaining > 0)
		drop_local_runtime(cfs_rq);
	cfs_b->created += leave - cfs_rq->runtime_remaining;
	cfs_rq->runtime_remaining = leave;
}

/* ---- slack: what a queue gives back when its last entity leaves ---- */

/* Is the period timer at work, or closer than @min_left to firing? */
static bool refresh_within(struct lab *lab, const struct cfs_bandwidth *cfs_b, u64 min_left)
{
	if (cfs_b->walk.running && !cfs_b->walk.slack)
		return true;
	return (s64)(cfs_b->period_expires - lab_ktime(lab)) < (s64)min_left;
}

/* Rule bw_slack_timer: the next point of a 5 ms grid (to 4.1), 5 ms from each return (4.2), 5 ms from the first (5.3). */
static void start_slack_timer(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
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

/* To 5.3 slack of another period than the pool's is not taken back: equal deadlines, to the ns. */
static bool slack_is_current(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct cfs_bandwidth *cfs_b)
{
	return lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_NONE || cfs_rq->runtime_expires == cfs_b->runtime_expires;
}

void return_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *cfs_b = bandwidth_of(cfs_rq);
	s64 slack = cfs_rq->runtime_remaining - (s64)KEPT_BY_IDLE_QUEUE;

	if (!cfs_rq->runtime_enabled || cfs_rq->nr_running || slack <= 0)
		return;
	cfs_rq->runtime_remaining -= slack;
	if (!limited(cfs_b) || !slack_is_current(lab, cfs_rq, cfs_b)) {
		cfs_b->lost += (u64)slack;
		return;
	}
	cfs_b->runtime += (u64)slack;
	if (cfs_b->runtime > bandwidth_slice(lab) && !list_empty(&cfs_b->throttled_cfs_rq))
		start_slack_timer(lab, cfs_b, cfs_rq->rq->cpu);
}

/* ---- distribution: 1 ns above zero for each throttled queue, as far as the pool goes ---- */

static bool period_goes_on(struct lab *lab, struct cfs_bandwidth *cfs_b);

/* What a walk has taken out of sight is still the pool's. */
u64 bw_hidden_by_walk(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	return lab_rule(lab, BW_POOL) == BW_POOL_HIDDEN ? cfs_b->walk.taken : 0;
}

/* Rule bw_pool: from where the walk takes: out of sight (to 3.16), from a snapshot (3.17-5.6), from the pool itself. */
static u64 walk_has(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	return lab_rule(lab, BW_POOL) == BW_POOL_EXACT ? cfs_b->runtime : cfs_b->walk.remaining;
}

static void walk_takes(const struct lab *lab, struct cfs_bandwidth *cfs_b, u64 amount)
{
	switch (lab_rule(lab, BW_POOL)) {
	case BW_POOL_HIDDEN:
		cfs_b->walk.taken -= amount;
		cfs_b->walk.remaining -= amount;
		break;
	case BW_POOL_SHARED: /* still in the pool for others to see and spend */
		cfs_b->walk.taken += amount;
		cfs_b->walk.remaining -= amount;
		cfs_b->created += (s64)amount;
		break;
	default:
		cfs_b->runtime -= amount;
	}
}

static void walk_begin(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct walk *walk = &cfs_b->walk;

	walk->running = true;
	walk->cursor = cfs_b->throttled_cfs_rq.next;
	walk->remaining = cfs_b->runtime;
	walk->taken = 0;
	walk->expires = cfs_b->runtime_expires;
	walk->local = NULL;
	if (lab_rule(lab, BW_POOL) == BW_POOL_HIDDEN) {
		walk->taken = cfs_b->runtime;
		cfs_b->runtime = 0;
	}
}

/* To 5.3 the slack timer settles with the pool only if no refill came in between. */
static bool may_settle(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	return !cfs_b->walk.slack || lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_NONE ||
	       cfs_b->walk.expires == cfs_b->runtime_expires;
}

/* The pool after the walk. */
static void walk_settle(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct walk *walk = &cfs_b->walk;
	u64 back;

	switch (lab_rule(lab, BW_POOL)) {
	case BW_POOL_HIDDEN: /* what is left is written back over what was returned meanwhile */
		if (may_settle(lab, cfs_b)) {
			cfs_b->lost += cfs_b->runtime;
			cfs_b->runtime = walk->taken;
		} else {
			cfs_b->lost += walk->taken;
		}
		break;
	case BW_POOL_SHARED: /* what others drew meanwhile has been spent twice */
		back = may_settle(lab, cfs_b) ? min_u64(walk->taken, cfs_b->runtime) : 0;
		cfs_b->runtime -= back;
		cfs_b->created -= (s64)back;
		break;
	}
	walk->taken = 0;
	walk->running = false;
}

/* Rule bw_unthrottle: here and now, or (6.3, 8ad075c2eb1f) by an interrupt to the other CPU, the own queue last. */
static void unthrottle_from_walk(struct lab *lab, struct cfs_bandwidth *cfs_b, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	if (lab_rule(lab, BW_UNTHROTTLE) == BW_UNTHROTTLE_DIRECT) {
		unthrottle_cfs_rq(lab, cfs_rq);
	} else if (rq->cpu == cfs_b->walk.cpu) {
		cfs_b->walk.local = cfs_rq;
	} else {
		cfs_rq->csd_pending = true;
		if (list_empty(&rq->unthrottle_list))
			lab->pf.kick(lab->pf.ctx, rq->cpu, KICK_UNTHROTTLE);
		list_add_tail(&cfs_rq->csd_list, &rq->unthrottle_list);
	}
}

/* Pay one throttled queue what it lacks to 1 ns, or what there is. */
static void pay_queue(struct lab *lab, struct cfs_bandwidth *cfs_b, struct cfs_rq *cfs_rq)
{
	u64 amount;

	update_rq_clock(cfs_rq->rq);
	if (!cfs_rq->throttled || cfs_rq->csd_pending)
		return;
	if (lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_CHARGE) /* who still runs there, in the kernel, pays first */
		update_curr(lab, cfs_rq);
	/* unsigned: a throttled queue that drew runtime (to 5.2) lacks a huge amount, and takes all there is */
	amount = min_u64(1 - (u64)cfs_rq->runtime_remaining, walk_has(lab, cfs_b));
	walk_takes(lab, cfs_b, amount);
	cfs_rq->runtime_remaining += (s64)amount;
	cfs_rq->runtime_expires = cfs_b->walk.expires; /* the sequence is not touched */
	if (cfs_rq->runtime_remaining > 0)
		unthrottle_from_walk(lab, cfs_b, cfs_rq);
}

/* Go on with the walk.  False: it has to wait for what it spent, TIMER_DISTRIBUTE is armed. */
static bool walk_on(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct walk *walk = &cfs_b->walk;

	while (walk->cursor != &cfs_b->throttled_cfs_rq && walk_has(lab, cfs_b)) {
		struct cfs_rq *cfs_rq = list_entry(walk->cursor, struct cfs_rq, throttled_list);
		u64 wait;

		walk->cursor = walk->cursor->next;
		pay_queue(lab, cfs_b, cfs_rq);
		if (walk->cursor == &cfs_b->throttled_cfs_rq || !walk_has(lab, cfs_b))
			break;
		wait = lab->pf.spend(lab->pf.ctx, walk->cpu, COST_UNTHROTTLE, 1);
		if (wait) {
			lab->pf.timer_arm(lab->pf.ctx, TIMER_DISTRIBUTE, group_of(cfs_b), walk->cpu, lab_ktime(lab) + wait);
			return false;
		}
	}
	return true;
}

static void walk_end(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	struct cfs_rq *local = cfs_b->walk.local;

	walk_settle(lab, cfs_b);
	if (local && local->throttled) {
		update_rq_clock(local->rq);
		unthrottle_cfs_rq(lab, local);
	}
}

/* Walks for the period timer until nothing is throttled or the pool is empty.  False: it goes on later. */
static bool distribute_period(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	do {
		if (!cfs_b->walk.running)
			walk_begin(lab, cfs_b);
		if (!walk_on(lab, cfs_b))
			return false;
		walk_end(lab, cfs_b);
	} while (period_goes_on(lab, cfs_b));
	return true;
}

/* A queue that waits for its interrupt is paid for. */
static bool someone_waits_unpaid(const struct cfs_bandwidth *cfs_b)
{
	struct list_head *pos;

	list_for_each(pos, &cfs_b->throttled_cfs_rq)
		if (!list_entry(pos, struct cfs_rq, throttled_list)->csd_pending)
			return true;
	return false;
}

static bool period_goes_on(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	if (!cfs_b->runtime || list_empty(&cfs_b->throttled_cfs_rq))
		return false;
	return lab_rule(lab, BW_UNTHROTTLE) == BW_UNTHROTTLE_DIRECT || someone_waits_unpaid(cfs_b);
}

/* ---- the period timer ---- */

#define MAX_PERIOD (1 * SEC)

/*
 * Rule bw_stretch: processing took longer than a period four times in a row.  5.1-5.3 (2e8e19226398): x 147/128; from 5.4
 * (4929a4e6faa0): doubled, below one second.
 */
static void stretch_period(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	u64 period = cfs_b->period;

	switch (lab_rule(lab, BW_STRETCH)) {
	case BW_STRETCH_SCALED:
		cfs_b->period = min_u64(period * 147 / 128, MAX_PERIOD);
		cfs_b->quota = (u64)((unsigned __int128)cfs_b->quota * cfs_b->period / period);
		break;
	case BW_STRETCH_DOUBLED:
		if (period * 2 >= MAX_PERIOD)
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
	walk_begin(lab, cfs_b);
	if (walk_on(lab, cfs_b))
		walk_end(lab, cfs_b);
}

/* The time a walk had spent is over. */
static void resume_walk(struct lab *lab, struct cfs_bandwidth *cfs_b)
{
	if (cfs_b->walk.slack) {
		if (walk_on(lab, cfs_b))
			walk_end(lab, cfs_b);
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

void init_cfs_bandwidth(struct lab *lab, struct task_group *tg)
{
	struct cfs_bandwidth *cfs_b = &tg->cfs_bandwidth;

	cfs_b->quota = RUNTIME_INF;
	cfs_b->period = 100 * MS;
	cfs_b->hierarchical_quota = tg->parent && lab_rule(lab, BW_V2_HIERARCHY) == BW_V2_MIN ?
					    tg->parent->cfs_bandwidth.hierarchical_quota :
					    (s64)RUNTIME_INF;
	list_init(&cfs_b->throttled_cfs_rq);
}
