/* SPDX-License-Identifier: MIT */
/* test_replay.c - what is inferred from a recording, and what comes out when it is run again. */
#include "tests/test.h"
#include "tests/written.h"

#include <stdlib.h>

#include "sim/machine.h"
#include "trace/read.h"
#include "trace/recover.h"
#include "trace/rethread.h"
#include "trace/split.h"
#include "trace/waits.h"

#define OWN "tests/data/own/"

/* A recording, understood. */
struct story {
	struct trace tr;
	struct timeline tl;
	struct families fam;
	struct tick_guess ticks;
	bool *member;
	struct throttle_guess guess;
	struct recovered rec;
};

static void understand(struct story *s, const struct throttle_ask *ask)
{
	struct throttle_ask how = *ask;
	struct recover_ask what = { .name = "g" };
	struct err err = { 0 };

	CHECK_EQ(timeline_init(&s->tl, &s->tr), 0);
	CHECK_EQ(families_init(&s->fam, &s->tr), 0);
	CHECK_EQ(ticks_infer(&s->ticks, &s->tr), 0);
	s->member = calloc(s->tr.nr_tasks, sizeof(*s->member));
	how.hz = what.hz = s->ticks.hz;
	CHECK_EQ(throttle_infer(&s->guess, s->member, &s->tr, &s->tl, &s->fam, &how), 0);
	CHECK_EQ(recover(&s->rec, &s->tr, &s->tl, &s->guess, &s->ticks, s->member, &what, &err), 0);
}

static void open_story(struct story *s, const char *path)
{
	static const struct throttle_ask nothing;
	struct err err = { 0 };

	memset(s, 0, sizeof(*s));
	trace_init(&s->tr);
	CHECK_EQ(trace_read_file(&s->tr, path, &err), 0);
	understand(s, &nothing);
}

static void close_story(struct story *s)
{
	recover_fini(&s->rec);
	throttle_fini(&s->guess);
	free(s->member);
	families_fini(&s->fam);
	timeline_fini(&s->tl);
	trace_fini(&s->tr);
}

static u32 thread_of(const struct story *s, s32 pid)
{
	for (u32 i = 0; i < s->rec.sc.nr_tasks; i++)
		if (s->tr.tasks[s->rec.threads[i].task].pid == pid)
			return i;
	fail_msg("no thread %d", pid);
	return 0;
}

/* ---- limits ---- */

