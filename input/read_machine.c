/* SPDX-License-Identifier: MIT */
/*
 * read_machine.c - "machine" and "kernel": the computer, and whose rules it follows.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/model.h"
#include "input/reader.h"
#include "text/number.h"
#include "text/suggest.h"

/* ---- machine ---- */

static int read_cpus(struct reader *rd, struct json *v, void *into)
{
	struct machine_spec *m = into;
	s64 cpus;

	if (want_whole(rd, v, 1, SCENARIO_MOST_CPUS, "a number of CPUs, 1 to 1024", &cpus))
		return -1;
	m->cpus = (int)cpus;
	return 0;
}

static int read_hz(struct reader *rd, struct json *v, void *into)
{
	struct machine_spec *m = into;
	s64 hz;

	if (want_whole(rd, v, 24, 10000, "ticks a second: 100, 250, 300 or 1000 (24 to 10000 are taken)", &hz))
		return -1;
	m->hz = (u32)hz;
	return 0;
}

static int read_cgroup(struct reader *rd, struct json *v, void *into)
{
	static const char *const words[] = { "v1", "v2" };
	struct machine_spec *m = into;
	s64 number;
	u32 word;

	if (v->kind == JSON_STRING) {
		if (want_word(rd, v, words, ARRAY_SIZE(words), &word))
			return -1;
		m->cgroup = (int)word + 1;
		return 0;
	}
	if (want_whole(rd, v, 1, 2, "1 or 2", &number))
		return -1;
	m->cgroup = (int)number;
	return 0;
}

static int read_ticks(struct reader *rd, struct json *v, void *into)
{
	static const char *const words[] = { "aligned", "skewed", "shuffled" }; /* enum tick_order */
	struct machine_spec *m = into;
	u32 word;

	if (want_word(rd, v, words, ARRAY_SIZE(words), &word))
		return -1;
	m->ticks = (enum tick_order)word;
	return 0;
}

/* In the order of enum preempt_model. */
static int read_preempt(struct reader *rd, struct json *v, void *into)
{
	static const char *const words[] = { "none", "voluntary", "full", "lazy" };
	struct machine_spec *m = into;
	u32 word;

	if (want_word(rd, v, words, ARRAY_SIZE(words), &word))
		return -1;
	m->preempt = (int)word;
	return 0;
}

static int read_nohz(struct reader *rd, struct json *v, void *into)
{
	return want_bool(rd, v, &((struct machine_spec *)into)->nohz);
}

static int read_hrtick(struct reader *rd, struct json *v, void *into)
{
	return want_bool(rd, v, &((struct machine_spec *)into)->hrtick);
}

/* A list: one skew a CPU.  A number: the clocks lie evenly between CPU 0's and one that is so much ahead of it. */
static int read_clock_skew(struct reader *rd, struct json *v, void *into)
{
	struct machine_spec *m = into;
	s64 *skew = arena_alloc(&rd->sc->mem, SCENARIO_MOST_CPUS * sizeof(*skew)), spread;
	struct json *e;
	int cpu = 0;

	if (!skew)
		return out_of_memory(rd);
	m->clock_skew = skew;
	if (v->kind != JSON_ARRAY) {
		if (want_us_signed(rd, v, &spread))
			return -1;
		for (cpu = 1; cpu < m->cpus; cpu++)
			skew[cpu] = (s64)((__int128)spread * cpu / (m->cpus - 1));
		return 0;
	}
	if (v->len > (u32)m->cpus)
		return refuse(rd, v, "at most one skew for each CPU of the machine");
	want_list(rd, v, "");
	json_each(e, v)
		if (want_us_signed(rd, e, &skew[cpu++]))
			return -1;
	return 0;
}

static int read_timer_slack(struct reader *rd, struct json *v, void *into)
{
	return want_us(rd, v, &((struct machine_spec *)into)->costs.timer_slack);
}

/* ---- costs ---- */

#define COST(name, member)                                                                                     \
	static int cost_##name(struct reader *rd, struct json *v, void *into)                                  \
	{                                                                                                      \
		return want_us(rd, v, &((struct costs *)into)->member);                                        \
	}
COST(switch, switch_)
COST(wakeup, wakeup)
COST(wakeup_released, wakeup_released)
COST(timer_irq, timer_irq)
COST(tick, tick)
COST(ipi, ipi)
COST(idle_exit, idle_exit)
COST(migrate, migrate)
COST(unthrottle, unthrottle)
COST(newidle, newidle)
COST(softirq, softirq)
COST(stopper, stopper)
COST(scan, scan)
COST(idle_poll, idle_poll)
#undef COST

static const struct key_row cost_rows[] = {
	{ "switch", cost_switch }, { "wakeup", cost_wakeup }, { "wakeup_released", cost_wakeup_released },	  { "timer_irq", cost_timer_irq },
	{ "tick", cost_tick },	   { "ipi", cost_ipi },		  { "idle_exit", cost_idle_exit },
	{ "migrate", cost_migrate }, { "unthrottle", cost_unthrottle }, { "newidle", cost_newidle },
	{ "softirq", cost_softirq }, { "stopper", cost_stopper },
	{ "scan", cost_scan }, { "idle_poll", cost_idle_poll },
};

