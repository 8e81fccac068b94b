/* SPDX-License-Identifier: MIT */
/*
 * live_bed.h - what the tests of running for real share: directories that only look like cgroups, and scenarios from text.
 *
 * They stand for the host's, so that everything but the limiting itself is tried without any right.
 */
#ifndef TESTS_LIVE_BED_H
#define TESTS_LIVE_BED_H

#include "tests/test.h"

#include "live/cgroup.h"
#include "live/host.h"
#include "owner/result.h"

extern char tree[64]; /* the directory of a test, "" outside tree_begin() and tree_end() */

/* A fresh directory: an empty one, one like v1's /sys/fs/cgroup, one like v2's. */
void tree_begin(void);
void tree_v1(void);
void tree_v2(void);
void tree_end(void);

/* Names are inside the tree. */
void put_file(const char *name, const char *text);
void put_dir(const char *name);
bool is_there(const char *name);

/* What cgroups_find() makes of the tree, for this process. */
void find_in(struct cgroups *cg);

/* The first line that the scenario's group @group has in @file; holds until the next call. */
const char *held(const struct cgroups *cg, const char *group, const char *file);

/* A scenario from text; for scenario_free(). */
void read_text(struct scenario *sc, const char *text);

/* One group on one CPU for a second. */
#define LIMITED(limit, tasks) \
	"{ \"machine\": { \"cpus\": 1 }, \"kernel\": \"6.1\", \"groups\": { \"/web\": { " limit " } }, \"global\": { \"duration\": 1 }," \
	" \"tasks\": { " tasks " } }"
#define HOG "\"hog\": { \"taskgroup\": \"/web\", \"cpus\": [0], \"loop\": -1, \"run\": 100000 }"

/* The CPUs this process may use. */
struct host the_host(void);

/* The model's result; for result_free(). */
struct result *model_of(const struct scenario *sc);

#endif
