/* SPDX-License-Identifier: MIT */
/*
 * explain_trace.c - why the group of a recording was throttled.
 *
 * Each period that ended throttled gets one cause, the first of the table that holds:
 *
 *	tick		the quota is no longer than a tick: it is found to be used up a tick too late
 *	stranded	the group used less than its quota, and had no debt: the rest lay on other CPUs
 *	debt		it used less than its quota because the period before had used more
 *	threads		several CPUs used the quota up together
 *	burst		over the whole recording it wants less than the limit, but not evenly
 *	own		it wants more than the limit
 */
#include "cli/explain_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/format.h"

#define KEPT (1 * MS) /* what an idle CPU keeps of its slice */
#define DEFAULT_TICK (4 * MS)
#define LITTLE_WAITING 100 /* of the recording: less than that part of it is no reason to act */

struct judge {
	const struct traced *t;
	const struct throttle_guess *g;
	u64 tick;
	u64 wanted; /* 1/1000 CPU; 0: without bound */
};

static u64 slack_of(const struct judge *j, const struct period_use *p) { return (p->cpus ? p->cpus : 1) * j->tick; }

static bool by_tick(const struct judge *j, u64 k)
{
	(void)k;
	return j->g->quota <= j->tick;
}

/* By how much the period before @k used more than its quota, beyond what could have been saved up. */
static u64 debt_before(const struct judge *j, u64 k)
{
	const struct period_use *before = k ? &j->g->periods[k - 1] : NULL;

	return before && before->used > j->g->quota ? before->used - j->g->quota : 0;
}

static bool is_short(const struct judge *j, u64 k)
{
	const struct period_use *p = &j->g->periods[k];

	return p->used + KEPT * (p->cpus ? p->cpus : 1) + j->g->quota / 20 < j->g->quota;
}

/* The first period is cut off by the beginning of the recording. */
static bool by_stranding(const struct judge *j, u64 k)
{
	const struct period_use *p = &j->g->periods[k];

	return k && is_short(j, k) && p->used + debt_before(j, k) + slack_of(j, p) < j->g->quota;
}

static bool by_debt(const struct judge *j, u64 k) { return is_short(j, k) && debt_before(j, k) > 0; }

static bool by_threads(const struct judge *j, u64 k) { return j->g->periods[k].cpus > 1; }

static bool by_burst(const struct judge *j, u64 k)
{
	(void)k;
	return j->wanted && j->wanted * j->g->period <= j->g->quota * 1000;
}

static bool by_itself(const struct judge *j, u64 k)
{
	(void)j;
	(void)k;
	return true;
}

static const struct {
	const char *cause;
	bool (*holds)(const struct judge *j, u64 k);
	const char *why;
} rows[] = {
	{ "tick", by_tick, "the quota is no longer than a tick, which finds it used up too late" },
	{ "stranded", by_stranding, "throttled before the quota was used: the rest lay on other CPUs, or had expired" },
	{ "debt", by_debt, "the period before ran over its quota, and this one paid for it" },
	{ "threads", by_threads, "several CPUs used the quota up together" },
	{ "burst", by_burst, "on the whole it wants less than the limit, but not evenly" },
	{ "own", by_itself, "it wants more than the limit gives" },
};

static void judge_periods(struct explained *e, const struct judge *j)
{
	struct cause_view found[ARRAY_SIZE(rows)] = { 0 };

	for (u64 k = 0; k < j->g->nr_periods; k++) {
		size_t i = 0;

		if (!j->g->periods[k].throttled)
			continue;
		while (!rows[i].holds(j, k))
			i++;
		found[i].periods++;
		found[i].time += j->g->periods[k].stopped;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!found[i].periods)
			continue;
		found[i].cause = rows[i].cause;
		found[i].why = rows[i].why;
		e->causes[e->nr_causes++] = found[i];
	}
	if (j->g->wait_time)
		e->causes[e->nr_causes++] = (struct cause_view){ "contention", "ready behind other work, not throttled: no limit changes that",
								 0, j->g->wait_time };
}

/*
 * What the group would use without a limit, in 1/1000 of a CPU: the time it was stopped, taken out of each thread's life, gives how
 * much sooner the same work would have been done.  0 where a thread is busy all along: it takes what it gets.
 */
