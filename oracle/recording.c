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

#include "sim/machine.h"
#include "trace/read.h"
#include "text/memory.h"

#define CHUNK 65536
#define NOBODY UINT32_MAX /* a task that is no thread of the case */
#define CLOCK_BASE (100 * SEC)
#define SLACK (5 * MS)	      /* the slack timer's time */
#define SLACK_LASTS (60 * US) /* from its expiry to the last switch that it causes */
#define TICK_LASTS (100 * US) /* so long behind a tick the last CPU has handled it */

/* ---- who is who ---- */

struct cast { /* trace task -> who, and what it did last */
	u32 *who;
	u32 *group;	/* of the spec, per who */
	bool *woken;	/* per who: since it left the CPU */
	u64 *slept;	/* per who: when it went to sleep for the last time, 0: not yet */
	u32 nr_who;
	u32 *other;	/* per CPU: the trace's task that runs there and is no thread of the case; 0: none */
	u64 *since;	/* per CPU: since when */
	u64 *woken_at;	/* per trace task that is no thread: when it was woken, 0 after it ran */
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
	c->slept = calloc(c->nr_who + 1, sizeof(*c->slept));
	c->woken = calloc(c->nr_who + 1, sizeof(*c->woken));
	c->other = calloc(m->vcpus, sizeof(*c->other));
	c->since = calloc(m->vcpus, sizeof(*c->since));
	c->woken_at = calloc(tr->nr_tasks + 1, sizeof(*c->woken_at));
	if (!c->who || !c->group || !c->woken || !c->slept || !c->other || !c->since || !c->woken_at)
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
	free(c->slept);
	free(c->other);
	free(c->since);
	free(c->woken_at);
}

/* ---- the recording's side ---- */

static int add_release(struct recording *r, const struct measured *m, u32 group, u64 time)
{
	for (u32 g = 0; g < r->nr_groups; g++) {
		u64 *list;

		if (!wl_group_is_inside(&m->spec, group, g))
			continue;
		list = list_grown(r->releases[g], r->nr_releases[g], &r->cap_releases[g], sizeof(*list));
		if (!list)
			return -1;
		r->releases[g] = list;
		list[r->nr_releases[g]++] = time;
	}
	return 0;
}

/*
 * The slack timer lets go what the period's has not: 5 ms behind a return, which is a thread of the group that went to sleep.  Such a release
 * tells nothing of the period.
 */
static bool by_slack_timer(const struct cast *c, u32 group, u64 time)
{
	for (u32 who = 1; who <= c->nr_who; who++)
		if (c->group[who] == group && c->slept[who] && time - c->slept[who] >= SLACK && time - c->slept[who] < SLACK + SLACK_LASTS)
			return true;
	return false;
}

static u32 runs_now(const struct recording *r, u32 cpu)
{
	const struct switch_list *l = &r->log.cpu[cpu];

	return l->nr ? l->v[l->nr - 1].who : WHO_IDLE;
}

/* Who, of the case, the trace's @task is; NOBODY. */
static u32 who_of(const struct cast *c, const struct trace *tr, u32 task) { return task < tr->nr_tasks ? c->who[task] : NOBODY; }

static bool is_thread(u32 who) { return who != NOBODY && who != WHO_IDLE; }

/* ---- others ---- */

/* Who had @cpu and is no thread of the case has left it at @time. */
static int other_left(struct recording *r, const struct measured *m, struct cast *c, u32 cpu, u64 time)
{
	u32 task = c->other[cpu];
	u64 woken = c->woken_at[task] ? c->woken_at[task] : c->since[cpu];
	struct other_run *list = list_grown(r->others, r->nr_others, &r->cap_others, sizeof(*list));

	if (!list)
		return -1;
	r->others = list;
	list[r->nr_others++] = (struct other_run){ .cpu = cpu, .at = (s64)(woken - m->t0), .ns = time - c->since[cpu] };
	c->woken_at[task] = 0;
	return 0;
}

