/* SPDX-License-Identifier: MIT */
/*
 * machine.h - a machine as the scheduler sees it: what its CPUs share, and the levels that follow under a kernel.
 */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include <stdio.h>

#include "core/lab.h"
#include "text/json_write.h"

struct machine_view {
	const char *name;	/* what it was asked for by */
	const char *words;	/* its parts counted, "64 CPUs, 32 cores, ..." */
	const struct topology *topology;
	struct lab *lab;	/* at rest, of that machine */
	const char *row;	/* the kernel */
	u32 hz;
};

void machine_text(FILE *out, const struct machine_view *v);
void machine_json(struct json_write *j, const struct machine_view *v);

/* The topology as `fairground machine --snapshot` writes it and input/topology_snapshot.c reads it; @note: said in a line of its own. */
void machine_snapshot(FILE *out, const struct topology *t, const char *note);

#endif
