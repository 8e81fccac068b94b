/* SPDX-License-Identifier: MIT */
/*
 * recording.c - from a guest's recording, and from the model's events, to who ran where.
 *
 *	sched_waking s1.0 ... switch to s1.0		a wakeup
 *	switch h0.0 (R) -> idle ... switch to h0.0	a release: nobody woke it, so its throttle has ended
 *
 * Law: the threads of a case are numbered alike on both sides: through the sets of its spec, from 1.
 */
#include "oracle/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/model.h"
#include "sim/machine.h"
#include "trace/read.h"

#define CHUNK 65536
#define NOBODY UINT32_MAX /* a task that is no thread of the case */
#define CLOCK_BASE (100 * SEC)
#define ONE_INTERRUPT (20 * US)

/* ---- who is who ---- */

struct cast { /* trace task -> who, and what it did last */
	u32 *who;
	u32 *group;	/* of the spec, per who */
	bool *woken;	/* per who: since it left the CPU */
	u32 nr_who;
};

static u32 who_by_name(const struct measured *m, const char *name)
{
	char buf[32];
	u32 n = 1;

	for (u32 set = 0; set < m->spec.nr_sets; set++)
		for (u32 i = 0; i < m->spec.sets[set].count; i++, n++)
			if (!strcmp(name, stage_thread_name(m, set, i, buf, sizeof(buf))))
				return n;
	return NOBODY;
}

static u32 count_who(const struct measured *m)
{
	u32 n = 0;

	for (u32 i = 0; i < m->spec.nr_sets; i++)
		n += m->spec.sets[i].count;
	return n;
}

static int cast_init(struct cast *c, const struct measured *m, const struct trace *tr)
{
	u32 n = 1;

	c->nr_who = count_who(m);
	c->who = calloc(tr->nr_tasks + 1, sizeof(*c->who));
	c->group = calloc(c->nr_who + 1, sizeof(*c->group));
	c->woken = calloc(c->nr_who + 1, sizeof(*c->woken));
	if (!c->who || !c->group || !c->woken)
		return -1;
	for (u32 i = 1; i < tr->nr_tasks; i++)
		c->who[i] = who_by_name(m, tr->tasks[i].name);
	for (u32 set = 0; set < m->spec.nr_sets; set++)
		for (u32 i = 0; i < m->spec.sets[set].count; i++, n++)
			c->group[n] = m->spec.sets[set].group;
	return 0;
}

static void cast_free(struct cast *c)
{
	free(c->who);
	free(c->group);
	free(c->woken);
}

/* ---- the recording's side ---- */

/* Is group @below group @above or inside it? */
static bool is_inside(const struct wl_spec *spec, u32 below, u32 above)
{
	const char *a = spec->groups[above].path, *b = spec->groups[below].path;
	size_t n = strlen(a);

	return !strncmp(a, b, n) && (b[n] == '\0' || b[n] == '/');
}

static int add_release(struct recording *r, const struct measured *m, u32 group, u64 time)
{
	for (u32 g = 0; g < r->nr_groups; g++) {
		if (!is_inside(&m->spec, group, g))
			continue;
		if (r->nr_releases[g] == r->cap_releases[g]) {
			u32 cap = r->cap_releases[g] ? r->cap_releases[g] * 2 : 64;
			u64 *v = realloc(r->releases[g], cap * sizeof(*v));

			if (!v)
				return -1;
			r->releases[g] = v;
			r->cap_releases[g] = cap;
		}
		r->releases[g][r->nr_releases[g]++] = time;
	}
	return 0;
}

static u32 runs_now(const struct recording *r, u32 cpu)
{
	const struct switch_list *l = &r->log.cpu[cpu];

	return l->nr ? l->v[l->nr - 1].who : WHO_IDLE;
}

static int take_switch(struct recording *r, const struct measured *m, struct cast *c, const struct trace *tr, u64 i)
{
	u32 who = tr->task[i] < tr->nr_tasks ? c->who[tr->task[i]] : NOBODY, cpu = tr->cpu[i];

	if (who == NOBODY || cpu >= r->log.nr_cpus)
		return 0; /* looked through: who it interrupts goes on */
	if (who != WHO_IDLE) {
		if (!c->woken[who] && runs_now(r, cpu) == WHO_IDLE && add_release(r, m, c->group[who], tr->time[i]))
			return -1;
		c->woken[who] = false;
	}
	return switch_log_add(&r->log, cpu, (s64)(tr->time[i] - m->t0), who);
}

