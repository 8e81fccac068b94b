/* SPDX-License-Identifier: MIT */
/*
 * steps.c - what each step does, one function a kind.
 *
 * A step is a small state machine over w->stage: 0 at first, and whatever it was set to when its want has been
 * fulfilled.  Locks, semaphores and queues are not handed over: the woken one tries again and may find that another was
 * faster, as with a futex.  Conditions are bare: a signal that nobody waits for is lost.
 */
#include "work/world_impl.h"

static const struct step *current_step(const struct worker *w)
{
	return &w->program->steps[w->program->phases[w->phase].first + w->step];
}

static u32 current_slot(const struct world *wd, const struct worker *w)
{
	return wd->tasks[w->task].slot[w->program->phases[w->phase].first + w->step];
}

static struct resource *resource_of(struct world *wd, u32 ref) { return &wd->resources[ref]; }

u64 step_length(const struct world *wd, struct worker *w, const struct step *st)
{
	if (st->len.kind == DIST_FIXED)
		return st->len.a;
	return dist_draw(&st->len, &w->draws[current_slot(wd, w)]);
}

bool ask_for(struct worker *w, int stage, struct want *want, enum want_kind kind, u64 ns)
{
	w->stage = stage;
	*want = (struct want){ .kind = kind, .ns = ns };
	return false;
}

bool wait_on(struct worker *w, struct resource *res, struct list_head *list, int stage, struct want *want)
{
	w->waits_for = res;
	list_add_tail(&w->node, list);
	return ask_for(w, stage, want, WANT_WAIT, 0);
}

void wake_first(struct world *wd, struct list_head *list, struct worker *by)
{
	struct worker *w;

	if (list_empty(list))
		return;
	w = list_entry(list->next, struct worker, node);
	list_del(&w->node);
	w->waits_for = NULL;
	wd->ops->wake(wd->ops->ctx, w, by);
}

void wake_all(struct world *wd, struct list_head *list, struct worker *by)
{
	while (!list_empty(list))
		wake_first(wd, list, by);
}

/* ---- work ---- */

bool run_ended(struct worker *w, u64 now)
{
	w->ran = true;
	w->run_end = now;
	return true;
}

#define POLL_EVERY (50 * US) /* grain of STEP_POLLS_CLOCK: real loops read it each us, and nobody sees the difference */

/* A piece of the run, a look at the clock, a piece ...; w->length is what is left. */
static bool run_polling(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	u64 piece;

	if (w->stage == 1)
		return ask_for(w, 2, want, WANT_CLOCK, 0);
	if (!w->stage)
		w->length = step_length(wd, w, st);
	if (!w->length)
		return run_ended(w, now);
	piece = wd->ops->looks ? w->length : min_u64(w->length, POLL_EVERY);
	w->length -= piece;
	ask_for(w, 1, want, WANT_RUN, piece);
	want->looks = wd->ops->looks;
	return false;
}

/* Does the step behind the current one give something to others? */
static bool releases_next(const struct worker *w)
{
	const struct phase *phase = &w->program->phases[w->phase];

	if (w->step + 1 >= phase->nr)
		return false;
	switch (w->program->steps[phase->first + w->step + 1].kind) {
	case STEP_UNLOCK:
	case STEP_RESUME:
	case STEP_SIGNAL:
	case STEP_BROAD:
	case STEP_SEM_POST:
	case STEP_QUEUE_PUT:
		return true;
	default:
		return false;
	}
}

static bool do_run(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	static const u8 wants[] = { [STEP_RUN] = WANT_RUN, [STEP_RUNTIME] = WANT_RUNTIME, [STEP_SYS] = WANT_SYS };
	u64 len;

	if (st->flags & STEP_POLLS_CLOCK)
		return run_polling(wd, w, st, now, want);
	if (w->stage)
		return run_ended(w, now);
	len = step_length(wd, w, st);
	if (!len)
		return run_ended(w, now);
	ask_for(w, 1, want, (enum want_kind)wants[st->kind], len);
	want->resched_point = st->flags & STEP_RESCHED_POINT;
	want->releases = st->kind == STEP_SYS && releases_next(w);
	return false;
}

