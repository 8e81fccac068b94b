/* SPDX-License-Identifier: MIT */
/*
 * world.c - where each worker is in its program.
 *
 *	program.loop { container.loop { phase.loop { step, step, ... } } }
 *
 * A loop is one turn of a phase that has steps.  When it ends and had a run in it, its latency is told: from its release
 * to the end of its last run.  The release is
 *	the mark of its last timer, arrival or taken item before its first run (or of a request), else
 *	the expiry of the timer that ended the loop before, else
 *	the start of its first event that is no wait.
 *
 * Law: a worker that is asked while it still waits gets the same answer again; a program that takes no time cannot hold
 * the caller for ever (FREE_STEPS).
 */
#include "work/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/memory.h"
#include "work/world_impl.h"

#define FREE_STEPS 4096 /* steps of a worker at one instant; then FREE_COST of work, as nothing is free */
#define FREE_COST (1 * US)

void *grow(struct world *wd, const void *old, u32 *cap, size_t size)
{
	u32 want = *cap ? *cap * 2 : 16;
	void *more = arena_alloc(&wd->mem, want * size);

	if (!more)
		return NULL;
	if (old)
		memcpy(more, old, *cap * size);
	*cap = want;
	return more;
}

/* ---- making ---- */

static bool resource_init(struct world *wd, struct resource *res, const struct resource_spec *spec)
{
	res->spec = spec;
	list_init(&res->waiters);
	res->next = NEVER;
	if (spec->kind == RES_BARRIER && spec->users)
		res->count = spec->users - 1;
	if (spec->kind == RES_SEM)
		res->count = spec->users;
	rng_init(&res->draw.rng, wd->sc->seed, spec->kind == RES_DEVICE ? "device" : "arrival", spec->name, 0, 0);
	return supply_init(wd, res);
}

static bool step_is_own(const struct world *wd, const struct step *st)
{
	return (st->kind == STEP_TIMER && st->flags & STEP_UNIQUE) ||
	       (st->kind == STEP_ARRIVE && wd->sc->resources[st->ref].unique) || st->kind == STEP_BEGIN || st->kind == STEP_END;
}

/* Steps that name the same timer or span of their own share its slot; @slot_of holds it per resource. */
static bool task_init(struct world *wd, struct task_state *task, const struct program *pg, u32 *slot_of)
{
	u32 i;

	list_init(&task->joiners);
	task->slot = arena_alloc(&wd->mem, pg->nr_steps * sizeof(u32));
	if (!task->slot)
		return false;
	for (i = 0; i < pg->nr_steps; i++)
		if (step_is_own(wd, &pg->steps[i]))
			slot_of[pg->steps[i].ref] = REF_NONE;
	for (i = 0; i < pg->nr_steps; i++) {
		const struct step *st = &pg->steps[i];

		if (step_is_own(wd, st)) {
			if (slot_of[st->ref] == REF_NONE)
				slot_of[st->ref] = task->nr_own++;
			task->slot[i] = slot_of[st->ref];
		} else if (st->len.kind != DIST_FIXED) {
			task->slot[i] = task->nr_draws++;
		}
	}
	return true;
}

static bool world_init(struct world *wd)
{
	const struct scenario *sc = wd->sc;
	u32 *slot_of = arena_alloc(&wd->mem, sc->nr_resources * sizeof(*slot_of));
	u32 i;

	wd->resources = arena_alloc(&wd->mem, sc->nr_resources * sizeof(*wd->resources));
	wd->tasks = arena_alloc(&wd->mem, sc->nr_tasks * sizeof(*wd->tasks));
	if (!slot_of || !wd->resources || !wd->tasks)
		return false;
	for (i = 0; i < sc->nr_resources; i++)
		if (!resource_init(wd, &wd->resources[i], &sc->resources[i]))
			return false;
	for (i = 0; i < sc->nr_tasks; i++)
		if (!task_init(wd, &wd->tasks[i], &sc->tasks[i].program, slot_of))
			return false;
	return true;
}

