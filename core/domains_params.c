/* SPDX-License-Identifier: MIT */
/*
 * domains_params.c - what a level is balanced by: its intervals, how uneven it may be, who prefers what.
 *
 *	level's kind and flags, CPUs in its span  ---+
 *	the kernel's row: rule sd_defaults, params --+--> struct sched_domain, on top of its CPU's list
 *
 * Rules: docs/rules/smp.md 1.2.
 */
#include "core/domains.h"

/*
 * Rule sd_defaults, to 3.15 (143e1e28cb40): each architecture's own numbers; these are x86's.  Later all intervals are the number
 * of CPUs in the span, in ms, and twice that.
 */
static const struct old_defaults {
	u32 min_interval, max_interval, busy_factor, imbalance_pct, tries;
} old_defaults[] = {
	[SD_KIND_SMT] = { 1, 2, 64, 110, 0 },
	[SD_KIND_CLUSTER] = { 1, 4, 64, 125, 1 },
	[SD_KIND_MC] = { 1, 4, 64, 125, 1 },
	[SD_KIND_PKG] = { 1, 4, 64, 125, 1 },
	[SD_KIND_NODE] = { 1, 4, 64, 125, 1 },
	[SD_KIND_NUMA] = { 8, 32, 32, 125, 2 },
};

/* Of the level of all nodes, where there are more than a NODE level of that time takes. */
#define OLD_NODES_PER_DOMAIN 16
static const struct old_defaults old_allnodes = { 64, 64, 128, 133, 1 };

static void set_old_defaults(struct builder *b, struct sched_domain *sd)
{
	const struct old_defaults *old = &old_defaults[sd->kind];

	sd->max_interval = old->max_interval;
	if (sd->kind == SD_KIND_NUMA && b->topo->nr_nodes > OLD_NODES_PER_DOMAIN) {
		old = &old_allnodes;
		sd->max_interval = (u64)old->max_interval * (u64)b->lab->nr_online;
		sd->flags &= ~(SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE);
	}
	if (sd->kind == SD_KIND_SMT)
		sd->flags &= ~SD_PREFER_SIBLING;
	sd->min_interval = old->min_interval;
	sd->busy_factor = old->busy_factor;
	sd->imbalance_pct = old->imbalance_pct;
	sd->cache_nice_tries = old->tries;
}

static u32 level_pct(const struct lab *lab, const struct sched_domain *sd)
{
	if (sd->flags & SD_SHARE_CPUCAPACITY)
		return (u32)lab->model.param[PARAM_IMBALANCE_PCT_SMT];
	if (sd->flags & SD_SHARE_LLC)
		return (u32)lab->model.param[PARAM_IMBALANCE_PCT_LLC];
	return (u32)lab->model.param[PARAM_IMBALANCE_PCT];
}

/* Rule sd_defaults: asked here. */
static void set_parameters(struct builder *b, struct sched_domain *sd)
{
	struct lab *lab = b->lab;

	if (lab_rule(lab, SD_DEFAULTS) == SD_DEFAULTS_ARCH) {
		set_old_defaults(b, sd);
	} else {
		sd->min_interval = (u64)sd->span_weight;
		sd->max_interval = 2 * (u64)sd->span_weight;
		sd->busy_factor = (u32)lab->model.param[PARAM_BUSY_FACTOR];
		sd->imbalance_pct = level_pct(lab, sd);
		sd->cache_nice_tries = sd->flags & SD_SHARE_CPUCAPACITY ? 0 : sd->flags & SD_NUMA ? 2 : 1;
	}
	sd->balance_interval = sd->min_interval;
}

void init_domain(struct builder *b, struct sched_domain *sd, enum sd_kind kind, unsigned flags, int cpu)
{
	u64 now = lab_jiffies(b->lab);

	sd->kind = kind;
	sd->flags = SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE | flags;
	if (!(flags & SD_NUMA))
		sd->flags |= SD_PREFER_SIBLING;
	set_parameters(b, sd);
	sd->last_balance = now;
	sd->last_decay_max_lb_cost = now;
	sd->newidle_call = 512; /* as if as many looks so far had paid as the ratio says */
	sd->newidle_ratio = (u32)b->lab->model.param[PARAM_NEWIDLE_RATIO];
	sd->newidle_success = sd->newidle_ratio / 2;
	sd->newidle_stamp = lab_ktime(b->lab);
	sd->child = b->top[cpu];
	if (sd->child)
		sd->child->parent = sd;
	b->top[cpu] = sd;
}

const char *domain_name(enum sd_kind kind)
{
	static const char *const names[] = {
		[SD_KIND_SMT] = "SMT", [SD_KIND_CLUSTER] = "CLS",   [SD_KIND_MC] = "MC",
		[SD_KIND_PKG] = "PKG", [SD_KIND_NODE] = "NODE", [SD_KIND_NUMA] = "NUMA",
	};

	return names[kind];
}