/* Period, quota and throttled periods of our own recordings, against what cpu.stat and the set-up say. */
TEST(inference, own_recordings)
{
	static const struct {
		const char *path;
		u64 quota;
		u64 throttled_least, throttled_most; /* cpu.stat: 20, 20, 20, 21 */
		s32 worker;
	} rows[] = {
		{ OWN "own_burn5_q25.ftrace.txt", 25 * MS, 20, 20, 25769 },
		{ OWN "own_burn5_q25.perf-script.txt", 25 * MS, 19, 20, 6615 },
		{ OWN "own_hog_q25.ftrace.txt", 25 * MS, 20, 20, 19410 },
		{ OWN "own_2busy_pin_q50.ftrace.txt", 50 * MS, 21, 21, 25851 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct story s;

		open_story(&s, rows[i].path);
		CHECK_ROW(s.guess.source, LIMIT_INFERRED, rows[i].path);
		CHECK_ROW(s.guess.period, 100 * MS, rows[i].path);
		CHECK_ROW(s.guess.quota, rows[i].quota, rows[i].path);
		CHECK_WITHIN(s.guess.nr_throttled, rows[i].throttled_least, rows[i].throttled_most);
		CHECK(s.guess.sure > 0.8);
		CHECK_ROW(s.member[trace_task_of(&s.tr, rows[i].worker)], true, rows[i].path);
		close_story(&s);
	}
}

/* The grid of the hog: released 63.45 ms into each tenth of a second, unless it had to wait for its CPU. */
TEST(inference, phase_of_the_grid)
{
	struct story s;

	open_story(&s, OWN "own_hog_q25.ftrace.txt");
	CHECK_WITHIN(s.guess.phase, 63400 * US, 63460 * US);
	close_story(&s);
}

static void infer_again(struct story *s, const struct throttle_ask *ask)
{
	throttle_fini(&s->guess);
	memset(s->member, 0, s->tr.nr_tasks * sizeof(*s->member));
	CHECK_EQ(throttle_infer(&s->guess, s->member, &s->tr, &s->tl, &s->fam, ask), 0);
}

/* A limit that is given is believed, and only its phase is looked for; a period that no kernel takes has none. */
TEST(inference, a_given_limit)
{
	static const struct throttle_ask right = { .source = LIMIT_GIVEN, .quota = 30 * MS, .period = 100 * MS },
					 wrong = { .source = LIMIT_GIVEN, .quota = 30 * MS, .period = 5 * SEC },
					 none = { .source = LIMIT_GIVEN, .unlimited = true };
	struct story s;

	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	infer_again(&s, &right);
	CHECK_EQ(s.guess.source, LIMIT_GIVEN);
	CHECK_EQ(s.guess.quota, 30 * MS);
	CHECK(s.guess.phase_known);
	CHECK_WITHIN(s.guess.phase, 13300 * US, 13330 * US);
	infer_again(&s, &wrong);
	CHECK_EQ(s.guess.period, 5 * SEC);
	CHECK(!s.guess.phase_known);
	infer_again(&s, &none);
	CHECK_EQ(s.guess.nr_throttles, 0);
	close_story(&s);
}

/* Throttled time: cpu.stat says 1480 ms for the hog and 413 ms for the sleeper, whose last throttle the trace ends in. */
TEST(inference, throttled_time)
{
	struct story s;

	open_story(&s, OWN "own_hog_q25.ftrace.txt");
	CHECK_WITHIN(s.guess.throttled_time, 1470 * MS, 1490 * MS);
	close_story(&s);
	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	CHECK_WITHIN(s.guess.throttled_time, 405 * MS, 421 * MS);
	close_story(&s);
}

/* ---- made-up recordings ---- */

struct maker {
	char *text;
	size_t len, cap;
};

__attribute__((format(printf, 2, 3))) static void say_line(struct maker *m, const char *fmt, ...)
{
	va_list ap;

	if (m->cap - m->len < 512) {
		m->cap += 1 << 16;
		m->text = realloc(m->text, m->cap);
		assert_non_null(m->text);
	}
	va_start(ap, fmt);
	m->len += (size_t)vsnprintf(m->text + m->len, m->cap - m->len, fmt, ap);
	va_end(ap);
}

static void say_switch(struct maker *m, int cpu, u64 us, int prev, const char *state, int next)
{
	say_line(m, " t%d-%d [%03d] d..2. %" PRIu64 ".%06" PRIu64 ": sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=%s ==> "
		    "next_comm=t%d next_pid=%d next_prio=120\n", prev, prev, cpu, us / 1000000, us % 1000000, prev, prev, state, next, next);
}

static void say_waking(struct maker *m, int cpu, u64 us, int by, const char *flags, int whom)
{
	say_line(m, " t%d-%d [%03d] %s %" PRIu64 ".%06" PRIu64 ": sched_waking: comm=t%d pid=%d prio=120 target_cpu=%03d\n", by, by, cpu, flags,
		 us / 1000000, us % 1000000, whom, whom, cpu);
}

static void make_story(struct story *s, struct maker *m, const struct throttle_ask *ask)
{
	struct trace_reader r;

	memset(s, 0, sizeof(*s));
	trace_init(&s->tr);
	trace_reader_init(&r, &s->tr);
	trace_reader_feed(&r, m->text, m->len);
	trace_reader_end(&r);
	free(m->text);
	understand(s, ask);
}

/* A hog under 5 ms per 20 ms on an idle machine: the CPU goes idle though it is ready. */
TEST(inference, a_period_of_20_ms)
{
	static const struct throttle_ask nothing;
	struct maker m = { 0 };
	struct story s;
	u64 used = 0;

	for (u64 k = 0; k < 100; k++) { /* it stops on the 4 ms tick and pays the rest back */
		u64 run = 4000 + (used + 4000 < (k + 1) * 5000 ? 4000u : 0u);

		used += run;
		say_switch(&m, 0, 1000000 + k * 20000 + 7, 0, "R", 5);
		say_switch(&m, 0, 1000000 + k * 20000 + run + 7, 5, "R+", 0);
	}
	make_story(&s, &m, &nothing);
	CHECK_EQ(s.guess.source, LIMIT_INFERRED);
	CHECK_EQ(s.guess.period, 20 * MS);
	CHECK_EQ(s.guess.quota, 5 * MS);
	CHECK_EQ(s.guess.nr_throttles, s.guess.nr_throttled_idle);
	close_story(&s);
}

/* Two busy threads take turns of 12 ms on one CPU: that has a period too, and is no limit. */
TEST(inference, turns_are_no_throttling)
{
	static const struct throttle_ask nothing;
	struct maker m = { 0 };
	struct story s;

	for (u64 k = 0; k < 100; k++) {
		say_switch(&m, 0, 1000000 + k * 24000 + 6, 6, "R", 5);
		say_switch(&m, 0, 1000000 + k * 24000 + 12006, 5, "R", 6);
	}
	make_story(&s, &m, &nothing);
	CHECK_EQ(s.guess.source, LIMIT_NONE);
	CHECK_EQ(s.guess.nr_throttles, 0);
	CHECK_WITHIN(s.guess.longest_wait, 12 * MS, 12 * MS);
	close_story(&s);
}

/* ---- programs ---- */

/* The worker of own_burn5_q25: 102 bursts of 5 ms, sleeps of 10 ms by a relative timer, stopped between ticks. */
TEST(recovery, own_burn5)
{
	struct story s;
	const struct recovered_thread *t;
	const struct program *program;

	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	t = &s.rec.threads[thread_of(&s, 25769)];
	CHECK_EQ(t->bursts, 102);
	CHECK_WITHIN(t->cpu, 512 * MS, 518 * MS); /* the program measured 514 */
	CHECK_WITHIN(t->run_p50, 5000 * US, 5050 * US);
	CHECK_EQ(t->kind, WAKE_SLEEP);
	CHECK_EQ(t->wakes[WAKE_SLEEP], 102);
	CHECK_WITHIN(t->sleep_p50, 10 * MS, 10100 * US);
	CHECK(t->polls_clock);
	CHECK(t->exited);
	/* first burst | 101 times sleep, wait behind others, begin, wait again, run | the last of them, and out */
	program = &s.rec.sc.tasks[thread_of(&s, 25769)].program;
	CHECK_EQ(program->nr_phases, 3);
	CHECK_EQ(program->phases[1].loop, 101);
	CHECK_EQ(program->phases[1].nr, 5);
	CHECK_EQ(program->steps[program->phases[1].first].kind, STEP_SLEEP);
	CHECK_STR(program->steps[program->phases[1].first + 1].key, RECOVER_STALL);
	CHECK_EQ(program->steps[program->phases[1].first + 4].kind, STEP_RUN);
	CHECK_EQ(program->steps[program->phases[1].first + 4].len.nr, 101);
	close_story(&s);
}

/* Wall time of its bursts, as the program itself measured it: p50 5.00, p90 29.20, p99 31.24, max 38.21 ms. */
TEST(recovery, figures_of_own_burn5)
{
	static const struct {
		u32 percent;
		u64 us;
	} rows[] = { { 50, 5000 }, { 90, 29200 }, { 99, 31240 }, { 100, 38210 } };
	const struct trace_figures *f;
	struct story s;

	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	f = &s.rec.figures;
	CHECK_EQ(f->nr_latency, 102);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_WITHIN(nearest_rank(f->latency, f->nr_latency, rows[i].percent), rows[i].us * US,
			     rows[i].us * US * 101 / 100); /* from switch in to switch out is a little longer */
	CHECK_WITHIN(s.rec.worst.throttled, 33 * MS, 34 * MS);
	close_story(&s);
}

/* The hog is stopped on ticks: nothing but ticks charges it. */
TEST(recovery, a_hog_is_charged_by_ticks)
{
	struct story s;
	const struct recovered_thread *t;

	open_story(&s, OWN "own_hog_q25.ftrace.txt");
	t = &s.rec.threads[thread_of(&s, 19410)];
	CHECK(!t->polls_clock);
	CHECK(t->stops_on_tick >= 19);
	CHECK_EQ(t->bursts, 0);
	close_story(&s);
}

/*
 * t1 sleeps 8 ms by a timer, runs 1 ms and wakes t2, which runs 1 ms; t3 is released each 10 ms; t4 is woken by the network at its
 * own times.
 */
static void say_four_kinds(struct maker *m)
{
	for (u64 k = 0; k < 40; k++) {
		u64 at = 1000000 + k * 10000 + (k * k * 37) % 900; /* t1's own loop wanders */

		say_waking(m, 0, at, 0, "d.h2.", 1);
		say_switch(m, 0, at + 5, 0, "R", 1);
		say_waking(m, 0, at + 900, 1, "d..3.", 2);
		say_switch(m, 0, at + 1000, 1, "S", 2);
		say_switch(m, 0, at + 2000, 2, "S", 0);
		say_waking(m, 0, 1000000 + k * 10000 + 5000, 0, "d.h2.", 3);
		say_switch(m, 0, 1000000 + k * 10000 + 5005, 0, "R", 3);
		say_switch(m, 0, 1000000 + k * 10000 + 5300 + (k % 5) * 200, 3, "S", 0);
		say_waking(m, 0, 1000000 + k * 10000 + 7000 + (k * k * 53) % 1900, 0, "d.s2.", 4);
		say_switch(m, 0, 1000000 + k * 10000 + 9005, 0, "R", 4);
		say_switch(m, 0, 1000000 + k * 10000 + 9500, 4, "S", 0);
	}
}

/* Why each thread wakes is seen from who wakes it and when. */
TEST(recovery, four_kinds_of_wakeups)
{
	static const struct throttle_ask all = { .pick = { .comm = "t*" } };
	static const struct {
		s32 pid;
		enum wake_kind kind;
		u8 step;
	} rows[] = { { 2, WAKE_TASK, STEP_SEM_WAIT }, { 3, WAKE_PERIOD, STEP_TIMER }, { 4, WAKE_OUTSIDE, STEP_ARRIVE } };
	struct maker m = { 0 };
	struct story s;

	say_four_kinds(&m);
	make_story(&s, &m, &all);
	CHECK_EQ(s.rec.sc.nr_tasks, 4);
	CHECK_EQ(s.rec.edges, 39);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 at = thread_of(&s, rows[i].pid);
		const struct program *program = &s.rec.sc.tasks[at].program;

		CHECK_ROW(s.rec.threads[at].kind, rows[i].kind, s.rec.sc.tasks[at].name);
		CHECK_ROW(program->steps[program->phases[1].first].kind, rows[i].step, s.rec.sc.tasks[at].name);
	}
	CHECK_EQ(s.rec.threads[thread_of(&s, 3)].length, 10 * MS);
	close_story(&s);
}

