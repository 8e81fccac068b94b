/* SPDX-License-Identifier: MIT */
/*
 * play.c - runs a staged case and reads the model as the guest was read.
 *
 *	T0 ......... T1 T1+1ns T1+late
 *	|	     |	  |	 \-- period counts and throttled time of lines that saw the boundary
 *	|	     |	  \-- usage: the tick of that moment has charged, nobody has run on
 *	|	     \-- the same counts of lines that did not see it; samples of the threads
 *	\-- the start: what is in the counters by then is taken off
 */
#include "oracle/play.h"

#include <stdio.h>
#include <stdlib.h>

#define READ_LATE (40 * US) /* from the window's end to the guest's reading, besides 10 us per group and the walk over its queues */

int played_init(struct played *p, const struct measured *m)
{
	*p = (struct played){ .nr_groups = m->spec.nr_groups, .nr_sets = m->spec.nr_sets };
	p->groups = calloc(p->nr_groups + 1, sizeof(*p->groups));
	p->sets = calloc(p->nr_sets + 1, sizeof(*p->sets));
	return p->groups && p->sets ? 0 : -1;
}

void played_free(struct played *p)
{
	for (u32 i = 0; p->sets && i < p->nr_sets; i++) {
		samples_free(&p->sets[i].thread_cpu);
		samples_free(&p->sets[i].response);
		samples_free(&p->sets[i].wake);
	}
	free(p->groups);
	free(p->sets);
	*p = (struct played){ 0 };
}

bool read_is_nearer(u64 real_periods, u64 before, u64 after)
{
	u64 apart_before = real_periods > before ? real_periods - before : before - real_periods;
	u64 apart_after = real_periods > after ? real_periods - after : after - real_periods;

	return apart_after < apart_before;
}

void split_open_loop(const struct samples *response, const struct samples *woken, u64 every, u64 late, struct samples *wake)
{
	u64 release = 0, end = 0, w = 0;

	for (u64 i = 0; i < response->nr; i++, release += every) {
		u64 start = end;

		if (end <= release)
			start = release + (w < woken->nr ? late + woken->v[w++] : 0);
		samples_add(wake, start - release);
		end = release + response->v[i];
	}
}

struct player {
	struct played *p;
	const struct measured *m;
	const struct stage_options *opt;
	struct machine *machine;
	struct group_stat *start; /* per group */
	struct err *err;
};

static int stat_of(struct player *pl, u32 group, struct group_stat *st)
{
	char path[512];

	snprintf(path, sizeof(path), "/%s", pl->m->spec.groups[group].path);
	if (!machine_group_stat(pl->machine, path, st))
		return 0;
	err_set(pl->err, ERR_INPUT, "expected a group %s, the machine has none", path);
	return -1;
}

static int read_start(struct player *pl)
{
	for (u32 i = 0; i < pl->p->nr_groups; i++)
		if (stat_of(pl, i, &pl->start[i]))
			return -1;
	return 0;
}

static struct played_group counts(const struct group_stat *st, const struct group_stat *start)
{
	return (struct played_group){
		.nr_periods = st->nr_periods - start->nr_periods,
		.nr_throttled = st->nr_throttled - start->nr_throttled,
		.throttled = st->throttled_time - start->throttled_time,
		.nr_bursts = st->nr_bursts - start->nr_bursts,
		.burst = st->burst_time - start->burst_time,
	};
}

/* The first reading stands unless a later one has the line's number of periods, or comes nearer to it. */
static int read_counts(struct player *pl, bool first)
{
	for (u32 i = 0; i < pl->p->nr_groups; i++) {
		struct played_group *g = &pl->p->groups[i], now;
		struct group_stat st;

		if (stat_of(pl, i, &st))
			return -1;
		now = counts(&st, &pl->start[i]);
		now.usage = g->usage;
		if (first || read_is_nearer(pl->m->groups[i].nr_periods, g->nr_periods, now.nr_periods))
			*g = now;
	}
	return 0;
}

static int read_usage(struct player *pl)
{
	struct group_stat st;

	for (u32 i = 0; i < pl->p->nr_groups; i++) {
		if (stat_of(pl, i, &st))
			return -1;
		pl->p->groups[i].usage = st.usage - pl->start[i].usage;
	}
	return 0;
}

/* A closed loop's latency is its burn alone: the program counts from its first instruction. */
static void read_closed_loop(struct played_set *out, struct thread_result *t, u64 late)
{
	for (u64 i = 0; i < t->wakeup_latency.nr; i++) {
		samples_add(&out->wake, late + t->wakeup_latency.v[i]);
		if (i < t->latency.nr)
			samples_add(&out->response, late + t->wakeup_latency.v[i] + t->latency.v[i]);
	}
}

/* An open loop's latencies count from their releases, but for the first: no timer came before it. */
static void read_open_loop(struct played_set *out, struct thread_result *t, u64 every, u64 late)
{
	if (t->latency.nr && t->wakeup_latency.nr)
		t->latency.v[0] += late + t->wakeup_latency.v[0];
	samples_merge(&out->response, &t->latency);
	split_open_loop(&t->latency, &t->wakeup_latency, every, late, &out->wake);
}

