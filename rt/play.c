/* SPDX-License-Identifier: MIT */
/*
 * play.c - a scenario in real time: its programs decide what tasks do, and what they run is really burned.
 *
 *	world (work/) -- want --> task.c         "run 300 us": the CPU's thread spins until that much CPU time has gone into it
 *	              <-- wakes --               "sleep": a timer, in real time
 *
 * With "history" the clock starts 1.5 s before the scenario does, as in a simulation, and that time really passes.
 */
#include "rt/impl.h"

#include <stdlib.h>
#include <string.h>

struct play_thread {
	struct rt_task t; /* first */
	struct player *player;
	struct worker *worker;
	u32 task, instance;
	u64 start; /* when it begins, the lab's clock */
	enum past past;
	struct samples latency, wakeup_latency;
	struct task_stat base; /* at the start of the window */
	u64 work_base, loops_base;
	struct play_thread *next;
};

struct play_at {
	struct rt_timer timer;
	const struct at_spec *spec;
};

struct play_moment { /* a device or an arrival of the world */
	struct rt_timer timer;
	u64 token;
	int cpu; /* on which it is an interrupt */
	struct play_moment *free_next;
};

struct player {
	struct rt *rt;
	const struct scenario *sc;
	struct world *world;
	struct world_ops ops;
	struct wakes wakes;
	u32 *instances; /* threads so far, per task of the scenario */
	struct play_thread *threads, **tail;
	struct play_moment *free_moments;
	struct spans spans;
	struct rt_timer window;
};

static struct player *player_of(const struct rt *rt) { return rt->player; }
static struct play_thread *thread_of(struct rt_task *t) { return container_of(t, struct play_thread, t); }
static u64 scenario_time(const struct rt *rt) { return rt->now - rt->epoch; }

static bool in_window(const struct rt *rt, u64 t) { return t >= rt->sc->measure_from && t < rt->sc->measure_to; }

/* ---- what tasks do ---- */

static bool spin_piece(struct rt_task *t, u64 ns)
{
	rt_spin_for(ns, t->rt->speed);
	return true;
}

static void do_wakes(struct player *pl, int cpu)
{
	u32 i;

	for (i = 0; i < pl->wakes.nr; i++) {
		struct play_thread *who = pl->wakes.v[i].who, *by = pl->wakes.v[i].by;

		if (who->t.doing == DOING_SPIN)
			rt_task_end_spin(&who->t);
		else
			rt_task_wake(&who->t, by ? &by->t : NULL, cpu, pl->wakes.v[i].sync);
	}
	pl->wakes.nr = 0;
}

static struct want next_want(struct rt_task *t)
{
	struct play_thread *th = thread_of(t);
	struct rt *rt = t->rt;
	int cpu = lab_task_cpu(t->p);
	struct want want;

	if (th->past != PAST_NONE)
		return want_of_past(&th->past, rt->now, th->start);
	want = worker_next(th->player->world, th->worker, scenario_time(rt));
	if (want.kind == WANT_SLEEP)
		want.ns = time_after(want.ns, rt->epoch);
	do_wakes(th->player, cpu);
	return want;
}

static void is_awake(struct rt_task *t, u64 latency)
{
	if (thread_of(t)->past == PAST_NONE && in_window(t->rt, scenario_time(t->rt)))
		samples_add(&thread_of(t)->wakeup_latency, latency);
}

static void is_gone(struct rt_task *t) { (void)t; }

static const struct rt_task_ops ops = { next_want, spin_piece, is_awake, is_gone };

static struct play_thread *create_thread(struct player *pl, u32 task, u32 instance, u64 start, struct play_thread *parent)
{
	struct rt *rt = pl->rt;
	struct play_thread *th = arena_alloc(&rt->mem, sizeof(*th));
	struct task_spec spec;
	int cpu;

	if (!th || !spec_of_instance(pl->sc, &rt->groups, rt->nr_cpus, task, instance, &spec, &cpu))
		return NULL;
	th->player = pl;
	th->task = task;
	th->instance = instance;
	th->start = start;
	th->worker = worker_create(pl->world, task, instance, start - rt->epoch);
	if (!th->worker || !rt_task_init(rt, &th->t, &ops, &spec, cpu, parent ? &parent->t : NULL))
		return NULL;
	worker_set_owner(th->worker, th);
	*pl->tail = th;
	pl->tail = &th->next;
	pl->instances[task]++;
	return th;
}

static int create_threads(struct player *pl)
{
	struct rt *rt = pl->rt;
	const struct scenario *sc = pl->sc;
	u32 task, i;

	for (task = 0; task < sc->nr_tasks; task++) {
		for (i = 0; i < sc->tasks[task].instances; i++) {
			u64 start = time_after(rt->epoch + sc->start_phase, sc->tasks[task].delay);
			struct play_thread *th = create_thread(pl, task, i, start, NULL);

			if (!th)
				return -1;
			th->past = sc->history ? PAST_FIRST : PAST_NONE;
			rt_arm(rt, &th->t.timer, sc->history ? rt->epoch - PAST_AT : start, RANK_TASK);
		}
	}
	return 0;
}

