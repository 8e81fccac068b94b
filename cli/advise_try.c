/* SPDX-License-Identifier: MIT */
/* advise_try.c - a workload tried under a change, at every phase of its period. */
#include "cli/advise_try.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain_scenario.h"
#include "cli/pool.h"
#include "text/format.h"
#include "text/number.h"
#include "text/say.h"
#include "trace/rethread.h"

#define MEAN 2.0
#define WHOLE 1000000 /* millionths */

/* ---- targets ---- */

static int bad_target(const char *text, struct err *err)
{
	char shown[96];

	err_set(err, ERR_INPUT, "--target \"%s\": expected FIGURE<TIME", say(shown, sizeof(shown), text));
	err_hint(err, "FIGURE is p50, p90, p95, p99, p99.9, max or mean, as in 'p99<50ms'; quotes keep the shell from reading <");
	return -1;
}

static bool read_figure(struct target *t, const char *text, size_t len)
{
	u64 millionths;

	if (len == 3 && !memcmp(text, "max", 3))
		t->share = 1;
	else if (len == 4 && !memcmp(text, "mean", 4))
		t->share = MEAN;
	else if (len > 1 && text[0] == 'p' && num_scaled(text + 1, len - 1, 10000, WHOLE, &millionths) == NUM_OK && millionths)
		t->share = (double)millionths / WHOLE;
	else
		return false;
	return true;
}

int target_parse(struct target *t, const char *text, struct err *err)
{
	size_t len = strcspn(text, "<=> ");
	const char *p = text + len + strspn(text + len, " ");

	memset(t, 0, sizeof(*t));
	if (!read_figure(t, text, len) || *p != '<')
		return bad_target(text, err);
	t->equal_is_met = p[1] == '=';
	p += t->equal_is_met ? 2 : 1;
	p += strspn(p, " ");
	if (parse_time(p, "ms", "--target", &t->most, err))
		return -1;
	if (!t->most)
		return bad_target(text, err);
	t->of_latency = true;
	snprintf(t->text, sizeof(t->text), "%s", text);
	return 0;
}

int target_no_throttle(struct target *t, const char *share, struct err *err)
{
	size_t len = strlen(share);
	bool percent = len && share[len - 1] == '%';
	char shown[96];
	u64 kept;

	memset(t, 0, sizeof(*t));
	if (num_scaled(share, percent ? len - 1 : len, percent ? WHOLE / 100 : WHOLE, WHOLE, &kept) != NUM_OK) {
		err_set(err, ERR_INPUT, "--no-throttle \"%s\": expected a share of periods from 0 to 1, as in 0.99 or 99%%", say(shown, sizeof(shown), share));
		return -1;
	}
	t->most = WHOLE - kept;
	t->equal_is_met = true;
	if (kept == WHOLE)
		snprintf(t->text, sizeof(t->text), "no throttled period at all");
	else
		snprintf(t->text, sizeof(t->text), "at most %.4g %% of active periods throttled", (double)t->most * 100 / WHOLE);
	return 0;
}

static bool meets(const struct target *t, u64 value) { return value < t->most || (t->equal_is_met && value == t->most); }

/* ---- the subject ---- */

static bool is_in(const char *group, const char *path)
{
	size_t len = strlen(path);

	return !strncmp(group, path, len) && (!group[len] || group[len] == '/');
}

static int not_clear(const struct scenario *sc, const char *group, const char *first, struct err *err)
{
	char shown[96];

	if (group)
		err_set(err, ERR_INPUT, "--group: there is no group \"%s\"", say(shown, sizeof(shown), group));
	else if (sc->nr_groups)
		err_set(err, ERR_INPUT, "which group is it about?");
	else
		err_set(err, ERR_INPUT, "the scenario has no group, so there is no limit to find");
	if (sc->nr_groups)
		err_hint(err, "say it, as in --group %s", say(shown, sizeof(shown), first ? first : sc->groups[0].path));
	return -1;
}

