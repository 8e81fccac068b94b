/* SPDX-License-Identifier: MIT */
/* ending.c - asked of the process itself: see ending.h. */
#define _GNU_SOURCE
#include "live/ending.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "base/types.h"

void ending_signals(sigset_t *set)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now;

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(set, ending[i]);
}

void become_keeper(const sigset_t *mask)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, mask, NULL);
	setsid(); /* Ctrl-C is for the other one */
	prctl(PR_SET_NAME, "fg-keeper"); /* who kills fairground by name leaves it to clean up */
}
