/* SPDX-License-Identifier: MIT */
/*
 * family.h - which threads of a recording belong together, as far as it tells.
 *
 * No event of the scheduler says which cgroup a task is in.  Threads of one process (where the text has a tgid column), numbered names of one pool
 * (where it has not: "worker-1", "worker-2") and forks that kept their parent's name make a family, and tasks of one cgroup
 * where the recording tells it; a user can name others: by name, by pid, or as group_pick.h says.
 */
#ifndef TRACE_FAMILY_H
#define TRACE_FAMILY_H

#include "trace/record.h"

struct families {
	u32 *of; /* task -> the first task of its family */
	u32 nr;  /* tasks */
};

/* 0, or -1 when memory is out.  Caller frees with families_fini(). */
int families_init(struct families *fam, const struct trace *tr);
void families_fini(struct families *fam);

/* What a user asked for; NULL and 0 where he did not.  @comm may hold '*' for any characters. */
struct trace_pick {
	const char *comm;
	s32 pid;
	const bool *tasks; /* these, one mark for each task */
};

/* Does @name match @pattern, in which '*' stands for anything? */
bool name_matches(const char *pattern, const char *name);

/* Mark in @member (nr_tasks) what @pick names; a pid brings its family and what it forked.  Returns how many. */
u32 families_pick(const struct families *fam, const struct trace *tr, const struct trace_pick *pick, bool *member);

/* The name a family goes by: that of its member with the smallest pid. */
const char *families_name(const struct families *fam, const struct trace *tr, u32 family);

#endif
