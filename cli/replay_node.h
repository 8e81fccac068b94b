/* SPDX-License-Identifier: MIT */
/*
 * replay_node.h - every group of a recording at once, on one machine: with the limits that show, and with none.
 *
 *	groups by cgroup, by --group, or by family --> limit and program of each --> one scenario --> two runs, a row per group
 */
#ifndef CLI_REPLAY_NODE_H
#define CLI_REPLAY_NODE_H

#include "cli/traced.h"
#include "report/node.h"

struct node {
	struct node_view view;
	struct node_group *groups;
	struct node_part *parts; /* private */
	u32 nr_parts;
	struct scenario sc;
	struct result *with, *without;
	u64 edges_cut;
};

/*
 * Take @t apart into all its groups (@groups: what --group says, or nothing) and run them together.  0, or -1 with @err set;
 * node_fini() is due in both cases.
 */
int node_run(struct node *n, struct traced *t, const struct option_list *groups, const struct run_options *opt, struct err *err);
void node_fini(struct node *n);

/* What the table rests on. */
void node_say(struct sentences *s, const struct node *n);

#endif
