/* SPDX-License-Identifier: MIT */
/*
 * write.c - writes to a group's files: the kernel's checks in the kernel's order, then all the effects.
 *
 * Each check has a sentence that is given back to whoever was refused; the first one that fails wins and nothing
 * is changed (docs/rules/bandwidth.md 1.4 to 1.6, fair.md 1.4).
 */
#include "core/sched.h"

#define MIN_QUOTA_PERIOD (1 * MS)
#define MAX_QUOTA ((((u64)1 << 44) - 1) * US)

struct limits {
	u64 quota, period, burst;
};

static bool is_limited(const struct limits *l) { return l->quota != RUNTIME_INF; }

/* Rule bw_max_quota (5.8, d505b8af5891). */
static bool quota_overflows(const struct lab *lab, const struct limits *l)
{
	return lab_rule(lab, BW_MAX_QUOTA) && is_limited(l) && l->quota > MAX_QUOTA;
}

/* Rule bw_refill (5.14): a burst exists. */
static bool burst_overflows(const struct lab *lab, const struct limits *l)
{
	return lab_rule(lab, BW_REFILL) == BW_REFILL_ADD && is_limited(l) &&
	       (l->burst > l->quota || l->burst + l->quota > MAX_QUOTA);
}

/* The sentence of the first check that fails, or NULL. */
static const char *refused(struct lab *lab, struct task_group *tg, const struct limits *l)
{
	if (!tg->parent)
		return "the root group is never limited";
	if (is_limited(l) && l->quota < MIN_QUOTA_PERIOD)
		return "a quota is at least 1 ms";
	if (l->period < MIN_QUOTA_PERIOD)
		return "a period is at least 1 ms";
	if (l->period > MAX_QUOTA_PERIOD)
		return "a period is at most 1 s";
	if (quota_overflows(lab, l))
		return "a quota is at most 2^44 - 1 us (rule bw_max_quota, 5.8)";
	if (burst_overflows(lab, l))
		return "a burst is at most the quota";
	if (check_hierarchy(lab, tg, l->period, l->quota, true))
		return "quota/period of a child may not exceed that of its parent";
	return NULL;
}

/* L := what the row leaves, and a throttled queue runs again: any write forgives all debt. */
static void reset_local_pools(struct lab *lab, struct task_group *tg)
{
	struct group_pair *pair;
	int cpu;

	for_each_pair(lab, tg, cpu, pair) {
		struct cfs_rq *cfs_rq = &pair->cfs_rq;

		if (!cfs_rq->rq->online)
			continue;
		update_rq_clock(cfs_rq->rq);
		cfs_rq->runtime_enabled = tg->cfs_bandwidth.quota != RUNTIME_INF;
		forget_local_runtime(lab, cfs_rq, lab_rule(lab, BW_WRITE_LEAVES) ? 1 : 0);
		if (cfs_rq->throttled)
			unthrottle_cfs_rq(lab, cfs_rq);
	}
}

static int set_limits(struct lab *lab, int cpu, struct task_group *tg, const struct limits *l, const char **why)
{
	struct cfs_bandwidth *cfs_b = &tg->cfs_bandwidth;
	const char *sentence = refused(lab, tg, l);

	if (sentence)
		return refuse(-EINVAL, sentence, why);
	cfs_b->period = l->period;
	cfs_b->quota = l->quota;
	cfs_b->burst = l->burst;
	if (is_limited(l))
		put_under_limit(lab, tg);
	refill_cfs_bandwidth_runtime(lab, cfs_b, cpu);
	restart_cfs_bandwidth(lab, cfs_b, cpu);
	reset_local_pools(lab, tg);
	return 0;
}

/* Rule bw_burst_unit: from 5.14 to 6.9 a write to cpu.max took the stored burst for microseconds (49217ea147df). */
static u64 burst_after_max(const struct lab *lab, u64 burst)
{
	return lab_rule(lab, BW_BURST_UNIT) == BW_BURST_DIVIDED ? burst / US : burst;
}

static int write_bandwidth(struct lab *lab, int cpu, struct task_group *tg, enum knob knob, u64 value, u64 value2,
			   const char **why)
{
	struct limits l = { tg->cfs_bandwidth.quota, tg->cfs_bandwidth.period, tg->cfs_bandwidth.burst };

	if (!FAIRGROUND_BANDWIDTH)
		return refuse(-ENOENT, "bandwidth control is not compiled in", why);
	switch (knob) {
	case KNOB_MAX:
		l.quota = value;
		if (value2)
			l.period = value2;
		l.burst = burst_after_max(lab, l.burst);
		break;
	case KNOB_QUOTA:
		l.quota = value;
		break;
	case KNOB_PERIOD:
		l.period = value;
		break;
	default:
		l.burst = value;
	}
	return set_limits(lab, cpu, tg, &l, why);
}

