/* SPDX-License-Identifier: MIT */
/* facts.c - reads what a recording of our own says of machine and groups. */
#include "trace/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/memory.h"
#include "text/number.h"
#include "trace/line.h"

#define VERSION_MOST 1
#define US_MOST (UINT64_MAX / US)
#define PATH_MOST 4096 /* bytes of a group's path; longer ones are cut by no kernel */

void trace_facts_init(struct trace_facts *f) { memset(f, 0, sizeof(*f)); }

void trace_facts_fini(struct trace_facts *f)
{
	for (u32 i = 0; i < f->nr_groups; i++)
		free(f->groups[i].path);
	free(f->groups);
	free(f->members);
	free(f->target);
	memset(f, 0, sizeof(*f));
}

/* ---- values ---- */

int fact_refuse(const struct json *v, const char *key, const char *expected, const struct fact_place *at)
{
	char shown[80];

	return err_at(at->err, at->file, at->line, v ? (int)v->column : 1, key, v ? "expected %s, found %s" : "is missing: expected %s",
		      expected, v ? json_show(v, shown, sizeof(shown)) : "");
}

int fact_number(const struct json *obj, const char *key, u64 most, bool needed, u64 *out, const struct fact_place *at)
{
	const struct json *v = json_get_last(obj, key);

	if (!v && !needed)
		return 0;
	if (!v || v->kind != JSON_NUMBER || num_whole_u64(v->text, v->len, most, out) != NUM_OK)
		return fact_refuse(v, key, "a whole number from 0 on", at);
	return 0;
}

/* A text without control bytes at @key, at most @most bytes long; NULL where it is not there. */
static int fact_text(const struct json *obj, const char *key, size_t most, bool needed, const char **out, const struct fact_place *at)
{
	const struct json *v = json_get_last(obj, key);

	*out = NULL;
	if (!v && !needed)
		return 0;
	if (v && v->kind == JSON_NULL && !needed)
		return 0;
	if (!v || v->kind != JSON_STRING || v->len > most)
		return fact_refuse(v, key, "a short text", at);
	*out = v->text;
	return 0;
}

static int no_memory(const struct fact_place *at) { return err_at(at->err, at->file, 0, 0, NULL, "too large for the memory of this machine"); }

/* ---- groups ---- */

const struct fact_group *trace_facts_group(const struct trace_facts *f, const char *path)
{
	if (f->last_group < f->nr_groups && !strcmp(f->groups[f->last_group].path, path))
		return &f->groups[f->last_group]; /* lines come in runs */
	for (u32 i = f->nr_groups; i; i--)
		if (!strcmp(f->groups[i - 1].path, path))
			return &f->groups[i - 1];
	return NULL;
}

/* The group at @key of @obj, made when new; its index, or -1 with the err set. */
static int group_at(struct trace_facts *f, const struct json *obj, const char *key, const struct fact_place *at)
{
	struct fact_group *groups;
	const struct fact_group *g;
	const char *path;

	if (fact_text(obj, key, PATH_MOST, true, &path, at))
		return -1;
	if (path[0] != '/')
		return fact_refuse(json_get_last(obj, key), key, "a path that begins with /", at);
	g = trace_facts_group(f, path);
	if (g)
		return (int)(f->last_group = (u32)(g - f->groups));
	if (f->nr_groups == FACTS_GROUPS_MAX)
		return err_at(at->err, at->file, at->line, 0, key, "more than %d groups", FACTS_GROUPS_MAX);
	groups = list_grown(f->groups, f->nr_groups, &f->cap_groups, sizeof(*groups));
	if (!groups)
		return no_memory(at);
	f->groups = groups;
	f->groups[f->nr_groups] = (struct fact_group){ .path = strdup(path), .quota = NEVER };
	return f->groups[f->nr_groups].path ? (int)f->nr_groups++ : no_memory(at);
}

/* ---- the four kinds of lines ---- */

