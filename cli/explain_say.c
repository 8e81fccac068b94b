/* SPDX-License-Identifier: MIT */
/* explain_say.c - the story of a scenario's groups in sentences. */
#include "cli/explain_scenario.h"
#include "cli/explain_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/format.h"

#define GROUPS_TOLD 4

static bool has_cause(const struct run_group_view *g, const char *cause)
{
	for (u32 i = 0; i < g->nr_causes; i++)
		if (!strcmp(g->causes[i].cause, cause) && g->causes[i].periods)
			return true;
	return false;
}

/* ---- demand ---- */

static void say_demand(struct sentences *out, const struct run_group_view *g, u64 span)
{
	char met[FORMAT_MAX], active[FORMAT_MAX], wall[FORMAT_MAX], limit[FORMAT_MAX], used[FORMAT_MAX], wanted[FORMAT_MAX];

	format_milli(limit, g->quota, g->period);
	format_milli(used, g->usage, span);
	if (!g->throttled) {
		sentences_add(out, "%s was never throttled by its own limit: it used %s of %s.", g->path, used, limit);
		return;
	}
	sentences_add(out, "%s got %s of the %s it would use without a limit (%s); its limit is %s.", g->path, used, format_milli(wanted, g->wanted, span),
		      format_share(met, g->usage, g->wanted), limit);
	sentences_add(out, "It was throttled in %s of the periods in which it was active, which is %s of all periods by the clock: nr_periods "
		      "stands still while the group sleeps.", format_share(active, g->throttled, g->active),
		      format_share(wall, g->throttled, g->wall));
}

/* ---- which periods ---- */

static bool is_throttled(const void *ctx, u64 k) { return ((const struct watch_group *)ctx)->periods[k].throttled; }

/* Periods as cpu.stat counts them: while the group sleeps, none ends. */
static void say_periods(struct sentences *out, const struct watch_group *g)
{
	char list[256];

	if (list_periods(list, sizeof(list), is_throttled, g, g->nr_periods))
		sentences_add(out, "Throttled were the periods %s of %u in which it was active.", list, g->nr_periods);
}

/* ---- who spent it, and how fast ---- */

static void say_worst(struct sentences *out, const struct run_group_view *g)
{
	const struct run_worst *w = &g->worst;
	char ran[FORMAT_MAX], quota[FORMAT_MAX], after[FORMAT_MAX], stopped[FORMAT_MAX];
	u64 first = 0;

	for (u32 i = 0; i < w->nr_stretches; i++) {
		if (w->stretches[i].stopped && !first && w->stretches[i].at)
			first = w->stretches[i].at;
	}
	if (!w->number || !first)
		return;
	sentences_add(out, "In its worst period up to %u CPU%s ran it at once and used %s ms (quota %s ms); the first of them was stopped %s ms after "
		      "the period began. Standing still, summed over CPUs: %s ms.", w->cpus, w->cpus == 1 ? "" : "s", format_ms(ran, w->charged),
		      format_ms(quota, g->quota), format_ms(after, first), format_ms(stopped, w->throttled));
}

/* How much a loop of the task that spent most wants at a time, and how many periods that takes. */
static void say_burst(struct sentences *out, const struct scenario_story *s, const struct run_group_view *g)
{
	const struct result *res = s->others[OTHER_FREE].result;
	const char *most = g->worst.nr_spenders ? g->worst.spenders[0].task : NULL;
	char loop[FORMAT_MAX], all[FORMAT_MAX], quota[FORMAT_MAX];

	for (u32 i = 0; most && res && has_cause(g, "burst") && i < res->nr_tasks; i++) {
		const struct task_result *t = &res->tasks[i];
		u64 each = t->sum.loops ? t->sum.runtime / t->sum.loops : 0, together = each * (t->count < g->worst.cpus ? t->count : g->worst.cpus);

		if (strcmp(t->name, most) || together <= g->quota)
			continue;
		sentences_add(out, "Bursts: a loop of %s wants %s ms of CPU, %u of them at once %s ms; at %s ms per period that takes at least %" PRIu64
			      " periods, however little is used on average.", t->name, format_ms(loop, each), (u32)(together / each),
			      format_ms(all, together), format_ms(quota, g->quota), (together - together / 100 + g->quota - 1) / g->quota); /* wakeups are no work */
		return;
	}
}

