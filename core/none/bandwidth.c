/* SPDX-License-Identifier: MIT */
/*
 * bandwidth.c - no limits: stands for bandwidth*.c and throttle*.c where bandwidth control is not compiled in (core/config.h).
 *
 * Writes to a limit are refused (write.c), so nothing here is ever asked for more than "no".
 */
#include "core/sched.h"

/* ---- what lab.h promises ---- */

void lab_set_phase(struct lab *lab __attribute__((unused)), struct task_group *tg, u64 phase)
{
	(void)tg;
	(void)phase;
}

void lab_timer(struct lab *lab, int cpu, enum timer_kind kind, struct task_group *tg)
{
	(void)tg;
	if (kind == TIMER_HRTICK)
		task_hrtick(cpu_rq(lab, cpu));
	lab_verb_done(lab);
}

void lab_user_return(struct lab *lab, int cpu)
{
	(void)cpu;
	lab_verb_done(lab);
}

bool lab_user_work(const struct lab *lab, int cpu)
{
	(void)lab;
	(void)cpu;
	return false;
}

/* ---- what the rest of core asks ---- */

void init_cfs_bandwidth(struct lab *lab, struct task_group *tg)
{
	(void)lab;
	tg->cfs_bandwidth.quota = RUNTIME_INF;
	tg->cfs_bandwidth.period = 100 * MS;
	tg->cfs_bandwidth.hierarchical_quota = (s64)RUNTIME_INF;
	list_init(&tg->cfs_bandwidth.throttled_cfs_rq);
}

u64 bw_hidden_by_walk(const struct lab *lab, const struct cfs_bandwidth *cfs_b)
{
	(void)lab;
	(void)cfs_b;
	return 0;
}

#define NOTHING(name, ...) void name(__VA_ARGS__) {}
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(choose_path, struct rq *rq)
NOTHING(run_unthrottle_list, struct rq *rq)
NOTHING(put_under_limit, struct lab *lab, struct task_group *tg)
NOTHING(expire_cfs_rq_runtime, struct lab *lab, struct cfs_rq *cfs_rq)
NOTHING(runtime_used_up, struct lab *lab, struct cfs_rq *cfs_rq)
NOTHING(forget_local_runtime, struct lab *lab, struct cfs_rq *cfs_rq, s64 leave)
NOTHING(refill_cfs_bandwidth_runtime, struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
NOTHING(restart_cfs_bandwidth, struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu)
NOTHING(unthrottle_cfs_rq, struct lab *lab, struct cfs_rq *cfs_rq)
NOTHING(check_enqueue_throttle, struct lab *lab, struct cfs_rq *cfs_rq)
NOTHING(last_has_left, struct lab *lab, struct cfs_rq *cfs_rq)
NOTHING(stop_pelt_clock, struct cfs_rq *cfs_rq)
NOTHING(give_throttle_work, struct rq *rq, struct task_struct *p)
NOTHING(park, struct task_struct *p)
NOTHING(unpark, struct task_struct *p)

bool out_of_runtime(struct lab *lab, struct cfs_rq *cfs_rq) { return false; }
bool path_is_right(const struct rq *rq) { return true; }
u64 local_ticks_left(struct lab *lab, struct cfs_rq *cfs_rq, u64 first, u64 to_tick) { return UINT32_MAX; }

/* Which policy a row has makes no difference. */
const struct throttle_ops throttle_group = { .takes_group_off = true };
const struct throttle_ops throttle_task = { .takes_group_off = true };
