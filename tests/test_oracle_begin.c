/* SPDX-License-Identifier: MIT */
/* test_oracle_begin.c - how a played case begins: as its recording shows it, with the past that nobody has seen. */
#include "tests/oracle_bed.h"

#include "oracle/beginning.h"
#include "sim/machine.h"

/* As measured_of() makes it, but it begins at 7.002 s of the clock. */
static struct measured begun_at(const char *label, const char *text, u32 vcpus, struct arena *mem)
{
	struct measured m = measured_of(label, text, vcpus, mem);

	m.t0 = 7 * SEC + 2 * MS;
	return m;
}

static struct measured *recorded(const char *file, const char *label, const char *name, struct arena *mem)
{
	struct measured_list list;
	struct err err = { 0 };

	measured_list_init(&list);
	CHECK_EQ(measured_read(&list, file, mem, &err), 0);
	for (struct measured *m = list.first; m; m = m->next)
		if (!strcmp(m->name, name) && !strcmp(m->guest->label, label))
			return m;
	fail_msg("no %s on %s in %s", name, label, file);
	return NULL;
}

struct begun { /* a shipped recording, read */
	struct arena mem;
	struct measured *m;
	struct recording r;
	struct beginning b;
};

static void read_begun(struct begun *x, const char *label, const char *name)
{
	struct err err = { 0 };

	x->mem = arena();
	x->m = recorded("tests/oracle/extra.jsonl", label, name, &x->mem);
	CHECK_EQ(recording_read(&x->r, x->m, "tests/oracle/traces", &err), 0);
	CHECK_EQ(beginning_find(&x->b, &x->r, x->m), 0);
}

static void free_begun(struct begun *x)
{
	beginning_free(&x->b);
	recording_free(&x->r);
	arena_fini(&x->mem);
}

/* ---- what a recording shows ---- */

/* Of three threads that one interrupt wakes the second runs first: the two others are behind, and overtaken by it. */
TEST(oracle_begin, who_is_behind)
{
	struct begun x;

	read_begun(&x, "6.12", "tr-wakelat2"); /* woken: h0.1, e1.0, h0.0; then e1.0 runs */
	CHECK(x.b.seen[0].behind && x.b.seen[1].behind && !x.b.seen[2].behind);
	CHECK(x.b.seen[0].overtaken && x.b.seen[1].overtaken && !x.b.seen[2].overtaken);
	for (u32 i = 0; i < 3; i++) {
		CHECK_EQ(x.b.seen[i].start, 5 * US); /* all at one moment */
		CHECK_EQ(x.b.seen[i].last, 1012956 * US); /* and so they looked, at 1.987044 */
		CHECK_EQ(x.b.seen[i].born, i);
	}
	CHECK_EQ(x.b.seen[2].ran, 17 * US);
	free_begun(&x);
}

/* One that is woken first and runs first overtakes nobody; the threads were created in the order of their pids. */
TEST(oracle_begin, who_is_older)
{
	struct begun x;

	read_begun(&x, "5.10-after", "nest24-14-14-1cpu"); /* pid 33 is h1.0, 34 is h0.0 */
	CHECK_EQ(x.b.seen[0].born, 1);
	CHECK_EQ(x.b.seen[1].born, 0);
	CHECK(x.b.seen[0].behind && !x.b.seen[0].overtaken);
	CHECK(!x.b.seen[1].behind);
	free_begun(&x);
}

/* Nine of ten releases are the slack timer's, 5 ms behind a return; the tenth alone does not outweigh the phase that the guest watched. */
TEST(oracle_begin, where_the_periods_begin)
{
	static const struct {
		const char *label, *name;
		u64 phase;
	} rows[] = {
		{ "6.12", "slack-late-fire", 36585700 }, /* watched */
		{ "7.2", "slack-late-fire", 61843 * US }, /* watched */
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct begun x;

		read_begun(&x, rows[i].label, rows[i].name);
		CHECK_EQ(x.r.nr_releases[0], 1);
		CHECK_EQ(x.b.phase[0], rows[i].phase);
		free_begun(&x);
	}
}

static u32 turn_at(const struct beginning *b, u64 at)
{
	for (u32 i = 0; i < b->nr_turns; i++)
		if (b->turns[i].at == at)
			return b->turns[i].first;
	return UINT32_MAX;
}

/*
 * Four hogs, 5 ms of pool.  At the first tick 2, 3 and 0 stop, 14, 28 and 38 us behind it, and 1 goes on: it was served first.  200 and 300 ms
 * later one stops alone, 8 us behind its tick; and 346 ms later 1, 2 and 3 do, 26 us and more behind it, so 0 was the first.
 */
