/* SPDX-License-Identifier: MIT */
/*
 * pelt.c - how much load an entity or a queue has been: averages that halve in 32 ms.
 *
 *	time:  |--1024 units--|--------------|-------|  now		1 unit = 1024 ns
 *	weight      y^2             y            1			y^32 = 1/2
 *
 *	task running:  sums += weight of each unit        average = sum / what an endless run would have summed up to
 *	task asleep:   sums decay with its queue; it stays attached until it is removed or moves
 *	group:         child queue --(util, runnable copied; load rescaled)--> group entity --> parent queue
 *
 * Three sums go side by side: load (weighted, while queued), runnable (tasks queued) and util (while running).  All of it is
 * integers with the kernel's truncations, so results are equal bit by bit to updates made at the same moments.
 * Queues in a throttled hierarchy have a clock of their own that stands still meanwhile (pelt_clock).
 *
 * Laws: no average is above what its sums allow; a group's load_avg is the sum of what its CPUs have written (check.c).
 * Rules: docs/rules/fair.md section 6.
 */
#include "core/sched.h"

#define PERIOD 1024	/* units */
#define HALF_LIFE 32	/* periods */
#define FORGOTTEN (63 * HALF_LIFE) /* after as many periods nothing is left */
#define MAX_SUM 47742	/* of an endless run, in these integers */
#define CAPACITY 1024	/* of one CPU */

/* y^n * 2^32 */
static const u32 decay_of[HALF_LIFE] = {
	0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb, 0xdbfbb796,
	0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9, 0xbd08a39e, 0xb8fbaf46,
	0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9, 0xa2704302, 0x9ef5325f, 0x9b8d39b9,
	0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a, 0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698,
};

static u64 decay(u64 x, u64 periods)
{
	if (periods > FORGOTTEN)
		return 0;
	return (u64)(((unsigned __int128)(x >> (periods / HALF_LIFE)) * decay_of[periods % HALF_LIFE]) >> 32);
}

/* ---- one average ---- */

/* What the sums are divided by: an endless run, with as much of the current period as has passed. */
static u64 divider(const struct sched_avg *sa) { return MAX_SUM - PERIOD + sa->period_contrib; }

/* The least a divider can be: sums are never taken below their average times this. */
#define MIN_DIVIDER (MAX_SUM - PERIOD)

/* The part of the period it began in, whole periods, and the beginning of the last: each weighted by its age. */
static u64 stretch(u64 periods, u64 begun, u64 last)
{
	return decay(begun, periods) + (MAX_SUM - decay(MAX_SUM, periods) - PERIOD) + last;
}

/* What went on since the last update. */
struct activity {
	u64 load;     /* the weight, or 1 for an entity: its weight comes in later */
	u64 runnable; /* tasks */
	u64 running;  /* 0 or 1 */
};

/*
 * Account @units of @act.  True: a period ended, the averages have to be computed anew.  The sums are in variables in between: stored and read
 * again in another width they would have to leave the store buffer first.
 */
static inline bool accumulate(struct sched_avg *sa, u64 units, struct activity act)
{
	u64 since = sa->period_contrib + units, periods = since / PERIOD, contribution = units;
	u64 load = sa->load_sum, runnable = sa->runnable_sum, util = sa->util_sum;

	if (periods) {
		load = decay(load, periods);
		runnable = decay(runnable, periods);
		util = decay(util, periods);
		contribution = stretch(periods, PERIOD - sa->period_contrib, since % PERIOD);
	}
	sa->period_contrib = (u32)(since % PERIOD);
	if (act.load) {
		load += act.load * contribution;
		runnable += act.runnable * contribution << 10;
		util += act.running * contribution << 10;
	}
	sa->load_sum = load;
	sa->runnable_sum = runnable;
	sa->util_sum = util;
	return periods;
}

/* Whole units up to @now that have to be accounted; the rest of a unit waits. */
static inline u64 units_passed(struct sched_avg *sa, u64 now)
{
	s64 delta = (s64)(now - sa->last_update_time);
	u64 units;

	if (unlikely(delta < 0)) {
		sa->last_update_time = now;
		return 0;
	}
	units = (u64)delta >> 10;
	sa->last_update_time += units << 10;
	return units;
}

