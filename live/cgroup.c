/* SPDX-License-Identifier: MIT */
/*
 * cgroup.c - makes, writes, reads and removes our group and what is inside it.
 *
 *	mkdir fairground-PID	v2: cpu on for what is inside, and before that for fairground-PID itself
 *	mkdir .../web		v2: threaded, so that threads of one process may be in several groups; cpu on inside it too
 */
#define _GNU_SOURCE
#include "live/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SMALL 4096
#define RETRY (5 * MS) /* a group stays busy for a moment after its last process has gone */

static bool has_acct(const struct cgroups *cg) { return *cg->acct && strcmp(cg->acct, cg->cpu); }

/* ---- paths ---- */

static char *path_in(const struct cgroups *cg, const char *hierarchy, const char *group, const char *file, char *buf, size_t size)
{
	bool inner = group && strcmp(group, "/");

	snprintf(buf, size, "%s/%s%s%s%s", hierarchy, cg->name, inner ? group : "", file ? "/" : "", file ? file : "");
	return buf;
}

char *cgroups_path(const struct cgroups *cg, const char *group, const char *file, char *buf, size_t size)
{
	return path_in(cg, cg->cpu, group, file, buf, size);
}

const char *cgroups_member_file(const struct cgroups *cg, bool thread)
{
	if (!thread)
		return "cgroup.procs";
	return cg->version == 1 ? "tasks" : "cgroup.threads";
}

/* ---- refusals ---- */

/* Whose permission is missing: of the directory where something is made, of the file where it is written. */
static void say_rights(const char *what, const char *path, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');
	bool make = !strcmp(what, "make");
	int len = make && slash ? (int)(slash - path) : (int)strlen(path);
	struct stat st;
	char of[FILE_PATH_MAX];

	snprintf(of, sizeof(of), "%.*s", len, path);
	if (stat(of, &st))
		snprintf(buf, size, "write permission on %.400s is missing", of);
	else
		snprintf(buf, size, "write permission on %.400s (owner uid %u, mode %03o) is missing for uid %u", of, st.st_uid,
			 st.st_mode & 07777u, geteuid());
}

int cgroups_refused(const struct cgroups *cg, const char *what, const char *path, int errnum, struct err *err)
{
	bool rights = errnum == EACCES || errnum == EPERM;
	const char *hint = cgroups_hint(cg, errnum);
	char missing[SMALL] = "";

	if (rights)
		say_rights(what, path, missing, sizeof(missing));
	err_set(err, ERR_HOST, "cannot %s %s: %s%s%s", what, path, strerror(errnum), rights ? ": " : "", missing);
	if (hint)
		err_hint(err, "%s", hint);
	return -1;
}

/* ---- files ---- */

int cgroups_write(const struct cgroups *cg, const char *group, const char *file, const char *value)
{
	char path[FILE_PATH_MAX];

	return file_write(cgroups_path(cg, group, file, path, sizeof(path)), value, cg->plain);
}

int cgroups_must_write(const struct cgroups *cg, const char *group, const char *file, const char *value, struct err *err)
{
	char path[FILE_PATH_MAX], what[96];
	int ret = cgroups_write(cg, group, file, value);

	if (!ret)
		return 0;
	snprintf(what, sizeof(what), "write \"%.60s\" to", value);
	return cgroups_refused(cg, what, cgroups_path(cg, group, file, path, sizeof(path)), -ret, err);
}

static int write_member(const struct cgroups *cg, const char *hierarchy, const char *group, const char *file, int id)
{
	char path[FILE_PATH_MAX], text[24];

	snprintf(text, sizeof(text), "%d", id);
	return file_write(path_in(cg, hierarchy, group, file, path, sizeof(path)), text, cg->plain);
}

static int write_members(const struct cgroups *cg, const char *group, bool thread, int id)
{
	const char *file = cgroups_member_file(cg, thread);
	int ret = write_member(cg, cg->cpu, group, file, id);

	return ret || !has_acct(cg) ? ret : write_member(cg, cg->acct, group, file, id);
}

int cgroups_enter(const struct cgroups *cg) { return write_members(cg, NULL, false, getpid()); }

int cgroups_move(const struct cgroups *cg, const char *group, int tid)
{
	return write_members(cg, group, true, tid ? tid : gettid());
}

