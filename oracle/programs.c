/* SPDX-License-Identifier: MIT */
/*
 * programs.c - what the threads of a measured case do.
 *
 *	hog	[look] burn for ever
 *	sleep	[look] burn, sleep, burn, sleep ...
 *	every	[look] burn, wait for the next release, burn ... : a late release is kept
 *
 * The burn of a thread is its burn as it measured it by its own CPU clock, because the measuring program spins in blocks
 * and so overshoots what it was asked for by up to a block: that is what went in, not what came out.  It varies as it was measured to.
 * Each look at the own CPU clock makes the kernel charge what ran so far: so it can draw a slice, or find that there is none.
 */
#include "oracle/stager.h"

#define BLOCKS_TO_LOOK 4 /* cevery and chog read their clock after so many blocks of work: each 20 us */
#define USER_RETURN ((u64)100)

/*
 * What the thread burned each time, by its own clock; what it was asked for where it did not look.  A system call is as long as
 * the kernel makes it, and a run has two of them: the longer is the whole one.
 */
u64 stager_burn(const struct measured *m, u32 set)
{
	const struct wl_set *s = &m->spec.sets[set];
	const struct measured_times *burn = &m->sets[set].burn_cpu;

	if (!wl_timed_burns(s) || !burn->n)
		return s->burn;
	return s->kind == WL_ZREAD || s->kind == WL_POLL ? burn->p50 : burn->mean;
}

void stager_step(struct maker *mk, enum step_kind kind, u8 flags, u64 ns, u32 ref)
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
	stager_step(mk, STEP_RUN, STEP_POLLS_CLOCK, 1, REF_NONE);
	stager_step(mk, STEP_RUN, 0, USER_RETURN, REF_NONE);
}

/* @ns of work, with a look at the clock each 20 us of it (stage_look()). */
static void add_clocked_run(struct maker *mk, u64 ns)
{
	stager_step(mk, STEP_RUN, STEP_POLLS_CLOCK, ns, REF_NONE);
	stager_step(mk, STEP_RUN, 0, USER_RETURN, REF_NONE);
}

u64 stage_look(const struct measured *m) { return m->guest->real_machine ? 0 : BLOCKS_TO_LOOK * m->block + m->guest->look; }

u32 stager_timer(struct stager *st)
{
	struct scenario *sc = st->sc;

	sc->resources[sc->nr_resources] = (struct resource_spec){ .kind = RES_TIMER, .name = "unique",
								  .absolute = true, .unique = true };
	return sc->nr_resources++;
}

#define BURNS_ENOUGH 50 /* that their p95 is one */

/*
 * The burns of a thread differ by the block that its turn ended in: evenly about their mean, so far that one in twenty is longer than their p95.
 * A recording is followed with the mean, which is nearest to each of them.
 */
static void vary_burn(struct maker *mk, u32 set)
{
	const struct measured *m = mk->st->m;
	const struct measured_times *burn = &m->sets[set].burn_cpu;
	u64 wide = burn->p95 > burn->mean ? (burn->p95 - burn->mean) * 10 / 9 : 0;

	if (m->trace || !wl_pinned(&m->spec) || burn->n < BURNS_ENOUGH || !wide || wide >= burn->mean)
		return;
	mk->program->steps[mk->program->nr_steps - 1].len =
		(struct dist){ .kind = DIST_UNIFORM, .a = burn->mean - wide, .b = burn->mean + wide };
}

/* A burn that is timed has a look at the clock before and behind it. */
static void add_timed_run(struct maker *mk, u32 set, u64 burn)
{
	bool timed = wl_timed_burns(&mk->st->m->spec.sets[set]);

	if (timed)
		add_clock_read(mk);
	stager_step(mk, STEP_RUN, 0, burn, REF_NONE);
	if (!timed)
		return;
	vary_burn(mk, set);
	add_clock_read(mk);
}

/* A CPU clock counts the ticks that fall into a burn too; the model's come on top of what it does. */
static u64 without_ticks(const struct stager *st, u64 burn)
{
	return burn - burn * st->sc->machine.costs.tick / (SEC / st->m->hz);
}

