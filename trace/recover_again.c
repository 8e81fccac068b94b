/* SPDX-License-Identifier: MIT */
/*
 * recover_again.c - the load of a recording as another few seconds of it might have been: blocks of the recording, drawn with replacement.
 *
 *	from outside   a.1   a.2      a.3	arrivals, and all that each of them set going:
 *	thread 1       |##|  |####|   |#|	a turn belongs to the block in which its origin came,
 *	thread 2          |##|    |#|		whoever woke it in between
 *
 * Law: what is moved is moved whole.  A turn keeps its length, its waits and its wakeups, and those who are woken by it move along: as many wakeups
 * are waited for as are given.  What hangs together in a recording - who was busy when a piece of work came - hangs together in a drawing.
 * Where a timer's grid or sleeps alone set threads going, their turns come when they came, and only their lengths are drawn.
 */
#include "trace/recover_ways_impl.h"

#include <string.h>

#include "base/rng.h"

#define STEPS_MOST 4096	 /* of a program with so many turns that differ, the order is kept */

/* ---- who moves ---- */

/* Threads, and behind them resources: what has a common root wakes each other. */
static u32 root_of(u32 *up, u32 i)
{
	for (; up[i] != i; i = up[i])
		up[i] = up[up[i]];
	return i;
}

static bool is_sem(const struct step *st) { return st->kind == STEP_SEM_POST || st->kind == STEP_SEM_WAIT; }

static void join_wakers(const struct scenario *sc, u32 *up)
{
	for (u32 i = 0; i < sc->nr_tasks; i++) {
		const struct program *program = &sc->tasks[i].program;

		for (u32 k = 0; k < program->nr_steps; k++)
			if (is_sem(&program->steps[k]))
				up[root_of(up, i)] = root_of(up, sc->nr_tasks + program->steps[k].ref);
	}
}

static bool has_step(const struct program *program, enum step_kind kind)
{
	for (u32 k = 0; k < program->nr_steps; k++)
		if (program->steps[k].kind == kind)
			return true;
	return false;
}

bool recover_again_init(struct ways_builder *b)
{
	const struct scenario *sc = &b->rec->sc;
	u32 nr = sc->nr_tasks + sc->nr_resources, *up = ways_mem(b, nr, sizeof(*up));
	bool *stays = ways_mem(b, nr, sizeof(*stays)), *open = ways_mem(b, nr, sizeof(*open));

	b->moves = ways_mem(b, sc->nr_tasks, sizeof(*b->moves));
	if (!up || !stays || !open || !b->moves)
		return false;
	for (u32 i = 0; i < nr; i++) {
		up[i] = i;
		stays[i] = open[i] = false;
	}
	join_wakers(sc, up);
	for (u32 i = 0; i < sc->nr_tasks; i++) {
		const struct program *program = &sc->tasks[i].program;

		stays[root_of(up, i)] |= program->nr_steps > STEPS_MOST || has_step(program, STEP_TIMER);
		open[root_of(up, i)] |= has_step(program, STEP_ARRIVE);
	}
	for (u32 i = 0; i < sc->nr_tasks; i++)
		b->moves[i] = open[root_of(up, i)] && !stays[root_of(up, i)];
	return true;
}

/* ---- the turns of one thread ---- */

struct turns {
	struct turn {
		u32 phase, index; /* turn number @index of that phase's loop */
		u64 at;		  /* its origin came */
		u64 most, least;  /* of at: up to here, and from here on */
		u64 arrival;	  /* its own, or NEVER */
	} *v;
	u32 nr, first, end;	  /* those before @first and from @end on stay */
	u32 arrivals;		  /* resource, or REF_NONE */
};

static const struct step *first_step(const struct program *program, u32 phase) { return &program->steps[program->phases[phase].first]; }

static bool waits(const struct program *program, u32 phase)
{
	return program->phases[phase].nr && (first_step(program, phase)->kind == STEP_ARRIVE || first_step(program, phase)->kind == STEP_SEM_WAIT ||
					     first_step(program, phase)->kind == STEP_SLEEP);
}

static bool ends(const struct program *program, u32 phase)
{
	return program->phases[phase].nr && first_step(program, phase)[program->phases[phase].nr - 1].kind == STEP_EXIT;
}

