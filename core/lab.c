/* SPDX-License-Identifier: MIT */
/*
 * lab.c - a scheduler instance: how it comes to be, how it ends, and what may be asked of its tasks.
 *
 *	lab_create -- lab -- rq[cpu] (init_rq) -- the idle task runs
 *	               '---- the tunables, scaled by the CPUs online
 *
 * The verbs of lab.h are thin: each brings the clocks up to date, asks the fair class, and tells the machine.  Here are those that
 * change nothing but what is known; a task's are in task.c, wakeups in wake.c, the schedule pass in schedule.c.
 */
#include "core/sched.h"

/* ---- creation ---- */

/* Rule of the tunables: 1 + floor(log2(min(CPUs, 8))), except where a value was written by hand. */
static u64 tunable_factor(const struct lab *lab)
{
	int cpus = lab->nr_online < 8 ? lab->nr_online : 8;
	u64 factor = 1;

	for (; cpus > 1; cpus /= 2)
		factor++;
	return factor;
}

static u64 scaled_param(const struct lab *lab, enum param param)
{
	u64 value = lab->model.param[param];

	return lab->model.param_set[param] ? value : value * tunable_factor(lab);
}

void update_tunables(struct lab *lab)
{
	lab->latency = scaled_param(lab, PARAM_LATENCY);
	lab->min_granularity = scaled_param(lab, PARAM_MIN_GRANULARITY);
	lab->wakeup_granularity = scaled_param(lab, PARAM_WAKEUP_GRANULARITY);
	lab->base_slice = scaled_param(lab, PARAM_BASE_SLICE);
	lab->unscaled_slice = lab->base_slice / tunable_factor(lab);
	lab->nr_latency = (lab->latency + lab->min_granularity - 1) / lab->min_granularity;
}

static void init_rq(struct lab *lab, struct rq *rq, int cpu)
{
	rq->lab = lab;
	rq->cpu = cpu;
	rq->online = true;
	rq->idle.cpu = cpu;
	rq->idle.state = TASK_RUNNING;
	rq->idle.tg = &lab->root;
	rq->curr = &rq->idle;
	rq->clock = lab->pf.cpu_clock(lab->pf.ctx, cpu);
	list_init(&rq->unthrottle_list);
	list_init(&rq->wake_list);
	list_init(&rq->smp.cfs_tasks);
	list_init(&rq->smp.stop_works);
	list_init(&rq->smp.balance_work);
	init_cfs_rq(lab, &rq->cfs, rq, &lab->root);
	choose_path(rq);
	rq->idle.se.cfs_rq = &rq->cfs;
	rq_starts_running(rq);
}

struct lab *lab_create(const struct lab_config *cfg, const struct kernel_model *model, const struct platform *pf)
{
	struct lab *lab;
	int cpu;

	if (cfg->nr_cpus < 1 || cfg->nr_cpus > LAB_MAX_CPUS || !cfg->hz)
		return NULL;
	lab = pf->alloc(pf->ctx, sizeof(*lab));
	if (!lab)
		return NULL;
	lab->cfg = *cfg;
	lab->model = *model;
	lab->pf = *pf;
	lab->throttle = lab_rule(lab, BW_THROTTLE) == BW_THROTTLE_GROUP ? &throttle_group : &throttle_task;
	lab->looks_after_pick = lab->throttle == &throttle_task || lab_rule(lab, GATHER);
	lab->pick = lab_rule(lab, PICK) ? &pick_eevdf : &pick_vruntime;
	lab->tick_nsec = SEC / cfg->hz;
	lab->nr_online = cfg->nr_cpus;
	lab->ticks_done = lab_ktime(lab) - 1;
	lab->next_task_id = 1;
	lab->root.lab = lab;
	lab->root.shares = scale_load(lab, NICE_0_WEIGHT);
	list_init(&lab->root.children);
	list_init(&lab->root.siblings);
	list_init(&lab->blocked);
	list_init(&lab->tasks);
	init_cfs_bandwidth(lab, &lab->root);
	lab->groups_tail = &lab->root.next;
	lab->rqs = pf->alloc(pf->ctx, (size_t)cfg->nr_cpus * sizeof(*lab->rqs));
	if (!lab->rqs)
		return NULL;
	for (cpu = 0; cpu < cfg->nr_cpus; cpu++)
		init_rq(lab, cpu_rq(lab, cpu), cpu);
	update_tunables(lab);
	if (!init_domains(lab) || !build_domains(lab) || !init_balance(lab))
		return NULL;
	return lab;
}

void lab_destroy(struct lab *lab)
{
	lab_check(lab);
}

void lab_verb_done(struct lab *lab)
{
	if (unlikely(lab->cfg.check_laws))
		lab_check(lab);
}

/* ---- questions ---- */

u64 lab_read_runtime(struct lab *lab, struct task_struct *p)
{
	struct rq *rq = cpu_rq(lab, p->cpu);

	if (rq->curr == p) {
		update_rq_clock(rq);
		if (p->above_fair)
			update_curr_rt(rq);
		else
			update_curr(lab, p->se.cfs_rq);
		lab_verb_done(lab);
	}
	return p->se.sum_exec_runtime;
}

u32 lab_task_id(const struct task_struct *p) { return p->id; }
void *lab_task_owner(const struct task_struct *p) { return p->owner; }
int lab_task_cpu(const struct task_struct *p) { return p->cpu; }
bool lab_task_is_idle(const struct task_struct *p) { return task_is_idle_thread(p); }
struct task_group *lab_task_group(const struct task_struct *p) { return p->tg; }

bool lab_task_cut_off(const struct task_struct *p) { return !p->above_fair && cut_off(p->tg->lab, p->se.cfs_rq); }

void lab_task_stat(struct lab *lab, const struct task_struct *p, struct task_stat *st)
{
	*st = (struct task_stat){
		.runtime = p->se.sum_exec_runtime,
		.wait_throttled = p->wait_throttled,
		.wait_contended = p->wait_contended,
		.longest_pause = p->longest_pause,
		.nvcsw = p->nvcsw,
		.nivcsw = p->nivcsw,
		.migrations = p->migrations,
	};
	if (p->waiting) {
		u64 wait = cpu_rq(lab, p->cpu)->clock - p->wait_start;
		u64 throttled = p->above_fair ? 0 : min_u64(hierarchy_throttled_time(p->se.cfs_rq) - p->wait_hierarchy, wait);

		st->wait_throttled += throttled;
		st->wait_contended += wait - throttled;
		st->longest_pause = max_u64(st->longest_pause, wait);
	}
}
