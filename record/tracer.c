/* SPDX-License-Identifier: MIT */
/* tracer.c - makes, sets up and removes an instance of the kernel's tracer. */
#define _GNU_SOURCE
#include "record/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "record/mounts.h"

#define MAGIC_TRACEFS 0x74726163
#define MAGIC_DEBUGFS 0x64626720
#define SMALL 4096
#define ALL_BUFFERS_KB 65536 /* of all CPUs together, where nobody says how much */
#define BUFFER_KB_LEAST 1024
#define BUFFER_KB_MOST 8192
#define RETRY (5 * MS)
#define CHUNK 1000 /* bytes of thread numbers in one write */

char *tracer_path(const struct tracer *t, const char *file, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s", t->dir, file);
	return buf;
}

static bool exists(const char *dir, const char *file)
{
	char path[FILE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return !access(path, F_OK);
}

static int write_file(const struct tracer *t, const char *file, const char *text)
{
	char path[FILE_PATH_MAX];

	return file_write(tracer_path(t, file, path, sizeof(path)), text, false);
}

/* ---- finding it ---- */

static bool is_tracefs(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) && ((long)fs.f_type == MAGIC_TRACEFS || (long)fs.f_type == MAGIC_DEBUGFS);
}

static bool take_mount(void *tracer, const char *point)
{
	struct tracer *t = tracer;

	return snprintf(t->root, sizeof(t->root), "%s", point) < (int)sizeof(t->root);
}

static bool look(struct tracer *t)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (is_tracefs(usual[i])) {
			strcpy(t->root, usual[i]);
			return true;
		}
	return mounts_find("tracefs", take_mount, t);
}

int tracer_find(struct tracer *t, const char *root, int pid, struct err *err)
{
	memset(t, 0, sizeof(*t));
	if (root && snprintf(t->root, sizeof(t->root), "%s", root) >= (int)sizeof(t->root))
		return err_set(err, ERR_INPUT, "--tracefs: the path is too long");
	if (root && !exists(root, "instances") && errno == ENOENT)
		return err_set(err, ERR_HOST, "--tracefs: %.200s holds no tracefs with instances", root);
	if (!root && !look(t)) {
		err_set(err, ERR_HOST, "no tracefs is mounted (looked at /sys/kernel/tracing, /sys/kernel/debug/tracing and /proc/self/mountinfo)");
		err_hint(err, "as root: mount -t tracefs nodev /sys/kernel/tracing; without any right: fairground record --light");
		return -1;
	}
	snprintf(t->dir, sizeof(t->dir), "%s/instances/%s%d", t->root, TRACER_NAME, pid);
	return 0;
}

/* ---- rights ---- */

/* What is needed of which file below the root. */
static const struct need {
	const char *file;
	int mode;
	const char *what;
} needs[] = {
	{ "instances", W_OK | X_OK, "to make a tracer of its own: write permission on" },
	{ "events/sched/sched_switch/format", R_OK, "to know the events: read permission on" },
	{ "events/header_page", R_OK, "to read the buffers: read permission on" },
};

static const char *hint_of(int errnum)
{
	if (errnum == EPERM && !geteuid())
		return "root is refused too: the kernel is locked down, or a container keeps tracing away; fairground record --light needs no right";
	return "run it as root, or let root open tracefs to a group of yours (mount -o remount,gid=GID,mode=770); fairground record --light needs no right";
}

int tracer_rights(const struct tracer *t, struct err *err)
{
	char missing[SMALL] = "", path[FILE_PATH_MAX];
	size_t len = 0;
	int why = 0;

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", t->root, needs[i].file);
		if (!access(path, needs[i].mode))
			continue;
		why = why ? why : errno;
		len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s %.100s", len ? "; " : "", needs[i].what, path);
		if (!stat(path, &st))
			len += (size_t)snprintf(missing + len, sizeof(missing) - len, " (owner uid %u, mode %03o)", st.st_uid, st.st_mode & 07777u);
	}
	if (!len)
		return 0;
	err_set(err, ERR_HOST, "uid %u cannot record the kernel's events, it lacks: %s", geteuid(), missing);
	err_hint(err, "%s", hint_of(why));
	return -1;
}

