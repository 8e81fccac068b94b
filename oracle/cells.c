/* SPDX-License-Identifier: MIT */
/*
 * cells.c - the one table of what is compared and how near is near enough.
 *
 *	allowed = max(share of the real value, so many counts, so many ticks)
 *
 * Law: a tolerance says how far the real thing differs from itself: reruns of a case, the grain of its clock, the moment of
 * the reading.  A row names its reason; a case that needs more room than others is an exception below the table, with
 * its reason, and never a row of its own.
 */
#include "oracle/cells.h"

#include <stdlib.h>
#include <string.h>

struct room {
	double share;	    /* of the real value */
	double counts;	    /* for counts */
	double ticks;	    /* for times */
	bool each_cpu;	    /* the ticks count once for each CPU the case uses */
	double us_each_cpu; /* us for each CPU the case uses */
	bool factor_2;	    /* half to twice the real value, where that is 20 or more */
	const char *text;
};

static const struct figure_row {
	const char *name;
	bool is_time;
	struct room pinned, free;
	const char *reason;
} figures[NR_CELL_FIGURES] = {
	[CELL_USAGE] = { "usage", true, { .share = .01, .ticks = 1, .text = "1 % or one tick" },
			 { .share = .02, .ticks = 1, .text = "2 % or one tick" },
			 "a running thread is charged at its ticks, so a window holds up to one tick more or less; reruns differ by 0.5 %" },
	[CELL_PERIODS] = { "nr_periods", false, { .counts = 1, .text = "1" }, { .counts = 1, .text = "1" },
			   "the window ends on a boundary, and the reading falls on either side of it" },
	[CELL_NR_THROTTLED] = { "nr_throttled", false, { .share = .02, .counts = 1, .text = "1 or 2 %" },
				{ .share = .05, .counts = 5, .text = "5 or 5 %" },
				"counted at the same boundary; a group that just reaches its limit is throttled by its last 100 us" },
	[CELL_THROTTLED] = { "throttled", true, { .share = .08, .ticks = 1, .each_cpu = true, .text = "8 % or one tick per CPU" },
			     { .share = .10, .ticks = 1, .each_cpu = true, .text = "10 % or one tick per CPU" },
			     "a sum over CPUs, each of which stops at a tick; reruns differ by up to 8 %" },
	[CELL_NR_BURSTS] = { "nr_bursts", false, { .counts = 1, .text = "1" }, { .counts = 1, .text = "1" },
			     "counted at the same boundary as nr_periods" },
	[CELL_BURST] = { "burst", true, { .share = .08, .ticks = 1, .each_cpu = true, .text = "8 % or one tick per CPU" },
			 { .share = .30, .ticks = 1, .each_cpu = true, .text = "30 % or one tick per CPU" },
			 "what is used above the quota also ends at a tick" },
	[CELL_CPU] = { "cpu", true, { .share = .02, .text = "2 %" }, { .share = .05, .text = "5 %" },
		       "threads of one set, summed: which of them a tick falls to is one sample" },
	[CELL_THREAD_CPU] = { "cpu by thread", true, { .text = "-" }, { .text = "10 % of the mean" },
			      "threads in the order of what they got; the mean, and the mean and how far that one is off which is farthest: who had to share a CPU, and how often "
			      "they changed places" },
	[CELL_MIGRATIONS] = { "migrations", false, { .text = "-" }, { .counts = 10, .factor_2 = true, .text = "half to twice of 20 and more, else 10" },
			      "summed over threads: each is chance, how often the kernel moves somebody is not" },
	[CELL_RESPONSE_P50] = { "response p50", true, { .share = .10, .text = "10 %" }, { .share = .10, .text = "10 %" },
				"reruns differ by 2 %, more where the distribution jumps" },
	[CELL_RESPONSE_SHARE] = { "response share", false, { .text = "-" }, { .counts = 5, .text = "5 points" },
				  "more threads than CPUs are released at once: some run, others wait, and the median is at the jump between them, where "
				  "reruns move it by 2 to 4 ms; so what counts is how many per cent of the model's samples are up to the real median: 50" },
	[CELL_RESPONSE_P99] = { "response p99", true, { .share = .15, .ticks = 1, .text = "15 % or one tick" },
				{ .share = .15, .ticks = 1, .text = "15 % or one tick" }, "reruns differ by a tick" },
	[CELL_WAKE_P50] = { "wake lateness p50", true, { .share = .10, .us_each_cpu = 10, .text = "10 % or 10 us per busy CPU" },
			    { .share = .10, .us_each_cpu = 10, .text = "10 % or 10 us per busy CPU" },
			    "the emulator gives busy CPUs turns of 5 us, and an interrupt waits for its turn" },
	[CELL_WAKE_SHARE] = { "wake lateness share", false, { .text = "-" }, { .counts = 5, .text = "5 points" }, "the same" },
	[CELL_WAKE_P99] = { "wake lateness p99", true, { .share = .10, .us_each_cpu = 10, .text = "10 % or 10 us per busy CPU" },
			    { .share = .10, .us_each_cpu = 10, .text = "10 % or 10 us per busy CPU" }, "the same" },
};

