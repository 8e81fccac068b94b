/* SPDX-License-Identifier: MIT */
/*
 * eevdf.h - what the three files of the EEVDF policy share; private to them.
 *
 *	eevdf_queue.c	the mean V, who is eligible, the tree, slices, laws
 *	eevdf_place.c	what is carried along: leaving, joining, a change of weight, a delayed sleep
 *	pick_eevdf.c	turns: protection, the charge, the pick, wakeups, yield
 */
#ifndef CORE_EEVDF_H
#define CORE_EEVDF_H

#include "core/sched.h"

/* Sums over the queued entities, current included: weights, and weights times v (from the queue's zero point). */
struct vsum {
	s64 load, key;
};

struct vsum eevdf_sum(const struct lab *lab, const struct cfs_rq *cfs_rq);
/* V, rounded down. */
u64 eevdf_mean(struct lab *lab, struct cfs_rq *cfs_rq);
/* Is lag >= 0?  Without a division, because V itself is rounded. */
bool eevdf_eligible_at(const struct cfs_rq *cfs_rq, const struct vsum *sum, u64 vruntime);
bool eevdf_eligible(const struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *se);
s64 eevdf_weight(const struct lab *lab, const struct sched_entity *se);

/* The order of waiting entities: by deadline, equals in order of arrival.  These are hooks of pick_ops. */
void eevdf_insert(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
void eevdf_remove(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
bool eevdf_in_order(const struct sched_entity *a, const struct sched_entity *b);
bool eevdf_update(struct rb_node *node);
void eevdf_update_min(struct lab *lab, struct cfs_rq *cfs_rq);
void eevdf_check(struct lab *lab, const struct cfs_rq *cfs_rq);

/* The shortest and the longest request queued, current included; 0: nothing is queued. */
u64 eevdf_shortest_slice(const struct cfs_rq *cfs_rq);
u64 eevdf_longest_slice(const struct cfs_rq *cfs_rq);
void eevdf_renew_slice(const struct lab *lab, struct sched_entity *se); /* the base slice, unless it has one of its own */
void eevdf_take_group_slice(struct lab *lab, struct sched_entity *se);	/* of a group's entity, from what is queued inside */
void eevdf_joined(struct lab *lab, struct sched_entity *se);

/* eevdf_place.c: hooks of pick_ops. */
void eevdf_place(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
void eevdf_fork(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *parent, struct sched_entity *child);
void eevdf_leave(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
void eevdf_left(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
void eevdf_reweight(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight, u64 v);
bool eevdf_delays(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
void eevdf_undelay(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);

/* pick_eevdf.c: is the turn of @se, which is current, protected still? */
bool eevdf_is_protected(const struct lab *lab, const struct sched_entity *se);

#endif