/* What task @pid did in @m's text. */
static u32 bursts_of(struct trace *tr, struct timeline *tl, struct bursts *b, struct maker *m, s32 pid)
{
	struct trace_reader r;

	trace_init(tr);
	trace_reader_init(&r, tr);
	trace_reader_feed(&r, m->text, m->len);
	trace_reader_end(&r);
	free(m->text);
	CHECK_EQ(timeline_init(tl, tr), 0);
	for (u32 t = 0; t < tr->nr_tasks; t++)
		if (tr->tasks[t].pid == pid) {
			CHECK_EQ(bursts_init(b, tl, t), 0);
			return t;
		}
	fail_msg("no task %d", pid);
	return 0;
}

/* 3 ms for another thread, and 4 ms in which nobody ran where it waited: in a group that is throttled that was a throttle too. */
TEST(recovery, nobody_was_in_the_way)
{
	static const struct { u64 throttles, pushed; } rows[] = { { 0, 7 * MS }, { 1, 3 * MS } };
	struct maker m = { 0 };
	struct timeline tl;
	struct bursts b;
	struct trace tr;

	say_switch(&m, 0, 1000000, 6, "S", 5);
	say_switch(&m, 0, 1002000, 5, "R", 6);
	say_switch(&m, 0, 1005000, 6, "S", 5);
	say_switch(&m, 0, 1006000, 5, "R+", 0);
	say_switch(&m, 0, 1010000, 0, "R", 5);
	say_switch(&m, 0, 1011000, 5, "S", 0);
	bursts_of(&tr, &tl, &b, &m, 5);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct throttle_guess guess = { .nr_throttles = rows[i].throttles };

		b.v[0].pushed = 0;
		CHECK_EQ(waits_count(&b, 1, &tl, 2, &guess), 0);
		CHECK_EQ(b.nr, 1);
		CHECK_EQ(b.v[0].pushed, rows[i].pushed);
	}
	bursts_fini(&b);
	timeline_fini(&tl);
	trace_fini(&tr);
}

