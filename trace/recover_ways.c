/* SPDX-License-Identifier: MIT */
/* recover_ways.c - which other ways there are, and copies of the recovered scenario for them. */
#include "trace/recover_ways_impl.h"

#include <string.h>

#define BLOCK (400 * MS) /* several of the usual periods */
#define BLOCKS_LEAST 4u

/* ---- copies ---- */

bool ways_copy(struct ways_builder *b)
{
	const struct scenario *sc = &b->rec->sc;

	b->way->tasks = ways_mem(b, sc->nr_tasks, sizeof(*sc->tasks));
	b->way->resources = ways_mem(b, sc->nr_resources, sizeof(*sc->resources));
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

bool ways_own_steps(struct ways_builder *b, struct program *program)
{
	struct step *steps = ways_mem(b, program->nr_steps, sizeof(*steps));
	struct phase *phases = ways_mem(b, program->nr_phases, sizeof(*phases));

	if (!steps || !phases)
		return false;
	memcpy(steps, program->steps, program->nr_steps * sizeof(*steps));
	memcpy(phases, program->phases, program->nr_phases * sizeof(*phases));
	program->steps = steps;
	program->phases = phases;
	return true;
}

/* ---- another end ---- */

static u32 nr_blocks(const struct recovered *rec) { return (u32)max_u64(BLOCKS_LEAST, min_u64(BLOCKS_MOST, rec->sc.duration / BLOCK)); }

bool recover_end_is_open(const struct recovered *rec, u32 i)
{
	const struct recovered_thread *t = &rec->threads[i];

	return t->busy_to_end && t->throttled && t->last_wake + rec->sc.duration / nr_blocks(rec) < rec->sc.duration;
}

/* Let the last run in turn @i of @phase be of @ns. */
static bool set_run(struct ways_builder *b, struct step *steps, const struct phase *phase, u64 i, u64 ns)
{
	struct step *run = NULL;
	u64 *values;

	for (u32 k = 0; k < phase->nr; k++)
		if (steps[phase->first + k].kind == STEP_RUN)
			run = &steps[phase->first + k];
	values = run ? ways_mem(b, (u64)phase->loop, sizeof(*values)) : NULL;
	if (!values)
		return !run;
	for (u64 k = 0; k < (u64)phase->loop; k++)
		values[k] = run->len.kind == DIST_EMPIRICAL ? run->len.values[k % run->len.nr] : run->len.a;
	values[i] = ns;
	run->len = (struct dist){ .kind = phase->loop > 1 ? DIST_EMPIRICAL : DIST_FIXED, .a = values[0], .values = values, .nr = (u32)phase->loop };
	return true;
}

/* The burst in which @t was when the recording ended is endless, or of what ran. */
static bool set_end(struct ways_builder *b, struct program *program, const struct recovered_thread *t)
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

static bool build_other_end(struct ways_builder *b)
{
	const struct recovered *rec = b->rec;

	if (!ways_copy(b))
		return false;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		const struct recovered_thread *t = &rec->threads[i];

		if (recover_end_is_open(rec, i) && (!ways_own_steps(b, &b->way->tasks[i].program) || !set_end(b, &b->way->tasks[i].program, t)))
			return false;
	}
	return true;
}

/* ---- all of it ---- */

int recover_ways(struct recover_ways *ways, const struct recovered *rec, u32 nr_again)
{
	struct ways_builder b = { .rec = rec, .mem = &ways->mem, .way = &ways->other_end, .blocks = nr_blocks(rec) };

	memset(ways, 0, sizeof(*ways));
	arena_init(&ways->mem, rec->sc.mem.get, rec->sc.mem.put, rec->sc.mem.ctx);
	ways->block = rec->sc.duration / b.blocks;
	for (u32 i = 0; i < rec->sc.nr_tasks; i++)
		ways->has_other_end |= recover_end_is_open(rec, i);
	if (ways->has_other_end && !build_other_end(&b))
		return -1;
	if (nr_again && !recover_again_init(&b))
		return -1;
	for (; ways->nr_again < min_u64(nr_again, WAYS_AGAIN_MOST); ways->nr_again++) {
		b.way = &ways->again[ways->nr_again];
		if (!recover_again(&b, ways->nr_again))
			return -1;
	}
	return 0;
}

void recover_ways_fini(struct recover_ways *ways) { arena_fini(&ways->mem); }

void recover_place(struct scenario *sc, const struct recover_way *way)
{
	sc->tasks = way->tasks;
	sc->resources = way->resources;
	sc->nr_resources = way->nr_resources;
}
