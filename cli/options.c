/* SPDX-License-Identifier: MIT */
/*
 * options.c - the command line, read by a table.
 *
 *	--name VALUE   --name=VALUE   -n VALUE   -nVALUE   --flag   --  (what follows is no option)
 *
 * An unknown option is one line that names the nearest one there is.
 */
#include "cli/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "text/format.h"
#include "text/number.h"
#include "text/say.h"
#include "text/suggest.h"

struct parser {
	const struct command *cmd;
	int argc;
	char **argv;
	int next; /* argument to look at */
	void *args;
	struct positionals *pos;
	struct err *err;
};

static int fail_usage(struct parser *p, const char *what, const char *word)
{
	char shown[160];

	err_set(p->err, ERR_INPUT, "%s: %s \"%s\"", p->cmd->name, what, say(shown, sizeof(shown), word));
	return -1;
}

/* ---- which row ---- */

static const struct option_row *row_by_name(const struct command *cmd, const char *name, size_t len)
{
	const struct option_row *const *table, *row;

	for (table = cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			if (strlen(row->name) == len && !strncmp(row->name, name, len))
				return row;
	return NULL;
}

static const struct option_row *row_by_letter(const struct command *cmd, char letter)
{
	const struct option_row *const *table, *row;

	for (table = cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			if (row->letter == letter)
				return row;
	return NULL;
}

static int unknown_option(struct parser *p, const char *word)
{
	const struct option_row *const *table, *row;
	char name[64];
	struct suggest s;

	fail_usage(p, "unknown option", word);
	snprintf(name, sizeof(name), "%.*s", (int)min_u64(strcspn(word, "="), sizeof(name) - 1), word);
	suggest_init(&s, name + strspn(name, "-"));
	for (table = p->cmd->tables; table && *table; table++)
		for (row = *table; row->name; row++)
			suggest_offer(&s, row->name);
	if (suggest_best(&s))
		err_hint(p->err, "did you mean --%s?", suggest_best(&s));
	else
		err_hint(p->err, "fairground %s --help lists them", p->cmd->name);
	return -1;
}

/* ---- values ---- */

int parse_time(const char *text, const char *unit, const char *what, u64 *ns, struct err *err)
{
	static const struct { const char *name; u64 ns; } units[] = { { "ns", 1 }, { "us", US }, { "ms", MS }, { "s", SEC } };
	size_t i, digits = num_span(text, strlen(text));
	const char *found = text[digits] ? text + digits : unit;
	char shown[80];

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(found, units[i].name) && num_scaled(text, digits, units[i].ns, 1000000 * SEC, ns) == NUM_OK)
			return 0;
	err_set(err, ERR_INPUT, "%s: expected a time such as 250us, 50ms or 1.5s, found \"%s\"", what,
		say(shown, sizeof(shown), text));
	err_hint(err, "a plain number counts %s", unit);
	return -1;
}

static int out_of_range(struct parser *p, const struct option_row *row, const char *value)
{
	char shown[80], least[FORMAT_MAX], most[FORMAT_MAX];

	say(shown, sizeof(shown), value);
	if (row->kind == OPTION_TIME)
		return err_set(p->err, ERR_INPUT, "%s: --%s takes %s to %s, found \"%s\"", p->cmd->name, row->name, format_time(least, row->lowest),
			       format_time(most, row->highest), shown);
	return err_set(p->err, ERR_INPUT, "%s: --%s takes %" PRIu64 " to %" PRIu64 ", found \"%s\"", p->cmd->name, row->name, row->lowest,
		       row->highest, shown);
}

static bool in_range(const struct option_row *row, u64 v)
{
	return !row->highest || (v >= row->lowest && v <= row->highest);
}

static int take_flag(struct parser *p, const struct option_row *row)
{
	if (row->kind == OPTION_CALL)
		return row->take(p->args, NULL, p->err);
	*(bool *)((char *)p->args + row->offset) = true;
	return 0;
}

static int take_number(struct parser *p, const struct option_row *row, const char *value, u64 *field)
{
	char what[64], shown[80];
	u64 v = 0;

	snprintf(what, sizeof(what), "%s: --%s", p->cmd->name, row->name);
	if (row->kind == OPTION_TIME && parse_time(value, row->unit, what, &v, p->err))
		return -1;
	if (row->kind == OPTION_COUNT && num_whole_u64(value, strlen(value), UINT64_MAX, &v) != NUM_OK)
		return err_set(p->err, ERR_INPUT, "%s: expected a whole number, found \"%s\"", what, say(shown, sizeof(shown), value));
	if (!in_range(row, v))
		return out_of_range(p, row, value);
	*field = v;
	return 0;
}

static int take_one_more(struct parser *p, const struct option_row *row, const char *value, struct option_list *list)
{
	if (list->nr == OPTION_LIST_MAX)
		return err_set(p->err, ERR_INPUT, "%s: more than %d --%s", p->cmd->name, OPTION_LIST_MAX, row->name);
	list->v[list->nr++] = value;
	return 0;
}

static int take_value(struct parser *p, const struct option_row *row, const char *value)
{
	void *field = (char *)p->args + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
		return -1; /* takes none */
	case OPTION_TEXT:
		*(const char **)field = value;
		return 0;
	case OPTION_LIST:
		return take_one_more(p, row, value, field);
	case OPTION_COUNT:
	case OPTION_TIME:
		return take_number(p, row, value, field);
	case OPTION_CALL:
		return row->take(p->args, value, p->err);
	}
	return -1;
}

