/* SPDX-License-Identifier: MIT */
/* test_oracle.c - the instrument itself: reading lines of measurements, staging them, judging cells, counting them. */
#include "tests/oracle_bed.h"

#include <stdlib.h>

#include "oracle/cells.h"
#include "oracle/score.h"
#include "text/json.h"

#define FIB8 "name=fib8-stag secs=4 g=fib:0:10000:100000:0 t=1:0:hog:0:0:0:0 t=7:s1:sleep:1:10000:0:*1428.6"
#define HOG20 "name=hog-q20 secs=4 g=a:0:20000:100000:0 t=1:0:hog:0:0:0:0"

/* ---- the lines ---- */

/* The shipped measurements can all be read, and the first line is the one the README speaks of. */
TEST(oracle, shipped_lines)
{
	static const struct { const char *file; u32 nr; } files[] = { { "tests/oracle/main.jsonl", 235 },
								      { "tests/oracle/rerun.jsonl", 20 },
								      { "tests/oracle/traced.jsonl", 29 },
								      { "tests/oracle/extra.jsonl", 112 },
								      { "tests/oracle/host.jsonl", 56 } };
	struct arena mem = arena();
	struct err err = { 0 };
	struct measured_list list;
	u32 before = 0;

	measured_list_init(&list);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CHECK_ROW(measured_read(&list, files[i].file, &mem, &err), 0, files[i].file);
		CHECK_ROW(list.nr - before, files[i].nr, files[i].file);
		before = list.nr;
	}
	CHECK_STR(list.first->name, "fib2");
	CHECK_STR(list.first->guest->label, "5.10-after");
	CHECK_EQ(list.first->vcpus, 2);
	CHECK_EQ(list.first->groups[0].usage, 402574 * US);
	CHECK_EQ(list.first->groups[0].nr_throttled, 40);
	CHECK(list.first->groups[0].has_bandwidth && !list.first->groups[0].has_burst);
	CHECK_EQ(list.first->sets[1].wake_late.p50, 5800);
	CHECK_EQ(list.first->sets[1].loops, 392);
	arena_fini(&mem);
}

static void check_bad_line(const char *line, const char *expected)
{
	char path[] = "/tmp/fairground-test-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct arena mem = arena();
	struct measured_list list;
	struct err err = { 0 };

	fprintf(f, "\n%s\n", line);
	fclose(f);
	measured_list_init(&list);
	CHECK_ROW(measured_read(&list, path, &mem, &err), -1, line);
	CHECK_ROW(err.line, 2, line);
	CHECK_ROW(strstr(err.message, expected) != NULL, 1, err.message);
	remove(path);
	arena_fini(&mem);
}

/* A line that is not a measurement is refused with its place and what was expected. */
TEST(oracle, bad_lines)
{
	check_bad_line("[]", "an object");
	check_bad_line("{\"case\":\"a\",\"label\":\"5.11\",\"vcpus\":2,\"hz\":250,\"spec\":\"\"}", "a kernel that was measured");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":0,\"hz\":250,\"spec\":\"\"}", "1 to 1024 CPUs");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":\"x\",\"hz\":250}", "a number");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":2,\"hz\":250,\"blk_iters\":10001,\"spec\":\"\"}", "at most 10000 turns");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":2,\"hz\":250,\"spec\":\"" HOG20 "\",\"groups\":[],\"sets\":[{}]}",
		       "one element for each");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":2,\"hz\":250,\"spec\":\"" HOG20 "\",\"groups\":[{\"usage_us\":1}]}",
		       "one element for each");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":2,\"hz\":250,\"spec\":\"" HOG20 "\",\"groups\":[{\"usage_us\":1}],"
		       "\"sets\":[{\"threads_cpu_us\":[1,2]}]}", "one number for each thread");
	check_bad_line("{\"case\":\"a\",\"label\":\"6.1\",\"vcpus\":2,\"hz\":250,\"spec\":\"name=n secs=1 g=a:0:-1:100000:0 t=2:-1:hog:0:0:0:0\","
		       "\"groups\":[{\"usage_us\":1}],\"sets\":[{\"threads_cpu_us\":[2,1]}]}", "not below the one before");
}