static u64 wanted_by(const struct traced *t)
{
	u64 *stopped = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*stopped));
	double sum = 0;

	for (u64 k = 0; stopped && k < t->guess.nr_gaps; k++)
		if (t->guess.gaps[k].kind == GAP_THROTTLE)
			stopped[t->guess.gaps[k].task] += t->guess.gaps[k].boundary - t->guess.gaps[k].start;
	for (u32 i = 0; stopped && i < t->rec.sc.nr_tasks; i++) {
		const struct recovered_thread *th = &t->rec.threads[i];
		const struct trace_task *task = &t->tr.tasks[th->task];
		u64 life = task->last - task->first;

		if (th->busy_to_end || (th->throttled && !th->bursts)) {
			sum = 0;
			break;
		}
		if (life > stopped[th->task])
			sum += (double)th->cpu * 1000 / (double)(life - stopped[th->task]);
	}
	free(stopped);
	return (u64)(sum + 0.5);
}

/* ---- the worst burst, stretch by stretch ---- */

static const char *note(struct explained *e, const char *text)
{
	sentences_add(&e->notes, "%s", text);
	return e->notes.nr ? e->notes.v[e->notes.nr - 1] : "";
}

static void add_stretch(struct explained *e, const struct burst_view *w, u64 from, u64 to, const char *what, const char *why)
{
	struct worst_view *worst = &e->worst;

	if (to <= from)
		return;
	if (worst->nr_stretches == STRETCHES_MAX) {
		worst->nr_left_out++;
		return;
	}
	e->stretches[worst->nr_stretches++] = (struct stretch){ from - w->start, to - from, what, why };
}

/* The throttle that begins at @start, or NULL. */
static const struct gap *throttle_at(const struct throttle_guess *g, u32 task, u64 start)
{
	for (u64 i = 0; i < g->nr_gaps; i++)
		if (g->gaps[i].task == task && g->gaps[i].start == start && g->gaps[i].kind == GAP_THROTTLE)
			return &g->gaps[i];
	return NULL;
}

static void add_gap(struct explained *e, const struct traced *t, const struct span *s)
{
	const struct burst_view *w = &t->rec.worst;
	const struct gap *gap = throttle_at(&t->guess, w->task, s->start);
	const char *behind = w->behind < t->tr.nr_tasks ? t->tr.tasks[w->behind].name : NULL;
	u64 waits_from = gap ? gap->boundary : s->start;
	char text[160];

	if (gap) {
		snprintf(text, sizeof(text), "until the refill at %.4f s", (double)gap->boundary / (double)SEC);
		add_stretch(e, w, s->start, gap->boundary, "throttled", note(e, text));
	}
	snprintf(text, sizeof(text), "for a CPU, behind %s", behind ? behind : "others");
	add_stretch(e, w, waits_from, s->end, "waited", behind && s->end - waits_from >= w->waited / 2 ? note(e, text) : "for a CPU");
}

static void add_stretches(struct explained *e, const struct traced *t)
{
	const struct burst_view *w = &t->rec.worst;
	const struct span *s, *end;
	char text[64];

	timeline_task(&t->tl, w->task, &s, &end);
	for (; s < end && s->start < w->end; s++) {
		if (s->start < w->start)
			continue;
		snprintf(text, sizeof(text), "on CPU %u", s->cpu);
		if (s->state == SPAN_RUNNING)
			add_stretch(e, w, s->start, s->end, "ran", note(e, text));
		else if (s->state == SPAN_READY)
			add_gap(e, t, s);
	}
}

static void fill_worst(struct explained *e, const struct traced *t)
{
	const struct burst_view *w = &t->rec.worst;
	const struct throttle_guess *g = &t->guess;
	u64 most = 0;

	e->worst.stretches = e->stretches;
	for (u64 k = 0; k < g->nr_periods; k++) {
		if (g->periods[k].stopped <= most)
			continue;
		most = g->periods[k].stopped;
		e->worst.period_start = g->first + k * g->period - min_u64(g->first + k * g->period, t->rec.t0);
		e->worst.period_used = g->periods[k].used;
		e->worst.period_stopped = most;
		e->worst.period_cpus = g->periods[k].cpus;
	}
	if (!w->number)
		return;
	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++)
		if (t->rec.threads[i].task == w->task)
			e->worst.task = t->rec.sc.tasks[i].name;
	e->worst.number = w->number;
	e->worst.wall = w->end - w->start;
	e->worst.cpu = w->cpu;
	e->worst.throttled = w->throttled;
	e->worst.waited = w->waited;
	e->worst.began = w->start;
	add_stretches(e, t);
}

