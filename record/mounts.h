/* SPDX-License-Identifier: MIT */
/* mounts.h - where file systems of a kind are mounted, as /proc/self/mountinfo says. */
#ifndef RECORD_MOUNTS_H
#define RECORD_MOUNTS_H

#include "base/types.h"

/* Call @take with the mount point of each file system whose type begins with @type, until it returns true.  Did it? */
bool mounts_find(const char *type, bool (*take)(void *ctx, const char *point), void *ctx);

#endif