static int add_burn(struct maker *mk, u32 set, u64 burn)
{
	const struct measured *m = mk->st->m;
	const struct wl_set *s = &m->spec.sets[set];

	if (wl_timed_burns(s))
		burn = without_ticks(mk->st, burn);

	switch (s->kind) {
	case WL_HOG:
		stager_step(mk, STEP_RUN, 0, SEC, REF_NONE);
		return 0;
	case WL_CHOG:
		add_clocked_run(mk, SEC);
		return 0;
	case WL_CEVERY: /* two looks come before its first block */
		stager_step(mk, STEP_RUN, 0, min_u64(2 * m->guest->look, burn), REF_NONE);
		add_clocked_run(mk, burn - min_u64(2 * m->guest->look, burn));
		return 0;
	case WL_ZREAD:
		stager_step(mk, STEP_SYS, STEP_RESCHED_POINT, burn, REF_NONE);
		return 0;
	case WL_POLL:
		stager_step(mk, STEP_SYS, 0, burn, REF_NONE);
		return 0;
	case WL_REFRESH:
		return err_at(mk->st->err, m->file, m->line, 0, "spec",
			      "threads that make the kernel wake its own (refresh) cannot be played yet");
	default:
		add_timed_run(mk, set, burn);
		return 0;
	}
}

u64 stager_due(const struct wl_set *set, u32 thread) { return set->stagger ? set->offset * thread : set->offset; }

static bool is_open_loop(const struct wl_set *s)
{
	return s->kind != WL_SLEEP && s->kind != WL_HOG && s->kind != WL_CHOG && s->sleep;
}

u64 stage_loops(const struct measured *m, u32 set, u32 thread)
{
	const struct wl_set *s = &m->spec.sets[set];
	u64 rest = m->spec.window - min_u64(m->spec.window, stager_due(s, thread) + 1);

	return is_open_loop(s) && wl_pinned(&m->spec) ? 1 + rest / s->sleep : 0;
}

/* ---- burns as a recording has seen them ---- */

/*
 * How often the thread sleeps between its burns, if the recording has seen each of these burns by itself: no release was late.  What it does
 * behind the last one is no burn alone.
 */
static u32 burns_seen(const struct stager *st, u32 set, u32 thread)
{
	u64 loops = stage_loops(st->m, set, thread);

	return st->opt->seen && loops > 1 && stager_seen(st, set, thread)->nr_stints >= loops - 1 ? (u32)loops - 1 : 0;
}

static u64 mean_of(const u64 *v, u32 nr)
{
	u64 sum = 0;

	for (u32 i = 0; i < nr; i++)
		sum += v[i];
	return sum / nr;
}

/* Two system calls, of which the longer and the mean are known: the first is the longest that its stint has room for. */
static u64 call_of_two(const struct measured_times *burn, u64 stint, u32 loop)
{
	u64 shorter = 2 * burn->mean - min_u64(burn->max, 2 * burn->mean);
	bool longer_first = burn->max <= stint;

	return longer_first == !loop ? burn->max : shorter;
}

/* Burn number @loop: the measured one, and as much more or less as the thread ran more or less then. */
static u64 burn_of_loop(const struct stager *st, u32 set, u32 thread, u32 loop)
{
	const struct measured_times *measured = &st->m->sets[set].burn_cpu;
	enum wl_kind kind = st->m->spec.sets[set].kind;
	u64 burn = stager_burn(st->m, set), mean;
	u32 nr = burns_seen(st, set, thread);
	const u64 *stints = nr ? stager_seen(st, set, thread)->stints : NULL;

	if (kind == WL_ZREAD || kind == WL_POLL)
		return nr == 1 && measured->n == 2 ? call_of_two(measured, stints[0], loop) : burn;
	if (loop >= nr)
		return burn;
	mean = mean_of(stints, nr);
	return burn + stints[loop] > mean ? burn + stints[loop] - mean : 1;
}

/* The first loop: a thread that begins looks at its CPU clock before anything else. */
static int make_first(struct maker *mk, u32 set, u32 thread)
{
	struct program *p = mk->program;

	add_clock_read(mk);
	if (add_burn(mk, set, burn_of_loop(mk->st, set, thread, 0)))
		return -1;
	p->phases[0] = (struct phase){ .name = "first", .loop = 1, .first = 0, .nr = p->nr_steps };
	p->nr_phases = 1;
	return 0;
}