/* ---- sentences ---- */

static void say_demand(struct explained *e, const struct judge *j)
{
	const struct throttle_guess *g = j->g;
	u64 allowed;

	if (j->t->limit.quota == NEVER)
		return;
	allowed = g->period ? (g->quota * 1000 + g->period / 2) / g->period : 0;
	if (!j->wanted)
		sentences_add(&e->sentences, "The group takes all the CPU time it can get; its limit is %" PRIu64 "m.", allowed);
	else if (j->wanted > allowed)
		sentences_add(&e->sentences, "The group wants about %" PRIu64 "m and may use %" PRIu64 "m: it is throttled whatever its timing.",
			      j->wanted, allowed);
	else
		sentences_add(&e->sentences, "On the whole the group wants about %" PRIu64 "m of the %" PRIu64 "m it may use; it is throttled because "
			      "it wants them in bursts.", j->wanted, allowed);
}

static bool is_throttled(const void *ctx, u64 k) { return ((const struct throttle_guess *)ctx)->periods[k].throttled; }

static void say_periods(struct explained *e, const struct judge *j)
{
	char list[256];

	if (list_periods(list, sizeof(list), is_throttled, j->g, j->g->nr_periods))
		sentences_add(&e->sentences, "Throttled were the periods %s of %" PRIu64 ", counted from the one in which the recording begins.", list,
			      j->g->nr_periods);
}

static void say_gaps(struct explained *e, const struct traced *t)
{
	const struct throttle_guess *g = &t->guess;
	char throttled[FORMAT_MAX], waited[FORMAT_MAX], longest[FORMAT_MAX];

	if (!g->nr_waits && !g->nr_throttles) {
		sentences_add(&e->sentences, "It was never ready without running.");
		return;
	}
	if (!g->nr_throttles) {
		sentences_add(&e->sentences, "Not running though ready: %s, all of it behind other work (%" PRIu64 " wait%s, longest %s). %s",
			      format_time(waited, g->wait_time), g->nr_waits, g->nr_waits == 1 ? "" : "s", format_time(longest, g->longest_wait),
			      g->wait_time >= (trace_last(&t->tr) - trace_first(&t->tr)) / LITTLE_WAITING ?
			      "Raise its weight or add CPUs; a higher limit changes nothing." : "That is little; a higher limit changes nothing of it.");
		return;
	}
	sentences_add(&e->sentences, "Not running though ready: throttled %s in %" PRIu64 " gaps, behind other work %s (longest %s).",
		      format_time(throttled, g->throttled_time), g->nr_throttles, format_time(waited, g->wait_time),
		      format_time(longest, g->longest_wait));
	if (g->nr_throttled_idle)
		sentences_add(&e->sentences, "At %" PRIu64 " of these gaps the CPU went idle though the thread was ready: only a limit does that.",
			      g->nr_throttled_idle);
}

void explain_trace(struct explained *e, const struct traced *t)
{
	struct judge j = { .t = t, .g = &t->guess, .tick = t->ticks.hz ? SEC / t->ticks.hz : DEFAULT_TICK };

	memset(e, 0, sizeof(*e));
	j.wanted = e->wanted = wanted_by(t);
	judge_periods(e, &j);
	fill_worst(e, t);
	trace_period(&e->period, t);
	say_demand(e, &j);
	say_periods(e, &j);
	say_gaps(e, t);
	say_limits_of_trace(&e->sentences, t);
}

void explain_next(struct explained *e, const struct traced *t)
{
	if (t->guess.nr_throttles)
		sentences_add(&e->sentences, "Next: fairground advise %s finds the limit that ends it and what else would; replay tries one.", t->path);
	else if (t->guess.wait_time >= (trace_last(&t->tr) - trace_first(&t->tr)) / LITTLE_WAITING)
		sentences_add(&e->sentences, "Next: fairground replay %s --cpus %d shows what another CPU would do.", t->path, t->rec.sc.machine.cpus + 1);
	else
		sentences_add(&e->sentences, "Next: fairground doctor %s says which groups are in it; --group asks about another one.", t->path);
}

void explained_fini(struct explained *e)
{
	sentences_fini(&e->notes);
	sentences_fini(&e->sentences);
}
