/* SPDX-License-Identifier: MIT */
/* command.c - the table of commands, and how a failure is said. */
#include "cli/command.h"

#include <string.h>

static const struct command *const commands[] = {
	&cmd_new, &cmd_run, &cmd_compare, &cmd_kernels, &cmd_machine, &cmd_record, &cmd_doctor, &cmd_replay, &cmd_explain, &cmd_advise, &cmd_oracle, &cmd_measure, &cmd_help,
};

const struct command *command_at(u32 index) { return index < ARRAY_SIZE(commands) ? commands[index] : NULL; }

const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

int fail_with(const struct err *err)
{
	char text[2048];

	fprintf(stderr, "fairground: %s\n", err_text(err, text, sizeof(text)));
	return err->code == ERR_HOST ? EXIT_HOST : EXIT_INPUT;
}
