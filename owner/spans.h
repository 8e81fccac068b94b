/* SPDX-License-Identifier: MIT */
/*
 * spans.h - how long the stretches of programs took that a scenario names, and how long the items of its measured queues waited.
 */
#ifndef OWNER_SPANS_H
#define OWNER_SPANS_H

#include "base/arena.h"
#include "owner/result.h"

struct spans {
	struct samples *of; /* per resource of the scenario */
	u32 nr;
};

/* False when memory is out.  @mem must live as long as @s. */
bool spans_init(struct spans *s, struct arena *mem, const struct scenario *sc);
void spans_fini(struct spans *s);

/* One of resource @ref took @ns. */
void spans_add(struct spans *s, u32 ref, u64 ns);

/* Hand the samples over to @res.  False when memory is out. */
bool spans_results(struct spans *s, const struct scenario *sc, struct result *res);

#endif
