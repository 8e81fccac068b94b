/* SPDX-License-Identifier: MIT */
/*
 * cmd_advise.c - fairground advise SCENARIO|TRACE --target 'p99<50ms' | --no-throttle 0.99
 *
 *	workload --> the smallest limit that meets the target at every phase, proved by a run there and one just below
 *	         --> what else would: period, burst, fewer threads, newer kernel, a weight; with its price
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/advise_say.h"
#include "cli/command.h"
#include "cli/sniff.h"
#include "text/json_write.h"

#define PHASES 16 /* as replay: twice as many move no figure of the shipped traces by more than 1 % */

struct advise_args {
	struct run_options run; /* first */
	struct trace_options trace;
	const char *target, *no_throttle, *task;
	u64 phases;
	bool curve;
};

static int read_target(struct target *t, const struct advise_args *args, struct err *err)
{
	if (args->target && args->no_throttle)
		return err_set(err, ERR_INPUT, "--target and --no-throttle are two targets: give one of them");
	return args->target ? target_parse(t, args->target, err) : target_no_throttle(t, args->no_throttle ? args->no_throttle : "1", err);
}

/* ---- printing ---- */

struct advise_rows {
	struct advise_row alternatives[ALTERNATIVES_MAX], curve[CURVE_MAX];
	struct sentences paste, said;
};

static void fill_view(struct advise_view *v, struct advise_rows *rows, struct advice *a, const struct advise_args *args)
{
	const struct subject *s = a->s;

	*v = (struct advise_view){ .subject = s->name, .group = s->group, .task = s->task, .target = s->target.text,
				   .of_latency = s->target.of_latency, .phases = s->phases, .now = &a->now.row, .free = a->is_free,
				   .alternatives = rows->alternatives, .nr_alternatives = a->nr_alternatives, .curve = rows->curve,
				   .nr_curve = a->nr_curve, .show_curve = args->curve };
	if (a->found)
		v->answer = a->is_free ? &a->free_run.row : &a->answer.row;
	if (a->has_below)
		v->below = &a->below.row;
	else if (a->is_free)
		v->below = &a->highest.row;
	for (u32 i = 0; i < a->nr_alternatives; i++)
		rows->alternatives[i] = a->alternatives[i].row;
	for (u32 i = 0; i < a->nr_curve; i++)
		rows->curve[i] = a->curve[i].row;
	advice_paste(&rows->paste, a);
	advice_say(&rows->said, a);
	v->paste = (const char *const *)rows->paste.v;
	v->nr_paste = rows->paste.nr;
	v->sentences = (const char *const *)rows->said.v;
	v->nr_sentences = rows->said.nr;
}

static void print(struct advice *a, const struct advise_args *args)
{
	struct advise_rows *rows = calloc(1, sizeof(*rows));
	struct advise_view view;
	struct json_write j;

	if (!rows)
		return;
	fill_view(&view, rows, a, args);
	if (args->run.json) {
		json_write_init(&j, stdout);
		advise_json(&j, &view);
		json_done(&j);
	} else {
		advise_text(stdout, &view);
	}
	sentences_fini(&rows->paste);
	sentences_fini(&rows->said);
	free(rows);
}

/* ---- the command ---- */

static bool is_met(const struct advice *a)
{
	for (u32 i = 0; i < a->nr_alternatives; i++)
		if (a->alternatives[i].row.met)
			return true;
	return a->found;
}

static int find(struct advice *a, const struct advise_args *args, struct err *err)
{
	if (advice_find(a, err) || advice_alternatives(a, err) || (args->curve && advice_curve(a, err)))
		return -1;
	advice_price(a);
	return 0;
}

/* An exit code; or -1, where nothing was printed, with @err set or the subject stuck. */
static int advise(struct subject *s, const struct advise_args *args, struct err *err)
{
	struct advice *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return err_set(err, ERR_HOST, "out of memory");
	a->s = s;
	ret = subject_init(s, s->traced || !args->trace.groups.nr ? NULL : args->trace.groups.v[0], args->task, err) || find(a, args, err) || (s->stuck && *s->stuck) ? -1 : 0;
	if (!ret) {
		print(a, args);
		ret = is_met(a) ? EXIT_FINE : EXIT_NO;
	}
	advice_fini(a);
	subject_fini(s);
	free(a);
	return ret;
}

static int of_scenario(struct subject *s, const char *path, struct advise_args *args, struct err *err)
{
	struct source src;
	int ret;

	if (source_open(&src, path, err)) {
		source_close(&src);
		return fail_with(err);
	}
	src.rtapp_compat = args->run.rtapp_compat;
	s->source = &src;
	ret = advise(s, args, err);
	source_close(&src);
	return ret < 0 ? fail_with(err) : ret;
}