/* ---- making ---- */

static int make_dir(const struct cgroups *cg, const char *hierarchy, const char *group, struct err *err)
{
	char path[FILE_PATH_MAX];

	path_in(cg, hierarchy, group, NULL, path, sizeof(path));
	if (!mkdir(path, 0755) || errno == EEXIST)
		return 0;
	return cgroups_refused(cg, "make", path, errno, err);
}

/*
 * v2: ours is a domain, whose threads may be in several groups inside it; or, where the group that holds it has processes of its own (a
 * delegated one that we are in), threaded as everything there must be.
 */
static int make_top(const struct cgroups *cg, struct err *err)
{
	int ret = cgroups_write(cg, NULL, "cgroup.subtree_control", "+cpu");

	if (!ret)
		return 0;
	if (ret == -EOPNOTSUPP && cgroups_must_write(cg, NULL, "cgroup.type", "threaded", err))
		return -1;
	return cgroups_must_write(cg, NULL, "cgroup.subtree_control", "+cpu", err);
}

/* A directory in each hierarchy; under v2 the cpu controller goes on for what will be inside. */
static int make_group(const struct cgroups *cg, const char *group, struct err *err)
{
	if (make_dir(cg, cg->cpu, group, err) || (has_acct(cg) && make_dir(cg, cg->acct, group, err)))
		return -1;
	if (cg->version == 1)
		return 0;
	if (!group)
		return make_top(cg, err);
	if (cgroups_must_write(cg, group, "cgroup.type", "threaded", err))
		return -1;
	return cgroups_must_write(cg, group, "cgroup.subtree_control", "+cpu", err);
}

/* v2: does the group that will hold ours hand the controller down? */
static int controller_on(const struct cgroups *cg, struct err *err)
{
	char path[FILE_PATH_MAX], text[SMALL];
	int ret;

	if (cg->version == 1)
		return 0;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cg->cpu);
	if (!file_read(path, text, sizeof(text)) && file_has_word(text, "cpu"))
		return 0;
	ret = file_write(path, "+cpu", false);
	return ret ? cgroups_refused(cg, "write \"+cpu\" to", path, -ret, err) : 0;
}

/* The reader has made every parent a group of its own, but not always before its children. */
static u32 depth_of(const char *path)
{
	u32 n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

static int make_all(const struct cgroups *cg, const struct scenario *sc, struct err *err)
{
	u32 i, depth, deepest = 0;

	if (controller_on(cg, err) || make_group(cg, NULL, err))
		return -1;
	for (i = 0; i < sc->nr_groups; i++)
		deepest = depth_of(sc->groups[i].path) > deepest ? depth_of(sc->groups[i].path) : deepest;
	for (depth = 1; depth <= deepest; depth++)
		for (i = 0; i < sc->nr_groups; i++)
			if (sc->groups[i].path[1] && depth_of(sc->groups[i].path) == depth && make_group(cg, sc->groups[i].path, err))
				return -1;
	return 0;
}

int cgroups_make(const struct cgroups *cg, const struct scenario *sc, struct err *err)
{
	if (!make_all(cg, sc, err))
		return 0;
	cgroups_remove(cg, 0);
	return -1;
}

/* ---- removing ---- */

/* Everything below @path, then @path; files only where they are plain ones.  False where something stayed. */
static bool remove_tree(const struct cgroups *cg, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	char inner[FILE_PATH_MAX];
	struct stat st;

	if (!dir)
		return errno == ENOENT;
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) >= (int)sizeof(inner) || lstat(inner, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			remove_tree(cg, inner);
		else if (cg->plain)
			unlink(inner);
	}
	closedir(dir);
	return !rmdir(path) || errno == ENOENT;
}

/* No limit in @path and in what is below it. */
static void lift_tree(const struct cgroups *cg, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	char inner[FILE_PATH_MAX];

	if (!dir)
		return;
	if (snprintf(inner, sizeof(inner), "%s/%s", path, cg->version == 2 ? "cpu.max" : "cpu.cfs_quota_us") < (int)sizeof(inner))
		file_write(inner, cg->version == 2 ? "max" : "-1", false);
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) < (int)sizeof(inner))
			lift_tree(cg, inner);
	closedir(dir);
}

