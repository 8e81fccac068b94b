/* SPDX-License-Identifier: MIT */
/*
 * replay_share.h - what-ifs that differ in nothing but the quota: which of them need no run of their own.
 *
 *	quota	20 ms	30 ms	40 ms	50 ms	60 ms
 *		short	short	never	-	-	every request was met in full with 40 ms: with more, each event is the same
 *
 * Law: a job that is left out has the figures that it would have had.  While the pool meets every request in full, what is drawn and when,
 * and so all that runs, does not depend on the quota: for one period, phase, burst, kernel and set of rules.
 */
#ifndef CLI_REPLAY_SHARE_H
#define CLI_REPLAY_SHARE_H

#include "cli/what_if.h"
#include "trace/recover.h"

struct replay_share {
	struct share_class {
		struct what_if w;		/* of its first job, without what says the quota */
		struct recover_limit limit;	/* the same */
		const struct recover_way *way;
		u64 enough;			/* the least quota with which a run was never short; NEVER: none so far.  Shared by threads */
		u32 source;			/* when all have run: the job whose quota that is; SHARE_ALONE: none */
	} *classes;
	u32 nr, cap;
};

#define SHARE_ALONE UINT32_MAX

/* The class of a job of @w under @limit in @way (or NULL); SHARE_ALONE where the quota may matter beyond the pool, or memory is out. */
u32 replay_share_class(struct replay_share *s, const struct what_if *w, const struct recover_limit *limit, const struct recover_way *way);

/* Has a run of class @class with a smaller quota than @quota never been short? */
bool replay_share_has(const struct replay_share *s, u32 class, u64 quota);

/* A run of @class with @quota never was. */
void replay_share_found(struct replay_share *s, u32 class, u64 quota);

void replay_share_fini(struct replay_share *s);

#endif
