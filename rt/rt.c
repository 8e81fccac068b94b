/* SPDX-License-Identifier: MIT */
/*
 * rt.c - the life of a scheduler at real work, and the public calls.
 *
 *	rt_make: rules, CPUs, lab, groups  -->  rt_go: threads come, time passes, threads go  -->  rt_destroy
 *
 * The lab's clock starts at CLOCK_BASE, as the simulated one does, and stands still while rt_go() does not run.
 * Law: every public call leaves nothing due unpublished (rt_unlock).
 */
#include "rt/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "owner/kernel.h"
#include "text/memory.h"

#define CLOCK_BASE (1000 * SEC) /* on every period's and tick's grid that people use */

/* ---- building ---- */

static void hrtick_fires(struct rt *rt, struct rt_timer *timer)
{
	struct rt_cpu *c = container_of(timer, struct rt_cpu, hrtick);

	rt->here = c->cpu;
	lab_timer(rt->lab, c->cpu, TIMER_HRTICK, NULL);
	rt_verb_done(rt);
}

/* Waits end by the monotonic clock, which the lab's is made from. */
static int init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;
	int ret;

	if (pthread_condattr_init(&attr))
		return -1;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	ret = pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
	return ret;
}

static int build_cpus(struct rt *rt, struct err *err)
{
	int cpu, nr = rt->sc->machine.cpus;

	rt->cpus = arena_alloc(&rt->mem, (size_t)nr * sizeof(*rt->cpus));
	rt->busy = arena_alloc(&rt->mem, BITS_WORDS((size_t)nr) * sizeof(*rt->busy));
	if (!rt->cpus || !rt->busy || !tally_init(&rt->tally, &rt->mem, nr, rt->epoch))
		return err_set(err, ERR_HOST, "out of memory for CPUs");
	for (cpu = 0; cpu < nr; cpu++) {
		struct rt_cpu *c = &rt->cpus[cpu];

		c->rt = rt;
		c->cpu = cpu;
		c->asked_at = NEVER;
		rt_timer_init(&c->hrtick, hrtick_fires, false);
		if (init_cond(&c->cond))
			return err_set(err, ERR_HOST, "no condition variable for CPU %d", cpu);
		rt->nr_cpus++;
	}
	return 0;
}

static int build_lab(struct rt *rt, struct err *err)
{
	struct lab_config cfg = {
		.nr_cpus = rt->nr_cpus,
		.topology = rt->sc->machine.topology,
		.hz = rt->sc->machine.hz,
		.cgroup = rt->cgroup,
		.preempt = rt->preempt,
		.epoch = rt->epoch,
		.tick_base = rt->epoch - EPOCH_TICKS * rt->tick,
		.check_laws = rt->opt.check_laws,
		.no_skip = true, /* ticks come when the host lets them, not on a grid */
	};
	struct platform pf;
	int i;

	for (i = 0; i < NR_LAB_STREAMS; i++)
		rng_init(&rt->streams[i], rt->sc->seed, "lab", NULL, (u64)i, 0);
	rt_platform(rt, &pf);
	rt->lab = lab_create(&cfg, &rt->model, &pf);
	return rt->lab ? 0 : err_set(err, ERR_HOST, "out of memory for the scheduler");
}

static void group_timer_fires(struct rt *rt, struct rt_timer *timer)
{
	struct rt_group_timer *t = container_of(timer, struct rt_group_timer, timer);

	rt->here = t->cpu;
	lab_timer(rt->lab, t->cpu, t->kind, t->group->tg);
	rt_verb_done(rt);
}

