/* SPDX-License-Identifier: MIT */
/*
 * machine.c - the life of a simulated computer.
 *
 *	scenario ---> rules, CPUs, groups and their writes, threads ---> runs ---> result
 *
 * With "history" the clock starts 1.5 s before the scenario does: groups are written, threads run for a moment, and what was
 * counted until the start is subtracted.
 */
#include "sim/impl.h"

#include <errno.h>
#include <stdlib.h>

#include "owner/kernel.h"
#include "text/memory.h"

#define CLOCK_BASE (1000 * SEC) /* clock at the scenario's start: on every period's and tick's grid that people use */

/* ---- building ---- */

/* Whether anything of a run is left to chance that a real machine does not repeat. */
static bool leaves_it_to_chance(const struct scenario *sc)
{
	u32 i;

	for (i = 0; i < sc->nr_groups; i++)
		if (sc->groups[i].phase_random)
			return true;
	return sc->history;
}

static int build_cpus(struct machine *m)
{
	size_t words = BITS_WORDS((size_t)m->sc->machine.cpus);
	int cpu;

	m->nr_cpus = m->sc->machine.cpus;
	m->any_first = leaves_it_to_chance(m->sc);
	m->timer_streams = rng_streams(m->sc->seed, "timers", NULL);
	m->cgroup = cgroup_of(m->sc, &m->model);
	m->preempt = preempt_of(m->sc, &m->model);
	m->cpus = arena_alloc(&m->mem, (size_t)m->nr_cpus * sizeof(*m->cpus));
	m->busy = arena_alloc(&m->mem, 2 * words * sizeof(*m->busy));
	m->ticking = m->busy + words;
	if (!m->cpus || !m->busy || !tally_init(&m->tally, &m->mem, m->nr_cpus, m->epoch))
		return err_set(m->err, ERR_HOST, "out of memory for CPUs");
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		cpu_init(machine_cpu(m, cpu), m, cpu);
		if (!m->sc->machine.nohz)
			cpu_ticks(machine_cpu(m, cpu));
	}
	return 0;
}

static int build_lab(struct machine *m)
{
	const struct machine_spec *spec = &m->sc->machine;
	struct lab_config cfg = {
		.nr_cpus = m->nr_cpus,
		.topology = spec->topology,
		.hz = spec->hz,
		.cgroup = m->cgroup,
		.preempt = m->preempt,
		.epoch = m->epoch,
		.tick_base = m->epoch - EPOCH_TICKS * (SEC / spec->hz),
		.check_laws = m->opt.check_laws,
		.no_skip = m->opt.no_skip || spec->clock_skew || spec->ticks != TICKS_ALIGNED, /* what is left out stands on one grid, in one order */
		.tick_always = !spec->nohz,
		.full_path = m->opt.no_skip,
	};
	struct platform pf;
	int i;

	for (i = 0; i < NR_LAB_STREAMS; i++)
		rng_init(&m->streams[i], m->sc->seed, "lab", NULL, (u64)i, 0);
	rng_init(&m->turns.chance, m->opt.turn_seed, "emulator", NULL, 0, 0);
	machine_platform(m, &pf);
	m->lab = lab_create(&cfg, &m->model, &pf);
	return m->lab ? 0 : err_set(m->err, ERR_HOST, "out of memory for the scheduler");
}

static void init_group_timers(struct group *g, struct group_timers *timers)
{
	int kind;

	for (kind = 0; kind <= TIMER_DISTRIBUTE; kind++) {
		heap_entry_init(&timers->timer[kind].entry.heap);
		timers->timer[kind].entry.kind = SIM_GROUP_TIMER;
		timers->timer[kind].kind = (enum timer_kind)kind;
		timers->timer[kind].group = g;
	}
	g->timers = timers;
}

/* All groups of the scenario, then their writes in file order. */
static int build_groups(struct machine *m)
{
	u32 i;

	m->groups.lab = m->lab;
	m->groups.model = &m->model;
	m->groups.cgroup = m->cgroup;
	m->groups.nr_cpus = m->nr_cpus;
	m->groups.epoch = m->epoch;
	m->groups.mem = &m->mem;
	if (groups_make(&m->groups, m->sc, m->err))
		return -1;
	for (i = 0; i < m->groups.nr; i++) {
		struct group_timers *timers = arena_alloc(&m->mem, sizeof(*timers));

		if (!timers)
			return err_set(m->err, ERR_HOST, "out of memory for groups");
		init_group_timers(m->groups.v[i], timers);
	}
	m->here = 0;
	if (groups_write_all(&m->groups, m->sc, m->err))
		return -1;
	return check_cpusets(m->sc, &m->groups, m->err);
}

