/* SPDX-License-Identifier: MIT */
/* topology.h - what the CPUs of this machine share, as its kernel tells in /sys. */
#ifndef LIVE_TOPOLOGY_H
#define LIVE_TOPOLOGY_H

#include "base/arena.h"
#include "core/topology.h"
#include "text/err.h"

/*
 * The CPUs that are online, by the files below @sys ("/sys"), upwards into @cpus, which has room for @most.  Returns how many; 0 where
 * that is not told.
 */
int host_online(const char *sys, int *cpus, int most);

/*
 * The topology of @nr of this machine's CPUs, at most 1,024, into @mem: CPU i of it is @cpus[i] of the machine; nodes that have none of them
 * are left out.  What /sys does not tell is as a kernel takes it: a core of its own, the package's cache, one node.  NULL with @err set: it
 * tells nothing at all of a CPU, or memory is out.
 */
struct topology *host_topology(struct arena *mem, const char *sys, const int *cpus, int nr, struct err *err);

#endif
