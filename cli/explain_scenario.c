/* SPDX-License-Identifier: MIT */
/*
 * explain_scenario.c - why the groups of a scenario are throttled.
 *
 * Each throttled period of a group gets one cause, the first that holds:
 *
 *	tick		the quota is no longer than a tick: it is found used up a tick too late
 *	stranded	a tenth of the quota or more lay on other CPUs, or was lost, while threads stood still
 *	debt		the period before had overrun, and what was done in the next one is less than what that cost
 *	threads		the limit is worth a CPU or more, and more CPUs than that ran the group at once
 *	own		without a limit the group would use more than the limit allows
 *	burst		on the whole it wants less than the limit, but not evenly
 *
 * Then, from outside the period:
 *
 *	kernel		with slices that do not expire, or under the newest row, at most half of the periods are throttled, or the
 *			group gets a quarter more CPU: those periods are the kernel's, the stranded ones first
 *	parent		periods in which a group above was throttled while this one had run: its own counters do not show them
 *	contention	time ready to run behind others, which no limit changes; said from 1 % of the time ready and not running on
 *
 * Law: the causes without parent and contention add up to the throttled periods.
 */
#include "cli/explain_scenario.h"

#include <stdlib.h>
#include <string.h>

#include "cli/pool.h"
#include "input/scenario_file.h"

/* ---- other runs of the same ---- */

static bool is_limit_file(const char *file)
{
	static const char *const files[] = { "cpu.max", "cpu.max.burst", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.cfs_burst_us" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(file, files[i]))
			return true;
	return false;
}

void scenario_drop_limits(struct scenario *sc)
{
	u32 kept = 0;

	for (u32 i = 0; i < sc->nr_groups; i++) {
		struct group_spec *g = &sc->groups[i];
		u32 nr = 0;

		for (u32 k = 0; k < g->nr_writes; k++)
			if (!is_limit_file(g->writes[k].file))
				g->writes[nr++] = g->writes[k];
		g->nr_writes = nr;
	}
	for (u32 i = 0; i < sc->nr_at; i++)
		if (sc->at[i].kind != AT_WRITE || !is_limit_file(sc->at[i].write.file))
			sc->at[kept++] = sc->at[i];
	sc->nr_at = kept;
}

const char *newest_row(void)
{
	const char *row = NULL;

	for (int i = 0; model_row_name(i); i++)
		row = model_row_name(i);
	return row;
}

const struct group_result *result_group(const struct result *res, const char *path)
{
	for (u32 i = 0; res && i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path))
			return &res->groups[i];
	return NULL;
}

/* A later kernel may refuse what the scenario sets; then there is nothing to compare with. */
static int read_other(struct scenario_story *s, int which, struct source *src, const struct run_options *opt, struct err *err)
{
	struct other_run *o = &s->others[which];
	struct variant v = opt->variants[0];
	struct err ignored = { 0 };

	if (which == OTHER_NEWEST) {
		v.kernel = newest_row();
		v.nr_rules = 0;
	}
	if (source_scenario(src, &v, &o->sc, which == OTHER_NEWEST ? &ignored : err))
		return which == OTHER_NEWEST ? 0 : -1;
	o->wanted = true;
	o->sc.seed = s->sc.seed;
	o->sc.duration = s->sc.duration;
	if (which == OTHER_FREE)
		scenario_drop_limits(&o->sc);
	if (which == OTHER_EXPIRY)
		return scenario_add_rule(&o->sc, "bw_expiry=none", err);
	if (which == OTHER_NEWEST) { /* HZ and preemption are those of the first run: only the rules differ */
		o->sc.machine.hz = s->sc.machine.hz;
		o->sc.kernel.nr_rules = 0;
	}
	return 0;
}

static void run_one(void *ctx, u32 i)
{
	struct scenario_story *s = ctx;

	if (!i)
		watch_run(&s->watch, &s->sc, &s->opt, &s->watch_err);
	else if (s->others[i - 1].wanted)
		s->others[i - 1].result = machine_run(&s->others[i - 1].sc, &s->opt, &s->others[i - 1].err);
}

static bool expires(const struct scenario *sc)
{
	struct kernel_model m;

	if (model_init(&m, sc->kernel.row ? sc->kernel.row : newest_row()))
		return false;
	for (u32 i = 0; i < sc->kernel.nr_rules; i++)
		model_set_rule(&m, sc->kernel.rules[i], NULL);
	return m.rule[RULE_BW_EXPIRY] != BW_EXPIRY_NONE;
}

