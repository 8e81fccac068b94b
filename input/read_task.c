/* SPDX-License-Identifier: MIT */
/*
 * read_task.c - "tasks": who they are, and the phases of what they do.
 *
 *	"w": { "loop": 3, "run": 5 }			one phase that loops 3 times, in a program that runs once
 *	"w": { "loop": 3, "phases": { "a": {...} } }	a program that loops 3 times
 *	"w": { "run": 5 }				one phase that runs once, in a program that loops for ever
 *
 * Law: each key of a task or phase is a property, an event, silent, or warned about.
 */
#include <stdio.h>
#include <string.h>

#include "input/reader.h"
#include "text/number.h"
#include "text/suggest.h"

enum level { IN_TASK = 1, IN_PHASE = 2 };

/* What a task or a phase says about itself, beside its events. */
struct traits {
	struct body *b;
	enum level level;
	bool has_loop, has_policy, has_priority;
	s64 loop;
	u32 policy;	/* index of policies[] */
	s64 priority;
	u64 slice, dl_runtime;
	const u64 *cpus;
	const char *group;
	u32 until;
};

/* Values of enum sched_policy of core/lab.h. */
static const char *const policies[] = {
	"SCHED_OTHER", "SCHED_NORMAL", "SCHED_BATCH", "SCHED_IDLE", "SCHED_FIFO", "SCHED_RR", "SCHED_DEADLINE",
};
static const int policy_values[] = { 0, 0, 3, 5, 1, 2, 6 };
#define POLICY_BATCH 3
#define POLICY_IDLE 5
#define POLICY_DEADLINE 6

/* Once a file, by whatever asks for it first. */
#define SAY_DEADLINE "SCHED_DEADLINE tasks run above all SCHED_FIFO ones here, first come first served: they have no budget and no deadline"

static bool is_fair(int policy) { return policy == 0 || policy == POLICY_BATCH || policy == POLICY_IDLE; }

/* ---- traits ---- */

static int tr_loop(struct reader *rd, struct json *v, void *into)
{
	struct traits *t = into;

	t->has_loop = true;
	return want_whole(rd, v, -1, INT64_MAX, "a number of loops, or -1 for ever", &t->loop);
}

static int tr_policy(struct reader *rd, struct json *v, void *into)
{
	struct traits *t = into;

	t->has_policy = true;
	return want_word(rd, v, policies, ARRAY_SIZE(policies), &t->policy);
}

static int tr_priority(struct reader *rd, struct json *v, void *into)
{
	struct traits *t = into;

	t->has_priority = true;
	return want_whole(rd, v, -20, 99, "a nice value (-20 to 19), or 1 to 99 for FIFO and RR", &t->priority);
}

static int tr_cpus(struct reader *rd, struct json *v, void *into) { return want_cpus(rd, v, &((struct traits *)into)->cpus); }

static int tr_slice(struct reader *rd, struct json *v, void *into) { return want_us(rd, v, &((struct traits *)into)->slice); }

static int tr_dl_runtime(struct reader *rd, struct json *v, void *into)
{
	return want_us(rd, v, &((struct traits *)into)->dl_runtime);
}

static int tr_taskgroup(struct reader *rd, struct json *v, void *into)
{
	struct traits *t = into;
	const char *path;
	u32 group;

	if (want_string(rd, v, "the path of a group, such as \"/web\"", &path))
		return -1;
	if (!*path)
		return 0;
	t->group = "/";
	if (!strcmp(path, "/"))
		return 0;
	warn_if_misspelt(rd, v, path);
	if (group_at(rd, v, path, &group))
		return -1;
	t->group = rd->sc->groups[group].path;
	return 0;
}

static int tr_deadline(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	if (v->kind == JSON_NUMBER && first_time(rd, SAID_DEADLINE))
		warn_at(rd, v, SAY_DEADLINE);
	return 0;
}

static int tr_no_effect(struct reader *rd, struct json *v, void *into)
{
	(void)into;
	if (first_time(rd, SAID_UTIL))
		warn_at(rd, v, "this has no effect on a simulated machine");
	return 0;
}

/* ---- of tasks only ---- */

static int tr_instance(struct reader *rd, struct json *v, void *into)
{
	struct workload *load = ((struct traits *)into)->b->load;
	s64 number;

	if (want_whole(rd, v, 0, 1000000, "how many threads to start (0: only by fork)", &number))
		return -1;
	load->instances = (u32)number;
	return 0;
}

static int tr_delay(struct reader *rd, struct json *v, void *into)
{
	return want_us(rd, v, &((struct traits *)into)->b->load->delay);
}

