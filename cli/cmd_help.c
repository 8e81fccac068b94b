/* SPDX-License-Identifier: MIT */
/* cmd_help.c - fairground help [COMMAND], and what the build asks for: man pages and the completion script. */
#include <stddef.h>

#include "cli/command.h"
#include "text/say.h"

struct help_args {
	bool man, completion;
};

static int run_help(const struct command *cmd, int argc, char **argv)
{
	struct help_args args = { 0 };
	struct positionals pos;
	const struct command *about = NULL;
	struct err err = { 0 };
	char shown[160];
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	if (pos.nr && !(about = command_find(pos.v[0]))) {
		err_set(&err, ERR_INPUT, "help: unknown command \"%s\"", say(shown, sizeof(shown), pos.v[0]));
		return fail_with(&err);
	}
	if (args.completion)
		completion_print(stdout);
	else if (args.man)
		man_print(stdout, about);
	else if (about)
		help_all(stdout, about);
	else
		help_overview(stdout);
	return EXIT_FINE;
}

static const struct option_row options[] = {
	{ .name = "man", .kind = OPTION_FLAG, .offset = offsetof(struct help_args, man),
	  .help = "the man page's source, in scdoc's language; without a command the program's own" },
	{ .name = "completion", .kind = OPTION_FLAG, .offset = offsetof(struct help_args, completion),
	  .help = "a completion script for bash" },
	{ 0 },
};
static const struct option_row *const tables[] = { options, NULL };

static const char *const about_help[] = { "Shows all that a command does and which options it takes; fairground COMMAND --help shows a screen of it.", NULL };

const struct command cmd_help = {
	.name = "help", .positional = "[COMMAND]", .least = 0, .most = 1, .complete = "@command",
	.summary = "what a command does", .about = about_help, .tables = tables, .run = run_help,
};