/* Six bursts of 1 ms, and one of 10 ms that was throttled: ten of 1 ms, unless something in it has its place. */
TEST(recovery, a_backlog_is_several_pieces)
{
	static const u32 alike[] = { 0 };
	struct gap gap = { .start = 1305 * MS, .end = 1350 * MS, .boundary = 1350 * MS, .kind = GAP_THROTTLE };
	struct throttle_guess guess = { .gaps = &gap, .nr_gaps = 1, .nr_throttles = 1, .throttled_time = 45 * MS };
	struct maker m = { 0 };
	struct timeline tl;
	struct bursts b;
	struct trace tr;

	for (u64 k = 0; k < 6; k++) {
		say_waking(&m, 0, 1000000 + k * 10000, 9, "d..2.", 5);
		say_switch(&m, 0, 1000000 + k * 10000, 9, "S", 5);
		say_switch(&m, 0, 1001000 + k * 10000, 5, "S", 9);
	}
	say_waking(&m, 0, 1300000, 9, "d..2.", 5);
	say_switch(&m, 0, 1300000, 9, "S", 5);
	say_switch(&m, 0, 1305000, 5, "R+", 9);
	say_switch(&m, 0, 1350000, 9, "S", 5);
	say_switch(&m, 0, 1355000, 5, "S", 9);
	gap.task = bursts_of(&tr, &tl, &b, &m, 5);
	CHECK_EQ(b.nr, 7);
	for (u64 j = 0; j < b.nr; j++)
		b.v[j].kind = WAKE_OUTSIDE;
	b.v[6].whole = true;
	CHECK_EQ(split_bursts(&b, 1, alike, &tl, &guess), 0);
	CHECK_EQ(b.nr, 7);
	b.v[6].whole = false;
	CHECK_EQ(split_bursts(&b, 1, alike, &tl, &guess), 0);
	CHECK_EQ(b.nr, 16);
	for (u64 j = 6; j < b.nr; j++) {
		CHECK_EQ(b.v[j].cpu, 1 * MS);
		CHECK(b.v[j].wake >= b.v[j - 1].wake && b.v[j].wake <= b.v[j].start);
	}
	CHECK_EQ(b.v[15].end, 1355 * MS);
	bursts_fini(&b);
	timeline_fini(&tl);
	trace_fini(&tr);
}

