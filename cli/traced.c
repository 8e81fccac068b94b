/* SPDX-License-Identifier: MIT */
/*
 * traced.c - from a file's name to a recovered scenario.
 *
 *	read --> timeline --> ticks, families --> throttles, limit --> program
 */
#include "cli/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/load.h"
#include "input/limits.h"
#include "trace/group_pick.h"
#include "trace/read.h"

#define DEFAULT_KERNEL "6.4" /* the newest row; the group's phase is set from the grid that was found */

/* The limit the user says was in force. */
static int given_limit(struct throttle_ask *ask, const char *text, struct limit *limit, struct err *err)
{
	if (!text)
		return 0;
	if (limit_parse(text, limit, err))
		return -1;
	ask->source = LIMIT_GIVEN;
	ask->unlimited = limit->unlimited;
	if (!limit->unlimited) {
		ask->period = limit_period(limit, LIMIT_PERIOD);
		ask->quota = limit_quota(limit, LIMIT_PERIOD);
	}
	return 0;
}

/* The group is called by what most of its CPU time went to. */
static void name_group(struct traced *t)
{
	u64 most = 0, span = trace_last(&t->tr) + 1;
	const char *name = "group";

	if (t->group[0])
		return; /* the user says it */
	for (u32 i = 1; i < t->tr.nr_tasks; i++) {
		u64 ran = t->member[i] ? timeline_ran(&t->tl, i, 0, span) : 0;

		if (ran > most && t->tr.tasks[i].name[0]) {
			most = ran;
			name = t->tr.tasks[i].name;
		}
	}
	snprintf(t->group, sizeof(t->group), "%s", name);
}

static int understand(struct traced *t, const struct trace_options *opt, const struct variant *v, struct limit *limit, struct err *err)
{
	struct throttle_ask ask = { .pick = { .comm = opt->comm, .pid = (s32)opt->pid } };
	struct recover_ask how = { .cpus = (int)v->cpus, .name = t->group, .no_edges = opt->no_edges };

	if (given_limit(&ask, opt->recorded, limit, err))
		return -1;
	if (opt->cgroups && group_members_file(&t->tr, opt->cgroups, err))
		return -1;
	if (timeline_init(&t->tl, &t->tr) || families_init(&t->fam, &t->tr) || ticks_infer(&t->ticks, &t->tr))
		return err_at(err, t->path, 0, 0, NULL, "too large for the memory of this machine");
	t->member = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*t->member));
	ask.hz = v->hz ? (u32)v->hz : t->ticks.hz;
	if (t->member && opt->group) {
		t->picked = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*t->picked));
		if (t->picked && group_pick(opt->group, &t->fam, &t->tr, t->picked, t->group, sizeof(t->group), err))
			return -1;
		ask.pick.tasks = t->picked;
		for (char *slash = t->group; (slash = strchr(slash, '/'));) /* it will be one group of the root */
			*slash = '-';
	}
	if (!t->member || throttle_infer(&t->guess, t->member, &t->tr, &t->tl, &t->fam, &ask))
		return err_at(err, t->path, 0, 0, NULL, "too large for the memory of this machine");
	name_group(t);
	how.hz = t->hz = ask.hz;
	return recover(&t->rec, &t->tr, &t->tl, &t->guess, &t->ticks, t->member, &how, err);
}

/* The limit in force, on the scenario's clock. */
static void settle_limit(struct traced *t, const struct limit *given)
{
	const struct throttle_guess *g = &t->guess;
	bool none = g->source == LIMIT_NONE || (given->unlimited && g->source == LIMIT_GIVEN);

	t->limit = (struct recover_limit){ .quota = none ? NEVER : g->quota, .period = none ? LIMIT_PERIOD : g->period };
	t->limit.burst = given->has_burst ? given->burst : 0;
	if (g->phase_known)
		t->limit.phase = (g->phase + g->period - t->rec.t0 % g->period) % g->period;
}

int traced_open(struct traced *t, const char *path, const struct trace_options *opt, const struct variant *v, struct err *err)
{
	struct variant no_limits = *v;
	struct limit given = { 0 };

	memset(t, 0, sizeof(*t));
	t->path = path;
	trace_init(&t->tr);
	scenario_init(&t->rec.sc);
	if (opt->cpu_stat) {
		if (cpu_stat_read(&t->stat, opt->cpu_stat, err))
			return -1;
		t->has_stat = true;
	}
	if (trace_read_file(&t->tr, path, err) || understand(t, opt, v, &given, err))
		return -1;
	settle_limit(t, &given);
	t->kernel_said = v->kernel != NULL;
	no_limits.nr_limits = 0;
	no_limits.hz = 0; /* it is in the scenario already */
	if (!v->kernel)
		no_limits.kernel = DEFAULT_KERNEL;
	return variant_apply(&t->rec.sc, &no_limits, err);
}

void traced_close(struct traced *t)
{
	recover_fini(&t->rec);
	throttle_fini(&t->guess);
	free(t->member);
	free(t->picked);
	families_fini(&t->fam);
	timeline_fini(&t->tl);
	trace_fini(&t->tr);
}

/* ---- for printing ---- */

static void view_limit(const struct traced *t, struct limit_view *limit)
{
	static const char *const sources[] = { "none", "given", "file", "inferred" };
	const struct throttle_guess *g = &t->guess;

	*limit = (struct limit_view){ .quota = t->limit.quota, .period = t->limit.period, .burst = t->limit.burst,
				      .phase = g->phase, .quota_lo = g->quota_lo, .quota_hi = g->quota_hi,
				      .source = sources[g->source], .phase_known = g->phase_known };
	limit->sure = g->source == LIMIT_GIVEN ? 1 : g->sure;
	limit->gaps_on_grid = g->nr_throttles;
	limit->gaps = g->nr_gaps;
}

void traced_view(const struct traced *t, struct trace_view *trace, struct limit_view *limit, struct fate *fate)
{
	static const u32 percents[NR_LATENCIES] = { 50, 90, 95, 99, 100 };
	const struct trace_figures *f = &t->rec.figures;
	const struct trace_counts *c = &t->tr.counts;
	double sum = 0;

	*trace = (struct trace_view){ .file = t->path, .format = t->tr.format, .kernel = t->tr.kernel, .events = c->events,
				      .lost = c->lost, .bad = c->bad_events + c->wild_times + c->half_lines + c->unknown_lines,
				      .span = trace_last(&t->tr) - trace_first(&t->tr), .cpus = t->rec.sc.machine.cpus,
				      .hz = t->hz, .group = t->rec.sc.groups[0].path, .threads = t->rec.sc.nr_tasks,
				      .bursts = f->bursts };
	view_limit(t, limit);
	*fate = (struct fate){ .throttled = t->guess.nr_throttled, .active = t->guess.nr_active,
			       .usage = f->cpu, .throttled_time = t->guess.throttled_time, .nr_latency = f->nr_latency };
	if (t->guess.nr_periods)
		fate->wall = trace->span / t->guess.period;
	for (int i = 0; i < NR_LATENCIES; i++)
		fate->latency[i] = nearest_rank(f->latency, f->nr_latency, percents[i]);
	for (u64 i = 0; i < f->nr_latency; i++)
		sum += (double)f->latency[i];
	fate->mean = f->nr_latency ? (u64)(sum / (double)f->nr_latency) : 0;
}
