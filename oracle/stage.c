/* SPDX-License-Identifier: MIT */
/*
 * stage.c - turns a measured case into a scenario: machine, groups, threads with their programs, writes.
 *
 *	t=1:0:hog		run for ever
 *	t=7:s1:sleep:1:10000	{ run 1 us, sleep 10 ms } for ever
 *	t=..:every:5000:20000	{ run 5 ms, wait for the next 20 ms } for ever: a late release is kept
 *
 * The burn of a thread is its burn as it measured it by its own CPU clock, because the measuring program spins in blocks
 * and so overshoots what it was asked for by up to a block: that is what went in, not what came out.
 */
#include "oracle/stage.h"

#include <stdio.h>
#include <string.h>

#include "core/lab.h"

#define WINDOW_BASE SEC		/* of the guest's clock */
#define PLAIN_PERIOD (100 * MS)
#define LEAD (1636 * MS)		/* the scenario starts that long before a whole second */
/*
 * From a period's end to the refill: the interrupt and its handler.  Ticks are as late, but the model has them on their grid;
 * so what counts is that a released thread is in 5 us behind the boundary (traces), 2.5 us more than a tick is.
 */
#define BOUNDARY ((u64)2500)
#define FIRST_WAKE (3 * US) /* from the window's start to the first thread's being runnable: after the boundary's handler */
#define ENQUEUE ((u64)2700) /* from a recording's sched_waking to the thread's being runnable */
/*
 * While the measuring program sets itself up a thread starts (so much work that it has to ask for quota, whatever the machine's own
 * past has left it), goes to sleep with the millisecond that a CPU keeps, and looks for a moment every 2 ms whether it may begin.
 * Then all sleep up to the window.
 */
#define CREATE (1 * MS)		/* from the start of one thread to that of the next */
#define CREATED (900 * US)
#define LOOK (1 * US)
#define LOOK_EVERY (2 * MS)
#define LOOKS_RECORDING 13	/* times the past: all look on while the recorder is being started */
#define LOOKS_EACH 3		/* the first thread looks on until the last has started */
#define LOOKS_THROTTLED 100	/* ... which takes a period or two where starting costs more than the quota */
#define CLOCK_READ (20 * US)	/* cevery and chog read their clock after each 20 us of work */
#define USER_RETURN ((u64)100)
#define MAX_STEPS 16384

struct stager {
	struct scenario *sc;
	const struct measured *m;
	const struct stage_options *opt;
	struct err *err;
};

static void *take(struct stager *st, size_t size) { return arena_alloc(&st->sc->mem, size); }

static int no_memory(struct stager *st) { return err_set(st->err, ERR_HOST, "out of memory"); }

static const char *text_of(struct stager *st, const char *fmt, const char *s, u64 a, u64 b)
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

