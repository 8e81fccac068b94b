/* SPDX-License-Identifier: MIT */
/*
 * cmd_compare.c - fairground compare SCENARIO
 *
 *	--kernel A --kernel B			two variants
 *	--kernel A --rule R			A as it is, then A with R: before and after
 *	--limit L --vs --limit M		two variants
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/runs.h"
#include "cli/why.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/fibtest_text.h"
#include "report/fsperf_text.h"

#define FIBTEST_PHASES 24 /* enough that the median moves by less than 1 % when they are doubled */

struct compare_args {
	struct run_options run; /* first */
	bool expect_same;
	bool why;
};

/* One variant that changes something is "after": the same kernel without the changes goes before it. */
static int complete_variants(struct run_options *opt, struct err *err)
{
	struct variant *only = current_variant(opt);
	struct variant before = { .kernel = only->kernel };

	if (opt->nr_variants > 1)
		return 0;
	if (variant_is_plain(only)) {
		err_set(err, ERR_INPUT, "compare: there is nothing to compare with");
		err_hint(err, "give a second --kernel, a --rule, a --limit, or --vs with other options behind it");
		return -1;
	}
	opt->variants[1] = *only;
	opt->variants[0] = before;
	opt->nr_variants = 2;
	return 0;
}

static bool is_presented(const struct runs *runs, const char *as)
{
	const char *present = runs->variant[0].present;

	return present && !strcmp(present, as);
}

static bool is_fibtest(const struct runs *runs) { return is_presented(runs, "runfibtest"); }

static void print(struct runs *runs, const struct compare *cmp, const struct compare_args *args, const struct source *src)
{
	struct result_detail detail = run_detail(&args->run);
	struct fibtest_published published;
	struct fsperf_published table;
	struct json_write j;

	if (args->run.json) {
		json_write_init(&j, stdout);
		compare_json(&j, cmp, &detail);
		json_done(&j);
	} else if (is_fibtest(runs)) {
		fibtest_text(stdout, cmp, source_published(src, &published, &runs->mem) ? &published : NULL);
	} else if (is_presented(runs, "fsperf")) {
		fsperf_text(stdout, cmp, source_published_table(src, &table, &runs->mem) ? &table : NULL);
	} else {
		compare_text(stdout, cmp);
	}
}

/* Every run of every variant has the digest of the first variant's run of that number. */
static bool all_same(const struct compare *cmp)
{
	u32 i, k;

	for (i = 1; i < cmp->nr; i++)
		for (k = 0; k < cmp->series[i].nr; k++)
			if (cmp->series[i].results[k]->digest != cmp->series[0].results[k]->digest)
				return false;
	return true;
}

static int go(struct runs *runs, const struct compare_args *args, const struct source *src, struct err *err)
{
	struct compare cmp;
	struct why why = { 0 };

	if (runs_make(runs, is_fibtest(runs) ? FIBTEST_PHASES : 1, err) || runs_go(runs, err))
		return -1;
	cmp = (struct compare){ .series = runs->series, .nr = runs->nr_variants, .repeats = runs_repeats(runs) };
	if (args->why && why_run(&why, runs, err)) {
		why_free(&why);
		return -1;
	}
	cmp.why = args->why ? &why : NULL;
	print(runs, &cmp, args, src);
	why_free(&why);
	return args->expect_same && !all_same(&cmp) ? EXIT_NO : EXIT_FINE;
}

static int run_compare(const struct command *cmd, int argc, char **argv)
{
	struct compare_args args = { .run = { .several = true } };
	struct positionals pos;
	struct source src = { 0 };
	struct runs runs = { 0 };
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	ret = complete_variants(&args.run, &err);
	ret = ret ? ret : source_open(&src, pos.v[0], &err);
	ret = ret ? ret : runs_read(&runs, &src, &args.run, &err);
	ret = ret ? ret : go(&runs, &args, &src, &err);
	runs_fini(&runs);
	source_close(&src);
	return ret < 0 ? fail_with(&err) : ret;
}

static const struct option_row own[] = {
	{ .name = "expect-same", .kind = OPTION_FLAG, .offset = offsetof(struct compare_args, expect_same),
	  .help = "exit 1 where the digests differ" },
	{ .name = "why", .kind = OPTION_FLAG, .offset = offsetof(struct compare_args, why),
	  .help = "try each rule in which the last variant differs from the first by itself, and say which of them makes the difference" },
	{ 0 },
};
static const struct option_row *const tables[] = { kernel_rows, variant_rows, file_rows, vs_rows, run_rows, own, print_rows, NULL };

static const char *const about[] = {
	"Runs the same workload in several variants and prints their figures side by side, with what changed. Each --kernel begins a "
	"variant; the options that follow it belong to it.",
	"Where only one variant is named, it is compared with the same kernel as it is: --kernel 4.14.133 --rule bw_expiry=none shows "
	"4.14.133 before and after that one rule changed. --vs begins a variant where there is no --kernel to do it.",
	"With --phases the tasks start at N moments spread over a period, with --runs under N seeds; then medians are shown, with the "
	"lowest and the highest. Scenarios of fibtest do 24 phases if nothing is said, and are shown in the words of its driver; one of fsperf is "
	"shown as perf stat and that program print it, mean ( +- standard error ).",
	NULL,
};

static const struct example examples[] = {
	{ "compare scenarios/fibtest-36.json --kernel 4.14.133 --rule bw_expiry=none", "the fix of 2019, before and after" },
	{ "compare scenarios/two-hogs.json --kernel 4.14 --kernel 5.4 --kernel 5.10", "three kernels" },
	{ "compare scenarios/sleeper.json --kernel 5.15 --kernel 6.6 --why", "what a new kernel changes, and which of its rules does" },
	{ "compare scenarios/fsperf.json --runs 5 --rule rfc_kthread=posted", "the bound-kthread RFC of 2019, with its counters" },
	{ "compare scenarios/two-hogs.json --limit 1 --vs --limit 1/20ms --vs --limit 1500m", "three limits" },
	{ 0 },
};

const struct command cmd_compare = {
	.name = "compare", .positional = "SCENARIO", .least = 1, .most = 1, .complete = "@file",
	.summary = "the same workload in several kernels, rules or limits", .about = about, .tables = tables,
	.examples = examples, .no = "--expect-same was given and the digests differ", .run = run_compare,
};
