/* SPDX-License-Identifier: MIT */
/* last.c - it waits for the end of a pipe, and clears up. */
#define _GNU_SOURCE
#include "live/last.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_FILES 1024 /* a pipe that somebody waits on is among the first */

static void wait_and_clear(int life, bool (*clear)(void *ctx), void *ctx)
{
	char byte;
	int fd;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, "fg-last");
	for (fd = 0; fd < MOST_FILES; fd++)
		if (fd != life)
			close(fd);
	while (read(life, &byte, 1) < 0 && errno == EINTR)
		;
	clear(ctx);
	_exit(0);
}

void last_leave(struct last *last, bool (*clear)(void *ctx), void *ctx)
{
	int fds[2];

	*last = (struct last){ .life = -1 };
	if (pipe2(fds, O_CLOEXEC))
		return;
	last->pid = fork();
	if (!last->pid) {
		close(fds[1]);
		wait_and_clear(fds[0], clear, ctx);
	}
	close(fds[0]);
	last->life = fds[1];
	if (last->pid > 0)
		return;
	close(fds[1]);
	*last = (struct last){ .life = -1 };
}

void last_dismiss(struct last *last)
{
	if (!last->pid)
		return;
	kill(last->pid, SIGKILL);
	while (waitpid(last->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(last->life);
	last->pid = 0;
}
