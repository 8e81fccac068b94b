/* SPDX-License-Identifier: MIT */
/*
 * outfile.c - a file that is there as a whole or not at all.
 *
 *	O_TMPFILE ---write---> fsync ---linkat--> PATH			where the file system can
 *	PATH.XXXXXX --write--> fsync ---rename--> PATH			elsewhere, and to replace a file
 *
 * Law: until outfile_close() has succeeded, PATH is what it was.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "text/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const char *path, int why, struct err *err)
{
	if (why == EEXIST) {
		err_at(err, path, 0, 0, NULL, "there is such a file already");
		err_hint(err, "choose another name, or remove it first");
		return -1;
	}
	return err_set(err, ERR_HOST, "%s cannot be written: %s", path, strerror(why));
}

/* The directory of @path into @buf; false where that is too long. */
static bool directory_of(const char *path, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return snprintf(buf, size, ".") > 0;
	return snprintf(buf, size, "%.*s", (int)(slash == path ? 1 : slash - path), path) < (int)size;
}

/* mkstemp() makes files for their owner alone; the result shall be like any other file. */
static void usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static int open_named(struct outfile *o)
{
	int fd;

	if (snprintf(o->temp, sizeof(o->temp), "%s.XXXXXX", o->path) >= (int)sizeof(o->temp)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkstemp(o->temp);
	if (fd < 0)
		o->temp[0] = '\0';
	else
		usual_mode(fd);
	return fd;
}

static int open_nameless(const char *path)
{
	char dir[4096];

	return directory_of(path, dir, sizeof(dir)) ? open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
}

int outfile_open(struct outfile *o, const char *path, bool replace, struct err *err)
{
	struct stat st;
	int fd = -1;

	*o = (struct outfile){ .path = path, .replace = replace };
	if (!replace && !lstat(path, &st))
		return failed(path, EEXIST, err);
	if (!replace)
		fd = open_nameless(path);
	if (fd < 0)
		fd = open_named(o);
	if (fd < 0)
		return failed(path, errno, err);
	o->out = fdopen(fd, "w");
	if (o->out)
		return 0;
	close(fd);
	outfile_drop(o);
	return failed(path, ENOMEM, err);
}

static int give_name(struct outfile *o)
{
	char self[64];

	if (o->temp[0])
		return o->replace ? rename(o->temp, o->path) : link(o->temp, o->path);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(o->out));
	return linkat(AT_FDCWD, self, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW);
}

int outfile_close(struct outfile *o, struct err *err)
{
	int why = 0;

	errno = 0;
	if (fflush(o->out) || ferror(o->out) || fsync(fileno(o->out)) || give_name(o))
		why = errno ? errno : EIO;
	if (!why && o->replace)
		o->temp[0] = '\0'; /* renamed away */
	outfile_drop(o);
	return why ? failed(o->path, why, err) : 0;
}

void outfile_drop(struct outfile *o)
{
	if (o->out)
		fclose(o->out);
	o->out = NULL;
	if (o->temp[0])
		unlink(o->temp);
	o->temp[0] = '\0';
}
