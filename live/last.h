/* SPDX-License-Identifier: MIT */
/*
 * last.h - who clears up where all the others were killed.
 *
 *	keeper ---fork---> last: sleeps
 *	  |----- pipe ------>|	closes when the keeper ends, however it does; then it clears up
 *
 * It is in a session of its own and holds no other file, so nobody waits for it who should not.  A keeper that has cleared up itself
 * dismisses it.
 */
#ifndef LIVE_LAST_H
#define LIVE_LAST_H

#include "base/types.h"

struct last {
	int life;  /* while this is open here, somebody is left; children of the keeper close it */
	int pid;   /* 0: there is none */
};

/*
 * From now on @clear(@ctx) is called, in a process of its own, once the calling one has ended without last_dismiss(), killed or not.  Where no
 * process can be made there is none, and all is as without it.
 */
void last_leave(struct last *last, bool (*clear)(void *ctx), void *ctx);
void last_dismiss(struct last *last);

#endif
