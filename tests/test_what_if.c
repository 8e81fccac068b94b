/* SPDX-License-Identifier: MIT */
/*
 * test_what_if.c - what a replay is asked, and all groups of a node at once.
 *
 *	scenario --> the model's own switches as ftrace text --> read again as a recording --> what if
 */
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/explain_requests.h"
#include "cli/replay_node.h"
#include "cli/replay_runs.h"
#include "input/scenario_file.h"
#include "metrics/series.h"

#define OWN "tests/data/own/"

/* ---- a recording of the model ---- */

static struct recorder {
	FILE *out;
	const struct scenario *sc;
	u64 epoch;
	u32 curr[64];
} recorder;

/* Tasks are made in the order of the scenario, one thread each. */
static const char *comm_of(u32 task) { return task ? recorder.sc->tasks[task - 1].name : "<idle>"; }

static void head(const struct event *ev)
{
	u64 t = ev->time - recorder.epoch;
	u32 by = recorder.curr[ev->cpu];

	fprintf(recorder.out, "%16s-%-6u [%03u] %s %6llu.%06llu: ", comm_of(by), by ? 100 + by : 0, ev->cpu, "d..2.", (unsigned long long)(t / SEC),
		(unsigned long long)(t % SEC / US));
}

static void on_event(void *ctx, const struct event *ev)
{
	static const char *const states[] = { "R", "S", "X", "R" };

	(void)ctx;
	if (!recorder.epoch)
		recorder.epoch = ev->time - ev->time % SEC;
	if (ev->type == EVENT_SCHED_SWITCH) {
		head(ev);
		fprintf(recorder.out, "sched_switch: prev_comm=%s prev_pid=%u prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%u next_prio=120\n",
			comm_of(ev->other), ev->other ? 100 + ev->other : 0, states[ev->arg & 3], comm_of(ev->task), ev->task ? 100 + ev->task : 0);
		recorder.curr[ev->cpu] = ev->task;
	} else if (ev->type == EVENT_SCHED_WAKING) {
		head(ev);
		fprintf(recorder.out, "sched_waking: comm=%s pid=%u prio=120 target_cpu=%03u\n", comm_of(ev->task), 100 + ev->task, ev->cpu);
	}
}

static void record(const char *path, const char *text)
{
	struct machine_options opt = { .on_event = on_event };
	struct warnings warn = { 0 };
	struct err err = { 0 };
	struct result *res;
	struct scenario sc;

	if (scenario_read("t.json", text, strlen(text), &sc, &warn, &err))
		fail_msg("%s", err.message);
	recorder = (struct recorder){ .out = fopen(path, "w"), .sc = &sc };
	fputs("# tracer: nop\n#\n", recorder.out);
	res = machine_run(&sc, &opt, &err);
	CHECK(res != NULL);
	result_free(res);
	fclose(recorder.out);
	scenario_free(&sc);
	warnings_free(&warn);
}

/* ---- options ---- */

static struct what_if_args args;
static struct err err;

static int give(int argc, char **argv)
{
	static const struct option_row *const tables[] = { what_if_rows, NULL };
	const struct command cmd = { .name = "replay", .tables = tables, .most = 1 };
	struct positionals pos;
	char *all[32] = { "replay" };

	memset(&args, 0, sizeof(args));
	err = (struct err){ 0 };
	memcpy(all + 1, argv, (size_t)argc * sizeof(*argv));
	return options_parse(&cmd, argc + 1, all, &args, &pos, &err);
}
#define GIVE(...) give((int)ARRAY_SIZE(((char *[]){ __VA_ARGS__ })), (char *[]){ __VA_ARGS__ })