struct world *world_create(const struct scenario *sc, const struct world_ops *ops)
{
	struct world *wd = calloc(1, sizeof(*wd));

	if (!wd)
		return NULL;
	wd->sc = sc;
	wd->ops = ops;
	wd->free_completion = REF_NONE;
	arena_of_malloc(&wd->mem);
	if (world_init(wd))
		return wd;
	world_destroy(wd);
	return NULL;
}

void world_destroy(struct world *wd)
{
	if (!wd)
		return;
	arena_fini(&wd->mem);
	free(wd);
}

static void worker_streams(const struct world *wd, struct worker *w)
{
	const struct task_state *task = &wd->tasks[w->task];
	u32 i;

	for (i = 0; i < task->nr_draws; i++)
		rng_init(&w->draws[i].rng, wd->sc->seed, "step", w->load->name, w->instance, i);
	for (i = 0; i < task->nr_own; i++) {
		w->own[i].next = NEVER;
		rng_init(&w->own[i].draw.rng, wd->sc->seed, "own", w->load->name, w->instance, i);
	}
}

static bool keep_worker(struct world *wd, struct worker *w)
{
	if (wd->nr_workers == wd->cap_workers) {
		struct worker **more = grow(wd, wd->workers, &wd->cap_workers, sizeof(*more));

		if (!more)
			return false;
		wd->workers = more;
	}
	wd->workers[wd->nr_workers++] = w;
	return true;
}

struct worker *worker_create(struct world *wd, u32 task, u32 instance, u64 start)
{
	struct worker *w = arena_alloc(&wd->mem, sizeof(*w));

	if (!w)
		return NULL;
	w->task = task;
	w->instance = instance;
	w->start = start;
	w->load = &wd->sc->tasks[task];
	w->program = &w->load->program;
	w->cpus = w->load->cpus;
	w->before = NEVER;
	w->draws = arena_alloc(&wd->mem, wd->tasks[task].nr_draws * sizeof(*w->draws));
	w->own = arena_alloc(&wd->mem, wd->tasks[task].nr_own * sizeof(*w->own));
	list_init(&w->node);
	if (!w->draws || !w->own || !keep_worker(wd, w))
		return NULL;
	worker_streams(wd, w);
	wd->tasks[task].live++;
	return w;
}

void worker_set_owner(struct worker *w, void *owner) { w->owner = owner; }
void *worker_owner(const struct worker *w) { return w->owner; }
u32 worker_task(const struct worker *w) { return w->task; }
bool worker_wakes_sync(const struct worker *w)
{
	const struct phase *phase = &w->program->phases[w->phase];

	return w->step < phase->nr && (w->program->steps[phase->first + w->step].kind == STEP_QUEUE_PUT ||
				       w->program->steps[phase->first + w->step].kind == STEP_QUEUE_GET);
}

u32 worker_instance(const struct worker *w) { return w->instance; }
u64 worker_loops(const struct worker *w) { return w->loops; }

/* ---- where in the program ---- */

static const struct phase *phase_of(const struct worker *w) { return &w->program->phases[w->phase]; }

/* One loop less of *@left; false where that was the last. */
static bool one_less(s64 *left)
{
	if (*left > 0)
		(*left)--;
	return *left;
}

/* Down to the first phase with steps at or below w->phase, through its containers; false where one has no loops. */
static bool descend(struct worker *w)
{
	while (phase_of(w)->inner && phase_of(w)->loop && w->depth < PROGRAM_MOST_DEPTH) {
		w->outer[w->depth].phase = w->phase;
		w->outer[w->depth++].left = phase_of(w)->loop;
		w->phase++;
	}
	w->left = phase_of(w)->loop;
	w->step = 0;
	w->entered = false;
	return w->left;
}

