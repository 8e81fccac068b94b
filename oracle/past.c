/* SPDX-License-Identifier: MIT */
/*
 * past.c - what the threads of a case did before its window, and when they begin.
 *
 *	starts, reads its statistics	looks, looks, looks ...		looks and finds that it may begin	| window: runnable, runs
 *
 * While the measuring program sets itself up a thread starts, goes to sleep with the millisecond that a CPU keeps, and looks for a moment
 * every 2 ms whether it may begin; then all sleep up to the window.  So each CPU comes to the window with what is left of its
 * millisecond, and each thread with what it is owed, or how far it ran ahead.  How often a thread looked nobody knows: that is what
 * the pasts of a case differ in.  What a recording has seen of its last look and of its beginning is taken from there.
 */
#include "oracle/stager.h"

#include "core/model.h"

#define CREATE (1 * MS)	      /* from the start of one thread to that of the next */
#define CREATED (300 * US)    /* its own part of that */
#define CREATE_COSTS (900 * US) /* with the group's process, which makes it: so much of the quota */
#define LOOK (1 * US)
#define LOOK_TAKES (20 * US)  /* at most, with its wakeup */
#define LOOK_EVERY (2 * MS)
#define LOOKS_LEAST 2
#define LOOKS_RECORDING 13    /* times the past: all look on while the recorder is being started */
#define LOOKS_EACH 3	      /* the first thread looks on until the last has started */
#define LOOKS_THROTTLED 100   /* ... which takes a period or two where starting costs more than the quota */

#define LATE (10 * US)	      /* more than an interrupt takes: later releases of 113 recorded threads come 0 to 11 us late */
#define FIRST_WAKE (3 * US)   /* from the window's start to the first thread's being runnable: after the boundary's handler */
#define FIRST_RUN (7 * US)    /* from the moment a thread is due to its first switch-in, where nothing is in its way */
#define TURN (15 * US)	      /* from one CPU to the next where threads of several are due at one moment: recordings show 10 to 20 us */

static const struct thread_seen *seen_of(const struct stager *st, u32 number) { return st->opt->seen ? &st->opt->seen[number] : NULL; }

/* Number of the first thread of @set, counted through the sets. */
static u32 first_thread(const struct measured *m, u32 set)
{
	u32 n = 0;

	for (u32 i = 0; i < set; i++)
		n += m->spec.sets[i].count;
	return n;
}

const struct thread_seen *stager_seen(const struct stager *st, u32 set, u32 thread)
{
	return seen_of(st, first_thread(st->m, set) + thread);
}

static bool any_limit(const struct wl_spec *spec)
{
	for (u32 i = 0; i < spec->nr_groups; i++)
		if (spec->groups[i].limited)
			return true;
	return false;
}

/* From 6.6 on. */
static bool picks_by_lag(const struct measured *m)
{
	struct kernel_model model;

	return !model_init(&model, m->guest->row) && model.rule[RULE_PICK];
}

/* ---- when it begins ---- */

static int cpu_of(const struct wl_set *s, u32 thread) { return s->free ? -1 : s->cpu + (s->spread ? (int)thread : 0); }

/*
 * Which CPU is served first where several have something to do: in the eleven recordings that show it CPU 0 in four and at once with another in
 * one, else any of them.
 */
static u32 first_served(const struct stager *st)
{
	u32 past = st->opt->past % STAGE_PASTS;

	return past < 3 ? 0 : (past - 2) * st->m->vcpus / (STAGE_PASTS - 2);
}

/* How many CPUs have a thread that is due at @due and are served before @cpu. */
static u32 served_before(const struct stager *st, u64 due, int cpu)
{
	const struct wl_spec *spec = &st->m->spec;
	u32 n = st->m->vcpus, first = first_served(st), turn = ((u32)cpu + n - first) % n, before = 0;
	int last = -1;

	for (u32 i = 0; i < spec->nr_sets; i++)
		for (u32 k = 0; k < spec->sets[i].count; k++) {
			int other = cpu_of(&spec->sets[i], k);

			if (other < 0 || other == last || stager_due(&spec->sets[i], k) != due || ((u32)other + n - first) % n >= turn)
				continue;
			before++;
			last = other;
		}
	return before;
}

/*
 * How long the thread waits at the window's start for its virtual CPU's turn.  The emulator serves those that have something to do one after
 * the other, from whichever had its turn when the moment came: that is chance, another one in each past.
 */
static u64 turns_before(const struct stager *st, u32 set, u32 thread)
{
	const struct wl_set *s = &st->m->spec.sets[set];

	if (st->m->guest->real_machine || cpu_of(s, thread) < 0 || !any_limit(&st->m->spec))
		return 0;
	return served_before(st, stager_due(s, thread), cpu_of(s, thread)) * TURN;
}

