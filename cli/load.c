/* SPDX-License-Identifier: MIT */
/* load.c - the scenario file of the command line. */
#include "cli/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shapes.h"
#include "cli/sniff.h"
#include "input/bytes.h"
#include "input/limits_from.h"
#include "input/scenario_file.h"
#include "text/number.h"

/* ---- bytes ---- */

/* What is no scenario, but something that another command reads, is better told so than by its first byte. */
static int check_kind(const struct source *src, struct err *err)
{
	static const struct { const char *what, *hint; } others[] = {
		[FILE_CPU_STAT] = { "counters of a cgroup, and no scenario", "fairground explain FILE says what follows from them" },
		[FILE_METRICS] = { "counters of containers, and no scenario", "fairground explain FILE says what follows from them" },
	};
	enum file_kind kind = file_kind_of(src->text, src->len);
	bool recording = kind == FILE_TRACE && (strstr(src->text, "sched_switch") || memchr(src->text, 0, min_u64(src->len, 4096)));

	if (recording) {
		err_at(err, src->path, 0, 0, NULL, "a recording, and no scenario");
		err_hint(err, "fairground doctor FILE says what is in it; explain and replay go on from there");
	} else if (kind == FILE_CPU_STAT || kind == FILE_METRICS) {
		err_at(err, src->path, 0, 0, NULL, "%s", others[kind].what);
		err_hint(err, "%s", others[kind].hint);
	} else if (kind == FILE_TRACE && strstr(src->text, "apiVersion:") && strstr(src->text, "kind:")) {
		err_at(err, src->path, 0, 0, NULL, "a Kubernetes manifest: it has limits, but no work that runs under them");
		err_hint(err, "fairground new writes a scenario; --limits-from FILE runs it under these limits");
	} else {
		return 0;
	}
	return -1;
}

/* A shape's name where its file was meant. */
static void hint_shape(const char *path, struct err *err)
{
	for (const struct shape *s = shapes; s->name; s++)
		if (!strcmp(path, s->name))
			err_hint(err, "fairground new %s -o %s.json writes one of that name", s->name, s->name);
}

int source_open(struct source *src, const char *path, struct err *err)
{
	memset(src, 0, sizeof(*src));
	src->path = bytes_name(path);
	src->text = bytes_read(path, &src->len, err);
	if (!src->text)
		hint_shape(path, err);
	return src->text ? check_kind(src, err) : -1;
}

void source_close(struct source *src)
{
	free(src->text);
	memset(src, 0, sizeof(*src));
}

/* ---- scenario ---- */

static void print_warnings(const char *kind, const struct warnings *w)
{
	char text[2048];
	u32 i;

	for (i = 0; i < w->nr; i++)
		fprintf(stderr, "fairground: %s: %s\n", kind, err_text(&w->list[i], text, sizeof(text)));
	if (w->left_out)
		fprintf(stderr, "fairground: ... and %u more of these\n", w->left_out);
}

/* What managers make of the limits in their files is said. */
static int apply_limits_from(struct scenario *sc, const struct variant *v, struct err *err)
{
	struct warnings w = { 0 };
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < v->nr_limits_from; i++)
		ret = scenario_set_limits_from(sc, v->limits_from[i], &v->manager, &w, err);
	print_warnings("note", &w);
	warnings_free(&w);
	return ret;
}

