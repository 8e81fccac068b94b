/* SPDX-License-Identifier: MIT */
/*
 * override.c - changes to a scenario that was read, as a command line makes them.
 *
 * Law: each may be given again and then replaces the earlier one; on error nothing has changed.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "core/model.h"
#include "input/limits.h"
#include "input/scenario_file.h"
#include "text/number.h"
#include "text/suggest.h"

static int out_of_memory(struct err *err) { return err_set(err, ERR_HOST, "out of memory"); }

/* ---- kernel ---- */

int scenario_set_kernel(struct scenario *sc, const char *row, struct err *err)
{
	struct kernel_model model;
	struct suggest s;
	char *copy;
	int i;

	if (!model_init(&model, row)) {
		copy = arena_strdup(&sc->mem, row);
		if (!copy)
			return out_of_memory(err);
		sc->kernel.row = copy;
		return 0;
	}
	err_at(err, NULL, 0, 0, "--kernel", "there is no kernel row \"%s\"", row);
	suggest_init(&s, row);
	for (i = 0; model_row_name(i); i++)
		suggest_offer(&s, model_row_name(i));
	if (suggest_best(&s))
		err_hint(err, "did you mean \"%s\"?  \"fairground kernels\" lists all rows", suggest_best(&s));
	else
		err_hint(err, "\"fairground kernels\" lists all rows");
	return -1;
}

/* The name a rule goes by: "bw_expiry" of "bw_expiry=none", "start_debit" of "NO_START_DEBIT". */
static void rule_key(const char *rule, char *key, size_t size)
{
	size_t len = strcspn(rule, "="), i;

	if (!rule[len] && !strncmp(rule, "NO_", 3)) {
		rule += 3;
		len -= 3;
	}
	len = min_u64(len, size - 1);
	for (i = 0; i < len; i++)
		key[i] = rule[i] >= 'A' && rule[i] <= 'Z' ? (char)(rule[i] - 'A' + 'a') : rule[i];
	key[len] = '\0';
}

static bool same_rule(const char *a, const char *b)
{
	char ka[64], kb[64];

	rule_key(a, ka, sizeof(ka));
	rule_key(b, kb, sizeof(kb));
	return !strcmp(ka, kb);
}

/* The rules of @k without those that set the same as @rule, and @rule behind them. */
int scenario_add_rule(struct scenario *sc, const char *rule, struct err *err)
{
	struct kernel_spec *k = &sc->kernel, before = *k;
	const char **rules = arena_alloc(&sc->mem, (k->nr_rules + 1) * sizeof(*rules));
	u32 i, nr = 0;

	if (!rules)
		return out_of_memory(err);
	for (i = 0; i < k->nr_rules; i++)
		if (!same_rule(k->rules[i], rule))
			rules[nr++] = k->rules[i];
	rules[nr] = arena_strdup(&sc->mem, rule);
	if (!rules[nr++])
		return out_of_memory(err);
	k->rules = rules;
	k->nr_rules = nr;
	if (!scenario_check_kernel(sc, err))
		return 0;
	*k = before;
	return -1;
}

static int bad_setting(const char *setting, struct err *err)
{
	err_at(err, NULL, 0, 0, "--tunable", "expected NAME=NUMBER, found \"%s\"", setting);
	err_hint(err, "for example sched_cfs_bandwidth_slice_us=1000");
	return -1;
}

int scenario_set_tunable(struct scenario *sc, const char *setting, struct err *err)
{
	struct kernel_spec *k = &sc->kernel, before = *k;
	size_t len = strcspn(setting, "=");
	const char **names = arena_alloc(&sc->mem, (k->nr_tunables + 1) * sizeof(*names));
	u64 *values = arena_alloc(&sc->mem, (k->nr_tunables + 1) * sizeof(*values)), value;
	char *name = arena_strndup(&sc->mem, setting, len);
	u32 i, nr = 0;

	if (!names || !values || !name)
		return out_of_memory(err);
	if (!setting[len] || num_whole_u64(setting + len + 1, strlen(setting + len + 1), INT64_MAX, &value) != NUM_OK)
		return bad_setting(setting, err);
	for (i = 0; i < k->nr_tunables; i++) {
		if (!strcmp(k->tunables[i], name))
			continue;
		names[nr] = k->tunables[i];
		values[nr++] = k->tunable_values[i];
	}
	names[nr] = name;
	values[nr++] = value;
	k->tunables = names;
	k->tunable_values = values;
	k->nr_tunables = nr;
	if (!scenario_check_kernel(sc, err))
		return 0;
	*k = before;
	return -1;
}

