/* SPDX-License-Identifier: MIT */
/* test_oracle_turns.c - virtual CPUs that share one instruction counter, and what a thread burned each time. */
#include "tests/oracle_bed.h"

#include "oracle/beginning.h"
#include "oracle/play.h"
#include "sim/machine.h"

/* ---- turns ---- */

#define FIB8 "name=n secs=2 g=fib:0:10000:100000:0 t=1:0:hog:0:0:0:0 t=7:s1:sleep:1:10000:0:0"
#define EIGHT_AT_ONCE "name=n secs=1 g=a:0:-1:100000:0 t=8:s0:sleep:1:10000:0:0"
#define EIGHT_CLOSE "name=n secs=1 g=a:0:-1:100000:0 t=8:s0:every:1:10000:0:*2"
#define EIGHT_APART "name=n secs=1 g=a:0:-1:100000:0 t=8:s0:sleep:1:10000:0:*1000"

/* CPU time of the eight threads of @text in their second, with turns of @turn. */
static u64 cpu_with_turns(const char *text, u64 turn)
{
	struct arena mem = arena();
	struct measured m = measured_of("5.10-after", text, 8, &mem);
	struct machine_options mo = { .want_threads = true, .turn = turn };
	struct stage_options opt = { 0 };
	struct scenario sc;
	struct result *res;
	struct err err = { 0 };
	u64 cpu = 0;

	CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
	res = machine_run(&sc, &mo, &err);
	CHECK(res != NULL);
	for (u32 i = 0; i < 8; i++)
		cpu += res->tasks[i].threads[0].runtime;
	result_free(res);
	scenario_free(&sc);
	arena_fini(&mem);
	return cpu;
}

/*
 * Eight CPUs that wake at one moment, and no timer near: each keeps its turn until its thread sleeps again, so each is charged what it takes alone.  With
 * wakeups 2 us apart the next timer is near, turns are short, and each is charged for the turns of others; a millisecond apart nobody waits.
 */
TEST(oracle_turns, timers_near_make_short_turns)
{
	u64 alone = cpu_with_turns(EIGHT_APART, 0), close = cpu_with_turns(EIGHT_CLOSE, 0);

	CHECK_EQ(cpu_with_turns(EIGHT_APART, 5 * US), alone);
	CHECK_EQ(cpu_with_turns(EIGHT_AT_ONCE, 0), alone);
	CHECK_EQ(cpu_with_turns(EIGHT_AT_ONCE, 5 * US), alone);
	CHECK(cpu_with_turns(EIGHT_CLOSE, 5 * US) > 3 * close);
	CHECK(cpu_with_turns(EIGHT_CLOSE, 5 * US) <= 8 * close);
}