static int tr_cpus_each(struct reader *rd, struct json *v, void *into)
{
	struct workload *load = ((struct traits *)into)->b->load;

	if (v->kind == JSON_STRING && !strcmp(v->text, "all"))
		return every_cpu(rd, &load->cpus_each, &load->nr_cpus_each);
	return want_cpu_list(rd, v, &load->cpus_each, &load->nr_cpus_each);
}

static int tr_kthread(struct reader *rd, struct json *v, void *into)
{
	return want_bool(rd, v, &((struct traits *)into)->b->load->kthread);
}

static int tr_until(struct reader *rd, struct json *v, void *into)
{
	if (v->kind != JSON_STRING || !v->len)
		return refuse(rd, v, "the name of a flag that some task sets");
	return resource_named(rd, v, RES_FLAG, v->text, &((struct traits *)into)->until);
}

static int tr_iterations(struct reader *rd, struct json *v, void *into)
{
	struct workload *load = ((struct traits *)into)->b->load;

	if (v->kind != JSON_NUMBER || num_scaled(v->text, v->len, 1, (u64)1 << 40, &load->iterations_per_ms) != NUM_OK)
		return refuse(rd, v, "how many of the user's iterations one ms of work is worth");
	return 0;
}

static const struct trait_row {
	const char *key;
	int levels;
	int (*read)(struct reader *rd, struct json *v, void *into);
} trait_rows[] = {
	{ "loop", IN_TASK | IN_PHASE, tr_loop },
	{ "policy", IN_TASK | IN_PHASE, tr_policy },
	{ "priority", IN_TASK | IN_PHASE, tr_priority },
	{ "cpus", IN_TASK | IN_PHASE, tr_cpus },
	{ "taskgroup", IN_TASK | IN_PHASE, tr_taskgroup },
	{ "slice", IN_TASK | IN_PHASE, tr_slice },
	{ "dl-runtime", IN_TASK | IN_PHASE, tr_dl_runtime },
	{ "dl-period", IN_TASK | IN_PHASE, tr_deadline },
	{ "dl-deadline", IN_TASK | IN_PHASE, tr_deadline },
	{ "period", IN_TASK | IN_PHASE, tr_deadline },
	{ "deadline", IN_TASK | IN_PHASE, tr_deadline },
	{ "nodes_membind", IN_TASK | IN_PHASE, tr_no_effect },
	{ "util_min", IN_TASK | IN_PHASE, tr_no_effect },
	{ "util_max", IN_TASK | IN_PHASE, tr_no_effect },
	{ "phases", IN_TASK | IN_PHASE, NULL },
	{ "instance", IN_TASK, tr_instance },
	{ "delay", IN_TASK, tr_delay },
	{ "cpus_each", IN_TASK, tr_cpus_each },
	{ "kthread", IN_TASK, tr_kthread },
	{ "until", IN_TASK, tr_until },
	{ "iterations_per_ms", IN_TASK, tr_iterations },
};

static const struct trait_row *trait_of(const char *key)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(trait_rows); i++)
		if (!strcmp(trait_rows[i].key, key))
			return &trait_rows[i];
	return NULL;
}

/* ---- keys ---- */

static void warn_unknown(struct reader *rd, const struct json *v)
{
	struct suggest s;
	u32 i;

	warn_at(rd, v, "no property and no event, left out as rt-app does");
	suggest_init(&s, v->key);
	for (i = 0; i < ARRAY_SIZE(trait_rows); i++)
		suggest_offer(&s, trait_rows[i].key);
	for (i = 0; event_key(i); i++)
		suggest_offer(&s, event_key(i));
	if (suggest_best(&s))
		warn_hint(rd, "did you mean \"%s\"?", suggest_best(&s));
	else
		warn_hint(rd, "begin it with _ to leave it out in silence");
}

static int read_trait(struct reader *rd, const struct trait_row *row, struct json *v, struct traits *t, const struct json **seen)
{
	if (!(row->levels & t->level)) {
		warn_at(rd, v, "this belongs to the task and is left out in a phase");
		return 0;
	}
	if (*seen)
		warn_at(rd, v, "this key stands here a second time and counts; the first is in line %u, column %u",
			(*seen)->key_line, (*seen)->key_column);
	*seen = v;
	return row->read ? row->read(rd, v, t) : 0;
}

