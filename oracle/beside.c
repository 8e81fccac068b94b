/* SPDX-License-Identifier: MIT */
/*
 * beside.c - what had the CPUs besides the threads of a case.
 *
 *	a sleeper's end		inside its group: it reads its statistics and leaves within the window
 *	others 0, others 1 ...	outside all groups: kernel threads and the controlling program, as a recording has seen them run there
 */
#include "oracle/stager.h"

#include "core/lab.h"

static struct step step_of(enum step_kind kind, u64 ns)
{
	return (struct step){ .kind = (u8)kind, .ref = REF_NONE, .ref2 = REF_NONE, .len = { .kind = DIST_FIXED, .a = ns } };
}

/*
 * A sleeper whose next release would be behind the window's end reads its statistics and leaves, while the window still runs:
 * that is charged to its group, and takes the longer the more do it at once.
 */
static int stage_leaving(struct stager *st, struct workload *w, u32 set)
{
	const struct wl_set *s = &st->m->spec.sets[set];
	struct phase *phase = stager_take(st, sizeof(*phase));
	struct step *step = stager_take(st, sizeof(*step));

	if (!phase || !step)
		return stager_no_memory(st);
	*step = step_of(STEP_RUN, stage_leave(st->m, set));
	*phase = (struct phase){ .name = "", .loop = 1, .first = 0, .nr = 1 };
	w->program = (struct program){ .loop = 1, .until = REF_NONE, .nr_phases = 1, .phases = phase, .nr_steps = 1, .steps = step };
	w->name = stager_text(st, "%s %llu", "leaving", set, 0);
	w->group = stager_group_path(st, s->group);
	w->instances = s->count;
	w->nice = s->nice;
	w->policy = SCHED_NORMAL;
	w->delay = stage_window_end(st->m) - min_u64(s->sleep, st->m->spec.window);
	w->at = (struct place){ st->m->file, st->m->line, 0 };
	return w->name && w->group ? stager_pin(st, w, s, 0) : stager_no_memory(st);
}

#define OTHER_STEPS 2 /* wait, run */

/* Of what one of @others ran its wakeup and its switch are part already. */
static void add_other(struct maker *mk, const struct other_run *other, u64 wait, u32 timer)
{
	const struct costs *costs = &mk->st->sc->machine.costs;
	u64 takes = costs->wakeup + costs->switch_;

	stager_step(mk, STEP_TIMER, STEP_ABSOLUTE | STEP_UNIQUE, wait, timer);
	stager_step(mk, STEP_RUN, 0, other->ns > takes ? other->ns - takes : 1, REF_NONE);
}

/* What others ran on @cpu: one task that wakes each time one of them did. */
static int stage_others(struct stager *st, struct workload *w, u32 cpu)
{
	const struct stage_options *opt = st->opt;
	struct maker mk = { .st = st, .program = &w->program, .cap = OTHER_STEPS * opt->nr_others };
	u64 before = 0, start = stage_window_start(st->m) - st->sc->machine.costs.timer_slack;
	u32 timer = stager_timer(st);

	w->name = stager_text(st, "others %s%llu", "", cpu, 0);
	w->instances = 1;
	w->policy = SCHED_NORMAL;
	w->cpus = stager_cpu(st, (int)cpu);
	w->program = (struct program){ .loop = 1, .until = REF_NONE, .nr_phases = 1 };
	w->program.phases = stager_take(st, sizeof(*w->program.phases));
	w->program.steps = stager_take(st, mk.cap * sizeof(*w->program.steps));
	if (!w->name || !w->cpus || !w->program.phases || !w->program.steps)
		return stager_no_memory(st);
	for (u32 i = 0; i < opt->nr_others; i++) {
		u64 at = max_u64(start + (u64)opt->others[i].at, before);

		if (opt->others[i].cpu != cpu)
			continue;
		add_other(&mk, &opt->others[i], at - before, timer);
		before = at;
	}
	w->program.phases[0] = (struct phase){ .name = "", .loop = 1, .first = 0, .nr = w->program.nr_steps };
	return 0;
}

u32 stager_count_beside(const struct stager *st) { return st->m->spec.nr_sets + (st->opt->nr_others ? st->m->vcpus : 0); }

int stager_beside(struct stager *st)
{
	const struct wl_spec *spec = &st->m->spec;
	struct scenario *sc = st->sc;

	if (!stager_has_past(st))
		return 0;
	for (u32 i = 0; i < spec->nr_sets; i++)
		if (spec->sets[i].kind == WL_SLEEP && stage_leaving(st, &sc->tasks[sc->nr_tasks++], i))
			return -1;
	for (u32 cpu = 0; st->opt->nr_others && cpu < st->m->vcpus; cpu++)
		if (stage_others(st, &sc->tasks[sc->nr_tasks++], cpu))
			return -1;
	return 0;
}
