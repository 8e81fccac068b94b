/* SPDX-License-Identifier: MIT */
/* file.c - short text files. */
#include "live/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int file_read_fd(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = pread(fd, buf + len, size - 1 - len, (off_t)len);
		if (n > 0)
			len += (size_t)n;
	} while (len < size - 1 && (n > 0 || (n < 0 && errno == EINTR)));
	buf[n < 0 ? 0 : len] = '\0';
	return n < 0 ? -errno : 0;
}

int file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	ret = file_read_fd(fd, buf, size);
	close(fd);
	return ret;
}

int file_write(const char *path, const char *text, bool make)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | (make ? O_CREAT | O_TRUNC : 0), 0644);
	size_t len = strlen(text);
	ssize_t n;
	int ret;

	if (fd < 0)
		return -errno;
	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	ret = n < 0 ? -errno : (size_t)n == len ? 0 : -EIO;
	close(fd);
	return ret;
}

bool file_number(const char *text, const char *key, u64 *value)
{
	size_t len = strlen(key);
	const char *line = text;

	while (line) {
		if (!strncmp(line, key, len) && line[len] == ' ') {
			*value = strtoull(line + len + 1, NULL, 10);
			return true;
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return false;
}

bool file_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (*text) {
		size_t n = strcspn(text, " \t\n");

		if (n == len && !strncmp(text, word, len))
			return true;
		text += n;
		text += strspn(text, " \t\n");
	}
	return false;
}
