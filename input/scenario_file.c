/* SPDX-License-Identifier: MIT */
/*
 * scenario_file.c - a scenario or rt-app file into struct scenario: the top level, and the order of reading.
 *
 *	bytes --text/json--> tree --compat?--> machine, kernel, global --> groups --> tasks --> at
 *
 * The machine comes first, wherever it stands in the file, because CPU numbers are checked against it; groups come
 * before tasks, so that those that are declared keep their order.
 */
#include <stdlib.h>
#include <string.h>

#include "input/bytes.h"
#include "input/reader.h"
#include "text/number.h"

#define SMALL_BOARD 4 /* CPUs */

/* ---- top level ---- */

static int top_name(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	return want_string(rd, v, "a name", &rd->sc->name);
}

static int top_seed(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	if (v->kind != JSON_NUMBER || num_whole_u64(v->text, v->len, UINT64_MAX, &rd->sc->seed) != NUM_OK)
		return refuse(rd, v, "a whole number, 0 or more");
	return 0;
}

static int top_history(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	return want_bool(rd, v, &rd->sc->history);
}

static int top_present(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	return want_string(rd, v, "the name of a presentation, \"runfibtest\" or \"fsperf\"", &rd->sc->present);
}

static int top_start_phase(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	return want_us(rd, v, &rd->sc->start_phase);
}

static int measure_from(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	return want_us(rd, v, &rd->sc->measure_from);
}

static int measure_to(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	return want_us(rd, v, &rd->sc->measure_to);
}

static int top_measure(struct reader *rd, struct json *v, void *into)
{
	static const struct key_row rows[] = { { "from", measure_from }, { "to", measure_to } };

	(void)into;
	if (want_object(rd, v, "an object such as { \"from\": 1000000, \"to\": 5000000 }"))
		return -1;
	if (READ_KEYS(rd, v, rows, UNKNOWN_ERROR, NULL))
		return -1;
	return rd->sc->measure_from < rd->sc->measure_to ? 0 : refuse(rd, v, "\"from\" before \"to\"");
}

static const struct key_row top_rows[] = {
	{ "machine", NULL },	     { "kernel", NULL },	{ "groups", NULL },
	{ "global", NULL },	     { "tasks", NULL },		{ "resources", NULL },
	{ "at", NULL },		     { "name", top_name },	{ "seed", top_seed },
	{ "history", top_history },  { "present", top_present }, { "start_phase", top_start_phase },
	{ "measure", top_measure },
};

/* ---- global ---- */

static int global_duration(struct reader *rd, struct json *v, void *into)
{
	s64 whole;

	(void)into;
	if (v->kind == JSON_NUMBER && num_whole(v->text, v->len, -1, -1, &whole) == NUM_OK) {
		rd->sc->duration = NEVER;
		return 0;
	}
	if (v->kind != JSON_NUMBER || num_scaled(v->text, v->len, SEC, (u64)1000000000 * SEC, &rd->sc->duration) != NUM_OK ||
	    !rd->sc->duration)
		return refuse(rd, v, "seconds above 0, or -1 until all tasks exit");
	return 0;
}

static int global_policy(struct reader *rd, struct json *v, void *into)
{
	static const struct { const char *name; int value; } rows[] = {
		{ "SCHED_OTHER", 0 }, { "SCHED_NORMAL", 0 }, { "SCHED_BATCH", 3 }, { "SCHED_IDLE", 5 },
		{ "SCHED_FIFO", 1 }, { "SCHED_RR", 2 }, { "SCHED_DEADLINE", 6 },
	};
	u32 i;

	(void)into;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (v->kind != JSON_STRING || strcmp(v->text, rows[i].name))
			continue;
		rd->default_policy = rows[i].value;
		return 0;
	}
	return refuse(rd, v, "a policy such as \"SCHED_OTHER\"");
}

/* What concerns only rt-app's own process and its logs is known and left out. */
static const struct key_row global_rows[] = {
	{ "duration", global_duration }, { "default_policy", global_policy },
	{ "calibration", NULL }, { "pi_enabled", NULL }, { "lock_pages", NULL }, { "logdir", NULL }, { "log_basename", NULL },
	{ "log_size", NULL }, { "ftrace", NULL }, { "gnuplot", NULL }, { "io_device", NULL }, { "mem_buffer_size", NULL },
	{ "cumulative_slack", NULL }, { "frag", NULL },
};

static int read_global(struct reader *rd, struct json *v)
{
	if (want_object(rd, v, "an object such as { \"duration\": 10 }"))
		return -1;
	return READ_KEYS(rd, v, global_rows, UNKNOWN_WARNING, NULL);
}

/* ---- how many CPUs, where nothing says so ---- */

static int higher(struct reader *rd, const struct json *v, int cpu, void *ctx)
{
	int *highest = ctx;

	(void)rd, (void)v;
	if (cpu > *highest)
		*highest = cpu;
	return 0;
}

static int look_at_cpus(struct reader *rd, struct json *v)
{
	if (!strcmp(v->key, "cpus") || !strcmp(v->key, "cpus_each"))
		each_cpu(rd, v, higher, &rd->highest_cpu);
	return 0;
}