static void list_turn(const struct ways_builder *b, u32 thread, struct turns *t, u32 phase, u32 index, u32 *arrived)
{
	const struct step *st = first_step(&b->rec->sc.tasks[thread].program, phase);
	const u64 *origins = b->rec->threads[thread].origins;
	struct turn *turn = &t->v[t->nr];

	*turn = (struct turn){ .phase = phase, .index = index, .arrival = NEVER };
	if (st->kind == STEP_ARRIVE) {
		t->arrivals = st->ref;
		turn->arrival = b->rec->sc.resources[st->ref].times[(*arrived)++];
	}
	turn->at = origins ? origins[t->nr] : turn->arrival != NEVER ? turn->arrival : t->nr ? turn[-1].at : 0;
	turn->most = t->nr ? max_u64(turn[-1].most, turn->at) : turn->at;
	t->nr++;
}

static bool list_turns(struct ways_builder *b, u32 thread, struct turns *t)
{
	const struct program *program = &b->rec->sc.tasks[thread].program;
	u64 nr = 0;
	u32 arrived = 0;

	for (u32 p = 0; p < program->nr_phases; p++)
		nr += (u64)program->phases[p].loop;
	*t = (struct turns){ .v = ways_mem(b, nr, sizeof(*t->v)), .arrivals = REF_NONE };
	if (!t->v)
		return false;
	for (u32 p = 0; p < program->nr_phases; p++)
		for (u32 k = 0; k < (u64)program->phases[p].loop; k++)
			list_turn(b, thread, t, p, k, &arrived);
	for (u32 i = t->nr; i-- > 0;)
		t->v[i].least = i + 1 < t->nr ? min_u64(t->v[i].at, t->v[i + 1].least) : t->v[i].at;
	while (t->first < t->nr && !waits(program, t->v[t->first].phase))
		t->first++;
	t->end = t->nr > t->first && (b->rec->threads[thread].busy_to_end || ends(program, t->v[t->nr - 1].phase)) ? t->nr - 1 : t->nr;
	return true;
}

/* ---- drawn ---- */

struct drawn {
	const struct turns *turns;
	u32 *v, nr;	  /* turns, in order */
	u64 *times;	  /* of arrivals */
	u32 nr_times;
};

/* One more; without room for it, it is only counted. */
static void take(struct drawn *d, u32 i, s64 shift)
{
	const struct turn *turn = &d->turns->v[i];

	if (d->v)
		d->v[d->nr] = i;
	d->nr++;
	if (turn->arrival == NEVER)
		return;
	if (d->times) {
		s64 at = (s64)turn->arrival + shift;
		u64 time = at > 0 ? (u64)at : 0;

		d->times[d->nr_times] = d->nr_times ? max_u64(time, d->times[d->nr_times - 1]) : time;
	}
	d->nr_times++;
}

