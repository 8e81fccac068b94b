/* SPDX-License-Identifier: MIT */
/*
 * read_supply.c - queues and devices, and the top-level table of resources.
 *
 *	"put": { "ref": "q", "work": 300, "post": "s" }			an item; the semaphore gets a unit when its work is done
 *	"io": { "ref": "disk", "put": { "ref": "q", "work": 2 } }	the completion puts the item, on the CPU that it interrupts
 *	"resources": { "q": { "type": "queue", "per_cpu": true } }	each CPU has its own list
 */
#include <stdio.h>
#include <string.h>

#include "input/reader.h"
#include "text/number.h"
#include "text/suggest.h"

/* ---- who is told when something is done ---- */

/* Where a "then" may stand: into the resource of one of three kinds, at most one of them. */
struct then {
	u32 *ref;
	bool told;
};

static int then_once(struct reader *rd, const struct json *v, struct then *then)
{
	if (then->told)
		return refuse(rd, v, "one of \"resume\", \"post\" and \"put\", not two");
	then->told = true;
	return 0;
}

static int then_resume(struct reader *rd, struct json *v, struct then *then)
{
	return then_once(rd, v, then) ? -1 : read_ref(rd, v, RES_COND, "the name of a condition", then->ref);
}

static int then_post(struct reader *rd, struct json *v, struct then *then)
{
	return then_once(rd, v, then) ? -1 : read_ref(rd, v, RES_SEM, "the name of a semaphore", then->ref);
}

/* Without more to say: an item that needs no work. */
static int then_put(struct reader *rd, struct json *v, struct then *then)
{
	if (v->kind != JSON_STRING)
		return refuse(rd, v, "the name of a queue");
	return then_once(rd, v, then) ? -1 : read_ref(rd, v, RES_QUEUE, "the name of a queue", then->ref);
}

/* ---- put and get ---- */

struct item_keys {
	struct body *b;
	struct step *st;
	u32 *queue;
	struct then then;
	bool at_cpu; /* "cpu" may stand here */
};

static int item_ref(struct reader *rd, struct json *v, void *into)
{
	return read_ref(rd, v, RES_QUEUE, "the name of a queue", ((struct item_keys *)into)->queue);
}

static int item_work(struct reader *rd, struct json *v, void *into)
{
	return want_length(rd, v, &((struct item_keys *)into)->st->len);
}

static int item_cpu(struct reader *rd, struct json *v, void *into)
{
	static const char what[] = "a CPU's number, \"each\" or \"here\"";
	struct item_keys *keys = into;
	const s32 *cpus;
	u32 nr;

	if (!keys->at_cpu)
		return refuse(rd, v, "no \"cpu\": an interrupt puts where it comes");
	if (v->kind == JSON_STRING) {
		if (strcmp(v->text, "each") && strcmp(v->text, "here"))
			return refuse(rd, v, what);
		keys->st->cpu = v->text[0] == 'e' ? CPU_EACH : CPU_HERE;
		return 0;
	}
	if (v->kind != JSON_NUMBER)
		return refuse(rd, v, what);
	if (want_cpu_list(rd, v, &cpus, &nr))
		return -1;
	keys->st->cpu = (s16)cpus[0];
	return 0;
}

static int item_resume(struct reader *rd, struct json *v, void *into)
{
	return then_resume(rd, v, &((struct item_keys *)into)->then);
}

static int item_post(struct reader *rd, struct json *v, void *into)
{
	return then_post(rd, v, &((struct item_keys *)into)->then);
}

static int item_put(struct reader *rd, struct json *v, void *into)
{
	return then_put(rd, v, &((struct item_keys *)into)->then);
}

static int read_item(struct reader *rd, struct json *v, struct item_keys *keys)
{
	static const struct key_row rows[] = {
		{ "ref", item_ref }, { "work", item_work }, { "cpu", item_cpu },
		{ "resume", item_resume }, { "post", item_post }, { "put", item_put },
	};

	if (v->kind == JSON_OBJECT && json_get(v, "ref"))
		return READ_KEYS(rd, v, rows, UNKNOWN_ERROR, keys);
	return read_ref(rd, v, RES_QUEUE, "the name of a queue, or { \"ref\": name, \"work\": us }", keys->queue);
}

int ev_put(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	struct item_keys keys = { b, st, &st->ref, { &st->ref2, false }, true };

	return read_item(rd, v, &keys);
}

struct flag_keys {
	u8 allowed;
	struct step *st;
};

static int flag_set(struct reader *rd, struct json *v, struct flag_keys *keys, u8 flag)
{
	bool on;

	if (!(keys->allowed & flag))
		return refuse(rd, v, "no such key here");
	if (want_bool(rd, v, &on))
		return -1;
	if (on)
		keys->st->flags |= flag;
	return 0;
}

static int flag_spin(struct reader *rd, struct json *v, void *into) { return flag_set(rd, v, into, STEP_SPINS); }
static int flag_batch(struct reader *rd, struct json *v, void *into) { return flag_set(rd, v, into, STEP_BATCH); }