static int take_other(struct recording *r, const struct measured *m, struct cast *c, const struct trace *tr, u64 i)
{
	u32 task = tr->task[i], cpu = tr->cpu[i];
	bool other = task < tr->nr_tasks && c->who[task] == NOBODY;

	if (tr->type[i] == EVENT_SCHED_WAKEUP && other)
		c->woken_at[task] = tr->time[i];
	if (tr->type[i] != EVENT_SCHED_SWITCH)
		return 0;
	if (c->other[cpu] && other_left(r, m, c, cpu, tr->time[i]))
		return -1;
	c->other[cpu] = other ? task : 0;
	c->since[cpu] = tr->time[i];
	return 0;
}

/* ---- turns that end with a tick ---- */

/* @who runs on @cpu again: its turn has not ended with this tick, a kernel thread was in between. */
static void take_back_end(struct recording *r, u64 tick, u32 cpu, u32 who)
{
	for (u32 i = r->nr_ends; i-- && r->ends[i].tick == tick;)
		if (r->ends[i].cpu == cpu && r->ends[i].who == who) {
			memmove(&r->ends[i], &r->ends[i + 1], (--r->nr_ends - i) * sizeof(*r->ends));
			return;
		}
}

static bool could_go_on(u8 flags)
{
	return (flags & TRACE_LEFT_MASK) == TRACE_LEFT_RUNNABLE || (flags & TRACE_LEFT_MASK) == TRACE_LEFT_PREEMPTED;
}

/* Is switch @i right behind a tick, from a thread that could have gone on?  Its turn ends with that tick, unless it is soon back. */
static int take_tick_end(struct recording *r, const struct measured *m, const struct cast *c, const struct trace *tr, u64 i)
{
	u64 late = tr->time[i] % (SEC / m->hz), tick = tr->time[i] - late - m->t0;
	u32 prev = who_of(c, tr, tr->other[i]), next = who_of(c, tr, tr->task[i]);
	struct tick_end *list;

	if (late > TICK_LASTS || tr->time[i] - late < m->t0)
		return 0;
	if (is_thread(next))
		take_back_end(r, tick, tr->cpu[i], next);
	if (!is_thread(prev) || !could_go_on(tr->flags[i]))
		return 0;
	list = list_grown(r->ends, r->nr_ends, &r->cap_ends, sizeof(*list));
	if (!list)
		return -1;
	r->ends = list;
	list[r->nr_ends++] = (struct tick_end){ .tick = tick, .cpu = tr->cpu[i], .who = prev, .late = (u32)late };
	return 0;
}

/* ---- threads of the case ---- */

/* @t leaves the CPU at @time; asleep, its stint is over. */
static int take_leaving(struct thread_record *t, u64 time, bool asleep)
{
	u64 *list;

	if (t->since != NEVER)
		t->on_cpu += time - t->since;
	t->since = NEVER;
	if (!asleep)
		return 0;
	list = list_grown(t->stints, t->nr_stints, &t->cap_stints, sizeof(*list));
	if (!list)
		return -1;
	t->stints = list;
	list[t->nr_stints++] = t->on_cpu;
	t->on_cpu = 0;
	return 0;
}

static int take_switch(struct recording *r, const struct measured *m, struct cast *c, const struct trace *tr, u64 i)
{
	u32 who = who_of(c, tr, tr->task[i]), cpu = tr->cpu[i], prev = who_of(c, tr, tr->other[i]);
	bool asleep = (tr->flags[i] & TRACE_LEFT_MASK) == TRACE_LEFT_SLEEP;

	if (take_tick_end(r, m, c, tr, i))
		return -1;
	if (is_thread(prev) && take_leaving(&r->threads[prev - 1], tr->time[i], asleep))
		return -1;
	if (is_thread(prev) && asleep)
		c->slept[prev] = tr->time[i];
	if (who == NOBODY)
		return 0; /* looked through: who it interrupts goes on */
	if (is_thread(who)) {
		struct thread_record *t = &r->threads[who - 1];

		if (!c->woken[who] && runs_now(r, cpu) == WHO_IDLE && !by_slack_timer(c, c->group[who], tr->time[i]) &&
		    add_release(r, m, c->group[who], tr->time[i]))
			return -1;
		c->woken[who] = false;
		t->since = tr->time[i];
		t->ran = min_u64(t->ran, tr->time[i] - m->t0);
		if (t->cpu != (s32)cpu)
			t->cpu = t->cpu == CPU_NONE ? (s32)cpu : CPU_SEVERAL;
	}
	return switch_log_add(&r->log, cpu, (s64)(tr->time[i] - m->t0), who);
}

