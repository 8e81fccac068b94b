/* SPDX-License-Identifier: MIT */
/*
 * plan.c - what can run for real, and the same words for both sides.
 *
 *	v2 cpu.max "25000 100000"	<->	v1 cpu.cfs_period_us "100000", then cpu.cfs_quota_us "25000"
 *	v2 cpu.weight w			<->	v1 cpu.shares w * 1024 / 100, as the kernel converts
 *
 * Law: a refusal names the place in the scenario's file.
 */
#include "live/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "live/topology.h"
#include "owner/result.h" /* enum sched_policy */

/* ---- what cannot be ---- */

static int refuse(const struct place *at, const char *key, struct err *err, const char *what, const char *hint)
{
	err_at(err, at->file, at->line, at->column, key, "%s", what);
	err_hint(err, "%s", hint);
	return -1;
}

static const struct refused_step {
	int kind;
	const char *what, *hint;
} refused_steps[] = {
	{ STEP_SYS, "work inside one system call cannot be had for real: no call takes a length", "use run, or simulate it: fairground run" },
	{ STEP_FORK, "threads that are started by threads cannot be measured", "give the task instances and let them wait for a condition" },
	{ STEP_EXEC, "a program that becomes another cannot be measured", "leave \"execve\" out, or simulate it: fairground run" },
};

static bool is_per_cpu_queue(const struct scenario *sc, const struct step *st)
{
	return (st->kind == STEP_QUEUE_PUT || st->kind == STEP_QUEUE_GET) && sc->resources[st->ref].per_cpu;
}

static int check_step(const struct scenario *sc, const struct workload *w, const struct step *st, struct err *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused_steps); i++)
		if (st->kind == refused_steps[i].kind)
			return refuse(&w->at, st->key ? st->key : w->name, err, refused_steps[i].what, refused_steps[i].hint);
	if (st->kind == STEP_IO && st->ref2 != REF_NONE)
		return refuse(&w->at, st->key ? st->key : w->name, err, "a device that wakes somebody later cannot be had for real",
			      "let the task itself wait: a device without \"resume\", \"post\" or \"put\" is a sleep");
	if (is_per_cpu_queue(sc, st))
		return refuse(&w->at, st->key ? st->key : w->name, err, "a queue per CPU is the kernel's: no program has one",
			      "leave \"per_cpu\" out, or simulate it: fairground run");
	return 0;
}

static bool is_fair(int policy) { return policy == SCHED_NORMAL || policy == SCHED_BATCH || policy == SCHED_IDLE; }

static int check_policy(const struct workload *w, int policy, struct err *err)
{
	if (is_fair(policy))
		return 0;
	return refuse(&w->at, w->name, err, "a real-time task would run above the fair class, which the model has not",
		      "leave the policy out, or make it SCHED_BATCH or SCHED_IDLE");
}

static int check_task(const struct scenario *sc, const struct workload *w, struct err *err)
{
	u32 i;

	if (w->kthread)
		return refuse(&w->at, w->name, err, "a kernel thread cannot be made by a program", "leave \"kthread\" out");
	if (check_policy(w, w->policy, err))
		return -1;
	for (i = 0; i < w->program.nr_phases; i++)
		if (w->program.phases[i].sets_sched && check_policy(w, w->program.phases[i].policy, err))
			return -1;
	for (i = 0; i < w->program.nr_steps; i++)
		if (check_step(sc, w, &w->program.steps[i], err))
			return -1;
	return 0;
}

static int check_file(const struct write_spec *w, struct err *err)
{
	if (strcmp(w->file, "cpuset.cpus"))
		return 0;
	return refuse(&w->at, w->file, err, "a measurement writes no cpusets: their CPUs would be the host's", "say it by \"cpus\" of the tasks, or --cpuset");
}

static int check_groups(const struct scenario *sc, struct err *err)
{
	u32 i, k;

	for (i = 0; i < sc->nr_groups; i++)
		for (k = 0; k < sc->groups[i].nr_writes; k++)
			if (check_file(&sc->groups[i].writes[k], err))
				return -1;
	for (i = 0; i < sc->nr_at; i++)
		if (sc->at[i].kind == AT_WRITE && check_file(&sc->at[i].write, err))
			return -1;
	for (i = 0; i < sc->nr_groups; i++)
		if (!sc->groups[i].path[1] && sc->groups[i].nr_writes)
			return refuse(&sc->groups[i].writes[0].at, sc->groups[i].writes[0].file, err,
				      "the root group is the host's own and is not written to", "limit a group of the scenario");
	for (i = 0; i < sc->nr_at; i++) {
		if (sc->at[i].kind == AT_ONLINE)
			return refuse(&sc->at[i].at, "online", err, "a measurement does not switch the host's CPUs off and on",
				      "simulate it: fairground run");
		if (sc->at[i].kind == AT_WRITE && (!sc->at[i].write.group || !sc->at[i].write.group[1]))
			return refuse(&sc->at[i].at, sc->at[i].write.file, err, "the root group is the host's own and is not written to",
				      "limit a group of the scenario");
	}
	return 0;
}