/* Threads that start at moments of their own need a task each, else one task has a set's threads as instances. */
static u32 tasks_of(const struct wl_set *set, const struct stage_options *opt)
{
	return set->stagger || opt->start || opt->behind ? set->count : 1;
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

/*
 * What the thread burned each time, by its own clock; what it was asked for where it did not look.  A system call is as long as
 * the kernel makes it, and a run has two of them: the longer is the whole one.
 */
static u64 burn_of(const struct measured *m, u32 set)
{
	const struct wl_set *s = &m->spec.sets[set];
	const struct measured_times *burn = &m->sets[set].burn_cpu;

	if (!wl_timed_burns(s) || !burn->n)
		return s->burn;
	return s->kind == WL_ZREAD || s->kind == WL_POLL ? burn->p50 : burn->mean;
}

/* ---- machine, kernel, groups ---- */

#define WAKES_ENOUGH 50 /* loops of a set whose mean is one */

u64 stage_wake(const struct measured *m)
{
	u64 sum = 0, loops = 0;

	for (u32 i = 0; i < m->spec.nr_sets; i++) {
		const struct wl_set *s = &m->spec.sets[i];
		u64 burnt = m->sets[i].loops * burn_of(m, i);

		if ((s->kind != WL_SLEEP && s->kind != WL_EVERY) || m->sets[i].loops < WAKES_ENOUGH || m->sets[i].cpu < burnt)
			continue;
		sum += m->sets[i].cpu - burnt;
		loops += m->sets[i].loops;
	}
	return loops ? sum / loops : 0;
}

static void stage_machine(struct stager *st)
{
	struct machine_spec *ms = &st->sc->machine;

	ms->cpus = (int)st->m->vcpus;
	ms->hz = st->m->hz;
	ms->cgroup = st->m->cgroup;
	ms->preempt = PREEMPT_VOLUNTARY; /* every guest's preemption model, where it matters */
	ms->costs = guest_costs(st->m->guest, st->m->spec.trace, stage_wake(st->m), !st->opt->without_walk);
	st->sc->history = true;
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
	k->rules = take(st, sizeof(*k->rules));
	k->tunables = take(st, 2 * sizeof(*k->tunables));
	k->tunable_values = take(st, 2 * sizeof(*k->tunable_values));
	if (!k->rules || !k->tunables || !k->tunable_values)
		return no_memory(st);
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

static const char *group_path(struct stager *st, u32 group)
{
	return text_of(st, "/%s", st->m->spec.groups[group].path, 0, 0);
}

static const char *max_value(struct stager *st, bool limited, u64 quota, u64 period)
{
	return limited ? text_of(st, "%s%llu %llu", "", quota / US, period / US) :
			 text_of(st, "max%s %llu", "", period / US, 0);
}

/* A thousand shares of v1 are a weight of about 98; the measuring program wrote weight * 1024 / 100. */
static struct write_spec weight_write(struct stager *st, const char *path, u32 weight)
{
	return st->m->cgroup == 1 ?
		       write_of(st, path, "cpu.shares", text_of(st, "%s%llu", "", (u64)weight * 1024 / 100, 0)) :
		       write_of(st, path, "cpu.weight", text_of(st, "%s%llu", "", weight, 0));
}

/* The writes that limit a group, in the order the measuring program made them; returns how many. */
static u32 limit_writes(struct stager *st, struct write_spec *w, const char *path, const struct wl_write *to)
{
	u32 n = 0;

	if (st->m->cgroup == 2) {
		w[n++] = write_of(st, path, "cpu.max", max_value(st, to->limited, to->quota, to->period));
		if (to->sets_burst)
			w[n++] = write_of(st, path, "cpu.max.burst", text_of(st, "%s%llu", "", to->burst / US, 0));
		return n;
	}
	w[n++] = write_of(st, path, "cpu.cfs_period_us", text_of(st, "%s%llu", "", to->period / US, 0));
	w[n++] = write_of(st, path, "cpu.cfs_quota_us",
			  to->limited ? text_of(st, "%s%llu", "", to->quota / US, 0) : "-1");
	if (to->sets_burst)
		w[n++] = write_of(st, path, "cpu.cfs_burst_us", text_of(st, "%s%llu", "", to->burst / US, 0));
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

	g->path = group_path(st, i);
	g->declared = true;
	g->writes = take(st, 4 * sizeof(*g->writes));
	if (!g->path || !g->writes)
		return no_memory(st);
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
	sc->groups = take(st, (sc->nr_groups + 1) * sizeof(*sc->groups));
	if (!sc->groups)
		return no_memory(st);
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

	sc->at = take(st, (4 * spec->nr_writes + 1) * sizeof(*sc->at));
	if (!sc->at)
		return no_memory(st);
	for (u32 i = 0; i < spec->nr_writes; i++) {
		const struct wl_write *from = &spec->writes[i];
		u64 t = stage_window_start(st->m) + from->at + st->m->guest->write;
		u32 n = limit_writes(st, w, group_path(st, from->group), from);

		for (u32 k = 0; k < n; k++)
			sc->at[sc->nr_at++] = (struct at_spec){ .kind = AT_WRITE, .t = t, .write = w[k], .at = w[k].at };
	}
	return 0;
}

/* ---- programs ---- */

struct maker { /* a program with one phase, in the making */
	struct stager *st;
	struct program *program;
	u32 cap;
};

static void add_step(struct maker *mk, enum step_kind kind, u8 flags, u64 ns, u32 ref)
{
	struct program *p = mk->program;

	if (p->nr_steps < mk->cap)
		p->steps[p->nr_steps++] = (struct step){ .kind = (u8)kind, .flags = flags, .ref = ref, .ref2 = REF_NONE,
							 .len = { .kind = DIST_FIXED, .a = ns } };
}

/*
 * A look at the own CPU clock, which makes the kernel charge what ran so far, and the way back to user mode: a thread whose quota
 * is found to be used up leaves the CPU there, before it does anything else.
 */
static void add_clock_read(struct maker *mk)
{
	add_step(mk, STEP_RUN, STEP_POLLS_CLOCK, 1, REF_NONE);
	add_step(mk, STEP_RUN, 0, USER_RETURN, REF_NONE);
}

/* @ns of work in pieces, with a look at the clock behind each. */
static void add_clocked_run(struct maker *mk, u64 ns)
{
	u64 turn = CLOCK_READ * wl_busy_cpus(&mk->st->m->spec, mk->st->m->vcpus);

	for (u64 left = ns; left;) {
		u64 piece = min_u64(left, turn);

		add_step(mk, STEP_RUN, STEP_POLLS_CLOCK, piece, REF_NONE);
		left -= piece;
	}
	add_step(mk, STEP_RUN, 0, USER_RETURN, REF_NONE);
}

static u32 new_timer(struct stager *st)
{
	struct scenario *sc = st->sc;

	sc->resources[sc->nr_resources] = (struct resource_spec){ .kind = RES_TIMER, .name = "unique",
								  .absolute = true, .unique = true };
	return sc->nr_resources++;
}

/* A burn that is timed has a look at the clock before and behind it. */
static void add_timed_run(struct maker *mk, u32 set, u64 burn)
{
	bool timed = wl_timed_burns(&mk->st->m->spec.sets[set]);

	if (timed)
		add_clock_read(mk);
	add_step(mk, STEP_RUN, 0, burn, REF_NONE);
	if (timed)
		add_clock_read(mk);
}

static int add_burn(struct maker *mk, u32 set)
{
	const struct measured *m = mk->st->m;
	const struct wl_set *s = &m->spec.sets[set];
	u64 burn = burn_of(m, set);

	switch (s->kind) {
	case WL_HOG:
		add_step(mk, STEP_RUN, 0, SEC, REF_NONE);
		return 0;
	case WL_CHOG:
		add_clocked_run(mk, CLOCK_READ * wl_busy_cpus(&mk->st->m->spec, mk->st->m->vcpus));
		return 0;
	case WL_CEVERY:
		add_clocked_run(mk, burn);
		return 0;
	case WL_ZREAD:
		add_step(mk, STEP_SYS, STEP_RESCHED_POINT, burn, REF_NONE);
		return 0;
	case WL_POLL:
		add_step(mk, STEP_SYS, 0, burn, REF_NONE);
		return 0;
	case WL_REFRESH:
		return err_at(mk->st->err, m->file, m->line, 0, "spec",
			      "threads that make the kernel wake its own (refresh) cannot be played yet");
	default:
		add_timed_run(mk, set, burn);
		return 0;
	}
}

static u64 due_of(const struct wl_set *s, u32 thread) { return s->stagger ? s->offset * thread : s->offset; }

static bool is_open_loop(const struct wl_set *s)
{
	return s->kind != WL_SLEEP && s->kind != WL_HOG && s->kind != WL_CHOG && s->sleep;
}

/*
 * An open loop: a burn, then a wait for the next release and a burn, as often as there are releases in the window.  After the last it reads its
 * statistics and leaves at once.  (A closed loop's end is stage_leaving()'s.)
 *
 *	steps:	[wait][burn ...][leave][exit]		phases:  burn | wait burn, wait burn ... | leave exit
 */
static int make_open_loop(struct maker *mk, u32 set, u32 thread)
{
	const struct stager *st = mk->st;
	const struct wl_set *s = &st->m->spec.sets[set];
	struct program *p = mk->program;
	u64 rest = st->m->spec.window - min_u64(st->m->spec.window, due_of(s, thread) + 1);
	u32 burn;

	add_step(mk, STEP_TIMER, STEP_ABSOLUTE | STEP_UNIQUE, s->sleep, new_timer(mk->st));
	if (add_burn(mk, set))
		return -1;
	burn = p->nr_steps - 1;
	add_step(mk, STEP_RUN, 0, st->m->guest->leave * wl_busy_cpus(&st->m->spec, st->m->vcpus), REF_NONE);
	add_step(mk, STEP_EXIT, 0, 0, REF_NONE);
	p->phases[0] = (struct phase){ .name = "first", .loop = 1, .first = 1, .nr = burn };
	p->phases[1] = (struct phase){ .name = "next", .loop = (s64)(rest / s->sleep), .first = 0, .nr = burn + 1 };
	p->phases[2] = (struct phase){ .name = "end", .loop = 1, .first = burn + 1, .nr = 2 };
	p->nr_phases = 3;
	return 0;
}

static int make_loop(struct maker *mk, u32 set)
{
	const struct wl_set *s = &mk->st->m->spec.sets[set];

	if (add_burn(mk, set))
		return -1;
	if (s->kind == WL_SLEEP)
		add_step(mk, STEP_SLEEP, 0, s->sleep, REF_NONE);
	else if (is_open_loop(s))
		add_step(mk, STEP_TIMER, STEP_ABSOLUTE | STEP_UNIQUE, s->sleep, new_timer(mk->st));
	mk->program->nr_phases = 1;
	mk->program->phases[0] = (struct phase){ .name = "", .loop = -1, .first = 0, .nr = mk->program->nr_steps };
	return 0;
}

static int make_program(struct stager *st, struct program *p, u32 set, u32 thread)
{
	const struct wl_set *s = &st->m->spec.sets[set];
	struct maker mk = { .st = st, .program = p };

	mk.cap = s->kind == WL_CEVERY ? (u32)min_u64(2 * (burn_of(st->m, set) / CLOCK_READ) + 10, MAX_STEPS) : 10;
	p->steps = take(st, mk.cap * sizeof(*p->steps));
	p->phases = take(st, 3 * sizeof(*p->phases));
	if (!p->steps || !p->phases)
		return no_memory(st);
	p->loop = 1;
	p->until = REF_NONE;
	/* where threads choose their CPU, who leaves first is chance like the rest: there the loop goes on behind the window */
	return is_open_loop(s) && wl_pinned(&st->m->spec) ? make_open_loop(&mk, set, thread) : make_loop(&mk, set);
}

/* ---- threads ---- */

static const u64 *one_cpu(struct stager *st, int cpu)
{
	u64 *mask = take(st, (LAB_MAX_CPUS / 64) * sizeof(*mask));

	if (mask)
		mask[cpu / 64] = (u64)1 << (cpu % 64);
	return mask;
}

/* Pin the task, whose first instance is thread @first of the set, to what the set says. */
static int pin_task(struct stager *st, struct workload *w, const struct wl_set *set, u32 first)
{
	s32 *each;

	if (set->free)
		return 0;
	if (!set->spread || w->instances == 1) {
		w->cpus = one_cpu(st, set->cpu + (set->spread ? (int)first : 0));
		return w->cpus ? 0 : no_memory(st);
	}
	each = take(st, set->count * sizeof(*each));
	if (!each)
		return no_memory(st);
	for (u32 i = 0; i < set->count; i++)
		each[i] = set->cpu + (s32)i;
	w->cpus_each = each;
	w->nr_cpus_each = set->count;
	return 0;
}

/* Number of the first thread of @set, counted through the sets. */
static u32 first_thread(const struct measured *m, u32 set)
{
	u32 n = 0;

	for (u32 i = 0; i < set; i++)
		n += m->spec.sets[i].count;
	return n;
}

static bool any_limit(const struct wl_spec *spec)
{
	for (u32 i = 0; i < spec->nr_groups; i++)
		if (spec->groups[i].limited)
			return true;
	return false;
}

/*
 * When thread @thread of @set becomes runnable for the first time.  Under a limit that is after the boundary's handler; without
 * one the releases of open loops stay on the ticks' grid, because their wakeup comes before a switch that the tick asked for.
 */
static u64 start_of(const struct stager *st, u32 set, u32 thread)
{
	const struct wl_set *s = &st->m->spec.sets[set];
	u64 due = due_of(s, thread);
	u32 number = first_thread(st->m, set) + thread;

	if (st->opt->behind)
		due += st->opt->behind[number];
	if (!any_limit(&st->m->spec))
		return due;
	if (st->opt->start)
		return st->opt->start[number] + ENQUEUE + (st->opt->behind && st->opt->behind[number]);
	return due + FIRST_WAKE;
}

static int stage_task_of(struct stager *st, struct workload *w, u32 set, u32 first, u32 instances)
{
	const struct wl_set *s = &st->m->spec.sets[set];
	char name[32];

	stage_thread_name(st->m, set, first, name, sizeof(name));
	if (instances > 1)
		*strchr(name, '.') = '\0';
	w->name = arena_strdup(&st->sc->mem, name);
	w->group = group_path(st, s->group);
	w->instances = instances;
	w->nice = s->nice;
	w->policy = SCHED_NORMAL;
	w->delay = stage_window_start(st->m) + start_of(st, set, first);
	w->at = (struct place){ st->m->file, st->m->line, 0 };
	if (!w->name || !w->group)
		return no_memory(st);
	return pin_task(st, w, s, first) ? -1 : make_program(st, &w->program, set, first);
}

/* ---- what the measuring program did besides ---- */

/* A task for threads @first .. of @set, on their CPUs and in their group; its program is there already. */
static int stage_beside(struct stager *st, struct workload *w, u32 set, u32 first, u32 instances, const char *what, u64 delay)
{
	const struct wl_set *s = &st->m->spec.sets[set];

	w->name = text_of(st, "%s %llu", what, set, 0);
	w->group = group_path(st, s->group);
	w->instances = instances;
	w->nice = s->nice;
	w->policy = SCHED_NORMAL;
	w->delay = delay;
	w->at = (struct place){ st->m->file, st->m->line, 0 };
	return w->name && w->group ? pin_task(st, w, s, first) : no_memory(st);
}

static struct step step_of(enum step_kind kind, u64 ns)
{
	return (struct step){ .kind = (u8)kind, .ref = REF_NONE, .ref2 = REF_NONE, .len = { .kind = DIST_FIXED, .a = ns } };
}

/* How often thread @number looks, in this past. */
static s64 looks(const struct stager *st, u32 number)
{
	const struct wl_spec *spec = &st->m->spec;
	u32 threads = first_thread(st->m, spec->nr_sets), spread = LOOKS_EACH * threads;
	u32 common = spec->trace ? LOOKS_RECORDING * st->opt->past : st->opt->past;

	if (spec->groups[0].limited && threads * CREATED > spec->groups[0].quota)
		spread = LOOKS_THROTTLED;
	return 2 + common + (number * 37 + st->opt->past * 53) % (spread + 1);
}

/* So each CPU comes to the window with what is left of the millisecond it kept. */
static int stage_set_up(struct stager *st, struct workload *w, u32 set, u32 thread)
{
	const struct step first[] = { step_of(STEP_RUN, CREATED), step_of(STEP_SLEEP, LOOK_EVERY) };
	const struct step look[] = { step_of(STEP_RUN, LOOK), step_of(STEP_SLEEP, LOOK_EVERY) };
	struct phase *phases = take(st, 2 * sizeof(*phases));
	struct step *steps = take(st, 4 * sizeof(*steps));
	u32 number = first_thread(st->m, set) + thread;

	if (!phases || !steps)
		return no_memory(st);
	memcpy(steps, first, sizeof(first));
	memcpy(steps + 2, look, sizeof(look));
	phases[0] = (struct phase){ .name = "", .loop = 1, .first = 0, .nr = 2 };
	phases[1] = (struct phase){ .name = "", .loop = looks(st, number), .first = 2, .nr = 2 };
	w->program = (struct program){ .loop = 1, .until = REF_NONE, .nr_phases = 2, .phases = phases, .nr_steps = 4, .steps = steps };
	return stage_beside(st, w, set, thread, 1, "set-up", number * CREATE);
}

/*
 * A sleeper whose next release would be behind the window's end reads its statistics and leaves, while the window still runs:
 * that is charged to its group, and takes the longer the more do it at once.
 */
static int stage_leaving(struct stager *st, struct workload *w, u32 set)
{
	const struct wl_set *s = &st->m->spec.sets[set];
	struct phase *phase = take(st, sizeof(*phase));
	struct step *step = take(st, sizeof(*step));

	if (!phase || !step)
		return no_memory(st);
	*step = step_of(STEP_RUN, st->m->guest->leave * wl_busy_cpus(&st->m->spec, st->m->vcpus));
	*phase = (struct phase){ .name = "", .loop = 1, .first = 0, .nr = 1 };
	w->program = (struct program){ .loop = 1, .until = REF_NONE, .nr_phases = 1, .phases = phase, .nr_steps = 1, .steps = step };
	return stage_beside(st, w, set, 0, s->count, "leaving", stage_window_end(st->m) - min_u64(s->sleep, st->m->spec.window));
}

static int stage_tasks_beside(struct stager *st)
{
	const struct wl_spec *spec = &st->m->spec;
	struct scenario *sc = st->sc;

	if (!wl_pinned(spec) || !lead_of(st->m))
		return 0;
	for (u32 i = 0; i < spec->nr_sets; i++)
		for (u32 k = 0; k < spec->sets[i].count; k++)
			if (stage_set_up(st, &sc->tasks[sc->nr_tasks++], i, k))
				return -1;
	for (u32 i = 0; i < spec->nr_sets; i++)
		if (spec->sets[i].kind == WL_SLEEP && stage_leaving(st, &sc->tasks[sc->nr_tasks++], i))
			return -1;
	return 0;
}

static int stage_tasks(struct stager *st)
{
	const struct wl_spec *spec = &st->m->spec;
	struct scenario *sc = st->sc;
	u32 total = 0;

	for (u32 i = 0; i < spec->nr_sets; i++)
		total += 2 * spec->sets[i].count + 1;
	sc->tasks = take(st, total * sizeof(*sc->tasks));
	sc->resources = take(st, (total + 1) * sizeof(*sc->resources));
	if (!sc->tasks || !sc->resources)
		return no_memory(st);
	for (u32 i = 0; i < spec->nr_sets; i++) {
		u32 nr = tasks_of(&spec->sets[i], st->opt);

		for (u32 k = 0; k < nr; k++, sc->nr_tasks++)
			if (stage_task_of(st, &sc->tasks[sc->nr_tasks], i, k, spec->sets[i].count / nr))
				return -1;
	}
	return stage_tasks_beside(st);
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
	if (pins_fit(&st) || stage_kernel(&st) || stage_groups(&st) || stage_tasks(&st) || stage_writes(&st))
		return -1;
	stage_machine(&st);
	return 0;
}