/* Every option is a what-if of its own, unless --and joins it to the one before. */
TEST(what_if, options)
{
	CHECK_EQ(GIVE("--limit", "500m", "--period", "10ms", "--burst", "5", "--kernel", "6.18", "--rule", "bw_expiry=none", "--cpus", "4", "--hz", "1000", "--threads", "3"), 0);
	CHECK_EQ(args.ifs.nr, 8);
	CHECK_STR(args.ifs.v[0].limit, "500m");
	CHECK_EQ(args.ifs.v[1].period, 10 * MS);
	CHECK_EQ(args.ifs.v[2].burst, 5 * MS);
	CHECK_EQ(args.ifs.v[7].threads, 3);
	CHECK_EQ(GIVE("--limit", "1", "--and", "--hz", "100", "--and", "--threads", "2", "--limit", "2"), 0);
	CHECK_EQ(args.ifs.nr, 2);
	CHECK_EQ(args.ifs.v[0].hz, 100);
	CHECK_EQ(args.ifs.v[0].threads, 2);
	CHECK_STR(args.ifs.v[1].limit, "2");
	CHECK_EQ(GIVE("--limit", "*=max"), 0);
	CHECK_EQ(args.ifs.v[0].all_go, true);
}

TEST(what_if, options_refused)
{
	static const struct { char *argv[5]; const char *message; } rows[] = {
		{ { "--period", "2s" }, "--period takes 1 ms to 1 s" },
		{ { "--period", "0.5ms" }, "--period takes 1 ms to 1 s" },
		{ { "--period", "x" }, "replay: --period" },
		{ { "--burst", "-1" }, "replay: --burst" },
		{ { "--threads", "0" }, "--threads takes 1 to 10000" },
		{ { "--cpus", "1025" }, "--cpus takes 1 to 1024" },
		{ { "--hz", "many" }, "--hz takes 1 to 10000" },
		{ { "--and", "--hz", "100" }, "nothing stands before it" },
		{ { "--limit", "1", "--and", "--limit", "2" }, "two --limit in one what-if" },
		{ { "--limit", "*=500m" }, "can only go" },
		{ { "--driver", "docker" }, "--driver takes cgroupfs or systemd" },
		{ { "--weights", "x" }, "--weights takes old or new" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int argc = 0;

		while (argc < 5 && rows[i].argv[argc])
			argc++;
		CHECK_ROW(give(argc, (char **)rows[i].argv), -1, rows[i].message);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].message);
		if (!strstr(err.message, rows[i].message))
			fail_msg("\"%s\", not \"%s\"", err.message, rows[i].message);
	}
}

/* ---- rows ---- */

static struct traced traced;

static void open_trace(const char *path, struct trace_options opt)
{
	static const struct variant none;

	err = (struct err){ 0 };
	if (traced_open(&traced, path, &opt, &none, &err))
		fail_msg("%s: %s", path, err.message);
}

static struct fates one_row(struct replay_runs *runs, struct what_if w)
{
	struct run_options run = { 0 };

	memset(&args, 0, sizeof(args));
	args.ifs.v[0] = w;
	args.ifs.nr = 1;
	if (replay_runs_go(runs, &traced, &run, &args.ifs, 4, &err))
		fail_msg("%s", err.message);
	return runs->fates[1];
}

