/* SPDX-License-Identifier: MIT */
/* recover_program.c - bursts become turns of a loop, and alike turns in a row a phase. */
#include "trace/recover_impl.h"

#include <stdlib.h>
#include <string.h>

static bool room(void **array, u64 *cap, u64 nr, size_t size)
{
	u64 want = *cap ? *cap * 2 : 64;
	void *p;

	if (nr < *cap)
		return true;
	p = realloc(*array, want * size);
	if (!p)
		return false;
	*array = p;
	*cap = want;
	return true;
}

/* ---- turns ---- */

static bool add_run(struct builder *b, u64 ns)
{
	if (!room((void **)&b->runs, &b->cap_runs, b->nr_runs, sizeof(*b->runs)))
		return false;
	b->runs[b->nr_runs++] = ns;
	return true;
}

static bool add_post(struct builder *b, u32 sem)
{
	if (!room((void **)&b->posts, &b->cap_posts, b->nr_posts, sizeof(*b->posts)))
		return false;
	b->posts[b->nr_posts++] = sem;
	return true;
}

static struct turn *add_turn(struct builder *b, enum wake_kind kind)
{
	struct turn *turn;

	if (!room((void **)&b->turns, &b->cap_turns, b->nr_turns, sizeof(*b->turns)))
		return NULL;
	turn = &b->turns[b->nr_turns++];
	*turn = (struct turn){ .kind = (u8)kind, .first_run = b->nr_runs, .first_post = (u32)b->nr_posts };
	return turn;
}

/* CPU time that thread @i had in @burst until @t, on the scale of burst->cpu, which may have been settled. */
static u64 progress_at(const struct builder *b, u32 i, const struct burst *burst, u64 t)
{
	u64 ran = timeline_ran(b->tl, b->bursts[i].task, burst->start, min_u64(t, burst->end));

	return min_u64(ran, burst->cpu);
}

