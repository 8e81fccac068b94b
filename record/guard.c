/* SPDX-License-Identifier: MIT */
/* guard.c - a process that clears up. */
#define _GNU_SOURCE
#include "record/guard.h"
#include "live/ending.h"
#include "live/last.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum guard_word guard_wait(int alive, u64 ns)
{
	struct timespec t = { (time_t)(ns / SEC), (long)(ns % SEC) };
	struct pollfd fd = { alive, POLLIN, 0 };
	char byte;

	if (ppoll(&fd, 1, &t, NULL) <= 0)
		return GUARD_GO_ON;
	return read(alive, &byte, 1) == 1 ? GUARD_END : GUARD_ABANDON;
}

/* Until the keeper's end of @done closes; returns the first signal that came. */
static int wait_for(int done, int signals, int *alive)
{
	struct pollfd fds[] = { { done, POLLIN, 0 }, { signals, POLLIN, 0 } };
	struct signalfd_siginfo info;
	int first = 0;

	for (;;) {
		if ((poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR) || fds[0].revents)
			return first;
		if (!fds[1].revents || read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
			continue;
		if (!first && write(*alive, "e", 1) == 1) {
			first = (int)info.ssi_signo;
			continue;
		}
		close(*alive); /* the second time */
		*alive = -1;
		fds[1].fd = -1;
	}
}

static void keep(void (*work)(void *ctx, int alive), bool (*clear)(void *ctx), void *ctx, int alive, const sigset_t *mask)
{
	struct last last;

	become_keeper(mask);
	last_leave(&last, clear, ctx);
	work(ctx, alive);
	last_dismiss(&last);
	_exit(0);
}

static void close_pipe(int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

int guard_run(void (*work)(void *ctx, int alive), bool (*clear)(void *ctx), void *ctx, int *signal, struct err *err)
{
	int alive[2] = { -1, -1 }, done[2] = { -1, -1 }, signals, status = 0;
	sigset_t ending, mask;
	pid_t pid;

	*signal = 0;
	if (pipe2(alive, O_CLOEXEC) || pipe2(done, O_CLOEXEC)) {
		close_pipe(alive);
		return err_set(err, ERR_HOST, "pipe: %s", strerror(errno));
	}
	ending_signals(&ending);
	sigprocmask(SIG_BLOCK, &ending, &mask);
	signals = signalfd(-1, &ending, SFD_CLOEXEC);
	pid = fork();
	if (!pid) {
		close(alive[1]);
		close(done[0]);
		close(signals);
		keep(work, clear, ctx, alive[0], &mask);
	}
	close(done[1]);
	done[1] = -1;
	if (pid > 0) {
		*signal = wait_for(done[0], signals, &alive[1]);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close_pipe(alive);
	close_pipe(done);
	close(signals);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pid < 0)
		return err_set(err, ERR_HOST, "fork: %s", strerror(errno));
	if (!WIFSIGNALED(status))
		return 0;
	return err_set(err, ERR_HOST, "the process that records was killed (signal %d); %s", WTERMSIG(status),
		       clear(ctx) ? "its tracer has been removed" : "its tracer could not be removed");
}
