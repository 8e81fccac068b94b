/* SPDX-License-Identifier: MIT */
/*
 * read_event.c - what a task does, one key an event; and the resources that events share.
 *
 *	"run0": 300	any key that begins with "run" is a run, as in rt-app: its own names go by prefix, in the order
 *			of the table below; ours go by their whole name, with digits behind where one needs several
 */
#include <stdio.h>
#include <string.h>

#include "input/reader.h"
#include "text/suggest.h"

struct event_row {
	const char *key;
	enum step_kind kind;
	event_reader *read;
	bool whole; /* ours: no match by prefix */
};

/* ---- resources ---- */

int resource_named(struct reader *rd, const struct json *v, enum resource_kind kind, const char *name, u32 *index)
{
	struct scenario *sc = rd->sc;
	struct resource_spec *res;
	u32 cap = rd->cap_resources;

	*index = names_get(&rd->names, kind, name);
	if (*index != NAME_NONE)
		return 0;
	res = append(rd, (void **)&sc->resources, &sc->nr_resources, &rd->cap_resources, sizeof(*res));
	if (!res)
		return out_of_memory(rd);
	if (cap != rd->cap_resources) {
		struct resource_note *notes = arena_alloc(&rd->scratch, rd->cap_resources * sizeof(*notes));

		if (!notes)
			return out_of_memory(rd);
		if (cap)
			memcpy(notes, rd->notes, cap * sizeof(*notes));
		rd->notes = notes;
	}
	res->kind = kind;
	res->name = arena_strdup(&sc->mem, name);
	*index = sc->nr_resources - 1;
	rd->notes[*index].first = v;
	if (!res->name || !names_put(&rd->names, kind, res->name, *index))
		return out_of_memory(rd);
	return 0;
}

/* The name in @v: a string, or the "ref" of an object. */
static int ref_name(struct reader *rd, const struct json *v, const char *what, const char **name)
{
	const struct json *ref = v->kind == JSON_OBJECT ? json_get_last(v, "ref") : v;

	if (!ref || ref->kind != JSON_STRING || !ref->len)
		return refuse(rd, ref ? ref : v, what);
	*name = ref->text;
	return 0;
}

int read_ref(struct reader *rd, const struct json *v, enum resource_kind kind, const char *what, u32 *ref)
{
	const char *name = "";

	return ref_name(rd, v, what, &name) ? -1 : resource_named(rd, v, kind, name, ref);
}

/* Every resource that needs numbers must have been given them somewhere. */
int resources_complete(struct reader *rd)
{
	u32 i;

	for (i = 0; i < rd->sc->nr_resources; i++) {
		const struct resource_spec *res = &rd->sc->resources[i];
		const struct json *v = rd->notes[i].first;

		if (rd->notes[i].defined || (res->kind != RES_ARRIVAL && res->kind != RES_DEVICE))
			continue;
		err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "nothing says how %s \"%s\" behaves",
		       res->kind == RES_DEVICE ? "device" : "the arrivals", res->name);
		err_hint(rd->err, res->kind == RES_DEVICE ? "add \"resources\": { \"%s\": { \"type\": \"device\", \"service\": 80 } }" :
			 "add \"every\" or \"poisson\", as in { \"ref\": \"%s\", \"poisson\": 1000 }", res->name);
		return -1;
	}
	return 0;
}

int define_once(struct reader *rd, const struct json *v, u32 index)
{
	if (rd->notes[index].defined)
		return err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key,
			      "\"%s\" has been described before, in line %u", rd->sc->resources[index].name,
			      rd->notes[index].first->line);
	rd->notes[index].defined = true;
	rd->notes[index].first = v;
	return 0;
}

/* ---- work and time ---- */

static int ev_length(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return want_length(rd, v, &st->len);
}

