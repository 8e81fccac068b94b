/* SPDX-License-Identifier: MIT */
/*
 * time.c - timers and ticks as they fall due in real time.
 *
 *	heap of moments ---+
 *	ticks, a sweep  ---+--> rt_service(): whoever has the lock does all that is due, in the written order of ranks
 *	end of the run  ---+
 *
 * rt->due is the first of those moments.  Threads that work read it between two pieces; of those that are idle, one (the keeper) sleeps
 * until then, a second one a little longer, in case the host keeps the others from running, and the rest until they are asked.
 * A verb sees the time at which it really happens, not that for which it was meant.
 * A run covers [start, end): what is due at its end is left to the next one.
 * Ticks that come too late for a whole period are lost, as on a real machine: there is one for all of them.
 */
#include "rt/impl.h"

#include <time.h>

#include "owner/memory.h"

/* ---- moments ---- */

u64 rt_clock(const struct rt *rt) { return rt_host_clock() - rt->offset; }

bool rt_is_due(const struct rt *rt, u64 now) { return now >= __atomic_load_n(&rt->due, __ATOMIC_RELAXED); }

/* An idle CPU has one more tick before it goes without. */
static bool cpu_ticks(const struct rt *rt, int cpu) { return bit_test(rt->busy, cpu) || lab_tick_due(rt->lab, cpu) != NEVER; }

static bool anybody_ticks(const struct rt *rt)
{
	int cpu;

	for (cpu = 0; cpu < rt->nr_cpus; cpu++)
		if (cpu_ticks(rt, cpu))
			return true;
	return false;
}

static u64 next_tick(const struct rt *rt) { return anybody_ticks(rt) ? rt->last_tick + rt->tick : NEVER; }

u64 rt_next_due(struct rt *rt)
{
	return min_u64(min_u64(heap_first_time(&rt->heap), next_tick(rt)), rt->end);
}

void rt_timer_init(struct rt_timer *timer, void (*fire)(struct rt *, struct rt_timer *), bool wakes)
{
	heap_entry_init(&timer->heap);
	timer->fire = fire;
	timer->wakes = wakes;
}

void rt_arm(struct rt *rt, struct rt_timer *timer, u64 when, enum rt_rank rank)
{
	if (!heap_make_room(&rt->heap)) {
		err_set(&rt->err, ERR_HOST, "out of memory for timers");
		return;
	}
	heap_arm(&rt->heap, &timer->heap, when, rank);
}

void rt_disarm(struct rt *rt, struct rt_timer *timer) { heap_remove(&rt->heap, &timer->heap); }

/* ---- what is due ---- */

static u64 tick_floor(const struct rt *rt, u64 t) { return t - (t - rt->epoch + EPOCH_TICKS * rt->tick) % rt->tick; }

/* All ticks before @t have happened, and the one at @t where @inclusive. */
static void ticks_pass(struct rt *rt, u64 t, bool inclusive)
{
	u64 last = tick_floor(rt, inclusive ? t : t - 1);

	if (last <= rt->last_tick)
		return;
	rt->last_tick = last;
	lab_ticks_done(rt->lab, last, 0);
}

static void was_late(struct rt *rt, u64 when)
{
	rt->notes.longest_late = max_u64(rt->notes.longest_late, rt->now - when);
}

/* One tick on every CPU that has any, in their order. */
static void sweep(struct rt *rt)
{
	u64 last = tick_floor(rt, rt->now);
	int cpu;

	was_late(rt, rt->last_tick + rt->tick);
	rt->notes.lost_ticks += (last - rt->last_tick) / rt->tick - 1;
	for (cpu = 0; cpu < rt->nr_cpus; cpu++) {
		if (!cpu_ticks(rt, cpu))
			continue;
		rt->here = cpu;
		lab_tick(rt->lab, cpu);
		rt->nr_ticks++;
	}
	rt->last_tick = last;
	lab_ticks_done(rt->lab, last, 0);
	rt_verb_done(rt);
}

static bool tick_is_next(const struct rt *rt, const struct heap_entry *first)
{
	u64 tick = next_tick(rt);

	if (tick > rt->now || tick >= rt->end)
		return false;
	return !first || tick < first->time || (tick == first->time && first->order >> HEAP_RANK_SHIFT > RANK_TICK);
}

