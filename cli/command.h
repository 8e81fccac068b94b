/* SPDX-License-Identifier: MIT */
/*
 * command.h - what a command is: one file cli/cmd_NAME.c that defines one struct command.
 *
 * To add one: write the file, add its row to the table in command.c, run `fairground help --man NAME` into docs/man/.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"

enum exit_code {
	EXIT_FINE = 0,
	EXIT_NO = 1,	/* a yes/no was asked, and it is no */
	EXIT_INPUT = 2, /* bad usage or input */
	EXIT_HOST = 3	/* the host refused */
};

struct example {
	const char *line; /* as typed, without "fairground " */
	const char *what; /* a sentence */
};

struct command {
	const char *name;
	const char *positional; /* "SCENARIO", "[A [B]]", or "" */
	int least, most;	/* how many of them */
	const char *complete;	/* what completion offers for them, as in option_row */
	const char *summary;	/* one line, lower case, no full stop */
	const char *const *about; /* paragraphs, NULL at the end */
	const struct option_row *const *tables; /* option tables, NULL at the end */
	const struct example *examples; /* .line NULL at the end */
	const char *no;		/* when it exits 1, as a sentence; NULL: never */
	int (*run)(const struct command *cmd, int argc, char **argv); /* returns an exit_code; argv[0] is the name */
};

extern const struct command cmd_new, cmd_run, cmd_compare, cmd_kernels, cmd_machine, cmd_record, cmd_doctor, cmd_replay, cmd_explain, cmd_advise, cmd_oracle, cmd_measure, cmd_help;

/* All commands, in the order of --help; NULL past the last. */
const struct command *command_at(u32 index);
const struct command *command_find(const char *name);

/* The usage of one command: on one screen; all of it. */
void help_screen(FILE *out, const struct command *cmd);
void help_all(FILE *out, const struct command *cmd);
/* The overview. */
void help_overview(FILE *out);
/* The man page of @cmd, or of the program for NULL, in scdoc's language. */
void man_print(FILE *out, const struct command *cmd);
/* A completion script for bash. */
void completion_print(FILE *out);

/* Print @err as "fairground: ..." and give its exit code. */
int fail_with(const struct err *err);

#endif
