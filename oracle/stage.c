/* SPDX-License-Identifier: MIT */
/*
 * stage.c - turns a measured case into a scenario: machine, groups, threads with their programs, writes.
 *
 *	g=fib:0:10000:100000:0	a group with its writes, and where its periods begin
 *	t=7:s1:sleep:1:10000	a task for each thread: its CPU, its past (past.c), its program (programs.c)
 *	w=350000:0:5000:...	a write in mid-run
 *				what else had the CPUs (beside.c)
 *
 * Where no thread is bound to a CPU the model's are no more equal to the real ones than these are to each other: there a set is
 * one task with instances, and there is no past.
 */
#include "oracle/stager.h"

#include <stdio.h>
#include <string.h>

#include "core/lab.h"

#define WINDOW_BASE SEC		/* of the guest's clock */
#define PLAIN_PERIOD (100 * MS)
#define LEAD (3636 * MS)		/* the scenario starts that long before a whole second: no thread was set up earlier */
/*
 * From a period's end to the refill: the interrupt and its handler.  Ticks are as late, but the model has them on their grid;
 * so what counts is that a released thread is in 5 us behind the boundary (traces), 2.5 us more than a tick is.
 */
#define BOUNDARY ((u64)2500)
#define LEAVE_ALONE 3 /* CPUs */

void *stager_take(struct stager *st, size_t size) { return arena_alloc(&st->sc->mem, size); }

int stager_no_memory(struct stager *st) { return err_set(st->err, ERR_HOST, "out of memory"); }

const char *stager_text(struct stager *st, const char *fmt, const char *s, u64 a, u64 b)
{
	char buf[256];

	snprintf(buf, sizeof(buf), fmt, s, (unsigned long long)a, (unsigned long long)b);
	return arena_strdup(&st->sc->mem, buf);
}

/* Periods that do not divide the history's stretch keep the scenario's start as their grid. */
static u64 lead_of(const struct measured *m)
{
	for (u32 i = 0; i < m->spec.nr_groups; i++)
		if (m->spec.groups[i].limited && PLAIN_PERIOD % m->spec.groups[i].period)
			return 0;
	return LEAD;
}

u64 stage_window_start(const struct measured *m) { return lead_of(m) + m->t0 % WINDOW_BASE; }
u64 stage_window_end(const struct measured *m) { return stage_window_start(m) + m->spec.window; }

/* ---- which task of the scenario is which thread ---- */

/* Threads that have a past or a start of their own need a task each, else one task has a set's threads as instances. */
static u32 tasks_of(const struct wl_set *set, const struct stage_options *opt)
{
	return set->free && !set->stagger && !opt->seen ? 1 : set->count;
}

u32 stage_task(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread)
{
	u32 n = 0;

	for (u32 i = 0; i < set; i++)
		n += tasks_of(&m->spec.sets[i], opt);
	return n + (tasks_of(&m->spec.sets[set], opt) > 1 ? thread : 0);
}

u32 stage_instance(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread)
{
	return tasks_of(&m->spec.sets[set], opt) > 1 ? 0 : thread;
}

char *stage_thread_name(const struct measured *m, u32 set, u32 thread, char *buf, size_t size)
{
	static const char letters[NR_WL_KINDS] = { 'h', 's', 'e', 'r', 'c', 'k', 'z', 'p' };

	snprintf(buf, size, "%c%u.%u", letters[m->spec.sets[set].kind], set, thread);
	return buf;
}

/* ---- machine, kernel, groups ---- */

#define WAKES_ENOUGH 50 /* loops of a set whose mean is one */

void stage_add_wakes(const struct measured *m, u32 set, u64 cpu, u64 loops, u64 *sum, u64 *all)
{
	const struct wl_set *s = &m->spec.sets[set];
	u64 burnt = loops * stager_burn(m, set);

	if ((s->kind != WL_SLEEP && s->kind != WL_EVERY) || m->sets[set].loops < WAKES_ENOUGH || cpu < burnt)
		return;
	*sum += cpu - burnt;
	*all += loops;
}

u64 stage_wake(const struct measured *m)
{
	u64 sum = 0, loops = 0;

	for (u32 i = 0; i < m->spec.nr_sets; i++)
		stage_add_wakes(m, i, m->sets[i].cpu, m->sets[i].loops, &sum, &loops);
	return loops ? sum / loops : 0;
}

u64 stage_turn(const struct measured *m, const struct stage_options *opt)
{
	if (m->guest->real_machine || opt->without_turns || !wl_pinned(&m->spec))
		return 0;
	return m->block;
}

