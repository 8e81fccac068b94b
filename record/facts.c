/* SPDX-License-Identifier: MIT */
/* facts.c - reads the machine's and the groups' state, and writes it as lines of JSON. */
#define _GNU_SOURCE
#include "record/facts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "live/host.h"
#include "text/json_write.h"
#include "text/memory.h"

#define GROUPS_MOST 256
#define DEPTH_MOST 16
#define REST_OF_LINE 160 /* bytes of a line of members, beside the group's path and the threads */
#define TID_BYTES 9

/* ---- lines ---- */

struct line {
	struct json_write j;
	FILE *out;
	char *text;
	size_t len;
};

static bool begin(struct line *l)
{
	l->text = NULL;
	l->out = open_memstream(&l->text, &l->len);
	if (!l->out)
		return false;
	json_write_init(&l->j, l->out);
	json_begin_line(&l->j, '{');
	return true;
}

static void end(struct line *l, const struct fact_sink *to)
{
	bool fine;

	json_end(&l->j);
	fine = json_done(&l->j);
	if (fclose(l->out) || !fine) {
		free(l->text);
		return;
	}
	l->text[strcspn(l->text, "\n")] = '\0';
	if (l->len <= FACT_LINE_MOST)
		to->put(to->ctx, l->text);
	free(l->text);
}

void facts_head(const struct fact_sink *to, const char *what, const struct target *t, bool filtered, u64 poll)
{
	struct utsname uts = { .release = "" };
	u32 hz = host_tick_hz();
	struct line l;

	if (!begin(&l))
		return;
	uname(&uts);
	json_put_string(&l.j, "fairground", what);
	json_put_u64(&l.j, "version", 1);
	json_put_string(&l.j, "kernel", uts.release);
	json_put_string(&l.j, "machine", uts.machine);
	if (hz)
		json_put_u64(&l.j, "hz", hz);
	json_put_u64(&l.j, "cpus", (u64)sysconf(_SC_NPROCESSORS_ONLN));
	json_put_string(&l.j, "clock", "mono");
	if (t->has_groups)
		json_put_u64(&l.j, "cgroup", (u64)t->cg.version);
	json_put_string(&l.j, "target", *t->path ? t->path : NULL);
	if (poll)
		json_put_u64(&l.j, "poll_usec", poll / US);
	else
		json_put_string(&l.j, "events", filtered ? "members" : "all");
	end(&l, to);
}

/* ---- which groups ---- */

static void add_group(struct fact_groups *g, const char *path)
{
	char **paths;

	if (g->nr == GROUPS_MOST)
		return;
	paths = list_grown(g->paths, g->nr, &g->cap, sizeof(*paths));
	if (!paths)
		return;
	g->paths = paths;
	g->paths[g->nr] = strdup(path);
	g->nr += g->paths[g->nr] != NULL;
}

static bool is_limited(const struct target *t, const char *path)
{
	u64 quota, period;

	return cgroups_limit(&t->cg, path, &quota, &period) && quota != NEVER;
}

static void add_below(struct fact_groups *g, const struct target *t, const char *path, bool limited, int depth)
{
	char dir[FILE_PATH_MAX], inner[CGROUPS_DIR_MAX];
	DIR *d = opendir(cgroups_path(&t->cg, path, NULL, dir, sizeof(dir)));
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    snprintf(inner, sizeof(inner), "%s/%s", path[1] ? path : "", entry->d_name) >= (int)sizeof(inner))
			continue;
		if (!limited || is_limited(t, inner))
			add_group(g, inner);
		if (depth < DEPTH_MOST)
			add_below(g, t, inner, limited, depth + 1);
	}
	if (d)
		closedir(d);
}

/* The target first, then upwards, then what is below. */
void facts_groups(struct fact_groups *g, const struct target *t)
{
	char above[CGROUPS_DIR_MAX], *slash;

	memset(g, 0, sizeof(*g));
	if (!t->has_groups)
		return;
	if (!*t->path) {
		add_below(g, t, "/", true, 0);
		return;
	}
	add_group(g, t->path);
	strcpy(above, t->path);
	while ((slash = strrchr(above, '/')) && slash > above) {
		*slash = '\0';
		add_group(g, above);
	}
	add_below(g, t, t->path, false, 0);
}

