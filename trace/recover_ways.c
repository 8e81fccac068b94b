/* SPDX-License-Identifier: MIT */
/* recover_ways.c - copies programs with other lengths, other arrivals, other ends. */
#include "trace/recover_ways.h"

#include <string.h>

#include "base/rng.h"

#define BLOCK (400 * MS) /* several of the usual periods */
#define BLOCKS_LEAST 4u
#define BLOCKS_MOST 64u
#define STEPS_MOST 4096	 /* of a program with so many turns that differ, the order is kept */

struct builder {
	const struct recovered *rec;
	struct arena *mem;
	struct recover_way *way;
	u32 blocks;
	u64 from[BLOCKS_MOST]; /* where block i is taken from, in 2^32-ths of the recording */
};

static void *mem(struct builder *b, u64 nr, size_t size) { return arena_alloc(b->mem, max_u64(nr, 1) * size); }

/* @share, in 2^32-ths, of @whole. */
static u64 part(u64 whole, u64 share) { return (u64)((unsigned __int128)whole * share >> 32); }

/* ---- copies ---- */

static bool copy_way(struct builder *b)
{
	const struct scenario *sc = &b->rec->sc;

	b->way->tasks = mem(b, sc->nr_tasks, sizeof(*sc->tasks));
	b->way->resources = mem(b, sc->nr_resources, sizeof(*sc->resources));
	b->way->nr_resources = sc->nr_resources;
	b->way->bursts = b->rec->figures.bursts;
	if (!b->way->tasks || !b->way->resources)
		return false;
	for (u32 i = 0; i < sc->nr_tasks; i++)
		b->way->tasks[i] = sc->tasks[i];
	for (u32 i = 0; i < sc->nr_resources; i++)
		b->way->resources[i] = sc->resources[i];
	return true;
}

/* @program with steps and phases of its own. */
static bool own_steps(struct builder *b, struct program *program)
{
	struct step *steps = mem(b, program->nr_steps, sizeof(*steps));
	struct phase *phases = mem(b, program->nr_phases, sizeof(*phases));

	if (!steps || !phases)
		return false;
	memcpy(steps, program->steps, program->nr_steps * sizeof(*steps));
	memcpy(phases, program->phases, program->nr_phases * sizeof(*phases));
	program->steps = steps;
	program->phases = phases;
	return true;
}

/* ---- again ---- */

/* The turns that block @i of @nr turns is taken from begin at. */
static u64 block_of_turns(const struct builder *b, u32 i, u64 nr) { return part(nr, b->from[i]); }

/* Lengths of @len in blocks of turns. */
static bool shuffle(struct builder *b, struct dist *len)
{
	u64 nr = len->nr, *values;

	if (len->kind != DIST_EMPIRICAL || nr < 2)
		return true;
	values = mem(b, nr, sizeof(*values));
	for (u32 i = 0; values && i < b->blocks; i++) {
		u64 first = nr * i / b->blocks, from = block_of_turns(b, i, nr);

		for (u64 k = first; k < nr * (i + 1) / b->blocks; k++)
			values[k] = len->values[(from + k - first) % nr];
	}
	len->values = values;
	return values;
}

