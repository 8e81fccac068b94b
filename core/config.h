/* SPDX-License-Identifier: MIT */
/*
 * config.h - what the scheduler can be built without; 1 unless the compiler is told otherwise.
 *
 *	FAIRGROUND_GROUPS	0: only the root group exists (a kernel without CONFIG_FAIR_GROUP_SCHED)
 *	FAIRGROUND_BANDWIDTH	0: no limits (without CONFIG_CFS_BANDWIDTH); none/bandwidth.c stands for bandwidth*.c and throttle*.c
 *
 * For measuring what they cost (docs/performance.md), and to show that nothing else needs them.
 */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#ifndef FAIRGROUND_GROUPS
#define FAIRGROUND_GROUPS 1
#endif
#ifndef FAIRGROUND_BANDWIDTH
#define FAIRGROUND_BANDWIDTH FAIRGROUND_GROUPS
#endif
#if FAIRGROUND_BANDWIDTH && !FAIRGROUND_GROUPS
#error "limits are limits of groups"
#endif

#endif
