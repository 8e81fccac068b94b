/* SPDX-License-Identifier: MIT */
/*
 * shares.c - how much of a group's shares its entity on one CPU weighs.
 *
 *	queue on CPU 0: load 2048 ---writes---> task_group.load_avg = 3072 <---writes--- queue on CPU 1: load 1024
 *	      entity weighs shares * 2048 / 3072                            entity weighs shares * 1024 / 3072
 *
 * A CPU writes its load only when it has changed by more than a small part, so that the sum, which all share, stays quiet; and
 * each CPU reads the others through that sum, never directly.
 *
 * Laws (check.c): load_avg is the sum of tg_load_avg_contrib, nr_contribs counts those that are not 0, sole is the only one.
 * Rules: docs/rules/fair.md 5.2.
 */
#include "core/sched.h"

#define MIN_SHARES 2 /* of the stored weight */
#define LOAD_WINDOW (10 * MS)
#define AGE_BLOCKED_EVERY (32 * MS)

/* Rule group_load: to 3.7 weights in windows of 10 ms, from 3.8 decaying averages. */
static bool load_is_windowed(const struct lab *lab) { return !lab_rule(lab, GROUP_LOAD); }

/* ---- what a queue tells its group ---- */

bool group_weight_stays(const struct sched_entity *se)
{
	const struct task_group *tg = se->my_q->tg;

	return tg->sole == se->my_q && se->load.weight == tg->shares;
}

/*
 * A CPU that has all of its groups' load to itself leaves out ticks, and so writes late.  Before another one reads that sum, or
 * adds to it, it charges those that have passed.
 */
static void settle_sole(const struct cfs_rq *reader)
{
	struct cfs_rq *sole = reader->tg->sole;

	if (sole && sole != reader)
		settle_ticks(sole->rq);
}

/* The only one of @tg's queues that has written load. */
static struct cfs_rq *find_sole(struct lab *lab, struct task_group *tg)
{
	struct group_pair *pair;
	int cpu;

	for_each_pair(lab, tg, cpu, pair)
		if (pair->cfs_rq.tg_load_avg_contrib)
			return &pair->cfs_rq;
	return NULL;
}

static void write_load(struct lab *lab, struct cfs_rq *cfs_rq, u64 load)
{
	struct task_group *tg = cfs_rq->tg;
	u64 last = cfs_rq->tg_load_avg_contrib;

	settle_sole(cfs_rq);
	tg->load_avg += load - last;
	cfs_rq->tg_load_avg_contrib = load;
	cfs_rq->tg_load_written = cfs_rq->rq->clock;
	if (!load == !last)
		return;
	tg->nr_contribs += load ? 1 : -1;
	if (tg->nr_contribs != 1)
		tg->sole = NULL;
	else
		tg->sole = load ? cfs_rq : find_sole(lab, tg);
}

/* Write @load where it differs from what was written last by more than one part in @part of that. */
static void write_where_changed(struct lab *lab, struct cfs_rq *cfs_rq, u64 load, u64 part)
{
	u64 last = cfs_rq->tg_load_avg_contrib;

	if ((load > last ? load - last : last - load) > last / part)
		write_load(lab, cfs_rq, load);
}

/*
 * The weight of @cfs_rq since the last update goes into its window, which is halved, time and all, when it has grown longer than
 * 10 ms; it is emptied where nothing was queued for four of them.
 */
static void update_load_window(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct load_window *w = &cfs_rq->window;
	u64 now = pelt_clock(cfs_rq), delta = now - w->stamp;

	if (w->stamp > w->last && now - w->last > 4 * LOAD_WINDOW) {
		w->period = w->sum = 0;
		delta = LOAD_WINDOW - 1;
	}
	w->stamp = now;
	w->period += delta;
	w->sum += delta * scale_load_down(lab, cfs_rq->load.weight);
	if (cfs_rq->load.weight)
		w->last = now;
	if (w->period > LOAD_WINDOW || !w->period)
		write_where_changed(lab, cfs_rq, w->sum / (w->period + 1), 8);
	for (; w->period > LOAD_WINDOW; w->sum /= 2)
		w->period /= 2;
}

/* A tick looks at a window only when there is a whole one of news. */
static bool window_is_fresh(const struct cfs_rq *cfs_rq) { return pelt_clock(cfs_rq) - cfs_rq->window.stamp <= LOAD_WINDOW; }

