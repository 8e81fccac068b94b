/* SPDX-License-Identifier: MIT */
/*
 * members.c - who is in a target, looked at again and again.
 *
 *	a group		cgroup.threads (v2) or tasks (v1) of it and of those below
 *	a process	/proc/PID/task, and of its children, and of theirs
 *	everybody	/proc/[0-9]*, but for the root group
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/target.h"
#include "text/memory.h"

#define DEPTH_MOST 16
#define SMALL 4096

void members_init(struct members *m) { memset(m, 0, sizeof(*m)); }

void members_fini(struct members *m)
{
	for (u32 i = 0; i < m->nr_paths; i++)
		free(m->paths[i]);
	free(m->paths);
	free(m->v);
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

/* ---- the table ---- */

static u32 slot_of(const struct members *m, s32 tid)
{
	u32 at = (u32)tid * 2654435761u & (m->nr_slots - 1);

	while (m->slots[at] && m->v[m->slots[at] - 1].tid != tid)
		at = (at + 1) & (m->nr_slots - 1);
	return at;
}

static bool more_slots(struct members *m)
{
	u32 nr = m->nr_slots ? m->nr_slots * 2 : 256;
	u32 *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return false;
	free(m->slots);
	m->slots = slots;
	m->nr_slots = nr;
	for (u32 i = 0; i < m->nr; i++)
		m->slots[slot_of(m, m->v[i].tid)] = i + 1;
	return true;
}

static bool has_room(struct members *m)
{
	struct member *v;

	if (2 * (m->nr + 1) > m->nr_slots && !more_slots(m))
		return false;
	v = list_grown(m->v, m->nr, &m->cap, sizeof(*v));
	if (v)
		m->v = v;
	return v;
}

/* The index of the group at @path, made when new; its paths come in runs. */
static u32 path_index(struct members *m, const char *path)
{
	char **paths;

	for (u32 i = m->nr_paths; i; i--)
		if (!strcmp(m->paths[i - 1], path))
			return i - 1;
	paths = list_grown(m->paths, m->nr_paths, &m->cap_paths, sizeof(*paths));
	if (!paths)
		return 0;
	m->paths = paths;
	m->paths[m->nr_paths] = strdup(path);
	return m->paths[m->nr_paths] ? m->nr_paths++ : 0;
}

static void read_name(struct member *one)
{
	char file[64], text[64];

	snprintf(file, sizeof(file), "/proc/%d/comm", one->tid);
	file_read(file, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	snprintf(one->name, sizeof(one->name), "%.31s", text);
}

static s32 process_of(s32 tid)
{
	char file[64], text[SMALL];
	u64 pid;

	snprintf(file, sizeof(file), "/proc/%d/status", tid);
	if (file_read(file, text, sizeof(text)))
		return tid;
	for (char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, "Tgid:", 5)) {
			pid = strtoull(line + 5, NULL, 10);
			return pid && pid <= INT32_MAX ? (s32)pid : tid;
		}
	return tid;
}

/* Thread @tid of process @pid (0: not known) is in the group @path. */
static void found(struct members *m, s32 tid, s32 pid, const char *path)
{
	struct member *one;
	u32 at;

	if (!has_room(m))
		return;
	at = slot_of(m, tid);
	if (m->slots[at]) {
		m->v[m->slots[at] - 1].seen = true;
		return;
	}
	one = &m->v[m->nr++];
	*one = (struct member){ .tid = tid, .pid = pid ? pid : process_of(tid), .group = path_index(m, path), .seen = true };
	read_name(one);
	m->slots[at] = m->nr;
}

/* ---- where they stand ---- */

static void of_list(struct members *m, const char *file, const char *path)
{
	FILE *in = fopen(file, "re");
	int tid;

	while (in && fscanf(in, "%d", &tid) == 1)
		if (tid > 0)
			found(m, tid, 0, path);
	if (in)
		fclose(in);
}

static void of_group(struct members *m, const struct target *t, const char *path, int depth)
{
	char file[FILE_PATH_MAX], inner[CGROUPS_DIR_MAX];
	const struct dirent *entry;
	DIR *dir;

	of_list(m, cgroups_path(&t->cg, path, cgroups_member_file(&t->cg, true), file, sizeof(file)), path);
	dir = depth < DEPTH_MOST ? opendir(cgroups_path(&t->cg, path, NULL, file, sizeof(file))) : NULL;
	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    snprintf(inner, sizeof(inner), "%s/%s", path[1] ? path : "", entry->d_name) < (int)sizeof(inner))
			of_group(m, t, inner, depth + 1);
	if (dir)
		closedir(dir);
}

static void of_process(struct members *m, int pid, const char *path)
{
	char file[64];
	const struct dirent *entry;
	DIR *dir;

	snprintf(file, sizeof(file), "/proc/%d/task", pid);
	dir = opendir(file);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			found(m, (s32)strtol(entry->d_name, NULL, 10), pid, path);
	if (dir)
		closedir(dir);
}

static void of_family(struct members *m, const struct target *t, int pid, int depth);

/* The children of a thread, as far as this kernel has a list of them. */
static void of_children(struct members *m, const struct target *t, int pid, int tid, int depth)
{
	char file[128], text[SMALL], *rest = text, *word;

	snprintf(file, sizeof(file), "/proc/%d/task/%d/children", pid, tid);
	if (depth == DEPTH_MOST || file_read(file, text, sizeof(text)))
		return;
	while ((word = strsep(&rest, " ")))
		if (*word)
			of_family(m, t, (int)strtol(word, NULL, 10), depth + 1);
}

static void of_family(struct members *m, const struct target *t, int pid, int depth)
{
	char file[64];
	const struct dirent *entry;
	DIR *dir;

	snprintf(file, sizeof(file), "/proc/%d/task", pid);
	dir = opendir(file);
	while (dir && (entry = readdir(dir))) {
		int tid = (int)strtol(entry->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		found(m, tid, pid, *t->path ? t->path : "/");
		of_children(m, t, pid, tid, depth);
	}
	if (dir)
		closedir(dir);
}

static void of_everybody(struct members *m, const struct target *t)
{
	char path[CGROUPS_DIR_MAX];
	const struct dirent *entry;
	DIR *dir = t->has_groups ? opendir("/proc") : NULL;

	while (dir && (entry = readdir(dir))) {
		int pid = (int)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && target_group_of(t, pid, path, sizeof(path)) && strcmp(path, "/"))
			of_process(m, pid, path);
	}
	if (dir)
		closedir(dir);
}

u32 members_look(struct members *m, const struct target *t)
{
	u32 first = m->nr;

	for (u32 i = 0; i < m->nr; i++)
		m->v[i].seen = false;
	if (t->kind == TARGET_GROUP)
		of_group(m, t, t->path, 0);
	else if (t->kind == TARGET_PID)
		of_family(m, t, t->pid, 0);
	else
		of_everybody(m, t);
	return first;
}
