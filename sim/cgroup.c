/* SPDX-License-Identifier: MIT */
/*
 * cgroup.c - what is written to a group's files, as text: parsed as the kernel parses it, then handed to the scheduler.
 *
 *	"/web" "cpu.max" "25000 100000"  -->  KNOB_MAX 25 ms, 100 ms  -->  lab_write()  -->  0 or an errno with the rule
 *
 * cpu.max is read by prefix ("50000abc" is 50 ms), the other files by the strict integer parser
 * (docs/rules/bandwidth.md 1.2, 1.3).
 */
#include "sim/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

struct mgroup *find_group(struct machine *m, const char *path)
{
	u32 i;

	for (i = 0; i < m->nr_groups; i++)
		if (!strcmp(m->groups[i].path, path))
			return &m->groups[i];
	return NULL;
}

struct mgroup *group_of_path(struct machine *m, const char *path)
{
	return path && strcmp(path, "/") ? find_group(m, path) : NULL;
}

/* The group that holds @path, or NULL for the root. */
static struct mgroup *parent_of(struct machine *m, const char *path)
{
	const char *slash = strrchr(path, '/');
	char above[512];

	if (!slash || slash == path || (size_t)(slash - path) >= sizeof(above))
		return NULL;
	memcpy(above, path, (size_t)(slash - path));
	above[slash - path] = '\0';
	return find_group(m, above);
}

static void init_group_timers(struct mgroup *g)
{
	int kind;

	for (kind = 0; kind <= TIMER_DISTRIBUTE; kind++) {
		heap_entry_init(&g->timer[kind].entry.heap);
		g->timer[kind].entry.kind = SIM_GROUP_TIMER;
		g->timer[kind].kind = (enum timer_kind)kind;
		g->timer[kind].group = g;
	}
}

static int add_group(struct machine *m, const char *path)
{
	struct mgroup *parent = parent_of(m, path);
	struct mgroup *g = &m->groups[m->nr_groups];

	g->path = path;
	init_group_timers(g);
	g->tg = lab_group_create(m->lab, parent ? parent->tg : lab_root(m->lab));
	if (!g->tg)
		return -1;
	m->nr_groups++;
	return 0;
}

/* The scenario's own string for @path, which outlives the machine as results must; the reader makes all parents groups too. */
static const char *name_for_results(const struct scenario *sc, const char *path)
{
	u32 i;

	for (i = 0; i < sc->nr_groups; i++)
		if (!strcmp(sc->groups[i].path, path))
			return sc->groups[i].path;
	return path;
}

/* Parents before children: a path's ancestors that are named later, or never, are made first. */
static int add_with_parents(struct machine *m, const char *path)
{
	size_t i, len = strlen(path);

	for (i = 1; i <= len; i++) {
		char *prefix;

		if (i < len && path[i] != '/')
			continue;
		prefix = arena_strndup(&m->mem, path, i);
		if (!prefix)
			return -1;
		if (!find_group(m, prefix) && add_group(m, name_for_results(m->sc, prefix)))
			return -1;
	}
	return 0;
}

static u32 count_levels(const struct scenario *sc)
{
	u32 i, nr = 0;

	for (i = 0; i < sc->nr_groups; i++) {
		const char *s = sc->groups[i].path;

		for (; *s; s++)
			nr += *s == '/';
	}
	return nr;
}

static void set_phase(struct machine *m, const struct group_spec *spec, struct mgroup *g, struct rng *chance)
{
	if (spec->phase_random)
		lab_set_phase(m->lab, g->tg, rng_below(chance, 100 * MS));
	else if (spec->phase_set)
		lab_set_phase(m->lab, g->tg, spec->phase);
}

/* All groups of the scenario, then their writes in file order. */
int groups_setup(struct machine *m)
{
	const struct scenario *sc = m->sc;
	struct rng chance;
	u32 i, j;

	rng_init(&chance, sc->seed, "period_phase", NULL, 0, 0);
	m->groups = arena_alloc(&m->mem, (count_levels(sc) + 1) * sizeof(*m->groups));
	if (!m->groups)
		return err_set(m->err, ERR_HOST, "out of memory for groups");
	for (i = 0; i < sc->nr_groups; i++)
		if (strcmp(sc->groups[i].path, "/") && add_with_parents(m, sc->groups[i].path))
			return err_set(m->err, ERR_HOST, "out of memory for groups");
	for (i = 0; i < sc->nr_groups; i++) {
		struct mgroup *g = group_of_path(m, sc->groups[i].path);

		for (j = 0; j < sc->groups[i].nr_writes; j++)
			if (cgroup_write(m, &sc->groups[i].writes[j], 0, m->err))
				return -1;
		if (g) /* on the grid of the period that was written */
			set_phase(m, &sc->groups[i], g, &chance);
	}
	return 0;
}

