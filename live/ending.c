/* SPDX-License-Identifier: MIT */
/* ending.c - asked of the process itself: see ending.h. */
#define _GNU_SOURCE
#include "live/ending.h"

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
