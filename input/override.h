/* SPDX-License-Identifier: MIT */
/* override.h - changes to the groups of a scenario that was read.  Private to input/. */
#ifndef INPUT_OVERRIDE_H
#define INPUT_OVERRIDE_H

#include "input/limits.h"
#include "work/scenario.h"

/* The only group with a limit, or the only one there is; NULL where that is no answer. */
struct group_spec *override_only_group(struct scenario *sc);

/* Are the files of @g those of cgroup v1? */
bool override_speaks_v1(const struct scenario *sc, const struct group_spec *g);

/* cpu.weight that gives a group the weight that cpu.shares @shares gives it, as the kernel counts both. */
u64 override_weight_of(u64 shares);

/*
 * Replace what @g writes to its limit (its weight) by @limit (by cpu.weight @weight or cpu.shares @shares, whichever of v2 and v1 it
 * speaks; 0: not known, and worked out from the other).  @at is copied.  0, or -1 when memory is out.
 */
int override_limit(struct scenario *sc, struct group_spec *g, const struct limit *limit, const struct place *at);
int override_weight(struct scenario *sc, struct group_spec *g, u64 weight, u64 shares, const struct place *at);

#endif
