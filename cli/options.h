/* SPDX-License-Identifier: MIT */
/*
 * options.h - one table of options, and all that is made from it.
 *
 *	                  +--> parsing		options_parse()
 *	struct option_row +--> --help		help_all(), help_screen()
 *	   of a command   +--> the man page	man_print()
 *	                  '--> completion	completion_print()
 *
 * A command keeps its arguments in a struct of its own; a row says where in it the value goes.  Rows that several
 * commands share (run_options.h) act on a struct that stands first in each of them.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>

#include "base/types.h"
#include "text/err.h"

enum option_kind {
	OPTION_FLAG,  /* bool: true when given */
	OPTION_TEXT,  /* const char *: as typed */
	OPTION_LIST,  /* struct option_list: as typed, each time */
	OPTION_COUNT, /* u64, lowest..highest */
	OPTION_TIME,  /* u64 ns, lowest..highest; typed as "250us", "1.5s", or a plain number of @unit */
	OPTION_CALL   /* @take decides: for options whose order matters or that may be repeated */
};

#define OPTION_LIST_MAX 32
struct option_list {
	const char *v[OPTION_LIST_MAX];
	u32 nr;
};

struct option_row {
	const char *name; /* "kernel", typed --kernel; NULL ends a table */
	char letter;	  /* 'k', typed -k; 0: none */
	const char *arg;  /* "ROW"; NULL: takes none */
	enum option_kind kind;
	size_t offset;	     /* of the field in the command's arguments */
	u64 lowest, highest; /* OPTION_COUNT, OPTION_TIME; both 0: anything */
	const char *unit;    /* OPTION_TIME: unit of a plain number, "s", "ms" or "us" */
	/* 0, or -1 with @err set.  @value is NULL where @arg is. */
	int (*take)(void *args, const char *value, struct err *err);
	const char *complete; /* what completion offers: "@file", "@row", "@rule", "@machine", "@command", words "a b c", or NULL */
	const char *help;     /* a sentence, unit and default in it, no full stop */
	const char *brief;    /* that in one line, for --help; NULL: what of it stands before the detail */
};

struct command;

#define POSITIONALS_MAX 8
struct positionals {
	const char *v[POSITIONALS_MAX + 1];
	int nr;
};

/*
 * Parse what stands behind the command's name into @args and @pos.  Returns 0; 1 where --help was asked for (and has been
 * printed); -1 with @err set.
 */
int options_parse(const struct command *cmd, int argc, char **argv, void *args, struct positionals *pos, struct err *err);

/* "1.5s", "250us", or a plain number of @unit, into ns.  0, or -1 with @err set, naming @what. */
int parse_time(const char *text, const char *unit, const char *what, u64 *ns, struct err *err);

#endif
