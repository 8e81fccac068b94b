/* SPDX-License-Identifier: MIT */
/*
 * traced.c - from a file's name to a recovered scenario.
 *
 *	read --> timeline --> ticks, families --> throttles, limit --> program
 */
#include "cli/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/light.h"
#include "cli/load.h"
#include "cli/sniff.h"
#include "input/bytes.h"
#include "input/distro.h"
#include "input/limits.h"
#include "text/number.h"
#include "text/say.h"
#include "trace/group_pick.h"
#include "trace/light.h"
#include "trace/read.h"

#define DEFAULT_KERNEL "6.4" /* the newest by vruntime, between what servers run; where phases leave time, 5.4 and 7.2 are tried as well */

/* ---- what the user says of the recording ---- */

static int said_number(const char *what, const char *value, u64 most, u64 *out, struct err *err)
{
	char shown[80];

	if (num_whole_u64(value, strlen(value), most, out) == NUM_OK && *out)
		return 0;
	return err_set(err, ERR_INPUT, "--recorded %s=: expected 1 to %llu, found \"%s\"", what, (unsigned long long)most, say(shown, sizeof(shown), value));
}

/* --recorded: kernel, HZ, CPUs, topology and rules go into @v; what is left is a limit, into *@limit. */
static int said_of_machine(struct variant *v, const struct option_list *said, const char **limit, struct err *err)
{
	for (u32 i = 0; i < said->nr; i++) {
		const char *text = said->v[i];
		int ret = 0;

		if (!strncmp(text, "kernel=", 7))
			v->kernel = text + 7;
		else if (!strncmp(text, "hz=", 3))
			ret = said_number("hz", text + 3, 10000, &v->hz, err);
		else if (!strncmp(text, "cpus=", 5))
			ret = said_number("cpus", text + 5, LAB_MAX_CPUS, &v->cpus, err);
		else if (!strncmp(text, "topology=", 9))
			v->topology = text + 9;
		else if (!strncmp(text, "rule=", 5) && v->nr_rules < CHANGES_MAX)
			v->rules[v->nr_rules++] = text + 5;
		else if (*limit)
			ret = err_set(err, ERR_INPUT, "--recorded is given two limits: %s and %s", *limit, text);
		else
			*limit = text;
		if (ret)
			return -1;
	}
	return 0;
}

/* The limit the user says was in force. */
static int given_limit(struct throttle_ask *ask, const char *text, struct limit *limit, struct err *err)
{
	if (!text)
		return 0;
	if (limit_parse(text, limit, err)) {
		err_hint(err, "--recorded takes a limit, kernel=ROW, hz=N, cpus=N, topology=WHAT or rule=NAME=VALUE");
		return -1;
	}
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

/* Requests of the group, by the marks that were read. */
static int take_requests(struct traced *t, struct recover_ask *how, struct err *err)
{
	s64 nr = marks_requests(t->tr.marks, &t->tr, &t->requests, &t->cut_requests);
	u64 ours = 0;

	if (nr < 0)
		return err_at(err, t->path, 0, 0, NULL, "too large for the memory of this machine");
	for (s64 i = 0; i < nr; i++)
		ours += t->member[t->requests[i].task];
	if (!ours)
		return err_at(err, t->path, 0, 0, "--request", "no request of the group is marked so");
	how->requests = t->requests;
	how->nr_requests = (u64)nr;
	return 0;
}

static int understand(struct traced *t, const struct trace_options *opt, const struct variant *v, const char *recorded, struct limit *limit,
		      u64 *burst, struct err *err)
{
	struct throttle_ask ask = { .pick = { .comm = opt->comm, .pid = (s32)opt->pid } };
	struct recover_ask how = { .cpus = (int)v->cpus, .name = t->group, .no_edges = opt->no_edges,
				   .asked = opt->comm || opt->pid || opt->groups.nr };

	if (given_limit(&ask, recorded, limit, err))
		return -1;
	if (t->tr.light)
		return traced_light(t, opt, v, &ask, burst, err);
	if (opt->cgroups && group_members_file(&t->tr, opt->cgroups, err))
		return -1;
	if (timeline_init(&t->tl, &t->tr) || families_init(&t->fam, &t->tr) || ticks_infer(&t->ticks, &t->tr))
		return err_at(err, t->path, 0, 0, NULL, "too large for the memory of this machine");
	t->member = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*t->member));
	ask.hz = (u32)v->hz;
	if (!opt->groups.nr && facts_into_ask(t, &ask, burst))
		return err_at(err, t->path, 0, 0, NULL, "too large for the memory of this machine");
	ask.hz = ask.hz ? ask.hz : t->ticks.hz;
	if (t->member && opt->groups.nr) {
		t->picked = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*t->picked));
		if (t->picked && group_pick(opt->groups.v[0], &t->fam, &t->tr, t->picked, t->group, sizeof(t->group), err))
			return -1;
		ask.pick.tasks = t->picked;
		for (char *slash = t->group; (slash = strchr(slash, '/'));) /* it will be one group of the root */
			*slash = '-';
	}
	if (!t->member || throttle_infer(&t->guess, t->member, &t->tr, &t->tl, &t->fam, &ask))
		return err_at(err, t->path, 0, 0, NULL, "too large for the memory of this machine");
	name_group(t);
	how.hz = t->hz = ask.hz;
	if (opt->request && opt->replays_marks && take_requests(t, &how, err))
		return -1;
	if (!recover(&t->rec, &t->tr, &t->tl, &t->guess, &t->ticks, t->member, &how, err))
		return 0;
	if (err->code == ERR_INPUT && !err->file[0])
		snprintf(err->file, sizeof(err->file), "%s", t->path);
	return -1;
}

