/* SPDX-License-Identifier: MIT */
/*
 * watch.c - one run of a scenario, watched event by event.
 *
 * Law: the periods of a group that are marked throttled add up to its nr_throttled in the same window.
 */
#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>

#define CLOCK_BASE (1000 * SEC) /* told to the machine, so that events can be counted from the scenario's start */
#define NO_GROUP (-1)
#define UNSEEN (50 * US)

/* ---- who is who ---- */

static bool is_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	return !strncmp(path, above, len) && path[len] == '/';
}

/* The nearest group above @path that the scenario has. */
static s32 parent_of(const struct scenario *sc, const char *path)
{
	s32 best = NO_GROUP;
	size_t longest = 0;

	for (u32 i = 0; i < sc->nr_groups; i++) {
		size_t len = strlen(sc->groups[i].path);

		if (len > 1 && len > longest && is_below(path, sc->groups[i].path)) {
			longest = len;
			best = (s32)i;
		}
	}
	return best;
}

static bool number_groups(struct watch *w, struct machine *m)
{
	u32 most = 0;

	for (u32 i = 0; i < w->nr_groups; i++) {
		struct task_group *tg = machine_group(m, w->sc->groups[i].path);
		u32 id = tg ? lab_group_id(tg) : 0;

		most = id > most ? id : most;
	}
	w->nr_ids = most + 1;
	w->of_id = malloc(w->nr_ids * sizeof(*w->of_id));
	for (u32 i = 0; w->of_id && i < w->nr_ids; i++)
		w->of_id[i] = NO_GROUP;
	for (u32 i = 0; w->of_id && i < w->nr_groups; i++) {
		struct task_group *tg = machine_group(m, w->sc->groups[i].path);

		if (tg && lab_group_id(tg))
			w->of_id[lab_group_id(tg)] = (s32)i;
	}
	return w->of_id;
}

/* Threads are numbered from 1 in the order of the scenario; those that are forked later come behind them. */
static bool number_tasks(struct watch *w)
{
	u32 id = 1;

	for (u32 i = 0; i < w->sc->nr_tasks; i++)
		w->nr_task_ids += w->sc->tasks[i].instances;
	w->task_of_id = calloc(++w->nr_task_ids, sizeof(*w->task_of_id));
	for (u32 i = 0; w->task_of_id && i < w->sc->nr_tasks; i++)
		for (u32 k = 0; k < w->sc->tasks[i].instances; k++)
			w->task_of_id[id++] = i;
	return w->task_of_id;
}

static bool begin_groups(struct watch *w)
{
	w->nr_groups = w->sc->nr_groups;
	w->groups = calloc(w->nr_groups + 1, sizeof(*w->groups));
	w->cpus = calloc((size_t)w->sc->machine.cpus, sizeof(*w->cpus));
	w->cpu_before = calloc((size_t)w->nr_groups * w->nr_groups + 1, sizeof(*w->cpu_before));
	if (!w->groups || !w->cpus || !w->cpu_before)
		return false;
	for (int cpu = 0; cpu < w->sc->machine.cpus; cpu++)
		w->cpus[cpu].group = NO_GROUP;
	for (u32 i = 0; i < w->nr_groups; i++) {
		struct watch_group *g = &w->groups[i];

		g->path = w->sc->groups[i].path;
		g->parent = parent_of(w->sc, g->path);
		g->worst.number = UINT32_MAX;
		g->worst.spent = calloc(w->sc->nr_tasks + 1, sizeof(u64));
		g->now.spent = calloc(w->sc->nr_tasks + 1, sizeof(u64));
		if (!g->worst.spent || !g->now.spent)
			return false;
	}
	return true;
}

/* ---- stretches of the period that is on ---- */

/* Running freely, throttled on some CPUs, throttled and at rest. */
static int kind_now(u32 stopped, u32 running) { return !stopped ? 0 : running ? 1 : 2; }

/*
 * The time since g->last belongs to the last stretch where it is of the same kind; and where that one was too short to be seen
 * (queues are released one after the other), which then becomes what follows it.
 */