/* What is done @loop times more, in steps from @first on. */
static void add_phase(struct maker *mk, const char *name, s64 loop, u32 first)
{
	struct program *p = mk->program;

	p->phases[p->nr_phases++] = (struct phase){ .name = name, .loop = loop, .first = first, .nr = p->nr_steps - first };
}

/* Until the next release, and a burn. */
static int add_release(struct maker *mk, const char *name, u32 set, u64 burn, u64 wait, u32 timer, s64 loop)
{
	u32 from = mk->program->nr_steps;

	stager_step(mk, STEP_TIMER, STEP_ABSOLUTE | STEP_UNIQUE, wait, timer);
	if (add_burn(mk, set, burn))
		return -1;
	add_phase(mk, name, loop, from);
	return 0;
}

/*
 * What follows the first release of an open loop, @more times; -1: for ever.  A first release that a recording shows late, by up to 120 us where
 * other threads begin too, does not make the others late.
 */
static int add_releases(struct maker *mk, u32 set, u32 thread, s64 more)
{
	const struct wl_set *s = &mk->st->m->spec.sets[set];
	u64 late = stager_late(mk->st, set, thread), burn = stager_burn(mk->st->m, set);
	u32 timer = stager_timer(mk->st), seen = burns_seen(mk->st, set, thread), loop = 1;

	for (; more && (loop <= seen || (late && loop == 1)); loop++) {
		u64 wait = s->sleep - (loop == 1 ? min_u64(late, s->sleep - 1) : 0);

		if (add_release(mk, "seen", set, burn_of_loop(mk->st, set, thread, loop), wait, timer, 1))
			return -1;
		more -= more > 0;
	}
	return more ? add_release(mk, "next", set, burn, s->sleep, timer, more) : 0;
}

/*
 * An open loop: a burn, then a wait for the next release and a burn, as often as there are releases in the window.  After the last it reads its
 * statistics and leaves at once.  (A closed loop's end is stage_leaving()'s.)
 *
 *	steps and phases:	[look][burn ...] | [wait][burn ...], again and again | [leave][exit]
 */
static int make_open_loop(struct maker *mk, u32 set, u32 thread)
{
	const struct measured *m = mk->st->m;
	u32 from;

	if (add_releases(mk, set, thread, (s64)stage_loops(m, set, thread) - 1))
		return -1;
	from = mk->program->nr_steps;
	stager_step(mk, STEP_RUN, 0, stage_leave(m, set), REF_NONE);
	stager_step(mk, STEP_EXIT, 0, 0, REF_NONE);
	add_phase(mk, "end", 1, from);
	return 0;
}

/* A hog, or a burn behind each sleep; or an open loop that goes on behind the window. */
static int make_endless(struct maker *mk, u32 set, u32 thread)
{
	const struct wl_set *s = &mk->st->m->spec.sets[set];
	u32 from = mk->program->nr_steps;

	if (is_open_loop(s))
		return add_releases(mk, set, thread, -1);
	if (s->kind == WL_SLEEP)
		stager_step(mk, STEP_SLEEP, 0, s->sleep, REF_NONE);
	if (add_burn(mk, set, stager_burn(mk->st->m, set)))
		return -1;
	add_phase(mk, "next", -1, from);
	return 0;
}

int stager_program(struct stager *st, struct program *p, u32 set, u32 thread)
{
	struct maker mk = { .st = st, .program = p };

	mk.cap = 30 + 10 * burns_seen(st, set, thread);
	p->steps = stager_take(st, mk.cap * sizeof(*p->steps));
	p->phases = stager_take(st, (4 + burns_seen(st, set, thread)) * sizeof(*p->phases));
	if (!p->steps || !p->phases)
		return stager_no_memory(st);
	p->loop = 1;
	p->until = REF_NONE;
	if (make_first(&mk, set, thread))
		return -1;
	/* where threads choose their CPU, who leaves first is chance like the rest: there the loop goes on behind the window */
	return stage_loops(st->m, set, thread) ? make_open_loop(&mk, set, thread) : make_endless(&mk, set, thread);
}