/* ---- staging ---- */

static struct scenario staged(const struct measured *m)
{
	struct stage_options opt = { 0 };
	struct scenario sc;
	struct err err = { 0 };

	CHECK_EQ(stage_case(&sc, m, &opt, &err), 0);
	return sc;
}

/* Staggered threads become tasks with a delay each; ticks and periods lie where they did on the guest's clock. */
TEST(oracle, stage_fibtest)
{
	struct stage_options opt = { 0 };
	struct arena mem = arena();
	struct measured m = measured_of("5.10-before", FIB8, 8, &mem);
	struct scenario sc;
	u64 start;

	m.t0 = 7099972752;
	start = stage_window_start(&m);
	sc = staged(&m);
	CHECK_STR(sc.kernel.row, "5.10");
	CHECK_EQ(sc.kernel.nr_rules, 1);
	CHECK_STR(sc.kernel.rules[0], "bw_expiry=seq");
	CHECK_EQ(start % (4 * MS), 7099972752 % (4 * MS)); /* ticks */
	CHECK_EQ(sc.measure_from, start);
	CHECK(!sc.history); /* each thread has a past of its own */
	CHECK_EQ(sc.machine.cpus, 8);
	CHECK_EQ(sc.machine.costs.wakeup + sc.machine.costs.switch_, 5500);
	CHECK_EQ(sc.machine.costs.unthrottle, m.guest->walk);
	CHECK_EQ(sc.nr_groups, 1);
	CHECK_STR(sc.groups[0].path, "/fib");
	CHECK_STR(sc.groups[0].writes[0].file, "cpu.max");
	CHECK_STR(sc.groups[0].writes[0].value, "10000 100000");
	CHECK(sc.groups[0].phase_set); /* its boundaries: multiples of 100 ms on the clock, and 2.5 us for the handler */
	CHECK_EQ((sc.groups[0].phase + 100 * MS - start % (100 * MS)) % (100 * MS), 100 * MS - 99972752 + 2500);
	CHECK_STR(sc.tasks[0].name, "h0.0");
	CHECK_STR(sc.tasks[7].name, "s1.6");
	CHECK_EQ(sc.tasks[7].delay - sc.tasks[0].delay, 6 * 1428600);
	CHECK_EQ(sc.tasks[7].cpus[0], 1 << 7);
	CHECK_EQ(sc.tasks[7].program.nr_steps, 5); /* a look at its clock, the return from it and a burn; then a sleep and a burn again and again */
	CHECK_EQ(sc.tasks[7].program.steps[0].flags, STEP_POLLS_CLOCK);
	CHECK_EQ(sc.tasks[7].program.steps[2].len.a, 1 * US);
	CHECK_EQ(sc.tasks[7].program.steps[3].kind, STEP_SLEEP);
	CHECK_EQ(sc.tasks[7].program.steps[4].len.a, 1 * US);
	CHECK_EQ(stage_task(&m, &opt, 1, 6), 7);
	CHECK_EQ(stage_instance(&m, &opt, 1, 6), 0);
	scenario_free(&sc);
	arena_fini(&mem);
}

