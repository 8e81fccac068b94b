/* SPDX-License-Identifier: MIT */
/*
 * group_pick.h - which tasks a user calls a group.
 *
 *	web: comm~nginx*		by name; * stands for any characters
 *	db: pid=4711,4712		processes or threads, with what they forked
 *	api: cgroup~*pod1234*		by cgroup, where the recording or a list of members tells it
 *	all: comm~web*, pid=99		any of them
 *
 * A list of members is a file in which lines say who is where:
 *
 *	/foreground (root=4) : 653 669 670		Android's dump
 *	/proc/653/task/669/cgroup:0::/web.slice		grep . /proc/[0-9]*\/task/[0-9]*\/cgroup
 *	669 /web.slice					a pid and its path
 */
#ifndef TRACE_GROUP_PICK_H
#define TRACE_GROUP_PICK_H

#include "text/err.h"
#include "trace/family.h"

/*
 * Mark in @member (nr_tasks) whom @text names, and copy the group's name ("" where it has none) into @name, of @size bytes.
 * 0, or -1 with @err set: no such grammar, or nobody is named.
 */
int group_pick(const char *text, const struct families *fam, const struct trace *tr, bool *member, char *name, size_t size, struct err *err);

/* Give the tasks of @tr the cgroups that the list of members of @len bytes at @list says.  Returns how many lines told something. */
u32 group_members(struct trace *tr, const char *list, size_t len);
/* The same with the file at @path.  0, or -1 with @err set. */
int group_members_file(struct trace *tr, const char *path, struct err *err);

/* Children whose cgroup is not known are where their parents are. */
void group_inherit(struct trace *tr);

/* Does the recording tell more than the root cgroup? */
bool groups_known(const struct trace *tr);

#endif
