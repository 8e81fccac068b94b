/* SPDX-License-Identifier: MIT */
/*
 * cmd_oracle.c - fairground oracle [FILE...]: the model held against measurements of real kernels.
 *
 *	lines of measurements --> score, or every cell (--case), or switch by switch (--trace)
 */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "oracle/align.h"
#include "oracle/cells.h"
#include "oracle/score.h"
#include "report/oracle.h"
#include "text/memory.h"
#include "text/say.h"
#include "text/table.h"

#ifndef FAIRGROUND_ORACLE_DIR
#define FAIRGROUND_ORACLE_DIR "/usr/local/share/fairground/oracle" /* the build says where it really is */
#endif
#define SOURCE_DIR "tests/oracle" /* run from the source tree */

#define WANTED 95      /* per cent of the cells of a row and kind */
#define WANTED_PART 85 /* of each kind of case and each figure */

struct oracle_args {
	const char *row, *kind, *name, *trace, *data;
	u64 min;
	bool json, tolerances;
};

struct oracle_run {
	struct oracle_args args;
	struct positionals pos;
	struct arena mem;
	struct measured_list list;
	const char *dir;
};

/* ---- which measurements ---- */

static const char *data_dir(const struct oracle_args *args)
{
	struct stat st;

	if (args->data)
		return args->data;
	return !stat(SOURCE_DIR, &st) && S_ISDIR(st.st_mode) ? SOURCE_DIR : FAIRGROUND_ORACLE_DIR;
}

static int is_lines(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".jsonl");
}

static int read_one(struct oracle_run *run, const char *dir, const char *name, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
	return measured_read(&run->list, path, &run->mem, err);
}

static int read_dir(struct oracle_run *run, struct err *err)
{
	struct dirent **names;
	int n = scandir(run->dir, &names, is_lines, alphasort), ret = 0;

	if (n <= 0) {
		err_at(err, run->dir, 0, 0, NULL, "expected a directory with measurements (*.jsonl), found none");
		err_hint(err, "say where they are: --data DIR");
		return -1;
	}
	for (int i = 0; i < n; i++) {
		if (!ret)
			ret = read_one(run, run->dir, names[i]->d_name, err);
		free(names[i]);
	}
	free(names);
	return ret;
}

static int read_measurements(struct oracle_run *run, struct err *err)
{
	if (!run->pos.nr)
		return read_dir(run, err);
	for (int i = 0; i < run->pos.nr; i++)
		if (read_one(run, NULL, run->pos.v[i], err))
			return -1;
	return 0;
}

static int nothing_chosen(struct err *err)
{
	err_set(err, ERR_INPUT, "oracle: no measured case is like that");
	err_hint(err, "fairground oracle --json lists them; --row, --kind and --case choose among them");
	return -1;
}

/* ---- the three things to print ---- */

static void print_tolerances(FILE *out)
{
	const char *name, *value, *reason;
	struct tolerance_text text;
	struct table t;

	table_init(&t, "llll");
	table_heads(&t, "figure|pinned|unpinned|why");
	table_flow(&t, 3);
	for (u32 i = 0; tolerance_text(i, &text); i++) {
		table_cell(&t, "%s", text.figure);
		table_cell(&t, "%s", text.pinned);
		table_cell(&t, "%s", text.free);
		table_cell(&t, "%s", text.reason);
	}
	table_print(&t, out);
	table_fini(&t);
	fprintf(out, "\nusage is 5 %% before the fix on 16 CPUs and more; throttled is 15 %% for fibtest cases on 8 CPUs and more,\n"
		     "of unpinned threads 30 %% where they want 95 to 105 %% of the quota, or a rerun or the phase alone moves it by more than 10 %%;\n"
		     "usage and cpu have one quota more where the phase of the periods is random and was not seen\n\nNot compared\n");
	for (u32 i = 0; left_out_text(i, &name, &reason); i++)
		fprintf(out, "  %s: %s\n", name, reason);
	fprintf(out, "\nConstants of the measured machines\n");
	for (u32 i = 0; guest_constant(i, &name, &value, &reason); i++)
		fprintf(out, "  %s: %s\n    %s\n", name, value, reason);
}

/* Is the share of every row and kind at least @min? */
static bool reaches(const struct oracle_score *score, u64 min)
{
	for (u32 i = 0; i < score->nr_sums[ORACLE_BY_ROW]; i++)
		if (oracle_share(&score->sums[ORACLE_BY_ROW][i].with) < (double)min)
			return false;
	return true;
}

static struct cause_list *read_causes(struct oracle_run *run, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/causes.txt", run->dir);
	return causes_read(path, &run->mem, err);
}

static int print_score(struct oracle_run *run, struct err *err)
{
	struct score_options opt = { .row = run->args.row, .kind = run->args.kind, .name = run->args.name };
	struct cause_list *causes = read_causes(run, err);
	struct oracle_score score;
	char traces[4096];
	int ret;

	if (!causes)
		return -1;
	snprintf(traces, sizeof(traces), "%s/traces", run->dir);
	opt.traces = traces;
	ret = score_run(&score, &run->list, &opt, causes, err);
	if (!ret && !score.nr_cells && !score.nr_skips)
		ret = nothing_chosen(err);
	if (!ret && run->args.json)
		oracle_json(stdout, &score);
	else if (!ret && run->args.name)
		oracle_cells_text(stdout, &score);
	else if (!ret)
		oracle_text(stdout, &score, WANTED, WANTED_PART);
	if (!ret)
		ret = !run->args.min || reaches(&score, run->args.min) ? EXIT_FINE : EXIT_NO;
	score_free(&score);
	return ret;
}

