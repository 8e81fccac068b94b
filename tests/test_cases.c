/* SPDX-License-Identifier: MIT */
/*
 * test_cases.c - what people reported, as scenarios with the known answer (tests/cases).
 *
 * Each file is a scenario; its "_case" says what was reported or measured and which figures must lie where.  A figure that the model
 * is known to miss carries "off", the reason, and must lie outside: a surprise is a failure too.  A figure that the real thing left to
 * chance carries "chance", on what it hangs: of 25 runs, each with another seed and periods where that seed puts them, some must lie inside
 * and some outside.
 */
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>

#include "input/scenario_file.h"
#include "sim/machine.h"
#include "text/json.h"

#define CASES "tests/cases"
#define PHASES 25 /* of an over_phase figure: 4 ms apart over a period of 100 ms */
#define CHANCES 25 /* seeds that a figure of chance is tried with, from 1 on */

struct reported {
	char path[300];
	char *text;
	size_t len;
	struct arena mem;
	struct json *meta;
	struct scenario sc;
	struct result *res;
};

static char *read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	*len = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

static struct result *play(const struct scenario *sc)
{
	struct err err = { 0 };
	char why[1024];
	struct result *res = machine_run(sc, NULL, &err);

	if (!res)
		print_error("%s\n", err_text(&err, why, sizeof(why)));
	assert_non_null(res);
	return res;
}

static void open_case(struct reported *c, const char *name)
{
	struct warnings warnings = { 0 };
	struct err err = { 0 };
	char why[1024];
	struct json *root;

	snprintf(c->path, sizeof(c->path), "%s/%s", CASES, name);
	c->text = read_all(c->path, &c->len);
	if (scenario_read(c->path, c->text, c->len, &c->sc, &warnings, &err)) {
		print_error("%s\n", err_text(&err, why, sizeof(why)));
		fail();
	}
	root = json_parse(c->path, c->text, c->len, &c->sc.mem, NULL, &err);
	assert_non_null(root);
	c->meta = (struct json *)json_get(root, "_case");
	assert_non_null(c->meta);
	c->res = play(&c->sc);
	warnings_free(&warnings);
}

static void close_case(struct reported *c)
{
	result_free(c->res);
	scenario_free(&c->sc);
	free(c->text);
}

/* ---- figures ---- */

static const struct group_result *group_of(const struct result *res, const char *path)
{
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path))
			return &res->groups[i];
	return NULL;
}

/* Is the task called @name, or a copy of it, "name_3"? */
static bool is_copy(const char *task, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(task, name, len))
		return false;
	return !task[len] || (task[len] == '_' && strspn(task + len + 1, "0123456789") == strlen(task + len + 1));
}

static double seconds(const struct result *res) { return (double)(res->end - res->start) / 1e9; }

static double group_figure(const struct result *res, const char *path, const char *what)
{
	const struct group_result *g = group_of(res, path);
	const struct group_stat *st;

	assert_non_null(g);
	st = &g->stat;
	if (!strcmp(what, "usage_ms"))
		return (double)st->usage / 1e6;
	if (!strcmp(what, "usage_ms_per_s"))
		return (double)st->usage / 1e6 / seconds(res);
	if (!strcmp(what, "nr_periods"))
		return (double)st->nr_periods;
	if (!strcmp(what, "nr_throttled"))
		return (double)st->nr_throttled;
	if (!strcmp(what, "nr_bursts"))
		return (double)st->nr_bursts;
	if (!strcmp(what, "throttled_ratio"))
		return (double)st->nr_throttled / (double)(st->nr_periods ? st->nr_periods : 1);
	if (!strcmp(what, "throttled_time_ms"))
		return (double)st->throttled_time / 1e6;
	if (!strcmp(what, "throttled_time_ms_per_s"))
		return (double)st->throttled_time / 1e6 / seconds(res);
	assert_string_equal(what, "burst_time_ms");
	return (double)st->burst_time / 1e6;
}

static double latency(struct task_result *t, const char *which)
{
	struct samples *s = &t->sum.latency;

	if (!strcmp(which, "max"))
		return (double)samples_max(s) / 1e6;
	return (double)samples_percentile(s, strtod(which + 1, NULL) / 100) / 1e6;
}

/* Copies of one task: times add up or the longest counts, middle percentiles are averaged. */
static double task_figure(const struct result *res, const char *name, const char *what)
{
	double sum = 0, most = 0, all = 0;
	u32 i, nr = 0;

	for (i = 0; i < res->nr_tasks; i++) {
		struct task_result *t = &res->tasks[i];
		double v = 0;

		all += (double)t->sum.runtime;
		if (strcmp(name, "*") && !is_copy(t->name, name))
			continue;
		if (!strcmp(what, "share"))
			v = (double)t->sum.runtime;
		else if (!strcmp(what, "done"))
			v = (double)t->sum.loops;
		else if (!strcmp(what, "longest_pause_ms"))
			v = (double)t->sum.longest_pause / 1e6;
		else
			v = latency(t, strchr(what, '.') + 1);
		sum += v;
		most = v > most ? v : most;
		nr++;
	}
	assert_true(nr > 0);
	if (!strcmp(what, "share"))
		return sum / all;
	if (!strcmp(what, "done"))
		return sum;
	return strstr(what, "p50") || strstr(what, "p95") ? sum / nr : most;
}

