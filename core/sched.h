/* SPDX-License-Identifier: MIT */
/*
 * sched.h - the scheduler from inside, all of it: what the files of core/ include.  Names are the kernel's.
 *
 *	lab
 *	 |-- rq[cpu] -- cfs (the root queue of the CPU) -- tree of sched_entity
 *	 |                                                  |-- of a task_struct
 *	 |                                                  '-- of a task_group on this CPU -- my_q, its own queue -- ...
 *	 '-- task_group (a tree) -- pair(cpu) = { cfs_rq, sched_entity }, made at the first enqueue there
 *	                         '- cfs_bandwidth: the pool
 *
 * To be read in the order below: what there is, then what is done with it.  Each includes what it needs, and no more.
 */
#ifndef CORE_SCHED_H
#define CORE_SCHED_H

/* Errors of verbs and writes, negative as a kernel's; the host's <errno.h> has the same values and is not for core. */
#define EPERM 1
#define ENOENT 2
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define ERANGE 34

#include "base/bits.h"		 /* sets of CPUs */
#include "core/entity.h"	 /* tasks and entities */
#include "core/queue.h"		 /* fair queues, and CPUs */
#include "core/group.h"		 /* groups and their pools */
#include "core/smp.h"		 /* domains, and what CPUs share */
#include "core/inside.h"	 /* struct lab, rules, small questions */

#include "core/weight.h"	 /* weights */
#include "core/path.h"		 /* copies of the switch path */
#include "core/fair.h"		 /* the fair class, and its policy of the pick */
#include "core/load.h"		 /* averages, and the weights of groups */
#include "core/bandwidth.h"	 /* limits */
#include "core/classes.h"	 /* the classes above fair */
#include "core/ticks.h"		 /* ticks left out */
#include "core/balance_points.h" /* where balancing is let in */

#endif