static void stretch_ends(struct watch_group *g, u64 now)
{
	struct watch_worst *p = &g->now;
	struct watch_stretch *s;
	int kind = kind_now(g->stopped, g->running);

	if (now == g->last)
		return;
	s = p->nr_stretches ? &p->stretches[p->nr_stretches - 1] : NULL;
	if (s && s->kind != kind && s->end - s->start < UNSEEN) {
		s->kind = kind;
		s->stopped = s->most_cpus = 0;
		if (p->nr_stretches > 1 && s[-1].kind == kind) {
			s[-1].end = s->end;
			s[-1].cpu += s->cpu;
			p->nr_stretches--;
			s--;
		}
	}
	if (!s || s->kind != kind) {
		if (p->nr_stretches == WATCH_STRETCHES) {
			p->nr_left_out++;
			return;
		}
		s = &p->stretches[p->nr_stretches++];
		*s = (struct watch_stretch){ .start = g->last, .kind = kind };
	}
	s->end = now;
	s->cpu += (now - g->last) * g->running;
	s->stopped = g->stopped > s->stopped ? g->stopped : s->stopped;
	s->most_cpus = g->running > s->most_cpus ? g->running : s->most_cpus;
}

/* Bring the sums of @g up to @now, before its counts change. */
static void settle(struct watch_group *g, u64 now)
{
	u64 len = now - g->last;

	stretch_ends(g, now);
	g->cpu += len * g->running;
	g->now.period.cpu += len * g->running;
	g->now.period.stopped += len * g->stopped;
	if (len && g->running > g->now.period.most_cpus)
		g->now.period.most_cpus = g->running;
	g->last = now;
}

static void spend(struct watch *w, struct watch_cpu *c, u64 now)
{
	u32 task = c->task < w->nr_task_ids ? w->task_of_id[c->task] : w->sc->nr_tasks;

	for (s32 i = c->group; i != NO_GROUP; i = w->groups[i].parent)
		w->groups[i].now.spent[task] += now - c->since;
	c->since = now;
}

static void spend_all(struct watch *w, u64 now)
{
	for (int cpu = 0; cpu < w->sc->machine.cpus; cpu++)
		if (w->cpus[cpu].group != NO_GROUP)
			spend(w, &w->cpus[cpu], now);
}

/* ---- the end of a period ---- */

static bool keep_period(struct watch_group *g)
{
	if (g->nr_periods == g->cap_periods) {
		u32 cap = g->cap_periods ? 2 * g->cap_periods : 64;
		struct watch_period *more = realloc(g->periods, cap * sizeof(*more));

		if (!more)
			return false;
		g->periods = more;
		g->cap_periods = cap;
	}
	g->periods[g->nr_periods++] = g->now.period;
	return true;
}

/* The first period of a window has no record that can be relied on (watch_record()): any later one is told of rather than it. */
static bool has_record(const struct watch_worst *w) { return w->number && w->number != UINT32_MAX; }

static void keep_if_worst(struct watch *w, struct watch_group *g)
{
	u64 *spent = g->worst.spent;

	if (!g->now.period.throttled || (has_record(&g->worst) && g->now.period.stopped <= g->worst.period.stopped))
		return;
	memcpy(spent, g->now.spent, (w->sc->nr_tasks + 1) * sizeof(*spent));
	g->worst = g->now;
	g->worst.spent = spent;
	g->worst.number = g->nr_periods - 1;
}

static void begin_period(struct watch *w, struct watch_group *g, u64 now)
{
	u64 *spent = g->now.spent;

	memset(spent, 0, (w->sc->nr_tasks + 1) * sizeof(*spent));
	g->now = (struct watch_worst){ .spent = spent, .period.start = now };
}

/* Groups below @above had a part in the period that ends: its throttling is theirs. */
static void blame_above(struct watch *w, u32 above)
{
	const struct watch_period *p = &w->groups[above].now.period;
	u64 *before = &w->cpu_before[(size_t)above * w->nr_groups];

	for (u32 i = 0; i < w->nr_groups; i++) {
		struct watch_group *g = &w->groups[i];

		if (i == above || !is_below(g->path, w->groups[above].path))
			continue;
		settle(g, p->end);
		if (p->throttled && g->cpu > before[i]) {
			g->above_periods += p->nr;
			g->above_stopped += p->stopped;
		}
		before[i] = g->cpu;
	}
}

static void period_ended(struct watch *w, u32 i, const struct event *ev, u64 now)
{
	struct watch_group *g = &w->groups[i];

	settle(g, now);
	spend_all(w, now);
	g->now.period.end = now;
	g->now.period.nr = ev->arg > 0 ? (u32)ev->arg : 1;
	g->now.period.throttled = ev->other;
	blame_above(w, i);
	if (!keep_period(g))
		w->failed = true;
	keep_if_worst(w, g);
	begin_period(w, g, now);
}

/* ---- events ---- */