static int check_size(const struct scenario *sc, const struct host *host, struct err *err)
{
	const char *file = *sc->file ? sc->file : NULL;

	if (sc->duration == NEVER) {
		err_at(err, file, 0, 0, "duration", "a measurement needs an end");
		err_hint(err, "give it one: --duration 5s");
		return -1;
	}
	if (plan_threads(sc) > PLAN_MOST_THREADS)
		return err_at(err, file, 0, 0, "tasks", "%u threads are too many to measure, at most %d", plan_threads(sc),
			      PLAN_MOST_THREADS);
	if (sc->machine.clock_skew)
		return err_at(err, file, 0, 0, "clock_skew_us", "the clocks of this machine's CPUs cannot be set apart");
	if (sc->machine.cpus <= host->nr_cpus)
		return 0;
	err_set(err, ERR_HOST, "the scenario wants %d CPUs, and this process may use %d", sc->machine.cpus, host->nr_cpus);
	err_hint(err, "--cpus %d, if it names no higher one; or measure it on a larger machine", host->nr_cpus);
	return -1;
}

int plan_check(const struct scenario *sc, const struct host *host, struct err *err)
{
	u32 i;

	if (check_size(sc, host, err) || check_groups(sc, err))
		return -1;
	for (i = 0; i < sc->nr_tasks; i++)
		if (check_task(sc, &sc->tasks[i], err))
			return -1;
	return 0;
}

u32 plan_threads(const struct scenario *sc)
{
	u32 i, nr = 0;

	for (i = 0; i < sc->nr_tasks && nr <= PLAN_MOST_THREADS; i++)
		nr += sc->tasks[i].instances;
	return nr;
}

/* ---- who shares what ---- */

static u32 threads_that_use(const struct scenario *sc, u32 resource)
{
	u32 i, k, nr = 0;

	for (i = 0; i < sc->nr_tasks; i++)
		for (k = 0; k < sc->tasks[i].program.nr_steps; k++) {
			const struct step *st = &sc->tasks[i].program.steps[k];

			if ((st->kind == STEP_TIMER || st->kind == STEP_ARRIVE) && st->ref == resource) {
				nr += sc->tasks[i].instances;
				break;
			}
		}
	return nr;
}

static bool step_is_private(const struct scenario *sc, const struct step *st)
{
	switch (st->kind) {
	case STEP_RUN:
	case STEP_RUNTIME:
	case STEP_SLEEP:
	case STEP_YIELD:
	case STEP_MEM:
	case STEP_REQUEST:
	case STEP_BEGIN:
	case STEP_END:
	case STEP_EXIT:
		return true;
	case STEP_TIMER:
		return st->flags & STEP_UNIQUE || threads_that_use(sc, st->ref) < 2;
	case STEP_ARRIVE:
		return sc->resources[st->ref].unique || threads_that_use(sc, st->ref) < 2;
	default:
		return false;
	}
}

bool plan_shares(const struct scenario *sc)
{
	u32 i, k;

	for (i = 0; i < sc->nr_tasks; i++) {
		const struct program *pg = &sc->tasks[i].program;

		if (pg->until != REF_NONE)
			return true;
		for (k = 0; k < pg->nr_steps; k++)
			if (!step_is_private(sc, &pg->steps[k]))
				return true;
	}
	return false;
}

/* ---- words ---- */

#define SHARES_OF_WEIGHT 1024 /* cpu.weight 100 */
#define WEIGHT 100

struct words {
	struct scenario *sc;
	struct err *err;
	const char **quota; /* v1 to v2: what each group's cpu.max holds, "max" or us; by index of sc->groups */
	bool changed;
};

static const char *number(struct words *ws, u64 n)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRIu64, n);
	return arena_strdup(&ws->sc->mem, buf);
}

static struct write_spec renamed(const struct write_spec *w, const char *file, const char *value)
{
	struct write_spec out = *w;

	out.file = file;
	out.value = value;
	return out;
}

