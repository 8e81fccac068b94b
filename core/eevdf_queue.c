/* SPDX-License-Identifier: MIT */
/*
 * eevdf_queue.c - one queue of the EEVDF policy: where its mean is, who is owed time, and in which order they wait.
 *
 *	          root                        each node: its own d and v,
 *	        d=5  v=3  min v=1             and of its subtree the least v and the extreme slices
 *	      /            \
 *	  d=4 v=4        d=7 v=1              V = mean = 2: who is eligible and earliest?  Left of the root nobody is (least v 4), the root
 *	  min v=4        min v=1              is not, so right: d=7.
 *
 * Laws (eevdf_check): the sums are those of the tree; each node's summary is that of its subtree; somebody is eligible, because the
 * lags, weighed, add up to 0.
 * Rules: docs/rules/fair.md 4.2, 4.3.
 */
#include "core/eevdf.h"

static struct sched_entity *se_of(struct rb_node *node) { return container_of(node, struct sched_entity, run_node); }

static bool queued_curr(const struct cfs_rq *cfs_rq) { return cfs_rq->curr && cfs_rq->curr->on_rq; }

/* ---- the mean ---- */

s64 eevdf_weight(const struct lab *lab, const struct sched_entity *se) { return (s64)scale_load_down(lab, se->load.weight); }

/* v from the queue's zero point: small enough to be multiplied by weights. */
static s64 key_of(const struct cfs_rq *cfs_rq, u64 vruntime) { return (s64)(vruntime - cfs_rq->min_vruntime); }

static void add_to_sum(struct vsum *sum, const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	s64 weight = eevdf_weight(lab, se);

	sum->load += weight;
	sum->key += key_of(cfs_rq, se->vruntime) * weight;
}

struct vsum eevdf_sum(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	struct vsum sum = { cfs_rq->avg_load, cfs_rq->avg_vruntime };

	if (queued_curr(cfs_rq))
		add_to_sum(&sum, lab, cfs_rq, cfs_rq->curr);
	return sum;
}

