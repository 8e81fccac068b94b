/* SPDX-License-Identifier: MIT */
/*
 * cmd_replay.c - fairground replay TRACE --limit LIMIT
 *
 *	recording --> group, limit, program --> the model under the recorded limit, beside the recording
 *	                                    --> the model under each --limit, over the phases of its period
 *	                                    --> with --save-scenario, the scenario of the former as a file
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/replay_runs.h"
#include "report/replay_json.h"
#include "report/replay_text.h"
#include "report/scenario_json.h"
#include "text/format.h"
#include "text/outfile.h"
#include "text/say.h"

#define PHASES 16 /* of the period, per what-if: twice as many move no figure of the shipped traces by more than 1 % */
#define NOISE 10  /* percent: an error of the model below that is not worth a sentence */

struct replay_args {
	struct run_options run; /* first */
	struct trace_options trace;
	u64 phases;
	const char *save; /* --save-scenario */
};

static double percent(u64 model, u64 real) { return real ? ((double)model - (double)real) * 100 / (double)real : 0; }

static double share(u64 part, u64 whole) { return whole ? (double)part * 100 / (double)whole : 0; }

static void fill_error(struct replay_error *e, const struct fate *real, const struct fate *model)
{
	*e = (struct replay_error){ .throttled_periods = (s64)(model->throttled - real->throttled),
				    .throttled_points = share(model->throttled, model->active) - share(real->throttled, real->active),
				    .usage = percent(model->usage, real->usage),
				    .has_latency = model->nr_latency && real->nr_latency };
	for (int i = 0; e->has_latency && i < NR_LATENCIES; i++)
		e->latency[i] = percent(model->latency[i], real->latency[i]);
}

/* ---- what must be said with the figures ---- */

static void say_contention(struct sentences *s, const struct traced *t)
{
	const struct throttle_guess *g = &t->guess;
	char time[FORMAT_MAX], longest[FORMAT_MAX];

	if (!g->nr_waits)
		return;
	sentences_add(s, "In the trace the group also waited %s for a CPU (longest %s) without being throttled. The model runs it alone: its rows "
		      "are without such waits, so under another limit its real bursts may be longer, the rare long ones above all.",
		      format_time(time, g->wait_time), format_time(longest, g->longest_wait));
}

static void say_error(struct sentences *s, const struct replay_error *e)
{
	double worst = 0;

	for (int i = 0; e->has_latency && i < LATENCY_P99; i++) {
		double size = e->latency[i] < 0 ? -e->latency[i] : e->latency[i];

		if (size > worst)
			worst = size;
	}
	if (worst > NOISE)
		sentences_add(s, "The model misses the recorded p50 to p95 by up to %.0f %%: take smaller differences between rows as noise.", worst);
}

static void say_kernel(struct sentences *s, const struct traced *t)
{
	if (t->kernel_said)
		return;
	if (t->tr.kernel[0])
		sentences_add(s, "Recorded on Linux %s; the model's rules are those of row %s (--kernel changes that).", t->tr.kernel,
			      t->rec.sc.kernel.row);
	else
		sentences_add(s, "The trace does not say its kernel; the model's rules are those of row %s (--kernel changes that).",
			      t->rec.sc.kernel.row);
}

static void say_saved(struct sentences *s, const char *path, const struct replay_runs *runs)
{
	char shown[256];

	if (path)
		sentences_add(s, "The scenario under the recorded limit is in %s; run it with fairground run: its digest is %016" PRIx64 ".",
			      say(shown, sizeof(shown), path), runs->fates[0].result->digest);
}

/* The one thread whose bursts count, or NULL. */
static const char *only_task(const struct traced *t)
{
	const char *name = NULL;

	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++) {
		if (!t->rec.counts[i])
			continue;
		if (name)
			return NULL;
		name = t->rec.sc.tasks[i].name;
	}
	return name;
}