void cgroups_lift(const struct cgroups *cg)
{
	char path[FILE_PATH_MAX];

	if (!cg->plain)
		lift_tree(cg, path_in(cg, cg->cpu, NULL, NULL, path, sizeof(path)));
}

static bool remove_once(const struct cgroups *cg)
{
	char path[FILE_PATH_MAX];
	bool gone = remove_tree(cg, path_in(cg, cg->cpu, NULL, NULL, path, sizeof(path)));

	if (has_acct(cg))
		gone = remove_tree(cg, path_in(cg, cg->acct, NULL, NULL, path, sizeof(path))) && gone;
	return gone;
}

/* Where it was off before us it goes off again; the kernel refuses where another group has come to use it. */
static void take_controller_back(const struct cgroups *cg)
{
	char path[FILE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cg->cpu);
	if (cg->was_off)
		file_write(path, "-cpu", false);
}

bool cgroups_remove(const struct cgroups *cg, int patience)
{
	struct timespec pause = { 0, (long)RETRY };
	s64 left = (s64)patience * (s64)MS;

	while (!remove_once(cg)) {
		if (left <= 0)
			return false;
		cgroups_lift(cg);
		nanosleep(&pause, NULL);
		left -= (s64)RETRY;
	}
	take_controller_back(cg);
	return true;
}

/* ---- reading ---- */

static bool read_file(const struct cgroups *cg, const char *hierarchy, const char *group, const char *file, char *text, size_t size)
{
	char path[FILE_PATH_MAX];

	return !file_read(path_in(cg, hierarchy, group, file, path, sizeof(path)), text, size) && *text;
}

/* v1 counts throttled_time and burst_time in ns, v2 throttled_usec and burst_usec in us. */
static void bandwidth_of(const char *text, u64 unit, const char *throttled, const char *burst, struct cgroup_stat *st)
{
	st->has_bandwidth = file_number(text, "nr_periods", &st->nr_periods) && file_number(text, "nr_throttled", &st->nr_throttled) &&
			    file_number(text, throttled, &st->throttled);
	st->has_burst = file_number(text, "nr_bursts", &st->nr_bursts) && file_number(text, burst, &st->burst);
	st->throttled *= unit;
	st->burst *= unit;
}

void cgroups_stat(const struct cgroups *cg, const char *group, struct cgroup_stat *st)
{
	char text[SMALL];

	memset(st, 0, sizeof(*st));
	if (read_file(cg, cg->cpu, group, "cpu.stat", text, sizeof(text))) {
		if (cg->version == 1)
			bandwidth_of(text, 1, "throttled_time", "burst_time", st);
		else
			bandwidth_of(text, US, "throttled_usec", "burst_usec", st);
		st->has_usage = cg->version == 2 && file_number(text, "usage_usec", &st->usage);
		st->usage *= US;
	}
	if (cg->version == 1 && *cg->acct && read_file(cg, cg->acct, group, "cpuacct.usage", text, sizeof(text))) {
		st->usage = strtoull(text, NULL, 10);
		st->has_usage = true;
	}
}

bool cgroups_limit(const struct cgroups *cg, const char *group, u64 *quota, u64 *period)
{
	char text[SMALL], more[SMALL];
	const char *second;

	if (cg->version == 2) {
		if (!read_file(cg, cg->cpu, group, "cpu.max", text, sizeof(text)))
			return false;
		second = text + strcspn(text, " ");
	} else {
		if (!read_file(cg, cg->cpu, group, "cpu.cfs_quota_us", text, sizeof(text)) ||
		    !read_file(cg, cg->cpu, group, "cpu.cfs_period_us", more, sizeof(more)))
			return false;
		second = more;
	}
	*quota = text[0] == 'm' || text[0] == '-' ? NEVER : strtoull(text, NULL, 10) * US;
	*period = strtoull(second, NULL, 10) * US;
	return *period;
}

bool cgroups_rewrite_limit(const struct cgroups *cg, const char *group)
{
	const char *file = cg->version == 2 ? "cpu.max" : "cpu.cfs_quota_us";
	char text[SMALL];

	if (!read_file(cg, cg->cpu, group, file, text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return !cgroups_write(cg, group, file, text);
}