/* To the phase behind w->phase; leaves containers that end there; false at the end of the program's last loop. */
static bool advance(struct worker *w)
{
	u32 next = w->phase + 1 + phase_of(w)->inner;

	while (w->depth) {
		u32 outer = w->outer[w->depth - 1].phase;

		if (next <= outer + w->program->phases[outer].inner)
			break;
		if (one_less(&w->outer[w->depth - 1].left)) {
			next = outer + 1;
			break;
		}
		w->depth--;
	}
	if (next >= w->program->nr_phases) {
		if (!one_less(&w->program_left))
			return false;
		next = 0;
	}
	w->phase = next;
	return true;
}

static void exit_worker(struct world *wd, struct worker *w);

/* Stand at the first step of a phase that has loops left, or leave. */
static void next_phase(struct world *wd, struct worker *w)
{
	if (advance(w))
		descend(w);
	else
		exit_worker(wd, w);
}

static void begin(struct world *wd, struct worker *w)
{
	w->begun = true;
	w->program_left = w->program->loop;
	if (!w->program_left || !w->program->nr_phases)
		exit_worker(wd, w);
	else
		descend(w);
}

/* ---- loops ---- */

static bool told_to_stop(const struct world *wd, const struct worker *w)
{
	return w->program->until != REF_NONE && wd->resources[w->program->until].raised;
}

static void loop_begin(struct worker *w)
{
	w->in_loop = true;
	w->mark = w->first_act = w->expiry = NEVER;
	w->mark_arrived = w->ran = false;
	w->step = 0;
	w->stage = 0;
}

static u64 loop_release(const struct worker *w)
{
	if (w->mark != NEVER)
		return w->mark;
	return w->before != NEVER ? w->before : w->first_act;
}

static void loop_end(struct world *wd, struct worker *w)
{
	w->in_loop = false;
	w->loops++;
	if (w->ran)
		wd->ops->loop_done(wd->ops->ctx, w, loop_release(w), w->run_end);
	w->before = w->expiry;
}

static void exit_worker(struct world *wd, struct worker *w)
{
	if (w->in_loop && w->ran)
		loop_end(wd, w);
	w->gone = true;
	if (!--wd->tasks[w->task].live)
		wake_all(wd, &wd->tasks[w->task].joiners, w);
}

/* Does entering the current phase change how @w is scheduled? */
static bool sched_changes(struct worker *w)
{
	const struct phase *phase = phase_of(w);
	bool moves = phase->cpus && phase->cpus != w->cpus;

	if (moves)
		w->cpus = phase->cpus;
	return moves || phase->sets_sched || phase->slice || phase->taskgroup;
}

/* Between two steps: begin and end loops and phases.  False where @want must come first. */
static bool turn(struct world *wd, struct worker *w, struct want *want)
{
	if (!w->left) {
		next_phase(wd, w);
		return true;
	}
	if (!w->entered) {
		w->entered = true;
		if (sched_changes(w)) {
			*want = (struct want){ .kind = WANT_SCHED, .phase = phase_of(w) };
			return false;
		}
	}
	if (told_to_stop(wd, w))
		exit_worker(wd, w);
	else
		loop_begin(w);
	return true;
}

static bool step_forward(struct world *wd, struct worker *w, u64 now, struct want *want)
{
	if (w->step == phase_of(w)->nr) {
		loop_end(wd, w);
		one_less(&w->left);
		return true;
	}
	if (!step_do(wd, w, now, want))
		return false;
	w->stage = 0;
	w->step++;
	if (w->gone) {
		w->gone = false;
		exit_worker(wd, w);
	}
	return true;
}

struct want worker_next(struct world *wd, struct worker *w, u64 now)
{
	if (!list_empty(&w->node))
		return w->want; /* nobody woke it */
	if (!w->begun)
		begin(wd, w);
	if (now != w->last) {
		w->last = now;
		w->nr_free = 0;
	}
	while (w->nr_free++ < FREE_STEPS) {
		if (w->gone) {
			w->want = (struct want){ .kind = WANT_EXIT };
			return w->want;
		}
		if (!(w->in_loop ? step_forward(wd, w, now, &w->want) : turn(wd, w, &w->want)))
			return w->want;
	}
	w->nr_free = 0;
	w->want = (struct want){ .kind = WANT_RUN, .ns = FREE_COST };
	return w->want;
}