/* Does one end up to @now? */
static inline bool period_ends(const struct sched_avg *sa, u64 now)
{
	return sa->period_contrib + ((now - sa->last_update_time) >> 10) >= PERIOD;
}

/* @weight: of an entity; 1 for a queue, whose load_sum is weighted already. */
static void compute_averages(struct sched_avg *sa, u64 weight)
{
	u64 div = divider(sa);

	sa->load_avg = weight * sa->load_sum / div;
	sa->runnable_avg = sa->runnable_sum / div;
	sa->util_avg = sa->util_sum / div;
}

/* Take @avg and @sum away, as far as there is; then the sum is at least what the average needs. */
static void take_away(u64 *avg, u64 *sum, u64 less_avg, u64 less_sum)
{
	*avg -= min_u64(*avg, less_avg);
	*sum -= min_u64(*sum, less_sum);
	*sum = max_u64(*sum, *avg * MIN_DIVIDER);
}

static void change(u64 *value, s64 by)
{
	if (by < 0)
		*value -= min_u64(*value, (u64)-by);
	else
		*value += (u64)by;
}

/* ---- entities and queues ---- */

static u64 weight_of(const struct lab *lab, const struct sched_entity *se)
{
	return scale_load_down(lab, se->load.weight);
}

static struct activity activity_of_entity(const struct sched_entity *se)
{
	return (struct activity){
		.load = se->on_rq,
		.runnable = se->my_q ? se->runnable : se->on_rq,
		.running = se->cfs_rq->curr == se,
	};
}

static struct activity activity_of_queue(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return (struct activity){
		.load = scale_load_down(lab, cfs_rq->load.weight),
		.runnable = cfs_rq->h_nr_running,
		.running = cfs_rq->curr != NULL,
	};
}

/*
 * By @units, and nobody reads the averages before it is aged again up to @next: they are a function of the sums at the last end of a period, and are
 * left where another one ends by then.  Three divisions each time are most of what ageing costs.
 */
static inline void age_entity_by(const struct lab *lab, struct sched_entity *se, u64 units, u64 next)
{
	if (accumulate(&se->avg, units, activity_of_entity(se)) && !period_ends(&se->avg, next)) {
		compute_averages(&se->avg, weight_of(lab, se));
		se->avg.util_est &= ~UTIL_AVG_UNCHANGED;
	}
}

/* Most often it is up to date. */
static inline void age_entity(const struct lab *lab, struct sched_entity *se, u64 now)
{
	u64 units = units_passed(&se->avg, now);

	if (units)
		age_entity_by(lab, se, units, now);
}

/* A child queue tells its group's entity what joined (or, below 0, left) it, in units of unweighted load_sum. */
static void note_for_parent(struct cfs_rq *cfs_rq, s64 load_sum)
{
	cfs_rq->propagate = true;
	cfs_rq->propagate_load_sum += load_sum;
}

/* Those who woke up on another CPU have left their averages in the bin. */
static bool empty_removed_bin(struct cfs_rq *cfs_rq)
{
	struct sched_avg *sa = &cfs_rq->avg;
	struct removed bin = cfs_rq->removed;
	u64 div = divider(sa);

	if (likely(!bin.nr))
		return false;
	cfs_rq->removed = (struct removed){ 0 };
	take_away(&sa->load_avg, &sa->load_sum, bin.load_avg, bin.load_avg * div);
	take_away(&sa->runnable_avg, &sa->runnable_sum, bin.runnable_avg, bin.runnable_avg * div);
	take_away(&sa->util_avg, &sa->util_sum, bin.util_avg, bin.util_avg * div);
	note_for_parent(cfs_rq, -(s64)(bin.runnable_avg * div >> 10));
	return true;
}

/*
 * Rule cpu_load=runnable: the part of the root's load that is queued decays and grows beside the whole, as in kernels to 5.6.  To be called
 * before the whole is aged by @units.
 */
static void age_runnable_load(struct cfs_rq *cfs_rq, u64 units, u64 weight)
{
	u32 contrib = cfs_rq->avg.period_contrib;
	u64 since = contrib + units, periods = since / PERIOD, contribution = units;

	if (periods) {
		cfs_rq->runnable_load_sum = decay(cfs_rq->runnable_load_sum, periods);
		contribution = stretch(periods, PERIOD - contrib, since % PERIOD);
	}
	cfs_rq->runnable_load_sum += weight * contribution;
	if (periods)
		cfs_rq->runnable_load_avg = cfs_rq->runnable_load_sum / (MAX_SUM - PERIOD + since % PERIOD);
}