static int once(struct subject *s, const char *path, struct advise_args *args, bool *retry, struct err *err)
{
	struct traced t = { 0 };
	bool stuck = false;
	int ret;

	ret = traced_open(&t, path, &args->trace, current_variant(&args->run), err);
	if (!ret) {
		s->traced = &t;
		s->stuck = t.rec.edges ? &stuck : NULL;
		ret = advise(s, args, err);
	}
	*retry = stuck;
	traced_close(&t);
	return ret;
}

/* Wakes between threads are kept where the model can follow them under every limit, as in replay; else they come as recorded. */
static int of_trace(struct subject *s, const char *path, struct advise_args *args, struct err *err)
{
	bool retry;
	int ret = once(s, path, args, &retry, err);

	if (retry) {
		*err = (struct err){ 0 };
		args->trace.no_edges = true;
		ret = once(s, path, args, &retry, err);
	}
	return ret < 0 ? fail_with(err) : ret;
}

static int run_advise(const struct command *cmd, int argc, char **argv)
{
	struct advise_args args = { .phases = PHASES };
	struct subject s = { 0 };
	struct positionals pos;
	struct err err = { 0 };
	const char *path;
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret > 0)
		return EXIT_FINE;
	if (ret || read_target(&s.target, &args, &err) || !(path = file_held(pos.v[0], NULL, &err)))
		return fail_with(&err);
	current_variant(&args.run);
	s.opt = &args.run;
	s.phases = (u32)args.phases;
	return file_kind(path) == FILE_SCENARIO ? of_scenario(&s, path, &args, &err) : of_trace(&s, path, &args, &err);
}

#define FIELD(f) offsetof(struct advise_args, f)
static const struct option_row own[] = {
	{ .name = "target", .arg = "FIGURE<TIME", .kind = OPTION_TEXT, .offset = FIELD(target),
	  .help = "what must hold at every phase: p50, p90, p95, p99, p99.9, max or mean of a loop's latency, as in 'p99<50ms' (plain: ms)",
	  .brief = "what must hold at every phase: 'p99<50ms'; p50 to p99.9, max, mean" },
	{ .name = "no-throttle", .arg = "SHARE", .kind = OPTION_TEXT, .offset = FIELD(no_throttle),
	  .help = "or: this share of the active periods is not throttled, 0 to 1 (default: 1, none at all)",
	  .brief = "or: this share of active periods is not throttled (default: 1)" },
	{ .name = "task", .arg = "NAME", .kind = OPTION_TEXT, .offset = FIELD(task),
	  .help = "whose latency (default: of all tasks in the group)" },
	{ .name = "curve", .kind = OPTION_FLAG, .offset = FIELD(curve), .help = "add the figures at limits from a quarter to four times the answer" },
	{ .name = "phases", .arg = "N", .kind = OPTION_COUNT, .offset = FIELD(phases), .lowest = 1, .highest = 1000,
	  .help = "moments of the period at which each change is tried (default 16)" },
	{ .name = "duration", .letter = 'd', .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .lowest = 1, .highest = 100000 * SEC,
	  .offset = FIELD(run.duration), .help = "of a scenario: simulated time, instead of its own (plain: seconds)" },
	{ .name = "jobs", .letter = 'j', .arg = "N", .kind = OPTION_COUNT, .offset = FIELD(run.jobs), .lowest = 1, .highest = 256,
	  .help = "threads of this program (default: one per CPU); results do not depend on it" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = FIELD(run.json), .help = "for machines" },
	TRACE_OPTION_ROWS(struct advise_args, trace),
	{ 0 },
};
static const struct option_row *const tables[] = { own, kernel_rows, variant_rows, file_rows, NULL };

static const char *const about[] = {
	"Finds the smallest limit of a group under which the target holds at every phase of the period, by bisection in thousandths of a CPU, and "
	"proves it: by a run at that limit and one just below.",
	"Where the limit of now misses the target, it also tries what else could meet it: other periods, a burst, fewer threads, newer kernels, "
	"no limit but a weight; each with its price and how sure that is.",
	"A recording is replayed as by fairground replay: only the group's own threads, each limit at several phases. --group says whose limit it is about: of a "
	"recording as for explain, of a scenario by its path, as in --group /pod (default: the only limited group).",
	NULL,
};

static const struct example examples[] = {
	{ "advise scenarios/two-hogs.json", "the limit at which nothing is throttled any more, and the alternatives" },
	{ "advise scenarios/web.json --limit 550m --target 'p95<20ms' --duration 20", "the smallest limit for a latency" },
	{ "advise tests/data/own/own_burn5_q25.ftrace.txt --no-throttle 0.95 --curve", "from a recording" },
	{ 0 },
};

const struct command cmd_advise = {
	.name = "advise", .positional = "SCENARIO|TRACE", .least = 1, .most = 1, .complete = "@file",
	.summary = "the smallest limit that meets a target", .about = about, .tables = tables, .examples = examples,
	.no = "nothing that was tried meets the target", .run = run_advise,
};