static s32 group_of(const struct watch *w, u32 id) { return id < w->nr_ids ? w->of_id[id] : NO_GROUP; }

static void count_running(struct watch *w, s32 group, int by, u64 now)
{
	for (s32 i = group; i != NO_GROUP; i = w->groups[i].parent) {
		settle(&w->groups[i], now);
		w->groups[i].running += (u32)by;
	}
}

static void switched(struct watch *w, const struct event *ev, u64 now)
{
	struct watch_cpu *c = &w->cpus[ev->cpu];
	s32 next = ev->task ? group_of(w, ev->group) : NO_GROUP;

	if (c->group != NO_GROUP)
		spend(w, c, now);
	if (c->group != next) {
		count_running(w, c->group, -1, now);
		count_running(w, next, 1, now);
	}
	*c = (struct watch_cpu){ .group = next, .task = ev->task, .since = now };
}

/* The measured window opens: what was counted before it is dropped. */
static void forget(struct watch *w, u64 now)
{
	spend_all(w, now);
	for (u32 i = 0; i < w->nr_groups; i++) {
		struct watch_group *g = &w->groups[i];

		settle(g, now);
		begin_period(w, g, now);
		g->nr_periods = g->above_periods = 0;
		g->above_stopped = 0;
		g->worst.number = UINT32_MAX;
	}
}

static void take_event(void *ctx, const struct event *ev)
{
	struct watch *w = ctx;
	u64 now = ev->time > CLOCK_BASE ? ev->time - CLOCK_BASE : 0;
	s32 i;

	if (!w->of_id)
		return;
	switch (ev->type) {
	case EVENT_SCHED_SWITCH:
		switched(w, ev, now);
		break;
	case EVENT_BW_PERIOD:
	case EVENT_BW_THROTTLE:
	case EVENT_BW_UNTHROTTLE:
		i = group_of(w, ev->group);
		if (i == NO_GROUP)
			break;
		if (ev->type == EVENT_BW_PERIOD) {
			period_ended(w, (u32)i, ev, now);
			break;
		}
		settle(&w->groups[i], now);
		if (ev->type == EVENT_BW_THROTTLE)
			w->groups[i].stopped++;
		else if (w->groups[i].stopped)
			w->groups[i].stopped--;
		break;
	}
}

/* ---- the run ---- */

static int run(struct watch *w, struct machine *m, struct err *err)
{
	u64 end = min_u64(w->sc->duration, w->sc->measure_to);

	if (w->sc->measure_from) {
		if (machine_run_until(m, w->sc->measure_from, err))
			return -1;
		forget(w, w->sc->measure_from);
	}
	if (machine_run_until(m, end, err))
		return -1;
	w->result = machine_result(m);
	return w->result && !w->failed ? 0 : err_set(err, ERR_HOST, "out of memory for the result");
}

int watch_run(struct watch *w, const struct scenario *sc, const struct machine_options *opt, struct err *err)
{
	struct machine_options mine = *opt;
	struct machine *m;
	int ret;

	memset(w, 0, sizeof(*w));
	w->sc = sc;
	mine.want_periods = true;
	mine.clock_base = CLOCK_BASE;
	mine.on_event = take_event;
	mine.ctx = w;
	if (!begin_groups(w) || !number_tasks(w))
		return err_set(err, ERR_HOST, "out of memory");
	m = machine_create(sc, &mine, err);
	if (!m)
		return -1;
	ret = number_groups(w, m) ? run(w, m, err) : err_set(err, ERR_HOST, "out of memory");
	machine_destroy(m);
	return ret;
}

void watch_fini(struct watch *w)
{
	for (u32 i = 0; w->groups && i < w->nr_groups; i++) {
		free(w->groups[i].periods);
		free(w->groups[i].worst.spent);
		free(w->groups[i].now.spent);
	}
	free(w->groups);
	free(w->cpus);
	free(w->cpu_before);
	free(w->of_id);
	free(w->task_of_id);
	result_free(w->result);
	memset(w, 0, sizeof(*w));
}

/* Of a window's first period the record may say less than the kernel would: it began before, or the pool was not refilled for it. */
const struct period_record *watch_record(const struct watch *w, const struct watch_group *g, u32 k)
{
	for (u32 i = 0; i < w->result->nr_groups; i++) {
		const struct group_result *r = &w->result->groups[i];

		if (!strcmp(r->path, g->path))
			return k && k < r->nr_periods ? &r->periods[k] : NULL;
	}
	return NULL;
}