/* Threads that choose their CPU are instances of one task; bound ones have a past each, and so a task. */
TEST(oracle, stage_instances)
{
	struct stage_options opt = { 0 };
	struct arena mem = arena();
	struct measured m = measured_of("6.1", "name=n secs=1 g=a:0:5000:100000:0 t=4:-1:hog:0:0:3:0 t=2:s1:hog:0:0:0:0", 4, &mem);
	struct scenario sc = staged(&m);

	CHECK_EQ(sc.tasks[0].instances, 4);
	CHECK_EQ(sc.tasks[0].nice, 3);
	CHECK(!sc.tasks[0].cpus && !sc.tasks[0].cpus_each);
	CHECK_EQ(stage_task(&m, &opt, 0, 3), 0);
	CHECK_EQ(stage_instance(&m, &opt, 0, 3), 3);
	CHECK_EQ(sc.tasks[2].instances, 1);
	CHECK_EQ(sc.tasks[2].cpus[0], 1 << 2);
	CHECK_EQ(stage_task(&m, &opt, 1, 1), 2);
	CHECK_EQ(stage_instance(&m, &opt, 1, 1), 0);
	CHECK(sc.history); /* where one of them chooses nobody has a past of its own */
	scenario_free(&sc);
	arena_fini(&mem);
}

/* A wakeup costs what the case's own sleepers measured: CPU time per loop less the burn. */
TEST(oracle, stage_wakeup_cost)
{
	struct arena mem = arena();
	struct measured m = measured_of("5.10-after", FIB8, 8, &mem);

	CHECK_EQ(stage_wake(&m), 0);
	m.sets[1] = (struct measured_set){ .cpu = 2737 * 6930, .loops = 2737 };
	CHECK_EQ(stage_wake(&m), 5930);
	m.sets[1].loops = 49; /* too few to tell */
	CHECK_EQ(stage_wake(&m), 0);
	arena_fini(&mem);
}

/* A burn of 20 us or more has a look at the thread's clock before and behind it; a shorter one has not.  The first has one more before it. */
TEST(oracle, stage_clock_reads)
{
	struct arena mem = arena();
	struct measured m = measured_of("6.1", "name=n secs=1 g=a:0:5000:100000:0 t=1:0:sleep:200:10000:0:0 t=1:1:sleep:19:10000:0:0", 2, &mem);
	struct scenario sc = staged(&m);
	const struct step *step = sc.tasks[0].program.steps;

	CHECK_EQ(sc.tasks[0].program.nr_steps, 7 + 6);
	CHECK_EQ(step[0].flags, STEP_POLLS_CLOCK);
	CHECK_EQ(step[2].flags, STEP_POLLS_CLOCK);
	CHECK_EQ(step[4].len.a, 200 * US - 100); /* a clock counts the ticks in a burn, the model's come on top: 2 us in 4 ms */
	CHECK_EQ(step[5].flags, STEP_POLLS_CLOCK);
	CHECK_EQ(step[7].kind, STEP_SLEEP);
	CHECK_EQ(step[8].flags, STEP_POLLS_CLOCK);
	CHECK_EQ(step[10].len.a, 200 * US - 100);
	CHECK_EQ(sc.tasks[1].program.nr_steps, 3 + 2);
	scenario_free(&sc);
	arena_fini(&mem);
}