static void take_group(struct subject *s, const char *path, const struct group_stat *st)
{
	s->group = path;
	s->quota = st->quota;
	s->period = st->period;
	s->burst = st->quota == NEVER ? 0 : st->burst;
}

/* The limits as the kernel took them, once all writes of t = 0 have been made. */
static int find_group(struct subject *s, const char *group, struct machine *m, struct err *err)
{
	const char *first = NULL;
	u32 limited = 0;

	if (machine_run_until(m, 1, err))
		return -1;
	for (u32 i = 0; i < s->base.nr_groups; i++) {
		const char *path = s->base.groups[i].path;
		struct group_stat st;

		if (machine_group_stat(m, path, &st) || (group && strcmp(group, path)))
			continue;
		if (group || st.quota != RUNTIME_INF || s->base.nr_groups == 1) {
			first = first ? first : path;
			limited++;
			take_group(s, path, &st);
		}
	}
	return limited == 1 ? 0 : not_clear(&s->base, group, first, err);
}

static int of_scenario(struct subject *s, const char *group, struct err *err)
{
	struct machine_options none = { 0 };
	struct machine *m;
	int ret;

	if (source_scenario(s->source, &s->opt->variants[0], &s->base, err))
		return -1;
	s->base_read = true;
	s->name = s->base.name;
	s->cpus = s->base.machine.cpus;
	m = machine_create(&s->base, &none, err);
	if (!m)
		return -1;
	ret = find_group(s, group, m, err);
	machine_destroy(m);
	return ret;
}

static int of_trace(struct subject *s)
{
	const struct traced *t = s->traced;
	const char *path = t->rec.sc.groups[0].path;

	s->name = t->path;
	s->group = path;
	s->quota = t->limit.quota;
	s->period = t->limit.period;
	s->burst = t->limit.burst;
	s->cpus = t->rec.sc.machine.cpus;
	return 0;
}

static const struct scenario *scenario_of(const struct subject *s) { return s->traced ? &s->traced->rec.sc : &s->base; }

static int check_task(const struct subject *s, const char *task, struct err *err)
{
	const struct scenario *sc = scenario_of(s);
	char shown[96];

	for (u32 i = 0; task && i < sc->nr_tasks; i++)
		if (!strcmp(sc->tasks[i].name, task))
			return 0;
	if (!task)
		return 0;
	return err_set(err, ERR_INPUT, "--task: there is no task \"%s\"", say(shown, sizeof(shown), task));
}

int subject_init(struct subject *s, const char *group, const char *task, struct err *err)
{
	const struct kernel_spec *k;

	s->task = task;
	if (s->traced ? of_trace(s) : of_scenario(s, group, err))
		return -1;
	snprintf(s->group_text, sizeof(s->group_text), "%s", s->group);
	k = &scenario_of(s)->kernel;
	model_init(&s->model, k->row ? k->row : newest_row());
	for (u32 i = 0; i < k->nr_rules; i++)
		model_set_rule(&s->model, k->rules[i], NULL);
	return check_task(s, task, err);
}

void subject_fini(struct subject *s)
{
	if (s->base_read)
		scenario_free(&s->base);
	s->base_read = false;
}

u32 subject_threads(const struct subject *s)
{
	u32 threads = 0;

	if (s->traced && s->traced->tr.light)
		return 0; /* counters: what each thread does when is not in them, so it cannot be handed to others */
	if (s->traced) {
		threads = rethread_pool(&s->traced->rec);
		return threads > 1 ? threads : 0;
	}

	for (u32 i = 0; i < s->base.nr_tasks; i++) {
		const struct workload *t = &s->base.tasks[i];

		if (t->instances > 1 && is_in(t->group ? t->group : "/", s->group))
			threads += t->instances;
	}
	return threads;
}

/* ---- one change, many phases ---- */

struct attempt {
	struct scenario sc;	 /* of the change */
	bool read;
	bool own_memory;	 /* a recording's, with other threads */
	struct variant variant;
	char limit[320];
	struct scenario *at;	 /* per phase; a scenario's */
	struct limited *limited; /* per phase; a recording's */
	struct result **results;
	struct err *errs;
	atomic_bool has_failed;
};

