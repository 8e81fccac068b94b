/* SPDX-License-Identifier: MIT */
/*
 * cgroup_find.c - where the cpu controller is, and what earlier runs left there.
 *
 *	ROOT/cgroup.controllers with "cpu"	v2
 *	ROOT/cpu.shares				v1, ROOT is a group of the cpu hierarchy
 *	ROOT/cpu, ROOT/cpu,cpuacct		v1, as /sys/fs/cgroup usually is
 *
 * ROOT is what was given, else /sys/fs/cgroup, else each mount of a cgroup file system.  Under v2, where the top is not ours
 * to write to, the groups above this process are tried from below: one of them may have been delegated.
 */
#include "live/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define USUAL "/sys/fs/cgroup"
#define MAGIC_V1 0x27e0eb
#define MAGIC_V2 0x63677270
#define SMALL 4096

/* @dir/@file into @buf; false where it is too long. */
static bool join(char *buf, size_t size, const char *dir, const char *file)
{
	int n = snprintf(buf, size, "%s/%s", dir, file);

	return n >= 0 && (size_t)n < size;
}

static bool exists(const char *dir, const char *file)
{
	char path[FILE_PATH_MAX];

	return join(path, sizeof(path), dir, file) && !access(path, F_OK);
}

static bool is_plain(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) || ((long)fs.f_type != MAGIC_V1 && (long)fs.f_type != MAGIC_V2);
}

static bool words_hold_cpu(const char *dir, const char *file)
{
	char path[FILE_PATH_MAX], text[SMALL];

	return join(path, sizeof(path), dir, file) && !file_read(path, text, sizeof(text)) && file_has_word(text, "cpu");
}

/* ---- mounts ---- */

/* The mount point of a line of mountinfo whose file system is a cgroup one; NULL for any other. */
static const char *cgroup_mount(char *line)
{
	char *dash = strstr(line, " - cgroup"), *rest, *point;
	int field;

	if (!dash || strlen(line) < 10)
		return NULL;
	rest = line;
	for (field = 0, point = NULL; field < 5; field++)
		point = strsep(&rest, " ");
	return point;
}

/* Is @word one of the comma-separated options at the end of a line of mountinfo? */
static bool has_option(const char *line, const char *word)
{
	const char *at = strrchr(line, ' ');
	size_t len = strlen(word);

	for (; at; at = strchr(at + 1, ','))
		if (!strncmp(at + 1, word, len) && strchr(",\n", at[1 + len]))
			return true;
	return false;
}

/* Where v1's @controller is mounted, into @point; false where it is not. */
static bool mount_of(const char *controller, char *point, size_t size)
{
	FILE *in = fopen("/proc/self/mountinfo", "r");
	char line[SMALL];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in)) {
		bool here = strstr(line, " - cgroup ") && has_option(line, controller);
		const char *at = here ? cgroup_mount(line) : NULL;

		found = at && snprintf(point, size, "%s", at) < (int)size;
	}
	if (in)
		fclose(in);
	return found;
}

/* The group of the cpuacct hierarchy that has the same path as @cpu in the cpu hierarchy; false where there is none. */
static bool acct_beside(const char *cpu, char *acct, size_t size)
{
	char cpus[FILE_PATH_MAX], accts[FILE_PATH_MAX];

	if (!mount_of("cpu", cpus, sizeof(cpus)) || !mount_of("cpuacct", accts, sizeof(accts)) || strncmp(cpu, cpus, strlen(cpus)))
		return false;
	return snprintf(acct, size, "%s%s", accts, cpu + strlen(cpus)) < (int)size;
}

/* ---- the three shapes ---- */

static bool is_v1_cpu(const char *dir) { return exists(dir, "cpu.shares") || exists(dir, "cpu.cfs_quota_us"); }

static bool fits(const char *dir) { return strlen(dir) < CGROUPS_DIR_MAX; }

static bool take_v1(struct cgroups *cg, const char *cpu, const char *acct)
{
	if (!is_v1_cpu(cpu) || !fits(cpu) || !fits(acct))
		return false;
	cg->version = 1;
	cg->plain = is_plain(cpu);
	strcpy(cg->cpu, cpu);
	if (exists(cpu, "cpuacct.usage"))
		strcpy(cg->acct, cpu);
	else if (!access(acct, W_OK) || access(cpu, W_OK)) /* what may not be written to is done without */
		strcpy(cg->acct, access(acct, F_OK) ? "" : acct);
	return true;
}

/* Does @root hold the cpu controller, in one of the three shapes? */
static bool look(struct cgroups *cg, const char *root)
{
	static const char *const names[] = { "cpu", "cpu,cpuacct", "cpuacct,cpu" };
	char cpu[FILE_PATH_MAX], acct[FILE_PATH_MAX];
	size_t i;

	if (words_hold_cpu(root, "cgroup.controllers") && fits(root)) {
		cg->version = 2;
		cg->plain = is_plain(root);
		strcpy(cg->cpu, root);
		return true;
	}
	if (take_v1(cg, root, acct_beside(root, acct, sizeof(acct)) ? acct : ""))
		return true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (join(cpu, sizeof(cpu), root, names[i]) && join(acct, sizeof(acct), root, "cpuacct") && take_v1(cg, cpu, acct))
			return true;
	return false;
}

static bool look_at_mounts(struct cgroups *cg)
{
	FILE *in = fopen("/proc/self/mountinfo", "r");
	char line[SMALL];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in)) {
		const char *point = cgroup_mount(line);

		found = point && look(cg, point);
	}
	if (in)
		fclose(in);
	return found;
}