/* The value of @row: behind the "=" or the letter, else the next argument. */
static int take_option(struct parser *p, const struct option_row *row, const char *inline_value)
{
	if (!row->arg) {
		if (inline_value)
			return fail_usage(p, "this option takes no value:", row->name);
		return take_flag(p, row);
	}
	if (!inline_value) {
		if (p->next >= p->argc) {
			err_set(p->err, ERR_INPUT, "%s: --%s needs a value: %s", p->cmd->name, row->name, row->arg);
			return -1;
		}
		inline_value = p->argv[p->next++];
	}
	return take_value(p, row, inline_value);
}

static bool asks_help(const char *word) { return !strcmp(word, "--help") || !strcmp(word, "-h"); }

static int take_word(struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct option_row *row;

	if (word[1] == '-') {
		row = row_by_name(p->cmd, word + 2, len - 2);
		return row ? take_option(p, row, word[len] ? word + len + 1 : NULL) : unknown_option(p, word);
	}
	row = row_by_letter(p->cmd, word[1]);
	return row ? take_option(p, row, word[2] ? word + 2 : NULL) : unknown_option(p, word);
}

static int take_positional(struct parser *p, const char *word)
{
	if (p->pos->nr >= p->cmd->most || p->pos->nr >= POSITIONALS_MAX) {
		fail_usage(p, "one argument too many:", word);
		err_hint(p->err, "usage: fairground %s %s", p->cmd->name, p->cmd->positional);
		return -1;
	}
	p->pos->v[p->pos->nr++] = word;
	return 0;
}

int options_parse(const struct command *cmd, int argc, char **argv, void *args, struct positionals *pos, struct err *err)
{
	struct parser p = { .cmd = cmd, .argc = argc, .argv = argv, .next = 1, .args = args, .pos = pos, .err = err };
	bool options_over = false;

	memset(pos, 0, sizeof(*pos));
	while (p.next < argc) {
		const char *word = argv[p.next++];
		bool is_option = !options_over && word[0] == '-' && word[1];

		if (is_option && asks_help(word)) {
			help_screen(stdout, cmd);
			return 1;
		}
		if (is_option && !strcmp(word, "--")) {
			options_over = true;
			continue;
		}
		if (is_option ? take_word(&p, word) : take_positional(&p, word))
			return -1;
	}
	if (pos->nr < cmd->least) {
		err_set(err, ERR_INPUT, "%s: %s is missing", cmd->name, cmd->positional);
		err_hint(err, "fairground %s --help shows how it is used", cmd->name);
		return -1;
	}
	return 0;
}
