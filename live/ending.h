/* SPDX-License-Identifier: MIT */
/* ending.h - a command that has something to clear up: which signals end it, and the process that clears up. */
#ifndef LIVE_ENDING_H
#define LIVE_ENDING_H

#include <signal.h>

/* Those that would end this process: what nohup or a shell in the background has it ignore, it goes on ignoring. */
void ending_signals(sigset_t *set);

/* In the child that is to clear up: neither Ctrl-C nor a kill by name reaches it.  @mask: the signals blocked before the caller blocked those. */
void become_keeper(const sigset_t *mask);

#endif
