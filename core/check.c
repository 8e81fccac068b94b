/* SPDX-License-Identifier: MIT */
/*
 * check.c - every law of the scheduler, recomputed from scratch.
 *
 * Walked after each verb where lab_config.check_laws asks for it.  A law that does not hold calls platform.bug with its text.
 */
#include "core/balance.h"

/* The entities of one queue, added up anew. */
struct sums {
	u64 weight;
	u32 nr, h_nr, h_idle;
};

static void add_entity(struct sums *sum, struct sched_entity *se)
{
	sum->weight += se->load.weight;
	sum->nr++;
	sum->h_nr += se->my_q ? se->my_q->h_nr_running : 1;
	sum->h_idle += se->my_q ? se->my_q->h_nr_idle : se_is_idle(se);
}

/* Each waiting entity stands right of the one before it. */
static void check_order(struct lab *lab, struct cfs_rq *cfs_rq, struct sums *sum)
{
	struct sched_entity *prev = NULL;
	struct rb_node *node;

	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node)) {
		struct sched_entity *se = container_of(node, struct sched_entity, run_node);

		LAW(lab, se->on_rq && se->cfs_rq == cfs_rq && se != cfs_rq->curr);
		LAW(lab, !prev || lab->pick->in_order(prev, se));
		add_entity(sum, se);
		prev = se;
	}
	LAW(lab, rb_check(&cfs_rq->timeline) == (s64)sum->nr);
	if (lab->pick->check)
		lab->pick->check(lab, cfs_rq);
}

static void check_buddy(struct lab *lab, const struct cfs_rq *cfs_rq, const struct sched_entity *buddy)
{
	if (!buddy)
		return;
	LAW(lab, buddy->on_rq && buddy->cfs_rq == cfs_rq);
	LAW(lab, !buddy->my_q || !ends_walk(lab, buddy->my_q));
}

static void check_queue(struct lab *lab, struct cfs_rq *cfs_rq)
{
	struct sums sum = { 0, 0, 0, 0 };

	check_order(lab, cfs_rq, &sum);
	if (cfs_rq->curr && cfs_rq->curr->on_rq)
		add_entity(&sum, cfs_rq->curr);
	LAW(lab, cfs_rq->nr_running == sum.nr);
	LAW(lab, cfs_rq->load.weight == sum.weight);
	LAW(lab, cfs_rq->h_nr_running == sum.h_nr);
	LAW(lab, cfs_rq->h_nr_idle == (cfs_rq->tg->idle ? sum.h_nr : sum.h_idle));
	check_buddy(lab, cfs_rq, cfs_rq->next);
	check_buddy(lab, cfs_rq, cfs_rq->last);
}

/* What the cheaper copies of the switch path rely on. */
static void check_path(struct lab *lab, const struct cfs_rq *cfs_rq)
{
	bool throttles = cfs_rq->throttled || cfs_rq->throttle_count || cfs_rq->hierarchy_throttled;

	LAW(lab, !throttles || cfs_rq->rq->throttles);
	LAW(lab, cfs_rq->tg->under_limit || !(throttles || cfs_rq->runtime_enabled));
	LAW(lab, cfs_rq->tg->under_limit || !cfs_rq->tg->parent->under_limit);
}

/* Flags, counts and the place in the hierarchy of one group on one CPU. */
static void check_pair(struct lab *lab, struct group_pair *pair)
{
	const struct cfs_rq *cfs_rq = &pair->cfs_rq;
	const struct cfs_rq *above = pair->se.cfs_rq;
	u32 count = above->throttle_count + cfs_rq->throttled;

	LAW(lab, above == group_cfs_rq(lab, cfs_rq->tg->parent, cfs_rq->rq->cpu));
	LAW(lab, cfs_rq->throttled == !list_empty(&cfs_rq->throttled_list));
	check_path(lab, cfs_rq);
	LAW(lab, !cfs_rq->csd_pending || !list_empty(&cfs_rq->csd_list));
	LAW(lab, pair->se.on_rq == ((cfs_rq->nr_running && !ends_walk(lab, cfs_rq)) || pair->se.sched_delayed));
	if (lab_rule(lab, BW_CHILD_COUNT))
		LAW(lab, cfs_rq->throttle_count == count);
}

