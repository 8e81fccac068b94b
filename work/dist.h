/* SPDX-License-Identifier: MIT */
/*
 * dist.h - lengths of time that are drawn anew for each use.
 *
 * A draw holds the place in one stream of chance.  Normal draws below 0 count as 0; no draw is above DRAW_MOST.
 */
#ifndef WORK_DIST_H
#define WORK_DIST_H

#include "base/rng.h"
#include "work/program.h"

#define DRAW_MOST ((u64)1000000000 * SEC) /* 31 years */

struct draw {
	struct rng rng;
	u32 next; /* DIST_EMPIRICAL: index of the next value */
};

/* The next length of @d in ns. */
u64 dist_draw(const struct dist *d, struct draw *draw);

#endif