static int take_records(struct recording *r, const struct measured *m, struct cast *c, const struct trace *tr)
{
	u64 from = trace_find(tr, m->t0), end = m->t0 + m->spec.window;

	for (u64 i = from; i < tr->nr && tr->time[i] < end; i++) {
		u32 who = tr->task[i] < tr->nr_tasks ? c->who[tr->task[i]] : NOBODY;

		if (tr->type[i] == EVENT_SCHED_WAKING && who != NOBODY && who != WHO_IDLE) {
			c->woken[who] = true;
			r->start[who - 1] = min_u64(r->start[who - 1], tr->time[i] - m->t0);
		}
		if (tr->type[i] == EVENT_SCHED_SWITCH && take_switch(r, m, c, tr, i))
			return -1;
	}
	return 0;
}

static int read_text(struct trace *tr, const char *path, struct err *err)
{
	char *buf = malloc(CHUNK);
	gzFile f = buf ? gzopen(path, "rb") : NULL;
	struct trace_reader reader;
	int n = -1;

	if (f) {
		trace_reader_init(&reader, tr);
		while ((n = gzread(f, buf, CHUNK)) > 0)
			trace_reader_feed(&reader, buf, (size_t)n);
		trace_reader_end(&reader);
		gzclose(f);
	}
	free(buf);
	if (n < 0 || !tr->nr || tr->out_of_memory) {
		err_at(err, path, 0, 0, NULL, "expected a recording of scheduler events, cannot be read as one");
		return -1;
	}
	return 0;
}

static int recording_init(struct recording *r, const struct measured *m)
{
	*r = (struct recording){ .nr_groups = m->spec.nr_groups, .nr_threads = count_who(m) };
	r->start = malloc((r->nr_threads + 1) * sizeof(*r->start));
	for (u32 i = 0; r->start && i < r->nr_threads; i++)
		r->start[i] = NEVER;
	r->behind = calloc(r->nr_threads + 1, sizeof(*r->behind));
	r->releases = calloc(r->nr_groups, sizeof(*r->releases));
	r->nr_releases = calloc(r->nr_groups, sizeof(*r->nr_releases));
	r->cap_releases = calloc(r->nr_groups, sizeof(*r->cap_releases));
	if (switch_log_init(&r->log, m->vcpus) || !r->start || !r->behind || !r->releases || !r->nr_releases || !r->cap_releases)
		return -1;
	return 0;
}

void recording_free(struct recording *r)
{
	for (u32 g = 0; r->releases && g < r->nr_groups; g++)
		free(r->releases[g]);
	free(r->releases);
	free(r->nr_releases);
	free(r->cap_releases);
	free(r->start);
	free(r->behind);
	switch_log_free(&r->log);
}

int recording_read(struct recording *r, const struct measured *m, const char *traces, struct err *err)
{
	char path[4096];
	struct cast cast = { 0 };
	struct trace tr;
	int ret = -1;

	if (recording_init(r, m)) {
		err_set(err, ERR_HOST, "out of memory");
		return -1;
	}
	snprintf(path, sizeof(path), "%s/%s", traces, m->trace);
	trace_init(&tr);
	if (!read_text(&tr, path, err)) {
		ret = cast_init(&cast, m, &tr) || take_records(r, m, &cast, &tr) ? -1 : 0;
		if (ret)
			err_set(err, ERR_HOST, "out of memory");
		cast_free(&cast);
	}
	trace_fini(&tr);
	return ret;
}

/* ---- the model's side ---- */

struct listener {
	struct switch_log *log;
	u32 nr_who;  /* tasks beyond are the measuring program's own doings: looked through */
	s64 start;   /* of the window, on the lab's clock */
	u64 window;
	bool failed; /* memory is out */
};

/* Threads are forked in the order of the scenario's tasks, which is that of the sets: a task's id is its number here. */
static void on_event(void *ctx, const struct event *ev)
{
	struct listener *l = ctx;
	s64 time = (s64)ev->time - l->start;

	if (ev->type == EVENT_SCHED_SWITCH && time >= 0 && (u64)time < l->window && ev->task <= l->nr_who &&
	    switch_log_add(l->log, ev->cpu, time, ev->task))
		l->failed = true;
}

int recording_play(struct switch_log *log, const struct measured *m, const struct stage_options *opt, struct err *err)
{
	struct listener l = { .log = log, .nr_who = count_who(m), .start = (s64)(CLOCK_BASE + stage_window_start(m)), .window = m->spec.window };
	struct machine_options mo = { .on_event = on_event, .ctx = &l, .clock_base = CLOCK_BASE };
	struct scenario sc;
	struct machine *machine;
	int ret = -1;

	if (switch_log_init(log, m->vcpus)) {
		err_set(err, ERR_HOST, "out of memory");
		return -1;
	}
	if (!stage_case(&sc, m, opt, err)) {
		machine = machine_create(&sc, &mo, err);
		if (machine) {
			ret = machine_run_until(machine, stage_window_end(m), err);
			machine_destroy(machine);
		}
	}
	scenario_free(&sc);
	if (!ret && l.failed) {
		err_set(err, ERR_HOST, "out of memory");
		return -1;
	}
	return ret;
}