/* ---- what the world asks ---- */

static void op_wake(void *ctx, struct worker *w, struct worker *by)
{
	struct player *pl = ctx;

	if (!wakes_add(&pl->wakes, w, by))
		err_set(&pl->rt->err, ERR_HOST, "out of memory");
}

static int op_cpu(void *ctx, const struct worker *w)
{
	const struct play_thread *th = worker_owner(w);

	(void)ctx;
	return th->t.p ? lab_task_cpu(th->t.p) : th->t.last_cpu;
}

static struct worker *op_spawn(void *ctx, u32 task, struct worker *parent)
{
	struct player *pl = ctx;
	struct play_thread *th = create_thread(pl, task, pl->instances[task], pl->rt->now, worker_owner(parent));

	if (!th) {
		err_set(&pl->rt->err, ERR_HOST, "out of memory");
		return NULL;
	}
	lab_made_thread(pl->rt->lab, op_cpu(pl, parent), th->t.p);
	op_wake(pl, th->worker, parent);
	return th->worker;
}

static void op_loop_done(void *ctx, struct worker *w, u64 release, u64 end)
{
	struct player *pl = ctx;
	struct play_thread *th = worker_owner(w);

	if (in_window(pl->rt, end))
		samples_add(&th->latency, end - release);
}

static void moment_comes(struct rt *rt, struct rt_timer *timer)
{
	struct player *pl = player_of(rt);
	struct play_moment *moment = container_of(timer, struct play_moment, timer);

	moment->free_next = pl->free_moments;
	pl->free_moments = moment;
	world_timer(pl->world, moment->token, scenario_time(rt));
	do_wakes(pl, moment->cpu);
}

static void op_timer(void *ctx, const struct moment *at)
{
	struct player *pl = ctx;
	struct play_moment *moment = pl->free_moments;

	if (moment)
		pl->free_moments = moment->free_next;
	else
		moment = arena_alloc(&pl->rt->mem, sizeof(*moment));
	if (!moment) {
		err_set(&pl->rt->err, ERR_HOST, "out of memory");
		return;
	}
	rt_timer_init(&moment->timer, moment_comes, true);
	moment->token = at->token;
	moment->cpu = at->cpu;
	rt_arm(pl->rt, &moment->timer, time_after(at->when, pl->rt->epoch), RANK_TASK);
}

static void op_span_done(void *ctx, u32 ref, u64 from, u64 to)
{
	struct player *pl = ctx;

	if (in_window(pl->rt, to))
		spans_add(&pl->spans, ref, to - from);
}

static void op_awaits_child(void *ctx, struct worker *w)
{
	struct player *pl = ctx;

	lab_awaits_child(pl->rt->lab, op_cpu(pl, w));
}

/* ---- what happens at its time ---- */

static void at_comes(struct rt *rt, struct rt_timer *timer)
{
	const struct at_spec *at = container_of(timer, struct play_at, timer)->spec;
	struct play_thread *th;

	rt->here = 0;
	switch (at->kind) {
	case AT_WRITE:
		groups_write(&rt->groups, &at->write, scenario_time(rt), &rt->err);
		break;
	case AT_ONLINE:
		apply_online(rt->lab, at, &rt->err);
		break;
	case AT_MOVE:
	case AT_AFFINITY:
		for (th = player_of(rt)->threads; th; th = th->next) {
			if (th->task != at->task || !th->t.p)
				continue;
			rt->here = lab_task_cpu(th->t.p);
			if (apply_at(&rt->groups, th->t.p, at, &rt->err))
				break;
		}
		break;
	}
	rt_verb_done(rt);
}

static int arm_at(struct player *pl)
{
	u32 i;

	for (i = 0; i < pl->sc->nr_at; i++) {
		struct play_at *at = arena_alloc(&pl->rt->mem, sizeof(*at));

		if (!at)
			return -1;
		rt_timer_init(&at->timer, at_comes, true);
		at->spec = &pl->sc->at[i];
		rt_arm(pl->rt, &at->timer, time_after(pl->rt->epoch, at->spec->t), RANK_REST);
	}
	return 0;
}

static void stat_of(struct rt *rt, const struct play_thread *th, struct task_stat *st)
{
	if (th->t.p)
		lab_task_stat(rt->lab, th->t.p, st);
	else
		*st = th->t.stat;
}

static void window_opens(struct rt *rt, struct rt_timer *timer)
{
	struct play_thread *th;

	(void)timer;
	groups_window(&rt->groups, rt->now);
	tally_window(&rt->tally);
	for (th = player_of(rt)->threads; th; th = th->next) {
		stat_of(rt, th, &th->base);
		th->work_base = th->t.work;
		th->loops_base = worker_loops(th->worker);
	}
}