static bool do_yield(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)st, (void)now;
	return w->stage || ask_for(w, 1, want, WANT_YIELD, 0);
}

static bool do_nothing(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)w, (void)st, (void)now, (void)want;
	return true;
}

/* ---- time ---- */

/* What released this loop, unless it has run already. */
void mark_release(struct worker *w, u64 when, bool arrived)
{
	if (w->ran)
		return;
	w->mark = when;
	w->mark_arrived = arrived;
}

static bool do_sleep(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	u64 len = w->stage ? 0 : step_length(wd, w, st);

	return !len || ask_for(w, 1, want, WANT_SLEEP, now + len);
}

static bool expired(struct worker *w)
{
	mark_release(w, w->length, false);
	w->expiry = w->length;
	return true;
}

/* One of the scenario's own, which ran before it ("history"); a thread forked later has no past. */
static bool has_past(const struct world *wd, const struct worker *w)
{
	return wd->sc->history && w->start == wd->sc->start_phase + w->load->delay;
}

/*
 * A timer's first expiry is a period after the thread's start.  A thread with a past that begins with its timer has waited for its start as for any
 * other release, as the threads of the measurements did: that is its first.
 */
static u64 first_expiry(const struct world *wd, const struct worker *w, u64 period)
{
	bool begins_with_it = !w->loops && w->first_act == NEVER;

	return has_past(wd, w) && begins_with_it ? w->start : w->start + period;
}

/* w->length holds the expiry while the worker sleeps. */
static bool do_timer(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref);
	u64 *next = st->flags & STEP_UNIQUE ? &w->own[current_slot(wd, w)].next : &res->next;

	if (w->stage)
		return expired(w);
	*next = *next == NEVER ? first_expiry(wd, w, st->len.a) : *next + st->len.a;
	w->length = *next;
	if (now < *next)
		return ask_for(w, 1, want, WANT_SLEEP, *next);
	if (!res->spec->absolute && !(st->flags & STEP_ABSOLUTE))
		w->length = *next = now; /* a missed release moves the grid */
	return expired(w);
}

bool wait_until(struct world *wd, struct worker *w, u64 when, u64 irq, struct want *want)
{
	struct completion done = { .who = w, .ref = REF_NONE, .cpu = cpu_of_worker(wd, w) };

	if (at_moment(wd, &done, when, irq))
		return ask_for(w, 1, want, WANT_WAIT, 0);
	return ask_for(w, 1, want, WANT_SLEEP, when);
}

static u64 next_arrival(const struct worker *w, const struct resource_spec *spec, u64 *last, u32 *played, struct draw *draw)
{
	u64 gap;

	if (spec->times)
		return *played < spec->nr_times ? spec->times[(*played)++] : NEVER;
	gap = dist_draw(&spec->gap, draw);
	*last = (*last == NEVER ? w->start : *last) + gap;
	return *last;
}

static bool arrived(struct worker *w)
{
	mark_release(w, w->length, true);
	return true;
}

/* w->length holds the arrival while the worker waits.  Behind the last one of a recording there is nothing more to do. */
static bool do_arrive(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref);
	struct own *own;

	if (w->stage)
		return arrived(w);
	if (res->spec->unique) {
		own = &w->own[current_slot(wd, w)];
		w->length = next_arrival(w, res->spec, &own->next, &own->played, &own->draw);
	} else {
		w->length = next_arrival(w, res->spec, &res->next, &res->played, &res->draw);
	}
	if (w->length == NEVER) {
		w->gone = true;
		return true;
	}
	return now >= w->length ? arrived(w) : wait_until(wd, w, w->length, NEVER, want);
}

static bool do_request(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)st, (void)want;
	w->mark = now;
	w->mark_arrived = true;
	return true;
}

