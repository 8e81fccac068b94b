/* SPDX-License-Identifier: MIT */
/*
 * scenario_json.c - a scenario as JSON: the machine and what it runs; what tasks do is in scenario_json_task.c.
 *
 * Whatever differs from the default of the language is written, in the order in which docs/scenario.md tells it.
 */
#include "report/scenario_json.h"

#include <stdlib.h>
#include <string.h>

#include "report/scenario_json_impl.h"
#include "report/topology_json.h"
#include "text/utf8.h"
#include "work/dist.h"

int cannot_write(struct scenario_writer *w, const char *what, const char *name)
{
	return err_set(w->err, ERR_INPUT, "as JSON there is no way to write %s%s%s", what, *name ? " " : "", name);
}

static int out_of_memory(struct scenario_writer *w) { return err_set(w->err, ERR_HOST, "out of memory while writing a scenario"); }

/* ---- names ---- */

/* @name as it will be read back: bytes that are no UTF-8 cannot stand in JSON. */
static char *clean(struct scenario_writer *w, const char *prefix, const char *name)
{
	size_t left = strlen(name), at = strlen(prefix);
	char *out = arena_alloc(&w->mem, at + left + 1);

	if (!out)
		return NULL;
	memcpy(out, prefix, at);
	while (left) {
		u32 c;
		size_t n = utf8_next(name, left, &c);

		if (n == 1 && c == UTF8_BAD)
			out[at] = '?';
		else
			memcpy(out + at, name, n);
		at += n;
		name += n;
		left -= n;
	}
	out[at] = '\0';
	return out;
}

/* Would the reader take a task or resource of this name for a note? */
static bool reads_as_note(const char *name) { return !*name || strchr("-_#", *name) || !strncmp(name, "comment", 7); }

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* 1: some label of the @nr stands twice; 0: none; -1: out of memory. */
static int has_twins(struct scenario_writer *w, const char *const *labels, u32 nr)
{
	const char **sorted = arena_alloc(&w->mem, ((u64)nr + 1) * sizeof(*sorted));

	if (!sorted)
		return -1;
	for (u32 i = 0; i < nr; i++)
		sorted[i] = labels[i];
	qsort(sorted, nr, sizeof(*sorted), by_text);
	for (u32 i = 1; i < nr; i++)
		if (!strcmp(sorted[i - 1], sorted[i]))
			return 1;
	return 0;
}

/* Where one name stands twice all get their number behind them: then no two can be the same. */
static int number_labels(struct scenario_writer *w, const char **labels, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		size_t size = strlen(labels[i]) + 12;
		char *numbered = arena_alloc(&w->mem, size);

		if (!numbered)
			return out_of_memory(w);
		snprintf(numbered, size, "%s.%u", labels[i], i);
		labels[i] = numbered;
	}
	return 0;
}

static int make_labels(struct scenario_writer *w, const char ***out, u32 nr, const char *(*name)(const struct scenario *sc, u32 i))
{
	const char **labels = arena_alloc(&w->mem, ((u64)nr + 1) * sizeof(*labels));
	int twins;

	if (!labels)
		return out_of_memory(w);
	*out = labels;
	for (u32 i = 0; i < nr; i++) {
		labels[i] = clean(w, reads_as_note(name(w->sc, i)) ? "task " : "", name(w->sc, i));
		if (!labels[i])
			return out_of_memory(w);
	}
	twins = has_twins(w, labels, nr);
	return twins < 0 ? out_of_memory(w) : twins ? number_labels(w, labels, nr) : 0;
}

static const char *task_name(const struct scenario *sc, u32 i) { return sc->tasks[i].name; }
static const char *resource_name(const struct scenario *sc, u32 i) { return sc->resources[i].name; }

int put_path(struct scenario_writer *w, const char *path)
{
	char *text = clean(w, "", path);

	if (!text)
		return out_of_memory(w);
	json_string(w->j, text);
	return 0;
}

/* ---- numbers ---- */