/* As age_entity_by(); true: a period ended. */
static inline bool age_queue_by(struct lab *lab, struct cfs_rq *cfs_rq, u64 units, u64 next)
{
	struct activity act = activity_of_queue(lab, cfs_rq);

	if (unlikely(cfs_rq->splits_load))
		age_runnable_load(cfs_rq, units, act.load);
	if (!accumulate(&cfs_rq->avg, units, act))
		return false;
	if (!period_ends(&cfs_rq->avg, next))
		compute_averages(&cfs_rq->avg, 1);
	return true;
}

static inline bool age_queue(struct lab *lab, struct cfs_rq *cfs_rq, u64 now)
{
	bool changed = empty_removed_bin(cfs_rq);
	u64 units = units_passed(&cfs_rq->avg, now);

	return (units && age_queue_by(lab, cfs_rq, units, now)) || changed;
}

/* ---- from a group's queue to its entity, and so to the parent's queue ---- */

static void copy_util(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 util_sum = se->my_q->avg.util_avg * divider(&cfs_rq->avg);

	change(&cfs_rq->avg.util_avg, (s64)(se->my_q->avg.util_avg - se->avg.util_avg));
	change(&cfs_rq->avg.util_sum, (s64)(util_sum - se->avg.util_sum));
	se->avg.util_avg = se->my_q->avg.util_avg;
	se->avg.util_sum = util_sum;
}

static void copy_runnable(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 runnable_sum = se->my_q->avg.runnable_avg * divider(&cfs_rq->avg);

	change(&cfs_rq->avg.runnable_avg, (s64)(se->my_q->avg.runnable_avg - se->avg.runnable_avg));
	change(&cfs_rq->avg.runnable_sum, (s64)(runnable_sum - se->avg.runnable_sum));
	se->avg.runnable_avg = se->my_q->avg.runnable_avg;
	se->avg.runnable_sum = runnable_sum;
}

/*
 * How long the group's entity has been queued, after @joined more joined its queue.  What joins may overlap with what is there, so it
 * adds up to at most an endless run.  Where something left it is an estimate: the queue's own load_sum for its weight.  Never less
 * than it has been running.
 */
static u64 queued_sum(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se, s64 joined)
{
	const struct cfs_rq *my_q = se->my_q;
	u64 weight = scale_load_down(lab, my_q->load.weight), sum;

	if (joined >= 0)
		sum = min_u64(se->avg.load_sum + (u64)joined, divider(&cfs_rq->avg));
	else
		sum = min_u64(se->avg.load_sum, weight ? my_q->avg.load_sum / weight : 0);
	return max_u64(sum, se->avg.util_sum >> 10);
}

static void rescale_load(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 weight = weight_of(lab, se), load_sum, load_avg;
	s64 joined = se->my_q->propagate_load_sum;

	if (!joined)
		return;
	se->my_q->propagate_load_sum = 0;
	load_sum = queued_sum(lab, cfs_rq, se, joined);
	load_avg = weight * load_sum / divider(&cfs_rq->avg);
	change(&cfs_rq->avg.load_avg, (s64)(load_avg - se->avg.load_avg));
	change(&cfs_rq->avg.load_sum, (s64)(weight * (load_sum - se->avg.load_sum)));
	if (cfs_rq->splits_load && se->on_rq) {
		change(&cfs_rq->runnable_load_avg, (s64)(load_avg - se->avg.load_avg));
		change(&cfs_rq->runnable_load_sum, (s64)(weight * (load_sum - se->avg.load_sum)));
	}
	se->avg.load_sum = load_sum;
	se->avg.load_avg = load_avg;
}

/* Has anything joined or left @se's own queue?  Then its averages, and those of @cfs_rq it is on, follow. */
static bool propagate(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (entity_is_task(se) || !se->my_q->propagate)
		return false;
	se->my_q->propagate = false;
	if (!cfs_rq->tg->parent)
		stain(cfs_rq->rq);
	note_for_parent(cfs_rq, se->my_q->propagate_load_sum);
	copy_util(cfs_rq, se);
	copy_runnable(cfs_rq, se);
	rescale_load(lab, cfs_rq, se);
	return true;
}

