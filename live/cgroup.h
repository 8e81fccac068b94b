/* SPDX-License-Identifier: MIT */
/*
 * cgroup.h - a cgroup of our own, with the scenario's groups inside it.
 *
 *	v1	CPU/fairground-PID/web		ACCT/fairground-PID/web		threads: "tasks"
 *	v2	CPU/fairground-PID/web		threaded			threads: "cgroup.threads"
 *
 * The scenario's "/" is fairground-PID itself, so that nothing of the host is ever written to.  A directory that is no cgroup
 * file system (`plain`) is treated alike, with files that are made as they are written: nothing is limited there, but everything
 * else can be tried without rights.
 * Law: what is made is below a directory called fairground-PID, and only such a directory is ever removed.
 */
#ifndef LIVE_CGROUP_H
#define LIVE_CGROUP_H

#include "live/file.h"
#include "text/err.h"
#include "work/scenario.h"

#define CGROUPS_DIR_MAX 640
#define CGROUPS_NAME "fairground-"
#define CGROUPS_OWNER "fairground" /* how the process is called, or how its name begins, whose number is in the name */

struct cgroups {
	int version;		     /* 1 or 2 */
	bool plain;
	bool was_off;		     /* v2: the cpu controller was not handed down to what is inside @cpu */
	char cpu[CGROUPS_DIR_MAX];   /* where groups are made; v1: in the cpu hierarchy */
	char acct[CGROUPS_DIR_MAX];  /* v1: in the cpuacct hierarchy; as cpu where they are one; "" where there is none to write to */
	char name[32];		     /* fairground-PID */
};

/*
 * Find the cpu controller below @root (NULL: where this system mounts it) and name the group after process @pid.  @root may be
 * what /sys/fs/cgroup usually is, a v2 group, or a group of a v1 cpu hierarchy.  0, or -1 with @err set.
 */
int cgroups_find(struct cgroups *cg, const char *root, int pid, struct err *err);

/* The v2 path of this process, "/user.slice/...", into @path; false where there is none. */
bool cgroups_own_path(char *path, size_t size);

/*
 * May this process make groups there and move into them?  Nothing is changed to find out.  0, or -1 with @err set: every right that is
 * missing, not just the first.
 */
int cgroups_rights(const struct cgroups *cg, struct err *err);

/*
 * A limit on a group above ours, which would hold too: "/sys/fs/cgroup/x: 50000 100000" into @buf.  False where there is none.
 */
bool cgroups_limit_above(const struct cgroups *cg, char *buf, size_t size);

/* Remove groups of earlier runs whose process is gone.  Returns how many. */
int cgroups_sweep(const struct cgroups *cg);

/* Make our group and @sc's groups in it, without any write of theirs.  0, or -1 with @err set and nothing left behind. */
int cgroups_make(const struct cgroups *cg, const struct scenario *sc, struct err *err);

/* Take every limit in our group away, so that its threads can leave: a throttled one needs CPU time to die. */
void cgroups_lift(const struct cgroups *cg);

/* Remove all of it again; waits up to @patience ms for processes that are still leaving.  False where something stayed. */
bool cgroups_remove(const struct cgroups *cg, int patience);

/* The path of @file of the scenario's group @group ("/web", "/" or NULL: ours) into @buf; of the directory where @file is NULL. */
char *cgroups_path(const struct cgroups *cg, const char *group, const char *file, char *buf, size_t size);

/* Write @value into @file of @group.  0, or a negative errno. */
int cgroups_write(const struct cgroups *cg, const char *group, const char *file, const char *value);
/* The same; where it is refused, -1 with @err set: what is missing, and what to do. */
int cgroups_must_write(const struct cgroups *cg, const char *group, const char *file, const char *value, struct err *err);

/* The calling process moves into our group; the thread @tid (0: the calling one) into @group.  0, or a negative errno. */
int cgroups_enter(const struct cgroups *cg);
int cgroups_move(const struct cgroups *cg, const char *group, int tid);
/* The file by which the last two work, for messages. */
const char *cgroups_member_file(const struct cgroups *cg, bool thread);

struct cgroup_stat { /* times in ns; counters since the group was made */
	bool has_usage, has_bandwidth, has_burst;
	u64 usage, nr_periods, nr_throttled, throttled, nr_bursts, burst;
};
/* cpu.stat, and cpuacct.usage under v1.  What could not be read is left 0 with its has_ false. */
void cgroups_stat(const struct cgroups *cg, const char *group, struct cgroup_stat *st);

/* The limit in force, ns; @quota NEVER: none.  False where it cannot be read. */
bool cgroups_limit(const struct cgroups *cg, const char *group, u64 *quota, u64 *period);

/* Write the limit of @group again as it is, which starts its period timer.  False where that cannot be. */
bool cgroups_rewrite_limit(const struct cgroups *cg, const char *group);

/* What to do about errno @errnum of a file of cgroups; NULL where there is nothing to say. */
const char *cgroups_hint(const struct cgroups *cg, int errnum);

/* Set @err for errno @errnum of @what ("make", "write to") at @path.  Returns -1. */
int cgroups_refused(const struct cgroups *cg, const char *what, const char *path, int errnum, struct err *err);

#endif
