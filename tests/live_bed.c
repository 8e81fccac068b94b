/* SPDX-License-Identifier: MIT */
/* live_bed.c - see live_bed.h. */
#define _GNU_SOURCE
#include "tests/live_bed.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/scenario_file.h"
#include "sim/machine.h"

/* ---- trees ---- */

char tree[64];

void put_file(const char *name, const char *text)
{
	char path[FILE_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	CHECK_EQ(file_write(path, text, true), 0);
}

void put_dir(const char *name)
{
	char path[FILE_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	CHECK_EQ(mkdir(path, 0755), 0);
}

bool is_there(const char *name)
{
	char path[FILE_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	return !access(path, F_OK);
}

void tree_begin(void)
{
	prctl(PR_SET_NAME, "fairground-test"); /* groups of ours are those of a process of this name */
	strcpy(tree, "/tmp/fairground-test-XXXXXX");
	assert_non_null(mkdtemp(tree));
}

void tree_end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", tree);
	CHECK_EQ(system(command), 0);
	tree[0] = '\0';
}

void tree_v1(void)
{
	tree_begin();
	put_dir("cpu");
	put_dir("cpuacct");
	put_file("cpu/cpu.shares", "1024\n");
}

void tree_v2(void)
{
	tree_begin();
	put_file("cgroup.controllers", "cpuset cpu io memory\n");
	put_file("cgroup.subtree_control", "cpu memory\n");
}

void find_in(struct cgroups *cg)
{
	struct err err = { 0 };

	CHECK_EQ(cgroups_find(cg, tree, getpid(), &err), 0);
}

/* What the scenario's group @group has in @file. */
const char *held(const struct cgroups *cg, const char *group, const char *file)
{
	static char text[256];
	char path[FILE_PATH_MAX];

	file_read(cgroups_path(cg, group, file, path, sizeof(path)), text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* ---- scenarios ---- */

void read_text(struct scenario *sc, const char *text)
{
	struct warnings w = { 0 };
	struct err err = { 0 };
	char shown[1024];

	if (scenario_read("t.json", text, strlen(text), sc, &w, &err))
		fail_msg("%s", err_text(&err, shown, sizeof(shown)));
	warnings_free(&w);
}

struct host the_host(void)
{
	struct host host;
	struct err err = { 0 };

	CHECK_EQ(host_read(&host, &err), 0);
	return host;
}

struct result *model_of(const struct scenario *sc)
{
	struct machine_options opt = { 0 };
	struct err err = { 0 };
	struct result *res = machine_run(sc, &opt, &err);

	assert_non_null(res);
	return res;
}
