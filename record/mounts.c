/* SPDX-License-Identifier: MIT */
/* mounts.c - reads /proc/self/mountinfo: "36 25 0:32 / /sys/kernel/tracing rw - tracefs none rw". */
#define _GNU_SOURCE
#include "record/mounts.h"

#include <stdio.h>
#include <string.h>

#define LINE 4096
#define POINT 5 /* the fifth word */

static const char *point_of(char *line, const char *type)
{
	char *dash = strstr(line, " - "), *rest = line, *point = NULL;

	if (!dash || strncmp(dash + 3, type, strlen(type)))
		return NULL;
	for (int word = 0; word < POINT; word++)
		point = strsep(&rest, " ");
	return point;
}

bool mounts_find(const char *type, bool (*take)(void *ctx, const char *point), void *ctx)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char line[LINE];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in)) {
		const char *point = point_of(line, type);

		found = point && take(ctx, point);
	}
	if (in)
		fclose(in);
	return found;
}
