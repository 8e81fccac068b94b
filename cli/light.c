/* SPDX-License-Identifier: MIT */
/* light.c - recordings of our own, understood. */
#include "cli/light.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain_metrics.h"
#include "cli/explain_scenario.h"
#include "metrics/follow.h"
#include "sim/machine.h"
#include "text/format.h"
#include "text/say.h"
#include "trace/facts.h"
#include "trace/light.h"

#define PHASES 4	 /* at which each way is tried when one is chosen */
#define PROGRAMS_MOST 8

/* ---- marks of a trace ---- */

/* Of the limited groups in @within (NULL: anywhere) the one that was throttled most. */
static const struct fact_group *most_throttled(const struct trace_facts *f, const char *within)
{
	const struct fact_group *best = NULL;
	u64 most = 0;

	for (u32 i = 0; i < f->nr_groups; i++) {
		const struct fact_group *g = &f->groups[i];
		u64 n = g->has_before && g->has_after && g->after.nr_throttled > g->before.nr_throttled ?
				g->after.nr_throttled - g->before.nr_throttled : 0;

		if (n > most && g->has_limit && g->quota != NEVER && (!within || fact_is_below(g->path, within))) {
			most = n;
			best = g;
		}
	}
	return best;
}

/* The group the recording was asked for; where that has no limit and one below it was throttled, that one. */
static const struct fact_group *group_of(const struct trace_facts *f)
{
	const struct fact_group *own = f->target ? trace_facts_group(f, f->target) : NULL, *other;

	if (own && own->quota != NEVER)
		return own;
	other = most_throttled(f, f->target);
	return other ? other : own;
}

/* Tasks of @tr in @group or below it; returns how many. */
static u32 pick_group(const struct trace *tr, const char *group, bool *picked)
{
	u32 nr = 0;

	for (u32 i = 1; i < tr->nr_tasks; i++)
		if (tr->tasks[i].group && fact_is_below(tr->groups[tr->tasks[i].group - 1], group))
			picked[i] = ++nr;
	return nr;
}

/* "/kubepods/pod1/web" -> "web" */
static void name_of(char *buf, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(buf, size, "%s", slash && slash[1] ? slash + 1 : "root");
}

static void take_limit(const struct fact_group *g, struct throttle_ask *ask, u64 *burst)
{
	if (ask->source || !g->has_limit)
		return;
	ask->source = LIMIT_FILE;
	ask->unlimited = g->quota == NEVER;
	if (ask->unlimited)
		return;
	ask->quota = g->quota;
	ask->period = g->period;
	*burst = g->burst;
}

static void take_counters(struct traced *t, const struct fact_group *g)
{
	if (t->has_stat || !g->has_before || !g->has_after || g->after.nr_periods < g->before.nr_periods ||
	    g->after.nr_throttled < g->before.nr_throttled || g->after.throttled_time < g->before.throttled_time)
		return;
	t->stat = (struct cpu_stat){ .nr_periods = g->after.nr_periods - g->before.nr_periods,
				     .nr_throttled = g->after.nr_throttled - g->before.nr_throttled,
				     .throttled_time = g->after.throttled_time - g->before.throttled_time };
	t->has_stat = true;
}

int facts_into_ask(struct traced *t, struct throttle_ask *ask, u64 *burst)
{
	const struct trace_facts *f = t->tr.facts;
	const struct fact_group *g = f && f->any ? group_of(f) : NULL, *above;

	if (f && f->any && !ask->hz)
		ask->hz = f->hz;
	if (!g || ask->pick.comm || ask->pick.pid || ask->pick.tasks)
		return 0;
	t->picked = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*t->picked));
	if (!t->picked)
		return -1;
	if (!pick_group(&t->tr, g->path, t->picked))
		return 0; /* nobody of it ran */
	ask->pick.tasks = t->picked;
	name_of(t->group, sizeof(t->group), g->path);
	above = g->quota == NEVER ? trace_facts_above(f) : NULL;
	if (!above) /* else what throttles it shows, if anything, in its gaps */
		take_limit(g, ask, burst);
	take_counters(t, above ? above : g);
	return 0;
}

/* ---- counters ---- */

static const char *const way_names[NR_LIGHT_WAYS] = {
	[LIGHT_SPREAD] = "in pieces, each at its time", [LIGHT_EARLY] = "in one piece as soon as it could", [LIGHT_LATE] = "in one piece as late as it could",
	[LIGHT_CLOSED] = "in pieces with sleeps between them",
};