/* ---- run again ---- */

struct outcome {
	u64 throttled, periods, usage, p50, p90, max;
};

static void put_under(struct limited *limited, const struct story *s, u64 quota, u64 period)
{
	struct recover_limit limit = { .quota = quota, .period = period };

	if (s->guess.phase_known)
		limit.phase = (s->guess.phase + s->guess.period - s->rec.t0 % s->guess.period) % s->guess.period;
	recover_under(limited, &s->rec.sc, &limit);
}

static void run_again(struct story *s, u64 quota, u64 period, struct outcome *out)
{
	struct samples all = { 0 };
	struct limited limited;
	struct result *res;

	put_under(&limited, s, quota, period);
	res = run_scenario(&limited.sc);
	*out = (struct outcome){ 0 };
	for (u32 i = 0; i < res->nr_groups; i++) {
		if (strcmp(res->groups[i].path, s->rec.sc.groups[0].path))
			continue;
		out->throttled = res->groups[i].stat.nr_throttled;
		out->periods = res->groups[i].stat.nr_periods;
		out->usage = res->groups[i].stat.usage;
	}
	for (u32 i = 0; i < res->nr_tasks; i++)
		if (s->rec.counts[i])
			samples_merge(&all, &res->tasks[i].sum.latency);
	out->p50 = samples_percentile(&all, 0.5);
	out->p90 = samples_percentile(&all, 0.9);
	out->max = samples_max(&all);
	samples_free(&all);
	result_free(res);
}

