/* SPDX-License-Identifier: MIT */
/*
 * guard.h - work that leaves something in the kernel, in a process of its own that clears up whatever happens.
 *
 *	caller ---fork---> keeper: work, clear up
 *	  |<--- pipe done ----|		closes when the keeper ends, however it does
 *	  |---- pipe alive -->|		a byte: please end; end of file: the caller was killed
 *
 * The keeper is in a session of its own and has another name, so that neither Ctrl-C nor a kill by name reaches it.  Where the keeper itself is
 * killed, the caller clears up; where both are, a third process does (live/last.h), and what is left where that one is killed too, the next recording
 * does.
 */
#ifndef RECORD_GUARD_H
#define RECORD_GUARD_H

#include "text/err.h"

enum guard_word { GUARD_GO_ON, GUARD_END, GUARD_ABANDON };

/* For the keeper: wait for up to @ns, and say whether it shall go on, end as soon as it can, or forget about it all. */
enum guard_word guard_wait(int alive, u64 ns);

/*
 * Run @work(ctx, alive) in a keeper, and return once it is gone: 0, or -1 with @err set where it was killed, upon which @clear(ctx) has been
 * called here.  A first SIGINT, SIGTERM or SIGHUP asks it to end, a second one to abandon.  *@signal: the first of them, or 0.
 */
int guard_run(void (*work)(void *ctx, int alive), bool (*clear)(void *ctx), void *ctx, int *signal, struct err *err);

#endif
