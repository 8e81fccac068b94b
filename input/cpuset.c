/* SPDX-License-Identifier: MIT */
/*
 * cpuset.c - keeps a group's tasks on some CPUs, as docker's --cpuset-cpus does.
 *
 *	0,1		all tasks		/web=0-3,8	those of /web and below
 *
 * What the tasks, or their phases, say of CPUs themselves is replaced.
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

static bool is_in(const char *group, const char *path, size_t len)
{
	if (!len || (len == 1 && *path == '/'))
		return true;
	return group && !strncmp(group, path, len) && (!group[len] || group[len] == '/');
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
	return 0;
}
