/* SPDX-License-Identifier: MIT */
/*
 * light_recover.h - from counters to a scenario that can be run again, in several ways, because counters do not say when.
 *
 *	used 15 ms, waited 55 ms, got a CPU 5 times between two polls 100 ms apart:
 *
 *	spread	|  ###     ###     ###     ###     ###   |	five runs, evenly over the time; each is released at its own time
 *	early	|###############			 |	one, at the beginning
 *	late	|			  ###############|	one, so that it ends with the time, as it was stopped
 *	closed	|### ### ### ### ###|				five runs, with what is left of the time, waiting taken out, slept between them
 *
 * A thread that was ready all the time from one poll to the next goes on with what it had begun before: those runs are one in every way.  Whatever
 * depends on when within a poll something ran, differs from way to way, and so shows how much is not known.
 */
#ifndef TRACE_LIGHT_RECOVER_H
#define TRACE_LIGHT_RECOVER_H

#include "trace/light.h"
#include "trace/recover_ways.h"

enum light_way { LIGHT_SPREAD, LIGHT_EARLY, LIGHT_LATE, LIGHT_CLOSED, NR_LIGHT_WAYS };

/*
 * The threads of @l that ran, as a scenario of one group, into @rec, with all ways in @ways; the scenario has the first.  0, or -1 with @err
 * set.  Caller frees with recover_fini(), in both cases.  Times 0 of the scenario is the first poll; its limit is not set.
 */
int light_recover(struct recovered *rec, struct recover_way ways[NR_LIGHT_WAYS], const struct light *l, const struct recover_ask *ask,
		  struct err *err);

#endif