static void say_threads(struct sentences *out, const struct run_group_view *g)
{
	u64 on, fit = g->period ? g->quota / g->period : 0;
	char quota[FORMAT_MAX], run[FORMAT_MAX], pause[FORMAT_MAX], period[FORMAT_MAX];

	if (!has_cause(g, "threads") || !g->worst.cpus)
		return;
	on = g->quota / g->worst.cpus;
	sentences_add(out, "%u threads at once use the %s ms up in %s ms and pause for %s ms of each %s ms; %" PRIu64 " at once would need no more than the quota.",
		      g->worst.cpus, format_ms(quota, g->quota), format_ms(run, on), format_ms(pause, g->period - min_u64(on, g->period)),
		      format_ms(period, g->period), fit);
}

static void say_tick(struct sentences *out, const struct run_group_view *g, u32 hz)
{
	char quota[FORMAT_MAX], tick[FORMAT_MAX], pause[FORMAT_MAX];
	u64 len = SEC / hz;

	if (!has_cause(g, "tick"))
		return;
	sentences_add(out, "The quota of %s ms ends within one tick (%s ms at %u Hz): a busy thread runs a whole tick and then stands still for about "
		      "%s ms to pay for it.", format_ms(quota, g->quota), format_ms(tick, len), hz,
		      format_ms(pause, (u64)((double)g->period * (double)len / (double)g->quota) - len));
}

/* ---- what it costs ---- */

static void say_cost(struct sentences *out, const struct scenario_story *s, const struct run_group_view *g)
{
	struct result *mine = s->watch.result, *other = s->others[OTHER_FREE].result;
	size_t len = strlen(g->path);
	char p50[FORMAT_MAX], max[FORMAT_MAX], free50[FORMAT_MAX], free_max[FORMAT_MAX];
	u32 told = 0;

	for (u32 i = 0; other && i < mine->nr_tasks && i < other->nr_tasks && told < 2; i++) {
		struct samples *a = &mine->tasks[i].sum.latency, *b = &other->tasks[i].sum.latency;

		if (strncmp(mine->tasks[i].group, g->path, len) || (mine->tasks[i].group[len] && mine->tasks[i].group[len] != '/') || !a->nr || !b->nr)
			continue;
		sentences_add(out, "Cost: a loop of %s takes %s ms (p50), %s ms (max); without a limit %s and %s ms.", mine->tasks[i].name,
			      format_ms(p50, samples_percentile(a, 0.5)), format_ms(max, samples_max(a)),
			      format_ms(free50, samples_percentile(b, 0.5)), format_ms(free_max, samples_max(b)));
		told++;
	}
}

/* ---- kernel ---- */

static void say_other(struct sentences *out, const struct run_group_view *g, const struct result *res, const char *rules)
{
	const struct group_result *r = result_group(res, g->path);
	char mine[FORMAT_MAX], other[FORMAT_MAX];

	if (r)
		sentences_add(out, "Under %s the same run is throttled in %" PRIu64 " periods instead of %" PRIu64 " and uses %s ms of CPU instead of %s.", rules,
			      r->stat.nr_throttled, g->throttled, format_ms(other, r->stat.usage), format_ms(mine, g->usage));
}

static void say_kernel(struct sentences *out, const struct scenario_story *s, const struct run_group_view *g)
{
	const struct kernel_model *m = &s->watch.result->model;
	char newest[64];

	if (!g->throttled)
		return;
	if (has_cause(g, "kernel"))
		sentences_add(out, "The kernel has a part in it: under %s unused slices %s.", m->row,
			      m->rule[RULE_BW_EXPIRY] == BW_EXPIRY_NONE ? "do not expire, but its other rules cost quota" : "expire on the CPUs that hold them");
	else
		sentences_add(out, "It is not the kernel: no other rules that were tried do much better than those of %s.", m->row);
	say_other(out, g, s->others[OTHER_EXPIRY].result, "the same kernel without expiry (bw_expiry=none, as from 5.4 on)");
	snprintf(newest, sizeof(newest), "the newest row, %s,", newest_row());
	if (has_cause(g, "kernel"))
		say_other(out, g, s->others[OTHER_NEWEST].result, newest);
}

/* ---- levels ---- */

