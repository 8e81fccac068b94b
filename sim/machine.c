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
#include "base/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_BASE (1000 * SEC) /* clock at the scenario's start: on every period's and tick's grid that people use */
#define HISTORY (1500 * MS)

static void *get_chunk(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void put_chunk(void *ctx, void *p, size_t size)
{
	(void)ctx;
	(void)size;
	free(p);
}

/* ---- the kernel row with what the scenario changes ---- */

static int refuse_rule(struct machine *m, const char *rule, int ret, const char *needs)
{
	const char *file = m->sc->file && *m->sc->file ? m->sc->file : NULL;

	switch (ret) {
	case -ENOENT:
		err_at(m->err, file, 0, 0, rule, "there is no such rule");
		err_hint(m->err, "fairground kernels lists the rules");
		break;
	case -EPERM:
		err_at(m->err, file, 0, 0, rule, "this rule needs %s", needs);
		err_hint(m->err, "add --rule %s before it", needs);
		break;
	default:
		err_at(m->err, file, 0, 0, rule, "the rule has no such value");
		err_hint(m->err, "fairground kernels lists the values of each rule");
	}
	return -1;
}

static int build_model(struct machine *m)
{
	const struct kernel_spec *k = &m->sc->kernel;
	const char *file = m->sc->file && *m->sc->file ? m->sc->file : NULL;
	u32 i;

	if (model_init(&m->model, k->row)) {
		err_at(m->err, file, 0, 0, "kernel", "there is no row called %s", k->row);
		err_hint(m->err, "fairground kernels lists the rows");
		return -1;
	}
	for (i = 0; i < k->nr_rules; i++) {
		const char *needs = NULL;
		int ret = model_set_rule(&m->model, k->rules[i], &needs);

		if (ret)
			return refuse_rule(m, k->rules[i], ret, needs);
	}
	for (i = 0; i < k->nr_tunables; i++) {
		int ret = model_set_tunable(&m->model, k->tunables[i], k->tunable_values[i]);

		if (ret == -ENOENT)
			return err_at(m->err, file, 0, 0, k->tunables[i], "there is no such tunable");
		if (ret)
			return err_at(m->err, file, 0, 0, k->tunables[i], "the value is out of range");
	}
	return 0;
}

/* ---- building ---- */

/* cgroup v2 has a cpu controller from 4.15 on; the first row behind that is 4.18. */
static int cgroup_of(const struct machine *m)
{
	int i;

	if (m->sc->machine.cgroup)
		return m->sc->machine.cgroup;
	for (i = 0; model_row_name(i); i++) {
		if (!strcmp(model_row_name(i), "4.18"))
			return 2;
		if (!strcmp(model_row_name(i), m->model.row))
			return 1;
	}
	return 2;
}

static int build_cpus(struct machine *m)
{
	int cpu;

	m->nr_cpus = m->sc->machine.cpus;
	m->cgroup = cgroup_of(m);
	m->preempt = (enum preempt_model)(m->sc->machine.preempt < 0 ? m->model.rule[RULE_PREEMPT] : m->sc->machine.preempt);
	m->cpus = arena_alloc(&m->mem, (size_t)m->nr_cpus * sizeof(*m->cpus));
	m->busy = arena_alloc(&m->mem, BITS_WORDS((size_t)m->nr_cpus) * sizeof(*m->busy));
	if (!m->cpus || !m->busy)
		return err_set(m->err, ERR_HOST, "out of memory for CPUs");
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		struct mcpu *c = machine_cpu(m, cpu);

		c->m = m;
		c->cpu = cpu;
		c->run_end.kind = SIM_RUN_END;
		c->resched.kind = SIM_RESCHED;
		c->ipi.kind = SIM_IPI;
		c->hrtick.kind = SIM_HRTICK;
		heap_entry_init(&c->run_end.heap);
		heap_entry_init(&c->resched.heap);
		heap_entry_init(&c->ipi.heap);
		heap_entry_init(&c->hrtick.heap);
	}
	return 0;
}

static int build_lab(struct machine *m)
{
	const struct machine_spec *spec = &m->sc->machine;
	struct lab_config cfg = {
		.nr_cpus = m->nr_cpus,
		.hz = spec->hz,
		.cgroup = m->cgroup,
		.preempt = m->preempt,
		.epoch = m->epoch,
		.tick_base = m->epoch - EPOCH_TICKS * (SEC / spec->hz),
		.check_laws = m->opt.check_laws,
		.no_skip = m->opt.no_skip || spec->clock_skew,
	};
	struct platform pf;
	int i;

	for (i = 0; i < NR_LAB_STREAMS; i++)
		rng_init(&m->streams[i], m->sc->seed, "lab", NULL, (u64)i, 0);
	machine_platform(m, &pf);
	m->lab = lab_create(&cfg, &m->model, &pf);
	return m->lab ? 0 : err_set(m->err, ERR_HOST, "out of memory for the scheduler");
}

static int build_world(struct machine *m)
{
	world_ops_of(m, &m->ops);
	m->world = world_create(m->sc, &m->ops);
	m->instances = arena_alloc(&m->mem, (m->sc->nr_tasks + 1) * sizeof(*m->instances));
	if (!m->world || !m->instances)
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
	m->now = m->sc->history ? m->epoch - HISTORY : m->epoch;
	m->last_tick = m->now - m->tick - (m->now - m->epoch + EPOCH_TICKS * m->tick) % m->tick;
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
	m->digest = DIGEST_INIT;
	m->heap.shuffle = m->opt.shuffle_ties;
	m->threads_tail = &m->threads;
	arena_init(&m->mem, get_chunk, put_chunk, NULL);
	set_clock(m);
	if (build_model(m) || build_cpus(m) || build_lab(m) || groups_setup(m) || build_at(m) || build_world(m)) {
		machine_destroy(m);
		return NULL;
	}
	return m;
}

void machine_destroy(struct machine *m)
{
	struct thread *t;
	u32 i;

	if (!m)
		return;
	for (t = m->threads; t; t = t->next) {
		samples_free(&t->latency);
		samples_free(&t->wakeup_latency);
	}
	for (i = 0; i < m->nr_groups; i++)
		free(m->groups[i].periods);
	if (m->world)
		world_destroy(m->world);
	free(m->heap.key);
	free(m->wakes);
	free(m->writes);
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
	struct mgroup *g = find_group(m, path);

	if (!g)
		return -ENOENT;
	settle(m);
	lab_group_stat(m->lab, g->tg, st);
	return 0;
}

int machine_write(struct machine *m, const char *path, const char *file, const char *value)
{
	struct mgroup *g = group_of_path(m, path);
	const char *why;

	if (!g && path && strcmp(path, "/"))
		return -ENOENT;
	return cgroup_apply(m, g, file, value, &why);
}

struct result *machine_result(struct machine *m) { return measure_result(m); }

struct lab *machine_lab(struct machine *m) { return m->lab; }

struct task_group *machine_group(struct machine *m, const char *path)
{
	struct mgroup *g = find_group(m, path);

	if (!strcmp(path, "/"))
		return lab_root(m->lab);
	return g ? g->tg : NULL;
}

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