int variant_apply(struct scenario *sc, const struct variant *v, struct err *err)
{
	char hz[16];
	u32 i;

	if (v->kernel && scenario_set_kernel(sc, v->kernel, err))
		return -1;
	for (i = 0; i < v->nr_rules; i++)
		if (scenario_add_rule(sc, v->rules[i], err))
			return -1;
	for (i = 0; i < v->nr_tunables; i++)
		if (scenario_set_tunable(sc, v->tunables[i], err))
			return -1;
	if (apply_limits_from(sc, v, err))
		return -1;
	for (i = 0; i < v->nr_limits; i++)
		if (scenario_set_limit(sc, v->limits[i], err))
			return -1;
	if (v->topology && scenario_set_topology(sc, v->topology, err))
		return -1;
	if (v->topology && v->cpus && sc->machine.cpus != (int)v->cpus)
		return err_at(err, NULL, 0, 0, "--cpus", "%s has %d CPUs, found %d", v->topology, sc->machine.cpus, (int)v->cpus);
	for (i = 0; i < v->nr_cpusets; i++)
		if (scenario_set_cpuset(sc, v->cpusets[i], err))
			return -1;
	snprintf(hz, sizeof(hz), "%" PRIu64, v->hz);
	if (v->hz && scenario_set_hz(sc, hz, err))
		return -1;
	if (v->no_costs)
		sc->machine.costs = costs_none();
	return scenario_check_kernel(sc, err);
}

int source_scenario(struct source *src, const struct variant *v, struct scenario *sc, struct err *err)
{
	struct read_options opt = { .cpus = (int)v->cpus, .rtapp_compat = src->rtapp_compat, .no_topology = v->topology && v->cpus };
	struct warnings w = { 0 };
	int ret = scenario_read_with(&opt, src->path, src->text, src->len, sc, &w, err);

	if (!src->warned)
		print_warnings("warning", &w);
	src->warned = true;
	warnings_free(&w);
	if (ret)
		return -1;
	if (!variant_apply(sc, v, err))
		return 0;
	scenario_free(sc);
	return -1;
}

/* ---- published figures ---- */

static u64 figure(const struct json *obj, const char *key)
{
	const struct json *v = obj ? json_get(obj, key) : NULL;
	u64 n;

	return v && v->kind == JSON_NUMBER && num_whole_u64(v->text, v->len, UINT64_MAX, &n) == NUM_OK ? n : 0;
}

static const char *words(const struct json *obj, const char *key)
{
	const struct json *v = obj ? json_get(obj, key) : NULL;

	return v && v->kind == JSON_STRING ? v->text : NULL;
}

static const struct json *published_object(const struct source *src, struct arena *mem)
{
	struct err ignored = { 0 };
	const struct json *root = json_parse(src->path, src->text, src->len, mem, NULL, &ignored);
	const struct json *obj = root && root->kind == JSON_OBJECT ? json_get(root, "_published") : NULL;

	return obj && obj->kind == JSON_OBJECT ? obj : NULL;
}

/* "_published": { "15 ms": { "sched:sched_waking": "431,952", ... }, "15 ms, patch": {..} } */
static const char *published_words(void *ctx, const char *column, const char *row)
{
	const struct json *obj = json_get(ctx, column);

	return obj && obj->kind == JSON_OBJECT ? words(obj, row) : NULL;
}

bool source_published_table(const struct source *src, struct fsperf_published *p, struct arena *mem)
{
	const struct json *obj = published_object(src, mem);

	*p = (struct fsperf_published){ (void *)(uintptr_t)obj, published_words };
	return obj;
}

/*
 * "_published": { "source": "..", "before": { "iterations_M": 228, "throttled": 53, "usage_ms": 231 }, "after": {..},
 *		   "iterations": "2.2x", "usage": "2.1x" }
 */
bool source_published(const struct source *src, struct fibtest_published *p, struct arena *mem)
{
	const struct json *obj = published_object(src, mem);
	const struct json *before, *after;

	memset(p, 0, sizeof(*p));
	if (!obj)
		return false;
	before = json_get(obj, "before");
	after = json_get(obj, "after");
	p->source = words(obj, "source");
	p->iterations_ratio = words(obj, "iterations");
	p->usage_ratio = words(obj, "usage");
	p->before.iterations_m = figure(before, "iterations_M");
	p->before.throttled = figure(before, "throttled");
	p->before.usage_ms = figure(before, "usage_ms");
	p->after.iterations_m = figure(after, "iterations_M");
	p->after.throttled = figure(after, "throttled");
	p->after.usage_ms = figure(after, "usage_ms");
	return true;
}