/* The limit in force, on the scenario's clock. */
static void settle_limit(struct traced *t, const struct limit *given, u64 burst)
{
	const struct throttle_guess *g = &t->guess;
	bool none = g->source == LIMIT_NONE || !g->period || (given->unlimited && g->source == LIMIT_GIVEN);

	t->limit = (struct recover_limit){ .quota = none ? NEVER : g->quota, .period = none ? LIMIT_PERIOD : g->period };
	t->limit.burst = given->has_burst ? given->burst : g->source == LIMIT_FILE ? burst : 0;
	if (g->phase_known)
		t->limit.phase = (g->phase + g->period - t->rec.t0 % g->period) % g->period;
}

/* The user's word first, then the recording's; a release's name may set HZ, which is known better here. */
static int settle_kernel(struct traced *t, struct variant *v, struct err *err)
{
	struct distro_kernel k;
	u32 hz = t->rec.sc.machine.hz;
	int cpus = t->rec.sc.machine.cpus;

	v->nr_limits = 0;
	v->hz = 0; /* it is in the scenario already */
	t->kernel_said = v->kernel != NULL;
	if (!v->kernel && t->tr.kernel[0] && !distro_kernel(t->tr.kernel, &k)) {
		v->kernel = t->tr.kernel;
		t->kernel_said = true;
	}
	if (!v->kernel)
		v->kernel = DEFAULT_KERNEL;
	if (variant_apply(&t->rec.sc, v, err))
		return -1;
	t->rec.sc.machine.hz = hz;
	if (v->topology && t->rec.sc.machine.cpus < cpus)
		return err_set(err, ERR_INPUT, "--recorded topology=%.80s has %d CPUs, the recording %d", v->topology, t->rec.sc.machine.cpus, cpus);
	return 0;
}

/* Without switches nothing of what follows is known, whatever else was recorded. */
static int check_switches(const struct trace *tr, const char *path, struct err *err)
{
	for (u64 i = 0; i < tr->nr; i++)
		if (tr->type[i] == EVENT_SCHED_SWITCH)
			return 0;
	if (tr->light)
		return 0;
	err_at(err, path, 0, 0, NULL, "no sched_switch among its %" PRIu64 " scheduler events: who ran when is not recorded", tr->counts.events);
	err_hint(err, "fairground doctor FILE says what is there, and how to record the rest");
	return -1;
}

int traced_open(struct traced *t, const char *path, const struct trace_options *opt, const struct variant *v, struct err *err)
{
	struct variant no_limits = *v;
	struct limit given = { 0 };
	const char *recorded = NULL;
	u64 burst = 0;

	memset(t, 0, sizeof(*t));
	trace_init(&t->tr);
	scenario_init(&t->rec.sc);
	path = file_held(path, NULL, err);
	if (!path)
		return -1;
	t->path = bytes_name(path);
	if (opt->request) {
		if (marks_init(&t->marks, opt->request, err))
			return -1;
		t->tr.marks = &t->marks;
	}
	if (opt->groups.nr > 1 && !opt->many_groups) {
		err_set(err, ERR_INPUT, "--group: one group at a time");
		err_hint(err, "several are for replay --limit '*=max', which looks at the whole node");
		return -1;
	}
	if (said_of_machine(&no_limits, &opt->recorded, &recorded, err))
		return -1;
	if (opt->cpu_stat) {
		if (cpu_stat_read(&t->stat, opt->cpu_stat, err))
			return -1;
		t->has_stat = true;
	}
	if (trace_read_file(&t->tr, path, err) || check_switches(&t->tr, t->path, err) || understand(t, opt, &no_limits, recorded, &given, &burst, err))
		return -1;
	settle_limit(t, &given, burst);
	return settle_kernel(t, &no_limits, err) || (t->tr.light && traced_light_choose(t, err)) ? -1 : 0;
}

void traced_close(struct traced *t)
{
	marks_fini(&t->marks);
	free(t->requests);
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
	limit->sure = g->source == LIMIT_GIVEN || g->source == LIMIT_FILE ? 1 : g->sure;
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
	if (t->tr.light) {
		const struct light *l = t->tr.light;

		trace->counters = true;
		trace->events = l->nr_polls;
		trace->span = l->polls[l->nr_polls - 1].t - l->polls[0].t;
	}
	view_limit(t, limit);
	*fate = (struct fate){ .throttled = t->guess.nr_throttled, .active = t->guess.nr_active,
			       .usage = f->cpu, .throttled_time = t->guess.throttled_time, .nr_latency = f->nr_latency };
	if (!t->guess.nr_periods && !t->tr.light && t->has_stat) { /* gaps show no grid, counters count */
		fate->throttled = t->stat.nr_throttled;
		fate->active = t->stat.nr_periods;
		fate->throttled_time = t->stat.throttled_time;
	}
	if (t->guess.nr_periods || t->has_stat)
		fate->wall = t->guess.period ? trace->span / t->guess.period : 0;
	for (int i = 0; i < NR_LATENCIES; i++)
		fate->latency[i] = nearest_rank(f->latency, f->nr_latency, percents[i]);
	for (u64 i = 0; i < f->nr_latency; i++)
		sum += (double)f->latency[i];
	fate->mean = f->nr_latency ? (u64)(sum / (double)f->nr_latency) : 0;
}
