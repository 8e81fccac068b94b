/* SPDX-License-Identifier: MIT */
/*
 * cmd_replay.c - fairground replay TRACE --limit LIMIT
 *
 *	recording --> group, limit, program --> the model under the recorded limit, beside the recording
 *	                                    --> the model under each --limit, over the phases of its period and what the recording leaves open
 *	                                    --> with --save-scenario, the scenario of the former as a file
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/replay_node.h"
#include "cli/replay_runs.h"
#include "report/replay_json.h"
#include "report/replay_text.h"
#include "report/scenario_json.h"
#include "text/format.h"
#include "text/outfile.h"
#include "text/say.h"
#include "trace/rethread.h"

#define PHASES 16 /* of the period, per what-if: twice as many move no figure of the shipped traces by more than 1 % */
#define EVENTS_MOST 100000000 /* of all runs together: some 10 s on two CPUs; then there are fewer phases */
#define NOISE 10  /* percent: an error of the model below that is not worth a sentence */

struct replay_args {
	struct what_if_args what; /* first: the shared rows act on it */
	struct trace_options trace;
	u64 phases;	  /* 0: not said */
	const char *save; /* --save-scenario */
	bool node;	  /* --limit '*=max' */
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
	sentences_add(s, "In the trace the group also waited %s for a CPU (longest %s) without being throttled. As far as others had it, each burst waits as "
		      "long again, whatever the limit.", format_time(time, g->wait_time), format_time(longest, g->longest_wait));
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
	if (t->kernel_said && t->tr.kernel[0])
		sentences_add(s, "Recorded on Linux %s; the model's rules are those of row %s (--recorded kernel=ROW changes that).", t->tr.kernel,
			      t->rec.sc.kernel.row);
	else if (!t->kernel_said)
		sentences_add(s, "The trace does not say its kernel; the model's rules are those of row %s (--recorded kernel=ROW says which it was).",
			      t->rec.sc.kernel.row);
}

/* A burst is woken, switched in and switched out. */
static u64 fitting_phases(const struct traced *t, u64 nr_limits)
{
	u64 events = max_u64(3 * t->rec.figures.bursts * nr_limits, 1);

	events += events * replay_open_runs(t, PHASES) / PHASES;
	return max_u64(1, min_u64(PHASES, EVENTS_MOST / events));
}

static void say_phases(struct sentences *s, const struct replay_args *args, const struct traced *t, u64 phases)
{
	char nr[32];

	if (args->phases || phases == PHASES)
		return;
	snprintf(nr, sizeof(nr), phases > 1 ? "%" PRIu64 " phases" : "one phase", phases);
	sentences_add(s, "So many limits over so long a trace are run at %s of the period each%s; --phases %d runs more.", nr,
		      replay_open_runs(t, PHASES) > replay_open_runs(t, (u32)phases) ? ", and not in every way that the trace leaves open" : "", PHASES);
}

/* What a row with --threads rests on. */
static void say_threads_row(struct sentences *s, const struct what_ifs *ifs, const struct traced *t)
{
	bool any = false, timed = false;

	for (u32 i = 0; i < ifs->nr; i++)
		any |= ifs->v[i].threads > 0;
	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++)
		timed |= t->rec.counts[i] && t->rec.threads[i].kind != WAKE_OUTSIDE && t->rec.threads[i].kind != WAKE_PERIOD;
	if (any)
		sentences_add(s, "Rows with another number of threads: %u of its threads gave their work to one queue, from which so many take it%s; a burst counts from "
			      "when its work came.", rethread_pool(&t->rec),
			      timed ? ", and it comes at the times at which it was recorded, though what set it going may have been the end of earlier work" : "");
}

#define MARKS_SAID 3

