/* SPDX-License-Identifier: MIT */
/*
 * supply.c - queues of work, and devices.
 *
 *	put ----------------------.                          .--- then: a condition, a semaphore, another queue
 *	                          v                          |
 *	io --- device --- interrupt ---> queue --- get --- work
 *	        serves	   on a CPU      of all, or of that CPU alone
 *
 * A queue per CPU is what bound kernel threads live on: who puts, puts where he runs, an interrupt where it comes, and a thread gets
 * from the CPU it is on.  An item for a thread that is awake already is only appended: nobody is woken.
 */
#include "work/world_impl.h"

static struct resource *resource_of(struct world *wd, u32 ref) { return &wd->resources[ref]; }

static void *some(struct world *wd, u64 nr, size_t size) { return arena_alloc(&wd->mem, (size_t)(nr ? nr : 1) * size); }

static bool queue_init(struct world *wd, struct resource *q)
{
	u32 i;

	q->nr_lists = q->spec->per_cpu ? (u32)wd->sc->machine.cpus : 1;
	q->lists = some(wd, q->nr_lists, sizeof(*q->lists));
	for (i = 0; q->lists && i < q->nr_lists; i++) {
		list_init(&q->lists[i].waiters);
		list_init(&q->lists[i].putters);
	}
	return q->lists;
}

bool supply_init(struct world *wd, struct resource *res)
{
	const struct resource_spec *spec = res->spec;

	if (spec->kind == RES_QUEUE)
		return queue_init(wd, res);
	if (spec->kind != RES_DEVICE)
		return true;
	rng_init(&res->strays, wd->sc->seed, "stray", spec->name, 0, 0);
	if (spec->coalesce)
		res->irq_at = some(wd, (u64)wd->sc->machine.cpus, sizeof(u64));
	if (spec->depth > 0)
		res->free_at = some(wd, (u64)spec->depth, sizeof(u64));
	return (!spec->coalesce || res->irq_at) && (spec->depth <= 0 || res->free_at);
}

/* ---- queues ---- */

static struct item_list *list_of(struct resource *q, int cpu)
{
	return &q->lists[cpu >= 0 && (u32)cpu < q->nr_lists ? cpu : 0];
}

static bool list_full(const struct resource *q, const struct item_list *list)
{
	return q->spec->users && list->nr >= q->spec->users;
}

/* Room for one more item in the ring; false when memory is out. */
static bool list_grow(struct world *wd, struct item_list *list)
{
	struct item *items;
	u32 i, cap = list->cap;

	if (list->nr < list->cap)
		return true;
	items = grow(wd, NULL, &cap, sizeof(*items));
	if (!items)
		return false;
	for (i = 0; i < list->nr; i++)
		items[i] = list->items[(list->first + i) % list->cap];
	list->items = items;
	list->first = 0;
	list->cap = cap;
	return true;
}

/* An item that finds no memory is lost like a packet. */
static void append_item(struct world *wd, struct item_list *list, const struct item *item, struct worker *by)
{
	if (!list_grow(wd, list))
		return;
	list->items[(list->first + list->nr++) % list->cap] = *item;
	wake_first(wd, &list->waiters, by);
}

void tell(struct world *wd, u32 ref, const struct item *item, int cpu, struct worker *by)
{
	struct resource *res;

	if (ref == REF_NONE)
		return;
	res = resource_of(wd, ref);
	switch (res->spec->kind) {
	case RES_SEM:
		post_sem(wd, res, by);
		break;
	case RES_QUEUE:
		append_item(wd, list_of(res, cpu), item, by);
		break;
	default:
		wake_all(wd, &res->waiters, by);
	}
}

static u64 since_of(const struct worker *w, u64 now) { return w->mark_arrived ? w->mark : now; }

/* One for the queue of each CPU; such a queue has no bound. */
static bool put_each(struct world *wd, struct worker *w, const struct step *st, u64 now)
{
	struct resource *q = resource_of(wd, st->ref);
	u32 i;

	for (i = 0; i < q->nr_lists; i++) {
		struct item item = { step_length(wd, w, st), since_of(w, now), st->ref2 };

		append_item(wd, &q->lists[i], &item, w);
	}
	return true;
}

