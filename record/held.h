/* SPDX-License-Identifier: MIT */
/*
 * held.h - what polls have read, as it was, until lines are made of it.
 *
 *	poll 14534948582 | cpu.stat, 97 bytes | cpuacct.usage, 10 bytes | thread 0, 28 bytes | thread 1, 27 bytes | poll ...
 *
 * Who wakes up ten times a second finds every cache cold, so a poll does nothing but read; making lines of many polls at once costs little.
 */
#ifndef RECORD_HELD_H
#define RECORD_HELD_H

#include <stdio.h>

#include "record/target.h"

enum { HELD_POLL = -1, HELD_STAT = -2, HELD_USAGE = -3, HELD_PART = -4, HELD_GONE = -5 }; /* beside the index of a member */

enum { STAT_USAGE, STAT_PERIODS, STAT_THROTTLED, STAT_STOPPED, STAT_BURSTS, STAT_BORROWED, NR_STATS }; /* times in us */

struct held {
	FILE *out;
	bool v1;	       /* cpu.stat is that of cgroup v1 */
	char *bytes;
	size_t nr;

	/* what was told last, so that only what has changed is told again */
	u64 stats[NR_STATS];
	bool said_stats;
	char (*times)[96];     /* of each member */
	u32 nr_times;
};

/* False when memory is out. */
bool held_init(struct held *h, FILE *out, bool v1);
void held_fini(struct held *h);

/* A poll begins at @us. */
void held_poll(struct held *h, u64 us);
/* What @fd says now, of @what; false where it can no longer be read. */
bool held_read(struct held *h, int fd, s32 what);
/* The poll has not looked at all threads. */
void held_part(struct held *h);
/* Member @at has gone. */
void held_gone(struct held *h, u32 at);
/* Is there room for another file? */
bool held_has_room(const struct held *h);

/* Make lines of all of it. */
void held_lines(struct held *h, const struct members *m);

#endif