/* ---- parsing, as the kernel does ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

static const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

static const char *skip_word(const char *s)
{
	while (*s && !is_blank(*s))
		s++;
	return s;
}

/* An unsigned number at *@s, saturated; false where there is none.  *@s moves behind it. */
static bool prefix_number(const char **s, u64 *value)
{
	const char *start = *s;

	*value = 0;
	for (; **s >= '0' && **s <= '9'; ++*s)
		*value = *value > (UINT64_MAX - 9) / 10 ? UINT64_MAX - 9 : *value * 10 + (u64)(**s - '0');
	return *s != start;
}

/* us to ns; too large a number stays too large for every check. */
static u64 us_to_ns(u64 us) { return us > (UINT64_MAX - 1) / US ? UINT64_MAX - 1 : us * US; }

/* cpu.max: "QUOTA|max [PERIOD]"; a missing period is 0, "leave it". */
static int parse_max(const char *value, u64 *quota, u64 *period, const char **why)
{
	const char *s = skip_blanks(value);

	*period = 0;
	if (skip_word(s) == s + 3 && !memcmp(s, "max", 3)) {
		*quota = RUNTIME_INF;
	} else if (prefix_number(&s, quota)) {
		*quota = us_to_ns(*quota);
	} else {
		*why = "cpu.max takes \"max\" or a number of us, then a period in us";
		return -EINVAL;
	}
	s = skip_blanks(skip_word(s));
	if (prefix_number(&s, period)) {
		*period = us_to_ns(*period);
		if (!*period) {
			*why = "a period is at least 1 ms";
			return -EINVAL;
		}
	} else {
		*period = 0;
	}
	return 0;
}

/* The kernel's strict integer: one number, decimal, 0x or 0 octal, blanks around it. */
static int strict_number(const char *value, bool is_signed, s64 *number, const char **why)
{
	char *end;
	const char *s = skip_blanks(value);

	errno = 0;
	*number = is_signed ? strtoll(s, &end, 0) : (s64)strtoull(s, &end, 0);
	if (errno == ERANGE && (is_signed || *s != '-')) {
		*why = "the number does not fit 64 bits";
		return -ERANGE;
	}
	if (end == s || *skip_blanks(end) || (*s == '-' && !is_signed)) {
		*why = "the file takes one whole number";
		return -EINVAL;
	}
	return 0;
}

enum unit { UNIT_PLAIN, UNIT_US, UNIT_QUOTA };

static const struct cgroup_file {
	const char *name;
	int cgroup;	/* 1, 2, or 0: both */
	enum knob knob;
	bool is_signed;
	enum unit unit;
} files[] = {
	{ "cpu.max", 2, KNOB_MAX, false, UNIT_US },
	{ "cpu.max.burst", 2, KNOB_BURST, false, UNIT_US },
	{ "cpu.weight", 2, KNOB_WEIGHT, false, UNIT_PLAIN },
	{ "cpu.weight.nice", 2, KNOB_WEIGHT_NICE, true, UNIT_PLAIN },
	{ "cpu.idle", 0, KNOB_IDLE, true, UNIT_PLAIN },
	{ "cpu.cfs_quota_us", 1, KNOB_QUOTA, true, UNIT_QUOTA },
	{ "cpu.cfs_period_us", 1, KNOB_PERIOD, false, UNIT_US },
	{ "cpu.cfs_burst_us", 1, KNOB_BURST, false, UNIT_US },
	{ "cpu.shares", 1, KNOB_SHARES, false, UNIT_PLAIN },
};