/* Not where the machine was real, where threads choose their CPU, or where it is left out.  A turn in user mode is a block of the program's work. */
TEST(oracle_turns, where_they_are)
{
	static const struct { const char *label, *text; bool without; u64 turn; } rows[] = {
		{ "6.12", FIB8, false, 4864 },
		{ "6.12", FIB8, true, 0 },
		{ "6.18-host", FIB8, false, 0 },
		{ "6.12", "name=n secs=1 g=a:0:10000:100000:0 t=8:-1:sleep:1:10000:0:0", false, 0 },
		{ "6.12", "name=n secs=1 g=a:0:10000:100000:0 t=8:s0:sleep:200:10000:0:0", false, 4864 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = measured_of(rows[i].label, rows[i].text, 8, &mem);
		struct stage_options opt = { .without_turns = rows[i].without };

		CHECK_ROW(stage_turn(&m, &opt), rows[i].turn, rows[i].text);
		arena_fini(&mem);
	}
}

static struct measured *fibtest(const char *label, const char *name, struct arena *mem)
{
	struct measured_list list;
	struct err err = { 0 };

	measured_list_init(&list);
	CHECK_EQ(measured_read(&list, "tests/oracle/main.jsonl", mem, &err), 0);
	for (struct measured *m = list.first; m; m = m->next)
		if (!strcmp(m->name, name) && !strcmp(m->guest->label, label))
			return m;
	fail_msg("no %s on %s", name, label);
	return NULL;
}

/*
 * A wakeup by itself takes 5.5 us on 5.10.  Sixteen CPUs measured 8.4 us before the fix, where ten of them run at each boundary, and 6.1 after it: with
 * turns the model's threads measure the same, from within 20 % of what it takes alone.
 */
TEST(oracle_turns, wakeups_explain_themselves)
{
	static const struct { const char *label; u64 measured; } rows[] = { { "5.10-before", 8371 }, { "5.10-after", 6078 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured *m = fibtest(rows[i].label, "fib16", &mem);
		struct stage_options opt = { 0 };
		struct err err = { 0 };
		u64 wake;

		CHECK_ROW(stage_wake(m), rows[i].measured, rows[i].label);
		CHECK_EQ(play_wake(&wake, m, &opt, &err), 0);
		CHECK_WITHIN(wake, 4400, 6600);
		opt.without_turns = true;
		CHECK_EQ(play_wake(&wake, m, &opt, &err), 0);
		CHECK_ROW(wake, rows[i].measured, rows[i].label);
		arena_fini(&mem);
	}
}

/*
 * The recorded first boundary of fibtest on eight CPUs before the fix: the walk releases six, one after the other has its turn, and the budget to the next
 * timer, 89 us away, is too short for most: the first switches are 6 to 10 us apart.  The model's are within 6 us of the recorded ones.
 */
TEST(oracle_turns, a_recorded_boundary)
{
	static const s64 recorded[] = { 13, 23, 31, 39, 45, 51 }; /* us behind 100 ms, CPU 0 to 5 */
	struct arena mem = arena();
	struct measured_list list;
	struct measured *m;
	struct stage_options opt = { 0 };
	struct beginning b;
	struct recording real;
	struct switch_log log = { 0 };
	struct err err = { 0 };

	measured_list_init(&list);
	CHECK_EQ(measured_read(&list, "tests/oracle/traced.jsonl", &mem, &err), 0);
	for (m = list.first; m && (strcmp(m->name, "tr-fib8") || strcmp(m->guest->label, "5.10-before")); m = m->next)
		;
	CHECK(m != NULL);
	CHECK_EQ(recording_read(&real, m, "tests/oracle/traces", &err), 0);
	CHECK_EQ(beginning_find(&b, &real, m), 0);
	beginning_apply(&b, &real, &opt);
	CHECK_EQ(play_wake(&opt.wake, m, &opt, &err), 0);
	CHECK_EQ(recording_play(&log, m, &opt, &err), 0);
	for (u32 cpu = 0; cpu < ARRAY_SIZE(recorded); cpu++) {
		u32 i = 0;

		while (i < log.cpu[cpu].nr && log.cpu[cpu].v[i].time < 100 * (s64)MS)
			i++;
		CHECK(i < log.cpu[cpu].nr);
		CHECK_WITHIN(log.cpu[cpu].v[i].time / (s64)US, 100000 + recorded[cpu] - 6, 100000 + recorded[cpu] + 6);
	}
	switch_log_free(&log);
	beginning_free(&b);
	recording_free(&real);
	arena_fini(&mem);
}

/*
 * A thread that looks at its CPU clock does so each 20 us of its own instructions: alone it is stopped within 20 us of its limit, beside two busy CPUs within
 * 60.  One look is 4 blocks of 4.864 us and the look.
 */
TEST(oracle_turns, looks_by_instructions)
{
	static const struct { const char *text; u64 most; } rows[] = {
		{ "name=n secs=1 g=a:0:20500:100000:0 t=1:0:chog:0:0:0:0", 23 * US },
		{ "name=n secs=1 g=a:0:20500:100000:0 t=1:0:chog:0:0:0:0 g=b:0:-1:100000:0 t=1:1:hog:0:0:0:0 t=1:2:hog:0:0:0:0", 66 * US },
	};
	u64 over[2] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = measured_of("6.1", rows[i].text, 4, &mem);
		struct stage_options opt = { 0 };
		struct switch_log log = { 0 };
		struct err err = { 0 };

		CHECK_EQ(stage_look(&m), 4 * 4864 + 840);
		CHECK_EQ(recording_play(&log, &m, &opt, &err), 0);
		for (u32 k = 3; k + 1 < log.cpu[0].nr; k += 2) { /* from the second period on: in and out */
			u64 ran = (u64)(log.cpu[0].v[k].time - log.cpu[0].v[k - 1].time);

			CHECK(ran > 20500 * US - rows[i].most);
			CHECK(ran < 20500 * US + rows[i].most);
			over[i] = max_u64(over[i], ran > 20500 * US ? ran - 20500 * US : 0);
		}
		switch_log_free(&log);
		arena_fini(&mem);
	}
	CHECK(over[0] < 23 * US);
	CHECK(over[1] > 23 * US);
}

/* ---- burns ---- */

/* Burns of an unrecorded case are spread about their mean, so far that one in twenty is above the measured p95; a recorded one has the mean. */
TEST(oracle_turns, burns_vary)
{
	for (int recorded = 0; recorded < 2; recorded++) {
		struct arena mem = arena();
		struct measured m = measured_of("6.1", "name=n secs=1 g=a:0:5000:100000:0 t=1:0:sleep:200:10000:0:0", 2, &mem);
		struct stage_options opt = { 0 };
		struct scenario sc;
		struct err err = { 0 };
		const struct step *burn;

		m.trace = recorded ? "n" : NULL;
		m.sets[0].burn_cpu = (struct measured_times){ .n = 100, .mean = 210 * US, .p95 = 219 * US };
		CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
		burn = &sc.tasks[0].program.steps[4];
		CHECK_EQ(burn->len.kind, recorded ? DIST_FIXED : DIST_UNIFORM);
		if (recorded) {
			CHECK_EQ(burn->len.a, 210 * US - 105); /* less what ticks take of it */
		} else {
			CHECK_EQ(burn->len.a, 200 * US);
			CHECK_EQ(burn->len.b, 220 * US);
		}
		scenario_free(&sc);
		arena_fini(&mem);
	}
}

/* The burn lengths of the releases of @text, with stints as seen, into @burn; returns how many. */
static u32 burns_of(const char *text, struct measured_times burns, const u64 *stints, u32 nr, u64 *burn)
{
	struct thread_seen seen = { .start = NEVER, .ran = NEVER, .cpu = 0, .stints = stints, .nr_stints = nr };
	struct stage_options opt = { .seen = &seen };
	struct arena mem = arena();
	struct measured m = measured_of("6.12", text, 1, &mem);
	struct scenario sc;
	struct err err = { 0 };
	u32 n = 0;

	m.sets[0].burn_cpu = burns;
	m.trace = "n";
	CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
	for (u32 i = 0; i < sc.tasks[0].program.nr_steps && n < 8; i++) {
		const struct step *s = &sc.tasks[0].program.steps[i];

		if ((s->kind == STEP_RUN || s->kind == STEP_SYS) && s->len.a >= 150 * US)
			burn[n++] = s->len.a + s->len.a / 1999; /* ticks are back in it */
	}
	scenario_free(&sc);
	arena_fini(&mem);
	return n;
}

/* Four releases: three of them are seen, and each of their burns is as much longer than the mean as its stint is; the last is the mean. */
TEST(oracle_turns, burns_as_seen)
{
	static const char *const text = "name=n secs=1 g=a:0:5000:100000:0 t=1:0:every:500:250000:0:0";
	const struct measured_times burns = { .n = 4, .mean = 500 * US, .p50 = 500 * US, .max = 520 * US };
	const u64 stints[] = { 512 * US, 502 * US, 516 * US }; /* their mean is 510 us */
	u64 burn[8];

	CHECK_EQ(burns_of(text, burns, stints, 3, burn), 4);
	CHECK_WITHIN(burn[0], 502 * US - 2, 502 * US + 2);
	CHECK_WITHIN(burn[1], 492 * US - 2, 492 * US + 2);
	CHECK_WITHIN(burn[2], 506 * US - 2, 506 * US + 2);
	CHECK_WITHIN(burn[3], 500 * US - 2, 500 * US + 2);
	CHECK_EQ(burns_of(text, burns, stints, 2, burn), 2); /* a release was late: two burns in one stint, so all are the mean */
	CHECK_WITHIN(burn[1], 500 * US - 2, 500 * US + 2);
}

/* Of two system calls the first is the longer one if its stint has room for it. */
TEST(oracle_turns, calls_as_seen)
{
	static const char *const text = "name=n secs=1 g=a:0:5000:100000:0 t=1:0:poll:30000:900000:0:0";
	const struct measured_times burns = { .n = 2, .mean = 29080 * US, .p50 = 29119 * US, .max = 29119 * US };
	static const struct { u64 stint, first, second; } rows[] = {
		{ 29142 * US, 29119 * US, 29041 * US },
		{ 29100 * US, 29041 * US, 29119 * US },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 burn[8];

		CHECK_EQ(burns_of(text, burns, &rows[i].stint, 1, burn), 2);
		CHECK_WITHIN(burn[0], rows[i].first - 20, rows[i].first + 20);
		CHECK_WITHIN(burn[1], rows[i].second - 20, rows[i].second + 20);
	}
}

/* A recording has the CPU time between two sleeps: 60.01 ms each time in one whose thread burns 60 ms under a limit of 20, in pieces. */
TEST(oracle_turns, stints_of_a_recording)
{
	struct arena mem = arena();
	struct measured_list list;
	struct recording r;
	struct err err = { 0 };
	struct measured *m;

	measured_list_init(&list);
	CHECK_EQ(measured_read(&list, "tests/oracle/extra.jsonl", &mem, &err), 0);
	for (m = list.first; m && (strcmp(m->name, "burst20-idle") || strcmp(m->guest->label, "7.2")); m = m->next)
		;
	CHECK(m != NULL);
	CHECK_EQ(recording_read(&r, m, "tests/oracle/traces", &err), 0);
	CHECK_EQ(r.threads[0].nr_stints, 3);
	for (u32 i = 0; i < 3; i++)
		CHECK_WITHIN(r.threads[0].stints[i], 60010 * US, 60015 * US);
	recording_free(&r);
	arena_fini(&mem);
}

TEST_MAIN("oracle_turns")