int put_us(struct scenario_writer *w, u64 ns)
{
	if (ns > DRAW_MOST)
		return cannot_write(w, "a time of more than 31 years", "");
	json_decimal(w->j, ns, 3);
	return 0;
}

int put_us_of(struct scenario_writer *w, const char *key, u64 ns)
{
	json_key(w->j, key);
	return put_us(w, ns);
}

/* ---- machine and kernel ---- */

static bool costs_nothing(const struct costs *c)
{
	return !(c->switch_ | c->wakeup | c->timer_irq | c->tick | c->ipi | c->idle_exit | c->migrate | c->unthrottle | c->newidle |
		 c->softirq | c->stopper | c->scan | c->idle_poll | c->timer_slack) && c->wakeup_released == NEVER;
}

static int put_costs(struct scenario_writer *w, const struct costs *c)
{
	const struct { const char *key; u64 ns; } rows[] = {
		{ "switch", c->switch_ }, { "wakeup", c->wakeup }, { "wakeup_released", c->wakeup_released },
		{ "timer_irq", c->timer_irq }, { "tick", c->tick }, { "ipi", c->ipi }, { "idle_exit", c->idle_exit },
		{ "migrate", c->migrate }, { "unthrottle", c->unthrottle }, { "newidle", c->newidle },
		{ "softirq", c->softirq }, { "stopper", c->stopper },
		{ "scan", c->scan }, { "idle_poll", c->idle_poll },
	};

	if (costs_nothing(c)) {
		json_put_string(w->j, "costs", "none");
		return 0;
	}
	if (put_us_of(w, "timer_slack_us", c->timer_slack))
		return -1;
	json_put_begin_line(w->j, "costs", '{');
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].ns != NEVER && put_us_of(w, rows[i].key, rows[i].ns))
			return -1;
	json_end(w->j);
	return 0;
}

static int put_machine(struct scenario_writer *w)
{
	static const char *const preempts[] = { "none", "voluntary", "full", "lazy" }; /* enum preempt_model */
	const struct machine_spec *m = &w->sc->machine;

	if (m->clock_skew)
		return cannot_write(w, "clocks that are apart", "");
	json_put_begin(w->j, "machine", '{');
	json_put_s64(w->j, "cpus", m->cpus);
	json_put_u64(w->j, "hz", m->hz);
	if (m->cgroup)
		json_put_s64(w->j, "cgroup", m->cgroup);
	if (m->ticks != TICKS_ALIGNED)
		json_put_string(w->j, "ticks", tick_order_name(m->ticks));
	if (!m->nohz)
		json_put_bool(w->j, "nohz", false);
	if (m->preempt >= 0)
		json_put_string(w->j, "preempt", preempts[m->preempt]);
	machine_topology_json(w->j, m);
	if (m->hrtick)
		json_put_bool(w->j, "hrtick", true);
	if (put_costs(w, &m->costs))
		return -1;
	json_end(w->j);
	return 0;
}

static void put_kernel(struct scenario_writer *w)
{
	const struct kernel_spec *k = &w->sc->kernel;

	if (!k->nr_rules && !k->nr_tunables) {
		if (k->row)
			json_put_string(w->j, "kernel", k->row);
		return;
	}
	json_put_begin(w->j, "kernel", '{');
	if (k->row)
		json_put_string(w->j, "row", k->row);
	if (k->nr_rules) {
		json_put_begin_line(w->j, "rules", '[');
		for (u32 i = 0; i < k->nr_rules; i++)
			json_string(w->j, k->rules[i]);
		json_end(w->j);
	}
	if (k->nr_tunables) {
		json_put_begin(w->j, "tunables", '{');
		for (u32 i = 0; i < k->nr_tunables; i++)
			json_put_u64(w->j, k->tunables[i], k->tunable_values[i]);
		json_end(w->j);
	}
	json_end(w->j);
}

/* ---- groups ---- */