/* ---- the phase of the periods ---- */

#define RELEASE_LAG (5 * US) /* boundary to the first switch to a released thread */
#define CLUSTER (60 * US)    /* releases of one boundary lie within */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

u64 phase_of_releases(const u64 *releases, u32 nr, u64 period)
{
	u64 *v = malloc((2 * (size_t)nr + 1) * sizeof(*v)), best = NEVER;
	u32 most = 0;

	if (!v || !nr || !period) {
		free(v);
		return NEVER;
	}
	for (u32 i = 0; i < nr; i++)
		v[i] = releases[i] % period;
	qsort(v, nr, sizeof(*v), by_value);
	for (u32 i = 0; i < nr; i++)
		v[nr + i] = v[i] + period; /* a cluster may lie across the end */
	for (u32 i = 0, k = 0; i < nr; i++) {
		while (k < 2 * nr && v[k] < v[i] + CLUSTER)
			k++;
		if (k - i > most) {
			most = k - i;
			best = v[i];
		}
	}
	free(v);
	return (best + period - RELEASE_LAG) % period;
}

static u32 count_limits(const struct wl_spec *spec)
{
	u32 n = 0;

	for (u32 i = 0; i < spec->nr_groups; i++)
		n += spec->groups[i].limited;
	return n;
}

/* The CPU of thread number @thread of the case, or -1: free. */
static int cpu_of_thread(const struct measured *m, u32 thread)
{
	for (u32 set = 0; set < m->spec.nr_sets; thread -= m->spec.sets[set++].count) {
		const struct wl_set *s = &m->spec.sets[set];

		if (thread < s->count)
			return s->free ? -1 : s->cpu + (s->spread ? (int)thread : 0);
	}
	return -1;
}

/* When thread number @thread first ran on @cpu in the window; INT64_MAX: never. */
static s64 first_run(const struct recording *r, u32 thread, int cpu)
{
	const struct switch_list *l = &r->log.cpu[cpu];

	for (u32 i = 0; i < l->nr; i++)
		if (l->v[i].who == thread + 1)
			return l->v[i].time;
	return INT64_MAX;
}

/* Both are bound to the same CPU, and woken by one interrupt. */
static bool wake_together(const struct recording *r, const struct measured *m, u32 i, u32 k)
{
	int cpu = cpu_of_thread(m, i);
	u64 a = r->start[i], b = r->start[k];

	return cpu >= 0 && cpu == cpu_of_thread(m, k) && (a > b ? a - b : b - a) < ONE_INTERRUPT;
}

static bool picks_by_lag(const struct measured *m)
{
	struct kernel_model model;

	return !model_init(&model, m->guest->row) && model.rule[RULE_PICK];
}

/*
 * Threads of one CPU that are due together are all woken by one interrupt, before any of them runs.  Which one then runs first depends, from
 * 6.6 on, on what each was owed when it last slept, in the set-up: nobody knows, but the recording shows it.
 */
static void join_wakeups(struct recording *r, const struct measured *m)
{
	bool lag = picks_by_lag(m);

	for (u32 i = 0; i < r->nr_threads; i++) {
		u32 first = i;
		u64 start = r->start[i];

		for (u32 k = 0; k < r->nr_threads && start != NEVER; k++) {
			if (r->start[k] == NEVER || !wake_together(r, m, i, k))
				continue;
			start = min_u64(start, r->start[k]);
			if (first_run(r, k, cpu_of_thread(m, k)) < first_run(r, first, cpu_of_thread(m, k)))
				first = k;
		}
		r->start[i] = start;
		r->behind[i] = lag && first != i;
	}
}

/*
 * The emulator serves its CPUs in turn, so threads that are due at one moment begin some 15 us apart, from whichever CPU had its
 * turn: the model is told when each began.  Where the recording does not show one of them, all begin when they are due.
 */
static const u64 *find_starts(const struct recording *r)
{
	for (u32 i = 0; i < r->nr_threads; i++)
		if (r->start[i] == NEVER)
			return NULL;
	return r->start;
}

#define ENOUGH_RELEASES 3
#define BOUNDARY_LASTS (100 * US) /* within it all that it releases runs */

