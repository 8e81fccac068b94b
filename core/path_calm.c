/* SPDX-License-Identifier: MIT */
/*
 * path_calm.c - the switch path of a CPU on which limited groups run, but nothing was ever throttled: it charges, and knows the
 * moment at which the first throttle comes.  The rest is as in path_free.c.
 */
#define PATH PATH_CALM
#define THIS_PATH path_calm
#define COPY(name) name##_calm
#include "core/path_names.h"

#include "core/pelt.c"
#include "core/shares.c"
#include "core/preempt.c"
#include "core/fair.c"
