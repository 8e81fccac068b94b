/* SPDX-License-Identifier: MIT */
/* cmd_explain.c - fairground explain TRACE: why it was throttled. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/explain_trace.h"
#include "report/explain_text.h"
#include "report/replay_json.h"

struct explain_args {
	struct run_options run; /* first */
	struct trace_options trace;
};

static void print(const struct traced *t, const struct explain_args *args)
{
	struct explained e;
	struct explain_view view = { 0 };
	struct json_write j;

	explain_trace(&e, t);
	traced_view(t, &view.trace, &view.limit, &view.recorded);
	view.causes = e.causes;
	view.nr_causes = e.nr_causes;
	view.worst = e.worst;
	view.sentences = (const char *const *)e.sentences.v;
	view.nr_sentences = e.sentences.nr;
	if (args->run.json) {
		json_write_init(&j, stdout);
		explain_json(&j, &view);
		json_done(&j);
	} else {
		explain_text(stdout, &view);
	}
	explained_fini(&e);
}

static int run_explain(const struct command *cmd, int argc, char **argv)
{
	struct explain_args args = { 0 };
	struct positionals pos;
	struct traced t = { 0 };
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	ret = traced_open(&t, pos.v[0], &args.trace, current_variant(&args.run), &err);
	if (!ret)
		print(&t, &args);
	traced_close(&t);
	return ret ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	TRACE_OPTION_ROWS(struct explain_args, trace),
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct explain_args, run.json), .help = "for machines" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Reads a recording of the scheduler's events (ftrace text, trace-cmd report, perf script) and says for the group that was throttled: under "
	"which limit, how often by active and by wall-clock periods, from which causes, and where the time of its longest burst went.",
	"No kernel has an event for throttling. It shows as gaps in which a thread is ready, does not run, and that end on a common grid, the "
	"group's period; how sure that is, is said.",
	NULL,
};

static const struct example examples[] = {
	{ "explain tests/data/own/own_burn5_q25.ftrace.txt", "a thread that runs 5 ms and sleeps 10 ms under 25 ms per 100 ms" },
	{ "explain trace.txt --pid 4711 --json", "the process 4711 and what it forked, for a program" },
	{ 0 },
};

const struct command cmd_explain = {
	.name = "explain", .positional = "TRACE", .least = 1, .most = 1, .complete = "@file",
	.summary = "why a recorded workload was throttled", .about = about, .tables = tables, .examples = examples,
	.run = run_explain,
};