/* ---- joining and leaving a queue's averages ---- */

static void add_load(const struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	cfs_rq->avg.load_avg += se->avg.load_avg;
	cfs_rq->avg.load_sum += weight_of(lab, se) * se->avg.load_sum;
}

static void sub_load(const struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	take_away(&cfs_rq->avg.load_avg, &cfs_rq->avg.load_sum, se->avg.load_avg, weight_of(lab, se) * se->avg.load_sum);
}

void runnable_load_joins(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	cfs_rq->runnable_load_avg += se->avg.load_avg;
	cfs_rq->runnable_load_sum += weight_of(lab, se) * se->avg.load_sum;
}

void runnable_load_leaves(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	take_away(&cfs_rq->runnable_load_avg, &cfs_rq->runnable_load_sum, se->avg.load_avg, weight_of(lab, se) * se->avg.load_sum);
}

/* @se takes over the queue's clock and phase; its sums are made from its averages. */
static void attach(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct sched_avg *sa = &se->avg;
	u64 div = divider(&cfs_rq->avg);

	sa->last_update_time = cfs_rq->avg.last_update_time;
	sa->period_contrib = cfs_rq->avg.period_contrib;
	sa->util_sum = sa->util_avg * div;
	sa->runnable_sum = sa->runnable_avg * div;
	sa->load_sum = sa->load_avg * div / weight_of(lab, se);
	se->attached = true;
	if (!cfs_rq->tg->parent)
		stain(cfs_rq->rq);

	add_load(lab, cfs_rq, se);
	cfs_rq->avg.util_avg += sa->util_avg;
	cfs_rq->avg.util_sum += sa->util_sum;
	cfs_rq->avg.runnable_avg += sa->runnable_avg;
	cfs_rq->avg.runnable_sum += sa->runnable_sum;
	note_for_parent(cfs_rq, (s64)sa->load_sum);
}

static void detach(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	sub_load(lab, cfs_rq, se);
	take_away(&cfs_rq->avg.util_avg, &cfs_rq->avg.util_sum, se->avg.util_avg, se->avg.util_sum);
	take_away(&cfs_rq->avg.runnable_avg, &cfs_rq->avg.runnable_sum, se->avg.runnable_avg, se->avg.runnable_sum);
	note_for_parent(cfs_rq, -(s64)se->avg.load_sum);
	se->attached = false;
}

void update_load_avg(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags)
{
	u64 now = pelt_clock(cfs_rq);
	bool changed;

	if (se->attached)
		age_entity(lab, se, now);
	changed = age_queue(lab, cfs_rq, now);
	changed |= propagate(lab, cfs_rq, se);
	if (!se->attached && flags & DO_ATTACH) {
		attach(lab, cfs_rq, se);
		flags |= UPDATE_TG;
		changed = true;
	}
	if (flags & UPDATE_TG)
		update_group_load(lab, cfs_rq, changed, flags & LOAD_TICK);
}

void update_blocked_load(struct lab *lab, struct cfs_rq *cfs_rq)
{
	bool changed = age_queue(lab, cfs_rq, pelt_clock(cfs_rq));
	struct sched_entity *se;

	if (!cfs_rq->tg->parent)
		return;
	se = &group_pair(cfs_rq->tg, cfs_rq->rq->cpu)->se;
	update_group_load(lab, cfs_rq, changed, false);
	update_load_avg(lab, se->cfs_rq, se, UPDATE_TG);
}

void update_own_load(struct rq *rq)
{
	struct lab *lab = rq->lab;
	struct sched_entity *se = &rq->curr->se;
	struct cfs_rq *cfs_rq = &rq->cfs;

	if (!task_is_idle_thread(rq->curr) && !rq->curr->above_fair)
		cfs_rq = se->cfs_rq;
	update_group_load(lab, cfs_rq, age_queue(lab, cfs_rq, pelt_clock(cfs_rq)), false);
	if (!cfs_rq->tg->parent)
		return;
	for (se = se->parent; se; se = se->parent)
		update_load_avg(lab, se->cfs_rq, se, UPDATE_TG);
}