static s64 floor_div(s64 a, s64 b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

u64 eevdf_mean(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct vsum sum = eevdf_sum(lab, cfs_rq);

	return cfs_rq->min_vruntime + (u64)(sum.load ? floor_div(sum.key, sum.load) : 0);
}

bool eevdf_eligible_at(const struct cfs_rq *cfs_rq, const struct vsum *sum, u64 vruntime)
{
	return sum->key >= key_of(cfs_rq, vruntime) * sum->load;
}

bool eevdf_eligible(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	struct vsum sum = eevdf_sum(lab, cfs_rq);

	return eevdf_eligible_at(cfs_rq, &sum, se->vruntime);
}

/* ---- the tree ---- */

static u64 min_slice_of(struct rb_node *node, u64 least) { return node ? min_u64(least, se_of(node)->min_slice) : least; }

static u64 max_slice_of(struct rb_node *node, u64 most) { return node ? max_u64(most, se_of(node)->max_slice) : most; }

static u64 min_v_of(struct rb_node *node, u64 least)
{
	return node && before(se_of(node)->min_vruntime, least) ? se_of(node)->min_vruntime : least;
}

/* The summary of @node's subtree anew; did it change? */
bool eevdf_update(struct rb_node *node)
{
	struct sched_entity *se = se_of(node);
	u64 v = min_v_of(node->right, min_v_of(node->left, se->vruntime));
	u64 least = min_slice_of(node->right, min_slice_of(node->left, se->slice));
	u64 most = max_slice_of(node->right, max_slice_of(node->left, se->slice));
	bool changed = v != se->min_vruntime || least != se->min_slice || most != se->max_slice;

	se->min_vruntime = v;
	se->min_slice = least;
	se->max_slice = most;
	return changed;
}

void eevdf_insert(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct rb_node **link = &cfs_rq->timeline.root, *parent = NULL;
	struct vsum sum = { cfs_rq->avg_load, cfs_rq->avg_vruntime };
	bool leftmost = true;

	add_to_sum(&sum, lab, cfs_rq, se);
	cfs_rq->avg_load = sum.load;
	cfs_rq->avg_vruntime = sum.key;
	while (*link) {
		parent = *link;
		if (before(se->deadline, se_of(parent)->deadline)) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert(&cfs_rq->timeline, &se->run_node, parent, link, leftmost);
}

void eevdf_remove(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	s64 weight = eevdf_weight(lab, se);

	rb_erase(&cfs_rq->timeline, &se->run_node);
	cfs_rq->avg_load -= weight;
	cfs_rq->avg_vruntime -= key_of(cfs_rq, se->vruntime) * weight;
}

bool eevdf_in_order(const struct sched_entity *a, const struct sched_entity *b) { return !before(b->deadline, a->deadline); }

/* The zero point follows the least v, so that keys stay small; no decision depends on it. */
void eevdf_update_min(struct lab *lab, struct cfs_rq *cfs_rq)
{
	u64 min;

	(void)lab;
	if (queued_curr(cfs_rq))
		min = min_v_of(cfs_rq->timeline.root, cfs_rq->curr->vruntime);
	else if (cfs_rq->timeline.root)
		min = se_of(cfs_rq->timeline.root)->min_vruntime;
	else
		return;
	if (!before(cfs_rq->min_vruntime, min))
		return;
	cfs_rq->avg_vruntime -= cfs_rq->avg_load * key_of(cfs_rq, min);
	cfs_rq->min_vruntime = min;
}

/* ---- slices ---- */

u64 eevdf_shortest_slice(const struct cfs_rq *cfs_rq)
{
	u64 least = min_slice_of(cfs_rq->timeline.root, queued_curr(cfs_rq) ? cfs_rq->curr->slice : UINT64_MAX);

	return least == UINT64_MAX ? 0 : least;
}

u64 eevdf_longest_slice(const struct cfs_rq *cfs_rq)
{
	return max_slice_of(cfs_rq->timeline.root, queued_curr(cfs_rq) ? cfs_rq->curr->slice : 0);
}

void eevdf_renew_slice(const struct lab *lab, struct sched_entity *se)
{
	if (!se->custom_slice)
		se->slice = lab->base_slice;
}

/* Rule group_slice (6.12, aef6987d8954): a group asks for what the shortest request inside asks for. */
void eevdf_take_group_slice(struct lab *lab, struct sched_entity *se)
{
	u64 slice;

	if (!se->my_q || !lab_rule(lab, GROUP_SLICE))
		return;
	slice = eevdf_shortest_slice(se->my_q);
	if (!slice || (slice == se->slice && se->custom_slice))
		return;
	se->slice = slice;
	se->custom_slice = true;
	if (se->on_rq && se != se->cfs_rq->curr)
		rb_propagate(&se->cfs_rq->timeline, &se->run_node);
}

/* Something was queued on, or has left, the queue @se stands for. */
void eevdf_joined(struct lab *lab, struct sched_entity *se)
{
	se = se->parent;
	for_each_sched_entity(se)
		eevdf_take_group_slice(lab, se);
}

/* ---- laws ---- */

static void check_node(struct lab *lab, const struct cfs_rq *cfs_rq, struct rb_node *node, struct vsum *sum)
{
	add_to_sum(sum, lab, cfs_rq, se_of(node));
	LAW(lab, !eevdf_update(node)); /* the summary of a subtree was right */
}

void eevdf_check(struct lab *lab, const struct cfs_rq *cfs_rq)
{
	struct vsum sum = { 0, 0 }, with_curr = eevdf_sum(lab, cfs_rq);
	bool eligible = false;
	struct rb_node *node;

	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node)) {
		check_node(lab, cfs_rq, node, &sum);
		eligible |= eevdf_eligible_at(cfs_rq, &with_curr, se_of(node)->vruntime);
	}
	LAW(lab, cfs_rq->avg_load == sum.load);
	LAW(lab, cfs_rq->avg_vruntime == sum.key);
	if (queued_curr(cfs_rq))
		eligible |= eevdf_eligible_at(cfs_rq, &with_curr, cfs_rq->curr->vruntime);
	LAW(lab, eligible || !cfs_rq->nr_running);
}