/* ---- weights ---- */

#define MIN_SHARES 2
#define MAX_SHARES (1 << 18)

/* Every CPU's entity is brought up to date and re-weighted at once, all the way up. */
static void reweight_group(struct lab *lab, struct task_group *tg)
{
	struct group_pair *pair;
	int cpu;

	for_each_pair(lab, tg, cpu, pair) {
		struct sched_entity *se = &pair->se;

		update_rq_clock(pair->cfs_rq.rq);
		for (; se; se = se->parent) {
			update_load_avg(lab, se->cfs_rq, se, UPDATE_TG);
			update_cfs_group(lab, se);
		}
	}
}

static int set_shares(struct lab *lab, struct task_group *tg, u64 shares, const char **why)
{
	if (!tg->parent)
		return refuse(-EINVAL, "the root group has no weight", why);
	if (tg->idle)
		return refuse(-EINVAL, "an idle group (cpu.idle 1) has no weight of its own", why);
	tg->shares = scale_load(lab, min_u64(max_u64(shares, MIN_SHARES), MAX_SHARES));
	reweight_group(lab, tg);
	return 0;
}

static u32 idle_tasks_of(const struct sched_entity *se)
{
	return se->my_q ? se->my_q->h_nr_idle : se_is_idle(se);
}

/* Tasks on @cfs_rq that are idle whatever its own group is. */
static u32 idle_tasks_below(const struct cfs_rq *cfs_rq)
{
	struct rb_node *node;
	u32 nr = 0;

	if (cfs_rq->curr && cfs_rq->curr->on_rq)
		nr += idle_tasks_of(cfs_rq->curr);
	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node))
		nr += idle_tasks_of(container_of(node, struct sched_entity, run_node));
	return nr;
}

/* @nr tasks below @se became idle (or, below 0, no longer are): so they count from here up to the next idle group. */
static void count_idle_up(struct sched_entity *se, s32 nr)
{
	for (; se && se->on_rq && !se->cfs_rq->tg->idle; se = se->parent) {
		se->cfs_rq->h_nr_idle += (u32)nr;
		if (se->cfs_rq->throttled && se->cfs_rq->rq->lab->throttle->takes_group_off)
			break;
	}
}

/* The group's tasks count as idle, or no longer do, on every level from its own up. */
static void switch_idle(struct lab *lab, struct task_group *tg, bool idle)
{
	struct group_pair *pair;
	int cpu;

	tg->idle = idle;
	tg->shares = scale_load(lab, idle ? WEIGHT_IDLEPRIO : NICE_0_WEIGHT); /* not what it was before */
	for_each_pair(lab, tg, cpu, pair) {
		struct cfs_rq *cfs_rq = &pair->cfs_rq;
		u32 is = idle ? cfs_rq->h_nr_running : idle_tasks_below(cfs_rq);
		s32 more = (s32)(is - cfs_rq->h_nr_idle);

		update_rq_clock(cfs_rq->rq);
		cfs_rq->h_nr_idle = is;
		count_idle_up(&pair->se, more);
	}
	reweight_group(lab, tg);
}

static int set_idle(struct lab *lab, struct task_group *tg, u64 value, const char **why)
{
	if (!lab_rule(lab, CPU_IDLE))
		return refuse(-EINVAL, "there is no cpu.idle in this row (rule cpu_idle, 5.15)", why);
	if (!tg->parent)
		return refuse(-EINVAL, "the root group cannot be idle", why);
	if (value > 1)
		return refuse(-EINVAL, "cpu.idle takes 0 or 1", why);
	if (tg->idle != (bool)value)
		switch_idle(lab, tg, value);
	return 0;
}

int lab_write(struct lab *lab, int cpu, struct task_group *tg, enum knob knob, u64 value, u64 value2, const char **why)
{
	int ret;

	switch (knob) {
	case KNOB_SHARES:
		ret = set_shares(lab, tg, value, why);
		break;
	case KNOB_WEIGHT:
		if (value < 1 || value > 10000)
			return refuse(-ERANGE, "cpu.weight takes 1 to 10000", why);
		ret = set_shares(lab, tg, shares_of_weight(value), why);
		break;
	case KNOB_WEIGHT_NICE:
		if ((s64)value < -20 || (s64)value > 19)
			return refuse(-ERANGE, "cpu.weight.nice takes -20 to 19", why);
		ret = set_shares(lab, tg, nice_weight((int)(s64)value), why);
		break;
	case KNOB_IDLE:
		ret = set_idle(lab, tg, value, why);
		break;
	default:
		ret = write_bandwidth(lab, cpu, tg, knob, value, value2, why);
	}
	lab_verb_done(lab);
	return ret;
}
