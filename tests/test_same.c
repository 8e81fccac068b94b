/* SPDX-License-Identifier: MIT */
/*
 * test_same.c - a scenario told in another way is the same scenario; and what a plain one must not depend on.
 *
 *	random story ---> as it is -------------------------------------------------\
 *	             \--> other names, threads one by one, defaults spelt out, ... --+--> every figure is equal, to the ns
 *
 * No answer is known here; that the two tell the same is.
 */
#include "tests/test.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/rng.h"
#include "input/scenario_file.h"
#include "sim/machine.h"

/* ---- stories ---- */

#define MOST_GROUPS 4
#define MOST_TASKS 6
#define SECONDS 1

enum does { BUSY, SLEEPS, COMES_EACH };

struct story {
	const char *row;
	u64 seed;
	u32 cpus, hz, nr_groups, nr_tasks;
	bool pinned, history, costs;
	struct {
		s32 parent; /* -1: the root */
		u64 quota, period; /* us; 0: no limit */
		u32 weight; /* 0: not said */
	} groups[MOST_GROUPS];
	struct {
		s32 group, nice;
		u32 instances, cpu;
		enum does does;
		u64 run, pause, delay; /* us */
	} tasks[MOST_TASKS];
};

static u64 one_of(struct rng *r, const u64 *v, u32 nr) { return v[rng_below(r, nr)]; }
#define ONE_OF(r, ...) one_of(r, (const u64[]){ __VA_ARGS__ }, sizeof((u64[]){ __VA_ARGS__ }) / sizeof(u64))
#define ONE_IN(r, n) (!rng_below(r, n))

static void draw_group(struct story *s, struct rng *r, u32 i)
{
	s->groups[i].parent = (s32)rng_below(r, i + 1) - 1;
	if (!ONE_IN(r, 3)) {
		s->groups[i].period = ONE_OF(r, 5000, 20000, 100000, 33333);
		s->groups[i].quota = s->groups[i].period * ONE_OF(r, 1, 2, 5, 8, 15, 40) / 10;
		s->groups[i].quota = s->groups[i].quota < 1000 ? 1000 : s->groups[i].quota;
	}
	s->groups[i].weight = ONE_IN(r, 2) ? 0 : (u32)ONE_OF(r, 1, 20, 100, 300, 10000);
}

static void draw_task(struct story *s, struct rng *r, u32 i)
{
	s->tasks[i].group = (s32)rng_below(r, s->nr_groups + 1) - 1;
	s->tasks[i].instances = (u32)ONE_OF(r, 1, 1, 2, 3, s->cpus + 1);
	s->tasks[i].cpu = (u32)rng_below(r, s->cpus);
	s->tasks[i].nice = ONE_IN(r, 4) ? (s32)ONE_OF(r, 1, 5, 19) : 0;
	s->tasks[i].does = (enum does)rng_below(r, 3);
	s->tasks[i].run = ONE_OF(r, 50, 500, 3000, 20000);
	s->tasks[i].pause = ONE_OF(r, 1000, 10000, 20000, 50000);
	s->tasks[i].delay = ONE_IN(r, 3) ? ONE_OF(r, 1, 1234, 4000) : 0;
}

static struct story draw_story(u64 seed)
{
	static const char *const rows[] = { "3.2", "4.14", "4.18", "5.4", "5.10", "6.1", "6.6", "6.12", "6.18", "7.2" };
	struct story s = { .seed = seed };
	struct rng r;

	rng_init(&r, seed, "story", NULL, 0, 0);
	s.row = rows[seed % ARRAY_SIZE(rows)];
	s.cpus = (u32)ONE_OF(&r, 1, 2, 4, 8, 9);
	s.hz = (u32)ONE_OF(&r, 100, 250, 1000);
	s.pinned = ONE_IN(&r, 2);
	s.history = ONE_IN(&r, 3);
	s.costs = ONE_IN(&r, 2);
	s.nr_groups = 1 + (u32)rng_below(&r, MOST_GROUPS);
	s.nr_tasks = 1 + (u32)rng_below(&r, MOST_TASKS);
	for (u32 i = 0; i < s.nr_groups; i++)
		draw_group(&s, &r, i);
	for (u32 i = 0; i < s.nr_tasks; i++)
		draw_task(&s, &r, i);
	return s;
}

/* ---- how they are told ---- */

enum telling {
	AS_IT_IS, OTHER_NAMES, ONE_BY_ONE, SPELT_OUT, A_GROUP_BESIDE, NEVER_COMES, GOES_ON, ANOTHER_CPU, NR_TELLINGS
};
static const char *const tellings[] = {
	"as it is", "other names", "threads one by one", "defaults spelt out", "a group with nobody in it", "a thread that never begins",
	"the run goes on, the same time is measured", "one CPU more, beyond 8, that nobody may use",
};

struct text {
	char buf[16384];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->len += (size_t)vsnprintf(t->buf + t->len, sizeof(t->buf) - t->len, fmt, ap);
	va_end(ap);
	assert_true(t->len < sizeof(t->buf));
}

