/* SPDX-License-Identifier: MIT */
/*
 * measured.c - reads the lines of measurements.
 *
 *	{"case":"fib2","label":"5.10-after","vcpus":2,"hz":250,"t0_ns":2000000000,"spec":"name=fib2 ...",
 *	 "groups":[{"usage_us":402574,"nr_periods":40, ...}],"sets":[{"cpu_us":400008, ...}]}
 *
 * A figure of several runs of one case is an object with their min, median and max.
 * Law: a line has one group for each g= and one set for each t= of its spec, in their order.
 */
#include "oracle/measured.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"
#include "text/number.h"

#define LINE_MOST ((size_t)1 << 20)

struct line_reader {
	struct measured *m;
	struct arena *mem;
	struct err *err;
	const char *of_runs; /* which of several runs: "median", "min", "max" */
};

static int bad_line(struct line_reader *r, const struct json *at, const char *key, const char *expected)
{
	char found[64];

	err_at(r->err, r->m->file, r->m->line, at ? (int)at->column : 0, key, "expected %s, found %s", expected,
	       at ? json_show(at, found, sizeof(found)) : "none");
	return -1;
}

/* A number, or that of one of several runs. */
static const struct json *figure(const struct line_reader *r, const struct json *v)
{
	return v && v->kind == JSON_OBJECT ? json_get(v, r->of_runs) : v;
}

static int read_scaled(struct line_reader *r, const struct json *obj, const char *key, u64 scale, u64 *out)
{
	const struct json *v = figure(r, json_get(obj, key));

	if (!v || v->kind != JSON_NUMBER || num_scaled(v->text, v->len, scale, UINT64_MAX / 2, out) != NUM_OK)
		return bad_line(r, v ? v : obj, key, "a number");
	return 0;
}

/* Absent is 0. */
static int read_optional(struct line_reader *r, const struct json *obj, const char *key, u64 scale, u64 *out)
{
	*out = 0;
	return json_get(obj, key) ? read_scaled(r, obj, key, scale, out) : 0;
}

static int read_text(struct line_reader *r, const struct json *obj, const char *key, const char **out)
{
	const struct json *v = json_get(obj, key);

	if (!v || v->kind != JSON_STRING)
		return bad_line(r, v ? v : obj, key, "a text");
	*out = v->text;
	return 0;
}

static int read_times(struct line_reader *r, const struct json *set, const char *key, struct measured_times *t)
{
	const struct json *obj = json_get(set, key);

	if (!obj)
		return 0;
	if (read_optional(r, obj, "n", 1, &t->n) || read_optional(r, obj, "p50", US, &t->p50) ||
	    read_optional(r, obj, "p95", US, &t->p95) || read_optional(r, obj, "p99", US, &t->p99) ||
	    read_optional(r, obj, "max", US, &t->max) || read_optional(r, obj, "mean", US, &t->mean))
		return -1;
	return 0;
}

/* "threads_cpu_us", ascending, where threads chose their CPU: which thread got how much is chance, how unlike they are is not. */
static int read_thread_cpu(struct line_reader *r, const struct json *obj, u32 count, struct measured_set *s)
{
	const struct json *list = json_get(obj, "threads_cpu_us"), *v;
	u32 i = 0;

	if (!list)
		return 0;
	if (list->kind != JSON_ARRAY || list->len != count)
		return bad_line(r, list, "threads_cpu_us", "one number for each thread of the set");
	s->thread_cpu = arena_alloc(r->mem, count * sizeof(*s->thread_cpu));
	if (!s->thread_cpu)
		return err_set(r->err, ERR_HOST, "out of memory");
	json_each(v, list) {
		if (v->kind != JSON_NUMBER || num_scaled(v->text, v->len, US, SEC * 1000000, &s->thread_cpu[i]) != NUM_OK ||
		    (i && s->thread_cpu[i] < s->thread_cpu[i - 1]))
			return bad_line(r, v, "threads_cpu_us", "a number that is not below the one before it");
		i++;
	}
	return 0;
}

static int read_set(struct line_reader *r, const struct json *obj, u32 count, struct measured_set *s)
{
	s->migrations = NEVER;
	if (json_get(obj, "migrations") && read_scaled(r, obj, "migrations", 1, &s->migrations))
		return -1;
	if (read_thread_cpu(r, obj, count, s))
		return -1;
	if (read_scaled(r, obj, "cpu_us", US, &s->cpu) || read_scaled(r, obj, "loops", 1, &s->loops) ||
	    read_times(r, obj, "burn_wall_us", &s->burn_wall) || read_times(r, obj, "wake_late_us", &s->wake_late) ||
	    read_times(r, obj, "response_us", &s->response) || read_times(r, obj, "burn_cpu_us", &s->burn_cpu))
		return -1;
	/* Percentiles over several runs carry no count; each of their samples is a loop. */
	if (s->response.p50 && !s->response.n)
		s->response.n = s->wake_late.n = s->burn_wall.n = s->loops;
	return 0;
}