/* The first of the @nr sorted @times that is not before @t. */
static u32 arrival_at(const u64 *times, u32 nr, u64 t)
{
	u32 lo = 0, hi = nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (times[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Arrivals of a thread in one phase: number @first to @first + @nr of its stream. */
struct stream {
	const u64 *times;
	u32 first, nr, all;
	struct phase *phase;
};

/* Those of the recorded [@from, @to), @shift later; where @turns is given they are written down.  Returns how many. */
static u32 take_block(const struct stream *s, u64 from, u64 to, s64 shift, u64 *times, u32 *turns)
{
	u32 i = arrival_at(s->times, s->nr, from), end = arrival_at(s->times, s->nr, to), nr = end - i;

	for (; turns && i < end; i++) {
		*times++ = (u64)((s64)s->times[i] + shift);
		*turns++ = i;
	}
	return nr;
}

/* All blocks, in order; a block goes on at the recording's beginning where it reaches its end. */
static u32 take_blocks(const struct builder *b, const struct stream *s, u64 *times, u32 *turns)
{
	u64 all = b->rec->sc.duration;
	u32 nr = 0;

	for (u32 i = 0; i < b->blocks; i++) {
		u64 to = all * i / b->blocks, len = all * (i + 1) / b->blocks - to, from = part(all, b->from[i]);
		u64 end = min_u64(from + len, all);

		nr += take_block(s, from, end, (s64)to - (s64)from, times ? times + nr : NULL, turns ? turns + nr : NULL);
		nr += take_block(s, 0, len - (end - from), (s64)to + (s64)(end - from), times ? times + nr : NULL, turns ? turns + nr : NULL);
	}
	return nr;
}

/* Lengths by turn: those of @turns. */
static bool follow(struct builder *b, struct dist *len, const u32 *turns, u32 nr)
{
	u64 *values;

	if (len->kind != DIST_EMPIRICAL)
		return true;
	values = mem(b, nr, sizeof(*values));
	for (u32 i = 0; values && i < nr; i++)
		values[i] = len->values[turns[i] % len->nr];
	len->values = values;
	len->nr = nr;
	return values;
}

static bool take_stream(struct builder *b, struct step *steps, const struct stream *s)
{
	struct resource_spec *res = &b->way->resources[steps[s->phase->first].ref];
	u32 before = s->first, behind = s->all - s->first - s->nr, nr = take_blocks(b, s, NULL, NULL);
	u64 *times = mem(b, (u64)before + nr + behind, sizeof(*times));
	u32 *turns = mem(b, nr, sizeof(*turns));

	if (!times || !turns)
		return false;
	memcpy(times, res->times, before * sizeof(*times));
	take_blocks(b, s, times + before, turns);
	memcpy(times + before + nr, res->times + s->first + s->nr, behind * sizeof(*times));
	for (u32 i = 1; i < before + nr + behind; i++)
		times[i] = max_u64(times[i], times[i - 1]);
	res->times = times;
	res->nr_times = before + nr + behind;
	for (u32 k = 0; k < s->phase->nr; k++)
		if (!follow(b, &steps[s->phase->first + k].len, turns, nr))
			return false;
	s->phase->loop = nr;
	return true;
}

/* The longest phase that waits for arrivals, if it has most of them. */
static bool find_stream(const struct builder *b, const struct program *program, struct stream *s)
{
	u32 nr = 0;

	memset(s, 0, sizeof(*s));
	for (u32 p = 0; p < program->nr_phases; p++) {
		struct phase *phase = &program->phases[p];
		const struct step *st = &program->steps[phase->first];

		if (!phase->nr || st->kind != STEP_ARRIVE)
			continue;
		if (phase->loop > s->nr)
			*s = (struct stream){ .times = b->way->resources[st->ref].times + nr, .first = nr, .nr = (u32)phase->loop, .phase = phase,
					      .all = b->way->resources[st->ref].nr_times };
		nr += (u32)phase->loop;
	}
	return s->phase && nr == s->all && s->nr * 2 > s->all;
}

static bool posts(const struct program *program)
{
	for (u32 i = 0; i < program->nr_steps; i++)
		if (program->steps[i].kind == STEP_SEM_POST)
			return true;
	return false;
}

static bool take_again(struct builder *b, struct program *program)
{
	struct stream stream;
	bool open;

	if (program->nr_steps > STEPS_MOST)
		return true;
	if (!own_steps(b, program))
		return false;
	open = !posts(program) && find_stream(b, program, &stream);
	for (u32 p = 0; p < program->nr_phases; p++) {
		const struct phase *phase = &program->phases[p];

		for (u32 k = 0; !(open && phase == stream.phase) && k < phase->nr; k++)
			if (!shuffle(b, &program->steps[phase->first + k].len))
				return false;
	}
	return !open || take_stream(b, program->steps, &stream);
}

static bool build_again(struct builder *b, u32 number)
{
	const struct recovered *rec = b->rec;
	struct rng rng;

	rng_init(&rng, rec->sc.duration ^ rec->figures.cpu << 20, "again", NULL, number, rec->figures.bursts);
	for (u32 i = 0; i < b->blocks; i++)
		b->from[i] = rng_next(&rng) >> 32;
	if (!copy_way(b))
		return false;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++)
		if (!take_again(b, &b->way->tasks[i].program))
			return false;
	return true;
}

/* ---- the others ---- */

static bool is_stall(const struct step *st) { return st->key && !strcmp(st->key, RECOVER_STALL); }

/* Let the last run in turn @i of @phase be of @ns. */
static bool set_run(struct builder *b, struct step *steps, const struct phase *phase, u64 i, u64 ns)
{
	struct step *run = NULL;
	u64 *values;

	for (u32 k = 0; k < phase->nr; k++)
		if (steps[phase->first + k].kind == STEP_RUN)
			run = &steps[phase->first + k];
	values = run ? mem(b, (u64)phase->loop, sizeof(*values)) : NULL;
	if (!values)
		return !run;
	for (u64 k = 0; k < (u64)phase->loop; k++)
		values[k] = run->len.kind == DIST_EMPIRICAL ? run->len.values[k % run->len.nr] : run->len.a;
	values[i] = ns;
	run->len = (struct dist){ .kind = phase->loop > 1 ? DIST_EMPIRICAL : DIST_FIXED, .a = values[0], .values = values, .nr = (u32)phase->loop };
	return true;
}

/* The burst in which @t was when the recording ended is endless, or of what ran. */
static bool set_end(struct builder *b, struct program *program, const struct recovered_thread *t)
{
	u64 ns = t->endless ? t->last_run : max_u64(t->last_run, b->rec->sc.duration), turns = 0, at;

	for (u32 p = 0; p < program->nr_phases; p++)
		turns += (u64)program->phases[p].loop;
	at = turns - min_u64(t->endless ? 1 : t->last_turns, turns);
	for (u32 p = 0; p < program->nr_phases; p++) {
		if (at < (u64)program->phases[p].loop)
			return set_run(b, program->steps, &program->phases[p], at, ns);
		at -= (u64)program->phases[p].loop;
	}
	return true;
}

static bool may_want_more(const struct recovered_thread *t) { return t->busy_to_end && t->throttled; }

static bool build_other_end(struct builder *b)
{
	const struct recovered *rec = b->rec;

	if (!copy_way(b))
		return false;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		const struct recovered_thread *t = &rec->threads[i];

		if (may_want_more(t) && (!own_steps(b, &b->way->tasks[i].program) || !set_end(b, &b->way->tasks[i].program, t)))
			return false;
	}
	return true;
}

static bool build_alone(struct builder *b)
{
	if (!copy_way(b))
		return false;
	for (u32 i = 0; i < b->rec->sc.nr_tasks; i++) {
		struct program *program = &b->way->tasks[i].program;

		if (!own_steps(b, program))
			return false;
		for (u32 k = 0; k < program->nr_steps; k++)
			if (is_stall(&program->steps[k]))
				program->steps[k].len = (struct dist){ .a = 0 };
	}
	return true;
}

/* ---- all of it ---- */

int recover_ways(struct recover_ways *ways, const struct recovered *rec, u32 nr_again)
{
	struct builder b = { .rec = rec, .mem = &ways->mem };
	bool busy = false, stalls = false;

	memset(ways, 0, sizeof(*ways));
	arena_init(&ways->mem, rec->sc.mem.get, rec->sc.mem.put, rec->sc.mem.ctx);
	b.blocks = (u32)max_u64(BLOCKS_LEAST, min_u64(BLOCKS_MOST, rec->sc.duration / BLOCK));
	ways->block = rec->sc.duration / b.blocks;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		const struct program *program = &rec->sc.tasks[i].program;

		busy |= may_want_more(&rec->threads[i]);
		for (u32 k = 0; !stalls && k < program->nr_steps; k++)
			stalls = is_stall(&program->steps[k]);
	}
	for (; ways->nr_again < min_u64(nr_again, WAYS_AGAIN_MOST); ways->nr_again++) {
		b.way = &ways->again[ways->nr_again];
		if (!build_again(&b, ways->nr_again))
			return -1;
	}
	b.way = &ways->other_end;
	if (busy && !build_other_end(&b))
		return -1;
	ways->has_other_end = busy;
	b.way = &ways->alone;
	if (stalls && !build_alone(&b))
		return -1;
	ways->has_alone = stalls;
	return 0;
}

void recover_ways_fini(struct recover_ways *ways) { arena_fini(&ways->mem); }

void recover_place(struct scenario *sc, const struct recover_way *way)
{
	sc->tasks = way->tasks;
	sc->resources = way->resources;
	sc->nr_resources = way->nr_resources;
}