static int not_for_counters(const char *path, const struct trace_options *opt, struct err *err)
{
	const char *what = opt->comm ? "--comm" : opt->pid ? "--pid" : opt->groups.nr ? "--group" : opt->cgroups ? "--cgroups" :
			   opt->cpu_stat ? "--cpu-stat" : opt->request && opt->replays_marks ? "--request" : NULL;

	if (!what)
		return 0;
	err_set(err, ERR_INPUT, "%s is for recordings of events; %s holds counters of one group", what, path);
	return -1;
}

static u64 span_of(const struct light *l) { return l->polls[l->nr_polls - 1].t - l->polls[0].t; }

/* What the counters say, in the place of what gaps would show. */
static void fill_guess(struct traced *t, const struct throttle_ask *ask)
{
	const struct light *l = t->tr.light;
	const struct cpu_stat *first = &l->polls[0].stat, *last = &l->polls[l->nr_polls - 1].stat;
	struct throttle_guess *g = &t->guess;

	*g = (struct throttle_guess){ .source = ask->source, .quota = ask->quota, .period = ask->period, .quota_lo = ask->quota,
				      .quota_hi = ask->quota, .sure = 1 };
	if (ask->unlimited || !ask->source)
		g->source = ask->source ? ask->source : LIMIT_NONE;
	g->nr_throttled = last->nr_throttled - first->nr_throttled;
	g->nr_active = last->nr_periods - first->nr_periods;
	g->throttled_time = last->throttled_time - first->throttled_time;
	t->stat = (struct cpu_stat){ .nr_periods = g->nr_active, .nr_throttled = g->nr_throttled, .throttled_time = g->throttled_time };
	t->has_stat = true;
}

/* Tasks are those of the trace. */
static int name_threads(struct traced *t, struct err *err)
{
	const struct light *l = t->tr.light;
	struct recovered *rec = &t->rec;

	rec->figures.from = calloc((size_t)rec->sc.nr_tasks + 1, sizeof(*rec->figures.from));
	t->member = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*t->member));
	if (!rec->figures.from || !t->member)
		return err_set(err, ERR_HOST, "out of memory");
	for (u32 i = 0; i < rec->sc.nr_tasks; i++) {
		u32 task = trace_task_find(&t->tr, l->threads[rec->threads[i].task].tid);

		rec->threads[i].task = task == TRACE_NO_TASK ? TRACE_IDLE : task;
		t->member[rec->threads[i].task] = true;
	}
	return 0;
}

int traced_light(struct traced *t, const struct trace_options *opt, const struct variant *v, const struct throttle_ask *given, u64 *burst,
		 struct err *err)
{
	const struct light *l = t->tr.light;
	const struct fact_group *g = light_limited(l);
	struct recover_ask how = { .cpus = (int)v->cpus, .name = t->group, .hz = (u32)v->hz };
	struct throttle_ask ask = *given;

	if (not_for_counters(t->path, opt, err))
		return -1;
	if (g)
		take_limit(g, &ask, burst);
	name_of(t->group, sizeof(t->group), l->facts.target ? l->facts.target : "");
	if (light_recover(&t->rec, t->ways, l, &how, err) || name_threads(t, err))
		return -1;
	t->nr_ways = NR_LIGHT_WAYS;
	t->hz = v->hz ? (u32)v->hz : l->facts.hz;
	fill_guess(t, &ask);
	return 0;
}

/* ---- which way is nearest ---- */

static u64 apart(u64 a, u64 b) { return a > b ? a - b : b - a; }

/* By how many throttled periods the model misses, over some phases; beside that usage counts little. */
static int miss_of(const struct traced *t, const struct recover_way *way, double *miss, struct err *err)
{
	struct machine_options opt = { 0 };
	struct recover_limit limit = t->limit;
	struct scenario sc = t->rec.sc;

	recover_place(&sc, way);
	*miss = 0;
	for (int k = 0; k < (limit.quota == NEVER ? 1 : PHASES); k++) {
		struct limited limited;
		struct result *res;
		const struct group_result *g;

		limit.phase = limit.period ? limit.period / PHASES * (u64)k : 0;
		recover_under(&limited, &sc, &limit);
		res = machine_run(&limited.sc, &opt, err);
		if (!res)
			return -1;
		g = result_group(res, sc.groups[0].path);
		if (g)
			*miss += (double)apart(g->stat.nr_throttled, t->guess.nr_throttled) +
				 (double)apart(g->stat.usage, t->rec.figures.cpu) / (double)(t->rec.figures.cpu + 1);
		result_free(res);
	}
	return 0;
}

