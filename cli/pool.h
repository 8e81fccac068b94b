/* SPDX-License-Identifier: MIT */
/* pool.h - several independent jobs on several CPUs; what they give is put together in order of number, not of arrival. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include "base/types.h"

/*
 * Call @job(@ctx, i) for each i below @nr, on @threads threads of this process (0: as many as there are CPUs).  Each i is
 * called once; a job touches only what belongs to its i.  Returns when all are done.
 */
void pool_run(u32 nr, u32 threads, void (*job)(void *ctx, u32 i), void *ctx);

#endif