static void say_levels(struct sentences *out, const struct scenario_story *s)
{
	char used[FORMAT_MAX], limit[FORMAT_MAX];

	for (u32 i = 0, told = 0; i < s->sc.nr_groups && told < GROUPS_TOLD; i++) {
		const struct run_group_view *g = &s->views[i];
		s32 above = s->watch.groups[i].parent;

		if (!has_cause(g, "parent") || g->throttled || g->quota == NEVER)
			continue;
		while (above >= 0 && !s->views[above].throttled)
			above = s->watch.groups[above].parent;
		if (above < 0)
			continue;
		sentences_add(out, "%s is the limit, not %s: %s used %s of its %s, and its own counters will never show the throttling.",
			      s->views[above].path, g->path, g->path, format_milli(used, g->usage, s->view.span), format_milli(limit, g->quota, g->period));
		told++;
	}
}

/* ---- throttling apart from contention ---- */

static void say_waits(struct sentences *out, const struct run_group_view *g)
{
	char throttled[FORMAT_MAX], contended[FORMAT_MAX], longest[FORMAT_MAX];

	if (g->wait_contended * 10 <= g->wait_throttled || g->wait_contended < MS)
		return;
	sentences_add(out, "%s: ready but not running: throttled %s ms, behind other work %s ms (longest pause %s ms)%s.", g->path,
		      format_ms(throttled, g->wait_throttled), format_ms(contended, g->wait_contended), format_ms(longest, g->longest_pause),
		      g->wait_contended > g->wait_throttled ? "; raise its weight or add CPUs, not the limit" : "");
}

/* Nothing is limited: what there is of waiting is contention. */
static void say_no_limit(struct sentences *out, const struct result *res)
{
	u64 contended = 0, longest = 0;
	char all[FORMAT_MAX], most[FORMAT_MAX];

	for (u32 i = 0; i < res->nr_tasks; i++) {
		contended += res->tasks[i].sum.wait_contended;
		longest = max_u64(longest, res->tasks[i].sum.longest_pause);
	}
	sentences_add(out, "No group has a limit, so nothing is throttled. Ready but not running: %s ms behind other work (longest pause %s ms).",
		      format_ms(all, contended), format_ms(most, longest));
}

/* The command that goes on from here. */
static void say_next(struct sentences *out, const struct scenario_story *s, const char *path)
{
	const struct run_group_view *g = &s->views[s->view.shown];
	u64 contended = 0;

	for (u32 i = 0; i < s->sc.nr_groups; i++)
		contended = max_u64(contended, s->views[i].wait_contended);
	if (s->view.shown < s->sc.nr_groups && g->wait_throttled >= g->wait_contended)
		sentences_add(out, "Next: fairground advise %s%s%s finds the limit that ends it, and what else would.", path, s->sc.nr_groups > 1 ? " --group " : "",
			      s->sc.nr_groups > 1 ? g->path : "");
	else if (contended >= MS)
		sentences_add(out, "Next: fairground compare %s --vs --cpus %d shows what another CPU would do.", path, s->sc.machine.cpus + 1);
}

void scenario_story_say(struct scenario_story *s, const char *path)
{
	bool limited = false;
	u32 told = 0;

	for (u32 i = 0; i < s->sc.nr_groups; i++)
		limited |= s->views[i].quota != NEVER;
	if (!limited)
		say_no_limit(&s->sentences, s->watch.result);

	for (u32 i = 0; i < s->sc.nr_groups && told < GROUPS_TOLD; i++) {
		const struct run_group_view *g = &s->views[i];

		if (g->quota == NEVER || (!g->throttled && has_cause(g, "parent")))
			continue;
		say_demand(&s->sentences, g, s->view.span);
		if (g->throttled) {
			say_periods(&s->sentences, &s->watch.groups[i]);
			say_burst(&s->sentences, s, g);
			say_worst(&s->sentences, g);
			say_threads(&s->sentences, g);
			say_tick(&s->sentences, g, s->view.hz);
			say_cost(&s->sentences, s, g);
			say_kernel(&s->sentences, s, g);
		}
		told++;
	}
	say_levels(&s->sentences, s);
	for (u32 i = 0; i < s->sc.nr_groups && i < GROUPS_TOLD; i++)
		say_waits(&s->sentences, &s->views[i]);
	say_next(&s->sentences, s, path);
}