int traced_light_choose(struct traced *t, struct err *err)
{
	double best = 0, miss;
	struct recover_way first;

	for (u32 i = 0; i < t->nr_ways; i++) {
		if (miss_of(t, &t->ways[i], &miss, err))
			return -1;
		if (!i || miss < best) {
			best = miss;
			t->way = i;
		}
	}
	t->way_name = way_names[t->way];
	first = t->ways[t->way];
	t->ways[t->way] = t->ways[0];
	t->ways[0] = first;
	recover_place(&t->rec.sc, &t->ways[0]);
	t->rec.figures.bursts = t->ways[0].bursts;
	return 0;
}

/* ---- sentences ---- */

void say_light_programs(struct sentences *s, const struct traced *t)
{
	const struct light *l = t->tr.light;
	u32 said = 0;

	for (u32 i = 0; i < l->nr_threads; i++) {
		const struct light_thread *th = &l->threads[i];
		char run[FORMAT_MAX], wait[FORMAT_MAX], most[FORMAT_MAX];
		u64 top = 0;

		if (!th->run || said++ >= PROGRAMS_MOST)
			continue;
		for (u32 k = 0; k < th->nr; k++)
			top = max_u64(top, th->uses[k].run);
		sentences_add(s, "%s-%d: ran %s in %u of %u polls (%s in one at most), waited %s", th->name[0] ? th->name : "task", th->tid,
			      format_time(run, th->run), th->nr, l->nr_polls - 1, format_time(most, top), format_time(wait, th->wait));
	}
	if (said > PROGRAMS_MOST)
		sentences_add(s, "and %u more threads", said - PROGRAMS_MOST);
}

void say_other_limits(struct sentences *s, const struct trace_facts *f)
{
	const struct fact_group *own = f->target ? trace_facts_group(f, f->target) : NULL, *above = trace_facts_above(f);
	char shown[160], limit[FORMAT_MAX];
	u32 below = 0;

	for (u32 i = 0; own && i < f->nr_groups; i++)
		below += &f->groups[i] != own && f->groups[i].quota != NEVER && fact_is_below(f->groups[i].path, own->path);
	if (above)
		sentences_add(s, "%s above it is limited too, to %s: that holds for all groups in it, and its own counters are not those of this group.",
			      say(shown, sizeof(shown), above->path), format_limit(limit, above->quota, above->period));
	if (below)
		sentences_add(s, "%u group%s below it %s limited too: to see what that does, record one of them.", below, below == 1 ? "" : "s",
			      below == 1 ? "is" : "are");
}

static void say_busy(struct sentences *s, const struct traced *t)
{
	u32 busy = 0, first = 0;

	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++)
		if (t->rec.threads[i].busy_to_end && !busy++)
			first = i;
	if (busy)
		sentences_add(s, "%s%s busy when the recording ends, and how much more is wanted is not known: a replay takes it for %s%s.",
			      t->rec.sc.tasks[first].name, busy > 1 ? " and others are" : " is",
			      t->rec.threads[first].endless ? "endless, as it never sleeps" : "no more than what ran, as it did sleep",
			      t->rec.threads[first].throttled ? "; its ranges are over both" : "");
}

void say_light(struct sentences *s, const struct traced *t)
{
	const struct light *l = t->tr.light;
	char every[FORMAT_MAX];
	u32 parts = 0;

	sentences_add(s, "This recording holds counters, read about each %s: how much a thread ran between two readings, but not when. So it is run in %u ways "
		      "(in pieces or in one, early or late, with sleeps or at given times), and every range is over these too: it is wider than a trace's. The model's row "
		      "is the way whose throttled periods come nearest to the recorded ones: %s.",
		      format_time(every, span_of(l) / (l->nr_polls - 1)), t->nr_ways, t->way_name ? t->way_name : "the first");
	sentences_add(s, "Bursts are as these ways cut them, so p50 to max say less than a trace would (record without --light).");
	say_other_limits(s, &l->facts);
	say_busy(s, t);
	for (u32 i = 0; i < l->nr_polls; i++)
		parts += l->polls[i].part;
	if (parts)
		sentences_add(s, "In %u of %u polls not all threads were looked at, to keep the recorder's own time small: when those ran is known less.", parts,
			      l->nr_polls);
	if (!l->ended)
		sentences_add(s, "The file has no last line: it was cut off.");
	if (!strcmp(l->end, "gone"))
		sentences_add(s, "The group went away before the recording was over.");
}

/* ---- explain ---- */

/* Of the polls in which a period was throttled: how many threads ran, and the worst of them. */
struct stops {
	u32 nr, threads; /* threads: in the middle */
	u64 worst_at, worst_stopped, worst_used;
};