/* Rule group_load_rate: from 6.7 (1528c661c24b) at most once in a millisecond. */
static bool may_write(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return !lab_rule(lab, GROUP_LOAD_RATE) || cfs_rq->rq->clock - cfs_rq->tg_load_written >= 1 * MS;
}

void update_group_load(struct lab *lab, struct cfs_rq *cfs_rq, bool changed, bool tick)
{
	if (!cfs_rq->tg->parent || !cfs_rq->rq->online)
		return;
	if (!load_is_windowed(lab)) {
		if (changed && may_write(lab, cfs_rq))
			write_where_changed(lab, cfs_rq, cfs_rq->avg.load_avg, 64);
	} else if (!tick || !window_is_fresh(cfs_rq)) {
		update_load_window(lab, cfs_rq);
	}
}

void clear_group_load(struct lab *lab, struct cfs_rq *cfs_rq)
{
	write_load(lab, cfs_rq, 0);
	list_del(&cfs_rq->blocked_list);
}

/* ---- what its entity weighs ---- */

static u64 queue_load(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	u64 weight = scale_load_down(lab, cfs_rq->load.weight);

	return load_is_windowed(lab) ? weight : max_u64(weight, cfs_rq->avg.load_avg);
}

static u64 group_share(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	const struct task_group *tg = cfs_rq->tg;
	u64 load = queue_load(lab, cfs_rq);
	u64 total, share = tg->shares * load;

	settle_sole(cfs_rq);
	total = tg->load_avg - cfs_rq->tg_load_avg_contrib + load;
	if (total)
		share /= total;
	return min_u64(max_u64(share, MIN_SHARES), tg->shares);
}

/* A throttled group keeps what it has; rule empty_weight: so does an empty one from 6.13 and 6.12.11 (66951e4860d3). */
static bool keeps_weight(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return throttled_hierarchy(cfs_rq) || (!cfs_rq->nr_running && lab_rule(lab, EMPTY_WEIGHT));
}

void update_cfs_group(struct lab *lab, struct sched_entity *se)
{
	struct cfs_rq *my_q = se->my_q;
	u64 weight;

	if (!my_q || keeps_weight(lab, my_q))
		return;
	weight = group_share(lab, my_q);
	if (se->load.weight != weight)
		reweight_entity(lab, se->cfs_rq, se, weight);
}

/* ---- load that nobody is there to age ---- */

/*
 * The load of a queue whose tasks sleep, or have left, decays only when somebody looks.  In the kernel that is the balancer's work:
 * every 32 ms at some busy CPU's tick for those that sleep.  This stands in for it.  An idle CPU's root queue is among them where tasks
 * may move, for only then anybody reads it.
 */
void watch_blocked_load(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if ((cfs_rq->tg->parent || lab->nr_movable) && list_empty(&cfs_rq->blocked_list))
		list_add_tail(&cfs_rq->blocked_list, &lab->blocked);
}

u64 blocked_load_due(const struct lab *lab)
{
	u64 due = lab->blocked_aged + AGE_BLOCKED_EVERY, tick = lab->tick_nsec;

	if (list_empty(&lab->blocked))
		return NEVER;
	return due + (tick - (due - lab->cfg.tick_base) % tick) % tick;
}

/* Somebody is queued there again and ages it. */
static bool is_looked_after(const struct cfs_rq *cfs_rq) { return cfs_rq->nr_running && !cfs_rq->removed.nr; }

static bool is_gone(const struct cfs_rq *cfs_rq)
{
	return load_is_forgotten(cfs_rq) && !cfs_rq->window.sum && !cfs_rq->tg_load_avg_contrib;
}

/* False: it need not be watched any more. */
static bool age_one(struct lab *lab, struct cfs_rq *cfs_rq)
{
	if (is_looked_after(cfs_rq))
		return false;
	update_rq_clock(cfs_rq->rq);
	update_blocked_load(lab, cfs_rq);
	return !is_gone(cfs_rq);
}

void age_blocked_load(struct lab *lab)
{
	struct list_head *pos, *next;

	lab->blocked_aged = lab_ktime(lab);
	for (pos = lab->blocked.next; pos != &lab->blocked; pos = next) {
		next = pos->next;
		if (!age_one(lab, list_entry(pos, struct cfs_rq, blocked_list)))
			list_del(pos);
	}
}
