/* SPDX-License-Identifier: MIT */
/*
 * override.c - changes to a scenario that was read, as a command line makes them.
 *
 * Law: each may be given again and then replaces the earlier one; on error nothing has changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "core/model.h"
#include "input/distro.h"
#include "input/limits.h"
#include "input/override.h"
#include "input/scenario_file.h"
#include "input/topology.h"
#include "text/number.h"
#include "text/suggest.h"

static int out_of_memory(struct err *err) { return err_set(err, ERR_HOST, "out of memory"); }

/* ---- kernel ---- */

static int no_such_kernel(const char *name, struct err *err)
{
	const char *near = nearest_kernel(name);

	err_at(err, NULL, 0, 0, "--kernel", "there is no kernel row \"%s\"", name);
	if (near)
		err_hint(err, "did you mean \"%s\"?  \"fairground kernels\" lists all rows", near);
	else
		err_hint(err, "\"fairground kernels\" lists all rows; what uname -r says is taken too");
	return -1;
}

/* A distribution's kernel: the nearest row, and how it was built, as far as that is known. */
static int set_distro_kernel(struct scenario *sc, const struct distro_kernel *k, struct err *err)
{
	u32 i;

	sc->kernel.row = k->row;
	if (k->hz)
		sc->machine.hz = k->hz;
	if (k->preempt >= 0)
		sc->machine.preempt = k->preempt;
	for (i = 0; i < DISTRO_RULES_MAX && k->rules[i]; i++)
		if (scenario_add_rule(sc, k->rules[i], err))
			return -1;
	return 0;
}

int scenario_set_kernel(struct scenario *sc, const char *name, struct err *err)
{
	struct distro_kernel distro;
	struct kernel_model model;
	char *copy;

	if (model_init(&model, name))
		return distro_kernel(name, &distro) ? no_such_kernel(name, err) : set_distro_kernel(sc, &distro, err);
	copy = arena_strdup(&sc->mem, name);
	if (!copy)
		return out_of_memory(err);
	sc->kernel.row = copy;
	return 0;
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
		for (k = 0; k < load->program.nr_steps; k++)
			if (load->program.steps[k].kind == STEP_QUEUE_PUT && load->program.steps[k].cpu > cpu)
				cpu = load->program.steps[k].cpu;
	}
	for (i = 0; i < sc->nr_resources; i++)
		for (k = 0; k < sc->resources[i].nr_irq_cpus; k++)
			if (sc->resources[i].irq_cpus[k] > cpu)
				cpu = sc->resources[i].irq_cpus[k];
	for (i = 0; i < sc->nr_at; i++) {
		higher_of(&cpu, sc, sc->at[i].cpus);
		if (sc->at[i].kind == AT_ONLINE && sc->at[i].cpu > cpu)
			cpu = sc->at[i].cpu;
	}
	return cpu;
}

static void set_size(struct scenario *sc, int cpus)
{
	int cpu;

	sc->machine.cpus = cpus;
	for (cpu = 0; sc->all_cpus && cpu < SCENARIO_MOST_CPUS; cpu++) {
		if (cpu < cpus)
			bit_set(sc->all_cpus, cpu);
		else
			bit_clear(sc->all_cpus, cpu);
	}
}

int scenario_set_cpus(struct scenario *sc, int cpus, struct err *err)
{
	int named = highest_named(sc);

	if (cpus < 1 || cpus > SCENARIO_MOST_CPUS)
		return err_at(err, NULL, 0, 0, "--cpus", "expected 1 to %d CPUs, found %d", SCENARIO_MOST_CPUS, cpus);
	if (cpus <= named)
		return err_at(err, NULL, 0, 0, "--cpus", "the scenario names CPU %d: expected at least %d CPUs, found %d", named,
			      named + 1, cpus);
	if (sc->machine.topology && sc->machine.topology->nr_cpus != cpus) {
		err_at(err, NULL, 0, 0, "--cpus", "the scenario's topology has %d CPUs, found %d", sc->machine.topology->nr_cpus, cpus);
		err_hint(err, "--topology flat makes any number of CPUs share one cache");
		return -1;
	}
	set_size(sc, cpus);
	return 0;
}

