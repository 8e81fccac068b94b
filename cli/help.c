/* SPDX-License-Identifier: MIT */
/* help.c - the usage text, from the same tables that parse. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "report/result_json.h"

#define WIDTH 100     /* of a line */
#define OPTION_WIDTH 26 /* of the column of names */

/* @text from column @at on, lines broken at blanks, each further line indented to @indent. */
static void wrap(FILE *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (!first && at + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', out);
			at++;
		}
		fwrite(text, 1, len, out);
		first = false;
		at += len;
		text += len + (text[len] == ' ');
	}
	fputc('\n', out);
}

static void put_option(FILE *out, const struct option_row *row)
{
	char names[96];
	int len;

	if (row->letter)
		len = snprintf(names, sizeof(names), "  -%c, --%s", row->letter, row->name);
	else
		len = snprintf(names, sizeof(names), "      --%s", row->name);
	if (row->arg)
		len += snprintf(names + len, sizeof(names) - (size_t)len, " %s", row->arg);
	if (len < OPTION_WIDTH)
		fprintf(out, "%-*s", OPTION_WIDTH, names);
	else
		fprintf(out, "%s\n%*s", names, OPTION_WIDTH, "");
	wrap(out, row->help, OPTION_WIDTH, OPTION_WIDTH);
}

static void put_options(FILE *out, const struct command *cmd)
{
	const struct option_row *const *table, *row;

	fputs("Options:\n", out);
	for (table = cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			put_option(out, row);
	put_option(out, &(struct option_row){ .name = "help", .letter = 'h', .help = "show this" });
}

void help_print(FILE *out, const struct command *cmd)
{
	const struct example *e;
	u32 i;

	fprintf(out, "Usage: fairground %s [OPTIONS]%s%s\n\n", cmd->name, *cmd->positional ? " " : "", cmd->positional);
	for (i = 0; cmd->about && cmd->about[i]; i++) {
		wrap(out, cmd->about[i], 0, 0);
		fputc('\n', out);
	}
	put_options(out, cmd);
	if (cmd->examples && cmd->examples->line)
		fputs("\nExamples:\n", out);
	for (e = cmd->examples; e && e->line; e++)
		fprintf(out, "  fairground %s\n      %s\n", e->line, e->what);
	if (cmd->no)
		fprintf(out, "\nExits 1 when %s.\n", cmd->no);
}

void help_overview(FILE *out)
{
	const struct command *cmd;
	u32 i;

	fprintf(out,
		"fairground %s - a proving ground for Linux's fair scheduler and its CPU limits\n\n"
		"Usage: fairground COMMAND [OPTIONS] ...\n\n",
		FAIRGROUND_VERSION);
	for (i = 0; (cmd = command_at(i)); i++)
		fprintf(out, strlen(cmd->positional) > 18 ? "  %-9s %s\n                               %s\n" : "  %-9s %-18s %s\n", cmd->name,
			cmd->positional, cmd->summary); /* what is too long stands in a line of its own */
	fputs("\nfairground COMMAND --help says more about one. Exit codes: 0 fine; 1 where a yes/no was asked\n"
	      "and it is no; 2 bad usage or input; 3 the host refused.\n",
	      out);
}
