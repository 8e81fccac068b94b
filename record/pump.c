/* SPDX-License-Identifier: MIT */
/* pump.c - carries pages from the tracer's buffers into files. */
#define _GNU_SOURCE
#include "record/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BATCH_PAGES 64
#define EVERY_FIRST (20 * MS)
#define EVERY_LEAST (5 * MS)
#define EVERY_MOST (200 * MS)

/* Two files a CPU may be more than a process usually has. */
static void allow_files(u32 nr)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= nr)
		return;
	lim.rlim_cur = lim.rlim_max == RLIM_INFINITY || lim.rlim_max > nr ? nr : lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static int open_spool(const char *dir)
{
	char name[FILE_PATH_MAX];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(name, sizeof(name), "%s/.fairground-XXXXXX", dir) >= (int)sizeof(name))
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static int open_cpu(struct pump *p, u32 cpu, const char *dir, struct err *err)
{
	char file[64], path[FILE_PATH_MAX];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	p->pipes[cpu] = open(tracer_path(p->t, file, path, sizeof(path)), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (p->pipes[cpu] < 0 && errno == ENOENT)
		return 0; /* numbers of CPUs may have holes */
	if (p->pipes[cpu] < 0)
		return err_set(err, ERR_HOST, "cannot read %s: %s", path, strerror(errno));
	p->spools[cpu] = open_spool(dir);
	if (p->spools[cpu] < 0)
		return err_set(err, ERR_HOST, "cannot make a file in %.200s: %s", dir, strerror(errno));
	return 0;
}

static u64 pages_of_buffer(const struct tracer *t)
{
	char path[FILE_PATH_MAX], text[64];

	if (file_read(tracer_path(t, "buffer_size_kb", path, sizeof(path)), text, sizeof(text)))
		return 1;
	return max_u64(1, strtoull(text, NULL, 10) * 1024 / t->page_size);
}

int pump_init(struct pump *p, const struct tracer *t, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char dir[FILE_PATH_MAX];
	int ret = 0;

	memset(p, 0, sizeof(*p));
	p->t = t;
	p->through[0] = p->through[1] = -1;
	p->every = EVERY_FIRST;
	p->full_pages = pages_of_buffer(t);
	p->pipes = malloc(t->cpus * sizeof(*p->pipes));
	p->spools = malloc(t->cpus * sizeof(*p->spools));
	p->sizes = calloc(t->cpus, sizeof(*p->sizes));
	p->taken = calloc(t->cpus, sizeof(*p->taken));
	p->batch = malloc((size_t)BATCH_PAGES * t->page_size);
	if (!p->pipes || !p->spools || !p->sizes || !p->taken || !p->batch)
		return err_set(err, ERR_HOST, "out of memory");
	memset(p->pipes, 0xff, t->cpus * sizeof(*p->pipes));
	memset(p->spools, 0xff, t->cpus * sizeof(*p->spools));
	allow_files(2 * t->cpus + 64);
	if (!slash)
		snprintf(dir, sizeof(dir), ".");
	else
		snprintf(dir, sizeof(dir), "%.*s", (int)max_s64(1, slash - path), path);
	if (pipe2(p->through, O_CLOEXEC))
		return err_set(err, ERR_HOST, "pipe: %s", strerror(errno));
	fcntl(p->through[1], F_SETPIPE_SZ, (int)(BATCH_PAGES * t->page_size)); /* or as many as there may be */
	for (u32 cpu = 0; cpu < t->cpus && !ret; cpu++)
		ret = open_cpu(p, cpu, dir, err);
	return ret;
}

void pump_close(struct pump *p)
{
	for (u32 cpu = 0; p->pipes && cpu < p->t->cpus; cpu++) {
		if (p->pipes[cpu] >= 0)
			close(p->pipes[cpu]);
		p->pipes[cpu] = -1;
	}
}

void pump_fini(struct pump *p)
{
	if (!p->t)
		return;
	pump_close(p);
	for (u32 cpu = 0; p->spools && cpu < p->t->cpus; cpu++)
		if (p->spools[cpu] >= 0)
			close(p->spools[cpu]);
	for (int i = 0; i < 2; i++)
		if (p->through[i] >= 0)
			close(p->through[i]);
	free(p->pipes);
	free(p->spools);
	free(p->sizes);
	free(p->taken);
	free(p->batch);
	memset(p, 0, sizeof(*p));
}

/* ---- a turn ---- */

static int store(struct pump *p, u32 cpu, size_t len, struct err *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(p->spools[cpu], p->batch + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, ERR_HOST, "what is recorded cannot be stored: %s", strerror(n ? errno : EIO));
		done += (size_t)n;
	}
	p->sizes[cpu] += len;
	return 0;
}

