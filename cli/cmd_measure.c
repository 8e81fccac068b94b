/* SPDX-License-Identifier: MIT */
/*
 * cmd_measure.c - fairground measure SCENARIO: the same scenario on this kernel, and what the model says it would do.
 *
 *	scenario --facts--> one for this machine --> run for real, several times --> with each run's phases, the model
 *								\--------------------------/
 *								   figure beside figure
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/load.h"
#include "cli/measure_facts.h"
#include "cli/measure_judge.h"
#include "core/lab.h"
#include "live/run.h"
#include "report/measure.h"
#include "report/series.h"
#include "sim/machine.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/say.h"
#include "text/table.h"

#define REPEATS 3
#define PHASES 8 /* tried where the real ones are not known */
#define MOST_REPEATS 100
#define READ_LATE (100 * US) /* a real reading at T comes behind the tick of T, and the model's before it */
#define PERCENT_SCALE 1000

struct measure_args {
	struct run_options run; /* first */
	u64 repeat, within;	/* within: thousandths of a per cent, NEVER: not asked */
	const char *cgroup_root;
	bool ahead, tolerances;
};

struct measuring {
	struct measure_args args;
	struct positionals pos;
	struct arena mem;
	struct source src;
	struct scenario sc;
	struct facts facts;
	struct live_options live;
	struct result *first;	 /* of the model, before anything real: refuses what the kernel would, and lends its settings */
	struct scenario *copies; /* of the model's runs: results point into them */
	struct series real, model;
	bool phase_known, has_usage, has_bandwidth, has_runtime;
	u64 steal, others, window;
};

/* ---- before ---- */

static int no_memory(struct err *err) { return err_set(err, ERR_HOST, "out of memory"); }

static int read_scenario(struct measuring *m, struct err *err)
{
	const struct variant *v = current_variant(&m->args.run);
	struct variant as_read = { .cpus = v->cpus };
	struct cgroups cg;

	m->src.rtapp_compat = m->args.run.rtapp_compat;
	if (source_open(&m->src, m->pos.v[0], err) || source_scenario(&m->src, &as_read, &m->sc, err))
		return -1;
	if (m->args.run.seed_set)
		m->sc.seed = m->args.run.seed;
	if (m->args.run.duration)
		m->sc.duration = m->args.run.duration;
	if (facts_read(&m->facts, &m->mem, err) || cgroups_find(&cg, m->args.cgroup_root, getpid(), err))
		return -1;
	return facts_apply(&m->facts, &m->sc, v, &cg, err);
}

/* ---- the model ---- */

static bool is_limited(const struct result *res, const char *path, u64 *period)
{
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path) && res->groups[i].stat.quota != RUNTIME_INF) {
			*period = res->groups[i].stat.period;
			return true;
		}
	return false;
}

/* A copy of the scenario whose groups can have phases of their own; NULL when memory is out. */
static struct scenario *copy_of(struct measuring *m, u32 i)
{
	struct scenario *sc = &m->copies[i];

	*sc = m->sc;
	sc->groups = arena_alloc(&m->mem, (sc->nr_groups + 1) * sizeof(*sc->groups));
	if (!sc->groups)
		return NULL;
	memcpy(sc->groups, m->sc.groups, sc->nr_groups * sizeof(*sc->groups));
	sc->duration += READ_LATE;
	if (sc->measure_to != NEVER)
		sc->measure_to += READ_LATE;
	return sc;
}

static struct result *predict(struct measuring *m, u32 i, struct err *err)
{
	struct machine_options opt = machine_options_of(&m->args.run);
	struct result *res = machine_run(&m->copies[i], &opt, err);

	if (res)
		res->end -= READ_LATE;
	return res;
}

/* The model with the phases that run @run had. */
static int predict_as(struct measuring *m, const struct live_run *run, struct err *err)
{
	u32 i = m->model.nr, k;
	struct scenario *sc = copy_of(m, i);

	if (!sc)
		return no_memory(err);
	for (k = 0; k < sc->nr_groups; k++) {
		if (run->groups[k].phase == NEVER)
			continue;
		sc->groups[k].phase_set = true;
		sc->groups[k].phase_random = false;
		sc->groups[k].phase = run->groups[k].phase;
	}
	m->model.results[i] = predict(m, i, err);
	if (!m->model.results[i])
		return -1;
	m->model.nr++;
	return 0;
}

