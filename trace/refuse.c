/* SPDX-License-Identifier: MIT */
/* refuse.c - a table of what is known and not read. */
#include "trace/refuse.h"

#include <stdio.h>
#include <string.h>

#define TAR_MAGIC_AT 257
#define PAGE 4096u
#define PAGE_DATA (PAGE - 16)

static const struct {
	const char *magic;
	size_t len, at;
	const char *what, *hint;
} known[] = {
	{ "\xc1\x1f\xfc\xc1", 4, 0, "a stream of a CTF trace, which is not read here",
	  "read it where it was made: perf script of the perf.data, or babeltrace2 for text" },
	{ "\xc1\xfc\x1f\xc1", 4, 0, "a stream of a CTF trace, which is not read here",
	  "read it where it was made: perf script of the perf.data, or babeltrace2 for text" },
	{ "/* CTF", 6, 0, "the description of a CTF trace, which is not read here",
	  "read it where it was made: perf script of the perf.data, or babeltrace2 for text" },
	{ "ustar", 5, TAR_MAGIC_AT, "an archive and no trace", "unpack it with tar, and give the recording in it" },
	{ "PK\x03\x04", 4, 0, "an archive and no trace", "unpack it with unzip, and give the recording in it" },
	{ "\x28\xb5\x2f\xfd", 4, 0, "packed by zstd", "unpack it: zstd -d FILE" },
	{ "BZh", 3, 0, "packed by bzip2", "unpack it: bunzip2 FILE" },
	{ "\xfd" "7zXZ", 5, 0, "packed by xz", "unpack it: unxz FILE" },
	{ "{\"traceEvents\"", 14, 0, "a trace of a browser in JSON, without scheduler events", "record with: trace-cmd record -e sched" },
};

/* Pages as per_cpu/cpuN/trace_pipe_raw gives them: a time, how many bytes are in use, and nothing that tells what they mean. */
static bool is_raw_page(const u8 *p, u64 len)
{
	u64 time, commit;

	if (len < PAGE)
		return false;
	memcpy(&time, p, 8);
	memcpy(&commit, p + 8, 8);
	commit &= ~((u64)3 << 30); /* marks of lost events */
	return time && time < ((u64)1 << 60) && commit >= 8 && commit <= PAGE_DATA && commit % 4 == 0;
}

/* Text that is known and holds no event; @words: all of them stand near its beginning. */
static const struct {
	const char *words[2];
	const char *what, *hint;
} texts[] = {
	{ { "task name", "sch delay" }, "printed by perf sched timehist: the turns of tasks, without the events they were made of",
	  "print the events: perf script --ns -i perf.data" },
	{ { "CGROUP DUMP", "#subsys_name" }, "a list of who is in which cgroup, and no trace", "give it beside a trace: --cgroups FILE" },
	{ { ": count", "distribution" }, "a histogram: how often, but not what happened when", "record the events: trace-cmd record -e sched, or: perf sched record" },
	{ { "buffers {", "size_kb" }, "a configuration of Perfetto, and no trace", "record with it: perfetto --txt -c FILE -o trace.pftrace" },
	{ { "nr_periods ", "nr_throttled " }, "counters of a cgroup, and no trace", "fairground explain FILE says what follows from them" },
	{ { "container_cpu_", "{" }, "counters of containers, and no trace", "fairground explain FILE says what follows from them" },
	{ { "\"tasks\"", "{" }, "a scenario, and no trace", "fairground run FILE" },
};

#define TEXT_MOST 8192

static bool holds(const char *text, const char *word) { return strstr(text, word) != NULL; }

bool refuse_text(const char *path, struct err *err)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "rb") : NULL;
	char text[TEXT_MOST + 1];
	size_t len = in ? fread(text, 1, TEXT_MOST, in) : 0;

	if (in)
		fclose(in);
	text[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!holds(text, texts[i].words[0]) || !holds(text, texts[i].words[1]))
			continue;
		err_at(err, path, 0, 0, NULL, "%s", texts[i].what);
		err_hint(err, "%s", texts[i].hint);
		return true;
	}
	return false;
}

bool refuse_kind(const u8 *p, u64 len, const char *path, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (len < known[i].at + known[i].len || memcmp(p + known[i].at, known[i].magic, known[i].len) != 0)
			continue;
		err_at(err, path, 0, 0, NULL, "%s", known[i].what);
		err_hint(err, "%s", known[i].hint);
		return true;
	}
	if (!is_raw_page(p, len))
		return false;
	err_at(err, path, 0, 0, NULL, "raw pages of a ring buffer, without the formats of their events: what they mean is not in the file");
	err_hint(err, "record with trace-cmd record, which keeps the formats beside the pages");
	return true;
}
