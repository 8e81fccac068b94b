/* SPDX-License-Identifier: MIT */
/*
 * help.c - the usage text, from the same tables that parse.
 *
 *	fairground COMMAND --help	one screen: what it does, its own options in a line each, the shared ones by name, examples
 *	fairground help COMMAND		all of it, as in the man page
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/run_options.h"
#include "report/result_json.h"
#include "text/table.h"

#define OPTION_WIDTH 26 /* of the column of names */
#define EXAMPLE_WIDTH ((size_t)52) /* of the column of commands */

/* "  -k, --kernel ROW" */
static int option_names(char *names, size_t size, const struct option_row *row)
{
	int len;

	if (row->letter)
		len = snprintf(names, size, "  -%c, --%s", row->letter, row->name);
	else
		len = snprintf(names, size, "      --%s", row->name);
	if (row->arg)
		len += snprintf(names + len, size - (size_t)len, " %s", row->arg);
	return len;
}

static void put_option(FILE *out, const struct option_row *row, const char *help)
{
	char names[96];

	if (option_names(names, sizeof(names), row) < OPTION_WIDTH)
		fprintf(out, "%-*s", OPTION_WIDTH, names);
	else
		fprintf(out, "%s\n%*s", names, OPTION_WIDTH, "");
	text_flow(out, help, OPTION_WIDTH, OPTION_WIDTH);
}

static const struct option_row help_row = { .name = "help", .letter = 'h', .help = "show this" };

static void put_options(FILE *out, const struct command *cmd)
{
	const struct option_row *const *table, *row;

	fputs("Options:\n", out);
	for (table = cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			put_option(out, row, row->help);
	put_option(out, &help_row, "a screen of this");
}

static void put_usage(FILE *out, const struct command *cmd)
{
	fprintf(out, "Usage: fairground %s [OPTIONS]%s%s\n\n", cmd->name, *cmd->positional ? " " : "", cmd->positional);
}

/* What the command does: the paragraphs from @from on, at most @most of them. */
static void put_about(FILE *out, const struct command *cmd, u32 most)
{
	for (u32 i = 0; i < most && cmd->about && cmd->about[i]; i++) {
		text_flow(out, cmd->about[i], 0, 0);
		fputc('\n', out);
	}
}

static void put_exit(FILE *out, const struct command *cmd)
{
	if (cmd->no)
		fprintf(out, "\nExits 1 when %s.\n", cmd->no);
}

void help_all(FILE *out, const struct command *cmd)
{
	const struct example *e;

	put_usage(out, cmd);
	put_about(out, cmd, UINT32_MAX);
	put_options(out, cmd);
	if (cmd->examples && cmd->examples->line)
		fputs("\nExamples:\n", out);
	for (e = cmd->examples; e && e->line; e++)
		fprintf(out, "  fairground %s\n      %s\n", e->line, e->what);
	put_exit(out, cmd);
}

/* ---- one screen ---- */

/* How much of @help stands in one line: all of it, or what stands before the detail. */
static size_t brief_length(const char *help)
{
	size_t len = strlen(help), at;

	if (OPTION_WIDTH + len <= TABLE_WIDTH)
		return len;
	for (at = 0; at < len; at++)
		if (!strncmp(help + at, "; ", 2) || !strncmp(help + at, " (", 2) || (at > 20 && !strncmp(help + at, ": ", 2)) ||
		    (at > 40 && !strncmp(help + at, ", ", 2)))
			return at;
	return len;
}

static void put_brief(FILE *out, const struct option_row *row)
{
	char brief[TABLE_WIDTH * 4];

	if (row->brief)
		snprintf(brief, sizeof(brief), "%s", row->brief);
	else
		snprintf(brief, sizeof(brief), "%.*s", (int)brief_length(row->help), row->help);
	put_option(out, row, brief);
}

/* Options that many commands share stand there by name alone, unless the command is about them. */
static bool is_shared(const struct command *cmd, const struct option_row *table)
{
	if (table == kernel_rows || table == variant_rows)
		return cmd->tables[0] != kernel_rows;
	return table == file_rows || table == run_rows;
}

static void put_shared(FILE *out, const struct command *cmd)
{
	const struct option_row *const *table, *row;
	char names[1024] = "";
	size_t len = 0;

	for (table = cmd->tables; table && *table; table++)
		for (row = *table; is_shared(cmd, *table) && row->name; row++) {
			char one[96];

			option_names(one, sizeof(one), row);
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "", one + strspn(one, " "));
		}
	if (!len)
		return;
	fputs("Also ", out);
	text_flow(out, names, 5, 2);
}

static void put_example(FILE *out, const struct example *e)
{
	size_t len = strlen("  fairground ") + strlen(e->line);

	if (len < EXAMPLE_WIDTH && EXAMPLE_WIDTH + strlen(e->what) <= TABLE_WIDTH)
		fprintf(out, "  fairground %s%*s%s\n", e->line, (int)(EXAMPLE_WIDTH - len), "", e->what);
	else
		fprintf(out, "  fairground %s\n      %s\n", e->line, e->what);
}

void help_screen(FILE *out, const struct command *cmd)
{
	const struct option_row *const *table, *row;
	const struct example *e;

	put_usage(out, cmd);
	put_about(out, cmd, 1);
	for (table = cmd->tables; table && *table; table++)
		for (row = *table; !is_shared(cmd, *table) && row->name; row++)
			put_brief(out, row);
	put_shared(out, cmd);
	if (cmd->examples && cmd->examples->line)
		fputs("\nExamples:\n", out);
	for (e = cmd->examples; e && e->line; e++)
		put_example(out, e);
	put_exit(out, cmd);
	fprintf(out, "\nfairground help %s: all of it, and what each option takes.\n", cmd->name);
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
	fputs("\nfairground COMMAND --help shows a screen about one, fairground help COMMAND all of it. Exit codes:\n"
	      "0 fine; 1 where a yes/no was asked and it is no; 2 bad usage or input; 3 the host refused.\n",
	      out);
}
