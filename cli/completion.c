/* SPDX-License-Identifier: MIT */
/*
 * completion.c - a completion script for bash, from the same tables that parse.
 *
 * The script is data for one small function: per command its options, per option what its value may be.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/shapes.h"
#include "core/model.h"
#include "input/topology.h"

static void put_commands(FILE *out)
{
	const struct command *cmd;
	u32 i;

	fputs("_fairground_commands=\"", out);
	for (i = 0; (cmd = command_at(i)); i++)
		fprintf(out, "%s%s", i ? " " : "", cmd->name);
	fputs("\"\n", out);
}

static void put_shapes(FILE *out)
{
	const struct shape *s;

	fputs("_fairground_shapes=\"", out);
	for (s = shapes; s->name; s++)
		fprintf(out, "%s%s", s == shapes ? "" : " ", s->name);
	fputs("\"\n", out);
}

static void put_rows(FILE *out)
{
	const char *name;
	int i;

	fputs("_fairground_rows=\"", out);
	for (i = 0; (name = model_row_name(i)); i++)
		fprintf(out, "%s%s", i ? " " : "", name);
	fputs("\"\n", out);
}

static void put_machines(FILE *out)
{
	const char *name;
	u32 i;

	fputs("_fairground_machines=\"flat", out);
	for (i = 0; (name = topology_name(i, NULL, NULL)); i++)
		fprintf(out, " %s", name);
	fputs("\"\n", out);
}

/* name=value for each value of each rule: "none|seq" is cut at the bars. */
static void put_rules(FILE *out)
{
	int i;

	fputs("_fairground_rules=\"", out);
	for (i = 0; i < NR_RULES; i++) {
		const struct rule_info *info = rule_info((enum rule)i);
		const char *v = info->values;

		while (*v) {
			size_t len = strcspn(v, "|");

			fprintf(out, "%s=%.*s ", info->name, (int)len, v);
			v += len + (v[len] == '|');
		}
	}
	fputs("\"\n", out);
}

/* The value of an option: words, rows, rules or files. */
static void put_value_case(FILE *out, const struct option_row *row)
{
	const char *c = row->complete;

	if (!row->arg || !c)
		return;
	fprintf(out, "\t--%s) ", row->name);
	if (!strcmp(c, "@file"))
		fputs("COMPREPLY=($(compgen -f -- \"$cur\"))", out);
	else if (!strcmp(c, "@row"))
		fputs("COMPREPLY=($(compgen -W \"$_fairground_rows\" -- \"$cur\"))", out);
	else if (!strcmp(c, "@machine"))
		fputs("COMPREPLY=($(compgen -f -W \"$_fairground_machines\" -- \"$cur\"))", out);
	else if (!strcmp(c, "@rule"))
		fputs("COMPREPLY=($(compgen -W \"$_fairground_rules\" -- \"$cur\"))", out);
	else
		fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))", c);
	fputs("; return ;;\n", out);
}

/* Has an earlier command an option of this name?  Its value means the same then. */
static bool seen_before(const struct command *before, const struct option_row *of)
{
	const struct option_row *const *table, *row;
	const struct command *cmd;
	u32 i;

	for (i = 0; (cmd = command_at(i)) && cmd != before; i++)
		for (table = cmd->tables; table && *table; table++)
			for (row = *table; row->name; row++)
				if (!strcmp(row->name, of->name))
					return true;
	return false;
}

static void put_values(FILE *out)
{
	const struct option_row *const *table, *row;
	const struct command *cmd;
	u32 i;

	fputs("\tcase $prev in\n", out);
	for (i = 0; (cmd = command_at(i)); i++)
		for (table = cmd->tables; table && *table; table++)
			for (row = *table; row->name; row++)
				if (!seen_before(cmd, row))
					put_value_case(out, row);
	fputs("\tesac\n", out);
}

static void put_command_case(FILE *out, const struct command *cmd)
{
	const struct option_row *const *table, *row;

	fprintf(out, "\t%s) words=\"", cmd->name);
	for (table = cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			fprintf(out, "--%s ", row->name);
	fprintf(out, "--help\"; others=\"%s\" ;;\n", cmd->complete ? cmd->complete : "");
}

void completion_print(FILE *out)
{
	const struct command *cmd;
	u32 i;

	fputs("# bash completion for fairground; made by `fairground help --completion`\n", out);
	put_commands(out);
	put_shapes(out);
	put_machines(out);
	put_rows(out);
	put_rules(out);
	fputs("_fairground()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= others= w values=\n"
	      "\t# bash splits words at \"=\": put name and value together again\n"
	      "\tif [ \"$cur\" = = ]; then cur=; elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	      "\tfor w in $_fairground_rules; do [ \"${w%%=*}\" = \"$prev\" ] && values=\"$values ${w#*=}\"; done\n"
	      "\tif [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$cur\")); return; fi\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$_fairground_commands --help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n",
	      out);
	put_values(out);
	fputs("\tcase ${COMP_WORDS[1]} in\n", out);
	for (i = 0; (cmd = command_at(i)); i++)
		put_command_case(out, cmd);
	fputs("\tesac\n\tcase $cur in\n"
	      "\t-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	      "\t*) case $others in\n"
	      "\t   @file) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
	      "\t   @command) COMPREPLY=($(compgen -W \"$_fairground_commands\" -- \"$cur\")) ;;\n"
	      "\t   @shape) COMPREPLY=($(compgen -W \"$_fairground_shapes\" -- \"$cur\")) ;;\n"
	      "\t   @machine) COMPREPLY=($(compgen -f -W \"$_fairground_machines\" -- \"$cur\")) ;;\n"
	      "\t   @row) COMPREPLY=($(compgen -W \"$_fairground_rows\" -- \"$cur\")) ;;\n"
	      "\t   *) COMPREPLY=($(compgen -W \"$others\" -- \"$cur\")) ;;\n"
	      "\t   esac ;;\n\tesac\n}\n"
	      "complete -o filenames -F _fairground fairground\n",
	      out);
}