static void print(const struct traced *t, const struct replay_runs *runs, const struct replay_args *args, const struct err *stuck)
{
	struct sentences programs = { 0 }, said = { 0 };
	struct result_detail detail = run_detail(&args->run);
	struct replay_view view = { .model = &runs->fates[0], .runs = runs->fates + 1, .nr_runs = runs->nr_fates - 1 };
	struct json_write j;

	traced_view(t, &view.trace, &view.limit, &view.recorded);
	fill_error(&view.error, &view.recorded, &view.model->at);
	view.task = only_task(t);
	say_programs(&programs, t);
	say_contention(&said, t);
	if (stuck->code)
		sentences_add(&said, "With wakeups between its threads kept, a replay came to a stop (%s): they come at their recorded times instead.",
			      stuck->message);
	say_error(&said, &view.error);
	say_limits_of_trace(&said, t);
	say_kernel(&said, t);
	say_saved(&said, args->save, runs);
	view.programs = (const char *const *)programs.v;
	view.nr_programs = programs.nr;
	view.sentences = (const char *const *)said.v;
	view.nr_sentences = said.nr;
	if (args->run.json) {
		json_write_init(&j, stdout);
		replay_json(&j, &view, &detail);
		json_done(&j);
	} else {
		replay_text(stdout, &view);
	}
	sentences_fini(&programs);
	sentences_fini(&said);
}

static int go(struct traced *t, struct replay_runs *runs, const char *path, struct replay_args *args, struct err *err)
{
	const struct variant *v = current_variant(&args->run);

	return traced_open(t, path, &args->trace, v, err) ? -1 :
	       replay_runs_go(runs, t, &args->run, v->limits, v->nr_limits, (u32)args->phases, err);
}

/* What the model ran under the recorded limit, as a file. */
static int save(const struct replay_runs *runs, const char *path, struct err *err)
{
	struct json_write j;
	struct outfile o;

	if (!path)
		return 0;
	if (outfile_open(&o, path, false, err))
		return -1;
	json_write_init(&j, o.out);
	if (scenario_json(&j, &runs->jobs[0].limited.sc, err)) {
		outfile_drop(&o);
		return -1;
	}
	json_done(&j);
	return outfile_close(&o, err);
}

static int run_replay(const struct command *cmd, int argc, char **argv)
{
	struct replay_args args = { .phases = PHASES };
	struct positionals pos;
	struct traced t = { 0 };
	struct replay_runs runs = { 0 };
	struct err err = { 0 }, stuck = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	ret = go(&t, &runs, pos.v[0], &args, &err);
	if (ret && runs.stuck && t.rec.edges) {
		stuck = err;
		err = (struct err){ 0 };
		replay_runs_fini(&runs);
		traced_close(&t);
		args.trace.no_edges = true;
		ret = go(&t, &runs, pos.v[0], &args, &err);
	}
	if (!ret)
		ret = save(&runs, args.save, &err);
	if (!ret)
		print(&t, &runs, &args, &stuck);
	replay_runs_fini(&runs);
	traced_close(&t);
	return ret ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	TRACE_OPTION_ROWS(struct replay_args, trace),
	{ .name = "phases", .arg = "N", .kind = OPTION_COUNT, .offset = offsetof(struct replay_args, phases), .lowest = 1, .highest = 1000,
	  .help = "moments of the period at which each --limit is tried (default 16)" },
	{ .name = "save-scenario", .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(struct replay_args, save), .complete = "@file",
	  .help = "write what is replayed, under the recorded limit, as a scenario into FILE, which must not be there yet" },
	{ .name = "jobs", .letter = 'j', .arg = "N", .kind = OPTION_COUNT, .offset = offsetof(struct replay_args, run.jobs), .lowest = 1,
	  .highest = 256, .help = "threads of this program (default: one per CPU)" },
	{ 0 },
};
static const struct option_row *const tables[] = { variant_rows, own, print_rows, NULL };

static const char *const about[] = {
	"Reads a recording of the scheduler's events (ftrace or perf script text, systrace, trace.dat, perf.data, Perfetto), finds the group that was throttled, its "
	"limit and what its threads wanted, and runs that again: first under the limit that was in force, beside the recording and with "
	"the error of the model, then under each --limit.",
	"A --limit row is given over several phases of the period, as lowest..highest, since nobody can choose where the refills lie.",
	"Only the group's own threads are replayed. What else ran on the machine is left out, and what a trace cannot show is said.",
	NULL,
};

static const struct example examples[] = {
	{ "replay tests/data/own/own_burn5_q25.ftrace.txt --limit 500m --limit 50ms/200ms", "twice the CPU, or the same by longer periods" },
	{ "replay trace.txt --comm 'nginx*' --recorded 250m --limit 250m+25ms", "a group and a limit that are known; would a burst help" },
	{ "replay trace.txt --save-scenario web.json", "what the trace shows, to be edited and run" },
	{ 0 },
};

const struct command cmd_replay = {
	.name = "replay", .positional = "TRACE", .least = 1, .most = 1, .complete = "@file",
	.summary = "a recorded workload under other limits", .about = about, .tables = tables, .examples = examples,
	.run = run_replay,
};