static u32 traced(const struct oracle_run *run, const struct score_options *opt, const struct measured **out)
{
	u32 n = 0;

	for (const struct measured *m = run->list.first; m; m = m->next)
		if (m->trace && score_wants(opt, m))
			out[n++] = m;
	return n;
}

static int align_one(struct oracle_run *run, struct oracle_alignment *a, const struct measured *m, const struct cause_list *causes,
		     struct err *err)
{
	char traces[4096], row[64];

	snprintf(traces, sizeof(traces), "%s/traces", run->dir);
	if (align_case(a, m, traces, &run->mem, err))
		return -1;
	a->case_id = measured_id(m, &run->mem);
	a->cause = cause_of_divergence(causes, guest_row_name(m->guest, row, sizeof(row)), a);
	return 0;
}

static int print_traces(struct oracle_run *run, struct err *err)
{
	bool all = !strcmp(run->args.trace, "all");
	struct score_options opt = { .row = run->args.row, .kind = run->args.kind, .name = all ? NULL : run->args.trace };
	const struct measured **chosen = calloc(run->list.nr + 1, sizeof(*chosen));
	struct cause_list *causes = read_causes(run, err);
	struct oracle_alignment *a = NULL;
	u32 nr = 0;
	int ret = -1;

	if (!causes)
		goto out;
	if (chosen) {
		nr = traced(run, &opt, chosen);
		a = calloc(nr + 1, sizeof(*a));
	}
	if (!a) {
		err_set(err, ERR_HOST, "out of memory");
		goto out;
	}
	ret = nr ? 0 : nothing_chosen(err);
	for (u32 i = 0; i < nr && !ret; i++)
		ret = align_one(run, &a[i], chosen[i], causes, err);
	if (!ret && run->args.json)
		oracle_alignment_json(stdout, a, nr);
	else if (!ret)
		oracle_alignment_text(stdout, a, nr);
out:
	free(a);
	free(chosen);
	return ret;
}

static int check_kind(const char *kind, struct err *err)
{
	char shown[80];

	if (!kind || !strcmp(kind, "pinned") || !strcmp(kind, "unpinned"))
		return 0;
	err_set(err, ERR_INPUT, "oracle: --kind: expected pinned or unpinned, found \"%s\"", say(shown, sizeof(shown), kind));
	return -1;
}

static int run_oracle(const struct command *cmd, int argc, char **argv)
{
	struct oracle_run run = { 0 };
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &run.args, &run.pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	if (run.args.tolerances) {
		print_tolerances(stdout);
		return EXIT_FINE;
	}
	run.dir = data_dir(&run.args);
	arena_of_malloc(&run.mem);
	measured_list_init(&run.list);
	ret = check_kind(run.args.kind, &err) || read_measurements(&run, &err) ? -1 : 0;
	if (!ret)
		ret = run.args.trace ? print_traces(&run, &err) : print_score(&run, &err);
	arena_fini(&run.mem);
	return ret < 0 ? fail_with(&err) : ret;
}

static const struct option_row own[] = {
	{ .name = "row", .arg = "ROW", .kind = OPTION_TEXT, .offset = offsetof(struct oracle_args, row), .complete = "@row",
	  .help = "only kernels of this row; also a label (5.10-before) or a row with its rule (5.10+bw_expiry=seq)" },
	{ .name = "kind", .arg = "KIND", .kind = OPTION_TEXT, .offset = offsetof(struct oracle_args, kind),
	  .complete = "pinned unpinned", .help = "only cases whose threads are pinned, or only those that choose their CPU: unpinned" },
	{ .name = "case", .arg = "NAME", .kind = OPTION_TEXT, .offset = offsetof(struct oracle_args, name),
	  .help = "only cases whose name begins like this or matches it, with every cell: fib, fib8, '*-q20'" },
	{ .name = "trace", .arg = "CASE", .kind = OPTION_TEXT, .offset = offsetof(struct oracle_args, trace),
	  .help = "switch by switch against the recordings of these cases, or all" },
	{ .name = "min", .arg = "PERCENT", .kind = OPTION_COUNT, .offset = offsetof(struct oracle_args, min), .lowest = 1,
	  .highest = 100, .help = "exit 1 where a row and kind has a smaller share of its cells inside" },
	{ .name = "data", .arg = "DIR", .kind = OPTION_TEXT, .offset = offsetof(struct oracle_args, data), .complete = "@file",
	  .help = "where the measurements are (default: tests/oracle, else where they were installed)" },
	{ .name = "tolerances", .kind = OPTION_FLAG, .offset = offsetof(struct oracle_args, tolerances),
	  .help = "print what is compared, how near is near enough, and why" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct oracle_args, json), .help = "print JSON, as docs/oracle.schema.json describes it" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Plays cases that were measured on real kernels and counts how many figures of the model are as near to the real ones as reruns of "
	"the real thing are to each other. Each case is played twice: with all, and without what is called fitted.",
	"Lines of other measurements can be given as files; tests/oracle/README.md describes the format.",
	NULL,
};

static const struct example examples[] = {
	{ "oracle", "the score of every kernel that was measured" },
	{ "oracle --row 5.10 --kind pinned --min 95", "is it at least 95 %?" },
	{ "oracle --case fib", "fibtest before and after the fix, model beside real" },
	{ "oracle --row 5.10 --trace tr-fib4", "where the model and a recording part" },
	{ 0 },
};

const struct command cmd_oracle = {
	.name = "oracle", .positional = "[FILE...]", .least = 0, .most = POSITIONALS_MAX, .complete = "@file",
	.summary = "the model against measurements of real kernels: score and misses", .about = about, .tables = tables,
	.examples = examples, .no = "a share is below --min", .run = run_oracle,
};