static int take_head(struct trace_facts *f, const struct json *line, const struct fact_place *at)
{
	const char *what, *kernel, *target, *events;
	u64 version = 0, hz = 0, cpus = 0, cgroup = 0, period = 0;

	if (fact_text(line, "fairground", 16, true, &what, at) || fact_number(line, "version", UINT32_MAX, true, &version, at) ||
	    fact_text(line, "kernel", sizeof(f->kernel) - 1, false, &kernel, at) || fact_text(line, "target", PATH_MOST, false, &target, at) ||
	    fact_text(line, "events", 16, false, &events, at) || fact_number(line, "hz", 100000, false, &hz, at) ||
	    fact_number(line, "cpus", TRACE_CPUS_MAX, false, &cpus, at) || fact_number(line, "cgroup", 2, false, &cgroup, at) ||
	    fact_number(line, "poll_usec", 3600 * (SEC / US), false, &period, at))
		return -1;
	if (version < 1 || version > VERSION_MOST)
		return err_at(at->err, at->file, at->line, 0, "version", "is %llu: this program knows version %d", (unsigned long long)version,
			      VERSION_MOST);
	f->any = true;
	f->light = !strcmp(what, "light");
	f->filtered = events && !strcmp(events, "members");
	f->hz = (u32)hz;
	f->cpus = (u32)cpus;
	f->cgroup = (u32)cgroup;
	f->period = period * US;
	snprintf(f->kernel, sizeof(f->kernel), "%s", kernel ? kernel : "");
	free(f->target);
	f->target = target ? strdup(target) : NULL;
	return 1;
}

static int take_limit(struct trace_facts *f, const struct json *line, const struct fact_place *at)
{
	const struct json *quota = json_get_last(line, "quota_usec"), *weight = json_get_last(line, "weight");
	u64 q = 0, period = 0, burst = 0, w = 0;
	int i = group_at(f, line, "limit", at);
	struct fact_group *g;

	if (i < 0 || fact_number(line, "period_usec", US_MOST, true, &period, at) || fact_number(line, "burst_usec", US_MOST, false, &burst, at) ||
	    (weight && fact_number(line, "weight", UINT32_MAX, true, &w, at)))
		return -1;
	if (!quota || (quota->kind != JSON_NULL && fact_number(line, "quota_usec", US_MOST, true, &q, at)))
		return fact_refuse(quota, "quota_usec", "a whole number, or null for none", at);
	if (!period || (quota->kind != JSON_NULL && !q))
		return err_at(at->err, at->file, at->line, 0, "limit", "a quota or period of 0 cannot be");
	g = &f->groups[i];
	g->has_limit = true;
	g->quota = quota->kind == JSON_NULL ? NEVER : q * US;
	g->period = period * US;
	g->burst = burst * US;
	g->has_weight = weight;
	g->weight = w;
	return 1;
}

static int take_stat(struct trace_facts *f, const struct json *line, const struct fact_place *at)
{
	struct cpu_stat st = { 0 };
	int i = group_at(f, line, "stat", at);
	const char *when;
	bool after;

	if (i < 0 || fact_text(line, "at", 8, true, &when, at) || fact_number(line, "usage_usec", US_MOST, false, &st.usage, at) ||
	    fact_number(line, "nr_periods", UINT64_MAX, false, &st.nr_periods, at) ||
	    fact_number(line, "nr_throttled", UINT64_MAX, false, &st.nr_throttled, at) ||
	    fact_number(line, "throttled_usec", US_MOST, false, &st.throttled_time, at) ||
	    fact_number(line, "nr_bursts", UINT64_MAX, false, &st.nr_bursts, at))
		return -1;
	after = !strcmp(when, "after");
	if (!after && strcmp(when, "before"))
		return fact_refuse(json_get_last(line, "at"), "at", "\"before\" or \"after\"", at);
	if (st.nr_throttled > st.nr_periods)
		return err_at(at->err, at->file, at->line, 0, "nr_throttled", "is %llu of %llu periods: that cannot be",
			      (unsigned long long)st.nr_throttled, (unsigned long long)st.nr_periods);
	st.usage *= US;
	st.throttled_time *= US;
	*(after ? &f->groups[i].after : &f->groups[i].before) = st;
	*(after ? &f->groups[i].has_after : &f->groups[i].has_before) = true;
	return 1;
}

static int add_member(struct trace_facts *f, u32 group, s32 pid, s32 tid, const char *name, const struct fact_place *at)
{
	struct fact_member *members, *m;

	if (f->nr_members == FACTS_MEMBERS_MAX)
		return err_at(at->err, at->file, at->line, 0, "tids", "more than %u threads", FACTS_MEMBERS_MAX);
	members = list_grown(f->members, f->nr_members, &f->cap_members, sizeof(*members));
	if (!members)
		return no_memory(at);
	f->members = members;
	m = &f->members[f->nr_members++];
	*m = (struct fact_member){ .group = group, .pid = pid, .tid = tid };
	snprintf(m->name, sizeof(m->name), "%s", name ? name : "");
	return 0;
}