static void say_deadlock(struct rt *rt)
{
	char text[512];
	u64 since;

	if (world_deadlock(player_of(rt)->world, &since, text, sizeof(text)))
		err_set(&rt->err, ERR_INPUT, "deadlock at %llu ms: %s", (unsigned long long)(scenario_time(rt) / MS), text);
	if (rt->err.code)
		rt_stop(rt);
}

/* ---- the result ---- */

static void thread_figures(struct rt *rt, struct play_thread *th, struct thread_result *out)
{
	struct task_stat st;

	stat_of(rt, th, &st);
	*out = thread_since(&st, &th->base);
	out->loops = worker_loops(th->worker) - th->loops_base;
	out->work = th->t.work - th->work_base;
	out->cpu = th->t.last_cpu;
	out->latency = th->latency;
	out->wakeup_latency = th->wakeup_latency;
	memset(&th->latency, 0, sizeof(th->latency)); /* handed over */
	memset(&th->wakeup_latency, 0, sizeof(th->wakeup_latency));
}

static bool fill(struct player *pl, struct result *res)
{
	struct rt *rt = pl->rt;
	struct play_thread *th;

	if (!groups_results(&rt->groups, res) || !result_begin_tasks(res, pl->sc, pl->instances))
		return false;
	for (th = pl->threads; th; th = th->next) {
		struct thread_result thread;

		thread_figures(rt, th, &thread);
		result_add_thread(res, th->task, &thread, rt->opt.want_threads);
	}
	result_end_tasks(res);
	return spans_results(&pl->spans, pl->sc, res) && tally_results(&rt->tally, res);
}

static struct result *result_of(struct player *pl)
{
	struct rt *rt = pl->rt;
	struct result *res = calloc(1, sizeof(*res));

	if (!res)
		return NULL;
	res->scenario = pl->sc;
	res->model = rt->model;
	res->seed = pl->sc->seed;
	res->cgroup = rt->cgroup;
	res->preempt = (int)rt->preempt;
	res->start = pl->sc->measure_from;
	res->end = min_u64(scenario_time(rt), pl->sc->measure_to);
	res->nr_ticks = rt->nr_ticks;
	res->live = true;
	res->notes = rt->notes;
	if (fill(pl, res))
		return res;
	result_free(res);
	return NULL;
}

/* ---- the life of a run ---- */

static int prepare(struct player *pl, struct err *err)
{
	struct rt *rt = pl->rt;
	const struct scenario *sc = pl->sc;

	rt->player = pl;
	rt->stuck = say_deadlock;
	pl->tail = &pl->threads;
	pl->ops = (struct world_ops){ pl, op_wake, op_spawn, op_loop_done, op_timer, op_cpu, op_span_done, op_awaits_child, false };
	pl->world = world_create(sc, &pl->ops);
	pl->instances = arena_alloc(&rt->mem, (sc->nr_tasks + 1) * sizeof(*pl->instances));
	if (!pl->world || !pl->instances || !spans_init(&pl->spans, &rt->mem, sc) || arm_at(pl) || create_threads(pl))
		return err_set(err, ERR_HOST, "out of memory for threads");
	rt_timer_init(&pl->window, window_opens, false);
	if (sc->history || sc->measure_from)
		rt_arm(rt, &pl->window, time_after(rt->epoch, sc->measure_from), RANK_PERIOD);
	else
		groups_window(&rt->groups, rt->epoch);
	return 0;
}

static void fini(struct player *pl)
{
	struct play_thread *th;

	for (th = pl->threads; th; th = th->next) {
		samples_free(&th->latency);
		samples_free(&th->wakeup_latency);
	}
	spans_fini(&pl->spans);
	world_destroy(pl->world);
	free(pl->wakes.v);
}

static int fits_host(const struct scenario *sc, struct err *err)
{
	int has = rt_host_cpus();

	if (sc->machine.cpus <= has)
		return 0;
	err_set(err, ERR_INPUT, "the scenario has %d CPUs, and this process may use %d: real work needs a real CPU each", sc->machine.cpus, has);
	err_hint(err, "a scenario of %d CPUs or fewer can run live; --cpus makes one smaller where its tasks allow it", has);
	return -1;
}

struct result *rt_play(const struct scenario *sc, const struct rt_options *opt, struct err *err)
{
	struct player pl = { .sc = sc };
	u64 length = min_u64(sc->duration, sc->measure_to);
	struct result *res = NULL;

	if (fits_host(sc, err))
		return NULL;
	pl.rt = rt_make(sc, opt, err);
	if (!pl.rt)
		return NULL;
	if (!prepare(&pl, err) && !rt_go(pl.rt, time_after(pl.rt->epoch, length), err)) {
		res = result_of(&pl);
		if (!res)
			err_set(err, ERR_HOST, "out of memory for the result");
	}
	fini(&pl);
	rt_destroy(pl.rt);
	return res;
}
