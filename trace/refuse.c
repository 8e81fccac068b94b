/* SPDX-License-Identifier: MIT */
/* refuse.c - a table of what is known and not read. */
#include "trace/refuse.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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
	{ "\xff\xfe", 2, 0, "text in UTF-16, expected UTF-8", "iconv -f utf-16 -t utf-8 FILE" },
	{ "\xfe\xff", 2, 0, "text in UTF-16, expected UTF-8", "iconv -f utf-16 -t utf-8 FILE" },
	{ "{\"traceEvents\"", 14, 0, "a trace of a browser in JSON, without scheduler events", "record with: trace-cmd record -e sched" },
};

const char *refuse_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

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

/* Text that is known and holds no event; @words: all of them stand near its beginning, "key #" stands for a line that begins with the key and a number. */
static const struct {
	const char *words[2];
	const char *what, *hint;
} texts[] = {
	{ { "task name", "sch delay" }, "printed by perf sched timehist: the turns of tasks, without the events they were made of",
	  "print the events: perf script --ns -i perf.data" },
	{ { "CGROUP DUMP", "#subsys_name" }, "a list of who is in which cgroup, and no trace", "give it beside a trace: --cgroups FILE" },
	{ { ": count", "distribution" }, "a histogram: how often, but not what happened when", "record the events: trace-cmd record -e sched, or: perf sched record" },
	{ { "buffers {", "size_kb" }, "a configuration of Perfetto, and no trace", "record with it: perfetto --txt -c FILE -o trace.pftrace" },
	{ { "nr_periods #", "nr_throttled #" }, "counters of a cgroup, and no trace", "fairground explain FILE says what follows from them" },
	{ { "container_cpu_", "{" }, "counters of containers, and no trace", "fairground explain FILE says what follows from them" },
	{ { "\"tasks\"", "{" }, "a scenario, and no trace", "fairground run FILE" },
	{ { "some avg10=", "total=" }, "pressure (PSI): how long somebody waited, but not for what", "fairground explain takes cpu.stat, which stands beside it" },
	{ { "apiVersion:", "kind:" }, "a Kubernetes manifest: limits, and nothing that ran", "fairground run SCENARIO --limits-from FILE runs a scenario under them" },
	{ { "services:", "image:" }, "a compose file: limits, and nothing that ran", "fairground run SCENARIO --limit 'cpus: 0.5' runs a scenario under one" },
	{ { "[Service]", "=" }, "a systemd unit: limits, and nothing that ran", "fairground run SCENARIO --limits-from FILE runs a scenario under them" },
	{ { "CONTAINER ID", "CPU %" }, "printed by docker stats: averages, which do not tell throttling",
	  "two readings of the container's cpu.stat do: fairground explain BEFORE AFTER --seconds TIME" },
	{ { "CPU(cores)", "MEMORY(bytes)" }, "printed by kubectl top: averages, which do not tell throttling",
	  "cAdvisor's series do, or two readings of the container's cpu.stat: fairground explain FILE" },
	{ { "load average:", "%Cpu(s)" }, "printed by top: averages, which do not tell throttling",
	  "two readings of the group's cpu.stat do: fairground explain BEFORE AFTER --seconds TIME" },
};

#define TEXT_MOST 8192

/* Is @word in @text?  "key #" is a line that begins with that key and a number. */
static bool holds(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (len < 3 || strcmp(word + len - 2, " #") != 0)
		return strstr(text, word) != NULL;
	len--; /* without the mark */
	for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		if (!strncmp(text, word, len) && text[len] >= '0' && text[len] <= '9')
			return true;
	return false;
}

/* The beginning of @path, as text; the standard input is looked at again where that is possible.  Returns its length. */
static size_t beginning(const char *path, char *text, size_t size)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : dup(STDIN_FILENO);
	ssize_t len = fd >= 0 ? pread(fd, text, size - 1, 0) : 0;

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

bool refuse_text(const char *path, struct err *err)
{
	char text[TEXT_MOST + 1];

	if (!beginning(path, text, sizeof(text)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!holds(text, texts[i].words[0]) || !holds(text, texts[i].words[1]))
			continue;
		err_at(err, refuse_name(path), 0, 0, NULL, "%s", texts[i].what);
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
		err_at(err, refuse_name(path), 0, 0, NULL, "%s", known[i].what);
		err_hint(err, "%s", known[i].hint);
		return true;
	}
	if (!is_raw_page(p, len))
		return false;
	err_at(err, refuse_name(path), 0, 0, NULL, "raw pages of a ring buffer, without the formats of their events: what they mean is not in the file");
	err_hint(err, "record with trace-cmd record, which keeps the formats beside the pages");
	return true;
}
