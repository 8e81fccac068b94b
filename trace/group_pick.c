/* SPDX-License-Identifier: MIT */
/* group_pick.c - reads what a user says of a group, and lists of members. */
#include "trace/group_pick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/line.h"

#define LIST_MOST ((size_t)16 << 20) /* bytes of a list of members */

/* ---- what a user says ---- */

enum pick_key { PICK_COMM, PICK_PID, PICK_CGROUP };

static const struct {
	const char *word;
	enum pick_key key;
} pick_keys[] = {
	{ "comm~", PICK_COMM }, { "comm=", PICK_COMM }, { "pid=", PICK_PID }, { "cgroup~", PICK_CGROUP }, { "cgroup=", PICK_CGROUP },
};

static u32 mark_cgroup(const char *pattern, const struct trace *tr, bool *member)
{
	u32 nr = 0;

	for (u32 i = 1; i < tr->nr_tasks; i++) {
		u32 group = tr->tasks[i].group;

		if (group && name_matches(pattern, tr->groups[group - 1])) {
			member[i] = true;
			nr++;
		}
	}
	return nr;
}

/* One item: "comm~x", or "x" alone, which has the key of the one before. */
static int take_item(char *item, enum pick_key *key, const struct families *fam, const struct trace *tr, bool *member, struct err *err)
{
	struct trace_pick pick = { 0 };
	const char *value = item, *p;
	u64 pid;

	for (size_t i = 0; i < ARRAY_SIZE(pick_keys); i++) {
		size_t len = strlen(pick_keys[i].word);

		if (!strncmp(item, pick_keys[i].word, len)) {
			*key = pick_keys[i].key;
			value = item + len;
		}
	}
	p = value;
	if (*key == PICK_PID) {
		if (!read_number(&p, value + strlen(value), &pid) || *p || !pid || pid > INT32_MAX) {
			err_set(err, ERR_INPUT, "--group: \"%.40s\" is no pid", value);
			return -1;
		}
		pick.pid = (s32)pid;
	} else if (*key == PICK_CGROUP) {
		mark_cgroup(value, tr, member);
		return 0;
	} else {
		pick.comm = value;
	}
	families_pick(fam, tr, &pick, member);
	return 0;
}

int group_pick(const char *text, const struct families *fam, const struct trace *tr, bool *member, char *name, size_t size, struct err *err)
{
	const char *colon = strstr(text, ": "), *from = colon ? colon + 2 : text;
	enum pick_key key = PICK_COMM;
	char *copy = strdup(from), *save = NULL;
	u32 nr = 0;
	int ret = 0;

	snprintf(name, size, "%.*s", colon ? (int)(colon - text) : 0, text);
	for (char *item = copy ? strtok_r(copy, ", ", &save) : NULL; item && !ret; item = strtok_r(NULL, ", ", &save))
		ret = take_item(item, &key, fam, tr, member, err);
	free(copy);
	for (u32 i = 1; i < tr->nr_tasks; i++)
		nr += member[i];
	if (!ret && !nr) {
		ret = err_set(err, ERR_INPUT, "--group \"%.80s\": no task of this trace is in it", text);
		err_hint(err, "as in 'web: comm~nginx*', 'db: pid=4711,4712', 'api: cgroup~*pod1234*'%s",
			 groups_known(tr) ? "" : "; no cgroup but the root is known here (--cgroups FILE tells members)");
	}
	return ret;
}

/* ---- lists of members ---- */

static bool put(struct trace *tr, u64 pid, const char *path, size_t len)
{
	u32 task = pid && pid <= INT32_MAX ? trace_task_find(tr, (s32)pid) : TRACE_NO_TASK;

	if (len && (path[len - 1] == '\r' || path[len - 1] == ' '))
		len--;
	if (task == TRACE_NO_TASK || !len || *path != '/')
		return false;
	trace_task_group(tr, task, path, len);
	return true;
}

/* "/foreground (root=4) : 653 669 670" */
static bool android_line(struct trace *tr, const char *s, const char *end)
{
	const char *root = find_word(s, end, " (root="), *p = root ? find_word(root, end, ": ") : NULL;
	bool any = false;
	u64 pid;

	if (!p || *s != '/')
		return false;
	for (p += 2; p < end;) {
		skip_blanks(&p, end);
		if (!read_number(&p, end, &pid))
			break;
		any |= put(tr, pid, s, (size_t)(root - s));
	}
	return any;
}

/* "/proc/653/task/669/cgroup:4:cpu,cpuacct:/web"; of the lists of version 1 only the one with "cpu" counts. */
static bool proc_line(struct trace *tr, const char *s, const char *end)
{
	const char *p = s, *list, *path;
	u64 pid, id;

	if (!read_word(&p, end, "/proc/") || !read_number(&p, end, &pid))
		return false;
	if (read_word(&p, end, "/task/") && !read_number(&p, end, &pid))
		return false;
	if (!read_word(&p, end, "/cgroup:") || !read_number(&p, end, &id) || !read_word(&p, end, ":"))
		return false;
	list = p;
	path = memchr(p, ':', (size_t)(end - p));
	if (!path)
		return false;
	if (path > list) {
		const char *cpu = find_word(list, path, "cpu");

		while (cpu && (cpu + 3 < path && cpu[3] != ','))
			cpu = find_word(cpu + 3, path, "cpu");
		if (!cpu)
			return false;
	}
	return put(tr, pid, path + 1, (size_t)(end - path - 1));
}

static bool plain_line(struct trace *tr, const char *s, const char *end)
{
	u64 pid;

	skip_blanks(&s, end);
	if (!read_number(&s, end, &pid))
		return false;
	skip_blanks(&s, end);
	return put(tr, pid, s, (size_t)(end - s));
}

u32 group_members(struct trace *tr, const char *list, size_t len)
{
	const char *p = list, *end = list + len, *nl;
	u32 nr = 0;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		if (p < nl && (proc_line(tr, p, nl) || android_line(tr, p, nl) || plain_line(tr, p, nl)))
			nr++;
		if (nl == end)
			break;
	}
	group_inherit(tr);
	return nr;
}

int group_members_file(struct trace *tr, const char *path, struct err *err)
{
	FILE *in = fopen(path, "rb");
	char *buf = in ? malloc(LIST_MOST) : NULL;
	size_t len;
	u32 nr;

	if (!buf) {
		err_at(err, path, 0, 0, NULL, "cannot be read: %s", strerror(errno));
		if (in)
			fclose(in);
		return -1;
	}
	len = fread(buf, 1, LIST_MOST, in);
	nr = group_members(tr, buf, len);
	fclose(in);
	free(buf);
	if (nr)
		return 0;
	err_at(err, path, 0, 0, NULL, "names no task of this trace and its cgroup");
	err_hint(err, "make such a list with: grep . /proc/[0-9]*/task/[0-9]*/cgroup");
	return -1;
}

#define GENERATIONS 64

void group_inherit(struct trace *tr)
{
	for (u32 i = 1; tr->nr_groups && i < tr->nr_tasks; i++) {
		u32 at = i;

		for (u32 n = 0; n < GENERATIONS && at < tr->nr_tasks && !tr->tasks[at].group; n++)
			at = tr->tasks[at].parent;
		if (at < tr->nr_tasks)
			tr->tasks[i].group = tr->tasks[at].group;
	}
}

bool groups_known(const struct trace *tr)
{
	for (u32 i = 0; i < tr->nr_groups; i++)
		if (strcmp(tr->groups[i], "/") != 0)
			return true;
	return false;
}