static int refused(const struct tracer *t, const char *what, const char *file, int errnum, struct err *err)
{
	char path[FILE_PATH_MAX];

	err_set(err, ERR_HOST, "cannot %s %s: %s", what, file ? tracer_path(t, file, path, sizeof(path)) : t->dir, strerror(errnum));
	if (errnum == ENOMEM)
		err_hint(err, "there is not so much memory for buffers: --buffer KB takes less for each CPU");
	else
		err_hint(err, "%s", hint_of(errnum));
	return -1;
}

/* ---- what earlier recordings left ---- */

static bool is_alive(int pid)
{
	char path[64], comm[64], own[64];

	if (kill(pid, 0) && errno == ESRCH)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (file_read(path, comm, sizeof(comm)))
		return true; /* it cannot be asked: leave it alone */
	return !strncmp(comm, "fairground", 10) || (!file_read("/proc/self/comm", own, sizeof(own)) && !strcmp(comm, own));
}

int tracer_sweep(const struct tracer *t)
{
	char path[FILE_PATH_MAX];
	const struct dirent *entry;
	DIR *dir;
	int nr = 0;

	snprintf(path, sizeof(path), "%s/instances", t->root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct tracer left = *t;
		char *end;
		long pid;

		if (strncmp(entry->d_name, TRACER_NAME, strlen(TRACER_NAME)))
			continue;
		pid = strtol(entry->d_name + strlen(TRACER_NAME), &end, 10);
		if (pid <= 0 || pid > INT32_MAX || *end || is_alive((int)pid))
			continue;
		snprintf(left.dir, sizeof(left.dir), "%s/instances/%s%ld", t->root, TRACER_NAME, pid);
		nr += tracer_remove(&left, 0);
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* ---- making it ---- */

/* The events that are needed; where the first is not there, the one behind it will do. */
static const struct wanted {
	const char *event, *else_event;
	bool must;
} wanted[] = {
	{ "sched/sched_switch", NULL, true },
	{ "sched/sched_waking", "sched/sched_wakeup", true }, /* before 4.3 there is no sched_waking */
	{ "sched/sched_wakeup_new", NULL, true },
	{ "sched/sched_migrate_task", NULL, false },
	{ "sched/sched_stat_runtime", NULL, false }, /* says since when a thread runs where a switch is not told */
	{ "sched/sched_process_fork", NULL, true },
	{ "sched/sched_process_exit", NULL, false },
	{ "sched/sched_process_exec", NULL, false },
	{ "cgroup/cgroup_attach_task", NULL, false },
};

static bool has_event(const struct tracer *t, const char *event)
{
	char file[128];

	snprintf(file, sizeof(file), "events/%s/enable", event);
	return exists(t->dir, file);
}

const char *tracer_event(const struct tracer *t, u32 index)
{
	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++) {
		const char *event = has_event(t, wanted[i].event) ? wanted[i].event : wanted[i].else_event;

		if (event && has_event(t, event) && !index--)
			return event;
	}
	return NULL;
}

static int switch_events_on(const struct tracer *t, struct err *err)
{
	const char *event;
	char file[128];
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (wanted[i].must && !has_event(t, wanted[i].event) && (!wanted[i].else_event || !has_event(t, wanted[i].else_event)))
			return err_set(err, ERR_HOST, "this kernel has no event %s", wanted[i].event);
	for (u32 i = 0; (event = tracer_event(t, i)); i++) {
		snprintf(file, sizeof(file), "events/%s/enable", event);
		ret = write_file(t, file, "1");
		if (ret)
			return refused(t, "write \"1\" to", file, -ret, err);
	}
	return 0;
}

static u32 count_cpus(const struct tracer *t)
{
	char path[FILE_PATH_MAX];
	DIR *dir = opendir(tracer_path(t, "per_cpu", path, sizeof(path)));
	const struct dirent *entry;
	u32 most = 0;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "cpu", 3) && entry->d_name[3] >= '0' && entry->d_name[3] <= '9')
			most = (u32)max_u64(most, strtoul(entry->d_name + 3, NULL, 10) + 1);
	if (dir)
		closedir(dir);
	return most;
}