/* Requests that the group's threads mark, where bursts are measured because nobody asked for them. */
static void say_marks(struct sentences *s, const struct traced *t)
{
	const struct mark_seen *first = NULL, *seen = t->tr.seen;
	char text[400] = "", shown[160];
	u32 kinds = 0;

	for (u32 i = 0; t->tr.marks_end && i < t->tr.nr_seen; i++) {
		u64 nr = 0;
		bool known = !t->member[seen[i].task];

		for (u32 k = 0; k < t->tr.nr_seen; k++) {
			if (strcmp(seen[k].name, seen[i].name) || !t->member[seen[k].task])
				continue;
			nr += seen[k].nr;
			known |= k < i;
		}
		if (known || kinds++ >= MARKS_SAID)
			continue;
		first = first ? first : &seen[i];
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\"%s\" (%" PRIu64 ")", kinds > 1 ? ", " : "",
			 say(shown, sizeof(shown), seen[i].name), nr);
	}
	if (first)
		sentences_add(s, "Threads of the group mark requests: %s%s. With --request '%s' the figures are of those instead of bursts.", text,
			      kinds > MARKS_SAID ? " and others" : "", say(shown, sizeof(shown), first->name));
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

static void print(const struct traced *t, const struct replay_runs *runs, const struct node *node, const struct replay_args *args,
		  const struct err *stuck)
{
	struct sentences programs = { 0 }, said = { 0 };
	struct result_detail detail = run_detail(&args->what.run);
	struct replay_view view = { .model = &runs->fates[0], .runs = runs->fates + 1, .nr_runs = runs->nr_fates - 1 };
	struct json_write j;

	traced_view(t, &view.trace, &view.limit, &view.recorded);
	replay_recorded_pools(runs, &view.recorded);
	view.pools = runs->pools;
	view.nr_pools = runs->nr_pools;
	view.phases = runs->phases;
	view.open = runs->open[0] ? runs->open : NULL;
	fill_error(&view.error, &view.recorded, &view.model->at);
	view.task = t->rec.by_marks ? NULL : only_task(t);
	view.request = t->rec.by_marks ? args->trace.request : NULL;
	say_programs(&programs, t);
	say_contention(&said, t);
	if (!t->rec.by_marks && t->member)
		say_marks(&said, t);
	if (stuck->code)
		sentences_add(&said, "With wakeups between its threads kept, a replay came to a stop (%s): they come at their recorded times instead.",
			      stuck->message);
	say_error(&said, &view.error);
	say_limits_of_trace(&said, t);
	say_kernel(&said, t);
	say_threads_row(&said, &args->what.ifs, t);
	say_phases(&said, args, t, runs->phases);
	say_saved(&said, args->save, runs);
	if (args->node) {
		node_say(&said, node);
		view.node = &node->view;
	}
	view.programs = (const char *const *)programs.v;
	view.nr_programs = programs.nr;
	view.sentences = (const char *const *)said.v;
	view.nr_sentences = said.nr;
	if (args->what.run.json) {
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
	struct what_ifs *ifs = &args->what.ifs;
	u64 phases;

	if (traced_open(t, path, &args->trace, current_variant(&args->what.run), err))
		return -1;
	phases = args->phases ? args->phases : fitting_phases(t, ifs->nr);
	return replay_runs_go(runs, t, &args->what.run, ifs, (u32)phases, err);
}

/* '*=max' asks for another table, and is no what-if of the one group. */
static void take_node(struct replay_args *args)
{
	struct what_ifs *ifs = &args->what.ifs;
	u32 kept = 0;

	for (u32 i = 0; i < ifs->nr; i++) {
		args->node |= ifs->v[i].all_go;
		if (!ifs->v[i].all_go)
			ifs->v[kept++] = ifs->v[i];
	}
	ifs->nr = kept;
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
	struct replay_args args = { .phases = 0 };
	struct positionals pos;
	struct traced t = { 0 };
	struct replay_runs runs = { 0 };
	struct node node = { 0 };
	struct err err = { 0 }, stuck = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	take_node(&args);
	args.trace.many_groups = args.node;
	args.trace.replays_marks = true;
	ret = go(&t, &runs, pos.v[0], &args, &err);
	if (ret && runs.stuck && t.rec.edges) {
		stuck = err;
		err = (struct err){ 0 };
		replay_runs_fini(&runs);
		traced_close(&t);
		args.trace.no_edges = true;
		ret = go(&t, &runs, pos.v[0], &args, &err);
	}
	if (!ret && args.node)
		ret = node_run(&node, &t, &args.trace.groups, &args.what.run, &err);
	if (!ret)
		ret = save(&runs, args.save, &err);
	if (!ret)
		print(&t, &runs, &node, &args, &stuck);
	node_fini(&node);
	replay_runs_fini(&runs);
	traced_close(&t);
	return ret ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	TRACE_OPTION_ROWS(struct replay_args, trace),
	{ .name = "request", .arg = "MARK", .kind = OPTION_TEXT, .offset = offsetof(struct replay_args, trace.request),
	  .help = "p50 to max are of requests as programs mark them, as in 'GET' (from B|pid|GET ... to E) or 'start..done' (default: of bursts, from "
		  "the wakeup to the next sleep)" },
	{ .name = "phases", .arg = "N", .kind = OPTION_COUNT, .offset = offsetof(struct replay_args, phases), .lowest = 1, .highest = 1000,
	  .help = "moments of the period at which each what-if is tried (default 16; fewer of many limits over a long trace, which is said)" },
	{ .name = "save-scenario", .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(struct replay_args, save), .complete = "@file",
	  .help = "write what is replayed, under the recorded limit, as a scenario into FILE, which must not be there yet" },
	{ .name = "jobs", .letter = 'j', .arg = "N", .kind = OPTION_COUNT, .offset = offsetof(struct replay_args, what.run.jobs), .lowest = 1,
	  .highest = 256, .help = "threads of this program (default: one per CPU); results do not depend on it" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct replay_args, what.run.json), .help = "print JSON, as docs/replay.schema.json describes it" },
	{ .name = "periods", .kind = OPTION_FLAG, .offset = offsetof(struct replay_args, what.run.periods),
	  .help = "add to the JSON what was granted, used and stranded in each period" },
	{ .name = "per-thread", .kind = OPTION_FLAG, .offset = offsetof(struct replay_args, what.run.threads), .help = "add to the JSON the figures of each thread" },
	{ 0 },
};
static const struct option_row *const tables[] = { what_if_rows, own, NULL };