static void look_at_at(struct reader *rd, struct json *at)
{
	struct json *e, *v;

	if (at->kind != JSON_ARRAY)
		return;
	json_each(e, at) {
		if (e->kind != JSON_OBJECT)
			continue;
		v = json_get(e, "affinity");
		v = v && v->kind == JSON_OBJECT ? json_get(v, "cpus") : json_get(e, "cpu");
		if (v)
			each_cpu(rd, v, higher, &rd->highest_cpu);
	}
}

/*
 * One more than the highest CPU that is named.  A plain rt-app file was written for a board of its own, of which it
 * says nothing: SMALL_BOARD at least.  What is wrong with a number is said when it is read.
 */
static void guess_cpus(struct reader *rd, struct json *root)
{
	struct json *tasks = json_get_last(root, "tasks"), *at = json_get_last(root, "at");
	struct err *err = rd->err, ignored = { 0 };

	rd->err = &ignored;
	if (tasks)
		each_task_key(rd, tasks, look_at_cpus);
	if (at)
		look_at_at(rd, at);
	rd->err = err;
	rd->sc->machine.cpus = rd->highest_cpu + 1;
	if (!rd->ours && rd->sc->machine.cpus < SMALL_BOARD)
		rd->sc->machine.cpus = SMALL_BOARD;
}

static int size_machine(struct reader *rd, struct json *root)
{
	struct json *machine = json_get_last(root, "machine");

	rd->cpus_said = rd->opt.cpus || (machine && machine->kind == JSON_OBJECT && json_get(machine, "cpus"));
	if (rd->opt.cpus) {
		rd->sc->machine.cpus = rd->opt.cpus;
		return 0;
	}
	if (rd->cpus_said)
		return 0;
	guess_cpus(rd, root);
	if (!machine) {
		warn_at(rd, root, "no \"machine\": %d CPU%s assumed", rd->sc->machine.cpus, rd->sc->machine.cpus > 1 ? "s" : "");
		warn_hint(rd, "--cpus N, or \"machine\": { \"cpus\": N }");
	}
	return 0;
}

/* ---- the whole ---- */

/* As stock rt-app's parser: of a key that stands twice, the last value at the first place. */
static int last_wins(struct reader *rd, struct json *v)
{
	struct json **nodes = arena_alloc(&rd->scratch, v->len * sizeof(struct json *)), **link, *e, *kept;
	struct names first = { .mem = &rd->scratch };

	if (!nodes)
		return out_of_memory(rd);
	for (link = &v->child; (e = *link); ) {
		u32 at = e->key ? names_get(&first, NAMES_SEEN, e->key) : NAME_NONE;

		if (at == NAME_NONE) {
			nodes[first.nr] = e;
			if (e->key && !names_put(&first, NAMES_SEEN, e->key, first.nr))
				return out_of_memory(rd);
			if (e->child && last_wins(rd, e))
				return -1;
			link = &e->next;
			continue;
		}
		kept = nodes[at];
		warn_at(rd, e, "this key stands here a second time and replaces the first, in line %u, column %u", kept->key_line,
			kept->key_column);
		if (e->child && last_wins(rd, e))
			return -1;
		*link = e->next;
		e->next = kept->next;
		*kept = *e;
		v->len--;
	}
	return 0;
}

static const char *base_name(struct reader *rd, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t len = strlen(base);

	if (len > 5 && !strcmp(base + len - 5, ".json"))
		len -= 5;
	return arena_strndup(&rd->sc->mem, base, len);
}

typedef int (*part)(struct reader *rd, struct json *v);

/* The parts in the order in which they need each other; a part that stands twice is an error of top_rows. */
static int read_parts(struct reader *rd, struct json *root)
{
	static const struct { const char *key; part read; } parts[] = {
		{ "machine", read_machine }, { "kernel", read_kernel }, { "global", read_global },
		{ "groups", read_groups },   { "tasks", read_tasks },	{ "resources", read_resources }, { "at", read_at },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		struct json *v = json_get_last(root, parts[i].key);

		if (v && parts[i].read(rd, v))
			return -1;
	}
	return 0;
}

static bool never_ends(const struct workload *load)
{
	const struct program *pg = &load->program;
	bool forever = pg->loop < 0;
	u32 i;

	for (i = 0; i < pg->nr_phases; i++)
		forever |= pg->phases[i].loop < 0;
	for (i = 0; i < pg->nr_steps; i++)
		if (pg->steps[i].kind == STEP_EXIT || pg->steps[i].kind == STEP_ARRIVE)
			return false;
	return forever && pg->until == REF_NONE && !load->kthread;
}

static void warn_endless(struct reader *rd, const struct json *root)
{
	u32 i;

	if (rd->sc->duration != NEVER)
		return;
	for (i = 0; i < rd->sc->nr_tasks; i++) {
		if (!never_ends(&rd->sc->tasks[i]))
			continue;
		warn_at(rd, json_get(root, "global"), "a run \"until all tasks exit\" never ends: %s loops for ever",
			rd->sc->tasks[i].name);
		return;
	}
}

