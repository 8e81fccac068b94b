/* SPDX-License-Identifier: MIT */
/*
 * cmd_machine.c - fairground machine [WHAT]: what a machine's CPUs share, and the levels the scheduler builds from it.
 *
 *	a description, a name, a snapshot, a scenario, or this host --> topology --> a lab at rest --> its levels
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/load.h"
#include "cli/run_options.h"
#include "core/model.h"
#include "input/scenario_file.h"
#include "input/topology.h"
#include "live/topology.h"
#include "report/machine.h"
#include "sim/still.h"
#include "text/say.h"
#include "text/table.h"

struct machine_args {
	struct run_options run; /* for the kernel */
	bool json, snapshot, names;
	const char *sys;
};

/* ---- which machine ---- */

/* This one, as far as it is online. */
static int from_host(const struct machine_args *args, struct scenario *sc, struct err *err)
{
	const char *sys = args->sys ? args->sys : "/sys";
	int cpus[SCENARIO_MOST_CPUS], nr = host_online(sys, cpus, SCENARIO_MOST_CPUS);

	if (!nr)
		return err_set(err, ERR_HOST, "%s/devices/system/cpu/online tells of no CPU", sys);
	sc->machine.topology = host_topology(&sc->mem, sys, cpus, nr, err);
	sc->machine.cpus = nr;
	return sc->machine.topology ? 0 : -1;
}

/* "flat", and a scenario that has no topology. */
static int make_flat(struct scenario *sc, struct err *err)
{
	struct topology *t;
	char text[32];

	snprintf(text, sizeof(text), "flat %d", sc->machine.cpus);
	if (topology_from_text(&sc->mem, text, &t, err))
		return -1;
	sc->machine.topology = t;
	return 0;
}

static int from_bytes(struct source *src, struct scenario *sc, struct err *err)
{
	const struct variant as_it_is = { 0 };
	struct topology *t;

	if (!is_topology_snapshot(src->text, src->len)) {
		scenario_free(sc);
		return source_scenario(src, &as_it_is, sc, err);
	}
	if (topology_from_snapshot(&sc->mem, src->path, src->text, src->len, &t, err))
		return -1;
	sc->machine.topology = t;
	sc->machine.cpus = t->nr_cpus;
	return 0;
}

/* What is no description and no name is a file. */
static int from_word(const char *word, struct scenario *sc, struct err *err)
{
	struct err no_text = { 0 }, no_file = { 0 };
	struct topology *t;
	struct source src;
	int ret;

	if (!topology_from_text(&sc->mem, word, &t, &no_text)) {
		sc->machine.topology = t;
		sc->machine.cpus = t->nr_cpus;
		return 0;
	}
	if (source_open(&src, word, &no_file)) {
		*err = strchr(word, '/') ? no_file : no_text;
		source_close(&src);
		return -1;
	}
	ret = from_bytes(&src, sc, err);
	source_close(&src);
	return ret;
}

static int read_machine(const struct machine_args *args, const char *word, struct scenario *sc, struct err *err)
{
	scenario_init(sc);
	if (word ? from_word(word, sc, err) : from_host(args, sc, err))
		return -1;
	if (args->run.nr_variants && variant_apply(sc, &args->run.variants[0], err))
		return -1;
	return sc->machine.topology ? 0 : make_flat(sc, err);
}

/* ---- what is said of it ---- */

/* The kernel of @sc, which has been checked. */
static void make_model(const struct scenario *sc, struct kernel_model *model)
{
	u32 i;

	model_init(model, sc->kernel.row);
	for (i = 0; i < sc->kernel.nr_rules; i++)
		model_set_rule(model, sc->kernel.rules[i], NULL);
	for (i = 0; i < sc->kernel.nr_tunables; i++)
		model_set_tunable(model, sc->kernel.tunables[i], sc->kernel.tunable_values[i]);
}

static void print_view(const struct machine_args *args, const struct machine_view *v)
{
	struct json_write j;

	if (!args->json) {
		machine_text(stdout, v);
		return;
	}
	json_write_init(&j, stdout);
	machine_json(&j, v);
	json_done(&j);
}