/* The model with phase @k of PHASES for every limited group. */
static int predict_phase(struct measuring *m, u32 k, struct err *err)
{
	struct scenario *sc = copy_of(m, m->model.nr);
	u64 period;
	u32 i;

	if (!sc)
		return no_memory(err);
	for (i = 0; i < sc->nr_groups; i++) {
		if (sc->groups[i].phase_set || !is_limited(m->first, sc->groups[i].path, &period))
			continue;
		sc->groups[i].phase_set = true;
		sc->groups[i].phase_random = false;
		sc->groups[i].phase = k * period / PHASES;
	}
	m->model.results[m->model.nr] = predict(m, m->model.nr, err);
	if (!m->model.results[m->model.nr])
		return -1;
	m->model.nr++;
	return 0;
}

/* ---- reality ---- */

/* Are the phases of all limited groups known? */
static bool knows_phases(const struct measuring *m, const struct live_run *run)
{
	u64 period;
	u32 i;

	for (i = 0; i < m->sc.nr_groups; i++)
		if (run->groups[i].phase == NEVER && is_limited(m->first, m->sc.groups[i].path, &period))
			return false;
	return true;
}

static void note_what_was_read(struct measuring *m, const struct live_run *run)
{
	u64 period;
	u32 i;

	for (i = 0; i < m->sc.nr_groups; i++) {
		if (!m->sc.groups[i].path[1])
			continue;
		m->has_usage = m->has_usage && run->groups[i].to.has_usage;
		if (is_limited(m->first, m->sc.groups[i].path, &period))
			m->has_bandwidth = m->has_bandwidth && run->groups[i].to.has_bandwidth;
	}
	for (i = 0; i < run->crew->nr; i++)
		m->has_runtime = m->has_runtime && run->threads[i].has_runtime;
}

static int measure_once(struct measuring *m, struct err *err)
{
	struct live_run run;
	struct live_noise noise;
	int ret = live_run(&run, &m->sc, &m->live, err);

	if (!ret) {
		m->real.results[m->real.nr] = live_result(&run, m->first);
		ret = m->real.results[m->real.nr] ? 0 : no_memory(err);
	}
	if (!ret) {
		m->real.nr++;
		noise = live_noise(&run);
		m->steal += noise.steal;
		m->others += noise.others;
		m->window = run.to - run.from;
		note_what_was_read(m, &run);
		if (knows_phases(m, &run))
			ret = predict_as(m, &run, err);
		else
			m->phase_known = false;
	}
	live_run_free(&run);
	return ret;
}

static void say_progress(const struct measuring *m, u32 i)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (i < m->args.repeat)
		fprintf(stderr, "\rfairground: measuring, %" PRIu32 " of %" PRIu64 " ", i + 1, m->args.repeat);
	else
		fprintf(stderr, "\r%*s\r", 60, "");
}

static int measure_all(struct measuring *m, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < m->args.repeat; i++) {
		say_progress(m, i);
		ret = measure_once(m, err);
	}
	say_progress(m, (u32)m->args.repeat);
	if (ret || m->phase_known)
		return ret;
	while (m->model.nr)
		result_free(m->model.results[--m->model.nr]);
	for (i = 0; !ret && i < PHASES; i++)
		ret = predict_phase(m, i, err);
	return ret;
}

static void say_phase(struct measuring *m)
{
	u64 period;
	u32 i;

	for (i = 0; i < m->sc.nr_groups && !is_limited(m->first, m->sc.groups[i].path, &period); i++)
		;
	if (i == m->sc.nr_groups)
		return;
	if (m->phase_known && m->live.grid)
		facts_say(&m->facts, "periods begin at whole multiples of the clock, as the row says, where nr_periods was not seen to move elsewhere");
	else if (m->phase_known)
		facts_say(&m->facts, "periods begin where nr_periods was seen to move before each run");
	else
		facts_say(&m->facts, "where periods begin was not seen: the model tried %d phases, and any of them will do", PHASES);
}