/* A length, or { "us": length, KEY: true }, which sets @flag. */
static int length_with(struct reader *rd, struct json *v, const char *key, u8 flag, const char *what, struct step *st)
{
	struct json *us = v->kind == JSON_OBJECT ? json_get(v, "us") : NULL, *set;
	bool on = false;

	if (!us)
		return want_length(rd, v, &st->len);
	set = json_get(v, key);
	if (want_length(rd, us, &st->len) || (set && want_bool(rd, set, &on)))
		return -1;
	if (v->len > 1u + !!set)
		return refuse(rd, v, what);
	if (on)
		st->flags |= flag;
	return 0;
}

/* "run": 300, or { "us": length, "polls_clock": true } */
static int ev_run(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return length_with(rd, v, "polls_clock", STEP_POLLS_CLOCK, "\"us\" and \"polls_clock\" and no other key", st);
}

/* "sys": 300, or { "us": length, "resched": true } */
static int ev_sys(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return length_with(rd, v, "resched", STEP_RESCHED_POINT, "\"us\" and \"resched\" and no other key", st);
}

struct timer_keys {
	const char *ref;
	u64 period;
	bool has_period, absolute;
};

static int timer_ref(struct reader *rd, struct json *v, void *into)
{
	return want_string(rd, v, "the name of the timer; \"unique\" gives each thread its own", &((struct timer_keys *)into)->ref);
}

static int timer_period(struct reader *rd, struct json *v, void *into)
{
	struct timer_keys *keys = into;

	if (want_us(rd, v, &keys->period))
		return -1;
	keys->has_period = true;
	return keys->period ? 0 : refuse(rd, v, "a period above 0");
}

static int timer_mode(struct reader *rd, struct json *v, void *into)
{
	static const char *const words[] = { "relative", "absolute" };
	u32 word;

	if (want_word(rd, v, words, ARRAY_SIZE(words), &word))
		return -1;
	((struct timer_keys *)into)->absolute = word;
	return 0;
}

static int ev_timer(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	static const struct key_row rows[] = { { "ref", timer_ref }, { "period", timer_period }, { "mode", timer_mode } };
	struct timer_keys keys = { .ref = "unique" };

	if (want_object(rd, v, "a timer such as { \"ref\": \"unique\", \"period\": 16000, \"mode\": \"absolute\" }"))
		return -1;
	if (READ_KEYS(rd, v, rows, UNKNOWN_WARNING, &keys))
		return -1;
	if (!keys.has_period)
		return refuse(rd, v, "a \"period\" in us");
	st->len.a = keys.period;
	if (!strncmp(keys.ref, "unique", 6))
		st->flags |= STEP_UNIQUE;
	if (resource_named(rd, v, RES_TIMER, keys.ref, &st->ref))
		return -1;
	if (!keys.absolute)
		return 0;
	if (st->flags & STEP_UNIQUE)
		rd->notes[st->ref].absolute_in = b->index + 1;
	else
		rd->sc->resources[st->ref].absolute = true;
	return 0;
}

/* ---- arrivals ---- */

static int arrival_times(struct reader *rd, struct json *v, struct resource_spec *res)
{
	struct dist played;
	u32 i;

	if (want_length_of(rd, "values", v, &played))
		return -1;
	for (i = 1; i < played.nr; i++)
		if (played.values[i] < played.values[i - 1])
			return refuse(rd, v, "times in us that do not run backwards");
	res->times = played.values;
	res->nr_times = played.nr;
	return 0;
}

static int arrival_gap_checked(struct reader *rd, struct json *v, struct resource_spec *res)
{
	if (want_length_of(rd, v->key, v, &res->gap))
		return -1;
	if (res->gap.kind != DIST_EMPIRICAL && !res->gap.a && !res->gap.b)
		return refuse(rd, v, "a gap above 0");
	return 0;
}

