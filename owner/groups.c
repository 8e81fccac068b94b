/* SPDX-License-Identifier: MIT */
/*
 * groups.c - the groups of a machine by their paths, and what is kept of writes and periods.
 *
 *	"/pod/app"  --->  /pod, then /pod/app: parents before children, whatever the order in the file
 */
#include "owner/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/rng.h"
#include "text/memory.h"

void groups_fini(struct groups *gs)
{
	u32 i;

	for (i = 0; i < gs->nr; i++)
		free(gs->v[i]->periods);
	free(gs->v);
	free(gs->slots);
	free(gs->writes);
}

/* ---- the table ---- */

bool is_root_path(const char *path) { return !path || !strcmp(path, "/"); }

static u64 hash_of(const char *path)
{
	u64 hash = DIGEST_INIT;

	while (*path)
		hash = digest_u64(hash, (u8)*path++);
	return hash;
}

/* Where in the slots @path is, or would be.  They are never full. */
static u32 slot_of(const struct groups *gs, const char *path)
{
	u32 at = (u32)hash_of(path) & (gs->nr_slots - 1);

	while (gs->slots[at] && strcmp(gs->v[gs->slots[at] - 1]->path, path))
		at = (at + 1) & (gs->nr_slots - 1);
	return at;
}

/* Twice as many as there are groups, at least. */
static bool more_slots(struct groups *gs)
{
	u32 i, nr = gs->nr_slots ? 2 * gs->nr_slots : 64, *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return false;
	free(gs->slots);
	gs->slots = slots;
	gs->nr_slots = nr;
	for (i = 0; i < gs->nr; i++)
		slots[slot_of(gs, gs->v[i]->path)] = i + 1;
	return true;
}

struct group *groups_find(const struct groups *gs, const char *path)
{
	u32 index = is_root_path(path) || !gs->nr ? 0 : gs->slots[slot_of(gs, path)];

	return index ? gs->v[index - 1] : NULL;
}

struct task_group *groups_tg(const struct groups *gs, const char *path)
{
	struct group *g = groups_find(gs, path);

	if (is_root_path(path))
		return lab_root(gs->lab);
	return g ? g->tg : NULL;
}

/* The group that holds @path, or NULL for the root. */
static struct group *parent_of(const struct groups *gs, const char *path)
{
	const char *slash = strrchr(path, '/');
	char above[512];

	if (!slash || slash == path || (size_t)(slash - path) >= sizeof(above))
		return NULL;
	memcpy(above, path, (size_t)(slash - path));
	above[slash - path] = '\0';
	return groups_find(gs, above);
}

static bool room_for_one(struct groups *gs)
{
	struct group **more = list_grown(gs->v, gs->nr, &gs->cap, sizeof(*more));

	if (more)
		gs->v = more;
	return more && (2 * (gs->nr + 1) <= gs->nr_slots || more_slots(gs));
}

static struct group *add_one(struct groups *gs, const char *path)
{
	struct group *parent = parent_of(gs, path);
	struct group *g = room_for_one(gs) ? arena_alloc(gs->mem, sizeof(*g)) : NULL;

	if (!g)
		return NULL;
	g->path = path;
	g->tg = lab_group_create(gs->lab, parent ? parent->tg : lab_root(gs->lab));
	if (!g->tg)
		return NULL;
	gs->v[gs->nr] = g;
	gs->slots[slot_of(gs, path)] = ++gs->nr;
	return g;
}

/*
 * The scenario's own string for @path, which outlives the machine as results must; the reader makes all parents groups too.  They are mostly asked
 * for in the scenario's order.
 */
static const char *name_for_results(struct groups *gs, const struct scenario *sc, const char *path)
{
	u32 i, at;

	for (i = 0; sc && i < sc->nr_groups; i++) {
		at = (gs->named + i) % sc->nr_groups;
		if (!strcmp(sc->groups[at].path, path)) {
			gs->named = at + 1;
			return sc->groups[at].path;
		}
	}
	return path;
}

/* A path's ancestors that are named later, or never, are made first. */
static struct group *add_with_parents(struct groups *gs, const struct scenario *sc, const char *path)
{
	size_t i, len = strlen(path);
	struct group *g = NULL;

	for (i = 1; i <= len; i++) {
		char *prefix;

		if (i < len && path[i] != '/')
			continue;
		prefix = arena_strndup(gs->mem, path, i);
		if (!prefix)
			return NULL;
		g = groups_find(gs, prefix);
		if (!g)
			g = add_one(gs, name_for_results(gs, sc, prefix));
		if (!g)
			return NULL;
	}
	return g;
}