/* ---- after ---- */

static void print(struct measuring *m, const struct measure_cell *cells, u32 nr)
{
	struct result_detail detail = run_detail(&m->args.run);
	struct measure_view view = {
		.release = m->facts.kernel.kernel.release,
		.row = m->first->model.row,
		.used_cpus = m->facts.used_cpus,
		.cpus = m->facts.host.online,
		.cgroup = m->first->cgroup,
		.real = series_middle(&m->real),
		.model = series_middle(&m->model),
		.cells = cells,
		.nr_cells = nr,
		.assumed = m->facts.said,
		.nr_assumed = m->facts.nr,
		.repeats = m->real.nr,
		.ahead = m->args.ahead,
		.steal = m->steal,
		.others = m->others,
		.window = m->window,
	};
	struct json_write j;

	if (!m->args.run.json) {
		measure_text(stdout, &view);
		return;
	}
	json_write_init(&j, stdout);
	measure_json(&j, &view, &detail);
	json_done(&j);
}

static int compare(struct measuring *m, struct err *err)
{
	struct judge_with with = {
		.real = &m->real,
		.model = &m->model,
		.cpus = m->facts.used_cpus,
		.usage = m->has_usage,
		.bandwidth = m->has_bandwidth,
		.runtime = m->has_runtime,
		.phase_known = m->phase_known,
		.wake_varies = m->facts.wake_varies,
		.within = m->args.within,
	};
	u32 i, nr;
	struct measure_cell *cells = judge(&with, &nr);
	bool all = true;

	if (!cells)
		return no_memory(err);
	print(m, cells, nr);
	for (i = 0; i < nr; i++)
		all = all && cells[i].ok;
	free(cells);
	return m->args.within == NEVER || all ? EXIT_FINE : EXIT_NO;
}

static int go(struct measuring *m, struct err *err)
{
	u32 most = (u32)m->args.repeat + PHASES;

	m->live = (struct live_options){ .cgroup_root = m->args.cgroup_root, .host = &m->facts.host, .ahead = m->args.ahead,
					 .used_cpus = m->facts.used_cpus };
	m->copies = calloc(most + 1, sizeof(*m->copies));
	m->real.results = calloc(most + 1, sizeof(*m->real.results));
	m->model.results = calloc(most + 1, sizeof(*m->model.results));
	if (!m->copies || !m->real.results || !m->model.results || !copy_of(m, most))
		return no_memory(err);
	m->first = predict(m, most, err);
	m->phase_known = m->has_usage = m->has_bandwidth = m->has_runtime = true;
	if (!m->first)
		return -1;
	facts_say_rules(&m->facts, &m->first->model);
	m->live.grid = m->first->model.rule[RULE_BW_PHASE] == BW_PHASE_GRID;
	if (measure_all(m, err))
		return -1;
	say_phase(m);
	return compare(m, err);
}

static void fini(struct measuring *m)
{
	while (m->real.nr)
		result_free(m->real.results[--m->real.nr]);
	while (m->model.nr)
		result_free(m->model.results[--m->model.nr]);
	result_free(m->first);
	free(m->real.results);
	free(m->model.results);
	free(m->copies);
	scenario_free(&m->sc);
	source_close(&m->src);
	arena_fini(&m->mem);
}

static void print_tolerances(FILE *out)
{
	struct judge_text text;
	struct table t;
	u32 i;

	table_init(&t, "lll");
	table_heads(&t, "figure|near is|why");
	table_flow(&t, 2);
	for (i = 0; judge_text(i, &text); i++) {
		table_cell(&t, "%s", text.figure);
		table_cell(&t, "%s", text.near);
		table_cell(&t, "%s", text.reason);
	}
	table_print(&t, out);
	table_fini(&t);
	fprintf(out, "and always as far as the real runs lie apart; --within PCT stands for the shares\n");
}

