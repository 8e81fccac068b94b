/* SPDX-License-Identifier: MIT */
/* snapshot.h - the state of a machine's scheduler at one moment, in the kernel's field names, as lines of text. */
#ifndef REPORT_SNAPSHOT_H
#define REPORT_SNAPSHOT_H

#include "sim/machine.h"

/*
 * Lines that show the bandwidth state of each limited group and the queues of @m as they stand, with @nr set; for
 * result.snapshot, which frees them.  NULL when memory is out.
 */
char **snapshot_lines(struct machine *m, const struct scenario *sc, u32 *nr);

#endif