/* Under the limit it was recorded with, the model gives the recording back. */
TEST(replay, own_burn5_as_recorded)
{
	struct outcome out;
	struct story s;

	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	run_again(&s, s.guess.quota, s.guess.period, &out);
	CHECK_WITHIN(out.throttled, 18, 22);		     /* cpu.stat: 20 of 22 */
	CHECK_WITHIN(out.p50, 4750 * US, 5250 * US);	     /* measured 5.00 ms */
	CHECK_WITHIN(out.p90, 24820 * US, 33580 * US);	     /* measured 29.20 ms */
	CHECK_WITHIN(out.usage, s.rec.figures.cpu * 98 / 100, s.rec.figures.cpu * 102 / 100);
	close_story(&s);
}

/* Under twice the limit the same load is never throttled: measured 5.0 ms, 0 of 61 periods. */
TEST(replay, own_burn5_under_50_ms)
{
	struct outcome out;
	struct story s;

	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	run_again(&s, 50 * MS, 100 * MS, &out);
	CHECK_EQ(out.throttled, 0);
	CHECK_WITHIN(out.p50, 4900 * US, 5100 * US);
	close_story(&s);
}

/* The other recordings, within a period and 2 % of CPU time. */
TEST(replay, the_others_as_recorded)
{
	static const char *const paths[] = { OWN "own_hog_q25.ftrace.txt", OWN "own_2busy_pin_q50.ftrace.txt",
					     OWN "own_burn5_q25.perf-script.txt" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct outcome out;
		struct story s;

		open_story(&s, paths[i]);
		run_again(&s, s.guess.quota, s.guess.period, &out);
		CHECK_WITHIN(out.throttled, s.guess.nr_throttled - 1, s.guess.nr_throttled + 1);
		CHECK_WITHIN(out.usage, s.rec.figures.cpu * 98 / 100, s.rec.figures.cpu * 102 / 100);
		close_story(&s);
	}
}

/* Wakeups between threads hold in a replay: t2 runs as often as t1 wakes it, and nobody waits for ever. */
TEST(replay, edges_between_threads)
{
	static const struct throttle_ask all = { .pick = { .comm = "t*" } };
	struct maker m = { 0 };
	struct outcome free_, tight;
	struct story s;

	say_four_kinds(&m);
	make_story(&s, &m, &all);
	run_again(&s, NEVER, 100 * MS, &free_);
	CHECK_WITHIN(free_.usage, s.rec.figures.cpu * 98 / 100, s.rec.figures.cpu * 102 / 100);
	run_again(&s, 10 * MS, 100 * MS, &tight);
	CHECK(tight.throttled > 0);
	CHECK(tight.usage < free_.usage);
	close_story(&s);
}