struct batch {
	const struct subject *s;
	struct trial *trials;
	struct machine_options opt;
	bool quick;
};

/* Copies are dealt over the tasks in proportion, at least one each. */
static void set_threads(const struct subject *s, struct scenario *sc, u32 threads)
{
	u32 all = subject_threads(s);

	for (u32 i = 0; threads && i < sc->nr_tasks; i++) {
		struct workload *t = &sc->tasks[i];

		if (t->instances > 1 && is_in(t->group ? t->group : "/", s->group))
			t->instances = (u32)max_u64(1, ((u64)t->instances * threads + all / 2) / all);
	}
}

static int prepare_scenario(const struct subject *s, struct attempt *a, const struct change *c, struct err *err)
{
	a->variant = s->opt->variants[0];
	if (c->quota == NEVER)
		snprintf(a->limit, sizeof(a->limit), "%s=max", s->group);
	else
		snprintf(a->limit, sizeof(a->limit), "%s=%" PRIu64 "/%" PRIu64 "+%" PRIu64, s->group, c->quota / US, c->period / US, c->burst / US);
	if (a->variant.nr_limits == CHANGES_MAX)
		return err_set(err, ERR_INPUT, "too many --limit options");
	a->variant.limits[a->variant.nr_limits++] = a->limit;
	if (c->kernel) {
		a->variant.kernel = c->kernel;
		a->variant.nr_rules = 0;
	}
	if (source_scenario(s->source, &a->variant, &a->sc, err))
		return -1;
	a->read = true;
	a->sc.machine.hz = s->base.machine.hz;
	if (c->kernel)
		a->sc.kernel.nr_rules = 0;
	if (s->opt->seed_set)
		a->sc.seed = s->opt->seed;
	if (s->opt->duration)
		a->sc.duration = s->opt->duration;
	set_threads(s, &a->sc, c->threads);
	a->at = calloc(s->phases, sizeof(*a->at));
	for (u32 k = 0; a->at && k < s->phases; k++) {
		a->at[k] = a->sc;
		a->at[k].start_phase += k * (c->period / s->phases);
	}
	return a->at ? 0 : err_set(err, ERR_HOST, "out of memory");
}

static int prepare_trace(const struct subject *s, struct attempt *a, const struct change *c, struct err *err)
{
	struct recover_limit limit = { c->quota, c->period, c->burst, s->traced->limit.phase };

	a->sc = s->traced->rec.sc;
	if (c->threads) {
		arena_init(&a->sc.mem, s->traced->rec.sc.mem.get, s->traced->rec.sc.mem.put, s->traced->rec.sc.mem.ctx);
		a->own_memory = true;
		if (rethread(&a->sc, &s->traced->rec, &s->traced->tl, c->threads, err))
			return -1;
	}
	if (c->kernel) {
		a->sc.kernel.row = c->kernel;
		a->sc.kernel.nr_rules = 0;
	}
	a->limited = calloc(s->phases, sizeof(*a->limited));
	if (!a->limited)
		return err_set(err, ERR_HOST, "out of memory");
	for (u32 k = 0; k < s->phases; k++) {
		if (s->traced->nr_ways) /* ways in turn: every answer is over them too */
			recover_place(&a->sc, &s->traced->ways[k % s->traced->nr_ways]);
		recover_under(&a->limited[k], &a->sc, &limit);
		/* It points into itself, so it must not be copied once it is made. */
		limit.phase = (s->traced->limit.phase + (k + 1) * c->period / s->phases) % c->period;
	}
	return 0;
}

static void merge_latency(const struct subject *s, const struct result *res, struct samples *all)
{
	for (u32 i = 0; i < res->nr_tasks; i++) {
		const struct task_result *t = &res->tasks[i];
		bool counts = s->traced ? i < s->traced->rec.sc.nr_tasks && s->traced->rec.counts[i] : is_in(t->group, s->group);

		if (s->task ? !strcmp(t->name, s->task) : counts)
			samples_merge(all, &t->sum.latency);
	}
}

