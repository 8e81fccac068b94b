/* SPDX-License-Identifier: MIT */
/*
 * cmd_explain.c - fairground explain TRACE | SCENARIO | METRICS: why it was throttled.
 *
 *	a recording	its gaps, its limit, its worst burst		explain_trace.c
 *	counters	cpu.stat once or twice, cAdvisor's series	explain_metrics.c
 *	a scenario	run, watched, and run again without what could be the cause	explain_scenario.c
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/explain_metrics.h"
#include "cli/explain_scenario.h"
#include "cli/explain_requests.h"
#include "cli/explain_trace.h"
#include "cli/light.h"
#include "cli/sniff.h"
#include "report/explain_text.h"
#include "report/replay_json.h"

#define COUNTERS_PATH 4096

struct explain_args {
	struct run_options run; /* first */
	struct trace_options trace;
	u64 seconds;
	bool fleet;
};

static void print(const struct traced *t, const struct explain_args *args, const struct requests_view *requests)
{
	struct explained e;
	struct explain_view view = { 0 };
	struct json_write j;

	explain_trace(&e, t);
	if (args->trace.request)
		say_requests(&e.sentences, requests);
	explain_next(&e, t);
	traced_view(t, &view.trace, &view.limit, &view.recorded);
	if (view.recorded.wall)
		view.recorded.wall = max_u64(view.recorded.wall, view.recorded.active); /* a recording may begin and end within a period */
	view.causes = e.causes;
	view.nr_causes = e.nr_causes;
	view.worst = e.worst;
	view.period = &e.period.worst;
	view.sentences = (const char *const *)e.sentences.v;
	view.nr_sentences = e.sentences.nr;
	if (args->run.json) {
		json_write_init(&j, stdout);
		view.requests = args->trace.request ? requests : NULL;
		explain_json(&j, &view);
		json_done(&j);
	} else {
		explain_text(stdout, &view);
	}
	explained_fini(&e);
}

static int of_trace(const char *path, struct explain_args *args, struct err *err)
{
	const struct variant *v = current_variant(&args->run);
	struct requests_view requests;
	struct traced t = { 0 };
	int ret;

	if (v->nr_limits || v->nr_limits_from) {
		err_set(err, ERR_INPUT, "--limit is for scenarios and readings of cpu.stat; %s is a recording", path);
		err_hint(err, "--recorded says which limit was in force; replay tries others");
		return -1;
	}
	ret = traced_open(&t, path, &args->trace, v, err);
	if (!ret && t.tr.light)
		ret = explain_light(&t, args->run.json, err);
	else if (!ret && args->trace.request)
		ret = explain_requests(&requests, &t, args->trace.request, err);
	if (!ret && !t.tr.light)
		print(&t, args, &requests);
	traced_close(&t);
	return ret;
}

/* Of a scenario all groups are told. */
static int check_no_pick(const char *path, const struct trace_options *t, struct err *err)
{
	const char *given = t->comm ? "comm" : t->pid ? "pid" : t->groups.nr ? "group" : t->cgroups ? "cgroups" : t->cpu_stat ? "cpu-stat" :
			    t->recorded.nr ? "recorded" : t->request ? "request" : NULL;

	if (!given)
		return 0;
	err_set(err, ERR_INPUT, "--%s is for recordings; %s is a scenario", given, path);
	err_hint(err, "a scenario's groups are all explained; --limit and --kernel change what is run");
	return -1;
}

static int of_scenario(const char *path, struct explain_args *args, struct err *err)
{
	struct scenario_story story = { 0 };
	struct source src;
	struct json_write j;
	int ret = source_open(&src, path, err);

	if (!ret)
		ret = check_no_pick(src.path, &args->trace, err);
	if (!ret)
		ret = scenario_story(&story, &src, &args->run, err);
	if (!ret && args->run.json) {
		json_write_init(&j, stdout);
		explain_run_json(&j, &story.view);
		json_done(&j);
	} else if (!ret) {
		explain_run_text(stdout, &story.view);
	}
	scenario_story_fini(&story);
	source_close(&src);
	return ret;
}

/* Several files are readings of the same counters, in order of time. */
static int check_kinds(const struct positionals *pos, enum file_kind kind, const struct explain_args *args, struct err *err)
{
	bool counters = kind == FILE_CPU_STAT || kind == FILE_METRICS;

	for (int i = 0; pos->nr > 1 && i < pos->nr; i++)
		if (strcmp(pos->v[i], "-") && access(pos->v[i], R_OK))
			return err_at(err, pos->v[i], 0, 0, NULL, "cannot be read: %s", strerror(errno));
	for (int i = 1; i < pos->nr; i++)
		if (!counters || file_kind(pos->v[i]) != kind) {
			err_set(err, ERR_INPUT, "%s: only readings of the same counters are explained together", pos->v[i]);
			err_hint(err, counters ? "two readings of one cpu.stat, or series as cAdvisor has them" : "name one file; fairground compare sets runs side by side");
			return -1;
		}
	if (kind == FILE_CPU_STAT && pos->nr > 2)
		return err_set(err, ERR_INPUT, "one argument too many: %s; two readings of cpu.stat are compared", pos->v[2]);
	if (!counters && (args->seconds || args->fleet))
		return err_set(err, ERR_INPUT, "--seconds and --fleet are for counters; %s holds none", pos->v[0]);
	return 0;
}

