/* SPDX-License-Identifier: MIT */
/*
 * man.c - man pages in scdoc's language, from the same tables that parse.
 *
 * The pages in docs/man/ are this program's own output; a test compares them, so they cannot drift.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

/* Text with what scdoc would take for markup made plain: a backslash before each '_', '*', '\' and a leading '#', '-', '['. */
static void put_text(FILE *out, const char *s)
{
	const char *p;

	for (p = s; *p; p++) {
		if (strchr("_*\\~", *p) || (p == s && strchr("#-[.|", *p)))
			fputc('\\', out);
		fputc(*p, out);
	}
}

static void put_option(FILE *out, const struct option_row *row)
{
	if (row->letter)
		fprintf(out, "*-%c*, ", row->letter);
	fprintf(out, "*--%s*", row->name);
	if (row->arg) {
		fputs(" _", out);
		put_text(out, row->arg);
		fputc('_', out);
	}
	fputs("\n\t", out);
	put_text(out, row->help);
	fputs(".\n\n", out);
}

static void put_options(FILE *out, const struct command *cmd)
{
	const struct option_row *const *table, *row;

	fputs("# OPTIONS\n\n", out);
	for (table = cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			put_option(out, row);
	fputs("*-h*, *--help*\n\tShow a summary.\n\n", out);
}

static void put_exit_status(FILE *out, const struct command *cmd)
{
	fputs("# EXIT STATUS\n\n*0*\n\tFine.\n\n", out);
	if (!cmd || cmd->no) {
		fputs("*1*\n\t", out);
		put_text(out, cmd ? cmd->no : "a yes/no was asked, and it is no");
		fputs(".\n\n", out);
	}
	fputs("*2*\n\tBad usage or input; the message names file, line and column.\n\n*3*\n\tThe host refused.\n\n", out);
}

static void put_overview(FILE *out)
{
	const struct command *cmd;
	u32 i;

	fputs("fairground(1)\n\n# NAME\n\nfairground - a proving ground for Linux's fair scheduler and its CPU limits\n\n"
	      "# SYNOPSIS\n\n*fairground* _COMMAND_ [_OPTIONS_] ...\n\n# COMMANDS\n\n",
	      out);
	for (i = 0; (cmd = command_at(i)); i++) {
		fprintf(out, "*fairground-%s*(1)\n\t", cmd->name);
		put_text(out, cmd->summary);
		fputs(".\n\n", out);
	}
	put_exit_status(out, NULL);
	fputs("# ENVIRONMENT\n\n*NO_COLOR*\n\tNo colour, on a terminal too.\n\n# SEE ALSO\n\n*fairground-new*(1), *fairground-explain*(1), *fairground-advise*(1)\n", out);
}

void man_print(FILE *out, const struct command *cmd)
{
	const struct example *e;
	u32 i;

	if (!cmd) {
		put_overview(out);
		return;
	}
	fprintf(out, "fairground-%s(1)\n\n# NAME\n\nfairground-%s - ", cmd->name, cmd->name);
	put_text(out, cmd->summary);
	fprintf(out, "\n\n# SYNOPSIS\n\n*fairground %s* [_OPTIONS_]", cmd->name);
	if (*cmd->positional) {
		fputc(' ', out);
		put_text(out, cmd->positional);
	}
	fputs("\n\n# DESCRIPTION\n\n", out);
	for (i = 0; cmd->about && cmd->about[i]; i++) {
		put_text(out, cmd->about[i]);
		fputs("\n\n", out);
	}
	put_options(out, cmd);
	if (cmd->examples && cmd->examples->line)
		fputs("# EXAMPLES\n\n", out);
	for (e = cmd->examples; e && e->line; e++) {
		fprintf(out, "*fairground* ");
		put_text(out, e->line);
		fputs("\n\t", out);
		put_text(out, e->what);
		fputs(".\n\n", out);
	}
	put_exit_status(out, cmd);
	fputs("# SEE ALSO\n\n*fairground*(1)\n", out);
}