/* A parked task is on no queue, and below a throttled one. */
static void check_limbo(struct lab *lab, const struct cfs_rq *cfs_rq)
{
	struct list_head *pos;

	LAW(lab, list_empty(&cfs_rq->limbo) || throttled_hierarchy(cfs_rq));
	list_for_each(pos, &cfs_rq->limbo) {
		const struct task_struct *p = list_entry(pos, struct task_struct, limbo);

		LAW(lab, p->parked && !p->se.on_rq && p->se.cfs_rq == cfs_rq);
	}
}

/* granted + created == pool + held + charged + lost, as signed sums. */
static void check_ledger(struct lab *lab, const struct task_group *tg)
{
	struct group_stat st;
	const struct bw_ledger *l = &st.ledger;

	lab_group_stat(lab, tg, &st);
	LAW(lab, l->granted + (u64)l->created == l->pool + (u64)l->held + l->charged + l->lost);
}

/* What the CPUs have written is what the group adds up to. */
static void check_group_load(struct lab *lab, const struct task_group *tg)
{
	struct group_pair *pair;
	u64 load = 0;
	u32 nr = 0;
	int cpu;

	for_each_pair(lab, tg, cpu, pair) {
		load += pair->cfs_rq.tg_load_avg_contrib;
		nr += pair->cfs_rq.tg_load_avg_contrib != 0;
	}
	LAW(lab, tg->load_avg == load);
	LAW(lab, tg->nr_contribs == nr);
	LAW(lab, (tg->sole != NULL) == (nr == 1));
	LAW(lab, !tg->sole || tg->sole->tg_load_avg_contrib == load);
}

static void check_group(struct lab *lab, struct task_group *tg)
{
	struct group_pair *pair;
	u32 listed = 0, throttled = 0;
	struct list_head *pos;
	int cpu;

	for_each_pair(lab, tg, cpu, pair) {
		check_pair(lab, pair);
		check_queue(lab, &pair->cfs_rq);
		check_limbo(lab, &pair->cfs_rq);
		throttled += pair->cfs_rq.throttled;
	}
	list_for_each(pos, &tg->cfs_bandwidth.throttled_cfs_rq)
		listed++;
	LAW(lab, listed == throttled);
	check_group_load(lab, tg);
	check_ledger(lab, tg);
}

/* Queues below a limit with somebody on them. */
static u32 limited_queues(struct lab *lab, const struct rq *rq)
{
	const struct task_group *tg;
	u32 nr = 0;

	for_each_group_below(tg, &lab->root) {
		const struct group_pair *pair = group_pair(tg, rq->cpu);

		nr += pair && tg->under_limit && pair->cfs_rq.nr_running;
	}
	return nr;
}

static u32 delayed_on(const struct cfs_rq *cfs_rq)
{
	struct rb_node *node;
	u32 nr = 0;

	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node)) {
		struct sched_entity *se = container_of(node, struct sched_entity, run_node);

		nr += entity_is_task(se) && se->sched_delayed;
	}
	return nr;
}

/* Tasks that sleep in a queue of this CPU. */
static u32 delayed_tasks(struct lab *lab, const struct rq *rq)
{
	const struct task_group *tg;
	u32 nr = 0;

	for_each_group_below(tg, &lab->root) {
		const struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, rq->cpu);

		nr += cfs_rq ? delayed_on(cfs_rq) : 0;
	}
	return nr;
}

/* Tasks that stand on @cfs_rq itself. */
static u32 tasks_queued_on(const struct cfs_rq *cfs_rq)
{
	u32 nr = cfs_rq->curr && cfs_rq->curr->on_rq && entity_is_task(cfs_rq->curr);
	struct rb_node *node;

	for (node = rb_first(&cfs_rq->timeline); node; node = rb_next(node))
		nr += entity_is_task(container_of(node, struct sched_entity, run_node));
	return nr;
}