/* One that was woken before, by the same interrupt, runs later: from 6.6 on it is owed less, which nobody knows, so it comes a moment later. */
static u64 lets_pass(const struct stager *st, const struct thread_seen *seen)
{
	return seen && seen->overtaken && picks_by_lag(st->m) ? 1 : 0;
}

/*
 * Under a limit a thread is runnable after the boundary's handler.  Without one the releases of open loops stay on the ticks' grid, because their
 * wakeup comes before a switch that the tick asked for.
 */
u64 stager_start(const struct stager *st, u32 set, u32 thread)
{
	const struct thread_seen *seen = seen_of(st, first_thread(st->m, set) + thread);
	u64 due = stager_due(&st->m->spec.sets[set], thread);

	if (!any_limit(&st->m->spec))
		return due + lets_pass(st, seen);
	if (seen && seen->start != NEVER)
		return seen->start + lets_pass(st, seen);
	return due + turns_before(st, set, thread) + FIRST_WAKE;
}

u64 stager_late(const struct stager *st, u32 set, u32 thread)
{
	const struct thread_seen *seen = seen_of(st, first_thread(st->m, set) + thread);
	u64 usual = stager_due(&st->m->spec.sets[set], thread) + FIRST_WAKE;

	if (!seen || seen->start == NEVER || seen->start < usual + LATE || !any_limit(&st->m->spec))
		return 0;
	return seen->start - usual;
}

u64 stage_begins_late(const struct measured *m, const struct stage_options *opt, u32 set, u32 thread)
{
	const struct stager st = { .m = m, .opt = opt };
	const struct thread_seen *seen = seen_of(&st, first_thread(m, set) + thread);
	u64 due = stager_due(&m->spec.sets[set], thread) + FIRST_RUN;

	if (!seen || seen->ran == NEVER)
		return turns_before(&st, set, thread);
	return seen->ran > due ? seen->ran - due : 0;
}

/* ---- what it did before ---- */

/* How often thread @number looks, in this past. */
static u32 looks(const struct stager *st, u32 number)
{
	const struct wl_spec *spec = &st->m->spec;
	const struct thread_seen *seen = seen_of(st, number);
	u32 threads = first_thread(st->m, spec->nr_sets), spread = LOOKS_EACH * threads;
	u32 common = spec->trace ? LOOKS_RECORDING * st->opt->past : st->opt->past;

	if (st->opt->looks)
		return st->opt->looks[number];
	if (spec->groups[0].limited && threads * CREATE_COSTS > spec->groups[0].quota)
		spread = LOOKS_THROTTLED;
	if (seen && seen->behind && !picks_by_lag(st->m))
		common += spread + 1; /* it ran more, so it comes later */
	return LOOKS_LEAST + common + (number * 37 + st->opt->past * 53) % (spread + 1);
}

u32 stage_looks(const struct measured *m, const struct stage_options *opt, u32 number)
{
	const struct stager st = { .m = m, .opt = opt };

	return looks(&st, number);
}

/* From when on all threads start, so that each has looked often enough before the recorded look of the first. */
static u64 recorded_begin(const struct stager *st)
{
	u32 threads = first_thread(st->m, st->m->spec.nr_sets), most = 0;
	u64 last = 0;

	for (u32 i = 0; i < threads; i++) {
		last = max_u64(last, st->opt->seen[i].last);
		most = (u32)max_u64(most, looks(st, i));
	}
	return stage_window_start(st->m) - last - threads * CREATE - CREATED - (most + 1) * (LOOK_EVERY + LOOK_TAKES);
}

int stager_past(struct stager *st, struct workload *w, u32 set, u32 thread)
{
	struct past_run *past = stager_take(st, 3 * sizeof(*past));
	u32 number = first_thread(st->m, set) + thread;
	const struct thread_seen *seen = seen_of(st, number);
	u64 begin;

	if (!stager_has_past(st))
		return 0;
	if (!past)
		return stager_no_memory(st);
	if (seen && !seen->last)
		seen = NULL;
	begin = seen ? recorded_begin(st) + seen->born * CREATE : number * CREATE;
	past[0] = (struct past_run){ .at = begin, .ns = CREATED, .times = 1 };
	past[1] = (struct past_run){ .at = begin + CREATED + LOOK_EVERY, .ns = LOOK, .every = LOOK_EVERY, .times = looks(st, number) };
	w->past = past;
	w->nr_past = 2;
	if (seen)
		past[w->nr_past++] = (struct past_run){ .at = stage_window_start(st->m) - seen->last, .ns = LOOK, .times = 1 };
	return 0;
}