static int read_all(struct scenario_story *s, struct source *src, struct run_options *opt, struct err *err)
{
	src->rtapp_compat = opt->rtapp_compat;
	if (source_scenario(src, current_variant(opt), &s->sc, err))
		return -1;
	s->read = true;
	if (opt->seed_set)
		s->sc.seed = opt->seed;
	if (opt->duration)
		s->sc.duration = opt->duration;
	s->opt = machine_options_of(opt);
	s->opt.want_periods = s->opt.want_threads = false;
	if (read_other(s, OTHER_FREE, src, opt, err))
		return -1;
	if (expires(&s->sc) && read_other(s, OTHER_EXPIRY, src, opt, err))
		return -1;
	if (!s->sc.kernel.row || strcmp(s->sc.kernel.row, newest_row()))
		return read_other(s, OTHER_NEWEST, src, opt, err);
	return 0;
}

/* ---- a cause for each period ---- */

struct judge {
	const struct scenario_story *s;
	const struct watch_group *g;
	const struct group_result *r;
	u64 tick, wanted, span;
};

static u64 quota(const struct judge *j) { return j->r->stat.quota; }

/* What of the quota went to debts of the period before: the pool was short of it at the start, or it was owed still. */
static u64 debt_paid(const struct judge *j, u32 k)
{
	const struct period_record *now = watch_record(&j->s->watch, j->g, k);
	const struct period_record *before = k ? watch_record(&j->s->watch, j->g, k - 1) : NULL;
	u64 paid = before ? before->debt : 0;

	if (now && now->granted < quota(j))
		paid += quota(j) - now->granted;
	return paid;
}

static bool by_tick(const struct judge *j, u32 k)
{
	(void)k;
	return quota(j) <= j->tick;
}

static bool by_stranding(const struct judge *j, u32 k)
{
	const struct period_record *rec = watch_record(&j->s->watch, j->g, k);

	return rec && rec->stranded >= quota(j) / 10 && rec->stranded;
}

static bool by_debt(const struct judge *j, u32 k)
{
	u64 paid = debt_paid(j, k);

	return paid && k + 1 < j->g->nr_periods && !j->g->periods[k + 1].throttled && j->g->periods[k + 1].cpu <= paid;
}

static bool by_threads(const struct judge *j, u32 k)
{
	return quota(j) >= j->r->stat.period && j->g->periods[k].most_cpus * j->r->stat.period > quota(j);
}

static bool by_own(const struct judge *j, u32 k)
{
	(void)k;
	return (double)j->wanted * (double)j->r->stat.period > (double)quota(j) * (double)j->span;
}

static bool by_burst(const struct judge *j, u32 k)
{
	(void)j;
	(void)k;
	return true;
}

enum { ROW_TICK, ROW_STRANDED, ROW_DEBT, ROW_THREADS, ROW_OWN, ROW_BURST, NR_ROWS };

static const struct {
	const char *cause;
	bool (*holds)(const struct judge *j, u32 k);
	const char *why;
} rows[NR_ROWS] = {
	[ROW_TICK] = { "tick", by_tick, "the quota is no longer than a tick, which finds it used up too late" },
	[ROW_STRANDED] = { "stranded", by_stranding, "a tenth of the quota or more lay on other CPUs, or was lost" },
	[ROW_DEBT] = { "debt", by_debt, "the period before ran over its quota, and this one paid for it" },
	[ROW_THREADS] = { "threads", by_threads, "more CPUs ran it at once than the limit is worth" },
	[ROW_OWN] = { "own", by_own, "on the whole it wants more than the limit gives" },
	[ROW_BURST] = { "burst", by_burst, "on the whole it wants less than the limit, but not evenly" },
};

/* Is the other run much better for @j's group? */
static bool much_better(const struct judge *j, const struct other_run *o)
{
	const struct group_result *r = result_group(o->result, j->g->path);

	return r && j->r->stat.nr_throttled &&
	       (2 * r->stat.nr_throttled <= j->r->stat.nr_throttled || 4 * r->stat.usage >= 5 * j->r->stat.usage);
}