/* A thread of 5 ms and 10 ms of sleep under 25 ms in 100 ms: what each change does to it. */
TEST(what_if, rows)
{
	static const struct { struct what_if w; const char *label; u64 throttled_lo, throttled_hi, p50_hi; } rows[] = {
		{ { .limit = "500m" }, "500m = 50.0/100 ms", 0, 0, 6 * MS },
		{ { .limit = "max" }, "max", 0, 0, 6 * MS },
		{ { .limit = "250m", .kernel = "6.18" }, "250m = 25.0/100 ms, kernel 6.18", 18, 21, 6 * MS },
		{ { .has_burst = true, .burst = 25 * MS }, "burst 25 ms", 13, 18, 6 * MS },
		{ { .limit = "250m", .has_period = true, .period = 10 * MS }, "250m = 2.50/10.0 ms, period 10 ms", 80, 130, 12 * MS },
		{ { .has_period = true, .period = 10 * MS }, "period 10 ms", 80, 130, 12 * MS },
		{ { .cpus = 1 }, "1 CPU", 18, 21, 6 * MS },
		{ { .topology = "2n x 1c" }, "machine 2n x 1c", 14, 22, 6 * MS },
		{ { .topology = "4c x 2t", .limit = "500m" }, "500m = 50.0/100 ms, machine 4c x 2t", 0, 0, 6 * MS },
		{ { .limit = "50/100", .hz = 1000 }, "50/100, 1000 Hz", 0, 0, 6 * MS },
	};
	struct replay_runs runs;
	size_t i;

	open_trace(OWN "own_burn5_q25.ftrace.txt", (struct trace_options){ .recorded = { { "kernel=6.18" }, 1 } });
	CHECK_STR(traced.rec.sc.kernel.row, "6.18");
	for (i = 0; i + 1 < ARRAY_SIZE(rows); i++) { /* the last is us: below what a kernel takes */
		struct fates f = one_row(&runs, rows[i].w);

		CHECK_STR(f.label, rows[i].label);
		CHECK(f.lo.throttled >= rows[i].throttled_lo && f.hi.throttled <= rows[i].throttled_hi);
		CHECK(f.at.latency[LATENCY_P50] <= rows[i].p50_hi);
		/* phases; as many drawings of other blocks */
		CHECK_EQ(f.runs, (rows[i].w.limit && !strcmp(rows[i].w.limit, "max") ? 1 : 4) + 4);
		CHECK(f.likely.usage >= f.lo.usage && f.likely.usage <= f.hi.usage);
		replay_runs_fini(&runs);
	}
	traced_close(&traced);
}

/* What neither the recording nor the user says is tried too, and the range holds it. */
TEST(what_if, what_is_left_open)
{
	struct replay_runs runs;
	struct fates f;

	open_trace(OWN "own_burn5_q25.ftrace.txt", (struct trace_options){ .recorded = { { NULL }, 0 } });
	f = one_row(&runs, (struct what_if){ .limit = "30ms" });
	CHECK_EQ(f.runs, 4 + 4 + 2 * 1);
	CHECK(strstr(runs.open, "kernel"));
	CHECK(strstr(runs.open, "4 drawings of blocks of 411 ms"));
	CHECK(!strstr(runs.open, "HZ")); /* that shows */
	replay_runs_fini(&runs);
	f = one_row(&runs, (struct what_if){ .limit = "30ms", .kernel = "5.10" });
	CHECK_EQ(f.runs, 4 + 4);
	replay_runs_fini(&runs);
	traced_close(&traced);
}

/*
 * Once a quota is large enough that the pool meets every request in full, a larger one changes nothing: with more than 34 ms in 100 for a thread of 5 ms
 * and 10 ms of sleep there are no more runs, and each row is what it is alone.
 */
TEST(what_if, larger_quotas_share_a_run)
{
	static const char *const limits[] = { "10ms", "25ms", "200ms", "60ms", "80ms", "100ms", "40ms/50ms", "150ms" };
	struct replay_runs all, one;
	struct what_ifs ifs = { .nr = ARRAY_SIZE(limits) };
	struct run_options run = { 0 };

	open_trace(OWN "own_burn5_q25.ftrace.txt", (struct trace_options){ .recorded = { { "kernel=6.18" }, 1 } });
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		ifs.v[i] = (struct what_if){ .limit = limits[i] };
	CHECK_EQ(replay_runs_go(&all, &traced, &run, &ifs, 4, &err), 0);
	CHECK(all.share.nr > 0);
	CHECK_EQ(all.share.classes[0].enough, 60 * MS); /* the recorded phase, 100 ms */
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct fates f = one_row(&one, (struct what_if){ .limit = limits[i] });

		CHECK_ROW(memcmp(&f.at, &all.fates[1 + i].at, sizeof(f.at)), 0, limits[i]);
		CHECK_ROW(memcmp(&f.lo, &all.fates[1 + i].lo, sizeof(f.lo)), 0, limits[i]);
		CHECK_ROW(memcmp(&f.hi, &all.fates[1 + i].hi, sizeof(f.hi)), 0, limits[i]);
		CHECK_ROW(memcmp(&f.likely, &all.fates[1 + i].likely, sizeof(f.likely)), 0, limits[i]);
		replay_runs_fini(&one);
	}
	replay_runs_fini(&all);
	traced_close(&traced);
}