static int read_costs(struct reader *rd, struct json *v, void *into)
{
	struct machine_spec *m = into;

	if (v->kind == JSON_STRING && !strcmp(v->text, "none")) {
		m->costs = costs_none();
		return 0;
	}
	if (want_object(rd, v, "\"none\", or an object of costs in us"))
		return -1;
	return READ_KEYS(rd, v, cost_rows, UNKNOWN_ERROR, &m->costs);
}

/* cpus, topology and costs come first, because topology, clock_skew_us and timer_slack_us build on them. */
static const struct key_row first_machine_rows[] = {
	{ "cpus", read_cpus },
	{ "costs", read_costs },
};
static const struct key_row second_machine_rows[] = {
	{ "topology", read_topology },
};

static const struct key_row machine_rows[] = {
	{ "cpus", NULL },	      { "costs", NULL },	    { "hz", read_hz },
	{ "cgroup", read_cgroup },    { "ticks", read_ticks },	    { "nohz", read_nohz },
	{ "preempt", read_preempt },  { "topology", NULL }, { "clock_skew_us", read_clock_skew },
	{ "timer_slack_us", read_timer_slack }, { "hrtick", read_hrtick },
};

int read_machine(struct reader *rd, struct json *v)
{
	struct machine_spec *m = &rd->sc->machine;

	if (want_object(rd, v, "an object such as { \"cpus\": 2, \"hz\": 250 }"))
		return -1;
	if (READ_KEYS(rd, v, first_machine_rows, UNKNOWN_SILENT, m))
		return -1;
	if (rd->opt.cpus)
		m->cpus = rd->opt.cpus;
	if (READ_KEYS(rd, v, second_machine_rows, UNKNOWN_SILENT, m))
		return -1;
	return READ_KEYS(rd, v, machine_rows, UNKNOWN_ERROR, m);
}

/* ---- kernel ---- */

static int read_row(struct reader *rd, struct json *v, void *into)
{
	struct kernel_spec *k = into;
	struct kernel_model model;
	struct suggest s;
	int i;

	if (want_string(rd, v, "the name of a kernel, such as \"5.4\"", &k->row))
		return -1;
	if (!model_init(&model, k->row))
		return 0;
	err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "there is no kernel row \"%s\"", k->row);
	suggest_init(&s, k->row);
	for (i = 0; model_row_name(i); i++)
		suggest_offer(&s, model_row_name(i));
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?  \"fairground kernels\" lists all rows", suggest_best(&s));
	else
		err_hint(rd->err, "\"fairground kernels\" lists all rows");
	return -1;
}

static int add_rule(struct reader *rd, struct kernel_spec *k, u32 *cap, const char *rule)
{
	const char **slot = append(rd, (void **)&k->rules, &k->nr_rules, cap, sizeof(*slot));

	if (!slot)
		return out_of_memory(rd);
	*slot = rule;
	return 0;
}

static int read_rules(struct reader *rd, struct json *v, void *into)
{
	struct kernel_spec *k = into;
	struct json *e;
	u32 cap = 0;

	if (want_list(rd, v, "a list of rules, such as [\"bw_expiry=none\"]"))
		return -1;
	json_each(e, v) {
		const char *rule;

		if (want_string(rd, e, "a rule such as \"bw_expiry=none\"", &rule) || add_rule(rd, k, &cap, rule))
			return -1;
	}
	return 0;
}

static int read_tunables(struct reader *rd, struct json *v, void *into)
{
	struct kernel_spec *k = into;
	struct json *e;
	s64 value;

	if (want_object(rd, v, "an object of tunables, such as { \"sched_cfs_bandwidth_slice_us\": 5000 }"))
		return -1;
	k->tunables = arena_alloc(&rd->sc->mem, v->len * sizeof(*k->tunables));
	k->tunable_values = arena_alloc(&rd->sc->mem, v->len * sizeof(*k->tunable_values));
	if (!k->tunables || !k->tunable_values)
		return out_of_memory(rd);
	json_each(e, v) {
		if (key_is_silent(e->key))
			continue;
		if (want_whole(rd, e, 0, INT64_MAX, "a whole number, 0 or more", &value))
			return -1;
		k->tunables[k->nr_tunables] = arena_strdup(&rd->sc->mem, e->key);
		k->tunable_values[k->nr_tunables] = (u64)value;
		if (!k->tunables[k->nr_tunables++])
			return out_of_memory(rd);
	}
	return 0;
}

static const struct key_row kernel_rows[] = {
	{ "row", read_row },
	{ "rules", read_rules },
	{ "tunables", read_tunables },
};

/* ---- do they go together? ---- */

static void suggest_rule(struct err *err, const char *rule)
{
	char name[64];
	struct suggest s;
	int i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(rule, "="), rule);
	suggest_init(&s, name);
	for (i = 0; i < NR_RULES; i++)
		suggest_offer(&s, rule_info((enum rule)i)->name);
	if (suggest_best(&s))
		err_hint(err, "did you mean \"%s\"?  \"fairground kernels\" lists all rules", suggest_best(&s));
	else
		err_hint(err, "\"fairground kernels\" lists all rules");
}