/* Without turns a walk is taken to last as much longer as the case's wakeups do. */
static struct costs costs_of(const struct stager *st)
{
	u64 wake = st->opt->wake ? st->opt->wake : stage_wake(st->m);

	return guest_costs(st->m->guest, st->m->spec.trace, wake, !st->opt->without_turns && !stage_turn(st->m, st->opt));
}

bool stager_has_past(const struct stager *st) { return wl_pinned(&st->m->spec) && lead_of(st->m); }

static void stage_machine(struct stager *st)
{
	struct machine_spec *ms = &st->sc->machine;

	ms->cpus = (int)st->m->vcpus;
	ms->hz = st->m->hz;
	ms->cgroup = st->m->cgroup;
	ms->preempt = PREEMPT_VOLUNTARY; /* every guest's preemption model, where it matters */
	ms->costs = costs_of(st);
	if (!wl_pinned(&st->m->spec) && !st->opt->nr_turns) /* whose tick comes first is chance: in hogs4-q100 all get the same to 2 % */
		ms->ticks = TICKS_SHUFFLED;
	if (wl_pinned(&st->m->spec) || !st->opt->nr_turns)
		st->sc->seed = 1 + st->opt->past;
	st->sc->history = !stager_has_past(st);
	st->sc->measure_from = stage_window_start(st->m);
	st->sc->measure_to = NEVER;
	st->sc->duration = stage_window_end(st->m) + SEC;
	st->sc->name = st->m->name;
	st->sc->file = st->m->file;
}

static int stage_kernel(struct stager *st)
{
	struct kernel_spec *k = &st->sc->kernel;
	const struct wl_spec *spec = &st->m->spec;

	k->row = st->m->guest->row;
	k->rules = stager_take(st, sizeof(*k->rules));
	k->tunables = stager_take(st, 2 * sizeof(*k->tunables));
	k->tunable_values = stager_take(st, 2 * sizeof(*k->tunable_values));
	if (!k->rules || !k->tunables || !k->tunable_values)
		return stager_no_memory(st);
	k->nr_rules = st->m->guest->rule ? 1 : 0;
	k->rules[0] = st->m->guest->rule;
	k->nr_tunables = 0;
	if (spec->slice) {
		k->tunables[k->nr_tunables] = "sched_cfs_bandwidth_slice_us";
		k->tunable_values[k->nr_tunables++] = spec->slice / US;
	}
	if (spec->wgran) {
		k->tunables[k->nr_tunables] = "sched_wakeup_granularity_ns";
		k->tunable_values[k->nr_tunables++] = spec->wgran;
	}
	return 0;
}

static struct write_spec write_of(struct stager *st, const char *group, const char *file, const char *value)
{
	return (struct write_spec){
		.group = group, .file = file, .value = value, .at = { st->m->file, st->m->line, 0 }
	};
}

const char *stager_group_path(struct stager *st, u32 group)
{
	return stager_text(st, "/%s", st->m->spec.groups[group].path, 0, 0);
}

static const char *max_value(struct stager *st, bool limited, u64 quota, u64 period)
{
	return limited ? stager_text(st, "%s%llu %llu", "", quota / US, period / US) :
			 stager_text(st, "max%s %llu", "", period / US, 0);
}

/* A thousand shares of v1 are a weight of about 98; the measuring program wrote weight * 1024 / 100. */
static struct write_spec weight_write(struct stager *st, const char *path, u32 weight)
{
	return st->m->cgroup == 1 ?
		       write_of(st, path, "cpu.shares", stager_text(st, "%s%llu", "", (u64)weight * 1024 / 100, 0)) :
		       write_of(st, path, "cpu.weight", stager_text(st, "%s%llu", "", weight, 0));
}

/* The writes that limit a group, in the order the measuring program made them; returns how many. */
static u32 limit_writes(struct stager *st, struct write_spec *w, const char *path, const struct wl_write *to)
{
	u32 n = 0;

	if (st->m->cgroup == 2) {
		w[n++] = write_of(st, path, "cpu.max", max_value(st, to->limited, to->quota, to->period));
		if (to->sets_burst)
			w[n++] = write_of(st, path, "cpu.max.burst", stager_text(st, "%s%llu", "", to->burst / US, 0));
		return n;
	}
	w[n++] = write_of(st, path, "cpu.cfs_period_us", stager_text(st, "%s%llu", "", to->period / US, 0));
	w[n++] = write_of(st, path, "cpu.cfs_quota_us",
			  to->limited ? stager_text(st, "%s%llu", "", to->quota / US, 0) : "-1");
	if (to->sets_burst)
		w[n++] = write_of(st, path, "cpu.cfs_burst_us", stager_text(st, "%s%llu", "", to->burst / US, 0));
	return n;
}

