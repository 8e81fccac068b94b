/* SPDX-License-Identifier: MIT */
/*
 * target.h - whom a recording is about: a cgroup, a process, a container, or everybody.
 *
 *	--cgroup web.slice		CPU/web.slice
 *	--pid 4711			the group that /proc/4711/cgroup names; the process, its threads and what it forked
 *	--container 3f2a		CPU/.../docker-3f2a....scope, whatever manager made it
 *
 * A group is named by its path below the cpu controller's hierarchy, as kernels name it: "/web.slice".
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "live/cgroup.h"

enum target_kind { TARGET_ALL, TARGET_GROUP, TARGET_PID };

struct target_ask {
	const char *cgroup, *container; /* or NULL */
	int pid;			/* or 0 */
	const char *cgroup_root;	/* as in cgroups_find(); NULL: where it is mounted */
};

struct target {
	enum target_kind kind;
	bool has_groups;	    /* there is a cpu hierarchy, and @cg says where */
	struct cgroups cg;	    /* its name is "": groups are those of the host */
	char path[CGROUPS_DIR_MAX]; /* of the group; "" where it is not known */
	int pid;
};

/* 0, or -1 with @err set: no such group, process or container, or several. */
int target_find(struct target *t, const struct target_ask *ask, struct err *err);

/* The path of the group of process @pid into @path; false where that cannot be read. */
bool target_group_of(const struct target *t, int pid, char *path, size_t size);

/* ---- who is in it ---- */

struct member {
	s32 tid, pid;
	char name[32];
	u32 group;	/* index into members.paths */
	bool seen;	/* by the last look */
};

struct members {
	struct member *v;
	u32 nr, cap;
	char **paths;
	u32 nr_paths, cap_paths;
	u32 *slots;	/* tid -> index + 1 */
	u32 nr_slots;
};

/* Nobody is known; and given back. */
void members_init(struct members *m);
void members_fini(struct members *m);

/*
 * Look who is there now.  New threads are added at the end, from the index that is returned; whoever is gone stays, with @seen false.
 * Groups below the target's belong to it.  Of TARGET_ALL, members are all threads of groups that are not the root.
 */
u32 members_look(struct members *m, const struct target *t);

#endif
