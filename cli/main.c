/* SPDX-License-Identifier: MIT */
/* main.c - which command, and what to say when there is none of that name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "report/result_json.h"
#include "text/say.h"
#include "text/suggest.h"

static int unknown_command(const char *word)
{
	struct err err = { 0 };
	const struct command *cmd;
	struct suggest s;
	char shown[160];
	u32 i;

	err_set(&err, ERR_INPUT, "unknown command \"%s\"", say(shown, sizeof(shown), word));
	suggest_init(&s, word);
	for (i = 0; (cmd = command_at(i)); i++)
		suggest_offer(&s, cmd->name);
	if (suggest_best(&s))
		err_hint(&err, "did you mean %s?", suggest_best(&s));
	else
		err_hint(&err, "fairground --help lists the commands");
	return fail_with(&err);
}

/* Output that did not reach its file (a full disk, a closed pipe) is the host's failure, and must not look like success. */
static int finish(int ret)
{
	bool flushed;

	errno = 0;
	flushed = !fflush(stdout);
	if (!flushed || ferror(stdout)) {
		struct err err = { 0 };

		err_set(&err, ERR_HOST, "the output could not be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
		return fail_with(&err);
	}
	return ret;
}

#define STACK_ROOM (256 << 10) /* bytes: the deepest of our own calls, JSON of 64 levels, takes less */
#define PAGE 4096

/* Where memory is bounded and used up, the stack cannot grow any more, and that would end in a signal instead of a message: it grows now. */
static void grow_stack(void)
{
	volatile char room[STACK_ROOM];
	size_t at;

	for (at = 0; at < sizeof(room); at += PAGE)
		room[at] = 0;
}

int main(int argc, char **argv)
{
	const struct command *cmd;

	grow_stack();
	if (argc < 2) {
		help_overview(stderr);
		return EXIT_INPUT;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_overview(stdout);
		return finish(EXIT_FINE);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("fairground %s\n", FAIRGROUND_VERSION);
		return finish(EXIT_FINE);
	}
	cmd = command_find(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	return finish(cmd->run(cmd, argc - 1, argv + 1));
}
