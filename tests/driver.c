/* SPDX-License-Identifier: MIT */
/*
 * driver.c - a platform that only takes notes.
 *
 * All memory hangs on one chain, so that a lab that could not be finished is freed as well.
 */
#include "tests/test.h"

#include "tests/driver.h"

#include <stdlib.h>

#define EPOCH (1000 * SEC)

struct chunk {
	struct chunk *next;
	u64 pad; /* keeps what follows at 16 bytes */
};

/* ---- the platform ---- */

static u64 pf_ktime(void *ctx) { return ((struct driver *)ctx)->now; }

static u64 pf_cpu_clock(void *ctx, int cpu)
{
	struct driver *d = ctx;

	return d->now + (u64)d->skew[cpu];
}

static struct driver_timer *timer_slot(struct driver *d, enum timer_kind kind, const struct task_group *tg)
{
	return &d->timer[lab_group_id(tg)][kind];
}

static void pf_timer_arm(void *ctx, enum timer_kind kind, struct task_group *tg, int cpu, u64 when)
{
	struct driver *d = ctx;

	*timer_slot(d, kind, tg) = (struct driver_timer){ true, when - d->epoch, cpu };
}

static void pf_timer_cancel(void *ctx, enum timer_kind kind, struct task_group *tg)
{
	timer_slot(ctx, kind, tg)->armed = false;
}

static void pf_hrtick_arm(void *ctx, int cpu, u64 when)
{
	struct driver *d = ctx;

	d->hrtick[cpu] = (struct driver_timer){ when != NEVER, when - d->epoch, cpu };
}

static void pf_kick(void *ctx, int cpu, enum kick why)
{
	struct driver *d = ctx;

	switch (why) {
	case KICK_RESCHED:
	case KICK_RESCHED_LAZY: /* threads of the driver are always about to return to user mode */
		d->resched[cpu] = true;
		break;
	case KICK_USER_RETURN:
		d->user_return[cpu] = true;
		break;
	case KICK_SOFTIRQ:
	case KICK_NOHZ_BALANCE:
		d->softirq[cpu] = true;
		break;
	default:
		d->ipi[cpu] = true;
	}
}

static enum cpu_state pf_cpu_state(void *ctx, int cpu)
{
	struct driver *d = ctx;

	if (!lab_task_is_idle(lab_curr(d->lab, cpu)))
		return CPU_RUNNING;
	return d->polling[cpu] ? CPU_POLLING : CPU_DEEP;
}

static u64 pf_random(void *ctx, enum lab_stream stream)
{
	(void)stream;
	return ((struct driver *)ctx)->random;
}

static u64 pf_spend(void *ctx, int cpu, enum cost_kind kind, u32 n)
{
	struct driver *d = ctx;

	(void)cpu;
	if (kind == COST_SCAN) {
		d->scanned += n;
		return d->scan_cost * n;
	}
	return kind == COST_UNTHROTTLE ? d->walk_cost * n : 0;
}

static void pf_emit(void *ctx, const struct event *ev)
{
	struct driver *d = ctx;

	d->events[ev->type]++;
	d->last[ev->type] = *ev;
	d->last[ev->type].time -= d->epoch;
}

static void pf_bug(void *ctx, const char *file, int line, const char *law)
{
	struct driver *d = ctx;

	if (d->law)
		d->law(law);
	fail_msg("a law is broken at %" PRIu64 " ns: %s (%s:%d)", d->now - d->epoch, law, file, line);
	abort();
}

static void *pf_alloc(void *ctx, size_t size)
{
	struct driver *d = ctx;
	struct chunk *chunk;

	if (!d->allocs_left)
		return NULL;
	if (d->allocs_left > 0)
		d->allocs_left--;
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->next = d->chunks;
	d->chunks = chunk;
	d->bytes += size;
	d->nr_allocs++;
	return chunk + 1;
}

/* ---- life ---- */

static void take_model(struct driver *d, const struct driver_args *args)
{
	u32 i;

	if (model_init(&d->model, args->row ? args->row : "5.10"))
		fail_msg("there is no row %s", args->row);
	for (i = 0; i < ARRAY_SIZE(args->rules) && args->rules[i]; i++)
		if (model_set_rule(&d->model, args->rules[i], NULL))
			fail_msg("rule %s is refused", args->rules[i]);
	if (args->slice_us && model_set_tunable(&d->model, "sched_cfs_bandwidth_slice_us", args->slice_us))
		fail_msg("the slice is refused");
	if (args->base_slice && model_set_tunable(&d->model, "sched_base_slice_ns", args->base_slice))
		fail_msg("the base slice is refused");
}

void driver_init(struct driver *d, const struct driver_args *args)
{
	struct lab_config cfg = {
		.nr_cpus = args->cpus ? args->cpus : 1,
		.topology = args->topology,
		.hz = args->hz ? args->hz : 250,
		.cgroup = args->cgroup ? args->cgroup : 2,
		.check_laws = true,
		.no_skip = true,
	};
	struct platform pf = {
		.ctx = d, .ktime = pf_ktime, .cpu_clock = pf_cpu_clock, .timer_arm = pf_timer_arm,
		.timer_cancel = pf_timer_cancel, .hrtick_arm = pf_hrtick_arm, .kick = pf_kick, .cpu_state = pf_cpu_state, .random = pf_random,
		.spend = pf_spend, .emit = pf_emit, .bug = pf_bug, .alloc = pf_alloc,
	};

	memset(d, 0, sizeof(*d));
	take_model(d, args);
	d->epoch = d->now = args->epoch ? args->epoch : EPOCH;
	d->cpus = cfg.nr_cpus;
	d->tick_nsec = SEC / cfg.hz;
	d->random = args->random;
	d->allocs_left = args->allocs - 1;
	cfg.epoch = d->epoch;
	cfg.tick_base = d->epoch;
	d->lab = lab_create(&cfg, &d->model, &pf);
}

