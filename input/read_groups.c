/* SPDX-License-Identifier: MIT */
/*
 * read_groups.c - "groups" and every other place that names a group or writes to one.
 *
 *	"/web/side"	makes /web first, if nobody has; "/" is the root and no entry of its own
 *
 * Law: in scenario.groups a parent stands before its children, and each path stands once.
 */
#include <string.h>

#include "input/limits.h"
#include "input/reader.h"
#include "text/suggest.h"

static const char *const write_files[] = {
	"cpu.max", "cpu.max.burst", "cpu.weight", "cpu.weight.nice", "cpu.idle",
	"cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.cfs_burst_us", "cpuset.cpus",
};

static bool is_write_file(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(write_files); i++)
		if (!strcmp(write_files[i], name))
			return true;
	return false;
}

/* ---- paths ---- */

#define LEAST_SPELT 4 /* bytes of a path: shorter ones are alike by chance */

/* "/a/b": begins with a slash, no empty part, no "." or ".."; "/" alone is fine. */
static bool path_is_good(const char *path)
{
	const char *p = path;

	if (!strcmp(path, "/"))
		return true;
	if (*p != '/')
		return false;
	while (*p == '/') {
		size_t len = strcspn(p + 1, "/");

		if (!len || (len == 1 && p[1] == '.') || (len == 2 && p[1] == '.' && p[2] == '.'))
			return false;
		p += 1 + len;
	}
	return true;
}

static int check_path(struct reader *rd, const struct json *v, const char *path)
{
	if (path_is_good(path))
		return 0;
	err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key,
	       "expected the path of a group, such as \"/web\", found \"%s\"", path);
	if (*path != '/' && *path)
		err_hint(rd->err, "write \"/%s\"", path);
	return -1;
}

static int new_group(struct reader *rd, const char *path, size_t len, u32 *index)
{
	struct scenario *sc = rd->sc;
	struct group_spec *g = append(rd, (void **)&sc->groups, &sc->nr_groups, &rd->cap_groups, sizeof(*g));

	if (!g)
		return out_of_memory(rd);
	g->path = arena_strndup(&sc->mem, path, len);
	if (!g->path || !names_put(&rd->names, NAMES_GROUP, g->path, sc->nr_groups - 1))
		return out_of_memory(rd);
	*index = sc->nr_groups - 1;
	return 0;
}

int group_at(struct reader *rd, const struct json *v, const char *path, u32 *index)
{
	size_t len;

	if (check_path(rd, v, path))
		return -1;
	*index = names_get(&rd->names, NAMES_GROUP, path);
	if (*index != NAME_NONE)
		return 0;
	for (len = 1 + strcspn(path + 1, "/"); ; len += 1 + strcspn(path + len + 1, "/")) {
		char *prefix = arena_strndup(&rd->scratch, path, len);

		if (!prefix)
			return out_of_memory(rd);
		*index = names_get(&rd->names, NAMES_GROUP, prefix);
		if (*index == NAME_NONE && new_group(rd, path, len, index))
			return -1;
		if (!path[len])
			return 0;
	}
}

/* ---- values ---- */

/* Text, or a number as it is spelled, or { "value": either, "expect": "EINVAL" }. */
static int text_of(struct reader *rd, const struct json *v, const char **out)
{
	if (v->kind != JSON_STRING && v->kind != JSON_NUMBER)
		return refuse(rd, v, "what to write, as text or a number");
	*out = arena_strndup(&rd->sc->mem, v->text, v->len);
	return *out ? 0 : out_of_memory(rd);
}

static int read_value(struct reader *rd, struct json *v, void *into)
{
	return text_of(rd, v, &((struct write_spec *)into)->value);
}

static int read_expect(struct reader *rd, struct json *v, void *into)
{
	struct write_spec *write = into;

	if (want_string(rd, v, "the name of an error, such as \"EINVAL\"", &write->expect))
		return -1;
	return *write->expect == 'E' ? 0 : refuse(rd, v, "the name of an error, such as \"EINVAL\"");
}

int write_value(struct reader *rd, struct json *v, struct write_spec *write)
{
	static const struct key_row rows[] = { { "value", read_value }, { "expect", read_expect } };

	write->at = (struct place){ .file = rd->sc->file, .line = (int)v->line, .column = (int)v->column };
	if (v->kind != JSON_OBJECT)
		return text_of(rd, v, &write->value);
	if (READ_KEYS(rd, v, rows, UNKNOWN_ERROR, write))
		return -1;
	return write->value ? 0 : refuse(rd, v, "a \"value\" to write");
}

/* ---- one group ---- */

static struct write_spec *add_write(struct reader *rd, u32 group, u32 *cap, const struct json *v, const char *file)
{
	struct group_spec *g = &rd->sc->groups[group];
	struct write_spec *w = append(rd, (void **)&g->writes, &g->nr_writes, cap, sizeof(*w));

	if (!w)
		return NULL;
	w->group = g->path;
	w->file = file;
	w->at = (struct place){ .file = rd->sc->file, .line = (int)v->line, .column = (int)v->column };
	return w;
}

static int read_phase_offset(struct reader *rd, struct json *v, struct group_spec *g)
{
	g->phase_set = true;
	g->phase_random = v->kind == JSON_STRING && !strcmp(v->text, "random");
	if (g->phase_random)
		return 0;
	return v->kind == JSON_NUMBER ? want_us(rd, v, &g->phase) : refuse(rd, v, "microseconds or \"random\"");
}