bool load_is_forgotten(const struct cfs_rq *cfs_rq)
{
	const struct sched_avg *sa = &cfs_rq->avg;

	return !sa->load_sum && !sa->runnable_sum && !sa->util_sum && !cfs_rq->removed.nr;
}

/* ---- ticks that were left out ---- */

/* @nr ticks in a row on the root queue, the last of them at @last, as update_load_avg() has them; nobody reads averages in between. */
static void root_ticks(struct rq *rq, struct sched_entity *se, u64 nr, u64 last)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;
	struct lab *lab = rq->lab;

	empty_removed_bin(cfs_rq);
	while (nr--) {
		rq->clock += lab->tick_nsec;
		age_entity_by(lab, se, units_passed(&se->avg, rq->clock), last);
		age_queue_by(lab, cfs_rq, units_passed(&cfs_rq->avg, rq->clock), last);
	}
}

void replay_load_ticks(struct rq *rq, u64 nr, u64 last)
{
	struct lab *lab = rq->lab;
	u64 clock = last - nr * lab->tick_nsec;

	rq->clock = clock;
	if (!rq->curr->se.parent) {
		root_ticks(rq, &rq->curr->se, nr, last);
		return;
	}
	for (; nr; nr--) {
		struct sched_entity *se = &rq->curr->se;

		rq->clock += lab->tick_nsec;
		for (; se; se = se->parent)
			update_load_avg(lab, se->cfs_rq, se, UPDATE_TG | LOAD_TICK);
	}
}

/* ---- the life of a task's averages ---- */

/* The levels above follow a task that was attached or detached apart from an enqueue. */
static void propagate_up(struct lab *lab, struct sched_entity *se)
{
	for (se = se->parent; se; se = se->parent) {
		if (ends_walk(lab, se->cfs_rq))
			break;
		update_load_avg(lab, se->cfs_rq, se, UPDATE_TG);
	}
}

void init_entity_load(const struct lab *lab, struct sched_entity *se, bool runs_at_once)
{
	se->avg = (struct sched_avg){ 0 };
	if (runs_at_once)
		se->avg.load_avg = weight_of(lab, se);
	se->attached = false;
}

/*
 * The weight in the limit is the stored one, which is scaled on 64 bits: so there it never bites (corrected in 6.12).
 */
void seed_new_task_util(struct sched_entity *se)
{
	const struct sched_avg *queue = &se->cfs_rq->avg;
	s64 cap = ((s64)CAPACITY - (s64)queue->util_avg) / 2;

	if (cap <= 0)
		return;
	se->avg.util_avg = (u64)cap;
	if (queue->util_avg)
		se->avg.util_avg = min_u64((u64)cap, queue->util_avg * se->load.weight / (queue->load_avg + 1));
	se->avg.runnable_avg = se->avg.util_avg;
}

void attach_load(struct lab *lab, struct sched_entity *se)
{
	update_load_avg(lab, se->cfs_rq, se, UPDATE_TG | DO_ATTACH);
	propagate_up(lab, se);
}

void detach_load(struct lab *lab, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	if (!se->attached)
		return;
	update_load_avg(lab, cfs_rq, se, 0);
	detach(lab, cfs_rq, se);
	update_group_load(lab, cfs_rq, true, false);
	propagate_up(lab, se);
}

void remove_load(struct lab *lab, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	if (!se->attached)
		return;
	age_entity(lab, se, cfs_rq->avg.last_update_time);
	cfs_rq->removed.nr++;
	cfs_rq->removed.load_avg += se->avg.load_avg;
	cfs_rq->removed.runnable_avg += se->avg.runnable_avg;
	cfs_rq->removed.util_avg += se->avg.util_avg;
	se->attached = false;
	watch_blocked_load(lab, cfs_rq);
}

void reweight_load(struct lab *lab, struct sched_entity *se, struct load_weight load)
{
	bool splits = se->cfs_rq && se->cfs_rq->splits_load && se->on_rq && se->attached;

	if (se->attached)
		sub_load(lab, se->cfs_rq, se);
	if (splits)
		runnable_load_leaves(lab, se->cfs_rq, se);
	se->load = load;
	if (!se->attached)
		return;
	se->avg.load_avg = weight_of(lab, se) * se->avg.load_sum / divider(&se->avg);
	add_load(lab, se->cfs_rq, se);
	if (splits)
		runnable_load_joins(lab, se->cfs_rq, se);
}
