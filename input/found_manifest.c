/* SPDX-License-Identifier: MIT */
/*
 * found_manifest.c - Kubernetes manifests: what kubelet and the container runtime write into a pod's cgroups.
 *
 *	limits.cpu: 250m	quota = milli * period / 1000, at least 1 ms, in 100 ms		container
 *	requests.cpu: 100m	shares = milli * 1024 / 1000, 2 to 262144; without a request the limit counts
 *	the pod			the sum of both; a quota only where every container has a limit
 *
 * A pod is wherever "containers" stands, whatever the kind around it.  Init containers count for the pod as the API has it: those
 * that restart always (sidecars) add to the sum, each other is alone with the sidecars before it.
 */
#include <stdio.h>
#include <string.h>

#include "input/found.h"
#include "input/yaml_lite.h"
#include "text/number.h"

#define NANO ((u64)1000000000)
#define MILLI (NANO / 1000)
#define MOST_CPUS 1000000
#define LEAST_SHARES 2
#define MOST_SHARES 262144

/* CPU amounts in 1/1000; 0: not given. */
struct demand {
	u64 limit, request;
	bool all_limited; /* of a sum: every part has a limit */
};

static int refuse(struct finding *f, const struct json *v, const char *expected)
{
	char found[96];

	return err_at(f->err, f->file, (int)v->line, (int)v->column, v->key, "expected %s, found %s", expected,
		      json_show(v, found, sizeof(found)));
}

/* ---- quantities ---- */

/* "500m", "0.5", "2": a quantity in 1/1000 CPUs, rounded up as the API server does. */
static int read_quantity(struct finding *f, const struct json *v, u64 *milli)
{
	static const struct { const char *suffix; u64 nano; } units[] = {
		{ "", NANO }, { "m", MILLI }, { "u", MILLI / 1000 }, { "n", 1 }, { "k", NANO * 1000 },
	};
	bool has_text = v->kind == JSON_STRING || v->kind == JSON_NUMBER;
	size_t i, n = has_text ? num_span(v->text, v->len) : 0;
	u64 nano;

	for (i = 0; n && i < ARRAY_SIZE(units); i++) {
		if (strcmp(v->text + n, units[i].suffix) || num_scaled(v->text, n, units[i].nano, MOST_CPUS * NANO, &nano) != NUM_OK)
			continue;
		*milli = (nano + MILLI - 1) / MILLI;
		return 0;
	}
	refuse(f, v, "CPUs as in 500m, 0.5 or 2");
	if (n && !strcmp(v->text + n, "%"))
		err_hint(f->err, "Kubernetes knows no percents: 50%% of a CPU is 500m");
	else if (n && strchr("KMGT", v->text[n]) && v->text[n])
		err_hint(f->err, "this looks like an amount of memory");
	return -1;
}

static struct json *member(const struct json *obj, const char *key)
{
	return obj && obj->kind == JSON_OBJECT ? json_get_last(obj, key) : NULL;
}

/* resources.limits.cpu or requests.cpu of @resources, 0 where there is none. */
static int read_cpu(struct finding *f, const struct json *resources, const char *which, u64 *milli)
{
	const struct json *list = member(resources, which), *cpu = member(list, "cpu");

	*milli = 0;
	if (list && list->kind != JSON_OBJECT && list->kind != JSON_NULL)
		return refuse(f, list, "an object such as { cpu: 500m }");
	return cpu && cpu->kind != JSON_NULL ? read_quantity(f, cpu, milli) : 0;
}

static int read_demand(struct finding *f, const struct json *container, struct demand *d)
{
	const struct json *resources = member(container, "resources");

	if (resources && resources->kind != JSON_OBJECT && resources->kind != JSON_NULL)
		return refuse(f, resources, "an object with limits and requests");
	if (read_cpu(f, resources, "limits", &d->limit) || read_cpu(f, resources, "requests", &d->request))
		return -1;
	d->all_limited = d->limit > 0;
	if (d->limit && d->request > d->limit) {
		refuse(f, member(member(resources, "requests"), "cpu"), "a request no larger than the limit");
		return -1;
	}
	if (!d->request && !member(member(resources, "requests"), "cpu"))
		d->request = d->limit;
	return 0;
}

/* ---- into cgroups ---- */

static u64 shares_of(u64 milli)
{
	u64 shares = milli * 1024 / 1000;

	return shares < LEAST_SHARES ? LEAST_SHARES : min_u64(shares, MOST_SHARES);
}

static void put_demand(struct finding *f, struct found *it, const struct demand *d)
{
	it->shares = shares_of(d->request);
	it->weight = manager_weight(it->shares, f->manager->new_weights);
	it->other_weight = manager_weight(it->shares, !f->manager->new_weights);
	it->has_limit = true;
	it->limit = (struct limit){ .unlimited = !d->all_limited, .by_cpus = true, .amount = d->limit * MILLI };
	if (it->limit.unlimited)
		return;
	found_drive(f, it, DRIVER_KUBELET, "kubelet asks for at least 1 ms");
	if (f->manager->systemd)
		found_drive(f, it, DRIVER_RUNC_SYSTEMD,
			    "runc's systemd driver rounds up to whole percents (older ones write the exact quota to the container itself)");
}