int scenario_set_topology(struct scenario *sc, const char *topology, struct err *err)
{
	struct topology *t = NULL;
	char *text = arena_strdup(&sc->mem, topology);
	int named = highest_named(sc);
	bool is_file = false;

	if (!text)
		return out_of_memory(err);
	if (strcmp(topology, "flat") && topology_find(&sc->mem, topology, &t, &is_file, err))
		return -1;
	if (t && t->nr_cpus <= named)
		return err_at(err, NULL, 0, 0, "--topology", "the scenario names CPU %d, and %s has %d CPU%s", named, topology,
			      t->nr_cpus, t->nr_cpus == 1 ? "" : "s");
	sc->machine.topology = t;
	sc->machine.topology_text = t && !is_file ? text : NULL;
	if (t)
		set_size(sc, t->nr_cpus);
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

enum { FILE_OTHER, FILE_LIMIT, FILE_BURST, FILE_WEIGHT };

static int kind_of(const char *file)
{
	static const struct { const char *file; int kind; } rows[] = {
		{ "cpu.max", FILE_LIMIT }, { "cpu.cfs_quota_us", FILE_LIMIT }, { "cpu.cfs_period_us", FILE_LIMIT },
		{ "cpu.max.burst", FILE_BURST }, { "cpu.cfs_burst_us", FILE_BURST },
		{ "cpu.weight", FILE_WEIGHT }, { "cpu.weight.nice", FILE_WEIGHT }, { "cpu.shares", FILE_WEIGHT },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(file, rows[i].file))
			return rows[i].kind;
	return FILE_OTHER;
}

static bool is_limited(const struct group_spec *g)
{
	u32 i;

	for (i = 0; i < g->nr_writes; i++)
		if (kind_of(g->writes[i].file) == FILE_LIMIT)
			return true;
	return false;
}

struct group_spec *override_only_group(struct scenario *sc)
{
	struct group_spec *limited = NULL;
	u32 i, nr = 0;

	for (i = 0; i < sc->nr_groups; i++) {
		if (!is_limited(&sc->groups[i]))
			continue;
		limited = &sc->groups[i];
		nr++;
	}
	if (nr == 1)
		return limited;
	return sc->nr_groups == 1 ? &sc->groups[0] : NULL;
}

static struct group_spec *only_group(struct scenario *sc, struct err *err)
{
	struct group_spec *g = override_only_group(sc);
	u32 i;

	if (g)
		return g;
	err_at(err, NULL, 0, 0, "--limit", sc->nr_groups ? "which group?" : "the scenario has no group");
	for (i = sc->nr_groups; i && !is_limited(&sc->groups[i - 1]); i--)
		;
	if (sc->nr_groups)
		err_hint(err, "say it, as in --limit %s=250m", sc->groups[i ? i - 1 : 0].path);
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
	else if (sc->nr_groups)
		err_hint(err, "the scenario has %s%s", sc->groups[0].path, sc->nr_groups > 1 ? " and others" : "");
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

bool override_speaks_v1(const struct scenario *sc, const struct group_spec *g)
{
	u32 i;

	for (i = 0; i < g->nr_writes; i++)
		if (!strncmp(g->writes[i].file, "cpu.cfs_", 8) || !strcmp(g->writes[i].file, "cpu.shares"))
			return true;
	return sc->machine.cgroup == 1;
}

/* A group's writes as they will be: the new ones first, then what stays of the old, in its order. */
struct change {
	struct scenario *sc;
	struct group_spec *g;
	struct place at;
	struct write_spec *writes;
	u32 nr;
};

static bool change_begin(struct change *c, struct scenario *sc, struct group_spec *g, const struct place *at)
{
	*c = (struct change){ .sc = sc, .g = g, .at = *at };
	c->writes = arena_alloc(&sc->mem, (g->nr_writes + 3) * sizeof(*g->writes));
	return c->writes;
}

static bool change_put(struct change *c, const char *file, const char *value)
{
	struct write_spec *w = &c->writes[c->nr++];

	*w = (struct write_spec){ .group = c->g->path, .file = file, .value = arena_strdup(&c->sc->mem, value), .at = c->at };
	return w->value;
}

static void change_end(struct change *c, u32 dropped_kinds)
{
	u32 i;

	for (i = 0; i < c->g->nr_writes; i++)
		if (!(dropped_kinds & 1u << kind_of(c->g->writes[i].file)))
			c->writes[c->nr++] = c->g->writes[i];
	c->g->writes = c->writes;
	c->g->nr_writes = c->nr;
}

/* In an order that a fresh group takes: v1's period while there is no quota; a burst once there is. */
static bool put_limit(struct change *c, bool v1, const struct limit *limit, u64 period)
{
	char text[LIMIT_TEXT];

	if (v1 && !(change_put(c, "cpu.cfs_period_us", limit_period_text(limit, period, text)) &&
		    change_put(c, "cpu.cfs_quota_us", limit_quota_text(limit, period, text))))
		return false;
	if (!v1 && !change_put(c, "cpu.max", limit_max_text(limit, period, text)))
		return false;
	return !limit->has_burst || !limit->burst ||
	       change_put(c, v1 ? "cpu.cfs_burst_us" : "cpu.max.burst", limit_burst_text(limit, text));
}

int override_limit(struct scenario *sc, struct group_spec *g, const struct limit *limit, const struct place *at)
{
	struct change c;

	if (!change_begin(&c, sc, g, at) || !put_limit(&c, override_speaks_v1(sc, g), limit, period_of(g)))
		return -1;
	change_end(&c, 1u << FILE_LIMIT | (limit->has_burst ? 1u << FILE_BURST : 0));
	return 0;
}

#define SHARES_OF_WEIGHT_100 1024

u64 override_weight_of(u64 shares)
{
	u64 weight = (shares * 100 + SHARES_OF_WEIGHT_100 / 2) / SHARES_OF_WEIGHT_100;

	return weight < 1 ? 1 : min_u64(weight, 10000);
}

int override_weight(struct scenario *sc, struct group_spec *g, u64 weight, u64 shares, const struct place *at)
{
	bool v1 = override_speaks_v1(sc, g);
	struct change c;
	char text[24];

	if (v1)
		snprintf(text, sizeof(text), "%" PRIu64, shares ? shares : (weight * SHARES_OF_WEIGHT_100 + 50) / 100);
	else
		snprintf(text, sizeof(text), "%" PRIu64, weight ? weight : override_weight_of(shares));
	if (!change_begin(&c, sc, g, at) || !change_put(&c, v1 ? "cpu.shares" : "cpu.weight", text))
		return -1;
	change_end(&c, 1u << FILE_WEIGHT);
	return 0;
}

/* The limit's writes come first, then what else is written to the group, in its order. */
int scenario_set_limit(struct scenario *sc, const char *spec, struct err *err)
{
	static const struct place at = { .file = "--limit" };
	struct group_spec *g;
	struct limit limit;

	if (limit_parse(spec, &limit, err))
		return -1;
	g = group_named(sc, &limit, err);
	if (!g)
		return -1;
	return override_limit(sc, g, &limit, &at) ? out_of_memory(err) : 0;
}
