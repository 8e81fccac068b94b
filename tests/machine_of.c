/* SPDX-License-Identifier: MIT */
/*
 * machine_of.c - from a few lines of a test to a scenario, and from events back to what a test asks.
 *
 *	machine_of(), group(), hog(), ...  ---> scenario --(first run_until)--> machine ---> events ---> ran(), nth_run()
 *
 * Law: thread number i of the testbed is the scheduler's task i + 1.
 */
#include "tests/test.h"

#include "base/bits.h"
#include "tests/machine_of.h"

#include <stdlib.h>

#define MOST 512 /* of everything a test can declare */
#define CLOCK_BASE (1000 * SEC)

struct held { /* a CPU, by a thread */
	u32 task;
	struct run run;
};

struct testbed {
	struct scenario sc;
	struct machine_options opt;
	struct machine *m;
	struct err err;
	char err_line[1024];
	u64 base;
	bool random_phase;

	const char *rules[8];
	const char *tunables[2];
	u64 tunable_values[2];
	struct group_spec groups[MOST];
	struct workload tasks[MOST];
	struct at_spec at[MOST];
	struct resource_spec resources[64]; /* first a timer of each thread's own */

	struct held *held;
	u64 nr_held, cap_held;
	struct event *events; /* those of bandwidth control */
	u64 nr_events, cap_events;
};

static void *must(void *p)
{
	if (!p)
		fail_msg("out of memory");
	return p;
}

static void *alloc(struct testbed *m, size_t size) { return must(arena_alloc(&m->sc.mem, size)); }

/* ---- recording ---- */

