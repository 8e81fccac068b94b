/* SPDX-License-Identifier: MIT */
/*
 * cmd_new.c - fairground new [SHAPE]
 *
 *	scenarios/SHAPE.json, built into the program --> standard output, or a file that was not there
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/shapes.h"
#include "text/outfile.h"
#include "text/say.h"
#include "text/suggest.h"

struct new_args {
	const char *output;
};

static void list_shapes(void)
{
	const struct shape *s;

	for (s = shapes; s->name; s++)
		printf("  %-10s %s\n", s->name, s->summary);
	puts("\nfairground new SHAPE -o FILE writes one, with comments, to begin from.");
}

static int no_such_shape(const char *word, struct err *err)
{
	const struct shape *s;
	struct suggest like;
	char shown[80];

	suggest_init(&like, word);
	for (s = shapes; s->name; s++)
		suggest_offer(&like, s->name);
	err_set(err, ERR_INPUT, "new: there is no shape \"%s\"", say(shown, sizeof(shown), word));
	if (suggest_best(&like))
		err_hint(err, "did you mean %s?", suggest_best(&like));
	else
		err_hint(err, "fairground new lists them");
	return -1;
}

static int write_shape(const struct shape *s, const char *path, struct err *err)
{
	struct outfile o;

	if (!path || !strcmp(path, "-")) {
		fputs(s->text, stdout);
		return 0;
	}
	if (outfile_open(&o, path, false, err))
		return -1;
	fputs(s->text, o.out);
	return outfile_close(&o, err);
}

static int go(const char *word, const struct new_args *args, struct err *err)
{
	const struct shape *s;

	if (!word && args->output)
		return err_set(err, ERR_INPUT, "new: which shape shall go into the file?");
	if (!word) {
		list_shapes();
		return 0;
	}
	for (s = shapes; s->name; s++)
		if (!strcmp(s->name, word))
			return write_shape(s, args->output, err);
	return no_such_shape(word, err);
}

static int new_run(const struct command *cmd, int argc, char **argv)
{
	struct new_args args = { 0 };
	struct positionals pos;
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	return go(pos.v[0], &args, &err) ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	{ .name = "output", .letter = 'o', .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(struct new_args, output), .complete = "@file",
	  .help = "write it to FILE, which must not be there yet, instead of the standard output" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Writes a commented scenario to begin from, for one of the commonest shapes of workload. Without SHAPE it lists them.",
	NULL,
};

static const struct example examples[] = {
	{ "new", "the shapes there are" },
	{ "new web -o web.json", "a web server, to be edited and run" },
	{ 0 },
};

const struct command cmd_new = {
	.name = "new", .positional = "[SHAPE]", .least = 0, .most = 1, .complete = "@shape",
	.summary = "write a commented scenario to begin from", .about = about, .tables = tables, .examples = examples,
	.run = new_run,
};