static int no_equal(struct words *ws, const struct write_spec *w, int version)
{
	err_at(ws->err, w->at.file, w->at.line, w->at.column, w->file,
	       "cgroup v%d is mounted here, and \"%s\" has no equal there", version, w->value);
	err_hint(ws->err, w->expect ? "a refusal that is expected cannot be put into other words" :
				      "say it by cpu.max, cpu.max.burst or cpu.weight");
	return -1;
}

/* A whole number and nothing else. */
static bool plain_number(const char *s, u64 *v)
{
	char *end;

	*v = strtoull(s, &end, 10);
	end += strspn(end, " \t\n");
	return end != s && !*end && *s != '-';
}

/* "25000 100000", "max", "max 100000", "25000"; false for what the kernel would refuse. */
static bool split_max(const char *value, u64 *quota, u64 *period)
{
	char *end;

	value += strspn(value, " \t");
	if (!strncmp(value, "max", 3)) {
		*quota = NEVER;
		end = (char *)value + 3;
	} else {
		*quota = strtoull(value, &end, 10);
	}
	if (end == value || (*end && *end != ' ' && *end != '\n'))
		return false;
	*period = 0;
	end += strspn(end, " \t\n");
	return !*end || plain_number(end, period);
}

/* Each returns how many writes it made of @w into @out (2 of room), or -1. */
static int to_v1(struct words *ws, const struct write_spec *w, struct write_spec *out)
{
	u64 a, b;
	int nr = 0;

	if (!strcmp(w->file, "cpu.max.burst")) {
		out[0] = renamed(w, "cpu.cfs_burst_us", w->value);
		return 1;
	}
	if (!strcmp(w->file, "cpu.weight") && plain_number(w->value, &a) && a >= 1 && a <= 10000) {
		out[0] = renamed(w, "cpu.shares", number(ws, (a * SHARES_OF_WEIGHT + WEIGHT / 2) / WEIGHT));
		return 1;
	}
	if (strcmp(w->file, "cpu.max") || w->expect || !split_max(w->value, &a, &b))
		return no_equal(ws, w, 1);
	if (b)
		out[nr++] = renamed(w, "cpu.cfs_period_us", number(ws, b));
	out[nr++] = renamed(w, "cpu.cfs_quota_us", a == NEVER ? "-1" : number(ws, a));
	return nr;
}

static const char **quota_of(struct words *ws, const char *group)
{
	u32 i;

	for (i = 0; i < ws->sc->nr_groups; i++)
		if (!strcmp(ws->sc->groups[i].path, group))
			return &ws->quota[i];
	return NULL;
}

static int to_v2(struct words *ws, const struct write_spec *w, struct write_spec *out)
{
	const char **quota = quota_of(ws, w->group);
	char both[64];
	u64 n;

	if (!strcmp(w->file, "cpu.cfs_burst_us")) {
		out[0] = renamed(w, "cpu.max.burst", w->value);
	} else if (!strcmp(w->file, "cpu.shares") && plain_number(w->value, &n)) {
		n = (min_u64(n, 1 << 20) * WEIGHT + SHARES_OF_WEIGHT / 2) / SHARES_OF_WEIGHT;
		out[0] = renamed(w, "cpu.weight", number(ws, min_u64(max_u64(n, 1), 10000)));
	} else if (!strcmp(w->file, "cpu.cfs_quota_us") && quota && (*w->value == '-' || plain_number(w->value, &n))) {
		*quota = *w->value == '-' ? "max" : w->value;
		out[0] = renamed(w, "cpu.max", *quota);
	} else if (!strcmp(w->file, "cpu.cfs_period_us") && quota && plain_number(w->value, &n)) {
		snprintf(both, sizeof(both), "%.20s %" PRIu64, *quota, n);
		out[0] = renamed(w, "cpu.max", arena_strdup(&ws->sc->mem, both));
	} else {
		return no_equal(ws, w, 2);
	}
	return 1;
}

static bool is_of(const char *file, int version)
{
	static const char *const v1[] = { "cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.cfs_burst_us" };
	size_t i;

	if (!strcmp(file, "cpu.idle"))
		return true;
	for (i = 0; i < ARRAY_SIZE(v1); i++)
		if (!strcmp(file, v1[i]))
			return version == 1;
	return version == 2;
}

/* @w in the words of @version into @out; returns how many, or -1. */
static int reword(struct words *ws, const struct write_spec *w, int version, struct write_spec *out)
{
	if (is_of(w->file, version)) {
		out[0] = *w;
		return 1;
	}
	ws->changed = true;
	return version == 1 ? to_v1(ws, w, out) : to_v2(ws, w, out);
}