/* "/a/b" without an empty part, "." or "..". */
static bool path_is_good(const char *path)
{
	const char *p = path;

	while (*p == '/') {
		size_t len = strcspn(p + 1, "/");

		if (!len || (len == 1 && p[1] == '.') || (len == 2 && p[1] == '.' && p[2] == '.'))
			return false;
		p += 1 + len;
	}
	return !*p && p != path;
}

static int put_write(struct scenario_writer *w, const struct write_spec *write)
{
	json_key(w->j, write->file);
	if (!write->expect) {
		json_string(w->j, write->value);
		return 0;
	}
	json_begin_line(w->j, '{');
	json_put_string(w->j, "value", write->value);
	json_put_string(w->j, "expect", write->expect);
	json_end(w->j);
	return 0;
}

static int put_group(struct scenario_writer *w, const struct group_spec *g)
{
	char *path = clean(w, "", g->path);

	if (!path)
		return out_of_memory(w);
	if (!path_is_good(g->path))
		return cannot_write(w, "a group with the path", g->path);
	if (w->sc->nr_groups > 1 && strcmp(path, g->path))
		return cannot_write(w, "one of several groups whose path is no UTF-8:", g->path);
	json_put_begin(w->j, path, '{');
	for (u32 i = 0; i < g->nr_writes; i++)
		if (put_write(w, &g->writes[i]))
			return -1;
	if (g->phase_set && g->phase_random)
		json_put_string(w->j, "period_phase", "random");
	else if (g->phase_set && put_us_of(w, "period_phase", g->phase))
		return -1;
	json_end(w->j);
	return 0;
}

/* Groups that only a task names come back by themselves. */
static int put_groups(struct scenario_writer *w)
{
	json_put_begin(w->j, "groups", '{');
	for (u32 i = 0; i < w->sc->nr_groups; i++) {
		const struct group_spec *g = &w->sc->groups[i];

		if ((g->declared || g->nr_writes || g->phase_set) && put_group(w, g))
			return -1;
	}
	json_end(w->j);
	return 0;
}

/* ---- the run ---- */

static int put_run(struct scenario_writer *w)
{
	const struct scenario *sc = w->sc;

	json_put_begin_line(w->j, "global", '{');
	json_key(w->j, "duration");
	if (sc->duration == NEVER)
		json_s64(w->j, -1);
	else
		json_decimal(w->j, sc->duration, 9);
	json_end(w->j);
	json_put_u64(w->j, "seed", sc->seed);
	if (sc->history)
		json_put_bool(w->j, "history", true);
	if (sc->present)
		json_put_string(w->j, "present", sc->present);
	if (sc->start_phase && put_us_of(w, "start_phase", sc->start_phase))
		return -1;
	if (!sc->measure_from && sc->measure_to == NEVER)
		return 0;
	json_put_begin_line(w->j, "measure", '{');
	if (put_us_of(w, "from", sc->measure_from) || (sc->measure_to != NEVER && put_us_of(w, "to", sc->measure_to)))
		return -1;
	json_end(w->j);
	return 0;
}

static int put_all(struct scenario_writer *w)
{
	if (make_labels(w, &w->tasks, w->sc->nr_tasks, task_name) ||
	    make_labels(w, &w->resources, w->sc->nr_resources, resource_name))
		return -1;
	if (w->sc->nr_at)
		return cannot_write(w, "what happens at a later time (\"at\")", "");
	json_begin(w->j, '{');
	json_put_string(w->j, "name", w->sc->name);
	if (put_machine(w))
		return -1;
	put_kernel(w);
	if (put_groups(w) || put_run(w) || put_resources(w) || put_tasks(w))
		return -1;
	json_end(w->j);
	return 0;
}

int scenario_json(struct json_write *j, const struct scenario *sc, struct err *err)
{
	struct scenario_writer w = { .j = j, .sc = sc, .err = err };
	int ret;

	arena_init(&w.mem, sc->mem.get, sc->mem.put, sc->mem.ctx);
	ret = put_all(&w);
	arena_fini(&w.mem);
	return ret;
}