int read_flags(struct reader *rd, struct json *v, u8 allowed, struct step *st)
{
	static const struct key_row rows[] = { { "ref", NULL }, { "spin", flag_spin }, { "batch", flag_batch } };
	struct flag_keys keys = { allowed, st };

	return READ_KEYS(rd, v, rows, UNKNOWN_ERROR, &keys);
}

/* "get": "q", or { "ref": "q", "spin": true, "batch": true } */
int ev_get(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	struct json *work = v->kind == JSON_OBJECT ? json_get(v, "work") : NULL;

	(void)b;
	if (read_ref(rd, v, RES_QUEUE, "the name of a queue", &st->ref))
		return -1;
	if (work)
		return refuse(rd, work, "the work with the \"put\"");
	return v->kind == JSON_OBJECT ? read_flags(rd, v, STEP_SPINS | STEP_BATCH, st) : 0;
}

/* ---- devices ---- */

static int device_depth(struct reader *rd, struct json *v, struct resource_spec *res)
{
	s64 number;

	if (want_whole(rd, v, 0, 65536, "how many requests are served at once (0: all)", &number))
		return -1;
	res->depth = (int)number;
	return 0;
}

static int device_irq_cpus(struct reader *rd, struct json *v, struct resource_spec *res)
{
	if (v->kind == JSON_STRING && !strcmp(v->text, "submitter"))
		return 0;
	return want_cpu_list(rd, v, &res->irq_cpus, &res->nr_irq_cpus);
}

static int device_coalesce(struct reader *rd, struct json *v, struct resource_spec *res)
{
	return want_us(rd, v, &res->coalesce);
}

static int device_stray(struct reader *rd, struct json *v, struct resource_spec *res)
{
	static const char what[] = "the share of interrupts that hit any CPU, 0 to 1";
	u64 millionths;

	if (v->kind != JSON_NUMBER || num_scaled(v->text, v->len, 1000000, 1000000, &millionths) != NUM_OK)
		return refuse(rd, v, what);
	res->stray = (u32)millionths;
	return 0;
}

/* The keys of a device in @v, wherever that stands; "service" makes it one. */
static int describe_device(struct reader *rd, struct json *v, u32 index)
{
	struct json *service = json_get(v, "service"), *irq = json_get(v, "irq"), *e;
	static const struct {
		const char *key;
		int (*read)(struct reader *rd, struct json *v, struct resource_spec *res);
	} rows[] = { { "depth", device_depth }, { "irq_cpus", device_irq_cpus }, { "stray", device_stray }, { "coalesce", device_coalesce } };
	struct resource_spec *res = &rd->sc->resources[index];
	u32 i;

	if (service && (define_once(rd, service, index) || want_length(rd, service, &res->gap)))
		return -1;
	if (service) {
		res->depth = 1;
		res->irq = NEVER;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		e = json_get(v, rows[i].key);
		if (e && !service)
			return refuse(rd, v, "a \"service\" time beside the other keys of a device");
		if (e && rows[i].read(rd, e, res))
			return -1;
	}
	if (irq && !service)
		return refuse(rd, v, "a \"service\" time beside \"irq\"");
	return irq ? want_us(rd, irq, &res->irq) : 0;
}

/* The completion puts an item: its queue is what is told, and the item tells in its turn. */
static int io_put(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	struct item_keys keys = { b, st, &st->ref2, { &st->ref3, false }, false };

	return read_item(rd, v, &keys);
}

/* "io": "disk", or { "ref": "disk", "service": 80, "depth": 4, "resume": "condition" | "post": "semaphore" | "put": an item } */
int ev_io(struct reader *rd, struct body *b, struct json *v, struct step *st)
{
	static const struct key_row rows[] = {
		{ "ref", NULL }, { "service", NULL }, { "depth", NULL }, { "irq", NULL }, { "irq_cpus", NULL },
		{ "stray", NULL }, { "coalesce", NULL }, { "resume", NULL }, { "post", NULL }, { "put", NULL },
	};
	struct then then = { &st->ref2, false };
	struct json *resume, *post, *put;

	if (read_ref(rd, v, RES_DEVICE, "the name of a device", &st->ref))
		return -1;
	if (v->kind != JSON_OBJECT)
		return 0;
	if (READ_KEYS(rd, v, rows, UNKNOWN_ERROR, NULL) || describe_device(rd, v, st->ref))
		return -1;
	resume = json_get(v, "resume");
	post = json_get(v, "post");
	put = json_get(v, "put");
	if ((resume && then_resume(rd, resume, &then)) || (post && then_post(rd, post, &then)))
		return -1;
	if (!put)
		return 0;
	return then_once(rd, put, &then) ? -1 : io_put(rd, b, put, st);
}