void driver_fini(struct driver *d)
{
	struct chunk *chunk = d->chunks, *next;

	if (d->lab)
		lab_destroy(d->lab);
	for (; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	d->chunks = NULL;
	d->lab = NULL;
}

/* ---- verbs ---- */

void at(struct driver *d, u64 t)
{
	if ((s64)(d->epoch + t - d->now) < 0)
		fail_msg("a test turns time back");
	d->now = d->epoch + t;
}

int write_limit(struct driver *d, struct task_group *tg, u64 quota, u64 period)
{
	return lab_write(d->lab, d->group_cpu, tg, KNOB_MAX, quota, period, NULL);
}

struct task_group *limited(struct driver *d, struct task_group *parent, u64 quota, u64 period)
{
	struct task_group *tg = lab_group_create(d->lab, parent ? parent : lab_root(d->lab));

	if (tg && quota != RUNTIME_INF && write_limit(d, tg, quota, period))
		fail_msg("the limit is refused");
	return tg;
}

struct task_struct *sleeper(struct driver *d, struct task_group *tg, int cpu)
{
	u64 cpus = (u64)1 << cpu;
	struct task_spec spec = { .tg = tg, .cpus = &cpus };

	return lab_fork(d->lab, cpu, NULL, &spec);
}

void pass(struct driver *d, int cpu)
{
	d->resched[cpu] = false;
	while (lab_task_is_stopper(lab_schedule(d->lab, cpu)))
		lab_stopper(d->lab, cpu);
}

static bool obey_one(struct driver *d, int cpu)
{
	if (d->ipi[cpu]) {
		d->ipi[cpu] = false;
		lab_ipi(d->lab, cpu);
		return true;
	}
	if (d->softirq[cpu]) {
		d->softirq[cpu] = false;
		lab_softirq(d->lab, cpu);
		return true;
	}
	if (d->resched[cpu]) {
		pass(d, cpu);
		return true;
	}
	if (!d->user_return[cpu])
		return false;
	d->user_return[cpu] = false;
	lab_user_return(d->lab, cpu);
	return true;
}

void obey_kicks(struct driver *d)
{
	int cpu;

	for (cpu = 0; cpu < d->cpus; cpu++)
		while (obey_one(d, cpu))
			;
}

void start(struct driver *d, struct task_struct *p)
{
	lab_wake_new(d->lab, lab_task_cpu(p), p);
	obey_kicks(d);
}

void wake(struct driver *d, struct task_struct *p)
{
	lab_wake(d->lab, lab_task_cpu(p), p, NULL, WAKE_TIMER);
	obey_kicks(d);
}

void block(struct driver *d, int cpu)
{
	lab_block(d->lab, cpu);
	pass(d, cpu);
	obey_kicks(d);
}

void tick(struct driver *d, int cpu)
{
	lab_tick(d->lab, cpu);
	obey_kicks(d);
}

u32 costly_ticks(struct driver *d, u64 until, u64 cost, u64 *ms, u32 max)
{
	u64 t;
	u32 n = 0;

	for (t = (d->now - d->epoch) / d->tick_nsec * d->tick_nsec + d->tick_nsec; t <= until && n < max; t += d->tick_nsec) {
		struct task_struct *before = lab_curr(d->lab, 0);

		at(d, t);
		lab_tick(d->lab, 0);
		if (!lab_need_resched(d->lab, 0))
			continue;
		pass(d, 0);
		if (lab_curr(d->lab, 0) == before)
			continue;
		d->skew[0] -= (s64)cost;
		ms[n++] = t / MS;
	}
	return n;
}

const struct driver_timer *timer_of(const struct driver *d, enum timer_kind kind, const struct task_group *tg)
{
	return &d->timer[lab_group_id(tg)][kind];
}

void fire(struct driver *d, enum timer_kind kind, struct task_group *tg)
{
	struct driver_timer *timer = timer_slot(d, kind, tg);

	if (!timer->armed)
		fail_msg("the timer is not armed");
	timer->armed = false;
	lab_timer(d->lab, timer->cpu, kind, tg);
	obey_kicks(d);
}

/* ---- looking ---- */

bool runs(const struct driver *d, const struct task_struct *p) { return lab_curr(d->lab, lab_task_cpu(p)) == p; }

struct cfs_rq_view queue(struct driver *d, const struct task_group *tg, int cpu)
{
	struct cfs_rq_view v = { 0 };

	lab_view_cfs_rq(d->lab, tg, cpu, &v);
	return v;
}

struct cfs_bandwidth_view pool(struct driver *d, const struct task_group *tg)
{
	struct cfs_bandwidth_view v;

	lab_view_bandwidth(d->lab, tg, &v);
	return v;
}

struct group_stat stat_now(struct driver *d, const struct task_group *tg)
{
	struct group_stat st;

	lab_group_stat(d->lab, tg, &st);
	return st;
}