static u64 group_phase(const struct stager *st, u32 group)
{
	if (st->opt->phase && st->opt->phase[group] != NEVER)
		return st->opt->phase[group];
	return st->m->guest->phase_random ? st->m->phase[group] : NEVER;
}

static int stage_group(struct stager *st, u32 i)
{
	const struct wl_group *from = &st->m->spec.groups[i];
	struct group_spec *g = &st->sc->groups[i];
	u64 phase = group_phase(st, i);

	g->path = stager_group_path(st, i);
	g->declared = true;
	g->writes = stager_take(st, 4 * sizeof(*g->writes));
	if (!g->path || !g->writes)
		return stager_no_memory(st);
	if (from->weight)
		g->writes[g->nr_writes++] = weight_write(st, g->path, from->weight);
	if (from->limited)
		g->nr_writes += limit_writes(st, g->writes + g->nr_writes, g->path,
					     &(struct wl_write){ .limited = true, .quota = from->quota,
								 .period = from->period, .burst = from->burst,
								 .sets_burst = from->burst && !st->m->guest->no_burst });
	if (!from->limited)
		return 0;
	g->phase_set = st->m->guest->phase_random || lead_of(st->m);
	if (!st->m->guest->phase_random)
		g->phase = (LEAD + BOUNDARY) % from->period;
	else if (phase == NEVER) /* unknown: another one in each past */
		g->phase = (stage_window_start(st->m) + from->period * (2 * st->opt->past + 1) / (2 * STAGE_PASTS)) % from->period;
	else
		g->phase = (lead_of(st->m) + phase + BOUNDARY) % from->period;
	return 0;
}

bool stage_phase_unknown(const struct measured *m, const struct stage_options *opt)
{
	if (!m->guest->phase_random)
		return false;
	for (u32 i = 0; i < m->spec.nr_groups; i++)
		if (m->spec.groups[i].limited && m->phase[i] == NEVER && (!opt->phase || opt->phase[i] == NEVER))
			return true;
	return false;
}

static int stage_groups(struct stager *st)
{
	struct scenario *sc = st->sc;

	sc->nr_groups = st->m->spec.nr_groups;
	sc->groups = stager_take(st, (sc->nr_groups + 1) * sizeof(*sc->groups));
	if (!sc->groups)
		return stager_no_memory(st);
	for (u32 i = 0; i < sc->nr_groups; i++)
		if (stage_group(st, i))
			return -1;
	return 0;
}

static int stage_writes(struct stager *st)
{
	const struct wl_spec *spec = &st->m->spec;
	struct scenario *sc = st->sc;
	struct write_spec w[4];

	sc->at = stager_take(st, (4 * spec->nr_writes + 1) * sizeof(*sc->at));
	if (!sc->at)
		return stager_no_memory(st);
	for (u32 i = 0; i < spec->nr_writes; i++) {
		const struct wl_write *from = &spec->writes[i];
		u64 t = stage_window_start(st->m) + from->at + st->m->guest->write;
		u32 n = limit_writes(st, w, stager_group_path(st, from->group), from);

		for (u32 k = 0; k < n; k++)
			sc->at[sc->nr_at++] = (struct at_spec){ .kind = AT_WRITE, .t = t, .write = w[k], .at = w[k].at };
	}
	return 0;
}

/* ---- threads ---- */

/* Sleepers are due to leave at about the same time, and the emulator runs their CPUs in turn. */
u64 stage_leave(const struct measured *m, u32 set)
{
	u64 alone = m->spec.trace ? m->guest->leave_traced : m->guest->leave;
	u32 cpus = wl_busy_cpus(&m->spec, m->vcpus);

	return m->spec.sets[set].kind == WL_SLEEP && cpus > LEAVE_ALONE ? alone * cpus / LEAVE_ALONE : alone;
}

const u64 *stager_cpu(struct stager *st, int cpu)
{
	u64 *mask = stager_take(st, (LAB_MAX_CPUS / 64) * sizeof(*mask));

	if (mask)
		mask[cpu / 64] = (u64)1 << (cpu % 64);
	return mask;
}

/* A thread that chose its CPU once and for all has it given: which of several it took is chance. */
static int pin_free(struct stager *st, struct workload *w, const struct wl_set *set, u32 first)
{
	u32 number = first;

	for (const struct wl_set *s = st->m->spec.sets; s < set; s++)
		number += s->count;
	if (!st->opt->seen || st->opt->seen[number].cpu < 0)
		return 0;
	w->cpus = stager_cpu(st, st->opt->seen[number].cpu);
	return w->cpus ? 0 : stager_no_memory(st);
}