TEST(oracle_begin, whose_tick_came_first)
{
	struct begun x;
	u64 tick; /* the first one in the window */

	read_begun(&x, "5.10-after", "wr-debt");
	tick = 4 * MS - x.m->t0 % (4 * MS);
	CHECK_EQ(turn_at(&x.b, tick + 4 * MS), 1);
	CHECK_EQ(turn_at(&x.b, tick + 104 * MS), 2);
	CHECK_EQ(turn_at(&x.b, tick + 204 * MS), 3);
	CHECK_EQ(turn_at(&x.b, tick + 352 * MS), 0);
	CHECK_EQ(turn_at(&x.b, tick + 12 * MS), UINT32_MAX); /* nobody runs */
	free_begun(&x);
}

/* A turn that a kernel thread interrupts right behind a tick has not ended with it. */
TEST(oracle_begin, an_interrupted_turn_goes_on)
{
	struct begun x;
	u64 tick;

	read_begun(&x, "7.2", "wr-debt"); /* 22 us behind it 0 stops; 1 and 2 do, behind a kernel thread each, at 53 and 90; 3 goes on */
	tick = 4 * MS - x.m->t0 % (4 * MS);
	CHECK_EQ(x.r.ends[0].tick, tick);
	CHECK_EQ(x.r.ends[1].late, 53 * US);
	CHECK_EQ(x.r.ends[2].late, 90 * US);
	CHECK_EQ(turn_at(&x.b, tick), 3);
	free_begun(&x);
}

/* The kernel threads of the recording: the worker that takes 10 us of CPU 0 at 4 ms decides how the turns of that run go on. */
TEST(oracle_begin, others)
{
	struct begun x;
	u32 found = 0;

	read_begun(&x, "6.12", "tr-wakelat2");
	for (u32 i = 0; i < x.r.nr_others; i++)
		if (x.r.others[i].cpu == 0 && x.r.others[i].at > 4 * (s64)MS && x.r.others[i].at < 5 * (s64)MS) {
			CHECK_EQ(x.r.others[i].ns, 10 * US);
			found++;
		}
	CHECK_EQ(found, 1);
	free_begun(&x);
}

/* Two threads that may choose never left the CPUs they began on: 1 and 0. */
TEST(oracle_begin, stayed)
{
	struct begun x;

	read_begun(&x, "7.2", "tr-nested2");
	CHECK_EQ(x.b.seen[0].cpu, 1);
	CHECK_EQ(x.b.seen[1].cpu, 0);
	free_begun(&x);
}

/* What was seen of one thread only is told of none. */
TEST(oracle_begin, half_a_recording)
{
	struct arena mem = arena();
	struct measured m = begun_at("6.1", "name=n secs=1 g=a:0:5000:100000:0 t=2:s0:hog:0:0:0:0", 2, &mem);
	struct thread_record threads[] = { { .start = 3 * US, .ran = 9 * US, .last = SEC, .pid = 5, .cpu = 0 },
					   { .start = NEVER, .ran = NEVER, .cpu = CPU_NONE } };
	struct recording r = { .threads = threads, .nr_threads = 2 };
	struct beginning b;

	CHECK_EQ(beginning_find(&b, &r, &m), 0);
	CHECK_EQ(b.seen[0].start, NEVER);
	CHECK_EQ(b.seen[0].ran, NEVER);
	CHECK_EQ(b.seen[0].last, 0);
	CHECK_EQ(b.seen[0].cpu, -1);
	beginning_free(&b);
	arena_fini(&mem);
}

/* ---- how that is played ---- */

#define TWO_HOGS "name=n secs=1 g=a:0:6000:100000:0 t=2:s0:hog:0:0:0:0"

/* A thread starts, looks as often as it is told, looks once more when it was seen to, and is runnable when it was seen to be. */
TEST(oracle_begin, past_of_a_thread)
{
	const struct thread_seen seen[] = { { .start = 40 * US, .ran = 50 * US, .last = SEC, .cpu = -1, .born = 1 },
					    { .start = 5 * US, .ran = 12 * US, .last = SEC + 7 * US, .cpu = -1 } };
	const u32 looks[] = { 9, 30 };
	struct stage_options opt = { .seen = seen, .looks = looks };
	struct arena mem = arena();
	struct measured m = begun_at("6.1", TWO_HOGS, 2, &mem);
	u64 start = stage_window_start(&m);
	struct scenario sc;
	struct err err = { 0 };

	CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
	CHECK_EQ(sc.tasks[0].nr_past, 3);
	CHECK_EQ(sc.tasks[0].past[1].times, 9);
	CHECK_EQ(sc.tasks[1].past[1].times, 30);
	CHECK_EQ(sc.tasks[0].past[0].at - sc.tasks[1].past[0].at, 1 * MS); /* the second is the older one */
	CHECK_EQ(sc.tasks[0].past[2].at, start - SEC);
	CHECK_EQ(sc.tasks[1].past[2].at, start - SEC - 7 * US);
	CHECK_EQ(sc.tasks[0].delay, start + 40 * US);
	CHECK_EQ(stage_begins_late(&m, &opt, 0, 0), 50 * US - 7 * US);
	CHECK_EQ(stage_begins_late(&m, &opt, 0, 1), 12 * US - 7 * US);
	scenario_free(&sc);
	arena_fini(&mem);
}