/* stage 1: the work is drawn, room was missing. */
bool do_put(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *q = resource_of(wd, st->ref);
	struct item_list *list;
	struct item item;

	if (st->cpu == CPU_EACH)
		return put_each(wd, w, st, now);
	list = list_of(q, st->cpu == CPU_HERE ? cpu_of_worker(wd, w) : st->cpu);
	if (!w->stage)
		w->length = step_length(wd, w, st);
	if (list_full(q, list))
		return wait_on(w, q, &list->putters, 1, want);
	item = (struct item){ w->length, since_of(w, now), st->ref2 };
	append_item(wd, list, &item, w);
	return true;
}

static void measure(struct world *wd, const struct step *st, const struct item *item, u64 now)
{
	if (resource_of(wd, st->ref)->spec->measured && wd->ops->span_done)
		wd->ops->span_done(wd->ops->ctx, st->ref, item->since, now);
}

/* All that is there has been seen: what was waited for ends now, though the items are used one by one. */
static void reap(struct world *wd, const struct step *st, struct item_list *list, u64 now)
{
	while (list->reaped < list->nr)
		measure(wd, st, &list->items[(list->first + list->reaped++) % list->cap], now);
}

static struct item take(struct world *wd, struct worker *w, struct item_list *list)
{
	struct item item = list->items[list->first];

	list->first = (list->first + 1) % list->cap;
	list->nr--;
	if (list->reaped)
		list->reaped--;
	wake_first(wd, &list->putters, w);
	return item;
}

/* The work of the item is done. */
static void item_done(struct world *wd, struct worker *w)
{
	struct item next = { 0, w->item_since, REF_NONE };

	tell(wd, w->then, &next, cpu_of_worker(wd, w), w);
}

/* stage 1: woken because there may be an item; stage 2: its work is done. */
bool do_get(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *q = resource_of(wd, st->ref);
	struct item_list *list = list_of(q, cpu_of_worker(wd, w));
	struct item item;

	if (w->stage == 2) {
		item_done(wd, w);
		return run_ended(w, now);
	}
	if (!list->nr) {
		wait_on(w, q, &list->waiters, 1, want);
		if (st->flags & STEP_SPINS)
			want->kind = WANT_SPIN;
		return false;
	}
	if (st->flags & STEP_BATCH && !list->reaped)
		reap(wd, st, list, now);
	item = take(wd, w, list);
	if (!(st->flags & STEP_BATCH))
		measure(wd, st, &item, now);
	mark_release(w, item.since, true);
	w->then = item.then;
	w->item_since = item.since;
	if (item.work)
		return ask_for(w, 2, want, WANT_RUN, item.work);
	item_done(wd, w);
	return true;
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

/* Which CPU the completion of a request from @cpu interrupts: a device with fewer queues than CPUs deals them out in order. */
static int interrupted(const struct world *wd, struct resource *dev, int cpu)
{
	const struct resource_spec *spec = dev->spec;
	u32 nr = (u32)wd->sc->machine.cpus;

	if (spec->stray && rng_below(&dev->strays, 1000000) < spec->stray)
		return (int)rng_below(&dev->strays, nr);
	if (!spec->irq_cpus)
		return cpu;
	return spec->irq_cpus[(u64)cpu * spec->nr_irq_cpus / nr % spec->nr_irq_cpus];
}

/*
 * The interrupt that tells @cpu of what is done at @done: it waits for more to be done, and what is done until then comes with it, at no
 * cost of its own.
 */
static u64 interrupt_at(struct resource *dev, int cpu, u64 done, u64 *irq)
{
	u64 wait = dev->spec->coalesce;

	*irq = dev->spec->irq;
	if (!wait)
		return done;
	if (done <= dev->irq_at[cpu] && done + wait > dev->irq_at[cpu])
		*irq = 0;
	else
		dev->irq_at[cpu] = done + wait;
	return dev->irq_at[cpu];
}

bool do_io(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want)
{
	struct resource *dev = resource_of(wd, st->ref);
	struct completion done = { .who = w, .ref = st->ref2 };
	u64 when, irq;

	if (w->stage)
		return true;
	done.cpu = interrupted(wd, dev, cpu_of_worker(wd, w));
	when = interrupt_at(dev, done.cpu, served_at(dev, now), &irq);
	if (st->ref2 != REF_NONE)
		done.item = (struct item){ step_length(wd, w, st), now, st->ref3 };
	if (at_moment(wd, &done, when, irq))
		return st->ref2 != REF_NONE || ask_for(w, 1, want, WANT_WAIT, 0);
	if (st->ref2 == REF_NONE)
		return ask_for(w, 1, want, WANT_SLEEP, when);
	tell(wd, st->ref2, &done.item, done.cpu, w); /* no timers: at once */
	return true;
}