/* { "ref": "web", "poisson": 1000 }; without a ref each thread has its own stream. */
int describe_arrivals(struct reader *rd, struct json *v, u32 index)
{
	struct json *e;

	json_each(e, v) {
		struct resource_spec *res = &rd->sc->resources[index];
		bool gap = is_length_key(e->key), times = !strcmp(e->key, "times");

		if (key_is_silent(e->key) || !strcmp(e->key, "ref") || !strcmp(e->key, "type"))
			continue;
		if (!gap && !times)
			return err_at(rd->err, rd->file, (int)e->key_line, (int)e->key_column, e->key,
				      "expected ref, every, poisson, uniform, normal, lognormal, values or times");
		if (define_once(rd, e, index) ||
		    (gap ? arrival_gap_checked(rd, e, res) : arrival_times(rd, e, res)))
			return -1;
	}
	return 0;
}

static int ev_arrive(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	char own[64];

	if (v->kind == JSON_OBJECT && !json_get(v, "ref")) {
		snprintf(own, sizeof(own), "own stream %u.%u", b->index, b->nr_steps);
		if (resource_named(rd, v, RES_ARRIVAL, own, &st->ref))
			return -1;
		rd->sc->resources[st->ref].unique = true;
		return describe_arrivals(rd, v, st->ref);
	}
	if (read_ref(rd, v, RES_ARRIVAL, "the name of a stream, or its arrivals as in { \"poisson\": 1000 }", &st->ref))
		return -1;
	return v->kind == JSON_OBJECT ? describe_arrivals(rd, v, st->ref) : 0;
}

/* ---- conditions, locks, queues ---- */

static int ev_mutex(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return read_ref(rd, v, RES_MUTEX, "the name of a mutex", &st->ref);
}

static int ev_condition(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return read_ref(rd, v, RES_COND, "the name of a condition", &st->ref);
}

static int ev_wait(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	static const char what[] = "a condition and its mutex, as in { \"ref\": \"queue\", \"mutex\": \"m\" }";
	struct json *mutex;

	(void)b;
	if (want_object(rd, v, what))
		return -1;
	mutex = json_get_last(v, "mutex");
	if (!mutex)
		return refuse(rd, v, what);
	return read_ref(rd, v, RES_COND, what, &st->ref) || read_ref(rd, mutex, RES_MUTEX, what, &st->ref2) ? -1 : 0;
}

/* The string names the condition where somebody resumes it, else the task waits under its own name. */
static int ev_suspend(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	u32 named = v->kind == JSON_STRING ? names_get(&rd->names, RES_COND, v->text) : NAME_NONE;

	if (v->kind != JSON_STRING)
		return refuse(rd, v, "the name of a condition, or \"\"");
	if (named < rd->nr_resumed) {
		st->ref = named;
		return 0;
	}
	return resource_named(rd, v, RES_COND, b->load->name, &st->ref);
}

static int ev_barrier(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return read_ref(rd, v, RES_BARRIER, "the name of a barrier", &st->ref);
}

static int ev_semaphore(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return read_ref(rd, v, RES_SEM, "the name of a semaphore", &st->ref);
}

/* "sem_wait": "s", or { "ref": "s", "spin": true } */
static int ev_sem_wait(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	if (ev_semaphore(rd, b, v, st))
		return -1;
	return v->kind == JSON_OBJECT ? read_flags(rd, v, STEP_SPINS, st) : 0;
}

static int ev_span(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return read_ref(rd, v, RES_SPAN, "a name for what is measured", &st->ref);
}

static int ev_flag(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b;
	return read_ref(rd, v, RES_FLAG, "the name of a flag", &st->ref);
}

/* ---- the rest ---- */

static int ev_task(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	if (task_named(rd, v, &st->ref))
		return -1;
	if (st->kind == STEP_JOIN && st->ref == b->index)
		return refuse(rd, v, "another task: none can wait for its own end");
	return 0;
}

static int ev_memory(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)b, (void)st;
	if (v->kind != JSON_NUMBER && v->kind != JSON_OBJECT)
		return refuse(rd, v, "a number of bytes");
	if (first_time(rd, SAID_MEM))
		warn_at(rd, v, "memory and file traffic takes no time here; write its cost as a run");
	return 0;
}

static int ev_plain(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	(void)rd, (void)b, (void)v, (void)st;
	return 0;
}

/* ---- the table ---- */

