/* SPDX-License-Identifier: MIT */
/* cmd_kernels.c - fairground kernels [A [B]]: the rule matrix, one row, or what differs between two. */
#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"
#include "report/kernels_text.h"
#include "text/say.h"
#include "text/suggest.h"

struct kernels_args {
	bool json;
};

static int find_row(struct kernel_model *model, const char *name, struct err *err)
{
	struct suggest s;
	char shown[80];
	int i;

	if (!model_init(model, name))
		return 0;
	err_set(err, ERR_INPUT, "kernels: no row is called \"%s\"", say(shown, sizeof(shown), name));
	suggest_init(&s, name);
	for (i = 0; model_row_name(i); i++)
		suggest_offer(&s, model_row_name(i));
	if (suggest_best(&s))
		err_hint(err, "did you mean %s?", suggest_best(&s));
	else
		err_hint(err, "fairground kernels lists them");
	return -1;
}

static int run_kernels(const struct command *cmd, int argc, char **argv)
{
	struct kernels_args args = { 0 };
	struct kernel_model rows[2];
	struct positionals pos;
	struct err err = { 0 };
	struct json_write j;
	int i, ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	for (i = 0; i < pos.nr; i++)
		if (find_row(&rows[i], pos.v[i], &err))
			return fail_with(&err);
	if (args.json) {
		json_write_init(&j, stdout);
		kernels_json(&j);
		json_done(&j);
	} else if (pos.nr == 2) {
		kernels_diff(stdout, &rows[0], &rows[1]);
	} else if (pos.nr) {
		kernels_row(stdout, &rows[0]);
	} else {
		kernels_matrix(stdout);
	}
	return EXIT_FINE;
}

static const struct option_row own[] = {
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct kernels_args, json), .help = "print the whole matrix as JSON" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Shows the kernels Fairground knows, as rows of rules. A rule is one behaviour that not all kernels share; --rule changes it for "
	"a run. Without an argument it prints the matrix, with one all about that row, with two what differs between them.",
	NULL,
};

static const struct example examples[] = {
	{ "kernels", "the matrix" },
	{ "kernels 4.14.133 5.4", "what an upgrade changes" },
	{ 0 },
};

const struct command cmd_kernels = {
	.name = "kernels", .positional = "[A [B]]", .least = 0, .most = 2, .complete = "@row",
	.summary = "which kernel has which rules", .about = about, .tables = tables, .examples = examples, .run = run_kernels,
};
