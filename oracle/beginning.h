/* SPDX-License-Identifier: MIT */
/*
 * beginning.h - what a recording tells of how its case began, and of what was the emulator's chance meanwhile.
 *
 *	recording --> beginning --> stage_options: so the model begins as the guest did, and is disturbed as the guest was
 *
 * None of it is a decision of the scheduler under test: at which moment the periods begin, when each thread became runnable, which of
 * equal CPUs was served first, when kernel threads ran.  What a CPU held at the start is not in it: no recording shows that.
 */
#ifndef ORACLE_BEGINNING_H
#define ORACLE_BEGINNING_H

#include "oracle/recording.h"

struct beginning {
	u64 *phase;	       /* per group: where its periods begin on the clock; NEVER: not known */
	struct thread_seen *seen; /* per thread */
	struct tick_turn *turns;
	u32 nr_turns;
};

/* From @r, which must live as long as options made of @b.  0, or -1 when memory is out; to be freed in both cases. */
int beginning_find(struct beginning *b, const struct recording *r, const struct measured *m);
void beginning_free(struct beginning *b);

/* Into @opt, which points into @b and @r then. */
void beginning_apply(const struct beginning *b, const struct recording *r, struct stage_options *opt);

/*
 * Where the periods of a group begin, on the clock, from moments at which its threads were let run again without having
 * been woken: the densest cluster of them modulo the period, less what a release takes.  NEVER where there is none.
 */
u64 phase_of_releases(const u64 *releases, u32 nr, u64 period);

#endif