/* The first wait of an open loop is shorter by what its first release was late, where that is more than an interrupt takes; the others are not. */
TEST(oracle_begin, late_once)
{
	static const struct { u64 late, second; u32 phases; } rows[] = {
		{ 121 * US, 20 * MS - 118 * US, 4 },
		{ 12 * US, 20 * MS, 3 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct thread_seen seen = { .start = 7 * MS + rows[i].late, .ran = 8 * MS, .last = SEC, .cpu = 0 };
		struct stage_options opt = { .seen = &seen };
		struct arena mem = arena();
		struct measured m = begun_at("7.2", "name=n secs=1 g=a:0:6000:100000:0 t=1:0:every:1:20000:0:7000", 1, &mem);
		const struct program *p;
		struct scenario sc;
		struct err err = { 0 };

		CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
		p = &sc.tasks[0].program;
		CHECK_EQ(p->nr_phases, rows[i].phases);
		CHECK_EQ(p->steps[p->phases[1].first].len.a, rows[i].second);
		CHECK_EQ(p->steps[p->phases[p->nr_phases - 2].first].len.a, 20 * MS);
		CHECK_EQ(p->phases[p->nr_phases - 2].loop, rows[i].phases == 4 ? 48 : 49); /* 50 releases */
		scenario_free(&sc);
		arena_fini(&mem);
	}
}

struct watch {
	s64 start; /* of the window */
	u32 task;
	u32 looks; /* its switch-ins before the window */
	s64 first, second, last; /* when it ran for the first, second and last time before the window */
};

static void on_event(void *ctx, const struct event *ev)
{
	struct watch *w = ctx;
	s64 at = (s64)ev->time - w->start;

	if (ev->type != EVENT_SCHED_SWITCH || ev->task != w->task || at >= 0)
		return;
	w->first = w->looks ? w->first : at;
	w->second = w->looks == 1 ? at : w->second;
	w->last = at;
	w->looks++;
}

/* So it runs before the window: once when it is created, as often as it looks, and at the end. */
TEST(oracle_begin, a_past_is_lived)
{
	const struct thread_seen seen[] = { { .start = 5 * US, .ran = 9 * US, .last = SEC, .cpu = -1 },
					    { .start = 5 * US, .ran = 9 * US, .last = SEC, .cpu = -1, .born = 1 } };
	const u32 looks[] = { 9, 30 };
	struct stage_options opt = { .seen = seen, .looks = looks };
	struct arena mem = arena();
	struct measured m = begun_at("6.1", TWO_HOGS, 2, &mem);
	struct watch w = { .start = (s64)(100 * SEC + stage_window_start(&m)), .task = 1 };
	struct machine_options mo = { .on_event = on_event, .ctx = &w, .clock_base = 100 * SEC };
	struct scenario sc;
	struct machine *machine;
	struct err err = { 0 };

	CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
	machine = machine_create(&sc, &mo, &err);
	CHECK(machine != NULL);
	CHECK_EQ(machine_run_until(machine, stage_window_start(&m), &err), 0);
	CHECK_EQ(w.looks, 1 + 9 + 1);
	CHECK_WITHIN(w.second - w.first, 2 * (s64)MS, 3 * (s64)MS);
	CHECK_EQ(w.last, -(s64)SEC + (s64)GUEST_LATENESS);
	machine_destroy(machine);
	scenario_free(&sc);
	arena_fini(&mem);
}

/* When the first turn of each CPU ends, ns after the window's start. */
static void first_ends(const struct stage_options *opt, struct measured *m, s64 *end)
{
	struct switch_log log;
	struct err err = { 0 };

	CHECK_EQ(recording_play(&log, m, opt, &err), 0);
	for (u32 cpu = 0; cpu < 2; cpu++)
		end[cpu] = log.cpu[cpu].v[1].time;
	switch_log_free(&log);
}

/* Two hogs tick at one moment, and the pool has a slice for one of them: whose tick comes first gets it. */
TEST(oracle_begin, first_tick_takes_the_pool)
{
	const struct tick_turn turns[] = { { 1 * MS, 0 }, { 2 * MS, 1 } };
	struct stage_options opt = { 0 }, turned = { .turns = turns, .nr_turns = 2 };
	struct arena mem = arena();
	struct measured m = begun_at("5.10-after", TWO_HOGS, 2, &mem);
	struct staged staged = { &m, &turned };
	s64 end[2];

	CHECK_EQ(stage_tick_first(&staged, stage_window_start(&m) + 2 * MS), 1);
	CHECK_EQ(stage_tick_first(&staged, stage_window_start(&m) + 6 * MS), 0);
	CHECK_EQ(stage_tick_first(&staged, 2 * MS), 0);
	first_ends(&opt, &m, end); /* the first tick is 2 ms behind the start */
	CHECK(end[0] > end[1]);
	first_ends(&turned, &m, end);
	CHECK(end[0] < end[1]);
	arena_fini(&mem);
}

/* Where no recording shows it, CPU 0 begins in three pasts and another one in each other, and the rest 15 us apart behind it, in turn. */
TEST(oracle_begin, turns_at_the_start)
{
	struct arena mem = arena();
	struct measured m = begun_at("6.1", "name=n secs=1 g=a:0:5000:100000:0 t=7:s0:hog:0:0:0:0", 7, &mem);
	static const u32 first[STAGE_PASTS] = { 0, 0, 0, 1, 2, 4, 5 };

	for (u32 past = 0; past < STAGE_PASTS; past++)
		for (u32 i = 0; i < 7; i++) {
			struct stage_options opt = { .past = past };

			CHECK_EQ(stage_begins_late(&m, &opt, 0, i), (i + 7 - first[past]) % 7 * 15 * US);
		}
	arena_fini(&mem);
}

/* ---- and what comes of it ---- */

/*
 * Recorded runs that hang on their beginning come out switch by switch: who of three ran first, 10 us of a worker, whose tick came first,
 * which hog is the older one.
 */
TEST(oracle_begin, switch_by_switch)
{
	static const struct { const char *label, *name; u32 real, least, near_least; } rows[] = {
		{ "5.10-after", "nest24-14-14-1cpu", 41, 41, 38 },
		{ "5.10-after", "tr-wakelat2", 404, 404, 400 },
		{ "5.10-after", "wr-debt", 42, 42, 34 },
		{ "6.1", "slack-tick", 81, 81, 75 },
		{ "6.12", "tr-wakelat2", 603, 600, 597 },
		{ "6.12", "wr-debt", 52, 52, 44 },
		{ "6.12", "nest30-20-20", 40, 40, 36 },
		{ "7.2", "wr-debt", 50, 50, 40 },
		{ "7.2", "tr-hog-q20", 42, 42, 40 }, /* the last throttle is the timer's of a worker that has left */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured *m = recorded("tests/oracle/extra.jsonl", rows[i].label, rows[i].name, &mem);
		struct oracle_alignment a;
		struct err err = { 0 };

		CHECK_EQ(align_case(&a, m, "tests/oracle/traces", &mem, &err), 0);
		CHECK_ROW(a.real, rows[i].real, rows[i].name);
		CHECK_ROW(a.matched >= rows[i].least, 1, rows[i].name);
		CHECK_ROW(a.model - a.matched <= a.real - rows[i].least, 1, rows[i].name);
		CHECK_ROW(a.near >= rows[i].near_least, 1, rows[i].name);
		arena_fini(&mem);
	}
}

/*
 * The fix and what came before it on four CPUs, 2 s recorded: all 1218 switches are the model's where slices expire, of the 1202 where they do
 * not all but one in fifty.
 */
TEST(oracle_begin, fibtest_switch_by_switch)
{
	static const struct { const char *label; u32 real, least; } rows[] = { { "5.10-before", 1218, 1218 }, { "5.10-after", 1202, 1178 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured *m = recorded("tests/oracle/traced.jsonl", rows[i].label, "tr-fib4", &mem);
		struct oracle_alignment a;
		struct err err = { 0 };

		CHECK_EQ(align_case(&a, m, "tests/oracle/traces", &mem, &err), 0);
		CHECK_ROW(a.real, rows[i].real, rows[i].label);
		CHECK_ROW(a.matched >= rows[i].least, 1, rows[i].label);
		arena_fini(&mem);
	}
}

TEST_MAIN("oracle_begin")