/* The shortest or longest p50 when the load starts elsewhere in the period. */
static double over_phase(struct reported *c, const char *name, bool least)
{
	double found = least ? 1e18 : 0;
	u64 i;

	for (i = 0; i < PHASES; i++) {
		struct result *res;
		double v;

		c->sc.start_phase = i * 4 * MS;
		res = play(&c->sc);
		v = task_figure(res, name, "latency_ms.p50");
		found = least ? (v < found ? v : found) : (v > found ? v : found);
		result_free(res);
	}
	c->sc.start_phase = 0;
	return found;
}

/* The share of a task's loops that took longer than so many ms. */
static double slower_than(const struct result *res, const char *name, const char *ms)
{
	u32 i;

	for (i = 0; i < res->nr_tasks; i++) {
		const struct samples *s = &res->tasks[i].sum.latency;
		u64 k, slow = 0;

		if (strcmp(res->tasks[i].name, name))
			continue;
		for (k = 0; k < s->nr; k++)
			slow += (double)s->v[k] > strtod(ms, NULL) * 1e6;
		return (double)slow / (double)s->nr;
	}
	fail_msg("no task %s", name);
	return 0;
}

/* "group /g usage_ms_per_s", "task hog share", "ratio /a /b", "over_phase req min", "slower burn 50". */
static double figure(struct reported *c, const char *text)
{
	char kind[32], first[256], second[64] = "";

	assert_true(sscanf(text, "%31s %255s %63s", kind, first, second) >= 2);
	if (!strcmp(kind, "group"))
		return group_figure(c->res, first, second);
	if (!strcmp(kind, "ratio"))
		return group_figure(c->res, first, "usage_ms") / group_figure(c->res, second, "usage_ms");
	if (!strcmp(kind, "over_phase"))
		return over_phase(c, first, !strcmp(second, "min"));
	if (!strcmp(kind, "all"))
		return task_figure(c->res, "*", first);
	if (!strcmp(kind, "slower"))
		return slower_than(c->res, first, second);
	assert_string_equal(kind, "task");
	return task_figure(c->res, first, second);
}

static double number(const struct json *v)
{
	assert_non_null(v);
	return strtod(v->text, NULL);
}

static bool lies_inside(struct reported *c, const struct json *e)
{
	double v = figure(c, json_get(e, "figure")->text);

	return v >= number(json_get(e, "min")) && v <= number(json_get(e, "max"));
}

/* With how many of the seeds does it lie inside, each group's periods where the seed puts them? */
static u32 times_inside(struct reported *c, const struct json *e)
{
	struct result *own = c->res;
	u64 seed = c->sc.seed;
	u32 i, nr = 0;

	for (i = 0; i < c->sc.nr_groups; i++)
		c->sc.groups[i].phase_set = false;
	for (c->sc.seed = 1; c->sc.seed <= CHANCES; c->sc.seed++) {
		c->res = play(&c->sc);
		nr += lies_inside(c, e);
		result_free(c->res);
	}
	c->sc.seed = seed;
	c->res = own;
	return nr;
}

static u32 check_chance(struct reported *c, const struct json *e)
{
	u32 nr = times_inside(c, e);

	if (nr && nr < CHANCES)
		return 0;
	print_error("%s: %s is inside with %u of %u seeds, but said to be left to chance: %s\n", c->path, json_get(e, "figure")->text, nr,
		    CHANCES, json_get(e, "chance")->text);
	return 1;
}

/* Figures of chance come last: they are run without the phases that the file gives its groups. */
static u32 check_chances(struct reported *c)
{
	const struct json *e;
	u32 wrong = 0;

	for (e = json_get(c->meta, "expected")->child; e; e = e->next)
		if (json_get(e, "chance"))
			wrong += check_chance(c, e);
	return wrong;
}

static u32 check_case(struct reported *c)
{
	const struct json *e;
	u32 wrong = 0;

	for (e = json_get(c->meta, "expected")->child; e; e = e->next) {
		const struct json *off = json_get(e, "off");
		double lo = number(json_get(e, "min")), hi = number(json_get(e, "max"));
		double v = figure(c, json_get(e, "figure")->text);
		bool inside = v >= lo && v <= hi;

		if (inside == !off)
			continue;
		wrong++;
		print_error("%s: %s is %.4f, %s %g .. %g%s%s\n", c->path, json_get(e, "figure")->text, v,
			    inside ? "inside" : "not in", lo, hi, off ? ", but known to miss: " : "", off ? off->text : "");
	}
	return wrong + check_chances(c);
}

/* Every reported case comes out as it was reported, or misses for the reason that it states. */
TEST(cases, come_out)
{
	DIR *dir = opendir(CASES);
	struct dirent *d;
	u32 nr = 0, wrong = 0;

	assert_non_null(dir);
	while ((d = readdir(dir))) {
		struct reported c;

		if (!strstr(d->d_name, ".json"))
			continue;
		memset(&c, 0, sizeof(c));
		open_case(&c, d->d_name);
		wrong += check_case(&c);
		close_case(&c);
		nr++;
	}
	closedir(dir);
	CHECK(nr >= 25);
	CHECK_EQ(wrong, 0);
}

TEST_MAIN("cases")