/* Two workers do 1 ms each 20 ms, and both are in the middle of a longer piece when the recording ends. */
static void say_workers_busy_at_the_end(struct maker *m)
{
	for (u64 k = 0; k <= 40; k++)
		for (int cpu = 0; cpu < 2; cpu++) {
			u64 at = 1000000 + k * 20000 + (k * k * 37) % 900 + (u64)cpu;

			say_waking(m, cpu, at, 0, "d.h2.", cpu + 1);
			say_switch(m, cpu, at + 5, 0, "R", cpu + 1);
			if (k < 40)
				say_switch(m, cpu, at + 1005, cpu + 1, "S", 0);
		}
	say_waking(m, 0, 1000000 + 40 * 20000 + 900 + 15000, 1, "d.h2.", 3);
}

/* Busy at the end is not busy all the time: one thread does the 2 * 40 pieces of 1 ms, and of the last two what fits into 15.2 ms (charged at ticks). */
TEST(replay, fewer_threads_do_all_the_work)
{
	static const struct throttle_ask all = { .pick = { .comm = "t*" } };
	struct maker m = { 0 };
	struct recovered as_recorded;
	struct outcome one;
	struct err err = { 0 };
	struct story s;

	say_workers_busy_at_the_end(&m);
	make_story(&s, &m, &all);
	CHECK(s.rec.threads[thread_of(&s, 1)].busy_to_end);
	CHECK_EQ(rethread_pool(&s.rec), 2);
	as_recorded = s.rec;
	arena_init(&s.rec.sc.mem, as_recorded.sc.mem.get, as_recorded.sc.mem.put, as_recorded.sc.mem.ctx);
	CHECK_EQ(rethread(&s.rec.sc, &as_recorded, &s.tl, 1, &err), 0);
	run_again(&s, NEVER, 100 * MS, &one);
	CHECK_WITHIN(one.usage, 91 * MS, 96 * MS);
	arena_fini(&s.rec.sc.mem);
	s.rec = as_recorded;
	close_story(&s);
}

/* ---- as a file ---- */

/* Under the recorded limit, under another with a burst, and under none. */
static void check_story(struct story *s, const char *what)
{
	struct recover_limit burst = { .quota = 20 * MS, .period = 50 * MS, .burst = 5 * MS, .phase = 1234567 };
	struct limited limited;

	put_under(&limited, s, s->guess.quota ? s->guess.quota : NEVER, s->guess.period ? s->guess.period : 100 * MS);
	check_written(&limited.sc, what);
	s->rec.sc.kernel.row = "6.4"; /* it knows bursts */
	recover_under(&limited, &s->rec.sc, &burst);
	check_written(&limited.sc, what);
	put_under(&limited, s, NEVER, 100 * MS);
	check_written(&limited.sc, what);
}

/* A recovered scenario that goes through a file gives the digest that it gives in memory. */
TEST(saved, own_recordings_run_the_same)
{
	static const char *const paths[] = { OWN "own_burn5_q25.ftrace.txt", OWN "own_burn5_q25.perf-script.txt",
					     OWN "own_hog_q25.ftrace.txt", OWN "own_2busy_pin_q50.ftrace.txt" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct story s;

		open_story(&s, paths[i]);
		check_story(&s, paths[i]);
		close_story(&s);
	}
}

/* The clock-polling run is in the file, and it matters: without it the digest is another. */
TEST(saved, polls_clock_is_kept)
{
	struct err err = { 0 };
	struct limited limited;
	struct result *polls, *plain;
	struct story s;
	char *text;

	open_story(&s, OWN "own_burn5_q25.ftrace.txt");
	put_under(&limited, &s, s.guess.quota, s.guess.period);
	text = written(&limited.sc, &err);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"polls_clock\": true"));
	free(text);
	polls = run_scenario(&limited.sc);
	for (u32 i = 0; i < s.rec.sc.nr_tasks; i++)
		for (u32 k = 0; k < s.rec.sc.tasks[i].program.nr_steps; k++)
			s.rec.sc.tasks[i].program.steps[k].flags &= (u8)~STEP_POLLS_CLOCK;
	plain = run_scenario(&limited.sc);
	CHECK(polls->digest != plain->digest);
	result_free(polls);
	result_free(plain);
	close_story(&s);
}

