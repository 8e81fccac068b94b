/* SPDX-License-Identifier: MIT */
/*
 * cgroup_rights.c - which rights are missing: all of them, before anything has been changed.
 *
 *	v1	make a directory in the cpu hierarchy
 *	v2	make a directory; hand the cpu controller down; move a process from where it is:
 *
 *		/a	  write to its cgroup.procs: the first group that holds both
 *		/a/shell  where this process is
 *		/a/mine	  where the group shall be
 */
#define _GNU_SOURCE
#include "live/cgroup.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL 4096

const char *cgroups_hint(const struct cgroups *cg, int errnum)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return cg->version == 2 ?
			       "run as root; or in a group that is delegated to you: systemd-run --user --scope -p Delegate=yes fairground measure ...; "
			       "or --cgroup-root DIR with a group that root has given you (chown) and put you into" :
			       "run as root; or let root make a group for you, mkdir DIR/mine && chown -R YOU DIR/mine, in cpu and in cpuacct, and give it: "
			       "--cgroup-root .../cpu/mine";
	case EROFS:
		return "cgroups are mounted read-only, as in most containers: run it on the host, or with a cgroup mount that can be written to";
	case EBUSY:
		return "a group that has processes of its own cannot hold limited groups: give another one, --cgroup-root DIR";
	case ENOENT:
		return "this kernel has no such file, or the cpu controller is not on in that group (cgroup.subtree_control)";
	case EINVAL:
	case ERANGE:
		return "the kernel refuses the value itself";
	case ENOSPC:
	case EAGAIN:
		return "there may be no more groups here: look at cgroup.max.descendants and cgroup.max.depth above, and for groups nobody removed";
	default:
		return NULL;
	}
}

/* ---- a list ---- */

struct missing {
	char text[400];
	size_t len;
	int errnum; /* of the first */
};

static void add(struct missing *m, const char *purpose, const char *path)
{
	int errnum = errno;
	struct stat st;
	char owner[64] = "";

	if (!stat(path, &st))
		snprintf(owner, sizeof(owner), " (owner uid %u, mode %03o)", st.st_uid, st.st_mode & 07777u);
	if (m->len < sizeof(m->text))
		m->len += (size_t)snprintf(m->text + m->len, sizeof(m->text) - m->len, "%s%s, %s %.160s%s", m->len ? "; " : "", purpose,
					   errnum == EROFS ? "a mount that is not read-only at" : "write permission on", path,
					   errnum == EROFS ? "" : owner);
	if (!m->errnum)
		m->errnum = errnum;
}

static bool may_write(const char *path, int also) { return !eaccess(path, W_OK | also); }

/* ---- v2 ---- */

static void check_controller(const struct cgroups *cg, struct missing *m)
{
	char path[FILE_PATH_MAX], text[SMALL];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cg->cpu);
	if (!file_read(path, text, sizeof(text)) && file_has_word(text, "cpu"))
		return;
	if (!may_write(path, 0))
		add(m, "to hand the cpu controller down", path);
}

/* How much of @dir, a real path, is the mount point. */
static size_t mount_len(const char *dir)
{
	char path[PATH_MAX], *slash;
	struct stat here, above;
	size_t len = strlen(dir);

	snprintf(path, sizeof(path), "%s", dir);
	while (!stat(path, &here) && (slash = strrchr(path, '/'))) {
		len = strlen(path);
		slash[slash == path] = '\0';
		if (stat(path, &above) || above.st_dev != here.st_dev || len <= 1)
			break;
	}
	return len;
}

/* Whole names that two paths have in common, "/a/b/c" and "/a/bc": 2. */
static size_t common_len(const char *a, const char *b)
{
	size_t i = 0, last = 0;

	while (a[i] && a[i] == b[i]) {
		i++;
		if ((!a[i] || a[i] == '/') && (!b[i] || b[i] == '/'))
			last = i;
	}
	return last;
}

static void check_move(const struct cgroups *cg, struct missing *m)
{
	char own[FILE_PATH_MAX], real[PATH_MAX], path[PATH_MAX + 32];
	size_t mount;

	if (!cgroups_own_path(own, sizeof(own)) || !realpath(cg->cpu, real))
		return;
	mount = mount_len(real);
	snprintf(path, sizeof(path), "%.*s/cgroup.procs", (int)(mount + common_len(real + mount, own)), real);
	if (!access(path, F_OK) && !may_write(path, 0))
		add(m, "to move from its own group to there", path);
}

int cgroups_rights(const struct cgroups *cg, struct err *err)
{
	struct missing m = { .len = 0 };
	const char *hint;

	if (!may_write(cg->cpu, X_OK))
		add(&m, "to make a group", cg->cpu);
	if (cg->version == 2) {
		check_controller(cg, &m);
		if (!cg->plain)
			check_move(cg, &m);
	}
	if (!m.len)
		return 0;
	err_set(err, ERR_HOST, "missing for uid %u: %s", geteuid(), m.text);
	hint = cgroups_hint(cg, m.errnum);
	if (hint)
		err_hint(err, "%s", hint);
	return -1;
}