/* The first edge of waker @i at or after @t. */
u64 recover_edge_at(const struct builder *b, u32 i, u64 t)
{
	u64 lo = 0, hi = b->nr_edges;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (b->edges[mid].waker < i || (b->edges[mid].waker == i && b->edges[mid].t < t))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The runs of a burst, cut where it woke others. */
static bool add_runs(struct builder *b, u32 i, const struct burst *burst, struct turn **turn, u64 cpu)
{
	u64 done = 0, index = (u64)(*turn - b->turns);

	for (u64 e = recover_edge_at(b, i, burst->start); e < b->nr_edges && b->edges[e].waker == i && b->edges[e].t <= burst->end; e++) {
		u64 at = progress_at(b, i, burst, b->edges[e].t);

		u32 wakee = b->edges[e].wakee;

		if (!add_run(b, at > done ? at - done : 1) || !add_post(b, wakee >= MARK_ENDS ? wakee : b->sems[wakee]))
			return false;
		done = max_u64(done, at);
		b->turns[index].nr_posts++;
	}
	*turn = &b->turns[index];
	/* Where it blocks as it wakes the last one, nothing is left. */
	return add_run(b, cpu > done ? cpu - done : !b->turns[index].nr_posts);
}

/* Several expiries worked off in one burst: as many turns of equal length. */
static bool add_split(struct builder *b, const struct burst *burst, u64 first)
{
	for (u32 k = 0; k < burst->releases; k++) {
		struct turn *turn = add_turn(b, WAKE_PERIOD);

		if (!turn || !add_run(b, burst->cpu / burst->releases))
			return false;
		turn->late = k ? 0 : burst->late;
		turn->pushed = k ? 0 : burst->pushed;
		turn->wait = k ? 0 : first;
		turn->origin = burst->wake;
	}
	return true;
}

/* Where the grid of the thread's periodic timer begins to count: from the thread's start to the expiry that woke burst @j. */
static u64 first_expiry(const struct bursts *bursts, u64 j)
{
	u64 wake = bursts->v[j].wake, late = (wake % bursts->length + bursts->length - bursts->phase) % bursts->length;
	u64 expiry = late > bursts->length / 2 ? wake + bursts->length - late : wake - late;

	return expiry - min_u64(expiry, bursts->v[0].wake);
}

/* Expiries of the periodic timer between burst @j and the one before it that nothing was done for. */
static u32 skipped_expiries(const struct bursts *bursts, u64 j)
{
	u64 between = (bursts->v[j].wake - bursts->v[j - 1].wake + bursts->length / 2) / bursts->length;

	return between > bursts->v[j - 1].releases ? (u32)(between - bursts->v[j - 1].releases) : 0;
}

/*
 * Thread @i was busy when the recording ended, and its @run is what is known of that.  One of a kind that never sleeps is taken to compute for ever; one
 * of a kind that does, to have had little more to do.  Both are tried (recover_ways.h).
 */
static void end_of_work(struct builder *b, u32 i, u64 *run)
{
	struct recovered_thread *thread = &b->rec->threads[i];

	thread->endless = !b->bounded && !b->kind_sleeps[b->kind_of[i]];
	thread->last_run = *run;
	if (thread->endless)
		*run = max_u64(*run, b->rec->sc.duration);
}

bool recover_wakes_others(const struct builder *b, u32 i, const struct burst *burst)
{
	u64 e = recover_edge_at(b, i, burst->start);

	return e < b->nr_edges && b->edges[e].waker == i && b->edges[e].t <= burst->end;
}

static bool add_burst(struct builder *b, u32 i, u64 j)
{
	const struct bursts *bursts = &b->bursts[i];
	const struct burst *burst = &bursts->v[j];
	const struct recovered_thread *thread = &b->rec->threads[i];
	bool last = j + 1 == bursts->nr && !burst->complete;
	struct turn *turn;
	u64 first;

	first = burst->kind == WAKE_PERIOD && !b->on_grid ? first_expiry(bursts, j) : 0;
	b->on_grid |= burst->kind == WAKE_PERIOD;
	if (burst->kind == WAKE_PERIOD && burst->releases > 1 && !last && !recover_wakes_others(b, i, burst))
		return add_split(b, burst, first);
	turn = add_turn(b, (enum wake_kind)burst->kind);
	if (!turn)
		return false;
	turn->last = last;
	turn->origin = b->origins[b->origin_from[i] + j];
	turn->late = last ? 0 : burst->late; /* of one without an end, only how much in all is known, and not of how much work */
	turn->pushed = last ? 0 : burst->pushed;
	if (burst->kind == WAKE_SLEEP || burst->kind == WAKE_IO)
		turn->wait = burst->wake - bursts->v[j - 1].end;
	if (burst->kind == WAKE_PERIOD)
		turn->wait = first;
	if (burst->kind == WAKE_PERIOD && bursts->v[j - 1].kind == WAKE_PERIOD)
		turn->skipped = skipped_expiries(bursts, j);
	if (!add_runs(b, i, burst, &turn, burst->cpu))
		return false;
	if (last && thread->busy_to_end)
		end_of_work(b, i, &b->runs[b->nr_runs - 1]);
	return true;
}

/* ---- phases ---- */

/* May @a and @b be turns of one loop? */
static bool alike(const struct builder *b, const struct turn *x, const struct turn *y)
{
	if (x->kind != y->kind || x->last || y->last || x->skipped || y->skipped || x->nr_posts != y->nr_posts)
		return false;
	if (x->kind == WAKE_PERIOD && (x->wait || y->wait))
		return false;
	return !x->nr_posts || !memcmp(b->posts + x->first_post, b->posts + y->first_post, x->nr_posts * sizeof(*b->posts));
}

enum of_turn { ITS_WAIT = -1, ITS_LATE = -2, ITS_PUSHED = -3, ITS_STALL = -4 }; /* else: its runs, from 0 */

static u64 length_of(const struct builder *b, const struct turn *turn, s64 what)
{
	switch (what) {
	case ITS_WAIT:
		return turn->wait;
	case ITS_LATE:
		return turn->late;
	case ITS_PUSHED:
		return turn->pushed;
	case ITS_STALL:
		return turn->late + turn->pushed;
	default:
		return b->runs[turn->first_run + (u64)what];
	}
}

/* A length for each of @nr turns: fixed if they are all the same. */
static bool lengths(struct builder *b, struct dist *len, const struct turn *turns, u64 nr, s64 what)
{
	u64 *values = recover_mem(b, nr, sizeof(*values));
	bool same = true;

	if (!values)
		return false;
	for (u64 i = 0; i < nr; i++) {
		values[i] = length_of(b, &turns[i], what);
		same &= values[i] == values[0];
	}
	*len = (struct dist){ .kind = same ? DIST_FIXED : DIST_EMPIRICAL, .a = values[0], .values = values, .nr = (u32)nr };
	return true;
}

/* The steps by which a turn waits; returns how many, or -1. */
static int wait_steps(struct builder *b, u32 i, struct step *steps, const struct turn *turns, u64 nr)
{
	struct step *st = steps;

	switch (turns->kind) {
	case WAKE_SLEEP:
	case WAKE_IO:
		*st = (struct step){ .kind = STEP_SLEEP, .ref = REF_NONE, .ref2 = REF_NONE };
		return lengths(b, &st->len, turns, nr, ITS_WAIT) ? 1 : -1;
	case WAKE_PERIOD:
		for (u32 k = 0; k <= turns->skipped; k++)
			*st++ = (struct step){ .kind = STEP_TIMER, .flags = STEP_ABSOLUTE, .ref = b->timers[i], .ref2 = REF_NONE,
					       .len = { .a = !k && turns->wait ? turns->wait : b->bursts[i].length } };
		return (int)(st - steps);
	case WAKE_TASK:
		*st = (struct step){ .kind = STEP_SEM_WAIT, .ref = b->sems[i], .ref2 = REF_NONE };
		return 1;
	case WAKE_OUTSIDE:
		*st = (struct step){ .kind = STEP_ARRIVE, .ref = b->arrivals[i], .ref2 = REF_NONE };
		return 1;
	default:
		return 0;
	}
}

static bool add_stall(struct builder *b, struct step **st, const struct turn *turns, u64 nr, enum of_turn what)
{
	**st = (struct step){ .kind = STEP_SLEEP, .ref = REF_NONE, .ref2 = REF_NONE, .key = RECOVER_STALL };
	return lengths(b, &(*st)++->len, turns, nr, what);
}

/*
 * What others take is time in which it gets nowhere.  A burst that counts from its release counts all of it; one that counts from its first
 * instruction, what comes behind that.
 */
static bool add_stalls(struct builder *b, struct step **st, const struct turn *turns, u64 nr)
{
	bool from_release = turns->kind == WAKE_PERIOD || turns->kind == WAKE_OUTSIDE;

	if (from_release)
		return !(b->late || b->pushed) || add_stall(b, st, turns, nr, ITS_STALL);
	if (b->late && !add_stall(b, st, turns, nr, ITS_LATE))
		return false;
	if (!b->pushed)
		return true;
	*(*st)++ = (struct step){ .kind = STEP_RUN, .ref = REF_NONE, .ref2 = REF_NONE, .len = { .a = 1 } };
	return add_stall(b, st, turns, nr, ITS_PUSHED);
}

static struct step post_step(const struct builder *b, u32 post)
{
	switch (post) {
	case MARK_BEGINS:
		return (struct step){ .kind = STEP_BEGIN, .ref = b->span, .ref2 = REF_NONE };
	case MARK_ENDS:
		return (struct step){ .kind = STEP_END, .ref = b->span, .ref2 = REF_NONE };
	default:
		return (struct step){ .kind = STEP_SEM_POST, .ref = post, .ref2 = REF_NONE };
	}
}

/* One phase for @nr alike turns from @turns on; its steps go behind those that @program has. */
static bool add_phase(struct builder *b, u32 i, struct program *program, const struct turn *turns, u64 nr)
{
	struct phase *phase = &program->phases[program->nr_phases++];
	struct step *st = &program->steps[program->nr_steps];
	int waits = wait_steps(b, i, st, turns, nr);

	if (waits < 0)
		return false;
	st += waits;
	if (!add_stalls(b, &st, turns, nr))
		return false;
	for (u32 k = 0; k <= turns->nr_posts; k++) {
		*st = (struct step){ .kind = STEP_RUN, .ref = REF_NONE, .ref2 = REF_NONE,
				     .flags = b->rec->threads[i].polls_clock ? STEP_POLLS_CLOCK : 0 };
		if (!lengths(b, &st++->len, turns, nr, k))
			return false;
		if (k < turns->nr_posts)
			*st++ = post_step(b, b->posts[turns->first_post + k]);
	}
	if (turns->last)
		*st++ = (struct step){ .kind = STEP_EXIT, .ref = REF_NONE, .ref2 = REF_NONE };
	*phase = (struct phase){ .name = "", .loop = (s64)nr, .first = program->nr_steps };
	phase->nr = (u32)(st - program->steps) - phase->first;
	program->nr_steps += phase->nr;
	return true;
}

/* How many steps and phases will there be? */
static void count_steps(const struct builder *b, u64 *phases, u64 *steps)
{
	*phases = *steps = 0;
	for (u64 t = 0; t < b->nr_turns; t++) {
		if (t && alike(b, &b->turns[t - 1], &b->turns[t]))
			continue;
		++*phases;
		*steps += 5 + b->turns[t].skipped + 2 * (u64)b->turns[t].nr_posts + 1;
	}
}

static bool keep_origins(struct builder *b, u32 i)
{
	u64 *at = recover_mem(b, b->nr_turns + 1, sizeof(*at));

	for (u64 k = 0; at && k < b->nr_turns; k++)
		at[k] = b->turns[k].origin - min_u64(b->turns[k].origin, b->rec->t0);
	b->rec->threads[i].origins = at;
	return at;
}

bool recover_program(struct builder *b, u32 i)
{
	struct program *program = &b->rec->sc.tasks[i].program;
	u64 phases, steps;

	b->nr_turns = b->nr_runs = b->nr_posts = 0;
	b->late = b->pushed = b->on_grid = false;
	for (u64 j = 0; j < b->bursts[i].nr; j++) {
		b->late |= b->bursts[i].v[j].late > 0;
		b->pushed |= b->bursts[i].v[j].pushed > 0;
	}
	for (u64 j = 0; j < b->bursts[i].nr; j++)
		if (!add_burst(b, i, j))
			return false;
	if (!keep_origins(b, i))
		return false;
	count_steps(b, &phases, &steps);
	*program = (struct program){ .loop = 1, .until = REF_NONE };
	program->phases = recover_mem(b, phases, sizeof(*program->phases));
	program->steps = recover_mem(b, steps, sizeof(*program->steps));
	if (!program->phases || !program->steps)
		return false;
	for (u64 t = 0, end; t < b->nr_turns; t = end) {
		for (end = t + 1; end < b->nr_turns && alike(b, &b->turns[end - 1], &b->turns[end]);)
			end++;
		if (!add_phase(b, i, program, &b->turns[t], end - t))
			return false;
	}
	return true;
}
