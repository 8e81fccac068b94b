/* SPDX-License-Identifier: MIT */
/*
 * limits_from.c - limits out of managers' files, into the groups of a scenario.
 *
 *	PATH --by its kind--> found_*.c --> list of (name, limit, weight) --by name--> writes of groups
 *
 * Law: on error the scenario is as it was: all names are matched before the first write is changed.
 */
#include "input/limits_from.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fixmath.h"
#include "input/bytes.h"
#include "input/found.h"
#include "input/override.h"
#include "input/reader.h"

#define NO_GROUP UINT32_MAX

/* ---- weights ---- */

#define LN2 ((fix)195103586505167)  /* times 2^48 */
#define LN10 ((fix)648120085424803)
#define LEAST_SHARES 2
#define MOST_SHARES ((u64)1 << 18)

/*
 * 10^((l^2 + 125 l) / 612 - 7/34) with l = log2(shares), rounded up.  The sum is worked out in 10^-6 with an error far below 1, so that
 * where it is a whole number (100 for 1024) it stays one.
 */
static u64 new_weight(u64 shares)
{
	fix l = 18 * FIX_ONE + (fix)((__int128)fix_ln_unit(shares << 46) * FIX_ONE / LN2);
	fix exponent = (fix_mul(l, l) + 125 * l) / 612 - 7 * FIX_ONE / 34;
	u64 millionths = fix_mul_exp(1000000, fix_mul(exponent, LN10));

	return (millionths - 2 + 999999) / 1000000;
}

u64 manager_weight(u64 shares, bool new_weights)
{
	if (shares <= LEAST_SHARES)
		return 1;
	if (shares >= MOST_SHARES)
		return 10000;
	return new_weights ? new_weight(shares) : 1 + (shares - 2) * 9999 / 262142;
}

/* ---- what the readers of files call ---- */

struct found *found_add(struct finding *f, const char *name, int line, int column)
{
	struct found *it;

	if (f->nr == f->cap) {
		u32 cap = f->cap ? 2 * f->cap : 16;
		struct found *more = realloc(f->list, cap * sizeof(*more));

		if (!more) {
			err_set(f->err, ERR_HOST, "out of memory while reading %s", f->file);
			return NULL;
		}
		f->list = more;
		f->cap = cap;
	}
	it = &f->list[f->nr];
	*it = (struct found){ .name = arena_strdup(&f->mem, name), .at = { f->file, line, column } };
	if (!it->name) {
		err_set(f->err, ERR_HOST, "out of memory while reading %s", f->file);
		return NULL;
	}
	f->nr++;
	return it;
}

void found_note(struct finding *f, struct found *it, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (it->nr_notes < FOUND_NOTES)
		it->notes[it->nr_notes++] = arena_strdup(&f->mem, text);
}

static void say(struct finding *f, const struct place *at, const char *text)
{
	struct err *note = text ? warnings_add(f->notes) : NULL;

	if (note)
		err_at(note, at->file, at->line, at->column, NULL, "%s", text);
}

void found_say(struct finding *f, const char *file, const char *text) { say(f, &(struct place){ .file = file }, text); }

void found_drive(struct finding *f, struct found *it, enum limit_driver driver, const char *whose)
{
	struct limit before = it->limit;
	u64 quota, period;

	if (!limit_drive(&it->limit, driver))
		return;
	quota = limit_quota(&before, LIMIT_PERIOD);
	period = limit_period(&before, LIMIT_PERIOD);
	found_note(f, it, "%s: %" PRIu64 " us in each %" PRIu64 " us become %" PRIu64 " in each %" PRIu64 ": %s", it->name, quota / US,
		   period / US, limit_quota(&it->limit, LIMIT_PERIOD) / US, limit_period(&it->limit, LIMIT_PERIOD) / US, whose);
}

/* ---- which kind of file ---- */

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), e = strlen(end);

	return n > e && !strcmp(s + n - e, end);
}

