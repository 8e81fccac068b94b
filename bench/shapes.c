/* SPDX-License-Identifier: MIT */
/* shapes.c - machines of any size, as scenario texts. */
#include "bench/bench.h"

#include <stdarg.h>
#include <stdlib.h>

#define HEAD "{ \"machine\": { \"cpus\": %d, \"hz\": 1000, \"cgroup\": 2 }, \"kernel\": \"5.10\", \"global\": { \"duration\": %d },\n"

static FILE *begin(char **text)
{
	static size_t size; /* of no use here */
	FILE *out = open_memstream(text, &size);

	if (!out) {
		fprintf(stderr, "bench: out of memory\n");
		exit(3);
	}
	return out;
}

char *shape_hogs(int cpus, int per_cpu, int seconds)
{
	char *text;
	FILE *out = begin(&text);

	fprintf(out, HEAD, cpus, seconds);
	fprintf(out, " \"tasks\": { \"hog\": { \"instance\": %d, \"cpus_each\": \"0-%d\", \"loop\": -1, \"run\": 100000 } } }", cpus * per_cpu,
		cpus - 1);
	fclose(out);
	return text;
}

char *shape_free(const char *kernel, int cpus, u32 hz, const char *topology, int threads, int seconds)
{
	char *text;
	FILE *out = begin(&text);

	fprintf(out, "{ \"machine\": { \"cpus\": %d, \"hz\": %u, \"cgroup\": 2%s%s%s }, \"kernel\": \"%s\", \"global\": { \"duration\": %d },\n",
		cpus, hz, topology ? ", \"topology\": \"" : "", topology ? topology : "", topology ? "\"" : "", kernel, seconds);
	fprintf(out, " \"tasks\": { \"hog\": { \"instance\": %d, \"loop\": -1, \"run\": 100000 } } }", threads);
	fclose(out);
	return text;
}

/* "/g7/1/2" */
static void path(FILE *out, int group, int levels)
{
	int level;

	fprintf(out, "/g%d", group);
	for (level = 1; level < levels; level++)
		fprintf(out, "/%d", level);
}

char *shape_groups(int groups, int levels, bool limited, int seconds)
{
	char *text;
	FILE *out = begin(&text);
	int i;

	fprintf(out, HEAD, 1, seconds);
	fprintf(out, " \"groups\": {");
	for (i = 0; limited && i < groups; i++)
		fprintf(out, "%s \"/g%d\": { \"cpu.max\": \"%d 100000\" }", i ? "," : "", i, 50000 / groups > 1000 ? 50000 / groups : 1000);
	fprintf(out, " },\n \"tasks\": {");
	for (i = 0; i < groups; i++) {
		fprintf(out, "%s \"hog%d\": { \"taskgroup\": \"", i ? ",\n" : "", i);
		path(out, i, levels);
		fprintf(out, "\", \"cpus\": [0], \"loop\": -1, \"run\": 100000 }");
	}
	fprintf(out, " } }");
	fclose(out);
	return text;
}

char *shape_idle(int cpus, int seconds)
{
	char *text;
	FILE *out = begin(&text);

	fprintf(out, HEAD, cpus, seconds);
	fprintf(out, " \"groups\": { \"/g\": { \"cpu.max\": \"50000 100000\" } },\n"
		     " \"tasks\": { \"hog\": { \"taskgroup\": \"/g\", \"cpus\": [0], \"loop\": -1, \"run\": 100000 } } }");
	fclose(out);
	return text;
}