static const char *const about[] = {
	"Reads a recording of the scheduler's events (ftrace or perf script text, systrace, trace.dat, perf.data, Perfetto), finds the group that was throttled, its "
	"limit and what its threads wanted, and runs that again: first under the limit that was in force, beside the recording and with "
	"the error of the model, then as each option asks: every --limit, --period, --burst, --threads, --kernel, --rule, --cpus, --hz and --topology is a what-if of its "
	"own, run by itself; --and between two of them makes one of both.",
	"A what-if is run at several phases of the period, since nobody can choose where the refills lie, and has two rows: the middle of them, which is the "
	"prediction, and the range in which nine in ten lie of them and of what the recording leaves open: what another few seconds of the same load would hold (blocks of "
	"the recorded ones, drawn anew), what threads that were busy at its end still wanted, and its kernel or HZ where it does not say them (--recorded does). Others "
	"that had a CPU are taken to be in the way as they were. A range of lengths holds besides what runs of one load differ by on a machine: 8 % of the middle "
	"either way, added as squares are.",
	"Only the group's own threads are replayed. What else ran on the machine is left out, and what a trace cannot show is said.",
	NULL,
};

static const struct example examples[] = {
	{ "replay tests/data/own/own_burn5_q25.ftrace.txt --limit 500m --limit 50ms/200ms", "twice the CPU, or the same by longer periods" },
	{ "replay trace.txt --comm 'nginx*' --recorded 250m --recorded kernel=5.15 --burst 25ms --threads 4 --kernel 6.18",
	  "a group, a limit and a kernel that are known; would a burst help, or fewer threads, or a newer kernel" },
	{ "replay trace.dat --group 'web: comm~nginx*' --group 'batch: comm~ffmpeg' --limit '*=max'", "who suffers if every limit of the node goes" },
	{ "replay trace.txt --save-scenario web.json", "what the trace shows, to be edited and run" },
	{ 0 },
};

const struct command cmd_replay = {
	.name = "replay", .positional = "TRACE", .least = 1, .most = 1, .complete = "@file",
	.summary = "a recorded workload under other limits", .about = about, .tables = tables, .examples = examples,
	.run = run_replay,
};
