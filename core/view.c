/* SPDX-License-Identifier: MIT */
/* view.c - the inside of a lab, to look at; nothing here changes anything. */
#include "core/view.h"

#include "core/balance.h"
#include "core/sched.h"

void lab_view_bandwidth(struct lab *lab, const struct task_group *tg, struct cfs_bandwidth_view *v)
{
	const struct cfs_bandwidth *b = &tg->cfs_bandwidth;
	const struct list_head *pos;

	(void)lab;
	*v = (struct cfs_bandwidth_view){
		.period = b->period, .quota = b->quota, .burst = b->burst, .runtime = b->runtime,
		.hierarchical_quota = b->hierarchical_quota, .runtime_expires = b->runtime_expires,
		.expires_seq = b->expires_seq, .idle = b->idle, .period_active = b->period_active,
		.slack_started = b->slack_started, .distribute_running = b->walk.running,
		.period_expires = b->period_expires, .slack_expires = b->slack_expires,
		.nr_periods = b->nr_periods, .nr_throttled = b->nr_throttled, .throttled_time = b->throttled_time,
		.nr_bursts = b->nr_bursts, .burst_time = b->burst_time,
	};
	list_for_each(pos, &b->throttled_cfs_rq)
		v->nr_throttled_cfs_rq++;
}

bool lab_view_cfs_rq(struct lab *lab, const struct task_group *tg, int cpu, struct cfs_rq_view *v)
{
	const struct cfs_rq *q = group_cfs_rq(lab, tg, cpu);
	const struct group_pair *pair = group_pair(tg, cpu);

	if (!q)
		return false;
	*v = (struct cfs_rq_view){
		.nr_running = q->nr_running, .h_nr_running = q->h_nr_running,
		.load_weight = scale_load_down(lab, q->load.weight),
		.tg_se_weight = pair && tg->parent ? scale_load_down(lab, pair->se.load.weight) : 0,
		.min_vruntime = q->min_vruntime, .exec_clock = q->exec_clock,
		.load_avg = q->avg.load_avg, .runnable_avg = q->avg.runnable_avg, .util_avg = q->avg.util_avg,
		.tg_load_avg_contrib = q->tg_load_avg_contrib, .tg_load_avg = q->tg->load_avg,
		.runtime_enabled = q->runtime_enabled, .throttled = q->throttled, .runtime_remaining = q->runtime_remaining,
		.runtime_expires = q->runtime_expires == LONG_AGO(lab) ? 0 : q->runtime_expires,
		.expires_seq = q->expires_seq, .throttle_count = q->throttle_count,
		.throttled_clock = q->throttled_clock,
	};
	return true;
}

static struct sched_entity_view view_entity(const struct lab *lab, struct sched_entity *se, bool curr)
{
	return (struct sched_entity_view){
		.curr = curr,
		.task = entity_is_task(se) ? task_of(se)->id : 0,
		.group = entity_is_task(se) ? 0 : se->my_q->tg->id,
		.weight = scale_load_down(lab, se->load.weight),
		.vruntime = se->vruntime,
		.sum_exec_runtime = se->sum_exec_runtime,
	};
}

u32 lab_view_queue(struct lab *lab, const struct task_group *tg, int cpu, struct sched_entity_view *out, u32 max)
{
	const struct cfs_rq *q = group_cfs_rq(lab, tg, cpu);
	struct rb_node *node;
	u32 nr = 0;

	if (!q)
		return 0;
	if (q->curr && q->curr->on_rq && nr++ < max)
		out[0] = view_entity(lab, q->curr, true);
	for (node = rb_first(&q->timeline); node; node = rb_next(node)) {
		if (nr < max)
			out[nr] = view_entity(lab, container_of(node, struct sched_entity, run_node), false);
		nr++;
	}
	return nr;
}

void lab_view_cpu(struct lab *lab, int cpu, struct cpu_view *v)
{
	const struct rq_smp *smp = &cpu_rq(lab, cpu)->smp;

	*v = (struct cpu_view){
		.smt = smp->smt, .core = smp->core_id, .llc_first = smp->llc_id, .llc_size = smp->llc_size, .node = smp->node,
		.capacity = smp->capacity_orig,
	};
}

static const struct sched_domain *domain_at(struct lab *lab, int cpu, int level)
{
	const struct sched_domain *sd = cpu_rq(lab, cpu)->smp.sd;

	while (sd && level--)
		sd = sd->parent;
	return sd;
}

/* The interval of @sd, idle or @busy, were its balance_interval @ms. */
static u64 interval_of(struct lab *lab, const struct sched_domain *sd, u64 ms, bool busy)
{
	struct sched_domain at = *sd;

	at.balance_interval = ms;
	return level_interval(lab, &at, busy) * lab->tick_nsec;
}

bool lab_view_domain(struct lab *lab, int cpu, int level, struct domain_view *v)
{
	const struct sched_domain *sd = domain_at(lab, cpu, level);

	if (!sd)
		return false;
	*v = (struct domain_view){
		.name = domain_name(sd->kind), .span = sd->span, .span_weight = sd->span_weight, .nr_groups = sd->nr_groups,
		.newidle = sd->flags & SD_BALANCE_NEWIDLE, .exec = sd->flags & SD_BALANCE_EXEC, .fork = sd->flags & SD_BALANCE_FORK,
		.wake_affine = sd->flags & SD_WAKE_AFFINE, .share_cpu = sd->flags & SD_SHARE_CPUCAPACITY,
		.share_llc = sd->flags & SD_SHARE_LLC, .prefer_sibling = sd->flags & SD_PREFER_SIBLING,
		.serialize = sd->flags & SD_SERIALIZE, .numa = sd->flags & SD_NUMA,
		.busy_factor = sd->busy_factor, .imbalance_pct = sd->imbalance_pct, .cache_nice_tries = sd->cache_nice_tries,
		.imb_numa_nr = sd->imb_numa_nr, .min_interval = sd->min_interval * MS, .max_interval = sd->max_interval * MS,
		.idle_every = interval_of(lab, sd, sd->min_interval, false),
		.busy_every = interval_of(lab, sd, sd->min_interval, true),
		.idle_longest = interval_of(lab, sd, sd->max_interval, false),
		.busy_longest = interval_of(lab, sd, sd->max_interval, true),
	};
	return true;
}

void lab_view_domain_group(struct lab *lab, int cpu, int level, int index, struct domain_group_view *v)
{
	const struct sched_group *g = domain_at(lab, cpu, level)->groups[index];

	*v = (struct domain_group_view){
		.span = g->span, .balance_mask = g->balance_mask, .weight = g->weight, .cores = g->cores, .capacity = g->capacity,
	};
}