static int read_group(struct line_reader *r, const struct json *obj, struct measured_group *g)
{
	g->has_bandwidth = json_get(obj, "nr_periods") != NULL;
	g->has_burst = json_get(obj, "nr_bursts") != NULL;
	if (read_scaled(r, obj, "usage_us", US, &g->usage) || read_optional(r, obj, "nr_periods", 1, &g->nr_periods) ||
	    read_optional(r, obj, "nr_throttled", 1, &g->nr_throttled) ||
	    read_optional(r, obj, "throttled_us", US, &g->throttled) ||
	    read_optional(r, obj, "nr_bursts", 1, &g->nr_bursts) || read_optional(r, obj, "burst_us", US, &g->burst))
		return -1;
	return 0;
}

static const struct json *list_of(struct line_reader *r, const struct json *root, const char *key, u32 nr)
{
	const struct json *list = json_get(root, key);

	if (list && list->kind == JSON_ARRAY && list->len == nr)
		return list;
	bad_line(r, list ? list : root, key, "one element for each in the spec");
	return NULL;
}

static struct measured_group *read_groups(struct line_reader *r, const struct json *root)
{
	const struct json *list = list_of(r, root, "groups", r->m->spec.nr_groups), *v;
	struct measured_group *groups = arena_alloc(r->mem, r->m->spec.nr_groups * sizeof(*groups));
	u32 i = 0;

	if (!list || !groups)
		return NULL;
	json_each(v, list)
		if (read_group(r, v, &groups[i++]))
			return NULL;
	return groups;
}

static struct measured_set *read_sets(struct line_reader *r, const struct json *root)
{
	const struct json *list = list_of(r, root, "sets", r->m->spec.nr_sets), *v;
	struct measured_set *sets = arena_alloc(r->mem, r->m->spec.nr_sets * sizeof(*sets));
	u32 i = 0;

	if (!list || !sets)
		return NULL;
	json_each(v, list)
		if (read_set(r, v, r->m->spec.sets[i].count, &sets[i]))
			return NULL;
		else
			i++;
	return sets;
}

/* The figures, and where a line has several runs, how far they reach. */
static int read_figures(struct line_reader *r, const struct json *root)
{
	struct measured *m = r->m;

	r->of_runs = "median";
	m->groups = read_groups(r, root);
	m->sets = m->groups ? read_sets(r, root) : NULL;
	if (!m->sets)
		return -1;
	if (!json_get(root, "reps"))
		return 0;
	r->of_runs = "min";
	m->least_groups = read_groups(r, root);
	m->least_sets = read_sets(r, root);
	r->of_runs = "max";
	m->most_groups = read_groups(r, root);
	m->most_sets = read_sets(r, root);
	return m->least_groups && m->least_sets && m->most_groups && m->most_sets ? 0 : -1;
}

/* "phase_us" has -1 where none was found. */
static int read_phase(struct line_reader *r, const struct json *root)
{
	const struct json *list = json_get(root, "phase_us"), *v;
	u32 i = 0;

	r->m->phase = arena_alloc(r->mem, r->m->spec.nr_groups * sizeof(*r->m->phase));
	if (!r->m->phase)
		return err_set(r->err, ERR_HOST, "out of memory");
	while (i < r->m->spec.nr_groups)
		r->m->phase[i++] = NEVER;
	if (!list)
		return 0;
	if (!list_of(r, root, "phase_us", r->m->spec.nr_groups))
		return -1;
	i = 0;
	json_each(v, list) {
		if (v->kind != JSON_NUMBER)
			return bad_line(r, v, "phase_us", "a number");
		if (num_scaled(v->text, v->len, US, SEC, &r->m->phase[i]) != NUM_OK)
			r->m->phase[i] = NEVER;
		i++;
	}
	return 0;
}

static int read_guest(struct line_reader *r, const struct json *root)
{
	const char *label;

	if (read_text(r, root, "label", &label))
		return -1;
	r->m->guest = guest_find(label);
	return r->m->guest ? 0 : bad_line(r, json_get(root, "label"), "label", "a kernel that was measured");
}

/*
 * The measuring program works in blocks: a loop of 402 instructions, calibrated to 5 us when it starts, and what stands around it, after which it
 * ends its virtual CPU's turn.  Blocks of recorded hogs take 4.863 to 4.875 us with 12 times around, ticks included, and 2.852 to 2.857 with 7.
 */