/* Two threads that never sleep share 50 ms in 100 ms: one alone stands still half the time, four stand still four times as long as it together. */
TEST(what_if, threads)
{
	static const struct { u64 threads, stopped_lo, stopped_hi; } rows[] = { { 1, 900 * MS, 1100 * MS }, { 2, 2700 * MS, 3300 * MS } };
	struct replay_runs runs;

	open_trace(OWN "own_2busy_pin_q50.ftrace.txt", (struct trace_options){ .recorded = { { "kernel=6.18" }, 1 } });
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fates f = one_row(&runs, (struct what_if){ .threads = rows[i].threads });

		CHECK_WITHIN(f.lo.throttled_time, rows[i].stopped_lo, rows[i].stopped_hi);
		CHECK_WITHIN(f.at.usage, 1000 * MS, 1060 * MS);
		replay_runs_fini(&runs);
	}
	traced_close(&traced);
}

/* A limit that a change is made to must be known; a file's limit is taken. */
TEST(what_if, limits)
{
	struct what_ifs ifs = { 0 };
	struct recover_limit limit;
	char dir[] = "/tmp/test_what_if_XXXXXX", path[64];
	FILE *out;

	open_trace(OWN "own_burn5_q25.ftrace.txt", (struct trace_options){ .recorded = { { "max" }, 1 } });
	CHECK_EQ(what_if_limit(&(struct what_if){ .has_period = true, .period = 5 * MS }, &ifs, &traced, &limit, &err), -1);
	CHECK(strstr(err.message, "--period changes a limit"));
	err = (struct err){ 0 };
	CHECK_EQ(what_if_limit(&(struct what_if){ .limit = "/other=500m" }, &ifs, &traced, &limit, &err), -1);
	CHECK(strstr(err.message, "the group of this trace is /burn"));
	err = (struct err){ 0 };
	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/burn.service", dir);
	out = fopen(path, "w");
	fputs("[Service]\nCPUQuota=30%\nCPUQuotaPeriodSec=20ms\n", out);
	fclose(out);
	CHECK_EQ(what_if_limit(&(struct what_if){ .from = path }, &ifs, &traced, &limit, &err), 0);
	CHECK_EQ(limit.quota, 6 * MS);
	CHECK_EQ(limit.period, 20 * MS);
	unlink(path);
	rmdir(dir);
	traced_close(&traced);
}

/* ---- the node ---- */

static const struct node_group *group_in(const struct node *n, const char *path)
{
	for (u32 i = 0; i < n->view.nr; i++)
		if (!strcmp(n->view.groups[i].path, path))
			return &n->view.groups[i];
	fail_msg("no group %s", path);
	return NULL;
}

/*
 * One CPU: a thread that takes all it gets, held to 20 ms in 100 ms, and one that needs 5 ms of each 20.  Without the limit the first has what
 * the second leaves, 75 %; and the second waits behind it.
 */