/* 5.10 has no burst, so its burst cases are staged without; 6.1 gets the write. */
TEST(oracle, stage_burst)
{
	static const struct { const char *label; u32 writes; } rows[] = { { "5.10-after", 1 }, { "6.1", 2 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = measured_of(rows[i].label, "name=n secs=1 g=a:0:20000:100000:10000 t=1:0:hog:0:0:0:0", 2, &mem);
		struct scenario sc = staged(&m);

		CHECK_ROW(sc.groups[0].nr_writes, rows[i].writes, rows[i].label);
		if (rows[i].writes == 2)
			CHECK_STR(sc.groups[0].writes[1].value, "10000");
		scenario_free(&sc);
		arena_fini(&mem);
	}
}

/* A write of the description happens when it was due plus what the guest took for it. */
TEST(oracle, stage_writes)
{
	struct arena mem = arena();
	struct measured m = measured_of("5.10-after",
					"name=n secs=1 g=a:0:10000:100000:0 t=1:0:hog:0:0:0:0 w=660000:0:-1:100000:-1 w=830000:0:10000:50000:-1",
					2, &mem);
	struct scenario sc = staged(&m);

	CHECK_EQ(sc.nr_at, 2);
	CHECK_EQ(sc.at[0].t, stage_window_start(&m) + 660 * MS + m.guest->write);
	CHECK_STR(sc.at[0].write.value, "max 100000");
	CHECK_STR(sc.at[1].write.value, "10000 50000");
	CHECK_STR(sc.at[1].write.group, "/a");
	scenario_free(&sc);
	arena_fini(&mem);
}

/* Where the periods' phase is random it is given: as found by the guest, else spread over the pasts, the middle one in the middle. */
TEST(oracle, stage_phase)
{
	struct arena mem = arena();
	struct stage_options opt = { 0 };
	struct measured m = measured_of("6.12", HOG20, 2, &mem);
	u64 start = stage_window_start(&m) % (100 * MS);
	struct scenario sc;

	for (opt.past = 0; opt.past < STAGE_PASTS; opt.past++) {
		struct err err = { 0 };

		CHECK_EQ(stage_case(&sc, &m, &opt, &err), 0);
		CHECK(sc.groups[0].phase_set);
		CHECK_EQ((sc.groups[0].phase + 100 * MS - start) % (100 * MS), 100 * MS * (2 * opt.past + 1) / (2 * STAGE_PASTS));
		scenario_free(&sc);
	}
	CHECK(stage_phase_unknown(&m, &opt));
	m.phase[0] = 73919 * US;
	sc = staged(&m);
	CHECK_EQ((sc.groups[0].phase + 100 * MS - start) % (100 * MS), 73919 * US + 2500);
	CHECK(!stage_phase_unknown(&m, &opt));
	scenario_free(&sc);
	arena_fini(&mem);
}

/*
 * A long system call is one step in the kernel; whether it offers to reschedule is the difference of zread and poll.  An open loop is
 * a burn, a wait and a burn for every release left in the window, and its own end: what reads the statistics, then leaves.
 */
TEST(oracle, stage_system_calls)
{
	static const struct { const char *text; u8 flags; } rows[] = {
		{ "name=n secs=1 g=a:0:5000:100000:0 t=1:0:zread:30000:900000:0:0", STEP_RESCHED_POINT },
		{ "name=n secs=1 g=a:0:5000:100000:0 t=1:0:poll:30000:900000:0:0", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = measured_of("6.1", rows[i].text, 2, &mem);
		const struct program *p;
		struct scenario sc;

		m.sets[0].burn_cpu = (struct measured_times){ .n = 2, .p50 = 46900 * US, .mean = 45500 * US };
		sc = staged(&m);
		p = &sc.tasks[0].program;
		CHECK_ROW(p->nr_phases, 3, rows[i].text);
		CHECK_ROW(p->phases[0].nr, 3, "the first burn does not wait, but looks at the clock");
		CHECK_ROW(p->phases[1].loop, 1, "one release is left in a second of 900 ms");
		CHECK_ROW(p->steps[2].kind, STEP_SYS, rows[i].text);
		CHECK_ROW(p->steps[3].kind, STEP_TIMER, rows[i].text);
		CHECK_ROW(p->steps[4].kind, STEP_SYS, rows[i].text);
		CHECK_ROW(p->steps[4].flags, rows[i].flags, rows[i].text);
		CHECK_ROW(p->steps[4].len.a, 46900 * US - 23450, "as long as the call really was, less its ticks");
		CHECK_ROW(p->steps[6].kind, STEP_EXIT, rows[i].text);
		scenario_free(&sc);
		arena_fini(&mem);
	}
}

/* A case for more CPUs than its machine has is refused. */
TEST(oracle, stage_refuses)
{
	struct arena mem = arena();
	struct measured m = measured_of("6.1", FIB8, 4, &mem);
	struct stage_options opt = { 0 };
	struct scenario sc;
	struct err err = { 0 };

	CHECK_EQ(stage_case(&sc, &m, &opt, &err), -1);
	CHECK(strstr(err.message, "CPUs below 4") != NULL);
	scenario_free(&sc);
	arena_fini(&mem);
}

/* ---- cells ---- */

/* A quantile is taken as the measuring program does: rank (n - 1) * q, to the nearest. */
TEST(oracle, quantiles)
{
	struct samples s = { 0 };

	CHECK_EQ(quantile(&s, .5), 0);
	for (u64 i = 10; i; i--)
		samples_add(&s, i * 100);
	CHECK_EQ(quantile(&s, .5), 600); /* 4.5 rounds up */
	CHECK_EQ(quantile(&s, .99), 1000);
	CHECK_EQ(quantile(&s, 0), 100);
	samples_free(&s);
}

/* In an open loop a burn begins when the thread is woken, or when the late one before it ends. */
TEST(oracle, open_loop)
{
	struct samples response = { 0 }, woken = { 0 }, wake = { 0 };

	samples_add(&response, 5 * MS);	 /* released 0, ends 5 */
	samples_add(&response, 25 * MS); /* released 20, ends 45 */
	samples_add(&response, 12 * MS); /* released 40, begins at 45, ends 52 */
	samples_add(&response, 5 * MS);	 /* released 60 */
	samples_add(&woken, 7 * US);
	samples_add(&woken, 8 * US);
	samples_add(&woken, 9 * US);
	split_open_loop(&response, &woken, 20 * MS, 1 * US, &wake);
	CHECK_EQ(wake.nr, 4);
	CHECK_EQ(wake.v[0], 8 * US);
	CHECK_EQ(wake.v[1], 9 * US);
	CHECK_EQ(wake.v[2], 5 * MS);
	CHECK_EQ(wake.v[3], 10 * US);
	samples_free(&response);
	samples_free(&woken);
	samples_free(&wake);
}

static struct measured fib_measured(const char *label, u32 vcpus, struct arena *mem)
{
	struct measured m = measured_of(label, FIB8, vcpus, mem);

	m.groups[0] = (struct measured_group){ .usage = 142 * MS, .nr_periods = 40, .nr_throttled = 40, .throttled = 35300 * MS,
					       .has_bandwidth = true };
	m.sets[0].cpu = 113 * MS;
	m.sets[1].wake_late = (struct measured_times){ .n = 1000, .p50 = 5800, .p99 = 5800 };
	return m;
}

/* The tolerances are those of the table: one tick, 1 %, a tick per CPU, 10 us per busy CPU. */
TEST(oracle, tolerances)
{
	static const struct { const char *label; u32 vcpus; enum cell_figure figure; u64 allowed; } rows[] = {
		{ "5.10-after", 8, CELL_USAGE, 4 * MS },	     /* one tick */
		{ "5.10-before", 8, CELL_USAGE, 4 * MS },
		{ "5.10-before", 16, CELL_USAGE, 7100 * US },	     /* 5 % before the fix on 16 CPUs */
		{ "5.10-after", 16, CELL_USAGE, 4 * MS },
		{ "5.10-after", 8, CELL_PERIODS, 1 },
		{ "5.10-after", 8, CELL_NR_THROTTLED, 1 },
		{ "5.10-after", 8, CELL_THROTTLED, 5295 * MS },	     /* 15 % for fibtest on 8 CPUs */
		{ "5.10-after", 8, CELL_CPU, 2260 * US },	     /* 2 % */
		{ "5.10-after", 8, CELL_WAKE_P50, 80 * US },	     /* 10 us on each of 8 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = fib_measured(rows[i].label, rows[i].vcpus, &mem);
		struct played p = as_measured(&m);
		struct seen s = judged(&m, &p, false);

		CHECK_ROW(s.cell[rows[i].figure].tolerance + .5, rows[i].allowed, rows[i].label);
		played_free(&p);
		arena_fini(&mem);
	}
}

/* Equal figures are all inside; a usage two ticks off is outside; one tick off is inside. */
TEST(oracle, inside_and_outside)
{
	struct arena mem = arena();
	struct measured m = fib_measured("5.10-after", 8, &mem);
	struct played p = as_measured(&m);
	struct seen s = judged(&m, &p, false);

	for (int f = 0; f < NR_CELL_FIGURES; f++)
		if (s.nr[f])
			CHECK_ROW(cell_inside(&s.cell[f]), 1, cell_figure_name((enum cell_figure)f));
	p.groups[0].usage += 4 * MS;
	s = judged(&m, &p, false);
	CHECK(cell_inside(&s.cell[CELL_USAGE]));
	p.groups[0].usage += 4 * MS;
	s = judged(&m, &p, false);
	CHECK(!cell_inside(&s.cell[CELL_USAGE]));
	CHECK_EQ(cell_off(&s.cell[CELL_USAGE]) * 10, 20);
	s = judged(&m, &p, true); /* unknown phase: a quota of 10 ms more */
	CHECK(cell_inside(&s.cell[CELL_USAGE]));
	played_free(&p);
	arena_fini(&mem);
}

/* Burns below 20 us give no cells of CPU time and response; groups without a limit none of periods. */
TEST(oracle, what_is_no_cell)
{
	struct arena mem = arena();
	struct measured m = fib_measured("5.10-after", 8, &mem);
	struct played p = as_measured(&m);
	struct seen s = judged(&m, &p, false);

	CHECK_EQ(s.nr[CELL_CPU], 1); /* the hog's */
	CHECK_EQ(s.nr[CELL_RESPONSE_P50], 0);
	CHECK_EQ(s.nr[CELL_WAKE_P50], 1);
	CHECK_EQ(s.nr[CELL_BURST], 0);
	CHECK_EQ(s.nr[CELL_MIGRATIONS], 0); /* they are bound */
	played_free(&p);
	m = measured_of("6.1", "name=n secs=1 g=a:0:-1:100000:0 t=1:0:every:1000:10000:0:0", 2, &mem);
	m.sets[0].response = (struct measured_times){ .n = 49, .p50 = 1, .p99 = 2 };
	m.groups[0].has_bandwidth = true;
	p = as_measured(&m);
	s = judged(&m, &p, false);
	CHECK_EQ(s.nr[CELL_PERIODS], 0);
	CHECK_EQ(s.nr[CELL_RESPONSE_P50], 1);
	CHECK_EQ(s.nr[CELL_RESPONSE_P99], 0); /* of 49 samples */
	played_free(&p);
	arena_fini(&mem);
}

/* The number of periods says on which side of the last boundary the guest was read. */
TEST(oracle, reading_moment)
{
	CHECK(!read_is_nearer(39, 39, 40));
	CHECK(read_is_nearer(40, 39, 40));
	CHECK(!read_is_nearer(9, 10, 11));
	CHECK(!read_is_nearer(20, 20, 20));
}

/* ---- the score ---- */

/* Every cell is in one sum of each kind; zeroes are counted apart; a cause is found by its globs. */
TEST(oracle, sums_add_up)
{
	struct arena mem = arena();
	struct measured m = fib_measured("5.10-before", 8, &mem), hog = measured_of("5.10-before", HOG20, 2, &mem);
	struct played p = as_measured(&m), off = as_measured(&m), h = as_measured(&hog);
	struct oracle_score score;
	char path[] = "/tmp/fairground-test-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct cause_list *causes;
	struct err err = { 0 };
	u32 cells[NR_ORACLE_BY] = { 0 }, inside[NR_ORACLE_BY] = { 0 }, zeros[NR_ORACLE_BY] = { 0 };

	fprintf(f, "# row | case | cell | cause\n5.10* | */fib8*/8 | usage * | known\n");
	fclose(f);
	causes = causes_read(path, &mem, &err);
	CHECK(causes != NULL);
	off.groups[0].usage += 9 * MS;
	score_init(&score);
	CHECK_EQ(score_add(&score, &m, &off, &p, 1, false, causes), 0);
	CHECK_EQ(score_add(&score, &hog, &h, &h, 1, false, causes), 0);
	for (int by = 0; by < NR_ORACLE_BY; by++)
		for (u32 i = 0; i < score.nr_sums[by]; i++) {
			cells[by] += score.sums[by][i].with.cells;
			inside[by] += score.sums[by][i].with.inside;
			zeros[by] += score.sums[by][i].with.zeros;
		}
	for (int by = 0; by < NR_ORACLE_BY; by++) {
		CHECK_EQ(cells[by] + zeros[by], score.nr_cells);
		CHECK_EQ(inside[by], cells[by] - 1);
		CHECK_EQ(zeros[by], 2); /* the hog's usage and CPU time, not filled in here */
	}
	CHECK_EQ(score.nr_sums[ORACLE_BY_ROW], 1);
	CHECK_EQ(score.sums[ORACLE_BY_ROW][0].cases, 2);
	CHECK_EQ(score.sums[ORACLE_BY_ROW][0].without.inside, cells[0]);
	CHECK_STR(score.sums[ORACLE_BY_ROW][0].row, "5.10 bw_expiry=seq");
	CHECK_STR(score.cells[0].cause, "known");
	score_free(&score);
	played_free(&p);
	played_free(&off);
	played_free(&h);
	remove(path);
	arena_fini(&mem);
}

/* The JSON has rows by kind with cases, cells and inside, and each miss with both values. */
TEST(oracle, json_contract)
{
	struct arena mem = arena();
	struct measured m = fib_measured("5.10-after", 8, &mem);
	struct played p = as_measured(&m), off = as_measured(&m);
	struct oracle_score score;
	struct err err = { 0 };
	const struct json *root, *row, *miss;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	off.groups[0].usage += 9 * MS;
	score_init(&score);
	CHECK_EQ(score_add(&score, &m, &off, &p, 1, false, NULL), 0);
	oracle_json(f, &score);
	fclose(f);
	root = json_parse("json", text, len, &mem, NULL, &err);
	CHECK(root != NULL);
	row = json_get(json_get(json_get(root, "rows"), "5.10"), "pinned");
	CHECK(row != NULL);
	CHECK_STR(json_get(row, "cases")->text, "1");
	CHECK_STR(json_get(row, "cells")->text, "7");
	CHECK_STR(json_get(row, "inside")->text, "6");
	CHECK_EQ(json_get(root, "misses")->len, 1);
	miss = json_get(root, "misses")->child;
	CHECK_STR(json_get(miss, "case")->text, "5.10-after/fib8-stag/8");
	CHECK_STR(json_get(miss, "cell")->text, "usage /fib");
	CHECK_STR(json_get(miss, "real")->text, "142000.000");
	CHECK_STR(json_get(miss, "model")->text, "151000.000");
	CHECK_STR(json_get(miss, "cause")->text, "unknown");
	free(text);
	score_free(&score);
	played_free(&p);
	played_free(&off);
	arena_fini(&mem);
}

/* Labels are kernels: a row, a row with its rule, or a label chooses them. */
TEST(oracle, labels)
{
	static const struct { const char *label, *wanted; bool yes; } rows[] = {
		{ "5.10-before", "5.10", true },	       { "5.10-before", "5.10+bw_expiry=seq", true },
		{ "5.10-before", "5.10 bw_expiry=seq", true }, { "5.10-before", "5.10-before", true },
		{ "5.10-before", "5.1", false },	       { "5.10-after", "5.10+bw_expiry=seq", false },
		{ "5.10deb", "5.10", true },		       { "6.1", "6.12", false },
		{ "6.1", NULL, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(guest_matches(guest_find(rows[i].label), rows[i].wanted), rows[i].yes, rows[i].label);
	CHECK(guest_find("5.11") == NULL);
}

TEST_MAIN("oracle")