static const struct {
	const char *what, *why;
} left_out[] = {
	{ "threads whose burns are below 20 us: their CPU time and responses", "such a burn is a calibrated loop, and the wakeup costs more than it" },
	{ "CPU time of threads that spend it in one system call", "a call that the window's end finds running goes on to its own end" },
	{ "work done per CPU second", "with two busy virtual CPUs an instruction takes twice its time" },
	{ "bursts on 5.10", "it has none: those cases ran without" },
	{ "p50 of fewer than 4 samples, p99 of fewer than 50", "it would be a single one; of 50 and more, one rank up or down counts as well: the first release falls on either side of the window's start" },
	{ "what the real kernel counts as 0", "counted apart: a share of nothing says nothing" },
};

bool cell_is_time(enum cell_figure figure) { return figures[figure].is_time; }
const char *cell_figure_name(enum cell_figure figure) { return figures[figure].name; }
bool cell_of_zero(const struct cell *c) { return c->real == 0; }
/* From the nearest of the real runs. */
static double apart(const struct cell *c)
{
	if (c->model < c->least)
		return c->least - c->model;
	return c->model > c->most ? c->model - c->most : 0;
}
static double larger(double a, double b) { return a > b ? a : b; }

bool cell_inside(const struct cell *c) { return apart(c) <= c->tolerance; }

double cell_off(const struct cell *c) { return c->tolerance > 0 ? apart(c) / c->tolerance : apart(c); }

bool tolerance_text(u32 index, struct tolerance_text *text)
{
	if (index >= NR_CELL_FIGURES)
		return false;
	*text = (struct tolerance_text){ figures[index].name, figures[index].pinned.text, figures[index].free.text,
					 figures[index].reason };
	return true;
}