/* ---- machine ---- */

static int highest(const u64 *mask)
{
	int cpu, last = -1;

	for_each_bit(cpu, mask, SCENARIO_MOST_CPUS)
		last = cpu;
	return last;
}

static void higher_of(int *cpu, const struct scenario *sc, const u64 *mask)
{
	if (mask && mask != sc->all_cpus && highest(mask) > *cpu)
		*cpu = highest(mask);
}

/* The highest CPU number that the scenario names, -1: none. */
static int highest_named(const struct scenario *sc)
{
	int cpu = -1;
	u32 i, k;

	for (i = 0; i < sc->nr_tasks; i++) {
		const struct workload *load = &sc->tasks[i];

		higher_of(&cpu, sc, load->cpus);
		for (k = 0; k < load->nr_cpus_each; k++)
			if (load->cpus_each[k] > cpu)
				cpu = load->cpus_each[k];
		for (k = 0; k < load->program.nr_phases; k++)
			higher_of(&cpu, sc, load->program.phases[k].cpus);
	}
	for (i = 0; i < sc->nr_at; i++) {
		higher_of(&cpu, sc, sc->at[i].cpus);
		if (sc->at[i].kind == AT_ONLINE && sc->at[i].cpu > cpu)
			cpu = sc->at[i].cpu;
	}
	return cpu;
}

int scenario_set_cpus(struct scenario *sc, int cpus, struct err *err)
{
	int cpu, named = highest_named(sc);

	if (cpus < 1 || cpus > SCENARIO_MOST_CPUS)
		return err_at(err, NULL, 0, 0, "--cpus", "expected 1 to %d CPUs, found %d", SCENARIO_MOST_CPUS, cpus);
	if (cpus <= named)
		return err_at(err, NULL, 0, 0, "--cpus", "the scenario names CPU %d: expected at least %d CPUs, found %d", named,
			      named + 1, cpus);
	sc->machine.cpus = cpus;
	for (cpu = 0; sc->all_cpus && cpu < SCENARIO_MOST_CPUS; cpu++) {
		if (cpu < cpus)
			bit_set(sc->all_cpus, cpu);
		else
			bit_clear(sc->all_cpus, cpu);
	}
	return 0;
}

int scenario_set_hz(struct scenario *sc, const char *hz, struct err *err)
{
	s64 value;

	if (num_whole(hz, strlen(hz), 24, 10000, &value) != NUM_OK)
		return err_at(err, NULL, 0, 0, "--hz", "expected ticks a second (100, 250, 300, 1000), found \"%s\"", hz);
	sc->machine.hz = (u32)value;
	return 0;
}

int scenario_set_seed(struct scenario *sc, const char *seed, struct err *err)
{
	if (num_whole_u64(seed, strlen(seed), UINT64_MAX, &sc->seed) == NUM_OK)
		return 0;
	return err_at(err, NULL, 0, 0, "--seed", "expected a whole number, 0 or more, found \"%s\"", seed);
}

int scenario_set_duration(struct scenario *sc, const char *seconds, struct err *err)
{
	size_t len = strlen(seconds);
	u64 ns = 0;

	if (!strcmp(seconds, "-1"))
		ns = NEVER;
	else if (num_scaled(seconds, len, SEC, (u64)1000000000 * SEC, &ns) != NUM_OK || !ns)
		return err_at(err, NULL, 0, 0, "--duration", "expected seconds above 0, or -1 until all tasks exit, found \"%s\"",
			      seconds);
	sc->duration = ns;
	return 0;
}

/* ---- limits ---- */