/* All that @obj says about itself; its events are only looked at. */
static int read_traits(struct reader *rd, struct json *obj, struct traits *t)
{
	const struct json *seen[ARRAY_SIZE(trait_rows)] = { NULL };
	bool legacy = is_legacy(obj), phases = json_get(obj, "phases");
	struct json *v;

	json_each(v, obj) {
		const struct trait_row *row = trait_of(v->key);
		bool event = event_of(v->key);

		if (key_is_silent(v->key) || (legacy && legacy_key(v->key)))
			continue;
		if (row && read_trait(rd, row, v, t, &seen[row - trait_rows]))
			return -1;
		if (!row && event && (phases || legacy))
			warn_at(rd, v, "events beside \"%s\" are left out", phases ? "phases" : json_get(obj, "exec") ? "exec" : "lock_order");
		if (!row && !event)
			warn_unknown(rd, v);
	}
	return 0;
}

/* What rt-app reads out of a task-level "runtime" event, too. */
static int stock_slice(struct reader *rd, struct json *obj, struct traits *t)
{
	struct json *v = json_get_last(obj, "runtime");

	if (!rd->opt.rtapp_compat || !v || t->dl_runtime || json_get(obj, "phases") || v->kind != JSON_NUMBER)
		return 0;
	return want_us(rd, v, &t->dl_runtime);
}

/* ---- how it is scheduled ---- */

static int check_priority(struct reader *rd, const struct json *obj, int policy, s64 priority)
{
	bool rt = policy == 1 || policy == 2;

	if (rt ? priority >= 1 : priority <= 19 || policy == 6)
		return 0;
	return refuse(rd, json_get_last(obj, "priority"),
		      rt ? "a priority from 1 to 99 with SCHED_FIFO or SCHED_RR" : "a nice value from -20 to 19");
}

/* Of SCHED_DEADLINE there is only the place in the order: who asks for a budget shall know that it does not get it. */
static void warn_deadline(struct reader *rd, const struct json *obj, int policy)
{
	const struct json *said = json_get_last(obj, "policy");

	if (policy != POLICY_DEADLINE || !first_time(rd, SAID_DEADLINE))
		return;
	warn_at(rd, said ? said : obj, SAY_DEADLINE);
}

/* Policy and priority from here on: kept in @b, so that a phase that gives only one of them knows the other. */
static int apply_policy(struct reader *rd, const struct json *obj, const struct traits *t)
{
	struct body *b = t->b;
	bool rt;

	if (t->has_policy)
		b->policy = policy_values[t->policy];
	rt = b->policy == 1 || b->policy == 2;
	warn_deadline(rd, obj, b->policy);
	if (t->has_priority && check_priority(rd, obj, b->policy, t->priority))
		return -1;
	if (t->has_policy || t->has_priority) {
		b->rt_priority = rt ? t->has_priority ? (int)t->priority : 10 : 0;
		b->nice = t->has_priority && is_fair(b->policy) ? (int)t->priority : 0;
	}
	return 0;
}

/* Our "slice", or rt-app's way to ask for one: dl-runtime of a fair task. */
static u64 slice_of(const struct traits *t)
{
	return t->slice ? t->slice : is_fair(t->b->policy) ? t->dl_runtime : 0;
}

/* ---- phases ---- */

struct phase *add_phase(struct reader *rd, struct body *b, const char *name)
{
	struct phase *p = append(rd, (void **)&b->phases, &b->nr_phases, &b->cap_phases, sizeof(*p));

	if (!p) {
		out_of_memory(rd);
		return NULL;
	}
	p->name = arena_strdup(&rd->sc->mem, name);
	p->first = b->nr_steps;
	return p;
}

static int read_events(struct reader *rd, struct body *b, struct json *obj)
{
	struct json *v;

	if (is_legacy(obj))
		return read_legacy(rd, b, obj);
	json_each(v, obj) {
		const struct event_row *row = event_of(v->key);

		if (!row || trait_of(v->key) || key_is_silent(v->key))
			continue;
		if (read_event(rd, b, row, v))
			return -1;
	}
	return 0;
}

static int phase_sched(struct reader *rd, const struct json *obj, const struct traits *t, struct phase *p)
{
	if (apply_policy(rd, obj, t))
		return -1;
	p->sets_sched = t->has_policy || t->has_priority;
	p->policy = t->b->policy;
	p->nice = t->b->nice;
	p->rt_priority = t->b->rt_priority;
	p->slice = slice_of(t);
	p->cpus = t->cpus;
	p->taskgroup = t->group;
	t->b->phase_cpus |= !!t->cpus;
	return 0;
}

static int read_phases(struct reader *rd, struct body *b, struct json *v, int depth);