/* @len bytes stand in the pipe: into the spool, by copying where the file system knows no better way. */
static int empty_pipe(struct pump *p, u32 cpu, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = p->no_splice ? -1 : splice(p->through[0], NULL, p->spools[cpu], NULL, len, SPLICE_F_MOVE);

		if (n > 0) {
			p->sizes[cpu] += (u64)n;
			len -= (size_t)n;
			continue;
		}
		if (!p->no_splice && n < 0 && errno == EINTR)
			continue;
		if (!p->no_splice && n < 0 && errno != EINVAL)
			return err_set(err, ERR_HOST, "what is recorded cannot be stored: %s", strerror(errno));
		p->no_splice = true;
		n = read(p->through[0], p->batch, min_u64(len, (u64)BATCH_PAGES * p->t->page_size));
		if (n <= 0 || store(p, cpu, (size_t)n, err))
			return err_set(err, ERR_HOST, "what is recorded cannot be stored: %s", strerror(n ? errno : EIO));
		len -= (size_t)n;
	}
	return 0;
}

/* Pages of @cpu that are full; a page that has only begun stays with the kernel. */
static int take_full(struct pump *p, u32 cpu, struct err *err)
{
	size_t page = p->t->page_size;

	/* at most what a buffer holds: a CPU that fills it faster than it is read must not keep the others waiting */
	while (p->taken[cpu] < p->full_pages) {
		ssize_t n = splice(p->pipes[cpu], NULL, p->through[1], NULL, BATCH_PAGES * page, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (empty_pipe(p, cpu, (size_t)n, err))
			return -1;
		p->taken[cpu] += (size_t)n / page;
	}
	return 0;
}

/* What is left of @cpu, the page that has only begun too. */
static int take_rest(struct pump *p, u32 cpu, struct err *err)
{
	size_t page = p->t->page_size;

	for (;;) {
		ssize_t n = read(p->pipes[cpu], p->batch, page);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		memset(p->batch + n, 0, page - (size_t)n);
		if (store(p, cpu, page, err))
			return -1;
	}
}

/* The fullest buffer decides: it is to be a quarter full the next time. */
static void pace(struct pump *p)
{
	u64 most = 1;

	for (u32 cpu = 0; cpu < p->t->cpus; cpu++)
		most = max_u64(most, p->taken[cpu]);
	p->every = max_u64(EVERY_LEAST, min_u64(min_u64(EVERY_MOST, 2 * p->every), p->every * p->full_pages / (4 * most)));
}

int pump_turn(struct pump *p, struct err *err)
{
	for (u32 cpu = 0; cpu < p->t->cpus; cpu++) {
		p->taken[cpu] = 0;
		if (p->pipes[cpu] >= 0 && take_full(p, cpu, err))
			return -1;
	}
	pace(p);
	return 0;
}

int pump_rest(struct pump *p, struct err *err)
{
	for (u32 cpu = 0; cpu < p->t->cpus; cpu++) {
		p->taken[cpu] = 0;
		if (p->pipes[cpu] >= 0 && (take_full(p, cpu, err) || take_rest(p, cpu, err)))
			return -1;
	}
	return 0;
}
