/* SPDX-License-Identifier: MIT */
/* target.c - finds whom a recording is about. */
#define _GNU_SOURCE
#include "record/target.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/mounts.h"
#include "text/say.h"

#define USUAL "/sys/fs/cgroup"
#define ID_LEAST 4	 /* characters of a container's id: fewer fit many */
#define DEPTH_MOST 16	 /* of groups that are looked through */
#define SMALL 4096

static int refuse(struct err *err, enum err_code code, const char *what, const char *name, const char *hint)
{
	char shown[160];

	err_set(err, code, what, say(shown, sizeof(shown), name));
	err_hint(err, "%s", hint);
	return -1;
}

/* ---- a group by its path ---- */

static bool is_group(const struct target *t, const char *path)
{
	char dir[FILE_PATH_MAX];

	return !access(cgroups_path(&t->cg, path, "cpu.stat", dir, sizeof(dir)), R_OK);
}

/* "/sys/fs/cgroup/cpu/web/", "/web", "web" -> "/web" */
static bool take_path(struct target *t, const char *text)
{
	size_t len = strlen(t->cg.cpu);
	char *end;

	if (!strncmp(text, t->cg.cpu, len) && (text[len] == '/' || !text[len]))
		text += len;
	while (text[0] == '/' && text[1] == '/')
		text++;
	if (snprintf(t->path, sizeof(t->path), "%s%s", text[0] == '/' ? "" : "/", text) >= (int)sizeof(t->path))
		return false;
	for (end = t->path + strlen(t->path); end > t->path + 1 && end[-1] == '/';)
		*--end = '\0';
	return !strstr(t->path, "/../") && is_group(t, t->path);
}

static int find_cgroup(struct target *t, const char *text, struct err *err)
{
	if (take_path(t, text))
		return 0;
	return refuse(err, ERR_INPUT, "--cgroup: there is no group %s with a cpu.stat that can be read", text,
		      "name it by its directory, or by its path below the cpu controller's hierarchy, as in /system.slice/web.service");
}

/* ---- the group of a process ---- */

/* Does the list of controllers of a line of /proc/PID/cgroup ("4:cpu,cpuacct:/x") hold cpu? */
static bool line_has_cpu(const char *list, const char *end)
{
	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		size_t len = (size_t)((comma ? comma : end) - list);

		if (len == 3 && !memcmp(list, "cpu", 3))
			return true;
		list += len + 1;
	}
	return false;
}

bool target_group_of(const struct target *t, int pid, char *path, size_t size)
{
	char file[64], text[SMALL], *line, *rest = text;

	snprintf(file, sizeof(file), "/proc/%d/cgroup", pid);
	if (file_read(file, text, sizeof(text)))
		return false;
	while ((line = strsep(&rest, "\n"))) {
		char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;

		if (at && (t->cg.version == 2 ? at == list + 1 : line_has_cpu(list + 1, at)))
			return snprintf(path, size, "%s", at + 1) < (int)size;
	}
	return false;
}

static int find_pid(struct target *t, int pid, struct err *err)
{
	char shown[16], path[CGROUPS_DIR_MAX];

	snprintf(shown, sizeof(shown), "%d", pid);
	if (kill(pid, 0) && errno == ESRCH)
		return refuse(err, ERR_INPUT, "--pid: there is no process %s", shown, "pgrep NAME prints the pid of a program");
	if (t->has_groups && target_group_of(t, pid, path, sizeof(path)) && is_group(t, path))
		snprintf(t->path, sizeof(t->path), "%s", path);
	t->pid = pid;
	return 0;
}

/* ---- the group of a container ---- */

/* Groups whose name holds an id. */
struct search {
	const struct target *t;
	const char *id;
	char found[CGROUPS_DIR_MAX], other[CGROUPS_DIR_MAX];
	u32 nr;
};

/* podman has a second group, for the process that watches over the container. */
static bool names_container(const char *name, const char *id) { return strstr(name, id) && !strstr(name, "conmon"); }

static void search_in(struct search *s, const char *path, int depth)
{
	char dir[FILE_PATH_MAX], inner[CGROUPS_DIR_MAX];
	DIR *d = opendir(cgroups_path(&s->t->cg, path, NULL, dir, sizeof(dir)));
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(inner, sizeof(inner), "%s/%s", path[1] ? path : "", entry->d_name) >= (int)sizeof(inner))
			continue;
		if (names_container(entry->d_name, s->id))
			strcpy(s->nr++ ? s->other : s->found, inner);
		else if (depth < DEPTH_MOST)
			search_in(s, inner, depth + 1);
	}
	if (d)
		closedir(d);
}

static int find_container(struct target *t, const char *id, struct err *err)
{
	struct search s = { .t = t, .id = id };
	char one[200], two[200];

	if (strlen(id) < ID_LEAST || strchr(id, '/'))
		return refuse(err, ERR_INPUT, "--container: \"%s\" is no id", id,
			      "give four characters of it or more; docker ps, crictl ps or podman ps show it");
	search_in(&s, "/", 0);
	if (!s.nr)
		return refuse(err, ERR_INPUT, "--container: no group of the cpu controller has \"%s\" in its name", id,
			      "give the container's id and not its name: docker ps, crictl ps or podman ps show it");
	if (s.nr > 1) {
		err_set(err, ERR_INPUT, "--container: %u groups are meant: %s and %s", s.nr, say(one, sizeof(one), s.found),
			say(two, sizeof(two), s.other));
		err_hint(err, "give more of the id, or name one of them by --cgroup");
		return -1;
	}
	strcpy(t->path, s.found);
	return is_group(t, t->path) ? 0 : refuse(err, ERR_HOST, "the cpu.stat of %s cannot be read", t->path, "its group may be going away");
}

/* ---- all of it ---- */

static bool take_mount(void *target, const char *point)
{
	struct target *t = target;
	struct err none = { 0 };

	return !cgroups_find(&t->cg, point, getpid(), &none);
}

/* As they are mounted: the group that may have been given to this process, for which cgroups_find() would look, is not meant. */
static int find_groups(struct target *t, const char *root, struct err *err)
{
	if (!root && (take_mount(t, USUAL) || mounts_find("cgroup", take_mount, t)))
		return 0;
	return cgroups_find(&t->cg, root ? root : USUAL, getpid(), err);
}

int target_find(struct target *t, const struct target_ask *ask, struct err *err)
{
	struct err none = { 0 };
	bool need = ask->cgroup || ask->container;

	memset(t, 0, sizeof(*t));
	t->has_groups = !find_groups(t, ask->cgroup_root, need || ask->cgroup_root ? err : &none);
	if (!t->has_groups && (need || ask->cgroup_root))
		return -1;
	t->cg.name[0] = '\0';
	t->kind = need ? TARGET_GROUP : ask->pid ? TARGET_PID : TARGET_ALL;
	if (ask->cgroup)
		return find_cgroup(t, ask->cgroup, err);
	if (ask->container)
		return find_container(t, ask->container, err);
	return ask->pid ? find_pid(t, ask->pid, err) : 0;
}
