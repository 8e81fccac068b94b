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

static u64 step_length(const struct world *wd, struct worker *w, const struct step *st)
{
	if (st->len.kind == DIST_FIXED)
		return st->len.a;
	return dist_draw(&st->len, &w->draws[current_slot(wd, w)]);
}

static bool ask(struct worker *w, int stage, struct want *want, enum want_kind kind, u64 ns)
{
	w->stage = stage;
	*want = (struct want){ .kind = kind, .ns = ns };
	return false;
}

static bool wait_on(struct worker *w, struct resource *res, struct list_head *list, int stage, struct want *want)
{
	w->waits_for = res;
	list_add_tail(&w->node, list);
	return ask(w, stage, want, WANT_WAIT, 0);
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

static bool ran(struct worker *w, u64 now)
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
		return ask(w, 2, want, WANT_CLOCK, 0);
	if (!w->stage)
		w->length = step_length(wd, w, st);
	if (!w->length)
		return ran(w, now);
	piece = min_u64(w->length, POLL_EVERY);
	w->length -= piece;
	return ask(w, 1, want, WANT_RUN, piece);
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
		return ran(w, now);
	len = step_length(wd, w, st);
	if (!len)
		return ran(w, now);
	ask(w, 1, want, (enum want_kind)wants[st->kind], len);
	want->resched_point = st->flags & STEP_RESCHED_POINT;
	want->releases = st->kind == STEP_SYS && releases_next(w);
	return false;
}

static bool do_yield(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)st, (void)now;
	return w->stage || ask(w, 1, want, WANT_YIELD, 0);
}

static bool do_nothing(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)wd, (void)w, (void)st, (void)now, (void)want;
	return true;
}

/* ---- time ---- */

/* What released this loop, unless it has run already. */
static void mark(struct worker *w, u64 when, bool arrived)
{
	if (w->ran)
		return;
	w->mark = when;
	w->mark_arrived = arrived;
}

static bool do_sleep(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	u64 len = w->stage ? 0 : step_length(wd, w, st);

	return !len || ask(w, 1, want, WANT_SLEEP, now + len);
}

static bool expired(struct worker *w)
{
	mark(w, w->length, false);
	w->expiry = w->length;
	return true;
}

/* w->length holds the expiry while the worker sleeps.  The first one is a period after the start. */
static bool do_timer(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *res = resource_of(wd, st->ref);
	u64 *next = st->flags & STEP_UNIQUE ? &w->own[current_slot(wd, w)].next : &res->next;

	if (w->stage)
		return expired(w);
	*next = (*next == NEVER ? w->start : *next) + st->len.a;
	w->length = *next;
	if (now < *next)
		return ask(w, 1, want, WANT_SLEEP, *next);
	if (!res->spec->absolute && !(st->flags & STEP_ABSOLUTE))
		w->length = *next = now; /* a missed release moves the grid */
	return expired(w);
}

/* A moment at which world_timer() shall wake @w, or raise @ref; false where the owner of time has no timers. */
static bool at_moment(struct world *wd, struct worker *w, u32 ref, u64 when)
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
	wd->completions[i] = (struct completion){ .who = w, .ref = ref, .next_free = REF_NONE };
	wd->ops->timer(wd->ops->ctx, when, i);
	return true;
}