static int run_measure(const struct command *cmd, int argc, char **argv)
{
	struct measuring m = { .args = { .repeat = REPEATS, .within = NEVER } };
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &m.args, &m.pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	if (m.args.tolerances) {
		print_tolerances(stdout);
		return EXIT_FINE;
	}
	if (!m.pos.nr) {
		err_set(&err, ERR_INPUT, "measure: SCENARIO is missing");
		err_hint(&err, "fairground measure --help shows how it is used");
		return fail_with(&err);
	}
	arena_of_malloc(&m.mem);
	scenario_init(&m.sc);
	ret = read_scenario(&m, &err);
	ret = ret ? ret : go(&m, &err);
	fini(&m);
	return ret < 0 ? fail_with(&err) : ret;
}

static int take_within(void *args, const char *value, struct err *err)
{
	struct measure_args *a = args;
	char shown[80];

	if (num_scaled(value, strcspn(value, "%"), PERCENT_SCALE, 10000 * PERCENT_SCALE, &a->within) == NUM_OK)
		return 0;
	return err_set(err, ERR_INPUT, "--within takes a number of per cent, 0 to 10000, found \"%s\"", say(shown, sizeof(shown), value));
}

static const struct option_row own[] = {
	{ .name = "repeat", .letter = 'n', .arg = "N", .kind = OPTION_COUNT, .lowest = 1, .highest = MOST_REPEATS,
	  .offset = offsetof(struct measure_args, repeat), .help = "run it for real N times (3)" },
	{ .name = "within", .arg = "PCT", .kind = OPTION_CALL, .take = take_within,
	  .help = "exit 1 where a figure of the model is farther from the real one than PCT per cent, a tick or a count, and the repeats from "
		  "each other" },
	{ .name = "cgroup-root", .arg = "DIR", .kind = OPTION_TEXT, .offset = offsetof(struct measure_args, cgroup_root), .complete = "@file",
	  .help = "where to make the group: what /sys/fs/cgroup usually is, or a group of your own (default: as it is mounted)" },
	{ .name = "ahead", .kind = OPTION_FLAG, .offset = offsetof(struct measure_args, ahead),
	  .help = "give the group the greatest weight, so that other programs on this machine get out of its way" },
	{ .name = "duration", .letter = 'd', .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .lowest = 1 * MS, .highest = 3600 * SEC,
	  .offset = offsetof(struct measure_args, run.duration), .help = "real time, instead of the scenario's (plain: seconds)" },
	{ .name = "tolerances", .kind = OPTION_FLAG, .offset = offsetof(struct measure_args, tolerances),
	  .help = "print what is compared, how near is near enough, and why" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct measure_args, run.json), .help = "print JSON" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, kernel_rows, variant_rows, file_rows, NULL };

static const char *const about[] = {
	"Runs SCENARIO on this machine, with real threads in a cgroup of its own (v1 or v2), several times, and prints each figure beside the "
	"model's, which runs under the rules of the kernel that is here, with the phase that the periods really had. A figure is ok where the model "
	"is as near to the real one as the real runs are to each other, or as the figure's grain.",
	"The group is called fairground-PID and is removed whatever happens, also after Ctrl-C and kill -9: a process called fg-keeper sees to it, "
	"and where both are killed one called fg-last. Only where that one is killed too do groups stay, without threads, until the next run sweeps them. Where rights are missing, all of them are named, and "
	"nothing has been changed. A scenario is refused where a real machine cannot do it: real-time tasks, kernel threads, work inside "
	"one system call, threads that start threads, CPUs that come and go.",
	NULL,
};

static const struct example examples[] = {
	{ "measure scenarios/measure/hog-200m.json", "one busy thread under a fifth of a CPU" },
	{ "measure scenarios/measure/hog-200m.json --repeat 5 --within 2", "is the model within 2 %?" },
	{ "measure scenarios/measure/burst.json --ahead --json", "on a busy machine, for a program to read" },
	{ 0 },
};

const struct command cmd_measure = {
	.name = "measure", .positional = "SCENARIO", .least = 0, .most = 1, .complete = "@file",
	.summary = "a scenario for real on this kernel, beside the prediction", .about = about, .tables = tables, .examples = examples,
	.no = "a figure is farther off than --within", .run = run_measure,
};