/* v1 names are only there under v1; the names of v2 are taken everywhere, for whoever tries a workload on an old kernel. */
static const struct cgroup_file *find_file(const struct machine *m, const char *name, const char **why)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (strcmp(files[i].name, name))
			continue;
		if (files[i].cgroup != 1 || m->cgroup == 1)
			return &files[i];
		*why = "no such file in cgroup v2";
		return NULL;
	}
	*why = "no such file in the cpu controller";
	return NULL;
}

static bool has_file(const struct machine *m, const struct cgroup_file *file, const char **why)
{
	if (file->knob == KNOB_BURST && m->model.rule[RULE_BW_REFILL] != BW_REFILL_ADD) {
		*why = "there is no burst in this row (rule bw_refill, 5.14)";
		return false;
	}
	return true;
}

static u64 in_unit(const struct cgroup_file *file, s64 number)
{
	if (file->unit == UNIT_QUOTA && number < 0)
		return RUNTIME_INF;
	return file->unit == UNIT_PLAIN ? (u64)number : us_to_ns((u64)number);
}

/* Returns 0 or a negative errno with *@why.  @g NULL: the root group. */
int cgroup_apply(struct machine *m, struct mgroup *g, const char *name, const char *value, const char **why)
{
	struct task_group *tg = g ? g->tg : lab_root(m->lab);
	const struct cgroup_file *file = find_file(m, name, why);
	u64 quota, period;
	s64 number;
	int ret;

	if (!file || !has_file(m, file, why))
		return -ENOENT;
	if (!g && m->cgroup == 2) {
		*why = "the root group has no such file in cgroup v2";
		return -ENOENT;
	}
	m->here = 0;
	if (file->knob == KNOB_MAX) {
		ret = parse_max(value, &quota, &period, why);
		return ret ? ret : lab_write(m->lab, 0, tg, KNOB_MAX, quota, period, why);
	}
	ret = strict_number(value, file->is_signed, &number, why);
	return ret ? ret : lab_write(m->lab, 0, tg, file->knob, in_unit(file, number), 0, why);
}

/* ---- one write of the scenario, and what is kept of it ---- */

static const struct errno_name {
	int err;
	const char *name;
} errno_names[] = { { EINVAL, "EINVAL" }, { ERANGE, "ERANGE" }, { ENOENT, "ENOENT" }, { EBUSY, "EBUSY" }, { EPERM, "EPERM" } };

static const char *errno_name(int err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errno_names); i++)
		if (errno_names[i].err == err)
			return errno_names[i].name;
	return "an error";
}

static bool was_expected(const struct write_spec *w, int err)
{
	return w->expect && (!strcmp(w->expect, errno_name(err)) || !strcmp(w->expect, "any"));
}

static void keep_write(struct machine *m, const struct write_spec *w, u64 t, int err, const char *why)
{
	if (m->nr_writes == m->cap_writes) {
		u32 cap = m->cap_writes ? 2 * m->cap_writes : 16;
		struct write_result *more = realloc(m->writes, cap * sizeof(*more));

		if (!more)
			return;
		m->writes = more;
		m->cap_writes = cap;
	}
	m->writes[m->nr_writes++] = (struct write_result){ t, w->group, w->file, w->value, err, err ? errno_name(err) : NULL, why };
}

/* A write that is refused, and was not meant to be, ends the run. */
int cgroup_write(struct machine *m, const struct write_spec *w, u64 t, struct err *err)
{
	struct mgroup *g = group_of_path(m, w->group);
	const char *why = NULL;
	int ret;

	if (!g && w->group && strcmp(w->group, "/"))
		return err_at(err, w->at.file, w->at.line, w->at.column, w->file, "there is no group %s", w->group);
	ret = cgroup_apply(m, g, w->file, w->value, &why);
	keep_write(m, w, t, -ret, why);
	verb_done(m);
	if (!ret && w->expect)
		return err_at(err, w->at.file, w->at.line, w->at.column, w->file,
			      "the write of \"%s\" was accepted, but %s was expected", w->value, w->expect);
	if (!ret || was_expected(w, -ret))
		return 0;
	err_at(err, w->at.file, w->at.line, w->at.column, w->file, "%s: the kernel refuses \"%s\" (%s): %s", w->group, w->value,
	       errno_name(-ret), why ? why : "no reason known");
	err_hint(err, "change the value, or say \"expect\": \"%s\" where the refusal is meant", errno_name(-ret));
	return -1;
}