static bool is_unit(const char *path)
{
	static const char *const endings[] = { ".service", ".slice", ".scope", ".socket", ".conf" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(endings); i++)
		if (ends_in(path, endings[i]))
			return true;
	return false;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int read_path(struct finding *f, const char *path)
{
	size_t len;
	char *text;
	int ret;

	if (found_is_dropin(path) || (is_unit(path) && !is_directory(path)))
		return found_in_unit_files(f, path);
	if (is_directory(path)) /* as is the cgroup of a unit, system.slice/web.service */
		return found_in_cgroup(f, path);
	text = bytes_read(path, &len, f->err);
	if (!text)
		return -1;
	ret = found_in_manifest(f, text, len);
	free(text);
	return ret;
}

/* ---- whose limit is it? ---- */

/* Bytes of the first part of @name. */
static size_t top_len(const char *name) { return strcspn(name, "/"); }

/* Without ".service" and its like, as people call their groups. */
static size_t stem_len(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name && !strchr(dot, '/') && is_unit(name) ? (size_t)(dot - name) : strlen(name);
}

static const char *last_of(const char *path) { return strrchr(path, '/') + 1; }

static u32 group_index(const struct scenario *sc, const char *path, size_t len)
{
	u32 i;

	for (i = 0; i < sc->nr_groups; i++)
		if (strlen(sc->groups[i].path) == len && !strncmp(sc->groups[i].path, path, len))
			return i;
	return NO_GROUP;
}

/* Does @path end in the whole parts of the @len bytes at @name? */
static bool path_ends_in(const char *path, const char *name, size_t len)
{
	size_t n = strlen(path);

	return n > len && path[n - len - 1] == '/' && !strncmp(path + n - len, name, len);
}

/* The group whose path ends in @name; NO_GROUP where there is none, or several. */
static u32 group_ending_in(const struct scenario *sc, const char *name, size_t len)
{
	u32 i, found = NO_GROUP, nr = 0;

	for (i = 0; i < sc->nr_groups; i++) {
		if (!path_ends_in(sc->groups[i].path, name, len))
			continue;
		found = i;
		nr++;
	}
	return nr == 1 ? found : NO_GROUP;
}

/* By the whole name, or without the ending of a unit. */
static u32 group_for(const struct scenario *sc, const struct found *it)
{
	u32 group = group_ending_in(sc, it->name, strlen(it->name));

	return group == NO_GROUP ? group_ending_in(sc, it->name, stem_len(it->name)) : group;
}

struct placing {
	struct scenario *sc;
	const struct finding *f;
	u32 *group; /* of each that was found */
	u32 placed;
	struct err *err;
};

static void place(struct placing *p, u32 i, u32 group)
{
	p->group[i] = group;
	p->placed += group != NO_GROUP;
}

/* All of @top (a pod, a unit, a directory) below the group at @path. */
static void place_below(struct placing *p, const char *top, size_t len, const char *path)
{
	char below[1024];
	u32 i;

	for (i = 0; i < p->f->nr; i++) {
		const char *name = p->f->list[i].name;

		p->group[i] = NO_GROUP;
		if (top_len(name) != len || strncmp(name, top, len))
			continue;
		snprintf(below, sizeof(below), "%s%s", path, name + len);
		place(p, i, group_index(p->sc, below, strlen(below)));
	}
}

/* The names of what was found first on each level, for a sentence. */
static void list_tops(const struct finding *f, char *buf, size_t size)
{
	size_t len = 0;
	u32 i, nr = 0;

	buf[0] = '\0';
	for (i = 0; i < f->nr && len < size; i++) {
		if (strchr(f->list[i].name, '/'))
			continue;
		if (nr++ == 6)
			len += (size_t)snprintf(buf + len, size - len, ", ...");
		if (nr <= 6)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", nr > 1 ? ", " : "", f->list[i].name);
	}
}

/* What is to go into a group that the user named: the only thing there is, or that of the same name. */
static const char *top_for(const struct placing *p, const char *path, size_t *len)
{
	const char *only = NULL, *same = NULL;
	u32 i, nr = 0;

	for (i = 0; i < p->f->nr; i++) {
		const char *name = p->f->list[i].name;

		if (strchr(name, '/'))
			continue;
		only = name;
		nr++;
		if (!strcmp(name, last_of(path)))
			same = name;
	}
	if (nr == 1)
		same = only;
	*len = same ? strlen(same) : 0;
	return same;
}

static int place_in_group(struct placing *p, const char *path)
{
	char tops[256];
	const char *top;
	size_t len;

	if (group_index(p->sc, path, strlen(path)) == NO_GROUP)
		return err_at(p->err, NULL, 0, 0, "--limits-from", "there is no group \"%s\"", path);
	top = top_for(p, path, &len);
	if (top) {
		place_below(p, top, len, path);
		return 0;
	}
	list_tops(p->f, tops, sizeof(tops));
	err_at(p->err, p->f->file, 0, 0, "--limits-from", "which of %s is for group %s?", tops, path);
	err_hint(p->err, "call the group by that name, or keep only that one in the file");
	return -1;
}

/* The one group that is limited, or the one there is, takes the one thing that was found. */
static int place_only(struct placing *p)
{
	const struct group_spec *g = override_only_group(p->sc);
	char tops[256];
	const char *top;
	size_t len;

	top = g ? top_for(p, g->path, &len) : NULL;
	if (top) {
		place_below(p, top, len, g->path);
		return 0;
	}
	list_tops(p->f, tops, sizeof(tops));
	if (!p->sc->nr_groups)
		return err_at(p->err, NULL, 0, 0, "--limits-from", "the scenario has no group for %s", tops);
	err_at(p->err, p->f->file, 0, 0, "--limits-from", "no group of the scenario is called %s", tops);
	err_hint(p->err, "say which it is for, as in --limits-from %s=PATH", p->sc->groups[0].path);
	return -1;
}

static int place_by_name(struct placing *p)
{
	u32 i;

	for (i = 0; i < p->f->nr; i++)
		place(p, i, group_for(p->sc, &p->f->list[i]));
	return p->placed ? 0 : place_only(p);
}

/* ---- the writes ---- */

static void add_words(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

/* What @g gets, in one line; then what a manager made of it. */
static void say_one(struct finding *f, const struct group_spec *g, const struct found *it, bool v1)
{
	char text[512], max[LIMIT_TEXT];
	u64 weight = it->weight ? it->weight : override_weight_of(it->shares);
	u32 i;

	snprintf(text, sizeof(text), "%s of %s:", g->path, it->name);
	if (it->has_limit)
		add_words(text, sizeof(text), " cpu.max \"%s\"", limit_max_text(&it->limit, LIMIT_PERIOD, max));
	if (it->limit.has_burst && it->limit.burst)
		add_words(text, sizeof(text), " cpu.max.burst %" PRIu64, it->limit.burst / US);
	if (v1 && it->shares)
		add_words(text, sizeof(text), " cpu.shares %" PRIu64, it->shares);
	else if (it->shares || it->weight)
		add_words(text, sizeof(text), " cpu.weight %" PRIu64, weight);
	if (!v1 && it->other_weight && it->other_weight != it->weight)
		add_words(text, sizeof(text), " (%" PRIu64 " with --weights %s)", it->other_weight, f->manager->new_weights ? "old" : "new");
	say(f, &it->at, text);
	for (i = 0; i < it->nr_notes; i++)
		say(f, &it->at, it->notes[i]);
}

static int write_one(struct scenario *sc, struct finding *f, const struct found *it, u32 group, struct err *err)
{
	struct group_spec *g = &sc->groups[group];

	say_one(f, g, it, override_speaks_v1(sc, g));
	if ((it->weight || it->shares) && override_weight(sc, g, it->weight, it->shares, &it->at))
		return err_set(err, ERR_HOST, "out of memory");
	if (it->has_limit && override_limit(sc, g, &it->limit, &it->at))
		return err_set(err, ERR_HOST, "out of memory");
	return 0;
}

/* The only container of a pod that has its group: the pod's says all there is to say. */
static bool stands_for_its_pod(const struct placing *p, const struct finding *f, u32 i)
{
	size_t top = top_len(f->list[i].name);
	u32 k, inside = 0;
	bool placed = false;

	if (!f->list[i].name[top])
		return false;
	for (k = 0; k < f->nr; k++) {
		const char *name = f->list[k].name;

		if (top_len(name) != top || strncmp(name, f->list[i].name, top) != 0)
			continue;
		inside += name[top] != 0;
		placed |= !name[top] && p->group[k] != NO_GROUP;
	}
	return placed && inside == 1;
}

/* The rest of the file found no group: one line for all. */
static void say_left_out(struct placing *p, struct finding *f)
{
	struct place whole = { .file = f->file };
	char text[512] = "no group of the scenario is called";
	u32 i, nr = 0;

	for (i = 0; i < f->nr; i++) {
		if (p->group[i] != NO_GROUP || stands_for_its_pod(p, f, i))
			continue;
		if (nr++ < 6)
			add_words(text, sizeof(text), "%s %.60s", nr > 1 ? "," : "", f->list[i].name);
	}
	if (nr > 6)
		add_words(text, sizeof(text), " and %u more", nr - 6);
	if (nr)
		say(f, &whole, text);
}

static int write_all(struct placing *p, struct finding *f)
{
	u32 i;

	for (i = 0; i < f->nr; i++) {
		struct place *at = &f->list[i].at;

		if (p->group[i] == NO_GROUP)
			continue;
		at->file = arena_strdup(&p->sc->mem, at->file); /* the names of the finding's files die with it */
		if (!at->file)
			return err_set(p->err, ERR_HOST, "out of memory");
		if (write_one(p->sc, f, &f->list[i], p->group[i], p->err))
			return -1;
	}
	say_left_out(p, f);
	return 0;
}

static int place_and_write(struct scenario *sc, struct finding *f, const char *group)
{
	struct placing p = { .sc = sc, .f = f, .err = f->err, .group = arena_alloc(&f->mem, (f->nr + 1) * sizeof(u32)) };

	if (!p.group)
		return err_set(f->err, ERR_HOST, "out of memory");
	if (group ? place_in_group(&p, group) : place_by_name(&p))
		return -1;
	return write_all(&p, f);
}

/* "/web=PATH": the group, for free(), and where the path begins; a file may have such a name itself. */
static char *group_of_spec(const char *spec, const char **path)
{
	const char *equals = *spec == '/' ? strchr(spec, '=') : NULL;
	struct stat st;

	*path = spec;
	if (!equals || !stat(spec, &st))
		return NULL;
	*path = equals + 1;
	return strndup(spec, (size_t)(equals - spec));
}

int scenario_set_limits_from(struct scenario *sc, const char *spec, const struct manager *manager, struct warnings *notes,
			     struct err *err)
{
	struct finding f = { .manager = manager, .notes = notes, .err = err };
	char *group = group_of_spec(spec, &f.file);
	int ret;

	arena_init(&f.mem, sc->mem.get, sc->mem.put, sc->mem.ctx);
	if (!strcmp(f.file, "-"))
		ret = err_at(err, NULL, 0, 0, "--limits-from", "expected a file or a directory, found the standard input");
	else
		ret = read_path(&f, f.file) ? -1 : place_and_write(sc, &f, group);
	arena_fini(&f.mem);
	free(f.list);
	free(group);
	return ret;
}
