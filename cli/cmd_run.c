/* SPDX-License-Identifier: MIT */
/*
 * cmd_run.c - fairground run SCENARIO
 *
 *	scenario --> one run --> one screen, or JSON
 *	             N runs --> mean ( +- error )
 *	--live   --> one run of real work on real CPUs, the same screen
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/runs.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/fibtest_text.h"
#include "report/result_text.h"
#include "report/snapshot.h"
#include "rt/rt.h"

struct run_args {
	struct run_options run; /* first */
	u64 snapshot;		/* ns, NEVER: none */
	bool live;
};

/* Stop on the way, write down what is there, go on. */
static struct result *run_with_snapshot(const struct scenario *sc, const struct run_args *args, struct err *err)
{
	struct machine_options opt = machine_options_of(&args->run);
	struct machine *m = machine_create(sc, &opt, err);
	struct result *res = NULL;
	char **lines = NULL;
	u32 nr = 0;

	if (!m)
		return NULL;
	if (!machine_run_until(m, args->snapshot, err)) {
		lines = snapshot_lines(m, sc, &nr);
		if (!machine_run_until(m, sc->duration, err))
			res = machine_result(m);
	}
	machine_destroy(m);
	if (res) {
		res->snapshot = lines;
		res->nr_snapshot = nr;
		return res;
	}
	while (nr)
		free(lines[--nr]);
	free(lines);
	err_set(err, ERR_HOST, "out of memory");
	return NULL;
}

static struct result *run_live(const struct scenario *sc, const struct run_args *args, struct err *err)
{
	struct rt_options opt = {
		.check_laws = machine_options_of(&args->run).check_laws,
		.want_periods = args->run.periods,
		.want_threads = args->run.threads,
	};

	return rt_play(sc, &opt, err);
}

/* What one run needs beyond the ordinary: runs a real clock, or stops on the way. */
static int go_specially(struct runs *runs, const struct run_args *args, struct err *err)
{
	const char *option = args->live ? "live" : "snapshot";
	struct one_run *run = &runs->run[0];

	if (args->live && args->snapshot != NEVER)
		return err_set(err, ERR_INPUT, "run: --snapshot looks into a simulation: leave out --live");
	if (runs->repeats > 1)
		return err_set(err, ERR_INPUT, "run: --%s shows one run: leave out --runs and --phases", option);
	run->result = args->live ? run_live(&run->scenario, args, err) : run_with_snapshot(&run->scenario, args, err);
	return run->result ? 0 : -1;
}

static void print_one(struct result *res, const struct run_args *args)
{
	struct result_detail detail = run_detail(&args->run);
	struct json_write j;

	if (args->run.json) {
		json_write_init(&j, stdout);
		result_json(&j, res, &detail);
		json_done(&j);
		return;
	}
	if (res->scenario->present && !strcmp(res->scenario->present, "runfibtest")) {
		fibtest_result(stdout, res);
		putchar('\n');
	}
	result_text(stdout, res, &detail);
}

static void print_many(const struct compare *cmp, const struct run_args *args)
{
	struct result_detail detail = run_detail(&args->run);
	struct json_write j;

	if (args->run.json) {
		json_write_init(&j, stdout);
		compare_json(&j, cmp, &detail);
		json_done(&j);
		return;
	}
	series_text(stdout, &cmp->series[0]);
}

static int go(struct runs *runs, struct run_args *args, struct err *err)
{
	if (runs_make(runs, 1, err))
		return -1;
	if (args->live || args->snapshot != NEVER ? go_specially(runs, args, err) : runs_go(runs, err))
		return -1;
	if (runs->repeats == 1)
		print_one(runs->run[0].result, args);
	else
		print_many(&(struct compare){ .series = runs->series, .nr = 1, .repeats = runs_repeats(runs) }, args);
	return 0;
}

static int run_run(const struct command *cmd, int argc, char **argv)
{
	struct run_args args = { .snapshot = NEVER };
	struct positionals pos;
	struct source src = { 0 };
	struct runs runs = { 0 };
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	current_variant(&args.run);
	ret = source_open(&src, pos.v[0], &err);
	ret = ret ? ret : runs_read(&runs, &src, &args.run, &err);
	ret = ret ? ret : go(&runs, &args, &err);
	runs_fini(&runs);
	source_close(&src);
	return ret ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	{ .name = "snapshot", .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .offset = offsetof(struct run_args, snapshot),
	  .help = "add the bandwidth state and the queues as they stand at TIME, in the kernel's field names (plain: seconds)" },
	{ .name = "live", .kind = OPTION_FLAG, .offset = offsetof(struct run_args, live),
	  .help = "schedule real work by the same rules: threads of this process, one per CPU of the scenario, burn what its tasks run, in "
		  "real time and without any privilege" },
	{ 0 },
};
static const struct option_row *const tables[] = { kernel_rows, variant_rows, file_rows, run_rows, own, print_rows, NULL };

static const char *const about[] = {
	"Simulates a scenario and prints what its groups and tasks got: CPU time, throttling, latency, and why they waited. "
	"SCENARIO is a file in Fairground's JSON, a superset of rt-app's, so any rt-app file runs; - is the standard input.",
	"With --live nothing is simulated but the scheduler: it takes the scenario's duration, needs as many real CPUs as the scenario has, "
	"and gives other figures each time. What the host took away in the meantime is said at the end.",
	NULL,
};

static const struct example examples[] = {
	{ "run scenarios/one-hog.json", "one busy thread under half a CPU" },
	{ "run scenarios/one-hog.json --limit 250m/20ms --periods", "the same under a smaller limit, period by period" },
	{ "run scenarios/fibtest-36.json --kernel 4.14.133 --snapshot 2.05", "the pool and every CPU's slice after 2.05 s" },
	{ "run scenarios/two-hogs.json --duration 2 --live", "the same rules, two seconds of real work on two real CPUs" },
	{ 0 },
};

const struct command cmd_run = {
	.name = "run", .positional = "SCENARIO", .least = 1, .most = 1, .complete = "@file",
	.summary = "simulate a scenario; one screen of figures", .about = about, .tables = tables, .examples = examples,
	.run = run_run,
};