TEST(what_if, node)
{
	char path[] = "/tmp/test_what_if_node_XXXXXX";
	struct run_options run = { 0 };
	const struct node_group *batch, *api;
	struct option_list none = { 0 };
	struct node node;
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	record(path, "{ 'machine': { 'cpus': 1, 'costs': 'none' }, 'kernel': '6.4', 'groups': { '/b': { 'cpu.max': '20000 100000', 'period_phase': 30000 }, '/a': { } },"
		     "'global': { 'duration': 5 }, 'tasks': { 'batch': { 'taskgroup': '/b', 'loop': -1, 'run': 1000000 },"
		     "'api': { 'taskgroup': '/a', 'loop': -1, 'timer': { 'ref': 'unique', 'period': 20000, 'mode': 'absolute' }, 'run': 5000 } } }");
	open_trace(path, (struct trace_options){ .recorded = { { "kernel=6.4" }, 1 } });
	if (node_run(&node, &traced, &none, &run, &err))
		fail_msg("%s", err.message);
	batch = group_in(&node, "/batch");
	api = group_in(&node, "/api");
	CHECK_EQ(batch->quota, 20 * MS);
	CHECK_EQ(batch->period, 100 * MS);
	CHECK_EQ(api->quota, NEVER);
	CHECK_WITHIN(batch->model.usage, 980 * MS, 1030 * MS);
	CHECK_WITHIN(batch->without.usage, 3700 * MS, 3800 * MS);
	CHECK_WITHIN(api->without.usage, 1230 * MS, 1260 * MS);
	CHECK_WITHIN(api->model.p50, 4900 * US, 5100 * US);
	CHECK(api->without.p50 > api->model.p50 + 2 * MS);
	CHECK_STR(node.view.groups[0].path, "/api"); /* who suffers stands first */
	CHECK_EQ(node.view.limited, 1);
	node_fini(&node);
	traced_close(&traced);
	unlink(path);
}

/* ---- promtool ---- */

static int promtool(const char *text, struct series_set *set)
{
	err = (struct err){ 0 };
	series_init(set);
	return series_read(set, "t.yaml", text, strlen(text), &err);
}

#define SERIES(name, values) "  - series: '" name "{namespace=\"n\",pod=\"p\",container=\"c\"}'\n    values: '" values "'\n"

/* 30 of 100 periods a minute, for 20 minutes; missing values and other series change nothing; a second test goes on behind the first. */
TEST(what_if, promtool)
{
	static const char text[] = "tests:\n- interval: 1m\n  input_series:\n" SERIES("container_cpu_cfs_throttled_periods_total", "0+30x20")
				   SERIES("container_cpu_cfs_periods_total", "0+100x10 _x2 1300 1400 stale") SERIES("up", "1x20");
	struct series_set set;

	CHECK_EQ(promtool(text, &set), 0);
	CHECK_EQ(series_finish(&set, "t.yaml", 0, &err), 0);
	CHECK_EQ(set.nr, 1);
	CHECK_STR(set.v[0].name, "n/p/c");
	CHECK_EQ(set.v[0].facts.throttled, 600);
	CHECK_EQ(set.v[0].facts.periods, 1400);
	CHECK_EQ(set.v[0].facts.wall, 840 * SEC);
	series_fini(&set);
}