struct seen {
	struct fate fate;
	u64 value, share, pause, borrowed, switches;
	bool met;
};

static void add_threads(const struct subject *s, const struct result *res, struct seen *out)
{
	u64 span = res->end - res->start;
	double switches = 0;

	for (u32 i = 0; i < res->nr_tasks; i++) {
		const struct thread_result *t = &res->tasks[i].sum;

		if (!is_in(res->tasks[i].group, s->group))
			continue;
		out->pause = max_u64(out->pause, t->longest_pause);
		switches += (double)(t->nvcsw + t->nivcsw);
	}
	out->switches = span ? (u64)(switches * 1000 * (double)SEC / (double)span) : 0;
}

static void look(const struct subject *s, const struct result *res, struct seen *out)
{
	static const double shares[NR_LATENCIES] = { 0.50, 0.90, 0.95, 0.99, 1.0 };
	const struct group_result *g = result_group(res, s->group);
	const struct target *t = &s->target;
	struct samples all = { 0 };

	memset(out, 0, sizeof(*out));
	if (g) {
		out->fate = (struct fate){ .throttled = g->stat.nr_throttled, .active = g->active_periods, .wall = g->wall_periods,
					   .usage = g->stat.usage, .throttled_time = g->stat.throttled_time };
		out->borrowed = g->stat.burst_time;
	}
	out->share = out->fate.active ? out->fate.throttled * WHOLE / out->fate.active : 0;
	add_threads(s, res, out);
	merge_latency(s, res, &all);
	out->fate.nr_latency = all.nr;
	out->fate.mean = samples_mean(&all);
	for (int i = 0; i < NR_LATENCIES; i++)
		out->fate.latency[i] = samples_percentile(&all, shares[i]);
	if (t->of_latency)
		out->value = t->share > 1 ? out->fate.mean : samples_percentile(&all, t->share);
	else
		out->value = out->share;
	out->met = meets(t, out->value) && (all.nr || !t->of_latency);
	samples_free(&all);
}

static void run_phase(void *ctx, u32 i)
{
	struct batch *b = ctx;
	struct attempt *a = b->trials[i / b->s->phases].attempt;
	u32 k = i % b->s->phases;
	struct seen seen;

	if ((!a->at && !a->limited) || (b->quick && atomic_load(&a->has_failed)))
		return;
	a->results[k] = machine_run(a->at ? &a->at[k] : &a->limited[k].sc, &b->opt, &a->errs[k]);
	if (!b->quick || !a->results[k])
		return;
	look(b->s, a->results[k], &seen);
	if (!seen.met)
		atomic_store(&a->has_failed, true);
}

/* ---- lowest and highest ---- */

#define WIDEN(field)                                                   \
	do {                                                           \
		lo->field = min_u64(lo->field, one->field);            \
		hi->field = max_u64(hi->field, one->field);            \
	} while (0)

static void widen(struct fate *lo, struct fate *hi, const struct fate *one)
{
	WIDEN(throttled);
	WIDEN(active);
	WIDEN(wall);
	WIDEN(usage);
	WIDEN(throttled_time);
	WIDEN(nr_latency);
	WIDEN(mean);
	for (int i = 0; i < NR_LATENCIES; i++)
		WIDEN(latency[i]);
}

static void take_phase(struct advise_row *r, const struct seen *seen, bool first)
{
	if (first) {
		r->fates.at = r->fates.lo = r->fates.hi = seen->fate;
		r->value = r->lo = r->hi = seen->value;
		r->switches_lo = seen->switches;
		r->met = true;
	}
	widen(&r->fates.lo, &r->fates.hi, &seen->fate);
	r->lo = min_u64(r->lo, seen->value);
	r->hi = max_u64(r->hi, seen->value);
	r->share_hi = max_u64(r->share_hi, seen->share);
	r->pause_hi = max_u64(r->pause_hi, seen->pause);
	r->borrowed_hi = max_u64(r->borrowed_hi, seen->borrowed);
	r->switches_lo = min_u64(r->switches_lo, seen->switches);
	r->switches_hi = max_u64(r->switches_hi, seen->switches);
	r->met = r->met && seen->met;
}