static void read_thread(struct player *pl, u32 set, u32 thread, struct thread_result *t)
{
	const struct wl_set *s = &pl->m->spec.sets[set];
	struct played_set *out = &pl->p->sets[set];
	u64 late = GUEST_LATENESS;

	if (t->wakeup_latency.nr) /* the program counts from when it was due */
		t->wakeup_latency.v[0] += stage_begins_late(pl->m, pl->opt, set, thread);
	out->cpu += t->runtime;
	out->migrations += t->migrations;
	samples_add(&out->thread_cpu, t->runtime);
	if (stage_loops(pl->m, set, thread) && t->loops > stage_loops(pl->m, set, thread)) /* its end is not in its own figure */
		out->cpu -= min_u64(out->cpu, stage_leave(pl->m, set));
	out->loops += t->loops;
	if (s->kind == WL_SLEEP)
		read_closed_loop(out, t, late);
	else if (s->kind != WL_HOG && s->kind != WL_CHOG)
		read_open_loop(out, t, s->sleep, late);
}

static int read_threads(struct player *pl)
{
	struct result *res = machine_result(pl->machine);

	if (!res) {
		err_set(pl->err, ERR_HOST, "out of memory");
		return -1;
	}
	for (u32 i = 0; i < pl->p->nr_sets; i++)
		for (u32 k = 0; k < pl->m->spec.sets[i].count; k++) {
			u32 task = stage_task(pl->m, pl->opt, i, k), instance = stage_instance(pl->m, pl->opt, i, k);

			if (task < res->nr_tasks && instance < res->tasks[task].count && res->tasks[task].threads)
				read_thread(pl, i, k, &res->tasks[task].threads[instance]);
		}
	result_free(res);
	return 0;
}

/* Walks over the queues are done by then, and no tick has come. */
static int run_window(struct player *pl)
{
	u64 end = stage_window_end(pl->m), walk = pl->m->guest->walk * wl_busy_cpus(&pl->m->spec, pl->m->vcpus);

	if (machine_run_until(pl->machine, stage_window_start(pl->m), pl->err) || read_start(pl))
		return -1;
	if (machine_run_until(pl->machine, end, pl->err) || read_counts(pl, true))
		return -1;
	if (machine_run_until(pl->machine, end + 1, pl->err) || read_usage(pl) || read_threads(pl))
		return -1;
	if (machine_run_until(pl->machine, end + READ_LATE + pl->m->spec.nr_groups * 10 * US + walk, pl->err))
		return -1;
	return read_counts(pl, false);
}

static int tick_first(void *ctx, u64 now) { return stage_tick_first(ctx, now); }

int play_case(struct played *p, const struct measured *m, const struct stage_options *opt, struct err *err)
{
	struct staged staged = { m, opt };
	struct machine_options mo = { .want_threads = true, .tick_first = tick_first, .timers_apart = stage_timers_apart(m, opt), .ctx = &staged,
				      .turn = stage_turn(m, opt), .turn_seed = opt->past, .look = stage_look(m) };
	struct player pl = { .p = p, .m = m, .opt = opt, .err = err };
	struct scenario sc;
	int ret = -1;

	if (played_init(p, m)) {
		err_set(err, ERR_HOST, "out of memory");
		return -1;
	}
	if (stage_case(&sc, m, opt, err))
		goto free_scenario;
	pl.start = calloc(p->nr_groups + 1, sizeof(*pl.start));
	pl.machine = pl.start ? machine_create(&sc, &mo, err) : NULL;
	if (!pl.machine)
		goto free_start;
	ret = run_window(&pl);
	machine_destroy(pl.machine);
free_start:
	free(pl.start);
free_scenario:
	scenario_free(&sc);
	return ret;
}

/* As the model's threads measure it: what a wakeup costs by itself, and what the other CPUs' turns add to it. */
static u64 played_wake(const struct measured *m, const struct played *p)
{
	u64 sum = 0, loops = 0;

	for (u32 i = 0; i < p->nr_sets; i++)
		stage_add_wakes(m, i, p->sets[i].cpu, p->sets[i].loops, &sum, &loops);
	return loops ? sum / loops : 0;
}

#define WAKE_TRIES 3

/* The next guess; all of what was measured at most. */
static u64 next_wake(u64 wake, u64 real, u64 model) { return model ? min_u64(wake * real / model, real) : wake; }

int play_wake(u64 *wake, const struct measured *m, const struct stage_options *opt, struct err *err)
{
	u64 real = stage_wake(m);
	int ret = 0;

	*wake = real;
	if (!real || !stage_turn(m, opt))
		return 0;
	*wake = min_u64(real, guest_wake(m->guest, m->spec.trace));
	for (u32 i = 0; i < WAKE_TRIES && !ret; i++) {
		struct stage_options now = *opt;
		struct played p = { 0 };

		now.wake = *wake;
		ret = play_case(&p, m, &now, err);
		if (!ret)
			*wake = next_wake(*wake, real, played_wake(m, &p));
		played_free(&p);
	}
	return ret;
}