/* Timers, semaphores and recorded arrivals; and names that mean something else in a file, or stand twice. */
TEST(saved, four_kinds_and_odd_names)
{
	static const struct throttle_ask all = { .pick = { .comm = "t*" } };
	static const char *const odd[] = { "_note", "twice", "twice", "comment\033[2J \"\377" };
	struct maker m = { 0 };
	struct story s;

	say_four_kinds(&m);
	make_story(&s, &m, &all);
	check_story(&s, "four kinds");
	CHECK_EQ(s.rec.sc.nr_tasks, ARRAY_SIZE(odd));
	for (u32 i = 0; i < s.rec.sc.nr_tasks; i++)
		s.rec.sc.tasks[i].name = odd[i];
	for (u32 i = 0; i < s.rec.sc.nr_resources; i++)
		s.rec.sc.resources[i].name = "twice";
	check_story(&s, "odd names");
	close_story(&s);
}

/* ---- damage ---- */

/* The laws that hold for any text whatever: spans in order, and a program for each thread. */
static void survive(const char *text, size_t len)
{
	static const struct throttle_ask nothing;
	struct recover_ask what = { .name = "g" };
	struct err err = { 0 };
	struct story s;
	struct trace_reader r;

	memset(&s, 0, sizeof(s));
	trace_init(&s.tr);
	trace_reader_init(&r, &s.tr);
	trace_reader_feed(&r, text, len);
	trace_reader_end(&r);
	CHECK_EQ(timeline_init(&s.tl, &s.tr), 0);
	for (u32 t = 0; t < s.tl.nr_tasks; t++)
		for (u64 i = s.tl.first[t]; i < s.tl.first[t + 1]; i++) {
			CHECK(s.tl.spans[i].start <= s.tl.spans[i].end);
			CHECK(i == s.tl.first[t] || s.tl.spans[i - 1].end <= s.tl.spans[i].start);
		}
	CHECK_EQ(families_init(&s.fam, &s.tr), 0);
	CHECK_EQ(ticks_infer(&s.ticks, &s.tr), 0);
	s.member = calloc((size_t)s.tr.nr_tasks + 1, sizeof(*s.member));
	CHECK_EQ(throttle_infer(&s.guess, s.member, &s.tr, &s.tl, &s.fam, &nothing), 0);
	if (!recover(&s.rec, &s.tr, &s.tl, &s.guess, &s.ticks, s.member, &what, &err))
		CHECK(s.rec.sc.nr_tasks > 0);
	else
		CHECK_EQ(err.code, ERR_INPUT);
	close_story(&s);
}

static char *load(const char *path, size_t *len)
{
	FILE *in = fopen(path, "rb");
	char *text = malloc(1 << 20);

	assert_non_null(in);
	assert_non_null(text);
	*len = fread(text, 1, 1 << 20, in);
	fclose(in);
	return text;
}

/* A recording that ends anywhere is still a recording. */
TEST(damage, cut_off_anywhere)
{
	size_t len;
	char *text = load(OWN "own_hog_q25.ftrace.txt", &len);

	for (size_t at = 0; at < len; at += 211)
		survive(text, at);
	free(text);
}

/* Bytes that flip cost lines, not the program. */
TEST(damage, flipped_bytes)
{
	size_t len;
	char *text = load(OWN "own_2busy_pin_q50.ftrace.txt", &len), *bad = malloc(len);
	u64 chance = 1;

	assert_non_null(bad);
	for (int round = 0; round < 60; round++) {
		memcpy(bad, text, len);
		for (int i = 0; i < 1 << (round % 12); i++) {
			chance = chance * 6364136223846793005u + 1442695040888963407u;
			bad[(chance >> 33) % len] = (char)(chance >> 24);
		}
		survive(bad, len);
	}
	free(bad);
	free(text);
}

TEST_MAIN("replay")