static int read_phase(struct reader *rd, struct body *b, struct json *v, int depth)
{
	struct traits t = { .b = b, .level = IN_PHASE, .loop = 1 };
	struct json *inner;
	struct phase *p;
	u32 index = b->nr_phases;

	if (want_object(rd, v, "a phase: an object of events"))
		return -1;
	p = add_phase(rd, b, v->key);
	if (!p || read_traits(rd, v, &t) || phase_sched(rd, v, &t, p))
		return -1;
	p->loop = t.loop;
	inner = json_get_last(v, "phases");
	if (!inner)
		return read_events(rd, b, v);
	if (depth + 1 > PROGRAM_MOST_DEPTH)
		return refuse(rd, inner, "phases no more than 8 deep");
	if (p->sets_sched || p->slice || p->cpus || p->taskgroup)
		warn_at(rd, v, "a phase that holds phases sets nothing by itself; say it in the inner ones");
	if (read_phases(rd, b, inner, depth + 1))
		return -1;
	b->phases[index].inner = b->nr_phases - index - 1;
	return 0;
}

static int read_phases(struct reader *rd, struct body *b, struct json *v, int depth)
{
	u32 before = b->nr_phases;
	struct json *e;

	if (want_object(rd, v, "an object of phases"))
		return -1;
	json_each(e, v) {
		if (key_is_silent(e->key) && e->kind != JSON_OBJECT)
			continue;
		if (read_phase(rd, b, e, depth))
			return -1;
	}
	return b->nr_phases == before ? refuse(rd, v, "at least one phase") : 0;
}

/* ---- one task ---- */

/* Where one phase names CPUs, one that does not falls back to those of the task. */
static int spread_cpus(struct reader *rd, struct body *b)
{
	u32 i;

	for (i = 0; b->phase_cpus && i < b->nr_phases; i++) {
		if (!b->phases[i].cpus)
			b->phases[i].cpus = b->load->cpus ? b->load->cpus : all_cpus(rd);
		if (!b->phases[i].cpus)
			return out_of_memory(rd);
	}
	return 0;
}

/* A timer of its own is absolute for all its uses if it is for one; barriers count who can come. */
static void finish_steps(struct reader *rd, struct body *b)
{
	u32 i;

	for (i = 0; i < b->nr_steps; i++) {
		struct step *st = &b->steps[i];

		if (st->kind == STEP_TIMER && st->flags & STEP_UNIQUE && rd->notes[st->ref].absolute_in == b->index + 1)
			st->flags |= STEP_ABSOLUTE;
		if (st->kind == STEP_BARRIER)
			rd->sc->resources[st->ref].users += b->load->instances;
	}
}

static int task_sched(struct reader *rd, struct json *v, struct traits *t)
{
	struct body *b = t->b;

	b->policy = rd->default_policy;
	b->rt_priority = b->policy == 1 || b->policy == 2 ? 10 : 0;
	if (stock_slice(rd, v, t) || apply_policy(rd, v, t))
		return -1;
	b->load->policy = b->policy;
	b->load->nice = b->nice;
	b->load->rt_priority = b->rt_priority;
	b->load->slice = slice_of(t);
	b->load->cpus = t->cpus;
	b->load->group = t->group && strcmp(t->group, "/") ? t->group : NULL;
	return 0;
}

/* One phase made of the task itself: a "loop" is the phase's then, else the program goes round. */
static int read_flat(struct reader *rd, struct body *b, struct json *v, const struct traits *t)
{
	struct phase *p = add_phase(rd, b, v->key);

	if (!p)
		return -1;
	p->loop = t->has_loop ? t->loop : 1;
	b->load->program.loop = t->has_loop ? 1 : -1;
	return read_events(rd, b, v);
}

static int read_program(struct reader *rd, struct body *b, struct json *v, const struct traits *t)
{
	struct json *phases = json_get_last(v, "phases");
	struct program *program = &b->load->program;

	program->until = t->until;
	program->loop = t->loop;
	if (phases ? read_phases(rd, b, phases, 0) : read_flat(rd, b, v, t))
		return -1;
	if (spread_cpus(rd, b))
		return -1;
	finish_steps(rd, b);
	program->phases = b->phases;
	program->nr_phases = b->nr_phases;
	program->steps = b->steps;
	program->nr_steps = b->nr_steps;
	return 0;
}

static int read_task(struct reader *rd, struct json *v, u32 index)
{
	struct workload *load = &rd->sc->tasks[index];
	struct body b = { .load = load, .index = index };
	struct traits t = { .b = &b, .level = IN_TASK, .loop = -1, .until = REF_NONE };

	load->instances = UINT32_MAX;
	load->at = (struct place){ .file = rd->sc->file, .line = (int)v->key_line, .column = (int)v->key_column };
	if (read_traits(rd, v, &t) || task_sched(rd, v, &t))
		return -1;
	if (load->instances == UINT32_MAX)
		load->instances = load->nr_cpus_each ? load->nr_cpus_each : 1;
	if (load->cpus && load->cpus_each)
		return refuse(rd, json_get_last(v, "cpus_each"), "\"cpus\" or \"cpus_each\", not both");
	return read_program(rd, &b, v, &t);
}