static int build_world(struct machine *m)
{
	world_ops_of(m, &m->ops);
	m->world = world_create(m->sc, &m->ops);
	m->instances = arena_alloc(&m->mem, (m->sc->nr_tasks + 1) * sizeof(*m->instances));
	if (!m->world || !m->instances || !spans_init(&m->spans, &m->mem, m->sc))
		return err_set(m->err, ERR_HOST, "out of memory for the programs");
	if (threads_setup(m))
		return err_set(m->err, ERR_HOST, "out of memory for threads");
	return 0;
}

static int build_at(struct machine *m)
{
	u32 i;

	for (i = 0; i < m->sc->nr_at; i++) {
		struct at_event *ev = arena_alloc(&m->mem, sizeof(*ev));

		if (!ev)
			return err_set(m->err, ERR_HOST, "out of memory for events");
		ev->entry.kind = SIM_AT;
		heap_entry_init(&ev->entry.heap);
		ev->spec = &m->sc->at[i];
		arm(m, &ev->entry, m->epoch + ev->spec->t, RANK_REST);
	}
	return 0;
}

static void set_clock(struct machine *m)
{
	m->tick = SEC / m->sc->machine.hz;
	m->epoch = m->opt.clock_base ? m->opt.clock_base : CLOCK_BASE;
	m->now = m->sc->history ? m->epoch - PAST_CLOCK : m->epoch;
	m->last_tick = ticks_apart(m) ? m->now - 1 : m->now - m->tick - (m->now - m->epoch + EPOCH_TICKS * m->tick) % m->tick;
}

struct machine *machine_create(const struct scenario *sc, const struct machine_options *opt, struct err *err)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m) {
		err_set(err, ERR_HOST, "out of memory");
		return NULL;
	}
	m->sc = sc;
	m->err = err;
	if (opt)
		m->opt = *opt;
	m->tally.on_event = m->opt.on_event;
	m->tally.ctx = m->opt.ctx;
	m->heap.shuffle = m->opt.shuffle_ties;
	m->threads_tail = &m->threads;
	arena_of_malloc(&m->mem);
	set_clock(m);
	if (kernel_of(sc, &m->model, err) || build_cpus(m) || build_lab(m) || build_groups(m) || build_at(m) || build_world(m)) {
		machine_destroy(m);
		return NULL;
	}
	return m;
}

void machine_destroy(struct machine *m)
{
	struct thread *t;

	if (!m)
		return;
	for (t = m->threads; t; t = t->next) {
		samples_free(&t->latency);
		samples_free(&t->wakeup_latency);
	}
	groups_fini(&m->groups);
	spans_fini(&m->spans);
	if (m->world)
		world_destroy(m->world);
	free(m->heap.key);
	free(m->wakes.v);
	arena_fini(&m->mem);
	free(m);
}

/* ---- running ---- */

/* Counting starts at the window's start, before any event of that moment. */
static int open_window(struct machine *m, u64 t)
{
	u64 from = m->epoch + m->sc->measure_from;

	if (m->window_open || t < m->sc->measure_from)
		return 0;
	if (machine_loop(m, from))
		return -1;
	m->now = max_u64(m->now, from);
	measure_begin(m);
	return 0;
}

int machine_run_until(struct machine *m, u64 t, struct err *err)
{
	m->err = err;
	if (open_window(m, t))
		return -1;
	t = t > NEVER - m->epoch ? NEVER : m->epoch + t;
	if (machine_loop(m, t))
		return -1;
	if (t != NEVER)
		m->now = max_u64(m->now, t);
	return 0;
}

u64 machine_now(const struct machine *m) { return m->now > m->epoch ? scenario_time(m) : 0; }

int machine_group_stat(struct machine *m, const char *path, struct group_stat *st)
{
	struct group *g = groups_find(&m->groups, path);

	if (!g)
		return -ENOENT;
	settle(m);
	lab_group_stat(m->lab, g->tg, st);
	return 0;
}

int machine_write(struct machine *m, const char *path, const char *file, const char *value)
{
	struct group *g = groups_find(&m->groups, path);
	const char *why;

	if (!g && !is_root_path(path))
		return -ENOENT;
	m->here = 0;
	return groups_apply(&m->groups, g, file, value, &why);
}

struct result *machine_result(struct machine *m) { return measure_result(m); }

struct lab *machine_lab(struct machine *m) { return m->lab; }

struct task_group *machine_group(struct machine *m, const char *path) { return groups_tg(&m->groups, path); }

struct result *machine_run(const struct scenario *sc, const struct machine_options *opt, struct err *err)
{
	struct machine *m = machine_create(sc, opt, err);
	struct result *res = NULL;

	if (!m)
		return NULL;
	if (!machine_run_until(m, min_u64(sc->duration, sc->measure_to), err)) {
		res = machine_result(m);
		if (!res)
			err_set(err, ERR_HOST, "out of memory for the result");
	}
	machine_destroy(m);
	return res;
}
