/* SPDX-License-Identifier: MIT */
/*
 * world_impl.h - what world.c (where a worker is in its program) and steps.c (what one step does) share.
 *
 *	scenario.resources[i] --- world.resources[i]	what is shared, by its index
 *	scenario.tasks[i]     --- world.tasks[i]	how many live, who joins them
 *
 * A worker that waits is on exactly one list; whoever takes it off says so through world_ops.wake.
 */
#ifndef WORK_WORLD_IMPL_H
#define WORK_WORLD_IMPL_H

#include "base/arena.h"
#include "base/list.h"
#include "work/dist.h"
#include "work/world.h"

struct item {		  /* of a queue */
	u64 work;	  /* ns, done by who gets it */
	u64 since;	  /* release: of the arrival it stems from, of the request to a device, else when it was put */
	u32 then;	  /* told when the work is done; REF_NONE */
};

struct item_list {	  /* a queue, or one CPU's part of it */
	struct list_head waiters, putters; /* who wants an item, and who wants room, in order of coming */
	struct item *items; /* a ring */
	u32 nr, first, cap;
	u32 reaped;	  /* the first of them that a batch has taken already */
};

struct resource {
	const struct resource_spec *spec;
	struct list_head waiters; /* in order of coming; a queue has them in its lists */
	struct worker *owner;	  /* of a mutex */
	u64 next;		  /* timer: last expiry; arrival: last arrival; NEVER before the first use */
	u32 played;		  /* arrival: index into spec->times */
	u64 count;		  /* semaphore; barrier: how many may still come and wait */
	bool raised;		  /* flag */
	struct item_list *lists;  /* queue: one, or one for each CPU */
	u32 nr_lists;
	u64 *free_at;		  /* device: when each of its servers is done */
	struct draw draw;	  /* arrival gaps, service times */
	struct rng strays;	  /* device: which interrupts go astray, and where */
	u64 *irq_at;		  /* device that coalesces: the last interrupt asked for on each CPU */
};

struct task_state {
	u32 live;		  /* workers that have not exited */
	struct list_head joiners;
	u32 *slot;		  /* per step: index of its draw, or of its own timer or stream */
	u32 nr_draws, nr_own;
};

struct own {			  /* a timer, a stream of arrivals or a span of one worker's own */
	u64 next;		  /* span: when it began; NEVER: it is not on */
	u32 played;
	struct draw draw;
};

struct worker {
	u32 task, instance;
	void *owner;
	const struct workload *load;
	const struct program *program;
	struct draw *draws;
	struct own *own;

	/* where it waits */
	struct list_head node;
	struct resource *waits_for;
	struct want want;	  /* the last answer */

	/* where it is */
	u64 start;
	u32 phase, step;
	int stage;		  /* of the current step; 0: not begun */
	s64 program_left, left;	  /* loops; -1 = forever */
	int depth;
	struct {
		u32 phase;
		s64 left;
	} outer[PROGRAM_MOST_DEPTH];
	bool begun, gone, in_loop, entered;
	const u64 *cpus;	  /* affinity in force */
	u64 length;		  /* drawn for the current step */
	u32 then;		  /* told when the item it works on is done */
	u64 item_since;		  /* of that item */
	u64 loops;
	u64 last;		  /* when it was asked last */
	u32 nr_free;		  /* steps done at that instant */

	/* of the current loop; NEVER: not yet */
	u64 mark;		  /* expiry, arrival or request that releases it */
	bool mark_arrived;	  /* the mark came from outside */
	u64 first_act;		  /* first event that is no wait */
	bool ran;
	u64 run_end;
	u64 expiry;		  /* of the timer that was its last step so far */
	u64 before;		  /* the same of the loop before */
};

struct completion {		  /* a moment given to world_ops.timer */
	struct worker *who;
	u32 ref;		  /* told then; REF_NONE: who is woken */
	struct item item;	  /* for a queue */
	int cpu;		  /* interrupted */
	u32 next_free;
};

struct world {
	const struct scenario *sc;
	const struct world_ops *ops;
	struct arena mem;
	struct resource *resources;
	struct task_state *tasks;
	struct worker **workers;
	u32 nr_workers, cap_workers;
	struct worker *circle;	  /* one of the first threads found to wait for each other's mutexes, while they do; or NULL */
	u64 circle_since;
	struct completion *completions;
	u32 nr_completions, cap_completions, free_completion;
};

/*
 * Do as much of @w's current step as takes no time.  True: the step is done.  False: @want says what must happen first.
 * w->stage is 0 at the first call and kept between the calls of one step.
 */
bool step_do(struct world *wd, struct worker *w, u64 now, struct want *want);

/* Is step number @i of @program a wait, so that a loop's release is not counted from it? */
bool step_waits(const struct program *program, u32 i);

/* Take every (the first) worker off @list and tell the owner of time that @by woke it. */
void wake_all(struct world *wd, struct list_head *list, struct worker *by);
void wake_first(struct world *wd, struct list_head *list, struct worker *by);

/*
 * Tell resource @ref that something is done, on @cpu: all who wait on a condition go on, a semaphore gets one unit, a queue (of that CPU)
 * @item.  REF_NONE: nobody.
 */
void tell(struct world *wd, u32 ref, const struct item *item, int cpu, struct worker *by);

/* A moment at which world_timer() does what @done says; false where the owner of time has no timers. */
bool at_moment(struct world *wd, const struct completion *done, u64 when, u64 irq);

/* The CPU on which @w runs or ran last. */
int cpu_of_worker(const struct world *wd, const struct worker *w);

/* ---- pieces of a step, steps.c ---- */
u64 step_length(const struct world *wd, struct worker *w, const struct step *st); /* drawn anew */
bool ask_for(struct worker *w, int stage, struct want *want, enum want_kind kind, u64 ns); /* always false */
bool wait_on(struct worker *w, struct resource *res, struct list_head *list, int stage, struct want *want); /* always false */
bool wait_until(struct world *wd, struct worker *w, u64 when, u64 irq, struct want *want); /* always false */
bool run_ended(struct worker *w, u64 now); /* a run ended; always true */
void mark_release(struct worker *w, u64 when, bool arrived); /* what released this loop, unless it has run already */
void post_sem(struct world *wd, struct resource *sem, struct worker *by);

/* ---- supply.c: steps on queues and devices ---- */
bool supply_init(struct world *wd, struct resource *res); /* false when memory is out */
bool do_put(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want);
bool do_get(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want);
bool do_io(struct world *wd, struct worker *w, const struct step *st, u64 now, struct want *want);

/* Twice the size of array @old of @*cap elements of @size bytes, in the world's arena; NULL when memory is out. */
void *grow(struct world *wd, const void *old, u32 *cap, size_t size);

#endif