/* Periods that are throttled here but not under other rules, taken from @found, stranded ones first. */
static struct cause_view of_kernel(const struct judge *j, struct cause_view *found)
{
	static const int order[] = { ROW_STRANDED, ROW_TICK, ROW_DEBT, ROW_BURST, ROW_THREADS, ROW_OWN };
	struct cause_view kernel = { .cause = "kernel", .why = "under rules that other kernels have this does not happen" };

	for (int i = OTHER_EXPIRY; i <= OTHER_NEWEST; i++) {
		const struct group_result *r = result_group(j->s->others[i].result, j->g->path);
		u64 gone;

		if (!much_better(j, &j->s->others[i]))
			continue;
		gone = j->r->stat.nr_throttled - min_u64(r->stat.nr_throttled, j->r->stat.nr_throttled);
		gone = max_u64(gone, found[ROW_STRANDED].periods);
		for (size_t k = 0; k < ARRAY_SIZE(order) && gone; k++) {
			struct cause_view *from = &found[order[k]];
			u64 nr = min_u64(gone, from->periods), time = nr ? (u64)((double)from->time * (double)nr / (double)from->periods) : 0;

			kernel.periods += nr;
			kernel.time += time;
			from->periods -= nr;
			from->time -= time;
			gone -= nr;
		}
		return kernel;
	}
	return kernel;
}

static void judge_group(const struct judge *j, struct group_story *story, struct run_group_view *v)
{
	struct cause_view found[NR_ROWS] = { 0 }, kernel;

	for (u32 k = 0; k < j->g->nr_periods; k++) {
		const struct watch_period *p = &j->g->periods[k];
		int i = 0;

		if (!p->throttled)
			continue;
		while (!rows[i].holds(j, k))
			i++;
		found[i].periods += p->nr;
		found[i].time += p->stopped;
	}
	kernel = of_kernel(j, found);
	if (kernel.periods)
		story->causes[v->nr_causes++] = kernel;
	for (int i = 0; i < NR_ROWS; i++) {
		if (!found[i].periods)
			continue;
		story->causes[v->nr_causes] = found[i];
		story->causes[v->nr_causes].cause = rows[i].cause;
		story->causes[v->nr_causes++].why = rows[i].why;
	}
}

/* ---- the figures of a group ---- */

static bool is_in(const char *group, const char *path)
{
	size_t len = strlen(path);

	return !strncmp(group, path, len) && (!group[len] || group[len] == '/');
}

static void add_waits(struct run_group_view *v, const struct result *res)
{
	for (u32 i = 0; i < res->nr_tasks; i++) {
		const struct thread_result *t = &res->tasks[i].sum;

		if (!is_in(res->tasks[i].group, v->path))
			continue;
		v->wait_throttled += t->wait_throttled;
		v->wait_contended += t->wait_contended;
		v->longest_pause = max_u64(v->longest_pause, t->longest_pause);
	}
}

static int by_cpu(const void *a, const void *b)
{
	const struct run_spender *x = a, *y = b;

	return (x->cpu < y->cpu) - (x->cpu > y->cpu);
}

static void fill_spenders(struct scenario_story *s, const struct watch_worst *w, struct group_story *story, struct run_worst *out)
{
	struct run_spender all[RUN_SPENDERS + 1];
	u32 nr = 0;

	for (u32 i = 0; i <= s->sc.nr_tasks; i++) {
		if (!w->spent[i])
			continue;
		all[nr++] = (struct run_spender){ i < s->sc.nr_tasks ? s->sc.tasks[i].name : "forked threads", w->spent[i] };
		qsort(all, nr, sizeof(*all), by_cpu);
		nr = nr > RUN_SPENDERS ? RUN_SPENDERS : nr;
	}
	memcpy(story->spenders, all, nr * sizeof(*all));
	out->spenders = story->spenders;
	out->nr_spenders = nr;
}