/* The list from which a balancer takes: who is queued and fair, below a limit or not; and what those who are awake usually use. */
static void check_cfs_tasks(struct lab *lab, const struct rq *rq)
{
	const struct task_group *tg;
	struct list_head *pos;
	u32 queued = 0, listed = 0, usual = 0;

	for_each_group_below(tg, &lab->root) {
		const struct cfs_rq *cfs_rq = group_cfs_rq(lab, tg, rq->cpu);

		queued += cfs_rq ? tasks_queued_on(cfs_rq) : 0;
	}
	list_for_each(pos, &rq->smp.cfs_tasks) {
		const struct task_struct *p = list_entry(pos, struct task_struct, group_node);

		LAW(lab, p->se.on_rq && p->cpu == rq->cpu && !p->above_fair);
		listed++;
		usual += p->se.sched_delayed ? 0 : p->util_usual;
	}
	LAW(lab, listed == queued);
	LAW(lab, rq->cfs.avg.util_est == usual);
	LAW(lab, rq->smp.active_balance == !list_empty(&rq->smp.balance_work));
}

/* Who was sent here waits on the list and nowhere else. */
static void check_wake_list(struct lab *lab, const struct rq *rq)
{
	struct list_head *pos;

	LAW(lab, rq->smp.ttwu_pending == !list_empty(&rq->wake_list));
	list_for_each(pos, &rq->wake_list) {
		const struct task_struct *p = list_entry(pos, struct task_struct, wake_entry);

		LAW(lab, p->state == TASK_WAKING && p->cpu == rq->cpu && !p->se.on_rq);
	}
}

/* The first above fair runs, or is about to. */
static void check_rt(struct lab *lab, const struct rq *rq)
{
	struct rb_node *first = rb_first(&rq->rt.queue);

	LAW(lab, rb_check(&rq->rt.queue) == (s64)rq->rt.nr);
	LAW(lab, rq->need_resched || (first ? first == &rq->curr->se.run_node : !rq->curr->above_fair));
	LAW(lab, !rq->curr->above_fair || !rq->cfs.curr);
}

/* What runs is current on every level of its chain; nobody who may run is forgotten. */
static void check_rq(struct lab *lab, struct rq *rq)
{
	struct sched_entity *se = &rq->curr->se;

	check_queue(lab, &rq->cfs);
	LAW(lab, rq->nr_running == rq->cfs.h_nr_running + rq->rt.nr);
	check_rt(lab, rq);
	check_wake_list(lab, rq);
	LAW(lab, bit_test(lab->smp.stained, rq->cpu) || (is_blank(rq) && !rq->smp.ttwu_pending));
	LAW(lab, rq->nr_delayed == delayed_tasks(lab, rq));
	check_cfs_tasks(lab, rq);
	LAW(lab, rq->nr_limited == limited_queues(lab, rq));
	LAW(lab, path_is_right(rq));
	if (rq->curr->above_fair)
		return;
	if (task_is_idle_thread(rq->curr)) {
		LAW(lab, !rq->cfs.nr_running || rq->need_resched);
		return;
	}
	for (; se; se = se->parent)
		LAW(lab, se->cfs_rq->curr == se);
}

/* What a balancer knows of all CPUs without looking at each. */
static void check_crowd(struct lab *lab)
{
	u32 crowded = 0;
	int cpu;

	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		crowded += cpu_rq(lab, cpu)->nr_running > 1;
	LAW(lab, lab->smp.nr_crowded == crowded);
	LAW(lab, lab->smp.nr_nohz == bit_count(lab->smp.nohz_mask, lab->cfg.nr_cpus));
}

int lab_check(struct lab *lab)
{
	struct task_group *tg;
	int cpu;

	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		check_rq(lab, cpu_rq(lab, cpu));
	check_crowd(lab);
	for_each_group_below(tg, &lab->root)
		if (tg->parent)
			check_group(lab, tg);
	return 0;
}