/* ---- all tasks ---- */

/* rt-app starts two tasks of one name; the second needs one of its own here. */
static int own_name(struct reader *rd, const struct json *v, const char **name)
{
	char buf[300];
	u32 i;

	*name = v->key;
	for (i = 2; names_get(&rd->names, NAMES_TASK, *name) != NAME_NONE; i++) {
		snprintf(buf, sizeof(buf), "%.250s.%u", v->key, i);
		*name = buf;
	}
	if (*name == buf)
		warn_at(rd, v, "a second task of this name; it is called \"%s\" here", buf);
	*name = arena_strdup(&rd->sc->mem, *name);
	return *name ? 0 : out_of_memory(rd);
}

/* In a plain rt-app file "-name" is a task like any other, as rt-app has it; a note is not. */
static bool is_task(const struct reader *rd, const struct json *v)
{
	return !key_is_silent(v->key) || (!rd->ours && v->kind == JSON_OBJECT);
}

/* Names first, so that fork, join and at may name a task that stands further down. */
static int name_tasks(struct reader *rd, const struct json *tasks)
{
	struct scenario *sc = rd->sc;
	struct json *v;

	sc->tasks = arena_alloc(&sc->mem, tasks->len * sizeof(*sc->tasks));
	if (!sc->tasks)
		return out_of_memory(rd);
	json_each(v, tasks) {
		if (!is_task(rd, v))
			continue;
		if (want_object(rd, v, "a task: an object of properties and events") ||
		    own_name(rd, v, &sc->tasks[sc->nr_tasks].name))
			return -1;
		if (!names_put(&rd->names, NAMES_TASK, sc->tasks[sc->nr_tasks].name, sc->nr_tasks))
			return out_of_memory(rd);
		sc->nr_tasks++;
	}
	return sc->nr_tasks ? 0 : refuse(rd, tasks, "at least one task");
}

int task_named(struct reader *rd, const struct json *v, u32 *index)
{
	struct suggest s;
	u32 i;

	if (v->kind != JSON_STRING)
		return refuse(rd, v, "the name of a task");
	*index = names_get(&rd->names, NAMES_TASK, v->text);
	if (*index != NAME_NONE)
		return 0;
	err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "there is no task \"%s\"", v->text);
	suggest_init(&s, v->text);
	for (i = 0; i < rd->sc->nr_tasks; i++)
		suggest_offer(&s, rd->sc->tasks[i].name);
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

static int each_key(struct reader *rd, struct json *obj, int (*fn)(struct reader *rd, struct json *v))
{
	struct json *v, *e;

	json_each(v, obj) {
		if (key_is_silent(v->key))
			continue;
		if (fn(rd, v))
			return -1;
		if (strcmp(v->key, "phases") || v->kind != JSON_OBJECT)
			continue;
		json_each(e, v)
			if (e->kind == JSON_OBJECT && each_key(rd, e, fn))
				return -1;
	}
	return 0;
}

int each_task_key(struct reader *rd, struct json *tasks, int (*fn)(struct reader *rd, struct json *v))
{
	struct json *v;

	if (tasks->kind != JSON_OBJECT)
		return 0;
	json_each(v, tasks)
		if (v->kind == JSON_OBJECT && is_task(rd, v) && each_key(rd, v, fn))
			return -1;
	return 0;
}

/* Conditions that somebody resumes come first in the table: a "suspend" can tell by the index. */
static int note_resume(struct reader *rd, struct json *v)
{
	const struct event_row *row = event_of(v->key);
	const struct json *name = row ? resumed_by(event_kind(row), v) : NULL;
	u32 index;

	if (!name || name->kind != JSON_STRING || !name->len)
		return 0;
	return resource_named(rd, v, RES_COND, name->text, &index);
}

int read_tasks(struct reader *rd, struct json *tasks)
{
	struct json *v;
	u32 index = 0;

	if (want_object(rd, tasks, "an object of tasks") || name_tasks(rd, tasks))
		return -1;
	if (each_task_key(rd, tasks, note_resume))
		return -1;
	rd->nr_resumed = rd->sc->nr_resources;
	json_each(v, tasks)
		if (is_task(rd, v) && read_task(rd, v, index++))
			return -1;
	return 0;
}
