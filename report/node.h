/* SPDX-License-Identifier: MIT */
/*
 * node.h - all groups of a recorded node, with their limits and without: who gains, and who suffers.
 */
#ifndef REPORT_NODE_H
#define REPORT_NODE_H

#include <stdio.h>

#include "report/replay.h"
#include "text/json_write.h"

struct node_fate {
	u64 usage, throttled, active; /* ns; periods */
	u64 nr, p50, p99;	      /* bursts, ns */
};

struct node_group {
	const char *path;
	u32 threads;
	u64 quota, period; /* quota NEVER: no limit is known */
	double sure;	   /* of an inferred one */
	struct node_fate recorded, model, without; /* as recorded; the model of it; with every limit gone */
};

struct node_view {
	const struct node_group *groups; /* those that suffer most first */
	u32 nr, limited;
	u64 span;
	int cpus;
	double busy_now, busy_without; /* CPUs in use, on average */
};

void node_text(FILE *out, const struct node_view *v);
/* As one member "node" of the object at hand. */
void node_json(struct json_write *j, const struct node_view *v);

#endif