/* A cgroup's directory is often named where its counters are meant.  NULL with @err set: it has none; else what to read. */
static const char *counters_of(const char *path, char *file, size_t size, struct err *err)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return path;
	if ((size_t)snprintf(file, size, "%s/cpu.stat", path) < size && !access(file, R_OK))
		return file;
	err_at(err, path, 0, 0, NULL, "cannot be read: %s", strerror(EISDIR));
	err_hint(err, "of a cgroup's directory cpu.stat is read, but it has none that can be");
	return NULL;
}

static int explain(struct positionals *pos, struct explain_args *args, struct err *err)
{
	char held[POSITIONALS_MAX][HELD_NAME], file[POSITIONALS_MAX][COUNTERS_PATH];
	const struct variant *v = current_variant(&args->run);
	struct metrics_ask ask = { .limit = v->nr_limits ? v->limits[v->nr_limits - 1] : NULL, .wall = args->seconds, .fleet = args->fleet,
				   .json = args->run.json };
	enum file_kind kind;

	for (int i = 0; i < pos->nr; i++)
		if (!(pos->v[i] = counters_of(pos->v[i], file[i], sizeof(file[i]), err)) || !(pos->v[i] = file_held(pos->v[i], pos->nr > 1 ? held[i] : NULL, err)))
			return -1;
	kind = file_kind(pos->v[0]);
	if (check_kinds(pos, kind, args, err))
		return -1;
	switch (kind) {
	case FILE_SCENARIO:
		return of_scenario(pos->v[0], args, err);
	case FILE_CPU_STAT:
		return explain_readings(pos->v, pos->nr, &ask, err);
	case FILE_METRICS:
		return explain_series(pos->v, pos->nr, &ask, err);
	default:
		return of_trace(pos->v[0], args, err);
	}
}

static int run_explain(const struct command *cmd, int argc, char **argv)
{
	struct explain_args args = { 0 };
	struct positionals pos;
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	return explain(&pos, &args, &err) ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	TRACE_OPTION_ROWS(struct explain_args, trace),
	{ .name = "request", .arg = "MARK", .kind = OPTION_TEXT, .offset = offsetof(struct explain_args, trace.request),
	  .help = "of a recording: requests are what programs mark so, as in 'GET' (from B|pid|GET ... to E) or 'start..done' (default: a burst, from the "
		  "wakeup to the next sleep)",
	  .brief = "requests are what programs mark so: 'GET' or 'start..done' (bursts)" },
	{ .name = "seconds", .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .lowest = 1, .highest = 100000000 * SEC,
	  .offset = offsetof(struct explain_args, seconds), .help = "of counters: the time between the two readings, or since the group was made (plain: seconds)" },
	{ .name = "fleet", .kind = OPTION_FLAG, .offset = offsetof(struct explain_args, fleet),
	  .help = "of series: all containers as a table, those that deserve a trace first" },
	{ .name = "duration", .letter = 'd', .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .lowest = 1, .highest = 100000 * SEC,
	  .offset = offsetof(struct explain_args, run.duration), .help = "of a scenario: simulated time, instead of its own (plain: seconds)" },
	{ .name = "jobs", .letter = 'j', .arg = "N", .kind = OPTION_COUNT, .lowest = 1, .highest = 256,
	  .offset = offsetof(struct explain_args, run.jobs), .help = "threads of this program (default: one per CPU)" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct explain_args, run.json), .help = "for machines" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, kernel_rows, variant_rows, file_rows, NULL };

static const char *const about[] = {
	"Reads a recording of the scheduler's events (ftrace or perf script text, systrace, trace.dat, perf.data, Perfetto) and says for the group "
	"that was throttled: under which limit, how often by active and by wall-clock periods, from which causes, and where the time of its longest burst went.",
	"No kernel has an event for throttling. It shows as gaps in which a thread is ready, does not run, and that end on a common grid, the "
	"group's period; how sure that is, is said.",
	"A scenario is run and watched, then run again without any limit, with slices that do not expire, and under the newest row. Each throttled "
	"period gets one cause: burst, threads, stranded, debt, tick, own or kernel; beside them stand parent (a group above was throttled) "
	"and contention (others had the CPU).",
	"Counters are cpu.stat of a group, once or twice (v1 or v2; a cgroup's directory stands for it, and the limit is read beside it; --limit and --seconds "
	"say what else is not in it), or cAdvisor's series of many containers "
	"as Prometheus text or CSV. It is said what follows from them and within which range, what cannot, and which containers deserve a trace; "
	"counters that contradict each other are refused.",
	NULL,
};

static const struct example examples[] = {
	{ "explain tests/data/own/own_burn5_q25.ftrace.txt", "a thread that runs 5 ms and sleeps 10 ms under 25 ms per 100 ms" },
	{ "explain trace.txt --pid 4711 --json", "the process 4711 and what it forked, for a program" },
	{ "explain before.stat after.stat --limit 500m --seconds 6", "two readings of a group's cpu.stat" },
	{ "explain --fleet metrics.txt", "what a scrape of cAdvisor says, container by container" },
	{ "explain scenarios/nested.json", "a pod and its containers: which level throttles" },
	{ 0 },
};

const struct command cmd_explain = {
	.name = "explain", .positional = "TRACE|SCENARIO|COUNTERS...", .least = 1, .most = 8, .complete = "@file",
	.summary = "why a workload was throttled", .about = about, .tables = tables, .examples = examples,
	.run = run_explain,
};