static int put(struct finding *f, const char *pod, const char *container, const struct json *v, const struct demand *d)
{
	char name[512];
	struct found *it;

	snprintf(name, sizeof(name), container ? "%s/%s" : "%s", pod, container);
	it = found_add(f, name, (int)v->line, (int)v->column);
	if (!it)
		return -1;
	put_demand(f, it, d);
	return 0;
}

/* ---- pods ---- */

static void add(struct demand *sum, const struct demand *d)
{
	sum->limit += d->limit;
	sum->request += d->request;
	sum->all_limited &= d->all_limited;
}

static void raise(struct demand *to, const struct demand *d)
{
	to->limit = max_u64(to->limit, d->limit);
	to->request = max_u64(to->request, d->request);
	to->all_limited &= d->all_limited;
}

static int read_container(struct finding *f, const char *pod, const struct json *v, struct demand *d)
{
	const struct json *name = member(v, "name");

	if (v->kind != JSON_OBJECT)
		return refuse(f, v, "a container: an object with a name");
	if (!name || name->kind != JSON_STRING || !name->len)
		return refuse(f, name ? name : v, "a container with a \"name\"");
	if (strchr(name->text, '/'))
		return refuse(f, name, "a name without slashes");
	return read_demand(f, v, d) ? -1 : put(f, pod, name->text, v, d);
}

static bool is_sidecar(const struct json *v)
{
	const struct json *restarts = member(v, "restartPolicy");

	return restarts && restarts->kind == JSON_STRING && !strcmp(restarts->text, "Always");
}

static int want_containers(struct finding *f, const struct json *v)
{
	return v->kind == JSON_ARRAY || v->kind == JSON_NULL ? 0 : refuse(f, v, "a list of containers");
}

/* The sum of @spec's containers, and the most that any init container needs. */
static int read_pod(struct finding *f, const struct json *spec, const char *pod)
{
	const struct json *containers = member(spec, "containers"), *init = member(spec, "initContainers"), *v;
	struct demand sum = { .all_limited = true }, sidecars = sum, peak = sum, d;

	if (want_containers(f, containers) || (init && want_containers(f, init)))
		return -1;
	if (!containers->child)
		return refuse(f, containers, "at least one container");
	if (init)
		json_each(v, init) {
			if (read_container(f, pod, v, &d))
				return -1;
			if (is_sidecar(v)) {
				add(&sidecars, &d);
				raise(&peak, &sidecars);
			} else {
				add(&d, &sidecars);
				raise(&peak, &d);
			}
		}
	json_each(v, containers) {
		if (read_container(f, pod, v, &d))
			return -1;
		add(&sum, &d);
	}
	add(&sum, &sidecars);
	raise(&sum, &peak);
	return put(f, pod, NULL, spec, &sum);
}

/* Every pod below @v; @name is that of the object around it. */
static int walk(struct finding *f, const struct json *v, const char *name, u32 *pods)
{
	const struct json *own = member(member(v, "metadata"), "name"), *e;

	if (v->kind != JSON_OBJECT && v->kind != JSON_ARRAY)
		return 0;
	if (own && own->kind == JSON_STRING)
		name = own->text;
	if (member(v, "containers")) {
		++*pods;
		return read_pod(f, v, name);
	}
	json_each(e, v)
		if (walk(f, e, name, pods))
			return -1;
	return 0;
}

/* Does "resources" stand anywhere?  Then this is perhaps what manifests are made from. */
static bool speaks_of_resources(const struct json *v)
{
	const struct json *e;

	json_each(e, v)
		if ((e->key && !strcmp(e->key, "resources")) || speaks_of_resources(e))
			return true;
	return false;
}

static int no_pod(struct finding *f, const struct json *docs)
{
	err_at(f->err, f->file, 1, 1, NULL, "expected a Kubernetes manifest, found nothing with \"containers\"");
	if (speaks_of_resources(docs))
		err_hint(f->err, "are these values for a chart?  Then render it first: helm template CHART > FILE");
	else
		err_hint(f->err, "a systemd unit ends in .service, .slice, .scope or .conf; a cgroup is a directory");
	return -1;
}

static bool looks_like_json(const char *text, size_t len)
{
	while (len && *text && strchr(" \t\r\n", *text)) {
		text++;
		len--;
	}
	return len && *text == '{';
}

int found_in_manifest(struct finding *f, const char *text, size_t len)
{
	struct json *docs = looks_like_json(text, len) ? json_parse(f->file, text, len, &f->mem, NULL, f->err) :
				      yaml_lite_parse(f->file, text, len, &f->mem, f->err);
	u32 pods = 0;

	if (!docs || walk(f, docs, "pod", &pods))
		return -1;
	if (!pods)
		return no_pod(f, docs);
	return 0;
}