/* Before the window: it still looks whether it may begin. */
static void take_look(const struct measured *m, struct thread_record *t, const struct trace *tr, u64 i)
{
	t->last = m->t0 - tr->time[i];
	t->pid = tr->tasks[tr->task[i]].pid;
}

static int take_record(struct recording *r, const struct measured *m, struct cast *c, const struct trace *tr, u64 i)
{
	u32 who = who_of(c, tr, tr->task[i]);
	bool before = tr->time[i] < m->t0;

	if (tr->cpu[i] >= r->log.nr_cpus)
		return 0;
	if (take_other(r, m, c, tr, i))
		return -1;
	if (tr->type[i] == EVENT_SCHED_WAKING && is_thread(who) && before)
		take_look(m, &r->threads[who - 1], tr, i);
	else if (tr->type[i] == EVENT_SCHED_WAKING && is_thread(who))
		c->woken[who] = true;
	else if (tr->type[i] == EVENT_SCHED_WAKEUP && is_thread(who) && !before)
		r->threads[who - 1].start = min_u64(r->threads[who - 1].start, tr->time[i] - m->t0);
	return tr->type[i] == EVENT_SCHED_SWITCH && !before ? take_switch(r, m, c, tr, i) : 0;
}

static int take_records(struct recording *r, const struct measured *m, struct cast *c, const struct trace *tr)
{
	u64 end = m->t0 + m->spec.window;

	for (u64 i = 0; i < tr->nr && tr->time[i] < end; i++)
		if (take_record(r, m, c, tr, i))
			return -1;
	return 0;
}

/* ---- the file ---- */

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
	r->threads = malloc((r->nr_threads + 1) * sizeof(*r->threads));
	for (u32 i = 0; r->threads && i < r->nr_threads; i++)
		r->threads[i] = (struct thread_record){ .start = NEVER, .ran = NEVER, .cpu = CPU_NONE, .since = NEVER };
	r->releases = calloc(r->nr_groups, sizeof(*r->releases));
	r->nr_releases = calloc(r->nr_groups, sizeof(*r->nr_releases));
	r->cap_releases = calloc(r->nr_groups, sizeof(*r->cap_releases));
	return switch_log_init(&r->log, m->vcpus) || !r->threads || !r->releases || !r->nr_releases || !r->cap_releases ? -1 : 0;
}

void recording_free(struct recording *r)
{
	for (u32 g = 0; r->releases && g < r->nr_groups; g++)
		free(r->releases[g]);
	for (u32 i = 0; r->threads && i < r->nr_threads; i++)
		free(r->threads[i].stints);
	free(r->releases);
	free(r->nr_releases);
	free(r->cap_releases);
	free(r->threads);
	free(r->ends);
	free(r->others);
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
	struct staged staged;
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

static int tick_first(void *ctx, u64 now) { return stage_tick_first(&((struct listener *)ctx)->staged, now); }

int recording_play(struct switch_log *log, const struct measured *m, const struct stage_options *opt, struct err *err)
{
	struct listener l = { .staged = { m, opt }, .log = log, .nr_who = count_who(m), .start = (s64)(CLOCK_BASE + stage_window_start(m)), .window = m->spec.window };
	struct machine_options mo = { .on_event = on_event, .tick_first = tick_first, .ctx = &l, .clock_base = CLOCK_BASE,
				      .turn = stage_turn(m, opt), .turn_seed = opt->past, .look = stage_look(m), .timers_apart = stage_timers_apart(m, opt) };
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