static int take_member(struct trace_facts *f, const struct json *line, const struct fact_place *at)
{
	const struct json *tids = json_get_last(line, "tids"), *v;
	int i = group_at(f, line, "member", at);
	const char *name;
	u64 pid = 0, tid;

	if (i < 0 || fact_number(line, "pid", INT32_MAX, true, &pid, at) || fact_text(line, "name", 256, false, &name, at))
		return -1;
	if (!tids || tids->kind != JSON_ARRAY)
		return fact_refuse(tids, "tids", "an array of threads", at);
	json_each(v, tids) {
		if (v->kind != JSON_NUMBER || num_whole_u64(v->text, v->len, INT32_MAX, &tid) != NUM_OK || !tid)
			return fact_refuse(v, "tids", "a thread's number", at);
		if (add_member(f, (u32)i, (s32)pid, (s32)tid, name, at))
			return -1;
	}
	return 1;
}

static const struct {
	const char *key;
	int (*take)(struct trace_facts *f, const struct json *line, const struct fact_place *at);
} kinds[] = { { "fairground", take_head }, { "limit", take_limit }, { "stat", take_stat }, { "member", take_member } };

int trace_facts_take(struct trace_facts *f, const struct json *line, const struct fact_place *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (line->child && !strcmp(line->child->key, kinds[i].key))
			return kinds[i].take(f, line, at);
	return 0;
}

int trace_facts_line(struct trace_facts *f, const char *text, size_t len, const struct fact_place *at)
{
	struct arena mem;
	struct json *line;
	int ret = -1;

	arena_of_malloc(&mem);
	line = json_parse(at->file, text, len, &mem, NULL, at->err);
	if (line && line->kind != JSON_OBJECT)
		fact_refuse(line, NULL, "an object", at);
	else if (line)
		ret = trace_facts_take(f, line, at);
	else
		at->err->line = at->line;
	arena_fini(&mem);
	return ret;
}

bool fact_is_below(const char *path, const char *group)
{
	size_t len = strlen(group);

	return !strncmp(path, group, len) && (!path[len] || path[len] == '/' || len == 1);
}

const struct fact_group *trace_facts_above(const struct trace_facts *f)
{
	const struct fact_group *best = NULL;

	for (u32 i = 0; f->target && i < f->nr_groups; i++) {
		const struct fact_group *g = &f->groups[i];

		if (g->has_limit && g->quota != NEVER && strcmp(g->path, f->target) && fact_is_below(f->target, g->path) &&
		    (!best || strlen(g->path) > strlen(best->path)))
			best = g;
	}
	return best;
}

/* ---- what follows for a trace ---- */

#define MARK "fairground {" /* the rest of the line is the object */

void trace_mark(struct trace *tr, const char *text, size_t len)
{
	struct err err = { 0 };
	const struct fact_place at = { "a mark", 1, &err };
	const char *end = text + len, *p = find_word(text, end, MARK);

	if (!p)
		return;
	p += sizeof(MARK) - 2;
	if (!tr->facts && (tr->facts = malloc(sizeof(*tr->facts))))
		trace_facts_init(tr->facts);
	if (tr->facts && trace_facts_line(tr->facts, p, (size_t)(end - p), &at) < 0)
		tr->counts.bad_events++;
}

void trace_facts_apply(const struct trace_facts *f, struct trace *tr)
{
	for (u32 i = 0; i < f->nr_members; i++) {
		const struct fact_member *m = &f->members[i];
		const char *path = f->groups[m->group].path;
		u32 task = trace_task_find(tr, m->tid);

		if (task == TRACE_NO_TASK || task == TRACE_IDLE)
			continue;
		if (!tr->tasks[task].group) /* else it was moved while the recording ran */
			trace_task_group(tr, task, path, strlen(path));
		if (!tr->tasks[task].tgid)
			tr->tasks[task].tgid = m->pid;
		if (!tr->tasks[task].name[0])
			trace_task_name(tr, task, m->name, strlen(m->name));
	}
	if (f->kernel[0] && !tr->kernel[0])
		snprintf(tr->kernel, sizeof(tr->kernel), "%s", f->kernel);
	if (f->cpus && (int)f->cpus > tr->cpus)
		tr->cpus = (int)f->cpus;
}