#define BLOCK_LOOP ((u64)402)
#define BLOCK_LOOPS 12 /* as nearly all were calibrated */
#define BLOCK_LOOPS_MOST 10000
#define BLOCK_AROUND 40

static int read_head(struct line_reader *r, const struct json *root)
{
	struct measured *m = r->m;
	const struct json *cgroup = json_get(root, "cgroup"), *condition = json_get(root, "condition");
	const struct json *refused = json_get(root, "setup_err"); /* an errno below 0, or 0 */
	u64 vcpus, hz, loops;

	if (read_text(r, root, "case", &m->name) || read_guest(r, root) || read_scaled(r, root, "vcpus", 1, &vcpus) ||
	    read_scaled(r, root, "hz", 1, &hz) || read_optional(r, root, "t0_ns", 1, &m->t0) ||
	    read_optional(r, root, "blk_iters", 1, &loops))
		return -1;
	if (loops > BLOCK_LOOPS_MOST)
		return bad_line(r, root, "blk_iters", "at most 10000 turns of the measuring program's loop");
	m->block = (loops ? loops : BLOCK_LOOPS) * BLOCK_LOOP + BLOCK_AROUND;
	if (!vcpus || vcpus > 1024 || !hz || hz > 10000)
		return bad_line(r, root, "vcpus", "1 to 1024 CPUs and 1 to 10000 Hz");
	m->vcpus = (u32)vcpus;
	m->hz = (u32)hz;
	m->setup_failed = refused && refused->kind == JSON_NUMBER && strcmp(refused->text, "0");
	m->noisy = condition && condition->kind == JSON_STRING && !strcmp(condition->text, "noisy");
	m->cgroup = (cgroup && cgroup->kind == JSON_STRING && !strcmp(cgroup->text, "v2")) || !m->guest->real_machine ? 2 : 1;
	return json_get(root, "trace") ? read_text(r, root, "trace", &m->trace) : 0;
}

static int read_line(struct line_reader *r, const char *text, size_t len)
{
	const struct json *root = json_parse(r->m->file, text, len, r->mem, NULL, r->err);
	const char *spec;

	if (!root) {
		r->err->line = r->m->line;
		return -1;
	}
	if (root->kind != JSON_OBJECT)
		return bad_line(r, root, NULL, "an object");
	if (read_head(r, root) || read_text(r, root, "spec", &spec) ||
	    wl_parse(&r->m->spec, spec, r->mem, r->m->file, r->m->line, r->err))
		return -1;
	return read_figures(r, root) || read_phase(r, root) ? -1 : 0;
}

static const char *source_name(const char *path, struct arena *mem)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return arena_strndup(mem, name, strcspn(name, "."));
}

void measured_list_init(struct measured_list *list)
{
	list->first = NULL;
	list->tail = &list->first;
	list->nr = 0;
}

/* The same case of the same kernel, measured twice: each says of the other how far the real thing differs from itself. */
static void find_again(struct measured_list *list, struct measured *m)
{
	for (struct measured *other = list->first; other; other = other->next)
		if (other->guest == m->guest && other->vcpus == m->vcpus && !strcmp(other->name, m->name) && !m->noisy && !other->noisy) {
			m->again = other;
			other->again = m;
			return;
		}
}

static int append_line(struct measured_list *list, const char *path, int line, const char *text, size_t len,
		       struct arena *mem, struct err *err)
{
	struct measured *m = arena_alloc(mem, sizeof(*m));
	struct line_reader r = { .m = m, .mem = mem, .err = err };

	if (!m)
		return err_set(err, ERR_HOST, "out of memory");
	m->file = path;
	m->line = line;
	m->source = source_name(path, mem);
	if (read_line(&r, text, len))
		return -1;
	find_again(list, m);
	*list->tail = m;
	list->tail = &m->next;
	list->nr++;
	return 0;
}

int measured_read(struct measured_list *list, const char *path, struct arena *mem, struct err *err)
{
	FILE *f = fopen(path, "r");
	const char *name = arena_strdup(mem, path);
	char *text = NULL;
	size_t cap = 0;
	ssize_t len;
	int line = 0, ret = 0;

	if (!f || !name) {
		int why = f ? ENOMEM : errno;

		if (f)
			fclose(f);
		return err_at(err, path, 0, 0, NULL, "cannot be read: %s", strerror(why));
	}
	while (!ret && (len = getline(&text, &cap, f)) > 0) {
		line++;
		if ((size_t)len > LINE_MOST)
			ret = err_at(err, name, line, 0, NULL, "expected a line of at most 1 MB");
		else if (strspn(text, " \t\r\n") < (size_t)len)
			ret = append_line(list, name, line, text, (size_t)len, mem, err);
	}
	free(text);
	fclose(f);
	return ret;
}
