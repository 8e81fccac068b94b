/* SPDX-License-Identifier: MIT */
/*
 * cpuset.c - keeps a group's tasks on some CPUs, as docker's --cpuset-cpus does.
 *
 *	0,1		all tasks		/web=0-3,8	those of /web and below
 *
 * What the tasks, their phases or an "affinity" say of CPUs themselves is replaced, and so is what these groups write to cpuset.cpus.  Above them a cpuset still
 * holds: the tasks get what it has of the list.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "input/scenario_file.h"
#include "text/number.h"

static int refuse(const char *spec, const char *what, struct err *err)
{
	err_at(err, NULL, 0, 0, "--cpuset", "\"%.60s\": %s", spec, what);
	err_hint(err, "a list of CPUs is 0,1 or 0-3,8, with a group in front of it /web=0,1");
	return -1;
}

/* One "3" or "0-3" of @len bytes into @mask. */
static bool take_range(u64 *mask, const char *p, size_t len, int cpus)
{
	const char *dash = memchr(p, '-', len);
	u64 from, to;

	if (num_whole_u64(p, dash ? (size_t)(dash - p) : len, SCENARIO_MOST_CPUS - 1, &from) != NUM_OK)
		return false;
	to = from;
	if (dash && num_whole_u64(dash + 1, len - (size_t)(dash + 1 - p), SCENARIO_MOST_CPUS - 1, &to) != NUM_OK)
		return false;
	if (to < from || to >= (u64)cpus)
		return false;
	for (; from <= to; from++)
		bit_set(mask, (int)from);
	return true;
}

/* Is @group the one at @path (@len bytes; nothing: the root), or below it? */
static bool is_in(const char *group, const char *path, size_t len)
{
	if (!len || (len == 1 && *path == '/'))
		return true;
	return group && !strncmp(group, path, len) && (!group[len] || group[len] == '/');
}

/* The writes that stay: all but those of cpuset.cpus in a group that @path is or holds. */
static u32 without_cpusets(struct write_spec *writes, u32 nr, const char *path, size_t len)
{
	u32 i, kept = 0;

	for (i = 0; i < nr; i++)
		if (strcmp(writes[i].file, "cpuset.cpus") || !is_in(writes[i].group, path, len))
			writes[kept++] = writes[i];
	return kept;
}

/* What happens later: an affinity of these tasks and a cpuset of these groups do not. */
static bool stays(const struct scenario *sc, struct at_spec *at, const char *path, size_t len)
{
	if (at->kind == AT_AFFINITY)
		return !is_in(sc->tasks[at->task].group, path, len);
	return at->kind != AT_WRITE || without_cpusets(&at->write, 1, path, len);
}

static void drop_cpusets(struct scenario *sc, const char *path, size_t len)
{
	u32 i, kept = 0;

	for (i = 0; i < sc->nr_groups; i++)
		sc->groups[i].nr_writes = without_cpusets(sc->groups[i].writes, sc->groups[i].nr_writes, path, len);
	for (i = 0; i < sc->nr_at; i++)
		if (stays(sc, &sc->at[i], path, len))
			sc->at[kept++] = sc->at[i];
	sc->nr_at = kept;
}

static u32 keep_on(struct scenario *sc, const char *path, size_t len, const u64 *mask)
{
	u32 nr = 0;

	for (u32 i = 0; i < sc->nr_tasks; i++) {
		struct workload *w = &sc->tasks[i];

		if (!is_in(w->group, path, len))
			continue;
		w->cpus = mask;
		w->cpus_each = NULL;
		for (u32 k = 0; k < w->program.nr_phases; k++)
			w->program.phases[k].cpus = NULL;
		nr++;
	}
	return nr;
}

int scenario_set_cpuset(struct scenario *sc, const char *spec, struct err *err)
{
	const char *equals = *spec == '/' ? strchr(spec, '=') : NULL, *p = equals ? equals + 1 : spec;
	u64 *mask = arena_alloc(&sc->mem, SCENARIO_MOST_CPUS / 8);
	char text[96];

	if (!mask)
		return err_set(err, ERR_HOST, "out of memory");
	if (*spec == '/' && !equals)
		return refuse(spec, "expected a list of CPUs behind the group", err);
	do {
		size_t len = strcspn(p, ",");

		snprintf(text, sizeof(text), "expected CPUs from 0 to %d", sc->machine.cpus - 1);
		if (!take_range(mask, p, len, sc->machine.cpus))
			return refuse(spec, text, err);
		p += len + (p[len] == ',');
	} while (*p);
	if (!keep_on(sc, spec, equals ? (size_t)(equals - spec) : 0, mask))
		return refuse(spec, "no task is in this group", err);
	drop_cpusets(sc, spec, equals ? (size_t)(equals - spec) : 0);
	return 0;
}