int rt_hang_timers(struct rt *rt)
{
	u32 i;
	int kind;

	for (i = 0; i < rt->groups.nr; i++) {
		struct group *g = rt->groups.v[i];
		struct rt_group_timers *timers;

		if (g->timers)
			continue;
		timers = arena_alloc(&rt->mem, sizeof(*timers));
		for (kind = 0; timers && kind <= TIMER_DISTRIBUTE; kind++) {
			rt_timer_init(&timers->v[kind].timer, group_timer_fires, false);
			timers->v[kind].kind = (enum timer_kind)kind;
			timers->v[kind].group = g;
		}
		g->timers = timers;
		if (!timers)
			return -1;
	}
	return 0;
}

static int build_groups(struct rt *rt, struct err *err)
{
	rt->groups.lab = rt->lab;
	rt->groups.model = &rt->model;
	rt->groups.cgroup = rt->cgroup;
	rt->groups.nr_cpus = rt->nr_cpus;
	rt->groups.epoch = rt->epoch;
	rt->groups.mem = &rt->mem;
	if (groups_make(&rt->groups, rt->sc, err))
		return -1;
	if (rt_hang_timers(rt))
		return err_set(err, ERR_HOST, "out of memory for groups");
	if (groups_write_all(&rt->groups, rt->sc, err))
		return -1;
	return check_cpusets(rt->sc, &rt->groups, err);
}

static int build(struct rt *rt, struct err *err)
{
	if (kernel_of(rt->sc, &rt->model, err))
		return -1;
	rt->cgroup = cgroup_of(rt->sc, &rt->model);
	rt->preempt = preempt_of(rt->sc, &rt->model);
	return build_cpus(rt, err) || build_lab(rt, err) || build_groups(rt, err) ? -1 : 0;
}

/* @sc must outlive it, unless it is the one inside. */
static struct rt *make(struct rt *rt, const struct scenario *sc, const struct rt_options *opt, struct err *err)
{
	rt->sc = sc;
	rt->opt = *opt;
	rt->tally.on_event = opt->on_event;
	rt->tally.ctx = opt->ctx;
	rt->tick = SEC / sc->machine.hz;
	rt->epoch = CLOCK_BASE;
	rt->now = sc->history ? rt->epoch - PAST_CLOCK : rt->epoch;
	rt->last_tick = rt->now - (rt->now - rt->epoch + EPOCH_TICKS * rt->tick) % rt->tick - rt->tick;
	rt->end = NEVER;
	rt->speed = rt_spin_speed();
	arena_of_malloc(&rt->mem);
	pthread_mutex_init(&rt->lock, NULL);
	if (!build(rt, err))
		return rt;
	rt_destroy(rt);
	return NULL;
}

static struct rt *alloc(struct err *err)
{
	struct rt *rt = calloc(1, sizeof(*rt));

	if (!rt)
		err_set(err, ERR_HOST, "out of memory");
	return rt;
}

struct rt *rt_make(const struct scenario *sc, const struct rt_options *opt, struct err *err)
{
	struct rt *rt = alloc(err);

	return rt ? make(rt, sc, opt, err) : NULL;
}

struct rt *rt_create(const struct rt_config *cfg, struct err *err)
{
	struct rt_options opt = { .check_laws = cfg->check_laws };
	struct rt *rt;

	if (cfg->cpus < 0 || cfg->cpus > LAB_MAX_CPUS) {
		err_set(err, ERR_INPUT, "%d CPUs: expected 1 to %d, or 0 for all of this process", cfg->cpus, LAB_MAX_CPUS);
		return NULL;
	}
	rt = alloc(err);
	if (!rt)
		return NULL;
	rt->owns_scenario = true;
	scenario_init(&rt->own);
	rt->own.machine.cpus = cfg->cpus ? cfg->cpus : rt_host_cpus();
	if (cfg->hz)
		rt->own.machine.hz = cfg->hz;
	if (cfg->row)
		rt->own.kernel.row = cfg->row;
	rt->own.kernel.rules = cfg->rules;
	rt->own.kernel.nr_rules = cfg->nr_rules;
	if (cfg->bind && rt_plan_binding(rt, err)) {
		scenario_free(&rt->own);
		free(rt);
		return NULL;
	}
	return make(rt, &rt->own, &opt, err);
}