struct group *groups_add(struct groups *gs, const char *path) { return add_with_parents(gs, NULL, path); }

int groups_make(struct groups *gs, const struct scenario *sc, struct err *err)
{
	u32 i;

	for (i = 0; i < sc->nr_groups; i++)
		if (!is_root_path(sc->groups[i].path) && !add_with_parents(gs, sc, sc->groups[i].path))
			return err_set(err, ERR_HOST, "out of memory for groups");
	return 0;
}

/* ---- writes of the scenario, and what is kept of them ---- */

static void set_phase(struct groups *gs, const struct group_spec *spec, struct group *g, struct rng *chance)
{
	if (spec->phase_random)
		lab_set_phase(gs->lab, g->tg, rng_below(chance, 100 * MS));
	else if (spec->phase_set)
		lab_set_phase(gs->lab, g->tg, spec->phase);
}

int groups_write_all(struct groups *gs, const struct scenario *sc, struct err *err)
{
	struct rng chance;
	u32 i, j;

	rng_init(&chance, sc->seed, "period_phase", NULL, 0, 0);
	for (i = 0; i < sc->nr_groups; i++) {
		struct group *g = groups_find(gs, sc->groups[i].path);

		for (j = 0; j < sc->groups[i].nr_writes; j++)
			if (groups_write(gs, &sc->groups[i].writes[j], 0, err))
				return -1;
		if (g) /* on the grid of the period that was written */
			set_phase(gs, &sc->groups[i], g, &chance);
	}
	return 0;
}

static const struct errno_name {
	int err;
	const char *name;
} errno_names[] = { { EINVAL, "EINVAL" }, { ERANGE, "ERANGE" }, { ENOENT, "ENOENT" }, { EBUSY, "EBUSY" }, { EPERM, "EPERM" }, { EACCES, "EACCES" }, { ENOSPC, "ENOSPC" } };

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

static void keep_write(struct groups *gs, const struct write_spec *w, u64 t, int err, const char *why)
{
	struct write_result *more = list_grown(gs->writes, gs->nr_writes, &gs->cap_writes, sizeof(*more));

	if (!more)
		return;
	gs->writes = more;
	gs->writes[gs->nr_writes++] = (struct write_result){ t, w->group, w->file, w->value, err, err ? errno_name(err) : NULL, why };
}

/* A write that is refused, and was not meant to be, ends the run. */
int groups_write(struct groups *gs, const struct write_spec *w, u64 t, struct err *err)
{
	struct group *g = groups_find(gs, w->group);
	const char *why = NULL;
	int ret;

	if (!g && !is_root_path(w->group))
		return err_at(err, w->at.file, w->at.line, w->at.column, w->file, "there is no group %s", w->group);
	ret = groups_apply(gs, g, w->file, w->value, &why);
	keep_write(gs, w, t, -ret, why);
	if (!ret && w->expect)
		return err_at(err, w->at.file, w->at.line, w->at.column, w->file,
			      "the write of \"%s\" was accepted, but %s was expected", w->value, w->expect);
	if (!ret || was_expected(w, -ret))
		return 0;
	err_at(err, w->at.file, w->at.line, w->at.column, w->file, "%s: the kernel refuses \"%s\" (%s): %s", w->group, w->value,
	       errno_name(-ret), why ? why : "no reason known");
	if (w->at.line && !strcmp(w->file, "cpu.max") && strpbrk(w->value, "m%.") && strncmp(w->value, "max", 3))
		err_hint(err, "cpu.max is QUOTA PERIOD in us, as in \"50000 100000\"; \"limit\": \"%s\" takes such an amount", w->value);
	else if (!w->at.line && why && strstr(why, "quota is at least"))
		err_hint(err, "a smaller limit takes a longer period, as in 5m/1s; kubelet raises it to 1 ms, which is 10m");
	else if (w->at.line)
		err_hint(err, "change the value, or say \"expect\": \"%s\" where the refusal is meant", errno_name(-ret));
	return -1;
}

/* ---- periods ---- */

static void keep_period(struct group *g, const struct period_record *rec)
{
	struct period_record *more = list_grown(g->periods, g->nr_periods, &g->cap_periods, sizeof(*more));

	if (!more)
		return;
	g->periods = more;
	g->periods[g->nr_periods++] = *rec;
}