void facts_groups_fini(struct fact_groups *g)
{
	while (g->nr)
		free(g->paths[--g->nr]);
	free(g->paths);
	memset(g, 0, sizeof(*g));
}

/* ---- limits and counters ---- */

static bool number_of(const struct target *t, const char *path, const char *file, u64 *value)
{
	char name[FILE_PATH_MAX], text[64];

	if (file_read(cgroups_path(&t->cg, path, file, name, sizeof(name)), text, sizeof(text)) || text[0] < '0' || text[0] > '9')
		return false;
	*value = strtoull(text, NULL, 10);
	return true;
}

void facts_limits(const struct fact_sink *to, const struct target *t, const struct fact_groups *g)
{
	bool v1 = t->cg.version == 1;
	struct line l;

	for (u32 i = 0; i < g->nr; i++) {
		u64 quota, period, burst = 0, weight;

		if (!cgroups_limit(&t->cg, g->paths[i], &quota, &period) || !begin(&l))
			continue;
		json_put_string(&l.j, "limit", g->paths[i]);
		if (quota == NEVER)
			json_put_string(&l.j, "quota_usec", NULL);
		else
			json_put_u64(&l.j, "quota_usec", quota / US);
		json_put_u64(&l.j, "period_usec", period / US);
		number_of(t, g->paths[i], v1 ? "cpu.cfs_burst_us" : "cpu.max.burst", &burst);
		json_put_u64(&l.j, "burst_usec", burst);
		if (number_of(t, g->paths[i], v1 ? "cpu.shares" : "cpu.weight", &weight))
			json_put_u64(&l.j, "weight", weight);
		end(&l, to);
	}
}

void facts_stats(const struct fact_sink *to, const struct target *t, const struct fact_groups *g, const char *when)
{
	struct cgroup_stat st;
	struct line l;

	for (u32 i = 0; i < g->nr; i++) {
		cgroups_stat(&t->cg, g->paths[i], &st);
		if ((!st.has_usage && !st.has_bandwidth) || !begin(&l))
			continue;
		json_put_string(&l.j, "stat", g->paths[i]);
		json_put_string(&l.j, "at", when);
		if (st.has_usage)
			json_put_u64(&l.j, "usage_usec", st.usage / US);
		if (st.has_bandwidth) {
			json_put_u64(&l.j, "nr_periods", st.nr_periods);
			json_put_u64(&l.j, "nr_throttled", st.nr_throttled);
			json_put_u64(&l.j, "throttled_usec", st.throttled / US);
		}
		if (st.has_burst) {
			json_put_u64(&l.j, "nr_bursts", st.nr_bursts);
			json_put_u64(&l.j, "burst_usec", st.burst / US);
		}
		end(&l, to);
	}
}

/* ---- members ---- */

/* One line for threads of one process and group that follow each other, as many as fit. */
void facts_members(const struct fact_sink *to, const struct members *m, u32 first)
{
	struct line l;

	while (first < m->nr && begin(&l)) {
		const struct member *head = &m->v[first];
		size_t taken = REST_OF_LINE + strlen(m->paths[head->group]);
		size_t fit = taken + TID_BYTES < FACT_LINE_MOST ? (FACT_LINE_MOST - taken) / TID_BYTES : 1;
		u32 i = first;

		json_put_string(&l.j, "member", m->paths[head->group]);
		json_put_u64(&l.j, "pid", (u64)head->pid);
		json_put_string(&l.j, "name", head->name);
		json_put_begin_line(&l.j, "tids", '[');
		for (; i < m->nr && i < first + fit && m->v[i].pid == head->pid && m->v[i].group == head->group &&
		       !strcmp(m->v[i].name, head->name); i++)
			json_u64(&l.j, (u64)m->v[i].tid);
		json_end(&l.j);
		end(&l, to);
		first = i;
	}
}