void rt_destroy(struct rt *rt)
{
	int cpu;

	if (!rt)
		return;
	for (cpu = 0; cpu < rt->nr_cpus; cpu++)
		pthread_cond_destroy(&rt->cpus[cpu].cond);
	pthread_mutex_destroy(&rt->lock);
	groups_fini(&rt->groups);
	free(rt->heap.key);
	arena_fini(&rt->mem);
	if (rt->owns_scenario)
		scenario_free(&rt->own);
	free(rt);
}

/* ---- running ---- */

/* How many of the threads came up. */
static int start_threads(struct rt *rt)
{
	int cpu;

	for (cpu = 0; cpu < rt->nr_cpus; cpu++)
		if (pthread_create(&rt->cpus[cpu].thread, NULL, rt_cpu_main, &rt->cpus[cpu]))
			break;
	return cpu;
}

/* The clock goes on from where it stands. */
static void start_clock(struct rt *rt, u64 end)
{
	pthread_mutex_lock(&rt->lock);
	rt->end = end;
	rt->until_gone = end == NEVER;
	rt->over = rt->until_gone && !rt->nr_users;
	rt->offset = rt_host_clock() - rt->now;
	rt->started = rt->now;
	rt->running = true;
	pthread_mutex_unlock(&rt->lock);
}

static int stop_clock(struct rt *rt, struct err *err)
{
	pthread_mutex_lock(&rt->lock);
	rt->running = false;
	rt->end = NEVER;
	rt->notes.elapsed += rt->now - rt->started;
	pthread_mutex_unlock(&rt->lock);
	if (!rt->err.code)
		return 0;
	*err = rt->err;
	return -1;
}

static void give_up(struct rt *rt, int nr)
{
	rt_lock(rt);
	err_set(&rt->err, ERR_HOST, "the host gives only %d of %d threads", nr, rt->nr_cpus);
	rt_stop(rt);
	rt_unlock(rt);
}

int rt_go(struct rt *rt, u64 end, struct err *err)
{
	int cpu, nr;

	start_clock(rt, end);
	nr = start_threads(rt);
	if (nr < rt->nr_cpus)
		give_up(rt, nr);
	for (cpu = 0; cpu < nr; cpu++)
		pthread_join(rt->cpus[cpu].thread, NULL);
	return stop_clock(rt, err);
}

int rt_run(struct rt *rt, u64 ns, struct err *err) { return rt_go(rt, ns == NEVER ? NEVER : time_after(rt->now, ns), err); }

/* ---- groups ---- */

int rt_group(struct rt *rt, const char *path)
{
	char *name;
	int ret = -ENOMEM;

	if (!path || path[0] != '/' || !path[1])
		return -EINVAL;
	rt_lock(rt);
	name = arena_strdup(&rt->mem, path);
	if (groups_find(&rt->groups, path))
		ret = -EEXIST;
	else if (name && groups_add(&rt->groups, name) && !rt_hang_timers(rt))
		ret = 0;
	rt_unlock(rt);
	return ret;
}

int rt_write(struct rt *rt, const char *path, const char *file, const char *value, const char **why)
{
	const char *ignored = NULL;
	struct group *g;
	int ret = -ENOENT;

	if (!why)
		why = &ignored;
	*why = "there is no such group";
	rt_lock(rt);
	g = groups_find(&rt->groups, path);
	if (g || is_root_path(path)) {
		*why = NULL;
		rt->here = 0;
		ret = groups_apply(&rt->groups, g, file, value, why);
		rt_verb_done(rt);
	}
	rt_unlock(rt);
	return ret;
}

int rt_stat(struct rt *rt, const char *path, struct group_stat *st)
{
	struct task_group *tg;

	rt_lock(rt);
	tg = groups_tg(&rt->groups, path);
	if (tg)
		lab_group_stat(rt->lab, tg, st);
	rt_unlock(rt);
	return tg ? 0 : -ENOENT;
}

