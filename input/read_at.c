/* SPDX-License-Identifier: MIT */
/*
 * read_at.c - "at": what happens to groups, tasks and CPUs while the scenario runs.
 *
 *	{ "t": 500000, "write": { "/web/cpu.max": "max" }, "expect": "EINVAL" }
 *	{ "t": 500000, "move": { "task": "w", "to": "/b" } }
 *	{ "t": 500000, "affinity": { "task": "w", "cpus": [0] } }
 *	{ "t": 500000, "cpu": 3, "online": false }
 *
 * Law: scenario.at is in order of time, and of the file where times are equal.
 */
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"
#include "text/suggest.h"

struct at_keys {
	struct json *t, *write, *move, *cpu, *online, *affinity, *expect;
};

static int at_key(struct reader *rd, struct json *v, struct at_keys *keys)
{
	const struct { const char *key; struct json **slot; } rows[] = {
		{ "t", &keys->t }, { "write", &keys->write }, { "move", &keys->move }, { "cpu", &keys->cpu },
		{ "online", &keys->online }, { "affinity", &keys->affinity }, { "expect", &keys->expect },
	};
	struct suggest s;
	u32 i;

	suggest_init(&s, v->key);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		suggest_offer(&s, rows[i].key);
		if (strcmp(rows[i].key, v->key))
			continue;
		if (*rows[i].slot)
			return err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key, "this key stands here twice");
		*rows[i].slot = v;
		return 0;
	}
	err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key,
	       "expected t, and one of write, move, cpu with online, affinity");
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

static struct at_spec *add_at(struct reader *rd, u32 *cap, enum at_kind kind, u64 t, const struct json *v)
{
	struct at_spec *at = append(rd, (void **)&rd->sc->at, &rd->sc->nr_at, cap, sizeof(*at));

	if (!at) {
		out_of_memory(rd);
		return NULL;
	}
	at->kind = kind;
	at->t = t;
	at->at = (struct place){ .file = rd->sc->file, .line = (int)v->line, .column = (int)v->column };
	return at;
}

static int at_writes(struct reader *rd, const struct at_keys *keys, u64 t, u32 *cap)
{
	struct json *e;

	if (want_object(rd, keys->write, "an object such as { \"/web/cpu.max\": \"max\" }"))
		return -1;
	json_each(e, keys->write) {
		struct at_spec *at;

		if (key_is_silent(e->key))
			continue;
		at = add_at(rd, cap, AT_WRITE, t, e);
		if (!at || read_write(rd, e, &at->write))
			return -1;
		if (keys->expect && want_string(rd, keys->expect, "the name of an error, such as \"EINVAL\"", &at->write.expect))
			return -1;
	}
	return 0;
}

/* The task an "at" names. */
static int at_task(struct reader *rd, struct json *v, const char *what, u32 *task)
{
	struct json *name;

	if (want_object(rd, v, what))
		return -1;
	name = json_get_last(v, "task");
	return name ? task_named(rd, name, task) : refuse(rd, v, what);
}

static int at_move(struct reader *rd, struct json *v, struct at_spec *at)
{
	static const char what[] = "an object such as { \"task\": \"w\", \"to\": \"/b\" }";
	struct json *to;
	u32 group;

	if (!at || at_task(rd, v, what, &at->task))
		return -1;
	to = json_get_last(v, "to");
	if (!to || to->kind != JSON_STRING)
		return refuse(rd, to ? to : v, what);
	at->group = "/";
	if (!strcmp(to->text, "/"))
		return 0;
	if (group_at(rd, to, to->text, &group))
		return -1;
	at->group = rd->sc->groups[group].path;
	return 0;
}

static int at_affinity(struct reader *rd, struct json *v, struct at_spec *at)
{
	static const char what[] = "an object such as { \"task\": \"w\", \"cpus\": [0] }";
	struct json *cpus;

	if (!at || at_task(rd, v, what, &at->task))
		return -1;
	cpus = json_get_last(v, "cpus");
	return cpus ? want_cpus(rd, cpus, &at->cpus) : refuse(rd, v, what);
}

static int at_online(struct reader *rd, const struct at_keys *keys, struct at_spec *at)
{
	const s32 *cpus;
	u32 nr;

	if (!at || want_cpu_list(rd, keys->cpu, &cpus, &nr))
		return -1;
	if (nr != 1)
		return refuse(rd, keys->cpu, "one CPU number");
	at->cpu = cpus[0];
	return want_bool(rd, keys->online, &at->online);
}

static int read_at_entry(struct reader *rd, struct json *v, u32 *cap)
{
	static const char what[] = "a time \"t\" in us, and one of write, move, cpu with online, affinity";
	struct at_keys keys = { 0 };
	struct json *e;
	u64 t;

	if (want_object(rd, v, what))
		return -1;
	json_each(e, v)
		if (!key_is_silent(e->key) && at_key(rd, e, &keys))
			return -1;
	if (!keys.t || !keys.write + !keys.move + !keys.cpu + !keys.affinity != 3 || !keys.cpu != !keys.online ||
	    (keys.expect && !keys.write))
		return refuse(rd, v, what);
	if (want_us(rd, keys.t, &t))
		return -1;
	if (keys.write)
		return at_writes(rd, &keys, t, cap);
	if (keys.move)
		return at_move(rd, keys.move, add_at(rd, cap, AT_MOVE, t, v));
	if (keys.affinity)
		return at_affinity(rd, keys.affinity, add_at(rd, cap, AT_AFFINITY, t, v));
	return at_online(rd, &keys, add_at(rd, cap, AT_ONLINE, t, v));
}

static int by_time(const void *a, const void *b)
{
	const struct at_spec *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return (x->at.column > y->at.column) - (x->at.column < y->at.column);
}

int read_at(struct reader *rd, struct json *v)
{
	struct json *e;
	u32 cap = 0;

	if (want_list(rd, v, "a list of what happens at which time"))
		return -1;
	json_each(e, v)
		if (read_at_entry(rd, e, &cap))
			return -1;
	if (rd->sc->nr_at)
		qsort(rd->sc->at, rd->sc->nr_at, sizeof(*rd->sc->at), by_time);
	return 0;
}