/* rt-app's, in its order of test: "runtime" before "run", "memrun" before "mem"; then ours. */
static const struct event_row rows[] = {
	{ "lock", STEP_LOCK, ev_mutex, false },
	{ "unlock", STEP_UNLOCK, ev_mutex, false },
	{ "wait", STEP_WAIT, ev_wait, false },
	{ "signal", STEP_SIGNAL, ev_condition, false },
	{ "broad", STEP_BROAD, ev_condition, false },
	{ "sync", STEP_SYNC, ev_wait, false },
	{ "sleep", STEP_SLEEP, ev_length, false },
	{ "runtime", STEP_RUNTIME, ev_length, false },
	{ "run", STEP_RUN, ev_run, false },
	{ "timer", STEP_TIMER, ev_timer, false },
	{ "suspend", STEP_SUSPEND, ev_suspend, false },
	{ "resume", STEP_RESUME, ev_condition, false },
	{ "memrun", STEP_MEM, ev_memory, false },
	{ "mem", STEP_MEM, ev_memory, false },
	{ "iorun", STEP_MEM, ev_memory, false },
	{ "yield", STEP_YIELD, ev_plain, false },
	{ "barrier", STEP_BARRIER, ev_barrier, false },
	{ "fork", STEP_FORK, ev_task, false },
	{ "sem_post", STEP_SEM_POST, ev_semaphore, false },
	{ "sem_wait", STEP_SEM_WAIT, ev_sem_wait, false },
	{ "sys", STEP_SYS, ev_sys, true },
	{ "arrive", STEP_ARRIVE, ev_arrive, true },
	{ "request", STEP_REQUEST, ev_plain, true },
	{ "spin", STEP_SPIN, ev_condition, true },
	{ "put", STEP_QUEUE_PUT, ev_put, true },
	{ "get", STEP_QUEUE_GET, ev_get, true },
	{ "io", STEP_IO, ev_io, true },
	{ "join", STEP_JOIN, ev_task, true },
	{ "set", STEP_SET, ev_flag, true },
	{ "begin", STEP_BEGIN, ev_span, true },
	{ "end", STEP_END, ev_span, true },
	{ "execve", STEP_EXEC, ev_plain, true },
	{ "exit", STEP_EXIT, ev_plain, true },
};

static bool row_matches(const struct event_row *row, const char *key)
{
	size_t len = strlen(row->key);

	if (strncmp(key, row->key, len))
		return false;
	return !row->whole || !key[len + strspn(key + len, "0123456789")];
}

const struct event_row *event_of(const char *key)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (row_matches(&rows[i], key))
			return &rows[i];
	return NULL;
}

const char *event_name(const char *key)
{
	const struct event_row *row = event_of(key);

	return row ? row->key : NULL;
}

const char *event_key(u32 i) { return i < ARRAY_SIZE(rows) ? rows[i].key : NULL; }

enum step_kind event_kind(const struct event_row *row) { return row->kind; }

struct step *add_step(struct reader *rd, struct body *b, enum step_kind kind, const struct json *v)
{
	struct step *st = append(rd, (void **)&b->steps, &b->nr_steps, &b->cap_steps, sizeof(*st));

	if (!st) {
		out_of_memory(rd);
		return NULL;
	}
	st->kind = (u8)kind;
	st->ref = st->ref2 = st->ref3 = REF_NONE;
	st->cpu = CPU_HERE;
	if (v && v->key)
		st->key = arena_strdup(&rd->sc->mem, v->key);
	b->phases[b->nr_phases - 1].nr++;
	return st;
}

int read_event(struct reader *rd, struct body *b, const struct event_row *row, struct json *v)
{
	struct step *st = add_step(rd, b, row->kind, v);

	if (!st)
		return -1;
	if (!row->read(rd, b, v, st))
		return 0;
	if (strcmp(row->key, v->key))
		err_hint(rd->err, "a key that begins with \"%s\" is a %s event, as in rt-app; begin it with _ to leave it out",
			 row->key, row->key);
	return -1;
}
