/* SPDX-License-Identifier: MIT */
/*
 * found_cgroup.c - cgroup directories: what the kernel has been told, in its own files.
 *
 *	v2	cpu.max  cpu.max.burst  cpu.weight
 *	v1	cpu.cfs_quota_us  cpu.cfs_period_us  cpu.cfs_burst_us  cpu.shares
 *
 * The directory and all below it; links are not followed.  Values are the kernel's own: nothing is rounded.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/found.h"
#include "text/number.h"

#define MOST_DEPTH 8
#define MOST_GROUPS 10000
#define MOST_VALUE 256 /* bytes of a file */
#define MOST_US ((u64)1 << 44)

/* The first line of @dir/@name into @buf; false where there is no such file. */
static bool read_value(const char *dir, const char *name, char *buf, size_t size)
{
	char path[4096];
	FILE *in;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "rb");
	if (!in)
		return false;
	n = fread(buf, 1, size - 1, in);
	fclose(in);
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

static int bad_value(struct finding *f, const char *dir, const char *name, const char *expected, const char *value)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return err_at(f->err, path, 1, 1, NULL, "expected %s, found \"%.60s\"", expected, value);
}

static int read_number(struct finding *f, const char *dir, const char *name, u64 *out, bool *there)
{
	char value[MOST_VALUE];

	*there = read_value(dir, name, value, sizeof(value));
	if (!*there || num_whole_u64(value, strlen(value), MOST_US, out) == NUM_OK)
		return 0;
	return bad_value(f, dir, name, "a whole number", value);
}

static int read_burst(struct finding *f, const char *dir, const char *name, struct found *it)
{
	u64 us = 0;

	if (read_number(f, dir, name, &us, &it->limit.has_burst))
		return -1;
	it->limit.burst = us * US;
	return 0;
}

static int read_v2(struct finding *f, const char *dir, const char *max, struct found *it)
{
	u64 quota, period;

	if (!limit_from_max(max, &quota, &period))
		return bad_value(f, dir, "cpu.max", "\"QUOTA PERIOD\" or \"max PERIOD\"", max);
	it->has_limit = true;
	it->limit = (struct limit){ .unlimited = quota == UINT64_MAX, .amount = quota, .has_period = true, .period = period };
	return read_burst(f, dir, "cpu.max.burst", it);
}

static int read_v1(struct finding *f, const char *dir, const char *quota, struct found *it)
{
	u64 us = 0, period = LIMIT_PERIOD / US;
	bool there, unlimited = !strcmp(quota, "-1");

	if (!unlimited && num_whole_u64(quota, strlen(quota), MOST_US, &us) != NUM_OK)
		return bad_value(f, dir, "cpu.cfs_quota_us", "microseconds or -1", quota);
	if (read_number(f, dir, "cpu.cfs_period_us", &period, &there))
		return -1;
	it->has_limit = true;
	it->limit = (struct limit){ .unlimited = unlimited, .amount = us * US, .has_period = true, .period = period * US };
	return read_burst(f, dir, "cpu.cfs_burst_us", it);
}

/* The limit and the weight of one directory.  It may have neither. */
static int read_group(struct finding *f, const char *dir, const char *name)
{
	char value[MOST_VALUE];
	struct found one = { 0 }, *it;
	bool there;
	int ret = 0;

	if (read_value(dir, "cpu.max", value, sizeof(value)))
		ret = read_v2(f, dir, value, &one);
	else if (read_value(dir, "cpu.cfs_quota_us", value, sizeof(value)))
		ret = read_v1(f, dir, value, &one);
	if (ret || read_number(f, dir, "cpu.weight", &one.weight, &there) || read_number(f, dir, "cpu.shares", &one.shares, &there))
		return -1;
	if (!one.has_limit && !one.weight && !one.shares)
		return 0;
	it = found_add(f, name, 0, 0);
	if (!it)
		return -1;
	one.name = it->name;
	one.at = it->at;
	*it = one;
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static bool is_directory(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static int walk(struct finding *f, const char *dir, const char *name, int depth);

static int walk_entry(struct finding *f, const char *dir, const char *name, const char *entry, int depth)
{
	char below[4096], path[4096];
	bool fits;

	if (entry[0] == '.')
		return 0;
	fits = snprintf(path, sizeof(path), "%s/%s", dir, entry) < (int)sizeof(path) &&
	       snprintf(below, sizeof(below), "%s/%s", name, entry) < (int)sizeof(below);
	return fits && is_directory(path) ? walk(f, path, below, depth + 1) : 0;
}

static int walk(struct finding *f, const char *dir, const char *name, int depth)
{
	struct dirent **list;
	int i, nr, ret;

	if (f->nr >= MOST_GROUPS)
		return err_at(f->err, f->file, 0, 0, NULL, "more than %d cgroups stand below this directory", MOST_GROUPS);
	ret = read_group(f, dir, name);
	nr = !ret && depth < MOST_DEPTH ? scandir(dir, &list, NULL, by_name) : 0;
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = walk_entry(f, dir, name, list[i]->d_name, depth);
		free(list[i]);
	}
	if (nr > 0)
		free(list);
	return ret;
}

/* The last part of a path that may end in slashes. */
static void last_part(const char *path, char *buf, size_t size)
{
	size_t len = strlen(path), from;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (from = len; from && path[from - 1] != '/'; from--)
		;
	snprintf(buf, size, "%.*s", (int)(len - from), path + from);
}

int found_in_cgroup(struct finding *f, const char *path)
{
	char name[256];

	last_part(path, name, sizeof(name));
	if (walk(f, path, name, 0))
		return -1;
	if (f->nr)
		return 0;
	err_at(f->err, path, 0, 0, NULL, "expected a cgroup directory, found neither cpu.max nor cpu.cfs_quota_us in it");
	err_hint(f->err, "is the cpu controller enabled there?  cgroup.subtree_control of the directory above names it");
	return -1;
}
