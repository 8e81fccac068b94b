/* SPDX-License-Identifier: MIT */
/* sniff.c - what kind of thing a file holds.  Only its beginning is looked at; a pipe is copied into a file without a name, to be looked at and then read. */
#define _GNU_SOURCE
#include "cli/sniff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/bytes.h"
#include "trace/light.h"

#define BEGINNING (256 << 10)

static bool has(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = memchr(p, word[0], (size_t)(text + len - p))); p++)
		if ((size_t)(text + len - p) >= n && !memcmp(p, word, n))
			return true;
	return false;
}

static bool begins(const char *text, size_t len, const char *word) { return len >= strlen(word) && !memcmp(text, word, strlen(word)); }

/* Past blanks and a byte order mark. */
static const char *past_blanks(const char *p, const char *end)
{
	if (begins(p, (size_t)(end - p), "\xef\xbb\xbf"))
		p += 3;
	while (p < end && strchr(" \t\r\n", *p))
		p++;
	return p;
}

/* The end of the comment at @p, or NULL where none stands there. */
static const char *comment_end(const char *p, const char *end)
{
	const char *q = p + 2;

	if (begins(p, (size_t)(end - p), "//"))
		return (q = memchr(q, '\n', (size_t)(end - q))) ? q : end;
	if (!begins(p, (size_t)(end - p), "/*"))
		return NULL;
	while (q + 1 < end && memcmp(q, "*/", 2) != 0)
		q++;
	return q + 1 < end ? q + 2 : end;
}

/* A brace, behind comments or at once. */
static bool is_scenario(const char *p, const char *end)
{
	const char *behind;

	while ((behind = comment_end(p, end)))
		p = past_blanks(behind, end);
	return p < end && *p == '{';
}

/* A line "nr_periods 22": the word alone may stand in any text. */
static bool has_counter(const char *p, size_t len)
{
	static const char key[] = "nr_periods ";

	for (const char *end = p + len; p < end; p = memchr(p, '\n', (size_t)(end - p)), p = p ? p + 1 : end)
		if (begins(p, (size_t)(end - p), key) && p + strlen(key) < end && p[strlen(key)] >= '0' && p[strlen(key)] <= '9')
			return true;
	return false;
}

enum file_kind file_kind_of(const char *text, size_t len)
{
	const char *end = text + len;

	if (memchr(text, 0, len < 4096 ? len : 4096))
		return FILE_TRACE; /* no text; Perfetto's first byte is a line feed, and what follows may look like a brace */
	text = past_blanks(text, end);
	len = (size_t)(end - text);
	if (is_light((const u8 *)text, len))
		return FILE_TRACE; /* of counters */
	if (is_scenario(text, end))
		return FILE_SCENARIO;
	if (begins(text, len, "usage_usec ") || (has_counter(text, len < 4096 ? len : 4096) && !has(text, len, "sched_switch")))
		return FILE_CPU_STAT;
	if (has(text, len, "container_cpu_") && !has(text, len, "sched_switch"))
		return FILE_METRICS;
	return FILE_TRACE;
}

/* The beginning of what @fd stands for, without moving on in it; unpacked. */
static enum file_kind kind_of_fd(int fd, char *text)
{
	ssize_t got = pread(fd, text, BEGINNING, 0);
	size_t len = got > 0 ? (size_t)got : 0, nr;
	char *plain = bytes_unpack(text, len, BEGINNING, &nr);
	enum file_kind kind = plain ? file_kind_of(plain, nr) : file_kind_of(text, len);

	free(plain);
	return kind;
}

enum file_kind file_kind(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : dup(STDIN_FILENO);
	char *text = fd >= 0 ? malloc(BEGINNING) : NULL;
	enum file_kind kind = text ? kind_of_fd(fd, text) : FILE_TRACE;

	free(text);
	if (fd >= 0)
		close(fd);
	return kind;
}

/* ---- what can be read only once ---- */

static int copy_fd(int from, int to)
{
	char buf[65536];
	ssize_t got;

	while ((got = read(from, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0, put; at < got; at += put)
			if ((put = write(to, buf + at, (size_t)(got - at))) <= 0)
				return -1;
	return got ? -1 : 0;
}

static const char *cannot_hold(const char *path, struct err *err)
{
	err_at(err, bytes_name(path), 0, 0, NULL, "cannot be read: %s", strerror(errno));
	return NULL;
}

/* On the disk, since a recording may be larger than memory; else in memory. */
static int nameless_file(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("fairground", MFD_CLOEXEC);
}

const char *file_held(const char *path, char *name, struct err *err)
{
	bool standard_input = !strcmp(path, "-");
	struct stat st;
	int from, copy;

	if ((standard_input ? fstat(STDIN_FILENO, &st) : stat(path, &st)) || !S_ISFIFO(st.st_mode))
		return path; /* a file, or for its reader to refuse */
	from = standard_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return cannot_hold(path, err);
	copy = nameless_file();
	if (copy < 0 || copy_fd(from, copy) || lseek(copy, 0, SEEK_SET)) {
		close(from);
		return cannot_hold(path, err);
	}
	close(from);
	if (!standard_input && name) {
		snprintf(name, HELD_NAME, "/proc/self/fd/%d", copy);
		return name;
	}
	if (dup2(copy, STDIN_FILENO) < 0)
		return cannot_hold(path, err);
	close(copy);
	return "-";
}