/* The interval since the last refill of @g is over. */
static void close_period(struct groups *gs, struct group *g, const struct group_stat *st)
{
	const struct group_stat *last = &g->last;
	u32 cpus = lab_group_charged_cpus(gs->lab, g->tg);
	s64 owed = 0, kept = 0;
	struct period_record rec;
	u64 stopped = st->throttled_time + lab_group_stopped(gs->lab, g->tg);

	lab_group_held(gs->lab, g->tg, &kept, &owed);
	rec = (struct period_record){
		.start = g->period_start - gs->epoch,
		.granted = last->ledger.pool,
		.charged = st->ledger.charged - last->ledger.charged,
		.stranded = (u64)kept + (st->ledger.lost - last->ledger.lost),
		.debt = (u64)owed,
		.throttled = stopped - g->stopped,
		.cpus = cpus,
		.throttled_cpus_end = (u32)st->throttled_cpus,
	};
	if (g->period_open)
		keep_period(g, &rec);
}

static void open_period(struct groups *gs, struct group *g, const struct group_stat *st, u64 now)
{
	g->last = *st;
	g->stopped = st->throttled_time + lab_group_stopped(gs->lab, g->tg);
	g->period_start = now;
}

void groups_period_ended(struct groups *gs, u64 now)
{
	u32 i;

	gs->keep_periods = true;
	for (i = 0; i < gs->nr; i++) {
		struct group *g = gs->v[i];
		struct group_stat st;

		if (!g->refilled)
			continue;
		g->refilled = false;
		lab_group_stat(gs->lab, g->tg, &st);
		close_period(gs, g, &st);
		open_period(gs, g, &st, now);
	}
}

/* ---- figures ---- */

void groups_window(struct groups *gs, u64 now)
{
	u32 i;

	for (i = 0; i < gs->nr; i++) {
		struct group *g = gs->v[i];

		lab_group_stat(gs->lab, g->tg, &g->base);
		lab_group_charged_cpus(gs->lab, g->tg); /* those before the window do not count */
		open_period(gs, g, &g->base, now);
		g->nr_periods = 0;
		g->period_open = true;
	}
}

/* The window ends within a period: what there is of it is the last record, so that they add up to the group's figures. */
static void close_last(struct groups *gs, struct group *g, const struct group_stat *st)
{
	if (gs->keep_periods && g->period_open && (g->nr_periods || st->quota != RUNTIME_INF))
		close_period(gs, g, st);
}

static struct group_stat minus(struct group_stat a, const struct group_stat *b)
{
	a.usage -= b->usage;
	a.nr_periods -= b->nr_periods;
	a.nr_throttled -= b->nr_throttled;
	a.throttled_time -= b->throttled_time;
	a.nr_bursts -= b->nr_bursts;
	a.burst_time -= b->burst_time;
	a.throttled_local -= b->throttled_local;
	return a;
}

bool groups_results(struct groups *gs, struct result *res)
{
	u32 i;

	res->groups = calloc(gs->nr + 1, sizeof(*res->groups));
	if (!res->groups)
		return false;
	res->nr_groups = gs->nr;
	for (i = 0; i < gs->nr; i++) {
		struct group *g = gs->v[i];
		struct group_result *out = &res->groups[i];

		lab_group_stat(gs->lab, g->tg, &out->stat);
		close_last(gs, g, &out->stat);
		out->stat = minus(out->stat, &g->base);
		out->path = g->path;
		out->active_periods = out->stat.nr_periods;
		out->wall_periods = (res->end - res->start) / out->stat.period;
		out->periods = g->periods; /* handed over */
		out->nr_periods = g->nr_periods;
		out->cap_periods = g->cap_periods;
		g->periods = NULL;
		g->nr_periods = g->cap_periods = 0;
	}
	res->writes = gs->writes; /* handed over */
	res->nr_writes = gs->nr_writes;
	gs->writes = NULL;
	gs->nr_writes = gs->cap_writes = 0;
	return true;
}

void groups_say_ledgers(const struct groups *gs)
{
	u32 i;

	for (i = 0; i < gs->nr; i++) {
		struct group_stat st;

		lab_group_stat(gs->lab, gs->v[i]->tg, &st);
		fprintf(stderr, "  %s granted %llu + created %lld, pool %llu + held %lld + charged %llu + lost %llu\n",
			gs->v[i]->path, (unsigned long long)st.ledger.granted, (long long)st.ledger.created,
			(unsigned long long)st.ledger.pool, (long long)st.ledger.held,
			(unsigned long long)st.ledger.charged, (unsigned long long)st.ledger.lost);
	}
}