/* Pin the task, whose first instance is thread @first of the set, to what the set says. */
int stager_pin(struct stager *st, struct workload *w, const struct wl_set *set, u32 first)
{
	s32 *each;

	if (set->free)
		return pin_free(st, w, set, first);
	if (!set->spread || w->instances == 1) {
		w->cpus = stager_cpu(st, set->cpu + (set->spread ? (int)first : 0));
		return w->cpus ? 0 : stager_no_memory(st);
	}
	each = stager_take(st, set->count * sizeof(*each));
	if (!each)
		return stager_no_memory(st);
	for (u32 i = 0; i < set->count; i++)
		each[i] = set->cpu + (s32)i;
	w->cpus_each = each;
	w->nr_cpus_each = set->count;
	return 0;
}

static int stage_task_of(struct stager *st, struct workload *w, u32 set, u32 first, u32 instances)
{
	const struct wl_set *s = &st->m->spec.sets[set];
	char name[32];

	stage_thread_name(st->m, set, first, name, sizeof(name));
	if (instances > 1)
		*strchr(name, '.') = '\0';
	w->name = arena_strdup(&st->sc->mem, name);
	w->group = stager_group_path(st, s->group);
	w->instances = instances;
	w->nice = s->nice;
	w->policy = SCHED_NORMAL;
	w->delay = stage_window_start(st->m) + stager_start(st, set, first);
	w->at = (struct place){ st->m->file, st->m->line, 0 };
	if (!w->name || !w->group)
		return stager_no_memory(st);
	return stager_pin(st, w, s, first) || stager_past(st, w, set, first) ? -1 : stager_program(st, &w->program, set, first);
}

static int stage_tasks(struct stager *st)
{
	const struct wl_spec *spec = &st->m->spec;
	struct scenario *sc = st->sc;
	u32 total = stager_count_beside(st);

	for (u32 i = 0; i < spec->nr_sets; i++)
		total += spec->sets[i].count;
	sc->tasks = stager_take(st, total * sizeof(*sc->tasks));
	sc->resources = stager_take(st, (total + 1) * sizeof(*sc->resources));
	if (!sc->tasks || !sc->resources)
		return stager_no_memory(st);
	for (u32 i = 0; i < spec->nr_sets; i++) {
		u32 nr = tasks_of(&spec->sets[i], st->opt);

		for (u32 k = 0; k < nr; k++, sc->nr_tasks++)
			if (stage_task_of(st, &sc->tasks[sc->nr_tasks], i, k, spec->sets[i].count / nr))
				return -1;
	}
	return stager_beside(st);
}

static int pins_fit(struct stager *st)
{
	for (u32 i = 0; i < st->m->spec.nr_sets; i++) {
		const struct wl_set *s = &st->m->spec.sets[i];

		if (!s->free && (u32)s->cpu + (s->spread ? s->count - 1 : 0) >= st->m->vcpus)
			return err_at(st->err, st->m->file, st->m->line, 0, "spec",
				      "expected CPUs below %u, found a thread on a later one", st->m->vcpus);
	}
	return 0;
}

int stage_case(struct scenario *sc, const struct measured *m, const struct stage_options *opt, struct err *err)
{
	struct stager st = { .sc = sc, .m = m, .opt = opt, .err = err };

	scenario_init(sc);
	stage_machine(&st);
	return pins_fit(&st) || stage_kernel(&st) || stage_groups(&st) || stage_tasks(&st) || stage_writes(&st) ? -1 : 0;
}

/*
 * As the pinned threads' first releases (past.c, TURN).  Recordings show 18 to 20 us from CPU to CPU with two wakeups each, CPUs in ascending order from any of
 * them on (smp-checked.md A1).
 */
#define TIMERS_APART (15 * US)

u64 stage_timers_apart(const struct measured *m, const struct stage_options *opt)
{
	return m->guest->real_machine || opt->without_turns || wl_pinned(&m->spec) ? 0 : TIMERS_APART;
}

int stage_tick_first(const struct staged *staged, u64 now)
{
	const struct stage_options *opt = staged->opt;
	u64 start = stage_window_start(staged->m), at = now - start;
	u32 low = 0, high = now < start ? 0 : opt->nr_turns;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (opt->turns[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < opt->nr_turns && opt->turns[low].at == at ? (int)opt->turns[low].first : 0;
}