static int show(const struct machine_args *args, const char *word, const struct scenario *sc, struct err *err)
{
	const struct topology *t = sc->machine.topology;
	struct kernel_model model;
	struct still still;
	char words[256];
	int ret;

	make_model(sc, &model);
	ret = still_init(&still, t->nr_cpus, t, &model, sc->machine.hz);
	if (!ret)
		print_view(args, &(struct machine_view){ .name = word ? word : "this host", .words = topology_words(t, words, sizeof(words)),
							 .topology = t, .lab = still.lab, .row = sc->kernel.row, .hz = sc->machine.hz });
	still_fini(&still);
	return ret ? err_set(err, ERR_HOST, "out of memory") : 0;
}

static void print_names(void)
{
	const char *name, *description, *what;
	struct table t;
	u32 i;

	table_init(&t, "lll");
	table_heads(&t, "name|description|what it is");
	table_flow(&t, 1);
	table_flow(&t, 2);
	for (i = 0; (name = topology_name(i, &description, &what)); i++) {
		table_cell(&t, "%s", name);
		table_cell(&t, "%s", description);
		table_cell(&t, "%s", what);
	}
	table_print(&t, stdout);
	table_fini(&t);
}

/* ---- the command ---- */

static int check_args(const struct machine_args *args, const struct positionals *pos, struct err *err)
{
	if (args->names && (pos->nr || args->json || args->snapshot))
		return err_set(err, ERR_INPUT, "machine: --names goes with nothing else");
	if (args->snapshot && args->json)
		return err_set(err, ERR_INPUT, "machine: --snapshot is a format of its own, and --json another");
	if (args->sys && pos->nr)
		return err_set(err, ERR_INPUT, "machine: --sys-root is for the host's own machine, without an argument");
	return 0;
}

static int run_machine(const struct command *cmd, int argc, char **argv)
{
	struct machine_args args = { .run = { .nr_variants = 0 } };
	struct positionals pos;
	struct scenario sc;
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	if (check_args(&args, &pos, &err))
		return fail_with(&err);
	if (args.names) {
		print_names();
		return EXIT_FINE;
	}
	ret = read_machine(&args, pos.v[0], &sc, &err);
	if (!ret && args.snapshot)
		machine_snapshot(stdout, sc.machine.topology, NULL);
	else if (!ret)
		ret = show(&args, pos.v[0], &sc, &err);
	scenario_free(&sc);
	return ret ? fail_with(&err) : EXIT_FINE;
}

#define FIELD(name) offsetof(struct machine_args, name)
static const struct option_row own[] = {
	{ .name = "snapshot", .kind = OPTION_FLAG, .offset = FIELD(snapshot),
	  .help = "write the topology alone, as a file that --topology and machine.topology.file take" },
	{ .name = "names", .kind = OPTION_FLAG, .offset = FIELD(names), .help = "list the machines that are known by name" },
	{ .name = "sys-root", .arg = "DIR", .kind = OPTION_TEXT, .offset = FIELD(sys), .complete = "@file",
	  .help = "look at DIR instead of /sys, without an argument" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = FIELD(json), .help = "print JSON, as docs/machine.schema.json describes it" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, kernel_rows, NULL };

static const char *const about[] = {
	"Shows what the CPUs of a machine share, and what the scheduler of a kernel makes of it: the levels at which a CPU looks for others to "
	"share work with (scheduling domains), the groups each is made of, and their numbers.",
	"WHAT is a description (2n x 24c x 2t: sockets s, nodes n, last level caches l, clusters k, cores c, threads t, from the largest down), a "
	"name (--names), a file of --snapshot, or a scenario, whose kernel and HZ then hold. Without it, it is the machine this runs on.",
	NULL,
};

static const struct example examples[] = {
	{ "machine", "the machine this runs on" },
	{ "machine '2n x 16c x 2t' --kernel 4.14", "two sockets as a kernel of 2017 saw them" },
	{ "machine --snapshot", "a copy of this machine's topology, to be kept in a file and run elsewhere" },
	{ 0 },
};

const struct command cmd_machine = {
	.name = "machine", .positional = "[WHAT]", .least = 0, .most = 1, .complete = "@machine",
	.summary = "what CPUs share, and the scheduler's levels that follow", .about = about, .tables = tables, .examples = examples,
	.run = run_machine,
};
