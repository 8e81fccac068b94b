/* SPDX-License-Identifier: MIT */
/*
 * path_free.c - the switch path of a CPU on which nobody is limited: without bandwidth control.
 *
 * The same four files once more; the questions about limits are constants in this copy (path.h), and what hangs on them is gone.
 * Where bandwidth control is not compiled in this is the only copy.
 */
#include "core/config.h"

#define PATH PATH_FREE
#define THIS_PATH path_free
#if FAIRGROUND_BANDWIDTH
#define COPY(name) name##_free
#include "core/path_names.h"
#endif

#include "core/pelt.c"
#include "core/shares.c"
#include "core/preempt.c"
#include "core/fair.c"