static bool wait_until(struct world *wd, struct worker *w, u64 when, struct want *want)
{
	if (at_moment(wd, w, REF_NONE, when))
		return ask(w, 1, want, WANT_WAIT, 0);
	return ask(w, 1, want, WANT_SLEEP, when);
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
	mark(w, w->length, true);
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
	return now >= w->length ? arrived(w) : wait_until(wd, w, w->length, want);
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

static bool lock(struct worker *w, struct resource *mutex, struct want *want)
{
	if (mutex->owner)
		return wait_on(w, mutex, &mutex->waiters, 1, want);
	mutex->owner = w;
	return true;
}

static void unlock(struct world *wd, struct resource *mutex, struct worker *by)
{
	mutex->owner = NULL;
	wake_first(wd, &mutex->waiters, by);
}

static bool do_lock(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now;
	return lock(w, resource_of(wd, st->ref), want);
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

	(void)now;
	if (w->stage)
		return lock(w, mutex, want);
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

static void post(struct world *wd, struct resource *sem, struct worker *by)
{
	sem->count++;
	wake_first(wd, &sem->waiters, by);
}

static bool do_sem_post(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	(void)now, (void)want;
	post(wd, resource_of(wd, st->ref), w);
	return true;
}

static bool do_sem_wait(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *sem = resource_of(wd, st->ref);

	(void)now;
	if (!sem->count)
		return wait_on(w, sem, &sem->waiters, 1, want);
	sem->count--;
	return true;
}

void raise_ref(struct world *wd, u32 ref, struct worker *by)
{
	struct resource *res = resource_of(wd, ref);

	if (res->spec->kind == RES_SEM)
		post(wd, res, by);
	else
		wake_all(wd, &res->waiters, by);
}

/* ---- queues ---- */

static bool queue_full(const struct resource *q) { return q->spec->users && q->nr_items == q->spec->users; }

/* Room for one more item in the ring of @q; false when memory is out. */
static bool queue_grow(struct world *wd, struct resource *q)
{
	struct item *items;
	u32 i, cap = q->cap_items;

	if (q->nr_items < q->cap_items)
		return true;
	items = grow(wd, NULL, &cap, sizeof(*items));
	if (!items)
		return false;
	for (i = 0; i < q->nr_items; i++)
		items[i] = q->items[(q->first_item + i) % q->cap_items];
	q->items = items;
	q->first_item = 0;
	q->cap_items = cap;
	return true;
}

/* stage 1: the work is drawn, room was missing.  An item that finds no memory is lost like a packet. */
static bool do_put(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *q = resource_of(wd, st->ref);

	if (!w->stage)
		w->length = step_length(wd, w, st);
	if (queue_full(q))
		return wait_on(w, q, &q->putters, 1, want);
	if (!queue_grow(wd, q))
		return true;
	q->items[(q->first_item + q->nr_items++) % q->cap_items] =
		(struct item){ .work = w->length, .since = w->mark_arrived ? w->mark : now };
	wake_first(wd, &q->waiters, w);
	return true;
}

/* stage 1: woken because there may be an item; stage 2: its work is done. */
static bool do_get(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *q = resource_of(wd, st->ref);
	struct item item;

	if (w->stage == 2)
		return ran(w, now);
	if (!q->nr_items)
		return wait_on(w, q, &q->waiters, 1, want);
	item = q->items[q->first_item];
	q->first_item = (q->first_item + 1) % q->cap_items;
	q->nr_items--;
	wake_first(wd, &q->putters, w);
	mark(w, item.since, true);
	return item.work ? ask(w, 2, want, WANT_RUN, item.work) : true;
}

/* ---- devices ---- */

/* When the device is done with a request made at @now: its first free server takes it, in order of coming. */
static u64 served_at(struct resource *dev, u64 now)
{
	u64 service = dist_draw(&dev->spec->gap, &dev->draw);
	int i, best = 0;

	if (dev->spec->depth <= 0)
		return now + service;
	for (i = 1; i < dev->spec->depth; i++)
		if (dev->free_at[i] < dev->free_at[best])
			best = i;
	dev->free_at[best] = max_u64(now, dev->free_at[best]) + service;
	return dev->free_at[best];
}

static bool do_io(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	u64 done;

	if (w->stage)
		return true;
	done = served_at(resource_of(wd, st->ref), now);
	if (st->ref2 == REF_NONE)
		return wait_until(wd, w, done, want);
	if (!at_moment(wd, w, st->ref2, done))
		raise_ref(wd, st->ref2, w);
	return true;
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
	return !task->live || wait_on(w, NULL, &task->joiners, 1, want);
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
	[STEP_EXIT] = { do_exit, false },
};

bool step_waits(const struct program *program, u32 i)
{
	const struct step *st = &program->steps[i], *behind = st + 1;

	if (st->kind == STEP_LOCK && i + 1 < program->nr_steps)
		return (behind->kind == STEP_WAIT || behind->kind == STEP_SYNC) && behind->ref2 == st->ref;
	return rows[st->kind].waits;
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