#define BEGINS "a scenario begins with a {; fairground new writes one to begin from"

/* Are all steps from @first on runs of 0?  Then they take no time; so does an empty list. */
static bool take_no_time(const struct program *pg, u32 first, u32 nr)
{
	u32 i;

	for (i = first; i < first + nr; i++) {
		const struct step *st = &pg->steps[i];

		if ((st->kind != STEP_RUN && st->kind != STEP_SYS) || st->len.kind != DIST_FIXED || st->len.a)
			return false;
	}
	return true;
}

static bool stands_still(const struct workload *load)
{
	const struct program *pg = &load->program;
	u32 i;

	for (i = 0; i < pg->nr_phases; i++)
		if (pg->phases[i].loop < 0 && !pg->phases[i].inner && take_no_time(pg, pg->phases[i].first, pg->phases[i].nr))
			return true;
	return pg->loop < 0 && take_no_time(pg, 0, pg->nr_steps);
}

/* What could be interpreted for ever, and time would not pass. */
static int refuse_standing_still(struct reader *rd)
{
	u32 i;

	for (i = 0; i < rd->sc->nr_tasks; i++) {
		const struct workload *load = &rd->sc->tasks[i];

		if (!load->instances || !stands_still(load))
			continue;
		err_at(rd->err, load->at.file, load->at.line, load->at.column, load->name, "a loop without end in which no time passes");
		err_hint(rd->err, "put a run, a sleep or a timer into the loop");
		return -1;
	}
	return 0;
}

static int read_root(struct reader *rd, struct json *root)
{
	if (want_object(rd, root, "an object with \"tasks\"")) {
		err_hint(rd->err, BEGINS);
		return -1;
	}
	if (rd->opt.rtapp_compat && last_wins(rd, root))
		return -1;
	rd->ours = json_get(root, "machine") || json_get(root, "kernel") || json_get(root, "groups");
	rd->resources = json_get_last(root, "resources");
	if (READ_KEYS(rd, root, top_rows, rd->ours ? UNKNOWN_ERROR : UNKNOWN_WARNING, NULL))
		return -1;
	if (!json_get(root, "tasks")) {
		refuse(rd, root, "an object with \"tasks\"");
		err_hint(rd->err, "\"tasks\": { \"hog\": { \"loop\": -1, \"run\": 1000 } } is the smallest");
		return -1;
	}
	if (size_machine(rd, root) || read_parts(rd, root) || resources_complete(rd) || puts_complete(rd) || refuse_standing_still(rd))
		return -1;
	warn_endless(rd, root);
	return 0;
}

static int read_text(struct reader *rd, const char *text, size_t len)
{
	struct json *root;
	u32 rest;

	rd->sc->file = arena_strdup(&rd->sc->mem, rd->file);
	rd->sc->name = base_name(rd, rd->file);
	if (!rd->sc->file || !rd->sc->name)
		return out_of_memory(rd);
	root = json_parse(rd->file, text, len, &rd->scratch, &rest, rd->err);
	if (!root && rd->err->line == 1 && rd->err->column == 1)
		err_hint(rd->err, BEGINS);
	if (!root)
		return -1;
	if (rest) {
		struct json place = { .line = rest, .column = 1 };

		warn_at(rd, &place, "the text behind the closing brace is left out");
	}
	return read_root(rd, root);
}

int scenario_read_with(const struct read_options *opt, const char *file, const char *text, size_t len,
		       struct scenario *sc, struct warnings *w, struct err *err)
{
	struct reader rd = { .file = file, .sc = sc, .warn = w, .err = err, .opt = *opt };
	int ret;

	scenario_init(sc);
	arena_init(&rd.scratch, sc->mem.get, sc->mem.put, sc->mem.ctx);
	rd.names.mem = &rd.scratch;
	ret = opt->cpus < 0 || opt->cpus > SCENARIO_MOST_CPUS ?
		err_at(err, NULL, 0, 0, "--cpus", "expected 1 to %d CPUs, found %d", SCENARIO_MOST_CPUS, opt->cpus) :
		read_text(&rd, text, len);
	arena_fini(&rd.scratch);
	if (ret && err->code == ERR_INPUT)
		hint_example(err);
	if (ret)
		scenario_free(sc);
	return ret;
}

int scenario_read(const char *file, const char *text, size_t len, struct scenario *sc, struct warnings *w, struct err *err)
{
	return scenario_read_with(&(struct read_options){ 0 }, file, text, len, sc, w, err);
}

/* ---- files ---- */

int scenario_read_file_with(const struct read_options *opt, const char *path, struct scenario *sc, struct warnings *w,
			    struct err *err)
{
	size_t len;
	char *text = bytes_read(path, &len, err);
	int ret = -1;

	scenario_init(sc);
	if (text)
		ret = scenario_read_with(opt, bytes_name(path), text, len, sc, w, err);
	free(text);
	return ret;
}

int scenario_read_file(const char *path, struct scenario *sc, struct warnings *w, struct err *err)
{
	return scenario_read_file_with(&(struct read_options){ 0 }, path, sc, w, err);
}