/* "field: char data;	offset:16;	size:4080;" of the page's description. */
static u32 read_page_size(const struct tracer *t)
{
	char path[FILE_PATH_MAX], text[SMALL];
	const char *data, *at;
	unsigned long offset, size;

	snprintf(path, sizeof(path), "%s/events/header_page", t->root);
	if (file_read(path, text, sizeof(text)) || !(data = strstr(text, " data;")))
		return 0;
	at = strstr(data, "offset:");
	offset = at ? strtoul(at + 7, NULL, 10) : 0;
	at = strstr(data, "size:");
	size = at ? strtoul(at + 5, NULL, 10) : 0;
	return offset && size && offset + size <= 1 << 20 ? (u32)(offset + size) : 0;
}

static int set_buffers(const struct tracer *t, u64 kb, struct err *err)
{
	char text[24];
	int ret;

	if (!kb)
		kb = max_u64(BUFFER_KB_LEAST, min_u64(BUFFER_KB_MOST, ALL_BUFFERS_KB / t->cpus));
	snprintf(text, sizeof(text), "%llu", (unsigned long long)kb);
	ret = write_file(t, "buffer_size_kb", text);
	return ret ? refused(t, "make buffers by", "buffer_size_kb", -ret, err) : 0;
}

static int set_up(struct tracer *t, u64 buffer_kb, struct err *err)
{
	int ret = tracer_switch(t, false);

	if (ret)
		return refused(t, "switch off by", "tracing_on", -ret, err);
	t->cpus = count_cpus(t);
	t->page_size = read_page_size(t);
	if (!t->cpus || !t->page_size)
		return err_set(err, ERR_HOST, "%s has no buffers that can be read", t->dir);
	t->mono = !write_file(t, "trace_clock", "mono");
	return set_buffers(t, buffer_kb, err) || switch_events_on(t, err) ? -1 : 0;
}

int tracer_make(struct tracer *t, u64 buffer_kb, struct err *err)
{
	if (mkdir(t->dir, 0750))
		return refused(t, "make", NULL, errno, err);
	if (!set_up(t, buffer_kb, err))
		return 0;
	tracer_remove(t, 0);
	return -1;
}

/* What is on goes off first: rmdir refuses while somebody reads. */
bool tracer_remove(const struct tracer *t, int patience)
{
	struct timespec pause = { 0, (long)RETRY };

	for (s64 left = (s64)patience * (s64)MS;; left -= (s64)RETRY) {
		if (!rmdir(t->dir) || errno == ENOENT)
			return true;
		tracer_switch(t, false);
		write_file(t, "events/enable", "0");
		if (left <= 0)
			return false;
		nanosleep(&pause, NULL);
	}
}

/* ---- using it ---- */

int tracer_switch(const struct tracer *t, bool on) { return write_file(t, "tracing_on", on ? "1" : "0"); }

int tracer_clear(const struct tracer *t)
{
	char path[FILE_PATH_MAX];

	return file_write(tracer_path(t, "trace", path, sizeof(path)), "\n", true); /* opened to be cut to nothing */
}

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

int tracer_filter(const struct tracer *t, const s32 *tids, u32 nr, bool more)
{
	char path[FILE_PATH_MAX], text[CHUNK + 16];
	int fd = open(tracer_path(t, "set_event_pid", path, sizeof(path)), O_WRONLY | O_CLOEXEC | (more ? 0 : O_TRUNC)), ret = 0;
	size_t len = 0;

	if (fd < 0)
		return -errno;
	for (u32 i = 0; i < nr && !ret; i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%d ", tids[i]);
		if (len < CHUNK && i + 1 < nr)
			continue;
		ret = write_all(fd, text, len);
		if (ret == -ESRCH || ret == -EINVAL)
			ret = 0; /* one of them has gone meanwhile */
		len = 0;
	}
	close(fd);
	return ret ? ret : write_file(t, "options/event-fork", "1");
}
