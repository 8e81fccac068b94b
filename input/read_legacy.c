/* SPDX-License-Identifier: MIT */
/*
 * read_legacy.c - rt-app's grammar before 1.0, into steps.
 *
 *	"exec": 5000, "period": 24000, "lock_order": ["r0", "trig1"], "resources": { "r0": { "duration": 1000 } }
 *
 * One loop: each resource of lock_order in turn, by its type at top level; then the rest of "exec" that they have not
 * used; then, unless "sleep" is false, asleep to the next multiple of "period".  Without lock_order the resources go in
 * the order in which they stand.
 */
#include <stdio.h>
#include <string.h>

#include "input/reader.h"

static const char *const keys[] = { "exec", "lock_order", "resources", "period", "deadline", "sleep" };

bool legacy_key(const char *key)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

bool is_legacy(const struct json *obj) { return json_get(obj, "exec") || json_get(obj, "lock_order"); }

/* The type of resource @name: what the file's "resources" says, else a mutex. */
static int resource_type(struct reader *rd, const char *name, const struct json **spec, const char **type)
{
	const struct json *t;

	*spec = rd->resources && rd->resources->kind == JSON_OBJECT ? json_get_last(rd->resources, name) : NULL;
	*type = "mutex";
	if (!*spec)
		return 0;
	t = (*spec)->kind == JSON_OBJECT ? json_get_last(*spec, "type") : NULL;
	if (!t || t->kind != JSON_STRING)
		return refuse(rd, *spec, "an object with a \"type\"");
	*type = t->text;
	return 0;
}

static int add_ref(struct reader *rd, struct body *b, enum step_kind kind, enum resource_kind res, const struct json *v,
		   const char *name, const char *mutex)
{
	struct step *st = add_step(rd, b, kind, v);

	if (!st || resource_named(rd, v, res, name, &st->ref))
		return -1;
	return mutex ? resource_named(rd, v, RES_MUTEX, mutex, &st->ref2) : 0;
}

static int add_length(struct reader *rd, struct body *b, enum step_kind kind, const struct json *v, u64 ns)
{
	struct step *st = ns ? add_step(rd, b, kind, v) : NULL;

	if (st)
		st->len.a = ns;
	return ns && !st ? -1 : 0;
}

/* The name in an element of "access" or "lock_order": text, or a number as it is written. */
static int element_name(struct reader *rd, const struct json *e, const char **name)
{
	if (e->kind != JSON_STRING && e->kind != JSON_NUMBER)
		return refuse(rd, e, "the name of a resource");
	*name = e->text;
	return 0;
}

static int lock_all(struct reader *rd, struct body *b, struct json *access, enum step_kind kind)
{
	const char *name = "";
	struct json *e;

	if (!access)
		return 0;
	if (want_list(rd, access, "a list of resources"))
		return -1;
	json_each(e, access)
		if (element_name(rd, e, &name) || add_ref(rd, b, kind, RES_MUTEX, e, name, NULL))
			return -1;
	return 0;
}

/* A mutex, with those of "access" inside it, held for a run. */
static int hold(struct reader *rd, struct body *b, const struct json *v, const char *name, struct json *access, u64 ns)
{
	if (add_ref(rd, b, STEP_LOCK, RES_MUTEX, v, name, NULL) || lock_all(rd, b, access, STEP_LOCK))
		return -1;
	if (add_length(rd, b, STEP_RUN, v, ns) || lock_all(rd, b, access, STEP_UNLOCK))
		return -1;
	return add_ref(rd, b, STEP_UNLOCK, RES_MUTEX, v, name, NULL);
}

/* A condition; "access" names the mutex that is held around it. */
static int meet(struct reader *rd, struct body *b, const struct json *v, enum step_kind kind, const char *name, struct json *access)
{
	bool waits = kind == STEP_WAIT || kind == STEP_SYNC;
	const char *mutex = NULL;

	if (waits && (!access || access->kind != JSON_ARRAY || !access->child))
		return refuse(rd, v, "an \"access\" list with the mutex of this condition");
	if (waits && element_name(rd, access->child, &mutex))
		return -1;
	if (lock_all(rd, b, access, STEP_LOCK) || add_ref(rd, b, kind, RES_COND, v, name, mutex))
		return -1;
	return lock_all(rd, b, access, STEP_UNLOCK);
}