u64 rt_now(struct rt *rt)
{
	u64 now;

	rt_lock(rt);
	now = rt->now - rt->epoch;
	rt_unlock(rt);
	return now;
}

void rt_notes(struct rt *rt, struct live_notes *notes)
{
	rt_lock(rt);
	*notes = rt->notes;
	rt_unlock(rt);
}

/* ---- tasks that are functions ---- */

struct function_task {
	struct rt_task t; /* first */
	rt_work work;
	void *arg;
	struct rt_then then;
	bool waits, woken; /* for rt_wake(); woken before it waits */
	struct function_task *free_next;
};

static struct function_task *function_of(struct rt_task *t) { return container_of(t, struct function_task, t); }

static bool call_piece(struct rt_task *t, u64 ns)
{
	struct function_task *f = function_of(t);

	f->then = f->work(f->arg, ns);
	return f->then.what == RT_MORE;
}

static struct want wait_once(struct function_task *f)
{
	if (f->woken) {
		f->woken = false;
		return (struct want){ .kind = WANT_RUN, .ns = NEVER };
	}
	f->waits = true;
	return (struct want){ .kind = WANT_WAIT };
}

/* What the last piece said becomes a want; after a pause there is more. */
static struct want want_of_function(struct rt_task *t)
{
	struct function_task *f = function_of(t);
	struct rt_then then = f->then;

	f->then = rt_more();
	switch (then.what) {
	case RT_SLEEP:
		return (struct want){ .kind = WANT_SLEEP, .ns = time_after(t->rt->now, then.ns) };
	case RT_WAIT:
		return wait_once(f);
	case RT_EXIT:
		return (struct want){ .kind = WANT_EXIT };
	case RT_MORE:
		break;
	}
	return (struct want){ .kind = WANT_RUN, .ns = NEVER };
}

static void function_gone(struct rt_task *t)
{
	struct function_task *f = function_of(t);

	f->free_next = t->rt->free_tasks;
	t->rt->free_tasks = f;
}

static const struct rt_task_ops function_ops = { want_of_function, call_piece, NULL, function_gone };

static struct function_task *alloc_function(struct rt *rt)
{
	struct function_task *f = rt->free_tasks;

	if (!f)
		return arena_alloc(&rt->mem, sizeof(*f));
	rt->free_tasks = f->free_next;
	memset(f, 0, sizeof(*f));
	return f;
}

static struct rt_task *spawn(struct rt *rt, const struct rt_spec *spec, rt_work work, void *arg)
{
	struct task_spec task = { .tg = groups_tg(&rt->groups, spec->group), .nice = spec->nice, .cpus = spec->cpus };
	int cpu = spec->cpus ? bit_next(spec->cpus, rt->nr_cpus, 0) : 0;
	struct function_task *f = task.tg && cpu < rt->nr_cpus ? alloc_function(rt) : NULL;

	if (!f)
		return NULL;
	f->work = work;
	f->arg = arg;
	if (!rt_task_init(rt, &f->t, &function_ops, &task, cpu, NULL))
		return NULL;
	rt_task_wake(&f->t, NULL, cpu, false);
	return &f->t;
}

struct rt_task *rt_spawn(struct rt *rt, const struct rt_spec *spec, rt_work work, void *arg)
{
	struct rt_task *t;

	rt_lock(rt);
	t = spawn(rt, spec, work, arg);
	rt_unlock(rt);
	return t;
}

void rt_wake(struct rt *rt, struct rt_task *t)
{
	struct function_task *f = function_of(t);

	rt_lock(rt);
	if (f->waits) {
		f->waits = false;
		rt_task_wake(t, NULL, lab_task_cpu(t->p), false);
	} else {
		f->woken = true;
	}
	rt_unlock(rt);
}
