/* SPDX-License-Identifier: MIT */
/*
 * run.c - this process's side of a run: memory that is shared, a supervisor, and patience.
 *
 * Law: live_run() returns only when the supervisor is gone and the groups are removed, or have been refused to be.
 */
#define _GNU_SOURCE
#include "live/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/ending.h"
#include "live/plan.h"

#define PATIENCE 2000 /* ms for killed threads to leave */

/* ---- memory ---- */

static size_t aligned(size_t size) { return (size + 63) & ~(size_t)63; }

static u32 most_writes(const struct scenario *sc)
{
	u32 i, nr = sc->nr_at;

	for (i = 0; i < sc->nr_groups; i++)
		nr += sc->groups[i].nr_writes;
	return nr;
}

static int share(struct live_run *run, u32 threads, struct err *err)
{
	const struct scenario *sc = run->sc;
	size_t sizes[] = { aligned(crew_size(threads)), aligned((sc->nr_groups + 1) * sizeof(*run->groups)),
			   aligned((threads + 1) * sizeof(*run->threads)), aligned((most_writes(sc) + 1) * sizeof(*run->writes)),
			   aligned(sizeof(*run->end)) };
	size_t i;
	char *at;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		run->shared += sizes[i];
	at = mmap(NULL, run->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return err_set(err, ERR_HOST, "out of memory for the threads' figures");
	run->crew = (struct crew *)at;
	run->groups = (struct live_group *)(at += sizes[0]);
	run->threads = (struct live_thread *)(at += sizes[1]);
	run->writes = (struct live_write *)(at += sizes[2]);
	run->end = (struct live_end *)(at + sizes[3]);
	run->crew->nr = threads;
	run->crew->from = run->from;
	run->crew->to = run->to;
	run->crew->slack = sc->machine.costs.timer_slack;
	return 0;
}

void live_run_free(struct live_run *run)
{
	if (run->crew)
		munmap(run->crew, run->shared);
	run->crew = NULL;
}

/* ---- waiting ---- */

/* Until the supervisor's end of @done closes; a signal closes @alive, upon which it hurries. */
static int wait_for(int done, int signals, int *alive)
{
	struct pollfd fds[] = { { done, POLLIN, 0 }, { signals, POLLIN, 0 } };
	struct signalfd_siginfo info;
	int signal = 0;

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return signal;
		if (fds[0].revents)
			return signal;
		if (!fds[1].revents)
			continue;
		if (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			signal = (int)info.ssi_signo;
		close(*alive);
		*alive = -1;
		fds[1].fd = -1; /* once is enough */
	}
}

static int outcome(struct live_run *run, int status, struct err *err)
{
	bool killed = WIFSIGNALED(status);

	if (killed && !cgroups_remove(&run->cg, PATIENCE))
		return err_set(err, ERR_HOST, "the supervisor was killed, and its group %s/%s could not be removed", run->cg.cpu,
			       run->cg.name);
	if (killed)
		return err_set(err, ERR_HOST, "the supervisor was killed (signal %d); its groups have been removed", WTERMSIG(status));
	if (run->end->err.code) {
		*err = run->end->err;
		return -1;
	}
	if (run->signal)
		return err_set(err, ERR_HOST, "interrupted; its groups have been removed");
	return run->end->complete ? 0 : err_set(err, ERR_HOST, "the measurement did not come to its end");
}

static void become_supervisor(struct live_run *run, int alive, const sigset_t *mask)
{
	become_keeper(mask);
	supervise(run, alive);
	_exit(0);
}

static int with_pipes(struct live_run *run, int alive[2], int done[2], struct err *err)
{
	sigset_t ending, mask;
	int signals, status = 0;
	pid_t pid;

	ending_signals(&ending);
	sigprocmask(SIG_BLOCK, &ending, &mask);
	signals = signalfd(-1, &ending, SFD_CLOEXEC);
	pid = fork();
	if (!pid) {
		close(alive[1]);
		close(done[0]);
		become_supervisor(run, alive[0], &mask);
	}
	close(done[1]);
	done[1] = -1;
	if (pid > 0) {
		run->signal = wait_for(done[0], signals, &alive[1]);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (signals >= 0)
		close(signals);
	status = pid < 0 ? err_set(err, ERR_HOST, "fork: %s", strerror(errno)) : outcome(run, status, err);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (run->signal)
		raise(run->signal);
	return status;
}

static void close_pipe(int fd[2])
{
	int i;

	for (i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* The groups are called after this process, and by its name another one knows that it is not somebody else with a pid used again. */
static void go_by_our_name(void)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	if (strncmp(name, CGROUPS_OWNER, strlen(CGROUPS_OWNER)))
		prctl(PR_SET_NAME, CGROUPS_OWNER);
}

int live_run(struct live_run *run, const struct scenario *sc, const struct live_options *opt, struct err *err)
{
	int alive[2] = { -1, -1 }, done[2] = { -1, -1 }, ret = -1;

	memset(run, 0, sizeof(*run));
	run->sc = sc;
	run->opt = *opt;
	run->from = sc->measure_from;
	run->to = min_u64(sc->duration, sc->measure_to);
	if (cgroups_find(&run->cg, opt->cgroup_root, getpid(), err) || share(run, plan_threads(sc), err))
		return -1;
	go_by_our_name();
	cgroups_sweep(&run->cg);
	if (pipe2(alive, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		err_set(err, ERR_HOST, "pipe: %s", strerror(errno));
	else
		ret = with_pipes(run, alive, done, err);
	close_pipe(alive);
	close_pipe(done);
	return ret;
}