TEST(what_if, promtool_refused)
{
	static const struct { const char *text; int line, column; const char *message; } rows[] = {
		{ "input_series:\n" SERIES("container_cpu_cfs_periods_total", "0+100y20"), 3, 14, "values such as" },
		{ "input_series:\n" SERIES("container_cpu_cfs_periods_total", "5 x"), 3, 16, "values such as" },
		{ "input_series:\n" SERIES("container_cpu_cfs_periods_total", "_y"), 3, 14, "missing values" },
		{ "input_series:\n" SERIES("container_cpu_cfs_periods_total", "0+1x9999999"), 3, 14, "values such as" },
		{ "input_series:\n- series: 'a{b'\n", 2, 12, "a series such as" },
		{ "- interval: soon\n  input_series:\n", 1, 13, "an interval such as" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct series_set set;

		CHECK_ROW(promtool(rows[i].text, &set), -1, rows[i].text);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		CHECK_ROW(strstr(err.message, rows[i].message) != NULL, true, err.message);
		CHECK_ROW(err.line, rows[i].line, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
		series_fini(&set);
	}
}

/* ---- requests by marks ---- */

/* Thread t runs, sleeps and runs inside a request of 9 ms; a nested mark, another thread's and one that never ends do not count. */
static const char marked[] =
	"# tracer: nop\n#\n"
	"          <idle>-0       [000] d..2.     1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t next_pid=7 next_prio=120\n"
	"               t-7       [000] .....     1.001000: tracing_mark_write: B|7|GET /cart\n"
	"               t-7       [000] .....     1.002000: tracing_mark_write: B|7|parse\n"
	"               t-7       [000] .....     1.003000: tracing_mark_write: E\n"
	"               t-7       [000] d..2.     1.004000: sched_switch: prev_comm=t prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
	"          <idle>-0       [000] d.h2.     1.007000: sched_waking: comm=t pid=7 prio=120 target_cpu=000\n"
	"          <idle>-0       [000] d..2.     1.008000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t next_pid=7 next_prio=120\n"
	"               t-7       [000] .....     1.010000: tracing_mark_write: E|7\n"
	"               t-7       [000] .....     1.011000: print: work start 5\n"
	"               t-7       [000] .....     1.013000: print: work done 5\n"
	"               t-7       [000] .....     1.014000: tracing_mark_write: B|7|GET /end\n"
	"               t-7       [000] d..2.     1.020000: sched_switch: prev_comm=t prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";

TEST(what_if, requests_by_marks)
{
	static const struct { const char *what; u64 nr, cut, wall, ran, waited, slept; } rows[] = {
		{ "GET", 1, 1, 9 * MS, 5 * MS, 1 * MS, 3 * MS },
		{ "parse", 1, 0, 1 * MS, 1 * MS, 0, 0 },
		{ "start..done", 1, 0, 2 * MS, 2 * MS, 0, 0 },
	};
	char path[] = "/tmp/test_what_if_marks_XXXXXX";
	struct replay_runs runs;
	struct requests_view v;
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, marked, strlen(marked)) == (ssize_t)strlen(marked));
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		open_trace(path, (struct trace_options){ .request = rows[i].what });
		CHECK_ROW(explain_requests(&v, &traced, rows[i].what, &err), 0, rows[i].what);
		CHECK_ROW(v.nr, rows[i].nr, rows[i].what);
		CHECK_ROW(v.cut, rows[i].cut, rows[i].what);
		CHECK_ROW(v.latency[LATENCY_MAX], rows[i].wall, rows[i].what);
		CHECK_ROW(v.ran, rows[i].ran, rows[i].what);
		CHECK_ROW(v.waited, rows[i].waited, rows[i].what);
		CHECK_ROW(v.slept, rows[i].slept, rows[i].what);
		traced_close(&traced);
	}
	/* In a replay too they are what is measured: 5 ms of work, a sleep of 3 and 1 ms for another. */
	open_trace(path, (struct trace_options){ .request = "GET", .replays_marks = true });
	CHECK(traced.rec.by_marks);
	CHECK_EQ(traced.rec.figures.nr_latency, 1);
	CHECK_EQ(one_row(&runs, (struct what_if){ .limit = "500m" }).likely.latency[LATENCY_MAX], 9 * MS);
	CHECK_EQ(runs.fates[1].lo.latency[LATENCY_MAX], 9 * MS - 9 * MS * RANGE_LENGTH_PERCENT / 100); /* and what a machine takes and adds */
	replay_runs_fini(&runs);
	traced_close(&traced);
	/* Where none are asked for, a user learns of them. */
	open_trace(path, (struct trace_options){ 0 });
	CHECK_EQ(traced.tr.nr_seen, 2);
	CHECK(traced.tr.marks_end);
	CHECK_STR(traced.tr.seen[0].name, "GET");
	CHECK_EQ(traced.tr.seen[0].nr, 2);
	CHECK_STR(traced.tr.seen[1].name, "parse");
	CHECK(traced.member[traced.tr.seen[1].task]);
	traced_close(&traced);
	open_trace(path, (struct trace_options){ .request = "PUT" });
	CHECK_EQ(explain_requests(&v, &traced, "PUT", &err), -1);
	CHECK(strstr(err.message, "no request of the group is marked so"));
	traced_close(&traced);
	err = (struct err){ 0 };
	CHECK_EQ(marks_init(&traced.marks, "..done", &err), -1);
	CHECK(strstr(err.message, "expected what a mark holds"));
	unlink(path);
}

TEST_MAIN("what_if")