int cpu_of_worker(const struct world *wd, const struct worker *w)
{
	return wd->ops->cpu ? wd->ops->cpu(wd->ops->ctx, w) : 0;
}

bool at_moment(struct world *wd, const struct completion *done, u64 when, u64 irq)
{
	u32 i = wd->free_completion;

	if (!wd->ops->timer)
		return false;
	if (i == REF_NONE) {
		if (wd->nr_completions == wd->cap_completions) {
			struct completion *more = grow(wd, wd->completions, &wd->cap_completions, sizeof(*more));

			if (!more)
				return false;
			wd->completions = more;
		}
		i = wd->nr_completions++;
	} else {
		wd->free_completion = wd->completions[i].next_free;
	}
	wd->completions[i] = *done;
	wd->completions[i].next_free = REF_NONE;
	wd->ops->timer(wd->ops->ctx, &(struct moment){ when, i, done->cpu, irq });
	return true;
}

void world_timer(struct world *wd, u64 token, u64 now)
{
	struct completion done = wd->completions[token];

	(void)now;
	wd->completions[token].next_free = wd->free_completion;
	wd->free_completion = (u32)token;
	if (done.ref == REF_NONE)
		wd->ops->wake(wd->ops->ctx, done.who, NULL);
	else
		tell(wd, done.ref, &done.item, done.cpu, NULL);
}

/* ---- deadlock ---- */

static int say_wait(char *buf, size_t size, const struct world *wd, const struct worker *w)
{
	static const char *const what[] = {
		[RES_COND] = "condition", [RES_MUTEX] = "mutex",   [RES_BARRIER] = "barrier",
		[RES_SEM] = "semaphore",  [RES_QUEUE] = "queue",
	};
	const struct resource *res = w->waits_for;
	const struct step *st = &w->program->steps[phase_of(w)->first + w->step];

	if (!res)
		return snprintf(buf, size, "%s-%u waits for every %s to exit", w->load->name, w->instance,
				wd->sc->tasks[st->ref].name);
	if (res->owner)
		return snprintf(buf, size, "%s-%u waits for %s %s, held by %s-%u", w->load->name, w->instance,
				what[res->spec->kind], res->spec->name, res->owner->load->name, res->owner->instance);
	return snprintf(buf, size, "%s-%u waits for %s %s", w->load->name, w->instance, what[res->spec->kind],
			res->spec->name);
}

/* One more of them into @buf, of which @at bytes are used; returns how many then. */
static size_t say_one_more(char *buf, size_t size, size_t at, const struct world *wd, const struct worker *w)
{
	if (at && at < size)
		at += (size_t)snprintf(buf + at, size - at, "; ");
	return at < size ? at + (size_t)say_wait(buf + at, size - at, wd, w) : at;
}

bool world_deadlock(const struct world *wd, u64 *since, char *buf, size_t size)
{
	size_t at = 0;
	u32 i;

	*since = 0;
	if (size)
		buf[0] = '\0';
	for (i = 0; i < wd->nr_workers; i++) {
		const struct worker *w = wd->workers[i];

		if (list_empty(&w->node))
			continue;
		at = say_one_more(buf, size, at, wd, w);
		*since = max_u64(*since, w->last);
	}
	return at > 0;
}

bool world_circle(const struct world *wd, u64 *since, char *buf, size_t size)
{
	const struct worker *w = wd->circle;
	size_t at = 0;

	if (!w)
		return false;
	*since = wd->circle_since;
	do {
		at = say_one_more(buf, size, at, wd, w);
		w = w->waits_for->owner;
	} while (w != wd->circle);
	return true;
}