/* ---- a group that was given to us ---- */

bool cgroups_own_path(char *path, size_t size)
{
	char text[SMALL], *line;

	if (file_read("/proc/self/cgroup", text, sizeof(text)))
		return false;
	line = strstr(text, "0::");
	if (!line)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return snprintf(path, size, "%s", line + 3) < (int)size;
}

/* Whether the controller can be handed down there shows in trying; it is taken back until it is needed. */
static bool may_hold_groups(const char *dir)
{
	char path[FILE_PATH_MAX];

	if (access(dir, W_OK) || !words_hold_cpu(dir, "cgroup.controllers") || !join(path, sizeof(path), dir, "cgroup.subtree_control"))
		return false;
	if (words_hold_cpu(dir, "cgroup.subtree_control"))
		return true;
	return !file_write(path, "+cpu", false) && !file_write(path, "-cpu", false);
}

/* From this process's own group upwards, the first in which groups with limits can be made.  Else the top stays. */
static void look_for_own(struct cgroups *cg)
{
	char path[FILE_PATH_MAX], dir[FILE_PATH_MAX], *slash;

	if (!cgroups_own_path(path, sizeof(path)))
		return;
	while (path[0] == '/' && path[1]) {
		if (snprintf(dir, sizeof(dir), "%s%s", cg->cpu, path) < CGROUPS_DIR_MAX && may_hold_groups(dir)) {
			strcpy(cg->cpu, dir);
			return;
		}
		slash = strrchr(path, '/');
		*slash = '\0';
	}
}

static int not_found(const char *root, struct err *err)
{
	if (root) {
		err_set(err, ERR_HOST, "%s holds no cpu controller: neither a cgroup.controllers that names cpu, nor a cpu hierarchy of cgroup v1",
			root);
		err_hint(err, "give a directory like /sys/fs/cgroup, or a group inside it");
	} else {
		err_set(err, ERR_HOST, "no cgroup file system with the cpu controller is mounted (looked at /sys/fs/cgroup and /proc/self/mountinfo)");
		err_hint(err, "as root: mount -t cgroup2 none /sys/fs/cgroup; or say where it is: --cgroup-root DIR");
	}
	return -1;
}

int cgroups_find(struct cgroups *cg, const char *root, int pid, struct err *err)
{
	char path[FILE_PATH_MAX];

	memset(cg, 0, sizeof(*cg));
	snprintf(cg->name, sizeof(cg->name), CGROUPS_NAME "%d", pid);
	if (root) {
		snprintf(path, sizeof(path), "%s", root);
		while (strlen(path) > 1 && path[strlen(path) - 1] == '/')
			path[strlen(path) - 1] = '\0';
		if (!look(cg, path))
			return not_found(root, err);
	} else if (!look(cg, USUAL) && !look_at_mounts(cg)) {
		return not_found(NULL, err);
	} else if (cg->version == 2 && access(cg->cpu, W_OK)) {
		look_for_own(cg);
	}
	cg->was_off = cg->version == 2 && !words_hold_cpu(cg->cpu, "cgroup.subtree_control");
	return 0;
}

/* ---- above us ---- */

static bool limit_of_dir(const char *dir, char *text, size_t size)
{
	char path[FILE_PATH_MAX];

	if (join(path, sizeof(path), dir, "cpu.max") && !file_read(path, text, size) && *text) {
		text[strcspn(text, "\n")] = '\0';
		return strncmp(text, "max", 3);
	}
	if (!join(path, sizeof(path), dir, "cpu.cfs_quota_us") || file_read(path, text, size) || !*text)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return *text != '-';
}

bool cgroups_limit_above(const struct cgroups *cg, char *buf, size_t size)
{
	char dir[CGROUPS_DIR_MAX], text[64], *slash;

	strcpy(dir, cg->cpu);
	while (!cg->plain && *dir) {
		if (limit_of_dir(dir, text, sizeof(text))) {
			snprintf(buf, size, "%s: %s us", dir, text);
			return true;
		}
		slash = strrchr(dir, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	return false;
}

/* ---- what earlier runs left ---- */

/* Is process @pid alive, and one of us? */
static bool is_alive(int pid)
{
	char path[64], comm[64];

	if (kill(pid, 0) && errno == ESRCH)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (file_read(path, comm, sizeof(comm)))
		return true; /* it cannot be asked: leave it alone */
	return !strncmp(comm, CGROUPS_OWNER, strlen(CGROUPS_OWNER));
}

static bool is_left(const char *name, int *pid)
{
	char *end;
	long n;

	if (strncmp(name, CGROUPS_NAME, strlen(CGROUPS_NAME)))
		return false;
	n = strtol(name + strlen(CGROUPS_NAME), &end, 10);
	*pid = (int)n;
	return n > 0 && n < 1 << 30 && !*end && !is_alive(*pid);
}

static int sweep_dir(const struct cgroups *cg, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int pid, nr = 0;

	while (dir && (entry = readdir(dir))) {
		struct cgroups left = *cg;

		left.was_off = false;
		if (!is_left(entry->d_name, &pid))
			continue;
		snprintf(left.name, sizeof(left.name), CGROUPS_NAME "%d", pid);
		nr += cgroups_remove(&left, 0);
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* One half of a v1 pair may have been removed already. */
int cgroups_sweep(const struct cgroups *cg)
{
	int nr = sweep_dir(cg, cg->cpu);

	return *cg->acct && strcmp(cg->acct, cg->cpu) ? nr + sweep_dir(cg, cg->acct) : nr;
}