/* ---- conditions, locks ---- */

static bool do_suspend(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref);

	(void)now;
	return w->stage || wait_on(w, res, &res->waiters, 1, want);
}

static bool do_spin(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref);

	(void)now;
	if (w->stage)
		return true;
	wait_on(w, res, &res->waiters, 1, want);
	want->kind = WANT_SPIN;
	return false;
}

static bool do_resume(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now, (void)want;
	wake_all(wd, &resource_of(wd, st->ref)->waiters, w);
	return true;
}

static bool do_signal(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now, (void)want;
	wake_first(wd, &resource_of(wd, st->ref)->waiters, w);
	return true;
}

/* Whom @w waits for: the holder of the mutex it wants; NULL where it wants none. */
static struct worker *holder(const struct worker *w) { return w->waits_for ? w->waits_for->owner : NULL; }

/*
 * Does @w wait for a mutex that only itself could free in the end?  Steps of two sizes meet in any circle, also in one that @w is not
 * part of; that one was found when it closed.
 */
static bool waits_for_itself(const struct worker *w)
{
	const struct worker *slow = w, *fast = w;

	do {
		slow = holder(slow);
		fast = holder(fast);
		fast = fast ? holder(fast) : NULL;
		if (slow == w || fast == w)
			return true;
	} while (fast && slow != fast);
	return false;
}

static bool lock(struct world *wd, struct worker *w, struct resource *mutex, u64 now, struct want *want)
{
	if (!mutex->owner) {
		mutex->owner = w;
		return true;
	}
	wait_on(w, mutex, &mutex->waiters, 1, want);
	if (!wd->circle && waits_for_itself(w)) {
		wd->circle = w;
		wd->circle_since = now;
	}
	return false;
}

/* Anybody may unlock, as in rt-app, and so may open a circle. */
static void unlock(struct world *wd, struct resource *mutex, struct worker *by)
{
	mutex->owner = NULL;
	wake_first(wd, &mutex->waiters, by);
	if (wd->circle && !waits_for_itself(wd->circle))
		wd->circle = NULL;
}

static bool do_lock(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	return lock(wd, w, resource_of(wd, st->ref), now, want);
}

static bool do_unlock(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now, (void)want;
	unlock(wd, resource_of(wd, st->ref), w);
	return true;
}

/* Give up the mutex and wait on the condition; when woken, take the mutex again. */
static bool do_wait(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref), *mutex = resource_of(wd, st->ref2);

	if (w->stage)
		return lock(wd, w, mutex, now, want);
	if (st->kind == STEP_SYNC)
		wake_first(wd, &res->waiters, w);
	unlock(wd, mutex, w);
	return wait_on(w, res, &res->waiters, 1, want);
}

/* As in rt-app: the last one to come lets all go on, and each counts itself back in when it runs again. */
static bool do_barrier(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref);

	(void)now;
	if (w->stage) {
		res->count++;
		return true;
	}
	if (!res->count) {
		wake_all(wd, &res->waiters, w);
		return true;
	}
	res->count--;
	return wait_on(w, res, &res->waiters, 1, want);
}

void post_sem(struct world *wd, struct resource *sem, struct worker *by)
{
	sem->count++;
	wake_first(wd, &sem->waiters, by);
}

static bool do_sem_post(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now, (void)want;
	post_sem(wd, resource_of(wd, st->ref), w);
	return true;
}

static bool do_sem_wait(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *sem = resource_of(wd, st->ref);

	(void)now;
	if (sem->count) {
		sem->count--;
		return true;
	}
	wait_on(w, sem, &sem->waiters, 1, want);
	if (st->flags & STEP_SPINS)
		want->kind = WANT_SPIN;
	return false;
}

/* ---- other tasks ---- */

static bool do_fork(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now, (void)want;
	wd->ops->spawn(wd->ops->ctx, st->ref, w);
	return true;
}