static void mark_failed(struct trial *t, const struct err *err)
{
	char text[256];

	snprintf(t->why_not, sizeof(t->why_not), "%.150s", err->message[0] ? err->message : err_text(err, text, sizeof(text)));
	t->row.failed = t->why_not;
	t->row.met = false;
}

static void sum_up(const struct batch *b, struct trial *t, struct attempt *a)
{
	const struct subject *s = b->s;
	struct advise_row *r = &t->row;
	struct seen seen;

	if (b->quick && atomic_load(&a->has_failed)) {
		r->met = false;
		return;
	}
	for (u32 k = 0; k < s->phases; k++) {
		if (!a->results[k]) {
			mark_failed(t, &a->errs[k]);
			if (s->stuck)
				*s->stuck = true;
			return;
		}
		look(s, a->results[k], &seen);
		take_phase(r, &seen, !k);
	}
	r->fates.runs = s->phases;
}

static void begin_trial(struct trial *t)
{
	struct advise_row *r = &t->row;
	const struct change *c = &t->change;

	trial_fini(t);
	*r = (struct advise_row){ .change = t->name, .limit = t->limit, .quota = c->quota, .period = c->period, .burst = c->burst };
	format_limit_burst(t->limit, c->quota, c->period, c->burst);
}

/* The first phase's result is kept for printing, and with it the scenario it points into. */
static void end_trial(const struct batch *b, struct trial *t)
{
	struct attempt *a = t->attempt;

	for (u32 k = 0; k < b->s->phases; k++) {
		if (k || b->quick || t->row.failed)
			result_free(a->results[k]);
		else
			t->row.fates.result = a->results[0];
	}
	t->row.fates.label = t->name;
	free(a->results);
	free(a->errs);
	a->results = NULL;
	a->errs = NULL;
	if (b->quick)
		trial_fini(t);
}

static int prepare(const struct batch *b, struct trial *t, struct err *err)
{
	struct attempt *a;
	struct err why = { 0 };

	begin_trial(t);
	a = t->attempt = calloc(1, sizeof(*a));
	if (!a)
		return err_set(err, ERR_HOST, "out of memory");
	a->results = calloc(b->s->phases, sizeof(*a->results));
	a->errs = calloc(b->s->phases, sizeof(*a->errs));
	if (!a->results || !a->errs)
		return err_set(err, ERR_HOST, "out of memory");
	if (b->s->traced ? prepare_trace(b->s, a, &t->change, &why) : prepare_scenario(b->s, a, &t->change, &why))
		a->errs[0] = why;
	return 0;
}

int trials_run(const struct subject *s, struct trial *trials, u32 nr, bool quick, struct err *err)
{
	struct batch b = { .s = s, .trials = trials, .quick = quick, .opt = machine_options_of(s->opt) };

	b.opt.want_periods = b.opt.want_threads = false;
	for (u32 i = 0; i < nr; i++)
		if (prepare(&b, &trials[i], err))
			return -1;
	pool_run(nr * s->phases, (u32)s->opt->jobs, run_phase, &b);
	for (u32 i = 0; i < nr; i++) {
		sum_up(&b, &trials[i], trials[i].attempt);
		end_trial(&b, &trials[i]);
	}
	return 0;
}

void trial_fini(struct trial *t)
{
	struct attempt *a = t->attempt;

	result_free(t->row.fates.result);
	t->row.fates.result = NULL;
	t->attempt = NULL;
	if (!a)
		return;
	free(a->results);
	free(a->errs);
	free(a->at);
	free(a->limited);
	if (a->read)
		scenario_free(&a->sc);
	if (a->own_memory)
		arena_fini(&a->sc.mem);
	free(a);
}