static void say_values(struct err *err, const char *rule)
{
	size_t len = strcspn(rule, "=");
	int i;

	for (i = 0; i < NR_RULES; i++) {
		const struct rule_info *info = rule_info((enum rule)i);

		if (strlen(info->name) == len && !strncmp(info->name, rule, len))
			err_hint(err, "%s may be %s", info->name, info->values);
	}
}

/* Is what stands before the = a rule's name? */
static bool names_rule(const char *rule)
{
	size_t len = strcspn(rule, "=");
	int i;

	for (i = 0; i < NR_RULES; i++)
		if (strlen(rule_info((enum rule)i)->name) == len && !strncmp(rule_info((enum rule)i)->name, rule, len))
			return true;
	return false;
}

/* Apply @rule to @model; an error stands at @v of @file (NULL and @key for the command line). */
static int apply_rule(struct kernel_model *model, const char *rule, const char *file, const struct json *v, const char *key,
		      struct err *err)
{
	const char *needs = NULL;
	int ret = model_set_rule(model, rule, &needs), line = v ? (int)v->line : 0, column = v ? (int)v->column : 0;

	if (!ret)
		return 0;
	if (needs) {
		err_at(err, file, line, column, key, "rule \"%s\" needs %s", rule, needs);
		err_hint(err, "give \"%s\" before it", needs);
	} else if (strchr(rule, '=') && rule[strcspn(rule, "=") + 1] && ret == -22) {
		err_at(err, file, line, column, key, "rule \"%s\" has no such value", rule);
		say_values(err, rule);
	} else if (names_rule(rule)) {
		err_at(err, file, line, column, key, "expected NAME=VALUE, found \"%s\"", rule);
		say_values(err, rule);
	} else {
		err_at(err, file, line, column, key, "there is no rule \"%s\"", rule);
		suggest_rule(err, rule);
	}
	return -1;
}

static int apply_tunable(struct kernel_model *model, const char *name, u64 value, const char *file, const struct json *v,
			 const char *key, struct err *err)
{
	int ret = model_set_tunable(model, name, value), i, line = v ? (int)v->line : 0, column = v ? (int)v->column : 0;
	struct suggest s;

	if (!ret)
		return 0;
	suggest_init(&s, name);
	for (i = 0; i < NR_PARAMS; i++) {
		const struct param_info *info = param_info((enum param)i);

		suggest_offer(&s, info->name);
		if (!strcmp(info->name, name))
			return err_at(err, file, line, column, key, "%llu is out of range: %s is from %llu to %llu %s",
				      (unsigned long long)value, name, (unsigned long long)info->lowest,
				      (unsigned long long)info->highest, info->unit);
	}
	err_at(err, file, line, column, key, "there is no tunable \"%s\"", name);
	if (suggest_best(&s))
		err_hint(err, "did you mean \"%s\"?", suggest_best(&s));
	else
		err_hint(err, "\"fairground kernels ROW\" lists a kernel's tunables");
	return -1;
}

int scenario_check_kernel(const struct scenario *sc, struct err *err)
{
	const struct kernel_spec *k = &sc->kernel;
	struct kernel_model model;
	u32 i;

	if (model_init(&model, k->row ? k->row : "5.10"))
		return err_at(err, NULL, 0, 0, "--kernel", "there is no kernel row \"%s\"", k->row);
	for (i = 0; i < k->nr_rules; i++)
		if (apply_rule(&model, k->rules[i], NULL, NULL, "--rule", err))
			return -1;
	for (i = 0; i < k->nr_tunables; i++)
		if (apply_tunable(&model, k->tunables[i], k->tunable_values[i], NULL, NULL, "--tunable", err))
			return -1;
	return 0;
}

/* The same with the places of the file. */
static int check_in_file(struct reader *rd, const struct json *v)
{
	const struct kernel_spec *k = &rd->sc->kernel;
	const struct json *rules = json_get(v, "rules"), *tunables = json_get(v, "tunables"), *e;
	struct kernel_model model;
	u32 i = 0;

	if (model_init(&model, k->row))
		return refuse(rd, v, "a kernel that exists");
	if (rules)
		json_each(e, rules)
			if (apply_rule(&model, k->rules[i++], rd->file, e, e->key, rd->err))
				return -1;
	i = 0;
	if (tunables)
		json_each(e, tunables) {
			if (key_is_silent(e->key))
				continue;
			if (apply_tunable(&model, k->tunables[i], k->tunable_values[i], rd->file, e, e->key, rd->err))
				return -1;
			i++;
		}
	return 0;
}

int read_kernel(struct reader *rd, struct json *v)
{
	if (v->kind == JSON_STRING)
		return read_row(rd, v, &rd->sc->kernel);
	if (want_object(rd, v, "the name of a kernel, or an object with row, rules, tunables"))
		return -1;
	return READ_KEYS(rd, v, kernel_rows, UNKNOWN_ERROR, &rd->sc->kernel) ? -1 : check_in_file(rd, v);
}