static bool do_join(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct task_state *task = &wd->tasks[st->ref];

	(void)now;
	if (!w->stage && wd->ops->awaits_child)
		wd->ops->awaits_child(wd->ops->ctx, w);
	return !task->live || wait_on(w, NULL, &task->joiners, 1, want);
}

static bool do_exec(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)st, (void)now;
	return w->stage || ask_for(w, 1, want, WANT_EXEC, 0);
}

/* ---- measuring ---- */

/* A stretch that begins again before it has ended begins anew; an end without a beginning is none. */
static bool do_span(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct own *own = &w->own[current_slot(wd, w)];

	(void)want;
	if (st->kind == STEP_BEGIN) {
		own->next = now;
		return true;
	}
	if (own->next != NEVER && wd->ops->span_done)
		wd->ops->span_done(wd->ops->ctx, st->ref, own->next, now);
	own->next = NEVER;
	return true;
}

static bool do_set(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)w, (void)now, (void)want;
	resource_of(wd, st->ref)->raised = true;
	return true;
}

static bool do_exit(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)st, (void)now, (void)want;
	w->gone = true;
	return true;
}

/* ---- the table ---- */

static const struct step_row {
	bool (*step)(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want);
	bool waits; /* a loop is not released by it */
} rows[] = {
	[STEP_RUN] = { do_run, false },
	[STEP_RUNTIME] = { do_run, false },
	[STEP_SYS] = { do_run, false },
	[STEP_SLEEP] = { do_sleep, true },
	[STEP_TIMER] = { do_timer, true },
	[STEP_ARRIVE] = { do_arrive, true },
	[STEP_SUSPEND] = { do_suspend, true },
	[STEP_RESUME] = { do_resume, false },
	[STEP_LOCK] = { do_lock, false },
	[STEP_UNLOCK] = { do_unlock, false },
	[STEP_WAIT] = { do_wait, true },
	[STEP_SIGNAL] = { do_signal, false },
	[STEP_BROAD] = { do_resume, false },
	[STEP_SYNC] = { do_wait, true },
	[STEP_BARRIER] = { do_barrier, true },
	[STEP_SEM_POST] = { do_sem_post, false },
	[STEP_SEM_WAIT] = { do_sem_wait, true },
	[STEP_QUEUE_PUT] = { do_put, false },
	[STEP_QUEUE_GET] = { do_get, true },
	[STEP_SPIN] = { do_spin, true },
	[STEP_YIELD] = { do_yield, false },
	[STEP_FORK] = { do_fork, false },
	[STEP_JOIN] = { do_join, true },
	[STEP_SET] = { do_set, false },
	[STEP_MEM] = { do_nothing, false },
	[STEP_REQUEST] = { do_request, false },
	[STEP_IO] = { do_io, false },
	[STEP_BEGIN] = { do_span, true },
	[STEP_END] = { do_span, true },
	[STEP_EXEC] = { do_exec, false },
	[STEP_EXIT] = { do_exit, false },
};

bool step_waits(const struct program *program, u32 i)
{
	const struct step *st = &program->steps[i], *behind = st + 1;

	if (st->kind == STEP_LOCK && i + 1 < program->nr_steps)
		return (behind->kind == STEP_WAIT || behind->kind == STEP_SYNC) && behind->ref2 == st->ref;
	return rows[st->kind].waits;
}

bool program_waits_first(const struct program *program)
{
	u32 i = 0;

	while (i < program->nr_steps && (program->steps[i].kind == STEP_BEGIN || program->steps[i].kind == STEP_END))
		i++;
	return i < program->nr_steps && step_waits(program, i);
}

bool step_do(struct world *wd, struct worker *w, u64 now, struct want *want)
{
	const struct step *st = current_step(w);

	if (!w->stage) {
		w->expiry = NEVER;
		if (w->first_act == NEVER && !step_waits(w->program, (u32)(st - w->program->steps)))
			w->first_act = now;
	}
	return rows[st->kind].step(wd, w, st, now, want);
}