static void *room(void *v, u64 nr, u64 *cap, size_t size)
{
	if (nr < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 256;
	return must(realloc(v, *cap * size));
}

/* The thread that left ends its run, the one that came begins one. */
static void note_switch(struct testbed *m, const struct event *ev)
{
	u64 i;

	for (i = m->nr_held; ev->other && i--;) {
		if (m->held[i].task != ev->other)
			continue;
		m->held[i].run.to = ev->time - m->base;
		break;
	}
	if (!ev->task)
		return;
	m->held = room(m->held, m->nr_held, &m->cap_held, sizeof(*m->held));
	m->held[m->nr_held++] = (struct held){ ev->task, { ev->time - m->base, NEVER, ev->cpu } };
}

static void note_event(void *ctx, const struct event *ev)
{
	struct testbed *m = ctx;

	if (ev->type == EVENT_SCHED_SWITCH)
		note_switch(m, ev);
	if (ev->type < EVENT_BW_PERIOD && ev->type != EVENT_SCHED_WAKING && ev->type != EVENT_SCHED_MIGRATE_TASK)
		return;
	m->events = room(m->events, m->nr_events, &m->cap_events, sizeof(*m->events));
	m->events[m->nr_events] = *ev;
	m->events[m->nr_events++].time -= m->base;
}

/* ---- making ---- */

static void take_tunable(struct testbed *m, const char *name, u64 value)
{
	struct kernel_spec *k = &m->sc.kernel;

	if (!value)
		return;
	m->tunables[k->nr_tunables] = name;
	m->tunable_values[k->nr_tunables++] = value;
}

static void take_kernel(struct testbed *m, const struct machine_args *args)
{
	u32 i;

	m->sc.kernel.row = args->row ? args->row : "5.10";
	m->sc.kernel.rules = m->rules;
	for (i = 0; i < ARRAY_SIZE(args->rules) && args->rules[i]; i++)
		m->rules[m->sc.kernel.nr_rules++] = args->rules[i];
	m->sc.kernel.tunables = m->tunables;
	m->sc.kernel.tunable_values = m->tunable_values;
	take_tunable(m, "sched_cfs_bandwidth_slice_us", args->slice_us);
	take_tunable(m, "sched_base_slice_ns", args->base_slice);
}

struct testbed *machine_of_args(const struct machine_args *args)
{
	struct testbed *m = must(calloc(1, sizeof(*m)));

	scenario_init(&m->sc);
	m->sc.duration = NEVER - 1;
	m->sc.seed = args->seed ? args->seed : 1;
	m->sc.groups = m->groups;
	m->sc.tasks = m->tasks;
	m->sc.at = m->at;
	m->sc.resources = m->resources;
	m->resources[0] = (struct resource_spec){ .kind = RES_TIMER, .name = "own", .absolute = true, .unique = true };
	m->sc.nr_resources = 1;
	m->sc.machine.cpus = args->cpus ? args->cpus : 1;
	m->sc.machine.hz = args->hz ? args->hz : 250;
	m->sc.machine.cgroup = args->cgroup ? args->cgroup : 2;
	m->sc.machine.preempt = args->preempt;
	m->sc.machine.clock_skew = args->clock_skew;
	m->sc.machine.costs = args->costs;
	if (!args->costs.wakeup_released) /* not said: as any wakeup */
		m->sc.machine.costs.wakeup_released = NEVER;
	take_kernel(m, args);
	m->random_phase = args->random_phase;
	m->base = args->clock_base ? args->clock_base : CLOCK_BASE;
	m->opt = (struct machine_options){
		.check_laws = !args->no_laws,
		.no_skip = args->no_skip,
		.shuffle_ties = args->shuffle_ties,
		.timers_apart = args->timers_apart,
		.tick_first = args->tick_first,
		.clock_base = m->base,
		.on_event = note_event,
		.ctx = m,
	};
	return m;
}

struct scenario *scenario_of(struct testbed *m) { return &m->sc; }

static void must_be_early(const struct testbed *m, u32 nr)
{
	if (m->m || nr >= MOST)
		fail_msg("a test declares too much, or too late");
}

static struct group_spec *group_at(struct testbed *m, const char *path)
{
	struct group_spec *g;
	u32 i;

	for (i = 0; i < m->sc.nr_groups; i++)
		if (!strcmp(m->groups[i].path, path))
			return &m->groups[i];
	must_be_early(m, m->sc.nr_groups);
	g = &m->groups[m->sc.nr_groups++];
	*g = (struct group_spec){ .path = path, .declared = true, .phase_set = !m->random_phase };
	g->writes = alloc(m, MOST * sizeof(*g->writes));
	return g;
}

static struct write_spec write_of(struct testbed *m, const char *path, const char *file, const char *value, const char *expect)
{
	return (struct write_spec){
		.group = path,
		.file = file,
		.value = must(arena_strdup(&m->sc.mem, value)),
		.expect = expect,
		.at = { .file = "test" },
	};
}

void group_write(struct testbed *m, const char *path, const char *file, const char *value, const char *expect)
{
	struct group_spec *g = group_at(m, path);

	must_be_early(m, g->nr_writes);
	g->writes[g->nr_writes++] = write_of(m, path, file, value, expect);
}

void group(struct testbed *m, const char *path, u64 quota, u64 period)
{
	char value[64];

	if (m->sc.machine.cgroup == 1) {
		snprintf(value, sizeof(value), "%" PRIu64, period / US);
		group_write(m, path, "cpu.cfs_period_us", value, NULL);
		snprintf(value, sizeof(value), "%" PRId64, quota == NO_LIMIT ? -1 : (s64)(quota / US));
		group_write(m, path, "cpu.cfs_quota_us", value, NULL);
		return;
	}
	if (quota == NO_LIMIT)
		snprintf(value, sizeof(value), "max %" PRIu64, period / US);
	else
		snprintf(value, sizeof(value), "%" PRIu64 " %" PRIu64, quota / US, period / US);
	group_write(m, path, "cpu.max", value, NULL);
}

void group_phase(struct testbed *m, const char *path, u64 phase)
{
	struct group_spec *g = group_at(m, path);

	g->phase_set = true;
	g->phase = phase;
}

/* The scenario's list stands in order of time, then of these calls. */
static struct at_spec *new_at(struct testbed *m, u64 t, enum at_kind kind)
{
	u32 i = m->sc.nr_at++;

	must_be_early(m, i);
	for (; i && m->at[i - 1].t > t; i--)
		m->at[i] = m->at[i - 1];
	m->at[i] = (struct at_spec){ .kind = kind, .t = t, .at = { .file = "test" } };
	return &m->at[i];
}

void write_at(struct testbed *m, u64 t, const char *path, const char *file, const char *value, const char *expect)
{
	new_at(m, t, AT_WRITE)->write = write_of(m, path, file, value, expect);
}

void online_at(struct testbed *m, u64 t, int cpu, bool online)
{
	struct at_spec *at = new_at(m, t, AT_ONLINE);

	at->cpu = cpu;
	at->online = online;
}

void move_at(struct testbed *m, u64 t, u32 task, const char *path)
{
	struct at_spec *at = new_at(m, t, AT_MOVE);

	at->task = task;
	at->group = path;
}

void affinity_at(struct testbed *m, u64 t, u32 task, const u64 *cpus)
{
	struct at_spec *at = new_at(m, t, AT_AFFINITY);

	at->task = task;
	at->cpus = cpus;
}

/* ---- threads ---- */

static u32 resource(struct testbed *m, enum resource_kind kind, const char *name)
{
	if (m->m || m->sc.nr_resources == ARRAY_SIZE(m->resources))
		fail_msg("too many resources, or too late");
	m->resources[m->sc.nr_resources] = (struct resource_spec){ .kind = kind, .name = name };
	return m->sc.nr_resources++;
}

u32 condition(struct testbed *m, const char *name) { return resource(m, RES_COND, name); }
u32 mutex(struct testbed *m, const char *name) { return resource(m, RES_MUTEX, name); }

/* AT() holds a moment, STEP_TIMER wants the step from the one before. */
static void fill_steps(struct step *to, const struct step *from, u32 nr, u64 start)
{
	u64 last = start;
	u32 i;

	for (i = 0; i < nr; i++) {
		to[i] = from[i];
		if (from[i].kind != STEP_TIMER)
			continue;
		to[i].len.a = from[i].len.a - last;
		last = from[i].len.a;
	}
}

/* The steps, then what stands at the end: the next point of the grid, or a sleep for good. */
static void fill_program(struct testbed *m, struct program *pg, const struct task_args *args, const struct step *steps, u32 nr)
{
	bool once = !args->loops;

	*pg = (struct program){ .loop = 1, .nr_phases = 1, .until = REF_NONE };
	pg->steps = alloc(m, (nr + 1) * sizeof(*pg->steps));
	fill_steps(pg->steps, steps, nr, args->start);
	pg->nr_steps = nr;
	if (args->every)
		pg->steps[pg->nr_steps++] = (struct step){ .kind = STEP_TIMER, .flags = STEP_ABSOLUTE | STEP_UNIQUE,
							   .len = { .kind = DIST_FIXED, .a = args->every } };
	else if (once)
		pg->steps[pg->nr_steps++] = SLEEP(1000000 * SEC);
	pg->phases = alloc(m, sizeof(*pg->phases));
	pg->phases[0] = (struct phase){ .name = "", .loop = once ? 1 : args->loops, .nr = pg->nr_steps };
}

u32 task_of_args(struct testbed *m, const struct task_args *args, const struct step *steps, u32 nr)
{
	struct workload *w = &m->tasks[m->sc.nr_tasks];
	u64 *cpus = NULL;

	must_be_early(m, m->sc.nr_tasks);
	if (args->group)
		group_at(m, args->group);
	if (args->cpu != ANY_CPU) {
		cpus = alloc(m, SCENARIO_MOST_CPUS / 8);
		cpus[args->cpu / 64] = (u64)1 << (args->cpu % 64);
	}
	*w = (struct workload){
		.name = "thread", .instances = 1, .group = args->group, .policy = args->policy, .nice = args->nice,
		.slice = args->slice, .kthread = args->kthread, .delay = args->start, .cpus = cpus, .at = { .file = "test" },
	};
	fill_program(m, &w->program, args, steps, nr);
	return m->sc.nr_tasks++;
}

u32 hog(struct testbed *m, const char *path, int cpu, u64 start)
{
	return task_of_args(m, &(struct task_args){ .group = path, .cpu = cpu, .start = start, .loops = -1 },
			    STEPS(RUN(1000 * SEC)));
}

/* ---- running ---- */

static bool go(struct testbed *m, u64 t)
{
	if (!m->m)
		m->m = machine_create(&m->sc, &m->opt, &m->err);
	return m->m && !machine_run_until(m->m, t, &m->err);
}

void run_until(struct testbed *m, u64 t)
{
	if (!go(m, t))
		fail_msg("%s", err_text(&m->err, m->err_line, sizeof(m->err_line)));
}

const char *run_until_error(struct testbed *m, u64 t)
{
	return go(m, t) ? NULL : err_text(&m->err, m->err_line, sizeof(m->err_line));
}

void done(struct testbed *m)
{
	if (m->m)
		machine_destroy(m->m);
	scenario_free(&m->sc);
	free(m->held);
	free(m->events);
	free(m);
}

/* ---- looking ---- */

struct machine *machine_in(struct testbed *m) { return m->m; }

struct group_stat stat_of(struct testbed *m, const char *path)
{
	struct group_stat st = { 0 };

	if (machine_group_stat(m->m, path, &st))
		fail_msg("there is no group %s", path);
	return st;
}

static struct task_group *group_in(struct testbed *m, const char *path)
{
	struct task_group *tg = machine_group(m->m, path);

	if (!tg)
		fail_msg("there is no group %s", path);
	lab_catch_up(machine_lab(m->m));
	return tg;
}

struct cfs_bandwidth_view pool_of(struct testbed *m, const char *path)
{
	struct cfs_bandwidth_view v;

	lab_view_bandwidth(machine_lab(m->m), group_in(m, path), &v);
	v.period_expires -= m->base;
	v.slack_expires -= m->base;
	v.runtime_expires -= m->base;
	return v;
}

struct cfs_rq_view queue_of(struct testbed *m, const char *path, int cpu)
{
	struct cfs_rq_view v = { 0 };

	if (lab_view_cfs_rq(machine_lab(m->m), group_in(m, path), cpu, &v))
		v.runtime_expires -= m->base;
	return v;
}

u64 cpus_of_group(struct testbed *m, const char *path)
{
	u64 cpus[BITS_WORDS(LAB_MAX_CPUS)] = { 0 };

	lab_group_cpus(machine_lab(m->m), group_in(m, path), cpus);
	return cpus[0];
}

struct task_stat task_stat_of(struct testbed *m, u32 task)
{
	struct result *res = must(machine_result(m->m));
	const struct thread_result *t = &res->tasks[task].sum;
	struct task_stat st = { .runtime = t->runtime, .wait_throttled = t->wait_throttled, .wait_contended = t->wait_contended,
				.longest_pause = t->longest_pause, .nvcsw = t->nvcsw, .nivcsw = t->nivcsw,
				.migrations = t->migrations };

	result_free(res);
	return st;
}

u64 digest_of(struct testbed *m)
{
	struct result *res = must(machine_result(m->m));
	u64 digest = res->digest;

	result_free(res);
	return digest;
}

u64 ran(struct testbed *m, u32 task, u64 from, u64 to)
{
	u64 i, sum = 0;

	for (i = 0; i < m->nr_held; i++) {
		const struct run *run = &m->held[i].run;
		u64 a = max_u64(run->from, from), b = min_u64(min_u64(run->to, to), machine_now(m->m));

		if (m->held[i].task == task + 1 && a < b)
			sum += b - a;
	}
	return sum;
}

struct run nth_run(struct testbed *m, u32 task, u32 nr)
{
	u64 i;

	for (i = 0; i < m->nr_held; i++)
		if (m->held[i].task == task + 1 && !nr--)
			return m->held[i].run;
	return (struct run){ NEVER, NEVER, -1 };
}

struct event nth_event(struct testbed *m, enum event_type type, u32 nr)
{
	u64 i;

	for (i = 0; i < m->nr_events; i++)
		if (m->events[i].type == type && !nr--)
			return m->events[i];
	return (struct event){ .time = NEVER };
}

u32 count_events(struct testbed *m, enum event_type type)
{
	u32 nr = 0;
	u64 i;

	for (i = 0; i < m->nr_events; i++)
		nr += m->events[i].type == type;
	return nr;
}