/* Does @time lie just behind a boundary of a group around @group? */
static bool released_from_above(const struct measured *m, const u64 *phase, u32 group, u64 time)
{
	for (u32 g = 0; g < group; g++)
		if (m->spec.groups[g].limited && phase[g] != NEVER && is_inside(&m->spec, group, g) &&
		    (time + m->spec.groups[g].period - phase[g]) % m->spec.groups[g].period < BOUNDARY_LASTS)
			return true;
	return false;
}

/* Where the guest watched a counter for it: up to that far from where it found the phase of @group it may really be. */
#define WATCHED_WITHIN (1500 * US)

static bool near_watched(const struct measured *m, u32 group, u64 time)
{
	u64 period = m->spec.groups[group].period, off = (time + period - m->phase[group] % period) % period;

	return m->phase[group] != NEVER && (off < WATCHED_WITHIN || off > period - WATCHED_WITHIN);
}

/* Only the releases near the watched phase, if there are any: the others are the slack timer's. */
static u32 keep_near(const struct measured *m, u32 group, u64 *releases, u32 nr)
{
	u32 near = 0;

	for (u32 i = 0; i < nr; i++)
		if (near_watched(m, group, releases[i]))
			releases[near++] = releases[i];
	return near ? near : nr;
}

/*
 * The phase of @group by the moments at which it was released, those of the groups around it left out; NEVER where there are too few.  (What
 * the guest watched was 29 ms off once: where no release is near it, most of them count.)
 */
static u64 phase_seen(const struct measured *m, const struct recording *r, const u64 *phase, u32 group)
{
	u64 *own = malloc((r->nr_releases[group] + 1) * sizeof(*own)), seen = NEVER;
	u32 nr = 0;

	for (u32 i = 0; own && i < r->nr_releases[group]; i++)
		if (!released_from_above(m, phase, group, r->releases[group][i]))
			own[nr++] = r->releases[group][i];
	if (own && (nr >= ENOUGH_RELEASES || count_limits(&m->spec) == 1))
		seen = phase_of_releases(own, keep_near(m, group, own, nr), m->spec.groups[group].period);
	free(own);
	return seen;
}

/* Outer groups come first in a spec. */
static void find_phases(const struct measured *m, const struct recording *r, u64 *phase)
{
	for (u32 g = 0; g < m->spec.nr_groups; g++) {
		u64 seen = NEVER;

		if (m->guest->phase_random && m->spec.groups[g].limited)
			seen = phase_seen(m, r, phase, g);
		phase[g] = seen != NEVER ? seen : m->phase[g];
	}
}

void recording_start(struct recording *r, const struct measured *m, struct stage_options *opt, u64 *phase)
{
	find_phases(m, r, phase);
	join_wakeups(r, m);
	opt->phase = phase;
	opt->start = find_starts(r);
	opt->behind = r->behind;
}

/* Compare one past; the better of it and what stands in @best stays. */
static int align_past(struct oracle_alignment *best, const struct measured *m, const struct stage_options *opt,
		      const struct switch_log *real, struct arena *mem, struct err *err)
{
	struct oracle_alignment now = { .trace = m->trace };
	struct switch_log model = { 0 };
	int ret = recording_play(&model, m, opt, err);

	if (!ret && (switch_log_rename(&model, m) || align_logs(&now, m, &model, real, mem))) {
		err_set(err, ERR_HOST, "out of memory");
		ret = -1;
	}
	switch_log_free(&model);
	if (!ret && (!opt->past || now.matched + now.near > best->matched + best->near))
		*best = now;
	return ret;
}

int align_case(struct oracle_alignment *a, const struct measured *m, const char *traces, struct arena *mem, struct err *err)
{
	struct stage_options opt = { 0 };
	struct recording real = { 0 };
	u64 *phase = arena_alloc(mem, m->spec.nr_groups * sizeof(*phase));
	int ret = -1;

	*a = (struct oracle_alignment){ 0 };
	if (!phase) {
		err_set(err, ERR_HOST, "out of memory");
		return -1;
	}
	if (!recording_read(&real, m, traces, err)) {
		recording_start(&real, m, &opt, phase);
		ret = switch_log_rename(&real.log, m);
		if (ret)
			err_set(err, ERR_HOST, "out of memory");
		for (; !ret && opt.past < STAGE_PASTS; opt.past++)
			ret = align_past(a, m, &opt, &real.log, mem, err);
		a->phase_known = m->guest->phase_random && phase[0] != NEVER;
		a->phase = phase[0];
	}
	recording_free(&real);
	return ret;
}