static int reword_group(struct words *ws, struct group_spec *g, int version)
{
	struct write_spec *out = arena_alloc(&ws->sc->mem, (2 * (size_t)g->nr_writes + 1) * sizeof(*out));
	u32 i, nr = 0;
	int n;

	if (!out)
		return err_set(ws->err, ERR_HOST, "out of memory");
	for (i = 0; i < g->nr_writes; i++) {
		n = reword(ws, &g->writes[i], version, out + nr);
		if (n < 0)
			return -1;
		nr += (u32)n;
	}
	g->writes = out;
	g->nr_writes = nr;
	return 0;
}

static int reword_at(struct words *ws, int version)
{
	struct scenario *sc = ws->sc;
	struct at_spec *out = arena_alloc(&sc->mem, (2 * (size_t)sc->nr_at + 1) * sizeof(*out));
	struct write_spec two[2];
	u32 i, nr = 0;
	int n, k;

	if (!out)
		return err_set(ws->err, ERR_HOST, "out of memory");
	for (i = 0; i < sc->nr_at; i++) {
		n = sc->at[i].kind == AT_WRITE ? reword(ws, &sc->at[i].write, version, two) : 0;
		if (n < 0)
			return -1;
		out[nr] = sc->at[i];
		for (k = 0; k < n; k++) {
			out[nr + (u32)k] = sc->at[i];
			out[nr + (u32)k].write = two[k];
		}
		nr += n ? (u32)n : 1;
	}
	sc->at = out;
	sc->nr_at = nr;
	return 0;
}

int plan_words(struct scenario *sc, int version, bool *changed, struct err *err)
{
	struct words ws = { .sc = sc, .err = err };
	u32 i;

	ws.quota = arena_alloc(&sc->mem, (sc->nr_groups + 1) * sizeof(*ws.quota));
	if (!ws.quota)
		return err_set(err, ERR_HOST, "out of memory");
	for (i = 0; i < sc->nr_groups; i++)
		ws.quota[i] = "max";
	for (i = 0; i < sc->nr_groups; i++)
		if (reword_group(&ws, &sc->groups[i], version))
			return -1;
	if (reword_at(&ws, version))
		return -1;
	sc->machine.cgroup = version;
	*changed = ws.changed;
	return 0;
}

/* ---- CPUs ---- */

static const u64 *restricted(const struct scenario *sc, const u64 *cpus, const u64 *mask)
{
	return !cpus || cpus == sc->all_cpus ? mask : cpus;
}

/* What the CPUs of this machine share, where this process may use them all: CPU i of the scenario is then CPU i of it.  NULL: not told. */
static const struct topology *whole_host(struct scenario *sc, const struct host *host)
{
	struct err untold = { 0 };

	return host->nr_cpus == host->online ? host_topology(&sc->mem, "/sys", host->cpu, host->nr_cpus, &untold) : NULL;
}

int plan_fit(struct scenario *sc, const struct host *host, struct err *err)
{
	u64 *mask = arena_alloc(&sc->mem, BITS_WORDS((size_t)SCENARIO_MOST_CPUS) * sizeof(*mask));
	u32 i, k;
	int cpu;

	if (!mask)
		return err_set(err, ERR_HOST, "out of memory");
	for (cpu = 0; cpu < sc->machine.cpus; cpu++)
		bit_set(mask, cpu);
	sc->machine.topology_text = NULL;
	sc->machine.topology = whole_host(sc, host);
	sc->machine.ticks = TICKS_SHUFFLED; /* whose tick comes first is anybody's: measured, two threads that race for a quota share it */
	if (host->online <= sc->machine.cpus)
		return 0;
	for (i = 0; i < sc->nr_tasks; i++) {
		struct program *pg = &sc->tasks[i].program;

		if (!sc->tasks[i].cpus_each)
			sc->tasks[i].cpus = restricted(sc, sc->tasks[i].cpus, mask);
		for (k = 0; k < pg->nr_phases; k++)
			if (pg->phases[k].cpus)
				pg->phases[k].cpus = restricted(sc, pg->phases[k].cpus, mask);
	}
	for (i = 0; i < sc->nr_at; i++)
		if (sc->at[i].kind == AT_AFFINITY)
			sc->at[i].cpus = restricted(sc, sc->at[i].cpus, mask);
	sc->all_cpus = NULL;
	sc->machine.cpus = host->online;
	return 0;
}