static void add_path(struct text *t, const struct story *s, s32 group, enum telling how)
{
	if (group < 0)
		return;
	add_path(t, s, s->groups[group].parent, how);
	add(t, how == OTHER_NAMES ? "/zz-%d" : "/g%d", how == OTHER_NAMES ? 9 - group : group);
}

static void add_groups(struct text *t, const struct story *s, enum telling how)
{
	add(t, " \"groups\": {");
	for (u32 i = 0; i < s->nr_groups; i++) {
		const char *comma = "";

		add(t, "%s\"", i ? ", " : "");
		add_path(t, s, (s32)i, how);
		add(t, "\": {");
		if (s->groups[i].quota) {
			add(t, "\"period_phase\": 37, \"cpu.max\": \"%" PRIu64 " %" PRIu64 "\"", s->groups[i].quota, s->groups[i].period);
			comma = ", ";
		}
		if (s->groups[i].weight || how == SPELT_OUT)
			add(t, "%s\"cpu.weight\": %u", comma, s->groups[i].weight ? s->groups[i].weight : 100);
		add(t, "}");
	}
	if (how == A_GROUP_BESIDE)
		add(t, ", \"/beside\": {\"cpu.weight\": 1000}");
	add(t, "},");
}

static void add_cpus(struct text *t, const struct story *s, u32 task, enum telling how)
{
	if (s->pinned)
		add(t, ", \"cpus\": [%u]", s->tasks[task].cpu);
	else if (how == SPELT_OUT)
		add(t, ", \"cpus\": \"0-%u\"", s->cpus - 1);
}

static void add_task(struct text *t, const struct story *s, u32 i, u32 instances, enum telling how)
{
	add(t, "{\"instance\": %u, \"loop\": -1, \"taskgroup\": \"", instances);
	if (s->tasks[i].group < 0)
		add(t, "/");
	add_path(t, s, s->tasks[i].group, how);
	add(t, "\"");
	add_cpus(t, s, i, how);
	if (s->tasks[i].nice || how == SPELT_OUT)
		add(t, ", \"priority\": %d", s->tasks[i].nice);
	if (s->tasks[i].delay)
		add(t, ", \"delay\": %" PRIu64, s->tasks[i].delay);
	if (s->tasks[i].does == COMES_EACH)
		add(t, ", \"timer\": {\"ref\": \"unique\", \"period\": %" PRIu64 ", \"mode\": \"absolute\"}", s->tasks[i].pause);
	add(t, ", \"run\": %" PRIu64, s->tasks[i].run);
	if (s->tasks[i].does == SLEEPS)
		add(t, ", \"sleep\": %" PRIu64, s->tasks[i].pause);
	add(t, "}");
}

/* Names tell which task of the story it is: its last character. */
static void add_tasks(struct text *t, const struct story *s, enum telling how)
{
	add(t, " \"tasks\": {");
	for (u32 i = 0; i < s->nr_tasks; i++) {
		u32 entries = how == ONE_BY_ONE ? s->tasks[i].instances : 1;

		for (u32 k = 0; k < entries; k++) {
			add(t, "%s\"%s%u_%u\": ", i || k ? ", " : "", how == OTHER_NAMES ? "worker" : "t", k, how == OTHER_NAMES ? 9 - i : i);
			add_task(t, s, i, s->tasks[i].instances / entries, how);
		}
	}
	if (how == NEVER_COMES)
		add(t, ", \"never\": {\"delay\": 9000000, \"run\": 100%s}", s->pinned ? ", \"cpus\": [0]" : "");
	add(t, "}}");
}

static void tell(struct text *t, const struct story *s, enum telling how)
{
	t->len = 0;
	add(t, "{\"machine\": {\"cpus\": %u, \"hz\": %u, \"cgroup\": 2%s}, \"kernel\": {\"row\": \"%s\", \"rules\": [\"bw_v2_hierarchy=unlimited\"]},",
	    s->cpus + (how == ANOTHER_CPU), s->hz, s->costs ? "" : ", \"costs\": \"none\"", s->row);
	add(t, " \"seed\": %" PRIu64 ", \"history\": %s, \"global\": {\"duration\": %d},", s->seed, s->history ? "true" : "false",
	    SECONDS + (how == GOES_ON));
	if (how == GOES_ON)
		add(t, " \"measure\": {\"from\": 0, \"to\": %d},", SECONDS * 1000000);
	add_groups(t, s, how);
	add_tasks(t, s, how);
}

/* ---- what they come to ---- */

struct figures {
	u64 groups[MOST_GROUPS][4];
	u64 tasks[MOST_TASKS][7];
};

static struct result *play(const char *text, struct scenario *sc)
{
	struct machine_options opt = { 0 };
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct result *res = NULL;
	char say[1024];

	if (!scenario_read("story", text, strlen(text), sc, &w, &err))
		res = machine_run(sc, &opt, &err);
	if (!res)
		fail_msg("%s\n%s", err_text(&err, say, sizeof(say)), text);
	warnings_free(&w);
	return res;
}

static u64 longest(const struct samples *s) { return s->nr ? samples_percentile((struct samples *)s, 1) : 0; }