/* "limit": "250m+25ms" stands for the writes that make it so. */
static int read_limit(struct reader *rd, struct json *v, u32 group, u32 *cap)
{
	char max[LIMIT_TEXT], burst[LIMIT_TEXT];
	struct err why = { 0 };
	struct write_spec *w;
	struct limit limit;

	if (v->kind != JSON_STRING)
		return refuse(rd, v, "a limit such as \"250m\", \"1.5\" or \"50000/100000+10000\"");
	if (limit_parse(v->text, &limit, &why) || limit.group) {
		err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "%s",
		       limit.group ? "a limit inside a group names no group" : why.message);
		err_hint(rd->err, "%s", why.hint);
		return -1;
	}
	w = add_write(rd, group, cap, v, "cpu.max");
	if (!w)
		return out_of_memory(rd);
	w->value = arena_strdup(&rd->sc->mem, limit_max_text(&limit, LIMIT_PERIOD, max));
	if (!limit.has_burst)
		return w->value ? 0 : out_of_memory(rd);
	w = add_write(rd, group, cap, v, "cpu.max.burst");
	if (!w)
		return out_of_memory(rd);
	w->value = arena_strdup(&rd->sc->mem, limit_burst_text(&limit, burst));
	return w->value ? 0 : out_of_memory(rd);
}

static int unknown_group_key(struct reader *rd, const struct json *v)
{
	struct suggest s;
	u32 i;

	err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key,
	       "unknown key: expected a file of a group (cpu.max, cpu.weight, ...), period_phase or limit");
	suggest_init(&s, v->key);
	for (i = 0; i < ARRAY_SIZE(write_files); i++)
		suggest_offer(&s, write_files[i]);
	suggest_offer(&s, "period_phase");
	suggest_offer(&s, "limit");
	if (*v->key == '/')
		err_hint(rd->err, "groups do not nest in the file: give the whole path, such as \"/web%s\", beside this group",
			 v->key);
	else if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

static int read_group_key(struct reader *rd, struct json *v, u32 group, u32 *cap)
{
	struct write_spec *w;
	char *file;

	if (!strcmp(v->key, "period_phase"))
		return read_phase_offset(rd, v, &rd->sc->groups[group]);
	if (!strcmp(v->key, "limit"))
		return read_limit(rd, v, group, cap);
	if (!is_write_file(v->key))
		return unknown_group_key(rd, v);
	file = arena_strdup(&rd->sc->mem, v->key);
	w = file ? add_write(rd, group, cap, v, file) : NULL;
	return w ? write_value(rd, v, w) : out_of_memory(rd);
}

static int read_group(struct reader *rd, struct json *v)
{
	struct json *e;
	u32 group, cap;

	if (want_object(rd, v, "an object of files and what to write, such as { \"cpu.max\": \"25000 100000\" }"))
		return -1;
	if (!strcmp(v->key, "/"))
		return err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key, "the root group has no limits");
	if (group_at(rd, v, v->key, &group))
		return -1;
	rd->sc->groups[group].declared = true;
	cap = rd->sc->groups[group].nr_writes; /* a path that stands twice adds to what it has */
	json_each(e, v)
		if (!key_is_silent(e->key) && read_group_key(rd, e, group, &cap))
			return -1;
	return 0;
}

int read_groups(struct reader *rd, struct json *v)
{
	struct json *e;

	if (want_object(rd, v, "an object of groups, such as { \"/web\": { \"cpu.max\": \"25000 100000\" } }"))
		return -1;
	json_each(e, v)
		if (!key_is_silent(e->key) && read_group(rd, e))
			return -1;
	rd->nr_declared = rd->sc->nr_groups;
	return 0;
}

/* Do @a and @b differ in nothing but their digits, as names of a row of groups do? */
static bool are_of_a_row(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	for (; *a || *b; a++, b++) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
	return true;
}

void warn_if_misspelt(struct reader *rd, const struct json *v, const char *path)
{
	struct suggest s;
	u32 i;

	if (!rd->nr_declared || names_get(&rd->names, NAMES_GROUP, path) != NAME_NONE)
		return;
	suggest_init(&s, path);
	for (i = 0; i < rd->nr_declared; i++)
		if (!are_of_a_row(path, rd->sc->groups[i].path) && strlen(path) >= LEAST_SPELT)
			suggest_offer(&s, rd->sc->groups[i].path);
	if (!suggest_best(&s))
		return;
	warn_at(rd, v, "\"groups\" has no \"%s\": it is made, without a limit", path);
	warn_hint(rd, "did you mean \"%s\"?", suggest_best(&s));
}

/* ---- writes at a later time ---- */

static int unknown_group(struct reader *rd, const struct json *v, const char *path)
{
	struct suggest s;
	u32 i;

	err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key, "there is no group \"%s\"", path);
	suggest_init(&s, path);
	for (i = 0; i < rd->sc->nr_groups; i++)
		suggest_offer(&s, rd->sc->groups[i].path);
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

int read_write(struct reader *rd, struct json *v, struct write_spec *write)
{
	const char *slash = strrchr(v->key, '/'), *path;
	u32 group;

	if (!slash || slash == v->key || !is_write_file(slash + 1)) {
		err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key,
		       "expected the file of a group, such as \"/web/cpu.max\"");
		return -1;
	}
	path = arena_strndup(&rd->scratch, v->key, (size_t)(slash - v->key));
	write->file = arena_strdup(&rd->sc->mem, slash + 1);
	if (!path || !write->file)
		return out_of_memory(rd);
	group = names_get(&rd->names, NAMES_GROUP, path);
	if (group == NAME_NONE)
		return unknown_group(rd, v, path);
	write->group = rd->sc->groups[group].path;
	return write_value(rd, v, write);
}