/* Conditions work on the "target" of their resource. */
static const char *target_of(const struct json *spec, const char *name)
{
	const struct json *target = spec ? json_get_last(spec, "target") : NULL;

	return target && target->kind == JSON_STRING ? target->text : name;
}

static int read_use(struct reader *rd, struct body *b, const struct json *v, const char *name, struct json *use, u64 *used)
{
	static const struct { const char *type; enum step_kind kind; } conditions[] = {
		{ "wait", STEP_WAIT }, { "signal", STEP_SIGNAL }, { "broad", STEP_BROAD }, { "broadcast", STEP_BROAD }, { "sync", STEP_SYNC },
	};
	struct json *duration = use ? json_get_last(use, "duration") : NULL, *access = use ? json_get_last(use, "access") : NULL;
	const struct json *spec;
	const char *type = "";
	u64 ns = 0;
	u32 i;

	if ((duration && want_us(rd, duration, &ns)) || resource_type(rd, name, &spec, &type))
		return -1;
	if (!strcmp(type, "mutex")) {
		*used += ns;
		return hold(rd, b, v, name, access, ns);
	}
	if (!strcmp(type, "run")) {
		*used += ns;
		return add_length(rd, b, STEP_RUN, v, ns);
	}
	if (!strcmp(type, "sleep"))
		return add_length(rd, b, STEP_SLEEP, v, ns);
	for (i = 0; i < ARRAY_SIZE(conditions); i++)
		if (!strcmp(type, conditions[i].type))
			return meet(rd, b, v, conditions[i].kind, target_of(spec, name), access);
	return refuse(rd, v, "a resource of type mutex, run, sleep, wait, signal, broad or sync in lock_order");
}

static struct json *use_of(struct json *resources, const char *name)
{
	struct json *use = resources ? json_get_last(resources, name) : NULL;

	return use && use->kind == JSON_OBJECT ? use : NULL;
}

static int read_uses(struct reader *rd, struct body *b, struct json *order, struct json *resources, u64 *used)
{
	const char *name = "";
	struct json *e;

	if (resources && want_object(rd, resources, "an object of resources and how long each is held"))
		return -1;
	if (!order) {
		if (resources)
			json_each(e, resources)
				if (read_use(rd, b, e, e->key, use_of(resources, e->key), used))
					return -1;
		return 0;
	}
	if (want_list(rd, order, "a list of resources"))
		return -1;
	json_each(e, order)
		if (element_name(rd, e, &name) || read_use(rd, b, e, name, use_of(resources, name), used))
			return -1;
	return 0;
}

static int read_period(struct reader *rd, struct body *b, struct json *period)
{
	struct step *st;
	u64 ns;

	if (want_us(rd, period, &ns))
		return -1;
	if (!ns)
		return 0;
	st = add_step(rd, b, STEP_TIMER, period);
	if (!st || resource_named(rd, period, RES_TIMER, "unique", &st->ref))
		return -1;
	st->flags = STEP_UNIQUE;
	st->len.a = ns;
	rd->notes[st->ref].absolute_in = b->index + 1;
	return 0;
}

int read_legacy(struct reader *rd, struct body *b, struct json *obj)
{
	struct json *exec = json_get_last(obj, "exec"), *period = json_get_last(obj, "period"), *sleep = json_get_last(obj, "sleep");
	u64 total = 0, used = 0;
	bool sleeps = true;

	if (first_time(rd, SAID_LEGACY))
		warn_at(rd, exec ? exec : json_get(obj, "lock_order"),
			"this is rt-app's grammar before 1.0; it is read as docs/scenario.md says");
	if ((exec && want_us(rd, exec, &total)) || (sleep && want_bool(rd, sleep, &sleeps)))
		return -1;
	if (read_uses(rd, b, json_get_last(obj, "lock_order"), json_get_last(obj, "resources"), &used))
		return -1;
	if (total > used && add_length(rd, b, STEP_RUN, exec, total - used))
		return -1;
	return sleeps && period ? read_period(rd, b, period) : 0;
}