static void fill_worst(struct scenario_story *s, const struct watch_group *g, struct group_story *story, struct run_worst *out)
{
	const struct watch_worst *w = &g->worst;
	const struct period_record *rec;

	if (w->number == UINT32_MAX)
		return;
	rec = watch_record(&s->watch, g, w->number);
	*out = (struct run_worst){ .start = w->period.start, .end = w->period.end, .throttled = w->period.stopped,
				   .cpus = w->period.most_cpus, .number = (u64)w->number + 1, .charged = w->period.cpu,
				   .nr_left_out = w->nr_left_out };
	if (rec) {
		out->granted = rec->granted;
		out->charged = rec->charged;
		out->stranded = rec->stranded;
		out->debt = rec->debt;
	}
	for (u32 i = 0; i < w->nr_stretches; i++) {
		const struct watch_stretch *st = &w->stretches[i];

		story->stretches[i] = (struct run_stretch){ st->start - w->period.start, st->end - st->start, st->cpu, st->most_cpus, st->stopped };
	}
	out->stretches = story->stretches;
	out->nr_stretches = w->nr_stretches;
	fill_spenders(s, w, story, out);
}

static void tell_group(struct scenario_story *s, u32 i)
{
	const struct watch_group *g = &s->watch.groups[i];
	struct run_group_view *v = &s->views[i];
	struct group_story *story = &s->stories[i];
	struct judge j = { .s = s, .g = g, .r = result_group(s->watch.result, g->path), .tick = SEC / s->sc.machine.hz };
	const struct group_result *free_run = result_group(s->others[OTHER_FREE].result, g->path);

	*v = (struct run_group_view){ .path = g->path, .quota = NEVER, .causes = story->causes };
	if (!j.r)
		return;
	j.span = s->watch.result->end - s->watch.result->start;
	v->wanted = j.wanted = free_run ? free_run->stat.usage : 0;
	v->quota = j.r->stat.quota;
	v->period = j.r->stat.period;
	v->burst = j.r->stat.burst;
	v->usage = j.r->stat.usage;
	v->active = j.r->active_periods;
	v->wall = j.r->wall_periods;
	v->throttled = j.r->stat.nr_throttled;
	v->throttled_time = j.r->stat.throttled_time;
	add_waits(v, s->watch.result);
	judge_group(&j, story, v);
	if (g->above_periods)
		story->causes[v->nr_causes++] = (struct cause_view){ "parent", "a group above it was throttled; its own counters hide that",
								     g->above_periods, g->above_stopped };
	if (v->wait_contended * 100 > v->wait_contended + v->wait_throttled)
		story->causes[v->nr_causes++] = (struct cause_view){ "contention", "ready behind other work, not throttled: no limit changes that",
								     0, v->wait_contended };
	fill_worst(s, g, story, &v->worst);
}

static int tell(struct scenario_story *s, const char *path, struct err *err)
{
	const struct result *res = s->watch.result;
	u64 most = 0;

	s->stories = calloc(s->sc.nr_groups + 1, sizeof(*s->stories));
	s->views = calloc(s->sc.nr_groups + 1, sizeof(*s->views));
	if (!s->stories || !s->views)
		return err_set(err, ERR_HOST, "out of memory");
	s->view = (struct explain_run_view){ .scenario = s->sc.name, .row = res->model.row, .span = res->end - res->start, .seed = res->seed,
					     .cpus = res->nr_cpus, .hz = s->sc.machine.hz, .digest = res->digest, .groups = s->views,
					     .nr_groups = s->sc.nr_groups, .shown = s->sc.nr_groups };
	for (u32 i = 0; i < s->sc.nr_groups; i++) {
		tell_group(s, i);
		if (s->views[i].worst.throttled > most) {
			most = s->views[i].worst.throttled;
			s->view.shown = i;
		}
	}
	scenario_story_say(s, path);
	s->view.sentences = (const char *const *)s->sentences.v;
	s->view.nr_sentences = s->sentences.nr;
	return 0;
}

int scenario_story(struct scenario_story *s, struct source *src, struct run_options *opt, struct err *err)
{
	memset(s, 0, sizeof(*s));
	if (read_all(s, src, opt, err))
		return -1;
	pool_run(1 + NR_OTHERS, (u32)opt->jobs, run_one, s);
	if (!s->watch.result) {
		*err = s->watch_err;
		return -1;
	}
	return tell(s, src->path, err);
}

void scenario_story_fini(struct scenario_story *s)
{
	for (int i = 0; i < NR_OTHERS; i++) {
		result_free(s->others[i].result);
		if (s->others[i].wanted)
			scenario_free(&s->others[i].sc);
	}
	watch_fini(&s->watch);
	sentences_fini(&s->sentences);
	free(s->stories);
	free(s->views);
	if (s->read)
		scenario_free(&s->sc);
}