/* The first of turns @lo to @hi with most, or else least, not before @t: both only grow. */
static u32 turn_at(const struct turns *t, u64 at, bool most)
{
	u32 lo = t->first, hi = t->end;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if ((most ? t->v[mid].most : t->v[mid].least) < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Turns with origins in [@from, @to), @shift later. */
static void take_block(struct drawn *d, u64 from, u64 to, s64 shift)
{
	u32 end = turn_at(d->turns, to, false);

	for (u32 i = turn_at(d->turns, from, true); i < end; i++)
		if (d->turns->v[i].at >= from && d->turns->v[i].at < to)
			take(d, i, shift);
}

/* All blocks, in order; a block goes on at the recording's beginning where it reaches its end. */
static void take_all(const struct ways_builder *b, struct drawn *d)
{
	u64 all = b->rec->sc.duration;

	d->nr = d->nr_times = 0;
	for (u32 i = 0; i < d->turns->first; i++)
		take(d, i, 0);
	for (u32 i = 0; i < b->blocks; i++) {
		u64 to = all * i / b->blocks, len = all * (i + 1) / b->blocks - to, from = ways_part(all, b->from[i]);
		u64 end = min_u64(from + len, all);

		take_block(d, from, end, (s64)to - (s64)from);
		take_block(d, 0, len - (end - from), (s64)to + (s64)(end - from));
	}
	for (u32 i = d->turns->end; i < d->turns->nr; i++)
		take(d, i, 0);
}

/* ---- a program of them ---- */

/* Lengths of turns @first to @end of what was drawn, which are of one phase. */
static bool pick(struct ways_builder *b, struct dist *len, const struct drawn *d, u32 first, u32 end)
{
	u64 *values;

	if (len->kind != DIST_EMPIRICAL)
		return true;
	values = ways_mem(b, end - first, sizeof(*values));
	for (u32 i = first; values && i < end; i++)
		values[i - first] = len->values[d->turns->v[d->v[i]].index % len->nr];
	len->values = values;
	len->nr = end - first;
	return values;
}

static u32 same_phase(const struct drawn *d, u32 i)
{
	u32 end = i + 1;

	while (end < d->nr && d->turns->v[d->v[end]].phase == d->turns->v[d->v[i]].phase)
		end++;
	return end;
}

static bool write_program(struct ways_builder *b, struct program *program, const struct drawn *d)
{
	const struct program old = *program;
	u32 phases = 0, steps = 0;

	for (u32 i = 0; i < d->nr; i = same_phase(d, i)) {
		phases++;
		steps += old.phases[d->turns->v[d->v[i]].phase].nr;
	}
	program->phases = ways_mem(b, phases, sizeof(*program->phases));
	program->steps = ways_mem(b, steps, sizeof(*program->steps));
	program->nr_phases = program->nr_steps = 0;
	if (!program->phases || !program->steps)
		return false;
	for (u32 i = 0, end; i < d->nr; i = end) {
		struct phase *phase = &program->phases[program->nr_phases++];

		end = same_phase(d, i);
		*phase = old.phases[d->turns->v[d->v[i]].phase];
		memcpy(&program->steps[program->nr_steps], &old.steps[phase->first], phase->nr * sizeof(*old.steps));
		phase->first = program->nr_steps;
		phase->loop = end - i;
		program->nr_steps += phase->nr;
		for (u32 k = 0; k < phase->nr; k++)
			if (!pick(b, &program->steps[phase->first + k].len, d, i, end))
				return false;
	}
	return true;
}

static bool move(struct ways_builder *b, u32 thread)
{
	struct turns turns;
	struct drawn d = { .turns = &turns };

	if (!list_turns(b, thread, &turns))
		return false;
	take_all(b, &d);
	d.v = ways_mem(b, d.nr, sizeof(*d.v));
	d.times = ways_mem(b, d.nr_times, sizeof(*d.times));
	if (!d.v || !d.times)
		return false;
	take_all(b, &d);
	if (turns.arrivals != REF_NONE) {
		b->way->resources[turns.arrivals].times = d.times;
		b->way->resources[turns.arrivals].nr_times = d.nr_times;
	}
	return write_program(b, &b->way->tasks[thread].program, &d);
}

/* ---- lengths alone ---- */

/* Lengths of @len in blocks of turns. */
static bool shuffle(struct ways_builder *b, struct dist *len)
{
	u64 nr = len->nr, *values;

	if (len->kind != DIST_EMPIRICAL || nr < 2)
		return true;
	values = ways_mem(b, nr, sizeof(*values));
	for (u32 i = 0; values && i < b->blocks; i++) {
		u64 first = nr * i / b->blocks, from = ways_part(nr, b->from[i]);

		for (u64 k = first; k < nr * (i + 1) / b->blocks; k++)
			values[k] = len->values[(from + k - first) % nr];
	}
	len->values = values;
	return values;
}

static bool shuffle_all(struct ways_builder *b, struct program *program)
{
	if (program->nr_steps > STEPS_MOST)
		return true;
	if (!ways_own_steps(b, program))
		return false;
	for (u32 k = 0; k < program->nr_steps; k++)
		if (!shuffle(b, &program->steps[k].len))
			return false;
	return true;
}

bool recover_again(struct ways_builder *b, u32 number)
{
	const struct recovered *rec = b->rec;
	struct rng rng;

	rng_init(&rng, rec->sc.duration ^ rec->figures.cpu << 20, "again", NULL, number, rec->figures.bursts);
	for (u32 i = 0; i < b->blocks; i++)
		b->from[i] = rng_next(&rng) >> 32;
	if (!ways_copy(b))
		return false;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++)
		if (!(b->moves[i] ? move(b, i) : shuffle_all(b, &b->way->tasks[i].program)))
			return false;
	return true;
}