void rt_service(struct rt *rt)
{
	rt->now = max_u64(rt->now, rt_clock(rt));
	while (!rt->over) {
		struct heap_entry *first = heap_first(&rt->heap);
		struct rt_timer *timer;

		if (tick_is_next(rt, first)) {
			sweep(rt);
			continue;
		}
		if (!first || first->time > rt->now || first->time >= rt->end)
			break;
		timer = container_of(first, struct rt_timer, heap);
		ticks_pass(rt, first->time, first->order >> HEAP_RANK_SHIFT > RANK_TICK);
		was_late(rt, first->time);
		rt->notes.late += rt->now - first->time;
		rt->notes.nr_timers++;
		rt_disarm(rt, timer);
		timer->fire(rt, timer);
	}
	ticks_pass(rt, min_u64(rt->now, rt->end - 1), true);
	if (rt->now >= rt->end || rt->err.code)
		rt_stop(rt);
}

/* After each verb: what callbacks took note of. */
void rt_verb_done(struct rt *rt)
{
	if (rt->opt.want_periods)
		groups_period_ended(&rt->groups, rt->now);
}

void rt_stop(struct rt *rt)
{
	int cpu;

	rt->over = true;
	for (cpu = 0; cpu < rt->nr_cpus; cpu++)
		rt_ask(&rt->cpus[cpu]);
}

/* ---- the lock ---- */

void rt_lock(struct rt *rt)
{
	pthread_mutex_lock(&rt->lock);
	if (rt->running && !rt->over)
		rt_service(rt);
}

/* Those who look at rt->due see what is due now; a keeper who would sleep beyond it is woken. */
static void publish(struct rt *rt)
{
	const struct rt_post *keeper = &rt->posts[0];
	u64 due = rt->over ? 0 : rt_next_due(rt);

	__atomic_store_n(&rt->due, due, __ATOMIC_RELAXED);
	if (keeper->cpu && due < keeper->until)
		pthread_cond_signal(&keeper->cpu->cond);
}

void rt_unlock(struct rt *rt)
{
	publish(rt);
	pthread_mutex_unlock(&rt->lock);
}

/* ---- being idle ---- */

static bool wakes(const struct heap_entry *e) { return container_of(e, struct rt_timer, heap)->wakes; }

static bool nothing_can_wake(const struct rt *rt) { return !rt->nr_awake && rt->nr_alive && !heap_any(&rt->heap, wakes); }

static void wait_until(struct rt_cpu *c, u64 when)
{
	u64 host = time_after(when, c->rt->offset);
	struct timespec ts = { .tv_sec = (time_t)(host / SEC), .tv_nsec = (long)(host % SEC) };

	if (when == NEVER)
		pthread_cond_wait(&c->cond, &c->rt->lock);
	else
		pthread_cond_timedwait(&c->cond, &c->rt->lock, &ts);
}

#define DEPUTY_LATE (1 * MS) /* what is handled so late was missed by everybody else */

/* The first post that is free, which is @c's from now on, or NULL. */
static struct rt_post *take_post(struct rt_cpu *c)
{
	struct rt *rt = c->rt;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rt->posts); i++) {
		if (rt->posts[i].cpu)
			continue;
		rt->posts[i].cpu = c;
		rt->posts[i].until = time_after(rt_next_due(rt), i * DEPUTY_LATE);
		return &rt->posts[i];
	}
	return NULL;
}

/* Nothing to run here: sleep until somebody asks, or on a post until something is due. */
void rt_idle_wait(struct rt_cpu *c)
{
	struct rt *rt = c->rt;
	struct rt_post *post;

	if (rt->stuck && nothing_can_wake(rt)) {
		rt->stuck(rt);
		if (rt->over)
			return;
	}
	publish(rt);
	post = take_post(c);
	c->waits = true;
	wait_until(c, post ? post->until : NEVER);
	c->waits = false;
	if (post)
		post->cpu = NULL;
	c->got_at = rt_host_cpu_time(); /* before the clock is read: what follows is on the account of what it finds to do */
	if (!rt->over)
		rt_service(rt);
}
