/* SPDX-License-Identifier: MIT */
/* ending.h - which signals end a command that has something to clear up. */
#ifndef LIVE_ENDING_H
#define LIVE_ENDING_H

#include <signal.h>

/* Those that would end this process: what nohup or a shell in the background has it ignore, it goes on ignoring. */
void ending_signals(sigset_t *set);

#endif