static u32 running(const struct light *l, u64 from, u64 to, u32 *at)
{
	u32 nr = 0;

	for (u32 i = 0; i < l->nr_threads; i++) {
		const struct light_thread *t = &l->threads[i];

		while (at[i] < t->nr && t->uses[at[i]].to <= from)
			at[i]++;
		nr += at[i] < t->nr && t->uses[at[i]].from < to && t->uses[at[i]].run > 0;
	}
	return nr;
}

static int by_count(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static bool look_at_stops(const struct light *l, struct stops *out)
{
	u32 *counts = calloc(l->nr_polls, sizeof(*counts)), *at = calloc((size_t)l->nr_threads + 1, sizeof(*at));
	bool fine = counts && at;

	memset(out, 0, sizeof(*out));
	for (u32 i = 1; fine && i < l->nr_polls; i++) {
		const struct light_poll *p = &l->polls[i], *q = p - 1;
		u64 stopped = p->stat.throttled_time - q->stat.throttled_time;

		if (p->stat.nr_throttled == q->stat.nr_throttled)
			continue;
		counts[out->nr++] = running(l, q->t, p->t, at);
		if (stopped > out->worst_stopped) {
			out->worst_stopped = stopped;
			out->worst_at = q->t - l->polls[0].t;
			out->worst_used = p->stat.usage - q->stat.usage;
		}
	}
	if (fine && out->nr) {
		qsort(counts, out->nr, sizeof(*counts), by_count);
		out->threads = counts[out->nr / 2];
	}
	free(counts);
	free(at);
	return fine;
}

static void say_stops(struct sentences *s, const struct light *l)
{
	char at[FORMAT_MAX], stopped[FORMAT_MAX], used[FORMAT_MAX];
	struct stops stops;

	if (!look_at_stops(l, &stops) || !stops.nr)
		return;
	sentences_add(s, "In %u of %u polls a period ended throttled; in half of those %u thread%s or more ran%s.", stops.nr, l->nr_polls - 1, stops.threads,
		      stops.threads == 1 ? "" : "s", stops.threads > 1 ? ", so they used the quota up together" : "");
	sentences_add(s, "Worst: the poll %s after the beginning, stopped %s (over all CPUs), used %s.", format_time(at, stops.worst_at),
		      format_time(stopped, stops.worst_stopped), format_time(used, stops.worst_used));
}

/* Who used most, who waited most. */
static void say_threads(struct sentences *s, const struct light *l)
{
	const struct light_thread *used = NULL, *waited = NULL;
	char run[FORMAT_MAX], wait[FORMAT_MAX];
	u64 all = 0;

	for (u32 i = 0; i < l->nr_threads; i++) {
		const struct light_thread *t = &l->threads[i];

		all += t->run;
		used = !used || t->run > used->run ? t : used;
		waited = !waited || t->wait > waited->wait ? t : waited;
	}
	if (!used || !all)
		return;
	sentences_add(s, "Of its %u threads %s-%d used most, %s (%.0f %%); %s-%d waited longest, %s, throttled or behind others.", l->nr_threads,
		      used->name[0] ? used->name : "task", used->tid, format_time(run, used->run), (double)used->run * 100 / (double)all,
		      waited->name[0] ? waited->name : "task", waited->tid, format_time(wait, waited->wait));
}

int explain_light(const struct traced *t, bool json, struct err *err)
{
	const struct light *l = t->tr.light;
	const struct fact_group *own = l->facts.target ? trace_facts_group(&l->facts, l->facts.target) : NULL;
	const struct cpu_stat *first = &l->polls[0].stat, *last = &l->polls[l->nr_polls - 1].stat;
	struct facts f = { .periods = t->guess.nr_active, .throttled = t->guess.nr_throttled, .stopped = t->guess.throttled_time,
			   .has_usage = last->usage > 0, .usage = last->usage - first->usage, .wall = span_of(l) };
	struct sentences more = { 0 };
	int ret;

	if (t->limit.quota != NEVER && (t->guess.source == LIMIT_GIVEN || (own && own->quota != NEVER))) {
		f.quota = t->limit.quota;
		f.period = t->limit.period;
	}
	say_stops(&more, l);
	say_threads(&more, l);
	say_other_limits(&more, &l->facts);
	sentences_add(&more, "What cannot follow: how long any request took, and when between two polls something happened (record without --light).");
	ret = explain_counters(&f, t->path, l->facts.target ? l->facts.target : t->path, t->tr.format, &more, json, err);
	sentences_fini(&more);
	return ret;
}