bool left_out_text(u32 index, const char **what, const char **why)
{
	if (index >= ARRAY_SIZE(left_out))
		return false;
	*what = left_out[index].what;
	*why = left_out[index].why;
	return true;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

#define RANKS_MATTER 50 /* samples: below, a neighbour is another figure */

static u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

u64 quantile(struct samples *s, double q)
{
	if (!s->nr)
		return 0;
	if (!s->sorted)
		qsort(s->v, s->nr, sizeof(*s->v), by_value);
	s->sorted = true;
	return s->v[(u64)((double)(s->nr - 1) * q + .5)];
}

/*
 * The first sample of a window falls on either side of its start, so a rank is known to one: of the model's values at that rank and its
 * neighbours the nearest to @real counts.  It matters where a distribution jumps: half of all wakeups wait, and the median is at the jump.
 */
u64 quantile_near(struct samples *s, double q, u64 real)
{
	u64 best = quantile(s, q), rank, i;

	if (s->nr < RANKS_MATTER)
		return best;
	rank = (u64)((double)(s->nr - 1) * q + .5);
	for (i = rank - 1; i <= rank + 1 && i < s->nr; i++)
		if (distance(s->v[i], real) < distance(best, real))
			best = s->v[i];
	return best;
}

struct judge {
	const struct measured *m;
	struct played *p;
	bool pinned, phase_unknown;
	void (*each)(void *ctx, const struct cell *c);
	void *ctx;
};

/*
 * Without the fix, on 16 and 36 CPUs, the group uses a third and less of its quota, and which CPU finds the pool empty is
 * decided within microseconds: reruns of the same boot differ by 4.4 %.
 */
static bool reruns_scatter(const struct judge *j)
{
	return j->m->guest->rule && !strcmp(j->m->guest->rule, "bw_expiry=seq") && j->m->vcpus >= 16;
}

/* Throttles of sleepers add up on many CPUs, and a wakeup's microseconds decide whether one is throttled. */
static bool many_sleepers(const struct judge *j)
{
	return wl_family(&j->m->spec) == WL_FAMILY_FIBTEST && j->m->vcpus >= 8;
}

/* What a group's threads want of its quota; a hog wants all there is. */
static double demand_share(const struct judge *j, u32 group)
{
	const struct wl_spec *spec = &j->m->spec;
	double want = 0;

	for (u32 i = 0; i < spec->nr_sets; i++) {
		const struct wl_set *s = &spec->sets[i];
		double turn = (double)s->burn + (s->kind == WL_SLEEP ? (double)s->sleep : 0);

		if (s->group != group)
			continue;
		if (s->kind == WL_EVERY || s->kind == WL_CEVERY)
			turn = (double)s->sleep;
		want += s->kind == WL_HOG || s->kind == WL_CHOG || turn <= 0 ? s->count : s->count * (double)s->burn / turn;
	}
	return want * (double)spec->groups[group].period / (double)spec->groups[group].quota;
}

static bool rerun_differs(const struct judge *j, u32 group, double share)
{
	double a = (double)j->m->groups[group].throttled, b = j->m->again ? (double)j->m->again->groups[group].throttled : a;

	return (a > b ? a - b : b - a) > share * a;
}

#define THROTTLED_LOOSE .30

/*
 * Threads that choose their CPU and want just about their quota: the last 100 us of a period decide whether a CPU is stopped until the next.  Where
 * nobody knows the period's phase the same load differs from itself by as much (shot24x10-e200-q200 and its series: 6.36 and 3.80 s on 6.12).
 */
static bool throttled_is_loose(const struct judge *j, u32 group)
{
	double demand = demand_share(j, group);

	return j->phase_unknown || (demand > .95 && demand < 1.05) || rerun_differs(j, group, figures[CELL_THROTTLED].free.share);
}

static double share_of(const struct judge *j, enum cell_figure f, u32 group, const struct room *room)
{
	if (f == CELL_THROTTLED && !j->pinned && throttled_is_loose(j, group))
		return THROTTLED_LOOSE;
	if (f == CELL_USAGE && reruns_scatter(j))
		return .05;
	if (f == CELL_THROTTLED && j->pinned && many_sleepers(j))
		return .15;
	return room->share;
}

/* One quota more or less in the window, where nobody knows at which moment in it the periods begin. */
static double phase_room(const struct judge *j, enum cell_figure f)
{
	u64 most = 0;

	if (!j->phase_unknown || (f != CELL_USAGE && f != CELL_CPU))
		return 0;
	for (u32 i = 0; i < j->m->spec.nr_groups; i++)
		if (j->m->spec.groups[i].limited)
			most = max_u64(most, j->m->spec.groups[i].quota);
	return (double)most;
}

#define FACTOR_2_FROM 20 /* migrations */

static double tolerance(const struct judge *j, const struct cell *c)
{
	enum cell_figure f = c->figure;
	const struct room *room = j->pinned ? &figures[f].pinned : &figures[f].free;
	double real = c->real;
	double cpus = wl_busy_cpus(&j->m->spec, j->m->vcpus), tick = (double)SEC / j->m->hz;
	double t = share_of(j, f, c->group, room) * real;

	if (room->factor_2 && real >= FACTOR_2_FROM)
		return c->model < real ? real / 2 : real;
	t = larger(t, room->counts);
	t = larger(t, room->ticks * tick * (room->each_cpu ? cpus : 1));
	t = larger(t, room->us_each_cpu * (double)US * cpus);
	return t + phase_room(j, f);
}

/* A figure in the line: its median, its least and its most. */
struct real {
	u64 median, least, most;
};

#define REAL_OF(kind, i, field)                                                                                 \
	((struct real){ j->m->kind[i].field, (j->m->least_##kind ? j->m->least_##kind : j->m->kind)[i].field,     \
			(j->m->most_##kind ? j->m->most_##kind : j->m->kind)[i].field })

static void judge(struct judge *j, struct cell *c, struct real real, u64 model)
{
	c->real = (double)real.median;
	c->least = (double)real.least;
	c->most = (double)real.most;
	c->model = (double)model;
	if (!c->tolerance)
		c->tolerance = tolerance(j, c);
	j->each(j->ctx, c);
}

static void judge_group(struct judge *j, u32 group, enum cell_figure f, struct real real, u64 model)
{
	struct cell c = { .figure = f, .group = group, .of_group = true };

	judge(j, &c, real, model);
}

static void judge_set(struct judge *j, u32 set, enum cell_figure f, struct real real, u64 model)
{
	struct cell c = { .figure = f, .set = set, .group = j->m->spec.sets[set].group };

	judge(j, &c, real, model);
}

static void judge_group_cells(struct judge *j, u32 i)
{
	const struct measured_group *real = &j->m->groups[i];
	const struct played_group *model = &j->p->groups[i];

	judge_group(j, i, CELL_USAGE, REAL_OF(groups, i, usage), model->usage);
	if (!j->m->spec.groups[i].limited || !real->has_bandwidth)
		return;
	judge_group(j, i, CELL_PERIODS, REAL_OF(groups, i, nr_periods), model->nr_periods);
	judge_group(j, i, CELL_NR_THROTTLED, REAL_OF(groups, i, nr_throttled), model->nr_throttled);
	judge_group(j, i, CELL_THROTTLED, REAL_OF(groups, i, throttled), model->throttled);
	if (!real->has_burst || !(j->m->spec.groups[i].burst || real->nr_bursts || model->nr_bursts))
		return; /* nobody speaks of bursts */
	judge_group(j, i, CELL_NR_BURSTS, REAL_OF(groups, i, nr_bursts), model->nr_bursts);
	judge_group(j, i, CELL_BURST, REAL_OF(groups, i, burst), model->burst);
}

static void judge_times(struct judge *j, u32 set, enum cell_figure f, struct real real, struct samples *model, double q)
{
	judge_set(j, set, f, real, quantile_near(model, q, real.median));
}

/* ---- where CPUs are chosen ---- */

/* More threads than there are CPUs are released at one moment: some run at once, the others wait for them. */
static bool is_crowd(const struct judge *j, const struct wl_set *s)
{
	return s->free && s->kind == WL_EVERY && !s->stagger && s->count > j->m->vcpus;
}

/* How many per cent of the samples, in whole points, are up to @real: as near to 50 as what lies within @near of it allows. */
static u64 share_up_to(struct samples *s, double real, double near)
{
	u64 below = 0, up_to = 0;

	for (u64 i = 0; i < s->nr; i++) {
		below += (double)s->v[i] < real - near;
		up_to += (double)s->v[i] <= real + near;
	}
	if (!s->nr)
		return 0;
	below = below * 100 / s->nr;
	up_to = up_to * 100 / s->nr;
	return below > 50 ? below : up_to < 50 ? up_to : 50;
}

/* The median: itself, or in a crowd, where it is at a jump, the shares on its two sides. */
static void judge_median(struct judge *j, u32 set, enum cell_figure f, struct real real, struct samples *model)
{
	struct cell c = { .figure = f, .set = set, .group = j->m->spec.sets[set].group, .real = (double)real.median };
	const struct real half = { 50, 50, 50 };

	if (!is_crowd(j, &j->m->spec.sets[set]))
		judge_times(j, set, f, real, model, .50);
	else
		judge_set(j, set, f == CELL_WAKE_P50 ? CELL_WAKE_SHARE : CELL_RESPONSE_SHARE, half,
			  share_up_to(model, c.real, tolerance(j, &c)));
}

#define THREADS_APART .10 /* of their mean */

/* Both sorted: how far the thread is off its counterpart that is farthest; said as the mean, and as the mean and that. */
static void judge_threads(struct judge *j, u32 set)
{
	const struct wl_set *s = &j->m->spec.sets[set];
	const u64 *real = j->m->sets[set].thread_cpu;
	struct samples *model = &j->p->sets[set].thread_cpu;
	struct cell c = { .figure = CELL_THREAD_CPU, .set = set, .group = s->group };
	u64 worst = 0, mean = j->m->sets[set].cpu / s->count;

	if (j->pinned || s->count < 2 || !real || model->nr != s->count)
		return;
	quantile(model, 0); /* sorts */
	for (u32 i = 0; i < s->count; i++)
		worst = max_u64(worst, distance(real[i], model->v[i]));
	c.tolerance = THREADS_APART * (double)mean + phase_room(j, CELL_CPU) / s->count;
	judge(j, &c, (struct real){ mean, mean, mean }, mean + worst);
}

static void judge_migrations(struct judge *j, u32 set)
{
	u64 real = j->m->sets[set].migrations;

	if (!j->pinned && real != NEVER)
		judge_set(j, set, CELL_MIGRATIONS, (struct real){ real, real, real }, j->p->sets[set].migrations);
}

/* ---- figures of one set ---- */

static bool has_p50(const struct measured_times *t) { return t->n >= 4; }
static bool has_p99(const struct measured_times *t) { return t->n >= 50; }

static void judge_set_cells(struct judge *j, u32 i)
{
	const struct wl_set *s = &j->m->spec.sets[i];
	const struct measured_set *real = &j->m->sets[i];
	struct played_set *model = &j->p->sets[i];
	bool hog = s->kind == WL_HOG || s->kind == WL_CHOG, call = s->kind == WL_ZREAD || s->kind == WL_POLL;

	if (hog || (wl_timed_burns(s) && !call))
		judge_set(j, i, CELL_CPU, REAL_OF(sets, i, cpu), model->cpu);
	judge_threads(j, i);
	judge_migrations(j, i);
	if (hog)
		return;
	if (wl_timed_burns(s) && has_p50(&real->response)) {
		judge_median(j, i, CELL_RESPONSE_P50, REAL_OF(sets, i, response.p50), &model->response);
		if (has_p99(&real->response))
			judge_times(j, i, CELL_RESPONSE_P99, REAL_OF(sets, i, response.p99), &model->response, .99);
	}
	if (has_p50(&real->wake_late)) {
		judge_median(j, i, CELL_WAKE_P50, REAL_OF(sets, i, wake_late.p50), &model->wake);
		if (has_p99(&real->wake_late))
			judge_times(j, i, CELL_WAKE_P99, REAL_OF(sets, i, wake_late.p99), &model->wake, .99);
	}
}

void cells_judge(const struct measured *m, struct played *p, bool phase_unknown, void (*each)(void *ctx, const struct cell *c),
		 void *ctx)
{
	struct judge j = { .m = m, .p = p, .pinned = wl_pinned(&m->spec), .phase_unknown = phase_unknown, .each = each,
			   .ctx = ctx };

	for (u32 i = 0; i < m->spec.nr_groups; i++)
		judge_group_cells(&j, i);
	for (u32 i = 0; i < m->spec.nr_sets; i++)
		judge_set_cells(&j, i);
}
