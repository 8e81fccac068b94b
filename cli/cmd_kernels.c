/* SPDX-License-Identifier: MIT */
/* cmd_kernels.c - fairground kernels [A [B]]: the rule matrix, one row, what differs between two, or the kernel under you. */
#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/detect.h"
#include "input/distro.h"
#include "report/kernels_text.h"
#include "text/say.h"
#include "text/table.h"

struct kernels_args {
	bool json, markdown, detect, distros;
	const char *proc;
};

/* ---- which row is meant ---- */

static int no_row(const char *name, struct err *err)
{
	const char *near = nearest_kernel(name);
	char shown[80];

	err_set(err, ERR_INPUT, "kernels: no row is called \"%s\"", say(shown, sizeof(shown), name));
	if (near)
		err_hint(err, "did you mean %s?", near);
	else
		err_hint(err, "fairground kernels lists them");
	return -1;
}

/* A row, or the row that stands for a release or a distribution; then what is not known of it is said. */
static int find_row(struct kernel_model *model, const char *name, struct err *err)
{
	struct distro_kernel distro;
	char note[512], shown[600];
	u32 i;

	if (!model_init(model, name))
		return 0;
	if (distro_kernel(name, &distro))
		return no_row(name, err);
	fprintf(stderr, "fairground: note: %s\n", say(shown, sizeof(shown), distro_note(&distro, note, sizeof(note))));
	model_init(model, distro.row);
	for (i = 0; i < DISTRO_RULES_MAX && distro.rules[i]; i++)
		model_set_rule(model, distro.rules[i], NULL);
	return 0;
}

/* ---- distributions ---- */

static void distros_table(FILE *out)
{
	struct distro_text d;
	const char *name, *release;
	struct table t;
	u32 i;

	table_init(&t, "lllrlll");
	table_heads(&t, "distribution|spelling|versions|HZ|preemption|read from|not known");
	table_flow(&t, 5);
	table_flow(&t, 6);
	for (i = 0; distro_text(i, &d); i++) {
		table_cell(&t, "%s", d.distro);
		table_cell(&t, "%s", d.spelling);
		table_cell(&t, "%s", d.versions);
		if (d.hz)
			table_cell(&t, "%u", d.hz);
		else
			table_cell(&t, "%s", "-");
		table_cell(&t, "%s", d.preempt >= 0 ? preempt_name(d.preempt) : "-");
		table_cell(&t, "%s", d.source ? d.source : "-");
		table_cell(&t, "%s", d.doubt);
	}
	table_print(&t, out);
	table_fini(&t);
	fputs("\nnames that --kernel takes:", out);
	for (i = 0; (name = distro_name(i, &release)); i++)
		fprintf(out, " %s (%s)", name, release);
	fputc('\n', out);
}

static void distros_markdown(FILE *out)
{
	struct distro_text d;
	const char *name, *release;
	u32 i;

	fputs("| distribution | release is like | versions | HZ | preemption | beside the row | read from | not known |\n"
	      "|---|---|---|---|---|---|---|---|\n",
	      out);
	for (i = 0; distro_text(i, &d); i++) {
		fprintf(out, "| %s | `%s` | %s | ", d.distro, d.spelling, d.versions);
		if (d.hz)
			fprintf(out, "%u", d.hz);
		else
			fputs("-", out);
		fprintf(out, " | %s | %s%s%s | %s | %s |\n", d.preempt >= 0 ? preempt_name(d.preempt) : "-", d.rule ? "`" : "",
			d.rule ? d.rule : "-", d.rule ? "`" : "", d.source ? d.source : "-", d.doubt);
	}
	fputs("\n| name | stands for |\n|---|---|\n", out);
	for (i = 0; (name = distro_name(i, &release)); i++)
		fprintf(out, "| `%s` | `%s` |\n", name, release);
}

/* ---- the command ---- */

static void print_json(const struct kernel_model *rows, int nr)
{
	struct json_write j;

	json_write_init(&j, stdout);
	if (nr == 2)
		kernels_diff_json(&j, &rows[0], &rows[1]);
	else if (nr)
		kernels_row_json(&j, &rows[0]);
	else
		kernels_json(&j);
	json_done(&j);
}