/* The files a limit is made of. */
static bool is_limit_file(const char *file, bool burst)
{
	static const char *const quotas[] = { "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(quotas); i++)
		if (!strcmp(file, quotas[i]))
			return true;
	return burst && (!strcmp(file, "cpu.max.burst") || !strcmp(file, "cpu.cfs_burst_us"));
}

static bool is_limited(const struct group_spec *g)
{
	u32 i;

	for (i = 0; i < g->nr_writes; i++)
		if (is_limit_file(g->writes[i].file, false))
			return true;
	return false;
}

/* The only group with a limit, or the only one there is. */
static struct group_spec *only_group(struct scenario *sc, struct err *err)
{
	struct group_spec *limited = NULL;
	u32 i, nr = 0;

	for (i = 0; i < sc->nr_groups; i++) {
		if (!is_limited(&sc->groups[i]))
			continue;
		limited = &sc->groups[i];
		nr++;
	}
	if (nr == 1 || sc->nr_groups == 1)
		return nr == 1 ? limited : &sc->groups[0];
	err_at(err, NULL, 0, 0, "--limit", sc->nr_groups ? "which group?" : "the scenario has no group");
	if (sc->nr_groups)
		err_hint(err, "say it, as in --limit %s=250m", nr ? limited->path : sc->groups[0].path);
	return NULL;
}

static struct group_spec *group_named(struct scenario *sc, const struct limit *limit, struct err *err)
{
	struct suggest s;
	char path[256];
	u32 i;

	if (!limit->group)
		return only_group(sc, err);
	snprintf(path, sizeof(path), "%.*s", (int)limit->group_len, limit->group);
	suggest_init(&s, path);
	for (i = 0; i < sc->nr_groups; i++) {
		if (!strncmp(sc->groups[i].path, limit->group, limit->group_len) && !sc->groups[i].path[limit->group_len])
			return &sc->groups[i];
		suggest_offer(&s, sc->groups[i].path);
	}
	err_at(err, NULL, 0, 0, "--limit", "there is no group \"%s\"", path);
	if (suggest_best(&s))
		err_hint(err, "did you mean \"%s\"?", suggest_best(&s));
	return NULL;
}

/* The period @g gets by its own writes. */
static u64 period_of(const struct group_spec *g)
{
	u64 period = LIMIT_PERIOD, quota, us;
	u32 i;

	for (i = 0; i < g->nr_writes; i++) {
		const struct write_spec *w = &g->writes[i];

		if (!strcmp(w->file, "cpu.max")) {
			u64 with = 0;

			if (limit_from_max(w->value, &quota, &with) && strpbrk(w->value, " \t"))
				period = with;
		} else if (!strcmp(w->file, "cpu.cfs_period_us") &&
			   num_whole_u64(w->value, strlen(w->value), 1000000000, &us) == NUM_OK && us) {
			period = us * US;
		}
	}
	return period;
}

static bool speaks_v1(const struct group_spec *g)
{
	u32 i;

	for (i = 0; i < g->nr_writes; i++)
		if (!strncmp(g->writes[i].file, "cpu.cfs_", 8))
			return true;
	return false;
}

static bool put_write(struct scenario *sc, struct group_spec *g, const char *file, const char *value)
{
	struct write_spec *w = &g->writes[g->nr_writes++];

	*w = (struct write_spec){ .group = g->path, .file = file, .value = arena_strdup(&sc->mem, value),
				  .at = { .file = "--limit" } };
	return w->value;
}

/* Into the empty @g, in an order that a fresh group takes: v1's period while there is no quota; a burst once there is. */
static bool put_limit(struct scenario *sc, struct group_spec *g, bool v1, const struct limit *limit, u64 period)
{
	char text[LIMIT_TEXT];

	if (v1 && !(put_write(sc, g, "cpu.cfs_period_us", limit_period_text(limit, period, text)) &&
		    put_write(sc, g, "cpu.cfs_quota_us", limit_quota_text(limit, period, text))))
		return false;
	if (!v1 && !put_write(sc, g, "cpu.max", limit_max_text(limit, period, text)))
		return false;
	return !limit->has_burst ||
	       put_write(sc, g, v1 ? "cpu.cfs_burst_us" : "cpu.max.burst", limit_burst_text(limit, text));
}

/* The limit's writes come first, then what else is written to the group, in its order. */
int scenario_set_limit(struct scenario *sc, const char *spec, struct err *err)
{
	struct group_spec *g, changed;
	struct limit limit;
	u32 i;

	if (limit_parse(spec, &limit, err))
		return -1;
	g = group_named(sc, &limit, err);
	if (!g)
		return -1;
	changed = *g;
	changed.nr_writes = 0;
	changed.writes = arena_alloc(&sc->mem, (g->nr_writes + 3) * sizeof(*g->writes));
	if (!changed.writes || !put_limit(sc, &changed, speaks_v1(g) || sc->machine.cgroup == 1, &limit, period_of(g)))
		return out_of_memory(err);
	for (i = 0; i < g->nr_writes; i++)
		if (!is_limit_file(g->writes[i].file, limit.has_burst))
			changed.writes[changed.nr_writes++] = g->writes[i];
	*g = changed;
	return 0;
}