/* Only a queue per CPU knows whose CPU an item is for. */
int puts_complete(struct reader *rd)
{
	const struct scenario *sc = rd->sc;
	u32 i, k;

	for (i = 0; i < sc->nr_tasks; i++) {
		const struct workload *load = &sc->tasks[i];

		for (k = 0; k < load->program.nr_steps; k++) {
			const struct step *st = &load->program.steps[k];

			if (st->kind != STEP_QUEUE_PUT || st->cpu == CPU_HERE || sc->resources[st->ref].per_cpu)
				continue;
			err_at(rd->err, load->at.file, load->at.line, load->at.column, st->key, "\"cpu\" of queue %s, which is one for all CPUs",
			       sc->resources[st->ref].name);
			err_hint(rd->err, "\"resources\": { \"%s\": { \"type\": \"queue\", \"per_cpu\": true } }", sc->resources[st->ref].name);
			return -1;
		}
	}
	return 0;
}

const struct json *resumed_by(enum step_kind kind, const struct json *v)
{
	const struct json *resume = v->kind == JSON_OBJECT ? json_get(v, "resume") : NULL, *put;

	if (kind == STEP_RESUME)
		return v;
	if (kind != STEP_IO && kind != STEP_QUEUE_PUT)
		return NULL;
	if (resume || kind == STEP_QUEUE_PUT || v->kind != JSON_OBJECT)
		return resume;
	put = json_get(v, "put");
	return put && put->kind == JSON_OBJECT ? json_get(put, "resume") : NULL;
}

/* ---- top-level resources ---- */

static int resource_queue(struct reader *rd, struct json *v, u32 index)
{
	struct json *capacity = json_get(v, "capacity"), *per_cpu = json_get(v, "per_cpu"), *measured = json_get(v, "measured");
	struct resource_spec *res = &rd->sc->resources[index];
	s64 number = 0;

	if (capacity && want_whole(rd, capacity, 0, 1000000000, "how many items the queue holds (0: any number)", &number))
		return -1;
	res->users = (u32)number;
	if ((per_cpu && want_bool(rd, per_cpu, &res->per_cpu)) || (measured && want_bool(rd, measured, &res->measured)))
		return -1;
	if (res->per_cpu && res->users)
		return refuse(rd, capacity, "no \"capacity\" of a queue per CPU");
	return 0;
}

static int resource_sem(struct reader *rd, struct json *v, u32 index)
{
	struct json *count = json_get(v, "count");
	s64 number = 0;

	if (count && want_whole(rd, count, 0, 1000000000, "how many may pass at the start", &number))
		return -1;
	rd->sc->resources[index].users = (u32)number;
	return 0;
}

/* Types of ours, that say something; rt-app's own types only name a resource and are met again where it is used. */
static const struct {
	const char *type;
	enum resource_kind kind;
	int (*read)(struct reader *rd, struct json *v, u32 index);
} resource_rows[] = {
	{ "device", RES_DEVICE, describe_device },
	{ "arrivals", RES_ARRIVAL, describe_arrivals },
	{ "queue", RES_QUEUE, resource_queue },
	{ "semaphore", RES_SEM, resource_sem },
};

static const char *const rtapp_types[] = {
	"mutex", "wait", "signal", "broad", "broadcast", "sync", "sleep", "run", "timer", "suspend", "resume", "barrier", "mem", "iorun", "sem",
};

static int unknown_type(struct reader *rd, const struct json *type)
{
	struct suggest s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rtapp_types); i++)
		if (!strcmp(type->text, rtapp_types[i]))
			return 0;
	refuse(rd, type, "device, arrivals, queue, semaphore or a type of rt-app's");
	suggest_init(&s, type->text);
	for (i = 0; i < ARRAY_SIZE(resource_rows); i++)
		suggest_offer(&s, resource_rows[i].type);
	for (i = 0; i < ARRAY_SIZE(rtapp_types); i++)
		suggest_offer(&s, rtapp_types[i]);
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

static int read_resource(struct reader *rd, struct json *v)
{
	struct json *type;
	u32 i, index;

	if (want_object(rd, v, "an object such as { \"type\": \"device\", \"service\": 80 }"))
		return -1;
	type = json_get_last(v, "type");
	if (!type || type->kind != JSON_STRING)
		return refuse(rd, type ? type : v, "a \"type\"");
	for (i = 0; i < ARRAY_SIZE(resource_rows); i++) {
		if (strcmp(type->text, resource_rows[i].type))
			continue;
		return resource_named(rd, v, resource_rows[i].kind, v->key, &index) || resource_rows[i].read(rd, v, index) ? -1 : 0;
	}
	return unknown_type(rd, type);
}

/* rt-app's oldest grammar has a number here: so many mutexes, called "0", "1", ... */
int read_resources(struct reader *rd, struct json *v)
{
	struct json *e;

	if (v->kind == JSON_NUMBER)
		return 0;
	if (want_object(rd, v, "an object of resources"))
		return -1;
	json_each(e, v)
		if (!key_is_silent(e->key) && read_resource(rd, e))
			return -1;
	return 0;
}