static void print_text(const struct kernel_model *rows, int nr, bool markdown)
{
	if (nr == 2)
		kernels_diff(stdout, &rows[0], &rows[1]);
	else if (nr && markdown)
		kernels_row_markdown(stdout, &rows[0]);
	else if (nr)
		kernels_row(stdout, &rows[0]);
	else if (markdown)
		kernels_markdown(stdout);
	else
		kernels_matrix(stdout);
}

static int run_detect(const struct kernels_args *args)
{
	struct err err = { 0 };
	struct json_write j;
	struct detected d;

	if (detect_kernel(args->proc, &d, &err))
		return fail_with(&err);
	if (!args->json) {
		detect_print(stdout, &d);
		return EXIT_FINE;
	}
	json_write_init(&j, stdout);
	detect_json(&j, &d);
	json_done(&j);
	return EXIT_FINE;
}

static int check_args(const struct kernels_args *args, int nr, struct err *err)
{
	if ((args->detect || args->distros) && nr)
		return err_set(err, ERR_INPUT, "kernels: --detect and --distributions take no row");
	if (args->proc && !args->detect)
		return err_set(err, ERR_INPUT, "kernels: --proc-root goes with --detect");
	if (args->markdown && (args->json || args->detect || nr == 2))
		return err_set(err, ERR_INPUT, "kernels: --markdown is for all rows, for one, or for --distributions");
	if (args->distros && args->json)
		return err_set(err, ERR_INPUT, "kernels: --distributions has no JSON");
	return 0;
}

static int run_kernels(const struct command *cmd, int argc, char **argv)
{
	struct kernels_args args = { 0 };
	struct kernel_model rows[2];
	struct positionals pos;
	struct err err = { 0 };
	int i, ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	if (check_args(&args, pos.nr, &err))
		return fail_with(&err);
	if (args.detect)
		return run_detect(&args);
	if (args.distros) {
		(args.markdown ? distros_markdown : distros_table)(stdout);
		return EXIT_FINE;
	}
	for (i = 0; i < pos.nr; i++)
		if (find_row(&rows[i], pos.v[i], &err))
			return fail_with(&err);
	if (args.json)
		print_json(rows, pos.nr);
	else
		print_text(rows, pos.nr, args.markdown);
	return EXIT_FINE;
}

#define FIELD(name) offsetof(struct kernels_args, name)
static const struct option_row own[] = {
	{ .name = "detect", .kind = OPTION_FLAG, .offset = FIELD(detect),
	  .help = "print which row stands for the kernel that runs here, its HZ, preemption model and bandwidth slice, and where each was read" },
	{ .name = "proc-root", .arg = "DIR", .kind = OPTION_TEXT, .offset = FIELD(proc), .complete = "@file",
	  .help = "with --detect: look at DIR instead of /proc" },
	{ .name = "distributions", .kind = OPTION_FLAG, .offset = FIELD(distros),
	  .help = "print how distributions' kernels are recognised, with HZ and preemption model where they were read" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = FIELD(json), .help = "print JSON, as docs/kernels.schema.json describes it" },
	{ .name = "markdown", .kind = OPTION_FLAG, .offset = FIELD(markdown),
	  .help = "print the tables of docs/rules.md, docs/kernels/ and docs/distributions.md" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Shows the kernels Fairground knows, as rows of rules. A rule is one behaviour that not all kernels share; --rule changes it for "
	"a run. Without an argument it prints the matrix, with one all about that row, with two what differs between them.",
	"A row may also be named by what uname -r says of a kernel, or by a distribution: 5.15.0-1051-aws, debian-12. That is the nearest "
	"row that is not newer; what the distribution back-ported to it is not known, and this is said.",
	NULL,
};

static const struct example examples[] = {
	{ "kernels", "the matrix" },
	{ "kernels 4.14.133 5.4", "what an upgrade changes" },
	{ "kernels debian-11 debian-12", "what an upgrade of the distribution changes, as far as its kernels are like their rows" },
	{ "kernels --detect", "the kernel that runs here" },
	{ 0 },
};

const struct command cmd_kernels = {
	.name = "kernels", .positional = "[A [B]]", .least = 0, .most = 2, .complete = "@row",
	.summary = "which kernel has which rules", .about = about, .tables = tables, .examples = examples, .run = run_kernels,
};