static void count_task(u64 *f, const struct thread_result *t)
{
	f[0] += t->runtime;
	f[1] += t->loops;
	f[2] += t->migrations;
	f[3] += t->nvcsw;
	f[4] += t->nivcsw;
	f[5] = f[5] > t->longest_pause ? f[5] : t->longest_pause;
	f[6] = f[6] > longest(&t->latency) ? f[6] : longest(&t->latency);
}

static struct figures figures_of(const struct story *s, enum telling how)
{
	static struct text text;
	struct figures f = { 0 };
	struct scenario sc;
	struct result *res;
	u32 i;

	tell(&text, s, how);
	res = play(text.buf, &sc);
	for (i = 0; i < s->nr_groups; i++) { /* in the order in which they are told */
		const struct group_stat *g = &res->groups[i].stat;

		memcpy(f.groups[i], (u64[]){ g->usage, g->nr_periods, g->nr_throttled, g->throttled_time }, sizeof(f.groups[i]));
	}
	for (i = 0; i < res->nr_tasks; i++) {
		const char *name = res->tasks[i].name;
		u32 which = (u32)(name[strlen(name) - 1] - '0');

		if (strcmp(name, "never"))
			count_task(f.tasks[how == OTHER_NAMES ? 9 - which : which], &res->tasks[i].sum);
	}
	result_free(res);
	scenario_free(&sc);
	return f;
}

/*
 * Where nobody may leave his CPU, and from 8 CPUs on slices grow no more, a ninth or tenth changes nothing.  In a past every thread runs, also one that
 * never begins, and who is first in it is drawn among all CPUs.
 */
static bool can_be_told(const struct story *s, enum telling how)
{
	if (how == ANOTHER_CPU)
		return s->pinned && s->cpus >= 8 && !s->history;
	return how != NEVER_COMES || !s->history;
}

/*
 * Names, the way threads are written down, what is the default anyway, groups and threads that do nothing, how long a run goes on after what is
 * measured, and CPUs that nobody may use change no figure by a ns, on any kernel.
 */
TEST(same, however_it_is_told)
{
	u32 told[NR_TELLINGS] = { 0 };

	for (u64 seed = 1; seed <= 160; seed++) {
		struct story s = draw_story(seed);
		struct figures plain = figures_of(&s, AS_IT_IS);

		for (enum telling how = OTHER_NAMES; how < NR_TELLINGS; how++) {
			struct figures f;
			char row[128];

			if (!can_be_told(&s, how))
				continue;
			f = figures_of(&s, how);
			snprintf(row, sizeof(row), "story %" PRIu64 " (%s), %s", seed, s.row, tellings[how]);
			CHECK_ROW(memcmp(&f, &plain, sizeof(f)), 0, row);
			told[how]++;
		}
	}
	for (enum telling how = OTHER_NAMES; how < NR_TELLINGS; how++)
		CHECK_ROW(told[how] >= 8, 1, tellings[how]);
}

/* ---- a container that wakes while its pod is stopped ---- */

/* CPU time of the container's thread on @row, in ns: 3 ms each 20, beside a busy thread of the pod; the pod may use 10 ms in 50. */
static u64 container_gets(const char *row, bool history)
{
	static const char story[] = "{\"machine\": {\"cpus\": 1, \"hz\": 250, \"cgroup\": 2}, \"kernel\": \"%s\", \"history\": %s, \"global\": {\"duration\": 4},"
		" \"groups\": {\"/pod\": {\"cpu.max\": \"10000 50000\", \"period_phase\": 0}, \"/pod/app\": {}}, \"tasks\": {"
		" \"app\": {\"taskgroup\": \"/pod/app\", \"loop\": -1, \"timer\": {\"ref\": \"unique\", \"period\": 20000, \"mode\": \"absolute\"}, \"run\": 3000},"
		" \"hog\": {\"taskgroup\": \"/pod\", \"loop\": -1, \"run\": 1000000}}}";
	char text[1024];
	struct scenario sc;
	struct result *res;
	u64 usage;

	snprintf(text, sizeof(text), story, row, history ? "true" : "false");
	res = play(text, &sc);
	usage = res->groups[1].stat.usage;
	result_free(res);
	scenario_free(&sc);
	return usage;
}

/*
 * The container has a half of its pod's 800 ms, as equal weights say, whether its thread has a past or begins with the run.  (The few us that a thread
 * needs to its first wait must not leave its group the least weight: to 6.6 that would hold until it runs, and the first tick would cost it 2 s.)
 */
TEST(same, a_container_that_wakes_into_a_stopped_pod_is_not_starved)
{
	static const char *const rows[] = { "3.16", "4.14", "5.4", "5.10", "5.15", "6.1", "6.4", "6.6", "6.12", "6.18", "7.2" };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 begins = container_gets(rows[i], false), past = container_gets(rows[i], true);

		CHECK_ROW(begins >= 350 * MS && begins <= 410 * MS, 1, rows[i]);
		CHECK_ROW(past >= 350 * MS && past <= 410 * MS, 1, rows[i]);
	}
}

TEST_MAIN("same")
